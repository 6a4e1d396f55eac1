"""The simplified model of Lee, Lee and Nigam 1982, section 3, built as they say and judged.

"One can simplify the computation of the D_ij matrix by considering only the translational effects for the first three
joints and the rotational effects for the last three joints. Similarly, one can evaluate the contribution of H^tran and
H^rot and eliminate their computations if they are insignificant." An entry D_ij with one joint of each kind takes the
part of the outer one, so that D stays symmetric.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.errors import ArmError
from ..arm.joint_keys import joint_index
from ..arm.lazy_arrays import chunkwise
from ..compile.operations import Operations, count
from ..formulations import generalized_dalembert
from ..formulations.chain import Chain, chain
from ..reduction.states import States
from ..rings.graph import Graph
from ..rings.real import REAL
from ..rings.ring import Ring, Scalar
from ..systems.arm_system import ArmSystem
from ..systems.arrays import evaluate, joint_array
from .certified_ranges import CertifiedRanges

Array = NDArray[np.float64]

KEPT: dict[str, tuple[str, ...]] = {
    "none": (),
    "translational": ("translational",),
    "rotational": ("rotational",),
    "both": generalized_dalembert.PARTS,
}
"""Parts of H that a model keeps, by the word that asks for them."""
SAMPLES = 20_000
"""States at which a model is judged."""


@dataclass(frozen=True)
class SimplifiedError:
    """The torque of one joint by a simplified model: root mean squares and largest values over sampled states."""

    joint: str
    unit: str
    rms: float
    torque_rms: float
    largest: float
    torque_largest: float

    @property
    def share(self) -> float:
        """RMS of the error over RMS of the torque."""
        return self.rms / self.torque_rms if self.torque_rms else 0.0


@chunkwise(inverse_dynamics="q qd qdd", mass_matrix="q")
@dataclass(frozen=True, eq=False, repr=False)
class SimplifiedModel:
    """tau = D_s qdd + the parts of H that are kept + G, with D_s taken from translation or rotation joint by joint.

    ``turning`` are the joints of which rotation counts; of all others it is translation. ``velocity`` is "none",
    "translational", "rotational" or "both". Rotors of drives that count, friction and springs are left as they are.
    """

    system: ArmSystem
    states: States
    turning: tuple[str, ...]
    velocity: str

    def __repr__(self) -> str:
        worst = max((error.share for error in self.errors), default=0.0)
        return (
            f"<SimplifiedModel of {self.system.name!r}: RMS error up to {100 * worst:.3g} percent of a joint's torque>"
        )

    def _repr_html_(self) -> str:
        from ..markup.notebook import framed
        from .simplified_tables import error_table

        return framed(error_table(self))

    @property
    def turning_indices(self) -> frozenset[int]:
        """The joints of ``turning`` among all that move, counted from 0; those that follow them go with them."""
        system = self.system
        return frozenset(
            j for j, coupled in enumerate(system.couplings) if system.joint_names[coupled.coordinate] in self.turning
        )

    def inverse_dynamics(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """Torques (N m or N) of the model."""
        over = self.system.over_reals

        def links(_: object, __: object, *state: Sequence[Scalar]) -> list[Scalar]:
            return self._link_torques(over.links, REAL, *state)

        arrays = [(name, joint_array(self.system, name, x)) for name, x in (("q", q), ("qd", qd), ("qdd", qdd))]
        tau: Array = evaluate(lambda x, v, a: over.torque(REAL, x, v, a, links), arrays)
        return tau

    def _link_torques(self, links: Chain, ring: Ring, *state: Sequence[Scalar]) -> list[Scalar]:
        q, qd, qdd = state
        turning, velocity_parts = self.turning_indices, KEPT[self.velocity]
        return generalized_dalembert.simplified(links, ring, q, qd, qdd, turning, velocity_parts)

    def mass_matrix(self, q: ArrayLike) -> Array:
        """D_s, ``(..., n, n)``; it need not be positive definite."""
        still = np.zeros(self.system.n)
        # Without friction: a shaft that stands and is to start asks for more than inertia.
        rigid = replace(self, system=self.system.frictionless())
        bias = rigid.inverse_dynamics(q, still, still)
        columns = [rigid.inverse_dynamics(q, still, unit) - bias for unit in np.eye(self.system.n)]
        return np.stack(columns, axis=-1)

    @cached_property
    def errors(self) -> tuple[SimplifiedError, ...]:
        """Against the exact torques without friction, at random states of those asked about; found, not proved."""
        rigid = self.system.frictionless()
        state = self.states.samples(SAMPLES)
        exact = rigid.inverse_dynamics(*state)
        wrong = replace(self, system=rigid).inverse_dynamics(*state) - exact
        return tuple(
            SimplifiedError(
                joint.name, "N m" if joint.kind == "revolute" else "N",
                float(np.sqrt(np.mean(wrong[:, i] ** 2))), float(np.sqrt(np.mean(exact[:, i] ** 2))),
                float(np.abs(wrong[:, i]).max()), float(np.abs(exact[:, i]).max()),
            )
            for i, joint in enumerate(self.system.moving)
        )  # fmt: skip

    @cached_property
    def operations(self) -> Operations:
        """Of the links of this arm, generated: constants folded, repeated expressions computed once."""
        graph = Graph()
        states = [graph.inputs(name, self.system.n) for name in ("q", "qd", "qdd")]
        links = chain(self.system, graph)
        torques = links.coupling.load(self._link_torques(links, graph, *links.coupling.motion(*states)))
        return count([graph.node(x) for x in torques])


def simplified(
    ranges: CertifiedRanges, turning: Sequence[str | int] | None = None, velocity: str = "none"
) -> SimplifiedModel:
    """The model; without ``turning``, rotation counts for the joints whose own inertia D_ii is mostly rotation."""
    system = ranges.system
    if velocity not in KEPT:
        raise ArmError(f"velocity can be {', '.join(KEPT)}, not {velocity!r}")
    turning_indices = mostly_turning(ranges) if turning is None else {joint_index(system, joint) for joint in turning}
    names = tuple(name for i, name in enumerate(system.joint_names) if i in turning_indices)
    return SimplifiedModel(system, ranges.states, names, velocity)


def mostly_turning(ranges: CertifiedRanges) -> set[int]:
    """The joints whose own inertia, that of the links, is rotation by more than half: by RMS over sampled poses."""
    system = ranges.system.over_reals

    def diagonals(q: Sequence[Scalar]) -> tuple[list[Scalar], ...]:
        bodies = generalized_dalembert.centred_bodies(system.links, system.frames(REAL, q))
        parts = map(system.coupling.matrix, generalized_dalembert.inertia(system.links, bodies))
        return tuple([row[i] for i, row in enumerate(part)] for part in parts)

    translational, rotational = evaluate(diagonals, [("q", ranges.samples)])
    return {i for i in range(ranges.n) if np.sum(rotational[:, i] ** 2) > np.sum(translational[:, i] ** 2)}
