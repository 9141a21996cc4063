"""Gradients of a solver: the adjoint solve, and the coefficients that its derivatives read."""

import math
import sys
import warnings
from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np

from . import _arrays
from ._bodies import Cover
from ._derivatives import WALLS, Derivatives, Grid, Key, grid_of
from ._hymg import ffi, lib
from ._library import OPEN, ConvergenceWarning, Unsupported, nearest

NAMES = ("f", "alpha", "beta", "fixed", *WALLS)


def refuse(text: str) -> Unsupported:
    return Unsupported(lib.HYMG_EUNSUPPORTED, f"gradient: {text}")


def check_symmetric(s: Any) -> None:
    """Raises Unsupported for a solver whose adjoint is not a solve of its own, or whose solves are not exact."""
    grid, desc = s._grid_desc[0], s._desc
    if s._ranks > 1:
        raise refuse("with several ranks there is none; solve on one rank")
    if s._options.method == lib.HYMG_FMG:
        raise refuse('with method="fmg" u is no solution of the equations; method="mg" solves them to the tolerance')
    if desc.stencil != lib.HYMG_FV2:
        raise refuse('the operator of stencil="fv4" is not symmetric; stencil="fv2" is')
    if not OPEN.isdisjoint(grid.boundary):
        raise refuse('with boundary="open" and "open-james" there is none, since the values on the boundary depend on f as well')
    linear = desc.extrapolation in (lib.HYMG_EXTRAPOLATION_LINEAR, lib.HYMG_EXTRAPOLATION_VERTEX)
    linear = linear or desc.fixed != ffi.NULL or any(grid.widths[h] != ffi.NULL for h in range(3)) or s._is_curved()
    walls = any(kind in (lib.HYMG_DIRICHLET, lib.HYMG_ROBIN) for kind in grid.boundary)
    if walls and not linear:
        raise refuse(
            "the quadratic extrapolation at Dirichlet and Robin boundaries, the default, makes an operator that is not "
            'symmetric; give the Solver extrapolation="linear"'
        )


def check_wanted(s: Any, names: Sequence[str]) -> None:
    """Raises for derivatives that do not exist or are not known."""
    for name in names:
        if name not in NAMES:
            raise ValueError(f"gradient: '{name}'; {nearest(name, NAMES)}")
    if "fixed" in names and not s._desc.fixed:
        raise ValueError("gradient: 'fixed', but the solver was made without fixed=")
    bodies = s._covers[0].bodies
    if "beta" in names and any(body.condition != "neumann" for body in bodies):
        raise refuse("by beta there is none with bodies that have Dirichlet or Robin conditions, only with walls")


def check_held(s: Any, names: Sequence[str]) -> None:
    """After a solve: alpha and robin_alpha that would hold what nothing holds, so that u jumps."""
    if s.result.singular_pieces == 0:
        return
    for name in names:
        if (name == "alpha" and s._desc.a != 0) or name == "robin_alpha":
            raise refuse(
                f"by {name} there is none where nothing holds u: with the least {name} its mean is no longer 0; give a "
                f"small {name} there, or do without this derivative"
            )


def module_of(array: Any) -> Any:
    """The module with the functions for an array."""
    return sys.modules[type(array).__module__.partition(".")[0]]


def like(array: Any, values: Any) -> Any:
    """An array of float64 of the same framework and memory as `array`."""
    if hasattr(array, "new_tensor"):  # PyTorch
        return array.new_tensor(values, dtype=module_of(array).float64)
    return module_of(array).asarray(values, dtype=np.float64)


def as_array(value: Any, name: str, shape: tuple[int, ...]) -> Any:
    """The same numbers in float64: where PyTorch and CuPy have them, else as a NumPy array."""
    if hasattr(value, "detach") and hasattr(value, "double"):
        array = value.detach().double()
    elif _arrays.on_device(value) and hasattr(value, "astype"):
        array = value.astype(np.float64)
    else:
        array = _arrays.as_double(value, name)
    if tuple(array.shape) != shape:
        raise ValueError(f"{name}: shape {tuple(array.shape)}, but {shape} is wanted")
    return array


class System:
    """The derivatives of a solver's solves, for arrays of one framework and memory."""

    def __init__(self, s: Any, array: Any, xp: Any = None, writes: bool = True) -> None:
        """array: one of those. xp: the framework's module, if that of the arrays which the solver takes is another.
        writes: may new arrays be written in place?
        """
        self.s, self.array, self.xp, self.writes = s, array, xp or module_of(array), writes
        self._convert = xp.asarray if xp else lambda values: values
        self.grid = grid_of(s, lambda values: self._convert(like(array, values)))
        self._open: Optional[tuple[Any, ...]] = None

    def derivatives(self, given: dict[Key, Any], homogeneous: bool = False, is_open: bool = False) -> Derivatives:
        """given: coefficients to take for the solver's own, as its arguments have them. homogeneous: without data.
        is_open: is beta, as given, known to be above 0 on all faces?
        """
        desc = self.s._desc
        found = {key: self.weighted(key, value) for key, value in given.items()}

        def coefficient(key: Key) -> Any:
            if homogeneous and key[0] == "boundary_values":
                return 0.0
            if key not in found:
                found[key] = self._stored(key)
            return found[key]

        is_open = is_open and not self.s._covers[0]
        return Derivatives(self.xp, self.grid, desc.a, desc.b, coefficient, self.writes, is_open)

    def weighted(self, key: Key, value: Any) -> Any:
        """A coefficient with what mask and walls of bodies leave of it; so, too, its derivative on the way back."""
        if key[0] not in ("f", "alpha", "beta") or not self.s._covers[0]:
            return value
        if self._open is None:
            self._open = tuple(self._convert(like(self.array, part)) for part in open_parts(self.s))
        return value * self._open[1 + key[1] if key[0] == "beta" else 0]

    def right_side(self, du: Any) -> Any:
        """Of the adjoint solve: dJ/du over the volumes, which the adjoint solution of a singular system does not change
        with its mean. Where solves refuse a mean, it is left out here, if the system is of one piece.
        """
        s, result, volume = self.s, self.s.result, self.grid.volume()
        r = du / volume
        if (
            s._options.rhs_mean != lib.HYMG_MEAN_ERROR
            or not result
            or (result.pieces, result.singular_pieces) != (1, 1)
        ):
            return r
        open_part = self.weighted(("f",), self.xp.ones_like(du)) > 0
        weight = self.xp.where(open_part, volume * self.xp.ones_like(du), self.xp.zeros_like(du))
        return r - (weight * r).sum() / weight.sum()

    def _stored(self, key: Key) -> Any:
        """What the solver has: a number, or a new array. alpha and beta are those behind mask and bodies."""
        s, name, desc = self.s, key[0], self.s._desc
        if name == "fixed":
            return self._read(desc.fixed, s.local_shape)
        if name == "beta":
            field = s._covers[0].desc.beta[s._axes[key[1]]]
            return self._read(field, s._faces(key[1])) if field else desc.beta_constant
        face = 2 * s._axes[key[1]] + key[2]
        what = "boundary" if name == "boundary_values" else name
        field = getattr(desc, "boundary_data" if what == "boundary" else name)[face]
        return self._read(field, s._shape_with(key[1], 1), key[1]) if field else getattr(desc, f"{what}_constant")[face]

    def _read(self, field: Any, shape: tuple[int, ...], wall: Optional[int] = None) -> Any:
        return self._convert(read(self.s, self.array, field, shape, wall))


def read(s: Any, array: Any, field: Any, shape: tuple[int, ...], wall: Optional[int] = None) -> Any:
    """A new array like `array` with the entries of a field; wall: the axis of a boundary field."""
    result = _arrays.empty_like(array, shape)
    view = s._view(result, "coefficient", output=True, shape=shape)
    low = [0 if wall is not None and h == s._axes[wall] else s._low[h] for h in range(3)]
    count, stride = s._layout(view)
    s._check(lib.hymg_field_read(field, low, count, stride, view.pointer, view.space))
    s._wait(field, view, low)
    return result


def open_parts(s: Any) -> list[np.ndarray]:
    """The open part of cells, then per axis that of faces: what a mask and the walls of bodies make of ones."""
    ones = ffi.new("hymg_operator_desc *", s._desc[0])
    ones.alpha, ones.alpha_constant, ones.beta_constant = ffi.NULL, 0.0, 1.0
    for h in range(3):
        ones.beta[h] = ffi.NULL
    cover, weight = Cover(s._covers[0].active, s._covers[0].bodies), ffi.new("hymg_field **")
    try:
        desc = cover.make(s, ones)
        s._check(lib.hymg_field_create_in(s._grid, lib.HYMG_HOST, lib.HYMG_CELL, lib.HYMG_DOUBLE, weight))
        s._check(lib.hymg_field_fill(weight[0], 1.0))
        for own, _ in cover._rhs:
            s._check(lib.hymg_body_rhs(own, ffi.NULL, weight[0]))
        fields = [(weight[0], s.local_shape)]
        fields += [(desc.beta[h], s._faces(axis)) for axis, h in enumerate(s._axes)]
        return [read(s, np.empty(()), field, shape) for field, shape in fields]
    finally:
        lib.hymg_field_destroy(weight)
        cover.destroy()


# A right-hand side larger than the data by this factor does not know of them: they are less than its rounding.
DROWNED = 2.0**60


def largest(s: Any, field: Any) -> float:
    value = ffi.new("double *")
    s._check(lib.hymg_field_max(field, value))
    return float(value[0])


def largest_data(s: Any) -> float:
    """The largest that boundary data and fixed cells add to f; kept until the solver is updated."""
    if s._data_kept is None or s._data_kept[0] != s._updates:
        for field in (s._f, s._u):
            s._check(lib.hymg_field_fill(field, 0.0))
        s._check(lib.hymg_residual(s._solver, 0, s._f, s._u, s._f))
        s._data_kept = s._updates, largest(s, s._f)
    return float(s._data_kept[1])


def solve_homogeneous(s: Any, r: Any) -> Any:
    """A^-1 r with homogeneous boundary conditions and 0 in fixed cells, a new array like r. The caller has the solver.

    r must be float64; mask and bodies add nothing to it. Warns as Solver.solve.
    """
    xp, data = module_of(r), largest_data(s)
    s._copy_in(s._f, s._view(r, "du"))
    size = largest(s, s._f)
    if math.isnan(size):  # in cells that do not count, or the solve will say so
        size = float(xp.nan_to_num(abs(r)).max())
    if size == 0:
        return xp.zeros_like(r)
    scale = 2.0 ** round(math.log2(data / size)) * DROWNED if data else 1.0
    s._check(lib.hymg_field_scale(scale, s._f))
    if s._options.initial_guess:
        s._check(lib.hymg_field_fill(s._u, 0.0))
    result = s._run_solve()
    if not result.converged:
        warnings.warn(f"{result.reason}: {result.note}\n{s._advice()}", ConvergenceWarning, stacklevel=3)
    s._check(lib.hymg_field_scale(1 / scale, s._u))
    adjoint = read(s, r, s._u, s.local_shape)
    if s._desc.fixed:
        free = xp.isnan(read(s, r, s._desc.fixed, s.local_shape))
        adjoint = xp.where(free, adjoint, xp.zeros_like(adjoint))
    return adjoint


def gradient(s: Any, u: Any, du: Any, wanted: Union[str, Sequence[str]]) -> dict[str, Any]:
    """Solver.gradient. The caller has the solver."""
    names = (wanted,) if isinstance(wanted, str) else tuple(wanted)
    check_symmetric(s)
    check_wanted(s, names)
    u, du = (as_array(array, name, s.local_shape) for array, name in ((u, "u"), (du, "du")))
    system = System(s, u)
    adjoint = solve_homogeneous(s, system.right_side(du))
    check_held(s, names)
    derivatives = system.derivatives({})

    def by(*key: Any) -> Any:
        return system.weighted(key, derivatives.of(key, u, adjoint, du))

    return {name: structured(s, system.grid, name, by) for name in names}


def structured(s: Any, grid: Any, name: str, by: Any) -> Any:
    """What belongs to the axes and sides, as the arguments of Solver have it."""
    axes = range(len(s.shape))
    if name == "beta":
        return tuple(by(name, axis) for axis in axes)
    if name not in WALLS:
        return by(name)
    walls = [wall for wall in grid.walls() if name == "boundary_values" or grid.kinds[wall[0]][wall[1]] == "robin"]
    return tuple(tuple(by(name, axis, side) if (axis, side) in walls else None for side in (0, 1)) for axis in axes)
