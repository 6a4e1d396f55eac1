"""Shapes of links in arm files: ``shapes = [{kind = "box", size = [0.1, 0.2, 0.3], xyz = [0, 0, 0.1]}]``."""

from __future__ import annotations

from ..axes import roll_pitch_yaw
from ..description import listed
from ..placement import Placement
from ..shapes import SIZES, Colour, LinkShape
from .angle_reading import AngleReading
from .expression import quantity, shown
from .shape_reading import MOST_SHAPES, size_of
from .toml_table import TomlTable

SHAPE = ("kind", "size", "xyz", "rpy", "file", "origin", "colour")
Value = str | float | tuple[float, ...] | list[tuple[str, "Value"]]


def read_shapes(link: TomlTable) -> tuple[LinkShape, ...]:
    """The shapes of a link."""
    # Angles as written: nothing is derived from them, and nothing is told of them.
    apart = TomlTable(link.values, link.where, AngleReading())
    tables = apart.tables("shapes", SHAPE)
    if len(tables) > MOST_SHAPES:
        raise link.fault(f"has {len(tables)} shapes; at most {MOST_SHAPES} are kept, leave some out")
    return tuple(_shape(table) for table in tables)


def _shape(table: TomlTable) -> LinkShape:
    kind = table.text("kind")
    if kind not in SIZES:
        raise table.fault(f"kind is {shown(kind)}; the kinds of shapes are {listed(SIZES)}")
    if (kind == "mesh") != ("file" in table):
        raise table.fault("a mesh has a file, and no other shape has one")
    if kind != "mesh" and "origin" in table:
        raise table.fault("origin is that of the file of a mesh; leave it out")
    size = _numbers(table, "size", SIZES[kind]) if "size" in table or kind != "mesh" else (1.0, 1.0, 1.0)
    origin = table.table("origin", ("xyz", "rpy"))
    colour: Colour | None = None
    if "colour" in table:
        r, g, b, a = _numbers(table, "colour", 4)
        colour = (r, g, b, a)
        if not all(0 <= part <= 1 for part in colour):
            raise table.fault("colour is red, green, blue and opacity, each from 0 to 1")
    origin_placement = Placement() if origin is None else origin.placement()
    return LinkShape(
        kind, size_of(kind, size, table.where), table.placement(), table.text("file", ""), origin_placement, colour
    )


def _numbers(table: TomlTable, key: str, count: int) -> tuple[float, ...]:
    table.needed(key)
    return tuple(float(quantity(item, f"{table.where}: {key}")) for item in table.items(key, count, f"{count} numbers"))


def shape_entries(shape: LinkShape) -> list[tuple[str, Value]]:
    """The entries of a shape, as ``read_shapes`` takes them."""
    entries: list[tuple[str, Value]] = [("kind", shape.kind)]
    if shape.kind != "mesh" or shape.size != (1.0, 1.0, 1.0):
        entries.append(("size", shape.size))
    entries += _placed(shape.placement)
    if shape.kind == "mesh":
        entries.append(("file", shape.file))
        if not shape.origin.is_identity():
            entries.append(("origin", _placed(shape.origin)))
    return entries + ([("colour", shape.colour)] if shape.colour is not None else [])


def _placed(placement: Placement) -> list[tuple[str, Value]]:
    """xyz and rpy in floating point: a picture needs no more."""
    parts = (("xyz", placement.position), ("rpy", roll_pitch_yaw(placement.rotation)))
    return [(key, values) for key, part in parts if any(values := tuple(float(x) + 0.0 for x in part))]
