"""Where to put little metal so that it cools a plate of N x N cells best: topology optimisation.

The plate is heated evenly, insulated, and held at 0 in a short piece of its left edge. A third of it may be of metal, which
conducts 500 times as well as the rest. What is made small is the mean temperature. Densities are moved by the criterion of
optimality (OC) with their gradient, which takes a second solve; k = k0 + (1 - k0) density^p makes densities between 0 and
1 unattractive, and a filter prevents patterns of the size of cells.
"""

import argparse

import numpy as np

import hymg

WORST, METAL, POWER, STEPS = 2e-3, 0.33, 3, 70


def on_faces(k):
    """Harmonic means, at edges the number of the cell."""
    wide = [np.pad(k, [(int(d == axis),) * 2 for d in (0, 1)], mode="edge") for axis in (0, 1)]
    return [2 / (1 / np.delete(w, -1, axis) + 1 / np.delete(w, 0, axis)) for axis, w in enumerate(wide)]


def to_cells(k, beta, by_beta):
    """The chain rule of on_faces."""
    total = 0
    for axis, (b, g) in enumerate(zip(beta, by_beta)):
        half = np.moveaxis(b**2 * g, axis, 0) / 2
        half[[0, -1]] *= 2
        total = total + np.moveaxis(half[1:] + half[:-1], 0, axis) / k**2
    return total


class Filter:
    """Means over neighbours with weights that fall linearly to 0 at a radius of cells."""

    def __init__(self, n, radius):
        reach = range(-int(radius), int(radius) + 1)
        self.weights = {(i, j): radius - np.hypot(i, j) for i in reach for j in reach if np.hypot(i, j) < radius}
        self.n, self.reach = n, int(radius)
        self.total = self.sums(np.ones((n, n)))

    def sums(self, x):
        wide, r, n = np.pad(x, self.reach), self.reach, self.n
        return sum(w * wide[r + i : r + i + n, r + j : r + j + n] for (i, j), w in self.weights.items())

    def forward(self, x):
        return self.sums(x) / self.total

    def backward(self, g):
        return self.sums(g / self.total)


def better(density, slope, by_metal):
    """The step of optimality: densities change by at most 0.2, and the metal is all used."""
    low, high = 0.0, 1e9
    while high - low > 1e-9 * (high + low):
        middle = (low + high) / 2
        moved = density * np.sqrt(np.maximum(-slope, 0) / (middle * by_metal))
        moved = np.clip(moved, np.maximum(density - 0.2, 0), np.minimum(density + 0.2, 1))
        low, high = (middle, high) if (moved * by_metal).sum() > METAL else (low, middle)
    return moved


def main(n, image=None):
    fixed = np.full((n, n), np.nan)
    fixed[n // 2 - n // 16 : n - n // 2 + n // 16, 0] = 0.0
    cells, density = Filter(n, max(1.5, n / 50)), np.full((n, n), METAL)
    by_metal = cells.backward(np.full((n, n), 1 / n**2))
    source, history = np.ones((n, n)), []
    with hymg.Solver((n, n), spacing=1 / n, boundary="neumann", fixed=fixed, beta=on_faces(source), rtol=1e-8) as solver:
        for _ in range(STEPS):
            filtered = cells.forward(density)
            k = WORST + (1 - WORST) * filtered**POWER
            beta = on_faces(k)
            solver.update(beta=beta)
            u = solver.solve(source)
            history.append(u.mean())
            by_beta = solver.gradient(u, np.full((n, n), 1 / n**2), "beta")["beta"]
            by_k = to_cells(k, beta, by_beta)
            slope = cells.backward(by_k * (1 - WORST) * POWER * filtered ** (POWER - 1))
            density = better(density, slope, by_metal)
        flux_y, flux_x = solver.fluxes(u)
    into = -(np.diff(flux_y, axis=0) + np.diff(flux_x, axis=1))[fixed == 0].sum() / n
    heated = np.isnan(fixed).mean()
    assert abs(into - heated) < 1e-6 * heated  # all heat arrives
    assert abs(filtered.mean() - METAL) < 1e-3 and history[-1] < 0.35 * history[0]
    print(f"sink: {n} x {n} cells, {STEPS} steps, mean temperature {history[0]:.2f} -> {history[-1]:.3f}")
    if image:
        draw(filtered, u, image)


def draw(density, u, image):
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(7.2, 3.2), layout="constrained", sharey=True)
    axes[0].imshow(density, origin="lower", extent=(0, 1, 0, 1), cmap="gray_r", vmin=0, vmax=1)
    axes[0].set(title="metal")
    mesh = axes[1].imshow(u, origin="lower", extent=(0, 1, 0, 1), cmap="inferno")
    axes[1].set(title="temperature")
    for ax in axes:
        ax.set(xticks=[0, 1], yticks=[0, 1])
    figure.colorbar(mesh, ax=axes[1])
    figure.savefig(image, dpi=100)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n", type=int, nargs="?", default=128, help="cells a side (%(default)s)")
    parser.add_argument("image", nargs="?", help="a picture, for which matplotlib is needed")
    main(**vars(parser.parse_args()))
