"""Counts of operations: Lee's table, general code, generated code."""

from __future__ import annotations

import pytest

from dalembert.arm.io.files import read
from dalembert.compile import operations as counts
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


@pytest.mark.parametrize("formulation", TORQUES)
def test_generated_code_needs_less_than_general_code(formulation: str):
    assert counts.generated(PUMA, formulation).total < counts.general(PUMA, formulation).total / 2


def test_newton_euler_as_general_code_needs_no_more_than_luh_walker_and_paul():
    general = counts.general(PUMA, "newton-euler")
    assert general.multiplications <= 792
    assert general.additions <= 662


def test_regrouping_saves_operations():
    assert counts.regrouped(PUMA).total < counts.generated(PUMA, "newton-euler").total
