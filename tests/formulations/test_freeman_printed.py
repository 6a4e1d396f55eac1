"""Chapter II of Freeman 1985 put to numbers as printed: where the print is wrong, and that the exact form holds.

The misprints are listed in docs/errata-freeman.md.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import pytest

import dalembert as da


class Body:
    """Influence coefficients of one link of an RRPRR arm, its inertia, and its motion."""

    def __init__(self, arm: da.Arm, name: str, q: Any, qd: Any, qdd: Any) -> None:
        link = arm.link(name)
        com = [float(x) for x in link.inertia.com]
        found = arm.influence(q, name, com)
        self.qd, self.qdd = qd, qdd
        self.mass = float(link.inertia.mass)
        self.gc, self.hc, self.dc = found.point_first, found.point_second, found.point_third
        self.g, self.h, self.d = found.rotation_first, found.rotation_second, found.rotation_third
        turn = arm.link_frames(q)[name][:3, :3]
        self.dyadic = turn @ np.array(link.inertia.central, dtype=float) @ turn.T
        self.omega = self.g @ qd
        self.alpha = self.g @ qdd + np.einsum("xmn,m,n->x", self.h, qd, qd)

    @cached_property
    def angular(self) -> Any:
        """Rate of the angular momentum (2-184)."""
        return self.dyadic @ self.alpha + np.cross(self.omega, self.dyadic @ self.omega)

    @cached_property
    def linear(self) -> Any:
        """Rate of the linear momentum (2-154)."""
        return self.mass * (self.gc @ self.qdd + np.einsum("xmn,m,n->x", self.hc, self.qd, self.qd))

    def linear_slope(self) -> Any:
        """(2-216)."""
        bend = np.einsum("xlmn,m,n->xl", self.dc, self.qd, self.qd)
        slope = self.mass * (np.einsum("xmn,n->xm", self.hc, self.qdd) + bend)
        return np.einsum("x,xnm->mn", self.linear, self.hc) + self.gc.T @ slope

    def momentum_slope(self, turn: Any, local: Any, *, printed: bool) -> Any:
        """dL/dphi by (2-167), (2-173) and (2-177); ``printed``: [T]^T in the second term, [(j)Pi] in the first."""
        dyadic = turn @ local @ turn.T
        first = np.cross(self.g.T, (local if printed else dyadic) @ self.omega).T
        inner = turn.T @ np.einsum("xmn,m->xn", self.h, self.qd)
        return first + (turn.T if printed else turn) @ local @ inner

    def angular_slope(self, transposed: bool = False, by_rates: bool = False) -> Any:
        """(2-224), column by column, with [H]^T where (2-223) has [H], or with phi'^T [L_P] for phi''^T [L_P]."""
        g, h, d, qd, qdd = self.g, self.h, self.d, self.qd, self.qdd
        pi = self.dyadic
        bent = np.einsum("xmn,m,n->x", h, qd, qd)
        to_rows, to_columns = np.einsum("xnm,m->xn", h, qd), np.einsum("xmn,m->xn", h, qd)

        def crossed(vector: Any) -> Any:
            """[G]^T x vector: g_n x vector in column n (2-172)."""
            return np.cross(g.T, vector).T

        found = np.einsum("x,xnm->mn", self.angular, h)  # (L')^T . [H]^T
        second = qd if by_rates else qdd
        found = found + g.T @ (crossed(pi @ g @ second) + pi @ np.einsum("xmn,m->xn", h, second))  # phi''^T [L_P]
        found = found + g.T @ crossed(pi @ bent)
        found = found + g.T @ np.cross(to_rows.T, pi @ self.omega).T
        inner = pi @ (to_rows if transposed else to_columns) + crossed(pi @ self.omega)
        found = found + g.T @ np.cross(self.omega, inner.T).T
        return found + g.T @ (pi @ (np.einsum("xlmn,m,n->xl", d, qd, qd) - crossed(bent)))


@pytest.fixture(scope="module")
def arm() -> da.Arm:
    rng = np.random.default_rng(0)
    rows = []
    for k in range(5):
        root = rng.normal(size=(3, 3))
        inertia = root @ root.T + np.eye(3)
        rows.append(
            {
                "a": 0.3 + 0.1 * k,
                "alpha": 0.4 + 0.3 * k,
                ("theta" if k == 2 else "d"): 0.2,
                "type": "prismatic" if k == 2 else "revolute",
                "mass": 1.0 + k,
                "com": tuple(rng.normal(size=3) * 0.1),
                "inertia": inertia.tolist(),
            }
        )
    return da.Arm.from_dh(rows, "modified", gravity=(0, 0, 0))


@pytest.fixture(scope="module")
def state() -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(1)
    return tuple(rng.normal(size=(3, 5)))  # type: ignore[return-value]


def test_the_slope_of_the_torque_to_position_is_2_225_with_the_h_of_2_223_and_not_its_transpose(
    arm: da.Arm, state: tuple[Any, Any, Any]
) -> None:
    exact = arm.inverse_dynamics_derivatives(*state)[0]
    bodies = [Body(arm, link.name, *state) for link in arm.links[1:]]
    linear = sum(body.linear_slope() for body in bodies)
    right = linear + sum(body.angular_slope() for body in bodies)
    np.testing.assert_allclose(right, exact, atol=1e-12 * np.abs(exact).max())
    for misprint in ({"transposed": True}, {"by_rates": True}):  # the fifth line, and the second
        printed = linear + sum(body.angular_slope(**misprint) for body in bodies)
        assert np.abs(printed - exact).max() > 0.01 * np.abs(exact).max()


def test_the_slope_of_the_angular_momentum_has_the_global_inertia_in_both_terms(
    arm: da.Arm, state: tuple[Any, Any, Any]
) -> None:
    """(2-167) with [T] for the printed [T]^T in its second term, (2-173) with [Pi] for the printed [(j)Pi]."""
    q, qd, qdd = state
    name, step = arm.links[-1].name, 1e-6
    local = np.array(arm.link(name).inertia.central, dtype=float)

    def momentum(at: Any) -> Any:
        body = Body(arm, name, at, qd, qdd)
        return body.dyadic @ body.omega

    slope = np.stack([(momentum(q + e) - momentum(q - e)) / (2 * step) for e in step * np.eye(5)], axis=1)
    body, turn = Body(arm, name, *state), arm.link_frames(q)[name][:3, :3]
    np.testing.assert_allclose(body.momentum_slope(turn, local, printed=False), slope, atol=1e-7)
    assert np.abs(body.momentum_slope(turn, local, printed=True) - slope).max() > 0.1


def test_the_turning_frame_of_2_178_and_2_182(arm: da.Arm, state: tuple[Any, Any, Any]) -> None:
    """phi'^T [H]^T - [G]^T x omega = phi'^T [H]; (2-182) holds times phi', which its left side lacks."""
    body = Body(arm, arm.links[-1].name, *state)
    left = np.einsum("xnm,m->xn", body.h, body.qd) - np.cross(body.g.T, body.omega).T
    np.testing.assert_allclose(left, np.einsum("xmn,m->xn", body.h, body.qd), atol=1e-13)
    np.testing.assert_allclose(left @ body.qd, np.einsum("xmn,m,n->x", body.h, body.qd, body.qd), atol=1e-13)


def test_the_rate_of_a_vector_in_link_jk_takes_joint_j_with_it(arm: da.Arm, state: tuple[Any, Any, Any]) -> None:
    """(2-62), last line: the sum runs to j, not j - 1."""
    q, qd, _ = state
    name, point, step = arm.links[-1].name, np.array([0.1, 0.2, 0.3]), 1e-6
    ahead, behind = ((arm.link_frames(q + s * step * qd)[name][:3, :3] @ point) for s in (1, -1))
    axes = arm.influence(q, name).rotation_first
    vector = arm.link_frames(q)[name][:3, :3] @ point
    np.testing.assert_allclose((ahead - behind) / (2 * step), np.cross(axes @ qd, vector), atol=1e-8)
    assert np.abs(np.cross(axes[:, :-1] @ qd[:-1], vector) - np.cross(axes @ qd, vector)).max() > 0.01


def test_tables_2_4_and_2_5_vanish_elsewhere_than_printed(arm: da.Arm, state: tuple[Any, Any, Any]) -> None:
    """Rotations: h_mn = 0 for n <= m (printed m < n), d_lmn = 0 unless l < n and m < n (printed m, l <= n)."""
    found = arm.influence(state[0], arm.links[4].name)  # j = 4: the fifth joint does not move it
    h, d = np.abs(found.rotation_second).max(axis=0), np.abs(found.rotation_third).max(axis=0)
    revolute = [0, 1, 3]
    for m in range(5):
        for n in range(5):
            assert (h[m, n] > 1e-3) == (m < n <= 3 and m in revolute and n in revolute)
            for k in range(5):
                both = {k, m, n} <= set(revolute)
                assert (d[k, m, n] > 1e-3) == (both and k < n and m < n)
    # Points: m = n, which no row of Table 2-4 has, is the centripetal coefficient s_n x [s_n x (P - R_n)] of (2-84).
    first, axes = found.point_first, found.rotation_first
    for n in (0, 1, 3):
        np.testing.assert_allclose(found.point_second[:, n, n], np.cross(axes[:, n], first[:, n]), atol=1e-13)
    assert np.linalg.norm(found.point_second[:, 0, 0]) > 0.1
    # Points: nothing where one of the joints lies beyond the link (printed: before it).
    bend = np.abs(found.point_second).max(axis=0)
    assert (bend[4] == 0).all()
    assert (bend[:, 4] == 0).all()
    assert bend[0, 1] > 1e-3


def test_shapes_of_appendix_a_and_of_2_158() -> None:
    """[C] N x M x M and [D] M x K: D^T C D is N x K x K, b^T C b has N entries, [A]_p . [C] is M x M."""
    from dalembert.mechanisms import transfer

    c, d, b, a = np.ones((3, 4, 4)), np.ones((4, 2)), np.ones(4), np.ones((5, 3))
    assert transfer.quadratic(d, c).shape == (3, 2, 2)
    assert transfer.form(b, c).shape == (3,)
    assert transfer.dot(a, c).shape == (5, 4, 4)
