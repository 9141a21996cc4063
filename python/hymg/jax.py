"""Solves that JAX differentiates: hymg.jax.solve, also under jit. Needs JAX 0.4.34 or newer."""

from collections.abc import Callable
from typing import Any, Optional

import jax
import jax.numpy as jnp
import numpy as np

from ._derivatives import Key
from ._differentiable import Plan, by_key
from ._solver import Solver

__all__ = ["solve"]
F: Key = ("f",)


def solve(
    solver: Solver,
    f: Any,
    *,
    beta: Any = None,
    alpha: Any = None,
    boundary_values: Any = None,
    robin_alpha: Any = None,
    robin_beta: Any = None,
    fixed: Any = None,
) -> jax.Array:
    """u with A u = f, which jax.grad, jax.vjp and jax.jit know how to differentiate by f and by the coefficients.

    solver  a Solver on one rank, a constant of the function that is differentiated or compiled; it is updated where
            coefficients differ from those that it has, and only then
    f       an array of the solver's shape
    beta, alpha, boundary_values, robin_alpha, robin_beta, fixed
            as in Solver, with arrays of JAX that broadcast to the shapes there, or numbers; fixed is NaN where u is
            unknown, or a pair of a mask and values. None: what the solver has now. The solver must have been made with an
            array for each that is given

    Returns an array of f's type. With jax_enable_x64 solves and derivatives are in float64 whatever the types, and
    reverse-mode derivatives can be taken of reverse-mode ones. Without it JAX has no float64: u is rounded to float32, the
    solve and its derivatives are computed in float64 all the same, and second derivatives are refused by JAX. Each
    gradient has the type of its array. A backward pass takes one more solve, with homogeneous data.

    The solve is a callback of the host (jax.pure_callback), so that arrays on a GPU are copied to the host by JAX and
    back; for arrays that shall stay on a GPU there is hymg.torch. vmap solves one after the other.

    Errors: when the gradient is traced, hymg.Unsupported as of Solver.gradient; ValueError for shapes and for coefficients
    that the solver does not have as arrays. Inside compiled functions errors are JAX's, with the text: also of a solver
    that was updated by others since the function was traced. Forward mode (jvp, hessian) is refused by JAX.
    """
    f = jnp.asarray(f)
    if not jnp.issubdtype(f.dtype, jnp.floating):
        raise TypeError(f"f: {f.dtype}; an array of floats is wanted")
    if f.shape != solver.local_shape:
        raise ValueError(f"f: shape {f.shape}, but {solver.local_shape} is wanted")
    widest = jax.dtypes.canonicalize_dtype(np.float64)

    def convert(value: Any, shape: tuple[int, ...]) -> jax.Array:
        return jnp.broadcast_to(jnp.asarray(value, dtype=widest), shape)

    if isinstance(fixed, tuple):
        fixed = jnp.where(jnp.asarray(fixed[0]), jnp.asarray(fixed[1], dtype=widest), jnp.nan)
    given = {"beta": beta, "alpha": alpha, "boundary_values": boundary_values}
    given |= {"robin_alpha": robin_alpha, "robin_beta": robin_beta, "fixed": fixed}
    coefficients = by_key(solver, given, convert)
    plan = Plan(solver, tuple(coefficients), ())
    run = _in_double(plan) if widest == np.float64 else _in_single(plan)
    return run(f.astype(widest), *coefficients.values()).astype(f.dtype)  # type: ignore[no-any-return]


def _on_host(function: Callable[..., Any], results: Any, *arrays: Any) -> Any:
    """Calls a function of NumPy arrays. results: of which shapes and types its arrays are."""

    def called(*given: Any) -> Any:
        return function(*(np.asarray(array) for array in given))

    return jax.pure_callback(called, results, *arrays, vmap_method="sequential")


def _like(array: Any) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(array.shape, array.dtype)


def _in_double(plan: Plan, adjoint_of: Optional[list[Key]] = None) -> Callable[..., Any]:
    """Plan.run, whose backward pass is another one and arithmetic of JAX."""

    @jax.custom_vjp
    def run(right: Any, *coefficients: Any) -> Any:
        return _on_host(lambda right, *rest: plan.run(right, rest, adjoint_of), _like(right), right, *coefficients)

    def forward(*inputs: Any) -> tuple[Any, Any]:
        plan.check((F, *plan.keys))
        u = run(*inputs)
        return u, (u, inputs[1:])

    def backward(saved: Any, du: Any) -> tuple[Any, ...]:
        u, coefficients = saved
        system = plan.system(np.empty(()), jnp)
        keys, homogeneous = [F, *plan.keys], adjoint_of is not None
        adjoint = _in_double(plan, keys)(system.right_side(du), *coefficients)
        found = plan.derivatives(system, homogeneous, keys, u, adjoint, du, coefficients)
        return tuple(found.get(key, jnp.zeros_like(x)) for key, x in zip(keys, (u, *coefficients)))

    run.defvjp(forward, backward)
    return run


def _in_single(plan: Plan) -> Callable[..., Any]:
    """A solve in an arithmetic without float64: u is kept as the sum of two float32, and the host does the rest."""

    @jax.custom_vjp
    def run(f: Any, *coefficients: Any) -> Any:
        return forward(f, *coefficients)[0]

    def solved(f: Any, *coefficients: Any) -> Any:
        u = plan.run(np.float64(f), [np.float64(x) for x in coefficients])
        high = np.float32(u)
        return high, np.float32(u - high)

    def forward(f: Any, *coefficients: Any) -> tuple[Any, Any]:
        high, low = _on_host(solved, (_like(f), _like(f)), f, *coefficients)
        return high, (high, low, coefficients)

    def derivatives(high: Any, low: Any, du: Any, *coefficients: Any) -> Any:
        u, du, coefficients = np.float64(high) + low, np.float64(du), tuple(np.float64(x) for x in coefficients)
        keys, system = [F, *plan.keys], plan.system(u)
        adjoint = plan.run(system.right_side(du), coefficients, keys)
        found = plan.derivatives(system, False, keys, u, adjoint, du, coefficients)
        return tuple(np.float32(found[key]) for key in keys)

    def backward(saved: Any, du: Any) -> tuple[Any, ...]:
        high, low, coefficients = saved
        results = tuple(_like(x) for x in (high, *coefficients))
        return tuple(_on_host(derivatives, results, high, low, du, *coefficients))

    run.defvjp(checked(plan, forward), backward)
    return run


def checked(plan: Plan, forward: Callable[..., Any]) -> Callable[..., Any]:
    def run(*inputs: Any) -> Any:
        plan.check((F, *plan.keys))
        return forward(*inputs)

    return run
