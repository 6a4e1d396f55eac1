"""The same functions over CasADi, JAX and Torch: same values, and they differentiate."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from coupled_arms import PALLETIZER
from dalembert.arm.errors import ArmError
from dalembert.arm.io.files import read
from dalembert.compile import bridges
from dalembert.compile.functions import FUNCTIONS, OF_DRIVES, function
from dalembert.compile.kernel import Kernel

ARM = read("cylindrical", physical="ignore")
LINKS = [name for name in FUNCTIONS if name not in OF_DRIVES]
"""Functions of an arm without drives."""
N = ARM.n
STATES = np.random.default_rng(0).uniform(-1, 1, (3, 5, N))


def wanted(name: str, state: int | None = None) -> tuple[np.ndarray, ...]:
    """The values in NumPy; compiled or not does not matter here."""
    kernel = Kernel(function(ARM, name))
    arrays = STATES[: len(kernel.arguments)]
    found = kernel(*(arrays if state is None else arrays[:, state]))
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize("name", LINKS)
def test_casadi_functions_have_the_same_values(name: str):
    casadi = pytest.importorskip("casadi")
    made = bridges.casadi_function(function(ARM, name))
    assert isinstance(made, casadi.Function)
    found = made.call([casadi.DM(array[2]) for array in STATES[: made.n_in()]])
    for got, right in zip(found, wanted(name, 2), strict=True):
        np.testing.assert_allclose(np.array(got).reshape(right.shape), right, rtol=1e-11, atol=1e-11)


def test_casadi_differentiates():
    casadi = pytest.importorskip("casadi")
    made = bridges.casadi_function(function(ARM, "inverse_dynamics"))
    jacobian = made.factory("J", ["q", "qd", "qdd"], ["jac:tau:q"])
    np.testing.assert_allclose(
        np.array(jacobian(*(casadi.DM(a[0]) for a in STATES))), wanted("inverse_dynamics_derivatives", 0)[0], atol=1e-11
    )


@pytest.mark.parametrize("name", LINKS)
def test_jax_functions_have_the_same_values(name: str):
    jax = pytest.importorskip("jax")
    with jax.enable_x64(True):
        made = bridges.jax_function(function(ARM, name))
        arrays = STATES[: len(FUNCTIONS[name].arguments)]
        found = made(*arrays)
        for got, right in zip(found if isinstance(found, tuple) else (found,), wanted(name), strict=True):
            np.testing.assert_allclose(np.asarray(got), right, rtol=1e-11, atol=1e-11)


def test_jax_traces_batches_and_differentiates():
    jax = pytest.importorskip("jax")
    with jax.enable_x64(True):
        made = bridges.jax_function(function(ARM, "inverse_dynamics"))
        slope = jax.jit(jax.vmap(jax.jacfwd(made)))(*STATES)
        np.testing.assert_allclose(np.asarray(slope), wanted("inverse_dynamics_derivatives")[0], atol=1e-11)
        broadcast = made(STATES[0], STATES[1][0], STATES[2])
        assert broadcast.shape == (5, N)


def test_an_arm_asked_under_jit_says_what_to_call():
    jax = pytest.importorskip("jax")
    arm = da.load("planar-2r")
    for ask in (arm.gravity_load, lambda q: arm.linearize(q).A):
        with pytest.raises(da.ArmError, match=r"under jit, grad or vmap call .* arm\.jax\("):
            jax.jit(ask)(np.zeros(2))


def test_jax_differentiates_to_parameters():
    jax = pytest.importorskip("jax")
    with jax.enable_x64(True):
        made = bridges.jax_function(function(ARM, "inverse_dynamics", "inertial"))
        kernel = Kernel(function(ARM, "inverse_dynamics", "inertial"))
        slope = jax.jacrev(made, 3)(*STATES[:, 0], kernel.default_parameters)
        np.testing.assert_allclose(np.asarray(slope), wanted("regressor", 0)[0], atol=1e-11)


def test_torch_functions_have_the_same_values_and_differentiate():
    torch = pytest.importorskip("torch")
    made = bridges.torch_function(function(ARM, "inverse_dynamics"))
    arrays = [torch.tensor(array) for array in STATES]
    np.testing.assert_allclose(made(*arrays).numpy(), wanted("inverse_dynamics")[0], atol=1e-11)
    slope = torch.autograd.functional.jacobian(lambda q: made(q, arrays[1][0], arrays[2][0]), arrays[0][0])
    np.testing.assert_allclose(slope.numpy(), wanted("inverse_dynamics_derivatives", 0)[0], atol=1e-11)


def test_wrong_arguments_are_refused():
    pytest.importorskip("jax")
    made = bridges.jax_function(function(ARM, "inverse_dynamics"))
    with pytest.raises(ArmError, match="takes 3 arguments"):
        made(STATES[0])
    with pytest.raises(ArmError, match="qd must end in"):
        made(STATES[0], np.zeros(2), STATES[2])


@pytest.mark.parametrize("option", [{"dtype": "float64"}, {"accuracy": "fast"}], ids=str)
@pytest.mark.parametrize("library", ["jax", "torch"])
def test_what_only_a_kernel_of_our_own_has_is_refused_without_one(library: str, option: dict[str, str]):
    with pytest.raises(ArmError, match='leave out dtype and accuracy, which are for target="cuda"'):
        getattr(da.load("planar-2r"), library)("bias", **option)


def test_a_missing_library_is_named_with_the_remedy(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(__import__("sys").modules, "casadi", None)
    with pytest.raises(ArmError, match=r"casadi is not installed; install it with: pip install 'dalembert\[casadi\]'"):
        bridges.casadi_function(function(ARM, "bias"))


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics", "jacobian"])
def test_casadi_has_the_coordinates_of_an_arm_whose_joints_follow(name: str):
    casadi = pytest.importorskip("casadi")
    arm = da.load(PALLETIZER).driven
    made = bridges.casadi_function(function(arm, name))
    state = np.random.default_rng(0).uniform(-1, 1, (3, arm.n))[: made.n_in()]
    (found,) = made.call([casadi.DM(x) for x in state])
    wanted = getattr(arm, name)(*state)
    np.testing.assert_allclose(np.array(found).reshape(wanted.shape), wanted, rtol=1e-10, atol=1e-10)
