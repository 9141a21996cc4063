"""What becomes of solvers when the process forks, and when the interpreter ends."""

import atexit
import os
import threading
import weakref
from typing import Any

END_SECONDS = 60  # how long the end of the interpreter waits for a cycle that runs in another thread


class _State:
    forked = False  # this process was made by a fork, with hymg imported
    teams = False  # a solver of this process had several threads
    lost_teams = False  # so had one of the process that forked: OpenMP would wait for its threads for ever
    ending = False


_live: "weakref.WeakSet[Any]" = weakref.WeakSet()


def adopt(solver: Any, threads: int) -> None:
    """From now on the solver is told of forks, and closed when the interpreter ends."""
    _State.teams = _State.teams or threads > 1
    _live.add(solver)


def threads_here(threads: int) -> int:
    """The threads for a new solver (0: OpenMP's default): one in a forked process, unless asked for."""
    if not _State.forked:
        return threads
    if threads > 1 and _State.lost_teams:
        raise ValueError(
            f"threads {threads}: 1 at most, as this process was forked after hymg had used OpenMP, whose threads a "
            'fork does not copy; start processes by "spawn" or "forkserver"'
        )
    return threads or 1


def use_teams() -> bool:
    """May the library use threads of OpenMP for several solvers at once? Then a later fork must not."""
    if _State.lost_teams:
        return False
    _State.teams = True
    return True


def wait_if_ending() -> None:
    """At the end of the interpreter threads that are still there stay here; they must not call the library."""
    if _State.ending and threading.current_thread() is not threading.main_thread():
        threading.Event().wait()


def _after_fork() -> None:
    _State.forked = True
    _State.lost_teams = _State.lost_teams or _State.teams
    _State.teams = False
    for solver in list(_live):
        solver._after_fork()


def _end() -> None:
    """Closes all solvers, the last made first, with several ranks in the same order on all of them."""
    _State.ending = True
    for solver in sorted(_live, key=lambda solver: -solver._number):
        solver._end(END_SECONDS)


os.register_at_fork(after_in_child=_after_fork)
atexit.register(_end)
