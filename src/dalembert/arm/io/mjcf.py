"""MJCF (MuJoCo's format) to an arm, with exact numbers; ``docs/urdf-mjcf.md`` says what is read, kept and refused.

A body has a fixed pose in its parent, followed by its joints in order, each with an axis through its own
``pos``: with A the anchor and R the rotation whose z points along the axis, a joint is
``before = A R``, a motion about z less its ``ref``, ``after = R^-1 A^-1``. Several joints of one body have massless
links between them.
"""

from __future__ import annotations

from ..description import EARTH, ArmDescription, listed
from ..drives import train_of_joints
from ..errors import ArmError
from ..placement import Vector
from .angle_reading import AS_MEANT, AngleReading
from .mjcf_bodies import Settings, Tree
from .mjcf_defaults import MAIN, Defaults
from .mjcf_frames import AngleUnits
from .xml_text import XmlNode, parse, read_number, shortened

COMPILER = (
    "autolimits", "boundmass", "boundinertia", "settotalmass", "balanceinertia", "strippath", "coordinate", "angle",
    "fitaabb", "eulerseq", "meshdir", "texturedir", "assetdir", "discardvisual", "usethread", "fusestatic",
    "inertiafromgeom", "inertiagrouprange", "saveinertial", "savecompiled", "savecanonical", "alignfree", "conflict",
    "passthrough", "convexhull", "exactmeshinertia",
)  # fmt: skip
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


def read_mjcf(text: str, origin: str = "MJCF", physical: str = "warn", angles: str = AS_MEANT) -> ArmDescription:
    """The arm that an MJCF file describes. ``origin`` names the file; ``physical`` as in ``ArmDescription.checked``.

    ``angles`` says whether rounded angles in radians, directions and quaternions are read "as meant" or "as written".
    """
    reading = AngleReading(angles)
    root = XmlNode(parse(text, origin), origin)
    if root.tag != "mujoco":
        remedy = {
            "robot": "load it as URDF",
            "mujocoinclude": "it is a part for other files; load the file that includes it, flattened",
        }.get(root.tag, "give a file whose outermost element is <mujoco>")
        raise root.fault(f"is not MJCF: its outermost element is <{root.tag}>; {remedy}")
    _refuse_includes(root)
    root.only_attributes(("model",))
    root.only_tags((*READ, *IGNORED))
    defaults = Defaults()
    for section in root.all("default"):
        defaults.read(section)
    for tag, check in (("equality", _equality), ("tendon", _tendon), ("actuator", _actuator), ("deformable", _flex)):
        for section in root.all(tag):
            for item in section.children():
                check(item, defaults)
    tree = Tree(origin, defaults, _settings(root, reading), _names(root))
    for section in root.all("worldbody"):
        tree.world(section)
    try:
        arm = ArmDescription(
            root.short("model", root.element.get("model", "")) or "arm",
            tuple(tree.links),
            tuple(tree.joints),
            _gravity(root),
            drives=train_of_joints(tree.drives, origin),
            origin=origin,
        ).with_elastic(*tree.springs)
    except ArmError as fault:
        raise fault if str(fault).startswith(f"{origin}: ") else root.fault(str(fault)) from None
    reading.tell(origin)
    return arm.checked(physical)


def _refuse_includes(root: XmlNode) -> None:
    """Raises ArmError for <include>: other files are never opened."""
    for element in root.element.iter("include"):
        raise root.fault(
            f"includes {shortened(element.get('file', ''))}, and other files are not opened; let MuJoCo put them "
            f"together: load the file there and save it with mj_saveLastXML"
        )


def _names(root: XmlNode) -> set[str]:
    """Names in use by bodies and joints."""
    names = {"world"}
    for tag in ("body", "joint"):
        names |= {element.get("name", "") for element in root.element.iter(tag)}
    return names


def _settings(root: XmlNode, reading: AngleReading) -> Settings:
    """The settings of all <compiler> sections."""
    merged: dict[str, str] = {}
    for section in root.all("compiler"):
        section.only_attributes(COMPILER)
        merged |= section.element.attrib
    node = XmlNode(type(root.element)("compiler", merged), f"{root.where}: <compiler>")
    if node.choice("coordinate", ("local", "global"), "local") == "global":
        raise node.fault(
            "global coordinates are no longer part of MJCF; save the file with MuJoCo 2.3.3 or older first"
        )
    for name in ("settotalmass", "boundmass", "boundinertia"):
        if node.number(name, 0) > 0:
            raise node.fault(f"{name} changes the masses of the file; write the final ones and remove it")
    if node.choice("balanceinertia", ("true", "false"), "false") == "true":
        raise node.fault("balanceinertia changes the inertias of the file; write the final ones and remove it")
    from_geoms = node.choice("inertiafromgeom", ("true", "false", "auto"), "auto")
    if from_geoms == "true":
        raise node.fault(
            "inertiafromgeom='true' puts shapes in the place of the inertials; remove it, or let MuJoCo write the "
            'inertials: load the file there with saveinertial="true" and save it again'
        )
    sequence = node.element.get("eulerseq", "xyz")
    if len(sequence) != 3 or set(sequence) - set("xyzXYZ"):
        raise node.fault(f"eulerseq is {shortened(sequence)}; it is three of the letters x, y, z, X, Y, Z")
    low, high = node.numbers("inertiagrouprange", 2) or (0, 5)
    return Settings(
        AngleUnits(node.choice("angle", ("degree", "radian"), "degree") == "degree", sequence, reading),
        node.choice("autolimits", ("true", "false"), "true") == "true",
        None if from_geoms == "false" else (int(low), int(high)),
        _meshes(root),
    )


def _meshes(root: XmlNode) -> dict[str, str]:
    """File of each mesh by its name, by default the stem of the file."""
    files = {}
    for section in root.all("asset"):
        for mesh in section.all("mesh"):
            file = mesh.element.get("file", "")
            stem = file.replace("\\", "/").rpartition("/")[2].rpartition(".")[0]
            files[mesh.element.get("name") or stem] = file or mesh.element.get("name", "")
    return files


def _gravity(root: XmlNode) -> Vector:
    """Gravity from the <option> sections; options with other effects on the dynamics are refused."""
    gravity = EARTH
    for section in root.all("option"):
        section.only_attributes(OPTION)
        gravity = section.vector("gravity", gravity)
        for name in ("density", "viscosity"):
            if section.number(name, 0):
                raise section.fault(f"{name} puts the arm into a fluid, which is not modelled; remove it")
        for flag in section.all("flag"):
            for name in ("spring", "damper", "passive"):
                if flag.element.get(name) == "disable":
                    raise flag.fault(
                        f"{name}='disable' switches parts off; remove the flag and the parts it switches off"
                    )
            if flag.element.get("gravity") == "disable":
                gravity = (EARTH[0],) * 3
    return gravity


def _equality(item: XmlNode, defaults: Defaults) -> None:
    """Raises ArmError for an active equality constraint."""
    if defaults.applied(item, MAIN, "equality").element.get("active") == "false":
        return
    ends = [
        value for key, value in item.element.attrib.items() if key.rstrip("12") in ("body", "joint", "tendon", "site")
    ]
    raise item.fault(
        f"ties {listed(ends)} together, a closed loop or coupling that an open chain does not have; remove the "
        f"constraint if the arm may move without it, or make one of them rigid by removing its joint"
    )


def _tendon(item: XmlNode, defaults: Defaults) -> None:
    """Raises ArmError for a tendon with stiffness, damping, friction or armature."""
    tendon = defaults.applied(item, MAIN, "tendon")
    for name in ("stiffness", "damping", "frictionloss", "armature"):
        if any(read_number(word, f"{item.where}: {name}") for word in tendon.element.get(name, "0").split()):
            raise item.fault(f"{name} lets the tendon act on the joints, which is not modelled; remove it")


def _actuator(item: XmlNode, defaults: Defaults) -> None:
    """Raises ArmError for an actuator with armature or damping."""
    for tag in ("general", item.tag):
        actuator = defaults.applied(item, MAIN, tag)
        for name in ("armature", "damping"):
            if any(read_number(word, f"{item.where}: {name}") for word in actuator.element.get(name, "0").split()):
                raise item.fault(
                    f"{name} of an actuator is not read; write it at the joint (times the gear ratio squared)"
                )


def _flex(item: XmlNode, defaults: Defaults) -> None:
    """Raises ArmError for a flexible body."""
    if item.tag == "flex":
        raise item.fault("flexible bodies are not modelled; remove it")
