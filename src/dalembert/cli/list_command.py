"""``dalembert list``: the built-in arms."""

from __future__ import annotations

import dalembert as da
from dalembert.arm.description import ArmDescription

from .printing import say, table


def list_arms() -> None:
    """List the built-in arms: name, joints and what they are."""
    arms = [da.load(name, physical="ignore") for name in da.catalog()]
    table(
        [
            ("arm", [arm.name for arm in arms]),
            ("joints", [pattern(arm) for arm in arms]),
            ("what it is", [arm.title for arm in arms]),
        ],
        wide="what it is",
    )
    say("\nR: revolute, P: prismatic, base first. Next: dalembert show ARM")


def pattern(arm: ArmDescription) -> str:
    """The moving joints as letters, base first: RRP for two revolute joints and a prismatic one."""
    return "".join(joint.kind[0].upper() for joint in arm.moving)
