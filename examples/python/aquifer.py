"""Groundwater in one layer of N x 3/2 N cells whose transmissivity varies by orders of magnitude. Heads are given in a
river, a lake and two wells; rain falls everywhere else; where rock comes to the surface, and beyond the watershed, cells
are inactive.

-div(T grad h) = rain, with T as beta, the given heads as fixed cells and the rest of the map as a mask. What the rain
brings must be what the river, the lake and the wells take, and no head may lie below the lowest of the given ones.
"""

import argparse

import numpy as np

import hymg

RIVER, LAKE, WELL, RAIN = 30.0, 28.0, 24.0, 1e-3  # m, and m per day
SIDE = 1000.0  # of the domain along y, in m


def transmissivity(n, m):
    """exp of a smooth random field, in m^2 per day."""
    ky, kx = np.fft.fftfreq(n)[:, None] * n, np.fft.rfftfreq(m) * n
    white = np.fft.rfft2(np.random.default_rng(3).standard_normal((n, m)))
    smooth = np.fft.irfft2(white / (1 + (kx**2 + ky**2) / 6) ** 1.5, (n, m))
    return 100 * np.exp(1.4 * smooth / smooth.std())


def on_faces(t):
    """Harmonic means of the neighbours along y and x."""
    faces = []
    for axis in (0, 1):
        wide = np.pad(t, [(int(d == axis),) * 2 for d in (0, 1)], mode="edge")
        faces.append(2 / (1 / np.delete(wide, -1, axis) + 1 / np.delete(wide, 0, axis)))
    return faces


def main(n, image=None):
    m, h = 3 * n // 2, SIDE / n
    x, y = np.meshgrid((np.arange(m) + 0.5) / n, (np.arange(n) + 0.5) / n)
    heads = np.full((n, m), np.nan)
    heads[abs(x - 0.12 - 0.05 * np.sin(5 * y)) < 0.02] = RIVER
    heads[np.hypot((x - 1.3) / 1.5, y - 0.8) < 0.09] = LAKE
    watershed = 0.48 + 0.02 * np.sin(13 * x + 1) > abs(y - 0.5) + 0.4 * np.clip(x - 1.3, 0, None)
    rock = np.hypot((x - 0.62) / 1.6, y - 0.68 - 0.2 * (x - 0.62)) < 0.1
    active = watershed & ~rock
    wells = [(n // 3, m // 2), (3 * n // 5, 3 * m // 4)]
    heads[tuple(np.transpose(wells))] = WELL
    t = transmissivity(n, m)
    options = {"boundary": "neumann", "beta": on_faces(t), "fixed": np.where(active, heads, np.nan), "active": active}
    with hymg.Solver((n, m), spacing=h, **options) as solver:
        head = solver.solve(np.full((n, m), RAIN))
        qy, qx = solver.fluxes(head)
    outflow = -(np.diff(qy, axis=0) + np.diff(qx, axis=1)) * h  # into each cell, of the layer's thickness 1
    given = active & ~np.isnan(heads)
    taken, rain = outflow[given].sum(), RAIN * h**2 * (active & ~given).sum()
    assert abs(taken - rain) < 1e-6 * rain
    assert head[active].min() == WELL
    assert (qx[:, 1:-1][~(active[:, 1:] & active[:, :-1])] == 0).all()  # nothing passes rock
    pumped = [outflow[well] for well in wells]
    print(f"aquifer: {n} x {m} cells, T from {t.min():.1g} to {t.max():.1g} m^2/d, {solver.result.cycles} iterations;")
    print(f"  rain brings {rain:.1f} m^3/d; wells take {pumped[0]:.1f} and {pumped[1]:.1f}, river and lake the rest")
    if image:
        draw(x * SIDE, y * SIDE, t, np.where(active, head, np.nan), heads, wells, image)


def draw(x, y, t, head, heads, wells, image):
    from matplotlib import pyplot

    figure, ax = pyplot.subplots(figsize=(6.4, 3.9), layout="constrained")
    ax.set_facecolor("0.75")
    mesh = ax.pcolormesh(x, y, np.where(np.isnan(head), np.nan, np.log10(t)), cmap="YlOrBr", rasterized=True)
    figure.colorbar(mesh, ax=ax, label="log10 of T in m²/d")
    lines = ax.contour(x, y, head, 14, colors="tab:blue", linewidths=1)
    ax.clabel(lines, fontsize=7)
    ax.contourf(x, y, np.where(heads > WELL, 1.0, 0.0), [0.5, 1.5], colors=["royalblue"])
    ax.plot(*zip(*[(x[well], y[well]) for well in wells]), "ko", markersize=5)
    ax.set(aspect="equal", xlabel="x in m", ylabel="y in m", title="heads in m; river, lake and two wells; gray: rock")
    figure.savefig(image, dpi=110)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n", type=int, nargs="?", default=128, help="cells a side (%(default)s)")
    parser.add_argument("image", nargs="?", help="a picture, for which matplotlib is needed")
    main(**vars(parser.parse_args()))
