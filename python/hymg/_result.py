"""What a solve did, cycle by cycle, and the monitor that the library calls after each."""

from collections.abc import Callable
from typing import Any, NamedTuple, Optional

from ._hymg import ffi
from ._library import enum_word
from ._ranks import Interrupts
from ._values import describe
from ._words import Axes, of_arrays, text


class Cycle(NamedTuple):
    """The residual after a cycle or an iteration."""

    kind: str  # "f", "v", "w", "cg" or "bicgstab"
    residual: float  # norm of f - A u, f with the boundary data
    relative: float  # the same over the norm of f


class Result(NamedTuple):
    """What a solve did."""

    converged: bool
    reason: str  # "tolerance", "limit", "stagnated", "diverged", "not finite" or "stopped"
    cycles: int
    residual: float  # of the last cycle
    residual_relative: float
    history: tuple[Cycle, ...]
    rhs_norm: float  # of f, with the boundary data and without the mean
    mean_removed: float  # mean of f that was subtracted (of the worst singular piece), 0 if the system is not singular
    pieces: int  # parts of the grid connected by faces of beta > 0; 1 if no beta is 0
    singular_pieces: int  # those in which nothing holds u, so that its mean over each is 0
    seconds: float
    path: str  # "standard" or "robust"
    precision: str  # "double" or "mixed"
    note: str  # why that path, and what else is worth knowing


Monitor = Callable[[int, Cycle], Optional[bool]]


class Watch:
    """What the library's monitor calls: the user's function, and what ended a solve: an exception, or Ctrl-C."""

    def __init__(self, function: Optional[Monitor]) -> None:
        if function is not None and not callable(function):
            raise TypeError(f"monitor: {describe(function)}; a function of (cycle, record) is wanted")
        self.function = function
        self.error: Optional[BaseException] = None
        self.interrupts = Interrupts()  # with several ranks


def _keep_error(_kind: type, error: BaseException, traceback: Any) -> None:
    ffi.from_handle(traceback.tb_frame.f_locals["user"]).error = error


# Between two cycles the interpreter runs: a Ctrl-C that has arrived is raised here, as KeyboardInterrupt, or noted.
@ffi.def_extern(error=False, onerror=_keep_error)  # type: ignore[untyped-decorator]
def hymg_python_monitor(record: Any, cycle: int, user: Any) -> bool:
    watch = ffi.from_handle(user)
    goes_on = watch.function is None or watch.function(cycle, _cycle(record)) is not False
    return goes_on and not watch.interrupts


def _cycle(record: Any) -> Cycle:
    return Cycle(enum_word("hymg_cycle_kind", record.kind), record.residual_max, record.residual_relative)


def result_of(result: Any, axes: Axes) -> Result:
    """A hymg_result, with all that it points to."""
    return Result(
        converged=result.converged,
        reason=enum_word("hymg_reason", result.reason),
        cycles=result.cycles,
        residual=result.residual_max,
        residual_relative=result.residual_relative,
        history=tuple(_cycle(result.history[i]) for i in range(result.cycles)),
        rhs_norm=result.rhs_max,
        mean_removed=result.mean_removed,
        pieces=result.pieces,
        singular_pieces=result.singular_pieces,
        seconds=result.seconds,
        path=enum_word("hymg_path", result.path),
        precision=enum_word("hymg_precision", result.precision),
        note=of_arrays(text(result.note), axes),
    )
