"""Tables of records and of rankings, as Markdown or CSV."""
import csv
import io

from . import records

# of a published list, beside our own records; others are an error
NEIGHBOUR_COLUMNS = ["system", "site", "date", "dof_per_second_h", "dof_per_second_2h", "dof_per_second_4h", "cells",
                     "nodes", "ranks", "threads", "gpus", "program", "source"]


def number(value, digits=4):
    return "" if value is None else f"{value:.{digits}g}"


def row(record):
    """The columns of a record that a table of either kind has."""
    machine = record["machine"]
    copy = records.copy_gb_per_second(record)
    share = records.gb_per_second(record) / copy if copy else None
    return {
        "system": records.name(record), "site": machine["site"] or "", "DOF/s at h": records.rate(record, 0),
        "at 2h": records.rate(record, 1), "at 4h": records.rate(record, 2), "cells": records.cells(record),
        "operator": record["config"]["operator"], "solver": record["config"]["solver"],
        "order": number(records.order(record)), "nodes": record["nodes"], "ranks": record["ranks"],
        "threads": sum(node["threads"] for node in machine["nodes"]), "GPUs": len(machine["gpus"]) or "",
        "copy GB/s": number(copy), "cycle GB/s": number(records.gb_per_second(record)),
        "of copy": "" if share is None else f"{100 * share:.0f} %", "official": "yes" if record["official"] else "no",
        "program": f"hymg {record['version']} {record['commit'] or ''}".strip(), "date": record["date"][:10],
    }


def ranked(rows):
    """The rows by falling DOF/s at h, numbered; equal ones share a place."""
    rows = sorted(rows, key=lambda r: -r["DOF/s at h"])
    place = 0
    for n, r in enumerate(rows):
        if n == 0 or r["DOF/s at h"] < rows[n - 1]["DOF/s at h"]:
            place = n + 1
        r["rank"] = place
    return rows


def read_neighbours(path):
    """Rows of a published list: lines of # are comments, DOF/s at h and a source are required of each row."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            lines = [line for line in file if line.strip() and not line.startswith("#")]
    except (OSError, UnicodeDecodeError) as error:
        raise records.Broken(f"{path}: {error}") from None
    reader = csv.DictReader(lines, strict=True)
    unknown = [key for key in reader.fieldnames or [] if key not in NEIGHBOUR_COLUMNS]
    if unknown:
        raise records.Broken(f"{path}: column {unknown[0]} is none of {', '.join(NEIGHBOUR_COLUMNS)}")
    return [neighbour(path, n, found) for n, found in enumerate(reader, 1)]


def neighbour(path, n, found):
    def rate(key, required=False):
        try:
            return float(found[key]) if required or found.get(key) else None
        except (KeyError, TypeError, ValueError):
            raise records.Broken(f"{path}: row {n}: {key} '{found.get(key)}' is no number") from None

    if not found.get("system") or not found.get("source"):
        raise records.Broken(f"{path}: row {n}: system or source is missing")
    result = {"system": found["system"], "DOF/s at h": rate("dof_per_second_h", True),
              "at 2h": rate("dof_per_second_2h"), "at 4h": rate("dof_per_second_4h")}
    for key in ("site", "date", "cells", "nodes", "ranks", "threads", "program", "source"):
        result[key] = found.get(key) or ""
    result["GPUs"] = found.get("gpus") or ""
    return result


RECORD_COLUMNS = ["rank", "system", "DOF/s at h", "at 2h", "at 4h", "cells", "operator", "solver", "order", "nodes",
                  "ranks", "threads", "GPUs", "copy GB/s", "cycle GB/s", "of copy", "official", "date"]
RANK_COLUMNS = ["rank", "system", "site", "DOF/s at h", "at 2h", "at 4h", "cells", "order", "nodes", "ranks", "threads",
                "GPUs", "program", "date", "source"]


def text(value):
    return f"{value:.4e}" if isinstance(value, float) else "" if value is None else str(value)


def markdown(rows, columns):
    """Columns without any value are left out."""
    shown = [c for c in columns if any(text(r.get(c)) for r in rows)]
    cells = [[text(r.get(c)).replace("|", "\\|") for c in shown] for r in rows]
    widths = [max(len(c), *(len(line[n]) for line in cells)) for n, c in enumerate(shown)]
    lines = [shown, ["-" * w for w in widths]] + cells
    return "".join("| " + " | ".join(cell.ljust(w) for cell, w in zip(line, widths)) + " |\n" for line in lines)


def comma_separated(rows, columns):
    """All columns, numbers with all digits."""
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for r in rows:
        writer.writerow({c: "" if r.get(c) is None else r.get(c) for c in columns})
    return out.getvalue()
