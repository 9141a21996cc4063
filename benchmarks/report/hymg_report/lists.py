"""Published lists in CSV, whose rows stand in a ranking beside our own submissions. What cannot be meant as it is
written is refused with row, column and value."""
import csv
import math
import re

from . import records

TEXTS = ("list", "system", "variant", "site", "processor", "cells", "dof_per_rank", "fraction_of_system", "program",
         "commit", "source")
RATES = ("dof_per_second_h", "dof_per_second_2h", "dof_per_second_4h", "fraction_of_copy", "dof_per_joule", "order")
COUNTS = ("list_rank", "nodes", "ranks", "threads", "gpus", "omp_per_rank", "top500_rank")
DERIVED = ("rank", "dof_per_second_per_node", "dof_per_second_per_gpu")  # of our own tables; they are computed anew
COLUMNS = (*TEXTS, *RATES, *COUNTS, *DERIVED, "operator", "date", "disturbed")
REQUIRED = ("system", "dof_per_second_h", "source")
OPERATORS = ("fv4", "fv2")
SIZES = ("h", "2h", "4h")


def read(path):
    """Rows of the list: lines of # are comments, system, DOF/s at h and source are required of each row."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            lines = [line for line in file if line.strip() and not line.startswith("#")]
        reader = csv.reader(lines, strict=True)
        names = next(reader, [])
        check_names(path, names)
        return [entry(path, n, names, fields) for n, fields in enumerate(reader, 1)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise records.Broken(f"{path}: {error}") from None


def check_names(path, names):
    for name in names:
        if name not in COLUMNS:
            raise records.Broken(f"{path}: column {name} is none of {', '.join(COLUMNS)}")
        if names.count(name) > 1:
            raise records.Broken(f"{path}: column {name} appears twice")
    missing = [name for name in REQUIRED if name not in names]
    if missing:
        raise records.Broken(f"{path}: column {missing[0]} is missing")


def entry(path, n, names, fields):
    """A row as ranking.py takes it: None where a field is empty or its column is missing."""

    def wrong(why):
        return records.Broken(f"{path}: row {n}: {why}")

    if len(fields) != len(names):
        raise wrong(f"{len(fields)} fields under {len(names)} columns")
    found = {name: field.strip() for name, field in zip(names, fields) if field.strip() and name not in DERIVED}
    missing = [name for name in REQUIRED if name not in found]
    if missing:
        raise wrong(f"{missing[0]} is missing")
    for name in found.keys() & set(RATES):
        found[name] = positive(found[name])
        if found[name] is None:
            raise wrong(f"{name} '{dict(zip(names, fields))[name]}' is no number above 0")
    for name in found.keys() & set(COUNTS):
        if not re.fullmatch(r"[1-9][0-9]{0,14}", found[name], re.ASCII):
            raise wrong(f"{name} '{found[name]}' is no whole number above 0")
        found[name] = int(found[name])
    if found.setdefault("operator", "fv4") not in OPERATORS:
        raise wrong(f"operator '{found['operator']}' is none of {', '.join(OPERATORS)}")
    if "list_rank" in found and "list" not in found:
        raise wrong(f"list_rank {found['list_rank']} without the name of the list")
    if not re.fullmatch(r"[0-9]{4}(-[0-9]{2}){0,2}", found.get("date", "2000"), re.ASCII):
        raise wrong(f"date '{found['date']}' is not YYYY-MM-DD, YYYY-MM or YYYY")
    if not set(found.get("disturbed", "").split()) <= set(SIZES):
        raise wrong(f"disturbed '{found['disturbed']}' has more than the sizes {', '.join(SIZES)}")
    return {name: found.get(name) for name in COLUMNS if name not in DERIVED}


def positive(text):
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and value > 0 else None
