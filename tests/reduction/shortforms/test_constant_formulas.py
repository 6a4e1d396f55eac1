"""The constants of short forms as formulas: Bejczy 1974, Table 4, both columns, and loads he did not print."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.inertia import PARAMETERS
from dalembert.equations.polynomial import TrigPolynomial

CUBE = da.Load.of(da.Inertia.box(1.8, (0.0762,) * 3))
HEAVY = da.Load(3.1, (0.02, -0.01, 0.05), (0.01, 0.02, 0.03))


@pytest.fixture(scope="module")
def arm() -> da.DrivenArm:
    return da.load("jpl-rrp").driven


@pytest.fixture(scope="module")
def exact(arm: da.DrivenArm) -> da.ShortFormModel:
    """Every term of the exact form, with the constants it has: tolerance zero leaves nothing out."""
    return arm.analysis(effort=0.02).short_forms(tolerance=0.0, refit=False)


PRINTED = {
    # (coefficient, monomial): formula of Table 4 (or page 84), its sign and factor here, no load, with the cube
    ("D11", "q3 s2^2"): ("2 m3 z3 - 2 m4 y4", 1, -5.49, -5.49),
    ("D11", "q3^2 s2^2"): ("m3 + m4 + m5 + m6 + mL", 1, 6.48, 8.27),
    ("D11", "c5 q3 s2^2"): ("2 m5 z5 + 2 m6 z6 + 2 m6 d6 + 2 mL zL + 2 mL d6", 1, 0.232, None),
    ("D22", "q3"): ("2 m3 z3 - 2 m4 y4", 1, -5.49, -5.49),
    ("D22", "q3^2"): ("m3 + m4 + m5 + m6 + mL", 1, 6.48, 8.27),
    ("D22", "c5 q3"): ("2 m5 z5 + 2 m6 z6 + 2 m6 d6 + 2 mL zL + 2 mL d6", 1, 0.232, None),
    ("G2", "s2"): ("m2 z2 + m3 z3 - m4 y4", -9.81, -2.788, -2.788),
    ("G2", "q3 s2"): ("m3 + m4 + m5 + m6 + mL", -9.81, 6.47, 8.28),
    ("G2", "c5 s2"): ("m5 z5 + m6 z6 + m6 d6 + mL zL + mL d6", -9.81, 0.116, 0.566),
    ("G2", "c2 s4 s5"): ("m5 z5 + m6 z6 + m6 d6 + mL zL + mL d6", -9.81, 0.116, 0.566),
    ("G2", "c2 c4"): ("m4 z4", -9.81, -0.006, -0.006),
    ("G3", "c2"): ("m3 + m4 + m5 + m6 + mL", 9.81, 6.47, 8.28),
    ("G4", "c4 s2 s5"): ("m5 z5 + m6 z6 + m6 d6 + mL zL + mL d6", -9.81, 0.116, 0.566),
    ("G5", "c2 s5"): ("m5 z5 + m6 z6 + m6 d6 + mL zL + mL d6", -9.81, 0.116, 0.566),
}
"""b3, b4, b5 and d1 to d4; b5 with the cube is printed as 0.396 and left out here, its formula gives 1.121."""


def product_of(words: str, space_of: TrigPolynomial) -> TrigPolynomial:
    """A printed formula, a sum of products, as a polynomial of the ring of another."""
    ring, total = space_of.ring, space_of - space_of
    for sign, part in ((-1 if piece.startswith("-") else 1, piece.strip("+- ")) for piece in split(words)):
        one = space_of._new(ring.one) * sign
        for word in part.split():
            one = one * (int(word) if word.isdigit() else space_of._new(ring.gens[ring.index[word]]))
        total = total + one
    return total


def split(words: str) -> list[str]:
    return words.replace(" - ", "|- ").replace(" + ", "|+ ").split("|")


@pytest.mark.parametrize("place", PRINTED, ids=" ".join)
def test_formulas_of_table_4_are_those_of_the_exact_form(place: tuple[str, str], exact: da.ShortFormModel) -> None:
    words, factor, *_ = PRINTED[place]
    (term,) = [term for term in exact.form(place[0]).terms if term.factor == place[1]]
    formula = exact.formulas("gyration+lengths+load")[term.constant]
    assert formula == product_of(words, formula) * factor


@pytest.mark.parametrize("place", PRINTED, ids=" ".join)
def test_both_columns_of_table_4_follow_from_the_formulas(
    place: tuple[str, str], exact: da.ShortFormModel, loaded: da.ShortFormModel
) -> None:
    """His sums went through ounces, which costs up to 1.5 percent, and 0.0005 in what has one digit."""
    _, factor, *columns = PRINTED[place]
    for model, printed in zip((exact, loaded), columns, strict=True):
        (term,) = [term for term in model.form(place[0]).terms if term.factor == place[1]]
        if printed is not None:
            assert term.value / factor == pytest.approx(printed, rel=0.015, abs=5e-4)


@pytest.fixture(scope="module")
def loaded(exact: da.ShortFormModel) -> da.ShortFormModel:
    return exact.holding(CUBE)


def test_constant_parts_of_table_4_follow_too(exact: da.ShortFormModel, loaded: da.ShortFormModel) -> None:
    """b1 (with the small inertias that (119) leaves out), b13, b14, b17 + b18 and b19 + b20, and b15 at theta5 = 90."""
    at = np.array([0, 0, 0, 0, np.pi / 2, 0])
    for model, b15, b18, b20 in ((exact, 0.015, 0.013, 0.0004), (loaded, 0.127, 0.125, 0.002)):
        inertia = np.diagonal(model.mass_matrix(at))
        assert inertia[3] == pytest.approx(0.107 + b15, abs=2.5e-3)
        assert inertia[4] == pytest.approx(0.099 + b18, abs=2.5e-3)
        assert inertia[5] == pytest.approx(0.02 + b20, abs=1e-3)
    (constant,) = [term.value for term in exact.form("D22").terms if term.factor == ""]
    assert constant == pytest.approx(4.72, rel=0.005)
    (first,) = [term.value for term in exact.form("D11").terms if term.factor == ""]
    assert first == pytest.approx(1.423, rel=0.03)


@pytest.mark.parametrize("load", [None, CUBE, HEAVY], ids=["empty", "cube", "another"])
def test_a_formula_with_the_numbers_of_a_load_is_the_constant_for_it(
    load: da.Load | None, exact: da.ShortFormModel
) -> None:
    """Two ways to one number: the symbols of the load set to its values, and the forms of the arm that holds it."""
    with warnings.catch_warnings():
        # terms that an off-centre load would add are left out, which is said
        warnings.simplefilter("ignore", da.ToleranceWarning)
        model = exact.holding(load)
    formulas = exact.formulas("symbols+load")
    body = (load or da.Load(0)).body
    numbers = dict(zip((f"{name}L" for name in PARAMETERS), body.parameters, strict=True))
    for _, term in model.terms:
        formula = formulas[term.constant]
        given = {name: value for name, value in numbers.items() if name in formula.parameters}
        assert float(formula(np.zeros(6), given)) == pytest.approx(term.exact, rel=1e-12, abs=1e-12)


def test_a_constant_says_whether_it_depends_on_the_load_also_with_an_empty_hand(arm: da.DrivenArm) -> None:
    model = arm.analysis(effort=0.1).short_forms(["D22", "D33"], 0.05, others=[arm.holding(CUBE)])
    depends = {term.factor: one.depends_on_load for one in model.constants for _, term in model.terms
               if term.constant == one.name}  # fmt: skip
    assert depends["q3^2"]
    assert not depends["q3"]
    assert "mL" in next(one.definition for one in model.constants if one.name == model.form("D33").terms[0].constant)
    assert "refitted by" in next(one.definition for one in model.constants if one.shift)
