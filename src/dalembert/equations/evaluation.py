"""Vectorised evaluation of polynomials."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from ..rings.sparse import Monomial
from ..rings.trig import TrigRing


class Evaluator:
    """Terms grouped by trigonometric factor, so that symbols are evaluated once and not for every state."""

    def __init__(self, ring: TrigRing, terms: Mapping[Monomial, Fraction]) -> None:
        self.ring = ring
        first = ring.first_symbol
        self.factors: dict[tuple[tuple[int, int], ...], list[tuple[float, list[tuple[str, int]]]]] = {}
        for powers, value in terms.items():
            factor = tuple((i, e) for i, e in powers if i < first)
            symbols = [(ring.names[i], e) for i, e in powers if i >= first]
            self.factors.setdefault(factor, []).append((float(value), symbols))

    def __call__(self, q: NDArray[np.float64], values: Mapping[str, float]) -> NDArray[np.float64]:
        joints = self.ring.angles.joints
        if q.shape[-1:] != (joints,):
            raise ArmError(f"q has shape {q.shape}; its last axis must hold the {joints} joint positions")
        variables = self._variables(q, values)
        total = np.zeros(q.shape[:-1])
        for factor, terms in self.factors.items():
            number = sum(coefficient * _power_product(values, symbols) for coefficient, symbols in terms)
            product: NDArray[np.float64] | float = number
            for index, power in factor:
                base = variables[index]
                product = product * (base if power == 1 else base * base if power == 2 else base**power)
            total = total + product
        return total

    def _variables(self, q: NDArray[np.float64], values: Mapping[str, float]) -> list[NDArray[np.float64] | float]:
        """Values of the sines, cosines and prismatic positions, in the order of the ring's variables."""
        count = len(self.ring.tags)
        variables: list[NDArray[np.float64] | float] = [0.0] * self.ring.first_symbol
        for index, weights in enumerate(self.ring.angles.weights):
            if weights:
                angle = sum((sign * q[..., joint] for joint, sign in weights), start=np.zeros(q.shape[:-1]))
                variables[index], variables[count + index] = np.sin(angle), np.cos(angle)
            else:
                tag = self.ring.tags[index]
                variables[index], variables[count + index] = values[f"s{tag}"], values[f"c{tag}"]
        for joint, index in self.ring.sliding.items():
            variables[index] = q[..., joint]
        return variables


def _power_product(values: Mapping[str, float], symbols: list[tuple[str, int]]) -> float:
    """The product of powers of symbols."""
    product = 1.0
    for name, power in symbols:
        product *= values[name] ** power
    return product
