"""The sections on a motion and on another design: their numbers are those of the arm, their texts safe."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import dalembert as da
from dalembert.cli.run import application
from dalembert.control.trajectories import quintic
from dalembert.design.motion_samples import MotionSamples
from dalembert.report.sections import along_section as along
from dalembert.report.sections import comparison_section as comparison
from dalembert.simulation.motion_files import motion_of

from .hostile import NAMES, hostile_arm

PUMA = da.load("puma560", physical="ignore")
PATH = quintic([[0.0] * 6, [1.0, -0.5, 0.7, 0.4, 0.6, -1.0]], 1.5)


def shown(system, motion: MotionSamples):
    """The section on a motion, as the report makes it."""
    ask = system.analysis()
    return along.section(system, motion, ask.significance(motion), ask.waves)


def test_the_causes_of_a_torque_add_up_to_the_torque() -> None:
    motion = motion_of(PUMA, PATH)
    for system in (PUMA, PUMA.driven, PUMA.driven.holding(da.Load(2))):
        exact = system.inverse_dynamics(motion.q, motion.qd, motion.qdd)
        friction = system.parts(motion.q, motion.qd, motion.qdd).friction
        for i in range(6):
            parts = along.causes(system.analysis().waves, motion, i)
            assert sum(parts.values()) + friction[:, i] == pytest.approx(exact[:, i], abs=1e-9)
            assert parts["gravity"] == pytest.approx(system.gravity_load(motion.q)[:, i], abs=1e-9)


@pytest.mark.parametrize("system", [PUMA, PUMA.driven], ids=["links", "driven"])
def test_the_section_on_a_motion_shows_its_terms_and_torques(system) -> None:
    motion = motion_of(system, PATH)
    found = shown(system, motion)
    tables = {table.name: table for table in found.tables}
    assert len(tables["motion-terms"].rows) == len(system.analysis().significance(motion))
    whole = [row[1] for row in tables["motion-2"].rows]
    times = [row[0] for row in tables["motion-2"].rows]
    place = len(times) // 2
    q, qd, qdd = PATH.state(times[place])
    assert whole[place] == pytest.approx(float(system.inverse_dynamics(q, qd, qdd)[1]), abs=1e-6)
    assert ("friction" in found.html().lower()) == system.counts_drives
    assert "(1.5 s)" in found.meaning


def test_a_motion_beyond_the_limits_and_one_without_times_are_told() -> None:
    q = np.array([[10.0, 0, 0, 0, 0, 0]])
    motion = MotionSamples("a <motion>", q, np.zeros((1, 6)), np.ones((1, 6)))
    found = shown(PUMA, motion)
    assert f"beyond the limits of {PUMA.joint_names[0]}" in found.html()
    assert [table.name for table in found.tables] == ["motion-terms"]
    assert "a &lt;motion&gt;" in found.html()
    assert "<motion>" not in found.html()


def test_two_designs_are_shown_figure_by_figure_with_their_change() -> None:
    first, second, load = da.load("planar-3r"), da.load("planar-2r"), da.Load(1)
    held = (first.holding(load).analysis(), second.holding(load).analysis())
    rows = first.analysis().compare(second.analysis(), held)
    found = comparison.section(first, second, rows, load)
    shown = {row[0]: row for table in found.tables if table.name.startswith("compared-") for row in table.rows}
    one = next(row for row in rows if row.name == "G1 largest with load")
    assert shown["G1 largest with load"][1:3] == (one.first, one.second)
    assert shown["G1 largest with load"][4] == pytest.approx(one.second / one.first - 1)
    assert shown["D33 greatest"][2] is None
    assert "planar-2r" in found.meaning
    ratios = next(table for table in found.tables if table.name == "compared-inertia-ratio")
    assert len(ratios.rows) == 2
    same = comparison.section(first, first, first.analysis().compare(first.analysis()), None)
    assert "no more than 1" in same.meaning


def test_hostile_names_of_another_design_are_text() -> None:
    arm, plain = hostile_arm(), da.load("planar-2r")
    page = comparison.section(plain, arm, plain.analysis().compare(arm.analysis()), None).html()
    for name in NAMES:
        assert name not in page
    motion = MotionSamples(NAMES[0], np.zeros((2, 3)), np.zeros((2, 3)), np.ones((2, 3)), np.array([0.0, 1.0]))
    page = shown(arm, motion).html()
    for name in NAMES:
        assert name not in page


def test_report_takes_a_motion_and_another_arm_on_the_command_line(tmp_path: Path) -> None:
    app = application(["report"])
    motion = tmp_path / "motion.csv"
    motion.write_text("t,q1,q2\n" + "\n".join(f"{k / 20},{(k / 20) ** 2},0" for k in range(21)), encoding="utf-8")
    words = ["report", "planar-2r", "-o", str(tmp_path / "a.html"), "--csv", str(tmp_path), "--tolerance", "0.05"]
    done = CliRunner().invoke(app, [*words, "--motion", str(motion), "--against", "planar-3r"], catch_exceptions=False)
    assert done.exit_code == 0
    assert "Which terms matter along the motion" in done.output
    assert "Two designs side by side" in done.output
    assert (tmp_path / "motion-motion-terms.csv").exists()
    assert (tmp_path / "comparison-compared-inertia.csv").exists()
    motion.write_text("t,q1\n0,0\n", encoding="utf-8")
    with pytest.raises(da.ArmError, match=r"motion\.csv, line 1: no column q_joint2"):
        CliRunner().invoke(app, [*words, "--motion", str(motion)], catch_exceptions=False)


def test_a_page_that_plays_a_motion_says_which_system_moved_and_how_many_events_it_leaves_out() -> None:
    loaded = da.load("puma560", physical="ignore").driven.holding(da.Load(mass=2.0))
    law = da.ComputedTorque(loaded, quintic([np.zeros(6), np.full(6, 0.1)], 0.2))
    motion = loaded.simulate(law, np.zeros(6), duration=0.2)
    assert motion.events
    page = loaded.replay(motion).html
    assert "With its drives (rotors: exact), holding 2 kg on link6.<" in page
    assert page.index("<h2>Events</h2>") < page.index(f"{motion.events[0].name} {motion.events[0].kind}")
    assert "more; motion.events" not in page
    crowded = replace(motion, events=motion.events * 201)
    assert f"And {len(crowded.events) - 200:,} more; motion.events has them all." in loaded.replay(crowded).html
    still = da.load("ur5e")
    assert "<h2>Events" not in still.replay(still.simulate(np.zeros(6), np.zeros(6), duration=0.01)).html
