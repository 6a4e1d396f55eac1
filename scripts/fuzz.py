#!/usr/bin/env python3
"""Tries hostile inputs on every door of the package, each within a limit of time and memory.

    python scripts/fuzz.py --inputs 1000000            # all doors in turn; some hours
    python scripts/fuzz.py --only "arm toml" --seconds 60 --seed 7
    python scripts/fuzz.py --guided --seconds 3600     # with atheris: the search follows branches of the code
    python scripts/fuzz.py --replay tests/data/fuzz    # the inputs that once got through, again

An input may be answered or refused by one sentence (ArmError, or exit code 2). It escapes where anything else comes:
another exception, a message that is long or has control characters, a process that dies, more than ``--limit`` seconds
of processor time (2) or ``--memory`` megabytes more than before (1000). Inputs that bring a sentence not heard before
become seeds themselves, so that the search follows the branches of the readers. What escapes is kept in ``--keep``
(tests/data/fuzz), where the tests try it again. Ends with code 1 if something escaped.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import mmap
import multiprocessing
import os
import random
import re
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
CORPUS = ROOT / "tests" / "data" / "fuzz"
BATCH = 200
"""Inputs that a worker tries before it says how it stands."""
MOST_SEEDS = 400
WALL = 60
"""Seconds after which an input hangs, whatever it waits for."""
SILENT = 1800
"""Seconds of silence after which a worker is ended: it hangs outside of an input."""
SLOWER = 4.0
"""How much slower code may be that counts its branches."""
LONGEST_NOTE = 1 << 20
"""Bytes of the input at hand that are kept for the process that watches."""


class Slow(BaseException):
    """An input took too long; no handler of ordinary exceptions may catch this."""


def too_slow(number: int, frame: object) -> None:
    """The limit of time is reached."""
    raise Slow


def shape(sentence: str) -> str:
    """A sentence without its particulars: the branch that wrote it."""
    return re.sub(r"/\S+/|'[^']*'|\"[^\"]*\"|[-+0-9.eE²]+", "#", sentence)[:120]


class Trial:
    """One door in this process: inputs are tried on it, and each batch is reported."""

    def __init__(self, name: str, limit: float, memory: float, pipe: Connection, note: str) -> None:
        from fuzz_targets import TARGETS, outcome

        self.target = next(one for one in TARGETS if one.name == name)
        self.limit, self.memory, self.pipe, self.outcome = limit, memory, pipe, outcome
        self.note = open_note(note)
        self.seeds = list(self.target.seeds())
        for text in self.seeds:
            outcome(self.target, text)
        self.first = len(self.seeds)
        self.heard: set[str] = set()
        self._begin()
        signal.signal(signal.SIGPROF, too_slow)
        signal.signal(signal.SIGALRM, too_slow)
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))

    def _begin(self) -> None:
        self.found: Counter[str] = Counter()
        self.escapes: list[tuple[str, str]] = []
        self.slowest = 0.0

    def attempt(self, text: str) -> str:
        """The sentence that an input brings, where it was not heard before; the input is noted first: it may kill."""
        noted(self.note, text)
        before = resource.getrusage(resource.RUSAGE_SELF)
        said, fault = "", ""
        try:
            signal.setitimer(signal.ITIMER_PROF, self.limit)
            signal.alarm(WALL)
            said = self.outcome(self.target, text)
        except Slow:
            fault = f"more than {self.limit:g} s"
        except (Exception, SystemExit, RecursionError) as escape:
            fault = f"{type(escape).__name__}: {str(escape)[:200]}"
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.alarm(0)
        after = resource.getrusage(resource.RUSAGE_SELF)
        taken = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.slowest = max(self.slowest, taken)
        if after.ru_maxrss - before.ru_maxrss > 1000 * self.memory:
            fault = f"{(after.ru_maxrss - before.ru_maxrss) / 1000:.0f} MB more"
        if fault:
            self.escapes.append((text, fault))
        self.found["escaped" if fault else "accepted" if said == "accepted" else "refused"] += 1
        new = said if said and shape(said) not in self.heard else ""
        if new:
            self.heard.add(shape(said))
        if self.found.total() >= BATCH:
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
            self.pipe.send((dict(self.found), self.escapes, self.slowest, peak, len(self.heard)))
            self._begin()
        return new


def worker(name: str, seed: int, limit: float, memory: float, guided: bool, pipe: Connection, note: str) -> None:
    """Tries inputs on one door until it is ended."""
    os.environ["DALEMBERT_COMPILE"] = "0"
    sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]
    if guided:
        guided_search(name, seed, limit, memory, pipe, note)
    from fuzz_mutate import mutated

    trial = Trial(name, limit, memory, pipe, note)
    rng, seeds, first = random.Random(f"{name} {seed}"), trial.seeds, trial.first
    while True:
        # Half from good inputs: changes of refused ones are refused nearly always.
        text = mutated(rng.choice(seeds[:first] if rng.random() < 0.5 else seeds), seeds, rng)
        if trial.attempt(text) and len(text) < 8000:
            if len(seeds) < MOST_SEEDS:
                seeds.append(text)
            else:
                seeds[rng.randrange(first, len(seeds))] = text


def guided_search(name: str, seed: int, limit: float, memory: float, pipe: Connection, note: str) -> None:
    """The same changes by libFuzzer, which goes on from inputs that reach branches not seen before."""
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    import atheris

    with atheris.instrument_imports(include=["dalembert"]):
        import fuzz_targets  # noqa: F401
        from fuzz_mutate import mutated

        trial = Trial(name, limit, memory, pipe, note)
    corpus = tempfile.mkdtemp(prefix="dalembert-fuzz-")
    for k, text in enumerate(trial.seeds):
        Path(corpus, str(k)).write_bytes(text.encode("utf-8", "surrogatepass"))

    def read(content: bytes) -> str:
        return content.decode("utf-8", "replace")

    def change(content: bytes, largest: int, number: int) -> bytes:
        rng = random.Random(number)
        return mutated(read(content), trial.seeds, rng).encode("utf-8", "surrogatepass")[:largest]

    options = [sys.argv[0], corpus, f"-seed={seed + 1}", "-max_len=40000", f"-timeout={WALL}", "-rss_limit_mb=8000"]
    atheris.Setup(options, lambda content: trial.attempt(read(content)) and None, custom_mutator=change)
    atheris.Fuzz()


def open_note(path: str) -> mmap.mmap:
    """Memory shared with the process that watches: what is noted there outlives this one."""
    with open(path, "r+b") as file:
        return mmap.mmap(file.fileno(), LONGEST_NOTE)


def noted(note: mmap.mmap, text: str) -> None:
    """Notes the input at hand."""
    content = text.encode("utf-8", "surrogatepass")[: LONGEST_NOTE - 8]
    note[:8] = len(content).to_bytes(8, "little")
    note[8 : 8 + len(content)] = content


class Door:
    """One worker on one door, and what it has found."""

    def __init__(self, name: str, seed: int, limit: float, memory: float, guided: bool) -> None:
        self.name, self.seed, self.limit, self.memory, self.guided = name, seed, limit, memory, guided
        self.counts: Counter[str] = Counter()
        self.escapes: list[tuple[str, str]] = []
        self.slowest = self.peak = 0.0
        self.sentences = 0

    def start(self) -> None:
        """A new process."""
        self.note = tempfile.NamedTemporaryFile(prefix="dalembert-fuzz-")  # noqa: SIM115
        self.note.truncate(LONGEST_NOTE)
        # Code is instrumented as it is imported, so a guided search begins in a process that has imported nothing.
        how = multiprocessing.get_context("spawn" if self.guided else "fork")
        limit = self.limit * (SLOWER if self.guided else 1)
        self.pipe, theirs = how.Pipe(duplex=False)
        self.process = how.Process(
            target=worker,
            args=(self.name, self.seed, limit, self.memory, self.guided, theirs, self.note.name),
            daemon=True,
        )
        self.process.start()
        theirs.close()

    def batch(self) -> None:
        """One batch; a process that died counts as an escape and is replaced."""
        try:
            if not self.pipe.poll(SILENT):
                self.process.kill()
            counts, escapes, slowest, peak, sentences = self.pipe.recv()
        except EOFError:
            self.process.join()
            content = Path(self.note.name).read_bytes()
            text = content[8 : 8 + int.from_bytes(content[:8], "little")].decode("utf-8", "surrogatepass")
            self.escapes.append((text, f"the process died ({self.process.exitcode})"))
            self.counts["escaped"] += 1
            self.seed += 1000
            self.note.close()
            self.start()
            return
        self.counts.update(counts)
        self.escapes += escapes
        self.slowest, self.peak = max(self.slowest, slowest), max(self.peak, peak)
        self.sentences = max(self.sentences, sentences)

    def stop(self) -> None:
        """Ends the process."""
        self.process.terminate()
        self.process.join()
        self.note.close()


def kept(folder: Path, name: str, text: str) -> Path:
    """The input as a file of the corpus."""
    place = folder / name.replace(" ", "-")
    place.mkdir(parents=True, exist_ok=True)
    content = text.encode("utf-8", "surrogatepass")
    path = place / hashlib.sha256(content).hexdigest()[:16]
    path.write_bytes(content)
    return path


def replay(folder: Path, limit: float) -> int:
    """All inputs of the corpus once more; the number that escapes."""
    os.environ["DALEMBERT_COMPILE"] = "0"
    sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]
    from fuzz_targets import TARGETS, outcome

    signal.signal(signal.SIGPROF, too_slow)
    bad = 0
    for target in TARGETS:
        for text in target.seeds():
            outcome(target, text)
        for path in sorted((folder / target.name.replace(" ", "-")).glob("*")):
            try:
                signal.setitimer(signal.ITIMER_PROF, limit)
                outcome(target, path.read_bytes().decode("utf-8", "surrogatepass"))
            except (Slow, Exception) as fault:
                bad += 1
                print(f"{path}: {type(fault).__name__}: {str(fault)[:200]}")
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
    return bad


def main() -> int:
    """The command, with a folder for the files of all workers: they are ended, and cannot remove their own."""
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(dir=memory, prefix="dalembert-fuzz-") as folder:
        os.environ["FUZZ_FOLDER"] = folder
        return run()


def run() -> int:
    """The search that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--inputs", type=int, default=20_000, help="inputs in all")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so long")
    parser.add_argument("--only", default="", help="doors with this in their names")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=float, default=2.0, help="seconds of processor time for each input")
    parser.add_argument("--memory", type=float, default=1000.0, help="megabytes for each input")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--keep", type=Path, default=CORPUS, help="where inputs that escape are kept")
    parser.add_argument("--replay", type=Path, help="only try the inputs of this corpus")
    parser.add_argument(
        "--guided", action="store_true", help="follow branches of the code, by atheris (pip install atheris)"
    )
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if given.replay is not None:
        return int(replay(given.replay, given.limit) > 0)
    if given.guided and importlib.util.find_spec("atheris") is None:
        parser.error("--guided needs atheris, which is not installed: pip install atheris")
    sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]
    from fuzz_targets import TARGETS

    doors = [Door(t.name, given.seed, given.limit, given.memory, given.guided) for t in TARGETS if given.only in t.name]
    began, rounds = time.monotonic(), max(1, -(-given.inputs // (BATCH * len(doors))))
    for at in range(0, len(doors), given.workers):
        group = doors[at : at + given.workers]
        share = (given.seconds - (time.monotonic() - began)) / (-(-(len(doors) - at) // given.workers))
        until = time.monotonic() + share
        for door in group:
            door.start()
        for _ in range(rounds):
            if time.monotonic() > until:
                break
            for door in group:
                door.batch()
        for door in group:
            door.stop()
            for text, fault in door.escapes:
                path = kept(given.keep, door.name, text)
                print(f"escaped: {door.name}: {fault} ({path.name})", file=sys.stderr, flush=True)
            if not given.json:
                print(line(door), flush=True)
    total: Counter[str] = Counter()
    for door in doors:
        total.update(door.counts)
    if given.json:
        print(json.dumps({door.name: record(door) for door in doors}, indent=1))
    else:
        print(f"{sum(total.values())} inputs in {time.monotonic() - began:.0f} s: {dict(total)}")
    return int(total["escaped"] > 0)


def record(door: Door) -> dict[str, Any]:
    """What was found at a door."""
    return {**door.counts, "slowest [s]": door.slowest, "peak [MB]": door.peak, "sentences": door.sentences}


def line(door: Door) -> str:
    """The same for a person."""
    counts = ", ".join(f"{door.counts[what]} {what}" for what in ("accepted", "refused", "escaped"))
    return f"{door.name:16} {counts}; {door.sentences} sentences, slowest {door.slowest:.2f} s, peak {door.peak:.0f} MB"


if __name__ == "__main__":
    sys.exit(main())
