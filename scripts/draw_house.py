"""The rooms of the source and which uses which, read from its imports and drawn: python scripts/draw_house.py

Writes docs/house.svg, and into docs/house.md the same as text and the rooms that each one uses. An arrow that other
arrows imply is left out. Rooms that import against the order of the drawing end the script with a sentence that names
them.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "dalembert"
PICTURE, PAGE = ROOT / "docs" / "house.svg", ROOT / "docs" / "house.md"
BOX = (166, 44)
ROW, TOP, WIDTH = 78, 40, 930
ROOMS = {
    "cli": (610, 0, "the dalembert command"),
    "studio": (330, 1, "a system in the browser"),
    "api": (610, 2, "what a user calls"),
    "report": (610, 3, "one page about a system"),
    "studies": (610, 4, "many designs"),
    "control": (610, 5, "controllers, trajectories"),
    "fmu": (250, 5, "for other simulators"),
    "simulation": (450, 6, "motion, events"),
    "mechanisms": (120, 6, "loops, other coordinates"),
    "linear": (300, 7, "about a state"),
    "drives": (370, 8, "motors, effective inertia"),
    "design": (600, 8, "one analysis"),
    "identification": (800, 8, "models from logs"),
    "kinematics": (140, 9, "poses, frames, reach"),
    "reduction": (600, 9, "shorter, with proof"),
    "systems": (370, 10, "numbers of a system"),
    "bounds": (600, 10, "certified extremes"),
    "certificates": (830, 10, "proofs checked"),
    "compile": (330, 11, "functions, targets"),
    "equations": (630, 11, "closed forms"),
    "formulations": (485, 12, "the physics"),
    "rings": (420, 13, "what a number is"),
    "arm": (485, 14, "what an arm is, files"),
    "markup": (485, 15, "HTML, tables"),
}
"""Centre (px), row from the top, and what the room holds."""


def imports() -> set[tuple[str, str]]:
    """(room, room it imports from), imports for types alone left out."""
    found: set[tuple[str, str]] = set()
    for path in SOURCE.rglob("*.py"):
        place = ("dalembert", *path.relative_to(SOURCE).parent.parts)
        if len(place) > 1:
            found |= {(place[1], other) for other in used(ast.parse(path.read_text()), place) if other != place[1]}
    return found


def used(node: ast.AST, place: tuple[str, ...]) -> set[str]:
    """The rooms that a piece of code of the package ``place`` imports from."""
    found: set[str] = set()
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
            continue
        if isinstance(child, ast.ImportFrom):
            above = place[: len(place) - child.level + 1] if child.level else ()
            whole = (*above, *(child.module or "").split("."))
            found |= {whole[1]} if len(whole) > 1 and whole[0] == "dalembert" and whole[1] in ROOMS else set()
        found |= used(child, place)
    return found


def implied(edge: tuple[str, str], edges: set[tuple[str, str]]) -> bool:
    """Whether other arrows lead the same way."""
    reached, left = set(), [b for a, b in edges if a == edge[0] and b != edge[1]]
    while left:
        here = left.pop()
        if here == edge[1]:
            return True
        if here not in reached:
            reached.add(here)
            left += [b for a, b in edges if a == here]
    return False


def ends(a: str, b: str) -> tuple[float, float, float, float]:
    """Where an arrow leaves the lower edge of one box and meets the upper edge of the other."""
    (x, row, _), (u, down, _) = ROOMS[a], ROOMS[b]
    slope = max(-0.75, min(0.75, (u - x) / 300)) * BOX[0] / 2
    return x + slope, TOP + row * ROW + BOX[1], u - slope, TOP + down * ROW


def svg(edges: set[tuple[str, str]]) -> str:
    """The drawing."""
    height = TOP + max(row for _, row, _ in ROOMS.values()) * ROW + BOX[1] + 24
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        'font-family="system-ui, sans-serif" text-anchor="middle">',
        "<title>The rooms of dalembert; an arrow points to the room that is used</title>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="#555"/></marker></defs>',
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
    ]
    for a, b in sorted(edges):
        x, y, u, v = ends(a, b)
        parts.append(
            f'<line x1="{x:g}" y1="{y:g}" x2="{u:g}" y2="{v:g}" stroke="#555" stroke-width="1.3" '
            'marker-end="url(#tip)"/>'
        )
    for name, (x, row, what) in ROOMS.items():
        y = TOP + row * ROW
        parts.append(
            f'<rect x="{x - BOX[0] / 2:g}" y="{y:g}" width="{BOX[0]}" height="{BOX[1]}" rx="5" fill="#eef3f8" '
            f'stroke="#0072b2"/><text x="{x}" y="{y + 19}" font-size="15" font-weight="600">{name}</text>'
            f'<text x="{x}" y="{y + 36}" font-size="12" fill="#333">{what}</text>'
        )
    return "\n".join([*parts, "</svg>", ""])


def mermaid(edges: set[tuple[str, str]]) -> str:
    """The arrows as text, in the order of the rooms."""
    order = list(ROOMS)
    lines = [f"  {a} --> {b}" for a, b in sorted(edges, key=lambda edge: [order.index(room) for room in edge])]
    return "\n".join(["```mermaid", "flowchart TD", *lines, "```"])


def with_uses(text: str, edges: set[tuple[str, str]]) -> str:
    """The page with the last column of its table, the rooms that a room imports from, as it is."""
    for room in ROOMS:
        uses = ", ".join(other for other in ROOMS if (room, other) in edges) or "none"
        text, rows = re.subn(rf"^(\| `{room}/` \|.*\|).*\|$", rf"\1 {uses} |", text, flags=re.MULTILINE)
        if rows != 1:
            raise SystemExit(f"docs/house.md has {rows} rows of {room}/ in its table; give it one")
    return text


def page_of(text: str, edges: set[tuple[str, str]], shown: set[tuple[str, str]]) -> str:
    """docs/house.md with the arrows and the table of these imports."""
    return with_uses(re.sub(r"```mermaid\n.*?```", lambda _: mermaid(shown), text, flags=re.DOTALL), edges)


def main() -> int:
    rooms = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    if rooms != set(ROOMS):
        print(f"rooms that the drawing lacks or has too many: {', '.join(sorted(rooms ^ set(ROOMS)))}")
        return 1
    edges = imports()
    upward = [f"{a} imports {b}" for a, b in sorted(edges) if ROOMS[a][1] >= ROOMS[b][1]]
    if upward:
        print(f"against the order of the drawing: {', '.join(upward)}")
        return 1
    shown = {edge for edge in edges if not implied(edge, edges)}
    PICTURE.write_text(svg(shown), encoding="utf-8")
    PAGE.write_text(page_of(PAGE.read_text(encoding="utf-8"), edges, shown), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
