"""``dalembert doctor``: what is installed here, and whether it computes rightly on this machine."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track

from dalembert.compile import build, cache, shared_library
from dalembert.version import __version__

from .printing import heading, json_text, paragraph, say, table

PACKAGES = ("numpy", "scipy", "python-flint", "typer", "rich")
OTHERS = ("pin", "mujoco", "casadi", "jax", "torch", "cupy", "sympy", "control", "roboticstoolbox-python")
FAILED = 1


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Versions, compiler and cache, and a self-test of every formulation and every compiled function on this machine.

    The output is meant for a bug report: it has no names of users. Ends with code 1 where a test fails.
    """
    from dalembert.api.self_test import self_tests

    installation = {"versions": versions(), "machine": machine(), "compiler": compiler(), "cache": cache_contents()}
    if not as_json:
        for title, rows in installation.items():
            heading(title)
            table([("what", list(rows)), ("here", list(rows.values()))])
        heading("self-test")
    pending = self_tests()
    bar = track(pending, "self-test", console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty())
    tests = [test.run() for test in bar]
    failed = [test for test in tests if not test.passed]
    if as_json:
        results = [{**vars(test), "passed": test.passed} for test in tests]
        print(json_text({**installation, "self_test": results, "failed": len(failed)}))
    else:
        table(
            [
                ("asked", [test.asked for test in tests]),
                ("against", [test.against for test in tests]),
                ("difference", [f"{test.difference:.1e}" for test in tests]),
                ("allowed", [f"{test.allowed:.1e}" for test in tests]),
                ("s", [f"{test.seconds:.2f}" for test in tests]),
                ("", ["" if test.passed else "FAILED" for test in tests]),
            ]
        )
        say()
        if failed:
            paragraph(f"{len(failed)} of {len(tests)} tests failed: results of this installation cannot be trusted.")
        else:
            paragraph(f"All {len(tests)} tests passed. difference: largest, over the largest value of the result.")
    if failed:
        raise typer.Exit(FAILED)


def versions() -> dict[str, str]:
    """This package, what it needs, and what it works with where that is installed."""
    installed = {"dalembert": __version__, "Python": f"{platform.python_implementation()} {platform.python_version()}"}
    for name in (*PACKAGES, *OTHERS):
        try:
            installed[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            if name in PACKAGES:
                installed[name] = "not installed"
    return installed


def machine() -> dict[str, str]:
    """System, processor, graphics processor."""
    processor = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        processor = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), processor)
    except OSError:
        pass
    return {
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "processor": f"{processor}, {os.cpu_count()} threads",
        "CUDA": _cuda(),
    }


def _cuda() -> str:
    from dalembert.compile.cuda.driver import CudaError, driver

    try:
        driver()
    except CudaError as fault:
        return str(fault)
    return "a driver and a device"


def compiler() -> dict[str, str]:
    """The C compiler, what it calls itself, and how compiled functions are called."""
    try:
        cc = build.find()
    except build.CompileError as fault:
        slower = "one state takes 5 to 10 times as long as compiled code, a batch 20 to 40 times"
        return {"command": f"none: {fault}", "instead": f"Python and NumPy compute; {slower}"}
    try:
        run = subprocess.run([*cc.command, "--version"], capture_output=True, text=True, timeout=10, check=False)
        version = (run.stdout or run.stderr).strip().splitlines()[0]
    except (OSError, subprocess.SubprocessError, IndexError) as fault:
        version = f"does not say: {fault}"
    module = shared_library.caller_type() is not shared_library.CtypesCaller
    how = "an extension module" if module else "ctypes, which is slower: Python's headers are not installed"
    return {"command": _homeless(" ".join(cc.command)), "version": version, "called through": how}


def cache_contents() -> dict[str, str]:
    """The folder of compiled libraries, what is in it, and why it is not used where it is not."""
    folder = cache.folder()
    configured: Path | str = "the cache folder"
    try:
        configured = cache.chosen_folder()
        fault = cache.weakness(configured) or ("" if configured.resolve() == folder else "it cannot be written")
    except (RuntimeError, OSError) as error:
        fault = str(error)
    libraries = list(folder.glob("*.so"))
    size = sum(file.stat().st_size for file in libraries)
    contents = {"folder": _homeless(str(folder)), "libraries": f"{len(libraries)}, {size / 1e6:.1f} MB"}
    return {**contents, "not used": _homeless(f"{configured}: {fault}")} if fault else contents


def _homeless(text: str) -> str:
    """The text with the home folder written as ~, which names no user."""
    home = os.environ.get("HOME", "")
    return text.replace(home, "~") if len(home) > 1 else text
