"""The result of ``benchmarks/gpu.py`` as tables, and as a picture of the functions under the roofs of the chip."""

from __future__ import annotations

import math


def markdown(found: dict) -> str:
    """The whole result as tables."""
    facts, roofs = found["facts"], found["roofs"]
    lines = [
        "# Dynamics on the GPU",
        "",
        f"Written by `benchmarks/gpu.py` on {facts['date']}: {facts['machine']}, torch {facts['torch']}, NVRTC "
        f"{facts['nvrtc']}, Python {facts['python']}.",
        "",
        f"Roofs measured in the same run: copy {roofs['copy'] / 1e12:.2f} TB/s read and written; "
        + "; ".join(
            f"{t} {roofs[t]['fma'] / 1e12:.1f} Tflop/s in fused multiply-adds, {roofs[t]['sincos'] / 1e12:.2f} T "
            "sine-cosine pairs/s"
            for t in ("float32", "float64")
        )
        + ". `of copy` is the share of the copy bandwidth, counting each input and output once (it can pass 100 "
        "percent: a copy writes as much as it reads, dynamics reads more than it writes, and memory reads faster); "
        "`of roof` is the share of the lower of the memory and the arithmetic roof. The error is the largest "
        "difference from float64 on the CPU on fresh random states, relative to the largest value of the same output.",
        "",
        "| arm | function | dtype | sine | layout | states | 10^9/s | of copy | of roof | bound | operations | error |",
        "|---|---|---|---|---|---:|---:|---:|---:|---|---:|---:|",
    ]
    lines += [
        f"| {r['arm']} | {r['function']} | {r['dtype']} | {r['accuracy']} | {r['layout']} | {r['states']:,} | "
        f"{r['states_per_second'] / 1e9:.3f} | {r['bandwidth_share']:.1%} | {r['roof_share']:.1%} | {r['bound']} | "
        f"{r['operations']} | {r['error']:.1e} |"
        for r in found["rows"]
    ]
    lines += [
        "",
        "| arm | rollout | controller | arms x steps | 10^6 steps/s | error after 20 steps |",
        "|---|---|---|---|---:|---:|",
    ]
    lines += [
        f"| {r['arm']} | {r['method']} | {r['controller']} | {r['arms']:,} x {r['steps']} | "
        f"{r['steps_per_second'] / 1e6:,.0f} | {r['error']:.1e} |"
        for r in found["rollouts"]
    ]
    calls = ", ".join(f"{k} {v:.1f}" for k, v in found["overhead"].items())
    lines += ["", f"One call on 1,000 states, microseconds until it returns: {calls}.", ""]
    lines += [
        f"Gradient of forward dynamics through PyTorch, float64: relative error {found['gradient_error']:.1e}.",
        "",
    ]
    return "\n".join(lines)


def roofline(found: dict) -> str:
    """Operations a second over operations per byte, both logarithmic, for the large float32 batches of rows."""
    width, height, left, bottom = 860, 520, 70, 60
    plain = ("float32", "rows", "full")
    points = [
        row
        for row in found["rows"]
        if (row["dtype"], row["layout"], row["accuracy"]) == plain and row["states"] in (4_000_000, 20_000_000)
    ]
    peak, copy = found["roofs"]["float32"]["fma"], found["roofs"]["copy"]
    low, high, floor, top = 0.5, 64.0, 1e12, 1e14

    def x(intensity: float) -> float:
        return left + (width - left - 20) * math.log(intensity / low) / math.log(high / low)

    def y(rate: float) -> float:
        return height - bottom - (height - bottom - 30) * math.log(rate / floor) / math.log(top / floor)

    ridge = peak / copy
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        'font-size="13">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<path d="M{x(low):.1f},{y(low * copy):.1f} L{x(ridge):.1f},{y(peak):.1f} L{x(high):.1f},{y(peak):.1f}" '
        'fill="none" stroke="black" stroke-width="1.5"/>',
        f'<text transform="translate({x(0.62):.0f} {y(0.62 * copy) - 14:.0f}) rotate(-32)">copy '
        f"{copy / 1e12:.2f} TB/s</text>",
        f'<text x="{x(high) - 4:.0f}" y="{y(peak) - 8:.0f}" text-anchor="end">fused multiply-add '
        f"{peak / 1e12:.1f} Tflop/s</text>",
        f'<text x="{(left + width) / 2:.0f}" y="{height - 14}" text-anchor="middle">operations per byte of memory '
        "traffic</text>",
        f'<text x="18" y="{height / 2:.0f}" text-anchor="middle" transform="rotate(-90 18 {height / 2:.0f})">'
        f"operations per second</text>",
    ]
    for tick in (0.5, 1, 2, 4, 8, 16, 32, 64):
        parts.append(f'<text x="{x(tick):.0f}" y="{height - bottom + 20}" text-anchor="middle">{tick:g}</text>')
        parts.append(f'<path d="M{x(tick):.1f},{y(floor):.1f} V{y(top):.1f}" stroke="#ddd"/>')
    for tick in (1e12, 1e13, 1e14):
        parts.append(f'<text x="{left - 8}" y="{y(tick) + 4:.0f}" text-anchor="end">{tick:.0e}</text>')
        parts.append(f'<path d="M{x(low):.1f},{y(tick):.1f} H{x(high):.1f}" stroke="#ddd"/>')
    colours = {"puma560": "#0072b2", "panda": "#d55e00", "chain12": "#009e73"}
    numbers: dict[str, int] = {}
    for row in points:
        intensity, rate = row["operations"] / row["bytes"], row["operations"] * row["states_per_second"]
        if not low <= intensity <= high or rate < floor:
            continue
        parts.append(f'<circle cx="{x(intensity):.1f}" cy="{y(rate):.1f}" r="4.5" fill="{colours[row["arm"]]}">')
        parts.append(f"<title>{row['arm']} {row['function']}: {row['roof_share']:.0%} of the roof</title></circle>")
        number = numbers.setdefault(row["function"], len(numbers) + 1)
        side = 9 if row["arm"] == "puma560" else -9
        parts.append(
            f'<text x="{x(intensity) + side:.1f}" y="{y(rate) + 13:.1f}" font-size="11" text-anchor="middle">'
            f"{number}</text>"
        )
    for name, number in numbers.items():
        parts.append(
            f'<text x="{width - 250}" y="{height - bottom - 190 + 17 * number}" font-size="12">{number}  '
            f"{name.replace('_', ' ')}</text>"
        )
    for place, (name, colour) in enumerate(colours.items()):
        parts.append(f'<circle cx="{left + 24}" cy="{52 + 20 * place}" r="4.5" fill="{colour}"/>')
        parts.append(f'<text x="{left + 34}" y="{56 + 20 * place}">{name}</text>')
    return "\n".join([*parts, "</svg>", ""])
