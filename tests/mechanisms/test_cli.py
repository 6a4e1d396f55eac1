"""``dalembert mechanism FILE`` on the example files."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import dalembert as da
from dalembert.cli.run import application

EXAMPLES = Path(__file__).parents[2] / "examples" / "mechanisms"


def run(*words: str) -> str:
    found = CliRunner().invoke(application(["mechanism"]), ["mechanism", *words], catch_exceptions=False)
    assert found.exit_code == 0
    return found.output


def test_mechanism_tells_mobility_position_model_and_modes() -> None:
    text = run(str(EXAMPLES / "five_bar.toml"), "--modes", "--forces")
    assert "2 freedoms (4 joints - 2 equations)" in text
    assert "regular" in text
    assert "left.joint2" in text
    assert "Inertia I*" in text
    assert "2 found" in text
    assert "tip.x" in text


def test_mechanism_takes_coordinates_and_other_drives() -> None:
    text = run(str(EXAMPLES / "five_bar.toml"), "--drive", "left.joint1,left.joint2", "--q", "110 deg,-60 deg")
    assert "1.9199" in text  # 110 degrees
    assert "-1.0472" in text
    with pytest.raises(da.ArmError, match=r"--q needs 2 values, one for each of left.joint1, right.joint1"):
        run(str(EXAMPLES / "five_bar.toml"), "--q", "1")


def test_mechanism_shares_the_load_of_a_file_with_motors() -> None:
    """The printed loads of the motors do the work of the printed loads at the coordinates, and none is smaller."""
    text = run(str(EXAMPLES / "two_arms.toml"))
    assert "6 freedoms (12 joints - 6 equations)" in text
    pair = da.load_mechanism(EXAMPLES / "two_arms.toml")
    needed, shared = text.split("Load that holds it still")[1].split("shared with the least sum of squares")
    names = (pair.coordinates, pair.joint_names)
    loads = [
        np.array([float(re.search(rf"{re.escape(name)} .*?(\S+) *$", part, re.MULTILINE)[1]) for name in which])
        for part, which in zip((needed, shared), names, strict=True)
    ]
    first = pair.influence(pair.home).first
    np.testing.assert_allclose(first.T @ loads[1], loads[0], atol=2e-3)
    np.testing.assert_allclose(loads[1], first @ np.linalg.solve(first.T @ first, loads[0]), atol=2e-3)


def test_drives_count_where_asked_for_and_a_note_says_where_not(tmp_path: Path) -> None:
    text = (EXAMPLES / "five_bar.toml").read_text(encoding="utf-8")
    marked = text.replace(
        "[[chain.left.joints]]", "[[chain.left.joints]]\ndrive = {gear_ratio = 10, motor_inertia = 0.01}", 1
    )
    assert marked != text
    path = tmp_path / "bar.toml"
    path.write_text(marked, encoding="utf-8")
    bar = da.load_mechanism(path)
    more = bar.driven.mass_matrix(bar.home) - bar.mass_matrix(bar.home)
    np.testing.assert_allclose(more, [[1.0, 0], [0, 0]], atol=1e-12)  # J N^2 at the driven crank
    path.write_text(marked.replace("[chain.left]", "[chain.left]\ndrives = true"), encoding="utf-8")
    np.testing.assert_allclose(da.load_mechanism(path).mass_matrix(bar.home), bar.driven.mass_matrix(bar.home))
    assert run(str(path)) == run(str(path), "--drives") != run(str(path), "--no-drives")
    path.write_text(marked, encoding="utf-8")
    found = CliRunner().invoke(application(["mechanism"]), ["mechanism", str(path)])
    assert "the links of left alone; --drives counts" in found.stderr
    path.write_text(marked.replace("[chain.left]", '[chain.left]\ndrives = "yes"'), encoding="utf-8")
    with pytest.raises(da.ArmError, match=r"chain 'left': drives is true .* or false"):
        da.load_mechanism(path)


def test_mechanism_tells_how_far_the_guess_of_the_file_was_moved(tmp_path: Path) -> None:
    text = run(str(EXAMPLES / "two_arms.toml"))
    assert re.search(r"To close them, (left|right)\.\w+ moved by -?0\.00\d+ rad", text)
    assert re.search(r"Loops close to \S+ \(m, rad\)", text)
    still = tmp_path / "closed.toml"
    home = da.load_mechanism(EXAMPLES / "five_bar.toml")
    lines = (EXAMPLES / "five_bar.toml").read_text().split("[home]")[0]
    joints = "\n".join(
        f'"{name}" = {value!r}' for name, value in zip(home.joint_names, home.home.tolist(), strict=True)
    )
    still.write_text(f"{lines}[home]\n{joints}\n")
    assert "To close them" not in run(str(still))
