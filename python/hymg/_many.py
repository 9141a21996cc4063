"""Several solves by one call of the library: right-hand sides of a solver, and batches of solvers."""

import contextlib
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Optional

from . import _arrays, _process
from ._hymg import ffi, lib
from ._library import ConvergenceWarning
from ._objects import destroy_fields
from ._result import Result, result_of
from ._values import describe

if TYPE_CHECKING:
    from ._solver import Solver


def entries_of(values: Any, name: str, count: Optional[int] = None) -> list[Any]:
    """The arrays of a sequence, or along the first axis of an array; as many as wanted."""
    if not hasattr(values, "__len__") or getattr(values, "ndim", 1) == 0:
        raise TypeError(f"{name}: {describe(values)}; an array with one axis more, or a sequence of arrays is wanted")
    entries = [values[index] for index in range(len(values))]
    if count is not None and len(entries) != count:
        raise ValueError(f"{name}: {len(entries)} entries, but there are {count} right-hand sides")
    return entries


def solutions_for(s: "Solver", f: Any, given: list[Any]) -> Any:
    """New arrays: one where f is one, else a list."""
    if given and getattr(f, "ndim", 0) == len(s.shape) + 1:
        return _arrays.empty_like(f, (len(given), *s.local_shape))
    return [_arrays.empty_like(array, s.local_shape) for array in given]


def right_hand_side(s: "Solver", fields: dict[tuple[str, int], Any], view: _arrays.View, index: int) -> Any:
    """The array itself, or what mask and bodies make of it."""
    if not s._covers[0]:
        fields["f", index] = s._wrap(view)
        return fields["f", index][0]
    field = s._new_field(fields, ("f", index), lib.HYMG_HOST, lib.HYMG_CELL)[0]
    s._copy_in(field, view)
    s._covers[0].add_to(s, field)
    return field


def begin_with(s: "Solver", field: Any, guess: Any) -> None:
    """u before a solve."""
    if guess is not None:
        s._copy_in(field, s._view(guess, "guess"))
    elif s._options.initial_guess:
        s._check(lib.hymg_field_fill(field, 0.0))


def check_guess(s: "Solver", guess: Any) -> None:
    if guess is not None and not s._options.initial_guess:
        raise ValueError("guess: only with Solver(..., initial_guess=True)")


def warn(which: str, result: Result, callers: int) -> None:
    if not result.converged:
        warnings.warn(f"{which}: {result.reason}: {result.note}", ConvergenceWarning, stacklevel=callers + 2)


def solve_many(s: "Solver", f: Any, out: Any, guess: Any) -> Any:
    """Solver.solve_many."""
    fields: dict[tuple[str, int], Any] = {}
    with s._in_use():
        try:
            with s._together():
                check_guess(s, guess)
                given = entries_of(f, "f")
                u = solutions_for(s, f, given) if out is None else out
                arrays = entries_of(u, "out", len(given))
                guesses = [None] * len(given) if guess is None else entries_of(guess, "guess", len(given))
                fs, us, views = [], [], []
                for index, array in enumerate(given):
                    fs.append(right_hand_side(s, fields, s._view(array, f"f[{index}]"), index))
                    views.append(s._view(arrays[index], f"out[{index}]", output=True))
                    fields["u", index] = s._wrap(views[-1])
                    us.append(fields["u", index][0])
                    begin_with(s, us[-1], guesses[index])
            results = ffi.new("hymg_result[]", len(given) + 1)
            s._watch.error = None
            status = lib.hymg_solve_many(s._solver, len(given), fs, us, results)
            s.results = tuple(
                None if results[m].status else result_of(ffi.addressof(results, m), s._axes) for m in range(len(given))
            )
            for field, view in zip(us[-1:], views[-1:]):
                s._wait(field, view)
            s._check(status)
            if given:
                s._keep_result(ffi.new("hymg_result *", results[len(given) - 1]))
        finally:
            destroy_fields(fields)
    for index, result in enumerate(s.results):
        if out is None and result is not None and result.reason == "stopped" and not result.cycles:
            arrays[index][...] = float("nan")
        elif result is not None:
            warn(f"f[{index}]", result, 2)
    return u


def solve_batch(solvers: Sequence["Solver"], f: Any, out: Any = None, guess: Any = None) -> list[Any]:
    """Solves a system for each of several solvers: u[m] by solvers[m] from f[m], with the bits that solvers[m].solve(f[m]) gives.

    solvers  different ones, each with its own shape, coefficients and options
    f        the right-hand sides, as many
    out      arrays for the solutions
    guess    initial guesses; None for a solver without

    Small systems are solved at the same time, one by each thread that OpenMP gives, which is faster than one after the other
    with all threads; solvers on a GPU then work on streams of their own. Solvers with comm= work one after the other.
    Returns a list of arrays, in `out` or new ones; each solver's `result` says how it went, and those that have not converged
    give a ConvergenceWarning each. If some fail, the others are solved all the same and the first hymg.Error is raised: `out`
    has the others. Monitors of several solvers may run in several threads. Errors: those of solve, ValueError for lists of
    different lengths or a solver that is named twice.
    """
    solvers = list(solvers)
    if len(set(map(id, solvers))) < len(solvers):
        raise ValueError("solvers: one is named twice; Solver.solve_many has several right-hand sides")
    given, count = entries_of(f, "f", len(solvers)), len(solvers)
    outs = [None] * count if out is None else entries_of(out, "out", count)
    guesses = [None] * count if guess is None else entries_of(guess, "guess", count)
    solutions, targets = [], []
    with contextlib.ExitStack() as used:
        for s in solvers:
            used.enter_context(s._in_use())
        for index, s in enumerate(solvers):
            with s._together():
                check_guess(s, guesses[index])
                source, u, target = s._views(given[index], f"f[{index}]", outs[index])
                s._copy_in(s._f, source)
                s._covers[0].add_to(s, s._f)
                begin_with(s, s._u, guesses[index])
                s._watch.error = None
            solutions.append(u)
            targets.append(target)
        results = run_batch(solvers)
        errors: list[BaseException] = []
        for s, result, target in zip(solvers, results, targets):
            try:
                s._check(result.status)
                s._copy_out(s._u, target)
                s._keep_result(result)
            except BaseException as error:
                errors.append(error)
        if errors:
            raise errors[0]
    for index, s in enumerate(solvers):
        if s.result is not None:
            warn(f"solvers[{index}]", s.result, 1)
    return solutions


def run_batch(solvers: list["Solver"]) -> list[Any]:
    """The results, each of its own memory."""
    count = len(solvers)
    together = count if _process.use_teams() else 1  # else one after the other
    kept = [ffi.new("hymg_result *") for _ in solvers]
    for first in range(0, count, together):
        part = solvers[first : first + together]
        results = ffi.new("hymg_result[]", len(part))
        handles = [s._solver for s in part], [s._f for s in part], [s._u for s in part]
        lib.hymg_solve_batch(len(part), *handles, results)
        for index in range(len(part)):
            kept[first + index][0] = results[index]
    return kept
