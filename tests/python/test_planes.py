"""Planes and lines: shapes of two numbers or one, against a sparse matrix and against the box of one cell."""

import pickle
import warnings

import numpy as np
import pytest

import hymg
from test_save import picture

try:
    from scipy import sparse
    from scipy.sparse import linalg
except ImportError:
    sparse = linalg = None
needs_scipy = pytest.mark.skipif(sparse is None, reason="no SciPy")

KINDS = ("dirichlet", "neumann", "robin", "periodic")


# ---- a reference, written from docs/numerics.md and docs/boundaries.md, for any number of axes ----


class Reference:
    """a alpha u - b div(beta grad u) with FV2 as a sparse matrix, and what the boundary data add to f."""

    def __init__(self, problem):
        shape, self.volume = problem["shape"], np.ones(problem["shape"])
        self.cells = int(np.prod(shape))
        number = np.arange(self.cells).reshape(shape)
        self.rows, self.columns, self.entries = [], [], []
        self.data = np.zeros(self.cells)
        self.singular = "alpha" not in problem
        if "alpha" in problem:
            self.add(number.ravel(), number.ravel(), problem["alpha"].ravel())
        for axis in range(len(shape)):
            widths = problem["widths"][axis]
            self.volume *= np.moveaxis(np.broadcast_to(widths, np.moveaxis(number, axis, -1).shape), -1, axis)
            self.add_axis(np.moveaxis(number, axis, 0), widths, axis, problem)
        at = np.concatenate(self.rows), np.concatenate(self.columns)
        self.matrix = sparse.csc_matrix((np.concatenate(self.entries), at), shape=(self.cells, self.cells))

    def add(self, rows, columns, entries):
        self.rows.append(np.broadcast_to(rows, np.shape(entries)).ravel())
        self.columns.append(np.broadcast_to(columns, np.shape(entries)).ravel())
        self.entries.append(np.ravel(entries))

    def add_face(self, cell, other, strength):
        """strength: of the face over the width of the cell."""
        self.add(cell, cell, strength)
        self.add(cell, other, -strength)

    def add_axis(self, number, widths, axis, problem):
        faces = np.moveaxis(problem["beta"][axis], axis, 0) * problem["b"]
        low, high = number[:-1], number[1:]
        between = (widths[:-1] + widths[1:]) / 2
        side = (slice(None),) + (None,) * (number.ndim - 1)
        self.add_face(low, high, faces[1:-1] / (between * widths[:-1])[side])
        self.add_face(high, low, faces[1:-1] / (between * widths[1:])[side])
        for end, kind in enumerate(problem["boundary"][axis]):
            cell, beta, w = number[-end], faces[-end], widths[-end]
            if kind == "periodic":
                self.add_face(cell, number[end - 1], faces[0] / (w * (widths[0] + widths[-1]) / 2))
            else:
                self.singular &= kind == "neumann"
                self.add_wall(cell, beta, w, kind, (axis, end), problem)

    def add_wall(self, cell, beta, w, kind, where, problem):
        value = problem["values"].get(where, 0.0)
        if kind == "neumann":
            self.data[cell] += beta * value / w
            return
        # u on the wall is the mean of cell and ghost, du/dn their difference over w
        alpha, normal = (1.0, 0.0) if kind == "dirichlet" else problem["robin"][where]
        of_ghost = alpha / 2 + normal / w
        self.add(cell, cell, beta / w**2 * (1 + (alpha / 2 - normal / w) / of_ghost))
        self.data[cell] += beta / w**2 * value / of_ghost

    def solve(self, f):
        rhs = f.ravel() + self.data
        if not self.singular:
            return linalg.spsolve(self.matrix, rhs).reshape(f.shape)
        volume = self.volume.ravel()
        rhs = rhs - (rhs @ volume) / volume.sum()
        bordered = sparse.bmat([[self.matrix, np.ones((self.cells, 1))], [volume[None], None]], format="csc")
        return linalg.spsolve(bordered, np.append(rhs, 0.0))[:-1].reshape(f.shape)


# ---- random problems ----


def random_problem(rng, axes, path):
    shape = tuple(int(n) for n in rng.integers(2, (24, 60)[axes == 1], axes))
    boundary = []
    for _ in range(axes):
        pair = tuple(rng.choice(KINDS[:3], 2))
        boundary.append(("periodic",) * 2 if rng.random() < 0.25 else pair)
    if rng.random() < 0.15:
        boundary = [("neumann", "neumann")] * axes
    spacing = tuple(rng.uniform(0.5, 1.5, axes))
    stretched = path == "robust" and rng.random() < 0.5
    widths = [h * (rng.uniform(0.5, 1.5, n) if stretched else np.ones(n)) for n, h in zip(shape, spacing)]
    problem = {"shape": shape, "boundary": boundary, "spacing": spacing, "widths": widths, "stretched": stretched}
    problem["b"], problem["values"], problem["robin"] = rng.uniform(0.5, 2.0), {}, {}
    problem["varies"] = rng.random() < 0.5
    problem["beta"] = [np.ones([n + (i == axis) for i, n in enumerate(shape)]) for axis in range(axes)]
    for axis, beta in enumerate(problem["beta"]):
        if problem["varies"]:
            beta *= (3.0 if path == "standard" else 100.0) ** rng.random(beta.shape)
        if boundary[axis][0] == "periodic":
            np.moveaxis(beta, axis, 0)[-1] = np.moveaxis(beta, axis, 0)[0]
        for end in (0, 1):
            wall = tuple(n for i, n in enumerate(shape) if i != axis)
            if boundary[axis][end] != "periodic":
                problem["values"][axis, end] = rng.standard_normal(wall)
                problem["robin"][axis, end] = rng.uniform(0.5, 2.0, wall), rng.uniform(0.5, 2.0, wall)
    if rng.random() < 0.5:
        problem["alpha"] = rng.random(shape)
    return problem


def arguments(problem):
    """Those of hymg.Solver, boundary data with one cell along their axis."""
    axes = range(len(problem["shape"]))

    def walls(table, kinds, part=lambda entry: entry):
        return [
            tuple(
                np.expand_dims(part(table[axis, end]), axis) if problem["boundary"][axis][end] in kinds else None
                for end in (0, 1)
            )
            for axis in axes
        ]

    given = {
        "boundary": problem["boundary"],
        "b": problem["b"],
        "boundary_values": walls(problem["values"], KINDS[:3]),
        "extrapolation": "linear",
    }
    given["widths" if problem["stretched"] else "spacing"] = problem["widths" if problem["stretched"] else "spacing"]
    if any("robin" in kinds for kinds in problem["boundary"]):
        given["robin_alpha"] = walls(problem["robin"], ("robin",), lambda pair: pair[0])
        given["robin_beta"] = walls(problem["robin"], ("robin",), lambda pair: pair[1])
    if problem["varies"]:
        given["beta"] = problem["beta"]
    if "alpha" in problem:
        given["alpha"] = problem["alpha"]
    return given


def in_a_box(problem, given, thin):
    """The same problem as a box, the axes that it lacks being the first, of one cell, with any spacing."""
    missing = 3 - len(problem["shape"])
    shape = (1,) * missing + problem["shape"]

    def deeper(pairs):
        pairs = [
            tuple(wall if wall is None else wall.reshape((1,) * missing + wall.shape) for wall in p) for p in pairs
        ]
        return [None] * missing + pairs

    box = {**given, "boundary": ["neumann"] * missing + list(problem["boundary"])}
    for name in ("boundary_values", "robin_alpha", "robin_beta"):
        if name in given:
            box[name] = deeper(given[name])
    if "widths" in given:
        box["widths"], box["spacing"] = [None] * missing + list(given["widths"]), thin
    else:
        box["spacing"] = (thin,) * missing + given["spacing"]
    if "beta" in given:
        ones = [np.ones([n + (i == axis) for i, n in enumerate(shape)]) for axis in range(missing)]
        box["beta"] = ones + [b.reshape((1,) * missing + b.shape) for b in given["beta"]]
    return shape, box


@needs_scipy
@pytest.mark.parametrize("path", ["standard", "robust"])
@pytest.mark.parametrize("axes", [2, 1])
@pytest.mark.parametrize("seed", range(12))
def test_random_problems_against_a_sparse_matrix_and_the_box_of_one_cell(seed, axes, path):
    rng = np.random.default_rng([seed, axes, path == "robust"])
    problem = random_problem(rng, axes, path)
    given, f = arguments(problem), rng.standard_normal(problem["shape"])
    reference = Reference(problem)
    with hymg.Solver(problem["shape"], **given, path=path, rtol=1e-13) as s:
        u, e = s.solve(f), rng.standard_normal(problem["shape"])
        expected = reference.solve(f)
        assert s.result.converged and s.result.path == path and u.shape == problem["shape"]
        assert np.abs(u - expected).max() <= 1e-9 * np.abs(expected).max()
        applied = (reference.matrix @ e.ravel()).reshape(f.shape)
        assert np.abs(s.apply(e) - applied).max() <= 1e-13 * abs(reference.matrix).sum(axis=1).max() * np.abs(e).max()
        if reference.singular:
            whole = f.ravel() + reference.data
            mean = (whole * reference.volume.ravel()).sum() / reference.volume.sum()
            assert s.result.mean_removed == pytest.approx(mean, abs=1e-12 * np.abs(whole).max())
        got = [u, s.apply(e), s.residual(f, e), s.precondition(e), *s.fluxes(u)]
        history, levels = s.result.history, repr(s).partition("path")[2]
    shape, box = in_a_box(problem, given, 10.0 ** rng.uniform(-3, 3))
    with hymg.Solver(shape, **box, path=path, rtol=1e-13) as s:
        f, e = f.reshape(shape), e.reshape(shape)
        wanted = [s.solve(f), s.apply(e), s.residual(f, e), s.precondition(e), *s.fluxes(u.reshape(shape))[3 - axes :]]
        for mine, others in zip(got, wanted):
            assert np.array_equal(mine, others.reshape(mine.shape))
        assert s.result.history == history and repr(s).partition("path")[2] == levels


@pytest.mark.parametrize("shape", [(7, 11), (40,)], ids=str)
def test_order_f_is_the_transposed_problem(shape, rng):
    f, spacing = rng.standard_normal(shape), (0.1, 0.15)[: len(shape)]
    alpha, boundary = rng.random(shape), ("dirichlet", ("neumann", "dirichlet"))[: len(shape)]
    beta = [1 + rng.random([n + (i == axis) for i, n in enumerate(shape)]) for axis in range(len(shape))]
    fixed = np.where(rng.random(shape) < 0.1, rng.random(shape), np.nan)
    first = hymg.Solver(shape, spacing=spacing, boundary=boundary, alpha=alpha, beta=beta, fixed=fixed, order="F")
    second = hymg.Solver(
        shape[::-1],
        spacing=spacing[::-1],
        boundary=boundary[::-1],
        alpha=alpha.T,
        beta=[b.T for b in beta[::-1]],
        fixed=fixed.T,
    )
    u, v = first.solve(f), second.solve(f.T)
    assert np.array_equal(u, v.T)
    for mine, others in zip(first.fluxes(u), second.fluxes(v)[::-1]):
        assert np.array_equal(mine, others.T)


def test_quadratic_extrapolation_is_that_of_the_box(rng):
    """The default at Dirichlet boundaries, on the path that the library takes for each size."""
    for shape in ((6, 7), (30, 33), (9,), (64,), (3000,)):
        f = rng.standard_normal(shape)
        with hymg.Solver(shape, spacing=0.1) as s:
            u = s.solve(f)
            with hymg.Solver(
                (1,) * (3 - len(shape)) + shape,
                spacing=0.1,
                boundary=("neumann",) * (3 - len(shape)) + ("dirichlet",) * len(shape),
            ) as box:
                assert np.array_equal(u, box.solve(f.reshape(box.shape)).reshape(shape))
                assert s.result.path == box.result.path and s.result.converged


# ---- what a plane is per unit of depth ----


@pytest.mark.parametrize("stretched", [False, True])
def test_fluxes_balance_sources_per_unit_of_depth(stretched, rng):
    shape, (hy, hx) = (9, 14), (0.2, 0.3)
    wy, wx = (rng.uniform(0.1, 0.3, n) if stretched else np.full(n, h) for n, h in zip(shape, (hy, hx)))
    grid = {"widths": (wy, wx)} if stretched else {"spacing": (hy, hx)}
    f, alpha = rng.standard_normal(shape), rng.random(shape)
    values = ((1.0, None), (rng.random((9, 1)), -2.0))
    boundary = (("dirichlet", "neumann"), ("neumann", "robin"))
    with hymg.Solver(shape, boundary=boundary, boundary_values=values, alpha=alpha, rtol=1e-13, **grid) as s:
        u = s.solve(f)
        qy, qx = s.fluxes(u)
        assert qy.shape == (10, 14) and qx.shape == (9, 15)
        area = wy[:, None] * wx
        out = np.diff(qy, axis=0) * wx + np.diff(qx, axis=1) * wy[:, None]
        scale = np.abs(f * area).max()
        assert np.abs(out - (f - alpha * u) * area).max() <= 1e-11 * scale
        edges = ((qy[-1] - qy[0]) * wx).sum() + ((qx[:, -1] - qx[:, 0]) * wy).sum()
        assert edges == pytest.approx(((f - alpha * u) * area).sum(), abs=1e-10 * scale)
        assert np.allclose(qx[:, 0], values[1][0][:, 0], rtol=1e-14)  # the outward derivative that is given; beta is 1


def test_a_singular_plane_loses_the_mean_of_f(rng):
    f = rng.standard_normal((12, 10)) + 3.0
    with hymg.Solver(f.shape, boundary=("periodic", "neumann"), spacing=(0.5, 2.0)) as s:
        u = s.solve(f)
        assert s.result.mean_removed == pytest.approx(f.mean(), rel=1e-14)
        assert abs(u.mean()) <= 1e-12 * np.abs(u).max()


def test_a_line_is_the_exact_solution_of_the_ordinary_equation():
    """-u'' = 2 with u(0) = 0, u'(1) = 0: u = x (2 - x), whose cell averages FV2 has up to h^2 / 4 at the wall."""
    n = 50
    edges = np.linspace(0, 1, n + 1)
    with hymg.Solver(n, spacing=1 / n, boundary=("dirichlet", "neumann")) as s:
        u = s.solve(np.full(n, 2.0))
        mean = np.diff(edges**2 - edges**3 / 3) * n
        assert s.shape == (n,) and np.abs(u - mean).max() <= 1.0 / n**2
        (q,) = s.fluxes(u)
        assert np.abs(q + 2 * (1 - edges)).max() <= 1e-8


# ---- arguments ----


def test_what_a_line_has_several_of_may_stand_alone(rng):
    f, widths, beta = rng.standard_normal(20), rng.uniform(0.5, 1.5, 20), 1 + rng.random(21)
    alone = hymg.Solver(
        20,
        widths=widths,
        boundary=("robin", "neumann"),
        boundary_values=(1.0, 2.0),
        robin_alpha=(3.0, None),
        robin_beta=(0.5, None),
        beta=beta,
    )
    within = hymg.Solver(
        (20,),
        widths=(widths,),
        boundary=(("robin", "neumann"),),
        boundary_values=((1.0, 2.0),),
        robin_alpha=((3.0, None),),
        robin_beta=((0.5, None),),
        beta=(beta,),
    )
    assert np.array_equal(alone.solve(f), within.solve(f))


@pytest.mark.parametrize("shape", [(8, 9), (30,)], ids=str)
def test_every_way_to_name_fixed_cells(shape, rng):
    f, fixed = rng.standard_normal(shape), np.where(rng.random(shape) < 0.2, rng.random(shape), np.nan)
    mask = ~np.isnan(fixed)
    where = np.nonzero(mask)
    ways = [fixed, (mask, np.nan_to_num(fixed)), (where, fixed[mask]), (np.transpose(where).tolist(), fixed[mask])]
    if len(shape) == 1:
        ways.append((where[0].tolist(), fixed[mask]))
    with hymg.Solver(shape, fixed=fixed) as s:
        u = s.solve(f)
        assert s.result.converged and np.array_equal(u[mask], fixed[mask])
    with hymg.Solver(
        (1,) * (3 - len(shape)) + shape,
        boundary=("neumann",) * (3 - len(shape)) + ("dirichlet",) * len(shape),
        fixed=fixed.reshape((1,) * (3 - len(shape)) + shape),
    ) as box:
        assert np.array_equal(u, box.solve(f.reshape(box.shape)).reshape(shape))
    for way in ways:
        with hymg.Solver(shape, fixed=way) as s:
            assert np.array_equal(s.solve(f), u)
            s.update(fixed=way)
            assert np.array_equal(s.solve(f), u)


def test_update_is_a_new_solver(rng):
    shape = (13, 8)
    f, alpha, wall = rng.standard_normal(shape), rng.random(shape), rng.random((1, 8))
    beta = [1 + rng.random([n + (i == axis) for i, n in enumerate(shape)]) for axis in range(2)]
    with hymg.Solver(shape, alpha=1 + alpha, beta=[2 * b for b in beta], boundary_values=((1.0, None), None)) as s:
        s.solve(f)
        s.update(alpha=alpha, beta=beta, b=0.5, boundary_values=((wall, None), None))
        with hymg.Solver(shape, alpha=alpha, beta=beta, b=0.5, boundary_values=((wall, None), None)) as new:
            assert np.array_equal(s.solve(f), new.solve(f))


@pytest.mark.parametrize("shape", [(13, 8), (40,)], ids=str)
@pytest.mark.parametrize("order", ["C", "F"])
def test_descriptions_and_pickles_have_the_same_solution(shape, order, rng):
    axes = len(shape)
    f, alpha = rng.standard_normal(shape), rng.random(shape)
    beta = [1 + rng.random([n + (i == axis) for i, n in enumerate(shape)]) for axis in range(axes)]
    widths = [rng.uniform(0.5, 1.5, shape[0])] + [None] * (axes - 1)
    wall = rng.random([1 if axis == 0 else n for axis, n in enumerate(shape)])
    rest = {"boundary_values": [(wall, None)] + [None] * (axes - 1), "cuts": [[5, shape[0] - 5]] + [None] * (axes - 1)}
    with hymg.Solver(shape, alpha=alpha, beta=beta, widths=widths, order=order, **rest) as s:
        u, described = s.solve(f), s.description()
        assert described["shape"] == shape and len(described["boundary"]) == len(described["beta"]) == axes
        assert described["cuts"][0] == [5, shape[0] - 5] and np.array_equal(described["boundary_values"][0][0], wall)
        with hymg.Solver(**described) as same, pickle.loads(pickle.dumps(s)) as again:
            assert np.array_equal(same.solve(f), u) and np.array_equal(again.solve(f), u)


def test_arrays_of_any_strides_are_read_and_written_in_place(rng):
    f = rng.standard_normal((8, 9))
    with hymg.Solver(f.shape) as s:
        u = s.solve(f)
        padded = np.full((12, 13), np.nan)
        inside = padded[10:2:-1, 2:11]
        assert s.solve(np.asfortranarray(f), out=inside) is inside and np.array_equal(inside, u)
        assert np.isnan(padded).sum() == 12 * 13 - 72
        out = [np.full(shape, np.nan)[::-1] for shape in ((9, 9), (8, 10))]
        for given, fresh in zip(s.fluxes(u, out=tuple(out)), s.fluxes(u)):
            assert any(given is mine for mine in out) and np.array_equal(given, fresh)
        assert np.array_equal(s.solve(f.tolist()), u)
    with hymg.Solver(30) as s:
        line = rng.standard_normal(60)
        assert np.array_equal(s.solve(line[::2]), s.solve(line[::2].copy()))
    with hymg.Solver((8, 9), initial_guess=True, cycle="v") as s:
        assert np.abs(s.solve(f, guess=u) - u).max() <= 1e-9 * np.abs(u).max() and s.result.cycles <= 2


@needs_scipy
def test_scipy_solves_with_a_plane_as_operator_and_preconditioner(rng):
    with hymg.Solver((24, 31), extrapolation="linear") as s:
        a, m, b = s.as_linear_operator(), s.as_preconditioner(), rng.standard_normal(24 * 31)
        x, info = linalg.cg(a, b, M=m, atol=1e-9)
        assert info == 0 and np.abs(x - s.solve(b.reshape(24, 31)).ravel()).max() <= 1e-4 * np.abs(x).max()


@pytest.mark.parametrize("ending", [".vti", ".vtr"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_file_has_a_layer_as_thin_as_the_cells(ending, order, rng, tmp_path):
    u = rng.standard_normal((6, 11))
    with hymg.Solver(u.shape, spacing=(1e-6, 3e-6), order=order) as s:
        s.save(tmp_path / f"plane{ending}", u=u)
    fields, coordinates = picture.read(tmp_path / f"plane{ending}")
    assert np.array_equal(fields["u"], (u if order == "C" else u.T)[None])
    x, y = (3e-6, 1e-6) if order == "C" else (1e-6, 3e-6)
    for got, h in zip(coordinates, (x, y, 1e-6)):
        assert np.allclose(got, h * np.arange(len(got)), rtol=1e-14, atol=0)
    with hymg.Solver(7, widths=np.arange(1.0, 8.0)) as s:
        s.save(tmp_path / "line.vtr", u=np.arange(7.0))
    fields, coordinates = picture.read(tmp_path / "line.vtr")
    assert np.array_equal(fields["u"], np.arange(7.0)[None, None])
    assert np.array_equal(coordinates[0], np.cumsum(np.arange(8.0))) and list(coordinates[2]) == [0.0, 1.0]


# ---- texts ----

NEGATIVE = np.ones((8, 9))
NEGATIVE[2, 7] = -1.0

BAD = [
    ((8, 9), {"spacing": (1, 2, 3)}, ValueError, "spacing: 3 values, but one for all axes or one for each of the 2"),
    ((8, 9), {"spacing": (-1, 1)}, hymg.InvalidArgument, "spacing -1 along axis 0: positive"),
    ((8, 9), {"spacing": (1, np.nan)}, hymg.InvalidArgument, "spacing nan along axis 1: positive"),
    ((8, 0), {}, hymg.InvalidArgument, "0 cells along axis 1: at least 1"),
    ((0, 8), {"widths": ([], None)}, hymg.InvalidArgument, "0 cells along axis 0: at least 1"),
    ((8, 9), {"boundary": ("neumann",) * 3}, ValueError, "boundary: 3 values, but .* each of the 2"),
    ((8, 9), {"boundary": "neuman"}, ValueError, "boundary 'neuman': .*; did you mean 'neumann'"),
    ((8, 9), {"alpha": NEGATIVE}, hymg.InvalidArgument, r"alpha = -1 at \(2, 7\): at least 0"),
    ((8, 9), {"beta": (NEGATIVE, 1)}, ValueError, r"beta\[0\]: shape \(8, 9\) does not broadcast to \(9, 9\)"),
    ((8, 9), {"beta": NEGATIVE}, ValueError, r"of shapes \(9, 9\), \(8, 10\)"),
    (
        (8, 9),
        {"boundary": "periodic", "boundary_values": (None, (1, None))},
        ValueError,
        "low face of axis 1, which is",
    ),
    ((8, 9), {"widths": (None, [1.0] * 8)}, ValueError, r"widths\[1\]: 8 numbers, but 9"),
    ((8, 9), {"fixed": ([(1, 2, 3)], [1.0])}, ValueError, "a list of index pairs .* each of the 2 axes"),
    ((8, 9), {"fixed": ([(1, 9)], [1.0])}, ValueError, "index 9 along axis 1, which has 0 to 8"),
    ((8, 9), {"fixed": (np.ones((8, 8), bool), 1.0)}, ValueError, r"a mask of shape \(8, 8\), but \(8, 9\)"),
    (
        (8, 9),
        {"cuts": ([2, 2], None)},
        hymg.InvalidArgument,
        "2 boxes along axis 0 have 4 cells or more, the grid has 8",
    ),
    ((8, 9), {"stencil": "fv4"}, hymg.Unsupported, 'stencil="fv4" with a shape of 2: .* planes and lines'),
    ((64, 65), {"method": "fmg"}, hymg.Unsupported, 'method="fmg" on 64 x 65 cells: .* use method="mg"$'),
    ((8,), {"spacing": -1}, hymg.InvalidArgument, "spacing -1 along axis 0: positive"),
    ((8,), {"alpha": -np.ones(8)}, hymg.InvalidArgument, r"alpha = -1 at \(0,\): at least 0"),
    ((8,), {"fixed": ([8], [1.0])}, ValueError, "index 8 along axis 0, which has 0 to 7"),
    ((8,), {"boundary": ("dirichlet",) * 3}, ValueError, r"boundary\[0\]: 3 values, but a pair"),
]


@pytest.mark.parametrize("shape, values, kind, words", BAD, ids=[f"{b[0]} {next(iter(b[1]), '')}" for b in BAD])
def test_errors_speak_of_the_axes_that_were_given(shape, values, kind, words):
    with pytest.raises(kind, match=words) as caught:
        hymg.Solver(shape, **values)
    assert " x 1" not in str(caught.value) and "lack" not in str(caught.value)


def test_arrays_of_another_number_of_axes_are_refused():
    with hymg.Solver((8, 9)) as s:
        for array in (np.ones((1, 8, 9)), np.ones(72), np.ones((9, 8))):
            with pytest.raises(ValueError, match=r"f: shape .*, but \(8, 9\) is wanted"):
                s.solve(array)
        with pytest.raises(TypeError, match="out: two arrays are wanted"):
            s.fluxes(np.ones((8, 9)), out=(np.ones((9, 9)),))
    with hymg.Solver(8) as s, pytest.raises(TypeError, match="out: a tuple of one array is wanted"):
        s.fluxes(np.ones(8), out=np.ones(9))


def test_notes_and_advice_name_cells_of_the_plane():
    f = np.ones((8, 9))
    f[3, 5] = np.nan
    with hymg.Solver(f.shape) as s, pytest.warns(hymg.ConvergenceWarning, match=r"f is not finite at \(3, 5\)"):
        s.solve(f)
    with hymg.Solver((70, 65), path="standard") as s:
        assert "which 70 x 65 cells do not allow" in s.advice()
        assert repr(s) == "<hymg.Solver of 70 x 65 cells, path standard, 1 level>"


@pytest.mark.parametrize("shape, better", [((1, 16, 17), (16, 17)), ((16, 1, 17), (16, 17)), ((1, 40), (40,))], ids=str)
def test_a_wall_on_an_axis_of_one_cell_gets_advice(shape, better):
    thin = shape.index(1)
    words = rf"one cell along axis {thin}, .* Neumann boundaries along axis {thin}, .* Solver\(\({better[0]},"
    with pytest.warns(RuntimeWarning, match=words) as caught:
        hymg.Solver(shape).close()
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        boundary = ["neumann" if n == 1 else "dirichlet" for n in shape]
        with hymg.Solver(shape, boundary=boundary) as s, hymg.Solver(better) as plane:
            assert s.advice() == plane.advice() == ""
            f = np.ones(better)
            assert np.array_equal(s.solve(f.reshape(shape)).reshape(better), plane.solve(f))
        # a thick layer, one that another term holds as much, and a single cell are as they should be
        spacing = [100.0 if n == 1 else 1.0 for n in shape]
        hymg.Solver(shape, spacing=spacing).close()
        hymg.Solver(shape, alpha=2.0).close()
        hymg.Solver((1,) * len(shape)).close()


def test_values_and_options_that_are_nearly_right():
    for values, words in (
        ({"method": "mgg"}, "method 'mgg': one of fmg, mg, mgpcg; did you mean 'mg'"),
        ({"smoother": "chebychev"}, "did you mean 'chebyshev'"),
        ({"extrapolation": "quadratik"}, "did you mean 'quadratic'"),
        ({"initial_guess": "maybe"}, "initial_guess: 'maybe'; True or False is wanted"),
        ({"host_cells": -4}, "host_cells '-4': must be None or a number of cells >= 0"),
        ({"extrapolaton": "linear"}, "unknown option 'extrapolaton'; did you mean 'extrapolation'"),
        ({"path": "standard", "widths": (None, np.ones(9))}, 'path="standard" on a grid with widths'),
    ):
        with pytest.raises(ValueError if "path" not in values else hymg.Unsupported, match=words):
            hymg.Solver((8, 9), **values)
    with hymg.Solver((8, 9), max_cycles=None, sweeps=None, tuning_file=None) as s, hymg.Solver((8, 9)) as same:
        assert np.array_equal(s.solve(np.ones((8, 9))), same.solve(np.ones((8, 9))))
        with pytest.raises(TypeError, match="unknown coefficient 'alfa'; did you mean 'alpha'"):
            s.update(alfa=1.0)


@pytest.mark.parametrize("shape", ((6, 5), (7,)))
def test_number_as_beta_is_that_of_every_axis(rng, shape):
    f = rng.standard_normal(shape)
    twice = hymg.Solver(shape, spacing=0.1, beta=2.0, rtol=1e-12).solve(f)
    assert np.abs(2 * twice - hymg.Solver(shape, spacing=0.1, rtol=1e-12).solve(f)).max() < 1e-9 * np.abs(twice).max()
