"""The solver: domain, coefficients and options in, solutions out."""

import os
import warnings
from collections.abc import Sequence
from typing import Any, Optional, Union

from . import _adjoint, _arrays, _many
from ._curved import Measures
from ._description import described
from ._hymg import ffi, lib
from ._library import ConvergenceWarning, enum_word, nearest
from ._objects import Objects, destroy_fields
from ._operators import linear_operator
from ._result import Monitor
from ._words import of_arrays, text

Boundary = Union[str, tuple[str, str]]


class Solver(Objects):
    """Solves a alpha u - b div(beta grad u) = f on a box, plane or line of cells, for any number of right-hand sides.

    The shape decides which it is: (nk, nj, ni), (nj, ni) or (n,). All arrays, and what is given per axis, then have as
    many axes.
    Arrays are cell averages of float64 or float32, of any strides, indexed as `shape` says. With order "C", the default, the
    last axis is the library's x, so that C-contiguous arrays are the fast ones; with order "F" the first is. Messages
    and notes name the axes of the arrays, "axis 0" being the first, and cells as the arrays are indexed.

    shape            cells per axis: three numbers, two or one; with comm those of the whole domain
    spacing          of the cells, one number or one per axis
    widths           per axis None or the widths of its cells (then spacing does not count)
    geometry         None: straight axes; "cylinder" (r, azimuth, z), in a plane (r, z) and on a line r; "polar" (r,
                     azimuth); "sphere" (r, colatitude, azimuth), (r, colatitude) or r; "lat-lon" (height, latitude,
                     longitude), (latitude, longitude) or latitude, of a thin layer on a sphere; or the coordinates of
                     the arrays' axes by name, as in ("length", "radius"): "radius", "azimuth", "length", "colatitude",
                     "latitude". Spacings of angles are in radians; see docs/python.md
    origin           where the coordinates begin, one number or one per axis; 0
    radius           of the sphere, with "lat-lon"
    boundary         "dirichlet", "neumann", "robin" or "periodic", for all axes or one for each, which may be a pair
                     (low, high); or "open", for all: free space around a box, where beta is a number and there is no
                     alpha; "open-james", for sources near its sides, solves twice (docs/boundaries.md)
    boundary_values  per axis None or a pair (low, high) of None, a number or an array with one cell along that axis:
                     values on Dirichlet, outward derivatives on Neumann boundaries, g on Robin ones; FV2 only
    robin_alpha, robin_beta  likewise, of Robin boundaries, where robin_alpha u + robin_beta du/dn = g; default 1
    beta             >= 0, where 0 closes a face: a number, or one per axis, each a number or an array of face averages
                     with one entry more along that axis (entry i is the low face of cell i)
    alpha            >= 0: None (no such term), a number or an array of cell averages
    fixed            cells where u is given and no unknown: an array of cells that is NaN where u is unknown,
                     or a pair (mask of bools, values), or a pair (cells, values) with a list of their indices or a
                     tuple of one index array per axis, of the whole domain. f does not count there and may be NaN
    active           an array of cells: where it is 0 (False) the cell is left out, and no flux passes its faces;
                     f does not count there and may be NaN
    body             a hymg.Body with a condition on its surface, or a signed distance at the vertices of cells (one entry
                     more along every axis), positive in the open part, for a wall; or a list of such bodies.
                     alpha, beta and f are given as they would be without the body
    a, b             numbers; a is 1 by default if alpha is given
    stencil          "fv2", second order, or, for boxes, "fv4", fourth order
    extrapolation    at Dirichlet and Robin boundaries with FV2: "linear", "quadratic", "vertex" or "default"
    limiter          with FV4: the factor of beta from which on a face has the flux of FV2; inf: no face; 0: 8 where beta
                     jumps
    comm             an mpi4py communicator: arrays are then each rank's own part, `local`; all ranks make all calls, and
                     what raises an exception on one of them, as Ctrl-C or the monitor may, raises it on all
    boxes            with comm: parts per axis
    cuts             with comm: per axis None or the cells of each part
    threads          OpenMP threads; 0: OpenMP's default, but 1 in a process made by a fork (docs/python.md)
    device, stream   CUDA device and stream (an integer, or an object of CuPy or PyTorch); see docs/python.md
    monitor          called as monitor(cycle, Cycle) after each cycle; returning False ends the solve
    options          members of hymg_options by name, as in smoother="chebyshev", rtol=1e-8, max_cycles=50; method is
                     "mg" (cycles to the tolerance) unless given; None is the default of any

    What a line has two of, as boundary, or one per cell, as widths, need not be in a tuple of its own. Values that
    broadcast to the shape of a coefficient are fine. Coefficients are copied. Errors of the library are
    hymg.Error with its text. A solver is used by one thread at a time; the interpreter is free while it works.
    """

    def __init__(
        self,
        shape: Union[int, Sequence[int]],
        *,
        spacing: Union[float, Sequence[float]] = 1.0,
        widths: Optional[Sequence[Any]] = None,
        geometry: Union[None, str, Sequence[str]] = None,
        origin: Union[float, Sequence[float]] = 0.0,
        radius: float = 1.0,
        boundary: Union[str, Sequence[Boundary]] = "dirichlet",
        boundary_values: Optional[Sequence[Any]] = None,
        robin_alpha: Optional[Sequence[Any]] = None,
        robin_beta: Optional[Sequence[Any]] = None,
        beta: Any = None,
        alpha: Any = None,
        fixed: Any = None,
        active: Any = None,
        body: Any = None,
        a: Optional[float] = None,
        b: float = 1.0,
        stencil: str = "fv2",
        extrapolation: str = "default",
        limiter: float = 0.0,
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
        super().__init__(shape, order, stream, monitor)
        try:
            self._make_context(comm, threads, device)
            self._make_grid((geometry, origin, radius), spacing, widths, boundary, boxes, cuts)
            self._make_operator(
                stencil,
                extrapolation,
                limiter,
                a=a,
                b=b,
                alpha=alpha,
                fixed=fixed,
                active=active,
                body=body,
                beta=beta,
                boundary_values=boundary_values,
                robin_alpha=robin_alpha,
                robin_beta=robin_beta,
            )
            self._make_solver(options)
            self._warn_of_thin_axes()
        except BaseException:
            self.close()
            raise

    def _warn_of_thin_axes(self) -> None:
        """Where a plane was meant, one more axis of one cell between Dirichlet boundaries leaves nothing of it."""
        axes = [n for n in self.shape if n > 1]
        if 1 not in self.shape or not axes:
            return
        with self._in_use():
            lines = [line for line in self._advice().splitlines() if line.startswith("there is one cell along")]
        for line in lines:
            what = "a plane" if len(axes) == 2 else "a line"
            shape = f"({', '.join(map(str, axes))}{',' * (len(axes) == 1)})"
            warnings.warn(f"{line}. Solver({shape}, ...) solves {what}", RuntimeWarning, stacklevel=3)

    def __repr__(self) -> str:
        if not self._finalizer.alive or not hasattr(self, "_solver"):
            return f"<hymg.Solver of {' x '.join(map(str, self.shape))} cells, closed>"
        path = enum_word("hymg_path", lib.hymg_solver_path(self._solver, ffi.NULL))
        levels = lib.hymg_solver_num_levels(self._solver)
        plural = "s" * (levels > 1)
        return f"<hymg.Solver of {' x '.join(map(str, self.shape))} cells, path {path}, {levels} level{plural}>"

    def close(self) -> None:
        """Frees the memory of the library now; with comm a collective call. Further calls fail."""
        with self._in_use(closing=True):
            self._finalizer()
            self._context = ffi.NULL

    def __enter__(self) -> "Solver":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def solve(self, f: Any, out: Any = None, guess: Any = None) -> Any:
        """Solves A u = f and returns u, in `out` or else in a new array of f's framework and memory: of float32 if f is,
        else of float64. The solve itself, and what `result` says of it, is the same for both.

        f      the right-hand side: any array or nested sequence of the right shape; not changed
        out    the array for u: float64 or float32; it may be f
        guess  the initial guess, of a Solver with initial_guess=True; zero if None. It may be `out`

        `result` then says how it went. A solve that does not converge gives a ConvergenceWarning. Ctrl-C ends the solve
        after the current cycle with KeyboardInterrupt; the solver can be used again. Errors: hymg.Error, ValueError for
        shapes, TypeError for arrays that cannot be used.
        """
        with self._in_use():
            with self._together():
                if guess is not None and not self._options.initial_guess:
                    raise ValueError("guess: only with Solver(..., initial_guess=True)")
                given, u, target = self._views(f, "f", out)
                self._copy_in(self._f, given)
                self._covers[0].add_to(self, self._f)
                if guess is not None:
                    self._copy_in(self._u, self._view(guess, "guess"))
                elif self._options.initial_guess:
                    self._check(lib.hymg_field_fill(self._u, 0.0))
            result = self._run_solve()
            self._copy_out(self._u, target)
            advice = "" if result.converged else self._advice()
        if not result.converged:
            warnings.warn(f"{result.reason}: {result.note}\n{advice}", ConvergenceWarning, stacklevel=2)
        return u

    def solve_many(self, f: Any, out: Any = None, guess: Any = None) -> Any:
        """Solves A u = f for several f, which give what `solve` gives for one after the other, to the bit.

        f      an array with one axis more, the first, whose entries are the right-hand sides, or a sequence of arrays
        out    the same of arrays for the solutions
        guess  the same of initial guesses

        Returns the solutions, in `out`, else in a new array where f is one, else in a list. `results` then says how each
        went, `result` the last one. Those that do not converge give a ConvergenceWarning each. If one fails, the others are
        solved all the same, its entry in `results` is None, and its hymg.Error is raised: `out` has the others. If the
        monitor ends a solve, those after it are not begun and new arrays have NaN there. Errors: those of solve.
        """
        return _many.solve_many(self, f, out, guess)

    def advice(self) -> str:
        """What may slow down or spoil the solves of this solver, by what it knows and its last solve: one line each, with
        the option to try; "" if there is nothing.
        """
        with self._in_use():
            return self._advice()

    def _advice(self) -> str:
        lines = ffi.new("char[]", lib.HYMG_ADVICE)
        self._check(lib.hymg_solver_advice(self._solver, self._last, lines, len(lines)))
        return of_arrays(text(lines), self._axes)

    def _views(self, array: Any, name: str, out: Any) -> tuple[_arrays.View, Any, _arrays.View]:
        """The memory of an argument, the array for the result (out, or a new one), and the memory of that."""
        given = self._view(array, name)
        result = _arrays.empty_like(array, self.local_shape) if out is None else out
        return given, result, self._view(result, "out", output=True)

    def apply(self, u: Any, out: Any = None) -> Any:
        """A u with homogeneous boundary conditions, in `out` (which may be u) or a new array.

        In fixed cells u counts as 0, and the result is 0.
        """
        with self._in_use():
            with self._together():
                source, result, target = self._views(u, "u", out)
                self._copy_in(self._u, source)
            self._check(lib.hymg_apply(self._solver, 0, self._u, self._f))
            self._copy_out(self._f, target)
        return result

    def residual(self, f: Any, u: Any, out: Any = None) -> Any:
        """f - A u with the boundary data, in `out` or a new array; 0 in fixed cells, whatever f and u are there."""
        with self._in_use():
            with self._together():
                given, result, target = self._views(f, "f", out)
                solution = self._view(u, "u")
                self._copy_in(self._f, given)
                self._covers[0].add_to(self, self._f)
                self._copy_in(self._u, solution)
            self._check(lib.hymg_residual(self._solver, 0, self._f, self._u, self._f))
            self._copy_out(self._f, target)
        return result

    def gradient(self, u: Any, du: Any, wanted: Union[str, Sequence[str]] = "f") -> dict[str, Any]:
        """The derivatives of a number J(u) by f and by the coefficients, from one more solve (docs/gradients.md).

        u       what solve has returned, with the coefficients that the solver has now
        du      dJ/du: of u's shape
        wanted  names of "f", "alpha", "beta", "boundary_values", "robin_alpha", "robin_beta" and "fixed"

        Returns a dictionary with these names. Each is dJ by the entries of that argument of solve or Solver, in arrays of
        its shape, float64, of u's framework and memory (NumPy's, if u is neither NumPy's, PyTorch's nor CuPy's): for beta
        one per axis, on boundaries pairs per axis, None where there is no such number. Sums over cells, not means: in
        units of J over those of the entry. Where an argument is one number for many entries, its derivative is the sum.
        0 in cells and on faces that are left out, on closed faces (beta 0), which stay closed, and in the entry of a
        periodic axis that repeats its first one. u does not depend on f in fixed cells.
        `result` is then that of the adjoint solve, which warns as solve does. Errors: hymg.Unsupported where the operator
        is not symmetric (the quadratic extrapolation, FV4), with method "fmg", with several ranks, by beta with bodies
        that are more than walls, and by alpha or robin_alpha where nothing holds u; ValueError for shapes and names.
        """
        with self._in_use():
            return _adjoint.gradient(self, u, du, wanted)

    def fluxes(self, u: Any, out: Optional[Sequence[Any]] = None) -> tuple[Any, ...]:
        """The fluxes -b beta grad u through all faces, per unit of area and positive in the direction of the axis.

        u    cell averages, as solve returns them
        out  per axis of the arrays one of float64 or float32, for the faces normal to it; None: new ones, of u's framework
             and type

        Returns one array per axis. That of axis i has one entry more along axis i than `local_shape`: entry j is the low
        face of cell j, as in beta. On boundaries the fluxes obey the boundary conditions, with the boundary data: their
        outward sum over a cell, times areas and over its volume, plus a alpha u is A u. With comm collective. Errors:
        hymg.Unsupported with stencil "fv4", ValueError for shapes, TypeError for arrays that cannot be used.
        """
        fields: dict[tuple[str, int], Any] = {}
        with self._in_use():
            try:
                with self._together():
                    given = self._view(u, "u")
                    results = self._flux_arrays(u, out)
                    views = [
                        self._view(array, f"out[{axis}]", output=True, shape=self._faces(axis))
                        for axis, array in enumerate(results)
                    ]
                    self._copy_in(self._u, given)
                    for axis, view in enumerate(views):
                        fields["flux", self._axes[axis]] = self._wrap(view, lib.HYMG_FACE_X + self._axes[axis])
                in_order = [fields["flux", h][0] for h in range(len(views))]
                others = [ffi.NULL] * (3 - len(views))
                self._check(lib.hymg_fluxes(self._solver, self._u, in_order + others))
                self._wait(in_order[0], views[self._axes[0]])
            finally:
                destroy_fields(fields)
        return results

    def _flux_arrays(self, u: Any, out: Optional[Sequence[Any]]) -> tuple[Any, ...]:
        axes = len(self.shape)
        if out is None:
            return tuple(_arrays.empty_like(u, self._faces(axis)) for axis in range(axes))
        if not isinstance(out, (tuple, list)) or len(out) != axes:
            arrays = ("a tuple of one array is", "two arrays are", "three arrays are")[axes - 1]
            raise TypeError(f"out: {arrays} wanted, for the faces normal to each axis")
        return tuple(out)

    def measures(self) -> Measures:
        """The geometry of the cells, on straight and on curved axes: volumes, areas of faces and distances between centres
        as new NumPy arrays, those of faces one per axis of the arrays. Areas times fluxes are what passes the faces. Axes
        that planes and lines lack count with their whole length: 2 pi of azimuth, pi of colatitude, 1 of a length; on
        straight planes and lines with the smallest width of the others.
        """
        with self._in_use():
            return self._measure()

    def as_linear_operator(self, library: str = "scipy") -> Any:
        """A with homogeneous boundary conditions as scipy.sparse.linalg.LinearOperator ("cupyx.scipy": CuPy's), for
        vectors in the C order of the arrays. It is symmetric with FV2, equal cells and no quadratic extrapolation.
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
            solver, given, found = self._preconditioner
            with self._together():
                source, result, target = self._views(r, "r", out)
                self._copy_in(given, source)
            self._check(lib.hymg_solver_cycle(solver, lib.HYMG_CYCLE_DEFAULT, False, given, found))
            self._copy_out(found, target)
        return result

    def as_preconditioner(self, library: str = "scipy") -> Any:
        """`precondition` as a LinearOperator, for vectors as in as_linear_operator."""
        return linear_operator(self.local_shape, self.precondition, library)

    def save(self, file: Union[str, "os.PathLike[str]"], **arrays: Any) -> None:
        """Writes arrays of cell averages, as in save("u.vti", u=u, f=f), to a file that ParaView and VTK read.

        The name ends in .vti, or in .vtr (with widths). The file's x is the library's: with order "C" the arrays' last
        axis. With comm every rank gives its part, and one file has them all. An older file stays until the new one is
        complete. Errors: hymg.Error, ValueError for shapes, TypeError for arrays that cannot be used.
        """
        if not arrays:
            raise TypeError("save: no arrays; name them, as in save(file, u=u)")
        fields: dict[tuple[str, int], Any] = {}
        with self._in_use():
            names = [ffi.new("char[]", name.encode()) for name in arrays]
            try:
                with self._together():
                    views = [self._view(array, name) for name, array in arrays.items()]
                    for index, view in enumerate(views):
                        fields["saved", index] = self._wrap(view)
                pointers = [field[0] for field in fields.values()]
                self._check(lib.hymg_fields_save(len(names), pointers, names, os.fsencode(file)))
            finally:
                destroy_fields(fields)

    def description(self) -> dict[str, Any]:
        """The arguments that make such a solver, as in Solver(**s.description()), with the present coefficients.

        All are numbers, words, NumPy arrays and bodies (new ones), so the dictionary can be pickled and sent to another process.
        What belongs to this process is not in it: comm, stream and monitor. With comm the arrays are this rank's part.
        """
        with self._in_use():
            return described(self)

    def __reduce__(self) -> Any:
        """Pickles the description and the monitor: the other process makes a solver of its own."""
        if self._comm_given or self._callers_stream is not None:
            what = "comm" if self._comm_given else "stream"
            raise TypeError(
                f"a Solver with {what}= belongs to its process; send its description(), and add {what}= there"
            )
        monitor = self._watch.function
        return _restored, (type(self), {**self.description(), **({"monitor": monitor} if monitor else {})})

    def update(self, **coefficients: Any) -> None:
        """New values for a, b, alpha, beta, boundary_values, robin_alpha, robin_beta, fixed, active or body; those not
        named stay.

        What was an array stays one, and what was a number stays a number; other cells may be fixed or active than before,
        and bodies may move. alpha and beta are given as without bodies. If the new values are refused (hymg.Error,
        ValueError), the solver keeps the old ones.
        """
        known = ("a", "b", "alpha", "beta", "boundary_values", "robin_alpha", "robin_beta", "fixed", "active", "body")
        unknown = set(coefficients) - set(known)
        if unknown:
            raise TypeError(f"update: unknown coefficient '{min(unknown)}'; {nearest(min(unknown), known)}")
        with self._in_use():
            desc = ffi.new("hymg_operator_desc *", self._desc[0])
            fields: dict[tuple[str, int], Any] = {}
            solvers = [self._solver] + ([self._preconditioner[0]] if self._preconditioner else [])
            with self._together():
                cover = self._covers[0].changed(coefficients)
            try:
                with self._together():
                    self._describe(desc, coefficients, fields)
                self._check(lib.hymg_operator_set(self._op, cover.make(self, desc)))
                for solver in solvers:
                    self._check(lib.hymg_solver_update(solver))
            except BaseException:
                lib.hymg_operator_set(self._op, self._covers[0].desc)
                for solver in solvers:
                    lib.hymg_solver_update(solver)
                destroy_fields(fields)
                cover.destroy()
                raise
            self._covers[0].destroy()
            self._covers[0] = cover
            destroy_fields({key: self._fields.pop(key) for key in fields if key in self._fields})
            self._fields.update(fields)
            self._desc = desc
            self._updates += 1


def _restored(kind: type, arguments: dict[str, Any]) -> Any:
    return kind(**arguments)
