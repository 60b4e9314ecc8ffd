"""A run and a node as lines of text, under the tags that TrustGraph's command line uses.

What comes from documents and models is shown as text: control characters, which a terminal would obey, are dropped.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pyoxigraph import Literal, NamedNode, Triple

from explorer.entities import EdgeSelection, Kind, Question, columns
from explorer.events import Passage
from explorer.rdf.labels import edge_labels, term_label
from explorer.record.listing import TraceSummary
from explorer.record.trace import Trace
from explorer.stores.sources import is_same_source
from explorer.text import count, one_line, seconds, strip_controls, truncate
from explorer.workspace import Described

_NEAREST = 5  # sources of a run of several searches that cites none
_LONGEST_CHUNK = 300  # characters of a whole chunk in a list of sources; a sentence is shown whole


def answer(trace: Trace) -> Iterator[str]:
    """Tell the answer with the numbers of its sources behind each cited sentence, then the sources.

    Of an agent's run, which may hold many searches, only those that are cited are listed, or the nearest.
    """
    sources = trace.sources()
    numbers: dict[str, list[int]] = {}
    for selection, passages in trace.passages.items():
        numbers[selection] = sorted({_number(passage, sources) for passage in passages})
    text, shift, last = trace.answer, 0, 0
    for citation in sorted(trace.citations, key=lambda c: c.end or 0):
        cited = sorted({n for selection in citation.cites for n in numbers.get(selection, [])})
        mark = "".join(f" [{n}]" for n in cited)
        at = (citation.end or 0) + shift
        text, shift, last = text[:at] + mark + text[at:], shift + len(mark), max([last, *cited])
    yield strip_controls(text)
    yield from _sources(trace, sources, last)


def _sources(trace: Trace, sources: tuple[Passage, ...], last: int) -> Iterator[str]:
    if not sources:
        return
    asked = sum(isinstance(entity, Question) for entity in trace.dag.entities.values())
    shown = len(sources) if asked < 2 else min(len(sources), last or _NEAREST)
    yield ""
    yield "Nearest, though they don't answer it:" if trace.reason == "declined" else "Sources:"
    yield from (f"  [{n}] {_source(passage)}" for n, passage in enumerate(sources[:shown], 1))
    if more := len(sources) - shown:
        yield f"  {count(more, 'more passage')} found on the way: explorer show {trace.iri}"


def usage(trace: Trace) -> Iterator[str]:
    """Tell the totals of a run as far as they are known: tokens, calls to a model, the time it took, and the model."""
    used, took = trace.usage, _took(trace)
    counts = ((used.in_token, "in"), (used.out_token, "out"))
    tokens = [f"{number:,} {way}" for number, way in counts if number is not None]
    yield ""
    yield "; ".join([
        f"Tokens: {', '.join(tokens) or 'none reported'}",
        *([] if used.calls is None else [f"calls: {used.calls:,}"]),
        *([] if took is None else [f"time: {seconds(took / 1000)}"]),
        f"model: {one_line(used.model) if used.model else 'none'}",
    ])  # fmt: skip


def _took(trace: Trace) -> int | None:
    return trace.dag.done.duration_ms if trace.dag.done else None


def _number(passage: Passage, sources: tuple[Passage, ...]) -> int:
    for number, source in enumerate(sources, 1):
        if is_same_source(source, passage):
            return number
    return 0


def _source(passage: Passage) -> str:
    where = (
        f", page {passage.page}" if passage.page is not None else f", “{passage.section}”" if passage.section else ""
    )
    said = truncate(passage.text, _LONGEST_CHUNK) if passage.subgraph == passage.chunk else passage.text
    return f"{one_line(passage.title)}{one_line(where)}: “{one_line(said)}”"


def listing(summaries: list[TraceSummary]) -> Iterator[str]:
    """Tell a list of traces as a table, newest first."""
    if not summaries:
        yield 'No runs on record yet; ask something with `explorer ask "…"`.'
        return
    rows = [("Session ID", "Engine", "Question", "Time", "End")]
    rows += [(s.iri, s.engine, _cut(one_line(s.question)), s.started_at[:19] + "Z", _ended(s))
             for s in summaries]  # fmt: skip
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    rows.insert(1, tuple("-" * width for width in widths))  # type: ignore[arg-type]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _ended(run: TraceSummary) -> str:
    failed = f", {count(run.failed, 'failed step')}" if run.failed else ""
    return f"{run.reason or 'running'}{failed}"


def _cut(text: str, length: int = 45) -> str:
    return text if len(text) <= length else f"{text[: length - 3]}..."


def described(found: Described, labels: Any) -> Iterator[str]:  # noqa: ANN401 - a mapping of texts
    """Tell a node of the record: what it is, each of its values, what it comes from and what comes from it."""
    entity = found.entity
    yield f"{type(entity).__name__} {entity.iri}"
    for column in columns(type(entity)):
        value = vars(entity)[column.name]
        values = value if column.many else (value,)
        if column.kind is not Kind.IRI or column.predicate.value.endswith(("entity", "document", "source")):
            yield from (f"    {_words(column.name)}: {_shown(item, labels)}" for item in values if item is not None)
    yield from (f"    {_shown(triple.predicate, labels)}: {_shown(triple.object, labels)}" for triple in entity.other)
    yield from (f"  from {iri}" for iri in found.parents)
    yield from (f"  to   {iri}" for iri in found.children)


def _words(name: str) -> str:
    return name.replace("_", " ")


def _shown(value: object, labels: Any) -> str:  # noqa: ANN401 - a mapping of texts
    if isinstance(value, NamedNode | Literal | Triple):
        return one_line(f"({term_label(value, labels)})" if isinstance(value, Triple) else term_label(value, labels))
    return one_line(str(value))


def as_json(trace: Trace) -> dict[str, Any]:
    """Give a trace as one object for programs, as `ask --json` prints it."""
    passages = trace.passages
    used = {"in_token": trace.usage.in_token, "out_token": trace.usage.out_token, "model": trace.usage.model,
            "calls": trace.usage.calls, "duration_ms": _took(trace)}  # fmt: skip
    return {
        "iri": trace.iri,
        "question": trace.question,
        "answer": trace.answer,
        "reason": trace.reason,
        "usage": {name: value for name, value in used.items() if value is not None},
        "edges": [_edge(selection, trace, passages.get(selection.iri, ())) for selection in trace.edges],
        "sources": [_passage(passage) for passage in trace.sources()],
    }


def json_text(value: Any) -> str:  # noqa: ANN401 - whatever JSON can hold
    """Write JSON that a person can read; what `plain` would drop from it is escaped, so that every text stays whole."""
    written = json.dumps(value, ensure_ascii=False, indent=2)
    return "".join(char if char == "\n" or strip_controls(char) else json.dumps(char)[1:-1] for char in written)


def _edge(selection: EdgeSelection, trace: Trace, passages: tuple[Passage, ...]) -> dict[str, Any]:
    edge = selection.edge
    terms = (edge.subject, edge.predicate, edge.object) if edge is not None else ()
    return {
        **{name: str(term.value) if not isinstance(term, Triple) else str(term)
           for name, term in zip("spo", terms, strict=False)},
        "labels": list(edge_labels(edge, trace.labels)) if edge is not None else [],
        "reasoning": selection.reasoning,
        "score": selection.score,
        "concept": selection.concept,
        "passages": [_passage(passage) for passage in passages],
    }  # fmt: skip


def _passage(passage: Passage) -> dict[str, Any]:
    return {
        "document": passage.document,
        "title": passage.title,
        "source": passage.source,
        "page": passage.page,
        "section": passage.section,
        "start": passage.start,
        "end": passage.end,
        "text": passage.text,
        "extracted_by": passage.extracted_by,
    }
