"""TrigPolynomial: one coefficient of the equations of motion, as an exact function in normal form."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.array_input import real_array
from ..arm.errors import ArmError
from ..arm.exact import Angle, exact
from ..arm.lazy_arrays import is_lazy, mapped
from ..rings.joint_angles import constant
from ..rings.sparse import Monomial, terms
from ..rings.trig import TrigNumber, TrigRing
from .evaluation import Evaluator
from .space import Space


@dataclass(frozen=True)
class Term:
    """One term of the normal form: a rational coefficient times powers of variables.

    ``trig`` and ``parameters`` hold the powers of sines, cosines and joint variables, and of symbols. ``links``
    are the bodies (counted from 1, "L" for the load) whose inertia the term comes from.
    """

    coefficient: Fraction
    trig: Mapping[str, int]
    parameters: Mapping[str, int]
    links: tuple[int | str, ...]


class TrigPolynomial:
    """An exact polynomial in sines, cosines, joint variables and symbols; equal functions have equal normal forms."""

    __slots__ = ("__dict__", "_split", "poly", "space")

    def __init__(self, space: Space, poly: Any, split: Callable[[], Mapping[int | str, Any]] | None = None) -> None:
        self.space, self.poly, self._split = space, poly, split

    def __reduce__(self) -> tuple[Any, ...]:
        # Which link each term comes from is worked out from the equations, and stays with them.
        rows = [(exponents, int(c.p), int(c.q)) for exponents, c in self.poly.to_dict().items()]
        return _restored, (self.space, rows)

    @property
    def ring(self) -> TrigRing:
        """The ring of the normal form."""
        return self.space.ring

    # -- algebra ---------------------------------------------------------------------------------

    def _over_common_ring(self, other: object) -> tuple[TrigPolynomial, Any] | None:
        """Both operands over a common ring: (self, polynomial of other), or None for other types."""
        if isinstance(other, TrigPolynomial):
            if other.space.ring is self.space.ring:
                return self, other.poly
            wide = self.space.common(other.space)
            return self.over(wide), other.over(wide).poly
        if isinstance(other, int | float | Fraction | np.floating | np.integer) and not isinstance(other, bool):
            value = exact(other, "number")
            return self, self.ring.one * constant(value)
        return None

    def over(self, space: Space) -> TrigPolynomial:
        """The same function as an element of a larger ring."""
        return self if space.ring is self.ring else TrigPolynomial(space, space.carried(self.space, self.poly))

    def __add__(self, other: object) -> TrigPolynomial:
        pair = self._over_common_ring(other)
        return NotImplemented if pair is None else pair[0]._new(pair[0].poly + pair[1])

    __radd__ = __add__

    def __neg__(self) -> TrigPolynomial:
        return self._new(-self.poly)

    def __sub__(self, other: object) -> TrigPolynomial:
        pair = self._over_common_ring(other)
        return NotImplemented if pair is None else pair[0]._new(pair[0].poly - pair[1])

    def __rsub__(self, other: object) -> TrigPolynomial:
        return (-self) + other

    def __mul__(self, other: object) -> TrigPolynomial:
        pair = self._over_common_ring(other)
        return NotImplemented if pair is None else pair[0]._new(pair[0].ring.reduced(pair[0].poly * pair[1]))

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> TrigPolynomial:
        if isinstance(other, TrigPolynomial):
            if not other.poly.is_constant() or not other.poly:
                raise ArmError("a trigonometric polynomial can be divided by a non-zero number only")
            other = other.number
        return self * (1 / exact(other, "divisor"))

    def __pow__(self, power: int) -> TrigPolynomial:
        if not isinstance(power, int) or power < 0:
            raise ArmError(f"a trigonometric polynomial has powers 0, 1, 2, ..., not {power!r}")
        result = self._new(self.ring.one)
        for _ in range(power):
            result = result * self
        return result

    def __eq__(self, other: object) -> bool:
        try:
            pair = self._over_common_ring(other)
        except ArmError:
            return False
        return NotImplemented if pair is None else bool(pair[0].poly == pair[1])

    def __hash__(self) -> int:
        # Equal functions may be written with or without sums of angles; their forms in single angles are equal.
        return hash(frozenset(self.product_form().monomials.items()))

    def __bool__(self) -> bool:
        return bool(self.poly)

    def _new(self, poly: Any) -> TrigPolynomial:
        return TrigPolynomial(self.space, poly)

    # -- properties ------------------------------------------------------------------------------

    @property
    def number(self) -> Fraction:
        """The value, if it is a plain number."""
        if not self.poly.is_constant():
            raise ArmError(f"{self} is not a number; it depends on {', '.join(self.variables)}")
        return Fraction(str(self.poly.leading_coefficient())) if self.poly else Fraction(0)

    @cached_property
    def dictionary(self) -> dict[Monomial, Fraction]:
        """Monomials, as (variable, power) pairs over the ring's variables, to coefficients."""
        return terms(self.poly)

    @property
    def monomials(self) -> dict[tuple[tuple[str, int], ...], Fraction]:
        """Monomials, as sorted (variable, power) pairs with variables such as s2, c23, q3, m1, to coefficients."""
        names = self.ring.names
        return {tuple(sorted((names[i], e) for i, e in m)): value for m, value in self.dictionary.items()}

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """Names of all variables that occur in the normal form."""
        return tuple(name for name, degree in zip(self.ring.names, self.poly.degrees(), strict=False) if degree > 0)

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """Names of the symbols that occur."""
        return tuple(name for name in self.variables if self.ring.index[name] >= self.ring.first_symbol)

    @cached_property
    def joints(self) -> tuple[int, ...]:
        """The joints (counted from 0) with respect to which the partial derivative is not zero."""
        return tuple(j for j in range(self.ring.angles.joints) if self.ring.derivative(self.poly, j))

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        """The terms of the normal form, leading term first."""
        if self._split is not None:
            parts = {link: TrigPolynomial(self.space, part) for link, part in self._split().items()}
            owners: dict[Monomial, list[int | str]] = {}
            for link, part in parts.items():
                for powers in part.dictionary:
                    owners.setdefault(powers, []).append(link)
            return tuple(self._term(p, value, tuple(owners.get(p, ()))) for p, value in self.dictionary.items())
        return tuple(self._term(powers, value, None) for powers, value in self.dictionary.items())

    def _term(self, powers: Monomial, value: Fraction, links: tuple[int | str, ...] | None) -> Term:
        names, first = self.ring.names, self.ring.first_symbol
        trig = {names[i]: e for i, e in powers if i < first}
        symbols = {names[i]: e for i, e in powers if i >= first}
        owners = links if links is not None else self.space.links_of(symbols)
        return Term(value, trig, symbols, owners)

    def __len__(self) -> int:
        return len(self.poly)

    # -- calculus and substitution ---------------------------------------------------------------

    def diff(self, variable: int | str) -> TrigPolynomial:
        """The partial derivative with respect to a joint position (an integer counted from 0, or "q1") or a symbol."""
        if isinstance(variable, str) and variable in self.ring.symbols:
            return self._new(self.poly.derivative(self.ring.index[variable]))
        return self._new(self.ring.derivative(self.poly, self.space.joint_of(variable)))

    def substitute(self, values: Mapping[Any, object]) -> TrigPolynomial:
        """Joints ("q1", or 0 for the first) and symbols replaced by numbers, symbols also by polynomials.

        A joint angle becomes a rational point on the circle, exact for multiples of 90 degrees.
        """
        images = list(self.ring.gens)
        joints: dict[int, object] = {}
        for key, value in values.items():
            if isinstance(key, str) and key in self.ring.symbols:
                images[self.ring.index[key]] = self._image(value)
            else:
                joints[self.space.joint_of(key)] = value
        count = len(self.ring.tags)
        for joint in set(joints) & set(self.ring.sliding):
            images[self.ring.sliding[joint]] = self._image(joints[joint])
        angles = {
            joint: Angle.of(value, f"q{joint + 1}") for joint, value in joints.items() if joint not in self.ring.sliding
        }
        if angles:
            for index, weights in enumerate(self.ring.angles.weights):
                if any(joint in angles for joint, _ in weights):
                    sin, cos = self._sincos_of_sum(weights, angles)
                    images[index], images[count + index] = self.ring.poly_of(sin), self.ring.poly_of(cos)
        if not self.ring.names:
            return self
        return self._new(self.ring.reduced(self.poly.compose(*images, ctx=self.ring.context)))

    def _image(self, value: object) -> Any:
        """The polynomial that replaces a variable."""
        if isinstance(value, TrigPolynomial):
            return value.over(self.space).poly
        return self.ring.one * constant(exact(value, "value"))

    def _sincos_of_sum(self, weights: tuple[tuple[int, int], ...], angles: Mapping[int, Angle]) -> tuple[Any, Any]:
        """Sine and cosine of a sum of joint angles, some of them fixed."""
        sin: Any = 0
        cos: Any = 1
        for joint, sign in weights:
            if joint in angles:
                s, c = self.ring.number(angles[joint].sin), self.ring.number(angles[joint].cos)
            else:
                s, c = self.ring.sincos(self.ring.position(joint))
            s = s if sign > 0 else -s
            sin, cos = sin * c + cos * s, cos * c - sin * s
        return sin, cos

    def coefficient(self, symbol: str) -> TrigPolynomial:
        """The factor of a symbol in which the function is linear: the partial derivative with respect to it."""
        return self.diff(symbol)

    # -- values and other forms ------------------------------------------------------------------

    @cached_property
    def _evaluator(self) -> Evaluator:
        return Evaluator(self.ring, self.dictionary)

    def __call__(self, q: ArrayLike, parameters: Mapping[str, object] | None = None) -> NDArray[np.float64]:
        """The values at joint positions ``q`` of shape (..., n); symbols take the arm's numbers unless given."""
        if is_lazy(q):
            return mapped(lambda positions: self(positions, parameters), q)
        return self._evaluator(real_array("q", q), self.space.values(self.parameters, parameters))

    def harmonics(self) -> dict[tuple[int, ...], tuple[TrigPolynomial, TrigPolynomial]]:
        """The finite Fourier series: k -> (a, b) with the function equal to the sum of a cos(k.q) + b sin(k.q).

        k has one integer per joint (zero for prismatic ones) and its first non-zero entry is positive. The
        coefficients hold symbols and prismatic positions only.
        """
        from .fourier import harmonics

        return harmonics(self)

    def product_form(self) -> TrigPolynomial:
        """The same function in the sines and cosines of single joints, without sums of angles."""
        return self.over(self.space.single)

    # -- printing --------------------------------------------------------------------------------

    def text(self, group_by: str | None = None, digits: int | None = 6) -> str:
        """Plain text with real subscripts: m₃ c₂₃²."""
        from .printing.formats import text

        return text(self, group_by, digits)

    def latex(self, group_by: str | None = None, digits: int | None = 6) -> str:
        """LaTeX, without math delimiters."""
        from .printing.formats import latex

        return latex(self, group_by, digits)

    def markdown(self, group_by: str | None = None, digits: int | None = 6) -> str:
        """LaTeX between dollar signs, as in Markdown."""
        return f"${self.latex(group_by, digits)}$"

    def mathml(self, group_by: str | None = None, digits: int | None = 6) -> str:
        """Presentation MathML, which browsers display without a script."""
        from .printing.formats import mathml

        return mathml(self, group_by, digits)

    def sympy(self) -> Any:
        """A SymPy expression in the symbols and in q1, q2, ...; needs SymPy."""
        from .printing.to_sympy import to_sympy

        return to_sympy(self)

    def python(self) -> str:
        """A Python expression in variables such as c2, s23, q3, m1; ``code_names`` lists them."""
        from .printing.formats import python

        return python(self)

    def c(self) -> str:
        """A C expression in the same variables as ``python``."""
        from .printing.formats import c

        return c(self)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        if len(self.poly) > 40:
            return f"<TrigPolynomial of {len(self.poly)} terms in {', '.join(self.variables[:8])}, ...>"
        return f"<TrigPolynomial {self.text()}>"

    def _repr_latex_(self) -> str:
        from .printing.excerpt import excerpt_latex

        return f"$\\displaystyle {excerpt_latex(self)}$"

    def _repr_html_(self) -> str:
        from ..markup.elements import tag
        from ..markup.notebook import framed
        from .printing.excerpt import excerpt_html

        return framed(tag("p", excerpt_html(self), class_="eq"))


def as_polynomial(space: Space, number: Any) -> TrigPolynomial:
    """A number of the ring, or a structural constant, as a TrigPolynomial."""
    poly = number.poly if isinstance(number, TrigNumber) else space.ring.one * constant(number)
    return TrigPolynomial(space, poly)


def _restored(space: Space, rows: Sequence[tuple[tuple[int, ...], int, int]]) -> TrigPolynomial:
    """A polynomial from its terms: exponents, numerator, denominator."""
    terms = {tuple(exponents): constant(Fraction(numerator, denominator)) for exponents, numerator, denominator in rows}
    return TrigPolynomial(space, space.ring.context.from_dict(terms))
