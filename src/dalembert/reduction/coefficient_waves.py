"""All coefficients of an arm as waves: D, C, G from the exact closed form, C from the derivatives of D."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..arm.description import ArmDescription
from ..bounds.waves import Wave, constant, total, wave_of, zero
from ..equations import names
from ..equations.closed_form import Equations


def input_inertia(arm: ArmDescription) -> NDArray[np.float64]:
    """What the drives add to the diagonal of D at the joint (kg m^2 or kg): armature, rotors through their gears."""
    found = np.zeros(arm.n)
    for index, joint in enumerate(arm.moving):
        found[index] = joint.armature
        drive = joint.drive
        if drive is not None:
            if drive.input_inertia is not None:
                found[index] += drive.input_inertia
            elif drive.motor_inertia is not None:
                found[index] += drive.motor_inertia * (drive.gear_ratio or 1.0) ** 2
    return found


class ModelWaves:
    """The coefficients of one arm (with the load it holds), each turned into a wave when it is asked for."""

    def __init__(self, arm: ArmDescription, drives: bool = False) -> None:
        self.arm, self.n = arm, arm.n
        self.equations = Equations(arm, "numbers")
        self.added = input_inertia(arm) if drives else np.zeros(arm.n)
        self._inertia: dict[tuple[int, int], Wave] = {}
        self._gravity: dict[int, Wave] = {}

    def inertia(self, i: int, j: int) -> Wave:
        """D_ij, with the input inertia on the diagonal where drives count."""
        key = (min(i, j), max(i, j))
        if key not in self._inertia:
            wave = wave_of(self.equations.mass_matrix[key])
            if i == j and self.added[i]:
                wave = wave + constant(float(self.added[i]), self.n)
            self._inertia[key] = wave
        return self._inertia[key]

    def gravity(self, i: int) -> Wave:
        if i not in self._gravity:
            self._gravity[i] = wave_of(self.equations.gravity[i])
        return self._gravity[i]

    @cached_property
    def christoffel(self) -> dict[tuple[int, int, int], Wave]:
        """C_ijk with j <= k, those that are not zero."""
        return christoffel({(i, j): self.inertia(i, j) for i in range(self.n) for j in range(i, self.n)}, self.n)

    def wave(self, name: str) -> Wave:
        """A coefficient by its printed name."""
        kind, index = names.parse(name, self.n)
        if kind == "D":
            return self.inertia(index[0], index[1])
        if kind == "G":
            return self.gravity(index[0])
        i, j, k = index
        return self.christoffel.get((i, min(j, k), max(j, k)), zero(self.n))

    def unit(self, name: str) -> str:
        return names.coefficient_unit(self.arm, name)


def christoffel(inertia: dict[tuple[int, int], Wave], n: int) -> dict[tuple[int, int, int], Wave]:
    """c_ijk = (d D_ij/d q_k + d D_ik/d q_j - d D_jk/d q_i) / 2."""
    slopes: dict[tuple[int, int, int], Wave] = {}
    for (i, j), wave in inertia.items():
        for k in wave.joints:
            slopes[i, j, k] = slopes[j, i, k] = wave.diff(k)
    found: dict[tuple[int, int, int], Wave] = {}
    for i in range(n):
        for j in range(n):
            for k in range(j, n):
                parts = [slopes[key] for key in ((i, j, k), (i, k, j)) if key in slopes]
                if (j, k, i) in slopes:
                    parts.append(-slopes[j, k, i])
                if parts:
                    wave = total(parts).times(0.5)
                    # What cancels exactly leaves rounding behind; rows below it are no terms of the function.
                    floor = 64 * wave.slack / max(1, len(wave))
                    rows = wave.size > floor
                    if rows.any():
                        rest = float(wave.size[~rows].sum())
                        kept = wave.kept(rows)
                        found[i, j, k] = Wave(kept.k, kept.p, kept.c, wave.slack + rest)
    return found
