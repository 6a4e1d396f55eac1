"""Freeman 1985, Appendix C: the five-bar, Tables C-1 to C-3, inches, pounds and seconds as printed.

The printed numbers fix the linkage: links of 12, 24, 24 and 12 in. at 70, 35, -65 and -90 degrees, and all mass in
link 2: 2 lb (weight) at its middle, with a radius of gyration of sqrt(12) in.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dalembert.mechanisms import transfer
from mechanisms.planar import planar_arm
from mechanisms.printed import off

MASS = Fraction(20, 3864)  # 2 lb at 386.4 in/s^2
ANGLES = np.radians([70, 35, -65, -90])
RATE = np.array([2.0, 0, 0, 3.0])
RATE2 = np.array([1.0, 0, 0, 0.5])


class FiveBar:
    def __init__(self) -> None:
        arm = planar_arm((12, 24, 24, 12), (0, MASS, 0, 0), centres=(0, -12, 0, 0), spins=(0, 12 * MASS, 0, 0))
        self.phi = np.diff(ANGLES, prepend=0.0)
        tip = arm.influence(self.phi)
        first = np.eye(4)[:1]
        self.g = np.vstack([first, tip.point_first[:2], tip.rotation_first[2:]])
        self.h = np.concatenate([np.zeros((1, 4, 4)), tip.point_second[:2], tip.rotation_second[2:]])
        self.initial = transfer.TransferredModel(arm.mass_matrix(self.phi), arm.christoffel(self.phi), np.zeros(4))
        self.x = transfer.inverse(self.g)
        self.model = transfer.model(self.initial, self.x, self.h)
        self.frames = arm.link_frames(self.phi)
        self.middle = arm.influence(self.phi, "link2", (-12, 0, 0))
        self.joint2 = arm.influence(self.phi, "link1")
        self.joint4 = arm.influence(self.phi, "link3")


def rounding(bar: FiveBar) -> transfer.TransferredModel:
    """What half a unit of the last digit of the masses in Table C-2 can change in C-3, entry by entry."""
    inertia, power = np.zeros((4, 4)), np.zeros((4, 4, 4))
    for i, j in ((0, 0), (0, 1), (1, 1)):
        change: Any = np.zeros((4, 4))
        change[i, j] = change[j, i] = 0.0005
        moved = transfer.model(transfer.TransferredModel(change, np.zeros((4, 4, 4)), np.zeros(4)), bar.x, bar.h)
        inertia += np.abs(moved.inertia)
        power += np.abs(moved.power)
    moved = transfer.model(
        transfer.TransferredModel(np.zeros((4, 4)), bar.initial.power * (0.0005 / 0.428), np.zeros(4)), bar.x, bar.h
    )
    return transfer.TransferredModel(inertia, power + np.abs(moved.power), np.zeros(4))


@pytest.fixture(scope="module")
def bar() -> FiveBar:
    return FiveBar()


def test_table_c2_open_chain(bar: FiveBar) -> None:
    assert off(bar.g, "1 0 0 0\n8.71 19.98 33.75 12\n33.91 29.80 10.14 0\n1 1 1 1") == []
    assert off(-bar.h[1], "33.91 29.80 10.14 0\n29.80 29.80 10.14 0\n10.14 10.14 10.14 0\n0 0 0 0") == []
    assert (
        off(bar.h[2], "8.71 19.98 33.75 12.0\n19.98 19.98 33.75 12.0\n33.75 33.75 33.75 12.0\n12.0 12.0 12.0 12.0")
        == []
    )
    assert not bar.h[0].any()
    assert not bar.h[3].any()
    zeros = "\n0 0 0 0\n0 0 0 0"
    assert off(bar.initial.inertia, "2.774 1.418 0 0\n1.418 0.808 0 0" + zeros) == []
    assert off(bar.initial.power[0], "0 0.428 0 0\n0.428 0.428 0 0" + zeros) == []
    assert off(bar.initial.power[1], "-0.428 0 0 0\n0 0 0 0" + zeros) == []
    assert not bar.initial.power[2:].any()


def test_table_c3_constrained_system(bar: FiveBar) -> None:
    inertia = "411.24 -5.73 12.29 68.79\n-5.73 0.26 -0.55 -3.10\n12.29 -0.55 1.19 6.64\n68.79 -3.10 6.64 37.17"
    power = [
        "303.35 -0.18 -8.96 2.15\n-0.18 -0.24 -0.61 2.84\n-8.96 -0.61 0.52 7.27\n2.15 2.84 7.27 -181.56",
        "3.38 0.13 0.14 -1.58\n0.13 0.02 0.01 -0.20\n0.14 0.01 0.005 0.17\n-1.58 -0.20 -0.17 9.06",
        "-7.24 -0.28 -0.29 3.38\n-0.28 -0.04 -0.03 0.43\n-0.29 -0.03 -0.01 0.36\n3.38 0.43 0.36 -19.43",
        "-40.50 -1.58 -1.66 18.95\n-1.58 -0.20 -0.17 2.42\n-1.66 -0.17 -0.06 2.03\n18.95 2.42 2.03 -108.75",
    ]
    slack = rounding(bar)
    assert off(1e3 * bar.model.inertia, inertia, 1.0, 1e3 * slack.inertia) == []
    misprints = [[], [(3, 4)], [], []]  # printed 0.17 at (2; 3, 4), -0.17 at (2; 4, 3): it is symmetric
    found = [
        off(1e3 * plane, text, 1.0, 1e3 * room)
        for plane, text, room in zip(bar.model.power, power, slack.power, strict=True)
    ]
    assert found == misprints
    load = 1e3 * bar.model.torque(RATE, RATE2)
    assert off(load[1:, None], "68.83\n-147.60\n-825.92") == []
    assert abs(load[0] - 50.77) < 1 + 1e3 * slack.inertia[0, 0]


def test_table_c1_dyads(bar: FiveBar) -> None:
    rate = bar.x @ RATE
    rate2 = bar.x @ RATE2 + transfer.form(RATE, transfer.second(bar.x, bar.h))
    found = []
    for frame, at in ((bar.frames["link1"], bar.joint2), (bar.frames["link3"], bar.joint4)):
        velocity = at.point_first @ rate
        acceleration = at.point_first @ rate2 + transfer.form(rate, at.point_second)
        found += [[frame[k, 3], velocity[k], acceleration[k]] for k in (0, 1)]
    table = "4.10 -22.55 -27.69\n11.28 8.21 -41.0\n33.9 -36.0 -6.0\n-3.29 0.0 -108.0"
    assert off(np.array(found), table) == [(4, 1)]  # y of B is +3.29: the joint stands 12 in. above h at -8.71
    assert abs(found[3][0] - 3.29) < 0.01
    assert off(np.array([[rate[:2].sum(), rate2[:2].sum()]]), "-0.074 -3.405") == []
    middle = bar.middle.point_first @ rate2 + transfer.form(rate, bar.middle.point_second)
    place = bar.frames["link2"][:2, 3] - 12 * bar.frames["link2"][:2, 0]
    assert off(np.stack([place, middle[:2]], 1), "13.93 -4.31\n18.16 -74.51") == []
    force = float(MASS) * middle[:2]
    load = bar.model.torque(RATE, RATE2)
    # F^B and F^h are the loads that hold h: C-3 gives them; F^A is the rest of what accelerates link 2.
    assert off(load[None, 1:3], "0.07 -0.15") == []
    assert off((force - load[1:3])[None], "-0.09 -0.24") == []  # printed -0.009
    assert abs(load[0] - 0.05) < 0.01
    assert abs(load[3] + 0.83) < 0.01  # printed T_2 = +0.83; C-3 has the sign
