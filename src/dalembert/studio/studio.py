"""The studio: one server, one design, any number of browsers that see the same."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..api.arm import Arm
from ..api.questions import SystemQuestions
from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from ..report.arm3d import start, travel
from .arm_scene import ArmScene
from .background import Background
from .design import Design, History
from .joint_handles import JointHandles
from .link_looks import LinkLooks, look_at
from .live_numbers import mass_matrix_map, torque_bars
from .motion_player import MotionPlayer
from .panels import Panels
from .shape_nodes import quaternion, rotation
from .studio_server import Refresher, StudioServer

Array = NDArray[np.float64]


class Studio:
    """A system in the browser; ``address`` is where, with the token that opens it."""

    def __init__(
        self,
        system: SystemQuestions,
        *,
        host: str = "127.0.0.1",
        port: int = 8080,
        token: str | None = None,
    ) -> None:
        if not isinstance(system, ArmDescription):
            raise ArmError(
                f"this shows an arm, da.load(NAME), and da.MechanismStudio a mechanism; it was given {system!r:.60}"
            )
        arm = Arm.of(system.counting_drives("none"))
        rotors = system.drive_model if system.counts_drives else "exact"
        self.history = History(Design(arm, system.counts_drives, rotors))
        self.q = np.array([start(joint) for joint in arm.moving])
        self.qd = np.zeros(arm.n)
        self.qdd = np.zeros(arm.n)
        self._moving: SystemQuestions | None = None
        """The system of a motion that plays, with what is in its hand; None at a pose."""
        self.kept: Design | None = None
        self.served = StudioServer(arm.name, host, port, token)
        self.server = self.served.viser
        self.background = Background("studio proofs")
        self.player = MotionPlayer(self._played)
        self.arm_scene = ArmScene(self.server.scene, arm)
        self.server.scene.add_grid("/floor", width=4 * self.arm_scene.size, height=4 * self.arm_scene.size, plane="xy")
        self.served.look_from(
            self.arm_scene.size * np.array([0.0, 0.0, 0.3]), self.arm_scene.size * np.array([0.75, -0.9, 0.4])
        )
        self.ghost: ArmScene | None = None
        self.looks: LinkLooks | None = None
        self._shapes: Background | None = None
        self.hand = self.server.scene.add_transform_controls("/hand", scale=0.25 * self.arm_scene.size, visible=False)
        self._held_handle: Any = None
        # One that was dragged out of reach goes back to the tool when it is let go.
        self.hand.on_update(lambda event: self.drag_hand() if event.phase != "end" else self.want("pose"))
        self.refresher = Refresher(self._bring_up_to_date, self._say, "pose", "numbers")
        self.joint_handles = JointHandles(
            self.server.scene, arm, self.arm_scene.size, lambda: self.arm_scene.joint_frames(self.q), self.drag_joint,
            lambda: self.want("pose"),
        )  # fmt: skip
        self.panels = Panels(self)
        self.refresher.start()
        if any(link.shapes for link in arm.links):  # meshes take a while to read, and the arm is seen as bars meanwhile
            self.panels.tell_looks("the shapes of the links are being read ...")
            self._shapes = Background("studio shapes")
            self._shapes.ask(lambda tell: look_at(arm), self._looks_read)

    # -- what is seen -----------------------------------------------------------------------------

    @property
    def address(self) -> str:
        """The address that opens the studio in a browser."""
        return self.served.address

    @property
    def design(self) -> Design:
        """The present design."""
        return self.history.now

    @property
    def system(self) -> SystemQuestions:
        """The system of the present design."""
        return self.design.system

    # -- what is wanted ---------------------------------------------------------------------------

    def _say(self, text: str) -> None:
        self.panels.say(text)

    def want(self, *parts: str) -> None:
        """Have these brought up to date."""
        self.refresher.want(*parts)

    def set_pose(self, q: ArrayLike) -> None:
        """Move the arm; within the ranges of its sliders."""
        spans = [travel(joint) for joint in self.system.moving]
        with self.refresher.lock:
            self.q = np.clip(np.asarray(q, dtype=float), [low for low, _ in spans], [high for _, high in spans])
            self.qd, self.qdd, self._moving = np.zeros(len(self.q)), np.zeros(len(self.q)), None
        self.want("pose", "numbers")

    def set_design(self, design: Design) -> None:
        """Change the design; proofs about the last one are given up."""
        if self.history.set(design):
            self._changed()

    def undo(self) -> None:
        """Go one design back."""
        if self.history.undo():
            self._changed()

    def redo(self) -> None:
        """Go forward again."""
        if self.history.redo():
            self._changed()

    def _changed(self) -> None:
        self._moving = None
        self.background.cancel()
        self.panels.forget_proofs()
        self.panels.workspace.want()
        self.want("arm", "pose", "numbers")

    def keep(self) -> None:
        """Keep this design, to set others beside it; it stays in the scene as a ghost."""
        self.kept = self.design
        self.want("arm", "pose", "numbers")

    def drag_hand(self) -> None:
        """Bring the tool where its handle was dragged, as near as the joints can."""
        if not self.hand.visible:
            return
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = rotation(self.hand.wxyz), self.hand.position
        solution = self.system.inverse_kinematics(pose, near=self.q, starts=1, tolerance=(1e-4, 1e-3), iterations=40)
        self._held_handle = self.hand
        self.set_pose(solution.q)
        self.panels.tell_reach(
            float(solution.position_error), float(solution.orientation_error), bool(solution.converged)
        )

    def drag_joint(self, k: int, change: float, handle: Any) -> None:
        """Move a joint by as much as its handle was dragged."""
        self.player.pause()
        self._held_handle = handle
        self.set_pose(self.q + change * np.eye(len(self.q))[k])

    def _played(self, moment: float, q: Array, qd: Array) -> None:
        qdd, system = self.panels.motion.at(moment)
        with self.refresher.lock:
            self.q, self.qd, self.qdd = q, qd, qdd
            self._moving = system if isinstance(system, SystemQuestions) else None
        self.panels.show_time(moment)
        self.want("pose", "numbers")

    def _looks_read(self, looks: LinkLooks | None, fault: Exception | None) -> None:
        self.looks = looks
        self.panels.tell_looks(looks.faults_text() if looks is not None else f"the shapes are not shown: {fault}")
        self.want("arm", "pose")

    # -- bringing it there ------------------------------------------------------------------------

    def _bring_up_to_date(self, stale: set[str]) -> None:
        with self.refresher.lock:
            q, qd, qdd, held_handle = self.q.copy(), self.qd.copy(), self.qdd.copy(), self._held_handle
            self._held_handle = None
        if "arm" in stale:
            self._draw()
        self._move_scene(q, held_handle)
        if "numbers" in stale:
            self._number(q, qd, qdd)

    def _draw(self) -> None:
        """The present design in the scene, and the one kept beside it as a ghost."""
        self.arm_scene.update(self.system, self.looks)
        if self.kept is not None and self.kept != self.design:
            if self.ghost is None:
                self.ghost = ArmScene(self.server.scene, self.kept.system, "/kept", ghost=True)
            elif self.ghost.arm is not self.kept.system:
                self.ghost.update(self.kept.system)
        elif self.ghost is not None:
            self.ghost.remove()
            self.ghost = None

    def _move_scene(self, q: Array, held_handle: Any) -> None:
        with self.server.atomic():
            self.arm_scene.move(q)
            if self.ghost is not None:
                self.ghost.move(q)
            self.joint_handles.place(held_handle)
            if held_handle is not self.hand:  # a handle that is being dragged stays in the hand that drags it
                tool = np.asarray(self.system.forward_kinematics(q))
                self.hand.wxyz, self.hand.position = quaternion(tool[:3, :3]), tool[:3, 3]
            self.panels.show_pose(q)

    def _number(self, q: Array, qd: Array, qdd: Array) -> None:
        system = self._moving or self.system
        self.panels.torques.content = str(torque_bars(system, q, qd, qdd))
        self.panels.inertia.content = str(mass_matrix_map(np.asarray(system.mass_matrix(q))))
        self.panels.compare(q, qd, qdd)

    # -- the end ----------------------------------------------------------------------------------

    def wait(self) -> None:
        """Serve until interrupted."""
        threading.Event().wait()

    def close(self) -> None:
        """Stop serving."""
        self.player.close()
        self.background.close()
        if self._shapes is not None:
            self._shapes.close()
        self.panels.close()
        self.refresher.close()
        self.served.stop()
