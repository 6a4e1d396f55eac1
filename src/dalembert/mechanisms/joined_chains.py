"""Chains of a mechanism joined by closures, gears and springs: its construction, its names and sizes, its changes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ..arm.array_input import common_shape
from ..arm.description import EARTH, ArmDescription, check_names, listed
from ..arm.drives import Actuator
from ..arm.errors import ArmError
from ..arm.exact import exact_vector
from ..arm.inertia import Load
from ..arm.io.whole_files import write_whole
from ..arm.placement import Placement
from ..arm.shaft_friction import NO_FRICTION
from ..compile import build
from ..systems.arrays import broadcast, vector_array
from . import position
from .assembly import Assembly
from .batch import Array, in_chunks
from .chain_frames import ChainFrames, FrameOn
from .compiled_map import CompiledMap
from .compiled_state import CompiledState
from .diagnose import check_coordinates, independent_joints
from .followers import all_joints, with_free_joints
from .gears import Tie
from .loop_closures import Closure
from .mobility import mobility
from .mounting import mounted
from .own_drives import drive_elements
from .springs import Spring, spring_elements


@dataclass(frozen=True)
class MechanismParts:
    """The arguments of a mechanism, from which ``_with`` builds a changed one."""

    chains: Mapping[str, ArmDescription]
    closures: tuple[Tie, ...]
    coordinates: tuple[str, ...] | None
    bases: Mapping[str, Placement]
    frames: Mapping[str, FrameOn | str]
    passive: tuple[str, ...]
    gravity: object
    home: Any
    name: str
    compiled: bool
    springs: tuple[Spring, ...]
    drives: tuple[Actuator, ...]


class JoinedChains:
    """Chains, what joins them, and the coordinates they are seen from, closed at ``home``."""

    def __init__(
        self,
        chains: Mapping[str, ArmDescription],
        closures: Sequence[Tie] = (),
        coordinates: Sequence[str] | None = None,
        *,
        bases: Mapping[str, Placement] | None = None,
        frames: Mapping[str, FrameOn | str] | None = None,
        passive: Sequence[str] = (),
        gravity: object = EARTH,
        home: Mapping[str, float] | ArrayLike | None = None,
        name: str = "mechanism",
        compiled: bool = False,
        springs: Sequence[Spring] = (),
        drives: Sequence[Actuator] = (),
    ) -> None:
        """A mechanism of ``chains`` (arms by name), tied by ``closures`` and gears, and seen from ``coordinates``.

        ``bases`` place the bases of chains in the world, ``frames`` name frames on links, ``gravity`` is that of the
        world (m/s^2). ``passive`` are coordinates without actuator. ``home`` is a guess of a closed configuration:
        joint positions in the order of the chains, or by name. Without ``coordinates``, joints that determine the
        mechanism well at home are chosen. ``compiled`` evaluates the chains' dynamics by compiled kernels. ``springs``
        act between chains, ``drives`` are motors beside those of the chains, whose ratios are to coordinates. Joints of
        an arm that follow others are joints of the mechanism with a gear each; ``home`` may leave them out.
        """
        names = None if coordinates is None else tuple(coordinates)
        if home is not None and not isinstance(home, Mapping):
            every_joint = all_joints(chains, np.asarray(home, dtype=float))
            home = home if every_joint is None else every_joint
        free, gears = with_free_joints(chains)
        self.parts = MechanismParts(
            free,
            (*closures, *gears),
            names,
            dict(bases or {}),
            dict(frames or {}),
            tuple(passive),
            gravity,
            home,
            name,
            compiled,
            tuple(springs),
            tuple(drives),
        )
        self.name = name
        self.chains = self._chain_frames()
        check_names("closure", [closure.name for closure in self.parts.closures])
        check_names("spring", [spring.name for spring in self.parts.springs])
        elements = (
            *spring_elements(self.parts.springs, self.chains),
            *drive_elements(self.parts.drives, self.chains),
        )
        self.assembly = Assembly(self.chains, self.parts.closures, names or ())
        guess = self._guess(home)
        self.home: Array = position.assembled(self.assembly, guess, name, home is not None)
        self.home_moved: Array = self.home - guess
        """How far each joint of the guess moved to close the loops (rad or m)."""
        rank = self.m - mobility(self.assembly, self.home).lasting
        if names is None:
            closing = self.assembly.closure_jacobian(self.home[None])[0]
            chosen = [self.chains.joint_names[k] for k in sorted(independent_joints(closing))]
            self.assembly = Assembly(self.chains, self.parts.closures, chosen)
        self.assembly.rank, self.assembly.elements, self.assembly.home = rank, elements, self.home
        check_coordinates(self.assembly, self.home)
        self.assembly.kernel = self._kernel() if compiled else None  # from here on: what is asked for is compiled
        if self.assembly.kernel is not None and self.n:
            self.assembly.map = CompiledMap(self.assembly)
        unknown = [text for text in self.parts.passive if " ".join(text.split()) not in self.coordinates]
        if unknown:
            raise ArmError(f"passive {unknown[0]!r} is no coordinate; the coordinates are {listed(self.coordinates)}")

    def _chain_frames(self) -> ChainFrames:
        parts = self.parts
        if not parts.chains:
            raise ArmError("a mechanism needs at least one chain; give it an arm")
        for chain in parts.bases:
            if chain not in parts.chains:
                raise ArmError(f"base of {chain!r}: no such chain; the chains are {listed(parts.chains)}")
        gravity = exact_vector(parts.gravity, "gravity")
        arms = {
            chain: mounted(arm, parts.bases.get(chain, Placement()), gravity) for chain, arm in parts.chains.items()
        }
        joined = {closure.name: (closure.a, closure.b) for closure in parts.closures if isinstance(closure, Closure)}
        return ChainFrames(arms, parts.frames, parts.compiled, joined)

    def _kernel(self) -> CompiledState | None:
        try:
            build.find()
        except build.CompileError as fault:
            build.warn_slow(fault)
            return None
        return CompiledState(self.chains, self.assembly.closures)

    def _guess(self, home: Mapping[str, float] | ArrayLike | None) -> Array:
        if home is None:
            return np.zeros(self.m)
        if isinstance(home, Mapping):
            guess = np.zeros(self.m)
            for joint, value in home.items():
                guess[self.chains.joint_index(joint)] = float(value)
            return guess
        return vector_array(self.m, "home", home)

    @property
    def passive_indices(self) -> list[int]:
        """Which coordinates nobody drives, counted from 0."""
        names = {" ".join(text.split()) for text in self.parts.passive}
        return [index for index, name in enumerate(self.coordinates) if name in names]

    # -- changes: each gives a new mechanism ------------------------------------------------------

    def with_coordinates(self, coordinates: Sequence[str], passive: Sequence[str] = ()) -> Self:
        """The same mechanism seen, and driven, from other coordinates."""
        return self._with(coordinates=tuple(coordinates), passive=tuple(passive))

    def compiled(self) -> Self:
        """The same mechanism with the dynamics of its chains compiled, for long runs and large batches."""
        return self._with(compiled=True)

    @property
    def driven(self) -> Self:
        """The same mechanism with the drives of all its chains counted: rotors, transmissions, friction."""
        return self._with_chains(lambda arm: arm.counting_drives())

    def without_drives(self) -> Self:
        """The same mechanism with the links of its chains alone."""
        return self._with_chains(lambda arm: arm.counting_drives("none"), drives=())

    def with_gravity(self, gravity: object) -> Self:
        """The same under another gravity of the world (m/s^2)."""
        return self._with(gravity=gravity)

    def frictionless(self) -> Self:
        """The same with all friction of its drives taken off."""
        drives = tuple(replace(drive, friction=NO_FRICTION) for drive in self.parts.drives)
        return self._with_chains(lambda arm: arm.frictionless(), drives=drives)

    def holding(self, load: Load | None, chain: str = "") -> Self:
        """The same with ``load`` in the hand of ``chain``, which may be left out where there is one chain alone."""
        names = self.chains.names
        if not chain and len(names) > 1:
            raise ArmError(f"{self.name} has several chains; say whose hand holds the load: {listed(names)}")
        holder = chain or names[0]
        if holder not in names:
            raise ArmError(f"no chain {holder!r} to hold the load; the chains are {listed(names)}")
        chains = dict(self.parts.chains)
        chains[holder] = chains[holder].holding(load)
        return self._with(chains=chains)

    def with_springs(self, *springs: Spring) -> Self:
        """The same with these springs and dampers between its chains in place of those it has."""
        return self._with(springs=springs)

    def _with_chains(self, change: Callable[[ArmDescription], ArmDescription], **changes: Any) -> Self:
        chains = {name: change(arm) for name, arm in self.parts.chains.items()}
        return self._with(chains=chains, **changes)

    def _with(self, **changes: Any) -> Self:
        """The same with other arguments, closed at the same home and seen from the same coordinates."""
        present = replace(self.parts, coordinates=self.coordinates, home=self.home)
        return type(self)(**vars(replace(present, **changes)))

    # -- files --------------------------------------------------------------------------------------

    def write_toml(self) -> str:
        """The mechanism as the text of a TOML file; ``load_mechanism`` reads the same mechanism from it."""
        from .mechanism_writer import write_mechanism

        return write_mechanism(self)

    def save(self, path: str | Path) -> Path:
        """Write the mechanism to a TOML file."""
        text = self.write_toml()
        file = Path(path)
        if file.suffix.lower() != ".toml":
            raise ArmError(f"{path}: a mechanism is written as TOML; call the file something.toml")
        write_whole(file, text)
        return file

    # -- names and sizes ------------------------------------------------------------------------

    @property
    def m(self) -> int:
        """Number of joints of all chains: the length of phi."""
        return self.chains.m

    @property
    def n(self) -> int:
        """Number of coordinates: the length of q."""
        return self.assembly.n

    @property
    def r(self) -> int:
        """Number of closure equations."""
        return self.assembly.r

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the entries of phi, "chain.joint"."""
        return self.chains.joint_names

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates, in the order of q."""
        return tuple(coordinate.name for coordinate in self.assembly.coordinates)

    @property
    def equation_names(self) -> tuple[str, ...]:
        """Names of the closure equations and their constraint forces, "closure.freedom"."""
        return self.assembly.equation_names

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} {self.name!r}: {self.m} joints, {self.r} closure equations, {self.n} coordinates>"
        )

    # -- batches --------------------------------------------------------------------------------

    def batched(self, function: Callable[..., Any], *arguments: tuple[str, ArrayLike, int, str]) -> Any:
        """``function`` of flat batches, in pieces; results take the common batch shape of the arguments."""
        named = [(name, vector_array(width, name, values, entries)) for name, values, width, entries in arguments]
        batch = common_shape(named)
        count = math.prod(batch)  # reshape(-1, 0) would not know it: a structure has no coordinates
        flat = [np.ascontiguousarray(array.reshape(count, array.shape[-1])) for array in broadcast(named)]
        results = in_chunks(function, *flat)
        if isinstance(results, tuple):
            return tuple(result.reshape((*batch, *result.shape[1:])) for result in results)
        return results.reshape((*batch, *results.shape[1:]))

    def each(self, function: Callable[..., Any], *arguments: tuple[str, ArrayLike, int, str]) -> Any:
        """``function`` of single states, one after the other; its array, or tuple of arrays, by the batch shape."""

        def rows(*arrays: Array) -> Any:
            results = [function(*states) for states in zip(*arrays, strict=True)]
            if not results:
                raise ArmError("there is no state in this batch; give at least one")
            if isinstance(results[0], tuple):
                return tuple(np.stack(tables) for tables in zip(*results, strict=True))
            return np.stack(results)

        return self.batched(rows, *arguments)

    def _joints(self, phi: ArrayLike) -> tuple[str, ArrayLike, int, str]:
        return "phi", phi, self.m, "joint"

    def _rates(self, name: str, values: ArrayLike) -> tuple[str, ArrayLike, int, str]:
        return name, values, self.n, "coordinate"
