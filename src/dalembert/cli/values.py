"""Joint values from the command line: ``0,0.5,-1``, ``"0 30 0"`` or ``pi/2,-0.1,45 deg``."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

import numpy as np

from dalembert.arm.description import ArmDescription, Joint
from dalembert.arm.errors import ArmError
from dalembert.arm.io.expression import Quantity, quantity, says_angle

from .notes import note

POSITIONS = ("--q", "--to", "--via", "--near")
"""Options of joint positions; others are speeds, accelerations and jerks, for which no number is too many turns."""


def joint_values(arm: ArmDescription, option: str, text: str | None, degrees: bool = False) -> np.ndarray:
    """One value for each moving joint, in SI units; zeros where ``text`` is None.

    With ``degrees`` plain values of revolute joints are in degrees (per second, per second squared); those of
    prismatic joints stay in metres.
    """
    if text is None:
        return np.zeros(arm.n)
    words = split_words(text)
    if len(words) != arm.n:
        names = ", ".join(arm.joint_names)
        raise ArmError(f"{option} needs {arm.n} value{'s' * (arm.n != 1)}, one for each of {names}; got {len(words)}")
    values = np.array([value(joint, word, option, degrees) for joint, word in zip(arm.moving, words, strict=True)])
    if option in POSITIONS and not degrees:
        turning = zip(arm.moving, words, values, strict=True)
        note_turns(option, [(joint.name, word, x) for joint, word, x in turning if joint.kind == "revolute"])
    return values


def value(joint: Joint, word: str, option: str, degrees: bool) -> float:
    """The number a word spells; "pi", "deg" and "rad" in it say for themselves that it is an angle."""
    subject = f"{option}: joint {joint.name!r}"
    number = joint_quantity(joint, word, subject)
    try:
        plain = float(number)
    except OverflowError:
        raise ArmError(f"{subject}: {word.strip()} is too large for a floating-point number") from None
    return math.radians(plain) if degrees and joint.kind == "revolute" and not is_angle(number, word) else plain


def joint_quantity(joint: Joint, word: str, subject: str) -> Quantity:
    """A position of a joint, a speed or an acceleration, as it is written; an angle is refused where nothing turns."""
    number = quantity(word, subject)
    if joint.kind == "prismatic" and is_angle(number, word):
        raise ArmError(f"{subject} is prismatic, so its value is in metres, not the angle {word.strip()!r}")
    return number


def is_angle(number: Quantity, word: str) -> bool:
    """Whether a word says that it is an angle, by pi, deg or rad."""
    return bool(number.turns) or says_angle(word)


def plain_number(word: str, option: str) -> float:
    """A mass, a length, a force, a current, a gain: no angle."""
    number = float(quantity(word, option))
    if says_angle(word):
        raise ArmError(f"{option}: {word.strip()!r} is an angle, and a plain number in SI units belongs there")
    return number


def split_words(text: str) -> list[str]:
    """The values with commas or blanks between them; a blank before deg or rad parts nothing."""
    return text.split(",") if "," in text else re.split(r"\s+(?!(?:deg|rad)\b)", text.strip())


def gains(arm: ArmDescription, option: str, text: str | None) -> np.ndarray | None:
    """One gain for all joints, or one for each, base first; None where ``text`` is None."""
    if text is None:
        return None
    words = split_words(text)
    if len(words) not in (1, arm.n):
        names = ", ".join(arm.joint_names)
        raise ArmError(f"{option} takes one gain, or {arm.n}, one for each of {names}; got {len(words)}")
    numbers = [plain_number(word, option) for word in words]
    if not all(math.isfinite(number) and number >= 0 for number in numbers):
        raise ArmError(f"{option} takes gains of zero or more, not {text.strip()!r}")
    return np.broadcast_to(numbers, (arm.n,)).astype(float)


def note_turns(option: str, angles: Iterable[tuple[str, str, float]]) -> None:
    """One note on stderr where an angle, given by name, word and value, is more than a turn: degrees were meant?"""
    far = [
        (name, word.strip())
        for name, word, x in angles
        if abs(x) > 2 * math.pi and not says_angle(word) and "pi" not in word
    ]
    if far:
        word, names = far[0][1], ", ".join(name for name, _ in far)
        note(f"{option}: more than a turn at {names}: {word} is in rad; degrees are written '{word} deg'")


def note_outside_limits(arm: ArmDescription, q: np.ndarray) -> None:
    """One note on stderr that names the joints beyond their range; the numbers are used all the same."""
    beyond = [
        joint.name
        for joint, x in zip(arm.moving, q, strict=True)
        if not joint.limits.lower - 1e-12 <= x <= joint.limits.upper + 1e-12
    ]
    if beyond:
        note(f"beyond the range of the arm: {', '.join(beyond)}; computed all the same")
