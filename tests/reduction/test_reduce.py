"""Reduced models: bounds are true, not idle, and the models are short."""

from __future__ import annotations

import pickle
import shutil
import subprocess
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.arm.inertia import Load
from dalembert.bounds.branch import ProofError
from dalembert.compile import build
from dalembert.compile.function import graph_facts
from dalembert.compile.functions import function
from dalembert.compile.operations import count
from dalembert.control.controllers import ComputedTorque
from dalembert.control.trajectories import quintic
from dalembert.reduction.constant_forms import ParameterForm
from dalembert.reduction.exact_error import least_errors
from dalembert.reduction.graph_edits import table
from dalembert.reduction.hoist import Hoisted, hoisted
from dalembert.reduction.program_proofs import ProgramProofs
from dalembert.reduction.program_search import Search
from dalembert.reduction.prune import Pruner
from dalembert.reduction.recursion import case_of, recursion
from dalembert.reduction.reduce import difference, finished
from dalembert.reduction.reduced_model import operations_of
from dalembert.reduction.samples import Samples
from dalembert.reduction.states import largest, rigid_torque, states_of
from dalembert.rings.graph import Graph
from random_arms import random_arm
from torque_errors import errors

MILLION = 1_000_000


@pytest.fixture(scope="module")
def puma():
    return da.load("puma560", physical="ignore")


@pytest.fixture(scope="module")
def one_percent(puma):
    return puma.analysis().reduce(0.01)


@pytest.fixture(scope="module")
def five(puma):
    return puma.driven.analysis().reduce(0.05)


def torques(program, values, q, qd, qdd) -> np.ndarray:
    inputs = {name: float(value) for name, value in values.items()}
    for name, array in (("q", q), ("qd", qd), ("qdd", qdd)):
        inputs |= {f"{name}_{i}": array[:, i] for i in range(array.shape[1])}
    done = table(program.outputs, inputs)
    return np.stack([np.broadcast_to(done[node.index], len(q)) for node in program.outputs], axis=1)


def slides(arm) -> dict[int, tuple[float, float]]:
    """Ranges for the joints that slide."""
    return {i: (-0.4, 0.7) for i, joint in enumerate(arm.moving) if joint.kind == "prismatic"}


@pytest.fixture(scope="module")
def small():
    """An arm of three joints with the whole curve, and what was said on the way."""
    arm, said = da.Arm.of(random_arm(1, 3)), []
    ask = arm.analysis(slides(arm))
    model = ask.reduce(0.05, curve=True, progress=lambda text, share: said.append((text, share)))
    return arm, ask, model, said


@pytest.mark.parametrize(("seed", "tolerance"), [(1, 0.05), (4, 0.2)])
def test_a_million_states_of_a_random_arm_never_exceed_the_proved_bound(seed: int, tolerance: float) -> None:
    arm = da.Arm.of(random_arm(seed, 3))
    model = arm.analysis(slides(arm)).reduce(tolerance)
    assert np.all(errors(model, MILLION) <= model.bound + 1e-9 * model.scale)
    assert np.all(model.share <= tolerance + 1e-12)
    assert model.after.total < model.before.total
    assert any(e.bound > 1e-12 for e in model.coefficient_errors)
    assert all(e.tightness <= 2 for e in model.coefficient_errors if e.bound > 1e-12)


def test_a_model_found_with_little_effort_is_as_much_proved() -> None:
    arm = da.Arm.of(random_arm(1, 3))
    model = arm.analysis(slides(arm), effort=0.02).reduce(0.05)
    assert np.all(errors(model, MILLION) <= model.bound + 1e-9 * model.scale)
    assert np.all(model.share <= 0.05 + 1e-12)
    assert model.after.total < model.before.total


def test_puma_at_one_percent_takes_fewer_operations_than_armstrong_khatib_and_burdick(one_percent) -> None:
    assert one_percent.after.total < 225
    assert np.all(one_percent.share <= 0.01)
    assert np.all(one_percent.tightness <= 1.3)
    assert np.all(errors(one_percent, 200_000) <= one_percent.bound + 1e-9)
    assert one_percent.coefficient_errors
    assert all(e.tightness <= 2 for e in one_percent.coefficient_errors)
    assert np.all(one_percent.found <= one_percent.bound)


def test_a_looser_tolerance_and_counted_drives_give_shorter_models(five, one_percent) -> None:
    assert five.after.total < one_percent.after.total < 305
    assert np.all(five.share <= 0.05)
    assert np.all(errors(five, 100_000) <= five.bound)
    assert any(not c.depends_on_load for c in five.constants)


def test_what_is_told_as_found_is_attained_and_no_rounding(monkeypatch) -> None:
    """Floats that take every error for twice what it is lead to the same states, where balls tell how large it is."""
    arm = da.Arm.of(random_arm(1, 3))
    ask = arm.analysis(slides(arm), effort=0.02)
    model = ask.reduce(0.05)

    def twice(case, program):
        return lambda *state: 2 * difference(case, program)(*state)

    monkeypatch.setattr("dalembert.reduction.reduce.difference", twice)
    np.testing.assert_array_equal(ask.reduce(0.05).found, model.found)
    assert np.all(model.found > 0)


def test_an_error_that_is_proved_and_nowhere_attained_is_not_called_tight(one_percent) -> None:
    loose = replace(one_percent, found=0 * one_percent.found).tightness[one_percent.bound > 0]
    assert len(loose)
    assert np.all(loose == np.inf)
    assert np.all(replace(one_percent, found=0 * one_percent.found, bound=0 * one_percent.bound).tightness == 1)


def test_the_rms_error_is_that_of_many_states(one_percent) -> None:
    q, qd, qdd = one_percent.states.samples(200_000, 3)
    off = one_percent.inverse_dynamics(q, qd, qdd) - rigid_torque(one_percent.system)(q, qd, qdd)
    sampled = np.sqrt((off**2).mean(axis=0))
    some = one_percent.rms > 0
    assert np.allclose(sampled[some], one_percent.rms[some], rtol=0.03)


def test_the_polynomials_are_what_the_program_computes(one_percent) -> None:
    q, qd, qdd = one_percent.states.samples(20, 5)
    total = np.zeros_like(q)
    for (kind, index), poly in one_percent.polynomials.items():
        i = index[0]
        values = poly(q)
        if kind == "D":
            total[:, i] += values * qdd[:, index[1]]
        elif kind == "C":
            total[:, i] += values * qd[:, index[1]] * qd[:, index[2]] * (1 if index[1] == index[2] else 2)
        else:
            total[:, i] += values
    assert np.allclose(total, one_percent.inverse_dynamics(q, qd, qdd), atol=1e-9)


def test_zero_tolerance_gives_the_exact_model(puma) -> None:
    model = puma.analysis().reduce(0.0)
    assert np.all(model.bound == 0)
    q, qd, qdd = model.states.samples(50)
    assert np.allclose(model.inverse_dynamics(q, qd, qdd), rigid_torque(puma)(q, qd, qdd), rtol=1e-7, atol=1e-8)
    assert np.allclose(model.mass_matrix(q), np.swapaxes(model.mass_matrix(q), -1, -2), atol=1e-7)


def test_a_new_load_changes_constants_and_not_the_program() -> None:
    arm, load = da.load("jpl-rrp").driven, Load(1.8)
    model = arm.analysis().reduce(0.05, others=[arm.holding(load)])
    assert model.loads == ("no load", "1.8 kg")
    heavy = model.with_load(load)
    assert set(heavy) == set(model.values)
    moving = {c.name for c in model.constants if c.depends_on_load}
    assert moving
    # A refitted constant keeps its shift under every load, and says so.
    assert any(c.shift for c in model.constants)
    for c in model.constants:
        form = model.program.definitions[c.name.replace("k", "k_")]
        assert c.shift == float(form.shift)
        assert ("refitted by" in c.definition) == bool(c.shift)
    assert moving == {k.replace("_", "") for k, v in heavy.items() if v != float(model.values[k])}
    # The same program with the constants of the loaded arm, and of a mixture of the two loads, is as good.
    for mass in (1.8, 0.7):
        values = model.with_load(Load(mass))
        q, qd, qdd = model.states.samples(50_000, 9)
        torque = torques(model.program, values, q, qd, qdd)
        off = np.abs(torque - rigid_torque(arm.holding(Load(mass)))(q, qd, qdd)).max(axis=0)
        assert np.all(off <= model.bound)


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_the_c_code_gives_the_reduced_torques(one_percent, tmp_path: Path) -> None:
    files = one_percent.write_c("inverse_dynamics", tmp_path)
    code, test = (next(f for f in files if f.name.startswith(start)) for start in ("puma", "test_"))
    code = next(f for f in files if f.suffix == ".c" and not f.name.startswith("test_"))
    program = tmp_path / "run"
    subprocess.run(["cc", "-std=c99", "-O1", str(code), str(test), "-o", str(program), "-lm"], check=True)
    assert subprocess.run([str(program)], capture_output=True, check=False).returncode == 0


def test_a_kernel_of_the_reduced_model_gives_its_torques(one_percent) -> None:
    q, qd, qdd = one_percent.states.samples(100)
    assert np.allclose(one_percent.compile()(q, qd, qdd), one_percent.inverse_dynamics(q, qd, qdd), atol=1e-10)


def test_bad_requests_are_said_plainly(puma) -> None:
    for tolerance, said in ((-1, "got -1"), ("5%", "got '5%'"), (5, r"\(5 percent are 0.05\)"), (True, "got True")):
        with pytest.raises(ArmError, match=f"a tolerance is a share .*{said}"):
            puma.analysis().reduce(tolerance)
        with pytest.raises(ArmError, match=f"a tolerance is a share .*{said}"):
            puma.analysis().short_forms(tolerance=tolerance)
    with pytest.raises(ArmError, match="speed"):
        puma.analysis(speed=[1, 2])
    with pytest.raises(ArmError, match="acceleration"):
        puma.analysis(acceleration=-3.0)
    with pytest.raises(ArmError, match="one arm with several loads, not two arms"):
        puma.analysis().reduce(0.01, others=[puma.driven.holding(Load(1))])
    sprung = puma.with_elastic(da.JointSpring("joint1", 10.0, 0.2))
    with pytest.raises(ArmError, match="springs or dampers"):
        sprung.analysis().reduce(0.01)


def test_refitting_never_makes_the_proved_error_larger(small) -> None:
    arm, _, model, _ = small
    search = Search([case_of(arm)], model.states, model.scale)
    bare = Hoisted(
        model.program.outputs, {name: ParameterForm(form.terms) for name, form in model.program.definitions.items()}
    )
    assert any(form.shift for form in model.program.definitions.values())
    assert search.proofs.certified(bare).share.max() >= model.share.max()
    # The very same proof again: the bound of the model is that of its program.
    assert np.allclose(search.proofs.certified(model.program).share, model.share)


def test_the_room_that_refitting_makes_is_used(puma, five) -> None:
    bare = puma.driven.analysis().reduce(0.05, refit=False)
    assert five.after.total < bare.after.total
    assert not any(c.shift for c in bare.constants)


def test_the_curve_falls_and_each_of_its_models_keeps_its_bound(small) -> None:
    arm, _, model, _ = small
    assert len(model.curve) >= 8
    assert model.curve[0].error == 0
    assert model.curve[-1].error > model.tolerance
    given, exact = case_of(arm).parameters, rigid_torque(arm)
    q, qd, qdd = model.states.samples(20_000, 4)
    for less, more in zip(model.curve[:-1], model.curve[1:], strict=True):
        assert less.error < more.error
        assert less.operations > more.operations
    for point in model.curve:
        values = point.program.values(given)
        assert operations_of(point.program, values).total == point.operations
        off = np.abs(torques(point.program, values, q, qd, qdd) - exact(q, qd, qdd)).max(axis=0)
        assert np.all(off <= point.bound + 1e-9 * model.scale)
        assert point.error == pytest.approx((point.bound / model.scale).max())
        assert point.proof in ("quick", "full")


def test_two_runs_give_the_same_program_and_progress_only_moves_forward(small) -> None:
    _, ask, model, said = small
    again = ask.reduce(0.05, curve=True)
    assert graph_facts(again.function()) == graph_facts(model.function())
    assert np.array_equal(again.bound, model.bound)
    shares = [share for _, share in said]
    assert shares[0] == 0
    assert shares[-1] == 1
    assert shares == sorted(shares)
    assert len(set(shares)) > 20


def test_the_equations_in_named_constants_are_what_the_program_computes(one_percent) -> None:
    q, equations = one_percent.states.samples(20, 5)[0], one_percent.equations
    numbers = one_percent.coefficients
    assert set(numbers) <= set(equations)
    for name, poly in numbers.items():
        assert np.allclose(equations[name](q), poly(q), atol=1e-12)
    used = {symbol for poly in equations.values() for symbol in poly.parameters}
    assert used == {c.name for c in one_percent.constants}
    # A constant of one's own goes in by name.
    first = next(name for name in numbers if equations[name].parameters)
    symbol = equations[first].parameters[0]
    slope = equations[first].diff(symbol)
    value = next(c.value for c in one_percent.constants if c.name == symbol)
    assert np.allclose(equations[first](q, {symbol: value + 1.0}), numbers[first](q) + slope(q))
    text = one_percent.equations_text()
    assert "G2 = " in text
    assert "k₁ = " in text


def test_the_mass_matrix_is_symmetric_but_for_the_proved_difference(one_percent) -> None:
    matrix = one_percent.mass_matrix(one_percent.states.samples(5_000, 6)[0])
    off = np.abs(matrix - np.swapaxes(matrix, -1, -2)).max(axis=0)
    assert np.all(off <= one_percent.asymmetry + 1e-12)
    assert one_percent.asymmetry.max() < 0.1 * np.abs(matrix).max()
    assert "differ by at most" in one_percent.asymmetry_text


def test_near_equal_constants_become_one_where_that_saves_work() -> None:
    """tau = a x + b y with a = 2 and b = 2.001 is a (x + y) within 0.001, and not within a hundredth of that."""

    class OneCase:
        def __init__(self, **values: float) -> None:
            self.parameters = {name: Fraction(value) for name, value in values.items()}

    graph = Graph()
    a, b, q, acceleration = (graph.input(name) for name in ("p_a", "p_b", "q_0", "qdd_0"))
    sin, cos = graph.sincos(q)
    program = hoisted(
        [a * (sin * acceleration) + b * cos], {name: ParameterForm.parameter(name) for name in ("p_a", "p_b")}
    )
    states = states_of(da.load("planar-2r").locked({"joint2": 0.0}), {0: (-3, 3)}, 1.0, 1.0)
    case = OneCase(p_a=2, p_b=Fraction(2001, 1000))
    samples = Samples(program, [case], states, np.ones(1), 40)
    before = operations_of(program, program.values(case.parameters)).total
    for target, saved in ((2e-3, 1), (1e-5, 0)):
        found = Pruner(program, samples).pruned(np.array([target]))
        assert operations_of(found, found.values(case.parameters)).total == before - saved
        assert len(found.definitions) == 2 - saved


def test_gathering_sums_changes_no_torque_and_no_load(puma) -> None:
    states = states_of(puma)
    q, qd, qdd = states.samples(200)
    for load in (None, Load(2.0, (0.01, 0.02, 0.1))):
        case = case_of(puma.holding(load))
        whole = recursion([case])
        again = hoisted(whole.outputs, whole.definitions)
        right = rigid_torque(case.system)(q, qd, qdd)
        for program in (whole, again):
            assert np.allclose(torques(program, program.values(case.parameters), q, qd, qdd), right, atol=1e-9)


def test_a_reduced_model_moves_and_controls_like_an_arm(one_percent) -> None:
    way = quintic([np.zeros(6), np.array([0.5, -0.4, 0.6, 0.3, 0.5, -0.5])], [0.0, 1.0])
    control = ComputedTorque(one_percent, way)
    own = da.simulate(one_percent, control, np.zeros(6), duration=1.0, samples=11)
    real = da.simulate(one_percent.system, control, np.zeros(6), duration=1.0, samples=11)
    wanted = np.stack([way.state(float(t))[0] for t in own.t])
    # Its own inverse dynamics keep the reduced model on its way; the exact arm strays by what was left out.
    assert np.abs(own.q - wanted).max() < 1e-6
    assert 1e-5 < np.abs(real.q - wanted).max() < 0.05
    q, qd, qdd = one_percent.states.samples(50, 2)
    tau = one_percent.inverse_dynamics(q, qd, qdd)
    assert np.allclose(one_percent.forward_dynamics(q, qd, tau), qdd, atol=1e-6)
    assert np.allclose(one_percent.compile("forward_dynamics")(q, qd, tau), qdd, atol=1e-6)
    assert np.allclose(one_percent.compile("mass_matrix")(q), one_percent.mass_matrix(q), atol=1e-9)
    assert np.allclose(one_percent.compile("bias")(q, qd), one_percent.bias(q, qd), atol=1e-9)


def test_the_kernel_of_a_reduced_model_is_not_taken_for_that_of_its_arm(one_percent) -> None:
    q, qd, qdd = one_percent.states.samples(20, 8)
    reduced_first = one_percent.compile()(q, qd, qdd)
    exact = one_percent.system.compile("inverse_dynamics")(q, qd, qdd)
    assert np.allclose(exact, rigid_torque(one_percent.system)(q, qd, qdd), atol=1e-9)
    assert np.abs(exact - reduced_first).max() > 1e-4
    copied = pickle.loads(pickle.dumps(one_percent.compile()))
    assert np.array_equal(copied(q, qd, qdd), reduced_first)


def test_equations_reduce_to_the_model_of_the_analysis() -> None:
    arm = da.load("planar-2r")
    exact = arm.analysis(speed=1.0).reduce(0.1)
    for parameters in ("numbers", "symbols"):
        model = arm.equations(parameters).reduce(0.1, speed=1.0)
        assert graph_facts(model.function()) == graph_facts(exact.function())
        assert np.array_equal(model.bound, exact.bound)


@pytest.mark.slow
def test_a_seven_joint_arm_is_reduced_by_few_proofs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(build.SWITCH, raising=False)  # NumPy alone takes minutes
    proofs: list[bool] = []
    certified = ProgramProofs.certified

    def counted(self, program, quick=False, tolerance=None, previous=None):
        proofs.append(quick)
        return certified(self, program, quick, tolerance, previous)

    monkeypatch.setattr(ProgramProofs, "certified", counted)
    model = da.load("panda").analysis().reduce(0.05)
    assert len(proofs) <= 12
    assert model.after.total < 480
    assert np.all(model.share <= 0.05)
    assert np.all(errors(model, 100_000) <= model.bound + 1e-12 * model.scale)


@pytest.mark.parametrize("name", ["planar-3r", "spherical"])
def test_a_model_is_never_longer_than_the_exact_program(name: str) -> None:
    """Hoisting costs these an operation, which numbers that are equal save."""
    system = da.load(name).driven
    model = system.analysis(speed=2.0, acceleration=10.0).reduce(0.0)
    assert model.after.total <= model.before.total
    assert model.after.total == count(model.function().nodes).total
    assert min(point.operations for point in model.curve) == model.after.total
    q, qd, qdd = model.states.samples(20)
    np.testing.assert_allclose(model.compile()(q, qd, qdd), rigid_torque(system)(q, qd, qdd), rtol=1e-11, atol=1e-11)
    load = Load(Fraction(2), (Fraction(1, 10), Fraction(0), Fraction(1, 20)))
    held = system.holding(load)
    both = system.analysis(speed=2.0, acceleration=10.0).reduce(0.0, others=[held])
    found = torques(both.program, both.with_load(load), q, qd, qdd)
    np.testing.assert_allclose(found, rigid_torque(held)(q, qd, qdd), rtol=1e-11, atol=1e-11)


def test_a_link_far_lighter_than_the_last_raises_no_false_alarm(tmp_path: Path) -> None:
    """Torques of 1e-12 N m beside those of 1e7: their rounding is no fault of a proof."""
    text = '<robot name="uneven"><link name="base"/>'
    for parent, link, mass in (("base", "heavy", 1e6), ("heavy", "light", 1e-12)):
        moments = " ".join(f'{name}="{0.1 * mass}"' for name in ("ixx", "iyy", "izz"))
        text += (
            f'<link name="{link}"><inertial><origin xyz="0.2 0.1 0.05"/><mass value="{mass}"/><inertia {moments} '
            'ixy="0" ixz="0" iyz="0"/></inertial></link>'
            f'<joint name="to_{link}" type="continuous"><parent link="{parent}"/><child link="{link}"/>'
            '<origin xyz="0.5 0 0.1" rpy="0.3 0 0.2"/><axis xyz="0 1 0"/></joint>'
        )
    file = tmp_path / "uneven.urdf"
    file.write_text(text + "</robot>")
    model = da.load(file).analysis().reduce(0.01)
    assert np.all(model.bound >= model.found)


def test_a_proof_that_is_wrong_is_found_out(small) -> None:
    """Half of what is true is attained, which balls confirm."""
    arm, _, model, _ = small
    worst = int(np.argmax(model.found / model.scale))
    state = largest(difference(model.cases[0], model.program), model.states)[1][worst]
    q, qd, qdd = (part[None] for part in np.split(state, 3))
    off = np.abs(model.inverse_dynamics(q, qd, qdd) - arm.inverse_dynamics(q, qd, qdd))[0, worst]
    assert least_errors(model.cases[0], model.program, [(worst, state)]) == [pytest.approx(off, rel=1e-9)]
    search = Search([case_of(arm)], model.states, model.scale)
    candidate = search.proofs.certified(model.program)
    finished(search, candidate, 0.05)
    with pytest.raises(ProofError, match="was proved to be the largest"):
        finished(search, replace(candidate, share=0.5 * candidate.share), 0.05)


def test_at_rest_little_more_than_the_gravity_load_is_left() -> None:
    """Joint 1 turns about the vertical: no state at rest loads it, and rounding there must not count."""
    arm = da.load("jpl-rrp")
    model = arm.analysis(speed=0, acceleration=0).reduce(0.05)
    assert model.after.total <= 1.5 * count(function(arm, "gravity_load").nodes).total


def test_a_point_of_the_curve_claims_what_the_model_does(small) -> None:
    """The same program has the same proved bound in both places, rounded outwards."""
    _, _, model, _ = small
    [point] = [point for point in model.curve if point.program is model.program]
    assert np.array_equal(point.bound, model.bound)


def test_the_errors_of_coefficients_are_told_of_as_they_are_proved_once() -> None:
    arm, told = da.load("planar-2r"), []
    model = arm.analysis().reduce(0.2, others=[arm.holding(da.Load(mass=1))])
    errors = model.prove_coefficients(lambda text, share: told.append((text, share)))
    shares = [share for _, share in told]
    assert {text for text, _ in told} == {"proving coefficients"}
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert any(share == 0.5 for share in shares)
    assert model.coefficient_errors is errors
