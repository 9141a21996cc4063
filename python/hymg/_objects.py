"""What a solver is made of: the library's objects, and how arrays get into its fields and out of them."""

import contextlib
import inspect
import itertools
import math
import threading
import weakref
from collections.abc import Iterator, Sequence
from typing import Any, Optional

import numpy as np

from . import _arrays, _curved, _fixed, _mpi, _process, _ranks
from ._arrays import View, Wanted
from ._bodies import Cover, destroy_covers
from ._hymg import ffi, lib
from ._library import OPEN, InvalidArgument, Unsupported, check, enum_value, enum_word, set_options
from ._result import Monitor, Result, Watch, result_of
from ._values import as_double, broadcast, describe, is_number, is_sequence, number, numbers, pair, per_axis, whole

MOST_THREADS = 4096  # of hymg_context_create
_numbers_of_solvers = itertools.count()


class Objects:
    """A context, a grid, an operator and its solvers, which live until the finalizer has run."""

    def __init__(self, shape: Any, order: str, stream: Any, monitor: Optional[Monitor]) -> None:
        _process.wait_if_ending()
        if order not in ("C", "F"):
            raise ValueError(f"order '{order}': 'C' or 'F'")
        self.shape = _cells(shape)
        # _axes[h] is the array's axis that the library calls h, and the reverse. Where arrays have two axes or one, the
        # library's others have one cell between Neumann boundaries, and so no term
        in_order = range(len(self.shape))
        self._axes = tuple(reversed(in_order) if order == "C" else in_order)
        self._order = order
        self._lock = threading.Lock()
        self._stack = contextlib.ExitStack()
        self._finalizer = weakref.finalize(self, self._stack.close)
        self._finalizer.atexit = False  # _process closes solvers then, when no thread is inside
        self._number = next(_numbers_of_solvers)
        self._lost = ""  # why this process, made by a fork, cannot use the solver
        self._watch = Watch(monitor)
        self._context: Any = ffi.NULL
        self._ranks, self._comm_given = 1, False
        self._op: Any = ffi.NULL
        self._desc: Any = ffi.new("hymg_operator_desc *", lib.hymg_operator_desc_default())
        self._fields: dict[tuple[str, int], Any] = {}
        self._covers = [Cover()]  # of the mask and the bodies, one
        self._preconditioner: Any = None
        self._ordinal: Optional[int] = None
        self._stream = stream_address(stream)
        self._callers_stream = stream  # kept alive
        self._last: Any = ffi.NULL
        self._updates = 0
        self._link: Any = None  # what _differentiable keeps
        self._data_kept: Any = None  # and _adjoint
        self.result: Optional[Result] = None
        self.results: tuple[Optional[Result], ...] = ()  # of solve_many

    @property
    def local_shape(self) -> tuple[int, ...]:
        """The shape of the arrays: that of this rank's part with comm, else `shape`."""
        return tuple(self._count[axis] for axis in self._axes)

    @property
    def local(self) -> tuple[slice, ...]:
        """This rank's part of the domain's arrays; with one rank all of them."""
        return tuple(slice(self._low[axis], self._low[axis] + self._count[axis]) for axis in self._axes)

    # ---- creation ----

    def _make(self, kind: str, *arguments: Any) -> Any:
        """Creates an object that lives until close(), by the library's call for that kind."""
        pointer = ffi.new(f"hymg_{kind} **")
        self._check(getattr(lib, f"hymg_{kind}_create")(*arguments, pointer))
        self._stack.callback(getattr(lib, f"hymg_{kind}_destroy"), pointer)
        return pointer[0]

    def _make_context(self, comm: Any, threads: int, device: Optional[int]) -> None:
        options = ffi.new("hymg_context_options *", lib.hymg_context_options_default())
        self._threads, self._device_given, self._comm_given = threads, device, comm is not None
        options.threads = _process.threads_here(whole(threads, "threads"))
        options.stream = ffi.cast("struct CUstream_st *", self._stream)
        if device is not None:
            options.device = whole(device, "device")
        if comm is None:
            if not 0 <= options.threads <= MOST_THREADS:
                raise InvalidArgument(lib.HYMG_EINVAL, f"threads {threads}: 0 (OpenMP's default) to {MOST_THREADS}")
            _mpi.warn_of_copies()
            self._context = self._make("context", options)
            return
        _mpi.refuse_another(comm)
        pointer = ffi.new("hymg_context **")
        status = lib.hymg_python_context_mpi(comm.py2f(), options, pointer)
        if status == lib.HYMG_EUNSUPPORTED:
            raise Unsupported(status, "comm: this libhymg has no MPI; docs/python.md says how to use one that has")
        self._check(status)
        self._stack.callback(lib.hymg_context_destroy, pointer)
        self._context = pointer[0]
        self._ranks = lib.hymg_context_ranks(self._context)

    def _describe_grid(self, desc: Any, spacing: Any, widths: Any, boundary: Any, boxes: Any, cuts: Any) -> list[Any]:
        """Puts the arguments into desc; returns what must live as long as desc is used."""
        alive: list[Any] = []
        for axis, h in enumerate(self._axes):
            desc.n[h] = self.shape[axis]
            desc.spacing[h] = number(self._per_axis(spacing, "spacing")[axis], "spacing")
            kinds = self._per_axis(boundary, "boundary")[axis]
            for side, kind in enumerate((kinds, kinds) if isinstance(kinds, str) else pair(kinds, f"boundary[{axis}]")):
                desc.boundary[2 * h + side] = enum_value("hymg_boundary", kind)
            if widths is not None and self._per_axis(widths, "widths")[axis] is not None:
                own = self._per_axis(widths, "widths")[axis]
                alive.append(numbers("double", own, self.shape[axis], f"widths[{axis}]"))
                desc.widths[h] = alive[-1]
            if boxes is not None:
                desc.boxes[h] = whole(self._per_axis(boxes, "boxes")[axis], "boxes")
            if cuts is not None:
                cut = self._per_axis(cuts, "cuts")[axis]
                cut = [self.shape[axis]] if cut is None else cut
                count = len(cut) if hasattr(cut, "__len__") else 1
                alive.append(numbers("int", cut, count, f"cuts[{axis}]"))
                desc.cuts[h], desc.boxes[h] = alive[-1], count
        faces = [desc.boundary[2 * h + side] for h in self._axes for side in (0, 1)]
        if len(self.shape) < 3 and not OPEN.isdisjoint(faces):
            raise Unsupported(
                lib.HYMG_EUNSUPPORTED,
                f'boundary="{enum_word("hymg_boundary", max(faces))}" with a shape of {len(self.shape)}: open boundaries are for boxes, of 3 axes',
            )
        self._describe_other_axes(desc)
        self._describe_coordinates(desc)
        return alive

    def _describe_coordinates(self, desc: Any) -> None:
        geometry, origin, radius = self._geometry
        desc.radius = number(radius, "radius")
        for axis, h in enumerate(self._axes):
            desc.origin[h] = number(self._per_axis(origin, "origin")[axis], "origin")
        found = _curved.coordinates(geometry, len(self.shape))
        if found is None:
            return
        for axis, h in enumerate(self._axes):
            desc.coordinate[h] = enum_value("hymg_coordinate", found.own[axis])
        for other, kind in enumerate(found.others):
            h = len(self._axes) + other
            desc.coordinate[h] = enum_value("hymg_coordinate", kind)
            desc.origin[h], desc.spacing[h] = found.origin_and_width(other)

    def _describe_other_axes(self, desc: Any) -> None:
        """Axes of the library that the arrays lack. Their cells' width counts only in files, for the eye."""
        given = [list(desc.widths[h][0 : desc.n[h]]) if desc.widths[h] else [desc.spacing[h]] for h in self._axes]
        thin = min((width for widths in given for width in widths if width > 0 and math.isfinite(width)), default=1.0)
        for h in range(len(self._axes), 3):
            desc.n[h] = 1
            desc.spacing[h] = thin
            desc.boundary[2 * h] = desc.boundary[2 * h + 1] = lib.HYMG_NEUMANN
            desc.boxes[h] = 1 if any(desc.boxes[0 : len(self._axes)]) else 0

    def _per_axis(self, value: Any, name: str) -> tuple[Any, ...]:
        return per_axis(value, name, len(self.shape))

    def _make_grid(
        self, geometry: tuple[Any, Any, Any], spacing: Any, widths: Any, boundary: Any, boxes: Any, cuts: Any
    ) -> None:
        """geometry: with origin and radius."""
        self._geometry = geometry
        desc = ffi.new("hymg_grid_desc *", lib.hymg_grid_desc_default())
        with self._together():
            self._grid_desc = desc, self._describe_grid(desc, spacing, widths, boundary, boxes, cuts)
        self._grid = self._make("grid", self._context, desc)
        bricks = ffi.new("double *", lib.hymg_grid_num_local(self._grid))
        self._check(lib.hymg_context_max(self._context, bricks))
        if bricks[0] > 1:
            raise ValueError(
                f"a rank holds {bricks[0]:.0f} bricks of cells that do not form one; give boxes= or cuts= with "
                "one part per rank"
            )
        self._low, self._count = ffi.new("int[3]"), ffi.new("int[3]")
        lib.hymg_grid_local(self._grid, 0, self._low, self._count)

    def _is_curved(self) -> bool:
        return any(kind != lib.HYMG_LENGTH for kind in self._grid_desc[0].coordinate)

    def _measure(self) -> _curved.Measures:
        """Volumes, areas and distances."""
        fields: dict[tuple[str, int], Any] = {}
        wanted = [("volume", 0, lib.HYMG_CELL, self.local_shape)]
        for name in ("area", "distance"):
            wanted += [(name, axis, lib.HYMG_FACE_X + h, self._faces(axis)) for axis, h in enumerate(self._axes)]
        try:
            for name, axis, centering, _ in wanted:
                self._new_field(fields, (name, axis), lib.HYMG_HOST, centering)
            faces = [[fields[name, axis][0] for axis in self._axes] for name in ("area", "distance")]
            others = [ffi.NULL] * (3 - len(self._axes))
            volume = fields["volume", 0][0]
            self._check(lib.hymg_grid_measure(self._grid, volume, faces[0] + others, faces[1] + others))
            found = [self._read_out(fields[name, axis][0], shape, kind) for name, axis, kind, shape in wanted]
        finally:
            destroy_fields(fields)
        count = len(self.shape)
        return _curved.Measures(found[0], tuple(found[1 : 1 + count]), tuple(found[1 + count :]))

    def _read_out(self, field: Any, shape: tuple[int, ...], centering: int) -> Any:
        """A new NumPy array of a field of cells or faces."""
        array = np.zeros(shape, order=self._order)
        self._copy_out(field, _arrays.view(array, Wanted("array", shape, output=True)), centering)
        return array

    def _make_operator(self, stencil: str, extrapolation: str, limiter: float, **coefficients: Any) -> None:
        self._stack.callback(destroy_fields, self._fields)
        with self._together():
            self._covers[0] = Cover(coefficients.pop("active"), coefficients.pop("body"))
        if coefficients["a"] is None:
            if coefficients["alpha"] is None and self._covers[0].needs_alpha():
                coefficients["alpha"] = 0.0
            coefficients["a"] = 0.0 if coefficients["alpha"] is None else 1.0
        given = {name: value for name, value in coefficients.items() if value is not None}
        with self._together():
            self._desc.stencil = enum_value("hymg_stencil", stencil)
            if self._desc.stencil == lib.HYMG_FV4 and len(self.shape) < 3:
                raise Unsupported(
                    lib.HYMG_EUNSUPPORTED,
                    f'stencil="fv4" with a shape of {len(self.shape)}: FV4 is for boxes, of 3 axes; planes and lines '
                    'have stencil="fv2"',
                )
            self._desc.limiter = number(limiter, "limiter")
            self._desc.extrapolation = enum_value("hymg_extrapolation", extrapolation)
            self._describe(self._desc, given, self._fields)
        self._stack.callback(destroy_covers, self._covers)
        self._op = self._make("operator", self._grid, self._covers[0].make(self, self._desc))

    def _make_solver(self, values: dict[str, Any]) -> None:
        self._options = ffi.new("hymg_options *", lib.hymg_options_default())
        self._options.method = lib.HYMG_MG
        self._given_options = dict(values)
        with self._together():
            files = set_options(self._options, values, inspect.signature(type(self)).parameters)
        self._alive = [files, ffi.new_handle(self._watch)]
        self._options.monitor = lib.hymg_python_monitor
        self._options.monitor_user = self._alive[1]
        self._solver, self._f, self._u = self._make_with_vectors(self._options)
        _process.adopt(self, lib.hymg_context_threads(self._context))

    def _make_preconditioner(self) -> None:
        options, preset = ffi.new("hymg_options *", self._options[0]), lib.hymg_options_preconditioner()
        for name in ("method", "cycle", "smoother", "sweeps", "bottom", "interpolation_v", "initial_guess"):
            setattr(options, name, getattr(preset, name))
        self._preconditioner = self._make_with_vectors(options)

    def _make_with_vectors(self, options: Any) -> tuple[Any, Any, Any]:
        """A solver, and two fields in its layout."""
        solver = self._make("solver", self._op, options)
        f, u = (self._make("field", self._grid, solver, lib.HYMG_CELL, lib.HYMG_DOUBLE) for _ in range(2))
        return solver, f, u

    # ---- coefficients ----

    def _describe(self, desc: Any, values: dict[str, Any], fields: dict[tuple[str, int], Any]) -> None:
        """Puts the given coefficients into desc; the fields that this takes go into `fields`."""
        for name in ("a", "b"):
            setattr(desc, name, number(values.get(name, getattr(desc, name)), name))
        if "alpha" in values:
            if is_number(values["alpha"]) and not desc.alpha:
                desc.alpha_constant = number(values["alpha"], "alpha")
            else:
                desc.alpha = self._field(fields, ("alpha", 0), lib.HYMG_CELL, values["alpha"], self.local_shape)
        if "fixed" in values:
            fixed = values["fixed"]
            if fixed is not None:
                fixed = _fixed.as_array(fixed, self.shape, self.local)
                fixed = self._field(fields, ("fixed", 0), lib.HYMG_CELL, fixed, self.local_shape)
            desc.fixed = ffi.NULL if fixed is None else fixed
        if "beta" in values:
            beta = self._per_axis_beta(values["beta"])
            if all(is_number(x) and x == beta[0] for x in beta) and not desc.beta[0]:
                desc.beta_constant = number(beta[0], "beta")
            else:
                for axis, h in enumerate(self._axes):
                    centering = lib.HYMG_FACE_X + h
                    desc.beta[h] = self._field(fields, ("beta", axis), centering, beta[axis], self._faces(axis))
                for h in range(len(self._axes), 3):  # where it does not count
                    if not desc.beta[h]:
                        desc.beta[h] = self._ones(fields, ("beta", h), lib.HYMG_FACE_X + h)
        for name, target in (
            ("boundary_values", desc.boundary_data),
            ("robin_alpha", desc.robin_alpha),
            ("robin_beta", desc.robin_beta),
        ):
            self._describe_boundaries(desc, name, target, values.get(name), fields)

    def _per_axis_beta(self, beta: Any) -> tuple[Any, ...]:
        if getattr(beta, "ndim", 0) > 1:  # one array, which would be taken for three planes if shape[0] is 3
            faces = ", ".join(str(self._faces(axis)) for axis in range(len(self.shape)))
            raise ValueError(
                f"beta: one array of shape {tuple(beta.shape)}, but a number or one entry per axis is wanted, each a "
                f"number or an array of face averages, of shapes {faces}"
            )
        return self._per_axis(beta, "beta")

    def _describe_boundaries(
        self, desc: Any, name: str, target: Any, values: Any, fields: dict[tuple[str, int], Any]
    ) -> None:
        """Per axis None or a pair (low, high); a number of a Robin boundary stays one."""
        constants = {"robin_alpha": desc.robin_alpha_constant, "robin_beta": desc.robin_beta_constant}.get(name)
        for axis, both in enumerate(() if values is None else self._per_axis(values, name)):
            for side, value in enumerate((None, None) if both is None else pair(both, f"{name}[{axis}]")):
                face = 2 * self._axes[axis] + side
                if value is None:
                    continue
                if constants is not None and is_number(value) and not target[face]:
                    constants[face] = number(value, f"{name}[{axis}][{side}]")
                else:
                    key, centering = (f"{name}[{axis}]", side), lib.HYMG_BOUNDARY_X_LOW + face
                    target[face] = self._field(fields, key, centering, value, self._shape_with(axis, 1))

    def _shape_with(self, axis: int, entries: int) -> tuple[int, ...]:
        return tuple(entries if i == axis else n for i, n in enumerate(self.local_shape))

    def _faces(self, axis: int) -> tuple[int, ...]:
        """The shape of an array of the faces normal to an axis."""
        return self._shape_with(axis, self.local_shape[axis] + 1)

    def _field(
        self,
        fields: dict[tuple[str, int], Any],
        key: tuple[str, int],
        centering: int,
        value: Any,
        shape: tuple[int, ...],
    ) -> Any:
        """A field with these values, a number or an array that broadcasts to shape."""
        name = key[0] if key[0] in ("alpha", "fixed") else f"{key[0]}[{key[1]}]"
        if not _arrays.on_device(value):
            value = broadcast(as_double(value, name), shape, name)
        view = self._view(value, name, shape=shape)
        pointer = self._new_field(fields, key, view.space, centering)
        low = ffi.new("int[3]", list(self._low))
        if centering >= lib.HYMG_BOUNDARY_X_LOW:
            low[(centering - lib.HYMG_BOUNDARY_X_LOW) // 2] = 0
        self._copy_in(pointer[0], view, low, centering)
        return pointer[0]

    def _ones(self, fields: dict[tuple[str, int], Any], key: tuple[str, int], centering: int) -> Any:
        pointer = self._new_field(fields, key, lib.HYMG_HOST, centering)
        self._check(lib.hymg_field_fill(pointer[0], 1.0))
        return pointer[0]

    def _new_field(self, fields: dict[tuple[str, int], Any], key: tuple[str, int], space: int, centering: int) -> Any:
        pointer = ffi.new("hymg_field **")
        self._check(lib.hymg_field_create_in(self._grid, space, centering, lib.HYMG_DOUBLE, pointer))
        fields[key] = pointer
        return pointer

    # ---- use ----

    def _check(self, status: int) -> None:
        check(status, self._context, self._axes)

    @contextlib.contextmanager
    def _in_use(self, closing: bool = False) -> Iterator[None]:
        _process.wait_if_ending()
        if self._lost and not closing:
            raise RuntimeError(
                f"the solver was made before this process was forked, {self._lost}, which a fork does not copy; make a "
                "solver in this process"
            )
        if not self._lock.acquire(blocking=False):
            raise RuntimeError("the solver is in use, by another thread or by the solve that called its monitor")
        try:
            if not self._finalizer.alive and not closing:
                raise ValueError("the solver has been closed")
            with self._watch.interrupts.held() if self._ranks > 1 else contextlib.nullcontext():
                yield
        finally:
            self._lock.release()
            _process.wait_if_ending()

    @contextlib.contextmanager
    def _together(self) -> Iterator[None]:
        """What every rank does by itself; with several ranks an exception on one of them is raised on all."""
        if self._ranks == 1:
            yield
            return
        error: Optional[BaseException] = None
        try:
            yield
        except BaseException as raised:
            error = raised
        try:
            error = _ranks.agreed(error, lib.hymg_context_rank(self._context), self._ranks, self._largest)
            if error is not None:
                raise error
        finally:
            del error  # and with it a cycle of references

    def _largest(self, value: float) -> float:
        """Collective: the largest of the ranks' numbers."""
        largest = ffi.new("double *", value)
        self._check(lib.hymg_context_max(self._context, largest))
        return float(largest[0])

    def _after_fork(self) -> None:
        """In the new process. What the parent has beside memory did not come along."""
        busy, self._lock = self._lock.locked(), threading.Lock()
        if not self._finalizer.alive:  # closed
            return
        level = ffi.new("hymg_level_info *")
        lib.hymg_solver_level(self._solver, 0, level)
        threads = lib.hymg_context_threads(self._context)
        if busy:
            self._lost = "in use by another thread"
        elif self._comm_given:
            self._lost = "with a communicator"
        elif level.backend == lib.HYMG_BACKEND_CUDA:
            self._lost = "on a GPU"
        elif threads > 1:
            self._lost = f"with {threads} threads"
        if self._lost:
            self._finalizer.detach()

    def _end(self, seconds: float) -> None:
        """At the end of the interpreter: frees everything, unless another thread stays inside for so long."""
        if not self._finalizer.alive:
            return
        lib.hymg_solver_stop(self._solver)
        if self._lock.acquire(timeout=seconds):
            self._finalizer()
            self._lock.release()

    def _view(self, array: Any, name: str, output: bool = False, shape: Optional[tuple[int, ...]] = None) -> View:
        found = _arrays.view(array, Wanted(name, shape or self.local_shape, output, self._stream))
        if found.device is not None and found.device != self._device():
            raise ValueError(f"{name}: on GPU {found.device}, but the solver is on GPU {self._device()}")
        return found

    def _device(self) -> int:
        if self._ordinal is None:
            info = ffi.new("hymg_device_info *")
            self._check(lib.hymg_device_get(self._context, -1, info))
            self._ordinal = info.ordinal
        return self._ordinal

    def _layout(self, view: View) -> tuple[Any, Any]:
        """Counts and strides of an array, per axis of the library."""
        others = 3 - len(self._axes)
        count = ffi.new("int[3]", [view.shape[axis] for axis in self._axes] + [1] * others)
        return count, ffi.new("ptrdiff_t[3]", [view.strides[axis] for axis in self._axes] + [0] * others)

    def _wrap(self, view: View, centering: int = lib.HYMG_CELL, low: Any = None) -> Any:
        """A field over an array, to be destroyed by the caller."""
        count, stride = self._layout(view)
        pointer = ffi.new("hymg_field **")
        where = low or self._low, count, stride, view.pointer
        self._check(lib.hymg_field_wrap(self._grid, view.space, centering, view.precision, *where, pointer))
        return pointer

    def _copy_in(self, field: Any, view: View, low: Any = None, centering: int = lib.HYMG_CELL) -> None:
        with self._wrapped(view, centering, low) as array:
            self._check(lib.hymg_field_copy(array, field))

    def _copy_out(self, field: Any, view: View, centering: int = lib.HYMG_CELL) -> None:
        with self._wrapped(view, centering) as array:
            self._check(lib.hymg_field_copy(field, array))
        self._wait(field, view)

    @contextlib.contextmanager
    def _wrapped(self, view: View, centering: int = lib.HYMG_CELL, low: Any = None) -> Iterator[Any]:
        pointer = self._wrap(view, centering, low)
        try:
            yield pointer[0]
        finally:
            lib.hymg_field_destroy(pointer)

    def _wait(self, field: Any, view: View, low: Any = None) -> None:
        """Results in the memory of a GPU are complete on return, unless the caller has named a stream."""
        if view.space == lib.HYMG_DEVICE and self._callers_stream is None:
            # reading a number to the host waits for what is queued before
            one, entry = ffi.new("int[3]", [min(n, 1) for n in self._count]), ffi.new("double *")
            self._check(lib.hymg_field_read(field, low or self._low, one, [0, 0, 0], entry, lib.HYMG_HOST))

    def _run_solve(self) -> Result:
        result = ffi.new("hymg_result *")
        self._watch.error = None
        self._check(lib.hymg_solve(self._solver, self._f, self._u, result))
        return self._keep_result(result)

    def _keep_result(self, result: Any) -> Result:
        """Of a solve that has just been made; raises what its monitor has raised."""
        self._last, self.result = result, result_of(result, self._axes)
        with self._together():
            self._watch.interrupts.release()
            if self._watch.error is not None:
                raise self._watch.error
        return self.result


def _cells(shape: Any) -> tuple[int, ...]:
    """The cells per axis of a solver's shape: of a box, a plane or a line, for which a single number will do."""
    if isinstance(shape, str) or (not is_sequence(shape) and not hasattr(shape, "__iter__")):
        try:
            return (whole(shape, "shape"),)
        except TypeError:
            raise TypeError(f"shape: {describe(shape)}; one, two or three numbers of cells are wanted") from None
    cells: Sequence[Any] = tuple(shape)
    if not 1 <= len(cells) <= 3:
        raise ValueError(f"shape: {len(cells)} numbers of cells, but one, two or three are wanted")
    return tuple(whole(n, "shape") for n in cells)


def destroy_fields(fields: dict[tuple[str, int], Any]) -> None:
    for pointer in fields.values():
        lib.hymg_field_destroy(pointer)


def stream_address(stream: Any) -> int:
    """The cudaStream_t of an integer or of a stream of CuPy (ptr), PyTorch (cuda_stream) or with __cuda_stream__."""
    if stream is None or isinstance(stream, int):
        return stream or 0
    if hasattr(stream, "__cuda_stream__"):
        return int(stream.__cuda_stream__()[1])
    for name in ("cuda_stream", "ptr"):
        if hasattr(stream, name):
            return int(getattr(stream, name))
    raise TypeError(f"stream: a {type(stream).__name__}; an integer or a stream of CuPy or PyTorch is wanted")
