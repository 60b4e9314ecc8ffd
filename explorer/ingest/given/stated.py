"""What a file of RDF states: its facts, what things are called in it, and the sources that it names. Values in, out.

What it says of provenance and of documents is no fact: what a fact is taken from stands beside it, and the rest is
left out. What is only quoted is not stated. Nodes of a record, whatever the file says of them, are left alone.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Triple

from explorer.rdf.writing import Term
from explorer.stores.default_graph import is_fact
from explorer.text import one_line, truncate
from explorer.vocab import (
    ANNOTATION,
    DC,
    FACTS,
    PROV,
    RDF,
    RDFS,
    RETRIEVAL,
    SKOS,
    SOURCE,
    TG,
    X,
    iri,
    is_blank,
    local_name,
)
from explorer.vocab import recognise as of_record

_DCTERMS = "http://purl.org/dc/terms/"
_SCHEMA = ("https://schema.org/", "http://schema.org/")
_LABELS = (RDFS.label.value, SKOS.base + "prefLabel")
_NAMES = (*_LABELS, *(base + "name" for base in (*_SCHEMA, "http://xmlns.com/foaf/0.1/")), DC.title.value,
          _DCTERMS + "title")  # fmt: skip
TAKEN_FROM = frozenset((
    PROV.wasDerivedFrom.value, PROV.base + "hadPrimarySource", PROV.base + "wasQuotedFrom", DC.source.value,
    _DCTERMS + "source",
))  # fmt: skip
_AUTHORS = (DC.creator.value, _DCTERMS + "creator", *(base + "author" for base in _SCHEMA))
_DATES = (DC.date.value, _DCTERMS + "date", _DCTERMS + "modified", _DCTERMS + "issued", _DCTERMS + "created")
_ABOUT_RECORDS = (PROV.base, TG.base, X.base, "http://www.nanopub.org/nschema#")
_ABOUT_GRAPHS = (DC.base, _DCTERMS, "http://purl.org/pav/", "http://rdfs.org/ns/void#", PROV.base)
FIRST, REST, NIL = (NamedNode(RDF.base + name) for name in ("first", "rest", "nil"))
_OF_STATEMENTS = frozenset((RDF.type, RDF.reifies, RDF.subject, RDF.predicate, RDF.object, TG.contains, TG.reifies))
_RUNS = frozenset((
    TG.Question, TG.GraphRagQuestion, TG.DocRagQuestion, TG.AgentQuestion, TG.Grounding, TG.Exploration, TG.Focus,
    TG.EdgeSelection, TG.ChunkSelection, TG.Synthesis, TG.PatternDecision, TG.Analysis, TG.Observation, TG.Conclusion,
    TG.Decomposition, TG.Plan, TG.Finding, TG.StepResult, X.End, X.Influence, X.Evaluation,
))  # fmt: skip
_OURS = (SOURCE, RETRIEVAL, ANNOTATION)
_WHOLE_FILES = frozenset((
    "http://www.w3.org/2002/07/owl#Ontology", "http://www.w3.org/ns/dcat#Dataset", "http://rdfs.org/ns/void#Dataset",
    SKOS.base + "ConceptScheme",
))  # fmt: skip
_LONGEST_NAME, _LONGEST_NOTE = 300, 200  # characters
_REMEMBERED = 200_000  # names
_FURTHEST = 6  # steps from a statement to the document that it was taken from, and names within names


@dataclass(frozen=True)
class Naming:
    """By which predicates things are named, the best first, and in which languages; `labels` make no facts."""

    labels: tuple[str, ...] = _LABELS
    languages: tuple[str, ...] = ("en",)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The predicates of names, the labels first."""
        return tuple(dict.fromkeys((*self.labels, *_NAMES)))

    def called(self, said: Iterable[Quad]) -> str | None:
        """Return what something is called: by its label, in the best language or none, or else by another name."""
        names = self.names
        given = [(names.index(quad.predicate.value), self._rank(quad.object), quad.object.value)
                 for quad in said if quad.predicate.value in names and isinstance(quad.object, Literal)]  # fmt: skip
        most = len(self.labels)
        found = (one_line(text) for _, _, text in sorted(given, key=lambda one: (one[0] >= most, one[1], one[0])))
        return next((truncate(text, _LONGEST_NAME) for text in found if text), None)

    def _rank(self, label: Literal) -> tuple[int, bool]:
        """Return how good the language of a name is, and whether it is one of a country only."""
        tag = (label.language or "").lower()
        fits = (n for n, one in enumerate(self.languages) if tag == one.lower() or tag.startswith(f"{one.lower()}-"))
        place = next(fits, len(self.languages)) if tag else 0
        return place, place < len(self.languages) and tag not in ("", self.languages[place].lower())


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement: a fact, or else what is said of one thing without being one; blank nodes have IRIs.

    `notes` is what the file says of the statement itself, in words, and `sources` the IRIs in that.
    """

    triple: Triple
    words: tuple[str, str, str]
    is_fact: bool
    line: int | None = None
    notes: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()


@dataclass(slots=True)
class NoFacts:
    """How many statements made no fact: `names` of things, what stands in the `texts` alone, what is `beside` them,
    which is provenance, or of a record, and what only holds `lists` together, each of whose members makes a fact.
    """

    names: int = 0
    texts: int = 0
    beside: int = 0
    lists: int = 0

    def add(self, told: Statement | None, naming: Naming) -> None:
        """Count a statement that is put into words, unless it is a fact; None says no more than a name."""
        if told is None or (not told.is_fact and told.triple.predicate.value in naming.labels):
            self.names += 1
        elif not told.is_fact:
            self.texts += 1


@dataclass(frozen=True, slots=True)
class Stated:
    """What a file states, what it says of itself, and how much of it made no fact; `quoted` triples are not stated."""

    statements: tuple[Statement, ...]
    title: str | None
    author: str | None
    date: str | None
    no_facts: NoFacts
    quoted: int


def holds_runs(quads: Iterable[Quad]) -> bool:
    """Return whether there are steps of runs among some quads."""
    return any(
        quad.graph_name == RETRIEVAL or quad.predicate == TG.query
        or (quad.predicate == RDF.type and quad.object in _RUNS)
        for quad in quads
    )  # fmt: skip


def stated(
    quads: Sequence[Quad],
    key: str,
    base: str,
    lines: Mapping[Triple, int],
    naming: Naming = Naming(),
) -> Stated:
    """Return what a file states, in its order and each once.

    `key` tells its blank nodes from those of others: by it they have IRIs, the same for the same quads. `base` is what
    the file calls itself, and `naming` says how it names things.
    """
    named = list(without_blanks(quads, key))
    where = {quad: lines.get(given.triple) for quad, given in zip(named, quads, strict=True)}
    named, where = _members(named, where)
    held = _Held(named, naming)
    file = Telling(held, base, naming)
    statements: dict[Triple, Statement] = {}
    no_facts = NoFacts(lists=len(quads) - len(named))
    for quad in named:
        if file.is_beside(quad):
            no_facts.beside += 1
        elif quad.triple not in statements:
            one = file.statement(quad, where[quad])
            no_facts.add(one, naming)
            statements.update({quad.triple: one} if one is not None else {})
    only_quoted = {triple for triple in held.quoted if triple not in statements}
    title, author, date = file.itself()
    return Stated(tuple(statements.values()), title, author, date, no_facts, len(only_quoted))


class Said(Protocol):
    """What a file says, looked up by what it speaks of; blank nodes have IRIs."""

    def about(self, node: Term, *predicates: str) -> Sequence[Quad]:
        """Return what is said of a node, by some predicates or any."""

    def kinds(self, kind: NamedNode) -> Iterable[Term]:
        """Return the nodes of a kind."""

    def within(self, node: Term) -> Quad | None:
        """Return the first statement that has a node as its object."""

    def quoting(self, triple: Triple) -> Sequence[Term]:
        """Return the nodes that quote a triple."""

    def is_beside(self, node: Term) -> bool:
        """Return whether a node is a statement or an activity: no thing of the world."""

    def is_graph(self, node: Term) -> bool:
        """Return whether a node names a graph."""

    def called(self, node: Term) -> str | None:
        """Return what a node is called, by what is said of it."""

    def apart(self, node: NamedNode, name: str) -> str:
        """Return the name of a node without one of its own, told from those of others."""


class _Held:
    """What a file says, held in memory."""

    def __init__(self, quads: Sequence[Quad], naming: Naming) -> None:
        self.quoted: dict[Triple, list[Term]] = defaultdict(list)
        self._about: dict[Term, list[Quad]] = defaultdict(list)
        self._found: dict[tuple[Term, tuple[str, ...]], list[Quad]] = {}
        self._in: dict[Term, Quad] = {}
        self._beside: set[Term] = set()
        self._graphs: set[Term] = set()
        self._called: dict[Term, str] = {}
        self._kinds: dict[Term, list[Term]] = defaultdict(list)
        self._alike: Counter[str] = Counter()
        for quad in quads:
            self._about[quad.subject].append(quad)
            if not isinstance(quad.object, Literal | Triple):
                self._in.setdefault(quad.object, quad)
            if quad.graph_name != FACTS:
                self._graphs.add(quad.graph_name)  # type: ignore[arg-type]
            if quad.predicate == RDF.type:
                self._kinds[quad.object].append(quad.subject)
            if isinstance(quad.object, Triple):
                self._quotes(quad.subject, quad.object)
            elif is_of_record(quad):
                self._beside.add(quad.subject)
        for node, said in self._about.items():
            if (triple := quoted_in(said)) is not None:
                self._quotes(node, triple)
            if called := naming.called(said):
                self._called[node] = called

    def _quotes(self, node: Term, triple: Triple) -> None:
        self.quoted[triple].append(node)
        self._beside.add(node)

    def about(self, node: Term, *predicates: str) -> Sequence[Quad]:
        said = self._about.get(node, [])
        if not predicates:
            return said
        if (node, predicates) not in self._found:  # asked for with each of very many statements about it
            self._found[node, predicates] = [quad for quad in said if quad.predicate.value in predicates]
        return self._found[node, predicates]

    def kinds(self, kind: NamedNode) -> Iterable[Term]:
        return self._kinds.get(kind, ())

    def within(self, node: Term) -> Quad | None:
        return self._in.get(node)

    def quoting(self, triple: Triple) -> Sequence[Term]:
        return self.quoted.get(triple, ())

    def is_beside(self, node: Term) -> bool:
        return node in self._beside

    def is_graph(self, node: Term) -> bool:
        return node in self._graphs

    def called(self, node: Term) -> str | None:
        return self._called.get(node)

    def apart(self, _: NamedNode, name: str) -> str:
        self._alike[name] += 1
        return name if self._alike[name] == 1 else f"{name} ({self._alike[name]:,})"


@dataclass(slots=True)
class Telling:
    """What a file says, in words; `base` is what it calls itself."""

    said: Said
    base: str
    naming: Naming = field(default_factory=Naming)
    _names: dict[Term, str] = field(default_factory=dict)
    _naming: list[Term] = field(default_factory=list)

    def statement(self, quad: Quad, line: int | None) -> Statement | None:
        """Return a statement in words; None where it says no more than what something is called."""
        if (told := self._told(quad)) is None:
            return None
        notes, sources = self._taken_from(quad)
        return Statement(quad.triple, told, self._is_fact(quad), line, notes, sources)

    def is_beside(self, quad: Quad) -> bool:
        """Return whether a statement is about provenance, a statement, or a node of a record."""
        ends = (quad.subject, quad.object)
        return (
            quad.graph_name in _OURS
            or isinstance(quad.object, Triple)
            or quad.predicate.value.startswith(_ABOUT_RECORDS)
            or quad.predicate.value in TAKEN_FROM
            or (quad.predicate.value.startswith(_ABOUT_GRAPHS) and self.said.is_graph(quad.subject))
            or (quad.predicate == RDF.type and _is_class_of_record(quad.object))
            or any(self.said.is_beside(end) for end in ends)
            or any(isinstance(term, NamedNode) and _is_node(term) for term in (*ends, quad.predicate))
        )

    def _told(self, quad: Quad) -> tuple[str, str, str] | None:
        obj = quad.object
        words = self.name(quad.subject), self.name(quad.predicate), self.name(obj)
        if quad.predicate.value in self.naming.names and words[2] == self.said.called(quad.subject):
            return None if not self._is_fact(quad) else words
        return None if quad.subject == NamedNode(self.base) and not self._is_fact(quad) else words

    def _is_fact(self, quad: Quad) -> bool:
        plain = Quad(quad.subject, quad.predicate, quad.object, FACTS)
        return is_fact(plain) and quad.predicate.value not in self.naming.labels

    def name(self, term: Term) -> str:
        """Return what something is called."""
        if isinstance(term, Literal):
            return " ".join(term.value.split())
        if (name := self._names.get(term)) is None:
            name = self._named(term)
            if len(self._names) >= _REMEMBERED:
                self._names.clear()
            self._names[term] = name
        return name

    def _named(self, term: Term) -> str:
        if (called := self.said.called(term)) is not None:
            return called
        if not isinstance(term, NamedNode) or not is_blank(term.value):
            return truncate(one_line(local_name(term.value)), _LONGEST_NAME) if isinstance(term, NamedNode) else ""
        whole = self.said.within(term)
        self._naming.append(term)
        if whole is not None and len(self._naming) <= _FURTHEST and whole.subject not in self._naming:
            name = f"{self.name(whole.predicate)} of {self.name(whole.subject)}"
        else:
            kinds = [quad.object for quad in self.said.about(term, RDF.type.value)]
            name = f"a thing of the kind {self.name(kinds[0])}" if kinds else "a thing without a name"
        self._naming.pop()
        return self.said.apart(term, truncate(name, _LONGEST_NAME))

    def _taken_from(self, quad: Quad) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return what the file says of a statement, its graph or its subject, as words, and the IRIs of its sources."""
        notes: dict[str, None] = {}
        sources: dict[str, None] = {}
        quoting, graph = (
            dict.fromkeys(self.said.quoting(quad.triple)),
            [] if quad.graph_name == FACTS else [quad.graph_name],
        )
        for node in (*quoting, *graph, quad.subject):
            is_source = node in quoting or node in graph  # else a thing, of which very much may be said
            for said in self.said.about(node, *(() if is_source else TAKEN_FROM)):  # type: ignore[arg-type]
                predicate = said.predicate.value
                if predicate in TAKEN_FROM:
                    origin = self._origin(said.object)
                    notes.setdefault(f"source: {self._shown(origin)}")
                    sources.update({origin.value: None} if isinstance(origin, NamedNode) else {})
                elif (node in quoting and self._qualifies(said)) or (
                    node in graph and predicate.startswith(_ABOUT_GRAPHS)
                ):
                    notes.setdefault(f"{self.name(said.predicate)}: {self._shown(said.object)}")
        return tuple(notes), tuple(sources)

    def _qualifies(self, said: Quad) -> bool:
        """Return whether what is said of a quoted statement tells more of it than what it quotes."""
        is_own = said.predicate in _OF_STATEMENTS or said.predicate == RDFS.label
        return not is_own and not said.predicate.value.startswith((TG.base, X.base))

    def _origin(self, node: Term) -> Term:
        """Return the document that a part of one was taken from."""
        for _ in range(_FURTHEST):
            above = (quad.object for quad in self.said.about(node, PROV.wasDerivedFrom.value))
            found = next(above, None)
            if found is None or isinstance(found, Literal | Triple):
                break
            node = found
        return node

    def _shown(self, term: Term) -> str:
        called = self.said.called(term)
        if called is None and isinstance(term, NamedNode) and not is_blank(term.value):
            return truncate(one_line(term.value), _LONGEST_NOTE)
        return truncate(self.name(term), _LONGEST_NOTE)

    def itself(self) -> tuple[str | None, str | None, str | None]:
        """Return the title, author and date that the file has for itself."""
        wholes = [node for kind in _WHOLE_FILES for node in self.said.kinds(NamedNode(kind))]
        for node in dict.fromkeys((NamedNode(self.base), *(wholes if len(set(wholes)) == 1 else ()))):
            if said := self.said.about(node):
                author, date = (_first(said, among) for among in (_AUTHORS, _DATES))
                return self.said.called(node), self.name(author) if author else None, self.name(date) if date else None
        return None, None, None


_NO_RECORDS = frozenset((PROV.Entity, PROV.Agent))  # classes that things of the world have as well


def is_of_record(quad: Quad) -> bool:
    """Return whether a statement says that its subject is a node of a record."""
    return quad.predicate == RDF.type and _is_class_of_record(quad.object) and quad.object not in _NO_RECORDS


def quoted_in(said: Iterable[Quad]) -> Triple | None:
    """Return the triple that a node quotes by its subject, predicate and object; None where it quotes none."""
    parts = {quad.predicate: quad.object for quad in said}
    if RDF.subject in parts and RDF.object in parts and isinstance(parts.get(RDF.predicate), NamedNode):
        return Triple(parts[RDF.subject], parts[RDF.predicate], parts[RDF.object])  # type: ignore[arg-type]
    return None


def _is_class_of_record(term: Term) -> bool:
    return isinstance(term, NamedNode) and term.value.startswith(_ABOUT_RECORDS)


def _is_node(term: NamedNode) -> bool:
    """Return whether an IRI is one of a record: of a run, a document or a part of one."""
    return not is_blank(term.value) and of_record(term.value) is not None


def _first(said: Iterable[Quad], among: Sequence[str]) -> Term | None:
    found = {quad.predicate.value: quad.object for quad in said if quad.predicate.value in among}
    return next((found[one] for one in among if one in found), None)


def _members(quads: Sequence[Quad], where: Mapping[Quad, int | None]) -> tuple[list[Quad], dict[Quad, int | None]]:
    """Put the members of each list in its place; lists that are broken, or mentioned twice, stay as they are."""
    firsts: dict[Term, Quad] = {quad.subject: quad for quad in quads if quad.predicate == FIRST}
    rests: dict[Term, Quad] = {quad.subject: quad for quad in quads if quad.predicate == REST}
    if not rests:
        return list(quads), dict(where)
    mentions = Counter(node for quad in quads for node in (quad.subject, quad.object) if node in rests)
    made, lines, gone = list[Quad](), dict[Quad, int | None](), set[Quad]()
    for quad in quads:
        members, chain, node = list[Term](), list[Quad](), quad.object
        while quad.predicate != REST and node in rests and node in firsts and mentions[node] == 3:
            chain += (firsts[node], rests[node])
            members.append(firsts[node].object)
            mentions[node] = 0  # so that a circle ends
            node = rests[node].object
        if members and node == NIL:
            gone.update(chain)
        else:
            members = [quad.object]
        for member in members:
            made.append(Quad(quad.subject, quad.predicate, member, quad.graph_name))
            lines.setdefault(made[-1], where[quad])
    return [quad for quad in made if quad not in gone], lines


def without_blanks(quads: Iterable[Quad], key: str) -> Iterator[Quad]:
    """Yield quads with IRIs in place of blank nodes, numbered as they come."""
    known: dict[BlankNode, NamedNode] = {}

    def named(term: Term) -> Term:
        match term:
            case BlankNode():
                return known.setdefault(term, NamedNode(iri("blank", key, len(known) + 1)))
            case Triple():
                return Triple(named(term.subject), term.predicate, named(term.object))  # type: ignore[arg-type]
            case _:
                return term

    for quad in quads:
        graph = quad.graph_name
        subject, where = named(quad.subject), graph if graph == FACTS else named(graph)  # type: ignore[arg-type]
        yield Quad(subject, quad.predicate, named(quad.object), where)  # type: ignore[arg-type]
