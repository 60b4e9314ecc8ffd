"""Runs of the OpenAI Agents SDK while they go on, by a trace processor that is added to those there are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from agents.tracing import add_trace_processor
from agents.tracing.processor_interface import TracingProcessor
from agents.tracing.span_data import FunctionSpanData, GenerationSpanData, ResponseSpanData

from explorer.observing.observer import Observer
from explorer.observing.run_parts import CHAIN, MODEL, RETRIEVER, TOOL, Call
from explorer.observing.texts import asked_in, said_in
from explorer.reasoning.replies.citations import answer_of


@dataclass
class _Trace:
    name: str
    said: str = ""  # by a model, after which no tool was called
    error: Exception | None = None


class Processor(TracingProcessor):  # type: ignore[misc]
    """Its traces: what was asked is told by the first call to a model, so a run begins with that."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self._traces: dict[str, _Trace] = {}

    def on_trace_start(self, trace: Any) -> None:
        """Begin a trace, of which nothing is known yet."""
        self._traces[trace.trace_id] = _Trace(str(trace.name))
        self._observer.begin(trace.trace_id, None, CHAIN, None, is_whole=False)

    def on_trace_end(self, trace: Any) -> None:
        """End it with the last that a model said, or as failed where something went wrong after that."""
        if (told := self._traces.pop(trace.trace_id, None)) is not None:
            error = told.error or (None if told.said else RuntimeError("It ended without an answer."))
            self._observer.end(trace.trace_id, None if error else told.said, error)

    def on_span_start(self, span: Any) -> None:
        """Wait: what a span was given stands in it once it ends."""

    def on_span_end(self, span: Any) -> None:
        """Tell a call of a tool or of a model; what went wrong before a model replied did not end the run."""
        told, data = self._traces.get(span.trace_id), span.span_data
        if told is None:
            return
        error = RuntimeError(str(span.error.get("message"))) if span.error else None
        match data:
            case FunctionSpanData():
                told.said, told.error = "", error
                self._observer.begin(span.span_id, span.trace_id, TOOL, data.input, data.name)
                self._observer.end(span.span_id, data.output, error)
            case ResponseSpanData() | GenerationSpanData():
                told.said, told.error = self._asked(span, told, data, error), error
            case _:
                told.error = error or told.error

    def shutdown(self) -> None:
        """Nothing is held back."""

    def force_flush(self) -> None:
        """Nothing is held back."""

    def _asked(self, span: Any, told: _Trace, data: Any, error: BaseException | None) -> str:
        reply = data.response if isinstance(data, ResponseSpanData) else data.output
        text = said_in(reply) if isinstance(data, GenerationSpanData) else answer_of(reply)[0] if reply else ""
        for number, results in enumerate(_searched(reply)):
            self._observer.begin((span.span_id, number), span.trace_id, RETRIEVER, asked_in(data.input))
            self._observer.end((span.span_id, number), results)
        given = data.input if isinstance(data.input, list | tuple) else [{"role": "user", "content": data.input}]
        prompt = "\n\n".join(f"{one.get('role', 'tool')}: {said_in(one)}" for one in given if isinstance(one, dict))
        usage = getattr(reply, "usage", None) or data.__dict__.get("usage")
        used = usage if isinstance(usage, dict) else vars(usage) if usage else {}
        model = getattr(reply, "model", None) or getattr(data, "model", None)
        self._observer.begin(span.span_id, span.trace_id, MODEL, asked_in(data.input), told.name)
        self._observer.end(
            span.span_id, Call(prompt, text, model, used.get("input_tokens"), used.get("output_tokens"), reply), error
        )
        return text


def add(observer: Observer) -> Processor:
    """Add a processor to the SDK; none is replaced."""
    processor = Processor(observer)
    add_trace_processor(processor)
    return processor


def _searched(reply: object) -> Iterator[list[object]]:
    """Yield what the service's own search of files found, where the reply has it."""
    for one in getattr(reply, "output", None) or ():
        if getattr(one, "type", "") == "file_search_call" and getattr(one, "results", None):
            yield [{"text": found.text, "id": found.file_id, "title": found.filename, "score": found.score}
                   for found in one.results]  # fmt: skip
