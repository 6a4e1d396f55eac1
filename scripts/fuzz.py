#!/usr/bin/env python3
"""Tries hostile inputs on every door of the package, each within a limit of time and memory.

    python scripts/fuzz.py --inputs 1000000            # all doors in turn; some hours
    python scripts/fuzz.py --only "arm toml" --seconds 60 --seed 7
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
import json
import multiprocessing
import os
import random
import re
import resource
import signal
import sys
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


class Slow(BaseException):
    """An input took too long; no handler of ordinary exceptions may catch this."""


def too_slow(number: int, frame: object) -> None:
    """The limit of time is reached."""
    raise Slow


def shape(sentence: str) -> str:
    """A sentence without its particulars: the branch that wrote it."""
    return re.sub(r"/\S+/|'[^']*'|\"[^\"]*\"|[-+0-9.eE²]+", "#", sentence)[:120]


def worker(name: str, seed: int, limit: float, memory: float, pipe: Connection) -> None:
    """Tries batches of inputs on one door and reports each batch; the input at hand is sent first, in case it kills."""
    os.environ["DALEMBERT_COMPILE"] = "0"
    sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]
    from fuzz_mutate import mutated
    from fuzz_targets import TARGETS, outcome

    target = next(one for one in TARGETS if one.name == name)
    rng = random.Random(f"{name} {seed}")
    seeds = list(target.seeds())
    for text in seeds:
        outcome(target, text)
    signal.signal(signal.SIGPROF, too_slow)
    signal.signal(signal.SIGALRM, too_slow)
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    heard: set[str] = set()
    first = len(seeds)
    note = Path(f"/tmp/dalembert-fuzz-{os.getpid()}")
    while True:
        found: Counter[str] = Counter()
        escapes: list[tuple[str, str]] = []
        slowest = 0.0
        for _ in range(BATCH):
            # Half from good inputs: changes of refused ones are refused nearly always.
            text = mutated(rng.choice(seeds[:first] if rng.random() < 0.5 else seeds), seeds, rng)
            note.write_text(text, encoding="utf-8", errors="surrogatepass")
            before = resource.getrusage(resource.RUSAGE_SELF)
            said, fault = "", ""
            try:
                signal.setitimer(signal.ITIMER_PROF, limit)
                signal.alarm(WALL)
                said = outcome(target, text)
            except Slow:
                fault = f"more than {limit:g} s"
            except (Exception, SystemExit, RecursionError) as escape:
                fault = f"{type(escape).__name__}: {str(escape)[:200]}"
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
                signal.alarm(0)
            after = resource.getrusage(resource.RUSAGE_SELF)
            slowest = max(slowest, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
            if after.ru_maxrss - before.ru_maxrss > 1000 * memory:
                fault = f"{(after.ru_maxrss - before.ru_maxrss) / 1000:.0f} MB more"
            if fault:
                escapes.append((text, fault))
            found["escaped" if fault else "accepted" if said == "accepted" else "refused"] += 1
            if said and shape(said) not in heard and len(text) < 8000:
                heard.add(shape(said))
                if len(seeds) < MOST_SEEDS:
                    seeds.append(text)
                else:
                    seeds[rng.randrange(first, len(seeds))] = text
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
        note.unlink(missing_ok=True)
        pipe.send((dict(found), escapes, slowest, peak, len(heard)))


class Door:
    """One worker on one door, and what it has found."""

    def __init__(self, name: str, seed: int, limit: float, memory: float) -> None:
        self.name, self.seed, self.limit, self.memory = name, seed, limit, memory
        self.counts: Counter[str] = Counter()
        self.escapes: list[tuple[str, str]] = []
        self.slowest = self.peak = 0.0
        self.sentences = 0

    def start(self) -> None:
        """A new process."""
        self.pipe, theirs = multiprocessing.Pipe(duplex=False)
        self.process = multiprocessing.Process(
            target=worker, args=(self.name, self.seed, self.limit, self.memory, theirs), daemon=True
        )
        self.process.start()
        theirs.close()

    def batch(self) -> None:
        """One batch; a process that died counts as an escape and is replaced."""
        try:
            counts, escapes, slowest, peak, sentences = self.pipe.recv()
        except EOFError:
            self.process.join()
            note = Path(f"/tmp/dalembert-fuzz-{self.process.pid}")
            text = note.read_text(encoding="utf-8", errors="surrogatepass") if note.exists() else ""
            self.escapes.append((text, f"the process died ({self.process.exitcode})"))
            self.counts["escaped"] += 1
            self.seed += 1000
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
        Path(f"/tmp/dalembert-fuzz-{self.process.pid}").unlink(missing_ok=True)


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
    """The command."""
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
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if given.replay is not None:
        return int(replay(given.replay, given.limit) > 0)
    sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]
    from fuzz_targets import TARGETS

    doors = [Door(t.name, given.seed, given.limit, given.memory) for t in TARGETS if given.only in t.name]
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
                print(f"escaped: {door.name}: {fault} ({path.name})", file=sys.stderr)
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
