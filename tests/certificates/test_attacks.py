"""A certificate that was changed on purpose, with digests that fit, is refused."""

from __future__ import annotations

from fractions import Fraction

import pytest

import dalembert as da
from changed_certificates import changed, shift
from dalembert.certificates.grids import CELLS

CELLS_IN_ONE = {symbol: Fraction(1, n) for symbol, n in CELLS.items()} | {".": Fraction(1)}
WHOLE_BOX = {"axes": "", "orders": [], "words": []}


def lower_the_bound(s):
    s["claims"][0]["bound"] = shift(s["claims"][0]["bound"], Fraction(1, 2))


def lower_the_bound_and_its_parts(s):
    lower_the_bound(s)
    for part in s["proofs"][0]:
        part["bound"] = shift(part["bound"], Fraction(1, 2))


def move_the_bound_to_another_part(s):
    first = s["proofs"][0][0]
    s["proofs"][0].append({**first, "of": first["of"][:1]})


def count_an_error_twice(s):
    """With signs, twice an error may be less than once."""
    first = s["proofs"][0][0]
    first["of"].append(first["of"][0])


def leave_out_an_error(s):
    max(s["proofs"][0], key=lambda part: len(part["of"]))["of"].pop()


def leave_out_a_part(s):
    s["proofs"][0].clear()


def main_grid(s):
    """The first grid that is divided."""
    grids = [part["grid"] for proof in s["proofs"] for part in proof]
    return next(grid for grid in grids if len(grid["axes"]) > 1 and grid["words"][0] != ".")


def stop_at_once(s):
    grid = main_grid(s)
    grid["words"] = ["."] + [""] * (len(grid["axes"]) - 1)


def cut_the_grid_short(s):
    main_grid(s)["words"][-1] = main_grid(s)["words"][-1][:-1]


def go_on_after_the_end(s):
    main_grid(s)["words"][-1] += "."


def leave_an_axis_out(s):
    main_grid(s)["words"].pop()


def one_axis_more(s):
    main_grid(s)["words"].append("")


def fewer_orders(s):
    """What is left out counts with its moduli, and that is too much."""
    grid = main_grid(s)
    grid["orders"] = [0] * len(grid["orders"])


def leave_all_axes_out(s):
    grid = main_grid(s)
    grid["axes"], grid["orders"], grid["words"] = "", [], []


def orders_below_zero(s):
    main_grid(s)["orders"][0] = -1


def one_order_less(s):
    main_grid(s)["orders"].pop()


def grid_over_what_is_not_there(s):
    main_grid(s)["axes"] = "z" + main_grid(s)["axes"][1:]


def the_same_axis_twice(s):
    main_grid(s)["axes"] = main_grid(s)["axes"][0] * len(main_grid(s)["axes"])


def axes_exchanged(s):
    main_grid(s)["axes"] = main_grid(s)["axes"][::-1]


def coarser_grid(s):
    """One cell for the first axis, and as many words as it has ends."""
    grid = main_grid(s)
    assert grid["words"][0] != "0"
    grid["words"] = ["0", "00", "0000"][: len(grid["axes"])]


def moduli_where_they_show_nothing(s):
    """The last axis that is divided anywhere is left open everywhere."""
    grid = main_grid(s)
    last = max(level for level, text in enumerate(grid["words"]) if text.strip("."))
    count = sum(CELLS_IN_ONE[x] for x in grid["words"][last])
    grid["words"][last:] = ["." * round(count), *[""] * (len(grid["words"]) - last - 1)]


def cells_that_leave_the_end_open(s):
    """Two cells of three: the rest of the range has no cell."""
    main_grid(s)["words"][0] = "22"


def cells_that_go_beyond_the_end(s):
    main_grid(s)["words"][0] = "11" + main_grid(s)["words"][0]


def cells_across_two_places(s):
    """Widths that make up the ranges of two places together, and of none of them by itself."""
    grid = main_grid(s)
    level = next(level for level, text in enumerate(grid["words"]) if level and len(text) > 1)
    grid["words"][level] = "2" + "11" + "22" + grid["words"][level][2:]


def empty_grid(s):
    main_grid(s)["words"] = []


def symbol_of_no_number(s):
    main_grid(s)["words"][0] = "\x7f"


def symbol_below_the_first(s):
    main_grid(s)["words"][0] = "-"


def symbol_beyond_ascii(s):
    main_grid(s)["words"][0] = "\u0130"


def a_slide_all_the_way_round(s):
    s["systems"][0]["bodies"][1]["kind"] = "prismatic"
    s["states"]["circle"][1] = True


def change_a_constant(s):
    constants = s["program"]["constants"][0]
    key = max(constants, key=lambda k: abs(Fraction(constants[k])))
    constants[key] = shift(constants[key], Fraction(13, 10))


def change_an_operation(s):
    at = next(i for i, step in enumerate(s["program"]["steps"]) if step[0] == "add")
    s["program"]["steps"][at][0] = "sub"


def use_a_later_step(s):
    at = next(i for i, step in enumerate(s["program"]["steps"]) if step[0] == "mul")
    s["program"]["steps"][at][1] = len(s["program"]["steps"]) - 1


def exchange_torques(s):
    s["program"]["torques"].reverse()


def make_a_body_heavier(s):
    s["systems"][0]["bodies"][1]["pseudo_inertia"][3][3] = "50"
    s["systems"][0]["bodies"][1]["pseudo_inertia"][0][0] = "9"


def turn_gravity(s):
    s["systems"][0]["gravity"] = ["0", "9.81".replace(".", "") + "/10", "0"]


def mirror_a_body(s):
    """A reflection is orthogonal and no rotation: Lagrange and Newton no longer agree."""
    placement = s["systems"][0]["bodies"][1]["placement"]
    placement[2] = [shift(x, -1) for x in placement[2]]


def move_faster(s):
    s["states"]["speed"] = [shift(x, 5) for x in s["states"]["speed"]]


def accelerate_more(s):
    s["states"]["acceleration"] = [shift(x, 5) for x in s["states"]["acceleration"]]


def empty_box(s):
    s["states"]["lower"], s["states"]["upper"] = s["states"]["upper"], s["states"]["lower"]


def box_of_fewer_joints(s):
    for name in ("lower", "upper", "circle"):
        s["states"][name].pop()


def leave_out_a_claim(s):
    s["claims"].pop()
    s["proofs"].pop()


def leave_out_a_proof(s):
    s["proofs"].pop()


def claim_of_the_joint_before_the_first(s):
    s["claims"].append({"system": 0, "joint": -1, "bound": "0"})
    s["proofs"].append([])


def claim_of_a_joint_too_many(s):
    s["claims"].append({"system": 0, "joint": 7, "bound": "0"})
    s["proofs"].append([])


def claim_of_a_system_too_many(s):
    s["claims"][0]["system"] = -1


def no_system_and_no_claim(s):
    s["systems"], s["claims"], s["proofs"], s["program"]["constants"] = [], [], [], []


def no_body_and_no_claim(s):
    s["systems"][0]["bodies"], s["claims"], s["proofs"] = [], [], []
    s["states"] = {key: [] for key in s["states"]}


def bound_that_is_no_number(s):
    s["claims"][0]["bound"] = "nan"


def bound_of_a_float(s):
    s["claims"][0]["bound"] = 1.0


def bound_over_zero(s):
    s["claims"][0]["bound"] = "1/0"


ATTACKS = [
    lower_the_bound, lower_the_bound_and_its_parts, move_the_bound_to_another_part, count_an_error_twice,
    leave_out_an_error, leave_out_a_part, stop_at_once, cut_the_grid_short, go_on_after_the_end, leave_an_axis_out,
    one_axis_more, fewer_orders, leave_all_axes_out, orders_below_zero, one_order_less, grid_over_what_is_not_there,
    the_same_axis_twice, axes_exchanged, coarser_grid, moduli_where_they_show_nothing,
    cells_that_leave_the_end_open, cells_that_go_beyond_the_end, cells_across_two_places,
    empty_grid, symbol_of_no_number, symbol_below_the_first, symbol_beyond_ascii,
    a_slide_all_the_way_round, change_a_constant, change_an_operation, use_a_later_step, exchange_torques,
    make_a_body_heavier, turn_gravity, mirror_a_body, move_faster, accelerate_more, empty_box,
    box_of_fewer_joints, leave_out_a_claim, leave_out_a_proof, claim_of_the_joint_before_the_first,
    claim_of_a_joint_too_many, claim_of_a_system_too_many, no_system_and_no_claim,
    no_body_and_no_claim, bound_that_is_no_number, bound_of_a_float,
    bound_over_zero,
]  # fmt: skip


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_an_attack_on_a_reduced_model_with_digests_that_fit_is_refused(attack, reduced, folder):
    wrong = changed(reduced, folder, attack)
    with pytest.raises(da.CertificateError):
        da.check_certificate(wrong)


def test_an_error_without_a_part_in_the_proof_is_named(reduced, folder):
    with pytest.raises(da.CertificateError, match=r"claim 1 .* the error of [DCG]\d+ has no part in the proof"):
        da.check_certificate(changed(reduced, folder, leave_out_an_error))


def narrow(at, side, share):
    def change(s):
        claim = s["claims"][at]
        low, high = Fraction(claim["lower"]), Fraction(claim["upper"])
        claim[side] = str(low + (high - low) * share if side == "lower" else high - (high - low) * share)

    return change


@pytest.mark.parametrize("side", ["lower", "upper"])
@pytest.mark.parametrize("at", range(7))
def test_a_narrower_range_with_digests_that_fit_is_refused(at, side, ranges, folder):
    with pytest.raises(da.CertificateError, match=f"claim {at + 1}"):
        da.check_certificate(changed(ranges, folder, narrow(at, side, Fraction(1, 100))))


def square_of_something_else(s):
    s["proofs"][0] = {"square": WHOLE_BOX}


def square_of_the_joint_before_the_first(s):
    s["claims"][3]["of"] = [["1", "G", -1]]
    s["proofs"][3] = {"square": WHOLE_BOX}


def wider_box(s):
    s["states"]["upper"][1] = "3"


def another_coefficient(s):
    s["claims"][1]["of"] = [["1", "D", 0, 0]]


def twice_the_coefficient(s):
    s["claims"][0]["of"] = [["2", "D", 0, 0]]


def change_a_grid(change):
    def attack(s):
        """Of the first grid that divides the box."""
        grids = [grid for proof in s["proofs"] for grid in proof.values()]
        grid = next(grid for grid in grids if grid["axes"] and grid["words"][0] != ".")
        grid["words"][0] = change(grid["words"][0])

    return attack


GRIDS = {
    "leave parts of the box open": lambda word: word[:-1],
    "leave all of the box open": lambda word: "",
    "go on after the end": lambda word: word + ".",
    "divide by nothing": lambda word: "-" + word[1:],
    "stop at once": lambda word: ".",
}


@pytest.mark.parametrize("attack", GRIDS)
def test_a_grid_that_does_not_cover_the_box_is_refused(attack, ranges, folder):
    with pytest.raises(da.CertificateError, match=r"claim \d"):
        da.check_certificate(changed(ranges, folder, change_a_grid(GRIDS[attack])))


def denominator_that_may_vanish(s):
    s["claims"][5] |= {"least": "-1"}


def another_denominator(s):
    s["claims"][5] |= {"over": [["1", "D", 0, 1]]}


@pytest.mark.parametrize(
    "attack",
    [square_of_something_else, square_of_the_joint_before_the_first, wider_box, another_coefficient,
     twice_the_coefficient, denominator_that_may_vanish, another_denominator],
    ids=lambda attack: attack.__name__,
)  # fmt: skip
def test_an_attack_on_ranges_with_digests_that_fit_is_refused(attack, ranges, folder):
    with pytest.raises(da.CertificateError):
        da.check_certificate(changed(ranges, folder, attack))


@pytest.mark.parametrize("wrong", [{"ratios": ["1", "1", "1", "9"]}, {"ratios": ["1", "1"]}, {"body": -2}, {"body": 3}])
def test_a_rotor_that_is_on_no_body_or_turns_with_no_joint_is_refused(wrong, ranges, folder):
    """It would count as another one, without a word."""
    rotor = {"body": 1, "axis": ["0", "0", "1"], "inertia": "0", "ratios": ["1", "1", "1"]}
    da.check_certificate(changed(ranges, folder, lambda s: s["systems"][0]["rotors"].append(rotor)))
    with pytest.raises(da.CertificateError, match="rotor 1 has not"):
        da.check_certificate(changed(ranges, folder, lambda s: s["systems"][0]["rotors"].append(rotor | wrong)))


def test_a_ratio_of_nothing_has_no_range(folder):
    """G1 is zero, and "least" above zero, though no float tells it from zero."""
    arm = da.load("planar-2r")
    path = arm.analysis(gap=0.1, box={0: (0, 1), 1: (0, 1)}).certificate(folder / "nothing.json", "D11")

    def change(s):
        """Without gravity, G1 over G1 between 5 and 6."""
        s["systems"][0]["gravity"] = ["0", "0", "0"]
        load = [["1", "G", 0]]
        s["claims"] = [{"system": 0, "of": load, "over": load, "lower": "5", "upper": "6", "least": "1/1" + "0" * 400}]
        s["proofs"] = [dict.fromkeys(("lower", "upper", "least"), WHOLE_BOX)]

    with pytest.raises(da.CertificateError, match="claim 1"):
        da.check_certificate(changed(path, folder, change))


def test_a_slide_that_goes_far_has_a_curvature(folder):
    """D11 = m x^2 of a slide at right angles to the first axis is zero at x = 0, far from both ends."""
    path = da.load("planar-2r").analysis(gap=0.1).certificate(folder / "far.json", "D11")
    far, mass = str(10**153), "1/1" + "0" * 326

    def change(s):
        turn, slide = s["systems"][0]["bodies"]
        nothing = [["0"] * 4 for _ in range(4)]
        turn["pseudo_inertia"] = nothing
        slide |= {"kind": "prismatic", "pseudo_inertia": [*nothing[:3], ["0", "0", "0", mass]]}
        slide["placement"] = [["0", "0", "1", "0"], ["1", "0", "0", "0"], ["0", "1", "0", "0"], ["0", "0", "0", "1"]]
        s["systems"][0]["gravity"] = ["0", "0", "0"]
        s["states"] = {"lower": ["0", "-" + far], "upper": ["1", far], "circle": [False, False]}
        s["claims"] = [{"system": 0, "of": [["1", "D", 0, 0]], "lower": f"1/{2 * 10**20}", "upper": "1"}]
        s["proofs"] = [{side: {"axes": "b", "orders": [2], "words": ["0"]} for side in ("lower", "upper")}]

    with pytest.raises(da.CertificateError, match="claim 1 does not hold: a part of the box"):
        da.check_certificate(changed(path, folder, change))
