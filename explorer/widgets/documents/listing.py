"""The list of documents, and one of them with its page, its facts and the answers that used it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyoxigraph import Literal, NamedNode

from explorer.errors import RecordError
from explorer.events import Passage
from explorer.text import count, opening
from explorer.view.source import page as source
from explorer.vocab import FACTS, PROV, recognise

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from explorer.documents.document import Document
    from explorer.record.listing import TraceSummary
    from explorer.stores.database import ReadingIn
    from explorer.view.messages.documents import Documents, Gone, ListedDocument, OpenDocument, Use
    from explorer.view.messages.requests import WantDocument, WantDocuments
    from explorer.workspace import Workspace

PAGE = 50  # documents listed at a time
_WORDS = 100  # letters of a passage that was found
_PASSAGES = 100  # passages in which words are searched for
_STEM = 6  # letters by which a word is known in another form
_BEFORE = 5  # words
_USED = 20  # answers that are named


def listed(ws: Workspace, asked: WantDocuments, being_read: Sequence[ReadingIn] = ()) -> Documents:
    """Return the documents that a search finds, as many as are asked for: the newest first, or the best first.

    `being_read` are those who are reading others in.
    """
    text = (asked.text or "").strip()
    known, library = {one.iri: one for one in ws.documents}, ws.stores.library
    holding = library.documents_holding(text) if text else {}
    found = _found(ws, known, text, holding) if text else dict.fromkeys(reversed(known), "")
    shown = list(found)[: asked.limit or PAGE]
    facts, places = library.fact_counts(), library.spots(text, shown) if text else {}
    documents = [_row(known[iri], facts.get(iri, 0)) for iri in shown]
    for row in documents:
        row["times"] = len(places.get(row["iri"], ()))
        passages = ws.sources.chunk(found[row["iri"]]) if found[row["iri"]] else ()
        row["found"] = "".join(_around(passage.text, text) for passage in passages)
    return {
        "t": "documents",
        "n": asked.n,
        "documents": documents,
        "total": len(found),
        "more": len(found) > len(shown),
        "shared": 0 if text else library.shared_facts(),
        "partly": bool(text and found) and not holding and all(found.values()),
        "being_read": " ".join(map(str, being_read)),
    }


def _found(ws: Workspace, known: Mapping[str, Document], text: str, holding: Mapping[str, str]) -> dict[str, str]:
    """Return the documents with a text in their title or words, each with a chunk that has it, if its words do.

    Where none has all of it together, those with some of its words.
    """
    folded = text.casefold()
    named = (one for one in known.values() if folded in one.title.casefold() or folded in one.source.casefold())
    found = {one.iri: "" for one in named}
    for chunk, _ in ws.stores.library.search([text], _PASSAGES):
        for passage in ws.sources.chunk(chunk):
            if passage.document in (holding or known) and passage.document in known:
                found[passage.document] = found.get(passage.document) or holding.get(passage.document, chunk)
    return found | {iri: chunk for iri, chunk in holding.items() if iri in known}


def opened(ws: Workspace, asked: WantDocument) -> tuple[OpenDocument, list[bytes]]:
    """Return a document with one of its pages, the first unless another was turned to; raises RecordError."""
    one = ws.document(asked.iri)
    if one.iri != asked.iri:
        raise RecordError("This document is no longer here.")
    pages = one.pages
    sought = asked.text.strip()
    places = ws.stores.library.spots(sought, [one.iri]).get(one.iri, []) if sought else []
    start, end, part = places[0] if places else (0, 0, None)
    first = asked.turned or part or (pages[0].iri if len(pages) else None)
    whole = Passage(
        document=one.iri, title=one.title, source=one.source, page=None, section=None, part=None, chunk="",
        chunk_index=None, start=start, end=end, page_start=None, text="", subgraph="", extracted_by="",
    )  # fmt: skip
    marked = [(place.start - start, place.end - start) for place in places]
    page, buffers = source.opened(ws.stores, whole, turned=first, quoted=marked)
    if places:
        page["note"] = ""  # of the first place alone
    uses, runs, looked = used(*one.uses)
    return {
        "t": "document",
        "iri": one.iri,
        "key": asked.key,
        "about": _row(one, one.fact_count),
        "page": page,
        "sought": f"“{sought}”: {count(len(places), 'place')} in this document" if places else "",
        "used": runs,
        "uses": uses,
        "looked": looked,
        "versions": [{"iri": each.iri, "when": each.added_at or ""} for each in one.versions],
        "newer": page.get("newer"),
    }, buffers


def gone(ws: Workspace, iri: str) -> Gone:
    """Return what is known of a document that is not here."""
    when = ""
    if recognise(iri) is not None:
        found = ws.graph.match(NamedNode(iri), PROV.invalidatedAtTime, None, FACTS)
        when = next((quad.object.value for quad in found if isinstance(quad.object, Literal)), "")
    return {"t": "gone", "iri": iri, "title": (ws.sources.label(iri) or "") if when else "", "when": when}


def used(runs: Iterable[TraceSummary], quoting: Iterable[TraceSummary]) -> tuple[int, list[Use], int]:
    """Return how many answers are `quoting`, the first of them, and how many of all these runs do not."""
    told = {run.iri for run in runs if not run.runs}
    found = [run for run in quoting if run.iri in told]
    named: list[Use] = [{"iri": run.iri, "question": run.question, "when": run.started_at} for run in found[:_USED]]
    return len(found), named, len(told) - len(found)


def _around(text: str, sought: str) -> str:
    words = text.split()
    stems = [word[:_STEM] for word in sought.casefold().split()]
    fits = [[stem in word.casefold() for word in words[at : at + len(stems)] for stem in stems].count(True)
            for at in range(len(words))]  # fmt: skip
    at = fits.index(max(fits)) if words else 0
    begin = max(0, at - _BEFORE)
    return ("… " if begin else "") + opening(" ".join(words[begin:]), _WORDS)


def _row(one: Document, facts: int) -> ListedDocument:
    return {
        "iri": one.iri,
        "title": one.title,
        "kind": one.kind,
        "source": one.source,
        "file": source.file_name(one.source, one.title) or "",
        "pages": one.page_count or 0,
        "facts": facts,
        "when": one.read_at or "",
        "found": "",
        "times": 0,
    }
