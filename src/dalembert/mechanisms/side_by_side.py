"""The chains of a mechanism as one tree on the ground: joints "chain.joint" in the order of phi, links "chain:link"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from ..arm.description import ArmDescription, Joint, Link
from ..arm.drives import Actuator, DriveTrain, Element
from ..arm.errors import ArmError
from ..arm.placement import Placement, Vector
from ..systems.arm_system import ArmSystem

GROUND = "ground"
Part = TypeVar("Part", Actuator, Element)


def side_by_side(arms: Mapping[str, ArmSystem], gravity: Vector, name: str) -> ArmDescription:
    """One description of arms that are mounted in the world, with their loads and with drives that count."""
    links: list[Link] = [Link(GROUND)]
    joints: list[Joint] = []
    train, silent = DriveTrain(), []
    models = {arm.drive_model for arm in arms.values() if arm.counts_drives}
    if len(models) > 1:
        raise ArmError(f"{name}: drives of its chains count by several models, {', '.join(sorted(models))}; choose one")
    used: set[str] = set()
    for chain, arm in arms.items():
        steps = _step_names(arm, sum(joint.moves for joint in joints), used)
        called = {link: GROUND if link == arm.base else f"{chain}:{link}" for link in arm.link_names}
        loads = dict(arm.loads)
        for link in arm.links:
            body = link.inertia
            if link.name in loads:
                tool = arm.load_frame(link.name)
                body = body + (loads[link.name].body.placed(tool) if tool.steps else loads[link.name].body)
            if link.name != arm.base:
                links.append(Link(called[link.name], body))
        joints += [
            replace(
                joint,
                name=f"{chain}.{joint.name}",
                parent=called[joint.parent],
                child=called[joint.child],
                before=_renamed(joint.before, steps),
                after=_renamed(joint.after, steps),
            )
            for joint in arm.joints
        ]
        if arm.counts_drives:
            train = _with_drives(train, chain, arm, called)
        else:
            silent += [f"{chain}.{joint}" for joint in arm.joint_names]
    if models:
        train = train.with_direct(silent)
    return ArmDescription(
        name, tuple(links), tuple(joints), gravity, drives=train, drive_model=models.pop() if models else "none"
    )


def _step_names(arm: ArmSystem, before: int, used: set[str]) -> dict[str, str]:
    """New names of lengths and angles, which count through all chains as links do; ``used`` grows by them."""
    renamed: dict[str, str] = {}
    for joint in arm.joints:
        for step in (*joint.before.steps, *joint.after.steps):
            name = step.name.removeprefix("-")
            if not name or name in renamed:
                continue
            stem = name.rstrip("0123456789")
            number = int(name[len(stem) :] or 0) + before
            while (new := f"{stem}{number}" if number else name) in used:
                number += 1
            renamed[name] = new
            used.add(new)
    return renamed


def _renamed(placement: Placement, names: Mapping[str, str]) -> Placement:
    def named(name: str) -> str:
        unsigned = name.removeprefix("-")
        return name[: len(name) - len(unsigned)] + names[unsigned] if unsigned else name

    return replace(placement, steps=tuple(replace(step, name=named(step.name)) for step in placement.steps))


def _with_drives(train: DriveTrain, chain: str, arm: ArmSystem, called: Mapping[str, str]) -> DriveTrain:
    """``train`` and the drives of a chain, by the names they have in the tree."""
    if arm.drives.functions:
        raise ArmError(
            f"{arm.name}: its drives have functions of joint positions, which are known chain by chain alone; ask for "
            f"the equations without_drives(), or of the arm itself"
        )

    def named(part: Part) -> Part:
        ratios = tuple((f"{chain}.{joint}", ratio) for joint, ratio in part.ratios)
        rotor = replace(part.rotor, link=called[part.rotor.link]) if part.rotor.link else part.rotor
        return replace(part, name=f"{chain}.{part.name}", ratios=ratios, rotor=rotor)

    drives = arm.drives
    rubbed = tuple((f"{chain}.{joint}", friction) for joint, friction in drives.joint_friction)
    return replace(
        train,
        actuators=(*train.actuators, *map(named, drives.actuators)),
        elements=(*train.elements, *map(named, drives.elements)),
        joint_friction=(*train.joint_friction, *rubbed),
    )
