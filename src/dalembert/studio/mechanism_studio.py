"""A mechanism in the browser: its coordinates are moved, its loops stay closed, and its loads follow."""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.errors import ArmError
from ..mechanisms.mechanism import Mechanism
from ..mechanisms.mechanism_system import MechanismSystem
from .background import Background
from .frame_drag import dragged
from .link_looks import LinkLooks, look_at
from .mechanism_downloads import MechanismState
from .mechanism_panels import MechanismPanels
from .mechanism_scene import MechanismScene
from .motion_player import MotionPlayer
from .shape_nodes import quaternion, rotation
from .studio_server import Refresher, StudioServer

Array = NDArray[np.float64]
NEAR = 1e-3
"""Distance from its handle, as a share of the picture, within which a dragged frame is there."""


class MechanismStudio:
    """A mechanism in the browser; ``address`` is where, with the token that opens it.

    A coordinate that is moved takes the others joints with it, from where they stand and in their assembly mode; where
    the loops cannot close the mechanism stays, and the studio says so.
    """

    def __init__(
        self, mechanism: Mechanism, *, host: str = "127.0.0.1", port: int = 8080, token: str | None = None
    ) -> None:
        if not isinstance(mechanism, Mechanism):
            raise ArmError(
                f"this shows a mechanism, da.load_mechanism(FILE), and da.Studio an arm; it was given {mechanism!r:.60}"
            )
        self.mechanism = mechanism
        self.phi = mechanism.home.copy()
        self.system = mechanism.as_system(self.phi)
        self.q: Array = np.asarray(mechanism.coordinates_of(self.phi))
        self.qd, self.qdd = np.zeros(mechanism.n), np.zeros(mechanism.n)
        self.served = StudioServer(mechanism.name, host, port, token)
        self.server = self.served.viser
        self.player = MotionPlayer(self._played)
        self.scene = MechanismScene(self.server.scene, mechanism)
        size = self.scene.size
        self.spans = [self._span(k) for k in range(mechanism.n)]
        self.server.scene.add_grid("/floor", width=4 * size, height=4 * size, plane="xy")
        self.served.look_from(self.scene.middle, size * np.array([0.5, -0.8, 0.5]))
        self.frames = (*mechanism.chains.arms, *mechanism.chains.frames)
        self.frame = self._first_frame()
        self.hand = self.server.scene.add_transform_controls("/hand", scale=0.25 * size, visible=False)
        self.hand.on_update(lambda event: self.drag_frame() if event.phase != "end" else self.want("pose"))
        self._dragged = False
        self._target_q: Array | None = None
        self.refresher = Refresher(self._bring_up_to_date, self._say, "pose", "numbers")
        self.has_shapes = any(link.shapes for arm in mechanism.chains.arms.values() for link in arm.links)
        self.panels = MechanismPanels(self)
        self.refresher.start()
        self._looks: list[LinkLooks] | None = None
        self._shapes = Background("studio shapes") if self.has_shapes else None
        if self._shapes is not None:
            arms = list(mechanism.chains.arms.values())
            self._shapes.ask(lambda tell: [look_at(arm) for arm in arms], self._looks_read)

    def _span(self, k: int) -> tuple[float, float]:
        """The range of a slider: the limits of a joint, else half a turn or half the picture either way."""
        most = np.pi if self.system.moving[k].kind == "revolute" else 0.5 * self.scene.size
        low, high = float(self.system.lower[k]), float(self.system.upper[k])
        return (low if np.isfinite(low) else self.q[k] - most, high if np.isfinite(high) else self.q[k] + most)

    def _first_frame(self) -> str:
        """The platform, where a body that nothing holds is one; else the hand of the last chain."""
        plates = [point for plate in self.scene.skeleton.plates for point in plate]
        number = self.scene.skeleton.points[plates[0]].chain if plates else len(self.mechanism.chains.names) - 1
        return self.mechanism.chains.names[number]

    @property
    def address(self) -> str:
        """The address that opens the studio in a browser."""
        return self.served.address

    @property
    def design(self) -> MechanismState:
        """The mechanism where it is, for its files."""
        return MechanismState(self.mechanism, self.phi)

    # -- what is wanted ---------------------------------------------------------------------------

    def _say(self, text: str) -> None:
        self.panels.say(text)

    def want(self, *parts: str) -> None:
        """Have these brought up to date."""
        self.refresher.want(*parts)

    def set_pose(self, q: ArrayLike) -> None:
        """Move the coordinates, within the ranges of their sliders; where the loops do not close it stays."""
        low, high = np.transpose(self.spans)
        with self.refresher.lock:
            self._target_q = np.clip(np.asarray(q, dtype=float), low, high)
            self.qd, self.qdd = np.zeros(self.mechanism.n), np.zeros(self.mechanism.n)
        self.want("pose", "numbers")

    def _played(self, time: float, q: Array, qd: Array) -> None:
        qdd, _ = self.panels.motion.at(time)
        with self.refresher.lock:
            self._target_q, self.qd, self.qdd = q, qd, qdd
        self.panels.show_time(time)
        self.want("pose", "numbers")

    def choose_frame(self, name: str) -> None:
        """Drag this frame."""
        self.frame = name
        self.want("pose")

    def drag_frame(self) -> None:
        """Bring the frame where its handle was dragged, as near as the coordinates can."""
        if not self.hand.visible:
            return
        target = np.eye(4)
        target[:3, :3], target[:3, 3] = rotation(self.hand.wxyz), self.hand.position
        low, high = np.transpose(self.spans)
        phi, distance = dragged(self.mechanism, self.phi, self.frame, target, (low, high), 0.3 * self.scene.size)
        with self.refresher.lock:
            self.phi, self._dragged, self._target_q = phi, True, None
            self.q, self.qd = np.asarray(self.mechanism.coordinates_of(phi)), np.zeros(self.mechanism.n)
        self.panels.tell_reach(distance, distance < NEAR * self.scene.size)
        self.want("pose", "numbers")

    def _looks_read(self, looks: list[LinkLooks] | None, fault: Exception | None) -> None:
        self._looks = looks
        faults = (
            " ".join(filter(None, (chain_looks.faults_text() for chain_looks in looks)))
            if looks is not None
            else str(fault)
        )
        self.panels.tell_looks(faults)
        self.want("looks", "pose")

    # -- bringing it there ------------------------------------------------------------------------

    def _bring_up_to_date(self, stale: set[str]) -> None:
        with self.refresher.lock:
            target_q, self._target_q = self._target_q, None
            phi, qd, qdd, was_dragged = self.phi, self.qd.copy(), self.qdd.copy(), self._dragged
            self._dragged = False
        if "looks" in stale and self._looks is not None:
            self.scene.look(self._looks)
        if target_q is not None:
            phi = self._closed(target_q, phi)
        with self.server.atomic():
            self.scene.move(phi)
            if not was_dragged:
                pose = self.mechanism.frame(phi, self.frame)
                self.hand.wxyz, self.hand.position = quaternion(pose[:3, :3]), pose[:3, 3]
            self.panels.show_pose(self.q)
        if "numbers" in stale:
            self.panels.show_numbers(self.system, phi, qd, qdd)

    def _closed(self, target_q: Array, phi: Array) -> Array:
        """The joints at coordinates ``target_q``; where they are, and a sentence, where the loops do not close."""
        closed, fault = self._position(target_q, phi)
        if closed is None:
            self.panels.say(f"it stays where it is: {fault}")
            return phi
        with self.refresher.lock:
            self.phi, self.q = closed, np.asarray(self.mechanism.coordinates_of(closed))
            self.system = MechanismSystem(self.mechanism, closed)
        self.panels.say("")
        return closed

    def _position(self, target_q: Array, phi: Array) -> tuple[Array | None, str]:
        """Joints at coordinates, sought from where it stands; from home where that is a place no way leads on from."""
        first_fault = ""
        for guess in (phi, self.mechanism.home):
            try:
                return np.asarray(self.mechanism.position(target_q, guess)), ""
            except ArmError as fault:
                first_fault = first_fault or str(fault)
        return None, first_fault

    # -- the end ----------------------------------------------------------------------------------

    def wait(self) -> None:
        """Serve until interrupted."""
        threading.Event().wait()

    def close(self) -> None:
        """Stop serving."""
        self.player.close()
        if self._shapes is not None:
            self._shapes.close()
        self.panels.close()
        self.refresher.close()
        self.served.stop()
