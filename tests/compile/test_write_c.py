"""C for controllers: compiles without a warning, agrees with its reference values, and names cannot break out."""

from __future__ import annotations

import ctypes
import dataclasses
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from coupled_arms import PALLETIZER
from dalembert.arm.errors import ArmError
from dalembert.arm.io.files import read
from dalembert.compile.functions import FUNCTIONS, OF_DRIVES, function
from dalembert.compile.write_c import comment, identifier, write_c
from dalembert.mechanisms import gallery
from small_arms import rubbing
from system_tools import system_tool

COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]
STRICT = (
    "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wdouble-promotion", "-Wcast-qual",
    "-Wstrict-prototypes", "-Werror", "-O1",
)  # fmt: skip
pytestmark = pytest.mark.skipif(not COMPILERS, reason="needs gcc or clang")
SCARA = read("cylindrical", physical="ignore")


def built_and_run(files: list[Path], compiler: str) -> subprocess.CompletedProcess[str]:
    folder = files[0].parent
    sources = [str(file) for file in files if file.suffix == ".c"]
    subprocess.run([compiler, *STRICT, "-o", str(folder / "test"), *sources, "-lm"], check=True)
    return subprocess.run([str(folder / "test")], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in OF_DRIVES])
def test_every_function_passes_its_own_test(name: str, dtype: str, compiler: str, tmp_path: Path):
    done = built_and_run(write_c(function(SCARA, name), tmp_path, dtype), compiler)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", ["motor_torques", "inverse_dynamics", "forward_dynamics", "mass_matrix"])
def test_drives_reach_c_with_their_friction(name: str, tmp_path: Path):
    arm = da.load("irb6", physical="ignore").driven
    files = write_c(function(arm, name), tmp_path)
    assert "friction of the drives are built in" in files[0].read_text()
    assert built_and_run(files, COMPILERS[0]).returncode == 0


def test_drives_that_are_not_described_are_not_said_to_be_built_in(tmp_path: Path):
    header = write_c(function(da.load("planar-2r").driven, "inverse_dynamics"), tmp_path)[0].read_text()
    assert "The description has no drives: this is the links alone." in header
    assert "friction" not in header


@pytest.mark.parametrize("name", ["motor_torques", "inverse_dynamics", "forward_dynamics", "jacobian"])
def test_joints_that_follow_others_reach_c(name: str, tmp_path: Path):
    arm = da.load(PALLETIZER).driven
    files = write_c(function(arm, name), tmp_path)
    assert "Joint level follows: it stands at -elbow + 0.2." in files[0].read_text()
    assert built_and_run(files, COMPILERS[0]).returncode == 0


@pytest.mark.parametrize("parameters", ["inertial", "load", "all"])
def test_parameters_can_be_arguments(parameters: str, tmp_path: Path):
    files = write_c(function(SCARA, "inverse_dynamics", parameters), tmp_path)
    assert built_and_run(files, COMPILERS[0]).returncode == 0
    assert " = " in files[0].read_text()


@pytest.mark.parametrize(("parameters", "frame"), [("load", "tool frame"), ("inertial", "frame of the link")])
def test_the_header_says_in_which_frame_the_parameters_are(parameters: str, frame: str, tmp_path: Path):
    tool = da.Placement.from_xyz_rpy((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
    arm = da.load("planar-2r").with_tool(tool)
    header = write_c(function(arm, "gravity_load", parameters), tmp_path)[0].read_text()
    assert f"inertia about the {frame})" in header
    body, q = da.Inertia.of(1.5, (0.1, 0, 0.2), (0.03, 0.02, 0.03)), [0.3, 0.4]
    kernel = arm.compile("gravity_load", parameters=parameters)
    values = kernel.default_parameters.copy()
    values[-10:] += [float(x) for x in body.parameters]
    stands = tool if parameters == "load" else da.Placement()  # of the frame that is named, in that of the link
    held = arm.with_tool(da.Placement()).holding(da.Load.of(body.placed(stands)))
    np.testing.assert_allclose(kernel(q, values), held.gravity_load(q), rtol=1e-12)


def test_the_test_program_can_fail(tmp_path: Path):
    files = write_c(function(SCARA, "gravity_load"), tmp_path)
    code = files[1]
    code.write_text(re.sub(r"load\[1\] = ", "load[1] = 1.0 + ", code.read_text()))
    assert built_and_run(files, COMPILERS[0]).returncode == 1


NASTY = 'a"b\n#error\n*/ system("x"); /* \\ %s 名'


def test_names_full_of_quotes_newlines_and_comment_ends_do_not_reach_c(tmp_path: Path):
    rows = [{"a": 1, "mass": 1, "name": NASTY + str(k), "link": NASTY + "link" + str(k)} for k in range(2)]
    arm = dataclasses.replace(da.Arm.from_dh(rows, physical="ignore"), name=NASTY).holding(da.Load(1.0))
    files = write_c(function(arm, "inverse_dynamics"), tmp_path)
    for file in files:
        text = file.read_text(encoding="ascii")
        bare = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
        assert "system(" not in bare
        assert "#error" not in text
        assert '"b' not in text
        assert text.count("/*") == text.count("*/")
    assert built_and_run(files, COMPILERS[0]).returncode == 0


@pytest.mark.parametrize(
    ("name", "wanted"),
    [("puma560", "puma560"), ("UR5e (e)", "ur5e_e"), ("6dof", "arm_6dof"), ('*/"', "arm"), ("x" * 99, "x" * 40)],
)
def test_identifiers_are_c_identifiers(name: str, wanted: str):
    assert identifier(name) == wanted


def test_a_comment_cannot_end_early():
    assert "*/" not in comment(NASTY)
    assert "\n" not in comment(NASTY)


def test_the_code_has_no_loop_branch_allocation_or_global(tmp_path: Path):
    code = write_c(function(SCARA, "forward_dynamics"), tmp_path)[1].read_text()
    assert not re.search(r"\b(for|while|if|goto|malloc|free|static|extern)\b", code)
    assert re.search(r"\d+ multiplications, \d+ additions", code)


def test_output_may_overlap_input(tmp_path: Path):
    files = write_c(function(SCARA, "inverse_dynamics"), tmp_path)
    library = tmp_path / "c.so"
    subprocess.run([COMPILERS[0], "-shared", "-fPIC", "-O2", "-o", str(library), str(files[1]), "-lm"], check=True)
    call = ctypes.CDLL(str(library))[files[1].stem]
    n = SCARA.n
    arrays = np.random.default_rng(0).uniform(-1, 1, (3, n))
    out = np.zeros(n)
    call(*(ctypes.c_void_p(a.ctypes.data) for a in (*arrays, out)))
    call(*(ctypes.c_void_p(a.ctypes.data) for a in (*arrays, arrays[0])))
    assert (arrays[0] == out).all()


@pytest.mark.skipif(not shutil.which("cmake"), reason="needs cmake")
def test_the_cmake_file_builds_and_tests(tmp_path: Path):
    write_c(function(SCARA, "bias"), tmp_path / "c")
    subprocess.run(["cmake", "-S", tmp_path / "c", "-B", tmp_path / "b"], check=True, capture_output=True)
    subprocess.run(["cmake", "--build", tmp_path / "b"], check=True, capture_output=True)
    subprocess.run(["ctest", "--test-dir", tmp_path / "b"], check=True, capture_output=True)


def test_an_unknown_type_is_refused(tmp_path: Path):
    with pytest.raises(ArmError, match="dtype may be"):
        write_c(function(SCARA, "bias"), tmp_path, "float16")


def test_functions_of_one_folder_share_one_project(tmp_path: Path) -> None:
    for name in ("inverse_dynamics", "gravity_load", "inverse_dynamics"):
        files = write_c(function(SCARA, name), tmp_path)
    text = (tmp_path / "CMakeLists.txt").read_text()
    assert text.count("arm_function(cylindrical_") == 2
    assert "arm_function(cylindrical_inverse_dynamics)" in text
    assert "arm_function(cylindrical_gravity_load)" in text
    if shutil.which("cmake"):
        for words in (
            ["cmake", "-S", ".", "-B", "build"],
            ["cmake", "--build", "build"],
            ["ctest", "--test-dir", "build"],
        ):
            done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
        assert re.search(r"100% tests passed(, 0 tests failed)? out of 2", done.stdout)  # by version of ctest
    assert files[-1].name == "CMakeLists.txt"


def test_a_project_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text("project(mine)")
    with pytest.raises(ArmError, match=r"CMakeLists.txt: is not a file of dalembert and stays as it is"):
        write_c(function(SCARA, "bias"), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["CMakeLists.txt"]


def written_variety(folder: Path) -> list[Path]:
    """C with friction and its signs, values that go to several places, roots and divisions of closed loops."""
    driven = rubbing(da.load("planar-2r"), da.Friction.of(0.3, 0.4, 0.1))
    files = write_c(function(driven, "inverse_dynamics", "load"), folder, "float32")
    files += [*write_c(function(driven, "computed_torques"), folder), *write_c(function(SCARA, "jacobian"), folder)]
    return [*files, *gallery.five_bar().write_c("inverse_dynamics", folder)]


def test_the_misra_addon_of_cppcheck_finds_nothing_but_what_is_written_down(tmp_path: Path) -> None:
    """Macros that are not used (2.5) and signs as sums of comparisons (10.5, 10.8): docs/compile.md says why."""
    sources = [str(f) for f in written_variety(tmp_path) if f.suffix == ".c" and not f.name.startswith("test_")]
    done = subprocess.run(
        [system_tool("cppcheck", "cppcheck"), "-q", "--addon=misra", "--enable=all", "--inconclusive", "--std=c99",
         "--suppress=missingIncludeSystem", "--suppress=unusedFunction", "--suppress=misra-c2012-2.5",
         "--suppress=misra-c2012-10.5", "--suppress=misra-c2012-10.8",
         "--error-exitcode=1", *sources],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_written_c_runs_clean_under_the_sanitizers(tmp_path: Path) -> None:
    for file in written_variety(tmp_path):
        if not file.name.startswith("test_"):
            continue
        own = tmp_path / file.name.removeprefix("test_")
        command = [COMPILERS[0], "-std=c99", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
        built = subprocess.run([*command, "-o", str(tmp_path / "run"), str(file), str(own), "-lm"], check=False)
        if built.returncode:
            pytest.skip(f"{COMPILERS[0]} has no sanitizers here")
        done = subprocess.run([str(tmp_path / "run")], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
