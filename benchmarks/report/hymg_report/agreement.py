"""Rules about one record alone: that it does not contradict itself. Each is a function of the record that returns None or
what is wrong. They hold for any run, official or not; hymg-report warns of records that break one, and a ranking refuses
them."""
import datetime
import functools
import math
import os
import re
import subprocess
from collections import namedtuple

from . import limits, records

INSTRUMENTED_FACTOR, SECONDS_PER_CALL = 3, 10e-6
FIRST_DATE = "2026-11-21T00:00:00Z"  # hymg's first commit is of this day
CLOCK = 86400.0                      # seconds by which clocks of two machines may differ
COPY_SECONDS, FEWEST_COPIES = 0.2, 5  # bandwidth.c repeats the copy until both are reached
LARGEST_WATTS = {"nvml": 2000.0, "rapl": 1000.0}  # of a GPU whose power limit is not known, of a processor or its memory
LEAST_OF_IDLE, POWER_LIMIT_FACTOR = 0.5, 1.2

Rule = namedtuple("Rule", "name text check")
RULES = []


def adder(rules):
    """The decorator that adds a function to these rules."""
    return lambda name, text: lambda check: rules.append(Rule(name, text, check)) or check


rule = adder(RULES)


# ---- times ----

def spread(run):
    """Much above 1: other programs were running, or clocks changed."""
    return run["seconds_mean"] / run["seconds_min"]


@rule("rate", f"the bytes that a solve declares, over the time of the shortest one, are at most {limits.TOLERANCE:g} times "
      "what the measured copy and the caches allow; so are those of the mean")
def check_rate(record):
    for n in limits.sizes(record):
        declared, least = limits.solve(record, n)
        mean, shortest = (record["runs"][n][key] for key in ("seconds_mean", "seconds_min"))
        if min(mean, shortest) * limits.TOLERANCE < least:
            return (f"a solve of runs[{n}] declares {1e-9 * declared:.4g} GB, {1e-9 * declared / mean:.4g} GB/s in the mean "
                    f"({mean:.4g} s) and {1e-9 * declared / shortest:.4g} in the shortest; {available(record)} allow "
                    f"{1e-9 * declared / least:.4g} GB/s, so it takes at least {least / limits.TOLERANCE:.4g} s")
    return None


def available(record):
    copy = records.copy_gb_per_second(record)
    gpus = len(record["machine"]["gpus"])
    threads = sum(node["threads"] for node in record["machine"]["nodes"])
    place = f"{gpus} GPU{'s' * (gpus > 1)}" if gpus else f"the caches of {threads} thread{'s' * (threads > 1)}"
    return place if copy is None else f"a copy at {copy:.4g} GB/s and {place}"


@rule("instrumented", f"the instrumented solve takes at most {INSTRUMENTED_FACTOR} times the mean of the timed ones, times "
      "mean over min where a size was disturbed, and at least a third of the shortest")
def check_instrumented(record):
    run, rows = record["runs"][0], record["breakdown"]
    if not rows:
        return None
    seconds, calls = sum(row["seconds"] for row in rows), sum(row["calls"] for row in rows)
    most_spread = max(spread(size) for size in record["runs"])
    factor = INSTRUMENTED_FACTOR * (most_spread if most_spread > records.DISTURBED else 1)
    most = factor * run["seconds_mean"] + SECONDS_PER_CALL * calls
    least = run["seconds_min"] / INSTRUMENTED_FACTOR if record["protocol"]["warmup"] > 0 else 0  # else it is a cold one
    if not least <= seconds <= most:
        return (f"the breakdown's times are {seconds:.4g} s together, a timed solve takes {run['seconds_mean']:.4g} s "
                f"(at least {run['seconds_min']:.4g}): allowed are {least:.4g} to {most:.4g} s")
    return None


@rule("breakdown", "the rows of the instrumented solve are those of the record's levels and cycle: each once, GB/s that "
      "follow from bytes and seconds, the smoother's calls and bytes by the model")
def check_breakdown(record):
    seen = set()
    for n, row in enumerate(record["breakdown"]):
        key = row["level"], row["verb"]
        if key in seen or not 0 <= row["level"] < len(record["levels"]):
            return f"breakdown[{n}]: {row['verb']} of level {row['level']} is twice there, or there is no such level"
        seen.add(key)
        if row["seconds"] > 0 and not math.isclose(row["gb_per_second"], 1e-9 * row["bytes"] / row["seconds"],
                                                   rel_tol=1e-9, abs_tol=1e-300):
            return f"breakdown[{n}]: gb_per_second is not 1e-9 bytes / seconds"
    return check_smoother(record) if has_model(record) else None


def has_model(record):
    """F-cycles of gsrb in double precision: how often they smooth which level, and with what bytes, is known."""
    c = record["config"]
    return (c["solver"] == "fmg" and c["smoother"] == "gsrb" and c["precision"] == "double"
            and c["equation"] == "poisson" and record["runs"][0]["path"] == "standard" and record["breakdown"])


def smoother_bytes(record, row):
    """Bytes per cell that the calls of a row may declare (docs/performance.md, "The model"). The last call of a solve may
    find the norm of the residual, too."""
    c, calls = record["config"], row["calls"]
    operator = 1 + 3 * (c["coefficients"] == "variable")
    sweep = operator + 0.5 + (c["operator"] == "fv4")
    if row["verb"] == "smooth+restrict":
        return [8 * calls * (c["sweeps"] * sweep + operator + 1.125)]
    return [8 * (calls * c["sweeps"] * sweep + norm) for norm in ([0, operator + 1] if row["level"] == 0 else [0])]


def check_smoother(record):
    found = 0
    for row in record["breakdown"]:
        level = record["levels"][row["level"]]
        if row["verb"] not in limits.SMOOTHED or not is_plain(record, row["level"]):
            continue
        found += row["level"] == 0
        what = f"{row['verb']} of level {row['level']}"
        if row["calls"] != row["level"] + 1:
            return f"{what}: {row['calls']} calls, an F-cycle makes {row['level'] + 1}"
        each = limits.cells(level) / level["ranks"]
        least, most = (1, 1) if level["ranks"] == 1 else (0.5, 2)  # rank 0 has between half and twice the mean
        allowed = [b * each for b in smoother_bytes(record, row)]
        if not any(least * b * (1 - 1e-9) <= row["bytes"] <= most * b * (1 + 1e-9) for b in allowed):
            return (f"{what}: {row['bytes']} bytes; {' x '.join(map(str, level['cells']))} cells on {level['ranks']} "
                    f"rank{'s' * (level['ranks'] > 1)} declare {' or '.join(f'{b:.0f}' for b in allowed)} on each")
    if found < 2 and is_plain(record, 0):
        return "level 0 is not smoothed before and after its correction"
    return None


def is_plain(record, n):
    """Levels of at least 32^3 cells whose sides are halved: smaller ones may be part of a launch that does several."""
    level = record["levels"][n]
    if n + 1 >= len(record["levels"]) or limits.cells(level) < limits.SMALL_CELLS:
        return False
    if record["placement"] and record["placement"]["tail_from"] <= n:
        return False
    return level["cells"] == [2 * c for c in record["levels"][n + 1]["cells"]]


# ---- machine ----

@rule("threads", "threads of rank 0 and of the nodes agree, and what is said of rank 0's host twice is the same")
def check_threads(record):
    m, threads = record["machine"], record["threads"]
    node, others = m["nodes"][0], m["nodes"][0]["ranks"] - 1
    if node["threads"] < threads + others or (others == 0 and node["threads"] != threads):
        return (f"node 0 has {node['threads']} threads of {node['ranks']} rank{'s' * (others > 0)}, "
                f"rank 0 alone has {threads}")
    for key, there, here in (("cores", m["cores"], node["processors"]), ("cpu", m["cpu"], node["cpu"])):
        if there != here:
            return f"{key} of the machine is {there}, of node 0 {here}"
    return None


@rule("copy", f"the measured copy could be repeated so often in {COPY_SECONDS:g} s, took at most a quarter of the memory, and "
      f"was not faster than caches: {1e-9 * limits.THREAD_RATE:g} GB/s a thread, {1e-9 * limits.GPU_RATE:g} GB/s a GPU")
def check_copy(record):
    b, nodes = record["bandwidth"], record["machine"]["nodes"]
    if not b:
        return None
    if b["copies"] > FEWEST_COPIES:  # all but the last took less than COPY_SECONDS together, and none less than the best
        least = (b["copies"] - 1) * b["bytes"] / COPY_SECONDS
        if b["bytes_per_second"] * (1 + 1e-6) < least:
            return (f"{b['copies']} copies of {b['bytes']} bytes in {COPY_SECONDS:g} s need at least {1e-9 * least:.4g} "
                    f"GB/s, the record has {1e-9 * b['bytes_per_second']:.4g}")
    on_gpu = b["space"] == "device"
    sizes = [gpu["memory_bytes"] for node in nodes for gpu in node["gpus"]] if on_gpu else [n["memory_bytes"] for n in nodes]
    if sizes and all(sizes):
        most = max(sizes) / 4 * (record["ranks"] if on_gpu else len(nodes))
        if b["bytes"] > most:
            return f"{b['bytes']} bytes were copied, a quarter of the memory is {most:.0f}"
    threads = sum(node["threads"] for node in nodes)
    most = limits.GPU_RATE * (len(record["machine"]["gpus"]) or 1) if on_gpu else limits.THREAD_RATE * threads
    large = on_gpu or b["bytes"] >= limits.THREAD_CACHE * threads  # less may be in first-level caches
    if large and b["bytes_per_second"] > most:
        return f"{1e-9 * b['bytes_per_second']:.4g} GB/s; at most {1e-9 * most:.4g} are possible"
    return None


# ---- dates ----

def seconds_of(text):
    return datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=datetime.timezone.utc).timestamp()


def duration(record):
    """Seconds that the run took at least."""
    solves = sum((run["solves"] + record["protocol"]["warmup"] * (run["solves"] > 1)) * run["seconds_min"]
                 for run in record["runs"])
    return record["setup_seconds"] + record["problem_seconds"] + solves


@functools.lru_cache(maxsize=64)
def commit_seconds(commit):
    """When a commit was made, where hymg-report is part of a checkout that has it; else None."""
    found = re.fullmatch(r"(?:.*-g)?([0-9a-f]{7,40})", commit)
    if not found:
        return None
    here = os.path.dirname(os.path.realpath(__file__))
    try:
        shown = subprocess.run(["git", "-C", here, "show", "-s", "--format=%ct", found.group(1) + "^{commit}"],
                               capture_output=True, text=True, timeout=10, check=True).stdout
        return float(shown)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


@rule("dates", "the date exists, is not before hymg's first or the commit's own, and the run has ended by now; clocks may "
      "differ by a day")
def check_dates(record):
    try:
        start = seconds_of(record["date"])
    except ValueError:
        return f"{record['date']} is no date"
    now = datetime.datetime.now(datetime.timezone.utc)
    if start < seconds_of(FIRST_DATE):
        return f"{record['date']} is before hymg's first commit, of {FIRST_DATE[:10]}"
    if start + duration(record) > now.timestamp() + CLOCK:
        return (f"a run of at least {duration(record):.0f} s that began {record['date']} ends in the future: this machine's "
                f"clock says {now:%Y-%m-%dT%H:%M:%SZ}")
    commit = commit_seconds((record["commit"] or "").removesuffix("-dirty"))
    if commit is not None and start + CLOCK < commit:
        made = datetime.datetime.fromtimestamp(commit, datetime.timezone.utc)
        return f"{record['date']} is before its commit {record['commit']}, which was made {made:%Y-%m-%dT%H:%M:%SZ}"
    return None


# ---- keys of hymg-fv/3 ----

@rule("disturbed", f"where a size says that it was disturbed, its mean time is more than {records.DISTURBED:g} times the "
      "shortest, else it is not")
def check_disturbed(record):
    for key in ("runs", "coarser_runs"):
        for n, run in enumerate(record.get(key, [])):
            if "disturbed" not in run or math.isclose(spread(run), records.DISTURBED, rel_tol=1e-9):
                continue
            if run["disturbed"] != (spread(run) > records.DISTURBED):
                return (f"{key}[{n}] says {str(run['disturbed']).lower()}, but its mean is {spread(run):.4g} times "
                        "the shortest")
    return None


def largest_watts(record, part):
    if part["counter"] == "nvml":
        node = record["machine"]["nodes"][part["node"]]
        limit = [gpu.get("power_limit_watts") for gpu in node["gpus"]]
        if limit and all(limit):
            return POWER_LIMIT_FACTOR * max(limit)
    return LARGEST_WATTS.get(part["counter"], max(LARGEST_WATTS.values()))


def differs(found, wanted):
    return found is None or not math.isclose(found, wanted, rel_tol=1e-6)


def check_energy_sums(record, e):
    """What follows from other numbers."""
    run, joules = record["runs"][0], sum(part["joules"] for part in e["parts"])
    idle = [part["idle_watts"] for part in e["parts"]]
    wanted = {"joules": joules, "joules_per_solve": e["joules"] / e["solves"],
              "dof_per_joule": run["dof"] * e["solves"] / e["joules"]}
    if e["idle_watts"] is not None and all(watts is not None for watts in idle):
        wanted["idle_watts"] = sum(idle)
    wrong = [key for key, value in wanted.items() if differs(e[key], value)]
    if wrong:
        return f"{wrong[0]} is {e[wrong[0]]:.6g}, by the other numbers it is {wanted[wrong[0]]:.6g}"
    if e["solves"] != run["solves"]:
        return f"over {e['solves']} solves, the finest size has {run['solves']}"
    timed = run["solves"] * run["seconds_mean"]
    most = 2 * timed + 1 + 1e-3 * run["solves"]  # ranks agree between two solves
    if not 0.99 * timed <= e["seconds"] <= most:
        return f"over {e['seconds']:.6g} s; the timed solves took {timed:.6g} s, so up to {most:.6g} are allowed"
    return None


@rule("energy", "energy agrees with itself and the timed solves: sums, joules per solve, DOF per joule; each part's watts "
      f"are between {LEAST_OF_IDLE:g} times idle and {POWER_LIMIT_FACTOR:g} times a GPU's power limit "
      f"({LARGEST_WATTS['nvml']:g} W where unknown), {LARGEST_WATTS['rapl']:g} W for others")
def check_energy(record):
    e = record.get("energy")
    if not e:
        return None
    for n, part in enumerate(e["parts"]):
        if part["node"] >= len(record["machine"]["nodes"]) or part["counter"] not in e["counters"]:
            return f"parts[{n}]: node {part['node']} or counter {part['counter']} is not in the record"
        watts = part["joules"] / e["seconds"]
        least, most = LEAST_OF_IDLE * (part["idle_watts"] or 0), largest_watts(record, part)
        if not least <= watts <= most:
            return f"parts[{n}], {part['name']}: {watts:.4g} W; allowed are {least:.4g} to {most:.4g} W"
    return check_energy_sums(record, e)


# ---- all ----

def attempt(check, subject):
    """A value that a rule does not expect, such as null, breaks it."""
    try:
        return check(subject)
    except (TypeError, ValueError, KeyError, IndexError, ZeroDivisionError, OverflowError) as error:
        return f"cannot be checked: {error!r}"


def contradictions(record):
    """Pairs of a rule's name and what is wrong."""
    return [(r.name, why) for r in RULES for why in [attempt(r.check, record)] if why]


def warnings(record):
    """Lines of what a reader of a single record should know."""
    slow = [f"{spread(run):.3g} times at {size}" for size, run in zip(("h", "2h", "4h"), record["runs"])
            if spread(run) > records.DISTURBED]
    if slow:
        yield f"disturbed: the mean solve took longer than the shortest, {', '.join(slow)}"
    for name, why in contradictions(record):
        yield f"contradicts itself, rule {name}: {why}"
