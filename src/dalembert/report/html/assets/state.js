// The page of one state: torques by cause, the mass matrix and the energies follow the drawing and the fields.
// armState(q, qd, qdd) is generated for this arm (report/arm_script.py): [D, tau, by cause ..., kinetic, potential].
function followState(armState) {
  "use strict";
  var source = document.getElementById("state-data"), canvas = document.getElementById("arm-canvas");
  if (!source || !canvas) return;
  var state = JSON.parse(source.textContent), n = state.qd.length, causes = state.causes, pose = null;
  var rates = { qd: state.qd.slice(), qdd: state.qdd.slice() };

  function digits(value) {
    if (value !== 0 && (Math.abs(value) < 1e-4 || Math.abs(value) >= 1e6)) return value.toExponential(2).replace("-", "−");
    return String(Number(value.toPrecision(4))).replace("-", "−");
  }
  function put(name, value, scale) {
    var cell = document.querySelector('output[data-state="' + name + '"]');
    if (!cell) return null;
    cell.textContent = digits(Math.abs(value) <= 1e-13 * scale ? 0 : value);
    cell.setAttribute("data-value", value);
    return cell;
  }
  function show() {
    if (!pose) return;
    var found = armState(pose, rates.qd, rates.qdd), matrix = found[0], torque = found[1], parts = found.slice(2, 2 + causes.length);
    var longest = Math.max.apply(null, [1e-300].concat([].concat.apply([], parts).concat(torque).map(Math.abs)));
    for (var i = 0; i < n; i++) {
      for (var k = 0; k < causes.length; k++) {
        if (!put(causes[k] + i, parts[k][i], longest)) continue;
        var bar = document.querySelector('i[data-bar="' + causes[k] + i + '"]');
        var share = 50 * Math.abs(parts[k][i]) / longest;
        bar.style.width = share + "%"; bar.style.marginLeft = (parts[k][i] < 0 ? 50 - share : 50) + "%";
      }
      put("torque" + i, torque[i], longest);
      var used = document.querySelector('output[data-state="used' + i + '"]');
      if (state.limits[i] !== null) {
        used.textContent = Math.round(100 * Math.abs(torque[i]) / state.limits[i]) + " %";
        used.className = Math.abs(torque[i]) > state.limits[i] ? "bad" : "";
      }
      for (var j = 0; j < n; j++) {
        var scale = Math.sqrt(Math.max(matrix[i][i] * matrix[j][j], 1e-300)), cell = put("D" + i + "," + j, matrix[i][j], scale);
        var coupling = matrix[i][j] / scale;
        cell.parentNode.style.background = "color-mix(in srgb, var(" + (coupling >= 0 ? "--s0" : "--s1") + ") " + Math.round(60 * Math.min(1, Math.abs(coupling))) + "%, transparent)";
        cell.parentNode.title = "coupling " + digits(coupling);
      }
    }
    put("kinetic", found[2 + causes.length], 0); put("potential", found[3 + causes.length], 0);
  }
  canvas.addEventListener("pose", function (event) { pose = event.detail; show(); });
  document.querySelectorAll("input[data-rate]").forEach(function (input) {
    input.addEventListener("input", function () {
      var value = parseFloat(input.value);
      if (!isFinite(value)) return;
      rates[input.getAttribute("data-rate")][Number(input.getAttribute("data-of"))] = value;
      show();
    });
  });
}
