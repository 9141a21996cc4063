"""Random changes to records, submissions and lists, for hymg-report: fuzz_report.py SRCDIR SECONDS [FIRST]. Whatever is in a
file, it is accepted or refused with a reason; its own validator and the package jsonschema, where there is one, agree; and
the program ends with status 0 or 1. The first input that breaks this ends the run with status 1; its
number is printed."""
import contextlib
import copy
import hashlib
import io
import json
import os
import random
import shutil
import sys
import tempfile
import time
import traceback

SRCDIR, SECONDS = sys.argv[1], float(sys.argv[2])
sys.path.insert(0, os.path.join(SRCDIR, "benchmarks", "report"))
sys.dont_write_bytecode = True

from hymg_report import agreement, main, ranking, records, rules, schema, table  # noqa: E402

BASE = os.path.join(SRCDIR, "benchmarks", "ranking", "virtual-machine")
ODD = [None, True, False, 0, -1, 1, 2**31, 2**63, 10**400, 0.5, -0.0, 5e-324, 1e308, float("inf"), "", "a", "\ud800", "\0",
       "x" * 300, [], {}, [[]], [0], {"a": 1}]
TOKENS = [b"null", b"1e999", b"-1e999", b"NaN", b"Infinity", b"-", b"1" * 5000, b"[" * 2000, b'{"a":' * 500, b"\xff", b"\xed\xa0\x80",
          b'"\\ud800"', b'"\\u0000"', b"\xef\xbb\xbf", b"{}", b"[]", b"0x1", b"1.", b"01", b",", b":", b"}", b"]", b'"']
with open(os.path.join(SRCDIR, "benchmarks", "ranking", "published.csv"), "rb") as published:
    LIST = published.read()
KNOWN = schema.load()
OLDER = schema.load(schema.OLDER)
LIBRARY = schema.jsonschema
schema.jsonschema = None  # the package takes far longer; it is asked in some of the runs


def places(value, found):
    """(container, key) of everything in a value."""
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        found.append((value, key))
        places(value[key], found)
    return found


def shortened(value):
    """Lists of objects with their first three alone, so that more changes can be tried in a second."""
    if isinstance(value, dict):
        return {key: shortened(item) for key, item in value.items()}
    if isinstance(value, list):
        return [shortened(item) for item in value[:3]]
    return value


def change_value(choice, record):
    record = copy.deepcopy(record)
    for _ in range(choice.randint(1, 3)):
        there = places(record, [])
        container, key = choice.choice(there)
        what = choice.randrange(5)
        if what == 0:
            del container[key]
        elif what == 1:
            container[key] = copy.deepcopy(choice.choice(there)[0])
        elif what == 2 and isinstance(container[key], (int, float)) and abs(container[key]) < 1e300:
            container[key] = container[key] * choice.choice([-1, 0, 0.5, 2, 1e-300, 1e300])
        elif what == 3 and isinstance(container, list):
            container.insert(key, copy.deepcopy(container[key]))
        else:
            container[key] = copy.deepcopy(choice.choice(ODD))
        if not places(record, []):
            break
    return record


def change_bytes(choice, data):
    data = bytearray(data)
    for _ in range(choice.randint(1, 4)):
        at = choice.randrange(len(data) + 1)
        what = choice.randrange(4)
        if what == 0:
            data[at:at + choice.randint(1, 40)] = b""
        elif what == 1:
            data[at:at + choice.randint(0, 8)] = choice.choice(TOKENS)
        elif what == 2 and at < len(data):
            data[at] ^= 1 << choice.randrange(8)
        else:
            low = choice.randrange(len(data) + 1)
            data[at:at] = data[low:low + choice.randint(1, 60)]
    return bytes(data)


def validate(data, compare):
    """As records.read does; None if it is refused."""
    try:
        record = records.parse(data.decode("utf-8"), "file")
    except (records.Broken, UnicodeDecodeError):
        return None
    version = record.get("schema") if isinstance(record, dict) else None
    known = OLDER if version == schema.OLDER else KNOWN
    wrong = schema.own_errors(record, known, known)
    if compare and LIBRARY:
        schema.jsonschema = LIBRARY
        try:
            found = schema.jsonschema_errors(record, known)
        finally:
            schema.jsonschema = None
        if bool(found) != bool(wrong):
            raise AssertionError(f"the validators disagree: {wrong[:2]}, {found[:2]}")
    return None if wrong else record


def judge(record, machine, log):
    submission = rules.Submission(record, machine, log)
    for rule in rules.RULES[3:]:
        agreement.attempt(rule.check, submission)
    list(agreement.warnings(record))
    row = table.row(record)
    table.markdown(table.ranked([row]), table.COLUMNS, table.NUMERIC)
    table.comma_separated(table.ranked([row]), table.COLUMNS)
    for written in (ranking.markdown, ranking.comma_separated, ranking.html):
        written([ranking.entry(record, "folder")])
    records.labels([record, record])


def run(folder, files):
    """The whole program, on a submission with these files and true checksums, and on the record alone."""
    for name, data in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)
    with open(os.path.join(folder, rules.CHECKSUMS), "w", encoding="ascii") as file:
        file.writelines(f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in rules.FILES)
    for arguments in (["--rank", folder], [os.path.join(folder, "record.json")], ["--csv", os.path.join(folder, "record.json")]):
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors=errors)
                    for errors in ("strict", "backslashreplace"))
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main.main(arguments)
            out.flush()
            err.flush()
        if status not in (0, 1) or (status == 1 and not err.buffer.getvalue()):
            raise AssertionError(f"{arguments[0]}: status {status}, {err.buffer.getvalue()[:200]!r}")


def run_list(folder, data):
    """A published list beside nothing else."""
    path = os.path.join(folder, "list.csv")
    with open(path, "wb") as file:
        file.write(data)
    for kind in ("md", "csv", "html"):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main.main(["--rank", path, "--format", kind])
        if status not in (0, 1) or (status == 1) != bool(err.getvalue()):
            raise AssertionError(f"a list as {kind}: status {status}, {err.getvalue()[:200]!r}")
    os.remove(path)


def once(choice, base, folder):
    if choice.random() < 0.02:
        run_list(folder, change_bytes(choice, LIST))
        return
    files, record = dict(base), None
    if choice.random() < 0.5:
        changed = change_value(choice, json.loads(base["record.json"]))
        files["record.json"] = json.dumps(changed).encode("utf-8", "surrogatepass")
    else:
        name = choice.choice(rules.FILES) if choice.random() < 0.3 else "record.json"
        files[name] = change_bytes(choice, base[name])
    if choice.random() < 0.02:
        run(folder, files)
        return
    record = validate(files["record.json"], choice.random() < 0.02)
    if record:
        try:
            machine = records.parse(files["machine.json"].decode("utf-8"), "file")
            log = files["log.txt"].decode("utf-8")
        except (records.Broken, UnicodeDecodeError):
            return
        judge(record, machine, log)


def main_loop():
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.SystemRandom().randrange(2**32)
    base = {name: rules.read(BASE, name) for name in rules.FILES}
    base["record.json"] = json.dumps(shortened(json.loads(base["record.json"]))).encode()
    folder = tempfile.mkdtemp(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    done, end = 0, time.monotonic() + SECONDS
    try:
        while done % 64 or time.monotonic() < end:
            once(random.Random(seed + done), base, folder)
            done += 1
    except Exception:
        traceback.print_exc(file=sys.stdout)
        print(f"this one alone: {sys.argv[0]} SRCDIR 0 {seed + done}")
        return 1
    finally:
        shutil.rmtree(folder)
        print(f"stat::number_of_executed_units: {done}")
    return 0


sys.exit(main_loop())
