"""Each section by itself, on results made up for the test: what it shows is what it was given."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import dalembert as da
from dalembert.design.review import Finding
from dalembert.equations.closed_form import Equations
from dalembert.markup.data_tables import Rich
from dalembert.markup.elements import Html
from dalembert.reduction.states import states_of
from dalembert.report import section_data
from dalembert.report.closed_loop import motion_within, runs
from dalembert.report.reductions import reductions
from dalembert.report.section import Section
from dalembert.report.sections import closed_loop_section as closed_loop
from dalembert.report.sections import coupling_section as coupling
from dalembert.report.sections import curves_section as curves
from dalembert.report.sections import reduced_section as reduced
from dalembert.report.sections import review_section as review
from dalembert.report.sections import short_forms_section as short_forms
from dalembert.report.sections import significance_section as significance
from dalembert.report.sections import structure_section
from dalembert.report.sections.equations_section import flowing
from dalembert.report.sweeps import Sweep, chart
from dalembert.report.write import plain

ARM = da.load("puma560", physical="ignore")
ERRORS = (reduced.JointError(1.0, 0.5, 0.1, 100.0), reduced.JointError(2.0, 1.5, 0.3, 50.0))
MODEL = reduced.ReducedRow(
    0.05,
    120,
    70,
    50,
    ERRORS,
    (reduced.CoefficientRow("D12", "kg m^2", 0.02, 0.015, 0.004),),
    (Rich("tau1 = k1 qdd1", Html("τ<sub>1</sub> = k<sub>1</sub>")),),
    (reduced.ConstantRow("k1", 2.5, 3.5, "m2 + m3"), reduced.ConstantRow("k2", 1.0)),
)


def numbers(section: Section, table: str, column: str) -> list[object]:
    found = next(one for one in section.tables if one.name == table)
    place = [one.key for one in found.columns].index(column)
    return [row[place] for row in found.rows]


def test_a_reduction_is_shown_with_its_proof_and_what_the_load_changes() -> None:
    arm = da.load("planar-2r")
    found = reduced.section(arm, reduced.Reduction(400, (MODEL,), ((100.0, 0.05), (200.0, 0.01)), "All states."))
    assert plain(str(found.meaning)).startswith("120 operations instead of 400 (70\u00a0% fewer)")
    assert "within 4\u00a0% of its largest value" in found.meaning
    assert numbers(found, "joint-errors-5", "ratio") == [2.0, pytest.approx(4 / 3)]
    assert numbers(found, "joint-errors-5", "share") == [0.01, 0.04]
    assert numbers(found, "reduced-models", "proved error") == [0.04]
    assert numbers(found, "constants-5", "depends on load") == [True, False]
    assert numbers(found, "coefficient-errors-5", "proved") == [0.02]
    assert "τ<sub>1</sub> = k<sub>1</sub>" in found.html()


def test_no_reduced_model_is_said_plainly() -> None:
    found = reduced.section(da.load("planar-2r"), reduced.Reduction(400, (), (), "All states."))
    assert found.meaning.startswith("No model shorter than the exact one")


def test_coupling_is_ranked_and_weak_pairs_are_counted() -> None:
    pairs = [
        coupling.Pair(0, 1, 0.02, (0.0,) * 3, 0.03),
        coupling.Pair(0, 2, 0.5, (1.0,) * 3, 0.51, 2.0, 0.25),
        coupling.Pair(1, 2, 0.9, (2.0,) * 3, 0.9, 1.0, 0.9),
    ]
    found = coupling.section(("a", "b", "<c>"), pairs)
    assert found.meaning.startswith(
        "Joints 2 and 3 couple most, up to 0.9 on a scale from 0 to 1, and 1 of the 3 pairs never exceeds 5\u00a0%"
    )
    assert numbers(found, "coupling", "joints") == ["2 and 3", "1 and 3", "1 and 2"]
    assert 'data-pose="2.0,2.0,2.0"' in found.html()
    assert "<c>" not in found.html()


def test_terms_are_ranked_by_their_share_and_small_ones_are_counted() -> None:
    terms = [
        significance.Contribution(0, "D11 qdd1", 40.0, 41.0, 10.0, 0.4),
        significance.Contribution(0, "C112 qd1 qd2", 0.2, 0.21, 0.1, 0.002),
        significance.Contribution(1, "G2", 45.0, 45.0, 20.0, 0.9),
    ]
    found = significance.section(ARM, terms, states_of(ARM))
    assert found.meaning.startswith("1 of the 3 terms never reaches 1\u00a0%")
    large = significance.section(ARM, [terms[0], terms[2]], states_of(ARM))
    assert large.meaning.startswith("All 2 terms reach 1\u00a0%")
    # found below that share, and not proved to stay there
    open_question = significance.Contribution(0, "C112 qd1 qd2", 0.39, 0.42, 0.1, 0.00975)
    undecided = significance.section(ARM, [terms[0], open_question], states_of(ARM))
    assert undecided.meaning.startswith("No term is proved to stay below 1\u00a0%")
    assert numbers(found, "significance", "term") == ["G2", "D11 qdd1", "C112 qd1 qd2"]
    assert sum(part.name.startswith("significance-") for part in found.parts if hasattr(part, "drawing")) == 2


def test_the_largest_of_a_term_is_reached_and_agrees_with_its_share_and_with_the_ranges() -> None:
    arm = da.load("articulated").holding(da.Load(2.0, (0.05, 0, 0.1)))
    ask = arm.analysis()
    (table,) = [
        part
        for part in significance.section(arm, section_data.contributions(arm, ask.significance()), ask.states).parts
        if getattr(part, "name", "") == "significance"
    ]
    keys = [column.key for column in table.columns]
    rows = [dict(zip(keys, row, strict=True)) for row in table.rows]
    for joint in {row["joint"] for row in rows}:
        terms = [row for row in rows if row["joint"] == joint]
        top = max(row["largest"] for row in terms)
        for row in terms:
            assert row["share"] == pytest.approx(row["largest"] / top, rel=1e-12)
            assert row["largest"] <= row["proved"] * (1 + 1e-12)
    for index, row in enumerate(ask.ranges().gravity):
        (term,) = [found for found in rows if found["term"] == f"G{index + 1}"] or [None]
        if term is not None:
            # a local search reaches it, a share of the spread apart at most
            assert term["largest"] == pytest.approx(row.loaded.largest if row.loaded else row.empty.largest, rel=2e-3)


@pytest.mark.parametrize("drives", [False, True], ids=["links", "drives"])
def test_curves_say_that_the_load_counts_where_it_does(drives: bool) -> None:
    arm = da.load("planar-2r")
    for system, load in ((arm, False), (arm.holding(da.Load(2)), True)):
        driven = system.driven if drives else system
        found = curves.section(driven.equations("numbers"))
        (words,) = {part.title.rpartition(", ")[2] for part in found.parts if getattr(part, "name", "").startswith("D")}
        assert words == ("drives " * drives or "links ") + ("and load" + " included" * drives if load
                                                            else "included" if drives else "alone")  # fmt: skip
        assert words in found.meaning
        assert ("and the load" in str(found.parts[0])) == load


def test_the_structure_of_an_arm_is_told_without_counts_of_nothing() -> None:
    rods, turn = da.load("planar-2r"), da.load("ur5e")
    assert structure_section.section(rods.equations().structure(), rods.joint_names).meaning == (
        "Of the 7 coefficients that an arm of this many joints can have, 7 are not zero here (100\u00a0%), 1 of them "
        "constant."
    )
    found = structure_section.section(turn.equations().structure(), turn.joint_names)
    assert found.meaning.endswith("; the other 5 never need computing.")
    assert numbers(found, "dependence", "depends on")[3] == "joint 5, wrist_2_joint; joint 6, wrist_3_joint"


def test_a_review_says_what_is_not_met_and_what_a_weight_would_do() -> None:
    findings = [
        Finding("Axes parallel", "met", "every axis is parallel.", {}),
        Finding("Light wrist <b>", "not met", "the wrist is heavy.", {}),
    ]
    arm = da.load("planar-2r").with_gravity((0, -9.81, 0))
    weights = [arm.analysis().counterbalance(joint) for joint in (0, 1)]
    found = review.section(findings, arm.joint_names, weights)
    assert found.meaning.startswith("1 of 2 guidelines are met (not, or in part: light wrist <b>)")
    assert '<span class="bad">not met</span>' in found.html()
    assert "Light wrist &lt;b&gt;" in found.html()
    assert numbers(found, "counterbalance", "after") == [weight.after for weight in weights]
    assert weights[0].after > 1


def test_short_forms_name_their_constants_and_say_which_the_load_changes() -> None:
    found = ARM.analysis().short_forms(["D22", "G2", "G1"], 0.05, others=[ARM.holding(da.Load(2))])
    section = short_forms.section(found, "2 kg")
    terms = [term for _, term in found.terms]
    assert "% of its largest value" in section.meaning
    exact = short_forms.section(da.load("planar-2r").analysis().short_forms(tolerance=0.05)).meaning
    assert "within <" not in exact
    assert "instead of" not in exact
    lasting = sum(not constant.depends_on_load for constant in found.constants)
    count = (
        f"{lasting or 'none'} of their {len(found.constants)} constants {'stays' if lasting < 2 else 'stay'} the same"
    )
    assert f"proved for every pose; {count} under every load" in section.meaning
    assert numbers(section, "short-constants", "value") == [term.value for term in terms]
    assert numbers(section, "short-constants", "loaded") == [term.loaded[0] for term in terms]
    shown = found.forms[:2]
    assert numbers(section, "short-forms", "of largest") == [one.worst.share_of_largest for one in shown]
    assert numbers(section, "short-forms", "of range") == [one.worst.share_of_range for one in shown]
    assert "Zero for every pose: G1." in section.html()
    assert section.html().count("<msub><mi>b</mi>") >= 2 * len(terms)
    short = short_forms.section(found, "", "arm <b>", ["D11"])
    assert "of a joint but D11 within" in short.meaning
    assert "dalembert reduce arm &lt;b&gt; --terms" in short.html()


def test_significance_of_the_analysis_is_shown_term_by_term() -> None:
    found = section_data.contributions(ARM, ARM.analysis().significance())
    assert {term.joint for term in found} == set(range(6))
    printed = {term.term for term in found}
    assert {"G2", "D11 q\u03081", "C211 q\u03071\u00b2", "2 C112 q\u03071 q\u03072"} <= printed


def test_a_map_of_couplings_that_are_all_strong_shades_what_differs() -> None:
    """From the least to the largest where these are close, else from zero."""
    waves = da.load("irb6", physical="ignore").driven.analysis().waves
    arm = da.load("irb6", physical="ignore").driven
    strong = coupling.coupling_map(arm, coupling.Pair(1, 2, 0.8, (0.0,) * 5), waves)
    assert strong is not None
    shades = {cell["shade"] for cell in strong._cells()}
    assert shades == set(range(10))


def test_couplings_of_the_report_agree_with_samples_and_are_not_exceeded() -> None:
    arm = da.load("puma560-arm", physical="ignore")
    ask = arm.analysis()
    matrices = arm.mass_matrix(ask.box.samples(20000, 9))
    for pair in section_data.pairs(ask, ask.coupling()):
        sampled = np.abs(matrices[:, pair.i, pair.j]) / np.sqrt(
            matrices[:, pair.i, pair.i] * matrices[:, pair.j, pair.j]
        )
        assert pair.bound is not None
        assert sampled.max() <= pair.bound
        assert 0.9 * sampled.max() <= pair.largest <= pair.bound + 1e-12
        at = arm.mass_matrix(np.array(pair.pose))
        here = abs(at[pair.i, pair.j]) / np.sqrt(at[pair.i, pair.i] * at[pair.j, pair.j])
        assert here == pytest.approx(pair.largest)


@pytest.mark.parametrize(
    ("name", "some"), [("puma560-arm", {"D12/D11", "D32/D33", "G2/D22"}), ("irb6", {"D32/D33", "D45/D44", "G2/D22"})]
)
def test_ratios_of_the_report_hold_every_sample_and_are_attained(name: str, some: set[str]) -> None:
    arm = da.load(name, physical="ignore").driven
    ask = arm.analysis()
    q = ask.box.samples(20000, 9)
    found, unbounded = section_data.importance(ask)
    assert some <= {one.name for one in found}
    assert unbounded == []
    for one in found:
        values, at = (ratio(arm, one.name, poses) for poses in (q, one.at_maximum[None]))
        assert one.lower <= values.min()
        assert values.max() <= one.upper
        assert at[0] == pytest.approx(one.maximum)
        # A ratio that never changes, as that of coupled wrist motors, is known to its rounding.
        assert one.upper - one.maximum <= 0.02 * (one.maximum - one.minimum) + 1e-12


def ratio(arm, name: str, q: np.ndarray) -> np.ndarray:
    """A ratio of coefficients by the mass matrix and gravity load of the system itself."""
    matrices, loads = arm.mass_matrix(q), arm.gravity_load(q)
    parts = [(part[0], *(int(digit) - 1 for digit in part[1:])) for part in name.split("/")]
    top, bottom = (matrices[:, p[1], p[2]] if p[0] == "D" else loads[:, p[1]] for p in parts)
    return top / bottom


def test_the_reduction_shown_is_the_reduction_made() -> None:
    arm, load = da.load("planar-2r"), da.Load(1)
    texts: list[str] = []
    ask = arm.analysis()
    found, models = reductions(ask, ask.of(arm.holding(load)), (0.05,), True, texts.append)
    exact = arm.analysis().reduce(0.05, others=[arm.holding(load)])
    assert found.models[0].operations == exact.after.total == models[0].after.total
    assert [joint.bound for joint in found.models[0].joints] == pytest.approx(list(exact.bound))
    assert [one.value for one in found.models[0].constants] == [one.value for one in exact.constants]
    assert any(one.loaded is not None for one in found.models[0].constants)
    assert texts
    assert all(first[1] > second[1] for first, second in itertools.pairwise(found.curve))


@pytest.fixture(scope="module")
def followed():
    """The planar arm, its states, a load, a coarse model that serves both hands, and the runs with them.

    At 30 percent a term is left out, so that the model is wrong and the arm strays.
    """
    arm, load = da.load("planar-2r"), da.Load(1)
    held = arm.holding(load)
    model = arm.analysis().reduce(0.3, others=[held])
    assert model.after.total < model.before.total
    states = states_of(arm)
    return arm, states, load, model, runs(arm, held, [model], states)


def test_in_closed_loop_the_exact_model_follows_and_one_that_does_not_know_the_load_strays(followed) -> None:
    arm, _states, _load, _model, (empty, told, untold) = followed
    assert [(one.load, one.knows_load) for one in (empty, told, untold)] == [(0.0, True), (1.0, True), (1.0, False)]
    assert all(list(one.errors) == ["exact", "30\u00a0%"] for one in (empty, told, untold))
    for one in (empty, told):
        assert np.abs(one.errors["exact"]).max() < 1e-5
    assert np.abs(untold.errors["exact"]).max() > 0.01
    section = closed_loop.section(arm, [empty, told, untold])
    for table, one in (("tracking", empty), ("tracking-loaded", told), ("tracking-load-unknown", untold)):
        largest = numbers(section, table, "largest exact")
        assert largest == pytest.approx(np.degrees(np.abs(one.errors["exact"]).max(axis=0)))
    assert "does not know of it" in section.meaning
    alone = closed_loop.section(arm, [empty])
    assert "in the hand" not in alone.meaning


def test_the_motion_keeps_within_the_speeds_and_accelerations_that_count(followed) -> None:
    _arm, states, _load, _model, (empty, *_) = followed
    motion = motion_within(states)
    start, end = motion.state(0.0), motion.state(empty.duration)
    assert not np.any(start[1:])
    assert end[1:] == pytest.approx(np.zeros((2, 2)), abs=1e-9)
    times = np.linspace(0, empty.duration, 400)
    speeds = np.abs([motion.state(t)[1] for t in times])
    rates = np.abs([motion.state(t)[2] for t in times])
    assert np.all(speeds <= states.speed * (1 + 1e-9))
    assert np.all(rates <= states.acceleration * (1 + 1e-4))


@pytest.mark.parametrize("case", ["reduced, told", "exact, not told"])
def test_the_errors_of_a_run_obey_the_law_of_computed_torque(followed, case: str) -> None:
    """e'' + kd e' + kp e = w = D^-1 (model - exact): with kp = 100, kd = 20, e is w answered by t exp(-10 t)."""
    arm, states, load, model, (_, told, untold) = followed
    held, motion = arm.holding(load), motion_within(states)
    if case == "reduced, told":
        run, errors = told, told.errors["30\u00a0%"]
        believed = replace(model, values=model.with_load(load)).inverse_dynamics
    else:
        run, errors = untold, untold.errors["exact"]
        believed = arm.holding(None).inverse_dynamics
    times = np.linspace(0, run.duration, 20 * (len(run.times) - 1) + 1)
    spline = CubicSpline(run.times, errors)
    e, rate = spline(times), spline(times, 1)
    place, speed, change = (np.stack(part) for part in zip(*(motion.state(t) for t in times), strict=True))
    q, qd, wanted = place + e, speed + rate, change - 20 * rate - 100 * e
    wrong = believed(q, qd, wanted) - held.inverse_dynamics(q, qd, wanted)
    cause = np.linalg.solve(held.mass_matrix(q), wrong[..., None])[..., 0]
    step = times[1]
    answer = step * times * np.exp(-10 * times)
    expected = np.stack([np.convolve(answer, column)[: len(times)] for column in cause.T], axis=1)
    assert np.abs(e).max() > 1e-4
    assert np.abs(e - expected).max() <= 0.02 * np.abs(e).max()


def test_a_tolerance_no_model_can_meet_is_said_and_not_hidden() -> None:
    arm = da.load("planar-2r")
    found, _ = reductions(arm.analysis(), None, (-1.0,), True, lambda text: None)
    assert "at least zero" in reduced.section(arm, found).html()


def test_curves_draw_the_function_they_name() -> None:
    equations = Equations(ARM, "numbers")
    found = curves.section(equations)
    figure = next(part for part in found.parts if getattr(part, "name", "") == "D22")
    table = figure.table()  # type: ignore[union-attr]
    # D22 of the PUMA depends most on joint 3; the first curve has joint 5, which comes second, at its lower limit.
    middle = (ARM.lower + ARM.upper) / 2
    q = np.tile(middle, (len(table.rows), 1))
    q[:, 2] = np.radians([row[0] for row in table.rows])
    q[:, 4] = ARM.lower[4]
    assert [row[1] for row in table.rows] == pytest.approx(ARM.mass_matrix(q)[:, 1, 1])


def test_a_curve_that_would_be_flat_in_mid_travel_is_drawn_elsewhere_and_says_so() -> None:
    gravity = Equations(ARM, "numbers").gravity[3]
    made, _ = chart(ARM, Sweep(gravity, gravity.joints, "G4", "Gravity", "N m"))
    values = [y for series in made.series for y in series.values]
    assert max(values) > min(values)
    assert "where no curve says otherwise" in made.caption


@pytest.mark.parametrize("name", ["D11", "D22", "G2", "G4"])
def test_flowing_mathml_has_every_number_of_the_coefficient_and_balanced_brackets(name: str) -> None:
    polynomial = Equations(ARM, "numbers")[name]
    text = flowing(polynomial)
    assert text.count("<mo>(</mo>") == text.count("<mo>)</mo>")
    assert text.count("<math>") == text.count("</math>") >= 1
    whole = polynomial.mathml(digits=5)
    assert sorted(re.findall(r"<mn>[^<]*</mn>", text)) == sorted(re.findall(r"<mn>[^<]*</mn>", whole))
