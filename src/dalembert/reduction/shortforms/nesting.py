"""A short form as a graph, with common factors extracted as in a multivariate Horner scheme."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ...bounds.waves import Array
from ...compile.operations import Operations, count
from ...rings.graph import Graph, Node
from .monomials import Powers


def operations(powers: Sequence[Powers], values: Array) -> Operations:
    """Operations of the form with common factors extracted; sines and cosines are inputs."""
    graph = Graph()
    form = {p: graph.constant(float(v)) for p, v in zip(powers, values, strict=True)}
    return count([nested(form, graph, graph.input)])


def nested(form: Mapping[Powers, Node], graph: Graph, variable: Callable[[str], Node]) -> Node:
    """The sum as nested products: the variable that most terms share is extracted first."""
    if not form:
        return graph.constant(0)
    uses: dict[str, int] = {}
    for powers in form:
        for name, _ in powers:
            uses[name] = uses.get(name, 0) + 1
    if not uses:
        return form[()]
    name = max(uses, key=lambda n: (uses[n], n))
    inside: dict[Powers, Node] = {}
    outside: dict[Powers, Node] = {}
    for powers, value in form.items():
        exponents = dict(powers)
        if name in exponents:
            exponents[name] -= 1
            inside[tuple(sorted((n, e) for n, e in exponents.items() if e))] = value
        else:
            outside[powers] = value
    product = graph.mul(variable(name), nested(inside, graph, variable))
    return graph.add(product, nested(outside, graph, variable)) if outside else product
