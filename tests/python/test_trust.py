"""What converged = true promises, against SciPy's sparse direct solver: sparse sources, cells held by a large alpha, weak
sinks, separate pieces, systems that are almost singular."""

import math
import warnings

import numpy as np
import pytest

import hymg

sla = pytest.importorskip("scipy.sparse.linalg")
sparse = pytest.importorskip("scipy.sparse")


def matrix(shape, beta, alpha, dirichlet):
    """Cells of size 1; walls half a cell away where dirichlet, else without flux."""
    number = np.arange(np.prod(shape)).reshape(shape)
    diagonal = np.array(np.broadcast_to(alpha, shape), float)
    rows, columns, values = [], [], []
    for axis in range(len(shape)):
        b, n, d = (np.moveaxis(x, axis, 0) for x in (beta[axis], number, diagonal))
        if dirichlet and shape[axis] > 1:
            d[0] += 2 * b[0]
            d[-1] += 2 * b[-1]
        d[1:] += b[1:-1]
        d[:-1] += b[1:-1]
        rows += [n[1:].ravel(), n[:-1].ravel()]
        columns += [n[:-1].ravel(), n[1:].ravel()]
        values += [-b[1:-1].ravel()] * 2
    rows.append(number.ravel()), columns.append(number.ravel()), values.append(diagonal.ravel())
    return sparse.csc_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))))


def ones(shape):
    return [np.ones([n + (i == axis) for i, n in enumerate(shape)]) for axis in range(len(shape))]


def open_faces(active, closed):
    """1 between active cells, closed elsewhere."""
    beta = []
    for axis in range(active.ndim):
        a = np.moveaxis(active, axis, 0)
        b = np.full((a.shape[0] + 1,) + a.shape[1:], closed)
        b[1:-1][a[1:] & a[:-1]] = 1
        beta.append(np.ascontiguousarray(np.moveaxis(b, 0, axis)))
    return beta


def check(f, beta, alpha=0.0, boundary="neumann", tolerance=1e-6, **options):
    """Solves; returns the result after a comparison with the direct solution."""
    a = matrix(f.shape, beta, alpha, boundary == "dirichlet")
    want = sla.splu(a).solve(f.ravel()).reshape(f.shape)
    rest = {} if np.ndim(alpha) == 0 and alpha == 0 else {"alpha": alpha}
    sides = boundary if min(f.shape) > 1 else tuple("neumann" if n == 1 else boundary for n in f.shape)
    with hymg.Solver(f.shape, boundary=sides, beta=beta, extrapolation="linear", **rest, **options) as s:
        u = s.solve(f)
        assert s.result.converged, s.result
        assert np.abs(u - want).max() <= tolerance * np.abs(want).max(), s.result
        return s.result


@pytest.mark.parametrize("extrapolation", ["linear", "quadratic"])
@pytest.mark.parametrize("shape", [(1, 40, 41), (12, 17, 20)], ids=str)
def test_a_source_in_one_cell(rng, shape, extrapolation):
    boundary = tuple("neumann" if n == 1 else "dirichlet" for n in shape)
    direct = sla.splu(matrix(shape, ones(shape), 0, True))
    with hymg.Solver(shape, boundary=boundary, extrapolation=extrapolation, path="robust") as s:
        for _ in range(20):
            f = np.zeros(shape)
            f[tuple(rng.integers(0, n) for n in shape)] = 1
            u = s.solve(f)
            assert s.result.converged, s.result
            assert np.abs(s.residual(f, u)).max() <= 1.6e-10
            if extrapolation == "linear":
                want = direct.solve(f.ravel()).reshape(shape)
                assert np.abs(u - want).max() <= 1e-8 * want.max()


@pytest.mark.parametrize("large", [1e0, 1e4, 1e8, 1e12, 1e15])
def test_cells_held_by_a_large_alpha(large):
    shape = (1, 40, 40)
    alpha, f = np.zeros(shape), np.ones(shape)
    alpha[0, :, 0], f[0, :, 0] = large, 10 * large
    result = check(f, ones(shape), alpha)
    assert result.cycles <= 15
    if large != 1e4:
        assert ("u still changed" in result.note) == (large >= 1e8)


@pytest.mark.parametrize("sink", [1.0, 1e-3])
def test_a_weak_sink_among_inactive_cells(rng, sink):
    active = rng.random((12, 20, 22)) < 0.7
    active[0, 0, 0] = active[-1, -1, -1] = True
    alpha, f = np.where(active, 0.0, 1.0), np.zeros(active.shape)
    alpha[-1, -1, -1], f[0, 0, 0] = sink, 1
    check(f, open_faces(active, 1e-9), alpha)


def test_separate_pieces_with_a_weak_alpha(rng):
    j, i = np.meshgrid(np.arange(96), np.arange(96), indexing="ij")
    active = (np.sin(2 * np.pi * i / 24) * np.sin(2 * np.pi * j / 24) > 0.1)[None]
    f = np.where(active, rng.standard_normal(active.shape), 0)
    check(f, open_faces(active, 1e-12), np.where(active, 1e-6, 1.0))


@pytest.mark.parametrize("a", [1e-2, 1e-6, 1e-10, 1e-14])
@pytest.mark.parametrize("path", ["standard", "robust"])
def test_a_box_that_a_small_alpha_alone_holds(rng, a, path):
    """The mean is exact; the rest is that of the singular system, up to a."""
    f = rng.standard_normal((16, 16, 16))
    for mean in (0.5, 0.0):
        g = f - f.mean() + mean
        with hymg.Solver(g.shape, spacing=1 / 16, boundary="neumann", alpha=a, path=path) as s:
            u = s.solve(g)
            assert s.result.converged and s.result.mean_removed == 0
        with hymg.Solver(g.shape, spacing=1 / 16, boundary="neumann") as s:
            rest = s.solve(g)
        exact = math.fsum(g.ravel()) / g.size / a
        tolerance = 1e-8 if a > 1e-3 else 1e-13  # above, the mean is a component as others
        assert abs(math.fsum(u.ravel()) / u.size - exact) <= 1e-14 * abs(exact) + tolerance * np.abs(u).max()
        if mean == 0.0:
            assert np.abs(u - u.mean() - rest).max() <= (a + 1e-8) * np.abs(rest).max()


def test_a_heat_step_at_300_kelvin(rng):
    old = 300 + 0.1 * rng.standard_normal((16, 16, 16))
    for options in ({}, {"path": "robust"}, {"method": "mgpcg", "path": "standard"}):
        for a in (1e2, 1.0, 1e-2, 1e-4):
            with hymg.Solver(old.shape, spacing=1 / 16, boundary="neumann", alpha=1.0, a=a, **options) as s:
                u = s.solve(a * old)
                assert s.result.converged, (options, a, s.result)
                assert abs(u.mean() - old.mean()) <= 1e-8


@pytest.mark.parametrize("large", [1e2, 1e6, 1e10])
def test_advice_never_asks_for_a_tolerance_without_digits(rng, large):
    """A pinned cell on the standard path, which does not suit it, and a tolerance that nothing reaches."""
    f = rng.standard_normal((8, 8, 8))
    alpha = np.zeros(f.shape)
    alpha[4, 4, 4] = large
    for options in ({}, {"rtol": 1e-17, "max_cycles": 15}, {"method": "mgpcg", "stagnation": 10}):
        with hymg.Solver(f.shape, boundary="neumann", alpha=alpha, path="standard", **options) as s:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                s.solve(f)
            advice = s.advice()
            assert s.result.converged or 'path="robust"' in advice
            for word in advice.split():
                if word.startswith("rtol=1") or word.startswith("rtol=2"):
                    assert float(word[5:]) <= 1e-4, advice
