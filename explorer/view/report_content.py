"""What a report of runs holds beside their graphs: how they were asked, the pages they quote, verdicts, and checks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from explorer import entities as e
from explorer.dag.sentences import numbers, quoted, sentences
from explorer.errors import ExplorerError, RecordError
from explorer.models.chat import NO_LANGUAGE_MODEL, NO_MODEL
from explorer.record.node_lookup import describe
from explorer.record.notes import notes
from explorer.record.person import askers, role_of
from explorer.record.reviewed import reviewed
from explorer.record.sender_seals import sender_seals
from explorer.record.trace import Trace
from explorer.record.verdicts import NOBODY, Judged, agreement, verdicts
from explorer.record.verification.verify import verify
from explorer.stores.ledger import entries
from explorer.view import report_paper
from explorer.view.report_paper import Finding, PagePicture, Reported
from explorer.wording.outcomes import line
from explorer.wording.reasons import reason_of

if TYPE_CHECKING:
    from explorer.events import Passage
    from explorer.stores.collection import Collection

FORMS = {"md": report_paper.markdown, "csv": report_paper.table}
MOST_PAGES = 12  # pictures of pages in a report of one run
_WIDTH = 900  # pixels of such a picture
_PDF = "application/pdf"


def written(stores: Collection, traces: Sequence[Trace], form: str) -> str:
    """Return a report of runs as Markdown ("md"), or what their sentences rest on as CSV ("csv")."""
    return FORMS[form]([reported(stores, trace, pictures=False) for trace in traces])


def reported(stores: Collection, trace: Trace, *, pictures: bool = True) -> Reported:
    """Return what a report says of a run; its page pictures only where they are wanted."""
    judged = verdicts(stores, [trace.iri], superseded=True)
    reviewers = {one.by for one in judged}
    pages, left_out = _pages(stores, trace) if pictures else ([], 0)
    checked = verify(stores, [trace.iri])
    return Reported(
        trace.dag,
        asked=list(_asked(stores, trace)),
        verdicts=[
            Finding(one.quote, one.verdict, one.comment, one.by or NOBODY, one.made_at, not one.standing)
            for one in with_earlier(judged)
        ],
        agreement=agreement(judged).sentences() if len(reviewers) > 1 else (),
        checked=[str(one) for one in checked] or [checked.nothing],
        pages=pages,
        left_out=left_out,
        reasons={one.iri: reason_of(trace.dag, one) for one in trace.chunks},
    )


def with_earlier(judged: Sequence[Judged]) -> Iterator[Judged]:
    """Yield verdicts in the order of what they are on, those that were changed later below those that stand."""
    groups: dict[tuple[str, str | None], list[Judged]] = defaultdict(list)
    for one in judged:
        groups[one.target, one.by].append(one)
    for group in groups.values():
        before = [one for one in reversed(group) if not one.standing]
        yield from (*(one for one in group if one.standing), *before)


def _asked(stores: Collection, trace: Trace) -> Iterator[tuple[str, str]]:
    question = next((one for one in trace.dag.entities.values() if isinstance(one, e.Question)), None)
    note = notes(stores).get(trace.iri)
    sealed = next(reversed(entries(stores.database, trace.iri)), None)
    signed = f"signed by {sealed.key}" if sealed and sealed.key else "not signed"
    final = trace.dag.final.entity if trace.dag.final is not None else None
    told = len(sentences(trace.dag, final)) if isinstance(final, e.Answer) else 0
    rows = (
        ("Name", (note.title if note else None) or ""),
        ("Tags", ", ".join(note.tags) if note else ""),
        ("Note", (note.text if note else None) or ""),
        ("Asked", (question.started_at if question else None) or ""),
        ("By", ", ".join(askers(stores.graph, trace.iri))),
        ("Database role", role_of(stores.graph, trace.iri) or ""),
        ("Strategy", trace.method),
        ("Model", NO_LANGUAGE_MODEL if trace.model == NO_MODEL else trace.model or ""),
        ("End", trace.reason),
        ("Outcome", line(trace.dag)),
        *(("Reviewed", words) for words in reviewed(verdicts(stores, [trace.iri]), told)),
        ("Record", trace.iri),
        ("Seal", f"{sealed.anchor}, {signed}" if sealed else ""),
        *(("Sender", str(one)) for one in sender_seals(stores, trace.iri)),
    )
    return ((name, words) for name, words in rows if words)


def _pages(stores: Collection, trace: Trace) -> tuple[list[PagePicture], int]:
    """Return the pictures of the PDF pages that the answer quotes, in its order, and how many were left out."""
    files: dict[str, bytes] = {}
    spans: dict[tuple[str, int], list[tuple[int, int]]] = defaultdict(list)
    titles: dict[tuple[str, int], str] = {}
    texts: dict[tuple[str, int], str | None] = {}
    for passage in _quoted(trace):
        if passage.page is None or passage.page_start is None or not passage.text:
            continue
        if passage.document not in files:
            files[passage.document] = _pdf(stores, passage.document)
        if files[passage.document]:
            key = passage.document, passage.page
            spans[key].append((passage.page_start, passage.page_start + len(passage.text)))
            titles[key] = passage.reference
            texts[key] = texts[key] if key in texts else _page_text(stores, passage)
    drawn = [_drawn(files[key[0]], key[1], titles[key], spans[key], texts[key]) for key in [*spans][:MOST_PAGES]]
    made = [one for one in drawn if one is not None]
    return made, len(spans) - len(made)


def _quoted(trace: Trace) -> Iterator[Passage]:
    dag, known = trace.dag, numbers(trace.dag)
    for cited in trace.citations:
        for key in cited.cites:
            if key in known:
                yield from (words for one in dag.node(key).passages for words in quoted(dag, cited, one))


def _pdf(stores: Collection, document: str) -> bytes:
    """Return the bytes of a PDF; none for a document of another kind, or one that is gone."""
    try:
        content = stores.library.get(document)
    except RecordError:
        return b""
    return content.data if content.mime == _PDF else b""


def _page_text(stores: Collection, passage: Passage) -> str | None:
    """Return the stored text of the page that a passage is on; None where that is not known."""
    page = describe(stores.graph, passage.part).entity if passage.part else None
    if not isinstance(page, e.Page) or page.char_offset is None or page.char_length is None:
        return None
    return stores.library.text(passage.document)[page.char_offset : page.char_offset + page.char_length]


def _drawn(
    data: bytes, page: int, title: str, spans: Sequence[tuple[int, int]], text: str | None
) -> PagePicture | None:
    """Return the picture of a page; None where it can't be drawn, as its file is encrypted or damaged."""
    from explorer.ingest.readers.page_image import page_image

    try:
        image = page_image(data, page, sorted(set(spans)), _WIDTH, text)
    except ExplorerError:
        return None
    return PagePicture(title, image.png, [(box.x, box.y, box.w, box.h) for found in image.boxes for box in found])
