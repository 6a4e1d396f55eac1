"""Colours of shapes in XML: the attribute ``rgba``. Apart from ``shape_reading``, so that arm files need no XML."""

from __future__ import annotations

from ..errors import ArmError
from ..shapes import Colour
from .xml_text import read_numbers


def colour_of(text: str | None) -> Colour | None:
    """Red, green, blue and opacity of an attribute ``rgba``; None where it is no colour."""
    try:
        r, g, b, a = (min(max(float(part), 0.0), 1.0) for part in read_numbers(text or "", 4, "rgba"))
    except ArmError:
        return None
    return r, g, b, a
