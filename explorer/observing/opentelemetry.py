"""Runs of anything that sends OpenTelemetry spans, while they go on: by a span processor beside those there are."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Self

from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.trace import StatusCode

from explorer.errors import QuestionError
from explorer.observing.conventions import part_of
from explorer.observing.observer import Observer
from explorer.observing.run_parts import CHAIN, Part
from explorer.observing.spans import Span, nested


class Processor(SpanProcessor):  # type: ignore[misc]
    """Its spans: a trace is a run, which begins with the first span that tells something of it."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self._roots: dict[int, int] = {}  # by trace the first span of it here
        self._open: set[int] = set()
        self.is_on = True

    def on_start(self, span: ReadableSpan, parent_context: Any = None) -> None:
        """Begin what a span is of a run."""
        key = span.context
        if not self.is_on or key is None:
            return
        root = self._roots.setdefault(key.trace_id, key.span_id)
        above = span.parent.span_id if span.parent and span.parent.span_id in self._open else root
        self._open.add(key.span_id)
        part = _part(span)
        self._observer.part_begins(key.span_id, above, part, begins=part.tells)

    def on_end(self, span: ReadableSpan) -> None:
        """End it with what it says by now."""
        key = span.context
        if key is None or key.span_id not in self._open:
            return
        self._open.discard(key.span_id)
        if self._roots.get(key.trace_id) == key.span_id:
            del self._roots[key.trace_id]
        is_failed = span.status.status_code is StatusCode.ERROR
        error = QuestionError(span.status.description or f"{span.name} failed") if is_failed else None
        part = _part(span)
        self._observer.part_ends(key.span_id, part, error, begins=part.role != CHAIN)  # some tell all at their end

    def shutdown(self) -> None:
        """Take in no more spans."""
        self.is_on = False

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
