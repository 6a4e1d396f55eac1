// Designs of a study: parallel coordinates and a scatter plot that are brushed together.
(function () {
  "use strict";
  var study = JSON.parse(document.getElementById("study-data").textContent), rows = study.rows, count = study.names.length;
  var lines = document.getElementById("study-parallel"), cloud = document.getElementById("study-scatter");
  var box = document.getElementById("study-parallel-box"), said = document.getElementById("study-count");
  var ends = [], kept = [], inputs = [], front = {}, choose = {}, area = null;
  study.front.forEach(function (k) { front[k] = true; });
  var least = [], most = [], constant = [];
  for (var j = 0; j < count; j++) {
    var a = Infinity, b = -Infinity;
    rows.forEach(function (row) { a = Math.min(a, row[j]); b = Math.max(b, row[j]); });
    constant.push(!(b > a));
    if (!(b > a)) { a = (isFinite(a) ? a : 0) - 0.5; b = a + 1; }
    least.push(a); most.push(b); ends.push(null);
  }
  // So many digits that a hundredth of the column's range shows: tolerances differ in their last digits.
  var digits = least.map(function (a, j) {
    var size = Math.max(Math.abs(a), Math.abs(most[j]));
    return Math.min(15, Math.max(4, 2 + Math.ceil(Math.log10(size / (most[j] - a)))));
  });
  function shown(x, j) { return String(Number(x.toPrecision(digits[j]))); }
  function drawn(x, j) { return shown(x, j).replace(/-/g, "−"); }
  function label(j) { return study.names[j] + (study.units[j] && study.units[j] !== "1" ? " [" + study.units[j] + "]" : ""); }
  function style(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }
  function passes(row) {
    for (var j = 0; j < count; j++) if (ends[j] && (row[j] < ends[j][0] || row[j] > ends[j][1])) return false;
    return true;
  }
  function canvas(element, width, height) {
    var scale = window.devicePixelRatio || 1;
    element.width = width * scale; element.height = height * scale;
    element.style.width = width + "px"; element.style.height = height + "px";
    var pen = element.getContext("2d");
    pen.scale(scale, scale); pen.clearRect(0, 0, width, height); pen.font = "12px system-ui, sans-serif";
    return pen;
  }
  function mixed(share) {
    var from = [0, 114, 178], to = [213, 94, 0];
    return "rgb(" + from.map(function (x, k) { return Math.round(x + share * (to[k] - x)); }).join(",") + ")";
  }
  function colour(row) {
    var j = Number(choose.colour.value);
    return mixed((row[j] - least[j]) / (most[j] - least[j]));
  }
  // -- parallel coordinates --------------------------------------------------------------------
  var TOP = 62, LOW = 22, HIGH = 330, SIDE = 46;
  function width() { return Math.max(box.clientWidth, count * 100 + 2 * SIDE - 100); }
  function place(j) { return SIDE + j * (width() - 2 * SIDE) / Math.max(count - 1, 1); }
  function level(j, x) { return HIGH - LOW - (x - least[j]) / (most[j] - least[j]) * (HIGH - LOW - TOP); }
  function value(j, y) { return least[j] + (HIGH - LOW - y) / (HIGH - LOW - TOP) * (most[j] - least[j]); }
  function line(pen, row) {
    pen.beginPath();
    for (var j = 0; j < count; j++) pen[j ? "lineTo" : "moveTo"](place(j), level(j, row[j]));
    pen.stroke();
  }
  function drawLines() {
    var pen = canvas(lines, width(), HIGH), faint = style("--line"), ink = style("--ink"), soft = style("--soft");
    pen.lineWidth = 0.6; pen.globalAlpha = 0.35; pen.strokeStyle = faint;
    rows.forEach(function (row, k) { if (!kept[k]) line(pen, row); });
    pen.globalAlpha = Math.max(0.12, Math.min(0.8, 60 / Math.sqrt(rows.length + 1) / 4)); pen.lineWidth = 1;
    rows.forEach(function (row, k) { if (kept[k]) { pen.strokeStyle = colour(row); line(pen, row); } });
    pen.globalAlpha = 1; pen.lineWidth = 1;
    for (var j = 0; j < count; j++) {
      var x = place(j);
      pen.strokeStyle = soft; pen.beginPath(); pen.moveTo(x, TOP); pen.lineTo(x, HIGH - LOW); pen.stroke();
      pen.fillStyle = soft; pen.textAlign = "center";
      if (constant[j]) pen.fillText(drawn((least[j] + most[j]) / 2, j), x, TOP - 6);
      else { pen.fillText(drawn(most[j], j), x, TOP - 6); pen.fillText(drawn(least[j], j), x, HIGH - 6); }
      pen.fillStyle = j < study.factors ? ink : style("--accent");
      // Names stand on two levels in turn and break at a dot, so that neighbours do not run into each other.
      var parts = label(j).match(/.{1,14}(?:[._\s]|$)|.{1,14}/g) || [];
      parts.slice(0, 3).forEach(function (part, k) { pen.fillText(part, x, 12 + 14 * k); });
      if (ends[j]) {
        pen.fillStyle = style("--accent"); pen.globalAlpha = 0.3;
        pen.fillRect(x - 7, level(j, ends[j][1]), 14, Math.max(2, level(j, ends[j][0]) - level(j, ends[j][1])));
        pen.globalAlpha = 1;
      }
    }
  }
  // -- scatter ---------------------------------------------------------------------------------
  var PAD = { left: 84, right: 14, top: 12, bottom: 44 }, TALL = 380;
  function across() { return Math.min(box.clientWidth, 860); }
  function sx(x) { var j = +choose.x.value; return PAD.left + (x - least[j]) / (most[j] - least[j]) * (across() - PAD.left - PAD.right); }
  function sy(y) { var j = +choose.y.value; return TALL - PAD.bottom - (y - least[j]) / (most[j] - least[j]) * (TALL - PAD.top - PAD.bottom); }
  function back(px, py) {
    var i = +choose.x.value, j = +choose.y.value;
    return [least[i] + (px - PAD.left) / (across() - PAD.left - PAD.right) * (most[i] - least[i]),
      least[j] + (TALL - PAD.bottom - py) / (TALL - PAD.top - PAD.bottom) * (most[j] - least[j])];
  }
  function drawCloud() {
    var pen = canvas(cloud, across(), TALL), i = +choose.x.value, j = +choose.y.value, k;
    pen.strokeStyle = style("--line"); pen.fillStyle = style("--soft"); pen.lineWidth = 1;
    for (k = 0; k <= 4; k++) {
      var x = least[i] + k / 4 * (most[i] - least[i]), y = least[j] + k / 4 * (most[j] - least[j]);
      pen.beginPath(); pen.moveTo(sx(x), PAD.top); pen.lineTo(sx(x), TALL - PAD.bottom); pen.stroke();
      pen.beginPath(); pen.moveTo(PAD.left, sy(y)); pen.lineTo(across() - PAD.right, sy(y)); pen.stroke();
      pen.textAlign = k === 4 ? "right" : "center"; pen.fillText(drawn(x, i), sx(x), TALL - PAD.bottom + 16);
      pen.textAlign = "right"; pen.fillText(drawn(y, j), PAD.left - 6, sy(y) + 4);
    }
    pen.fillStyle = style("--ink"); pen.textAlign = "center";
    pen.fillText(label(i), (PAD.left + across()) / 2, TALL - 8);
    pen.save(); pen.translate(12, TALL / 2); pen.rotate(-Math.PI / 2); pen.fillText(label(j), 0, 0); pen.restore();
    rows.forEach(function (row, k) {
      pen.globalAlpha = kept[k] ? 0.75 : 0.12; pen.fillStyle = kept[k] ? colour(row) : style("--soft");
      pen.beginPath(); pen.arc(sx(row[i]), sy(row[j]), front[k] ? 4 : 2.4, 0, 7); pen.fill();
      if (front[k]) { pen.strokeStyle = style("--ink"); pen.globalAlpha = kept[k] ? 1 : 0.3; pen.stroke(); }
    });
    pen.globalAlpha = 1;
    if (area) { pen.strokeStyle = style("--accent"); pen.setLineDash([4, 3]); pen.strokeRect(area[0], area[1], area[2] - area[0], area[3] - area[1]); pen.setLineDash([]); }
  }
  // -- together --------------------------------------------------------------------------------
  function update() {
    var number = 0;
    kept = rows.map(function (row) { var good = passes(row); if (good) number++; return good; });
    said.textContent = number + " of " + rows.length + " designs" + (study.front.length ? ", " + study.front.filter(function (k) { return kept[k]; }).length + " on the front (ringed)" : "");
    for (var j = 0; j < count; j++) {
      if (document.activeElement !== inputs[j][0]) inputs[j][0].value = ends[j] ? shown(ends[j][0], j) : "";
      if (document.activeElement !== inputs[j][1]) inputs[j][1].value = ends[j] ? shown(ends[j][1], j) : "";
      var low = Infinity, high = -Infinity;
      rows.forEach(function (row, k) { if (kept[k]) { low = Math.min(low, row[j]); high = Math.max(high, row[j]); } });
      inputs[j][2].textContent = number ? drawn(low, j) + " to " + drawn(high, j) : "none";
    }
    drawLines(); drawCloud();
  }
  function point(element, event) {
    var where = element.getBoundingClientRect();
    return [event.clientX - where.left, event.clientY - where.top];
  }
  var held = null;
  lines.addEventListener("pointerdown", function (event) {
    var p = point(lines, event), best = 0;
    for (var j = 1; j < count; j++) if (Math.abs(place(j) - p[0]) < Math.abs(place(best) - p[0])) best = j;
    if (Math.abs(place(best) - p[0]) > 24) return;
    held = { j: best, y: p[1] }; ends[best] = null; lines.setPointerCapture(event.pointerId); event.preventDefault(); update();
  });
  lines.addEventListener("pointermove", function (event) {
    if (!held) return;
    var y = point(lines, event)[1];
    if (Math.abs(y - held.y) < 3) return;
    var pair = [value(held.j, held.y), value(held.j, y)].sort(function (a, b) { return a - b; });
    ends[held.j] = pair; update();
  });
  ["pointerup", "pointercancel"].forEach(function (kind) { lines.addEventListener(kind, function () { held = null; }); });
  var from = null;
  cloud.addEventListener("pointerdown", function (event) {
    from = point(cloud, event); ends[+choose.x.value] = null; ends[+choose.y.value] = null; area = null;
    cloud.setPointerCapture(event.pointerId); event.preventDefault(); update();
  });
  cloud.addEventListener("pointermove", function (event) {
    if (!from) return;
    var p = point(cloud, event);
    if (Math.abs(p[0] - from[0]) + Math.abs(p[1] - from[1]) < 6) return;
    area = [from[0], from[1], p[0], p[1]];
    var a = back(Math.min(from[0], p[0]), Math.max(from[1], p[1])), b = back(Math.max(from[0], p[0]), Math.min(from[1], p[1]));
    ends[+choose.x.value] = [a[0], b[0]]; ends[+choose.y.value] = [a[1], b[1]]; update();
  });
  ["pointerup", "pointercancel"].forEach(function (kind) { cloud.addEventListener(kind, function () { from = null; }); });
  ["x", "y", "colour"].forEach(function (name, k) {
    var select = choose[name] = document.getElementById("study-" + name);
    for (var j = 0; j < count; j++) { var option = document.createElement("option"); option.value = j; option.textContent = label(j); select.appendChild(option); }
    select.value = Math.min(count - 1, k === 0 ? 0 : study.factors);
    select.addEventListener("change", function () { area = null; update(); });
  });
  var table = document.createElement("table"), head = table.createTHead().insertRow();
  ["column", "from", "to", "kept designs"].forEach(function (word) { var cell = document.createElement("th"); cell.textContent = word; head.appendChild(cell); });
  var body = table.createTBody();
  for (j = 0; j < count; j++) (function (j) {
    var line = body.insertRow(), name = document.createElement("th"); name.textContent = label(j); line.appendChild(name);
    inputs.push([0, 1].map(function (side) {
      var input = document.createElement("input");
      input.type = "number"; input.step = "any"; input.placeholder = shown(constant[j] ? (least[j] + most[j]) / 2 : side ? most[j] : least[j], j);
      input.setAttribute("aria-label", (side ? "most " : "least ") + label(j));
      input.addEventListener("input", function () {
        var pair = ends[j] || [least[j], most[j]];
        pair[side] = input.value === "" ? (side ? most[j] : least[j]) : Number(input.value);
        ends[j] = pair[0] === least[j] && pair[1] === most[j] ? null : pair; area = null; update();
      });
      line.insertCell().appendChild(input); return input;
    }));
    inputs[j].push(line.insertCell());
  })(j);
  document.getElementById("study-ends").appendChild(table);
  document.getElementById("study-clear").addEventListener("click", function () { ends = ends.map(function () { return null; }); area = null; update(); });
  window.addEventListener("resize", update);
  update();
})();
