"""Closed forms on the command line: ``dalembert equations``, ``structure``, ``verify`` and ``base-parameters``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dalembert.arm.errors import ArmError

from .arguments import load

if TYPE_CHECKING:
    from dalembert.equations.closed_form import Equations
    from dalembert.equations.polynomial import TrigPolynomial

MOST_TERMS = 20_000
FORMATS = ("text", "latex", "markdown", "sympy", "python", "c", "json")

ArmName = Annotated[str, typer.Argument(metavar="ARM", help="A built-in arm (see: dalembert list) or a file.")]
Parameters = Annotated[
    str,
    typer.Option(help="What becomes a symbol: symbols, numbers, inertial, full, centre, gyration, lengths, twists, "
                      "gravity, load, or names such as m3; join several with +."),
]  # fmt: skip


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command("equations")(equations)
    app.command("structure")(structure)
    app.command("verify")(verify)
    app.command("base-parameters")(base_parameters)


def closed_form(arm: str, parameters: str, joints: str, at: str) -> Equations:
    """The equations that the options of the command line ask for."""
    from dalembert.equations.restricted import restricted

    loaded = load(arm)
    moving = [which(word) for word in joints.replace(" ", "").split(",")] if joints else None
    resting: dict[str | int, object] = {}
    for word in at.replace(" ", "").split(",") if at else []:
        name, sign, value = word.partition("=")
        if not sign:
            raise ArmError(f"--at takes joint=position pairs such as 4=0.5, not {word!r}")
        resting[which(name)] = value
    return restricted(loaded, parameters, moving, resting)


def which(word: str) -> int | str:
    """A joint by its number, counted from 1, or by its name."""
    return int(word) - 1 if word.isdigit() else word


def equations(
    arm: ArmName,
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

    found = closed_form(arm, parameters, joints, at)
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


def structure(
    arm: ArmName,
    parameters: Parameters = "symbols",
    zeros: Annotated[bool, typer.Option(help="List the zero coefficients and why they are zero.")] = True,
) -> None:
    """Print what every coefficient depends on, which are zero and why, counts and sparsity."""
    from dalembert.equations.structure import WHY

    found = closed_form(arm, parameters, "", "").structure()
    print(f"{found.arm}: {found.n} joints, {found.revolute} of them revolute")
    for kind, count in found.counts.items():
        print(f"  {kind:8} {count.nonzero:4} of {count.independent:4} not zero, {count.constant} constant")
    print(f"  {'total':8} {found.total:4} of {found.independent:4}: sparsity {float(found.sparsity):.3f}")
    print("\ncoefficients and the joints they depend on")
    for item in found.coefficients:
        if item.zero is None:
            joints = ", ".join(f"q{j + 1}" for j in item.joints) or "constant"
            beyond = "" if item.as_predicted else "  (more than Tourassis and Neuman, Table 1)"
            print(f"  {item.name:6} {joints}{beyond}")
    if zeros:
        for reason, sentence in WHY.items():
            names = [name for name, why in found.zeros.items() if why == reason]
            if names:
                print(f"\n{sentence}:\n  {', '.join(names)}")
    print("\nrelations, decided exactly")
    for relation, broken in found.relations.items():
        print(f"  {relation}: {'holds' if not broken else 'broken by ' + ', '.join(broken)}")


def verify(
    arm: ArmName,
    formula: Annotated[str, typer.Argument(help='A coefficient and a formula, such as "D33 = m3*a3^2 + Izz3".')],
    parameters: Annotated[str, typer.Option(help="Parameters the formula is written in; found out if not given.")] = "",
) -> None:
    """Compare a printed formula with the exact one; exit code 1 if they differ."""
    from dalembert.equations.verify import verify as compare

    verdict = compare(load(arm), formula, parameters or None)
    print(verdict)
    if not verdict:
        raise typer.Exit(1)


def base_parameters(
    arm: ArmName,
    of: Annotated[str, typer.Option(help="torque or energy")] = "torque",
) -> None:
    """Print the base parameters and what each of them stands for."""
    from dalembert.equations.base_parameters import base_parameters as find
    from dalembert.equations.printing.letters import in_text

    found = find(load(arm), of)
    print(f"{arm}: {len(found)} base parameters for its {of}")
    for name, combination in found.relations.items():
        print(f"  {in_text(name)}: {combination}")
    print(f"no effect: {', '.join(in_text(name) for name in found.idle) or 'none'}")
