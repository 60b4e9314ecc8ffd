"""What a workspace does with runs of other pipelines: it records them as they go on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from explorer.errors import QuestionError
from explorer.events import Event
from explorer.record.person import person
from explorer.record.trace import Trace
from explorer.text import one_line
from explorer.workspace.opened import Opened

if TYPE_CHECKING:
    from explorer.observing.observer import Observer
    from explorer.observing.recorder import RecordedRun

Watch = Callable[[str, Iterator[Event]], object]
"""Shows a run while it goes on, as `app.watch` does: it is given the question, and the events as they come."""

_LONGEST = 80  # letters of the name of a pipeline


class Observing(Opened):
    """Runs of other pipelines."""

    def record(
        self,
        question: str,
        *,
        pipeline: str = "pipeline",
        by: str | None = None,
        watch: Watch | None = None,
    ) -> RecordedRun:
        """Return a run of your own pipeline, to tell it what is looked at, kept, prompted and answered as it goes on.

        `pipeline` names what answers, `by` who asks, by default EXPLORER_USER. `watch` is given the question and the
        events: `app.watch` shows them as they come. Raises QuestionError for a question without words and for the name
        of an engine, WorkspaceError where nothing can be written.
        """
        from explorer.observing.passage_places import Placing
        from explorer.observing.pushed_run import Feed
        from explorer.observing.recorder import RecordedRun
        from explorer.observing.run_writer import Course, Whole
        from explorer.wording.ways import ENGINES

        asked, name = str(question).strip(), one_line(pipeline)[:_LONGEST].strip()
        if not asked:
            raise QuestionError("The question has no words; say what was asked.")
        if not name or name.split("/")[0] in ENGINES:
            raise QuestionError(f"{pipeline!r} can't be the name of a pipeline; name what answered, as 'LangGraph'.")
        self._check_writable()
        self.stores.refresh()
        session = self._new_session()
        feed = Feed(lambda events: self.traces.record(events, session, by=person(by)))
        if watch is not None:
            watch(asked, feed.watch())
        placing = Placing(self.stores)
        whole = Whole(feed, placing, name, self._clock, self._ids, self.record_prompts, self.embedder)
        return RecordedRun(Course(whole, asked, session))

    def export_spans(self, trace: Trace | str, *, protobuf: bool = False) -> bytes:
        """Return a run as OpenTelemetry spans for viewers of these: OTLP's JSON, by OpenInference's conventions.

        Passages, what was kept and why, prompts, tools and the answer are where viewers look for them. Verdicts,
        support and outcome are annotations. Citations with their words and what was left out are attributes below
        `explorer.`. In `protobuf` it is what Phoenix and MLflow take. Raises RecordError for an IRI that is none of a
        run, and ImportError where protobuf is not installed.
        """
        from explorer.observing.otlp_protobuf import to_wire
        from explorer.observing.spans_out import spans
        from explorer.record.verdicts import verdicts

        found = self.traces.load(trace) if isinstance(trace, str) else trace
        written = spans(found, [one for one in verdicts(self.stores, [found.iri]) if one.standing])
        return to_wire(written) if protobuf else written


def langchain_handler(
    ws: Observing, *, watch: Watch | None = None, by: str | None = None, pipeline: str = "LangChain"
) -> Any:  # noqa: ANN401 - a class of LangChain's
    """Return a callback handler that records each run of a LangChain chain or a LangGraph graph in a workspace.

    `graph.invoke(asked, config={"callbacks": [handler]})`. `watch`, `by` and `pipeline` are those of
    `Workspace.record`. What goes wrong in it is told once, as a warning; the run goes on. Raises ImportError where
    langchain-core is not installed.
    """
    from explorer.observing.langchain import Handler

    return Handler(_observer(ws, watch, by, pipeline))


def observe_llamaindex(
    ws: Observing, *, watch: Watch | None = None, by: str | None = None, pipeline: str = "LlamaIndex"
) -> Any:  # noqa: ANN401 - a class of LlamaIndex's
    """Record each run of LlamaIndex in a workspace from now on, and return the span handler that was added.

    Arguments are those of `langchain_handler`. Raises ImportError where llama-index-core is not installed.
    """
    from explorer.observing.llamaindex import add

    return add(_observer(ws, watch, by, pipeline))


def observe_openai_agents(
    ws: Observing, *, watch: Watch | None = None, by: str | None = None, pipeline: str = "OpenAI Agents"
) -> Any:  # noqa: ANN401 - a class of the SDK's
    """Record each run of the OpenAI Agents SDK in a workspace from now on, and return the trace processor.

    It is added to those there are. Arguments are those of `langchain_handler`. Raises ImportError where openai-agents
    is not installed.
    """
    from explorer.observing.openai_agents import add

    return add(_observer(ws, watch, by, pipeline))


def observe(
    ws: Observing, *, watch: Watch | None = None, by: str | None = None, pipeline: str = "OpenTelemetry"
) -> Any:  # noqa: ANN401 - a class of OpenTelemetry's
    """Record each trace of OpenTelemetry spans in a workspace from now on, and return the span processor.

    Spans are read by the conventions of OpenInference and of GenAI. The processor is added to the provider there is, or
    to one that is made; in a `with` block it ends with that. Arguments are those of `langchain_handler`. Raises
    ImportError where opentelemetry-sdk is not installed.
    """
    from explorer.observing.opentelemetry import add

    return add(_observer(ws, watch, by, pipeline))


def _observer(ws: Observing, watch: Watch | None, by: str | None, pipeline: str) -> Observer:
    from explorer.observing.observer import Observer

    return Observer(lambda question: ws.record(question, pipeline=pipeline, by=by, watch=watch))
