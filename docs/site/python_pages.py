"""Sphinx extension: the package hymg for autodoc, without its compiled part, and its docstrings, which are plain text
with columns, as reStructuredText."""

import importlib
import inspect
import re
import sys
import types
from pathlib import Path
from unittest.mock import MagicMock

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = re.compile(r"(\w[\w, ]*?) {2,}(\S.*)")


def without_the_library():
    """Makes `import hymg` work from the sources alone."""
    sys.path.insert(0, str(ROOT / "python"))
    part = MagicMock()
    part.ffi.typeof.return_value.fields = [("version", None)]
    sys.modules["hymg._hymg"] = part
    sys.modules.setdefault("numpy", MagicMock())
    without_frameworks()


def without_frameworks():
    """What hymg.torch and hymg.jax need of theirs; imported here, since `import hymg` imports neither."""
    for name, parts in (("torch", ("autograd",)), ("jax", ("numpy",))):
        try:
            importlib.import_module(name)
        except ImportError:
            stand_in = types.ModuleType(name)
            stand_in.Tensor = stand_in.Array = stand_in.ShapeDtypeStruct = type("Array", (), {})
            for part in parts:
                setattr(stand_in, part, types.ModuleType(f"{name}.{part}"))
                sys.modules[f"{name}.{part}"] = getattr(stand_in, part)
            stand_in.__dict__[parts[0]].Function = type("Function", (), {})
            sys.modules[name] = stand_in
        importlib.import_module(f"hymg.{name}")


def plain(text):
    """Text as reStructuredText that shows it letter by letter; `words` are code."""
    parts = re.split(r"(`[^`]+`)", text)
    return "".join(f"`{part}`" if part[:1] == "`" else re.sub(r"([\\*|_])", r"\\\1", part) for part in parts)


def converted(lines):
    """Rows "name  what it is", of which further lines are indented, become a list of definitions; the rest is text."""
    out, in_list, in_code = [], False, False
    for line in lines:
        row = COLUMNS.fullmatch(line)
        if not line.strip():
            out.append("")
            in_list = False
        elif row and (in_list or out[-1:] == [""] or not out):
            out += ["", ", ".join(f"``{name}``" for name in row[1].split(", ")), "   " + plain(row[2])]
            in_list = True
        elif in_list and line.startswith(" "):
            out.append("   " + plain(line.strip()))
        elif line.startswith("    "):
            out += [] if in_code else ["::", ""]
            out.append(line)
        else:
            out.append(plain(line))
        in_code = line.startswith("    ") and not in_list
    return out


def fields(kind):
    """The members of a named tuple, with the comments behind them."""
    for name, type_, comment in re.findall(r"(?m)^    (\w+): ([^#\n]+?)(?: *# (.*))?$", inspect.getsource(kind)):
        yield from ("", f"``{name}`` : ``{type_}``", "   " + (plain(comment) or ".."))


def on_docstring(app, what, name, thing, options, lines):
    lines[:] = converted(lines)
    if what == "class" and hasattr(thing, "_fields"):
        lines.extend(fields(thing))


def setup(app):
    without_the_library()
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", on_docstring)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
