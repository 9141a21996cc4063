"""Masks and bodies: coefficients and right-hand sides that leave out what is solid."""

import contextlib
from typing import Any

import numpy as np

from . import _arrays
from ._hymg import ffi, lib
from ._library import check, enum_value
from ._values import as_double, broadcast, describe, is_number, number


class Body:
    """A solid body, by what it leaves open, and the condition on its surface; for Solver(..., body=).

    distance   the signed distance from the surface, positive in the open part, or any function with that sign that is
               smooth near the surface: an array with one entry more along every axis than there are cells, of the
               vertices of cells (entry 0 is the low corner of cell 0)
    volume, area  instead: the open fractions, 0 to 1, of the cells, and a tuple with one array per axis for the faces
               normal to it, of the shapes of beta
    condition  "neumann": value is the flux b beta du/dn into the open part per unit of area, 0 a wall; "dirichlet":
               u = value; "robin": robin_alpha u + robin_beta du/dn = value. n points into the body
    value, robin_alpha, robin_beta  numbers or arrays of cells with the value at the point of the surface that is nearest
               to the cell's centre; read in cells that the surface cuts and their neighbours alone

    With comm the arrays are those of the rank's part, and `distance` has the vertices of its cells. Neumann and Robin:
    cells that are cut count with their open parts, and u is that at the centre of the whole cell. Dirichlet: the cells
    whose centre is open are unknown. Both are of second order in u and of first in the fluxes.
    """

    def __init__(
        self,
        distance: Any = None,
        *,
        volume: Any = None,
        area: Any = None,
        condition: str = "neumann",
        value: Any = 0.0,
        robin_alpha: Any = 1.0,
        robin_beta: Any = 1.0,
    ) -> None:
        if (distance is None) == (volume is None) or (volume is None) != (area is None):
            raise TypeError("body: either distance or volume and area are wanted")
        self.distance, self.volume, self.area = distance, volume, area
        self.condition, self.value = condition, value
        self.robin_alpha, self.robin_beta = robin_alpha, robin_beta

    def taken(self, name: str) -> "Body":
        """A copy with arrays of its own. Raises TypeError."""

        def copy(value: Any, what: str) -> Any:
            return value if value is None or is_number(value) else np.array(on_host(value, name + what))

        area = self.area
        if area is not None:
            if not isinstance(area, (list, tuple)):
                raise TypeError(f"{name}.area: {describe(area)}; a tuple with one array per axis is wanted")
            area = tuple(copy(part, f".area[{axis}]") for axis, part in enumerate(area))
        numbers = {key: copy(value, f".{key}") for key, value in self.numbers().items()}
        distance, volume = copy(self.distance, ""), copy(self.volume, ".volume")
        return Body(distance, volume=volume, area=area, condition=self.condition, **numbers)

    def numbers(self) -> dict[str, Any]:
        return {"value": self.value, "robin_alpha": self.robin_alpha, "robin_beta": self.robin_beta}


def fractions(distance: Any) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
    """The open fractions of cells and of faces from a signed distance at the vertices of cells, as Body takes it.

    Returns the fractions of the cells' volumes, an array with one entry less along every axis, and a tuple of those of the
    faces' areas, per axis an array of the shape of beta. For programs that move something through the faces themselves,
    as a projection does: as beta of a Solver the areas are the same as the body with a wall. Independent of any solver
    and, as the distances are those of one process, of other ranks.
    """
    given = np.array(on_host(distance, "distance"), order="C")
    axes = given.ndim
    if not 1 <= axes <= 3 or min(given.shape) < 2:
        raise ValueError(f"distance: shape {given.shape}; one to three axes of at least two vertices are wanted")
    cells = tuple(n - 1 for n in given.shape)
    found = [np.zeros(cells)]
    found += [np.zeros(tuple(n + (i == axis) for i, n in enumerate(cells))) for axis in range(axes)]
    with contextlib.ExitStack() as stack:
        context, grid = _plain_grid(stack, cells)
        fields = [ffi.new("hymg_field **") for _ in range(4)]
        for h, field in enumerate(fields):
            stack.callback(lib.hymg_field_destroy, field)
            check(lib.hymg_field_create_in(grid, lib.HYMG_HOST, h, lib.HYMG_DOUBLE, field), context)
        low, count, stride = _brick(given)
        count = [n if h < axes else 2 for h, n in enumerate(count)]  # the same on both sides of other axes
        pointers = [field[0] for field in fields]
        data = ffi.cast("double *", given.ctypes.data)
        check(
            lib.hymg_body_fractions(low, count, stride, data, pointers[0], pointers[1:]),
            context,
            tuple(range(axes))[::-1],
        )
        for h, array in enumerate(found):
            data = ffi.cast("double *", array.ctypes.data)
            pointer = pointers[axes + 1 - h if h else 0]  # the last axis is x
            check(lib.hymg_field_read(pointer, *_brick(array), data, lib.HYMG_HOST), context)
    return found[0], tuple(found[1:])


def _plain_grid(stack: contextlib.ExitStack, cells: tuple[int, ...]) -> tuple[Any, Any]:
    """A context and a grid, which live as long as the stack."""
    options = ffi.new("hymg_context_options *", lib.hymg_context_options_default())
    options.threads = 1
    context, grid = ffi.new("hymg_context **"), ffi.new("hymg_grid **")
    check(lib.hymg_context_create(options, context), ffi.NULL)
    stack.callback(lib.hymg_context_destroy, context)
    desc = ffi.new("hymg_grid_desc *", lib.hymg_grid_desc_default())
    for h, n in enumerate((*cells[::-1], 1, 1)[:3]):
        desc.n[h] = n
    check(lib.hymg_grid_create(context[0], desc, grid), context[0])
    stack.callback(lib.hymg_grid_destroy, grid)
    return context[0], grid[0]


def _brick(array: np.ndarray) -> tuple[list[int], list[int], list[int]]:
    """Of a C-contiguous array: low corner, counts and strides, x first."""
    others = 3 - array.ndim
    strides = [step // array.itemsize for step in array.strides[::-1]]
    return [0, 0, 0], [*array.shape[::-1], *[1] * others], [*strides, *[0] * others]


class Cover:
    """What a mask and bodies make of the coefficients of a solver: fields of the library, and the right-hand side's."""

    def __init__(self, active: Any = None, body: Any = None) -> None:
        """Copies the arrays. Raises TypeError."""
        self.active = None if active is None else np.array(on_host(active, "active"))
        bodies = body if isinstance(body, (list, tuple)) else () if body is None else (body,)
        self._names = tuple(f"body[{index}]" if len(bodies) > 1 else "body" for index in range(len(bodies)))
        self.bodies = tuple(
            (one if isinstance(one, Body) else Body(one)).taken(name) for one, name in zip(bodies, self._names)
        )
        self._fields: list[Any] = []
        self._rhs: list[tuple[Any, Any]] = []
        self.desc: Any = None

    def __bool__(self) -> bool:
        return self.active is not None or bool(self.bodies)

    def changed(self, values: dict[str, Any]) -> "Cover":
        """One with the values for "active" and "body", which this takes out. Raises ValueError and TypeError."""
        other = Cover(values.pop("active", self.active), values.pop("body", self.bodies))
        if (other.active is None) != (self.active is None) or (not other.bodies) != (not self.bodies):
            raise ValueError("update: whether there is a mask and whether there is a body cannot change")
        return other

    def arguments(self) -> dict[str, Any]:
        """Of Solver: new arrays and bodies, or None."""
        bodies = [body.taken(name) for body, name in zip(self.bodies, self._names)]
        return {"active": None if self.active is None else self.active.copy(), "body": bodies or None}

    def needs_alpha(self) -> bool:
        """Does a condition become part of alpha?"""
        return any(body.condition != "neumann" for body in self.bodies)

    def destroy(self) -> None:
        while self._fields:
            lib.hymg_field_destroy(self._fields.pop())

    def make(self, s: Any, desc: Any) -> Any:
        """Collective. A description with fields of its own in place of alpha and beta of desc; without a mask and bodies
        desc itself.
        """
        self.desc = desc
        if not self:
            return desc
        try:
            covered = ffi.new("hymg_operator_desc *", desc[0])
            with s._together():
                covered.alpha = self._copy(s, lib.HYMG_CELL, desc.alpha, desc.alpha_constant) if desc.a else ffi.NULL
                for h in range(3):
                    covered.beta[h] = self._copy(s, lib.HYMG_FACE_X + h, desc.beta[h], desc.beta_constant)
            if self.active is not None:
                self._mask(s, covered)
            for body, name in zip(self.bodies, self._names):
                self._cut(s, covered, body, name)
        except BaseException:
            self.destroy()
            raise
        self.desc = covered
        return covered

    def add_to(self, s: Any, f: Any) -> None:
        """The right-hand side with the mask and the bodies, in place in a field."""
        for weight, source in self._rhs:
            s._check(lib.hymg_body_rhs(weight, source, f))

    def _new(self, s: Any, centering: int) -> Any:
        pointer = ffi.new("hymg_field **")
        s._check(lib.hymg_field_create_in(s._grid, lib.HYMG_HOST, centering, lib.HYMG_DOUBLE, pointer))
        self._fields.append(pointer)
        return pointer[0]

    def _copy(self, s: Any, centering: int, field: Any, constant: float) -> Any:
        copy = self._new(s, centering)
        s._check(lib.hymg_field_copy(field, copy) if field else lib.hymg_field_fill(copy, constant))
        return copy

    def _array(self, s: Any, centering: int, value: Any, shape: tuple[int, ...], name: str) -> Any:
        field = self._new(s, centering)
        view = s._view(broadcast(on_host(value, name), shape, name), name, shape=shape)
        s._copy_in(field, view, centering=centering)
        return field

    def _mask(self, s: Any, desc: Any) -> None:
        with s._together():
            given = np.asarray(self.active)
            if given.shape != s.local_shape:
                raise ValueError(f"active: shape {given.shape}, but {s.local_shape} is wanted")
            active = self._array(s, lib.HYMG_CELL, given, s.local_shape, "active")
            weight = self._new(s, lib.HYMG_CELL)
        s._check(lib.hymg_mask_coefficients(active, desc.alpha, desc.beta, weight))
        self._rhs.append((weight, ffi.NULL))

    def _cut(self, s: Any, desc: Any, body: Body, name: str) -> None:
        with s._together():
            cut = ffi.new("hymg_body *", lib.hymg_body_default())
            cut.condition = enum_value("hymg_boundary", body.condition)
            self._describe_fractions(s, cut, body, name)
            for member, value in body.numbers().items():
                if is_number(value):
                    setattr(cut, member + "_constant", number(value, f"{name}.{member}"))
                else:
                    setattr(cut, member, self._array(s, lib.HYMG_CELL, value, s.local_shape, f"{name}.{member}"))
            weight, source = (self._new(s, lib.HYMG_CELL) for _ in range(2))
        s._check(lib.hymg_body_coefficients(cut, desc.a, desc.b, desc.alpha, desc.beta, weight, source))
        self._rhs.append((weight, source))

    def _describe_fractions(self, s: Any, cut: Any, body: Body, name: str) -> None:
        if body.distance is None:
            areas = s._per_axis(body.area, f"{name}.area")
            cut.volume = self._array(s, lib.HYMG_CELL, body.volume, s.local_shape, f"{name}.volume")
            for h in range(3):  # axes that the arrays lack: as if all were open there
                cut.area[h] = self._copy(s, lib.HYMG_FACE_X + h, ffi.NULL, 1.0)
            for axis, h in enumerate(s._axes):
                area = self._array(s, lib.HYMG_FACE_X + h, areas[axis], s._faces(axis), f"{name}.area[{axis}]")
                cut.area[h] = area
            return
        shape = tuple(n + 1 for n in s.local_shape)
        distance = body.distance
        if distance.shape != shape:
            raise ValueError(
                f"{name}: distances of shape {distance.shape}, but {shape} is wanted: at the vertices of cells, one more "
                "along every axis than there are cells"
            )
        view = s._view(distance, name, shape=shape)
        count, stride = s._layout(view)
        for h in range(len(s._axes), 3):
            count[h] = 2  # the same distance on both sides
        cut.volume = self._new(s, lib.HYMG_CELL)
        for h in range(3):
            cut.area[h] = self._new(s, lib.HYMG_FACE_X + h)
        # an axis of two vertices with stride 0
        s._check(lib.hymg_body_fractions(s._low, count, stride, view.pointer, cut.volume, cut.area))


def on_host(value: Any, name: str) -> Any:
    if _arrays.on_device(value):
        raise TypeError(f"{name}: {describe(value)} in a GPU's memory; masks and bodies are arrays in the host's")
    return as_double(value, name)


def destroy_covers(covers: list[Cover]) -> None:
    for cover in covers:
        cover.destroy()
