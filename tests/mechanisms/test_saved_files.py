"""Mechanisms written to files and read again, and tables that stand for several."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanisms import gallery
from dalembert.mechanisms.mechanism_file import parse_mechanism
from mechanisms.test_linear_models import driven_five_bar
from mechanisms.test_springs import bar, four_bar

EXAMPLES = Path(__file__).parents[2] / "examples" / "mechanisms"


def geared() -> da.Mechanism:
    """Gears within a chain and between chains, the ratio no decimal."""
    arm = da.load("ur5e")
    names = arm.joint_names
    gears = [
        da.Gear("wrist", f"left.{names[4]}", f"left.{names[3]}", Fraction(1, 3), "0.2"),
        da.Gear("between", f"right.{names[0]}", f"left.{names[0]}", -2),
    ]
    return da.Mechanism({"left": arm, "right": arm}, gears, bases={"right": da.Placement.from_xyz_rpy((1, 0, 0))})


def motored() -> da.Mechanism:
    motor = da.Actuator.of(
        "m", {"rz(pin)": 40, "left.a": Fraction(1, 7)}, rotor=da.Rotor.of("3e-4"), friction=da.Friction(viscous=2e-4),
        motor=da.Motor(0.05, resistance=1.0, inductance=1e-3, supply=24.0),
    )  # fmt: skip
    return four_bar("coupler", drives=[motor])


def held() -> da.Mechanism:
    load = da.Load(mass=2.5, com=(0.1, 0, 0.05))
    arm = da.load("ur5e").holding(load).with_elastic(da.JointSpring("elbow_joint", 3.5, 0.1))
    return da.Mechanism({"arm": arm}, [], gravity=(0, 0, "-1.62"))


MADE = {
    **{name: getattr(gallery, name) for name in (
        "five_bar", "four_bar", "three_rrr", "stewart", "slider_crank", "bricard", "six_actuator", "parallel_serial",
        "two_fingered_hand", "walking_machine",
    )},
    "springs": bar, "drives": driven_five_bar, "closing motor": motored, "gears": geared, "load": held,
    "pumas": lambda: gallery.cooperating(da.load("puma560", physical="ignore")),
}  # fmt: skip


@pytest.mark.parametrize("name", MADE)
def test_a_mechanism_read_from_the_file_it_was_written_to_gives_the_same_numbers(name, tmp_path):
    written = MADE[name]()
    read = da.load_mechanism(written.save(tmp_path / "it.toml"))
    assert read.joint_names == written.joint_names
    assert read.coordinates == written.coordinates
    assert read.equation_names == written.equation_names
    assert (read.home == written.home).all()
    qd, qdd = 0.1 * np.random.default_rng(0).normal(size=(2, written.n))
    for ask in ("inverse_dynamics", "constraint_forces", "forward_dynamics"):
        ours, theirs = (getattr(m, ask)(m.home, qd, qdd) for m in (written, read))
        assert (ours == theirs).all(), ask
    assert (read.mass_matrix(read.home) == written.mass_matrix(written.home)).all()
    assert read.potential_energy(read.home) == written.potential_energy(written.home)
    again = read.write_toml()
    assert again == written.write_toml()


def test_limits_contacts_passive_coordinates_and_names_are_written(tmp_path):
    hand = gallery.two_fingered_hand()
    read = da.load_mechanism(hand.save(tmp_path / "hand.toml"))
    assert read.parts.closures == tuple(
        replace(c, a=str(c.a) if isinstance(c.a, str) else r.a, b=str(c.b) if isinstance(c.b, str) else r.b)
        for c, r in zip(hand.parts.closures, read.parts.closures, strict=True)
    )
    crank = gallery.slider_crank()
    assert parse_mechanism(crank.write_toml()).parts.passive == crank.parts.passive
    assert (read.chains.effort == hand.chains.effort).all()


def test_only_toml_is_written_and_a_place_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(da.ArmError, match=r"written as TOML; call the file something\.toml"):
        gallery.five_bar().save(tmp_path / "bar.xml")
    with pytest.raises(da.ArmError, match="name another file"):
        gallery.five_bar().save(tmp_path / "none" / "bar.toml")


def test_the_hexapod_of_the_examples_is_six_legs_under_a_platform():
    hexapod = da.load_mechanism(EXAMPLES / "hexapod.toml")
    assert hexapod.mobility().lasting == 6
    assert hexapod.coordinates == tuple(f"leg{k}.slide" for k in range(1, 7))
    weight = sum(float(link.inertia.mass) for arm in hexapod.chains.arms.values() for link in arm.links) * 9.81
    still = np.zeros(6)
    above = hexapod.with_springs()
    # The slides lift platform and rods along their legs; the rest of the legs' weight is on the floor.
    leg_share = [above.frame(above.home, f"leg{k}:rod")[2, 2] for k in range(1, 7)]
    held = above.inverse_dynamics(above.home, still, still) @ np.array(leg_share)
    assert 0.5 * weight < held < weight
    lengths = [np.linalg.norm(hexapod.frame(hexapod.home, f"ball{k}")[:3, 3]) for k in range(1, 7)]
    stored = sum(0.5 * 30 * length**2 for length in lengths)
    assert hexapod.potential_energy(hexapod.home) - above.potential_energy(above.home) == pytest.approx(stored)


LEGS = """
[arm.leg]
[[arm.leg.joints]]
type = "revolute"
axis = [0, 0, 1]
link = {name = "rod", mass = 1, com = [0.1, 0, 0], inertia = [0.01, 0.01, 0.01]}
[chain."leg{1..3}"]
arm = "leg"
"""


def test_a_range_in_a_name_stands_for_several_tables():
    text = (
        LEGS
        + """at = [{xyz = [0, 0, 0]}, {xyz = [1, 0, 0]}, {xyz = [2, 0, 0]}]
[frame."tip{1..3}"]
on = "leg{}"
at = {xyz = [0.2, 0, 0]}
[gear."belt{2..3}"]
joint = "leg{}.joint1"
master = "leg1.joint1"
ratio = 0.5
[home]
"leg{1..3}.joint1" = [0.4, 0.2, 0.2]
"""
    )
    found = parse_mechanism(text)
    assert found.joint_names == ("leg1.joint1", "leg2.joint1", "leg3.joint1")
    assert [closure.joint for closure in found.parts.closures] == ["leg2.joint1", "leg3.joint1"]
    assert found.n == 1
    for k in range(3):
        assert found.frame(found.home, f"tip{k + 1}")[0, 3] == pytest.approx(k + 0.2 * np.cos(found.home[k]))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (LEGS + "at = [{xyz = [0, 0, 0]}]", "list of 1 placements for 3 tables; give one for each"),
        (LEGS.replace("1..3", "3..1"), "a range rises"),
        (LEGS.replace("1..3", "1..900"), "over 100 numbers at most"),
        (LEGS.replace("leg{1..3}", "leg{1..3}{1..2}"), "holds two ranges"),
        (LEGS + '[chain.leg2]\narm = "leg"', "is there twice"),
        (LEGS + '[home]\n"leg{1..3}.joint1" = [1, 2]', "has 2 positions for 3 joints"),
        (LEGS + 'convention = "standard"', "convention describes an arm, and arm names another"),
        (LEGS + 'drives = "twice"', "drives is true"),
        (LEGS + '[spring.s]\na = "leg1"', "between two frames, a and b, or along a coordinate"),
        (LEGS + '[drives]\n[[drives.motors]]\nname = "m"', "motor 'm': ratios is missing"),
        (LEGS + '[drives]\n[[drives.motors]]\nname = "m"\nratios = {nothing = 1}', "motor 'm'.*no joint 'nothing'"),
    ],
)
def test_what_is_wrong_with_repeated_tables_is_said_in_one_sentence(text, said):
    with pytest.raises(da.ArmError, match=said):
        parse_mechanism(text, "legs.toml")
