"""The file: valid, the same every time, complete in its sources, safe against any name; what it says of itself."""

from __future__ import annotations

import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fmpy import read_model_description
from fmpy.validation import validate_fmu

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.mechanisms import gallery
from fmu_importer import imported, stepped
from small_arms import rubbing
from system_tools import system_tool

STRICT = (
    "-std=c99",
    "-O1",
    "-Wall",
    "-Wextra",
    "-pedantic",
    "-Wconversion",
    "-Wshadow",
    "-Wdouble-promotion",
    "-Werror",
)
HOSTILE = ('"/><script>&amp;', "*/ #include <x>", "joint 1", "joint_1", "3\n\t'ü\x01", "der(q.a)")


def hostile() -> da.DrivenArm:
    """An arm whose names are made to break XML, C and structured names."""
    base = da.load("puma560", physical="ignore")
    names = dict(zip(base.joint_names, HOSTILE, strict=True))
    joints = tuple(replace(joint, name=names.get(joint.name, joint.name)) for joint in base.joints)
    arm = da.Arm(f"a&<b>{chr(34)}'*/", base.links, joints, base.gravity, tool_link=base.tool_link)
    return rubbing(arm, da.Friction.of(0.1, 0.2, 0.1))


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_fmpy_finds_nothing_wrong_and_any_name_is_safe(tmp_path: Path, version: str) -> None:
    arm = hostile()
    made = arm.write_fmu(tmp_path / "arm.fmu", version=version, stops=True)
    assert made.platform
    assert validate_fmu(str(tmp_path / "arm.fmu")) == []
    described = read_model_description(str(tmp_path / "arm.fmu"))
    names = [variable.name for variable in described.modelVariables]
    assert len(names) == len(set(names))
    assert {"q.joint_1", "q.joint_1_2"} <= set(names)
    assert any(HOSTILE[0] in (variable.description or "") for variable in described.modelVariables)
    with imported(tmp_path / "arm.fmu", False, tmp_path / "x") as fmu:
        assert stepped(fmu, {}, np.array([0.0, 0.01]), fmu.named("q.")).shape == (2, 6)


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_the_sources_alone_build_without_a_warning(tmp_path: Path, version: str, compiler: str) -> None:
    compiler = system_tool(compiler, compiler)
    system = gallery.five_bar().as_system() if version == "2.0" else rubbing(da.load("planar-2r"), da.Friction.of(0.1))
    da.write_fmu(system, tmp_path / "it.fmu", version=version)
    with zipfile.ZipFile(tmp_path / "it.fmu") as archive:
        archive.extractall(tmp_path / "it")
    command = [compiler, *STRICT, "-fPIC", "-shared", "-o", "out.so", "all.c", "-lm"]
    done = subprocess.run(command, cwd=tmp_path / "it" / "sources", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_same_system_gives_the_same_file_and_another_one_another_token(tmp_path: Path) -> None:
    arm = da.load("planar-2r")
    for name, system in (("a", arm), ("b", arm), ("c", arm.with_gravity((0, -1, 0)))):
        system.write_fmu(tmp_path / f"{name}.fmu")
    assert (tmp_path / "a.fmu").read_bytes() == (tmp_path / "b.fmu").read_bytes()
    tokens = {read_model_description(str(tmp_path / f"{name}.fmu")).guid for name in "abc"}
    assert len(tokens) == 2


def test_outputs_are_those_of_the_system(tmp_path: Path) -> None:
    arm = da.load("puma560", physical="ignore").holding(da.Load(1.0, (0, 0, 0.1)))
    arm.write_fmu(tmp_path / "arm.fmu")
    rng = np.random.default_rng(0)
    q, qd, tau = rng.uniform(-1, 1, (3, 6))
    with imported(tmp_path / "arm.fmu", True, tmp_path / "x") as fmu:
        names = fmu.named("q.") + fmu.named("qd.") + fmu.named("tau.")
        fmu.initialise(dict(zip(names, [*q, *qd, *tau], strict=True)))
        frame, twist = arm.forward_kinematics(q), arm.jacobian(q) @ qd
        assert np.allclose(fmu.get(*fmu.named("tool.position.")), frame[:3, 3], atol=1e-13)
        assert np.allclose(fmu.get(*fmu.named("tool.rotation[")), frame[:3, :3].ravel(), atol=1e-13)
        moves = fmu.named("tool.velocity.") + fmu.named("tool.angular_velocity.")
        assert np.allclose(fmu.get(*moves), twist, atol=1e-12)
        assert np.allclose(fmu.get(*fmu.named("der(qd.")), arm.forward_dynamics(q, qd, tau), rtol=1e-10)
        energies = [arm.kinetic_energy(q, qd), arm.potential_energy(q), qd @ tau]
        assert np.allclose(fmu.get("energy.kinetic", "energy.potential", "power"), energies, rtol=1e-12)


def test_a_state_that_was_kept_goes_on_to_the_bit(tmp_path: Path) -> None:
    rubbing(da.load("planar-2r"), da.Friction.of(0.1, 0.2, 0.1)).write_fmu(tmp_path / "arm.fmu")
    with imported(tmp_path / "arm.fmu", False, tmp_path / "x") as fmu:
        names = fmu.named("q.") + fmu.named("qd.")
        fmu.initialise({names[0]: 0.4, names[2]: 1.0})
        fmu.fmu.doStep(0.0, 0.1)
        kept = fmu.fmu.getFMUState() if fmu.three else fmu.fmu.getFMUstate()
        found = []
        for _ in range(2):
            fmu.fmu.setFMUstate(kept)
            fmu.fmu.doStep(0.1, 0.2)
            found.append(fmu.get(*names))
        fmu.fmu.freeFMUstate(kept)
        assert (found[0] == found[1]).all()


@pytest.mark.parametrize(
    "wrong",
    [{"load.mass": -1.0}, {"friction.joint_joint1.starting": 0.01}, {"restitution": 2.0}, {"gravity.x": np.nan}],
    ids=lambda wrong: next(iter(wrong)),
)
def test_parameters_that_make_no_sense_are_refused(tmp_path: Path, wrong: dict[str, float]) -> None:
    rubbing(da.load("planar-2r"), da.Friction.of(0.1, 0.2, 0.1)).write_fmu(tmp_path / "arm.fmu")
    with (
        imported(tmp_path / "arm.fmu", False, tmp_path / "x") as fmu,
        pytest.raises(Exception, match="fmi2ExitInitializationMode"),
    ):
        fmu.initialise(wrong)


def test_without_a_compiler_the_sources_are_written_and_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    made = da.load("planar-2r").write_fmu(tmp_path / "arm.fmu")
    assert "sources alone, since no C compiler found (no-such-compiler)" in str(made)
    with zipfile.ZipFile(tmp_path / "arm.fmu") as archive:
        assert not [name for name in archive.namelist() if name.startswith("binaries/")]
        assert "sources/all.c" in archive.namelist()


def test_what_cannot_be_honoured_is_refused(tmp_path: Path) -> None:
    arm = da.load("planar-2r")
    for options, said in (
        ({"version": "1.0"}, "no version '1.0' of FMI"),
        ({"input": "voltage"}, "needs an arm with its drives"),
        ({"restitution": 0.5}, "belongs to solid stops"),
    ):
        with pytest.raises(ArmError, match=said):
            arm.write_fmu(tmp_path / "arm.fmu", **options)
    with pytest.raises(ArmError, match=r"arm\.txt: the file of an FMU ends in \.fmu"):
        arm.write_fmu(tmp_path / "arm.txt")
    assert not list(tmp_path.iterdir())


def test_motors_that_slide_have_units_of_forces_throughout(tmp_path: Path) -> None:
    arm = da.load("stanford", physical="ignore")
    motor = da.Motor(2.0, 1.0, 0.01)
    parts = [
        da.Actuator.of(f"m{k}", {n: 1}, friction=da.Friction.of(0.1), motor=motor)
        for k, n in enumerate(arm.joint_names)
    ]
    arm.with_drives(da.DriveTrain(parts)).write_fmu(tmp_path / "arm.fmu", input="voltage")
    model = read_model_description(str(tmp_path / "arm.fmu"))
    units = {variable.name: variable.unit for variable in model.modelVariables}
    defined = {unit.name for unit in model.unitDefinitions}
    expected = {
        "motor_torque.{}": ("N.m", "N"), "motor_velocity.{}": ("rad/s", "m/s"),
        "motor.{}.torque_constant": ("N.m/A", "N/A"), "motor.{}.speed_constant": ("V.s/rad", "V.s/m"),
    }  # fmt: skip
    for name, (turning, sliding) in expected.items():
        assert (units[name.format("m1")], units[name.format("m2")]) == (turning, sliding)
        assert {turning, sliding} <= defined
    assert [units[name] for name in units if name.endswith("m2.starting")] == ["N"]
