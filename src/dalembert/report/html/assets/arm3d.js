// The arm in three dimensions on a 2D canvas: facets sorted by depth, no library.
// Where its joints are and what they feel come from functions generated for this arm (report/arm_script.py):
// armFrames(q): [rotations, positions, seats] of the joint frames in the base, then rotation and position of the tool;
// armLoads(q): [D_ii, G_i] of every joint; armLoadsHolding(q): the same with the load in the hand, where there is one.
function drawArm(armFrames, armLoads, armLoadsHolding) {
  "use strict";
  var source = document.getElementById("arm-data"), canvas = document.getElementById("arm-canvas");
  if (!source || !canvas) return;
  var arm = JSON.parse(source.textContent), n = arm.joints.length, first = arm.pose.slice(), q = arm.pose.slice();
  var ink = canvas.getContext("2d"), printing = false;
  var view = { turn: -0.9, tilt: 0.42, zoom: 1 }, show = { boxes: false, frames: true, load: false };
  var FILLS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c8c5a"];

  // -- small vectors: matrices are nine numbers, row by row ------------------------------------
  function add(a, b) { return [a[0] + b[0], a[1] + b[1], a[2] + b[2]]; }
  function less(a, b) { return [a[0] - b[0], a[1] - b[1], a[2] - b[2]]; }
  function times(k, a) { return [k * a[0], k * a[1], k * a[2]]; }
  function dot(a, b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
  function cross(a, b) { return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]; }
  function length(a) { return Math.sqrt(dot(a, a)); }
  function unit(a) { var size = length(a); return size > 0 ? times(1 / size, a) : [0, 0, 1]; }
  function apply(m, a) {
    return [m[0] * a[0] + m[1] * a[1] + m[2] * a[2], m[3] * a[0] + m[4] * a[1] + m[5] * a[2],
      m[6] * a[0] + m[7] * a[1] + m[8] * a[2]];
  }
  function column(m, j) { return [m[j], m[3 + j], m[6 + j]]; }
  function at(frame, a) { return add(frame.position, apply(frame.rotation, a)); }
  var HOME = { rotation: [1, 0, 0, 0, 1, 0, 0, 0, 1], position: [0, 0, 0] };

  function frames(pose) {
    var made = armFrames(pose);
    return {
      joints: made[0].map(function (rotation, i) { return { rotation: rotation, position: made[1][i], seat: made[2][i] }; }),
      tool: { rotation: made[3], position: made[4] }
    };
  }
  function holding() { return show.load && armLoadsHolding; }
  function shownBodies() { return holding() ? arm.loaded : arm.bodies; }

  // -- the camera ------------------------------------------------------------------------------
  var up = length(arm.gravity) > 0 ? unit(times(-1, arm.gravity)) : [0, 0, 1];
  var ahead = unit(cross(up, Math.abs(up[1]) < 0.9 ? cross([0, 1, 0], up) : [1, 0, 0])), across = cross(ahead, up);
  var middle = [0, 0, 0], reach = arm.size;
  var path = arm.motion.map(function (pose) { return frames(pose).tool.position; });
  function bounds(poses) {
    var points = [HOME.position];
    poses.map(frames).forEach(function (placed) {
      points.push(placed.tool.position);
      placed.joints.forEach(function (f, b) {
        points.push(f.position);
        if (arm.bodies[b].mass > 0) points.push(at(f, arm.bodies[b].com));
      });
    });
    var low = points[0].slice(), high = points[0].slice();
    points.forEach(function (p) {
      for (var k = 0; k < 3; k++) { low[k] = Math.min(low[k], p[k]); high[k] = Math.max(high[k], p[k]); }
    });
    return { middle: times(0.5, add(low, high)), size: length(less(high, low)) };
  }
  function camera(width, height) {
    var c = Math.cos(view.tilt), s = Math.sin(view.tilt);
    var level = add(times(Math.cos(view.turn), across), times(Math.sin(view.turn), ahead));
    var back = add(times(c, level), times(s, up));
    var right = unit(cross(up, level)), high = cross(back, right);
    var far = 3.2 * reach, scale = view.zoom * 0.86 * Math.min(width, height) / reach;
    return {
      back: back, light: unit(add(add(back, times(0.8, high)), times(-0.5, right))),
      project: function (p) {
        var d = less(p, middle), depth = dot(d, back), k = scale * far / (far - depth);
        return [width / 2 + k * dot(d, right), height / 2 - k * dot(d, high), depth, k];
      }
    };
  }

  // -- solids, as lists of facets ----------------------------------------------------------------
  function basis(axis) {
    var side = unit(cross(axis, Math.abs(axis[0]) < 0.8 ? [1, 0, 0] : [0, 1, 0]));
    return [side, cross(axis, side)];
  }
  function bar(a, b, ra, rb, sides, fill, list) {
    var axis = unit(less(b, a)), around = basis(axis), ends = [[], []];
    if (length(less(b, a)) < 1e-9) return;
    for (var k = 0; k < sides; k++) {
      var w = 2 * Math.PI * (k + 0.5) / sides;
      var d = add(times(Math.cos(w), around[0]), times(Math.sin(w), around[1]));
      ends[0].push(add(a, times(ra, d))); ends[1].push(add(b, times(rb, d)));
    }
    for (k = 0; k < sides; k++) {
      var m = (k + 1) % sides;
      list.push({ points: [ends[0][k], ends[0][m], ends[1][m], ends[1][k]], fill: fill });
    }
    list.push({ points: ends[0].slice().reverse(), fill: fill });
    list.push({ points: ends[1], fill: fill });
  }
  function block(frame, centre, edges, axes, fill, list, thin) {
    var corner = [];
    for (var k = 0; k < 8; k++) {
      var d = [k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, k & 4 ? 0.5 : -0.5];
      corner.push(at(frame, add(centre, apply(axes, [d[0] * edges[0], d[1] * edges[1], d[2] * edges[2]]))));
    }
    [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]].forEach(function (face) {
      list.push({ points: face.map(function (k) { return corner[k]; }), fill: fill, thin: thin });
    });
  }
  function thickness(i) { return reach * 0.042 * (1 - 0.55 * Math.max(i, 0) / Math.max(arm.bodies.length, 1)); }

  function solids(placed) {
    var list = [];
    arm.paths.forEach(function (lines, place) {
      var i = place - 1, frame = i < 0 ? HOME : placed.joints[i], fill = i < 0 ? "#7a7a7a" : FILLS[i % FILLS.length];
      lines.forEach(function (line) {
        for (var k = 0; k + 1 < line.length; k++) {
          var ra = thickness(i) * 0.62 * (1 - 0.25 * k / line.length), rb = thickness(i) * 0.62 * (1 - 0.25 * (k + 1) / line.length);
          bar(at(frame, line[k]), at(frame, line[k + 1]), ra, rb, 8, fill, list);
        }
      });
    });
    arm.shafts.forEach(function (joint, i) {
      var frame = placed.joints[i], axis = column(frame.rotation, 2), r = thickness(i), fill = FILLS[i % FILLS.length];
      if (joint.revolute) {
        bar(less(frame.position, times(1.15 * r, axis)), add(frame.position, times(1.15 * r, axis)), r, r, 14, fill, list);
      } else {
        var seat = { rotation: frame.rotation, position: frame.seat };
        block(seat, [0, 0, 0], [2 * r, 2 * r, 3 * r], HOME.rotation, "#7a7a7a", list);
        bar(frame.seat, frame.position, 0.6 * r, 0.6 * r, 4, fill, list);
      }
    });
    if (show.boxes) shownBodies().forEach(function (body, b) {
      if (body.box) block(placed.joints[b], body.com, body.box.edges.map(function (e) { return Math.max(e, 0.004 * reach); }), body.box.axes, FILLS[b % FILLS.length], list, true);
    });
    return list;
  }

  // -- drawing -----------------------------------------------------------------------------------
  function colour(name) { return printing ? { "--ink": "#111", "--line": "#bbb" }[name] : getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }
  function shaded(fill, k) {
    var value = parseInt(fill.slice(1), 16), part = [value >> 16, (value >> 8) & 255, value & 255];
    return part.map(function (x) { return Math.round(Math.min(255, x * k + (k > 1 ? (k - 1) * 90 : 0))); });
  }
  function stroke(points, style, width, dashes) {
    ink.beginPath();
    points.forEach(function (p, k) { if (k) ink.lineTo(p[0], p[1]); else ink.moveTo(p[0], p[1]); });
    ink.strokeStyle = style; ink.lineWidth = width; ink.setLineDash(dashes || []); ink.stroke(); ink.setLineDash([]);
  }
  function word(text, p, style) {
    ink.font = "600 12px system-ui, sans-serif"; ink.textAlign = "center"; ink.textBaseline = "middle";
    ink.lineWidth = 3; ink.strokeStyle = printing ? "#fff" : colour("--paper"); ink.strokeText(text, p[0], p[1]);
    ink.fillStyle = style; ink.fillText(text, p[0], p[1]);
  }
  function ground(eye) {
    var step = Math.pow(10, Math.floor(Math.log10(reach / 2))), most = Math.ceil(0.7 * reach / step);
    if (most > 6) { step *= 2; most = Math.ceil(most / 2); }
    for (var k = -most; k <= most; k++) {
      [[across, ahead], [ahead, across]].forEach(function (pair) {
        var a = add(times(k * step, pair[0]), times(-most * step, pair[1])), b = add(times(k * step, pair[0]), times(most * step, pair[1]));
        stroke([eye.project(a), eye.project(b)], colour("--line"), k ? 0.6 : 1.1);
      });
    }
    return step;
  }
  function axes(eye, frame, size, name) {
    var o = eye.project(frame.position);
    ["#d55e00", "#009e73", "#0072b2"].forEach(function (style, k) {
      var p = eye.project(add(frame.position, times(size, column(frame.rotation, k))));
      stroke([o, p], style, 2.2);
      word("xyz"[k] + name, [p[0] + 0.12 * (p[0] - o[0]), p[1] + 0.12 * (p[1] - o[1]) - 2], colour("--ink"));
    });
  }
  function centre(p, r) {
    for (var k = 0; k < 4; k++) {
      ink.beginPath(); ink.moveTo(p[0], p[1]); ink.arc(p[0], p[1], r, k * Math.PI / 2, (k + 1) * Math.PI / 2); ink.closePath();
      ink.fillStyle = k % 2 ? "#fff" : "#111"; ink.fill();
    }
    ink.beginPath(); ink.arc(p[0], p[1], r, 0, 2 * Math.PI); ink.strokeStyle = "#111"; ink.lineWidth = 1; ink.stroke();
  }

  function draw() {
    var ratio = Math.min(window.devicePixelRatio || 1, 2), width = canvas.clientWidth, height = canvas.clientHeight;
    if (!width || !height) return;
    canvas.width = Math.round(width * ratio); canvas.height = Math.round(height * ratio);
    ink.setTransform(ratio, 0, 0, ratio, 0, 0); ink.clearRect(0, 0, width, height);
    var placed = frames(q), eye = camera(width, height), step = ground(eye), list = solids(placed);
    list.forEach(function (face) {
      var total = [0, 0, 0];
      face.points.forEach(function (p) { total = add(total, p); });
      face.middle = times(1 / face.points.length, total);
      face.normal = unit(cross(less(face.points[1], face.points[0]), less(face.points[2], face.points[0])));
      face.depth = dot(less(face.middle, middle), eye.back);
    });
    list.sort(function (a, b) { return a.depth - b.depth; });
    list.forEach(function (face) {
      var facing = dot(face.normal, eye.back);
      if (facing < -1e-3 && !face.thin) return;
      var k = 0.55 + 0.6 * Math.max(0, dot(face.normal, eye.light)), part = shaded(face.fill, k);
      ink.beginPath();
      face.points.forEach(function (p, i) { var s = eye.project(p); if (i) ink.lineTo(s[0], s[1]); else ink.moveTo(s[0], s[1]); });
      ink.closePath();
      ink.fillStyle = "rgba(" + part.join(",") + "," + (face.thin ? 0.16 : 1) + ")"; ink.fill();
      ink.strokeStyle = face.thin ? "rgba(" + part.join(",") + ",0.8)" : "rgba(" + part.map(function (x) { return Math.round(0.8 * x); }).join(",") + ",1)";
      ink.lineWidth = face.thin ? 1 : 0.6; ink.stroke();
    });
    var bodies = shownBodies(), most = Math.max.apply(null, bodies.map(function (b) { return b.mass; }).concat([1e-9]));
    placed.joints.forEach(function (frame, i) {
      var axis = column(frame.rotation, 2), r = thickness(i), body = bodies[i];
      if (show.frames) {
        var a = eye.project(less(frame.position, times(2.6 * r, axis))), b = eye.project(add(frame.position, times(3.4 * r, axis)));
        stroke([a, b], colour("--ink"), 1, [7, 3, 2, 3]);
      }
      if (body.mass > 0) {
        var p = eye.project(at(frame, body.com));
        stroke([eye.project(frame.position), p], colour("--ink"), 0.8, [2, 3]);
        centre(p, 3.5 + 5 * Math.cbrt(body.mass / most));
      }
    });
    if (show.frames) placed.joints.forEach(function (frame, i) {
      word(arm.shafts[i].label, eye.project(add(frame.position, times(4.2 * thickness(i), column(frame.rotation, 2)))), colour("--ink"));
    });
    if (path.length > 1) stroke(path.map(eye.project), colour("--accent"), 1.6, []);
    axes(eye, HOME, 0.16 * reach, "₀"); axes(eye, placed.tool, 0.11 * reach, "");
    ink.font = "12px system-ui, sans-serif"; ink.textAlign = "left"; ink.fillStyle = colour("--ink");
    ink.fillText("grid " + (step >= 1 ? step + " m" : Math.round(step * 1000) + " mm"), 8, height - 10);
    readout(placed.tool);
  }

  function digits(value) {
    if (value !== 0 && (Math.abs(value) < 1e-4 || Math.abs(value) >= 1e6)) return value.toExponential(2).replace("-", "−");
    return String(Number(value.toPrecision(4))).replace("-", "−");
  }
  function shown(i) { return arm.joints[i].revolute ? q[i] * 180 / Math.PI : q[i]; }
  function readout(end) {
    canvas.dispatchEvent(new CustomEvent("pose", { detail: q.slice() }));
    var loads = holding() ? armLoadsHolding(q) : armLoads(q);
    ["inertia", "gravity"].forEach(function (name, k) {
      loads[k].forEach(function (load, i) {
        var cell = document.querySelector("output[data-" + name + '="' + i + '"]'), value = Math.abs(load) < 1e-12 ? 0 : load;
        if (cell) { cell.textContent = digits(value); cell.setAttribute("data-value", value); }
      });
    });
    document.querySelectorAll("input[data-joint]").forEach(function (input) {
      var i = Number(input.getAttribute("data-joint"));
      if (input === document.activeElement && input.type === "number") return;
      input.value = input.type === "range" ? q[i] : Number(shown(i).toFixed(arm.joints[i].revolute ? 2 : 4));
    });
    var tool = document.getElementById("arm-tool");
    if (tool) tool.textContent = "(" + end.position.map(function (x) { return x.toFixed(3).replace("-", "−"); }).join(", ") + ")";
  }

  // -- hands on it -------------------------------------------------------------------------------
  var asked = false;
  function redraw() {
    if (asked) return;
    asked = true;
    window.requestAnimationFrame(function () { asked = false; draw(); });
  }
  var held = null;
  canvas.addEventListener("pointerdown", function (event) { held = [event.clientX, event.clientY]; if (event.isTrusted) canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener("pointermove", function (event) {
    if (!held) return;
    view.turn -= 0.01 * (event.clientX - held[0]);
    view.tilt = Math.max(-1.55, Math.min(1.55, view.tilt + 0.01 * (event.clientY - held[1])));
    held = [event.clientX, event.clientY];
    redraw();
  });
  ["pointerup", "pointercancel"].forEach(function (name) { canvas.addEventListener(name, function () { held = null; }); });
  function zoom(k) { view.zoom = Math.max(0.3, Math.min(6, view.zoom * k)); redraw(); }
  // The wheel scrolls the page unless the drawing has been clicked.
  canvas.addEventListener("wheel", function (event) {
    if (document.activeElement !== canvas && !event.ctrlKey) return;
    event.preventDefault(); zoom(Math.exp(-0.001 * event.deltaY));
  }, { passive: false });
  canvas.addEventListener("keydown", function (event) {
    var moves = { ArrowLeft: [0.1, 0], ArrowRight: [-0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }, move = moves[event.key];
    if (move) { view.turn += move[0]; view.tilt = Math.max(-1.55, Math.min(1.55, view.tilt + move[1])); redraw(); }
    else if (event.key === "+" || event.key === "=") zoom(1.15);
    else if (event.key === "-") zoom(1 / 1.15);
    else return;
    event.preventDefault();
  });
  document.querySelectorAll("button[data-view]").forEach(function (button) {
    button.addEventListener("click", function () {
      var name = button.getAttribute("data-view");
      if (name === "in") zoom(1.2);
      if (name === "out") zoom(1 / 1.2);
      if (name === "front") { view.turn = -Math.PI / 2; view.tilt = 0; }
      if (name === "side") { view.turn = 0; view.tilt = 0; }
      if (name === "top") { view.turn = -Math.PI / 2; view.tilt = 1.55; }
      if (name === "home") { view = { turn: -0.9, tilt: 0.42, zoom: 1 }; q = first.slice(); fit(); }
      redraw();
    });
  });
  document.querySelectorAll("input[data-show]").forEach(function (box) {
    box.addEventListener("change", function () { show[box.getAttribute("data-show")] = box.checked; redraw(); });
  });
  document.querySelectorAll("input[data-joint]").forEach(function (input) {
    input.addEventListener("input", function () {
      var i = Number(input.getAttribute("data-joint")), joint = arm.joints[i], value = parseFloat(input.value);
      if (!isFinite(value)) return;
      if (input.type === "number" && joint.revolute) value *= Math.PI / 180;
      q[i] = Math.max(joint.low, Math.min(joint.high, value));
      redraw();
    });
  });
  document.addEventListener("click", function (event) {
    var button = event.target.closest ? event.target.closest("button[data-pose]") : null;
    if (!button) return;
    var values = button.getAttribute("data-pose").split(",").map(Number);
    if (values.length !== n || values.some(function (x) { return !isFinite(x); })) return;
    q = values; fit(); redraw();
    var here = window.scrollY, smooth = window.matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
    canvas.scrollIntoView({ block: "center", behavior: smooth });
    var back = document.querySelector("button.back") || document.body.appendChild(document.createElement("button"));
    back.type = "button";
    back.className = "back";
    back.textContent = "↩ back to the table";
    back.onclick = function () {
      window.scrollTo({ top: here, behavior: smooth });
      back.remove();
      button.focus({ preventScroll: true });
    };
  });
  function fit() {
    var found = bounds(arm.motion.length ? arm.motion : [q]);
    middle = found.middle; reach = Math.max(found.size, 0.35 * arm.size) * 1.05;
  }
  if (window.ResizeObserver) new ResizeObserver(redraw).observe(canvas);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  window.addEventListener("beforeprint", function () { printing = true; draw(); });
  window.addEventListener("afterprint", function () { printing = false; draw(); });
  fit();
  draw();
}
