"""Inertia from shapes and meshes: what MuJoCo's own compiler gives the same bodies."""

from __future__ import annotations

import random
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dalembert.arm.description import ArmDescription
from dalembert.arm.errors import ArmError
from dalembert.arm.io.mjcf import read_mjcf

mujoco = pytest.importorskip("mujoco")

RELATIVE = 1e-11
AXES = 1e-5
"""MuJoCo stops its search for principal axes near 1e-6 rad, so its axes are no better than that; its moments are."""
CORNERS = [(0, 0, 0), (2, 0, 0), (0, 1, 0), (0, 0, 1.5), (0.3, 0.2, 0.25), (2, 1.5, 1)]
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 5), (1, 5, 3), (2, 3, 5)]
"""A closed mesh, its faces turned outwards."""


def assert_as_compiled(text: str, folder: Path | None = None, files: dict[str, bytes] | None = None) -> None:
    """Mass, mass centre and inertia of each body as in MuJoCo."""
    model = mujoco.MjModel.from_xml_string(text, files or {})
    assert_same_bodies(read_mjcf(text, "shapes.xml", "ignore", folder=folder), model)


def assert_same_bodies(arm: ArmDescription, model: Any) -> None:
    for number in range(1, model.nbody):
        turn = np.zeros(9)
        mujoco.mju_quat2Mat(turn, model.body_iquat[number])
        turn = turn.reshape(3, 3)
        theirs = turn @ np.diag(model.body_inertia[number]) @ turn.T
        ours = arm.link(model.body(number).name).inertia
        assert float(ours.mass) == pytest.approx(model.body_mass[number], rel=RELATIVE)
        np.testing.assert_allclose(np.array(ours.com, float), model.body_ipos[number], rtol=0, atol=RELATIVE)
        tensor, largest = np.array(ours.central, float), model.body_inertia[number].max()
        moments = np.linalg.eigvalsh(tensor)
        np.testing.assert_allclose(moments, np.sort(model.body_inertia[number]), rtol=0, atol=RELATIVE * largest)
        np.testing.assert_allclose(tensor, theirs, rtol=0, atol=AXES * largest)


def model(inside: str, head: str = "") -> str:
    return f'<mujoco>{head}<worldbody><body name="a"><joint/>{inside}</body></worldbody></mujoco>'


def place(rng: random.Random) -> str:
    numbers = [f"{rng.uniform(-1, 1):.3f}" for _ in range(7)]
    return f'pos="{" ".join(numbers[:3])}" quat="{" ".join(numbers[3:])}"'


SIZES = {"sphere": "0.7", "capsule": "0.4 0.9", "cylinder": "0.5 0.8", "ellipsoid": "0.5 0.7 0.9", "box": "0.5 0.6 0.9"}


WEIGHED = [(shape, shell) for shape in SIZES for shell in ("false", "true") if (shape, shell) != ("ellipsoid", "true")]
"""Shapes, and whether their mass is on the surface; MuJoCo approximates the shell of an ellipsoid, which is refused."""


@pytest.mark.parametrize(("shape", "shell"), WEIGHED)
def test_every_shape_weighs_what_mujoco_says_it_weighs(shape: str, shell: str):
    rng = random.Random(shape)
    given = f'type="{shape}" size="{SIZES[shape]}" shellinertia="{shell}"'
    assert_as_compiled(model(f"<geom {given}/>"))
    assert_as_compiled(model(f'<geom {given} {place(rng)} density="730"/><geom {given} {place(rng)} mass="40"/>'))


@pytest.mark.parametrize("shape", ["capsule", "cylinder", "box", "ellipsoid"])
def test_the_ends_of_a_shape_give_its_axis_and_length(shape: str):
    assert_as_compiled(model(f'<geom type="{shape}" size="0.3" fromto="0.1 -0.2 0.4 1 0.7 -0.5"/>'))


def test_shapes_in_frames_with_classes_and_groups_count_as_in_mujoco():
    head = """<compiler inertiagrouprange="0 2" angle="radian"/><default><geom size="0.4"/>
        <default class="heavy"><geom density="5000" type="box" size="0.2 0.3 0.4"/></default></default>"""
    inside = """<frame pos="1 0 0" euler="0.3 0.2 0.1" childclass="heavy"><geom/>
        <geom class="main" pos="0 1 0"/></frame>
        <geom group="3" size="9"/><geom group="2" mass="0"/><geom type="capsule" size="0.1 0.5" density="100"/>"""
    assert_as_compiled(model(inside, head))


@pytest.mark.parametrize("how", ["auto", "true", "false"])
def test_geoms_stand_for_inertials_as_the_compiler_says(how: str):
    inertial = '<inertial pos="0.1 0.2 0.3" mass="7" diaginertia="1 1.2 1.4"/>'
    bounds = 'boundmass="0.5" boundinertia="0.4" balanceinertia="true"'
    text = f"""<mujoco><compiler inertiafromgeom="{how}" {bounds}/><worldbody>
        <body name="a" pos="1 2 3"><joint/>{inertial}<geom size="0.5"/>
        <body name="b" pos="0.2 0 0"><joint axis="0 1 0"/><geom type="box" size="0.02 0.3 0.4" euler="20 30 40"/>
        <body name="c" pos="0 0.3 0"><joint axis="1 0 0"/>{inertial}<body name="d" pos="0.1 0.4 0"><joint/></body>
        </body></body></body></worldbody></mujoco>"""
    assert_as_compiled(text)


def test_shapes_that_are_not_kept_weigh_all_the_same():
    head = '<compiler discardvisual="true" fusestatic="true"/>'
    seen = '<geom size="0.3" pos="1 0 0" contype="0" conaffinity="0"/>'
    assert_as_compiled(model(f'{seen}<geom size="0.2"/>', head))


def test_the_mass_of_all_bodies_is_scaled_to_the_total():
    text = """<mujoco>{}<worldbody><body name="a"><geom size="0.5"/>
        <body name="b"><joint/><geom type="box" size="0.2 0.3 0.4" pos="1 0 0"/></body></body></worldbody></mujoco>"""
    # MuJoCo logs a warning into the present folder for the attribute, and none for the call that stands for it.
    model = mujoco.MjModel.from_xml_string(text.format(""))
    mujoco.mj_setTotalmass(model, 30)
    arm = read_mjcf(text.format('<compiler settotalmass="30"/>'), "shapes.xml")
    assert_same_bodies(arm, model)
    assert float(sum(link.inertia.mass for link in arm.links)) == pytest.approx(30)


# -- meshes --------------------------------------------------------------------------------------------


def stl() -> bytes:
    rows = [struct.pack("<12fH", 0, 0, 0, *(x for corner in face for x in CORNERS[corner]), 0) for face in FACES]
    return b"\0" * 80 + struct.pack("<I", len(rows)) + b"".join(rows)


def obj(*faces: str) -> bytes:
    """The mesh as OBJ; ``faces`` in place of its last two, which share an edge."""
    lines = [f"v {x} {y} {z}" for x, y, z in CORNERS]
    lines += [f"f {a + 1}//1 {b + 1} {c - 6}" for a, b, c in (FACES if not faces else FACES[:-2])]
    return "\n".join(["# a mesh", "o part", *lines, *(f"f {face}" for face in faces)]).encode()


def msh() -> bytes:
    points = struct.pack(f"<{3 * len(CORNERS)}f", *(x for point in CORNERS for x in point))
    faces = struct.pack(f"<{3 * len(FACES)}i", *(k for face in FACES for k in face))
    return struct.pack("<4i", len(CORNERS), 0, 0, len(FACES)) + points + faces


FILES = {"part.stl": stl(), "part.obj": obj(), "part.msh": msh()}
CHANGES = ['refpos="0.1 0.2 0.3" refquat="0.8 0.1 -0.4 0.2"', 'scale="1 2 0.5"', 'scale="-1 1 1"', ""]


@pytest.mark.parametrize("rule", ["legacy", "exact", "convex", "shell"])
@pytest.mark.parametrize("file", FILES)
def test_a_mesh_weighs_what_mujoco_says_by_every_rule(file: str, rule: str, tmp_path: Path):
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / file).write_bytes(FILES[file])
    for change in CHANGES:
        if rule == "convex" and "-1" in change:
            continue
        head = f'<compiler meshdir="meshes"/><asset><mesh file="{file}" inertia="{rule}" {change}/></asset>'
        text = model('<geom type="mesh" mesh="part" pos="0.3 0 0" quat="0.6 0.8 0 0"/>', head)
        assert_as_compiled(text, tmp_path, {f"meshes/{file}": FILES[file]})


@pytest.mark.parametrize("corners", ["2 6 3 4", "6 3 4 2", "2/1 6/1 3/1 4/1"])
def test_a_face_of_four_corners_is_cut_as_mujoco_cuts_it(corners: str, tmp_path: Path):
    (tmp_path / "part.obj").write_bytes(obj(corners))
    text = model('<geom type="mesh" mesh="part"/>', '<asset><mesh file="part.obj"/></asset>')
    assert_as_compiled(text, tmp_path, {"part.obj": obj(corners)})


@pytest.mark.parametrize("faces", ["", " ".join(str(k) for face in FACES for k in face)])
def test_a_mesh_of_vertices_is_its_faces_or_its_hull(faces: str):
    vertices = " ".join(str(x) for point in CORNERS for x in point)
    head = f'<asset><mesh name="m" vertex="{vertices}" {f"face={chr(34)}{faces}{chr(34)}" if faces else ""}/></asset>'
    assert_as_compiled(model('<geom type="mesh" mesh="m" mass="12"/>', head))


@pytest.mark.parametrize("corner", ["1e30", "-1", "12", "0.5"])
def test_a_face_names_vertices_that_are_there(corner: str):
    asset = f'<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 1 2 0 1 {corner}"/></asset>'
    with pytest.raises(ArmError, match="mesh 'm': a face names a vertex that is not there"):
        read_mjcf(model('<geom type="mesh" mesh="m"/>', asset), "arm.xml")


def test_the_usual_rule_adds_amounts_of_volumes_whichever_way_faces_turn():
    vertices = " ".join(str(x) for point in CORNERS for x in point)
    turned = " ".join(str(k) for face in [FACES[0][::-1], *FACES[1:]] for k in face)
    asset = f'<asset><mesh name="m" vertex="{vertices}" face="{turned}" inertia="{{}}"/></asset>'
    assert_as_compiled(model('<geom type="mesh" mesh="m"/>', asset.format("legacy")))
    with pytest.raises(ArmError, match="mesh 'm': its faces turn both ways round"):
        read_mjcf(model('<geom type="mesh" mesh="m"/>', asset.format("exact")), "arm.xml")


def test_a_mesh_named_in_an_included_file_is_looked_for_beside_it(tmp_path: Path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "part.stl").write_bytes(stl())
    (tmp_path / "parts" / "assets.xml").write_text('<mujoco><asset><mesh file="part.stl"/></asset></mujoco>')
    main = tmp_path / "main.xml"
    main.write_text(model('<geom type="mesh" mesh="part"/>', '<include file="parts/assets.xml"/>'))
    theirs = mujoco.MjModel.from_xml_path(str(main))
    arm = read_mjcf(main.read_text(), str(main), folder=tmp_path)
    assert float(arm.links[1].inertia.mass) == pytest.approx(theirs.body_mass[1], rel=RELATIVE)


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("part.stl", b"solid ascii", "part.stl: is not a binary STL file"),
        ("part.obj", b"v 0 0 0\nf 1 2 3", "part.obj: a face names a vertex that is not there"),
        ("part.obj", b"v 0 0 zero", "part.obj: line 1 is not OBJ"),
        ("part.obj", b"v 0 0 1_0", "part.obj: line 1 is not OBJ"),
        ("part.obj", b"v 0 0 1e40\n", "part.obj: a vertex is not finite"),
        ("part.obj", b"v 0 0 0\nf 1 1 99999999999999999999", "part.obj: line 2 is not OBJ"),
        ("part.obj", b"v 0 0 0\nf 1 1 -9", "part.obj: a face names a vertex that is not there"),
        ("part.obj", b"v 0 0 0\n" * 5 + b"f 1 2 3 4 5", "a face has 5 corners"),
        ("part.obj", b"v 0 0 0\n" * 3 + b"o a\nf 1 2 3\no b\nf 1 2 3", "several objects"),
        ("part.msh", b"\0" * 20, "not an MSH file of the size it says"),
        ("part.dae", b"", "meshes are read from .stl, .obj and .msh"),
        ("part.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3", "mesh 'part': has no volume by the rule 'legacy'"),
    ],
)  # fmt: skip
def test_a_mesh_that_cannot_be_weighed_is_refused_by_name(file: str, content: bytes, said: str, tmp_path: Path):
    (tmp_path / file).write_bytes(content)
    text = model('<geom type="mesh" mesh="part"/>', f'<asset><mesh file="{file}"/></asset>')
    with pytest.raises(ArmError, match=said):
        read_mjcf(text, "arm.xml", folder=tmp_path)
    with pytest.raises(ArmError, match="there is no such file"):
        read_mjcf(text.replace(file, "lost.stl").replace('mesh="part"', 'mesh="lost"'), "arm.xml", folder=tmp_path)
