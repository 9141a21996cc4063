"""Derivatives of J(u) = sum(w u + v u^2 / 2) by differences of solves, entry by entry: the reference of the gradients."""

import numpy as np

import hymg

RTOL = 1e-13
STEP = 1e-4  # errors of order STEP^2, and of RTOL / STEP: 2e-8 of an array's largest entry


def goal(rng, shape):
    """J and dJ/du."""
    w, v = rng.standard_normal(shape), rng.random(shape)
    return lambda u: float((w * u + v * u**2 / 2).sum()), lambda u: w + v * u


def by_entry(arguments, f, value, name, place, index, solver):
    """dJ by one entry of an argument; place: where in tuples its array is; solver: one of these arguments."""

    def at(shift):
        if name == "f":
            return value(solver.solve(moved(f, place, index, shift)))
        changed = {**arguments, "f": f}
        changed[name] = moved(changed[name], place, index, shift)
        g = changed.pop("f")
        with hymg.Solver(rtol=RTOL, **changed) as s:
            return value(s.solve(g))

    return (at(STEP) - at(-STEP)) / (2 * STEP)


def moved(argument, place, index, shift):
    """A copy of nested tuples of arrays with one entry moved."""
    if place:
        return tuple(moved(a, place[1:], index, shift) if i == place[0] else a for i, a in enumerate(argument))
    array = np.array(argument, dtype=float)
    array[index] += shift
    return array


def leaves(value, place=()):
    """(place, array) of nested tuples, without None."""
    if isinstance(value, tuple):
        return [leaf for i, part in enumerate(value) for leaf in leaves(part, (*place, i))]
    return [] if value is None else [(place, value)]


def walls(rng, boundary, shape, low=0.5, high=1.5, kinds=("dirichlet", "neumann", "robin")):
    """Per axis a pair of random arrays on its walls; None where these are of other kinds."""

    def wall(axis, kind):
        size = [1 if i == axis else n for i, n in enumerate(shape)]
        return low + (high - low) * rng.random(size) if kind in kinds else None

    return tuple(tuple(wall(axis, kind) for kind in pair) for axis, pair in enumerate(boundary))


def faces(rng, shape, low=0.5, high=2.0):
    return tuple(
        low + (high - low) * rng.random([n + (i == axis) for i, n in enumerate(shape)]) for axis in range(len(shape))
    )
