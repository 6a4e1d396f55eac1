"""Conversion to exact SymPy expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...arm.errors import ArmError
from .form import PrintedForm

if TYPE_CHECKING:
    from ..polynomial import TrigPolynomial


def to_sympy(polynomial: TrigPolynomial) -> Any:
    """The printed form as a SymPy expression in q1, q2, ..., their rates qd1, qdd1, ... and the symbols."""
    try:
        import sympy
    except ImportError:
        raise ArmError("SymPy is not installed; install it, or use .text(), .latex() or .python()") from None
    form = PrintedForm(polynomial)
    variables: dict[str, Any] = {}
    for name in form.variables:
        angle = form.angle(name)
        if angle is None:
            variables[name] = sympy.Symbol(name)
            continue
        turned = (
            sympy.Symbol(angle)
            if isinstance(angle, str)
            else sum(sign * sympy.Symbol(f"q{joint + 1}") for joint, sign in angle)
        )
        variables[name] = (sympy.cos if name[0] == "c" else sympy.sin)(turned)
    return sympy.Add(
        *(
            sympy.Mul(sympy.Rational(value.numerator, value.denominator), *(variables[n] ** e for n, e in powers))
            for powers, value in form.terms.items()
        )
    )
