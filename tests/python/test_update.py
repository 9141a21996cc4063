"""New coefficients: the same as a new solver's, refused ones change nothing, arrays given are copied."""

import dense
import numpy as np
import pytest

import hymg

SHAPE, SPACING = (7, 5, 6), (0.1, 0.15, 0.12)


@pytest.fixture
def given(rng):
    return {"alpha": rng.random(SHAPE), "beta": dense.random_beta(rng, SHAPE)}


def solver(**rest):
    return hymg.Solver(SHAPE, spacing=SPACING, rtol=1e-12, **rest)


def test_update_is_a_new_solver(rng, given):
    f, alpha, beta = rng.standard_normal(SHAPE), rng.random(SHAPE), dense.random_beta(rng, SHAPE)
    s = solver(**given)
    s.update(beta=beta)
    assert dense.close(s.solve(f), dense.solve(SHAPE, SPACING, f, alpha=given["alpha"], beta=beta))
    s.update(alpha=alpha, b=2.0)
    assert dense.close(s.solve(f), dense.solve(SHAPE, SPACING, f, alpha=alpha, beta=beta, b=2.0))
    s.update(alpha=3.0)  # a number for what was an array
    assert dense.close(s.solve(f), dense.solve(SHAPE, SPACING, f, alpha=3.0, beta=beta, b=2.0))


def test_update_of_numbers_and_boundary_values(rng):
    f = rng.standard_normal(SHAPE)
    s = solver(alpha=1.0, boundary_values=((1.0, None), None, None))
    s.update(alpha=5.0, beta=2.0, boundary_values=((rng.random((1, 1, 6)), None), None, None))
    wall = np.random.default_rng(0).random((1, 5, 6))
    s.update(boundary_values=((wall, None), None, None))
    expected = dense.solve(SHAPE, SPACING, f, alpha=5.0, b=2.0, values=((wall, None), None, None))
    assert dense.close(s.solve(f), expected)


def test_refused_values_leave_the_old_ones(rng, given):
    f = rng.standard_normal(SHAPE)
    s = solver(**given)
    before = s.solve(f)
    bad = given["alpha"].copy()
    bad[3, 2, 1] = -1
    beta = [b.copy() for b in given["beta"]]
    beta[1][1, 1, 1] = np.nan
    for values, words in (
        ({"alpha": bad}, r"alpha = -1 at \(3, 2, 1\)"),
        ({"beta": beta}, "beta.* nan"),
        ({"b": -1.0}, "b = -1"),
        ({"beta": given["beta"], "alpha": bad}, "alpha = -1"),
        ({"a": 0.0}, "cannot change"),
    ):
        with pytest.raises(hymg.InvalidArgument, match=words):
            s.update(**values)
        assert np.array_equal(s.solve(f), before)
    with pytest.raises(ValueError, match=r"alpha: shape \(2,\) does not broadcast"):
        s.update(alpha=np.ones(2))
    with pytest.raises(TypeError, match="update: unknown coefficient 'gamma'"):
        s.update(gamma=1)
    s.update()
    assert np.array_equal(s.solve(f), before)


def test_what_was_a_number_stays_one():
    s = solver(alpha=1.0)
    for name in ("alpha", "beta"):
        with pytest.raises(hymg.InvalidArgument, match="cannot change"):
            s.update(**{name: np.ones(SHAPE) if name == "alpha" else (1.0, 2.0, 3.0)})


def test_coefficients_are_copied(rng, given):
    f = rng.standard_normal(SHAPE)
    s = solver(**given)
    before = s.solve(f)
    given["alpha"][...] = 100.0
    given["beta"][0][...] = 100.0
    s.update(b=1.0)
    assert np.array_equal(s.solve(f), before)
