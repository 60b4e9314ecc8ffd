"""The page or section a passage stands on: its text with the passage marked, and for a PDF its picture with boxes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyoxigraph import NamedNode

from explorer import rdf
from explorer.captions import count
from explorer.entities import Chunk, Document, Entity, Page, Section, Subgraph
from explorer.errors import ExplorerError
from explorer.vocab import PROV, SOURCE
from explorer.widgets.words import place, span_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from explorer.events import Passage
    from explorer.workspace import Workspace

Span = tuple[int, int]
WINDOW = 6000  # code points shown of a document that has neither pages nor sections
PICTURE_WIDTH = 1100


@dataclass(frozen=True, slots=True)
class Sheet:
    """What is on view: a page, a section or a whole document, as a span of the document's text."""

    iri: str
    span: Span
    name: str
    page: int | None = None


def opened(
    ws: Workspace, passage: Passage, used: Sequence[Passage] = (), turned: str | None = None
) -> tuple[dict[str, Any], list[bytes]]:
    """Give the message for the page, and the picture as its one buffer when there is one.

    `used` are all passages of the run: those on the page are underlined. `turned` is the IRI of another page of the
    same document. What can't be shown is said in `trouble`.
    """
    try:
        return _opened(ws, passage, used, turned)
    except ExplorerError as error:
        words: dict[str, Any] = {"runs": [(passage.text, "mine")], "note": span_words(passage)}
        return {"title": passage.title, "sub": place(passage) or "text", "trouble": str(error), **words}, []


def _opened(
    ws: Workspace, passage: Passage, used: Sequence[Passage], turned: str | None
) -> tuple[dict[str, Any], list[bytes]]:
    sheets = _sheets(ws, passage.document)
    at = next((i for i, sheet in enumerate(sheets) if sheet.iri == (turned or passage.part)), None)
    sheet = sheets[at] if at is not None else _whole(ws, passage)
    text = ws.text(passage.document)
    mine = _cut((passage.start, passage.end), sheet.span)
    spans = {(other.start, other.end) for other in used if other.document == passage.document}
    others = sorted({left for span in spans for left in _without(_cut(span, sheet.span), mine)})
    facts = sum(_facts(ws, sheet))
    message: dict[str, Any] = {
        "title": passage.title,
        "sub": _sub(sheet, sheets),
        "runs": _runs(text[slice(*sheet.span)], _shift(mine, sheet), [_shift(span, sheet) for span in others]),
        "others": bool(others),
        "note": f"{count(facts, 'fact')} from here",
        "neighbours": _neighbours(sheets, at),
    }
    picture = _picture(ws, passage.document, sheet, mine, others)
    return (message, []) if picture is None else (message | {"page": picture[0]}, [picture[1]])


def _sheets(ws: Workspace, document: str) -> list[Sheet]:
    """Give the pages or sections of a document in order."""
    found = [
        entity
        for entity in _derived(ws, document)
        if isinstance(entity, Page | Section) and entity.char_offset is not None
    ]
    made = []
    for entity in sorted(found, key=lambda one: one.char_offset or 0):
        start = entity.char_offset or 0
        number = entity.number if isinstance(entity, Page) else None
        name = f"page {number}" if number is not None else f"section “{entity.label}”"
        made.append(Sheet(entity.iri, (start, start + (entity.char_length or 0)), name, number))
    return made


def _whole(ws: Workspace, passage: Passage) -> Sheet:
    """Give the document itself, as much of it as can be read at once around the passage."""
    length = len(ws.text(passage.document))
    start = max(0, passage.start - WINDOW // 2)
    return Sheet(passage.document, (start, min(length, passage.end + WINDOW // 2)), "text")


def _sub(sheet: Sheet, sheets: list[Sheet]) -> str:
    return f"{sheet.name} of {len(sheets)}" if sheet.page is not None else sheet.name


def _neighbours(sheets: list[Sheet], at: int | None) -> dict[str, str | None]:
    if at is None:
        return {"prev": None, "next": None}
    return {
        "prev": sheets[at - 1].iri if at > 0 else None,
        "next": sheets[at + 1].iri if at + 1 < len(sheets) else None,
    }


def _facts(ws: Workspace, sheet: Sheet) -> Iterator[int]:
    """Give the number of facts of each group of facts that was taken from a sheet."""
    for chunk in _derived(ws, sheet.iri):
        if not isinstance(chunk, Chunk):
            continue
        for group in _derived(ws, chunk.iri):
            if isinstance(group, Subgraph):
                yield len(group.contains)


def _derived(ws: Workspace, iri: str) -> list[Entity]:
    children = [quad.subject for quad in ws.graph.match(None, PROV.wasDerivedFrom, NamedNode(iri), SOURCE)]
    named = [child for child in children if isinstance(child, NamedNode)]
    return [entity for child in named for entity in rdf.entities(ws.graph.match(child, None, None, SOURCE))]


def _picture(
    ws: Workspace, document: str, sheet: Sheet, mine: Span | None, others: list[Span]
) -> tuple[dict[str, Any], bytes] | None:
    if sheet.page is None or not _is_pdf(ws, document):
        return None
    from explorer.ingest.pdf import page_image

    spans = ([mine] if mine else []) + others
    image = page_image(ws.data(document), sheet.page, [_shifted(span, sheet) for span in spans], PICTURE_WIDTH)
    boxes = [
        {"x": box.x, "y": box.y, "w": box.w, "h": box.h, "text": box.text, "mine": bool(mine) and number == 0}
        for number, found in enumerate(image.boxes)
        for box in found
    ]
    return {"width": image.width, "height": image.height, "boxes": boxes}, image.png


def _is_pdf(ws: Workspace, document: str) -> bool:
    described = ws.node(document).entity
    return isinstance(described, Document) and described.mime_type == "application/pdf"


def _cut(span: Span, to: Span) -> Span | None:
    start, end = max(span[0], to[0]), min(span[1], to[1])
    return (start, end) if start < end else None


def _without(span: Span | None, taken: Span | None) -> list[Span]:
    """Give what is left of a span beside another."""
    if span is None or taken is None:
        return [] if span is None else [span]
    parts = [(span[0], min(span[1], taken[0])), (max(span[0], taken[1]), span[1])]
    return [(start, end) for start, end in parts if start < end]


def _shifted(span: Span, sheet: Sheet) -> Span:
    return span[0] - sheet.span[0], span[1] - sheet.span[0]


def _shift(span: Span | None, sheet: Sheet) -> Span | None:
    return None if span is None else _shifted(span, sheet)


def _runs(text: str, mine: Span | None, others: Iterable[Span | None]) -> list[tuple[str, str]]:
    """Cut a text into runs of one kind: "mine", "other" or nothing; joined they are the text."""
    marks = [""] * len(text)
    for span in others:
        if span is not None:
            marks[slice(*span)] = ["other"] * len(marks[slice(*span)])
    if mine is not None:
        marks[slice(*mine)] = ["mine"] * len(marks[slice(*mine)])
    runs: list[tuple[str, str]] = []
    begin = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or marks[at] != marks[begin]:
            runs.append((text[begin:at], marks[begin]))
            begin = at
    return runs
