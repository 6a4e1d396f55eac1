"""Simulations run on compiled kernels, as users run them; elsewhere compilers are off."""

import pytest


@pytest.fixture(autouse=True, scope="module")
def _compiled(compiled_kernels: None) -> None:
    """Every test of this folder."""
