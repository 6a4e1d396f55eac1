"""SDF: the same dynamics as the same arm in URDF has by Pinocchio, whatever poses are relative to; refusals by name."""

from __future__ import annotations

from xml.etree.ElementTree import fromstring

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.io.urdf import read_urdf, write_urdf
from random_arms import random_arm
from test_against_pinocchio import Oracle, difference

pin = pytest.importorskip("pinocchio")
pytestmark = pytest.mark.filterwarnings("ignore::dalembert.arm.errors.SkippedWarning")


def pose_text(pose: pin.SE3) -> str:
    roll, pitch, yaw = pin.rpy.matrixToRpy(pose.rotation)
    return " ".join(f"{x:.17g}" for x in (*pose.translation, roll, pitch, yaw))


def sdf_of(text: str, how: str) -> str:
    """A URDF as SDF: link poses in the model or in their parents, axes in the joint or in the model."""
    model = pin.buildModelFromXML(text)
    data = model.createData()
    pin.framesForwardKinematics(model, data, pin.neutral(model))
    there = {
        link.get("name"): data.oMf[model.getFrameId(link.get("name"))] for link in fromstring(text).iterfind("link")
    }
    parents = {
        joint.find("child").get("link"): joint.find("parent").get("link")
        for joint in fromstring(text).iterfind("joint")
    }
    rows = []
    for link in fromstring(text).iterfind("link"):
        name, inertial = link.get("name"), link.find("inertial")
        above = parents.get(name) if how == "parents" else None
        pose = there[name] if above is None else there[above].actInv(there[name])
        relative = "" if above is None else f' relative_to="{above}"'
        # what URDF has without inertia weighs nothing, and SDF would give it 1 kg
        body = "<inertial><mass>0</mass><inertia><ixx>0</ixx><iyy>0</iyy><izz>0</izz></inertia></inertial>"
        if inertial is not None:
            moments = "".join(f"<{key}>{value}</{key}>" for key, value in inertial.find("inertia").attrib.items())
            origin = inertial.find("origin")
            xyz, rpy = (
                ("0 0 0", "0 0 0") if origin is None else (origin.get("xyz", "0 0 0"), origin.get("rpy", "0 0 0"))
            )
            body = f"<inertial><pose>{xyz} {rpy}</pose><mass>{inertial.find('mass').get('value')}</mass>"
            body += f"<inertia>{moments}</inertia></inertial>"
        rows.append(f'<link name="{name}"><pose{relative}>{pose_text(pose)}</pose>{body}</link>')
    for joint in fromstring(text).iterfind("joint"):
        child = joint.find("child").get("link")
        axis = ""
        if joint.get("type") != "fixed":
            vector = np.array([float(x) for x in joint.find("axis").get("xyz").split()])
            frame = ""
            if how == "model":
                vector, frame = there[child].rotation @ vector, ' expressed_in="__model__"'
            axis = f"<axis><xyz{frame}>{' '.join(f'{x:.17g}' for x in vector)}</xyz></axis>"
        ends = f"<parent>{joint.find('parent').get('link')}</parent><child>{child}</child>"
        rows.append(f'<joint name="{joint.get("name")}" type="{joint.get("type")}">{ends}{axis}</joint>')
    return f'<sdf version="1.8"><model name="random">{"".join(rows)}</model></sdf>'


@pytest.mark.filterwarnings("ignore::dalembert.arm.errors.RoundedWarning")
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("how", ["model", "parents"])
def test_the_dynamics_are_those_of_the_same_arm_in_urdf(seed: int, how: str) -> None:
    text = write_urdf(random_arm(seed, 1 + seed % 5, tree=True))
    arm = da.load(sdf_of(text, how), angles="as written").with_gravity(read_urdf(text, "urdf").gravity)
    oracle = Oracle(text, arm)
    q, qd, qdd = np.random.default_rng(seed).uniform(-2, 2, (3, arm.n))
    torque = pin.rnea(oracle.model, oracle.data, oracle.positions(q), oracle.there(qd), oracle.there(qdd))
    assert difference(arm.inverse_dynamics(q, qd, qdd), oracle.vector(torque)) < 1e-11
    mass = pin.crba(oracle.model, oracle.data, oracle.positions(q))
    assert difference(arm.mass_matrix(q), oracle.matrix(mass)) < 1e-11


BODY = (
    "<inertial><mass>2</mass><pose>0.1 0 0 0 0 0</pose>"
    "<inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial>"
)
ARM = (
    '<link name="a">' + BODY + '</link><link name="b"><pose>0 0 1 0 0 0</pose>' + BODY + "</link>"
    '<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 1 0</xyz>{}</axis></joint>'
)


def model(inside: str, version: str = "1.9", around: str = "{}") -> str:
    return f'<sdf version="{version}">' + around.format(f'<model name="m">{inside}</model>') + "</sdf>"


def test_limits_damping_friction_and_springs_are_honoured() -> None:
    axis = (
        "<limit><lower>-1</lower><upper>2</upper><effort>30</effort><velocity>-1</velocity></limit>"
        "<dynamics><damping>0.5</damping><friction>0.3</friction><spring_stiffness>4</spring_stiffness>"
        "<spring_reference>0.2</spring_reference></dynamics>"
    )
    arm = da.load(model(ARM.format(axis)))
    limits = arm.moving[0].limits
    assert (limits.lower, limits.upper, limits.effort, limits.velocity) == (-1, 2, 30, np.inf)
    still = arm.inverse_dynamics([0.7], [0.0], [0.0]) - arm.gravity_load([0.7])
    assert still == pytest.approx([4 * 0.5])
    rubbed = arm.driven.inverse_dynamics([0.7], [2.0], [0.0]) - arm.inverse_dynamics([0.7], [2.0], [0.0])
    assert rubbed == pytest.approx([0.5 * 2 + 0.3])


def test_gravity_of_a_world_and_the_place_of_the_model_count() -> None:
    world = "<world name='w'><gravity>0 0 -1.62</gravity>{}</world>"
    arm = da.load(model(ARM.format("") + "<pose>1 2 3 1.5707963267948966 0 0</pose>", around=world))
    assert [float(g) for g in arm.gravity] == [0, 0, -1.62]
    assert arm.base == "world"
    assert arm.link_frames([0.0])["a"][:3, 3] == pytest.approx([1, 2, 3])
    upright = da.load(model(ARM.format(""), around=world))
    assert arm.gravity_load([0.3]) != pytest.approx(upright.gravity_load([0.3]))


def test_a_joint_to_the_world_makes_the_world_the_base() -> None:
    tied = (
        '<joint name="w" type="prismatic"><parent>world</parent><child>a</child><axis><xyz>0 0 1</xyz></axis></joint>'
    )
    arm = da.load(model(ARM.format("") + tied))
    assert (arm.base, arm.joint_letters) == ("world", "PR")
    assert arm.gravity_load([0.0, 0.0])[0] == pytest.approx(4 * 9.81)


def test_degrees_quaternions_and_frames_are_poses_too() -> None:
    ways = [
        '<pose degrees="true">0 0 1 0 0 90</pose>',
        '<pose rotation_format="quat_xyzw">0 0 1 0 0 0.7071067811865476 0.7071067811865476</pose>',
        '<pose relative_to="f">0 0 0.5 0 0 0</pose>',
    ]
    frame = '<frame name="f" attached_to="a"><pose>0 0 0.5 0 0 1.5707963267948966</pose></frame>'
    found = []
    for way in ways:
        arm = da.load(model(ARM.format("").replace("<pose>0 0 1 0 0 0</pose>", way) + frame))
        found.append(arm.inverse_dynamics([0.3], [1.0], [2.0]))
    assert found[0] == pytest.approx(found[1])
    assert found[0] == pytest.approx(found[2])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (model(ARM.format(""), "1.5"), "1.7 and later"),
        (model(ARM.format("").replace('"revolute"', '"ball"')), "has type 'ball'"),
        (model(ARM.format("").replace("<parent>a", "<parent>z")), "name a link"),
        (model(ARM.format("") + "<static>true</static>"), "static"),
        (model(ARM.format("") + "<include><uri>model://x</uri></include>"), "flatten"),
        (model(ARM.format("").replace(BODY, "<gravity>false</gravity>", 1)), "<gravity>"),
        (model(ARM.format("").replace("<pose>0 0 1", "<pose relative_to='q'>0 0 1")), "not there"),
        (model(ARM.format("").replace("<pose>0 0 1", "<pose relative_to='b'>0 0 1")), "circle"),
        (model(ARM.format("").replace("<pose>0 0 1 0 0 0", "<pose>0 0 1")), "6 numbers"),
        (model(ARM.format("<dynamics><damping>-1</damping></dynamics>")), "negative"),
        (model(ARM.format("") + ARM.format("")), "two frames"),
        ("<sdf version='1.9'/>", "0 models"),
        (model(""), "no <link>"),
    ],
)
def test_what_an_arm_cannot_be_is_refused_by_name(text: str, said: str) -> None:
    with pytest.raises(da.ArmError, match=said):
        da.load(text)


def test_a_model_that_would_fall_is_said_to_be_fixed() -> None:
    with pytest.warns(da.SkippedWarning, match="taken as fixed"):
        da.load(model(ARM.format("")))
    with pytest.warns(da.SkippedWarning, match="no <inertial> at .*: 1 kg and 1 kg m"):
        arm = da.load(model(ARM.format("").replace(BODY, "")))
    assert float(arm.bodies[0].inertia.mass) == 1
