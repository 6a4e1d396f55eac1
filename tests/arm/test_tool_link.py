"""Where the tool is if nobody says: at the hand, never on a finger."""

from __future__ import annotations

import pytest

import dalembert as da
from dalembert.arm.description import ArmDescription, Joint, Link
from dalembert.arm.errors import ArmError
from dalembert.arm.placement import Placement
from dalembert.arm.tool_link import words


def arm(*paths: str) -> ArmDescription:
    """Links in a tree, written as paths from the base; the last part of a path with > before it moves."""
    links, joints = [Link("base")], []
    for path in paths:
        parent = "base"
        for name in path.split("/"):
            if name not in {link.name for link in links}:
                links.append(Link(name))
                joints.append(Joint(f"to {name}", "revolute", parent, name))
            parent = name
    return ArmDescription("arm", tuple(links), tuple(joints))


@pytest.mark.parametrize(
    ("paths", "tool"),
    [
        (["link1/link2/link3"], "link3"),
        (["link1/link2", "link3/link4/link5"], "link5"),
        (["link8/panda_hand/panda_leftfinger", "link8/panda_hand/panda_rightfinger"], "panda_hand"),
        (["a/panda_hand/panda_hand_tcp", "a/panda_hand/panda_leftfinger/tip/pad"], "panda_hand_tcp"),
        (["link6/j2s6_end_effector", "link6/j2s6_link_finger_1/j2s6_link_finger_tip_1"], "j2s6_end_effector"),
        (["link05/link06/gripperStator/gripperMover"], "gripperStator"),
        (["wrist_3_link/ee_link", "wrist_3_link/tool0"], "tool0"),
        (["wrist/flange"], "flange"),
        (["wrist/right_finger/right_finger_tip"], "wrist"),
        (["wrist/gripper_base_link/gripper_body/left_jaw"], "gripper_base_link"),
        (["handle/shackle"], "shackle"),
        (["finger_base/finger_upper/finger_tip"], "finger_tip"),
    ],
)  # fmt: skip
def test_the_tool_is_where_the_hand_is(paths: list[str], tool: str) -> None:
    assert arm(*paths).tool_link == tool


def test_names_are_read_by_their_words() -> None:
    assert words("gripperStator_2") == " gripper stator "
    assert words("tool0") == " tool "


def test_an_arm_of_nothing_but_fingers_has_its_tool_on_what_holds_them() -> None:
    assert arm("finger1/tip1", "finger2/tip2").tool_link == "base"


def test_another_tool_is_named_by_its_link_and_checked() -> None:
    made = da.load("planar-2r")
    assert made.with_tool("link1").tool_link == "link1"
    assert made.with_tool("link1").forward_kinematics([0.3, 0.4])[:2, 3] == pytest.approx(
        made.link_frames([0.3, 0.4])["link1"][:2, 3]
    )
    moved = made.with_tool(Placement.from_xyz_rpy((1, 0, 0)), "link1")
    assert (moved.tool_link, moved.tool.position) == ("link1", (1, 0, 0))
    for wrong, said in (
        (lambda: made.with_tool("gripperStator"), "no link 'gripperStator'; the links are base, link1, link2"),
        (lambda: made.with_tool(Placement(), "hand"), "no link 'hand'"),
        (lambda: made.with_tool("link1", "link2"), "two links are named for the tool"),
        (lambda: made.with_tool(1.0), "the tool is a Placement or the name of a link, not 1.0"),
    ):
        with pytest.raises(ArmError, match=said):
            wrong()


def test_a_load_stays_where_it_is_when_another_tool_frame_is_chosen() -> None:
    away = da.Placement.from_xyz_rpy((0.5, 0.1, -0.2), (0.3, 0.4, 0.5))
    arm, load, q = da.load("planar-2r"), da.Load(2.0, (0.1, 0.2, 0.0), (0.01, 0.02, 0.02)), [0.3, 0.4]
    held = arm.with_tool(away).holding(load)
    for other in (held.with_tool(arm.tool), held.with_tool("link1"), held.with_tool("link1").with_tool(away, "link2")):
        assert other.gravity_load(q) == pytest.approx(held.gravity_load(q), abs=1e-12)
        assert other.mass_matrix(q) == pytest.approx(held.mass_matrix(q), abs=1e-12)


def test_a_load_on_a_link_that_is_named_has_the_numbers_of_its_frame_also_where_the_tool_is() -> None:
    away = da.Placement.from_xyz_rpy((0.5, 0.1, -0.2), (0.3, 0.4, 0.5))
    arm, load, q = da.load("planar-2r"), da.Load(2.0, (0.1, 0.2, 0.0), (0.01, 0.02, 0.02)), [0.3, 0.4]
    on_link = arm.with_tool("link1").holding(load, "link2")
    assert arm.with_tool(away).holding(load, "link2").gravity_load(q) == pytest.approx(on_link.gravity_load(q))
    for system in (arm.with_tool(away).holding(load), on_link.with_tool(away, "link2")):
        assert da.load(system.write_toml()).gravity_load(q) == pytest.approx(system.gravity_load(q), abs=1e-12)
