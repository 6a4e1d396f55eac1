"""Move it: simulate with a controller, play, set the time, look at the curves."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arm.errors import ArmError
from ..report.skeleton_picture import FILLS
from .background import Background
from .words import plain

if TYPE_CHECKING:
    from ..simulation.inputs import Control
    from ..simulation.motion import Motion
    from ..systems.protocol import System
    from .mechanism_studio import MechanismStudio
    from .studio import Studio

CONTROLLERS = ("computed torque", "PD with gravity", "none: let go")
CURVES = {"position": "q", "velocity": "qd", "torque": "u"}
MOST_SAMPLES = 400


class MotionPanel:
    """A target, a duration, a controller; and the motion that comes of it."""

    def __init__(self, studio: Studio | MechanismStudio) -> None:
        self.studio = studio
        self.background = Background("studio motion")
        gui: Any = studio.server.gui
        self.target = studio.q.copy()
        gui.add_markdown("Move the arm to where the motion ends, set it, move it to where it begins, and simulate.")
        gui.add_button("this pose is the end").on_click(lambda _: self._end())
        self.controller = gui.add_dropdown("controller", CONTROLLERS)
        self.duration = gui.add_number("duration [s]", 1.0, min=0.05, max=60.0, step=0.05)
        self.load = gui.add_number("payload of the plant alone [kg]", 0.0, min=0.0, step=0.1,
                                   hint="In the hand of the simulated arm, unknown to the controller.")  # fmt: skip
        self.run = gui.add_button("simulate")
        self.run.on_click(lambda _: self.simulate())
        self.play = gui.add_button("play")
        self.play.on_click(lambda _: self._play())
        self.rate = gui.add_slider("pace", min=0.1, max=2.0, step=0.1, initial_value=1.0)
        self.rate.on_update(lambda _: self._pace())
        self.time = gui.add_slider("time [s]", min=0.0, max=1.0, step=0.001, initial_value=0.0)
        self.time.on_update(lambda _: self._scrub())
        self.said = gui.add_markdown("")
        self.curve = gui.add_dropdown("curves", tuple(CURVES))
        self.curve.on_update(lambda _: self._draw())
        self.plot: Any = None
        self._setting = False

    def _end(self) -> None:
        self.target = self.studio.q.copy()
        self.said.content = "the end of the motion is set"

    def simulate(self) -> None:
        """Simulate from the present pose to the target, in the background."""
        studio, start = self.studio, self.studio.q.copy()
        target, duration, kind = self.target.copy(), float(self.duration.value), self.controller.value
        mass, system = float(self.load.value), studio.system
        self.run.disabled = True
        self.said.content = "simulating ..."

        def work(tell: Callable[..., None]) -> Motion:
            from ..arm.inertia import Load
            from ..control.controllers import ComputedTorque, PDGravity
            from ..control.simulate_system import simulate_system
            from ..control.trajectories import quintic

            plant: System = system.holding(Load(mass=mass)) if mass else system
            if kind == CONTROLLERS[2]:
                return simulate_system(plant, np.zeros(system.n), start, duration=duration)
            path = quintic([start, target], duration)
            if kind == CONTROLLERS[0]:
                law: Control = ComputedTorque(system, path)
            else:  # stiffness for 10 rad/s at the inertia of the pose, critically damped
                inertia = np.diagonal(system.mass_matrix(start))
                law = PDGravity(system, path, kp=100 * inertia, kd=20 * inertia)
            return simulate_system(plant, law, start, duration=duration)

        self.background.ask(work, self._done)

    def _done(self, motion: Motion | None, fault: Exception | None) -> None:
        self.run.disabled = False
        if motion is None:
            self.said.content = plain(fault)
            if not isinstance(fault, ArmError):
                raise fault if fault is not None else AssertionError
            return
        self.studio.player.load(motion)
        off = np.abs(motion.q[-1] - self.target).max(initial=0.0)
        self.said.content = (
            f"{motion.t[-1]:.2f} s simulated, {len(motion.events)} events; {off:.3g} rad or m from the end that was set"
        )
        self._setting = True
        try:
            self.time.max = float(motion.t[-1])
            self.time.value = 0.0
        finally:
            self._setting = False
        self._draw()
        self.studio.player.play()

    def _draw(self) -> None:
        """The chosen curves of the motion."""
        motion = self.studio.player.motion
        if motion is None:
            return
        import viser.uplot as uplot

        step = max(1, len(motion.t) // MOST_SAMPLES)
        values = np.asarray(getattr(motion, CURVES[self.curve.value]))[::step]
        data = (np.asarray(motion.t)[::step], *np.ascontiguousarray(values.T))
        names = [joint.name for joint in self.studio.system.moving]
        lines = [
            uplot.Series(label=name, stroke=FILLS[k % len(FILLS)], width=2)
            for k, name in zip(range(len(data) - 1), names, strict=False)
        ]
        series = (uplot.Series(label="t [s]"), *lines)
        if self.plot is not None:
            self.plot.remove()
        title = {
            "position": "position [rad, m]",
            "velocity": "velocity [rad/s, m/s]",
            "torque": "torque or force [N m, N]",
        }
        self.plot = self.studio.server.gui.add_uplot(
            data, series, title=title[self.curve.value], scales={"x": uplot.Scale(time=False)}, aspect=1.6
        )

    def _play(self) -> None:
        player = self.studio.player
        if player.motion is None:
            self.said.content = "nothing to play yet: simulate first"
        elif player.playing:
            player.pause()
        else:
            player.play()

    def _pace(self) -> None:
        self.studio.player.rate = float(self.rate.value)

    def _scrub(self) -> None:
        if not self._setting:
            self.studio.player.pause()
            self.studio.player.seek(float(self.time.value))

    def show_time(self, moment: float) -> None:
        """Set the slider of the time."""
        self._setting = True
        try:
            self.time.value = float(moment)
        finally:
            self._setting = False
