"""The studio itself, asked as a browser asks it and moved as a person moves it."""

from __future__ import annotations

import http.client
import io
import threading
import time
import tomllib
import zipfile
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import dalembert as da
from dalembert.studio import downloads, motion_panel
from dalembert.studio.background import Background
from dalembert.studio.design import Design
from dalembert.studio.live_numbers import torque_bars
from dalembert.studio.motion_player import MotionPlayer
from dalembert.studio.motion_run import MotionRun, Order

pytest.importorskip("viser", reason="the studio was NOT tried: viser is not here (pip install 'dalembert[studio]')")

from dalembert.studio.studio import Studio

from .waiting import until

ARM = da.load("planar-2r")


@pytest.fixture(scope="module")
def studio() -> Iterator[Studio]:
    opened = Studio(ARM, port=0)
    yield opened
    opened.close()


def asked(studio: Studio, path: str, headers: dict[str, str] | None = None) -> tuple[int, http.client.HTTPMessage]:
    connection = http.client.HTTPConnection("127.0.0.1", studio.served.port, timeout=20)
    connection.request("GET", path, headers=headers or {})
    answer = connection.getresponse()
    connection.close()
    return answer.status, answer.headers


def test_nothing_is_served_without_the_token_and_the_page_with_it(studio: Studio) -> None:
    assert asked(studio, "/")[0] == 403
    assert asked(studio, "/index.html")[0] == 403
    status, headers = asked(studio, f"/?token={studio.served.token}")
    assert status == 302
    cookie = {"Cookie": headers["Set-Cookie"].split(";")[0]}
    assert asked(studio, "/", cookie)[0] == 200
    assert asked(studio, "/..%2f..%2f..%2fetc/passwd", cookie)[0] == 404
    assert studio.address == f"http://127.0.0.1:{studio.served.port}/?token={studio.served.token}"


def test_a_slider_moves_the_arm_and_the_numbers_follow(studio: Studio) -> None:
    sliders = studio.panels.sliders
    sliders.handles[0].value = 0.25 * sliders.factors[0]
    sliders.slid()
    assert until(lambda: abs(studio.q[0] - 0.25) < 1e-9)
    turn = studio.arm_scene.frames[0].wxyz
    assert until(lambda: abs(2 * np.arctan2(studio.arm_scene.frames[0].wxyz[3], turn[0]) - 0.25) < 1e-6)
    torque = ARM.inverse_dynamics(studio.q, np.zeros(2), np.zeros(2))[0]
    assert until(lambda: f"{torque:.2f}" in studio.panels.torques.content)


def test_the_torques_say_which_system_they_are_of() -> None:
    arm = da.load("puma560", physical="ignore")
    still = np.zeros((3, 6))
    assert "the links alone<" in torque_bars(arm, *still)
    shown = torque_bars(arm.driven.holding(da.Load(mass=2.0)), *still)
    assert "with its drives (rotors: exact), holding 2 kg on link6<" in shown


def test_the_hand_is_followed_by_the_joints(studio: Studio) -> None:
    pose = np.asarray(ARM.forward_kinematics([0.6, 0.8]))
    studio.panels.drag.value = True
    studio.panels.show_handle()
    studio.hand.position = pose[:3, 3]
    angle = 1.4
    studio.hand.wxyz = (np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2))
    studio.drag_hand()
    assert np.allclose(studio.q, [0.6, 0.8], atol=1e-2)
    studio.panels.drag.value = False
    studio.panels.show_handle()


def test_a_change_of_the_design_is_seen_compared_and_taken_back(studio: Studio) -> None:
    studio.keep()
    studio.set_design(studio.design.with_value("load.mass", 3.0))
    assert until(lambda: "load.mass: 0 -> 3 kg" in studio.panels.design.change_list.content)
    assert until(lambda: "kept" in studio.panels.beside.content)
    assert until(lambda: studio.ghost is not None)
    studio.undo()
    assert until(lambda: studio.panels.design.change_list.content == "as it was opened")
    assert until(lambda: studio.ghost is None)


def test_a_motion_is_simulated_and_played_to_its_end(studio: Studio) -> None:
    studio.set_pose([0.1, 0.2])
    assert until(lambda: np.allclose(studio.q, [0.1, 0.2]))
    panel = studio.panels.motion
    panel.target = np.array([0.5, -0.3])
    panel.duration.value, panel.load.value = 0.2, 0.0
    panel.controller.value = "computed torque"
    panel.simulate()
    assert until(lambda: studio.player.motion is not None and not studio.player.playing, 60)
    assert until(lambda: np.allclose(studio.q, [0.5, -0.3], atol=1e-3))


def test_a_simulation_is_given_up_and_another_one_runs(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    panel = studio.panels.motion
    panel.target, panel.duration.value = np.array([0.5, -0.3]), 60.0
    before = studio.player.motion

    def endless(order: Order, tell: Callable[[float], object]) -> MotionRun:
        while True:
            time.sleep(0.01)
            tell(1.0)

    with monkeypatch.context() as patch:
        patch.setattr(motion_panel, "simulated", endless)
        panel.simulate()
        assert panel.run.disabled
        assert until(lambda: panel.said.content.startswith("simulating: 1.00 of 60.00 s"))
        panel.give_up()
    assert not panel.run.disabled
    assert not panel.stop.visible
    assert studio.player.motion is before
    panel.duration.value = 0.1
    panel.simulate()
    assert until(lambda: studio.player.motion is not before, 10)
    assert until(lambda: not studio.player.playing)


def test_a_change_of_the_design_does_not_lose_a_simulation_at_work(studio: Studio) -> None:
    panel = studio.panels.motion
    studio.player.motion = None
    panel.target, panel.duration.value = np.array([0.2, 0.1]), 0.1
    panel.simulate()
    studio.set_design(studio.design.with_value("load.mass", 0.7))
    assert until(lambda: studio.player.motion is not None, 60)
    assert until(lambda: studio.player.time >= 0.1 and not studio.player.playing)  # played to its end
    assert not panel.run.disabled
    studio.undo()


def test_certified_ranges_are_worked_out_beside_and_given_up_by_a_change(studio: Studio) -> None:
    studio.panels.proofs.ask("ranges")
    assert until(lambda: "proved" in studio.panels.proofs.answer.content, 60)
    upper = ARM.analysis().range_of("D11").upper
    assert f"{upper:.3f}"[:4] in studio.panels.proofs.answer.content
    studio.set_design(studio.design.with_value("load.mass", 1.0))
    assert "ask again" in studio.panels.proofs.answer.content
    studio.undo()


def test_many_moves_of_a_slider_leave_no_work_behind(studio: Studio) -> None:
    for k in range(500):
        studio.set_pose([0.001 * k, 0.0])
    assert until(lambda: not studio.refresher.stale)
    assert np.allclose(studio.q, [0.499, 0.0])


def test_files_of_a_design_are_those_of_its_system() -> None:
    design = Design(ARM).with_value("load.mass", 1.5)
    name, content = downloads.arm_file(design)
    assert name == "planar_2r.toml"
    assert tomllib.loads(content.decode())
    assert b"# changed: load.mass: 0 -> 1.5 kg" in content
    again = da.load(content.decode())
    assert np.allclose(again.gravity_load([0.3, 0.4]), design.system.gravity_load([0.3, 0.4]))
    _, archive = downloads.c_files(design)
    assert archive == downloads.c_files(design)[1]
    names = zipfile.ZipFile(io.BytesIO(archive)).namelist()
    assert {"planar_2r_inverse_dynamics.c", "planar_2r_inverse_dynamics.h", "CMakeLists.txt"} <= set(names)
    assert b"\\documentclass" in downloads.latex_file(design)[1]
    assert downloads.picture_file(design, [0.1, 0.2])[1].startswith(b"<svg")


def test_work_that_is_no_longer_wanted_is_given_up() -> None:
    background, found, began = Background("test"), [], threading.Event()

    def endless(tell: Callable[..., None]) -> None:
        began.set()
        while True:
            tell()
            time.sleep(0.001)

    background.ask(endless, lambda *result: found.append(result))
    assert began.wait(10)
    background.ask(lambda tell: 7, lambda *result: found.append(result))
    assert until(lambda: found == [(7, None)])
    background.ask(lambda tell: 1 / 0, lambda result, fault: found.append(type(fault)))
    assert until(lambda: found[-1] is ZeroDivisionError)
    background.close()


def test_a_played_motion_passes_its_states_in_order() -> None:
    motion = ARM.simulate(np.zeros(2), [0.1, 0.2], duration=0.1)
    shown: list[tuple[float, np.ndarray]] = []
    player = MotionPlayer(lambda moment, q, qd: shown.append((moment, q)))
    player.load(motion)
    player.play()
    assert until(lambda: bool(shown) and not player.playing)
    times = [moment for moment, _ in shown]
    assert times == sorted(times)
    assert times[-1] == motion.t[-1]
    assert np.allclose(shown[-1][1], motion.q[-1])
    player.close()


def test_a_joint_is_dragged_by_its_handle(studio: Studio) -> None:
    studio.set_pose([0.3, 0.4])
    studio.panels.joints.value = True
    studio.panels._joint_handles()
    assert until(lambda: not studio.refresher.stale)
    handles = studio.joint_handles
    turn = np.asarray(ARM.forward_kinematics([0.3, 0.9]))[:3, :3]  # where the second joint would be half a radian on
    assert until(lambda: np.allclose(handles.handles[1].position, studio.arm_scene.joint_frames([0.3, 0.4])[1][1]))
    w, z = np.cos(0.6), np.sin(0.6)
    assert np.allclose(turn[:2, 0], [np.cos(1.2), np.sin(1.2)])
    handles.handles[1].wxyz = (w, 0.0, 0.0, z)
    handles.drag(1)
    assert np.allclose(studio.q, [0.3, 0.9], atol=1e-6)
    assert until(lambda: not studio.refresher.stale)
    studio.panels.joints.value = False
    studio.panels._joint_handles()


def test_the_workspace_follows_the_design(studio: Studio) -> None:
    panel = studio.panels.workspace
    panel.count.value, panel.shown.value = "10,000", True
    panel.want()
    assert until(lambda: panel.cloud is not None and "10,000 poses" in panel.bar.content)
    before = panel.cloud.values
    studio.set_design(studio.design.with_value("load.mass", 2.0))
    assert until(lambda: panel.cloud.values.max() > before.max())
    assert len(panel._drawn.points) < 10_000  # cut open
    studio.undo()
    panel.shown.value = False
    panel.want()
    assert until(lambda: not panel._drawn.visible)
