"""Freeman 1985, Appendix E: the 3-RRR planar robot, Tables E-1 and E-2.

Table E-1 fixes the geometry: from the hand, the joints of leg 1 stand at (2.55, 1.475), (sqrt 2 + cos 30, 0) and
(cos 30, 1/2) in. back, that is links of 1.5, 1.5 and 1 in.; legs 2 and 3 are leg 1 turned by 120 and 240 degrees.
Only the base links have mass: moments of inertia 1, 2 and 3.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dalembert.mechanisms import transfer
from mechanisms.printed import off

BACK = np.array([[2.55, 1.475], [np.sqrt(2) + np.sqrt(0.75), 0.0], [np.sqrt(0.75), 0.5]])
INERTIAS = (1.0, 2.0, 3.0)


class Leg:
    """One leg from its hand: G and H of (x, y, angle), and the model carried to the hand."""

    def __init__(self, number: int) -> None:
        turn = 2 * np.pi / 3 * number
        back = BACK @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        self.g = np.vstack([-back[:, 1], back[:, 0], np.ones(3)])
        outer = np.maximum.outer(range(3), range(3))
        self.h = np.stack([-back[outer, 0], -back[outer, 1], np.zeros((3, 3))])
        first = np.zeros((3, 3))
        first[0, 0] = INERTIAS[number]
        self.x = transfer.inverse(self.g)
        self.x2 = transfer.second(self.x, self.h)
        self.model = transfer.model(transfer.TransferredModel(first, np.zeros((3, 3, 3)), np.zeros(3)), self.x, self.h)


@pytest.fixture(scope="module")
def legs() -> list[Leg]:
    return [Leg(k) for k in range(3)]


def planes(found: Any, tables: list[str], units: float = 1.0) -> list[list[tuple[int, ...]]]:
    return [off(plane, text, units) for plane, text in zip(found, tables, strict=True)]


def test_table_e1_leg_one(legs: list[Leg]) -> None:
    leg = legs[0]
    assert off(leg.g, "-1.475 0 -0.5\n2.55 2.28 0.866\n1 1 1") == []
    assert planes(
        leg.h[:2],
        [
            "-2.55 -2.28 -0.866\n-2.28 -2.28 -0.866\n-0.866 -0.866 -0.866",
            "-1.475 0 -0.5\n0 0 -0.5\n-0.5 -0.5 -0.5",
        ],
    ) == [[], []]
    assert off(leg.x, "-0.637 0.225 -0.513\n0.758 0.439 -0.001\n-0.122 -0.664 1.514") == []
    assert off(leg.model.inertia, "0.405 -0.143 0.327\n-0.143 0.051 -0.116\n0.327 -0.116 0.264") == []
    assert planes(
        leg.x2,
        [
            "0.050 -0.105 0.116\n-0.105 -0.439 0.328\n0.116 0.328 -0.665",
            "0.358 -0.053 0.225\n-0.053 0.419 -0.390\n0.225 -0.390 1.327",
            "-0.408 0.158 -0.341\n0.158 0.019 0.062\n-0.341 0.062 -0.662",
        ],
    ) == [[], [], []]
    assert planes(
        leg.model.power,
        [
            "-0.032 0.067 -0.074\n0.067 0.280 -0.209\n-0.074 -0.209 0.423",
            "0.011 -0.024 -0.026\n-0.024 -0.099 0.074\n0.026 0.074 -0.150",  # (2; 1, 3) is +0.026
            "-0.026 0.054 -0.059\n0.054 0.225 -0.168\n-0.059 -0.168 0.341",
        ],
    ) == [[], [(1, 3)], []]


def test_table_e2_hand_referenced_model(legs: list[Leg]) -> None:
    """Four to six units of the last digit: E-2 was made from legs 2 and 3 as rounded to three digits."""
    whole = legs[0].model + legs[1].model + legs[2].model
    g, h = np.array([leg.x[0] for leg in legs]), np.array([leg.x2[0] for leg in legs])
    assert off(g, "-0.637 0.225 -0.513\n0.124 -0.665 -0.514\n0.513 0.439 -0.513", 1.1) == []
    assert planes(
        h,
        [
            "0.050 -0.105 0.116\n-0.159 -0.439 0.326\n0.116 0.326 -0.665",  # (1; 2, 1) is -0.105
            "-0.408 -0.159 -0.342\n-0.159 0.018 -0.633\n-0.342 -0.633 -0.665",  # (2; 2, 3) is -0.063
            "-0.225 0.263 0.225\n0.263 -0.165 -0.263\n0.225 -0.263 -0.664",
        ],
        4,
    ) == [[(2, 1)], [(2, 3), (3, 2)], []]
    # Leg 1 is not turned, so its plane is that of Table E-1: printed 0.326 for 0.328.
    assert off(h[0], "0.050 -0.105 0.116\n-0.159 -0.439 0.326\n0.116 0.326 -0.665") == [(2, 1), (2, 3), (3, 2)]
    assert off(whole.inertia, "1.225 0.367 -0.589\n0.367 1.513 -0.106\n-0.589 -0.106 1.582", 4) == []
    assert planes(
        whole.power,
        [
            "-0.479 0.432 0.188\n0.432 0.031 -0.629\n0.188 -0.629 -0.762",
            "0.259 0.534 0.777\n0.534 -0.340 -0.188\n0.777 -0.188 -0.137",
            "0.741 -0.188 -0.054\n-0.188 0.459 0.302\n-0.054 0.302 2.045",
        ],
        6,
    ) == [[], [], []]


def test_model_of_the_base_joints_is_diagonal_and_without_velocity_terms(legs: list[Leg]) -> None:
    """E-7; printed with I*_ww where (3-35) has I*_qq."""
    whole = legs[0].model + legs[1].model + legs[2].model
    g, h = np.array([leg.x[0] for leg in legs]), np.array([leg.x2[0] for leg in legs])
    x = transfer.inverse(g)
    found = transfer.model(whole, x, h)
    np.testing.assert_allclose(found.inertia, np.diag(INERTIAS), atol=1e-13)
    np.testing.assert_allclose(found.power, 0, atol=1e-13)
    as_printed = transfer.quadratic(x, transfer.dot(x.T, whole.power) - transfer.dot(whole.inertia, h))
    assert np.abs(as_printed).max() > 0.1
