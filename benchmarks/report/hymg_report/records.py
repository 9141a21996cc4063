"""Reading records, and the numbers that tables and plots take from them."""
import json
import math

from . import schema


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
    wrong = schema.errors(record, schema.load())
    if wrong:
        more = f" (and {len(wrong) - 5} more)" if len(wrong) > 5 else ""
        raise Broken(f"{path}: not a record of schema hymg-fv/2: " + "; ".join(wrong[:5]) + more)
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


def label(record):
    """For legends: what distinguishes records from each other."""
    gpus = len(record["machine"]["gpus"])
    where = f"{gpus} GPU{'s' * (gpus > 1)}" if gpus else f"{record['ranks']} x {record['threads']} threads"
    return f"{name(record)}, {record['config']['operator']}, {cells(record)}, {where}"


def gb_per_second(record):
    """GB/s of a whole solve of the finest size, all ranks: rank 0's declared bytes times ranks over the mean time."""
    total = sum(row["bytes"] for row in record["breakdown"]) * record["ranks"]
    return 1e-9 * total / record["runs"][0]["seconds_mean"]


def copy_gb_per_second(record):
    return 1e-9 * record["bandwidth"]["bytes_per_second"] if record["bandwidth"] else None
