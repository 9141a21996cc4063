"""Diffusion through the pores of a packing of spheres in a box of N^3 cells: how much slower is it than without them?

-div(grad c) = 0 between the spheres, with c = 1 below and 0 above; the spheres and the sides are walls. The spheres are
a body, so the surfaces of the pores are no staircases. Tortuosity is the porosity over the effective diffusivity. What
goes in comes out, to 1e-10, and no packing conducts better than a random one of well separated spheres can (Hashin and
Shtrikman's bound), but for the finite sample.
"""

import argparse

import numpy as np

import hymg

RADIUS, GAP = 0.11, 0.004


def centres(count=80, tries=40000):
    """Spheres at random, none of which overlap, some of them cut by the box."""
    rng, found = np.random.default_rng(5), np.empty((0, 3))
    for place in rng.random((tries, 3)):
        if len(found) < count and (np.linalg.norm(found - place, axis=1) > 2 * RADIUS + GAP).all():
            found = np.vstack([found, place])
    return found


def distance(n, spheres):
    """From the nearest sphere, at the vertices of cells."""
    x = np.arange(n + 1) / n
    z, y = x[:, None, None], x[:, None]
    nearest = np.full((n + 1,) * 3, np.inf)
    for a, b, c in spheres:
        np.minimum(nearest, np.sqrt((z - a) ** 2 + (y - b) ** 2 + (x - c) ** 2) - RADIUS, out=nearest)
    return nearest


def main(n, image=None):
    spheres = centres()
    outside = distance(n, spheres)
    walls = ("dirichlet", "neumann", "neumann")
    given = ((1.0, 0.0), None, None)
    with hymg.Solver(
        (n,) * 3, spacing=1 / n, boundary=walls, boundary_values=given, body=outside, rtol=1e-11
    ) as solver:
        c = solver.solve(np.zeros((n,) * 3))
        up = solver.fluxes(c)[0].sum(axis=(1, 2)) / n**2  # through each section, the open parts of its faces
        cycles = solver.result.cycles
    porosity = hymg.fractions(outside)[0].mean()
    assert abs(up[0] - up[-1]) < 1e-10 * up[0]  # what goes in comes out
    assert np.ptp(up) < 1e-8 * up[0]  # and passes every section
    bound = 2 * porosity / (3 - porosity)
    assert 0.8 * bound < up[0] < 1.02 * bound
    print(f"packing: {n}^3 cells, {len(spheres)} spheres, porosity {porosity:.3f}, {cycles} iterations;")
    print(f"  effective diffusivity {up[0]:.4f}, tortuosity {porosity / up[0]:.3f} ({porosity / bound:.3f} at least)")
    if image:
        draw(c, outside, image)


def draw(c, outside, image):
    from matplotlib import pyplot

    n = len(c)
    x, vertices = (np.arange(n) + 0.5) / n, np.arange(n + 1) / n
    figure, ax = pyplot.subplots(figsize=(4.8, 4), layout="constrained")
    mesh = ax.pcolormesh(vertices, vertices, c[:, n // 2], cmap="viridis", vmin=0, vmax=1, rasterized=True)
    at_centres = outside[:, n // 2 : n // 2 + 2]
    for axis in range(3):
        at_centres = (np.delete(at_centres, 0, axis) + np.delete(at_centres, -1, axis)) / 2
    plane = np.where(at_centres[:, 0] > 0, c[:, n // 2], np.nan)
    ax.contour(x, x, plane, np.linspace(0.05, 0.95, 19), colors="white", linewidths=0.5)
    solid = (outside[:, n // 2] + outside[:, n // 2 + 1]) / 2
    ax.contourf(vertices, vertices, solid, [-1, 0], colors=["0.35"])
    figure.colorbar(mesh, ax=ax, label="concentration")
    ax.set(aspect="equal", title="the middle plane", xlabel="x", ylabel="z")
    figure.savefig(image, dpi=110)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n", type=int, nargs="?", default=64, help="cells a side (%(default)s)")
    parser.add_argument("image", nargs="?", help="a picture, for which matplotlib is needed")
    main(**vars(parser.parse_args()))
