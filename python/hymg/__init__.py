"""Geometric multigrid for a alpha u - b div(beta grad u) = f on box-shaped structured grids.

    import numpy as np, hymg
    with hymg.Solver((64, 64), spacing=1 / 64) as s:    # a plane; (64, 64, 64) is a box
        u = s.solve(np.ones((64, 64)))

`hymg.Solver` is the way in; docs/python.md explains arrays, coefficients, GPUs and scipy.
"""

from ._bodies import Body, fractions
from ._diffusivity import EffectiveDiffusivity, effective_diffusivity
from ._curved import Measures
from ._hymg import ffi as _ffi
from ._hymg import lib as _lib
from ._library import ConvergenceWarning, Error, InvalidArgument, OutOfMemory, Unsupported
from ._many import solve_batch
from ._result import Cycle, Result
from ._solver import Solver
from ._words import text as _text

__all__ = [
    "Body",
    "ConvergenceWarning",
    "Cycle",
    "EffectiveDiffusivity",
    "Error",
    "InvalidArgument",
    "Measures",
    "OutOfMemory",
    "Result",
    "Solver",
    "Unsupported",
    "build_info",
    "effective_diffusivity",
    "fractions",
    "solve_batch",
    "__version__",
]


def build_info() -> dict[str, str]:
    """How the library was built: version, commit, compiler, flags, mpi, openmp, cuda, nccl ("" for what is absent)."""
    build = _lib.hymg_build_info()
    return {name: _text(getattr(build, name)) for name, _ in _ffi.typeof("hymg_build").fields}


__version__ = build_info()["version"]
