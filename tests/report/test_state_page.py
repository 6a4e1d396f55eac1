"""The page of one state in a real browser: it computes what Python computes, and nothing in it can be misused."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from coupled_arms import PALLETIZER
from studio.chrome import Chrome

from .conftest import CUBE
from .hostile import ALARM, hostile_arm

VALUES = """Object.fromEntries([...document.querySelectorAll("output[data-state]")].map(
  cell => [cell.dataset.state, Number(cell.dataset.value)]
))"""
SET = """((selector, value) => {
  const field = document.querySelector(selector);
  field.value = value; field.dispatchEvent(new Event("input", { bubbles: true }));
})"""


@pytest.fixture(scope="module")
def chrome(browser: str) -> Iterator[Chrome]:
    """One browser for all pages."""
    with Chrome(browser) as opened:
        yield opened


SYSTEMS = {
    "drives and load": da.load("puma560", physical="ignore").driven.holding(CUBE),
    "a slide": da.load("jpl-rrp").driven,
    "followers and a spring": da.load(PALLETIZER).driven.with_elastic(da.JointSpring("turn", 3, "0.2")),
}


@pytest.mark.parametrize("what", SYSTEMS)
def test_the_page_computes_what_python_computes(what: str, chrome: Chrome, tmp_path: Path) -> None:
    system, path = SYSTEMS[what], tmp_path / "state.html"
    random = np.random.default_rng(2)
    q = random.uniform(-0.9, 0.9, system.n).clip(system.lower, system.upper)
    qd, qdd = random.uniform(-2, 2, (2, system.n))
    page = system.page(path, q, qd, qdd)
    assert path.read_text(encoding="utf-8") == page.html
    chrome.open(path.as_uri())
    assert chrome.until(lambda: "data-value" in (chrome.value("document.documentElement.outerHTML") or ""))
    q[1], qd[0], qdd[-1] = 0.25, -0.75, 1.5
    for selector, value in (
        ("input[type=range][data-joint='1']", q[1]),
        ("input[data-rate=qd][data-of='0']", qd[0]),
        (f"input[data-rate=qdd][data-of='{system.n - 1}']", qdd[-1]),
    ):
        chrome.value(f"{SET}({selector!r}, {value})")
    parts = system.parts(q, qd, qdd)
    wanted = {"kinetic": system.kinetic_energy(q, qd), "potential": system.potential_energy(q)}
    scales = dict.fromkeys(wanted, 0.0)
    torque = system.inverse_dynamics(q, qd, qdd)
    causes = {
        "torque": torque, "inertia": parts.inertia, "velocity": parts.centrifugal + parts.coriolis,
        "gravity": parts.gravity, "friction": parts.friction, "elastic": parts.elastic,
    }  # fmt: skip
    for name, values in causes.items():
        wanted |= {f"{name}{k}": value for k, value in enumerate(values)}
    matrix = system.mass_matrix(q)
    wanted |= {f"D{i},{j}": matrix[i, j] for i in range(system.n) for j in range(system.n)}
    scales |= {name: np.abs(matrix).max() if name[0] == "D" else np.abs(torque).max() for name in wanted}
    shift = float(wanted["potential"])
    assert chrome.until(lambda: abs(chrome.value(VALUES)["potential"] - shift) <= 1e-9 * max(abs(shift), 1))
    found = chrome.value(VALUES)
    shown = [name for name in found if not name.startswith("used")]
    assert {"torque0", "velocity0", "friction0", "D0,1", "kinetic"} <= set(shown)
    assert ("elastic0" in shown) == bool(system.elastic)
    for name in shown:
        assert found[name] == pytest.approx(wanted[name], rel=1e-12, abs=1e-12 * scales[name]), name
    assert chrome.faults == []
    assert {url[:5] for url in chrome.asked} <= {"file:"}


def test_hostile_names_stay_text_on_the_page_and_in_a_notebook(chrome: Chrome, tmp_path: Path) -> None:
    shown = hostile_arm().page()._repr_html_()
    started: list[tuple[str, dict[str, str | None]]] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            started.append((tag, dict(attrs)))

    Reader().feed(shown)
    ((tag, attributes),) = started
    assert (tag, attributes["sandbox"]) == ("iframe", "allow-scripts")
    notebook = tmp_path / "notebook.html"
    notebook.write_text(f"<!DOCTYPE html><p>cell</p>{shown}", encoding="utf-8")
    chrome.open(notebook.as_uri())
    assert chrome.until(lambda: chrome.value("document.querySelector('iframe') !== null"))
    page = tmp_path / "page.html"
    page.write_text(str(attributes["srcdoc"]), encoding="utf-8")
    chrome.open(page.as_uri())
    assert chrome.until(lambda: "data-value" in (chrome.value("document.documentElement.outerHTML") or ""))
    assert ALARM not in chrome.value("document.body.getAttributeNames().join()")
    assert chrome.faults == []


OVERLAPS = """
Array.from(document.querySelectorAll('.controls tbody tr')).flatMap(row => {
  const range = document.createRange(), boxes = Array.from(row.cells).map(cell => {
    range.selectNodeContents(cell); return range.getBoundingClientRect(); });
  const outside = boxes.filter(a => a.right > document.documentElement.clientWidth + 1).map(() => 'outside');
  const meet = (a, b) =>
    a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  return outside.concat(boxes.flatMap((a, i) => boxes.slice(i + 1).filter(b => meet(a, b)).map(() => 'overlap')));
})"""


@pytest.mark.parametrize("width", [390, 1280])
def test_names_of_joints_keep_clear_of_their_sliders_and_numbers(chrome: Chrome, tmp_path: Path, width: int) -> None:
    page = tmp_path / "page.html"
    page.write_text(da.load("ur5e", physical="ignore").page().html, encoding="utf-8")
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    chrome.send("Emulation.setDeviceMetricsOverride", **size)
    try:
        chrome.open(page.as_uri())
        assert chrome.until(lambda: chrome.value("document.querySelectorAll('.controls tbody tr').length") == 6)
        assert chrome.value(OVERLAPS) == []
    finally:
        chrome.send("Emulation.clearDeviceMetricsOverride")


def test_a_page_names_its_system_as_the_command_line_does() -> None:
    arm = da.load("planar-2r")
    for system, said in (
        (arm, "The links alone."),
        (arm.holding(da.Load(2)), "The links alone, holding 2 kg on link2."),
        (arm.holding(da.Load(2)).driven, "With its drives: rotors and friction count, holding 2 kg on link2."),
    ):
        assert f'<p class="note">{said}</p>' in system.page().html


def test_a_page_inside_a_notebook_stays_small() -> None:
    arm = da.load("panda", physical="ignore")
    assert len(arm.driven.holding(CUBE).page()._repr_html_()) < 200_000


@pytest.mark.parametrize("q", [[0.1], [[0.1, 0.2]], [np.nan, 0.0]])
def test_a_page_shows_one_finite_state(q: object) -> None:
    with pytest.raises(da.ArmError, match="one state"):
        da.load("planar-2r").page(q=q)
