"""The flow in a square cavity whose lid moves, at Reynolds number 100, N x N cells.

Chorin's projection on a staggered grid. Every step solves -div grad p = -div u* / dt with dp/dn = 0 on the walls, and
subtracts dt grad p from the velocity u*, which then has no divergence. Compared with the velocities that Ghia, Ghia and
Shin (J. Comput. Phys. 48, 1982, 387-411) give along the vertical line through the middle.
"""

import argparse

import numpy as np

import hymg

REYNOLDS = 100
GHIA_Y = [0.0547, 0.1016, 0.1719, 0.2813, 0.4531, 0.5000, 0.6172, 0.7344, 0.8516, 0.9531]
GHIA_U = [-0.03717, -0.06434, -0.10150, -0.15662, -0.21090, -0.20581, -0.13641, 0.00332, 0.23151, 0.68717]


def step(u, v, h, dt, solver):
    """One time step of u, on faces normal to x (n, n + 1), and v, on faces normal to y (n + 1, n), in place."""
    wide_u = np.vstack([-u[:1], u, 2 - u[-1:]])  # beyond the walls: 0 at the bottom, 1 at the lid
    wide_v = np.hstack([-v[:, :1], v, -v[:, -1:]])
    at_corners = (wide_u[1:] + wide_u[:-1]) * (wide_v[:, 1:] + wide_v[:, :-1]) / 4
    uu, vv = ((u[:, 1:] + u[:, :-1]) / 2) ** 2, ((v[1:] + v[:-1]) / 2) ** 2
    bend_u = np.diff(u, 2, axis=1) + np.diff(wide_u, 2, axis=0)[:, 1:-1]
    bend_v = np.diff(v, 2, axis=0) + np.diff(wide_v, 2, axis=1)[1:-1]
    carry_u = np.diff(uu, axis=1) + np.diff(at_corners, axis=0)[:, 1:-1]
    carry_v = np.diff(vv, axis=0) + np.diff(at_corners, axis=1)[1:-1]
    u[:, 1:-1] += dt * (bend_u / (REYNOLDS * h**2) - carry_u / h)
    v[1:-1] += dt * (bend_v / (REYNOLDS * h**2) - carry_v / h)
    p = solver.solve(-divergence(u, v, h) / dt)
    u[:, 1:-1] -= dt / h * np.diff(p, axis=1)
    v[1:-1] -= dt / h * np.diff(p, axis=0)


def divergence(u, v, h):
    return (np.diff(u, axis=1) + np.diff(v, axis=0)) / h


def main(n, image=None):
    h = 1 / n
    dt = min(0.2 * REYNOLDS * h**2, 0.3 * h)
    u, v = np.zeros((n, n + 1)), np.zeros((n + 1, n))
    with hymg.Solver((n, n), spacing=h, boundary="neumann", initial_guess=True, cycle="v", rtol=1e-6) as solver:
        for steps in range(1, 20000):
            before = u.copy()
            step(u, v, h, dt, solver)
            if np.abs(u - before).max() < 1e-4 * dt:  # steady
                break
    y = (np.arange(n) + 0.5) * h
    error = np.abs(np.interp(GHIA_Y, y, u[:, n // 2]) - GHIA_U).max()
    assert np.abs(divergence(u, v, h)).max() < 1e-3
    assert error < 0.01 + 8 / n**2
    print(f"cavity: {n} x {n} cells, steady after {steps} steps, {error:.4f} from Ghia's velocities")
    if image:
        draw(u, v, y, image)


def draw(u, v, y, image):
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(7, 3.2), layout="constrained")
    uc, vc = (u[:, 1:] + u[:, :-1]) / 2, (v[1:] + v[:-1]) / 2
    left.imshow(np.hypot(uc, vc), origin="lower", extent=(0, 1, 0, 1), cmap="magma")
    left.streamplot(y, y, uc, vc, color="white", linewidth=0.6, arrowsize=0.6, density=1.2)
    left.set(title="speed and streamlines", xlim=(0, 1), ylim=(0, 1), xlabel="x", ylabel="y")
    right.plot(u[:, u.shape[1] // 2], y, label=f"hymg, {len(y)} x {len(y)} cells")
    right.plot(GHIA_U, GHIA_Y, "o", mfc="none", label="Ghia et al., 1982")
    right.set(title="u at x = 0.5", xlabel="u", ylabel="y")
    right.legend(frameon=False)
    figure.savefig(image, dpi=110)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n", type=int, nargs="?", default=64, help="cells a side (%(default)s)")
    parser.add_argument("image", nargs="?", help="a picture, for which matplotlib is needed")
    main(**vars(parser.parse_args()))
