"""What is shipped: version, data files, declared dependencies, the command."""

from __future__ import annotations

import ast
import importlib.metadata
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.resources import files
from pathlib import Path

import pytest

import dalembert as da
from dalembert.version import __version__
from loaded_scripts import loaded_script

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "dalembert"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
# Where the name of a distribution is not the name one imports.
IMPORTED_AS = {"python-flint": "flint", "pyyaml": "yaml"}


def distribution(requirement: str) -> str:
    return re.match(r"[A-Za-z0-9._-]+", requirement)[0].lower()  # type: ignore[index]


def test_the_package_states_the_version_it_is_installed_as():
    assert da.__version__ == __version__ == importlib.metadata.version("dalembert")
    assert re.fullmatch(r"\d+\.\d+\.\d+", __version__)
    assert re.search(rf"^## \[{__version__}\] - \d{{4}}-\d\d-\d\d$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text()


def test_the_command_leads_to_main():
    (script,) = importlib.metadata.entry_points(group="console_scripts", name="dalembert")
    code = f"import sys; from {script.module} import {script.attr}; sys.exit({script.attr}())"
    done = subprocess.run([sys.executable, "-c", code, "--version"], capture_output=True, text=True, check=True)
    assert __version__ in done.stdout


def test_the_package_is_marked_as_typed():
    assert files("dalembert").joinpath("py.typed").is_file()


RELEASE = loaded_script(ROOT / "scripts" / "check_release.py")


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, list[str]]:
    return RELEASE.contents(tmp_path_factory.mktemp("packages"))


def test_wheel_and_sdist_hold_every_file_of_the_package_and_no_others(packages):
    """Both wheels, of the tree and of the unpacked sdist, against the files that git tracks; metadata is complete."""
    wheel, _, faults = packages
    assert not faults
    inside = set(zipfile.ZipFile(wheel).namelist())
    assert {f"dalembert/arm/catalog/{name}.toml" for name in da.catalog()} <= inside
    assert {"dalembert/py.typed", "dalembert/fmu/c/core.h", "dalembert/report/html/assets/report.css"} <= inside
    assert any(name.endswith("licenses/LICENSE") for name in inside)


def test_a_file_that_is_missing_or_foreign_is_told():
    files = {"src/dalembert/a.py", "src/dalembert/b.toml", "README.md", "tests/test_a.py"}
    assert RELEASE.wheel_faults({"dalembert/a.py", "x.dist-info/METADATA", "tests/test_a.py"}, files) == [
        "the wheel lacks dalembert/b.toml",
        "the wheel holds tests/test_a.py, which is no file of the package",
    ]
    assert RELEASE.sdist_faults(files - {"README.md"} | {"PKG-INFO", "notes.md"}, files) == [
        "the sdist lacks README.md",
        "the sdist holds notes.md, which git does not track",
    ]


def test_metadata_that_an_index_would_refuse_is_told():
    text = "Metadata-Version: 2.4\nName: dalembert\nVersion: 0.1\nRequires-Python: x\n"
    faults = " ".join(RELEASE.metadata_faults(text, "0.2.0"))
    for word in ("requires-python", "version 0.1, but", "README", "Summary is missing"):
        assert word in faults


def test_every_package_the_source_imports_is_a_declared_dependency():
    declared = {IMPORTED_AS.get(name, name) for name in map(distribution, PROJECT["dependencies"])}
    optional = {
        IMPORTED_AS.get(distribution(requirement), distribution(requirement))
        for extra, requirements in PROJECT["optional-dependencies"].items()
        if extra != "test"
        for requirement in requirements
    }
    for path in SOURCE.rglob("*.py"):
        tree = ast.parse(path.read_text(), str(path))
        always = {name for node in tree.body for name in imported(node)}
        anywhere = {name for node in ast.walk(tree) for name in imported(node)}
        foreign = {name for name in anywhere if name not in sys.stdlib_module_names} - {"dalembert"}
        assert always & foreign <= declared, path
        assert foreign <= declared | optional, path


def imported(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Import):
        return {alias.name.partition(".")[0] for alias in node.names}
    if isinstance(node, ast.ImportFrom) and not node.level:
        return {(node.module or "").partition(".")[0]}
    return set()


def test_constraints_are_plain_pins_and_cover_every_requirement():
    lines = (ROOT / "constraints.txt").read_text().split()
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.]+", line) for line in lines)
    pinned = {line.partition("==")[0].lower().replace("_", "-") for line in lines}
    needed = {*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["test"]}
    assert {distribution(requirement) for requirement in needed} - {"dalembert"} <= pinned


def test_no_module_is_too_long_to_hold_in_the_head():
    long = {path.name: n for path in SOURCE.rglob("*.py") if (n := len(path.read_text().splitlines())) > 500}
    assert not long
