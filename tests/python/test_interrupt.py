"""Ctrl-C, threads and memory."""

import gc
import os
import signal
import threading
import time
import weakref

import numpy as np
import pytest

import hymg

SHAPE = (64, 64, 64)
# slow to converge: some 20 cycles
SLOW = {"path": "standard", "smoother": "jacobi", "sweeps": 2, "max_cycles": 1000, "rtol": 1e-9, "cycle": "v"}


@pytest.fixture
def f(rng):
    return rng.standard_normal(SHAPE)


def test_ctrl_c_in_a_monitor_ends_the_solve_after_that_cycle():
    def monitor(cycle, _record):
        if cycle == 2:
            signal.raise_signal(signal.SIGINT)
            sum(range(100))  # the interpreter looks for signals between its steps

    f = np.ones((16, 16, 16))
    with hymg.Solver(f.shape, path="standard", monitor=monitor) as s:
        with pytest.raises(KeyboardInterrupt):
            s.solve(f)
        assert s.result.reason == "stopped" and s.result.cycles == 3


def test_ctrl_c_during_a_solve_ends_it_and_the_solver_can_go_on(f):
    with hymg.Solver(SHAPE, **SLOW) as s:
        u = s.solve(f)
        cycles = s.result.cycles
        for _ in range(5):  # where other programs slowed the solve before, the signal may come after the end of the next
            timer = threading.Timer(0.3 * s.result.seconds, os.kill, (os.getpid(), signal.SIGINT))
            with pytest.raises(KeyboardInterrupt):
                timer.start()
                s.solve(f)
                timer.join()
            if s.result.reason == "stopped":
                break
        assert s.result.reason == "stopped" and 0 < s.result.cycles < cycles
        assert np.array_equal(s.solve(f), u)


def test_exceptions_of_the_monitor_come_out_of_solve():
    def monitor(_cycle, _record):
        raise LookupError("mine")

    with hymg.Solver((16, 16, 16), monitor=monitor) as s:
        with pytest.raises(LookupError, match="mine"):
            s.solve(np.ones((16, 16, 16)))
        assert s.result.cycles == 1


def test_other_threads_run_during_a_solve(f):
    with hymg.Solver(SHAPE, path="standard", smoother="jacobi", sweeps=40, method="fmg") as s:
        thread = threading.Thread(target=s.solve, args=(f,))
        start, steps = time.perf_counter(), 0
        thread.start()
        while thread.is_alive():
            time.sleep(0.001)
            steps += 1
        assert steps > 100 * (time.perf_counter() - start) and steps > 5


def test_a_solver_in_use_refuses_other_calls():
    refused = []

    def monitor(_cycle, _record):
        for call in (lambda: s.solve(f), lambda: s.update(b=2.0), s.close, lambda: s.apply(f)):
            with pytest.raises(RuntimeError, match="the solver is in use"):
                call()
            refused.append(call)

    f = np.ones((8, 8, 8))
    s = hymg.Solver(f.shape, monitor=monitor)
    s.solve(f)
    assert len(refused) == 4 * s.result.cycles > 0


def test_two_solvers_work_at_once(f):
    solvers = [hymg.Solver(SHAPE, threads=1) for _ in range(2)]
    expected = solvers[0].solve(f)
    results = [None, None]
    threads = [threading.Thread(target=lambda i=i: results.__setitem__(i, solvers[i].solve(f))) for i in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert all(np.array_equal(u, expected) for u in results)


def resident():
    """Bytes of memory that this process uses now."""
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def use_everything():
    n = 24
    ones = np.ones((n, n, n))
    s = hymg.Solver(ones.shape, alpha=ones, threads=1, boundary_values=((1.0, None), None, None))
    s.solve(ones)
    s.update(alpha=2 * ones)
    for bad in (-1.0, np.full(ones.shape, np.nan)):
        with pytest.raises(hymg.Error):
            s.update(alpha=bad)
        with pytest.raises(hymg.Error):
            hymg.Solver(ones.shape, alpha=bad)
    s.as_linear_operator().matvec(ones.ravel())


def test_nothing_leaks():
    pytest.importorskip("scipy")
    for _ in range(10):
        use_everything()
    gc.collect()
    before = resident()
    for _ in range(60):
        use_everything()
    gc.collect()
    assert resident() - before < 60 * 24**3 * 8  # one vector per round would be as much


def test_the_last_reference_frees_the_solver():
    gc.disable()
    try:
        s = hymg.Solver((8, 8, 8))
        s.solve(np.ones((8, 8, 8)))
        finalizer, watched = s._finalizer, weakref.ref(s)
        del s
        assert watched() is None and not finalizer.alive
    finally:
        gc.enable()
