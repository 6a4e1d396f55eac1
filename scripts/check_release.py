#!/usr/bin/env python3
"""Builds the sdist and the wheel, looks at what is in them, and installs both in clean environments.

    python scripts/check_release.py                      # every Python from 3.11 on that is found
    python scripts/check_release.py --python python3.13  # these alone
    python scripts/check_release.py --contents           # builds and looks, installs nothing

The wheel is built twice, from this folder and from the unpacked sdist: both must hold the same files, which are those
that git tracks under ``src/dalembert``. In each environment ``dalembert --version``, ``doctor`` and ``demo`` run away
from this folder, and with the sdist some of its own tests. Packages come from where pip finds them, as
``constraints.txt`` pins them. Ends with code 1 and one line for each thing that is wrong.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from email import message_from_string
from pathlib import Path

ROOT = Path(__file__).parents[1]
OLDEST = (3, 11)
TESTS = ("tests/rings", "tests/arm", "tests/formulations/test_laws.py", "tests/formulations/test_agreement.py")
"""Tests of the sdist that need no package beyond those of the base install, pytest and hypothesis."""
OURS = ("dalembert/", "src/", "tests/", "docs/", "benchmarks/", "examples/", "scripts/")


class ReleaseError(Exception):
    """What is wrong with a release, in one sentence."""


def tracked(folder: Path = ROOT) -> set[str]:
    """Files that belong to the project: those of git, or of an unpacked sdist all but what Python leaves behind."""
    if (folder / ".git").exists():
        listed = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        return {name for name in listed if (folder / name).is_file()}
    files = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(folder).as_posix() for path in files}


def build(kind: str, source: Path, folder: Path) -> Path:
    """The ``kind`` ("wheel" or "sdist") of ``source``, by the build backend of pyproject.toml."""
    folder.mkdir(parents=True, exist_ok=True)
    code = f"import hatchling.build as b; print(b.build_{kind}({str(folder)!r}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=source, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ReleaseError(f"the {kind} of {source.name} was not built: {done.stderr.strip()[-600:]}")
    return folder / done.stdout.split()[-1]


def unpack(sdist: Path, folder: Path) -> Path:
    """The one folder inside the sdist, unpacked."""
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (inside,) = folder.iterdir()
    return inside


def wheel_faults(names: set[str], files: set[str]) -> list[str]:
    """The wheel holds every tracked file of the package and its metadata, and nothing else."""
    wanted = {name.removeprefix("src/") for name in files if name.startswith("src/dalembert/")}
    inside = {name for name in names if ".dist-info/" not in name}
    return [f"the wheel lacks {name}" for name in sorted(wanted - inside)] + [
        f"the wheel holds {name}, which is no file of the package" for name in sorted(inside - wanted)
    ]


def sdist_faults(names: set[str], files: set[str]) -> list[str]:
    """The sdist holds what is needed to build, test and read about the package, all of it tracked."""
    wanted = {name for name in files if name.startswith(OURS) or "/" not in name} - {".pre-commit-config.yaml"}
    extra = names - files - {"PKG-INFO"}
    return [f"the sdist lacks {name}" for name in sorted(wanted - names)] + [
        f"the sdist holds {name}, which git does not track" for name in sorted(extra)
    ]


def metadata_faults(text: str, version: str) -> list[str]:
    """What an index would refuse: fields that are missing, invalid, or do not fit the version."""
    from packaging.metadata import Metadata

    fields = message_from_string(text)
    faults = []
    try:
        Metadata.from_email(text, validate=True)
    except ExceptionGroup as group:
        faults += [f"metadata: {error}" for error in group.exceptions]
    if fields["Version"] != version:
        faults.append(f"metadata: version {fields['Version']}, but version.py says {version}")
    if fields["Description-Content-Type"] != "text/markdown" or not fields.get_payload().strip():
        faults.append("metadata: the README is not the description, or not as text/markdown")
    for name in ("Summary", "Requires-Python", "License-Expression", "License-File", "Classifier"):
        if not fields[name]:
            faults.append(f"metadata: {name} is missing")
    return faults


def written_version() -> str:
    """The version in its one place."""
    found = re.search(r'__version__ = "(.+)"', (ROOT / "src" / "dalembert" / "version.py").read_text(encoding="utf-8"))
    if found is None:
        raise ReleaseError("src/dalembert/version.py has no line __version__ = ...")
    return found[1]


def contents(folder: Path) -> tuple[Path, Path, list[str]]:
    """The wheel, the sdist, and what is wrong with what they hold."""
    files = tracked()
    sdist = build("sdist", ROOT, folder)
    unpacked = unpack(sdist, folder / "unpacked")
    wheel = build("wheel", unpacked, folder)
    from_tree = build("wheel", ROOT, folder / "from-tree")
    with zipfile.ZipFile(wheel) as archive, zipfile.ZipFile(from_tree) as other:
        names = set(archive.namelist())
        faults = wheel_faults(names, files)
        if names != set(other.namelist()):
            faults.append("the wheel of the unpacked sdist holds other files than the wheel of this folder")
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        faults += metadata_faults(archive.read(metadata).decode(), written_version())
    faults += sdist_faults(tracked(unpacked), files)
    return wheel, sdist, faults


def pythons() -> list[Path]:
    """Interpreters from the oldest supported version on: on the path, and those that pyenv holds."""
    known = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [shutil.which(f"python3.{minor}") for minor in range(OLDEST[1], 21)]
    candidates += sorted(str(path) for path in known.glob("3.*/bin/python"))
    found: dict[tuple[int, ...], Path] = {}
    for candidate in filter(None, candidates):
        done = subprocess.run(
            [candidate, "-c", "import sys; print(*sys.version_info[:2])"], capture_output=True, text=True, check=False
        )
        version = tuple(map(int, done.stdout.split())) if done.returncode == 0 else (0,)
        if version >= OLDEST:
            found.setdefault(version, Path(candidate))
    return [found[version] for version in sorted(found)]


def call(command: list[str | Path], folder: Path) -> str:
    """Standard output of a command run in ``folder``, with nothing of this process's Python in its environment."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    clean["CI"] = "true"  # the same random examples every time
    done = subprocess.run(
        [str(word) for word in command], cwd=folder, env=clean, capture_output=True, text=True, check=False
    )
    if done.returncode:
        said = (done.stdout + done.stderr).strip()[-1500:]
        raise ReleaseError(
            f"{' '.join(Path(str(word)).name for word in command[:4])} ended with {done.returncode}: {said}"
        )
    return done.stdout


def installed(python: Path, package: Path, folder: Path, extra: tuple[str, ...] = ()) -> Path:
    """The folder of commands of a new environment that holds ``package``."""
    call([python, "-m", "venv", folder], ROOT)
    commands = folder / ("Scripts" if os.name == "nt" else "bin")
    pip = [
        commands / "python",
        "-m",
        "pip",
        "install",
        "-q",
        "--disable-pip-version-check",
        "-c",
        ROOT / "constraints.txt",
    ]
    call([*pip, package, *extra], ROOT)
    return commands


def first_use(commands: Path, folder: Path, demo: bool) -> None:
    """The first commands of a user, in an empty folder."""
    folder.mkdir()
    said = call([commands / "dalembert", "--version"], folder)
    if written_version() not in said:
        raise ReleaseError(f"dalembert --version says {said.strip()!r}, not {written_version()}")
    call([commands / "dalembert", "doctor"], folder)
    if demo:
        call([commands / "dalembert", "demo"], folder)
        if not list(folder.glob("*.html")):
            raise ReleaseError("dalembert demo wrote no page")


def try_on(python: Path, wheel: Path, sdist: Path, folder: Path) -> None:
    """Wheel and sdist on one Python, each in an environment of its own."""
    folder.mkdir()
    first_use(installed(python, wheel, folder / "wheel"), folder / "wheel-use", demo=True)
    commands = installed(python, sdist, folder / "sdist", ("pytest", "hypothesis"))
    first_use(commands, folder / "sdist-use", demo=False)
    source = unpack(sdist, folder / "source")
    call([commands / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--ignore=tests/arm/io", *TESTS], source)


def main() -> int:
    """Build, look, install; what is wrong goes to standard error."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", action="append", type=Path, help="an interpreter to try; may be given again")
    parser.add_argument("--contents", action="store_true", help="build and look, install nothing")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="copy wheel and sdist there when all is well")
    options = parser.parse_args()
    faults: list[str] = []
    with tempfile.TemporaryDirectory() as place:
        try:
            wheel, sdist, faults = contents(Path(place))
            print(f"built {wheel.name} ({wheel.stat().st_size} bytes) and {sdist.name} ({sdist.stat().st_size} bytes)")
            chosen = [] if options.contents else options.python or pythons()
        except ReleaseError as error:
            faults, chosen = [str(error)], []
        for number, python in enumerate(chosen):
            start = time.monotonic()
            try:
                try_on(python, wheel, sdist, Path(place) / f"python-{number}")
                print(f"{python}: wheel and sdist installed, commands and tests ran, {time.monotonic() - start:.0f} s")
            except (ReleaseError, OSError) as error:
                faults.append(f"{python}: {error}")
        if not faults and options.keep:
            options.keep.mkdir(parents=True, exist_ok=True)
            for package in (wheel, sdist):
                shutil.copy(package, options.keep)
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
