"""Small graphs of facts, woven in stores in memory or on disk."""

import json

import networkx as nx
from pyoxigraph import Literal, NamedNode, Quad, Triple

from explorer.models.embedding import WordLlamaEmbedder
from explorer.stores.chunks import StoredChunk, put_chunks
from explorer.stores.document_rows import finish_documents, put_documents
from explorer.stores.library import StoredDocument
from explorer.stores.vectors.search import Entry, put_vectors
from explorer.vocab import FACTS, entity_iri
from tests.opened import empty

EMBEDDER = WordLlamaEmbedder()


def node(name):
    return NamedNode(entity_iri(name))


def fact(head, tail, verb="feeds"):
    """A fact between two names; a literal stays one."""
    return Triple(node(head), node(verb), tail if isinstance(tail, Literal) else node(tail))


def spoken(triple):
    named = (triple.subject, triple.predicate, triple.object)
    return " ".join(
        term.value if isinstance(term, Literal) else term.value.rsplit("/", 1)[1].replace("-", " ") for term in named
    )


def add_facts(stores, facts, chunk="", document=""):
    """Store facts in graph and index, with the entities at their ends."""
    facts = list(facts)
    stores.graph.add(Quad(one.subject, one.predicate, one.object, FACTS) for one in facts)
    ends = {end.value for one in facts for end in (one.subject, one.object) if isinstance(end, NamedNode)}
    named = {iri: iri.rsplit("/", 1)[1].replace("-", " ") for iri in sorted(ends)}
    with stores.database.writing() as connection:
        for kind, owner, entries in (
            ("edge", document, [Entry(str(one), chunk, spoken(one)) for one in facts]),
            ("entity", "", [Entry(iri, "", name) for iri, name in named.items()]),
        ):
            put_vectors(connection, kind, owner, entries, EMBEDDER.embed([entry.text for entry in entries]))


def add_document(stores, name, chunks, title=None):
    """Store a document of some chunks, each a text with its facts."""
    iri = f"urn:d:{name}"
    texts = [text for text, _ in chunks]
    made = [StoredChunk(f"urn:c:{name}:{number}", iri, text) for number, text in enumerate(texts)]
    with stores.database.writing() as connection:
        document = StoredDocument(iri, name, title or f"On {name}", "text/plain", "\n".join(texts))
        put_documents(connection, [document])
        put_chunks(connection, made)
        entries = [Entry(one.iri, one.iri, one.text) for one in made]
        put_vectors(connection, "chunk", iri, entries, EMBEDDER.embed(texts))
        finish_documents(connection, [iri])
    for one, (_, facts) in zip(made, chunks, strict=True):
        add_facts(stores, facts, one.iri, iri)


def woven(documents=None, loose=()):
    """New stores with documents by name (`add_document`) and facts that come from nowhere."""
    stores = empty()
    for name, chunks in (documents or {}).items():
        add_document(stores, name, chunks)
    add_facts(stores, loose)
    return stores


def entity(stores, name):
    """The number of an entity by its name."""
    return stores.links.entities([entity_iri(name)])[entity_iri(name)]


def place(stores, graph, chunk):
    """The number of a chunk as a node of the graph."""
    return graph.passages_from + stores.library.chunk_numbers([chunk])[chunk]


def names(stores, graph):
    """The names of nodes by number: of entities their labels, of passages their IRIs; −1 is None."""
    rows = stores.database.rows("SELECT number, iri FROM terms")
    found = {row["number"]: row["iri"].rsplit("/", 1)[1].replace("-", " ") for row in rows}
    rows = stores.database.rows("SELECT number, iri FROM chunks")
    return {-1: None, **found, **{graph.passages_from + row["number"]: row["iri"] for row in rows}}


def lines(stores):
    """The graph as a set of (fact, head, tail, passage) by name; a title's fact is None."""
    graph = stores.links.graph()
    named = names(stores, graph)
    keys = {row["number"]: row["key"] for row in stores.database.rows("SELECT number, key FROM vectors")}
    rows = zip(*(column.tolist() for column in (graph.fact, graph.head, graph.tail, graph.passage)), strict=True)
    return sorted(((keys.get(number), *(named[end] for end in ends)) for number, *ends in rows), key=json.dumps)


def drawn(rows, heavy=4):
    """The same graph as networkx has it, each pair of nodes once; a title weighs more."""
    graph = nx.Graph()
    for number, *ends in rows:
        there = [end for end in ends if end is not None]
        graph.add_nodes_from(there)
        for i, one in enumerate(there):
            for other in there[i + 1 :]:
                if one != other:
                    weight = 1 if number else heavy
                    known = graph.get_edge_data(one, other, {"weight": 0})["weight"]
                    graph.add_edge(one, other, weight=max(weight, known))
    return graph
