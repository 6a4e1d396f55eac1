"""How long the straight-line code of a function gets, known before any of it is made.

Code without loops has a statement for every operation, and operations grow with the joints (recursions), or with the
pairs of a joint and a body that it moves (matrices, their derivatives). The numbers below are counted on chains of 18
and 30 joints with nothing in them that is zero, the longest that so many joints give.
"""

from __future__ import annotations

from ..arm.description import ArmDescription
from ..arm.errors import ArmError

PER_JOINT = {
    "inverse_dynamics": 160, "bias": 160, "gravity_load": 35, "forward_kinematics": 60, "jacobian": 65,
    "jacobian_rate": 150, "center_of_mass": 150, "momentum_matrix": 200,
    "motor_torques": 200, "computed_torques": 200, "computed_motor_torques": 200,
}  # fmt: skip
PER_PAIR = {
    "mass_matrix": 40, "forward_dynamics": 60, "inverse_mass_matrix": 80, "coriolis_matrix": 70, "regressor": 210,
    "inverse_dynamics_derivatives": 170, "forward_dynamics_derivatives": 190,
}  # fmt: skip
ARTICULATED = 650
"""Statements of forward dynamics for each joint by articulated bodies, where nothing else couples the joints."""
PER_CUBE = 6
"""Statements for each product of D^-1 with the columns of the derivatives."""
MOST_UNASKED = 320_000
"""Statements beyond which a system computes with NumPy: a compiler takes in the order of 10 000 of them a second."""
MOST_ASKED = 2_000_000
"""Statements beyond which code is not written either."""


def expected_statements(arm: ArmDescription, name: str) -> int:
    """About how many statements the function ``name`` of this arm has at most."""
    if name in PER_JOINT:
        return PER_JOINT[name] * arm.n
    depths: list[int] = []
    for body in arm.bodies:
        depths.append(1 + (depths[body.parent] if body.parent >= 0 else 0))
    pairs = PER_PAIR[name] * sum(depths)
    if name == "forward_dynamics_derivatives":
        return pairs + PER_CUBE * arm.n**3
    if name == "forward_dynamics" and not arm.counts_drives and not arm.followers:
        return min(pairs, ARTICULATED * len(depths))
    return pairs


def refuse_endless(arm: ArmDescription, name: str) -> None:
    """Refuse code that nothing could compile."""
    length = expected_statements(arm, name)
    if length > MOST_ASKED:
        raise ArmError(
            f"{arm.where}{arm.name}: the code of {name} for {arm.n} joints would have some {length:.1g} statements; at "
            f"most {MOST_ASKED:.0g} are written, so ask for {_shorter(arm)}"
        )


def _shorter(arm: ArmDescription) -> str:
    """A function of this arm whose code is short enough."""
    fitting = [name for name in (*PER_PAIR, *PER_JOINT) if expected_statements(arm, name) <= MOST_ASKED]
    return f"{fitting[0]}, or compute it in Python" if fitting else "it in Python"
