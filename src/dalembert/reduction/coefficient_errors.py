"""The error of every coefficient of a reduced model: what is proved, what is found, and the root mean square."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..arm.description import ArmDescription
from ..bounds.moments import rms
from ..bounds.ranges import Largest
from ..bounds.waves import Wave
from ..equations import names
from ..equations.closed_form import Equations
from .certify import Key, Progress, bounds_by_key, coefficient_bounds
from .states import States


@dataclass(frozen=True)
class CoefficientError:
    """The error of one coefficient: proved bound, largest value attained, exact RMS over the box, each the largest of
    all loads that the model serves.

    ``scale`` is the largest magnitude of the exact coefficient at 256 positions.
    """

    name: str
    unit: str
    bound: float
    found: float
    rms: float
    scale: float

    @property
    def tightness(self) -> float:
        """Proved bound over attained error; 1 is a perfect proof."""
        return self.bound / self.found if self.found > 0 else 1.0


def coefficient_errors(
    differences: Sequence[Mapping[Key, Wave]],
    equations: Equations,
    states: States,
    arm: ArmDescription,
    effort: float,
    progress: Progress | None = None,
    done: Sequence[dict[bytes, Largest]] = (),
    partial: bool = False,
) -> tuple[CoefficientError, ...]:
    """What is proved and found of every coefficient that differs; ``differences`` for each load.

    ``done`` gets what is proved for each load, and is not proved again. With ``partial`` an interrupt (Ctrl-C) ends
    with the coefficients that are done for every load.
    """
    errors, box = [], states.box
    done = done or [{} for _ in differences]
    q = box.samples(256)
    exact = {"D": equations.mass_matrix, "C": equations.christoffel}
    loads = len(differences)
    try:
        for load, waves in enumerate(differences):

            def tell(text: str, share: float, load: int = load) -> None:
                if progress is not None:
                    progress(text, (load + share) / loads)

            coefficient_bounds(waves, states, tell, False, effort / loads, done[load])
    except KeyboardInterrupt:
        if not partial:
            raise
    bounds = [bounds_by_key(waves, states, known) for waves, known in zip(differences, done, strict=True)]
    for kind, index in sorted({key for waves in differences for key in waves}):
        if any(
            (kind, index) in waves and (kind, index) not in of_load
            for waves, of_load in zip(differences, bounds, strict=True)
        ):
            continue
        pairs = [proved_pairs[kind, index] for proved_pairs in bounds if (kind, index) in proved_pairs]
        proved, attained = (max(side) for side in zip(*pairs, strict=True))
        root = max(rms(waves[kind, index], box) for waves in differences if (kind, index) in waves)
        name = names.name(kind, index)
        poly = equations.gravity[index[0]] if kind == "G" else exact[kind][index]
        largest_value = float(np.abs(poly(q)).max())
        errors.append(CoefficientError(name, names.coefficient_unit(arm, name), proved, attained, root, largest_value))
    return tuple(errors)
