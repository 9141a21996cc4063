"""The table of records, and tables as Markdown and CSV."""
import csv
import io
import re
import textwrap

from . import records


def number(value, digits=4):
    return "" if value is None else f"{value:.{digits}g}"


def row(record):
    machine = record["machine"]
    share, energy = records.share_of_copy(record), records.dof_per_joule(record)
    return {
        "system": records.name(record), "processor or GPU": records.processor(record),
        "DOF/s at h": records.rate(record, 0), "at 2h": records.rate(record, 1), "at 4h": records.rate(record, 2),
        "disturbed": ", ".join(records.disturbed(record)), "cells": records.cells(record),
        "operator": record["config"]["operator"], "solver": record["config"]["solver"],
        "order": number(records.order(record)), "nodes": record["nodes"], "ranks": record["ranks"],
        "threads": sum(node["threads"] for node in machine["nodes"]), "GPUs": len(machine["gpus"]) or "",
        "copy GB/s": number(records.copy_gb_per_second(record)), "cycle GB/s": number(records.gb_per_second(record)),
        "of copy": "" if share is None else f"{100 * share:.0f} %",
        "MDOF/s per W": "" if energy is None else number(1e-6 * energy),
        "official": "yes" if record["official"] else "no", "commit": record["commit"] or "",
        "date": record["date"][:10],
    }


COLUMNS = ["rank", "system", "processor or GPU", "DOF/s at h", "at 2h", "at 4h", "disturbed", "cells", "operator",
           "solver", "order", "nodes", "ranks", "threads", "GPUs", "copy GB/s", "cycle GB/s", "of copy", "MDOF/s per W",
           "official", "commit", "date"]
NUMERIC = {"DOF/s at h", "at 2h", "at 4h", "order", "nodes", "ranks", "threads", "GPUs", "copy GB/s",
           "cycle GB/s", "of copy", "MDOF/s per W"}


def give_places(rows, key):
    """Numbers rows that are sorted by falling values; equal ones share a place."""
    place = 0
    for n, r in enumerate(rows):
        if n == 0 or r[key] < rows[n - 1][key]:
            place = n + 1
        r["rank"] = place


def ranked(rows):
    """The rows by falling DOF/s at h, numbered."""
    rows = sorted(rows, key=lambda r: -r["DOF/s at h"])
    give_places(rows, "DOF/s at h")
    return rows


def text(value):
    return f"{value:.4e}" if isinstance(value, float) else "" if value is None else str(value)


def one_line(value):
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+", " ", value)


def escaped(value):
    """Text that Markdown shows as it is."""
    return re.sub(r"([\\`*\[|])", r"\\\1", one_line(value)).replace("<", "&lt;")


def wrapped(value):
    return "\n".join(textwrap.wrap(value, 120, break_long_words=False, break_on_hyphens=False))


def markdown(rows, columns, numeric=frozenset()):
    """Columns without any value are left out."""
    shown = [c for c in columns if any(text(r.get(c)) for r in rows)]
    cells = [[escaped(text(r.get(c))) for c in shown] for r in rows]
    widths = [max(len(c), *(len(line[n]) for line in cells)) for n, c in enumerate(shown)]
    rule = ["-" * (w - 1) + ":" if c in numeric else "-" * w for c, w in zip(shown, widths)]
    lines = [shown, rule] + cells
    return "".join("| " + " | ".join(cell.rjust(w) if c in numeric and n > 1 else cell.ljust(w)
                                     for c, cell, w in zip(shown, line, widths)) + " |\n"
                   for n, line in enumerate(lines))


def comma_separated(rows, columns):
    """All columns, numbers with all digits."""
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for r in rows:
        writer.writerow({c: "" if r.get(c) is None else r.get(c) for c in columns})
    return out.getvalue()
