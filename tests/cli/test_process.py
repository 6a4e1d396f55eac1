"""The ``dalembert`` command as a process: what it makes of the stdout, the readers and the threads it is given."""

from __future__ import annotations

import os
import subprocess
import sys
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
