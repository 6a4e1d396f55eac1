"""The TOML arm file under fire: a valid arm or one clear ArmError, whatever the text; never another exception."""

from __future__ import annotations

import contextlib
import random
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dalembert.arm.description import ArmDescription
from dalembert.arm.errors import ArmError
from dalembert.arm.io.files import CATALOG, catalog_names
from dalembert.arm.io.toml_arm import LONGEST_TEXT, read_toml, write_toml

CATALOG_TEXTS = [(CATALOG / f"{name}.toml").read_text(encoding="utf-8") for name in catalog_names()]
FULL = (
    CATALOG_TEXTS[catalog_names().index("jpl-rrp")]
    + """
[[springs]]
joint = "joint1"
stiffness = 5
damping = 0.1
[[springs]]
from = {link = "base", point = [0, 0, 1]}
to = {link = "boom", point = [0, 0.1, 0]}
stiffness = 3
[[loads]]
mass = 1.8
"""
)
HOSTILE = [
    "nan",
    "inf",
    "-inf",
    "1e400",
    "-1e-400",
    "1e999999999999",
    "9" * 5000,
    "true",
    "[]",
    "{}",
    "''",
    '"x"',
    "1979-05-27",
]


def valid_or_refused(text: str) -> ArmDescription | None:
    """The arm, all of whose parts can be asked for, or None after an error of one line that names the file."""
    said = ""
    try:
        arm = read_toml(text, "fuzz.toml", "ignore")
    except ArmError as fault:
        said = str(fault)
    if said:
        assert said.startswith("fuzz.toml: ")
        assert "\n" not in said
        assert len(said) < 2000
        return None
    # A first moment without mass cannot be carried to another frame; that too is said in a sentence.
    with contextlib.suppress(ArmError):
        assert len(arm.bodies) == arm.n
    arm.checked("ignore")
    return arm


def test_the_text_that_is_broken_below_is_whole() -> None:
    assert valid_or_refused(FULL) is not None


@given(st.sampled_from(CATALOG_TEXTS), st.floats(0, 1))
def test_truncated(text: str, share: float) -> None:
    valid_or_refused(text[: int(share * len(text))])


@given(st.sampled_from([*CATALOG_TEXTS, FULL]), st.integers(0, 10**9))
def test_lines_shuffled_dropped_and_doubled(text: str, seed: int) -> None:
    rng = random.Random(seed)
    lines = text.splitlines(keepends=True)
    for _ in range(rng.randint(1, 5)):
        i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
        change = rng.randrange(4)
        if change == 0:
            lines[i], lines[j] = lines[j], lines[i]
        elif change == 1:
            del lines[i]
        elif change == 2:
            lines.insert(j, lines[i])
        else:
            rng.shuffle(lines)
    valid_or_refused("".join(lines))


@given(st.integers(0, 10**9), st.sampled_from(HOSTILE))
def test_values_replaced_by_hostile_ones(seed: int, value: str) -> None:
    rng = random.Random(seed)
    lines = FULL.splitlines()
    places = [i for i, line in enumerate(lines) if " = " in line and not line.startswith((" ", "notes", "sources"))]
    for i in rng.sample(places, rng.randint(1, 3)):
        head, _, _ = lines[i].partition(" = ")
        lines[i] = f"{head} = {value}"
    valid_or_refused("\n".join(lines))


@given(st.integers(0, 10**9), st.sampled_from(HOSTILE))
def test_numbers_inside_lists_and_tables_replaced(seed: int, value: str) -> None:
    rng = random.Random(seed)
    pieces = FULL.split("0.")
    cut = rng.randrange(1, len(pieces))
    tail = pieces[cut].lstrip("0123456789")
    valid_or_refused("0.".join(pieces[:cut]) + value + tail + "".join(f"0.{piece}" for piece in pieces[cut + 1 :]))


@given(st.integers(0, 10**9))
def test_characters_changed(seed: int) -> None:
    rng = random.Random(seed)
    text = list(FULL)
    for _ in range(rng.randint(1, 4)):
        text[rng.randrange(len(text))] = rng.choice("[]{}\"'=.,#\n \t0-e\x00\x7fä\ud800")
    valid_or_refused("".join(text))


names = st.sampled_from(["base", "a", "b", "c", "d", "e", "f", "g", "joint1"])
sound = st.one_of(st.integers(-3, 3), st.floats(-2, 2), st.sampled_from(['"pi/2"', '"90 deg"', '"1/3"']))
unsound = st.one_of(st.floats(), st.sampled_from(['"1/0"', '"("', "1e35", "[1]", "true", "{}"]))
numbers = st.integers(0, 40).flatmap(lambda i: sound if i else unsound)
triples = st.lists(numbers, min_size=3, max_size=3).map(lambda xs: "[" + ", ".join(map(str, xs)) + "]")


@st.composite
def joint_text(draw: st.DrawFn) -> str:
    lines = ["[[joints]]"]
    choices: list[tuple[str, st.SearchStrategy[str]]] = [
        ("name", names.map(repr)),
        ("parent", st.one_of(st.just("'base'"), names.map(repr))),
        ("xyz", triples),
        ("rpy", triples),
        ("axis", triples),
        ("dh", numbers.map(lambda x: f"{{a = {x}, alpha = {x}}}")),
        ("limits", st.tuples(numbers, numbers).map(lambda x: f"{{lower = {x[0]}, upper = {x[1]}}}")),
        ("damping", numbers.map(str)),
        ("drive", numbers.map(lambda x: f"{{gear_ratio = {x}}}")),
    ]
    lines.append(f'type = "{draw(st.sampled_from(["revolute", "revolute", "prismatic", "fixed", "ball"]))}"')
    for key, strategy in choices:
        if draw(st.integers(0, 5)) == 0:
            lines.append(f"{key} = {draw(strategy)}")
    name, mass, com, tensor = draw(names.filter("base".__ne__)), draw(numbers), draw(triples), draw(triples)
    lines.append(f'link = {{name = "{name}", mass = {mass}, com = {com}, inertia = {tensor}}}')
    return "\n".join(lines) + "\n"


@given(st.lists(joint_text(), min_size=1, max_size=4), st.sampled_from(["", 'convention = "standard"\n']))
@example(['[[joints]]\ntype = "revolute"\nparent = "link1"\n'], "")
@example(
    [
        '[[joints]]\ntype = "revolute"\nparent = "b"\nlink = "a"\n',
        '[[joints]]\ntype = "fixed"\nparent = "a"\nlink = "b"\n',
    ],
    "",
)
def test_trees_of_wrong_names_cycles_and_numbers(joints: list[str], head: str) -> None:
    arm = valid_or_refused(head + "".join(joints))
    if arm is not None:
        assert read_toml(write_toml(arm), "fuzz.toml", "ignore") == arm


@given(
    st.recursive(
        st.one_of(st.integers(), st.floats(), st.text(max_size=5).map(repr), st.booleans()).map(str),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3).map(lambda xs: f"[{', '.join(xs)}]"),
            st.dictionaries(
                st.sampled_from(["mass", "xyz", "a", "lower", "link", "name", "by"]), inner, max_size=3
            ).map(lambda d: "{" + ", ".join(f"{k} = {v}" for k, v in d.items()) + "}"),
        ),
        max_leaves=8,
    ),
    st.sampled_from(
        ["gravity", "base", "tool", "joints", "springs", "loads", "sources", "name", "convention", "title"]
    ),
)
def test_wrong_types_under_every_key(value: str, key: str) -> None:  # fmt: skip
    valid_or_refused(f"{key} = {value}\n" + ("" if key == "joints" else '[[joints]]\ntype = "revolute"\n'))
    for inner in ("link", "dh", "limits", "drive", "xyz", "before", "parent", "damping", "source"):
        valid_or_refused(f'convention = "modified"\n[[joints]]\ntype = "revolute"\n{inner} = {value}\n')


@given(st.text())
def test_any_text(text: str) -> None:
    valid_or_refused(text)


SIZE = LONGEST_TEXT - 1000
HUGE = {
    "longer than allowed": "#" * (LONGEST_TEXT + 1),
    "deep lists": "x = " + "[" * SIZE,
    "deep tables": "x = " + "{a = " * (SIZE // 5),
    "long dotted key": "a." * (SIZE // 2) + "a = 1",
    "long dotted table": "[" + "a." * (SIZE // 2) + "a]",
    "many joints": "[[joints]]\n" * (SIZE // 11),
    "many empty joints": "joints = [" + "{}," * (SIZE // 3) + "]",
    "many digits": "gravity = [0." + "7" * (SIZE // 2) + ", 0, 0]",
    "long integer": "gravity = [" + "7" * (SIZE // 2) + ", 0, 0]",
    "large exponent": "gravity = [1e999999999, 0, 0]\n[[joints]]\ntype = 'revolute'",
    "small exponent": "gravity = [1e-999999999, 0, 0]\n[[joints]]\ntype = 'revolute'",
    "long name": f"name = '{'x' * (SIZE // 2)}'\nnom = 1",
    "long key": "x" * (SIZE // 2) + " = 1",
    "brackets in a number": f"gravity = ['{'(' * 9000}1', 0, 0]\n[[joints]]\ntype = 'revolute'",
    "signs in a number": f"gravity = ['{'-' * 9000}', 0, 0]\n[[joints]]\ntype = 'revolute'",
    "powers in a number": f"gravity = ['{'*'.join(['9e300'] * 1600)}', 0, 0]\n[[joints]]\ntype = 'revolute'",
    "a circle of many": "".join(
        f"[[joints]]\ntype = 'revolute'\nparent = 'link{(i + 1) % 900 + 1}'\n" for i in range(900)
    ),
}


@pytest.mark.parametrize("case", HUGE)
def test_huge_texts_are_refused_in_a_moment(case: str) -> None:
    start = time.process_time()
    assert valid_or_refused(HUGE[case]) is None
    assert time.process_time() - start < 20


def test_as_many_joints_as_allowed_in_the_worst_order_are_read() -> None:
    joints = [f"[[joints]]\ntype = 'revolute'\nparent = 'link{i + 2}'\n" for i in range(299)]
    arm = valid_or_refused("".join(joints) + "[[joints]]\ntype = 'revolute'\nparent = 'base'\n")
    assert arm is not None
    assert [joint.child for joint in arm.joints[:2]] == ["link300", "link299"]
