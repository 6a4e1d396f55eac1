"""The report as it is seen: equations in a font of their own, nothing cut on a phone or on paper."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import dalembert as da
from dalembert.report.assemble import Report
from studio.chrome import Chrome

PAPER = round((210 - 28) / 25.4 * 96)
"""Pixels between the margins of the printed page."""

# How far the subscript of the first D11 stands below its letter, as a share of the letter's height.
LOWERED = """(() => {
  const pair = document.querySelector("#eq-D11 msub");
  const [letter, index] = [...pair.children].map(e => e.getBoundingClientRect());
  return (index.bottom - letter.bottom) / letter.height;
})()"""
OVERFLOWING = """[...document.querySelectorAll("table, .flow, .equation, svg, .arm")].filter(
  e => e.getBoundingClientRect().width > 0 && e.getBoundingClientRect().right > innerWidth + 1
).map(e => (e.closest("[id]") || e).id)"""

# Sums of red, green and blue of the letters and of what is behind them.
SHADES = """["color", "backgroundColor"].map(
  key => getComputedStyle(document.body)[key].match(/[0-9]+/g).reduce((sum, part) => sum + Number(part), 0)
)"""


@pytest.fixture(scope="module")
def page(made: Callable[[str], tuple[da.DrivenArm, Report, Path]], browser: str) -> Iterator[tuple[Chrome, Path]]:
    """A browser that has the report of an arm with drives and load open."""
    _, _, path = made("jpl-rrp")
    with Chrome(browser, 1280, 900) as chrome:
        chrome.open(path.as_uri())
        assert chrome.until(
            lambda: chrome.value("document.readyState === 'complete' && !!document.querySelector('#review')")
        )
        yield chrome, path


def test_equations_bring_a_font_for_mathematics_which_the_page_may_use(page: tuple[Chrome, Path]) -> None:
    chrome, path = page
    assert chrome.until(
        lambda: chrome.value("[...document.fonts].some(f => f.family.includes('Page Maths') && f.status === 'loaded')")
    )
    assert chrome.value(LOWERED) > 0.05  # without a table MATH subscripts stay on the line
    assert chrome.faults == []
    assert {url[:5] for url in chrome.asked} <= {"file:", "data:"}
    assert path.read_text(encoding="utf-8").count("@font-face") == 1


def test_a_phone_scrolls_down_alone_and_its_sliders_are_wide(page: tuple[Chrome, Path]) -> None:
    chrome, _ = page
    chrome.send("Emulation.setDeviceMetricsOverride", width=390, height=800, deviceScaleFactor=1, mobile=True)
    assert chrome.value("document.documentElement.scrollWidth") <= 390
    assert chrome.value("document.querySelector('.controls input[type=range]').getBoundingClientRect().width") > 250
    assert (
        chrome.value(
            "document.querySelector('.controls').scrollWidth - document.querySelector('.controls').clientWidth"
        )
        <= 0
    )
    chrome.send("Emulation.clearDeviceMetricsOverride")


def test_on_a_laptop_screen_every_table_of_numbers_is_seen_whole(page: tuple[Chrome, Path]) -> None:
    chrome, _ = page
    chrome.send("Emulation.setDeviceMetricsOverride", width=1360, height=900, deviceScaleFactor=1, mobile=False)
    hidden = "[...document.querySelectorAll('.table')].filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.id)"
    assert chrome.value(hidden) == []
    chrome.send("Emulation.clearDeviceMetricsOverride")


def test_on_paper_no_table_and_no_equation_is_wider_than_the_page_and_no_row_stays_folded(
    page: tuple[Chrome, Path],
) -> None:
    chrome, _ = page
    chrome.send("Emulation.setDeviceMetricsOverride", width=PAPER, height=1000, deviceScaleFactor=1, mobile=False)
    chrome.send("Emulation.setEmulatedMedia", media="print")
    assert chrome.value(OVERFLOWING) == []
    rows = "[...document.querySelectorAll('.table details tr')].map(row => row.getBoundingClientRect().height)"
    assert min(chrome.value(rows)) > 0
    chrome.send("Emulation.setEmulatedMedia", media="")
    chrome.send("Emulation.clearDeviceMetricsOverride")


def test_in_the_dark_ink_and_paper_change_places(page: tuple[Chrome, Path]) -> None:
    chrome, _ = page
    ink, paper = chrome.value(SHADES)
    chrome.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    dark_ink, dark_paper = chrome.value(SHADES)
    chrome.send("Emulation.setEmulatedMedia", features=[])
    assert ink + 300 < paper
    assert dark_paper + 300 < dark_ink
