"""Default classes of MJCF: attributes that elements inherit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from ..description import listed
from .xml_text import XmlNode, shortened

MAIN = "main"


@dataclass
class Defaults:
    """For each class, its default attributes by tag; a nested class inherits those of the enclosing one."""

    classes: dict[str, Mapping[str, Mapping[str, str]]] = field(default_factory=lambda: {MAIN: {}})

    def read(self, node: XmlNode, outer: str | None = None) -> None:
        """A ``<default>`` section, or a class nested in one."""
        name = node.short("class", node.element.get("class", MAIN if outer is None else ""))
        if not name:
            raise node.fault("a class inside another needs a name; give it class='...'")
        if outer is None and name != MAIN:
            raise node.fault(f"the outermost class is called {MAIN!r}, not {name!r}; put {name!r} inside it")
        if outer is not None and name in self.classes:
            raise node.fault(f"two classes are named {name!r}; names must differ")
        attributes = {tag: dict(values) for tag, values in self.classes[outer or MAIN].items()}
        nested = []
        for child in node.children():
            if child.tag == "default":
                nested.append(child)
            else:
                attributes[child.tag] = {**attributes.get(child.tag, {}), **child.element.attrib}
        self.classes[name] = attributes
        for child in nested:
            self.read(child, name)

    def check(self, name: str, node: XmlNode) -> str:
        """The class name; raises ArmError where no class has it."""
        if name not in self.classes:
            raise node.fault(
                f"names class {shortened(name)}, which is not there; the classes are {listed(self.classes)}"
            )
        return name

    def applied(self, node: XmlNode, around: str, tag: str | None = None) -> XmlNode:
        """The element with the defaults of its class; ``around`` is the class of the enclosing element."""
        name = self.check(node.element.get("class", around), node)
        inherited = self.classes[name].get(tag or node.tag, {})
        return XmlNode(Element(node.tag, {**inherited, **node.element.attrib}), node.where)
