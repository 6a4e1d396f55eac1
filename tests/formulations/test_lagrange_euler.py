"""The shortened traces of Bejczy 1974, Appendix D, against the whole ones of eq. (1), coefficient by coefficient."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import dalembert as da
from dalembert.formulations import lagrange_euler
from dalembert.formulations.chain import chain
from dalembert.rings.real import REAL

Q = np.array([0.4, 0.7, -0.3, 1.1])


def arm_of(kinds: str) -> da.Arm:
    """Four links in general position, their joints rotary (R) or linear (P)."""
    rng = np.random.default_rng(sum(map(ord, kinds)))
    rows = []
    for kind in kinds:
        body = rng.uniform(0.1, 0.4, 3)
        rows.append({
            "a": round(float(rng.uniform(0.1, 0.5)), 3), "alpha": round(float(rng.uniform(-1.5, 1.5)), 3),
            "d" if kind == "R" else "theta": round(float(rng.uniform(-0.5, 0.5)), 3),
            "type": "revolute" if kind == "R" else "prismatic", "mass": round(float(rng.uniform(1, 5)), 3),
            "com": [round(float(x), 3) for x in rng.uniform(-0.3, 0.3, 3)],
            "inertia": [round(float(x), 3) for x in body],
        })  # fmt: skip
    return da.Arm.from_dh(rows, physical="ignore")


KINDS = ["RRRR", "PRRR", "RPRR", "RRPR", "RRRP", "PPRR", "RPPR", "RPRP", "PRPR", "PPPR"]


@pytest.mark.parametrize("kinds", KINDS)
def test_transformations_before_the_lowest_joint_drop_out_of_every_trace(kinds: str) -> None:
    """(D.9) to (D.59): for each combination of rotary and linear joints, inner and outer."""
    arm = arm_of(kinds)
    equations = arm.equations("numbers")
    n = arm.n

    def whole(link: int, *joints: int) -> np.ndarray:
        return np.array([[float(x(Q)) for x in row] for row in equations.transformation_derivative(link, *joints)])

    first = {(j, i): whole(j, i) for j in range(n) for i in range(n)}
    second = {(j, k, p): whole(j, k, p) for j in range(n) for k, p in itertools.product(range(n), repeat=2)}
    inertias = [np.array(body.inertia.pseudo, dtype=float) for body in arm.bodies]
    links = chain(arm, REAL)
    matrix = np.array(lagrange_euler.mass_matrix(links, REAL, list(Q)), dtype=float)
    velocity = np.array(lagrange_euler.christoffel(links, REAL, list(Q)), dtype=float)
    scale = np.abs(matrix).max()
    for i, k in itertools.product(range(n), repeat=2):
        full = sum(np.trace(first[j, k] @ inertias[j] @ first[j, i].T) for j in range(n))
        assert matrix[i, k] == pytest.approx(full, abs=1e-13 * scale)
        for p in range(n):
            full = sum(np.trace(second[j, k, p] @ inertias[j] @ first[j, i].T) for j in range(n))
            assert velocity[i, k, p] == pytest.approx(full, abs=1e-13 * scale)
    # (D.57), (D.59) and the remark after (D.26): what an outer joint feels of its own speed.
    for i in range(n):
        for j in range(i + 1):
            assert velocity[i, i, j] == pytest.approx(0, abs=1e-13 * scale)


def test_two_linear_joints_inside_do_not_interact_by_speed() -> None:
    """The cases that Appendix D finds identically zero: an outer speed of turning, an inner one of sliding."""
    velocity = np.array(lagrange_euler.christoffel(chain(arm_of("RPRR"), REAL), REAL, list(Q)), dtype=float)
    assert np.abs(velocity[:, 1, 2:]).max() == 0
    assert np.abs(velocity[:, 1, 0]).max() > 0.1
