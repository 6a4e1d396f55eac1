"""Results that people look at show themselves: a short line at a prompt, escaped HTML of bounded size in a notebook."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Callable

import pytest

import dalembert as da
from balanced_html import balanced
from dalembert.markup.elements import Html
from dalembert.report.assemble import Report
from dalembert.report.section import Section

HOSTILE = "<img src=x onerror=alert(1)>"


def loop(arm: da.Arm) -> da.Mechanism:
    """The arm and another of its kind, hand in hand, with hostile names."""
    bases = {"b": da.Placement.from_xyz_rpy(("0.4", 0, 0), (0, 0, 0))}
    chains = {"a": arm, "b": arm}
    actuated = [f"{chain}.{arm.joint_names[0]}" for chain in chains]
    home = dict(zip((f"{c}.{j}" for c in chains for j in arm.joint_names), (2.0, -1.2, 1.1, 1.2), strict=True))
    return da.Mechanism(chains, [da.Closure(HOSTILE, "a", "b", "pin")], actuated, bases=bases, home=home, name=HOSTILE)


@pytest.fixture(scope="module")
def arm() -> da.Arm:
    """Two rods whose names would run if they were not escaped."""
    plain = da.load("planar-2r")
    links = tuple(dataclasses.replace(link, name=f"{link.name}{HOSTILE}") for link in plain.links)
    joints = tuple(
        dataclasses.replace(
            joint, name=f"{joint.name}{HOSTILE}", parent=f"{joint.parent}{HOSTILE}", child=f"{joint.child}{HOSTILE}"
        )
        for joint in plain.joints
    )
    return da.Arm.of(
        dataclasses.replace(
            plain, name=HOSTILE, title=HOSTILE, links=links, joints=joints, tool_link=f"{plain.tool_link}{HOSTILE}",
            drives=da.DriveTrain(),
        )
    )  # fmt: skip


RESULTS: dict[str, Callable[[da.Arm], object]] = {
    "arm": lambda arm: arm,
    "driven": lambda arm: arm.driven,
    "drives": lambda arm: da.load("irb6").drives,
    "band of torques": lambda arm: arm.driven.motor_torque_band([0.1, 0.2]),
    "rows": lambda arm: arm.to_dh(),
    "equations": lambda arm: arm.equations(),
    "D": lambda arm: arm.equations().mass_matrix,
    "row of D": lambda arm: arm.equations().mass_matrix[0],
    "C": lambda arm: arm.equations().christoffel,
    "G": lambda arm: arm.equations().gravity,
    "tau": lambda arm: arm.equations().torque,
    "D11": lambda arm: arm.equations()["D11"],
    "legend": lambda arm: arm.equations().legend(),
    "structure": lambda arm: arm.equations().structure(),
    "base parameters": lambda arm: arm.equations().base_parameters(),
    "ranges": lambda arm: arm.analysis().ranges(),
    "coupling": lambda arm: arm.analysis().coupling(),
    "requirements": lambda arm: arm.requirements(da.quintic([[0, 0], [0.1, 0.2]], [0, 1.0])),
    "coupling at a pose": lambda arm: arm.coupling_at([0.1, 0.2]),
    "coupling at poses": lambda arm: arm.coupling_at([[0.1, 0.2], [0.3, 0.4]]),
    "positions of a pose": lambda arm: arm.inverse_kinematics([[1.0, 0.5, 0.0], [9, 9, 9]], task="position", starts=3),
    "significance": lambda arm: arm.analysis().significance(),
    "simplified": lambda arm: arm.analysis().simplified(),
    "review": lambda arm: arm.analysis().review(),
    "reduced": lambda arm: arm.analysis().reduce(0.05),
    "short forms": lambda arm: arm.analysis().short_forms(),
    "linear": lambda arm: arm.linearize([0.1, 0.2]),
    "study": lambda arm: da.study(arm, {"load.mass": (-1.0, 1.0)}, ["natural_frequency"], samples=4),
    "best design": lambda arm: da.optimize_design(arm, {"load.mass": (0.0, 1.0)}, "mass", starts=1),
    "mechanism": loop,
    "mechanism as a system": lambda arm: loop(arm).as_system(),
    "motion": lambda arm: arm.simulate([0.0, 0.0], [0.1, 0.2], [0.0, 0.0], 0.05),
}


@pytest.mark.parametrize("what", RESULTS)
def test_a_result_is_a_short_line_and_escaped_html(what: str, arm: da.Arm) -> None:
    result = RESULTS[what](arm)
    said = repr(result)
    assert len(said) < 400
    assert "\n" not in said
    page = result._repr_html_()  # type: ignore[attr-defined]
    assert len(page) < 40_000
    assert "<img" not in page
    assert balanced(page)


def test_a_report_lists_what_its_sections_say(arm: da.Arm) -> None:
    said = Report(arm, Html(), (Section("one", f"First {HOSTILE}", f"It holds {HOSTILE}.", ()),))
    page = said._repr_html_()
    assert "It holds &lt;img" in page
    assert "<img" not in page
    assert len(repr(said)) < 100


def test_a_page_of_equations_shows_their_matrix_and_their_symbols(arm: da.Arm) -> None:
    page = arm.equations()._repr_html_()
    assert 'class="matrix"' in page
    assert "mass of link2&lt;img" in page


def test_a_large_matrix_is_counted_and_a_large_polynomial_is_cut_with_a_word_on_it() -> None:
    equations = da.load("panda").equations()
    page = equations._repr_html_()
    assert len(page) < 60_000
    assert "1,461" in page
    first = equations["D11"]
    for shown in (first._repr_html_(), first._repr_latex_()):
        assert "1,461 terms, the first 40 shown; .text() has all" in shown
        assert len(shown) < 15_000
    assert equations.mass_matrix._repr_latex_() is None


def test_matrices_are_typeset_and_stay_arrays() -> None:
    equations = da.load("planar-2r").equations()
    matrix = equations.mass_matrix
    assert matrix._repr_latex_().startswith(r"$\displaystyle D = \begin{bmatrix}")
    assert str(matrix).startswith("D11 = Izz₁ + m₂ l₁²")
    assert (matrix == matrix.T).all()
    assert repr(matrix == matrix.T).startswith("array(")
    assert (matrix @ matrix)[0, 1] == matrix[0, 0] * matrix[0, 1] + matrix[0, 1] * matrix[1, 1]
    assert pickle.loads(pickle.dumps(matrix))[0, 1] == matrix[0, 1]


def test_ranked_terms_survive_a_pickle() -> None:
    terms = da.load("planar-2r").analysis().significance()
    again = pickle.loads(pickle.dumps(terms))
    assert again == terms
    assert again.units == {"joint1": "N m", "joint2": "N m"}
