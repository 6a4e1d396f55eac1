"""What torques cost against the number of joints: Lee, Lee and Nigam 1982, Table 1 and Figure 2, with our own counts.

python examples/lee_figure_2.py docs/lee
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import dalembert as da
from dalembert.compile import operations as counts
from dalembert.formulations.registry import TORQUES
from dalembert.report.charts.figures import ChartAxis
from dalembert.report.charts.line_chart import LineChart, Series
from dalembert.report.charts.svg_file import svg_file

JOINTS = range(2, 11)


def general_arm(n: int) -> da.Arm:
    """n revolute joints in general position; general code knows none of the numbers."""
    return da.Arm.from_dh([{"a": 0.4, "alpha": 0.7, "d": 0.1, "mass": 1, "com": (-0.2, 0.1, 0.1)}] * n)


def main(folder: Path) -> None:
    published = {name: [counts.lee(n)[name].total for n in JOINTS] for name in counts.lee(6)}
    ours = {name: [counts.general(general_arm(n), name).total for n in JOINTS] for name in TORQUES}
    rows = {f"{name}, Lee's Table 1": values for name, values in published.items()} | ours
    print(f"{'multiplications and additions':38}" + "".join(f"{n:>9}" for n in JOINTS))
    for name, values in rows.items():
        print(f"{name:38}" + "".join(f"{value:>9}" for value in values))
    print("\ngeneralized-dalembert, step by step: multiplications, additions")
    steps = {n: counts.dalembert_blocks(general_arm(n)) for n in JOINTS}
    for name in steps[6]:
        print(f"{name:44}" + "".join(f"{s[name].multiplications:>7},{s[name].additions:>5}" for s in steps.values()))
    rows.pop("newton-euler, Lee's Table 1")  # seven curves can be told apart; this one lies just above ours
    chart = LineChart(
        "operations", "Operations of one set of torques against the number of joints",
        "General code, for revolute joints and any numbers.", x_axis=ChartAxis("joints"),
        y_axis=ChartAxis("log10 of multiplications and additions"), x=tuple(map(float, JOINTS)),
        series=tuple(Series(name, tuple(math.log10(value) for value in values)) for name, values in rows.items()),
        dots=True,
    )  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "figure-2.svg").write_text(svg_file(chart), encoding="utf-8")
    print(f"\nwrote {folder / 'figure-2.svg'}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/lee"))
