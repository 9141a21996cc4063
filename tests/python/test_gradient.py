"""Solver.gradient against differences of solves, entry by entry, to 1e-6 of each array's largest entry: every kind of
boundary, lines, planes and boxes, cell widths, masks, bodies, fixed cells, pieces and singular systems."""

import numpy as np
import pytest
from differences import RTOL, by_entry, faces, goal, leaves, walls

import hymg

KINDS = {
    "dirichlet": ("dirichlet", "dirichlet"),
    "neumann": ("neumann", "neumann"),
    "robin": ("robin", "robin"),
    "periodic": ("periodic", "periodic"),
    "mixed": ("neumann", "dirichlet"),
    "other": ("robin", "neumann"),
}


def arguments(rng, shape, kinds, **more):
    boundary = tuple(KINDS[kind] for kind in kinds)
    given = {
        "shape": shape,
        "spacing": tuple(0.3 + 0.1 * i for i in range(len(shape))),
        "boundary": boundary,
        "extrapolation": "linear",
        "alpha": 0.5 + rng.random(shape),
        "beta": faces(rng, shape),
        "b": 0.7,
        "a": 1.3,
        "boundary_values": walls(rng, boundary, shape, -1, 1),
    }
    if any("robin" in kind for kind in boundary):
        for name in ("robin_alpha", "robin_beta"):
            given[name] = walls(rng, boundary, shape, kinds=("robin",))
    given |= more
    return {name: value for name, value in given.items() if value is not None}


def names_of(given):
    """All that has a derivative there."""
    return ["f", *(n for n in ("alpha", "beta", "boundary_values", "robin_alpha", "robin_beta", "fixed") if n in given)]


def check(rng, given, names=None, f=None, skip=lambda name, place, index: False):
    """Every third entry of every array, but all of the smallest ones."""
    names = names or names_of(given)
    f = rng.standard_normal(given["shape"]) if f is None else f
    value, slope = goal(rng, given["shape"])
    with hymg.Solver(rtol=RTOL, **given) as s:
        u = s.solve(f)
        found = s.gradient(u, slope(u), names)
        assert list(found) == list(names)
        for name in names:
            largest = max((np.abs(array).max() for _, array in leaves(found[name])), default=0)
            for place, array in leaves(found[name]):
                assert np.isfinite(array).all()
                for number, index in enumerate(np.ndindex(*array.shape)):
                    if (number % 3 and array.size > 12) or skip(name, place, index):
                        continue
                    wanted = by_entry(given, f, value, name, place, index, s)
                    assert abs(array[index] - wanted) <= 1e-6 * largest, (name, place, index, array[index], wanted)
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_line(kind, rng):
    check(rng, arguments(rng, (7,), (kind,)))


@pytest.mark.parametrize("kinds", (("dirichlet", "robin"), ("mixed", "periodic"), ("other", "mixed")))
def test_plane(kinds, rng):
    check(rng, arguments(rng, (5, 4), kinds))


@pytest.mark.parametrize("kinds", (("dirichlet", "robin"), ("mixed", "periodic"), ("neumann", "neumann")))
def test_robust_path(kinds, rng):
    given = arguments(rng, (5, 4), kinds, path="robust")
    with hymg.Solver(**given) as s:
        s.solve(rng.standard_normal((5, 4)))
        assert s.result.path == "robust"
    check(rng, given)


@pytest.mark.parametrize("order", "CF")
def test_box(order, rng):
    check(rng, arguments(rng, (3, 2, 4), ("dirichlet", "other", "mixed"), order=order))


def test_box_on_the_standard_path(rng):
    given = arguments(rng, (4, 4, 4), ("dirichlet", "mixed", "periodic"), spacing=0.25, path="standard", alpha=None)
    check(rng, given | {"a": 0.0})


def test_vertex_walls(rng):
    check(rng, arguments(rng, (5, 4), ("dirichlet", "other"), extrapolation="vertex"))


@pytest.mark.parametrize("kinds", (("dirichlet", "robin"), ("periodic", "other")))
def test_widths(kinds, rng):
    widths = ([0.1, 0.3, 0.2, 0.25, 0.4], [0.5, 0.2, 0.3, 0.35])
    check(rng, arguments(rng, (5, 4), kinds, widths=widths, extrapolation="default"))


def test_widths_of_one_axis_of_a_box(rng):
    given = arguments(rng, (3, 4, 2), ("mixed", "dirichlet", "other"), widths=(None, [0.1, 0.3, 0.2, 0.25], None))
    check(rng, given)


def test_fixed_cells(rng):
    fixed = np.full((5, 4), np.nan)
    fixed[0, 1], fixed[2, 2], fixed[2, 3], fixed[4, 0] = 1.5, -0.5, 0.25, 2.0
    found = check(rng, arguments(rng, (5, 4), ("mixed", "periodic"), fixed=fixed, alpha=None, a=0.0))
    assert (found["fixed"][np.isnan(fixed)] == 0).all() and (found["f"][~np.isnan(fixed)] == 0).all()


def test_mask(rng):
    active = np.ones((5, 4), dtype=bool)
    active[1, 1] = active[1, 2] = active[4, 3] = active[0, 0] = False
    found = check(rng, arguments(rng, (5, 4), ("other", "dirichlet"), active=active))
    assert (found["f"][~active] == 0).all() and (found["alpha"][~active] == 0).all()
    assert (found["beta"][0][1:3, 1:3] == 0).all() and found["boundary_values"][0][1][0, 3] == 0


def test_mask_without_data_needs_the_linear_extrapolation_named(rng):
    with hymg.Solver((4, 4), active=np.eye(4) == 0) as s, pytest.raises(hymg.Unsupported, match="linear"):
        s.gradient(np.zeros((4, 4)), np.ones((4, 4)))


@pytest.mark.parametrize("condition", ("neumann", "robin", "dirichlet"))
def test_body(condition, rng):
    x, y = np.meshgrid(np.arange(7.0), np.arange(6.0), indexing="ij")
    hole = hymg.Body(np.hypot(x - 3.2, y - 2.4) - 1.3, condition=condition, value=0.7)
    given = arguments(rng, (6, 5), ("dirichlet", "other"), body=hole, spacing=0.5)
    names = names_of(given)
    if condition != "neumann":
        names.remove("beta")
        with hymg.Solver(**given) as s, pytest.raises(hymg.Unsupported, match="by beta"):
            s.gradient(np.zeros((6, 5)), np.ones((6, 5)), "beta")
    check(rng, given, names)


@pytest.mark.parametrize("kinds", (("neumann", "neumann"), ("periodic", "neumann"), ("periodic", "periodic")))
def test_singular(kinds, rng):
    widths = ([0.1, 0.3, 0.2, 0.25, 0.4], [0.5, 0.2, 0.3, 0.35]) if "periodic" not in kinds else None
    found = check(rng, arguments(rng, (5, 4), kinds, alpha=None, a=0.0, widths=widths))
    assert abs(found["f"].sum()) < 1e-10 * np.abs(found["f"]).max()


def test_singular_has_none_by_what_would_hold_it(rng):
    with hymg.Solver((4, 4), boundary="neumann", alpha=np.zeros((4, 4))) as s:
        u = s.solve(rng.standard_normal((4, 4)))
        with pytest.raises(hymg.Unsupported, match="by alpha"):
            s.gradient(u, np.ones((4, 4)) + u, "alpha")
        assert s.gradient(u, u, "f")["f"].shape == (4, 4)
    zero = ((0.0, 0.0),) * 2
    with hymg.Solver((4, 4), boundary="robin", robin_alpha=zero, extrapolation="linear") as s:
        u = s.solve(rng.standard_normal((4, 4)))
        with pytest.raises(hymg.Unsupported, match="by robin_alpha"):
            s.gradient(u, u, "robin_alpha")


def test_singular_with_the_mean_as_an_error(rng):
    with hymg.Solver((4, 3), boundary="neumann", rhs_mean="error", rtol=RTOL) as s:
        f = rng.standard_normal((4, 3))
        u = s.solve(f - f.mean())
        du = 1 + rng.random((4, 3))
        found = s.gradient(u, du)["f"]
    with hymg.Solver((4, 3), boundary="neumann", rtol=RTOL) as s:
        assert np.allclose(found, s.gradient(u, du)["f"], rtol=0, atol=1e-12)


def test_pieces_some_of_them_singular(rng):
    given = arguments(rng, (6, 4), ("mixed", "neumann"), alpha=None, a=0.0)
    given["beta"][0][3] = 0  # what is above the cut is held, what is below is not
    closed = check(rng, given, skip=lambda name, place, index: name == "beta" and given["beta"][place[0]][index] == 0)
    assert (closed["beta"][0][3] == 0).all() and (closed["beta"][0][2] != 0).all()


def test_numbers_give_derivatives_by_entry(rng):
    """A coefficient that is one number: the sum of the entries is its derivative."""
    arrays = {"alpha": np.full((4, 5), 1.5), "beta": (np.full((5, 5), 0.8), np.full((4, 6), 0.8))}
    common = {"shape": (4, 5), "spacing": 0.5, "boundary": "robin", "extrapolation": "linear", "rtol": RTOL}
    f, du, found = rng.standard_normal((4, 5)), rng.standard_normal((4, 5)), []
    for coefficients in ({"alpha": 1.5, "beta": 0.8}, arrays):
        with hymg.Solver(**common, **coefficients) as s:
            found.append(s.gradient(s.solve(f), du, ["alpha", "beta", "robin_alpha"]))
    for name in found[0]:
        for (_, one), (_, other) in zip(leaves(found[0][name]), leaves(found[1][name])):
            assert np.allclose(one, other, rtol=1e-9, atol=1e-12)


def test_large_data_cost_no_digits(rng):
    """The adjoint solve is without the data, however much larger they are than dJ/du, and the reverse."""
    common = {"shape": (8, 8), "spacing": 1 / 8, "extrapolation": "linear", "rtol": RTOL}
    du = rng.standard_normal((8, 8))
    with hymg.Solver(**common) as s:
        wanted = s.gradient(np.zeros((8, 8)), du)["f"]
    with hymg.Solver(boundary_values=((1e6, -1e6), (3.0, None)), **common) as s:
        for size in (1e-9, 1.0, 1e12):
            found = s.gradient(np.zeros((8, 8)), size * du)["f"]
            assert np.abs(found - size * wanted).max() <= 1e-11 * size * np.abs(wanted).max()
        assert (s.gradient(np.zeros((8, 8)), 0 * du)["f"] == 0).all()


@pytest.mark.parametrize("what", ({"initial_guess": True}, {"method": "mgpcg"}, {"precision": "mixed"}))
def test_options_of_the_solver_hold_for_the_adjoint(what, rng):
    common = {"shape": (48, 40), "spacing": 1 / 40, "extrapolation": "linear", "boundary_values": ((1.0, 2.0), None)}
    f, du = rng.standard_normal((48, 40)), rng.standard_normal((48, 40))
    with hymg.Solver(rtol=1e-11, **common) as s, hymg.Solver(rtol=1e-11, **common, **what) as other:
        u = s.solve(f)
        wanted, found = (x.gradient(u, du, ["f", "beta"]) for x in (s, other))
    assert np.abs(found["f"] - wanted["f"]).max() <= 1e-8 * np.abs(wanted["f"]).max()
    assert np.abs(found["beta"][0] - wanted["beta"][0]).max() <= 1e-8 * np.abs(wanted["beta"][0]).max()


def test_solver_is_as_before(rng):
    given = arguments(rng, (6, 5), ("mixed", "other"))
    f = rng.standard_normal((6, 5))
    with hymg.Solver(**given) as s:
        u = s.solve(f)
        kept = u.copy()
        s.gradient(u, np.ones((6, 5)), ["f", "beta"])
        assert np.array_equal(u, kept) and np.array_equal(s.solve(f), kept)


def test_float32_with_mixed_precision_inside(rng):
    """u is rounded to float32; the derivatives are those of float64 to the roundings of u."""
    shape, found = (40, 36, 32), []  # mixed precision is for more than 32^3 cells
    beta = [np.float32(0.5 + rng.random([n + (axis == m) for m, n in enumerate(shape)])) for axis in range(3)]
    f, du = np.float32(rng.standard_normal((2, *shape)))
    for precision, kind in (("double", np.float64), ("mixed", np.float32)):
        with hymg.Solver(
            shape, spacing=1 / 40, beta=beta, extrapolation="linear", rtol=1e-12, precision=precision
        ) as s:
            u = s.solve(f.astype(kind))
            assert u.dtype == kind and s.result.precision == precision
            found.append(s.gradient(u, du.astype(kind), ["f", "beta"]))
    for x, y in zip((found[1]["f"], *found[1]["beta"]), (found[0]["f"], *found[0]["beta"])):
        assert np.abs(x - y).max() < 1e-6 * np.abs(y).max()


def test_strides_and_numbers_of_other_types(rng):
    with hymg.Solver((6, 5), extrapolation="linear") as s:
        u = s.solve(rng.standard_normal((6, 5)))
        du = np.zeros((5, 12), dtype=np.float32).T[::2]
        du[:] = rng.standard_normal((6, 5))
        found = s.gradient(u, du)["f"]
        assert found.dtype == np.float64
        assert np.array_equal(found, s.gradient(u.tolist(), np.array(du, dtype=float).tolist())["f"])


@pytest.mark.parametrize(
    "made, says",
    (
        ({}, 'extrapolation="linear"'),
        ({"boundary": ("periodic", "neumann", "robin")}, 'extrapolation="linear"'),
        ({"stencil": "fv4", "boundary": "periodic"}, "fv4"),
        ({"method": "fmg", "extrapolation": "linear"}, "fmg"),
    ),
)
def test_refused_with_the_way_out(made, says):
    with hymg.Solver((8, 8, 8), **made) as s, pytest.raises(hymg.Unsupported, match=says):
        s.gradient(np.zeros((8, 8, 8)), np.ones((8, 8, 8)))


def test_wrong_arguments():
    with hymg.Solver((4, 4), extrapolation="linear") as s:
        zero = np.zeros((4, 4))
        for du, wanted, says in (
            (zero, "gamma", "'gamma'"),
            (zero, "fixed", "without fixed"),
            (zero[1:], "f", "du: shape"),
        ):
            with pytest.raises(ValueError, match=says):
                s.gradient(zero, du, wanted)


def test_no_convergence_warns(rng):
    with hymg.Solver((32, 32), extrapolation="linear", max_cycles=1, rtol=1e-14) as s:
        with pytest.warns(hymg.ConvergenceWarning):
            s.gradient(np.zeros((32, 32)), rng.standard_normal((32, 32)))
