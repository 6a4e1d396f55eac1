"""The built-in arms against the publications they come from."""

from __future__ import annotations

import tomllib
from fractions import Fraction

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError, PhysicalWarning
from dalembert.arm.io.files import CATALOG, catalog_names, read

QUARTER = np.pi / 2
UNREAL = dict.fromkeys(("puma560", "puma560-arm", "puma560-lee"), ("link1", "link3"))


def raw(name: str) -> dict[str, object]:
    return tomllib.loads((CATALOG / f"{name}.toml").read_text(encoding="utf-8"))


def load(name: str) -> da.Arm:
    return da.load(name, physical="ignore")


@pytest.mark.parametrize("name", catalog_names())
def test_every_number_has_its_source(name: str) -> None:
    file = raw(name)
    assert file["name"] == name
    assert file["title"]
    assert file["sources"]
    for joint in file["joints"]:  # type: ignore[attr-defined]
        assert joint["source"]
        assert joint["link"]["source"]
    arm = load(name)
    said = " ".join(arm.sources)
    assert all(joint.name in said and joint.child in said for joint in arm.joints)


@pytest.mark.parametrize("name", [name for name in catalog_names() if name not in UNREAL])
def test_all_bodies_but_the_pumas_can_be(name: str) -> None:
    read(name, physical="error")


@pytest.mark.parametrize("name", UNREAL)
def test_the_consensus_puma_is_used_as_published_and_said_to_be_unreal(name: str) -> None:
    with pytest.warns(PhysicalWarning) as caught:
        arm = read(name)
    assert len(caught) == 1
    assert all(f"link '{link}'" in str(caught[0].message) for link in UNREAL[name])
    assert arm.link("link3").inertia.central[1][1] == Fraction("0.086")
    with pytest.raises(ArmError, match="triangle inequality"):
        read(name, physical="error")


@pytest.mark.parametrize(
    ("name", "q", "place"),
    [
        # Corke's toolbox: fkine(qz) of the PUMA 560, without the height of the base.
        ("puma560", [0] * 6, (0.4521, -0.15005, 0.4318)),
        # Sums of the published lengths, arm stretched: 360 + 420 + 400 + 126 mm for the iiwa (KUKA data sheet).
        ("iiwa14", [0] * 7, (0, 0, 1.306)),
        ("panda", [0] * 7, (0.088, 0, 0.333 + 0.316 + 0.384 - 0.107)),
        ("ur5e", [0] * 6, (-0.425 - 0.3922, -0.1333 - 0.0996, 0.1625 - 0.0997)),
        ("planar-3r", [0] * 3, (2.3, 0, 0)),
        ("cartesian", [1, 2, 3], (2, 3, 1)),
        ("cylindrical", [0, 1, 2], (2, 0, 1)),
        ("spherical", [0, QUARTER, 2], (2, 0, 0.5)),
        # Bejczy 1974, U63 and U61: boom upright, hand above it, beside the post by r2.
        ("jpl-rrp", [0, 0, 1, 0, 0, 0], (0, 0.162, 1.2476)),
        ("stanford", [0, 0, 1, 0, 0, 0], (0, 0.154, 0.412 + 1.263)),
        # Lee, Lee and Nigam 1982, A01 A12 A23 with d2.
        ("puma560-arm", [0, 0, 0], (0.4318 - 0.02032, 0.14909, 0)),
        ("puma560-lee", [0] * 6, (0.4318 - 0.02032, 0.14909, 0.43307 + 0.05625)),
    ],
)
def test_the_tool_stands_where_the_drawing_has_it(name: str, q: list[float], place: tuple[float, ...]) -> None:
    np.testing.assert_allclose(load(name).forward_kinematics(q)[:3, 3], place, atol=1e-12)


def test_puma_gravity_loads_are_those_of_the_toolbox() -> None:
    arm = load("puma560")
    nominal = [0, np.pi / 4, np.pi, 0, np.pi / 4, 0]
    np.testing.assert_allclose(arm.gravity_load(nominal), [0, 31.6399, 6.0351, 0, 0.0283, 0], atol=5e-5)
    np.testing.assert_allclose(arm.gravity_load(np.zeros(6)), [0, 37.4837, 0.2489, 0, 0, 0], atol=5e-5)


def test_puma_inertia_with_its_rotors_is_that_of_the_toolbox() -> None:
    """Corke, Robotics, Vision and Control, 9.2: p560.inertia(qn), with rotor inertia times gear ratio squared."""
    arm = load("puma560")
    found = arm.driven.approximate("paul").mass_matrix([0, np.pi / 4, np.pi, 0, np.pi / 4, 0])
    np.testing.assert_allclose(np.diag(found), [3.6594, 4.4137, 0.9378, 0.1925, 0.1713, 0.1941], atol=5e-5)
    np.testing.assert_allclose(found[0, 1:4], [-0.4044, 0.1006, -0.0025], atol=5e-5)
    np.testing.assert_allclose(found[1, 2:5], [0.3509, 0, 0.0024], atol=5e-5)


def test_lees_frames_and_corkes_describe_the_same_three_links() -> None:
    lee, corke = load("puma560-arm"), load("puma560").subarm(0, 2)
    rng = np.random.default_rng(3)
    q, qd, qdd = rng.uniform(-2, 2, (3, 20, 3))
    np.testing.assert_allclose(
        lee.inverse_dynamics(q + np.pi, qd, qdd), corke.inverse_dynamics(q, qd, qdd), rtol=1e-12, atol=1e-12
    )


def test_the_six_joints_of_lees_figure_3_are_those_of_the_puma_but_for_its_lengths() -> None:
    """Turned frames, lengths a millimetre or so apart: inertias within half a percent, the wrist's to rounding."""
    lee, corke = load("puma560-lee"), load("puma560")
    q = np.random.default_rng(3).uniform(-2, 2, (200, 6))
    turned = q + np.pi * np.array([1, 1, 1, 0, 0, 1])
    ours, theirs = lee.mass_matrix(turned), corke.mass_matrix(q)
    own = np.diagonal(theirs, axis1=1, axis2=2)
    difference = np.abs(ours - theirs) / np.sqrt(own[:, :, None] * own[:, None, :])
    assert 1e-4 < difference.max() < 5e-3
    assert difference[:, 3:, 3:].max() < 1e-12
    hands = lee.forward_kinematics(turned), corke.forward_kinematics(q)
    np.testing.assert_allclose(hands[0][:, :3, :3], hands[1][:, :3, :3], atol=1e-13)
    apart = hands[0][:, :3, 3] - hands[1][:, :3, 3] - 0.05625 * hands[1][:, :3, 2]
    assert np.linalg.norm(apart, axis=1).max() < 2e-3
    np.testing.assert_allclose(lee.lower[3:], np.radians([-110, -100, -266]))
    np.testing.assert_allclose(lee.upper[3:], np.radians([170, 100, 266]))
    np.testing.assert_array_equal(lee.lower[:3], load("puma560-arm").lower)


# -- Bejczy 1974 ------------------------------------------------------------------------------------

REACH = 1.1176
STRETCHED = [0, QUARTER, REACH, 0, 0, 0]
SIDE = 442e-6 ** (1 / 3)
"""Edge of the load, a cube of 442 cm^3."""


def total_inertia(q: list[float], mass: float = 0) -> np.ndarray:
    """D_ii with the input inertias of the drives, as in Table 1, holding a cube of this mass."""
    arm = load("jpl-rrp").holding(da.Load(mass, inertia=(mass * SIDE**2 / 6,) * 3))
    return np.diag(arm.driven.mass_matrix(q))


@pytest.mark.parametrize(
    ("joint", "q", "mass", "printed"),
    [
        (0, STRETCHED, 0, 6.176),
        (0, STRETCHED, 1.8, 9.57),
        (0, [0, 0, REACH, 0, QUARTER, 0], 0, 1.417),
        (1, STRETCHED, 0, 6.949),
        (1, STRETCHED, 1.8, 10.297),
        (2, STRETCHED, 0, 7.257),
        (2, STRETCHED, 1.8, 9.057),
        (3, [0, 0, REACH, 0, 0, 0], 0, 0.108),
        (3, [0, 0, REACH, 0, QUARTER, 0], 0, 0.123),
        (3, [0, 0, REACH, 0, QUARTER, 0], 1.8, 0.234),
        (4, STRETCHED, 0, 0.114),
        (4, STRETCHED, 1.8, 0.225),
        (5, STRETCHED, 1.8, 0.022),
    ],
)
def test_jpl_total_inertias_are_those_of_table_1(joint: int, q: list[float], mass: float, printed: float) -> None:
    """Within 1 percent: Bejczy summed ounces and inches rounded to three digits, and then converted."""
    np.testing.assert_allclose(total_inertia(q, mass)[joint], printed, rtol=0.01)


def test_jpl_least_inertia_at_joint_2_is_not_the_printed_one() -> None:
    """The printed 3.589 counts m5 z5 cos(theta5) at theta5 = 90 degrees, where eq. (60) has none."""
    m5_z5 = 0.63 * 0.0566
    m, b = 4.25 + 1.08 + 0.63 + 0.51, -4.25 * 0.6447 - 1.08 * 0.0092
    constant = 2.193 + 0.018 + 2.51 + 0.002 + 0.0004 + 0.0003
    for extra, least in ((0, 3.555), (m5_z5, 3.589)):
        assert constant - (b + extra) ** 2 / m == pytest.approx(least, abs=5e-3)
    found = total_inertia([0, 0, -b / m, 0, QUARTER, 0])[1]
    assert found == pytest.approx(constant - b**2 / m, rel=1e-12)


@pytest.mark.parametrize(
    ("joint", "q", "mass", "printed"),
    [
        (1, STRETCHED, 0, 44.75),
        (1, STRETCHED, 1.8, 68.77),
        (2, [0, 0, REACH, 0, 0, 0], 0, 63.5),
        (2, [0, 0, REACH, 0, 0, 0], 1.8, 81.17),
        (3, [0, QUARTER, REACH, 0, QUARTER, 0], 0, 1.138),
        (3, [0, QUARTER, REACH, 0, QUARTER, 0], 1.8, 5.503),
        (4, [0, 0, REACH, 0, QUARTER, 0], 0, 1.138),
        (4, [0, 0, REACH, 0, QUARTER, 0], 1.8, 5.503),
    ],
)
def test_jpl_gravity_loads_are_those_of_equations_92_to_99(
    joint: int, q: list[float], mass: float, printed: float
) -> None:
    load_held = da.Load(mass, inertia=(mass * SIDE**2 / 6,) * 3)
    found = load("jpl-rrp").holding(load_held).gravity_load(q)
    np.testing.assert_allclose(abs(found[joint]), printed, rtol=0.01)
    np.testing.assert_allclose(found[[0, 5]], 0, atol=1e-12)


def test_jpl_gravity_follows_equations_48_to_54() -> None:
    """Bejczy's D_i stand with the opposite sign: his eq. (1) subtracts them."""
    g, m2, m3, m4, m5, m6 = 9.81, 5.505, 4.25, 1.08, 0.63, 0.51
    z2, z3, y4, z4, z5, z6, r6 = -0.0079, -0.6447, 0.0092, -0.0054, 0.0566, -0.0922, 0.2476
    arm = load("jpl-rrp")
    for q in np.random.default_rng(1).uniform(-1, 1, (10, 6)):
        (s2, s4, s5), (c2, c4, c5), r3 = np.sin(q[[1, 3, 4]]), np.cos(q[[1, 3, 4]]), q[2]
        d2 = m2 * z2 * s2 + m3 * (z3 + r3) * s2 + m4 * ((r3 - y4) * s2 + z4 * c2 * c4)
        d2 += m5 * (z5 * (s2 * c5 + c2 * s4 * s5) + r3 * s2) + m6 * ((z6 + r6) * (c2 * s4 * s5 + s2 * c5) + r3 * s2)
        d3 = -(m3 + m4 + m5 + m6) * c2
        d4 = (-m4 * z4 * s4 + (m5 * z5 + m6 * (z6 + r6)) * c4 * s5) * s2
        d5 = (m5 * z5 + m6 * (z6 + r6)) * (s2 * s4 * c5 + c2 * s5)
        np.testing.assert_allclose(arm.gravity_load(q), -g * np.array([0, d2, d3, d4, d5, 0]), atol=1e-12)


# -- others -----------------------------------------------------------------------------------------


def test_panda_gravity_is_near_the_identified_model() -> None:
    """Coefficients of the authors' gravity vector; the feasible parameters reproduce them within the fit."""
    arm = load("panda").with_gravity((0, 0, -1))
    np.testing.assert_allclose(arm.gravity_load(np.zeros(7))[[1, 3]], [-0.3551, -0.3269], atol=0.006)
    np.testing.assert_allclose(arm.gravity_load([0, QUARTER, 0, 0, 0, 0, 0])[1], -4.7534, atol=0.006)


def present(values: np.ndarray) -> np.ndarray:
    """Which entries are not zero throughout the batch."""
    return np.abs(values).max(axis=0) > 1e-9


@pytest.mark.parametrize(
    ("name", "constant", "mutual", "centrifugal", "gravity"),
    [("cartesian", 3, 0, 0, 1), ("cylindrical", 2, 0, 1, 1), ("spherical", 1, 0, 3, 2), ("articulated", 1, 3, 6, 2)],
)
def test_positioning_arms_have_the_coefficients_of_tourassis_table_3(
    name: str, constant: int, mutual: int, centrifugal: int, gravity: int
) -> None:
    arm = load(name)
    q = np.random.default_rng(0).uniform(arm.lower, arm.upper, (30, 3))
    inertia, christoffel, weight = arm.mass_matrix(q), arm.christoffel(q), arm.gravity_load(q)
    assert np.sum(np.ptp(inertia, axis=0).diagonal() < 1e-9) == constant
    assert np.sum(present(inertia)[np.triu_indices(3, 1)]) == mutual
    assert np.sum(present(christoffel)[:, range(3), range(3)]) == centrifugal
    assert np.sum(present(weight)) == gravity


def test_a_planar_arm_has_the_textbook_mass_matrix() -> None:
    """Two rods of length and mass 1: D11 = 5/3 + cos q2, D12 = 1/3 + cos(q2)/2, D22 = 1/3."""
    for q2 in (0.0, 1.0):
        c = np.cos(q2)
        expected = [[5 / 3 + c, 1 / 3 + c / 2], [1 / 3 + c / 2, 1 / 3]]
        np.testing.assert_allclose(load("planar-2r").mass_matrix([0.4, q2]), expected, atol=1e-14)
    np.testing.assert_allclose(load("planar-2r").gravity_load([0, 0]), [2 * 9.81, 9.81 / 2], atol=1e-12)


def test_the_two_rods_have_the_form_of_textbooks() -> None:
    """Frames at the near joint: x is the distance of the mass centre from the joint, Czz the central inertia."""
    equations = load("planar-2r").equations("centre+lengths+gravity")
    assert equations["D11"].text() == "m₁ x₁² + Czz₁ + m₂ (l₁² + 2 l₁ x₂ c₂ + x₂²) + Czz₂"
    assert equations["D12"].text() == "m₂ x₂ (l₁ c₂ + x₂) + Czz₂"
    assert equations["G1"].text() == "m₁ g x₁ c₁ + m₂ g (l₁ c₁ + x₂ c₁₂)"
    assert equations["C112"].text() == "-m₂ l₁ x₂ s₂"
    assert equations.check("D11", "m1 x1^2 + Czz1 + m2 (l1^2 + x2^2 + 2 l1 x2 c2) + Czz2")


def test_the_two_rods_are_those_with_frames_at_their_far_ends() -> None:
    """The same rods as standard rows, whose frames are at the far ends: motion, torques and tool do not change."""
    row = {"a": 1, "mass": 1, "com": (Fraction(-1, 2), 0, 0), "inertia": (0, Fraction(1, 12), Fraction(1, 12))}
    rows, near = da.Arm.from_dh([row, row], gravity=(0, "-9.81", 0)), load("planar-2r")
    q, qd, qdd = np.random.default_rng(7).normal(size=(3, 20, 2))
    assert np.array_equal(near.inverse_dynamics(q, qd, qdd), rows.inverse_dynamics(q, qd, qdd))
    assert np.array_equal(near.forward_kinematics(q), rows.forward_kinematics(q))
    np.testing.assert_allclose(near.jacobian(q), rows.jacobian(q), atol=1e-15)
    np.testing.assert_allclose(near.potential_energy(q), rows.potential_energy(q), atol=1e-14)
