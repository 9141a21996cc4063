"""How the package hymg was built, and a small problem solved, to see that it works here."""

import argparse
import sys

import numpy as np

from . import Solver, build_info

N = 32


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m hymg", description=__doc__, allow_abbrev=False)
    parser.add_argument("--version", action="store_true", help="how it was built, and no more")
    asked = parser.parse_args()
    for name, value in build_info().items():
        print(f"{name:9} {value or 'none'}")
    return 0 if asked.version else solve()


def solve() -> int:
    x = (np.arange(N) + 0.5) / N
    sines = np.sin(np.pi * x)
    exact = sines[:, None, None] * sines[:, None] * sines
    with Solver(exact.shape, spacing=1 / N) as s:
        u = s.solve(3 * np.pi**2 * exact)
        result, error = s.result, float(np.abs(u - exact).max())
        assert result is not None  # after a solve
        print(f"{s!r}: {result.reason} after {result.cycles} cycles, error {error:.2g}")
        return 0 if result.converged and error < 0.01 else 1


if __name__ == "__main__":
    sys.exit(main())
