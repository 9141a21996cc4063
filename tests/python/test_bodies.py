"""Masks and bodies in Python: against dense systems written from the fractions here, in any order of axes and on planes and
lines, updates, descriptions, and what is refused."""

import gc
import pickle
import weakref

import numpy as np
import pytest

import dense
import hymg

SHAPE, SPACING = (5, 6, 4), (0.25, 0.2, 0.3)


def masked(active, alpha, beta):
    """Coefficients without what is not active."""
    beta = [np.array(b, dtype=float) for b in beta]
    for axis, b in enumerate(beta):
        closed = ~active
        wide = np.pad(closed, [(int(d == axis),) * 2 for d in range(active.ndim)], constant_values=False)
        b[np.logical_or(np.delete(wide, -1, axis), np.delete(wide, 0, axis))] = 0
    return np.where(active, alpha, 0.0), beta


def system_of(shape, spacing, alpha, beta):
    walls = ("dirichlet",) * len(shape)
    return dense.system(shape, spacing, boundary=walls, quadratic=False, alpha=alpha, beta=beta)


def assert_solves(u, matrix, f, rtol=1e-7):
    """Cells with a row of 0 do not count."""
    rows = np.abs(matrix).sum(axis=1) > 0
    expected = np.linalg.solve(matrix[np.ix_(rows, rows)], f.ravel()[rows])
    assert np.abs(u.ravel()[rows] - expected).max() <= rtol * np.abs(expected).max()


def coefficients(rng, shape):
    alpha = rng.uniform(0.5, 1.5, shape)
    beta = [rng.uniform(0.5, 2, [n + (i == axis) for i, n in enumerate(shape)]) for axis in range(len(shape))]
    return alpha, beta


@pytest.mark.parametrize("order", ("C", "F"))
@pytest.mark.parametrize("shape", (SHAPE, (7, 5), (9,)))
def test_mask_solves_the_system_of_active_cells(rng, order, shape):
    active, f = rng.random(shape) < 0.7, rng.standard_normal(shape)
    alpha, beta = coefficients(rng, shape)
    spacing = SPACING[: len(shape)]
    given = np.where(active, f, np.nan)  # does not count elsewhere
    s = hymg.Solver(shape, spacing=spacing, alpha=alpha, beta=beta, active=active, order=order, rtol=1e-11)
    u = s.solve(given)
    left = masked(active, alpha, beta)
    matrix, _ = system_of(shape, spacing, *left)
    assert_solves(u, matrix, np.where(active, f, 0))
    assert np.isfinite(u).all()
    residual = s.residual(given, u)
    assert np.abs(residual[active]).max() < 1e-8 * np.abs(f).max()


def cut(distance, alpha, beta, value):
    """With a flux through the surface of a plane body, whose area follows from the fractions of faces."""
    volume, area = hymg.fractions(distance)
    spacing = SPACING[: distance.ndim]
    vector = [-np.diff(a, axis=axis) / spacing[axis] for axis, a in enumerate(area)]
    source = value * np.sqrt(sum(v**2 for v in vector))
    return volume, source, volume * alpha, [a * b for a, b in zip(area, beta)]


def plane(shape, normal, d):
    places = np.meshgrid(*[np.arange(n + 1) * h for n, h in zip(shape, SPACING)], indexing="ij")
    return sum(m * x for m, x in zip(normal, places)) - d


@pytest.mark.parametrize("order", ("C", "F"))
@pytest.mark.parametrize("shape", (SHAPE, (7, 5), (9,)))
def test_body_with_a_flux_solves_the_system_of_its_fractions(rng, order, shape):
    distance, f = plane(shape, rng.uniform(0.3, 1, 3), 0.6), rng.standard_normal(shape)
    alpha, beta = coefficients(rng, shape)
    spacing = SPACING[: len(shape)]
    options = {"spacing": spacing, "alpha": alpha, "beta": beta, "order": order, "rtol": 1e-11}
    weight, source, *left = cut(distance, alpha, beta, 0.8)
    matrix, _ = system_of(shape, spacing, *left)
    u = hymg.Solver(shape, body=hymg.Body(distance, value=0.8), **options).solve(f)
    assert_solves(u, matrix, weight * f + source)
    volume, area = hymg.fractions(distance)
    again = hymg.Solver(shape, body=hymg.Body(volume=volume, area=area, value=0.8), **options).solve(f)
    assert np.abs(u - again).max() <= 1e-12 * np.abs(u).max()


def exact_on_plane(shape, condition, **data):
    """u = 2 + 3 x (x along axis 1) right of a plane at x = 0.37, to rounding."""
    x = (np.arange(shape[1]) + 0.5) * SPACING[1]
    distance = plane(shape, (0, 1), 0.37)
    solver = hymg.Solver(
        shape,
        spacing=SPACING[:2],
        boundary=("neumann", "dirichlet"),
        boundary_values=(None, (0.0, 2 + 3 * shape[1] * SPACING[1])),
        body=hymg.Body(distance, condition=condition, **data),
        rtol=1e-12,
    )
    u = solver.solve(np.zeros(shape))
    unknown = x > 0.37 if condition == "dirichlet" else hymg.fractions(distance)[0][0] > 0
    assert np.abs((u - (2 + 3 * x))[:, unknown]).max() < 1e-8
    flux = solver.fluxes(u)[1]
    assert np.abs(flux[:, 3:] + 3).max() < 1e-7


def test_linear_solutions_are_exact_with_every_condition():
    exact_on_plane((4, 9), "neumann", value=-3.0)  # n points to lower x
    exact_on_plane((4, 9), "dirichlet", value=2 + 3 * 0.37)
    exact_on_plane((4, 9), "dirichlet", value=np.full((4, 9), 2 + 3 * 0.37))
    exact_on_plane((4, 9), "robin", robin_alpha=2.0, robin_beta=0.5, value=2 * (2 + 3 * 0.37) - 0.5 * 3)


def test_update_moves_body_and_mask_and_keeps_what_is_refused(rng):
    f, first, second = rng.standard_normal((8, 8)), plane((8, 8), (1, 0.2), 0.6), plane((8, 8), (0.3, 1), 0.9)
    active = np.ones((8, 8), dtype=bool)
    active[6, 6] = False
    options = {"spacing": SPACING[:2], "alpha": 1.0, "rtol": 1e-11}
    s = hymg.Solver((8, 8), body=first, active=active, **options)
    s.update(body=second)
    expected = hymg.Solver((8, 8), body=second, active=active, **options).solve(f)
    assert np.abs(s.solve(f) - expected).max() < 1e-9
    with pytest.raises(ValueError, match=r"body: distances of shape \(8, 8\), but \(9, 9\) is wanted"):
        s.update(body=np.ones((8, 8)))
    with pytest.raises(ValueError, match="whether there is a body cannot change"):
        s.update(body=None)
    assert np.abs(s.solve(f) - expected).max() < 1e-9
    s.update(alpha=3.0)
    expected = hymg.Solver((8, 8), body=second, active=active, **{**options, "alpha": 3.0}).solve(f)
    assert np.abs(s.solve(f) - expected).max() < 1e-9


def test_description_and_pickle_have_mask_and_bodies(rng):
    f, distance = rng.standard_normal((8, 8)), plane((8, 8), (1, 0.2), 0.6)
    s = hymg.Solver((8, 8), spacing=0.2, body=[hymg.Body(distance, condition="robin", value=1.5)], active=f > -2)
    arguments = s.description()
    assert arguments["alpha"] == 0 and arguments["a"] == 1 and arguments["beta"] == 1  # as without the body
    again = pickle.loads(pickle.dumps(s))
    assert np.array_equal(again.solve(f), s.solve(f))
    distance[:] = 1  # the solver has a copy
    s.update(b=1.0)
    assert np.array_equal(again.solve(f), s.solve(f))


def test_solver_with_a_body_is_freed():
    s = hymg.Solver((8, 8), spacing=0.1, body=np.ones((9, 9)))
    alive = weakref.ref(s)
    del s
    gc.collect()
    assert alive() is None


def test_body_everywhere_open_changes_nothing(rng):
    f = rng.standard_normal(SHAPE)
    plain = hymg.Solver(SHAPE, spacing=SPACING, beta=2.0).solve(f)
    assert (
        np.abs(
            hymg.Solver(SHAPE, spacing=SPACING, beta=2.0, body=np.ones([n + 1 for n in SHAPE])).solve(f) - plain
        ).max()
        < 1e-8
    )


@pytest.mark.parametrize(
    "arguments, kind, text",
    (
        ({"body": np.ones((8, 8))}, ValueError, r"body: distances of shape \(8, 8\), but \(9, 9\) is wanted"),
        ({"body": np.full((9, 9), np.nan)}, hymg.InvalidArgument, r"distance nan at vertex \(0, 0\): finite"),
        ({"body": hymg.Body(volume=1.5, area=(1.0, 1.0))}, hymg.InvalidArgument, r"1.5 of the volume of cell \(0, 0\)"),
        ({"body": hymg.Body(volume=1.0, area=(1.0,) * 3)}, ValueError, "body.area: 3 values"),
        ({"body": hymg.Body(volume=1.0, area=1.0)}, TypeError, "body.area: the number 1.0; a tuple"),
        ({"body": hymg.Body(np.ones((9, 9)), condition="free")}, ValueError, "boundary 'free'"),
        ({"body": hymg.Body(np.ones((9, 9)), condition="periodic")}, hymg.InvalidArgument, "body.condition 1"),
        ({"body": hymg.Body(np.ones((9, 9)), condition="open")}, hymg.InvalidArgument, "body.condition 4"),
        ({"body": "sphere"}, TypeError, "body: the text 'sphere'"),
        ({"active": np.ones((8, 9))}, ValueError, r"active: shape \(8, 9\), but \(8, 8\) is wanted"),
        ({"active": np.full((8, 8), np.nan)}, hymg.InvalidArgument, r"active is NaN at cell \(0, 0\)"),
        (
            {"body": hymg.Body(np.ones((9, 9)), condition="dirichlet"), "a": 0.0, "alpha": 1.0},
            hymg.InvalidArgument,
            "a = 0 with a dirichlet condition on the body",
        ),
    ),
)
def test_errors_name_value_and_limit(arguments, kind, text):
    with pytest.raises(kind, match=text):
        hymg.Solver((8, 8), spacing=0.1, **arguments)


def test_body_needs_distance_or_fractions():
    for arguments in ({}, {"distance": np.ones(3), "volume": np.ones(2)}, {"volume": np.ones(2)}):
        with pytest.raises(TypeError, match="either distance or volume and area"):
            hymg.Body(**arguments)


def test_fractions_of_a_line_a_plane_and_a_box():
    volume, (faces,) = hymg.fractions([-1.0, 3.0, 1.0, -1.0])
    assert np.allclose(volume, [0.75, 1, 0.5]) and np.array_equal(faces, [0, 1, 1, 0])
    volume, area = hymg.fractions(plane((3, 4), (0, 1), 0.5))
    assert np.allclose(volume, [[0, 0, 0.5, 1]] * 3) and np.allclose(area[0], [[0, 0, 0.5, 1]] * 4)
    assert np.allclose(area[1], [[0, 0, 0, 1, 1]] * 3)
    with pytest.raises(ValueError, match=r"distance: shape \(1, 3\)"):
        hymg.fractions(np.ones((1, 3)))
