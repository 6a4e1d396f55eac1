"""The open chains of a mechanism: arms mounted in one world frame, evaluated in batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from fractions import Fraction
from typing import Any

import numpy as np

from ..arm.description import ArmDescription, Joint, Limits, Link
from ..arm.errors import ArmError
from ..arm.exact import Angle
from ..arm.force import Force
from ..arm.inertia import Inertia
from ..arm.placement import Placement, Step, Vector
from ..compile import build
from ..compile.functions import function
from ..compile.kernel import Kernel
from ..rings.real import REAL
from ..rings.ring import Scalar
from ..systems.applied_forces import force_load, force_slopes
from ..systems.arm_system import ArmSystem
from .batch import Array, over_columns
from .transfer import TransferredModel

WORLD = "world"


def mounted(arm: ArmDescription, base: Placement, gravity: Vector) -> ArmSystem:
    """The arm with its base fixed at ``base`` in the world, under the world's gravity."""
    values = {field.name: getattr(arm, field.name) for field in fields(ArmDescription)}
    world = WORLD
    while world in arm.link_names:
        world += " "
    mount = "mount"
    while mount in {joint.name for joint in arm.joints}:
        mount += " "
    values["links"] = (Link(world), *arm.links)
    values["joints"] = (Joint(mount, "fixed", world, arm.base, base), *arm.joints)
    values["gravity"] = gravity
    values["drives"] = arm.drives.on_base(arm.base)
    return ArmSystem(**values)


def carrying(
    arm: ArmDescription, name: str, inertia: Inertia, at: Placement = Placement(), link: str = ""
) -> ArmDescription:
    """The arm with a body ``name`` fixed at ``at`` in its tool frame, or on ``link``; inertia about its own frame."""
    placement = at if link else arm.tool @ at
    holder = arm.link(link or arm.tool_link).name
    if name in arm.link_names:
        raise ArmError(f"{arm.where}{arm.name} has a link {name!r} already; call the body something else")
    values = {field.name: getattr(arm, field.name) for field in fields(ArmDescription)}
    values["links"] = (*arm.links, Link(name, inertia))
    values["joints"] = (*arm.joints, Joint(f"{name} on {holder}", "fixed", holder, name, placement))
    return ArmDescription(**values)


def free_body(name: str, inertia: Inertia, *, planar: bool = False) -> ArmDescription:
    """A body that nothing holds, as an open chain: x, y, z, then turns about x, y, z (``planar``: x, y and the last).

    The turns are singular where the second one is a quarter turn; choose the body's frame so that it stays away.
    """
    quarter = Angle.quarters(1)
    to_x, to_y = Step("rotate", 1, quarter), Step("rotate", 0, -quarter)
    axes = {"x": Placement.of(to_x), "y": Placement.of(to_y), "z": Placement()}
    moves = ["x", "y", "rz"] if planar else ["x", "y", "z", "rx", "ry", "rz"]
    links, joints = [Link("ground")], []
    for move in moves:
        along = axes[move[-1]]
        is_last = move == moves[-1]
        links.append(Link(name if is_last else f"{name} {move}", inertia if is_last else Inertia()))
        kind = "revolute" if move.startswith("r") else "prismatic"
        joints.append(
            Joint(move, kind, links[-2].name, links[-1].name, along, along.inverse(), Limits())  # type: ignore[arg-type]
        )
    return ArmDescription(name, tuple(links), tuple(joints), (Fraction(0), Fraction(0), Fraction(0)), tool_link=name)


class ChainNumbers:
    """One chain of a mechanism over the real ring; every array begins with the batch."""

    def __init__(self, arm: ArmSystem, compiled: bool = False) -> None:
        self.arm, self.compiled = arm, compiled
        self.system = arm.over_reals
        self.chain = self.system.links
        segments = self.chain.segments
        self.turns = np.array([[[float(x) for x in row] for row in s.rotation] for s in segments]).reshape(-1, 3, 3)
        self.shifts = np.array([[float(x) for x in s.position] for s in segments]).reshape(-1, 3)
        self.revolute = np.array([segment.revolute for segment in self.chain.segments], dtype=bool)
        self.massive = any(body.inertia for body in arm.bodies)
        self._kernels: dict[str, Kernel] = {}

    @property
    def n(self) -> int:
        """Number of joints of this chain."""
        return self.chain.n

    def frames(self, phi: Array) -> tuple[Array, Array]:
        """Axes ``(b, n, 3, 3)`` and origins ``(b, n, 3)`` of the joint frames in the world.

        ``formulations.kinematics.frames`` with whole matrices instead of single numbers: every evaluation of a
        mechanism begins here, and for one configuration this is several times as fast.
        """
        count = len(phi)
        sin, cos = np.sin(phi)[..., None], np.cos(phi)[..., None]
        x, y, z = (self.turns[None, :, :, k] for k in range(3))
        spin = self.revolute[:, None]
        steps = np.empty((count, self.n, 3, 3))
        steps[..., 0] = np.where(spin, cos * x + sin * y, x)
        steps[..., 1] = np.where(spin, cos * y - sin * x, y)
        steps[..., 2] = z
        shifts = self.shifts + np.where(spin, 0.0, phi[..., None] * z)
        turns, origins = np.empty_like(steps), np.empty((count, self.n, 3))
        for k, segment in enumerate(self.chain.segments):
            if segment.parent < 0:
                turns[:, k], origins[:, k] = steps[:, k], shifts[:, k]
            else:
                above = turns[:, segment.parent]
                turns[:, k] = above @ steps[:, k]
                origins[:, k] = origins[:, segment.parent] + (above @ shifts[:, k, :, None])[..., 0]
        return turns, origins

    def kernel(self, name: str) -> Callable[..., Array] | None:
        """The compiled function of this chain; None without ``compiled`` or without a compiler."""
        if not self.compiled or not self.massive or not self.n or not build.available():
            return None
        if name not in self._kernels:
            self._kernels[name] = Kernel(function(self.arm, name))
        return self._kernels[name]

    def mass_matrix(self, phi: Array) -> Array:
        """I*(phi) ``(b, n, n)``: the inertia matrix in the joints."""
        kernel = self.kernel("mass_matrix")
        if kernel:
            return kernel(phi)
        return over_columns(lambda q: self.system.mass_matrix(REAL, q), phi)

    def christoffel(self, phi: Array) -> Array:
        """``(b, n, n, n)``; compiled, column by column from the Coriolis matrix at unit rates."""
        kernel = self.kernel("coriolis_matrix")
        if kernel:
            return np.stack([kernel(phi, unit) for unit in np.eye(self.n)], axis=-1)
        return over_columns(lambda q: self.system.christoffel(REAL, q), phi)

    def gravity(self, phi: Array) -> Array:
        """dV/dphi ``(b, n)``: the joint torques (N m or N) that hold the weight."""
        kernel = self.kernel("gravity_load")
        if kernel:
            return kernel(phi)
        return over_columns(lambda q: self.system.gravity(REAL, q), phi)

    def load(self, phi: Array, rate: Array | None, forces: Sequence[Force] = ()) -> Array:
        """T^L: what weight, springs, dampers and ``forces`` put on the joints."""
        return -self.gravity(phi) + self.extra_load(phi, rate, forces)

    def extra_load(self, phi: Array, rate: Array | None, forces: Sequence[Force] = ()) -> Array:
        """T^L of springs, dampers, friction and ``forces``, without weight."""
        total = self.force_load(phi, forces)
        moving = np.zeros_like(phi) if rate is None else rate
        if self.system.elastics:
            total += over_columns(lambda q, qd: self.system.elastic_load(REAL, q, qd), phi, moving)
        if self.system.train is not None:
            total -= over_columns(lambda q, qd: self.system.friction(REAL, q, qd, [0] * self.n), phi, moving)
        return total

    def force_load(self, phi: Array, forces: Sequence[Force]) -> Array:
        """T^L of ``forces``."""
        return force_load(self.arm, self.system, phi, forces) if forces else np.zeros_like(phi)

    def model(self, phi: Array, rate: Array | None = None, forces: Sequence[Force] = ()) -> TransferredModel:
        """I*, P* and T^L in the joints of this chain."""
        if not self.massive:
            n = self.n
            return TransferredModel(
                np.zeros((len(phi), n, n)), np.zeros((len(phi), n, n, n)), self.load(phi, rate, forces)
            )
        return TransferredModel(self.mass_matrix(phi), self.christoffel(phi), self.load(phi, rate, forces))

    def torque(self, phi: Array, rate: Array, rate2: Array, forces: Sequence[Force] = ()) -> Array:
        """I* phi'' + phi'.P* phi' - T^L by Newton-Euler."""
        kernel = self.kernel("inverse_dynamics")
        if kernel and not forces:
            return kernel(phi, rate, rate2)  # springs and dampers included
        torque = over_columns(lambda *x: self.system.torque(REAL, *x), phi, rate, rate2)
        return torque - self.force_load(phi, forces) if forces else torque

    def bias(self, phi: Array, rate: Array) -> Array:
        """The torques at phi'' = 0; standing shafts resist nothing."""
        kernel = self.kernel("bias")
        if kernel:
            return kernel(phi, rate)
        return over_columns(lambda q, qd: self.system.torque(REAL, q, qd, [0] * self.n), phi, rate)

    def torque_slopes(
        self, phi: Array, rate: Array, rate2: Array, forces: Sequence[Force] = ()
    ) -> tuple[Array, Array, Array]:
        """Derivatives of ``torque`` to phi, phi' and phi''."""

        def slopes(q: list[Scalar], qd: list[Scalar], qdd: list[Scalar]) -> Any:
            return (*self.system.torque_derivatives(REAL, q, qd, qdd), self.system.mass_matrix(REAL, q))

        by_position, by_rate, by_acceleration = over_columns(slopes, phi, rate, rate2)
        if forces:
            by_position = by_position - force_slopes(self.arm, self.system, phi, forces)
        return by_position, by_rate, by_acceleration

    def kinetic_energy(self, phi: Array, rate: Array) -> Array:
        """T (J)."""
        return over_columns(lambda *x: self.system.kinetic_energy(REAL, *x), phi, rate)

    def potential_energy(self, phi: Array) -> Array:
        """V (J) of gravity and springs."""
        return over_columns(lambda q: self.system.potential_energy(REAL, q), phi)
