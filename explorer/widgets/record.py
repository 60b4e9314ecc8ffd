"""The raw record of a node: predicates and objects as they are stored. Here, and only here, IRIs are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer import rdf
from explorer.vocab import DC, PROV, RDF, RDFS, TG, X

if TYPE_CHECKING:
    from explorer.events import Passage
    from explorer.nodes import Node

_PREFIXES = {TG.base: "tg:", PROV.base: "prov:", RDF.base: "rdf:", RDFS.base: "rdfs:", DC.base: "dc:", X.base: "x:"}


def compact(iri: str) -> str:
    """Shorten an IRI of a known vocabulary to its prefixed form."""
    for base, prefix in _PREFIXES.items():
        if iri.startswith(base):
            return prefix + iri.removeprefix(base)
    return f"<{iri}>"


def raw(node: Node) -> list[tuple[str, str]]:
    """Give predicate and object of each triple of the node, below its IRI; the spans for what stands for a source."""
    if node.entity is not None:
        quads = rdf.triples(node.entity)
        return [("", f"<{node.iri}>"), *((compact(quad.predicate.value), _term(quad.object)) for quad in quads)]
    return [row for passage in node.passages for row in _span(passage)] if node.kind == "Passage" else _place(node)


def _term(term: rdf.Term) -> str:
    text = str(term)
    return compact(text[1:-1]) if text.startswith("<") and not text.startswith("<<") else text


def _span(passage: Passage) -> list[tuple[str, str]]:
    return [
        ("subgraph", f"<{passage.subgraph}>"),
        ("chunk", f"<{passage.chunk}>"),
        ("document", f"<{passage.document}>"),
        ("characters", f"{passage.start} to {passage.end} of the document"),
        ("extracted by", passage.extracted_by),
    ]


def _place(node: Node) -> list[tuple[str, str]]:
    return [("", f"<{node.iri}>")] if node.passages else []
