"""xacro: templates of URDF, put in by a reader of our own that executes nothing.

Properties, macros with parameters and blocks, includes, conditions, arguments and ``${}`` expressions
(``xacro_expression.py``). What would run code, or read files by other programs, is refused by name. Sizes are bounded,
so that a template which calls itself ends in a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import Element

from ..errors import ArmError
from .expression import shown
from .packages import inside, package_folder, referenced_file
from .text_files import read_text
from .xacro_expression import Value, evaluated
from .xacro_work import WorkCount
from .xml_text import LONGEST_NUMBER, parse
from .yaml_tables import read_yaml

DEEPEST = 60
"""Macros and properties that call each other, one within another."""
PIECE = re.compile(r"\$\$(?=[{(])|\$\{([^}]*)(?:\}|\Z)|\$\(([^)]*)(?:\)|\Z)")
"""Two dollars, an expression, a command; one that is not closed goes to the end of the text, where it is refused."""
DEFAULT = r"\$\{[^}]{0,1000}\}[^\s'\"]*|'[^']*'|\"[^\"]*\"|[^\s'\"]+"
END = re.compile(r"\s*\Z")
PARAMETER = re.compile(rf"\s*(\*{{0,2}})([A-Za-z_]\w*)(?:\s*:?=\s*(\^\|?)?({DEFAULT})?)?(?=\s|$)")


@dataclass(frozen=True)
class Macro:
    """A macro: its parameters (stars, name, whether it takes the caller's, default) and its body."""

    parameters: tuple[tuple[str, str, bool, str | None], ...]
    body: Element
    folder: Path | None


@dataclass
class Scope:
    """Properties by name, as text that is worked out when it is used; blocks; and the scope around."""

    above: Scope | None = None
    texts: dict[str, str] = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)
    blocks: dict[str, list[Element]] = field(default_factory=dict)
    macros: dict[str, Macro] = field(default_factory=dict)

    def holder(self, kind: str, name: str) -> Scope | None:
        """The nearest scope that has the name."""
        scope: Scope | None = self
        while scope is not None and name not in getattr(scope, kind):
            scope = scope.above
        return scope


class _Names(Mapping[str, Value]):
    """The properties seen from a scope, worked out as they are asked for."""

    def __init__(self, reader: _Reader, scope: Scope, depth: int) -> None:
        self.reader, self.scope, self.depth = reader, scope, depth
        self.calls = dict.fromkeys(("xacro.load_yaml", "load_yaml"), reader.yaml)

    def __getitem__(self, name: str) -> Value:
        holder = self.scope.holder("texts", name)
        if holder is None:
            raise KeyError(name)
        if name not in holder.values:
            holder.values[name] = self.reader.value(holder.texts[name], holder, self.depth + 1)
        return holder.values[name]

    def __contains__(self, name: object) -> bool:
        return self.scope.holder("texts", str(name)) is not None

    def __iter__(self):  # type: ignore[no-untyped-def]
        return iter(())

    def __len__(self) -> int:
        return 0


def expand_xacro(
    root: Element, origin: str, folder: Path | None, arguments: Mapping[str, str] | None = None
) -> Element:
    """The URDF that a xacro file stands for; ``arguments`` are values for its <xacro:arg>."""
    reader = _Reader(origin, dict(arguments or {}))
    top = Scope()
    reader.tell_folder(folder)
    expanded = Element(root.tag, {key: reader.text(value, top, 0) for key, value in root.attrib.items()})
    expanded.extend(reader.children(root, top, 0))
    if top.macros and next(expanded.iter("link"), None) is None:
        raise ArmError(
            f"{origin}: defines the macro {shown(next(iter(top.macros)))} and has no <link>; load the file that "
            "includes it and calls the macro"
        )
    unused = set(arguments or {}) - reader.used_arguments
    if unused:
        raise ArmError(
            f"{origin}: has no argument {shown(sorted(unused)[0])}; its arguments are {sorted(reader.used_arguments)}"
        )
    return expanded


def is_xacro(root: Element) -> bool:
    """Whether a document holds something of xacro."""
    for element in root.iter():
        if own_tag(element) or any("${" in value or "$(" in value for value in element.attrib.values()):
            return True
    return False


def own_tag(element: Element) -> str:
    """The name of an element of xacro, without its namespace; empty for others."""
    space, _, name = element.tag.partition("}")
    return name if space.startswith("{") and "xacro" in space else ""


def typed(text: str) -> Value:
    """A property as the number or truth that its text spells, or the text."""
    plain = text.strip()
    if plain.lower() in ("true", "false"):
        return plain.lower() == "true"
    if len(plain) <= LONGEST_NUMBER:
        for kind in (int, float):
            try:
                return kind(plain)
            except ValueError:
                continue
    return text


class _Reader:
    def __init__(self, origin: str, arguments: dict[str, str]) -> None:
        self.origin, self.arguments, self.used_arguments = origin, arguments, set[str]()
        self.defaults: dict[str, str] = {}
        self.folder: Path | None = None
        self.root: Path | None = None
        self.packages: list[Path] = []
        """Packages that were found: whole paths may lead into them."""
        self.tables: dict[str, Value] = {}
        self.parts: dict[Path, Element] = {}
        """Included files as they were read; templates of one file may be asked for often."""
        self.work = WorkCount(origin)

    def tell_folder(self, folder: Path | None) -> None:
        """Where the main file is: files are included from its folder or its package (by package.xml), or by $(find)."""
        self.folder = self.root = folder
        if folder is not None:
            resolved = folder.resolve()
            self.root = next(
                (parent for parent in (resolved, *resolved.parents) if (parent / "package.xml").is_file()), folder
            )

    def fault(self, sentence: str) -> ArmError:
        return ArmError(f"{self.origin}: {sentence}")

    # -- texts ------------------------------------------------------------------------------------

    def text(self, text: str, scope: Scope, depth: int) -> str:
        """The text with everything in ``${}`` and ``$()`` put in."""
        if "$" not in text:
            return text
        if depth > DEEPEST:
            raise self.fault(f"properties refer to each other more than {DEEPEST} deep, or in a circle; mend them")
        parts, end = [], 0
        for match in PIECE.finditer(text):
            parts.append(text[end : match.start()])
            end = match.end()
            if match[0][-1] not in "})$":
                raise self.fault(f"{shown(match[0])} is not closed; end it with {'}' if match[0][1] == '{' else ')'}")
            if match[1] is not None:
                value = self.evaluate(match[1], scope, depth)
                if isinstance(value, dict | list):
                    raise self.fault(f"${{{shown(match[1])[1:-1]}}} is a whole table; name an entry of it")
                parts.append(str(value))
            elif match[2] is not None:
                parts.append(self.command(self.text(match[2], scope, depth + 1)))
            else:
                parts.append("$")
            self.work.spend("characters", len(parts[-1]))
        return "".join([*parts, text[end:]])

    def evaluate(self, text: str, scope: Scope, depth: int) -> Value:
        """The value of an expression, commands in it put in first."""
        inner = self.text(text, scope, depth + 1) if "$(" in text else text
        self.work.spend("expressions")
        self.work.spend("characters of expressions", len(inner))
        return evaluated(inner, _Names(self, scope, depth), self.origin)

    def value(self, text: str, scope: Scope, depth: int) -> Value:
        """A text that is one expression as its value, which may be a table; else what the text spells."""
        self.work.spend("characters", len(text))
        match = PIECE.fullmatch(text.strip())
        if match is not None and match[1] is not None and match[0][-1] == "}":
            if depth > DEEPEST:
                raise self.fault(f"properties refer to each other more than {DEEPEST} deep, or in a circle; mend them")
            result = self.evaluate(match[1], scope, depth)
            return typed(result) if isinstance(result, str) else result
        return typed(self.text(text, scope, depth))

    def yaml(self, name: Value) -> Value:
        """The tables of a YAML file in the folder or a package."""
        if not isinstance(name, str):
            raise self.fault("load_yaml takes the name of a file")
        if name not in self.tables:
            path = self.located(name)
            text = read_text(path, missing=f"{self.origin} reads it, with the arguments it has")
            self.work.spend("characters of YAML", len(text))
            self.tables[name] = read_yaml(text, str(path))
        return self.tables[name]

    def located(self, name: str) -> Path:
        """The path of a file that is named: within the folder of the main file, its package, or a package found."""
        if self.folder is None or self.root is None:
            raise self.fault(f"includes {shown(name)}, and a text has no folder to look in; load the file by its path")
        self.work.spend("files")
        named = referenced_file(name, self.folder) if "://" in name else Path(name)
        if "://" in name and not name.startswith("file:"):
            return named
        if not named.is_absolute():
            return inside(self.folder, name, _common(self.root, self.folder))
        path = named.resolve()
        if not any(path.is_relative_to(root.resolve()) for root in (self.root, *self.packages)):
            raise self.fault(f"includes {shown(name)}, which is outside its folder; put the file there")
        return path

    def command(self, text: str) -> str:
        """``$(arg name)`` and ``$(find package)``."""
        word, _, arguments = text.strip().partition(" ")
        name = arguments.strip()
        if word == "arg":
            self.used_arguments.add(name)
            if name in self.arguments:
                return str(self.arguments[name])
            if name in self.defaults:
                return self.defaults[name]
            raise self.fault(
                f"needs the argument {shown(name)}; give it: da.load(file, arguments={{{name!r}: ...}}), on the "
                f"command line --arg {name}=VALUE"
            )
        if word == "find":
            try:
                self.packages.append(package_folder(name, self.folder))
            except ArmError as fault:
                raise self.fault(str(fault)) from None
            return str(self.packages[-1])
        if word == "dirname" and self.folder is not None:
            return str(self.folder)
        raise self.fault(f"$({shown(word)[1:-1]} ...) is not read here, for safety; run xacro on it and load the .urdf")

    # -- elements ----------------------------------------------------------------------------------

    def children(self, element: Element, scope: Scope, depth: int) -> list[Element]:
        """The children of an element with all templates put in."""
        if depth > DEEPEST:
            raise self.fault(f"macros call each other more than {DEEPEST} deep, or without end; mend them")
        expanded: list[Element] = []
        for child in element:
            expanded += self.expand(child, scope, depth)
        return expanded

    def expand(self, child: Element, scope: Scope, depth: int) -> list[Element]:
        """What an element becomes."""
        self.work.spend("steps", 1 + len(child.attrib))
        self.work.spend("characters", sum(map(len, child.attrib.values())) + len(child.text or ""))
        name = own_tag(child)
        if name:
            handler = getattr(self, f"_{name}", None) if name in KNOWN else None
            if handler is not None:
                return list(handler(child, scope, depth))
            macro = scope.holder("macros", name)
            if macro is None:
                raise self.fault(
                    f"<xacro:{shown(name)[1:-1]}> is neither a macro that is defined before nor read here; include the "
                    "file that defines it, or remove it"
                )
            return self.call_macro(name, macro.macros[name], child, scope, depth)
        self.work.spend("elements")
        expanded = Element(child.tag, {key: self.text(value, scope, depth) for key, value in child.attrib.items()})
        expanded.text = self.text(child.text, scope, depth) if child.text else child.text
        expanded.extend(self.children(child, scope, depth + 1))
        return [expanded]

    def call_macro(self, name: str, macro: Macro, call: Element, scope: Scope, depth: int) -> list[Element]:
        """The body of a macro with its parameters."""
        inner = Scope(above=scope)
        self.work.spend("steps", len(macro.parameters))
        arguments = {key: self.value(value, scope, depth) for key, value in call.attrib.items()}
        blocks = list(call)
        for stars, parameter, inherits, default in macro.parameters:
            if stars:
                if not blocks:
                    raise self.fault(f"macro {shown(name)} is called without its block {shown(parameter)}")
                block = blocks.pop(0)
                inner.blocks[parameter] = self.children(block, scope, depth + 1) if stars == "**" else (
                    self.expand(block, scope, depth + 1)
                )  # fmt: skip
                continue
            value = arguments.pop(parameter, None)
            outer = scope.holder("texts", parameter) if value is None and inherits else None
            if outer is not None:
                value = _Names(self, scope, depth)[parameter]
            elif value is None and default is not None:
                value = self.value(default, scope, depth)
            if value is None:
                raise self.fault(f"macro {shown(name)} is called without its parameter {shown(parameter)}")
            inner.texts[parameter], inner.values[parameter] = "", value
        if arguments:
            raise self.fault(f"macro {shown(name)} has no parameter {shown(next(iter(arguments)))}")
        if blocks:
            raise self.fault(f"macro {shown(name)} is called with a block <{shown(str(blocks[0].tag))[1:-1]}> too many")
        caller_folder, self.folder = self.folder, macro.folder
        expanded = self.children(macro.body, inner, depth + 1)
        self.folder = caller_folder
        return expanded

    # -- elements of xacro --------------------------------------------------------------------------

    def _property(self, element: Element, scope: Scope, depth: int) -> list[Element]:
        name = element.get("name", "")
        if not re.fullmatch(r"[A-Za-z_]\w*", name):
            raise self.fault(f"a property is named {shown(name)}; names are letters, digits and underscores")
        if "remove" in element.attrib:
            raise self.fault(f"property {shown(name)}: remove= is not read here; leave it out")
        target = {"global": self._top(scope), "parent": scope.above or scope}.get(element.get("scope", ""), scope)
        if "default" in element.attrib:
            if scope.holder("texts", name) is None:
                target.texts[name] = element.get("default", "")
                target.values.pop(name, None)
        elif "value" in element.attrib:
            value = element.get("value", "")
            # A property that is set anew by its old value is worked out at once, and one for another scope too.
            target.values.pop(name, None) if target is not scope else None
            if name in scope.texts or target is not scope:
                target.values[name] = self.value(value, scope, depth)
            target.texts[name] = value
        else:
            target.blocks[name] = list(element)
        return []

    def _macro(self, element: Element, scope: Scope, depth: int) -> list[Element]:
        name = element.get("name", "").removeprefix("xacro:")
        words, position, parameters = element.get("params", ""), 0, []
        while not END.match(words, position):
            match = PARAMETER.match(words, position)
            if match is None:
                raise self.fault(
                    f"macro {shown(name)}: its params {shown(words[position:].strip())} are not understood"
                )
            default = match[4]
            if default is not None and default[0] in "'\"":
                default = default[1:-1]
            empty = "=" in match[0] and default is None and not match[3]
            parameters.append((match[1], match[2], bool(match[3]), "" if empty else default))
            position = match.end()
        scope.macros[name] = Macro(tuple(parameters), element, self.folder)
        return []

    def _include(self, element: Element, scope: Scope, depth: int) -> list[Element]:
        name = self.text(element.get("filename", ""), scope, depth)
        if "ns" in element.attrib:
            raise self.fault("ns= of an include is not read here; run xacro on it and load the .urdf it gives")
        path = self.located(name)
        if path not in self.parts:
            missing = f"{self.origin} includes it as {shown(element.get('filename', ''))}, with the arguments it has"
            content = read_text(path, missing=missing)
            self.work.spend("characters", len(content))
            self.parts[path] = parse(content, str(path))
        including_folder, self.folder = self.folder, path.parent
        expanded = self.children(self.parts[path], scope, depth + 1)
        self.folder = including_folder
        return expanded

    def _if(self, element: Element, scope: Scope, depth: int) -> list[Element]:
        return self.children(element, scope, depth + 1) if self._condition(element, scope, depth) else []

    def _unless(self, element: Element, scope: Scope, depth: int) -> list[Element]:
        return [] if self._condition(element, scope, depth) else self.children(element, scope, depth + 1)

    def _condition(self, element: Element, scope: Scope, depth: int) -> bool:
        text = self.text(element.get("value", ""), scope, depth)
        value = typed(text)
        if isinstance(value, str):
            raise self.fault(f"a condition is {shown(text)}; it has to be true or false, or a number")
        return bool(value)

    def _arg(self, element: Element, scope: Scope, depth: int) -> list[Element]:
        name = element.get("name", "")
        self.used_arguments.add(name)
        if "default" in element.attrib:
            self.defaults.setdefault(name, self.text(element.get("default", ""), scope, depth))
        return []

    def _insert_block(self, element: Element, scope: Scope, depth: int) -> list[Element]:
        name = self.text(element.get("name", ""), scope, depth)
        holder = scope.holder("blocks", name)
        if holder is None:
            raise self.fault(f"there is no block {shown(name)} to insert")
        return [element_ for block in holder.blocks[name] for element_ in self.expand(block, scope, depth + 1)]

    def _top(self, scope: Scope) -> Scope:
        while scope.above is not None:
            scope = scope.above
        return scope


def _common(root: Path, folder: Path) -> Path:
    """The folder that files may not leave: that of the main file, or of the package that is read."""
    return root if folder.resolve().is_relative_to(root.resolve()) else folder


KNOWN = ("property", "macro", "include", "if", "unless", "arg", "insert_block")
