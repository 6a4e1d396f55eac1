"""The page: complete in itself, safe, with every section, table and sentence."""

from __future__ import annotations

import base64
import csv
import hashlib
import json
import re
from collections.abc import Callable
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.report.assemble import Question, Report, report
from dalembert.report.sections import equations_section
from dalembert.report.write import html, plain, write_csv, write_json, write_report

from .hostile import NAMES, hostile_page

Made = Callable[[str], tuple[da.DrivenArm, Report, Path]]
EMPTY = {"br", "hr", "img", "input", "link", "meta"}


class Reader(HTMLParser):
    """Checks that tags are closed in order; keeps attributes and scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.faults: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.scripts: list[str] = []
        self.ids: list[str] = []
        self.running = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in EMPTY:
            self.open.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        self.ids += [value or "" for name, value in attrs if name == "id"]
        self.running = tag == "script" and not any(name == "type" for name, _ in attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}>")
        self.running = False

    def handle_data(self, data: str) -> None:
        if self.running:
            self.scripts.append(data)


@pytest.mark.parametrize("name", ["jpl-rrp", "puma560"])
def test_the_page_is_well_formed_and_asks_nothing_of_the_network(name: str, made: Made) -> None:
    text = made(name)[2].read_text(encoding="utf-8")
    read = Reader(text)
    assert read.faults == []
    assert read.open == []
    assert len(read.ids) == len(set(read.ids))
    for tag, attribute, value in read.attributes:
        if attribute in ("src", "href", "action", "data", "srcset", "poster"):
            assert value.startswith(("#", "data:text/csv", "data:application/json")), (tag, attribute, value[:60])
        assert not attribute.startswith("on"), (tag, attribute)
    assert "@import" not in text
    assert re.findall(r"url\(.{,22}", text) == ["url(data:font/woff2;base64"]


def test_only_the_scripts_of_the_page_may_run(made: Made) -> None:
    text = made("puma560")[2].read_text(encoding="utf-8")
    allowed = set(re.findall(r"'sha256-([^']+)'", unescape(re.search(r'content="(default-src[^"]+)"', text)[1])))  # type: ignore[index]
    scripts = Reader(text).scripts
    hashes = {base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts}
    assert len(scripts) == 2
    assert hashes == allowed
    assert "connect-src" not in text
    assert "default-src &#x27;none&#x27;" in text


def test_hostile_names_are_text_everywhere() -> None:
    page = hostile_page()
    read = Reader(page)
    assert read.faults == []
    assert read.open == []
    assert len(read.scripts) == 2
    for name in NAMES:
        assert name not in page
    assert not any(tag == "img" for tag, _, _ in read.attributes)


@pytest.mark.parametrize("name", ["jpl-rrp", "puma560"])
def test_every_section_says_in_one_sentence_what_it_means(name: str, made: Made) -> None:
    _, found, path = made(name)
    text = path.read_text(encoding="utf-8")
    assert len(found.sections) >= 7
    for section in found.sections:
        sentence = plain(str(section.meaning))
        assert sentence.endswith(".")
        assert not re.search(r"[.!?] [A-Z]", sentence), sentence
        assert text.count(str(section.meaning) if "<" in section.meaning else sentence.replace("'", "&#x27;")) >= 2
        assert f'<section id="{section.name}"' in text
        assert f'href="#{section.name}"' in text


def test_equations_are_set_in_mathml_and_long_ones_can_break(made: Made) -> None:
    text = made("jpl-rrp")[2].read_text(encoding="utf-8")
    first = re.search(r'id="eq-D11">(.*?)</div>', text, re.DOTALL)
    assert first
    assert first[1].count("<math>") > 10
    # Bejczy 1974, eq. 61: D33 is the mass the boom carries, here with the cube and the input inertia of its drive.
    third = re.search(r'id="eq-D33">(.*?)</div>', text, re.DOTALL)
    assert third
    assert "<mn>9.052</mn>" in third[1]
    links = da.load("jpl-rrp").equations("numbers")
    alone = equations_section.section(links, da.load("jpl-rrp").equations())
    assert "<mn>6.47</mn>" in re.search(r'id="eq-D33">(.*?)</div>', alone.html(), re.DOTALL)[1]  # type: ignore[index]


def test_gravity_over_inertia_is_that_of_the_hand_as_it_is(made: Made) -> None:
    """Bejczy 1974, eq. 140: 24.4 rad/s^2 at joint 5 with the cube, where the empty hand has 10."""
    _, found, _ = made("jpl-rrp")
    importance = next(section for section in found.sections if section.name == "importance")
    rows = next(table for table in importance.tables if table.name == "gravity-ratios").records()["rows"]
    assert {row["ratio"]: row["largest"] for row in rows}["G5/D55"] == pytest.approx(24.434, abs=1e-3)
    assert "below about 24 rad/s² gravity can outweigh inertia at joint 5" in plain(str(importance.meaning))


def test_tables_are_written_as_csv_and_json_with_the_same_numbers(made: Made, tmp_path: Path) -> None:
    arm, found, _ = made("puma560")
    paths = write_csv(found, tmp_path / "tables")
    write_json(found, tmp_path / "all.json")
    whole = json.loads((tmp_path / "all.json").read_text(encoding="utf-8"))
    tables = [(section.name, table) for section in found.sections for table in section.tables]
    assert sorted(path.name for path in paths) == sorted(f"{name}-{table.name}.csv" for name, table in tables)
    links = whole["sections"]["description"]["tables"]["links"]["rows"]
    rows = list(
        csv.DictReader((tmp_path / "tables" / "description-links.csv").read_text(encoding="utf-8").splitlines())
    )
    assert [float(row["mass (kg)"]) for row in rows] == [row["mass"] for row in links]
    # The links after the base, and the load in the hand.
    assert [row["mass"] for row in links][1:] == [*(float(body.inertia.mass) for body in arm.bodies), 1.8]


def test_a_prismatic_joint_without_limits_is_said_plainly_with_the_remedy() -> None:
    arm = da.Arm.from_dh(
        [
            {"type": "prismatic", "mass": 2, "alpha": da.Angle.quarters(1)},
            {"type": "revolute", "a": 1, "mass": 1, "com": (-1, 0, 0)},
        ]
    )
    found = report(Question(arm))
    assert "ranges" not in {section.name for section in found.sections}
    page = html(found)
    assert "can slide without limit" in page
    assert f"--box {arm.joint_names[0]}=0:1" in page
    mended = report(Question(arm, box={arm.joint_names[0]: (0, 1)}))
    assert "ranges" in {section.name for section in mended.sections}
    # A point mass on its own axis has no inertia there: what cannot be said is said, and the page has the rest.
    loop = next(section for section in mended.sections if section.name == "closed-loop")
    assert "singular" in loop.meaning


@pytest.mark.parametrize(
    ("box", "message"),
    [
        ({"elbow": (0, 1)}, "no joint 'elbow'"),
        ({"joint1": (1, 0)}, "is empty: 1 is above 0"),
        ({"joint1": (0, float("nan"))}, "not a number"),
    ],
)
def test_a_wrong_box_is_refused(box: dict[str, tuple[float, float]], message: str) -> None:
    with pytest.raises(da.ArmError, match=message):
        report(Question(da.load("planar-2r"), box=box))


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"speed": -1.0}, "speed limits must be"),
        ({"tolerances": (5,)}, r"a tolerance is .*\(5 percent are 0.05\)"),
    ],
)
def test_a_wrong_speed_or_tolerance_is_refused(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(da.ArmError, match=message):
        report(Question(da.load("planar-2r"), **asked))


def test_an_arm_without_mass_or_without_joints_is_refused() -> None:
    still = da.Arm("still", (da.Link("base"),), ())
    with pytest.raises(da.ArmError, match="no joint that moves"):
        report(Question(still))
    light = da.Arm("light", (da.Link("base"), da.Link("rod")), (da.Joint("turn", "revolute", "base", "rod"),))
    with pytest.raises(da.ArmError, match="no moving link has mass"):
        report(Question(light))


def test_a_pose_of_the_wrong_length_is_refused(tmp_path: Path) -> None:
    with pytest.raises(da.ArmError, match="the pose has 3 values"):
        write_report(da.load("planar-2r"), tmp_path / "x.html", pose=(1, 2, 3))


def test_progress_never_goes_back_moves_all_along_and_ends_at_the_end() -> None:
    seen: list[tuple[str, int, int]] = []
    report(Question(da.load("planar-2r")), lambda *step: seen.append(step))
    counted = [done for _, done, _ in seen]
    assert counted == sorted(counted)
    assert counted[0] == 0
    assert seen[-1][1] == seen[-1][2]
    assert len(set(counted)) > 25
    said = {what.split(":")[0] for what, _, _ in seen}
    assert {"ranges", "importance", "coupling", "significance", "reduced", "closed loop", "review", "page"} <= said
    assert any(what.startswith("ranges: range of D11") for what, _, _ in seen)


def test_a_tree_can_be_reported() -> None:
    rng = np.random.default_rng(3)
    links = [
        da.Link("base"),
        *(
            da.Link(f"l{i}", da.Inertia.of(1, tuple(rng.uniform(-0.2, 0.2, 3).round(2).tolist()), (0.02, 0.02, 0.02)))
            for i in range(3)
        ),
    ]
    place = da.Placement.from_xyz_rpy((0.2, 0, 0.1), (0, 1, 0))
    joints = [da.Joint(f"j{i}", "revolute", parent, f"l{i}", place) for i, parent in enumerate(("base", "l0", "l0"))]
    page = html(report(Question(da.Arm("tree", tuple(links), tuple(joints)), tolerances=(0.3,))))
    assert Reader(page).faults == []
