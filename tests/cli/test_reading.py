"""Options that say how a file is read: angles, clean lengths, joints that follow others, what is left out."""

from __future__ import annotations

import inspect
import json
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from command_runs import (
    PLAIN,
    run,
)
from dalembert.cli.run import COMMANDS
from dalembert.cli.shaping_options import READING

ROUNDED = """<robot name="bent"><link name="a"/><link name="b">{0}</link><link name="c">{0}</link>
<joint name="joint1" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>
<joint name="joint2" type="continuous"><origin xyz="0.3 {1} 0" rpy="1.5708 0 0"/><parent link="b"/><child link="c"/>
<axis xyz="0 0 1"/>{2}</joint></robot>"""
BODY = (
    '<inertial><origin xyz="0.1 0.02 0.03"/><mass value="2"/>'
    '<inertia ixx="0.1" iyy="0.12" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial>'
)


def urdf(folder: Path, length: str = "0", mimic: str = "") -> Path:
    path = folder / f"bent{len(list(folder.iterdir()))}.urdf"
    path.write_text(ROUNDED.format(BODY, length, mimic), encoding="utf-8")
    return path


OF_AN_ARM = [
    command for command in COMMANDS if command not in ("list", "check", "demo", "mechanism", "study", "doctor")
]


def test_every_command_about_an_arm_has_the_options_of_reading() -> None:
    for command in OF_AN_ARM:
        module, _, name = COMMANDS[command].partition(":")
        parameters = inspect.signature(getattr(import_module(f"dalembert.cli.{module}"), name)).parameters
        assert set(READING) - {"tool"} <= set(parameters), command
    assert "angles" in inspect.signature(import_module("dalembert.cli.mechanism_command").mechanism).parameters


@pytest.mark.filterwarnings("always::dalembert.arm.errors.RoundedWarning")
@pytest.mark.parametrize("command", ["dynamics", "equations", "convert", "review", "codegen"])
def test_angles_are_read_as_meant_with_a_note_and_as_written_without(command: str, folder: Path) -> None:
    words = [command, *PLAIN[command](str(urdf(folder)))]
    meant, written = run(folder, *words), run(folder, *words, "--angles", "as-written")
    assert meant.code == written.code == 0, meant.err
    assert "1.5708 as 90 deg" in meant.err
    assert "1.5708" not in written.err
    assert (meant.out, meant.files) != (written.out, written.files)


@pytest.mark.filterwarnings("ignore::dalembert.arm.errors.RoundedWarning")
def test_angles_change_the_closed_form_and_nothing_that_is_measured(folder: Path) -> None:
    path = urdf(folder)
    words = ["dynamics", path, "--q", "0.3,-0.8", "--qd", "1,2", "--qdd", "2,1", "--json"]
    meant, written = (json.loads(run(folder, *words, *more).out) for more in ([], ["--angles", "as-written"]))
    assert meant["effort"]["total"] != written["effort"]["total"]
    assert meant["effort"]["total"] == pytest.approx(written["effort"]["total"], rel=1e-4)
    exact = da.load(path).inverse_dynamics([0.3, -0.8], [1, 2], [2, 1])
    assert meant["effort"]["total"] == pytest.approx(exact, rel=1e-12)


@pytest.mark.filterwarnings("always::dalembert.arm.errors.RoundedWarning")
def test_clean_takes_off_what_the_note_says(folder: Path) -> None:
    path = urdf(folder, "1e-14")
    hinted, cleaned = run(folder, "show", path), run(folder, "show", path, "--clean", "1e-9")
    assert "a length by 1e-14 m; used as given, and clean=1e-09 (--clean 1e-09)" in hinted.err
    assert "bent is cleaned: a length by 1e-14 m" in cleaned.err
    assert run(folder, "show", path, "--clean", "2").code == 2


@pytest.mark.filterwarnings("ignore::dalembert.arm.errors.RoundedWarning")
def test_mimicking_joints_are_refused_held_free_or_coupled(folder: Path) -> None:
    path = urdf(folder, mimic='<mimic joint="joint1"/>')
    words = (["--mimic", how] for how in ("hold", "free", "couple"))
    refused, held, free, coupled = (run(folder, "dynamics", path, "--json", *more) for more in ([], *words))
    assert refused.code == 2
    assert "--mimic on the command line" in refused.sentences[0]
    masses = [np.array(json.loads(one.out)["mass_matrix"]) for one in (held, free, coupled)]
    assert [len(mass) for mass in masses] == [1, 2, 1]
    # Both joints go by the same coordinate: A is a column of ones.
    assert masses[2] == pytest.approx(masses[1].sum())
    shown = run(folder, "show", path, "--mimic", "couple")
    assert "1 joint (R) and 1 that follows" in shown.out


XACRO = """<robot name="rod" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="mass" default="2"/>
<link name="base"/><link name="bob"><inertial><origin xyz="$(arg reach) 0 0"/><mass value="$(arg mass)"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="continuous"><parent link="base"/><child link="bob"/><axis xyz="0 1 0"/></joint></robot>"""


def test_arguments_of_a_xacro_file_are_given_on_the_command_line_as_in_python_and_as_ros_writes_them(
    folder: Path,
) -> None:
    file = folder / "rod.xacro"
    file.write_text(XACRO, encoding="utf-8")
    for words, arguments in (
        (["--arg", "reach=0.5"], {"reach": "0.5"}),
        (["--arg", "reach:=0.5", "--arg", "mass=3"], {"reach": "0.5", "mass": "3"}),
    ):
        found = run(folder, "dynamics", file, *words, "--json")
        torque = da.load(file, arguments=arguments).gravity_load([0.0])
        assert json.loads(found.out)["effort"]["total"] == pytest.approx(torque)
    arm = folder / "arm.toml"
    for target, words, said in (
        (file, [], "needs the argument 'reach'"),
        (file, ["--arg", "reach=1", "--arg", "side=2"], "has no argument 'side'; its arguments are ['mass', 'reach']"),
        (file, ["--arg", "reach"], "--arg takes an argument of a xacro file and its value"),
        (arm, ["--arg", "reach=1"], "(--arg) are for a xacro file"),
    ):
        refused = run(folder, "dynamics", target, *words)
        assert (refused.code, len(refused.sentences)) == (2, 1)
        assert said in refused.sentences[0]


GRIPPER = """<mujoco model="gripper"><worldbody><body name="link1"><joint name="j" axis="0 1 0"/>
<geom size="0.1" pos="0.3 0 0"/><body name="hand" pos="0.5 0 0"><geom size="0.05"/>
<body name="finger1"><joint name="f1" type="slide"/><geom size="0.02"/></body>
<body name="finger2"><joint name="f2" type="slide"/><geom size="0.02"/></body></body></body></worldbody>
<equality><joint joint1="f2" joint2="f1"/></equality>
<tendon><fixed stiffness="2"><joint joint="f1" coef="1"/></fixed></tendon></mujoco>"""


@pytest.mark.filterwarnings("default::dalembert.arm.errors.SkippedWarning")
def test_what_follows_and_what_acts_is_held_and_left_out_on_the_command_line(folder: Path) -> None:
    file = folder / "gripper.xml"
    file.write_text(GRIPPER, encoding="utf-8")
    refused = run(folder, "show", file)
    assert refused.code == 2
    assert "--skip tendon" in refused.sentences[0]
    refused = run(folder, "show", file, "--skip", "tendon")
    assert refused.code == 2
    assert "--mimic" in refused.sentences[0]
    words = ["--skip", "tendon", "--mimic"]
    held, free = (run(folder, "show", file, *words, how) for how in ("hold", "free"))
    assert (held.code, free.code) == (0, 0)
    assert "note: " in held.err
    assert "left out as asked: tendon: stiffness of fixed" in held.err
    assert "2 joints (RP)" in held.out
    assert "3 joints (RPP)" in free.out
    assert "tool on hand" in held.out
    refused = run(folder, "show", file, *words, "along")
    assert refused.code == 2
    assert "mimic can be refuse, hold, free" in refused.sentences[0]
    with pytest.warns(da.arm.errors.SkippedWarning):
        arm = da.load(file, mimic="hold", skip=["tendon"])
    found = run(folder, "dynamics", file, *words, "hold", "--json", "--q", "0.3,0.01", "--load", "2", "--tool", "link1")
    held_there = arm.with_tool("link1").holding(da.Load(2))
    torques = held_there.inverse_dynamics([0.3, 0.01], [0, 0], [0, 0])
    assert json.loads(found.out)["effort"]["total"] == pytest.approx(torques)
    assert run(folder, "dynamics", file, *words, "hold", "--tool", "palm").sentences[0].startswith("dalembert: ")
    converted = run(folder, "convert", file, "--to", "toml", *words, "hold", "--tool", "link1")
    assert da.load(converted.out).tool_link == "link1"


@pytest.mark.parametrize("command", [one for one in OF_AN_ARM if one not in ("bench", "studio")])
def test_an_arm_whose_springs_are_left_out_is_the_arm_that_has_none(command: str, folder: Path) -> None:
    """Closed forms have no springs: where a command cannot hold them it says which option leaves them out."""
    plain = folder / "arm.toml"
    spring = '\n[[springs]]\njoint = "joint2"\nstiffness = 3\nrest = 0.2\n'
    (folder / "sprung").mkdir(exist_ok=True)
    sprung = folder / "sprung" / "arm.toml"
    sprung.write_text(plain.read_text("utf-8") + spring, encoding="utf-8")
    (folder / "sprung" / "log.csv").write_bytes((folder / "log.csv").read_bytes())
    words = PLAIN[command](str(sprung))
    expected, found = run(folder, command, *PLAIN[command](str(plain))), run(folder, command, *words, "--no-springs")
    assert found.code == expected.code < 2, found.err
    assert found.out.replace(str(sprung), str(plain)) == expected.out
    asked = run(folder, command, *words)
    if asked.code == 2:
        assert len(asked.sentences) == 1
        assert "--no-springs" in asked.sentences[0]
    else:
        needless = run(folder, command, *PLAIN[command](str(plain)), "--no-springs")
        assert "--no-springs leaves nothing out" in needless.err
