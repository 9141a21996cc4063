"""Fluxes through faces, against differences by slices, and against the operator that they make."""

import numpy as np
import pytest

import dense
import hymg

SHAPE, SPACING = (7, 5, 6), (0.1, 0.15, 0.12)
BOUNDARY = ("dirichlet", ("neumann", "dirichlet"), "periodic")
FACES = [tuple(n + (i == axis) for i, n in enumerate(SHAPE)) for axis in range(3)]


def by_slices(u, beta, b, walls):
    """-b beta du/dx through all faces: linear at Dirichlet boundaries, whose values are half a spacing away."""
    fluxes = []
    for axis, h in enumerate(SPACING):
        v, k = np.moveaxis(u, axis, 0), np.moveaxis(beta[axis], axis, 0)
        slope = np.zeros(k.shape)
        slope[1:-1] = (v[1:] - v[:-1]) / h
        kinds = BOUNDARY[axis] if isinstance(BOUNDARY[axis], tuple) else (BOUNDARY[axis],) * 2
        for side, kind in enumerate(kinds):
            wall = 0.0 if walls[axis] is None else walls[axis][side]
            sign, cell = (-1, v[0]) if side == 0 else (1, v[-1])
            if kind == "dirichlet":
                slope[-side] = sign * (wall - cell) / (h / 2)
            elif kind == "neumann":
                slope[-side] = sign * wall
            else:
                slope[-side] = (v[0] - v[-1]) / h
        fluxes.append(np.moveaxis(-b * k * slope, 0, axis))
    return fluxes


@pytest.mark.parametrize("order", ["C", "F"])
def test_fluxes_are_differences_in_the_order_of_the_arrays(order, rng):
    u, beta = rng.standard_normal(SHAPE), dense.random_beta(rng, SHAPE)
    walls = ((1.5, -2.0), (0.5, 3.0), None)
    with hymg.Solver(
        SHAPE,
        spacing=SPACING,
        boundary=BOUNDARY,
        boundary_values=walls,
        beta=beta,
        b=2.0,
        order=order,
        extrapolation="linear",
    ) as s:
        fluxes = s.fluxes(u)
        expected = by_slices(u, beta, 2.0, walls)
        for got, want, shape in zip(fluxes, expected, FACES):
            assert type(got) is np.ndarray and got.shape == shape
            assert np.abs(got - want).max() <= 1e-13 * np.abs(want).max()
        out = [np.full([n + 2 for n in shape], np.nan)[1:-1, 1:-1, 1:-1] for shape in FACES]
        again = s.fluxes(u.tolist(), out=out)
        for got, want, mine in zip(again, fluxes, out):
            assert got is mine and np.array_equal(got, want)


def test_their_sum_over_a_cell_is_the_operator(rng):
    f, u, alpha = rng.standard_normal((3,) + SHAPE)
    alpha = abs(alpha)
    values = ((rng.random((1,) + SHAPE[1:]), None), None, None)
    with hymg.Solver(SHAPE, spacing=SPACING, boundary=BOUNDARY, boundary_values=values, alpha=alpha) as s:
        total = alpha * u + sum(np.diff(flux, axis=i) / h for i, (flux, h) in enumerate(zip(s.fluxes(u), SPACING)))
        applied = f - s.residual(f, u)
        assert np.abs(total - applied).max() <= 1e-12 * np.abs(applied).max()


def test_fluxes_of_pytorch_are_tensors(rng):
    torch = pytest.importorskip("torch")
    u = rng.standard_normal(SHAPE)
    with hymg.Solver(SHAPE) as s:
        for got, want in zip(s.fluxes(torch.tensor(u)), s.fluxes(u)):
            assert isinstance(got, torch.Tensor) and got.dtype == torch.float64 and np.array_equal(got.numpy(), want)


def test_what_cannot_be_is_refused():
    u = np.zeros(SHAPE)
    with hymg.Solver(SHAPE) as s:
        with pytest.raises(ValueError, match=r"u: shape \(5, 6\), but \(7, 5, 6\) is wanted"):
            s.fluxes(u[0])
        with pytest.raises(TypeError, match="out: three arrays are wanted"):
            s.fluxes(u, out=u)
        with pytest.raises(ValueError, match=r"out\[1\]: shape \(8, 5, 6\), but \(7, 6, 6\) is wanted"):
            s.fluxes(u, out=[np.empty(FACES[0])] * 3)
    with hymg.Solver((16, 16, 16), stencil="fv4") as s:
        with pytest.raises(hymg.Unsupported, match="fluxes of FV4: FV2 only"):
            s.fluxes(np.zeros((16, 16, 16)))
