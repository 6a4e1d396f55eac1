"""Freeman 1985, Appendix B: the wrist-partitioned arm, over trigonometric polynomials with all lengths symbols."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.equations.derive import EquationsModel
from dalembert.formulations.influence import PointInfluence
from dalembert.formulations.kinematics import frames
from dalembert.mechanisms import transfer


class Wrist:
    """The first three joints; P is the wrist point. ``r`` and ``z`` are its radius and height above joint 2."""

    def __init__(self) -> None:
        arm = da.Arm.from_dh(
            [
                {"name": "1", "alpha": da.Angle.quarters(1), "d": "0.7", "mass": 1},
                {"name": "2", "a": "0.4", "mass": 1},
                {"name": "3", "a": "0.3", "mass": 1},
            ]
        )
        found = EquationsModel(arm, "symbols")
        self.ring, chain = found.ring, found.chain
        at = PointInfluence(chain, frames(chain, self.ring, self.ring.positions), *[chain.tool_body, chain.tool[1]])
        joints = range(3)
        self.g = objects([[at.shift(n)[x] for n in joints] for x in range(3)])
        self.h = objects([[[at.shift2(m, n)[x] for n in joints] for m in joints] for x in range(3)])
        self.d = objects(
            [[[[at.shift3(k, m, n)[x] for n in joints] for m in joints] for k in joints] for x in range(3)]
        )
        (self.s1, self.c1), (s2, c2), (self.s23, self.c23) = (self.ring.pair(k) for k in range(3))
        self.a23, self.a34 = self.ring.symbol("a2"), self.ring.symbol("a3")
        self.r = self.a23 * c2 + self.a34 * self.c23
        self.z = self.a23 * s2 + self.a34 * self.s23
        self.x, self.det = transfer.adjugate(self.g)


def objects(rows: Any) -> Any:
    """Nested lists as an array of ring numbers; structural zeros stay plain integers."""
    shape, level = [], rows
    while isinstance(level, list):
        shape.append(len(level))
        level = level[0]
    found = np.empty(shape, dtype=object)
    for place in np.ndindex(*shape):
        entry = rows
        for k in place:
            entry = entry[k]
        found[place] = entry
    return found


def same(a: Any, b: Any) -> bool:
    """Equality of normal forms, entry by entry."""
    return all((x - y) == 0 for x, y in zip(a.flat, b.flat, strict=True))


@pytest.fixture(scope="module")
def wrist() -> Wrist:
    return Wrist()


def test_first_and_second_order_coefficients_are_those_of_table_b1(wrist: Wrist) -> None:
    w = wrist
    s1, c1, r, z = w.s1, w.c1, w.r, w.z
    s, c = w.a34 * w.s23, w.a34 * w.c23
    assert same(w.g, objects([[-r * s1, -z * c1, -s * c1], [r * c1, -z * s1, -s * s1], [0, r, c]]))
    # Printed with c1 for s1 in entry (2, 1), and with c1 for s1 in entry (2, 2) of the second plane.
    x = [[-r * c1, z * s1, s * s1], [z * s1, -r * c1, -c * c1], [s * s1, -c * c1, -c * c1]]
    y = [[-r * s1, -z * c1, -s * c1], [-z * c1, -r * s1, -c * s1], [-s * c1, -c * s1, -c * s1]]
    # Printed with -a34 c23 in entry (3, 3).
    height = [[0, 0, 0], [0, -z, -s], [0, -s, -s]]
    assert same(w.h, objects([x, y, height]))


def test_the_inverse_of_g_is_that_of_b6(wrist: Wrist) -> None:
    w = wrist
    s1, c1, r, z = w.s1, w.c1, w.r, w.z
    (s2, c2), a23, a34 = w.ring.pair(1), w.a23, w.a34
    s3 = w.s23 * c2 - w.c23 * s2
    # B-6 printed with s2, c2 where the exact inverse has s23, c23 in its second row.
    s23, c23 = w.s23, w.c23
    common = r * a23 * a34 * s3
    printed = objects(
        [
            [-s1 * a23 * a34 * s3, c1 * a23 * a34 * s3, 0],
            [c1 * c23 * r * a34, s1 * c23 * r * a34, s23 * r * a34],
            [-r * c1 * r, -r * s1 * r, -z * r],
        ]
    )
    assert same(w.x * common, printed * w.det)
    assert w.det == -common or w.det == common


def test_transferred_second_order_coefficients_are_exactly_those_of_b8(wrist: Wrist) -> None:
    w = wrist
    sin2, cos2 = 2 * w.s1 * w.c1, w.c1 * w.c1 - w.s1 * w.s1
    b8 = objects([[sin2, -cos2, 0], [-cos2, -sin2, 0], [0, 0, 0]])
    transferred = transfer.second(w.x, w.h)  # det^3 times the coefficients
    assert same(transferred[0] * (w.r * w.r), b8 * (w.det * w.det * w.det))
    printed_b9 = objects([[sin2, -cos2, 0], [-cos2, sin2, 0], [0, 0, 0]])
    assert not same(transferred[0] * (w.r * w.r), printed_b9 * (w.det * w.det * w.det))


def test_the_direct_derivation_of_b15_agrees_with_b8_by_the_sign_that_is_not_printed(wrist: Wrist) -> None:
    """- (2/r^2) (P^x' c1 + P^y' s1) (P^y' c1 - P^x' s1), since r theta_1'' = d(r theta_1')/dt - r' theta_1'."""
    w = wrist
    outward, across = objects([w.c1, w.s1, 0]), objects([-w.s1, w.c1, 0])
    # The symmetric matrix of 2 (outward . P') (across . P'), times r^2.
    b15 = -(np.outer(outward, across) + np.outer(across, outward))
    transferred = transfer.second(w.x, w.h)[0] * (w.r * w.r)
    cube = w.det * w.det * w.det
    assert same(transferred, b15 * cube)
    assert not same(transferred, -b15 * cube)


def test_third_order_coefficients_of_joint_one_are_those_of_its_arctangent(wrist: Wrist) -> None:
    """theta_1 = atan2(Py, Px): its third derivatives are the exact judge of the closed form of (3-47)."""
    w = wrist
    det, r = w.det, w.r
    x2 = transfer.second(w.x, w.h)
    # det^5 times the coefficients; D[X, X, X] is of one degree less in X than H[X2, X].
    found = -np.einsum("pn,nabc->pabc", w.x, transfer.cubic(w.x, w.d) * det + transfer.paired(w.h, w.x, x2))
    s1, c1 = w.s1, w.c1
    s3 = 3 * s1 - 4 * s1 * s1 * s1
    c3 = 4 * c1 * c1 * c1 - 3 * c1
    # atan2 is the imaginary part of log(Px + i Py), whose third derivative is 2/(Px + i Py)^3.
    by_y_count = [-2 * s3, 2 * c3, 2 * s3, -2 * c3]
    for place in np.ndindex(3, 3, 3):
        entry = found[(0, *place)] * (r * r * r)
        if 2 in place:
            assert entry == 0
        else:
            assert entry == by_y_count[sum(place)] * (det * det * det * det * det)
