"""Facts that people added with words of a document: they go on to a newer version of it that has these words."""

from __future__ import annotations

from dataclasses import dataclass

from pyoxigraph import Literal, NamedNode, Triple

from explorer.entities import ADDED
from explorer.events import Passage
from explorer.ingest.extraction.rules import ExtractedEdge
from explorer.ingest.given.curated_facts import places_of
from explorer.ingest.parsed import Extraction, Parsed, name_of
from explorer.ingest.provenance import CURATOR, VERSION
from explorer.rdf.labels import edge_labels
from explorer.stores.default_graph import quad_of
from explorer.stores.fact_sources import Sources
from explorer.stores.graph import GraphStore
from explorer.stores.library import Library
from explorer.stores.stored_corrections import everything, last_of
from explorer.vocab import iri


@dataclass(frozen=True, slots=True)
class AddedFact:
    """A fact that somebody added, in words, and the passage that it was given."""

    fact: Triple
    words: tuple[str, str, str]
    passage: Passage

    def in_version(self, parsed: Parsed) -> Extraction | None:
        """Return it as taken from a newer version, or from a part of it; None where its words do not stand there.

        Where they stand several times, it is where they stand among the same words as before.
        """
        found = list(places_of(self.passage.text, parsed.reading.text, parsed.chunks, parsed.offset))
        if not found:
            return None
        start, end, chunk = max(found, key=lambda one: self._alike(parsed, one[0], one[1]))
        subject, predicate, obj = self.fact.subject, self.fact.predicate, self.fact.object
        edge = ExtractedEdge(
            *self.words, isinstance(obj, NamedNode), start, end, 1.0, chunk,
            predicate_node=predicate,
            object_node=obj if isinstance(obj, NamedNode | Literal) else None,
            subject_node=subject if isinstance(subject, NamedNode) else None,
        )  # fmt: skip
        return Extraction(CURATOR, VERSION, (edge,), apart=f"{CURATOR} {self.fact}")

    def _alike(self, parsed: Parsed, start: int, end: int) -> int:
        """Return how many characters before and after some words are as they were around the passage."""
        text, offset = parsed.reading.text, parsed.offset
        before = _shared(text[: start - offset][::-1], self.passage.before[::-1])
        return before + _shared(text[end - offset :], self.passage.after)


def added_facts(graph: GraphStore, library: Library, document: str) -> list[AddedFact]:
    """Return the facts that people added with words of a document, and that stand."""
    sources = Sources(graph, library)
    acts = dict.fromkeys(one.fact for one in everything(graph) if one.act == ADDED and one.fact is not None)
    found = []
    for fact in acts:
        if (last := last_of(graph, fact)) is None or last.act != ADDED or quad_of(fact) not in graph:
            continue
        words = edge_labels(fact, sources.labels([fact]))
        passages = (one for node in sources.records(fact) for one in sources.passage(node))
        own = (one for one in passages if one.document == document and one.extracted_by == CURATOR and one.text.strip())
        found += [AddedFact(fact, words, one) for one in own]
    return found


def carried_node(fact: Triple, passage: Passage) -> str:
    """Return the IRI of the subgraph that a fact has which went on to a passage of a newer version."""
    return iri("subgraph", name_of(passage.chunk, f"{CURATOR} {fact}", passage.start, passage.end))


def _shared(one: str, other: str) -> int:
    """Return how many characters two texts have in common at their beginning."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
