"""The library's errors, enums and options as Python has them."""

import itertools
import os
import re
from collections.abc import Iterator
from typing import Any

from ._hymg import ffi, lib


class Error(RuntimeError):
    """A call of the library failed: the text names the value and the limit, `status` is as "HYMG_EINVAL"."""

    def __init__(self, status: int, text: str) -> None:
        self.status = ffi.string(lib.hymg_status_name(status)).decode()
        super().__init__(text or ffi.string(lib.hymg_status_text(status)).decode())


class InvalidArgument(Error, ValueError):
    """HYMG_EINVAL: a value is not allowed."""


class OutOfMemory(Error, MemoryError):
    """HYMG_ENOMEM: not enough memory on the host or the GPU."""


class Unsupported(Error, NotImplementedError):
    """HYMG_EUNSUPPORTED: not possible in this combination or with this build of the library."""


class ConvergenceWarning(RuntimeWarning):
    """A solve ended before its tolerance; `Solver.result` says why."""


_CLASSES = {lib.HYMG_EINVAL: InvalidArgument, lib.HYMG_ENOMEM: OutOfMemory, lib.HYMG_EUNSUPPORTED: Unsupported}


def text(string: Any) -> str:
    return ffi.string(string).decode(errors="replace") if string else ""


def check(status: int, context: Any, axes: str = "") -> None:
    """Raises the exception for a status other than HYMG_OK, with the context's text (context: NULL if there is none).

    axes: what to add to a text that speaks of the axes x, y or z.
    """
    if status != lib.HYMG_OK:
        why = text(lib.hymg_context_error(context)) if context else ""
        raise _CLASSES.get(status, Error)(status, why + axes if re.search(r"\b[xyz]\b", why) else why)


def enum_value(kind: str, word: str) -> int:
    """The value that the library calls so, as in enum_value("hymg_boundary", "neumann")."""
    value = ffi.new("int *")
    if lib.hymg_enum_value(kind.encode(), str(word).encode(), value):
        return int(value[0])
    raise ValueError(f"{kind[len('hymg_'):]} '{word}': one of {', '.join(_enum_words(kind))}")


def enum_word(kind: str, value: int) -> str:
    """The library's name for a value."""
    return text(lib.hymg_enum_name(kind.encode(), value))


def _enum_words(kind: str) -> Iterator[str]:
    name = ffi.new("char **")
    for index in itertools.count():
        if not lib.hymg_enum_entry(kind.encode(), index, name, ffi.NULL):
            return
        yield text(name[0])


FILES = ("tuning_file", "probe_file")


def set_options(options: Any, values: dict[str, Any]) -> list[Any]:
    """Sets members of a hymg_options by name; returns what must live as long as the options are in use."""
    alive, error = [], ffi.new("char[]", 1024)
    for name, value in values.items():
        if name in FILES:
            alive.append(ffi.new("char[]", os.fsencode(value)))
            setattr(options, name, alive[-1])
            continue
        word = ("no", "yes")[value] if isinstance(value, bool) else value
        if lib.hymg_options_parse(options, f"{name}={word}".encode(), error, len(error)) != lib.HYMG_OK:
            raise InvalidArgument(lib.HYMG_EINVAL, text(error))
    return alive
