"""The error of a short form, and what a share of it is a share of.

``"largest"``: of the largest magnitude of the coefficient; ``"range"``: of its maximum less its minimum. For an
inertia, which never comes near zero, the range is the smaller of the two; for a load that swings evenly about zero it
is twice the largest magnitude.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...arm.description import listed
from ...arm.errors import ArmError
from ...bounds.box import Box
from ...bounds.ranges import LESS_WORK, range_of
from ...bounds.waves import Wave
from .fitting import QUICK

RELATIVE_TO = {"largest": "largest value", "range": "range (maximum less minimum)"}
"""What a tolerance of short forms can be a share of, and how that is called."""


@dataclass(frozen=True)
class FormError:
    """A short form of one system: its largest error, proved and attained, and the RMS over the box.

    ``load`` says what the system holds; ``largest`` and ``span`` are the largest magnitude of the exact coefficient and
    its maximum less its minimum, both attained, so that a share of them is never flattered.
    """

    load: str
    bound: float
    found: float
    rms: float
    largest: float
    span: float

    @property
    def share_of_largest(self) -> float:
        """The proved error as a share of the largest magnitude of the coefficient."""
        return self.bound / self.largest if self.largest else 0.0

    @property
    def share_of_range(self) -> float:
        """The proved error as a share of maximum less minimum; zero for a coefficient that does not vary."""
        return self.bound / self.span if self.span else 0.0

    def share(self, relative_to: str) -> float:
        """One of the two."""
        return self.share_of_largest if relative_to == "largest" else self.share_of_range

    def reference(self, relative_to: str) -> float:
        """What that is a share of."""
        return reference((self.largest, self.span), relative_to)


def check_relative_to(relative_to: str) -> None:
    """Refuse a word that is not in ``RELATIVE_TO``."""
    if relative_to not in RELATIVE_TO:
        raise ArmError(f"a tolerance of short forms is relative to one of {listed(RELATIVE_TO)}, not {relative_to!r}")


def sizes(wave: Wave, box: Box, effort: float = 1.0) -> tuple[float, float]:
    """Largest magnitude and maximum less minimum of a coefficient, as attained.

    An underestimate makes a tolerance stricter, never wider.
    """
    ends = range_of(wave, box, max(0.002 * wave.most(box.reach), 1e-300), work=effort * QUICK * LESS_WORK)
    return ends.largest, ends.maximum - ends.minimum


def reference(size: tuple[float, float], relative_to: str) -> float:
    """What a tolerance is a share of, from the two ``sizes``."""
    return size[0] if relative_to == "largest" else size[1]
