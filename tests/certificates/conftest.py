"""Two certificates that tests take apart: of a reduced model, and of ranges."""

from __future__ import annotations

import pytest

import dalembert as da


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("certificates")


@pytest.fixture(scope="module")
def model():
    return da.load("planar-3r").analysis(effort=0.05).reduce(0.3)


@pytest.fixture(scope="module")
def reduced(folder, model):
    return model.certificate(folder / "model.json")


@pytest.fixture(scope="module")
def ranges(folder):
    ask = da.load("planar-3r").analysis(box={1: (-2, 2.5)})
    return ask.certificate(folder / "ranges.json", "D11", "D12", "G1", "G3", "C112", "D12/D11", "D12-D13")
