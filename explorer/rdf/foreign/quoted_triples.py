"""Quoted triples in every spelling in use, turned into triple terms; and how deeply terms may be nested.

RDF 1.2 writes a triple term `<<( s p o )>>`. `<< s p o >>`, which TrustGraph writes for the same, is a syntax error
there in N-Quads, and in Turtle and TriG it names something else: a blank node that reifies the triple.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from pyoxigraph import BlankNode, Literal, Quad, Triple

from explorer.entities import CLASSES, Kind, columns
from explorer.rdf.writing import Term
from explorer.vocab import RDF, TG

DEPTH = 100  # nested this deep is read and written; the parser brings the process down somewhere beyond 2,000
QUOTING = frozenset((
    TG.reifies,
    *(one.predicate for cls in CLASSES for one in columns(cls) if one.kind is Kind.TRIPLE),
))  # fmt: skip
"""What the objects of these predicates quote is a triple, however it is spelt."""

_QUOTED = re.compile(rb"<<(?!\()")
_TOKEN = re.compile(
    rb"<<\(|\)>>|<<|>>"
    rb'|<[^<>"{}|^`\x00-\x20]*+>'
    rb'|"(?:[^"\\\n\r]|\\.)*+"(?:@[\w-]+|\^\^<[^<>]*+>)?'
    rb'|_:[^\s<>"]++|#.*+|\S'
)
_PREDICATES = frozenset(f"<{predicate.value}>".encode() for predicate in QUOTING)
_SKIPPED = rb"""|<[^<>"{}|^`\s]*+>|#[^\n\r]*+|\\."""
_NESTED = {
    "quoted": re.compile(
        rb'<<|>>|"""(?:"{0,2}(?:[^"\\]|\\.))*+"""|' + rb"'''(?:'{0,2}(?:[^'\\]|\\.))*+'''"
        rb'|"(?:[^"\\\n\r]|\\.)*+"|' + rb"'(?:[^'\\\n\r]|\\.)*+'" + _SKIPPED,
        re.DOTALL,
    ),
    "json": re.compile(rb'[\[{]|[\]}]|"(?:[^"\\]|\\.)*+"', re.DOTALL),
}
_OPENING = (b"<<", b"[", b"{")
_CLOSING = (b">>", b"]", b"}")


def too_deep(data: bytes, what: str = "quoted") -> int | None:
    """Return the byte offset where triples ("quoted") or JSON values ("json") are nested deeper than DEPTH, or None."""
    if sum(data.count(mark) for mark in (_OPENING[:1] if what == "quoted" else _OPENING[1:])) <= DEPTH:
        return None
    depth = 0
    for token in _NESTED[what].finditer(data):
        if token[0] in _OPENING:
            depth += 1
            if depth > DEPTH:
                return token.start()
        elif token[0] in _CLOSING:
            depth -= 1
    return None


def has_quoted(data: bytes) -> bool:
    """Return whether there may be a `<< s p o >>` in N-Quads or N-Triples."""
    return _QUOTED.search(data) is not None


def quoted_line(line: bytes) -> tuple[bytes, list[int]]:
    """Rewrite the quoted triples of one statement as triple terms where they are the object of a quoting predicate.

    Strings, IRIs, comments and subjects stay as they are. The second value holds the places of the characters added.
    """
    made, added, last = bytearray(), list[int](), 0
    for start, mark in _marks(line):
        made += line[last:start] + mark
        added.append(len(made) - (1 if mark == b"<<(" else 3))
        last = start + 2
    return bytes(made + line[last:]), added


def _marks(line: bytes) -> Iterator[tuple[int, bytes]]:
    """Walk one statement; give where a quoting mark stands and the one to put there."""
    outer: list[tuple[int, bool]] = []
    place, predicate = 0, b""
    for token in _TOKEN.finditer(line):
        text = token[0]
        if text in (b"<<", b"<<("):
            rewritten = text == b"<<" and place == 2 and (bool(outer) or predicate in _PREDICATES)
            if rewritten:
                yield token.start(), b"<<("
            outer.append((place, rewritten))
            place = 0
        elif text in (b">>", b")>>") and outer:
            place, rewritten = outer.pop()
            if rewritten and text == b">>":
                yield token.start(), b")>>"
            place += 1
        else:
            predicate = text if place == 1 and not outer else predicate
            place += 1


def folded(quads: Sequence[Quad], may_be: Callable[[BlankNode], bool] = lambda _: True) -> list[Quad]:
    """Put a triple term where a quoting predicate leads to a blank node that only reifies that triple.

    This is what `<< s p o >>` has become in Turtle and TriG. A blank node that is mentioned anywhere else stays, and
    one that `may_be` none.
    """
    reifiers: dict[Term, Triple] = {
        quad.subject: quad.object
        for quad in quads
        if quad.predicate == RDF.reifies and isinstance(quad.subject, BlankNode) and isinstance(quad.object, Triple)
        and may_be(quad.subject)
    }  # fmt: skip
    if not reifiers:
        return list(quads)
    mentions: Counter[Term] = Counter(node for quad in quads for node in _blank(quad))
    alone = {node: triple for node, triple in reifiers.items() if mentions[node] == 2}
    made, used = list[Quad](), set[Term]()
    for quad in quads:
        triple, chain = unfolded(quad.object, alone) if quad.predicate in QUOTING else (None, [])
        used.update(chain)
        made.append(quad if triple is None else Quad(quad.subject, quad.predicate, triple, quad.graph_name))
    return [quad for quad in made if not (quad.predicate == RDF.reifies and quad.subject in used)]


def unfolded(term: Term, triples: Mapping[Term, Triple]) -> tuple[Triple | None, list[Term]]:
    """Build the triple that a node stands for, with the triples nested in its object, and say which nodes it took.

    A node that stands for none gives (None, []), and so does one that leads back to itself or deeper than DEPTH.
    """
    chain: list[Term] = []
    while not isinstance(term, Triple | Literal) and term in triples:
        if term in chain or len(chain) == DEPTH:
            return None, []
        chain.append(term)
        term = triples[term].object
    built = None
    for node in reversed(chain):
        triple = triples[node]
        built = triple if built is None else Triple(triple.subject, triple.predicate, built)
    return built, chain


def _blank(item: Quad | Triple) -> Iterator[BlankNode]:
    graph = item.graph_name if isinstance(item, Quad) else None
    yield from (node for node in (item.subject, graph) if isinstance(node, BlankNode))
    if isinstance(item.object, BlankNode):
        yield item.object
    elif isinstance(item.object, Triple):
        yield from _blank(item.object)
