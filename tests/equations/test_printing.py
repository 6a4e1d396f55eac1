"""What is printed says what is meant: every dialect read back is the same polynomial."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import dalembert as da
from dalembert.cli.run import application, main
from dalembert.equations.closed_form import Equations
from dalembert.equations.formula import read
from dalembert.equations.printing.form import PrintedForm
from dalembert.equations.printing.formats import code_names, decimal

ARMS = ("puma560-arm", "planar-3r", "spherical")


@pytest.mark.parametrize("name", ARMS)
@pytest.mark.parametrize("way", ["symbols", "centre+lengths+gravity", "gyration+lengths+gravity", "numbers"])
def test_text_latex_and_sympy_read_back_as_the_same_polynomial(name: str, way: str) -> None:
    equations = Equations(da.load(name), way)
    for label in equations.names(zeros=False):
        poly = equations[label]
        for printed in (poly.text(digits=None), poly.latex(digits=None), str(poly.sympy())):
            assert read(printed, equations.space) == poly, (label, printed)
        for group in ("link", "parameter", "harmonic"):
            assert read(poly.text(group, digits=None), equations.space) == poly, (label, group)


@pytest.mark.parametrize("name", [*ARMS, "ur5e"])
def test_python_and_c_expressions_have_the_right_value(name: str) -> None:
    equations = Equations(da.load(name), "symbols")
    q = np.random.default_rng(1).uniform(-2, 2, equations.n)
    values = {symbol.name: float(symbol.value) for symbol in equations.symbols if symbol.value is not None}
    angles = {f"q{i + 1}": value for i, value in enumerate(q)}
    for label in ("D11", "D12", "G2", "C211"):
        poly = equations[label]
        scope = {
            key: eval(meaning, {"cos": math.cos, "sin": math.sin, "__builtins__": {}}, {**angles, **values})
            for key, meaning in code_names(poly).items()
        }
        assert eval(poly.python(), {"__builtins__": {}}, scope) == pytest.approx(float(poly(q)), rel=1e-11, abs=1e-12)
        assert poly.c() == poly.python()


def test_papers_forms_come_back() -> None:
    """Squares of sines of links 2 and 3, products with the sum of the parallel axes, no sum where one angle does."""
    equations = Equations(da.load("puma560-arm"), "symbols")
    first, second = (equations[name].text() for name in ("D11", "D22"))
    for part in ("Ixx₂ s₂²", "Iyy₂ c₂²", "Ixx₃ s₂₃²", "Izz₃ c₂₃²", "2 a₂ a₃ c₂ c₂₃"):
        assert part in first
    assert second == "m₂ a₂² + 2 mx₂ a₂ + Izz₂ + m₃ (a₂² + 2 a₂ a₃ c₃ + a₃²) + 2 mx₃ (a₂ c₃ + a₃) + 2 mz₃ a₂ s₃ + Iyy₃"
    assert "I_{xx3} s_{23}^{2}" in equations["D11"].latex()


def test_planar_differences_of_three_parallel_axes() -> None:
    text = Equations(da.load("planar-3r"), "symbols")["D11"].text()
    assert "c₂₃" in text
    assert "c₁" not in text


def test_real_subscripts_and_marks() -> None:
    equations = Equations(da.load("planar-2r"))
    assert "q̇₁" in equations.kinetic_energy.text()
    assert r"\ddot{q}_{1}" in equations.torque[0].latex()
    assert equations["D22"]._repr_latex_().startswith("$")
    assert equations["D22"].markdown() == f"${equations['D22'].latex()}$"


def test_starred_symbols_print_and_read_back() -> None:
    from dalembert.equations.restricted import restricted

    small = restricted(da.load("jpl-rrp"), joints=[0, 1, 2])
    assert "Iyy₃*" in small["D11"].text()
    assert r"I_{yy3}^{*}" in small["D11"].latex()
    assert read(small["D11"].latex(digits=None), small.space) == small["D11"]


def test_an_opposite_axis_prints_as_a_difference() -> None:
    arm = da.Arm.from_dh(
        [
            {"a": 0.5, "alpha": da.Angle.quarters(2), "mass": 1, "com": (-0.2, 0, 0)},
            {"a": 0.4, "mass": 1, "com": (-0.1, 0, 0)},
        ]
    )
    equations = Equations(arm.with_gravity((0, -9.81, 0)))
    assert "1-2" in equations.space.ring.tags
    assert "c₁₋₂" in equations["G1"].text()
    assert "c₂" in equations["D11"].text()
    for label in equations.names(zeros=False):
        for printed in (equations[label].text(digits=None), equations[label].latex(digits=None)):
            assert read(printed, equations.space) == equations[label]
    q = np.array([0.4, 0.9])
    assert equations["D12"](q) == pytest.approx(arm.mass_matrix(q)[0, 1])


@pytest.mark.parametrize(
    ("value", "digits", "written"),
    [
        ("1/2", 6, ("1", "2")),
        ("0.4318", 6, ("0.4318", "")),
        ("1/3000", 4, ("0.0003333", "")),
        ("12", 6, ("12", "")),
        ("1/3000", None, ("1", "3000")),
    ],
)
def test_numbers_print_exactly_or_to_the_digits_asked_for(
    value: str, digits: int | None, written: tuple[str, str]
) -> None:
    from fractions import Fraction

    assert decimal(Fraction(value), digits) == written


def test_an_unknown_grouping_is_refused() -> None:
    with pytest.raises(da.ArmError, match="link, parameter, harmonic"):
        Equations(da.load("planar-2r"))["D11"].text("colour")


def test_blocks_carry_the_names_of_the_links() -> None:
    labels = [label for label, _ in PrintedForm(Equations(da.load("puma560-arm"))["D11"]).blocks("link")]
    assert labels == ["link 1", "link 2", "link 3"]


# -- documents and the command line --------------------------------------------------------------------


@pytest.fixture(scope="module")
def page() -> str:
    return Equations(da.load("puma560")).document()


def test_the_document_needs_nothing_from_outside(page: str) -> None:
    assert "http" not in page.replace("http-equiv", "")
    assert "<script" not in page
    assert "src=" not in page


def test_the_document_has_every_coefficient_that_is_not_zero_and_links_to_it(page: str) -> None:
    from html.parser import HTMLParser

    seen: dict[str, set[str]] = {"id": set(), "href": set()}
    open_tags: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            for key, value in attrs:
                if key in seen and value:
                    seen[key].add(value)
            if tag not in ("meta",):
                open_tags.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert open_tags.pop() == tag

    Reader().feed(page)
    names = Equations(da.load("puma560")).names(zeros=False)
    assert set(names) <= seen["id"]
    assert {f"#{name}" for name in names} <= seen["href"]
    assert not open_tags
    assert "C213" not in seen["id"]


def test_the_latex_document_is_balanced() -> None:
    text = Equations(da.load("puma560-arm")).document(form="tex", group_by="link")
    assert text.count("{") == text.count("}")
    assert text.count("$") % 2 == 0
    assert r"\section{Gravity load}" in text


def command(name: str, *words: str) -> str:
    """What ``dalembert`` prints."""
    result = CliRunner().invoke(application([name]), [name, *words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_model_too_large_to_print_says_so_and_how_to_narrow_it() -> None:
    with pytest.raises(da.ArmError, match=r"terms .* --only"):
        command("equations", "panda")


def test_commands_print_what_they_promise(tmp_path: Path) -> None:
    found = json.loads(command("equations", "planar-2r", "--only", "D22,G2", "--format", "json"))
    assert set(found["coefficients"]) == {"D22", "G2"}
    assert found["symbols"]["l1"]["kind"] == "length"
    latex = command("equations", "planar-2r", "--only", "D22", "--format", "latex", "--group-by", "parameter")
    assert latex == "D_{22} = I_{zz2}\n"
    assert "8 formulas" in command("equations", "planar-2r", "--document", str(tmp_path / "out.html"))
    page = (tmp_path / "out.html").read_text(encoding="utf-8")
    assert "Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'" in page
    held = command("equations", "planar-2r", "--only", "D11", "--parameters", "symbols+load", "--link", "L")
    assert "mL" in held.replace("m_L", "mL")
    assert "sparsity 0.471" in command("structure", "spherical")
    assert "6 base parameters" in command("base-parameters", "planar-2r")
    assert "identical" in command("verify", "planar-2r", "D11 = Izz1 + m2*l1^2 + 2*mx2*l1*c2 + Izz2")


def test_a_wrong_formula_ends_the_command_with_code_one() -> None:
    assert main(["verify", "planar-2r", "D11 = m2*l1^2"]) == 1


@pytest.mark.parametrize(
    "options",
    [("--format", "braille"), ("--document", "out.pdf"), ("--only", "D99"), ("--at", "4"), ("--group-by", "colour")],
)
def test_bad_options_are_refused(options: tuple[str, str]) -> None:
    with pytest.raises(da.ArmError):
        command("equations", "planar-2r", *options)
