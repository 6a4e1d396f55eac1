"""What a friction model is: a law that says how starting friction passes into moving friction as a shaft speeds up."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, ClassVar, Protocol


class Quotients(Protocol):
    """The field the law is written over: exact constants and quotients; ``+ - *`` are operators of its numbers."""

    def number(self, value: Fraction) -> Any:
        """The constant ``value``."""
        ...

    def divide(self, a: Any, b: Any) -> Any:
        """a / b."""
        ...


class FrictionLaw(Protocol):
    """Moving friction at speed s is F_moving + w(s) (F_starting - F_moving), and viscous friction on top."""

    def weight(self, field: Quotients, speed: Any) -> Any:
        """w(s), the weight of starting friction at this speed, over any field; even, and 0 where it never counts."""
        ...


class FrictionModel(FrictionLaw, Protocol):
    """A frozen dataclass whose fields are the parameters of the law, numbers in SI units."""

    __dataclass_fields__: ClassVar[dict[str, Any]]
    name: ClassVar[str]
    """Its name in files."""
    varies: ClassVar[bool]
    """False if w is zero at every speed."""

    def check(self, where: str) -> None:
        """Raises ArmError where a parameter makes no sense."""
        ...
