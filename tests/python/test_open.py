"""Open boundaries in Python: the potential of charges in free space in any order of axes, what each solve has of its own,
and what is refused."""

import pickle

import numpy as np
import pytest

import hymg

SPACING = (0.1, 0.125, 0.08)


def charges(shape, places):
    f = np.zeros(shape)
    for cell, charge in places:
        f[cell] = charge / np.prod(SPACING)
    return f


def potential(shape, places):
    """Of charges in the middle of cells, away from them."""
    at = np.meshgrid(*[np.arange(n) * h for n, h in zip(shape, SPACING)], indexing="ij")
    u = np.zeros(shape)
    with np.errstate(divide="ignore"):
        for cell, charge in places:
            r = np.sqrt(sum((x - i * h) ** 2 for x, i, h in zip(at, cell, SPACING)))
            u += charge / (4 * np.pi * r)
    return u


def ball(shape, centre, size):
    """(1 - (r / size)^2)^2 in a ball of a cube of side 1, and its potential."""
    at = np.meshgrid(*[(np.arange(n) + 0.5) / n for n in shape], indexing="ij")
    x = np.sqrt(sum((a - c) ** 2 for a, c in zip(at, centre))) / size
    inside = 8 / 105 + (1 - x**2) / 6 - (1 - x**4) / 10 + (1 - x**6) / 42
    return np.maximum(1 - x**2, 0) ** 2, size**2 * np.where(x < 1, inside, 8 / 105 / x)


@pytest.mark.parametrize("order", ("C", "F"))
def test_balls_next_to_a_side_have_the_potential_of_free_space(order):
    shape = (32, 40, 24)
    balls = ball(shape, (0.24, 0.3, 0.28), 0.23), ball(shape, (0.7, 0.52, 0.84), 0.15)
    f, exact = balls[0][0] - 1.5 * balls[1][0], balls[0][1] - 1.5 * balls[1][1]
    error = {}
    for kind in ("open", "open-james"):
        with hymg.Solver(shape, spacing=[1 / n for n in shape], boundary=kind, order=order) as s:
            error[kind] = np.abs(s.solve(f) - exact).max() / np.abs(exact).max()
    assert error["open-james"] < min(0.03, 0.2 * error["open"])


@pytest.mark.parametrize("order", ("C", "F"))
def test_charges_have_the_potential_of_free_space(order):
    shape, places = (20, 16, 24), [((9, 7, 11), 1.0), ((11, 8, 13), -0.4)]
    with hymg.Solver(shape, spacing=SPACING, boundary="open", order=order, rtol=1e-12) as s:
        u = s.solve(charges(shape, places))
    exact = potential(shape, places)
    wall = np.ones(shape, dtype=bool)
    wall[1:-1, 1:-1, 1:-1] = False
    assert np.abs(u - exact)[wall].max() < 0.01 * exact[wall].max()


def test_beta_and_b_divide_and_the_outflow_is_the_charge():
    shape, f = (12, 12, 12), charges((12, 12, 12), [((5, 6, 7), 2.0)])
    plain = hymg.Solver(shape, spacing=SPACING, boundary="open", rtol=1e-12)
    u = plain.solve(f)
    out = sum(
        (np.take(q, -1, axis) - np.take(q, 0, axis)).sum() * np.prod(SPACING) / SPACING[axis]
        for axis, q in enumerate(plain.fluxes(u))
    )
    assert abs(out - 2.0) < 1e-9
    scaled = hymg.Solver(shape, spacing=SPACING, boundary="open", beta=4.0, b=0.5, rtol=1e-12).solve(f)
    assert np.abs(2 * scaled - u).max() < 1e-10 * u.max()


def test_residual_takes_the_values_of_its_own_f(rng):
    f, g = rng.standard_normal((2, 8, 8, 8))
    s = hymg.Solver(f.shape, spacing=SPACING, boundary="open", rtol=1e-12)
    u = s.solve(f)
    v = s.solve(g)
    assert np.abs(s.residual(f, u)).max() < 1e-10 * np.abs(f).max()
    assert np.abs(s.residual(g, v)).max() < 1e-10 * np.abs(g).max()
    assert np.array_equal(s.solve(f), u)
    assert np.array_equal(pickle.loads(pickle.dumps(s)).solve(f), u)


@pytest.mark.parametrize(
    "shape, arguments, kind, text",
    (
        ((8, 8), {"boundary": "open"}, hymg.Unsupported, 'boundary="open" with a shape of 2: open boundaries are for'),
        ((8, 8), {"boundary": "open-james"}, hymg.Unsupported, 'boundary="open-james" with a shape of 2'),
        (8, {"boundary": "open"}, hymg.Unsupported, 'boundary="open" with a shape of 1'),
        ((8, 8, 1), {"boundary": "open"}, hymg.Unsupported, "1 cell along axis 2 with open boundaries"),
        ((8, 8, 8), {"boundary": ("open", "open", "neumann")}, hymg.Unsupported, "all six faces or none"),
        ((8, 8, 8), {"boundary": "open", "alpha": 1.0}, hymg.Unsupported, "a = 1 and alpha with open boundaries"),
        ((8, 8, 8), {"boundary": "open", "beta": (1.0, 2.0, 1.0)}, hymg.Unsupported, "fields of beta with open"),
        ((8, 8, 8), {"boundary": "open", "active": np.ones((8, 8, 8))}, hymg.Unsupported, "fields of beta with open"),
        ((8, 8, 8), {"boundary": "open", "stencil": "fv4"}, hymg.Unsupported, "open on the .* face of axis .* with FV4: with FV2 only"),
        (
            (8, 8, 8),
            {"boundary": "open", "boundary_values": ((1.0, None), None, None)},
            hymg.InvalidArgument,
            "boundary data on the low face of axis 0, which is open",
        ),
    ),
)
def test_what_is_not_free_space_is_refused(shape, arguments, kind, text):
    with pytest.raises(kind, match=text):
        hymg.Solver(shape, **arguments)


@pytest.mark.parametrize("kind", ("open", "open-james"))
def test_there_is_no_gradient(kind):
    f = np.ones((8, 8, 8))
    s = hymg.Solver(f.shape, boundary=kind, extrapolation="linear")
    u = s.solve(f)
    with pytest.raises(hymg.Unsupported, match='gradient: with boundary="open"'):
        s.gradient(u, u)
