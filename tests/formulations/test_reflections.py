"""Linear systems by reflections: the answer of elimination, without its pivots."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert.arm.errors import ArmError
from dalembert.formulations.reflections import Reflections
from dalembert.rings.graph import Graph, evaluate
from dalembert.rings.real import REAL


def sparse(rng: np.random.Generator, rows: int, columns: int) -> list[list[float | int]]:
    """A matrix with structural zeros, rows with one entry among them."""
    matrix: list[list[float | int]] = [[0] * columns for _ in range(rows)]
    for i in range(rows):
        for j in range(columns):
            if i == j or (i > 1 and rng.random() < 0.5):
                matrix[i][j] = float(rng.normal())
    return matrix


@pytest.mark.parametrize("seed", range(8))
def test_the_solution_is_that_of_elimination(seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = sparse(rng, 7, 7)
    right = rng.normal(size=7)
    found = Reflections(REAL, matrix).solve(right.tolist())
    condition = np.linalg.cond(np.array(matrix, dtype=float))
    np.testing.assert_allclose(found, np.linalg.solve(np.array(matrix, dtype=float), right), rtol=1e-14 * condition)


def test_entries_that_vanish_at_a_state_are_no_obstacle() -> None:
    """Elimination in this order would divide by the first entry."""
    matrix = [[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]]
    found = Reflections(REAL, matrix).solve([1.0, 2.0, 3.0])
    np.testing.assert_allclose(found, np.linalg.solve(matrix, [1.0, 2.0, 3.0]), atol=1e-14)


def test_of_equations_that_agree_any_number_may_be_too_many() -> None:
    rng = np.random.default_rng(3)
    matrix, x = rng.normal(size=(9, 5)), rng.normal(size=5)
    matrix[8] = matrix[2] - 3 * matrix[4]
    np.testing.assert_allclose(Reflections(REAL, matrix.tolist()).solve((matrix @ x).tolist()), x, rtol=1e-12)


def test_the_side_changes_where_the_determinant_does() -> None:
    rng = np.random.default_rng(4)
    signs = []
    for _ in range(30):
        matrix = rng.normal(size=(5, 5))
        matrix[0] = (0, 2, 0, 0, 0)
        rows = [[0 if x == 0 else float(x) for x in row] for row in matrix]
        signs.append(float(Reflections(REAL, rows).side) * np.sign(np.linalg.det(matrix)))
    assert set(signs) in ({1.0}, {-1.0})


@pytest.mark.parametrize("seed", range(6))
def test_the_spread_is_about_the_square_of_the_condition(seed: int) -> None:
    u, s, vh = np.linalg.svd(np.random.default_rng(seed).normal(size=(5, 5)))
    for least in (1e-1, 1e-4, 1e-7):
        s[-1] = least
        made = (u * s) @ vh
        spread = float(np.sqrt(Reflections(REAL, made.tolist()).spread))
        condition = np.linalg.norm(made) * np.linalg.norm(np.linalg.inv(made))
        assert condition / 30 < spread <= np.sqrt(2) * condition * (1 + 1e-5)


def test_the_same_code_serves_every_state() -> None:
    """Over the graph: one straight line, evaluated at states where other entries vanish."""
    graph = Graph()
    entries = graph.inputs("a_", 9)
    found = Reflections(graph, [entries[3 * i : 3 * i + 3] for i in range(3)]).solve([1, 2, 3])
    rng = np.random.default_rng(6)
    for k in range(9):
        matrix = rng.normal(size=(3, 3))
        matrix[k // 3, k % 3] = 0.0
        values = {f"a_{i}": float(x) for i, x in enumerate(matrix.ravel())}
        got = evaluate([graph.node(x) for x in found], values, REAL)
        np.testing.assert_allclose(got, np.linalg.solve(matrix, [1, 2, 3]), rtol=1e-11)


def test_an_unknown_in_no_equation_is_refused() -> None:
    with pytest.raises(ArmError, match="unknown 1 is in none of the 2 equations"):
        Reflections(REAL, [[1.0, 0], [2.0, 0]])
