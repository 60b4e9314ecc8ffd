"""The nodes of a question: stages, selections, answer, and how the run ended."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from explorer.entities.node_table import Entity, Kind, many, one
from explorer.text import one_line
from explorer.vocab import ANNOTATION, DC, PROV, RDFS, TG, Graph, X, local_name, milliseconds

__all__ = [
    "CUT_OFF",
    "STOPPED",
    "AgentQuestion",
    "Answer",
    "Candidate",
    "ChunkSelection",
    "Citation",
    "DocRagQuestion",
    "EdgeSelection",
    "End",
    "Evaluation",
    "Exploration",
    "Failure",
    "Focus",
    "GraphRagQuestion",
    "Grounding",
    "Person",
    "Question",
    "Recorded",
    "RunActivity",
    "RunAgent",
    "Step",
    "StoredContent",
    "Synthesis",
]

STOPPED = "Stopped on request."
CUT_OFF = "Cut off here: the program ended before the run did."


@dataclass(frozen=True, kw_only=True)
class Recorded(Entity):
    """A node of a run; `run` is the Question of the whole run, None on that Question itself and in runs of before."""

    run: str | None = one(X.run, Kind.IRI, rank=4)


@dataclass(frozen=True, kw_only=True)
class Step(Recorded):
    """A stage of a run: the fields that every stage may have besides its own; `begun_at` is when it began.

    `asked_with` is how its model was asked: "temperature 0.0", "form scores" for what a reply had to keep to, "without
    stream" for what the service rejected. `cost` is what its calls cost in US dollars, where that was reported, as in
    spans. `call_error`: why a call to it failed, or its reply is not whole.
    """

    in_token: int | None = one(TG.inToken, Kind.INTEGER, rank=3)
    out_token: int | None = one(TG.outToken, Kind.INTEGER, rank=3)
    model: str | None = one(TG.llmModel, rank=3)
    cost: float | None = one(X.cost, Kind.NUMBER, rank=4)
    prompt: tuple[str, ...] = many(X.prompt, Kind.IRI, rank=4)
    reply: tuple[str, ...] = many(X.reply, Kind.IRI, rank=4)
    asked_with: tuple[str, ...] = many(X.askedWith, rank=4)
    call_error: tuple[str, ...] = many(X.callError, rank=4)
    begun_at: str | None = one(X.startedAt, rank=4)
    duration_ms: int | None = one(X.durationMs, Kind.INTEGER, rank=4)
    rule: str | None = one(X.rule, rank=4)
    sequence: int | None = one(X.sequence, Kind.INTEGER, rank=4)


@dataclass(frozen=True, kw_only=True)
class Question(Step):
    """What was asked, when, of which engine and with which parameters.

    `without` and `without_facts` are what a what-if left out, `varies` is the Question of the run that it varies.
    `within` are the documents that the search was limited to, `scope` says so in words.
    `previous` is as on an End, of a run without one.
    """

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Entity, TG.Question)

    label: str | None = one(RDFS.label, rank=0, default="Question")
    started_at: str | None = one(PROV.startedAtTime)
    query: str = one(TG.query, default="")
    derived_from: tuple[str, ...] = many(PROV.wasDerivedFrom, Kind.IRI, rank=2)
    engine: str | None = one(X.engine, rank=4)
    parameters: dict[str, Any] | None = one(X.parameters, Kind.JSON, rank=4)
    reasoner: str | None = one(X.reasoner, rank=4)
    embedder: str | None = one(X.embedder, rank=4)
    without: tuple[str, ...] = many(X.without, Kind.IRI, rank=4)
    without_facts: tuple[Triple, ...] = many(X.withoutFact, Kind.TRIPLE, rank=4)
    varies: str | None = one(X.variesRun, Kind.IRI, rank=4)
    within: tuple[str, ...] = many(X.within, Kind.IRI, rank=4)
    scope: str | None = one(X.scope, rank=4)
    previous: str | None = one(X.previous, rank=4)


@dataclass(frozen=True, kw_only=True)
class GraphRagQuestion(Question):
    """The Question of a GraphRAG run."""

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Entity, TG.Question, TG.GraphRagQuestion)

    label: str | None = one(RDFS.label, rank=0, default="GraphRAG Question")


@dataclass(frozen=True, kw_only=True)
class DocRagQuestion(Question):
    """The Question of a Document RAG run."""

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Entity, TG.Question, TG.DocRagQuestion)

    label: str | None = one(RDFS.label, rank=0, default="DocumentRAG Question")


@dataclass(frozen=True, kw_only=True)
class AgentQuestion(Question):
    """The Question of an agent's session."""

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Entity, TG.Question, TG.AgentQuestion)

    label: str | None = one(RDFS.label, rank=0, default="Agent Question")


@dataclass(frozen=True, kw_only=True)
class Grounding(Step):
    """The concepts taken from the question; `ordered` has their order and duplicates."""

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Entity, TG.Grounding)

    label: str | None = one(RDFS.label, rank=0, default="Grounding")
    concepts: tuple[str, ...] = many(TG.concept)
    ordered: list[str] | None = one(X.concepts, Kind.LIST, rank=4)


@dataclass(frozen=True, kw_only=True)
class Exploration(Step):
    """What was looked at: how many edges from which seed entities, or which chunks; `ordered` has them by rank.

    `explored` is the content with all the edges, nearest first, as N-Triples. `scores` are those that a pipeline of
    others gave its passages, by the IRI of the chunk, on whatever scale it has.
    """

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Entity, TG.Exploration)

    label: str | None = one(RDFS.label, rank=0, default="Exploration")
    edge_count: int | None = one(TG.edgeCount, Kind.INTEGER)
    entities: tuple[str, ...] = many(TG.entity, Kind.IRI)
    chunk_count: int | None = one(TG.chunkCount, Kind.INTEGER)
    selected_chunks: tuple[str, ...] = many(TG.selectedChunk, Kind.IRI)
    ordered: list[str] | None = one(X.chunks, Kind.LIST, rank=4)
    explored: str | None = one(X.explored, Kind.IRI, rank=4)
    scores: dict[str, float] | None = one(X.scores, Kind.JSON, rank=4)

    @property
    def of_chunks(self) -> bool:
        """Whether passages were looked at, not facts."""
        return self.edge_count is None and self.chunk_count is not None

    @property
    def count(self) -> int | None:
        """How many facts, or else passages, were looked at."""
        return self.chunk_count if self.of_chunks else self.edge_count


@dataclass(frozen=True, kw_only=True)
class Focus(Step):
    """What was selected of it, and what was scored and not selected.

    It derives from what it chose among, and from the selections, by which PROV leads on to their sources. `read`: the
    chunks that it chose among without a model, best first. Of a pipeline of others `scores` are as on an Exploration,
    and `left` says by chunk why it was left out, empty where the pipeline gave no reason.
    """

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Entity, TG.Focus)

    label: str | None = one(RDFS.label, rank=0, default="Focus")
    selected_edges: tuple[str, ...] = many(TG.selectedEdge, Kind.IRI)
    selected_chunks: tuple[str, ...] = many(TG.selectedChunk, Kind.IRI)
    candidates: tuple[str, ...] = many(X.candidate, Kind.IRI, rank=4)
    read: list[str] | None = one(X.read, Kind.LIST, rank=4)
    scores: dict[str, float] | None = one(X.scores, Kind.JSON, rank=4)
    left: dict[str, str] | None = one(X.left, Kind.JSON, rank=4)

    @cached_property
    def above(self) -> tuple[str, ...]:
        """What it chose among: what it derives from, without the selections."""
        chosen = {*self.selected}
        return tuple(one for one in self.derived_from if one not in chosen)

    @property
    def selected(self) -> tuple[str, ...]:
        """All selections, of facts and of passages."""
        return (*self.selected_edges, *self.selected_chunks)


@dataclass(frozen=True, kw_only=True)
class EdgeSelection(Recorded):
    """The record that an edge was selected: for which concept, with which score, and why.

    `score_parts` add up to the score, by what each of them stands for.
    `scored_by` names what scored it where that was not the run's reasoner. It derives from the subgraphs it is from.
    """

    types: ClassVar[tuple[NamedNode, ...]] = (TG.EdgeSelection,)

    edge: Triple | None = one(TG.edge, Kind.TRIPLE)
    concept: str | None = one(TG.concept)
    score: float | None = one(TG.score, Kind.NUMBER)
    reasoning: str | None = one(TG.reasoning)
    score_parts: dict[str, float] | None = one(X.scoreParts, Kind.JSON, rank=4)
    scored_by: str | None = one(X.scoredBy, rank=4)

    def __repr__(self) -> str:
        told = "no edge recorded" if self.edge is None else f"“{_told(self.edge)}”"
        return f"<EdgeSelection {told}{'' if self.score is None else f' {self.score:.2f}'}>"


def _told(term: NamedNode | BlankNode | Literal | Triple) -> str:
    if isinstance(term, Triple):
        return f"{_told(term.subject)} — {_told(term.predicate)} → {_told(term.object)}"
    return one_line(local_name(term.value) if isinstance(term, NamedNode) else term.value)


@dataclass(frozen=True, kw_only=True)
class ChunkSelection(Recorded):
    """The record that a chunk was selected, and with which score; it derives from the chunk, which is `document`.

    `reasoning` is why, as a pipeline of others said it.
    """

    types: ClassVar[tuple[NamedNode, ...]] = (TG.ChunkSelection,)

    document: str | None = one(TG.document, Kind.IRI)
    score: float | None = one(TG.score, Kind.NUMBER)
    reasoning: str | None = one(TG.reasoning)
    score_parts: dict[str, float] | None = one(X.scoreParts, Kind.JSON, rank=4)
    scored_by: str | None = one(X.scoredBy, rank=4)


@dataclass(frozen=True, kw_only=True)
class Candidate(Recorded):
    """An edge that was scored and not selected; never written with tg:edge, which means a selection."""

    types: ClassVar[tuple[NamedNode, ...]] = (X.Candidate,)

    edge: Triple | None = one(X.edge, Kind.TRIPLE)
    concept: str | None = one(TG.concept)
    score: float | None = one(TG.score, Kind.NUMBER)
    rank: int | None = one(X.rank, Kind.INTEGER)
    not_selected: str | None = one(X.notSelected)
    scored_by: str | None = one(X.scoredBy, rank=4)


@dataclass(frozen=True, kw_only=True)
class Answer(Step):
    """The fields of any answer; its text is the library content `document`, in old records the inline `content`.

    `support`: how well its evidence bears it, as `events.Support` has it; `support_cut`: from which value an answer
    counts as answered, and below which as not found. `outcome`: "answered", "unsure" or "not found". `check`:
    "done" where the model read its sentences beside what they cite, else "not done: " and why. `given`: the chunks
    whose words stand in a prompt that a pipeline of others recorded.
    """

    document: str | None = one(TG.document, Kind.IRI)
    termination_reason: str | None = one(TG.terminationReason)
    support: dict[str, Any] | None = one(X.support, Kind.JSON, rank=4)
    support_cut: dict[str, Any] | None = one(X.supportCut, Kind.JSON, rank=4)
    outcome: str | None = one(X.outcome, rank=4)
    check: str | None = one(X.check, rank=4)
    citations: tuple[str, ...] = many(X.citation, Kind.IRI, rank=4)
    given: tuple[str, ...] = many(X.given, Kind.IRI, rank=4)
    content: str | None = None


@dataclass(frozen=True, kw_only=True)
class Synthesis(Answer):
    """The answer of a search for facts or passages, of a plan, or of a team."""

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Entity, TG.Synthesis, TG.Answer)

    label: str | None = one(RDFS.label, rank=0, default="Synthesis")


@dataclass(frozen=True, kw_only=True)
class Citation(Recorded):
    """A span of the answer, in code points, and the selections it rests on.

    It has none where a model named no source for it, or where it says that a part of the question was not found.

    `source_start` and `source_end`: where the words that it quotes stand in the chunk of the first of them. `quotes`:
    the same of each whole passage that it cites, by the IRI of its selection, where that is not all. Words that stand
    in several places have a start and an end each, in the order of the text.

    `outcome`: where parts of the question came out differently, how the one did that it is about: "answered", "unsure"
    or "not found".

    Of an answer that a model wrote: `lexical_support` says how far its words are those of what it cites ("found",
    "near", "none", or "not compared" in another language). `not_in_source` has the names and numbers that are not
    there, and a negation that one of the two alone has. `checked` says what the model found that read it beside these
    words: "supported", "partly" or "not".

    Of an answer of another pipeline: `aligned` are those of `cites` that it did not name, found by the words of the
    sentence. `said_by` is the provider that named the others, `agreement` what became of comparing the two: "agrees",
    "points elsewhere" or "no such words".
    """

    types: ClassVar[tuple[NamedNode, ...]] = (X.Citation,)

    start: int | None = one(X.start, Kind.INTEGER)
    end: int | None = one(X.end, Kind.INTEGER)
    cites: tuple[str, ...] = many(X.cites, Kind.IRI)
    source_start: int | None = one(X.sourceStart, Kind.INTEGER)
    source_end: int | None = one(X.sourceEnd, Kind.INTEGER)
    quotes: dict[str, list[int]] | None = one(X.quotes, Kind.JSON)
    lexical_support: str | None = one(X.lexicalSupport)
    not_in_source: tuple[str, ...] = many(X.notInSource)
    checked: str | None = one(X.checked)
    outcome: str | None = one(X.outcome)
    aligned: tuple[str, ...] = many(X.aligned, Kind.IRI)
    said_by: str | None = one(X.saidBy)
    agreement: str | None = one(X.agreement)

    @property
    def spans(self) -> dict[str, list[tuple[int, int]]]:
        """Where all words stand that it quotes, in code points of the chunk of each, by what it cites."""
        given = self.quotes if isinstance(self.quotes, dict) else {}
        told: dict[str, object] = {key: [self.source_start, self.source_end] for key in self.cites[:1]}
        return {key: found for key in self.cites if (found := _spans(given.get(key) or told.get(key)))}

    @property
    def places(self) -> dict[str, tuple[int, int]]:
        """The first of these places, by what it cites."""
        return {key: spans[0] for key, spans in self.spans.items()}


def _spans(written: object) -> list[tuple[int, int]]:
    """Return pairs of a list of offsets; none where one of them is none, or they stand in another order."""
    if not isinstance(written, list) or len(written) % 2 or not all(isinstance(one, int) for one in written):
        return []
    found = [*zip(written[::2], written[1::2], strict=True)]
    return found if all(0 <= start <= end for start, end in found) else []


@dataclass(frozen=True, kw_only=True)
class Failure(Step):
    """What ended a run before its answer; it derives from the last stage reached.

    `termination_reason` is "error" or "cancelled"; None where the program ended before the run did.
    """

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Entity, TG.Error)

    label: str | None = one(RDFS.label, rank=0, default="Failure")
    error: str | None = one(TG.toolError)
    termination_reason: str | None = one(TG.terminationReason)


@dataclass(frozen=True, kw_only=True)
class End(Step):
    """How a run ended: done, declined, error, stopped or interrupted, with the totals that are known.

    `paused_ms` is how long it waited for its reader, None where it did not. `previous` is the seal before that of the
    run on the ledger of the collection.
    """

    types: ClassVar[tuple[NamedNode, ...]] = (X.End,)

    label: str | None = one(RDFS.label, rank=0, default="End")
    reason: str | None = one(X.reason)
    ended_at: str | None = one(PROV.endedAtTime)
    calls: int | None = one(X.calls, Kind.INTEGER, rank=4)
    paused_ms: int | None = one(X.pausedMs, Kind.INTEGER, rank=4)
    previous: str | None = one(X.previous, rank=4)

    def took(self, started_at: str | None) -> int | None:
        """Return the milliseconds since the Question without those it was paused; None where a time is missing."""
        passed = milliseconds(started_at, self.ended_at)
        return None if passed is None else max(0, passed - (self.paused_ms or 0))


@dataclass(frozen=True, kw_only=True)
class RunActivity(Recorded):
    """The activity that a run was: of which engine, of which model, and who asked where they said so.

    It stands beside the Question, which is an entity; `agents` are a RunAgent each, or a Person. `database_role` is the
    one by which a database server knew who wrote it, None in a folder.
    """

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Activity, X.Run)

    started_at: str | None = one(PROV.startedAtTime)
    used: tuple[str, ...] = many(PROV.used, Kind.IRI)
    agents: tuple[str, ...] = many(PROV.wasAssociatedWith, Kind.IRI)
    database_role: str | None = one(X.databaseRole)


@dataclass(frozen=True, kw_only=True)
class RunAgent(Entity):
    """An engine or a model, by its name and version as the Question has them; runs share it."""

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Agent, PROV.SoftwareAgent)


@dataclass(frozen=True, kw_only=True)
class Person(Entity):
    """Who asked, by the name they gave; runs share it."""

    types: ClassVar[tuple[NamedNode, ...]] = (PROV.Agent, PROV.Person)


@dataclass(frozen=True, kw_only=True)
class StoredContent(Recorded):
    """A text of the run that the library holds under this IRI, by its hash: the SHA-256 of its bytes, in hexadecimal.

    Of one that was removed there is when that was.
    """

    types: ClassVar[tuple[NamedNode, ...]] = (X.Content,)

    sha256: str | None = one(X.sha256)
    invalidated_at: str | None = one(PROV.invalidatedAtTime)


@dataclass(frozen=True, kw_only=True)
class Evaluation(Entity):
    """Many questions asked at once to measure the answers; `title` names the file, `document` is its content.

    `members` are the Questions of its runs.
    """

    types: ClassVar[tuple[NamedNode, ...]] = (X.Evaluation,)
    graph: ClassVar[Graph] = ANNOTATION

    label: str | None = one(RDFS.label, rank=0, default="Evaluation")
    title: str | None = one(DC.title)
    started_at: str | None = one(PROV.startedAtTime)
    document: str | None = one(TG.document, Kind.IRI)
    members: tuple[str, ...] = many(X.member, Kind.IRI)
