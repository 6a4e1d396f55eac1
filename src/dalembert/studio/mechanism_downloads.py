"""What can be taken away of a mechanism: files, each in memory."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..compile.write_c import identifier
from ..mechanisms.mechanism import Mechanism
from .downloads import zipped

Array = NDArray[np.float64]


@dataclass(frozen=True)
class MechanismState:
    """A mechanism at joints phi."""

    mechanism: Mechanism
    phi: Array

    @property
    def stem(self) -> str:
        """The name of its files."""
        return identifier(self.mechanism.name)


def mechanism_file(state: MechanismState) -> tuple[str, bytes]:
    """The mechanism as TOML."""
    return f"{state.stem}.toml", state.mechanism.write_toml().encode()


def mjcf_file(state: MechanismState) -> tuple[str, bytes]:
    """Links and closures as MJCF, for MuJoCo."""
    return f"{state.stem}.xml", _bytes_written(lambda path: state.mechanism.write_mjcf(path), "mechanism.xml")


def c_files(state: MechanismState) -> tuple[str, bytes]:
    """Functions for a controller as C99, in an archive."""

    def write(folder: Path) -> None:
        for name in ("position", "inverse_dynamics", "gravity_load"):
            state.mechanism.write_c(name, folder)

    return f"{state.stem}-c.zip", zipped(write)


def equations_file(state: MechanismState) -> tuple[str, bytes]:
    """The exact equations as text: D and G of the chains, closures, slopes."""
    return f"{state.stem}-equations.txt", state.mechanism.equations().text().encode()


def page_file(state: MechanismState) -> tuple[str, bytes]:
    """A page with the mechanism to move by hand, at the present coordinates."""
    from ..report.mechanism_page import mechanism_page

    page = mechanism_page(state.mechanism, state.mechanism.coordinates_of(state.phi))
    return f"{state.stem}.html", page.encode()


def picture_file(state: MechanismState) -> tuple[str, bytes]:
    """The mechanism as SVG."""
    from ..report.mechanism_picture import write_mechanism_picture

    return f"{state.stem}.svg", _bytes_written(
        lambda path: write_mechanism_picture(state.mechanism, path, state.phi), "mechanism.svg"
    )


MECHANISM_FILES: dict[str, Callable[[MechanismState], tuple[str, bytes]]] = {
    "mechanism file (TOML)": mechanism_file,
    "MJCF": mjcf_file,
    "C for a controller (zip)": c_files,
    "equations (text)": equations_file,
    "page (HTML)": page_file,
    "picture (SVG)": picture_file,
}


def _bytes_written(write: Callable[[Path], object], name: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        write(path)
        return path.read_bytes()
