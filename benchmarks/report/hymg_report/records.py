"""Reading records, and the numbers that tables and plots take from them."""
import json
import math

from . import schema

DISTURBED = 1.5  # mean over the shortest solve


class Broken(Exception):
    """A file that is no valid record; the text says why."""


def parse(text, where):
    """JSON without NaN, numbers that are too large, halves of UTF-16 pairs, and without the same key twice, of which a
    reader would see only one."""

    def pairs(items):
        keys = [key for key, _ in items]
        twice = sorted({key for key in keys if keys.count(key) > 1})
        if twice:
            raise ValueError(f"key {twice[0]} appears twice")
        return dict(items)

    def constant(word):
        raise ValueError(f"{word} is no number of JSON")

    def real(digits):
        if not math.isfinite(float(digits)):
            raise ValueError(f"{digits[:40]} is too large")
        return float(digits)

    def whole(digits):
        if len(digits) > 20:
            raise ValueError(f"{digits[:40]} is too large")
        return int(digits)

    try:
        value = json.loads(text, object_pairs_hook=pairs, parse_constant=constant, parse_float=real, parse_int=whole)
        json.dumps(value, ensure_ascii=False).encode("utf-8")
        return value
    except (ValueError, RecursionError) as error:
        raise Broken(f"{where}: not JSON: {error}") from None


def read(path):
    """The record in a file of hymg-fv --json, valid by the schema; else Broken."""
    try:
        with open(path, encoding="utf-8") as file:
            record = parse(file.read(), path)
    except (OSError, UnicodeDecodeError) as error:
        raise Broken(f"{path}: {error}") from None
    wrong = schema.errors(record, schema.load_for(record))
    if wrong:
        more = f" (and {len(wrong) - 5} more)" if len(wrong) > 5 else ""
        raise Broken(f"{path}: not a record of schema hymg-fv/3 or hymg-fv/2: " + "; ".join(wrong[:5]) + more)
    return record


def rate(record, n):
    """DOF/s of size n (0: h, 1: 2h, 2: 4h), None if it was not run."""
    return record["runs"][n]["dof_per_second"] if n < len(record["runs"]) else None


def cells(record):
    n = record["runs"][0]["cells"]
    return f"{n[0]}^3" if n[0] == n[1] == n[2] else " x ".join(map(str, n))


def order(record):
    return record["richardson"]["order"] if record["richardson"] else None


def name(record):
    machine = record["machine"]
    return machine["name"] or machine["host"]


def where(record):
    """What it ran on, with numbers."""
    gpus, ranks = len(record["machine"]["gpus"]), record["ranks"]
    if gpus:
        return f"{gpus} GPU{'s' * (gpus > 1)}" + (f", {ranks} ranks" if ranks != gpus else "")
    return f"{ranks} rank{'s' * (ranks > 1)} x {record['threads']} thread{'s' * (record['threads'] > 1)}"


def traits(record):
    """Pairs of name and text by which records can be told from each other, those that say most first."""
    config = record["config"]
    first = ["operator", "cells", "where", "solver", "smoother", "cycle", "path", "precision", "problem", "equation",
             "boundary", "coefficients"]
    known = {"cells": cells(record), "where": where(record), "operator": config["operator"], "solver": config["solver"]}
    for key in first + sorted(config.keys() - set(first)):
        yield key, known.get(key) or f"{key} {text_of(config.get(key))}"
    yield "nodes", f"{record['nodes']} node{'s' * (record['nodes'] > 1)}"
    yield "processor", processor(record)
    yield "version", f"hymg {record['version']}"
    yield "commit", f"commit {record['commit'] or 'unknown'}"
    yield "date", record["date"]


def text_of(value):
    return ",".join(map(text_of, value)) if isinstance(value, list) else f"{value:.4g}" if isinstance(value, float) \
        else str(value)


def labels(found):
    """A label for each record, all different: the name, operator, cells and where it ran, and of the other traits those
    that tell it from records that would have the same label. Records that differ in nothing are numbered."""
    every = [dict(traits(record)) for record in found]
    result = [", ".join([name(record), t["operator"], t["cells"], t["where"]]) for record, t in zip(found, every)]
    for key in dict.fromkeys(key for known in every for key in known):
        for same in alike(result):
            if len({every[n].get(key) for n in same}) > 1:
                for n in same:
                    result[n] += f", {every[n].get(key, f'no {key}')}"
    for same in alike(result):
        for place, n in enumerate(same, 1):
            result[n] += f" (no. {place})"
    return result


def alike(texts):
    """Lists of the places that have the same text, where there are several."""
    places = {}
    for n, text in enumerate(texts):
        places.setdefault(text, []).append(n)
    return [same for same in places.values() if len(same) > 1]


def gb_per_second(record):
    """GB/s of a whole solve of the finest size, all ranks: the bytes that rank 0 declares on each level times the ranks
    that hold cells of it, over the mean time."""
    total = sum(row["bytes"] * ranks_on(record, row["level"]) for row in record["breakdown"])
    return 1e-9 * total / record["runs"][0]["seconds_mean"]


def ranks_on(record, level):
    """The level may be a whole number with a decimal point, which the schema allows."""
    return record["levels"][int(level)]["ranks"] if 0 <= level < len(record["levels"]) else 1


def copy_gb_per_second(record):
    return 1e-9 * record["bandwidth"]["bytes_per_second"] if record["bandwidth"] else None


def disturbed(record):
    """The sizes (h, 2h, 4h) whose mean solve took over 1.5 times the shortest: other programs were running, or clocks
    were changing."""
    return [size for size, run in zip(("h", "2h", "4h"), record["runs"])
            if run.get("disturbed") or run["seconds_mean"] > DISTURBED * run["seconds_min"]]


def dof_per_joule(record):
    """Of the components that the machine has counters for; None where no energy was read. Never estimated."""
    return (record.get("energy") or {}).get("dof_per_joule")


def share_of_copy(record):
    """Declared bytes per second of a solve over the measured copy; None without either."""
    copy, solve = copy_gb_per_second(record), gb_per_second(record)
    return solve / copy if copy and solve else None


def processor(record):
    """The model that the solve ran on: that of the GPUs, without them of the processors."""
    machine = record["machine"]
    return ", ".join(dict.fromkeys(machine["gpus"] or (node["cpu"] for node in machine["nodes"])))
