"""Two square plates at +1/2 and -1/2 volt in an insulated box of N^3 cells, a slab
of glass on one of them. Where the potential is given, cells are fixed; the charges are sums of fluxes around them.

-div(eps grad u) = 0. Charges are in units of eps_0 times the length of the box times a volt.
"""

import argparse

import numpy as np

import hymg

GLASS = 6.0


def setting(n):
    """The given potentials (NaN elsewhere) and eps of the cells, indexed (z, y, x)."""
    x = (np.arange(n) + 0.5) / n
    z, y = x[:, None, None], x[:, None]
    square = (abs(x - 0.5) < 0.25) & (abs(y - 0.5) < 0.25)
    upper, lower = square & (abs(z - 0.625) < 1 / n), square & (abs(z - 0.375) < 1 / n)
    given = np.where(upper, 0.5, np.where(lower, -0.5, np.nan))
    glass = square & (z > 0.375) & (z < 0.5)
    return given, np.where(glass, GLASS, 1.0)


def on_faces(eps):
    faces = []
    for axis in range(3):
        wide = np.pad(eps, [(int(d == axis),) * 2 for d in range(3)], mode="edge")
        faces.append(2 / (1 / np.delete(wide, -1, axis) + 1 / np.delete(wide, 0, axis)))
    return faces


def main(n, image=None):
    given, eps = setting(n)
    beta = on_faces(eps)
    with hymg.Solver((n, n, n), spacing=1 / n, boundary="neumann", beta=beta, fixed=given) as solver:
        u = solver.solve(np.zeros((n, n, n)))
        flux = solver.fluxes(u)
    charge = sum(np.diff(q, axis=axis) for axis, q in enumerate(flux)) / n**2  # what flows out of each cell
    upper, lower = charge[given > 0].sum(), charge[given < 0].sum()
    energy = sum((q**2 / e).sum() for q, e in zip(flux, beta)) / n**3 / 2
    assert abs(upper + lower) < 1e-7 * upper  # opposite charges
    assert abs(energy - upper / 2) < 1e-7 * energy  # Q V / 2, with 1 volt
    half = 0.125 - 0.5 / n  # of the gap between the plates, whose potentials are at the centres of cells
    ideal = 0.25 / (half / GLASS + half)  # without the field around the edges
    assert ideal < upper < 2 * ideal
    print(f"capacitor: {n}^3 cells, {solver.result.cycles} iterations, capacitance {upper:.4f} eps_0 L,")
    print(f"  {upper / ideal:.2f} times that of plates without edges")
    if image:
        draw(u, given, eps, image)


def draw(u, given, eps, image):
    from matplotlib import pyplot

    n = len(u)
    x = (np.arange(n) + 0.5) / n
    figure, ax = pyplot.subplots(figsize=(5.2, 4), layout="constrained")
    mesh = ax.imshow(u[:, n // 2], origin="lower", extent=(0, 1, 0, 1), cmap="RdBu_r", vmin=-0.5, vmax=0.5)
    ax.contour(x, x, u[:, n // 2], np.linspace(-0.475, 0.475, 20), colors="black", linewidths=0.5, linestyles="solid")
    ax.contourf(x, x, eps[:, n // 2], [3, 10], colors="none", hatches=["////"])
    ax.contourf(x, x, ~np.isnan(given[:, n // 2]) * 1.0, [0.5, 2], colors=["black"])
    figure.colorbar(mesh, ax=ax, label="potential in V")
    ax.set(title="the middle plane; hatched: glass", xlabel="x", ylabel="z")
    figure.savefig(image, dpi=110)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n", type=int, nargs="?", default=64, help="cells a side (%(default)s)")
    parser.add_argument("image", nargs="?", help="a picture, for which matplotlib is needed")
    main(**vars(parser.parse_args()))
