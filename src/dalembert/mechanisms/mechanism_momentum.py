"""Mass centre and momentum of a mechanism: sums over its chains, carried to the coordinates.

With h(phi) the first moment of all that moves and A(phi) phi' its momentum (linear; angular about the origin of the
ground), the mass centre is h / m and the momentum A X q', X = [G^phi_q] (Orin, Goswami and Lee 2013, for each chain).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ..arm.errors import ArmError
from ..formulations.rotors import unplaced
from ..rings.real import REAL
from ..systems.frame_axes import skew
from . import transfer
from .batch import Array, over_columns
from .mechanism_friction import MechanismFriction


class MechanismMomentum(MechanismFriction):
    """The methods of ``Mechanism`` about mass centre and momentum."""

    @cached_property
    def mass(self) -> float:
        """Mass of all that moves (kg): links, loads, bodies that counted drives move. What is fixed is not in it."""
        return float(sum(float(numbers.system.total_mass()) for numbers in self.chains.numbers))

    def center_of_mass(self, phi: ArrayLike) -> Array:
        """The mass centre of all that moves, in the ground ``(..., 3)`` (m)."""
        mass = self._moving_mass()

        def centre(phi: Array) -> Array:
            moments = [
                over_columns(lambda q, system=numbers.system: list(system.first_moment(REAL, q)), phi[:, joints])
                for numbers, joints in self._chain_slices()
            ]
            return np.asarray(np.sum(moments, axis=0) / mass)

        return np.asarray(self.batched(centre, self._joints(phi)))

    def center_of_mass_jacobian(self, phi: ArrayLike) -> Array:
        """``(..., 3, n)``: velocity of the mass centre per rate of the coordinates, axes of the ground."""
        mass = self._moving_mass()

        def slopes(phi: Array) -> Array:
            rows = [
                over_columns(lambda q, system=numbers.system: system.linear_momentum(REAL, q), phi[:, joints])
                for numbers, joints in self._chain_slices()
            ]
            return np.concatenate(rows, axis=2) @ self.first_influence(phi) / mass

        return np.asarray(self.batched(slopes, self._joints(phi)))

    def momentum_matrix(self, phi: ArrayLike, about: str = "center") -> Array:
        """``(..., 6, n)``: linear momentum (N s), then angular (N m s), per rate of the coordinates, in ground axes.

        Angular momentum is about the mass centre, or with ``about="base"`` about the origin of the ground. Rotors of
        drives that count spin with it.
        """
        if about not in ("center", "base"):
            raise ArmError(f'momentum is about "center" or "base", not {about!r}')
        spinning = [drive.name for drive in self.parts.drives if drive.rotor.inertia]
        if spinning:
            raise ArmError(f"{self.name}: {unplaced(spinning)}")

        def table(phi: Array) -> Array:
            rows = [
                over_columns(lambda q, system=numbers.system: system.momentum_matrix(REAL, q), phi[:, joints])
                for numbers, joints in self._chain_slices()
            ]
            return np.concatenate(rows, axis=2) @ self.first_influence(phi)

        matrix = np.asarray(self.batched(table, self._joints(phi)))
        if about == "center":
            matrix[..., 3:, :] -= skew(self.center_of_mass(phi)) @ matrix[..., :3, :]
        return matrix

    def momentum(self, phi: ArrayLike, qd: ArrayLike, about: str = "center") -> Array:
        """``(..., 6)``: linear momentum (N s), then angular momentum (N m s), of all that moves."""

        def total(phi: Array, qd: Array) -> Array:
            return transfer.times(self.momentum_matrix(phi, about), qd)

        return np.asarray(self.batched(total, self._joints(phi), self._rates("qd", qd)))

    def _moving_mass(self) -> float:
        """The mass, refused where nothing that moves has any."""
        if not self.mass:
            raise ArmError(f"{self.name}: nothing that moves has mass, so that it has no mass centre")
        return self.mass
