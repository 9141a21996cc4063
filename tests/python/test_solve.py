"""Solutions against a dense matrix, on odd shapes with all boundaries and coefficients; residuals by slices."""

import re
import subprocess
import sys

import dense
import numpy as np
import pytest

import hymg

SHAPES = [(5, 4, 3), (7, 9, 6), (1, 6, 5), (8, 8, 8)]
SPACING = (0.1, 0.15, 0.08)
BOUNDARIES = [
    "dirichlet",
    "neumann",
    "periodic",
    ("dirichlet", "periodic", "neumann"),
    (("neumann", "dirichlet"), ("dirichlet", "neumann"), "periodic"),
]


@pytest.mark.parametrize("boundary", BOUNDARIES, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("variable", [False, True])
def test_solution_is_that_of_the_dense_matrix(rng, shape, boundary, variable):
    f = rng.standard_normal(shape)
    rest = {"alpha": rng.random(shape), "beta": dense.random_beta(rng, shape)} if variable else {}
    with hymg.Solver(shape, spacing=SPACING, boundary=boundary, rtol=1e-12, **rest) as s:
        u = s.solve(f)
        assert s.result.converged and s.result.reason == "tolerance"
    assert dense.close(u, dense.solve(shape, SPACING, f, boundary=boundary, **rest))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("extrapolation", ["linear", "quadratic"])
def test_boundary_values_and_extrapolations(rng, order, extrapolation):
    shape, boundary = (5, 4, 3), ("dirichlet", ("neumann", "dirichlet"), "periodic")
    f = rng.standard_normal(shape)
    values = [(rng.random((1, 4, 3)), 2.5), (rng.random((5, 1, 3)), None), None]
    u = hymg.Solver(
        shape,
        spacing=SPACING,
        boundary=boundary,
        boundary_values=values,
        order=order,
        rtol=1e-12,
        extrapolation=extrapolation,
    ).solve(f)
    quadratic = extrapolation == "quadratic"
    assert dense.close(u, dense.solve(shape, SPACING, f, boundary=boundary, values=values, quadratic=quadratic))


def test_numbers_for_alpha_and_beta_and_a_and_b(rng):
    shape = (6, 5, 7)
    f = rng.standard_normal(shape)
    u = hymg.Solver(shape, spacing=SPACING, a=2.0, b=3.0, alpha=1.5, beta=0.5, rtol=1e-12).solve(f)
    assert dense.close(u, dense.solve(shape, SPACING, f, alpha=3.0, b=1.5))
    u = hymg.Solver(shape, spacing=SPACING, beta=(1.0, 2.0, 0.5), rtol=1e-12).solve(f)
    faces = [np.full([n + (i == axis) for i, n in enumerate(shape)], v) for axis, v in enumerate((1.0, 2.0, 0.5))]
    assert dense.close(u, dense.solve(shape, SPACING, f, beta=faces))


def test_coefficients_broadcast(rng):
    shape = (5, 4, 3)
    f, along = rng.standard_normal(shape), 1 + rng.random((5, 1, 1))
    beta = (1 + rng.random((6, 1, 1)), along, along)
    u = hymg.Solver(shape, spacing=SPACING, alpha=along, beta=beta, rtol=1e-12).solve(f)
    full = [np.broadcast_to(x, [n + (i == axis) for i, n in enumerate(shape)]) for axis, x in enumerate(beta)]
    assert dense.close(u, dense.solve(shape, SPACING, f, alpha=along, beta=full))


def test_widths_of_equal_cells_are_the_spacing(rng):
    shape = (5, 4, 6)
    f = rng.standard_normal(shape)
    u = hymg.Solver(shape, spacing=(9.0, 0.15, 0.08), widths=([0.1] * 5, None, np.full(6, 0.08)), rtol=1e-12).solve(f)
    assert dense.close(u, dense.solve(shape, SPACING, f, quadratic=False))


def test_fourth_order_stencil_solves_its_own_operator(rng):
    f = rng.standard_normal((16, 16, 16))
    with hymg.Solver(f.shape, spacing=1 / 16, stencil="fv4") as s:
        u = s.solve(f)
        assert np.abs(f - s.apply(u)).max() <= 1.1e-10 * np.abs(f).max()


def test_history_falls_and_its_end_is_the_residual(rng):
    shape = (16, 16, 16)
    f = rng.standard_normal(shape)
    with hymg.Solver(shape, spacing=1 / 16, rtol=1e-9, path="standard") as s:
        u = s.solve(f)
        r = s.result
        norms = [c.residual for c in r.history]
        assert len(norms) == r.cycles > 2 and [c.kind for c in r.history[:2]] == ["f", "v"]
        assert all(after < before for before, after in zip(norms, norms[1:]))
        mine = residual_by_slices(f, u, 1 / 16)
        assert abs(np.abs(mine).max() - r.residual) <= 1e-12 * np.abs(f).max()
        assert np.abs(s.residual(f, u) - mine).max() <= 1e-12 * np.abs(f).max()
        assert (
            r.residual_relative == pytest.approx(r.residual / np.abs(f).max(), rel=1e-12)
            and r.residual_relative <= 1e-9
        )


def residual_by_slices(f, u, h):
    """f - A u, FV2 with quadratic ghosts of Dirichlet boundaries, by slices."""
    r = f.copy()
    for axis in range(3):
        v = np.moveaxis(u, axis, 0)
        low, high = -2.5 * v[0] + 0.5 * v[1], -2.5 * v[-1] + 0.5 * v[-2]
        r += np.moveaxis(np.diff(np.concatenate([low[None], v, high[None]]), n=2, axis=0), 0, axis) / h**2
    return r


def test_unconverged_solves_warn_with_reason_and_note(rng):
    with hymg.Solver((16, 16, 16), max_cycles=1, path="standard") as s:
        with pytest.warns(hymg.ConvergenceWarning, match="limit: "):
            s.solve(rng.standard_normal((16, 16, 16)))
        assert not s.result.converged and s.result.reason == "limit" and s.result.cycles == 1


def test_initial_guess_saves_cycles_and_zero_is_the_default(rng):
    f = rng.standard_normal((16, 16, 16))
    with hymg.Solver(f.shape, method="mg", cycle="v", initial_guess=True) as s:
        u = s.solve(f)
        cold = s.result.cycles
        near = u + 1e-8 * rng.standard_normal(f.shape) * np.abs(u).max()
        kept = near.copy()
        again = s.solve(f, guess=near)
        assert 0 < s.result.cycles < cold and np.array_equal(near, kept) and dense.close(again, u, 1e-6)
        s.solve(f)
        assert s.result.cycles == cold
        s.solve(f, out=near, guess=near)
        assert s.result.cycles < cold


def test_monitor_sees_every_cycle_and_can_stop(rng):
    seen = []
    f = rng.standard_normal((16, 16, 16))

    def monitor(cycle, record):
        seen.append((cycle, record))
        return None if cycle < 1 else False

    with (
        hymg.Solver(f.shape, path="standard", monitor=monitor) as s,
        pytest.warns(hymg.ConvergenceWarning, match="stopped"),
    ):
        s.solve(f)
    assert [c for c, _ in seen] == [0, 1] and tuple(r for _, r in seen) == s.result.history


def test_repr_names_shape_path_and_levels():
    s = hymg.Solver((16, 8, 24), path="robust")
    found = re.fullmatch(r"<hymg.Solver of 16 x 8 x 24 cells, path robust, (\d+) levels>", repr(s))
    assert found and 3 <= int(found[1]) <= 13
    s.close()
    assert repr(s) == "<hymg.Solver of 16 x 8 x 24 cells, closed>"


def test_the_module_solves_a_small_problem():
    done = subprocess.run([sys.executable, "-m", "hymg"], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == f"version   {hymg.__version__}" and "32 x 32 x 32 cells" in lines[-1]
    assert float(lines[-1].split("error ")[1]) < 3 * (np.pi / 32) ** 2  # of second order
