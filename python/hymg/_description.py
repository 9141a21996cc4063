"""The arguments of a solver, read back from what it was made of."""

from typing import Any, Optional

import numpy as np

from . import _arrays
from ._hymg import lib
from ._library import enum_word


def described(s: Any) -> dict[str, Any]:
    """The arguments of Solver: words, numbers and new NumPy arrays. s: a Solver that nobody else uses meanwhile."""
    grid, axes = s._grid_desc[0], s._axes  # axes[i]: what the library calls the arrays' axis i
    boundary = [[enum_word("hymg_boundary", grid.boundary[2 * h + side]) for side in (0, 1)] for h in axes]
    parts = any(grid.boxes[h] for h in axes) and not any(grid.cuts[h] for h in axes)
    return {
        "shape": s.shape,
        "order": s._order,
        "spacing": tuple(grid.spacing[h] for h in axes),
        "widths": _lists(grid.widths, s.shape, axes),
        "geometry": s._geometry[0],
        "origin": tuple(grid.origin[h] for h in axes),
        "radius": grid.radius,
        "boundary": tuple(tuple(kinds) for kinds in boundary),
        "boxes": tuple(grid.boxes[h] for h in axes) if parts else None,
        "cuts": _lists(grid.cuts, [grid.boxes[h] for h in axes], axes),
        "threads": s._threads,
        "device": s._device_given,
        **_operator(s),
        **s._given_options,
    }


def _lists(pointers: Any, counts: Any, axes: tuple[int, ...]) -> Optional[tuple[Any, ...]]:
    """Per axis a list of numbers of C, or None; None if there are none at all."""
    lists = [list(pointers[h][0 : counts[axis]]) if pointers[h] else None for axis, h in enumerate(axes)]
    return tuple(lists) if any(one is not None for one in lists) else None


def _operator(s: Any) -> dict[str, Any]:
    desc = s._desc
    alpha = _values(s, ("alpha", 0), s.local_shape)
    beta = [_values(s, ("beta", axis), s._faces(axis)) for axis in range(len(s.shape))]
    return {
        "stencil": enum_word("hymg_stencil", desc.stencil),
        "extrapolation": enum_word("hymg_extrapolation", desc.extrapolation),
        "limiter": desc.limiter,
        "a": desc.a,
        "b": desc.b,
        "alpha": desc.alpha_constant if alpha is None else alpha,
        "beta": desc.beta_constant if beta[0] is None else tuple(beta),
        "fixed": _values(s, ("fixed", 0), s.local_shape),
        **s._covers[0].arguments(),
        "boundary_values": _walls(s, "boundary_values", None),
        "robin_alpha": _walls(s, "robin_alpha", desc.robin_alpha_constant),
        "robin_beta": _walls(s, "robin_beta", desc.robin_beta_constant),
    }


def _walls(s: Any, name: str, constants: Any) -> Any:
    """Per axis a pair of arrays, numbers (of Robin boundaries) or None; None if there is nothing but None."""

    def side(axis: int, high: int) -> Any:
        face = 2 * s._axes[axis] + high
        values = _values(s, (f"{name}[{axis}]", high), s._shape_with(axis, 1), face)
        robin = s._grid_desc[0].boundary[face] == lib.HYMG_ROBIN
        return constants[face] if values is None and constants is not None and robin else values

    walls = tuple((side(axis, 0), side(axis, 1)) for axis in range(len(s.shape)))
    return walls if any(value is not None for pair in walls for value in pair) else None


def _values(s: Any, key: tuple[str, int], shape: tuple[int, ...], face: Optional[int] = None) -> Any:
    """A coefficient that is a field, as an array; None if there is no such field."""
    if key not in s._fields:
        return None
    array = np.zeros(shape, order=s._order)
    view = _arrays.view(array, _arrays.Wanted(key[0], shape, output=True))
    count, stride = s._layout(view)
    low = list(s._low)
    if face is not None:
        low[face // 2] = 0
    s._check(lib.hymg_field_read_own(s._fields[key][0], low, count, stride, view.pointer, view.space))
    return array
