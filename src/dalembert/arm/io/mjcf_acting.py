"""What acts on the joints of an MJCF file beside them: equality constraints, tendons, actuators, flexible bodies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from ..description import listed
from ..exact import exact
from .mimic import Mimic
from .mjcf_defaults import MAIN, Defaults
from .omissions import Omissions
from .xml_text import XmlNode, read_number, shortened

POLYNOMIAL = ("0", "1", "0", "0", "0")
"""Coefficients of the relation of two joints, unless written: the one is where the other is."""


@dataclass
class Acting:
    """Reads these sections: what an arm has no place for is refused, or left out where the user asked for that."""

    defaults: Defaults
    omissions: Omissions
    ratios: dict[str, Fraction] = field(default_factory=dict)
    drivers: Counter[str] = field(default_factory=Counter)

    def equality(self, item: XmlNode, refs: Mapping[str, float]) -> Mimic | None:
        """The joint that a constraint makes follow another; ``refs`` are the joints' positions in the file.

        With y0 and x0 those of joint1 and joint2, y = y0 + a0 + a1 (x - x0) + a2 (x - x0)^2 + ... of ``polycoef``.
        """
        applied = self.defaults.applied(item, MAIN, "equality")
        if applied.element.get("active") == "false":
            return None
        attributes = item.element.attrib
        tied = [value for key, value in attributes.items() if key.rstrip("12") in ("body", "joint", "tendon", "site")]
        if self.omissions.allow("equality", f"{item.tag} of {listed(tied)}"):
            return None
        if item.tag != "joint":
            sentence = (
                f"ties {listed(tied)} together, a closed loop or coupling that an open chain does not have; load it as "
                f"a mechanism, remove the constraint if the arm may move without it"
            )
            raise item.fault(self.omissions.refused(sentence, "equality"))
        joint, master = item.text("joint1"), item.element.get("joint2", "")
        for name in (joint, master):
            if name and name not in refs:
                raise item.fault(f"names joint {shortened(name)}, which is not there; name one that is")
        words = applied.element.get("polycoef", "").split()
        # Coefficients that are not written have their usual values.
        factors = [float(read_number(word, f"{item.where}: polycoef")) for word in (*words, *POLYNOMIAL[len(words) :])]
        master_displacement = -refs[master] if master else 0.0
        offset = refs[joint] + sum(factor * master_displacement**power for power, factor in enumerate(factors))
        ratio = None if any(factors[2:]) else exact(factors[1] if master else 0)
        return Mimic(joint, master, ratio, exact(offset), f"{self.omissions.origin}: joint {joint!r}")

    def tendon(self, item: XmlNode) -> None:
        """Raises ArmError for a tendon with stiffness, damping, friction or armature."""
        tendon = self.defaults.applied(item, MAIN, "tendon")
        for name in ("stiffness", "damping", "frictionloss", "armature"):
            if any(read_number(word, f"{item.where}: {name}") for word in tendon.element.get(name, "0").split()):
                if self.omissions.allow("tendon", f"{name} of {item.name() or item.tag}"):
                    continue
                sentence = f"{name} lets the tendon act on the joints, which is not modelled; remove it"
                raise item.fault(self.omissions.refused(sentence, "tendon"))

    def actuator(self, item: XmlNode) -> None:
        """Notes the gear of a joint; raises ArmError for an actuator with armature or damping."""
        for tag in ("general", item.tag):
            actuator = self.defaults.applied(item, MAIN, tag)
            for name in ("armature", "damping"):
                if any(read_number(word, f"{item.where}: {name}") for word in actuator.element.get(name, "0").split()):
                    if self.omissions.allow("actuator", f"{name} of {item.name() or item.tag}"):
                        continue
                    sentence = (
                        f"{name} of an actuator is not read; write it at the joint (times the gear ratio squared)"
                    )
                    raise item.fault(self.omissions.refused(sentence, "actuator"))
        joint = item.element.get("joint", "")
        words = self.defaults.applied(item, MAIN, item.tag).element.get("gear", "").split()
        self.drivers[joint] += 1
        if joint and words:
            self.ratios[joint] = read_number(words[0], f"{item.where}: gear")

    def gears(self) -> Mapping[str, Fraction]:
        """Gear of the joints that one actuator drives; with several, no single ratio describes them."""
        return {
            joint: ratio for joint, ratio in self.ratios.items() if self.drivers[joint] == 1 and ratio not in (0, 1)
        }

    def flexible(self, item: XmlNode) -> None:
        """Raises ArmError for a flexible body."""
        if item.tag == "flex" and not self.omissions.allow("flex", item.name() or item.tag):
            raise item.fault(self.omissions.refused("flexible bodies are not modelled; remove it", "flex"))
