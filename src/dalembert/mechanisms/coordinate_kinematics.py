"""A mechanism's construction, positions and influence coefficients, on arrays of any batch shape."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ..arm.description import EARTH, ArmDescription, check_names, listed
from ..arm.drives import Actuator
from ..arm.errors import ArmError
from ..arm.exact import exact_vector
from ..arm.io.whole_files import write_whole
from ..arm.placement import Placement
from ..compile import build
from ..systems.arrays import one_state, vector_array
from . import position, transfer
from .assembly import Assembly, CoordinateTransfer
from .batch import Array, in_chunks
from .chain_frames import ChainFrames, FrameOn
from .compiled_map import CompiledMap
from .compiled_state import CompiledState
from .continuation import follow, solved, solved_at_once
from .diagnose import check_coordinates, independent_joints
from .followers import all_joints, with_free_joints
from .gears import Tie
from .loop_closures import Closure
from .mobility import mobility
from .mounting import mounted
from .own_drives import drive_elements
from .resolved_motion import JointMotion, resolved
from .springs import Spring, spring_elements


@dataclass(frozen=True)
class Influence:
    """Influence coefficients in the coordinates q: ``first`` ``(..., u, n)``, ``second`` ``(..., u, n, n)``.

    ``third`` ``(..., u, n, n, n)`` where it is asked for.
    """

    first: Array
    second: Array
    third: Array | None = None


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
    springs: tuple[Spring, ...] = ()
    drives: tuple[Actuator, ...] = ()


class CoordinateKinematics:
    """Construction, positions and influence coefficients."""

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
        self.chains = self._system()
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

    def _system(self) -> ChainFrames:
        parts = self.parts
        if not parts.chains:
            raise ArmError("a mechanism needs at least one chain; give it an arm")
        for kind, names in (("base", parts.bases), ("closure end", ())):
            for chain in names:
                if chain not in parts.chains:
                    raise ArmError(f"{kind} of {chain!r}: no such chain; the chains are {listed(parts.chains)}")
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

    def with_coordinates(self, coordinates: Sequence[str], passive: Sequence[str] = ()) -> Self:
        """The same mechanism seen, and driven, from other coordinates."""
        return self._with(coordinates=tuple(coordinates), passive=tuple(passive), home=self.home)

    def compiled(self) -> Self:
        """The same mechanism with the dynamics of its chains compiled, for long runs and large batches."""
        return self._with(coordinates=self.coordinates, home=self.home, compiled=True)

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

    def _with(self, **changes: Any) -> Self:
        parts = replace(self.parts, **changes)
        return type(self)(
            parts.chains,
            parts.closures,
            parts.coordinates,
            bases=parts.bases,
            frames=parts.frames,
            passive=parts.passive,
            gravity=parts.gravity,
            home=parts.home,
            name=parts.name,
            compiled=parts.compiled,
            springs=parts.springs,
            drives=parts.drives,
        )

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

    def _repr_html_(self) -> str:
        from .mechanism_notebook import mechanism_html

        return mechanism_html(self)

    # -- batches --------------------------------------------------------------------------------

    def batched(self, function: Callable[..., Any], *arguments: tuple[str, ArrayLike, int, str]) -> Any:
        """``function`` of flat batches, in pieces; results take the common batch shape of the arguments."""
        arrays = [vector_array(width, name, values, entries) for name, values, width, entries in arguments]
        try:
            batch = np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
        except ValueError:
            shapes = listed(f"{name} {array.shape}" for (name, *_), array in zip(arguments, arrays, strict=True))
            raise ArmError(f"these batches do not broadcast against each other: {shapes}") from None
        count = math.prod(batch)  # reshape(-1, 0) would not know it: a structure has no coordinates
        flat = [
            np.ascontiguousarray(np.broadcast_to(array, (*batch, array.shape[-1])).reshape(count, array.shape[-1]))
            for array in arrays
        ]
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

    # -- positions ------------------------------------------------------------------------------

    def coordinates_of(self, phi: ArrayLike) -> Array:
        """q ``(..., n)`` at these joints; a turn, which has no position, is 0."""

        def read(phi: Array) -> Array:
            placed = self.chains.place(phi)
            return self.assembly.value(self.assembly.coordinate_blocks(placed, 0), len(phi))[:, : self.n]

        return self.batched(read, self._joints(phi))

    def closure_error(self, phi: ArrayLike) -> Array:
        """Closure errors ``(..., r)`` (m, rad): zero where the mechanism is closed, and nowhere else."""
        return self.batched(lambda phi: self.assembly.closure_error(phi)[0], self._joints(phi))

    def position(self, q: ArrayLike, guess: ArrayLike | None = None) -> Array:
        """The joints phi ``(..., m)`` of the closed mechanism at coordinates q, in the assembly mode of ``guess``.

        Newton's method with a line search; where it leads away from the guess, by continuation: two modes meet only
        where [G^w_phi] is singular, and a way that leads through such a place is refused. The guess is home by default.
        """
        near = self.home if guess is None else guess
        if np.ndim(q) == np.ndim(near) == 1:
            target, start = vector_array(self.n, "q", q, "coordinate"), vector_array(self.m, "guess", near)
            joints = solved_at_once(self.assembly, target, start)
            if joints is not None:
                return joints
        return self.batched(
            lambda q, phi: solved(self.assembly, q, phi), self._rates("q", q), ("guess", near, self.m, "joint")
        )

    def closed_near(self, phi: ArrayLike) -> Array:
        """The closed configurations near these joints, by steps of least length."""

        def close(phi: Array) -> Array:
            joints, residuals = position.newton(self.assembly, phi, None)
            good = position.closed(residuals)
            if not good.all():
                raise ArmError(position.cannot_close(self.assembly, joints[int(np.argmax(residuals))], 0))
            return joints

        return self.batched(close, self._joints(phi))

    def assembly_modes(self, q: ArrayLike, starts: int = 200, seed: int = 0) -> Array:
        """All configurations ``(k, m)`` at coordinates q that Newton finds from ``starts`` random guesses."""
        target = vector_array(self.n, "q", q, "coordinate")
        if target.ndim != 1:
            raise ArmError(f"assembly modes are found for one q at a time; got shape {target.shape}")
        return position.assembly_modes(self.assembly, target, max(1, int(starts)), seed, self.home)

    def follow(self, path: ArrayLike, guess: ArrayLike | None = None) -> Array:
        """Joints ``(t, m)`` along a path of coordinates ``(t, n)``, kept to one assembly mode from start to end."""
        start = self.home if guess is None else vector_array(self.m, "guess", guess)
        return follow(self.assembly, vector_array(self.n, "path", path, "coordinate"), start)

    def frame(self, phi: ArrayLike, frame: FrameOn | str) -> Array:
        """A frame in the world, ``(..., 4, 4)``."""
        carrier = self.chains.carrier(frame)

        def poses(phi: Array) -> Array:
            turn, shift = self.chains.place(phi).pose(carrier)
            pose = np.zeros((len(phi), 4, 4))
            pose[:, :3, :3], pose[:, :3, 3], pose[:, 3, 3] = turn, shift, 1.0
            return pose

        return self.batched(poses, self._joints(phi))

    # -- influence coefficients -----------------------------------------------------------------

    def influence(self, phi: ArrayLike) -> Influence:
        """[G^phi_q] ``(..., m, n)`` and [H^phi_qq] ``(..., m, n, n)`` (3-15), (3-19), closures included."""

        def tables(phi: Array) -> tuple[Array, Array]:
            carried = self.assembly.carried(phi)
            return carried.x, carried.x2

        return Influence(*self.batched(tables, self._joints(phi)))

    def third_order(self, phi: ArrayLike) -> Array:
        """[D^phi_qqq] ``(..., m, n, n, n)`` (3-47): its first index of q is that of the derivative of [H^phi_qq].

        phi''' = [G] q''' + q''.([H] + 2 [H]^T) q' + (q'.[D] q') q', coordinates that turn included.
        """

        def table(phi: Array) -> Array:
            x3 = self.assembly.carried(phi, 3).x3
            assert x3 is not None
            return x3

        return self.batched(table, self._joints(phi))

    def joint_jerk(self, phi: ArrayLike, qd: ArrayLike, qdd: ArrayLike, qddd: ArrayLike) -> Array:
        """Third time derivative of phi for this motion (3-46), coordinates that turn included.

        (q''', 0) = [G^w] phi''' + phi''.(H + 2 H^T) phi' + (phi'.D phi') phi', H of a turn not being symmetric.
        """

        def move(phi: Array, qd: Array, qdd: Array, qddd: Array) -> Array:
            carried = self.assembly.carried(phi)
            rate, rate2 = joint_motion(carried, qd, qdd)
            right_side = np.concatenate([qddd, np.zeros((len(phi), self.r))], axis=1)
            for block in self.assembly.blocks(carried.placed, 3):
                jet, rate_block, rate2_block = block.jet, rate[:, block.joints], rate2[:, block.joints]
                right_side[:, block.rows] -= transfer.jerk_bias(jet.second, jet.third, rate_block, rate2_block)
            return transfer.times(carried.x_w, right_side)

        rates = (self._rates(name, values) for name, values in (("qd", qd), ("qdd", qdd), ("qddd", qddd)))
        return self.batched(move, self._joints(phi), *rates)

    def frame_influence(self, phi: ArrayLike, frame: FrameOn | str, order: int = 2) -> Influence:
        """Coefficients of a frame's origin (rows 0 to 2) and turn (rows 3 to 5) in q (3-22), (3-26); order 2 or 3."""
        carrier = self.chains.carrier(frame)
        if order not in (2, 3):
            raise ArmError(f"influence coefficients of a frame are given to order 2 or 3, not {order!r}")

        def tables(phi: Array) -> tuple[Array, ...]:
            carried = self.assembly.carried(phi, order)
            x_frame, x2_frame = carried.x[:, carrier.joints], carried.x2[:, carrier.joints]
            orders: list[list[Array]] = [[] for _ in range(order)]
            for jet in (carried.placed.point(carrier, order), carried.placed.turning(carrier, order)):
                orders[0].append(jet.first @ x_frame)
                # H^u X^T X + G^u . X2, the form of (3-26) that needs no inverse of its own.
                orders[1].append(transfer.quadratic(x_frame, jet.second) + transfer.dot(jet.first, x2_frame))
                if carried.x3 is not None:
                    x3_frame = carried.x3[:, carrier.joints]
                    orders[2].append(
                        transfer.dependent_third(jet.first, jet.second, jet.third, x_frame, x2_frame, x3_frame)
                    )
            return tuple(np.concatenate(order_rows, axis=1) for order_rows in orders)

        return Influence(*self.batched(tables, self._joints(phi)))

    def joint_motion(self, phi: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> tuple[Array, Array]:
        """phi' and phi'' for this motion of the coordinates (3-12), (3-13)."""

        def move(phi: Array, qd: Array, qdd: Array) -> tuple[Array, ...]:
            code = self.assembly.map
            rates = None if code is None else code.tables("joint_motion", phi, qd, qdd)
            return self.assembly.joint_motion(phi, qd, qdd)[1:] if rates is None else rates

        rate, rate2 = self.batched(move, self._joints(phi), self._rates("qd", qd), self._rates("qdd", qdd))
        return rate, rate2

    def resolve(
        self, poses: ArrayLike, qd: ArrayLike, qdd: ArrayLike, qddd: ArrayLike, guess: ArrayLike | None = None
    ) -> JointMotion:
        """Joints and their three derivatives for a motion of the frame whose freedoms are the coordinates.

        ``poses`` ``(t, 4, 4)`` say where it is, ``qd``, ``qdd`` and ``qddd`` ``(t, n)`` its velocity, acceleration and
        jerk, turns as angular velocity and its derivatives, in the axes of the world (3-14), (3-18), (3-46). Of an arm
        with drives, ``driven.electric.voltages(*motion)`` are then the voltages for it (2-240).
        """
        start = self.home if guess is None else one_state(self.m, "guess", guess)
        derivatives = (("qd", qd), ("qdd", qdd), ("qddd", qddd))
        rates = [vector_array(self.n, name, values, "coordinate") for name, values in derivatives]
        return resolved(self, np.asarray(poses, dtype=float), (rates[0], rates[1], rates[2]), start)


def joint_motion(carried: CoordinateTransfer, qd: Array, qdd: Array) -> tuple[Array, Array]:
    """phi' = X q', phi'' = X q'' + q'.X2 q'."""
    return transfer.times(carried.x, qd), transfer.times(carried.x, qdd) + transfer.form(qd, carried.x2)
