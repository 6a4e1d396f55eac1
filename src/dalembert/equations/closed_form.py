"""The equations of motion of an arm in closed form, as ``arm.equations()`` gives them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from ..arm.inertia import PARAMETERS
from ..arm.lazy_arrays import is_lazy, mapped
from ..formulations import composite_body, generalized_dalembert
from ..formulations.system import SystemOverRing
from ..rings.algebra import add
from . import names, transformations
from .attribution import by_link, entry_of, split_of, torque_or_energy_by_link
from .attribution import share as share_of
from .derive import COMPOSITE, EquationsModel, page
from .polynomial import TrigPolynomial, as_polynomial
from .polynomial_array import array_of
from .space import Space
from .symbols import Request, Symbol
from .whole import MotionSymbols

if TYPE_CHECKING:
    from .base_parameters import BaseParameters
    from .components import Component
    from .legend import Legend
    from .starred_parameters import Definition
    from .structure import Structure
    from .verify import Verdict

Polynomials = NDArray[np.object_]


class Equations:
    """tau_i = sum_j D_ij qdd_j + sum_jk C_ijk qd_j qd_k + G_i, every coefficient an exact TrigPolynomial.

    Where the drives count, their rotors are in D and C; friction, which is no polynomial, is not in tau:
    ``system.friction_torque`` has it.

    Coefficients are arrays of polynomials indexed from 0: ``mass_matrix[i, j]``, ``christoffel[i, j, k]`` (symmetric
    in j and k), ``gravity[i]``. By printed name, counted from 1: ``equations["D12"]``.
    """

    def __init__(
        self,
        arm: ArmDescription,
        parameters: Request = "symbols",
        starred: Mapping[str, Definition] | None = None,
        formulation: str = COMPOSITE,
    ) -> None:
        if arm.elastic:
            raise ArmError(
                f"{arm.where}{arm.name} has springs or dampers, which a polynomial in sines and cosines cannot hold; "
                "ask the arm without them (without_elastic(), --no-springs on the command line) and add them"
            )
        page(formulation)
        self.arm, self.request, self.formulation = arm, parameters, formulation
        # Definitions of the starred symbols of a restricted model (equations/restricted.py).
        self.starred: Mapping[str, Definition] = starred or {}
        stars = frozenset(n for name in self.starred for n in re.findall(r"^m(\d+)\*$", name))
        self.model = EquationsModel(arm, parameters, stars)
        self.space: Space = self.model.space

    def __reduce__(self) -> tuple[Any, ...]:
        # Derived anew where it is needed: that takes milliseconds, and less room than the polynomials.
        return type(self), (self.arm, self.request, dict(self.starred) or None, self.formulation)

    @property
    def n(self) -> int:
        """Number of joints: the length of q."""
        return self.arm.n

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The symbols of these equations, with their values and links."""
        return self.model.selection.symbols

    # -- the coefficients ------------------------------------------------------------------------

    @cached_property
    def _matrix(self) -> list[list[Any]]:
        return self.model.mass_matrix(self.formulation)

    @cached_property
    def mass_matrix(self) -> Polynomials:
        """D(q), n by n."""
        return self._array(self._matrix, (self.n, self.n), "D")

    @cached_property
    def christoffel(self) -> Polynomials:
        """C_ijk(q), n by n by n, symmetric in j and k."""
        return self._array(self.model.velocity(self._matrix, self.formulation), (self.n,) * 3, "C")

    @cached_property
    def second_christoffel(self) -> Polynomials:
        """The same symbols from the traces of Bejczy 1974, eq. (1): an independent check on ``christoffel``."""
        symbols = self.model.velocity(self._matrix, "lagrange-euler")
        return self._array(symbols, (self.n,) * 3, "")

    @cached_property
    def gravity(self) -> Polynomials:
        """G(q) = dV/dq."""
        return self._array(self.model.gravity(self.formulation), (self.n,), "G")

    def _array(self, numbers: Any, shape: tuple[int, ...], kind: str) -> Polynomials:
        def entry(index: tuple[int, ...]) -> TrigPolynomial:
            number = numbers
            for i in index:
                number = number[i]
            polynomial = as_polynomial(self.space, number)
            if kind:
                polynomial._split = split_of(self.model, kind, index)
            return polynomial

        return array_of(shape, kind, entry)

    def __getitem__(self, name: str) -> TrigPolynomial:
        """The coefficient of a printed name such as "D12", "C112" or "G2", an energy "K" or "V", a torque "tau1".

        Names of Bejczy 1974 are read as well: "D112" = 2 C112 (eqs 12 to 17), "D2" = G2, an entry "U21[1,3]".
        """
        torque_or_energy = names.torque_or_energy(name, self.n)
        if torque_or_energy is not None:
            kind, joint = torque_or_energy
            if kind == "tau":
                return cast(TrigPolynomial, self.torque[joint])
            return self.kinetic_energy if kind == "K" else self.potential_energy
        entry = names.of_transformation(name, self.n)
        if entry is not None:
            (link, *joints), entry_index = entry
            if entry_index is None:
                raise ArmError(f"{name.strip()} is a matrix; name an entry, as in {name.strip()}[1,3]")
            return cast(TrigPolynomial, self.transformation_derivative(link, *joints)[entry_index])
        kind, index = names.parse(name, self.n)
        if kind == "D" and len(index) == 3:
            return self._two_speeds(index)
        table = {"D": self.mass_matrix, "C": self.christoffel, "G": self.gravity}[kind]
        return cast(TrigPolynomial, table[index])

    def _two_speeds(self, index: tuple[int, ...]) -> TrigPolynomial:
        """D_ijp of Bejczy 1974, eqs 12 to 17: the factor of qd_j qd_p, both orders in one term."""
        factor = cast(TrigPolynomial, self.christoffel[index]) * names.speeds_counted(index)
        factor._split = split_of(self.model, "D", index)
        return factor

    def velocity_matrix(self, joint: int) -> Polynomials:
        """D_i,V of Bejczy 1974, eq. 22, n by n: the velocity torque of the joint is qd D_i,V qd / 2 (eq. 23).

        Its entries are 2 C_ijp: D_ijp beside the diagonal and 2 D_ijj on it.
        """
        return array_of((self.n, self.n), "", lambda index: 2 * cast(TrigPolynomial, self.christoffel[(joint, *index)]))

    def transformation(self, link: int) -> Polynomials:
        """T_0^j of Bejczy 1974, section III, 4 by 4: from the frame of a link (counted from 0) to the base."""
        rows = transformations.transformation(self, link)
        return array_of((4, 4), "", lambda index: rows[index[0]][index[1]])

    def transformation_derivative(self, link: int, *joints: int) -> Polynomials:
        """U_ji of Bejczy 1974, eq. 4, for one joint and U_jkp, eq. 7, for two, 4 by 4; all counted from 0."""
        rows = transformations.derivative(self, link, joints)
        return array_of((4, 4), "", lambda index: rows[index[0]][index[1]])

    def names(self, zeros: bool = True) -> list[str]:
        """Printed names of the independent coefficients; without the zero ones where ``zeros`` is False."""
        return [name for name in names.all_names(self.n) if zeros or self[name]]

    # -- energies, speeds and torques as symbols -------------------------------------------------

    @property
    def moving_space(self) -> Space:
        """The ring with joint speeds qd1, ... and accelerations qdd1, ... as symbols."""
        return self.model.motion.space

    @property
    def motion(self) -> MotionSymbols:
        """The joint speeds and accelerations as symbols."""
        return self.model.motion

    @cached_property
    def kinetic_energy(self) -> TrigPolynomial:
        """K = sum_ij D_ij qd_i qd_j / 2, in symbols qd1, qd2, ..."""
        return self._attributed("K", 0, self.motion.kinetic_energy(self.mass_matrix))

    def _attributed(self, kind: str, joint: int, polynomial: TrigPolynomial) -> TrigPolynomial:
        """A torque or an energy whose terms know the links they come from."""
        model = self.model  # not self: see attribution.py
        polynomial._split = lambda: {
            link: share.poly for link, share in torque_or_energy_by_link(model, kind, joint).items()
        }
        return polynomial

    @cached_property
    def potential_energy(self) -> TrigPolynomial:
        """V(q), zero with all first moments at the height of the base origin."""
        model = self.model
        energy = composite_body.potential_energy(model.chain, model.ring, model.joints)
        return self._attributed("V", 0, as_polynomial(self.space, add(energy, model.drive_potential)))

    @cached_property
    def torque(self) -> Polynomials:
        """tau_i in symbols q, qd, qdd."""
        parts = self.torque_of()
        return array_of((self.n,), "tau", lambda index: self._attributed("tau", index[0], parts[index[0]]))

    def torque_of(self, acceleration: bool = True, velocity: bool = True, gravity: bool = True) -> Polynomials:
        """tau_i with only the kinds of terms asked for (Bejczy 1974, section IV: acceleration and gravity)."""
        none = np.zeros((self.n, self.n), dtype=object)

        def entry(index: tuple[int, ...]) -> TrigPolynomial:
            (i,) = index
            return self.motion.torque(
                self.mass_matrix[i] if acceleration else none[i],
                self.christoffel[i] if velocity else none,
                self.gravity[i] if gravity else 0,
            )

        return array_of((self.n,), "", entry)

    @cached_property
    def jacobian(self) -> Polynomials:
        """Six rows, linear then angular velocity of the tool in the base frame, per joint."""
        model = self.model
        rows = model.system.jacobian(model.ring, model.ring.positions)
        return self._array(rows, (6, self.n), "")

    @cached_property
    def tool_frame(self) -> Polynomials:
        """The tool in the base, 4 by 4."""
        model = self.model
        turn, shift = model.system.tool_frame(model.ring, model.ring.positions)
        rows = [[*turn[i], shift[i]] for i in range(3)] + [[0, 0, 0, 1]]
        return self._array(rows, (4, 4), "")

    @cached_property
    def regressor(self) -> Polynomials:
        """Y(q, qd, qdd), ten columns a body: tau = Y pi, pi the inertial parameters about the link frames."""
        if self.arm.counts_drives:
            raise ArmError(f"{self.arm.name}: the regressor would leave out the drives; ask the equations of the links")
        space, geometry = self.moving_space, self.model.selection
        ring = space.ring
        geometry_parameters = {
            key: value for key, value in geometry.ring_parameters(ring).items() if not _inertial(key)
        }
        rows = SystemOverRing(self.arm, ring, geometry_parameters).regressor(
            ring,
            ring.positions,
            [ring.symbol(f"qd{i + 1}") for i in range(self.n)],
            [ring.symbol(f"qdd{i + 1}") for i in range(self.n)],
        )
        shape = self.n, 10 * len(self.arm.bodies)
        return array_of(shape, "", lambda index: as_polynomial(space, rows[index[0]][index[1]]))

    # -- parts of the coefficients ---------------------------------------------------------------

    @cached_property
    def _dalembert(self) -> tuple[Any, Any]:
        model = self.model
        styles = {model.selection.styles[str(i + 1)] for i in range(model.chain.n)}
        if "moments" in styles and any(s.kind == "inertial" for s in self.symbols):
            raise ArmError(
                f"{self.arm.name}: the split into translation and rotation needs mass centres; "
                'derive with parameters="centre+lengths+gravity", or with numbers'
            )
        coupling = model.chain.coupling
        tran, rot = (
            generalized_dalembert.Parts(coupling.matrix(part.inertia), coupling.symbols(part.velocity))
            for part in generalized_dalembert.parts(model.chain, model.ring, model.joints)
        )
        return tran, rot

    def translational(self, name: str) -> TrigPolynomial:
        """The part of D or C that comes from the motion of the mass centres (Lee, Lee and Nigam 1982, eqs 30, 31)."""
        return self._part(name, 0)

    def rotational(self, name: str) -> TrigPolynomial:
        """The part of D or C from rotation about the mass centres (Lee, Lee and Nigam 1982, eqs 30, 32)."""
        return self._part(name, 1)

    def _part(self, name: str, part_index: int) -> TrigPolynomial:
        kind, index = names.parse(name, self.n)
        if kind == "G":
            return self[name] if part_index == 0 else as_polynomial(self.space, 0)
        part = self._dalembert[part_index]
        table = part.inertia if len(index) == 2 else part.velocity
        for i in index:
            table = table[i]
        share = as_polynomial(self.space, table)
        counted = names.speeds_counted(index) if kind == "D" and len(index) == 3 else 1
        share = share * counted
        if not self.arm.counts_drives:
            return share
        translation = self._drive_translation[len(index) == 3]
        for i in index:
            translation = translation[i]
        centres = as_polynomial(self.space, translation) * counted
        return share + self.rotors(name) - centres if part_index == 1 else share + centres

    @cached_property
    def _drive_translation(self) -> tuple[Any, Any]:
        return self.model.system.drive_translation(self.model.ring, self.model.ring.positions)

    def rotors(self, name: str) -> TrigPolynomial:
        """What rotors and moving bodies of the drives add to a coefficient; zero where they do not count."""
        kind, index = names.parse(name, self.n)
        if not self.arm.counts_drives:
            return as_polynomial(self.space, 0)
        return as_polynomial(self.space, entry_of(share_of(self.model, "drives"), kind, index))

    def by_link(self, name: str) -> dict[int | str, TrigPolynomial]:
        """A coefficient, torque or energy as a sum over the links it comes from; also for numeric parameters."""
        return by_link(self.model, name)

    def components(
        self, name: str, q: ArrayLike, parameters: Mapping[str, object] | None = None
    ) -> tuple[Component, ...]:
        """A coefficient at a pose as a list of constant and varying components (Bejczy 1974, section VII.A)."""
        from .components import components

        return components(self, name, q, parameters)

    # -- questions -------------------------------------------------------------------------------

    def check(self, name: str, expression: str) -> Verdict:
        """Is this formula, in the arm's symbols, identical to the coefficient? If not, by how much it differs."""
        from .verify import check

        return check(self, name, expression)

    def structure(self) -> Structure:
        """What every coefficient depends on, which are zero and why, counts and sparsity."""
        from .structure import structure

        return structure(self)

    def base_parameters(self, of: str = "torque") -> BaseParameters:
        """The least set of combinations of inertial parameters that torques (or "energy") depend on."""
        from .base_parameters import base_parameters

        return base_parameters(self.arm, of)

    def values(self, q: Any, parameters: Mapping[str, object] | None = None) -> tuple[Any, Any, Any]:
        """D, C and G as numbers at joint positions ``q``; mostly a check against the numeric formulations."""
        if is_lazy(q):
            return mapped(lambda positions: self.values(positions, parameters), q)
        shape = np.asarray(q, dtype=float).shape[:-1]
        arrays = []
        for table in (self.mass_matrix, self.christoffel, self.gravity):
            result = np.zeros((*shape, *table.shape))
            for index in np.ndindex(table.shape):
                polynomial = cast(TrigPolynomial, table[index])
                if polynomial:
                    result[(..., *index)] = polynomial(q, parameters)
            arrays.append(result)
        return arrays[0], arrays[1], arrays[2]

    def __repr__(self) -> str:
        drives = f" with {len(self.arm.drives.actuators)} drives" if self.arm.counts_drives else ""
        return f"<Equations of {self.arm.name}{drives}: {self.n} joints, {len(self.symbols)} symbols>"

    def _repr_html_(self) -> str:
        from .notebook_page import equations_html

        return equations_html(self)

    def legend(self, only: Sequence[str] = ()) -> Legend:
        """What the symbols in these coefficients, torques and energies are; of all coefficients by default."""
        from .document import selected_names
        from .legend import legend

        return legend(self, {name: self[name] for name in selected_names(self, only)})

    def document(
        self, only: Sequence[str] = (), group_by: str | None = None, form: str = "html", legend: bool = True
    ) -> str:
        """The whole model as one offline page ("html") or a LaTeX file ("tex"), with or without a legend."""
        from .document import document

        return document(self, only, group_by, form, legend)


def _inertial(key: str) -> bool:
    stem = key.rstrip("0123456789L")
    return stem in PARAMETERS or stem in ("x", "y", "z") or (stem.startswith("C") and stem != "C")
