"""The effective diffusivity of images: against a sparse direct solve and a flood fill of this file, layers and channels
with exact values, checkerboards, what does not percolate, all axes with the same bits, and what is refused."""

import math

import numpy as np
import pytest

import hymg
from hymg._diffusivity import connected_with_both_ends

SHAPES = ((5, 6, 7), (8, 3, 4), (9, 11), (14, 12), (1, 5, 4), (6, 1, 1), (4, 1), (9,))
SPACING = (0.3, 0.5, 0.2)


def neighbours(cell, shape):
    for axis, side in ((axis, side) for axis in range(len(shape)) for side in (-1, 1)):
        other = list(cell)
        other[axis] += side
        yield axis, side, tuple(other) if 0 <= other[axis] < shape[axis] else None


def flooded(open_, starts):
    """Cells that are reached from these."""
    reached, waiting = np.zeros_like(open_), [cell for cell in starts if open_[cell]]
    while waiting:
        cell = waiting.pop()
        if not reached[cell]:
            reached[cell] = True
            waiting += [other for _, _, other in neighbours(cell, open_.shape) if other and open_[other]]
    return reached


def connected(open_, axis=0):
    """Those connected with both ends of the axis."""
    cells, last = list(np.ndindex(*open_.shape)), open_.shape[axis] - 1
    low, high = (flooded(open_, [cell for cell in cells if cell[axis] == end]) for end in (0, last))
    return low & high


def by_direct_solve(d, axis, spacing):
    """Half voxels in series between centres, and between centres and ends."""
    sparse = pytest.importorskip("scipy.sparse")
    from scipy.sparse.linalg import spsolve

    inside = connected(d > 0, axis)
    number, entries, rhs = np.cumsum(inside).reshape(d.shape) - 1, [], np.zeros(inside.sum())
    if not inside.any():
        return 0.0
    area = {a: math.prod(spacing[: d.ndim]) / spacing[a] for a in range(d.ndim)}
    for cell in zip(*np.nonzero(inside)):
        row = number[cell]
        for a, side, other in neighbours(cell, d.shape):
            half = spacing[a] / 2 / d[cell]
            if other and inside[other]:
                conductance = area[a] / (half + spacing[a] / 2 / d[other])
                entries += [(row, row, conductance), (row, number[other], -conductance)]
            elif a == axis and not other:
                entries.append((row, row, area[a] / half))
                rhs[row] += area[a] / half * (side < 0)
    rows, columns, values = zip(*entries)
    c = spsolve(sparse.coo_matrix((values, (rows, columns))).tocsc(), rhs)
    ends = [cell for cell in zip(*np.nonzero(inside)) if cell[axis] == d.shape[axis] - 1]
    flow = sum(c[number[cell]] * area[axis] / (spacing[axis] / 2 / d[cell]) for cell in ends)
    return flow * d.shape[axis] * spacing[axis] / (area[axis] * d.size / d.shape[axis])


def assert_is(found, expected, tolerance=1e-8):
    assert abs(found.effective_diffusivity - expected) <= tolerance * expected
    assert found.percolates == (expected > 0) and found.converged
    assert found.imbalance <= found.flux_rtol == 1e-6


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("share", (0.5, 0.7, 0.9, 1.0))
def test_random_image_has_the_diffusivity_of_a_direct_solve(rng, shape, share):
    for _ in range(3):
        conducts = rng.random(shape) < share
        varied = conducts * 10 ** rng.uniform(-2, 2, shape)
        for axis in range(len(shape)):
            for image in (conducts, varied):
                expected = by_direct_solve(image.astype(float), axis, SPACING)
                assert_is(hymg.effective_diffusivity(image, axis, spacing=SPACING[: len(shape)]), expected)


@pytest.mark.parametrize("value", [1.0, 0.375, 7.1])
def test_one_conducting_phase_is_as_bools_and_as_floats(rng, value):
    image = rng.random((7, 9, 8)) < 0.7
    labels = np.where(image, 3, np.where(rng.random(image.shape) < 0.5, 1, 2))
    with_labels = hymg.effective_diffusivity(labels, 1, phases={3: value, 1: 0}, rtol=1e-12)
    bools = hymg.effective_diffusivity(image, 1, rtol=1e-12)
    floats = hymg.effective_diffusivity(np.where(image, value, 0.0), 1, rtol=1e-12)
    for other in (bools, floats):
        np.testing.assert_array_equal(with_labels.concentration, other.concentration)
        assert with_labels.porosity == other.porosity and with_labels.percolates and other.percolates
    assert abs(floats.effective_diffusivity / with_labels.effective_diffusivity - 1) < 1e-14
    assert abs(value * bools.effective_diffusivity / with_labels.effective_diffusivity - 1) < 1e-14
    assert abs(with_labels.tortuosity / bools.tortuosity - 1) < 1e-14


def test_images_are_left_alone(rng):
    for image in (rng.random((5, 6, 7)) < 0.8, rng.random((5, 6, 7))):
        kept = image.copy()
        hymg.effective_diffusivity(image, 0)
        np.testing.assert_array_equal(image, kept)


def test_results_are_what_their_names_say(rng):
    labels = rng.choice(3, (8, 9, 7), p=(0.4, 0.35, 0.25))
    found = hymg.effective_diffusivity(labels, 1, phases={1: 0.5, 2: 3.0}, spacing=SPACING)
    inside = connected(labels > 0, 1)
    assert 0 < inside.sum() < (labels > 0).sum()
    assert found.porosity == (labels > 0).mean() and found.effective_porosity == inside.mean()
    assert abs(found.percolating_fraction - inside.sum() / (labels > 0).sum()) < 1e-15
    mean = 0.5 * (labels == 1).mean() + 3 * (labels == 2).mean()
    assert abs(found.tortuosity * found.effective_diffusivity / mean - 1) < 1e-14
    assert abs(found.formation_factor * found.effective_diffusivity / 3 - 1) < 1e-14
    for flux in (found.flux_in, found.flux_out):
        assert abs(flux * 9 * SPACING[1] / found.effective_diffusivity - 1) < 1e-8
    c = found.concentration
    assert c.shape == labels.shape and np.array_equal(np.isfinite(c), inside)
    assert 0 <= np.nanmin(c) and np.nanmax(c) <= 1 + 1e-9 and found.result.converged
    there = c[:, 0] * 0 + (labels[:, 0] == 1) * 0.5 + (labels[:, 0] == 2) * 3.0
    flux = np.nansum(there * (1 - c[:, 0])) / there.size / (SPACING[1] / 2)
    assert abs(found.flux_in / flux - 1) < 1e-12


def test_connected_voxels_are_those_of_a_flood_fill(rng):
    for shape in ((6, 7, 8), (20, 21), (3, 1, 9), (1, 4, 4), (12,), (2, 30), (30, 2)):
        for share in (0.0, 0.3, 0.45, 0.6, 0.8, 1.0):
            conducts = rng.random(shape) < share
            assert np.array_equal(connected_with_both_ends(conducts), connected(conducts))


def test_channel_that_winds_is_one_cluster_as_long_as_it_is():
    channel = np.ones((17, 16), dtype=bool)  # to and fro along the last axis, from one end to the other
    channel[1::2] = False
    channel[1::4, 0] = channel[3::4, -1] = True
    assert connected_with_both_ends(channel).sum() == channel.sum()
    found = hymg.effective_diffusivity(channel, rtol=1e-12)
    assert_is(found, by_direct_solve(channel.astype(float), 0, SPACING[:1] * 2))
    assert 7 * 15 + 16 < found.formation_factor * 17 / 16 < 9 * 16  # voxels from end to end
    channel[8, 8] = False
    assert not connected_with_both_ends(channel).any()


@pytest.mark.parametrize("axis", range(3))
def test_layers_in_series_and_in_parallel_are_exact(rng, axis):
    d = rng.uniform(0.1, 10, 12)
    image = np.moveaxis(np.broadcast_to(d[:, None, None], (12, 4, 5)), 0, axis)
    assert_is(hymg.effective_diffusivity(image, axis), 1 / np.mean(1 / d), 1e-9)
    assert_is(hymg.effective_diffusivity(image, (axis + 1) % 3), d.mean(), 1e-9)
    d[3] = 0
    image = np.moveaxis(np.broadcast_to(d[:, None, None], (12, 4, 5)), 0, axis)
    assert not hymg.effective_diffusivity(image, axis).percolates
    assert_is(hymg.effective_diffusivity(image, (axis + 1) % 3), d.mean(), 1e-9)


def test_checkerboard_comes_to_the_root_of_the_product():
    errors = []
    for voxels in (2, 4, 8):
        board = np.indices((4, 4)).sum(axis=0) % 2
        image = board.repeat(voxels, 0).repeat(voxels, 1)
        found = hymg.effective_diffusivity(image, phases={0: 1.0, 1: 4.0})
        errors.append(abs(found.effective_diffusivity - 2))
    assert errors[0] < 0.2 and errors[1] < 0.75 * errors[0] and errors[2] < 0.75 * errors[1]


def test_voxels_that_touch_at_edges_do_not_percolate():
    for shape in ((6, 6), (4, 5, 6)):
        board = np.indices(shape).sum(axis=0) % 2 == 0
        assert not hymg.effective_diffusivity(board).percolates


@pytest.mark.parametrize("shape", ((5, 6), (5, 6, 4), (5,), (1, 1, 1)))
def test_nothing_percolates_and_that_is_no_error(shape):
    closed = np.zeros(shape)
    blocked = np.ones(shape)
    blocked[-1] = 0
    for image in (closed, blocked, closed.astype(bool)):
        found = hymg.effective_diffusivity(image)
        assert found.effective_diffusivity == 0 and not found.percolates and found.percolating_fraction == 0
        assert found.tortuosity == found.formation_factor == math.inf
        assert found.porosity == (image != 0).mean() and found.effective_porosity == 0
        assert found.flux_in == found.flux_out == found.imbalance == 0 and found.converged and found.result is None
        assert found.concentration.shape == shape and np.isnan(found.concentration).all()


def test_straight_channels_conduct_as_much_as_they_have_area():
    image = np.zeros((9, 6, 5), dtype=bool)
    image[:, 1, 1] = image[:, 4, 2:4] = True
    image[3:6, 2, 1] = image[:7, 0, 4] = image[4, 2, 4] = True  # a bay, a dead end from one side, an island
    found = hymg.effective_diffusivity(image)
    plain = image.copy()
    plain[:7, 0, 4] = plain[4, 2, 4] = False
    assert np.array_equal(np.isfinite(found.concentration), plain)
    assert found.effective_porosity == plain.mean() and found.porosity == image.mean()
    assert_is(found, by_direct_solve(plain.astype(float), 0, (1.0, 1.0, 1.0)))
    plain[3:6, 2, 1] = False
    assert_is(hymg.effective_diffusivity(plain), 3 / 30, 1e-9)
    assert abs(hymg.effective_diffusivity(plain).tortuosity - 1) < 1e-9


@pytest.mark.parametrize("shape", ((6, 7, 5), (8, 9), (1, 6, 7)))
def test_all_axes_have_the_same_bits(rng, shape):
    image = rng.random(shape) * (rng.random(shape) < 0.9)
    steps = SPACING[: len(shape)]
    first = hymg.effective_diffusivity(image, spacing=steps)
    for axis in range(1, len(shape)):
        moved = np.moveaxis(image, 0, axis)
        spacing = list(steps[1:])
        spacing.insert(axis, steps[0])
        for given in (moved, np.ascontiguousarray(moved), np.asfortranarray(moved)):
            found = hymg.effective_diffusivity(given, axis, spacing=spacing)
            assert found[:11] == first[:11] and found.result.history == first.result.history
            assert np.array_equal(np.moveaxis(found.concentration, axis, 0), first.concentration, equal_nan=True)
    assert hymg.effective_diffusivity(image, "zyx"[3 - len(shape) :][0], spacing=steps)[:11] == first[:11]
    assert hymg.effective_diffusivity(image, -len(shape), spacing=steps)[:11] == first[:11]


def test_words_name_axes_from_the_last_one(rng):
    image = rng.uniform(0.1, 1, (4, 5, 6))
    for axis, word in enumerate("zyx"):
        assert hymg.effective_diffusivity(image, axis)[:11] == hymg.effective_diffusivity(image, word)[:11]
    assert hymg.effective_diffusivity(image[0], "x")[:11] == hymg.effective_diffusivity(image[0], 1)[:11]


def test_same_image_in_other_types_has_the_same_bits(rng):
    conducts = rng.random((7, 8, 6)) < 0.8
    labels = np.where(conducts, 3, 250).astype(np.uint8)
    first = hymg.effective_diffusivity(conducts)
    for image, phases in (
        (labels, {3: 1.0}),
        (labels.astype(np.int64) - 251, {-248: 1, -1: 0, 7: 5.0}),
        (conducts, {True: 1.0, False: 0.0}),
        (conducts.astype(np.float32), None),
        (conducts.tolist(), None),
    ):
        assert hymg.effective_diffusivity(image, phases=phases)[:11] == first[:11]


def test_units_only_scale_the_result(rng):
    image = rng.uniform(0.1, 1, (6, 7, 5)) * (rng.random((6, 7, 5)) < 0.8)
    first = hymg.effective_diffusivity(image, spacing=SPACING)
    small = hymg.effective_diffusivity(image * 2.0**-40, spacing=[step * 2.0**-20 for step in SPACING])
    assert small.effective_diffusivity == first.effective_diffusivity * 2.0**-40
    assert small.flux_in == first.flux_in * 2.0**-20 and small.tortuosity == first.tortuosity
    tiny = hymg.effective_diffusivity(image * 1e-200)
    assert abs(tiny.tortuosity / hymg.effective_diffusivity(image).tortuosity - 1) < 1e-9


def test_threads_do_not_change_the_bits(rng):
    image = rng.random((20, 22, 24)) < 0.7
    first = hymg.effective_diffusivity(image, threads=1)
    found = hymg.effective_diffusivity(image, threads=3)
    assert found[:11] == first[:11]
    assert np.array_equal(found.concentration, first.concentration, equal_nan=True)


def test_fluxes_that_differ_are_told(rng):
    image = rng.uniform(0.1, 1, (12, 12, 12))
    with pytest.warns(hymg.ConvergenceWarning, match="the fluxes through the two ends differ by .* flux_rtol 1e-13"):
        found = hymg.effective_diffusivity(image, rtol=1e-3, flux_rtol=1e-13)
    assert not found.converged and found.result.converged and found.flux_rtol == 1e-13
    assert 1e-13 < found.imbalance < 0.1
    difference = abs(found.flux_in - found.flux_out) / (found.flux_in + found.flux_out) * 2
    assert abs(found.imbalance - difference) < 1e-12


def test_progress_is_drawn_on_standard_error(rng, capsys):
    image, seen = rng.random((10, 11, 12)) < 0.8, []
    plain = hymg.effective_diffusivity(image)
    assert capsys.readouterr() == ("", "")
    found = hymg.effective_diffusivity(image, progress=True, monitor=lambda cycle, record: seen.append(cycle))
    out, said = capsys.readouterr()
    lines = said.split("\r")[1:]
    assert out == "" and len(lines) == found.result.cycles == len(seen) and said.endswith("\n")
    assert lines[-1].startswith("[" + 40 * "#" + f"] iteration {len(seen)}, residual ")
    assert found[:11] == plain[:11]
    with pytest.warns(hymg.ConvergenceWarning, match="stopped"):
        found = hymg.effective_diffusivity(image, progress=True, monitor=lambda cycle, record: cycle < 1)
    assert not found.converged and found.result.cycles == 2 and capsys.readouterr().err.endswith("\n")


SQUARE = np.ones((4, 4))


@pytest.mark.parametrize(
    "image, arguments, kind, text",
    (
        (np.ones((2, 2, 2, 2)), {}, ValueError, r"image: shape \(2, 2, 2, 2\); one to three axes"),
        (np.ones((4, 0)), {}, ValueError, r"image: shape \(4, 0\)"),
        (SQUARE * 1j, {}, TypeError, "image: ndarray of complex128; bools, integers or floats"),
        (-SQUARE, {}, ValueError, r"image: diffusivity -1.0 of voxel \(0, 0\); finite and at least 0"),
        (np.where(np.eye(4) > 0, 1, np.inf), {}, ValueError, r"diffusivity inf of voxel \(0, 1\)"),
        (SQUARE * np.nan, {}, ValueError, r"diffusivity nan of voxel \(0, 0\)"),
        (SQUARE.astype(int) * 255, {}, ValueError, "phases: an image of integers wants .*; its labels are 255"),
        (np.arange(16).reshape(4, 4), {}, ValueError, "its labels are 0, 1, 2, 3, 4, 5, 6, 7, ..."),
        (SQUARE, {"phases": {1: 1.0}}, TypeError, "phases: the image has float64, which are diffusivities"),
        (SQUARE > 0, {"phases": {}}, TypeError, "phases: is empty"),
        (SQUARE > 0, {"phases": [1.0]}, TypeError, "phases: list; a dictionary"),
        (SQUARE > 0, {"phases": {1: -2}}, ValueError, r"phases\[1\]: diffusivity -2.0; finite and at least 0"),
        (SQUARE > 0, {"phases": {0.5: 2}}, TypeError, "phases: label: the number 0.5"),
        (SQUARE, {"axis": 2}, ValueError, "axis 2: the image has 0 to 1"),
        (SQUARE, {"axis": "z"}, ValueError, "axis 'z': the image has x, y and 0 to 1"),
        (SQUARE, {"axis": "xy"}, ValueError, "axis 'xy'"),
        (SQUARE, {"axis": 0.0}, TypeError, "axis: the number 0.0; a whole number"),
        (SQUARE, {"spacing": (1, 2, 3)}, ValueError, "spacing: 3 values"),
        (SQUARE, {"spacing": -1}, ValueError, "spacing -1.0: positive and finite"),
        (SQUARE, {"flux_rtol": "small"}, TypeError, "flux_rtol: the text 'small'"),
        (SQUARE, {"alpha": 1.0}, TypeError, "has no argument 'alpha', only options of a solve"),
        (SQUARE, {"comm": None}, TypeError, "has no argument 'comm'"),
        (SQUARE, {"smother": "gsrb"}, hymg.InvalidArgument, "unknown option 'smother'"),
        (np.ma.masked_greater(np.eye(4), 0), {}, TypeError, "image: 4 of 16 entries are masked"),
    ),
)
def test_errors_name_value_and_limit(image, arguments, kind, text):
    with pytest.raises(kind, match=text):
        hymg.effective_diffusivity(image, **arguments)
