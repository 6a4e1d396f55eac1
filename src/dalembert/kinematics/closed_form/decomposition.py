"""Which closed form an arm has: its geometry recognised, and what fits it tried before it is used."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ...systems.arm_kinematics import MovingArm
from .general_six import GeneralSix
from .page_form import PageForm
from .screw_chain import CommonNormal, Screw, ScrewChain, perpendicular
from .spherical_wrist import SphericalWrist, ThreeSlides
from .three_joint_tasks import ThreeJointsToOrientation, ThreeJointsToPoint
from .three_joints import simpler
from .three_parallel import ThreeParallel

Array = NDArray[np.float64]
TRIALS = 12
"""Poses at which a decomposition is tried before it is used."""
ROUND_TRIP = 1e-5
"""How close (rad, or parts of the length) a trial has to come back; trials may lie near singular poses."""


class ClosedForm(Protocol):
    """All solutions of an arm: candidates for poses, of which those count that reach them."""

    @property
    def words(self) -> str:
        """What the arm's geometry is, for people."""
        ...

    @property
    def length(self) -> float:
        """The size of the arm (m)."""
        ...

    @property
    def degree(self) -> int:
        """Of the equation that is left: 2, 4 or 16."""
        ...

    def candidates(self, target: Array, preferred: Array, compiled: bool = True) -> tuple[Array, Array]:
        """``(poses, candidates, joints)``, and how many angles of each are free (``LOST`` where the way fails)."""
        ...


def closed_form_of(arm: MovingArm, task: str) -> ClosedForm | None:
    """The closed form of a framed arm for a whole pose, position or orientation; None where it has none."""
    chain = ScrewChain.of(arm)
    if chain is None or sorted(screw.joint for screw in chain.screws) != list(range(arm.n)):
        return None
    pages: list[ClosedForm] = []
    make = partial(PageForm, joints=arm.n, label=arm.name)
    if task == "pose":
        for six_joints in _six_joints(chain):
            for inverted, oriented in ((False, six_joints), (True, six_joints.reversed())):
                forms = (kind.of(oriented) for kind in (SphericalWrist, ThreeSlides, ThreeParallel))
                pages += [make(page, inverted) for page in forms if page is not None]
                if six_joints.letters == "RRRRRR":
                    pages.append(GeneralSix(oriented, inverted))
    elif arm.n == 3 and task == "position":
        pages.append(make(ThreeJointsToPoint(chain, *simpler(*chain.screws)), False))
    elif chain.letters == "RRR" and task == "orientation":
        pages.append(make(ThreeJointsToOrientation(chain), False))
    for form in sorted(pages, key=lambda form: form.degree):
        if _recovers_positions(arm, form):
            return form
    return None


def _six_joints(chain: ScrewChain) -> list[ScrewChain]:
    """The chain if it has six joints; one of five with a sixth that has to stand at zero."""
    if len(chain.screws) == 6:
        return [chain]
    if len(chain.screws) != 5:
        return []
    chains = []
    screws = chain.screws
    for end in (4, 0):
        last, neighbour = screws[end], screws[3 if end == 4 else 1]
        point = last.point
        if last.revolute and neighbour.revolute:
            common = CommonNormal.of(neighbour, last)
            point = common.second.point
        extra = Screw(perpendicular(last.direction), point, True, -1)
        chains.append(replace(chain, screws=(*screws, extra) if end == 4 else (extra, *screws)))
    return chains


def _recovers_positions(arm: MovingArm, form: ClosedForm) -> bool:
    """Whether poses of random positions lead back to these positions: a degenerate geometry does not."""
    rng = np.random.default_rng(7)
    q = rng.uniform(-np.pi, np.pi, (TRIALS, arm.n))
    turns = np.array([joint.kind == "revolute" for joint in arm.moving])
    length = form.length
    q[:, ~turns] *= length / np.pi
    try:
        candidates, _ = form.candidates(arm.forward_kinematics(q), np.zeros_like(q), compiled=False)
    except (ZeroDivisionError, np.linalg.LinAlgError):
        return False
    difference = np.abs(candidates - q[:, None, :])
    difference = np.where(turns, np.abs(np.remainder(difference + np.pi, 2 * np.pi) - np.pi), difference / length)
    return bool((difference.max(axis=-1).min(axis=-1) < ROUND_TRIP).all())
