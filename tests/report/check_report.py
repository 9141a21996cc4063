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

from hymg_report import main, plots, rules, schema  # noqa: E402

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
        found["jsonschema"] = not schema.library_errors(value, known)
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
        check(all(validators(load(in_work(name))).values()), f"{name}: {validators(load(in_work(name)))}")
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
    may |= {"gpus"} if nodes[0]["gpus"] and not nodes[0]["gpu_driver"] else set()  # emulated ones have no driver
    check(must <= names <= may, f"rehearsal: broken are {sorted(names)}")
    status, out, err = run("--rank", folder)
    check(status == 1 and not out and "rule official" in err, f"rehearsal: {status}, {err}")
    text = open(os.path.join(folder, "record.json"), encoding="utf-8").read()
    check(os.uname().nodename not in text, "a submission names the host")
    lines = rules.log_lines(load(os.path.join(folder, "record.json")))[:4]
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
    tried = {name for name, _ in MUTATIONS} | {"files", "checksum"}
    check(tried == {r.name for r in rules.RULES}, f"rules without a mutation: {tried ^ {r.name for r in rules.RULES}}")


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
    for file in (schema.NAME, *schema.OLDER.values()):
        known = schema.load(file)
        walk(known, "")
        for name, item in known["$defs"].items():
            walk(item, f"$defs.{name}")
        if schema.jsonschema and hasattr(schema.jsonschema, "Draft202012Validator"):
            schema.jsonschema.Draft202012Validator.check_schema(known)
        else:
            skip(f"{file} by jsonschema: the package is missing or old")
    for version, file in schema.OLDER.items():
        known = schema.load(file)
        check(known["properties"]["schema"]["const"] == version and schema.load_for({"schema": version}) == known,
              f"{file} is not the schema of {version}")
    for odd in ({"schema": "hymg-fv/9"}, {"schema": ["hymg-fv/2"]}, {}, [], None):
        check(schema.load_for(odd) == schema.load(), f"{odd}: not by the newest schema")


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
    check_rules(accepted())
    check_files(accepted())
else:
    check(False, "benchmarks/ranking has no submission")
print(f"{count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped")
sys.exit(count["failed"] > 0)
