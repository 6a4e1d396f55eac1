"""FMUs of these tests are built, so that fmpy can run them; where there is no compiler nothing here is run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dalembert.fmu import write_fmu

pytest.importorskip("fmpy")


@pytest.fixture(autouse=True, scope="module")
def _compiled(needs_compiler: None) -> Iterator[None]:
    """Every test of this folder; compiled in a hurry, since the numbers do not depend on it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(write_fmu, "OPTIONS", ("-std=c99", "-O0", "-ffp-contract=off", "-fvisibility=hidden"))
        yield
