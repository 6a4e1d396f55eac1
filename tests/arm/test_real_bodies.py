"""What bodies can be: links alone, and links that hold the rotors they count."""

import warnings

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError, PhysicalWarning
from dalembert.arm.real_bodies import impossible, indefinite, missing_rotors

BAR = {"a": 0.3, "mass": 2, "com": (-0.15, 0, 0), "inertia": ("0.001", "0.01", "0.01")}
WELDED = """
name = "welded"
[[joints]]
name = "a"
type = "revolute"
link = {name = "one", mass = 2, inertia = [0.01, 0.01, 0.01]}
[[joints]]
name = "weld"
type = "fixed"
xyz = [0.1, 0, 0]
rpy = [0, "90 deg", 0]
link = "flange"
[[joints]]
name = "b"
type = "revolute"
parent = "one"
xyz = [0.3, 0, 0]
link = {name = "two", mass = 1, inertia = [0.01, 0.01, 0.01]}
"""


def driven(inertia: object, axis: tuple[float, ...], link: str = "link1", physical: str = "ignore") -> da.DrivenArm:
    motor = da.Actuator.of("m2", {"joint2": 30}, da.Rotor.of(inertia, link, axis))
    train = da.DriveTrain([da.Actuator.of("m1", {"joint1": 1}), motor])
    return da.Arm.from_dh([BAR, BAR], name="bars").with_drives(train, physical)


@pytest.mark.parametrize(
    ("inertia", "axis", "held"),
    [("0.01", (0, 0, 1), True), ("0.0101", (0, 0, 1), False), ("0.005", (1, 0, 0), False), ("0.005", (0, 3, 4), True)],
)
def test_a_link_holds_a_rotor_exactly_if_its_tensor_without_it_is_not_negative(inertia, axis, held):
    arm = driven(inertia, axis)
    assert (missing_rotors(arm) == {}) == held
    u = np.array(axis) / np.linalg.norm(axis)
    left = np.diag([0.001, 0.01, 0.01]) - float(inertia) * np.outer(u, u)
    assert (np.linalg.eigvalsh(left).min() > -1e-15) == held
    assert indefinite(arm) == (not held)
    assert not indefinite(arm.approximate("szkodny"))
    assert not indefinite(arm.arm)


def test_a_rotor_too_large_for_its_link_is_told_once_or_refused():
    with pytest.warns(PhysicalWarning, match="link 'link1': it is said to hold the rotor of 'm2'.*counted = false"):
        driven(1, (0, 0, 1), physical="warn")
    with pytest.raises(ArmError, match="link 'link1': it is said to hold the rotor of 'm2'"):
        driven(1, (0, 0, 1), physical="error")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        driven("0.01", (0, 0, 1), physical="warn")
        driven(1, (0, 0, 1), "base", physical="error")  # the base does not move


def test_a_rotor_too_large_in_an_arm_file_is_told_as_its_links_are(tmp_path):
    path = tmp_path / "arm.toml"
    motors = "".join(
        f'[[drives.motors]]\nname = "m{joint}"\nratios = {{{joint} = 1}}\n'
        f'rotor = {{inertia = 0.5, link = "flange", axis = [0, 0, 1]}}\n'
        for joint in "ab"
    )
    path.write_text(WELDED + motors)
    with pytest.warns(PhysicalWarning, match="link 'flange'"):
        da.load(path)
    with pytest.raises(ArmError, match="'ma' and 'mb'"):
        da.load(path, physical="error")
    path.write_text(WELDED + motors.replace("0.5", "0.004"))
    assert impossible(da.load(path, physical="error")) == {}  # the link that the flange is fixed to holds both


@pytest.mark.parametrize("name", da.catalog())
def test_every_arm_of_the_catalog_holds_the_rotors_it_counts(name):
    assert missing_rotors(da.load(name, physical="ignore")) == {}
