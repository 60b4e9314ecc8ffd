"""Facts of a collection: about an entity, of a document, or those that hold some words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from pyoxigraph import NamedNode, Triple

from explorer.display import Table
from explorer.entities import Candidate, EdgeSelection
from explorer.errors import RecordError
from explorer.events import Passage
from explorer.ingest.provenance import CURATOR
from explorer.rdf.labels import edge_labels
from explorer.record.entity_merging import entities_named, of_several
from explorer.stores.collection import Collection
from explorer.stores.document_names import find_document
from explorer.text import count, one_line, truncate
from explorer.vocab import RETRIEVAL, SOURCE, TG, X, entity_iri, recognise

BEYOND = "There are more than these {:,}."
_BATCH = 500
_WORDED, _NAMED = 2_000, 5  # facts that are looked through for words, and that are named in a message
_HEADS = ("Subject", "Predicate", "Object", "Source", "Where", "By")


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact of the collection, with its names and where it was taken from."""

    triple: Triple
    _stores: Collection = field(repr=False, compare=False)

    @property
    def words(self) -> tuple[str, str, str]:
        """The names of subject, predicate and object."""
        return edge_labels(self.triple, self._stores.sources.labels([self.triple]))

    @property
    def passages(self) -> tuple[Passage, ...]:
        """All passages that it was taken from, in order of document and offset; empty: no recorded source."""
        return self._stores.sources.passages(self.triple)

    @property
    def iri(self) -> str | None:
        """The node on record that holds it with its first source, for `ws.node`; None where there is none."""
        return next((one.subgraph for one in self.passages), None) or next(
            iter(self._stores.sources.records(self.triple)), None
        )

    @property
    def curated(self) -> str:
        """What was done with it last by hand, such as "added by hand on 2026-01-15 by Ada", and which of its names were
        merged; empty where nothing was.
        """
        return self._stores.sources.curated(self.triple)

    @property
    def cells(self) -> tuple[str, ...]:
        """What stands of it in a table: names, its first source, where that is and how many others it has, by whom."""
        found = self.passages
        if not found:
            decided = self._stores.sources.decided(self.triple)
            return *self.words, decided or "no recorded source", "", CURATOR if decided else ""
        more = count(len(found) - 1, "more place") if found[1:] else ""
        where = ", and ".join(filter(None, (found[0].locator, more)))
        return *self.words, found[0].title, where, ", ".join(dict.fromkeys(one.extracted_by for one in found))

    def __repr__(self) -> str:
        return "<Fact {} — {} → {}>".format(*map(one_line, self.words))


FactLike = str | Triple | Fact | EdgeSelection | Candidate
"""What can stand for a fact: its words, the IRI of a selection or of its source, or a value."""


def fact_table(stores: Collection, triples: Iterable[Triple], *, more: str = "") -> Table[Fact]:
    """Return facts as a table; `more` says below it that there are others."""
    made = (Fact(triple, stores) for triple in triples)
    return Table(made, _HEADS, lambda fact: fact.cells, "No facts.", more)


def find_facts(
    stores: Collection, text: str | None = None, entity: str | None = None, document: str | None = None,
    limit: int | None = 50,
) -> Table[Fact]:  # fmt: skip
    """Return the facts that hold some words (best first), are about an entity (IRI or name), are of a document.

    Words are looked for in the fact and in the sentence it comes from. Without words they come as they were stored. An
    entity may be given by another name of it. Raises RecordError for an unknown document, and where several entities
    have the name.
    """
    chunks = None if document is None else stores.library.chunks_of(find_document(stores.database, document).iri)
    found = list(islice(_found(stores, text, entity, chunks), None if limit is None else limit + 1))
    more = BEYOND.format(limit) if limit is not None and found[limit:] else ""
    return fact_table(stores, found[:limit], more=more)


def find_fact(stores: Collection, given: FactLike) -> Fact:
    """Return the fact that is meant: given itself, or by the IRI of a selection or a source, or by its words.

    Words mean the fact that is called just that, or else the only one that has them all in its names. Raises
    RecordError for none, and for several, naming them.
    """
    match given:
        case Triple():
            return Fact(given, stores)
        case Fact():
            return given
        case EdgeSelection() | Candidate() if given.edge is not None:
            return Fact(given.edge, stores)
        case str():
            return Fact(_named_fact(stores, given), stores)
    raise RecordError(f"{one_line(repr(given))} is not a fact; take one of ws.facts(…) or of a run's `edges`.")


def _named_fact(stores: Collection, named: str) -> Triple:
    if recognise(named):
        node = NamedNode(named)
        quads = [quad for graph in (RETRIEVAL, SOURCE) for quad in stores.graph.match(node, None, None, graph)]
        held = {quad.object for quad in quads if quad.predicate in (TG.edge, X.edge, TG.contains, TG.reifies)}
        found = sorted((term for term in held if isinstance(term, Triple)), key=str)
    else:
        wanted = _tokens(named)
        hits = stores.vectors.keywords(wanted, _WORDED) if wanted else []
        facts = _recorded(stores, iter([hit.key for hit in hits]))
        words = {fact: _told(stores, fact) for fact in facts}
        fits: tuple[Callable[[list[str]], bool], ...] = (
            lambda told: told == wanted, lambda told: {*told} == {*wanted}, lambda told: {*wanted} <= {*told},
        )  # fmt: skip
        found = next(filter(None, ([fact for fact, told in words.items() if any(map(fit, told))] for fit in fits)), [])
    if len(found) == 1:
        return found[0]
    called = truncate(one_line(named), 60)
    if not found:
        raise RecordError(f"No fact is called “{called}” here; ws.facts(…) or `explorer facts` lists them.")
    told = "; ".join(truncate(" — ".join(Fact(fact, stores).words), 80) for fact in found[:_NAMED])
    more = f" and {len(found) - _NAMED:,} more" if found[_NAMED:] else ""
    raise RecordError(f"“{called}” fits {len(found):,} facts: {one_line(told)}{more}; give all the words of one.")


def _told(stores: Collection, fact: Triple) -> list[list[str]]:
    """Return the words of a fact as it is read, and by the names that it and those read as it are stored with."""
    stored = stores.sources.merged.variants(fact)
    names = [edge_labels(one, stores.sources.own_labels([one])) for one in stored] if stored[1:] else []
    return [_tokens(" ".join(words)) for words in (Fact(fact, stores).words, *names)]


def _tokens(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def facts_of_chunks(stores: Collection, chunks: Iterable[str]) -> Iterator[Triple]:
    """Yield the facts that were taken from chunks, once each, as they were stored."""
    return _recorded(stores, stores.vectors.edge_keys(_rows_of_chunks(stores, chunks)))


def _found(stores: Collection, text: str | None, entity: str | None, chunks: list[str] | None) -> Iterator[Triple]:
    about = None if entity is None else list(stores.sources.about(_entity(stores, entity)))
    if about is not None and not text and chunks is None:
        return iter(about)
    rows = None if about is None else stores.vectors.edge_numbers(map(str, about))
    if chunks is not None:
        of = _rows_of_chunks(stores, chunks)
        rows = of if rows is None else sorted({*rows} & {*of})
    if text:
        words, vectors = text.split(), stores.vectors
        rows = ([hit.number for hit in vectors.keywords(words, _WORDED)] if rows is None
                else vectors.edges_worded(words, rows))  # fmt: skip
    return _recorded(stores, stores.vectors.edge_keys(rows))


def _entity(stores: Collection, named: str) -> str:
    name = " ".join(named.split())
    found = entities_named(stores, name)
    if found[1:]:
        raise of_several(stores, name, found)
    if found:
        return found[0]
    try:  # one without a row of its own, by its IRI or by its name
        return NamedNode(name).value
    except ValueError:
        return entity_iri(name)


def _rows_of_chunks(stores: Collection, chunks: Iterable[str]) -> list[int]:
    return stores.links.facts_in(stores.library.chunk_numbers(chunks).values())


def _recorded(stores: Collection, keys: Iterator[str]) -> Iterator[Triple]:
    """Yield facts by their keys, once each, those that the graph has; of those that are read as the same the first."""
    seen, read = set[str](), set[Triple]()
    while batch := list(islice(keys, _BATCH)):
        new = [key for key in dict.fromkeys(batch) if key not in seen]
        seen.update(new)
        yield from stores.sources.merged.different(stores.recorded(new), read).values()
