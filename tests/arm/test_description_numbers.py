"""Numbers of a description by name: what is set is what is read, and nothing else changes."""

from __future__ import annotations

import pytest

import dalembert as da
from dalembert.arm.description_numbers import number_of, numbers_of, with_numbers
from dalembert.arm.errors import ArmError


@pytest.mark.parametrize("name", ["puma560", "irb6", "stanford"])
def test_a_number_that_is_set_is_read_again_and_no_other_one_moves(name: str) -> None:
    arm = da.load(name, physical="ignore").driven
    before = numbers_of(arm)
    turns = (".rx", ".ry", ".rz")  # are zero of whatever the joint's frame is
    for key in [x for x in before if not x.endswith(turns) and not (x.startswith("load.") and "inertia" in x)][::9]:
        value = float(before[key].value) + 0.01
        after = numbers_of(with_numbers(arm, {key: value}))
        moved = {x for x in before if abs(float(after[x].value) - float(before[x].value)) > 1e-12}
        if key.endswith(".mass") or ".com." not in key:
            assert key in moved
            assert moved <= {key}, key


def test_all_numbers_of_a_link_are_set_at_once() -> None:
    arm = da.load("puma560", physical="ignore")
    values = {"link.link2.mass": 5.0, "link.link2.com.x": -0.2, "link.link2.inertia.xx": 0.7}
    found = numbers_of(with_numbers(arm, values))
    assert {key: float(found[key].value) for key in values} == values
    assert found["link.link2.com.y"].value == numbers_of(arm)["link.link2.com.y"].value
    assert found["link.link2.inertia.yy"].value == numbers_of(arm)["link.link2.inertia.yy"].value


def test_no_number_has_two_names_and_the_order_in_which_they_are_set_is_no_matter() -> None:
    row = {"mass": 1, "com": (0.1, 0, 0), "inertia": (0.01, 0.01, 0.01)}
    arm = da.Arm.from_dh([{**row, "d": 0.1}, {**row, "a": 0.3, "alpha": 0.5}, {**row, "a": 0.4}], convention="modified")
    names = [name for name in numbers_of(arm) if name.startswith("load.") and name.endswith(".mass")]
    assert names == ["load.mass", *(f"load.{link.name}.mass" for link in arm.links[:-1])]
    with pytest.raises(ArmError, match=r"load of 'link3', which the hand is on, has the names load\.mass"):
        number_of(arm, "load.link3.mass")
    values = {"joint.joint2.x": 0.1, "length.a2": 0.5}  # a2 leads to the origin of joint 2
    either, other = with_numbers(arm, values), with_numbers(arm, dict(reversed(values.items())))
    assert either.joints[1].before == other.joints[1].before
    assert float(numbers_of(either)["joint.joint2.x"].value) == 0.1


def test_a_wrong_name_is_answered_with_the_nearest() -> None:
    arm = da.load("puma560", physical="ignore")
    with pytest.raises(ArmError, match=r"did you mean 'link\.link2\.mass'"):
        number_of(arm, "link.link2.mas")
    with pytest.raises(ArmError, match="its drives do not count here"):
        number_of(arm, "motor.motor2.inertia")


def test_names_with_dots_are_told_apart() -> None:
    text = """
name = "dotted"
[[joints]]
name = "a"
type = "revolute"
link = {name = "arm", mass = 1, com = [0.1, 0, 0]}
[[joints]]
name = "a.b"
type = "revolute"
xyz = [1, 0, 0]
link = {name = "arm.tip", mass = 2, com = [0.2, 0, 0]}
"""
    arm = da.load(text)
    changed = with_numbers(arm, {"link.arm.tip.mass": 3, "joint.a.b.x": 2, "link.arm.mass": 4})
    assert [float(link.inertia.mass) for link in changed.links[1:]] == [4.0, 3.0]
    assert float(changed.joint("a.b").before.position[0]) == 2.0


def test_a_link_without_mass_keeps_the_mass_centre_that_it_is_given() -> None:
    arm = da.load("puma560", physical="ignore")
    changed = with_numbers(arm, {"load.link2.mass": 0, "load.link2.com.x": -0.5})
    assert changed.bodies[1].inertia == arm.bodies[1].inertia
