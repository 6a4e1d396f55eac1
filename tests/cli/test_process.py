"""The ``dalembert`` command as a process: what it makes of the stdout, the readers and the threads it is given."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import dalembert as da


def ran(code: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """A program in Python, with this package on its path."""
    search = os.pathsep.join(filter(None, [str(Path(da.__file__).parents[1]), os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, "PYTHONPATH": search, **environment},
        capture_output=True,
        check=False,
        timeout=60,
    )


def test_a_stdout_that_knows_only_ascii_gets_the_whole_table():
    code = "import sys; from dalembert.cli import main; sys.exit(main())"
    done = ran(code, "show", "puma560", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    assert da.load("puma560", physical="ignore").joint_names[-1].encode() in done.stdout


def test_a_stdout_that_knows_only_ascii_gets_formulas_with_all_their_indices():
    code = "import sys; from dalembert.cli import main; sys.exit(main())"
    done = ran(code, "equations", "planar-2r", "--only", "D11", "--no-legend", PYTHONIOENCODING="ascii")
    assert done.stdout.decode().strip() == "D11 = Izz1 + m2 l1^2 + 2 mx2 l1 c2 + Izz2"
    done = ran(code, "equations", "planar-2r", "--only", "tau2", PYTHONIOENCODING="ascii")
    assert "?" not in done.stdout.decode()
    assert "(mx2 l1 c2 + Izz2) qdd1 + Izz2 qdd2 + mx2 l1 s2 qd1^2 + " in done.stdout.decode()


def test_a_closed_stdout_is_told_in_one_sentence():
    code = "import sys; sys.stdout = None; from dalembert.cli import main; sys.exit(main(['show', 'puma560']))"
    done = ran(code)
    assert done.returncode == 2
    assert done.stderr.decode().strip() == "dalembert: stdout is closed; leave it open, or lead it into a file"


def test_a_reader_that_leaves_early_ends_it_quietly():
    code = (
        "import os, sys; r, w = os.pipe(); os.close(r); os.dup2(w, 1); "
        "from dalembert.cli import main; sys.exit(main(['show', 'puma560']))"
    )
    done = ran(code)
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    assert b"BrokenPipe" not in done.stderr


@pytest.mark.parametrize(("given", "then"), [(None, "1"), ("2", "2")])
def test_the_command_asks_for_one_thread_unless_the_environment_says_how_many(given: str | None, then: str) -> None:
    """The linear algebra library reads the variable when NumPy is imported, which is after it was set."""
    code = (
        "import os, sys, dalembert.cli; assert 'numpy' not in sys.modules; "
        "dalembert.cli.main(['dynamics', 'planar-2r', '--q', '0,0']); "
        "assert 'numpy' in sys.modules; print('threads', os.environ['OMP_NUM_THREADS'])"
    )
    env = {key: value for key, value in os.environ.items() if key != "OMP_NUM_THREADS"}
    env |= {"OMP_NUM_THREADS": given} if given else {}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert f"threads {then}" in done.stdout


def test_a_reduced_model_does_without_scipy() -> None:
    """Its optimizers take 0.2 s to import, longer than a small arm takes to reduce."""
    code = (
        "import sys, dalembert.cli; dalembert.cli.main(['reduce', 'planar-2r']); print('scipy.optimize' in sys.modules)"
    )
    assert ran(code).stdout.splitlines()[-1] == b"False"


def test_what_is_said_beside_a_result_never_stands_in_it_and_never_ends_it() -> None:
    """Where stderr is closed, and where nobody reads it any more."""
    words = "['dynamics', 'irb6', '--q', '0,0,0,0,0']"
    code = f"import sys; from dalembert.cli import main; sys.exit(main({words}))"
    plain = ran(code)
    assert plain.stderr.startswith(b"note: ")
    closed = ran(f"import sys; sys.stderr = None; from dalembert.cli import main; sys.exit(main({words}))")
    gone = ran("import os; r, w = os.pipe(); os.close(r); os.dup2(w, 2); " + code)
    assert plain.stdout == closed.stdout == gone.stdout
    assert plain.returncode == closed.returncode == gone.returncode == 0
    refused = "import sys; sys.stderr = None; from dalembert.cli import main; sys.exit(main(['show', 'no-such-arm']))"
    assert (ran(refused).returncode, ran(refused).stdout) == (2, b"")


def test_ctrl_c_is_told_whatever_it_ends() -> None:
    """Within a command, whose parser of options would end without a word; and while the command is imported."""
    inside = (
        "import sys, dalembert.arm.io.files as files, dalembert.__main__ as process; sys.argv[1:] = ['show', 'irb6']\n"
        "def read(*words, **more): raise KeyboardInterrupt\n"
        "files.read = read; sys.exit(process.main())"
    )
    importing = (
        "import sys, dalembert.__main__ as process\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'dalembert.cli.run': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Finder()); sys.exit(process.main())"
    )
    for code in (inside, importing):
        done = ran(code)
        assert (done.returncode, done.stderr.decode()) == (130, "dalembert: interrupted\n")


@pytest.mark.skipif(os.name == "nt", reason="this system has no signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_process_that_is_ended_leaves_no_half_file_and_no_process_behind(number: int, tmp_path: Path) -> None:
    """A compiler runs when the signal comes, and a file stands half written."""
    compiler = tmp_path / "slow-cc"
    compiler.write_text(f"#!/bin/sh\ntouch {tmp_path}/runs\nsleep 60\n", encoding="utf-8")
    compiler.chmod(0o755)
    (tmp_path / "out").mkdir()
    code = (
        "import sys, dalembert as da, dalembert.__main__ as process, dalembert.cli as cli\n"
        "from dalembert.arm.io.whole_files import replacing\n"
        "def command(arguments=None):\n"
        f"    with replacing({str(tmp_path / 'out' / 'file')!r}):\n"
        "        da.load('planar-2r').compile('inverse_dynamics')([0, 0], [0, 0], [0, 0])\n"
        "cli.main = command; sys.exit(process.main())"
    )
    environment = {**os.environ, "CC": str(compiler), "DALEMBERT_CACHE": str(tmp_path / "cache")}
    environment.pop("DALEMBERT_COMPILE", None)
    with subprocess.Popen([sys.executable, "-c", code], env=environment, stderr=subprocess.PIPE) as process:
        while not (tmp_path / "runs").exists():
            assert process.poll() is None
            time.sleep(0.01)
        assert list((tmp_path / "out").iterdir())
        process.send_signal(number)
        told = process.stderr.read().decode() if process.stderr is not None else ""
    assert "dalembert: interrupted" in told
    assert "Traceback" not in told
    assert process.returncode == {signal.SIGTERM: -signal.SIGTERM, signal.SIGINT: 130}[signal.Signals(number)]
    assert list((tmp_path / "out").iterdir()) == []
    assert not [entry for entry in (tmp_path / "cache").iterdir() if entry.name.startswith("build-")]
    assert str(compiler).encode() not in subprocess.run(["ps", "-eo", "args"], capture_output=True, check=True).stdout
