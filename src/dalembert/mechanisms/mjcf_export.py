"""A mechanism as MJCF for MuJoCo: chains as bodies, closures as equality constraints between sites, gears as joints.

What MJCF cannot say is refused: of the closures it has welds and balls, a hinge being two balls on its axis, and in a
plane a pin is a ball. A body without inertia gives its joint to the body it carries.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial.transform import Rotation

from ..arm.errors import ArmError
from ..arm.io.whole_files import write_whole
from ..formulations.chain import Segment
from ..markup.elements import Html, tag
from .batch import Array
from .chain_frames import Carrier
from .gears import Gear, GearNumbers
from .loop_closures import KINDS, ClosureNumbers

if TYPE_CHECKING:
    from .mechanism import Mechanism

HINGE = 0.1
"""How far apart the two balls of a hinge are (m)."""


def mechanism_mjcf(mechanism: Mechanism) -> str:
    """The model as text; joints keep their names and their zeros."""
    for name, arm in mechanism.chains.arms.items():
        if arm.counts_drives or arm.elastic:
            raise ArmError(
                f"chain {name!r} has drives or springs, which this MJCF does not hold; write without_drives(), of "
                "arms without_elastic()"
            )
    if mechanism.assembly.elements:
        name = mechanism.assembly.elements[0].name
        raise ArmError(f"{name!r} acts between chains, which this MJCF does not hold; write the mechanism without it")
    writer = _Writer(mechanism)
    gravity = mechanism.chains.numbers[0].chain.gravity
    bodies = [part for number in range(len(mechanism.chains.names)) for part in writer.chain(number)]
    root = tag(
        "mujoco",
        tag("compiler", angle="radian", balanceinertia="false"),
        tag("option", gravity=_text(gravity)),
        tag("worldbody", *writer.sites.get((-1, -1), ()), *bodies),
        tag("equality", *writer.ties),
        model=mechanism.name,
    )
    return f"{root}\n"


def write_mjcf(mechanism: Mechanism, path: str | Path) -> None:
    """Write the model."""
    write_whole(path, mechanism_mjcf(mechanism))


class _Writer:
    """Sites and constraints first, then bodies with their sites."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.sites: dict[tuple[int, int], list[Html]] = {}
        self.ties: list[Html] = []
        for closure in mechanism.assembly.closures:
            if isinstance(closure, GearNumbers):
                self._gear(closure)
            else:
                self._closure(closure)

    def _gear(self, gear: GearNumbers) -> None:
        names, closure = self.mechanism.joint_names, gear.closure
        if not isinstance(closure, Gear):
            raise ArmError(
                f"coupling {closure.name!r} keeps a sum of joints, which MJCF does not hold; write it as a gear"
            )
        follower, master = (names[self.mechanism.chains.joint_index(j)] for j in (closure.joint, closure.master))
        terms = (
            f"{float(gear.offset)!r} {float(-gear.slopes[self.mechanism.chains.joint_index(closure.master)])!r} 0 0 0"
        )
        self.ties.append(tag("joint", joint1=follower, joint2=master, polycoef=terms))

    def _closure(self, closure: ClosureNumbers) -> None:
        tie = closure.closure
        if tie.held == KINDS["fixed"]:
            self.ties.append(tag("weld", **self._pair(closure, 0.0)))
        elif tie.held == KINDS["spherical"] or (tie.held == KINDS["pin"] and self._is_planar(closure)):
            self.ties.append(tag("connect", **self._pair(closure, 0.0)))
        elif tie.held == KINDS["revolute"]:
            self.ties += [tag("connect", **self._pair(closure, along)) for along in (-HINGE / 2, HINGE / 2)]
        else:
            raise ArmError(
                f"closure {tie.name!r} holds {' '.join(tie.held)}, for which MJCF has no constraint; it has fixed, "
                f"spherical and revolute, and pin in a plane"
            )

    def _is_planar(self, closure: ClosureNumbers) -> bool:
        """True if the frames stay in one plane, so that a ball holds no more than the pin."""
        rng = np.random.default_rng(0)
        phi = rng.uniform(-1, 1, (3, self.mechanism.m))
        placed = self.mechanism.chains.place(phi)
        (turn, a), (turn_b, b) = placed.pose(closure.a), placed.pose(closure.b)
        axes = np.concatenate([turn[:, :, 2], turn_b[:, :, 2]])
        return bool(np.allclose(np.cross(axes, axes[0]), 0) and np.allclose((b - a) @ axes[0], 0))

    def _pair(self, closure: ClosureNumbers, along: float) -> dict[str, str]:
        """A site at each frame, ``along`` its z axis (m)."""
        sites = {}
        for key, end in (("site1", closure.a), ("site2", closure.b)):
            name = f"{closure.closure.name}.{key}.{len(self.ties)}"
            position = end.position + along * end.rotation[:, 2]
            site = tag("site", name=name, pos=_text(position), quat=_text(_quaternion(end.rotation)))
            self.sites.setdefault(_body(end), []).append(site)
            sites[key] = name
        return sites

    def chain(self, number: int) -> list[Html]:
        """The bodies of a chain on the world."""
        segments = self.mechanism.chains.numbers[number].chain.segments
        return [self._element(number, k) for k, segment in enumerate(segments) if segment.parent < 0]

    def _element(self, number: int, root: int) -> Html:
        """The body of segment ``root``; joints of bodies without inertia go to the one they carry."""
        chains = self.mechanism.chains
        segments = chains.numbers[number].chain.segments
        run = [root]
        while not _has_inertia(segments[run[-1]]):
            children = [k for k, segment in enumerate(segments) if segment.parent == run[-1]]
            if len(children) != 1 or (number, run[-1]) in self.sites:
                joint = chains.joint_names[chains.slices[number].start + run[-1]]
                raise ArmError(
                    f"the body at joint {joint!r} has no inertia, and MuJoCo lets no such body move; give it some"
                )
            run.append(children[0])
        turns = [_matrix(segments[k].rotation) for k in run]
        shifts = [_vector(segments[k].position) for k in run]
        turn, shift = np.eye(3), np.zeros(3)
        frames = []
        for rotation, translation in zip(turns, shifts, strict=True):
            turn, shift = turn @ rotation, shift + turn @ translation
            frames.append((turn, shift))
        joints = [self._joint(number, k, frame, frames[-1]) for k, frame in zip(run, frames, strict=True)]
        body = segments[run[-1]]
        inner = [self._element(number, k) for k, segment in enumerate(segments) if segment.parent == run[-1]]
        return tag(
            "body", *joints, _inertial(body), *self.sites.get((number, run[-1]), ()), *inner,
            name=f"{chains.names[number]}.{run[-1]}", pos=_text(shift), quat=_text(_quaternion(turn)),
        )  # fmt: skip

    def _joint(self, number: int, k: int, frame: tuple[Array, Array], body: tuple[Array, Array]) -> Html:
        chains = self.mechanism.chains
        index = chains.slices[number].start + k
        turn, shift = body
        low, high = chains.lower[index], chains.upper[index]
        bounded = bool(np.isfinite(low) and np.isfinite(high))
        return tag(
            "joint", name=chains.joint_names[index], type="hinge" if chains.revolute[index] else "slide",
            axis=_text(turn.T @ frame[0][:, 2]), pos=_text(turn.T @ (frame[1] - shift)),
            range=_text((low, high)) if bounded else None, limited="true" if bounded else None,
        )  # fmt: skip


def _body(end: Carrier) -> tuple[int, int]:
    return (end.chain, end.body) if end.body >= 0 else (-1, -1)


def _has_inertia(segment: Segment) -> bool:
    return bool(float(segment.mass) > 0)


def _inertial(segment: Segment) -> Html:
    assert segment.com is not None
    assert segment.central is not None
    c = _matrix(segment.central)
    full = (c[0, 0], c[1, 1], c[2, 2], c[0, 1], c[0, 2], c[1, 2])
    return tag("inertial", pos=_text(segment.com), mass=repr(float(segment.mass)), fullinertia=_text(full))


def _quaternion(turn: Array) -> Array:
    """w x y z."""
    return np.roll(Rotation.from_matrix(turn).as_quat(), 1)


def _matrix(rows: Any) -> Array:
    return np.array([[float(x) for x in row] for row in rows])


def _vector(values: Any) -> Array:
    return np.array([float(x) for x in values])


def _text(values: Any) -> str:
    return " ".join(repr(float(x)) for x in values)
