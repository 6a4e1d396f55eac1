"""Mesh references lead nowhere but below the folder of the arm file and its packages, whatever the file says."""

from __future__ import annotations

from pathlib import Path

import pytest

from dalembert.arm.errors import ArmError
from dalembert.arm.io.mesh_paths import folder_of, mesh_path


@pytest.fixture
def arm_folder(tmp_path: Path) -> Path:
    """home/ with a secret; home/robots/ a package with urdf/ and meshes/."""
    robots = tmp_path / "home" / "robots"
    for name in ("urdf", "meshes"):
        (robots / name).mkdir(parents=True)
    (robots / "meshes" / "a.stl").write_bytes(b"mesh")
    (robots / "urdf" / "b.obj").write_bytes(b"mesh")
    (tmp_path / "home" / "secret.stl").write_bytes(b"secret")
    (robots / "urdf" / "arm.urdf").write_text("<robot/>")
    return robots / "urdf"


def test_meshes_are_found_beside_the_file_and_in_its_package(arm_folder: Path) -> None:
    robots = arm_folder.parent
    (robots / "package.xml").write_text("<package/>")
    wanted = robots / "meshes" / "a.stl"
    assert mesh_path("b.obj", arm_folder) == arm_folder / "b.obj"
    for reference in ("../meshes/a.stl", "package://robots/meshes/a.stl", "model://robots/meshes/a.stl",
                      f"file://{wanted}", str(wanted)):  # fmt: skip
        assert mesh_path(reference, arm_folder) == wanted
    assert folder_of(str(arm_folder / "arm.urdf")) == arm_folder
    assert folder_of("text") is None


@pytest.mark.parametrize(
    "reference",
    [
        "../meshes/a.stl", "../../secret.stl", "{home}/secret.stl", "file://{home}/secret.stl", "/etc/passwd.stl",
        "file:///etc/passwd.stl", "package://robots/../secret.stl", "package://../secret.stl", "inner/out.stl",
        "package://robots/urdf/inner/out.stl", "http://127.0.0.1/a.stl", "https://x/a.stl", "ftp://x/a.stl",
        "data:model/stl,a.stl", "smb:a.stl", "arm.urdf", "/etc/passwd", "file://a.stl", "b.obj\0.stl", "",
        "C:/a.stl.exe", "package://.ssh/id_rsa", "package:///a.stl", "archive.zip", "b.stl.gz",
    ],
)  # fmt: skip
def test_a_hostile_reference_is_refused_in_one_sentence(arm_folder: Path, reference: str) -> None:
    home = arm_folder.parents[1]
    (arm_folder / "inner").symlink_to(home)
    (home / "out.stl").write_bytes(b"secret")
    with pytest.raises(ArmError) as refusal:
        mesh_path(reference.format(home=home), arm_folder)
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 500


def test_a_text_has_no_meshes(arm_folder: Path) -> None:
    with pytest.raises(ArmError, match="a text has no folder"):
        mesh_path("b.obj", None)
