"""LaTeX to MathML, strictly: what the converter would pass through or leave half done is an error."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from latex2mathml.converter import convert

from .problems import AuthorError

_NAMESPACE = "{http://www.w3.org/1998/Math/MathML}"
# how many children an element must have; the converter does not look
_ARITY = {"mfrac": 2, "msub": 2, "msup": 2, "munder": 2, "mover": 2, "mroot": 2, "msubsup": 3, "munderover": 3}
_KNOWN = {
    *_ARITY,
    "math",
    "mrow",
    "mi",
    "mn",
    "mo",
    "mtext",
    "mspace",
    "msqrt",
    "mtable",
    "mtr",
    "mtd",
    "mstyle",
    "menclose",
    "mpadded",
    "mphantom",
}
_CURE = "compare it with the LaTeX that the other pages use; \\frac{a}{b}, x_i, \\text{words}"


def _balanced(latex: str) -> bool:
    depth = 0
    for token in re.findall(r"\\.|[{}]", latex):
        depth += {"{": 1, "}": -1}.get(token, 0)
        if depth < 0:
            return False
    return depth == 0


def to_mathml(latex: str, display: bool = False) -> str:
    """Convert one formula. Raises AuthorError where it does not convert whole."""
    if not latex.strip():
        raise AuthorError("this formula is empty", "write the formula, or \\$ for a dollar sign")
    if not _balanced(latex):
        raise AuthorError(f"the braces of this formula do not pair: {latex.strip()}", "close each { with a }")
    try:
        made = convert(latex.strip(), display="block" if display else "inline")
        root = ElementTree.fromstring(made)
    except Exception as error:  # the converter raises a dozen kinds of its own, and IndexError
        reason = type(error).__name__
        raise AuthorError(f"this formula does not convert ({reason}): {latex.strip()}", _CURE) from None
    for element in root.iter():
        name = element.tag.removeprefix(_NAMESPACE)
        if name not in _KNOWN:
            raise AuthorError(f"this formula makes an element <{name}>: {latex.strip()}", _CURE)
        if "\\" in (element.text or ""):
            raise AuthorError(f"the command {element.text} is not known in: {latex.strip()}", _CURE)
        if name in _ARITY and len(element) != _ARITY[name]:
            raise AuthorError(f"a part is missing in this formula: {latex.strip()}", _CURE)
    return made
