"""A run as OpenTelemetry spans in OTLP's JSON, by OpenInference's conventions: for the viewers that read those.

What is found of an answer, by people and by rules, are its `annotations`. What these have no attribute for stands under
`explorer.`: citations with their words, and what was left out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from explorer import entities as e
from explorer.dag.sentences import citations, quoted, sentences
from explorer.rdf.labels import edge_labels
from explorer.record.trace import Trace, all_of
from explorer.version import __version__
from explorer.vocab import moment, session_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.events import Passage
    from explorer.record.verdicts import Judged

Document = dict[str, object]
_MOST = 1_000  # documents of a span
_KINDS = {
    e.Exploration: "RETRIEVER", e.Focus: "RERANKER", e.Analysis: "TOOL", e.Question: "CHAIN", e.AgentQuestion: "AGENT",
}  # fmt: skip
_BESIDE = (e.End, e.Observation, e.Thought)  # told with the step that they belong to


def spans(trace: Trace, judged: Sequence[Judged] = ()) -> bytes:
    """Return a run as one OTLP request in JSON; `judged` are the verdicts of people on it."""
    steps = [one for one in all_of(trace, e.Step) if not isinstance(one, _BESIDE)]
    own = {step.iri for step in steps}
    on = [(answer if (answer := one.target.partition("#sentence-")[0]) in own else trace.iri, one) for one in judged]
    written = [_span(trace, step, [one for target, one in on if target == step.iri]) for step in steps]
    scope = {"scope": {"name": "explorer", "version": __version__}, "spans": written}
    service = {"attributes": _attributes({"service.name": trace.method})}
    return json.dumps({"resourceSpans": [{"resource": service, "scopeSpans": [scope]}]}, ensure_ascii=False).encode()


def _span(trace: Trace, step: e.Step, judged: Sequence[Judged]) -> dict[str, Any]:
    begun, ended = _times(trace, step)
    found = [*(_found_of(trace, step) if isinstance(step, e.Answer) else ()), *map(_judged, judged)]
    told = {"openinference.span.kind": _kind(step), **dict(_told(trace, step)), **dict(_annotations(found))}
    failed = step.error if isinstance(step, e.Failure) else None
    return {
        "traceId": _hex(trace.iri, 32), "spanId": _hex(step.iri, 16), "parentSpanId": _parent(trace, step),
        "name": step.label or type(step).__name__, "kind": 1, "startTimeUnixNano": str(begun),
        "endTimeUnixNano": str(ended), "attributes": _attributes(told),
        "status": {"code": 2, "message": failed} if failed else {"code": 1},
    }  # fmt: skip


def _kind(step: e.Step) -> str:
    if isinstance(step, e.Answer):
        return "LLM" if step.model else "CHAIN"
    return next((kind for cls, kind in _KINDS.items() if type(step) is cls), "CHAIN")


def _parent(trace: Trace, step: e.Step) -> str:
    """Return the span above: of a step that of the Question of its session, of such a Question what it derives from."""
    if step.iri == trace.iri:
        return ""
    asked = _question(trace, step)
    own = asked.iri if asked and asked is not step else None
    above = own or next((key for key in step.above if key in trace.dag.entities), trace.iri)
    named = trace.dag.entities.get(above)
    return _hex(named.above[0] if isinstance(named, e.Observation) and named.above else above, 16)


def _times(trace: Trace, step: e.Step) -> tuple[int, int]:
    """Return when a step began and ended, in nanoseconds since 1970; the Question lasts as long as the run."""
    first = moment(trace.asked.started_at or "")
    own = step.started_at if isinstance(step, e.Question) else step.begun_at
    begun = moment(own or "") or first
    if begun is None:
        return 0, 0
    lasted = trace.duration_ms if step.iri == trace.iri else step.duration_ms
    ended = begun + timedelta(milliseconds=lasted or 0)
    return tuple(int(one.timestamp() * 1_000_000) * 1_000 for one in (begun, ended))  # type: ignore[return-value]


def _told(trace: Trace, step: e.Step) -> Iterator[tuple[str, object]]:
    yield from _model(step)
    match step:
        case e.Question():
            yield "input.value", step.query
            if step.iri == trace.iri:
                yield "output.value", trace.answer
                yield "explorer.run", trace.iri
        case e.Grounding():
            yield "output.value", json.dumps(step.ordered or [*step.concepts], ensure_ascii=False)
        case e.Exploration():
            yield "input.value", _asked(trace, step)
            yield from _documents("retrieval.documents", found := _looked_at(trace, step))
            yield from _output(found)
            if step.entities:
                yield (
                    "explorer.began_at",
                    json.dumps([trace.labels.get(one, one) for one in step.entities], ensure_ascii=False),
                )
        case e.Focus():
            yield from (("input.value", asked := _asked(trace, step)), ("reranker.query", asked))
            yield from _chosen(trace, step)
        case e.Analysis():
            yield "tool.name", step.action or ""
            yield "input.value", step.arguments or ""
            yield from _returned(trace, step)
        case e.Answer():
            yield "output.value", trace.dag.text(step.iri)
            yield from _answered(trace, step)


def _model(step: e.Step) -> Iterator[tuple[str, object]]:
    yield from ((name, value) for name, value in (
        ("llm.model_name", step.model), ("llm.token_count.prompt", step.in_token),
        ("llm.token_count.completion", step.out_token), ("llm.cost.total", step.cost), ("explorer.rule", step.rule))
        if value is not None)  # fmt: skip


def _question(trace: Trace, step: e.Step) -> e.Question | None:
    return next((one for one in all_of(trace, e.Question) if session_of(one.iri) == session_of(step.iri)), None)


def _asked(trace: Trace, step: e.Step) -> str:
    return (_question(trace, step) or trace.asked).query


def _looked_at(trace: Trace, stage: e.Exploration) -> list[Document]:
    chunks = (stage.ordered or stage.selected_chunks) if stage.of_chunks else ()
    return _found([passage for chunk in chunks for passage in trace.dag.found(chunk)], stage.scores or {})


def _chosen(trace: Trace, step: e.Focus) -> Iterator[tuple[str, object]]:
    known = [trace.dag.entities.get(key) for key in (*step.selected, *step.candidates)]
    kept = [_selection(trace, one) for one in known if isinstance(one, e.EdgeSelection | e.ChunkSelection)]
    left = [one for one in known if isinstance(one, e.Candidate) and one.edge]
    yield from _documents("reranker.output_documents", kept)
    yield from _output(kept)
    stage = trace.dag.exploration(step)
    looked = _looked_at(trace, stage) if stage else []
    yield from _documents("reranker.input_documents", looked or [*kept, *(_selection(trace, one) for one in left)])
    told = [{"fact": _fact(trace, one), "score": one.score, "why": one.not_selected} for one in left]
    if told or step.left:
        yield "explorer.left_out", json.dumps(told or step.left, ensure_ascii=False)


def _selection(trace: Trace, one: e.EdgeSelection | e.ChunkSelection | e.Candidate) -> Document:
    found = trace.passages.get(one.iri, ())
    why = one.not_selected if isinstance(one, e.Candidate) else one.reasoning
    return {
        "id": found[0].chunk if found else one.iri, "content": _fact(trace, one) or (found[0].text if found else ""),
        "score": one.score, "metadata": {"why": why, "sources": [_place(passage) for passage in found]},
    }  # fmt: skip


def _fact(trace: Trace, one: e.Entity) -> str:
    edge = one.edge if isinstance(one, e.EdgeSelection | e.Candidate) else None
    return " ".join(edge_labels(edge, trace.labels)) if edge else ""


def _returned(trace: Trace, step: e.Analysis) -> Iterator[tuple[str, object]]:
    result = trace.dag.entities.get(f"{step.iri}/observation")  # below the run within it, where it was one
    if not isinstance(result, e.Observation):
        return
    yield "output.value", trace.dag.text(result.iri)
    if result.error is not None:
        yield "exception.message", result.error
    below = (trace.dag.graph.nodes[one].get("node") for one in trace.dag.graph.successors(result.iri))
    read = [node.passages[0] for node in below if node is not None and node.kind == "Passage"]
    yield from _documents("retrieval.documents", _found(read, result.scores or {}))


def _answered(trace: Trace, step: e.Answer) -> Iterator[tuple[str, object]]:
    text = trace.dag.text(step.iri)
    said = [
        {"start": one.start, "end": one.end, "sentence": text[one.start or 0 : one.end or 0],
         "cites": [_place(words) for key in one.cites
                   for passage in trace.passages.get(key, ())[:1] or trace.dag.found(key)[:1]
                   for words in quoted(trace.dag, one, passage)],
         "not_in_source": [*one.not_in_source]}
        for one in citations(trace.dag, step.iri)
    ]  # fmt: skip
    yield "explorer.citations", json.dumps(said, ensure_ascii=False)
    contents = {one.iri: one.data.decode(errors="replace") for event in trace.events
                for one in getattr(event, "contents", ())}  # fmt: skip
    given = [contents[key] for key in step.prompt if key in contents]
    yield from (("input.value", "\n\n".join(given)) for _ in given[:1])
    for number, prompt in enumerate(given):
        yield f"llm.input_messages.{number}.message.role", "user"
        yield f"llm.input_messages.{number}.message.content", prompt
    if step.model:
        yield "llm.output_messages.0.message.role", "assistant"
        yield "llm.output_messages.0.message.content", text


def _found_of(trace: Trace, step: e.Answer) -> Iterator[Document]:
    """Yield what is on record of how far an answer is borne, and each sentence of it."""
    support = step.support or {}
    yield {"name": "outcome", "label": step.outcome, "annotator_kind": "CODE"}
    yield {"name": "support", "label": support.get("level"), "score": support.get("value"), "annotator_kind": "CODE",
           "metadata": support}  # fmt: skip
    for one in sentences(trace.dag, step):
        if isinstance(cited := one.entity, e.Citation):
            told = {"explanation": one.text, "identifier": one.iri.rpartition("#")[2]}
            yield {"name": "lexical support", "label": cited.lexical_support, "annotator_kind": "CODE", **told}
            yield {"name": "checked", "label": cited.checked, "annotator_kind": "LLM", **told}


def _judged(one: Judged) -> Document:
    return {
        "name": "verdict", "label": one.verdict, "explanation": one.comment, "annotator_kind": "HUMAN",
        "identifier": one.iri, "metadata": {"on": one.quote, "by": one.by, "at": one.made_at},
    }  # fmt: skip


def _annotations(found: Iterable[Document]) -> Iterator[tuple[str, object]]:
    """Yield annotations as OpenInference's specification has them: those that say something."""
    for number, one in enumerate(one for one in found if one["label"]):
        for name, value in one.items():
            if value not in (None, "", {}):
                told = json.dumps(value, ensure_ascii=False, sort_keys=True) if isinstance(value, dict) else value
                yield f"annotations.{number}.annotation.{name}", told


def _found(found: Sequence[Passage], scores: Mapping[str, float]) -> list[Document]:
    return [{"id": one.chunk, "content": one.text, "score": scores.get(one.chunk), "metadata": _place(one)}
            for one in found]  # fmt: skip


def _documents(base: str, documents: Sequence[Document]) -> Iterator[tuple[str, object]]:
    for number, document in enumerate(documents[:_MOST]):
        for name, value in document.items():
            told = json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value
            if told is not None:
                yield f"{base}.{number}.document.{name}", told


def _output(documents: Sequence[Document]) -> Iterator[tuple[str, object]]:
    """Yield documents once more, for viewers that show no others."""
    told = [{"id": one["id"], "page_content": one["content"], "metadata": one["metadata"]} for one in documents[:_MOST]]
    if told:
        yield "output.value", json.dumps(told, ensure_ascii=False)


def _place(one: Passage) -> dict[str, object]:
    told = {"title": one.title, "source": one.source, "page": one.page, "section": one.section, "start": one.start,
            "end": one.end, "words": one.text if len(one.text) < 2_000 else None}  # fmt: skip
    return {name: value for name, value in told.items() if value is not None}


def _attributes(told: Mapping[str, object]) -> list[dict[str, Any]]:
    return [{"key": key, "value": _value(value)} for key, value in told.items()]


def _value(value: object) -> dict[str, object]:
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case _:
            return {"stringValue": str(value)}


def _hex(iri: str, digits: int) -> str:
    return hashlib.sha256(iri.encode()).hexdigest()[:digits]
