"""The list of traces: a row for each with what it is filtered by, an index of the record, rebuilt where it differs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime

from pyoxigraph import Literal, NamedNode, Quad

from explorer import entities as e
from explorer import rdf
from explorer.display import AsTable
from explorer.errors import RecordError
from explorer.events import Explain, Support
from explorer.models.chat import NO_MODEL
from explorer.record.node_lookup import is_own
from explorer.record.times import LAST, NEVER
from explorer.record.trace import model_of
from explorer.stores.collection import Collection
from explorer.stores.graph import Pattern
from explorer.stores.run_rows import ListedRun, RunTable
from explorer.text import count
from explorer.vocab import PROV, RDF, RETRIEVAL, TG, iri, moment, recognise, session_of
from explorer.wording.ways import engine_of

QUESTIONS = ("question", "docrag-question", "agent-question")
_HEADS = ("", "Question", "Strategy", "Model", "Started", "End", "Asked by", "Reviewed", "Name", "Tags", "Asked with")
_ALWAYS = 6  # heads
TROUBLES = ("error", "stopped", "interrupted")
_TOGETHER = 500  # Questions that are read
FINALS = ("synthesis", "docrag-synthesis", "conclusion", "agent-synthesis")
STEPS = ("observation", "step-result", "finding")
_SELECTED = (TG.selectedEdge, TG.selectedChunk)


@dataclass(frozen=True, slots=True)
class TraceSummary:
    """A trace as it stands in a list.

    `reason` is None while it runs. `model` is the name of the one that reasoned, or "no model"; None where it is not
    on record. `kept` counts the facts and passages it selected, None where it did not select; `failed` its steps that
    failed. `pattern` is the pattern an agent worked by. `without` counts what a what-if left out. `runs` is above 0 in
    the row of an evaluation: so many runs are folded under it.

    `name`, `tags` and `note` are what people wrote at it. `differs` says how it was asked where the listed runs of its
    question differ, by name. `reviewed` counts the verdicts of people on it that stand, by verdict, and `reviewers` are
    who gave them. `by` is who asked, None where nobody was named.

    `support` is how well its evidence bears the answer, `outcome` how that came out ("answered", "unsure" or "not
    found"), None where that is not on record. `since` is what became of it: "corrected", "undone", "removed" or
    nothing.

    `found` says where the words that were looked for stand, where the question has them not; `snippet` has them with
    what is around.
    """

    iri: str
    engine: str
    question: str
    started_at: str
    reason: str | None
    model: str | None = None
    kept: int | None = None
    failed: int = 0
    pattern: str | None = None
    without: int = 0
    runs: int = 0
    name: str | None = None
    tags: tuple[str, ...] = ()
    note: str | None = None
    differs: tuple[tuple[str, str], ...] = ()
    support: Support | None = None
    outcome: str | None = None
    since: str = ""
    reviewed: tuple[tuple[str, int], ...] = ()
    reviewers: tuple[str, ...] = ()
    by: str | None = None
    found: str = ""
    snippet: tuple[str, str, str] | None = None

    @property
    def begun(self) -> datetime:
        """When it began, to sort by; before all others when no time is on record."""
        return moment(self.started_at) or NEVER

    @property
    def ended(self) -> str:
        """How it ended, "running" while it runs; and how many things a what-if left out."""
        return f"{self.reason or 'running'}{f', without {self.without}' if self.without else ''}"

    @property
    def review(self) -> str:
        """What people found of it and who they are, as "2 supported, by Ana and Bo"; empty where nobody judged it."""
        found = ", ".join(f"{number} {verdict}" for verdict, number in self.reviewed)
        return f"{found}, by {' and '.join(self.reviewers)}" if self.reviewers else found

    @property
    def has_answer(self) -> bool:
        """Whether it gave an answer, as far as is on record: it neither declined nor broke off."""
        return self.reason not in ("declined", *TROUBLES)

    @property
    def has_problems(self) -> bool:
        """Whether it failed, was stopped or cut off, or a step of it failed."""
        return self.failed > 0 or self.reason in TROUBLES


class Summaries(AsTable, list[TraceSummary]):
    """A list of traces, newest first, shown as a table at the end of a cell."""

    nothing = "No runs on record yet."

    def _columns(self) -> tuple[list[str], list[list[str]]]:
        rows = [
            (str(number), one.question, one.engine if not one.runs else f"{one.engine}, {count(one.runs, 'run')}",
             one.model or "", one.started_at[:19], one.ended, one.by or "", one.review, one.name or "",
             ", ".join(one.tags),
             ", ".join(f"{name}={value}" for name, value in one.differs))
            for number, one in enumerate(self)
        ]  # fmt: skip
        told = [at for at in range(len(_HEADS)) if at < _ALWAYS or any(row[at] for row in rows)]
        return [_HEADS[at] for at in told], [[row[at] for at in told] for row in rows]


@dataclass(slots=True)
class RunProgress:
    """How far a run has come: its Question, its steps, the last of them, and what its row in the list says."""

    session: str
    question: str = ""
    steps: int = 0
    last: str = ""
    started_at: str | None = None
    answer: str = ""
    kept: int | None = None
    failed: int = 0
    pattern: str | None = None

    def begin(self, step: str) -> None:
        """Note the Question of the run, of which a run has one."""
        named = recognise(step)
        if not self.question and named is not None and named.key == self.session and named.kind in QUESTIONS:
            self.question = step

    def apply(self, event: Explain) -> None:
        """Count a step that is on record, and note what the list shows of it."""
        self.begin(event.iri)
        self.steps += 1
        named = recognise(event.iri)
        if named is None or named.kind != "end":  # nothing derives from the end of a run within this one
            self.last = event.iri
        if named is None:
            return
        if named.key == self.session and named.kind in QUESTIONS:
            self.started_at = _literal(event.triples, event.iri, PROV.startedAtTime)
        if named.key == self.session and named.kind == "pattern-decision":
            self.pattern = _literal(event.triples, event.iri, TG.pattern)
        if named.key == self.session and named.kind in FINALS and event.contents:
            self.answer = event.contents[0].data.decode("utf-8", errors="replace")
        if named.kind in STEPS:
            self.failed += any(q.predicate == RDF.type and q.object == TG.Error for q in event.triples)
        if named.kind in ("focus", "docrag-focus"):
            selected = (q for q in event.triples if q.predicate in _SELECTED and q.subject == NamedNode(event.iri))
            self.kept = (self.kept or 0) + sum(1 for _ in selected)


def _literal(triples: Iterable[Quad], node: str, predicate: NamedNode) -> str | None:
    objects = (q.object for q in triples if q.predicate == predicate and q.subject == NamedNode(node))
    return next((term.value for term in objects if isinstance(term, Literal)), None)


@dataclass(frozen=True, slots=True)
class Listing:
    """The traces of one collection, by the rows in which the stores have them."""

    rows: RunTable

    def add(self, described: Iterable[e.Entity]) -> None:
        """Insert a row for each top-level Question among some entities; one that has a row keeps it."""
        self.rows.add(
            ListedRun(
                one.iri, engine_of(one), one.reasoner or "", one.query, one.started_at or "",
                None if is_own(one) else "imported",
            )
            for one in described if isinstance(one, e.Question) and not one.derived_from
        )  # fmt: skip

    def describe(self, run: RunProgress, reason: str | None) -> None:
        """Update a run's row with how it ended and what became of it; `reason` None leaves that as it is."""
        self.rows.describe(
            [iri(kind, run.session) for kind in QUESTIONS],
            reason=reason, answer=run.answer, kept=run.kept, failed=run.failed, pattern=run.pattern,
        )  # fmt: skip

    def models(self) -> list[str]:
        """Return the models that reasoned in any of them."""
        return [model for one in self.rows.reasoners() if (model := model_of(one)) not in (None, NO_MODEL)]

    def find(
        self,
        *,
        text: str | None = None,
        engine: str | None = None,
        named: Sequence[str] = (),
        begin: datetime = NEVER,
        end: datetime = LAST,
        model: str | None = None,
        problems: bool | None = None,
        only: AbstractSet[str] | None = None,
        apart: AbstractSet[str] = frozenset(),
        oldest: bool = False,
        limit: int | None = None,
    ) -> list[TraceSummary]:
        """Return traces, newest or oldest first: those that hold `text` in question or answer, or are `named`, that ran
        on an engine, began between two times, were reasoned in by a model, with problems, or without.

        `only` those among some, none of those `apart`. Those that began at one moment are in the order of their IRIs.
        """
        reasoners = None if model is None else [one for one in self.rows.reasoners() if model_of(one) == model]
        rows = self.rows.find(
            text=text, named=named, engine=engine, reasoners=reasoners, problems=problems, troubles=TROUBLES
        )
        begun = {iri: moment(at) or NEVER for iri, at in rows.items()}
        found = [
            iri for iri, at in begun.items()
            if begin <= at <= end and iri not in apart and (only is None or iri in only)
        ]  # fmt: skip
        found.sort(key=begun.__getitem__, reverse=not oldest)
        told = {one.iri: one for one in self.among(found[:limit])}
        return [told[iri] for iri in found[:limit] if iri in told]  # one may just have been deleted

    def among(self, iris: Iterable[str]) -> Iterator[TraceSummary]:
        """Yield those of some nodes that are traces, by IRI."""
        for row in self.rows.among(iris):
            named = (row.iri, row.engine, row.question, row.started_at, row.reason)
            yield TraceSummary(*named, model_of(row.reasoner), row.kept, row.failed, row.pattern)


def called(short: str, runs: Iterable[str]) -> str | None:
    """Return that of some runs whose session begins or ends so, as "3f2a91c0", None if there is none; an IRI as it is.

    Raises RecordError where several are called so.
    """
    if ":" in short:
        return short
    sessions = {run: session_of(run) or run for run in runs if short}
    found = sorted(run for run, own in sessions.items() if own.startswith(short) or own.endswith(short))
    if found[1:]:
        raise RecordError(f"{count(len(found), 'run')} are called {short}; give more of it, as {found[0]}.")
    return found[0] if found else None


def questions(stores: Collection) -> list[str]:
    """Return the Questions of all runs in a collection that are part of no other, those deleted not."""
    asked = {quad.subject for quad in stores.graph.match(None, RDF.type, TG.Question, RETRIEVAL)}
    asked |= {quad.subject for quad in stores.graph.match(None, TG.query, None, RETRIEVAL)}  # of runs of before
    about: list[Pattern] = [(node, None, None, RETRIEVAL) for node in asked if isinstance(node, NamedNode)]
    described = [
        one for at in range(0, len(about), _TOGETHER)
        for quads in stores.graph.matches(about[at : at + _TOGETHER]) for one in rdf.entities(quads)
    ]  # fmt: skip
    top = [one for one in described if isinstance(one, e.Question) and not one.derived_from]
    return [one.iri for one in sorted(top, key=lambda one: (one.started_at or "", one.iri))]
