"""Curved coordinates: exact solutions, what flows out, the order of axes, gradients against differences, and errors."""

import pickle

import numpy as np
import pytest
from differences import RTOL
from test_gradient import arguments, check

import hymg

AXIS = ("neumann", "dirichlet")
TURN = 2 * np.pi


def centres(n, low, high):
    return low + (np.arange(n) + 0.5) * (high - low) / n


@pytest.mark.parametrize(("geometry", "dimensions"), (("cylinder", 2), ("sphere", 3)))
def test_balls_and_cylinders_have_their_parabola(geometry, dimensions):
    """u = (1 - r^2) / (2 d), of which the flux -u' = r / d is exact on every face."""
    n = 20
    with hymg.Solver(n, geometry=geometry, spacing=1 / n, boundary=AXIS, rtol=1e-13) as s:
        u = s.solve(np.ones(n))
        (flux,), measures = s.fluxes(u), s.measures()
        assert "curved" in s.result.note
    r = centres(n, 0, 1)
    assert abs(u - (1 - r**2) / (2 * dimensions)).max() < 1 / n**2
    assert abs(flux - np.linspace(0, 1, n + 1) / dimensions).max() < 1e-11
    assert measures.volumes.sum() == pytest.approx(np.pi if dimensions == 2 else 4 / 3 * np.pi, rel=1e-13)
    assert measures.areas[0][-1] == pytest.approx(TURN if dimensions == 2 else 4 * np.pi, rel=1e-13)


def test_a_coaxial_cable_has_its_capacitance(rng):
    """Per unit of length 2 pi / ln(r1 / r0), to second order; the same charge on both conductors."""
    errors = []
    for n in (20, 40):
        walls = ((1.0, 0.0), None)
        boundary = ("dirichlet", "neumann")
        with hymg.Solver(
            (n, 3), geometry="cylinder", spacing=(2 / n, 1 / 3), origin=(1, 0), boundary=boundary, boundary_values=walls
        ) as s:
            flux, areas = s.fluxes(s.solve(np.zeros((n, 3))))[0], s.measures().areas[0]
        charge = (flux * areas).sum(axis=1)
        assert abs(charge - charge[0]).max() < 1e-8
        errors.append(abs(charge[0] - TURN / np.log(3)))
    assert errors[0] / errors[1] > 3.8


# shape, coordinates, origin, spacing, boundary
GEOMETRIES = {
    "cylinder": (
        (4, 6, 3),
        ("radius", "azimuth", "length"),
        (0.0, 0.2, -1.0),
        (0.3, TURN / 6, 0.4),
        (AXIS, "periodic", AXIS),
    ),
    "sphere": (
        (3, 4, 5),
        ("radius", "colatitude", "azimuth"),
        (0.5, 0.4, 0.0),
        (0.2, 0.5, 0.3),
        ("dirichlet", AXIS, "robin"),
    ),
    "lat-lon": (
        (2, 4, 6),
        ("length", "latitude", "azimuth"),
        (0.0, -0.6, 0.0),
        (0.2, 0.3, 0.4),
        ("neumann", "robin", "dirichlet"),
    ),
}


def case(rng, name):
    shape, coordinates, origin, spacing, boundary = GEOMETRIES[name]
    pairs = tuple((kind, kind) if isinstance(kind, str) else kind for kind in boundary)
    given = {"spacing": spacing, "origin": origin, "boundary": pairs, "radius": 1.7 if name == "lat-lon" else 1.0}
    beta = [0.5 + rng.random([n + (i == axis) for i, n in enumerate(shape)]) for axis in range(3)]
    return shape, coordinates, {**given, "beta": tuple(beta), "alpha": rng.random(shape)}


@pytest.mark.parametrize("name", GEOMETRIES)
def test_sources_flow_out(name, rng):
    shape, _, given = case(rng, name)
    f = rng.standard_normal(shape)
    with hymg.Solver(shape, geometry=name, rtol=1e-13, **(given | {"alpha": None})) as s:
        m, flux = s.measures(), s.fluxes(s.solve(f))
    out = sum((np.diff(flux[i] * m.areas[i], axis=i)).sum() for i in range(3))
    assert out == pytest.approx((f * m.volumes).sum(), abs=1e-10)


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("axes", ((0, 1, 2), (2, 0, 1), (1, 0, 2)))
@pytest.mark.parametrize("name", GEOMETRIES)
def test_axes_may_have_any_order(name, axes, order, rng):
    shape, coordinates, given = case(rng, name)
    f = rng.standard_normal(shape)
    with hymg.Solver(shape, geometry=name, rtol=RTOL, **given) as s:
        u, flux, m = s.solve(f), None, s.measures()
        flux = s.fluxes(u)

    def moved(array):
        return np.transpose(array, axes)

    turned = {key: tuple(value[i] for i in axes) for key, value in given.items() if isinstance(value, tuple)}
    turned |= {"beta": tuple(moved(given["beta"][i]) for i in axes), "alpha": moved(given["alpha"])}
    turned |= {"radius": given["radius"], "geometry": tuple(coordinates[i] for i in axes)}
    with hymg.Solver(tuple(shape[i] for i in axes), order=order, rtol=RTOL, **turned) as s:
        assert np.allclose(s.solve(moved(f)), moved(u), rtol=0, atol=1e-9)
        found, measures = s.fluxes(moved(u)), s.measures()
    for axis, i in enumerate(axes):
        assert np.allclose(found[axis], moved(flux[i]), rtol=0, atol=1e-9)
        assert np.allclose(measures.areas[axis], moved(m.areas[i]), rtol=1e-13, atol=1e-14)
        assert np.allclose(measures.distances[axis], moved(m.distances[i]), rtol=1e-13)
    assert np.allclose(measures.volumes, moved(m.volumes), rtol=1e-13)


@pytest.mark.parametrize(
    ("geometry", "shape", "missing"),
    (
        ("cylinder", (4, 5), "azimuth"),
        ("polar", (4, 6), "length"),
        ("sphere", (4, 5), "azimuth"),
        ("lat-lon", (5, 6), "length"),
    ),
)
def test_planes_are_boxes_of_one_cell(geometry, shape, missing, rng):
    """The missing axis comes last, from 0 on, with one cell of its whole length between Neumann boundaries."""
    names = {
        "cylinder": ("radius", "length"),
        "polar": ("radius", "azimuth"),
        "sphere": ("radius", "colatitude"),
        "lat-lon": ("latitude", "azimuth"),
    }[geometry]
    spacing, f = (0.2, 0.3), rng.standard_normal(shape)
    grid = {"origin": (0.4, 0.3), "radius": 2.0}
    with hymg.Solver(shape, geometry=geometry, spacing=spacing, rtol=RTOL, **grid) as s:
        u, m = s.solve(f), s.measures()
    box = {"geometry": (*names, missing), "spacing": (*spacing, 1.0 if missing == "length" else TURN)}
    box |= {"origin": (0.4, 0.3, 0.0), "radius": 2.0, "boundary": ("dirichlet", "dirichlet", "neumann")}
    with hymg.Solver((*shape, 1), rtol=RTOL, **box) as s:
        assert np.allclose(s.solve(f[..., None])[..., 0], u, rtol=0, atol=1e-10)
        assert np.allclose(s.measures().volumes[..., 0], m.volumes, rtol=1e-14)


def test_measures_of_straight_axes():
    with hymg.Solver((2, 3, 4), spacing=(0.5, 1, 2), widths=(None, [1, 2, 3], None)) as s:
        m = s.measures()
    assert np.allclose(m.volumes, np.reshape([1, 2, 3], (1, 3, 1)) * np.ones((2, 3, 4)))
    assert np.allclose(m.areas[1], 1) and np.allclose(m.areas[0][:, 2], 6)
    assert np.allclose(m.distances[1][0, :, 0], [0.5, 1.5, 2.5, 1.5])


def test_masks_and_fixed_cells(rng):
    """A closed ring keeps apart what lies on both sides; a fixed cell holds its value."""
    active, fixed = np.ones((6, 8)), np.full((6, 8), np.nan)
    active[3], fixed[5] = 0, 2.5
    with hymg.Solver(
        (6, 8),
        geometry="polar",
        spacing=(0.2, TURN / 8),
        boundary=("neumann", "periodic"),
        active=active,
        fixed=fixed,
    ) as s:
        f = np.where(np.arange(6)[:, None] < 3, np.cos(TURN * np.arange(8) / 8), 0.0)
        u = s.solve(f)
        volumes = s.measures().volumes[:3]
        assert s.result.pieces == 2 and s.result.singular_pieces == 1
    assert (u[3] == 0).all() and (u[5] == 2.5).all() and abs(u[4] - 2.5).max() < 1e-9
    assert abs((u[:3] * volumes).sum()) < 1e-12 and abs(u[:3]).max() > 0.01


@pytest.mark.parametrize(
    ("geometry", "kinds", "origin"),
    (
        ("cylinder", ("dirichlet", "robin"), (0.4, 0.0)),
        ("polar", ("mixed", "periodic"), (0.3, 0.0)),
        ("sphere", ("other", "robin"), (0.3, 0.4)),
        (("azimuth", "latitude"), ("robin", "dirichlet"), (0.0, -0.5)),
    ),
)
def test_gradients(geometry, kinds, origin, rng):
    given = arguments(rng, (4, 3), kinds, geometry=geometry, origin=origin, radius=1.7, extrapolation="default")
    check(rng, given)


def test_the_gradient_of_a_box_with_an_axis(rng):
    given = arguments(rng, (2, 3, 2), ("mixed", "periodic", "dirichlet"), geometry="cylinder", extrapolation="default")
    data = given["boundary_values"]
    check(rng, given | {"boundary_values": ((None, data[0][1]), *data[1:])}, ["f", "alpha", "beta"])


def test_the_gradient_of_a_closed_sphere(rng):
    grid = {"spacing": (0.3, TURN / 3), "origin": (-0.7, 0), "geometry": "lat-lon"}
    given = arguments(rng, (4, 3), ("neumann", "periodic"), **grid)
    check(rng, given | {"alpha": 0 * given["alpha"], "a": 0.0}, ["f", "beta"])


def test_description_and_pickle(rng):
    shape, _, given = case(rng, "lat-lon")
    f = rng.standard_normal(shape)
    with hymg.Solver(shape, geometry="lat-lon", **given) as s:
        u = s.solve(f)
        with hymg.Solver(**s.description()) as same, pickle.loads(pickle.dumps(s)) as sent:
            assert (same.solve(f) == u).all() and (sent.solve(f) == u).all()


def test_files_have_the_coordinates(tmp_path):
    with hymg.Solver((3, 4), geometry="polar", spacing=(0.5, 0.1), origin=(2, 0.25)) as s:
        s.save(tmp_path / "u.vti", u=np.zeros((3, 4)))
    assert b'Origin="0.25 2 0" Spacing="0.10000000000000001 0.5 1"' in (tmp_path / "u.vti").read_bytes()


REFUSED = (
    ({"geometry": "cylindre"}, ValueError, "did you mean 'cylinder'"),
    ({"geometry": "polar"}, ValueError, "'polar' with a shape of 3; 2 is possible"),
    ({"geometry": ("radius", "azimuth")}, ValueError, "2 coordinates, but one for each of the 3 axes"),
    ({"geometry": ("radius", "azimut", "length")}, ValueError, "did you mean 'azimuth'"),
    ({"geometry": ("length", "length", "azimuth")}, hymg.InvalidArgument, "azimuth, length, length: lengths alone; or"),
    ({"geometry": 5}, TypeError, "the number 5"),
    ({"geometry": "cylinder"}, hymg.InvalidArgument, "Dirichlet boundary on the low face of axis 0 at radius 0"),
    ({"geometry": "cylinder", "origin": (-1, 0, 0)}, hymg.InvalidArgument, "radius from -1 to 2 along axis 0: at"),
    ({"geometry": "cylinder", "origin": (1, 0)}, ValueError, "origin: 2 values"),
    ({"geometry": "cylinder", "origin": (1, 0, np.inf)}, hymg.InvalidArgument, "origin inf along axis 2: finite"),
    ({"geometry": "cylinder", "origin": 1, "spacing": 3}, hymg.InvalidArgument, "along axis 1: at most 2 pi"),
    ({"geometry": "lat-lon", "radius": -1.0}, hymg.InvalidArgument, "radius -1 of the sphere: above 0"),
    ({"geometry": "lat-lon", "origin": -2.0}, hymg.InvalidArgument, "latitude from -2 to 1 along axis 1"),
    ({"geometry": "cylinder", "origin": 1, "stencil": "fv4"}, hymg.Unsupported, "FV4 on a curved grid"),
    ({"geometry": "cylinder", "origin": 1, "extrapolation": "quadratic"}, hymg.Unsupported, "curved grid: linear only"),
    ({"geometry": "cylinder", "origin": 1, "body": np.ones((4, 4, 4))}, hymg.Unsupported, "body on a curved grid"),
    ({"geometry": "cylinder", "origin": 1, "path": "standard"}, hymg.Unsupported, "on a curved grid: robust only"),
)


@pytest.mark.parametrize(("given", "error", "text"), REFUSED)
def test_what_is_refused(given, error, text):
    with pytest.raises(error, match=text):
        hymg.Solver((3, 3, 3), **given)


def test_a_radius_alone_says_not_of_what():
    with pytest.raises(ValueError, match="'cylinder' or 'sphere'"):
        hymg.Solver(4, geometry=("radius",))
