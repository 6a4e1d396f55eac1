"""``<include>`` of MJCF: the elements of other files in the place of the element that names them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from os.path import isfile
from pathlib import Path
from xml.etree.ElementTree import Element

from ..errors import ArmError
from .text_files import file_bytes, text_of
from .xml_text import MOST_ELEMENTS, XmlNode, parse, shortened

MOST_FILES = 200


@dataclass(frozen=True)
class MjcfSource:
    """The outermost element of an MJCF file in which nothing is left to include.

    ``folder`` is that of the main file, None for a text; ``folders`` has the folders of the files that elements of
    included files stand in.
    """

    root: Element
    origin: str
    folder: Path | None = None
    folders: Mapping[Element, Path] = field(default_factory=dict)


def mjcf_source(text: str, origin: str, folder: Path | None) -> MjcfSource:
    """An MJCF text with all files that it includes put in.

    As MuJoCo does it: a file is looked for beside the main file (``folder``), then beside the file that names it; its
    outermost element is left out; no file is included twice.
    """
    root = parse(text, origin)
    inclusion = _Inclusion(origin, folder)
    inclusion.expand(root, folder)
    return MjcfSource(root, origin, folder, inclusion.folders)


class _Inclusion:
    def __init__(self, origin: str, folder: Path | None) -> None:
        self.origin, self.folder = origin, folder
        self.seen: set[Path] = set()
        self.folders: dict[Element, Path] = {}
        self.count = 0

    def expand(self, element: Element, folder: Path | None) -> None:
        """Replaces every <include> below ``element``; ``folder`` is that of the file the element stands in."""
        children: list[Element] = []
        for child in element:
            if child.tag == "include":
                children += self.content(child, folder)
            else:
                self.expand(child, folder)
                children.append(child)
        self.count += len(children)
        if self.count > MOST_ELEMENTS:
            raise ArmError(
                f"{self.origin}: holds more than {MOST_ELEMENTS} elements with its includes; leave out what is no arm"
            )
        element[:] = children

    def content(self, include: Element, folder: Path | None) -> list[Element]:
        """The elements of an included file, expanded."""
        node = XmlNode(include, f"{self.origin}: <include>")
        node.only_attributes(("file",))
        name = node.text("file")
        if folder is None or self.folder is None:
            raise ArmError(
                f"{self.origin}: includes {shortened(name)}, and a text has no folder to look in; load the file by its "
                f"path"
            )
        path = next((base / name for base in (self.folder, folder) if isfile(base / name)), None)
        if path is None:
            raise node.fault(f"{shortened(name)} is not there; put the file beside {self.origin}")
        if path.resolve() in self.seen:
            raise node.fault(f"{shortened(name)} is included twice, which MuJoCo refuses too; remove one of the two")
        if len(self.seen) >= MOST_FILES:
            raise node.fault(f"is one file too many; at most {MOST_FILES} are included")
        self.seen.add(path.resolve())
        part = parse(text_of(file_bytes(path), str(path)), str(path))
        self.folders |= dict.fromkeys(part.iter(), path.parent)
        self.expand(part, path.parent)
        return list(part)
