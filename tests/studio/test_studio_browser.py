"""The studio in a real browser: a joint dragged, a mass changed, a motion run, code taken home; nothing gets out."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest

import dalembert as da

pytest.importorskip("viser", reason="the studio was NOT opened: viser is not here (pip install 'dalembert[studio]')")

from dalembert.arm.io.toml_writer import write_toml
from dalembert.studio.motion_run import GRIPPED
from dalembert.studio.studio import Studio

from .chrome import Chrome

SLIDER = "document.querySelectorAll('[role=slider]')[{}]"
TAB = "[...document.querySelectorAll('[role=tab]')].find(e => e.innerText.includes('{}'))"
BUTTON = "[...document.querySelectorAll('button')].find(e => e.innerText.trim() === '{}')"
FILES = {
    "arm file (TOML)": (".toml", b"# changed: link.link2.mass"),
    "URDF": (".urdf", b"<robot"),
    "C for a controller (zip)": ("-c.zip", b"planar_2r_inverse_dynamics.c"),
    "FMU (zip)": (".fmu", b"modelDescription.xml"),
    "equations (LaTeX)": (".tex", b"\\documentclass"),
    "page of this state (HTML)": ("planar_2r.html", b"Changed: link.link2.mass"),
    "picture (SVG)": (".svg", b"<svg"),
    "report (HTML)": ("-report.html", b"Equations of motion"),
}
"""What each button gives: how the file ends, and what is in it."""


def arrived(folder: Path, ending: str) -> bool:
    """Whether a download is there, whole."""
    return any(folder.glob(f"*{ending}")) and not any(folder.glob("*.crdownload"))


HOSTILE = "![a](http://127.0.0.2:9/a)<img src=http://127.0.0.2:9/b onerror=alert(1)>"
"""Part of the name of a joint: pictures elsewhere, which nobody may fetch."""


@pytest.fixture
def studio() -> Iterator[Studio]:
    text = write_toml(da.load("planar-2r")).replace('"joint2"', json.dumps("joint2" + HOSTILE))
    opened = Studio(da.load(text), port=0)
    opened.panels.say(f"{HOSTILE} is said")
    yield opened
    opened.close()


def shown(chrome: Chrome, studio: Studio) -> None:
    """Open the studio and wait until its panel is there."""
    chrome.open(studio.address)
    assert chrome.until(lambda: "joint1" in (chrome.value("document.body.innerText") or ""), 120)
    assert chrome.until(lambda: chrome.value("document.querySelectorAll('[role=slider]').length") >= 2)


def drag_until(chrome: Chrome, script: str, dx: float, true: Callable[[], bool]) -> bool:
    """Drag an element until it is felt: on a busy machine the page may not have come to rest at the first try."""
    for _ in range(5):
        chrome.drag(script, dx)
        if chrome.until(true, 10):
            return True
    return False


def click_until(chrome: Chrome, script: str, true: Callable[[], bool]) -> bool:
    """Click an element until it is felt."""
    for _ in range(5):
        chrome.click(script)
        if chrome.until(true, 15):
            return True
    return False


def at_first_slider(chrome: Chrome) -> float:
    """Where the first slider stands in a browser."""
    return float(chrome.value(f"{SLIDER.format(0)}.getAttribute('aria-valuenow')"))


def stayed_at_home(chrome: Chrome) -> None:
    """No script failed, and nothing was asked of another machine."""
    assert chrome.faults == []
    assert {urlsplit(url).hostname for url in chrome.asked if url.startswith(("http", "ws"))} <= {"127.0.0.1"}


def test_a_person_moves_changes_simulates_and_takes_home(browser: str, studio: Studio, tmp_path: Path) -> None:
    with Chrome(browser) as chrome:
        shown(chrome, studio)
        start = studio.q.copy()
        assert drag_until(chrome, SLIDER.format(0), 40, lambda: abs(studio.q[0] - start[0]) > 0.05)
        with Chrome(browser, 390, 800) as phone:  # a second one sees the same, and its end harms nobody
            # a window is never as narrow as a phone
            phone.send("Emulation.setDeviceMetricsOverride", width=390, height=800, deviceScaleFactor=1, mobile=True)
            shown(phone, studio)
            assert len(studio.server.get_clients()) == 2
            studio.set_pose([0.2, -0.3])
            for seen in (chrome, phone):
                assert seen.until(lambda seen=seen: abs(at_first_slider(seen) - float(np.degrees(0.2))) < 0.1, 30)
            assert phone.value("document.documentElement.scrollWidth") <= 390
            stayed_at_home(phone)
        assert chrome.until(lambda: len(studio.server.get_clients()) == 1)

        chrome.click(TAB.format("Design"))
        assert chrome.until(lambda: chrome.place(SLIDER.format(1)) is not None)
        last = SLIDER.format("document.querySelectorAll('[role=slider]').length - 1")
        assert drag_until(chrome, last, 30, lambda: "link2.mass" in "".join(studio.design.change_lines()))

        chrome.click(TAB.format("Motion"))
        assert chrome.until(lambda: chrome.place(BUTTON.format("simulate")) is not None)
        panel = studio.panels.motion
        panel.duration.value, panel.load.value, panel.payload.value, panel.grip.value = 0.2, 1.0, GRIPPED, 0.1
        assert click_until(chrome, BUTTON.format("simulate"), lambda: studio.player.motion is not None)
        assert chrome.until(lambda: "load at 0.1 s" in chrome.value("document.body.innerText"))
        assert chrome.until(lambda: not studio.player.playing)

        chrome.send("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
        assert chrome.until(lambda: chrome.place(BUTTON.format("motion (CSV)")) is not None)
        panel.record.rate.value = 1.0  # two frames
        for label, ending in (("motion (CSV)", "-motion.csv"), ("film (GIF)", ".gif")):
            assert click_until(chrome, BUTTON.format(label), lambda ending=ending: arrived(tmp_path, ending))  # type: ignore[misc]
        assert (tmp_path / "planar_2r.gif").read_bytes().startswith(b"GIF89a")
        first = panel.shown
        upload = "document.querySelector('input[type=file]')"
        node = chrome.send("Runtime.evaluate", expression=upload)["result"]["objectId"]
        chrome.send("DOM.setFileInputFiles", objectId=node, files=[str(tmp_path / "planar_2r-motion.csv")])
        assert chrome.until(lambda: panel.shown is not first)
        assert np.array_equal(panel.shown.motion.q, first.motion.q)

        chrome.click(TAB.format("Files"))
        assert chrome.until(lambda: chrome.place(BUTTON.format("URDF")) is not None)
        for label, (ending, holds) in FILES.items():
            assert click_until(chrome, BUTTON.format(label), lambda ending=ending: arrived(tmp_path, ending)), label  # type: ignore[misc]
            content = next(tmp_path.glob(f"*{ending}")).read_bytes()
            assert len(content) > 500, label
            if ending.endswith((".zip", ".fmu")):
                assert holds.decode() in zipfile.ZipFile(io.BytesIO(content)).namelist()
            else:
                assert holds in content, label
        stayed_at_home(chrome)
