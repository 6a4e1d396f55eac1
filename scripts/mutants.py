#!/usr/bin/env python3
"""Breaks the physics on purpose, one line at a time, and sees whether the tests notice.

    python scripts/mutants.py --list
    python scripts/mutants.py                      # all of them: some ten minutes
    python scripts/mutants.py --only gravity-sign  # every mutant whose name has this in it

``scripts/mutants.toml`` is the table: a name, a file of ``src/dalembert``, a piece of its text that occurs exactly
once, what stands there instead, the tests that should notice, and why the change is wrong. The source is copied to a
temporary folder and changed there; kernels go to a cache of their own. The tests have to pass on the copy before it is
changed.

Ends with code 1 if more than one mutant in ten survives, and with code 2 if a mutant cannot be tried at all.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = Path(__file__).with_suffix(".toml")
ALLOWED = 0.1
"""Share of mutants that may survive."""
PASSED, FAILED = 0, 1
"""Exit codes of pytest."""


class MutantError(Exception):
    """A mutant that cannot be tried: the message names it."""


@dataclass(frozen=True)
class Mutant:
    """One change: ``find`` in ``file`` becomes ``replace``, which breaks what ``why`` says; ``tests`` should notice."""

    name: str
    file: str
    find: str
    replace: str
    tests: tuple[str, ...]
    why: str

    @classmethod
    def of(cls, entry: dict[str, object], number: int) -> Mutant:
        called = f"mutant {entry.get('name', number)!r}"
        fields = set(cls.__dataclass_fields__)
        for key in fields ^ set(entry):
            raise MutantError(f"{called}: {'no' if key in fields else 'unknown'} key {key!r}")
        tests = entry["tests"]
        if not isinstance(tests, list) or not tests:
            raise MutantError(f"{called}: tests must be a list of paths, with ::test where one is meant")
        texts = {key: str(value) for key, value in entry.items() if key != "tests"}
        if not all(texts[key].strip() for key in fields - {"tests", "replace"}):
            raise MutantError(f"{called}: name, file, find and why must not be empty")
        return cls(**texts, tests=tuple(str(test) for test in tests))

    def changed(self, source: Path) -> str:
        """The text of the file with the change made."""
        path = source / "dalembert" / self.file
        if not path.is_file():
            raise MutantError(f"mutant {self.name!r}: there is no file src/dalembert/{self.file}")
        text = path.read_text(encoding="utf-8")
        count = text.count(self.find)
        if count != 1:
            raise MutantError(
                f"mutant {self.name!r}: its text occurs {count} times in src/dalembert/{self.file} and must occur "
                f"once; write it anew, or take the mutant out"
            )
        made = text.replace(self.find, self.replace)
        if made == text:
            raise MutantError(f"mutant {self.name!r} changes nothing")
        if path.suffix == ".py":
            try:
                compile(made, str(path), "exec")
            except SyntaxError as fault:
                raise MutantError(f"mutant {self.name!r} is no Python: {fault}") from None
        return made


def table(path: Path = TABLE) -> list[Mutant]:
    """All mutants of the table, each name once."""
    entries = tomllib.loads(path.read_text(encoding="utf-8")).get("mutant", [])
    found = [Mutant.of(entry, number) for number, entry in enumerate(entries, start=1)]
    names = [mutant.name for mutant in found]
    for name in names:
        if names.count(name) > 1:
            raise MutantError(f"mutant {name!r} stands twice in {path.name}")
    return found


class Laboratory:
    """A copy of the source in a folder of its own, and the tests run against it."""

    def __init__(self, folder: Path, timeout: float) -> None:
        self.source, self.cache, self.timeout = folder / "src", folder / "kernels", timeout
        shutil.copytree(ROOT / "src", self.source, ignore=shutil.ignore_patterns("__pycache__"))
        self.cache.mkdir(mode=0o700)
        self.tried = 0

    def run(self, tests: Sequence[str], timeout: float | None = None) -> tuple[int | None, str]:
        """Exit code of pytest (None: it took too long) and what it said."""
        environment = os.environ | {
            "PYTHONPATH": str(self.source),
            "DALEMBERT_CACHE": str(self.cache),
            "DALEMBERT_COMPILE": "0",  # tests of compiled kernels switch it on themselves
            "HYPOTHESIS_PROFILE": "once",  # the first example that fails is enough: none is made smaller
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
        }
        # pythonpath of pyproject.toml would put the source of the tree before the copy.
        command = [sys.executable, "-m", "pytest", "-x", "-q", "--tb=no", "-p", "no:cacheprovider"]
        command += ["-o", f"pythonpath={self.source} tests", *tests]
        try:
            done = subprocess.run(
                command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=timeout, check=False
            )
        except subprocess.TimeoutExpired:
            return None, "too long"
        return done.returncode, done.stdout + done.stderr

    def check(self, tests: Sequence[str]) -> None:
        """These tests pass on the source as it is."""
        code, said = self.run(tests)
        if code != PASSED:
            raise MutantError(f"the tests do not pass on the source as it is:\n{tail(said, 15)}")

    def killed(self, mutant: Mutant) -> str:
        """The test that noticed the mutant; empty if none did."""
        path = self.source / "dalembert" / mutant.file
        before, made = path.read_text(encoding="utf-8"), mutant.changed(self.source)
        stamp = path.stat()
        self.tried += 1
        try:
            path.write_text(made, encoding="utf-8")
            # Compiled files go by time and size: no two versions of a file may have the same time.
            os.utime(path, (self.tried, self.tried))
            code, said = self.run(mutant.tests, self.timeout)
        finally:
            path.write_text(before, encoding="utf-8")
            os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
        if code == PASSED:
            return ""
        if code is None:
            return "a test that did not end"
        if code != FAILED:
            raise MutantError(f"mutant {mutant.name!r}: its tests could not be run (code {code}):\n{tail(said, 15)}")
        failures = [line.split()[1] for line in said.splitlines() if line.startswith(("FAILED ", "ERROR "))]
        return failures[0].rpartition("::")[2] if failures else "a test"


def tail(text: str, count: int) -> str:
    return "\n".join(text.rstrip().splitlines()[-count:])


def tried(mutants: Sequence[Mutant], timeout: float) -> list[Mutant]:
    """Tries all mutants, says what became of each, and gives those that survived."""
    survivors = []
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        laboratory = Laboratory(Path(folder), timeout)
        for mutant in mutants:
            mutant.changed(laboratory.source)
        print(f"{len(mutants)} mutants; first their tests on the source as it is", flush=True)
        laboratory.check(sorted({test for mutant in mutants for test in mutant.tests}))
        for mutant in mutants:
            start = time.perf_counter()
            by = laboratory.killed(mutant)
            seconds = time.perf_counter() - start
            print(f"{'killed  ' if by else 'SURVIVED'} {mutant.name:<34} {seconds:5.1f} s  {by}".rstrip(), flush=True)
            if not by:
                survivors.append(mutant)
    return survivors


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Break the physics on purpose and see whether the tests notice.")
    parser.add_argument("--list", action="store_true", help="name the mutants and what they break, and try none")
    parser.add_argument(
        "--only", metavar="NAME", action="append", help="mutants with this in their name; may be repeated"
    )
    parser.add_argument("--timeout", metavar="SECONDS", type=float, default=300.0, help="for the tests of one mutant")
    given = parser.parse_args(words)
    try:
        mutants = table()
        if given.only:
            for part in given.only:
                if not any(part in mutant.name for mutant in mutants):
                    raise MutantError(f"no mutant has {part!r} in its name; see --list")
            mutants = [mutant for mutant in mutants if any(part in mutant.name for part in given.only)]
        if given.list:
            for mutant in mutants:
                mutant.changed(ROOT / "src")
                print(f"{mutant.name:<34} {mutant.file:<36} {mutant.why}")
            return 0
        survivors = tried(mutants, given.timeout)
    except MutantError as fault:
        print(f"mutants: {fault}", file=sys.stderr)
        return 2
    share = len(survivors) / len(mutants)
    print(
        f"\n{len(mutants) - len(survivors)} of {len(mutants)} killed, {len(survivors)} survived ({100 * share:.1f} %)"
    )
    for mutant in survivors:
        print(f"  {mutant.name} ({mutant.file}): {mutant.why}")
    return 1 if share > ALLOWED else 0


if __name__ == "__main__":
    sys.exit(main())
