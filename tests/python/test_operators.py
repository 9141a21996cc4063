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
