"""``dalembert equations``: the exact equations of motion."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dalembert.arm.errors import ArmError

from .closed_form_options import Parameters, closed_form
from .system_options import system_command

if TYPE_CHECKING:
    from dalembert.api.questions import SystemQuestions as System
    from dalembert.equations.closed_form import Equations
    from dalembert.equations.polynomial import TrigPolynomial

MOST_TERMS = 20_000
FORMATS = ("text", "latex", "markdown", "sympy", "python", "c", "json")


@system_command
def equations(
    system: System,
    only: Annotated[str, typer.Option(help="Coefficients to print, such as D12,G2.")] = "",
    group_by: Annotated[str, typer.Option(help="link, parameter or harmonic.")] = "",
    format: Annotated[str, typer.Option(help=", ".join(FORMATS))] = "text",
    document: Annotated[str, typer.Option(help="Write the model to this .html or .tex file instead.")] = "",
    parameters: Parameters = "symbols",
    joints: Annotated[str, typer.Option(help="Joints that move, such as 1,2,3; the others rest.")] = "",
    at: Annotated[str, typer.Option(help="Where resting joints rest, such as 4=0,5=0.5.")] = "",
    link: Annotated[str, typer.Option(help="Only what this link adds: its number, or L for the load.")] = "",
) -> None:
    """Print the exact equations of motion."""
    from dalembert.equations.document import chosen, size_checked

    found = closed_form(system, parameters, joints, at)
    names = [word for word in only.replace(" ", "").split(",") if word]
    grouping = group_by or None
    if document:
        path = Path(document)
        form = path.suffix.removeprefix(".").lower()
        if form not in ("html", "tex"):
            raise ArmError(f"a document is a .html or a .tex file, not {document!r}")
        text = found.document(names, grouping, form)
        path.write_text(text, encoding="utf-8")
        print(f"{document}: {len(chosen(found, names))} coefficients of {found.arm.name}")
        return
    if format not in FORMATS:
        raise ArmError(f"there is no format {format!r}; the formats are {', '.join(FORMATS)}")
    wanted = chosen(found, names)
    size_checked(found, wanted, MOST_TERMS, "a terminal")
    if format == "json":
        print(json.dumps(as_json(found, wanted), indent=1, ensure_ascii=False))
        return
    for name in wanted:
        polynomial = share(found, name, link) if link else found[name]
        if polynomial is not None:
            print(f"{name} = {written(polynomial, format, grouping)}")


def share(found: Equations, name: str, link: str) -> TrigPolynomial | None:
    """What one link adds to a coefficient, if anything."""
    from dalembert.equations.attribution import links

    known = {str(number): number for number in links(found)}
    if link not in known:
        load = "" if "L" in known else "; the load L needs --parameters symbols+load"
        raise ArmError(f"there is no link {link!r}; the links are {', '.join(known)}{load}")
    return found.by_link(name).get(known[link])


def written(polynomial: TrigPolynomial, format: str, group_by: str | None) -> str:
    """A polynomial in one of the formats."""
    if format in ("text", "latex", "markdown"):
        return str(getattr(polynomial, format)(group_by=group_by))
    return str(getattr(polynomial, format)())


def as_json(found: Equations, wanted: list[str]) -> dict[str, Any]:
    """Everything a program needs: symbols with their values, and every term of every coefficient."""
    return {
        "arm": found.arm.name,
        "joints": list(found.arm.joint_names),
        "symbols": {
            s.name: {"value": None if s.value is None else str(s.value), "kind": s.kind, "link": s.link}
            for s in found.symbols
        },
        "coefficients": {
            name: [
                {
                    "coefficient": str(term.coefficient),
                    "trig": dict(term.trig),
                    "parameters": dict(term.parameters),
                    "links": list(term.links),
                }
                for term in found[name].terms
            ]
            for name in wanted
        },
    }
