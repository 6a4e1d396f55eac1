"""Attacks on proved bounds: random arms, boxes and waves, optimizers from many starts, values in balls of 300 bits.

A bound is broken where a value lies outside it beyond doubt: positions are floats, taken exactly, and the functions are
those of the checker of certificates (``certificates/exact_dynamics.py``), or the waves themselves. The campaign prints
how many bounds it attacked and the closest approach, as a share of the spread of values (``pytest -s``; the long one
is ``HYPOTHESIS_PROFILE=deep pytest -m slow``).
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np
import pytest
from flint import acb, arb, ctx

import dalembert as da
from dalembert.bounds import compiled_grid
from dalembert.bounds.box import Box
from dalembert.bounds.branch import Branch
from dalembert.bounds.grid import largest_sum
from dalembert.bounds.products import Factor, products
from dalembert.bounds.ranges import range_of
from dalembert.bounds.waves import Wave
from dalembert.certificates import exact_dynamics
from dalembert.certificates.exact_dynamics import dynamics
from dalembert.certificates.proving import Prover, exact_float, states_section
from dalembert.certificates.system_numbers import system_numbers
from dalembert.reduction.certify import together
from dalembert.reduction.model_certificate import exact_floats, program_steps, written
from random_arms import random_arm

BITS = 300


@dataclass
class Terms:
    """sum_m c_m e^(i k_m . x) prod x^p, with exact coefficients and the same in floats."""

    k: np.ndarray
    p: np.ndarray
    exact: Sequence[acb]
    c: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.c = np.array([complex(float(c.real.mid()), float(c.imag.mid())) for c in self.exact])

    def __call__(self, q: np.ndarray) -> np.ndarray:
        waves = np.exp(1j * (q @ self.k.T)) * np.prod(q[:, None] ** self.p[None], axis=2)
        return (waves @ self.c).real

    def at(self, q: np.ndarray) -> arb:
        """The value, beyond doubt."""
        total = acb(0)
        for k, p, c in zip(self.k, self.p, self.exact, strict=True):
            angle = sum((arb(float(x)) * int(m) for x, m in zip(q, k, strict=True)), arb(0))
            term = c * acb(0, angle).exp()
            for x, m in zip(q, p, strict=True):
                term *= arb(float(x)) ** int(m)
            total += term
        return total.real


def of_wave(wave: Wave) -> Terms:
    return Terms(wave.k, wave.p, [acb(float(c.real), float(c.imag)) for c in wave.c])


def of_series(series, revolute: Sequence[bool]) -> Terms:
    turns, keys = np.array(revolute), np.array(list(series), np.int64).reshape(len(series), len(revolute))
    exact = [acb(arb(re), arb(im)) for re, im in series.values()]
    return Terms(np.where(turns, keys, 0), np.where(turns, 0, keys), exact)


def greatest(
    function: Callable[[np.ndarray], np.ndarray], box: Box, rng: np.random.Generator, starts: int
) -> np.ndarray:
    """The best position of many climbs: corners, random starts, steps that shrink, along one joint or several."""
    n = len(box.lower)
    q = rng.uniform(box.lower, box.upper, (starts, n))
    corners = np.where(rng.random((starts // 2, n)) < 0.5, box.lower, box.upper)
    q[: len(corners)] = corners
    value = function(q)
    for step in range(70):
        moved = rng.normal(0, 0.35 * 0.82**step, q.shape) * (rng.random(q.shape) < 0.6) * (box.upper - box.lower)
        trial = np.clip(q + moved, box.lower, box.upper)
        found = function(trial)
        better = found > value
        q[better], value[better] = trial[better], found[better]
        if step % 10 == 9:
            # those that are left behind start again from the best
            order = np.argsort(value)
            q[order[: starts // 2]] = q[order[-1]]
            value[order[: starts // 2]] = value[order[-1]]
    return q[int(value.argmax())]


@dataclass
class Campaign:
    """What was attacked: how many bounds, which of them broke, and how close the closest attack came."""

    rng: np.random.Generator
    starts: int
    count: int = 0
    closest: float = np.inf
    broken: list[str] = field(default_factory=list)

    def attack_states(
        self, what: str, terms: Sequence[Terms], factors: Sequence[Factor], box: Box, bound: float
    ) -> None:
        """|sum y f| <= bound over the box for all factors y that speeds give, with free ones for accelerations."""
        sets, free = speed_factors(factors), np.array([factor is None for factor in factors])

        def function(q: np.ndarray) -> np.ndarray:
            values = np.array([f(q) for f in terms])
            return np.abs(sets @ values).max(axis=0) + np.abs(values[free]).sum(axis=0)

        at = greatest(function, box, self.rng, self.starts)
        best = sets[int(np.abs(sets @ np.array([f(at[None])[0] for f in terms])).argmax())]
        with ctx.workprec(BITS):
            values = [f.at(at) for f in terms]
            moved = sum((arb(float(y)) * v for y, v in zip(best, values, strict=True)), arb(0))
            value = abs(moved) + sum((abs(v) for v, apart in zip(values, free, strict=True) if apart), arb(0))
            spread = np.ptp(function(self.rng.uniform(box.lower, box.upper, (64, len(box.lower)))))
            self.settle(f"{what} at {at.tolist()}", value, arb(float(bound)), float(spread))

    def attack(
        self, what: str, terms: Sequence[Terms], box: Box, bound: float, *, magnitudes: bool, sign: int = 1
    ) -> None:
        """sum |f| <= bound over the box, or sign f <= sign bound."""

        def function(q: np.ndarray) -> np.ndarray:
            values = [f(q) for f in terms]
            return np.sum(np.abs(values), axis=0) if magnitudes else sign * values[0]

        at = greatest(function, box, self.rng, self.starts)
        with ctx.workprec(BITS):
            values = [f.at(at) for f in terms]
            value = sum((abs(v) for v in values), arb(0)) if magnitudes else sign * values[0]
            limit = arb(float(bound)) if magnitudes else arb(float(sign * bound))
            spread = np.ptp(function(self.rng.uniform(box.lower, box.upper, (64, len(box.lower)))))
            self.settle(f"{what} at {at.tolist()}", value, limit, float(spread))

    def settle(self, what: str, value: arb, limit: arb, spread: float) -> None:
        """Counts a claim that ``value`` is at most ``limit``."""
        self.count += 1
        if value > limit:
            self.broken.append(f"{what}: {value.str(20)} against {limit.str(20)}")
        if spread > 0:
            # of a constant nothing is closest: its bounds are its value
            self.closest = min(self.closest, float((limit - value).mid()) / spread)


def speed_factors(factors: Sequence[Factor]) -> np.ndarray:
    """1, x_j^2 and x_j x_k for speeds x from -1 to 1 in steps of a quarter, or more where there are many; zero where
    a factor is free.
    """
    joints = sorted({j for factor in factors for j in factor or ()})
    steps = np.linspace(-1, 1, 9 if len(joints) < 4 else 3)
    rows = []
    for x in product(steps, repeat=len(joints)):
        at = dict(zip(joints, x, strict=True))
        rows.append([0.0 if factor is None else float(np.prod([at[j] for j in factor])) for factor in factors])
    return np.array(rows)


def random_factors(rng: random.Random, count: int) -> list[Factor]:
    """Factors of waves, some of them the same."""
    kinds: list[Factor] = [None, (), *((j, k) for j in range(3) for k in range(j, 3))]
    return [rng.choice(kinds) for _ in range(count)]


def random_box(rng: random.Random, revolute: Sequence[bool]) -> Box:
    """From a point to several turns, near and far; slides of micrometres and of a kilometre."""
    lower, upper = [], []
    for turns in revolute:
        width = rng.choice([0.0, 1e-9, 1e-3, 0.3, 2.0, 6.0, 9.0]) if turns else rng.choice([0.0, 1e-6, 0.5, 1e3])
        middle = rng.choice([0.0, rng.uniform(-4, 4), rng.uniform(-1e5, 1e5) if turns else rng.uniform(-100, 100)])
        lower.append(middle - width / 2)
        upper.append(middle + width / 2)
    return Box(np.array(lower), np.array(upper), np.zeros(len(lower), bool))


def arms(found: Campaign, seed: int, count: int) -> None:
    """Ranges of coefficients of random arms over random boxes; lengths and masses of many magnitudes."""
    rng = random.Random(seed)
    for index in range(count):
        arm = da.Arm.of(random_arm(rng, rng.choice([2, 3, 4]), fixed=0.0, size=rng.choice([1e-3, 0.5, 30.0])))
        box = random_box(rng, [joint.kind == "revolute" for joint in arm.moving])
        ends = {j: (float(a), float(b)) for j, (a, b) in enumerate(zip(box.lower, box.upper, strict=True))}
        ask, exact = arm.analysis(box=ends, gap=0.02, work=3e6), dynamics(system_numbers(arm))
        v, n = exact.variables, arm.n
        keys = [("D", i, j) for i in range(n) for j in range(i, n)] + [("G", i) for i in range(n)]
        keys += [("C", i, j, k) for i in range(n) for j in range(n) for k in range(j, n)]
        for key in rng.sample(keys, 3):
            name = key[0] + "".join(str(j + 1) for j in key[1:])
            proved = ask.range_of(name)
            with ctx.workprec(BITS):
                terms = [of_series(v.series(exact.coefficients[key]), v.revolute)]
            for sign, bound in ((1, proved.upper), (-1, proved.lower)):
                found.attack(f"arm {seed}/{index} {name}", terms, ask.box, bound, magnitudes=False, sign=sign)


def nasty_waves(rng: np.random.Generator, n: int, count: int) -> list[Wave]:
    """Waves with coefficients of many magnitudes side by side, some of them nearly the same wave."""
    waves: list[Wave] = []
    slides = rng.random(n) < 0.25
    for _ in range(count):
        if waves and rng.random() < 0.4:
            old = waves[-1]
            noise = 1 + 10.0 ** rng.uniform(-16, -9) * rng.standard_normal(len(old.c))
            waves.append(Wave(old.k, old.p, rng.choice([-1, 1]) * old.c * noise))
            continue
        rows = int(rng.integers(1, 7))
        k = np.where(slides, 0, rng.integers(-2, 3, (rows, n)))
        p = np.where(slides, rng.integers(0, 3, (rows, n)), 0)
        first = np.take_along_axis(k, np.argmax(k != 0, axis=1)[:, None], axis=1)[:, 0]
        k = np.where((first < 0)[:, None], -k, k)
        _, unique = np.unique(np.concatenate([k, p], axis=1), axis=0, return_index=True)
        k, p = k[unique], p[unique]
        c = 10.0 ** rng.uniform(-12, 12, len(k)) * np.exp(1j * rng.uniform(0, 6.3, len(k)))
        waves.append(Wave(k, p, np.where(k.any(axis=1), c, c.real)))
    return waves


def waves(found: Campaign, seed: int, count: int) -> None:
    """Ranges and sums of magnitudes of waves that no arm has."""
    rng, plain = np.random.default_rng(seed), random.Random(seed)
    for index in range(count):
        n = int(rng.integers(1, 4))
        group = nasty_waves(rng, n, int(rng.integers(1, 5)))
        slides = np.any([wave.p.any(axis=0) for wave in group], axis=0)
        box = random_box(plain, [not s for s in slides])
        with ctx.workprec(BITS):
            terms = [of_wave(wave) for wave in group]
        proved = range_of(group[-1], box, work=1e6)
        for sign, bound in ((1, proved.upper), (-1, proved.lower)):
            found.attack(f"wave {seed}/{index}", terms[-1:], box, bound, magnitudes=False, sign=sign)
        crude = sum(wave.most(box.reach) for wave in group)
        start = float(-np.sum([abs(wave(box.centre[None])[0]) for wave in group]))
        proof = Branch(None, group, box).least(start, box.centre, 0.05 * crude, 1e6)
        found.attack(f"sum {seed}/{index}", terms, box, -proof.bound, magnitudes=True)


def grids(found: Campaign, seed: int, count: int) -> None:
    """Sums on grids, of magnitudes and with the factors of speeds, of waves that no arm has: in C and in NumPy."""
    rng, plain = np.random.default_rng(seed), random.Random(seed)
    for index in range(count):
        n = int(rng.integers(1, 6))
        group = nasty_waves(rng, n, int(rng.integers(1, 6)))
        slides = np.any([wave.p.any(axis=0) for wave in group], axis=0)
        box = random_box(plain, [not s for s in slides])
        with ctx.workprec(BITS):
            terms = [of_wave(wave) for wave in group]
        known = float(np.sum([abs(wave(box.samples(8, 1))) for wave in group], axis=0).max())
        factors = random_factors(plain, len(group))
        given = products([[(factor, 1.0)] for factor in factors], np.ones(len(group)))
        free: list[Factor] = [None] * len(group)
        proved = {"together": together(group, free, box, 1e6).bound}
        moving = {"together": together(group, factors, box, 1e6).bound}
        with pytest.MonkeyPatch.context() as patch:
            for engine in ("C", "NumPy"):
                gap = plain.choice([0.01, 0.1, 0.5])
                proved[engine] = largest_sum(group, box, known, gap, 3e5).bound
                moving[engine] = largest_sum(group, box, known / 2, gap, 3e5, products=given).bound
                patch.setattr(compiled_grid, "library", lambda: None)
        for engine, bound in proved.items():
            found.attack(f"grid {seed}/{index} {engine}", terms, box, bound, magnitudes=True)
            found.attack_states(f"speeds {seed}/{index} {engine} {factors}", terms, factors, box, moving[engine])


def couplings(found: Campaign, seed: int, count: int) -> None:
    """k = |D_ij| / sqrt(D_ii D_jj) of random arms, and the share of the diagonal that the rest of its row comes to."""
    rng = random.Random(seed)
    for index in range(count):
        arm = da.Arm.of(random_arm(rng, rng.choice([2, 3, 4, 5]), fixed=0.0, size=rng.choice([1e-3, 0.5, 30.0])))
        sliding = {joint.name: (-0.5, 1.0) for joint in arm.moving if joint.kind == "prismatic"}
        ask, exact = arm.analysis(box=sliding, effort=0.05), dynamics(system_numbers(arm))
        v, n, names = exact.variables, arm.n, list(arm.joint_names)
        with ctx.workprec(BITS):
            terms = {
                (i, j): of_series(v.series(exact.coefficients["D", i, j]), v.revolute)
                for i in range(n) for j in range(i, n)
            }  # fmt: skip
        for one in ask.coupling():
            i, j = sorted((names.index(one.first), names.index(one.second)))
            used = terms[i, j], terms[i, i], terms[j, j]

            def k(q: np.ndarray, used: Sequence[Terms] = used) -> np.ndarray:
                d, a, b = (f(q) for f in used)
                return np.abs(d) / np.sqrt(a * b)

            at = greatest(k, ask.box, found.rng, found.starts)
            with ctx.workprec(BITS):
                d, a, b = (f.at(at) for f in used)
                found.settle(f"coupling {seed}/{index} {i}{j}", abs(d) / (a * b).sqrt(), arb(one.proved), 1.0)
        for i, row in enumerate(ask.dominance()):
            if row.proved in (None, 1.0):
                continue  # not proved, or nothing beside the diagonal
            others = [terms[min(i, j), max(i, j)] for j in range(n) if j != i]

            def share(q: np.ndarray, own: Terms = terms[i, i], others: Sequence[Terms] = others) -> np.ndarray:
                return np.sum([np.abs(f(q)) for f in others], axis=0) / own(q)

            at = greatest(share, ask.box, found.rng, found.starts)
            with ctx.workprec(BITS):
                value = sum((abs(f.at(at)) for f in others), arb(0)) / terms[i, i].at(at)
                found.settle(f"dominance {seed}/{index} {i}", value, 1 - arb(row.proved), 1.0)


def models(found: Campaign, seed: int, count: int) -> None:
    """Torque errors of reduced models, with all signs of speeds and speeds below their limits."""
    rng = random.Random(seed)
    for index in range(count):
        arm = da.Arm.of(random_arm(rng, rng.choice([2, 2, 3]), fixed=0.0))
        sliding = {joint.name: (-0.5, 1.0) for joint in arm.moving if joint.kind == "prismatic"}
        model = arm.analysis(box=sliding, effort=0.02).reduce(rng.choice([0.01, 0.05, 0.3]))
        steps, outputs = program_steps(model.program.outputs)
        states = states_section(model.states.box)
        states |= {"speed": exact_floats(model.states.speed), "acceleration": exact_floats(model.states.acceleration)}
        constants = [written(model.values)]
        prover = Prover("reduced model", {
            "systems": [system_numbers(arm)], "states": states,
            "program": {"steps": steps, "torques": outputs, "constants": constants}, "claims": [],
        })  # fmt: skip
        revolute = [joint.kind == "revolute" for joint in arm.moving]
        for joint in range(arm.n):
            with ctx.workprec(BITS):
                terms = {key: of_series(w, revolute) for key, w in prover.errors(0).items() if key[1] == joint}
            if terms:
                factors = [None if key[0] == "D" else tuple(key[2:]) for key in terms]
                bound = float(model.bound[joint])
                found.attack_states(
                    f"model {seed}/{index}/{joint}", [*terms.values()], factors, model.states.box, bound
                )
    assert exact_float(0.5) == "1/2"


@pytest.fixture(autouse=True)
def arms_of_any_length(monkeypatch: pytest.MonkeyPatch) -> None:
    """The checker refuses files whose polynomials take long; the arms attacked here are no files."""
    monkeypatch.setattr(exact_dynamics, "MOST_WORK", 10**12)
    monkeypatch.setattr(exact_dynamics, "MOST_TERMS", 2**40)


def report(found: Campaign) -> None:
    print(
        f"{found.count} bounds attacked, {len(found.broken)} broken, closest approach {found.closest:.2e} of the spread"
    )
    assert found.count > 0
    assert not found.broken, found.broken[:5]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("attack", "count"), [(arms, 4), (waves, 12), (grids, 6), (couplings, 1), (models, 2)])
def test_no_bound_is_broken(attack, count):
    found = Campaign(np.random.default_rng(1), 60)
    attack(found, 1, count)
    report(found)


@pytest.mark.slow
@pytest.mark.skipif(os.environ.get("HYPOTHESIS_PROFILE") != "deep", reason="takes minutes: HYPOTHESIS_PROFILE=deep")
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("seed", range(2, 8))
@pytest.mark.parametrize(("attack", "count"), [(arms, 60), (waves, 150), (grids, 100), (couplings, 20), (models, 12)])
def test_no_bound_is_broken_in_a_long_campaign(attack, count, seed, compiled_kernels):
    found = Campaign(np.random.default_rng(seed), 400)
    attack(found, seed, count)
    report(found)
