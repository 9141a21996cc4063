"""Figures of records, by matplotlib, without a display. Every record has one label and one colour in all figures, every
operation one colour."""
import importlib.util
import math
import os
import textwrap

from . import records

SHOWN = 7  # operations with a colour of their own
LEAST_SHARE = 0.03  # of a solve's time, for a point in the roofline
MARKERS, STYLES = "os^Dvp", ("-", "--", ":")


def available():
    return importlib.util.find_spec("matplotlib") is not None


def draw(found, folder, kind):
    """Writes the figures into the folder, which it makes; yields a line for each that it wrote or left out."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "hymg"  # the same records give the same file
    os.makedirs(folder, exist_ok=True)
    for name, make in FIGURES.items():
        figure, why = make(found)
        path = os.path.join(folder, f"{name}.{kind}")
        if figure is None:
            yield f"{name}: not drawn: {why}"
            continue
        figure.savefig(path, bbox_inches="tight", dpi=150, metadata={"Date": None} if kind == "svg" else None)
        yield f"wrote {path}" + (f" ({why})" if why else "")


# ---- what the figures share ----

def plain(text):
    """A $ would begin a formula."""
    return text.replace("$", r"\$")


def new_figure(title, across, up):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5))
    axes = figure.add_subplot()
    axes.set_title(title)
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.grid(True, alpha=0.3)
    return figure, axes


def new_panels(labels, title, across, up, sharex):
    """A panel for each label, with the label above it."""
    from matplotlib.figure import Figure

    columns = min(len(labels), 3)
    rows = -(-len(labels) // columns)
    figure = Figure(figsize=(max(7.5, 4.6 * columns), 3.9 * rows + 0.9), layout="constrained")
    panels = figure.subplots(rows, columns, sharex=sharex, squeeze=False).flatten()
    for n, (panel, label) in enumerate(zip(panels, labels)):
        panel.set_title("\n".join(textwrap.wrap(plain(label), 48)), fontsize="small")
        panel.grid(True, alpha=0.3)
        panel.tick_params(labelbottom=True, labelsize="small")
        panel.set_ylabel(up if n % columns == 0 else None)
        panel.set_xlabel(across if n + columns >= len(labels) else None)
    for panel in panels[len(labels):]:
        panel.remove()
    figure.suptitle(title)
    return figure, panels[:len(labels)]


def look(n):
    """Of the n-th record: 10 colours for each marker."""
    return {"color": f"C{n % 10}", "marker": MARKERS[n // 10 % len(MARKERS)]}


def place_legend(axes, **more):
    """Below the figure where it would cover it."""
    handles, texts = axes.get_legend_handles_labels()
    if len(texts) > 4 or max(map(len, texts)) > 40:
        more.update(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=1 + (max(map(len, texts)) < 45))
    axes.legend(fontsize="small", **more)


def ticks_1_2_5(axis, scale=1.0, most=4.0):
    """Ticks at 1, 2 and 5 times powers of 10 in units of `scale`, over `most` decades at the powers alone."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

    low, high = axis.get_view_interval()
    decades = math.log10(high / low)
    if decades < 1.5:  # from tick to tick, so that a few are in sight
        near = [first * 10.0**power for power in range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1)
                for first in (1, 2, 5)]
        low, high = max(value for value in near if value <= low), min(value for value in near if value >= high)
        (axis.axes.set_xlim if axis.axis_name == "x" else axis.axes.set_ylim)(low, high)
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if decades < most else (1.0,)))
    axis.set_minor_locator(NullLocator() if decades < most else LogLocator(subs=(2.0, 5.0)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value / scale:.6g}"))
    axis.set_minor_formatter(NullFormatter())


def operations(found):
    """Colours by operation, those first that take most of the solves; the others share the last."""
    shares = {}
    for record in found:
        whole = sum(row["seconds"] for row in record["breakdown"])
        for row in record["breakdown"]:
            shares[row["verb"]] = shares.get(row["verb"], 0.0) + (row["seconds"] / whole if whole else 0.0)
    order = sorted(shares, key=lambda operation: (-shares[operation], operation))
    if len(order) > SHOWN + 1:
        order = order[:SHOWN]
    return {operation: f"C{n}" for n, operation in enumerate(order)}


OTHERS = "other operations"


def name_of(operation, colours):
    return operation if operation in colours else OTHERS


# ---- the figures: each makes one, or says why not ----

def convergence(found):
    """A line per record and size, from u = 0, where r = f."""
    from matplotlib.lines import Line2D

    figure, axes = new_figure("Residual after each cycle", "cycle", "max|r| / max|f|")
    drawn, sizes = {}, 0
    for n, (record, label) in enumerate(zip(found, records.labels(found))):
        for size, (run, style) in enumerate(zip(record["runs"], STYLES)):
            points = [(k, c["residual_relative"]) for k, c in enumerate(run["cycles"], 1) if c["residual_relative"]]
            if points:
                size_of_marker = 4 if len(points) < 20 else 0
                axes.semilogy(*zip((0, 1.0), *points), linestyle=style, markersize=size_of_marker, **look(n))
                drawn[label] = look(n)
                sizes = max(sizes, size + 1)
    if not drawn:
        return None, "no record has residuals"
    for label, looks in drawn.items():
        axes.plot([], [], markersize=4, label=plain(label), **looks)
    if sizes > 1:
        lines = [Line2D([], [], color="0.3", linestyle=style) for style in STYLES[:sizes]]
        figure.legend(lines, ("h", "2h", "4h")[:sizes], fontsize="small", loc="upper right",
                      bbox_to_anchor=(0.895, 0.875), title="size")
    axes.xaxis.get_major_locator().set_params(integer=True)
    place_legend(axes)
    return figure, None


def levels(found):
    """Time per level and operation of each record's finest size."""
    measured = [(record, label) for record, label in zip(found, records.labels(found)) if record["breakdown"]]
    if not measured:
        return None, "no record has times per level"
    colours = operations([record for record, _ in measured])
    figure, panels = new_panels([label for _, label in measured], "Time of one solve, rank 0", "level (0: finest)",
                                "ms", False)
    bars = {}
    for panel, (record, _) in zip(panels, measured):
        heights = {}
        for row in record["breakdown"]:
            key = (name_of(row["verb"], colours), row["level"])
            heights[key] = heights.get(key, 0.0) + 1e3 * row["seconds"]
        bottom = {}
        for operation in [*colours, OTHERS]:
            places = sorted(level for name, level in heights if name == operation)
            if places:
                tall = [heights[operation, level] for level in places]
                bars[operation] = panel.bar(places, tall, bottom=[bottom.get(level, 0.0) for level in places],
                                            color=colours.get(operation, "0.6"))
                bottom.update((level, bottom.get(level, 0.0) + more) for level, more in zip(places, tall))
        panel.set_xticks(sorted(bottom))
    order = [operation for operation in [*colours, OTHERS] if operation in bars]
    figure.legend([bars[operation] for operation in order], order, loc="outside lower center", fontsize="small",
                  ncols=min(len(order), 4 if len(measured) > 1 else 3))
    return figure, left_out(found, measured, "times per level")


def left_out(found, measured, what):
    less = len(found) - len(measured)
    return f"{less} record{'s' * (less > 1)} without {what}" if less else None


def points_of(record):
    """(level, operation, cells per byte, cells per second) of what takes a share of the solve; cells are those of the
    level times the calls, bytes and times are rank 0's, with the bytes of all ranks that hold cells of the level."""
    sums = {}
    for row in record["breakdown"]:
        old = sums.get((int(row["level"]), row["verb"]), (0, 0, 0.0))
        sums[int(row["level"]), row["verb"]] = tuple(a + row[key] for a, key in zip(old, ("calls", "bytes", "seconds")))
    whole = sum(seconds for _, _, seconds in sums.values())
    for (level, operation), (calls, declared, seconds) in sorted(sums.items()):
        if calls and declared and seconds >= LEAST_SHARE * whole and seconds > 0 and 0 <= level < len(record["levels"]):
            here = record["levels"][level]
            cells = math.prod(here["cells"]) * calls
            yield level, operation, cells / (declared * here["ranks"]), cells / seconds


def roofline(found):
    """Cells per second against cells per declared byte. The roof is the measured copy: bytes per second times cells per
    byte. Above it: sweeps that share a pass over memory, or levels in caches."""
    measured = [(record, label) for record, label in zip(found, records.labels(found))
                if record["bandwidth"] and records.gb_per_second(record)]
    if not measured:
        return None, "no record has a measured copy"
    colours = operations([record for record, _ in measured])
    figure, panels = new_panels([label for _, label in measured], "Roofline of one solve, all ranks",
                                "cells per kB that the operations declare", "cells per second, in G", True)
    solves = [record["runs"][0]["dof"] / (1e9 * records.gb_per_second(record) * record["runs"][0]["seconds_mean"])
              for record, _ in measured]
    points = [list(points_of(record)) for record, _ in measured]
    every = solves + [intensity for here in points for _, _, intensity, _ in here]
    roof = [min(every) / 1.6, max(every) * 1.6]
    for panel, (record, _), solve, here in zip(panels, measured, solves, points):
        copy = record["bandwidth"]["bytes_per_second"]
        panel.loglog(roof, [copy * intensity for intensity in roof], color="0.3", linewidth=1.2)
        for level, operation, intensity, rate in here:
            panel.loglog(intensity, rate, MARKERS[min(level, len(MARKERS) - 1)], color=colours.get(operation, "0.6"),
                         markersize=6, alpha=0.8)
        panel.loglog(solve, record["runs"][0]["dof_per_second"], "*", color="black", markersize=13)
        panel.annotate(f"copy {1e-9 * copy:.4g} GB/s\nsolve {100 * records.share_of_copy(record):.0f} % of it",
                       (0.03, 0.97), xycoords="axes fraction", va="top", fontsize="small")
        ticks_1_2_5(panel.xaxis, 1e-3, 2.5)
        ticks_1_2_5(panel.yaxis, 1e9)
    roofline_legend(figure, colours, points)
    return figure, left_out(found, measured, "a measured copy")


def roofline_legend(figure, colours, points):
    from matplotlib.lines import Line2D

    used = {name_of(operation, colours) for here in points for _, operation, *_ in here}
    order = [operation for operation in [*colours, OTHERS] if operation in used]
    markers = sorted({min(level, len(MARKERS) - 1) for here in points for level, *_ in here})
    lines = [Line2D([], [], color=colours.get(operation, "0.6"), linewidth=5) for operation in order]
    lines += [Line2D([], [], color="0.3", marker=MARKERS[m], linestyle="") for m in markers]
    lines += [Line2D([], [], color="black", marker="*", markersize=11, linestyle=""), Line2D([], [], color="0.3")]
    texts = order + [f"level {m}" + " and below" * (m == len(MARKERS) - 1) for m in markers]
    figure.legend(lines, texts + ["whole solve", "roof: copy x cells per byte"], loc="outside lower center",
                  fontsize="small", ncols=4 if len(points) > 1 else 3)


def dofs(found):
    figure, axes = new_figure("DOF/s at h, 2h, 4h", "degrees of freedom, in millions", "DOF/s, in G")
    for n, (record, label) in enumerate(zip(found, records.labels(found))):
        axes.loglog([run["dof"] for run in record["runs"]], [run["dof_per_second"] for run in record["runs"]],
                    label=plain(label), **look(n))
    ticks_1_2_5(axes.xaxis, 1e6)
    ticks_1_2_5(axes.yaxis, 1e9)
    place_legend(axes)
    return figure, None


def scaling(found):
    """Records that differ in their ranks alone: a line for each number of cells (strong scaling) or of cells per rank
    (weak scaling), whichever has more than one number of ranks."""
    groups = {}
    for record in found:
        known = dict(records.traits(record))
        about = {key: known[key] for key in known if key not in ("where", "cells", "nodes", "commit", "date", "version",
                                                                 "boxes", "spacing", "comm")}
        about["threads"] = f"{record['threads']} thread{'s' * (record['threads'] > 1)} per rank"
        dof = record["runs"][0]["dof"]
        for work in (f"{records.cells(record)} cells", f"{dof / record['ranks']:.4g} cells per rank"):
            groups.setdefault((work, *about.items()), []).append(record)
    lines = {key: group for key, group in groups.items() if len({record["ranks"] for record in group}) > 1}
    if not lines:
        return None, "needs records of the same size, or size per rank, on different numbers of ranks"
    figure, axes = new_figure("Scaling", "ranks", "DOF/s at h, in G")
    differing = [key for key in dict(next(iter(lines))[1:]) if len({dict(about)[key] for _, *about in lines}) > 1]
    for n, ((work, *about), group) in enumerate(lines.items()):
        best = {}
        for record in group:
            best[record["ranks"]] = max(best.get(record["ranks"], 0.0), records.rate(record, 0))
        ranks = sorted(best)
        label = ", ".join([work] + [dict(about)[key] for key in dict.fromkeys(["operator", *differing])])
        axes.loglog(ranks, [best[r] for r in ranks], "o-", color=f"C{n % 10}", label=plain(label))
        axes.loglog(ranks, [best[ranks[0]] * r / ranks[0] for r in ranks], ":", color=f"C{n % 10}")
    ticks_1_2_5(axes.yaxis, 1e9)
    ticks = sorted({record["ranks"] for group in lines.values() for record in group})
    axes.set_xticks(ticks, labels=[str(n) for n in ticks])
    axes.set_xticks([], minor=True)
    place_legend(axes, title="dotted: proportional to ranks")
    return figure, None


FIGURES = {"convergence": convergence, "levels": levels, "roofline": roofline, "dofs": dofs, "scaling": scaling}
