// Plays a motion in the drawing of the arm, with a line of time through the figures.
(function () {
  "use strict";
  var motion = JSON.parse(document.getElementById("replay-data").textContent);
  var bar = document.getElementById("replay-time"), button = document.getElementById("replay-play");
  var shown = document.getElementById("replay-shown"), speed = document.getElementById("replay-speed"), sliders = [];
  var hairs = [];
  document.querySelectorAll("figure.chart").forEach(function (figure) {
    var svg = figure.querySelector("svg[tabindex]"), chart = JSON.parse(figure.querySelector("script.figure-data").textContent);
    var hair = document.createElementNS("http://www.w3.org/2000/svg", "line");
    hair.setAttribute("class", "hold"); hair.setAttribute("y1", chart.top); hair.setAttribute("y2", chart.bottom);
    svg.appendChild(hair);
    hairs.push({ line: hair, from: chart.x[0], to: chart.x[chart.x.length - 1] });
    svg.addEventListener("click", function (event) {
      var box = svg.getBoundingClientRect(), x = (event.clientX - box.left) * svg.viewBox.baseVal.width / box.width;
      var share = (x - chart.x[0]) / (chart.x[chart.x.length - 1] - chart.x[0]);
      stop(); now = t[0] + Math.max(0, Math.min(1, share)) * (t[last] - t[0]); show();
    });
  });
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
    var share = t[last] > t[0] ? (now - t[0]) / (t[last] - t[0]) : 0;
    hairs.forEach(function (hair) {
      var x = hair.from + share * (hair.to - hair.from);
      hair.line.setAttribute("x1", x); hair.line.setAttribute("x2", x);
    });
    shown.textContent = now.toFixed(2) + " s";
  }
  function frame(stamp) {
    if (!playing) return;
    now += Number(speed.value) * (stamp - before) / 1000;
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
