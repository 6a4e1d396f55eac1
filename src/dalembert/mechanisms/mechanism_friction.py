"""Friction of a mechanism: the contacts of its chains, and what they and viscous friction are at the coordinates.

A contact of speed C phi' has C X q', X = [G^phi_q]; viscous friction B phi' at the joints is X^T B X q' at the
coordinates.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ..systems.arrays import vector_array
from ..systems.sticking import Contact
from . import transfer, transfer_over_field
from .batch import Array
from .element_loads import ElementLoads
from .mechanism_outputs import MechanismOutputs
from .mounting import ChainNumbers

STILL = float(transfer_over_field.STILL)


def beyond_rounding(rate: Array) -> Array:
    """Rates ``(b, m)`` with those of standing joints zero, so that their dry friction has no direction."""
    return np.where(np.abs(rate) > STILL * np.abs(rate).sum(axis=-1, keepdims=True), rate, 0.0)


def contact_influence(rows: Array, x: Array) -> Array:
    """C X ``(..., contacts, n)``, zero for the shafts of joints that the loops hold still."""
    turned = rows @ x
    size = np.abs(rows).sum(axis=-1) * np.abs(x).max(axis=(-2, -1), initial=0.0)[..., None]
    return np.where(np.abs(turned) > STILL * size[..., None], turned, 0.0)


class MechanismFriction(MechanismOutputs):
    """The methods of ``Mechanism`` about friction."""

    def _chain_slices(self) -> Iterator[tuple[ChainNumbers, slice]]:
        """Each chain with its joints in phi."""
        return zip(self.chains.numbers, self.chains.slices, strict=True)

    @cached_property
    def elements(self) -> ElementLoads:
        """Springs and dampers between chains, and rotors and friction of the mechanism's own motors."""
        return ElementLoads(self.chains, self.assembly.elements, self.assembly.kernel is not None)

    def first_influence(self, phi: ArrayLike) -> Array:
        """[G^phi_q] ``(..., m, n)``."""
        phi = self._joint_states(phi)
        if phi.ndim > 2:
            return self.first_influence(phi.reshape(-1, self.m)).reshape(*phi.shape, self.n)
        if self.assembly.map is not None:
            influence = self.assembly.map.answer("influence", self._influence, phi)
            if influence is not None:
                return influence
        return self._influence(phi) if phi.ndim == 2 else self._influence(phi[None])[0]

    def _joint_states(self, phi: ArrayLike) -> Array:
        return vector_array(self.m, "phi", phi, "joint")

    def _influence(self, phi: Array) -> Array:
        return self.assembly.x_w(phi)[:, :, : self.n]

    # -- contacts -------------------------------------------------------------------------------

    @cached_property
    def contacts(self) -> tuple[Contact, ...]:
        """Where Coulomb friction acts: the contacts of the chains, their rows those of phi."""
        contacts = []
        for (name, arm), joints in zip(self.chains.arms.items(), self.chains.slices, strict=True):
            for contact in arm.contacts:
                row = np.zeros(self.m)
                row[joints] = contact.row
                shafts = tuple(f"{name}.{shaft}" for shaft in contact.shafts)
                contacts.append(replace(contact, name=f"{name}.{contact.name}", row=row, shafts=shafts))
        return tuple(contacts)

    @cached_property
    def ratios_vary(self) -> bool:
        """True if motors of some chain turn with its joints at ratios that vary with their positions."""
        return any(arm.contacts_vary for arm in self.chains.arms.values())

    def contact_rows(self, phi: ArrayLike) -> Array:
        """Speeds of the contacts per joint rate, ``(..., contacts, m)``."""
        phi = self._joint_states(phi)
        batch = phi.shape[:-1]
        if not self.ratios_vary:
            return np.broadcast_to(self._rows, (*batch, *self._rows.shape))
        rows = np.zeros((*batch, len(self.contacts), self.m))
        start = 0
        for numbers, joints in self._chain_slices():
            stop = start + len(numbers.arm.contacts)
            if stop > start:
                rows[..., start:stop, joints] = numbers.arm.contact_rows(phi[..., joints])
            start = stop
        return rows

    @cached_property
    def _rows(self) -> Array:
        return np.array([contact.row for contact in self.contacts]).reshape(-1, self.m)

    def contact_drift(self, phi: ArrayLike, rate: ArrayLike) -> Array:
        """Accelerations of the contacts at constant joint rates, ``(..., contacts)``: transmissions that vary."""
        phi, rate = self._joint_states(phi), vector_array(self.m, "rate", rate, "joint")
        drifts = [
            numbers.arm.contact_drift(phi[..., joints], rate[..., joints]) for numbers, joints in self._chain_slices()
        ]
        return np.concatenate(drifts, axis=-1)

    # -- at the coordinates ---------------------------------------------------------------------

    def coordinate_contact_rows(self, phi: ArrayLike) -> Array:
        """Speeds of the contacts per rate of a coordinate, ``(..., contacts, n)``."""
        phi = self._joint_states(phi)
        if phi.ndim == 1 and not self.ratios_vary:
            return contact_influence(self._rows, self.first_influence(phi))
        flat = phi.reshape(-1, self.m)
        rows = contact_influence(self.contact_rows(flat), self.first_influence(flat))
        return np.asarray(rows.reshape(*phi.shape[:-1], *rows.shape[1:]))

    def coordinate_contact_drift(self, phi: ArrayLike, qd: ArrayLike) -> Array:
        """Accelerations of the contacts at constant rates of the coordinates, ``(..., contacts)``."""
        phi = self._joint_states(phi)
        rate, bend = self.joint_motion(phi, qd, np.zeros(self.n))
        flat = np.broadcast_to(phi, bend.shape).reshape(-1, self.m)
        drift = transfer.times(self.contact_rows(flat), bend.reshape(flat.shape))
        if self.ratios_vary:
            drift = drift + self.contact_drift(flat, rate.reshape(flat.shape))
        turned = contact_influence(self.contact_rows(flat), self.first_influence(flat))
        drift = np.where(turned.any(axis=-1), drift, 0.0)
        return np.asarray(drift.reshape(*bend.shape[:-1], len(self.contacts)))

    def viscous_matrix(self, phi: ArrayLike) -> Array:
        """B = [G^phi_q]^T B_phi [G^phi_q], ``(..., n, n)``: viscous friction at the coordinates is B q'."""
        phi = self._joint_states(phi)
        if phi.ndim == 1 and self._viscous is not None:
            x = self.first_influence(phi)
            return np.asarray(x.T @ self._viscous @ x)
        flat = phi.reshape(-1, self.m)
        viscous = transfer.inertia(self._joint_viscous(flat), self.first_influence(flat))
        return np.asarray(viscous.reshape(*phi.shape[:-1], self.n, self.n))

    @cached_property
    def _viscous(self) -> Array | None:
        """B_phi where it is constant."""
        return None if self.ratios_vary or self.parts.drives else self._joint_viscous(self.home[None])[0]

    def _joint_viscous(self, phi: Array) -> Array:
        viscous = np.zeros((len(phi), self.m, self.m))
        for arm, joints in zip(self.chains.arms.values(), self.chains.slices, strict=True):
            viscous[:, joints, joints] = arm.viscous_matrix(phi[:, joints])
        return viscous + self.elements.friction(phi) if self.parts.drives else viscous

    def friction_torque(self, phi: ArrayLike, qd: ArrayLike, width: float | None = None, law: str = "tanh") -> Array:
        """[G^phi_q]^T F_phi ``(..., n)``: what moving friction of all chains and motors takes."""

        def torque(phi: Array, qd: Array) -> Array:
            x = self.first_influence(phi)
            rate = transfer.times(x, qd)
            chain_torques = [
                arm.friction_torque(phi[:, joints], rate[:, joints], width, law)
                for arm, joints in zip(self.chains.arms.values(), self.chains.slices, strict=True)
            ]
            total = np.concatenate(chain_torques, axis=1)
            if self.parts.drives:
                total = total + transfer.times(self.elements.friction(phi), rate)
            return transfer.load(total, x)

        return np.asarray(self.batched(torque, self._joints(phi), self._rates("qd", qd)))
