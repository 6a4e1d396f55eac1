"""The equations of motion of an arm with its drives in closed form: rotors as exact polynomials beside the links.

D is that of the links plus what ``formulations/rotors.py`` gives over the trigonometric ring; the Christoffel
symbols follow from D as always. Ratios and rotor inertias enter as numbers, link parameters as asked for.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arm.description import ArmDescription
from ..arm.drives import DriveTrain
from ..equations.closed_form import Equations
from ..equations.polynomial import as_polynomial
from ..equations.symbols import Request
from ..formulations import rotors
from ..formulations.drive_train import RingTrain
from ..rings.algebra import add


class DrivenEquations(Equations):
    """``Equations`` with the rotors in D and in the Christoffel symbols; torques are those at the joints."""

    def __init__(
        self,
        arm: ArmDescription,
        train: DriveTrain,
        parameters: Request = "numbers",
        approximation: str = "exact",
    ) -> None:
        super().__init__(arm, parameters)
        train.check(arm)
        self.train = train
        self.parts = RingTrain(arm, train, self.model.ring, approximation)

    @cached_property
    def rotor_matrix(self) -> list[list[Any]]:
        """What the rotors add to D, over the ring."""
        q = self.model.ring.positions
        return rotors.mass_matrix(self.model.chain, self.model.ring, q, *self.parts.spins(self.model.ring, q))

    @cached_property
    def _matrix(self) -> list[list[Any]]:
        links = self.model.mass_matrix()
        return [[add(a, b) for a, b in zip(r, s, strict=True)] for r, s in zip(links, self.rotor_matrix, strict=True)]

    @cached_property
    def rotor_christoffel(self) -> NDArray[np.object_]:
        """What the rotors add to the Christoffel symbols, by the formula of their own: a check on the derivatives."""
        q = self.model.ring.positions
        found = rotors.christoffel(self.model.chain, self.model.ring, q, *self.parts.spins(self.model.ring, q))
        return self._array(found, (self.n,) * 3, "")

    def _array(self, numbers: Any, shape: tuple[int, ...], kind: str) -> NDArray[np.object_]:
        """Polynomials without shares of links: a rotor belongs to two of them."""
        found = np.empty(shape, dtype=object)
        for index in np.ndindex(shape):
            entry = numbers
            for i in index:
                entry = entry[i]
            found[index] = as_polynomial(self.space, entry)
        return found

    def __repr__(self) -> str:
        return f"<Equations of {self.arm.name} with {len(self.train.actuators)} drives: {self.n} joints>"
