"""Tables of a description: every number that rubs is in them, with its unit."""

from __future__ import annotations

import dalembert as da
from dalembert.arm.description_tables import drives_table, joint_friction_table
from dalembert.markup.data_tables import DataTable, Rich
from dalembert.report.sections.description_section import section

ROD = """[[joints]]
name = "{name}"
type = "{kind}"
dh = {{a = 0.4}}
limits = {{lower = -1, upper = 1}}
{friction}
link = {{mass = 2, com = [-0.2, 0, 0], inertia = [0.01, 0.03, 0.03]}}
"""


def rods(turning: str, sliding: str) -> da.Arm:
    """An arm of a joint that turns and one that slides, with these lines about their friction."""
    joints = (
        ROD.format(name="turn", kind="revolute", friction=turning),
        ROD.format(name="rail", kind="prismatic", friction=sliding),
    )
    return da.load('name = "rods"\nconvention = "standard"\n' + "".join(joints))


def columns_of(table: DataTable | None) -> dict[str, list[object]]:
    assert table is not None
    return {
        column.key: [row[k].plain if isinstance(row[k], Rich) else row[k] for row in table.rows]
        for k, column in enumerate(table.columns)
    }


def test_coulomb_friction_that_differs_by_direction_is_shown_both_ways() -> None:
    drive = "drive = {{gear_ratio = 50, motor_inertia = 1e-4, coulomb_friction = {}}}"
    both = columns_of(drives_table(rods(drive.format("[0.05, 0.08]"), drive.format("[0.06, 0.06]")).drives))
    assert both["Coulomb forward"] == [0.05, 0.06]
    assert both["Coulomb backward"] == [0.08, 0.06]
    assert both["ratios"] == ["turn 50", "rail 50"]  # without the arm nobody knows what slides
    arm = rods(drive.format("[0.05, 0.08]"), drive.format("[0.06, 0.06]"))
    assert columns_of(drives_table(arm.drives, arm=arm))["ratios"] == ["turn 50", "rail 50 rad/m"]
    one = columns_of(drives_table(rods(drive.format("[0.05, 0.05]"), drive.format("[0.06, 0.06]")).drives))
    assert one["Coulomb friction"] == [0.05, 0.06]


def test_friction_at_joints_is_on_the_report_and_in_the_notebook_with_its_units() -> None:
    arm = rods("damping = 0.7\nfriction = 1.5", "damping = 20\nfriction = 35")
    table = columns_of(joint_friction_table(arm))
    assert table["joint"] == ["turn", "rail"]
    assert table["Coulomb friction"] == [1.5, 35.0]
    assert table["viscous friction"] == [0.7, 20.0]
    assert table["units"] == ["N m, N m s/rad", "N, N s/m"]
    assert "joint-friction" in [part.name for part in section(arm).parts if isinstance(part, DataTable)]
    assert "Friction at the joints themselves" in arm._repr_html_()
    assert joint_friction_table(da.load("planar-2r")) is None


def test_what_turns_between_motors_and_links_is_named_on_the_report() -> None:
    assert "pulley of joint1" in section(da.load("irb6").driven).html()
