"""Derivatives of a solve by the adjoint state: the formulas of docs/gradients.md, for arrays of any framework.

Arrays are those of NumPy, or of a framework whose module has NumPy's names (CuPy, PyTorch, jax.numpy). In place only what is
new is written, and that only if no framework will differentiate what is done here once more.
"""

import functools
import operator
from collections.abc import Callable
from typing import Any, NamedTuple, Optional

from ._arrays import empty_like
from ._curved import Measures
from ._hymg import lib
from ._library import enum_word

# A coefficient: ("f",), ("alpha",), ("fixed",), ("beta", axis), or one on a wall, ("boundary_values", axis, side)
Key = tuple[Any, ...]
WALLS = ("boundary_values", "robin_alpha", "robin_beta")


def part(x: Any, axis: int, which: slice) -> Any:
    """The entries of an array, of x's axes, that a slice takes along one of them."""
    return x[tuple(which if i == axis else slice(None) for i in range(x.ndim))]


INSIDE = slice(1, -1)  # of all faces of an axis


def end(side: int) -> slice:
    """The first or the last entry of an axis."""
    return slice(-1, None) if side else slice(0, 1)


def first(x: Any, axis: int, side: int) -> Any:
    """The cells, or the faces, next to a wall: one entry along the axis."""
    return part(x, axis, end(side))


class Grid(NamedTuple):
    """The geometry of a solver, per axis of the arrays."""

    shape: tuple[int, ...]
    widths: tuple[Any, ...]  # a number, or an array that broadcasts along the other axes
    kinds: tuple[tuple[str, str], ...]  # of the walls
    to_wall: float  # from the centre of a cell to the place of Dirichlet values, in widths of the cell
    measures: Optional[Measures]  # of curved axes, in arrays of the framework

    def volume(self) -> Any:
        """Of the cells."""
        return self.measures.volumes if self.measures else self._product(None)

    def area(self, axis: int, which: slice) -> Any:
        """Of faces normal to an axis: those that the slice takes of all n + 1."""
        return part(self.measures.areas[axis], axis, which) if self.measures else self._product(axis)

    def _product(self, axis: Optional[int]) -> Any:
        return functools.reduce(operator.mul, (w for i, w in enumerate(self.widths) if i != axis), 1.0)

    def width(self, axis: int, side: int) -> Any:
        """Of the cells at a wall."""
        if self.measures:
            return 2 * part(self.measures.distances[axis], axis, end(side))
        width = self.widths[axis]
        return width if isinstance(width, float) else first(width, axis, side)

    def distance(self, axis: int) -> Any:
        """Between the centres of neighbours: of the n - 1 faces inside, or a number."""
        if self.measures:
            return part(self.measures.distances[axis], axis, INSIDE)
        width = self.widths[axis]
        if isinstance(width, float):
            return width
        return (part(width, axis, slice(1, None)) + part(width, axis, slice(None, -1))) / 2

    def seam(self, axis: int) -> Any:
        """The distance across the seam of a periodic axis."""
        if self.measures:
            return part(self.measures.distances[axis], axis, end(0))
        return (self.width(axis, 0) + self.width(axis, 1)) / 2

    def periodic(self, axis: int) -> bool:
        return self.kinds[axis][0] == "periodic"

    def walls(self) -> list[tuple[int, int]]:
        """All (axis, side) but the periodic ones."""
        return [(i, side) for i in range(len(self.shape)) for side in (0, 1) if not self.periodic(i)]


def grid_of(s: Any, asarray: Callable[[Any], Any]) -> Grid:
    """Of a solver; asarray makes an array of the framework, where the others are."""
    desc, count = s._grid_desc[0], len(s.shape)

    def width(axis: int, h: int) -> Any:
        if not desc.widths[h]:
            return float(desc.spacing[h])
        return asarray(list(desc.widths[h][0 : s.shape[axis]])).reshape([-1 if i == axis else 1 for i in range(count)])

    kinds = tuple(tuple(enum_word("hymg_boundary", desc.boundary[2 * h + side]) for side in (0, 1)) for h in s._axes)
    widths = tuple(width(axis, h) for axis, h in enumerate(s._axes))
    vertex = s._desc.extrapolation == lib.HYMG_EXTRAPOLATION_VERTEX
    measures = _converted(s._measure(), asarray) if s._is_curved() else None
    return Grid(s.shape, widths, kinds, 1.0 if vertex else 0.5, measures)  # type: ignore[arg-type]


def _converted(measures: Measures, asarray: Callable[[Any], Any]) -> Measures:
    faces = (tuple(asarray(one) for one in measures.areas), tuple(asarray(one) for one in measures.distances))
    return Measures(asarray(measures.volumes), *faces)


class Wall(NamedTuple):
    """The outward derivative D of u at a wall, and its derivatives with respect to what the condition names."""

    derivative: Any
    by: dict[str, Any]


class Derivatives:
    """Of J(u), by the adjoint state: the u of a solve and the lambda of one with dJ/du."""

    def __init__(
        self, xp: Any, grid: Grid, a: float, b: float, coefficient: Callable[[Key], Any], writes: bool, is_open: bool
    ) -> None:
        """xp: the framework's module. coefficient: what the system has for a key, a number or an array, beta and alpha
        as the operator has them, behind mask and bodies. writes: may new arrays be written in place? is_open: is it
        known that no face has beta 0?
        """
        self.xp, self.grid, self.a, self.b, self.coefficient = xp, grid, a, b, coefficient
        self.writes, self.is_open = writes, is_open

    def of(self, key: Key, u: Any, adjoint: Any, du: Any) -> Any:
        """dJ by the entries of a coefficient; "f" and "alpha" before the weights of mask and bodies."""
        if key[0] == "f":
            return self.grid.volume() * adjoint
        if key[0] == "alpha":
            return -self.a * self.grid.volume() * adjoint * u
        if key[0] == "beta":
            return self._open(key[1], self._by_beta(key[1], u, adjoint))
        if key[0] == "fixed":
            return self._by_fixed(adjoint, du)
        return self._by_wall(key, u, adjoint)

    def _wall(self, axis: int, side: int, u: Any) -> Wall:
        kind, width, inside = self.grid.kinds[axis][side], self.grid.width(axis, side), first(u, axis, side)
        value = self.coefficient(("boundary_values", axis, side))
        if kind == "neumann":
            return Wall(value + 0.0 * inside, {"boundary_values": 1.0})
        if kind == "dirichlet":
            distance = self.grid.to_wall * width
            return Wall((value - inside) / distance, {"boundary_values": 1.0 / distance})
        alpha, beta = (self.coefficient((name, axis, side)) for name in ("robin_alpha", "robin_beta"))
        scale = alpha * width / 2 + beta
        derivative = (value - alpha * inside) / scale
        on_wall = inside + derivative * width / 2
        return Wall(
            derivative,
            {"boundary_values": 1 / scale, "robin_alpha": -on_wall / scale, "robin_beta": -derivative / scale},
        )

    def _by_wall(self, key: Key, u: Any, adjoint: Any) -> Any:
        name, axis, side = key
        beta = self.coefficient(("beta", axis))
        flux = self.b * self.grid.area(axis, end(side)) * (first(beta, axis, side) if hasattr(beta, "ndim") else beta)
        return flux * first(adjoint, axis, side) * self._wall(axis, side, u).by[name]

    def _by_beta(self, axis: int, u: Any, adjoint: Any) -> Any:
        """For all faces. A face at the seam of a periodic axis is entry 0; its other entry does not count."""
        if self.grid.periodic(axis):
            low = -self._over_seam(axis) * seam(u, axis) * seam(adjoint, axis)
            ends = low, 0.0 * low
        else:
            walls = [(side, first(adjoint, axis, side), self._wall(axis, side, u).derivative) for side in (0, 1)]
            ends = tuple(self.b * self.grid.area(axis, end(side)) * x * derivative for side, x, derivative in walls)
        if not self.writes:
            inside = -self._over_distance(axis) * difference(u, axis) * difference(adjoint, axis)
            return self.xp.concatenate([ends[0], inside, ends[1]], axis)
        found = empty_like(u, tuple(n + (other == axis) for other, n in enumerate(self.grid.shape)))
        inside = part(found, axis, INSIDE)
        self.xp.subtract(part(u, axis, slice(1, None)), part(u, axis, slice(None, -1)), out=inside)
        inside *= difference(adjoint, axis)
        inside *= -self._over_distance(axis)
        for side in (0, 1):
            first(found, axis, side)[...] = ends[side]
        return found

    def _over_distance(self, axis: int) -> Any:
        """b A / d of the faces inside."""
        return self.b * self.grid.area(axis, INSIDE) / self.grid.distance(axis)

    def _over_seam(self, axis: int) -> Any:
        return self.b * self.grid.area(axis, end(0)) / self.grid.seam(axis)

    def _open(self, axis: int, derivative: Any) -> Any:
        """0 on closed faces, which stay closed."""
        if self.is_open:
            return derivative
        beta = self.coefficient(("beta", axis))
        if not self.writes:
            return derivative * (beta > 0)
        derivative *= beta > 0
        return derivative

    def _by_fixed(self, adjoint: Any, du: Any) -> Any:
        """dJ/du - K lambda in fixed cells, where lambda is 0, else 0."""
        total = du
        for axis in range(len(self.grid.shape)):
            flux = self._flux(axis, adjoint)
            total = total + part(flux, axis, slice(1, None)) - part(flux, axis, slice(None, -1))
        free = self.xp.isnan(self.coefficient(("fixed",)))
        return self.xp.where(free, self.xp.zeros_like(total), total)

    def _flux(self, axis: int, x: Any) -> Any:
        """b beta A / d times the difference of x across faces, 0 at walls, which do not touch fixed cells' x of 0."""
        beta = self.coefficient(("beta", axis))
        inside = self._over_distance(axis) * difference(x, axis)
        if self.grid.periodic(axis):
            ends = self._over_seam(axis) * seam(x, axis)
        else:
            ends = 0.0 * first(x, axis, 0)
        if hasattr(beta, "ndim"):  # the last entry of a periodic axis repeats the first one, whatever it is
            low = first(beta, axis, 0)
            high = low if self.grid.periodic(axis) else first(beta, axis, 1)
            beta = self.xp.concatenate([low, part(beta, axis, slice(1, -1)), high], axis)
        return beta * self.xp.concatenate([ends, inside, ends], axis)


def difference(x: Any, axis: int) -> Any:
    """Across the n - 1 faces inside."""
    return part(x, axis, slice(1, None)) - part(x, axis, slice(None, -1))


def seam(x: Any, axis: int) -> Any:
    """Across the seam of a periodic axis."""
    return first(x, axis, 0) - first(x, axis, 1)
