"""Other programs that compute the same, where they are installed: what they give and how long they take."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arm.description import ArmDescription
from ..arm.io.urdf import write_urdf
from .bridges import casadi_function
from .functions import function as function_of

Array = NDArray[np.float64]
Call = Callable[..., Any]


@dataclass(frozen=True)
class Peer:
    """One way to compute a function: over rows of states ``batch(*arrays)``, or one state ``single(*arrays)``."""

    name: str
    how: str
    batch: Call | None = None
    single: Call | None = None
    whole: Call | None = None
    """``single`` with its result completed for a comparison (Pinocchio leaves half of symmetric matrices empty)."""


def installed(module: str) -> bool:
    """True if ``module`` can be imported."""
    return importlib.util.find_spec(module) is not None


def peers(arm: ArmDescription, function: str) -> list[Peer]:
    """The peers that can compute this function of this arm."""
    available: list[Peer] = []
    if not arm.is_chain or arm.elastic or arm.followers:
        return available
    for module, make in (
        ("pinocchio", pinocchio),
        ("mujoco", mujoco),
        ("roboticstoolbox", toolbox),
        ("casadi", casadi),
    ):
        if installed(module):
            peer = make(arm, function)
            if peer is not None:
                available.append(peer)
    return available


def pinocchio(arm: ArmDescription, function: str) -> Peer | None:
    """Pinocchio on the arm's URDF; None where its coordinates are not ours (joints without limits)."""
    pin = importlib.import_module("pinocchio")
    model = pin.buildModelFromXML(write_urdf(arm))
    if model.nq != arm.n or [model.names[k + 1] for k in range(arm.n)] != list(arm.joint_names):
        return None
    model.gravity.linear = np.array([float(g) for g in arm.gravity])
    data = model.createData()
    upper = np.triu_indices(arm.n, 1)

    def parallel(call: Call) -> Call:
        pool = pin.ModelPool(model, 1)

        def run(*arrays: Array) -> Array:
            columns = [np.asfortranarray(array.T) for array in arrays]
            result = np.zeros((arm.n, len(arrays[0])), order="F")
            call(1, pool, *columns, result)
            return result.T

        return run

    def completed(call: Call) -> Call:
        def run(q: Array) -> Array:
            matrix = call(q).copy()
            matrix.T[upper] = matrix[upper]
            return matrix

        return run

    singles: dict[str, tuple[str, Call]] = {
        "inverse_dynamics": ("rnea", lambda q, v, a: pin.rnea(model, data, q, v, a)),
        "forward_dynamics": ("aba", lambda q, v, t: pin.aba(model, data, q, v, t)),
        "mass_matrix": ("crba", lambda q: pin.crba(model, data, q)),
        "inverse_mass_matrix": ("computeMinverse", lambda q: pin.computeMinverse(model, data, q)),
        "coriolis_matrix": ("computeCoriolisMatrix", lambda q, v: pin.computeCoriolisMatrix(model, data, q, v)),
        "gravity_load": ("computeGeneralizedGravity", lambda q: pin.computeGeneralizedGravity(model, data, q)),
        "bias": ("nonLinearEffects", lambda q, v: pin.nonLinearEffects(model, data, q, v)),
        "inverse_dynamics_derivatives": (
            "computeRNEADerivatives",
            lambda q, v, a: pin.computeRNEADerivatives(model, data, q, v, a),
        ),
        "forward_dynamics_derivatives": (
            "computeABADerivatives",
            lambda q, v, t: pin.computeABADerivatives(model, data, q, v, t),
        ),
    }
    if function not in singles:
        return None
    how, single = singles[function]
    batch = {
        "inverse_dynamics": ("rneaInParallel", parallel(pin.rneaInParallel)),
        "forward_dynamics": ("abaInParallel", parallel(pin.abaInParallel)),
    }.get(function)
    whole = completed(single) if function in ("mass_matrix", "inverse_mass_matrix") else None
    return Peer("Pinocchio", batch[0] if batch else f"loop over {how}", batch[1] if batch else None, single, whole)


def mujoco(arm: ArmDescription, function: str) -> Peer | None:
    """MuJoCo on the arm's URDF, contacts and limits switched off."""
    mj = importlib.import_module("mujoco")
    try:
        model = mj.MjModel.from_xml_string(write_urdf(arm))
    except ValueError:
        return None  # MuJoCo refuses inertias no body can have
    if model.nq != arm.n:
        return None
    model.opt.gravity[:] = [float(g) for g in arm.gravity]
    model.opt.disableflags |= int(mj.mjtDisableBit.mjDSBL_CONSTRAINT)
    data = mj.MjData(model)

    def inverse(q: Array, v: Array, a: Array) -> Array:
        data.qpos[:], data.qvel[:], data.qacc[:] = q, v, a
        mj.mj_inverse(model, data)
        return data.qfrc_inverse - data.qfrc_passive

    def forward(q: Array, v: Array, tau: Array) -> Array:
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, v, tau
        mj.mj_forward(model, data)
        return data.qacc

    singles: dict[str, tuple[str, Call]] = {
        "inverse_dynamics": ("mj_inverse", inverse),
        "forward_dynamics": ("mj_forward", forward),
    }
    if function not in singles:
        return None
    return Peer("MuJoCo", f"loop over {singles[function][0]}", None, singles[function][1])


def toolbox(arm: ArmDescription, function: str) -> Peer | None:
    """Peter Corke's toolbox with its compiled rne, for the PUMA that it brings itself."""
    if function != "inverse_dynamics" or arm.name != "puma560":
        return None
    rtb = importlib.import_module("roboticstoolbox")
    robot = rtb.models.DH.Puma560().nofriction()
    return Peer("roboticstoolbox", "rne on arrays", lambda q, v, a: robot.rne(q, v, a), None)


def casadi(arm: ArmDescription, function: str) -> Peer:
    """CasADi's virtual machine on the graph of this package, mapped over the batch."""
    mapped = casadi_function(function_of(arm, function))
    maps: dict[int, Any] = {}

    def batch(*arrays: Array) -> Any:
        count = len(arrays[0])
        if count not in maps:
            maps[count] = mapped.map(count)
        return [np.array(x) for x in maps[count].call([array.T for array in arrays])]

    return Peer("CasADi", "map over this package's graph", batch, None)
