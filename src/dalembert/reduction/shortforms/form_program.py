"""Short forms put together as torques: tau_i = sum_j D_ij qdd_j + h_i + G_i, as a graph over their named constants.

What no form is given for is left out: with D_ii and G_i alone, the reactions of the other joints (Bejczy 1974, section
VII.D). The velocity terms h are chosen by name:

    "christoffel"  sum_jk c_ijk qd_j qd_k with the Christoffel symbols of the shortened D
    "none"         none, as in Bejczy 1974, Table 3: for motion so slow that they do not count
    "named"        the C_ijk that have a form, and no others

With the first, dD/dt - 2C is skew-symmetric, so that torques put into the model are found again as its kinetic energy;
without velocity terms a D that varies creates and destroys energy.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...arm.description import listed
from ...arm.errors import ArmError
from ...equations import names
from ...equations.space import Space
from ...formulations import christoffel, coefficients
from ...formulations.coefficients import Christoffel
from ...rings.dual import Duals
from ...rings.graph import Graph, Node, evaluate
from ...rings.ring import Scalar
from .nesting import nested
from .short_form import ReducedCoefficient

VELOCITY = ("christoffel", "none", "named")
"""The choices of velocity terms."""


def wanted_coefficients(n: int, coefficients: str | Sequence[str] | None, velocity: str) -> list[str]:
    """Printed names, each once: D_ii and G_i by default, "all" for every D_ij and G_i, or those that are named."""
    if velocity not in VELOCITY:
        raise ArmError(f"no velocity terms {velocity!r} of short forms; there are {listed(VELOCITY)}")
    if isinstance(coefficients, str) and coefficients != "all":
        raise ArmError(f'coefficients is a list of names such as ["D11", "G2"], or "all"; got {coefficients!r}')
    if coefficients is None or coefficients == "all":
        pairs = [(i, j) for i in range(n) for j in range(i, n) if coefficients == "all" or i == j]
        return [names.name("D", pair) for pair in pairs] + [names.name("G", (i,)) for i in range(n)]
    printed = []
    for text in coefficients:
        kind, index = names.parse(text, n)
        if kind == "C" and velocity != "named":
            raise ArmError(
                f'{text.strip()}: velocity terms follow from D, or are left out; velocity="named" takes those with a '
                "form of their own"
            )
        if kind == "D":
            index = (min(index), max(index))
        elif kind == "C":
            index = (index[0], *sorted(index[1:]))
        printed.append(names.name(kind, index))
    return list(dict.fromkeys(printed))


def form_torques(forms: Sequence[ReducedCoefficient], space: Space, velocity: str) -> list[Node]:
    """tau over inputs q_i, qd_i, qdd_i and the constants by name, joints counted from 0."""
    n, graph = len(space.joint_names), Graph()
    q, qd, qdd = (graph.inputs(f"{name}_", n) for name in ("q", "qd", "qdd"))
    variables = trigonometry(graph, q, space) | trigonometry(graph, q, space.single)
    matrix: list[list[Scalar]] = [[0] * n for _ in range(n)]
    gravity: list[Scalar] = [0] * n
    symbols: Christoffel = [[[0] * n for _ in range(n)] for _ in range(n)]
    for form in forms:
        if not form.terms:
            continue
        node = nested({t.powers: graph.input(t.constant) for t in form.terms}, graph, variables.__getitem__)
        kind, index = names.parse(form.name, n)
        if kind == "D":
            matrix[index[0]][index[1]] = matrix[index[1]][index[0]] = node
        elif kind == "G":
            gravity[index[0]] = node
        else:
            i, j, k = index
            symbols[i][j][k] = symbols[i][k][j] = node
    if velocity == "christoffel":
        symbols = christoffel.of_matrix(with_slopes(matrix, graph, q, forms), graph)
    return [graph.node(torque) for torque in coefficients.torque(matrix, symbols, gravity, qd, qdd)]


def with_slopes(
    matrix: Sequence[Sequence[Scalar]], graph: Graph, q: Sequence[Node], forms: Sequence[ReducedCoefficient]
) -> list[list[Scalar]]:
    """The entries of D as dual numbers with their slopes to the positions."""
    duals = Duals(graph)
    values: dict[str, Scalar] = {f"q_{k}": duals.variable(node, k) for k, node in enumerate(q)}
    values |= {name: graph.input(name) for form in forms for name in form.constants}
    entries = [(i, j) for i, row in enumerate(matrix) for j, entry in enumerate(row) if isinstance(entry, Node)]
    table: list[list[Scalar]] = [list(row) for row in matrix]
    values_with_slopes = evaluate([graph.node(matrix[i][j]) for i, j in entries], values, duals)
    for (i, j), entry in zip(entries, values_with_slopes, strict=True):
        table[i][j] = entry
    return table


def trigonometry(graph: Graph, q: Sequence[Node], space: Space) -> dict[str, Node]:
    """The variables of a closed form by name: sines and cosines of angles and sums of angles, sliding positions."""
    ring = space.ring
    nodes = {f"q{joint + 1}": q[joint] for joint in ring.sliding}
    for tag, weights in zip(ring.tags, ring.angles.weights, strict=True):
        angle = graph.constant(0)
        for joint, sign in weights:
            angle = graph.add(angle, q[joint]) if sign > 0 else graph.sub(angle, q[joint])
        sine, cosine = graph.sincos(angle)
        nodes[f"s{tag}"], nodes[f"c{tag}"] = graph.node(sine), graph.node(cosine)
    return nodes
