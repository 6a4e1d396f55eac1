"""The transfer of a closed mechanism to its coordinates over any field: positions, influence coefficients, dynamics.

With w = (q, c), coordinates and closures, as in ``assembly``:

    phi  <-  phi - [G^w]^-1 (w(phi) - (q, 0))               a step of Newton towards the coordinates q
    phi'  = X q',   phi'' = X q'' - [G^w]^-1 phi'.[H^w] phi'                                     (3-15), (3-19)
    I*_qq = X^T I* X,   T_q = X^T (I* phi'' + phi'.P* phi' - T^L)                                (3-34), (3-36)

[G^w] is factored by reflections, so over the graph all of it is straight-line code without a branch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from ..formulations import factor
from ..formulations.influence import PointInfluence
from ..formulations.kinematics import Frame, frames
from ..formulations.reflections import Reflections
from ..formulations.system import SystemOverRing
from ..rings.algebra import ZERO, add, cross, dot, mul, plus, scale, sub, total
from ..rings.ring import Field, Scalar
from .closure_equations import ClosureEnd, ClosureEquations, body_frame
from .coordinates import Coordinate
from .element_loads import ElementsOverRing
from .springs import LoadElement

if TYPE_CHECKING:
    from .assembly import Assembly

STILL = Fraction(1, 10**12)
"""The share of all rates together below which a joint stands: loops that hold it still leave rounding alone."""


@dataclass(frozen=True)
class TransferredMotion:
    """[G^phi_q] as m rows of n, and phi' and phi'' of a motion."""

    x: list[list[Scalar]]
    rate: list[Scalar]
    rate2: list[Scalar]


class TransferOverField:
    """The equations and chains of an assembly over ``field``.

    ``parameters`` are numbers of the field in place of named parameters of each chain (``formulations/chain.py``).
    """

    def __init__(self, assembly: Assembly, field: Field, parameters: Sequence[Mapping[str, Scalar]] = ()) -> None:
        self.assembly, self.field, self.chains, self.parameters = assembly, field, assembly.chains, parameters
        arms = list(self.chains.arms.values())
        self.systems = [
            SystemOverRing(arm, field, chain_parameters)
            for arm, chain_parameters in zip(arms, parameters or [{}] * len(arms), strict=True)
        ]
        self.links = [system.links for system in self.systems]
        self.equations = ClosureEquations(self.chains, assembly.closures, field, self.links, parameters)
        self.elements = ElementsOverRing(self.chains, assembly.elements, field, self.links, parameters)

    # -- equations ------------------------------------------------------------------------------

    def rows(
        self, phi: Sequence[Scalar], rate: Sequence[Scalar] = ()
    ) -> tuple[list[Scalar], list[list[Scalar]], list[Scalar]]:
        """w = (q, c), [G^w_phi] and phi'.[H^w] phi' (zeros without rates)."""
        placed: dict[int, list[Frame]] = {}
        values, slopes, drifts = [], [], []
        for coordinate in self.assembly.coordinates:
            value, slope, drift = self._coordinate(coordinate, phi, rate, placed)
            values.append(value)
            slopes.append(slope)
            drifts.append(drift)
        closing, g, bend = self.equations.tables(phi, rate)
        return values + closing, slopes + g, drifts + bend

    def slopes(self, coordinate: Coordinate, phi: Sequence[Scalar]) -> list[Scalar]:
        """d/dphi of a coordinate of one's own, as a motor of the mechanism has one."""
        return self._coordinate(coordinate, phi, (), {})[1]

    def _coordinate(
        self, coordinate: Coordinate, phi: Sequence[Scalar], rate: Sequence[Scalar], placed: dict[int, list[Frame]]
    ) -> tuple[Scalar, list[Scalar], Scalar]:
        """q_k, its slopes and its drift: a sum of joints, positions and turns of frames."""
        if any(term.reference is not None for term in coordinate.terms):
            quantity = self.elements.quantity(self.field, (phi, rate), LoadElement(coordinate.name, coordinate.terms))
            return quantity.value, [quantity.slopes.get(n, 0) for n in range(self.chains.m)], quantity.drift
        value: Scalar = 0
        drift: Scalar = 0
        slopes: list[Scalar] = [0] * self.chains.m
        for term in coordinate.terms:
            weight = self.field.number(term.weight)
            if term.frame is None:
                value = add(value, mul(weight, phi[term.joint]))
                slopes[term.joint] = add(slopes[term.joint], weight)
                continue
            end = ClosureEnd(term.frame, body_frame(self.field, term.frame, self.parameters), {0})
            if term.freedom < 3:
                origin = self.equations.vectors(end, phi, rate, placed)[0]
                k, term_slopes = term.freedom, {n: g[term.freedom] for n, g in origin.slopes.items()}
                value, drift = add(value, mul(weight, origin.value[k])), add(drift, mul(weight, origin.rate2[k]))
            else:
                term_slopes, bend = self._turn(end, term.freedom - 3, phi, rate, placed)
                drift = add(drift, mul(weight, bend))
            for n, slope in term_slopes.items():
                slopes[n] = add(slopes[n], mul(weight, slope))
        return value, slopes, drift

    def _turn(
        self, end: ClosureEnd, k: int, phi: Sequence[Scalar], rate: Sequence[Scalar], placed: dict[int, list[Frame]]
    ) -> tuple[dict[int, Scalar], Scalar]:
        """Component k of the angular velocity per joint rate, and of its drift at constant joint rates (2-69)."""
        number = end.carrier.chain
        joints, chain = self.chains.slices[number], self.links[number]
        if number not in placed:
            placed[number] = frames(chain, self.field, phi[joints])
        influence = PointInfluence(chain, placed[number], end.carrier.body, end.frame[1])
        spun = bend = ZERO
        if rate:
            for n in influence.path:
                turning = scale(rate[joints.start + n], influence.turn(n))
                bend, spun = plus(bend, cross(spun, turning)), plus(spun, turning)
        return {joints.start + n: influence.turn(n)[k] for n in influence.path}, bend[k]

    # -- positions ------------------------------------------------------------------------------

    def step(self, phi: Sequence[Scalar], q: Sequence[Scalar]) -> tuple[list[Scalar], list[Scalar], Reflections]:
        """The joints after a step of Newton towards the coordinates q, w - (q, 0) before it, and the factors."""
        values, g, _ = self.rows(phi)
        residual = _less_coordinates(values, q)
        factors = Reflections(self.field, g)
        return [sub(a, b) for a, b in zip(phi, factors.solve(residual), strict=True)], residual, factors

    def closed(self, guess: Sequence[Scalar], q: Sequence[Scalar], steps: int) -> tuple[list[Scalar], Scalar]:
        """The joints after ``steps`` of Newton, and what they leave open: the root of the sum of squares (m, rad)."""
        phi = list(guess)
        for _ in range(steps):
            phi = self.step(phi, q)[0]
        residual = _less_coordinates(self.rows(phi)[0], q)
        return phi, self.field.sqrt(dot(residual, residual))

    def alignment(self, phi: Sequence[Scalar]) -> list[Scalar]:
        """For each closure with held turns a number above zero in the orientation that is meant, and in no other.

        At a closure that holds, the axes that the turns align have sum e_k . e_k' = 3, 1 or 1 for three, two and one
        held turns, and at most zero in the orientations that are not meant (``held_turns``).
        """
        alignments = []
        placed: dict[int, list[Frame]] = {}
        for closure in self.assembly.turning:
            ends = [
                ClosureEnd(end, body_frame(self.field, end, self.parameters), set(range(1, 4)))
                for end in (closure.a, closure.b)
            ]
            a, b = (self.equations.vectors(end, phi, (), placed) for end in ends)
            alignments.append(total([dot(a[1 + k].value, b[1 + k].value) for k in closure.aligned_axes]))
        return alignments

    # -- motion and loads -----------------------------------------------------------------------

    def factors(self, phi: Sequence[Scalar]) -> Reflections:
        """[G^w_phi], factored."""
        return Reflections(self.field, self.rows(phi)[1])

    def influence(self, factors: Reflections) -> list[list[Scalar]]:
        """[G^phi_q], m rows of n."""
        count, n = len(factors.rows), self.assembly.n
        columns = [factors.solve([int(i == k) for i in range(count)]) for k in range(n)]
        return [[column[i] for column in columns] for i in range(self.assembly.m)]

    def motion(
        self, phi: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar], factors: Reflections
    ) -> TransferredMotion:
        """[G^phi_q], phi' and phi'' at q', q''."""
        x = self.influence(factors)
        rate = [dot(row, qd) for row in x]
        bend = self.rows(phi, rate)[2]
        right_side = [sub(a, b) for a, b in zip(qdd, bend, strict=False)] + [sub(0, b) for b in bend[len(qdd) :]]
        return TransferredMotion(x, rate, factors.solve(right_side))

    def torque(
        self, phi: Sequence[Scalar], rate: Sequence[Scalar], rate2: Sequence[Scalar], starting: bool = True
    ) -> list[Scalar]:
        """T_phi of the open chains for this motion; without ``starting`` shafts that stand resist nothing."""
        torques: list[Scalar] = []
        for system, joints in zip(self.systems, self.chains.slices, strict=True):
            speeds = self._directed(rate)[joints] if _rubs_dry(system) else None
            rates = self._directed(rate2)[joints] if speeds is not None and starting else None
            torques += system.torque(
                self.field, phi[joints], rate[joints], rate2[joints], friction_speeds=speeds, friction_rates=rates
            )
        if not self.assembly.elements:
            return torques
        moved = [dot(row, rate2) for row in self.elements.inertia(self.field, phi)]
        loads = self.elements.load(self.field, phi, rate)
        return [add(sub(a, b), c) for a, b, c in zip(torques, loads, moved, strict=True)]

    def _directed(self, rates: Sequence[Scalar]) -> list[Scalar]:
        """Rates or accelerations of all joints, zero where they are rounding: dry friction takes its direction there.

        r (sgn (r - e) + sgn (r + e))^2 / 4 is r beyond e, and zero within, for e a share of the sum of all magnitudes.
        """
        field = self.field
        edge = mul(field.number(STILL), total([mul(field.sign(r), r) for r in rates]))
        signs = [add(field.sign(sub(r, edge)), field.sign(add(r, edge))) for r in rates]
        return [mul(r, mul(field.number(Fraction(1, 4)), mul(s, s))) for r, s in zip(rates, signs, strict=True)]

    def weight(self, phi: Sequence[Scalar]) -> list[Scalar]:
        """dV/dphi of the weight of the open chains."""
        weights: list[Scalar] = []
        for system, joints in zip(self.systems, self.chains.slices, strict=True):
            weights += system.gravity(self.field, phi[joints])
        return weights

    def carried(self, x: Sequence[Sequence[Scalar]], load: Sequence[Scalar]) -> list[Scalar]:
        """X^T T_phi (3-36)."""
        return [dot([row[k] for row in x], load) for k in range(self.assembly.n)]

    def inertia(self, phi: Sequence[Scalar], x: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
        """I*_qq = sum X^T I* X over the chains (3-34), (4-48)."""
        n = self.assembly.n
        inertia: list[list[Scalar]] = [[0] * n for _ in range(n)]
        for system, joints in zip(self.systems, self.chains.slices, strict=True):
            x_chain = x[joints]
            mass = system.mass_matrix(self.field, phi[joints])
            moved = [[dot(row, [line[k] for line in x_chain]) for k in range(n)] for row in mass]
            for i in range(n):
                for j in range(i + 1):
                    product = total([mul(line[i], push[j]) for line, push in zip(x_chain, moved, strict=True)])
                    inertia[i][j] = add(inertia[i][j], product)
        if any(element.inertia for element in self.assembly.elements):
            spun = self.elements.inertia(self.field, phi)
            columns = [[row[k] for row in x] for k in range(n)]
            for j in range(n):
                pulled = [dot(row, columns[j]) for row in spun]
                for i in range(j, n):
                    inertia[i][j] = add(inertia[i][j], dot(columns[i], pulled))
        return [[inertia[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]

    def inverse_dynamics(
        self, phi: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar], factors: Reflections
    ) -> list[Scalar]:
        """T_q for this motion."""
        motion = self.motion(phi, qd, qdd, factors)
        return self.carried(motion.x, self.torque(phi, motion.rate, motion.rate2))

    def forward_dynamics(
        self, phi: Sequence[Scalar], qd: Sequence[Scalar], tau: Sequence[Scalar], load: Sequence[Scalar],
        factors: Reflections,
    ) -> tuple[list[Scalar], TransferredMotion]:  # fmt: skip
        """q'' under loads ``tau`` at the coordinates and ``load`` at the joints; the motion at q'' = 0 with it.

        Shafts that stand resist nothing here.
        """
        motion = self.motion(phi, qd, [0] * len(qd), factors)
        inertia = self.inertia(phi, motion.x)
        joint_bias = self.torque(phi, motion.rate, motion.rate2, starting=False)
        bias = self.carried(motion.x, [sub(a, b) for a, b in zip(joint_bias, load, strict=True)])
        paths = factor.DensePaths(self.assembly.n)
        lower, pivots = factor.factor(paths, self.field, inertia)
        return factor.solve(paths, lower, pivots, [sub(a, b) for a, b in zip(tau, bias, strict=True)]), motion

    # -- the whole model ------------------------------------------------------------------------

    def second_influence(
        self, phi: Sequence[Scalar], x: Sequence[Sequence[Scalar]], factors: Reflections
    ) -> list[list[list[Scalar]]]:
        """[H^phi_qq] as [i][j] of m numbers (3-19), for coordinates that are positions: H is symmetric there.

        phi'.[H^w] phi' is a quadratic form of the rates, so its values at X_i and at X_i + X_j give all of it.
        """
        n, half = self.assembly.n, self.field.number(Fraction(1, 2))
        columns = [[row[k] for row in x] for k in range(n)]
        diagonal = [self.rows(phi, column)[2] for column in columns]
        second: list[list[list[Scalar]]] = [[[] for _ in range(n)] for _ in range(n)]
        for i in range(n):
            for j in range(i + 1):
                bend = diagonal[i]
                if i != j:
                    pair = self.rows(phi, [add(a, b) for a, b in zip(columns[i], columns[j], strict=True)])[2]
                    bend = [
                        mul(half, sub(c, add(a, b))) for a, b, c in zip(diagonal[i], diagonal[j], pair, strict=True)
                    ]
                second[i][j] = second[j][i] = factors.solve([sub(0, value) for value in bend])
        return second

    def power(
        self, phi: Sequence[Scalar], x: Sequence[Sequence[Scalar]], second: Sequence[Sequence[Sequence[Scalar]]]
    ) -> list[list[list[Scalar]]]:
        """P*_qqq = X^T . (X^T P* X) + X^T I* . X2 over the chains (4-61), as ``transfer.reduced``."""
        n = self.assembly.n
        power: list[list[list[Scalar]]] = [[[0] * n for _ in range(n)] for _ in range(n)]
        for system, joints in zip(self.systems, self.chains.slices, strict=True):
            x_chain = x[joints]
            columns = [[row[k] for row in x_chain] for k in range(n)]
            bent = system.christoffel(self.field, phi[joints])
            mass = system.mass_matrix(self.field, phi[joints])
            for i in range(n):
                pulled = [[dot(columns[i], [line[c] for line in plane]) for c in range(len(x_chain))] for plane in bent]
                for j in range(i + 1):
                    inner = second[i][j][joints]
                    load = [add(dot(p, columns[j]), dot(row, inner)) for p, row in zip(pulled, mass, strict=True)]
                    for k in range(n):
                        power[k][i][j] = add(power[k][i][j], dot(columns[k], load))
        return [[[plane[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)] for plane in power]

    def applied(self, phi: Sequence[Scalar], rate: Sequence[Scalar]) -> list[Scalar]:
        """T^L_phi: weight, springs, dampers and friction of the open chains."""
        loads = [sub(0, value) for value in self.weight(phi)]
        for system, joints in zip(self.systems, self.chains.slices, strict=True):
            extra: list[Scalar] = [0] * (joints.stop - joints.start)
            if system.elastics:
                extra = list(system.elastic_load(self.field, phi[joints], rate[joints]))
            if system.train is not None:
                speeds = self._directed(rate) if _rubs_dry(system) else rate
                rubbed = system.friction(self.field, phi[joints], speeds[joints], [0] * len(extra))
                extra = [sub(a, b) for a, b in zip(extra, rubbed, strict=True)]
            loads[joints] = [add(a, b) for a, b in zip(loads[joints], extra, strict=True)]
        return loads


def _less_coordinates(w: Sequence[Scalar], q: Sequence[Scalar]) -> list[Scalar]:
    """w - (q, 0): what the coordinates lack, and the closures as they are."""
    return [*(sub(value, target) for value, target in zip(w, q, strict=False)), *w[len(q) :]]


def _rubs_dry(system: SystemOverRing) -> bool:
    """Whether some friction of the drives of a chain has a direction at rest."""
    train = system.train
    return train is not None and any(shaft.dry for shaft in (*train.motor_friction, *train.joint_friction))
