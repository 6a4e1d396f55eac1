"""Proofs hold where numbers are built to break them: waves that are nearly equal, tiny or not numbers at all."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.arm.inertia import Inertia
from dalembert.bounds import grid
from dalembert.bounds.alike import apart, key_of
from dalembert.bounds.box import Box
from dalembert.bounds.branch import Branch, ProofError
from dalembert.bounds.ranges import largest, range_of
from dalembert.bounds.ratios import ratio_range
from dalembert.bounds.waves import Wave, constant, rescaled, turning, zero
from dalembert.compile import build
from dalembert.equations import names
from dalembert.reduction import certify, program_proofs
from random_arms import random_arm

NEARLY_PARALLEL = """
name = "nearly parallel"
[[joints]]
name = "p1"
type = "prismatic"
axis = [1, 0, 0]
limits = {{lower = 0, upper = 1, velocity = 1}}
link = {{name = "l1", mass = 1, inertia = [1, 1, 1]}}
[[joints]]
name = "p2"
type = "prismatic"
axis = [1, 4.9e-13, 0]
limits = {{lower = 0, upper = 1, velocity = 1}}
link = {{name = "l2", mass = 1, inertia = [1, 1, 1]}}
[[joints]]
name = "r3"
type = "revolute"
axis = [0, 0, 1]
limits = {{lower = {low}, upper = {high}, velocity = 1}}
link = {{name = "l3", mass = 1, com = [1, 0, 0], inertia = [1, 1, 1]}}
"""


@pytest.mark.filterwarnings("ignore::dalembert.arm.errors.RoundedWarning")
@pytest.mark.parametrize("width", [1e-6, 1e-9, 1e-12, 0.0])
def test_waves_that_are_equal_to_twelve_digits_have_bounds_of_their_own(tmp_path, width):
    """D13 = -sin q and D23 = -sin q + 4.9e-13 cos q, over a box where both are as small as they differ."""
    path = tmp_path / "nearly.toml"
    path.write_text(NEARLY_PARALLEL.format(low=-width, high=width))
    terms = da.load(path).analysis(acceleration=1.0).significance()
    proved = {(term.joint, term.name): term.proved for term in terms}
    assert proved["p1", "D13"] >= np.sin(width)
    assert proved["p2", "D23"] >= (np.sin(width) + 4.9e-13 * np.cos(width)) * (1 - 1e-12)


def test_what_waves_differ_by_is_allowed_for():
    one = turning(1, 0)
    other = Wave(one.k, one.p, -one.c * (1 + 3e-13))
    assert key_of(one)[0] == key_of(other)[0]
    assert apart(other, one, np.ones(1)) >= 3e-13 * (1 - 1e-3)


def scaled_inertia(inertia: Inertia, factor: Fraction) -> Inertia:
    moment = tuple(x * factor for x in inertia.moment)
    return Inertia(inertia.mass * factor, moment, tuple(tuple(x * factor for x in row) for row in inertia.tensor))


@pytest.mark.parametrize("compiling", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_a_bound_scales_with_the_masses(seed, compiling, monkeypatch):
    """By 1e-170: the square of a modulus is then no number any more."""
    if compiling:
        monkeypatch.delenv(build.SWITCH, raising=False)
    arm = random_arm(seed, 4, kinds=("revolute",), fixed=0.0)
    factor = Fraction(1, 10**170)
    links = tuple(replace(link, inertia=scaled_inertia(link.inertia, factor)) for link in arm.links)
    small = da.Arm.of(replace(arm, links=links)).analysis()
    large = da.Arm.of(arm).analysis()
    for name in ("D11", "D12", "D22"):
        tiny, usual = small.range_of(name), large.range_of(name)
        assert tiny.certified
        size = max(abs(usual.minimum), abs(usual.maximum))
        assert tiny.lower * 1e170 <= usual.minimum + 1e-12 * size
        assert tiny.upper * 1e170 >= usual.maximum - 1e-12 * size


def test_what_is_not_a_number_is_refused_and_proves_nothing():
    box = Box(np.array([-1.0]), np.array([1.0]), np.zeros(1, bool))
    wave = turning(1, 0)
    for value in (np.nan, np.inf):
        with pytest.raises(ArmError, match="not a finite number"):
            Branch(Wave(wave.k, wave.p, np.array([value + 0j])), (), box)
    branch = Branch(wave, (), box)
    boxes = branch.first()
    boxes.nets[0][...] = np.nan
    assert branch.bounded(boxes)[0] == -np.inf


def test_a_proof_that_is_broken_by_what_is_found_is_not_told(monkeypatch):
    real = certify.torque_bounds

    def broken(*arguments, **options):
        found = real(*arguments, **options)
        return replace(found, proved=0.2 * found.proved)

    monkeypatch.setattr(program_proofs, "torque_bounds", broken)
    with pytest.raises(ProofError, match="a fault of the proof"):
        da.load("planar-3r").analysis().reduce(0.05)


def test_a_bound_above_an_attained_value_is_a_fault():
    box = Box(np.array([-1.0]), np.array([1.0]), np.zeros(1, bool))
    branch = Branch(turning(1, 0), (), box)
    with pytest.raises(ProofError, match="a fault of the proof"):
        branch.least(0.2, np.zeros(1), 1e-3, 1e6)  # cos x is not 0.2 anywhere in it


@pytest.mark.parametrize(("inertia", "mass", "reach"), [("1e10", "1e-8", 1e4), ("1e6", "1e-12", 1e5)])
def test_what_is_left_out_as_small_counts_with_the_power_of_its_position(tmp_path, inertia, mass, reach):
    """D11 = I + m q2^2 with m below rounding of I, and q2 large."""
    path = tmp_path / "long.toml"
    path.write_text(
        f"""name = "long"
[[joints]]
name = "r1"
type = "revolute"
axis = [0, 0, 1]
link = {{name = "l1", mass = 1, inertia = [0, 0, "{inertia}"]}}
[[joints]]
name = "p2"
type = "prismatic"
axis = [1, 0, 0]
limits = {{lower = 0, upper = {reach}}}
link = {{name = "l2", mass = "{mass}", inertia = [0, 0, 0]}}
"""
    )
    with pytest.warns(da.UnitWarning, match="lengths are in m"):
        arm = da.load(path, physical="ignore")
    found = arm.analysis().range_of("D11")
    assert Fraction(found.upper) >= Fraction(inertia) + Fraction(mass) * Fraction(reach) ** 2


@pytest.mark.parametrize("centre", [1e3, 1e6])
def test_a_sum_of_joints_far_from_zero_is_bounded_with_its_rounding(centre):
    k = np.array([[1, -1]])
    wave = Wave(k, np.zeros_like(k), np.array([1 + 0j]))
    box = Box(np.array([centre + 0.1, centre - 0.1]), np.array([centre + 0.3, centre + 0.05]), np.zeros(2, bool))
    found = range_of(wave, box, 1e-6)
    far, near = (Fraction(box.upper[0]) - Fraction(box.lower[1])), (Fraction(box.lower[0]) - Fraction(box.upper[1]))
    assert found.lower <= np.cos(float(far))
    assert found.upper >= np.cos(float(near)) - 1e-16


def test_a_range_that_does_not_hold_what_is_found_is_a_fault():
    found = range_of(turning(1, 0), Box(np.array([-1.0]), np.array([1.0]), np.zeros(1, bool)))
    with pytest.raises(ProofError, match="a fault of the proof"):
        replace(found, upper=0.9)


HEAVY = """
name = "heavy base"
[[joints]]
name = "a"
type = "revolute"
axis = [0, 0, 1]
link = {name = "l1", mass = 1, inertia = ["1e19", "1e19", "1e19"]}
[[joints]]
name = "b"
type = "revolute"
axis = [0, 0, 1]
xyz = [1, 0, 0]
link = {name = "l2", mass = 1, com = [1, 0, 0], inertia = [1, 1, 1]}
"""


def test_what_is_lost_beside_a_heavy_base_is_not_lost_to_the_coriolis_terms(tmp_path):
    """D11 = 1e19 + 2 cos q2: the cosine is below the last digit, and C112 = -sin q2 is all there is."""
    path = tmp_path / "heavy.toml"
    path.write_text(HEAVY)
    with pytest.warns(da.UnitWarning, match="moment of inertia"):
        arm = da.load(path)
    value = arm.christoffel(np.array([0.0, np.pi / 2]))[0, 0, 1]
    assert value == pytest.approx(-1.0)
    found = arm.analysis().range_of("C112")
    assert found.lower <= value <= found.upper <= 1 + 1e-9


def test_what_a_ratio_without_joints_has_lost_counts_as_far_as_joints_slide():
    """1 + 1e-18 x^2 over 1, the power left to the slack, for x up to 1e6."""
    none = np.zeros((1, 1), np.int64)
    top = Wave(none, none, np.ones(1, np.complex128), 1e-18, np.array([2]))
    box = Box(np.zeros(1), np.full(1, 1e6), np.zeros(1, bool))
    assert ratio_range(top, constant(1.0, 1), box).upper >= 1 + 1e-6


@pytest.mark.parametrize("seed", [0, 7])
def test_errors_of_coefficients_are_proved_for_every_load_that_a_model_serves(seed):
    arm = da.Arm.of(random_arm(seed, 3, kinds=("revolute",), fixed=0.0))
    held = arm.holding(da.Load(mass=3, com=(0.2, 0.1, 0)))
    model = arm.analysis(effort=0.05).reduce(0.1, others=[held])
    bounds = {error.name: error.bound for error in model.coefficient_errors}
    q = model.states.box.samples(300)
    for differences in model.differences:
        for key, wave in differences.items():
            assert np.abs(wave(q)).max() <= bounds[names.name(*key)]


def test_products_of_waves_that_underflow_are_accounted_for():
    small = Wave(np.ones((1, 1), np.int64), np.zeros((1, 1), np.int64), np.array([1e-200 + 0j]))
    assert (small * small).slack > 0
    assert small.times(1e-200).slack > 0


LIGHT = """
name = "light"
gravity = [0, 0, 0]
[[joints]]
name = "a"
type = "prismatic"
axis = [1, 0, 0]
limits = {lower = 0, upper = 1, velocity = 1}
link = {name = "l1", mass = 1, inertia = [1, 1, 1]}
[[joints]]
name = "b"
type = "prismatic"
axis = [0, 1, 0]
limits = {lower = 0, upper = 1, velocity = 1}
link = {name = "l2", mass = 1e-330, inertia = [1e-330, 1e-330, 1e-330]}
"""


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_is_below_the_numbers_of_floats_counts_with_large_accelerations(tmp_path):
    """A mass of 1e-330 kg, as a float zero, takes 1e-260 N for 1e70 m/s^2, and a model leaves it out."""
    path = tmp_path / "light.toml"
    path.write_text(LIGHT)
    model = da.load(path).analysis(acceleration=1e70).reduce(0.5)
    assert model.bound[1] >= 1e-260


def test_what_lies_below_floats_stays_in_a_wave_that_is_multiplied():
    lost = replace(zero(1), slack=2.0**-1070)
    assert lost.times(1e-9).slack > 0


def test_a_sum_on_grids_below_what_is_attained_is_a_fault(monkeypatch):
    """A bound that is made smaller than a value met on the way is not told."""
    waves = [turning(2, 0), turning(2, 1, -1j), turning(2, 1)]
    box = Box(np.full(2, -np.pi), np.full(2, np.pi), np.ones(2, bool))
    climbed = grid.Ladder.climbed
    assert grid.largest_sum(waves, box, 1.0, 0.05, 1e6).bound >= 1 + np.sqrt(2)
    monkeypatch.setattr(grid.Ladder, "climbed", lambda self, goal: replace(climbed(self, goal), bound=0.5))
    with pytest.raises(ProofError, match="is attained where"):
        grid.largest_sum(waves, box, 1.0, 0.05, 1e6)


def test_a_value_of_a_few_units_of_the_least_float_is_no_fault_of_a_proof():
    """Computed among the last floats above zero it is off by a few percent."""
    unit = 2.0**-1074
    c = np.array([-9 - 18j, -8 - 18j, 5 - 19j]) * unit
    wave = Wave(np.array([[2, -3], [1, 0], [3, 2]]), np.zeros((3, 2), np.int64), c)
    box = Box(np.array([655678.415, -np.pi]), np.array([655678.415, np.pi]), np.array([False, True]))
    for turn in np.linspace(0, 3, 40).tolist():
        here = Box(box.lower + np.array([turn, 0]), box.upper + np.array([turn, 0]), box.circle)
        proved = largest(wave, here, 0.03, 1e6).proved
        exact = np.abs(
            wave.scaled(1074)(np.stack([np.full(500, turn + 655678.415), np.linspace(-np.pi, np.pi, 500)], 1))
        )
        assert proved / unit >= exact.max()


def test_a_bound_below_normal_floats_is_rounded_outwards():
    assert rescaled(1.25, -1074, np.inf) == 2 * 2.0**-1074
    assert rescaled(1.75, -1074, -np.inf) == 2.0**-1074
    assert rescaled(1.25, -1000, np.inf) == 1.25 * 2.0**-1000
    assert rescaled(0.0, -1074, np.inf) == 0.0


def test_a_sum_on_grids_may_be_a_part_of_what_is_known():
    """What is known of a sum with others beside it is no fault of a bound for a part of it."""
    box = Box(np.full(2, -np.pi), np.full(2, np.pi), np.ones(2, bool))
    proved = grid.largest_sum([turning(2, 0), turning(2, 1)], box, 2.5, 0.05, 1e6)
    assert 2 <= proved.bound <= 2 + 1e-9


def test_couplings_scale_with_the_masses():
    """By 1e-170: a product of two inertias is then no number any more."""
    arm = random_arm(3, 3, kinds=("revolute",), fixed=0.0)
    factor = Fraction(1, 10**170)
    links = tuple(replace(link, inertia=scaled_inertia(link.inertia, factor)) for link in arm.links)
    small, large = (da.Arm.of(one).analysis().coupling() for one in (replace(arm, links=links), arm))
    for a, b in zip(small, large, strict=True):
        assert (a.first, a.second) == (b.first, b.second)
        assert [a.largest, a.proved] == pytest.approx([b.largest, b.proved], rel=1e-9)


def test_no_coupling_of_an_arm_that_cannot_be_is_proved_by_its_reality(tmp_path):
    """With a negative moment of inertia D is not positive definite, and k above one."""
    path = tmp_path / "unreal.toml"
    text = HEAVY.replace('["1e19", "1e19", "1e19"]', "[1, 1, 0]").replace("[1, 1, 1]}", "[1, 1, -0.5]}")
    path.write_text(text)
    (found,) = da.load(path, physical="ignore").analysis(box={"b": (-0.1, 0.1)}).coupling()
    assert found.largest > 1
    assert found.proved >= found.largest


def test_speeds_whose_products_are_no_numbers_are_refused():
    with pytest.raises(ArmError, match="speed limits must be zero or between 1e-70 and 1e\\+70"):
        da.load("planar-2r").analysis(speed=1e-170)


def rotor_on_a_light_link(counted: bool) -> da.DrivenArm:
    rod = {"a": 0.3, "mass": 0.2, "com": (-0.15, 0, 0), "inertia": ("1e-5", "1e-4", "1e-4")}
    wheel = da.Rotor.of("0.2", "link1", (0, 0, 1), counted=counted)
    train = da.DriveTrain(
        [da.Actuator.of("m1", {"joint1": 1}, da.Rotor.of("0.0001")), da.Actuator.of("m2", {"joint2": 1}, wheel)]
    )
    return da.Arm.from_dh([rod, rod], name="light").with_drives(train, physical="ignore")


@pytest.mark.parametrize("effort", [1.0, 1e-6])
def test_no_coupling_exceeds_what_is_proved_where_a_link_cannot_hold_its_rotor(effort):
    """D_links - J w w^T is not positive then, and k above one at any effort of the proof."""
    driven = rotor_on_a_light_link(counted=True)
    q = np.random.default_rng(0).uniform(-3, 3, (200, 2))
    d = driven.mass_matrix(q)
    k = np.abs(d[:, 0, 1]) / np.sqrt(d[:, 0, 0] * d[:, 1, 1])
    assert k.max() > 4
    (found,) = driven.analysis(work=effort * 1e6).coupling()
    assert k.max() <= found.largest * (1 + 1e-9) <= found.proved * (1 + 1e-9)


def test_a_rotor_that_adds_to_its_link_keeps_couplings_below_one():
    (found,) = rotor_on_a_light_link(counted=False).analysis().coupling()
    assert found.largest < found.proved <= 1


FAR = """
name = "far"
[[joints]]
name = "j1"
type = "revolute"
axis = [0, 0, 1]
limits = {{lower = {0}, upper = {1}, velocity = 1}}
link = {{name = "l1", mass = 1, com = [0.2, 0, 0], inertia = [1, 1, 1]}}
[[joints]]
name = "j2"
type = "revolute"
axis = [0, 1, 0]
limits = {{lower = {0}, upper = {1}, velocity = 1}}
link = {{name = "l2", mass = 1, com = [0.1, 0.2, 0.3], inertia = [1, 1, 1]}}
[[joints]]
name = "j3"
type = "revolute"
axis = [0.6, 0.8, 0]
limits = {{lower = {0}, upper = {1}, velocity = 1}}
link = {{name = "l3", mass = 1, com = [0.3, -0.1, 0.2], inertia = [1, 1, 1]}}
"""


@pytest.mark.filterwarnings("ignore::dalembert.arm.errors.UnitWarning")
@pytest.mark.parametrize("offset", [30, 1e6, 1e9, 1e15])
def test_values_far_from_zero_are_those_of_the_arm(tmp_path, offset):
    """Multiples and sums of angles of 1e15 rad are off by tenths: what was found was no value, and above its bound."""
    path = tmp_path / "far.toml"
    path.write_text(FAR.format(float(offset), float(offset) + 1))
    arm = da.load(path, physical="ignore")
    ask = arm.analysis(work=1e6)
    for name, exact in (("G3", lambda q: arm.gravity_load(q)[2]), ("D12", lambda q: arm.mass_matrix(q)[0, 1])):
        found = ask.range_of(name)
        assert found.minimum == pytest.approx(exact(found.at_minimum), abs=1e-12)
        assert found.maximum == pytest.approx(exact(found.at_maximum), abs=1e-12)


def test_a_ratio_beyond_floats_is_refused():
    """It was told as between infinity and infinity."""
    box = Box(np.array([-1.0]), np.array([1.0]), np.zeros(1, bool))
    small = Wave(turning(1, 0).k, turning(1, 0).p, np.array([1e-290 + 0j]))
    with pytest.raises(da.ArmError, match="beyond a computer's numbers"):
        ratio_range(constant(1e30, 1), small, box)
