"""The site has every public name, command and page, is built strictly, and a reader's browser stays at home."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import dalembert as da
from dalembert.cli.run import COMMANDS
from loaded_scripts import loaded_script

ROOT = Path(__file__).parents[1]


PAGES = loaded_script(ROOT / "scripts" / "site_pages.py")


@pytest.fixture(scope="module")
def gathered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "docs"
    PAGES.gather(folder)
    return folder


def test_every_public_name_stands_on_one_page_of_the_reference() -> None:
    names = [name for page in PAGES.REFERENCE.values() for name in page]
    assert len(names) == len(set(names))
    assert set(names) == set(da.__all__) - {"__version__"}


def test_every_public_name_is_known_to_type_checkers() -> None:
    tree = ast.parse((ROOT / "src" / "dalembert" / "__init__.py").read_text(encoding="utf-8"))
    imported = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert set(da.__all__) <= {alias.asname or alias.name for node in imported for alias in node.names}


def test_every_command_is_described_with_its_options(gathered: Path) -> None:
    page = (gathered / "commands.md").read_text(encoding="utf-8")
    assert re.findall(r"^## dalembert (\S+)$", page, flags=re.MULTILINE) == list(COMMANDS)
    assert page.count("| `--load` |") == 1  # once for all commands that have it
    assert "`--load`" in page.split("## dalembert dynamics")[1].split("## dalembert")[0]


def test_every_arm_of_the_catalog_and_every_picture_is_in_the_gallery(gathered: Path) -> None:
    page = (gathered / "gallery.md").read_text(encoding="utf-8")
    shown = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page)
    assert {f"gallery/{name}.svg" for name in da.catalog()} <= set(shown)
    drawn = {path.relative_to(gathered).as_posix() for path in (gathered / "mechanisms").iterdir()}
    assert drawn <= set(shown)
    assert all((gathered / path).is_file() for path in shown)


def test_every_page_is_in_the_navigation(gathered: Path) -> None:
    listed = set(re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8").split("nav:")[1]))
    assert listed == {path.relative_to(gathered).as_posix() for path in gathered.rglob("*.md")}


def test_links_to_files_beside_the_docs_lead_to_their_pages() -> None:
    assert PAGES.linked("[a](../../README.md#two)", "tutorials/x.md", "docs/tutorials/x.md") == "[a](../start.md#two)"
    assert PAGES.linked("[a](docs/house.md)", "start.md", "README.md") == "[a](house.md)"
    assert PAGES.linked("[a](https://x.y/z.md)", "start.md", "README.md") == "[a](https://x.y/z.md)"


def test_the_site_is_built_without_a_warning_and_fetches_nothing(gathered: Path) -> None:
    site = gathered.parent / "site"
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    settings = settings.replace("build/docs", str(gathered)).replace("build/site", str(site))
    settings = settings.replace("paths: [src]", f"paths: [{ROOT / 'src'}]")
    (gathered.parent / "mkdocs.yml").write_text(settings, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"], cwd=gathered.parent, text=True,
        capture_output=True, check=False, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    loaded = re.compile(r"<(?:script|link|img|iframe)\b[^>]*(?:src|href)=\"(?:https?:)?//[^\"]*\"")
    for page in site.rglob("*.html"):
        assert not loaded.findall(page.read_text(encoding="utf-8")), page.name
    assert "christoffel" in (site / "search" / "search_index.json").read_text(encoding="utf-8")
