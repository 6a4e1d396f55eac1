"""The ``dalembert`` command: right numbers on stdout, one sentence on stderr, exit code 2 on bad input."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import dalembert as da
from dalembert.cli import main
from dalembert.cli.demo_command import ACCELERATION, ARM, NEXT, POSE, SPEED
from dalembert.cli.fmu_options import PANEL
from dalembert.cli.run import COMMANDS
from dalembert.cli.shaping_options import FILE_PANEL, STATES_PANEL, SYSTEM_PANEL

SIX = "0.1,-0.2,0.3,-0.4,0.5,-0.6"


pytestmark = pytest.mark.usefixtures("terminal_of_80_columns")


def torques(run, *arguments: str) -> np.ndarray:
    result = run("dynamics", *arguments, "--json")
    assert result.code == 0, result.err
    return np.array(json.loads(result.out)["effort"]["total"])


# -- what it prints ----------------------------------------------------------------------------------


def test_version_is_the_version_of_the_package(run):
    assert run("--version").out == f"dalembert {da.__version__}\n"


def test_no_words_print_the_help(run):
    result = run()
    assert result.code == 0
    assert "dynamics" in result.out
    assert result.err == ""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("dynamics", "planar-2r", "--q", "0.5,45"), "--q: more than a turn at joint2: 45 is in rad"),
        (("dynamics", "planar-2r", "--q", "0.5,45", "--degrees"), ""),
        (("dynamics", "planar-2r", "--q", "0.5,45 deg", "--qdd", "90,90"), ""),
        (("dynamics", "planar-2r", "--lock", "joint2=90"), "--lock: more than a turn at joint2: 90 is in rad"),
        (("dynamics", "planar-2r", "--lock", "joint2=pi/2"), ""),
        (("ranges", "planar-2r", "--box", "joint1=-90:45"), "--box: more than a turn at joint1: -90 is in rad"),
        (("ik", "ur5e", "--pose", "0.4,0.2,0.3,180,0,0"), "--pose: more than a turn at roll: 180 is in rad"),
        (("simulate", "planar-2r", "--controller", "pd", "--to", "30,-60", "--duration", "0.1"),
         "--to: more than a turn at joint1, joint2: 30 is in rad"),
    ],
)  # fmt: skip
def test_an_angle_that_looks_like_degrees_is_computed_and_told(run, words, told):
    result = run(*words)
    assert result.code == 0
    assert ("more than a turn" in result.err) == bool(told)
    assert told in result.err


def test_a_gravity_that_is_not_the_usual_one_is_told_with_the_system(run):
    assert "the links alone, gravity (0, 0, 1.62) m/s^2\n" in run("dynamics", "ur5e", "--gravity", "0,0,1.62").out
    assert "gravity (" not in run("dynamics", "ur5e").out


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_the_options_of_the_command_first_and_leaves_room_for_words(run, command):
    """80 columns: the words of an option stand in 25 of them at least, and those that all commands have come last."""
    result = run(command, "--help")
    assert result.code == 0
    lines = result.out.splitlines()
    indents = [len(line) - len(line[1:].lstrip()) for line in lines if line.startswith("│") and line[1:20].isspace()]
    assert max(indents, default=0) <= 54
    boxes = [line.strip("╭─╮ ") for line in lines if line.startswith("╭")]
    assert boxes == [
        box for box in ("Arguments", "Options", SYSTEM_PANEL, FILE_PANEL, STATES_PANEL, PANEL) if box in boxes
    ]


def test_list_names_every_built_in_arm_within_80_columns(run):
    result = run("list")
    assert result.code == 0
    first_words = {line.split()[0] for line in result.out.splitlines() if line.strip()}
    assert set(da.catalog()) <= first_words
    assert max(map(len, result.out.splitlines())) <= 80


@pytest.mark.parametrize("name", da.catalog())
def test_show_gives_every_joint_link_and_source_within_80_columns(run, name):
    arm = da.load(name, physical="ignore")
    result = run("show", name)
    assert result.code == 0
    text = " ".join(result.out.split())
    for part in (*arm.joint_names, *arm.link_names, *arm.sources):
        assert " ".join(part.split()) in text
    assert max(map(len, result.out.splitlines())) <= 80


@pytest.mark.parametrize(
    "written", ["0.1,-0.2,0.3,-0.4,0.5,-0.6", "0.1 -0.2 0.3 -0.4 0.5 -0.6", " 0.1, -2e-1,  .3, -0.4 , 0.5,-0.6 "]
)
def test_values_may_be_joined_by_commas_or_spaces(run, written):
    expected = da.load("puma560", physical="ignore").gravity_load([0.1, -0.2, 0.3, -0.4, 0.5, -0.6])
    np.testing.assert_allclose(torques(run, "puma560", "--q", written), expected, atol=1e-12)


def test_a_value_may_begin_with_a_minus_sign(run):
    expected = da.load("planar-2r").gravity_load([-0.5, 1.0])
    np.testing.assert_allclose(torques(run, "planar-2r", "--q", "-0.5,1"), expected, atol=1e-12)
    np.testing.assert_allclose(torques(run, "planar-2r", "--q=-0.5,1"), expected, atol=1e-12)


def test_degrees_turn_revolute_joints_and_leave_prismatic_ones_in_metres(run):
    expected = da.load("jpl-rrp").gravity_load([0.0, np.pi / 3, 0.4, 0.0, np.pi / 2, 0.0])
    found = torques(run, "jpl-rrp", "--q", "0 60 0.4 0 90 0", "--degrees")
    np.testing.assert_allclose(found, expected, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize(
    ("written", "options"), [("pi/2,-pi/6", []), ("90 deg, -30deg", []), ("pi/2,-30", ["--degrees"])]
)
def test_angles_may_be_written_with_pi_or_deg(run, written, options):
    expected = da.load("planar-2r").gravity_load([np.pi / 2, -np.pi / 6])
    np.testing.assert_allclose(torques(run, "planar-2r", "--q", written, *options), expected, atol=1e-12)


def test_radians_stay_radians_under_degrees(run):
    expected = da.load("planar-2r").gravity_load([0.5, np.pi / 6])
    np.testing.assert_allclose(torques(run, "planar-2r", "--q", "0.5 rad,30", "--degrees"), expected, atol=1e-12)


def test_a_pose_beyond_the_limits_is_computed_with_one_note(run):
    result = run("dynamics", "jpl-rrp", "--no-drives", "--q", "0,0,99,0,0,0", "--json")
    joint = da.load("jpl-rrp").joint_names[2]
    assert result.code == 0
    assert result.err == f"note: beyond the range of the arm: {joint}; computed all the same\n"
    assert json.loads(result.out)["q"][2] == 99


def test_numbers_no_real_body_has_give_one_short_note_and_the_result(run):
    result = run("dynamics", "puma560", "--no-drives", "--json")
    assert result.code == 0
    assert json.loads(result.out)["arm"] == "puma560"
    assert result.err.startswith("note: puma560: no real body has the inertia of")
    assert "link3" in result.err
    assert result.err.count("\n") == 1
    assert "triangle inequality" in run("show", "puma560").out


@pytest.mark.parametrize("options", [[], ["--no-drives"], ["--drives"]], ids=["left open", "without", "with"])
def test_an_arm_that_describes_drives_says_in_one_note_that_only_its_links_count(run, options):
    result = run("dynamics", "jpl-rrp", "--json", *options)
    assert result.code == 0
    assert json.loads(result.out)["drives"] == ("exact" if options == ["--drives"] else "none")
    note = "note: the links of jpl-rrp alone; --drives counts the rotors and friction of its drives"
    assert result.err.startswith(note) if not options else result.err == ""
    assert result.err.count("\n") == (not options)
    # An arm that describes none has nothing to say, and is told so where they are asked for.
    plain, asked = run("dynamics", "planar-2r", "--json"), run("dynamics", "planar-2r", "--drives", "--json")
    assert plain.err == ""
    assert asked.err == "note: planar-2r describes no drives; they add nothing to its links\n"


def test_demo_shows_the_arm_its_mass_matrix_gravity_load_and_torques(run):
    arm = da.load(ARM)
    out = run("demo", "--no-report").out
    state = np.array(POSE), np.array(SPEED), np.array(ACCELERATION)
    for number in (
        *np.diag(arm.mass_matrix(state[0])),
        *(g for g in arm.gravity_load(state[0]) if abs(g) > 1e-9),
        *arm.inverse_dynamics(*state),
    ):
        assert f"{number:.5g}" in out
    for joint in arm.joint_names:
        assert joint in out
    assert max(map(len, out.splitlines())) <= 80


def test_the_demo_ends_in_a_report_on_the_arm_with_drives_and_load(run, tmp_path: Path, monkeypatch):
    asked = []

    def write_report(system, output, *, progress):
        progress("ranges", 1, 2)
        asked.append((system, output))
        return SimpleNamespace(arm=system, sections=())

    monkeypatch.setattr("dalembert.report.write.write_report", write_report)
    out = run("demo", "-o", str(tmp_path / "page.html")).out
    ((system, output),) = asked
    assert system.counts_drives
    assert [float(load.body.mass) for _, load in system.loads] == [1.8]
    assert output == tmp_path / "page.html"
    assert f"Thereportis{output};openit" in "".join(out.split())  # however the terminal breaks the line


def test_every_command_the_demo_proposes_works(run, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    commands = [line.split("  ")[0].split() for line in NEXT.splitlines() if line.startswith("dalembert ")]
    assert len(commands) >= 6
    for _, *words in commands:
        # the report has tests of its own, which open it in a browser
        assert words[0] == "report" or run(*words).code == 0


# -- convert -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["urdf", "toml", "dh"])
@pytest.mark.parametrize("name", ["jpl-rrp", "planar-3r", "iiwa14"])
def test_a_converted_arm_has_the_same_torques(run, tmp_path: Path, name, kind):
    target = tmp_path / ("arm.urdf" if kind == "urdf" else "arm.toml")
    assert run("convert", name, "--to", kind, "-o", str(target)).code == 0
    n = da.load(name).n
    state = [",".join(f"{x:.3f}" for x in np.random.default_rng(k).uniform(0.1, 0.9, n)) for k in range(3)]
    words = ["--q", state[0], "--qd", state[1], "--qdd", state[2]]
    expected = torques(run, name, *words)
    np.testing.assert_allclose(torques(run, str(target), *words), expected, atol=1e-10 * np.abs(expected).max())


@pytest.mark.parametrize("kind", ["urdf", "toml", "dh"])
def test_convert_prints_the_text_of_the_writer(run, kind):
    result = run("convert", "planar-2r", "--to", kind)
    written = getattr(da.load("planar-2r"), f"write_{kind}")()
    assert result.out.rstrip("\n") == written.rstrip("\n")


@pytest.mark.filterwarnings("always::dalembert.arm.errors.RoundedWarning")
def test_rows_that_fit_only_after_axes_were_moved_come_with_a_note(run, tmp_path: Path):
    rough = tmp_path / "rough.urdf"
    straight = '<origin xyz="1 0 0" rpy="0.0 0.0 0.0" />'
    text = da.load("planar-2r").write_urdf()
    assert straight in text
    rough.write_text(text.replace(straight, straight.replace("0.0 0.0 0.0", "0.0 1e-10 0.0")))
    assert run("convert", "planar-2r", "--to", "dh").err == ""
    result = run("convert", str(rough), "--to", "dh")
    assert result.code == 0
    assert "note: to fit Denavit-Hartenberg rows, axes were turned by " in result.err
    assert "--clean 1e-09" in result.err


def test_convert_writes_over_a_file_only_by_force(run, tmp_path: Path):
    target = tmp_path / "arm.toml"
    target.write_text("mine")
    refused = run("convert", "planar-2r", "--to", "toml", "-o", str(target))
    assert refused.code == 2
    assert "--force" in refused.err
    assert target.read_text() == "mine"
    assert run("convert", "planar-2r", "--to", "toml", "-o", str(target), "--force").code == 0
    assert "planar-2r" in target.read_text()


def test_convert_says_which_drives_urdf_leaves_out(run):
    converted = run("convert", "puma560", "--to", "urdf")
    assert converted.code == 0
    (note,) = [line for line in converted.err.splitlines() if "URDF has no place" in line]
    assert all(f"motor{k}" in note for k in range(1, 7))
    assert "URDF has no place" not in run("convert", "planar-2r", "--to", "urdf").err
    assert "URDF has no place" not in run("convert", "puma560", "--to", "toml").err


def test_show_has_the_friction_of_joints_with_its_units_also_in_ounces(run, tmp_path: Path):
    path = tmp_path / "rod.toml"
    path.write_text(
        '[[joints]]\nname = "turn"\ntype = "revolute"\ndamping = 0.7\nfriction = 1.5\n'
        "link = {mass = 2, com = [-0.2, 0, 0], inertia = [0.01, 0.03, 0.03]}\n"
    )
    shown, ounces = (
        run("show", str(path), *words).out.split("Friction at the joints")[1] for words in ([], ["--ounces"])
    )
    assert shown.split()[-10:-4] == ["turn", "1.5", "1.5", "1.5", "0.7", "N"]
    assert "N m s/rad" in shown
    # 1 oz in = 0.028349523125 kg x 9.80665 m/s^2 x 0.0254 m
    row = next(line.split() for line in ounces.splitlines() if line.strip().startswith("turn"))
    assert float(row[1]) == pytest.approx(1.5 / (0.028349523125 * 9.80665 * 0.0254), rel=1e-3)


# -- bad input ---------------------------------------------------------------------------------------

BAD = {
    "unknown word": ["torques"],
    "unknown option": ["dynamics", "puma560", "--payload", "3"],
    "a load that is none": ["dynamics", "puma560", "--load", "heavy"],
    "a load of two numbers": ["dynamics", "puma560", "--load", "1,2"],
    "rotors by no known model": ["dynamics", "puma560", "--rotors", "rough"],
    "rotors without drives": ["dynamics", "puma560", "--no-drives", "--rotors", "paul"],
    "drives that are not there": ["dynamics", "puma560", "--drives-file", "missing.toml"],
    "half a gravity": ["dynamics", "puma560", "--gravity", "0,0"],
    "a lock without a place": ["dynamics", "puma560", "--lock", "joint1"],
    "a lock of no joint": ["dynamics", "puma560", "--lock", "elbow=1"],
    "two locks of a joint": ["dynamics", "puma560", "--lock", "joint2=0.1", "--lock", "joint2=0.2"],
    "two ranges of a joint": ["ranges", "planar-2r", "--box", "joint2=0:1", "--box", "joint2=0:2"],
    "two ranges by two names": ["ranges", "planar-2r", "--box", "joint2=0:1", "--box", "q2=0:2"],
    "two places of a joint": ["equations", "planar-2r", "--at", "2=0,2=1"],
    "no arm": ["show"],
    "unknown arm": ["show", "puma56"],
    "missing file": ["show", "missing/arm.urdf"],
    "unknown file type": ["show", "arm.step"],
    "unknown format": ["convert", "puma560", "--to", "sdf"],
    "no format": ["convert", "puma560"],
    "too few values": ["dynamics", "puma560", "--q", "0,0"],
    "values apart": ["dynamics", "puma560", "--q", "0", "0", "0", "0", "0", "0"],
    "no value": ["dynamics", "puma560", "--q"],
    "empty value": ["dynamics", "puma560", "--q", ""],
    "a hole": ["dynamics", "puma560", "--q", "0,,0,0,0,0"],
    "not a number": ["dynamics", "puma560", "--q", "0,0,zero,0,0,0"],
    "nan": ["dynamics", "puma560", "--qd", "0,0,nan,0,0,0"],
    "too large": ["dynamics", "puma560", "--q", "1e350,0,0,0,0,0"],
    "an angle for a slide": ["dynamics", "jpl-rrp", "--q", "0,0,pi/2,0,0,0"],
    "infinite": ["dynamics", "puma560", "--qdd", "0,0,-inf,0,0,0"],
    "folder that is not there": ["convert", "planar-2r", "--to", "urdf", "-o", "missing/arm.urdf"],
    "a folder as arm": ["show", "."],
    "an endless exponent": ["dynamics", "puma560", "--q", "1e99999999999999999999,0,0,0,0,0"],
    "an endless load": ["dynamics", "puma560", "--load", "1e99999999999999999999"],
    "an endless box": ["ranges", "planar-2r", "--box", "joint1=0:1e-99999999999999999999"],
    "a joint squared": ["equations", "planar-2r", "--joints", "²"],
    "a resting joint squared": ["equations", "planar-2r", "--at", "²=0"],
    "a time without end": ["simulate", "planar-2r", "--duration", "1e300"],
    "a negative tolerance": ["simulate", "planar-2r", "--tolerance", "-1"],
    "a name of many letters": ["show", "x" * 9000],
    "a device as mechanism": ["mechanism", "/dev/zero.toml"],
}


@pytest.mark.parametrize("arguments", BAD.values(), ids=BAD.keys())
def test_bad_input_ends_with_code_2_and_one_sentence(run, arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run(*arguments)
    assert result.code == 2
    assert result.out == ""
    sentences = [line for line in result.err.splitlines() if not line.startswith("note: ")]
    assert len(sentences) == 1
    assert sentences[0].startswith("dalembert: ")
    assert len(sentences[0]) > len("dalembert: ") + 10


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        (["show", "nosuch"], "puma560"),
        (["dynamics", "jpl-rrp", "--q", "1,2"], "6 values"),
        (["dynamics", "jpl-rrp", "--q", "1", "2"], "one argument"),
        (["dynamics", "jpl-rrp", "--json", "true"], "an option that is on or off stands alone, as in --json"),
        (["puma560"], "the command comes before the arm, as in dalembert show puma560"),
        (["my.urdf"], "the command comes before the arm, as in dalembert show my.urdf"),
        (["ranges", "planar-2r", "--load"], "(help: dalembert ranges --help)"),
        (["dynamics", "planar-2r", "--load", "0,0,0,0.1"], "--load: '0,0,0,0.1' is a load without mass"),
        (["dynamics", "planar-2r", "--load", "2:0.1:0.2"], "--load (edges after the colon): '0.1:0.2' is not a number"),
        (["reduce", "planar-2r", "--tolerance", "5"], "got 5.0 (5 percent are 0.05)"),
        (["convert", "puma560", "--to", "sdf"], "urdf"),
        (["dynamics", "planar-2r", "--qd", "0,x"], da.load("planar-2r").joint_names[1]),
        (["simulate", "planar-2r", "--duration", "long"], "'--duration': 'long' is not a number (help: "),
        (["dynamics", "planar-2r", "--slow-fast", "--json"], "'--slow-fast': '--json' is not a number (help: "),
        (["ik", "ur5e", "--pose", "0.4,0.1,0.3"], "for a position alone add --task position"),
        (["ik", "planar-2r", "--pose", "1,0,0", "--starts", "1.5"], "'--starts': '1.5' is not a whole number (help: "),
    ],
)
def test_the_sentence_names_the_remedy(run, arguments, remedy):
    assert remedy in run(*arguments).err


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('<robot name="r"><link name="a"/></robot>', "no joint moves"),
        (
            '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="continuous"><parent link="a"/>'
            '<child link="b"/></joint></robot>',
            "mass",
        ),
    ],
)
def test_an_arm_without_dynamics_is_shown_but_has_no_torques(run, tmp_path: Path, text, reason):
    still = tmp_path / "still.urdf"
    still.write_text(text)
    assert run("show", str(still)).code == 0
    result = run("dynamics", str(still))
    assert result.code == 2
    assert result.out == ""
    assert reason in result.err


def test_names_from_a_file_cannot_steer_the_terminal(run, tmp_path: Path):
    sly = tmp_path / "sly.toml"
    sly.write_text(
        'name = "a\\u001b[31m"\ntitle = "b\\u0007"\n[[joints]]\nname = "c\\n[bold]d"\ntype = "revolute"\n'
        'link = {name = "l\\r", mass = 1, com = [1, 0, 0], inertia = [1, 1, 1]}\n'
    )
    for words in (["show"], ["dynamics", "--mass-matrix"]):
        result = run(words[0], str(sly), *words[1:])
        assert result.code == 0
        assert all(c.isprintable() or c == "\n" for c in result.out)
        assert "c\\n[bold]d" in result.out


@pytest.mark.parametrize("suffix", ["toml", "urdf", "xml"])
@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00\x81", b"<robot", b"[[joints]]\nname = 3\n", b"{}" * 50])
def test_a_broken_file_is_refused_by_name(run, tmp_path: Path, suffix, content):
    broken = tmp_path / f"broken.{suffix}"
    broken.write_bytes(content)
    result = run("show", str(broken))
    assert result.code == 2
    assert "broken." in result.err
    assert result.err.count("\n") == 1


@given(st.text(alphabet="0123456789.,-+*/()e \tnaifpdgr", max_size=20))
@example("1_0,2")
@example("1e999,0")
@example(",")
def test_any_text_as_values_is_computed_or_refused(text):
    assert main(["dynamics", "planar-2r", "--q", text, "--json"]) in (0, 2)
