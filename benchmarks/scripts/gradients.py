#!/usr/bin/env python3
"""What a gradient costs on a GPU, in solves, and beside a dense solve that PyTorch differentiates itself.

usage: gradients.py [N ...]     cells per axis; default 64 128 256

Prints comma separated values, the least of five each: a solve with f in the GPU's memory (Solver.solve), the forward solve
of hymg.torch.solve, forward and backward together, with derivatives by f alone and by f and beta on all faces; and for
small N forward and backward of torch.linalg.solve with the same matrix, assembled from beta. Needs a package built with
CUDA (docs/python.md) and PyTorch.
"""

import sys
import time

import torch

import hymg
import hymg.torch

DENSE = (16, 24, 32, 40)  # a matrix of 40^3 rows has 33 GB


def least(run, repeats=5):
    """Seconds on the clock, the GPU's work included."""
    times = []
    for _ in range(repeats):
        torch.cuda.synchronize()
        start = time.perf_counter()
        run()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return min(times)


def random_beta(n):
    shapes = (tuple(n + (axis == other) for other in range(3)) for axis in range(3))
    return tuple(0.5 + torch.rand(shape, dtype=torch.float64, device="cuda") for shape in shapes)


def by_hymg(n, with_beta, dtype=torch.float64, **options):
    """Seconds of a solve, of forward, and of both."""
    beta = random_beta(n)
    given = {"beta": tuple(b.cpu().numpy() for b in beta), "boundary": "dirichlet", "extrapolation": "linear"}
    with hymg.Solver((n,) * 3, backend="cuda", **given, **options) as solver:
        f, g = (torch.randn((n,) * 3, dtype=dtype, device="cuda") for _ in range(2))
        leaves = [f, *beta] if with_beta else [f]
        for leaf in leaves:
            leaf.requires_grad_()

        def forward():
            return hymg.torch.solve(solver, f, **({"beta": beta} if with_beta else {}))

        def both():
            for leaf in leaves:
                leaf.grad = None
            forward().backward(g)

        return least(lambda: solver.solve(f.detach())), least(forward), least(both)


def matrix(n, beta):
    """-div(beta grad) with u = 0 on the walls, half a cell away."""
    at = torch.arange(n**3, device="cuda").reshape((n,) * 3)
    rows, columns, entries = [], [], []
    for axis, b in enumerate(beta):
        low, high = (at.narrow(axis, start, n - 1).reshape(-1) for start in (0, 1))
        inner = b.narrow(axis, 1, n - 1).reshape(-1) * n**2
        rows += [low, high, low, high]
        columns += [low, high, high, low]
        entries += [inner, inner, -inner, -inner]
        for face, cell in ((0, 0), (n, n - 1)):
            wall = at.select(axis, cell).reshape(-1)
            rows, columns = [*rows, wall], [*columns, wall]
            entries.append(2 * b.select(axis, face).reshape(-1) * n**2)
    empty = torch.zeros(n**3, n**3, dtype=torch.float64, device="cuda")
    return empty.index_put((torch.cat(rows), torch.cat(columns)), torch.cat(entries), accumulate=True)


def by_a_dense_matrix(n):
    beta = tuple(b.requires_grad_() for b in random_beta(n))
    f, g = (torch.randn(n**3, dtype=torch.float64, device="cuda") for _ in range(2))
    f.requires_grad_()
    torch.linalg.solve(matrix(n, beta), f).backward(g)


def main(sizes):
    print(f"# {torch.cuda.get_device_name(0)}, PyTorch {torch.__version__}, hymg {hymg.build_info()['commit']}")
    print("n,derivatives,fields,precision,solve_seconds,forward_seconds,both_seconds,solves,dense_seconds")
    for n in sizes:
        for with_beta in (False, True):
            for dtype, precision in ((torch.float64, "double"), (torch.float32, "double"), (torch.float64, "mixed")):
                solve, forward, both = by_hymg(n, with_beta, dtype, precision=precision)
                what = "f and beta" if with_beta else "f"
                fields = str(dtype).split(".")[1]
                print(f"{n},{what},{fields},{precision},{solve:.5f},{forward:.5f},{both:.5f},{both / solve:.2f},", flush=True)
    for n in DENSE:
        by_a_dense_matrix(n)  # what is made once
        dense, (solve, forward, both) = least(lambda size=n: by_a_dense_matrix(size), 2), by_hymg(n, True)
        print(f"{n},f and beta,float64,double,{solve:.5f},{forward:.5f},{both:.5f},{both / solve:.2f},{dense:.4f}", flush=True)


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]] or [64, 128, 256])
