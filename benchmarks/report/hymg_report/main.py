"""The command line of hymg-report. Exit status: 0 done; 1 a file is no valid record, or a submission is refused; 2 bad
input, or a module that is missing."""
import argparse
import difflib
import os
import platform
import sys
from importlib import metadata

import hymg_report

from . import agreement, lists, page, ranking, records, rules, schema, table

TABLES, PLOTS = ("md", "csv", "html"), ("svg", "png")
USAGE = """hymg-report [options] FILE ...
       hymg-report --rank [options] DIR|FILE.csv ..."""
TEXT = """Reads records that hymg-fv has written, validates them against their JSON Schema
and prints a table of them, the fastest first. With --rank it reads submissions,
refuses those that break a rule, and prints the ranking, FV2 and FV4 apart,
beside published lists."""
EPILOG = """Example: hymg-report --plots figures run1.json run2.json

Exit status: 0 done; 1 a file is no valid record, or a submission is refused;
2 bad input, or a module is missing."""


class Version(argparse.Action):
    """--version: what hymg-fv's says, as far as it applies."""

    def __call__(self, parser, namespace, values, option_string=None):
        print(f"{parser.prog} {hymg_report.VERSION or '(version unknown: not installed by make)'}")
        print(f"Python      {platform.python_version()}")
        for name in ("jsonschema", "matplotlib"):
            try:
                print(f"{name:11} {metadata.version(name)}")
            except metadata.PackageNotFoundError:
                print(f"{name:11} none")
        parser.exit()


class Parser(argparse.ArgumentParser):
    """Help in 80 columns, with the texts where the other programs have them; names the nearest option."""

    def __init__(self):
        super().__init__(prog="hymg-report", description=TEXT, epilog=EPILOG, allow_abbrev=False, add_help=False,
                         usage=USAGE, formatter_class=lambda prog: argparse.RawDescriptionHelpFormatter(
                             prog, max_help_position=24, width=80))

    def read(self, arguments):
        given, unknown = self.parse_known_intermixed_args(arguments)
        for word in unknown:
            name = word.split("=")[0]
            near = difflib.get_close_matches(name, self._option_string_actions, 1, 0.7)
            self.error(f"unknown option '{name}'" + (f": did you mean {near[0]}?" if near else ""))
        return given


def options(arguments):
    parser = Parser()
    group = parser.add_argument_group("Files")
    group.add_argument("file", nargs="*", metavar="FILE", help="a record of hymg-fv --json; with --rank the folder of "
                       "a submission, or FILE.csv, a published list")
    group = parser.add_argument_group("What is done")
    group.add_argument("--rank", action="store_true", help="check submissions against the rules and rank them")
    group.add_argument("--quiet", action="store_true", help="validate only, print no table")
    group.add_argument("--rules", action="store_true", help="print the rules of a ranking and exit")
    group.add_argument("--schema", action="store_true", help="print the JSON Schema of a record and exit")
    group = parser.add_argument_group("Output")
    group.add_argument("--format", action="append", choices=TABLES + PLOTS, metavar="md|csv|html|svg|png", default=[], help="md, csv or "
                       "html: of the table; svg or png: of the plots; default md and svg; may be given once for each")
    group.add_argument("--csv", action="store_true", help="the same as --format csv")
    group.add_argument("--output", action="append", metavar="FILE", default=[], help="write the table into this file "
                       "instead of printing it; its ending, .md, .csv or .html, is the format where none is given; "
                       "may be repeated")
    group.add_argument("--plots", metavar="DIR", help="draw convergence, time per level, roofline, DOF/s and scaling "
                       "into this folder (needs matplotlib)")
    group = parser.add_argument_group("Help")
    group.add_argument("-h", "--help", action="help", help="print this text and exit")
    group.add_argument("-V", "--version", action=Version, nargs=0, help="print the version and how it was built, and exit")
    given = parser.read(arguments)
    check_formats(parser, given)
    check_outputs(parser, given)
    if not given.file and not given.rules and not given.schema:
        parser.error("no FILE")
    return given


def check_formats(parser, given):
    """Sets given.table and given.picture."""
    tables = [word for word in given.format if word in TABLES] + ["csv"] * given.csv
    pictures = [word for word in given.format if word in PLOTS]
    for words in (tables, pictures):
        if len(set(words)) > 1:
            parser.error(f"--format: {words[0]} and {words[1]} contradict each other")
    if pictures and not given.plots:
        parser.error(f"--format has no effect without --plots: {pictures[0]}")
    if given.quiet and (tables or given.output):
        other = "--csv" if given.csv else "--format" if tables else "--output"
        parser.error(f"--quiet and {other} contradict each other")
    given.table = tables[0] if tables else None
    given.picture = pictures[0] if pictures else "svg"


def check_outputs(parser, given):
    """Makes given.output pairs of file and format."""
    pairs = []
    for path in given.output:
        ending = os.path.splitext(path)[1][1:]
        if not given.table and ending not in TABLES:
            parser.error(f"--output {path}: does not end in .md, .csv or .html; give --format")
        taken = [other for other in given.file if same_file(path, other)]
        if taken:
            parser.error(f"--output {path}: is an argument, {taken[0]}, and would be replaced")
        pairs.append((path, given.table or ending))
    if given.table and len(pairs) > 1:
        parser.error(f"--format {given.table} with {len(pairs)} --output: leave --format out, their endings say it")
    given.output = pairs


def same_file(one, other):
    return os.path.exists(one) and os.path.exists(other) and os.path.samefile(one, other)


def read_all(files):
    """The valid records; a message for each of the others."""
    found, ok = [], True
    for path in files:
        try:
            record = records.read(path)
            found.append(record)
            for line in agreement.warnings(record):
                print(f"hymg-report: {path}: warning: {line}", file=sys.stderr)
        except records.Broken as error:
            print(f"hymg-report: {error}", file=sys.stderr)
            ok = False
    return found, ok


def rank_all(files):
    """The accepted submissions' records, and the rows of the ranking: theirs and those of published lists."""
    found, rows, ok = [], [], True
    for path in files:
        try:
            if path.endswith(".csv"):
                rows += lists.read(path)
                continue
            record, broken = rules.judge(path)
            for name, why in broken:
                print(f"hymg-report: {path}: refused: rule {name}: {why}", file=sys.stderr)
            if not broken:
                found.append(record)
                rows.append(ranking.entry(record, path))
            ok = ok and not broken
        except records.Broken as error:
            print(f"hymg-report: {error}", file=sys.stderr)
            ok = False
    return found, rows, ok


def draw(found, given):
    from . import plots  # only where it is asked for: matplotlib is not needed otherwise

    if not plots.available():
        print("hymg-report: --plots needs matplotlib (python3-matplotlib on Debian, Ubuntu and Fedora; "
              "pip install matplotlib)", file=sys.stderr)
        return False
    for line in plots.draw(found, given.plots, given.picture):
        print(f"hymg-report: {line}", file=sys.stderr)
    return True


def as_text(found, rows, given, kind):
    """The table in this format; empty if it has no rows, but for the head of a CSV."""
    if given.rank:
        make = {"md": ranking.markdown, "csv": ranking.comma_separated, "html": ranking.html}
        return make[kind](rows)
    shown = table.ranked([table.row(record) for record in found])
    if kind == "csv":
        return table.comma_separated(shown, table.COLUMNS)
    if kind == "md":
        return table.markdown(shown, table.COLUMNS, table.NUMERIC) if shown else ""
    return page.of_records(shown) if shown else ""


def show(found, rows, given):
    """Prints the table, or writes it; False if a file cannot be written."""
    for path, kind in given.output:
        text = as_text(found, rows, given, kind)
        if not (found or rows):
            print(f"hymg-report: {path}: not written: there is nothing to show", file=sys.stderr)
            continue
        try:
            with open(path, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
        except (OSError, UnicodeEncodeError) as error:
            print(f"hymg-report: --output {path}: {error}", file=sys.stderr)
            return False
    if not given.output and not given.quiet:
        print(as_text(found, rows, given, given.table or "md"), end="")
    return True


def main(arguments=None):
    given = options(arguments)
    if given.schema:
        print(schema.text(), end="")
        return 0
    if given.rules:
        for rule in rules.RULES:
            print(f"{rule.name:12} {rule.text}")
        return 0
    if given.rank:
        found, rows, ok = rank_all(given.file)
    else:
        (found, ok), rows = read_all(given.file), []
    if not show(found, rows, given):
        return 2
    if given.plots and found and not draw(found, given):
        return 2
    return 0 if ok else 1
