"""The studio in a real browser: a joint dragged, a mass changed, a motion run, code taken home; nothing gets out."""

from __future__ import annotations

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
from dalembert.studio.studio import Studio

from .chrome import Chrome

SLIDER = "document.querySelectorAll('[role=slider]')[{}]"
TAB = "[...document.querySelectorAll('[role=tab]')].find(e => e.innerText.includes('{}'))"
BUTTON = "[...document.querySelectorAll('button')].find(e => e.innerText.trim() === '{}')"


HOSTILE = "![a](http://127.0.0.2:9/a)<img src=http://127.0.0.2:9/b onerror=alert(1)>"
"""Part of the names of a joint and a link: pictures elsewhere, which nobody may fetch."""


@pytest.fixture
def studio() -> Iterator[Studio]:
    text = write_toml(da.load("planar-2r"))
    for name in ("joint2", "link2"):
        text = text.replace(f'"{name}"', json.dumps(name + HOSTILE))
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
            shown(phone, studio)
            assert len(studio.server.get_clients()) == 2
            studio.set_pose([0.2, -0.3])
            for seen in (chrome, phone):
                assert seen.until(lambda seen=seen: abs(at_first_slider(seen) - float(np.degrees(0.2))) < 0.1, 30)
            stayed_at_home(phone)
        assert chrome.until(lambda: len(studio.server.get_clients()) == 1)

        chrome.click(TAB.format("Design"))
        assert chrome.until(lambda: chrome.place(SLIDER.format(1)) is not None)
        last = SLIDER.format("document.querySelectorAll('[role=slider]').length - 1")
        assert drag_until(chrome, last, 30, lambda: "link2.mass" in "".join(studio.design.told()))

        chrome.click(TAB.format("Motion"))
        assert chrome.until(lambda: chrome.place(BUTTON.format("simulate")) is not None)
        studio.panels.motion.duration.value = 0.2
        assert click_until(chrome, BUTTON.format("simulate"), lambda: studio.player.motion is not None)

        chrome.send("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
        chrome.click(TAB.format("Files"))
        code = BUTTON.format("C for a controller (zip)")
        assert chrome.until(lambda: chrome.place(code) is not None)
        assert click_until(chrome, code, lambda: bool(list(tmp_path.glob("*.zip"))))
        assert "planar_2r_inverse_dynamics.c" in zipfile.ZipFile(next(tmp_path.glob("*.zip"))).namelist()
        stayed_at_home(chrome)
