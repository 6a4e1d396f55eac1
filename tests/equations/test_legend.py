"""The legend names what is printed and nothing else, in every format, and no name from a file escapes it."""

from __future__ import annotations

import dataclasses
import re

import pytest
from typer.testing import CliRunner

import dalembert as da
from dalembert.cli.run import application
from dalembert.equations.legend import Legend
from dalembert.equations.printing.form import PrintedForm
from dalembert.equations.restricted import restricted

TWO_RODS = da.load("planar-2r")


def variables(legend: Legend) -> set[str]:
    return {name for entry in legend.entries for name in entry.variables}


@pytest.mark.parametrize("name", ["planar-2r", "spherical", "puma560-arm"])
@pytest.mark.parametrize("parameters", ["symbols", "centre+lengths+gravity", "gyration+lengths+gravity", "numbers"])
@pytest.mark.parametrize("only", [["D11", "C112"], ["tau2"], ["G2", "K", "V"]])
def test_the_legend_names_exactly_what_is_printed(name: str, parameters: str, only: list[str]) -> None:
    equations = da.load(name).equations(parameters)
    printed = {word for label in only for word in PrintedForm(equations[label]).variables}
    named = variables(equations.legend(only)) - set(only)
    positions = {word for word in named - printed if re.fullmatch(r"q\d+", word)}
    assert named - positions == printed
    angles = {word for word in printed if word[0] in "cs"}
    assert bool(positions) <= bool(angles)


def test_symbols_have_their_values_and_units() -> None:
    rows = {entry.variables: entry for entry in TWO_RODS.equations().legend(["D11", "G1"]).entries}
    assert (rows["m2",].value, rows["m2",].unit) == ("1", "kg")
    assert (rows["g",].value, rows["g",].unit) == ("9.81", "m/s²")
    assert rows["l1",].words == ("distance along x from the frame of link1 to joint2",)
    assert rows["Izz1",].unit == "kg m²"


def test_a_coriolis_coefficient_is_said_to_count_twice() -> None:
    equations = TWO_RODS.equations()
    said = equations.legend(["C112"]).text(200)
    assert "C₁₁₂ counts twice" in said
    assert "τ₁ = ... + 2 C₁₁₂ q̇₁ q̇₂ + ..." in said
    assert "counts twice" not in equations.legend(["C122"]).text()
    space = equations.moving_space.ring
    assert equations["tau1"].diff("qd1").diff("qd2") == 2 * equations["C112"]
    assert space.index["qd1"]


def test_the_text_keeps_to_eighty_columns() -> None:
    text = da.load("puma560").equations().legend().text()
    assert max(map(len, text.split("\n"))) <= 80 + text.count("\u0307")


def test_a_starred_symbol_brings_its_definition() -> None:
    small = restricted(da.load("jpl-rrp"), joints=[0, 1, 2])
    (entry,) = (e for e in small.legend(["D11"]).entries if e.variables == ("Iyy3*",))
    assert entry.definition == small.starred["Iyy3*"]
    assert "Iyy₄" in small.legend(["D11"]).text()


def test_names_from_files_do_not_leave_their_place() -> None:
    links = [dataclasses.replace(link, name=f"a_<b>$|{{{i}") for i, link in enumerate(TWO_RODS.links)]
    named = {old.name: new.name for old, new in zip(TWO_RODS.links, links, strict=True)}
    joints = [
        dataclasses.replace(joint, name=f"j_<i>&{i}", parent=named[joint.parent], child=named[joint.child])
        for i, joint in enumerate(TWO_RODS.joints)
    ]
    arm = dataclasses.replace(
        TWO_RODS, links=tuple(links), joints=tuple(joints), tool_link=named[TWO_RODS.tool_link], drives=da.DriveTrain()
    )
    legend = da.Arm.of(arm).equations().legend()
    assert "<b>" not in legend.html()
    assert "&lt;b&gt;" in legend.html()
    latex = legend.latex()
    assert r"a\_$<$b$>$\$$|$\{1" in latex
    assert r"a\_&lt;b>\$\|\{1" in legend.markdown()


@pytest.mark.parametrize("bad", ["<script>", "l 1", "m2", "c1", "qd1", "Izz1", "g"])
def test_a_length_whose_name_is_no_symbol_of_its_own_is_refused(bad: str) -> None:
    before = da.Placement.of(dataclasses.replace(TWO_RODS.joints[1].before.steps[0], name=bad))
    joints = (TWO_RODS.joints[0], dataclasses.replace(TWO_RODS.joints[1], before=before))
    with pytest.raises(da.ArmError, match="such as l1"):
        da.Arm.of(dataclasses.replace(TWO_RODS, joints=joints)).equations()


def test_the_documents_and_the_command_have_a_legend_unless_it_is_left_out() -> None:
    equations = TWO_RODS.equations()
    tex = equations.document(["D11"], form="tex")
    assert r"$l_{1}$ & distance along x" in tex
    assert "I_{yy1}" not in tex
    assert "longtable" not in equations.document(["D11"], form="tex", legend=False).partition(r"\begin{document}")[2]
    assert 'id="symbols"' not in equations.document(["D11"], legend=False)

    def printed(*words: str) -> str:
        return CliRunner().invoke(application(["equations"]), ["equations", "planar-2r", *words]).stdout

    assert "\nwhere\n" in printed()
    assert "where" not in printed("--no-legend")
    assert "| $m_{2}$ | mass of link2 | 1 | kg |" in printed("--format", "markdown")
    assert "mass of" not in printed("--format", "latex")
