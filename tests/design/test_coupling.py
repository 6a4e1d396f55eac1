"""Coupling, parts, significance, sensitivities, counterweights and the review."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.drives import Actuator, DriveTrain
from dalembert.arm.errors import ArmError
from dalembert.arm.exact import exact
from dalembert.arm.inertia import Inertia
from dalembert.arm.moving_parts import Rotor
from dalembert.design.certified_ranges import CertifiedRanges
from dalembert.design.counterbalance import with_weight
from dalembert.design.coupling import WORK, bounded, coupling, moved_mass, pair
from dalembert.design.dominance import proof
from dalembert.design.motion_samples import MotionSamples
from dalembert.design.review import directions, masses, translation
from dalembert.design.review import gravity as gravity_guideline
from dalembert.equations.closed_form import Equations
from dalembert.reduction.coefficient_waves import CoefficientWaves
from dalembert.reduction.states import box_of, states_of


@pytest.fixture(scope="module")
def planar():
    return da.load("planar-2r")


def test_the_coupling_holds_every_pose_and_is_loading_times_kinematic_factor() -> None:
    arm = da.load("puma560-arm", physical="ignore")
    ask = arm.analysis()
    model, q = ask.waves, ask.box.samples(50_000)
    found = ask.coupling()
    assert found
    for c in found:
        i, j = arm.joint_names.index(c.first), arm.joint_names.index(c.second)
        k = np.abs(model.inertia(i, j)(q)) / np.sqrt(model.inertia(i, i)(q) * model.inertia(j, j)(q))
        assert k.max() <= c.proved <= 1
        assert c.largest <= c.proved
        assert k.max() <= c.largest * 1.01
        assert c.loading * c.kinematic == pytest.approx(c.largest)
        moved = moved_mass(arm)
        assert c.loading == pytest.approx(np.sqrt(moved[j] / moved[i]))
        # |K_ij| = |J_ij| over the mass that both joints move (19)
        radius = np.abs(arm.mass_matrix(q)[:, i, j]).max() / moved[j]
        assert radius <= c.gyration <= 1.02 * radius
    assert [c.largest for c in found] == sorted((c.largest for c in found), reverse=True)


def test_every_coupling_of_the_jpl_arm_is_proved_to_a_hundredth() -> None:
    arm = da.load("jpl-rrp")
    ask = arm.analysis()
    model, q = ask.waves, ask.box.samples(20_000, 8)
    found = ask.coupling()
    assert {(c.first, c.second) for c in found} >= {("joint1", "joint2"), ("joint1", "joint4")}
    for c in found:
        i, j = arm.joint_names.index(c.first), arm.joint_names.index(c.second)
        k = np.abs(model.inertia(i, j)(q)) / np.sqrt(model.inertia(i, i)(q) * model.inertia(j, j)(q))
        assert c.certified
        assert k.max() <= c.proved <= 1.011 * c.largest


@pytest.mark.parametrize("guess", [0.3, 0.6, 0.9])
def test_no_coupling_is_proved_below_one_that_a_pose_has(planar, guess: float) -> None:
    """The proof is tried from a largest value that is too small: what it gives must still hold for every pose."""
    model, box = CoefficientWaves(planar), box_of(planar)
    waves = model.inertia(0, 1), model.inertia(0, 0), model.inertia(1, 1)
    q = box.samples(20_000)
    k = np.abs(waves[0](q)) / np.sqrt(waves[1](q) * waves[2](q))
    worst = int(k.argmax())
    proved = bounded(*waves, box, q[worst], guess * float(k[worst]), 1e5)
    assert proved is None or proved >= k[worst]
    assert bounded(*waves, box, q[worst], float(k[worst]), 1e7) == pytest.approx(1.01 * k[worst], rel=1e-3)


@pytest.mark.parametrize("guess", [0.3, 0.6, 0.9])
def test_no_margin_is_proved_above_one_that_a_pose_has(guess: float) -> None:
    arm = da.load("jpl-rrp")
    model, box = CoefficientWaves(arm), box_of(arm)
    own, others = model.inertia(0, 0), [model.inertia(0, j) for j in range(1, arm.n) if len(model.inertia(0, j))]
    q = box.samples(5000)
    sums = sum(np.abs(wave(q)) for wave in others) / own(q)
    assert proof(own, others, box, guess * float(sums.max()), 1e5) is None


def test_a_coupling_of_which_no_multiple_stays_below_one_is_proved_below_one() -> None:
    found = pair(da.load("iiwa14").analysis(), 0, 2, WORK)
    assert 1.1 * found.largest > 1
    assert found.largest < found.proved < 1


def test_a_coupling_without_work_for_a_proof_is_bounded_by_one_and_says_so() -> None:
    (first, *_) = coupling(da.load("planar-2r").analysis(), work=0.0)
    assert first.largest <= first.proved <= 1


def test_ranges_that_are_known_serve_every_question(planar) -> None:
    heard: list[str] = []
    known = CertifiedRanges(planar, states_of(planar), tell=heard.append)
    assert coupling(known)[0].proved == pytest.approx(planar.analysis().coupling()[0].proved)
    again = [text for text in heard if text.startswith("range")]
    coupling(known)
    assert [text for text in heard if text.startswith("range")] == again
    links, whole = known.inertia(0, 0), da.load("jpl-rrp").driven.analysis().inertia(0, 0)
    assert links is known.inertia(0, 0)
    assert whole.minimum == pytest.approx(1.41998, abs=1e-5)
    assert whole.lower <= whole.minimum <= whole.maximum <= whole.upper
    assert whole.certified


def test_a_coupling_map_has_the_values_of_the_mass_matrix(planar) -> None:
    found = planar.analysis().coupling_map(0, 1, 0, 1, points=9)
    q = np.array([found.x[3], found.y[5]])
    D = planar.mass_matrix(q)
    assert found.values[5, 3] == pytest.approx(abs(D[0, 1]) / np.sqrt(D[0, 0] * D[1, 1]))
    with pytest.raises(ArmError, match="two different joints"):
        planar.analysis().coupling_map(0, 0, 0, 1)
    with pytest.raises(ArmError, match="one of the two that move; leave it out of at"):
        planar.analysis().coupling_map(0, 1, 0, 1, {"q1": 0.5})


def test_diagonal_dominance_is_that_of_the_mass_matrix(planar) -> None:
    rows = planar.analysis().dominance()
    D = planar.mass_matrix(rows[0].at)
    assert rows[0].least == pytest.approx((D[0, 0] - abs(D[0, 1])) / D[0, 0])


def test_no_pose_is_below_a_proved_margin_and_a_no_has_its_pose() -> None:
    arm = da.load("jpl-rrp")
    ask = arm.analysis()
    D = np.abs(arm.mass_matrix(ask.box.samples(20_000, 8)))
    diagonal = np.diagonal(D, axis1=1, axis2=2)
    margins = 2 - D.sum(axis=2) / diagonal
    found = ask.dominance()
    for row, sampled in zip(found, margins.min(axis=0), strict=True):
        assert row.least <= sampled + 1e-9
        if row.least > 0:
            assert row.dominant
            assert row.proved <= row.least
            assert row.least - row.proved <= 0.011 * (1 - row.least) + 1e-12
        else:
            assert row.dominant is False
    assert {row.dominant for row in found} == {True, False}


def test_translation_and_rotation_add_up(planar) -> None:
    for part in planar.analysis().part_shares(velocity=True):
        assert part.whole <= part.translational + part.rotational + 1e-12
        assert 0 <= part.share <= 1


def test_translation_is_what_the_mass_centres_do_and_rotation_what_the_bodies_do_about_them() -> None:
    """Each part is the root mean square of its share of D over all poses, the column of a unit acceleration."""
    arm = da.load("puma560-arm", physical="ignore")
    q = box_of(arm).samples(20_000)
    columns = [arm.parts(q, np.zeros(arm.n), unit) for unit in np.eye(arm.n)]
    found = {part.name: part for part in arm.analysis().part_shares()}
    for name in ("D11", "D22", "D33", "D23"):
        i, j = (int(digit) - 1 for digit in name[1:])
        both = columns[j].translational, columns[j].rotational
        move, turn = (np.sqrt(np.mean(part.inertia[:, i] ** 2)) for part in both)
        assert found[name].translational == pytest.approx(move, rel=0.02)
        assert found[name].rotational == pytest.approx(turn, rel=0.02)
        assert found[name].share == pytest.approx(move / (move + turn), rel=0.02)
    # Point masses have no part that turns.
    links = tuple(
        replace(link, inertia=da.Inertia.of(link.inertia.mass, link.inertia.com, (0, 0, 0))) for link in arm.links
    )
    for part in replace(arm, links=links).analysis().part_shares(velocity=True):
        assert part.rotational <= 1e-12
        assert part.share == pytest.approx(1)


def test_terms_are_ranked_by_what_they_can_contribute(planar) -> None:
    ask = planar.analysis(speed=2.0, acceleration=5.0)
    found = ask.significance()
    by_joint = [t for t in found if t.joint == planar.joint_names[0]]
    assert [t.largest for t in by_joint] == sorted((t.largest for t in by_joint), reverse=True)
    d11 = next(t for t in by_joint if t.name == "D11")
    values = ask.waves.wave("D11")(ask.box.samples(50_000))
    assert values.max() * 5 <= d11.proved
    assert d11.rms == pytest.approx(np.sqrt((values**2).mean() * 25 / 3), rel=0.01)
    still = ask.significance(MotionSamples("it", np.zeros((3, 2)), np.zeros((3, 2)), np.ones((3, 2))))
    assert next(t for t in still if t.name == "D11").largest == pytest.approx(planar.mass_matrix([0.0, 0.0])[0, 0])


def test_gear_ratios_and_rotors_move_the_ranges_of_a_driven_arm() -> None:
    arm = da.load("irb6", physical="ignore").driven
    found = {one.parameter: one for one in arm.analysis().sensitivities("D22")}
    motor = arm.drives.actuators[1]
    (joint, ratio), *_ = motor.ratios
    some = found[f"ratio({motor.name}, {joint})"]
    step = ratio / 1000
    ends = []
    for sign in (1, -1):
        changed = replace(motor, ratios=((joint, ratio + sign * step), *motor.ratios[1:]))
        train = replace(arm.drives, actuators=(arm.drives.actuators[0], changed, *arm.drives.actuators[2:]))
        ends.append(replace(arm, drives=train).analysis().range_of("D22").maximum)
    assert some.of_maximum == pytest.approx((ends[0] - ends[1]) / float(2 * step), rel=1e-5)
    rotor = found[f"inertia({motor.name})"]
    assert rotor.relative == pytest.approx(float(motor.rotor.inertia * ratio**2) / ends[0], rel=1e-2)
    assert (some.unit, some.slope_unit) == ("", "kg m²")
    assert (rotor.unit, rotor.slope_unit) == ("kg m²", "kg m² per kg m²")
    assert not any("(" in one.parameter for one in da.load("irb6", physical="ignore").analysis().sensitivities("D22"))


def test_slopes_to_ratios_are_exact_where_they_are_zero_and_where_twice_as_much_would_hold_a_joint_fast() -> None:
    """D22 = D22 of the links + J (w_2 + N_a2)^2 and so on: a quadratic in every ratio, whatever the ratio is."""
    arm = da.load("planar-2r")
    rotor = Rotor(exact("0.01"))
    for first in ({"joint1": 10, "joint2": 0}, {"joint1": 1, "joint2": 1}):
        motors = Actuator.of("a", first, rotor), Actuator.of("b", {"joint1": 2, "joint2": 1}, rotor)
        ask = arm.with_drives(DriveTrain(motors)).analysis()
        asked = ask.sensitivities("D22", ["ratio(a, joint2)", "ratio(b, joint2)"])
        slopes = {one.parameter: one.of_maximum for one in asked}
        assert slopes == pytest.approx({"ratio(a, joint2)": 0.02 * first["joint2"], "ratio(b, joint2)": 0.02})


def test_a_parameter_that_the_system_does_not_have_is_refused(planar) -> None:
    ask = planar.analysis()
    assert [one.parameter for one in ask.sensitivities("D11", "m2")] == ["m2"]
    for asked in (["m2", "m9"], "m22", ["inertia(motor1)"]):
        with pytest.raises(ArmError, match=r"no parameter '.*'; there are m1, "):
            ask.sensitivities("D11", asked)


def test_sensitivities_of_an_arm_that_slides_have_their_units() -> None:
    """D33 of a sliding joint is a mass; a motor that turns drives it over so many rad per m, a force motor over 1."""
    arm = da.load("jpl-rrp", physical="ignore")
    units = {one.parameter: (one.unit, one.slope_unit) for one in arm.driven.analysis().sensitivities("D33")}
    assert units["m3"] == ("kg", "kg per kg")
    assert units["ratio(motor3, joint3)"] == ("", "kg")
    assert units["inertia(motor3)"] == ("kg", "kg per kg")
    motors = tuple(Actuator.of(f"m{k}", {f"joint{k}": 200}, Rotor(exact(1e-4))) for k in range(1, 7))
    turning = arm.with_drives(DriveTrain(motors), physical="ignore")
    units = {one.parameter: (one.unit, one.slope_unit) for one in turning.analysis().sensitivities("D33")}
    assert units["ratio(m3, joint3)"] == ("rad/m", "kg per rad/m")
    assert units["inertia(m3)"] == ("kg m²", "kg per kg m²")


def test_a_sensitivity_is_the_slope_of_the_range(planar) -> None:
    some = next(one for one in planar.analysis().sensitivities("D11") if one.parameter == "m2")
    step = 1e-3
    links = []
    for link in planar.links:
        body = link.inertia
        if link.name == planar.bodies[1].joint.child:
            body = Inertia.of(body.mass + exact(step), body.com, body.central)
        links.append(replace(link, inertia=body))
    heavier = replace(planar, links=tuple(links))
    change = heavier.analysis().range_of("D11").maximum - planar.analysis().range_of("D11").maximum
    assert change / step == pytest.approx(some.of_maximum, rel=1e-3)


def test_a_counterweight_on_the_last_link_takes_the_load_off_its_joint() -> None:
    arm = da.load("planar-2r").with_gravity((0, -9.81, 0))
    ask = arm.analysis()
    found = ask.counterbalance(1, mass=2.0)
    assert found.exact
    assert found.before > 0
    assert found.after == pytest.approx(0, abs=1e-12)
    balanced = da.Arm.of(found.balanced)
    q = ask.box.samples(50)
    assert np.allclose(balanced.gravity_load(q)[:, 1], 0, atol=1e-12)
    assert found.mass == 2.0


def test_a_counterweight_says_in_a_sentence_what_it_does_and_whether_it_can_be_built() -> None:
    ask = da.load("articulated").analysis()
    heavy, exact = str(ask.counterbalance("joint2")), str(ask.counterbalance("joint3", mass=0.5))
    assert heavy.startswith("joint2: 22.5 kg on link upper arm, at (-0.7, 0, -0.15) m in its frame, lowers the largest")
    assert "from 51.503 to 7.3575 N m; no pose exceeds 7.3575 N m, and no weight on this link leaves less" in heavy
    assert heavy.endswith("half of the 15 kg that the joint moves; a spring with k a b = 44.145 N m does the same.")
    assert exact.endswith("takes the gravity load away, up to 7.3575 N m without it.")


def test_a_spring_of_the_strength_told_balances_as_the_weight_does() -> None:
    """k a b, from a above the axis to b on the link: the torque of a spring without free length is k a b sin(angle)."""
    arm = da.load("planar-2r").locked({"joint1": 0.0})
    found = arm.analysis().counterbalance("joint2", radius=0.05)
    assert found.heavy
    assert found.moves == pytest.approx(1.0)
    height, reach = 0.3, 0.25
    stiffness = found.spring / (height * reach)
    q = np.linspace(-3, 3, 50)[:, None]
    axis = arm.forward_kinematics(q)[:, :3, 3] - np.c_[np.cos(q), np.sin(q), 0 * q]
    point = axis + reach * np.c_[np.cos(q), np.sin(q), 0 * q]
    force = stiffness * (axis + np.array([0, height, 0]) - point)
    torque = np.cross(point - axis, force)[:, 2]
    np.testing.assert_allclose(torque, arm.gravity_load(q)[:, 0], atol=1e-9)


def test_a_counterweight_is_exact_for_numbers_that_no_decimal_writes() -> None:
    third = Fraction(1, 3)
    rows = [{"a": 0.5, "mass": 1, "com": (-0.2, 0, 0)}, {"a": third, "mass": third, "com": (-third / 7, third / 9, 0)}]
    arm = da.Arm.from_dh(rows, gravity=(0, -9.81, 0))
    found = arm.analysis().counterbalance(1)
    assert found.exact
    assert found.after == 0
    assert not Equations(found.balanced, "numbers").gravity[1]


def test_where_outer_joints_move_the_load_about_the_weight_lowers_the_largest_load() -> None:
    """G1 = A c1 + B c12: a weight takes A away and leaves B, the load of joint 2; more or less of it leaves more."""
    arm = da.load("planar-2r").with_gravity((0, -9.81, 0))
    found = arm.analysis().counterbalance(0)
    assert not found.exact
    assert 0 < found.after < found.before
    assert found.after == pytest.approx(arm.analysis().counterbalance(1).before, rel=1e-3)
    q = np.stack(np.meshgrid(*[np.linspace(-np.pi, np.pi, 73)] * 2), axis=-1)
    assert np.abs(da.Arm.of(found.balanced).gravity_load(q)[..., 0]).max() == pytest.approx(found.after, rel=1e-3)
    for factor in ("0.9", "1.1"):
        other = with_weight(arm, found.link, exact(factor) * exact(found.mass), tuple(map(exact, found.place)))
        assert np.abs(da.Arm.of(other).gravity_load(q)[..., 0]).max() > 1.01 * found.after
    with pytest.raises(ArmError, match="slides"):
        da.load("jpl-rrp").analysis().counterbalance("joint3")


def test_a_counterweight_makes_the_largest_load_least_and_proves_it() -> None:
    """articulated: G2 = 9.81 (4.5 c2 + 0.75 c23): 22.5 kg at 0.2 m leave 7.3575 N m, what joint 3 holds."""
    arm = da.load("articulated")
    found = arm.analysis().counterbalance("joint2", radius="0.2")
    assert found.mass == pytest.approx(22.5, rel=1e-5)
    assert found.after == pytest.approx(7.3575, rel=1e-5)
    assert found.least <= found.after * (1 + 1e-6)
    assert found.after - found.least <= 1e-5 * found.after
    assert found.after <= found.proved <= 1.001 * found.after


@pytest.mark.parametrize(("name", "joint"), [("irb6", "joint2"), ("jpl-rrp", "joint4"), ("ur5e", "wrist_1_joint")])
def test_no_weight_leaves_less_than_the_least_and_no_pose_has_more_than_is_proved(name: str, joint: str) -> None:
    """By moments all about the answer, and by poses that took no part in it."""
    arm = da.load(name)
    ask = arm.analysis()
    found = ask.counterbalance(joint)
    i = arm.joint_names.index(joint)
    q = ask.box.samples(40_000, 99)
    reached = np.abs(da.Arm.of(found.balanced).gravity_load(q)[:, i]).max()
    assert 0.95 * found.after < reached <= found.after * (1 + 1e-9) <= found.proved * (1 + 1e-9)
    assert found.after - found.least <= 1e-4 * found.after
    sizes = np.linalg.norm(found.moment)
    for step in 0.1 * sizes * np.vstack([np.eye(3), -np.eye(3)]):
        moment = np.array(found.moment) + step
        body = arm.bodies[i]
        turn, shift = body.after.exact
        origin = -np.array(turn, float).T @ np.array(shift, float)
        weight = float(np.linalg.norm(moment)) / 0.2
        spot = tuple(exact(float(x)) for x in origin + moment / weight)
        other = da.Arm.of(with_weight(arm, found.link, exact(weight), spot))
        assert other.analysis().gravity(i).largest >= found.least * (1 - 1e-6)


def test_the_least_load_of_irb6_joint2_is_that_of_a_grid_of_poses() -> None:
    """Independent: the load on a grid of poses, its largest magnitude brought down by a simplex search."""
    from scipy.optimize import minimize

    arm = da.load("irb6")
    ask = arm.analysis()
    found = ask.counterbalance("joint2")
    q = np.concatenate([ask.box.samples(20_000, 5), np.stack([ask.box.lower, ask.box.upper])])
    corners = np.random.default_rng(1).integers(0, 2, (4000, arm.n))
    q = np.concatenate([q, np.where(corners, ask.box.upper, ask.box.lower)])
    load = arm.gravity_load(q)[:, 1]
    unit = [da.Arm.of(with_weight(arm, found.link, Fraction(1), spot)) for spot in pulls(arm)]
    slopes = np.stack([one.gravity_load(q)[:, 1] for one in unit[:2]], axis=1) - unit[2].gravity_load(q)[:, 1:2]
    free = minimize(
        lambda u: np.abs(load + slopes @ u).max(), [0.0, 0.0], method="Nelder-Mead", options={"maxiter": 2000}
    )
    assert free.fun == pytest.approx(found.after, rel=0.02)
    assert found.after == pytest.approx(6.8006, abs=2e-3)


def pulls(arm: da.Arm) -> list[tuple[Fraction, ...]]:
    """Points a metre from the axis of joint 2 along x and y of its link, and on it."""
    turn, shift = arm.bodies[1].after.exact
    origin = [-sum(turn[k][a] * shift[k] for k in range(3)) for a in range(3)]
    return [tuple(o + (a == axis) for a, o in enumerate(origin)) for axis in (0, 1, 9)]


@pytest.mark.parametrize("radius", ["0.1", "0.2", "0.35"])
def test_a_counterweight_stands_at_its_radius_opposite_to_the_load(radius: str) -> None:
    """On the last link m r = m2 l2, on the other side of the axis, which is at the origin of its frame."""
    arm = da.load("planar-2r").with_gravity((0, -9.81, 0))
    body = arm.bodies[1].inertia
    found = arm.analysis().counterbalance(1, radius=radius)
    frames = arm.link_frames([0.3, 0.4])
    axis, tip = frames[arm.bodies[1].joint.child][:3, 3], arm.forward_kinematics([0.3, 0.4])[:3, 3]
    place = (frames[found.link] @ [*found.place, 1.0])[:3]
    centre = (frames[found.link] @ [*map(float, body.com), 1.0])[:3]
    assert np.linalg.norm(place - axis) == pytest.approx(float(radius))
    assert found.mass * (place - axis) == pytest.approx(-float(body.mass) * (centre - axis), abs=1e-12)
    assert np.linalg.norm(tip - axis) > 0.1


def test_the_review_tells_what_the_guidelines_say() -> None:
    found = da.load("cylindrical").analysis().review()
    verdicts = {f.guideline: f.verdict for f in found.findings}
    assert verdicts["No gravity load at the first joint"] == "met"
    assert verdicts["Axes parallel or at right angles"] == "met"
    assert len(found.findings) == 4
    assert all(f.text.endswith(".") for f in found.findings)


@pytest.mark.parametrize(
    ("name", "slides", "verdict"),
    [("cartesian", 3, "met"), ("cylindrical", 2, "partly met"), ("spherical", 1, "partly met"),
     ("articulated", 0, "not met")],
)  # fmt: skip
def test_the_first_guideline_counts_the_joints_that_translate(name: str, slides: int, verdict: str) -> None:
    found = translation(da.load(name))
    assert found.verdict == verdict
    assert found.figures["translational joints"] == slides


@pytest.mark.parametrize(("twist", "verdict"), [(da.Angle.quarters(1), "met"), (0.4, "partly met")])
def test_the_second_guideline_names_axes_that_are_skew(twist: object, verdict: str) -> None:
    arm = da.Arm.from_dh([{"a": 0.5, "alpha": twist, "mass": 1}, {"name": "elbow", "a": 0.4, "mass": 1}])
    found = directions(arm, Equations(arm, "numbers"))
    assert found.verdict == verdict
    assert ("elbow" in found.text) == (verdict != "met")


@pytest.mark.parametrize(
    ("weights", "verdict"), [((3, 2, 1), "met"), ((1, 1, 1), "met"), ((1, 2, 1), "partly met"), ((1, 2, 3), "not met")]
)
def test_the_third_guideline_wants_masses_that_fall_from_base_to_hand(weights: tuple[int, ...], verdict: str) -> None:
    arm = da.Arm.from_dh([{"name": f"j{k}", "a": 0.5, "mass": m} for k, m in enumerate(weights, start=1)])
    found = masses(arm, ())
    assert found.verdict == verdict
    assert found.text.count("heavier than the link before it") == sum(b > a for a, b in pairwise(weights))
    assert found.figures["mass moved by j1"] == sum(weights)


def test_a_link_that_is_heavy_by_its_load_is_said_to_hold_it() -> None:
    arm = da.Arm.from_dh([{"name": f"j{k}", "a": 0.5, "mass": m} for k, m in enumerate((3, 2, 1), start=1)])
    hand, middle = (masses(arm.holding(da.Load(4), link), ()).text for link in ("", arm.link_names[2]))
    assert hand.startswith(f"link {arm.link_names[3]} with its load (5 kg) is heavier than the link before it (2 kg)")
    assert middle.startswith(f"link {arm.link_names[2]} with its load (6 kg) is heavier")
    bare = da.Arm.from_dh([{"a": 0.5, "mass": 1}, {"a": 0.5, "mass": 2}])
    assert masses(bare, ()).text.startswith(f"link {bare.link_names[2]} (2 kg) is heavier")


@pytest.mark.parametrize(("gravity", "verdict"), [((0, 0, -9.81), "met"), ((0, -9.81, 0), "not met")])
def test_the_fourth_guideline_asks_for_no_work_against_gravity_at_the_first_joint(
    gravity: tuple[float, ...], verdict: str
) -> None:
    arm = da.load("planar-2r").with_gravity(gravity)
    found = gravity_guideline(arm.analysis())
    assert found.verdict == verdict
    # Both links stretched out level.
    assert found.figures["G1"] == pytest.approx(np.abs(arm.gravity_load([0.0, 0.0])[0]), abs=1e-9)


def test_two_designs_side_by_side(planar) -> None:
    ask = planar.analysis()
    same = ask.compare(ask)
    assert not any(c.changed for c in same)
    heavier = planar.holding(da.Load(mass=1.0))
    found = ask.compare(ask.of(heavier))
    assert next(c for c in found if c.name == "D11 greatest").change > 0
    assert next(c for c in found if c.name == "mass moved by joint 2").second == 2.0


def test_a_design_with_fewer_joints_or_no_drives_has_no_figure_where_the_other_has_one(planar) -> None:
    found = {c.name: c for c in da.load("planar-3r").analysis().compare(planar.analysis())}
    assert found["D33 greatest"].second is None
    assert found["D33 greatest"].change is None
    assert found["k13"].second is None
    assert found["G1 largest"].change == pytest.approx(found["G1 largest"].second / found["G1 largest"].first - 1)


def test_figures_at_the_motor_and_with_a_load_are_those_of_the_tables() -> None:
    arm, load = da.load("jpl-rrp").driven, da.Load(1.8)
    light = arm.locked({"joint6": 0})
    empty, held = arm.analysis(), arm.holding(load).analysis()
    rows = empty.compare(light.analysis(), (held, light.holding(load).analysis()))
    found = {c.name: c for c in rows}
    table = empty.ranges(held)
    assert found["G2 largest with load"].first == pytest.approx(table.gravity[1].loaded.largest)
    assert found["G2 largest at the motor"].first == pytest.approx(table.gravity[1].loaded.largest / 100)
    assert found["D11 greatest at the motor"].first == pytest.approx(table.inertia[0].loaded.maximum / 100**2)
    assert found["G3 share of what the drive gives"].first == pytest.approx(table.gravity[2].loaded.largest / 98.7)
    assert found["D66 greatest"].second is None


def test_an_inertia_below_zero_is_refused_and_no_ratio_to_it_is_told() -> None:
    """The second link has less inertia about its mass centre than any body: D22 is below zero everywhere."""
    arm = da.load("planar-2r")
    links = [replace(link, inertia=replace(link.inertia, tensor=tuple(
        tuple(-9 * x for x in row) for row in link.inertia.tensor))) if at == len(arm.links) - 1 else link
        for at, link in enumerate(arm.links)]  # fmt: skip
    ask = replace(arm, links=tuple(links)).analysis()
    for question in (ask.coupling, ask.dominance):
        with pytest.raises(ArmError, match=r"the inertia about 'joint\d' \(D\d\d\) comes to -.* kg m\^2 at a pose"):
            question()
