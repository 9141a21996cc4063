"""What Python can tell of MPI before the library is called: another MPI than the library's, N processes each alone."""

import ctypes
import os
import re
import sys
import warnings
from typing import Any, Optional

from . import _hymg
from ._hymg import lib
from ._library import Unsupported, text

# Open MPI, MVAPICH, MPICH and Intel MPI, srun; the innermost launcher first
_SIZES = ("OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS")


def _first_line(version: str) -> str:
    """What an MPI library says of itself, without who built it and how: "Open MPI v4.1.4", "MPICH Version: 4.2.2"."""
    return " ".join(re.split(r"[,\r\n]", version, maxsplit=1)[0].split())


def _library_version() -> Optional[str]:
    """The words of the MPI that libhymg is linked with; None where they cannot be had, as when it is linked statically."""
    try:
        ask = ctypes.CDLL(_hymg.__file__).MPI_Get_library_version
    except (OSError, AttributeError):
        return None
    words, length = ctypes.create_string_buffer(8192 + 1), ctypes.c_int()  # MPI_MAX_LIBRARY_VERSION_STRING of all
    return None if ask(words, ctypes.byref(length)) else words.value.decode(errors="replace")


def refuse_another(comm: Any) -> None:
    """Raises Unsupported if comm is of another MPI than the library's, which would take its handle for one of its own."""
    mpi = sys.modules.get("mpi4py.MPI")
    built = text(lib.hymg_build_info().mpi)
    if mpi is None or not built:
        return
    ours, theirs = _library_version(), mpi.Get_library_version().rstrip("\0")
    if ours is not None:
        same = ours == theirs
    else:  # built says MPI alone where nothing told whose
        same = built.startswith("MPI ") or built.startswith("Open MPI") == ("Open MPI" in theirs)
    if not same:
        raise Unsupported(
            lib.HYMG_EUNSUPPORTED,
            f"comm: mpi4py uses {_first_line(theirs)}, but this libhymg {_first_line(ours or built)}{_files()}; both must "
            "be the same: build one of the two with the other's mpicc (docs/python.md)",
        )


def _files() -> str:
    """The MPI libraries of this process, where Linux lists them."""
    try:
        with open("/proc/self/maps") as maps:
            files = {line.split(maxsplit=5)[-1].strip() for line in maps if "/libmpi" in line}
    except OSError:
        return ""
    libraries = sorted(f for f in files if re.search(r"/libmpi(ch|_abi|_mt)?[-.][^/]*$", f))
    return f" ({', '.join(libraries)})" if libraries else ""


def warn_of_copies() -> None:
    """Warns, once for each line that does it, if a launcher started several processes and this Solver has no comm."""
    for name in _SIZES:
        value = os.environ.get(name, "")
        # a shell of srun --pty keeps srun's variables, while what it starts is one process
        if value and not (name.startswith("SLURM") and sys.stdin is not None and sys.stdin.isatty()):
            if value.isdigit() and int(value) > 1:
                warnings.warn(
                    f"this is one of {value} processes ({name}={value}), and a Solver without comm= is this process's "
                    "own: each solves a whole problem by itself. For one problem give comm=MPI.COMM_WORLD; if each is "
                    "to have its own, ignore this warning or give comm=MPI.COMM_SELF",
                    RuntimeWarning,
                    stacklevel=4,
                )
            return
