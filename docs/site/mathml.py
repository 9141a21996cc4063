"""Sphinx extension: formulas as MathML, written when the site is built, and a font for them, cut down to what they
need: pages need neither scripts nor other hosts. A formula that cannot be translated is a warning, and those are errors.
"""

import re
import unicodedata
from html import unescape
from logging import getLogger
from importlib.resources import as_file, files
from pathlib import Path

from docutils.nodes import SkipNode
from fontTools import subset
from latex2mathml.converter import convert
from sphinx.util import logging

ITALICS = [0x210E, *range(0x1D434, 0x1D468), *range(0x1D6E2, 0x1D71C)]  # what browsers make of single letters
FONT = "math.woff2"  # hymg.css names it


OPENING = "&#x00028;|&#x0003D;|&#x0007B;|&#x0005B;|&#x02264;"  # ( = { [ <=, behind which a minus is a sign
BAR, MINUS, PARTIAL = "&#x0007C;", "&#x02212;", "&#x02202;"


def tidied(formula):
    """The spaces of browsers around bars, words, signs and partial derivatives as they should be."""
    formula = re.sub(rf"<mo[^>]*>{BAR}</mo>", f'<mo stretchy="false" lspace="0em" rspace="0em">{BAR}</mo>', formula)
    formula = re.sub(r"<mo>(max|min)</mo>", r'<mo lspace="0.17em" rspace="0.17em">\1</mo>', formula)
    before = rf"<mo[^>]*>(?:{OPENING})</mo>|<mrow>"
    formula = re.sub(rf"({before})<mo>{MINUS}</mo>", rf'\1<mo form="prefix">{MINUS}</mo>', formula)
    return re.sub(rf"<mo[^>]*>{PARTIAL}</mo>", f"<mi>{PARTIAL}</mi>", formula)


def visit(display):
    def write(translator, node):
        text = node.astext()
        try:
            formula = convert(text.replace("{aligned}", "{align*}"), display=display)
        except Exception as error:  # of any of the converter's many kinds
            formula = f"\\{type(error).__name__}"
        if re.search(r"\\\w|<mi>&<", formula):  # an error, or what the converter does not know and leaves as it is
            logging.getLogger(__name__).warning("formula %r: %s", text, formula, location=node)
        formula = tidied(formula)
        translator.body.append(formula if display == "inline" else f'<div class="math">{formula}</div>\n')
        raise SkipNode

    return write


def write_font(app, error):
    """STIX Two Math (Open Font License), which comes with ziamath, with the letters of the formulas on all pages."""
    if error or app.builder.format != "html":
        return
    letters = set()
    for page in Path(app.outdir).rglob("*.html"):
        for formula in re.findall(r"(?s)<math\b.*?</math>", page.read_text(encoding="utf-8")):
            letters |= set(unescape(re.sub(r"<[^>]*>", "", formula)))
    italics = {letter for letter in map(chr, ITALICS) if unicodedata.normalize("NFKC", letter) in letters}
    options = subset.Options(flavor="woff2", layout_features=["*"], name_IDs=["*"], notdef_outline=True)
    with as_file(files("ziamath") / "fonts/STIXTwoMath-Regular.ttf") as source:
        font = subset.load_font(str(source), options)
    getLogger("fontTools").setLevel("ERROR")
    cut = subset.Subsetter(options)
    cut.populate(text="".join(letters | italics))
    cut.subset(font)
    subset.save_font(font, str(Path(app.outdir) / "_static" / FONT), options)


def setup(app):
    app.add_html_math_renderer("mathml", (visit("inline"), None), (visit("block"), None))
    app.connect("build-finished", write_font)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
