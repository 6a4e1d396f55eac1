"""The pages in a real browser: no script errors, the page's own mechanics right, figures that answer."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.report.assemble import Report

from .conftest import CUBE
from .hostile import ALARM, SHOT, hostile_page

Made = Callable[[str], tuple[da.DrivenArm, Report, Path]]
Opened = Callable[[Path], tuple[str, list[str]]]
ARMS = ("jpl-rrp", "puma560")

# Every figure under the pointer and the arrow keys, every pose button, slider, view and choice; then what came of it.
HANDS = """
window.addEventListener("error", function (event) { document.body.setAttribute("data-fault", event.message); });
function press(element, keys) {
  keys.forEach(function (key) {
    element.dispatchEvent(new KeyboardEvent("keydown", { key: key, bubbles: true, cancelable: true }));
  });
}
(function () {
  var silent = [], count = 0;
  document.querySelectorAll("figure.chart").forEach(function (figure) {
    var svg = figure.querySelector("svg[tabindex]"), output = figure.querySelector(".readout");
    var box = svg.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + box.height / 3;
    count += 1;
    svg.dispatchEvent(new PointerEvent("pointermove", { clientX: x, clientY: y, bubbles: true }));
    if (!/[0-9]/.test(output.textContent)) silent.push(figure.id + " pointer");
    svg.dispatchEvent(new FocusEvent("blur"));
    if (output.textContent) silent.push(figure.id + " leaves its read-out");
    press(svg, ["Home", "ArrowRight"]);
    if (!/[0-9]/.test(output.textContent)) silent.push(figure.id + " keys");
  });
  document.querySelectorAll("button[data-view], button[data-pose]").forEach(function (button) { button.click(); });
  document.querySelectorAll("input[data-show]").forEach(function (box) { box.click(); });
  var canvas = document.getElementById("arm-canvas");
  ["pointerdown", "pointermove", "pointerup"].forEach(function (name, k) {
    canvas.dispatchEvent(new PointerEvent(name, { clientX: 100 + 30 * k, clientY: 100, pointerId: 1, bubbles: true }));
  });
  press(canvas, ["ArrowLeft", "ArrowUp", "+", "-"]);
  document.querySelector("button[data-view=home]").click();
  var slider = document.querySelector("input[type=range][data-joint='1']");
  slider.value = 0.75; slider.dispatchEvent(new Event("input", { bubbles: true }));
  setTimeout(function () {
    var painted = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data, inked = 0;
    for (var k = 3; k < painted.length; k += 4) if (painted[k]) inked += 1;
    document.body.setAttribute("data-hands", JSON.stringify({ silent: silent, figures: count, inked: inked }));
  }, 500);
})();
"""


def outputs(document: str, what: str) -> list[float]:
    """The full values behind the page's read-outs of inertia or gravity load."""
    found = {}
    for element in re.findall(r"<output[^>]*>", document):
        place = re.search(rf'data-{what}="(\d+)"', element)
        value = re.search(r'data-value="([^"]+)"', element)
        if place and value:
            found[int(place[1])] = float(value[1])
    return [found[i] for i in sorted(found)]


def with_hands(page: Path, folder: Path) -> Path:
    """The page with a script that uses it; only then may a script run that is not the page's own."""
    text = page.read_text(encoding="utf-8")
    text = re.sub(r"script-src .*? style-src", "script-src 'unsafe-inline'; style-src", text, count=1)
    target = folder / f"hands-{page.name}"
    target.write_text(text.replace("</body>", f"<script>{HANDS}</script></body>"), encoding="utf-8")
    return target


@pytest.mark.parametrize("name", ARMS)
def test_the_report_opens_without_script_errors_and_its_own_mechanics_agree_with_the_arm(
    name: str, made: Made, opened: Opened
) -> None:
    arm, _, page = made(name)
    document, console = opened(page)
    assert console == []
    scene = json.loads(unescape(re.search(r'id="arm-data"[^>]*>(.*?)</script>', document, re.DOTALL)[1]))  # type: ignore[index]
    q = np.array(scene["pose"])
    assert outputs(document, "inertia") == pytest.approx(np.diag(arm.mass_matrix(q)), rel=1e-9, abs=1e-12)
    assert outputs(document, "gravity") == pytest.approx(arm.gravity_load(q), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", ARMS)
def test_every_figure_answers_to_pointer_and_keys_and_every_control_works(
    name: str, made: Made, opened: Opened, folder: Path
) -> None:
    arm, _report, page = made(name)
    document, console = opened(with_hands(page, folder))
    assert console == []
    assert 'data-fault="' not in document
    found: dict[str, Any] = json.loads(unescape(re.search(r'data-hands="([^"]*)"', document)[1]))  # type: ignore[index]
    assert found["silent"] == []
    assert found["figures"] == document.count('class="chart"') > 3
    assert found["inked"] > 1000
    # The last things done: reset, joint 2 moved to 0.75, and the load taken into the hand by its choice.
    scene = json.loads(unescape(re.search(r'id="arm-data"[^>]*>(.*?)</script>', document, re.DOTALL)[1]))  # type: ignore[index]
    q = np.array(scene["pose"])
    q[1] = 0.75
    loaded = arm.holding(CUBE)
    assert outputs(document, "inertia") == pytest.approx(np.diag(loaded.mass_matrix(q)), rel=1e-9, abs=1e-12)
    assert outputs(document, "gravity") == pytest.approx(loaded.gravity_load(q), rel=1e-9, abs=1e-9)


def test_a_script_error_would_be_seen(opened: Opened, tmp_path: Path) -> None:
    page = tmp_path / "broken.html"
    page.write_text("<!DOCTYPE html><p>here</p><script>nothing.at.all();</script>", encoding="utf-8")
    _, console = opened(page)
    assert any("Uncaught ReferenceError" in line for line in console)


def test_names_that_try_to_run_do_not(opened: Opened, tmp_path: Path) -> None:
    page = tmp_path / "hostile.html"
    page.write_text(hostile_page(), encoding="utf-8")
    document, console = opened(page)
    assert console == []
    assert f'{ALARM}="' not in document


def test_a_script_smuggled_past_the_escaping_is_refused_by_the_page_itself(opened: Opened, tmp_path: Path) -> None:
    page = tmp_path / "smuggled.html"
    attack = f'<script>{SHOT}</script><img src="x" onerror="{SHOT}">'
    page.write_text(hostile_page().replace("</main>", f"{attack}</main>"), encoding="utf-8")
    document, console = opened(page)
    assert f'{ALARM}="' not in document
    assert any("Content Security Policy" in line for line in console)
