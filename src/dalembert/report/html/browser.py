"""Headless browser for printing the page as PDF, where the machine has one."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ...arm.errors import ArmError

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
FLAGS = (
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
)
NONE_FOUND = (
    "a PDF needs Chromium or Chrome on this machine, and none is found; install one, name it in DALEMBERT_BROWSER, "
    "or open "
    "the page in any browser and print it"
)
TIMEOUT = 120.0
"""Time limit of the browser (s)."""


def find_browser() -> str | None:
    """The command of a Chromium-like browser; the environment variable DALEMBERT_BROWSER overrides it."""
    override = os.environ.get("DALEMBERT_BROWSER")
    if override:
        return shutil.which(override)
    return next((command for command in map(shutil.which, NAMES) if command), None)


def run_browser(arguments: Sequence[str], page: Path, browser: str | None = None) -> subprocess.CompletedProcess[str]:
    """Opens a page in a headless browser with a temporary profile."""
    command = browser or find_browser()
    if command is None:
        raise ArmError(NONE_FOUND)
    # Chromium's sandbox does not work for root, as in most containers.
    sandbox = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory(prefix="dalembert-browser-", ignore_cleanup_errors=True) as profile:
        line = [command, *FLAGS, *sandbox, f"--user-data-dir={profile}", *arguments, page.resolve().as_uri()]
        try:
            return subprocess.run(line, capture_output=True, text=True, timeout=TIMEOUT, check=False)
        except subprocess.TimeoutExpired:
            raise ArmError(
                f"{command} did not finish with {page} within {TIMEOUT:g} s; open the page and print it by hand"
            ) from None


def write_pdf(page: Path, pdf: Path) -> None:
    """Prints a page as PDF."""
    process = run_browser(
        ["--no-pdf-header-footer", "--virtual-time-budget=10000", f"--print-to-pdf={pdf.resolve()}"], page
    )
    if not pdf.exists() or not pdf.stat().st_size:
        last = (process.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise ArmError(f"the browser did not print {page} as {pdf}: {last}")
