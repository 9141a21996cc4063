"""Saved files, read by a reader of their own (examples/python/picture.py) and, where it is installed, by VTK: every
value and coordinate is that of the arrays, to the last bit."""

import importlib.util
import os
from pathlib import Path

import numpy as np
import pytest

import hymg

ROOT = Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("picture", ROOT / "examples/python/picture.py")
picture = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(picture)


def read_with_vtk(file):
    vtk = pytest.importorskip("vtk")
    from vtk.util.numpy_support import vtk_to_numpy

    image = str(file).endswith(".vti")
    reader = vtk.vtkXMLImageDataReader() if image else vtk.vtkXMLRectilinearGridReader()
    reader.SetFileName(str(file))
    reader.Update()
    grid = reader.GetOutput()
    n = [m - 1 for m in grid.GetDimensions()]
    data = grid.GetCellData()
    fields = {
        data.GetArrayName(m): vtk_to_numpy(data.GetArray(m)).reshape(n[::-1]) for m in range(data.GetNumberOfArrays())
    }
    if image:
        assert grid.GetOrigin() == (0, 0, 0)
        return fields, [np.arange(m + 1) * h for m, h in zip(n, grid.GetSpacing())]
    return fields, [vtk_to_numpy(getattr(grid, f"Get{axis}Coordinates")()) for axis in "XYZ"]


CASES = {
    "odd": ((7, 5, 9), {}, ".vti"),
    "odd, Fortran's order": ((7, 5, 9), {"order": "F"}, ".vti"),
    "plane": ((1, 12, 11), {}, ".vti"),
    "plane, coordinates": ((1, 12, 11), {}, ".vtr"),
    "stretched": ((6, 5, 8), {"widths": "some"}, ".vtr"),
    "stretched in boxes": ((6, 5, 8), {"widths": "some", "cuts": (None, [2, 3], [1, 7])}, ".vtr"),
}


@pytest.mark.parametrize("reader", [picture.read, read_with_vtk], ids=["own reader", "VTK"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_values_and_coordinates_come_back(case, reader, rng, tmp_path):
    shape, options, ending = CASES[case]
    spacing = (0.1, 1 / 3, 1e-3)
    coordinates = [np.arange(n + 1) * h for n, h in zip(shape, spacing)]
    if "widths" in options:
        widths = [rng.random(shape[0]) + 0.1, None, rng.random(shape[2]) + 0.1]
        options = {**options, "widths": widths}
        for axis in (0, 2):
            coordinates[axis] = np.cumsum(np.concatenate([[0.0], widths[axis]]))
    u, f = rng.standard_normal(shape), rng.standard_normal(tuple(n + 2 for n in shape))[1:-1, 1:-1, 1:-1]
    u.flat[0], u.flat[3] = np.nan, -0.0
    file = tmp_path / f"saved{ending}"
    with hymg.Solver(shape, spacing=spacing, **options) as s:
        s.save(file, u=u, **{"f, the right side": f})
    fields, got = reader(file)
    if options.get("order") == "F":
        fields = {name: values.transpose(2, 1, 0) for name, values in fields.items()}
    else:
        got = got[::-1]
    assert list(fields) == ["u", "f, the right side"]
    for values, want in zip(fields.values(), (u, f)):
        assert values.shape == shape and values.tobytes() == np.ascontiguousarray(want).tobytes()
    for x, want in zip(got, coordinates):
        assert np.array_equal(x, want)
    assert os.listdir(tmp_path) == [file.name]


def test_what_cannot_be_saved_is_refused(tmp_path):
    u = np.zeros((4, 4, 4))
    with hymg.Solver(u.shape) as s:
        with pytest.raises(TypeError, match="no arrays"):
            s.save(tmp_path / "u.vti")
        with pytest.raises(ValueError, match=r"u: shape \(4, 4\)"):
            s.save(tmp_path / "u.vti", u=u[0])
        with pytest.raises(hymg.InvalidArgument, match="must end in .vti or .vtr"):
            s.save("u.png", u=u)
        with pytest.raises(hymg.Error, match="none/u.vti: not written: No such file"):
            s.save(tmp_path / "none/u.vti", u=u)
    with hymg.Solver(u.shape, widths=(None, np.ones(4), None)) as s:
        with pytest.raises(hymg.InvalidArgument, match="widths along axis 1"):
            s.save(tmp_path / "u.vti", u=u)
    assert os.listdir(tmp_path) == []


def test_a_picture_is_drawn(rng, tmp_path):
    pytest.importorskip("matplotlib")
    u = rng.standard_normal((4, 6, 5))
    with hymg.Solver(u.shape) as s:
        s.save(tmp_path / "u.vti", u=u)
    picture.draw(tmp_path / "u.vti", tmp_path / "u.png")
    assert (tmp_path / "u.png").read_bytes()[1:4] == b"PNG"
