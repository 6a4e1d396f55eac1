"""The numbers of a system that its certificate is about: bodies, gravity, rotors, all of them exact."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from ..arm.placement import Matrix, Placement, Vector, apply


def system_numbers(arm: ArmDescription) -> dict[str, Any]:
    """Bodies from the base outwards, each in the frame of its joint, and the rotors that they carry.

    ``placement`` is the pose of the joint frame at q = 0 in that of the parent body, ``pseudo_inertia`` the integral of
    (r, 1)(r, 1)^T dm over the body with all that is fixed to it.
    """
    if arm.followers:
        raise ArmError(
            f"{arm.where}{arm.name} has joints that follow others, and there is no certificate of such a system; hold "
            "or free them (mimic)"
        )
    if arm.elastic:
        raise ArmError(
            f"{arm.where}{arm.name} has springs or dampers, and there is no certificate of them; ask the arm without "
            "them (without_elastic(), --no-springs on the command line)"
        )
    bodies = []
    for body in arm.bodies:
        fixed = body.before if body.parent < 0 else arm.bodies[body.parent].after @ body.before
        turn, shift = fixed.exact
        rows = [[*row, x] for row, x in zip(turn, shift, strict=True)] + [[Fraction(0)] * 3 + [Fraction(1)]]
        bodies.append(
            {
                "joint": body.joint.name,
                "kind": body.joint.kind,
                "parent": body.parent,
                "placement": written(rows),
                "pseudo_inertia": written(body.inertia.placed(body.after).pseudo),
            }
        )
    return {
        "arm": arm.name,
        "holds": [f"{float(load.body.mass):g} kg on {link}" for link, load in arm.loads],
        "drives": arm.drive_model,
        "gravity": [str(x) for x in arm.gravity],
        "bodies": bodies,
        "rotors": rotors(arm) if arm.counts_drives else [],
    }


def rotors(arm: ArmDescription) -> list[dict[str, Any]]:
    """The rotors that count; ``body`` is None where only J N_i N_j does, -1 for the base.

    What the approximations leave out is in ``formulations/drive_train.py``.
    """
    train = arm.drives
    if train.functions:
        raise ArmError(
            f"{arm.where}{arm.name}: a transmission or a body of its drives varies with the positions, and there is no "
            "certificate of such a system; give constant ratios, or ask the links alone"
        )
    entries: list[dict[str, Any]] = []
    parts = train.uncoupled(arm) if arm.drive_model == "paul" else train.parts
    for part, row in zip(parts, train.rows(arm, parts), strict=True):
        rotor, body = part.rotor, None
        axis: Vector = (Fraction(0),) * 3
        if arm.drive_model == "exact" and rotor.link:
            body, frame = arm.body_of[rotor.link]
            axis = apply(_turn(arm, body, frame), rotor.unit_axis)
        single_ratios = [[x if j == k else Fraction(0) for k, x in enumerate(row)] for j in range(arm.n)]
        for ratios in single_ratios if arm.drive_model == "diagonal" else [row]:
            if rotor.inertia and any(ratios):
                entries.append(
                    {
                        "body": body,
                        "axis": [str(x) for x in axis],
                        "inertia": str(rotor.inertia),
                        "ratios": [str(x) for x in ratios],
                    }
                )
    return entries


def _turn(arm: ArmDescription, body: int, frame: Placement) -> Matrix:
    return (arm.bodies[body].after @ frame if body >= 0 else frame).rotation


def written(rows: Any) -> list[list[str]]:
    """A matrix of fractions as text."""
    return [[str(x) for x in row] for row in rows]
