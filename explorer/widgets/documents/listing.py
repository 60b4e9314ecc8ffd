"""The list of documents, and one of them with its page, its facts and the answers that used it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyoxigraph import Literal, NamedNode

from explorer.errors import RecordError
from explorer.events import Passage
from explorer.text import opening
from explorer.vocab import FACTS, PROV, recognise
from explorer.widgets.source import facts as page_facts
from explorer.widgets.source import page as source

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from explorer.documents.document import Document, Page
    from explorer.record.listing import TraceSummary
    from explorer.widgets.messages.documents import Documents, Gone, ListedDocument, OpenDocument, Use
    from explorer.widgets.messages.requests import WantDocument, WantDocuments
    from explorer.workspace import Workspace

PAGE = 50  # documents listed at a time
_WORDS = 100  # letters of a passage that was found
_PASSAGES = 100  # passages in which words are searched for
_STEM = 6  # letters by which a word is known in another form
_BEFORE = 5  # words
_USED = 20  # answers that are named
_LOOKED_AT = 20  # pages among which one with facts is looked for


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
    first = asked.turned or _first(ws, pages)
    whole = Passage(
        document=one.iri, title=one.title, source=one.source, page=None, section=None, part=None, chunk="",
        chunk_index=None, start=0, end=0, page_start=None, text="", subgraph="", extracted_by="",
    )  # fmt: skip
    page, buffers = source.opened(ws, whole, turned=first)
    uses, runs, declined = used(one.used_in)
    return {
        "t": "document",
        "iri": one.iri,
        "key": asked.key,
        "about": _row(one, one.fact_count, ""),
        "page": page,
        "used": runs,
        "uses": uses,
        "declined": declined,
        "versions": [{"iri": each.iri, "when": each.added_at or ""} for each in one.versions],
        "newer": page.get("newer"),
    }, buffers


def _first(ws: Workspace, pages: Sequence[Page]) -> str | None:
    """Return the page to begin with: the first with facts, as one before may be a title alone; None without pages."""
    begin = (page for page in pages[:_LOOKED_AT] if page_facts.told(ws, page.iri, (0, page.end - page.start)))
    first = next(begin, None) or (pages[0] if len(pages) else None)
    return first.iri if first else None


def gone(ws: Workspace, iri: str) -> Gone:
    """Return what is known of a document that is not here."""
    when = ""
    if recognise(iri) is not None:
        found = ws.graph.match(NamedNode(iri), PROV.invalidatedAtTime, None, FACTS)
        when = next((quad.object.value for quad in found if isinstance(quad.object, Literal)), "")
    return {"t": "gone", "iri": iri, "title": (ws.sources.label(iri) or "") if when else "", "when": when}


def used(runs: Iterable[TraceSummary]) -> tuple[int, list[Use], int]:
    """Return how many answers there are among some runs, the first of them, and how many runs gave none."""
    told = [run for run in runs if not run.runs]
    found = [run for run in told if run.has_answer]
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
        "pages": one.page_count or 0,
        "facts": facts,
        "when": one.added_at or "",
        "found": found,
    }
