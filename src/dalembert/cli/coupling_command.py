"""``dalembert coupling``: how the joints are coupled at a pose (Tourassis and Neuman 1985, eqs 21, 32-35)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from dalembert.arm.system_phrase import system_phrase

from .dynamics_command import HOW
from .printing import figures, finite_figures, heading, json_text, paragraph, say, table, unit
from .system_options import system_command
from .values import joint_values, note_outside_limits

if TYPE_CHECKING:
    from dalembert.api.questions import SystemQuestions as System
    from dalembert.design.pose_coupling import PoseCoupling


@system_command
def coupling(
    system: System,
    q: Annotated[str | None, typer.Option("--q", metavar="VALUES", help=f"Positions, rad or m. {HOW}")] = None,
    degrees: Annotated[
        bool,
        typer.Option("--degrees", help="Plain values of revolute joints are in degrees; prismatic ones stay in m."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="For programs: every number in full, as JSON.")] = False,
) -> None:
    """Coupling of the joints at a pose: projected inertias with their sign, radii of gyration, factors."""
    position = joint_values(system, "--q", q, degrees)
    note_outside_limits(system, position)
    pose_coupling = system.coupling_at(position)
    if as_json:
        print(json_text(as_data(pose_coupling, position)))
        return
    say(f"{system.name}: {system.title}" if system.title else system.name)
    say(system_phrase(system))
    heading("Joints")
    table(
        [
            ("joint", [f"{joint.name} [{unit(joint, 'position')}]" for joint in system.moving]),
            ("position", figures(position)),
            ("mass moved\n[kg]", figures(pose_coupling.mass)),
            ("inertia\n[kg m^2]", finite_figures(np.diagonal(pose_coupling.inertia))),
            ("radius K_ii\n[m]", finite_figures(pose_coupling.radius)),
        ]
    )
    heading("Pairs of joints")
    pairs = pose_coupling.pairs
    columns = {
        "inertia J_ij\n[kg m^2]": pose_coupling.inertia,
        "K_ij\n[m^2]": pose_coupling.gyration,
        "coupling\nk_ij": pose_coupling.coefficient,
        "loading\nfactor": pose_coupling.loading,
        "kinematic\nfactor": pose_coupling.kinematic,
    }
    table(
        [
            ("joints", [f"{pose_coupling.joints[i]}, {pose_coupling.joints[j]}" for i, j in pairs]),
            *((head, finite_figures([values[i, j] for i, j in pairs])) for head, values in columns.items()),
        ]
    )
    paragraph(
        "J_ij is the projected inertia of what the outer joint moves, K_ij the same over its mass, both with the sign "
        "of the turn of one axis against the other, and between revolute joints only. k_ij is the loading times the "
        "kinematic factor (Tourassis and Neuman 1985, eqs 21 and 32 to 35)."
    )


def as_data(pose_coupling: PoseCoupling, q: np.ndarray) -> dict[str, object]:
    """The whole answer in SI units; not finite where a quantity is not defined."""
    return {
        "arm": pose_coupling.arm,
        "q": q.tolist(),
        "units": {"mass": "kg", "inertia": "kg m^2", "gyration": "m^2", "radius": "m"},
        "joints": [
            {"joint": name, "mass": float(pose_coupling.mass[i]), "inertia": float(pose_coupling.inertia[i, i]),
             "radius": float(pose_coupling.radius[i])}
            for i, name in enumerate(pose_coupling.joints)
        ],
        "pairs": [
            {
                "joints": [pose_coupling.joints[i], pose_coupling.joints[j]],
                "inertia": float(pose_coupling.inertia[i, j]),
                "gyration": float(pose_coupling.gyration[i, j]),
                "coefficient": float(pose_coupling.coefficient[i, j]),
                "loading": float(pose_coupling.loading[i, j]),
                "kinematic": float(pose_coupling.kinematic[i, j]),
            }
            for i, j in pose_coupling.pairs
        ],
    }  # fmt: skip
