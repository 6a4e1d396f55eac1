"""Bejczy 1974, section VII: lists of components, Table 2 at the motors, ounces, ratios with sign, and his constants."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import dalembert as da
from dalembert.cli.run import main
from dalembert.design.bejczy_figures import CUBE
from dalembert.design.ounces import in_ounces, tables_in_ounces
from dalembert.design.range_tables import gravity_table, inertia_table

LINKS = da.load("jpl-rrp")
ARM = LINKS.driven.approximate("diagonal")
LOADED = ARM.holding(CUBE)
OUT = np.array([0, math.pi / 2, 1.1176, 0, 0, 0])
SYMBOLS = "gyration+lengths+gravity"
# Appendix B.
M3, M4, M5, M6, Z3, Y4, Z5, Z6, R2, R6 = 4.25, 1.08, 0.63, 0.51, -0.6447, 0.0092, 0.0566, -0.0922, 0.162, 0.2476
R3 = 1.1176


def by_formula(parts: tuple[da.equations.components.Component, ...]) -> dict[str, float]:
    return {one.formula: one.value for one in parts}


def test_components_of_d11_at_his_poses_are_those_of_section_vii_a() -> None:
    """-0.815, 1.332, 0.87, 2.51, 0.108 kg m^2 with the boom out; the metric figures of Appendix B give those below."""
    parts = ARM.equations(SYMBOLS).components("D11", OUT)
    values = by_formula(parts)
    assert values["m₃ (2 z₃ + q₃) q₃ s₂²"] == pytest.approx(M3 * R3 * (2 * Z3 + R3), rel=1e-12)
    assert values["m₃ (2 z₃ + q₃) q₃ s₂²"] == pytest.approx(-0.815, abs=0.0015)
    fourth = next(one for one in parts if one.link == 4 and "q₃" in one.formula)
    assert fourth.value == pytest.approx(M4 * R3 * (R3 - 2 * Y4), rel=1e-12)
    assert fourth.value == pytest.approx(1.332, rel=0.005)
    assert next(one for one in parts if one.link == 5 and "q₃" in one.formula).value == pytest.approx(0.87, abs=0.005)
    assert values["m₃ k₃₂₂² s₂²"] == pytest.approx(2.51)
    assert values["m₂ k₂₁₁² s₂²"] == pytest.approx(0.108)
    assert [one.value for one in parts if one.link == "drives"] == [pytest.approx(0.953)]
    constant = sum(one.value for one in parts if one.constant)
    # His total of 1.318 has m6 r2^2 = 0.013 among the varying components.
    assert constant - M6 * R2**2 == pytest.approx(1.318, abs=0.005)
    assert all(one.constant for one in parts if one.link == 1)


def test_two_addends_of_the_lists_of_d11_are_misprinted_and_their_sums_are_not() -> None:
    """0.953 + 0.255 - 0.192 + 0.320 is no 1.318, and 0.0002 of link 4 is eq. (58) as printed; m4 k_433^2 is 0.001."""
    parts = ARM.equations(SYMBOLS).components("D11", OUT)
    offset = sum(one.value for one in parts if one.constant and one.formula in [f"m{k} d₂²" for k in "₃₄₅"])
    second = next(one.value for one in parts if one.link == 2 and one.constant)  # m2 d2 (d2 + 2 y2)
    lever = offset + second - 2 * 5.505 * -0.1054 * R2
    assert lever == pytest.approx(0.301, abs=5e-4)
    rest = 1.318 - (0.953 + 0.255 - 0.192)
    assert rest == pytest.approx(0.302, abs=1e-9)
    spins = [one for one in parts if one.link == 4 and "k₄" in one.formula and abs(one.value) > 1e-12]
    assert [(one.formula, one.value) for one in spins] == [("m₄ k₄₃₃² s₂² c₄²", pytest.approx(0.001))]
    as_printed = (-0.253 + 0.167 + 0.156) / 2 * 0.00706  # of his ounces
    assert as_printed == pytest.approx(0.0002, abs=5e-5)


def test_r3_is_largest_at_the_end_of_the_boom_and_stationary_beyond_it() -> None:
    """The footnote to eq. (110) has 111.76 cm from dR3/dr3 = 0: there it still rises, and turns at 117 cm."""
    poses = np.zeros((1401, 6))
    poses[:, 2] = np.linspace(0, 1.4, 1401)
    inertia = ARM.mass_matrix(poses)
    ratio = np.abs(inertia[:, 0, 1] / inertia[:, 1, 1])
    within = poses[:, 2] <= R3
    assert ratio[within].argmax() == within.sum() - 1
    assert poses[ratio.argmax(), 2] == pytest.approx(1.167, abs=2e-3)


def test_the_input_inertia_of_joint_3_is_in_d33_and_not_in_table_3() -> None:
    assert ARM.mass_matrix(OUT)[2, 2] == pytest.approx(M3 + M4 + M5 + M6 + 0.782, abs=0.002)
    assert LOADED.mass_matrix(OUT)[2, 2] == pytest.approx(9.05, abs=0.005)


@pytest.mark.parametrize("system", [ARM, LOADED, LINKS.driven], ids=["empty", "loaded", "exact rotors"])
@pytest.mark.parametrize("name", ["D11", "D22", "D12", "C112", "D112", "G2"])
def test_components_add_up_to_the_coefficient(system: da.DrivenArm, name: str) -> None:
    q = np.array([0.4, -0.7, 0.6, 1.2, 0.3, -0.8])
    parts = system.equations(SYMBOLS).components(name, q)
    exact = float(system.equations("numbers")[name](q))
    assert sum(one.value for one in parts) == pytest.approx(exact, rel=1e-12)
    # What is constant is constant: it has the same value anywhere else.
    other = system.equations(SYMBOLS).components(name, q + 0.3)
    fixed = {one.formula: one.value for one in parts if one.constant}
    assert fixed == {one.formula: one.value for one in other if one.constant}


def test_components_of_parallel_axes_and_of_plain_numbers_add_up() -> None:
    arm = da.load("puma560", physical="ignore")
    q = np.array([0.4, -0.7, 0.6, 1.2, 0.3, -0.8])
    for parameters in ("symbols", "centre+lengths+gravity", "numbers", "symbols+twists"):
        for name in ("D22", "G2"):
            parts = arm.equations(parameters).components(name, q)
            assert sum(one.value for one in parts) == pytest.approx(float(arm.equations("numbers")[name](q)), rel=1e-10)
    with pytest.raises(da.ArmError, match="one pose"):
        arm.equations().components("D11", [0.0])


def test_the_command_lists_components(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["dynamics", "jpl-rrp", "--rotors", "diagonal", "--q", "0,90 deg,1.1176,0,0,0", "--components", "D22,D133"]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "-0.81602" in out
    assert "Components of D133 at this pose: it is zero" in out
    assert main([*words, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["components"]["D22"]
    assert sum(row["value"] for row in rows) == pytest.approx(ARM.mass_matrix(OUT)[1, 1], rel=1e-12)
    assert {row["unit"] for row in rows} == {"kg m^2"}


# -- Table 2 and ounces ---------------------------------------------------------------------------

# Table 2: (output, motor) without and with load, stall torque, gear ratio; ounces in the second table.
TABLE_2 = {1: (0, 0, 0, 0, 0.918, 100), 2: (45.1, 0.451, 69.3, 0.693, 3.036, 100),
           3: (63.94, 63.94, 81.73, 81.73, 98.7, 1),
           4: (1.144, 0.0159, 5.54, 0.077, 0.141, 72), 5: (1.144, 0.0159, 5.54, 0.077, 0.141, 72),
           6: (0, 0, 0, 0, 0.047, 146)}  # fmt: skip
OUNCES_2 = {1: (0, 0, 0, 0, 130), 2: (6384, 63.84, 9813, 98.13, 430), 3: (230, 230, 294, 294, 355),
            4: (162, 2.25, 785, 10.9, 20), 5: (162, 2.25, 785, 10.9, 20), 6: (0, 0, 0, 0, 7)}  # fmt: skip
OUNCES_1 = {1: (875, 1356), 2: (984, 1458), 3: (0.663, 0.827), 4: (17.36, 33.21), 5: (15.87, 31.72), 6: (2.86, 3.11)}


@pytest.fixture(scope="module")
def tables() -> da.LoadTables:
    return ARM.analysis(work=1e6).ranges(LOADED.analysis(work=1e6))


def row_of(found: da.LoadTables, joint: int) -> list[float]:
    row = found.gravity[joint - 1]
    ranges = (row.empty, row.empty_at_motor, row.loaded, row.loaded_at_motor)
    return [*(one.largest for one in ranges), row.stall_torque, row.gear_ratio]


@pytest.mark.parametrize("joint", TABLE_2)
def test_table_2_has_both_hands_at_joint_and_motor_with_stall_torque_and_ratio(tables, joint: int) -> None:
    """The print is 1 percent above its own eqs 92a to 99 throughout; motor figures have two or three digits."""
    assert row_of(tables, joint) == pytest.approx(TABLE_2[joint], rel=0.016, abs=1e-9)
    assert tables.gravity[joint - 1].motor_unit == ("N" if joint == 3 else "N m")
    assert tables.inertia[joint - 1].empty_at_motor.unit == ("kg" if joint == 3 else "kg m^2")


@pytest.mark.parametrize("joint", TABLE_2)
def test_tables_1_and_2_in_ounces_are_those_in_brackets(tables, joint: int) -> None:
    found = tables_in_ounces(tables)
    slack = 0.06 if joint == 6 else 0.016  # 0.047 N m is printed beside 7 oz in, which are 0.049 N m
    assert row_of(found, joint)[:5] == pytest.approx(OUNCES_2[joint], rel=slack, abs=1e-9)
    row = found.inertia[joint - 1]
    assert (row.empty.maximum, row.loaded.maximum) == pytest.approx(OUNCES_1[joint], rel=0.01)
    assert row.unit == ("oz s^2/in" if joint == 3 else "oz in s^2")
    assert row.relative == pytest.approx(tables.inertia[joint - 1].relative)
    load, plain = found.gravity[joint - 1], tables.gravity[joint - 1]
    assert load.share(load.loaded) == pytest.approx(plain.share(plain.loaded), abs=1e-12)
    assert (load.unit, load.motor_unit) == (("oz", "oz") if joint == 3 else ("oz in", "oz in"))


def test_the_factors_of_appendix_b_are_those_of_ounce_and_inch() -> None:
    """10.945 kg, 0.278 kg m, 0.00706 kg m^2, 0.278 N, 0.00706 N m."""
    from dalembert.design.ounces import UNITS

    printed = {"kg": 10.945, "kg m": 0.278, "kg m^2": 0.00706, "N": 0.278, "N m": 0.00706}
    for unit, value in printed.items():
        assert 1 / UNITS[unit][0] == pytest.approx(value, rel=5e-4)
    with pytest.raises(da.ArmError, match="not ratios"):
        in_ounces(ARM.analysis(work=1e3).range_of("D12/D11"))


def test_the_report_has_the_motor_columns_of_both_hands(tables) -> None:
    table = gravity_table(tables)
    names = [column.key for column in table.columns]
    second = dict(zip(names, table.rows[1], strict=True))
    assert (second["at motor"], second["at motor loaded"]) == pytest.approx((0.44659, 0.68766), rel=1e-3)
    assert (second["stall torque"], second["gear ratio"]) == pytest.approx((3.036, 100), rel=1e-3)
    inertia = inertia_table(tables)
    first = dict(zip([column.key for column in inertia.columns], inertia.rows[0], strict=True))
    assert first["largest at motor"] == pytest.approx(6.164e-4, rel=1e-3)
    assert first["largest at motor loaded"] == pytest.approx(9.578e-4, rel=1e-3)


def test_the_command_prints_table_2_in_ounces(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["ranges", "jpl-rrp", "--rotors", "diagonal", "--load", "1.8:0.0762", "--ounces"]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "oz in s^2" in out
    assert "oz s^2/in" in out
    assert main([*words, "--json"]) == 0
    second = json.loads(capsys.readouterr().out)["gravity"][1]
    assert (second["unit"], second["motor_unit"], second["gear_ratio"]) == ("oz in", "oz in", 100)
    assert second["at_motor_with_load"] == pytest.approx(97.38, rel=1e-3)
    assert main([*words, "--of", "D12/D11"]) == 2
    assert main(["ranges", "jpl-rrp", "--no-drives", "--of", "D12/D11", "--along", "joint2", "--ounces"]) == 2


# Appendix B in ounces and inches: mass, mass centre along z, moments about the link frame.
APPENDIX_B = {"post": (0.849, -4.35, 39.1, 36.15, 10.03), "boom": (0.388, -25.38, 355.5, 355.5, 0.854),
              "link4": (0.099, -0.212, 0.253, 0.167, 0.156), "link5": (0.058, 2.23, 0.385, 0.360, 0.057),
              "hand": (0.047, -3.63, 0.667, 0.667, 0.049)}  # fmt: skip


def test_links_and_drives_are_shown_as_appendix_b_has_them(capsys: pytest.CaptureFixture[str]) -> None:
    """Moments of the wrist are printed to one digit in kg m^2, so ounces come out to half of that digit."""
    assert main(["show", "jpl-rrp", "--about", "frame", "--ounces"]) == 0
    out = capsys.readouterr().out
    assert "about the origin of the link frame" in out
    rows = [line.split() for line in out.splitlines() if line.split()[:1] and line.split()[0] in APPENDIX_B]
    found: dict[str, list[float]] = {}
    for name, *cells in rows:
        if all(cell.replace(".", "").replace("-", "").isdigit() for cell in cells):
            found.setdefault(name, []).extend(map(float, cells))
    for name, (mass, height, *moments) in APPENDIX_B.items():
        ours = found[name]
        assert (ours[0], ours[3]) == pytest.approx((mass, height), rel=0.01)
        assert ours[4:7] == pytest.approx(moments, rel=0.005, abs=0.5 * 0.001 * 141.6)
    # 0.07143 oz s^2/in and 355 oz of the boom's drive, which is a force.
    (boom,) = (line for line in out.splitlines() if line.startswith(" motor3") and "oz s/in" in line)
    assert "355.02" in boom
    assert "0.071445" in out
    assert main(["show", "jpl-rrp"]) == 0
    plain = capsys.readouterr().out
    assert "about the mass centre" in plain
    assert "kg, N s/m, N" in plain


# -- ratios with their signs, eqs 104 to 118 ------------------------------------------------------


def test_signed_ratios_enter_the_sums_of_equations_116_to_118(capsys: pytest.CaptureFixture[str]) -> None:
    """D11 (qdd1 + R1 qdd2 + R2 qdd3) is the acceleration torque of joint 1; its sum can vanish."""
    ask = ARM.analysis({"joint2": (0, math.pi)})
    r1, r2 = (ask.ratio_curves(top, "D11", "joint2", [{"joint3": R3}], points=9, signed=True) for top in ("D12", "D13"))
    for k, angle in enumerate(r1.x):
        mass = ARM.mass_matrix([0, angle, R3, 0, 0, 0])
        exact = mass[0, :3] @ [0.5, -0.7, 0.3]
        assert mass[0, 0] * (0.5 - 0.7 * r1.values[0, k] + 0.3 * r2.values[0, k]) == pytest.approx(exact, abs=1e-12)
    assert r1.values[0, 0] == pytest.approx(-0.51144, abs=1e-5)
    assert r1.values[0, -1] == pytest.approx(0.51144, abs=1e-5)
    assert (r2.values[0, 1:-1] < 0).all()
    plain = ask.ratio_curves("D12", "D11", "joint2", [{"joint3": R3}], points=9)
    assert (plain.values == np.abs(r1.values)).all()
    words = ["ranges", "jpl-rrp", "--rotors", "diagonal", "--of", "D12/D11", "--along", "joint2"]
    assert main([*words, "--box", "joint2=0:3.141592653589793", "--at", "joint3=1.1176", "--signed", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert found["signed"]
    assert found["values"][0][0] == pytest.approx(-0.51144, abs=1e-5)
    assert main([*words[:-2], "--signed"]) == 2


# -- his constants --------------------------------------------------------------------------------


def test_a3_and_a6_leave_links_5_and_6_out_and_with_them_the_ratios_are_the_exact_ones() -> None:
    """Eqs 104 to 109: with -5.5 and -0.453 R1 is 0.500 and R2 0.00369; with the starred values 0.513 and 0.00354."""
    short, wrist = M3 * Z3 - M4 * Y4, M3 * Z3 - M4 * Y4 + M5 * Z5 + M6 * (Z6 + R6)
    offset = 5.505 * -0.0079
    assert (2 * short, (offset + short) * R2) == pytest.approx((-5.5, -0.453), abs=1e-3)
    assert (2 * wrist, (offset + wrist) * R2) == pytest.approx((-5.270, -0.434), abs=5e-4)
    a1, a2, a4, a5, a7 = 1.334, 2.635, 6.474, 0.108, 1.05

    def ratios(a3: float, a6: float) -> tuple[float, float]:
        return abs(a6 + R3 * a7) / (a1 + a5), 0.01 * a7 / (a1 + a2 + a3 * 0.508 + a4 * 0.508**2)

    assert ratios(-5.5, -0.453) == pytest.approx((0.500, 0.00369), abs=5e-4)
    assert ratios(-5.5, -0.453)[1] == pytest.approx(0.0037, abs=5e-5)
    first, second = ratios(2 * wrist, (offset + wrist) * R2)
    assert (first, second) == pytest.approx((0.5128, 0.003544), rel=1e-3)
    at = np.array([0, 0, R3, 0, 0, 0]), np.array([0, math.pi / 2, 0.508, 0, 0, 0])
    exact = [ARM.mass_matrix(q) for q in at]
    assert abs(exact[0][0, 1] / exact[0][0, 0]) == pytest.approx(first, rel=0.005)
    assert abs(0.01 * exact[1][0, 2] / exact[1][0, 0]) == pytest.approx(second, rel=0.005)


def test_equation_121_has_other_extremes_with_his_own_constants() -> None:
    """7.09, 9.64 and 2.59 are printed."""

    def d22(r: float, b4: float, b5: float, b9: float) -> float:
        return 4.72 + (-5.49 + b5) * r + b4 * r * r + b9

    assert d22(R3, 6.48, 0.232, 0.008) == pytest.approx(6.945, abs=1e-3)
    assert d22(R3, 8.27, 0.396, 0.118) == pytest.approx(9.475, abs=1e-3)
    assert d22(R3, 8.27, 1.121, 0.118) == pytest.approx(10.285, abs=1e-3)
    least = min(d22(r, 6.48, -0.232, 0.008) for r in np.linspace(0, R3, 2001))
    assert least == pytest.approx(3.46, abs=0.005)


def test_equation_137_gives_13_1_where_14_is_read_off_figure_8() -> None:
    def times(b5: float) -> float:
        gravity = 9.81 * (-2.788 + 0.566 + 8.28 * 0.965) * math.sin(math.pi / 3)
        return gravity / (4.72 + (-5.49 + b5) * 0.965 + 8.27 * 0.965**2) / 0.5

    assert [times(b5) for b5 in (0.396, 0.0, 1.121)] == pytest.approx([13.06, 13.76, 11.95], abs=0.01)


def test_equation_120_with_b1_as_printed_is_off_by_2_7_and_8_4_percent() -> None:
    rng = np.random.default_rng(1)
    low, high = np.array([0, -np.pi, 0, -np.pi, -np.pi, -np.pi]), np.array([0, np.pi, R3, np.pi, np.pi, np.pi])
    worst = {ARM: (0.164, 2.377, 1.208, -1.468), LOADED: (0.803, -0.743, 1.233, -1.406)}
    for system, (error, theta2, theta4, theta5) in worst.items():
        mass, d3 = (6.47, 0.114912) if system is ARM else (8.27, 0.560592)

        def off(q: np.ndarray, mass: float = mass, d3: float = d3, system: da.DrivenArm = system) -> np.ndarray:
            r, turn = q[..., 2], np.sin(q[..., 1]) ** 2
            formula = 1.423 + (2.51 + (2 * (M3 * Z3 - M4 * Y4) + 2 * d3 * np.cos(q[..., 4])) * r + mass * r * r) * turn
            return np.abs(system.mass_matrix(q)[..., 0, 0] - formula)

        assert off(np.array([0, theta2, R3, theta4, theta5, 0])) == pytest.approx(error, abs=1e-3)
        assert off(rng.uniform(low, high, (20_000, 6))).max() <= error + 1e-3


def test_the_example_of_equation_100_needs_theta5_at_90_degrees() -> None:
    """x6 = 1 in of hand and load together: 0.58 N m at theta5 = 90 degrees, nothing at 0."""
    mass = M6 + 1.8
    load = da.Load(1.8, com=(0.0254 * mass / 1.8, 0, 0))
    held = LINKS.holding(load)
    quarter = math.pi / 2
    assert abs(held.gravity_load([0, 0, 0.5, quarter, quarter, quarter])[5]) == pytest.approx(0.5756, abs=1e-4)
    assert abs(held.gravity_load([0, 0, 0.5, quarter, 0, quarter])[5]) == pytest.approx(0, abs=1e-12)


def test_the_load_adds_a_quarter_ounce_at_joint_6() -> None:
    added = (LOADED.mass_matrix(OUT) - ARM.mass_matrix(OUT))[5, 5]
    assert added == pytest.approx(1.8 * 0.0762**2 / 6, rel=1e-9)
    assert added * 141.612 == pytest.approx(0.295 - 0.049, abs=1e-3)
