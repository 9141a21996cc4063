"""What hymg-report must do, but for rankings and what figures show, which are in check_ranking.py: check_report.py
SRCDIR WORK. WORK has the records and submissions that report.sh made with this build's hymg-fv (none where it has no
JSON); the rules are tried on the submission of benchmarks/ranking. Ends with the totals."""
import contextlib
import copy
import csv
import hashlib
import io
import json
import os
import shutil
import sys
import xml.dom.minidom

SRCDIR, WORK = sys.argv[1:3]
REPORT = os.path.join(SRCDIR, "benchmarks", "report")
RANKING = os.path.join(SRCDIR, "benchmarks", "ranking")
sys.path.insert(0, REPORT)
sys.dont_write_bytecode = True

from hymg_report import agreement, limits, main, plots, rules, schema  # noqa: E402

count = {"passed": 0, "failed": 0, "skipped": 0}


def check(ok, what):
    count["passed" if ok else "failed"] += 1
    if not ok:
        print(f"report: FAILED: {what}")


def skip(why):
    count["skipped"] += 1
    print(f"report: skipped: {why}")


def run(*arguments):
    """Exit status, standard output and standard error of hymg-report."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main.main([str(a) for a in arguments])
        except SystemExit as end:
            status = end.code
    return status, out.getvalue(), err.getvalue()


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def save(path, value):
    with open(path, "w", encoding="utf-8") as file:
        file.write(value if isinstance(value, str) else json.dumps(value, indent=2))
    return path


def in_work(name):
    return os.path.join(WORK, name)


def validators(value):
    """Does each validator that there is accept it?"""
    known = schema.load_for(value)
    found = {"own": not schema.own_errors(value, known, known)}
    if schema.jsonschema:
        found["jsonschema"] = not schema.jsonschema_errors(value, known)
    return found


# ---- records of this build ----

def check_records():
    names = sorted(name for name in os.listdir(WORK) if name.endswith(".json"))
    if not names:
        skip("records of this build: it has no JSON")
        return
    for name in names:
        status, out, err = run(in_work(name))
        check(status == 0 and "| 1 " in out, f"{name}: status {status}: {err}")
        record = load(in_work(name))
        check(all(validators(record).values()), f"{name}: {validators(record)}")
        check_honest(name, record)
    files = [in_work(name) for name in names]
    status, out, _ = run("--csv", *files)
    rows = list(csv.DictReader(io.StringIO(out)))
    rates = [float(row["DOF/s at h"]) for row in rows]
    wanted = sorted((load(file)["runs"][0]["dof_per_second"] for file in files), reverse=True)
    check(status == 0 and rates == wanted, f"--csv: {rates}, not {wanted}")
    check([row["rank"] for row in rows] == [str(n + 1) for n in range(len(rows))], "--csv: places")
    check_plots(files)
    broken = save(in_work("broken"), {**load(files[0]), "ranks": "one"})
    status, out, err = run(broken, files[0])
    check(status == 1 and "ranks" in err and "| 1 " in out, f"a broken record beside a good one: {status}, {err}")


def check_honest(name, record):
    """A real run breaks no rule about the record alone, and is far from the bound of its rate."""
    broken = agreement.contradictions(record)
    if record["placement"]:  # an emulated GPU makes many launches that cost nothing where they are not measured
        broken = [(rule, why) for rule, why in broken if rule != "instrumented"]
    check(broken == [], f"{name} contradicts itself: {broken}")
    for n in limits.sizes(record):
        share = limits.solve(record, n)[1] / record["runs"][n]["seconds_min"]
        check(0 < share < 0.8, f"{name}, runs[{n}]: {100 * share:.1f} % of the fastest possible rate")


def check_plots(files):
    folder = in_work("plots")
    if not plots.available():
        status, _, err = run("--plots", folder, *files)
        check(status == 2 and "matplotlib" in err, f"without matplotlib: {status}, {err}")
        skip("plots: matplotlib is missing")
        return
    status, _, err = run("--plots", folder, *files)
    names = ["convergence", "dofs", "levels", "roofline", "scaling"]
    there = sorted(os.listdir(folder))
    check(status == 0 and there == [f"{name}.svg" for name in names], f"plots: {there}: {err}")
    for name in there:
        document = xml.dom.minidom.parse(os.path.join(folder, name))
        check(len(document.getElementsByTagName("path")) > 10, f"{name} is nearly empty")
    one = in_work("plots1")
    status, _, err = run("--plots", one, "--format", "png", "--quiet", files[0])
    check(status == 0 and "scaling: not drawn" in err and "scaling.png" not in os.listdir(one), f"one record: {err}")
    with open(os.path.join(one, "dofs.png"), "rb") as file:
        check(file.read(8) == b"\x89PNG\r\n\x1a\n", "dofs.png is no PNG")


def check_rehearsal():
    """A submission of this build breaks just the rules that a small run must break."""
    folder = in_work("rehearsal")
    if not os.path.isdir(folder):
        return
    _, broken = rules.judge(folder)
    names = {name for name, _ in broken}
    must = {"official", "size", "protocol", "bandwidth"}
    may = must | {"commit", "order", "residual", "log"}  # log: only of a run that passed is the last line OFFICIAL
    nodes = load(os.path.join(folder, "machine.json"))["machine"]["nodes"]
    may |= {"instrumented"} if nodes[0]["gpus"] else set()
    may |= {"gpus"} if nodes[0]["gpus"] and not nodes[0]["gpu_driver"] else set()  # emulated ones have no driver
    check(must <= names <= may, f"rehearsal: broken are {sorted(names)}")
    status, out, err = run("--rank", folder)
    check(status == 1 and not out and "rule official" in err, f"rehearsal: {status}, {err}")
    text = open(os.path.join(folder, "record.json"), encoding="utf-8").read()
    check(os.uname().nodename not in text, "a submission names the host")
    lines = [line for line in rules.log_lines(load(os.path.join(folder, "record.json")))
             if not line.endswith(("OFFICIAL", ": pass "))]
    log = open(os.path.join(folder, "log.txt"), encoding="utf-8").read().splitlines()
    for line in lines:
        check(any(there.startswith(line) for there in log), f"log.txt of this build has no line '{line}'")


def check_ranks():
    """Two ranks of one host, and two ranks that each take theirs for another."""
    for name, hosts in (("two-ranks", 1), ("two-hosts", 2)):
        folder = in_work(name)
        if not os.path.isdir(folder):
            skip(f"{name}: report.sh has not made it")
            continue
        nodes = load(os.path.join(folder, "machine.json"))["machine"]["nodes"]
        ranks = [node["ranks"] for node in nodes]
        check(ranks == [2 // hosts] * hosts, f"{name}: nodes have {ranks} ranks")
        check([node["threads"] for node in nodes] == ranks, f"{name}: threads")
        gpus = [sum(gpu["ranks"] for gpu in node["gpus"]) for node in nodes]
        check(gpus in (ranks, [0] * hosts), f"{name}: GPUs of {gpus} ranks")
        check(all(node["cpu"] and node["processors"] > 0 and node["memory_bytes"] > 1e8 for node in nodes),
              f"{name}: a node is not described")
    if os.path.isdir(in_work("two-hosts")):
        names = {name for name, _ in rules.judge(in_work("two-hosts"))[1]}
        check("nodes" in names, "two hosts of which MPI knows one: rule nodes holds")


def check_versions():
    """Records of the version before are read, and no record passes for one of another version."""
    older = load(os.path.join(accepted(), "record.json"))
    check(older["schema"] == "hymg-fv/2", "benchmarks/ranking has no record of schema hymg-fv/2 to try")
    check(all(validators(older).values()), f"a record of hymg-fv/2: {validators(older)}")
    check(not any(validators({**older, "schema": "hymg-fv/3"}).values()), "a record of hymg-fv/2 passes for hymg-fv/3")
    for version in ("hymg-fv/1", "hymg-fv/4", "", None, 3, ["hymg-fv/2"]):
        check(not any(validators({**older, "schema": version}).values()), f"schema {version} is accepted")
    if not os.path.exists(in_work("fv4.json")):
        skip("records of hymg-fv/3: report.sh has made none")
        return
    record = load(in_work("fv4.json"))
    check(record["schema"] == "hymg-fv/3", f"hymg-fv writes schema {record['schema']}")
    check(not any(validators({**record, "schema": "hymg-fv/2"}).values()), "a record of hymg-fv/3 passes for hymg-fv/2")
    for key in ("energy", "runs"):
        check(not any(validators({k: v for k, v in record.items() if k != key}).values()), f"{key} may be missing")
    energy = {"scope": "components", "counters": ["nvml", "rapl"], "seconds": 1.5, "solves": 3, "joules": 6.0,
              "joules_per_solve": 2.0, "dof_per_joule": 9.5, "idle_watts": None,
              "parts": [{"node": 0, "name": "package-0", "counter": "rapl", "joules": 6.0, "idle_watts": 20.5}]}
    check(all(validators({**record, "energy": energy}).values()), "energy is refused")
    for key, value in (("scope", "nodes"), ("counters", []), ("counters", ["guess"]), ("joules", 0), ("joules", None),
                       ("parts", []), ("parts", [{**energy["parts"][0], "counter": None}]), ("watts", 4.0)):
        check(not any(validators({**record, "energy": {**energy, key: value}}).values()), f"energy with {key} = {value}")
    status, _, err = run("--quiet", save(in_work("broken-energy"), {**record, "energy": {}}))
    check(status == 1 and "energy" in err, f"empty energy: {status}, {err}")
    for key in ("binding", "numa_nodes", "network_cards"):
        check(key in record["machine"]["nodes"][0], f"no {key} of a node")


# ---- the rules, each with a change that breaks it ----

def change(path, value):
    """Sets a value of record.json, and of machine.json where that has it, too."""
    def edit(record, machine, log):
        for document in (record, machine):
            at, keys = document, path.split("/")
            for key in keys[:-1]:
                at = at[int(key)] if isinstance(at, list) else at.get(key, {})
            key = int(keys[-1]) if isinstance(at, list) else keys[-1]
            if document is record or (isinstance(at, list) or key in at):
                at[key] = value
        return log
    return edit


PLACEMENT = {"tail_from": 5, "host_from": 7, "source": "estimate", "seconds": 0.0, "note": None}


def on_gpu(driver="580.1", **changes):
    """As if the run had been on a GPU, described but for the changes."""
    def edit(record, machine, log):
        gpu = {"name": "A", "bus": None, "memory_bytes": 10**10, "ranks": 1, "cuda_driver": "13.0",
               "cuda_runtime": "13.0", **changes}
        for document in (record, machine):
            document["machine"]["gpus"] = ["A"]
            document["machine"]["nodes"][0].update(gpus=[gpu], gpu_driver=driver)
        record["placement"] = PLACEMENT
        return log
    return edit


def other_machine(record, machine, log):
    machine["machine"]["cpu"] = "a faster one"
    return log


MUTATIONS = [
    ("schema", change("seconds", 1)), ("schema", change("ranks", "1")), ("schema", change("config/operator", "fv6")),
    ("schema", change("runs/0/cells", [128, 128])), ("schema", change("date", "yesterday")),
    ("schema", change("runs/1/dof_per_second", -1.0)), ("schema", change("schema", "hymg-fv/1")),
    ("official", change("official", False)),
    ("problem", change("config/problem", "p6")), ("problem", change("config/equation", "helmholtz")),
    ("problem", change("config/boundary", "periodic")), ("problem", change("config/coefficients", "constant")),
    ("operator", change("config/operator", "fv2")),
    ("precision", change("config/precision", "single")),
    ("cycle", change("config/sweeps", 2)), ("cycle", change("config/smoother", "jacobi")),
    ("cycle", change("config/bottom", "smoother")), ("cycle", change("runs/0/cycles/0/kind", "v")),
    ("size", change("runs/0/cells", [64, 64, 64])), ("size", change("runs/0/cells", [208, 208, 208])),
    ("size", change("runs/0/cells", [128, 128, 256])), ("size", change("config/boxes", [16, 16, 16])),
    ("sizes", change("runs/1/cells", [128, 128, 128])), ("sizes", lambda r, m, log: r["runs"].pop() and log),
    ("protocol", change("protocol/warmup", 9)), ("protocol", change("protocol/min_solves", 9)),
    ("protocol", change("protocol/min_seconds", 59.0)), ("protocol", change("runs/2/solves", 9)),
    ("residual", change("runs/0/cycles/0/residual_relative", 0.5)),
    ("residual", change("runs/0/cycles/0/residual_relative", None)),
    ("residual", change("runs/1/cycles/0/residual_relative", 1e-9)),
    ("order", change("richardson/order", 3.4)), ("order", change("richardson/pass", None)),
    ("order", change("richardson", None)),
    ("numbers", change("runs/0/dof_per_second", 1e12)), ("numbers", change("runs/0/seconds_mean", 1e-3)),
    ("numbers", change("runs/1/dof", 10**9)), ("numbers", change("runs/2/solution_max", None)),
    ("numbers", change("runs/0/spacing", [1.0, 1.0, 1.0])), ("numbers", change("runs/0/seconds_min", 1e3)),
    ("numbers", change("setup_cycles", 1e3)),
    ("names", change("machine/site", None)), ("names", change("machine/name", " ")),
    ("names", change("nodes", 2)), ("names", change("machine/host", "n17")),
    ("nodes", change("nodes", 2)), ("nodes", change("ranks", 2)),
    ("nodes", change("machine/nodes/0/memory_bytes", None)),
    ("nodes", change("machine/nodes/0/cpu", "")), ("nodes", change("machine/nodes/0/os", None)),
    ("gpus", on_gpu(memory_bytes=None)), ("gpus", on_gpu(cuda_runtime=None)), ("gpus", on_gpu(driver=None)),
    ("gpus", on_gpu(ranks=2)), ("gpus", change("machine/gpus", ["A"])), ("gpus", change("placement", PLACEMENT)),
    ("software", change("machine/compiler", None)), ("software", change("machine/mpi_library", None)),
    ("commit", change("commit", "0a1b2c3-dirty")), ("commit", change("commit", None)),
    ("bandwidth", change("bandwidth", None)), ("bandwidth", change("bandwidth/bytes", 8000000)),
    ("machine", other_machine), ("machine", lambda r, m, log: m.pop("commit") and log),
    ("machine", lambda r, m, log: m.update(schema="x") or log),
    ("log", lambda r, m, log: log.replace("OFFICIAL", "")), ("log", lambda r, m, log: log.replace("Richardson", "R")),
    ("log", lambda r, m, log: ""), ("log", change("runs/1/solves", 12345)),
]


def write_submission(folder, record, machine, log):
    """With the checksums of what is written, so that no other rule than the wanted one is broken by the writing."""
    os.makedirs(folder)
    save(os.path.join(folder, "record.json"), record)
    save(os.path.join(folder, "machine.json"), machine)
    save(os.path.join(folder, "log.txt"), log)
    with open(os.path.join(folder, "SHA256SUMS"), "w", encoding="ascii") as sums:
        for name in rules.FILES:
            sums.write(f"{hashlib.sha256(rules.read(folder, name)).hexdigest()}  {name}\n")


def accepted():
    """The submission of benchmarks/ranking that the mutations change: 128^3 cells in one box on a CPU."""
    folder = os.path.join(RANKING, "virtual-machine")
    return folder if os.path.isdir(folder) else None


def check_rules(base):
    record, machine = load(os.path.join(base, "record.json")), load(os.path.join(base, "machine.json"))
    with open(os.path.join(base, "log.txt"), encoding="utf-8") as file:
        log = file.read()
    write_submission(in_work("same"), record, machine, log)
    check(rules.judge(in_work("same"))[1] == [], f"written anew: {rules.judge(in_work('same'))[1]}")
    r, m = copy.deepcopy(record), copy.deepcopy(machine)
    on_gpu()(r, m, log)
    write_submission(in_work("gpu"), r, m, log)
    check(rules.judge(in_work("gpu"))[1] == [], f"a described GPU: {rules.judge(in_work('gpu'))[1]}")
    for n, (name, mutation) in enumerate(MUTATIONS):
        r, m = copy.deepcopy(record), copy.deepcopy(machine)
        changed = mutation(r, m, log)
        folder = in_work(f"mutation{n}")
        write_submission(folder, r, m, changed)
        status, out, err = run("--rank", folder)
        check(status == 1 and not out and f"refused: rule {name}: " in err, f"mutation {n} of {name}: {status}, {err}")
        if name == "schema":
            check(not any(validators(r).values()), f"mutation {n}: validators disagree: {validators(r)}")
    tried = {name for name, _ in MUTATIONS} | {"files", "checksum"} | {r.name for r in agreement.RULES}
    check(tried == {r.name for r in rules.RULES}, f"rules without a mutation: {tried ^ {r.name for r in rules.RULES}}")


# ---- forged records that are consistent otherwise: one rule alone refuses them ----

def divide_times(record, factor, sizes=(0, 1, 2), instrumented=True):
    """Faster by a factor, with what follows from the times, and enough solves for the protocol."""
    for run in [record["runs"][n] for n in sizes]:
        for key in ("seconds_mean", "seconds_median", "seconds_min"):
            run[key] /= factor
        run["solves"] *= factor
        run["dof_per_second"] = run["dof"] / run["seconds_mean"]
    record["setup_cycles"] = record["setup_seconds"] / record["runs"][0]["seconds_mean"]
    if instrumented:
        change_rows(record, seconds=1 / factor)


def change_rows(record, seconds=1, nbytes=1):
    for row in record["breakdown"]:
        row["seconds"] *= seconds
        row["bytes"] = round(row["bytes"] * nbytes)
        row["gb_per_second"] = 1e-9 * row["bytes"] / row["seconds"]


def update(path, **changes):
    def edit(record):
        at = record
        for key in path.split("/") if path else ():
            at = at[int(key)] if isinstance(at, list) else at[key]
        at.update(changes)
    return edit


def multiply(path, factor):
    def edit(record):
        *above, last = path.split("/")
        at = record
        for key in above:
            at = at[int(key)] if isinstance(at, list) else at[key]
        at[last] = type(at[last])(at[last] * factor)
    return edit


def all_of(*edits):
    def edit(record):
        for each in edits:
            each(record)
    return edit


def rows_again(record):
    record["breakdown"].append(copy.deepcopy(record["breakdown"][0]))


def without_smoothing(record):
    record["breakdown"] = [row for row in record["breakdown"] if row["level"] or "smooth" not in row["verb"]]


def double_calls(record):
    record["breakdown"][0]["calls"] *= 2


FORGED = [  # submission, rules that must refuse it and no others, change
    ("virtual-machine", {"rate"}, lambda r: divide_times(r, 1000)),
    ("virtual-machine", {"rate"}, lambda r: divide_times(r, 40)),
    ("virtual-machine", {"rate"}, lambda r: divide_times(r, 1000, sizes=(1,), instrumented=False)),
    ("virtual-machine", {"rate", "instrumented"}, lambda r: divide_times(r, 1000, instrumented=False)),
    ("virtual-machine", {"rate"}, multiply("runs/1/seconds_min", 1e-4)),
    ("virtual-machine", {"instrumented"}, lambda r: divide_times(r, 8, instrumented=False)),
    ("virtual-machine", {"instrumented"}, lambda r: change_rows(r, seconds=1 / 20)),
    ("virtual-machine", {"breakdown"}, lambda r: (divide_times(r, 1000), change_rows(r, nbytes=1e-3))),
    ("virtual-machine", {"breakdown"}, lambda r: change_rows(r, nbytes=2)),
    ("virtual-machine", {"breakdown"}, double_calls),
    ("virtual-machine", {"breakdown"}, rows_again), ("virtual-machine", {"breakdown"}, without_smoothing),
    ("virtual-machine", {"breakdown"}, update("breakdown/3", gb_per_second=1.0)),
    ("virtual-machine", {"breakdown"}, update("breakdown/3", level=7)),
    ("virtual-machine", {"threads"}, update("", threads=2)),
    ("virtual-machine", {"threads"}, update("machine/nodes/0", threads=2)),
    ("virtual-machine", {"threads"}, update("machine/nodes/0", processors=128)),
    ("virtual-machine", {"threads"}, update("machine", cpu="a faster one")),
    ("virtual-machine", {"copy"}, multiply("bandwidth/bytes_per_second", 0.5)),
    ("virtual-machine", {"copy"}, multiply("bandwidth/bytes_per_second", 1000)),
    ("virtual-machine", {"copy"}, multiply("bandwidth/bytes", 1000)),
    ("virtual-machine", {"copy", "rate"},
     all_of(multiply("bandwidth/bytes_per_second", 1000), lambda r: divide_times(r, 1000))),
    ("virtual-machine", {"dates"}, update("", date="2099-11-23T10:20:18Z")),
    ("virtual-machine", {"dates"}, update("", date="2026-11-20T10:20:18Z")),
    ("virtual-machine", {"dates"}, update("", date="2026-02-30T10:20:18Z")),
    ("h200", {"rate"}, lambda r: divide_times(r, 1000)), ("h200", {"rate"}, lambda r: divide_times(r, 8)),
    ("h200", {"rate"}, lambda r: divide_times(r, 100, sizes=(2,), instrumented=False)),
    ("h200", {"copy", "rate"}, multiply("bandwidth/bytes_per_second", 0.1)),
    ("h200", {"copy"}, multiply("bandwidth/bytes", 100)),
    ("h200", {"threads"}, update("", threads=64)),
]


def printed(record):
    """A log as hymg-fv would have printed it for this record."""
    return "\n".join(rules.log_lines(record)) + "\n"


def check_forged():
    for n, (name, wanted, edit) in enumerate([(name, set(), lambda r: None) for name in ("virtual-machine", "h200")] + FORGED):
        record, folder = load(os.path.join(RANKING, name, "record.json")), in_work(f"forged{n}")
        edit(record)
        machine = {"schema": "hymg-machine/1", **{key: record[key] for key in ("version", "commit", "date", "machine")}}
        write_submission(folder, record, machine, printed(record))
        status, out, err = run("--rank", folder)
        broken = rules.judge(folder)[1]
        check({rule for rule, _ in broken} == wanted, f"forged {n}: refused by {broken}, not just {wanted}")
        check(status == (1 if wanted else 0) and all(f"refused: rule {rule}: " in err for rule in wanted),
              f"forged {n}: {status}, {err}")
        status, out, err = run(os.path.join(folder, "record.json"))
        check(status == 0 and "| 1 " in out and ("warning: contradicts itself, rule " in err) == bool(wanted),
              f"forged {n} in a table: {status}, {err}")
    tried = set().union(*[wanted for _, wanted, _ in FORGED])
    check(tried | {"disturbed", "energy"} == {r.name for r in agreement.RULES}, f"rules not tried: {tried}")


def check_log_of_another():
    """The log of the true run beside a changed record."""
    for n, (name, edit) in enumerate((("threads", all_of(update("", threads=2), update("machine/nodes/0", threads=2))),
                                      ("breakdown", lambda r: change_rows(r, seconds=1.01)),
                                      ("set-up", update("", tuning_seconds=0.1)),
                                      ("memory", multiply("bytes_per_dof", 0.5)))):
        base, folder = os.path.join(RANKING, "virtual-machine"), in_work(f"other-log{n}")
        record = load(os.path.join(base, "record.json"))
        edit(record)
        machine = {"schema": "hymg-machine/1", **{key: record[key] for key in ("version", "commit", "date", "machine")}}
        write_submission(folder, record, machine, rules.read(base, "log.txt").decode())
        broken = rules.judge(folder)[1]
        check([rule for rule, _ in broken] == ["log"], f"{name} differs from the log: {broken}")


def check_message():
    """A refusal has the numbers and the limit."""
    record = load(os.path.join(RANKING, "virtual-machine", "record.json"))
    divide_times(record, 1000)
    why = dict(agreement.contradictions(record)).get("rate", "")
    check("declares 1.749 GB, 8024 GB/s in the mean (0.000218 s)" in why and "15.06 GB/s" in why and "allow 200 GB/s" in why, f"rate says: {why}")


def check_commit_date():
    """A day before the commit is allowed, two are not, where the sources are a checkout with that commit."""
    record = load(os.path.join(RANKING, "virtual-machine", "record.json"))
    commit = agreement.commit_seconds(record["commit"])
    if commit is None:
        skip("a date before the commit: the sources are no checkout that has it")
        return
    for date, wanted in (("2026-11-22T11:00:00Z", []), ("2026-11-22T09:00:00Z", ["dates"])):
        found = agreement.contradictions({**record, "date": date})
        check([name for name, _ in found] == wanted, f"{date} and commit {record['commit']}: {found}")


# ---- keys of schema hymg-fv/3 ----

def third(name):
    """A submission's record as schema hymg-fv/3 would have it, with energy of made-up counters."""
    record = load(os.path.join(RANKING, name, "record.json"))
    record["schema"] = "hymg-fv/3"
    run = record["runs"][0]
    for size in record["runs"] + record.get("coarser_runs", []):
        size["disturbed"] = size["seconds_mean"] > 1.5 * size["seconds_min"]
    on_gpu = bool(record["machine"]["gpus"])
    for node in record["machine"]["nodes"]:
        node.update(binding=None, numa_nodes=1, network_cards=0)
        for gpu in node["gpus"]:
            gpu.update(power_limit_watts=700.0, ecc=True, throttle_reasons=[],
                       clocks_mhz={"sm": 1980, "memory": 3201, "sm_max": 1980, "memory_max": 3201})
    seconds = run["solves"] * run["seconds_mean"] * 1.01
    parts = [{"node": 0, "name": "GPU 0000:00:06", "counter": "nvml", "joules": 600 * seconds, "idle_watts": 75.0}] \
        if on_gpu else []
    parts.append({"node": 0, "name": "package-0", "counter": "rapl", "joules": 150 * seconds, "idle_watts": 60.0})
    joules = sum(part["joules"] for part in parts)
    record["energy"] = {"scope": "components", "counters": sorted({part["counter"] for part in parts}), "seconds": seconds,
                        "solves": run["solves"], "joules": joules, "joules_per_solve": joules / run["solves"],
                        "dof_per_joule": run["dof"] * run["solves"] / joules,
                        "idle_watts": sum(part["idle_watts"] for part in parts), "parts": parts}
    return record


def scale_energy(factor):
    """All of it, so that the sums still hold."""
    def edit(record):
        e = record["energy"]
        for part in e["parts"]:
            part["joules"] *= factor
        e["joules"] *= factor
        e["joules_per_solve"] *= factor
        e["dof_per_joule"] /= factor
    return edit


THIRD = [  # rule that refuses, change
    (None, lambda r: None), (None, update("", energy=None)), (None, update("energy", idle_watts=None)),
    ("disturbed", lambda r: r["runs"][0].update(disturbed=not r["runs"][0]["disturbed"])),
    ("disturbed", lambda r: r["runs"][2].update(disturbed=not r["runs"][2]["disturbed"])),
    ("energy", scale_energy(0.05)), ("energy", scale_energy(20)),
    ("energy", multiply("energy/joules", 0.5)), ("energy", multiply("energy/joules_per_solve", 0.5)),
    ("energy", multiply("energy/dof_per_joule", 2)), ("energy", multiply("energy/solves", 2)),
    ("energy", multiply("energy/seconds", 0.9)), ("energy", multiply("energy/seconds", 3.5)),
    ("energy", multiply("energy/parts/0/joules", 0.9)), ("energy", multiply("energy/idle_watts", 0.9)),
    ("energy", update("energy/parts/0", node=1)), ("energy", update("energy", counters=["nvml"])),
]


def check_third():
    newest = schema.load()["properties"]["schema"]["const"]
    for name in ("virtual-machine", "h200"):
        for n, (rule, edit) in enumerate(THIRD):
            record = third(name)
            edit(record)
            found = [broken for broken, _ in agreement.contradictions(record)]
            check(found == ([rule] if rule else []), f"{name} as hymg-fv/3, change {n}: {agreement.contradictions(record)}")
            if newest == "hymg-fv/3":
                check(all(validators(record).values()), f"{name} as hymg-fv/3, change {n}: {schema.errors(record, schema.load())}")
    record = third("virtual-machine")
    lines = rules.log_lines(record)
    check(sum(line.startswith("    disturbed: ") for line in lines) == 2, f"the log of a disturbed run: {lines}")


def check_files(base):
    def refused(name, what, edit):
        folder = in_work(f"tampered-{what}")
        shutil.copytree(base, folder)
        edit(folder)
        status, _, err = run("--rank", folder)
        check(status == 1 and f"refused: rule {name}: " in err, f"{what}: {status}, {err}")

    def append(name, text):
        def edit(folder):
            with open(os.path.join(folder, name), "a", encoding="utf-8") as file:
                file.write(text)
        return edit

    for name in rules.FILES:
        refused("checksum", f"space-{name}", append(name, " "))
        refused("files", f"no-{name}", lambda folder, name=name: os.remove(os.path.join(folder, name)))
    refused("checksum", "sums", append(rules.CHECKSUMS, "0" * 64 + "  other\n"))
    refused("checksum", "no-sums", lambda folder: save(os.path.join(folder, rules.CHECKSUMS), ""))
    refused("files", "more", lambda folder: save(os.path.join(folder, "more"), ""))

    def twice(folder):
        path = os.path.join(folder, "record.json")
        with open(path, encoding="utf-8") as file:
            text = file.read().replace('"official": true', '"official": false, "official": true', 1)
        shutil.rmtree(folder)
        write_submission(folder, text, load(os.path.join(base, "machine.json")),
                         rules.read(base, "log.txt").decode())
    refused("schema", "twice", twice)
    status, _, err = run("--rank", in_work("nowhere"))
    check(status == 1 and "rule files" in err, f"no folder: {status}, {err}")


def check_command_line():
    for arguments, why in (((), "no FILE"), (("x", "--format", "svg"), "--format has no effect"),
                           (("x", "--quiet", "--csv"), "contradict"), (("x", "--colour"), "unknown option '--colour'"),
                           (("x", "--plot", "y"), "did you mean --plots?"), (("--csv=1", "x"), "ignored explicit argument")):
        status, _, err = run(*arguments)
        check(status == 2 and why in err, f"{arguments}: {status}, {err}")
    status, out, _ = run("--rules")
    check(status == 0 and all(f"{r.name} " in out for r in rules.RULES), "--rules")
    status, out, _ = run("--schema")
    check(status == 0 and json.loads(out) == schema.load(), "--schema")
    for text, why in (("{", "not JSON"), ('{"a": NaN}', "NaN"), ("[]", "not of type object")):
        status, _, err = run(save(in_work("no-record"), text))
        check(status == 1 and ("is not of type" in err or why in err), f"{text}: {status}, {err}")
    status, _, err = run(in_work("not-there"))
    check(status == 1 and "not-there" in err, f"a file that is not there: {status}, {err}")


def check_schema():
    """Every property says what it is, objects take no others, and the two validators agree.
    robin and coarser_runs are not in older records."""
    def walk(node, path):
        if isinstance(node, dict) and "properties" in node:
            optional = set(node["properties"]) - set(node["required"])
            check(node.get("additionalProperties") is False and optional <= {"robin", "coarser_runs"},
                  f"schema: {path} is open or has optional keys")
            for key, item in node["properties"].items():
                check("description" in item or "$ref" in item, f"schema: {path}.{key} has no description")
                walk(item, f"{path}.{key}")
    for version in ("hymg-fv/3", "hymg-fv/2"):
        known = schema.load(version)
        check(known["properties"]["schema"]["const"] == version, f"the schema of {version} is of another version")
        walk(known, "")
        for name, item in known["$defs"].items():
            walk(item, f"$defs.{name}")
        if schema.jsonschema and hasattr(schema.jsonschema, "Draft202012Validator"):
            schema.jsonschema.Draft202012Validator.check_schema(known)
        else:
            skip("the schema by jsonschema: the package is missing or old")


def check_sums():
    """The program's SHA-256 of the first n bytes of a sequence, around every length of a last block."""
    if not os.path.exists(in_work("sums")):
        return
    with open(in_work("sums"), encoding="ascii") as file:
        sums = file.read().split()
    data = bytes((i * i + 7 * i + i // 256) % 256 for i in range(4096))
    wanted = [hashlib.sha256(data[:n]).hexdigest() for n in range(len(sums))]
    check(len(sums) == 300 and sums == wanted, "SHA-256 differs from Python's")


check_schema()
check_sums()
check_command_line()
check_records()
check_rehearsal()
check_ranks()
if accepted():
    check_versions()
    check_rules(accepted())
    check_forged()
    check_log_of_another()
    check_message()
    check_commit_date()
    check_third()
    check_files(accepted())
else:
    check(False, "benchmarks/ranking has no submission")
print(f"{count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped")
sys.exit(count["failed"] > 0)
