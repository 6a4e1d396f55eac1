"""A mechanism as the text of a TOML file; read again it gives the same answers (``docs/mechanism-file.md``).

Chains whose arms are equal share one table of it, ``[arm.NAME]``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..arm.description import EARTH, ArmDescription
from ..arm.drives import DriveTrain
from ..arm.exact import exact, exact_vector
from ..arm.io.toml_drives import write_drives
from ..arm.io.toml_text import quoted
from ..arm.io.toml_writer import inline, lines, listing, number, numbers, placement_pairs, write_toml
from ..arm.placement import Placement
from .chain_frames import FrameOn
from .gears import Gear, JointCoupling, Tie
from .loop_closures import Closure

if TYPE_CHECKING:
    from .joined_chains import JoinedChains, MechanismParts

BARE = re.compile(r"[A-Za-z0-9_-]+")
Pairs = list[tuple[str, str]]


def write_mechanism(mechanism: JoinedChains) -> str:
    """The mechanism as TOML, with its coordinates, and its home as it is closed."""
    parts = mechanism.parts
    writer = _Writer(parts)
    top: Pairs = [("name", quoted(parts.name))]
    gravity = exact_vector(parts.gravity, "gravity")
    top += [("gravity", numbers(gravity))] if gravity != EARTH else []
    top += [("coordinates", listing(map(quoted, mechanism.coordinates)))]
    if not _in_order(parts.closures):
        top += [("ties", listing(quoted(tie.name) for tie in parts.closures))]
    top += [("passive", listing(map(quoted, parts.passive)))] if parts.passive else []
    home = [(quoted(name), repr(float(x))) for name, x in zip(mechanism.joint_names, mechanism.home, strict=True)]
    blocks = [lines(top), *writer.chains()]
    ties = [*writer.closures(), *writer.springs()]  # first these: they name frames that have no name yet
    blocks += [*writer.frame_tables(), *ties]
    if parts.drives:
        blocks.append(write_drives(DriveTrain(parts.drives), "drives."))
    blocks.append("[home]\n" + lines(home))
    return "\n".join(block.rstrip("\n") + "\n" for block in blocks)


class _Writer:
    def __init__(self, parts: MechanismParts) -> None:
        self.parts = parts
        self.frames = {name: FrameOn.of(frame) for name, frame in parts.frames.items()}

    def chains(self) -> list[str]:
        """Arms that several chains share, then the chains."""
        shared = self._shared()
        blocks = [f"[arm.{_key(name)}]\n" + write_toml(arm, f"arm.{_key(name)}.") for name, arm in shared.items()]
        for name, arm in self.parts.chains.items():
            head: Pairs = []
            base = self.parts.bases.get(name, Placement())
            head += [("at", inline(placement_pairs(base)))] if base.steps else []
            if arm.counts_drives:
                head.append(("drives", "true" if arm.drive_model == "exact" else quoted(arm.drive_model)))
            shared_name = next((key for key, shared_arm in shared.items() if shared_arm == _description(arm)), None)
            if shared_name is not None:
                head.append(("arm", quoted(shared_name)))
            text = "" if shared_name is not None else write_toml(_description(arm), f"chain.{_key(name)}.")
            blocks.append(f"[chain.{_key(name)}]\n{lines(head)}{text}")
        return blocks

    def _shared(self) -> dict[str, ArmDescription]:
        """Arms of more than one chain, and those with drives, by a name that no chain has."""
        shared: dict[str, ArmDescription] = {}
        arms = [_description(arm) for arm in self.parts.chains.values()]
        for arm in arms:
            if (arms.count(arm) > 1 or arm.drives) and arm not in shared.values():
                name = arm.name or "arm"
                while name in shared or name in self.parts.chains:
                    name += "_arm"
                shared[name] = arm
        return shared

    def closures(self) -> list[str]:
        """Closures and gears, in their order by kind."""
        blocks = []
        for closure in self.parts.closures:
            if isinstance(closure, Closure):
                pairs: Pairs = [
                    (end, quoted(self._frame(getattr(closure, end), f"{closure.name} {end}"))) for end in "ab"
                ]
                if isinstance(closure.kind, str):
                    pairs.append(("kind", quoted(closure.kind)))
                else:
                    pairs.append(("hold", listing(map(quoted, closure.held))))
                pairs += [("pushes", "true")] if closure.pushes else []
                pairs += [("friction", repr(float(closure.friction)))] if closure.friction else []
                blocks.append(f"[closure.{_key(closure.name)}]\n{lines(pairs)}")
            elif isinstance(closure, Gear):
                blocks.append(f"[gear.{_key(closure.name)}]\n{lines(_gear(closure))}")
            else:
                value = [("value", number(exact(closure.value)))] if exact(closure.value) else []
                blocks.append(f"[coupling.{_key(closure.name)}]\n{lines([('sum', quoted(closure.sum)), *value])}")
        return blocks

    def springs(self) -> list[str]:
        """Springs and dampers between chains."""
        blocks = []
        for spring in self.parts.springs:
            pairs: Pairs = [("along", quoted(spring.along))] if spring.along else [
                (end, quoted(self._frame(getattr(spring, end), f"{spring.name} {end}"))) for end in "ab"
            ]  # fmt: skip
            values = [(key, exact(getattr(spring, key))) for key in ("stiffness", "rest", "damping")]
            pairs += [(key, number(value)) for key, value in values if value]
            blocks.append(f"[spring.{_key(spring.name)}]\n{lines(pairs)}")
        return blocks

    def frame_tables(self) -> list[str]:
        """Frames with a name, those that closures and springs made too."""
        blocks = []
        for name, frame in self.frames.items():
            placement = [("at", inline(placement_pairs(frame.at)))] if frame.at.steps else []
            blocks.append(f"[frame.{_key(name)}]\n{lines([('on', quoted(str(frame))), *placement])}")
        return blocks

    def _frame(self, frame: FrameOn | str, suggested: str) -> str:
        """The text of a frame; one with a placement gets a name."""
        if isinstance(frame, str) or not frame.at.steps:
            return str(frame)
        name = suggested
        while name in self.frames and self.frames[name] != frame:
            name += "'"
        self.frames[name] = frame
        return name


def _in_order(ties: Sequence[Tie]) -> bool:
    """True if a file, which has closures, then gears, then couplings, gives them in this order by itself."""
    order = [(Closure, Gear, JointCoupling).index(type(tie)) for tie in ties]
    return order == sorted(order)


def _description(arm: ArmDescription) -> ArmDescription:
    """The description alone: whatever class it has, no drives counted, gravity that of the world."""
    values = {name: getattr(arm, name) for name in ArmDescription.__dataclass_fields__}
    return replace(ArmDescription(**values), drive_model="none", gravity=EARTH)


def _gear(gear: Gear) -> Pairs:
    pairs = [("joint", quoted(gear.joint)), ("master", quoted(gear.master)), ("ratio", number(exact(gear.ratio)))]
    return pairs + ([("offset", number(exact(gear.offset)))] if exact(gear.offset) else [])


def _key(name: str) -> str:
    return name if BARE.fullmatch(name) else quoted(name)
