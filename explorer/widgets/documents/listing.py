"""The list of documents, and one of them with its page, its facts and the answers that used it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyoxigraph import Literal, NamedNode

from explorer.errors import RecordError
from explorer.events import Passage
from explorer.text import opening
from explorer.view.source import page as source
from explorer.vocab import FACTS, PROV, recognise

if TYPE_CHECKING:
    from collections.abc import Iterable

    from explorer.documents.document import Document
    from explorer.record.listing import TraceSummary
    from explorer.view.messages.documents import Documents, Gone, ListedDocument, OpenDocument, Use
    from explorer.view.messages.requests import WantDocument, WantDocuments
    from explorer.workspace import Workspace

PAGE = 50  # documents listed at a time
_WORDS = 100  # letters of a passage that was found
_PASSAGES = 100  # passages in which words are searched for
_STEM = 6  # letters by which a word is known in another form
_BEFORE = 5  # words
_USED = 20  # answers that are named


def listed(ws: Workspace, asked: WantDocuments) -> Documents:
    """Return the documents that a search finds, as many as are asked for: the newest first, or the best first."""
    text = (asked.text or "").strip()
    everything = ws.documents
    found: dict[str, tuple[Document, str]] = {}
    if not text:
        found = {one.iri: (one, "") for one in reversed(everything)}
    else:
        folded = text.casefold()
        named = (one for one in everything if folded in one.title.casefold() or folded in one.source.casefold())
        found = {one.iri: (one, "") for one in named}
        known = {one.iri: one for one in everything}
        for chunk, _ in ws.stores.library.search([text], _PASSAGES):
            for passage in ws.sources.chunk(chunk):
                if passage.document in known and not found.get(passage.document, ("", ""))[1]:
                    found[passage.document] = (known[passage.document], _around(passage.text, text))
    shown = list(found.values())[: asked.limit or PAGE]
    facts = ws.stores.library.fact_counts()
    return {
        "t": "documents",
        "n": asked.n,
        "documents": [_row(one, facts.get(one.iri, 0), words) for one, words in shown],
        "total": len(found),
        "more": len(found) > len(shown),
    }


def opened(ws: Workspace, asked: WantDocument) -> tuple[OpenDocument, list[bytes]]:
    """Return a document with one of its pages, the first unless another was turned to; raises RecordError."""
    one = ws.document(asked.iri)
    if one.iri != asked.iri:
        raise RecordError("This document is no longer here.")
    pages = one.pages
    first = asked.turned or (pages[0].iri if len(pages) else None)
    whole = Passage(
        document=one.iri, title=one.title, source=one.source, page=None, section=None, part=None, chunk="",
        chunk_index=None, start=0, end=0, page_start=None, text="", subgraph="", extracted_by="",
    )  # fmt: skip
    page, buffers = source.opened(ws.stores, whole, turned=first)
    uses, runs, looked = used(one.used_in, one.quoted_in)
    return {
        "t": "document",
        "iri": one.iri,
        "key": asked.key,
        "about": _row(one, one.fact_count, ""),
        "page": page,
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
    """Return the words of a passage from a little before those that were sought, or before the most of them."""
    words = text.split()
    stems = [word[:_STEM] for word in sought.casefold().split()]
    fits = [[stem in word.casefold() for word in words[at : at + len(stems)] for stem in stems].count(True)
            for at in range(len(words))]  # fmt: skip
    at = fits.index(max(fits)) if words else 0
    begin = max(0, at - _BEFORE)
    return ("… " if begin else "") + opening(" ".join(words[begin:]), _WORDS)


def _row(one: Document, facts: int, found: str) -> ListedDocument:
    return {
        "iri": one.iri,
        "title": one.title,
        "kind": one.kind,
        "source": one.source,
        "file": source.file_name(one.source, one.title) or "",
        "pages": one.page_count or 0,
        "facts": facts,
        "when": one.added_at or "",
        "found": found,
    }
