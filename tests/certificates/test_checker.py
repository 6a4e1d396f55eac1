"""What a certificate proves is accepted; nothing else is, by whatever hand it was changed."""

from __future__ import annotations

import copy
import json
import os
import random
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from flint import fmpq

import dalembert as da
from changed_certificates import rewritten, shift
from dalembert.certificates.certificate_file import SECTIONS, digests, read, write
from dalembert.certificates.checker import Certificate
from dalembert.certificates.grids import magnitudes
from dalembert.certificates.proving import Prover
from dalembert.certificates.verified_claims import upward
from newton_euler_of_sections import largest_share, run, torques
from random_arms import random_arm

# -- what is true ------------------------------------------------------------------------------------


def test_a_certificate_of_a_reduced_model_is_verified_and_says_what_the_model_says(reduced, model):
    found = da.check_certificate(reduced)
    assert found.kind == "reduced model"
    assert [claim.upper for claim in found.claims] == pytest.approx(model.bound, rel=1e-7)
    assert all(claim.upper >= bound for claim, bound in zip(found.claims, model.bound, strict=True))
    assert found.is_about(model.system)
    assert not found.is_about(model.system.with_gravity((0, 0, -9.8)))
    assert repr(found) == "<CheckedCertificate: reduced model, 3 claims about 'planar-3r', all verified>"


@pytest.mark.parametrize("seed", [0, 7, 15, 16, 22])
def test_what_is_written_of_random_arms_is_verified(seed, folder):
    """To the last digit: small errors share a part with exactly the bound that the checker shows for them."""
    arm = da.Arm.of(random_arm(seed, 3, fixed=0.0, kinds=("revolute",), quarters=True))
    made = arm.analysis(effort=0.02).reduce(0.05)
    found = da.check_certificate(made.certificate(folder / f"random{seed}.json"))
    assert found.is_about(arm)
    assert all(claim.upper >= bound for claim, bound in zip(found.claims, made.bound, strict=True))


def test_an_error_that_no_position_changes_has_a_proof_without_axes(reduced):
    constant = {("D", 0, 0): {(0, 0, 0): (fmpq(3), fmpq(0))}}
    prover = Prover("reduced model", {name: section for name, section in read(reduced).items() if name != "header"})
    grid = prover.by_grid(0, list(constant.values()), magnitudes, Fraction(4), 1.0, 1e6)
    assert grid == {"axes": "", "orders": [], "words": []}
    assert prover.shown(0, list(constant.values()), magnitudes, fmpq(4), grid) == 1
    assert prover.by_grid(0, list(constant.values()), magnitudes, Fraction(2), 1.0, 1e6) is None


def test_certified_ranges_are_verified_and_hold_every_value(ranges):
    found = da.check_certificate(ranges)
    names = ["D11", "D12", "G1", "G3", "C112", "D12 over D11", "D12 + -1 D13"]
    assert [claim.what for claim in found.claims] == names
    arm, rng = da.load("planar-3r"), np.random.default_rng(0)
    for q in rng.uniform([-np.pi, -2, -np.pi], [np.pi, 2.5, np.pi], (200, 3)):
        d, c, g = arm.mass_matrix(q), arm.christoffel(q), arm.gravity_load(q)
        values = [d[0, 0], d[0, 1], g[0], g[2], c[0, 0, 1], d[0, 1] / d[0, 0], d[0, 1] - d[0, 2]]
        assert all(one.lower <= value <= one.upper for one, value in zip(found.claims, values, strict=True))


def test_sums_in_a_ratio_are_told_in_brackets(folder):
    names = ("(D11+D12)/D22", "D12/(D11+D22)", "D11+D12")
    found = da.check_certificate(da.load("planar-2r").analysis(gap=0.05).certificate(folder / "sums.json", *names))
    assert [claim.what for claim in found.claims] == ["(D11 + D12) over D22", "D12 over (D11 + D22)", "D11 + D12"]


@pytest.mark.parametrize("width", [0.0, 1e-12, 1e-6])
def test_ranges_over_hardly_any_positions_have_a_certificate(width, folder):
    """They are narrower than what rounding takes from a bound."""
    arm = da.Arm.of(random_arm(526635, 2))
    tables = arm.analysis(box=dict.fromkeys(arm.joint_names, (0.2, 0.2 + width))).ranges()
    found = da.check_certificate(tables.certificate(folder / f"narrow{width}.json"))
    for claim, row in zip(found.claims, tables.rows, strict=True):
        assert claim.lower <= row.empty.minimum <= row.empty.maximum <= claim.upper
        assert claim.upper - claim.lower < 1e-6 * (1 + abs(claim.upper)) + 200 * width


def test_a_model_for_several_loads_is_verified_for_each(folder):
    arm = da.load("planar-2r")
    held = arm.holding(da.Load(mass=1.5))
    path = arm.analysis().reduce(0.05, others=[held]).certificate(folder / "loads.json")
    found = da.check_certificate(path)
    assert {claim.system for claim in found.claims} == {0, 1}
    assert found.is_about(arm)
    assert found.is_about(held)


@pytest.mark.parametrize("drives", [False, True])
def test_tables_of_a_loaded_arm_are_verified_with_and_without_its_drives(folder, drives):
    arm = da.load("stanford", physical="ignore").locked({"joint4": 0, "joint5": 0, "joint6": 0})
    system = arm.driven if drives else arm
    empty, held = system.analysis(gap=0.02), system.holding(da.Load(mass=1.5)).analysis(gap=0.02)
    tables = empty.ranges(held)
    found = da.check_certificate(tables.certificate(folder / f"tables{drives}.json"))
    assert len(found.claims) == 2 * len(tables.rows)
    for claim, row in zip(found.claims, (*tables.rows, *tables.rows), strict=True):
        one = row.loaded if claim.system else row.empty
        assert claim.lower <= one.minimum
        assert claim.upper >= one.maximum
        assert claim.unit == one.unit


@pytest.mark.parametrize(
    "exact", [fmpq(3, 10), fmpq(-3, 10), fmpq(1, 3), fmpq(-1, 3), fmpq(7, 10), fmpq(0), fmpq(10**9 + 1)]
)
def test_what_is_told_of_a_claim_is_not_below_it(exact):
    """The float nearest to 0.3 is below 3/10."""
    found = Fraction(upward(exact))
    assert 0 <= found - Fraction(int(exact.p), int(exact.q)) <= abs(found) / 10**7


@pytest.mark.parametrize("power", [-400, -324, -323, -320, -310, -307, -302, -300])
@pytest.mark.parametrize("sign", [1, -1])
def test_what_is_told_of_a_claim_next_to_zero_is_not_below_it(power, sign):
    """Floats have no number near 1e-400 but zero, and near 1e-320 four digits."""
    exact = sign * Fraction(12345678912, 10**10) / Fraction(10) ** -power
    found = Fraction(upward(fmpq(exact.numerator, exact.denominator)))
    assert exact <= found <= max(Fraction(2, 10**300), exact + abs(exact) / 10**6)


def test_what_is_told_of_a_mass_that_no_float_has_is_true(folder):
    """D11 of a slide is its mass, whatever its position."""
    mass, zero, wordless = f"1/1{400 * '0'}", ["0"] * 4, {"axes": "", "orders": [], "words": []}
    eye = [[str(int(i == j)) for j in range(4)] for i in range(4)]
    body = {"joint": "slide", "kind": "prismatic", "parent": -1, "placement": eye,
            "pseudo_inertia": [zero, zero, zero, [*zero[:3], mass]]}  # fmt: skip
    system = {"arm": "dust", "holds": [], "drives": "none", "gravity": zero[:3], "bodies": [body], "rotors": []}
    path = write(folder / "dust.json", "ranges", {
        "systems": [system], "states": {"lower": ["0"], "upper": ["1"], "circle": [False]},
        "claims": [{"system": 0, "of": [["1", "D", 0, 0]], "lower": mass, "upper": mass}],
        "proofs": [{"lower": wordless, "upper": wordless}],
    })  # fmt: skip
    [claim] = da.check_certificate(path).claims
    assert Fraction(claim.lower) <= Fraction(mass) <= Fraction(claim.upper)


def test_what_has_no_certificate_is_refused(folder):
    screws = Path(__file__).parents[2] / "examples" / "drives" / "irb6-screws.toml"
    driven = da.load("irb6", physical="ignore").with_drives(screws)
    with pytest.raises(da.ArmError, match="no certificate of such a system"):
        driven.analysis(gap=0.1).certificate(folder / "never.json", "D11")
    assert not (folder / "never.json").exists()


def test_weighted_errors_add_up_to_the_torque_error_at_the_largest_speeds_and_accelerations(reduced):
    sections = read(reduced)
    speed, rate = (np.array([float(Fraction(x)) for x in sections["states"][key]]) for key in ("speed", "acceleration"))
    errors = Certificate(sections).errors(0)
    for q in np.random.default_rng(2).uniform(-3, 3, (5, 3)):
        off = run(sections["program"], sections["program"]["constants"][0], q, speed, rate)
        off -= torques(sections["systems"][0], q, speed, rate)
        for joint in range(3):
            total = sum(
                (complex(int(re.p) / int(re.q), int(im.p) / int(im.q)) * np.exp(1j * np.dot(k, q)))
                for key, series in errors.items() if key[1] == joint for k, (re, im) in series.items()
            )  # fmt: skip
            assert total.real == pytest.approx(off[joint], rel=1e-9, abs=1e-9)


# -- accidents ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("which", ["reduced", "ranges"])
def test_a_changed_digit_is_refused_with_its_place(which, folder, request):
    path = request.getfixturevalue(which)
    text, rng = path.read_text(), random.Random(5)
    digits = [i for i, letter in enumerate(text) if letter.isdigit()]
    sections = [name for name in json.loads(text) if name != "digests"]
    for at in rng.sample(digits, 150):
        other = rng.choice([d for d in "0123456789" if d != text[at]])
        wrong = folder / "digit.json"
        wrong.write_text(text[:at] + other + text[at + 1 :])
        with pytest.raises(da.CertificateError) as fault:
            da.check_certificate(wrong)
        said = str(fault.value)
        assert any(repr(name) in said for name in sections) or "header" in said or "line " in said
        assert "digit.json" in str(fault.value)


def test_digests_tell_entries_of_a_list_apart(reduced, folder):
    sections = json.loads(reduced.read_text())
    sections["claims"][2]["bound"] = "1/2"
    wrong = folder / "claim.json"
    wrong.write_text(json.dumps(sections))
    with pytest.raises(da.CertificateError, match="entry 3 of section 'claims'"):
        da.check_certificate(wrong)
    assert digests([1, 2]) != digests([2, 1])


@pytest.mark.parametrize("text", ["", "{}", "[1, 2]", '{"header": {"kind": "ranges"}}', "\x00\x01", "[" * 5000])
def test_a_file_that_is_no_certificate_is_refused(text, folder):
    path = folder / "none.json"
    path.write_text(text)
    with pytest.raises(da.CertificateError, match=r"none\.json"):
        da.check_certificate(path)


# -- any change at all: what is accepted is true -----------------------------------------------------


def places(value, path=()):
    """Every leaf of nested lists and dictionaries."""
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*path, key))
    else:
        yield path


def mutate(sections, rng):
    """One random change of a number, a symbol or a name."""
    spots = [p for name in list(SECTIONS[sections["header"]["kind"]])[1:] for p in places(sections[name], (name,))]
    *way, last = rng.choice(spots)
    holder = sections
    for key in way:
        holder = holder[key]
    old = holder[last]
    if isinstance(old, bool):
        holder[last] = not old
    elif isinstance(old, int):
        holder[last] = old + rng.choice([-1, 1])
    elif isinstance(old, str) and old.lstrip("-").replace("/", "").isdigit():
        holder[last] = shift(old, rng.choice([Fraction(1, 2), 2, -1, 0, Fraction(999, 1000), Fraction(11, 10)]))
    elif isinstance(old, str) and old:
        at = rng.randrange(len(old))
        holder[last] = old[:at] + rng.choice(".abcd") + old[at + 1 :]


def campaign(reduced, folder, count, seed=0):
    """Mutated certificates: how many were accepted, and the closest that the truth comes to an accepted claim."""
    rng, accepted, closest = random.Random(seed), 0, 0.0
    for _ in range(count):
        sections = copy.deepcopy(read(reduced))
        for _ in range(rng.choice([1, 1, 2])):
            mutate(sections, rng)
        path = rewritten(reduced, sections, folder)
        try:
            da.check_certificate(path)
        except da.CertificateError:
            continue
        finally:
            path.unlink()
        accepted += 1
        closest = max(closest, largest_share(sections, accepted))
        assert closest <= 1, sections["claims"]
    print(f"{count} mutated certificates, {accepted} accepted, closest approach {closest:.6f} of the claim")
    return accepted


def test_no_mutated_certificate_with_a_false_claim_is_accepted(reduced, folder):
    assert campaign(reduced, folder, 60) > 0


@pytest.mark.slow
@pytest.mark.skipif(os.environ.get("HYPOTHESIS_PROFILE") != "deep", reason="takes minutes: HYPOTHESIS_PROFILE=deep")
@pytest.mark.parametrize("seed", range(1, 5))
def test_no_mutated_certificate_with_a_false_claim_is_accepted_in_a_long_campaign(seed, reduced, folder):
    assert campaign(reduced, folder, 1500, seed) > 0
