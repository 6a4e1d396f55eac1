"""``dalembert check``: verifies a certificate by itself."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer

from dalembert.arm.drives import DRIVE_MODELS
from dalembert.arm.errors import ArmError, printable

from .notes import note
from .printing import heading, json_text, say, table
from .reducing_bar import reducing_bar
from .system_options import load_arm

STATES = {"lower": "from", "upper": "to", "speed": "speed\nup to", "acceleration": "acceleration\nup to"}
"""Numbers of the states of a certificate, and their heads."""


def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A certificate that --certificate wrote.")],
    arm: Annotated[
        str,
        typer.Option(
            "--arm", metavar="ARM", help="The arm that it should be about: its numbers have to be those of the file."
        ),
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Verify a certificate of ranges or of a reduced model from its numbers alone, in exact and ball arithmetic."""
    from dalembert.certificates.checker import check_certificate

    begun = ""
    with reducing_bar("checking", explained=True) as tell:

        def follow(text: str) -> None:
            nonlocal begun
            begun = text
            tell(text, None)

        try:
            certificate = check_certificate(file, follow)
        except KeyboardInterrupt:
            note(f"interrupted at {begun or 'the start'}; those before it hold, but {file} is not verified")
            raise
    matching: set[int] = set()
    if arm:
        loaded = load_arm(arm)
        for model in {str(system["drives"]) for system in certificate.systems} & set(DRIVE_MODELS):
            matching |= {claim.system for claim in certificate.claims_about(loaded.counting_drives(model))}
        if not matching:
            raise ArmError(
                f"{file} is not about {loaded.name}: its bodies, gravity or rotors have other numbers; compare a "
                "system that holds a load in Python, with da.check_certificate(FILE).is_about(system)"
            )
    if as_json:
        print(json_text({
            "kind": certificate.kind,
            "systems": [{key: system[key] for key in ("arm", "holds", "drives")} |
                        ({"numbers_of_arm": index in matching} if arm else {})
                        for index, system in enumerate(certificate.systems)],
            "states": {key: [inner(x, key) for x in certificate.states[key]]
                       for key in STATES if key in certificate.states},
            "claims": [{"system": c.system, "what": c.what, "unit": c.unit, "lower": c.lower, "upper": c.upper,
                        "parts": c.parts} for c in certificate.claims],
        }))  # fmt: skip
        return
    for index, system in enumerate(certificate.systems):
        heading(f"{certificate.kind}, {system_label(system)}: all claims hold")
        claims = [claim for claim in certificate.claims if claim.system == index]
        table([("", [printable(c.what) for c in claims]), ("not below", [f"{c.lower:.8g}" for c in claims]),
               ("not above", [f"{c.upper:.8g}" for c in claims]), ("unit", [c.unit for c in claims]),
               ("parts of\nthe box", [str(c.parts) for c in claims])])  # fmt: skip
        if arm:
            say(f"The numbers are {'' if index in matching else 'not '}those of {arm}.")
    heading("for every state with")
    bodies = certificate.systems[0]["bodies"]
    columns = [("joint", [printable(str(body["joint"])) for body in bodies])]
    for key in STATES:
        if key in certificate.states:
            columns.append((STATES[key], [inner_text(x, key) for x in certificate.states[key]]))
    table(columns)
    say("Positions in rad and m.")


def inner(limit: str, key: str) -> float:
    """The float nearest to a limit of the states that is not outside it: nothing is proved beyond."""
    exact, side = Fraction(limit), 1 if key == "lower" else -1
    nearest = float(exact)
    return nearest if side * Fraction(nearest) >= side * exact else math.nextafter(nearest, side * math.inf)


def inner_text(limit: str, key: str) -> str:
    """The same in six digits, or in all where six digits are outside."""
    side, digits = 1 if key == "lower" else -1, f"{inner(limit, key):.6g}"
    return digits if side * Fraction(digits) >= side * Fraction(limit) else repr(inner(limit, key))


def system_label(system: Mapping[str, Any]) -> str:
    """What a system of a certificate is labelled."""
    holds = f", holding {', '.join(system['holds'])}" if system["holds"] else ""
    drives = "links alone" if system["drives"] == "none" else f"drives {system['drives']}"
    return printable(f"{system['arm']}, {drives}{holds}")
