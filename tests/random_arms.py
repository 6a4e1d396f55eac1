"""Random arms for the laws the tests assert: chains and trees, mixed joints, any axes, any gravity, real bodies.

All numbers are short decimals, so that the exact arithmetic of the package stays quick.
"""

from __future__ import annotations

import random
from fractions import Fraction

from dalembert.arm.description import ArmDescription, Joint, Limits, Link
from dalembert.arm.drives import Actuator, Friction, Rotor
from dalembert.arm.exact import Angle
from dalembert.arm.inertia import Inertia, parallel_axes, plus
from dalembert.arm.placement import Placement, Step


def decimal(rng: random.Random, low: float, high: float, digits: int = 3) -> Fraction:
    """A decimal with this many digits after the point."""
    scale = 10**digits
    return Fraction(rng.randint(round(low * scale), round(high * scale)), scale)


def vector(rng: random.Random, size: float, digits: int = 3) -> tuple[Fraction, Fraction, Fraction]:
    return decimal(rng, -size, size, digits), decimal(rng, -size, size, digits), decimal(rng, -size, size, digits)


def random_placement(rng: random.Random, size: float = 0.5, quarters: bool = False) -> Placement:
    """Any position; any orientation, quarter turns (as real arms have) as often as not, or always (``quarters``)."""
    steps = [Step("translate", axis, length) for axis, length in enumerate(vector(rng, size))]
    if quarters or rng.random() < 0.5:
        steps += [Step("rotate", rng.randrange(3), Angle.quarters(rng.randrange(4))) for _ in range(2)]
    else:
        steps += [Step("rotate", axis, Angle.of(decimal(rng, -3, 3, 2))) for axis in (2, 1, 0)]
    return Placement.of(*steps)


def random_inertia(rng: random.Random, size: float = 0.3) -> Inertia:
    """The inertia of five point masses: every real body's inertia is near one of these, and none of these is unreal."""
    body = Inertia()
    for _ in range(5):
        mass, (x, y, z) = decimal(rng, 0.05, 1.5, 2), vector(rng, size, 2)
        tensor = parallel_axes(mass, (x, y, z))
        body = Inertia(
            body.mass + mass,
            (body.moment[0] + mass * x, body.moment[1] + mass * y, body.moment[2] + mass * z),
            plus(body.tensor, tensor),
        )
    return body


def unreal_inertia(rng: random.Random, size: float = 0.3) -> Inertia:
    """Numbers that no body has, as published data sometimes does: one moment larger than the sum of the others."""
    moments = [decimal(rng, 0.01, 0.05), decimal(rng, 0.01, 0.05), decimal(rng, 0.12, 0.3)]
    rng.shuffle(moments)
    return Inertia.of(decimal(rng, 0.5, 3, 2), vector(rng, size, 2), moments)


def random_arm(
    seed: int | random.Random,
    joints: int,
    tree: bool = False,
    *,
    fixed: float = 0.2,
    kinds: tuple[str, ...] = ("revolute", "revolute", "prismatic"),
    size: float = 0.5,
    physical: bool = True,
    quarters: bool = False,
) -> ArmDescription:
    """An arm with ``joints`` moving joints, and now and then (``fixed``) a fixed one between them.

    ``tree`` lets a link hang on any earlier link; otherwise the arm is a chain. Joint axes stand anywhere.
    Without ``physical`` the links have inertias no body can have; with ``quarters`` all axes are at quarter turns.
    """
    rng = seed if isinstance(seed, random.Random) else random.Random(seed)
    links, made = [Link("base", random_inertia(rng))], []
    count = 0
    while count < joints:
        parent = rng.choice(links).name if tree else links[-1].name
        number = len(links)
        moves = rng.random() >= fixed
        kind = rng.choice(kinds) if moves else "fixed"
        before = random_placement(rng, size, quarters)
        after = random_placement(rng, size, quarters) if moves and rng.random() < 0.5 else Placement()
        reach = Limits()
        if moves and rng.random() < 0.7:
            reach = Limits(-float(decimal(rng, 0.1, 3)), float(decimal(rng, 0.1, 3)), 2.5, 40.0)
        made.append(
            Joint(f"joint{number}", kind, parent, f"link{number}", before, after, reach)  # type: ignore[arg-type]
        )
        links.append(Link(f"link{number}", random_inertia(rng) if physical else unreal_inertia(rng)))
        count += moves
    gravity = vector(rng, 9.81, 2)
    return ArmDescription(f"random{joints}", tuple(links), tuple(made), gravity, random_placement(rng, size))


def random_state(
    rng: random.Random, arm: ArmDescription, size: float = 2.0
) -> tuple[list[float], list[float], list[float]]:
    """Positions, velocities and accelerations (or torques)."""
    q, qd, qdd = ([rng.uniform(-size, size) for _ in range(arm.n)] for _ in range(3))
    return q, qd, qdd


def coupled_motors(rng: random.Random, arm: ArmDescription) -> list[Actuator]:
    """A motor for each joint, coupled to every joint, with friction, its rotor on any link."""
    found = []
    for index, joint in enumerate(arm.moving):
        ratios = {other.name: decimal(rng, -3, 3) for other in arm.moving} | {joint.name: decimal(rng, 10, 20)}
        rotor = Rotor.of("0.01", rng.choice(arm.link_names), vector(rng, 1.0, 2), counted=False, across="0.01")
        friction = Friction((rng.uniform(0, 1), rng.uniform(0, 1)), rng.uniform(1, 2), rng.uniform(0, 0.1))
        found.append(Actuator.of(f"motor{index}", ratios, rotor, friction))
    return found
