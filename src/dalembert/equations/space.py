"""The space of an arm's polynomials: the ring, the meaning of its symbols, and conversion to larger rings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from ..arm.description import listed
from ..arm.errors import ArmError
from ..arm.exact import Angle
from ..arm.joint_keys import joint_number
from ..rings.trig import TrigRing
from .symbols import Symbol


@dataclass(frozen=True, eq=False)
class Space:
    """A ring with the names and values of its symbols and joints."""

    ring: TrigRing
    symbols: Mapping[str, Symbol]
    joint_names: tuple[str, ...]
    twists: Mapping[str, Angle] = field(default_factory=dict)

    @classmethod
    def of(
        cls, ring: TrigRing, symbols: Iterable[Symbol], joint_names: tuple[str, ...], twists: Mapping[str, Angle]
    ) -> Space:
        """A space from its symbols as a sequence."""
        return cls(ring, {symbol.name: symbol for symbol in symbols}, joint_names, twists)

    @cached_property
    def single(self) -> Space:
        """The same symbols over single joint angles."""
        if not self.ring.angles.summed:
            return self
        return Space(
            TrigRing(self.ring.angles.single(), self.ring.symbols), self.symbols, self.joint_names, self.twists
        )

    def extended(self, extra: Iterable[Symbol]) -> Space:
        """The space with additional symbols."""
        new_symbols = {symbol.name: symbol for symbol in extra if symbol.name not in self.symbols}
        ring = TrigRing(self.ring.angles, (*self.ring.symbols, *new_symbols))
        return Space(ring, {**self.symbols, **new_symbols}, self.joint_names, self.twists)

    def common(self, other: Space) -> Space:
        """A space that contains both."""
        if other.ring.angles.axes != self.ring.angles.axes:
            # One of them uses single angles: sums are easily expanded into single angles, not the reverse.
            kinds = [[axis.revolute for axis in space.ring.angles.axes] for space in (self, other)]
            if kinds[0] != kinds[1]:
                raise ArmError("these polynomials belong to arms with different joints")
            return self.single.common(other.single)
        if other.ring.angles.fixed != self.ring.angles.fixed:
            raise ArmError("these polynomials have different fixed angles as symbols")
        if set(other.ring.symbols) <= set(self.ring.symbols):
            return self
        if set(self.ring.symbols) <= set(other.ring.symbols):
            return other
        return self.extended(other.symbols.values())

    def carried(self, source: Space, poly: Any) -> Any:
        """A polynomial of ``source`` as an element of this space."""
        ring, source_ring = self.ring, source.ring
        if source_ring.angles.axes == ring.angles.axes:
            images = [ring.gens[ring.index[name]] if name in ring.index else None for name in source_ring.names]
            used = poly.degrees()
            for name, image, degree in zip(source_ring.names, images, used, strict=False):
                if image is None and degree > 0:
                    raise ArmError(f"symbol {name} does not exist here")
            if not source_ring.names:
                return ring.one * poly.leading_coefficient() if poly else ring.zero
            return poly.compose(*(ring.zero if image is None else image for image in images), ctx=ring.context)
        if ring.angles.summed:
            raise ArmError("a polynomial in single angles is not carried to sums of angles; use sums from the start")
        count = len(source_ring.tags)
        images = [ring.zero] * len(source_ring.names)
        for index, weights in enumerate(source_ring.angles.weights):
            if not weights:
                fixed = source_ring.tags[index]
                images[index], images[count + index] = (ring.gens[ring.index[f"{t}{fixed}"]] for t in "sc")
                continue
            sin: Any = 0
            cos: Any = 1
            for joint, sign in weights:
                s, c = ring.sincos(ring.position(joint))
                s = s if sign > 0 else -s
                sin, cos = sin * c + cos * s, cos * c - sin * s
            images[index], images[count + index] = ring.poly_of(sin), ring.poly_of(cos)
        for name in source_ring.names[2 * count :]:
            images[source_ring.index[name]] = ring.gens[ring.index[name]]
        return ring.reduced(poly.compose(*images, ctx=ring.context))

    def joint_of(self, which: str | int) -> int:
        """The joint, counted from 0, for an integer, "q1" or a joint name."""
        number = joint_number(self.joint_names, which)
        if number is None:
            raise ArmError(
                f"there is no joint or symbol {which!r:.80}; joints are {listed(self.joint_names)} (or q1 to "
                f"q{len(self.joint_names)}), symbols are {listed(self.symbols)}"
            )
        return number

    def links_of(self, names: Iterable[str]) -> tuple[int | str, ...]:
        """The links that symbols belong to, without repetition."""
        links = (self.symbols[name].link for name in names if name in self.symbols)
        return tuple(dict.fromkeys(link for link in links if link is not None))

    def values(self, names: Iterable[str], overrides: Mapping[str, object] | None = None) -> dict[str, float]:
        """Numbers for the variables of these names and for fixed angles: the overrides, else the arm's own values."""
        overrides = overrides or {}
        unknown = [name for name in overrides if name not in self.symbols and name not in self.twists]
        if unknown:
            raise ArmError(f"there is no symbol {listed(unknown)}; the symbols are {listed(self.symbols)}")
        values: dict[str, float] = {}
        for name in names:
            value = overrides.get(name, self.symbols[name].value)
            if value is None:
                raise ArmError(f"symbol {name} has no value of its own; give one, as in poly(q, {{{name!r}: 0.5}})")
            values[name] = float(Fraction(value) if isinstance(value, int) else value)  # type: ignore[arg-type]
        for name, angle in self.twists.items():
            twist = Angle.of(overrides[name], name) if name in overrides else angle
            values[f"s_{name}"], values[f"c_{name}"] = float(twist.sin), float(twist.cos)
        return values
