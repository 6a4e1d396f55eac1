"""Which public function is which graph of outputs. No physics here: the pages of ``formulations`` run over nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..arm.description import ArmDescription, listed
from ..arm.errors import ArmError
from ..arm.exact import Angle
from ..arm.inertia import PARAMETERS
from ..formulations import (
    applied_loads,
    articulated_body,
    christoffel,
    composite_body,
    derivatives,
    factor,
    kinematics,
    newton_euler,
)
from ..formulations import regressor as regressors
from ..formulations.chain import Chain, chain
from ..rings.algebra import add, mul, sub
from ..rings.graph import Graph, Node, absorbed, reachable
from ..rings.ring import Field, Ring, Scalar
from .regroup import Rationals, over, regrouped

KINDS = (None, "inertial", "load", "all")
"""What ``parameters=`` may be: baked in, or kept as an input."""


class Model:
    """The arm over one graph, with its inputs."""

    def __init__(self, arm: ArmDescription, graph: Graph, parameters: str | None = None) -> None:
        self.arm, self.graph, self.n = arm, graph, arm.n
        self.names = parameter_names(arm, parameters)
        self.given: dict[str, Any] = {}
        angles = {step.name for step in _steps(arm) if isinstance(step.amount, Angle)}
        for index, name in enumerate(self.names):
            value = graph.input(f"p{index}")
            self.given[name] = graph.sincos(value) if name in angles else value

    def input(self, name: str) -> list[Node]:
        return self.graph.inputs(f"{name}_", self.n)

    @cached_property
    def plain(self) -> Chain:
        """The chain as described."""
        return chain(self.arm, self.graph, self.given)

    @cached_property
    def chain(self) -> Chain:
        """The chain with its inertia regrouped, where the inertia is known: same torques, fewer operations."""
        if self.names:
            return self.plain
        return over(regrouped(chain(self.arm, Rationals())), self.graph)

    @cached_property
    def flat(self) -> Chain:
        """The chain regrouped in the other way, which suits Newton-Euler."""
        if self.names:
            return self.plain
        return over(regrouped(chain(self.arm, Rationals()), plane=True), self.graph)

    @cached_property
    def elastics(self) -> applied_loads.Elastics:
        return applied_loads.elastics(self.arm, self.graph)

    @property
    def extra(self) -> derivatives.Extra | None:
        """Springs and dampers as a further load, where there are any."""
        if not self.elastics:
            return None

        def load(ring: Ring, q: Sequence[Scalar], qd: Sequence[Scalar]) -> list[Scalar]:
            field: Field = ring  # type: ignore[assignment]
            return applied_loads.elastic_load(self.plain, field, q, qd, self.elastics)

        return load


def _steps(arm: ArmDescription) -> list[Any]:
    return [step for body in arm.bodies for part in (body.before, body.after) for step in part.steps if step.name]


def parameter_names(arm: ArmDescription, parameters: str | None) -> tuple[str, ...]:
    """Names of the numbers that stay inputs, in the order the kernel takes them.

    "inertial": the ten parameters of every moving body. "load": the ten of a load in the tool frame. "all": the
    inertial ones, gravity, and every named length and twist (rad).
    """
    if parameters not in KINDS:
        raise ArmError(f'parameters may be "inertial", "load" or "all", not {parameters!r}')
    inertial = [f"{name}{index + 1}" for index in range(arm.n) for name in PARAMETERS]
    if parameters == "inertial":
        return tuple(inertial)
    if parameters == "load":
        return tuple(f"{name}L" for name in PARAMETERS)
    if parameters == "all":
        named = dict.fromkeys(step.name for step in _steps(arm) if not step.name.startswith("-"))
        return (*inertial, "gx", "gy", "gz", *named)
    return ()


def parameter_values(arm: ArmDescription, parameters: str | None) -> list[float]:
    """The arm's own numbers for ``parameter_names``."""
    known: dict[str, float] = dict(zip(("gx", "gy", "gz"), map(float, arm.gravity), strict=True))
    for index, body in enumerate(arm.bodies):
        known |= {f"{k}{index + 1}": float(x) for k, x in zip(PARAMETERS, body.inertia.parameters, strict=True)}
    for step in _steps(arm):
        known[step.name] = step.amount.radians if isinstance(step.amount, Angle) else float(step.amount)
    held = dict(arm.loads).get(arm.tool_link)
    load = [float(x) for x in held.body.parameters] if held is not None else [0.0] * 10
    known |= {f"{k}L": x for k, x in zip(PARAMETERS, load, strict=True)}
    return [known[name] for name in parameter_names(arm, parameters)]


# -- the functions ----------------------------------------------------------------------------------


def inverse_dynamics(m: Model) -> tuple[Any, ...]:
    q, qd = m.input("q"), m.input("qd")
    return (_torque(m, q, qd, m.input("qdd")),)


def bias(m: Model) -> tuple[Any, ...]:
    return (_torque(m, m.input("q"), m.input("qd"), [0] * m.n),)


def gravity_load(m: Model) -> tuple[Any, ...]:
    q, still = m.input("q"), [0] * m.n
    return (
        _smallest(
            composite_body.gravity(m.chain, m.graph, q),
            newton_euler.inverse_dynamics(m.flat, m.graph, q, still, still),
        ),
    )


def mass_matrix(m: Model) -> tuple[Any, ...]:
    return (composite_body.mass_matrix(m.chain, m.graph, m.input("q")),)


def inverse_mass_matrix(m: Model) -> tuple[Any, ...]:
    matrix = composite_body.mass_matrix(m.chain, m.graph, m.input("q"))
    return (factor.inverse_matrix(m.chain, m.graph, matrix),)


def coriolis_matrix(m: Model) -> tuple[Any, ...]:
    q, qd = m.input("q"), m.input("qd")
    return (_newton(m, lambda model: christoffel.coriolis_matrix(model, m.graph, q, qd)),)


def forward_dynamics(m: Model) -> tuple[Any, ...]:
    q, qd, tau = m.input("q"), m.input("qd"), m.input("tau")
    drive = _with_extra(m, q, qd, tau)
    joints = articulated_body.forward_dynamics(m.chain, m.graph, q, qd, drive)
    return (_smallest(_solved(m, q, qd, drive)[0], joints),)


def forward_kinematics(m: Model) -> tuple[Any, ...]:
    turn, shift = kinematics.tool_frame(m.plain, m.graph, m.input("q"))
    return ([[*turn[i], shift[i]] for i in range(3)] + [[0, 0, 0, 1]],)


def jacobian(m: Model) -> tuple[Any, ...]:
    return (kinematics.jacobian(m.plain, m.graph, m.input("q")),)


def regressor(m: Model) -> tuple[Any, ...]:
    return (regressors.regressor(m.plain, m.graph, m.input("q"), m.input("qd"), m.input("qdd")),)


def inverse_dynamics_derivatives(m: Model) -> tuple[Any, ...]:
    q, qd, qdd = m.input("q"), m.input("qd"), m.input("qdd")
    return (*_slopes(m, q, qd, qdd), composite_body.mass_matrix(m.chain, m.graph, q))


def forward_dynamics_derivatives(m: Model) -> tuple[Any, ...]:
    """dqdd = -D^-1 dtau, with the mass matrix, its factors and the bias shared by all of it."""
    q, qd, tau = m.input("q"), m.input("qd"), m.input("tau")
    qdd, lower, pivots = _solved(m, q, qd, _with_extra(m, q, qd, tau))
    to_q, to_qd = _slopes(m, q, qd, qdd)
    columns = [factor.solve(m.chain, lower, pivots, [int(i == k) for i in range(m.n)]) for k in range(m.n)]
    inverse = [[columns[max(i, j)][min(i, j)] for j in range(m.n)] for i in range(m.n)]

    def answer(table: list[list[Scalar]]) -> list[list[Scalar]]:
        solved = [
            _smallest(
                factor.solve(m.chain, lower, pivots, [sub(0, row[k]) for row in table]),
                [sub(0, _dot(inverse[i], [row[k] for row in table])) for i in range(m.n)],
            )
            for k in range(m.n)
        ]
        return [[solved[k][i] for k in range(m.n)] for i in range(m.n)]

    return answer(to_q), answer(to_qd), inverse


def _slopes(m: Model, q: list[Node], qd: list[Node], qdd: Sequence[Scalar]) -> tuple[Any, Any]:
    """d tau/dq and d tau/dqd."""

    def build(model: Chain) -> Any:
        return derivatives.inverse_dynamics_derivatives(model, m.graph, q, qd, qdd, m.extra)[:2]

    to_q, to_qd = _newton(m, build)
    return to_q, to_qd


def _torque(m: Model, q: list[Node], qd: list[Node], qdd: Sequence[Scalar]) -> list[Scalar]:
    torque = _newton(m, lambda model: newton_euler.inverse_dynamics(model, m.graph, q, qd, qdd))
    if m.extra is None:
        return torque
    return [sub(t, load) for t, load in zip(torque, m.extra(m.graph, q, qd), strict=True)]


def _newton(m: Model, build: Callable[[Chain], Any]) -> Any:
    """What ``build`` makes of the chain regrouped in the way that comes out smaller."""
    return _smallest(build(m.flat), build(m.chain))


def _with_extra(m: Model, q: list[Node], qd: list[Node], tau: list[Node]) -> list[Scalar]:
    if m.extra is None:
        return list(tau)
    return [add(t, load) for t, load in zip(tau, m.extra(m.graph, q, qd), strict=True)]


def _solved(m: Model, q: list[Node], qd: list[Node], drive: list[Scalar]) -> tuple[list[Scalar], Any, Any]:
    """qdd = D^-1 (tau - h - G) by composite bodies and sparse factors, which are given back for further use."""
    lower, pivots = factor.factor(m.chain, m.graph, composite_body.mass_matrix(m.chain, m.graph, q))
    load = _newton(m, lambda model: newton_euler.inverse_dynamics(model, m.graph, q, qd, [0] * m.n))
    rest = [sub(t, b) for t, b in zip(drive, load, strict=True)]
    return factor.solve(m.chain, lower, pivots, rest), lower, pivots


def _dot(u: Sequence[Scalar], v: Sequence[Scalar]) -> Scalar:
    result: Scalar = 0
    for a, b in zip(u, v, strict=True):
        result = add(result, mul(a, b))
    return result


def _smallest(*ways: Any) -> Any:
    """The way that needs the fewest nodes."""
    return min(ways, key=lambda way: len(reachable([node for node in _flat(way) if isinstance(node, Node)])))


BUILDERS: dict[str, tuple[tuple[str, ...], Callable[[Model], tuple[Any, ...]]]] = {
    "inverse_dynamics": (("q", "qd", "qdd"), inverse_dynamics),
    "forward_dynamics": (("q", "qd", "tau"), forward_dynamics),
    "mass_matrix": (("q",), mass_matrix),
    "inverse_mass_matrix": (("q",), inverse_mass_matrix),
    "coriolis_matrix": (("q", "qd"), coriolis_matrix),
    "gravity_load": (("q",), gravity_load),
    "bias": (("q", "qd"), bias),
    "forward_kinematics": (("q",), forward_kinematics),
    "jacobian": (("q",), jacobian),
    "regressor": (("q", "qd", "qdd"), regressor),
    "inverse_dynamics_derivatives": (("q", "qd", "qdd"), inverse_dynamics_derivatives),
    "forward_dynamics_derivatives": (("q", "qd", "tau"), forward_dynamics_derivatives),
}
"""Public function -> its arguments, and the graph of its outputs."""


@dataclass(frozen=True)
class Function:
    """One function as a graph: named input vectors, and output arrays as flat lists of nodes."""

    name: str
    arguments: tuple[tuple[str, tuple[str, ...]], ...]
    """(argument, names of its input nodes)."""
    outputs: tuple[tuple[tuple[int, ...], tuple[Node, ...]], ...]
    """(shape, nodes in row-major order) of each output."""

    @property
    def nodes(self) -> list[Node]:
        return [node for _, nodes in self.outputs for node in nodes]


def check_name(name: str) -> None:
    """Refuse what cannot be compiled, with the names of what can."""
    if name not in BUILDERS:
        raise ArmError(f"no function {name!r} to compile; there are {listed(BUILDERS)}")


def arguments(arm: ArmDescription, name: str, parameters: str | None = None) -> tuple[tuple[str, int], ...]:
    """Arguments of a function and their widths, without building its graph."""
    check_name(name)
    widths = tuple((argument, arm.n) for argument in BUILDERS[name][0])
    count = len(parameter_names(arm, parameters))
    return (*widths, ("parameters", count)) if count else widths


def shapes(arm: ArmDescription, name: str) -> tuple[tuple[int, ...], ...]:
    """Shapes of the outputs of a function, without building its graph."""
    n = arm.n
    known: dict[str, tuple[tuple[int, ...], ...]] = {
        "forward_kinematics": ((4, 4),),
        "jacobian": ((6, n),),
        "regressor": ((n, 10 * n),),
    }
    if name.endswith("_derivatives"):
        return ((n, n),) * 3
    return known.get(name, ((n, n),) if name.endswith("matrix") else ((n,),))


def function(arm: ArmDescription, name: str, parameters: str | None = None) -> Function:
    """The function ``name`` of this arm as a graph."""
    check_name(name)
    if arm.n == 0:
        raise ArmError(f"{arm.where}{arm.name}: no joint moves, so there is nothing to compile")
    graph = Graph()
    model = Model(arm, graph, parameters)
    wanted, build = BUILDERS[name]
    tables = build(model)
    inputs = tuple((argument, tuple(f"{argument}_{i}" for i in range(arm.n))) for argument in wanted)
    if model.names:
        inputs = (*inputs, ("parameters", tuple(f"p{i}" for i in range(len(model.names)))))
    flat = [[graph.node(x) for x in _flat(table)] for table in tables]
    rest = iter(absorbed(graph, [node for nodes in flat for node in nodes]))
    outputs = tuple(
        (shape, tuple(next(rest) for _ in nodes)) for shape, nodes in zip(shapes(arm, name), flat, strict=True)
    )
    return Function(name, inputs, outputs)


def _flat(table: Any) -> list[Scalar]:
    return [x for part in table for x in _flat(part)] if isinstance(table, (list, tuple)) else [table]
