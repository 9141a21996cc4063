"""Sphinx configuration of the documentation site; `make docs` builds it. The source folder is the repository's root, so
that links between pages and to files of the repository are the same here and in a repository browser."""

import os
import re
from pathlib import Path

from sphinx.errors import SphinxError

ROOT = Path(__file__).resolve().parents[2]
HEADERS = [ROOT / "include/hymg.h", ROOT / "include/hymg_mpi.h"]

project = "hymg"
copyright = "the hymg authors"
release = version = re.search(r'#define HYMG_VERSION "(.*)"', HEADERS[0].read_text())[1]
extensions = ["myst_parser", "breathe"]
root_doc = "docs/index"
include_patterns = [
    "docs/*.md",
    "benchmarks/README.md",
    "benchmarks/ranking/*.md",
    "benchmarks/stencils/README.md",
    "examples/petsc/README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
]
myst_heading_anchors = 4
html_theme = "furo"
html_title = f"hymg {version}"
html_copy_source = False
breathe_projects = {"hymg": os.environ["DOXYGEN_XML"]}
breathe_default_project = "hymg"
breathe_domain_by_extension = {"h": "c"}
breathe_show_include = False
primary_domain = "c"
highlight_language = "none"


def links_that_the_site_cannot_follow(app, name, source):
    """Links to folders, and to the README, which is no page here, become plain text. Other files can be downloaded."""
    folder = (ROOT / name).parent

    def replace(match):
        target = (folder / match[2].split("#")[0]).resolve()
        return match[1] if target.is_dir() and target != folder or target == ROOT / "README.md" else match[0]

    source[0] = re.sub(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)", replace, source[0])


def everything_is_listed(app, error):
    """Every public function is on the page of the API."""
    page = Path(app.outdir) / "docs/api.html"
    if error or not page.exists():
        return
    listed = page.read_text()
    for header in HEADERS:
        for call in re.findall(r"HYMG_API [^;(]*?\b(hymg_\w+)\(", header.read_text()):
            if f'id="c.{call}"' not in listed:
                raise SphinxError(f"docs/api.md does not list {call}")


def setup(app):
    app.connect("source-read", links_that_the_site_cannot_follow)
    app.connect("build-finished", everything_is_listed)
