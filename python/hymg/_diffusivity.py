"""The effective diffusivity of an image of voxels: what diffuses from one end to the other through what conducts."""

import contextlib
import inspect
import math
import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Optional, Union

import numpy as np

from . import _arrays
from ._library import ConvergenceWarning
from ._result import Cycle, Monitor, Result
from ._solver import Solver
from ._values import describe, number, per_axis, refuse_masked, whole

RTOL = 1e-10  # of hymg_options_default
CHUNK = 1 << 16  # voxels at once, which a cache holds


class EffectiveDiffusivity(NamedTuple):
    """What effective_diffusivity finds. Where nothing percolates, the diffusivity is 0 and its reciprocals are inf."""

    effective_diffusivity: float  # of the whole image: flux times length over the difference of concentration
    tortuosity: float  # the voxels' mean diffusivity over the effective one: porosity / D for pores of diffusivity 1
    formation_factor: float  # the largest diffusivity in the image over the effective one
    percolates: bool  # do conducting voxels connect the two ends?
    porosity: float  # the part of all voxels that conduct
    effective_porosity: float  # the part of all voxels that conduct and are connected with both ends
    percolating_fraction: float  # the part of the conducting voxels that is connected with both ends
    flux_in: float  # through the low end, per unit of area, with concentration 1 there and 0 at the high end
    flux_out: float  # through the high end; without errors of the solve equal to flux_in
    imbalance: float  # their difference over their mean
    flux_rtol: float  # what was asked of the imbalance
    converged: bool  # the solve has, and the imbalance is at most flux_rtol
    concentration: np.ndarray  # of the image's shape; NaN in voxels that are not connected with both ends
    result: Optional[Result]  # of the solve, its iterations for example; None where nothing percolates


class _Conduction(Solver):
    """A Solver to which one voxel between the two ends is no mistake."""

    def _warn_of_thin_axes(self) -> None:
        pass


def effective_diffusivity(
    image: Any,
    axis: Union[int, str] = 0,
    *,
    phases: Optional[Mapping[int, float]] = None,
    spacing: Union[float, Sequence[float]] = 1.0,
    flux_rtol: float = 1e-6,
    progress: bool = False,
    threads: int = 0,
    device: Optional[int] = None,
    stream: Any = None,
    monitor: Optional[Monitor] = None,
    **options: Any,
) -> EffectiveDiffusivity:
    """The effective diffusivity of an image of voxels (pixels) along an axis, with tortuosity and formation factor.

    The same number is an effective electrical or thermal conductivity, if that is what the phases have.

    image      an array of one to three axes in the host's memory: of bools, True where the voxel conducts, with
               diffusivity 1; of integers, which are labels of phases; or of floats, the diffusivity of each voxel
    axis       along which it diffuses: 0, 1 or 2, an axis of the array, or "x", "y", "z", where x is the last one
    phases     the diffusivity of each label, >= 0, for images of integers (or bools); labels without one do not conduct
    spacing    of the voxels, one number or one per axis
    flux_rtol  by how much the fluxes through both ends may differ, of their mean; else there is a ConvergenceWarning
    progress   True: shows on standard error how far the solve has come
    threads, device, stream, monitor, options  as in Solver: backend="cuda", rtol=1e-8

    div(D grad c) = 0 with c = 1 at the low end of the axis, c = 0 at the high one, and no flux through the other sides.
    Unknowns are the voxels' means. Between voxels D is the harmonic mean, as of two half voxels in series; the ends are
    the outer faces of the image, half a voxel from the centres of the first and last voxels. Voxels that are not
    connected with both ends through faces are left out before. If none is, the diffusivity is 0, which is no error.
    Errors: ValueError and TypeError for arguments, hymg.Error.
    """
    tolerance = number(flux_rtol, "flux_rtol")
    _refuse_other_arguments(options)
    sample = _Sample(image, axis, phases, spacing)
    if not sample.connected:
        return sample.found(tolerance)
    with Bar(options.get("rtol") or RTOL, monitor) if progress else contextlib.nullcontext(monitor) as watching:
        machine = {"threads": threads, "device": device, "stream": stream, "monitor": watching, **options}
        concentration, result = sample.solve(machine)
    found = sample.found(tolerance, concentration, result)
    if result.converged and not found.converged:
        warnings.warn(
            f"the fluxes through the two ends differ by {found.imbalance:.1e} of their mean, more than flux_rtol "
            f"{tolerance:g}; try rtol={result.residual_relative / 100:.0e}",
            ConvergenceWarning,
            stacklevel=2,
        )
    return found


class _Sample:
    """The image's diffusivities, with the axis of diffusion first, so that results have the same bits for all axes."""

    def __init__(self, image: Any, axis: Any, phases: Any, spacing: Any) -> None:
        self.image = _image(image)
        self.axis = _axis(axis, self.image.ndim)
        steps = [_positive(step, "spacing") for step in per_axis(spacing, "spacing", self.image.ndim)]
        self.length = steps.pop(self.axis)
        self.spacing = [1.0, *(step / self.length for step in steps)]  # of the solver, as its diffusivities are to 1
        given, value = _diffusivities(self.image, phases)
        given = np.ascontiguousarray(np.moveaxis(given, self.axis, 0))
        self.conducting = np.count_nonzero(given)
        self.largest, self.mean = value * float(given.max()), value * float(given.mean())
        self.inside = connected_with_both_ends(given if given.dtype == bool else given > 0)
        self.connected = np.count_nonzero(self.inside)
        self.diffusivity = self.inside  # over the largest
        if given.dtype != bool:
            self.diffusivity = np.divide(given, self.largest or 1.0, out=given)
            self.diffusivity[~self.inside] = 0.0

    def solve(self, machine: dict[str, Any]) -> tuple[np.ndarray, Result]:
        """Concentrations, and what the solve says."""
        shape, sides = self.diffusivity.shape, self.diffusivity.ndim - 1
        with _Conduction(
            shape,
            spacing=self.spacing,
            boundary=("dirichlet", *["neumann"] * sides),
            boundary_values=((1.0, 0.0), *[None] * sides),
            beta=[_on_faces(self.diffusivity, axis) for axis in range(sides + 1)],
            extrapolation="linear",
            **machine,
        ) as solver:
            concentration = solver.solve(np.broadcast_to(np.zeros(()), shape), out=np.empty(shape))
            assert solver.result is not None
            return concentration, solver.result

    def found(
        self, tolerance: float, concentration: Optional[np.ndarray] = None, result: Optional[Result] = None
    ) -> EffectiveDiffusivity:
        """The results; without a concentration those of a sample through which nothing flows."""
        ends = (0.0, 0.0)
        if concentration is None:
            concentration = np.empty(self.diffusivity.shape)
        else:
            d = self.diffusivity
            ends = _sum(2.0 * d[0] * (1 - concentration[0])), _sum(2.0 * d[-1] * concentration[-1])
        np.copyto(concentration, np.nan, where=~self.inside)
        flux_in, flux_out = (self.largest * end / self.diffusivity[0].size for end in ends)
        mean = (flux_in + flux_out) / 2
        imbalance = abs(flux_in - flux_out) / mean if mean else 0.0
        effective = mean * len(self.diffusivity)
        return EffectiveDiffusivity(
            effective_diffusivity=effective,
            tortuosity=self.mean / effective if effective else math.inf,
            formation_factor=self.largest / effective if effective else math.inf,
            percolates=self.connected > 0,
            porosity=self.conducting / self.image.size,
            effective_porosity=self.connected / self.image.size,
            percolating_fraction=self.connected / self.conducting if self.conducting else 0.0,
            flux_in=flux_in / self.length,
            flux_out=flux_out / self.length,
            imbalance=imbalance,
            flux_rtol=tolerance,
            converged=(result is None or result.converged) and imbalance <= tolerance,
            concentration=np.moveaxis(concentration, 0, self.axis),
            result=result,
        )


def _sum(values: np.ndarray) -> float:
    """Correctly rounded, in whatever order."""
    return math.fsum(values.flat)


def _on_faces(diffusivity: np.ndarray, axis: int) -> np.ndarray:
    """Harmonic means of the voxels on both sides of each face; at the ends of the axis that of the voxel there. Of bools in
    float32, which has 0 and 1 as well.
    """
    shape = [n + (other == axis) for other, n in enumerate(diffusivity.shape)]
    faces = np.zeros(shape, np.float32 if diffusivity.dtype == bool else np.float64)
    for end in (slice(None, 1), slice(-1, None)):
        at = _part(axis, end, faces.ndim)
        faces[at] = diffusivity[at]
    lows, highs, inside = (
        array[_part(axis, part, faces.ndim)]
        for array, part in ((diffusivity, slice(-1)), (diffusivity, slice(1, None)), (faces, slice(1, -1)))
    )
    planes = max(1, CHUNK // max(1, inside[:1].size))
    for first in range(0, len(inside), planes):
        low, high, mean = (array[first : first + planes] for array in (lows, highs, inside))
        if diffusivity.dtype == bool:
            mean[...] = low & high
            continue
        total = low + high
        np.divide(2 * low * high, total, out=mean, where=total > 0)
    return faces


def _part(axis: int, part: slice, axes: int) -> tuple[slice, ...]:
    return tuple(part if other == axis else slice(None) for other in range(axes))


def connected_with_both_ends(conducts: np.ndarray) -> np.ndarray:
    """Which voxels are connected, through faces of conducting voxels, with both ends of the first axis."""
    if not conducts[0].any() or not conducts[-1].any():
        return np.zeros_like(conducts)
    runs, count = _runs(conducts)
    cluster = _joined(count, _pairs(conducts, runs))
    touches = np.zeros((2, len(cluster)), dtype=bool)
    for side, end in enumerate((0, -1)):
        touches[side, cluster[runs[end][conducts[end]]]] = True
    return _without(conducts, ~(touches[0] & touches[1])[cluster[1:]])


def _begins(conducts: np.ndarray) -> np.ndarray:
    """Where a run along the last axis begins."""
    first = conducts.copy()
    np.greater(conducts[..., 1:], conducts[..., :-1], out=first[..., 1:])
    return first


def _runs(conducts: np.ndarray) -> tuple[np.ndarray, int]:
    """The number, from 1 on, of the run of conducting voxels along the last axis that each of them is in (of others any
    number, or 0), and how many runs there are.
    """
    kind = np.int32 if conducts.size < 2**31 else np.int64
    runs = np.cumsum(_begins(conducts), dtype=kind).reshape(conducts.shape)
    return runs, int(runs.flat[-1])


def _without(conducts: np.ndarray, left_out: np.ndarray) -> np.ndarray:
    """A copy without some of the runs; left_out has an entry for each."""
    first = np.flatnonzero(_begins(conducts))[left_out]
    ends = np.flatnonzero(_begins(conducts[..., ::-1])[..., ::-1])[left_out]
    kept = conducts.copy()
    lengths = ends + 1 - first
    before = np.cumsum(lengths) - lengths  # in the runs before, of those that are left out
    kept.reshape(-1)[np.repeat(first - before, lengths) + np.arange(lengths.sum())] = False
    return kept


def _pairs(conducts: np.ndarray, runs: np.ndarray) -> list[np.ndarray]:
    """Pairs of neighbouring runs, the lower number first, each once or a few times."""
    found = []
    for axis in range(conducts.ndim - 1):
        low, high = (_part(axis, part, conducts.ndim) for part in (slice(None, -1), slice(1, None)))
        new = np.flatnonzero(_begins(conducts[low] & conducts[high]))  # the neighbours before are of the same two runs
        step = math.prod(conducts.shape[axis + 1 :])
        new += new // ((conducts.shape[axis] - 1) * step) * step  # places in the whole array
        found.append(np.stack([runs.reshape(-1)[new], runs.reshape(-1)[new + step]]))
    return found


def _joined(count: int, pairs: list[np.ndarray]) -> np.ndarray:
    """For each of the runs 0 ... count one of its cluster, the same for all of the cluster.

    In each round every cluster but those below all of their neighbours joins one that is lower, so that at most half of
    those that have neighbours are left.
    """
    cluster = np.arange(count + 1, dtype=pairs[0].dtype if pairs else np.int64)
    low, high = (np.concatenate([cluster[:0], *(pair[side] for pair in pairs)]) for side in (0, 1))
    while low.size:
        cluster[high] = low
        while True:
            further = np.take(cluster, cluster)
            if np.array_equal(further, cluster):
                break
            cluster = further
        ends = np.take(cluster, low), np.take(cluster, high)
        apart = np.flatnonzero(ends[0] != ends[1])
        one, other = (end[apart] for end in ends)
        low, high = np.minimum(one, other), np.maximum(one, other)
    return cluster


def _image(image: Any) -> np.ndarray:
    refuse_masked(image, "image")
    if _arrays.on_device(image):
        raise TypeError(f"image: {describe(image)} in a GPU's memory; an array in the host's is wanted")
    array = np.asarray(image)
    if not 1 <= array.ndim <= 3 or not array.size:
        raise ValueError(f"image: shape {array.shape}; one to three axes with at least one voxel are wanted")
    if array.dtype.kind not in "biuf":
        raise TypeError(f"image: {describe(array)}; bools, integers or floats are wanted")
    return array


def _axis(axis: Any, axes: int) -> int:
    """The array's axis: x is the last one."""
    words = "xyz"[:axes]
    if isinstance(axis, str):
        if len(axis) != 1 or axis not in words:
            raise ValueError(f"axis '{axis}': the image has {', '.join(words)} and 0 to {axes - 1}")
        return axes - 1 - words.index(axis)
    number_of_axis = whole(axis, "axis")
    if not -axes <= number_of_axis < axes:
        raise ValueError(f"axis {number_of_axis}: the image has 0 to {axes - 1}")
    return number_of_axis % axes


def _positive(value: Any, name: str) -> float:
    found = number(value, name)
    if not 0 < found < math.inf:
        raise ValueError(f"{name} {found}: positive and finite is wanted")
    return found


def _diffusivities(image: np.ndarray, phases: Optional[Mapping[int, float]]) -> tuple[np.ndarray, float]:
    """Of each voxel, >= 0 and finite: numbers and 1, or, where all that conduct are alike, bools and their diffusivity."""
    if phases is not None:
        return _of_phases(image, phases)
    if image.dtype.kind == "b":
        return image, 1.0
    if image.dtype.kind in "iu":
        labels = np.unique(image)
        few = ", ".join(map(str, labels[:8])) + (", ..." if len(labels) > 8 else "")
        raise ValueError(f"phases: an image of integers wants {{label: diffusivity}}; its labels are {few}")
    found = image.astype(np.float64)
    bad = ~((found >= 0) & (found < math.inf))
    if bad.any():
        place = tuple(map(int, np.argwhere(bad)[0]))
        raise ValueError(f"image: diffusivity {found[place]} of voxel {place}; finite and at least 0 is wanted")
    return found, 1.0


def _of_phases(image: np.ndarray, phases: Mapping[int, float]) -> tuple[np.ndarray, float]:
    if image.dtype.kind == "f":
        raise TypeError(f"phases: the image has {image.dtype}, which are diffusivities; labels are integers or bools")
    if not isinstance(phases, Mapping) or not phases:
        what = "is empty" if isinstance(phases, Mapping) else f"{describe(phases)}"
        raise TypeError(f"phases: {what}; a dictionary {{label: diffusivity}} is wanted")
    given = {}
    for label, value in phases.items():
        diffusivity = number(value, f"phases[{label!r}]")
        if not 0 <= diffusivity < math.inf:
            raise ValueError(f"phases[{label!r}]: diffusivity {diffusivity}; finite and at least 0 is wanted")
        given[whole(label, "phases: label")] = diffusivity
    values = {value for value in given.values() if value > 0}
    if len(values) == 1:
        return np.isin(image, [label for label, value in given.items() if value > 0]), values.pop()
    found = np.zeros(image.shape)
    for label, diffusivity in given.items():
        found[image == label] = diffusivity
    return found, 1.0


def _refuse_other_arguments(options: Mapping[str, Any]) -> None:
    """What Solver has beside options would be another problem."""
    others = set(options) & set(inspect.signature(Solver).parameters)
    if others:
        raise TypeError(f"effective_diffusivity has no argument '{min(others)}', only options of a solve")


class Bar:
    """A monitor that draws on standard error how far a solve has come, and calls another one."""

    WIDTH = 40

    def __init__(self, rtol: Any, then: Optional[Monitor]) -> None:
        self.digits, self.then, self.drawn = -math.log10(number(rtol, "rtol")), then, False

    def __enter__(self) -> "Bar":
        return self

    def __exit__(self, *_: Any) -> None:
        if self.drawn:
            print(file=sys.stderr)

    def __call__(self, cycle: int, record: Cycle) -> Optional[bool]:
        done = -math.log10(record.relative) / self.digits if record.relative > 0 else 1.0
        marks = round(self.WIDTH * min(max(done, 0.0), 1.0))
        bar = "#" * marks + "." * (self.WIDTH - marks)
        self.drawn = True
        print(f"\r[{bar}] iteration {cycle + 1}, residual {record.relative:.1e} ", end="", file=sys.stderr, flush=True)
        return None if self.then is None else self.then(cycle, record)
