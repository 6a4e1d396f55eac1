"""A browser for the pages, and the pages of two arms, made once."""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import dalembert as da
from dalembert.markup.elements import Html
from dalembert.report.assemble import Report
from dalembert.report.html.browser import run_browser
from dalembert.report.write import write_report

CUBE = da.Load.of(da.Inertia.box("1.8", ("0.0762",) * 3))
"""Bejczy's load: a cube of 442 cm^3."""


@pytest.fixture(scope="session")
def opened(browser: str) -> Callable[[Path], tuple[str, list[str]]]:
    """Open a page: its document after the scripts ran, and all that the console said."""

    def open_page(page: Path) -> tuple[str, list[str]]:
        flags = ["--enable-logging=stderr", "--virtual-time-budget=5000", "--window-size=1200,900", "--dump-dom"]
        done = run_browser(flags, page, browser)
        assert done.stdout.strip(), f"the browser showed nothing: {done.stderr[-500:]}"
        return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]

    return open_page


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all workers of one run share."""
    base = tmp_path_factory.getbasetemp()
    shared = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "reports"
    shared.mkdir(exist_ok=True)
    return shared


def driven(name: str) -> da.DrivenArm:
    """A built-in arm with its drives."""
    return da.load(name, physical="ignore").driven


@pytest.fixture(scope="session")
def made(folder: Path) -> Callable[[str], tuple[da.DrivenArm, Report, Path]]:
    """A built-in arm with its drives, and the report of it with a load in the hand; worked out once for all workers."""
    kept: dict[str, tuple[da.DrivenArm, Report, Path]] = {}

    def make(name: str) -> tuple[da.DrivenArm, Report, Path]:
        if name not in kept:
            arm, path, done = driven(name), folder / f"{name}.html", folder / f"{name}.pickle"
            try:
                (folder / f"{name}.lock").touch(exist_ok=False)
            except FileExistsError:
                kept[name] = arm, awaited(done), path
            else:
                found = write_report(arm.holding(CUBE), path, tolerances=(0.05,))
                (folder / f"{name}.part").write_bytes(pickle.dumps(found.sections))
                (folder / f"{name}.part").rename(done)
                kept[name] = arm, found, path
        return kept[name]

    def awaited(done: Path) -> Report:
        for _ in range(1200):
            if done.exists():
                return Report(driven(done.stem).holding(CUBE), Html(), pickle.loads(done.read_bytes()))
            time.sleep(0.25)
        pytest.fail(f"the worker that makes {done.name} did not finish it")

    return make
