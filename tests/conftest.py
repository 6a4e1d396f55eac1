"""What all tests share: how hypothesis searches, and where JAX runs.

``make test`` uses the profile "ci", which tries the same examples every time. Plain ``pytest`` searches anew on
each run; ``HYPOTHESIS_PROFILE=deep pytest`` searches for long.
"""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

from dalembert.report.html.browser import find_browser
from system_tools import system_tool

os.environ.setdefault("JAX_PLATFORMS", "cpu")
# Laws are tried on hundreds of random arms: NumPy answers at once, a compiler would be asked for each of them. The
# tests of the compiled kernels (tests/compile) switch them on again.
os.environ["DALEMBERT_COMPILE"] = "0"

# A shell that starts a run in the background has it ignore Ctrl-C, which some tests press.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# No deadline: the first example of a test pays for imports and caches that the others do not.
QUIET = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow], "print_blob": True}
settings.register_profile("default", max_examples=30, **QUIET)
settings.register_profile("ci", max_examples=30, derandomize=True, database=None, **QUIET)
settings.register_profile("deep", max_examples=1000, **QUIET)
# The examples of "ci", and the first that fails ends the test: scripts/mutants.py asks only whether one does.
settings.register_profile(
    "once", max_examples=30, derandomize=True, database=None, phases=(Phase.explicit, Phase.generate), **QUIET
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "default"))


@pytest.fixture(scope="session")
def kernel_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache for kernels that the tests of one process share."""
    folder = tmp_path_factory.mktemp("kernels")
    folder.chmod(0o700)
    return folder


@pytest.fixture(scope="module")
def compiled_kernels(kernel_folder: Path) -> Iterator[None]:
    """Kernels are compiled, as for users, into the cache of the tests."""
    from dalembert.compile import build, cache

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(cache.VARIABLE, str(kernel_folder))
        patch.delenv(build.SWITCH, raising=False)
        yield


@pytest.fixture(scope="module")
def needs_compiler(compiled_kernels: None) -> None:
    """The same, and nothing of the module is run where there is no compiler."""
    from dalembert.compile import build

    try:
        build.find()
    except build.CompileError:
        pytest.skip("no C compiler")


@pytest.fixture
def derived(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, object]]:
    """Systems and parameters of all equations that are made while the test runs."""
    from dalembert.equations.closed_form import Equations

    made: list[tuple[object, object]] = []
    derive = Equations.__init__

    def counted(self, arm, parameters="symbols", *rest, **named):
        made.append((arm, parameters))
        derive(self, arm, parameters, *rest, **named)

    monkeypatch.setattr(Equations, "__init__", counted)
    return made


@pytest.fixture(scope="session")
def browser() -> str:
    """A browser: that of DALEMBERT_BROWSER, or a Chromium or Chrome that is on the path."""
    return system_tool("chromium", "chromium", find_browser)
