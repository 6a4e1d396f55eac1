"""An arm whose every name is an attack on the page that shows it."""

from __future__ import annotations

from functools import cache

import dalembert as da
from dalembert.report.assemble import Question, report
from dalembert.report.write import html

ALARM = "data-owned"
SHOT = f"document.body.setAttribute('{ALARM}','x')"
NAMES = (
    f"<script>{SHOT}</script>",
    f'"><img src=x onerror="{SHOT}">',
    f"</script><script>{SHOT}</script><!--",
)


def hostile_arm() -> da.Arm:
    """Three joints with hostile names, titles, sources and notes."""
    links = [da.Link("]]></style><b>", da.Inertia())]
    joints = []
    for number, name in enumerate(NAMES):
        links.append(da.Link(f"{name} link", da.Inertia.of(2, (0, "0.1", "0.2"), (1, 1, 1))))
        place = da.Placement.from_xyz_rpy((0, 0, "0.3"), (1, 0, 0))
        joints.append(da.Joint(name, "revolute", links[number].name, links[number + 1].name, place))
    return da.Arm(
        f"</title>{NAMES[0]}",
        tuple(links),
        tuple(joints),
        title=NAMES[1],
        sources=(NAMES[2],),
        notes=f"{NAMES[0]}\n\n{NAMES[2]}",
    )


@cache
def hostile_page() -> str:
    return html(report(Question(hostile_arm().holding(da.Load(1)), tolerances=(0.3,))))
