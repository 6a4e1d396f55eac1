"""Files are read by one door: of bounded size, only if they are files, and at once."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.arm.io.text_files import file_bytes, read_text
from dalembert.arm.io.toml_drives import read_drives_file
from dalembert.simulation.input_table import read_input_table

ARM = da.load("planar-2r", physical="ignore")
READERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "arm": ("x.toml", da.load),
    "urdf": ("x.urdf", da.load),
    "mechanism": ("x.toml", da.load_mechanism),
    "mechanism in MJCF": ("x.xml", da.load_mechanism),
    "drives": ("x.toml", lambda path: read_drives_file(path, ARM)),
    "motion": ("x.csv", lambda path: da.motion_of(ARM, path)),
    "inputs": ("x.csv", lambda path: read_input_table(path, ("a",), ("N m",))),
    "log": ("x.csv", da.Log.read),
    "certificate": ("x.json", da.check_certificate),
    "mesh": ("x.stl", lambda path: da.load(included(path, '<mesh name="m" file="{}"/>'))),
    "include": ("x.xml", lambda path: da.load(included(path, "", '<include file="{}"/>'))),
    "arm of a chain": ("x.toml", lambda path: da.load_mechanism(chain(path))),
}
BINARY, BESIDE = ("mesh",), ("include", "arm of a chain")
"""Readers of files that are no text, and of files that another names."""


def included(path: Path, asset: str, more: str = "") -> Path:
    """An MJCF file beside it that names this file."""
    text = f"""<mujoco>{more}<asset>{asset}</asset><worldbody><body><joint type="hinge"/>
    <geom type="{"mesh" if asset else "sphere"}" {'mesh="m"' if asset else 'size="1"'}/></body></worldbody></mujoco>"""
    whole = path.parent.parent / "whole.xml"
    whole.write_text(text.replace("{}", str(path)))
    return whole


def chain(path: Path) -> Path:
    """A mechanism file beside it that names this file."""
    whole = path.parent.parent / "whole.toml"
    whole.write_text(f'[chain.a]\narm = "{path}"\n')
    return whole


@pytest.fixture(autouse=True)
def quickly() -> Iterator[None]:
    """A reader that waits for a pipe is ended."""

    def ended(number: int, frame: object) -> None:
        raise TimeoutError("the reader waits")

    before = signal.signal(signal.SIGALRM, ended)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("reader", READERS)
def test_a_pipe_and_a_device_are_no_files(reader: str, tmp_path: Path) -> None:
    name, read = READERS[reader]
    pipe, device, folder = (tmp_path / kind / name for kind in ("pipe", "device", "folder"))
    for path in (pipe, device, folder):
        path.parent.mkdir()
    os.mkfifo(pipe)
    device.symlink_to("/dev/zero")
    folder.mkdir()
    for path in (pipe, device, folder):
        # One that another file names is not there as long as it is no file.
        with pytest.raises(ArmError, match="is not a file; name a file" + "|is not there" * (reader in BESIDE)):
            read(path)


@pytest.mark.parametrize("reader", READERS)
def test_a_missing_file_and_one_that_is_no_text_are_named(reader: str, tmp_path: Path) -> None:
    name, read = READERS[reader]
    path = tmp_path / name
    with pytest.raises(ArmError, match=r"there is no such file|whole.xml: <include>: .* is not there"):
        read(path)
    with pytest.raises(ArmError, match=r"cannot be read \(File name too long\)|<include>: file is longer|no such file"):
        read(tmp_path / ("y" * 300 + name))
    if reader in BINARY:
        return
    path.write_bytes(b"\xff\xfe\xff")
    with pytest.raises(ArmError, match="is not UTF-8 text"):
        read(path)


def test_a_file_is_read_up_to_its_bound(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"\xef\xbb\xbfab")
    assert file_bytes(path, 5) == b"\xef\xbb\xbfab"
    assert read_text(path) == "ab"
    with pytest.raises(ArmError, match="larger than 4 bytes"):
        file_bytes(path, 4)
