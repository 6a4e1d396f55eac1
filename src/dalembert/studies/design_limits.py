"""Limits of effort and velocity of many designs at once: those of joints may vary, and relations between joints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..arm.description import ArmDescription
from ..arm.following import leaders_first
from ..mechanisms.mechanism_system import MechanismSystem
from .design_numbers import Designed

Array = NDArray[np.float64]


def design_limits(system: Designed, names: Sequence[str], values: Array) -> tuple[Array, Array]:
    """Limits of effort and velocity, ``(designs, n)`` each, with ``values`` of the numbers ``names``; inf for none."""
    if not isinstance(system, MechanismSystem):
        return _of_arm(system, "", names, values)
    chains = system.mechanism.chains.arms.items()
    tables = [_of_arm(arm, f"{chain}.", names, values) for chain, arm in chains]
    joints = [coordinate.joint for coordinate in system.mechanism.assembly.coordinates]
    effort, velocity = (np.concatenate(parts, axis=1) for parts in zip(*tables, strict=True))
    known = np.array(joints) >= 0
    return np.where(known, effort[:, joints], np.inf), np.where(known, velocity[:, joints], np.inf)


def _of_arm(arm: ArmDescription, prefix: str, names: Sequence[str], values: Array) -> tuple[Array, Array]:
    """Those of one arm, as ``tightened`` of ``arm/following.py`` has them of one design: |m qd| <= v of followers."""

    def column(name: str, present: float) -> Array:
        full_name = f"{prefix}joint.{name}"
        return values[:, names.index(full_name)] if full_name in names else np.full(len(values), present)

    own = [arm.joint(joint.name).limits for joint in arm.moving]
    efforts, speeds = (
        [
            column(f"{joint.name}.{quantity}", limits.known(quantity))
            for joint, limits in zip(arm.moving, own, strict=True)
        ]
        for quantity in ("effort", "velocity")
    )
    shares = {joint.name: (k, np.ones(len(values))) for k, joint in enumerate(arm.moving)}
    for joint in leaders_first(arm.all_moving):
        if joint.follows is not None:
            k, share = shares[joint.follows.joint]
            share = share * column(f"{joint.name}.multiplier", float(joint.follows.multiplier))
            shares[joint.name] = k, share
            speeds[k] = np.minimum(speeds[k], joint.limits.known("velocity") / np.abs(share))
    return np.stack(efforts, axis=1), np.stack(speeds, axis=1)
