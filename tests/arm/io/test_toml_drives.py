"""Drives in TOML: written and read back, from a file of their own or a table of an arm file."""

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.drives import DriveTrain
from dalembert.arm.errors import ArmError
from dalembert.arm.io.toml_arm import parse
from dalembert.arm.io.toml_drives import TOP, read_drives, read_drives_text, write_drives
from dalembert.arm.io.toml_table import TomlTable


@pytest.mark.parametrize("name", ["puma560", "jpl-rrp", "irb6", "stanford"])
def test_drives_written_as_toml_are_read_back_the_same(name: str) -> None:
    arm = da.load(name, physical="ignore")
    assert read_drives_text(write_drives(arm.drives), "again.toml", arm) == arm.drives


def test_drives_stand_in_a_table_of_an_arm_file_too() -> None:
    arm = da.load("irb6")
    text = write_drives(arm.drives, "drives.")
    table = TomlTable.of(parse(text, "arm.toml")["drives"], "arm.toml: drives", TOP)
    assert read_drives(table, arm).actuators == arm.drives.actuators


def test_a_transmission_that_is_a_function_cannot_be_written() -> None:
    with pytest.raises(ArmError, match="cannot be written"):
        write_drives(DriveTrain((), turns=lambda ring, q: list(q)))


def test_drives_come_from_a_file(tmp_path) -> None:
    file = tmp_path / "drives.toml"
    file.write_text(
        '[[motors]]\nname = "a"\nratios = {joint1 = 50}\nrotor = {inertia = 1e-4, link = "base"}\n'
        '[[motors]]\nname = "b"\nratios = {joint1 = 10, joint2 = 40}\nfriction = {coulomb = 0.1}\n'
    )
    driven = da.load("planar-2r").with_drives(file)
    assert driven.transmission([0.0, 0.0]) == pytest.approx(np.array([[50, 0], [10, 40]]))
    with pytest.raises(ArmError, match="there is no such file; name a TOML file with drives"):
        da.load("planar-2r").with_drives(tmp_path / "none.toml")


def test_an_unknown_key_in_a_drive_file_is_refused_with_the_file_and_a_hint() -> None:
    arm = da.load("planar-2r")
    with pytest.raises(ArmError, match=r"x.toml.*frcition.*did you mean 'friction'"):
        read_drives_text('[[motors]]\nname = "a"\nratios = {joint1 = 1}\nfrcition = {}\n', "x.toml", arm)
