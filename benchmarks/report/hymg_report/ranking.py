"""The ranking: accepted submissions beside published lists. FV2 and FV4 stand in tables of their own, and so does every
published list, with the ranks that were printed in it: operators, rules and what counts as a cell differ between them.
Rows of no list are ranked with the submissions."""
import os
from collections import namedtuple

from . import page, records, table

Section = namedtuple("Section", "heading text groups")  # a group: title and rows
HEADINGS = {"fv4": ("FV4: 4th order", "Finite volumes of 4th order, a stencil of 25 points, variable coefficients."),
            "fv2": ("FV2: 2nd order", "Finite volumes of 2nd order, a stencil of 7 points, variable coefficients.")}
TITLE = "HPGMG-FV ranking"
INTRO = ("Degrees of freedom per second of one F-cycle, the measure of the benchmark HPGMG-FV. Figures of 4th order "
         "(FV4) and of 2nd order (FV2) are not comparable, nor are the lists of different years, whose rules and sizes "
         "differ: each has its own ranks.")
OWN, OTHERS = "Submissions", "Submissions and other measurements"
AS_PUBLISHED = "{}, as published"
NOTES = (
    ("rank", "of a published list: as printed there, empty where none was printed"),
    ("GDOF/s (h), 2h, 4h", "cells over the mean time of one F-cycle, in 10^9 per second, on the finest size and with "
     "half and a quarter as many cells per side"),
    ("per node, per GPU", "GDOF/s (h) over the number of nodes or GPUs, where that is known"),
    ("% of copy", "bytes per second that the operations of a solve declare, over the rate of a copy measured in the "
     "same run; above 100 where several sweeps share a pass over memory, or where levels are in caches"),
    ("MDOF/s per W", "degrees of freedom per joule, 10^6, at component level: the processors and GPUs that have "
     "counters, not the whole machine; empty where none could be read, never estimated"),
    ("disturbed", "sizes whose mean time is above 1.5 times the shortest: something else was running"),
    ("cells", "of published lists: processes times degrees of freedom per process, rounded as printed, M = 2^20"),
    ("threads", "of all ranks together"),
    ("part used, TOP500", "as printed: the part of the system that ran, and its place in the TOP500 of that time"),
)


def giga(value):
    value = 1e-9 * value
    return f"{value:.0f}" if value >= 1e4 else f"{value:.4g}"


# numeric: aligned to the right
Column = namedtuple("Column", "key title show numeric")
COLUMNS = [
    Column("rank", "rank", str, True), Column("system", "system", str, False), Column("site", "site", str, False),
    Column("processor", "processor or GPU", str, False), Column("dof_per_second_h", "GDOF/s (h)", giga, True),
    Column("dof_per_second_2h", "2h", giga, True), Column("dof_per_second_4h", "4h", giga, True),
    Column("dof_per_second_per_node", "per node", giga, True), Column("dof_per_second_per_gpu", "per GPU", giga, True),
    Column("fraction_of_copy", "% of copy", lambda share: f"{100 * share:.0f}", True),
    Column("dof_per_joule", "MDOF/s per W", lambda value: f"{1e-6 * value:.4g}", True),
    Column("disturbed", "disturbed", lambda sizes: ", ".join(sizes.split()), False),
    Column("cells", "cells", str, False), Column("nodes", "nodes", str, True), Column("ranks", "ranks", str, True),
    Column("threads", "threads", str, True), Column("gpus", "GPUs", str, True),
    Column("fraction_of_system", "part used", str, False), Column("top500_rank", "TOP500", str, True),
    Column("program", "program", str, False), Column("commit", "commit", str, False),
    Column("date", "date", str, False), Column("source", "source", str, True),
]
# of the CSV, which lists.read() takes again
KEYS = ["operator", "list", "rank", "list_rank", "system", "variant", "site", "processor", "dof_per_second_h",
        "dof_per_second_2h", "dof_per_second_4h", "dof_per_second_per_node", "dof_per_second_per_gpu",
        "fraction_of_copy", "dof_per_joule", "disturbed", "cells", "nodes", "ranks", "threads", "gpus", "omp_per_rank",
        "dof_per_rank", "fraction_of_system", "top500_rank", "order", "program", "commit", "date", "source"]


def entry(record, folder):
    """The row of a submission."""
    machine = record["machine"]
    rates = [records.rate(record, n) for n in range(3)]
    return {
        "operator": record["config"]["operator"], "system": records.name(record), "site": machine["site"],
        "processor": records.processor(record), "dof_per_second_h": rates[0], "dof_per_second_2h": rates[1],
        "dof_per_second_4h": rates[2], "fraction_of_copy": records.share_of_copy(record),
        "dof_per_joule": records.dof_per_joule(record), "disturbed": " ".join(records.disturbed(record)) or None,
        "cells": records.cells(record), "nodes": record["nodes"], "ranks": record["ranks"],
        "threads": sum(node["threads"] for node in machine["nodes"]), "gpus": len(machine["gpus"]) or None,
        "order": records.order(record), "program": f"hymg {record['version']}", "commit": record["commit"],
        "date": record["date"][:10], "source": f"submission {os.path.basename(os.path.realpath(folder))}",
    }


def sections(entries):
    """A section per operator, and in it the submissions with what is in no list, then every list, the latest first."""
    for row in entries:
        for key, count in (("dof_per_second_per_node", row.get("nodes")), ("dof_per_second_per_gpu", row.get("gpus"))):
            row[key] = row["dof_per_second_h"] / count if count else None
    result = []
    for operator, (heading, text) in HEADINGS.items():
        here = [row for row in entries if row["operator"] == operator]
        names = {row.get("list"): max(r.get("date") or "" for r in here if r.get("list") == row.get("list"))
                 for row in here}
        order = sorted(names, key=lambda name: (name is None, names[name], name), reverse=True)
        groups = [group(name, [row for row in here if row.get("list") == name]) for name in order]
        result += [Section(heading, text, groups)] if groups else []
    return result


def group(name, rows):
    rows = sorted(rows, key=lambda row: -row["dof_per_second_h"])
    if name is None:
        table.give_places(rows, "dof_per_second_h")
        only_ours = all(row["source"].startswith("submission ") for row in rows)
        return (OWN if only_ours else OTHERS), rows
    for row in rows:
        row["rank"] = row.get("list_rank")
    return AS_PUBLISHED.format(name), rows


def shown(rows, sources):
    """Texts by title of column. A source becomes its number in `sources`, which grows."""
    result = []
    for row in rows:
        known = dict(row)
        if row.get("variant"):
            known["system"] = f"{row['system']} ({row['variant']})"
        if row["source"] not in sources:
            sources.append(row["source"])
        known["source"] = sources.index(row["source"]) + 1
        result.append({c.title: "" if known.get(c.key) is None else c.show(known[c.key]) for c in COLUMNS})
    return result


def notes(texts):
    """Those of columns that have a value in some row."""
    full = {title for rows in texts for row in rows for title, text in row.items() if text}
    return [(titles, why) for titles, why in NOTES if full & set(titles.split(", "))]


def markdown(entries):
    found, sources, texts = sections(entries), [], []
    if not found:
        return ""
    out = [f"# {TITLE}\n\n{table.wrapped(INTRO)}\n\nWritten by `hymg-report --rank`.\n"]
    numeric = {c.title for c in COLUMNS if c.numeric}
    for section in found:
        out.append(f"\n## {section.heading}\n\n{section.text}\n")
        for title, rows in section.groups:
            texts.append(shown(rows, sources))
            out.append(f"\n### {table.escaped(title)}\n\n"
                       + table.markdown(texts[-1], [c.title for c in COLUMNS], numeric))
    out.append("\n## Columns\n\n")
    out += [f"* **{titles}**: {why}\n" for titles, why in notes(texts)]
    out.append("\n## Sources\n\n")
    out += [f"{n}. {table.escaped(source)}\n" for n, source in enumerate(sources, 1)]
    return "".join(out)


def comma_separated(entries):
    rows = [row for section in sections(entries) for _, group_rows in section.groups for row in group_rows]
    return table.comma_separated(rows, KEYS)


def html(entries):
    sources, parts = [], []
    for section in sections(entries):
        texts = [shown(rows, sources) for _, rows in section.groups]
        anchor = section.heading.split(":")[0].lower()
        parts.append((anchor, section.heading, section.text, section.groups, texts))
    every = [rows for *_, texts in parts for rows in texts]
    return page.written(TITLE, INTRO, parts, COLUMNS, notes(every), sources) if parts else ""
