"""Solves that PyTorch differentiates: hymg.torch.solve. Needs PyTorch 2.0 or newer."""

from typing import Any, Optional

import torch

from ._derivatives import Key
from ._differentiable import Plan, by_key, wanted
from ._solver import Solver

__all__ = ["solve"]
F: Key = ("f",)


def solve(
    solver: Solver,
    f: torch.Tensor,
    *,
    beta: Any = None,
    alpha: Any = None,
    boundary_values: Any = None,
    robin_alpha: Any = None,
    robin_beta: Any = None,
    fixed: Any = None,
) -> torch.Tensor:
    """u with A u = f, a tensor that autograd differentiates by f and by every tensor among the coefficients.

    solver  a Solver on one rank; it is updated where coefficients differ from those that it has, and only then
    f       a tensor of the solver's shape, in the memory of the host or of the solver's GPU, with any strides
    beta, alpha, boundary_values, robin_alpha, robin_beta, fixed
            as in Solver, with tensors of f's device that broadcast to the shapes there, or numbers; fixed is NaN where u
            is unknown, or a pair of a mask and values. None: what the solver has. The solver must have been made with an
            array for each that is given

    Returns a new tensor of f's type and device: float32 in, float32 out, while solves and derivatives are in float64; each
    gradient has the type of its tensor. backward() takes one more solve, with homogeneous data, and can be differentiated
    again (create_graph=True). On a GPU nothing passes through the host's memory. Derivatives are those of
    Solver.gradient, and as exact as the solver's rtol lets u be.

    Errors: hymg.Unsupported as of Solver.gradient, if a tensor requires a gradient; ValueError for shapes and for
    coefficients that the solver does not have as arrays; RuntimeError if the solver is updated by others before backward().
    Forward mode and vmap are refused by PyTorch.
    """
    if not isinstance(f, torch.Tensor) or not f.dtype.is_floating_point:
        raise TypeError(
            f"f: {f.dtype if isinstance(f, torch.Tensor) else type(f).__name__}; a tensor of floats is wanted"
        )
    if tuple(f.shape) != solver.local_shape:
        raise ValueError(f"f: shape {tuple(f.shape)}, but {solver.local_shape} is wanted")

    def convert(value: Any, shape: tuple[int, ...]) -> torch.Tensor:
        return torch.broadcast_to(torch.as_tensor(value, device=f.device).to(torch.float64), shape)

    if isinstance(fixed, tuple):
        where, values = (torch.as_tensor(part, device=f.device) for part in fixed)
        fixed = torch.where(where, values.to(torch.float64), torch.nan)
    given = {"beta": beta, "alpha": alpha, "boundary_values": boundary_values}
    given |= {"robin_alpha": robin_alpha, "robin_beta": robin_beta, "fixed": fixed}
    coefficients = by_key(solver, given, convert)
    tensors = {F: f.to(torch.float64), **coefficients}
    differentiated = [key for key, tensor in tensors.items() if tensor.requires_grad and torch.is_grad_enabled()]
    plan = Plan(solver, tuple(coefficients), tuple(differentiated), once=True)
    return _Solve.apply(plan, None, *tensors.values()).to(f.dtype)  # type: ignore[no-any-return]


class _Solve(torch.autograd.Function):
    """Plan.run of (plan, adjoint_of, right, coefficients); the backward pass is another such solve."""

    @staticmethod
    def forward(plan: Plan, adjoint_of: Optional[list[Key]], right: torch.Tensor, *coefficients: torch.Tensor) -> Any:
        return plan.run(right.detach(), [tensor.detach() for tensor in coefficients], adjoint_of)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
        ctx.plan, adjoint_of, _, *coefficients = inputs
        ctx.homogeneous = adjoint_of is not None
        ctx.save_for_backward(output, *coefficients)

    @staticmethod
    def backward(ctx: Any, du: torch.Tensor) -> tuple[Optional[torch.Tensor], ...]:
        u, *coefficients = ctx.saved_tensors
        plan: Plan = ctx.plan
        keys = (F, *plan.keys)
        needed = wanted(keys, ctx.needs_input_grad[2:])
        plan.check(tuple(needed))
        system = plan.system(u.detach(), writes=not torch.is_grad_enabled())
        adjoint = _Solve.apply(plan, needed, system.right_side(du), *coefficients)
        found = plan.derivatives(system, ctx.homogeneous, needed, u, adjoint, du, coefficients)
        return (None, None, *(found.get(key) for key in keys))
