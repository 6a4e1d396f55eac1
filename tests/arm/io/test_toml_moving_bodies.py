"""Drives of files that vary with the positions: screws, linear motors, cranks with their rods and pistons."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.arm.io.toml_drives import read_drives_text, write_drives

CRANK, ROD = 0.1, 0.35
PRESS = """
name = "press"
gravity = [0, -9.81, 0]
[[joints]]
name = "crank"
type = "revolute"
link = {name = "disc", mass = 4, com = [0.02, 0, 0], inertia = [0.01, 0.01, 0.02]}

[[drives.motors]]
name = "motor"
ratios = {crank = 12}
rotor = {inertia = 3e-4, link = "base", axis = [0, 0, 1]}

[[drives.elements]]
name = "piston"
[drives.elements.body]
mass = 1.6
com = [0.03, 0, 0]
inertia = [0.001, 0.002, 0.002]
position = ["0.1*cos(crank) + 0.35*sqrt(1 - 4/49*sin(crank)*sin(crank))", 0, 0]

[[drives.elements]]
name = "connecting rod"
[drives.elements.body]
mass = 0.7
com = [0.15, 0.01, 0]
inertia = [0.0003, 0.009, 0.009]
position = ["0.1*cos(crank)", "0.1*sin(crank)", 0]
rotation = [{axis = "z", sin = "-2/7*sin(crank)", cos = "sqrt(1 - 4/49*sin(crank)*sin(crank))"}]
"""


def own_energy(q: float, qd: float) -> tuple[float, float]:
    """Kinetic and potential energy of the press, from where its mass centres are and how they turn."""

    def places(q: float) -> tuple[np.ndarray, float, np.ndarray]:
        tilt = -np.arcsin(CRANK * np.sin(q) / ROD)
        pin = CRANK * np.array([np.cos(q), np.sin(q)])
        turn = np.array([[np.cos(tilt), -np.sin(tilt)], [np.sin(tilt), np.cos(tilt)]])
        centre = pin + turn @ [0.15, 0.01]
        return centre, tilt, np.array([pin[0] + ROD * np.cos(tilt) + 0.03, 0.0])

    step = 1e-5
    ahead, here, behind = places(q + step), places(q), places(q - step)
    rod, tilt, piston = ((a - b) / (2 * step) * qd for a, b in zip(ahead, behind, strict=True))
    disc = 0.5 * (0.02 + 4 * 0.02**2 + 3e-4 * 12**2) * qd**2
    kinetic = disc + 0.5 * 0.7 * (rod @ rod) + 0.5 * 0.009 * tilt**2 + 0.5 * 1.6 * (piston @ piston)
    return kinetic, 9.81 * (4 * 0.02 * np.sin(q) + 0.7 * here[0][1])


@pytest.fixture
def press(tmp_path: Path) -> da.DrivenArm:
    (tmp_path / "press.toml").write_text(PRESS)
    return da.load(tmp_path / "press.toml").driven


def test_a_crank_moves_its_rod_and_piston(press: da.DrivenArm) -> None:
    for q in np.linspace(-3, 3, 13):
        kinetic, potential = own_energy(q, 2.0)
        assert press.kinetic_energy([q], [2.0]) == pytest.approx(kinetic, rel=1e-8)
        assert press.potential_energy([q]) == pytest.approx(potential, abs=1e-12)


def test_a_press_let_go_keeps_its_energy(press: da.DrivenArm) -> None:
    motion = press.simulate([0.0], [0.4], [3.0], duration=2.0)
    energies = [sum(own_energy(float(q), float(v))) for q, v in zip(motion.q[:, 0], motion.qd[:, 0], strict=True)]
    assert np.ptp(energies) < 1e-6 * np.max(energies)
    assert np.ptp(motion.q) > 1


def test_formulas_survive_writing_and_reading(press: da.DrivenArm) -> None:
    again = da.load(press.arm.write_toml()).driven
    assert again.drives == press.drives
    assert again.mass_matrix([0.7]) == pytest.approx(press.mass_matrix([0.7]), abs=0)
    with pytest.raises(ArmError, match="is a function in Python cannot be written to a file"):
        write_drives(da.DriveTrain([da.Actuator("m", {})], turns=lambda ring, q: [q[0]]))


SCREWS = """
[[motors]]
name = "screw1"
turns = "1256.6*sqrt(0.13 - 0.12*cos(joint1 + pi/2))"
rotor = {inertia = 2e-4, link = "base", axis = [0, 1, 0]}
friction = {coulomb = 0.03, starting = 0.05, viscous = 2e-4}

[[motors]]
name = "cylinder2"
kind = "linear"
turns = "sqrt(0.34 - 0.3*cos(joint2))"
friction = {coulomb = 20, starting = 30}
[motors.body]
link = "link1"
mass = 2.5
com = [0.1, 0, 0]
inertia = [0.001, 0.02, 0.02]
position = ["0.3*cos(joint2)", "0.3*sin(joint2)", 0]
"""


@pytest.fixture
def screwed(tmp_path: Path) -> da.DrivenArm:
    (tmp_path / "screws.toml").write_text(SCREWS)
    return da.load("planar-2r").with_drives(tmp_path / "screws.toml")


def test_a_screw_between_two_pins_has_a_ratio_that_varies(screwed: da.DrivenArm) -> None:
    """Law of cosines: the length c of the screw has dc/dq = a b sin(angle) / c."""
    q = np.array([0.3, 0.8])
    length = np.sqrt(0.13 - 0.12 * np.cos(q[0] + np.pi / 2))
    assert screwed.motor_positions(q)[0] == pytest.approx(1256.6 * length, rel=1e-14)
    rows = screwed.transmission(q)
    assert rows[0] == pytest.approx([1256.6 * 0.06 * np.sin(q[0] + np.pi / 2) / length, 0], rel=1e-13)
    assert rows[1] == pytest.approx([0, 0.15 * np.sin(q[1]) / np.sqrt(0.34 - 0.3 * np.cos(q[1]))], rel=1e-13)


def test_everything_asked_of_numbers_works_with_varying_screws(screwed: da.DrivenArm) -> None:
    q, qd, qdd = np.array([0.3, 0.8]), np.array([0.4, -0.2]), np.array([1.0, 0.5])
    torque = screwed.motor_torques(q, qd, qdd)
    assert screwed.direct_dynamics(q, qd, torque) == pytest.approx(qdd, rel=1e-10)
    assert screwed.compile("motor_torques")(q, qd, qdd) == pytest.approx(torque, rel=1e-11)
    motion = screwed.simulate(torque, q, qd, duration=0.05)
    assert np.abs(motion.balance).max() < 1e-6
    assert motion.input_units == ("N m", "N")
    with pytest.raises(ArmError, match=r"it asks for ring\.sqrt, which polynomials in sines and cosines do not have"):
        screwed.equations()
    with pytest.raises(ArmError, match=r"it asks for ring\.sqrt, which polynomials in sines and cosines do not have"):
        screwed.analysis().ranges()


def test_kernels_of_formulas_are_kept_and_those_of_other_formulas_are_others(screwed: da.DrivenArm) -> None:
    """The text of the formulas is part of what names a kernel on the disc."""
    from dalembert.compile.functions import system_facts

    other = read_drives_text(SCREWS.replace("0.13", "0.14"), "other", screwed.arm)
    facts = system_facts(screwed)
    assert "0.12*cos(joint1 + pi/2)" in facts
    assert system_facts(screwed.arm.with_drives(other)) != facts


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('turns = "1256.6*sqrt(0.13 - 0.12*cos(joint1 + pi/2))"', 'turns = "elbow"', "'elbow' is no joint that moves"),
        ('kind = "linear"', 'kind = "curved"', "is rotary or linear, not 'curved'"),
        ('kind = "linear"', "ratios = {joint2 = 3}", "turns stand in place of ratios"),
        ('position = ["0.3*cos(joint2)", "0.3*sin(joint2)", 0]', "mass_centre = 3", "unknown key 'mass_centre'"),
        ('position = ["0.3*cos(joint2)", "0.3*sin(joint2)", 0]', "", "has a position or a rotation"),
        ("inertia = [0.001, 0.02, 0.02]", "inertia = [0.1, 0.02, 0.02]", "its body cannot be"),
    ],
)
def test_faults_of_files_are_named(old: str, new: str, sentence: str) -> None:
    assert old in SCREWS
    with pytest.raises(ArmError) as caught:
        da.load("planar-2r").with_drives(
            read_drives_text(SCREWS.replace(old, new), "screws.toml", da.load("planar-2r"))
        )
    assert sentence in str(caught.value)


@pytest.mark.parametrize("compiled", ["0", "1"])
def test_where_a_root_is_of_nothing_real_the_part_is_named(compiled: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A screw that does not reach: refused by numbers and kernels alike, never not-a-number in an answer."""
    from dalembert.compile import build

    monkeypatch.setenv(build.SWITCH, compiled)
    arm = da.load("planar-2r")
    train = read_drives_text(SCREWS.replace("0.34 - 0.3*cos(joint2)", "cos(joint2)"), "short.toml", arm)
    driven = arm.with_drives(train)
    q, moving = np.array([0.1, 0.4]), np.array([0.2, 0.3])
    assert np.isfinite(driven.inverse_dynamics(q, moving, moving)).all()
    beyond = np.array([[0.1, 0.4], [0.2, 2.5]])
    for ask in (
        lambda: driven.motor_torques(beyond, moving, moving),
        lambda: driven.transmission(beyond),
        lambda: driven.forward_dynamics(beyond, moving, moving),
        lambda: driven.direct_dynamics(beyond, moving, moving),
    ):
        with pytest.raises(ArmError, match=r"'cylinder2' of its drives has no value .* at q = \(0.2, 2.5\)"):
            ask()


def test_show_tells_how_parts_move(screwed: da.DrivenArm, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    from dalembert.cli.run import main

    (tmp_path / "screws.toml").write_text(SCREWS)
    assert main(["show", "planar-2r", "--drives-file", str(tmp_path / "screws.toml")]) == 0
    text = capsys.readouterr().out
    assert "screw1 turns by 1256.6*sqrt(0.13 - 0.12*cos(joint1 + pi/2))" in text
    assert "cylinder2 moves 2.5 kg on link1" in text
    assert "1256.6*sqrt" in screwed.drives._repr_html_()
