"""Leaving out what does not matter: parameters, constants, summands and whole nodes of a program, and differences of
near-equal constants (as Bejczy 1974, section VII, merges k211 and k233).

What goes is chosen by its effect on sample states once the other constants are refitted, smallest effect for the
operations saved first; whether the result is good enough is decided by the proof alone (``certify.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..rings.graph import ADD, CONST, INPUT, MUL, NEG, SUB, Node
from .constant_forms import Form
from .graph_edits import WHOLE, Cut, Uses, without
from .hoist import Hoisted, hoisted
from .reduced_model import operations_of
from .refit import refitted, rounded
from .samples import Samples, worst
from .states import Array

PASSES = 30
FEW = 4
NEARLY, TRIES = 1.3, 6
"""Single changes that are tried with a fit of their own: how far above the target, and how many."""


@dataclass(frozen=True, eq=False)
class Change:
    """One thing that may go: a cut of the graph, a parameter, or a constant b that becomes sign times a."""

    effect: Array
    saved: float
    cut: Cut | None = None
    parameter: str = ""
    merged: tuple[str, str, int] | None = None
    touches: tuple[str, ...] = ()


class Pruner:
    """Leaves out while the sum of largest contributions stays within a target per joint."""

    def __init__(
        self, whole: Hoisted, samples: Samples, refit: bool = True, passed: Callable[[int], None] = lambda _: None
    ) -> None:
        self.passed = passed
        self.whole, self.samples, self.refit, self.greed = whole, samples, refit, 1.0

    def pruned(self, target: Array, start: Hoisted | None = None, thorough: bool = True, greed: float = 1.0) -> Hoisted:
        """The program with the fewest operations found that stays within ``target``, a share for each joint.

        ``start`` is where to begin, ``thorough`` also tries what only a fit of its own makes room for. Changes are
        ranked by their effect over the operations saved to the power ``greed``.
        """
        program, self.greed = self.whole if start is None else start, greed
        for count_ in range(PASSES):
            self.passed(count_)
            smaller = self.smaller(program, target, thorough)
            if smaller is None:
                break
            program = refitted(smaller, self.samples, target) if self.refit else smaller
        return program

    def smaller(self, program: Hoisted, target: Array, thorough: bool = True) -> Hoisted | None:
        """One round of changes; None where nothing more can go."""
        samples = self.samples
        order, done, slopes = samples.slopes(program)
        names, units = samples.per_constant(program, order, slopes)
        changes = self._cuts(program, order, done, slopes, 2 * target)
        changes += self._parameters(program, names, units) + self._merges(program, names, units)
        if not changes:
            return None
        effects = np.stack([change.effect for change in changes])
        none = np.zeros((len(changes), len(names)))
        made = self._best(program, changes, names, effects, none, target, len(changes))
        if made is None and self.refit and names:
            # Shifts of constants that other changes take away do nothing: a few at a time.
            fitted = projected(effects, units, target)
            made = self._best(program, changes, names, *fitted, target, FEW)
            if made is None and thorough:
                made = self._one(program, changes, names, *fitted, target)
        return made

    def _one(
        self, program: Hoisted, changes: Sequence[Change], names: Sequence[str], effects: Array, shifts: Array,
        target: Array,
    ) -> Hoisted | None:  # fmt: skip
        """The program after a single change that the best fit of all constants makes room for."""
        samples, before = self.samples, count(program, self.samples)
        ends = (worst(samples.error(program) + effects) / target).max(axis=1)
        tries = 0
        for c in np.argsort(ends, kind="stable").tolist():
            if ends[c] > NEARLY or tries == TRIES:
                break
            made = applied(program, [changes[c]], dict(zip(names, shifts[c], strict=True)))
            if count(made, samples) >= before:
                continue
            tries += 1
            made = refitted(made, samples, target)
            if np.all(worst(samples.error(made)) <= target):
                return made
        return None

    def _best(
        self, program: Hoisted, changes: Sequence[Change], names: Sequence[str], effects: Array, shifts: Array,
        target: Array, most: int,
    ) -> Hoisted | None:  # fmt: skip
        """The program after the changes that cost least for what they save, up to ``most`` of them."""
        samples, error = self.samples, self.samples.error(program)
        saved = np.array([change.saved for change in changes], float)
        costs = (worst(effects) / target).max(axis=1) / saved**self.greed
        taken: list[int] = []
        touched: set[str] = set()
        cuts: set[Cut] = set()
        for c in np.argsort(costs, kind="stable").tolist():
            change = changes[c]
            if touched.intersection(change.touches) or (change.cut and (change.cut[0], 1 - change.cut[1]) in cuts):
                continue
            trial = error + effects[c]
            if np.all(worst(trial) <= target):
                error = trial
                taken.append(c)
                touched.update(change.touches)
                if change.cut:
                    cuts.add(change.cut)
                if len(taken) == most:
                    break
        before = count(program, samples)
        while taken:
            moved = dict(zip(names, shifts[taken].sum(axis=0), strict=True))
            made = applied(program, [changes[c] for c in taken], moved)
            if np.all(worst(samples.error(made)) <= target * 1.001):
                return made if count(made, samples) < before else None
            # First-order effects misled: take back the last quarter of the changes.
            taken = taken[: len(taken) * 3 // 4]
        return None

    def _cuts(
        self, program: Hoisted, order: Sequence[Node], done: Mapping[int, Array],
        slopes: Sequence[Mapping[int, Array]], limit: Array,
    ) -> list[Change]:  # fmt: skip
        """Every summand, and every node that is used more than once, whose effect alone stays within ``limit``."""
        uses, samples = Uses(program.outputs), self.samples
        found: list[Change] = []
        for node in order:
            slots = [0, 1] if node.op in (ADD, SUB) else []
            constant = node.op == INPUT and node.value in program.definitions
            if constant or (node.op in (ADD, SUB, MUL) and not uses.once(node)):
                slots.append(WHOLE)
            for slot in slots:
                gone = node if slot == WHOLE else node.operands[slot]
                sign = 1.0 if node.op == SUB and slot == 1 else -1.0
                change = sign * samples.filled(done[gone.index])
                torque = np.stack([samples.filled(s.get(node.index, 0.0) * change) for s in slopes])
                if np.any(np.abs(torque).max(axis=1) > limit * samples.scale):
                    continue
                effect = samples.contributions(torque)
                name = (str(node.value),) if constant else ()
                found.append(Change(effect, uses.saved((node.index, slot), node), (node.index, slot), touches=name))
        return found

    def _parameters(self, program: Hoisted, names: Sequence[str], units: Array) -> list[Change]:
        """Every parameter that stands in more than one constant; others go with their constant."""
        found = []
        users: dict[str, list[int]] = {}
        for row, name in enumerate(names):
            for parameter, _ in program.definitions[name].terms:
                users.setdefault(parameter, []).append(row)
        for parameter, rows in users.items():
            if len(rows) < 2:
                continue
            effect, saved = np.zeros(units.shape[1:]), 0
            for row in rows:
                form = program.definitions[names[row]]
                left = dropped(form, parameter)
                effect += self._times(left + -form, units[row])
                saved += 2 * (not left)
            if saved:
                found.append(Change(effect, saved, parameter=parameter, touches=tuple(names[r] for r in rows)))
        return found

    def _merges(self, program: Hoisted, names: Sequence[str], units: Array) -> list[Change]:
        """Pairs of constants that stand before brackets of the same sum: k u + l v = k (u + v) where l = k."""
        rows = {name: row for row, name in enumerate(names)}
        found = []
        for (a, b), saved in neighbours(program).items():
            for sign in (1, -1):
                one, two = program.definitions[a], program.definitions[b]
                effect = self._times(one.times(sign) + -two, units[rows[b]])
                found.append(Change(effect, saved, merged=(a, b, sign), touches=(a, b)))
        return found

    def _times(self, form: Form, unit: Array) -> Array:
        """What adding a form to a constant contributes, load by load."""
        value = self.samples.constants({"": form})[""]
        if isinstance(value, float):
            return value * unit
        return np.asarray(value).reshape(self.samples.runs, self.samples.points)[0] * unit


def projected(effects: Array, units: Array, target: Array) -> tuple[Array, Array]:
    """Effects with all constants fitted again by least squares, and the shifts that do it."""
    count, shape = len(units), effects.shape
    weight = 1 / target[:, None, None]
    a, e = (units * weight).reshape(count, -1), (effects * weight).reshape(len(effects), -1)
    size = np.sqrt((a * a).sum(axis=1))
    size[size == 0] = 1.0
    a = a / size[:, None]
    gram = a @ a.T
    shifts = -np.linalg.solve(gram + 1e-9 * np.eye(count), a @ e.T).T
    return ((e + shifts @ a).reshape(shape) / weight), shifts / size


def dropped(form: Form, parameter: str) -> Form:
    """The form without a parameter; a shift alone is not worth a constant."""
    terms = tuple(term for term in form.terms if term[0] != parameter)
    return Form(terms, form.shift) if terms else Form()


def neighbours(program: Hoisted) -> dict[tuple[str, str], int]:
    """How many sums hold both constants of a pair before summands that are used once."""
    uses = Uses(program.outputs)
    held: dict[int, set[str]] = {}

    def inside(node: Node) -> set[str]:
        if node.op == NEG:
            return inside(node.operands[0])
        if not uses.once(node):
            return set()
        if node.op == MUL:
            return {str(x.value) for x in node.operands if x.op == INPUT and x.value in program.definitions}
        return held.pop(node.index, set())

    for node in uses.order:
        if node.op in (ADD, SUB):
            held[node.index] = set().union(*(inside(x) for x in node.operands if x.op != CONST))
    found: dict[tuple[str, str], int] = {}
    place = {name: at for at, name in enumerate(program.definitions)}
    for names in held.values():
        ordered = sorted(names, key=place.__getitem__)
        for at, a in enumerate(ordered):
            for b in ordered[at + 1 :]:
                found[a, b] = found.get((a, b), 0) + 1
    return found


def applied(program: Hoisted, changes: Sequence[Change], shifts: Mapping[str, float]) -> Hoisted:
    """The program after all these changes and shifts of its constants."""
    forms = dict(program.shifted({name: rounded(value) for name, value in shifts.items()}).definitions)
    for change in changes:
        if change.parameter:
            forms = {name: dropped(form, change.parameter) for name, form in forms.items()}
    for change in changes:
        if change.merged is not None:
            a, b, sign = change.merged
            forms[b] = forms[a].times(sign)
    return hoisted(without(program.outputs, {c.cut for c in changes if c.cut is not None}), forms)


def count(program: Hoisted, samples: Samples) -> int:
    return operations_of(program, program.values(samples.cases[0])).total
