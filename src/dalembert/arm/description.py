"""What an arm is: links joined in a tree by revolute, prismatic and fixed joints.

A joint is a fixed placement on its parent link, a unit motion about or along z, and a fixed placement
of the child link's frame after it. Standard Denavit-Hartenberg rows put everything after the motion,
modified ones and URDF put (almost) everything before it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from functools import cached_property
from typing import Literal, Self

from .axes import shortened
from .drives import Actuator, DriveTrain, check_drive_model
from .elastic import Elastic
from .errors import ArmError
from .exact import Angle, exact, exact_vector
from .following import Coupled, Follows, couplings, followers_phrase, independent, offset_placement, settled
from .inertia import Inertia, Load
from .joint_keys import joint_number
from .moving_base import on_moving_base
from .placement import Placement, Step, Vector
from .real_bodies import impossible, tell
from .shapes import LinkShape
from .subarm import subarm
from .tool_link import default_tool_link

Kind = Literal["revolute", "prismatic", "fixed"]
KINDS: tuple[Kind, ...] = ("revolute", "prismatic", "fixed")
EARTH: Vector = (Fraction(0), Fraction(0), Fraction("-9.81"))


@dataclass(frozen=True)
class Limits:
    """Range of a joint (rad or m), its largest speed (rad/s or m/s) and effort (N m or N), inf or 0 where unknown."""

    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf
    effort: float = math.inf

    def __post_init__(self) -> None:
        for name in ("lower", "upper", "velocity", "effort"):
            if math.isnan(getattr(self, name)):
                raise ArmError(f"limit {name!r} is not a number")
        if self.lower > self.upper:
            raise ArmError(f"lower limit {self.lower:g} is above upper limit {self.upper:g}; exchange them")
        for name in ("velocity", "effort"):
            if getattr(self, name) < 0:
                raise ArmError(f"limit {name!r} is negative ({getattr(self, name):g}); give its magnitude")

    def known(self, name: str) -> float:
        """The limit "velocity" or "effort"; inf where it is not known."""
        return getattr(self, name) or math.inf


@dataclass(frozen=True)
class Link:
    """A rigid body; its inertia is about its own frame. ``meshes`` are references, never opened.

    ``shapes`` are what it looks like; arms that look different and move alike are equal.
    """

    name: str
    inertia: Inertia = Inertia()
    meshes: tuple[str, ...] = ()
    shapes: tuple[LinkShape, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True)
class Joint:
    """A joint between two links: parent, ``before``, motion along z, ``after``, child.

    ``held`` is where a joint that was locked stands (rad or m): motors that turn with it stand accordingly. A joint
    that ``follows`` another moves with it and is no coordinate of its own.
    """

    name: str
    kind: Kind
    parent: str
    child: str
    before: Placement = Placement()
    after: Placement = Placement()
    limits: Limits = Limits()
    held: float = 0.0
    follows: Follows | None = None

    @property
    def moves(self) -> bool:
        """True of revolute and prismatic joints, False of fixed ones."""
        return self.kind != "fixed"

    def at(self, value: object) -> Joint:
        """This joint frozen at ``value`` (rad or m)."""
        what = f"position of joint {self.name!r}"
        step = (
            Step("rotate", 2, Angle.of(value, what))
            if self.kind == "revolute"
            else Step("translate", 2, exact(value, what))
        )
        placement = self.before @ Placement.of(step) @ self.after
        held = step.amount.radians if isinstance(step.amount, Angle) else float(step.amount)
        return replace(
            self, kind="fixed", before=placement, after=Placement(), limits=Limits(), held=held, follows=None
        )


@dataclass(frozen=True)
class Body:
    """A moving link with all that is rigidly fixed to it, as the equations of motion see it.

    ``before`` leads from the frame of the parent body's link (or the base) to the joint, ``after`` from the
    joint to the frame of the link; ``inertia`` is about the frame of the link.
    """

    joint: Joint
    parent: int
    before: Placement
    after: Placement
    inertia: Inertia


@dataclass(frozen=True)
class ArmDescription:
    """Links and joints in a tree, base first; joints in an order where parents come before children.

    ``drives`` are the motors, rotors, transmissions and friction that move it; where the file says nothing of a
    joint, a motor without inertia or friction drives it directly. ``drive_model`` says whether the equations of
    motion count them: "none" for the links alone, "exact" for rotors as bodies, or one of the approximations of
    ``formulations/drive_train.py``. All results are for exactly what is counted.
    """

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    gravity: Vector = EARTH
    tool: Placement = Placement()
    tool_link: str = ""
    loads: tuple[tuple[str, Load], ...] = ()
    elastic: tuple[Elastic, ...] = ()
    title: str = ""
    sources: tuple[str, ...] = ()
    notes: str = ""
    drives: DriveTrain = DriveTrain()
    drive_model: str = "none"
    origin: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "gravity", exact_vector(self.gravity, "gravity"))
        check_names("link", [link.name for link in self.links])
        check_names("joint", [joint.name for joint in self.joints])
        object.__setattr__(self, "joints", settled(sorted_from_base(self.links, self.joints)))
        # A spring or damper at a joint that was locked pulls at nothing that moves.
        still = {joint.name for joint in self.joints if not joint.moves}
        object.__setattr__(self, "elastic", tuple(part for part in self.elastic if not part.at_one_of(still)))
        if not self.tool_link:
            object.__setattr__(self, "tool_link", self.default_tool_link)
        self.link(self.tool_link)
        check_drive_model(self.drive_model)
        object.__setattr__(self, "drives", self.drives.fitted(self))

    def __getstate__(self) -> dict[str, object]:
        # Cached results (bodies, kernels) are computed again after unpickling.
        return {part.name: getattr(self, part.name) for part in fields(ArmDescription)}

    # -- reading --------------------------------------------------------------------------------

    @cached_property
    def base(self) -> str:
        """Name of the fixed link at the root of the tree."""
        children = {joint.child for joint in self.joints}
        return next(link.name for link in self.links if link.name not in children)

    @cached_property
    def default_tool_link(self) -> str:
        """The link of the hand: by its name, else the last link of the longest branch; never a finger."""
        return default_tool_link(self.base, self.joints)

    @cached_property
    def moving(self) -> tuple[Joint, ...]:
        """The joints that move by themselves, in the order of q, with limits that suit all joints that follow them."""
        return independent(self.all_moving, self.couplings)

    @cached_property
    def all_moving(self) -> tuple[Joint, ...]:
        """All joints that move, those that follow others included, in the order of the bodies."""
        return tuple(joint for joint in self.joints if joint.moves)

    @cached_property
    def couplings(self) -> tuple[Coupled, ...]:
        """For each of ``all_moving``, the coordinate it goes with, the ratio and the offset: q_J = A q + b."""
        return couplings(self.joints)

    @property
    def followers(self) -> tuple[Joint, ...]:
        """The joints that follow others."""
        return tuple(joint for joint in self.all_moving if joint.follows is not None)

    @property
    def n(self) -> int:
        """Number of joints that move by themselves: the length of q."""
        return len(self.moving)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints that move by themselves, in the order of q."""
        return tuple(joint.name for joint in self.moving)

    @property
    def link_names(self) -> tuple[str, ...]:
        """Names of all links, in the order of ``links``."""
        return tuple(link.name for link in self.links)

    @property
    def is_chain(self) -> bool:
        """True if no moving body carries more than one other."""
        parents = [body.parent for body in self.bodies]
        return len(parents) == len(set(parents))

    def link(self, name: str) -> Link:
        """The link of this name."""
        for link in self.links:
            if link.name == name:
                return link
        raise ArmError(f"{self.where}no link {name!r}; the links are {listed(self.link_names)}")

    def joint(self, name: str) -> Joint:
        """The joint of this name, fixed ones included."""
        for joint in self.joints:
            if joint.name == name:
                return joint
        raise ArmError(f"{self.where}no joint {name!r}; the joints are {listed(j.name for j in self.joints)}")

    @property
    def where(self) -> str:
        """The file this arm came from, for the head of an error message."""
        return f"{self.origin}: " if self.origin else ""

    def __repr__(self) -> str:
        joints = f"{self.n} joints {self.joint_letters}{followers_phrase(self.followers)}"
        return f"<{type(self).__name__} {self.name!r}: {joints}>"

    def _repr_html_(self) -> str:
        from .description_notebook import description_html

        return description_html(self)

    @property
    def joint_letters(self) -> str:
        """R for each revolute joint that moves, P for each prismatic one."""
        return "".join("R" if joint.kind == "revolute" else "P" for joint in self.moving)

    @property
    def counts_drives(self) -> bool:
        """True if the equations of motion of this description hold the rotors and the friction of its drives."""
        return self.drive_model != "none"

    @property
    def has_friction(self) -> bool:
        """True if the drives count and some motor or joint of theirs has friction."""
        joint_friction = (self.drives.friction_of(joint.name) for joint in self.all_moving)
        return self.counts_drives and any((*(motor.friction for motor in self.drives.actuators), *joint_friction))

    @cached_property
    def body_of(self) -> Mapping[str, tuple[int, Placement]]:
        """For each link: the moving body it belongs to (-1 for the base) and its frame in that body's link frame."""
        bodies: dict[str, tuple[int, Placement]] = {self.base: (-1, Placement())}
        count = 0
        for joint in self.joints:
            if joint.moves:
                bodies[joint.child] = (count, Placement())
                count += 1
            else:
                body, placement = bodies[joint.parent]
                bodies[joint.child] = (body, shortened(placement @ joint.before @ joint.after))
        return bodies

    @cached_property
    def bodies(self) -> tuple[Body, ...]:
        """The moving bodies: fixed joints merged with their masses kept, loads included."""
        inertias = [Inertia()] * len(self.all_moving)
        attached = [(link.name, Placement(), link.inertia) for link in self.links]
        for name, load in self.loads:
            attached.append((name, self.load_frame(name), load.body))
        if self.counts_drives:
            self.drives.check(self)
            attached += [(rotor.link, Placement(), rotor.locked) for rotor in self.drives.uncounted_rotors]
        for name, placement, inertia in attached:
            body, frame = self.body_of[name]
            if body >= 0:
                # Without a placement no conversion: numbers in the link's own frame stay exactly as written.
                in_body = frame @ placement
                inertias[body] = inertias[body] + (inertia.placed(in_body) if in_body.steps else inertia)
        bodies = []
        for joint, coupled, inertia in zip(self.all_moving, self.couplings, inertias, strict=True):
            parent, frame = self.body_of[joint.parent]
            before = frame @ joint.before
            if coupled.offset:
                before = before @ offset_placement(joint.kind, coupled.offset)
            bodies.append(Body(joint, parent, before, joint.after, inertia))
        return tuple(bodies)

    # -- changing: each gives a new arm ---------------------------------------------------------

    def holding(self, load: Load | None, link: str | None = None) -> Self:
        """The arm with ``load`` in its hand, or on ``link``; None takes it off, another load replaces it.

        The load's numbers are in the tool frame (Bejczy 1974, Appendix C: the hand frame), or in the frame of
        ``link`` where one is named.

        >>> import dalembert as da
        >>> da.load("planar-2r").holding(da.Load(mass=2.0)).gravity_load([0, 0])
        array([58.86 , 24.525])
        """
        if load is not None and not isinstance(load, Load):
            raise ArmError(f"{self.where}a load is a Load, such as Load(mass=2.0); got {load!r}")
        name = self.link(link or self.tool_link).name
        if load is not None and link is None:
            from .plausible_sizes import tell_load

            tell_load(self, load)
        if load is not None and link is not None:
            load = load.seen_from(self.load_frame(name))
        others = tuple((link_name, held) for link_name, held in self.loads if link_name != name)
        return replace(self, loads=others if load is None or not load.body else (*others, (name, load)))

    def locked(self, positions: Mapping[str, object]) -> Self:
        """The arm with these joints frozen at these positions (rad or m): ``arm.locked({"joint2": 0.5})``."""
        if not isinstance(positions, Mapping):
            raise ArmError(f'{self.where}joints are locked at positions, as in {{"joint2": 0.5}}; got {positions!r}')
        for name in positions:
            joint = self.joint(name)
            if not joint.moves:
                raise ArmError(f"{self.where}joint {name!r} is fixed already")
            if joint.follows is not None:
                raise ArmError(f"{self.where}joint {name!r} follows joint {joint.follows.joint!r}; lock that one")
        joints = tuple(j.at(positions[j.name]) if j.name in positions else j for j in self.joints)
        return replace(self, joints=joints)

    def with_gravity(self, gravity: Sequence[float]) -> Self:
        """The arm under another gravity, a vector in the base frame (m/s^2)."""
        return replace(self, gravity=exact_vector(gravity, "gravity"))

    def counting_drives(self, model: str = "exact") -> Self:
        """The same arm with its drives counted by this model, or ("none") the links alone."""
        return replace(self, drive_model=model)

    def frictionless(self) -> Self:
        """The same with all friction of its drives taken off."""
        return replace(self, drives=self.drives.without_friction())

    def with_tool(self, tool: Placement | str, link: str | None = None) -> Self:
        """The arm with its tool frame at a placement on ``link`` (the present tool link by default), or in a link.

        ``with_tool("flange")`` puts the tool frame into the frame of that link. Loads stay where they are.
        """
        if isinstance(tool, str):
            if link is not None:
                raise ArmError(f"{self.where}two links are named for the tool, {tool!r} and {link!r}; name one")
            link, tool = tool, Placement()
        if not isinstance(tool, Placement):
            raise ArmError(f"{self.where}the tool is a Placement or the name of a link, not {tool!r}")
        new = replace(self, tool=tool, tool_link=self.link(link or self.tool_link).name, loads=())
        reframed = ((name, self.load_frame(name).inverse() @ new.load_frame(name), load) for name, load in self.loads)
        return replace(new, loads=tuple((name, load.seen_from(frame)) for name, frame, load in reframed))

    def load_frame(self, link: str) -> Placement:
        """The frame, on ``link``, in which the numbers of a load on it are: of the hand the tool frame."""
        return self.tool if link == self.tool_link else Placement()

    def on_moving_base(
        self,
        kind: Kind = "prismatic",
        axis: object = (1, 0, 0),
        body: Inertia | None = None,
        *,
        name: str = "rail",
        ground: str = "ground",
        limits: Limits | None = None,
        actuator: Actuator | None = None,
    ) -> Self:
        """The arm on a base that slides or turns along ``axis`` of its base frame (Szkodny 1995, after eq. 18).

        The base is a moving link then, of inertia ``body`` in its own frame; joint 0 is called ``name`` and hangs on
        the link ``ground``, whose frame is that of the base at rest. ``actuator`` drives it; without one a motor
        without inertia does.
        """
        return on_moving_base(self, name, kind, axis, body or Inertia(), Link(ground), limits or Limits(), actuator)

    def with_elastic(self, *parts: Elastic) -> Self:
        """The arm with these springs and dampers added."""
        for part in parts:
            if not isinstance(part, Elastic):
                raise ArmError(f"{self.where}springs are JointSpring, JointDamper or PointSpring; got {part!r:.80}")
            part.check(self)
        return replace(self, elastic=(*self.elastic, *parts))

    def without_elastic(self) -> Self:
        """The arm with all its springs and dampers taken off."""
        return replace(self, elastic=())

    def subarm(self, first: int | str, last: int | str) -> Self:
        """The joints ``first`` to ``last`` (names, or indices counted from 0, both included) as an arm of its own.

        Its base is the link that carries ``first``; branches that leave the path are dropped, and so is
        what hangs on ``last``'s child beyond fixed joints.
        """
        return subarm(self, self._moving_joint(first), self._moving_joint(last))

    def _moving_joint(self, joint_key: int | str) -> Joint:
        if isinstance(joint_key, str):
            joint = self.joint(joint_key)
            if not joint.moves:
                raise ArmError(f"{self.where}joint {joint_key!r} is fixed; name one of {listed(self.joint_names)}")
            return joint
        number = joint_number(self.joint_names, joint_key)
        if number is None:
            raise ArmError(f"{self.where}joint {joint_key!r} is out of range; joints count from 0 to {self.n - 1}")
        return self.moving[number]

    # -- checking -------------------------------------------------------------------------------

    def checked(self, physical: str = "warn") -> Self:
        """This arm, after its inertias are checked against what a real body can have (``real_bodies.py``).

        ``physical="warn"`` gives one warning that names each link and what is wrong, ``"error"`` refuses, ``"ignore"``
        is silent. No number is changed.
        """
        tell(self, impossible(self), physical)
        return self


def listed(names: object, most: int = 40) -> str:
    """Names as they stand in an error message, the first of them where they are many."""
    words = [str(name) for name in names]  # type: ignore[attr-defined]
    remainder = f" and {len(words) - most} more" if len(words) > most else ""
    return ", ".join(words[:most]) + remainder or "none"


def check_names(what: str, names: Sequence[str]) -> None:
    """Names are not empty and not repeated."""
    seen: set[str] = set()
    for name in names:
        if not isinstance(name, str) or not name:
            raise ArmError(f"a {what} has no name; give every {what} one")
        if name in seen:
            raise ArmError(f"two {what}s are named {name!r}; names must differ")
        seen.add(name)


def sorted_from_base(links: Sequence[Link], joints: Sequence[Joint]) -> tuple[Joint, ...]:
    """The joints with parents before children, otherwise in their order; refuses what is no tree."""
    names = {link.name for link in links}
    if not names:
        raise ArmError("an arm needs at least a base link")
    carrier: dict[str, str] = {}
    for joint in joints:
        if joint.kind not in KINDS:
            raise ArmError(f"joint {joint.name!r} has unknown kind {joint.kind!r}; the kinds are {listed(KINDS)}")
        for end in (joint.parent, joint.child):
            if end not in names:
                raise ArmError(
                    f"joint {joint.name!r} names link {end!r}, which is not there; the links are "
                    f"{listed(sorted(names))}"
                )
        if joint.child in carrier:
            raise ArmError(
                f"link {joint.child!r} hangs on two joints, {carrier[joint.child]!r} and {joint.name!r}: "
                f"a closed loop, which an arm cannot have; cut one of them"
            )
        carrier[joint.child] = joint.name
    roots = [link.name for link in links if link.name not in carrier]
    if len(roots) > 1:
        raise ArmError(
            f"several links have no parent joint: {listed(roots)}; an arm has one base, join the others to it"
        )
    if not roots:
        raise ArmError("the joints run in a circle: no link can be the base; cut one joint")
    placed, order, waiting = {roots[0]}, [], list(joints)
    while waiting:
        unplaced = []
        for joint in waiting:
            if joint.parent in placed:
                placed.add(joint.child)
                order.append(joint)
            else:
                unplaced.append(joint)
        if len(unplaced) == len(waiting):
            raise ArmError(
                f"joints {listed(j.name for j in unplaced)} run in a circle apart from the base {roots[0]!r}; cut one"
            )
        waiting = unplaced
    return tuple(order)
