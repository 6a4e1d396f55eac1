"""``dalembert codegen``, ``operations`` and ``bench``."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dalembert.cli.run import application

APP = application(["codegen", "operations", "bench"])


def run(*arguments: str) -> str:
    done = CliRunner().invoke(APP, list(arguments), catch_exceptions=False, env={"COLUMNS": "200"})
    assert done.exit_code == 0, done.output
    return done.output


def test_codegen_writes_four_files(tmp_path: Path):
    said = run("codegen", "planar-2r", "--function", "bias", "--lang", "c", "-o", str(tmp_path / "c"))
    names = {file.name for file in (tmp_path / "c").iterdir()}
    assert names == {"planar_2r_bias.h", "planar_2r_bias.c", "test_planar_2r_bias.c", "CMakeLists.txt"}
    assert "planar_2r_bias.c" in said


def test_codegen_writes_functions_of_a_mechanism_file(tmp_path: Path):
    file = str(Path(__file__).parents[2] / "examples" / "mechanisms" / "five_bar.toml")
    run("codegen", file, "-f", "rates", "-f", "inverse_dynamics", "--newton", "2", "-o", str(tmp_path))
    assert "five_bar_rates(const double guess[4], const double q[2]" in (tmp_path / "five_bar_rates.h").read_text()
    assert "Newton takes 2 steps" in (tmp_path / "five_bar_inverse_dynamics.h").read_text()
    for odd in (("--load", "2"), ("--lang", "cuda"), ("--parameters", "all"), ("-f", "bias")):
        refused = CliRunner().invoke(APP, ["codegen", file, "-o", str(tmp_path / "no"), *odd])
        assert refused.exit_code != 0


def test_operations_prints_lee_table_1_and_the_generated_counts():
    said = run("operations", "panda")
    row = next(line.split() for line in said.splitlines() if "newton-euler: Lee, Table 1, n = 7" in line)
    assert row[-4:-1] == ["924", "773", "1697"]
    assert "generated, inertia regrouped" in said
    assert "forward_dynamics_derivatives" in said


@pytest.mark.skipif(not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler")
def test_bench_prints_times_limits_and_ratios(monkeypatch: pytest.MonkeyPatch):
    said = run("bench", "planar-2r", "--function", "gravity_load", "--states", "500")
    assert "gravity_load" in said
    assert "limit" in said
    assert "2 threads" in said
