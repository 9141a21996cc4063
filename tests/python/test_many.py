"""Several right-hand sides and batches of solvers: the bits of single solves, and what one that fails leaves of the others."""

import multiprocessing
import warnings

import dense
import numpy as np
import pytest

import hymg

SHAPE = (7, 6, 5)


def made(rng, **more):
    return hymg.Solver(SHAPE, beta=dense.random_beta(rng, SHAPE), spacing=0.1, **more)


def test_many_are_single_solves(rng):
    f = rng.standard_normal((4,) + SHAPE)
    with made(rng) as s:
        expected, results = [], []
        for one in f:
            expected.append(s.solve(one))
            results.append(s.result)
        u = s.solve_many(f)
        assert type(u) is np.ndarray and np.array_equal(u, expected)
        assert [r.history for r in s.results] == [r.history for r in results]
        assert [r.note for r in s.results] == [r.note for r in results]
        assert s.result == s.results[-1] and s.advice() == ""
        listed = s.solve_many(list(f[:, ::-1]))
        assert isinstance(listed, list) and np.array_equal(listed[2], s.solve(f[2, ::-1]))
        out = np.full((5,) + SHAPE, np.nan, dtype=np.float32)
        assert s.solve_many(f, out=out[:4]) is not None
        assert np.array_equal(out[:4], np.float32(expected)) and np.isnan(out[4]).all()
        single = s.solve_many(np.float32(f))
        assert single.dtype == np.float32 and np.array_equal(single[1], s.solve(np.float32(f[1])))
        assert s.solve_many([]) == [] and s.results == ()


def test_many_with_guesses_and_bodies(rng):
    f, guess = rng.standard_normal((2, 3) + SHAPE)
    active = rng.random(SHAPE) > 0.2
    with made(rng, active=active, initial_guess=True, cycle="v", path="robust") as s:
        for guesses in (None, guess):
            expected = [s.solve(one, guess=None if guesses is None else guess[m]) for m, one in enumerate(f)]
            assert np.array_equal(s.solve_many(f, guess=guesses), expected)
    with made(rng) as s, pytest.raises(ValueError, match="guess: only with"):
        s.solve_many(f, guess=guess)


def test_one_that_does_not_converge_or_fails(rng):
    f = rng.standard_normal((3,) + SHAPE)
    with made(rng) as s:
        expected = s.solve_many(f)
        bad = f.copy()
        bad[1, 2, 3, 4] = np.nan
        with pytest.warns(hymg.ConvergenceWarning, match=r"f\[1\]: not finite") as warnings:
            u = s.solve_many(bad)
        assert len(warnings) == 1 and warnings[0].filename == __file__
        assert [r.converged for r in s.results] == [True, False, True]
        assert np.array_equal(u[[0, 2]], expected[[0, 2]])
    with hymg.Solver(SHAPE, boundary="neumann", rhs_mean="error", spacing=0.1) as s:
        f -= f.mean(axis=(1, 2, 3), keepdims=True)
        expected, bad, out = s.solve_many(f), f.copy(), np.full_like(f, np.nan)
        bad[1] = 1
        with pytest.raises(hymg.InvalidArgument, match="right-hand side 1: .*mean"):
            s.solve_many(bad, out=out)
        assert s.results[1] is None and s.results[2].converged
        assert np.array_equal(out[[0, 2]], expected[[0, 2]])


def test_a_monitor_ends_the_call(rng):
    calls = []

    def monitor(cycle, _record):
        calls.append(cycle)
        return calls.count(0) < 2

    with made(rng, monitor=monitor) as s, pytest.warns(hymg.ConvergenceWarning):
        u = s.solve_many(rng.standard_normal((4,) + SHAPE))
    assert [r.reason for r in s.results] == ["tolerance", "stopped", "stopped", "stopped"]
    assert np.isfinite(u[:2]).all() and np.isnan(u[2:]).all()


def test_an_error_in_the_monitor_is_raised(rng):
    def monitor(_cycle, _record):
        raise KeyError("mine")

    with made(rng, monitor=monitor) as s, pytest.raises(KeyError, match="mine"):
        s.solve_many(rng.standard_normal((2,) + SHAPE))


def test_wrong_shapes_are_named(rng):
    f = rng.standard_normal((2,) + SHAPE)
    with made(rng) as s:
        for call, why in (
            (lambda: s.solve_many(f[0]), r"f\[0\]: shape \(6, 5\), but \(7, 6, 5\) is wanted"),
            (lambda: s.solve_many(list(f), out=[f[0]]), "out: 1 entries, but there are 2 right-hand sides"),
            (lambda: hymg.solve_batch([s], f), "f: 2 entries, but there are 1"),
            (lambda: hymg.solve_batch([s, s], f), "solvers: one is named twice"),
        ):
            with pytest.raises(ValueError, match=why):
                call()
        with pytest.raises(TypeError, match="f: the number 3; an array with one axis more"):
            s.solve_many(3)


def test_a_batch_is_as_many_solvers(rng):
    shapes = [(7, 6, 5), (16, 16, 16), (12, 9), (30,), (8, 8, 8), (24, 16, 8)]
    solvers = [hymg.Solver(shape, spacing=0.1, threads=1 + m % 2) for m, shape in enumerate(shapes)]
    f = [rng.standard_normal(shape) for shape in shapes]
    f[3] = np.float32(f[3])
    expected = [s.solve(one) for s, one in zip(solvers, f)]
    histories = [s.result.history for s in solvers]
    u = hymg.solve_batch(solvers, f)
    assert all(np.array_equal(one, other) for one, other in zip(u, expected)) and u[3].dtype == np.float32
    assert [s.result.history for s in solvers] == histories
    f[2][1, 1] = np.inf
    out = [np.empty_like(one) for one in f]
    with pytest.warns(hymg.ConvergenceWarning, match=r"solvers\[2\]: not finite"):
        assert hymg.solve_batch(solvers, f, out=out)[4] is out[4]
    assert all(np.array_equal(out[m], expected[m]) for m in (0, 1, 3, 4, 5))
    for s in solvers:
        s.close()


def test_a_batch_with_one_that_fails(rng):
    f = [rng.standard_normal(SHAPE) for _ in range(3)]
    for one in f:
        one -= one.mean()
    with made(rng) as s, hymg.Solver(SHAPE, boundary="neumann", rhs_mean="error") as strict, made(rng) as other:
        expected = s.solve(f[0]), other.solve(f[2])
        out = [np.full(SHAPE, np.nan) for _ in f]
        f[1] += 1
        with pytest.raises(hymg.InvalidArgument, match="system 1: .*mean"):
            hymg.solve_batch([s, strict, other], f, out=out)
        assert np.array_equal(out[0], expected[0]) and np.array_equal(out[2], expected[1])


def compare_in_child(solvers, f, expected):
    assert all(np.array_equal(one, other) for one, other in zip(hymg.solve_batch(solvers, f), expected))


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
def test_a_batch_in_a_fork_after_one_in_its_parent(rng):
    """The child lacks the threads that the parent's batch has used. A closed solver does no harm there."""
    closed = hymg.Solver(SHAPE)
    closed.close()
    f = [rng.standard_normal((16, 16, 16)) for _ in range(4)]
    solvers = [hymg.Solver((16, 16, 16), spacing=0.1, threads=1, backend="host") for _ in f]
    expected = hymg.solve_batch(solvers, f)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = multiprocessing.get_context("fork").Process(target=compare_in_child, args=(solvers, f, expected))
        child.start()
    child.join(100)
    alive = child.is_alive()
    child.kill()
    child.join()
    assert not alive and child.exitcode == 0 and "closed" in repr(closed)
