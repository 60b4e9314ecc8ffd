"""The pages and sections of a document, of which an attached store has thousands: read together, by what lists them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from pyoxigraph import Literal, NamedNode, Quad

from explorer import entities as e
from explorer import rdf
from explorer.stores.graph import GraphStore, Pattern
from explorer.vocab import PROV, RDF, RDFS, SOURCE, TG


@dataclass(frozen=True, slots=True)
class Part:
    """A page, which has a number, or a section: its offset and length in the document's text, in code points."""

    iri: str
    label: str | None
    is_page: bool
    number: int | None
    offset: int | None
    length: int | None


def parts_of(graph: GraphStore, document: str, chunks: Collection[str]) -> list[Part]:
    """Return the pages and sections of a document, in order of their places; `chunks`: what is known to be neither."""
    below = [quad.subject for quad in graph.match(None, PROV.wasDerivedFrom, NamedNode(document), SOURCE)]
    nodes = [one for one in dict.fromkeys(below) if isinstance(one, NamedNode) and one.value not in chunks]
    asked: list[Pattern] = [(node, None, None, SOURCE) for node in nodes]
    read = graph.matches(asked) if asked else []
    found = [part for node, quads in zip(nodes, read, strict=True) for part in _parts(node.value, quads)]
    return sorted(found, key=lambda part: (part.offset or 0, (part.offset or 0) + (part.length or 0), part.iri))


def _parts(iri: str, quads: Sequence[Quad]) -> Iterator[Part]:
    kinds = {quad.object for quad in quads if quad.predicate == RDF.type}
    if TG.Chunk in kinds or TG.Subgraph in kinds:
        return
    told = {quad.predicate: quad.object.value for quad in quads if isinstance(quad.object, Literal)}
    is_page = TG.Page in kinds
    if (is_page or TG.Section in kinds) and {TG.charOffset, TG.charLength} <= told.keys():
        number = int(told[TG.pageNumber]) if is_page and TG.pageNumber in told else None
        offset, length = (int(told[one]) for one in (TG.charOffset, TG.charLength))
        yield Part(iri, told.get(RDFS.label), is_page, number, offset, length)
        return
    for entity in rdf.entities(quads):
        if isinstance(entity, e.Page | e.Section):
            number = entity.number if isinstance(entity, e.Page) else None
            label, is_page = entity.label, isinstance(entity, e.Page)
            yield Part(entity.iri, label, is_page, number, entity.char_offset, entity.char_length)
