"""Detection and invocation of the C compiler."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import logging
import os
import platform
import shlex
import shutil
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

PATIENCE, PATIENCE_PER_BYTE, MOST_PATIENCE = 30.0, 2e-4, 600.0
"""Time limit of the compiler (s): for any source, for each byte of it, and in all; a hundred times what it takes."""
BASE_FLAGS = (
    "-std=gnu11", "-fPIC", "-shared", "-w", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math",
)  # fmt: skip
TUNING = (("-march=native",), ("-mcpu=native",), ())
"""Tuning flags, tried in turn: compilers differ in the option for the instruction set of this machine."""


log = logging.getLogger("dalembert")
_warned: set[str] = set()
_hanging: dict[str, str] = {}


def warn_once(message: str) -> None:
    """Logs a warning once for each message."""
    if message not in _warned:
        _warned.add(message)
        log.warning("dalembert: %s", message)


class CompileError(Exception):
    """No compiler, or a compilation that failed; the message is one line."""


class CompilerHangs(CompileError):
    """A compiler that did not end in its time."""


@dataclass(frozen=True)
class Compiler:
    """The command of a compiler, and a text that identifies its version."""

    command: tuple[str, ...]
    identity: str


SWITCH = "DALEMBERT_COMPILE"


class SwitchedOff(CompileError):
    """Compilation is switched off by the user; there is nothing to report."""


def warn_slow(fault: CompileError) -> None:
    """Logs why compiled code is not used, unless the user switched it off."""
    if not isinstance(fault, SwitchedOff):
        warn_once(f"computing with NumPy, which is slower, since {fault}")


def find() -> Compiler:
    """The compiler named by $CC, else cc, gcc or clang on the path, else that of the package ziglang.

    None where $DALEMBERT_COMPILE is 0.
    """
    if os.environ.get(SWITCH) == "0":
        raise SwitchedOff(f"${SWITCH} is 0")
    named = os.environ.get("CC", "")
    return _find(named, os.environ.get("PATH", ""))


def available() -> bool:
    """Whether there is a compiler; one line says so where there is none."""
    try:
        find()
    except CompileError as fault:
        warn_slow(fault)
        return False
    return True


@lru_cache
def _find(named: str, path: str) -> Compiler:
    """The compiler of this $CC and $PATH."""
    try:
        choices: list[list[str]] = [shlex.split(named)] if named.strip() else [["cc"], ["gcc"], ["clang"]]
    except ValueError:
        raise CompileError(f"$CC cannot be read as a command: {named!r}") from None
    for command in choices:
        executable = shutil.which(command[0], path=path)
        if executable:
            resolved = Path(executable).resolve()
            stat = resolved.stat()
            # A replaced compiler has another size or time: its version is identified without running it.
            return Compiler((executable, *command[1:]), f"{command} {resolved} {stat.st_size} {stat.st_mtime_ns}")
    if named.strip():
        raise CompileError(f"no C compiler found ({named})")
    packaged = _packaged()
    if packaged is None:
        raise CompileError("no C compiler found (cc, gcc or clang; pip install 'dalembert[compiler]' brings one)")
    stat = packaged.stat()
    return Compiler((str(packaged), "cc"), f"{packaged} {stat.st_size} {stat.st_mtime_ns}")


def _packaged() -> Path | None:
    """The compiler in the package ziglang, where that is installed."""
    spec = importlib.util.find_spec("ziglang")
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        for name in ("zig", "zig.exe"):
            if os.access(Path(folder) / name, os.X_OK):
                return Path(folder) / name
    return None


@lru_cache
def machine() -> str:
    """A digest of the processor's features: kernels are built for, and only for, this processor."""
    text = f"{platform.system()} {platform.machine()} {platform.processor()}"
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith(("model name", "flags", "Features", "CPU part")):
                text += line
            if not line.strip():
                break
    except OSError:
        text += _features()
    return hashlib.sha256(text.encode()).hexdigest()


def _run(command: list[str], limit: float, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command; whatever it started ends with it, where it takes too long or is interrupted."""
    own_group = hasattr(os, "killpg")
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True, errors="replace", cwd=folder,
        start_new_session=own_group,
    ) as process:  # fmt: skip
        try:
            out, err = process.communicate(timeout=limit)
        except BaseException:
            if own_group:
                # It may just have ended: an interrupt waits a moment for it. That must not take the interrupt's place.
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
            raise
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def _features() -> str:
    """The instruction sets of this processor as the compiler names them, where the system does not list them."""
    for tuning in TUNING[:-1]:
        try:
            command = [*find().command, *tuning, "-dM", "-E", "-x", "c", os.devnull]
            process = _run(command, PATIENCE)
        except (CompileError, OSError, subprocess.SubprocessError):
            continue
        if process.returncode == 0:
            return process.stdout
    return ""


def compiled(compiler: Compiler, source: str, folder: Path, flags: Sequence[str] = (), suffix: str = ".so") -> Path:
    """The shared library of this source, in ``folder``, which must be private to the user.

    A compiler that once does not end in its time is not asked again by this process.
    """
    if compiler.identity in _hanging:
        raise CompileError(_hanging[compiler.identity])
    limit = min(PATIENCE + PATIENCE_PER_BYTE * len(source), MOST_PATIENCE)
    code, library = folder / "kernel.c", folder / f"kernel{suffix}"
    code.write_text(source, encoding="utf-8")
    message = ""
    for tuning in TUNING:
        options = (*BASE_FLAGS, *tuning, *flags, "-o", str(library), str(code), "-lm")
        try:
            message = _failure(compiler, options, limit, folder, library)
        except CompilerHangs as fault:
            _hanging[compiler.identity] = f"{fault} and is not asked again"
            raise
        if not message:
            return library
    raise CompileError(f"the C compiler {compiler.command[0]} failed: {message}")


def _failure(compiler: Compiler, flags: Sequence[str], limit: float, folder: Path, target: Path) -> str:
    """Run the compiler in ``folder``: its first error, or an empty string where ``target`` is made."""
    try:
        process = _run([*compiler.command, *flags], limit, folder)
    except subprocess.TimeoutExpired:
        raise CompilerHangs(f"the C compiler {compiler.command[0]} did not end within {limit:.0f} s") from None
    except (OSError, subprocess.SubprocessError) as fault:
        raise CompileError(f"the C compiler {compiler.command[0]} could not be run: {fault}") from None
    if process.returncode == 0 and target.is_file():
        return ""
    lines = [line for line in process.stderr.splitlines() if line.strip()]
    return next(
        (line for line in lines if "error" in line), lines[0] if lines else f"exit {process.returncode}"
    ).strip()


def library(compiler: Compiler, folder: Path, files: Sequence[str], flags: Sequence[str]) -> Path:
    """The shared library of C files in ``folder``, for any processor of this kind."""
    size = sum((folder / name).stat().st_size for name in files) + sum(x.stat().st_size for x in folder.glob("*.c"))
    limit = min(PATIENCE + PATIENCE_PER_BYTE * size, MOST_PATIENCE)
    target = folder / "library.so"
    message = _failure(compiler, ("-fPIC", "-shared", *flags, "-o", target.name, *files, "-lm"), limit, folder, target)
    if message:
        raise CompileError(f"the C compiler {compiler.command[0]} failed: {message}")
    return target
