"""Sample states that excite every coefficient of a program separately, and the errors of a program there."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..bounds.products import Factor
from .constant_forms import ParameterForm
from .graph_edits import Cut
from .hoist import Hoisted
from .recursion import Case
from .states import Array, States
from .sweep import Motions, SampleSweep


class Samples:
    """Sample positions, and motions that excite every coefficient.

    For each position there is one state at rest, one for each acceleration at its limit, and one for each speed and
    each pair of speeds at their limits; differences of the torques there are the largest contributions of each
    coefficient, G_i, D_ij a_j, C_ijj v_j^2 and 2 C_ijk v_j v_k, as a share of the joint's torque scale.
    Positions are ``size`` random ones for each load, and those of ``also``.
    """

    def __init__(
        self,
        exact: Hoisted,
        cases: Sequence[Case],
        states: States,
        scale: Array,
        size: int,
        extra_positions: Array | None = None,
    ) -> None:
        n = states.n
        extra_positions = np.zeros((0, n)) if extra_positions is None else extra_positions
        self.cases, self.each = [case.parameters for case in cases], size + len(extra_positions)
        pairs = [(j, k) for j in range(n) for k in range(j + 1, n)]
        runs, self.points, self.n = 1 + 2 * n + len(pairs), self.each * len(cases), n
        qd, qdd = np.zeros((runs, n)), np.zeros((runs, n))
        for j in range(n):
            qdd[1 + j, j], qd[1 + n + j, j] = states.acceleration[j], states.speed[j]
        for row, (j, k) in enumerate(pairs):
            qd[1 + 2 * n + row, [j, k]] = states.speed[[j, k]]
        spread = states.box.samples(size * len(cases)).reshape(len(cases), size, n)
        q = np.concatenate([spread, np.tile(extra_positions, (len(cases), 1, 1))], axis=1).reshape(-1, n)
        self.motions = Motions(np.ascontiguousarray(q.T), qd, qdd, scale, pairs)
        self.exact = self.of(exact)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Joints, coefficients and positions of contributions."""
        return self.motions.shape

    def by_position(self, form: ParameterForm) -> Array:
        """The value of a constant at every position: that of the load which is held there."""
        return np.repeat(self.by_load(form), self.each)

    def by_load(self, form: ParameterForm) -> Array:
        """The value of a constant for each load."""
        return np.array([float(form.value(case)) for case in self.cases])

    def sweep(
        self, program: Hoisted, cuts: Collection[Cut] = (), forms: Mapping[str, ParameterForm] | None = None
    ) -> SampleSweep:
        """A program, or what cuts leave of it, at all states; with other constants where ``forms`` are given."""
        listing = program.listing.without(cuts) if cuts else program.listing
        definitions = program.definitions if forms is None else forms
        named = np.array([self.by_position(definitions[name]) for name in listing.names])
        return SampleSweep(listing, named.reshape(len(listing.names), self.points), self.motions)

    def of(self, program: Hoisted) -> Array:
        """The contributions of a program."""
        return self.sweep(program).contributions()

    def error(self, program: Hoisted) -> Array:
        """The errors of all contributions, joint by coefficient by position."""
        return self.of(program) - self.exact

    def errors_at(self, program: Hoisted, exact: Hoisted, q: Array, load: int) -> Array:
        """The errors of all contributions at other positions, joint by coefficient by position, for one load."""
        motions = replace(self.motions, q=np.ascontiguousarray(q.T))
        contributions = []
        for one_program in (program, exact):
            values = [
                float(one_program.definitions[name].value(self.cases[load])) for name in one_program.listing.names
            ]
            named = np.repeat(np.array(values)[:, None], len(q), axis=1)
            contributions.append(SampleSweep(one_program.listing, named, motions).contributions())
        return contributions[0] - contributions[1]

    @property
    def factors(self) -> list[Factor]:
        """What the contributions are multiplied with: 1, free numbers for accelerations, squares and products."""
        free: list[Factor] = [None] * self.n
        return [(), *free, *((j, j) for j in range(self.n)), *self.motions.pairs]
