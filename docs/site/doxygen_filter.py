#!/usr/bin/env python3
"""Doxygen's input filter: prints a public header with its plain comments turned into Doxygen's.

A comment in front of a declaration, or behind one on the same line, describes it; declarations that follow without a
comment or a blank line between share it. "---- title ----" begins a group, api_ and the title's first word, or cpp_ in
headers of C++. Macros are left out.
"""

import re
import sys

COMMENT = re.compile(r"/\*(.*?)\*/", re.S)
FUNCTION = re.compile(r"HYMG_API [^;(]*?\b(hymg_\w+)\(")


def escaped(text):
    """Text as Doxygen shows it letter by letter; lines that are indented further keep their columns."""
    out, verbatim = [], False
    for line in text.strip().splitlines():
        line = re.sub(r"^ *\* ?", "", line)
        if line.startswith("  ") != verbatim:
            out.append("@endverbatim" if verbatim else "@verbatim")
            verbatim = not verbatim
        out.append(line[2:] if verbatim else re.sub(r"([\\@&$#<>%\"])", r"\\\1", line))
    return "\n".join(out + ["@endverbatim"] * verbatim)


def simplified(code):
    """With the list of statuses as the enum that the preprocessor makes of it."""
    code = re.split(r"/\* ---- the header and the library ---- \*/|static inline", code)[0]
    statuses = re.findall(r"X\((\w+), (\d+), \"(.*?)\"\)", code)
    return re.sub(
        r"#define HYMG_STATUS_ENUM.*?#undef HYMG_STATUS_ENUM",
        "\n".join(f"  {name} = {value}, /* {text} */" for name, value, text in statuses),
        code,
        flags=re.S,
    )


def converted(code, name, prefix):
    out, end = [], 0
    for m in COMMENT.finditer(code):
        out.append(shared(code[end : m.start()]))
        end = m.end()
        title = re.fullmatch(r" ---- (.*) ---- ", m.group(1))
        if title:
            name = re.split(r"\W", title.group(1).lower())[0]
            out.append(f"/** @}} */\n/** @defgroup {prefix}_{name} {title.group(1)}\n@{{ */\n")
        elif m.start() == 0:
            out.append(f"/** @defgroup {prefix}_{name} {name}\n{escaped(m.group(1))}\n@{{ */")
        elif code[: m.start()].rsplit("\n", 1)[-1].strip():
            out.append("/**< " + escaped(m.group(1)) + " */")
        else:
            out.append("/** " + escaped(m.group(1)) + " */")
    return "".join(out) + shared(code[end:]) + "\n/** @} */\n"


def shared(code):
    """In front of declarations without a comment of their own, a pointer to the one that describes them."""
    out, end, first = [], 0, None
    for m in FUNCTION.finditer(code):
        between = code[end : m.start()]
        struct = re.search(r"\} (hymg_\w+);\n$", between)
        if struct or re.search(r"\n\s*\n", between):
            first = struct and struct.group(1)
        out.append(between)
        if m.group(1).endswith("_destroy"):
            out.append("/** Takes the address of the handle, sets it to NULL, and accepts NULL. */\n")
        elif first:
            out.append(f"/** Described with {first}. */\n")
        out.append(m.group(0))
        first, end = first or m.group(1) + "()", m.end()
    return "".join(out) + code[end:]


def within_namespace(code, group):
    """Doxygen's groups must begin and end in the same scope: the first one ends where the namespace begins."""
    code = re.sub(r"\ninline (\w+)::\1\(.*?\n\}\n", "\n", code, flags=re.S)  # constructors that their class declares
    code = code.replace("namespace hymg\n{\n", f"/** @}} */\nnamespace hymg\n{{\n/** @addtogroup {group}\n@{{ */\n")
    body, end, after = code.rpartition("} // namespace hymg\n")
    return f"{body}/** @}} */\n{end}" + after.replace("/** @} */\n", "")


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as header:
        name, kind = re.search(r"(\w+)\.(hp*)$", sys.argv[1]).groups()
        if kind == "h":
            sys.stdout.write(converted(simplified(header.read()), name, "api"))
        else:
            sys.stdout.write(within_namespace(converted(header.read(), name, "cpp"), f"cpp_{name}"))
