"""A motion saved and drawn: the files hold what the motion holds."""

import numpy as np
import pytest

import dalembert as da


@pytest.fixture(scope="module")
def motion():
    return da.load("planar-2r").simulate(np.zeros(2), [0.4, -0.2], [0.0, 0.0], 0.5, samples=21)


def test_parquet_holds_the_positions_under_their_names(motion, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    motion.save(tmp_path / "motion.parquet")
    table = parquet.read_table(tmp_path / "motion.parquet")
    assert table.num_rows == 21
    column = next(name for name in table.column_names if "joint1" in name)
    np.testing.assert_allclose(table[column].to_numpy(), motion.q[:, 0])


def test_the_figure_has_a_curve_for_every_joint(motion):
    pytest.importorskip("plotly")
    figure = motion.plot()
    names = [trace.name for trace in figure.data]
    for joint in ("joint1", "joint2"):
        assert any(joint in (name or "") for name in names)
    assert any(np.allclose(trace.y, motion.q[:, 1]) for trace in figure.data)
