"""What was cut off while documents were stored: it is finished where all of it is there, and else taken back."""

from __future__ import annotations

from itertools import chain, islice

from pyoxigraph import NamedNode

from explorer.ingest.removal import holdings, only_there, replace_older, stay, unspoken_labels
from explorer.stores.curation_journal import finish, wait
from explorer.stores.default_graph import quad_of
from explorer.stores.document_rows import drop_document, finish_documents
from explorer.stores.graph import GraphStore
from explorer.stores.library import Library
from explorer.stores.link_graph import drop_unlinked, terms_of
from explorer.vocab import FACTS, PROV, SOURCE, TG, iri

_AT_ONCE = 10_000  # quads that are taken back in one transaction


def mend(graph: GraphStore, library: Library) -> None:
    """Bring library and graph in step after a kill: finish documents whose quads are there, take back the others with
    the entities that only they speak of. For who knows that no thread of this process is storing any.
    """
    finish(graph, library.database, "facts")
    undone: list[str] = []
    if unfinished := library.database.abandoned(library.unfinished(), own=True):
        with library.database.writing() as connection:
            spoken = dict.fromkeys(chain.from_iterable(terms_of(connection, document) for document in unfinished))
            for document in unfinished:
                was = library.newer(document)
                node = NamedNode(document)
                is_there = any(graph.match(node, None, TG.Document, FACTS)) and not is_removed(graph, node)
                if was is None and is_there:
                    finish_documents(connection, [document])
                    continue
                stay(connection, document)
                if was is None:
                    undone.append(document)
                else:  # it was to take its place back
                    wait(connection, "replaced", document, was)
            drop_unlinked(connection, spoken)
    for document in undone:
        undo(graph, library, document)
    replace_older(graph, library)


def undo(graph: GraphStore, library: Library, document: str) -> None:
    """Take back a document that was stored in part, first what the graph says of it; cut off, it can be done again."""
    held = holdings(graph, document)
    lost = only_there(graph, library, held, ())
    facts = [*map(quad_of, lost), *unspoken_labels(graph, lost, {*lost})]
    nodes = *held.subgraphs, *held.activities, *reversed(held.parts)  # each before what leads to it
    rest = chain(facts, (quad for node in nodes for quad in list(graph.match(node, None, None, SOURCE))))
    while gone := list(islice(rest, _AT_ONCE)):
        graph.replace((), (), gone)
    graph.replace((), (), [quad for agent in _idle_agents(graph) for quad in graph.match(agent, None, None, SOURCE)])
    with library.database.writing() as connection:
        spoken = terms_of(connection, document)
        stay(connection, document)
        drop_document(connection, document)
        drop_unlinked(connection, spoken)


def _idle_agents(graph: GraphStore) -> list[NamedNode]:
    """Return those who read documents, of whose work nothing is on record."""
    from explorer.ingest.extraction.choice import MODEL, RULES
    from explorer.ingest.provenance import CHUNKER, CURATOR, IMPORT, READER

    named = [NamedNode(iri("agent", name)) for name in (READER, CHUNKER, CURATOR, IMPORT, RULES, MODEL)]
    found = graph.matches([(None, PROV.wasAssociatedWith, agent, None) for agent in named], 1)  # else all that they did
    return [agent for agent, work in zip(named, found, strict=True) if not work]


def is_removed(graph: GraphStore, document: NamedNode) -> bool:
    """Return whether the graph says of a document that it was removed."""
    return any(graph.match(document, PROV.invalidatedAtTime, None, FACTS))
