"""Conversion to exact SymPy expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...arm.errors import ArmError

if TYPE_CHECKING:
    from ..polynomial import TrigPolynomial


def to_sympy(polynomial: TrigPolynomial) -> Any:
    """The normal form as a SymPy expression in q1, q2, ... and the symbols."""
    try:
        import sympy
    except ImportError:
        raise ArmError("SymPy is not installed; install it, or use .text(), .latex() or .python()") from None
    ring = polynomial.ring
    variables: list[Any] = []
    count = len(ring.tags)
    for function in (sympy.sin, sympy.cos):
        for index, weights in enumerate(ring.angles.weights):
            if weights:
                angle = sum(sign * sympy.Symbol(f"q{joint + 1}") for joint, sign in weights)
            else:
                angle = sympy.Symbol(ring.tags[index][1:])
            variables.append(function(angle))
    variables += [sympy.Symbol(name) for name in ring.names[2 * count :]]
    return sympy.Add(
        *(
            sympy.Mul(sympy.Rational(value.numerator, value.denominator), *(variables[i] ** e for i, e in monomial))
            for monomial, value in polynomial.dictionary.items()
        )
    )
