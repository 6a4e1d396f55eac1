"""Planar arms in the xy plane for the mechanisms of the tests; lengths and masses are exact decimals or fractions."""

from __future__ import annotations

from collections.abc import Sequence

import dalembert as da
from dalembert.mechanisms import gallery


def planar_arm(
    lengths: Sequence[object],
    masses: Sequence[object] | None = None,
    name: str = "planar",
    gravity: object = (0, 0, 0),
    *,
    centres: Sequence[object] | None = None,
    spins: Sequence[object] | None = None,
) -> da.Arm:
    """Revolute joints about z; link k has its mass centre at ``centres[k]`` back from its far end along x.

    ``spins`` are the moments of inertia about the mass centres. Without numbers, rods: centre in the middle.
    """
    rows = []
    for k, length in enumerate(lengths):
        mass = masses[k] if masses is not None else 1
        back = centres[k] if centres is not None else -length / 2  # type: ignore[operator]
        spin = spins[k] if spins is not None else mass * length * length / 12  # type: ignore[operator]
        rows.append(
            {"name": f"joint{k + 1}", "a": length, "mass": mass, "com": (back, 0, 0), "inertia": (0, spin, spin)}
        )
    return da.Arm.from_dh(rows, name=name, gravity=gravity, physical="ignore")


def geared() -> da.Mechanism:
    """A chain whose second joint follows the first."""
    arm = gallery.planar((0.3, 0.4, 0.2), (0.8, 0.6, 0.3))
    gear = da.Gear("gear", "a.joint2", "a.joint1", -0.5, 0.1)
    return da.Mechanism({"a": arm}, [gear], ["a.joint1", "a.joint3"], gravity=(0, "-9.81", 0))
