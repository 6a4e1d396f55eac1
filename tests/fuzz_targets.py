"""Every door through which something from outside comes in, with good inputs to start from.

A target takes a text and either answers or raises ArmError: anything else is an escape.
"""

from __future__ import annotations

import atexit
import contextlib
import io
import json
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import dalembert as da
from dalembert.arm.errors import LONGEST_SENTENCE, ArmError
from dalembert.arm.io.angle_reading import AngleReading
from dalembert.arm.io.expression import angle, quantity
from dalembert.arm.io.formula_text import read_formula
from dalembert.arm.io.mesh_files import read_mesh
from dalembert.arm.io.toml_drives import read_drives_text
from fuzz_seeds import (
    COMMANDS,
    CSV,
    FOLLOWS,
    FORMULAS,
    INPUTS,
    JOINT_FORMULAS,
    LOOP,
    MECHANISM,
    MIMIC,
    MJCF,
    NUMBERS,
    OBJ,
    SDF,
    SPRUNG,
    STUDY,
    XACRO,
    catalog,
    certificates,
    files,
    hexapod,
    log,
    msh,
    planar,
    stl,
    urdfs,
)


@dataclass(frozen=True)
class Target:
    """A door: what is called with a text, and good texts."""

    name: str
    call: Callable[[str], Any]
    seeds: Callable[[], tuple[str, ...]]


def used(arm: da.Arm) -> None:
    """The arm as it is used: its numbers, and its text in the formats that are written."""
    arm.write_toml()
    if not arm.elastic:
        arm.write_urdf()
    if not arm.n or arm.n > 12:
        return
    q = np.full(arm.n, 0.1)
    arm.forward_kinematics(q)
    arm.inverse_dynamics(q, q, q)
    arm.mass_matrix(q)
    arm.gravity_load(q)
    arm.forward_dynamics(q, q, q)


def read_arm(text: str, mimic: str = "refuse") -> None:
    """An arm from a text of any format, and its use."""
    used(da.load(io.StringIO(text), mimic=mimic))


@cache
def folder() -> Path:
    """A folder in memory for the files of this process."""
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    made = tempfile.TemporaryDirectory(dir=os.environ.get("FUZZ_FOLDER", memory), prefix="dalembert-fuzz-")
    # Forked processes have folders of their own, and each removes only that.
    own = os.getpid()
    atexit.register(lambda: made.cleanup() if os.getpid() == own else None)
    return Path(made.name)


def read_table(read: Callable[[Path], Any], ending: str, encoding: str = "utf-8") -> Callable[[str], None]:
    """A reader of files, given its text."""

    def call(text: str) -> None:
        path = folder() / f"input.{ending}"
        if encoding == "utf-8":
            path.write_bytes(text.encode("utf-8", "surrogatepass"))
        else:
            path.write_bytes(text.encode(encoding, "replace"))
        read(path)

    return call


def read_certificate(text: str) -> None:
    """A certificate, by an attacker who knows the digests of what was changed."""
    from dalembert.certificates.certificate_file import SECTIONS, digests

    try:
        whole = json.loads(text)
        for name in SECTIONS[whole["header"]["kind"]]:
            whole["digests"][name] = digests(whole[name])
        text = json.dumps(whole)
    except (ValueError, KeyError, TypeError, RecursionError, AttributeError):
        pass
    read_table(da.check_certificate, "json")(text)


def read_log(path: Path) -> None:
    """A log and what is asked of it first."""
    found = da.Log.read(path)
    assert found.step > 0
    assert found.stretches
    found.gained(np.ones(found.n))


def read_inputs(path: Path) -> None:
    """Inputs over time from a file."""
    from dalembert.simulation.input_table import read_input_table

    read_input_table(path, planar().joint_names, ("N m", "N m"))(0.1, np.zeros(2), np.zeros(2))


def read_loops(path: Path) -> None:
    """A mechanism from a file, in the configuration it is drawn in."""
    found = da.load_mechanism(path)
    if found.n <= 6:
        found.model(found.home)


def filled() -> Path:
    """A folder with the files that command lines name, and nothing else."""
    place = folder() / "work"
    given = good_files()
    if not place.exists() or sorted(os.listdir(place)) != sorted(given) or _changed(place):
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        for name, text in given.items():
            (place / name).write_text(text, encoding="utf-8")
    return place


good_files = cache(files)


def _changed(place: Path) -> bool:
    return any((place / name).stat().st_size != len(text.encode()) for name, text in good_files().items())


def command_line(text: str) -> str:
    """What the command with these words refuses to do; its code has to be one that is documented."""
    from dalembert.cli import main

    words = text.split("'")
    argv = [part for k, word in enumerate(words) for part in ([word] if k % 2 else word.split())]
    said = io.StringIO()
    here = Path.cwd()
    os.chdir(filled())
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
            code = main(argv)
    except SystemExit as end:
        code = end.code
    finally:
        os.chdir(here)
    if code not in (0, 2) and not (code == 1 and argv[:1] in (["verify"], ["ik"])):
        raise AssertionError(f"exit code {code}")
    refusal = ""
    for line in said.getvalue().splitlines():
        if line.startswith("dalembert: "):
            refusal = line.removeprefix("dalembert: ")
            check_sentence(refusal)
    if code == 2 and not refusal:
        raise AssertionError("exit code 2 without a word")
    return refusal


def read_formula_of(text: str) -> None:
    """A printed formula against the exact one, both as text."""
    from dalembert.equations.verify import verify

    str(verify(planar(), text))


def irb6_drives() -> tuple[str, ...]:
    """Drives in the catalog, and such whose ratios vary with the pose."""
    screws = Path(__file__).parents[1] / "examples" / "drives" / "irb6-screws.toml"
    return *catalog("irb6", folder="drives"), screws.read_text(encoding="utf-8")


@cache
def irb6() -> da.Arm:
    """The arm that drives are read for."""
    return da.load("irb6", physical="ignore")


def read_study_of(text: str) -> None:
    """A study, and all that it asks of its first designs; short of running what takes long."""
    from dalembert.api.study_loading import study_arm
    from dalembert.studies.study_file import parse_study

    asked = parse_study(text, "study.toml", None, study_arm).study
    if asked.samples <= 16 and all(output.batched for output in asked.outputs) and len(asked.factors) <= 4:
        asked.evaluator.evaluate(asked.designs[:4])


TARGETS = (
    Target("number", lambda text: float(quantity(text, "it")), lambda: NUMBERS),
    Target("angle", lambda text: angle(text, "it", AngleReading("as meant")), lambda: NUMBERS),
    Target("joint formula", lambda text: read_formula(text, ("a", "b"), "it"), lambda: JOINT_FORMULAS),
    Target("printed formula", read_formula_of, lambda: FORMULAS),
    Target("urdf", read_arm, urdfs),
    Target("mimic", lambda text: read_arm(text, "couple"), lambda: (MIMIC, FOLLOWS)),
    Target("mjcf", read_arm, lambda: (MJCF,)),
    Target("sdf", read_arm, lambda: (SDF,)),
    Target("xacro", read_arm, lambda: (XACRO,)),
    Target("arm toml", read_arm, lambda: catalog("planar-2r", "jpl-rrp", "irb6")),
    Target("drives toml", lambda text: read_drives_text(text, "drives.toml", irb6()), irb6_drives),
    Target("mechanism toml", read_table(read_loops, "toml"), lambda: (MECHANISM, SPRUNG, hexapod())),
    Target("mechanism mjcf", read_table(read_loops, "xml"), lambda: (LOOP,)),
    Target("mechanism urdf", read_table(read_loops, "urdf"), lambda: (MIMIC,)),
    Target("study toml", read_study_of, lambda: (STUDY,)),
    Target("motion csv", read_table(lambda path: da.motion_of(planar(), path), "csv"), lambda: (CSV,)),
    Target("input csv", read_table(read_inputs, "csv"), lambda: (INPUTS,)),
    Target("log csv", read_table(read_log, "csv"), lambda: (log(),)),
    Target("mesh obj", read_table(read_mesh, "obj"), lambda: (OBJ,)),
    Target("mesh stl", read_table(read_mesh, "stl", "latin-1"), lambda: (stl(),)),
    Target("mesh msh", read_table(read_mesh, "msh", "latin-1"), lambda: (msh(),)),
    Target("certificate", read_certificate, certificates),
    Target("command line", command_line, lambda: COMMANDS),
)


def check_sentence(said: str) -> None:
    """A message is one line of bounded length."""
    if len(said) > LONGEST_SENTENCE + 40 or not said.isprintable():
        raise AssertionError(f"a message of {len(said)} characters: {said[:200]!r}")


def outcome(target: Target, text: str) -> str:
    """ "accepted", or what the refusal says without the particulars; any other exception is an escape and passes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            said = target.call(text)
        except ArmError as fault:
            check_sentence(str(fault))
            return str(fault)
    return said if isinstance(said, str) and said else "accepted"
