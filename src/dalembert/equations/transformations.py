"""The transformations from the base to the links and their derivatives U_ji, U_jkp (Bejczy 1974, eqs 4 to 9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..formulations import kinematics
from .polynomial import TrigPolynomial, as_polynomial

if TYPE_CHECKING:
    from .closed_form import Equations

Rows = list[list[TrigPolynomial]]


def transformation(equations: Equations, link: int) -> Rows:
    """T_0^j, 4 by 4: takes points of the frame of link ``link`` (counted from 0) to the base."""
    model = equations.model
    turn, shift = kinematics.link_frames(model.chain, model.ring, model.joints)[link]
    rows = [[*turn[i], shift[i]] for i in range(3)] + [[0, 0, 0, 1]]
    return [[as_polynomial(equations.space, entry) for entry in row] for row in rows]


def derivative(equations: Equations, link: int, joints: Sequence[int]) -> Rows:
    """U_ji = d T_0^j / d q_i for one joint, U_jkp = d^2 T_0^j / d q_k d q_p for two (Bejczy 1974, eqs 4 and 7).

    The products with Q of eqs 5, 6, 8 and 9 are how the print forms these derivatives; here the entries are
    differentiated themselves.
    """
    rows = transformation(equations, link)
    for joint in joints:
        rows = [[entry.diff(joint) for entry in row] for row in rows]
    return rows
