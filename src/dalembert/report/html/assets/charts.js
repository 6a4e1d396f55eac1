// Figures answer to the pointer and to the arrow keys: a read-out under the figure, a mark on it.
(function () {
  "use strict";
  var SVG = "http://www.w3.org/2000/svg";
  function made(name, attributes) {
    var element = document.createElementNS(SVG, name);
    Object.keys(attributes).forEach(function (key) { element.setAttribute(key, attributes[key]); });
    return element;
  }
  function written(value) {
    if (value !== 0 && (Math.abs(value) < 1e-4 || Math.abs(value) >= 1e7)) return value.toExponential(3).replace("-", "−");
    return String(Number(value.toPrecision(5))).replace("-", "−");
  }
  function place(svg, event) {
    var box = svg.getBoundingClientRect(), view = svg.viewBox.baseVal;
    return [(event.clientX - box.left) * view.width / box.width, (event.clientY - box.top) * view.height / box.height];
  }

  // A kind of figure knows how many places it has, which is nearest to a point, and how to show one.
  function line(data, cursor) {
    return {
      count: data.x.length,
      nearest: function (p) {
        var best = 0;
        data.x.forEach(function (x, k) { if (Math.abs(x - p[0]) < Math.abs(data.x[best] - p[0])) best = k; });
        return best;
      },
      show: function (k) {
        cursor.appendChild(made("line", { x1: data.x[k], x2: data.x[k], y1: data.top, y2: data.bottom, "class": "hair" }));
        data.y.forEach(function (ys, s) { cursor.appendChild(made("circle", { cx: data.x[k], cy: ys[k], r: 4.5, "class": "dot s" + s % 7 })); });
        var unit = data.yUnit ? " " + data.yUnit : "";
        return data.xLabel + " " + written(data.xs[k]) + (data.xUnit ? " " + data.xUnit : "") + ": " + data.names.map(function (name, s) {
          return (data.names.length > 1 ? name + " " : "") + written(data.ys[s][k]) + unit;
        }).join(", ");
      }
    };
  }
  function boxes(data, cursor) {
    return {
      count: data.boxes.length,
      nearest: function (p) {
        var best = 0, least = Infinity;
        data.boxes.forEach(function (box, k) {
          var dx = Math.max(box.x - p[0], 0, p[0] - box.x - box.w), dy = Math.max(box.y - p[1], 0, p[1] - box.y - box.h);
          if (dx * 0.05 + dy < least) { least = dx * 0.05 + dy; best = k; }
        });
        return best;
      },
      show: function (k) {
        var box = data.boxes[k];
        cursor.appendChild(made("rect", { x: box.x - 1, y: box.y - 1, width: box.w + 2, height: box.h + 2, "class": "hold" }));
        return box.say;
      }
    };
  }

  document.querySelectorAll("figure.chart").forEach(function (figure) {
    var svg = figure.querySelector("svg[tabindex]"), cursor = svg.querySelector(".cursor"), output = figure.querySelector(".readout");
    var data = JSON.parse(figure.querySelector("script.figure-data").textContent);
    var kind = (data.kind === "line" ? line : boxes)(data, cursor), now = -1;
    if (!kind.count) return;
    function show(k) {
      cursor.replaceChildren();
      now = k;
      output.textContent = k < 0 ? "" : kind.show(k);
    }
    svg.addEventListener("pointermove", function (event) { show(kind.nearest(place(svg, event))); });
    svg.addEventListener("pointerdown", function (event) { show(kind.nearest(place(svg, event))); });
    svg.addEventListener("pointerleave", function () { if (document.activeElement !== svg) show(-1); });
    svg.addEventListener("blur", function () { show(-1); });
    svg.addEventListener("keydown", function (event) {
      var steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -kind.count, End: kind.count };
      if (!(event.key in steps)) { if (event.key === "Escape") show(-1); return; }
      event.preventDefault();
      show(Math.max(0, Math.min(kind.count - 1, (now < 0 && steps[event.key] < 0 ? 0 : now) + steps[event.key])));
    });
  });
})();
