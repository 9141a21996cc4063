"""A part of one image is set into another without a seam (Pérez, Gangnet and
Blake: Poisson image editing, ACM Trans. Graph. 22, 2003, 313-318). Both images are computed here.

Inside the mask, u shall have the gradients of the source and at its edge the values of the target: a Poisson equation
with f from the source, in which all pixels outside of the mask are fixed. One solve for each of the three colours.
"""

import argparse

import numpy as np

import hymg


def images(n):
    """The target, a sky at dusk over water, and the source, a moon by day; indexed (y, x, colour), y upwards."""
    x, y = np.meshgrid(*2 * [(np.arange(n) + 0.5) / n])
    noise = np.random.default_rng(7).standard_normal((n, n)) * 0.01
    height = np.clip((y - 0.3) / 0.7, 0, 1)[..., None]
    sky = (1 - height) * [0.98, 0.55, 0.25] + height * [0.16, 0.13, 0.38]
    waves = 0.06 * np.sin(60 / (0.34 - np.minimum(y, 0.3)) + 9 * np.sin(9 * x))
    water = np.array([0.35, 0.22, 0.30]) + waves[..., None] * [1, 0.7, 0.5]
    target = np.where((y > 0.3)[..., None], sky, water) + noise[..., None]
    moon = np.hypot(x - 0.66, y - 0.72) / 0.13
    craters = sum(
        0.22 * np.exp(-(np.hypot(x - 0.66 - a, y - 0.72 - b) ** 2) / r**2)
        for a, b, r in [(-0.04, 0.03, 0.02), (0.03, 0.05, 0.012), (0.02, -0.04, 0.025), (-0.05, -0.03, 0.012)]
    )
    face = (0.95 - 0.25 * moon**2 - craters)[..., None] * [1, 0.98, 0.92]
    day = np.array([0.45, 0.62, 0.85]) + (0.1 * y)[..., None]
    source = np.where((moon < 1)[..., None], face, day) + noise.T[..., None]
    return target, source, moon < 1.5


def minus_laplacian(image):
    wide = np.pad(image, 1, mode="edge")
    return -(np.diff(wide, 2, axis=0)[:, 1:-1] + np.diff(wide, 2, axis=1)[1:-1])


def main(n, image=None):
    target, source, mask = images(n)
    result = np.empty_like(target)
    for colour in range(3):
        fixed = np.where(mask, np.nan, target[..., colour])
        f = minus_laplacian(source[..., colour])
        with hymg.Solver((n, n), boundary="neumann", fixed=fixed, rtol=1e-8) as solver:
            result[..., colour] = solver.solve(f)
    assert np.array_equal(result[~mask], target[~mask])
    # What is added to the source has no sources itself, so its extremes are at the edge of the mask
    added = result - source
    edge = ~mask & (np.roll(mask, 1, 0) | np.roll(mask, -1, 0) | np.roll(mask, 1, 1) | np.roll(mask, -1, 1))
    assert (added[mask] <= added[edge].max(axis=0) + 1e-6).all()
    assert (added[mask] >= added[edge].min(axis=0) - 1e-6).all()
    print(f"cloning: {n} x {n} pixels, {mask.sum()} of them new; {solver.result.cycles} cycles for the last colour")
    if image:
        draw(np.where(mask[..., None], source, target), result, image)


def draw(pasted, result, image):
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(7, 3.7), layout="constrained")
    for ax, picture, title in zip(axes, (pasted, result), ("pasted", "cloned")):
        ax.imshow(np.clip(picture, 0, 1), origin="lower")
        ax.set_axis_off()
        ax.set_title(title)
    figure.savefig(image, dpi=80)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n", type=int, nargs="?", default=256, help="cells a side (%(default)s)")
    parser.add_argument("image", nargs="?", help="a picture, for which matplotlib is needed")
    main(**vars(parser.parse_args()))
