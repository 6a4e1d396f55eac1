"""The same graphs over other people's numbers: CasADi expressions, JAX and Torch arrays.

A graph asks nothing of a number but + - *, sine, cosine, and where it divides, division and square root. So the
function that became C becomes theirs by evaluating the graph over their numbers; they trace, batch and
differentiate it as if it had been written with their own operations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..arm.errors import ArmError
from ..rings.graph import evaluate
from ..rings.library import Library
from .function import Function
from .write_c import identifier


def casadi_function(function: Function) -> Any:
    """A ``casadi.Function``; its results are matrices, vectors columns."""
    casadi = _library("casadi")
    values: dict[str, Any] = {}
    arguments = []
    for argument, inputs in function.inputs:
        vector = casadi.SX.sym(argument, len(inputs))
        arguments.append(vector)
        values |= {entry: vector[k] for k, entry in enumerate(inputs)}
    values_of_nodes = evaluate(function.nodes, values, Library(casadi))
    results, start = [], 0
    for shape, nodes in function.outputs:
        flat = casadi.vertcat(*values_of_nodes[start : start + len(nodes)])
        # CasADi fills columns first, our entries are in rows
        results.append(flat if len(shape) == 1 else casadi.reshape(flat, shape[1], shape[0]).T)
        start += len(nodes)
    names = [argument for argument, _ in function.arguments]
    titles = [result for result, _ in function.results]
    return casadi.Function(f"{identifier(function.label)}_{function.name}", arguments, results, names, titles)


def jax_function(function: Function) -> Callable[..., Any]:
    """A function of JAX arrays ``(..., n)``: under jit, vmap and grad like any other."""
    _library("jax")
    jnp = _library("jax.numpy", "jax")
    return _of_arrays(function, Library(jnp), jnp.asarray, jnp.stack, jnp.broadcast_arrays)


def torch_function(function: Function) -> Callable[..., Any]:
    """A function of Torch tensors ``(..., n)``, differentiable by autograd and under ``torch.func``."""
    torch = _library("torch")

    def broadcast(*columns: Any) -> Any:
        sample = next(x for x in columns if isinstance(x, torch.Tensor))
        return torch.broadcast_tensors(*(torch.as_tensor(x, dtype=sample.dtype, device=sample.device) for x in columns))

    return _of_arrays(function, Library(torch), torch.as_tensor, torch.stack, broadcast)


def _of_arrays(
    function: Function,
    field: Library,
    array: Callable[[Any], Any],
    stack: Callable[..., Any],
    broadcast: Callable[..., Any],
) -> Callable[..., Any]:
    names = [argument for argument, _ in function.arguments]

    def call(*arguments: Any) -> Any:
        if len(arguments) != len(names):
            raise ArmError(f"{function.name} takes {len(names)} arguments ({', '.join(names)}), got {len(arguments)}")
        values: dict[str, Any] = {}
        sample = 0
        for (argument, inputs), array_of_argument in zip(function.inputs, map(array, arguments), strict=True):
            if array_of_argument.shape[-1:] != (len(inputs),):
                raise ArmError(f"{argument} must end in {len(inputs)} numbers, got {tuple(array_of_argument.shape)}")
            values |= {name: array_of_argument[..., k] for k, name in enumerate(inputs)}
            sample = sample + array_of_argument[..., 0] * 0  # has the shape and type of all arguments together
        entries = broadcast(sample, *evaluate(function.nodes, values, field))[1:]
        results, start = [], 0
        for shape, nodes in function.outputs:
            flat = stack(list(entries[start : start + len(nodes)]), -1)
            results.append(flat.reshape(*flat.shape[:-1], *shape))
            start += len(nodes)
        return results[0] if len(results) == 1 else tuple(results)

    call.__name__ = function.name
    return call


def _library(name: str, extra: str | None = None) -> Any:
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        extra = extra or name
        raise ArmError(f"{extra} is not installed; install it with: pip install 'dalembert[{extra}]'") from None
