"""Files are written whole or not at all: a full disk and an interruption leave the old one as it was."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.arm.io import whole_files
from dalembert.arm.io.whole_files import replacing, write_whole
from dalembert.cli import main
from dalembert.compile.cuda.write_cuda import write_cuda
from dalembert.compile.functions import function
from dalembert.report.section import Section
from dalembert.report.write import write_csv, write_json

ARM = da.load("planar-2r", physical="ignore")


def motion() -> da.Motion:
    return ARM.simulate(np.zeros(2), [0.1, 0.2], duration=0.01, samples=3, compiled=False)


def page(write: Callable[..., object]) -> Callable[[Path], object]:
    from dalembert.markup.data_tables import Column, DataTable
    from dalembert.report.assemble import Report

    table = DataTable("t", "a table", (Column("x", "x"),), ((1.0,),))
    section = Section("s", "S", "meaning", (), (table,))
    return lambda path: write(Report(ARM, "", (section,)), path)


WRITERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "csv": ("m.csv", lambda path: motion().save(path)),
    "netcdf": ("m.nc", lambda path: motion().save(path)),
    "parquet": ("m.parquet", lambda path: motion().save(path)),
    "replay": ("m.html", lambda path: ARM.replay(motion(), path)),
    "c": ("planar_2r_gravity_load.c", lambda path: ARM.write_c("gravity_load", path.parent)),
    "cuda": ("planar_2r_gravity_load_rows.cu", lambda path: write_cuda(function(ARM, "gravity_load"), path.parent)),
    "arm file": ("a.toml", lambda path: main(["convert", "planar-2r", "--to", "toml", "-o", str(path), "--force"])),
    "document": ("e.tex", lambda path: main(["equations", "planar-2r", "--document", str(path)])),
}


def test_the_file_is_the_text_and_the_old_permissions_and_link_stay(tmp_path: Path) -> None:
    path, link = tmp_path / "a.txt", tmp_path / "link.txt"
    write_whole(path, "one\r\ntwo\n")
    assert path.read_bytes() == b"one\r\ntwo\n"
    path.chmod(0o640)
    link.symlink_to(path)
    write_whole(link, "three")
    assert link.is_symlink()
    assert path.read_text() == "three"
    assert path.stat().st_mode & 0o777 == 0o640
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.txt", "link.txt"]


def test_a_new_file_takes_the_place_of_none_unless_told(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_whole(path, "old", over=False)
    with pytest.raises(FileExistsError):
        write_whole(path, "new", over=False)
    assert path.read_text() == "old"


@pytest.mark.parametrize("fault", [KeyboardInterrupt(), ValueError("no")])
def test_whatever_ends_the_writing_the_old_file_stays(tmp_path: Path, fault: BaseException) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")

    def half() -> None:
        with replacing(path) as beside:
            beside.write_text("half")
            raise fault

    with pytest.raises(type(fault)):
        half()
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_a_folder_is_no_file_and_a_missing_one_is_named(tmp_path: Path) -> None:
    with pytest.raises(ArmError, match="is a folder; name a file in it"):
        write_whole(tmp_path, "x")
    with pytest.raises(ArmError, match=r"nowhere/a\.txt: could not be written \(No such file or directory\)"):
        write_whole(tmp_path / "nowhere" / "a.txt", "x")
    (tmp_path / "file").write_text("x")
    with pytest.raises(ArmError, match="cannot be made a folder"):
        whole_files.made_folder(tmp_path / "file" / "below")


def test_a_name_that_no_file_can_have_is_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ArmError, match=r"could not be written \(File name too long\)"):
        write_whole(tmp_path / ("x" * 300), "x")
    with pytest.raises(ArmError, match="is no name that a file can have"):
        write_whole(tmp_path / "a\0b", "x")
    with pytest.raises(ArmError, match="cannot be made a folder"):
        whole_files.made_folder(tmp_path / "a\0b")
    (tmp_path / "one").symlink_to(tmp_path / "two")
    (tmp_path / "two").symlink_to(tmp_path / "one")
    write_whole(tmp_path / "one", "x")  # links that lead to each other hold nothing that could be lost
    assert (tmp_path / "one").read_text() == "x"


def test_a_device_is_written_to_and_stays_one() -> None:
    write_whole("/dev/null", "x")
    assert not Path("/dev/null").is_file()


@pytest.mark.parametrize("writer", WRITERS)
def test_a_full_disk_keeps_the_old_file_and_names_it(
    writer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name, write = WRITERS[writer]
    path = tmp_path / name

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    write(path)
    old = {file: file.read_bytes() for file in tmp_path.iterdir()}
    assert path in old
    monkeypatch.setattr(whole_files.os, "fsync", full)
    said = ""
    try:
        assert write(path) == 2
        said = capsys.readouterr().err
    except ArmError as fault:
        said = str(fault)
    assert "could not be written (No space left on device), and the old file is as it was" in said
    assert str(tmp_path) in said
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == old


def test_tables_of_a_report_are_written_whole() -> None:
    for write in (write_csv, write_json):
        assert "write_whole" in write.__code__.co_names
