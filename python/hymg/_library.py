"""The library's errors, enums and options as Python has them."""

import difflib
import os
from collections.abc import Iterable
from typing import Any

from ._hymg import ffi, lib
from ._words import Axes, enum_words, of_arrays, of_options, option_names, text


class Error(RuntimeError):
    """A call of the library failed: the text names the value and the limit, `status` is as "HYMG_EINVAL"."""

    def __init__(self, status: int, words: str) -> None:
        self.status = text(lib.hymg_status_name(status))
        self._number = status
        super().__init__(words or text(lib.hymg_status_text(status)))

    def __reduce__(self) -> Any:
        """So that multiprocessing can send it to another process."""
        return type(self), (self._number, str(self)), self.__dict__


class InvalidArgument(Error, ValueError):
    """HYMG_EINVAL: a value is not allowed."""


class OutOfMemory(Error, MemoryError):
    """HYMG_ENOMEM: not enough memory on the host or the GPU."""


class Unsupported(Error, NotImplementedError):
    """HYMG_EUNSUPPORTED: not possible in this combination or with this build of the library."""


class ConvergenceWarning(RuntimeWarning):
    """A solve ended before its tolerance; `Solver.result` says why."""


_CLASSES = {lib.HYMG_EINVAL: InvalidArgument, lib.HYMG_ENOMEM: OutOfMemory, lib.HYMG_EUNSUPPORTED: Unsupported}


def check(status: int, context: Any, axes: Axes = (0, 1, 2)) -> None:
    """Raises the exception for a status other than HYMG_OK, with the context's text (context: NULL if there is none)."""
    if status != lib.HYMG_OK:
        why = of_arrays(text(lib.hymg_context_error(context)), axes) if context else ""
        raise _CLASSES.get(status, Error)(status, why)


def enum_value(kind: str, word: str) -> int:
    """The value that the library calls so, as in enum_value("hymg_boundary", "neumann")."""
    value = ffi.new("int *")
    if lib.hymg_enum_value(kind.encode(), str(word).encode(), value):
        return int(value[0])
    raise ValueError(f"{kind[len('hymg_'):]} {word!r}: {one_of(word, list(enum_words(kind)))}")


def nearest(word: Any, known: Iterable[str], meant: Iterable[str] = ()) -> str:
    """What is said of a word that is not known: the one that may have been meant, or else all that are known."""
    near = difflib.get_close_matches(str(word), sorted({*known, *meant}), 1)
    return f"did you mean '{near[0]}'?" if near else f"there are {', '.join(sorted(known))}"


def one_of(word: Any, allowed: list[str]) -> str:
    near = difflib.get_close_matches(str(word), allowed, 1, 0.7)
    rest = f"; did you mean '{near[0]}'?" if near else ""
    return f"one of {', '.join(allowed)}{rest}"


def enum_word(kind: str, value: int) -> str:
    """The library's name for a value."""
    return text(lib.hymg_enum_name(kind.encode(), value))


OPEN = frozenset((lib.HYMG_OPEN, lib.HYMG_OPEN_JAMES))  # boundaries that are so on all faces or none

FILES = ("tuning_file", "probe_file")


def set_options(options: Any, values: dict[str, Any], arguments: Iterable[str] = ()) -> list[Any]:
    """Sets members of a hymg_options by name; returns what must live as long as the options are in use.

    arguments: other names that the caller may have meant.
    """
    alive, error = [], ffi.new("char[]", 1024)
    for name, value in values.items():
        if name not in (*option_names(), *FILES):
            rest = nearest(name, {*option_names(), *FILES}, arguments)
            raise InvalidArgument(lib.HYMG_EINVAL, f"unknown option '{name}'; {rest}")
        if value is None:  # the default
            continue
        if name in FILES:
            alive.append(ffi.new("char[]", os.fsencode(value)))
            setattr(options, name, alive[-1])
            continue
        word = ("no", "yes")[value] if isinstance(value, bool) else value
        if lib.hymg_options_parse(options, f"{name}={word}".encode(), error, len(error)) != lib.HYMG_OK:
            raise InvalidArgument(lib.HYMG_EINVAL, _refused(name, value, text(error)))
    return alive


def _refused(name: str, value: Any, words: str) -> str:
    """What hymg_options_parse says of a value, in Python's terms, with the nearest of the words that are allowed."""
    head, found, allowed = words.partition(": must be one of ")
    if not found:
        return of_options(words).replace("'auto' or", "None or")
    if allowed == "yes, no":
        return f"{name}: {value!r}; True or False is wanted"
    return f"{name} {value!r}: {one_of(value, allowed.split(', '))}"
