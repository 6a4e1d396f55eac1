"""What lengths and masses change: exact derivatives of a mechanism to its parameters, the coordinates held.

At coordinates q the joints depend on the lengths: w(phi, p) = (q, 0) gives dphi/dp = -[G^w]^-1 dw/dp. Over dual numbers
in p, one step of Newton from the closed joints has just this tangent, and everything computed from its result (I*, T_q)
has the whole derivative, through the closures as well as through the chains.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..arm.description import ArmDescription, listed
from ..arm.errors import ArmError
from ..arm.exact import Angle
from ..arm.inertia import PARAMETERS
from ..arm.io.toml_table import nearest
from ..arm.named_steps import named_amounts
from ..rings.algebra import flat
from ..rings.dual import Dual, Duals, slope_of
from ..rings.real import REAL
from ..rings.ring import Scalar
from ..systems.arrays import one_state
from .batch import Array
from .transfer_over_field import TransferOverField

if TYPE_CHECKING:
    from .mechanism import Mechanism


@dataclass(frozen=True)
class ParameterSensitivity:
    """Derivatives to ``parameters`` (kg, kg m, kg m^2, m or rad), the last axis of every array, at fixed coordinates.

    ``phi`` ``(m, p)`` of the joints, ``inertia`` ``(n, n, p)`` of I*_qq, ``load`` ``(n, p)`` of the loads T_q for the
    motion asked for. ``units`` are those of the parameters.
    """

    parameters: tuple[str, ...]
    units: tuple[str, ...]
    phi: Array
    inertia: Array
    load: Array


def parameter_names(mechanism: Mechanism) -> tuple[str, ...]:
    """All parameters of the chains, "chain.m1": the ten inertial ones of each body, named lengths and twists."""
    return tuple(f"{name}.{parameter}" for name, arm in mechanism.chains.arms.items() for parameter in _parameters(arm))


def _parameters(arm: ArmDescription) -> dict[str, float | Angle]:
    """Parameters of one chain and their values, bodies counted from 1."""
    values: dict[str, float | Angle] = {}
    for index, body in enumerate(arm.bodies, start=1):
        values |= {f"{k}{index}": float(x) for k, x in zip(PARAMETERS, body.inertia.parameters, strict=True)}
    for name, amount in named_amounts(arm).items():
        values[name] = amount if isinstance(amount, Angle) else float(amount)
    return values


UNITS = {"m": "kg", "mx": "kg m", "my": "kg m", "mz": "kg m"}


def _unit(name: str, value: float | Angle) -> str:
    if isinstance(value, Angle):
        return "rad"
    stem = name.rstrip("0123456789")
    return UNITS.get(stem, "kg m^2" if stem in PARAMETERS else "m")


def parameter_sensitivity(
    mechanism: Mechanism, phi: ArrayLike, qd: ArrayLike, qdd: ArrayLike, parameters: Sequence[str]
) -> ParameterSensitivity:
    """See ``Mechanism.sensitivity``."""
    configuration = one_state(mechanism.m, "phi", phi)
    rate, rate2 = (one_state(mechanism.n, k, v, "coordinate") for k, v in (("qd", qd), ("qdd", qdd)))
    by_chain = {name: _parameters(arm) for name, arm in mechanism.chains.arms.items()}
    field = Duals(REAL)
    duals: list[dict[str, Scalar]] = [{} for _ in by_chain]
    chains = list(by_chain)
    units = []
    for key, text in enumerate(parameters):
        chain, _, parameter = text.rpartition(".")
        if parameter not in by_chain.get(chain, {}):
            names = parameter_names(mechanism)
            raise ArmError(f"no parameter {text!r}{nearest(text, names)}; there are {listed(names)}")
        value = by_chain[chain][parameter]
        units.append(_unit(parameter, value))
        if isinstance(value, Angle):
            sin, cos = float(value.sin), float(value.cos)
            duals[chains.index(chain)][parameter] = (Dual(sin, {key: cos}), Dual(cos, {key: -sin}))
        else:
            duals[chains.index(chain)][parameter] = Dual(value, {key: 1.0})
    transfer = TransferOverField(mechanism.assembly, field, duals)
    values = transfer.rows([float(x) for x in configuration])[0]
    q = [_number(value) for value in values[: mechanism.n]]
    joints, _, _ = transfer.step([float(x) for x in configuration], q)
    factors = transfer.factors(joints)
    inertia = transfer.inertia(joints, transfer.influence(factors))
    load = transfer.inverse_dynamics(joints, rate.tolist(), rate2.tolist(), factors)
    count, n = len(parameters), mechanism.n
    return ParameterSensitivity(
        tuple(parameters),
        tuple(units),
        _slopes(joints, count),
        _slopes(flat(inertia), count).reshape(n, n, count),
        _slopes(load, count),
    )


def _number(value: Scalar) -> float:
    """The value of a coordinate, which is held: its own derivative is what the step takes off."""
    return float(value.value if isinstance(value, Dual) else value)


def _slopes(values: Sequence[Any], count: int) -> Array:
    return np.array([[float(slope_of(value, key)) for key in range(count)] for value in values]).reshape(-1, count)
