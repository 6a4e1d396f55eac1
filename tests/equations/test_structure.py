"""Structure of dynamic models (Tourassis and Neuman 1985), and base parameters."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.equations.base_parameters import balanced, base_parameters
from dalembert.equations.closed_form import Equations
from dalembert.equations.structure import BY_CANCELLATION, BY_GEOMETRY, BY_IDENTITY, BY_PARAMETERS, structure
from random_arms import random_arm

# Table 3: d_ii (constant), d_ij, c_jj(i), c_jm(i), G_i, total; where ours differs, see docs/closed-form.md.
TABLE_3 = {
    "cartesian": ((3, 3), 0, 0, 0, 1, 4),
    "cylindrical": ((3, 2), 0, 1, 0, 1, 5),
    "spherical": ((3, 1), 0, 3, 0, 2, 8),
    "articulated": ((3, 1), 3, 6, 1, 2, 15),
    "stanford": ((6, 2), 12, 19, 25, 4, 66),
    "puma560": ((6, 1), 14, 25, 39, 4, 88),
}


@pytest.mark.parametrize("name", TABLE_3)
def test_counts_of_table_3(name: str) -> None:
    found = structure(Equations(da.load(name)))
    counts = found.counts
    (self_inertial, constant), mutual, centrifugal, coriolis, gravity, total = TABLE_3[name]
    assert (counts["d_ii"].nonzero, counts["d_ii"].constant) == (self_inertial, constant)
    assert [counts[k].nonzero for k in ("d_ij", "c_jj(i)", "c_jm(i)", "G_i")] == [
        mutual,
        centrifugal,
        coriolis,
        gravity,
    ]
    assert found.total == total


@pytest.mark.parametrize(("n", "total"), [(3, 17), (6, 97)])
def test_independent_coefficients_of_table_2(n: int, total: int) -> None:
    found = structure(Equations(random_arm(1, joints=n), "inertial"))
    assert found.independent == total == n * (2 * n * n + 3 * n + 7) // 6


# Table 3 in print: sparsity, joints that turn, joints.
SPARSITY = {
    "cartesian": (0.235, 0, 3), "cylindrical": (0.294, 1, 3), "spherical": (0.471, 2, 3), "articulated": (0.941, 3, 3),
    "stanford": (0.680, 5, 6), "puma560": (0.907, 6, 6),
}  # fmt: skip


@pytest.mark.parametrize("name", SPARSITY)
def test_the_scaling_law_holds_to_five_percent_for_what_is_printed(name: str) -> None:
    """0.235 [1 + (N_R/N)^2]^2; the articulated arm has 15 coefficients, not 16, and is missed by 6.7 percent."""
    printed, turning, joints = SPARSITY[name]
    found = structure(Equations(da.load(name)))
    assert float(found.anthropomorphism) == pytest.approx(turning / joints)
    assert float(found.sparsity_law) == pytest.approx(0.235 * (1 + (turning / joints) ** 2) ** 2, rel=2e-3)
    assert float(found.sparsity_law) == pytest.approx(printed, rel=0.05)
    assert found.law_error == pytest.approx(float(found.sparsity_law) / float(found.sparsity) - 1)
    assert (abs(found.law_error) > 0.05) == (name == "articulated")


@pytest.mark.parametrize(("n", "independent"), [(3, 17), (6, 97)])
def test_the_number_of_coefficients_grows_as_told(n: int, independent: int) -> None:
    found = structure(Equations(random_arm(1, joints=n), "inertial"))
    assert found.independent_law == pytest.approx(n**2.55)
    assert found.independent_law == pytest.approx(independent, rel=0.04)


def test_the_table_of_scaling_laws_is_what_the_catalog_gives() -> None:
    page = (Path(__file__).parents[2] / "docs" / "closed-form.md").read_text(encoding="utf-8")
    for name in da.catalog():
        s = structure(Equations(da.load(name)))
        row = (
            f"| {name} | {s.n} | {float(s.anthropomorphism):.3f} | {s.independent}, {s.independent_law:.1f} "
            f"| {s.total} | {float(s.sparsity):.3f} | {float(s.sparsity_law):.3f} | {100 * s.law_error:+.1f} % |"
        )
        assert row in page


@pytest.mark.parametrize("name", da.catalog())
def test_relations_and_functional_dependence_hold_exactly(name: str) -> None:
    found = structure(Equations(da.load(name)))
    assert found.as_predicted, [c for c in found.coefficients if not c.as_predicted] or found.relations


@pytest.mark.parametrize("seed", range(4))
def test_relations_hold_for_random_trees(seed: int) -> None:
    found = structure(Equations(random_arm(seed, joints=4), "inertial"))
    assert found.as_predicted


@pytest.mark.parametrize("seed", [0, 1, 4])
def test_skewed_revolute_axes_use_every_dependence_that_table_1_allows(seed: int) -> None:
    """So no joint is allowed that could be left out."""
    found = structure(Equations(random_arm(seed, 4, fixed=0.0, kinds=("revolute",)), "inertial"))
    assert {c.name: c.joints for c in found.coefficients} == {c.name: c.allowed for c in found.coefficients}


# Table 1 read for a chain of three joints of these kinds, joints counted from 1.
TABLE_1 = {
    "RRR": {"D11": "23", "D22": "3", "D33": "", "D12": "23", "D13": "23", "D23": "3", "G1": "123", "G3": "123"},
    "RPR": {"D11": "23", "D22": "", "D33": "", "D12": "3", "D13": "23", "D23": "3", "G2": "1", "G3": "123"},
    "PRP": {"D11": "", "D22": "3", "D33": "", "D12": "23", "D13": "2", "D23": "", "G1": "", "G2": "123", "G3": "12"},
    "PPP": {"D11": "", "D22": "", "D33": "", "D12": "", "D13": "2", "D23": "", "G1": "", "G2": "1", "G3": "12"},
}


@pytest.mark.parametrize("kinds", TABLE_1)
def test_dependence_is_allowed_as_in_table_1(kinds: str) -> None:
    """A slider's own inertia is constant, gravity at a slider depends on the joints before it alone."""
    joints = [
        {"name": f"joint{k}", "type": {"R": "revolute", "P": "prismatic"}[kind], "alpha": 0.4, "a": 0.3, "mass": 1}
        for k, kind in enumerate(kinds, start=1)
    ]
    found = structure(Equations(da.Arm.from_dh(joints, gravity=(1, 2, -9)), "inertial"))
    allowed = {c.name: "".join(str(j + 1) for j in c.allowed) for c in found.coefficients}
    assert {name: allowed[name] for name in TABLE_1[kinds]} == TABLE_1[kinds]


def test_numbers_that_cancel_are_told_from_parameters_that_are_zero() -> None:
    """The mass centre of the last link lies on its axis, so m2 a2 + mx2 = 0 though neither is zero."""
    rows = [{"a": 0.5, "mass": 1, "com": (-0.2, 0, 0), "inertia": (0.1, 0.1, 0.1)}]
    rows += [{"a": 0.4, "mass": 2, "com": (-0.4, 0, 0), "inertia": (0.1, 0.1, 0.1)}]
    arm = da.Arm.from_dh(rows, gravity=(0, -9.81, 0))
    zeros = structure(Equations(arm, "numbers")).zeros
    assert {name for name, why in zeros.items() if why == BY_CANCELLATION} == {"C112", "C122", "C211", "G2"}
    assert {name for name, why in zeros.items() if why == BY_PARAMETERS} == set()
    # With the link frame itself on the axis the first moment is zero, and nothing has to cancel.
    rows[1] |= {"a": 0, "com": (0, 0, 0)}
    zeros = structure(Equations(da.Arm.from_dh(rows, gravity=(0, -9.81, 0)), "numbers")).zeros
    assert {name for name, why in zeros.items() if why == BY_PARAMETERS} == {"C112", "C122", "C211", "G2"}


def test_the_reasons_for_zeros() -> None:
    why = {c.name: c.zero for c in structure(Equations(da.load("spherical"))).coefficients}
    assert why["C133"] == BY_GEOMETRY
    assert why["D12"] == BY_PARAMETERS
    assert why["D11"] is None
    articulated = {c.name: c.zero for c in structure(Equations(da.load("articulated"))).coefficients}
    assert articulated["C213"] == BY_GEOMETRY
    zeros = structure(Equations(da.load("articulated"))).zeros
    assert {name for name, why in zeros.items() if why == BY_IDENTITY} == {
        "C111",
        "C212",
        "C222",
        "C313",
        "C323",
        "C333",
    }


# -- base parameters -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "torque", "energy"), [("puma560", 36, 37), ("panda", 43, 44), ("planar-2r", 6, 6), ("jpl-rrp", 33, 34)]
)
def test_numbers_of_base_parameters(name: str, torque: int, energy: int) -> None:
    assert len(base_parameters(da.load(name))) == torque
    assert len(base_parameters(da.load(name), "energy")) == energy


@pytest.mark.parametrize("name", ["puma560", "panda", "jpl-rrp", "ur5e"])
def test_regrouped_equations_are_the_same_equations(name: str) -> None:
    found = base_parameters(da.load(name))
    equations = found.equations
    for poly in [*equations.mass_matrix.flat, *equations.gravity]:
        small = found.regrouped(poly)
        assert set(small.parameters) & {*found.absorbed, *found.idle} == set()
        assert found.expanded(small) == poly


def test_base_parameters_are_as_many_as_the_regressor_has_independent_columns() -> None:
    for seed in range(3):
        arm = da.Arm.from_dh(
            [{"alpha": 0.4 + seed, "a": 0.3, "d": 0.2, "mass": 1, "com": (0.1, 0, 0.1)} for _ in range(3)],
            gravity=(1, 2, -9),
        )
        rng = np.random.default_rng(seed)
        rows = [arm.regressor(*rng.uniform(-2, 2, (3, 3))) for _ in range(40)]
        assert len(base_parameters(arm)) == np.linalg.matrix_rank(np.concatenate(rows))


def test_the_known_combinations_of_the_planar_arm() -> None:
    found = base_parameters(da.load("planar-2r"))
    assert str(found.relations["Izz1"]) == "Izz₁ + m₂ l₁²"
    assert str(found.relations["mx1"]) == "mx₁ + m₂ l₁"
    assert set(found.names) == {"mx1", "my1", "Izz1", "mx2", "my2", "Izz2"}


def test_base_parameters_of_something_else_are_refused() -> None:
    with pytest.raises(da.ArmError, match="energy"):
        base_parameters(da.load("planar-2r"), "colour")


def test_rows_with_numbers_too_large_for_floats_are_balanced_all_the_same() -> None:
    one = base_parameters(da.load("planar-2r"), lengths=False).equations.mass_matrix[1, 1].poly.context().constant(1)
    rows = {0: {0: one * 10**400, 1: one * 3 * 10**400}, 2: {2: one, 3: one / 10**400}}
    assert set(balanced(rows, ["Ixx1", "Ixx2", "Ixx3", "Ixx4"], 1.0)) <= {0, 1, 2}
