// A mechanism on a canvas: its skeleton turned by the pointer, its coordinates moved by sliders. Where its joints are
// comes from functions generated for this mechanism (report/mechanism_view.py): skeleton(phi) gives the points,
// newton_step(phi, q) a step towards the coordinates q with what stays open, inverse_dynamics(phi, qd, qdd) the loads.
function drawMechanism(skeleton, newton_step, inverse_dynamics) {
  "use strict";
  var source = document.getElementById("mechanism-data"), canvas = document.getElementById("mechanism-canvas");
  if (!source || !canvas) return;
  var made = JSON.parse(source.textContent), ink = canvas.getContext("2d");
  var phi = made.phi.slice(), q = made.q.slice(), view = { turn: -0.87, tilt: made.planar ? 1.5708 : 0.38, zoom: 1 };
  if (made.planar) view.turn = -1.5708;
  var FILLS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c8c5a"];
  var still = made.names.map(function () { return 0; });
  var said = document.getElementById("mechanism-said");
  var sliders = made.names.map(function (_, k) { return document.getElementById("mechanism-q" + k); });
  var shown = made.names.map(function (_, k) { return document.getElementById("mechanism-v" + k); });
  var loads = made.names.map(function (_, k) { return document.getElementById("mechanism-l" + k); });

  function figure(value) { return String(Number(value.toPrecision(4))).replace(/-/g, "−"); }

  // -- positions: continuation in small steps, each closed by Newton ---------------------------
  function closed(from, wanted) {
    var at = from.slice();
    for (var k = 0; k < 12; k++) {
      var found = newton_step(at, wanted), off = 0;
      found[1].forEach(function (x) { off = x === x ? Math.max(off, Math.abs(x)) : Infinity; });
      if (off < 1e-11) return found[4].every(function (x) { return x > 0; }) && found[2][0] < 1e14 ? found[0] : null;
      if (!(off < 1e3)) return null;
      at = found[0];
    }
    return null;
  }
  function walk(wanted) {
    var start = q.slice(), pieces = 16, side = newton_step(phi, q)[3][0];
    for (var k = 1; k <= pieces; k++) {
      var next = start.map(function (x, j) { return x + (wanted[j] - x) * k / pieces; }), at = closed(phi, next);
      if (!at || (made.square && newton_step(at, next)[3][0] * side <= 0)) return false;
      phi = at; q = next;
    }
    return true;
  }

  // -- drawing ------------------------------------------------------------------------------------
  var all = [skeleton(made.phi)].concat(made.frames.map(skeleton)), low = [1e9, 1e9, 1e9], high = [-1e9, -1e9, -1e9];
  all.forEach(function (points) {
    points.forEach(function (p) {
      for (var k = 0; k < 3; k++) { low[k] = Math.min(low[k], p[k]); high[k] = Math.max(high[k], p[k]); }
    });
  });
  var middle = low.map(function (x, k) { return (x + high[k]) / 2; });
  function projected(p) {  // right, up and towards who looks, from the middle (m)
    var ct = Math.cos(view.tilt), st = Math.sin(view.tilt), c = Math.cos(view.turn), s = Math.sin(view.turn);
    var x = p[0] - middle[0], y = p[1] - middle[1], z = p[2] - middle[2], away = c * x + s * y;
    return [-s * x + c * y, -st * away + ct * z, ct * away + st * z];
  }
  var span = [1e-9, 1e-9];  // of the first view, so that all of it is on the canvas, however narrow that is
  all.forEach(function (points) {
    points.map(projected).forEach(function (p) {
      for (var k = 0; k < 2; k++) span[k] = Math.max(span[k], 2 * Math.abs(p[k]));
    });
  });
  function draw() {
    var wide = canvas.clientWidth, tall = canvas.clientHeight, fine = window.devicePixelRatio || 1;
    canvas.width = wide * fine; canvas.height = tall * fine;
    ink.setTransform(fine, 0, 0, fine, 0, 0);
    ink.clearRect(0, 0, wide, tall);
    var scale = 0.85 * view.zoom * Math.min((wide - 24) / span[0], (tall - 24) / span[1]);  // with room to move
    var points = skeleton(phi).map(projected).map(function (p) {
      return [wide / 2 + scale * p[0], tall / 2 - scale * p[1], p[2]];
    });
    function depth(list) { return list.reduce(function (sum, k) { return sum + points[k][2]; }, 0) / list.length; }
    var things = made.plates.map(function (plate) { return { plate: plate, deep: depth(plate) }; });
    made.bars.forEach(function (bar) { things.push({ bar: bar, deep: depth([bar[0], bar[1]]) }); });
    things.sort(function (a, b) { return a.deep - b.deep; });
    things.forEach(function (thing) {
      ink.beginPath();
      (thing.plate || [thing.bar[0], thing.bar[1]]).forEach(function (k, j) {
        if (j) ink.lineTo(points[k][0], points[k][1]); else ink.moveTo(points[k][0], points[k][1]);
      });
      if (thing.plate) {
        ink.closePath();
        ink.fillStyle = "rgba(150, 150, 150, 0.55)"; ink.fill();
        ink.lineWidth = 1.5; ink.strokeStyle = "#666"; ink.stroke();
      } else {
        ink.lineWidth = 7; ink.lineCap = "round"; ink.strokeStyle = FILLS[thing.bar[2] % FILLS.length]; ink.stroke();
      }
    });
    made.joints.forEach(function (k) {
      ink.beginPath(); ink.arc(points[k][0], points[k][1], 3.5, 0, 2 * Math.PI);
      ink.fillStyle = "#fff"; ink.fill(); ink.lineWidth = 1.3; ink.strokeStyle = "#333"; ink.stroke();
    });
    var hold = inverse_dynamics(phi, still, still)[0];  // weight and springs, as in the table of the page
    made.names.forEach(function (_, k) {
      shown[k].textContent = figure(q[k] * made.factors[k]) + " " + made.units[k];
      loads[k].textContent = figure(hold[k]) + " " + made.efforts[k];
      if (document.activeElement !== sliders[k]) sliders[k].value = q[k];
    });
  }

  // -- pointer, sliders, player -----------------------------------------------------------------------
  var held = null, playing = 0;
  canvas.addEventListener("pointerdown", function (e) { held = [e.clientX, e.clientY]; canvas.setPointerCapture(e.pointerId); });
  canvas.addEventListener("pointermove", function (e) {
    if (!held) return;
    view.turn -= 0.01 * (e.clientX - held[0]);
    view.tilt = Math.max(-1.5708, Math.min(1.5708, view.tilt + 0.01 * (e.clientY - held[1])));
    held = [e.clientX, e.clientY]; draw();
  });
  canvas.addEventListener("pointerup", function () { held = null; });
  canvas.addEventListener("wheel", function (e) { e.preventDefault(); view.zoom *= Math.exp(-0.001 * e.deltaY); draw(); }, { passive: false });
  sliders.forEach(function (slider, k) {
    slider.addEventListener("input", function () {
      var wanted = q.slice();
      playing = 0; wanted[k] = Number(slider.value);
      said.textContent = walk(wanted) ? "" : "It cannot get there in this assembly mode: " + made.names[k] + " stops here.";
      draw();
    });
  });
  var play = document.getElementById("mechanism-play");
  if (play) play.addEventListener("click", function () {
    if (playing) { playing = 0; return; }
    var begin = performance.now(), mine = playing = begin;
    function show() {
      if (playing !== mine) { play.textContent = "play"; return; }
      var t = (performance.now() - begin) / 1000, last = made.times[made.times.length - 1];
      var k = Math.min(made.times.length - 1, Math.round(t / last * (made.times.length - 1)));
      phi = made.frames[k].slice(); q = made.path[k].slice(); draw();
      if (t < last) requestAnimationFrame(show); else { playing = 0; play.textContent = "play"; }
    }
    play.textContent = "stop"; said.textContent = ""; show();
  });
  window.addEventListener("resize", draw);
  draw();
}
