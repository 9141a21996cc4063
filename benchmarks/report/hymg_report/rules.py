"""The rules of a ranking. A rule is a function of a submission that returns None or what is wrong; its name is what a
refusal says. hymg-fv's own rules of --official are checked again here, from what the record says, and the files of a
submission against each other. That finds mistakes and careless edits; it is no proof against a forger, who can compute
checksums, too."""
import hashlib
import math
import os
from collections import namedtuple

from . import agreement, limits, records, schema

FILES = ("log.txt", "machine.json", "record.json")
CHECKSUMS = "SHA256SUMS"

LEAST_CELLS, LARGEST_ODD_FACTOR, LEAST_BOX = 128, 11, 16
LEAST_SOLVES, LEAST_WARMUP, LEAST_SECONDS, LEAST_ORDER = 10, 10, 60.0, 3.5
# max|r| / max|f| after one F-cycle is 7.5e-6, 7.2e-5 and 9.6e-4 with 128^3, 64^3 and 32^3 cells
LARGEST_RESIDUAL = (1e-4, 1e-3, 1e-2)
LEAST_SHARE = 0.01 + 1e-9  # of the instrumented solve that a row of the log's table has

Submission = namedtuple("Submission", "record machine log")
RULES = []
rule = agreement.adder(RULES)


def differs(record, wanted):
    """The first key of `wanted` whose value in the record's configuration is another."""
    for key, value in wanted.items():
        found = record["config"][key]
        if found != value:
            return f"{key} is {found}, not {value}"
    return None


# ---- files: judge() checks these first, since the others need what is in them ----

@rule("files", f"the folder has {', '.join(FILES)} and {CHECKSUMS}, and nothing else")
def check_files(folder):
    try:
        there = sorted(os.listdir(folder))
    except OSError as error:
        return str(error)
    wanted = sorted((*FILES, CHECKSUMS))
    if there != wanted:
        return f"there are {', '.join(there) or 'no files'}"
    odd = [name for name in there if os.path.islink(os.path.join(folder, name))
           or not os.path.isfile(os.path.join(folder, name))]
    return f"{odd[0]} is no regular file" if odd else None


def read(folder, name):
    with open(os.path.join(folder, name), "rb") as file:
        return file.read()


@rule("checksum", f"{CHECKSUMS} names every file with the SHA-256 that it has")
def check_checksums(folder):
    lines = read(folder, CHECKSUMS).decode("ascii", "replace").splitlines()
    sums = {line[66:]: line[:64] for line in lines if line[64:66] == "  "}
    if len(lines) != len(FILES) or sorted(sums) != sorted(FILES):
        return f"{CHECKSUMS} has other lines than one for each of {', '.join(FILES)}"
    for name in FILES:
        if hashlib.sha256(read(folder, name)).hexdigest() != sums[name]:
            return f"{name} is not what was written: its SHA-256 differs"
    return None


@rule("schema", "record.json is valid by the JSON Schema hymg-fv/3 or hymg-fv/2")
def check_schema(record):
    wrong = schema.errors(record, schema.load_for(record))
    return "; ".join(wrong[:3]) or None


# ---- configuration ----

@rule("official", "the run was made with --official, and hymg-fv found that all held")
def check_official(s):
    return None if s.record["official"] else "official is false"


@rule("problem", "Poisson (a = 0, b = 1), variable beta, Dirichlet walls, right-hand side fv")
def check_problem(s):
    return differs(s.record, {"equation": "poisson", "a": 0, "b": 1, "coefficients": "variable",
                              "boundary": "dirichlet", "problem": "fv"})


@rule("operator", "4th order finite volumes (fv4)")
def check_operator(s):
    return differs(s.record, {"operator": "fv4"})


@rule("precision", "double precision")
def check_precision(s):
    return differs(s.record, {"precision": "double"})


@rule("cycle", "one F-cycle per solve, gsrb with 6 sweeps, bicgstab on the coarsest level")
def check_cycle(s):
    for n, run in enumerate(s.record["runs"]):
        if [cycle["kind"] for cycle in run["cycles"]] != ["f"] or run["path"] != "standard":
            return f"runs[{n}] is not one F-cycle"
    return differs(s.record, {"solver": "fmg", "cycle": "f", "smoother": "gsrb", "sweeps": 6, "bottom": "bicgstab"})


def odd_part(n):
    return n // (n & -n)


@rule("size", f"a cube of C 2^k cells per side, C odd and at most {LARGEST_ODD_FACTOR}, at least {LEAST_CELLS} cells")
def check_size(s):
    n = s.record["runs"][0]["cells"]
    boxes = s.record["config"]["boxes"]
    if n != [n[0]] * 3 or boxes != [boxes[0]] * 3:
        return f"{n[0]} x {n[1]} x {n[2]} cells in {boxes[0]} x {boxes[1]} x {boxes[2]} boxes"
    if n[0] < LEAST_CELLS or odd_part(n[0]) > LARGEST_ODD_FACTOR or n[0] // boxes[0] < LEAST_BOX:
        return f"{n[0]} cells per side in {boxes[0]} boxes"
    return None


@rule("sizes", "three sizes, h, 2h and 4h, each half as many cells per side as the one before")
def check_sizes(s):
    runs, n = s.record["runs"], s.record["runs"][0]["cells"][0]
    sides = [run["cells"] for run in runs]
    if len(runs) != 3 or sides != [[n // 2**k] * 3 for k in range(3)]:
        return f"sizes {', '.join(' x '.join(map(str, c)) for c in sides)}"
    return None


@rule("protocol", f"per size a warm-up of at least {LEAST_WARMUP} solves, at least {LEAST_SOLVES} timed ones and "
      f"{LEAST_SECONDS:g} s of them")
def check_protocol(s):
    p = s.record["protocol"]
    if p["warmup"] < LEAST_WARMUP or p["min_solves"] < LEAST_SOLVES or p["min_seconds"] < LEAST_SECONDS:
        return f"asked for {p['warmup']} warm-up solves, {p['min_solves']} solves and {p['min_seconds']:g} s"
    for n, run in enumerate(s.record["runs"]):
        seconds = run["solves"] * run["seconds_mean"]
        if run["solves"] < p["min_solves"] or seconds < p["min_seconds"] * (1 - 1e-9):
            return f"runs[{n}] has {run['solves']} solves in {seconds:.3f} s"
    return None


# ---- result ----

@rule("residual", "the residual that is left falls from 4h to 2h to h and is at most "
      + ", ".join(f"{x:g}" for x in LARGEST_RESIDUAL) + " at h, 2h, 4h")
def check_residual(s):
    left = [run["cycles"][-1]["residual_relative"] for run in s.record["runs"]]
    small = all(r is not None and 0 < r <= most for r, most in zip(left, LARGEST_RESIDUAL))
    if not small or any(fine >= coarse for fine, coarse in zip(left, left[1:])):
        return f"max|r| / max|f| is {', '.join(map(str, left))}"
    return None


@rule("order", f"the order of convergence, measured from the three sizes, is at least {LEAST_ORDER}")
def check_order(s):
    r = s.record["richardson"]
    if not r or not r["pass"] or not r["error_max"] or r["order"] is None or r["order"] < LEAST_ORDER:
        return f"richardson is {r}"
    return None


@rule("numbers", "what follows from other numbers agrees with them: DOF, DOF/s, spacing, times, set-up in cycles")
def check_numbers(s):
    for n, run in enumerate(s.record["runs"]):
        wrong = run_numbers(run, n, s.record["levels"])
        if wrong:
            return f"runs[{n}]: {wrong}"
    cycles = s.record["setup_seconds"] / s.record["runs"][0]["seconds_mean"]
    if s.record["setup_cycles"] is None or not math.isclose(s.record["setup_cycles"], cycles, rel_tol=1e-9):
        return "setup_cycles is not setup_seconds / seconds_mean"
    return None


def run_numbers(run, n, levels):
    if run["level"] != n or n >= len(levels) or levels[n]["cells"] != run["cells"]:
        return "its level has other cells"
    if run["dof"] != math.prod(run["cells"]):
        return f"dof {run['dof']} is not the product of cells"
    if not math.isclose(run["dof_per_second"] * run["seconds_mean"], run["dof"], rel_tol=1e-9):
        return "dof_per_second is not dof / seconds_mean"
    if not all(math.isclose(h * c, 1, rel_tol=1e-9) for h, c in zip(run["spacing"], run["cells"])):
        return "spacing is not that of the unit cube"
    if run["seconds_min"] > run["seconds_median"] or run["seconds_min"] > run["seconds_mean"] * (1 + 1e-9):
        return "seconds_min is not the least"
    if run["solution_max"] is None or run["solution_rms"] is None or run["solution_rms"] > run["solution_max"]:
        return "solution_max and solution_rms are not finite, or in the wrong order"
    return None


# ---- machine ----

@rule("names", "site and name of the machine are given, the network of several nodes too, and no host is named")
def check_names(s):
    m = s.record["machine"]
    missing = [key for key in ("name", "site") if not (m[key] or "").strip()]
    if s.record["nodes"] > 1 and not (m["interconnect"] or "").strip():
        missing.append("interconnect")
    if missing:
        return f"{missing[0]} is missing"
    if m["host"] != m["name"] or any(node["host"] is not None for node in m["nodes"]):
        return "a host is named"
    return None


@rule("nodes", "every node is described: processor, logical processors, memory, system; their ranks are those of the "
      "run")
def check_nodes(s):
    nodes = s.record["machine"]["nodes"]
    if len(nodes) != s.record["nodes"] or [node["node"] for node in nodes] != list(range(len(nodes))):
        return f"{len(nodes)} nodes are described, {s.record['nodes']} were used"
    if sum(node["ranks"] for node in nodes) != s.record["ranks"]:
        return f"the nodes have {sum(node['ranks'] for node in nodes)} ranks, the run {s.record['ranks']}"
    for node in nodes:
        for key in ("cpu", "processors", "memory_bytes", "os"):
            if not node[key]:
                return f"node {node['node']}: {key} is missing"
        if node["threads"] < node["ranks"]:
            return f"node {node['node']}: fewer threads than ranks"
    return None


@rule("gpus", "every GPU in use is described: name, memory, driver, CUDA; without a GPU none is")
def check_gpus(s):
    m, on_gpu = s.record["machine"], s.record["placement"] is not None
    if m["gpus"] != [gpu["name"] for node in m["nodes"] for gpu in node["gpus"]]:
        return "the list of names is not that of the nodes"
    for node in m["nodes"]:
        if bool(node["gpus"]) != on_gpu:
            return f"node {node['node']}: {len(node['gpus'])} GPUs, but the run was {'' if on_gpu else 'not '}on GPUs"
        if on_gpu and (not node["gpu_driver"] or sum(gpu["ranks"] for gpu in node["gpus"]) != node["ranks"]):
            return f"node {node['node']}: the driver is missing, or a rank without a GPU"
        for gpu in node["gpus"]:
            missing = [key for key in ("name", "memory_bytes", "cuda_driver", "cuda_runtime") if not gpu[key]]
            if missing:
                return f"node {node['node']}: {missing[0]} of a GPU is missing"
    return None


@rule("software", "compiler, its options and, with MPI, the library as it runs are named; several ranks need MPI")
def check_software(s):
    m = s.record["machine"]
    missing = [key for key in ("compiler", "flags") if not m[key]]
    if s.record["config"]["comm"] == "mpi" and not m["mpi_library"]:
        missing.append("mpi_library")
    if s.record["config"]["comm"] != "mpi" and s.record["ranks"] > 1:
        return f"{s.record['ranks']} ranks without MPI"
    return f"{missing[0]} is missing" if missing else None


@rule("commit", "hymg was built from a commit without local changes")
def check_commit(s):
    commit = s.record["commit"]
    return None if commit and not commit.endswith("-dirty") else f"commit is {commit}"


@rule("bandwidth", f"the rate of a copy was measured, over at least {limits.COPY_BYTES:g} bytes")
def check_bandwidth(s):
    b = s.record["bandwidth"]
    return None if b and b["bytes"] >= limits.COPY_BYTES else "not measured" if not b else f"over {b['bytes']} bytes"


# ---- the record alone ----

for alone in agreement.RULES:
    rule(alone.name, alone.text)(lambda s, check=alone.check: check(s.record))


# ---- the files among each other ----

@rule("machine", "machine.json says what record.json says")
def check_machine(s):
    if not isinstance(s.machine, dict) or s.machine.get("schema") != "hymg-machine/1":
        return "is no description of a machine, schema hymg-machine/1"
    wanted = {key: s.record[key] for key in ("version", "commit", "date", "machine")}
    wanted["schema"] = "hymg-machine/1"
    wrong = [key for key in sorted({*wanted, *s.machine}) if wanted.get(key) != s.machine.get(key)]
    return f"{wrong[0]} differs" if wrong else None


def log_lines(record):
    """What hymg-fv prints for this record: how its lines begin (print.c)."""
    m, run, r = record["machine"], record["runs"][0], record["richardson"]
    lines = [f"hymg-fv {record['version']} on {m['name']}, {m['cpu']}, {counted(m['cores'], 'core')}; "
             f"{counted(record['ranks'], 'rank')} x {counted(record['threads'], 'thread')} on "
             f"{counted(record['nodes'], 'node')}",
             f"grid      {cells(run)} cells in ",
             f"set-up    {record['setup_seconds']:.3f} s, tuning {record['tuning_seconds']:.3f} s; problem evaluated in "
             f"{record['problem_seconds']:.3f} s"]
    for size in record["runs"]:
        lines.append(f"{cells(size):24} {size['dof']:14d} {size['solves']:7d} {size['seconds_mean']:11.4e} "
                     f"{size['dof_per_second']:11.4e} {size['cycles'][-1]['residual_relative']:13.6e} ")
        if size.get("disturbed"):
            lines.append("    disturbed: ")
    lines.append(f"Richardson: error {r['error_max']:.15e}, order {r['order']:.4f}: pass ")
    lines += breakdown_lines(record["breakdown"])
    lines.append(f"memory    {record['bytes_per_dof']:.1f} bytes per DOF live during a solve")
    lines.append(f"{run['dof_per_second']:.6e} DOF/s  ({cells(run)} cells, {record['config']['operator']}, "
                 f"mean of {run['solves']} solves)  OFFICIAL")
    return lines


def counted(number, noun):
    return f"{number} {noun}{'s' * (number != 1)}"


def cells(run):
    return " x ".join(map(str, run["cells"]))


def breakdown_lines(rows):
    """The time table's rows; those of a small share are not always printed."""
    total = sum(row["seconds"] for row in rows)
    yield f"one instrumented solve of the finest size, rank 0: {total:.4e} s"
    for row in rows:
        if row["seconds"] >= LEAST_SHARE * total:
            rate = f"{1e-9 * row['bytes'] / row['seconds']:.2f}" if row["seconds"] > 0 and row["bytes"] > 0 else "-"
            yield f"{row['level']:5d}  {row['verb']:22} {row['calls']:9d} {row['seconds']:11.4e} {rate:>9} "


@rule("log", "log.txt has the lines that hymg-fv prints for this record")
def check_log(s):
    there = s.log.splitlines()
    for wanted in log_lines(s.record):
        if not any(line.startswith(wanted) for line in there):
            return f"no line '{wanted.strip()}'"
    return None


# ---- all ----

def judge(folder):
    """The record of a submission, and the broken rules as pairs of name and reason. What cannot be read because of a
    broken rule is not judged further."""
    for first in RULES[:2]:
        wrong = first.check(folder)
        if wrong:
            return None, [(first.name, wrong)]
    try:
        record, machine = (records.parse(read(folder, name).decode("utf-8"), name)
                           for name in ("record.json", "machine.json"))
        log = read(folder, "log.txt").decode("utf-8")
    except (records.Broken, UnicodeDecodeError) as error:
        return None, [("schema", str(error))]
    wrong = RULES[2].check(record)
    if wrong:
        return None, [("schema", wrong)]
    submission = Submission(record, machine, log)
    return record, [(r.name, why) for r in RULES[3:] for why in [agreement.attempt(r.check, submission)] if why]
