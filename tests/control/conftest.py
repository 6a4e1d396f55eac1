"""Simulations run on compiled kernels, as users run them, with a cache of their own; elsewhere compilers are off."""

import pytest

from dalembert.compile import build, cache


@pytest.fixture(scope="session")
def kernel_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kernels")
    folder.chmod(0o700)
    return folder


@pytest.fixture(autouse=True, scope="module")
def _compiled(kernel_folder):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(cache.VARIABLE, str(kernel_folder))
        patch.delenv(build.SWITCH, raising=False)
        yield
