"""``system.analysis(...)`` answers for exactly that system: its load, its rotors, its gravity, its box.

The ranges come from the closed form, ``mass_matrix`` and ``gravity_load`` from the recursions: two ways to one number.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest

import dalembert as da
from dalembert.compile import build
from dalembert.design.analysis import Analysis
from dalembert.systems.arm_system import ArmSystem
from random_arms import decimal, random_arm, vector

POSES = 200
LOAD = da.Load(1.5, (0.01, 0.02, 0.05), (0.001, 0.002, 0.003))
SYSTEMS = {
    "links": lambda arm: arm,
    "driven": lambda arm: arm.driven,
    "driven with a load": lambda arm: arm.driven.holding(LOAD),
}


def agrees(ask: Analysis) -> None:
    """Every range of D_ij and G_i holds what the system says at sampled poses, and its ends are attained."""
    system, n = ask.system, ask.n
    q = ask.box.samples(POSES, 11)
    matrices, loads = system.mass_matrix(q), system.gravity_load(q)
    found = {("D", i, j): ask.inertia(i, j) for i in range(n) for j in range(i, n)}
    found |= {("G", i, i): ask.gravity(i) for i in range(n)}
    ends = np.stack([at for one in found.values() for at in (one.at_minimum, one.at_maximum)])
    at_ends = {"D": system.mass_matrix(ends), "G": system.gravity_load(ends)}
    scale = {"D": np.abs(matrices).max(), "G": max(np.abs(loads).max(), 1e-300)}
    for place, ((kind, i, j), one) in enumerate(found.items()):
        index = (i, j) if kind == "D" else (i,)
        values = (matrices if kind == "D" else loads)[(slice(None), *index)]
        slack = 1e-11 * scale[kind]
        assert one.lower - slack <= values.min(), (one.name, system)
        assert values.max() <= one.upper + slack, (one.name, system)
        assert one.lower <= one.minimum <= one.maximum <= one.upper
        attained = [at_ends[kind][(2 * place + end, *index)] for end in (0, 1)]
        assert attained == pytest.approx([one.minimum, one.maximum], rel=1e-10, abs=slack), (one.name, system)
        for at in (one.at_minimum, one.at_maximum):
            assert np.all((ask.box.lower - 1e-12 <= at) & (at <= ask.box.upper + 1e-12))


def random_train(rng: random.Random, arm: ArmSystem) -> da.DriveTrain:
    """Heavy rotors on any links about any axes, with mass of their own, every motor coupled to every joint."""
    actuators = []
    for number, joint in enumerate(arm.moving, start=1):
        ratios = {other.name: decimal(rng, -3, 3) for other in arm.moving} | {joint.name: decimal(rng, 5, 40)}
        spin = decimal(rng, 0.001, 0.02, 4)
        axis, place = vector(rng, 1.0, 2), vector(rng, 0.3, 2)
        rotor = da.Rotor.of(
            spin, rng.choice(arm.link_names), axis, place, decimal(rng, 0.5, 2, 2), spin * decimal(rng, 0.55, 2, 2),
            counted=rng.random() < 0.5,
        )  # fmt: skip
        actuators.append(da.Actuator.of(f"motor{number}", ratios, rotor))
    return da.DriveTrain(tuple(actuators))


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        (name, kind)
        for name in da.catalog()
        for kind in SYSTEMS
        if kind != "driven" or da.load(name, physical="ignore").drives  # otherwise the links once more
    ],
)
def test_every_range_of_every_arm_holds_what_the_system_says_and_is_attained(name: str, kind: str) -> None:
    """A little work for each proof: wide bounds are as true as narrow ones."""
    agrees(SYSTEMS[kind](da.load(name, physical="ignore")).analysis(gap=0.01, work=1e3))


@pytest.mark.parametrize("seed", range(8))
def test_ranges_of_random_arms_with_random_drive_trains_hold_what_the_system_says(seed: int) -> None:
    rng = random.Random(seed)
    arm = da.Arm.of(random_arm(rng, 2 + seed % 2, tree=seed % 4 == 3))
    box = {i: (-0.4, 0.7) for i, joint in enumerate(arm.moving) if joint.kind == "prismatic"}
    driven = arm.with_drives(random_train(rng, arm))
    for system in (driven, driven.holding(LOAD), driven.approximate("szkodny"), driven.approximate("paul")):
        agrees(system.analysis(box, gap=0.01, work=1e5))


def test_a_transmission_that_varies_by_sines_has_ranges_and_one_with_a_root_is_refused_in_a_sentence() -> None:
    arm = da.load("planar-2r")

    def turns(ring, q):
        sin, cos = ring.sincos(q[1])
        return [50 * q[0] + 10 * sin, 30 * q[1] + 5 * cos]

    motors = [da.Actuator.of(f"motor{k}", {f"joint{k}": 1}, da.Rotor.of("0.002", arm.links[0].name)) for k in (1, 2)]
    driven = arm.with_drives(da.DriveTrain(tuple(motors), turns=turns))
    q = driven.analysis().states.box.samples(3000)
    for i, j in ((0, 0), (0, 1), (1, 1)):
        found = driven.analysis().range_of(f"D{i + 1}{j + 1}")
        values = driven.mass_matrix(q)[:, i, j]
        assert found.lower <= values.min()
        assert found.upper >= values.max()
        assert (values.min(), values.max()) == pytest.approx((found.minimum, found.maximum), rel=0.02)

    def root(ring, q):
        return [50 * q[0], ring.sqrt(q[1] * q[1] + 1)]

    rooted = arm.with_drives(da.DriveTrain(tuple(motors), turns=root))
    with pytest.raises(da.ArmError, match="closed form"):
        rooted.analysis().ranges()


def test_the_second_joint_of_the_irb6_has_17_to_19_with_its_rotors() -> None:
    found = da.load("irb6").driven.analysis().range_of("D22")
    assert (found.minimum, found.maximum) == pytest.approx((17.22, 19.08), abs=0.005)
    assert found.certified
    links = da.load("irb6").analysis().range_of("D22")
    assert (links.minimum, links.maximum) == pytest.approx((4.1127, 5.9714), abs=1e-4)


def test_coupled_wrist_motors_couple_joints_that_the_links_do_not() -> None:
    arm = da.load("puma560", physical="ignore")
    whole, links = (system.analysis().range_of("D56") for system in (arm.driven, arm))
    assert whole.largest > 0.01
    assert links.largest < 1e-6
    # An inertia at each joint alone has no such term.
    assert arm.driven.approximate("diagonal").analysis().range_of("D56").largest == pytest.approx(links.largest)


def test_another_box_another_gravity_and_locked_joints_are_those_of_the_system_asked() -> None:
    arm = da.load("jpl-rrp").driven.with_gravity((0, 1, -1.62)).locked({"joint6": 0.3})
    ask = arm.analysis({"joint3": (0.2, 0.5), "joint5": (-0.4, 1.1)}, gap=0.01, work=1e4)
    assert (ask.box.lower[2], ask.box.upper[2]) == (0.2, 0.5)
    assert ask.n == 5
    agrees(ask)


def test_the_same_questions_about_another_system_keep_box_speeds_gap_and_work() -> None:
    arm = da.load("jpl-rrp").driven
    ask = arm.analysis({"joint3": (0.2, 0.5), "joint6": (0.0, 1.0)}, 1.5, 4.0, gap=0.02, work=1e4)
    other = ask.of(arm.holding(LOAD))
    assert np.array_equal(other.box.upper, ask.box.upper)
    assert np.array_equal(other.states.speed, ask.states.speed)
    assert np.array_equal(other.states.acceleration, ask.states.acceleration)
    assert (other.gap, other.work, other.narrowed) == (0.02, 1e4, True)
    # A joint that the other system does not have is passed over.
    fewer = ask.of(arm.locked({"joint6": 0}))
    assert fewer.box.upper[2] == 0.5
    assert fewer.n == 5


@pytest.mark.parametrize("key", ["joint2", "q2", 1])
def test_a_box_holds_for_another_system_by_whatever_name_its_joints_have(key: str | int) -> None:
    arm = da.load("planar-2r")
    other = arm.analysis({key: (0.0, 0.5)}).of(arm.holding(da.Load(1)))
    assert (other.box.lower[1], other.box.upper[1]) == (0.0, 0.5)
    assert other.narrowed


def proved(ask: Analysis, names: Sequence[str]) -> list[tuple[float, float]]:
    return [(one.tolerance / (one.maximum - one.minimum), one.gap) for one in map(ask.range_of, names)]


def test_the_gap_asked_for_is_a_share_of_the_spread_of_ranges_and_of_ratios() -> None:
    names = ("D11", "G2", "D12/D11", "D11+D22")
    arm = da.load("puma560-arm", physical="ignore").driven
    for gap in (0.1, 0.005):
        for tolerance, left in proved(arm.analysis(gap=gap), names):
            assert tolerance == pytest.approx(gap, rel=0.1)
            assert left >= 0
    loose, tight = (proved(arm.analysis(gap=gap), names) for gap in (0.1, 0.005))
    assert all(a[1] >= b[1] for a, b in zip(loose, tight, strict=True))
    for name in ("D11", "D12/D11"):
        with pytest.raises(da.ArmError, match="gap of a range must be above zero"):
            arm.analysis(gap=-1.0).range_of(name)


def test_less_effort_gives_looser_bounds_and_no_wrong_ones() -> None:
    arm = da.load("puma560-arm", physical="ignore")
    usual, hurried = arm.analysis(), arm.analysis(effort=1e-6)
    for one, other in zip(usual.significance(), hurried.significance(), strict=True):
        assert other.proved >= one.largest * (1 - 1e-9)
    pairs = {(c.first, c.second): c for c in usual.coupling()}
    looser = [c for c in hurried.coupling() if c.proved > pairs[c.first, c.second].proved]
    assert looser
    assert all(c.proved >= pairs[c.first, c.second].largest for c in hurried.coupling())
    assert hurried.of(arm).effort == 1e-6
    for wrong in (0.0, -1.0, 1.5):
        with pytest.raises(da.ArmError, match="effort is a share of the usual work"):
            arm.analysis(effort=wrong)


def test_one_analysis_derives_the_equations_once_and_each_range_once(derived: list[tuple[object, object]]) -> None:
    heard: list[str] = []
    ask = da.load("puma560-arm", physical="ignore").driven.analysis(work=1e4, tell=heard.append)
    first, again = ask.ranges(), ask.ranges()
    assert first.inertia[0].empty is again.inertia[0].empty
    ask.coupling(), ask.coupling(), ask.gravity_balance(), ask.gravity_balance(), ask.significance(), ask.slow_fast()
    ask.dominance(), ask.part_shares(), ask.range_of("D12"), ask.range_of("D12/D11"), ask.reduce(0.3)
    assert len(derived) == len({(id(arm), parameters) for arm, parameters in derived})
    assert [parameters for arm, parameters in derived if arm is ask.system] == ["numbers"]
    said = [text for text in heard if text.startswith("range of")]
    assert len(said) == len(set(said))


def test_the_gravity_load_of_a_body_that_drives_move_on_an_earlier_link_is_within_its_range(monkeypatch) -> None:
    """It sees the joints by more than the direction of gravity that they leave."""
    monkeypatch.delenv(build.SWITCH, raising=False)
    arm = da.load("panda")

    def swung(ring, q):
        sin, cos = ring.sincos(q[6])
        return ((1, 0, 0), (0, 1, 0), (0, 0, 1)), (sin, 0, cos)

    crank = da.Element("crank", body=da.MovingBody(da.Inertia.of(5), swung))
    driven = arm.with_drives(da.DriveTrain(elements=[crank]))
    found = driven.analysis().range_of("G7")
    values = driven.gravity_load(driven.analysis().states.box.samples(20_000))[:, 6]
    assert found.lower <= values.min()
    assert found.upper >= values.max()
    assert found.maximum == pytest.approx(values.max(), rel=0.01)


def test_two_systems_are_compared_by_analyses_and_by_nothing_else() -> None:
    arm = da.load("planar-2r")
    ask = arm.analysis()
    for call in (ask.compare, ask.ranges):
        with pytest.raises(da.ArmError, match=r"write ask\.of\(other\); got <Arm 'planar-2r'"):
            call(arm)
    with pytest.raises(da.ArmError, match=r"others are arms or analyses of them, as in \[empty\]; got 'puma560'"):
        arm.analysis().reduce(0.1, others=["puma560"])
    with pytest.raises(da.ArmError, match=r"an analysis is of an arm, .*; got 'puma560'"):
        ask.of("puma560")


@pytest.mark.parametrize("box", [[(-1, 1), (-1, 1)], [], "joint1", 5])
def test_a_box_that_is_no_table_by_joint_is_refused(box: object) -> None:
    with pytest.raises(da.ArmError, match=r'box must be a table by joint, as in box=\{"joint1": \(-1, 1\)\}'):
        da.load("planar-2r").analysis(box=box)


def test_analyses_of_other_states_are_no_others_of_a_model_which_holds_for_one_set() -> None:
    arm = da.load("planar-2r")
    ask, held = arm.analysis(speed=3.0), arm.holding(da.Load(1.0))
    one, two = (ask.reduce(0.1, others=[other]) for other in (held.analysis(speed=3.0), held))
    np.testing.assert_array_equal(one.bound, two.bound)
    for other in (held.analysis(speed=1.0), held.analysis(box={"joint2": (0.0, 0.1)})):
        with pytest.raises(da.ArmError, match="holds for one set of states"):
            ask.reduce(0.1, others=[other])
