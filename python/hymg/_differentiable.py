"""What the differentiable solves of hymg.torch and hymg.jax share: coefficients by key, and the solver that has them."""

import threading
from collections.abc import Callable
from typing import Any, Optional

import numpy as np

from ._adjoint import System, check_held, check_symmetric, check_wanted, module_of, solve_homogeneous
from ._derivatives import WALLS, Key
from ._hymg import ffi
from ._values import pair


class Link:
    """The coefficients that a solver has from differentiable solves, by key, as copies."""

    def __init__(self, s: Any) -> None:
        self.s, self.lock = s, threading.RLock()
        self._last: dict[Key, Any] = {}
        self._own = self._seen = 0  # updates of ours, and the others when _last was filled
        self.is_open = False  # beta is ours, and above 0 on all faces

    def others(self) -> int:
        """How many updates the solver has had from elsewhere."""
        return int(self.s._updates) - self._own

    def set(self, given: dict[Key, Any]) -> int:
        """Updates the solver with what differs from its last values, and with nothing else. Returns how many updates of
        ours it has had.
        """
        if self._seen != self.others():
            self._last.clear()
            self.is_open = False
            self._seen = self.others()
        changed = {key[0] for key, value in given.items() if key not in self._last or differ(self._last[key], value)}
        if not changed:
            return self._own
        self.s.update(**{name: arguments(self.s, name, given) for name in changed})
        self._own += 1
        for key, value in given.items():
            if key[0] in changed:
                self._last[key] = value.clone() if hasattr(value, "clone") else value.copy()
        if "beta" in changed:
            self.is_open = all(bool((value > 0).all()) for key, value in given.items() if key[0] == "beta")
        return self._own

    def has(self, updates: int) -> bool:
        """Has the solver what it had after so many updates of ours?"""
        return self._own == updates and self._seen == self.others()


def differ(old: Any, new: Any) -> bool:
    if type(old) is not type(new) or getattr(old, "device", None) != getattr(new, "device", None):
        return True
    module = module_of(new)
    if bool(getattr(module, "array_equal", module.equal)(old, new)):
        return False
    return not bool(((old == new) | ((old != old) & (new != new))).all())  # NaN is NaN, as in fixed


def arguments(s: Any, name: str, given: dict[Key, Any]) -> Any:
    """The coefficients of one name as Solver.update takes them."""
    axes = range(len(s.shape))
    if name == "beta":
        return tuple(given[name, axis] for axis in axes)
    if name in WALLS:
        return tuple(tuple(given.get((name, axis, side)) for side in (0, 1)) for axis in axes)
    return given[(name,)]


def link_of(s: Any) -> Link:
    if s._link is None:
        s._link = Link(s)
    link: Link = s._link
    return link


class Plan:
    """A solve: of which solver, with coefficients for which keys."""

    def __init__(self, s: Any, keys: tuple[Key, ...], differentiated: tuple[Key, ...], once: bool = False) -> None:
        """differentiated: keys by which derivatives will be wanted, as far as that is known. Raises what they refuse.
        once: all runs will have the same coefficients.
        """
        self.s, self.keys, self.link, self.once = s, keys, link_of(s), once
        self._updates = -1  # of the link, after the last run
        self._others = self.link.others()
        if differentiated:
            self.check(differentiated)

    def check(self, keys: tuple[Key, ...]) -> None:
        check_symmetric(self.s)
        check_wanted(self.s, sorted({key[0] for key in keys}))

    def run(self, right: Any, coefficients: Any, adjoint_of: Optional[list[Key]] = None) -> Any:
        """u for f; or, with the keys by which derivatives are wanted, the adjoint solution: with homogeneous conditions,
        for a right-hand side that mask and bodies leave alone.
        """
        with self.link.lock:
            self._check_unchanged()
            if not (self.once and self.link.has(self._updates)):  # to compare arrays takes as long as an iteration
                self._updates = self.link.set(dict(zip(self.keys, coefficients)))
            if adjoint_of is None:
                return self.s.solve(right)
            with self.s._in_use():
                adjoint = solve_homogeneous(self.s, right)
            check_held(self.s, [key[0] for key in adjoint_of])
            return adjoint

    def _check_unchanged(self) -> None:
        if self.link.others() != self._others:
            raise RuntimeError(
                "the solver was updated between a solve and its gradient; what changes belongs into the arguments of solve"
            )

    def system(self, array: Any, xp: Any = None, writes: bool = False) -> System:
        return System(self.s, array, xp, writes)

    def derivatives(
        self, system: System, homogeneous: bool, keys: list[Key], u: Any, adjoint: Any, du: Any, coefficients: Any
    ) -> dict[Key, Any]:
        """By these keys; those by which the solution does not change are left out."""
        with self.link.lock:
            self._check_unchanged()
            given = dict(zip(self.keys, coefficients))
            is_open = self.once and self.link.has(self._updates) and self.link.is_open
            of = system.derivatives(given, homogeneous, is_open).of
            if homogeneous:
                keys = [key for key in keys if key[0] not in ("boundary_values", "fixed")]
                return {key: derivative_of_homogeneous(system, of, key, u, adjoint, du) for key in keys}
            return {key: system.weighted(key, of(key, u, adjoint, du)) for key in keys}


def derivative_of_homogeneous(system: System, of: Callable[..., Any], key: Key, u: Any, adjoint: Any, du: Any) -> Any:
    """The right-hand side of a homogeneous solve has no weights."""
    derivative = of(key, u, adjoint, du)
    return derivative if key[0] == "f" else system.weighted(key, derivative)


def by_key(s: Any, given: dict[str, Any], convert: Callable[[Any, tuple[int, ...]], Any]) -> dict[Key, Any]:
    """Arguments of a differentiable solve as arrays by key. convert: to an array of float64 with a shape, or ValueError."""
    found: dict[Key, Any] = {}
    for name, value in given.items():
        if value is None:
            continue
        if name == "beta":
            for axis, one in enumerate(s._per_axis_beta(value)):
                found[name, axis] = converted(convert, one, s._faces(axis), f"beta[{axis}]")
        elif name in WALLS:
            for axis, both in enumerate(s._per_axis(value, name)):
                for side, one in enumerate((None, None) if both is None else pair(both, f"{name}[{axis}]")):
                    if one is not None:
                        what = f"{name}[{axis}][{side}]"
                        found[name, axis, side] = converted(convert, one, s._shape_with(axis, 1), what)
        else:
            found[(name,)] = converted(convert, value, s.local_shape, name)
    for key in found:
        _check_made(s, key)
    return found


def converted(convert: Callable[[Any, tuple[int, ...]], Any], value: Any, shape: tuple[int, ...], name: str) -> Any:
    given = tuple(getattr(value, "shape", np.shape(value)))
    try:
        fits = np.broadcast_shapes(given, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(f"{name}: shape {given} does not broadcast to {shape}")
    return convert(value, shape)


def _check_made(s: Any, key: Key) -> None:
    """What a solver has as a number, or does not have, cannot become an array."""
    name, desc = key[0], s._desc
    where = "".join(f"[{index}]" for index in key[1:])
    if name in WALLS:
        face = 2 * s._axes[key[1]] + key[2]
        made = (desc.boundary_data if name == "boundary_values" else getattr(desc, name))[face] != ffi.NULL
    else:
        made = (desc.beta[0] if name == "beta" else getattr(desc, name)) != ffi.NULL
    if not made:
        raise ValueError(
            f"{name}{where}: the Solver has none or a number there; make it with an array, which solve replaces"
        )


def wanted(keys: tuple[Key, ...], flags: Any) -> list[Key]:
    return [key for key, flag in zip(keys, flags) if flag]
