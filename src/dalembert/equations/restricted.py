"""Restricted models: some joints at rest (Bejczy 1974, sections IV and V).

A joint at rest makes the bodies beyond it part of its parent body. In symbols that body gets starred
parameters, and each star is a polynomial in the parameters of the bodies it has absorbed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from ..arm.exact import Angle, exact
from ..arm.following import amount
from ..arm.inertia import ENTRIES, moved
from ..arm.joint_keys import by_joint, joint_index
from ..formulations.kinematics import joint_frame
from ..rings.algebra import add, matplus, plus, transpose
from ..rings.ring import Scalar
from ..rings.trig import TrigRing
from .closed_form import Equations
from .derive import COMPOSITE, EquationsModel
from .polynomial import as_polynomial
from .starred_parameters import Definition, starred_parameters
from .symbols import Request, select

Form = TypeVar("Form", bound=Equations)


class Frozen:
    """A ring whose joint angles are known points on the circle."""

    def __init__(self, ring: TrigRing) -> None:
        self.ring = ring

    def number(self, value: Any) -> Scalar:
        """The constant ``value`` of the underlying ring."""
        return self.ring.number(value)

    def sincos(self, angle: Angle) -> tuple[Scalar, Scalar]:
        """Sine and cosine of a fixed joint angle, as constants of the underlying ring."""
        return self.ring.number(angle.sin), self.ring.number(angle.cos)


def restricted(
    arm: ArmDescription,
    parameters: Request = "symbols",
    joints: Sequence[int | str] | None = None,
    at: Mapping[str | int, object] | None = None,
    kind: type[Form] = Equations,  # type: ignore[assignment]
    formulation: str = COMPOSITE,
) -> Form:
    """The equations with only ``joints`` moving (names, or indices counted from 0), the others at rest at ``at``.

    Joints at rest that ``at`` does not name rest at zero. Joints and bodies of the restricted model count anew.
    """
    if joints is None and not at:
        return kind(arm, parameters, None, formulation)
    resting = resting_positions(arm, joints, at or {})
    if len(resting) == arm.n:
        raise ArmError(f"{arm.where}{arm.name}: all joints are at rest; leave at least one to move")
    small = arm.locked(resting)
    if not any(symbol.kind == "inertial" for symbol in select(arm, parameters).symbols):
        return kind(small, parameters, None, formulation)
    return kind(small, parameters, starred(arm, small, resting, parameters), formulation)


def resting_positions(
    arm: ArmDescription, joints: Sequence[int | str] | None, at: Mapping[str | int, object]
) -> dict[str, object]:
    """Names of the joints at rest, with their positions."""
    positions = {arm.joint_names[joint]: value for joint, value in by_joint(arm, at).items()}
    if joints is None:
        return positions
    if isinstance(joints, str) or not isinstance(joints, Sequence):
        raise ArmError(
            f"{arm.where}the joints that move are a list, as in [{arm.joint_names[0]!r}]; got {joints!r:.80}"
        )
    moving = {arm.joint_names[joint_index(arm, joint)] for joint in joints}
    contradictory = moving & set(positions)
    if contradictory:
        raise ArmError(f"{arm.where}joint {sorted(contradictory)[0]!r} is said both to move and to rest; name it once")
    return {name: positions.get(name, 0) for name in arm.joint_names if name not in moving}


def starred(
    arm: ArmDescription, small: ArmDescription, resting: Mapping[str, object], parameters: Request
) -> dict[str, Definition]:
    """Definitions of the starred symbols of ``small``, in the symbols of the whole arm."""
    model = EquationsModel(arm, parameters)
    frozen = Frozen(model.ring)
    # A load with symbols of its own stays apart in the restricted model too.
    inertias: list[tuple[Any, Any, Any]] = [(s.mass, s.moment, s.tensor) for s in model.unloaded.segments]
    absorbing: set[int] = set()
    resting = {
        joint.name: resting[arm.joint_names[coupled.coordinate]] if coupled.multiplier == 1
        else coupled.multiplier * amount(resting[arm.joint_names[coupled.coordinate]])
        for joint, coupled in zip(arm.all_moving, arm.couplings, strict=True)
        if arm.joint_names[coupled.coordinate] in resting
    }  # fmt: skip
    bodies = [joint.name for joint in arm.all_moving]
    for index in reversed(range(len(bodies))):
        name, segment = bodies[index], model.chain.segments[index]
        if name in resting and segment.parent >= 0:
            # The offset of a joint that follows another stands in its placement.
            value = resting[name]
            q = Angle.of(value, name) if segment.revolute else model.ring.number(exact(value, name))
            mass, moment, tensor = moved(*inertias[index], *joint_frame(segment, frozen, q))
            parent_inertia = inertias[segment.parent]
            inertias[segment.parent] = (
                add(parent_inertia[0], mass),
                plus(parent_inertia[1], moment),
                matplus(parent_inertia[2], tensor),
            )
            absorbing.add(segment.parent)
    styles = select(small, parameters).styles
    definitions: dict[str, Definition] = {}
    for index in sorted(absorbing):
        if bodies[index] in resting:
            continue
        tag = str([joint.name for joint in small.all_moving].index(bodies[index]) + 1)
        moments = in_link_frame(inertias[index], model.chain.segments[index].link)
        definitions |= starred_parameters([as_polynomial(model.space, value) for value in moments], styles[tag], tag)
    return definitions


def in_link_frame(inertia: tuple[Any, Any, Any], link: tuple[Any, Any]) -> list[Any]:
    """Ten parameters about the link frame, from those about the joint frame."""
    turn, shift = link
    back = transpose(turn)
    offset = tuple(-sum_of(row, shift) for row in back)
    mass, moment, tensor = moved(*inertia, back, offset)
    return [mass, *moment, *(tensor[i][j] for _, i, j in ENTRIES)]


def sum_of(row: Sequence[Any], vector: Sequence[Any]) -> Any:
    """Scalar product of two vectors over the ring."""
    total: Any = 0
    for a, b in zip(row, vector, strict=True):
        total = total + a * b
    return total
