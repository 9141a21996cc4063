"""What rankings and figures of hymg-report must be: check_ranking.py SRCDIR WORK. WORK has the records that report.sh
made with this build's hymg-fv, if any; rankings are those of benchmarks/ranking and of lists made here. Ends with the
totals."""
import contextlib
import copy
import csv
import html.parser
import io
import json
import os
import re
import sys
import xml.dom.minidom

SRCDIR, WORK = sys.argv[1:3]
RANKING = os.path.join(SRCDIR, "benchmarks", "ranking")
sys.path.insert(0, os.path.join(SRCDIR, "benchmarks", "report"))
sys.dont_write_bytecode = True

from hymg_report import lists, main, plots, ranking, records, table  # noqa: E402

count = {"passed": 0, "failed": 0, "skipped": 0}
FOLDERS = sorted(os.path.join(RANKING, name) for name in os.listdir(RANKING)
                 if os.path.isdir(os.path.join(RANKING, name)))
LISTS = sorted(os.path.join(RANKING, name) for name in os.listdir(RANKING) if name.endswith(".csv"))
HOSTILE = "<script>alert(1)</script> \"a\" & 'b' | [x](javascript:y) `z` *w* $1$ \\"


def check(ok, what):
    count["passed" if ok else "failed"] += 1
    if not ok:
        print(f"report: FAILED: {what}")


def run(*arguments):
    """Exit status, standard output and standard error of hymg-report."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main.main([str(a) for a in arguments])
        except SystemExit as end:
            status = end.code
    return status, out.getvalue(), err.getvalue()


def in_work(name):
    return os.path.join(WORK, name)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def load(path):
    return json.loads(read(path))


def save(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


# ---- the ranking of benchmarks/ranking ----

def check_up_to_date():
    """ranking.md and ranking.html are what hymg-report writes from the data beside them."""
    for name in ("ranking.md", "ranking.html"):
        written = in_work(name)
        status, out, err = run("--rank", *FOLDERS, *LISTS, "--output", written)
        check(status == 0 and not out and not err, f"benchmarks/ranking: {status}, {out}{err}")
        check(read(written) == read(os.path.join(RANKING, name)),
              f"benchmarks/ranking/{name} is not what hymg-report writes: README.md there says how to write it")


def check_published():
    """The lists are there, apart, with the ranks that were printed, and every row names its source."""
    rows = lists.read(os.path.join(RANKING, "published.csv"))
    groups = {}
    for row in rows:
        groups.setdefault((row["operator"], row["list"]), []).append(row)
        check(row["source"].startswith("https://") and "docs/" in row["source"], f"{row['system']}: no source")
    sizes = {key: len(group) for key, group in groups.items()}
    check(sizes == {("fv4", "June 2016"): 12, ("fv2", "May 2015"): 13, ("fv2", "November 2014"): 12,
                    ("fv2", "June 2014 (talk, no list)"): 2}, f"published.csv: {sizes}")
    for key, group in groups.items():
        ranked = sorted((row for row in group if row["list_rank"]), key=lambda row: row["list_rank"])
        rates = [row["dof_per_second_h"] for row in ranked]
        check(rates == sorted(rates, reverse=True), f"{key}: the ranks are not in the order of DOF/s")
        check(all(row["dof_per_second_2h"] and row["dof_per_second_4h"] for row in group) == (key[0] == "fv4"),
              f"{key}: DOF/s at 2h and 4h")
    check([row["list_rank"] for row in groups["fv4", "June 2016"] if row["list_rank"]] == [1, 2, 3, 4, 5, 6, 8, 9, 10],
          "June 2016: the printed ranks")


def check_sections():
    """Operators and lists are apart in each format, and submissions are ranked without them."""
    status, out, _ = run("--rank", "--format", "csv", *FOLDERS, *LISTS)
    rows = rows_of(out)
    check(status == 0 and list(rows[0]) == ranking.KEYS, f"columns: {list(rows[0])}")
    groups = [(row["operator"], row["list"]) for row in rows]
    order = list(dict.fromkeys(groups))
    check(order == [("fv4", ""), ("fv4", "June 2016"), ("fv2", "May 2015"), ("fv2", "November 2014"),
                    ("fv2", "June 2014 (talk, no list)")], f"order of the groups: {order}")
    check(groups == sorted(groups, key=order.index), "a group is not in one piece")
    own = [row for row in rows if not row["list"]]
    check([row["rank"] for row in own] == [str(n + 1) for n in range(len(own))], "ranks of the submissions")
    check(all(row["rank"] == row["list_rank"] for row in rows if row["list"]), "a list has other ranks than it printed")
    status, out, _ = run("--rank", *FOLDERS, *LISTS)
    places = [out.index(text) for text in ("## FV4", "### Submissions and other measurements", "### June 2016, as",
                                           "## FV2", "### May 2015, as", "### November 2014, as")]
    check(places == sorted(places), "Markdown: the order of the headings")
    check("K " not in out[:out.index("## FV2")] and "H200" not in out[out.index("## FV2"):out.index("## Sources")],
          "Markdown: an FV2 row among FV4's, or the reverse")
    for part in re.split(r"(?m)^#+ .*$", out):
        lines = [line for line in part.splitlines() if line.startswith("|")]
        check(len({len(line) for line in lines}) <= 1, f"Markdown: columns are not aligned: {lines[:2]}")


def check_figures_of_rows():
    """Numbers of the table follow from the record."""
    base = os.path.join(RANKING, "h200")
    record = load(os.path.join(base, "record.json"))
    row = rows_of(run("--rank", "--format", "csv", base)[1])[0]
    rate = record["runs"][0]["dof_per_second"]
    declared = sum(part["bytes"] for part in record["breakdown"]) / record["runs"][0]["seconds_mean"]
    share = declared / record["bandwidth"]["bytes_per_second"]
    check(float(row["dof_per_second_h"]) == rate, "DOF/s")
    found = float(row["fraction_of_copy"])
    check(abs(found / share - 1) < 1e-12, f"share of the copy: {found}, {share}")
    check(float(row["dof_per_second_per_gpu"]) == float(row["dof_per_second_per_node"]) == rate, "per GPU and node")
    check(row["processor"] == "NVIDIA H200" and row["commit"] == record["commit"] and row["dof_per_joule"] == "" and
          row["disturbed"] == "" and row["source"] == "submission h200", f"texts: {row}")
    changed = copy.deepcopy(record)
    changed["machine"]["gpus"] *= 4
    changed["nodes"] = 2
    changed["runs"][1]["seconds_min"] = changed["runs"][1]["seconds_mean"] / 1.6
    changed["energy"] = {"dof_per_joule": 5e6}
    other = ranking.entry(changed, base)
    ranking.sections([other])
    check(other["dof_per_second_per_gpu"] == rate / 4 and other["dof_per_second_per_node"] == rate / 2 and
          other["disturbed"] == "2h" and other["dof_per_joule"] == 5e6, f"a changed record: {other}")
    text = ranking.markdown([other])
    check("| MDOF/s per W" in text and "component level" in text and "| disturbed |" in text, f"energy: {text}")
    check("MDOF/s per W" not in ranking.markdown([ranking.entry(record, base)]), "energy where none was measured")
    alone = copy.deepcopy(record)
    alone["ranks"] = 2  # the second holds no cells
    alone["breakdown"][0]["level"] = 0.0  # which the schema takes for a whole number
    check(records.share_of_copy(alone) == records.share_of_copy(record), "the bytes of a rank without cells count")
    changed["runs"][1].update(seconds_min=changed["runs"][1]["seconds_mean"], disturbed=True)
    check(records.disturbed(changed) == ["2h"] and records.disturbed(record) == [], "disturbed, as the record says")
    slow = os.path.join(RANKING, "virtual-machine")
    row = rows_of(run("--rank", "--csv", slow)[1])[0]
    check(row["disturbed"] == "2h 4h" and row["dof_per_second_per_gpu"] == "" and row["processor"] == "AMD EPYC",
          f"a disturbed run on a CPU: {row}")


def check_round_trip():
    """What --format csv writes can be read again as a list and gives the same."""
    status, out, _ = run("--rank", "--format", "csv", *FOLDERS, *LISTS)
    again = save(in_work("again.csv"), out)
    status, second, err = run("--rank", "--csv", again)
    check(status == 0 and second == out, f"CSV, read again: {status}, {err}")
    odd = save(in_work("odd.csv"), "system,dof_per_second_h,source\n\"a, \"\"b\"\"\n<c>\",1.2345678901234567e9,d\n")
    rows = rows_of(run("--rank", "--csv", odd)[1])
    check(rows[0]["system"] == 'a, "b"\n<c>' and float(rows[0]["dof_per_second_h"]) == 1.2345678901234567e9,
          f"quotes and digits: {rows}")


def check_neighbours():
    """Rows of no list are ranked with the submissions; equal rates share a place."""
    base = FOLDERS[0]
    record = load(os.path.join(base, "record.json"))
    name, rate = record["machine"]["name"], record["runs"][0]["dof_per_second"]
    neighbours = save(in_work("list.csv"), "# a list\nsystem,site,dof_per_second_h,ranks,source\n"
                      f"\"Fast, one\",there,{2 * rate!r},8,made up\nSame,here,{rate!r},,made up\n"
                      f"Slow,here,{rate / 2!r},,made up\n")
    rows = rows_of(run("--rank", "--csv", neighbours, base)[1])
    check([row["system"] for row in rows] == ["Fast, one", "Same", name, "Slow"], f"order: {rows}")
    check([row["rank"] for row in rows] == ["1", "2", "2", "4"] and rows[0]["ranks"] == "8", f"ranks: {rows}")
    status, out, _ = run("--rank", base)
    check(status == 0 and "### Submissions\n" in out, "a ranking of submissions alone")
    same = table.ranked([{"DOF/s at h": rate} for rate in (1.0, 3.0, 3.0, 2.0)])
    check([row["rank"] for row in same] == [1, 1, 3, 4], "equal rates do not share a place")


def check_bad_lists():
    head = "system,dof_per_second_h,source,{}\na,1,b,{}\n"
    for text, why in (("system,speed\na,1\n", "column speed is none of"),
                      ("system,system,dof_per_second_h,source\na,a,1,b\n", "column system appears twice"),
                      ("system,source\na,b\n", "column dof_per_second_h is missing"), ("", "column system is missing"),
                      ("system,dof_per_second_h,source\na,fast,b\n", "dof_per_second_h 'fast' is no number"),
                      ("system,dof_per_second_h,source\na,-1,b\n", "'-1' is no number above 0"),
                      ("system,dof_per_second_h,source\na,nan,b\n", "'nan' is no number above 0"),
                      ("system,dof_per_second_h,source\na,1e999,b\n", "'1e999' is no number above 0"),
                      ("system,dof_per_second_h,source\na,1,\n", "row 1: source is missing"),
                      ("system,dof_per_second_h,source\na,1\n", "2 fields under 3 columns"),
                      ("system,dof_per_second_h,source\na,1,b,c\n", "4 fields under 3 columns"),
                      ('system,dof_per_second_h,source\n"a,1,b\n', "unexpected end"),
                      (head.format("nodes", "few"), "nodes 'few' is no whole number above 0"),
                      (head.format("gpus", "0"), "gpus '0' is no whole number"),
                      (head.format("operator", "fv6"), "operator 'fv6' is none of fv4, fv2"),
                      (head.format("list_rank", "1"), "list_rank 1 without the name of the list"),
                      (head.format("date", "June"), "date 'June' is not YYYY-MM-DD"),
                      (head.format("disturbed", "yes"), "disturbed 'yes' has more than")):
        status, out, err = run("--rank", save(in_work("wrong.csv"), text))
        check(status == 1 and not out and why in err, f"{why}: {status}, {err}")


# ---- HTML ----

class Page(html.parser.HTMLParser):
    """Elements must be closed in order; notes addresses, ids and texts of cells."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.wrong, self.loads, self.links, self.ids, self.cells, self.counts = [], [], [], [], [], [], {}
        self.feed(text)
        self.close()
        if self.open:
            self.wrong.append(f"{self.open} not closed")

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.counts[tag] = self.counts.get(tag, 0) + 1
        self.loads += [attrs[key] for key in ("src", "srcset", "data", "poster") if key in attrs]
        self.loads += [tag] if tag in ("link", "iframe", "object", "embed", "base") else []
        self.wrong += [f"{tag} has {key}" for key in attrs if key.startswith("on") or key == "style"]
        self.links += [attrs["href"]] if "href" in attrs else []
        self.ids += [attrs["id"]] if "id" in attrs else []
        if tag == "td":
            self.cells.append("")
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> in the wrong place")

    def handle_data(self, data):
        if "td" in self.open:
            self.cells[-1] += data


def check_page():
    rows = [row for path in LISTS for row in lists.read(path)]
    text = ranking.html(rows)
    page = Page(text)
    check(not page.wrong and not page.loads, f"HTML: {page.wrong}, loads {page.loads}")
    check("@import" not in text and "url(" not in text, "HTML: the style loads something")
    check(len(set(page.ids)) == len(page.ids), f"HTML: ids appear twice: {page.ids}")
    dead = [link for link in page.links if link.startswith("#") and link[1:] not in page.ids]
    odd = [link for link in page.links if not link.startswith(("#", "https://"))]
    check(not dead and not odd and page.links, f"HTML: links without an end {dead}, odd ones {odd}")
    groups = sum(len(section.groups) for section in ranking.sections(rows))
    check(page.counts["table"] == page.counts["h3"] == groups and page.counts["h2"] == 4, f"HTML: {page.counts}")
    check("Mira, IBM BlueGene/Q (optimised)DOE/SC/Argonne, United States" in page.cells and "2830" in page.cells,
          f"HTML: cells {page.cells[:20]}")
    for word in ('name="viewport"', "@media screen and (max-width", "@media print", '<html lang="en">'):
        check(word in text, f"HTML: no {word}")
    body = text[text.index("<body>"):text.index("<script>")]
    try:
        xml.dom.minidom.parseString(f"{body}</body>")
    except Exception as error:  # noqa: BLE001 - whatever the parser says
        check(False, f"HTML: the body is not well-formed: {error}")


def hostile_record():
    record = load(os.path.join(RANKING, "virtual-machine", "record.json"))
    record["machine"].update(name=HOSTILE, site=HOSTILE)
    record["machine"]["nodes"][0]["cpu"] = HOSTILE
    record["commit"] = HOSTILE
    return record


def check_hostile():
    """Names are shown as they are and make nothing else of a page."""
    entry = ranking.entry(hostile_record(), HOSTILE)
    entry["source"] = HOSTILE + " https://a.b/\"onclick='x'"
    text = ranking.html([entry])
    page = Page(text)
    check(not page.wrong and page.counts.get("script") == 1 and not page.loads, f"hostile HTML: {page.wrong}")
    check(any(HOSTILE in cell for cell in page.cells), f"hostile HTML: the name is not shown: {page.cells[:3]}")
    check(all(link.startswith(("#", "https://a.b/")) and '"' not in link for link in page.links), f"links {page.links}")
    marked = ranking.markdown([entry])
    check("<script" not in marked and "\\[x](java" in marked and "[x](java" not in marked.replace("\\[x]", ""),
          "hostile Markdown: a tag or a link")
    lines = [line for line in marked.splitlines() if line.startswith("|")]
    borders = {len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in lines}
    check(len(borders) == 1, f"hostile Markdown: cells of {lines}")
    entry["system"] = "a\n\n# b\0\u2028c"
    check("# b" not in ranking.markdown([entry]).splitlines() and "| a # b c" in ranking.markdown([entry]),
          "hostile Markdown: lines in a name")
    rows = rows_of(ranking.comma_separated([entry]))
    check(rows[0]["site"] == HOSTILE and rows[0]["system"] == entry["system"], f"hostile CSV: {rows}")
    shown = table.markdown(table.ranked([table.row(hostile_record())]), table.COLUMNS, table.NUMERIC)
    check("<script" not in shown, "hostile Markdown of a record")


def check_record_page():
    """Records, too, can be a page; --output, --format and their contradictions."""
    files = [os.path.join(folder, "record.json") for folder in FOLDERS]
    target = in_work("records.html")
    status, out, err = run(*files, "--output", target, "--output", in_work("records.csv"))
    page = Page(read(target))
    whole = not out and not page.wrong and page.counts["tr"] == 1 + len(files)
    check(status == 0 and whole, f"records as HTML: {status}, {page.wrong}, {err}")
    check(read(in_work("records.csv")) == run("--csv", *files)[1], "records.csv is not what --csv prints")
    check(run("--format", "html", *files)[1] == read(target), "--format html prints something else")
    kept = save(in_work("kept.csv"), "system,dof_per_second_h,source\na,1,b\n")
    for arguments, why in ((("--output", "x"), "x: does not end in .md, .csv or .html"),
                           (("--output", "x.png"), "does not end in"),
                           (("--output", "x.md", "--output", "y.md", "--format", "md"), "--format md with 2 --output"),
                           (("--csv", "--format", "md"), "md and csv contradict"),
                           (("--format", "svg", "--format", "png", "--plots", "x"), "svg and png contradict"),
                           (("--format", "png"), "--format has no effect without --plots"),
                           (("--quiet", "--output", "x.md"), "--quiet and --output contradict"),
                           (("--output", kept, kept), "is an argument")):
        status, _, err = run(*arguments, *files)
        check(status == 2 and why in err, f"{arguments}: {status}, {err}")
    check(read(kept).endswith("a,1,b\n"), "a refused --output has replaced a list")
    status, _, err = run(*files, "--output", in_work("none/x.md"))
    check(status == 2 and "none/x.md" in err, f"a folder that is not there: {status}, {err}")
    status, out, err = run("--rank", in_work("nowhere"), "--output", in_work("nothing.md"))
    there = os.path.exists(in_work("nothing.md"))
    check(status == 1 and "not written" in err and not there, f"no rows: {status}, {err}")


# ---- labels and figures ----

def variants():
    """Records that would have the same name: they differ in ranks, operator, commit, a detail, nothing."""
    base = load(os.path.join(RANKING, "virtual-machine", "record.json"))
    found = [base]
    for path, value in (("config/operator", "fv2"), ("ranks", 2), ("threads", 4), ("commit", "0123456"),
                        ("config/smoother", "chebyshev"), ("config/robin", [1.0, 2.0]),
                        ("date", "2026-01-01T00:00:00Z")):
        record = copy.deepcopy(base)
        *keys, last = path.split("/")
        (record[keys[0]] if keys else record)[last] = value
        found.append(record)
    more = copy.deepcopy(base)
    more["ranks"], more["commit"] = 2, "0123456"
    return found + [more, copy.deepcopy(base)]


def check_labels():
    found = variants()
    labels = records.labels(found)
    check(len(set(labels)) == len(found), f"labels appear twice: {labels}")
    for n, word in ((1, "fv2"), (2, "2 ranks"), (3, "4 threads"), (4, "commit 0123456"), (5, "chebyshev"),
                    (7, "2026-01-01")):
        check(word in labels[n], f"label {labels[n]} does not say {word}")
    check("(no. 1)" in labels[0] and "(no. 2)" in labels[-1], f"equal records: {labels[0]}, {labels[-1]}")
    alone = records.labels(found[:1])[0]
    check(alone.endswith("fv4, 128^3, 1 rank x 1 thread"), f"one record: {alone}")


def texts_of(figure):
    """Every legend's texts, and the titles of panels."""
    legends = figure.legends + [axes.get_legend() for axes in figure.axes if axes.get_legend()]
    return [[text.get_text() for text in legend.get_texts()] for legend in legends], \
           [axes.get_title() for axes in figure.axes]


def check_plots():
    if not plots.available():
        count["skipped"] += 1
        print("report: skipped: figures: matplotlib is missing")
        return
    found = variants()
    found += [load(os.path.join(folder, "record.json")) for folder in FOLDERS]
    ours = ("fv4.json", "robust.json", "one.json", "ranks2.json")
    found += [load(in_work(name)) for name in ours if os.path.exists(in_work(name))]
    for name, make in plots.FIGURES.items():
        figure, why = make(found)
        check(figure is not None, f"{name}: not drawn: {why}")
        if figure is None:
            continue
        legends, titles = texts_of(figure)
        for texts in legends:
            check(texts and len(set(texts)) == len(texts), f"{name}: a legend has a text twice: {texts}")
        if name in ("levels", "roofline"):
            check(len(set(titles)) == len(titles), f"{name}: a panel's title appears twice: {titles}")
    figure, _ = plots.levels(found)
    check(len(figure.axes) == sum(1 for record in found if record["breakdown"]), "levels: a record has no panel")
    check_roofline(load(os.path.join(RANKING, "h200", "record.json")))
    check_ticks()
    hostile = hostile_record()
    hostile["machine"]["name"] = "a $\\frac{b$ <c>"
    lines = list(plots.draw([hostile], in_work("hostile"), "svg"))
    check(sum(line.startswith("wrote") for line in lines) == 4, f"figures of a hostile name: {lines}")


def check_roofline(record):
    """The roof is the copy times the intensity; the solve's point is at its share of the copy, and no operation of this
    record is above the roof."""
    figure, _ = plots.roofline([record])
    axes = figure.axes[0]
    lines = {line.get_marker(): line for line in axes.lines}
    copy_rate = record["bandwidth"]["bytes_per_second"]
    roof = lines["None"]
    ratios = [y / x for x, y in zip(roof.get_xdata(), roof.get_ydata())]
    check(all(abs(ratio / copy_rate - 1) < 1e-12 for ratio in ratios), f"roofline: the roof is {ratios}")
    (x,), (y,) = lines["*"].get_data()
    check(y == record["runs"][0]["dof_per_second"], "roofline: the solve's rate")
    check(abs(y / x / copy_rate / records.share_of_copy(record) - 1) < 1e-12, f"roofline: the solve is at {y / x}")
    points = list(plots.points_of(record))
    check(len(points) >= 4 and all(rate < copy_rate * intensity for _, _, intensity, rate in points),
          f"roofline: operations {points}")
    check(axes.get_xscale() == axes.get_yscale() == "log", "roofline: axes")


def check_ticks():
    """Ticks of DOF/s are 1, 2, 5 and 10 in G."""
    record = load(os.path.join(RANKING, "h200", "record.json"))
    for run_, rate in zip(record["runs"], (9e9, 4e9, 1.2e9)):
        run_["dof_per_second"] = rate
    figure, _ = plots.dofs([record])
    axis = figure.axes[0].yaxis
    low, high = axis.get_view_interval()
    ticks = [axis.get_major_formatter()(value) for value in axis.get_majorticklocs() if low <= value <= high]
    check(ticks == ["1", "2", "5", "10"], f"ticks of DOF/s: {ticks}")
    for run_ in record["runs"]:
        run_["dof_per_second"] = 3e9
    axis = plots.dofs([record])[0].axes[0].yaxis
    low, high = axis.get_view_interval()
    check(sum(low <= value <= high for value in axis.get_majorticklocs()) >= 2, "ticks of equal rates")


check_up_to_date()
check_published()
check_sections()
check_figures_of_rows()
check_round_trip()
check_neighbours()
check_bad_lists()
check_page()
check_hostile()
check_record_page()
check_labels()
check_plots()
print(f"{count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped")
sys.exit(count["failed"] > 0)
