"""One report derives the equations of a system once, however many sections ask for them."""

from __future__ import annotations

from pathlib import Path

import dalembert as da
from dalembert.control.trajectories import quintic


def driven_arm(name: str = "planar-2r") -> da.DrivenArm:
    """An arm whose motors sit on the links before their joints."""
    arm = da.load(name)
    motors = [
        da.Actuator.of(f"motor{k + 1}", {joint.name: 50}, da.Rotor.of("0.0004", arm.links[k].name))
        for k, joint in enumerate(arm.moving)
    ]
    return arm.with_drives(da.DriveTrain(tuple(motors)))


def test_each_form_of_the_equations_of_each_system_is_derived_once(derived, tmp_path: Path) -> None:
    arm, load = driven_arm(), da.Load(1, (0, 0, 0.1))
    other = driven_arm("planar-3r").holding(load)
    way = quintic([[0.0] * 2, [0.5, -0.4]], 1.0)
    held = arm.holding(load)
    found = held.report(tmp_path / "arm.html", tolerances=(0.3, 0.2), motion=way, against=other)
    assert {"ranges", "importance", "coupling", "significance", "motion", "short-forms", "reduced", "closed-loop",
            "review", "comparison"} <= {section.name for section in found.sections}  # fmt: skip
    # The section on structure takes equations alone and derives those in symbols for itself, once more.
    forms = [one for one in derived if one[1] != "symbols"]
    repeated = [(arm.name, parameters) for k, (arm, parameters) in enumerate(forms) if (arm, parameters) in forms[:k]]
    assert repeated == []
    numeric = [system for system, parameters in derived if parameters == "numbers"]
    assert held in numeric
    assert arm in numeric


def test_a_report_without_load_motion_or_other_design_derives_one_numeric_form(derived) -> None:
    arm = driven_arm()
    arm.report(tolerances=(0.3, 0.2))
    assert [system for system, parameters in derived if parameters == "numbers"] == [arm]
    others = [str(parameters) for _, parameters in derived if parameters != "symbols"]
    assert len(others) == len(set(others))
