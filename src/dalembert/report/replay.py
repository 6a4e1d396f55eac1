"""A simulated motion in the 3D view of the report: one page, complete in itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..arm.description import ArmDescription
from ..markup.elements import Html, data, tag
from ..report.arm3d import drawing
from ..report.arm_script import arm_script
from ..report.html.page import page_head
from ..simulation.motion import Motion

MOST_FRAMES = 2000

PLAYER = """\
(function () {
  "use strict";
  var motion = JSON.parse(document.getElementById("replay-data").textContent);
  var bar = document.getElementById("replay-time"), button = document.getElementById("replay-play");
  var shown = document.getElementById("replay-shown"), sliders = [];
  document.querySelectorAll("input[type=range][data-joint]").forEach(function (input) {
    sliders[Number(input.getAttribute("data-joint"))] = input;
  });
  var t = motion.t, last = t.length - 1, now = t[0], playing = false, before = 0;
  function show() {
    var k = 0;
    while (k < last && t[k + 1] <= now) k++;
    var next = Math.min(k + 1, last), span = t[next] - t[k], u = span > 0 ? (now - t[k]) / span : 0;
    sliders.forEach(function (input, j) {
      var q = motion.q[k][j] + u * (motion.q[next][j] - motion.q[k][j]);
      if (motion.turns[j]) q -= 2 * Math.PI * Math.round(q / (2 * Math.PI));
      input.value = q;
      input.dispatchEvent(new Event("input"));
    });
    bar.value = now;
    shown.textContent = now.toFixed(2) + " s";
  }
  function frame(stamp) {
    if (!playing) return;
    now += (stamp - before) / 1000;
    before = stamp;
    if (now >= t[last]) { now = t[last]; stop(); }
    show();
    window.requestAnimationFrame(frame);
  }
  function stop() { playing = false; button.textContent = "play"; }
  button.addEventListener("click", function () {
    if (playing) { stop(); return; }
    if (now >= t[last]) now = t[0];
    playing = true; before = performance.now(); button.textContent = "pause";
    window.requestAnimationFrame(frame);
  });
  bar.addEventListener("input", function () { stop(); now = Number(bar.value); show(); });
  show();
})();
"""


def replay_page(arm: ArmDescription, motion: Motion) -> str:
    """The page as text."""
    keep = np.unique(np.linspace(0, len(motion.t) - 1, min(len(motion.t), MOST_FRAMES)).astype(int))
    times = [float(x) for x in motion.t[keep]]
    frames = {
        "t": times,
        "q": [[float(x) for x in row] for row in motion.q[keep]],
        "turns": [joint.kind == "revolute" for joint in arm.moving],
    }
    scripts = [arm_script(arm), PLAYER]
    first, last = times[0], times[-1]
    head = page_head(f"{motion.name}: motion", scripts)
    player = tag(
        "p",
        tag("button", "play", type="button", id="replay-play"),
        " ",
        tag("input", type="range", id="replay-time", min=first, max=last, step="any", aria_label="Time"),
        " ",
        tag("output", id="replay-shown"),
    )
    events = [tag("li", f"{event.time:.4g} s: {event.name} {event.kind}") for event in motion.events[:200]]
    body = tag(
        "body",
        tag("header", tag("h1", f"{motion.name}: motion over {last - first:g} s")),
        tag("main", player, drawing(arm, pose=motion.q[0].tolist()), tag("ul", *events), id="main"),
        data(frames, "replay-data"),
        *(tag("script", Html(script)) for script in scripts),
    )
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"


def write_replay(arm: ArmDescription, motion: Motion, path: str | Path) -> None:
    """Write the page."""
    Path(path).write_text(replay_page(arm, motion), encoding="utf-8")
