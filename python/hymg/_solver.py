"""The solver: domain, coefficients and options in, solutions out."""

import contextlib
import threading
import warnings
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Optional, Union

import numpy as np

from . import _arrays
from ._arrays import View, Wanted
from ._hymg import ffi, lib
from ._library import ConvergenceWarning, Unsupported, check, enum_value, enum_word, set_options, text
from ._operators import linear_operator

Boundary = Union[str, tuple[str, str]]


class Cycle(NamedTuple):
    """The residual after a cycle or an iteration."""

    kind: str  # "f", "v", "w", "cg" or "bicgstab"
    residual: float  # norm of f - A u, f with the boundary data
    relative: float  # the same over the norm of f


class Result(NamedTuple):
    """What a solve did."""

    converged: bool
    reason: str  # "tolerance", "limit", "stagnated", "diverged", "not finite" or "stopped"
    cycles: int
    residual: float  # of the last cycle
    residual_relative: float
    history: tuple[Cycle, ...]
    rhs_norm: float  # of f, with the boundary data and without the mean
    mean_removed: float  # mean of f that was subtracted, 0 if the system is not singular
    seconds: float
    path: str  # "standard" or "robust"
    note: str  # why that path, and what else is worth knowing


Monitor = Callable[[int, Cycle], Optional[bool]]


class _Watch:
    """What the library's monitor calls: the user's function, and the exception that ended a solve."""

    def __init__(self, function: Optional[Monitor]) -> None:
        self.function = function
        self.error: Optional[BaseException] = None


def _keep_error(_kind: type, error: BaseException, traceback: Any) -> None:
    ffi.from_handle(traceback.tb_frame.f_locals["user"]).error = error


# Between two cycles the interpreter runs: a Ctrl-C that has arrived is raised here, as KeyboardInterrupt.
@ffi.def_extern(error=False, onerror=_keep_error)
def hymg_python_monitor(record: Any, cycle: int, user: Any) -> bool:
    watch = ffi.from_handle(user)
    return watch.function is None or watch.function(cycle, _cycle(record)) is not False


def _cycle(record: Any) -> Cycle:
    return Cycle(enum_word("hymg_cycle_kind", record.kind), record.residual_max, record.residual_relative)


def _per_axis(value: Any, name: str) -> tuple[Any, Any, Any]:
    """Three values from three or from one for all axes."""
    values = tuple(value) if isinstance(value, (tuple, list, np.ndarray)) else (value,) * 3
    if len(values) != 3:
        raise ValueError(f"{name}: {len(values)} values, but one for all axes or one for each of the 3 is wanted")
    return values


class Solver:
    """Solves a alpha u - b div(beta grad u) = f on a box of cells, for any number of right-hand sides.

    Arrays are cell averages of float64, of any strides, indexed as `shape` says. With order "C", the default, the
    last axis is the library's x, so that C-contiguous arrays are the fast ones; with order "F" the first is. Messages
    of the library speak of x, y and z.

    shape            cells per axis, three numbers; with comm those of the whole domain
    spacing          of the cells, one number or one per axis
    widths           per axis None or the widths of its cells (then spacing does not count)
    boundary         "dirichlet", "neumann" or "periodic", for all axes or one for each, which may be a pair (low, high)
    boundary_values  per axis None or a pair (low, high) of None, a number or an array with one cell along that axis:
                     values on Dirichlet, outward derivatives on Neumann boundaries; FV2 only
    beta             > 0: a number, or one per axis, each a number or an array of face averages with one entry more along
                     that axis (entry i is the low face of cell i)
    alpha            >= 0: None (no such term), a number or an array of cell averages
    a, b             numbers; a is 1 by default if alpha is given
    stencil          "fv2", second order, or "fv4", fourth order
    extrapolation    at Dirichlet boundaries with FV2: "linear", "quadratic" or "default"
    comm             an mpi4py communicator: arrays are then each rank's own part, `local`; all ranks make all calls
    boxes            with comm: parts per axis
    cuts             with comm: per axis None or the cells of each part
    threads          OpenMP threads; 0: OpenMP's default
    device, stream   CUDA device and stream (an integer, or an object of CuPy or PyTorch); see docs/python.md
    monitor          called as monitor(cycle, Cycle) after each cycle; returning False ends the solve
    options          members of hymg_options by name, as in smoother="chebyshev", rtol=1e-8, max_cycles=50; method is "mg"
                     (cycles to the tolerance) unless given

    Values that broadcast to the shape of a coefficient are fine. Coefficients are copied. Errors of the library are
    hymg.Error with its text. A solver is used by one thread at a time; the interpreter is free while it works.
    """

    def __init__(
        self,
        shape: Sequence[int],
        *,
        spacing: Union[float, Sequence[float]] = 1.0,
        widths: Optional[Sequence[Any]] = None,
        boundary: Union[str, Sequence[Boundary]] = "dirichlet",
        boundary_values: Optional[Sequence[Any]] = None,
        beta: Any = None,
        alpha: Any = None,
        a: Optional[float] = None,
        b: float = 1.0,
        stencil: str = "fv2",
        extrapolation: str = "default",
        order: str = "C",
        comm: Any = None,
        boxes: Optional[Sequence[int]] = None,
        cuts: Optional[Sequence[Any]] = None,
        threads: int = 0,
        device: Optional[int] = None,
        stream: Any = None,
        monitor: Optional[Monitor] = None,
        **options: Any,
    ) -> None:
        if order not in ("C", "F"):
            raise ValueError(f"order '{order}': 'C' or 'F'")
        # _axes[h] is the array's axis that the library calls h, and the reverse
        self._axes = (2, 1, 0) if order == "C" else (0, 1, 2)
        self._lock = threading.Lock()
        self._stack = contextlib.ExitStack()
        self._finalizer = weakref.finalize(self, self._stack.close)
        self._watch = _Watch(monitor)
        self._context: Any = ffi.NULL
        self._ordinal: Optional[int] = None
        self._stream = _stream_address(stream)
        self._own_stream = stream is not None
        self.shape = tuple(int(n) for n in _per_axis(tuple(shape), "shape"))
        self.result: Optional[Result] = None
        try:
            self._make_context(comm, threads, device)
            self._make_grid(spacing, widths, boundary, boxes, cuts)
            self._coefficients: dict[str, Any] = {}
            self._make_operator(stencil, extrapolation, a=a, b=b, alpha=alpha, beta=beta, boundary_values=boundary_values)
            self._make_solver(options)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Frees the memory of the library now; with comm a collective call. Further calls fail."""
        with self._in_use(closing=True):
            self._finalizer()
            self._context = ffi.NULL

    def __enter__(self) -> "Solver":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    @property
    def local_shape(self) -> tuple[int, ...]:
        """The shape of the arrays: that of this rank's part with comm, else `shape`."""
        return tuple(self._count[axis] for axis in self._axes)

    @property
    def local(self) -> tuple[slice, ...]:
        """This rank's part of the domain's arrays; with one rank all of them."""
        return tuple(slice(self._low[axis], self._low[axis] + self._count[axis]) for axis in self._axes)

    def solve(self, f: Any, out: Any = None, guess: Any = None) -> Any:
        """Solves A u = f and returns u, in `out` or else in a new array of f's framework and memory.

        f      the right-hand side: any array or nested sequence of the right shape; not changed
        out    the array for u: float64, not f
        guess  the initial guess, of a Solver with initial_guess=True; zero if None. It may be `out`

        `result` then says how it went. A solve that does not converge gives a ConvergenceWarning. Ctrl-C ends the solve
        after the current cycle with KeyboardInterrupt; the solver can be used again. Errors: hymg.Error, ValueError for
        shapes, TypeError for arrays that cannot be used.
        """
        if guess is not None and not self._options.initial_guess:
            raise ValueError("guess: only with Solver(..., initial_guess=True)")
        with self._in_use():
            given = self._view(f, "f")
            u = _arrays.empty_like(f, self.local_shape) if out is None else out
            target = self._view(u, "out", output=True)
            self._copy_in(self._f, given)
            if guess is not None:
                self._copy_in(self._u, self._view(guess, "guess"))
            elif self._options.initial_guess:
                self._check(lib.hymg_field_fill(self._u, 0.0))
            self._run_solve()
            self._copy_out(self._u, target)
        if not self.result.converged:
            warnings.warn(f"{self.result.reason}: {self.result.note}", ConvergenceWarning, stacklevel=2)
        return u

    def apply(self, u: Any, out: Any = None) -> Any:
        """A u with homogeneous boundary conditions, in `out` (which may be u) or a new array."""
        with self._in_use():
            source = self._view(u, "u")
            result = _arrays.empty_like(u, self.local_shape) if out is None else out
            target = self._view(result, "out", output=True)
            self._copy_in(self._u, source)
            self._check(lib.hymg_apply(self._solver, 0, self._u, self._f))
            self._copy_out(self._f, target)
        return result

    def residual(self, f: Any, u: Any, out: Any = None) -> Any:
        """f - A u with the boundary data, in `out` or a new array."""
        with self._in_use():
            views = self._view(f, "f"), self._view(u, "u")
            result = _arrays.empty_like(f, self.local_shape) if out is None else out
            target = self._view(result, "out", output=True)
            self._copy_in(self._f, views[0])
            self._copy_in(self._u, views[1])
            self._check(lib.hymg_residual(self._solver, 0, self._f, self._u, self._f))
            self._copy_out(self._f, target)
        return result

    def as_linear_operator(self, library: str = "scipy") -> Any:
        """A with homogeneous boundary conditions as scipy.sparse.linalg.LinearOperator ("cupyx.scipy": CuPy's), for
        vectors in the C order of the arrays. It is symmetric with FV2, equal widths and no quadratic extrapolation.
        """
        return linear_operator(self.local_shape, self.apply, library)

    def precondition(self, r: Any, out: Any = None) -> Any:
        """One cycle from zero for A e = r, in `out` or a new array: symmetric, as conjugate gradients want it.

        It has smoothers of its own, those of hymg_options_preconditioner, and memory for them from the first call on.
        Symmetric with FV2 if Dirichlet boundaries have the linear extrapolation, or on the robust path.
        """
        with self._in_use():
            if self._preconditioner is None:
                self._make_preconditioner()
            source = self._view(r, "r")
            result = _arrays.empty_like(r, self.local_shape) if out is None else out
            target = self._view(result, "out", output=True)
            solver, given, found = self._preconditioner
            self._copy_in(given, source)
            self._check(lib.hymg_solver_cycle(solver, lib.HYMG_CYCLE_DEFAULT, False, given, found))
            self._copy_out(found, target)
        return result

    def as_preconditioner(self, library: str = "scipy") -> Any:
        """`precondition` as a LinearOperator, for vectors as in as_linear_operator."""
        return linear_operator(self.local_shape, self.precondition, library)

    def update(self, **coefficients: Any) -> None:
        """New values for a, b, alpha, beta or boundary_values; those not named stay as they are.

        What was an array stays one, and what was a number stays a number. If the new values are refused (hymg.Error,
        ValueError), the solver keeps the old ones.
        """
        unknown = set(coefficients) - {"a", "b", "alpha", "beta", "boundary_values"}
        if unknown:
            raise TypeError(f"update: unknown coefficient '{min(unknown)}'; there are a, b, alpha, beta, boundary_values")
        with self._in_use():
            desc = ffi.new("hymg_operator_desc *", self._desc[0])
            fields: dict[tuple[str, int], Any] = {}
            solvers = [self._solver] + ([self._preconditioner[0]] if self._preconditioner else [])
            try:
                self._describe(desc, coefficients, fields)
                self._check(lib.hymg_operator_set(self._op, desc))
                for solver in solvers:
                    self._check(lib.hymg_solver_update(solver))
            except BaseException:
                lib.hymg_operator_set(self._op, self._desc)
                for solver in solvers:
                    lib.hymg_solver_update(solver)
                _destroy_fields(fields)
                raise
            _destroy_fields({key: self._fields.pop(key) for key in fields if key in self._fields})
            self._fields.update(fields)
            self._desc = desc

    # ---- creation ----

    def _make(self, kind: str, *arguments: Any) -> Any:
        """Creates an object that lives until close(): a context's options, a grid's description and so on come first."""
        pointer = ffi.new(f"hymg_{kind} **")
        self._check(getattr(lib, f"hymg_{kind}_create")(*arguments, pointer))
        self._stack.callback(getattr(lib, f"hymg_{kind}_destroy"), pointer)
        return pointer[0]

    def _make_context(self, comm: Any, threads: int, device: Optional[int]) -> None:
        options = ffi.new("hymg_context_options *", lib.hymg_context_options_default())
        options.threads = threads
        options.stream = ffi.cast("struct CUstream_st *", self._stream)
        if device is not None:
            options.device = device
        if comm is None:
            self._context = self._make("context", options)
            return
        pointer = ffi.new("hymg_context **")
        status = lib.hymg_python_context_mpi(comm.py2f(), options, pointer)
        if status == lib.HYMG_EUNSUPPORTED:
            raise Unsupported(status, "comm: this libhymg has no MPI; docs/python.md says how to use one that has")
        self._check(status)
        self._stack.callback(lib.hymg_context_destroy, pointer)
        self._context = pointer[0]

    def _make_grid(self, spacing: Any, widths: Any, boundary: Any, boxes: Any, cuts: Any) -> None:
        desc = ffi.new("hymg_grid_desc *", lib.hymg_grid_desc_default())
        alive = []
        for axis, h in enumerate(self._axes):
            desc.n[h] = self.shape[axis]
            desc.spacing[h] = _per_axis(spacing, "spacing")[axis]
            kinds = _per_axis(boundary, "boundary")[axis]
            for side, kind in enumerate((kinds, kinds) if isinstance(kinds, str) else kinds):
                desc.boundary[2 * h + side] = enum_value("hymg_boundary", kind)
            if widths is not None and _per_axis(widths, "widths")[axis] is not None:
                alive.append(_numbers("double", widths[axis], self.shape[axis], f"widths[{axis}]"))
                desc.widths[h] = alive[-1]
            if boxes is not None:
                desc.boxes[h] = _per_axis(boxes, "boxes")[axis]
            if cuts is not None:
                cut = _per_axis(cuts, "cuts")[axis]
                cut = [self.shape[axis]] if cut is None else cut
                alive.append(_numbers("int", cut, len(cut), f"cuts[{axis}]"))
                desc.cuts[h], desc.boxes[h] = alive[-1], len(cut)
        self._grid = self._make("grid", self._context, desc)
        bricks = ffi.new("double *", lib.hymg_grid_num_local(self._grid))
        self._check(lib.hymg_context_max(self._context, bricks))
        if bricks[0] > 1:
            raise ValueError(f"a rank holds {bricks[0]:.0f} bricks of cells that do not form one; give boxes= or cuts= with "
                             "one part per rank")
        self._low, self._count = ffi.new("int[3]"), ffi.new("int[3]")
        lib.hymg_grid_local(self._grid, 0, self._low, self._count)

    def _make_operator(self, stencil: str, extrapolation: str, **coefficients: Any) -> None:
        self._desc = ffi.new("hymg_operator_desc *", lib.hymg_operator_desc_default())
        self._desc.stencil = enum_value("hymg_stencil", stencil)
        self._desc.extrapolation = enum_value("hymg_extrapolation", extrapolation)
        self._fields: dict[tuple[str, int], Any] = {}
        self._stack.callback(_destroy_fields, self._fields)
        if coefficients["a"] is None:
            coefficients["a"] = 0.0 if coefficients["alpha"] is None else 1.0
        given = {name: value for name, value in coefficients.items() if value is not None}
        self._describe(self._desc, given, self._fields)
        self._op = self._make("operator", self._grid, self._desc)

    def _make_solver(self, values: dict[str, Any]) -> None:
        self._options = ffi.new("hymg_options *", lib.hymg_options_default())
        self._options.method = lib.HYMG_MG
        self._alive = [set_options(self._options, values), ffi.new_handle(self._watch)]
        self._options.monitor = lib.hymg_python_monitor
        self._options.monitor_user = self._alive[1]
        self._solver, self._f, self._u = self._make_with_vectors(self._options)
        self._preconditioner: Any = None

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
            setattr(desc, name, values.get(name, getattr(desc, name)))
        if "alpha" in values:
            if _is_number(values["alpha"]) and not desc.alpha:
                desc.alpha_constant = values["alpha"]
            else:
                desc.alpha = self._field(fields, ("alpha", 0), lib.HYMG_CELL, values["alpha"], self.local_shape)
        if "beta" in values:
            beta = _per_axis(values["beta"], "beta")
            if all(_is_number(x) for x in beta) and len(set(beta)) == 1 and not desc.beta[0]:
                desc.beta_constant = beta[0]
            else:
                for axis, h in enumerate(self._axes):
                    shape = self._shape_with(axis, self.local_shape[axis] + 1)
                    desc.beta[h] = self._field(fields, ("beta", axis), lib.HYMG_FACE_X + h, beta[axis], shape)
        if "boundary_values" in values:
            for axis, pair in enumerate(_per_axis(values["boundary_values"], "boundary_values")):
                for side, value in enumerate((None, None) if pair is None else pair):
                    if value is not None:
                        face = 2 * self._axes[axis] + side
                        key = (f"boundary_values[{axis}]", side)
                        centering = lib.HYMG_BOUNDARY_X_LOW + face
                        desc.boundary_data[face] = self._field(fields, key, centering, value, self._shape_with(axis, 1))

    def _shape_with(self, axis: int, entries: int) -> tuple[int, ...]:
        return tuple(entries if i == axis else n for i, n in enumerate(self.local_shape))

    def _field(self, fields: dict[tuple[str, int], Any], key: tuple[str, int], centering: int, value: Any,
               shape: tuple[int, ...]) -> Any:
        """A field with these values, a number or an array that broadcasts to shape."""
        pointer = ffi.new("hymg_field **")
        self._check(lib.hymg_field_create(self._grid, ffi.NULL, centering, lib.HYMG_DOUBLE, pointer))
        fields[key] = pointer
        if _is_number(value):
            self._check(lib.hymg_field_fill(pointer[0], value))
            return pointer[0]
        name = key[0] if key[0] == "alpha" else f"{key[0]}[{key[1]}]"
        if not _arrays.on_device(value):
            value = _broadcast(_arrays.as_double(value, name), shape, name)
        low = ffi.new("int[3]", list(self._low))
        if centering >= lib.HYMG_BOUNDARY_X_LOW:
            low[(centering - lib.HYMG_BOUNDARY_X_LOW) // 2] = 0
        self._copy_in(pointer[0], self._view(value, name, shape=shape), low)
        return pointer[0]

    # ---- use ----

    def _check(self, status: int) -> None:
        check(status, self._context, f"; x, y, z are axes {self._axes[0]}, {self._axes[1]}, {self._axes[2]} of the arrays")

    @contextlib.contextmanager
    def _in_use(self, closing: bool = False) -> Iterator[None]:
        if not self._lock.acquire(blocking=False):
            raise RuntimeError("the solver is in use, by another thread or by the solve that called its monitor")
        try:
            if not self._finalizer.alive and not closing:
                raise ValueError("the solver has been closed")
            yield
        finally:
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
        count = ffi.new("int[3]", [view.shape[axis] for axis in self._axes])
        return count, ffi.new("ptrdiff_t[3]", [view.strides[axis] for axis in self._axes])

    def _copy_in(self, field: Any, view: View, low: Any = None) -> None:
        count, stride = self._layout(view)
        # of boundary data and with several ranks, the entries that this one holds
        self._check(lib.hymg_field_write_own(field, low or self._low, count, stride, view.pointer, view.space))

    def _copy_out(self, field: Any, view: View) -> None:
        count, stride = self._layout(view)
        self._check(lib.hymg_field_read(field, self._low, count, stride, view.pointer, view.space))
        if view.space == lib.HYMG_DEVICE and not self._own_stream:
            # complete on return: reading a number to the host waits for what is queued before
            one, number = ffi.new("int[3]", [min(n, 1) for n in self._count]), ffi.new("double *")
            self._check(lib.hymg_field_read(field, self._low, one, stride, number, lib.HYMG_HOST))

    def _run_solve(self) -> None:
        result = ffi.new("hymg_result *")
        self._watch.error = None
        self._check(lib.hymg_solve(self._solver, self._f, self._u, result))
        history = tuple(_cycle(result.history[i]) for i in range(result.cycles))
        self.result = Result(
            result.converged, enum_word("hymg_reason", result.reason), result.cycles, result.residual_max,
            result.residual_relative, history, result.rhs_max, result.mean_removed, result.seconds,
            enum_word("hymg_path", result.path), text(result.note),
        )
        if self._watch.error is not None:
            raise self._watch.error


def _destroy_fields(fields: dict[tuple[str, int], Any]) -> None:
    for pointer in fields.values():
        lib.hymg_field_destroy(pointer)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number))


def _broadcast(array: np.ndarray, shape: tuple[int, ...], name: str) -> np.ndarray:
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        raise ValueError(f"{name}: shape {array.shape} does not broadcast to {shape}") from None


def _numbers(kind: str, values: Any, count: int, name: str) -> Any:
    if len(values) != count:
        raise ValueError(f"{name}: {len(values)} numbers, but {count} are wanted")
    return ffi.new(f"{kind}[]", [value.item() if isinstance(value, np.generic) else value for value in values])


def _stream_address(stream: Any) -> int:
    """The cudaStream_t of an integer, or of a stream of CuPy (ptr), PyTorch (cuda_stream) or any with __cuda_stream__."""
    if stream is None or isinstance(stream, int):
        return stream or 0
    if hasattr(stream, "__cuda_stream__"):
        return int(stream.__cuda_stream__()[1])
    for name in ("cuda_stream", "ptr"):
        if hasattr(stream, name):
            return int(getattr(stream, name))
    raise TypeError(f"stream: a {type(stream).__name__}; an integer or a stream of CuPy or PyTorch is wanted")
