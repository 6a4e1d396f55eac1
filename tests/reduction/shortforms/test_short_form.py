"""Short closed forms: Bejczy's Tables 3 and 4, found without him and proved."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

import dalembert as da
from dalembert.arm.inertia import Inertia, Load
from dalembert.equations.closed_form import Equations
from dalembert.reduction.shortforms import short_form as terms
from dalembert.reduction.shortforms.monomials import columns, factor, shortest
from dalembert.reduction.shortforms.short_form import ReducedCoefficient

TABLE_3 = {"D11": 5, "D22": 4, "D33": 1, "D44": 2, "D55": 1, "D66": 1, "G2": 4, "G3": 1, "G4": 1, "G5": 2}
"""Terms of Table 3, multiplied out; D55 = b17 + b18 and D66 = b19 + b20 are one number each."""
CONSTANTS = {**TABLE_3, "G2": 3, "G5": 1}
"""Constants of Table 3: d3 serves two terms of D2 and both of D5."""
CUBE = Load.of(Inertia.box(1.8, (0.0762,) * 3))
COUNT = 200_000


@pytest.fixture(scope="module")
def arm():
    """The arm of the source, with the input inertias of its drives."""
    return da.load("jpl-rrp").driven


@pytest.fixture(scope="module")
def ask(arm):
    return arm.analysis()


@pytest.fixture(scope="module")
def empty(ask):
    return {r.name: r for r in ask.short_forms(tolerance=0.05, relative_to="range").forms}


@pytest.fixture(scope="module")
def loaded(arm, ask):
    return {r.name: r for r in ask.short_forms(tolerance=0.05, others=[arm.holding(CUBE)]).forms}


def errors(arm, form: ReducedCoefficient, q, part: float = 0.0):
    """Exact less short at positions, with this part of the cube in the hand: constants are linear in the load."""
    held = arm.holding(Load.of(Inertia.box(1.8 * part, (0.0762,) * 3))) if part else arm
    poly = Equations(held, "numbers")[form.name]
    values = np.array([t.value + (part * (t.loaded[0] - t.value) if part else 0.0) for t in form.terms])
    return exact(held, form.name, q) - columns(poly, [t.powers for t in form.terms], q) @ values


def exact(arm, name: str, q) -> np.ndarray:
    """The coefficient as the system itself has it, rotors and load included."""
    kind, place = name[0], [int(digit) - 1 for digit in name[1:]]
    return arm.mass_matrix(q)[:, place[0], place[1]] if kind == "D" else arm.gravity_load(q)[:, place[0]]


def test_the_forms_are_at_least_as_short_as_table_3_with_a_proved_worst_error(empty) -> None:
    """Within 5 percent of the range of each coefficient, as all of Table 3 is."""
    for name, count in TABLE_3.items():
        assert len(empty[name].terms) <= count, empty[name].text
        assert len(empty[name].constants) <= CONSTANTS[name]
        assert empty[name].share <= 0.05
        assert empty[name].tightness <= 2 or empty[name].bound < 1e-10
        assert empty[name].fewest


def test_with_the_cube_the_forms_have_no_more_constants_than_table_3(loaded) -> None:
    """Of the largest values, D11 takes a term more than his, which shares its constant with another (his five are off
    by 8 percent), and D4 its second term: without it eq. (130) is off by 5.07 percent with the empty hand.
    """
    for name, count in CONSTANTS.items():
        assert len(loaded[name].constants) <= count + (name == "G4"), loaded[name].text
        assert len(loaded[name].terms) <= TABLE_3[name] + (name in ("D11", "G4"))
        assert loaded[name].share <= 0.05
        assert loaded[name].fewest
    assert "(c2 q3 s2 s4 s5 + c5 q3 s2^2)" in loaded["D11"].text


def test_with_the_cube_no_five_terms_of_d11_are_within_5_percent(arm, loaded) -> None:
    """Without any one of the six, all thirteen others with any constants are off by more on a sample of positions."""
    held = arm.holding(CUBE).analysis()
    poly, box = held.equations["D11"], held.box
    grid = [[0], np.arange(8) * np.pi / 4, np.linspace(0, box.upper[2], 5), *2 * [np.arange(4) * np.pi / 2], [0]]
    q = np.stack(np.meshgrid(*grid), axis=-1).reshape(-1, 6)
    (form,), _ = shortest([poly])
    table, exact = columns(poly, list(form), q), poly(q)
    limit = 0.05 * float(held.range_of("D11").maximum)
    ones = np.ones((len(q), 1))
    for term in loaded["D11"].terms:
        others = [place for place, powers in enumerate(form) if factor(powers) != term.factor]
        assert len(others) == len(form) - 1
        a = table[:, others]
        left = np.concatenate([np.hstack([a, -ones]), np.hstack([-a, -ones])])
        cost = np.append(np.zeros(len(others)), 1.0)
        least = linprog(cost, left, np.concatenate([exact, -exact]), bounds=[(None, None)] * len(cost)).fun
        assert least > 1.2 * limit


def test_the_proved_errors_hold_on_samples(arm, ask, empty) -> None:
    q = ask.box.samples(COUNT)
    for name in ("D11", "D22", "G2", "G4"):
        off = np.abs(errors(arm, empty[name], q)).max()
        assert off <= empty[name].bound <= 1.2 * max(off, empty[name].found)


def test_the_proved_errors_hold_with_the_cube_and_with_half_of_it(arm, ask, loaded) -> None:
    q = ask.box.samples(COUNT)
    for name in ("D11", "D22", "G2"):
        ends = [error.bound for error in loaded[name].errors]
        for part in (0.0, 0.5, 1.0):
            off = np.abs(errors(arm, loaded[name], q, part)).max()
            assert off <= (1 - part) * ends[0] + part * ends[1]


def test_one_constant_serves_terms_that_have_it_in_common(arm, ask) -> None:
    """D2 = g (d1 + d2 r3) s2 + g d3 (s2 c5 + c2 s4 s5), Bejczy 1974, eq. (128): four terms, three constants."""
    (form,) = ask.short_forms(["G2"], 0.005, others=[arm.holding(CUBE)]).forms
    assert len(form.terms) == 4
    assert len(form.constants) == 3
    shared = {t.constant: (t.value, t.loaded) for t in form.terms}
    assert all(shared[t.constant] == (t.value, t.loaded) for t in form.terms)
    assert "(c5 s2 + c2 s4 s5)" in form.text


def test_one_form_serves_the_empty_and_the_loaded_hand(loaded) -> None:
    assert loaded["D33"].terms[0].depends_on_load
    assert loaded["D33"].terms[0].loaded[0] == pytest.approx(7.252 + 1.8)
    loads = {t.factor: t.depends_on_load for t in loaded["D22"].terms}
    assert loads["q3^2"]
    assert not loads["q3"]


def test_all_smaller_choices_are_tried_where_elimination_keeps_a_term_too_many(monkeypatch) -> None:
    arm = da.load("stanford", physical="ignore").driven
    ask = arm.analysis(effort=0.3)
    (best,) = ask.short_forms(["D22"], 0.2).forms
    monkeypatch.setattr(terms, "fewest", lambda _, fit: (fit, False))
    (greedy,) = ask.short_forms(["D22"], 0.2).forms
    assert len(best.terms) < len(greedy.terms)
    assert best.share <= 0.2
    off = np.abs(errors(arm, best, ask.box.samples(COUNT))).max()
    assert off <= best.bound


def test_a_form_is_written_in_sums_of_angles_or_in_single_ones_whichever_is_shorter() -> None:
    """Of two rods: D11 = b1 c2 + b2 in the second angle alone, G1 = b4 c1 + b5 c12 in their sum."""
    model = da.load("planar-2r").analysis().short_forms(tolerance=0.0)
    assert [form.text for form in model.forms] == [
        "D11 = b1 c2 + b2", "D22 = b3", "G1 = b4 c1 + b5 c12", "G2 = b6 c12",
    ]  # fmt: skip
    q = model.states.box.samples(20)
    np.testing.assert_allclose(np.diagonal(model.mass_matrix(q), axis1=1, axis2=2),
                               np.diagonal(model.system.mass_matrix(q), axis1=1, axis2=2), atol=1e-13)  # fmt: skip
    assert model.constants[0].definition.startswith("2 ")
    assert model.formulas()["b1"](q[:1]) == pytest.approx(model.form("D11").terms[0].exact)


def test_the_same_question_has_the_same_answer(arm, ask, loaded) -> None:
    (again,) = ask.short_forms(["D11"], 0.05, others=[arm.holding(CUBE)]).forms
    assert again.terms == loaded["D11"].terms
    assert again.bound == loaded["D11"].bound


def test_zero_tolerance_keeps_every_term(ask) -> None:
    (form,) = ask.short_forms(["D22"], 0.0).forms
    assert len(form.terms) == form.exact_terms
    assert form.bound < 1e-12


def test_without_refit_the_constants_are_exact(ask) -> None:
    (form,) = ask.short_forms(["D11"], 0.05, refit=False).forms
    assert all(t.value == t.exact for t in form.terms)
    assert form.share <= 0.05


def test_a_share_is_of_what_its_name_says(arm, ask, empty) -> None:
    """D4 of Table 3 is off by 2.53 percent of its range and 5.07 percent of its largest value: two tolerances."""
    form = empty["G4"]
    assert len(form.terms) == 1
    found = ask.range_of("G4")
    assert form.worst.largest == pytest.approx(found.largest, rel=1e-3)
    assert form.worst.span == pytest.approx(found.maximum - found.minimum, rel=1e-3)
    assert form.share == form.worst.share_of_range == pytest.approx(form.bound / form.worst.span)
    assert form.worst.share_of_largest == pytest.approx(0.0507, abs=2e-4)
    (longer,) = ask.short_forms(["G4"], 0.05, relative_to="largest").forms
    assert len(longer.terms) == 2
    (again,) = ask.short_forms(["G4"], 0.051, relative_to="largest").forms
    assert len(again.terms) == 1
    assert again.share == again.worst.share_of_largest <= 0.051


def test_the_gravity_load_of_joint_2_with_the_cube_is_within_5_percent_of_its_largest_value(arm, loaded) -> None:
    """Two terms are within 5 percent of its range alone: they are off by 8 percent of 68.8 N m."""
    form = loaded["G2"]
    assert len(form.terms) == 4
    assert max(error.share_of_largest for error in form.errors) <= 0.05
    held = arm.holding(CUBE)
    short = held.analysis().short_forms(["G2"], 0.05, relative_to="range").form("G2")
    assert len(short.terms) == 2
    assert short.worst.share_of_largest == pytest.approx(0.08, abs=0.005)
    q = held.analysis().box.samples(COUNT)
    assert np.abs(errors(held, short, q)).max() > 0.07 * short.worst.largest


def test_a_constant_coefficient_has_no_range_to_be_relative_to(ask) -> None:
    (form,) = ask.short_forms(["D33"], 0.05, relative_to="range").forms
    assert form.worst.span == 0.0
    assert form.share == 0.0
    assert form.within
    assert form.terms[0].value == pytest.approx(7.252)


def test_words_that_mean_nothing_are_refused(arm, ask) -> None:
    with pytest.raises(da.ArmError, match="relative to one of largest, range, not 'mean'"):
        ask.short_forms(relative_to="mean")
    with pytest.raises(da.ArmError, match="no velocity terms 'slow'"):
        ask.short_forms(velocity="slow")
    with pytest.raises(da.ArmError, match='velocity="named"'):
        ask.short_forms(["D11", "C112"])
    with pytest.raises(da.ArmError, match="a list of names"):
        ask.short_forms("D11")
    with pytest.raises(da.ArmError, match="at least zero"):
        ask.short_forms(tolerance=-1)
    with pytest.raises(da.ArmError, match="not two arms"):
        ask.short_forms(others=[da.load("irb6").driven])
