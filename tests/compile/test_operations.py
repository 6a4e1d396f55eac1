"""Counts of operations: Lee's table, general code, generated code."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
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
    def method(self: float, other: float) -> Tallied:
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
    assert counts.generated(PUMA, formulation).total < counts.general(PUMA, formulation).total / 2


def test_newton_euler_as_general_code_needs_no_more_than_luh_walker_and_paul():
    general = counts.general(PUMA, "newton-euler")
    assert general.multiplications <= 792
    assert general.additions <= 662


def test_regrouping_saves_operations():
    assert counts.regrouped(PUMA).total < counts.generated(PUMA, "newton-euler").total
