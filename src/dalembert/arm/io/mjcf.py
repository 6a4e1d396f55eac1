"""MJCF (MuJoCo's format) to an arm, with exact numbers; ``docs/urdf-mjcf.md`` says what is read, kept and refused.

A body has a fixed pose in its parent, followed by its joints in order, each with an axis through its own
``pos``: with A the anchor and R the rotation whose z points along the axis, a joint is
``before = A R``, a motion about z less its ``ref``, ``after = R^-1 A^-1``. Several joints of one body have massless
links between them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from ..description import EARTH, ArmDescription
from ..errors import ArmError
from ..placement import Vector
from .angle_reading import AS_MEANT, AngleReading
from .joint_drives import train_of_joints
from .mimic import Mimic, check_mode, followers, treated
from .mjcf_acting import Acting
from .mjcf_bodies import Tree
from .mjcf_compiler import read_settings
from .mjcf_defaults import Defaults
from .mjcf_include import MjcfSource, mjcf_source
from .omissions import Omissions
from .xml_text import XmlNode

OPTION = (
    "timestep", "apirate", "impratio", "tolerance", "ls_tolerance", "noslip_tolerance", "ccd_tolerance",
    "sleep_tolerance", "mpr_tolerance", "gravity", "wind", "magnetic", "density", "viscosity", "o_margin", "o_solref",
    "o_solimp", "o_friction", "integrator", "collision", "cone", "jacobian", "solver", "iterations", "ls_iterations",
    "noslip_iterations", "ccd_iterations", "mpr_iterations", "sdf_iterations", "sdf_initpoints",
    "actuatorgroupdisable",
)  # fmt: skip
IGNORED = ("size", "visual", "statistic", "custom", "contact", "sensor", "keyframe", "extension")
"""Sections that do not affect the dynamics of the arm."""
READ = ("compiler", "option", "default", "asset", "worldbody", "equality", "tendon", "actuator", "deformable")


def read_mjcf(
    text: str,
    origin: str = "MJCF",
    physical: str = "warn",
    mimic: str = "refuse",
    skip: Iterable[str] = (),
    folder: Path | None = None,
    angles: str = AS_MEANT,
) -> ArmDescription:
    """The arm that an MJCF file describes. ``origin`` names the file; ``physical`` as in ``ArmDescription.checked``.

    ``mimic`` is the treatment of joints that an equality constraint ties to another, ``skip`` names what may be left
    out (``omissions.KINDS``), ``folder`` is where included files and meshes are looked for; None for a text.
    ``angles`` says whether rounded angles in radians, directions and quaternions are read "as meant" or "as written".
    """
    return arm_and_mimics(mjcf_source(text, origin, folder), physical, mimic, skip, angles)[0]


def arm_and_mimics(
    source: MjcfSource,
    physical: str = "warn",
    mimic: str = "refuse",
    skip: Iterable[str] = (),
    angles: str = AS_MEANT,
) -> tuple[ArmDescription, list[Mimic]]:
    """The arm of an MJCF file with its includes put in, and its joints that follow others; as in ``read_mjcf``."""
    check_mode(mimic)
    reading = AngleReading(angles)
    origin = source.origin
    omissions = Omissions.of(origin, skip)
    root = XmlNode(source.root, origin)
    if root.tag != "mujoco":
        remedy = {
            "robot": "load it as URDF",
            "mujocoinclude": "it is a part for other files; load the file that includes it",
        }.get(root.tag, "give a file whose outermost element is <mujoco>")
        raise root.fault(f"is not MJCF: its outermost element is <{root.tag}>; {remedy}")
    root.only_attributes(("model",))
    root.only_tags((*READ, *IGNORED))
    defaults = Defaults()
    for section in root.all("default"):
        defaults.read(section)
    acting = Acting(defaults, omissions)
    for tag, check in (("tendon", acting.tendon), ("actuator", acting.actuator), ("deformable", acting.flexible)):
        for section in root.all(tag):
            for item in section.children():
                check(item)
    for section in root.all("contact"):
        for item in section.all("pair"):
            omissions.allow("contact", f"pair {item.name()}".strip())
    settings = read_settings(root, defaults, source, reading)
    tree = Tree(origin, defaults, settings, _names(root), omissions, acting.gears())
    for section in root.all("worldbody"):
        tree.world(section)
    mimics = [
        follows
        for section in root.all("equality")
        for item in section.children()
        if (follows := acting.equality(item, tree.refs)) is not None
    ]
    joints = treated(tree.joints, mimics, mimic)
    moving = {joint.name for joint in joints if joint.moves}
    bodies = tree.settings.inertia.scaled([link.inertia for link in tree.links])
    try:
        arm = ArmDescription(
            root.short("model", root.element.get("model", "")) or "arm",
            tuple(replace(link, inertia=body) for link, body in zip(tree.links, bodies, strict=True)),
            tuple(joints),
            _gravity(root, omissions),
            drives=train_of_joints(
                [drive for drive in tree.drives if drive.joint in moving], origin, followers(joints)
            ),
            origin=origin,
        ).with_elastic(*(spring for spring in tree.springs if spring.joint in moving))
    except ArmError as fault:
        raise fault if str(fault).startswith(f"{origin}: ") else root.fault(str(fault)) from None
    omissions.tell()
    reading.tell(origin)
    return arm.checked(physical), mimics


def _names(root: XmlNode) -> set[str]:
    """Names in use by bodies and joints."""
    names = {"world"}
    for tag in ("body", "joint"):
        names |= {element.get("name", "") for element in root.element.iter(tag)}
    return names


def _gravity(root: XmlNode, omissions: Omissions) -> Vector:
    """Gravity from the <option> sections; options with other effects on the dynamics are refused."""
    gravity = EARTH
    for section in root.all("option"):
        section.only_attributes(OPTION)
        gravity = section.vector("gravity", gravity)
        for name in ("density", "viscosity"):
            if section.number(name, 0) and not omissions.allow("fluid", name):
                sentence = f"{name} puts the arm into a fluid, which is not modelled; remove it"
                raise section.fault(omissions.refused(sentence, "fluid"))
        for flag in section.all("flag"):
            for name in ("spring", "damper", "passive"):
                if flag.element.get(name) == "disable":
                    raise flag.fault(
                        f"{name}='disable' switches parts off; remove the flag and the parts it switches off"
                    )
            if flag.element.get("gravity") == "disable":
                gravity = (EARTH[0],) * 3
    return gravity
