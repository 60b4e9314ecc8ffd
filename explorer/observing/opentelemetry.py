"""Runs of anything that sends OpenTelemetry spans, while they go on: by a span processor beside those there are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Self

from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.trace import StatusCode

from explorer.errors import QuestionError
from explorer.observing.conventions import LLM, OTHER, RERANKER, RETRIEVER, TOOL, Part, part_of
from explorer.observing.observer import Call, Kind, Observer
from explorer.observing.spans import Span, nested

_KINDS: Mapping[str, Kind] = {RETRIEVER: "retriever", RERANKER: "reranker", LLM: "model", TOOL: "tool"}


@dataclass(slots=True)
class _Trace:
    """A trace that goes on: the first span of it here, whether its run has begun, and the last answer in it."""

    root: int
    begun: bool = False
    said: str = ""


class Processor(SpanProcessor):  # type: ignore[misc]
    """Its spans: a trace is a run, which begins with the first span that tells a question."""

    def __init__(self, observer: Observer) -> None:
        """Tell this observer."""
        self._observer = observer
        self._traces: dict[int, _Trace] = {}
        self._above: dict[int, object] = {}  # by the id of a span the part that spans below it belong to
        self.is_on = True

    def on_start(self, span: ReadableSpan, parent_context: Any = None) -> None:
        """Begin what a span is of a run."""
        key = span.context
        if not self.is_on or key is None:
            return
        told = self._traces.setdefault(key.trace_id, _Trace(key.span_id))
        part = _part(span)
        above = self._above.get(span.parent.span_id if span.parent else 0, key.trace_id)
        self._above[key.span_id] = above
        if not told.begun and (part.question or part.role != OTHER):
            told.begun = True
            self._observer.begin(key.trace_id, None, "chain", part.question or span.name, span.name)
        if part.role in _KINDS:
            self._above[key.span_id] = key.span_id
            given = part.arguments if part.role == TOOL else part.question
            self._observer.begin(key.span_id, above, _KINDS[part.role], given, part.name)

    def on_end(self, span: ReadableSpan) -> None:
        """End it with what it says by now."""
        key = span.context
        if key is None or self._above.pop(key.span_id, None) is None:
            return
        told, part = self._traces[key.trace_id], _part(span)
        is_failed = span.status.status_code is StatusCode.ERROR
        error = QuestionError(span.status.description or f"{span.name} failed") if is_failed else None
        said = part.reply if part.role == LLM else part.answer
        told.said = said or told.said
        if part.role in _KINDS:
            self._observer.end(key.span_id, _result(part), error)
        if key.span_id == told.root:
            del self._traces[key.trace_id]
            if told.begun:
                self._observer.end(key.trace_id, part.answer or told.said, error)

    def shutdown(self) -> None:
        """Take in no more spans."""
        self.is_on = False

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Nothing is held back."""
        return True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()


def add(observer: Observer) -> Processor:
    """Add a processor to the provider there is; where there is none, to one that is made."""
    provider = trace.get_tracer_provider()
    if not isinstance(provider, TracerProvider):
        provider = TracerProvider()
        trace.set_tracer_provider(provider)
    processor = Processor(observer)
    provider.add_span_processor(processor)
    return processor


def _part(span: ReadableSpan) -> Part:
    events = [(one.name, dict(one.attributes or {})) for one in span.events]
    return part_of(Span(
        id=str(span.context.span_id), trace=str(span.context.trace_id), name=span.name,
        begun=datetime.fromtimestamp((span.start_time or 0) / 1e9, UTC),
        attributes=nested(dict(span.attributes or {})), events=events,
    ))  # fmt: skip


def _result(part: Part) -> object:
    if part.role == LLM:
        return Call(part.prompt, part.reply, part.model, part.in_tokens, part.out_tokens, part.reply, part.cost)
    return part.result if part.role == TOOL else list(part.passages)
