"""An arm with all that it carries and all that drives it, over any ring: composed here, once.

    tau = D qdd + h + G + F - Q

D, h and G are those of the links with the loads they hold and, where the drives count, of their rotors
(``rotors.py``) and of the bodies that they move on the links (``moving_bodies.py``); F is the friction of motors and
joints (``friction.py``), Q the load of springs and dampers (``applied_loads.py``). Where joints follow others, all of
it is in the coordinates that are left (``coordinate_map.py``). Whatever computes the dynamics of an arm (numbers,
closed forms, kernels, C, reduced models) asks a ``SystemOverRing``, so nothing that the description has can be left out
on one way and not on another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from ..rings.algebra import Vec, add, dot, matvec, mul, plus, sub, total
from ..rings.dual import Duals, slope_of
from ..rings.ring import Field, Ring, Scalar
from . import (
    applied_loads,
    articulated_body,
    christoffel,
    composite_body,
    composite_motion,
    factor,
    generalized_dalembert,
    kinematics,
    moving_bodies,
    newton_euler,
    regressor,
    rotors,
)
from .chain import Chain, chain
from .coefficients import Christoffel
from .drive_train import RingTrain
from .factor import DensePaths, Paths
from .friction import resistance, resistances
from .rotors import Ratios, Spin

Table = list[list[Scalar]]


class SystemOverRing:
    """One description over one ring, in its coordinates: the pages of the formulations see joints, A q.

    ``links`` may be given where a chain with regrouped inertia is at hand.
    """

    def __init__(
        self,
        arm: ArmDescription,
        ring: Ring,
        parameters: Mapping[str, Scalar] | None = None,
        links: Chain | None = None,
    ) -> None:
        self.arm, self.ring, self.n = arm, ring, arm.n
        self.links = chain(arm, ring, parameters) if links is None else links
        self.coupling = self.links.coupling
        self.train = RingTrain(arm, ring, arm.drive_model, parameters) if arm.counts_drives else None
        self.elastics = applied_loads.elastics(arm, ring, parameters)

    # -- torques ----------------------------------------------------------------------------------

    def torque(
        self,
        ring: Ring,
        q: Sequence[Scalar],
        qd: Sequence[Scalar],
        qdd: Sequence[Scalar],
        method: Callable[..., list[Scalar]] = newton_euler.inverse_dynamics,
        links: Chain | None = None,
        friction_speeds: Sequence[Scalar] | None = None,
        friction_rates: Sequence[Scalar] | None = None,
    ) -> list[Scalar]:
        """tau; ``ring`` may be dual numbers over the ring of the system.

        Friction is that of shafts at joint speeds ``friction_speeds`` where these are given: what a controller feeds
        forward, since the sign of a measured speed about rest is a relay. Shafts that stand then resist nothing, or
        start with the joint accelerations ``friction_rates``.
        """
        torques = self.coupling.load(method(links or self.links, ring, *self.coupling.motion(q, qd, qdd)))
        return self.torque_beyond_links(ring, q, qd, qdd, torques, friction_speeds, friction_rates)

    def torque_beyond_links(
        self,
        ring: Ring,
        q: Sequence[Scalar],
        qd: Sequence[Scalar],
        qdd: Sequence[Scalar],
        links: list[Scalar] | None = None,
        friction_speeds: Sequence[Scalar] | None = None,
        friction_rates: Sequence[Scalar] | None = None,
    ) -> list[Scalar]:
        """What drives, friction, springs and dampers ask for, added to torques of the links where these are given."""
        torques: list[Scalar] = [0] * self.n if links is None else links
        if self.train is not None:
            torques = _sum(torques, self.drive_torque(ring, q, qd, qdd))
        return self.torque_beyond_bodies(ring, q, qd, qdd, torques, friction_speeds, friction_rates)

    def torque_beyond_bodies(
        self,
        ring: Ring,
        q: Sequence[Scalar],
        qd: Sequence[Scalar],
        qdd: Sequence[Scalar],
        bodies: list[Scalar] | None = None,
        friction_speeds: Sequence[Scalar] | None = None,
        friction_rates: Sequence[Scalar] | None = None,
    ) -> list[Scalar]:
        """What friction, springs and dampers ask for, added to torques of all bodies where these are given."""
        torques: list[Scalar] = [0] * self.n if bodies is None else bodies
        if self.train is not None:
            rubbing = (
                self.friction(ring, q, qd, qdd)
                if friction_speeds is None
                else self.friction(ring, q, friction_speeds, friction_rates or [0] * self.n)
            )
            torques = _sum(torques, rubbing)
        if self.elastics:
            torques = _difference(torques, self.elastic_load(ring, q, qd))
        return torques

    def drive_torque(
        self, ring: Ring, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
    ) -> list[Scalar]:
        """What rotors and moving bodies need: inertia, coupling and gyroscopic torques, and the weight of bodies."""
        if self.train is None:
            return [0] * self.n
        motion = self.coupling.motion(q, qd, qdd)
        spun = rotors.torque(self.links, ring, *motion, *self._spins(ring, q))
        if self.train.carried:
            spun = _sum(spun, moving_bodies.torque(self.links, ring, *motion, self.train.carried))
        return self.coupling.load(spun)

    def _spins(self, ring: Ring, q: Sequence[Scalar]) -> tuple[list[Spin], Ratios]:
        """The rotors, with ratios to all joints; those to the coordinates stand at the joints that these are."""
        assert self.train is not None, "only systems that count their drives have rotors"
        spins, ratios = self.train.spins(ring, q)
        second = ratios.second
        return spins, Ratios(
            [self.coupling.spread(row) for row in ratios.first],
            None if second is None else [self.coupling.spread_table(table) for table in second],
        )

    def friction(self, ring: Ring, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> list[Scalar]:
        """F at the joints: friction of the joints themselves, and N^T times that of the motor shafts.

        Zeros for ``qdd`` (structural ones) leave out the starting friction of standing shafts.
        """
        train = self.train
        if train is None or not train.rubs:
            return [0] * self.n
        field: Field = ring  # type: ignore[assignment]
        speeds, rates = self.coupling.joints(qd), self.coupling.joints(qdd)
        torques = self.coupling.load(resistances(field, train.joint_friction, speeds, rates))
        if any(train.motor_friction):
            ratios = train.transmission(ring, q)
            speeds = [dot(row, qd) for row in ratios.first]
            rates = [dot(row, qdd) for row in ratios.first]
            if ratios.second is not None and any(not isinstance(x, int) for x in rates):
                rates = [add(rate, dot(qd, matvec(bend, qd))) for rate, bend in zip(rates, ratios.second, strict=True)]
            braked = []
            for k, row in enumerate(ratios.first):
                shares, pulls = ([mul(n, x) for n, x in zip(row, rate, strict=True)] for rate in (qd, qdd))
                if ratios.second is not None:
                    pulls += [mul(v, x) for v, x in zip(qd, matvec(ratios.second[k], qd), strict=True)]
                braked.append(resistance(field, train.motor_friction[k], speeds[k], rates[k], (shares, pulls)))
            for force, row in zip(braked, ratios.first, strict=True):
                torques = [add(f, mul(ratio, force)) for f, ratio in zip(torques, row, strict=True)]
        return torques

    def elastic_load(self, ring: Ring, q: Sequence[Scalar], qd: Sequence[Scalar]) -> list[Scalar]:
        """Q of springs and dampers."""
        field: Field = ring  # type: ignore[assignment]
        joints, speeds = self.coupling.joints(q), self.coupling.joints(qd)
        return self.coupling.load(applied_loads.elastic_load(self.links, field, joints, speeds, self.elastics))

    # -- coefficients -----------------------------------------------------------------------------

    def mass_matrix(
        self,
        ring: Ring,
        q: Sequence[Scalar],
        links: Chain | None = None,
        method: Callable[..., Table] = composite_body.mass_matrix,
    ) -> Table:
        """D of links and drives."""
        matrix = self.coupling.matrix(method(links or self.links, ring, self.coupling.joints(q)))
        return matrix if self.train is None else _table_sum(matrix, self.drive_matrix(ring, q))

    def drive_matrix(self, ring: Ring, q: Sequence[Scalar]) -> Table:
        """What rotors and moving bodies add to D."""
        if self.train is None:
            return [[0] * self.n for _ in range(self.n)]
        joints = self.coupling.joints(q)
        spun = rotors.mass_matrix(self.links, ring, joints, *self._spins(ring, q))
        if self.train.carried:
            spun = _table_sum(spun, moving_bodies.mass_matrix(self.links, ring, joints, self.train.carried))
        return self.coupling.matrix(spun)

    def christoffel(self, ring: Ring, q: Sequence[Scalar]) -> Christoffel:
        """c_ijk of links and drives."""
        symbols = self.coupling.symbols(christoffel.christoffel(self.links, ring, self.coupling.joints(q)))
        if self.train is None:
            return symbols
        return [_table_sum(a, b) for a, b in zip(symbols, self.drive_christoffel(ring, q), strict=True)]

    def drive_christoffel(self, ring: Ring, q: Sequence[Scalar]) -> Christoffel:
        """What rotors and moving bodies add to c_ijk."""
        if self.train is None:
            return [[[0] * self.n for _ in range(self.n)] for _ in range(self.n)]
        joints = self.coupling.joints(q)
        spun = rotors.christoffel(self.links, ring, joints, *self._spins(ring, q))
        if self.train.carried:
            moved = moving_bodies.christoffel(self.links, ring, joints, self.train.carried)
            spun = [_table_sum(a, b) for a, b in zip(spun, moved, strict=True)]
        return self.coupling.symbols(spun)

    def coriolis_matrix(
        self,
        ring: Ring,
        q: Sequence[Scalar],
        qd: Sequence[Scalar],
        links: Chain | None = None,
        method: Callable[..., Table] = composite_motion.coriolis_matrix,
    ) -> Table:
        """C(q, qd), for which dD/dt - 2C is skew-symmetric."""
        motion = map(self.coupling.joints, (q, qd))
        matrix = self.coupling.product(method(links or self.links, ring, *motion))
        if self.train is None:
            return matrix
        duals = Duals(ring)
        moving = [duals.variable(value, k) for k, value in enumerate(qd)]
        spun = self.drive_torque(duals, q, moving, [0] * self.n)
        half = ring.number(christoffel.HALF)
        return _table_sum(matrix, [[mul(half, slope_of(t, k)) for k in range(self.n)] for t in spun])

    def gravity(
        self,
        ring: Ring,
        q: Sequence[Scalar],
        links: Chain | None = None,
        method: Callable[..., list[Scalar]] = composite_body.gravity,
    ) -> list[Scalar]:
        """G; rotors are balanced, so that their turning does not change it, moving bodies have weight."""
        load = self.coupling.load(method(links or self.links, ring, self.coupling.joints(q)))
        return _sum(load, self.drive_gravity(ring, q)) if self.has_moving_bodies else load

    def drive_translation(self, ring: Ring, q: Sequence[Scalar]) -> tuple[Table, Christoffel]:
        """What the mass centres of moving bodies add to D and c_ijk; all else that drives add turns."""
        points = moving_bodies.translating(self.train.carried) if self.train is not None else ()
        joints = self.coupling.joints(q)
        return (
            self.coupling.matrix(moving_bodies.mass_matrix(self.links, ring, joints, points)),
            self.coupling.symbols(moving_bodies.christoffel(self.links, ring, joints, points)),
        )

    @property
    def has_moving_bodies(self) -> bool:
        """True if the drives count and move bodies on the links."""
        return self.train is not None and bool(self.train.carried)

    def drive_gravity(self, ring: Ring, q: Sequence[Scalar]) -> list[Scalar]:
        """What moving bodies add to G."""
        bodies = self.train.carried if self.train is not None else ()
        return self.coupling.load(moving_bodies.gravity(self.links, ring, self.coupling.joints(q), bodies))

    def drive_potential(self, ring: Ring, q: Sequence[Scalar]) -> Scalar:
        """What moving bodies add to V."""
        bodies = self.train.carried if self.train is not None else ()
        return moving_bodies.potential_energy(self.links, ring, self.coupling.joints(q), bodies)

    def kinetic_energy(self, ring: Ring, q: Sequence[Scalar], qd: Sequence[Scalar]) -> Scalar:
        """T = qd . D qd / 2 (Tourassis and Neuman 1985, eq. 7)."""
        matrix = self.mass_matrix(ring, q)
        return mul(ring.number(christoffel.HALF), dot(qd, matvec(matrix, qd)))

    def kinetic_energy_parts(self, ring: Ring, q: Sequence[Scalar], qd: Sequence[Scalar]) -> tuple[Scalar, Scalar]:
        """K^tran and K^rot (Lee, Lee and Nigam 1982, eq. 10); of drives the mass centres of moving bodies translate."""
        motion = map(self.coupling.joints, (q, qd))
        moving, turning = generalized_dalembert.energies(self.links, ring, *motion)
        if self.train is None:
            return moving, turning
        half = ring.number(christoffel.HALF)
        slid = dot(qd, matvec(self.drive_translation(ring, q)[0], qd))
        spun = sub(dot(qd, matvec(self.drive_matrix(ring, q), qd)), slid)
        return add(moving, mul(half, slid)), add(turning, mul(half, spun))

    def potential_energy(self, field: Field, q: Sequence[Scalar]) -> Scalar:
        """V of gravity and springs."""
        joints = self.coupling.joints(q)
        energy = composite_body.potential_energy(self.links, field, joints)
        if self.has_moving_bodies:
            energy = add(energy, self.drive_potential(field, q))
        if not self.elastics:
            return energy
        return add(energy, applied_loads.elastic_energy(self.links, field, joints, self.elastics))

    # -- motion and parameters of the links ----------------------------------------------------------

    def tool_frame(self, ring: Ring, q: Sequence[Scalar]) -> kinematics.Frame:
        """The tool frame in the base."""
        return kinematics.tool_frame(self.links, ring, self.coupling.joints(q))

    def frames(self, ring: Ring, q: Sequence[Scalar]) -> list[kinematics.Frame]:
        """The frame of each body in the base."""
        return kinematics.frames(self.links, ring, self.coupling.joints(q))

    def jacobian(self, ring: Ring, q: Sequence[Scalar]) -> Table:
        """J = J_J A: linear, then angular velocity of the tool per velocity of a coordinate."""
        return self.coupling.columns(kinematics.jacobian(self.links, ring, self.coupling.joints(q)))

    def jacobian_rate(self, ring: Ring, q: Sequence[Scalar], qd: Sequence[Scalar]) -> Table:
        """dJ/dt = dJ_J/dt A along the motion."""
        return self.coupling.columns(kinematics.jacobian_rate(self.links, ring, *map(self.coupling.joints, (q, qd))))

    def total_mass(self) -> Scalar:
        """Mass of all that moves (kg), with loads and the bodies that drives move; rotors are in their links."""
        carried = self.train.carried if self.train is not None else ()
        return total([*(segment.mass for segment in self.links.segments), *(body.moment[3] for body in carried)])

    def first_moment(self, ring: Ring, q: Sequence[Scalar]) -> Vec:
        """Sum of m r of all that moves, about the base origin."""
        joints = self.coupling.joints(q)
        moment = composite_body.first_moment(self.links, ring, joints)
        if self.train is None or not self.train.carried:
            return moment
        return plus(moment, moving_bodies.first_moment(self.links, ring, joints, self.train.carried))

    def linear_momentum(self, ring: Ring, q: Sequence[Scalar]) -> Table:
        """Linear momentum per velocity of a coordinate; balanced rotors have none of their own."""
        joints = self.coupling.joints(q)
        rows = composite_body.momentum_matrix(self.links, ring, joints)[:3]
        if self.has_moving_bodies and self.train is not None:
            moved = moving_bodies.momentum_matrix(self.links, ring, joints, self.train.carried)[:3]
            rows = _table_sum(rows, moved)
        return self.coupling.columns(rows)

    def momentum_matrix(self, ring: Ring, q: Sequence[Scalar]) -> Table:
        """Linear momentum, and angular momentum about the base origin, per velocity of a coordinate, rotors in."""
        joints = self.coupling.joints(q)
        rows = composite_body.momentum_matrix(self.links, ring, joints)
        if self.train is not None:
            nowhere = self.arm.drives.without_axis(self.arm.drive_model)
            if nowhere:
                raise ArmError(f"{self.arm.where}{self.arm.name}: {rotors.unplaced(nowhere)}")
            rows = _table_sum(rows, rotors.momentum_matrix(self.links, ring, joints, *self._spins(ring, q)))
            rows = _table_sum(rows, moving_bodies.momentum_matrix(self.links, ring, joints, self.train.carried))
        return self.coupling.columns(rows)

    def regressor(self, ring: Ring, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> Table:
        """Y = A^T Y_J with tau = Y pi of the links, a row a coordinate, ten columns a body."""
        motion = self.coupling.motion(q, qd, qdd)
        return self.coupling.lines(regressor.regressor(self.links, ring, *motion))

    # -- accelerations ----------------------------------------------------------------------------

    @cached_property
    def paths(self) -> Paths:
        """Which entries of the factors of D can be other than zero."""
        return self.links if self.by_bodies else DensePaths(self.n)

    @property
    def by_bodies(self) -> bool:
        """True if the joints are coupled by the tree of the bodies alone, not by rotors or as followers."""
        return self.train is None and not self.coupling

    def factored(self, field: Field, matrix: Table) -> tuple[Table, list[Scalar]]:
        """D = L^T diag(d) L, and the inverses of d."""
        return factor.factor(self.paths, field, matrix)

    def solved(self, factors: tuple[Table, list[Scalar]], right: Sequence[Scalar]) -> list[Scalar]:
        """D^-1 right."""
        return factor.solve(self.paths, *factors, right)

    def inverse_mass_matrix(self, field: Field, q: Sequence[Scalar], links: Chain | None = None) -> Table:
        """The inverse of D, symmetric."""
        return factor.inverse_matrix(self.paths, field, self.mass_matrix(field, q, links))

    def acceleration(
        self, field: Field, q: Sequence[Scalar], qd: Sequence[Scalar], tau: Sequence[Scalar]
    ) -> list[Scalar]:
        """qdd = D^-1 (tau - h - G - F + Q), by articulated bodies where nothing else couples the joints.

        Shafts that stand resist nothing here; who sticks is decided with the load (``systems/sticking.py``).
        """
        zero: list[Scalar] = [0] * self.n
        if self.by_bodies:
            drive = _sum(tau, self.elastic_load(field, q, qd)) if self.elastics else list(tau)
            return articulated_body.forward_dynamics(self.links, field, q, qd, drive)
        excess = _difference(tau, self.torque(field, q, qd, zero))
        return self.solved(self.factored(field, self.mass_matrix(field, q)), excess)

    # -- derivatives ------------------------------------------------------------------------------

    def torque_derivatives(
        self,
        ring: Ring,
        q: Sequence[Scalar],
        qd: Sequence[Scalar],
        qdd: Sequence[Scalar],
        links: Chain | None = None,
    ) -> tuple[Table, Table]:
        """d tau/dq and d tau/dqd; d tau/dqdd is D. Coulomb friction is level off rest.

        The links by a recursion; what drives, friction, springs and dampers add, by dual numbers.
        """
        motion = self.coupling.motion(q, qd, qdd)
        link_slopes = composite_motion.torque_derivatives(links or self.links, ring, *motion)
        to_q, to_qd = (self.coupling.product(table) for table in link_slopes)
        if self.train is None and not self.elastics:
            return to_q, to_qd
        added = slopes(self.torque_beyond_links, ring, q, qd, qdd)
        return _table_sum(to_q, added[0]), _table_sum(to_qd, added[1])

    def acceleration_derivatives(
        self, field: Field, q: Sequence[Scalar], qd: Sequence[Scalar], tau: Sequence[Scalar]
    ) -> tuple[Table, Table, Table]:
        """d qdd/dq = -D^-1 d tau/dq, d qdd/dqd = -D^-1 d tau/dqd, d qdd/d tau = D^-1 at qdd(q, qd, tau)."""
        n = self.n
        qdd = self.acceleration(field, q, qd, tau)
        factors = self.factored(field, self.mass_matrix(field, q))

        def answer(columns: Table) -> Table:
            solved = [self.solved(factors, [sub(0, row[k]) for row in columns]) for k in range(n)]
            return [[solved[k][i] for k in range(n)] for i in range(n)]

        to_q, to_qd = self.torque_derivatives(field, q, qd, qdd)
        inverse = [self.solved(factors, [int(i == k) for i in range(n)]) for k in range(n)]
        return answer(to_q), answer(to_qd), inverse


def slopes(
    torque: Callable[..., list[Scalar]], ring: Ring, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> tuple[Table, Table]:
    """The slopes of ``torque(ring, q, qd, qdd)`` to positions and velocities, by dual numbers."""
    n, duals = len(q), Duals(ring)
    x = [duals.variable(value, k) for k, value in enumerate(q)]
    v = [duals.variable(value, n + k) for k, value in enumerate(qd)]
    torques = torque(duals, x, v, qdd)
    return (
        [[slope_of(t, k) for k in range(n)] for t in torques],
        [[slope_of(t, n + k) for k in range(n)] for t in torques],
    )


def _sum(a: Sequence[Scalar], b: Sequence[Scalar]) -> list[Scalar]:
    return [add(x, y) for x, y in zip(a, b, strict=True)]


def _difference(a: Sequence[Scalar], b: Sequence[Scalar]) -> list[Scalar]:
    return [sub(x, y) for x, y in zip(a, b, strict=True)]


def _table_sum(a: Table, b: Table) -> Table:
    return [_sum(r, s) for r, s in zip(a, b, strict=True)]
