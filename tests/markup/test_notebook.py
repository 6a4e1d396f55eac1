"""What a notebook shows is escaped, folded where it is long, and complete."""

from __future__ import annotations

from balanced_html import balanced
from dalembert.markup.data_tables import FOLDED, Column, DataTable
from dalembert.markup.elements import Html
from dalembert.markup.notebook import folded, framed, heading, matrix

HOSTILE = '"><script>alert(1)</script>&'


def table(count: int) -> DataTable:
    columns = (Column("n", "n"), Column("x", "x", "m", "number"), Column("pose", "", kind="pose"))
    return DataTable("t", HOSTILE, columns, tuple((f"{HOSTILE}{k}", k / 2, (0.25, float(k))) for k in range(count)))


def test_no_text_leaves_its_element() -> None:
    shown = framed(heading(HOSTILE), table(2), folded(HOSTILE, table(1)), matrix([[HOSTILE]]))
    assert "<script" not in shown
    assert shown.count("&lt;script&gt;") == 8
    assert balanced(shown)


def test_a_compact_table_has_no_button_and_no_link_but_the_pose_as_a_title() -> None:
    shown = table(2).compact()
    assert "<button" not in shown
    assert "<a " not in shown
    assert 'title="at q = (0.25, 1)"' in shown


def test_rows_beyond_the_first_are_folded_and_none_is_lost() -> None:
    shown = table(FOLDED + 3).compact()
    head, _, rest = shown.partition("<details>")
    assert head.count("<tr>") == FOLDED + 1
    assert rest.count("<tr>") == 3 + 1
    assert "3 more rows" in rest


def test_markup_of_the_package_stays_markup() -> None:
    assert "<i>A</i>" in framed(Html("<i>A</i>"))
