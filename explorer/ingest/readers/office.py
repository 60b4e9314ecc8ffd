"""Office files by what they say of themselves, written again as their libraries want them.

The main part is the one that the file names, whatever it is called, and what it relates to is found in any case of its
name. "Strict" files are put into the names that are usual, templates and slide shows into the type of a document.
Pictures and other parts that are no markup become empty, what is missing is no longer named, and markup that is broken
is read as far as it goes.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote
from xml.sax.saxutils import quoteattr

from explorer.ingest.readers.archive import xml
from explorer.ingest.readers.damage import DamagedError
from explorer.text import count

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/")
_USUAL = rb"http://schemas.openxmlformats.org/\1/2006/"
_OF = "application/vnd.openxmlformats-officedocument"
_TYPES = {  # of a main part, by a word in its markup
    "wordprocessingml": f"{_OF}.wordprocessingml.document.main+xml",
    "presentationml": f"{_OF}.presentationml.presentation.main+xml",
    "spreadsheetml": f"{_OF}.spreadsheetml.sheet.main+xml",
}
_BY_KIND = {
    **{kind: f"{_OF}.presentationml.{kind}+xml"
       for kind in ("slide", "slideLayout", "slideMaster", "notesSlide", "notesMaster")},
    **{kind: f"{_OF}.spreadsheetml.{kind}+xml" for kind in ("worksheet", "sharedStrings")},
}  # fmt: skip
_SCHEMA = re.compile(rb"(wordprocessingml|presentationml|spreadsheetml)/(?:2006/)?main")
_MAINS = {"word/document.xml": "wordprocessingml", "ppt/presentation.xml": "presentationml",
          "xl/workbook.xml": "spreadsheetml"}  # fmt: skip
_MAIN = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
_HEAD = 4_096  # bytes of the main part that tell what it is
_CONTENTS = "[content_types].xml"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_RELS = "application/vnd.openxmlformats-package.relationships+xml"
_MARKUP = re.compile(r"\.(?:xml|rels|vml)$")
_ASIDE = {  # elements with words, by kinds of parts; but for comments only in workbooks, as elsewhere they are read
    "comments": ("{*}comment", "{*}cm"),
    "drawing": ("{*}txBody",),
    "chart": ("{*}title",),
}
_SAID = {"comments": "comment", "drawing": "text box", "chart": "chart title", "worksheet": "head or foot line"}
_HEADED = re.compile(rb"<(?:\w+:)?(?:odd|even|first)(?:Header|Footer)>[^<]")
_WORDS = frozenset({"slide", "worksheet", "sharedStrings", "footnotes", "endnotes"})  # kinds of parts that are missed


class Relation(NamedTuple):
    """What a part relates to: its number there, the kind, and the name of the other part, or an address outside.

    `is_there`: whether there is such a part; `is_exact`: and it is called just so.
    """

    id: str
    type: str
    target: str
    is_outside: bool
    is_there: bool
    is_exact: bool

    @property
    def kind(self) -> str:
        """The last word of its type."""
        return self.type.rpartition("/")[2]


def schema_of(archive: zipfile.ZipFile) -> str:
    """Return what the main part of an archive holds, as `Package.schema` does; nothing where it is no Office file."""
    try:
        return Package(archive).schema
    except Exception:  # noqa: BLE001 - whatever is wrong with it, whoever reads it says so
        names = {*map(_plain, archive.namelist())}
        return next((schema for name, schema in _MAINS.items() if name in names), "")


class Package:
    """An Office file that is open: its parts by their names in lower case."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        """Find the main part; raises DamagedError where there is none."""
        self._archive = archive
        self._names = {_plain(name): name for name in reversed(archive.namelist())}
        named = [one.target for one in self.relations("") if one.kind == "officeDocument"]
        self.main = next((name for name in (*named, *_MAINS) if name in self._names), "")
        self._is_named = self.main in named
        if not self.main:
            raise DamagedError("its main part is missing")
        with archive.open(self._names[self.main]) as part:
            head = part.read(_HEAD).replace(b"\0", b"")
        found = _SCHEMA.search(head)
        self.schema = found[1].decode() if found else _MAINS.get(self.main, "")
        """What the main part holds: wordprocessingml, presentationml or spreadsheetml, else nothing."""
        self._is_strict = _STRICT.search(head) is not None
        try:
            said = [*xml(self.read(_CONTENTS)).iter("{*}Override", "{*}Default")] if _CONTENTS in self._names else []
        except DamagedError:
            said = []
        self._types = {_plain(one.get("PartName") or f".{one.get('Extension')}"): one.get("ContentType") or ""
                       for one in said}  # fmt: skip
        self.has_macros = "macroEnabled" in self._type(self.main)

    @property
    def is_usual(self) -> bool:
        """Whether its parts are called as they are named, and none that is named is missing."""
        named = (one for part in ("", self.main) for one in self.relations(part))
        return not self._is_strict and all(one.is_outside or one.is_exact for one in named)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on what is not read: parts with words that are named and not there, comments; of sheets what is drawn
        on them, or stands above and below their pages.
        """
        found = Counter[str]()
        for name, kind, _ in self._parts(()):
            if kind == "worksheet":  # too large to be taken apart for that
                found[_SAID[kind]] += len(_HEADED.findall(self.read(name)))
            tags = _ASIDE.get(kind, ()) if kind == "comments" or self.schema == "spreadsheetml" else ()
            for node in xml(self.read(name)).iter(*tags) if tags else ():
                found[_SAID[kind]] += any(str(text).strip() for text in node.itertext())
        lost = [one for one in self.relations(self.main) if one.kind in _WORDS and not one.is_there]
        missing = [f"{count(len(lost), 'part')} that it names, as {lost[0].target}, not in it"] if lost else []
        return (*missing, *(f"{count(number, what)} left out" for what, number in found.items() if number))

    def read(self, name: str) -> bytes:
        """Return a part, with the names of markup that are usual."""
        data = self._archive.read(self._names[name])
        return _STRICT.sub(_USUAL, data) if _MARKUP.search(name) else data

    def relations(self, part: str) -> list[Relation]:
        """Return what a part relates to; the file itself is the part without a name."""
        rels = posixpath.join(posixpath.dirname(part), "_rels", f"{posixpath.basename(part)}.rels")
        if rels not in self._names:
            return []
        folder = posixpath.dirname(_slashed(self._names.get(part, "")))
        try:
            named = xml(self.read(rels)).iter("{*}Relationship")
        except DamagedError:
            return []
        return [self._relation(one, folder) for one in named]

    def _relation(self, given: Element, folder: str) -> Relation:
        number, kind, target = (str(given.get(name) or "") for name in ("Id", "Type", "Target"))
        if given.get("TargetMode") == "External":
            return Relation(number, kind, target, is_outside=True, is_there=False, is_exact=False)
        path = posixpath.normpath(posixpath.join("/", folder, _slashed(target))).lstrip("/")
        name = next((one for one in (path.lower(), unquote(path).lower()) if one in self._names), path.lower())
        is_there = name in self._names
        return Relation(number, kind, name, False, is_there, is_there and self._names[name] == path)  # noqa: FBT003

    def _type(self, name: str) -> str:
        return self._types.get(name) or self._types.get(posixpath.splitext(name)[1]) or "application/xml"

    def canonical(
        self, changed: Callable[[str, bytes], bytes] = lambda _, data: data, without: Collection[str] = ()
    ) -> bytes:
        """Return the file anew, each part as `changed` makes it of its kind of relation and its bytes.

        Leaves out parts of some kinds.
        """
        made, types = io.BytesIO(), []
        with zipfile.ZipFile(made, "w") as archive:
            for name, kind, relations in self._parts(without):
                if name:
                    archive.writestr(name, changed(kind, self._sound(name)) if _MARKUP.search(name) else b"")
                    own = _TYPES.get(self.schema) if name == self.main else _BY_KIND.get(kind)
                    types.append(f"<Override PartName={quoteattr('/' + name)} "
                                 f"ContentType={quoteattr(own or self._type(name))}/>")  # fmt: skip
                rels = posixpath.join(posixpath.dirname(name), "_rels", f"{posixpath.basename(name)}.rels")
                archive.writestr(rels, _written(relations))
            archive.writestr("[Content_Types].xml",
                             f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" ContentType='
                             f'"{_RELS}"/>{"".join(types)}</Types>')  # fmt: skip
        return made.getvalue()

    def _sound(self, name: str) -> bytes:
        """Return markup that every parser reads: what is broken as far as it goes, and nothing of what is none."""
        try:
            return _mended(self.read(name))
        except DamagedError:
            if name == self.main:
                raise
            return b"<none/>"

    def _parts(self, without: Collection[str]) -> Iterator[tuple[str, str, list[Relation]]]:
        """The file itself and each part that is led to, with the kind of the relation and what it relates to."""
        todo, seen = [("", "")], {""}
        while todo:
            name, kind = todo.pop()
            relations = [one for one in self.relations(name)
                         if (one.is_outside or one.is_there) and one.kind not in without]  # fmt: skip
            if not name and not self._is_named:  # what a file should say that does not name its main part
                relations = [Relation("rIdMain", _MAIN, self.main, is_outside=False, is_there=True, is_exact=False)]
            yield name, kind, relations
            new = {one.target: one.kind for one in relations if not one.is_outside and one.target not in seen}
            seen |= new.keys()
            todo += new.items()


def _plain(name: str) -> str:
    return _slashed(name).lstrip("/").lower()


def _slashed(name: str) -> str:
    return name.replace("\\", "/")


def _mended(data: bytes) -> bytes:
    from lxml import etree

    try:
        etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))
    except etree.XMLSyntaxError:
        data = etree.tostring(xml(data), xml_declaration=True, encoding="UTF-8")
    return data


def _written(relations: Collection[Relation]) -> str:
    lines = [f"<Relationship Id={quoteattr(one.id)} Type={quoteattr(one.type)} "
             + (f'Target={quoteattr(one.target)} TargetMode="External"/>' if one.is_outside
                else f"Target={quoteattr('/' + one.target)}/>") for one in relations]  # fmt: skip
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{"".join(lines)}</Relationships>'
