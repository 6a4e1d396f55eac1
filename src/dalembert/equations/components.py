"""A coefficient at a pose as a list of components, the constant ones apart (Bejczy 1974, section VII.A).

A component is what one link adds by one of its moments of inertia, by its mass with one set of sliding positions, or
by its mass with lengths alone: m3 k_322^2 s2^2, m3 r3 (2 z3 + r3) s2^2, m3 r2^2. Their sum is the coefficient.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..arm.errors import ArmError
from . import names
from .printing.form import PrintedForm
from .printing.formats import Dialect
from .printing.printed_terms import Powers, Terms

if TYPE_CHECKING:
    from .closed_form import Equations


@dataclass(frozen=True)
class Component:
    """One component: the link it comes from ("L" for the load, "drives" for the rotors), its formula and its value."""

    coefficient: str
    link: int | str
    formula: str
    value: float
    constant: bool
    unit: str


def components(
    equations: Equations, name: str, q: ArrayLike, parameters: Mapping[str, object] | None = None
) -> tuple[Component, ...]:
    """The components of a coefficient at positions ``q``, constant ones first, each link after those before it."""
    position = np.asarray(q, dtype=float)
    if position.shape != (equations.n,):
        raise ArmError(
            f"{equations.arm.name}: components are of one pose of {equations.n} joints, got {position.shape}"
        )
    printed = names.name(*names.parse(name, equations.n))
    unit = names.coefficient_unit(equations.arm, printed)
    values = {symbol.name: float(symbol.value) for symbol in equations.symbols if symbol.value is not None}
    values |= {key: float(str(value)) for key, value in (parameters or {}).items()}
    components_ = []
    for link, part in equations.by_link(name).items():
        form = PrintedForm(part)
        groups: dict[tuple[bool, Powers], Terms] = {}
        for powers, number in form.terms.items():
            constant = not any(variable in form.trig for variable, _ in powers)
            groups.setdefault((constant, source(form, powers)), {})[powers] = number
        for (constant, _), terms in groups.items():
            value = math.fsum(
                term_value(form, powers, float(number), position, values) for powers, number in terms.items()
            )
            components_.append(Component(printed, link, Dialect(6).sum(form.shared(terms)), value, constant, unit))
    return tuple(sorted(components_, key=lambda component: not component.constant))


def source(form: PrintedForm, powers: Powers) -> Powers:
    """What a term comes from: a moment of inertia, else the sliding positions it has."""
    moments = frozenset((name, 1) for name, _ in form._inertial(powers) if name[0] in "kIC")
    return moments or frozenset((name, 1) for name, _ in powers if name in form.trig and name.startswith("q"))


def term_value(form: PrintedForm, powers: Powers, number: float, q: np.ndarray, values: Mapping[str, float]) -> float:
    """A number times powers of sines, cosines, positions and symbols."""
    for name, power in powers:
        if name not in form.trig:
            base = values[name]
        elif name.startswith("q"):
            base = float(q[int(name[1:]) - 1])
        else:
            angle = form.angle(name)
            turn = (
                form.space.twists[angle].radians
                if isinstance(angle, str)
                else sum(sign * float(q[joint]) for joint, sign in angle or ())
            )
            base = math.cos(turn) if name[0] == "c" else math.sin(turn)
        number *= base**power
    return number
