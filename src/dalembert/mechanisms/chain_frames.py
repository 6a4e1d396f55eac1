"""The chains of a mechanism side by side: poses of their frames as functions of one vector of joints phi."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..arm.description import listed
from ..arm.errors import ArmError
from ..arm.io.toml_table import nearest
from ..arm.placement import Matrix, Placement, Vector
from ..systems.arm_system import ArmSystem
from . import jets
from .batch import Array
from .jets import Jet
from .mounting import ChainNumbers

GROUND = "ground"
MOST_JOINTS = 1000
"""Most joints that move in all chains together."""


@dataclass(frozen=True)
class FrameOn:
    """A frame fixed to a link of a chain, at ``at`` in the link's frame; without ``link``, in the tool frame.

    ``chain`` may be "ground": then ``at`` is in the world.
    """

    chain: str
    link: str = ""
    at: Placement = Placement()

    @classmethod
    def of(cls, frame: FrameOn | str) -> FrameOn:
        """From "chain", "chain:link" or "ground"."""
        if isinstance(frame, FrameOn):
            return frame
        chain, _, link = str(frame).partition(":")
        return cls(chain.strip(), link.strip())

    def __str__(self) -> str:
        return f"{self.chain}:{self.link}" if self.link else self.chain


@dataclass(frozen=True)
class Carrier:
    """A frame as numbers: the joints of phi that move it, its chain, body, and rotation and position on the body.

    ``placement`` are the latter two as steps, for any ring.
    """

    joints: NDArray[np.intp]
    chain: int
    body: int
    path: NDArray[np.intp]
    rotation: Array
    position: Array
    placement: Placement

    @property
    def exact(self) -> tuple[Matrix, Vector]:
        """Rotation and position on the body as fractions."""
        return self.placement.exact


PAST = 1e-6
"""How far a joint may be beyond its limits before it counts (rad or m): the rounding of a step."""


class ChainFrames:
    """Chains by name, their joints one after the other in phi, and named frames on them."""

    def __init__(
        self,
        arms: Mapping[str, ArmSystem],
        frames: Mapping[str, FrameOn | str],
        compiled: bool = False,
        joined: Mapping[str, tuple[FrameOn | str, FrameOn | str]] | None = None,
    ) -> None:
        """``joined`` are the frames a and b of closures by name, for coordinates that are motions of their joints."""
        self.joined = dict(joined or {})
        self.arms = dict(arms)
        joints = sum(arm.n for arm in arms.values())
        if joints > MOST_JOINTS:
            raise ArmError(
                f"the chains have {joints} joints that move; at most {MOST_JOINTS} are taken; leave some out"
            )
        self.numbers = [ChainNumbers(arm, compiled) for arm in arms.values()]
        self.names = tuple(arms)
        starts = np.cumsum([0, *(numbers.n for numbers in self.numbers)])
        self.slices = [slice(int(a), int(b)) for a, b in pairwise(starts)]
        self.m = int(starts[-1])
        self.frames = {name: FrameOn.of(frame) for name, frame in frames.items()}
        for name in self.frames:
            if name in self.arms or name == GROUND:
                raise ArmError(f"frame {name!r} has the name of a chain; call it something else")

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the entries of phi, "chain.joint"."""
        return tuple(f"{name}.{joint}" for name, arm in self.arms.items() for joint in arm.joint_names)

    @cached_property
    def revolute(self) -> NDArray[np.bool_]:
        """Joint types in the order of phi: True for revolute, False for prismatic."""
        return np.concatenate([numbers.revolute for numbers in self.numbers])

    @cached_property
    def lower(self) -> Array:
        """Lower position limits (rad or m) in the order of phi; -inf for none."""
        return np.array([joint.limits.lower for arm in self.arms.values() for joint in arm.moving])

    @cached_property
    def upper(self) -> Array:
        """Upper position limits (rad or m) in the order of phi; inf for none."""
        return np.array([joint.limits.upper for arm in self.arms.values() for joint in arm.moving])

    def outermost(self, but: Sequence[int] = ()) -> tuple[Array, Array]:
        """Where joints may be, least and greatest ``(m,)``: limits, and what rounding adds; ``but`` some, anywhere."""
        lower, upper = self.lower - PAST, self.upper + PAST
        lower[list(but)], upper[list(but)] = -np.inf, np.inf
        return lower, upper

    def beyond_limits(self, phi: Array, but: Sequence[int] = ()) -> str:
        """The first joint of one configuration ``(m,)``, ``but`` some, that is beyond its limits; empty if none is."""
        lower, upper = self.outermost(but)
        for outside, bounds in ((phi < lower, self.lower), (phi > upper, self.upper)):
            if outside.any():
                k = int(np.flatnonzero(outside)[0])
                unit = "rad" if self.revolute[k] else "m"
                return f"{self.joint_names[k]} passes its limit of {bounds[k]:.6g} {unit}"
        return ""

    @cached_property
    def effort(self) -> Array:
        """Largest torques (N m) or forces (N) in the order of phi; inf for none."""
        return np.concatenate([arm.effort_limits for arm in self.arms.values()])

    @cached_property
    def velocity(self) -> Array:
        """Largest speeds (rad/s or m/s) in the order of phi; inf for none."""
        return np.concatenate([arm.velocity_limits for arm in self.arms.values()])

    def joint_index(self, name: str) -> int:
        """Index in phi of "chain.joint", or of "joint" where only one chain has it."""
        if name in self.joint_names:
            return self.joint_names.index(name)
        short = [k for k, full in enumerate(self.joint_names) if full.split(".", 1)[1] == name]
        if len(short) == 1:
            return short[0]
        if short:
            raise ArmError(f"several chains have a joint {name!r}; write {listed(self.joint_names[k] for k in short)}")
        raise ArmError(f"no joint {name!r}{nearest(name, self.joint_names)}; the joints are {listed(self.joint_names)}")

    def carrier(self, reference: FrameOn | str) -> Carrier:
        """The numbers of a frame: a ``FrameOn``, the name of a frame, or "chain", "chain:link", "ground"."""
        frame = (
            self.frames[reference] if isinstance(reference, str) and reference in self.frames else FrameOn.of(reference)
        )
        empty = np.zeros(0, dtype=np.intp)
        if frame.chain == GROUND:
            turn, shift = frame.at.exact
            return Carrier(empty, -1, -1, empty, np.array(turn, dtype=float), np.array(shift, dtype=float), frame.at)
        if frame.chain not in self.arms:
            names = (*self.names, GROUND, *self.frames)
            raise ArmError(f"no chain or frame {frame.chain!r}{nearest(frame.chain, names)}; there are {listed(names)}")
        arm = self.arms[frame.chain]
        body, placement = arm.body_of[arm.link(frame.link or arm.tool_link).name]
        placement = placement @ (frame.at if frame.link else arm.tool @ frame.at)
        if body >= 0:
            placement = arm.bodies[body].after @ placement
        turn, shift = placement.exact
        number = self.names.index(frame.chain)
        path = np.array(self.numbers[number].chain.paths[body] if body >= 0 else (), dtype=np.intp)
        return Carrier(
            path + self.slices[number].start,
            number,
            body,
            path,
            np.array(turn, dtype=float),
            np.array(shift, dtype=float),
            placement,
        )

    def place(self, phi: Array) -> JointFrames:
        """All joint frames at these joints ``(b, m)``."""
        return JointFrames(self, phi)


class JointFrames:
    """The joint frames of all chains at a batch of configurations; computed for each chain at first use."""

    def __init__(self, system: ChainFrames, phi: Array) -> None:
        self.chains, self.phi, self.count = system, phi, len(phi)
        self._frames: dict[int, tuple[Array, Array]] = {}

    def frames(self, chain: int) -> tuple[Array, Array]:
        """Axes ``(b, n, 3, 3)`` and origins ``(b, n, 3)`` of a chain's joint frames in the world."""
        if chain not in self._frames:
            self._frames[chain] = self.chains.numbers[chain].frames(self.phi[:, self.chains.slices[chain]])
        return self._frames[chain]

    def pose(self, carrier: Carrier) -> tuple[Array, Array]:
        """Rotation ``(b, 3, 3)`` and position ``(b, 3)`` of a frame."""
        if carrier.body < 0:
            return (
                np.broadcast_to(carrier.rotation, (self.count, 3, 3)),
                np.broadcast_to(carrier.position, (self.count, 3)),
            )
        turns, origins = self.frames(carrier.chain)
        turn = turns[:, carrier.body]
        return turn @ carrier.rotation, origins[:, carrier.body] + turn @ carrier.position

    def joints(self, carrier: Carrier) -> tuple[Array, Array, NDArray[np.bool_]]:
        """Axes and origins of the joints that carry the frame, and which of them turn."""
        turns, origins = self.frames(carrier.chain)
        revolute = self.chains.numbers[carrier.chain].revolute[carrier.path]
        return turns[..., 2][:, carrier.path], origins[:, carrier.path], revolute

    def point(self, carrier: Carrier, order: int) -> Jet:
        """The frame's origin with its influence coefficients in the joints that carry it."""
        _, position = self.pose(carrier)
        if not len(carrier.path):
            return jets.constant(position, self.count, 0, order)
        return jets.point(position, *self.joints(carrier), order)

    def axis(self, carrier: Carrier, k: int, order: int) -> Jet:
        """Axis k of the frame."""
        turn, _ = self.pose(carrier)
        vector = np.ascontiguousarray(turn[:, :, k])
        if not len(carrier.path):
            return jets.constant(vector, self.count, 0, order)
        axes, _, revolute = self.joints(carrier)
        return jets.direction(vector, axes, revolute, order)

    def turning(self, carrier: Carrier, order: int) -> Jet:
        """The frame's rotation: no value (zero), g_n = s_n, h_mn = s_m x s_n for m before n, not symmetric (2-69)."""
        n = len(carrier.path)
        coefficients = [np.zeros((self.count, 3))]
        if not n:
            return jets.constant(coefficients[0], self.count, 0, order)
        axes, _, revolute = self.joints(carrier)
        spin = np.where(revolute[:, None], axes, 0.0)
        coefficients.append(np.swapaxes(spin, 1, 2))
        table = jets.cross(spin[:, :, None], spin[:, None])
        if order >= 2:
            before = np.arange(n)[:, None] < np.arange(n)
            coefficients.append(np.moveaxis(np.where(before[..., None], table, 0.0), -1, 1))
        if order >= 3:
            # d h_mn / d phi_l = s_i x (s_j x s_n), i and j being l and m from the base out; zero unless both carry n.
            deep = jets.cross(spin[:, :, None, None], table[:, None])
            l, m, k = np.meshgrid(*(np.arange(n),) * 3, indexing="ij")  # noqa: E741 - Freeman's index
            picked = deep[:, np.minimum(l, m), np.maximum(l, m), k]
            coefficients.append(np.moveaxis(np.where(((m < k) & (l < k))[..., None], picked, 0.0), -1, 1))
        return Jet(*coefficients)
