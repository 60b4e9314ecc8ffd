"""Gaps over many runs: what was asked and not found, names without facts, documents that no answer cites."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pyoxigraph import Literal, NamedNode, Triple

from explorer import display
from explorer.language.sentences import is_prose
from explorer.record.listing import Listing, TraceSummary
from explorer.stores.collection import Collection
from explorer.stores.default_graph import facts
from explorer.stores.document_names import documents
from explorer.text import count, folded, one_line
from explorer.vocab import FACTS, RETRIEVAL, TG, X, entity_iri, iri, local_name, recognise
from explorer.wording.outcomes import at_level

_SHOWN = 20  # of each kind, in a table
_NAMES = frozenset({"person", "group", "place", "organisation", "work", "event", "product", "law", "name"})
_LETTERS = re.compile(r"[^\W\d_]{3}")  # what has fewer letters in a row is a unit or a list mark
_LONGEST_NAME = 6  # words
_ANSWERS = {"question": "synthesis", "docrag-question": "docrag-synthesis"}


@dataclass(frozen=True, slots=True)
class UnansweredQuestion:
    """A question that no run answered: how often it was asked, the level of its best answer, and the last run's IRI.

    `level` is "none" where all were declined, "weak" where one is related only: it names what comes nearest.
    """

    question: str
    times: int
    level: str
    run: str


@dataclass(frozen=True, slots=True)
class NameWithoutFacts:
    """A name that stands in documents and in no fact: of which kind, in how many sentences, and one of the chunks."""

    name: str
    kind: str
    sentences: int
    chunk: str


@dataclass(frozen=True, slots=True)
class UncitedDocument:
    """A document that no answer cites."""

    iri: str
    title: str
    source: str


@dataclass(frozen=True, slots=True)
class Gaps:
    """What is missing, over `runs` runs: questions, names, documents; at the end of a cell three tables.

    Without runs no document is called uncited.
    """

    runs: int
    questions: tuple[UnansweredQuestion, ...]
    names: tuple[NameWithoutFacts, ...]
    documents: tuple[UncitedDocument, ...]

    def lines(self) -> Iterator[str]:
        """Yield the tables as lines of text; of long ones the first rows."""
        for title, heads, rows in self._tables():
            yield title
            yield from display.grid(heads, rows[:_SHOWN]) if rows else ()
            if len(rows) > _SHOWN:
                yield f"… and {len(rows) - _SHOWN:,} more"
            yield ""

    def __repr__(self) -> str:
        return "\n".join(self.lines()).rstrip()

    def _repr_html_(self) -> str:
        parts = []
        for title, heads, rows in self._tables():
            parts += [display.paragraph(title), display.table(heads, rows[:_SHOWN]) if rows else ""]
        return "".join(parts)

    def _tables(self) -> Iterator[tuple[str, Sequence[str], list[Sequence[str]]]]:
        questions: list[Sequence[str]] = [
            (one.question, f"{one.times:,}", at_level(one.level), one.run) for one in self.questions
        ]
        asked = f"Asked and not found, in {count(self.runs, 'run')}: {len(questions):,}"
        yield asked, ("Question", "Times", "Best answer", "Last run"), questions
        names: list[Sequence[str]] = [(one.name, one.kind, f"{one.sentences:,}") for one in self.names]
        yield f"Names without facts: {len(names):,}", ("Name", "Kind", "Sentences"), names
        documents: list[Sequence[str]] = [(one.title, one.source) for one in self.documents]
        yield f"Documents that no answer cites: {len(documents):,}", ("Title", "Source"), documents


def gaps(stores: Collection) -> Gaps:
    """Return what is missing over all runs on record, those of evaluations too."""
    runs = finished(stores)
    return Gaps(len(runs), tuple(unanswered(stores)), tuple(without_facts(stores)), tuple(uncited(stores)))


def finished(stores: Collection) -> list[TraceSummary]:
    """Return the runs on record that came to an answer or were declined, oldest first."""
    found = (one for one in Listing(stores.runs).find() if one.reason in ("done", "declined"))
    return sorted(found, key=lambda run: run.begun)


def unanswered(stores: Collection) -> Iterator[UnansweredQuestion]:
    """Yield the questions that no run has answered, not even possibly, those asked most often first."""
    asked: dict[str, list[TraceSummary]] = defaultdict(list)
    for one in finished(stores):
        asked[folded(one.question)].append(one)
    levels, found = _levels(stores), list[UnansweredQuestion]()
    for same in asked.values():
        told = {levels.get(_answer(one) or "", "none" if one.reason == "declined" else "strong") for one in same}
        if told <= {"none", "weak"}:
            level = "weak" if "weak" in told else "none"
            found.append(UnansweredQuestion(same[-1].question, len(same), level, same[-1].iri))
    yield from sorted(found, key=lambda one: (-one.times, one.question))


def _levels(stores: Collection) -> dict[str, str]:
    found = dict[str, str]()
    for quad in stores.graph.match(None, X.support, None, RETRIEVAL):
        support = json.loads(quad.object.value) if isinstance(quad.object, Literal) else None
        if isinstance(support, dict) and isinstance(support.get("level"), str) and isinstance(quad.subject, NamedNode):
            found[quad.subject.value] = support["level"]
    return found


def _answer(run: TraceSummary) -> str | None:
    named = recognise(run.iri)
    final = _ANSWERS.get(named.kind) if named else None
    return iri(final, named.key) if named and final else None


def without_facts(stores: Collection) -> Iterator[NameWithoutFacts]:
    """Yield the names in stored sentences that are the end of no fact, those in most sentences first."""
    ends = {term.value for fact in facts(stores.graph.match(graph=FACTS))
            for term in (fact.subject, fact.object) if isinstance(term, NamedNode)}  # fmt: skip
    known = {" ".join(run) for end in ends for run in _runs(local_name(end).lower().split())}
    times: Counter[str] = Counter()
    first: dict[str, tuple[str, str, str]] = {}
    chunks = [chunk for chunk, *_ in stores.library.chunks()]
    for chunk, sentences in stores.sentences.of(chunks).items():
        for sentence in (one for one in sentences if is_prose(one.text)):  # heads of pages are no sentences
            named = {" ".join(one.text.split()): one.kind for one in sentence.entities if one.kind in _NAMES}
            for name, kind in named.items():
                key = " ".join(local_name(entity_iri(name)).lower().split())
                if key not in known and _LETTERS.search(name) and not name.isupper():
                    times[key] += 1
                    first.setdefault(key, (name, kind, chunk))
    for key, number in sorted(times.items(), key=lambda pair: (-pair[1], pair[0])):
        name, kind, chunk = first[key]
        yield NameWithoutFacts(name, kind, number, chunk)


def _runs(words: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield all runs of a few words: "Kranz" has facts where "Gene Kranz" has."""
    for begin in range(len(words)):
        for end in range(begin + 1, min(begin + _LONGEST_NAME, len(words)) + 1):
            yield words[begin:end]


_RESTED_ON = f"""
SELECT DISTINCT ?rested {{
  GRAPH {RETRIEVAL} {{
    ?citation {X.cites} ?selection
    OPTIONAL {{
      {{ SELECT ?selection ?found {{ {{ ?selection {TG.edge} ?found }} UNION {{ ?selection {TG.document} ?found }} }} }}
    }}
  }}
  BIND(COALESCE(?found, ?selection) AS ?rested)
}}
"""
"""The facts and chunks that answers rest on, each once: over many runs they are few."""


def uncited(stores: Collection) -> Iterator[UncitedDocument]:
    """Yield the documents that hold no source of what an answer cites, in the order they came; none without runs."""
    if not finished(stores):
        return
    used = set()
    for (one,) in stores.graph.solutions(_RESTED_ON):
        passages = (
            stores.sources.passages(one)
            if isinstance(one, Triple)
            else (stores.sources.chunk(one.value) if isinstance(one, NamedNode) else ())
        )
        used |= {passage.document for passage in passages}
    for document in documents(stores.database):
        if document.iri not in used:
            yield UncitedDocument(document.iri, one_line(document.title), document.source)
