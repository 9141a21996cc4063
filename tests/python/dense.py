"""FV2 as a dense matrix, written from docs/numerics.md alone, for small grids: the reference of these tests."""

import numpy as np


def ghost(kind, cells, quadratic):
    """Weights of the first two cells in the ghost value beyond a boundary."""
    if kind == "neumann":
        return 1.0, 0.0
    return (-2.5, 0.5) if quadratic and cells >= 2 else (-1.0, 0.0)


def per_side(boundary):
    kinds = boundary if isinstance(boundary, tuple) else (boundary,) * 3
    return [(k, k) if isinstance(k, str) else k for k in kinds]


def system(shape, spacing, boundary="dirichlet", alpha=None, beta=None, b=1.0, values=None, quadratic=True):
    """Matrix and the boundary data's part of the right-hand side. beta: three face arrays; values: pairs per axis."""
    cells = int(np.prod(shape))
    number = np.arange(cells).reshape(shape)
    matrix, data = np.zeros((cells, cells)), np.zeros(cells)
    if alpha is not None:
        matrix[number, number] += np.broadcast_to(alpha, shape)
    for cell in np.ndindex(*shape):
        for axis, kinds in enumerate(per_side(boundary)):
            for side in (0, 1):
                add_face(matrix, data, number, cell, axis, side, kinds[side], spacing[axis], b, beta, values, quadratic)
    return matrix, data


def add_face(matrix, data, number, cell, axis, side, kind, h, b, beta, values, quadratic):
    shape, row = number.shape, number[cell]
    n, other = shape[axis], list(cell)
    other[axis] += 2 * side - 1
    face = list(cell)
    face[axis] += side
    if kind == "periodic":
        face[axis] %= n
        other[axis] %= n
    strength = b / h**2 * (1.0 if beta is None else np.asarray(beta[axis])[tuple(face)])
    matrix[row, row] += strength
    if 0 <= other[axis] < n:
        matrix[row, number[tuple(other)]] -= strength
        return
    first, second = ghost(kind, n, quadratic)
    matrix[row, row] -= strength * first
    if second:
        other[axis] += 2 * (1 - 2 * side)
        matrix[row, number[tuple(other)]] -= strength * second
    if values is not None and values[axis] is not None and values[axis][side] is not None:
        at = list(cell)
        at[axis] = 0
        wall = np.broadcast_to(values[axis][side], [1 if i == axis else m for i, m in enumerate(shape)])[tuple(at)]
        data[row] += strength * wall * (h if kind == "neumann" else 1 - first - second)


def solve(shape, spacing, f, **rest):
    """u of the dense system; of singular systems the one with mean zero, for f without its mean."""
    matrix, data = system(shape, spacing, **rest)
    rhs = f.ravel() + data
    if np.abs(matrix.sum(axis=1)).max() < 1e-9 * np.abs(matrix).max():
        rhs = rhs - rhs.mean()
        matrix = matrix + 1.0 / matrix.shape[0]
    return np.linalg.solve(matrix, rhs).reshape(shape)


def random_beta(rng, shape, spread=10.0):
    """Face arrays between 1 and spread, periodic ones too: entry n repeats entry 0."""
    beta = []
    for axis in range(3):
        b = spread ** rng.random([n + (i == axis) for i, n in enumerate(shape)])
        first = [slice(None)] * 3
        last = list(first)
        first[axis], last[axis] = 0, -1
        b[tuple(last)] = b[tuple(first)]
        beta.append(b)
    return beta


def close(u, reference, tolerance=1e-8):
    return np.abs(u - reference).max() <= tolerance * np.abs(reference).max()
