"""Sphinx extension: fills <!-- fortran: calls -->, types and constants of a page with what the modules of Fortran have:
statements and the comments in front of them, the calls by the sections of hymg.h, with links to what that says."""

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
MODULES = [ROOT / f"fortran/{name}.f90" for name in ("hymg", "hymg_mpi", "hymg_calls", "hymg_solver_calls")]
TYPES = ROOT / "fortran/hymg_types.f90"
HEADERS = [ROOT / "include/hymg.h", ROOT / "include/hymg_mpi.h"]


class Call(NamedTuple):
    name: str
    comment: str
    lines: list[str]  # the statement that begins it, and the declarations of its arguments


def source(path):
    """The text of a file, continued lines joined."""
    return re.sub(r" *&\n *&?", " ", path.read_text(encoding="utf-8"))


def names_in(text):
    return {name.strip().lower() for name in text.split(",")}


def procedures(text):
    """The functions and subroutines of a module and of its interfaces to C, without those inside of others."""
    found, comment, call, wanted, depth = [], [], None, set(), 0
    for line in (line.strip() for line in text.splitlines()):
        begin = re.match(r"(?!end\b)(?:.*\b)?(?:function|subroutine) +(\w+)\(([^)]*)\)", line)
        if begin:
            depth += 1
            if depth == 1:
                result = re.search(r"result\((\w+)\)", line)
                wanted = names_in(begin[2] + (f",{result[1]}" if result else ""))
                call = Call(begin[1], " ".join(comment), [line])
        elif re.match(r"end +(function|subroutine)", line):
            depth -= 1
            if depth == 0:
                found.append(call)
                comment = []
        elif depth == 1 and "::" in line and not line.startswith("!"):
            if wanted & names_in(re.sub(r"\([^)]*\)|=[^,]*", "", line.split("::")[1])):
                call.lines.append("  " + line)
        elif depth == 0:
            comment = [*comment, line.lstrip("! ")] if line.startswith("!") else []
    return found


def public_calls():
    """By public name, the calls that it may mean: several where it is generic."""
    texts = [source(path) for path in MODULES]
    known = {call.name: call for text in reversed(texts) for call in procedures(text)}
    generic, private = {}, set()
    for text in texts:
        for name, body in re.findall(r"(?m)^ *interface (\w+)\n((?: *(?:module )?procedure .*\n)+)", text):
            generic[name] = re.findall(r"\w+", re.sub(r"(module )?procedure", "", body))
        for names in re.findall(r"(?m)^ *private :: (.*)$", text):
            private |= names_in(names)
    hidden = private.union(*generic.values()) | {name for name in known if name.endswith("_unchecked")}
    calls = {name: [known[part] for part in parts] for name, parts in generic.items()}
    calls.update((name, [call]) for name, call in known.items() if name.startswith("hymg_") and name not in hidden)
    return calls


def sections():
    """The titles of hymg.h's sections, and the calls that each declares."""
    for header in HEADERS:
        parts = ["", *re.split(r"/\* ---- (.*?) ---- \*/", header.read_text(encoding="utf-8"))]
        parts[0] = "several ranks" if header.stem == "hymg_mpi" else "conventions"
        for title, text in zip(parts[::2], parts[1::2]):
            yield title, re.findall(r"HYMG_API [^;(]*?\b(hymg_\w+)\(", text)


def code(lines):
    return ["```fortran", *lines, "```"]


def entry(name, calls, in_c):
    out = [f"````{{fortran}} {name}"]
    for call in calls:
        out += code([call.lines[0].replace(f"{call.name}(", f"{name}(", 1), *call.lines[1:]])
        out += [re.sub(r"([\\*`|_<>\[\]$])", r"\\\1", call.comment), ""]
    return [*out, *([f"In C: {{c:func}}`{name}`"] if in_c else []), "````", ""]


def all_calls():
    calls, out, listed = public_calls(), [], set()
    for title, names in sections():
        there = [name for name in names if name in calls]
        out += [f"### {title[0].upper()}{title[1:]}", ""] if there else []
        for name in there:
            out += entry(name, calls[name], True)
        listed |= set(there)
    rest = sorted(set(calls) - listed)
    return [*(["### In Fortran alone", ""] if rest else []), *sum((entry(n, calls[n], False) for n in rest), []), *out]


def all_types():
    out = []
    for body, name in re.findall(r"(?ms)^  (type, *bind\(c\) *:: (\w+)\n.*?)^  end type", source(TYPES)):
        out += [f"````{{fortran}} {name}", *code([*body.replace("\n  ", "\n").splitlines(), "end type"]), "````", ""]
    return out


def all_constants():
    kept = r"enum, bind|enumerator|end enum|integer\(c_int\), parameter"
    return code(line[2:] for line in source(TYPES).splitlines() if re.match(rf" *({kept})", line))


KINDS = {"calls": all_calls, "types": all_types, "constants": all_constants}


def fill(app, name, text):
    text[0] = re.sub(r"<!-- fortran: (\w+) -->", lambda match: "\n".join(KINDS[match[1]]()), text[0])


def setup(app):
    app.add_object_type("fortran", "fortran", objname="Fortran")
    app.connect("source-read", fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
