"""A run as JSON for programs."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from pyoxigraph import Triple

from explorer.entities import Citation, EdgeSelection
from explorer.events import Passage
from explorer.rdf.labels import edge_labels
from explorer.record.trace import Trace
from explorer.text import strip_controls

_PASSAGE = ("document", "title", "source", "page", "section", "start", "end", "text", "extracted_by")


def run_json(trace: Trace) -> str:
    """Return a trace as one JSON object for programs, as `ask --json` prints it."""
    passages = trace.passages
    used = {**asdict(trace.usage), "duration_ms": trace.duration_ms}
    retrieved = [asdict(one) | {"passage": passage_json(one.passage)} for one in trace.retrieved]
    return json_text({
        "iri": trace.iri,
        "question": trace.question,
        "answer": trace.answer,
        "reason": trace.reason,
        "outcome": trace.outcome,
        "usage": {name: value for name, value in used.items() if value is not None},
        "citations": [_citation(citation) for citation in trace.citations],
        "edges": [_edge(selection, trace, passages.get(selection.iri, ())) for selection in trace.edges],
        "sources": [passage_json(passage) for passage in trace.sources()],
        **({"retrieved": retrieved} if retrieved else {}),
    })  # fmt: skip


def _citation(citation: Citation) -> dict[str, Any]:
    found: dict[str, Any] = {"start": citation.start, "end": citation.end, "cites": list(citation.cites)}
    found |= {"outcome": citation.outcome} if citation.outcome else {}
    if citation.lexical_support is None:
        return found
    missing, checked = sorted(citation.not_in_source), citation.checked
    found |= {"lexical_support": citation.lexical_support, "not_in_source": missing, "checked": checked}
    if citation.aligned or citation.said_by:
        found |= {"aligned": [*citation.aligned], "said_by": citation.said_by, "agreement": citation.agreement}
    return found


def json_text(value: Any) -> str:  # noqa: ANN401 - whatever JSON can hold
    """Return JSON that a person can read; what a terminal would obey is escaped, so that every text stays whole."""
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
        "passages": [passage_json(passage) for passage in passages],
    }  # fmt: skip


def passage_json(passage: Passage) -> dict[str, Any]:
    """Return a passage for programs: its document, place and words."""
    values = asdict(passage)
    return {name: values[name] for name in _PASSAGE}
