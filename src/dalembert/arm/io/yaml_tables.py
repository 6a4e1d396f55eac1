"""Tables of YAML files that xacro templates read, with the angles that xacro knows: ``!degrees``, ``!radians``."""

from __future__ import annotations

import math
from typing import Any

from ..errors import ArmError

DEEPEST = 50
MOST_ENTRIES = 100_000
LONGEST_LIST = 1000


def read_yaml(text: str, origin: str) -> Any:
    """The tables of a text: texts, numbers, truths, lists and tables of these; ``origin`` names its file."""
    try:
        import yaml  # type: ignore[import-untyped,unused-ignore]
    except ImportError:
        raise ArmError(f"{origin}: PyYAML is not installed, which reads it; install pyyaml") from None

    class Loader(yaml.SafeLoader):  # type: ignore[misc]
        merged = 0

        def flatten_mapping(self, node: Any) -> None:
            # "<<" writes the entries of other tables out, these those of others, and so on.
            for key, value in node.value:
                if key.tag == "tag:yaml.org,2002:merge":
                    tables = value.value if isinstance(value, yaml.SequenceNode) else [value]
                    for table in tables:
                        if isinstance(table, yaml.MappingNode):
                            self.flatten_mapping(table)
                            self.merged += len(table.value)
                            if self.merged > MOST_ENTRIES:
                                raise yaml.YAMLError(f"its tables take over more than {MOST_ENTRIES:,} entries")
            super().flatten_mapping(node)

    def angle(factor: float) -> Any:
        def construct(loader: Any, node: Any) -> float:
            return float(loader.construct_scalar(node)) * factor

        return construct

    Loader.add_constructor("!degrees", angle(math.pi / 180))
    Loader.add_constructor("!radians", angle(1.0))
    try:
        tables = yaml.load(text, Loader)
    except Exception as fault:  # the library raises what it likes at tags on values that they do not fit
        message = " ".join(str(fault).split())[:100] or type(fault).__name__
        raise ArmError(f"{origin}: is not YAML that is read ({message}); mend it") from None
    _check(tables, origin, 0, [0])
    return tables


def _check(value: Any, origin: str, depth: int, count: list[int]) -> None:
    """Refuse what is no table, number or text, and tables without end."""
    count[0] += 1
    if depth > DEEPEST or count[0] > MOST_ENTRIES:
        raise ArmError(f"{origin}: its tables are nested or refer to each other without end; mend it")
    if isinstance(value, dict | list) and len(value) > LONGEST_LIST:
        raise ArmError(f"{origin}: holds a list or table of {len(value):,} entries; at most {LONGEST_LIST:,} are read")
    if isinstance(value, dict):
        for part in value.values():
            _check(part, origin, depth + 1, count)
    elif isinstance(value, list):
        for part in value:
            _check(part, origin, depth + 1, count)
    elif value is not None and not isinstance(value, bool | int | float | str):
        raise ArmError(f"{origin}: holds a {type(value).__name__}; give numbers and texts")
