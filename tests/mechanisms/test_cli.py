"""``dalembert mechanism FILE`` on the example files."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import dalembert as da
from dalembert.cli.run import application, main
from dalembert.mechanisms import gallery

EXAMPLES = Path(__file__).parents[2] / "examples" / "mechanisms"


def run(*words: str) -> str:
    found = CliRunner().invoke(application(["mechanism"]), ["mechanism", *words], catch_exceptions=False)
    assert found.exit_code == 0
    return found.output


def test_mechanism_tells_mobility_position_model_and_modes() -> None:
    text = run(str(EXAMPLES / "five_bar.toml"), "--modes", "--forces")
    assert "2 freedoms (4 joints - 2 equations)" in text
    assert "regular" in text
    assert "left.joint2" in text
    assert "Inertia I*" in text
    assert "2 found" in text
    assert "tip.x" in text


def test_mechanism_takes_coordinates_and_other_drives() -> None:
    text = run(str(EXAMPLES / "five_bar.toml"), "--drive", "left.joint1,left.joint2", "--q", "110 deg,-60 deg")
    assert "1.9199" in text  # 110 degrees
    assert "-1.0472" in text
    with pytest.raises(da.ArmError, match=r"--q needs 2 values, one for each of left.joint1, right.joint1"):
        run(str(EXAMPLES / "five_bar.toml"), "--q", "1")


def test_mechanism_shares_the_load_of_a_file_with_motors() -> None:
    """The printed loads of the motors do the work of the printed loads at the coordinates, and none is smaller."""
    text = run(str(EXAMPLES / "two_arms.toml"))
    assert "6 freedoms (12 joints - 6 equations)" in text
    pair = da.load_mechanism(EXAMPLES / "two_arms.toml")
    needed, shared = text.split("Load that holds it still")[1].split("shared with the least sum of squares")
    names = (pair.coordinates, pair.joint_names)
    loads = [
        np.array([float(re.search(rf"{re.escape(name)} .*?(\S+) *$", part, re.MULTILINE)[1]) for name in which])
        for part, which in zip((needed, shared), names, strict=True)
    ]
    first = pair.influence(pair.home).first
    np.testing.assert_allclose(first.T @ loads[1], loads[0], atol=2e-3)
    np.testing.assert_allclose(loads[1], first @ np.linalg.solve(first.T @ first, loads[0]), atol=2e-3)


def test_drives_count_where_asked_for_and_a_note_says_where_not(tmp_path: Path) -> None:
    text = (EXAMPLES / "five_bar.toml").read_text(encoding="utf-8")
    marked = text.replace(
        "[[chain.left.joints]]", "[[chain.left.joints]]\ndrive = {gear_ratio = 10, motor_inertia = 0.01}", 1
    )
    assert marked != text
    path = tmp_path / "bar.toml"
    path.write_text(marked, encoding="utf-8")
    bar = da.load_mechanism(path)
    more = bar.driven.mass_matrix(bar.home) - bar.mass_matrix(bar.home)
    np.testing.assert_allclose(more, [[1.0, 0], [0, 0]], atol=1e-12)  # J N^2 at the driven crank
    path.write_text(marked.replace("[chain.left]", "[chain.left]\ndrives = true"), encoding="utf-8")
    np.testing.assert_allclose(da.load_mechanism(path).mass_matrix(bar.home), bar.driven.mass_matrix(bar.home))
    assert run(str(path)) == run(str(path), "--drives") != run(str(path), "--no-drives")
    path.write_text(marked, encoding="utf-8")
    found = CliRunner().invoke(application(["mechanism"]), ["mechanism", str(path)])
    assert "the links of left alone; --drives counts" in found.stderr
    path.write_text(marked.replace("[chain.left]", '[chain.left]\ndrives = "yes"'), encoding="utf-8")
    with pytest.raises(da.ArmError, match=r"chain 'left': drives is true .* or false"):
        da.load_mechanism(path)


def test_mechanism_tells_how_far_the_guess_of_the_file_was_moved(tmp_path: Path) -> None:
    text = run(str(EXAMPLES / "two_arms.toml"))
    assert re.search(r"To close them, (left|right)\.\w+ moved by -?0\.00\d+ rad", text)
    assert re.search(r"Loops close to \S+ \(m, rad\)", text)
    still = tmp_path / "closed.toml"
    home = da.load_mechanism(EXAMPLES / "five_bar.toml")
    lines = (EXAMPLES / "five_bar.toml").read_text().split("[home]")[0]
    joints = "\n".join(
        f'"{name}" = {value!r}' for name, value in zip(home.joint_names, home.home.tolist(), strict=True)
    )
    still.write_text(f"{lines}[home]\n{joints}\n")
    assert "To close them" not in run(str(still))


FIVE_BAR = str(EXAMPLES / "five_bar.toml")


def asked(*words: str) -> dict:
    return json.loads(run(FIVE_BAR, "--json", *words))


def test_json_has_the_numbers_of_the_mechanism_in_full() -> None:
    bar = da.load_mechanism(FIVE_BAR)
    found = asked("--q", "1.9,1.2", "--qd", "0.3,-0.2", "--qdd", "1,0.5", "--power", "--linear")
    phi = bar.position([1.9, 1.2])
    qd, qdd = [0.3, -0.2], [1.0, 0.5]
    np.testing.assert_allclose(found["phi"], phi, rtol=1e-14)
    assert found["coordinates"][0] == {"name": "left.joint1", "unit": "rad", "load_unit": "N m"}
    np.testing.assert_allclose(found["motion"]["load [N m or N]"], bar.inverse_dynamics(phi, qd, qdd), rtol=1e-12)
    np.testing.assert_allclose(
        found["joint_motion"]["acceleration [unit/s^2]"], bar.joint_motion(phi, qd, qdd)[1], rtol=1e-12
    )
    model, linear = bar.model(phi), bar.linearize(phi, qd, bar.inverse_dynamics(phi, qd, qdd))
    to_q = bar.inverse_dynamics_derivatives(phi, qd, qdd)[0]
    np.testing.assert_allclose(found["inertia_matrix"], model.inertia, rtol=1e-12)
    columns = ["left.joint1 [rad/s]", "right.joint1 [rad/s]"]
    for k, name in enumerate(bar.coordinates):
        plane = np.array([found[f"power_{name}"][column] for column in columns]).T
        np.testing.assert_allclose(plane, model.power[k], rtol=1e-12)
    stiffness = np.array([found["stiffness"][f"{name} [rad]"] for name in bar.coordinates]).T
    np.testing.assert_allclose(stiffness, to_q, rtol=1e-12)
    poles = np.array(found["poles"]["real [1/s]"]) + 1j * np.array(found["poles"]["imaginary [rad/s]"])
    np.testing.assert_allclose(np.prod(poles), np.linalg.det(linear.A), rtol=1e-9)


def test_json_has_the_loads_of_the_motors_of_the_file() -> None:
    found = json.loads(run(str(EXAMPLES / "two_arms.toml"), "--json"))
    pair = da.load_mechanism(EXAMPLES / "two_arms.toml")
    first = pair.influence(pair.home).first
    names = found["motors"]["motor"]
    rows = first[[pair.joint_names.index(name) for name in names]]
    np.testing.assert_allclose(rows.T @ found["motors"]["load [N m or N]"], found["static_load"], rtol=1e-9, atol=1e-9)


def test_forces_in_closures_and_loads_of_motors_are_those_of_the_motion() -> None:
    bar, qd, qdd = da.load_mechanism(FIVE_BAR), [3.0, -2.0], [10.0, 5.0]
    state = ("--q", "1.9,1.2", "--qd", "3,-2", "--forces")
    phi = bar.position([1.9, 1.2])
    moving = bar.constraint_forces(phi, qd, qdd)
    found = asked(*state, "--qdd", "10,5")["closure_forces"]["force [N, N m]"]
    np.testing.assert_allclose(found, moving, rtol=1e-12)
    loads = ",".join(repr(float(load)) for load in bar.inverse_dynamics(phi, qd, qdd))
    found = asked(*state, "--tau", loads)["closure_forces"]["force [N, N m]"]
    np.testing.assert_allclose(found, moving, rtol=1e-9)
    pair = da.load_mechanism(EXAMPLES / "two_arms.toml")
    speeds = np.linspace(-1, 1, pair.n)
    text = ",".join(repr(float(speed)) for speed in speeds)
    motors = json.loads(run(str(EXAMPLES / "two_arms.toml"), "--qd", text, "--json"))["motors"]
    rows = pair.influence(pair.home).first[[pair.joint_names.index(name) for name in motors["motor"]]]
    loads_of_motion = pair.inverse_dynamics(pair.home, speeds, np.zeros(pair.n))
    np.testing.assert_allclose(rows.T @ motors["load [N m or N]"], loads_of_motion, rtol=1e-9, atol=1e-9)


def test_nobody_drives_a_passive_coordinate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its load is zero, its acceleration what follows from that (Freeman 1985, Appendix D)."""
    crank = gallery.slider_crank()
    path = str(crank.save(tmp_path / "crank.toml"))
    load, qdd = crank.with_passive(crank.home, [1.0, 0.5], [1.5, 0.0])
    found = json.loads(run(path, "--qd", "1,0.5", "--qdd", "1.5,0", "--forces", "--json"))
    np.testing.assert_allclose(found["motion"]["load [N m or N]"], load, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found["motion"]["acceleration [unit/s^2]"], qdd, rtol=1e-9)
    pins = crank.constraint_forces(crank.home, [1.0, 0.5], qdd)
    np.testing.assert_allclose(found["closure_forces"]["force [N, N m]"], pins, rtol=1e-9)
    for option in ("--qdd", "--tau"):
        assert main(["mechanism", path, option, "1,2"]) == 2
        assert "which is passive: nobody drives it" in capsys.readouterr().err


def test_loads_give_accelerations_and_motions() -> None:
    bar = da.load_mechanism(FIVE_BAR)
    found = asked("--tau", "0.1,0.2", "--qd", "0.3,0.1", "--simulate", "0.2", "--samples", "3")
    wanted = bar.forward_dynamics(bar.home, [0.3, 0.1], [0.1, 0.2])
    np.testing.assert_allclose(found["accelerations"]["acceleration [unit/s^2]"], wanted, rtol=1e-10)
    motion = bar.simulate([0.0, 0.1, 0.2], bar.home, [0.3, 0.1], lambda t, q, qd: [0.1, 0.2])
    run_ = found["simulation"]
    assert run_["t [s]"] == pytest.approx([0.0, 0.1, 0.2])
    np.testing.assert_allclose(run_["left.joint1 [rad]"], motion.q[:, 0], rtol=1e-9)
    np.testing.assert_allclose(run_["right.joint1 [rad/s]"], motion.qd[:, 1], rtol=1e-9)
    assert max(run_["loops open [m, rad]"]) < 1e-12


def test_every_printed_column_has_its_unit() -> None:
    text = run(FIVE_BAR, "--qd", "0.3,-0.2", "--simulate", "0.1", "--samples", "2", "--power", "--linear")
    for unit in (
        "speed [rad/s]",
        "load [N m]",
        "t [s]",
        "[rad/s]",
        "energy [J]",
        "real [1/s]",
        "left.joint1 [N m]",
    ):
        assert unit in text


def test_a_column_of_one_unit_says_it() -> None:
    """All coordinates of a five-bar turn and all of a hexapod slide: no head leaves the unit open."""
    for name, load, rate in (("five_bar.toml", "load [N m]", "[rad/s]"), ("hexapod.toml", "[N]", "[m/s]")):
        words = ("0.1," * {"five_bar.toml": 2, "hexapod.toml": 6}[name])[:-1]
        text = " ".join(run(str(EXAMPLES / name), "--linear", "--qd", words).split())
        assert load in text
        assert rate in text
        assert "[N m or N]" not in text
        assert "coordinate [unit] value" in text
        assert "speed [unit/s]" not in text.partition("What the joints do")[0]
    linear = asked("--linear")
    assert list(linear["damping"])[1:] == ["left.joint1 [rad/s]", "right.joint1 [rad/s]"]
    assert list(linear["inertia"])[1:] == ["left.joint1 [rad/s^2]", "right.joint1 [rad/s^2]"]


def test_degrees_without_their_unit_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mechanism", FIVE_BAR, "--q", "110,60 deg"]) == 0
    told = capsys.readouterr()
    assert "--q: more than a turn at left.joint1: 110 is in rad; degrees are written '110 deg'" in told.err
    assert "guess of the file" not in told.out  # which has no part in coordinates that are given
    slipped = tmp_path / "bar.toml"
    slipped.write_text(Path(FIVE_BAR).read_text().replace('"left.joint1" = 2.0', '"left.joint1" = 115'))
    with pytest.warns(da.TurnWarning, match=r"bar\.toml: home 'left.joint1': 115 rad is more than a turn"):
        da.load_mechanism(slipped)
    slipped.write_text(Path(FIVE_BAR).read_text().replace('"left.joint1" = 2.0', '"left.joint1" = "115 deg"'))
    da.load_mechanism(slipped)


def test_pictures_pages_and_code_are_written_where_asked(tmp_path: Path) -> None:
    picture, page, code = tmp_path / "bar.svg", tmp_path / "bar.html", tmp_path / "c"
    text = run(
        FIVE_BAR, "--picture", str(picture), "--page", str(page), "--to", "2.2,0.9", "--duration", "0.4",
        "--c", "position", "--c", "gravity_load", "--newton", "2", "-o", str(code),
        "--mjcf", str(tmp_path / "bar.xml"),
    )  # fmt: skip
    assert "<equality>" in (tmp_path / "bar.xml").read_text(encoding="utf-8")
    assert f"wrote {page}\n" in text
    assert picture.read_text(encoding="utf-8").startswith("<svg")
    assert "What each actuator must do" in page.read_text(encoding="utf-8")
    header = (code / "five_bar_position.h").read_text(encoding="utf-8")
    assert "Newton takes 2 steps" in header
    assert (code / "five_bar_gravity_load.c").is_file()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--to", "1,1"], "--to belongs to --page"),
        (["--samples", "3"], "--samples belongs to --simulate"),
        (["--newton", "3"], "--newton belongs to --c"),
        (["-o", "x"], "-o belongs to --c"),
        (["--qdd", "1,1", "--tau", "1,1"], "give one of them"),
        (["--qdd", "1,1", "--simulate", "1"], "--simulate asks for that"),
        (["--simulate", "-1"], "--simulate is -1 s; give a time between"),
        (["--simulate", "1", "--samples", "1"], "--samples is 1; give a whole number between 2 and"),
        (["--simulate", "1", "--samples", "1000000000"], "give a whole number between 2 and 10,000,000"),
        (["--simulate", "1e300"], r"--simulate is 1e\+300 s; give a time between"),
        (["--page", "p.html", "--to", "0.5,2.2", "--duration", "nan"], "--duration is nan s; give a time between"),
        (["--page", "x.html", "--duration", "2"], "say where it ends with --to"),
        (["--json", "--modes"], "printed only"),
        (["--qd", "1"], "--qd needs 2 values"),
        (["--picture", "x.png"], "written as SVG"),
        (["--c", "jump"], "no function 'jump'"),
    ],
)
def test_what_cannot_be_honoured_is_refused(words: list[str], said: str, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        with pytest.raises(da.ArmError, match=said):
            run(FIVE_BAR, *words)
    assert list(tmp_path.iterdir()) == []
