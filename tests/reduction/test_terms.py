"""Short closed forms: Bejczy's Tables 3 and 4, found without him and proved."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.inertia import Inertia, Load
from dalembert.equations.equations import Equations
from dalembert.reduction.box import box_of
from dalembert.reduction.terms import columns, reduce_coefficients

TABLE_3 = {"D11": 5, "D22": 4, "D33": 1, "D44": 2, "D55": 1, "D66": 1, "G2": 4, "G3": 1, "G4": 1, "G5": 2}
CUBE = Load.of(Inertia.box(1.8, ((442e-6) ** (1 / 3),) * 3))


@pytest.fixture(scope="module")
def arm():
    return da.load("jpl-rrp")


@pytest.fixture(scope="module")
def fitted(arm):
    return {r.name: r for r in reduce_coefficients(arm, tolerance=0.05)}


def test_the_forms_are_at_least_as_short_as_table_3_with_a_proved_worst_error(fitted) -> None:
    for name, terms in TABLE_3.items():
        assert len(fitted[name].terms) <= terms, fitted[name].text
        assert fitted[name].share <= 0.05
        assert fitted[name].tightness <= 2 or fitted[name].bound < 1e-10


def test_the_proved_errors_hold_on_samples(arm, fitted) -> None:
    eq, q = Equations(arm, "numbers"), box_of(arm).samples(100_000)
    for name in ("D11", "D22", "G2", "G4"):
        form = fitted[name]
        table = columns(eq[name], [t.powers for t in form.terms], q)
        added = {"D11": 0.953, "D22": 2.193}.get(name, 0.0)
        off = np.abs(table @ np.array([t.value for t in form.terms]) - eq[name](q) - added).max()
        assert off <= form.bound
        assert form.bound <= 1.2 * max(off, form.found)


def test_the_constants_are_those_of_table_4(arm) -> None:
    """b1 ... of Table 4, and d1 to d3 times g; his sums went through ounces, which costs up to 3 percent."""
    forms = {r.name: r for r in reduce_coefficients(arm, ["D11", "D22", "G2", "G5"], tolerance=0.005, refit=False)}
    value = {(r.name, t.factor): t.exact for r in forms.values() for t in r.terms}
    g = 9.81
    assert value["D11", ""] == pytest.approx(1.423, rel=0.03)
    assert value["D11", "s2^2"] == pytest.approx(2.51, rel=0.01)
    assert value["D11", "q3 s2^2"] == pytest.approx(-5.49, rel=0.003)
    assert value["D11", "q3^2 s2^2"] == pytest.approx(6.48, rel=0.003)
    assert value["D11", "c5 q3 s2^2"] == pytest.approx(0.232, rel=0.015)
    assert value["D22", ""] == pytest.approx(4.72, rel=0.005)
    assert -value["G2", "s2"] == pytest.approx(-2.788 * g, rel=0.003)
    assert -value["G2", "q3 s2"] == pytest.approx(6.47 * g, rel=0.001)
    assert -value["G5", "c2 s5"] == pytest.approx(0.116 * g, rel=0.015)


def test_one_form_serves_the_empty_and_the_loaded_hand(arm) -> None:
    forms = {r.name: r for r in reduce_coefficients(arm, ["D22", "D33", "D44"], tolerance=0.05, load=[None, CUBE])}
    assert forms["D33"].terms[0].depends_on_load
    assert forms["D33"].terms[0].loaded[0] == pytest.approx(7.252 + 1.8)
    loads = {t.factor: t.depends_on_load for t in forms["D22"].terms}
    assert loads["q3^2"]
    assert not loads["q3"]
    assert all(form.share <= 0.05 for form in forms.values())


def test_zero_tolerance_keeps_every_term(arm) -> None:
    (form,) = reduce_coefficients(arm, ["D22"], tolerance=0.0)
    assert len(form.terms) == form.exact_terms
    assert form.bound < 1e-12
