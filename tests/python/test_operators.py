"""A and the cycle as scipy's linear operators."""

import dense
import numpy as np
import pytest

import hymg

linalg = pytest.importorskip("scipy.sparse.linalg")
SHAPE, SPACING = (7, 5, 6), (0.1, 0.15, 0.12)
BOUNDARIES = ["dirichlet", ("neumann", "dirichlet", "periodic")]


@pytest.fixture(params=BOUNDARIES, ids=str)
def rest(request, rng):
    return {"boundary": request.param, "alpha": rng.random(SHAPE), "beta": dense.random_beta(rng, SHAPE)}


def test_operator_is_the_dense_matrix_and_symmetric(rng, rest):
    x, y = rng.standard_normal((2, np.prod(SHAPE)))
    for order in "CF":
        a = hymg.Solver(SHAPE, spacing=SPACING, extrapolation="linear", order=order, **rest).as_linear_operator()
        matrix, _ = dense.system(SHAPE, SPACING, quadratic=False, **rest)
        assert a.shape == matrix.shape and a.dtype == np.float64
        ax, ay = a @ x, a @ y
        scale = np.abs(matrix).max() * np.abs(x).max()
        assert np.abs(ax - matrix @ x).max() <= 1e-13 * scale
        assert abs(y @ ax - x @ ay) <= 1e-14 * np.linalg.norm(x) * np.linalg.norm(ay)


def test_scipy_cg_with_the_operator(rng, rest):
    f = rng.standard_normal(np.prod(SHAPE))
    a = hymg.Solver(SHAPE, spacing=SPACING, extrapolation="linear", **rest).as_linear_operator()
    u, info = linalg.cg(a, f, maxiter=500, atol=1e-11 * np.linalg.norm(f))
    expected = dense.solve(SHAPE, SPACING, f.reshape(SHAPE), quadratic=False, **rest)
    assert info == 0 and dense.close(u.reshape(SHAPE), expected, 1e-4)


def test_apply_and_residual_in_place(rng, rest):
    s = hymg.Solver(SHAPE, spacing=SPACING, boundary_values=None, **rest)
    matrix, _ = dense.system(SHAPE, SPACING, **rest)
    f, u = rng.standard_normal((2,) + SHAPE)
    au = (matrix @ u.ravel()).reshape(SHAPE)
    scale = np.abs(au).max()
    assert np.abs(s.residual(f, u) - (f - au)).max() <= 1e-13 * scale
    assert s.apply(u, out=u) is u and np.abs(u - au).max() <= 1e-13 * scale


def test_residual_has_the_boundary_data(rng):
    values = ((1.0, None), (None, 2.0), None)
    s = hymg.Solver(SHAPE, spacing=SPACING, boundary_values=values)
    matrix, data = dense.system(SHAPE, SPACING, values=values)
    f, u = rng.standard_normal((2,) + SHAPE)
    expected = f.ravel() + data - matrix @ u.ravel()
    assert np.abs(s.residual(f, u).ravel() - expected).max() <= 1e-13 * np.abs(expected).max()


# odd sides, widths, beta with jumps: the robust path; else the standard one
CASES = {
    "standard": ((16, 8, 8), {"spacing": 0.1, "alpha": 0.5}),
    "robust": (SHAPE, {"spacing": SPACING, "boundary": ("neumann", "dirichlet", "periodic")}),
    "jumps": (SHAPE, {"spacing": SPACING, "beta": "random"}),
}


def case(name, rng):
    shape, rest = CASES[name]
    if rest.get("beta") == "random":
        rest = {**rest, "beta": dense.random_beta(rng, shape, 1000.0)}
    return shape, rest


@pytest.mark.parametrize("name", CASES)
def test_preconditioner_is_symmetric_and_linear_and_saves_iterations(rng, name):
    shape, rest = case(name, rng)
    with hymg.Solver(shape, extrapolation="linear", **rest) as s:
        a, m = s.as_linear_operator(), s.as_preconditioner()
        x, y = rng.standard_normal((2, a.shape[0]))
        mx, my = m @ x, m @ y
        assert abs(y @ mx - x @ my) <= 1e-13 * np.linalg.norm(y) * np.linalg.norm(mx) and x @ mx > 0
        assert np.abs(m @ (2 * x - y) - (2 * mx - my)).max() <= 1e-13 * np.abs(mx).max()
        steps = {}
        for key, inverse in (("plain", None), ("cycle", m)):
            count = []
            u, info = linalg.cg(a, x, M=inverse, maxiter=2000, atol=1e-8 * np.linalg.norm(x), callback=count.append)
            assert info == 0 and np.linalg.norm(a @ u - x) <= 2e-5 * np.linalg.norm(x)
            steps[key] = len(count)
        assert steps["cycle"] < 0.5 * steps["plain"] and steps["cycle"] <= 12


def test_preconditioner_follows_updates_and_refused_ones_change_nothing(rng):
    shape, rest = case("jumps", rng)
    x = rng.standard_normal(shape)
    s = hymg.Solver(shape, extrapolation="linear", **rest)
    before = s.precondition(x)
    with pytest.raises(hymg.InvalidArgument):
        s.update(b=-1.0)
    assert np.array_equal(s.precondition(x), before)
    s.update(b=2.0)
    assert dense.close(s.precondition(x), before / 2, 1e-12)
    out = np.empty(shape)
    assert s.precondition(x, out=out) is out and dense.close(out, before / 2, 1e-12)
