"""A mechanism in the studio: its loops stay closed, a frame that is dragged is followed, and it moves and goes home."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanisms.mechanism_file import parse_mechanism
from dalembert.studio.frame_drag import dragged
from dalembert.studio.mechanism_downloads import MECHANISM_FILES, MechanismState
from dalembert.studio.mechanism_scene import MechanismScene
from dalembert.studio.motion_run import read_run

from .still_scene import StillScene
from .waiting import until

EXAMPLES = Path(__file__).parents[2] / "examples" / "mechanisms"
FIVE_BAR = parse_mechanism((EXAMPLES / "five_bar.toml").read_text().replace("xyz = [0.4,", "xyz = [0.5,"))
"""Its bases further apart, so that the cranks can point further away from each other than the couplers reach."""
HOME = np.asarray(FIVE_BAR.coordinates_of(FIVE_BAR.home))
HEXAPOD = da.load_mechanism(EXAMPLES / "hexapod.toml")


def test_bars_end_where_the_chains_and_the_closure_are() -> None:
    scene = StillScene()
    made = MechanismScene(scene, FIVE_BAR)
    phi = FIVE_BAR.position([2.2, 0.9])
    before = scene.made
    made.move(phi)
    assert scene.made == before  # moved, not made anew
    tip = FIVE_BAR.frame(phi, "left")[:3, 3]
    assert np.allclose(tip, FIVE_BAR.frame(phi, "right")[:3, 3], atol=1e-9)
    ends = []
    for node in (node for name, node in scene.nodes.items() if "bar" in name):
        pose = scene.pose(node.name)
        ends += [pose[:3, 3] + sign * node.height / 2 * pose[:3, 2] for sign in (-1, 1)]
    lengths = sorted(node.height for name, node in scene.nodes.items() if "bar" in name)
    assert np.allclose(lengths, [0.3, 0.3, 0.5, 0.5])
    assert sum(np.allclose(end, tip, atol=1e-9) for end in ends) == 2


def test_a_platform_is_a_plate_through_its_balls() -> None:
    scene = StillScene()
    made = MechanismScene(scene, HEXAPOD)
    phi = HEXAPOD.position(np.add(HEXAPOD.coordinates_of(HEXAPOD.home), [0.02, 0, 0.01, 0, 0.03, 0]))
    made.move(phi)
    plate = scene.nodes["/mechanism/plate0"]
    balls = np.array([HEXAPOD.frame(phi, f"ball{k}")[:3, 3] for k in range(1, 7)])
    assert np.allclose(np.sort(plate.vertices[:6], axis=0), np.sort(balls, axis=0), atol=1e-6)


@pytest.mark.parametrize(("mechanism", "frame", "shift"), [
    (FIVE_BAR, "right", [0.15, -0.1]), (HEXAPOD, "platform", [0.03, 0.01, -0.02, 0.02, 0.0, 0.03]),
])  # fmt: skip
def test_a_frame_that_is_dragged_takes_the_coordinates_along(
    mechanism: da.Mechanism, frame: str, shift: list[float]
) -> None:
    q = np.add(mechanism.coordinates_of(mechanism.home), shift)
    wanted = mechanism.frame(mechanism.position(q), frame)
    spans = (np.full(mechanism.n, -10.0), np.full(mechanism.n, 10.0))
    phi, off = dragged(mechanism, mechanism.home, frame, wanted, spans, 0.3)
    assert off < 1e-5
    assert np.allclose(mechanism.coordinates_of(phi), q, atol=1e-4)
    far = wanted.copy()
    far[:3, 3] += 5.0
    phi, off = dragged(mechanism, mechanism.home, frame, far, spans, 0.3)
    assert 1 < off < 9
    assert np.abs(mechanism.closure_error(phi)).max() < 1e-9  # out of reach, and closed all the same


def test_limits_hold_a_frame_back() -> None:
    q = HOME
    wanted = FIVE_BAR.frame(FIVE_BAR.position(np.add(q, [0.3, 0.0])), "right")
    phi, _ = dragged(FIVE_BAR, FIVE_BAR.home, "right", wanted, (q - 0.1, q + 0.1), 0.3)
    assert np.all(np.abs(FIVE_BAR.coordinates_of(phi) - q) <= 0.1 + 1e-9)


def test_what_is_taken_away_is_the_mechanism() -> None:
    files = {label: make(MechanismState(FIVE_BAR, FIVE_BAR.home)) for label, make in MECHANISM_FILES.items()}
    name, text = files["mechanism file (TOML)"]
    assert name == "five_bar.toml"
    again = parse_mechanism(text.decode())
    assert np.allclose(again.mass_matrix(again.home), FIVE_BAR.mass_matrix(FIVE_BAR.home))
    names = zipfile.ZipFile(io.BytesIO(files["C for a controller (zip)"][1])).namelist()
    assert {"five_bar_position.c", "five_bar_inverse_dynamics.c"} <= set(names)
    assert files["picture (SVG)"][1].startswith(b"<svg")
    assert b"<html" in files["page (HTML)"][1][:500].lower()
    assert b"<mujoco" in files["MJCF"][1]
    assert len(files["equations (text)"][1]) > 100


pytest.importorskip("viser", reason="the studio was NOT opened: viser is not here (pip install 'dalembert[studio]')")


@pytest.fixture(scope="module")
def studio() -> Iterator[da.MechanismStudio]:
    opened = da.MechanismStudio(FIVE_BAR, port=0)
    yield opened
    opened.close()


def test_a_coordinate_takes_the_passive_joints_along_and_the_loads_follow(studio: da.MechanismStudio) -> None:
    sliders = studio.panels.sliders
    sliders.handles[0].value = float(np.degrees(2.2))
    sliders.slid()
    assert until(lambda: abs(studio.q[0] - 2.2) < 1e-6)
    assert np.allclose(studio.phi, FIVE_BAR.position(studio.q, studio.phi), atol=1e-9)
    load = FIVE_BAR.inverse_dynamics(studio.phi, np.zeros(2), np.zeros(2))[1]
    assert until(lambda: f"{load:.3f}" in studio.panels.loads.content)
    assert "regular" in studio.panels.measures.content


def test_where_the_loops_do_not_close_it_stays_and_says_so(studio: da.MechanismStudio) -> None:
    assert until(lambda: not studio.refresher.stale)
    before = studio.phi.copy()
    studio.set_pose([np.pi, 0.0])  # the cranks point away from each other, further than the couplers reach
    assert until(lambda: "it stays where it is" in studio.panels.message.content)
    assert np.array_equal(studio.phi, before)
    assert until(lambda: abs(studio.panels.sliders.handles[0].value - np.degrees(studio.q[0])) < 0.1)


def test_it_comes_back_from_a_singularity(studio: da.MechanismStudio) -> None:
    spread = np.arccos((1.0 - 0.5) / 2 / 0.3)  # the couplers in one line
    studio.set_pose([np.pi - spread, spread])
    assert until(lambda: abs(studio.q[1] - spread) < 1e-6 or "stays" in studio.panels.message.content)
    studio.set_pose(HOME)
    assert until(lambda: np.allclose(studio.q, HOME), 10)


def test_it_is_simulated_and_played_to_its_end(studio: da.MechanismStudio) -> None:
    end = np.add(HOME, [0.1, -0.1])
    studio.set_pose(HOME)
    assert until(lambda: np.allclose(studio.q, HOME))
    panel = studio.panels.motion
    panel.target, panel.duration.value, panel.controller.value = end, 0.2, "computed torque"
    panel.simulate()
    assert until(lambda: studio.player.motion is not None and not studio.player.playing)
    assert until(lambda: np.allclose(studio.q, end, atol=1e-3))
    assert np.abs(FIVE_BAR.closure_error(studio.phi)).max() < 1e-9


def test_a_run_that_was_saved_is_read_again_with_the_loads_that_it_needs(tmp_path: Path) -> None:
    """Loads at the coordinates, energies and work are those of the simulation."""
    system = FIVE_BAR.as_system()
    motion = da.simulate(system, [0.2, -0.1], HOME, None, 0.2, samples=151)
    motion.save(tmp_path / "run.csv")
    run = read_run(system, "run.csv", (tmp_path / "run.csv").read_bytes())
    assert np.array_equal(run.motion.q, motion.q)
    assert np.allclose(run.motion.u, motion.u, atol=1e-6)
    assert np.allclose(run.motion.kinetic, motion.kinetic, atol=1e-9)
    assert np.allclose(run.motion.work, motion.work, atol=1e-5)
    assert run.recorded is not None
    assert np.array_equal(run.recorded, motion.u)


def test_the_handle_moves_the_mechanism(studio: da.MechanismStudio) -> None:
    wanted = FIVE_BAR.frame(FIVE_BAR.position([2.0, 1.0]), studio.frame)
    studio.panels.drag.value = True
    studio.panels.show_handle()
    studio.hand.position = wanted[:3, 3]
    studio.drag_frame()
    assert np.allclose(studio.q, [2.0, 1.0], atol=1e-4)
