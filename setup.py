"""Builds the Python package: libhymg with its own configure and make, then the cffi module hymg._hymg around it.

HYMG_PREFIX=DIR        use the libhymg installed below DIR (its shared library) instead of building one
HYMG_CONFIGURE=OPTIONS more options for configure, such as "--with-cuda --cuda-arch=90"
"""

import os
import re
import subprocess
from pathlib import Path

from setuptools import setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

ROOT = Path(__file__).resolve().parent
PREFIX = os.environ.get("HYMG_PREFIX")
if PREFIX:
    # absolute, for the loader looks there from wherever Python is started; build_ffi.py reads it, too
    PREFIX = os.environ["HYMG_PREFIX"] = os.path.abspath(os.path.expanduser(PREFIX))
    if not (Path(PREFIX) / "include/hymg.h").is_file():
        raise SystemExit(f"HYMG_PREFIX: no include/hymg.h below '{PREFIX}'; relative paths begin at '{os.getcwd()}'")
INCLUDE = Path(PREFIX) / "include" if PREFIX else ROOT / "include"
# A package must not depend on where it was built.
OPTIONS = ["--cpu-arch=portable", "--without-mpi", "--without-check", "--without-jansson", "--without-png", "--without-cuda"]


def commit() -> str:
    """The commit of these sources: git's word for a clone, that of the file COMMIT for a source package."""
    if not (ROOT / ".git").exists():
        if (ROOT / "COMMIT").is_file():
            return (ROOT / "COMMIT").read_text().strip()
        raise SystemExit(f"sdist: '{ROOT}' is no clone, and has no file COMMIT, so nothing says of which commit it is")
    describe = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--tags"]
    try:
        return subprocess.run(describe, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError) as error:
        raise SystemExit(f"sdist: the commit is not known: {getattr(error, 'stderr', '') or error}") from None


class SourceWithCommit(sdist):
    """Adds COMMIT, as `make dist` does; from it make takes what hymg.build_info() reports."""

    def make_release_tree(self, base_dir, files):
        name = commit()
        super().make_release_tree(base_dir, files)
        Path(base_dir, "COMMIT").write_text(name + "\n")


def make_library(folder: Path) -> str:
    """Builds lib/libhymg.a in folder and returns the text of its Makefile."""
    folder.mkdir(parents=True, exist_ok=True)
    wishes = os.environ.get("HYMG_CONFIGURE", "").split()
    configure = os.path.relpath(ROOT / "configure", folder)
    subprocess.run([configure, *OPTIONS, *wishes], cwd=folder, check=True)
    jobs = [] if "MAKEFLAGS" in os.environ else [f"-j{os.cpu_count() or 1}"]
    subprocess.run(["make", *jobs, "lib/libhymg.a"], cwd=folder, check=True)
    return (folder / "Makefile").read_text()


class BuildWithLibrary(build_ext):
    """Adds libhymg to the cffi module: its own, linked statically, or the installed one."""

    def build_extension(self, ext):
        ext.include_dirs.append(str(INCLUDE))
        if PREFIX:
            found = [str(f.parent) for d in ("lib", "lib64", "lib/*") for f in Path(PREFIX).glob(f"{d}/libhymg.so")]
            libraries = found[0] if found else os.path.join(PREFIX, "lib")
            ext.library_dirs.append(libraries)
            ext.runtime_library_dirs.append(libraries)
            ext.libraries.append("hymg")
        else:
            folder = Path(self.build_temp).resolve() / "libhymg"
            makefile = make_library(folder)
            for name in ("OPENMP_FLAG", "CUDA_LIBS"):
                ext.extra_link_args += re.search(rf"(?m)^{name} = ?(.*)$", makefile)[1].split()
            ext.extra_objects.append(str(folder / "lib/libhymg.a"))
            ext.depends.append(str(folder / "lib/libhymg.a"))
            ext.extra_link_args += ["-lm", "-Wl,--exclude-libs,ALL"]
        # last, so that CFLAGS=-Ofast does not make `import hymg` set the CPU to take denormals for zero
        ext.extra_link_args += ["-O2", "-fno-fast-math"]
        super().build_extension(ext)


setup(
    version=re.search(r'#define HYMG_VERSION "(.*)"', (ROOT / "include/hymg.h").read_text())[1],
    cffi_modules=["python/build_ffi.py:ffi"],
    cmdclass={"build_ext": BuildWithLibrary, "sdist": SourceWithCommit},
    # one wheel for every Python from 3.9 on; not build/, which is the name of many a build folder
    options={"build": {"build_base": "build-python"}, "bdist_wheel": {"py_limited_api": "cp39"}},
)
