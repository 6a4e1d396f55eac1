"""``dalembert equations``: the exact equations of motion."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dalembert.arm.errors import ArmError, printable
from dalembert.arm.io.whole_files import write_whole

from .closed_form_options import At, Joints, Parameters, closed_form
from .printing import json_text
from .system_options import system_command

if TYPE_CHECKING:
    from dalembert.api.questions import SystemQuestions as System
    from dalembert.equations.closed_form import Equations
    from dalembert.equations.polynomial import TrigPolynomial
    from dalembert.equations.symbols import Symbol

MOST_TERMS = 20_000
FORMATS = ("text", "latex", "markdown", "sympy", "python", "c", "json")
READ = ("text", "latex", "markdown")
"""Formats for people, in which terms can be grouped."""
WITH_LEGEND = ("text", "markdown")


@system_command
def equations(
    system: System,
    only: Annotated[
        str,
        typer.Option(
            help="What to print: coefficients such as D12,C112,G2, torques tau1, energies K and V; after Bejczy 1974 "
            "D112, the matrices D1,V and U21 and U312, an entry U21[1,3]."
        ),
    ] = "",
    group_by: Annotated[str, typer.Option(help="link, parameter or harmonic.")] = "",
    format: Annotated[str, typer.Option(help=", ".join(FORMATS))] = "text",
    document: Annotated[str, typer.Option(help="Write the model to this .html or .tex file instead.")] = "",
    legend: Annotated[
        bool | None,
        typer.Option(
            "--legend/--no-legend", help="Say what the symbols are: in text, Markdown and documents, unless left out."
        ),
    ] = None,
    parameters: Parameters = "symbols",
    joints: Joints = "",
    at: At = "",
    formulation: Annotated[
        str,
        typer.Option(
            help="What to derive them by: composite-body, lagrange-euler, tourassis-neuman, generalized-dalembert, "
            "influence; the result is the same."
        ),
    ] = "composite-body",
    link: Annotated[str, typer.Option(help="Only what this link adds: its number, or L for the load.")] = "",
) -> None:
    """Print the exact equations of motion: their coefficients, whole torques, energies."""
    from dalembert.equations.document import selected_names, size_checked
    from dalembert.equations.names import separate

    closed = closed_form(system, parameters, joints, at, formulation)
    names = separate(only)
    if document:
        if link or format != "text":
            raise ArmError("a document has all links, and its ending is its format; leave out --link and --format")
        write_document(closed, names, group_by or None, Path(document), legend is not False)
        return
    check_options(format, group_by, legend)
    requested = selected_names(closed, names)
    size_checked(closed, requested, MOST_TERMS, "a terminal")
    printed = {name: share(closed, name, link) if link else closed[name] for name in requested}
    nonzero = {name: polynomial for name, polynomial in printed.items() if polynomial is not None}
    if format == "json":
        print(json_text(as_json(closed, nonzero)))
        return
    for name, polynomial in nonzero.items():
        print(line(name, polynomial, format, group_by or None))
    if legend or (legend is None and format in WITH_LEGEND):
        print_legend(closed, nonzero, format)


def check_options(format: str, group_by: str, legend: bool | None) -> None:
    """Raises ArmError for a format that is not there, or that cannot do what else is asked."""
    if format not in FORMATS:
        raise ArmError(f"there is no format {format!r}; the formats are {', '.join(FORMATS)}")
    if group_by and format not in READ:
        raise ArmError(f"terms are grouped in {', '.join(READ)}, not in {format}; leave out --group-by")
    if legend and format not in WITH_LEGEND:
        raise ArmError(f"a legend goes with {' and '.join(WITH_LEGEND)}, not with {format}; leave out --legend")


def write_document(equations_: Equations, names: list[str], group_by: str | None, path: Path, legend: bool) -> None:
    """Writes the document that the ending of ``path`` names."""
    from dalembert.equations.document import selected_names

    form = path.suffix.removeprefix(".").lower()
    if form not in ("html", "tex"):
        raise ArmError(f"a document is a .html or a .tex file, not {str(path)!r}")
    write_whole(path, equations_.document(names, group_by, form, legend))
    print(f"{path}: {len(selected_names(equations_, names))} formulas of {printable(equations_.arm.name)}")


def line(name: str, polynomial: TrigPolynomial, format: str, group_by: str | None) -> str:
    """One equation in a format."""
    from dalembert.equations.printing.letters import in_code, in_latex

    if format not in READ:
        return f"{in_code(name)} = {getattr(polynomial, format)()}"
    if format == "text":
        return f"{name} = {polynomial.text(group_by)}"
    equation = f"{in_latex(name)} = {polynomial.latex(group_by)}"
    return equation if format == "latex" else f"${equation}$\n"


def print_legend(equations_: Equations, polynomials: Mapping[str, TrigPolynomial], format: str) -> None:
    """The legend below the equations; names of links and joints come from files and are made printable."""
    from dalembert.equations.legend import legend

    symbols = legend(equations_, polynomials)
    text = f"\nwhere\n{symbols.text()}" if format == "text" else symbols.markdown()
    print("\n".join(printable(row) for row in text.split("\n")))


def share(equations_: Equations, name: str, link: str) -> TrigPolynomial | None:
    """What one link adds to a coefficient, if anything."""
    from dalembert.equations.attribution import links

    numbers = {str(number): number for number in links(equations_.model)}
    if link not in numbers:
        load = "" if "L" in numbers else "; the load L needs --parameters symbols+load"
        raise ArmError(f"there is no link {link!r}; the links are {', '.join(numbers)}{load}")
    return equations_.by_link(name).get(numbers[link])


def as_json(equations_: Equations, polynomials: Mapping[str, TrigPolynomial]) -> dict[str, Any]:
    """Everything a program needs: symbols with their values, and every term of every coefficient."""
    from dalembert.equations.meanings import meaning
    from dalembert.equations.printing.form import MOTION

    def described(symbol: Symbol) -> dict[str, Any]:
        text, unit = meaning(equations_.arm, symbol)
        value = None if symbol.value is None else str(symbol.value)
        row = {"value": value, "kind": symbol.kind, "link": symbol.link, "meaning": text, "unit": unit}
        star = equations_.starred.get(symbol.name)
        return row if star is None else {**row, "definition": star.text()}

    rates = {
        name: symbol
        for polynomial in polynomials.values()
        for name, symbol in polynomial.space.symbols.items()
        if name in polynomial.parameters and symbol.kind in MOTION
    }
    return {
        "arm": equations_.arm.name,
        "joints": list(equations_.arm.joint_names),
        "symbols": {symbol.name: described(symbol) for symbol in (*equations_.symbols, *rates.values())},
        "coefficients": {
            name: [
                {
                    "coefficient": str(term.coefficient),
                    "trig": dict(term.trig),
                    "parameters": dict(term.parameters),
                    "links": list(term.links),
                }
                for term in polynomial.terms
            ]
            for name, polynomial in polynomials.items()
        },
    }
