"""Heat spreads in an insulated plate of N x N cells: a copper track on glass.

Implicit Euler steps of du/dt = div(k grad u) + q: each solves u / dt - div(k grad u) = u_old / dt + q, which is hymg's
equation with a = 1 / dt and alpha = 1. An explicit method would need steps below h^2 / (4 k), which are 26,000 times
shorter with 128 x 128 cells.
"""

import argparse

import numpy as np

import hymg

GLASS, COPPER = 1.0, 400.0
POWER = 3.0


def plate(n):
    """The conductivity of the cells, (y, x), and the heater's power per area, POWER in all."""
    x = (np.arange(n) + 0.5) / n
    y = x[:, None]
    track = (abs(y - 0.25) < 0.05) & (x > 0.15) & (x < 0.85)
    track |= (abs(x - 0.8) < 0.05) & (y > 0.2) & (y < 0.8)
    track |= (abs(y - 0.75) < 0.05) & (x > 0.4) & (x < 0.85)
    heater = (np.hypot(x - 0.2, y - 0.25) < 0.07).astype(float)
    return np.where(track, COPPER, GLASS), POWER * heater / (heater.sum() / n**2)


def on_faces(k):
    """The harmonic means of neighbours: a number for every face."""
    return [harmonic(k, axis) for axis in (0, 1)]


def harmonic(k, axis):
    wide = np.pad(k, [(int(d == axis),) * 2 for d in (0, 1)], mode="edge")
    low, high = np.delete(wide, -1, axis), np.delete(wide, 0, axis)
    return 2 / (1 / low + 1 / high)


def main(n, image=None):
    k, q = plate(n)
    dt, pictures = 1e-3, {}
    u = np.zeros((n, n))
    with hymg.Solver((n, n), spacing=1 / n, boundary="neumann", alpha=1.0, a=1 / dt, beta=on_faces(k)) as solver:
        for steps in range(1, 51):
            before, u = u, solver.solve(u / dt + q)
            assert u.min() >= -1e-9 and (u >= before - 1e-9).all()  # nothing cools
            if steps in (1, 10, 50):
                pictures[steps * dt] = u
    heat = u.mean()
    assert abs(heat - POWER * steps * dt) < 1e-8  # insulated: all that the heater gave is there
    print(f"heat: {n} x {n} cells, {steps} steps, heat {heat:.9f} of {POWER * steps * dt} given")
    if image:
        draw(k, pictures, image)


def draw(k, pictures, image):
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(pictures), figsize=(8, 2.9), layout="constrained", sharey=True)
    x = (np.arange(len(k)) + 0.5) / len(k)
    for ax, (time, u) in zip(axes, pictures.items()):
        mesh = ax.imshow(u, origin="lower", extent=(0, 1, 0, 1), cmap="inferno", vmin=0, vmax=u.max())
        ax.contour(x, x, k, [GLASS * 2], colors="white", linewidths=0.6)
        ax.set(title=f"t = {time:g}", xticks=[0, 1], yticks=[0, 1])
        figure.colorbar(mesh, ax=ax, shrink=0.8)
    figure.savefig(image, dpi=110)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n", type=int, nargs="?", default=128, help="cells a side (%(default)s)")
    parser.add_argument("image", nargs="?", help="a picture, for which matplotlib is needed")
    main(**vars(parser.parse_args()))
