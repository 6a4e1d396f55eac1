"""Every work cited in a docstring stands in docs/bibliography.md, and nothing stands there uncited."""

from __future__ import annotations

import ast
import calendar
import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "dalembert"
MONTHS = {month for month in calendar.month_name if month}
NAME = r"\b(?:(?:Van|De) )?[A-ZÀ-Þ][\w'’-]*[a-zß-ÿ][\w'’-]*"
CITATION = re.compile(rf"({NAME}(?:(?:, | and |, and ){NAME})*(?: et al\.)?) \(?((?:19|20)\d\d)\b")


def citations(text: str) -> set[str]:
    """Citations "Name YEAR", "Name and Name YEAR" and "Name et al. YEAR" in a text, line breaks aside."""
    matches = CITATION.finditer(" ".join(text.split()))
    return {f"{match[1]} {match[2]}" for match in matches if match[1].split()[-1] not in MONTHS}


def docstrings(path: Path) -> list[str]:
    """All docstrings of a module, those of constants and attributes included."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [
        node.value.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    ]


def bibliography() -> tuple[set[str], set[str]]:
    """The names of the works listed as cited, and of those listed as background."""
    text = (ROOT / "docs" / "bibliography.md").read_text(encoding="utf-8")
    cited, _, background = text.partition("\n## Background\n")
    keys = re.compile(r"\*\*([^*]+)\*\*")
    return set(keys.findall(" ".join(cited.split()))), set(keys.findall(" ".join(background.split())))


def test_a_citation_is_recognised_and_other_years_are_not() -> None:
    text = """Luh, Walker and Paul 1980, and Van Loan 1978; Peña (1997) and Gaz et al.
    2019, eq. 3. Measured in March 2024 on 2000 states, February 1974, IEEE ICRA 1994."""
    assert citations(text) == {"Luh, Walker and Paul 1980", "Van Loan 1978", "Peña 1997", "Gaz et al. 2019"}


def test_every_work_cited_in_a_docstring_is_in_the_bibliography() -> None:
    cited, background = bibliography()
    missing: dict[str, set[str]] = defaultdict(set)
    for path in SOURCE.rglob("*.py"):
        for text in docstrings(path):
            for citation in citations(text) - cited - background:
                missing[citation].add(path.relative_to(SOURCE).as_posix())
    assert not missing, f"cited, but not in docs/bibliography.md: {dict(missing)}"


def test_every_work_in_the_bibliography_is_cited_somewhere() -> None:
    files = [*SOURCE.rglob("*.py"), *SOURCE.rglob("*.toml"), *(ROOT / "docs").glob("*.md")]
    text = " ".join(
        " ".join(path.read_text(encoding="utf-8").split()) for path in files if path.name != "bibliography.md"
    )
    cited, _ = bibliography()
    # A title may stand between the names and the year.
    idle = [key for key in cited if not re.search(r".{0,80}\b".join(map(re.escape, key.rsplit(" ", 1))), text)]
    assert not idle, f"in docs/bibliography.md, but cited nowhere: {idle}"
