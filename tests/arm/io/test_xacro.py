"""xacro: the same URDF as the xacro program gives, nothing executed, every bound a sentence."""

from __future__ import annotations

import io
from pathlib import Path
from xml.etree.ElementTree import fromstring

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.io.packages import referenced_file
from dalembert.arm.io.xacro import expand_xacro
from dalembert.arm.io.xacro_expression import evaluated

HEAD = '<robot name="{}" xmlns:xacro="http://www.ros.org/wiki/xacro">'
ARM = (
    HEAD.format("made")
    + """
  <xacro:arg name="tip_mass" default="0.3"/>
  <xacro:property name="length" value="0.4"/>
  <xacro:property name="half" value="${length/2}"/>
  <xacro:property name="heavy" value="true"/>
  <xacro:property name="turn" value="${-pi/2}"/>
  <xacro:macro name="rod" params="name mass:=1.5 len:=^ *place **more">
    <link name="${name}">
      <inertial><xacro:insert_block name="place"/><mass value="${mass}"/>
        <inertia ixx="${mass*len**2/12 + 1e-3}" ixy="0" ixz="0" iyy="${mass*len**2/12 + 1e-3}" iyz="0" izz="0.002"/>
      </inertial>
      <xacro:insert_block name="more"/>
    </link>
  </xacro:macro>
  <xacro:macro name="hinge" params="parent child axis:='0 1 0' at">
    <joint name="${parent}_to_${child}" type="revolute">
      <parent link="${parent}"/><child link="${child}"/><axis xyz="${axis}"/>
      <origin xyz="0 0 ${at}" rpy="${turn if child == 'upper' else 0} 0 ${radians(30)}"/>
      <limit lower="${-pi}" upper="${pi}" effort="${10*max(1, 2)}" velocity="2"/>
    </joint>
  </xacro:macro>
  <link name="base"/>
  <xacro:property name="len" value="${length}"/>
  <xacro:rod name="upper"><origin xyz="0 0 ${half}"/>
  <more><visual><geometry><sphere radius="${0.1}"/></geometry></visual>
  </more></xacro:rod>
  <xacro:rod name="lower" mass="$(arg tip_mass)" len="0.3"><origin xyz="0 0.01 ${half - 0.05}"/><more/></xacro:rod>
  <xacro:hinge parent="base" child="upper" at="0.1"/>
  <xacro:if value="${heavy and length > 0.1}">
    <xacro:hinge parent="upper" child="lower" axis="1 0 0" at="${length}"/></xacro:if>
  <xacro:unless value="${heavy}"><link name="never"/></xacro:unless>
</robot>"""
)


NEST = '<xacro:property name="b{}">{}</xacro:property>'
MANY = NEST.format(0, '<link name="l"/>') + "".join(
    NEST.format(k, f'<xacro:insert_block name="b{k - 1}"/>' * 9) for k in range(1, 8)
)
MANY += '<xacro:insert_block name="b7"/>'
"""Blocks of nine blocks each, seven deep."""
EMPTY = '<xacro:macro name="m0" params=""/>' + "".join(
    f'<xacro:macro name="m{k}" params=""><xacro:m{k - 1}/><xacro:m{k - 1}/></xacro:macro>' for k in range(1, 40)
)
EMPTY += "<xacro:m39/>"
"""A million million calls of macros that leave nothing behind."""
GROWING = '<xacro:property name="p0" value="0123456789"/>' + "".join(
    f'<xacro:property name="p{k}" value="{f"${{p{k - 1}}}" * 10}"/>' for k in range(1, 12)
)
GROWING += '<link name="${p11}"/>'
"""A name of a million million characters."""
MERGED = (
    "a0: &a0 {"
    + ", ".join(f"k{k}: 0" for k in range(9))
    + "}\n"
    + "".join(f"a{k}: &a{k} {{<<: [{', '.join([f'*a{k - 1}'] * 9)}]}}\n" for k in range(1, 12))
)
"""Tables that take over the entries of nine others each, eleven deep."""
REPEATED = f'<xacro:macro name="m" params=""><x y="{"z" * 100_000}"/></xacro:macro>' + "<xacro:m/>" * 10_000
LONG = "".join(f'<x y="${{{" and ".join(["1"] * 140)}}}"/>' for _ in range(2000))


def plain(element: object) -> tuple[object, ...]:
    """An element as numbers and words, blanks aside."""
    words = {}
    for key, value in element.attrib.items():  # type: ignore[attr-defined]
        parts = []
        for part in value.split():
            try:
                parts.append(round(float(part), 12))
            except ValueError:
                parts.append(part)
        words[key] = tuple(parts)
    children = tuple(plain(child) for child in element)  # type: ignore[attr-defined]
    return element.tag, tuple(sorted(words.items())), children  # type: ignore[attr-defined]


@pytest.mark.parametrize("arguments", [{}, {"tip_mass": "0.7"}])
def test_the_same_document_as_the_xacro_program(arguments: dict[str, str], tmp_path: Path) -> None:
    xacro = pytest.importorskip("xacro")
    path = tmp_path / "arm.xacro"
    path.write_text(ARM, encoding="utf-8")
    theirs = fromstring(xacro.process_file(str(path), mappings=dict(arguments)).toxml())
    ours = expand_xacro(fromstring(ARM), "arm.xacro", tmp_path, arguments)
    assert plain(ours) == plain(theirs)


@pytest.mark.filterwarnings("ignore::dalembert.arm.errors.SkippedWarning")
def test_a_template_is_the_arm_that_it_stands_for() -> None:
    arm = da.load(ARM)
    assert (arm.name, arm.n) == ("made", 2)
    assert float(arm.bodies[1].inertia.mass) == 0.3
    heavier = da.load(io.StringIO(ARM), arguments={"tip_mass": "0.7"})
    assert float(heavier.bodies[1].inertia.mass) == 0.7
    q = np.array([0.3, -0.5])
    assert da.load(arm.write_urdf()).mass_matrix(q) == pytest.approx(arm.mass_matrix(q))


def test_a_file_that_an_argument_leads_past_is_named_with_the_one_that_includes_it(tmp_path: Path) -> None:
    main = tmp_path / "arm.xacro"
    body = '<xacro:arg name="dof" default=""/><xacro:include filename="$(arg dof)dof/arm.xacro"/></robot>'
    main.write_text(HEAD.format("x") + body, encoding="utf-8")
    with pytest.raises(da.ArmError) as fault:
        da.load(main)
    assert str(tmp_path / "dof" / "arm.xacro") in str(fault.value)
    assert f"{main} includes it as '$(arg dof)dof/arm.xacro'" in str(fault.value)


@pytest.mark.filterwarnings("ignore::dalembert.arm.errors.SkippedWarning")
def test_files_are_included_from_the_folder_and_from_packages_and_from_nowhere_else(tmp_path: Path) -> None:
    package = tmp_path / "my_arm"
    (package / "urdf").mkdir(parents=True)
    (package / "parts").mkdir()
    (package / "package.xml").write_text("<package/>", encoding="utf-8")
    (package / "parts" / "macros.xacro").write_text(
        ARM.replace('<link name="base"/>', "").split('<xacro:property name="len"')[0] + "</robot>", encoding="utf-8"
    )
    body = ARM.split('<link name="base"/>')[1]
    for how in ("$(find my_arm)/parts/macros.xacro", "../parts/macros.xacro", "package://my_arm/parts/macros.xacro"):
        main = package / "urdf" / "arm.urdf.xacro"
        main.write_text(
            HEAD.format("made") + f'<xacro:include filename="{how}"/><link name="base"/>' + body, encoding="utf-8"
        )
        assert da.load(main).n == 2
    (tmp_path / "outside.xacro").write_text(HEAD.format("x") + "</robot>", encoding="utf-8")
    outside = str(tmp_path / "outside.xacro")
    for how in ("../../outside.xacro", outside, f"file://{outside}", "package://my_arm/../outside.xacro"):
        main.write_text(HEAD.format("made") + f'<xacro:include filename="{how}"/></robot>', encoding="utf-8")
        with pytest.raises(da.ArmError, match=r"out of|outside"):
            da.load(main)
    assert referenced_file("package://my_arm/urdf/arm.urdf.xacro", package / "urdf") == main.resolve()
    cloned = main.parent.parent.rename(tmp_path / "My_Arm_Repository")
    with pytest.raises(da.ArmError, match="'my_arm' is not found"):
        referenced_file("package://my_arm/urdf/arm.urdf.xacro", cloned / "urdf")
    lost = tmp_path / "lost.xacro"
    lost.write_text(HEAD.format("x") + '<xacro:include filename="$(find no_such)/a.xacro"/></robot>', encoding="utf-8")
    with pytest.raises(da.ArmError, match=r"lost\.xacro: the package 'no_such' is not found"):
        da.load(lost)
    (cloned / "package.xml").write_text("<package><name> my_arm </name></package>", encoding="utf-8")
    found = referenced_file("package://my_arm/urdf/arm.urdf.xacro", cloned / "urdf")
    assert found == (cloned / "urdf" / "arm.urdf.xacro").resolve()
    cloned.rename(package)
    for wrong, said in (
        ("package://nowhere/x", "not found"),
        ("package://../x", "no name"),
        ("package://etc/passwd", "not found"),
        ("file://x", "whole path"),
    ):
        with pytest.raises(da.ArmError, match=said):
            referenced_file(wrong, package)
    with pytest.raises(da.ArmError, match="has no folder"):
        da.load(HEAD.format("made") + '<xacro:include filename="x.xacro"/></robot>')


@pytest.mark.parametrize(
    ("text", "value"),
    [("1 + 2*3", 7), ("-2**2", -4), ("2**-1", 0.5), ("7 // 2 % 2", 1), ("'a' + 'b'", "ab"), ("1 < 2 and not 0", True),
     ("3 if x else 4", 3), ("sin(pi/2)", 1.0), ("math.cos(0)", 1.0), ("x", True), ("'b' in 'abc'", True)],
)  # fmt: skip
def test_expressions(text: str, value: object) -> None:
    assert evaluated(text, {"x": True}, "it") == value


@pytest.mark.parametrize(
    "text",
    ["__import__('os').system('true')", "().__class__", "[1][0]", "open('x')", "9**9**9", "'a'*10**9", "lambda: 1",
     "1 +",
     "(" * 500, "-" * 999 + "1", "x.y", "unknown", "1/0", "sqrt(-1)", "exp(1e9)", "'a' - 1", "round(1, ndigits=2)",
     "1" * 999,
     "{1: 2}", "f'{1}'", "1 is 1", "int('9'*900)", "xacro.load_yaml('x')", "10**29*10**29", "str('a'*3)"],
)  # fmt: skip
def test_what_is_not_reckoning_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(da.ArmError):
        evaluated(text, {}, "it")


@pytest.mark.parametrize(
    ("text", "sentence"), [("'a' - 1", "'a' and 1 cannot be combined"), ("table + 1", "no arithmetic on a table")]
)
def test_texts_and_tables_are_no_operands(text: str, sentence: str) -> None:
    with pytest.raises(da.ArmError, match=sentence):
        evaluated(text, {"table": {"entry": 2}}, "it")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('<xacro:macro name="m" params=""><xacro:m/></xacro:macro><xacro:m/>', "without end"),
        ('<xacro:property name="a" value="${b}"/><xacro:property name="b" value="${a}"/><link name="${a}"/>', "circle"),
        ('<link name="${nothing}"/>', "no property 'nothing'"),
        ('<link name="$(arg side)"/>', "needs the argument 'side'.* --arg side=VALUE"),
        (
            '<xacro:macro name="arm" params=""><link name="base"/></xacro:macro>',
            "the macro 'arm' and has no <link>; load",
        ),
        ('<link name="$(eval 1+1)"/>', "not read here, for safety"),
        ('<link name="$(env HOME)"/>', "not read here, for safety"),
        ('<xacro:element xacro:name="link"/>', "neither a macro"),
        ('<xacro:macro name="m" params="a"/><xacro:m/>', "without its parameter 'a'"),
        ('<xacro:macro name="m" params="a"/><xacro:m a="1" b="2"/>', "no parameter 'b'"),
        ('<xacro:macro name="m" params="*a"/><xacro:m/>', "without its block 'a'"),
        ('<xacro:if value="perhaps"/>', "true or false"),
        ('<xacro:insert_block name="b"/>', "no block 'b'"),
        (MANY, "grows to more than"),
        (EMPTY, "more than 500,000 steps"),
        (GROWING, "gives a text of"),
        (REPEATED, "more than 16,000,000 characters"),
        (LONG, "more than 1,000,000 characters of expressions"),
        ('<link name="${a"/>', r"'\$\{a' is not closed; end it with \}"),
        ('<link name="$(arg a"/>', r"'\$\(arg a' is not closed; end it with \)"),
        ("<link name='${round(1, -10**9)}'/>", "digits are none that a number has"),
    ],
)
def test_hostile_and_broken_templates_end_in_a_sentence(body: str, said: str) -> None:
    with pytest.raises(da.ArmError, match=said):
        da.load(HEAD.format("x") + body + "</robot>")


def test_tables_of_yaml_files_are_read_as_the_xacro_program_reads_them(tmp_path: Path) -> None:
    pytest.importorskip("yaml")
    xacro = pytest.importorskip("xacro")
    (tmp_path / "bodies.yaml").write_text("rod: {mass: 1.5, at: [0, 0.1, 0.2]}\nturn: !degrees 90\n", encoding="utf-8")
    body = """<xacro:macro name="m" params="bodies:=${xacro.load_yaml('%s')} name"><link name="${name}"><inertial>
      <origin xyz="${bodies['rod']['at'][1]} 0 ${bodies.rod.at[2] * 2}" rpy="0 0 ${bodies.turn}"/>
      <mass value="${bodies.rod.mass}"/></inertial></link></xacro:macro><xacro:m name="a"/>"""
    path = tmp_path / "arm.xacro"
    path.write_text(HEAD.format("y") + body % (tmp_path / "bodies.yaml") + "</robot>", encoding="utf-8")
    ours = expand_xacro(fromstring(path.read_text(encoding="utf-8")), "arm.xacro", tmp_path)
    assert plain(ours) == plain(fromstring(xacro.process_file(str(path)).toxml()))
    for text, said in (
        ("a: *b", "not YAML"),
        ("!!python/object:os.system x", "not YAML"),
        ("a: &a [*a]", "without end"),
        (MERGED, "take over more than 100,000 entries"),
        ("a: !!timestamp x", "not YAML"),
        ("a: !!int ''", "not YAML"),
        ("a: [" + "0, " * 2000 + "0]", "list or table of 2,001 entries"),
        ("{" * 3000, "not YAML"),
        ("# " + "x" * 500_000, "more than 400,000 characters of YAML"),
        ("rod: {mass: 0x" + "f" * 5000 + ", at: [0, 0, 0]}\nturn: 0", "beyond 1e30"),
    ):
        (tmp_path / "bodies.yaml").write_text(text, encoding="utf-8")
        with pytest.raises(da.ArmError, match=said):
            da.load(path)
    (tmp_path / "bodies.yaml").write_text("rod: 1", encoding="utf-8")
    with pytest.raises(da.ArmError, match=r"no entry|neither"):
        da.load(path)
    path.write_text(HEAD.format("y") + body % "/etc/hostname" + "</robot>", encoding="utf-8")
    with pytest.raises(da.ArmError, match="outside its folder"):
        da.load(path)


def test_arguments_that_nothing_asks_for_are_refused() -> None:
    with pytest.raises(da.ArmError, match="no argument 'side'"):
        da.load(ARM, arguments={"side": "left"})
    with pytest.raises(da.ArmError, match="for a xacro file"):
        da.load("planar-2r", arguments={"side": "left"})
