"""All that is on record of one run, as it is stored: nodes, triples, texts, and what they were taken from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from pyoxigraph import NamedNode, Quad, Triple

from explorer import entities as e
from explorer import rdf
from explorer.errors import RecordError
from explorer.record.node_lookup import kind, named
from explorer.record.replay import Replay
from explorer.record.sealing import Sealable, sealable
from explorer.record.sender_seals import sender_seals
from explorer.stores.collection import Collection
from explorer.stores.ledger import FORGOTTEN, IMPORTED, INTERRUPTED, RUN, Entry, entries, removals, unsealed
from explorer.vocab import FACTS, RETRIEVAL, SOURCE, X, iri, recognise, session_of

E = TypeVar("E", bound=e.Entity)

_SOURCES = 5_000  # whose descriptions are kept at once


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that does not hold: at which node, what, and since when it may be so (ISO 8601), None: not known.

    `is_removal`: a content or source that was removed on purpose, which is on record and no failure. `is_note`: what
    looks odd and was recorded so, as that a clock was set back; no failure either.
    """

    node: str
    what: str
    since: str | None = None
    is_removal: bool = False
    is_note: bool = False

    @property
    def is_fault(self) -> bool:
        """Whether it does not hold, and is not only told."""
        return not (self.is_removal or self.is_note)

    def __str__(self) -> str:
        since = f" (since {self.since} or later)" if self.since and self.is_fault else ""
        return f"{self.node}  {self.what}{since}"


@dataclass
class Known:
    """What is found once for all runs that are checked together.

    Of sources that several may lead to: `fits` is whether one has a hash, by what was compared, `sources` how they are
    described, `facts` what was found in one; of the last so many. `removals` are the entries of the ledger about
    documents that were removed, None until they are asked for.
    """

    fits: dict[str, bool] = field(default_factory=dict)
    sources: dict[str, e.Entity | None] = field(default_factory=dict)
    facts: dict[str, frozenset[Triple]] = field(default_factory=dict)
    removals: list[Entry] | None = None

    def forget(self) -> None:
        """Forget the sources where they are many."""
        if len(self.sources) > _SOURCES:
            self.sources.clear()
            self.facts.clear()


@dataclass
class Evidence:
    """One run as it stands in a collection; `with_contents`: whether the texts belong to what is checked.

    `known` is shared with the runs that are checked together with it.
    """

    stores: Collection
    run: str
    with_contents: bool = True
    known: Known = field(default_factory=Known, repr=False)
    quads: tuple[Quad, ...] = ()
    nodes: Mapping[str, e.Entity] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.known.forget()
        if not self.quads:
            self.quads = tuple(self._of_run())
            self.nodes = {entity.iri: entity for entity in rdf.entities(self.quads)}

    def _of_run(self) -> Iterator[Quad]:
        graph, whole = self.stores.graph, NamedNode(self.run)
        replayed = map(NamedNode, Replay(self.stores, self.run).nodes())
        for node in named((whole, *replayed, *(quad.subject for quad in graph.match(None, X.run, whole)))):
            is_shared = not is_of_runs(node.value)  # as a document is that a bad record takes for a text of its own
            yield from (q for q in graph.match(node) if not is_shared or q.graph_name not in (FACTS, SOURCE))

    @cached_property
    def shape_results(self) -> list[rdf.ValidationResult]:
        """What the shapes do not allow; `check_shapes` finds it for several runs at once."""
        return rdf.validate(self.recorded)

    @property
    def recorded(self) -> list[Quad]:
        """Its quads that stand where those of runs do."""
        return [quad for quad in self.quads if quad.graph_name == RETRIEVAL]

    def of(self, cls: type[E]) -> list[E]:
        """Return the nodes of a class, in the order they stand on record."""
        return [one for one in self.nodes.values() if isinstance(one, cls)]

    @cached_property
    def question(self) -> e.Question | None:
        """The Question of the whole run."""
        found = self.nodes.get(self.run)
        return found if isinstance(found, e.Question) else None

    @cached_property
    def end(self) -> e.End | None:
        """How it ended; None where that is not on record."""
        found = self.nodes.get(iri("end", session_of(self.run))) if session_of(self.run) else None
        return found if isinstance(found, e.End) else None

    @cached_property
    def sealable(self) -> Sealable:
        """What is sealed of the run, as it is on record now."""
        return sealable(self.stores, self.run)

    @cached_property
    def record_hash(self) -> str:
        """The SHA-256 of the run's triples, as they are on record now."""
        return self.sealable.record_hash

    @cached_property
    def seal(self) -> Entry | None:
        """The last entry of the ledger that seals it; None where there is none."""
        return next((one for one in reversed(entries(self.stores.database, self.run)) if one.is_seal), None)

    @property
    def removals(self) -> list[Entry]:
        """The entries of the ledger about documents that were removed, whether it rests on them or not."""
        if self.known.removals is None:
            self.known.removals = removals(self.stores.database)
        return self.known.removals

    @cached_property
    def stands(self) -> bool:
        """Whether it is as it was sealed when it ended: here, or by a sender of the bundle that it came in."""
        now = self.record_hash
        own = [one for one in entries(self.stores.database, self.run) if one.is_seal]
        is_own = bool(own) and own[0].kind in (RUN, INTERRUPTED) and own[-1].record == now
        return is_own or any(one.fits for one in sender_seals(self.stores, self.run, now))

    def is_read_otherwise(self, subgraph: str) -> bool:
        """Whether the run came from elsewhere as its sender sealed it, and its passage had been read here before.

        What is here stays, as anybody can send a record: what its own rules found in the passage is not taken in.
        """
        came = self.seal is not None and self.seal.kind == IMPORTED
        return came and self.stands and subgraph in self.stores.library.spans([subgraph])

    @property
    def is_own(self) -> bool:
        """Whether this package recorded it, and not another whose record was imported."""
        return self.question is not None and self.question.engine is not None

    @property
    def has_links(self) -> bool:
        """Whether it was recorded with links through the whole record, as runs of before are not."""
        return (self.is_own and any(quad.predicate == X.run for quad in self.quads)) or bool(self.of(e.RunActivity))

    @cached_property
    def since(self) -> str | None:
        """Until when it is known to have been as it was recorded: when the run ended, or else began."""
        ended = self.end.ended_at if self.end else None
        return ended or (self.question.started_at if self.question else None)

    def data(self, content: str) -> bytes | None:
        """Return the bytes of a content; None where the library has none."""
        try:
            return self.stores.library.get(content).data
        except RecordError:
            return None

    def text(self, content: str) -> str | None:
        """Return a text of a document, a chunk or a run; None where the library has none."""
        try:
            return self.stores.library.text(content)
        except RecordError:
            return None

    def removed(self, content: str) -> str | None:
        """Return when a content of the run was removed; None where it was not."""
        found = self.nodes.get(content)
        return found.invalidated_at if isinstance(found, e.StoredContent | e.Reflection) else None

    def went(self, source: str) -> bool:
        """Return whether a node of a document that is not on record went with one: a source of the run was removed."""
        if kind(source) not in ("subgraph", "chunk", "page", "section"):
            return False
        return bool(self._gone & self.seal.sources.keys() if self.seal else self._gone)

    @cached_property
    def _gone(self) -> frozenset[str]:
        """The documents that were removed, also those whose entry is not there yet."""
        waiting = (one.about for one in unsealed(self.stores.database) if one.kind == FORGOTTEN)
        return frozenset((*(one.about for one in self.removals), *waiting))

    def source(self, node: str) -> e.Entity | None:
        """Return a node that facts or passages were taken from, as the source graph or the facts describe it."""
        if node not in self.known.sources:
            self.known.sources[node] = self._source(node)
        return self.known.sources[node]

    def facts_of(self, subgraph: e.Subgraph) -> frozenset[Triple]:
        """Return the facts that were taken from the words of a subgraph."""
        if subgraph.iri not in self.known.facts:
            self.known.facts[subgraph.iri] = frozenset((*subgraph.contains, *subgraph.joined))
        return self.known.facts[subgraph.iri]

    def _source(self, node: str) -> e.Entity | None:
        try:
            quads = list(self.stores.graph.match(NamedNode(node)))
        except ValueError:
            return None
        return rdf.entity((quad for graph in (SOURCE, FACTS) for quad in quads if quad.graph_name == graph), e.Entity)

    def fault(self, node: str, what: str) -> Finding:
        """Return that something does not hold."""
        return Finding(node, what, self.since)


def is_of_runs(node: str) -> bool:
    """Return whether a node is of a run alone: one with its session, or a person who asked."""
    known = recognise(node)
    return bool(session_of(node)) or (known is not None and known.kind == "agent" and known.key.startswith("person:"))


def check_shapes(records: Sequence[Evidence]) -> None:
    """Check some runs by the shapes, which are read once for all of them."""
    for record, results in zip(records, rdf.validate_each([record.recorded for record in records]), strict=True):
        record.shape_results = results
