"""Triples as other systems write them ⇄ pyoxigraph's terms: pure functions, and nothing of a term is lost.

Read: wire objects with short keys (`{"t": "i", "i": …}`) or long ones (`{"type": "i", "iri": …}`), N-Quads lines in
either spelling of quoted triples, `(s, p, o)` and `(s, p, o, g)` sequences, quoted triples as dictionaries of strings
(`{"s": …, "p": …, "o": …}`), and pyoxigraph's own terms. A bare string is an IRI when it begins like one. Written:
wire objects with short keys.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from reprlib import Repr

from pyoxigraph import BaseDirection, BlankNode, DefaultGraph, Literal, NamedNode, Quad, Triple

from explorer import rdf
from explorer.errors import RecordError
from explorer.rdf.foreign.quoted_triples import DEPTH
from explorer.rdf.writing import Term
from explorer.vocab import FACTS, XSD_STRING, Graph

_TOO_DEEP = f"A triple is quoted more than {DEPTH} levels deep, which no system writes; leave it out."
_TAGGED = (
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#dirLangString",
)
_KINDS = {
    "i": "iri", "iri": "iri", "uri": "iri", "l": "literal", "literal": "literal",
    "b": "blank", "blank": "blank", "bnode": "blank", "t": "triple", "triple": "triple",
}  # fmt: skip
_IRI_STARTS = ("http://", "https://", "urn:")
_BRIEFLY = Repr()
_BRIEFLY.maxstring = _BRIEFLY.maxother = 120


def from_wire(value: object, graph: Graph = FACTS) -> Quad:
    """Return a triple given in any of the forms above; `graph` where it names none. Raises RecordError."""
    match value:
        case Quad():
            return value
        case Triple(subject=s, predicate=p, object=o):
            return _quad(value, (s, p, o), graph)
        case str():
            return _statement(value, graph)
        case Mapping() if {"s", "p", "o"} <= value.keys():
            return _quad(value, (value["s"], value["p"], value["o"]), _graph(value.get("g"), graph))
        case [s, p, o]:
            return _quad(value, (s, p, o), graph)
        case [s, p, o, g]:
            return _quad(value, (s, p, o), _graph(g, graph))
    raise RecordError(f"{briefly(value)} is not a triple; it needs a subject, a predicate and an object.")


def term_from_wire(value: object, depth: int = 0) -> Term:
    """Return a term given in any of the forms above, `depth` quoted triples down. Raises RecordError."""
    if depth > DEPTH:
        raise RecordError(_TOO_DEEP)
    try:
        match value:
            case NamedNode() | BlankNode() | Literal():
                return value
            case Triple():
                return _shallow(value, depth)
            case str():
                return _heuristic(value)
            case int() | float():
                return Literal(value)
            case Mapping():
                return _object(value, depth)
            case [s, p, o]:
                return _triple((s, p, o), depth)
    except (TypeError, ValueError, OverflowError) as error:
        raise _refused(value, error) from None
    raise RecordError(f"{briefly(value)} is not a term of a triple; it should be an IRI, a literal or a quoted triple.")


def to_wire(quad: Quad) -> dict[str, object]:
    """Return a triple with short keys, `g` only outside the default graph. Raises RecordError if nested too deeply."""
    wire: dict[str, object] = {"s": term_to_wire(quad.subject), "p": term_to_wire(quad.predicate)}
    wire["o"] = term_to_wire(quad.object)
    if not isinstance(quad.graph_name, DefaultGraph):
        wire["g"] = quad.graph_name.value
    return wire


def term_to_wire(term: Term, depth: int = 0) -> dict[str, object]:
    """Return a term with short keys, with language and datatype. Raises RecordError when nested too deeply."""
    match term:
        case NamedNode():
            return {"t": "i", "i": term.value}
        case BlankNode():
            return {"t": "b", "d": term.value}
        case Literal():
            wire: dict[str, object] = {"t": "l", "v": term.value}
            if term.language:
                wire["ln"] = f"{term.language}--{term.direction.value}" if term.direction else term.language
            elif term.datatype.value != XSD_STRING:
                wire["dt"] = term.datatype.value
            return wire
        case Triple():
            parts = {"s": term.subject, "p": term.predicate, "o": _shallow(term, depth).object}
            return {"t": "t", "tr": {key: term_to_wire(part, depth + 1) for key, part in parts.items()}}
    raise RecordError(f"{briefly(term)} is not a term that can stand in a message.")


def briefly(value: object) -> str:
    """Return a foreign value, however large or deeply nested, as one short line."""
    return _BRIEFLY.repr(value)


def _quad(value: object, terms: Sequence[object], graph: Graph) -> Quad:
    subject, predicate, obj = (term_from_wire(term) for term in terms)
    try:
        return Quad(subject, predicate, obj, graph)  # type: ignore[arg-type] # what may not stand there is refused
    except TypeError:
        raise RecordError(f"{briefly(value)} has a literal or a triple where only a node may stand.") from None


def _graph(name: object, default: Graph) -> Graph:
    match name:
        case None:
            return default
        case "" | DefaultGraph():
            return FACTS
        case str():
            return _named(name)
        case _:
            found = term_from_wire(name)
    if isinstance(found, NamedNode):
        return found
    raise RecordError(f"{briefly(name)} does not name a graph; it should be an IRI.")


@lru_cache(maxsize=64)
def _named(name: str) -> NamedNode:
    """Return a graph's IRI; cached, as few graphs hold many triples."""
    try:
        return NamedNode(name)
    except ValueError as error:
        raise _refused(name, error) from None


def _statement(line: str, graph: Graph) -> Quad:
    text = line.strip()
    loaded = rdf.load(text if text.endswith(".") else f"{text} .", "nq", graph)
    if loaded.given == 1 and loaded.quads:
        return loaded.quads[0]
    reason = loaded.refused[0].reason if loaded.refused else "it is not one statement"
    raise RecordError(f"{briefly(line)} can't be read as N-Quads: {reason.rstrip('.')}.")


def _shallow(triple: Triple, depth: int) -> Triple:
    """Return the triple unless it is nested too deeply to be walked."""
    inner: object = triple
    while isinstance(inner, Triple):
        if depth >= DEPTH:
            raise RecordError(_TOO_DEEP)
        inner, depth = inner.object, depth + 1
    return triple


def _object(value: Mapping[object, object], depth: int) -> Term:
    kind = value.get("t", value.get("type"))
    match _KINDS.get(kind) if isinstance(kind, str) else None:
        case "iri":
            return NamedNode(_text(value, "i", "iri"))
        case "literal":
            return _literal(value)
        case "blank":
            return BlankNode(_text(value, "d", "id").removeprefix("_:"))
        case "triple":
            return _inner(value.get("tr", value.get("triple")), depth)
    if kind is None and {"s", "p", "o"} <= value.keys():
        return _inner(value, depth)
    raise ValueError("its type is none of i, l, b and t")


def _inner(value: object, depth: int) -> Triple:
    match value:
        case {"s": s, "p": p, "o": o}:
            return _triple((s, p, o), depth)
        case Triple():
            return _shallow(value, depth)
    raise ValueError("it quotes no triple")


def _triple(terms: Sequence[object], depth: int) -> Triple:
    subject, predicate, obj = (term_from_wire(term, depth + 1) for term in terms)
    return Triple(subject, predicate, obj)  # type: ignore[arg-type] # what may not stand there is a TypeError


def _literal(value: Mapping[object, object]) -> Literal:
    content = value["v"] if "v" in value else value.get("value")
    tag, datatype = (value.get(short) or value.get(long) for short, long in (("ln", "language"), ("dt", "datatype")))
    if not isinstance(content, str | int | float):
        raise TypeError("a literal needs a value")
    if tag:
        language, _, direction = str(tag).partition("--")
        return Literal(str(content), language=language, direction=BaseDirection(direction) if direction else None)
    if datatype in _TAGGED:
        raise ValueError("a text in a language needs the language")
    return Literal(str(content), datatype=NamedNode(str(datatype))) if datatype else Literal(content)


def _heuristic(text: str) -> NamedNode | BlankNode | Literal:
    with suppress(ValueError):  # a sentence that begins with a link
        if text.startswith("_:"):
            return BlankNode(text.removeprefix("_:"))
        if text.startswith(_IRI_STARTS):
            return NamedNode(text)
    return Literal(text)


def _text(value: Mapping[object, object], short: str, long: str) -> str:
    found = value.get(short, value.get(long))
    if not isinstance(found, str):
        raise TypeError("it has no value")
    return found


def _refused(value: object, error: Exception) -> RecordError:
    reason = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
    return RecordError(f"{briefly(value)} can't be read as a term: {reason}.")
