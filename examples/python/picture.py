"""python3 picture.py FILE.vti IMAGE.png [NAME [PLANE]]: a plane of cells normal to z, by default the middle one, of a
field that hymg_field_save, hymg.Solver.save or hymg-fv --save has written, by default the first. Needs matplotlib. Also
an example of reading such files: read() works for .vti and .vtr and needs NumPy alone.
"""

import sys
import xml.etree.ElementTree

import numpy as np


def read(file):
    """The fields by name, indexed [k, j, i], and the coordinates of the faces of cells along x, y and z."""
    with open(file, "rb") as stream:
        text, _, data = stream.read().partition(b'<AppendedData encoding="raw">\n_')
    root = xml.etree.ElementTree.fromstring(text + b"</VTKFile>")
    order = "<" if root.get("byte_order") == "LittleEndian" else ">"

    def array(entry):
        start = int(entry.get("offset"))
        size = int(np.frombuffer(data, order + "u8", 1, start)[0])
        return np.frombuffer(data, order + "f8", size // 8, start + 8)

    grid = root[0]
    n = [int(word) for word in grid.get("WholeExtent").split()[1::2]]
    if root.get("type") == "ImageData":
        steps = zip(n, grid.get("Origin").split(), grid.get("Spacing").split())
        coordinates = [float(low) + np.arange(m + 1) * float(h) for m, low, h in steps]
    else:
        coordinates = [array(entry) for entry in grid.iterfind("Piece/Coordinates/DataArray")]
    return {e.get("Name"): array(e).reshape(n[::-1]) for e in grid.iterfind("Piece/CellData/DataArray")}, coordinates


def draw(file, image, name=None, plane=None):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    fields, (x, y, z) = read(file)
    name = name or next(iter(fields))
    k = (len(z) - 1) // 2 if plane is None else int(plane)
    values = fields[name][k]
    largest = np.abs(values).max()
    figure, axes = pyplot.subplots(figsize=(4.2, 3.4), layout="constrained")
    mesh = axes.pcolormesh(x, y, values, cmap="RdBu_r", vmin=-largest, vmax=largest, rasterized=True)
    figure.colorbar(mesh, ax=axes)
    axes.set(aspect="equal", xlabel="x", ylabel="y", title=f"{name}, z = {(z[k] + z[k + 1]) / 2:.3g}")
    figure.savefig(image, dpi=110)


if __name__ == "__main__":
    if not 3 <= len(sys.argv) <= 5:
        sys.exit(__doc__)
    draw(*sys.argv[1:])
