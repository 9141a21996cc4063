"""Figures of records, by matplotlib, without a display."""
import importlib.util
import os

from . import records

VERBS_SHOWN = 6


def available():
    return importlib.util.find_spec("matplotlib") is not None


def draw(found, folder, kind):
    """Writes the figures into the folder, which it makes; yields a line for each that it wrote or left out."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "hymg"  # the same records give the same file
    os.makedirs(folder, exist_ok=True)
    for name, make in (("convergence", convergence), ("levels", levels), ("roofline", roofline), ("dofs", dofs),
                       ("scaling", scaling)):
        figure, why = make(found)
        path = os.path.join(folder, f"{name}.{kind}")
        if figure is None:
            yield f"{name}: not drawn: {why}"
            continue
        figure.savefig(path, bbox_inches="tight", metadata={"Date": None} if kind == "svg" else None)
        yield f"wrote {path}"


def new_figure(title, across, up):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5))
    axes = figure.add_subplot()
    axes.set_title(title)
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.grid(True, alpha=0.3)
    return figure, axes


def convergence(found):
    """A line per record and size, from u = 0, where r = f."""
    figure, axes = new_figure("Residual", "cycle", "max|r| / max|f|")
    drawn = False
    for record in found:
        for run in record["runs"]:
            points = [(n, c["residual_relative"]) for n, c in enumerate(run["cycles"], 1) if c["residual_relative"]]
            if points:
                points.insert(0, (0, 1.0))
                cells = " x ".join(map(str, run["cells"]))
                axes.semilogy(*zip(*points), "o-", label=f"{record['config']['operator']}, {cells}")
                drawn = True
    if not drawn:
        return None, "no record has residuals"
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.legend(fontsize="small")
    return figure, None


def levels(found):
    """Time per level and operation of the fastest record's finest size."""
    record = max(found, key=lambda r: records.rate(r, 0))
    if not record["breakdown"]:
        return None, "the record has no times per level"
    sums = {}
    for row in record["breakdown"]:
        sums.setdefault(row["verb"], {}).setdefault(row["level"], 0.0)
        sums[row["verb"]][row["level"]] += row["seconds"]
    order = sorted(sums, key=lambda verb: -sum(sums[verb].values()))
    shown, rest = order[:VERBS_SHOWN], order[VERBS_SHOWN:]
    figure, axes = new_figure(f"Time per level: {records.label(record)}", "level (0: finest)",
                              "ms in one solve, rank 0")
    places = sorted({row["level"] for row in record["breakdown"]})
    bottom = dict.fromkeys(places, 0.0)
    for verb in shown + (["others"] if rest else []):
        parts = [verb] if verb in sums else rest
        heights = [1e3 * sum(sums[v].get(level, 0.0) for v in parts) for level in places]
        axes.bar(places, heights, bottom=[bottom[level] for level in places], label=verb)
        for level, height in zip(places, heights):
            bottom[level] += height
    axes.set_xticks(places)
    axes.legend(fontsize="small")
    return figure, None


def roofline(found):
    """Declared bytes per second of each level and of the whole solve against the machine's measured copy. Above the
    line: sweeps that share a pass over memory, or levels in caches."""
    measured = [record for record in found if record["bandwidth"]]
    if not measured:
        return None, "no record has a measured copy"
    figure, axes = new_figure("GB/s of an F-cycle or solve against a copy, all ranks", "level (0: finest)",
                              "GB/s, read and written")
    for n, record in enumerate(measured):
        colour = f"C{n % 10}"
        rows = {}
        for row in record["breakdown"]:
            old = rows.get(row["level"], (0, 0.0))
            rows[row["level"]] = (old[0] + row["bytes"], old[1] + row["seconds"])
        points = [(level, 1e-9 * b * record["ranks"] / t) for level, (b, t) in sorted(rows.items()) if b > 0 and t > 0]
        if points:
            axes.semilogy(*zip(*points), "o-", color=colour, label=records.label(record))
        copy, solve = records.copy_gb_per_second(record), records.gb_per_second(record)
        axes.axhline(copy, color=colour, linestyle="--", label=f"copy {copy:.4g} GB/s")
        axes.axhline(solve, color=colour, linestyle=":",
                     label=f"whole solve {solve:.4g} GB/s, {100 * solve / copy:.0f} %")
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.12))
    return figure, None


def dofs(found):
    figure, axes = new_figure("DOF/s at h, 2h, 4h", "degrees of freedom", "DOF/s")
    for record in found:
        axes.loglog([run["dof"] for run in record["runs"]], [run["dof_per_second"] for run in record["runs"]], "o-",
                    label=records.label(record))
    axes.legend(fontsize="small")
    return figure, None


def scaling(found):
    """Records that differ in their ranks: a line for each solver and number of cells (strong scaling) or of cells per
    rank (weak scaling), whichever has more than one number of ranks."""
    groups = {}
    for record in found:
        config = record["config"]
        about = (config["operator"], config["solver"], config["smoother"], bool(record["machine"]["gpus"]))
        dof = record["runs"][0]["dof"]
        groups.setdefault((*about, f"{records.cells(record)} cells"), []).append(record)
        groups.setdefault((*about, f"{dof / record['ranks']:.4g} cells per rank"), []).append(record)
    lines = {key: group for key, group in groups.items() if len({record["ranks"] for record in group}) > 1}
    if not lines:
        return None, "needs records of the same size, or size per rank, on different numbers of ranks"
    figure, axes = new_figure("Scaling", "ranks", "DOF/s at h")
    for key, group in lines.items():
        best = {}
        for record in group:
            best[record["ranks"]] = max(best.get(record["ranks"], 0.0), records.rate(record, 0))
        ranks = sorted(best)
        line, = axes.loglog(ranks, [best[r] for r in ranks], "o-", label=f"{key[0]}, {key[1]}, {key[-1]}")
        axes.loglog(ranks, [best[ranks[0]] * r / ranks[0] for r in ranks], ":", color=line.get_color())
    ticks = sorted({record["ranks"] for group in lines.values() for record in group})
    axes.set_xticks(ticks, labels=[str(n) for n in ticks])
    axes.set_xticks([], minor=True)
    axes.legend(fontsize="small", title="dotted: proportional to ranks")
    return figure, None
