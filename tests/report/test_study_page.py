"""The page of a study: complete in itself, names escaped, and its designs brushed in a browser."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import dalembert as da
from dalembert.report.html.browser import run_browser
from dalembert.report.html.page import asset
from dalembert.report.study_page import study_page, write_study_page
from dalembert.studies.study_result import StudyResult
from javascript import needs_node

BAD = '</script><img src=x onerror="document.title=1">'


def result(design: str = "monte-carlo", rows: int = 40) -> StudyResult:
    rng = np.random.default_rng(0)
    factors = (da.Factor(BAD, 0, 1), da.Factor("b", 0, 1))
    designs = rng.random((rows, 2))
    values = np.column_stack([designs.sum(axis=1), designs[:, 0] * 3])
    values[3] = np.nan
    failures = tuple("it <b>broke</b>" if k == 3 else "" for k in range(rows))
    return StudyResult(
        BAD, factors, ("kg", "m"), (("y", "N m"), ("z", "J")), designs, values, failures, design, rows, 0
    )


def test_names_from_files_stay_text_and_the_page_asks_nothing_of_the_network() -> None:
    page = study_page(result(), {"y": "least", "b": "most"}, {"y": None})
    assert BAD not in page
    assert "<img" not in page
    assert "it &lt;b&gt;broke" in page
    assert not re.search(r'(?:src|href)="(?:https?:)?//', page)
    assert "sha256-" in page


def test_a_study_without_any_good_design_still_has_a_page() -> None:
    empty = result()
    nothing = StudyResult(
        "none", empty.factors, empty.units, empty.outputs, empty.designs, np.full((40, 2), np.nan), ("no",) * 40,
        "monte-carlo", 40, 0,
    )  # fmt: skip
    assert "40 of them have no outputs" in study_page(nothing)


def content_of(told: str) -> dict[str, Any]:
    """What the script of the page draws."""
    content = re.search(r'<script[^>]*id="study-data"[^>]*>(.*?)</script>', told, re.DOTALL)
    assert content is not None
    return dict(json.loads(content[1]))


STUB = """
function any() {
  var kept = new Map();
  return new Proxy(function () {}, {
    get: function (_, key) {
      if (key === Symbol.toPrimitive) return function () { return 0; };
      return kept.has(key) ? kept.get(key) : any();
    },
    set: function (_, key, value) { kept.set(key, value); return true; }, apply: any,
  });
}
var made = [], window = any(), getComputedStyle = any(), document = {
  getElementById: function (id) { return id === "study-data" ? {textContent: process.argv[1]} : any(); },
  createElement: function (tag) { var element = any(); if (tag === "input") made.push(element); return element; },
};
"""


@needs_node
def test_designs_that_differ_by_tolerances_are_told_apart_on_the_page() -> None:
    """A length of 0.4318 m to a few micrometres, a mass to a tenth of a gram, and a torque that is the same."""
    rng = np.random.default_rng(1)
    found = result()
    designs = rng.normal((0.4318, 17.4), (2e-6, 1e-4), (40, 2))
    values = np.column_stack([1e9 * designs[:, 0], np.full(40, 0.0142) + np.arange(40) % 2 * 1e-18])
    told = study_page(replace(found, designs=designs, values=values, failures=("",) * 40))
    content = content_of(told)
    rows = np.array(content["rows"])
    np.testing.assert_allclose(rows[:, :2] - designs.mean(axis=0), designs - designs.mean(axis=0), atol=1e-9)
    assert np.ptp(rows[:, 3]) == 0
    program = (
        f"{STUB}{asset('study.js')}; console.log(JSON.stringify(made.map(function (x) {{ return x.placeholder; }})))"
    )
    ran = subprocess.run(["node", "-e", program, json.dumps(content)], capture_output=True, text=True, check=True)
    ends = np.array(json.loads(ran.stdout), dtype=float).reshape(4, 2)
    ranges = np.ptp(np.column_stack([designs, values]), axis=0)
    np.testing.assert_allclose(ends[:3, 1] - ends[:3, 0], ranges[:3], rtol=0.03)
    assert ends[3].tolist() == [0.0142, 0.0142]


def test_designs_all_over_are_drawn_however_many_are_on_the_front() -> None:
    """Goals that contradict each other put all designs of a grid on the front, of which the first are alike."""
    found, shares = result(), np.linspace(0, 1, 20_000)
    designs, values = np.column_stack([shares, 0 * shares]), np.column_stack([shares, -shares])
    many = replace(found, designs=designs, values=values, failures=("",) * 20_000)
    content = content_of(study_page(many, {"y": "least", "z": "least"}))
    drawn = np.array(content["rows"])[:, 0]
    assert len(content["front"]) == len(drawn) < 4000
    assert np.diff(np.sort(drawn)).max() < 0.001
    assert drawn.max() > 0.999


PROBE = """<script>
window.addEventListener("load", function () {
  function drag(id, from, to) {
    var box = document.getElementById(id).getBoundingClientRect();
    function send(kind, p) {
      var where = {clientX: box.left + p[0], clientY: box.top + p[1], pointerId: 1, bubbles: true};
      document.getElementById(id).dispatchEvent(new PointerEvent(kind, where));
    }
    Element.prototype.setPointerCapture = function () {};
    send("pointerdown", from); send("pointermove", to); send("pointerup", to);
  }
  var count = document.getElementById("study-count"), said = [count.textContent];
  drag("study-parallel", [46, 80], [46, 150]); said.push(count.textContent);
  document.getElementById("study-clear").click(); said.push(count.textContent);
  drag("study-scatter", [100, 40], [300, 200]); said.push(count.textContent);
  document.getElementById("study-clear").click();
  var input = document.querySelector("#study-ends input"); input.value = "0.5"; input.dispatchEvent(new Event("input"));
  said.push(count.textContent);
  document.title = said.join("|");
});
</script>"""


def test_brushing_an_axis_the_scatter_plot_or_a_number_keeps_the_designs_there(tmp_path: Path, browser: str) -> None:
    page = tmp_path / "p.html"
    found: Any = result()
    write_study_page(found, page)
    text = page.read_text(encoding="utf-8")
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text).replace("</body>", PROBE + "</body>")
    page.write_text(text, encoding="utf-8")
    shown = run_browser(["--dump-dom", "--window-size=1200,900"], page, browser).stdout
    title = re.search(r"<title>([^<]*)</title>", shown)
    assert title is not None
    whole, axis, again, area, number = (int(part.split()[0]) for part in title[1].split("|"))
    assert whole == again == 39
    assert 0 < axis < 39
    assert 0 < area < 39
    assert number == int((np.delete(found.designs[:, 0], 3) >= 0.5).sum())
