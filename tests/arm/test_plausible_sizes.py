"""Numbers that look like another unit are told with their place and used as given; those of real arms are not told."""

from __future__ import annotations

import warnings

import pytest

import dalembert as da

ROD = {"a": 0.4, "mass": 3.2, "com": (-0.2, 0, 0), "inertia": (0.01, 0.05, 0.05)}
SLIPS = {
    "an arm in mm": (ROD | {"a": 400, "com": (-200, 0, 0)}, "its frames reach 800 m; .*, and 800 mm are 0.8 m"),
    "a mass centre in mm": (ROD | {"com": (-200, 0, 0)}, "link 'link1': its mass centre is 200 m .* 200 mm are 0.2 m"),
    "moments in kg mm^2": (ROD | {"inertia": (1e4, 5e4, 5e4)}, "link 'link1': .* 5e.04 kg mm.2 are 0.05"),
    "limits in degrees": (ROD | {"lower": -170, "upper": 170}, "joint 'joint1': .* 170 deg are 2.967059728 rad"),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_numbers_that_look_like_another_unit_are_told_and_kept(slip: str) -> None:
    row, said = SLIPS[slip]
    with pytest.warns(da.UnitWarning, match=f"arm: {said}.*; used as given"):
        arm = da.Arm.from_dh([row, row])
    link = arm.links[1].inertia
    assert tuple(float(x) for x in link.com) == row["com"]
    assert float(link.central[1][1]) == row["inertia"][1]
    assert arm.lower[0] == row.get("lower", -float("inf"))


def test_one_slip_does_not_hide_another() -> None:
    row = SLIPS["an arm in mm"][0] | {"lower": -170, "upper": 170}
    with pytest.warns(da.UnitWarning) as told:
        da.Arm.from_dh([row, row])
    (said,) = (str(each.message) for each in told)
    assert "800 mm are 0.8 m; joint 'joint1': its limits -170 and 170" in said
    assert "(and 1 more of that kind)" in said


def test_a_load_in_millimetres_is_told_and_held_as_given() -> None:
    arm = da.load("planar-2r")
    said = r"the load is 80 m from the tool frame, .* reach 1 m; lengths are in m, and 80 mm are 0\.08 m; used as given"
    with pytest.warns(da.UnitWarning, match=said):
        held = arm.holding(da.Load(2.0, com=(0, 0, 80)))
    assert held.loads[0][1].body.com == (0, 0, 80)
    arm.holding(da.Load(2.0, com=(0, 0, 8)))  # a pole


def test_files_are_looked_at_as_rows_are(tmp_path) -> None:
    path = tmp_path / "mm.urdf"
    text = da.Arm.from_dh([ROD, ROD]).write_urdf()
    path.write_text(text.replace('"0.4 0 0"', '"400 0 0"'))
    assert path.read_text() != text
    with pytest.warns(da.UnitWarning, match=r"mm\.urdf: .*reach .* m; lengths are in m"):
        da.load(path)


def test_no_arm_of_the_catalog_looks_like_another_unit() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", da.UnitWarning)
        for name in da.catalog():
            da.load(name, physical="ignore")


@pytest.mark.parametrize(
    "row",
    [
        ROD | {"lower": -12.5, "upper": 12.5},  # a wrist of almost four turns
        ROD | {"lower": -1e6, "upper": 1e6},  # no limit, as files say it
        {"mass": 1.0, "inertia": (1e3, 1e3, 1e3)},  # nothing says how large it is
    ],
)
def test_what_is_odd_and_possible_is_not_told(row: dict[str, object]) -> None:
    da.Arm.from_dh([row])


def test_a_link_that_only_stands_for_something_is_not_told() -> None:
    da.Arm.from_dh([ROD, {"a": 0.1, "mass": 1e-5, "inertia": (0.01, 0.01, 0.01)}])
