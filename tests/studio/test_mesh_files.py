"""Mesh files of every kind are read as they are, and a hostile one ends in one sentence."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("trimesh", reason="meshes were NOT read: trimesh is not here (pip install 'dalembert[studio]')")

import trimesh

from dalembert.arm.errors import ArmError
from dalembert.studio import mesh_process
from dalembert.studio.link_looks import read_meshes
from dalembert.studio.mesh_process import parts_of

BOX = trimesh.creation.box((0.2, 0.4, 0.6))


@pytest.mark.parametrize("kind", ["stl", "stl_ascii", "obj", "ply", "glb", "dae"])
def test_a_box_is_the_same_box_in_every_format(kind: str, tmp_path: Path) -> None:
    if kind == "dae":
        pytest.importorskip("collada")
    path = tmp_path / f"box.{kind[:3].upper()}"
    content = BOX.export(file_type=kind)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    parts = parts_of(path)
    points = np.concatenate([points for points, _, _ in parts])
    assert np.allclose([points.min(0), points.max(0)], BOX.bounds)
    assert sum(len(faces) for _, faces, _ in parts) == 12


def test_the_unit_and_the_colour_of_collada_count(tmp_path: Path) -> None:
    pytest.importorskip("collada")
    head, diffuse, rest = BOX.export(file_type="dae").decode().partition("<diffuse>")
    text = head + diffuse + rest.replace("0.0 0.0 0.0 1.0", "1.0 0.0 0.0 1.0", 1)
    path = tmp_path / "mm.dae"
    path.write_text(text.replace("</asset>", '<unit name="millimeter" meter="0.001"/></asset>'))
    ((points, _, colour),) = parts_of(path)
    assert np.allclose(np.ptp(points, axis=0), BOX.extents / 1000)
    assert np.allclose(colour, (1, 0, 0, 1), atol=0.01)


def bomb() -> bytes:
    """A GLB whose accessor claims a million million points that no buffer holds."""
    accessors = [{"componentType": 5126, "count": 10**12, "type": "VEC3"},
                 {"componentType": 5125, "count": 3, "type": "SCALAR"}]  # fmt: skip
    head = {"asset": {"version": "2.0"}, "accessors": accessors, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}]}  # fmt: skip
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 4)
    return struct.pack("<4sIIII", b"glTF", 2, 20 + len(text), len(text), 0x4E4F534A) + text


ENTITY = '<!DOCTYPE COLLADA [<!ENTITY x SYSTEM "file:///etc/hostname">]><COLLADA>&x;</COLLADA>'
LAUGHS = '<!DOCTYPE C [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><C>&b;</C>'
HOSTILE = {
    "empty.stl": (b"", "is no STL mesh|holds no triangles"),
    "words.stl": (b"this is not a mesh at all, whatever its name says" * 10, "is no STL mesh|holds no triangles"),
    "long.stl": (b"\0" * 80 + struct.pack("<I", 4_000_000_000) + b"\0" * 50, "is no STL mesh|holds no triangles"),
    "nan.obj": (b"v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "not finite|is no OBJ mesh|no triangles"),
    "lost.obj": (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", "is no OBJ mesh|a vertex that is not there"),
    "elsewhere.obj": (b"mtllib /etc/passwd\nusemtl root\n", "is no OBJ mesh|holds no triangles"),
    "entity.dae": (ENTITY.encode(), "document type or entities"),
    "laughs.dae": (LAUGHS.encode(), "document type or entities"),
    "seven.dae": (b"+ADw?xml version='1.0' encoding='utf-7'?+AD4-", "not well-formed"),
    "zip.dae": (b"PK\x03\x04" + b"\0" * 40, "not UTF-8|characters|not well-formed"),
    "unit.dae": (b"<COLLADA><asset><unit meter='inf'/></asset></COLLADA>", "its unit is"),
    "short.ply": (b"ply\nformat binary_little_endian 1.0\nelement vertex 99999999\nproperty float x\nend_header\n",
                  "is no PLY mesh|holds no triangles"),
    "short.glb": (b"glTF" + b"\xff" * 16, "is no GLB mesh"),
    "bomb.glb": (bomb(), "is no GLB mesh|more memory"),
    "gone.stl": (None, "there is no such file"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_mesh_is_refused_by_name(name: str, tmp_path: Path) -> None:
    content, said = HOSTILE[name]
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(ArmError, match=said) as refusal:
        parts_of(tmp_path / name)
    assert name in str(refusal.value)
    assert "root:" not in str(refusal.value)


def test_large_files_and_many_triangles_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "box.stl"
    path.write_bytes(BOX.export(file_type="stl"))
    monkeypatch.setattr(mesh_process, "MOST_TRIANGLES", 11)
    with pytest.raises(ArmError, match="has 12 triangles; at most 11 are shown"):
        parts_of(path)
    monkeypatch.setattr(mesh_process, "LARGEST_MESH", 100)
    with pytest.raises(ArmError, match="is larger than 100 bytes"):
        parts_of(path)


def test_a_mesh_that_ends_its_reader_harms_no_other(tmp_path: Path) -> None:
    pytest.importorskip("collada")
    good, fatal, last = tmp_path / "good.stl", tmp_path / "fatal.dae", tmp_path / "last.stl"
    for path in (good, last):
        path.write_bytes(BOX.export(file_type="stl"))
    # Nodes that hold ten of the next each: a document of two kilobytes, and a scene of 10^9 boxes.
    text = BOX.export(file_type="dae").decode()
    start, end = text.index("<instance_geometry"), text.index("</instance_geometry>") + len("</instance_geometry>")
    inner = [f'<node id="n9">{text[start:end]}</node>']
    inner += [f'<node id="n{k}">' + f'<instance_node url="#n{k + 1}"/>' * 10 + "</node>" for k in range(8, -1, -1)]
    bombed = text[:start] + '<instance_node url="#n0"/>' + text[end:]
    place = bombed.index("<library_visual_scenes>")
    fatal.write_text(bombed[:place] + "<library_nodes>" + "".join(inner) + "</library_nodes>" + bombed[place:])
    found = read_meshes([good, fatal, last], seconds=1)
    assert not isinstance(found[good], str)
    assert not isinstance(found[last], str)
    assert "takes too long or too much memory" in found[fatal]
