"""Every explicit formula of the sources is an identity, or is listed as wrong with a correction that is one."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.equations.closed_form import Equations
from dalembert.equations.verify import compare
from equations import errata


@pytest.mark.parametrize("name", errata.FILES)
def test_printed_formulas_are_identities_unless_listed_as_wrong(name: str) -> None:
    found = errata.cases(name)
    assert found
    for case in found:
        verdict = case.verdict
        assert bool(verdict) == (case.corrected is None), f"{name} {case.eq}: {verdict}"


@pytest.mark.parametrize("name", errata.FILES)
def test_every_correction_is_an_identity(name: str) -> None:
    for case in errata.cases(name):
        if case.corrected is not None:
            assert case.repaired, f"{name} {case.eq}: {case.repaired}"


def test_all_that_the_errata_must_cover_is_there() -> None:
    numbers = {case.eq.split(",")[0] for case in errata.cases("bejczy")}
    printed = (29, 31, 33, 36, 37, 38, 42, 43, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62, 64, 66, 68)
    exact = (119, 121, 123, 125, 126, 127, 129, 131, 132)
    assert {f"({n})" for n in (*printed, *exact)} | {f"(C.{n})" for n in range(1, 8)} <= numbers
    assert len(errata.data("bejczy-u")["matrix"]) == 21
    assert {case.eq.split(",")[0] for case in errata.cases("lee")} >= {
        "D11", "D12", "D13", "D22", "D23", "D33", "H1 tran", "H2 tran", "H3 tran", "H1 rot", "H2 rot", "H3 rot",
        "G1", "G2", "G3",
    }  # fmt: skip
    assert len(errata.cases("freeman")) == 36


def test_the_second_form_of_lees_30_starts_at_the_outer_joint() -> None:
    """Summed from s = i as printed, links before joint j count as if it moved them; from s = j it is D."""
    arm = da.load("puma560", physical="ignore")
    frames = arm.link_frames([0.3, -0.7, 1.1, 0.4, -0.5, 0.2])
    after = [frames[body.joint.child] for body in arm.bodies]
    before = [np.eye(4), *after[:-1]]
    exact = arm.mass_matrix([0.3, -0.7, 1.1, 0.4, -0.5, 0.2])

    def summed(i: int, j: int, start: int) -> float:
        total = 0.0
        for s in range(start, arm.n):
            body, turn = arm.bodies[s].inertia, after[s][:3, :3]
            tensor = np.array(body.central, dtype=float) if body.mass else np.array(body.tensor, dtype=float)
            place = (after[s] @ [*(map(float, body.com) if body.mass else (0, 0, 0)), 1.0])[:3]
            levers = [np.cross(before[k][:3, 2], place - before[k][:3, 3]) for k in (i, j)]
            axes = [turn.T @ before[k][:3, 2] for k in (i, j)]
            total += float(body.mass) * levers[0] @ levers[1] + axes[0] @ tensor @ axes[1]
        return float(total)

    pairs = [(i, j) for i in range(6) for j in range(i, 6)]
    np.testing.assert_allclose([summed(i, j, j) for i, j in pairs], [exact[i, j] for i, j in pairs], atol=1e-12)
    assert abs(summed(1, 2, 1) - exact[1, 2]) > 4 * abs(exact[1, 2])


def test_the_slopes_19_and_22_of_lee_have_the_outer_axis_and_the_whole_angular_velocity() -> None:
    """(19): d(R z_j)/dq_i = R z_j x R z_i for i >= j; (22): its second factor is I_s R omega_s, summed to s."""
    arm = da.load("puma560", physical="ignore")
    q, qd, s = np.array([0.3, -0.7, 1.1, 0.4, -0.5, 0.2]), np.array([0.5, -0.8, 0.6, 1.1, -0.4, 0.9]), 5
    tensor = np.array(arm.bodies[s].inertia.central, dtype=float)

    def axes(at: np.ndarray) -> np.ndarray:
        """R_s^0 z_j of all joints, in rows."""
        frames = arm.link_frames(at)
        after = [frames[body.joint.child] for body in arm.bodies]
        return np.array([after[s][:3, :3].T @ turn[:3, 2] for turn in [np.eye(4), *after[:-1]]])

    def energy(at: np.ndarray) -> float:
        omega = qd @ axes(at)
        return float(omega @ tensor @ omega) / 2

    here, step = axes(q), 1e-6
    for i, e in enumerate(step * np.eye(6)):
        slope = (axes(q + e) - axes(q - e)) / (2 * step)
        for j in range(6):
            np.testing.assert_allclose(slope[j], np.cross(here[j], here[i]) if i >= j else 0, atol=1e-9)
        inner = qd[: i + 1] @ here[: i + 1]
        rise = (energy(q + e) - energy(q - e)) / (2 * step)
        assert np.cross(inner, here[i]) @ tensor @ (qd @ here) == pytest.approx(rise, abs=1e-9)
        if i == 3:
            assert abs(np.cross(inner, here[i]) @ tensor @ inner - rise) > 1e-6


def test_section_4_of_lee_holds_with_the_offset_of_figure_3_that_it_leaves_out() -> None:
    whole = errata.data("lee")
    whole["rows"][1]["d"] = 0.14909
    eq = Equations(errata.arm_of(whole), whole["parameters"])
    for entry in whole["formula"]:
        if entry["of"] == "words":
            continue
        exact, aliases = errata.lee(eq, entry["of"])
        right = entry.get("corrected", entry["printed"])
        assert compare(entry["eq"], exact, right, aliases), entry["eq"]


def test_the_page_of_errata_is_up_to_date() -> None:
    assert (errata.ROOT / "docs" / "errata.md").read_text(encoding="utf-8") == errata.document()


@pytest.mark.parametrize("name", errata.FILES)
def test_entries_of_matrices_that_are_right_have_no_note(name: str) -> None:
    """A note of a matrix was once repeated at each of its entries, which accused 67 right ones."""
    for case in errata.cases(name):
        if ", entry (" in case.eq:
            assert bool(case.note) == (not case.verdict), f"{name} {case.eq}: {case.note}"


def test_the_formulas_of_section_v_are_judged_with_the_wrist_on_the_boom() -> None:
    """(31), (36), (42) and (44) lack the terms of y3*, which an arm without a wrist does not have."""
    restricted = {case.eq: case for case in errata.cases("bejczy") if "m3*" in case.exact.space.symbols}
    assert {eq for eq, case in restricted.items() if not case.verdict} == {"(31)", "(36)", "(42)", "(44)"}
    for eq in ("(31)", "(36)", "(42)", "(44)"):
        difference = restricted[eq].verdict.difference
        assert {"m3*", "y3*"} <= set(difference.parameters)
        assert not difference.substitute({"y3*": 0})
