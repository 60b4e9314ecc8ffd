"""The markup of Word documents as mammoth reads it, so that no words are passed over.

What mammoth does not know it leaves out with all in it. So what it does not know and words stand in is opened: fields,
text in the other direction, what later versions will bring. What is drawn gives its words, and what is left out is
counted. Equations become words: "x^2", "(a + b)/2", "√(x)", "∑_(i=1)^n".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from explorer.ingest.readers.archive import xml
from explorer.ingest.readers.office import Package
from explorer.text import count

if TYPE_CHECKING:
    from lxml.etree import _Element as Element


_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_NUMBER = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_OTHER = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_DRAWN = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_VML = "{urn:schemas-microsoft-com:vml}"
_WORD_2010 = "{http://schemas.microsoft.com/office/word/2010/wordml}"
_READ = frozenset(  # by mammoth, or passed over for good
    "document body p r t tab noBreakHyphen softHyphen sym tbl tr tc customXml ins moveTo object smartTag drawing "
    "txbxContent pict hyperlink br sdt sdtContent footnotes footnote endnotes endnote comments comment del moveFrom "
    "pPr rPr sectPr tblPr tblPrEx tblGrid trPr tcPr sdtPr sdtEndPr fldChar instrText delText styles style".split()
)
_RENAMED = {"cr": "br", "ptab": "tab"}
_FIGURES = ("/chart", "/diagram")  # what their kinds end with
_OFF = frozenset({"0", "false", "off"})
_AROUND = frozenset({"header", "footer"})  # kinds of parts
_NOTES = {"footnoteReference": "footnotes", "endnoteReference": "endnotes", "commentReference": "comments"}
CHUNK = "\ue00ba page enclosed: {}\ue00b"
"""What stands in a paragraph of its own in the place of a page of another format, with the number of its relation."""
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_BRACKETED = re.compile(r"\([^()]*\)")
_SIGNS = {"nary": "∫", "rad": "√"}


class Markup:
    """What is done to the parts of a Word document; `left_out` counts what they lose by it."""

    def __init__(self, package: Package, without: Sequence[str] = ()) -> None:
        self.left_out: Counter[str] = Counter()
        relations = package.relations(package.main)
        self._numbers = {one.id for one in relations}
        parts = {one.kind: xml(package.read(one.target)) for one in relations
                 if one.is_there and one.kind in {"styles", *_NOTES.values()} and one.kind not in without}  # fmt: skip
        around = sorted((one.kind != "header", one.target) for one in relations
                        if one.is_there and one.kind in _AROUND and one.kind not in without)  # fmt: skip
        self._around = [xml(package.read(target)) for _, target in around]
        self._notes = {kind: {note.get(f"{_WORD}id") for note in parts[kind]} if kind in parts else set()
                       for kind in _NOTES.values()}  # fmt: skip
        styles = parts["styles"].iter(f"{_WORD}style") if "styles" in parts else ()
        self._hidden = {style.get(f"{_WORD}styleId") for style in styles if _is_on(style, "rPr", "vanish")}

    def changed(self, kind: str, data: bytes) -> bytes:
        """Return a part as mammoth reads all of it, by the kind of its relation."""
        from lxml import etree

        if kind not in {"officeDocument", "styles", *_NOTES.values()}:
            return data
        root = xml(data)
        if kind == "styles":
            for style in list(root.iter(f"{_WORD}style")):
                if style.get(f"{_WORD}styleId") is None:
                    root.remove(style)
                elif style.get(f"{_WORD}type") is None:
                    style.set(f"{_WORD}type", "paragraph")
        else:
            if kind == "officeDocument":
                self._surround(root)
            write_equations(root)
            _fill_rows(root)
            _settle_fields(root)
            self._choose(root)
            self._open(root)
            self._drop(root)
            self._enclose(root, is_main=kind == "officeDocument")
        made: bytes = etree.tostring(root, xml_declaration=True, encoding="UTF-8")
        return made

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be said of what is left out."""
        return tuple(f"{count(number, what)} left out" for what, number in self.left_out.items() if number)

    def _surround(self, root: Element) -> None:
        """Put what stands above and below the pages behind the text, each block of words once."""
        body, seen = root.find(f"{_WORD}body"), set[str]()
        for block in [block for part in self._around for block in part] if body is not None else ():
            words = " ".join("".join(text.text or "" for text in block.iter(f"{_WORD}t")).split())
            if words and words not in seen:
                seen.add(words)
                body.append(block)
                for node in [block, *block.iter(f"{_WORD}hyperlink", f"{_WORD}altChunk")]:
                    node.attrib.pop(_NUMBER, None)  # as it is of another part

    def _choose(self, root: Element) -> None:
        """Of each drawing that stands there in several ways keep one with words; boxes of words become such of VML."""
        for either in list(root.iter(f"{_OTHER}AlternateContent")):
            ways = [*either.iterchildren(f"{_OTHER}Fallback"), *either.iterchildren(f"{_OTHER}Choice")]
            _replace(either, next((list(way) for way in ways if _words(way)), list(ways[0]) if ways else []))
        for drawing in list(root.iter(f"{_WORD}drawing")):
            boxes = list(drawing.iter(f"{_WORD}txbxContent"))
            if boxes:
                _replace(drawing, [_made("pict", *boxes)])
            elif any(str(one.get("uri")).endswith(_FIGURES) for one in drawing.iter(f"{_DRAWN}graphicData")):
                self.left_out["chart or diagram"] += 1
            elif any(text.text for text in drawing.iter(f"{_DRAWN}t")):
                self.left_out["drawn text"] += 1

    def _open(self, root: Element) -> None:
        """Put what stands in elements that are not read into their place: of a ruby the words without the reading."""
        for reading in [*root.iter(f"{_WORD}rt", f"{_WORD}rubyPr", f"{_WORD_2010}checkbox")]:
            _replace(reading, [])
        for field in root.iter(f"{_WORD}ffData"):
            self._chosen(field)
        for node in list(root.iter(f"{_WORD}*")):
            name = str(node.tag).rpartition("}")[2]
            if name in _RENAMED:
                node.tag = f"{_WORD}{_RENAMED[name]}"
            elif name not in _READ and node.getparent() is not None and _words(node):
                _replace(node, list(node))

    @staticmethod
    def _chosen(field: Element) -> None:
        """Write what was chosen in a list or box of a form behind where it begins."""
        run = next(field.iterancestors(f"{_WORD}r"), None)
        choices = [str(one.get(f"{_WORD}val") or "") for one in field.iter(f"{_WORD}listEntry")]
        box = field.find(f"{_WORD}checkBox")
        given = next((one.get(f"{_WORD}val") for one in field.iter(f"{_WORD}result", f"{_WORD}default")), None) or "0"
        if box is not None:
            is_checked = _is_on(box, "checked") if box.find(f"{_WORD}checked") is not None else _is_on(box, "default")
            words = "☒" if is_checked else "☐"
        else:
            words = choices[int(given)] if given.isdecimal() and int(given) < len(choices) else ""
        if run is not None and words:
            run.addprevious(_made("r", _made("t", text=words)))

    def _drop(self, root: Element) -> None:
        """Leave out hidden words, pictures, and what leads to something that is not there."""
        for run in list(root.iter(f"{_WORD}r")):
            style = run.find(f"{_WORD}rPr/{_WORD}rStyle")
            by_style = style is not None and style.get(f"{_WORD}val") in self._hidden
            if _is_on(run, "rPr", "vanish") or (by_style and run.find(f"{_WORD}rPr/{_WORD}vanish") is None):
                self.left_out["hidden text"] += _words(run)
                _replace(run, [])
        for node in list(root.iter(f"{_DRAWN}blip", f"{_DRAWN}hlinkClick", f"{_VML}imagedata")):
            _replace(node, [])
        for link in root.iter(f"{_WORD}hyperlink"):
            if link.get(_NUMBER) not in self._numbers:
                link.attrib.pop(_NUMBER, None)
        for name, kind in _NOTES.items():
            for reference in list(root.iter(f"{_WORD}{name}")):
                if reference.get(f"{_WORD}id") not in self._notes[kind]:
                    self.left_out[f"missing {kind.removesuffix('s')}"] += 1
                    _replace(reference, [])

    def _enclose(self, root: Element, *, is_main: bool) -> None:
        """Put a mark in the place of each page of another format that stands between paragraphs."""
        for chunk in list(root.iter(f"{_WORD}altChunk")):
            parent, number = chunk.getparent(), str(chunk.get(_NUMBER))
            if is_main and parent is not None and parent.tag == f"{_WORD}body":
                _replace(chunk, [_made("p", _made("r", _made("t", text=CHUNK.format(number))))])
            else:
                self.left_out["enclosed page"] += 1


def _made(name: str, *children: Element, text: str | None = None) -> Element:
    from lxml import etree

    node = etree.Element(f"{_WORD}{name}")
    node.text = text
    node.extend(children)
    return node


def _is_on(node: Element, *path: str) -> bool:
    found = node.find("/".join(f"{_WORD}{name}" for name in path))
    return found is not None and str(found.get(f"{_WORD}val")).lower() not in _OFF


def _words(node: Element) -> bool:
    return any(text.text for text in node.iter(f"{_WORD}t"))


def _replace(node: Element, others: Sequence[Element]) -> None:
    parent = node.getparent()
    if parent is not None:
        at = parent.index(node)
        parent[at : at + 1] = others


def _settle_fields(root: Element) -> None:
    """Leave out the words of fields that stand in the instructions of others: what these came to stands behind."""
    opened = list[bool]()  # of each field around: whether its instructions go on
    for run in list(root.iter(f"{_WORD}r")):
        for node in list(run):
            kind = str(node.get(f"{_WORD}fldCharType")) if node.tag == f"{_WORD}fldChar" else ""
            if kind == "begin":
                opened.append(True)
            elif opened and kind == "separate":
                opened[-1] = False
            elif opened and kind == "end":
                opened.pop()
            elif node.tag == f"{_WORD}t" and len(opened) > 1 and any(opened[:-1]):
                run.remove(node)


def _fill_rows(root: Element) -> None:
    """Begin each row that begins with a later column by an empty cell, so that each value stands in its column."""
    for before in root.iter(f"{_WORD}gridBefore"):
        row = next(before.iterancestors(f"{_WORD}tr"), None)
        first = None if row is None else row.find(f"{_WORD}tc")
        if first is not None:
            span = _made("gridSpan")
            span.attrib.update(before.attrib)
            first.addprevious(_made("tc", _made("tcPr", span), _made("p")))


def write_equations(root: Element) -> None:
    """Put words in the place of each equation of a part of a Word document; mammoth leaves equations out."""
    from lxml import etree

    for equation in list(root.iter(f"{_MATH}oMath")):
        run = etree.Element(f"{_WORD}r")
        text = etree.SubElement(run, f"{_WORD}t")
        follows = equation.getnext()
        text.text = _equation(equation) + (" " if follows is not None and follows.tag == equation.tag else "")
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


def _equation(node: Element) -> str:
    """What an element of an equation says; its parts are named after what they are."""
    kind = str(node.tag).rpartition("}")[2]
    part = {str(child.tag).rpartition("}")[2]: child for child in node}
    said = {name: _equation(child) for name, child in part.items() if name in _PARTS}
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
            inner = ", ".join(_equation(child) for child in node.iterchildren(f"{_MATH}e"))
            return f"{_sign(node, 'begChr', '(')}{inner}{_sign(node, 'endChr', ')')}"
        case "func":
            return f"{said.get('fName', '')} {said.get('e', '')}"
        case "m" | "eqArr":
            return "; ".join(_equation(child) for child in node if child.tag in {f"{_MATH}mr", f"{_MATH}e"})
        case "mr":
            return ", ".join(map(_equation, node.iterchildren(f"{_MATH}e")))
        case "sSup" | "sSub" | "sSubSup" | "limLow" | "limUpp":
            base = said.get("e", "")
            return f"{_whole(base) if '/' in base else base}{_marks(said)}"
    return "".join(_equation(child) for child in node if isinstance(child.tag, str))


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
