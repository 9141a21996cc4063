"""Tables as one page of HTML that needs nothing besides: no other file, no address. Without scripts it is whole; with
them a click on a heading of a column sorts the table. On a narrow window every row becomes a card."""
import html
import re
from collections import namedtuple

from . import table

# these stand in small print below another, so that a table fits a screen
BELOW = {"site": "system", "part used": "cells", "commit": "program", "date": "program"}

STYLE = """
:root { color-scheme: light; --line: #d5dae1; --soft: #f4f6f9; --text: #1b2430; --quiet: #55606e; --link: #0b57a4; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 110rem; padding: 1.5rem; background: #fff; color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .5rem; }
h2 { font-size: 1.4rem; line-height: 1.3; margin: 2.4rem 0 .2rem; }
h3 { font-size: 1.05rem; margin: 1.4rem 0 .5rem; }
p { margin: .3rem 0 .8rem; max-width: 48rem; }
a { color: var(--link); }
nav a { display: inline-block; padding: .3rem .8rem; margin: 0 .4rem .4rem 0; border: 1px solid var(--line);
  border-radius: 1rem; text-decoration: none; }
.wide { overflow-x: auto; border: 1px solid var(--line); border-radius: .4rem; }
table { border-collapse: collapse; width: 100%; font-size: .8rem; line-height: 1.4;
  font-variant-numeric: tabular-nums; }
th, td { padding: .4rem .35rem; text-align: left; vertical-align: top; border-top: 1px solid var(--line); }
th:first-child, td:first-child { padding-left: .7rem; }
th:last-child, td:last-child { padding-right: .7rem; }
thead th { border-top: 0; background: var(--soft); vertical-align: bottom; }
thead button { all: unset; cursor: pointer; }
thead button:focus-visible { outline: 2px solid var(--link); }
thead [aria-sort=ascending] button::after { content: " \\25b2"; }
thead [aria-sort=descending] button::after { content: " \\25bc"; }
.number { text-align: right; }
td.number { white-space: nowrap; }
.first { font-weight: 600; min-width: 9rem; }
.program, .processor { min-width: 7.5rem; }
.cells { white-space: nowrap; }
small { display: block; font-weight: 400; font-size: .95em; color: var(--quiet); }
td.mark { color: #8a3b00; font-weight: 600; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; font-size: .9rem; margin: .5rem 0; }
dt { font-weight: 600; }
dd { margin: 0; max-width: 48rem; }
.sources { font-size: .9rem; overflow-wrap: anywhere; }
:target { background: #fff4c2; }
@media screen and (max-width: 48rem) {
  body { padding: 1rem; }
  .wide { border: 0; }
  thead { display: none; }
  table, tbody, tr, td { display: block; }
  tbody tr { border: 1px solid var(--line); border-radius: .4rem; padding: .5rem .7rem; margin-bottom: .7rem; }
  td, td:first-child, td:last-child { display: flex; justify-content: space-between; gap: 1rem; padding: .15rem 0;
    border: 0; text-align: right; overflow-wrap: anywhere; white-space: normal; }
  td::before { content: attr(data-title); color: var(--quiet); text-align: left; flex: none; }
  td:empty { display: none; }
  .cells { white-space: normal; }
  dl { display: block; }
  dd { margin-bottom: .5rem; }
}
@media print {
  @page { size: A4 landscape; margin: 10mm; }
  body { padding: 0; max-width: none; font-size: 9pt; }
  nav { display: none; }
  .wide { overflow: visible; border: 0; }
  table { font-size: 6.5pt; }
  th, td { padding: .15rem .25rem; }
  td.number, .cells { white-space: normal; }
  h2, h3 { break-after: avoid; }
  .first, .program, .processor { min-width: 0; }
  tr { break-inside: avoid; }
  :target { background: none; }
}
"""

SCRIPT = """
for (const heads of document.querySelectorAll("thead tr")) {
  [...heads.cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.onclick = () => {
      const up = head.getAttribute("aria-sort") === "descending" ||
        (!head.hasAttribute("aria-sort") && !head.hasAttribute("data-falling"));
      for (const other of heads.cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const key = row => row.cells[column].dataset.value ?? row.cells[column].textContent;
      const body = heads.closest("table").tBodies[0];
      body.append(...[...body.rows].sort((a, b) => {
        const x = key(a), y = key(b);
        if (x === "" || y === "") return (x === "") - (y === "");
        return (up ? 1 : -1) * (head.classList.contains("number") ? x - y : x.localeCompare(y));
      }));
    };
  });
}
"""


def escaped(text):
    return html.escape(table.one_line(text))


def linked(text):
    """Escaped, with addresses as links."""
    parts = re.split(r"(https?://[^\s;,\"'<>]+)", table.one_line(text))
    return "".join(f'<a href="{escaped(part)}">{escaped(part)}</a>' if n % 2 else escaped(part)
                   for n, part in enumerate(parts))


def heading(column, below):
    return escaped(", ".join([column.title] + [c.title for c in below]))


def head(column, below):
    falling = ' data-falling="1"' if column.numeric and column.title != "rank" else ""
    return f'<th scope="col"{classes(column)}{falling}>{heading(column, below)}</th>'


def classes(column, text=""):
    known = {"system": "first", "program": "program", "cells": "cells", "processor or GPU": "processor",
             "disturbed": "mark" if text else ""}
    names = ["number"] * column.numeric + ([known[column.title]] if known.get(column.title) else [])
    return f' class="{" ".join(names)}"' if names else ""


def cell(column, below, line, value):
    """A source is a link to its place in the list."""
    text, data = line[column.title], ""
    shown = escaped(text)
    if column.title == "source" and text:
        shown = f'<a href="#source-{shown}">[{shown}]</a>'
    below = [c for c in below if line[c.title]]
    small = "".join(f"<small>{escaped(line[c.title])}</small>" for c in below)
    if small:
        shown = f"<div>{shown}{small}</div>"
    if column.numeric and isinstance(value, (int, float)):
        data = f' data-value="{value!r}"'
    return f'<td data-title="{heading(column, below)}"{classes(column, text)}{data}>{shown}</td>'


def table_of(rows, texts, columns):
    """texts: the rows as texts by title of column. Columns without any value are left out."""
    used = [c for c in columns if any(line[c.title] for line in texts)]
    titles = {c.title for c in used}
    small = {c.title: [s for s in used if BELOW.get(s.title) == c.title] for c in used}
    used = [c for c in used if BELOW.get(c.title) not in titles]
    out = ['<div class="wide"><table>\n<thead><tr>', *(head(c, small[c.title]) for c in used),
           "</tr></thead>\n<tbody>\n"]
    for row, line in zip(rows, texts):
        out += ["<tr>", *(cell(c, small[c.title], line, row.get(c.key)) for c in used), "</tr>\n"]
    return "".join(out + ["</tbody>\n</table></div>\n"])


def written(title, intro, sections, columns, notes, sources):
    """The page. sections: anchor, heading, text, groups and their texts."""
    out = ['<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
           '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
           f"<title>{escaped(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
           f"<h1>{escaped(title)}</h1>\n<p>{escaped(intro)}</p>\n<nav>"]
    ends = [("columns", "Columns")] * bool(notes) + [("sources", "Sources")] * bool(sources)
    anchors = [(anchor, heading) for anchor, heading, *_ in sections] + ends
    out += [f'<a href="#{anchor}">{escaped(heading)}</a>' for anchor, heading in anchors]
    out.append("</nav>\n")
    for anchor, heading, text, groups, texts in sections:
        out.append(f'<h2 id="{anchor}">{escaped(heading)}</h2>\n<p>{escaped(text)}</p>\n')
        for (name, rows), lines in zip(groups, texts):
            out.append(f"<h3>{escaped(name)}</h3>\n" if name else "")
            out.append(table_of(rows, lines, columns))
    if notes:
        out.append('<h2 id="columns">Columns</h2>\n<dl>\n')
        out += [f"<dt>{escaped(name)}</dt><dd>{escaped(why)}</dd>\n" for name, why in notes]
        out.append("</dl>\n")
    if sources:
        out.append('<h2 id="sources">Sources</h2>\n<ol class="sources">\n')
        out += [f'<li id="source-{n}">{linked(source)}</li>\n' for n, source in enumerate(sources, 1)]
        out.append("</ol>\n")
    out.append(f"<p>Written by hymg-report.</p>\n<script>{SCRIPT}</script>\n</body>\n</html>\n")
    return "".join(out)


Plain = namedtuple("Plain", "key title numeric")


def of_records(rows):
    """The table of records, which table.py has made."""
    columns = [Plain(title, title, title in table.NUMERIC) for title in table.COLUMNS]
    texts = [{title: table.text(row.get(title)) for title in table.COLUMNS} for row in rows]
    section = ("records", "Records", "The fastest first; man hymg-report describes the columns.", [(None, rows)],
               [texts])
    return written("Records of hymg-fv", "Degrees of freedom per second, and what they were measured with.", [section],
                   columns, [], [])
