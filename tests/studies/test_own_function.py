"""A function of one's own is known by its text and by what it reads: another factor is another study."""

from __future__ import annotations

import math
import subprocess
import sys
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanisms import gallery
from dalembert.studies.own_function import Untold, known_by

HERE = 2.0


def scaled(factor: object):
    return lambda system: np.asarray(factor).sum() * len(system.links)


def test_values_around_it_make_another_function() -> None:
    assert known_by(scaled(2.0)) == known_by(scaled(2.0)) != known_by(scaled(3.0))
    many = np.zeros(5000)
    other = many.copy()
    other[2500] = 1.0  # an array's printed form leaves this out
    assert known_by(scaled(many)) == known_by(scaled(many.copy())) != known_by(scaled(other))
    assert known_by(scaled(da.load("planar-2r"))) != known_by(scaled(da.load("planar-3r")))
    bar = gallery.five_bar()
    assert known_by(scaled(bar)) == known_by(scaled(gallery.five_bar())) != known_by(scaled(bar.as_system()))
    heavier = [bar.with_gravity(np.array([0.0, -9.81, third])) for third in (0.0, 1e-11)]  # too little to be printed
    assert known_by(scaled(heavier[0])) != known_by(scaled(heavier[1]))
    assert known_by(partial(max, 1.0)) != known_by(partial(max, 2.0))


def test_globals_read_inside_comprehensions_count(monkeypatch: pytest.MonkeyPatch) -> None:
    def own(system: object) -> float:
        return sum([HERE * x for x in (1.0, 2.0)])

    before = known_by(own)
    monkeypatch.setitem(globals(), "HERE", 3.0)
    assert known_by(own) != before


def test_modules_that_import_each_other_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the time would grow with the number of ways from one to another; here there are a thousand million."""
    for k in range(45):
        after = "".join(f"import beside{j}\n" for j in (k + 1, k + 2) if j < 45)
        (tmp_path / f"beside{k}.py").write_text(after + f"K = {k}\n")
    monkeypatch.syspath_prepend(tmp_path)
    first, last = import_module("beside0"), import_module("beside44")

    def own(system: object) -> float:
        return first.K

    before = known_by(own)
    assert known_by(own) == before
    monkeypatch.setattr(last, "K", 1)
    assert known_by(own) != before


def test_packages_are_known_by_their_names_wherever_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the system, of the user, of another environment: a package is not walked through."""
    for folder in ("/usr/lib/python3/dist-packages", "/home/me/.local/lib/python3.11/site-packages"):
        other = ModuleType("other")
        other.__file__ = f"{folder}/other/__init__.py"  # no such file: it is not opened
        monkeypatch.setitem(sys.modules, "other", other)
        assert known_by(lambda system, other=other: other)


def test_a_module_beside_the_script_is_known_by_its_file(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(
        "import sys\nfrom dalembert.studies.own_function import known_by\nimport aside\nfrom aside import helper\n"
        "def by_name(system): return helper(1.0)\ndef by_module(system): return aside.helper(1.0)\n"
        "print(known_by(by_name), known_by(by_module))\naside.K = 5\nprint(known_by(by_module))"
    )
    found = []
    for factor in (1, 1, 7):
        (tmp_path / "aside.py").write_text(f"K = 1\ndef helper(x): return {factor} * x\n")
        ran = subprocess.run(
            [sys.executable, "-B", "script.py"], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        found.append(ran.stdout.split())
    assert found[0] == found[1]
    assert all(a != b for a, b in zip(found[0], found[2], strict=True))
    assert found[0][1] != found[0][2]


def test_a_function_that_calls_itself_ends() -> None:
    def falling(x: float) -> float:
        return falling(x - 1) if x > 0 else math.cos(x)

    assert known_by(falling) == known_by(falling)


def test_what_no_text_stands_for_is_untold() -> None:
    with pytest.raises(Untold, match="object has no text"):
        known_by(scaled(object()))


def test_it_is_the_same_in_another_process() -> None:
    script = (
        "from dalembert.studies.own_function import known_by\n"
        "import numpy as np\nfactor = np.arange(3.0)\n"
        "def own(system): return {'a', 'b', 'c'} and factor.sum()\nprint(known_by(own))"
    )
    runs = [subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True) for _ in "ab"]
    assert runs[0].stdout == runs[1].stdout


def test_a_changed_factor_is_worked_out_anew(tmp_path: Path) -> None:
    arm, path = da.load("planar-2r"), tmp_path / "own.parquet"
    for factor in (2.0, 3.0):
        own = partial(_mass, factor)
        found = da.study(arm, {"load.mass": (1.0, 2.0)}, [da.Output("own", "m", function=own)], samples=4, path=path)
        assert np.all(found.values == factor)


def _mass(factor: float, system: object) -> float:
    return factor
