"""The page and the picture of a mechanism: what they say is what the mechanism says."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanisms import gallery, parallel_robots
from dalembert.mechanisms.skeleton import Skeleton
from dalembert.report.mechanism_page import mechanism_page
from dalembert.report.mechanism_view import mechanism_script
from mechanisms.planar import planar_arm


@pytest.fixture(scope="module")
def text() -> str:
    bar = gallery.five_bar()
    return mechanism_page(bar, to=bar.coordinates_of(bar.home) + np.array([0.4, -0.3]), duration=0.5)


def embedded(text: str) -> dict:
    found = re.search(r'<script type="application/json" id="mechanism-data">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_the_page_has_every_section_and_is_complete_in_itself(text: str) -> None:
    for name in ("view", "mobility", "rest", "way", "actuators", "joints"):
        assert f'id="{name}"' in text
    assert "2 freedoms (4 joints - 2 equations)" in text
    assert "http://" not in text.replace("http://www.w3.org", "")

    class Balanced(HTMLParser):
        depth = 0

        def handle_starttag(self, tag: str, attrs: object) -> None:
            self.depth += tag in ("div", "section", "table", "main")

        def handle_endtag(self, tag: str) -> None:
            self.depth -= tag in ("div", "section", "table", "main")

    reader = Balanced()
    reader.feed(text)
    assert reader.depth == 0


def test_a_notebook_shows_the_page_that_a_file_would_have(tmp_path: Path) -> None:
    bar = gallery.five_bar()
    page = da.write_mechanism_page(bar, tmp_path / "bar.html")
    assert (tmp_path / "bar.html").read_text(encoding="utf-8") == page.html
    shown: list[dict[str, str | None]] = []

    class Frame(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            shown.append({"tag": tag, **dict(attrs)})

    Frame().feed(page._repr_html_())
    assert [(one["tag"], one["sandbox"], one["srcdoc"]) for one in shown] == [("iframe", "allow-scripts", page.html)]
    assert len(page._repr_html_()) < 150_000


def test_loads_on_the_page_are_those_of_the_motion(text: str) -> None:
    bar = gallery.five_bar()
    made = embedded(text)
    path = da.quintic([made["q"], np.array(made["q"]) + np.array([0.4, -0.3])], 0.5)
    t = np.linspace(0, 0.5, 201)
    load = bar.inverse_dynamics(bar.follow(path.position(t)), path.velocity(t), path.acceleration(t))
    peak = np.abs(load).max(axis=0)
    worst = int(np.argmax(peak))
    assert f"{bar.coordinates[worst]} must do the most: {peak[worst]:.4g} N m" in text
    np.testing.assert_allclose(bar.closure_error(made["frames"]), 0, atol=1e-12)
    np.testing.assert_allclose(bar.coordinates_of(made["frames"]), made["path"], atol=1e-12)


def test_a_motion_that_meets_a_singularity_is_told_with_its_place() -> None:
    bar = gallery.five_bar().with_coordinates(["x(left)", "y(left)"])
    said = mechanism_page(bar, to=[0.2, 2.0])
    assert "the path meets a singular configuration between points" in said
    assert 'id="actuators"' not in said


@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
def test_the_script_closes_the_loops_as_python_does() -> None:
    bar = gallery.five_bar().with_springs(da.Spring("strut", "left:link1", "right:link1", stiffness=400, rest="0.2"))
    script = mechanism_script(bar)
    body = script[script.index("function skeleton(") : script.rindex("drawMechanism(")]
    q = bar.coordinates_of(bar.home) + 0.1
    program = f"""{body}
let phi = {bar.home.tolist()};
for (let k = 0; k < 6; k++) phi = newton_step(phi, {q.tolist()})[0];
console.log(JSON.stringify([phi, skeleton(phi), inverse_dynamics(phi, [0, 0], [0, 0])[0]]));"""
    ran = subprocess.run(["node", "-e", program], capture_output=True, text=True, check=True)
    phi, points, load = json.loads(ran.stdout)
    np.testing.assert_allclose(phi, bar.position(q), atol=1e-12)
    np.testing.assert_allclose(points, Skeleton(bar).positions(np.array([phi]))[0], atol=1e-12)
    hold = bar.inverse_dynamics(bar.position(q), [0, 0], [0, 0])
    np.testing.assert_allclose(load, hold, atol=1e-9)
    assert np.abs(hold - bar.gravity_load(bar.position(q))).min() > 1
    assert "inverse_dynamics(phi, still, still)[0]" in script
    assert "gravity_load" not in script


def test_the_picture_has_a_bar_for_each_link_and_a_plate_for_the_platform(tmp_path: Path) -> None:
    robot = parallel_robots.stewart_ups()
    da.write_mechanism_picture(robot, tmp_path / "robot.svg")
    root = ElementTree.parse(tmp_path / "robot.svg").getroot()
    drawn = [element.tag.rpartition("}")[2] for element in root]
    assert drawn.count("polygon") == 1
    assert drawn.count("circle") == len(set(Skeleton(robot).joints))
    skeleton = Skeleton(robot)
    at = skeleton.positions(robot.home[None])[0]
    ends = {tuple(np.round(at[k], 9)) for k in skeleton.plates[0]}
    tips = {tuple(np.round(robot.frame(robot.home, f"leg{k + 1}")[:3, 3], 9)) for k in range(6)}
    assert ends == tips
    with pytest.raises(da.ArmError, match=r"written as SVG; name a file that ends in .svg"):
        da.write_mechanism_picture(robot, tmp_path / "robot.png")


def test_names_of_a_file_do_not_reach_the_page_as_markup() -> None:
    bar = gallery.five_bar()
    bad = "<script>alert(1)</script>"
    made = da.Mechanism(
        bar.parts.chains, [da.Closure(bad, "left", "right", "pin")], bar.coordinates, bases=bar.parts.bases,
        home=bar.home, name=bad,
    )  # fmt: skip
    assert bad not in mechanism_page(made)


def test_the_load_that_holds_a_mechanism_counts_its_springs() -> None:
    bar = gallery.five_bar().with_springs(da.Spring("strut", "left:link1", "right:link1", stiffness=400, rest="0.2"))
    still = np.zeros(bar.n)
    hold = bar.inverse_dynamics(bar.home, still, still)
    worst = int(np.argmax(np.abs(hold)))
    assert f"{bar.coordinates[worst]} holds the most: {hold[worst]:.4g} N m." in mechanism_page(bar)
    assert np.abs(hold - bar.gravity_load(bar.home)).min() > 1


def test_a_structure_without_freedom_has_a_page() -> None:
    rod = planar_arm([1.0])
    bases = {"right": da.Placement.from_xyz_rpy((1, 0, 0))}
    pin = da.Closure("tip", "left", "right", "pin")
    truss = da.Mechanism({"left": rod, "right": rod}, [pin], [], bases=bases, home=[1.0, 2.1])
    assert "The closures hold it" in da.write_mechanism_page(truss).html


def test_a_page_asks_no_motion_of_a_coordinate_that_nobody_drives() -> None:
    text = mechanism_page(gallery.slider_crank(), to=[0.6, 0.1])
    assert "driven at chain.theta1; nobody drives chain.theta5." in text
    assert "Nobody drives chain.theta5" in text
    assert 'id="actuators"' not in text
