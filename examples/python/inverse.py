"""Which conductivity has a plate of N x N cells, of which temperatures have been measured?

Six heaters are switched on one after the other, with the edges held at 0, and thermometers on every fourth cell are read.
The unknowns are the logarithms m of the conductivity of all cells. L-BFGS makes the misfit small together with a multiple
of the squared gradient of m. Its gradient takes one more solve per heater, however many unknowns there are.
"""

import argparse

import numpy as np

import hymg

NOISE, SMOOTH, STEPS = 1e-3, 3e-8, 150
HEATERS = [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75), (0.5, 0.5), (0.5, 0.15)]


def hidden(n):
    """The logarithm of the conductivity that is to be found."""
    y, x = np.meshgrid((np.arange(n) + 0.5) / n, (np.arange(n) + 0.5) / n, indexing="ij")
    disc = 1 / (1 + np.exp((np.hypot(x - 0.35, y - 0.6) - 0.17) / 0.015))
    bar = 1 / (1 + np.exp((np.maximum(abs(x - 0.68) / 0.35, abs(y - 0.3)) - 0.2) / 0.02))
    return 1.2 * disc - 1.0 * bar


def heat(n, y, x):
    c = (np.arange(n) + 0.5) / n
    return 50 * np.exp(-((c[:, None] - y) ** 2 + (c - x) ** 2) / 0.01)


def on_faces(m):
    """Conductivities of faces: geometric means, at edges those of the cell."""
    wide = [np.pad(m, [(int(d == axis),) * 2 for d in (0, 1)], mode="edge") for axis in (0, 1)]
    return [np.exp((np.delete(w, -1, axis) + np.delete(w, 0, axis)) / 2) for axis, w in enumerate(wide)]


def to_cells(beta, by_beta):
    """The chain rule of on_faces."""
    total = 0
    for axis, (b, g) in enumerate(zip(beta, by_beta)):
        half = np.moveaxis(b * g, axis, 0) / 2
        half[[0, -1]] *= 2
        total = total + np.moveaxis(half[1:] + half[:-1], 0, axis)
    return total


class Misfit:
    """Half of the sum of squares, and its gradient by m."""

    def __init__(self, n, solver, measured, seen):
        self.n, self.solver, self.measured, self.seen = n, solver, measured, seen

    def __call__(self, flat):
        m = flat.reshape(self.n, self.n)
        beta = on_faces(m)
        self.solver.update(beta=beta)
        value, slope = self.roughness(m)
        for (y, x), data in zip(HEATERS, self.measured):
            u = self.solver.solve(heat(self.n, y, x))
            off = np.where(self.seen, u - data, 0)
            value += (off**2).sum() / 2 / self.seen.sum()
            slope += to_cells(beta, self.solver.gradient(u, off / self.seen.sum(), "beta")["beta"])
        return value, slope.ravel()

    def roughness(self, m):
        value, slope = 0.0, np.zeros_like(m)
        for axis in (0, 1):
            d = np.diff(m, axis=axis)
            edge = [(int(a == axis),) * 2 for a in (0, 1)]
            value += SMOOTH * (d**2).sum() / 2
            slope -= SMOOTH * np.diff(np.pad(d, edge), axis=axis)
        return value, slope


def main(n, image=None):
    from scipy.optimize import minimize

    truth, random = hidden(n), np.random.default_rng(1)
    options = {"spacing": 1 / n, "extrapolation": "linear", "rtol": 1e-10}
    with hymg.Solver((n, n), beta=on_faces(truth), **options) as solver:
        measured = [solver.solve(heat(n, y, x)) for y, x in HEATERS]
        measured = [u + NOISE * u.max() * random.standard_normal((n, n)) for u in measured]
        seen = np.zeros((n, n), dtype=bool)
        seen[2::4, 2::4] = True
        misfit = Misfit(n, solver, measured, seen)
        start = np.zeros(n * n)
        found = minimize(misfit, start, jac=True, method="L-BFGS-B", options={"maxiter": STEPS, "ftol": 0, "gtol": 0})
        before, slope = misfit(start)
        e = 1e-4 * slope / np.abs(slope).max()
        assert abs((misfit(e)[0] - misfit(-e)[0]) / 2 - slope @ e) < 1e-5 * abs(slope @ e)
    m = found.x.reshape(n, n)
    off = np.sqrt(((m - truth) ** 2).mean() / (truth**2).mean())
    assert found.fun < 0.01 * before and off < 0.5
    print(f"inverse: {n} x {n} cells, {len(HEATERS)} heaters, {seen.sum()} thermometers, {found.nfev} gradients;")
    print(f"  misfit {before:.2g} -> {found.fun:.2g}, error of log k {off:.2f} of its size")
    if image:
        draw(truth, m, seen, image)


def draw(truth, m, seen, image):
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(7.2, 3.1), layout="constrained", sharey=True)
    for ax, field, title in zip(axes, (truth, m), ("conductivity", "found from temperatures")):
        mesh = ax.imshow(np.exp(field), origin="lower", extent=(0, 1, 0, 1), cmap="viridis", vmin=0.3, vmax=3.5)
        ax.set(title=title, xticks=[0, 1], yticks=[0, 1])
    y, x = np.nonzero(seen)
    axes[0].plot((x + 0.5) / len(m), (y + 0.5) / len(m), "w.", markersize=1)
    y, x = np.transpose(HEATERS)
    axes[0].plot(x, y, "r+")
    figure.colorbar(mesh, ax=axes)
    figure.savefig(image, dpi=110)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n", type=int, nargs="?", default=64, help="cells a side (%(default)s)")
    parser.add_argument("image", nargs="?", help="a picture, for which matplotlib is needed")
    main(**vars(parser.parse_args()))
