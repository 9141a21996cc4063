"""Winds over an ocean of N x N columns and N / 2 layers, thin at the top and thick below, with an island, a ridge and an
inland sea: the pressure that takes the divergence out of the currents.

-div grad p = -div u*, with what is below the sea floor not active, so that nothing flows into it; no flow through the
surface (a rigid lid). The two seas are pieces of their own, in each of which p is known up to a constant. Lengths are in
units of the basin's width, and depths 50 times too large, as in most pictures of oceans.
"""

import argparse

import numpy as np

import hymg

DEPTH = 0.2


def sea_floor(n):
    """Depths of columns, indexed (y, x); 0: land."""
    x = (np.arange(n) + 0.5) / n
    y, x = x[:, None], x[None, :]
    coast = 1 - ((x - 0.5) / 0.46) ** 2 - ((y - 0.5) / 0.44) ** 2 + 0.15 * np.sin(9 * x) * np.sin(7 * y + 1)
    floor = DEPTH * np.clip(2.5 * coast, 0, 1)
    floor -= 0.11 * np.exp(-(((x - 0.45 - 0.15 * y) / 0.04) ** 2)) * (floor > 0)  # a ridge
    floor[np.hypot(x - 0.68, y - 0.42) < 0.07] = 0  # an island
    floor = np.where(floor > 0.012, floor, 0)
    inland = np.hypot((x - 0.9) / 1.2, y - 0.9) < 0.055
    floor[np.hypot((x - 0.9) / 1.2, y - 0.9) < 0.09] = 0
    floor[inland] = 0.08
    return floor


def layers(m):
    """Thicknesses from the bottom to the top, each 8 % less than the one below."""
    thick = 0.92 ** np.arange(m)
    return DEPTH * thick / thick.sum()


def between(water, axis):
    """Faces between two cells of water; no others, and none at the sides."""
    both = np.logical_and(np.delete(water, 0, axis), np.delete(water, -1, axis))
    return np.pad(both, [(int(d == axis),) * 2 for d in range(3)])


def main(n, image=None):
    m, h = n // 2, 1 / n
    thick, floor = layers(m), sea_floor(n)
    height = np.cumsum(thick) - thick / 2 - DEPTH  # of the cells' centres, below 0
    water = -height[:, None, None] < floor
    z = height[:, None, None]
    y = (np.arange(n) + 0.5)[:, None] / n
    wind = -np.cos(2 * np.pi * y) * np.exp(z / 0.03)  # along x, as trade winds and westerlies
    current = [between(water, 0) * 0.0, between(water, 1) * 0.0, between(water, 2) * wind]

    def divergence(u):
        return np.diff(u[0], axis=0) / thick[:, None, None] + (np.diff(u[1], axis=1) + np.diff(u[2], axis=2)) / h

    shape, widths = (m, n, n), (thick, None, None)
    with hymg.Solver(shape, spacing=h, widths=widths, boundary="neumann", active=water, rtol=1e-11) as solver:
        p = solver.solve(-divergence(current))
        flux = solver.fluxes(p)
        result = solver.result
    after = [u + q for u, q in zip(current, flux)]
    assert np.abs(divergence(after)).max() < 1e-8 * np.abs(divergence(current)).max()
    assert all((q[~between(water, axis)] == 0).all() for axis, q in enumerate(flux))  # nothing flows into land
    volume = thick[:, None, None] * np.ones(shape) * h * h
    inland = np.zeros(shape, dtype=bool)
    inland[:, int(0.8 * n) :, int(0.75 * n) :] = (water & (floor == 0.08))[:, int(0.8 * n) :, int(0.75 * n) :]
    for sea in (inland, water & ~inland):  # each has a mean of 0
        assert abs((p * volume)[sea].sum()) < 1e-9 * np.abs(p * volume)[sea].sum()
    print(f"ocean: {n} x {n} x {m} cells, {water.mean():.0%} of them water, {result.cycles} iterations;")
    print(f"  the wind's currents of up to {wind.max():.2f} become {np.abs(after[2]).max():.2f} and sink or rise with up to "
          f"{np.abs(after[0]).max():.3f}")  # fmt: skip
    if image:
        draw(after, p, water, thick, image)


def draw(current, p, water, thick, image):
    from matplotlib import pyplot

    n = water.shape[1]
    x, edges = (np.arange(n) + 0.5) / n, np.arange(n + 1) / n
    u, v = (current[2][-1, :, 1:] + current[2][-1, :, :-1]) / 2, (current[1][-1, 1:] + current[1][-1, :-1]) / 2
    heights = np.concatenate([[0], np.cumsum(thick)]) - DEPTH
    figure, (top, side) = pyplot.subplots(1, 2, figsize=(7.6, 3.4), layout="constrained", width_ratios=(1, 1.1))
    speed = np.where(water[-1], np.hypot(u, v), np.nan)
    mesh = top.pcolormesh(edges, edges, speed, cmap="YlGnBu", rasterized=True)
    top.streamplot(x, x, np.where(water[-1], u, np.nan), v, color="0.2", linewidth=0.6, density=1.1, arrowsize=0.6)
    figure.colorbar(mesh, ax=top, label="speed at the surface", shrink=0.8)
    row = int(0.42 * n)
    section = np.where(water[:, row], p[:, row], np.nan)
    largest = np.nanmax(np.abs(section))
    mesh = side.pcolormesh(edges, heights, section, cmap="RdBu_r", vmin=-largest, vmax=largest, rasterized=True)
    figure.colorbar(mesh, ax=side, label="pressure at y = 0.42", shrink=0.8)
    for ax in (top, side):
        ax.set_facecolor("0.6")
    top.set(aspect="equal", xlabel="x", ylabel="y")
    side.set(xlabel="x", ylabel="z")
    figure.savefig(image, dpi=100)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n", type=int, nargs="?", default=96, help="columns a side (%(default)s)")
    parser.add_argument("image", nargs="?", help="a picture, for which matplotlib is needed")
    main(**vars(parser.parse_args()))
