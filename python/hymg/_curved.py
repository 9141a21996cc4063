"""Curved coordinates: what the axes of the arrays measure and those that planes and lines lack; volumes and areas."""

import math
from typing import Any, NamedTuple, Optional

from ._library import nearest
from ._values import describe, is_sequence

# What a word stands for, by the number of axes
_WORDS: dict[str, dict[int, tuple[str, ...]]] = {
    "cylinder": {3: ("radius", "azimuth", "length"), 2: ("radius", "length"), 1: ("radius",)},
    "polar": {2: ("radius", "azimuth")},
    "sphere": {3: ("radius", "colatitude", "azimuth"), 2: ("radius", "colatitude"), 1: ("radius",)},
    "lat-lon": {3: ("length", "latitude", "azimuth"), 2: ("latitude", "azimuth"), 1: ("latitude",)},
}
_KINDS = ("length", "radius", "azimuth", "colatitude", "latitude")
_ALIASES = {"longitude": "azimuth", "height": "length", "z": "length", "r": "radius"}
# From where and how far the coordinates go that the arrays lack: all the way round
_WHOLE = {"azimuth": (0.0, 2 * math.pi), "colatitude": (0.0, math.pi), "length": (0.0, 1.0)}


class Coordinates(NamedTuple):
    """Of the axes of the arrays, then of those that they lack."""

    own: tuple[str, ...]
    others: tuple[str, ...]

    def origin_and_width(self, other: int) -> tuple[float, float]:
        """Of an axis that the arrays lack, which has one cell."""
        return _WHOLE[self.others[other]]


def coordinates(geometry: Any, axes: int) -> Optional[Coordinates]:
    """Of a solver's geometry: None, a word, or the kind of every axis of the arrays."""
    if geometry is None:
        return None
    if isinstance(geometry, str):
        known = _WORDS.get(geometry)
        if known is None:
            raise ValueError(f"geometry: '{geometry}'; {nearest(geometry, _WORDS)}")
        if axes not in known:
            possible = " or ".join(map(str, sorted(known)))
            raise ValueError(f"geometry: '{geometry}' with a shape of {axes}; {possible} is possible")
        own = known[axes]
        return Coordinates(own, _missing(own, geometry == "sphere"))
    if not is_sequence(geometry):
        raise TypeError(f"geometry: {describe(geometry)}; a word or one coordinate per axis is wanted")
    own = tuple(_ALIASES.get(str(kind), str(kind)) for kind in geometry)
    for kind in own:
        if kind not in _KINDS:
            raise ValueError(f"geometry: the coordinate '{kind}'; {nearest(kind, _KINDS, _ALIASES)}")
    if len(own) != axes:
        raise ValueError(f"geometry: {len(own)} coordinates, but one for each of the {axes} axes is wanted")
    if own == ("radius",):
        raise ValueError("geometry: a radius alone; 'cylinder' or 'sphere' says of what")
    return Coordinates(own, _missing(own, False))


def _missing(own: tuple[str, ...], sphere: bool) -> tuple[str, ...]:
    """The coordinates that make those of space; lengths if there are none, of which the library will complain."""
    polar = "colatitude" in own or "latitude" in own
    needed = ["azimuth"] if "azimuth" not in own and (polar or "radius" in own) else []
    needed += ["colatitude"] if sphere and not polar else []
    return tuple(needed + ["length"] * (3 - len(own) - len(needed)))


class Measures(NamedTuple):
    """The geometry of a solver's cells in NumPy arrays, those of faces one per axis with one entry more along it."""

    volumes: Any
    areas: tuple[Any, ...]
    distances: tuple[Any, ...]  # between the centres on both sides; at a wall from the centre to the wall
