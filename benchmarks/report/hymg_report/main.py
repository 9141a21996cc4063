"""The command line of hymg-report. Exit status: 0 done; 1 a file is no valid record, or a submission is refused; 2 bad
input, or a module that is missing."""
import argparse
import sys

from . import records, rules, schema, table

TEXT = """Reads records that hymg-fv has written, validates them against their JSON Schema and prints a table of them,
the fastest first. With --rank it reads submissions, refuses those that break a rule, and prints the ranking."""


def options(arguments):
    parser = argparse.ArgumentParser(prog="hymg-report", description=TEXT, allow_abbrev=False)
    parser.add_argument("file", nargs="*", metavar="FILE", help="a record of hymg-fv --json; with --rank the folder of "
                        "a submission, or FILE.csv, a published list")
    parser.add_argument("--rank", action="store_true", help="check submissions against the rules and rank them")
    parser.add_argument("--rules", action="store_true", help="print the rules of a ranking and exit")
    parser.add_argument("--csv", action="store_true", help="print the table as CSV instead of Markdown")
    parser.add_argument("--plots", metavar="DIR", help="draw convergence, time per level, roofline, DOF/s and scaling "
                        "into this folder (needs matplotlib)")
    parser.add_argument("--format", choices=("svg", "png"), help="of the plots; default svg")
    parser.add_argument("--quiet", action="store_true", help="validate only, print no table")
    parser.add_argument("--schema", action="store_true", help="print the JSON Schema and exit")
    given = parser.parse_args(arguments)
    if given.format and not given.plots:
        parser.error("--format has no effect without --plots")
    if given.quiet and given.csv:
        parser.error("--quiet and --csv contradict each other")
    if not given.file and not given.rules and not given.schema:
        parser.error("no FILE")
    return given


def read_all(files):
    """The valid records; a message for each of the others."""
    found, ok = [], True
    for path in files:
        try:
            found.append(records.read(path))
        except records.Broken as error:
            print(f"hymg-report: {error}", file=sys.stderr)
            ok = False
    return found, ok


def rank_all(files):
    """The accepted submissions' records and the rows of published lists."""
    found, rows, ok = [], [], True
    for path in files:
        try:
            if path.endswith(".csv"):
                rows += table.read_neighbours(path)
                continue
            record, broken = rules.judge(path)
            for name, why in broken:
                print(f"hymg-report: {path}: refused: rule {name}: {why}", file=sys.stderr)
            found += [] if broken else [record]
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
    for line in plots.draw(found, given.plots, given.format or "svg"):
        print(f"hymg-report: {line}", file=sys.stderr)
    return True


def print_table(found, rows, given):
    shown = table.ranked([table.row(record) for record in found] + rows)
    columns = table.RANK_COLUMNS if given.rank else table.RECORD_COLUMNS
    if given.csv:
        print(table.comma_separated(shown, columns), end="")
    elif shown and not given.quiet:
        print(table.markdown(shown, columns), end="")


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
    print_table(found, rows, given)
    if given.plots and found and not draw(found, given):
        return 2
    return 0 if ok else 1
