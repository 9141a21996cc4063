"""The Roche lobes of a binary star, from N^3 cells: what belongs to which of two stars that revolve around each other?

-div(grad u) = 4 pi mass density, with open boundaries, so that u is the potential in free space, up to its sign. In the
frame that revolves with the stars the potential is -u - r^2 / 2 (the separation, the total mass and the constant of
gravity are 1, and so, by Kepler's third law, is the angular velocity). Between the stars it has a pass, L1, where
matter flows over. That of two points is known from an equation in one variable; balls attract like points.
"""

import argparse

import numpy as np

import hymg

SIDE = 4.0  # of the box, around the centre of mass
STARS = ((0.65, -0.35, 0.22), (0.35, 0.65, 0.16))  # mass, x and radius


def density(n):
    """Mean of each cell, from 4^3 points in it; the masses are exact."""
    fine = ((np.arange(4 * n) + 0.5) / (4 * n) - 0.5) * SIDE
    total = np.zeros((n,) * 3)
    for mass, x, radius in STARS:
        near = fine[:, None, None] ** 2 + fine[:, None] ** 2 + (fine - x) ** 2 < radius**2
        cells = near.reshape(n, 4, n, 4, n, 4).sum(axis=(1, 3, 5), dtype=float)
        total += mass * cells / (cells.sum() * (SIDE / n) ** 3)
    return total


def points(x, y, z):
    """The potential of two points, in place of u."""
    return sum(mass / np.sqrt((x - x0) ** 2 + y**2 + z**2) for mass, x0, _ in STARS)


def pass_of_points():
    """Where the force in the revolving frame is 0 between the stars, by bisection."""
    low, high = (x0 for _, x0, _ in STARS)
    for _ in range(60):
        middle = (low + high) / 2
        force = sum(-mass * np.sign(middle - x0) / (middle - x0) ** 2 for mass, x0, _ in STARS) + middle
        low, high = (middle, high) if force < 0 else (low, middle)
    return middle


def highest(x, values):
    """Place and value of the maximum, by the parabola through the largest of the values and its neighbours."""
    i = np.argmax(values)
    a, b, c = values[i - 1 : i + 2]
    shift = (a - c) / (2 * (a - 2 * b + c))
    return x[i] + shift * (x[1] - x[0]), b - (a - c) * shift / 4


def main(n, image=None):
    x = ((np.arange(n) + 0.5) / n - 0.5) * SIDE
    with hymg.Solver((n,) * 3, spacing=SIDE / n, boundary="open") as solver:
        u = solver.solve(4 * np.pi * density(n))
        cycles = solver.result.cycles
    z, y, x_ = np.meshgrid(x, x, x, indexing="ij")
    exact = points(x_, y, z)
    outside = np.minimum(*((x_ - x0) ** 2 + y**2 + z**2 for _, x0, _ in STARS)) > 0.5**2
    error = np.abs(u - exact)[outside].max() / exact[outside].max()
    assert error < 0.003 + 8 / n**2  # of the boundary, and of the cells
    plane = (u[n // 2 - 1] + u[n // 2]) / 2  # at z = 0, between two layers
    revolving = -plane - (x[:, None] ** 2 + x**2) / 2
    axis = (revolving[n // 2 - 1] + revolving[n // 2]) / 2
    between = (x > STARS[0][1]) & (x < STARS[1][1])
    place, height = highest(x[between], axis[between])
    assert abs(place - pass_of_points()) < 0.3 * SIDE / n
    print(f"binary: {n}^3 cells, {cycles} cycles, {error:.1e} off outside of the stars; L1 at {place:.4f},")
    print(f"  that of two points at {pass_of_points():.4f}")
    if image:
        draw(x, revolving, place, height, image)


def draw(x, revolving, place, height, image):
    from matplotlib import pyplot

    figure, ax = pyplot.subplots(figsize=(5, 4.2), layout="constrained")
    levels = np.linspace(-2.6, revolving.max(), 34)
    mesh = ax.contourf(x, x, np.maximum(revolving, levels[0]), levels, cmap="magma")
    ax.contour(x, x, revolving, levels, colors="white", linewidths=0.25, linestyles="solid")
    ax.contour(x, x, revolving, [height], colors="blue", linewidths=1.5, linestyles="solid")
    for mass, x0, radius in STARS:
        ax.add_patch(pyplot.Circle((x0, 0), radius, color="gold"))
    ax.plot(place, 0, "o", color="black", markersize=3.5)
    ax.annotate("L1", (place, 0.06), color="black", ha="center")
    figure.colorbar(mesh, ax=ax, shrink=0.85, label="potential in the revolving frame", ticks=[-2.5, -2, -1.5])
    ax.set(aspect="equal", xlabel="x", ylabel="y", xlim=(-1.5, 1.5), ylim=(-1.5, 1.5))
    figure.savefig(image, dpi=90)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n", type=int, nargs="?", default=96, help="cells a side, even (%(default)s)")
    parser.add_argument("image", nargs="?", help="a picture, for which matplotlib is needed")
    main(**vars(parser.parse_args()))
