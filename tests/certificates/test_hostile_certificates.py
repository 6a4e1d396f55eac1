"""A certificate may come from anywhere: with digests that fit, whatever it asks for ends soon in one sentence."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dalembert as da
from dalembert.certificates.certificate_file import SECTIONS, digests
from dalembert.cli import main
from fuzz_seeds import certificates

Sections = dict[str, Any]


def state(name: str, values: list[Any]) -> Callable[[Sections], None]:
    """States that no proof looks at, or of another length."""

    def change(s: Sections) -> None:
        s["states"][name] = values

    return change


def joint(name: object) -> Callable[[Sections], None]:
    """A joint of this name; None for one without a name."""

    def change(s: Sections) -> None:
        body = s["systems"][0]["bodies"][0]
        body.pop("joint")
        if name is not None:
            body["joint"] = name

    return change


def chain(s: Sections) -> None:
    """A chain of 24 bodies, the poses of which have millions of terms."""
    bodies = s["systems"][0]["bodies"]
    s["systems"][0]["bodies"] = [{**bodies[k % 2], "parent": k - 1} for k in range(24)]
    s["states"] = {name: values * 12 for name, values in s["states"].items()}


def steps(*more: list[Any], often: int = 60) -> Callable[[Sections], None]:
    """A program that goes on with these steps, the last one over and over; -1 is the step before."""

    def change(s: Sections) -> None:
        program = s["program"]
        for op, *numbers in [*more[:-1], *[more[-1]] * often]:
            before = len(program["steps"]) - 1
            program["steps"].append([op, *(before if number == -1 else number for number in numbers)])
        program["torques"][0] = len(program["steps"]) - 1

    return change


def orders(most: int) -> Callable[[Sections], None]:
    """A grid of functions up to this order."""

    def change(s: Sections) -> None:
        grid = s["proofs"][0][0]["grid"]
        grid["orders"] = [most] * len(grid["axes"])

    return change


def many_sines(s: Sections) -> None:
    """(sin q_1 ... sin q_8)^32: one term, and 17^8 of them once squares of sines are cosines."""
    body, program, n = s["systems"][0]["bodies"][0], s["program"], 8
    s["systems"][0]["bodies"] = [{**body, "parent": -1} for _ in range(n)]
    s["states"] = {name: (values * n)[:n] for name, values in s["states"].items()}
    product = None
    for j in range(n):
        program["steps"] += [["q", j], ["sin", len(program["steps"])]]
        if product is not None:
            program["steps"].append(["mul", product, len(program["steps"]) - 1])
        product = len(program["steps"]) - 1
    steps(["mul", -1, -1], often=5)(s)
    program["torques"] = [len(program["steps"]) - 1] * n


def many_sums(s: Sections) -> None:
    """Hundreds of thousands of sums of hundreds of terms, each of which is kept."""
    program = s["program"]["steps"]
    first = len(program)
    program += [["q", 0], ["sin", first], ["cos", first], ["q", 1], ["sin", first + 3], ["cos", first + 3]]
    program += [["add", first + 1, first + 2], ["add", first + 6, first + 4], ["add", first + 7, first + 5]]
    steps(["mul", -1, -1], often=4)(s)
    steps(["add", -1, len(program) - 1], often=300_000)(s)


def grid_of(s: Sections) -> dict[str, Any]:
    return next(part["grid"] for proof in s["proofs"] for part in proof if part["grid"]["axes"])


def words(*texts: str) -> Callable[[Sections], None]:
    """A grid with these words for its axes, or for as many as it has."""

    def change(s: Sections) -> None:
        grid_of(s)["words"] = list(texts)[: len(grid_of(s)["axes"])]

    return change


def axes(more: str) -> Callable[[Sections], None]:
    """A grid with more axes, of the same orders."""

    def change(s: Sections) -> None:
        grid = grid_of(s)
        grid["axes"] += more or grid["axes"]
        grid["orders"] += [1] * (len(grid["axes"]) - len(grid["orders"]))

    return change


def claims_over_and_over(s: Sections) -> None:
    s["claims"] *= 5000
    s["proofs"] *= 5000


def deep(s: Sections) -> None:
    """A list of a list of a list."""
    value: list[Any] = []
    for _ in range(900):
        value = [value]
    s["states"]["lower"] = value


def gravity(text: Any) -> Callable[[Sections], None]:
    def change(s: Sections) -> None:
        s["systems"][0]["gravity"][0] = text

    return change


LONG = [str(10**4000 + 1 + 2 * k) for k in range(20)]
"""Numbers without a common factor: a sum of their inverses has as many digits as all of them together."""


def unused_angles(s: Sections) -> None:
    """Sums of angles that double, and that no sine and no torque needs: numbers of any length, all of them kept."""
    program = s["program"]["steps"]
    program.append(["q", 0])
    for _ in range(70):
        program.append(["add", len(program) - 1, len(program) - 1])


def rotors(s: Sections) -> None:
    """Rotors with inertias of many digits."""
    ratios = ["1"] * len(s["systems"][0]["bodies"])
    s["systems"][0]["rotors"] = [{"body": None, "axis": ["0"] * 3, "inertia": f"1/{x}", "ratios": ratios} for x in LONG]


def sums(s: Sections) -> None:
    """A claim about the sum of many coefficients."""
    s["claims"][0]["of"] = [[f"1/{x}", "D", 0, 0] for x in LONG]


def factor(text: str) -> Callable[[Sections], None]:
    """A claim about D11 with this factor, which is told as it is written."""

    def change(s: Sections) -> None:
        s["claims"][0]["of"] = [[text, "D", 0, 0]]

    return change


def constant(text: str) -> Callable[[Sections], None]:
    """A program with this number."""

    def change(s: Sections) -> None:
        s["program"]["steps"].append(["number", text])

    return change


def below_zero(s: Sections) -> None:
    """A part about nothing that takes from the bound what no float tells from zero."""
    least = "-1/1" + "0" * 400
    s["proofs"][0].append({"of": [], "bound": least, "grid": {"axes": "", "orders": [], "words": []}})


RANGES = {
    "unused number without end": (state("speed", ["1e999999999", "1"]), "section 'states' has 'speed'"),
    "unused numbers": (state("speed", ["1"] * 1000), "section 'states' has 'speed'"),
    "too many": (state("lower", ["0"] * 3), "its states have not one number for each joint"),
    "not a number": (state("lower", ["1e999999999", "0"]), "'lower', entry 1 is no number as text"),
    "no name": (joint(None), "'bodies', entry 1 has no 'joint'"),
    "a name that is no text": (joint(["x"]), "entry 1, 'joint' is .* not str"),
    "many bodies": (chain, "products of terms"),
    "claims over and over": (claims_over_and_over, "more than 64 systems or 4096 claims"),
    "a deep list": (deep, "'lower', entry 1 is no number as text"),
    "no number as a number": (state("lower", [float("nan"), 0]), "'lower', entry 1 is no number as text"),
    "no number as text": (state("lower", ["nan", "0"]), "'lower', entry 1 is no number as text"),
    "an exponent": (gravity("1e400000000"), "'gravity', entry 1 is no number as text"),
    "digits without end": (gravity("9" * 100_000), "4300 digits"),
    "beyond floats": (gravity("9" * 4000), "claim . (does not hold|is not as the format has it)"),
    "over zero": (gravity("1/0"), "claim 1 is not as the format has it"),
    "states beyond floats": (state("upper", ["9" * 400, "1"]), "larger than any float"),
    "rotors of many digits": (rotors, "numbers of more than 100000 bits"),
    "sums of many digits": (sums, "numbers of more than 100000 bits"),
    "a factor that int reads as ten": (factor("1_0"), "'1_0' is no number"),
    "a factor in other digits": (factor("\u0661"), "is no number"),
    "a factor with a line of its own": (factor("1\n"), "is no number"),
}
MODELS = {
    "squares": (steps(["add", 7, 8], ["mul", -1, -1]), "products of terms|powers above"),
    "powers": (steps(["sin", 3], ["mul", -1, -1]), "powers above 60"),
    "angles": (steps(["add", 3, 3], ["add", -1, -1]), "format|more than 60 joint angles"),
    "sine of angles": (
        lambda s: (steps(["add", 3, 3], ["add", -1, -1])(s), steps(["sin", -1], often=1)(s)),
        "60 joint",
    ),
    "unused angles": (unused_angles, "more than 60 joint angles"),
    "numbers": (steps(["number", "9" * 4000], ["mul", -1, -1]), "numbers of more than 100000 bits"),
    "speed without end": (state("speed", ["1e999999999", "1"]), "'speed', entry 1 is no number as text"),
    "orders without end": (orders(10**12), "an order that its functions have not"),
    "orders below zero": (orders(-1), "an order that its functions have not"),
    "many sines": (many_sines, "products of terms"),
    "many sums": (many_sums, "products of terms"),
    "an axis twice": (axes(""), "an axis twice"),
    "an axis that is not there": (axes("z"), "not as the format has it"),
    "words of another grid": (words("1" * 10**6), "not one word for each place"),
    "cells without end": (words("0" * (2**24 + 1)), "more than 16777216 cells"),
    "a number with a sign that is none": (constant("+1"), "'.1' is no number"),
    "words for no axis": (words(), "words for each of its axes"),
    "a magnitude below zero": (below_zero, "a magnitude below zero"),
}


@pytest.mark.parametrize(
    ("kind", "attack"), [*((0, name) for name in RANGES), *((1, name) for name in MODELS)], ids=lambda x: str(x)
)
def test_a_forged_certificate_is_refused_soon(
    kind: int, attack: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sections = json.loads(certificates()[kind])
    change, said = (RANGES, MODELS)[kind][attack]
    change(sections)
    names = SECTIONS[sections["header"]["kind"]]
    sections["digests"] = {name: digests(sections[name]) for name in names}
    path = tmp_path / "forged.json"
    path.write_text(json.dumps(sections))
    began = time.process_time()
    with pytest.raises(da.CertificateError, match=said):
        da.check_certificate(path)
    assert main(["check", str(path)]) == 2
    assert time.process_time() - began < 8
    assert capsys.readouterr().err.count("\n") == 1


def test_more_entries_than_a_file_has_room_for_digests_of_are_refused_before_any_is_computed(tmp_path: Path) -> None:
    """Of all that 50 MB have room for, 24 million, digests took 51 s and 3.5 GB."""
    sections, path = json.loads(certificates()[0]), tmp_path / "many.json"
    sections["claims"] = [0] * 1_000_000
    path.write_text(json.dumps(sections))
    began = time.process_time()
    with pytest.raises(da.CertificateError, match="section 'claims' has not one digest for each entry"):
        da.check_certificate(path)
    assert time.process_time() - began < 1


def test_lists_as_deep_as_they_can_be_read_are_refused(tmp_path: Path) -> None:
    """From some depth on they can be read and not be written again for their digests."""
    header, path = json.loads(certificates()[0])["header"], tmp_path / "deep.json"
    digested = {"header": digests(header), "systems": [""], "states": "", "claims": [], "proofs": []}
    rest = json.dumps({"header": header, "states": {}, "claims": [], "proofs": [], "digests": digested})[1:]
    for depth in range(sys.getrecursionlimit() - 100, sys.getrecursionlimit()):
        path.write_text('{"systems": ' + "[" * depth + "]" * depth + ", " + rest)
        with pytest.raises(da.CertificateError, match=r"deep\.json"):
            da.check_certificate(path)
