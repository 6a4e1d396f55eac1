"""``Mechanism``: open chains joined by closures, seen from the coordinates of one's choice (Freeman 1985, ch. IV)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..arm.description import listed
from ..arm.errors import ArmError
from ..arm.force import Force
from ..systems.arrays import vector_array
from . import transfer
from .batch import Array
from .constrained_motion import Drive, MechanismMotion, simulate
from .coordinate_kinematics import CoordinateKinematics
from .linearize import Linear, linearize
from .mobility import Mobility, mobility
from .transfer import TransferredModel

Forces = Mapping[str, Sequence[Force]]
"""Forces on links, by chain."""
NONE: Forces = {}


class Mechanism(CoordinateKinematics):
    """Chains, closures and coordinates, with the dynamics in those coordinates.

        T_q = I*(q) q'' + q'.P*(q) q' - T^L

    phi ``(..., m)`` are the joints of all chains, q ``(..., n)`` the coordinates, in which loads T_q act.
    """

    def model(self, phi: ArrayLike, qd: ArrayLike | None = None, forces: Forces = NONE) -> TransferredModel:
        """I*_qq, P*_qqq and T^L_q (4-61), (4-62); ``qd`` matters only to dampers."""
        loads = self._forces(forces)

        def tables(phi: Array, qd: Array) -> tuple[Array, Array, Array]:
            carried = self.assembly.carried(phi)
            total: TransferredModel | None = None
            for numbers, part, force in zip(self.system.numbers, self.system.slices, loads, strict=True):
                own, own2 = carried.x[:, part], carried.x2[:, part]
                rate = transfer.times(own, qd)
                share = transfer.reduced(numbers.model(phi[:, part], rate, force), own, own2)
                total = share if total is None else total + share
            assert total is not None
            return total.inertia, total.power, total.load

        rate = np.zeros(self.n) if qd is None else qd
        return TransferredModel(*self._flat(tables, self._joints(phi), self._rates("qd", rate)))

    def inverse_dynamics(self, phi: ArrayLike, qd: ArrayLike, qdd: ArrayLike, forces: Forces = NONE) -> Array:
        """T_q ``(..., n)``: the loads at the coordinates that cause this motion."""
        return self._loads(phi, qd, qdd, forces)[..., : self.n]

    def constraint_forces(self, phi: ArrayLike, qd: ArrayLike, qdd: ArrayLike, forces: Forces = NONE) -> Array:
        """T_c ``(..., r)`` (4-31): force (N) or moment (N m) that each closure equation puts on its frame b.

        In the axes of its frame a; ``equation_names`` names them. Where constraints are redundant these are the
        smallest that do it, since rigid bodies alone do not determine them.
        """
        return self._loads(phi, qd, qdd, forces)[..., self.n :]

    def _loads(self, phi: ArrayLike, qd: ArrayLike, qdd: ArrayLike, forces: Forces) -> Array:
        loads = self._forces(forces)

        def act(phi: Array, qd: Array, qdd: Array) -> Array:
            whole, rate, rate2 = self.assembly.moved(phi, qd, qdd)
            return transfer.load(self.joint_loads(phi, rate, rate2, loads), whole)

        return self._flat(act, self._joints(phi), self._rates("qd", qd), self._rates("qdd", qdd))

    def forward_dynamics(self, phi: ArrayLike, qd: ArrayLike, tau: ArrayLike, forces: Forces = NONE) -> Array:
        """q'' ``(..., n)`` under the loads ``tau`` at the coordinates; it undoes ``inverse_dynamics``."""
        loads = self._forces(forces)

        def solve(phi: Array, qd: Array, torque: Array) -> Array:
            if self.assembly.kernel is not None and not forces:
                inertia, rest = self._compiled_rest(phi, qd)
            else:
                whole, rate, rate2 = self.assembly.moved(phi, qd, np.zeros_like(qd))
                x = whole[:, :, : self.n]
                inertia = self._inertia(phi, x)
                rest = transfer.load(self.joint_loads(phi, rate, rate2, loads), x)
            drive = torque - rest
            try:
                return np.linalg.solve(inertia, drive[..., None])[..., 0]
            except np.linalg.LinAlgError:
                raise ArmError(self._weightless(inertia)) from None

        return self._flat(solve, self._joints(phi), self._rates("qd", qd), self._rates("tau", tau))

    def with_passive(self, phi: ArrayLike, qd: ArrayLike, qdd: ArrayLike, forces: Forces = NONE) -> tuple[Array, Array]:
        """T_q and q'' where the passive coordinates carry no load: their entries of ``qdd`` are computed."""
        passive = [
            k for k, name in enumerate(self.coordinates) if name in {" ".join(p.split()) for p in self.parts.passive}
        ]
        wanted = np.broadcast_to(np.asarray(qdd, dtype=float), np.broadcast_shapes(np.shape(qdd), np.shape(qd))).copy()
        wanted[..., passive] = 0.0
        if passive:
            inertia = self.model(phi).inertia
            rest = self.inverse_dynamics(phi, qd, wanted, forces)
            block = inertia[..., passive, :][..., :, passive]
            wanted = np.broadcast_to(wanted, rest.shape).copy()
            wanted[..., passive] = -np.linalg.solve(block, rest[..., passive, None])[..., 0]
        load = self.inverse_dynamics(phi, qd, wanted, forces)
        load[..., passive] = 0.0
        return load, wanted

    def mass_matrix(self, phi: ArrayLike) -> Array:
        """I*_qq ``(..., n, n)``: the inertia matrix in the coordinates."""
        return self.model(phi).inertia

    def bias(self, phi: ArrayLike, qd: ArrayLike, forces: Forces = NONE) -> Array:
        """The loads at the coordinates that cause no acceleration of them."""
        return self.inverse_dynamics(phi, qd, np.zeros(self.n), forces)

    def gravity_load(self, phi: ArrayLike) -> Array:
        """The loads at the coordinates that balance gravity and springs at rest."""
        return self.bias(phi, np.zeros(self.n))

    def energy(self, phi: ArrayLike, qd: ArrayLike) -> Array:
        """Kinetic and potential energy (J) together."""

        def total(phi: Array, qd: Array) -> Array:
            _, rate, _ = self.assembly.moved(phi, qd, np.zeros_like(qd))
            return self.joint_energy(phi, rate)

        return self._flat(total, self._joints(phi), self._rates("qd", qd))

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

    def linearize(self, phi: ArrayLike, qd: ArrayLike | None = None, qdd: ArrayLike | None = None) -> Linear:
        """The exact linear model about a state, in the coordinates."""
        rest = np.zeros(self.n)
        return linearize(self, phi, rest if qd is None else qd, rest if qdd is None else qdd)

    def mobility(self, phi: ArrayLike | None = None) -> Mobility:
        """Freedoms counted and measured, at ``phi`` (home by default)."""
        return mobility(self.assembly, self.home if phi is None else vector_array(self.m, "phi", phi))

    # -- in the joints --------------------------------------------------------------------------

    def joint_loads(self, phi: Array, rate: Array, rate2: Array, loads: Sequence[Sequence[Force]]) -> Array:
        """T_phi ``(b, m)`` of the open chains for this motion."""
        found = [
            numbers.torque(phi[:, part], rate[:, part], rate2[:, part], force)
            for numbers, part, force in zip(self.system.numbers, self.system.slices, loads, strict=True)
        ]
        return np.concatenate(found, axis=1)

    def joint_energy(self, phi: Array, rate: Array) -> Array:
        """Kinetic and potential energy (J) of the open chains together, ``(b,)``, at joint rates phi'."""
        return np.sum(
            [
                numbers.kinetic_energy(phi[:, part], rate[:, part]) + numbers.potential_energy(phi[:, part])
                for numbers, part in zip(self.system.numbers, self.system.slices, strict=True)
            ],
            axis=0,
        )

    def joint_inertia(self, phi: Array) -> Array:
        """The inertia matrix ``(b, m, m)`` of the open chains side by side."""
        found = np.zeros((len(phi), self.m, self.m))
        for numbers, part in zip(self.system.numbers, self.system.slices, strict=True):
            found[:, part, part] = numbers.mass_matrix(phi[:, part])
        return found

    def _compiled_rest(self, phi: Array, qd: Array) -> tuple[Array, Array]:
        """I*_qq and the loads at q'' = 0, by the one kernel of the mechanism."""
        kernel = self.assembly.kernel
        assert kernel is not None
        placed = self.system.place(phi)
        whole = self.assembly.whole(placed)
        x = whole[:, :, : self.n]
        rate = (x @ qd[:, :, None])[:, :, 0]
        _, _, drift, inertia, rest = kernel.state(phi, rate)
        rate2 = -whole @ self.assembly.bent(placed, rate, drift)[:, :, None]
        turned = transfer.transposed(x)
        return turned @ inertia @ x, (turned @ (rest[:, :, None] + inertia @ rate2))[:, :, 0]

    def _inertia(self, phi: Array, x: Array) -> Array:
        total = np.zeros((len(phi), x.shape[2], x.shape[2]))
        for numbers, part in zip(self.system.numbers, self.system.slices, strict=True):
            total += transfer.inertia(numbers.mass_matrix(phi[:, part]), x[:, part])
        return total

    def _forces(self, forces: Forces) -> list[Sequence[Force]]:
        for chain in forces:
            if chain not in self.system.names:
                raise ArmError(f"force on {chain!r}: no such chain; the chains are {listed(self.system.names)}")
        for force in (force for given in forces.values() for force in given):
            if np.ndim(force.force) != 1 or np.ndim(force.moment) != 1:
                raise ArmError(
                    f"the force on link {force.link!r} must be one vector for all states; call once per force"
                )
        return [forces.get(chain, ()) for chain in self.system.names]

    def _weightless(self, inertia: Array) -> str:
        smallest = np.linalg.eigvalsh(inertia)[:, 0]
        _, vectors = np.linalg.eigh(inertia[int(np.argmin(smallest))])
        name = self.coordinates[int(np.argmax(np.abs(vectors[:, 0])))]
        return (
            f"coordinate {name!r} moves no inertia, so its acceleration is not determined; give the links it moves mass"
        )
