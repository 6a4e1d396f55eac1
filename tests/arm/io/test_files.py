"""Arms by name and by file: what is found, and what is said where nothing is."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import dalembert
from dalembert.arm.errors import ArmError
from dalembert.arm.io.files import LARGEST_FILE, catalog_names, read
from dalembert.arm.io.toml_arm import write_toml
from dalembert.arm.io.urdf import write_urdf

MJCF = """<mujoco model="m"><worldbody><body name="a"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
<joint name="j" type="hinge" axis="0 0 1"/></body></worldbody></mujoco>"""


def test_the_catalog_holds_the_arms_it_promises() -> None:
    assert set(catalog_names()) == {
        *("jpl-rrp", "stanford", "puma560", "puma560-arm", "cartesian", "cylindrical", "spherical", "articulated"),
        *("puma560-lee", "planar-2r", "planar-3r", "panda", "ur5e", "iiwa14", "irb6"),
    }
    assert list(catalog_names()) == sorted(catalog_names())


def test_an_arm_is_the_same_by_name_and_from_its_file(tmp_path: Path) -> None:
    arm = read("jpl-rrp")
    path = tmp_path / "jpl.toml"
    path.write_text(write_toml(arm), encoding="utf-8")
    assert read(path) == read(str(path)) == arm
    assert read(path).origin == str(path)


@pytest.mark.parametrize("name", ["arm.urdf", "arm.URDF", "arm.xml"])
def test_urdf_is_read_under_either_ending(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("\ufeff" + write_urdf(read("planar-2r")), encoding="utf-8")
    assert read(path).n == 2


def test_the_root_of_an_xml_file_tells_mjcf_from_urdf(tmp_path: Path) -> None:
    path = tmp_path / "arm.xml"
    path.write_text(MJCF, encoding="utf-8")
    assert read(path).joint_names == ("j",)
    path.write_text("<collada/>", encoding="utf-8")
    with pytest.raises(
        ArmError, match=r"its root is <collada>; an arm is in <robot> \(URDF\), <mujoco> \(MJCF\) or <sdf>"
    ):
        read(path)


def test_an_unknown_name_lists_the_catalog_and_the_nearest() -> None:
    with pytest.raises(
        ArmError, match=r"'puma56' \(did you mean 'puma560'\?\); the built-in arms are .*jpl-rrp.*\.urdf"
    ):
        read("puma56")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("missing.toml", r"missing\.toml: there is no such file; the built-in arms are"),
        ("no/such/place.urdf", "there is no such file"),
        ("arm.dae", r"the file type '\.dae' is not known; files end in \.toml, \.urdf, \.xml"),
        ("arm.urdf.xacro", "there is no such file"),
        ("folder/arm", "no ending tells the type of this file"),
        ("", "no built-in arm is named ''"),
        ("x" * 5000, "no built-in arm is named"),
        ("x" * 5000 + ".toml", "cannot be read"),
        ("a\0b.toml", "cannot be read"),
        (b"puma560", "not by b'puma560'"),
        (None, "not by None"),
        (560, "not by 560"),
    ],
)
def test_what_cannot_be_found_is_said_with_the_remedy(given: object, message: str) -> None:
    with pytest.raises(ArmError, match=message) as caught:
        read(given)  # type: ignore[arg-type]
    assert len(str(caught.value)) < 600


def test_folders_devices_and_huge_files_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "folder.toml"
    folder.mkdir()
    with pytest.raises(ArmError, match="is not a file"):
        read(folder)
    endless = tmp_path / "endless.xml"
    endless.symlink_to("/dev/zero")
    with pytest.raises(ArmError, match="is not a file"):
        read(endless)
    pipe = tmp_path / "pipe.urdf"
    os.mkfifo(pipe)
    with pytest.raises(ArmError, match="is not a file"):
        read(pipe)
    huge = tmp_path / "huge.urdf"
    with huge.open("wb") as file:
        file.truncate(LARGEST_FILE + 1)
    with pytest.raises(ArmError, match="is larger than 16,000,000 bytes"):
        read(huge)


def test_text_in_another_encoding_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "latin.toml"
    path.write_bytes('name = "Ärmchen"'.encode("latin-1"))
    with pytest.raises(ArmError, match="is not UTF-8 text"):
        read(path)


@pytest.mark.parametrize("suffix", [".urdf", ".xml"])
def test_an_entity_bomb_is_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"bomb{suffix}"
    path.write_text('<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><robot name="&b;"/>', encoding="utf-8")
    with pytest.raises(ArmError, match="not read for safety"):
        read(path)


def test_the_catalog_is_found_in_a_zipped_package(tmp_path: Path) -> None:
    """Through importlib.resources, so that it works wherever Python finds the package."""
    source = Path(dalembert.__file__).parent
    copy = tmp_path / "copy" / "dalembert"
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__"))
    archive = tmp_path / "package.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for path in sorted(copy.rglob("*")):
            file.write(path, path.relative_to(copy.parent))
    code = "from dalembert.arm.io.files import read, catalog_names; print(len(catalog_names()), read('planar-2r').n)"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(archive)}, capture_output=True, text=True
    )
    assert done.stdout.split() == [str(len(catalog_names())), "2"], done.stderr


# -- texts, open files, models ------------------------------------------------------------------------


def test_an_arm_is_read_from_a_text_an_open_file_or_its_path_alike(tmp_path: Path) -> None:
    arm = read("planar-2r")
    for suffix, text in ((".toml", write_toml(arm)), (".urdf", write_urdf(arm)), (".xml", "\n " + MJCF)):
        path = tmp_path / f"arm{suffix}"
        path.write_text(text.lstrip(), encoding="utf-8")
        wanted = read(path)
        assert wanted.n == read(str(path)).n > 0
        with path.open(encoding="utf-8") as words, path.open("rb") as raw:
            found = [read(text), read(words), read(raw), read(io.StringIO(text)), read(io.BytesIO(text.encode()))]
        assert [each.bodies for each in found] == [wanted.bodies] * 5
        assert found[0].origin == "text"
        assert found[1].origin == str(path)


def test_a_file_that_is_open_finds_what_it_includes_and_a_text_does_not(tmp_path: Path) -> None:
    (tmp_path / "part.xml").write_text("<mujoco>" + MJCF.partition(">")[2], encoding="utf-8")
    main = '<mujoco><include file="part.xml"/></mujoco>'
    (tmp_path / "main.xml").write_text(main, encoding="utf-8")
    with (tmp_path / "main.xml").open("rb") as file:
        assert read(file).bodies == read(MJCF).bodies
    with pytest.raises(ArmError, match="a text has no folder to look in; load the file by its path"):
        read(main)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("<collada/>", "text: its root is <collada>"),
        ("<robot", "text: is not well-formed XML"),
        ("name =\n", "text: is not valid TOML"),
        (io.BytesIO(b"\xff\xfe"), "open file: is not UTF-8 text"),
    ],
)
def test_a_text_that_is_no_arm_is_refused(source: object, message: str) -> None:
    with pytest.raises(ArmError, match=message):
        read(source if not isinstance(source, str) or "=" not in source else source + "x")


@pytest.mark.parametrize("source", ["planar-2r", write_urdf(read("planar-2r")), write_toml(read("planar-2r"))])
def test_what_has_no_parts_to_leave_out_refuses_skip(source: str) -> None:
    with pytest.raises(ArmError, match="skip leaves parts of MJCF files out, and this is"):
        read(source, skip=["tendon"])
