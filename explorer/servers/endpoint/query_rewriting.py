"""What users and agents ask of a graph on a server, made ready to be sent where the server can answer it as a folder
would.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pyoxigraph import BlankNode, Literal, NamedNode, QueryBoolean, QuerySolutions, QueryTriples, Triple, Variable

from explorer.stores.graph import Object
from explorer.stores.sparql import TOKEN

_OTHERWISE = re.compile(  # what a server would answer otherwise than a folder: terms that stand for others, datasets
    r"\b(?:from|base|bnode|isblank|rand|now|uuid|struuid)\b|\\u|urn:provenance-explorer:", re.IGNORECASE
)
_PREFIX = re.compile(r"\bprefix\s+[^\s:<]*:\s*<([^>]*)>", re.IGNORECASE)


KINDS: Mapping[str, type] = {"rows": QuerySolutions, "triples": QueryTriples, "truth": QueryBoolean}
"""What a query gives, by the form of a `QueryResult`: the classes of pyoxigraph's results."""


def sendable(sparql: str, graphs: Mapping[str, str]) -> str | None:
    """Return a query with the names that graphs have on a server; None where the server's answer could be another.

    `graphs` holds the names there by those that are used here.
    """
    if any(name.startswith(found[1]) for found in _PREFIX.finditer(sparql) for name in graphs):
        return None

    def renamed(token: re.Match[str]) -> str:
        found = token["iri"]
        return f"<{graphs[found[1:-1]]}>" if found and found[1:-1] in graphs else token[0]

    bare = TOKEN.sub(lambda token: token["iri"] or " ", sparql)
    strings = " ".join(token[0] for token in TOKEN.finditer(sparql) if token["string"])
    if _OTHERWISE.search(bare) or any(name in strings for name in graphs):
        return None
    return TOKEN.sub(renamed, sparql)


def dataset(default: Iterable[NamedNode], named: Iterable[NamedNode]) -> list[tuple[str, str]]:
    """Return what a request says about the graphs that a query goes over."""
    return [
        *(("default-graph-uri", one.value) for one in default),
        *(("named-graph-uri", one.value) for one in named),
    ]


def is_triples(kind: type) -> bool:
    """Return whether a query gives triples."""
    return kind is QueryTriples


def results(names: Sequence[Variable], rows: Iterable[Sequence[Object | None]]) -> bytes:
    """Return rows as SPARQL results in JSON."""

    def told(term: Object | None) -> dict[str, Any]:
        match term:
            case NamedNode():
                return {"type": "uri", "value": term.value}
            case BlankNode():
                return {"type": "bnode", "value": term.value}
            case Triple():
                parts = {"subject": told(term.subject), "predicate": told(term.predicate), "object": told(term.object)}
                return {"type": "triple", "value": parts}
            case Literal(language=str()):
                way = {} if term.direction is None else {"its:dir": str(term.direction)}
                return {"type": "literal", "value": term.value, "xml:lang": term.language, **way}
        assert isinstance(term, Literal)  # noqa: S101 - what is not bound is left out
        return {"type": "literal", "value": term.value, "datatype": term.datatype.value}

    bindings = [
        {name.value: told(term) for name, term in zip(names, row, strict=True) if term is not None} for row in rows
    ]
    return json.dumps({"head": {"vars": [one.value for one in names]}, "results": {"bindings": bindings}}).encode()
