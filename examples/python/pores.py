"""The tortuosity of a porous image of N^3 voxels, as of a scan of sandstone: a smooth random field, of which the
highest 30 % are pores. How much slower does something diffuse through them than in the open, along each axis?

D can be no larger than the porosity, and no smaller in an image with more pores (Rayleigh's principle): both hold
exactly for voxels as well, so they are asserted.
"""

import argparse

import numpy as np

import hymg

POROSITY, LENGTH = 0.3, 0.035  # of structures, of the image's side


def field(n, seed=2):
    """White noise, smoothed."""
    k2 = (np.fft.fftfreq(n) * n) ** 2
    smooth = np.exp(-2 * (np.pi * LENGTH) ** 2 * (k2[:, None, None] + k2[:, None] + k2[: n // 2 + 1]))
    white = np.fft.rfftn(np.random.default_rng(seed).standard_normal((n,) * 3))
    return np.fft.irfftn(white * smooth, (n,) * 3)


def main(n, image=None, progress=False):
    rough = field(n)
    pores = rough > np.quantile(rough, 1 - POROSITY)
    found = [hymg.effective_diffusivity(pores, axis, progress=progress) for axis in range(3)]
    along_z = found[0]
    share = along_z.percolating_fraction
    print(f"pores: {n}^3 voxels, porosity {along_z.porosity:.3f}, of which {share:.1%} percolate")
    for axis, along in zip("zyx", found):
        assert along.converged and along.imbalance < 1e-6
        assert along.effective_diffusivity < along.porosity
        print(f"  along {axis}: D {along.effective_diffusivity:.4f}, tortuosity {along.tortuosity:.3f}")
    more = hymg.effective_diffusivity(rough > np.quantile(rough, 0.98 - POROSITY))
    assert more.effective_diffusivity > along_z.effective_diffusivity
    if image:
        draw(along_z.concentration, image)


def seen(inside):
    """The corners of the faces that a viewer at high x, low y and high z sees, and the voxels that they belong to."""
    wide = np.pad(inside, 1)
    squares = {
        (1, 0, 0): [(1, 0, 0), (1, 1, 0), (1, 1, 1), (1, 0, 1)],
        (0, -1, 0): [(0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 0, 1)],
        (0, 0, 1): [(0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)],
    }
    for (i, j, k), square in squares.items():
        cells = np.argwhere(inside & ~np.roll(wide, (-k, -j, -i), (0, 1, 2))[1:-1, 1:-1, 1:-1])
        yield cells[:, None, ::-1] + np.array(square), cells


def draw(concentration, image):
    from matplotlib import cm, pyplot
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    n = len(concentration)
    shown = np.isfinite(concentration)
    shown[n // 2 :, : n // 2, n // 2 :] = False  # a corner is cut out
    corners, colours = [], []
    for light, (squares, cells) in zip((0.8, 0.65, 1.0), seen(shown)):
        colour = cm.viridis(concentration[tuple(cells.T)])
        colour[:, :3] *= light
        corners.append(squares / n)
        colours.append(colour)
    figure = pyplot.figure(figsize=(5.6, 4.4))
    ax = figure.add_axes((0, 0.02, 0.8, 0.98), projection="3d")
    colours = np.concatenate(colours)
    faces = Poly3DCollection(np.concatenate(corners), facecolors=colours, edgecolors=colours, linewidths=0.3)
    ax.add_collection3d(faces)
    ax.set(xlim=(0, 1), ylim=(0, 1), zlim=(0, 1), xlabel="x", ylabel="y", zlabel="z")
    ax.set_box_aspect((1, 1, 1), zoom=0.9)
    ax.set(xticks=[0, 0.5, 1], yticks=[0, 0.5, 1], zticks=[0, 0.5, 1])
    beside = figure.add_axes((0.83, 0.2, 0.03, 0.6))
    figure.colorbar(cm.ScalarMappable(cmap="viridis"), cax=beside, label="concentration")
    figure.savefig(image, dpi=80)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n", type=int, nargs="?", default=64, help="voxels a side (%(default)s)")
    parser.add_argument("image", nargs="?", help="a picture, for which matplotlib is needed")
    parser.add_argument("--progress", action="store_true", help="show how far the solves have come")
    main(**vars(parser.parse_args()))
