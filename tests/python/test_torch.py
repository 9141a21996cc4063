"""hymg.torch.solve: gradients against torch.autograd's own differences, first and second, and against Solver.gradient."""

import numpy as np
import pytest
from differences import RTOL, faces, walls

import hymg

torch = pytest.importorskip("torch", minversion="2.0", reason="there is no PyTorch 2.0 or newer")
import hymg.torch  # noqa: E402

SHAPE, BOUNDARY = (5, 4), (("dirichlet", "robin"), ("neumann", "dirichlet"))
NAMES = ("alpha", "beta", "boundary_values", "robin_alpha", "robin_beta", "fixed")


def coefficients(rng, boundary=BOUNDARY, shape=SHAPE, **more):
    given = {"alpha": 0.5 + rng.random(shape), "beta": faces(rng, shape)}
    given["boundary_values"] = walls(rng, boundary, shape)
    if any("robin" in pair for pair in boundary):
        for name in ("robin_alpha", "robin_beta"):
            given[name] = walls(rng, boundary, shape, kinds=("robin",))
    return given | more


def solver(given, boundary=BOUNDARY, shape=SHAPE, **more):
    made = {"spacing": 0.3, "boundary": boundary, "extrapolation": "linear", "rtol": RTOL} | more
    return hymg.Solver(shape, **made, **given)


def tensors(value, dtype=torch.float64):
    if isinstance(value, tuple):
        return tuple(tensors(part, dtype) for part in value)
    return None if value is None else torch.tensor(value, dtype=dtype, requires_grad=True)


def flat(value):
    if isinstance(value, tuple):
        return [leaf for part in value for leaf in flat(part)]
    return [] if value is None else [value]


def filled(value, leaves):
    """The nested tuples with leaves from an iterator."""
    if isinstance(value, tuple):
        return tuple(filled(part, leaves) for part in value)
    return None if value is None else next(leaves)


def function(s, given):
    """Of f and the leaves of all that is given."""

    def solve(f, *leaves):
        rest = iter(leaves)
        return hymg.torch.solve(s, f, **{name: filled(value, rest) for name, value in given.items()})

    return solve


def inputs(rng, given, shape=SHAPE):
    f = torch.tensor(rng.standard_normal(shape), requires_grad=True)
    return [f, *(leaf for value in given.values() for leaf in flat(tensors(value)))]


BOUNDARIES = {
    "walls": BOUNDARY,
    "periodic": (("periodic", "periodic"), ("dirichlet", "neumann")),
    "widths": BOUNDARY,
}


@pytest.mark.parametrize("case", BOUNDARIES)
def test_first_and_second_derivatives(case, rng):
    boundary = BOUNDARIES[case]
    given = coefficients(rng, boundary)
    widths = ([0.1, 0.3, 0.2, 0.25, 0.4], None) if case == "widths" else None
    with solver(given, boundary, widths=widths) as s:
        points = inputs(rng, given)
        assert torch.autograd.gradcheck(function(s, given), points, eps=1e-5, atol=1e-7, rtol=1e-6)
        assert torch.autograd.gradgradcheck(function(s, given), points, eps=1e-5, atol=1e-6, rtol=1e-5)


def test_singular(rng):
    boundary = (("neumann", "neumann"), ("periodic", "periodic"))
    given = coefficients(rng, boundary)
    del given["alpha"]
    with solver(given, boundary) as s:
        points = inputs(rng, given)
        assert torch.autograd.gradcheck(function(s, given), points, eps=1e-5, atol=1e-7, rtol=1e-6)
        assert torch.autograd.gradgradcheck(function(s, given), points, eps=1e-5, atol=1e-6, rtol=1e-5)


def test_mask(rng):
    given, active = coefficients(rng), np.ones(SHAPE, dtype=bool)
    active[1, 1] = active[1, 2] = active[4, 3] = False
    with solver(given, active=active) as s:
        points = inputs(rng, given)
        assert torch.autograd.gradcheck(function(s, given), points, eps=1e-5, atol=1e-7, rtol=1e-6)
        assert torch.autograd.gradgradcheck(function(s, given), points, eps=1e-5, atol=1e-6, rtol=1e-5)


def test_fixed_cells_as_a_pair(rng):
    mask = np.zeros(SHAPE, dtype=bool)
    mask[0, 1] = mask[2, 2] = mask[2, 3] = True
    given = coefficients(rng)
    with solver(given, fixed=np.where(mask, 1.0, np.nan)) as s:
        values = torch.tensor(rng.random(SHAPE), requires_grad=True)
        beta = tensors(given["beta"])

        f = torch.ones(SHAPE, dtype=torch.float64)

        def solve(values, *beta):
            return hymg.torch.solve(s, f, fixed=(torch.tensor(mask), values), beta=beta)

        assert solve(values, *beta)[2, 2] == values[2, 2]
        assert torch.autograd.gradcheck(solve, [values, *beta], eps=1e-5, atol=1e-7, rtol=1e-6)
        assert torch.autograd.gradgradcheck(solve, [values, *beta], eps=1e-5, atol=1e-6, rtol=1e-5)
        (by,) = torch.autograd.grad(solve(values, *beta).sum(), values)
        assert (by[torch.tensor(~mask)] == 0).all() and (by[torch.tensor(mask)] != 0).all()


def test_the_same_as_of_numpy(rng):
    given = coefficients(rng)
    with solver(given) as s:
        points = inputs(rng, given)
        u = function(s, given)(*points)
        (u**2 / 2).sum().backward()
        names = ["f", *given]
        found = s.gradient(u.detach().numpy(), u.detach().numpy(), names)
        other = s.gradient(u, u, names)  # tensors in, tensors out
    wanted = [leaf for name in names for leaf in flat(found[name])]
    for tensor, array, third in zip(points, wanted, [leaf for name in names for leaf in flat(other[name])]):
        assert isinstance(third, torch.Tensor) and np.allclose(third.numpy(), array, rtol=1e-12, atol=0)
        assert np.allclose(tensor.grad.numpy(), array, rtol=1e-9, atol=1e-12 * np.abs(array).max())


def test_float32(rng):
    """float32 in, float32 out, and gradients as those of the rounded inputs in float64."""
    given = coefficients(rng)
    with solver(given) as s:
        single = [p.detach().float().requires_grad_() for p in inputs(rng, given)]
        double = [p.detach().double().requires_grad_() for p in single]
        u, v = function(s, given)(*single), function(s, given)(*double)
        assert u.dtype == torch.float32 and v.dtype == torch.float64
        w = torch.tensor(rng.standard_normal(SHAPE)).float()
        u.backward(w)
        v.backward(w.double())
    for one, other in zip(single, double):
        assert one.grad.dtype == torch.float32 and torch.equal(one.grad, other.grad.float())


def test_numbers_and_what_broadcasts(rng):
    given = coefficients(rng)
    with solver(given) as s:
        k = torch.tensor(1.5, dtype=torch.float64, requires_grad=True)
        row = torch.tensor(rng.random(4), requires_grad=True)
        f = torch.tensor(rng.standard_normal(SHAPE))
        assert torch.autograd.gradcheck(
            lambda k, row: hymg.torch.solve(s, f, beta=k, alpha=row, boundary_values=((k, None), None)),
            [k, row],
            eps=1e-5,
            atol=1e-7,
            rtol=1e-6,
        )
        one = torch.ones((), dtype=torch.float64)
        u = hymg.torch.solve(s, one.expand(SHAPE), beta=2.0, alpha=0.0)
        assert torch.equal(u, hymg.torch.solve(s, torch.ones(SHAPE, dtype=torch.float64), beta=one * 2, alpha=0.0))


def test_set_up_only_for_changed_coefficients(rng, monkeypatch):
    given = coefficients(rng)
    with solver(given) as s:
        updates, update = [], s.update
        monkeypatch.setattr(s, "update", lambda **given: (updates.append(set(given)), update(**given)))
        points = inputs(rng, given)
        solve = function(s, given)
        solve(*points).sum().backward()
        assert updates == [set(given)]
        solve(*points).sum().backward()
        assert len(updates) == 1
        with torch.no_grad():
            points[1].mul_(1.5)  # as an optimizer does
        u = solve(*points)
        u.sum().backward()
        assert updates[1:] == [{"alpha"}]
        first = u.detach().clone()
        other = [points[0], points[1] * 2, *points[2:]]
        v = solve(*other)
        assert updates[2:] == [{"alpha"}] and not torch.equal(first, v)
        (solve(*points) * v).sum().backward()  # each with its own
        assert torch.equal(solve(*points), first)


def test_own_coefficients_of_each_solve(rng):
    """Two solves with one solver: the gradient of the first one is with its coefficients."""
    given = coefficients(rng)
    with solver(given) as s:
        f = torch.tensor(rng.standard_normal(SHAPE))
        alphas = [torch.tensor(rng.random(SHAPE), requires_grad=True) for _ in range(2)]

        def both(*alphas):
            u, v = (hymg.torch.solve(s, f, alpha=alpha) for alpha in alphas)
            return u * v

        assert torch.autograd.gradcheck(both, alphas, eps=1e-5, atol=1e-7, rtol=1e-6)


def test_updated_by_others(rng):
    given = coefficients(rng)
    with solver(given) as s:
        f = torch.tensor(rng.standard_normal(SHAPE), requires_grad=True)
        u = hymg.torch.solve(s, f)
        s.update(b=2.0)
        with pytest.raises(RuntimeError, match="updated between a solve and its gradient"):
            u.sum().backward()
        hymg.torch.solve(s, f).sum().backward()


def test_functional_transforms(rng):
    given = coefficients(rng)
    with solver(given) as s:
        f = torch.tensor(rng.standard_normal(SHAPE))

        def value(alpha):
            return (hymg.torch.solve(s, f, alpha=alpha) ** 2).sum()

        alpha = torch.tensor(rng.random(SHAPE))
        found = torch.func.grad(value)(alpha)
        alpha.requires_grad_()
        (wanted,) = torch.autograd.grad(value(alpha), alpha)
        assert torch.equal(found, wanted)


def test_refused(rng):
    f = torch.ones((4, 4), dtype=torch.float64, requires_grad=True)
    with hymg.Solver((4, 4)) as s:
        with pytest.raises(hymg.Unsupported, match='extrapolation="linear"'):
            hymg.torch.solve(s, f)
        assert hymg.torch.solve(s, f.detach()).shape == (4, 4)  # without a gradient nothing is refused
        with torch.no_grad():
            assert hymg.torch.solve(s, f).shape == (4, 4)
        with pytest.raises(ValueError, match=r"beta\[0\]: the Solver has none or a number"):
            hymg.torch.solve(s, f.detach(), beta=2.0)
        with pytest.raises(ValueError, match=r"boundary_values\[0\]\[1\]"):
            hymg.torch.solve(s, f.detach(), boundary_values=((None, 1.0), None))
        with pytest.raises(ValueError, match="f: shape"):
            hymg.torch.solve(s, f[1:])
        with pytest.raises(TypeError, match="a tensor of floats"):
            hymg.torch.solve(s, np.ones((4, 4)))
    with hymg.Solver((4, 4), boundary="neumann", alpha=np.zeros((4, 4))) as s:
        alpha = torch.zeros((4, 4), requires_grad=True)
        with pytest.raises(hymg.Unsupported, match="by alpha"):
            hymg.torch.solve(s, f, alpha=alpha).square().sum().backward()
        with pytest.raises(ValueError, match="does not broadcast"):
            hymg.torch.solve(s, f, alpha=torch.zeros(3))
