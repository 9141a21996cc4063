"""Numbers, triples and pairs as callers give them, and texts for those that are something else."""

import operator
from typing import Any

import numpy as np

from ._hymg import ffi

LARGEST = 2**31 - 1  # int of C


def describe(value: Any) -> str:
    """What was given, for messages."""
    dtype = getattr(value, "dtype", None)
    if dtype is not None and not isinstance(value, np.number):
        return f"{type(value).__name__} of {dtype}"
    if isinstance(value, (str, bytes)):
        return f"the text {value!r}"
    if value is None:
        return "None"
    return f"the number {value}" if isinstance(value, (int, float, complex, np.number)) else type(value).__name__


def refuse_masked(value: Any, name: str) -> None:
    """Masked entries have no value. A masked array in which none is masked is an array like others."""
    if isinstance(value, np.ma.MaskedArray):
        count = int(np.ma.count_masked(value))  # type: ignore[no-untyped-call]
        if count:
            raise TypeError(
                f"{name}: {count} of {value.size} entries are masked, but all must have a value; "
                "numpy.ma.filled gives them one"
            )
    elif isinstance(value, (list, tuple)):
        for part in value:
            refuse_masked(part, name)


def as_double(array: Any, name: str) -> np.ndarray:
    """A float64 NumPy array of real numbers."""
    refuse_masked(array, name)
    by_dlpack = hasattr(array, "__dlpack__") and not any(
        hasattr(array, f"__array{rest}__") for rest in ("", "_interface")
    )
    try:
        numbers = np.from_dlpack(array) if by_dlpack else np.asarray(array)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    if not np.can_cast(numbers.dtype, np.float64, "same_kind"):
        given = describe(numbers if isinstance(array, (list, tuple)) else array)
        raise TypeError(f"{name}: {given}; real numbers are wanted")
    return numbers.astype(np.float64, copy=False)


def broadcast(array: np.ndarray, shape: tuple[int, ...], name: str) -> np.ndarray:
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        raise ValueError(f"{name}: shape {array.shape} does not broadcast to {shape}") from None


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) or (isinstance(value, np.ndarray) and value.ndim == 0)


def number(value: Any, name: str) -> float:
    refuse_masked(value, name)
    if getattr(value, "ndim", 0) == 0 and not isinstance(value, (str, bytes)):
        try:
            return float(value)
        except (TypeError, ValueError):
            pass
    raise TypeError(f"{name}: {describe(value)}; a real number is wanted")


def whole(value: Any, name: str) -> int:
    """A number that C takes as an int."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: {describe(value)}; a whole number is wanted") from None
    if abs(number) > LARGEST:
        raise ValueError(f"{name}: the number {number}; at most {LARGEST} is possible")
    return number


def is_sequence(value: Any) -> bool:
    return isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim > 0)


def per_axis(value: Any, name: str, axes: int) -> tuple[Any, ...]:
    """As many values as there are axes, from so many or from one for all.

    What the only axis of a line has several of, such as a pair or the widths of its cells, may also be given alone.
    """
    refuse_masked(value, name)
    values = tuple(value) if is_sequence(value) else (value,) * axes
    if axes == 1 and len(values) != 1:
        return (value,)
    if len(values) != axes:
        raise ValueError(f"{name}: {len(values)} values, but one for all axes or one for each of the {axes} is wanted")
    return values


def pair(value: Any, name: str) -> tuple[Any, Any]:
    """What is given for the low and the high side of an axis."""
    if not is_sequence(value):
        raise TypeError(f"{name}: {describe(value)}; None or a pair (low, high) is wanted")
    if len(value) != 2:
        raise ValueError(f"{name}: {len(value)} values, but a pair (low, high) is wanted")
    return value[0], value[1]


def numbers(kind: str, values: Any, count: int, name: str) -> Any:
    """An array of C with `count` numbers, kind "int" or "double"."""
    refuse_masked(values, name)
    if isinstance(values, (str, bytes)) or not hasattr(values, "__len__") or getattr(values, "ndim", 1) == 0:
        raise TypeError(f"{name}: {describe(values)}; {count} numbers are wanted")
    if getattr(values, "ndim", 1) != 1:
        raise ValueError(f"{name}: shape {tuple(values.shape)}, but {(count,)} is wanted")
    if len(values) != count:
        raise ValueError(f"{name}: {len(values)} numbers, but {count} are wanted")
    convert = whole if kind == "int" else number
    return ffi.new(f"{kind}[]", [convert(value, f"{name}[{index}]") for index, value in enumerate(values)])
