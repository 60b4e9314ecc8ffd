"""What a file of RDF says, looked up by what it speaks of: a store that holds it in memory, or in a folder.

Blank nodes have IRIs there, and what quotes a statement or is of a record is marked.
"""

from __future__ import annotations

import hashlib
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Store, Triple

from explorer.rdf.writing import Term
from explorer.stores.graph import let_go
from explorer.text import one_line, truncate
from explorer.vocab import DC, FACTS, PROV, RDF, RDFS, SKOS, TG, X, iri

DCTERMS = "http://purl.org/dc/terms/"
SCHEMA = ("https://schema.org/", "http://schema.org/")
_LABELS = (RDFS.label.value, SKOS.base + "prefLabel")
_NAMES = (*_LABELS, *(base + "name" for base in (*SCHEMA, "http://xmlns.com/foaf/0.1/")), DC.title.value,
          DCTERMS + "title")  # fmt: skip
ABOUT_RECORDS = (PROV.base, TG.base, X.base, "http://www.nanopub.org/nschema#")
FIRST, REST, NIL = (NamedNode(RDF.base + name) for name in ("first", "rest", "nil"))
LONGEST_NAME = 300  # characters
_PREDICATES = 10_000  # that are remembered
_QUOTES, _BESIDE = NamedNode("urn:quotes"), NamedNode("urn:beside")  # within a graph of their own


@dataclass(frozen=True)
class Naming:
    """By which predicates things are named, the best first, and in which languages; `labels` make no facts."""

    labels: tuple[str, ...] = _LABELS
    languages: tuple[str, ...] = ("en",)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The predicates of names, the labels first."""
        return tuple(dict.fromkeys((*self.labels, *_NAMES)))

    def called(self, said: Iterable[Quad | Triple]) -> str | None:
        """Return what something is called: by its label, in the best language or none, or else by another name."""
        names = self.names
        given = [(names.index(quad.predicate.value), self._rank(quad.object), quad.object.value)
                 for quad in said if quad.predicate.value in names and isinstance(quad.object, Literal)]  # fmt: skip
        most = len(self.labels)
        found = (one_line(text) for _, _, text in sorted(given, key=lambda one: (one[0] >= most, one[1], one[0])))
        return next((truncate(text, LONGEST_NAME) for text in found if text), None)

    def _rank(self, label: Literal) -> tuple[int, bool]:
        """Return how good the language of a name is, and whether it is one of a country only."""
        tag = (label.language or "").lower()
        fits = (n for n, one in enumerate(self.languages) if tag == one.lower() or tag.startswith(f"{one.lower()}-"))
        place = next(fits, len(self.languages)) if tag else 0
        return place, place < len(self.languages) and tag not in ("", self.languages[place].lower())


class Said:
    """What a file says. It is added first, then looked at as a whole, then asked."""

    def __init__(self, key: str, naming: Naming, folder: str | None = None) -> None:
        """`key` tells its blank nodes from those of others; without a `folder` it is held in memory."""
        self.naming = naming
        self._blanks = _Blanks(key)
        self.quoted = 0
        """How many triples are only quoted."""
        self._folder = folder
        self._store = Store(folder)
        self._index = NamedNode(f"urn:index:{secrets.token_hex(16)}")
        self._predicates: set[str] | None = set()
        self._has_graphs = self._has_marks = False
        self._alike: Counter[str] = Counter()
        self._lists: dict[int, Quad] = {}  # by the hash of its first node what each stands in
        self._within: dict[int, int] = {}  # and by those of all nodes the one of the first

    def close(self) -> None:
        """Let go of the files of the store."""
        del self._store
        if self._folder is not None:
            let_go(self._folder)

    def add(self, quads: Iterable[Quad]) -> None:
        """Add some statements."""
        marked = [*self._marked(map(self._blanks.named, quads))]
        self._store.bulk_extend(reversed(marked))  # in memory what came last is found first

    def begin_again(self) -> None:
        """Number blank nodes from the first one again: who reads the file a second time gives them other names."""
        self._blanks.numbers.clear()

    def _marked(self, quads: Iterable[Quad]) -> Iterator[Quad]:
        for quad in quads:
            yield quad
            if self._predicates is not None:
                self._predicates.add(quad.predicate.value)
                if len(self._predicates) > _PREDICATES:
                    self._predicates = None
            self._has_graphs = self._has_graphs or quad.graph_name != FACTS
            if isinstance(quad.object, Triple):
                yield from self._marks(quad.subject, quad.object)
            elif quad.predicate == RDF.type and is_class_of_record(quad.object) and quad.object not in _NO_RECORDS:
                yield from self._marks(quad.subject)

    def _marks(self, node: Term, quoted: Triple | None = None) -> Iterator[Quad]:
        self._has_marks = True
        yield Quad(node, _BESIDE, node, self._index)  # type: ignore[arg-type]
        if quoted is not None:
            yield Quad(node, _QUOTES, quoted, self._index)  # type: ignore[arg-type]

    def look(self) -> None:
        """Find what only all of it tells: the lists, and the nodes that quote a triple by its parts."""
        if self._says(RDF.subject.value):
            nodes = dict.fromkeys(quad.subject for quad in self._found(None, RDF.subject, None))
            for node in nodes:
                if (quoted := _quoted_in(self.about(node))) is not None:
                    self._store.extend(self._marks(node, quoted))
        for node in [quad.subject for quad in self._found(None, REST, None)]:
            above = list(islice(self._found(None, None, node), 2))
            if len(above) == 1 and above[0].predicate != REST and (chain := self._chain(node)):
                self._lists[hash(node)] = above[0]
                self._within |= dict.fromkeys(map(hash, chain), hash(node))
        if self._has_marks:
            quoted_ones = {quad.object for quad in self._store.quads_for_pattern(None, _QUOTES, None, self._index)}
            self.quoted = sum(
                next(self._found(one.subject, one.predicate, one.object), None) is None
                for one in quoted_ones if isinstance(one, Triple)
            )  # fmt: skip

    def _found(self, subject: Term | None, predicate: NamedNode | None, obj: Term | None) -> Iterator[Quad]:
        found = self._store.quads_for_pattern(subject, predicate, obj, None)  # type: ignore[arg-type]
        return (quad for quad in found if quad.graph_name != self._index)

    def _says(self, predicate: str) -> bool:
        return self._predicates is None or predicate in self._predicates

    def about(self, node: Term, *predicates: str) -> Sequence[Quad]:
        """Return what is said of a node, by some predicates or any."""
        if isinstance(node, Literal | Triple):
            return ()
        wanted = [NamedNode(one) for one in predicates if self._says(one)] if predicates else [None]
        return [quad for one in wanted for quad in self._found(node, one, None)]

    def kinds(self, kind: NamedNode) -> Iterable[Term]:
        """Return the first nodes of a kind, enough to tell whether there is one alone."""
        return [quad.subject for quad in islice(self._found(None, RDF.type, kind), 3)]

    def within(self, node: Term) -> Quad | None:
        """Return the first statement that has a node as its object, or the list that it is in."""
        found = next(self._found(None, None, node), None)
        first = None if found is None else self._within.get(hash(found.subject))
        return found if first is None else self._lists[first]

    def quoting(self, triple: Triple) -> Sequence[Term]:
        """Return the nodes that quote a triple."""
        if not self._has_marks:
            return ()
        return [quad.subject for quad in self._store.quads_for_pattern(None, _QUOTES, triple, self._index)]

    def is_beside(self, node: Term) -> bool:
        """Return whether a node is a statement or an activity: no thing of the world."""
        is_node = self._has_marks and isinstance(node, NamedNode)
        return is_node and Quad(node, _BESIDE, node, self._index) in self._store  # type: ignore[arg-type]

    def is_graph(self, node: Term) -> bool:
        """Return whether a node names a graph."""
        return self._has_graphs and isinstance(node, NamedNode) and self._store.contains_named_graph(node)

    def called(self, node: Term) -> str | None:
        """Return what a node is called, by what is said of it."""
        return self.naming.called(self.about(node, *self.naming.names))

    def apart(self, node: NamedNode, name: str) -> str:
        """Return the name of a node without one of its own, told from those of others: where all is held by how many
        have it, else by its number in the file.
        """
        if self._folder is not None:
            return f"{name} (no. {int(node.value.rpartition(':')[2]):,})"
        self._alike[name] += 1
        return name if self._alike[name] == 1 else f"{name} ({self._alike[name]:,})"

    def members(self, quad: Quad) -> Iterator[Quad]:
        """Yield a statement of the file without blank nodes, of one about a list one for each member; nothing for what
        makes up a list. Lists that are broken or shared stay as they are.
        """
        quad = self._blanks.named(quad)
        if self._lists and hash(quad.object) in self._lists:
            for node in self._chain(quad.object):
                yield Quad(quad.subject, quad.predicate, next(self._found(node, FIRST, None)).object, quad.graph_name)
        elif not self._lists or hash(quad.subject) not in self._within:
            yield quad

    def _chain(self, node: Term) -> list[Term]:
        """Return the nodes of a whole list, empty for one that is broken, shared or a circle."""
        chain: dict[Term, None] = {}
        while node != NIL:
            if isinstance(node, Literal | Triple) or node in chain:
                return []
            about = list(islice(self._found(node, None, None), 3))
            said = {quad.predicate: quad.object for quad in about}
            if said.keys() != {FIRST, REST} or len(about) != 2 or len([*islice(self._found(None, None, node), 2)]) != 1:
                return []
            chain[node] = None
            node = said[REST]
        return [*chain]


class _Blanks:
    """IRIs in place of the blank nodes of a file, numbered as they come: some hundred bytes are held for each."""

    def __init__(self, key: str) -> None:
        self._key = key
        self.numbers: dict[int, int] = {}

    def named(self, quad: Quad) -> Quad:
        """Return a statement without blank nodes."""
        subject, obj, graph = quad.subject, quad.object, quad.graph_name
        if isinstance(subject, NamedNode) and isinstance(obj, NamedNode | Literal) and not isinstance(graph, BlankNode):
            return quad
        return Quad(self._named(subject), quad.predicate, self._named(obj), self._named(graph))

    def _named(self, term: Any) -> Any:  # noqa: ANN401 - any term in, the same kind out
        match term:
            case BlankNode():
                known = int.from_bytes(hashlib.blake2b(term.value.encode(), digest_size=8).digest())
                return NamedNode(iri("blank", self._key, self.numbers.setdefault(known, len(self.numbers) + 1)))
            case Triple():
                return Triple(self._named(term.subject), term.predicate, self._named(term.object))
            case _:
                return term


_NO_RECORDS = frozenset((PROV.Entity, PROV.Agent))  # classes that things of the world have as well


def _quoted_in(said: Iterable[Quad]) -> Triple | None:
    """Return the triple that a node quotes by its subject, predicate and object; None where it quotes none."""
    parts = {quad.predicate: quad.object for quad in said}
    if RDF.subject in parts and RDF.object in parts and isinstance(parts.get(RDF.predicate), NamedNode):
        return Triple(parts[RDF.subject], parts[RDF.predicate], parts[RDF.object])  # type: ignore[arg-type]
    return None


def is_class_of_record(term: Term) -> bool:
    """Return whether a term is a class of the nodes of records."""
    return isinstance(term, NamedNode) and term.value.startswith(ABOUT_RECORDS)
