"""Coefficients by the names of Bejczy 1974: D_ijp, D_i,V, U_ji, U_jkp, and the stars of section V."""

from __future__ import annotations

import itertools
import json
import time

import numpy as np
import pytest

import dalembert as da
from dalembert.cli.run import main
from dalembert.equations import names
from dalembert.equations.closed_form import Equations
from dalembert.equations.restricted import restricted
from dalembert.equations.starred_parameters import Quotient
from dalembert.equations.verify import verify

ARM = da.load("jpl-rrp")
Q = np.array([0.3, 0.7, 0.5, -0.4, 1.1, 0.9])
QD = np.array([0.5, -0.7, 0.3, 1.3, -1.1, 0.6])
# Eqs 5, 6, 8 and 9.
TURN, SLIDE = np.zeros((4, 4)), np.zeros((4, 4))
TURN[0, 1], TURN[1, 0], SLIDE[2, 3] = -1, 1, 1
OPERATORS = [SLIDE if i == 2 else TURN for i in range(6)]
# Bejczy 1974, Fig. 2 and eq. D.1: alpha, the constant part of theta, and r of each link.
ROWS = [(-90, 0, 0), (90, 0, 0.162), (0, -90, None), (-90, 0, 0), (90, 0, 0), (0, 0, 0.2476)]


def steps(q: np.ndarray) -> list[np.ndarray]:
    """T_{i-1}^i of eq. D.1, every a zero."""
    found = []
    for i, (alpha, theta, r) in enumerate(ROWS):
        angle = np.radians(theta) + (q[i] if r is not None else 0.0)
        (s, c), (sa, ca) = (np.sin(angle), np.cos(angle)), (np.sin(np.radians(alpha)), np.cos(np.radians(alpha)))
        found.append(
            np.array(
                [[c, -ca * s, sa * s, 0], [s, ca * c, -sa * c, 0], [0, sa, ca, q[i] if r is None else r], [0, 0, 0, 1]]
            )
        )
    return found


def product(q: np.ndarray, link: int, joints: tuple[int, ...]) -> np.ndarray:
    """Eqs 4 and 7: T_0^1 ... Q T_{i-1}^i ... T_{j-1}^j; zero where a joint lies beyond the link."""
    if max(joints) > link:
        return np.zeros((4, 4))
    whole = np.eye(4)
    for i, step in enumerate(steps(q)[: link + 1]):
        for _ in range(joints.count(i)):
            whole = whole @ OPERATORS[i]
        whole = whole @ step
    return whole


@pytest.fixture(scope="module")
def numbers() -> Equations:
    return ARM.equations("numbers")


def values(matrix: np.ndarray) -> np.ndarray:
    return np.array([[float(entry(Q)) for entry in row] for row in matrix])


@pytest.mark.parametrize(("link", "joint"), list(itertools.product(range(6), repeat=2)))
def test_u_ji_is_the_product_with_q_of_equation_4(numbers: Equations, link: int, joint: int) -> None:
    found = values(numbers.transformation_derivative(link, joint))
    assert found == pytest.approx(product(Q, link, (joint,)), abs=1e-14)
    assert float(numbers[f"U{link + 1}{joint + 1}[1,4]"](Q)) == pytest.approx(found[0, 3], abs=1e-15)


def test_u_jkp_is_the_product_with_two_q_of_equations_7_to_9(numbers: Equations) -> None:
    for link in (2, 5):
        for pair in itertools.product(range(6), repeat=2):
            found = values(numbers.transformation_derivative(link, *pair))
            assert found == pytest.approx(product(Q, link, pair), abs=1e-14)
    assert numbers["U633[1,4]"] == 0


def test_the_traces_of_equation_1_with_u_and_j_give_the_torques(numbers: Equations) -> None:
    inertias = [np.array(body.inertia.pseudo, dtype=float) for body in ARM.bodies]
    qdd = np.array([1.0, -2.0, 0.5, 0.3, 2.0, -1.0])
    u = {(j, i): values(numbers.transformation_derivative(j, i)) for j in range(6) for i in range(j + 1)}
    gravity = np.array([0, 0, -9.81, 0])
    torque = np.zeros(6)
    for i in range(6):
        for j in range(i, 6):
            for k in range(j + 1):
                torque[i] += np.trace(u[j, k] @ inertias[j] @ u[j, i].T) * qdd[k]
                for p in range(j + 1):
                    second = values(numbers.transformation_derivative(j, k, p))
                    torque[i] += np.trace(second @ inertias[j] @ u[j, i].T) * QD[k] * QD[p]
            torque[i] -= gravity @ u[j, i] @ inertias[j][:, 3]
    assert torque == pytest.approx(ARM.inverse_dynamics(Q, QD, qdd), rel=1e-12, abs=1e-12)


def test_one_term_d_ijp_for_each_pair_of_speeds_gives_the_velocity_torque(numbers: Equations) -> None:
    """Eqs 12 to 17: twice the Christoffel symbol where the speeds differ, the symbol itself for a square."""
    exact = ARM.inverse_dynamics(Q, QD, np.zeros(6)) - ARM.gravity_load(Q)
    for i in range(6):
        pairs = [(j, p) for j in range(6) for p in range(j, 6)]
        total = sum(float(numbers[f"D{i + 1}{j + 1}{p + 1}"](Q)) * QD[j] * QD[p] for j, p in pairs)
        assert total == pytest.approx(exact[i], abs=1e-13)
        matrix = values(numbers.velocity_matrix(i))
        assert matrix == pytest.approx(matrix.T)
        assert QD @ matrix @ QD / 2 == pytest.approx(exact[i], abs=1e-13)
    assert numbers["D112"] == 2 * numbers["C112"]
    assert numbers["D122"] == numbers["C122"]
    assert numbers["D2"] == numbers["G2"]


def test_shares_of_links_parts_and_rotors_follow_the_factor_two() -> None:
    driven = ARM.driven.equations("numbers")
    for name, plain in (("D456", "C456"), ("D422", "C422")):
        factor = 2 if name == "D456" else 1
        assert sum(driven.by_link(name).values()) == driven[name]
        for part in (driven.translational, driven.rotational, driven.rotors):
            assert part(name) == factor * part(plain)
    ask = ARM.analysis(work=1e3)
    assert ask.range_of("D223").maximum == pytest.approx(2 * ask.range_of("C223").maximum, rel=1e-3)
    assert ask.range_of("D223").unit == "kg m"
    assert ask.range_of("D2").name == "G2"
    slopes = {one.parameter: one for one in ARM.analysis(work=1e3).sensitivities("D223", ["m3"])}
    twice = {one.parameter: one for one in ARM.analysis(work=1e3).sensitivities("C223", ["m3"])}
    assert slopes["m3"].of_maximum == pytest.approx(2 * twice["m3"].of_maximum, rel=1e-3)


@pytest.mark.parametrize("style", ["symbols", "centre+lengths+gravity", "gyration+lengths+gravity"])
@pytest.mark.parametrize("rest", [{}, {3: 0.4, 4: -0.9}])
def test_every_starred_symbol_is_explained_in_every_set_of_symbols(style: str, rest: dict[int, float]) -> None:
    """Each definition, valued in the parameters of the links, is the number of the body with the wrist at rest."""
    small = restricted(ARM, style, joints=[0, 1, 2], at=rest)
    stars = [symbol for symbol in small.symbols if symbol.name.endswith("*")]
    assert len(stars) > 4
    for symbol in stars:
        definition = small.starred[symbol.name]
        assert float(definition(np.zeros(6))) == pytest.approx(float(symbol.value), rel=1e-12)
        assert isinstance(definition, Quotient) == (symbol.name[0] != "m" and style != "symbols")
    legend = small.legend(["D11", "D12", "D23"])
    assert all(entry.definition is not None for entry in legend.entries if entry.variables[0].endswith("*"))


@pytest.mark.parametrize("style", ["symbols", "centre+lengths+gravity", "gyration+lengths+gravity"])
def test_a_load_with_symbols_of_its_own_is_not_in_the_stars_as_well(style: str) -> None:
    """D33 = m3* + mL: the star had the load in it once more."""
    held = ARM.holding(da.Load.of(da.Inertia.box(1.8, (0.0762,) * 3)))
    small = restricted(held, f"{style}+load", joints=[0, 1, 2])
    for symbol in small.symbols:
        if symbol.name.endswith("*"):
            assert float(small.starred[symbol.name](np.zeros(6))) == pytest.approx(float(symbol.value), rel=1e-12)
    assert small.starred["m3*"].parameters == ("m3", "m4", "m5", "m6")


def test_starred_definitions_hold_for_other_parameters_too() -> None:
    """k_322*^2 and z_3* by the parallel-axis sums of section V, for numbers that are not the arm's."""
    small = restricted(ARM, "gyration+lengths+gravity", joints=[0, 1, 2])
    rng = np.random.default_rng(3)
    given = {name: float(rng.uniform(0.5, 2)) for one in small.starred.values() for name in one.parameters}
    p = dict(given)
    mass = p["m3"] + p["m4"] + p["m5"] + p["m6"]
    z = (p["m3"] * p["z3"] - p["m4"] * p["y4"] + p["m5"] * p["z5"] + p["m6"] * (p["d6"] + p["z6"])) / mass
    square = p["m3"] * p["kk322"] + p["m4"] * p["kk433"] + p["m5"] * p["kk522"]
    square += p["m6"] * (p["kk622"] + p["d6"] ** 2 + 2 * p["d6"] * p["z6"])
    assert float(small.starred["z3*"](np.zeros(6), given)) == pytest.approx(z)
    assert float(small.starred["kk322*"](np.zeros(6), given)) == pytest.approx(square / mass)
    assert float(small.starred["y3*"](np.zeros(6), given)) == pytest.approx(p["m4"] * p["z4"] / mass)
    assert small.starred["z3*"].text() == "(m₃ z₃ - m₄ y₄ + m₅ z₅ + m₆ (d₆ + z₆)) / m₃*"


def test_formulas_are_read_with_r_for_the_offsets_and_stars_with_powers() -> None:
    """Eqs 37 and 64 as printed, and eq. 44, which the wrist makes wrong by m4 z4."""
    restricted_d22 = r"D_{22}^* = m_2 k_{222}^2 + m_3^* \left[k_{311}^{*2} + r_3 (2\bar{z}_3^* + r_3) \right]"
    assert verify(ARM, restricted_d22, joints=[0, 1, 2])
    assert verify(ARM, "D44 = m4 k422^2 + m5 (k511^2 s5^2 + k533^2 c5^2) + m6 [k611^2 s5^2 c6^2 + k622^2 s5^2 s6^2 + "
                       "k633^2 c5^2 + r_6 (2 z6 + r_6) s5^2]")  # fmt: skip
    assert verify(ARM, "U21[2,4] = -r_2 s_1")
    wrong = verify(ARM, "D_{23}^* = 0", joints=[0, 1, 2])
    assert not wrong
    assert verify(ARM, "D_{23}^* = -m_3^* y_3^*", joints=[0, 1, 2])
    assert verify(
        ARM, "D_{12}^* = -[m_2 z_2 r_2 + m_3^* r_2 (z_3^* + r_3)] c_2 + m_3^* r_2 y_3^* s_2", joints=[0, 1, 2]
    )


def test_lists_of_names_keep_commas_that_belong_to_a_name() -> None:
    assert names.separate("D12, U21[1,3],D1,V,K,V") == ["D12", "U21[1,3]", "D1V", "K", "V"]
    assert names.separate("D_{1,2}, D11 ,D11,,U[1") == ["D_{1,2}", "D11", "U[1"]
    began = time.process_time()
    assert names.separate("D11," * 50_000 + "[" * 50_000)[0] == "D11"
    assert time.process_time() - began < 1
    assert len(names.expanded("D1V", 6)) == 21
    assert names.expanded("D_{2,V}", 2) == ["D211", "D212", "D222"]
    assert len(names.expanded("U_{312}", 6)) == 16
    assert names.kind_of("D112") == "D_ijp"
    assert names.kind_of("D1,12") == "D"
    with pytest.raises(da.ArmError, match="an entry, as in U21"):
        ARM.equations("lengths")["U21"]
    with pytest.raises(da.ArmError, match="no coefficient"):
        ARM.analysis().range_of("U21[1,3]")


def test_the_command_line_prints_his_names_and_explains_the_stars(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["equations", "jpl-rrp", "--no-drives", "--only", "D112,U21", "--joints", "1,2,3"]) == 0
    out = capsys.readouterr().out
    assert "D112 = 2 " in out
    assert "U21[1,3] = -s₁ s₂" in out
    assert "2 Cᵢⱼₚ where j and p differ" in out
    words = ["equations", "jpl-rrp", "--no-drives", "--only", "D12", "--joints", "1,2,3"]
    assert main([*words, "--parameters", "gyration+lengths+gravity", "--format", "json"]) == 0
    symbols = json.loads(capsys.readouterr().out)["symbols"]
    assert symbols["y3*"]["definition"] == "(m₄ z₄) / m₃*"
    assert main(["equations", "jpl-rrp", "--no-drives", "--only", "U21[1,3]", "--format", "c"]) == 0
    assert capsys.readouterr().out == "U21_1_3 = -s1*s2\n"
    statement = "D_{12}^* = -[m_2 z_2 r_2 + m_3^* r_2 (z_3^* + r_3)] c_2"
    assert main(["verify", "jpl-rrp", "--no-drives", statement, "--joints", "1,2,3"]) == 1
    assert "exceeds the exact coefficient by -m₃* d₂ y₃* s₂" in capsys.readouterr().out


@pytest.mark.parametrize("form", ["html", "tex"])
def test_documents_have_his_names_in_sections_of_their_own_and_zeros_too(form: str) -> None:
    """A zero that is asked for by name stopped LaTeX documents."""
    page = ARM.equations("lengths").document(["U21", "D112", "D133", "D12"], form=form)
    for title in ("Inertia matrix", "Coefficients of two speeds after Bejczy", "Derivatives of transformations"):
        assert title in page
    assert ("$ U_{21}[3,1] = 0" in page) if form == "tex" else ('id="U21[3,1]"' in page)
