"""The library's errors, enums and options as Python has them."""

import re
from typing import Any

from ._hymg import ffi, lib


class Error(RuntimeError):
    """A call of the library failed. The text names the value and the limit; `status` is a name such as "HYMG_EINVAL"."""

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


_CLASSES = {
    lib.HYMG_EINVAL: InvalidArgument,
    lib.HYMG_ENOMEM: OutOfMemory,
    lib.HYMG_EUNSUPPORTED: Unsupported,
}


def text(string: Any) -> str:
    return ffi.string(string).decode(errors="replace") if string else ""


def check(status: int, context: Any, axes: str = "") -> None:
    """Raises the exception for a status other than HYMG_OK, with the context's text (context: NULL if there is none).

    axes: what to add to a text that speaks of the axes x, y or z.
    """
    if status != lib.HYMG_OK:
        why = text(lib.hymg_context_error(context)) if context else ""
        raise _CLASSES.get(status, Error)(status, why + axes if re.search(r"\b[xyz]\b", why) else why)


def enum_value(kind: Any, word: Any) -> int:
    """The value of an enumerator by the end of its name: "jacobi" is HYMG_JACOBI, "linear" HYMG_EXTRAPOLATION_LINEAR."""
    name = str(word).upper()
    for full, value in kind.relements.items():
        if full == f"HYMG_{name}" or full.endswith(f"_{name}"):
            return value
    known = ", ".join(full[len("HYMG_"):].lower() for full in kind.elements.values())
    raise ValueError(f"{kind.cname} '{word}': one of {known}")


def set_options(options: Any, values: dict[str, Any]) -> list[Any]:
    """Sets members of a hymg_options by name; returns what must live as long as the options are in use."""
    fields = dict(ffi.typeof(options[0]).fields)
    alive = []
    for name, value in values.items():
        if name not in fields or fields[name].type.kind == "pointer" and name not in ("tuning_file", "probe_file"):
            raise TypeError(f"unknown option '{name}'; there are {', '.join(fields)}")
        kind = fields[name].type
        if kind.kind == "enum":
            value = enum_value(kind, value)
        elif kind.kind == "pointer" and value is not None:
            value = ffi.new("char[]", str(value).encode())
            alive.append(value)
        elif value is None:
            value = ffi.NULL
        setattr(options, name, value)
    return alive
