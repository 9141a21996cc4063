"""-div grad u = f on the unit cube, u = 0 on its boundary, with an f whose u is known."""

import numpy as np

import hymg

n = 64
edges = np.linspace(0, 1, n + 1)
sine = -np.diff(np.cos(np.pi * edges)) / (np.pi / n)  # the mean of sin(pi x) over each cell
exact = sine[:, None, None] * sine[None, :, None] * sine[None, None, :]

with hymg.Solver((n, n, n), spacing=1 / n, stencil="fv4") as solver:
    u = solver.solve(3 * np.pi**2 * exact)
    r = solver.result
    print(f"poisson: {n}^3 cells, reason to stop: {r.reason}, {r.cycles} cycles, max error {abs(u - exact).max():.2e}")
    for number, cycle in enumerate(r.history, 1):
        print(f"  after cycle {number} ({cycle.kind}): residual {cycle.relative:.1e} of f")
