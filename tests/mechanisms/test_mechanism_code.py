"""C of a mechanism: compiled by a plain compiler, it finds the joints and says what it leaves open."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.cli import main
from dalembert.mechanisms import gallery
from dalembert.mechanisms.mechanism import Mechanism


def called(files: list[Path], folder: Path, inputs: list[np.ndarray], sizes: list[int]) -> list[np.ndarray]:
    """The function in the files, built as a library with every warning an error, at these arguments."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler")
    code = next(path for path in files if path.suffix == ".c" and not path.name.startswith("test_"))
    library = folder / f"{code.stem}.so"
    flags = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1", "-shared", "-fPIC"]
    subprocess.run([compiler, *flags, str(code), "-lm", "-o", str(library)], check=True)
    outputs = [np.zeros(size) for size in sizes]
    pointer = ctypes.POINTER(ctypes.c_double)
    getattr(ctypes.CDLL(str(library)), code.stem)(
        *(np.ascontiguousarray(x, dtype=float).ctypes.data_as(pointer) for x in (*inputs, *outputs))
    )
    return outputs


@pytest.fixture(scope="module")
def bar() -> Mechanism:
    return gallery.five_bar()


def test_c_gives_the_accelerations_at_coordinates_from_a_guess(bar: Mechanism, tmp_path: Path) -> None:
    q = bar.coordinates_of(bar.home) + np.array([0.05, -0.08])
    qd, tau, load = np.array([0.4, -0.9]), np.array([1.0, 0.5]), np.array([0.0, 0.3, 0.0, -0.2])
    files = bar.write_c("forward_dynamics", tmp_path, newton=5)
    phi, residual, qdd, _ = called(files, tmp_path, [bar.home, q, qd, tau, load], [4, 1, 2, 1])
    wanted = bar.position(q)
    np.testing.assert_allclose(phi, wanted, atol=1e-13)
    assert residual[0] < 1e-14
    pulled = tau + bar.influence(wanted).first.T @ load
    np.testing.assert_allclose(qdd, bar.forward_dynamics(wanted, qd, pulled), rtol=1e-10)


def test_c_gives_the_loads_of_a_motion(bar: Mechanism, tmp_path: Path) -> None:
    q = bar.coordinates_of(bar.home) + 0.02
    qd, qdd = np.array([0.4, -0.9]), np.array([2.0, 1.0])
    files = bar.write_c("inverse_dynamics", tmp_path)
    _, residual, tau, _ = called(files, tmp_path, [bar.home, q, qd, qdd], [4, 1, 2, 1])
    assert residual[0] < 1e-13
    np.testing.assert_allclose(tau, bar.inverse_dynamics(bar.position(q), qd, qdd), rtol=1e-9)
    header = next(path for path in files if path.suffix == ".h").read_text(encoding="utf-8")
    assert "of the mechanism five-bar" in header
    assert "1: right.joint1" in header
    assert "residual[1]: root of the sum of squares" in header


def test_too_few_steps_are_seen_in_the_residual_which_each_step_squares(bar: Mechanism, tmp_path: Path) -> None:
    q = bar.coordinates_of(bar.home) + 0.3
    left = []
    for newton in (1, 2, 3):
        folder = tmp_path / str(newton)
        left.append(called(bar.write_c("position", folder, newton=newton), folder, [bar.home, q], [4, 1])[1][0])
    assert left[0] > 1e-3
    assert left[1] < 10 * left[0] ** 2
    assert left[2] < 10 * left[1] ** 2


def test_c_that_could_not_be_true_is_refused(bar: Mechanism, tmp_path: Path) -> None:
    for made, name, newton, said in (
        (bar, "jump", 3, "no function 'jump' of a mechanism is written as C"),
        (bar, "position", 0, "newton must be a number of steps from 1 to 20"),
        (gallery.four_bar().with_coordinates(["rz(crank)"]), "position", 3, "is a turn and has no position"),
    ):
        with pytest.raises(da.ArmError, match=said):
            made.write_c(name, tmp_path, newton)
    assert list(tmp_path.iterdir()) == []


def test_the_header_says_what_is_built_in(tmp_path: Path) -> None:
    """Gravity and, chain by chain, loads and drives: those that count, and those that are described and do not."""
    bar = gallery.five_bar()
    text = next(path for path in bar.write_c("mass_matrix", tmp_path) if path.suffix == ".h").read_text()
    assert "Chain left: Geometry, inertia and gravity (0.0, -9.81, 0.0) m/s^2 are built in." in text
    assert "Chain right: There is no load in the hand." in text
    lunar = bar.with_gravity((0, -1.62, 0)).write_c("mass_matrix", tmp_path / "moon")
    assert "gravity (0.0, -1.62, 0.0)" in next(path for path in lunar if path.suffix == ".h").read_text()


def test_drives_that_nothing_describes_are_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = Path(__file__).parents[2] / "examples" / "mechanisms" / "five_bar.toml"
    for words in (["codegen", str(file), "--drives", "-o", str(tmp_path)], ["mechanism", str(file), "--drives"]):
        assert main(words) == 2
        assert "no chain of it describes drives" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
