"""What hymg-report consists of: reading and validating (records, schema), tables, plots, and the rules of a ranking."""

VERSION = ""  # the program says it
