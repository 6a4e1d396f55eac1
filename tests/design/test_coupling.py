"""Coupling, parts, significance and the review."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.design.certified_ranges import CertifiedRanges
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
