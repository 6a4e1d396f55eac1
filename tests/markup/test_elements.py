"""What is text stays text."""

import json
import re

from hypothesis import given
from hypothesis import strategies as st

from dalembert.markup.elements import Html, coefficient, data, join, tag, text, with_symbols

TEXTS = st.text(alphabet=st.sampled_from(list("<>&\"'/=!- abcscript;\n\u2028")), max_size=40)


@given(TEXTS)
def test_text_in_an_element_or_an_attribute_cannot_leave_it(words: str) -> None:
    element = tag("p", words, title=words)
    assert re.fullmatch(r'<p title="[^"<>]*">[^<>]*</p>', element)


@given(TEXTS)
def test_data_comes_back_as_it_was_and_cannot_end_its_block(words: str) -> None:
    block = data({"name": words}, "x")
    inside = re.fullmatch(r'<script type="application/json" id="x">([^<>&]*)</script>', block)
    assert inside
    assert json.loads(inside[1]) == {"name": words}


def test_markup_is_not_escaped_twice() -> None:
    assert join([Html("<b>"), "<"]) == "<b>&lt;"
    assert text(text("&")) == "&amp;"


def test_an_attribute_that_is_false_is_left_out_and_one_that_is_true_stands_alone() -> None:
    assert tag("input", checked=True, disabled=False, value=None) == "<input checked/>"


def test_names_of_coefficients_get_subscripts_and_other_names_none() -> None:
    assert coefficient("D12") == "<i>D</i><sub>12</sub>"
    assert coefficient("G2/D22") == "<i>G</i><sub>2</sub> / <i>D</i><sub>22</sub>"
    assert coefficient("D10,11") == "<i>D</i><sub>10,11</sub>"
    assert coefficient("<x>") == "&lt;x&gt;"


def test_letters_with_indices_are_printed_as_in_equations_within_a_sentence() -> None:
    assert with_symbols("|D_ij| over D_ii, <b> of tool_link") == (
        "|<i>D</i><sub>ij</sub>| over <i>D</i><sub>ii</sub>, &lt;b&gt; of tool_link"
    )
