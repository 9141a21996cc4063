"""The ice shell of a moon, 60 km thick above an ocean, on N shells and 3 N rings: how warm it is, and what it loses.

Radius and colatitude, from pole to pole and all the way round. The ocean below has 273 K, the surface 80 K at the equator
and 45 K at the poles, and tides heat the ice around the south pole. Ice conducts the better the colder it is, 567 W/m over
the temperature, so that the coefficients follow the solution: each step is an update and a solve. The integral of
the conductivity, 567 W/m times log T, obeys a linear equation with the same data, which says what the steps must come to.
"""

import argparse

import numpy as np

import hymg

RADIUS, THICKNESS = 252e3, 60e3  # m
CONDUCTIVITY = 567.0  # W/m, over T
OCEAN = 273.0  # K
TIDES = 1.5e-7  # W/m^3, at the pole


def between(x, axis):
    """Means on the faces between cells, and the outer cells' own beyond."""
    ends = np.take(x, [0], axis), np.take(x, [-1], axis)
    inside = (np.delete(x, 0, axis) + np.delete(x, -1, axis)) / 2
    return np.concatenate([ends[0], inside, ends[1]], axis)


def main(n, image=None):
    shape, spacing = (n, 3 * n), (THICKNESS / n, np.pi / (3 * n))
    angle = (np.arange(3 * n) + 0.5)[None, :] * spacing[1]
    surface = 45 + 35 * np.sin(angle) ** 2
    heat = TIDES * np.exp(-(((np.pi - angle) / 0.4) ** 2)) * np.ones(shape)
    grid = {"geometry": "sphere", "spacing": spacing, "origin": (RADIUS - THICKNESS, 0.0)}
    grid |= {"boundary": ("dirichlet", "neumann"), "rtol": 1e-10}

    with hymg.Solver(shape, boundary_values=((np.log(OCEAN), np.log(surface)), None), b=CONDUCTIVITY, **grid) as linear:
        expected = np.exp(linear.solve(heat))
    temperature, change = np.full(shape, 150.0), np.inf
    beta = tuple(np.ones([m + (i == axis) for i, m in enumerate(shape)]) for axis in range(2))
    with hymg.Solver(shape, beta=beta, boundary_values=((OCEAN, surface), None), **grid) as solver:
        steps = 0
        while change > 1e-5:
            faces = [between(temperature, axis) for axis in range(2)]
            faces[0][0], faces[0][-1] = OCEAN, surface  # where the temperature is known
            solver.update(beta=tuple(CONDUCTIVITY / face for face in faces))
            last, temperature = temperature, solver.solve(heat)
            change, steps = np.abs(temperature - last).max(), steps + 1
        flux, measures, cycles = solver.fluxes(temperature)[0], solver.measures(), solver.result.cycles
    through = (flux * measures.areas[0]).sum(axis=1)  # W, of every shell
    tides = (heat * measures.volumes).sum()
    assert np.abs(temperature - expected).max() < 400 / n
    assert abs(through[-1] - through[0] - tides) < 1e-6 * through[-1]  # what comes in goes out
    print(f"moon: {n} x {3 * n} cells, {steps} steps, {cycles} iterations in the last;")
    print(f"  {through[0] / 1e9:.2f} GW from the ocean and {tides / 1e9:.2f} GW of tides leave at the surface")
    if image:
        draw(temperature, flux[-1], angle[0], spacing, n, image)


def draw(temperature, loss, angle, spacing, n, image):
    from matplotlib import pyplot

    radius = (RADIUS - THICKNESS + np.arange(n + 1) * spacing[0])[:, None] / 1e3
    edges = np.arange(3 * n + 1)[None, :] * spacing[1]
    figure, (shell, line) = pyplot.subplots(1, 2, figsize=(7.6, 3.6), layout="constrained", width_ratios=(1.25, 1))
    for side in (-1, 1):
        x, z = side * radius * np.sin(edges), radius * np.cos(edges)
        mesh = shell.pcolormesh(x, z, temperature, cmap="inferno", rasterized=True)
    figure.colorbar(mesh, ax=shell, label="temperature, K", shrink=0.85)
    shell.set(aspect="equal", xlabel="km", ylabel="km")
    line.plot(90 - np.degrees(angle), 1e3 * loss, color="0.2")
    line.set(xlabel="latitude", ylabel="heat that leaves, mW / m$^2$", xticks=(-90, -45, 0, 45, 90))
    figure.savefig(image, dpi=100)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n", type=int, nargs="?", default=48, help="shells (%(default)s)")
    parser.add_argument("image", nargs="?", help="a picture, for which matplotlib is needed")
    main(**vars(parser.parse_args()))
