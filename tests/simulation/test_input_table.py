"""Inputs over time: straight lines and jumps, from arrays and from files."""

from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.simulation.input_table import read_input_table


def rotor() -> da.DrivenArm:
    """One link on a vertical axis, without friction unless it is given: 2 kg m^2 in all."""
    arm = da.Arm.from_dh([{"mass": 1, "inertia": (0, 0, 2)}], gravity=(0, 0, 0))
    return arm.driven


def test_lines_and_jumps_are_integrated_exactly() -> None:
    """2 kg m^2 under a torque that rises to 4 N m, jumps to -2 N m, and stays: speeds and angles are polynomials."""
    table = da.InputTable([0, 1, 1, 2], [[0], [4], [-2], [-2]])
    motion = rotor().simulate(table, [0.0], duration=2.0, times=[0, 0.5, 1, 1.5, 2])
    assert motion.qd[:, 0] == pytest.approx([0, 0.25, 1, 0.5, 0], abs=1e-12)
    assert motion.q[:, 0] == pytest.approx([0, 1 / 24, 1 / 3, 1 / 3 + 0.375, 1 / 3 + 0.5], abs=1e-12)
    # a jump costs no more than a new start
    assert motion.evaluations < 400


def test_it_is_a_function_of_time_too() -> None:
    table = da.InputTable([0, 1, 1, 3], [[0, 1], [4, 1], [-2, 1], [-4, 2]])
    q = np.zeros(2)
    assert table(0.25, q, q) == pytest.approx([1, 1])
    assert table(1.0, q, q) == pytest.approx([-2, 1])
    assert table(2.0, q, q) == pytest.approx([-3, 1.5])


def test_a_jump_starts_what_friction_held() -> None:
    driven = da.load("irb6").driven
    q = driven.joint_positions([-130.0, -66.7, -51.0, -199.0, -199.0])
    held, pushed = [0, 3.18, -0.73, 0, 0], [0, 4.5, -0.73, 0, 0]
    table = da.InputTable([0, 0.1, 0.1, 0.3], [held, held, pushed, pushed])
    motion = driven.simulate(table, q, duration=0.3, input="current")
    before = motion.t < 0.1
    assert np.abs(motion.q[before] - q).max() == 0
    alone = driven.simulate(pushed, q, duration=0.2, input="current")
    assert motion.q[-1] == pytest.approx(alone.q[-1], abs=1e-9)
    assert [(e.kind, e.name) for e in motion.events] == [("slips", "motor2")]
    assert motion.events[0].time == pytest.approx(0.1)


def test_files_have_heads_and_units(tmp_path: Path) -> None:
    path = tmp_path / "currents.csv"
    path.write_text("time [ms];note;motor1 [A];motor2\n0;1;0.5;1\n\n250;2;-1.5;3\n")
    table = read_input_table(path, ("motor1", "motor2"), ("A", "A"))
    assert table.times == pytest.approx([0, 0.25])
    assert table.values == pytest.approx(np.array([[0.5, 1], [-1.5, 3]]))


def test_what_a_simulation_saves_drives_it_again(tmp_path: Path) -> None:
    driven, q = da.load("irb6").driven, np.array([0.1, 0.2, 0.1, 0.2, 0.1])
    law = lambda t, q, qd: [1.0 + t, 4.0 - 3 * t, 0, 0, 0]  # noqa: E731
    motion = driven.simulate(law, q, duration=0.2, input="current")
    motion.save(tmp_path / "run.csv")
    table = read_input_table(tmp_path / "run.csv", driven.motor_names, ("A",) * 5)
    again = driven.simulate(table, q, duration=0.2, input="current")
    assert again.q[-1] == pytest.approx(motion.q[-1], abs=1e-8)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("t,a\n0,1\n1,2\n", "no column b"),
        ("a,b\n0,1\n1,2\n", "no column t"),
        ("t,a [V],b\n0,1,2\n1,2,3\n", "has the unit 'V'; this input is in A"),
        ("t,a,b\n", "has heads and no moment"),
        ("t,a,b\n0,1,2\n", "at least two times"),
        ("t,a,b\n0,1,x\n1,2,3\n", "line 2, column 'b': 'x' is no finite number"),
        ("t,a,b\n1,1,2\n0,2,3\n", "the time 0 s comes after 1 s"),
        ("t,a,b\n0,1\n1,2,3\n", "'b' is missing"),
    ],
)
def test_faults_of_files_are_named(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "inputs.csv"
    path.write_text(text)
    with pytest.raises(ArmError) as caught:
        read_input_table(path, ("a", "b"), ("A", "A"))
    assert sentence in str(caught.value)
    assert "inputs.csv" in str(caught.value)


def test_a_table_that_ends_too_early_is_refused() -> None:
    table = da.InputTable([0, 1], [[0], [4]])
    with pytest.raises(ArmError, match="reaches from 0 to 1 s, and the simulation from 0 to 2 s"):
        rotor().simulate(table, [0.0], duration=2.0)
    with pytest.raises(ArmError, match="there is no such file"):
        read_input_table("nowhere.csv", ("a",), ("A",))
