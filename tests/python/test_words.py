"""Texts of the library name axes, cells and extents as the arrays have them, and options as Python writes them."""

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import hymg
from hymg import _words

SOURCES = Path(__file__).resolve().parents[2] / "source"
LITERAL = r'"(?:[^"\\\n]|\\.)*"'
NAMES_A_PLACE = re.compile(r" %c|face %s|\(%d, %d, %d\)|%d x %d x %d|%d\) x ")


def texts_that_name_places():
    for file in sorted(SOURCES.rglob("*.c")):
        code = re.sub(r"(?s)/\*.*?\*/", "", file.read_text())
        for found in re.finditer(rf"{LITERAL}(?:\s*{LITERAL})*", code):
            words = "".join(part[1:-1] for part in re.findall(LITERAL, found[0]))
            if NAMES_A_PLACE.search(words):
                yield words


def filled_in(words, letter):
    """As C would print it, with this letter for each axis, and 11, 12, 13 ... for the numbers."""
    numbers = iter(range(11, 99))
    words = words.replace("face %s", f"face {letter}-").replace("%c", letter)
    return re.sub(r"%[.0-9l]*[dgs]", lambda _: str(next(numbers)), words)


@pytest.mark.parametrize("axes", [(2, 1, 0), (0, 1, 2)], ids=["C", "F"])
def test_every_text_of_the_library_is_translated(axes):
    texts = list(texts_that_name_places())
    assert len(texts) > 25
    for words in texts:
        for h, letter in enumerate("xyz"):
            given = filled_in(words, letter)
            got = _words.of_arrays(given, axes)
            assert not re.search(rf"\b{letter}\b", re.sub(r"\d x \d|\) x \[", "", got)), got
            places = len(re.findall("%c|face %s", words))
            assert len(re.findall(rf"axis {axes[h]}\b", got)) == places, got
            for triple in re.findall(r"\((\d+, \d+, \d+)\)|(\d+ x \d+ x \d+)", given):
                numbers = re.findall(r"\d+", triple[0] or triple[1])
                assert re.findall(r"\d+", got[got.index(numbers[axes[0]]) :])[:3] == [numbers[a] for a in axes], got


@pytest.mark.parametrize("axes", [(1, 0), (0, 1), (0,)], ids=["plane, C", "plane, F", "line"])
def test_texts_for_planes_and_lines_have_no_third_axis(axes):
    for words in texts_that_name_places():
        for h, letter in enumerate("xyz"[: len(axes)]):
            got = _words.of_arrays(filled_in(words, letter), axes)
            assert not re.search(r"\d x \d+ x \d", got) and not re.search(r"\(\d+, \d+, \d+\)", got), got
            assert len(re.findall(rf"axis {axes[h]}\b", got)) == len(re.findall("%c|face %s", words)), got
    assert _words.of_arrays("cell (4, 5, 0) of 8 x 9 x 1", (1, 0)) == "cell (5, 4) of 9 x 8"
    assert _words.of_arrays("cell (4, 0, 0) of 8 x 1 x 1", (0,)) == "cell (4,) of 8"


def message(shape, f, **rest):
    with hymg.Solver(shape, **rest) as s, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        s.solve(f)
        return str(caught[0].message) if caught else s.result.note


@pytest.mark.parametrize("order", ["C", "F"])
def test_cells_and_axes_are_those_of_the_arrays(order, rng):
    f = np.ones((8, 6, 4))
    f[1, 2, 3] = np.nan
    assert "f is not finite at (1, 2, 3)" in message(f.shape, f, order=order)
    bad = np.ones((8, 6, 4))
    bad[5, 4, 1] = -1
    with pytest.raises(hymg.InvalidArgument, match=r"alpha = -1 at \(5, 4, 1\)"):
        hymg.Solver(bad.shape, alpha=bad, order=order)
    for axis in range(3):
        beta = [np.ones([n + (i == axis) for i, n in enumerate(f.shape)]) for axis in range(3)]
        beta[axis][3, 2, 1] = -1
        with pytest.raises(hymg.InvalidArgument, match=rf"face along axis {axis} = -1 at \(3, 2, 1\)"):
            hymg.Solver(f.shape, beta=beta, order=order)
        spacing = [1.0] * 3
        spacing[axis] = 0.1
        note = message((8, 8, 8), rng.standard_normal((8, 8, 8)), spacing=spacing, order=order)
        assert f"coupled 100 times as strongly along axis {axis} as along axis" in note
        walls = [None] * 3
        walls[axis] = (None, 1.0)
        with pytest.raises(hymg.InvalidArgument, match=f"the high face of axis {axis}, which is periodic"):
            hymg.Solver(f.shape, boundary="periodic", boundary_values=walls, order=order)


@pytest.mark.parametrize("order, axis", [("C", 0), ("F", 2)])
def test_members_of_descriptions_are_named_as_arguments(order, axis):
    axes = (2, 1, 0) if order == "C" else (0, 1, 2)
    assert _words.of_arrays("the argument n[2] is 3 on rank 0", axes) == f"the argument shape[{axis}] is 3 on rank 0"
    assert _words.of_arrays("boundary_data[4] is on level 1", axes) == f"boundary_values[{axis}][0] is on level 1"
    assert _words.of_arrays("boundary_constant[5] is 1", axes) == f"boundary_values[{axis}][1] is 1"
    assert _words.of_arrays("robin_alpha_constant[4] is 1", axes) == f"robin_alpha[{axis}][0] is 1"
    assert _words.of_arrays("cells [1, 2) x [3, 4) x [5, 6)", (2, 1, 0)) == "cells [5, 6) x [3, 4) x [1, 2)"


def test_options_are_written_as_in_python(rng):
    assert _words.of_options("try path=robust, or max-cycles=44") == 'try path="robust", or max_cycles=44'
    assert _words.of_options("path robust: there are fixed cells") == 'path="robust": there are fixed cells'
    assert (
        _words.of_options("use method mg (hymg-fv --solver mg), or path standard")
        == 'use method="mg", or path="standard"'
    )
    assert _words.of_options("transport nccl and transport NCCL") == 'transport="nccl" and transport NCCL'
    assert _words.of_options("extrapolation vertex, extrapolation box 3") == 'extrapolation="vertex", extrapolation box 3'
    assert _words.of_options("HYMG_EXTRAPOLATION_LINEAR") == 'extrapolation="linear"'
    assert _words.of_options("initial-guess=yes, interpolation-v=p0") == 'initial_guess=True, interpolation_v="p0"'
    words = message((16, 16, 16), rng.standard_normal((16, 16, 16)), max_cycles=3, smoother="jacobi", path="standard")
    assert re.search(r"try max_cycles=\d+", words)
