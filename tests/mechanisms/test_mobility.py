"""Freedoms that last and freedoms of an instant."""

from __future__ import annotations

import pytest

from dalembert.mechanisms import gallery
from dalembert.mechanisms.chain_frames import FrameOn
from dalembert.mechanisms.loop_closures import Closure
from dalembert.mechanisms.mechanism import Mechanism


@pytest.mark.parametrize(("distance", "freedom", "shaky"), [(0.9, 1, 1), (0.8, 0, 0)])
def test_two_bars_between_two_pins_are_a_truss_that_is_shaky_only_where_it_is_straight(
    distance: float, freedom: int, shaky: int
) -> None:
    """Bars of 0.3 and 0.6 m in line start to move across their line, and are held at once."""
    pin = Closure("pin", FrameOn("ground", at=gallery.at(distance)), "bars", "pin")
    truss = Mechanism({"bars": gallery.planar((0.3, 0.6), (1, 1))}, [pin], home=[0.0, 0.0] if shaky else [1.0, -1.5])
    found = truss.mobility()
    assert (found.count, found.freedom, found.shaky) == (0, freedom, shaky)
    assert ("shaky" in str(found)) == bool(shaky)


def test_a_four_bar_has_one_freedom_and_none_of_it_is_shaky() -> None:
    found = gallery.four_bar().mobility()
    assert (found.freedom, found.lasting, found.shaky) == (1, 1, 0)
