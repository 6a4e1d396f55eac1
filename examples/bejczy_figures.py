"""Figures 3 to 11 of Bejczy 1974, redrawn from the exact equations of ``jpl-rrp`` into a folder.

python examples/bejczy_figures.py docs/bejczy
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import dalembert as da
from dalembert.design.bejczy_figures import CUBE
from dalembert.report.bejczy import charts
from dalembert.report.charts.svg_file import svg_file
from dalembert.report.sections.ranges_section import variation_figure


def main(folder: Path) -> None:
    arm = da.load("jpl-rrp")
    folder.mkdir(parents=True, exist_ok=True)
    # Bejczy adds the input inertia of each drive at its own joint: the model "diagonal" of the drives.
    empty = arm.driven.approximate("diagonal").analysis()
    third = variation_figure(empty.ranges(empty.of(empty.system.holding(CUBE))))
    assert third is not None
    title = "Bejczy 1974, Figure 3: Relative maximum variations in total link inertias"
    (folder / "figure-3.svg").write_text(svg_file(replace(third, title=title)), encoding="utf-8")
    for number, figure in enumerate(charts(arm), start=4):
        (folder / f"figure-{number}.svg").write_text(svg_file(figure), encoding="utf-8")
    print(f"wrote figures 3 to {number} into {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/bejczy"))
