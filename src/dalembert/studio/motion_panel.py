"""Move it: simulate with a controller or read a run, grip and drop a load, play, set the time, look at the curves."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from ..report.skeleton_picture import FILLS
from .background import Background
from .motion_curves import CURVES
from .motion_run import CONTROLLERS, HELD, PAYLOADS, MotionRun, Order, read_run, simulated
from .record_panel import RecordPanel
from .words import plain

if TYPE_CHECKING:
    from ..systems.protocol import System
    from .mechanism_studio import MechanismStudio
    from .studio import Studio

Array = NDArray[np.float64]
MOST_SAMPLES = 400
PAUSE = 0.2
"""Least time between two lines of progress (s)."""


def seldom(tell: Callable[[str], None]) -> Callable[[str], None]:
    """``tell``, but for what is told less than ``PAUSE`` after the last that was."""
    last = time.monotonic()

    def throttled(words: str) -> None:
        nonlocal last
        if time.monotonic() - last >= PAUSE:
            last = time.monotonic()
            tell(words)

    return throttled


class MotionPanel:
    """A target, a duration, a controller, a payload; and the motion that comes of it, or one from a file."""

    def __init__(self, studio: Studio | MechanismStudio) -> None:
        self.studio = studio
        self.background = Background("studio motion")
        self.shown: MotionRun | None = None
        self._setting = False
        self.plot: Any = None
        self.target = studio.q.copy()
        gui: Any = studio.server.gui
        gui.add_markdown("Move the arm to where the motion ends, set it, move it to where it begins, and simulate.")
        gui.add_button("this pose is the end").on_click(lambda _: self._end())
        self.controller = gui.add_dropdown("controller", CONTROLLERS)
        self.duration = gui.add_number("duration [s]", 1.0, min=0.05, max=60.0, step=0.05)
        self._payload(gui)
        self.run = gui.add_button("simulate")
        self.run.on_click(lambda _: self.simulate())
        self.stop = gui.add_button("give it up", visible=False)
        self.stop.on_click(lambda _: self.give_up())
        hint = "Times and positions, as dalembert simulate writes them."
        self.file = gui.add_upload_button("run from a file (CSV)", mime_type="text/csv,.csv", hint=hint)
        self.file.on_upload(lambda _: self.read(self.file.value.name, self.file.value.content))
        self.play = gui.add_button("play")
        self.play.on_click(lambda _: self._play())
        self.rate = gui.add_slider("pace", min=0.1, max=2.0, step=0.1, initial_value=1.0)
        self.rate.on_update(lambda _: self._pace())
        self.time = gui.add_slider("time [s]", min=0.0, max=1.0, step=0.001, initial_value=0.0)
        self.time.on_update(lambda _: self._scrub())
        self.said = gui.add_markdown("")
        self.curve = gui.add_dropdown("curves", tuple(CURVES))
        self.curve.on_update(lambda _: self._draw())
        names = tuple(joint.name for joint in studio.system.moving)
        self.joint = gui.add_dropdown("joint (of torques by cause)", names)
        self.joint.on_update(lambda _: self._draw())
        self.curves_folder = gui.add_folder("curves over time")
        self.record = RecordPanel(self)

    def _payload(self, gui: Any) -> None:
        with gui.add_folder("payload of the plant alone", expand_by_default=False):
            self.load = gui.add_number("mass [kg]", 0.0, min=0.0, step=0.1,
                                       hint="In the hand of the simulated arm, unknown to the controller.")  # fmt: skip
            self.payload = gui.add_dropdown("it is", PAYLOADS, initial_value=HELD)
            self.grip = gui.add_number("gripped at [s]", 0.3, min=0.0, step=0.05)
            self.drop = gui.add_number("dropped at [s]", 0.7, min=0.0, step=0.05)
            self.moves = gui.add_checkbox("it moves with the hand when gripped", False,
                                          hint="Else it is at rest, and the arm slows: momentum is kept.")  # fmt: skip

    def _end(self) -> None:
        self.target = self.studio.q.copy()
        self.said.content = "the end of the motion is set"

    def simulate(self) -> None:
        """Simulate from the present pose to the target, in the background."""
        order = Order(
            self.studio.system, self.studio.q.copy(), self.target.copy(), float(self.duration.value),
            self.controller.value, float(self.load.value), self.payload.value, float(self.grip.value),
            float(self.drop.value), bool(self.moves.value),
        )  # fmt: skip
        self.run.disabled, self.stop.visible = True, True
        self.said.content = "simulating ..."

        def work(given_up: Callable[..., None]) -> MotionRun:
            def tell(t: float) -> None:
                given_up()
                throttled(f"simulating: {t:.2f} of {order.duration:.2f} s ...")

            throttled = seldom(self.tell)
            return simulated(order, tell)

        self.background.ask(work, self._done)

    def give_up(self) -> None:
        """End what is being simulated, read or filmed; the motion that is shown stays."""
        self.background.cancel()
        self.run.disabled, self.stop.visible = False, False
        self.tell("given up")

    def read(self, name: str, content: bytes) -> None:
        """Show a motion from a file."""
        system = self.studio.system
        self.said.content = "reading ..."
        self.background.ask(lambda tell: read_run(system, name, content), self._done)

    def _done(self, run: MotionRun | None, fault: Exception | None) -> None:
        self.run.disabled, self.stop.visible = False, False
        if run is None:
            self.tell(str(fault))
            if not isinstance(fault, ArmError):
                raise fault if fault is not None else AssertionError
            return
        motion, self.shown = run.motion, run
        self.studio.player.load(motion)
        loads = "".join(f", load at {event.time:.3g} s" for event in motion.events if event.kind == "load")
        distance = np.abs(run.reference[-1] - motion.q[-1]).max(initial=0.0) if run.reference is not None else None
        end = "" if distance is None else f"; {distance:.3g} rad or m from the end that was asked for"
        self.tell(f"{motion.name}: {motion.t[-1] - motion.t[0]:.2f} s, {len(motion.events)} events{loads}{end}")
        self._setting = True
        try:
            self.time.min, self.time.max = float(motion.t[0]), float(motion.t[-1])
            self.time.value = float(motion.t[0])
        finally:
            self._setting = False
        self._draw()
        self.studio.player.play()

    def tell(self, words: str) -> None:
        """One sentence below the buttons; names in it come from files."""
        self.said.content = plain(words)

    def at(self, moment: float) -> tuple[Array, System | None]:
        """Accelerations at a time of the motion that plays, and the system that moves then."""
        if self.shown is None:
            return np.zeros(self.studio.system.n), None
        return self.shown.acceleration(moment), self.shown.system_at(moment)

    def _draw(self) -> None:
        """The chosen curves of the motion."""
        if self.shown is None:
            return
        import viser.uplot as uplot

        number = [joint.name for joint in self.studio.system.moving].index(self.joint.value)
        try:
            curves = CURVES[self.curve.value](self.shown, number)
        except ArmError as fault:
            self.tell(str(fault))
            return
        t = np.asarray(self.shown.motion.t)
        thinned = np.unique(np.append(np.arange(0, len(t), max(1, len(t) // MOST_SAMPLES)), len(t) - 1))
        lines = [uplot.Series(label=name, stroke=FILLS[k % len(FILLS)], width=2) for k, name in enumerate(curves.names)]
        data = (t[thinned], *np.ascontiguousarray(curves.values[thinned].T))
        if self.plot is not None:
            self.plot.remove()
        with self.curves_folder:
            series, scales = (uplot.Series(label="t [s]"), *lines), {"x": uplot.Scale(time=False)}
            self.plot = self.studio.server.gui.add_uplot(data, series, title=curves.heading, scales=scales, aspect=1.6)

    def _play(self) -> None:
        player = self.studio.player
        if player.motion is None:
            self.said.content = "nothing to play yet: simulate, or read a file"
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
