"""Cells with given values, in the ways a caller may name them, as one array that is NaN in all other cells."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _arrays


def as_array(fixed: Any, shape: tuple[int, ...], local: tuple[slice, ...]) -> Any:
    """An array of this rank's part, `local` of a domain of the given shape.

    fixed  such an array, which is returned as it is; or a pair (mask, values) of arrays of the part; or a pair (cells,
           values) with cells of the whole domain: a list of their indices (numbers on a line, else tuples), or a tuple
           of one index array per axis as NumPy has them. Values are numbers or arrays that broadcast. Raises ValueError
           and TypeError.
    """
    if not (isinstance(fixed, tuple) and len(fixed) == 2):
        return fixed
    if any(_arrays.on_device(part) for part in fixed):
        raise TypeError("fixed: a pair of arrays in a GPU's memory; give one array there, NaN where u is unknown")
    where, values = fixed
    given = _arrays.as_double(values, "fixed")
    result = np.full(tuple(part.stop - part.start for part in local), np.nan)
    if isinstance(where, np.ndarray) and where.dtype == bool:
        _set_mask(result, where, given)
    else:
        _set_cells(result, _indices(where, shape), given, local)
    return result


def _set_mask(result: np.ndarray, mask: np.ndarray, values: np.ndarray) -> None:
    if mask.shape != result.shape:
        raise ValueError(f"fixed: a mask of shape {mask.shape}, but {result.shape} is wanted")
    try:
        result[mask] = np.broadcast_to(values, result.shape)[mask]
    except ValueError:
        raise ValueError(f"fixed: values of shape {values.shape} do not broadcast to {result.shape}") from None


def _indices(where: Any, shape: Sequence[int]) -> list[np.ndarray]:
    """One index array per axis, of numbers from 0 on."""
    count = len(shape)
    if isinstance(where, tuple) and len(where) == count:
        axes = [np.asarray(index) for index in where]
    else:
        cells = np.asarray(where)
        if cells.size == 0:
            cells = np.zeros((0, count), dtype=int)
        if count == 1 and cells.ndim == 1:
            cells = cells[:, None]
        if cells.ndim != 2 or cells.shape[1] != count:
            of_one = ("numbers", "pairs", "triples")[count - 1]
            raise ValueError(
                f"fixed: a mask of bools, a list of index {of_one} or a tuple of index arrays, one for each of the "
                f"{count} axes, and values are wanted"
            )
        axes = list(cells.T)
    for axis, (index, n) in enumerate(zip(axes, shape)):
        if index.dtype.kind not in "iu":
            raise TypeError(f"fixed: indices of {index.dtype} along axis {axis}; integers are wanted")
        bad = index[(index < -n) | (index >= n)]
        if bad.size:
            raise ValueError(f"fixed: index {bad.flat[0]} along axis {axis}, which has 0 to {n - 1}")
    try:
        return [np.where(i < 0, i + n, i) for i, n in zip(np.broadcast_arrays(*axes), shape)]
    except ValueError:
        raise ValueError(f"fixed: index arrays of shapes {', '.join(str(i.shape) for i in axes)}") from None


def _set_cells(result: np.ndarray, cells: list[np.ndarray], values: np.ndarray, local: tuple[slice, ...]) -> None:
    """Cells outside the part are another rank's."""
    try:
        values = np.broadcast_to(values, cells[0].shape)
    except ValueError:
        raise ValueError(f"fixed: values of shape {values.shape} for {cells[0].size} cells") from None
    inside = np.logical_and.reduce([(i >= part.start) & (i < part.stop) for i, part in zip(cells, local)])
    result[tuple(i[inside] - part.start for i, part in zip(cells, local))] = values[inside]
