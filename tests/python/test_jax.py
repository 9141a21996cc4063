"""hymg.jax.solve: gradients against JAX's differences, first and second, with and without jit, and against those of
Solver.gradient; in float32 in a process of its own, since jax_enable_x64 is one switch for all."""

import subprocess
import sys

import numpy as np
import pytest
from differences import RTOL, faces, walls

import hymg

jax = pytest.importorskip("jax", minversion="0.4.34", reason="there is no JAX 0.4.34 or newer")
jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

import hymg.jax  # noqa: E402

SHAPE, BOUNDARY = (5, 4), (("dirichlet", "robin"), ("neumann", "dirichlet"))


def problem(rng, boundary=BOUNDARY, **more):
    given = {"alpha": 0.5 + rng.random(SHAPE), "beta": faces(rng, SHAPE)}
    given["boundary_values"] = walls(rng, boundary, SHAPE)
    if any("robin" in pair for pair in boundary):
        for name in ("robin_alpha", "robin_beta"):
            given[name] = walls(rng, boundary, SHAPE, kinds=("robin",))
    made = {"spacing": 0.3, "boundary": boundary, "extrapolation": "linear", "rtol": RTOL} | more
    return given, hymg.Solver(SHAPE, **made, **given), rng.standard_normal(SHAPE)


@pytest.mark.parametrize("compiled", (False, True))
def test_first_and_second_derivatives(compiled, rng):
    given, s, f = problem(rng)

    def solve(f, given):
        return hymg.jax.solve(s, f, **given)

    with s:
        check_grads(jax.jit(solve) if compiled else solve, (f, given), 2, ["rev"], eps=1e-4, atol=1e-7, rtol=1e-6)


def test_periodic_masked_and_singular(rng):
    active = np.ones(SHAPE, dtype=bool)
    active[1, 1] = active[1, 2] = False
    given, s, f = problem(rng, (("periodic", "periodic"), ("neumann", "neumann")), a=0.0, active=active)
    del given["alpha"]
    with s:
        solve = jax.jit(lambda f, given: hymg.jax.solve(s, f, **given))
        check_grads(solve, (f, given), 2, ["rev"], eps=1e-4, atol=1e-7, rtol=1e-6)


def test_fixed_cells_as_a_pair(rng):
    mask = np.zeros(SHAPE, dtype=bool)
    mask[0, 1] = mask[2, 2] = True
    given, s, f = problem(rng, fixed=np.where(mask, 1.0, np.nan))
    with s:
        solve = jax.jit(lambda values, beta: hymg.jax.solve(s, f, fixed=(mask, values), beta=beta))
        check_grads(solve, (rng.random(SHAPE), given["beta"]), 2, ["rev"], eps=1e-4, atol=1e-7, rtol=1e-6)


def test_the_same_as_of_numpy(rng):
    given, s, f = problem(rng)
    with s:
        value = jax.jit(lambda f, given: (hymg.jax.solve(s, f, **given) ** 2).sum() / 2)
        by_f, by = jax.grad(value, argnums=(0, 1))(f, given)
        u = s.solve(f)
        found = s.gradient(u, u, ["f", *given])
    by["f"] = by_f
    for name, wanted in found.items():
        one, other = (jax.tree_util.tree_leaves(x) for x in (by[name], wanted))
        assert len(one) == len(other)
        for x, y in zip(one, other):
            assert np.allclose(x, y, rtol=1e-9, atol=1e-12 * np.abs(y).max())


def test_types_of_inputs(rng):
    given, s, f = problem(rng)
    with s:
        value = jax.grad(lambda f, alpha: hymg.jax.solve(s, f, alpha=alpha).sum(), argnums=(0, 1))
        by_f, by_alpha = value(np.float32(f), given["alpha"])
        assert by_f.dtype == np.float32 and by_alpha.dtype == np.float64
        assert hymg.jax.solve(s, np.float32(f)).dtype == np.float32


def test_float32_with_mixed_precision_inside(rng):
    """The gradients of float64 from the same numbers, rounded."""
    shape = (40, 36, 32)  # mixed precision is for more than 32^3 cells
    beta = tuple(np.float32(0.5 + rng.random([n + (axis == m) for m, n in enumerate(shape)])) for axis in range(3))
    f, w = np.float32(rng.standard_normal((2, *shape)))
    with hymg.Solver(
        shape, spacing=1 / 40, beta=beta, extrapolation="linear", rtol=1e-12, precision="mixed"
    ) as s:
        value = jax.grad(lambda f, beta: (w * hymg.jax.solve(s, f, beta=beta)).sum(), argnums=(0, 1))
        single, double = value(f, beta), value(np.float64(f), tuple(np.float64(x) for x in beta))
    for x, y in zip(jax.tree_util.tree_leaves(single), jax.tree_util.tree_leaves(double)):
        assert x.dtype == np.float32 and y.dtype == np.float64
        assert np.abs(x - y).max() <= 1.2e-7 * np.abs(y).max()


def test_vmap_and_two_solves_in_one_function(rng):
    given, s, f = problem(rng)
    with s:
        several = jax.vmap(lambda f: hymg.jax.solve(s, f))(jnp.stack([f, 2 * f, -f]))
        assert np.allclose(several[0], s.solve(f), rtol=1e-12)
        assert np.allclose(several[1], 1.5 * several[0] - 0.5 * several[2], rtol=1e-9)  # affine, because of the data
        alphas = [given["alpha"], 2 * given["alpha"]]
        both = jax.jit(lambda f: tuple(hymg.jax.solve(s, f, alpha=alpha) for alpha in alphas))
        for _ in range(20):
            u, v = both(f)
        assert not np.allclose(u, v)
        s.update(alpha=alphas[1])
        assert np.allclose(v, s.solve(f), rtol=1e-12)


def test_refused(rng):
    given, s, f = problem(rng)
    with s:
        with pytest.raises(TypeError, match="forward-mode"):
            jax.jvp(lambda f: hymg.jax.solve(s, f), (f,), (f,))
        value = jax.jit(jax.grad(lambda f: hymg.jax.solve(s, f).sum()))
        value(f)
        s.update(b=2.0)
        with pytest.raises(Exception, match="the solver was updated"):
            value(f).block_until_ready()
        with pytest.raises(ValueError, match="alpha: shape"):
            hymg.jax.solve(s, f, alpha=np.ones(3))
    with hymg.Solver((4, 4)) as s:
        assert hymg.jax.solve(s, np.ones((4, 4))).shape == (4, 4)
        with pytest.raises(hymg.Unsupported, match='extrapolation="linear"'):
            jax.grad(lambda f: hymg.jax.solve(s, f).sum())(np.ones((4, 4)))


SINGLE = """
import sys
sys.path.insert(0, sys.argv[1])
import jax, numpy as np
import hymg, hymg.jax
from differences import RTOL, faces
rng, shape = np.random.default_rng(1), (40, 30)
beta, f, w = faces(rng, shape), np.float32(rng.standard_normal(shape)), np.float32(rng.standard_normal(shape))
beta = tuple(np.float32(x) for x in beta)
with hymg.Solver(shape, spacing=1 / 40, beta=beta, extrapolation="linear", rtol=RTOL) as s:
    value = jax.jit(jax.grad(lambda f, beta: (w * hymg.jax.solve(s, f, beta=beta)).sum(), argnums=(0, 1)))
    by_f, by_beta = value(f, beta)
    wanted = s.gradient(s.solve(np.float64(f)), w, ["f", "beta"])
for x, y in zip((by_f, *by_beta), (wanted["f"], *wanted["beta"])):
    assert x.dtype == np.float32 and np.abs(x - y).max() <= 1.2e-7 * np.abs(y).max()
    # every entry to float32, not only the largest ones, although u is rounded
    assert (np.abs(x - y) <= 1e-6 * np.abs(y) + 1e-12 * np.abs(y).max()).all()
"""


def test_without_float64_in_jax(tmp_path):
    here = __file__.rpartition("/")[0]
    done = subprocess.run([sys.executable, "-c", SINGLE, here], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
