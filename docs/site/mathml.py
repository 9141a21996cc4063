"""Sphinx extension: formulas as MathML, written when the site is built, so that pages need neither scripts nor fonts from
elsewhere. A formula that cannot be translated is a warning, and those are errors."""

import re

from docutils.nodes import SkipNode
from latex2mathml.converter import convert
from sphinx.util import logging


def visit(display):
    def write(translator, node):
        text = node.astext()
        try:
            formula = convert(text, display=display)
        except Exception as error:  # of any of the converter's many kinds
            formula = f"\\{type(error).__name__}"
        if re.search(r"\\\w", formula):  # an error, or a command that the converter does not know and leaves as it is
            logging.getLogger(__name__).warning("formula %r: %s", text, formula, location=node)
        translator.body.append(formula if display == "inline" else f'<div class="math">{formula}</div>\n')
        raise SkipNode

    return write


def setup(app):
    app.add_html_math_renderer("mathml", (visit("inline"), None), (visit("block"), None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
