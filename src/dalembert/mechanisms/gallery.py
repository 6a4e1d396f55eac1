"""The mechanisms of Freeman 1985 and similar ones, for examples, tests and benchmarks."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..arm.description import ArmDescription, Joint, Link
from ..arm.exact import Angle
from ..arm.inertia import Inertia
from ..arm.io.dh import from_dh
from ..arm.placement import Placement
from ..formulations.chain import chain
from ..formulations.kinematics import tool_frame
from ..rings.real import REAL
from .batch import Array
from .chain_frames import FrameOn
from .loop_closures import Closure
from .mechanism import Mechanism
from .mounting import carrying, free_body

DOWN = (0, "-9.81", 0)
QUARTER = Angle.quarters(1)


def planar(
    lengths: Sequence[float],
    masses: Sequence[float],
    name: str = "leg",
    limit: float = math.inf,
    joints: Sequence[str] = (),
) -> ArmDescription:
    """Rods in the xy plane, joint1, joint2, ... about z, or joints of these names with links called after them."""
    numbers = range(1, len(lengths) + 1)
    names = [(joint, f"{joint} link") for joint in joints] or [(f"joint{k}", f"link{k}") for k in numbers]
    rows = [
        {
            "name": joint, "link": link, "a": length, "mass": mass, "com": (-length / 2, 0, 0),
            "inertia": (mass * length**2 / 1200, mass * length**2 / 12, mass * length**2 / 12), "effort": limit,
        }
        for (joint, link), length, mass in zip(names, lengths, masses, strict=True)
    ]  # fmt: skip
    return from_dh(rows, name=name)


def at(x: float, y: float = 0.0, z: float = 0.0, turn: float = 0.0) -> Placement:
    """Placement at (x, y, z) (m), rotated by ``turn`` (rad) about z."""
    return Placement.from_xyz_rpy((x, y, z), (0, 0, turn))


def five_bar() -> Mechanism:
    """Two two-link arms with their ends pinned together: two freedoms, driven at the base (Appendix C's kind)."""
    return Mechanism(
        {"left": planar((0.3, 0.5), (0.8, 0.6)), "right": planar((0.3, 0.5), (0.8, 0.6))},
        [Closure("tip", "left", "right", "pin")],
        ["left.joint1", "right.joint1"],
        bases={"right": at(0.4)},
        home=[2.0, -1.2, 1.1, 1.2],
        gravity=DOWN,
        name="five-bar",
    )


def four_bar() -> Mechanism:
    """Crank, coupler and rocker: one freedom; the coupler's far end is pinned to the rocker."""
    return Mechanism(
        {"crank": planar((0.2, 0.6), (0.4, 1.0)), "rocker": planar((0.5,), (0.8,))},
        [Closure("pin", "crank", "rocker", "pin")],
        ["crank.joint1"],
        bases={"rocker": at(0.6)},
        home={"crank.joint1": 1.0, "crank.joint2": -0.6, "rocker.joint1": 1.6},
        gravity=DOWN,
        name="four-bar",
    )


def three_rrr() -> Mechanism:
    """The planar robot of Appendix E (inches as metres): three legs RRR, driven at the base, inertias 1, 2 and 3."""
    back = (2.55, 1.475)
    knee = (math.sqrt(2) + math.sqrt(0.75), 0.0)
    first = (back[0] - knee[0], back[1] - knee[1])
    lengths = (math.hypot(*first), 1.5, 1.0)
    angles = (math.atan2(first[1], first[0]), math.asin(-1 / 3), math.radians(30))
    legs, bases, home = {}, {}, {}
    for number in range(3):
        turn = 2 * math.pi / 3 * number
        rows = [
            {"name": f"joint{k + 1}", "a": length, "inertia": (0, 0, number + 1 if k == 0 else 0), "about": "frame"}
            for k, length in enumerate(lengths)
        ]
        name = f"leg{number + 1}"
        # All legs end in one hand frame, so the last frame of each is turned back by its leg's turn.
        legs[name] = from_dh(rows, name=name, gravity=(0, 0, 0), physical="ignore", tool=at(0, 0, 0, -turn))
        bases[name] = at(0, 0, 0, turn) @ at(-back[0], -back[1])
        for k, angle in enumerate(np.diff(angles, prepend=0.0)):
            home[f"{name}.joint{k + 1}"] = float(angle)
    return Mechanism(
        legs,
        [Closure(f"hand{k}", "leg1", f"leg{k}", ("x", "y", "rz")) for k in (2, 3)],
        ["leg1.joint1", "leg2.joint1", "leg3.joint1"],
        bases=bases,
        home=home,
        gravity=(0, 0, 0),
        name="3-RRR",
    )


def leg_6r() -> ArmDescription:
    """A general arm of six revolute joints: no two axes meet or are parallel."""
    table = [
        (0.05, 1.5, 0.10, 2.0), (0.40, 0.20, 0.05, 3.0), (0.35, -0.25, 0.02, 2.0),
        (0.06, 1.4, 0.08, 0.8), (0.05, -1.3, 0.06, 0.5), (0.04, 0.30, 0.07, 0.3),
    ]  # fmt: skip
    rows = [
        {
            "name": f"joint{k}", "a": a, "alpha": alpha, "d": d, "mass": mass, "com": (-a / 2, 0.01, 0.02),
            "inertia": (0.01 * mass, 0.012 * mass, 0.009 * mass),
        }
        for k, (a, alpha, d, mass) in enumerate(table, start=1)
    ]  # fmt: skip
    return from_dh(rows, name="leg")


LEG_HOME = (0.57, 0.04, -0.06, -0.68, -1.37, -0.22)


def stewart(legs: int = 6, arm: ArmDescription | None = None) -> Mechanism:
    """A platform on general six-joint legs (Fig. 4-2), driven at as many joints as it has freedoms.

    With six legs, at the base joint of each. The platform is carried by the first leg; the others are closed to it.
    """
    arm = arm or leg_6r()
    arms: dict[str, ArmDescription] = {}
    bases: dict[str, Placement] = {}
    home: list[float] = []
    grips = {}
    for k in range(legs):
        name, turn = f"leg{k + 1}", 2 * math.pi * k / legs
        joints = [x + 0.1 * math.sin(3.0 * k + i) for i, x in enumerate(LEG_HOME)]
        grip = at(0.25 * math.cos(turn), 0.25 * math.sin(turn), 0, turn)
        grips[name] = grip
        hand = _pose(arm, joints)
        world = _matrix(at(0, 0, 0.6) @ grip)
        base = world @ np.linalg.inv(hand)
        bases[name] = Placement.from_matrix(base[:3, :3], base[:3, 3], f"base of {name}")
        arms[name] = arm
        home += joints
    plate = Inertia.of(6, (0, 0, 0), (0.2, 0.2, 0.35))
    arms["leg1"] = carrying(arm, "platform", plate, grips["leg1"].inverse())
    closures = [
        Closure(f"grip{k}", FrameOn("leg1", "platform", grips[f"leg{k}"]), f"leg{k}") for k in range(2, legs + 1)
    ]
    drives = [f"leg{k % legs + 1}.joint{k // legs + 1}" for k in range(6)]
    return Mechanism(
        arms, closures, drives, bases=bases, frames={"platform": "leg1:platform"}, home=home, name="Stewart platform"
    )


def slider_crank() -> Mechanism:
    """The spatial slider-crank of Appendix D: crank, coupler between two ball joints, slider.

    An open chain of seven joints: the crank theta1 about y of the world, a ball joint theta2 to theta4, a second one
    theta5 to theta7, of which theta5 is about the coupler. Its end may only slide along z. The coupler can spin about
    itself: a second freedom, passive, without effect on the slider.
    """
    turned = {"x": Placement.from_xyz_rpy((0, 0, 0), (math.pi / 2, 0, 0)), "y": at(0, 0, 0) @ _about_y()}
    crank, coupler = 0.1, 0.4
    befores = [
        Placement.from_xyz_rpy((0, 0, 0), (-math.pi / 2, 0, 0)),
        at(crank), turned["x"], turned["y"],
        at(coupler) @ turned["y"], turned["x"], turned["y"],
    ]  # fmt: skip
    rod = Inertia.of(0.6, (coupler / 2, 0, 0), (0.0003, 0.008, 0.008))
    bodies = {
        1: Inertia.of(0.5, (crank / 2, 0, 0), (0.0002, 0.0006, 0.0006)),
        4: rod,
        7: Inertia.of(0.8, (0, 0, 0), (0.001,) * 3),
    }
    links = [Link("base"), *(Link(f"link{k}", bodies.get(k, Inertia())) for k in range(1, 8))]
    joints = [
        Joint(f"theta{k}", "revolute", links[k - 1].name, links[k].name, before)
        for k, before in enumerate(befores, start=1)
    ]
    arm = ArmDescription("chain", tuple(links), tuple(joints))
    pose = _pose(arm, SLIDER_HOME)
    guide = Placement.from_matrix(np.eye(3), (pose[0, 3], pose[1, 3], 0))
    # The slider keeps the orientation it has at home: the tool frame is turned so that this agrees with the guide.
    arm = arm.with_tool(Placement.from_matrix(pose[:3, :3].T))
    return Mechanism(
        {"chain": arm},
        [Closure("guide", FrameOn("ground", at=guide), "chain", ("x", "y", "rx", "ry", "rz"))],
        ["chain.theta1", "chain.theta5"],
        passive=["chain.theta5"],
        home=SLIDER_HOME,
        name="spatial slider-crank",
    )


SLIDER_HOME = (0.4, 1.47, 1.39, 1.29, -0.21, -0.65, -0.78)


def _about_y() -> Placement:
    return Placement.from_xyz_rpy((0, 0, 0), (0, math.pi / 2, 0))


def bricard(length: float = 0.3) -> Mechanism:
    """The Bricard mechanism of Appendix D: six revolute joints, yet one freedom (the threefold symmetric form).

    All common normals are of one length and the twists are a quarter turn, + and - in turn. The count gives no
    freedom; one constraint of the closure is redundant in every configuration.
    """
    rows = [
        {
            "name": f"joint{k + 1}", "a": length, "alpha": QUARTER if k % 2 == 0 else -QUARTER, "mass": 0.5,
            "com": (-length / 2, 0, 0), "inertia": (0.0004, 0.004, 0.004),
        }
        for k in range(6)
    ]  # fmt: skip
    # Symmetric closure: joints 1, 3, 5 at one angle and 2, 4, 6 at another that goes with it.
    return Mechanism(
        {"chain": from_dh(rows, name="chain")},
        [Closure("end", "ground", "chain")],
        ["chain.joint6"],
        home=bricard_angles(1.3),
        name="Bricard",
    )


def bricard_angles(first: float) -> list[float]:
    """Joint angles (a, b, a, b, a, b) of the Bricard loop with twists of a quarter turn, joint 1 at ``first``.

    They satisfy cos a + cos b + cos a cos b = 0.
    """
    value = -math.cos(first) / (1 + math.cos(first))
    return [first, math.acos(max(-1.0, min(1.0, value)))] * 3


def six_actuator() -> Mechanism:
    """The planar device of Fig. 4-4: a plate on three legs of which each has one joint more than needed.

    Each leg has four joints; legs 2 and 3 are fixed to the plate of leg 1: 12 joints, 6 equations, 6 freedoms, driven
    at the first two joints of each leg.
    """
    legs: dict[str, ArmDescription] = {}
    bases: dict[str, Placement] = {}
    home: dict[str, float] = {}
    for k in range(3):
        turn = 2 * math.pi / 3 * k
        name = f"leg{k + 1}"
        legs[name] = planar((0.35, 0.35, 0.3, 0.12), (0.6, 0.5, 0.4, 0.2), name)
        bases[name] = at(0.7 * math.cos(turn), 0.7 * math.sin(turn), 0, turn + math.pi)
        home |= {f"{name}.joint1": 0.9, f"{name}.joint2": -1.1, f"{name}.joint3": 0.6, f"{name}.joint4": -0.4}
    grips = {f"leg{k + 1}": at(0, 0, 0, -2 * math.pi / 3 * k - math.pi) for k in range(3)}
    legs["leg1"] = carrying(legs["leg1"], "plate", Inertia.of(1.5, (0, 0, 0), (0.01, 0.01, 0.02)), grips["leg1"])
    legs |= {name: legs[name].with_tool(grips[name]) for name in ("leg2", "leg3")}
    return Mechanism(
        legs,
        [Closure(f"grip{k}", "leg1:plate", f"leg{k}", ("x", "y", "rz")) for k in (2, 3)],
        [f"leg{k}.joint{j}" for j in (1, 2) for k in (1, 2, 3)],
        bases=bases,
        frames={"plate": "leg1:plate"},
        home=home,
        gravity=(0, 0, 0),
        name="six-actuator planar robot",
    )


def parallel_serial() -> Mechanism:
    """The hybrid arm of Fig. 4-3: a planar 3-RRR stage that carries a three-joint arm; six drives."""
    legs: dict[str, ArmDescription] = {}
    bases: dict[str, Placement] = {}
    home: dict[str, float] = {}
    for k in range(3):
        turn = 2 * math.pi / 3 * k
        name = f"leg{k + 1}"
        legs[name] = planar((0.3, 0.3, 0.15), (0.8, 0.6, 0.2), name).with_tool(at(0, 0, 0, -turn))
        bases[name] = at(0, 0, 0, turn) @ at(-0.5)
        home |= {f"{name}.joint1": 0.948, f"{name}.joint2": -1.896, f"{name}.joint3": 0.948}
    wrist = [
        {
            "name": "phi4",
            "d": 0.25,
            "alpha": QUARTER,
            "mass": 1.5,
            "com": (0, -0.12, 0),
            "inertia": (0.01, 0.002, 0.01),
        },
        {"name": "phi5", "a": 0.3, "mass": 1.0, "com": (-0.15, 0, 0), "inertia": (0.001, 0.009, 0.009)},
        {"name": "phi6", "a": 0.25, "mass": 0.7, "com": (-0.12, 0, 0), "inertia": (0.001, 0.005, 0.005)},
    ]
    first = legs["leg1"]
    legs["leg1"] = joined(first, from_dh(wrist, name="wrist"))
    return Mechanism(
        legs,
        [Closure(f"plate{k}", FrameOn("leg1", "link3"), f"leg{k}", ("x", "y", "rz")) for k in (2, 3)],
        ["leg1.joint1", "leg2.joint1", "leg3.joint1", "leg1.phi4", "leg1.phi5", "leg1.phi6"],
        bases=bases,
        frames={"hand": "leg1"},
        home=home | {"leg1.phi5": 0.6, "leg1.phi6": -0.9},
        name="parallel-serial arm",
    )


def joined(arm: ArmDescription, other: ArmDescription) -> ArmDescription:
    """``other`` mounted on the tool of ``arm``; link names of ``other`` get its name in front where they clash."""
    names = {link: link if link not in arm.link_names else f"{other.name} {link}" for link in other.link_names}
    links = tuple(Link(names[link.name], link.inertia) for link in other.links)
    mount = Joint(f"{other.name} mount", "fixed", arm.tool_link, names[other.base], arm.tool)
    joints = tuple(
        Joint(j.name, j.kind, names[j.parent], names[j.child], j.before, j.after, j.limits) for j in other.joints
    )
    return ArmDescription(
        arm.name, (*arm.links, *links), (*arm.joints, mount, *joints), arm.gravity, other.tool, names[other.tool_link]
    )


def two_fingered_hand(friction: float = 0.6) -> Mechanism:
    """The two-fingered hand of Fig. 4-5b: two fingers of two joints hold a disc that nothing else holds.

    The contacts are pins for an instant that can only push: 7 joints, 4 equations, 3 freedoms, 4 motors.
    """
    radius = 0.05
    disc = free_body("disc", Inertia.of(0.4, (0, 0, 0), (0.0003, 0.0003, 0.0005)), planar=True)
    # At a contact z points out of the disc, the way it pushes the finger; x is along the rim.
    left = Placement.from_matrix([[0, 0, -1], [1, 0, 0], [0, -1, 0]], (-radius, 0, 0))
    right = Placement.from_matrix([[0, 0, 1], [-1, 0, 0], [0, -1, 0]], (radius, 0, 0))
    return Mechanism(
        {
            "left": planar((0.15, 0.12), (0.15, 0.1), "left", 2.0),
            "right": planar((0.15, 0.12), (0.15, 0.1), "right", 2.0),
            "disc": disc,
        },
        [
            Closure("left tip", FrameOn("disc", "disc", left), "left", ("x", "z"), pushes=True, friction=friction),
            Closure("right tip", FrameOn("disc", "disc", right), "right", ("x", "z"), pushes=True, friction=friction),
        ],
        ["disc.x", "disc.y", "disc.rz"],
        bases={"left": at(-0.08), "right": at(0.08)},
        home=[2.2, -1.4, 0.94, 1.4, 0.0, 0.2, 0.0],
        gravity=DOWN,
        name="two-fingered hand",
    )


def walking_machine(friction: float = 0.7) -> Mechanism:
    """The walking machine of Fig. 4-5a: a body on two legs, each with a hip and a knee, whose feet stand.

    The feet are pins for an instant that can only push: 7 joints, 4 equations, 3 freedoms, 4 motors.
    """
    walker = free_body("body", Inertia.of(8, (0, 0, 0), (0.05, 0.2, 0.2)), planar=True)
    for side, hip in (("left", -0.2), ("right", 0.2)):
        leg = planar((0.3, 0.3), (0.9, 0.6), side, 40.0, (f"{side}_hip", f"{side}_knee"))
        walker = joined(walker.with_tool(at(hip), "body"), leg)
    # Of the ground z points up, the way it pushes the foot; x is along it.
    up = ((1, 0, 0), (0, 0, 1), (0, -1, 0))
    feet = {"left": Placement.from_matrix(up, (-0.3, 0, 0)), "right": Placement.from_matrix(up, (0.3, 0, 0))}
    return Mechanism(
        {"walker": walker},
        [
            Closure(
                f"{side} foot", FrameOn("ground", at=place), FrameOn("walker", f"{side}_knee link"), ("x", "z"),
                pushes=True, friction=friction,
            )
            for side, place in feet.items()
        ],
        ["walker.x", "walker.y", "walker.rz"],
        home=[0.0, 0.5, 0.0, -2.323, 1.11, -0.819, -1.11],
        gravity=DOWN,
        name="walking machine",
    )  # fmt: skip


def cooperating(arm: ArmDescription, home: Sequence[float] = (-1.14, -1.19, 0.43, -1.17, -1.18, 0.96)) -> Mechanism:
    """Two arms that carry one object, fixed in both hands: six freedoms, twice as many motors."""
    hand = _pose(arm, home)
    # The far end is 0.3 m ahead and faces the first hand. The second base stands where the same joints reach it.
    far = _matrix(at(0, 0, 0.3)) @ np.diag([1.0, -1.0, -1.0, 1.0])
    base = hand @ far @ np.linalg.inv(hand)
    load = Inertia.of(4, (0, 0, 0.15), (0.12, 0.12, 0.01))
    return Mechanism(
        {"left": carrying(arm, "object", load), "right": arm},
        [Closure("grip", FrameOn("left", "object", Placement.from_matrix(far[:3, :3], far[:3, 3])), "right")],
        ["left." + name for name in arm.joint_names],
        bases={"right": Placement.from_matrix(base[:3, :3], base[:3, 3])},
        frames={"object": "left:object"},
        home=[*home, *home],
        name="two arms, one object",
    )


def _pose(arm: ArmDescription, joints: Sequence[float]) -> Array:
    return _rows(*tool_frame(chain(arm, REAL), REAL, [float(x) for x in joints]))


def _matrix(placement: Placement) -> Array:
    return _rows(*placement.exact)


def _rows(turn: object, shift: object) -> Array:
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = np.array(turn, dtype=float), np.array(shift, dtype=float)
    return pose
