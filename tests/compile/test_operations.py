"""Counts of operations: Lee's table, general code, generated code."""

from __future__ import annotations

import math
import re
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.io.files import read
from dalembert.compile import operations as counts
from dalembert.formulations.chain import chain
from dalembert.formulations.registry import TORQUES
from dalembert.rings.graph import Graph

PUMA = read("puma560", physical="ignore")


def test_lee_table_1_for_six_joints():
    """Lee, Lee and Nigam 1982, Table 1."""
    found = counts.lee(6)
    assert (found["newton-euler"].multiplications, found["newton-euler"].additions) == (792, 662)
    assert (found["lagrange-euler"].multiplications, found["lagrange-euler"].additions) == (101348, 77405)
    assert (found["generalized-dalembert"].multiplications, found["generalized-dalembert"].additions) == (2963, 2209)


def test_published_counts_for_six_joints_are_the_well_known_ones():
    found = {name: (formula(6).multiplications, formula(6).additions) for name, formula in counts.PUBLISHED}
    assert list(found.values()) == [(2195, 1719), (852, 738), (489, 420)]


def test_a_shared_node_counts_once_and_a_pair_counts_once():
    graph = Graph()
    x, y = graph.input("x"), graph.input("y")
    sin, cos = graph.sincos(x)
    product = x * y
    found = counts.count([product + sin, product + cos, graph.divide(1, product), graph.sqrt(y)])
    assert found == counts.Operations(1, 2, 1, 1, 1)
    assert found.total == 5
    assert str(found) == "1 multiplications, 2 additions, 1 divisions, 1 square roots, 1 sine-cosine pairs"
    # Differences and changes of sign are additions.
    assert counts.count([x - y, graph.node(-product)]) == counts.Operations(1, 2)


USED: Counter[str] = Counter()


def written_down(name: str, kind: str) -> Any:
    def method(self: float, other: object) -> Tallied:
        if not isinstance(other, (int, float)):
            return NotImplemented  # a dual number does what its parts do
        USED[kind] += 1
        return Tallied(getattr(float, name)(float(self), float(other)))

    return method


class Tallied(float):
    """A number of which every use is written down; a change of sign costs nothing."""

    __add__ = written_down("__add__", "added")
    __radd__ = written_down("__radd__", "added")
    __sub__ = written_down("__sub__", "added")
    __rsub__ = written_down("__rsub__", "added")
    __mul__ = written_down("__mul__", "multiplied")
    __rmul__ = written_down("__rmul__", "multiplied")

    def __neg__(self) -> Tallied:
        return Tallied(-float(self))


class TalliedRing:
    """Every number of the arm as one of those, whatever its value."""

    def number(self, value: Fraction) -> Tallied:
        return Tallied(value)

    def sincos(self, angle: float) -> tuple[Tallied, Tallied]:
        USED["turned"] += 1
        return Tallied(math.sin(angle)), Tallied(math.cos(angle))


@pytest.mark.parametrize("formulation", TORQUES)
@pytest.mark.parametrize("name", ["puma560-arm", "spherical"])
def test_general_counts_are_what_a_run_on_numbers_does(formulation: str, name: str):
    """The same pages on floats that write down their use: as many operations, and the right torques."""
    arm = da.load(name, physical="ignore")
    state = np.random.default_rng(0).uniform(-1, 1, (3, arm.n))
    ring = TalliedRing()
    model = chain(arm, ring)
    USED.clear()
    found = TORQUES[formulation](model, ring, *([Tallied(x) for x in row] for row in state))
    assert found == pytest.approx(arm.inverse_dynamics(*state), rel=1e-12, abs=1e-12)
    done = counts.Operations(USED["multiplied"], USED["added"], sine_cosine_pairs=USED["turned"])
    assert counts.general(arm, formulation) == done


@pytest.mark.parametrize("formulation", TORQUES)
def test_generated_code_needs_less_than_general_code(formulation: str):
    assert counts.generated(PUMA, formulation).total < 0.6 * counts.general(PUMA, formulation).total


def general_arm(n: int) -> da.Arm:
    return da.Arm.from_dh([{"a": 0.4, "alpha": 0.7, "d": 0.1, "mass": 1, "com": (-0.2, 0.1, 0.1)}] * n)


def test_generalized_dalembert_costs_a_cubic_below_lees_own():
    """Lee, Lee and Nigam 1982: O(n^3), between Newton-Euler and Lagrange-Euler; their Table 1 is an upper bound."""
    joints = range(2, 10)
    found = {n: counts.general(general_arm(n), "generalized-dalembert") for n in joints}
    for n, one in found.items():
        assert 2 * one.multiplications == 2 * n**3 + 41 * n**2 + 331 * n - 180
        assert 2 * one.additions == 2 * n**3 + 35 * n**2 + 255 * n - 180
        published = counts.lee(n)["generalized-dalembert"]
        assert one.multiplications < published.multiplications
        assert one.additions < published.additions
    for n in (3, 6, 9):
        costs = [counts.general(general_arm(n), f"{name}").total for name in ("newton-euler", "lagrange-euler")]
        assert costs[0] < found[n].total < costs[1]


@pytest.mark.parametrize("name", ["puma560", "spherical", "panda"])
def test_the_steps_of_generalized_dalembert_add_up_to_the_whole(name: str):
    """Lee, Lee and Nigam 1982, Fig. 2: D is the step of third degree, all others are of second degree or less."""
    arm = read(name, physical="ignore")
    blocks, whole = counts.dalembert_blocks(arm), counts.general(arm, "generalized-dalembert")
    assert sum(block.multiplications for block in blocks.values()) == whole.multiplications
    assert sum(block.additions for block in blocks.values()) == whole.additions
    assert sum(block.sine_cosine_pairs for block in blocks.values()) == whole.sine_cosine_pairs
    growth = [[one.multiplications for one in counts.dalembert_blocks(general_arm(n)).values()] for n in range(2, 8)]
    third = np.diff(np.array(growth), 3, axis=0)
    assert (third[:, [0, 1, 3, 4, 5]] == 0).all()
    assert (third[:, 2] == 6).all()


def test_tourassis_and_neuman_cost_a_cubic():
    """Appendices A and B with the slopes of (36) and (37): n^3 slopes of n^2 coefficients."""
    totals = np.array([counts.general(general_arm(n), "tourassis-neuman").multiplications for n in range(2, 9)])
    assert (np.diff(totals, 4) == 0).all()
    assert (np.diff(totals, 3) == 59).all()


def test_newton_euler_as_general_code_needs_no_more_than_luh_walker_and_paul():
    general = counts.general(PUMA, "newton-euler")
    assert general.multiplications <= 792
    assert general.additions <= 662


def test_regrouping_saves_operations():
    assert counts.regrouped(PUMA).total < counts.generated(PUMA, "newton-euler").total


PAGE = (Path(__file__).parents[2] / "docs" / "lee.md").read_text(encoding="utf-8")


def polynomial(text: str, n: int) -> Fraction:
    """A formula of the page such as 13/6 n^3 + 105/2 n^2 - 90."""
    total = Fraction(0)
    for sign, factor, power, degree in re.findall(r"([+-]?) ?([0-9/]*) ?(n?)\^?(\d*)", text):
        if factor or power:
            degree = int(degree) if degree else int(bool(power))
            total += (-1 if sign == "-" else 1) * Fraction(factor or 1) * n**degree
    return total


def rows_of_page(head: str) -> list[list[str]]:
    table = PAGE[PAGE.index(head) :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in table]


def test_the_formulas_of_the_page_are_what_is_counted():
    names = {
        "Newton-Euler": "newton-euler", "generalized d'Alembert": "generalized-dalembert",
        "Tourassis and Neuman": "tourassis-neuman", "Lagrange-Euler": "lagrange-euler",
    }  # fmt: skip
    for n in (2, 5, 6):
        for way, multiplications, additions, six in rows_of_page("| formulation |"):
            name, _, whose = way.rpartition(", ")
            found = counts.general(general_arm(n), names[name]) if whose == "ours" else counts.lee(n)[names[name]]
            assert (polynomial(multiplications, n), polynomial(additions, n)) == (
                found.multiplications,
                found.additions,
            )
            assert six == f"{polynomial(multiplications, 6)}, {polynomial(additions, 6)}"
        for row, found in zip(rows_of_page("| step |"), counts.dalembert_blocks(general_arm(n)).values(), strict=True):
            assert (polynomial(row[1], n), polynomial(row[2], n)) == (found.multiplications, found.additions)
