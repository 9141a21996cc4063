"""Cells with given values: every way to name them, against dense and sparse direct solves without the library."""

import dense
import numpy as np
import pytest

import hymg

SHAPE, SPACING = (7, 5, 6), (0.1, 0.15, 0.12)


def reference(fixed, f, **system):
    """The dense system with the rows of fixed cells replaced by u = value; walls are linear."""
    matrix, data = dense.system(fixed.shape, SPACING, quadratic=False, **system)
    given = ~np.isnan(fixed).ravel()
    matrix[given] = np.eye(fixed.size)[given]
    return np.linalg.solve(matrix, np.where(given, fixed.ravel(), f.ravel() + data)).reshape(fixed.shape)


def random_fixed(rng, part=0.3):
    return np.where(rng.random(SHAPE) < part, rng.uniform(-1, 2, SHAPE), np.nan)


def assert_solves(solver, fixed, f, **system):
    u = solver.solve(f)
    given = ~np.isnan(fixed)
    assert solver.result.converged and solver.result.mean_removed == 0
    assert np.array_equal(u[given], fixed[given])
    assert dense.close(u, reference(fixed, np.where(given, 0, f), **system))


@pytest.mark.parametrize("boundary", ["dirichlet", "neumann", ("periodic", ("neumann", "dirichlet"), "neumann")])
@pytest.mark.parametrize("order", ["C", "F"])
def test_an_array_with_nan_where_u_is_unknown(rng, boundary, order):
    fixed, f = random_fixed(rng), rng.standard_normal(SHAPE)
    f[~np.isnan(fixed)] = np.nan  # does not count
    alpha, beta = rng.random(SHAPE), dense.random_beta(rng, SHAPE, 100.0)
    s = hymg.Solver(
        SHAPE, spacing=SPACING, boundary=boundary, alpha=alpha, beta=beta, fixed=fixed, order=order, rtol=1e-12
    )
    assert_solves(s, fixed, f, boundary=boundary, alpha=alpha, beta=beta)
    assert s.result.path == "robust"


def test_every_way_to_name_cells_is_the_same(rng):
    fixed, f = random_fixed(rng), rng.standard_normal(SHAPE)
    mask = ~np.isnan(fixed)
    cells, values = np.argwhere(mask), fixed[mask]
    backwards = tuple(index - n for index, n in zip(np.nonzero(mask), SHAPE))
    ways = (
        fixed,
        fixed.tolist(),
        (mask, fixed),
        (np.nonzero(mask), values),
        ([tuple(cell) for cell in cells], values),
        (cells, list(values)),
        (backwards, values),
    )
    found = [hymg.Solver(SHAPE, spacing=SPACING, fixed=way, rtol=1e-12).solve(f) for way in ways]
    assert all(np.array_equal(u, found[0]) for u in found)
    assert dense.close(found[0], reference(fixed, f))


def test_one_number_for_all_cells_of_a_mask_or_list(rng):
    mask, f = rng.random(SHAPE) < 0.2, rng.standard_normal(SHAPE)
    for way in ((mask, 2.5), (np.nonzero(mask), 2.5), (np.argwhere(mask), 2.5)):
        s = hymg.Solver(SHAPE, spacing=SPACING, boundary="neumann", fixed=way, rtol=1e-12)
        assert_solves(s, np.where(mask, 2.5, np.nan), f, boundary="neumann")


def test_no_cell_and_all_cells(rng):
    f, values = rng.standard_normal(SHAPE), rng.random(SHAPE)
    s = hymg.Solver(SHAPE, spacing=SPACING, fixed=([], []), rtol=1e-12)
    assert dense.close(s.solve(f), dense.solve(SHAPE, SPACING, f, quadratic=False))
    s.update(fixed=values)
    assert np.array_equal(s.solve(f), values) and s.result.cycles == 0


def test_fv4_between_two_electrodes(rng):
    x = np.broadcast_to(np.arange(7.0)[:, None, None], SHAPE)
    ends = np.where((x == 0) | (x == 6), x, np.nan)
    s = hymg.Solver(SHAPE, spacing=SPACING, boundary="neumann", stencil="fv4", fixed=ends, rtol=1e-13)
    u = s.solve(np.zeros(SHAPE))
    assert s.result.converged and np.array_equal(u[[0, 6]], x[[0, 6]])
    assert np.allclose(u, x, rtol=0, atol=1e-10)


def test_update_moves_the_cells(rng):
    f, first, second = rng.standard_normal(SHAPE), random_fixed(rng), random_fixed(rng, 0.6)
    s = hymg.Solver(SHAPE, spacing=SPACING, boundary="neumann", fixed=first, rtol=1e-12)
    for fixed in (first, second, first):
        s.update(fixed=fixed)
        assert_solves(s, fixed, f, boundary="neumann")
    s.update(b=2.0)  # the cells stay
    assert_solves(s, first, f, boundary="neumann", b=2.0)
    infinite = first.copy()
    infinite[1, 2, 3] = np.inf
    with pytest.raises(hymg.Error, match="fixed = inf"):
        s.update(fixed=infinite)
    assert_solves(s, first, f, boundary="neumann", b=2.0)


def test_operations_leave_fixed_cells_out(rng):
    fixed, f, u = random_fixed(rng), rng.standard_normal(SHAPE), rng.standard_normal(SHAPE)
    given = ~np.isnan(fixed)
    s = hymg.Solver(SHAPE, spacing=SPACING, fixed=fixed)
    matrix, data = dense.system(SHAPE, SPACING, quadratic=False)
    expected = (matrix @ np.where(given, 0, u).ravel()).reshape(SHAPE)
    u[given] = np.nan
    assert dense.close(s.apply(u), np.where(given, 0, expected))
    expected = (f.ravel() + data - matrix @ np.where(given, fixed, u).ravel()).reshape(SHAPE)
    assert dense.close(s.residual(f, u), np.where(given, 0, expected))
    assert not s.precondition(f)[given].any()


@pytest.mark.parametrize(
    "fixed, kind, words",
    [
        ((np.ones((7, 5), bool), 1.0), ValueError, r"mask of shape \(7, 5\)"),
        ((np.ones(SHAPE, bool), np.ones(3)), ValueError, r"shape \(3,\) do not broadcast"),
        (([(0, 0, 0), (7, 0, 0)], 1.0), ValueError, "index 7 along axis 0, which has 0 to 6"),
        (([(0, 0, -7)], 1.0), ValueError, "index -7 along axis 2"),
        (([(0, 0)], 1.0), ValueError, "index triples"),
        (([(0, 0, 0)], [1.0, 2.0]), ValueError, r"shape \(2,\) for 1 cells"),
        (([(0.5, 0, 0)], 1.0), TypeError, "integers are wanted"),
        (np.ones((7, 5, 5)), ValueError, r"fixed: shape \(7, 5, 5\)"),
        ("hydrant", TypeError, "real numbers"),
    ],
)
def test_what_does_not_name_cells_is_refused(fixed, kind, words):
    with pytest.raises(kind, match=words):
        hymg.Solver(SHAPE, fixed=fixed)


@pytest.mark.parametrize(
    "options, words",
    [
        ({"method": "fmg"}, "fixed cells"),
        ({"path": "standard"}, "robust"),
        ({"extrapolation": "quadratic"}, "linear"),
    ],
)
def test_what_fixed_cells_do_not_suit_is_refused(options, words):
    with pytest.raises(hymg.Unsupported, match=words):
        hymg.Solver(SHAPE, fixed=([(0, 0, 0)], 1.0), **options)
    with pytest.raises(hymg.Error, match="fixed cells cannot change"):
        hymg.Solver(SHAPE).update(fixed=([(0, 0, 0)], 1.0))


def sparse_system(beta):
    """Of a layer of unit cells without flow through its sides: beta of faces along the last two axes."""
    sparse = pytest.importorskip("scipy.sparse")
    ny, nx = beta[1].shape[1] - 1, beta[2].shape[2] - 1
    number = np.arange(ny * nx).reshape(ny, nx)
    pairs = (
        (number[:-1], number[1:], beta[1][0, 1:-1]),
        (number[:, :-1], number[:, 1:], beta[2][0, :, 1:-1]),
    )
    low, high, t = (np.concatenate([part[m].ravel() for part in pairs]) for m in range(3))
    off = sparse.coo_matrix((-t, (low, high)), shape=(ny * nx,) * 2)
    off = off + off.T
    return (off - sparse.diags(np.asarray(off.sum(axis=1)).ravel())).tocsr()


def test_an_aquifer_with_fixed_heads(rng):
    """A river along one side, a lake and wells in conductivities over four decades, recharge everywhere."""
    linalg = pytest.importorskip("scipy.sparse.linalg")
    shape = (1, 60, 50)
    k = 10 ** rng.uniform(-2, 2, shape)
    beta = [np.ones((2, 60, 50)), np.ones((1, 61, 50)), np.ones((1, 60, 51))]
    beta[1][:, 1:-1] = 2 / (1 / k[:, 1:] + 1 / k[:, :-1])
    beta[2][:, :, 1:-1] = 2 / (1 / k[:, :, 1:] + 1 / k[:, :, :-1])
    heads = np.full(shape, np.nan)
    heads[0, :, 0] = np.linspace(105, 95, 60)
    heads[0, 20:27, 30:40] = 98
    heads[0, 50, 45] = 60
    f = np.full(shape, 1e-3)
    s = hymg.Solver(shape, boundary="neumann", beta=beta, fixed=heads, rtol=1e-12, norm="2")
    u = s.solve(f)
    given = ~np.isnan(heads).ravel()
    matrix = sparse_system(beta)
    rhs = f.ravel() - matrix[:, given] @ heads.ravel()[given]
    expected = heads.ravel().copy()
    expected[~given] = linalg.spsolve(matrix[~given][:, ~given].tocsc(), rhs[~given])
    assert s.result.converged
    assert np.abs(u.ravel() - expected).max() < 1e-8 * 105
    assert np.array_equal(u.ravel()[given], expected[given])
