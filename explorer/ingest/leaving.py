"""A document that leaves: it was removed, or a newer version has come. What only it supported goes with it.

The library is the journal. What is to leave is written there; then its rows go, so that nothing finds it any more;
then in one transaction what the graph says; then the journal is cleared. What was cut off in between is finished when
the collection is next opened. Of a newer version's predecessor only its facts go. Of a document that was removed a
tombstone stays, and of its facts and passages that runs on record have used, or that people corrected, that they came
from it. The texts of runs that are to go with it are replaced by a sentence that says so; their hashes stay on record.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain

from pyoxigraph import Literal, NamedNode, Quad, Triple

from explorer import entities as e
from explorer import rdf
from explorer.events import Content
from explorer.stores import leaving as journal
from explorer.stores.curated import acts_on, of_fact
from explorer.stores.default_graph import is_fact, quad_of
from explorer.stores.graph import GraphStore, Pattern
from explorer.stores.leaving import Leaving
from explorer.stores.library import Library, put_contents
from explorer.stores.lookups import Lookups
from explorer.stores.sources import Sources
from explorer.text import one_line
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
class Left:
    """What a document that left had: how many chunks, its facts, and those of them that no other one supports."""

    chunks: int
    facts: tuple[Triple, ...]
    lost: tuple[Triple, ...]


def finish_leaving(graph: GraphStore, library: Library) -> dict[str, Left]:
    """Take out all documents that the journal says are to leave; returns what each of them had."""
    if not journal.begun(library.database):
        return {}
    with library.database.correcting:
        return _finish_leaving(graph, library)


def _finish_leaving(graph: GraphStore, library: Library) -> dict[str, Left]:
    begun, done = journal.begun(library.database), dict[str, Left]()
    for one in begun:
        held = holdings(graph, one.iri)
        lost = only_there(graph, library, held, (other.iri for other in begun))
        there = graph.stored(map(quad_of, lost))
        here = tuple(fact for fact in lost if quad_of(fact) in there)
        done[one.iri] = Left(len(held.chunks), tuple(held.facts), here)
        if one.words:
            _remove_words(graph, library, one)
        with library.database.writing() as connection:
            texts = [node.value for node in held.texts]
            journal.take_out(connection, one, held.chunks, map(str, held.facts), texts)
        if one.is_removed:
            _remove(graph, library, one, held, lost)
        else:
            graph.replace((), _revision(graph, one), map(quad_of, lost))
        with library.database.writing() as connection:
            journal.done(connection, one)
    if begun:
        graph.flush()
    return done


def _remove_words(graph: GraphStore, library: Library, one: Leaving) -> None:
    """Put a sentence in place of the texts of runs that go with a document; a second time changes nothing."""
    known = _described(graph, one.iri)
    said = f"Removed on {one.moment[:10]} with the document “{one_line(known.title or one.iri)}”, whose words it had."
    hashes = {iri: sha256 for iri in one.words.get("contents", ()) if (sha256 := library.hash(iri))}
    contents = {iri: library.get(iri) for iri in hashes}
    told, gone = list[Quad](), list[Quad]()
    for iri, content in contents.items():
        if content.data != said.encode():
            told.append(Quad(NamedNode(iri), X.sha256, Literal(hashes[iri]), RETRIEVAL))
            told.append(Quad(NamedNode(iri), PROV.invalidatedAtTime, Literal(one.moment), RETRIEVAL))
    for iri in one.words.get("reasons", ()):
        gone += graph.match(NamedNode(iri), TG.reasoning, None, RETRIEVAL)
        told.append(Quad(NamedNode(iri), TG.reasoning, Literal(said), RETRIEVAL))
    graph.replace((), told, gone)
    with library.database.writing() as connection:
        journal.take_answers(connection, [content.data.decode(errors="replace") for content in contents.values()], said)
        put_contents(
            connection,
            [Content(iri, content.title, "text/plain", said.encode()) for iri, content in contents.items()],
        )


def _revision(graph: GraphStore, one: Leaving) -> list[Quad]:
    """Return that the newer version is a revision of a document, unless that one was a revision of it before."""
    now, before = NamedNode(one.newer), NamedNode(one.iri)
    is_back = any(graph.match(before, PROV.wasRevisionOf, now, FACTS))
    return [] if is_back else [Quad(now, PROV.wasRevisionOf, before, FACTS)]


def _remove(graph: GraphStore, library: Library, one: Leaving, held: Holdings, lost: Iterable[Triple]) -> None:
    """Leave of a document what stays on record: a tombstone, and where what runs have used came from."""
    read = Lookups(graph)
    read.ahead((None, link, fact, RETRIEVAL) for fact in held.facts for link in _USED)
    read.ahead(map(acts_on, held.facts))
    kept = {fact for fact in held.facts if is_used(read, fact) or of_fact(read, fact)}
    gone = [*map(quad_of, lost)]
    gone += unspoken_labels(graph, [fact for fact in lost if fact not in kept], {*lost})
    nodes: list[tuple[NamedNode, Graph]] = [(NamedNode(one.iri), graph_name) for graph_name in (FACTS, SOURCE)]
    nodes += [(node, SOURCE) for node in (*held.parts, *held.subgraphs, *held.activities, *held.texts)]
    graph.replace(nodes, [*_left(graph, library, one, held, kept)], gone)


def _left(graph: GraphStore, library: Library, one: Leaving, held: Holdings, kept: set[Triple]) -> Iterator[Quad]:
    sources = Sources(graph, library)
    known = _described(graph, one.iri)
    yield from rdf.triples(
        e.Document(
            iri=one.iri, title=known.title, label=known.label, date=known.date, revision_of=known.revision_of,
            invalidated_at=one.moment, sha256=one.sha256 or known.sha256,
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


def _described(graph: GraphStore, document: str) -> e.Document:
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
        quiet = [node for node, found in told.items() if not any(_speaks(node, quad, facts) for quad in chain(*found))]
        open_ = [node for node in quiet if limit is not None and max(map(len, told[node])) == limit]
        labels |= {node: [*filter(partial(_names, node), chain(*told[node]))] for node in quiet if node not in open_}
    for node in terms:
        if isinstance(node, NamedNode):
            yield from dict.fromkeys(labels.get(node, ()))


def _names(node: NamedNode, quad: Quad) -> bool:
    return quad.subject == node and quad.predicate == RDFS.label


def _speaks(node: NamedNode, quad: Quad, lost: set[Triple]) -> bool:
    return not _names(node, quad) and (not is_fact(quad) or quad.triple not in lost)


def is_used(graph: GraphStore | Lookups, fact: Triple) -> bool:
    """Return whether a run on record has kept or considered a fact."""
    return any(next(iter(graph.match(None, link, fact, RETRIEVAL)), None) for link in _USED)


def _subjects(quads: Iterable[Quad]) -> list[NamedNode]:
    return [quad.subject for quad in quads if isinstance(quad.subject, NamedNode)]
