"""``dalembert check`` and --certificate: what is written is verified, and what is not is refused in one sentence."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

import dalembert as da
from changed_certificates import rewritten
from dalembert.cli.run import main
from dalembert.design.analysis import Analysis
from dalembert.design.tables import LoadTables
from dalembert.reduction.reduced_model import ReducedModel


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("checked")


def said(capsys, *words):
    code = main([str(word) for word in words])
    found = capsys.readouterr()
    return code, found.out, [line for line in found.err.splitlines() if not line.startswith("note: ")]


def test_ranges_are_written_and_verified(folder, capsys):
    path = folder / "ranges.json"
    code, out, _ = said(capsys, "ranges", "planar-2r", "--gap", "0.01", "--certificate", path)
    assert code == 0
    assert f"wrote {path}" in out
    code, out, err = said(capsys, "check", path, "--arm", "planar-2r")
    assert (code, err) == (0, [])
    assert "all claims hold" in out
    assert "The numbers are those of planar-2r." in out
    assert all(name in out for name in ("D11", "D22", "G1", "G2", "kg m^2", "N m", "not below", "not above"))


def test_printed_ends_are_rounded_outwards(folder, capsys):
    path = folder / "one.json"
    da.load("planar-2r").analysis(gap=0.01).certificate(path, "D11", "D12/D11")
    claims = json.loads(path.read_text())["claims"]
    code, out, _ = said(capsys, "check", path, "--json")
    assert code == 0
    for claim, row in zip(claims, json.loads(out)["claims"], strict=True):
        assert Fraction(str(row["lower"])) <= Fraction(claim["lower"])
        assert Fraction(str(row["upper"])) >= Fraction(claim["upper"])
        assert row["upper"] == pytest.approx(float(Fraction(claim["upper"])), rel=1e-7)


def test_states_are_told_no_wider_than_they_are_proved(folder, capsys):
    """In six digits 0.99999951 is 1, where the claim does not hold."""
    path = folder / "box.json"
    box = {0: (-0.99999951, 0.5), 1: (0.25, 0.99999951)}
    da.load("planar-2r").analysis(gap=0.1, box=box).certificate(path, "D11")
    code, out, _ = said(capsys, "check", path)
    assert code == 0
    assert "-0.99999951" in out
    assert " 0.99999951" in out
    assert "0.25" in out
    content = json.loads(path.read_text())
    limits = content["states"] | {"lower": ["-1/3", "1/3"], "upper": ["1/3", "2/3"]}
    code, out, _ = said(capsys, "check", rewritten(path, content | {"states": limits}, folder), "--json")
    assert code == 0
    for key, side in (("lower", 1), ("upper", -1)):
        for told, exact in zip(json.loads(out)["states"][key], limits[key], strict=True):
            assert side * Fraction(told) >= side * Fraction(exact)
            assert told == pytest.approx(float(Fraction(exact)), rel=1e-15)


def test_chosen_coefficients_and_ratios_are_written(folder, capsys):
    path = folder / "of.json"
    words = ("--of", "D12/D11,D11+D12", "--gap", "0.01", "--json", "--certificate", path)
    code, out, err = said(capsys, "ranges", "planar-2r", *words)
    assert code == 0
    assert len(json.loads(out)) == 2
    assert err == [f"wrote {path}"]
    assert len(da.check_certificate(path).claims) == 2


def test_a_reduced_model_is_written_and_verified(folder, capsys):
    path = folder / "model.json"
    code, out, _ = said(capsys, "reduce", "planar-2r", "--tolerance", "0.3", "--certificate", path)
    assert code == 0
    assert f"wrote {path}" in out
    code, out, _ = said(capsys, "check", path)
    assert code == 0
    assert "torque error of" in out


def test_another_arm_and_a_changed_file_are_refused_in_one_sentence(folder, capsys):
    path = folder / "other.json"
    da.load("planar-2r").analysis(gap=0.1).certificate(path, "D11")
    code, out, err = said(capsys, "check", path, "--arm", "planar-3r")
    assert (code, out, len(err)) == (2, "", 1)
    assert "is not about planar-3r" in err[0]
    path.write_text(path.read_text().replace('"lower":"', '"lower":"1', 1))
    code, out, err = said(capsys, "check", path)
    assert (code, out, len(err)) == (2, "", 1)
    assert "entry 1 of section" in err[0] or "section 'states'" in err[0]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("reduce", "planar-2r", "--terms", "--certificate", "x.json"), "short forms have no certificate"),
        (("ranges", "planar-2r", "--of", "D12/D11", "--along", "joint2", "--certificate", "x.json"), "of ranges"),
        (("check", "nowhere.json"), "nowhere.json"),
    ],
)
def test_what_has_no_certificate_is_refused(words, why, capsys):
    code, out, err = said(capsys, *words)
    assert (code, out, len(err)) == (2, "", 1)
    assert why in err[0]


def test_claims_of_another_system_are_not_lent_to_an_arm(tmp_path):
    import copy
    import json

    import dalembert as da
    from dalembert.certificates import certificate_file

    arm = da.load("planar-2r")
    arm.analysis(gap=0.01).certificate(tmp_path / "true.json", "D11")
    true = json.loads((tmp_path / "true.json").read_text())
    empty = copy.deepcopy(true["systems"][0])
    for body in empty["bodies"]:
        body["pseudo_inertia"] = [["0"] * 4] * 4
    forged = {
        "states": true["states"],
        "claims": [{**true["claims"][0], "lower": "0", "upper": "0"}],
        "proofs": [{side: {"axes": "", "orders": [], "words": []} for side in ("lower", "upper")}],
    }
    certificate_file.write(tmp_path / "two.json", "ranges", {"systems": [empty, true["systems"][0]], **forged})
    with pytest.raises(da.CertificateError, match="nothing is claimed of system 2"):
        da.check_certificate(tmp_path / "two.json")
    certificate_file.write(tmp_path / "one.json", "ranges", {"systems": [empty], **forged})
    assert not da.check_certificate(tmp_path / "one.json").is_about(arm)
    for name in ("digests", "systems"):
        odd = {**true, name: 5}
        (tmp_path / "odd.json").write_text(json.dumps(odd))
        with pytest.raises(da.CertificateError, match=r"no certificate|not as it was written"):
            da.check_certificate(tmp_path / "odd.json")
    assert not da.check_certificate(tmp_path / "true.json").is_about(arm.with_elastic(da.JointSpring("joint1", 3.0)))


def test_the_states_are_shown(folder, capsys):
    path = folder / "states.json"
    assert (
        said(capsys, "ranges", "planar-2r", "--gap", "0.01", "--box", "joint2=0.25:0.5", "--certificate", path)[0] == 0
    )
    _, out, _ = said(capsys, "check", path)
    assert "0.25" in out
    assert "0.5" in out


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.parametrize(
    ("command", "method", "shown", "kept"),
    [
        (["reduce", "planar-2r", "--tolerance", "0.3"], ReducedModel, "operations", "the model"),
        (["ranges", "planar-2r"], LoadTables, "joint2", "what is"),
        (["ranges", "planar-2r", "--of", "D11"], Analysis, "D11", "what is"),
    ],
)
def test_what_is_proved_is_printed_before_its_certificate_is_written(
    command: list[str], method: type, shown: str, kept: str, as_json: bool, tmp_path: Path,
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """An interrupt during the long part loses nothing but the file, and says so."""

    def interrupted(*_: object) -> Path:
        raise KeyboardInterrupt

    monkeypatch.setattr(method, "certificate", interrupted)
    path = tmp_path / "never.json"
    assert main([*command, "--certificate", str(path), *["--json"] * as_json]) == 130
    told = capsys.readouterr()
    assert shown in told.out
    assert f"note: interrupted; {path} was not written, and {kept} above is proved as it stands" in told.err
    assert not path.exists()
    if as_json:
        json.loads(told.out)
