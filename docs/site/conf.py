"""Sphinx configuration of the documentation site; `make docs` builds it. The source folder is the repository's root, so
that links between pages and to files of the repository are the same here and in a repository browser."""

import os
import re
import sys
from pathlib import Path

from sphinx.errors import SphinxError

ROOT = Path(__file__).resolve().parents[2]
HEADERS = [ROOT / "include/hymg.h", ROOT / "include/hymg_mpi.h"]
sys.path.insert(0, str(ROOT / "docs/site"))

project = "hymg"
copyright = "the hymg authors"
release = version = re.search(r'#define HYMG_VERSION "(.*)"', HEADERS[0].read_text())[1]
extensions = ["myst_parser", "breathe", "mathml", "python_pages", "fortran_pages"]
root_doc = "docs/index"
include_patterns = [
    "docs/*.md",
    "docs/api/*.md",
    "benchmarks/README.md",
    "benchmarks/ranking/*.md",
    "benchmarks/stencils/README.md",
    "examples/petsc/README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
]
myst_enable_extensions = ["dollarmath"]
myst_fence_as_directive = ["math"]
myst_heading_anchors = 4
html_math_renderer = "mathml"
html_theme = "furo"
html_title = f"hymg {version}"
html_static_path = ["static"]
html_css_files = ["hymg.css"]
html_copy_source = False
html_show_sourcelink = False
breathe_projects = {"hymg": os.environ["DOXYGEN_XML"]}
breathe_default_project = "hymg"
breathe_domain_by_extension = {"h": "c", "hpp": "cpp"}
breathe_show_include = False
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
maximum_signature_line_length = 90
primary_domain = "c"
highlight_language = "none"
suppress_warnings = ["misc.highlighting_failure"]  # Pygments' Fortran has no .false._c_bool


def links_that_the_site_cannot_follow(app, name, source):
    """Links to folders, and to the README, which is no page here, become plain text. Other files can be downloaded."""
    folder = (ROOT / name).parent

    def replace(match):
        target = (folder / match[2].split("#")[0]).resolve()
        return match[1] if target.is_dir() and target != folder or target == ROOT / "README.md" else match[0]

    source[0] = re.sub(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)", replace, source[0])


def programs_to_unfold(app, name, source):
    """In place of "Program: [link](file)" the site has the program itself, folded."""
    languages = {".py": "python", ".c": "c"}

    def replace(match):
        path = Path(match[2])
        return (
            f"<details class=program><summary>Program: {match[1]}</summary>\n\n"
            f"```{{literalinclude}} {path}\n:language: {languages[path.suffix]}\n```\n\n</details>\n"
        )

    source[0] = re.sub(r"(?m)^Program: \[([^\]]*)\]\(([^)\s]+)\)$", replace, source[0])


def everything_is_listed(app, error):
    """Every public call, class and procedure is on a page of the API."""
    pages = Path(app.outdir) / "docs/api"
    if error or not pages.exists():
        return
    ids = set(re.findall(r'id="([^"]+)"', "".join(path.read_text() for path in pages.glob("*.html"))))
    for header in HEADERS:
        for call in re.findall(r"HYMG_API [^;(]*?\b(hymg_\w+)\(", header.read_text()):
            need(f"c.{call}" in ids, "C", call)
            need(f"fortran-{call.removesuffix('_f')}" in ids, "Fortran", call)
    for name in re.findall(r"(?m)^(?:class|struct) (\w+)[ \w:<>]*\n?\{", (ROOT / "include/hymg.hpp").read_text()):
        need(f"hymg::{name}" in ids, "C++", name)
    package = (ROOT / "python/hymg/__init__.py").read_text()
    for name in re.findall(r'"([A-Za-z]\w*)"', re.search(r"(?s)__all__ = \[(.*?)\]", package)[1]):
        need(f"hymg.{name}" in ids, "Python", name)


def need(listed, language, name):
    if not listed:
        raise SphinxError(f"docs/api: {language} lacks {name}")


def setup(app):
    app.connect("source-read", links_that_the_site_cannot_follow)
    app.connect("source-read", programs_to_unfold)
    app.connect("build-finished", everything_is_listed)
