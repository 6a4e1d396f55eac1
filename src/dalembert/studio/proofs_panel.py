"""What holds for every pose: certified ranges, guidelines, a shorter model; worked out beside the picture."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..markup.numbers import formatted, unit
from .words import plain

if TYPE_CHECKING:
    from .studio import Studio


def ranges_of(studio: Studio, tell: Callable[..., None]) -> str:
    """Ranges of inertia and gravity load of every joint, proved."""
    system = studio.system
    ask = system.analysis(tell=tell)
    lines = ["| joint | D least | D most | G least | G most |", "|---|---|---|---|---|"]
    for k, joint in enumerate(system.moving, start=1):
        tell()
        inertia, load = ask.range_of(f"D{k}{k}" if system.n < 10 else f"D{k},{k}"), ask.range_of(f"G{k}")
        lines.append(
            f"| {plain(joint.name)} | {formatted(inertia.lower)} | {formatted(inertia.upper)} {unit(joint, 'inertia')} "
            f"| {formatted(load.lower)} | {formatted(load.upper)} {unit(joint, 'effort')} |"
        )
    return "Over all poses within the limits, proved:\n\n" + "\n".join(lines)


def review_of(studio: Studio, tell: Callable[..., None]) -> str:
    """What the guidelines of Tourassis and Neuman 1985 say."""
    findings = studio.system.analysis(tell=tell).review().findings
    return "\n".join(
        f"- **{plain(finding.verdict)}**: {plain(finding.guideline)}. {plain(finding.text)}" for finding in findings
    )


def reduced_of(studio: Studio, tell: Callable[..., None]) -> str:
    """The shortest model found within 5 percent, with its proof."""
    model = studio.system.analysis(tell=tell).reduce(0.05)
    share = float((model.bound / model.scale).max())
    return (
        f"{model.before.total} operations exact, {model.after.total} within 5 percent of the largest torques; the "
        f"error is proved to be at most {100 * share:.2f} percent, for every state within the limits."
    )


QUESTIONS = {"ranges": ranges_of, "guidelines": review_of, "shorter model": reduced_of}


class ProofsPanel:
    """Questions whose answers take a while; a change of the design gives them up."""

    def __init__(self, studio: Studio) -> None:
        self.studio = studio
        gui: Any = studio.server.gui
        gui.add_markdown("Worked out in the background; a change of the design gives it up.")
        buttons = gui.add_button_group("ask", tuple(QUESTIONS))
        buttons.on_click(lambda event: self.ask(event.target.value))
        self.answer = gui.add_markdown("")

    def ask(self, question: str) -> None:
        """Start a question."""
        self.answer.content = f"{question}: at work ..."

        def work(tell: Callable[..., None]) -> str:
            def step(*what: object) -> None:
                tell()
                if what and isinstance(what[0], str):
                    self.answer.content = plain(f"{question}: {what[0]} ...")

            return QUESTIONS[question](self.studio, step)

        self.studio.background.ask(work, self._done)

    def _done(self, answer: str | None, fault: Exception | None) -> None:
        self.answer.content = answer if answer is not None else plain(fault)

    def forget(self) -> None:
        """Take the answer away: it was about another design."""
        if self.answer.content:
            self.answer.content = "the design has changed: ask again"
