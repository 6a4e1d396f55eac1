"""One CMake project for a folder of functions: each function a static library with its test.

The file is written anew with each function that joins the folder; one that somebody else wrote is never touched.
"""

from __future__ import annotations

import re
from pathlib import Path

from ..arm.errors import ArmError
from ..arm.io.text_files import file_bytes

FIRST = "# Written by dalembert: a library and a test for each function of this folder."
FUNCTION = re.compile(r"^arm_function\((\w+)\)$", re.MULTILINE)


def with_function(folder: Path, symbol: str) -> str:
    """CMakeLists.txt of the functions that ``folder`` has, and of ``symbol``."""
    path = folder / "CMakeLists.txt"
    present: list[str] = []
    if path.exists():
        text = file_bytes(path).decode("utf-8", "replace")
        if not text.startswith(FIRST):
            raise ArmError(f"{path}: is not a file of dalembert and stays as it is; write the code into another folder")
        present = [name for name in FUNCTION.findall(text) if (folder / f"{name}.c").exists()]
    return project([*present, *([] if symbol in present else [symbol])])


def project(symbols: list[str]) -> str:
    """CMakeLists.txt of these functions."""
    lines = "\n".join(f"arm_function({symbol})" for symbol in symbols)
    return f"""\
{FIRST}
cmake_minimum_required(VERSION 3.10)
project(arm_functions C)

set(CMAKE_C_STANDARD 99)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
enable_testing()

function(arm_function name)
  add_library(${{name}} STATIC ${{name}}.c)
  target_include_directories(${{name}} PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})
  if(UNIX)
    target_link_libraries(${{name}} PUBLIC m)
  endif()
  add_executable(test_${{name}} test_${{name}}.c)
  target_link_libraries(test_${{name}} PRIVATE ${{name}})
  add_test(NAME ${{name}} COMMAND test_${{name}})
endfunction()

{lines}
"""
