"""What is refused, and in which words: the library's own, in exceptions that Python programs expect."""

import numpy as np
import pytest

import hymg

SHAPE = (5, 4, 3)
BAD = [
    ({"spacing": -1}, hymg.InvalidArgument, "spacing -1 along axis 2: positive and finite"),
    ({"spacing": (1, 2, float("nan"))}, ValueError, "spacing nan along axis 2"),
    ({"spacing": (1, 2)}, ValueError, "spacing: 2 values, but one for all axes or one for each of the 3"),
    ({"beta": -1.0}, hymg.InvalidArgument, "constant beta = -1: at least 0 and finite"),
    (
        {"beta": np.ones(SHAPE)},
        ValueError,
        r"one array of shape \(5, 4, 3\), .* one entry per axis .* \(6, 4, 3\), \(5, 5, 3\), \(5, 4, 4\)",
    ),
    ({"beta": (1.0, 2.0)}, ValueError, "beta: 2 values, but one for all axes"),
    ({"b": "big"}, TypeError, "b: the text 'big'; a real number"),
    ({"a": None, "alpha": [[1.0, 2.0], [3.0]]}, ValueError, "alpha: .*inhomogeneous"),
    ({"spacing": "fine"}, TypeError, "spacing: the text 'fine'; a real number"),
    ({"boundary": (("neumann",) * 3, "neumann", "neumann")}, ValueError, r"boundary\[0\]: 3 values, but a pair"),
    ({"boundary": (1, "neumann", "neumann")}, TypeError, r"boundary\[0\]: the number 1; None or a pair"),
    ({"boundary_values": (1.0, None, None)}, TypeError, r"boundary_values\[0\]: the number 1.0; None or a pair"),
    ({"boundary_values": ((1, 2, 3), None, None)}, ValueError, r"boundary_values\[0\]: 3 values, but a pair"),
    ({"widths": (0.1, None, None)}, TypeError, r"widths\[0\]: the number 0.1; 5 numbers are wanted"),
    ({"widths": (np.ones((5, 1)), None, None)}, ValueError, r"widths\[0\]: shape \(5, 1\), but \(5,\) is wanted"),
    ({"cuts": ([2.5, 2.5], None, None)}, TypeError, r"cuts\[0\]\[0\]: the number 2.5; a whole number"),
    ({"monitor": 1}, TypeError, "monitor: the number 1; a function"),
    (
        {"beta": (np.ones((6, 4, 4)), 1, 1)},
        ValueError,
        r"beta\[0\]: shape \(6, 4, 4\) does not broadcast to \(6, 4, 3\)",
    ),
    ({"alpha": np.full(SHAPE, -2.0)}, hymg.InvalidArgument, r"alpha = -2 at \(0, 0, 0\): at least 0"),
    ({"alpha": np.full(SHAPE, np.nan)}, hymg.InvalidArgument, "alpha = nan"),
    ({"alpha": 1j}, TypeError, "alpha: the number 1j; real numbers"),
    ({"b": 0.0}, hymg.InvalidArgument, "b = 0: above 0"),
    ({"boundary": "shut"}, ValueError, "boundary.*shut.*dirichlet"),
    ({"boundary": ("periodic", ("periodic", "neumann"), "neumann")}, hymg.InvalidArgument, "periodic"),
    ({"boundary_values": ((np.ones((1, 4, 2)), None), None, None)}, ValueError, r"boundary_values\[0\]\[0\]: shape"),
    ({"boundary": "periodic", "boundary_values": ((1, 1), None, None)}, hymg.InvalidArgument, "periodic"),
    ({"widths": ([1, 2, 3], None, None)}, ValueError, r"widths\[0\]: 3 numbers, but 5 are wanted"),
    ({"widths": ([1, 2, 3, 4, -5], None, None)}, hymg.InvalidArgument, "width -5 of cell 4 along axis 0"),
    ({"stencil": "fv3"}, ValueError, "fv3.*fv2"),
    ({"stencil": "fv4", "boundary": "neumann", "path": "standard"}, hymg.Unsupported, "FV4"),
    ({"smoother": "sor"}, ValueError, "sor.*gsrb"),
    ({"sweeps": 3}, hymg.InvalidArgument, "sweeps 3: gsrb and symgs need an even number"),
    ({"rtol": 0.0}, ValueError, "rtol 0"),
    ({"rtol": "small"}, ValueError, "rtol.*small"),
    ({"max_cycles": 2**40}, ValueError, "max_cycles 1099511627776: must be 1 ... 10000"),
    ({"tolerance": 1}, ValueError, "unknown option 'tolerance'; there are atol, .*rtol"),
    ({"max_cycle": 1}, ValueError, "unknown option 'max_cycle'; did you mean 'max_cycles'?"),
    ({"spaceing": 1}, ValueError, "unknown option 'spaceing'; did you mean 'spacing'?"),
    ({"order": "A"}, ValueError, "order 'A': 'C' or 'F'"),
    ({"threads": -1}, hymg.InvalidArgument, "threads -1: 0 .* to 4096"),
    ({"cuts": ([2, 2], None, None)}, hymg.InvalidArgument, "2 boxes along axis 0 have 4 cells or more, the grid has 5"),
]


@pytest.mark.parametrize(
    "values, kind, words", BAD, ids=[str(next(iter(b[0].items()))[0]) + str(i) for i, b in enumerate(BAD)]
)
def test_bad_values_are_named(values, kind, words):
    with pytest.raises(kind, match=words):
        hymg.Solver(SHAPE, **values)


def test_order_names_the_axes_of_the_arrays():
    with pytest.raises(hymg.Error, match="spacing -1 along axis 0: "):
        hymg.Solver(SHAPE, spacing=(-1, 1, 1), order="F")


def test_shapes_are_checked_before_anything_is_made():
    for shape in ((0, 4, 3), (5, 4, -3)):
        with pytest.raises(hymg.InvalidArgument, match="at least 1"):
            hymg.Solver(shape)
    with pytest.raises(TypeError, match="shape: the number 3.5; a whole number"):
        hymg.Solver((5, 4, 3.5))
    with pytest.raises(TypeError, match="shape: the number 3.5; one, two or three numbers of cells"):
        hymg.Solver(3.5)
    with pytest.raises(ValueError, match="shape: 4 numbers of cells, but one, two or three"):
        hymg.Solver((5, 4, 3, 2))
    with pytest.raises(ValueError, match="shape: the number 4000000000; at most 2147483647"):
        hymg.Solver((5, 4_000_000_000))
    with pytest.raises(ValueError, match="1000000000 cells along axis 1: at most 536870911"):
        hymg.Solver((5, 1_000_000_000))
    with pytest.raises(hymg.OutOfMemory, match=r"^[0-9.]+ GB (of host memory: refused|are needed on the GPU)"):
        hymg.Solver((5_000_000, 5_000_000))  # 200 TB, more than an address space


def test_status_and_classes():
    with pytest.raises(hymg.Error) as caught:
        hymg.Solver(SHAPE, rtol=-1.0)
    assert caught.value.status == "HYMG_EINVAL" and isinstance(caught.value, ValueError)
    assert issubclass(hymg.OutOfMemory, MemoryError) and issubclass(hymg.Unsupported, NotImplementedError)


def test_nan_in_f_gives_a_warning_and_no_converged_result():
    f = np.ones(SHAPE)
    f[1, 2, 0] = np.nan
    with hymg.Solver(SHAPE) as s:
        with pytest.warns(hymg.ConvergenceWarning, match=r"not finite: (.|\n)*\(1, 2, 0\)"):
            s.solve(f)
        assert not s.result.converged and s.result.reason == "not finite"
        s.solve(np.ones(SHAPE))
        assert s.result.converged


def test_f_of_another_shape_or_kind_is_refused():
    with hymg.Solver(SHAPE) as s:
        for f, kind, words in (
            (np.ones((3, 4, 5)), ValueError, r"f: shape \(3, 4, 5\), but \(5, 4, 3\) is wanted"),
            (np.ones(SHAPE) * 1j, TypeError, "f: ndarray of complex128"),
            ("one", TypeError, "f: the text 'one'; real numbers"),
            (None, TypeError, "f: None; real numbers"),
            (1.0, ValueError, r"f: a single number, but an array of shape \(5, 4, 3\) is wanted"),
            (np.array(1.0), ValueError, r"f: a single number, but an array of shape \(5, 4, 3\) is wanted"),
            ([[1.0, 2.0], [3.0]], ValueError, "f: .*inhomogeneous"),
        ):
            with pytest.raises(kind, match=words):
                s.solve(f)
        with pytest.raises(ValueError, match="guess: only with"):
            s.solve(np.ones(SHAPE), guess=np.ones(SHAPE))
        assert s.result is None


def test_singular_systems_with_a_mean_can_be_an_error():
    with hymg.Solver(SHAPE, boundary="neumann", rhs_mean="error") as s:
        with pytest.raises(hymg.InvalidArgument, match="mean"):
            s.solve(np.ones(SHAPE))
    with hymg.Solver(SHAPE, boundary="neumann") as s:
        f = np.arange(60.0).reshape(SHAPE)
        u = s.solve(f)
        assert s.result.mean_removed == pytest.approx(f.mean()) and abs(u.mean()) < 1e-12 * np.abs(u).max()


def test_a_closed_solver_says_so():
    s = hymg.Solver(SHAPE)
    s.close()
    s.close()
    with pytest.raises(ValueError, match="the solver has been closed"):
        s.solve(np.ones(SHAPE))


@pytest.mark.skipif(bool(hymg.build_info()["mpi"]), reason="this library has MPI; tests/python/ranks.py uses it")
def test_communicators_need_mpi():
    class Communicator:
        def py2f(self):
            return 0

    with pytest.raises(hymg.Unsupported, match="comm: this libhymg has no MPI"):
        hymg.Solver(SHAPE, comm=Communicator())
