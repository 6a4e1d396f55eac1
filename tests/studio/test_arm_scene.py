"""What is drawn where: shapes stand where Pinocchio and MuJoCo have them, and are not drawn anew for every design."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.studio.arm_scene import ArmScene
from dalembert.studio.design import Design
from dalembert.studio.link_looks import LinkLooks, look_at

from .still_scene import StillScene

BODY = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
URDF = f"""<robot name="two"><material name="red"><color rgba="1 0 0 0.5"/></material>
<link name="base"><visual><geometry><box size="0.2 0.3 0.1"/></geometry></visual></link>
<joint name="j1" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0.1 0 0.2" rpy="0.3 0.1 -0.4"/>
<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<link name="upper">{BODY}<visual><origin xyz="0 0.05 0.2" rpy="0.2 0.3 0.4"/>
<geometry><cylinder radius="0.05" length="0.4"/>
</geometry><material name="red"/></visual><collision><geometry><sphere radius="9"/></geometry></collision></link>
<joint name="weld" type="fixed"><parent link="upper"/><child link="flange"/>
<origin xyz="0 0 0.4" rpy="0 0.5 0"/></joint>
<link name="flange">{BODY}<collision><origin xyz="0.01 0.02 0.03"/>
<geometry><sphere radius="0.06"/></geometry></collision>
</link>
<joint name="j2" type="prismatic"><parent link="flange"/><child link="slide"/><origin xyz="0 0 0.1" rpy="0 0 1"/>
<axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<link name="slide">{BODY}<visual><origin xyz="0.1 0 0"/><geometry><box size="0.2 0.1 0.1"/></geometry></visual></link>
</robot>"""
Q = np.array([0.4, -0.2])


def drawn(arm: da.Arm, looks: LinkLooks | None = None) -> tuple[StillScene, ArmScene]:
    scene = StillScene()
    return scene, ArmScene(scene, arm, looks=looks or look_at(arm))


def test_shapes_of_urdf_stand_where_pinocchio_has_them() -> None:
    pin = pytest.importorskip("pinocchio")
    model = pin.buildModelFromXML(URDF)
    data, arm = model.createData(), da.load(URDF)
    scene, made = drawn(arm)
    made.move(Q)
    compared = []
    for kind, names in ((pin.VISUAL, ("base", "upper", "slide")), (pin.COLLISION, ("flange",))):
        shapes = pin.buildGeomFromUrdfString(model, URDF, kind)
        placed = shapes.createData()
        pin.updateGeometryPlacements(model, data, shapes, placed, Q)
        for shape, place in zip(shapes.geometryObjects, placed.oMg, strict=True):
            link = shape.name.rpartition("_")[0]
            if link not in names:  # an upper arm with a visual is not drawn by its collision shape
                continue
            node = next(name for name in scene.nodes if name.endswith(f"link{arm.link_names.index(link)}_0"))
            assert np.allclose(scene.pose(node), place.homogeneous, atol=1e-12)
            compared.append(link)
    assert sorted(compared) == ["base", "flange", "slide", "upper"]
    upper = next(node for name, node in scene.nodes.items() if name.endswith("link1_0"))
    assert (upper.kind, upper.radius, upper.height, upper.color, upper.opacity) == (
        "cylinder",
        0.05,
        0.4,
        (255, 0, 0),
        0.5,
    )


MJCF = """<mujoco><compiler angle="radian" meshdir="parts"/><default><geom rgba="0 0 1 1"/>
<default class="seen"><geom group="1"/></default></default>
<asset><mesh name="m" file="m.obj" scale="0.5 2 -1" refpos="0.1 0.2 0.3" refquat="0.6 0 0.8 0"/></asset>
<worldbody><geom type="plane" size="1 1 1"/><body pos="0.1 0.2 0.3" euler="0.1 0.2 0.3"><joint name="a" axis="0 1 0"/>
<geom type="capsule" fromto="0 0 0 0.1 0.2 0.4" size="0.03"/><frame pos="0.1 0 0" euler="0 0.3 0">
<geom class="seen" type="box" size="0.1 0.2 0.3" pos="0 0.1 0" quat="0.6 0 0 0.8"/></frame>
<geom type="sphere" size="9" group="3" mass="0"/>
<body pos="0 0 0.4"><joint name="b" type="slide" axis="1 0 1"/><geom type="ellipsoid" size="0.1 0.2 0.3" euler="1 0 0"/>
<geom type="cylinder" size="0.1 0.2" zaxis="1 1 0"/><geom type="mesh" mesh="m" pos="0.1 0 0.2" euler="0 0.4 0"/>
</body></body></worldbody></mujoco>"""
CORNERS = np.array([[0, 0, 0], [0.3, 0, 0], [0, 0.4, 0], [0, 0, 0.5]])
OBJ = (
    "mtllib ../../secret.mtl\n"
    + "".join(f"v {x} {y} {z}\n" for x, y, z in CORNERS)
    + "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
)


def test_geoms_of_mjcf_stand_where_mujoco_has_them(tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "m.obj").write_text(OBJ)
    path = tmp_path / "arm.xml"
    path.write_text(MJCF)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    data.qpos[:] = Q
    mujoco.mj_kinematics(model, data)
    arm = da.load(path)
    scene, made = drawn(arm)
    made.move(Q)
    shown = {name: node for name, node in scene.nodes.items() if "link" in name and "end" not in name}
    kinds = {"capsule": "cylinder", "box": "box", "ellipsoid": "icosphere", "cylinder": "cylinder"}
    geoms = [g for g in range(model.ngeom) if model.geom_type[g] != 0 and model.geom_group[g] < 3]
    assert len(shown) == len(geoms) == 5
    for g, (name, node) in zip(geoms, shown.items(), strict=True):
        turn, place = data.geom_xmat[g].reshape(3, 3), data.geom_xpos[g]
        pose = scene.pose(name)
        if node.kind == "mesh_simple":
            mesh = model.geom_dataid[g]
            first, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
            theirs = model.mesh_vert[first : first + count] @ turn.T + place
            ours = np.unique(np.round(node.vertices @ pose[:3, :3].T + pose[:3, 3], 6), axis=0)
            assert np.allclose(ours, np.unique(np.round(theirs, 6), axis=0), atol=2e-6)
            a, b, c = (node.vertices[node.faces[:, k]] for k in range(3))
            assert np.einsum("ij,ij->", a, np.cross(b, c)) > 0  # the mirrored mesh is turned outwards again
            continue
        assert node.kind == kinds[mujoco.mjtGeom(model.geom_type[g]).name.removeprefix("mjGEOM_").lower()]
        assert np.allclose(pose[:3, 3], place, atol=1e-9)
        assert np.allclose(np.abs(pose[:3, 2] @ turn[:, 2]), 1, atol=1e-9)
        assert node.color == (0, 0, 255)


def test_an_arm_without_shapes_is_bars_and_one_whose_mesh_is_missing_too() -> None:
    plain, _ = drawn(da.load("planar-2r"))
    assert all(node.visible for name, node in plain.nodes.items() if "bar" in name)
    text = URDF.replace('<box size="0.2 0.1 0.1"/>', '<mesh filename="lost.stl"/>')
    scene, made = drawn(da.load(text))
    assert "'lost.stl' stands beside a file, and a text has no folder" in made.looks.faults_text()
    drum = {body: scene.nodes[f"/arm/body{body}/joint"].visible for body in (0, 1)}
    assert drum == {0: False, 1: True}  # the upper arm has a shape, the slide's is missing
    made.show("shapes", False)
    assert scene.nodes["/arm/body0/joint"].visible
    assert not any(node.visible for name, node in scene.nodes.items() if "link" in name)


def test_another_design_changes_the_nodes_that_are_there() -> None:
    design = Design(da.load(URDF))
    looks = look_at(design.arm)
    assert looks.faults == ()
    scene, made = drawn(design.arm, looks)
    before, names = scene.made, set(scene.nodes)
    height = scene.nodes["/arm/body0/box"].dimensions
    for mass in (2.0, 3.0, 4.0):
        made.update(design.with_value("link.upper.mass", mass).system, looks)
    assert (scene.made, set(scene.nodes)) == (before, names)
    assert scene.nodes["/arm/body0/box"].dimensions != height
    made.remove()
    assert scene.nodes == {}
