"""``Mechanism``: open chains joined by closures, seen from the coordinates of one's choice (Freeman 1985, ch. IV)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from ..arm.array_input import common_shape
from ..arm.description import listed
from ..arm.errors import ArmError
from ..arm.force import Force
from ..arm.lazy_arrays import chunkwise
from ..systems.arrays import one_state, vector_array
from ..systems.contacts import contact_speeds, stiction_corrected
from . import transfer
from .arm_words import refuse_word
from .batch import Array
from .constrained_motion import Drive, MechanismMotion, simulate
from .element_loads import element_model
from .equilibrium import equilibrium
from .linearize import derivatives
from .mechanism_friction import beyond_rounding, contact_influence
from .mechanism_momentum import MechanismMomentum
from .mobility import Mobility, mobility
from .transfer import TransferredModel

if TYPE_CHECKING:
    from ..linear.linear_model import LinearModel
    from .mechanism_system import MechanismSystem

Forces = Mapping[str, Sequence[Force]]
"""Forces on links, by chain."""
NONE: Forces = {}


@chunkwise(
    bias="phi qd", center_of_mass="phi", center_of_mass_jacobian="phi", closed_near="phi", closure_error="phi",
    constraint_forces="phi qd qdd", contact_drift="phi rate", contact_rows="phi", coordinate_contact_drift="phi qd",
    coordinate_contact_rows="phi", coordinates_of="phi", energy="phi qd", first_influence="phi",
    forward_dynamics="phi qd tau", forward_dynamics_derivatives="phi qd tau", friction_torque="phi qd",
    gravity_load="phi", influence="phi", inverse_dynamics="phi qd qdd", inverse_dynamics_derivatives="phi qd qdd",
    joint_energy="phi rate", joint_inertia="phi", joint_motion="phi qd qdd", joint_jerk="phi qd qdd qddd",
    kinetic_energy="phi qd",
    mass_matrix="phi", model="phi qd", momentum="phi qd", momentum_matrix="phi", position="q", potential_energy="phi",
    third_order="phi", viscous_matrix="phi", with_passive="phi qd qdd", frame="phi", frame_influence="phi",
)  # fmt: skip
class Mechanism(MechanismMomentum):
    """Chains, closures and coordinates, with the dynamics in those coordinates.

        T_q = I*(q) q'' + q'.P*(q) q' - T^L

    phi ``(..., m)`` are the joints of all chains, q ``(..., n)`` the coordinates, in which loads T_q act.
    """

    if not TYPE_CHECKING:  # for a type checker a name that is not there stays an error

        def __getattr__(self, word: str) -> NoReturn:
            refuse_word(word)

    def _lazy_probe(self, name: str) -> Array | None:
        """A closed state, at which the shapes of answers to Dask arrays are asked."""
        return {"phi": self.home, "q": self.coordinates_of(self.home)}.get(name)

    def model(self, phi: ArrayLike, qd: ArrayLike | None = None, forces: Forces = NONE) -> TransferredModel:
        """I*_qq, P*_qqq and T^L_q (4-61), (4-62); ``qd`` matters to dampers and friction alone."""
        loads = self._forces(forces)

        # Turns have second-order coefficients that are not symmetric; the kernel has the symmetric ones.
        turns = any(not coordinate.has_position for coordinate in self.assembly.coordinates)

        def tables(phi: Array, qd: Array) -> tuple[Array, ...]:
            # P* and T^L of springs and rotors between chains are put together below alone.
            code = self.assembly.map
            if code is not None and not forces and not turns and not self.elements and code.is_short("model"):
                compiled = code.tables("model", phi, qd)
                if compiled is not None:
                    inertia, power, load = compiled
                    return inertia, power.reshape(len(phi), self.n, self.n, self.n), load
            carried = self.assembly.carried(phi)
            total: TransferredModel | None = None
            for (numbers, joints), force in zip(self._chain_slices(), loads, strict=True):
                x_chain, x2_chain = carried.x[:, joints], carried.x2[:, joints]
                rate = transfer.times(x_chain, qd)
                chain_model = transfer.reduced(numbers.model(phi[:, joints], rate, force), x_chain, x2_chain)
                total = chain_model if total is None else total + chain_model
            assert total is not None
            if self.elements:
                total = total + element_model(self.elements, carried, phi, qd)
            return total.inertia, total.power, total.load

        rate = np.zeros(self.n) if qd is None else qd
        return TransferredModel(*self.batched(tables, self._joints(phi), self._rates("qd", rate)))

    def inverse_dynamics(self, phi: ArrayLike, qd: ArrayLike, qdd: ArrayLike, forces: Forces = NONE) -> Array:
        """T_q ``(..., n)``: the loads at the coordinates that cause this motion."""
        if self.assembly.map is not None and not forces:
            loads = self.assembly.map.single_state("inverse_dynamics", phi, qd, qdd)
            if loads is not None:
                return loads

        def act(*state: Array) -> Array:
            return self._loads(forces)(*state)[:, : self.n]

        arguments = self._joints(phi), self._rates("qd", qd), self._rates("qdd", qdd)
        return self._evaluated("inverse_dynamics", not forces, act, *arguments)

    def constraint_forces(self, phi: ArrayLike, qd: ArrayLike, qdd: ArrayLike, forces: Forces = NONE) -> Array:
        """T_c ``(..., r)`` (4-31): force (N) or moment (N m) that each closure equation puts on its frame b.

        In the axes of its frame a; ``equation_names`` names them. Where constraints are redundant these are the
        smallest that do it, since rigid bodies alone do not determine them.
        """
        arguments = self._joints(phi), self._rates("qd", qd), self._rates("qdd", qdd)
        return self.batched(self._loads(forces), *arguments)[..., self.n :]

    def _loads(self, forces: Forces) -> Callable[[Array, Array, Array], Array]:
        """The loads at coordinates and closures as a function of phi, q' and q''."""
        loads = self._forces(forces)

        def act(phi: Array, qd: Array, qdd: Array) -> Array:
            x_w, rate, rate2 = self.assembly.joint_motion(phi, qd, qdd)
            if self.contacts:
                rate, rate2 = beyond_rounding(rate), beyond_rounding(rate2)
            return transfer.load(self.joint_loads(phi, rate, rate2, loads), x_w)

        return act

    def forward_dynamics(self, phi: ArrayLike, qd: ArrayLike, tau: ArrayLike, forces: Forces = NONE) -> Array:
        """q'' ``(..., n)`` under the loads ``tau`` at the coordinates; it undoes ``inverse_dynamics``.

        Shafts with Coulomb friction that stand stick or start, as load and closures have it (``systems/sticking.py``).
        """
        if self.assembly.map is not None and not forces and not self.contacts:
            acceleration = self.assembly.map.single_state("forward_dynamics", phi, qd, tau)
            if acceleration is not None:
                return acceleration

        def solve(phi: Array, qd: Array, torque: Array) -> Array:
            loads = self._forces(forces)
            x, rate, rate2, inertia, bias = self._at_zero_acceleration(phi, qd, loads)
            try:
                qdd = np.linalg.solve(inertia, (torque - bias)[..., None])[..., 0]
            except np.linalg.LinAlgError:
                raise ArmError(self._massless_coordinate(inertia)) from None
            if not self.contacts:
                return qdd
            rows = self.contact_rows(phi)
            turned = contact_influence(rows, x)
            drift = transfer.times(rows, rate2) + self.contact_drift(phi, rate)
            drift = np.where(turned.any(axis=-1), drift, 0.0)
            speeds = contact_speeds(rows, beyond_rounding(rate))
            return stiction_corrected(self.contacts, turned, drift, speeds, qdd, lambda state: inertia[state])

        smooth = not forces and not self.contacts
        arguments = self._joints(phi), self._rates("qd", qd), self._rates("tau", tau)
        return self._evaluated("forward_dynamics", smooth, solve, *arguments)

    def with_passive(
        self, phi: ArrayLike, qd: ArrayLike, qdd: ArrayLike, forces: Forces = NONE, resisting: Array | None = None
    ) -> tuple[Array, Array]:
        """T_q and q'' where the passive coordinates carry no load: their entries of ``qdd`` are computed.

        ``resisting`` are further loads at the coordinates that have to be overcome.
        """
        common_shape([("phi", np.asarray(phi)), ("qd", np.asarray(qd)), ("qdd", np.asarray(qdd))])
        passive = self.passive_indices
        acceleration = np.broadcast_to(
            np.asarray(qdd, dtype=float), np.broadcast_shapes(np.shape(qdd), np.shape(qd))
        ).copy()
        acceleration[..., passive] = 0.0
        extra_load = np.zeros(self.n) if resisting is None else resisting
        if passive:
            inertia = self.model(phi).inertia
            bias = self.inverse_dynamics(phi, qd, acceleration, forces) + extra_load
            block = inertia[..., passive, :][..., :, passive]
            acceleration = np.broadcast_to(acceleration, bias.shape).copy()
            acceleration[..., passive] = -np.linalg.solve(block, bias[..., passive, None])[..., 0]
        load = self.inverse_dynamics(phi, qd, acceleration, forces) + extra_load
        load[..., passive] = 0.0
        return load, acceleration

    def mass_matrix(self, phi: ArrayLike) -> Array:
        """I*_qq ``(..., n, n)``: the inertia matrix in the coordinates."""
        if self.assembly.map is not None:
            inertia = self.assembly.map.single_state("mass_matrix", phi)
            if inertia is not None:
                return inertia

        def tables(phi: Array) -> Array:
            return np.asarray(transfer.inertia(self.joint_inertia(phi), self.first_influence(phi)))

        return self._evaluated("mass_matrix", True, tables, self._joints(phi))

    def bias(self, phi: ArrayLike, qd: ArrayLike, forces: Forces = NONE) -> Array:
        """The loads at the coordinates that cause no acceleration of them; standing shafts resist nothing."""
        loads = self._forces(forces)

        def bias_at(phi: Array, qd: Array) -> Array:
            return self._at_zero_acceleration(phi, qd, loads)[-1]

        return self.batched(bias_at, self._joints(phi), self._rates("qd", qd))

    def gravity_load(self, phi: ArrayLike) -> Array:
        """The loads at the coordinates that hold the weight of the chains."""

        def weight_load(phi: Array) -> Array:
            weights = [numbers.gravity(phi[:, joints]) for numbers, joints in self._chain_slices()]
            return transfer.load(np.concatenate(weights, axis=1), self.first_influence(phi))

        return self._evaluated("gravity_load", True, weight_load, self._joints(phi))

    def kinetic_energy(self, phi: ArrayLike, qd: ArrayLike) -> Array:
        """T (J)."""

        if self.assembly.map is not None:
            rate = vector_array(self.n, "qd", qd, "coordinate")
            return np.asarray(0.5 * np.einsum("...i,...ij,...j->...", rate, self.mass_matrix(phi), rate))

        def total(phi: Array, qd: Array) -> Array:
            return self._kinetic(phi, transfer.times(self.first_influence(phi), qd))

        return self.batched(total, self._joints(phi), self._rates("qd", qd))

    def potential_energy(self, phi: ArrayLike) -> Array:
        """V (J) of gravity and springs."""

        def tables(phi: Array) -> Array:
            return self._potential(phi)[:, None]

        return self._evaluated("potential_energy", True, tables, self._joints(phi))[..., 0]

    def energy(self, phi: ArrayLike, qd: ArrayLike) -> Array:
        """Kinetic and potential energy (J) together."""
        return self.kinetic_energy(phi, qd) + self.potential_energy(phi)

    def as_system(self, near: ArrayLike | None = None, *, motors: bool = False) -> MechanismSystem:
        """The mechanism as a system in its coordinates q, in the assembly mode of the joints ``near`` (home).

        It is simulated, controlled and linearized as an arm is: ``da.simulate(mechanism.as_system(), ...)``. Its inputs
        are loads at the coordinates, or with ``motors`` what its motors give: torques, currents or voltages.
        """
        from .driven_mechanism import DrivenMechanism
        from .mechanism_system import MechanismSystem

        return DrivenMechanism(self, near) if motors else MechanismSystem(self, near)

    # -- in time and about a state --------------------------------------------------------------

    def simulate(
        self,
        t: ArrayLike,
        phi: ArrayLike,
        qd: ArrayLike,
        drive: Drive | None = None,
        forces: Forces = NONE,
        rtol: float = 1e-10,
        atol: float = 1e-12,
    ) -> MechanismMotion:
        """The motion from joints ``phi`` and rates ``qd``, under loads ``drive(t, q, qd)`` at the coordinates."""
        return simulate(self, t, phi, qd, drive, forces, rtol, atol)

    def inverse_dynamics_derivatives(
        self, phi: ArrayLike, qd: ArrayLike, qdd: ArrayLike, forces: Forces = NONE
    ) -> tuple[Array, Array, Array]:
        """dT/dq, dT/dq', dT/dq'', each ``(..., n, n)``, exact (Freeman 1985, eqs 2-201 ff and 3-47).

        Of a coordinate that turns, dq is a small rotation. ``forces`` keep their components while their points move.
        """
        loads = self._forces(forces)

        def tables(phi: Array, qd: Array, qdd: Array) -> tuple[Array, Array, Array]:
            return derivatives(self, phi, qd, qdd, loads)

        return self.batched(tables, self._joints(phi), self._rates("qd", qd), self._rates("qdd", qdd))

    def forward_dynamics_derivatives(
        self, phi: ArrayLike, qd: ArrayLike, tau: ArrayLike, forces: Forces = NONE
    ) -> tuple[Array, Array, Array]:
        """dq''/dq, dq''/dq', dq''/dT, each ``(..., n, n)``, exact: -I*^-1 dT/dq, -I*^-1 dT/dq', I*^-1."""
        qdd = self.forward_dynamics(phi, qd, tau, forces)
        to_q, to_qd, inertia = self.inverse_dynamics_derivatives(phi, qd, qdd, forces)
        inverse = np.linalg.inv(inertia)
        return -inverse @ to_q, -inverse @ to_qd, inverse

    def linearize(
        self,
        phi: ArrayLike,
        qd: ArrayLike | None = None,
        tau: ArrayLike | None = None,
        *,
        input: str | None = None,
        width: float | None = None,
        forces: Forces = NONE,
        disturbances: Forces = NONE,
    ) -> LinearModel:
        """The linear model about joints ``phi`` and rates ``qd`` under loads ``tau`` at the coordinates.

        Without ``tau`` those that hold the state; passive coordinates carry none. ``input`` is "joint torque" (loads at
        the coordinates, the default), "motor torque" or "voltage" (motors of chains whose drives count; currents are
        then states), ``width`` smooths Coulomb friction. ``forces`` act at the links; deviations of ``disturbances``,
        which act too, are further inputs. The state of a coordinate that turns is a small rotation and its rate.
        """
        from .linear_models import linear_model

        return linear_model(self, phi, qd, tau, input, width, forces, disturbances)

    def equilibrium(self, tau: ArrayLike | None = None, phi: ArrayLike | None = None, forces: Forces = NONE) -> Array:
        """Joints ``(m,)`` near ``phi`` (home) at which loads ``tau`` at the coordinates (none) hold it at rest."""
        load = np.zeros(self.n) if tau is None else one_state(self.n, "tau", tau, "coordinate")
        return equilibrium(self, load, self.home if phi is None else one_state(self.m, "phi", phi), forces)

    def mobility(self, phi: ArrayLike | None = None) -> Mobility:
        """Freedoms counted and measured, at one configuration ``phi`` (home by default)."""
        return mobility(self.assembly, self.home if phi is None else one_state(self.m, "phi", phi))

    # -- in the joints --------------------------------------------------------------------------

    def joint_loads(self, phi: Array, rate: Array, rate2: Array, loads: Sequence[Sequence[Force]]) -> Array:
        """T_phi ``(b, m)`` of the open chains for this motion."""
        torques = [
            numbers.torque(phi[:, joints], rate[:, joints], rate2[:, joints], force)
            for (numbers, joints), force in zip(self._chain_slices(), loads, strict=True)
        ]
        total = np.concatenate(torques, axis=1)
        if self.elements:
            total = total - self.elements.load(phi, rate) + transfer.times(self.elements.inertia(phi), rate2)
        return total

    def joint_energy(self, phi: Array, rate: Array) -> Array:
        """Kinetic and potential energy (J) of the open chains together, ``(b,)``, at joint rates phi'."""
        return self._kinetic(phi, rate) + self._potential(phi)

    def _kinetic(self, phi: Array, rate: Array) -> Array:
        total = np.sum(
            [n.kinetic_energy(phi[:, joints], rate[:, joints]) for n, joints in self._chain_slices()], axis=0
        )
        if self.elements.rotates:
            total = total + np.einsum("bi,bij,bj->b", rate, self.elements.inertia(phi), rate) / 2
        return np.asarray(total)

    def _potential(self, phi: Array) -> Array:
        total = np.sum([numbers.potential_energy(phi[:, joints]) for numbers, joints in self._chain_slices()], axis=0)
        return np.asarray(total + self.elements.energy(phi) if self.elements else total)

    def joint_state(
        self, phi: Array, rate: Array, loads: Sequence[Sequence[Force]]
    ) -> tuple[Array, Array, Array, Array]:
        """[G^c], phi'.[H^c] phi', I* and the loads at phi'' = 0 of the open chains; standing shafts resist nothing."""
        if self.assembly.kernel is not None:
            _, g, drift, inertia, bias = self.assembly.kernel.state(phi, rate)
        else:
            g, drift = self.assembly.drift(phi, rate)
            inertia = self.joint_inertia(phi)
            bias = np.concatenate(
                [n.bias(phi[:, joints], rate[:, joints]) for n, joints in self._chain_slices()], axis=1
            )
        bias = bias - self._force_load(phi, loads)
        if self.elements:
            bias = bias - self.elements.load(phi, rate)
            if self.assembly.kernel is not None:  # else they are in the joints' inertia already
                inertia = inertia + self.elements.inertia(phi)
        return g, drift, inertia, bias

    def _force_load(self, phi: Array, loads: Sequence[Sequence[Force]]) -> Array:
        """T^L_phi ``(b, m)`` of forces on links."""
        if not any(loads):
            return np.zeros_like(phi)
        acting = [n.force_load(phi[:, joints], f) for (n, joints), f in zip(self._chain_slices(), loads, strict=True)]
        return np.concatenate(acting, axis=1)

    def joint_inertia(self, phi: Array) -> Array:
        """The inertia matrix ``(b, m, m)`` of the open chains side by side."""
        inertia = np.zeros((len(phi), self.m, self.m))
        for numbers, joints in self._chain_slices():
            inertia[:, joints, joints] = numbers.mass_matrix(phi[:, joints])
        return inertia + self.elements.inertia(phi) if self.elements.rotates else inertia

    def _evaluated(
        self, name: str, compiled: bool, function: Callable[..., Array], *arguments: tuple[str, ArrayLike, int, str]
    ) -> Array:
        """``function`` of flat batches; by the kernel ``name`` where it is ``compiled`` and answers."""
        if compiled and self.assembly.map is not None:
            result = self.assembly.map.answer(name, function, *(values for _, values, _, _ in arguments))
            if result is not None:
                return result
        return np.asarray(self.batched(function, *arguments))

    def _at_zero_acceleration(
        self, phi: Array, qd: Array, loads: Sequence[Sequence[Force]]
    ) -> tuple[Array, Array, Array, Array, Array]:
        """[G^phi_q], phi', phi'' at q'' = 0, I*_qq, and the loads at the coordinates then."""
        if self.assembly.map is not None:
            tables = self.assembly.map.tables("transfer", phi, qd, self._force_load(phi, loads))
            if tables is not None:
                x, rate, rate2, inertia, coordinate_bias = tables
                return x, rate, rate2, inertia, coordinate_bias
        placed = self.chains.place(phi)
        x_w = self.assembly.x_w(phi)
        x = x_w[:, :, : self.n]
        rate = transfer.times(x, qd)
        rate = beyond_rounding(rate) if self.contacts else rate
        _, drift, joint_inertia, bias = self.joint_state(phi, rate, loads)
        rate2 = -transfer.times(x_w, self.assembly.full_drift(placed, rate, drift))
        coordinate_bias = transfer.load(bias + transfer.times(joint_inertia, rate2), x)
        return x, rate, rate2, transfer.inertia(joint_inertia, x), coordinate_bias

    def _forces(self, forces: Forces) -> list[Sequence[Force]]:
        """The forces on each chain in the order of the chains, in the axes of the world."""
        for chain in forces:
            if chain not in self.chains.names:
                raise ArmError(f"force on {chain!r}: no such chain; the chains are {listed(self.chains.names)}")
        for force in (force for chain_forces in forces.values() for force in chain_forces):
            if np.ndim(force.force) != 1 or np.ndim(force.moment) != 1:
                raise ArmError(
                    f"the force on link {force.link!r} must be one vector for all states; call once per force"
                )
        return [[self._in_world(chain, force) for force in forces.get(chain, ())] for chain in self.chains.names]

    def _in_world(self, chain: str, force: Force) -> Force:
        """A force in the axes of a chain's base, in those of the world."""
        base = self.parts.bases.get(chain)
        if force.axes != "base" or base is None:
            return force
        turn = np.array(base.exact[0], dtype=float)
        push, twist = (turn @ np.asarray(part, dtype=float) for part in (force.force, force.moment))
        return replace(force, force=push, moment=twist, axes="world")

    def _massless_coordinate(self, inertia: Array) -> str:
        smallest = np.linalg.eigvalsh(inertia)[:, 0]
        _, vectors = np.linalg.eigh(inertia[int(np.argmin(smallest))])
        name = self.coordinates[int(np.argmax(np.abs(vectors[:, 0])))]
        return (
            f"coordinate {name!r} moves no inertia, so its acceleration is not determined; give the links it moves mass"
        )
