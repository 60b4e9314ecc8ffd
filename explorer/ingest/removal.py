"""A document that leaves: it was removed, or a newer version has come. What only it supported goes with it.

Of a newer version's predecessor only its facts go. Of a document that was removed a tombstone stays, and of its facts
and passages that runs on record have used, or that people corrected, that they came from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

from pyoxigraph import NamedNode, Quad, Triple

from explorer import entities as e
from explorer import rdf
from explorer.stores.curation_journal import Act, end, performing, waiting
from explorer.stores.database import Transaction
from explorer.stores.default_graph import is_fact, quad_of
from explorer.stores.document_rows import Leaving, stand_again, take_out
from explorer.stores.fact_sources import Sources
from explorer.stores.graph import GraphStore, Pattern
from explorer.stores.ledger import FORGOTTEN, Unsealed
from explorer.stores.library import Library
from explorer.stores.reading_ahead import Lookups
from explorer.stores.stored_corrections import acts_on, of_fact
from explorer.vocab import FACTS, PROV, RDFS, RETRIEVAL, SOURCE, TG, Graph, X

_USED = (TG.edge, X.edge)  # what a run has kept, or considered
_QUADS = (3, 300, None)  # that are read of a term, until one speaks of it or all are read


@dataclass(frozen=True, slots=True)
class Holdings:
    """What the graph says of a document: its pages, sections and chunks, the subgraphs with their facts, activities.

    `homes` are the chunks of the subgraphs, `texts` the prompts and replies of a model that went through it.
    """

    parts: tuple[NamedNode, ...]
    chunks: tuple[str, ...]
    subgraphs: dict[NamedNode, tuple[Triple, ...]]
    homes: dict[NamedNode, str]
    activities: tuple[NamedNode, ...]
    texts: tuple[NamedNode, ...]

    @property
    def facts(self) -> dict[Triple, list[NamedNode]]:
        """Its facts, each with the subgraphs that it is in."""
        found: dict[Triple, list[NamedNode]] = {}
        for node, facts in self.subgraphs.items():
            for fact in facts:
                found.setdefault(fact, []).append(node)
        return found


def holdings(graph: GraphStore, document: str) -> Holdings:
    """Return what the graph says of a document."""
    parts: dict[NamedNode, None] = {}
    subgraphs: dict[NamedNode, tuple[Triple, ...]] = {}
    homes: dict[NamedNode, str] = {}
    chunks = []
    read = _below(graph, NamedNode(document))
    wave = [NamedNode(document)]
    while wave:
        above = wave.pop()
        for node in _subjects(read.match(None, PROV.wasDerivedFrom, above, SOURCE)):
            if node in parts or node in subgraphs:
                continue
            quads = list(read.match(node, None, None, SOURCE))
            kinds = {quad.object for quad in quads}
            if TG.Subgraph in kinds:
                held = (q.object for q in quads if q.predicate in (TG.contains, TG.reifies))
                homes[node] = above.value
                subgraphs[node] = tuple(term for term in held if isinstance(term, Triple))
                continue
            parts[node] = None
            wave.append(node)
            if TG.Chunk in kinds:
                chunks.append(node.value)
    activities = _subjects(graph.match(None, PROV.used, NamedNode(document), SOURCE))
    texts = [quad.object for activity in activities for term in (X.prompt, X.reply)
             for quad in graph.match(activity, term, None, SOURCE) if isinstance(quad.object, NamedNode)]  # fmt: skip
    return Holdings(tuple(parts), tuple(chunks), subgraphs, homes, tuple(activities), tuple(texts))


def _below(graph: GraphStore, document: NamedNode) -> Lookups:
    """Read what is on record of a document's parts and of what was taken from them, level by level."""
    read, wave, seen = Lookups(graph), [document], {document}
    while wave:
        read.ahead((None, PROV.wasDerivedFrom, node, SOURCE) for node in wave)
        links = (read.match(None, PROV.wasDerivedFrom, node, SOURCE) for node in wave)
        below = dict.fromkeys(node for found in links for node in _subjects(found) if node not in seen)
        read.ahead((node, None, None, SOURCE) for node in below)
        seen.update(below)
        wave = [n for n in below if all(quad.object != TG.Subgraph for quad in read.match(n, None, None, SOURCE))]
    return read


def only_there(graph: GraphStore, library: Library, held: Holdings, leaving: Iterable[str]) -> list[Triple]:
    """Return the facts of a document that no other one which is there, and does not leave, supports as well."""
    sources, gone, read = Sources(graph, library), {*leaving}, Lookups(graph)
    read.ahead((None, link, fact, SOURCE) for fact in held.facts for link in (TG.contains, TG.reifies))

    def has_other(fact: Triple, own: list[NamedNode]) -> bool:
        for link in (TG.contains, TG.reifies):
            for node in _subjects(read.match(None, link, fact, SOURCE)):
                if node in own or node in held.subgraphs:
                    continue
                found = sources.passage(node.value)
                if not found or (found[0].until is None and found[0].document not in gone):
                    return True
        return False

    return [fact for fact, own in held.facts.items() if is_fact(quad_of(fact)) and not has_other(fact, own)]


@dataclass(frozen=True, slots=True)
class Departure:
    """A document that leaves, before it does: what it holds, and which facts that are there only it supports."""

    one: Leaving
    held: Holdings
    lost: tuple[Triple, ...]

    def take_out(self, connection: Transaction) -> None:
        """Have its rows go, within the caller's transaction."""
        texts = [node.value for node in self.held.texts]
        take_out(connection, self.one, self.held.chunks, map(str, self.held.facts), texts)


def departures(graph: GraphStore, library: Library, documents: Sequence[Leaving]) -> list[Departure]:
    """Return documents that leave together."""
    found = [(one, holdings(graph, one.iri)) for one in documents]
    lost = {one.iri: only_there(graph, library, held, (other.iri for other in documents)) for one, held in found}
    there = graph.stored(map(quad_of, dict.fromkeys(chain.from_iterable(lost.values()))))
    return [
        Departure(one, held, tuple(fact for fact in lost[one.iri] if quad_of(fact) in there)) for one, held in found
    ]


def acts_of(graph: GraphStore, library: Library, gone: Sequence[Departure]) -> list[Act]:
    """Return what documents that leave together change in the graph, for each."""
    sources, lost = Sources(graph, library), {fact for one in gone for fact in one.lost}
    return [_removal(sources, each, lost) if each.one.is_removed else _revision(graph, each) for each in gone]


def replace_older(graph: GraphStore, library: Library) -> list[Triple]:
    """Have all documents leave that wait for newer versions, which are there; returns the facts that went with them."""
    database = library.database
    if not waiting(database, "replaced"):
        return []
    with database.correcting:
        told = [Leaving(document, *newer) for document, newer in waiting(database, "replaced").items()]
        gone = departures(graph, library, told)
        with performing(graph, database, "facts", acts_of(graph, library, gone)) as connection:
            for one in gone:
                one.take_out(connection)
            end(connection, "replaced", (one.iri for one in told))
    return list(dict.fromkeys(fact for one in gone for fact in one.lost))


def stay(connection: Transaction, newer: str) -> None:
    """Have documents stay that were to make room for one that was not stored, within the caller's transaction."""
    end(connection, "replaced", [older for older, told in waiting(connection, "replaced").items() if told[0] == newer])
    stand_again(connection, newer)


def _revision(graph: GraphStore, gone: Departure) -> Act:
    """Have the newer version be a revision of a document, unless that one was a revision of it before."""
    now, before = NamedNode(gone.one.newer), NamedNode(gone.one.iri)
    is_back = any(graph.match(before, PROV.wasRevisionOf, now, FACTS))
    come = [] if is_back else [Quad(now, PROV.wasRevisionOf, before, FACTS)]
    return Act(gone=[*map(quad_of, gone.lost)], come=come)


def _removal(sources: Sources, gone: Departure, lost: set[Triple]) -> Act:
    """Leave of a document what stays on record: a tombstone, and where what runs have used came from."""
    one, held, read = gone.one, gone.held, Lookups(sources.graph)
    read.ahead((None, link, fact, RETRIEVAL) for fact in held.facts for link in _USED)
    read.ahead(map(acts_on, held.facts))
    kept = {fact for fact in held.facts if is_used(read, fact) or of_fact(read, fact)}
    quads = [*map(quad_of, gone.lost)]
    quads += unspoken_labels(sources.graph, [fact for fact in gone.lost if fact not in kept], lost)
    nodes: list[tuple[NamedNode, Graph]] = [(NamedNode(one.iri), graph_name) for graph_name in (FACTS, SOURCE)]
    nodes += [(node, SOURCE) for node in (*held.parts, *held.subgraphs, *held.activities, *held.texts)]
    sha256 = sources.library.hash(one.iri) or ""
    come = [*_left(sources, one, held, kept, sha256)]
    return Act(nodes, quads, come, [Unsealed(one.iri, FORGOTTEN, one.moment, sha256)])


def _left(sources: Sources, one: Leaving, held: Holdings, kept: set[Triple], sha256: str) -> Iterator[Quad]:
    graph = sources.graph
    known = described(graph, one.iri)
    yield from rdf.triples(
        e.Document(
            iri=one.iri, title=known.title, label=known.label, date=known.date, revision_of=known.revision_of,
            invalidated_at=one.moment, sha256=sha256 or known.sha256,
        )
    )  # fmt: skip
    found = {node: tuple(fact for fact in facts if fact in kept) for node, facts in held.subgraphs.items()}
    used = {node: facts for node, facts in found.items() if facts}
    homes = {held.homes[node] for node in used}
    for chunk in held.chunks:
        if chunk in homes or any(graph.match(None, None, NamedNode(chunk), RETRIEVAL)):
            yield from rdf.triples(_placed(sources, chunk, one.iri))
    for node, facts in used.items():
        told = rdf.entities(graph.match(node, None, None, SOURCE))
        was = next((entity for entity in told if isinstance(entity, e.Subgraph)), e.Subgraph(iri=node.value))
        yield from rdf.triples(
            e.Subgraph(
                iri=node.value, contains=facts, derived_from=(held.homes[node],),
                source_offset=was.source_offset, source_length=was.source_length,
            )
        )  # fmt: skip


def _placed(sources: Sources, chunk: str, document: str) -> e.Chunk:
    """Return what stays of a chunk: its number, and where it stood in the document."""
    cut = rdf.entities(sources.graph.match(NamedNode(chunk), None, None, SOURCE))
    was = next((entity for entity in cut if isinstance(entity, e.Chunk)), None)
    place = sources.recorded(chunk)
    if was is None or was.char_offset is None or place is None:
        return e.Chunk(iri=chunk, derived_from=(document,), index=was.index if was else None)
    return e.Chunk(
        iri=chunk, derived_from=(document,), index=was.index,
        char_offset=place.place.start, char_length=was.char_length,
    )  # fmt: skip


def described(graph: GraphStore, document: str) -> e.Document:
    """Return what the graph says of a document itself."""
    described = rdf.entities(graph.match(NamedNode(document), None, None, FACTS))
    return next((entity for entity in described if isinstance(entity, e.Document)), e.Document(iri=document))


def unspoken_labels(graph: GraphStore, lost: Iterable[Triple], facts: set[Triple]) -> Iterator[Quad]:
    """Yield the labels of what nothing speaks of once some facts are lost.

    All terms are asked about together: of each a few quads, and more of those alone of which these speak only in facts
    that are lost.
    """
    terms = dict.fromkeys(term for fact in lost for term in (fact.subject, fact.predicate, fact.object))
    open_ = [term for term in terms if isinstance(term, NamedNode)]
    labels = dict[NamedNode, list[Quad]]()
    for limit in _QUADS:
        patterns: list[Pattern] = [
            pattern for node in open_ for pattern in ((node, None, None, FACTS), (None, None, node, FACTS),
                                                      (None, node, None, FACTS))
        ]  # fmt: skip
        read = graph.matches(patterns, limit) if patterns else []
        told = {node: read[3 * place : 3 * place + 3] for place, node in enumerate(open_)}
        quiet = [
            node for node, found in told.items()
            if all(_is_label(node, quad) or (is_fact(quad) and quad.triple in facts) for quad in chain(*found))
        ]  # fmt: skip
        open_ = [node for node in quiet if limit is not None and max(map(len, told[node])) == limit]
        labels |= {node: [*filter(partial(_is_label, node), chain(*told[node]))] for node in quiet if node not in open_}
    for node in terms:
        if isinstance(node, NamedNode):
            yield from dict.fromkeys(labels.get(node, ()))


def _is_label(node: NamedNode, quad: Quad) -> bool:
    return quad.subject == node and quad.predicate == RDFS.label


def is_used(graph: GraphStore | Lookups, fact: Triple) -> bool:
    """Return whether a run on record has kept or considered a fact."""
    return any(next(iter(graph.match(None, link, fact, RETRIEVAL)), None) for link in _USED)


def _subjects(quads: Iterable[Quad]) -> list[NamedNode]:
    return [quad.subject for quad in quads if isinstance(quad.subject, NamedNode)]
