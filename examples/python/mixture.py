"""The effective conductivity of a random mixture of two materials in equal parts, on
N x N cells: blocks of 4 x 4 cells that conduct 1 or 10.

-div(k grad u) = 0, with u = 1 on the left, 0 on the right, and no flux through the other sides: the flux is then the
effective conductivity. In an infinite plane it is the root of the product, 3.16 here (Dykhne, Sov. Phys. JETP 32, 1971,
63-65); on any sample it lies between the harmonic and the arithmetic mean of the two (Wiener's bounds).
"""

import argparse

import numpy as np

import hymg

BLOCK, LOW, HIGH = 4, 1.0, 10.0


def blocks(n):
    half = (n // BLOCK) ** 2 // 2
    drawn = np.random.default_rng(5).permutation(np.repeat([LOW, HIGH], half)).reshape(2 * [n // BLOCK])
    return drawn.repeat(BLOCK, 0).repeat(BLOCK, 1)


def on_faces(k):
    """Harmonic means of the neighbours along y and x."""
    faces = []
    for axis in (0, 1):
        wide = np.pad(k, [(int(d == axis),) * 2 for d in (0, 1)], mode="edge")
        faces.append(2 / (1 / np.delete(wide, -1, axis) + 1 / np.delete(wide, 0, axis)))
    return faces


def main(n, image=None):
    if n < 8 or n % (2 * BLOCK):
        raise SystemExit(f"mixture: N is {n}, but must be a multiple of {2 * BLOCK}")
    k = blocks(n)
    sides = {"boundary": ("neumann", "dirichlet"), "boundary_values": (None, (1.0, 0.0))}
    with hymg.Solver((n, n), spacing=1 / n, beta=on_faces(k), extrapolation="linear", **sides) as solver:
        u = solver.solve(np.zeros((n, n)))
        qy, qx = solver.fluxes(u)
    through = qx.mean(axis=0)  # every vertical section
    effective = through.mean()
    assert np.ptp(through) < 1e-6 * effective
    assert 2 / (1 / LOW + 1 / HIGH) < effective < (LOW + HIGH) / 2
    assert abs(effective / np.sqrt(LOW * HIGH) - 1) < 0.15
    print(f"mixture: {n} x {n} cells, {solver.result.cycles} iterations, effective conductivity {effective:.3f}")
    if image:
        draw(k, qx, qy, image)


def draw(k, qx, qy, image):
    from matplotlib import pyplot

    n = len(k)
    flux = np.hypot((qx[:, 1:] + qx[:, :-1]) / 2, (qy[1:] + qy[:-1]) / 2)
    part = slice(0, n // 2)
    figure, axes = pyplot.subplots(1, 2, figsize=(7, 3.2), layout="constrained")
    axes[0].imshow(k[part, part], origin="lower", cmap="Greys", vmin=0, vmax=15)
    mesh = axes[1].imshow(flux[part, part], origin="lower", cmap="viridis", vmax=np.quantile(flux, 0.99))
    axes[0].set(title="a quarter; dark: 10 times more")
    axes[1].set(title="magnitude of the flux")
    for ax in axes:
        ax.set(xticks=[], yticks=[])
    figure.colorbar(mesh, ax=axes[1])
    figure.savefig(image, dpi=90)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n", type=int, nargs="?", default=256, help="cells a side (%(default)s)")
    parser.add_argument("image", nargs="?", help="a picture, for which matplotlib is needed")
    main(**vars(parser.parse_args()))
