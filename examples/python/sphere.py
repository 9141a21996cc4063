"""The flow past a sphere at Reynolds number 40, in a channel of N x N x 2 N cells.

Chorin's projection on a staggered grid, as in cavity.py. The sphere cuts cells: what flows through a face is its open
part times the velocity, and every step solves -div(open grad p) = -div(open u*) / dt, with the open parts of the faces
as beta. So nothing flows into the sphere, wherever its surface lies in the cells. Friction on it is rougher: a face that is
partly covered has as much less velocity before the projection.
"""

import argparse

import numpy as np

import hymg

REYNOLDS, RADIUS, CENTRE = 40, 0.15, (0.5, 0.5, 0.6)  # z, y, x
VISCOSITY = 2 * RADIUS / REYNOLDS
DURATION = 2.0  # the fluid passes once through the channel


def part(array, axis, start, stop):
    """From index start up to stop along an axis."""
    return array[(slice(None),) * axis + (slice(start, stop),)]


def padded(array, axis):
    """With the neighbours beyond walls that do not hold the fluid back, and an even outflow."""
    return np.concatenate([part(array, axis, 0, 1), array, part(array, axis, -1, None)], axis)


def middle(array, axis):
    return (part(array, axis, 1, None) + part(array, axis, 0, -1)) / 2


def change(velocity, axis, h):
    """du/dt of one component on its faces between cells: what is carried in, and viscosity."""
    u, total = velocity[axis], 0.0
    for d in range(3):
        wide = u if d == axis else padded(u, d)  # values on both sides of each place where u is carried along d
        carrier = middle(u, axis) if d == axis else middle(padded(velocity[d], axis), axis)
        flux = carrier * middle(wide, d) - VISCOSITY / h * np.diff(wide, axis=d)
        along = np.diff(flux, axis=d) / h
        total = total - (along if d == axis else part(along, axis, 1, -1))
    return total


def step(velocity, p, opening, h, dt, solver):
    """One time step of the velocity and, as the guess of the next one, the pressure, in place. Returns the open parts
    times the velocities.
    """
    carried = [change(velocity, axis, h) for axis in range(3)]
    for axis in range(3):
        inner = part(velocity[axis], axis, 1, -1)
        inner += dt * carried[axis]
        inner *= part(opening[axis], axis, 1, -1)
    velocity[2][..., -1] = velocity[2][..., -2]  # outflow
    flow = [opened * u for opened, u in zip(opening, velocity)]
    solver.solve(-divergence(flow, h) / dt, out=p, guess=p)
    flow = [f + dt * q for f, q in zip(flow, solver.fluxes(p))]
    for u, f, opened in zip(velocity, flow, opening):
        u[:] = np.divide(f, opened, out=np.zeros_like(f), where=opened > 0)
    return flow


def divergence(flow, h):
    return sum(np.diff(f, axis=axis) for axis, f in enumerate(flow)) / h


def main(n, image=None):
    h, shape = 1 / n, (n, n, 2 * n)
    z, y, x = np.meshgrid(*[np.arange(m + 1) * h for m in shape], indexing="ij", sparse=True)
    outside = np.sqrt((z - CENTRE[0]) ** 2 + (y - CENTRE[1]) ** 2 + (x - CENTRE[2]) ** 2) - RADIUS
    _, opening = hymg.fractions(outside)
    velocity = [np.zeros(a.shape) for a in opening]
    velocity[2][:] = opening[2] > 0
    dt = min(0.15 * h**2 / VISCOSITY, 0.25 * h, 1.5 * VISCOSITY)
    steps = round(DURATION / dt)
    walls = ("neumann", "neumann", ("neumann", "dirichlet"))  # p = 0 at the outflow
    options = {"initial_guess": True, "extrapolation": "linear", "rtol": 1e-6}
    with hymg.Solver(shape, spacing=h, boundary=walls, beta=opening, **options) as solver:
        p = np.zeros(shape)
        for _ in range(steps):
            flow = step(velocity, p, opening, h, dt, solver)
        cycles = solver.result.cycles
    through = flow[2].sum(axis=(0, 1)) * h**2
    assert np.abs(divergence(flow, h)).max() < 1e-3
    assert np.ptp(through) < 1e-4  # 1 comes in, and passes every section
    on_axis = velocity[2][n // 2, n // 2]
    behind = on_axis[round((CENTRE[2] + RADIUS) * n) + 1 :]
    assert behind.min() < 0.05 < 0.5 < behind[-1]  # the wake
    print(f"sphere: {n} x {n} x {2 * n} cells, {steps} steps, {cycles} iterations in the last;")
    print(f"  slowest behind the sphere {behind.min():.3f}, fastest beside it {velocity[2].max():.3f}")
    if image:
        draw(velocity, outside, n, image)


def draw(velocity, outside, n, image):
    from matplotlib import pyplot

    vertices, x = np.arange(2 * n + 1) / n, (np.arange(2 * n) + 0.5) / n
    u, v = middle(velocity[2], 2)[n // 2], middle(velocity[1], 1)[n // 2]
    figure, ax = pyplot.subplots(figsize=(6.4, 3.4), layout="constrained")
    mesh = ax.pcolormesh(vertices, vertices[: n + 1], np.hypot(u, v), cmap="viridis", rasterized=True)
    ax.streamplot(x, x[:n], u, v, color="white", linewidth=0.6, density=1.3, arrowsize=0.6)
    ax.contourf(vertices, vertices[: n + 1], outside[n // 2], [-1, 0], colors=["0.35"], zorder=3)
    figure.colorbar(mesh, ax=ax, label="speed")
    ax.set(aspect="equal", title="the middle plane", xlabel="x", ylabel="y")
    figure.savefig(image, dpi=100)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n", type=int, nargs="?", default=32, help="cells a side (%(default)s)")
    parser.add_argument("image", nargs="?", help="a picture, for which matplotlib is needed")
    main(**vars(parser.parse_args()))
