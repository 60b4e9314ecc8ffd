"""The tools that search: whole runs of another engine within the agent's trace, the graph in SPARQL, the bare model.

SPARQL only reads, on this machine only, and never for long.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from explorer import entities as e
from explorer import rdf
from explorer.engines.agent.tools import Call, Quotation, Tool, ToolResult, failed, quotations
from explorer.engines.facts.graph_rag import GraphRag
from explorer.engines.limits import Limits, PassageLimits
from explorer.engines.passages.document_rag import DocumentRag
from explorer.engines.setting import Setting
from explorer.engines.usage import Calls, failure, summed
from explorer.errors import WorkspaceError, message_of
from explorer.events import Done, Event, Explain, Passage, Text, Usage
from explorer.reasoning.agent_protocol import Argument, ToolSpec
from explorer.reasoning.prompted.reasoner import PromptedReasoner
from explorer.reasoning.replies.parsing import is_placeholder
from explorer.stores import sparql as querying
from explorer.stores.database import AwayError
from explorer.stores.graph import GraphStore
from explorer.vocab import recognise

if TYPE_CHECKING:
    from explorer.reasoning import Reasoner

_KNOWLEDGE = (
    "Ask the knowledge graph of the documents a question: also what is linked only through something else, or stands "
    "in several documents. The quicker search"
)
_DOCUMENTS = (
    "Ask the passages of the documents a question: what is said in its own words or similar ones. The slower search, "
    "for what the other one does not find"
)
NAMES = KNOWLEDGE, DOCUMENTS, COMPLETION = "knowledge-query", "document-query", "text-completion"
SPARQL = "sparql-query"
SECONDS = 10.0  # at most, however long calls may take
LONGEST_QUERY = 20_000  # characters of a query
CONSULTED = ("document", "page", "section", "chunk", "image", "subgraph")
_UPDATE = re.compile(
    r"\A(?:\s|#[^\n]*\n|(?:PREFIX|BASE)\s[^>]*>)*+(?:INSERT|DELETE|LOAD|CLEAR|DROP|CREATE|ADD|MOVE|COPY|WITH)\b",
    re.IGNORECASE,
)
_SPEC = ToolSpec(
    SPARQL,
    "Ask the knowledge graph in SPARQL. Facts are in the default graph, with the rdfs:label of things and predicates, "
    'by which to look for them, such as ?p rdfs:label ?l FILTER(CONTAINS(LCASE(STR(?l)), "made")). '
    "urn:graph:source says what they were taken from. "
    f"SELECT, ASK, CONSTRUCT and DESCRIBE; at most {querying.ROWS} rows come back.",
    (Argument("query", "string", "A SPARQL query that only reads, with the prefixes it uses"),),
)


@dataclass(slots=True)
class Ledger:
    """What the searches of one run found, for its answer to cite: passages by selection, and by search the best."""

    passages: dict[str, tuple[Passage, ...]] = field(default_factory=dict)
    carried: dict[str, list[Passage]] = field(default_factory=dict)
    sessions: dict[str, None] = field(default_factory=dict)

    def noted(self, events: Iterator[Event]) -> Iterator[Event]:
        """Yield events, adding of each step its session, in order, and the passages that a user's tool consulted."""
        for event in events:
            if isinstance(event, Explain) and (named := recognise(event.iri)):
                self.sessions.setdefault(named.key)
                if named.kind in ("observation", "step-result"):
                    self.carried.setdefault(named.key, []).extend(p for found in event.passages.values() for p in found)
            yield event


@dataclass(frozen=True, slots=True)
class Searches:
    """The searches of one run; `reasoners` returns a reasoner for each, as each has calls of its own.

    `selector`: how those of the knowledge graph select.
    """

    setting: Setting
    reasoners: Callable[[], Reasoner]
    ids: Callable[[], str]
    ledger: Ledger
    selector: str

    def tools(self) -> list[Tool]:
        """Return the tools; the bare model only if there is one."""
        question = Argument("question", "string", "The question to ask")
        prompt = Argument("prompt", "string", "What to put to the model")
        found = [
            Tool(spec=ToolSpec(KNOWLEDGE, _KNOWLEDGE, (question,)), run=self.knowledge),
            Tool(spec=ToolSpec(DOCUMENTS, _DOCUMENTS, (question,)), run=self.documents),
        ]  # fmt: skip
        if isinstance(self.reasoners(), PromptedReasoner):
            about = "Have the model write or rework a text, with no knowledge but its own; not a source of facts"
            found.append(Tool(spec=ToolSpec(COMPLETION, about, (prompt,)), run=self.completion))
        return found

    def knowledge(self, call: Call) -> Generator[Event, None, ToolResult]:
        """Answer a question by GraphRAG."""
        return self._search(call, lambda setting, reasoner: GraphRag(setting, reasoner, Limits(selector=self.selector)))

    def documents(self, call: Call) -> Generator[Event, None, ToolResult]:
        """Answer a question by Document RAG."""
        return self._search(call, lambda setting, reasoner: DocumentRag(setting, reasoner, PassageLimits()))

    def completion(self, call: Call) -> Generator[Event, None, ToolResult]:
        """Send a prompt to the model; the result rests on no document."""
        yield from ()  # no events on the way
        prompt, reasoner = call.arguments.get("prompt"), self.reasoners()
        if not isinstance(prompt, str) or not prompt.strip():
            return failed("the argument 'prompt' must be a text that is not empty")
        if not isinstance(reasoner, PromptedReasoner):
            return failed("there is no model to complete texts")
        text, error = "", "the model gave an empty reply"
        try:
            text = "".join(reasoner.complete(prompt))
        except Exception as problem:  # noqa: BLE001 - the border of a tool call: told to the agent, and on record
            error = message_of(problem)
        calls = Calls(reasoner, self.ids(), self.setting.record_prompts).take()
        if not text.strip():
            return failed(error, calls=calls, usages=(calls.usage,))
        how = "completed by the model from the prompt alone"
        return ToolResult(text=text, calls=calls, usages=(calls.usage,), transformation=how)

    def _search(
        self, call: Call, engine: Callable[[Setting, Reasoner], GraphRag | DocumentRag]
    ) -> Generator[Event, None, ToolResult]:
        question = call.arguments.get("question")
        if not isinstance(question, str) or is_placeholder(question):
            return failed("the argument 'question' must be a text that asks something")
        session, reasoner = self.ids(), self.reasoners()
        reading = _InnerRun(session, reasoner, call.node)
        setting = replace(self.setting, session=session, parent=call.node)
        yield from reading.events(engine(setting, reasoner).run(question.strip()))
        self.ledger.passages.update(reading.passages)
        self.ledger.carried[session] = [*reading.done.sources]
        return reading.result()


@dataclass(slots=True)
class _InnerRun:
    """A run within another, as it passes: its steps, its answer, what it cites, its one Done; `above` is its parent."""

    session: str
    reasoner: Reasoner
    above: str
    done: Done = field(default_factory=lambda: Done("error", error="it gave no end"))
    emitted: list[Explain] = field(default_factory=list)
    text: str = ""
    quoted: tuple[Quotation, ...] = ()
    passages: dict[str, tuple[Passage, ...]] = field(default_factory=dict)

    def events(self, run: Iterator[Event]) -> Iterator[Event]:
        """Yield the run's events without its Done; an error ends this run alone."""
        error: str | None = None
        try:
            for event in run:
                if isinstance(event, Done):
                    self.done = event
                    continue
                if isinstance(event, Text) and event.kind == "answer":
                    self.text += event.delta
                elif isinstance(event, Explain):
                    self.emitted.append(event)
                    self.passages.update(event.passages)
                    self.quoted = self.quoted or _quoted(event)
                yield event
        except AwayError:
            raise
        except Exception as problem:  # noqa: BLE001 - the border of a tool call: told to the agent, and on record
            error = message_of(problem)
        if error is not None:
            self.done = Done("error", self._spent(), error=error)
            node = failure(self.session, [self.emitted[-1].iri if self.emitted else self.above], error)
            self.emitted.append(Explain(node.iri, tuple(rdf.triples(node))))
            yield self.emitted[-1]

    def _spent(self) -> Usage:
        """Return what an unfinished run used: by its emitted steps, and since."""
        steps = [one for event in self.emitted for one in event.entities if isinstance(one, e.Step)]
        taken = [Usage(one.in_token, one.out_token, one.model, len(one.prompt)) for one in steps if one.prompt]
        calls = self.reasoner.take_calls()
        return summed([*taken, *(replace(call.usage, calls=1) for call in calls)])

    def result(self) -> ToolResult:
        known: dict[str, Any] = {
            "above": self.emitted[-1].iri if self.emitted else None,
            "usages": (self.done.usage,),
        }
        if self.done.error is not None:
            return failed(self.done.error, **known)
        return ToolResult(
            text=self.text,
            declined=self.done.reason == "declined",
            quoted=self.quoted,
            missing=self.done.missing,
            support=self.done.support,
            **known,
        )


def _quoted(event: Explain) -> tuple[Quotation, ...]:
    named = recognise(event.iri)
    if named is None or named.kind not in ("synthesis", "docrag-synthesis"):
        return ()
    return quotations(one for one in event.entities if isinstance(one, e.Citation))


def sparql_tool(graph: GraphStore) -> Tool:
    """Return the tool that runs SPARQL queries over a graph; calling it raises AwayError where a server is away."""
    return Tool(spec=_SPEC, run=partial(_run_query, graph))


def _run_query(graph: GraphStore, call: Call) -> Generator[Event, None, ToolResult]:
    yield from ()  # it has no trace of its own
    query = call.arguments.get("query")
    wrong = _wrong_query(call.arguments)
    if wrong is not None or not isinstance(query, str):
        return failed(wrong or "argument 'query' must be a string that holds a SPARQL query")
    seconds = max(0.0, min(call.timeout, SECONDS))
    try:
        return _result_of_query(query, graph.answered(query.encode(errors="replace").decode(), seconds))
    except subprocess.TimeoutExpired:
        return failed(f"the SPARQL query took longer than {seconds:g} s and was stopped; narrow it or add a LIMIT")
    except AwayError:  # no result from which an agent goes on: the run ends
        raise
    except (WorkspaceError, OSError) as error:  # the second when no process can be started
        return failed(f"the SPARQL query can't be asked: {error}")


def _wrong_query(arguments: Mapping[str, Any]) -> str | None:
    unknown = [name for name in arguments if name != "query"]
    if unknown:
        return f"there is no argument '{unknown[0]}'; there is only: query"
    query = arguments.get("query")
    if not isinstance(query, str) or not query.strip():
        return "argument 'query' is missing; expected a SPARQL query"
    if _UPDATE.search(query):
        return "only queries that read are answered: SELECT, ASK, CONSTRUCT, DESCRIBE"
    if len(query) > LONGEST_QUERY:
        return f"the SPARQL query has {len(query):,} characters; write it in at most {LONGEST_QUERY:,}"
    return None


def _result_of_query(query: str, answer: querying.QueryResult) -> ToolResult:
    if answer.error is not None:
        return failed(answer.error)
    lines = list(answer.lines) or ["(no rows)" if answer.form == "rows" else "(no triples)"]
    if answer.cut:
        lines.append(f"… [only the first {len(answer.lines)} {answer.form}; add a LIMIT or narrow the query]")
    return ToolResult(
        text="\n".join(lines),
        transformation=" ".join(query.encode(errors="replace").decode().split())[:500],
        consulted=tuple(iri for iri in answer.iris if (named := recognise(iri)) and named.kind in CONSULTED),
    )
