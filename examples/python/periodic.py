"""The gravitational potential of a lumpy density in a periodic box of N^3 cells, as in
simulations of the large-scale structure: div grad phi = rho - mean(rho), in units without 4 pi G.

Only differences of the potential mean anything, and only the density's excess over its mean attracts: hymg notices that
the system is singular and subtracts the mean itself. A fast Fourier transform solves the same difference equations
directly, and both must agree.
"""

import argparse

import numpy as np

import hymg


def density(n):
    """exp of a Gaussian random field with more power on large scales, the density over its mean."""
    k = np.stack(np.meshgrid(*2 * [np.fft.fftfreq(n) * n], np.fft.rfftfreq(n) * n, indexing="ij"))
    square = (k**2).sum(axis=0)
    square[0, 0, 0] = np.inf
    white = np.fft.rfftn(np.random.default_rng(11).standard_normal((n, n, n)))
    field = np.fft.irfftn(white * square**-0.75 * np.exp(-square / 20**2), s=(n, n, n), axes=(0, 1, 2))
    rho = np.exp(1.5 * field / field.std())
    return rho / rho.mean()


def by_fft(f, h):
    """The solution with mean 0 of the 7-point equations -div grad u = f."""
    n = len(f)
    waves = [4 * np.sin(np.pi * m / n) ** 2 / h**2 for m in (np.arange(n), np.arange(n), np.arange(n // 2 + 1))]
    eigenvalue = waves[0][:, None, None] + waves[1][:, None] + waves[2]
    eigenvalue[0, 0, 0] = np.inf
    return np.fft.irfftn(np.fft.rfftn(f) / eigenvalue, s=f.shape, axes=(0, 1, 2))


def main(n, image=None):
    rho = density(n)
    with hymg.Solver((n, n, n), spacing=1 / n, boundary="periodic") as solver:
        phi = solver.solve(-rho)
        result = solver.result
    difference = np.abs(phi - by_fft(-rho, 1 / n)).max() / np.abs(phi).max()
    assert abs(result.mean_removed + 1) < 1e-12  # of -rho
    assert difference < 1e-8
    print(f"periodic: {n}^3 cells, {result.cycles} cycles, within {difference:.1e} of the FFT's solution")
    if image:
        draw(rho, phi, image)


def draw(rho, phi, image):
    from matplotlib import pyplot

    n = len(rho)
    k = np.unravel_index(rho.argmax(), rho.shape)[0]  # the plane of the densest cell
    x = (np.arange(n) + 0.5) / n
    figure, ax = pyplot.subplots(figsize=(5, 4), layout="constrained")
    mesh = ax.imshow(np.log10(rho[k]), origin="lower", extent=(0, 1, 0, 1), cmap="magma", interpolation="bilinear")
    ax.contour(x, x, phi[k], 16, colors="white", linewidths=0.6, linestyles="solid")
    figure.colorbar(mesh, ax=ax, label="log10 of density over mean")
    ax.set(title="density, and lines of equal potential", xticks=[0, 1], yticks=[0, 1])
    figure.savefig(image, dpi=88)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n", type=int, nargs="?", default=64, help="cells a side (%(default)s)")
    parser.add_argument("image", nargs="?", help="a picture, for which matplotlib is needed")
    main(**vars(parser.parse_args()))
