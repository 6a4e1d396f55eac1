"""C++ and Rust around the C of a controller: they build without a warning and give what the system gives."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError
from system_tools import system_tool

STRICT = (
    "-std=c++11", "-O1", "-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Wshadow", "-Wdouble-promotion", "-Werror",
)  # fmt: skip
STATE = np.random.default_rng(3).uniform(-1, 1, (3, 6))
REALS = {"float64": 1e-12, "float32": 2e-5}


def written(folder: Path, dtype: str) -> tuple[da.DrivenArm, Path]:
    """Motor torques of an arm with drives, with both wrappers, compiled as C."""
    arm = da.load("puma560", physical="ignore").driven
    arm.write_c("motor_torques", folder, dtype, wrappers=("c++", "rust"))
    subprocess.run(["cc", "-std=c99", "-O1", "-c", "puma560_motor_torques.c"], cwd=folder, check=True)
    return arm, folder


def agrees(arm: da.DrivenArm, said: str, dtype: str) -> None:
    found = np.array([float(word) for word in said.split()])
    right = arm.motor_torques(*STATE)
    assert np.abs(found - right).max() < REALS[dtype] * np.abs(right).max()


def literals(suffix: str = "") -> list[str]:
    return [", ".join(f"{x!r}{suffix}" for x in row.tolist()) for row in STATE]


@pytest.mark.parametrize(("compiler", "package"), [("g++", "g++"), ("clang++", "clang")])
@pytest.mark.parametrize("dtype", list(REALS))
def test_cpp(tmp_path: Path, dtype: str, compiler: str, package: str) -> None:
    compiler = system_tool(compiler, package)
    arm, folder = written(tmp_path, dtype)
    q, qd, qdd = literals("f" if dtype == "float32" else "")
    (folder / "main.cpp").write_text(
        f"""#include <cstdio>
#include "puma560_motor_torques.hpp"
int main() {{
  const auto found = dalembert::puma560_motor_torques({{{{{q}}}}}, {{{{{qd}}}}}, {{{{{qdd}}}}});
  for (const auto x : found.motor_torque) std::printf("%.17g\\n", static_cast<double>(x));
}}
"""
    )
    command = [compiler, *STRICT, "-o", "main", "main.cpp", "puma560_motor_torques.o", "-lm"]
    subprocess.run(command, cwd=folder, check=True)
    agrees(arm, subprocess.run([folder / "main"], capture_output=True, text=True, check=True).stdout, dtype)


@pytest.mark.parametrize("dtype", list(REALS))
def test_rust_without_its_standard_library(tmp_path: Path, dtype: str) -> None:
    if shutil.which("rustc") is None or shutil.which("cc") is None:
        pytest.skip("no rustc")
    arm, folder = written(tmp_path, dtype)
    (folder / "bare.rs").write_text("#![no_std]\n#![deny(warnings)]\npub mod puma560_motor_torques;\n")
    rustc = ["rustc", "--edition", "2021"]
    subprocess.run([*rustc, "--crate-type", "rlib", "bare.rs"], cwd=folder, check=True)
    q, qd, qdd = literals()
    (folder / "main.rs").write_text(
        f"""#![deny(warnings)]
mod puma560_motor_torques;
fn main() {{
    let found = puma560_motor_torques::puma560_motor_torques(&[{q}], &[{qd}], &[{qdd}]);
    for x in found.motor_torque {{ println!("{{:e}}", x); }}
}}
"""
    )
    subprocess.run([*rustc, "-C", "link-args=puma560_motor_torques.o -lm", "main.rs"], cwd=folder, check=True)
    agrees(arm, subprocess.run([folder / "main"], capture_output=True, text=True, check=True).stdout, dtype)


def test_the_header_has_the_budget_of_a_call(tmp_path: Path) -> None:
    arm = da.load("puma560", physical="ignore")
    header = arm.write_c("gravity_load", tmp_path)[0].read_text()
    costs = arm.compile("gravity_load").operations
    found = dict(re.findall(r"#define PUMA560_GRAVITY_LOAD_(\w+) (\d+)", header))
    assert int(found["MULTIPLICATIONS"]) == costs.multiplications
    assert int(found["ADDITIONS"]) == costs.additions
    assert int(found["SINE_COSINE_PAIRS"]) == costs.sine_cosine_pairs
    code = (tmp_path / "puma560_gravity_load.c").read_text()
    assert int(found["LOCAL_BYTES"]) >= 8 * len(re.findall(r"^  const double \w+ =", code, re.MULTILINE))


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc")
def test_the_stack_of_a_call_stays_within_what_the_header_says(tmp_path: Path) -> None:
    """GCC without optimisation keeps every local variable on the stack; what is beside them is its own frame."""
    files = da.load("puma560", physical="ignore").write_c("mass_matrix", tmp_path)
    said = int(re.search(r"LOCAL_BYTES (\d+)", files[0].read_text())[1])
    subprocess.run(["gcc", "-O0", "-fstack-usage", "-c", files[1].name], cwd=tmp_path, check=True)
    used = int((tmp_path / "puma560_mass_matrix.su").read_text().split("\t")[1])
    assert used <= said + 128


def test_unknown_wrappers_are_refused(tmp_path: Path) -> None:
    for wrappers in (("java",), "rust"):
        with pytest.raises(ArmError, match="wrappers may be a list of"):
            da.load("planar-2r").write_c("gravity_load", tmp_path, wrappers=wrappers)
    assert not list(tmp_path.iterdir())
