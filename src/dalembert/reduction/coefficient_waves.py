"""All coefficients of a system as waves: D, C and G, each from its own exact closed form."""

from __future__ import annotations

from functools import cached_property

from ..arm.description import ArmDescription
from ..bounds.waves import Wave, wave_of, zero
from ..equations import names
from ..equations.closed_form import Equations


class CoefficientWaves:
    """The coefficients of one system (with its load, and its rotors where the drives count), each when asked for."""

    def __init__(self, arm: ArmDescription, equations: Equations | None = None) -> None:
        self.arm, self.n = arm, arm.n
        self.equations = equations if equations is not None else Equations(arm, "numbers")
        self._inertia: dict[tuple[int, int], Wave] = {}
        self._gravity: dict[int, Wave] = {}

    @cached_property
    def pulled(self) -> tuple[CoefficientWaves, ...]:
        """The same under gravity of 1 m/s^2 along each axis of the base."""
        return tuple(CoefficientWaves(self.arm.with_gravity(axis)) for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1)))

    @property
    def has_moving_bodies(self) -> bool:
        """True if the drives count and move bodies on the links."""
        return self.equations.model.system.has_moving_bodies

    def inertia(self, i: int, j: int) -> Wave:
        """D_ij."""
        key = (min(i, j), max(i, j))
        if key not in self._inertia:
            self._inertia[key] = wave_of(self.equations.mass_matrix[key])
        return self._inertia[key]

    def rotors(self, i: int, j: int) -> Wave:
        """What the rotors add to D_ij."""
        return wave_of(self.equations.rotors(names.name("D", (i, j))))

    def gravity(self, i: int) -> Wave:
        """G_i."""
        if i not in self._gravity:
            self._gravity[i] = wave_of(self.equations.gravity[i])
        return self._gravity[i]

    @cached_property
    def christoffel(self) -> dict[tuple[int, int, int], Wave]:
        """C_ijk with j <= k, those that are not zero.

        Not from the waves of D: terms of D that are lost beside larger ones may be all there is to a C.
        """
        exact, n = self.equations.christoffel, self.n
        indices = [(i, j, k) for i in range(n) for j in range(n) for k in range(j, n)]
        return {index: wave_of(polynomial) for index in indices if (polynomial := exact[index])}

    def wave(self, name: str) -> Wave:
        """A coefficient by its printed name."""
        kind, index = names.parse(name, self.n)
        if kind == "G":
            return self.gravity(index[0])
        if len(index) == 2:
            return self.inertia(index[0], index[1])
        i, j, k = index
        wave = self.christoffel.get((i, min(j, k), max(j, k)), zero(self.n))
        return wave.times(names.speeds_counted(index)) if kind == "D" else wave

    def unit(self, name: str) -> str:
        """The SI unit of a coefficient."""
        return names.coefficient_unit(self.arm, name)
