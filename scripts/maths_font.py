"""Cut the font of equations on pages from STIX Two Math: letters, digits, signs and brackets that are used.

    npm pack @fontsource/stix-two-math && tar xzf fontsource-stix-two-math-*.tgz
    python scripts/maths_font.py package/files/stix-two-math-latin-400-normal.woff2 package/LICENSE

Needs fonttools and brotli. Browsers set MathML right only in a font with a table MATH, and many machines have none.
"""

from __future__ import annotations

import sys
from pathlib import Path

from fontTools import subset

ASSETS = Path(__file__).parents[1] / "src/dalembert/report/html/assets"
ITALICS = (*range(0x1D434, 0x1D468), 0x210E, *range(0x1D6E2, 0x1D71C))
"""What browsers put for single letters: mathematical italics, Latin and Greek (h stands elsewhere)."""
SIGNS = "−±×·⋅∑∏√∞≈≠≤≥∂∆′″…˙¨\N{COMBINING DOT ABOVE}\N{COMBINING DIAERESIS}"
TOP, BOTTOM = range(0x20, 0x7F), range(0x391, 0x3CA)


def main(font: str, licence: str) -> None:
    """Write the cut font and its licence beside the style sheet."""
    options = subset.Options(
        flavor="woff2",
        hinting=False,
        layout_features=["ssty", "mark"],
        name_IDs=[0, 1, 2, 4, 5, 6, 14],
        notdef_outline=True,
    )
    loaded = subset.load_font(font, options)
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=[*TOP, *BOTTOM, *ITALICS], text=SIGNS)
    cutter.subset(loaded)
    target = ASSETS / "maths.woff2"
    subset.save_font(loaded, target, options)
    (ASSETS / "maths-licence.txt").write_text(Path(licence).read_text(encoding="utf-8"), encoding="utf-8")
    print(f"{target}: {target.stat().st_size} bytes, {len(loaded.getGlyphOrder())} glyphs")


if __name__ == "__main__":
    main(*sys.argv[1:])
