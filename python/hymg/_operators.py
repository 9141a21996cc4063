"""A solver's operator and its cycle as linear operators of scipy and cupyx."""

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np


def linear_operator(shape: tuple[int, ...], action: Callable[[Any], Any], library: str) -> Any:
    """LinearOperator of library.sparse.linalg (scipy or cupyx.scipy) for an action on arrays of the given shape."""
    linalg = importlib.import_module(f"{library}.sparse.linalg")
    cells = int(np.prod(shape))

    def matvec(x: Any) -> Any:
        return action(x.reshape(shape)).reshape(cells)

    return linalg.LinearOperator((cells, cells), matvec=matvec, dtype=np.dtype(np.float64))
