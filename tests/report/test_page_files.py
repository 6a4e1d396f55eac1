"""A page has the ending that browsers know, whoever writes it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import dalembert as da

ARM = da.load("planar-2r")
WRITERS: dict[str, Callable[[Path], object]] = {
    "report": ARM.report,
    "state": ARM.page,
    "motion": lambda path: ARM.replay(ARM.simulate(np.zeros(2), np.zeros(2), duration=0.01), path),
}


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("name", ["page.pdf", "page"])
def test_a_page_under_another_ending_is_refused_and_nothing_is_written(writer: str, name: str, tmp_path: Path) -> None:
    with pytest.raises(da.ArmError, match=r"page(\.pdf)?: a page is HTML; name a file that ends in \.html"):
        WRITERS[writer](tmp_path / name)
    assert not list(tmp_path.iterdir())
