"""Safe XML parser of robot files, with exact numbers.

Document types, entities and external references are refused, and size, number of elements and depth are bounded: a
hostile or broken file ends in one error message and cannot exhaust the memory.
"""

from __future__ import annotations

import difflib
import math
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from xml.etree.ElementTree import Element, TreeBuilder

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import ParseError, XMLParser

from ..description import listed
from ..errors import ArmError, SkippedWarning
from ..exact import exact
from ..placement import Vector

LONGEST_TEXT = 16_000_000
MOST_ELEMENTS = 100_000
DEEPEST = 200
MOST_LINKS = 1000
LONGEST_NUMBER = 300
LONGEST_NAME = 300
LARGEST_NUMBER = Fraction(10**30)
LARGEST_ANGLE = 10**6
MOST_SKIPPED = 1000
"""Most different names in a file that are not known."""
CLOSE = 0.65
"""Similarity (difflib ratio) from which an unknown name is taken for a misspelling of a missing one."""
UNLIMITED = Fraction(10**16)
"""A limit of this size or more means unlimited, in formats without a notation for that."""

NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
INFINITE = re.compile(r"([+-]?)inf(?:inity)?", re.IGNORECASE)


class _Bounded(TreeBuilder):
    """A tree builder that stops where the document exceeds the bounds."""

    def __init__(self, origin: str) -> None:
        super().__init__()
        self.origin, self.depth, self.count = origin, 0, 0

    def start(self, tag: str, attrs: dict[str, str], /) -> Element:
        self.depth += 1
        self.count += 1
        if self.depth > DEEPEST:
            raise ArmError(f"{self.origin}: elements stand more than {DEEPEST} deep; no arm needs that, mend the file")
        if self.count > MOST_ELEMENTS:
            raise ArmError(f"{self.origin}: holds more than {MOST_ELEMENTS} elements; leave out what is not the arm")
        return super().start(tag, attrs)

    def end(self, tag: str, /) -> Element:
        self.depth -= 1
        return super().end(tag)


def parse(text: str, origin: str) -> Element:
    """The root element of ``text``; ``origin`` names the file in error messages."""
    if len(text) > LONGEST_TEXT:
        raise ArmError(f"{origin}: is longer than {LONGEST_TEXT:,} characters; leave out what is not the arm")
    parser = XMLParser(target=_Bounded(origin), forbid_dtd=True, forbid_entities=True, forbid_external=True)
    try:
        parser.feed(text)
        root: Element = parser.close()
    except DefusedXmlException:
        raise ArmError(
            f"{origin}: holds a document type or entities (<!DOCTYPE ...>), which are not read for safety; "
            f"remove them, with the values written out"
        ) from None
    except ParseError as fault:
        raise ArmError(f"{origin}: is not well-formed XML ({fault}); mend it there, or fetch the file again") from None
    except (UnicodeError, ValueError) as fault:
        if isinstance(fault, ArmError):
            raise
        raise ArmError(f"{origin}: holds characters that are no text ({fault}); save it as UTF-8") from None
    return root


@dataclass(frozen=True)
class XmlNode:
    """An XML element and its name in error messages, for example ``arm.urdf: joint 'elbow'``."""

    element: Element
    where: str
    skipped: Counter[str] = field(default_factory=Counter)
    """Counts of elements and attributes skipped in the whole file; shared by all nodes of a file."""

    @property
    def tag(self) -> str:
        """The tag of the element."""
        return self.element.tag

    def fault(self, sentence: str) -> ArmError:
        """The error for this element."""
        return ArmError(f"{self.where}: {sentence}")

    def children(self) -> Iterator[XmlNode]:
        """The child elements, without comments."""
        for child in self.element:
            yield XmlNode(child, f"{self.where}: <{child.tag}>", self.skipped)

    def all(self, tag: str) -> Iterator[XmlNode]:
        """The children with this tag."""
        return (child for child in self.children() if child.tag == tag)

    def one(self, tag: str) -> XmlNode | None:
        """The child with this tag, or None; more than one is refused, since only one would be used."""
        matches = list(self.all(tag))
        if len(matches) > 1:
            raise self.fault(f"has {len(matches)} <{tag}> elements; keep one")
        return matches[0] if matches else None

    def needed(self, tag: str) -> XmlNode:
        """The child with this tag, which is required."""
        child = self.one(tag)
        if child is None:
            raise self.fault(f"has no <{tag}> element; give it one")
        return child

    def only_tags(self, allowed: Sequence[str]) -> None:
        """Refuses unknown children, which would otherwise be ignored silently."""
        for child in self.element:
            if child.tag not in allowed:
                raise self.fault(f"<{child.tag}> is not read here; remove it (known are {listed(allowed)})")

    def only_attributes(self, allowed: Sequence[str]) -> None:
        """Refuses unknown attributes."""
        for name in self.element.attrib:
            if name not in allowed:
                raise self.fault(f"unknown attribute {name!r}; the attributes are {listed(allowed)}")

    def known_tags(self, allowed: Sequence[str]) -> None:
        """Skips and counts unknown children; one that looks like a misspelling is refused."""
        tags = Counter(child.tag for child in self.element)
        self._skip({tag: f"<{tag}>" for tag in tags if tag not in allowed}, allowed, tags)

    def known_attributes(self, allowed: Sequence[str]) -> None:
        """Skips and counts unknown attributes; one that looks like a misspelling is refused."""
        unknown = {name: f"{name}= of <{self.tag}>" for name in self.element.attrib if name not in allowed}
        self._skip(unknown, allowed, Counter(unknown.keys()))

    def _skip(self, unknown: Mapping[str, str], allowed: Sequence[str], counts: Mapping[str, int]) -> None:
        """Counts unknown names, or refuses one as a misspelling of a name that is missing."""
        if not unknown:
            return
        present = {*self.element.attrib, *(child.tag for child in self.element)}
        absent = [name for name in allowed if name not in present]
        for name, what in unknown.items():
            near = difflib.get_close_matches(
                name.lower(), [a for a in absent if abs(len(a) - len(name)) <= 2], 1, CLOSE
            )
            if near:
                raise self.fault(f"{what} is not known here; {near[0]!r} was meant, or else remove it")
            if len(self.skipped) > MOST_SKIPPED:
                raise self.fault(f"holds more than {MOST_SKIPPED} kinds of things that are not known; mend the file")
            self.skipped[what[:LONGEST_NAME]] += counts[name]

    def text(self, attribute: str) -> str:
        """A required attribute, not empty."""
        value = self.element.get(attribute)
        if not value:
            raise self.fault(f"has no {attribute!r}; give it one")
        return self.short(attribute, value)

    def name(self) -> str:
        """The name of the element, or an empty string."""
        return self.short("name", self.element.get("name", ""))

    def short(self, attribute: str, value: str) -> str:
        """The value, refused where it is too long for a name."""
        if len(value) > LONGEST_NAME:
            raise self.fault(f"{attribute} is longer than {LONGEST_NAME} characters ({shortened(value)}); shorten it")
        return value

    def choice(self, attribute: str, options: Sequence[str], default: str) -> str:
        """An attribute with one of these values."""
        value = self.element.get(attribute, default)
        if value not in options:
            raise self.fault(f"{attribute} is {shortened(value)}; it can be {listed(options)}")
        return value

    def numbers(self, attribute: str, count: int) -> tuple[Fraction, ...] | None:
        """Exactly ``count`` numbers of an attribute, or None where it is absent."""
        value = self.element.get(attribute)
        if value is None:
            return None
        return read_numbers(value, count, f"{self.where}: {attribute}")

    def decimals(self, attribute: str, count: int) -> tuple[Decimal, ...] | None:
        """Exactly ``count`` numbers with their digits as written, or None where the attribute is absent."""
        return (
            None
            if self.numbers(attribute, count) is None
            else tuple(map(Decimal, self.element.attrib[attribute].split()))
        )

    def number(self, attribute: str, default: int | Fraction | None = None) -> Fraction:
        """A number, or the default where it is absent."""
        numbers = self.numbers(attribute, 1)
        if numbers is not None:
            return numbers[0]
        if default is None:
            raise self.fault(f"has no {attribute!r}; give it one")
        return Fraction(default)

    def vector(self, attribute: str, default: Sequence[int | Fraction] = (0, 0, 0)) -> Vector:
        """Three numbers, or the default where they are absent."""
        numbers = self.numbers(attribute, 3)
        x, y, z = numbers if numbers is not None else (Fraction(value) for value in default)
        return x, y, z

    def not_negative(self, attribute: str) -> float:
        """A number of at least zero, zero where it is absent."""
        value = self.number(attribute, 0)
        if value < 0:
            raise self.fault(f"{attribute} is negative ({float(value):g}); give a value of at least zero")
        return float(value)

    def limit(self, attribute: str, default: float) -> float:
        """A limit, which may be infinite."""
        value = self.element.get(attribute)
        return default if value is None else read_limit(value, f"{self.where}: {attribute}")


def tell_skipped(root: XmlNode, level: int) -> None:
    """One warning that lists what was skipped in a file."""
    if root.skipped:
        parts = listed(f"{what} ({count} times)" if count > 1 else what for what, count in root.skipped.items())
        warnings.warn(
            f"{root.where}: not read, since it says nothing this package uses: {parts}", SkippedWarning, level
        )


def read_numbers(value: str, count: int, what: str) -> tuple[Fraction, ...]:
    """Exactly ``count`` finite numbers, separated by blanks."""
    words = value.split()
    if len(words) != count:
        expected = "one number" if count == 1 else f"{count} numbers"
        raise ArmError(f"{what} must be {expected}, got {shortened(value)}")
    return tuple(read_number(word, what) for word in words)


def read_number(word: str, what: str) -> Fraction:
    """The finite number written as ``word``, exactly."""
    if INFINITE.fullmatch(word) or word.lower().lstrip("+-") == "nan":
        raise ArmError(f"{what} must be finite, got {word}")
    if len(word) > LONGEST_NUMBER or not NUMBER.fullmatch(word):
        raise ArmError(f"{what} must be a number such as 0.25 or -1e-3, got {shortened(word)}")
    number = exact(word, what)
    if abs(number) > LARGEST_NUMBER:
        raise ArmError(f"{what} must lie within ±1e30, got {shortened(word)}")
    return number


def read_limit(word: str, what: str) -> float:
    """A limit: a number, infinite if it is at least ``UNLIMITED``."""
    word = word.strip()
    infinite = INFINITE.fullmatch(word)
    if infinite:
        return -math.inf if infinite[1] == "-" else math.inf
    if len(word) > LONGEST_NUMBER or not NUMBER.fullmatch(word):
        raise ArmError(f"{what} must be a number such as 1.57, or inf for none, got {shortened(word)}")
    number = exact(word, what)
    if abs(number) >= UNLIMITED:
        return math.inf if number > 0 else -math.inf
    return float(number)


def angle_in_reach(number: Decimal, what: str) -> Decimal:
    """The angle, refused where it is too large for its sine to be accurate."""
    if abs(number) > LARGEST_ANGLE:
        raise ArmError(f"{what} is {float(number):g}; give an angle within ±1e6, whole turns left out")
    return number


def shortened(value: str) -> str:
    """A string in quotes, truncated where it is long."""
    return repr(value if len(value) <= 60 else value[:57] + "...")
