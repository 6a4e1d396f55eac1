"""Shapes of links are kept as the files say them, and a shape that is said badly costs the arm nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert.arm.io.toml_writer import write_toml
from dalembert.arm.io.urdf_writer import write_urdf
from dalembert.cli import main

pytestmark = pytest.mark.filterwarnings("ignore::dalembert.arm.errors.SkippedWarning")

BODY = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
SDF = """<sdf version="1.9"><model name="m"><link name="a">{body}{shapes}</link>
<joint name="fix" type="fixed"><parent>world</parent><child>a</child></joint>
<link name="b"><pose>0 0 1 0 0 0</pose>{body}<collision name="c"><geometry><sphere><radius>0.2</radius></sphere>
</geometry>
</collision></link>
<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 1 0</xyz></axis></joint></model></sdf>"""
VISUAL = '<visual name="v{k}"><pose>0.1 0 0.2 0 0 1.5</pose><geometry>{shape}</geometry>{material}</visual>'
SHAPES = {
    "<box><size>1 2 3</size></box>": ("box", (1, 2, 3)),
    "<cylinder><radius>0.1</radius><length>0.5</length></cylinder>": ("cylinder", (0.1, 0.5)),
    "<capsule><radius>0.1</radius><length>0.5</length></capsule>": ("capsule", (0.1, 0.5)),
    "<ellipsoid><radii>1 2 3</radii></ellipsoid>": ("ellipsoid", (1, 2, 3)),
    "<mesh><uri>model://m/a.dae</uri><scale>1 -2 3</scale></mesh>": ("mesh", (1, -2, 3)),
}


def test_shapes_of_sdf_are_kept() -> None:
    material = "<material><diffuse>0 0.5 1 1</diffuse></material>"
    plane = VISUAL.format(k=99, shape="<plane><normal>0 0 1</normal></plane>", material="")
    shapes = [VISUAL.format(k=k, shape=shape, material=material) for k, shape in enumerate(SHAPES)]
    arm = da.load(SDF.format(body=BODY, shapes="".join([*shapes, plane])))
    found = arm.link("a").shapes
    assert [(shape.kind, shape.size) for shape in found] == list(SHAPES.values())
    assert found[-1].file == "model://m/a.dae"
    for shape in found:
        assert shape.colour == (0, 0.5, 1, 1)
        assert np.allclose(np.array(shape.placement.position, float), (0.1, 0, 0.2))
        assert np.allclose(float(shape.placement.rotation[1][0]), np.sin(1.5))
    assert [(shape.kind, shape.size) for shape in arm.link("b").shapes] == [("sphere", (0.2,))]


URDF = """<robot name="r"><link name="a"/><joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>
<link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
<visual>{}</visual><visual><geometry><sphere radius="0.1"/></geometry></visual></link></robot>"""


@pytest.mark.parametrize(
    ("visual", "said"),
    [
        ('<geometry><box size="1 2"/></geometry>', "must be 3 numbers"),
        ('<geometry><box size="1 2 -3"/></geometry>', "lengths that are not zero"),
        ('<geometry><sphere radius="nan"/></geometry>', "must be finite"),
        ('<geometry><cylinder radius="1"/></geometry>', "has no 'length'"),
        ("<geometry><mesh/></geometry>", "has no 'filename'"),
        ("<geometry><teapot/></geometry>", "holds no shape that is known"),
        ('<origin rpy="a b c"/><geometry><sphere radius="1"/></geometry>', "must be a number"),
        ('<origin/><origin/><geometry><sphere radius="1"/></geometry>', "2 <origin> elements"),
    ],
)
def test_a_shape_that_is_said_badly_keeps_its_fault_and_the_arm_its_physics(visual: str, said: str) -> None:
    arm = da.load(URDF.format(visual))
    bad, good = arm.link("b").shapes
    assert said in bad.fault
    assert (good.kind, good.fault) == ("sphere", "")
    assert arm == da.load(URDF.format(""))  # arms that look different and move alike are equal


def test_geoms_that_are_said_badly_keep_their_fault() -> None:
    geoms = '<geom type="mesh" mesh="gone"/><geom type="box" size="1"/><geom type="sdf"/><geom class="lost" size="1"/>'
    inertial = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    arm = da.load(f'<mujoco><worldbody><body name="b"><joint/>{inertial}{geoms}</body></worldbody></mujoco>')
    said = [shape.fault for shape in arm.link("b").shapes]
    for fault, words in zip(said, ("names mesh 'gone'", "needs 3 positive", "distance field", "'lost'"), strict=True):
        assert words in fault


def test_urdf_that_is_written_looks_as_it_was_read() -> None:
    visual = (
        '<origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/><geometry><mesh filename="package://p/a.dae" scale="1 2 -3"/>'
        '</geometry><material name="m"><color rgba="0.1 0.2 0.3 1"/></material>'
    )
    arm = da.load(URDF.format(visual))
    again = da.load(write_urdf(arm))
    assert again == arm
    for before, after in zip(arm.link("b").shapes, again.link("b").shapes, strict=True):
        assert (before.kind, before.size, before.file, before.colour) == (
            after.kind, after.size, after.file, after.colour,
        )  # fmt: skip
        for part in ("rotation", "position"):
            assert np.allclose(
                np.array(getattr(before.placement, part), float), np.array(getattr(after.placement, part), float)
            )


def test_a_capsule_is_written_as_a_rod_and_two_balls() -> None:
    inertial = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    geoms = '<geom type="capsule" size="0.1 0.2"/><geom type="ellipsoid" size="1 2 3"/>'
    arm = da.load(f'<mujoco><worldbody><body name="b"><joint/>{inertial}{geoms}</body></worldbody></mujoco>')
    again = da.load(write_urdf(arm)).link("b").shapes
    assert [shape.kind for shape in again] == ["cylinder", "sphere", "sphere"]
    assert [float(shape.placement.position[2]) for shape in again] == [0.0, 0.2, -0.2]
    assert "left out, for URDF has no such shapes: ellipsoid of b" in write_urdf(arm)


LOOKS = """
name = "look"
[[joints]]
type = "revolute"
link = {{name = "a", mass = 1, inertia = [1, 1, 1], shapes = [{}]}}
"""


def test_arm_files_keep_what_links_look_like() -> None:
    text = LOOKS.format(
        '{kind = "capsule", size = [0.1, 0.3], xyz = [0, 0.1, 0], rpy = [0.1, 0.2, 0.3], colour = [1, 0, 0, 0.5]}, '
        '{kind = "mesh", file = "a.stl", size = [1, 2, -3], origin = {xyz = [1, 0, 0], rpy = [0, 0, 1.5]}}'
    )
    arm = da.load(text)
    again = da.load(write_toml(arm))
    for one in (arm, again):
        rod, mesh = one.link("a").shapes
        assert (rod.kind, rod.size, rod.colour) == ("capsule", (0.1, 0.3), (1, 0, 0, 0.5))
        assert (mesh.kind, mesh.size, mesh.file) == ("mesh", (1, 2, -3), "a.stl")
        assert np.allclose(
            np.array(rod.placement.rotation, float), Rotation.from_euler("xyz", (0.1, 0.2, 0.3)).as_matrix()
        )
        assert np.allclose(np.array(mesh.origin.position, float), (1, 0, 0))
    assert again == arm


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        ('{kind = "teapot"}', "the kinds of shapes are"), ('{kind = "box"}', "size is missing"),
        ('{kind = "box", size = [1, 2]}', "3 numbers"), ('{kind = "box", size = [1, 2, 0]}', "not zero"),
        ('{kind = "mesh"}', "a mesh has a file"), ('{kind = "sphere", size = [1], file = "a.stl"}', "no other shape"),
        ('{kind = "sphere", size = [1], colour = [2, 0, 0, 1]}', "from 0 to 1"),
        ('{kind = "sphere", size = [1], origin = {}}', "leave it out"),
        ('{kind = "sphere", size = [1], shade = 1}', "shade"),
    ],
)  # fmt: skip
def test_a_bad_shape_of_an_arm_file_is_refused(shape: str, said: str) -> None:
    with pytest.raises(da.ArmError, match=said):
        da.load(LOOKS.format(shape))


def test_show_counts_the_shapes_and_names_missing_meshes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mesh = '<geometry><mesh filename="gone.stl"/></geometry>'
    (tmp_path / "arm.urdf").write_text(URDF.format(mesh))
    main(["show", str(tmp_path / "arm.urdf")])
    said = " ".join(capsys.readouterr().out.split())
    assert "Shapes of the links: 1 mesh, 1 sphere" in said
    assert "gone.stl: there is no such file" in said
