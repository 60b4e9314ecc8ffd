"""Equations of Word documents as words: "x^2", "(a + b)/2", "√(x)", "∑_(i=1)^n"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_BRACKETED = re.compile(r"\([^()]*\)")
_SIGNS = {"nary": "∫", "rad": "√"}


def write_equations(root: Element) -> None:
    """Put words in the place of each equation of a part of a Word document; mammoth leaves equations out."""
    from lxml import etree

    for equation in list(root.iter(f"{_MATH}oMath")):
        run = etree.Element(f"{_WORD}r")
        text = etree.SubElement(run, f"{_WORD}t")
        follows = equation.getnext()
        text.text = _words(equation) + (" " if follows is not None and follows.tag == equation.tag else "")
        text.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
        parent = equation.getparent()
        if parent is not None:
            parent.replace(equation, run)
            if parent.tag == f"{_MATH}oMathPara":
                etree.SubElement(run, f"{_WORD}br")
    for block in list(root.iter(f"{_MATH}oMathPara")):
        parent = block.getparent()
        if parent is not None:
            place = parent.index(block)
            parent[place : place + 1] = list(block.iterchildren(f"{_WORD}r"))


def _words(node: Element) -> str:
    """What an element of an equation says; its parts are named after what they are."""
    kind = str(node.tag).rpartition("}")[2]
    part = {str(child.tag).rpartition("}")[2]: child for child in node}
    said = {name: _words(child) for name, child in part.items() if name in _PARTS}
    match kind:
        case "t":
            return node.text or ""
        case "f":
            return f"{_whole(said.get('num', ''))}/{_whole(said.get('den', ''))}"
        case "rad":
            return f"{said.get('deg', '')}{_SIGNS[kind]}({said.get('e', '')})"
        case "nary":
            return f"{_sign(node, 'chr') or _SIGNS[kind]}{_marks(said)} {said.get('e', '')}"
        case "d":
            inner = ", ".join(_words(child) for child in node.iterchildren(f"{_MATH}e"))
            return f"{_sign(node, 'begChr', '(')}{inner}{_sign(node, 'endChr', ')')}"
        case "func":
            return f"{said.get('fName', '')} {said.get('e', '')}"
        case "m" | "eqArr":
            return "; ".join(_words(child) for child in node if child.tag in {f"{_MATH}mr", f"{_MATH}e"})
        case "mr":
            return ", ".join(map(_words, node.iterchildren(f"{_MATH}e")))
        case "sSup" | "sSub" | "sSubSup" | "limLow" | "limUpp":
            base = said.get("e", "")
            return f"{_whole(base) if '/' in base else base}{_marks(said)}"
    return "".join(_words(child) for child in node if isinstance(child.tag, str))


_PARTS = frozenset({"num", "den", "deg", "e", "fName", "sub", "sup", "lim"})


def _marks(said: dict[str, str]) -> str:
    low, high = said.get("sub") or said.get("lim"), said.get("sup")
    return (f"_{_whole(low)}" if low else "") + (f"^{_whole(high)}" if high else "")


def _whole(words: str) -> str:
    """Words in brackets where they are more than one sign, number or name, and not in brackets."""
    return words if words.isalnum() or len(words) == 1 or _BRACKETED.fullmatch(words) else f"({words})"


def _sign(node: Element, name: str, usual: str = "") -> str:
    """A sign that the properties of an element name, empty where they say so."""
    found = next(node.iter(f"{_MATH}{name}"), None)
    return usual if found is None else str(found.get(f"{_MATH}val", ""))
