"""A drive train over any ring: its rotors on the bodies of the chain, its transmission, and its approximations.

The approximations of the literature are drive trains too, with some terms of the exact one left out:

* ``"szkodny"``: only terms with two derivatives of a rotor's position, D_ij += sum J N_i N_j (Szkodny 1995, eqs
  8-10). His velocity terms in (9) vanish relative to the link that carries the rotor: ``drives/szkodny.py``.
* ``"diagonal"``: the diagonal of that matrix, an armature at each joint.
* ``"paul"``: each motor drives its own joint alone (``arm/own_joints.py``), D_ii += J_i N_ii^2 (Paul 1981; Szkodny
  1995, eq. 11); couplings and elements between motor and link are left out.

They are about parts that spin. Bodies that are moved on a link (``moving_bodies.py``) count in full, as his (15a-c)
have it; ``"paul"`` has those of motors alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from ..arm.moving_parts import Rotor
from ..rings.algebra import ZERO, Vec, add, dot, matvec, mul
from ..rings.ring import Ring, Scalar
from .applied_loads import link_in_body
from .friction import ShaftFriction
from .moving_bodies import carried
from .rotors import Ratios, Spin, Table, of_function


class RingTrain:
    """The rotors of actuators and elements over ``ring``, in the order of the rows of N, by coordinates."""

    def __init__(
        self,
        arm: ArmDescription,
        ring: Ring,
        approximation: str = "exact",
        parameters: Mapping[str, Scalar] | None = None,
    ) -> None:
        train = arm.drives
        train.check(arm)
        self.n, self.ring, self.approximation, self.turns = arm.n, ring, approximation, train.turns
        self.motors = len(train.actuators)
        self.placed = tuple(_spin(arm, part.rotor, ring, parameters) for part in train.parts)
        self.rows = [[ring.number(x) for x in row] for row in train.rows(arm)]
        uncoupled = train.rows(arm, train.uncoupled(arm)) if approximation == "paul" else []
        self.uncoupled_rows = [[ring.number(x) for x in row] for row in uncoupled]
        self.elements = train.elements
        self.element_rows = [[ring.number(x) for x in row] for row in train.rows(arm, train.elements)]
        self.carried = carried(arm, ring, train.actuators if approximation == "paul" else train.parts, parameters)
        self.motor_friction = tuple(ShaftFriction.of(actuator.friction, ring) for actuator in train.actuators)
        self.joint_friction = tuple(ShaftFriction.of(train.friction_of(j.name), ring) for j in arm.all_moving)

    @property
    def rubs(self) -> bool:
        """True if some shaft of it has friction."""
        return any(self.motor_friction) or any(self.joint_friction)

    def rub_as(self, motors: Sequence[ShaftFriction], joints: Sequence[ShaftFriction]) -> None:
        """Put other numbers of the ring in the place of the friction of the description, shaft by shaft."""
        self.motor_friction, self.joint_friction = tuple(motors), tuple(joints)

    def transmission(self, ring: Ring, q: Sequence[Scalar]) -> Ratios:
        """N of the actuators, and its derivatives where it varies; ``ring`` may be duals over the train's own."""
        if self.turns is None:
            return Ratios(self.rows)
        ratios = of_function(self.turns, ring, q)
        if len(ratios.first) != self.motors:
            raise ArmError(f"turns gives {len(ratios.first)} positions for {self.motors} motors; give one for each")
        return ratios

    def spins(self, ring: Ring, q: Sequence[Scalar]) -> tuple[list[Spin], Ratios]:
        """All rotors with their ratios, less what the approximation leaves out."""
        exact = self._joined(self.transmission(ring, q), self._element_ratios(ring, q))
        if self.approximation == "exact":
            return list(self.placed), exact
        if self.approximation == "szkodny":
            return [Spin(None, ZERO, spin.inertia) for spin in self.placed], Ratios(exact.first)
        rows = self._uncoupled(exact.first) if self.approximation == "paul" else exact.first
        inertias: list[Scalar] = [0] * self.n
        for spin, row in zip(self.placed[: len(rows)], rows, strict=True):
            inertias = [add(total, mul(spin.inertia, mul(x, x))) for total, x in zip(inertias, row, strict=True)]
        unit = [[int(i == j) for j in range(self.n)] for i in range(self.n)]
        return [Spin(None, ZERO, inertia) for inertia in inertias], Ratios(unit)

    def _uncoupled(self, first: Table) -> Table:
        """The rows of N of the motors, each for its own joint; by functions of the positions motor i drives joint i."""
        if self.turns is None:
            return self.uncoupled_rows
        return [[x if a == j else 0 for j, x in enumerate(row)] for a, row in enumerate(first[: self.motors])]

    def _element_ratios(self, ring: Ring, q: Sequence[Scalar]) -> Ratios:
        """N of the elements, and its derivatives where some of them vary."""
        if all(element.turns is None for element in self.elements):
            return Ratios(self.element_rows)

        def turns(ring: Ring, q: Sequence[Scalar]) -> list[Scalar]:
            pairs = zip(self.elements, self.element_rows, strict=True)
            return [dot(row, q) if part.turns is None else part.turns(ring, q) for part, row in pairs]

        return of_function(turns, ring, q)

    def _joined(self, motors: Ratios, elements: Ratios) -> Ratios:
        """The ratios of motors, then of elements."""
        second = None
        if motors.second is not None or elements.second is not None:
            level = [[0] * self.n for _ in range(self.n)]
            second = [*(motors.second or [level] * len(motors.first))]
            second += elements.second or [level] * len(elements.first)
        return Ratios([*motors.first, *elements.first], second)


def _spin(arm: ArmDescription, rotor: Rotor, ring: Ring, parameters: Mapping[str, Scalar] | None) -> Spin:
    inertia = ring.number(rotor.inertia)
    if not rotor.link:
        return Spin(None, ZERO, inertia)
    body, (turn, _) = link_in_body(arm, ring, rotor.link, parameters)
    axis: Vec = tuple(ring.number(x) for x in rotor.unit_axis)
    return Spin(body, matvec(turn, axis), inertia)
