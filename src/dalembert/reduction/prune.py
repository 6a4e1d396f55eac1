"""Pruning of a program: greedy removal of parameters, constants, summands and whole nodes, and merging of nearly equal
constants (as Bejczy 1974, section VII, merges k211 and k233).

Changes are ranked by their first-order effect on sample states, after a refit of the other constants, relative to the
operations they save; whether the result is within the tolerance is decided by the proof alone (``certify.py``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ..rings.graph import ADD, CONST, INPUT, MUL, NEG, SUB, Node
from .constant_forms import ParameterForm
from .graph_edits import WHOLE, Cut, Uses, without
from .hoist import Hoisted, hoisted
from .minimax import least_worst
from .reduced_model import operations_of
from .refit import refitted, rounded
from .samples import Samples
from .states import Array
from .sweep import Cuts, SampleSweep, worst

PASSES = 30
"""Most rounds of changes."""
TRIES = 20
"""Single changes that get a refit of their own, those of smallest error before it first."""
CLOSE_ENOUGH = 1.001
"""Part of a target up to which the sampled error of a changed program may go: effects are of first order."""


@dataclass(frozen=True, eq=False)
class Change:
    """One candidate change: a cut of the graph, a removed parameter, or a constant b replaced by sign times a.

    ``saved`` are the operations it saves, ``touches`` the constants it affects.
    """

    saved: float
    cut: Cut | None = None
    parameter: str = ""
    merged: tuple[str, str, int] | None = None
    touches: tuple[str, ...] = ()


Offer: TypeAlias = tuple[Change, Array]
"""A change with its effect on the contributions."""


@dataclass(frozen=True, eq=False)
class Options:
    """The changes of one program with their first-order effects on the contributions, the contributions of a unit of
    each constant, and the errors of the program.
    """

    changes: list[Change]
    effects: Array
    names: Sequence[str]
    units: Array
    error: Array

    @property
    def saved(self) -> Array:
        """Operations that each change saves."""
        return np.array([change.saved for change in self.changes], float)


class Room:
    """Memory of large arrays, used again and again: new pages take longer than what is written to them."""

    def __init__(self) -> None:
        self._held: dict[str, Array] = {}
        self.used = 0.0
        """Numbers that were asked for in all."""

    def array(self, name: str, shape: tuple[int, ...]) -> Array:
        """An array of this shape in the memory of this name; what it held before is lost."""
        size = math.prod(shape)
        self.used += size
        if name not in self._held or len(self._held[name]) < size:
            self._held[name] = np.empty(size + size // 4)
        return self._held[name][:size].reshape(shape)


class Pruner:
    """Greedy pruning while the largest sum of contributions on the samples is within a target for each joint."""

    def __init__(
        self, whole: Hoisted, samples: Samples, refit: bool = True, passed: Callable[[int], None] = lambda _: None,
        room: Room | None = None,
    ) -> None:  # fmt: skip
        self.passed, self.room = passed, room or Room()
        self.whole, self.samples, self.refit, self.greed = whole, samples, refit, 1.0
        self._first: tuple[Array, Options] | None = None

    def pruned(self, target: Array, start: Hoisted | None = None, thorough: bool = True, greed: float = 1.0) -> Hoisted:
        """The shortest program found whose sampled error is within ``target``, a share for each joint.

        ``start`` is the program to begin with; ``thorough`` also tries changes that need a refit of their own. Changes
        are ranked by effect / saved^greed.
        """
        program, self.greed = self.whole if start is None else start, greed
        for round_ in range(PASSES):
            self.passed(round_)
            smaller = self.smaller(program, target, thorough)
            if smaller is None:
                break
            program = refitted(smaller, self.samples, target) if self.refit else smaller
        return program

    def smaller(self, program: Hoisted, target: Array, thorough: bool = True) -> Hoisted | None:
        """One round of changes; None where no change is possible."""
        options = self._options(program, target)
        if not options.changes:
            return None
        result = self._cheapest_changes(program, options, options.effects, None, target, len(options.changes))
        if result is None and self.refit and options.names:
            # The shift of a constant that another change removes has no effect: only one change at a time.
            effects, shifts = projected(options.effects, options.units, target, self.room)
            result = self._cheapest_changes(program, options, effects, shifts, target, 1)
            if result is None and thorough:
                result = self._single_change(program, options, effects, target)
        return result

    def _options(self, program: Hoisted, target: Array) -> Options:
        """All changes of a program that a refit may bring within the target; those of the whole program are kept."""
        if program is self.whole and self._first is not None and np.all(2 * target <= self._first[0]):
            return self._first[1]
        samples, limit = self.samples, 2 * target
        names, sweep = program.listing.names, samples.sweep(program)
        contributions, units = sweep.linear()
        changes, cut_count, write_cut_effects = self._cuts(program, sweep, limit)
        other_changes = self._other_changes(program, names, units, limit) if names else []
        effects = self.room.array(
            "first" if program is self.whole else "effects", (cut_count + len(other_changes), *samples.shape)
        )
        write_cut_effects(effects[:cut_count])
        for row, (_, effect) in enumerate(other_changes):
            effects[cut_count + row] = effect
        changes += [change for change, _ in other_changes]
        options = Options(changes, effects, names, units, contributions - samples.exact)
        if program is self.whole:
            self._first = (limit, options)
        return options

    def _single_change(self, program: Hoisted, options: Options, fitted: Array, target: Array) -> Hoisted | None:
        """The program after a single change that is within the target after a refit of all constants.

        ``fitted`` are the effects after a least-squares refit.
        """
        samples, operations = self.samples, count(program, self.samples)
        errors = (worst(fitted, options.error) / target).max(axis=1)
        for c in np.argsort(errors, kind="stable")[:TRIES].tolist():
            error, units = self._after(program, options, c)
            self.room.used += units.size
            shifts = least_worst(error, units, target, 0.0, enough=True)
            if np.any(worst(error + np.tensordot(shifts, units, 1)) > target * CLOSE_ENOUGH):
                continue
            changed = applied(program, [options.changes[c]], dict(zip(options.names, shifts, strict=True)))
            if count(changed, samples) < operations and np.all(worst(samples.error(changed)) <= target * CLOSE_ENOUGH):
                return changed
        return None

    def _after(self, program: Hoisted, options: Options, c: int) -> tuple[Array, Array]:
        """The errors, and the contributions of a unit of each constant, once a change is made; constants keep their
        names.
        """
        change, samples = options.changes[c], self.samples
        rows = {name: row for row, name in enumerate(options.names)}
        if change.cut is not None:
            contributions, unit_contributions = samples.sweep(program, [change.cut]).linear()
            # a constant that is cut has no more effect
            unit_contributions[[rows[name] for name in change.touches]] = 0.0
            return contributions - samples.exact, unit_contributions
        units = options.units.copy()
        if change.merged is not None:
            a, b, sign = change.merged
            units[rows[a]] += sign * units[rows[b]]
            units[rows[b]] = 0.0
        for name in change.touches if change.parameter else ():
            if not dropped(program.definitions[name], change.parameter):
                units[rows[name]] = 0.0
        return options.error + options.effects[c], units

    def _cheapest_changes(
        self, program: Hoisted, options: Options, effects: Array, shifts: Array | None, target: Array, limit: int,
    ) -> Hoisted | None:  # fmt: skip
        """The program after the changes of least cost for the operations saved, at most ``limit`` of them."""
        samples, error, changes = self.samples, options.error, options.changes
        sizes = worst(effects)
        costs = (sizes / target).max(axis=1) / options.saved**self.greed
        # what is larger than the target and the error there is cannot be made up for
        possible = np.all(sizes <= target + worst(error), axis=1)
        chosen: list[int] = []
        touched: set[str] = set()
        cuts: set[Cut] = set()
        for c in np.argsort(costs, kind="stable").tolist():
            change = changes[c]
            if not possible[c] or touched.intersection(change.touches):
                continue
            if change.cut and (change.cut[0], 1 - change.cut[1]) in cuts:
                continue
            if np.all(worst(effects[c], error) <= target):
                error = error + effects[c]
                chosen.append(c)
                touched.update(change.touches)
                if change.cut:
                    cuts.add(change.cut)
                if len(chosen) == limit:
                    break
        while chosen:
            shift_of = {} if shifts is None else dict(zip(options.names, shifts[chosen].sum(axis=0), strict=True))
            chosen_changes = [changes[c] for c in chosen]
            contributions = samples.sweep(
                program, cuts_of(chosen_changes), changed_forms(program, chosen_changes, shift_of)
            ).contributions()
            if np.all(worst(contributions - samples.exact) <= target * CLOSE_ENOUGH):
                changed = applied(program, chosen_changes, shift_of)
                return changed if count(changed, samples) < count(program, samples) else None
            # The first-order effects were too optimistic: undo the last quarter of the changes.
            chosen = chosen[: len(chosen) * 3 // 4]
        return None

    def _cuts(
        self, program: Hoisted, sweep: SampleSweep, limit: Array
    ) -> tuple[list[Change], int, Callable[[Array], None]]:
        """Every summand, and every node used more than once, whose effect alone is within ``limit``; how many they are,
        and a function that writes their effects.
        """
        uses, slots = Uses(program.outputs), program.listing.slots
        candidates: list[tuple[Node, int, tuple[str, ...]]] = []
        rows: list[tuple[int, int, float]] = []
        for node in uses.order:
            operands = [0, 1] if node.op in (ADD, SUB) else []
            constant = node.op == INPUT and node.value in program.definitions
            if constant or (node.op in (ADD, SUB, MUL) and not uses.once(node)):
                operands.append(WHOLE)
            for slot in operands:
                removed = node if slot == WHOLE else node.operands[slot]
                candidates.append((node, slot, (str(node.value),) if constant else ()))
                rows.append((slots[node.index], slots[removed.index], 1.0 if node.op == SUB and slot == 1 else -1.0))
        at, removed_slots, sign = (np.array(column) for column in zip(*rows, strict=True)) if rows else np.zeros((3, 0))
        cuts = Cuts(at.astype(np.int32), removed_slots.astype(np.int32), sign.astype(float))
        within, write = sweep.cut_effects(cuts, limit * self.samples.motions.scale)
        changes = []
        for c in within.tolist():
            node, slot, names = candidates[c]
            changes.append(Change(uses.saved((node.index, slot), node), (node.index, slot), touches=names))
        return changes, len(within), write

    def _other_changes(self, program: Hoisted, names: Sequence[str], units: Array, limit: Array) -> list[Offer]:
        """Removed parameters and merged constants whose effect alone is within ``limit``, with these effects."""
        loads = units.reshape(*units.shape[:-1], len(self.samples.cases), -1)
        largest = np.abs(loads).max(axis=(2, 4), initial=0.0)  # constants, joints, loads
        values = np.array([self.samples.by_load(program.definitions[name]) for name in names])
        offers: list[Offer] = []
        for change, rows, added in self._parameters(program, names, values):
            effect = (loads[rows] * added[:, None, None, :, None]).sum(axis=0)
            if np.all(np.abs(effect).max(axis=(1, 2, 3)) <= limit):
                offers.append((change, effect.reshape(units.shape[1:])))
        row_of, pairs = {name: row for row, name in enumerate(names)}, neighbours(program)
        merges = [
            Change(saved, merged=(a, b, sign), touches=(a, b)) for (a, b), saved in pairs.items() for sign in (1, -1)
        ]
        first_rows, second_rows = ([row_of[pair[side]] for pair in pairs for _ in (1, -1)] for side in (0, 1))
        added = values[first_rows] * np.array([(1, -1) * len(pairs)]).T - values[second_rows]
        within = np.all((largest[second_rows] * np.abs(added)[:, None]).max(axis=2, initial=0.0) <= limit, axis=1)
        for m in np.flatnonzero(within).tolist():
            effect = loads[second_rows[m]] * added[m][:, None]
            offers.append((merges[m], effect.reshape(units.shape[1:])))
        return offers

    def _parameters(
        self, program: Hoisted, names: Sequence[str], values: Array
    ) -> Iterator[tuple[Change, list[int], Array]]:
        """Every parameter that occurs in more than one constant, those constants, and what is added to each for each
        load; the others are removed with their constant.
        """
        users: dict[str, list[int]] = {}
        for row, name in enumerate(names):
            for parameter, _ in program.definitions[name].terms:
                users.setdefault(parameter, []).append(row)
        for parameter, rows in users.items():
            if len(rows) < 2:
                continue
            remaining = [dropped(program.definitions[names[row]], parameter) for row in rows]
            saved = 2 * sum(not form for form in remaining)
            if saved:
                remaining_values = np.array([self.samples.by_load(form) for form in remaining])
                yield (
                    Change(saved, parameter=parameter, touches=tuple(names[r] for r in rows)),
                    rows,
                    remaining_values - values[rows],
                )


def projected(effects: Array, units: Array, target: Array, room: Room) -> tuple[Array, Array]:
    """Effects after a least-squares refit of all constants, and the shifts of that refit."""
    count, weight = len(units), 1 / target[:, None, None]
    a = (units * weight).reshape(count, -1)
    size = np.sqrt((a * a).sum(axis=1))
    size[size == 0] = 1.0
    a /= size[:, None]
    gram = a @ a.T
    # effects are large arrays: they are read once for the fit and once for what it leaves, and never copied
    e = effects.reshape(len(effects), -1)
    rhs = (a.reshape(units.shape) * weight).reshape(count, -1) @ e.T
    shifts = np.ascontiguousarray(-np.linalg.solve(gram + 1e-9 * np.eye(count), rhs).T) / size
    fitted = room.array("fitted", effects.shape)
    np.matmul(shifts, units.reshape(count, -1), out=fitted.reshape(e.shape))
    fitted += effects
    return fitted, shifts


def dropped(form: ParameterForm, parameter: str) -> ParameterForm:
    """The form without a parameter; zero where only a shift would remain."""
    terms = tuple(term for term in form.terms if term[0] != parameter)
    return ParameterForm(terms, form.shift) if terms else ParameterForm()


def neighbours(program: Hoisted) -> dict[tuple[str, str], int]:
    """For each pair of constants, the number of sums that have both as factors of summands with a single use."""
    uses = Uses(program.outputs)
    constants_in: dict[int, set[str]] = {}

    def inside(node: Node) -> set[str]:
        if node.op == NEG:
            return inside(node.operands[0])
        if not uses.once(node):
            return set()
        if node.op == MUL:
            return {str(x.value) for x in node.operands if x.op == INPUT and x.value in program.definitions}
        return constants_in.pop(node.index, set())

    for node in uses.order:
        if node.op in (ADD, SUB):
            constants_in[node.index] = set().union(*(inside(x) for x in node.operands if x.op != CONST))
    pairs: dict[tuple[str, str], int] = {}
    position = {name: rank for rank, name in enumerate(program.definitions)}
    for names in constants_in.values():
        ordered = sorted(names, key=position.__getitem__)
        for rank, a in enumerate(ordered):
            for b in ordered[rank + 1 :]:
                pairs[a, b] = pairs.get((a, b), 0) + 1
    return pairs


def cuts_of(changes: Sequence[Change]) -> set[Cut]:
    """The cuts among changes."""
    return {change.cut for change in changes if change.cut is not None}


def changed_forms(program: Hoisted, changes: Sequence[Change], shifts: Mapping[str, float]) -> dict[str, ParameterForm]:
    """The constants after these changes and shifts."""
    forms = dict(program.shifted({name: rounded(value) for name, value in shifts.items()}).definitions)
    for change in changes:
        if change.parameter:
            forms = {name: dropped(form, change.parameter) for name, form in forms.items()}
    for change in changes:
        if change.merged is not None:
            a, b, sign = change.merged
            forms[b] = forms[a].times(sign)
    return forms


def applied(program: Hoisted, changes: Sequence[Change], shifts: Mapping[str, float]) -> Hoisted:
    """The program after these changes and shifts of its constants."""
    return hoisted(without(program.outputs, cuts_of(changes)), changed_forms(program, changes, shifts))


def count(program: Hoisted, samples: Samples) -> int:
    """Operations of a program."""
    return operations_of(program, program.values(samples.cases[0])).total
