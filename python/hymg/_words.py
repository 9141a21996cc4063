"""The library's texts in Python's terms: axes and cells in the order of the arrays, options as Python writes them."""

import functools
import itertools
import re
from collections.abc import Iterator
from typing import Any

from ._hymg import ffi, lib

# The arrays' axis for each of the library's x, y and z; those that are missing have one cell
Axes = tuple[int, ...]

_LETTER = re.compile(r"\b(along|axis) ([xyz])\b")
_FACE = re.compile(r"\bface ([xyz])([-+])(?!\w)")
_WALL = re.compile(r"\b([xyz])([-+]) wall\b")
_FACES = re.compile(r"\b([xyz]) faces\b")
_CELL = re.compile(r"\((-?\d+), (-?\d+), (-?\d+)\)")
_EXTENTS = re.compile(r"(?<![\w.])(-?\d+|\[\d+, \d+\)) x (-?\d+|\[\d+, \d+\)) x (-?\d+|\[\d+, \d+\))(?![\w.])")
# members of hymg.h's descriptions that have one entry per axis or per face
_PER_AXIS = re.compile(r"\b(n|spacing|boxes|widths|cuts|coordinate|origin|beta|flux)\[([0-2])\]")
_PER_FACE = re.compile(
    r"\b(boundary_data|boundary_constant|boundary|robin_alpha|robin_beta)(?:_constant)?\[([0-5])\]"
)
_NAMES = {
    "n": "shape",
    "coordinate": "geometry",
    "boundary_data": "boundary_values",
    "boundary_constant": "boundary_values",
}
# enums that C's texts name with a value behind them, as in "path robust"
_CHOICES = ("method", "path", "precision", "memory", "smoother", "backend", "transport", "extrapolation")
_OF_A_PROGRAM = re.compile(r" \(hymg-fv --[^)]*\)")
_EXTRAPOLATION = re.compile(r"\bHYMG_EXTRAPOLATION_([A-Z]+)\b")
_SIDES = {"-": "low", "+": "high"}


def text(string: Any) -> str:
    """A string of C; "" for NULL."""
    return ffi.string(string).decode(errors="replace") if string else ""


def enum_words(kind: str) -> Iterator[str]:
    """The library's names for the values of an enum."""
    name = ffi.new("char **")
    for index in itertools.count():
        if not lib.hymg_enum_entry(kind.encode(), index, name, ffi.NULL):
            return
        yield text(name[0])


@functools.lru_cache(maxsize=None)
def option_names() -> tuple[str, ...]:
    """The options that hymg_options_parse knows, as Python writes them."""
    info = ffi.new("hymg_option_info *")
    names: list[str] = []
    while lib.hymg_option_get(len(names), info):
        names.append(text(info.key).replace("-", "_"))
    return tuple(names)


@functools.lru_cache(maxsize=None)
def _option_patterns() -> tuple[Any, Any, Any]:
    """For an option with its value, as key=value and as two words, and for the name of one that C writes with hyphens."""
    keys = sorted((name.replace("_", "-") for name in option_names()), key=len, reverse=True)
    hyphened = "|".join(key for key in keys if "-" in key)
    choices = "|".join(rf"{key} (?:{'|'.join(enum_words('hymg_' + key))})" for key in _CHOICES)
    return (
        re.compile(rf"\b({'|'.join(keys)})=([a-z][\w-]*)"),
        re.compile(rf"\b({choices})\b"),
        re.compile(rf"(?<![\w-])({hyphened})(?![\w-])"),
    )


def of_options(words: str) -> str:
    """A text of the library with its options as Python writes them."""

    def assignment(found: Any) -> str:
        value = {"yes": "True", "no": "False"}.get(found[2], f'"{found[2]}"')
        return f"{found[1]}={value}"

    def choice(found: Any) -> str:
        name, value = found[1].split()
        return f'{name}="{value}"'

    with_value, two_words, hyphened = _option_patterns()
    words = two_words.sub(choice, _OF_A_PROGRAM.sub("", words))
    words = _EXTRAPOLATION.sub(lambda found: f'extrapolation="{found[1].lower()}"', words)
    return str(hyphened.sub(lambda found: found[1].replace("-", "_"), with_value.sub(assignment, words)))


def of_arrays(words: str, axes: Axes) -> str:
    """A text of the library with the arrays' axes for x, y and z. axes[0]: the one that the library calls x."""

    def axis(letter: str) -> str:
        h = "xyz".index(letter)
        return f"axis {axes[h]}" if h < len(axes) else "an axis of one cell that the arrays lack"

    def reordered(found: Any) -> list[str]:
        return [found[1 + axes.index(i)] for i in range(len(axes))]

    def cell(found: Any) -> str:
        return f"({', '.join(reordered(found))}{',' * (len(axes) == 1)})"

    def extents(found: Any) -> str:
        return " x ".join(reordered(found))

    def member(found: Any) -> str:
        h = int(found[2])
        return f"{_NAMES.get(found[1], found[1])}[{axes[h]}]" if h < len(axes) else str(found[0])

    def face_member(found: Any) -> str:
        h, side = divmod(int(found[2]), 2)
        return f"{_NAMES.get(found[1], found[1])}[{axes[h]}][{side}]" if h < len(axes) else str(found[0])

    words = _LETTER.sub(lambda found: ("along " if found[1] == "along" else "") + axis(found[2]), words)
    words = _FACE.sub(lambda found: f"the {_SIDES[found[2]]} face of {axis(found[1])}", words)
    words = _WALL.sub(lambda found: f"the {_SIDES[found[2]]} wall of {axis(found[1])}", words)
    words = _FACES.sub(lambda found: f"faces of {axis(found[1])}", words)
    words = _EXTENTS.sub(extents, _CELL.sub(cell, words))
    words = _PER_FACE.sub(face_member, words)
    return of_options(_PER_AXIS.sub(member, words))
