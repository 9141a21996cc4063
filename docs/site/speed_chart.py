#!/usr/bin/env python3
"""speed_chart.py [--check]: draws docs/speed.svg, the chart of the front page, from the tables of README.md (Results)
and docs/performance.md, where the figures, commits and commands are. --check: is the file what would be drawn?
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHART = ROOT / "docs/speed.svg"
SIZE = "512^3"
GPU = "1e9 DOF/s"
OURS, OTHERS, TEXT = "#1f6fb4", "#9a9a9a", "#222222"
WIDTH, LEFT, RIGHT, ROW, GAP = 480, 132, 430, 24, 38


def entry(page, table, row):
    """The numbers in column SIZE of the first row that begins with `row`, in the table whose heading begins so."""
    lines = (ROOT / page).read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    start = next((i for i, line in enumerate(cells) if SIZE in line and line[0].startswith(table)), None)
    for line in cells[start:] if start is not None else []:
        if line == [""]:
            break
        if line[0].startswith(row):
            return [float(number) for number in line[cells[start].index(SIZE)].split("/")]
    sys.exit(f"speed_chart: {page} has no table '{table}' with column {SIZE} and a row '{row}'")


def groups():
    """Title, and (name, value, whether it is hymg) from the fastest on."""
    fv2, fv4 = (entry("README.md", "", f"one NVIDIA H200, {kind}")[0] for kind in ("FV2", "FV4"))
    other2, other4 = entry("README.md", "", "HPGMG-FV, FV2 / FV4")
    ours, hypre, amrex = (
        entry("docs/performance.md", GPU, row)[0] for row in ("FV2, to 1e-8", "hypre 3.1, PFMG-CG", "AMReX MLMG")
    )
    return [
        ("One F-cycle, 2nd order", [("hymg", fv2, True), ("HPGMG-FV", other2, False)]),
        ("One F-cycle, 4th order", [("hymg", fv4, True), ("HPGMG-FV", other4, False)]),
        (
            "To a residual of 1e-8, 2nd order",
            [("hymg", ours, True), ("hypre PFMG-CG", hypre, False), ("AMReX MLMG", amrex, False)],
        ),
    ]


def drawn():
    rows = groups()
    largest = max(value for _, bars in rows for _, value, _ in bars)
    out, y = [], 34
    for title, bars in rows:
        out.append(f'<text x="{LEFT}" y="{y}" font-weight="bold">{title}</text>')
        y += 8
        for name, value, ours in bars:
            length = (RIGHT - LEFT) * value / largest
            out.append(f'<text x="{LEFT - 8}" y="{y + 15}" text-anchor="end">{name}</text>')
            box = f'x="{LEFT}" y="{y + 2}" width="{length:.1f}" height="{ROW - 5}"'
            out.append(f'<rect {box} fill="{OURS if ours else OTHERS}"/>')
            out.append(f'<text x="{LEFT + length + 6:.1f}" y="{y + 15}">{value:.{1 if value >= 1 else 2}f}</text>')
            y += ROW
        y += GAP - 8
    height = y + 12
    label = "Billions of cells per second, 512 x 512 x 512 cells, one NVIDIA H200"
    out.append(f'<text x="{WIDTH / 2}" y="{y - 6}" text-anchor="middle" font-size="12.5">{label}</text>')
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
            f' font-family="Helvetica, Arial, sans-serif" font-size="14" fill="{TEXT}">',
            f"<title>{label}</title>",
            f'<rect width="{WIDTH}" height="{height}" rx="6" fill="#ffffff"/>',
            *out,
            "</svg>\n",
        ]
    )


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    if not sys.argv[1:]:
        CHART.write_text(drawn(), encoding="utf-8")
    elif not CHART.exists() or CHART.read_text(encoding="utf-8") != drawn():
        sys.exit("docs/speed.svg is not what docs/site/speed_chart.py draws from the tables: run it")
