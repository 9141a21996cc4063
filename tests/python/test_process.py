"""Several processes: what is sent between them, forks, and the end of the interpreter."""

import concurrent.futures
import copy
import inspect
import multiprocessing
import os
import pickle
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import dense
import hymg

SHAPE = (8, 6, 5)
OPENMP = pytest.mark.skipif(not hymg.build_info()["openmp"], reason="this library has no OpenMP")


def run(code, **environment):
    """What a Python of its own prints; it must end by itself and without an error."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0 and done.stderr == "", (done.returncode, done.stderr)
    return done.stdout


# ---- what is sent ----


def failed(**arguments):
    with pytest.raises(hymg.Error) as caught:
        hymg.Solver(SHAPE, **arguments)
    return caught.value


def test_errors_pickle_with_class_status_and_text():
    class_and_arguments = {
        hymg.InvalidArgument: {"b": -1.0},
        hymg.Unsupported: {"stencil": "fv4", "boundary": "neumann", "path": "standard"},
    }
    for kind, arguments in class_and_arguments.items():
        error = failed(**arguments)
        for same in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
            assert type(same) is kind and same.status == error.status and str(same) == str(error) != ""


def no_solver(cells):
    hymg.Solver((cells, 8, 8))


def test_errors_come_back_from_workers():
    spawn = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=spawn) as executor:
        with pytest.raises(hymg.InvalidArgument, match="0 cells along axis 0") as caught:
            executor.submit(no_solver, 0).result(timeout=60)
    assert caught.value.status == "HYMG_EINVAL"
    with spawn.Pool(1) as pool:
        with pytest.raises(hymg.InvalidArgument, match="0 cells along axis 0"):
            pool.map_async(no_solver, [0]).get(timeout=60)


def described_solvers(rng):
    wall = rng.random((1, 6, 5))
    yield {"spacing": (0.1, 0.2, 0.3), "rtol": 1e-11, "max_cycles": 30}
    yield {"alpha": rng.random(SHAPE), "beta": dense.random_beta(rng, SHAPE), "b": 2.0, "threads": 1}
    yield {"alpha": 2.0, "beta": 3.0, "boundary": ("dirichlet", ("neumann", "dirichlet"), "periodic"), "order": "F"}
    yield {"boundary_values": ((None, wall), None, (1.0, None)), "order": "F", "extrapolation": "linear"}
    yield {"boundary": "robin", "robin_alpha": ((wall, 2.0), None, None), "robin_beta": ((1.0, 0.5), None, None)}
    yield {"boundary": "neumann", "fixed": np.where(rng.random(SHAPE) < 0.1, 2.5, np.nan)}
    yield {"widths": (rng.random(8) + 0.5, None, [1.0, 2, 3, 2, 1]), "cuts": ([3, 5], None, None)}
    distance = np.arange(9.0)[:, None, None] - 1.7 + np.zeros([n + 1 for n in SHAPE])
    yield {"active": rng.random(SHAPE) < 0.9, "body": [hymg.Body(distance, condition="dirichlet", value=2.0)]}


def test_a_description_makes_the_same_solver(rng):
    f = rng.standard_normal(SHAPE)
    for arguments in described_solvers(rng):
        with hymg.Solver(SHAPE, **arguments) as s:
            u, description = s.solve(f), s.description()
            words = inspect.signature(hymg.Solver).parameters
            assert set(words) - {"options", "comm", "stream", "monitor"} <= set(description)
            for make in (
                lambda s=s: hymg.Solver(**pickle.loads(pickle.dumps(s.description()))),
                lambda s=s: pickle.loads(pickle.dumps(s)),
                lambda s=s: copy.deepcopy(s),
            ):
                with make() as same:
                    assert np.array_equal(same.solve(f), u) and same.result.history == s.result.history


def test_a_description_has_the_present_coefficients_and_no_memory_of_the_solver(rng):
    f, alpha, new = rng.standard_normal(SHAPE), rng.random(SHAPE), rng.random(SHAPE)
    with hymg.Solver(SHAPE, alpha=alpha) as s:
        s.update(alpha=new, b=3.0)
        description = s.description()
        assert np.array_equal(description["alpha"], new) and description["b"] == 3.0
        u = s.solve(f)
        description["alpha"][...] = 7.0
        assert np.array_equal(s.solve(f), u)


def monitor(_cycle, _record):
    return False


def test_pickles_have_the_monitor_and_no_stream():
    with hymg.Solver(SHAPE, monitor=monitor, path="standard") as s:
        with pytest.warns(hymg.ConvergenceWarning, match="stopped"):
            pickle.loads(pickle.dumps(s)).solve(np.ones(SHAPE))
    with hymg.Solver(SHAPE, stream=0) as s:
        with pytest.raises(TypeError, match="a Solver with stream= belongs to its process; send its description"):
            pickle.dumps(s)


def solve_ones(s):
    return s.solve(np.ones(SHAPE))


def test_a_worker_gets_a_solver(rng):
    with hymg.Solver(SHAPE, alpha=rng.random(SHAPE)) as s:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            assert np.array_equal(pool.map_async(solve_ones, [s]).get(timeout=60)[0], solve_ones(s))


# ---- forks ----

FORKED = """
    import multiprocessing, os, numpy as np, hymg
    n = (32, 32, 32)
    def one(k):
        with hymg.Solver(n, spacing=1 / 32, backend="host") as s:
            return s.solve(np.full(n, float(k))).max(), hymg._hymg.lib.hymg_context_threads(s._context)
    expected = [one(k) for k in (1, 2, 3)]
    old, single = (hymg.Solver(n, threads=t, backend="host") for t in (2, 1))
    def refused(call):
        try:
            call()
        except (RuntimeError, ValueError) as error:
            return str(error)
    def child(_):
        old_text = refused(lambda: old.solve(np.ones(n)))
        new_text = refused(lambda: hymg.Solver(n, threads=2))
        old.close()
        return old_text, new_text, np.array_equal(single.solve(np.ones(n)), alone)
    alone = single.solve(np.ones(n))
    with multiprocessing.get_context("fork").Pool(2) as pool:
        got = pool.map_async(one, [1, 2, 3]).get(timeout=60)
        words = pool.map_async(child, [0]).get(timeout=60)[0]
    assert [u for u, _ in got] == [u for u, _ in expected] and [t for _, t in got] == [1, 1, 1], got
    assert "made before this process was forked, with 2 threads" in words[0], words
    assert "threads 2: 1 at most, as this process was forked after hymg had used OpenMP" in words[1], words
    assert words[2]
    assert old.solve(np.ones(n)).shape == n
    print("fine")
"""


@OPENMP
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_after_a_fork_there_is_one_thread_and_old_teams_are_refused():
    assert run(FORKED, OMP_NUM_THREADS="2") == "fine\n"


# ---- the end of the interpreter ----

ENDING = """
    import threading, time, numpy as np, hymg
    n = (48, 48, 48)
    f = np.random.default_rng(1).standard_normal(n)
    started = threading.Event()
    s = hymg.Solver(n, rtol=1e-300, max_cycles=10000, norm="2", monitor=lambda *_: started.set())
    def work():
        while True:
            {call}
    threading.Thread(target=work, daemon=True).start()
    {wait}
    print("leaving", flush=True)
"""
CALLS = {
    "solve": ("s.solve(f)", "started.wait()"),
    "apply": ("s.apply(f)", "time.sleep(0.1)"),
    "create": ("hymg.Solver(n, alpha=f * f).solve(f)", "time.sleep(0.1)"),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_daemon_thread_in_the_library_does_not_crash_the_end(name):
    call, wait = CALLS[name]
    for _ in range(3):
        assert run(ENDING.format(call=call, wait=wait), PYTHONWARNINGS="ignore") == "leaving\n"


def test_solvers_can_be_used_until_the_end():
    code = """
        import atexit, numpy as np, hymg
        s = hymg.Solver((8, 8, 8))
        atexit.register(lambda: print(s.solve(np.ones((8, 8, 8))).shape))
    """
    assert run(code) == "(8, 8, 8)\n"
