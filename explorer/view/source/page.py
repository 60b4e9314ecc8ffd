"""The page or section a passage stands on: its text with the passage marked, and for a PDF its picture with boxes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import PurePath
from types import MappingProxyType
from typing import TYPE_CHECKING

from pyoxigraph import Literal, NamedNode

from explorer.entities import Document
from explorer.errors import ExplorerError, RecordError
from explorer.events import CHANGED
from explorer.ingest.readers.unlocking import is_shut
from explorer.record.node_lookup import describe
from explorer.stores.library import Stretch
from explorer.view.messages import source as messages
from explorer.view.source import page_facts
from explorer.vocab import PROV, moment
from explorer.wording.phrases import span_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from pyoxigraph import Triple

    from explorer.events import Passage
    from explorer.ingest.readers.page_image import TextBox
    from explorer.stores.collection import Collection

Span = tuple[int, int]
WINDOW = 6000  # code points shown of a document that has neither pages nor sections
PICTURE_WIDTH = 1100
_LISTED = 500  # pages or sections from which one can be chosen; of more one turns, or searches
_REMOVED = "Its text was removed with it. What an answer quotes of it still stands in that answer."
_MISSING = (
    "The text of this source is not in the library: the record came without it, or it was removed. "
    'Add the document with ws.ingest("…") to see its page.'
)


@dataclass(frozen=True, slots=True)
class Sheet:
    """What is on view: a page, a section or a whole document, as a span of the document's text."""

    iri: str
    span: Span
    name: str
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Marks:
    """What is marked on a page, in code points from its start: the words in question, others used, words of facts.

    `whole` is what else belongs to the passage that the words in question stand in.
    """

    mine: list[Span]
    others: list[Span]
    facts: list[Span]
    whole: list[Span]


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the page of a passage is wanted with."""

    passage: Passage
    used: Sequence[Passage]
    turned: str | None
    kept: Mapping[Triple, tuple[int, str]]
    quoted: Sequence[Span]
    whole: Span | None


def opened(
    stores: Collection,
    passage: Passage,
    used: Sequence[Passage] = (),
    turned: str | None = None,
    kept: Mapping[Triple, tuple[int, str]] = MappingProxyType({}),
    *,
    quoted: Sequence[Span] = (),
    whole: Span | None = None,
) -> tuple[messages.SourcePage, list[bytes]]:
    """Return the message for the page, and the picture as its one buffer when there is one.

    `used` are all passages of the run: those on the page are underlined. `turned` is the IRI of another page of the
    same document. `kept` are number and node of the facts the run kept. `quoted` is where in the passage the sentences
    stand that an answer quotes from it, if not all of it is marked; `whole` is where in the document the passage stands
    that these words are from, which is marked lightly. What can't be shown is said in `trouble`.
    """
    try:
        text = _readable(stores, passage, turned)
    except RecordError:
        found = stores.graph.match(NamedNode(passage.document), PROV.invalidatedAtTime)
        times = (moment(quad.object.value) for quad in found if isinstance(quad.object, Literal))
        removed = min((time for time in times if time is not None), default=None)
        return _gone(passage, f"Source removed on {day(removed)}." if removed else _MISSING), []
    try:
        return _opened(stores, text, _Asked(passage, used, turned, kept, quoted, whole))
    except ExplorerError as error:
        return _gone(passage, str(error)), []


def newer_of(stores: Collection, iri: str) -> messages.Version | None:
    """Return the newest of the versions that took the place of a document, and when the first of them did."""
    library = stores.library
    first = newer = library.newer(iri)
    seen = {iri}
    while newer is not None and newer[0] not in seen and (after := library.newer(newer[0])) is not None:
        seen.add(newer[0])
        newer = after
    return None if first is None or newer is None else {"iri": newer[0], "when": first[1]}


def file_name(source: str | None, title: str) -> str | None:
    """Return the name of the file that a document came in, as it tells more than the title; None where it does not."""
    name = PurePath((source or "").replace("\\", "/")).name
    return name if PurePath(name).suffix and name != title else None


def _gone(passage: Passage, trouble: str) -> messages.SourcePage:
    """Return what is left of a page that can't be shown: the words as the record quotes them."""
    left = _REMOVED if passage.is_removed else "The words themselves are not on record."
    quoted = [(passage.text, "mine")] if passage.text else [(left, "")]
    return {
        "title": passage.title,
        "sub": passage.locator or "text",
        "trouble": trouble,
        "runs": quoted,
        "note": span_words(passage) if passage.text else "",
    }


def day(time: datetime) -> str:
    """Return a day in local time: "3 Nov 2026"; at either end of the calendar as it stands on record."""
    try:
        local = time.astimezone()
    except (OverflowError, ValueError):
        local = time
    return f"{local.day} {local:%b %Y}"


def _readable(stores: Collection, passage: Passage, turned: str | None) -> Stretch:
    """Return the text of a document, or what came of it with a run: the page or section in question, or the chunk.

    Raises RecordError where there is nothing.
    """
    try:
        return Stretch(0, stores.library.text(passage.document))
    except RecordError:
        sheets = {sheet.iri: sheet.span[0] for sheet in _sheets(stores, passage.document)}
        part = turned or passage.part or ""
        node = part if part in sheets else passage.chunk
        text = stores.library.get(node).data.decode(errors="replace")
        chunk = stores.sources.chunk(node) if node not in sheets else ()
        return Stretch(chunk[0].start if chunk else sheets[node], text, is_whole=False)


def _opened(stores: Collection, text: Stretch, asked: _Asked) -> tuple[messages.SourcePage, list[bytes]]:
    passage, sheets = asked.passage, _sheets(stores, asked.passage.document)
    at = next((i for i, sheet in enumerate(sheets) if sheet.iri == (asked.turned or passage.part)), None)
    if at is None:  # the document itself, as much of it as can be read at once around the passage
        start = max(text.start, passage.start - WINDOW // 2)
        sheet = Sheet(passage.document, (start, min(text.end, passage.end + WINDOW // 2)), "text")
    else:
        sheet = sheets[at]
    near = [None, *(one.iri for one in sheets), None]
    before, after = (None, None) if at is None else (near[at], near[at + 2])
    shown = text.cut(*sheet.span)
    facts = page_facts.told(stores, sheet.iri, sheet.span if at is None else (0, len(shown)))
    marks = _marks(asked, sheet, facts, shown)
    described = None if sheet.page is None else describe(stores.graph, passage.document).entity
    is_pdf = isinstance(described, Document) and described.mime_type == "application/pdf"
    message: messages.SourcePage = {
        "title": passage.title,
        "sub": f"PDF · {_sub(sheet, sheets)}" if is_pdf else _sub(sheet, sheets),
        "runs": _runs(shown, marks),
        "whole": bool(marks.whole),
        "others": bool(marks.others),
        "facts": page_facts.listed(
            stores, facts, asked.kept, shown, _noun(sheet, at, text.end if text.is_whole else -1)
        ),
        "note": span_words(passage) if marks.mine else "",
        "neighbours": {"prev": before, "next": after},
        "document": passage.document,
        "entities": page_facts.entities(stores, facts),
        "part": None if at is None else sheet.iri,
    }
    if (file := file_name(passage.source, passage.title)) is not None:
        message["file"] = file
    if at is not None and 1 < len(sheets) <= _LISTED:
        message["parts"] = [{"iri": one.iri, "name": _listed(one, number)} for number, one in enumerate(sheets, 1)]
    if (newer := newer_of(stores, passage.document)) is not None:
        message["newer"] = newer
    if passage.is_changed or (text.is_whole and stores.sources.is_changed(passage.document, text.text)):
        message["trouble"] = f"This text was {CHANGED}."
    if not is_pdf:
        return message, []
    try:
        data = stores.library.get(passage.document).data
    except RecordError:
        message["trouble"] = "The file of this PDF did not come with the record: this is the text of the page."
        return message, []
    if is_shut(data):
        message["trouble"] = "This PDF is encrypted, and its password is not kept: this is the text of the page."
        return message, []
    message["page"], png = _picture(data, sheet.page or 1, marks, shown)
    return message, [png]


def _marks(asked: _Asked, sheet: Sheet, facts: Sequence[page_facts.Told], shown: str) -> Marks:
    begin = asked.passage.start
    told = [(begin + start, begin + end) for start, end in asked.quoted] or [(begin, asked.passage.end)]
    mine = [cut for span in told if (cut := _cut(span, sheet.span))]
    spans = {(other.start, other.end) for other in asked.used if other.document == asked.passage.document}
    others = sorted({left for span in spans for left in _without(_cut(span, sheet.span), mine)})
    around = _cut(asked.whole, sheet.span) if asked.whole and mine else None
    whole = [_shifted(left, sheet) for left in _without(around, mine)]
    return Marks([_shifted(span, sheet) for span in mine], [_shifted(span, sheet) for span in others],
                 page_facts.spans(facts), [span for span in whole if shown[slice(*span)].strip()])  # fmt: skip


def _noun(sheet: Sheet, at: int | None, length: int) -> str:
    """Name what is on view: a page, a section, a text, or as much of one as can be read at once."""
    if at is None:
        return "text" if sheet.span == (0, length) else "part of the text"
    return "page" if sheet.page is not None else "section"


def _sheets(stores: Collection, document: str) -> list[Sheet]:
    made = []
    for part in stores.sources.parts(document):
        if part.offset is not None:
            name = f"page {part.number}" if part.number is not None else f"section “{part.label}”"
            made.append(Sheet(part.iri, (part.offset, part.offset + (part.length or 0)), name, part.number))
    return made


def _sub(sheet: Sheet, sheets: list[Sheet]) -> str:
    if sheet.page is not None:
        return f"{sheet.name} of {len(sheets)}"
    at = next((at for at, one in enumerate(sheets, 1) if one.iri == sheet.iri), 0)
    return f"{at} of {len(sheets)} · {sheet.name}" if at and len(sheets) > 1 else sheet.name


def _listed(sheet: Sheet, number: int) -> str:
    return sheet.name if sheet.page is not None else f"{number} · {sheet.name.removeprefix('section ').strip('“”')}"


def _picture(data: bytes, page: int, marks: Marks, text: str) -> tuple[messages.Picture, bytes]:
    """Draw a page of a PDF, with the boxes of the words on it, which are marked in its stored text."""
    from explorer.ingest.readers.page_image import page_image

    spans = [*marks.mine, *marks.others, *marks.whole]
    kinds = ["mine"] * len(marks.mine) + ["other"] * len(marks.others) + ["whole"] * len(marks.whole)
    image = page_image(data, page, [*spans, *marks.facts], PICTURE_WIDTH, text)
    boxes: list[messages.Box] = [
        {**_box(box), "kind": kind} for kind, found in zip(kinds, image.boxes, strict=False) for box in found
    ]
    places = [[_box(box) for box in found] for found in image.boxes[len(spans) :]]
    x, y, w, h = image.ink
    ink: messages.Ink = {"x": x, "y": y, "w": w, "h": h}
    return {"width": image.width, "height": image.height, "boxes": boxes, "facts": places, "ink": ink}, image.png


def _box(box: TextBox) -> messages.Box:
    return {"x": box.x, "y": box.y, "w": box.w, "h": box.h, "text": box.text}


def _cut(span: Span, to: Span) -> Span | None:
    start, end = max(span[0], to[0]), min(span[1], to[1])
    return (start, end) if start < end else None


def _without(span: Span | None, taken: Iterable[Span]) -> list[Span]:
    left = [] if span is None else [span]
    for first, last in taken:
        parts = [part for start, end in left for part in ((start, min(end, first)), (max(start, last), end))]
        left = [(start, end) for start, end in parts if start < end]
    return left


def _shifted(span: Span, sheet: Sheet) -> Span:
    return span[0] - sheet.span[0], span[1] - sheet.span[0]


def _runs(text: str, marked: Marks) -> list[tuple[str, str]]:
    """Cut a text into runs of one kind, as `SourcePage` tells of them; joined they are the text."""
    marks = [""] * len(text)
    for span in marked.whole:
        marks[slice(*span)] = ["whole"] * len(marks[slice(*span)])
    for span in marked.others:
        marks[slice(*span)] = [f"other {kind}".rstrip() for kind in marks[slice(*span)]]
    for span in marked.mine:
        marks[slice(*span)] = ["mine"] * len(marks[slice(*span)])
    pieces = groupby(zip(text, marks, strict=True), key=itemgetter(1))
    return [("".join(letter for letter, _ in some), kind) for kind, some in pieces]
