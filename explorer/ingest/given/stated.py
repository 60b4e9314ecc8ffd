"""What a file of RDF states: its facts, what things are called in it, and the sources that it names. Values in, out.

What it says of provenance and of documents is no fact: what a fact is taken from stands beside it, and the rest is
left out. What is only quoted is not stated. Nodes of a record, whatever the file says of them, are left alone.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Triple

from explorer.rdf.writing import Term
from explorer.stores.facts import is_fact
from explorer.text import one_line, truncate
from explorer.vocab import ANNOTATION, DC, FACTS, PROV, RDF, RDFS, RETRIEVAL, SKOS, SOURCE, TG, X, iri, local_name
from explorer.vocab import recognise as of_record

_DCTERMS = "http://purl.org/dc/terms/"
_SCHEMA = ("https://schema.org/", "http://schema.org/")
_LABELS = (RDFS.label.value, SKOS.base + "prefLabel")
_NAMES = (*_LABELS, *(base + "name" for base in (*_SCHEMA, "http://xmlns.com/foaf/0.1/")), DC.title.value,
          _DCTERMS + "title")  # fmt: skip
_TAKEN_FROM = frozenset((
    PROV.wasDerivedFrom.value, PROV.base + "hadPrimarySource", PROV.base + "wasQuotedFrom", DC.source.value,
    _DCTERMS + "source",
))  # fmt: skip
_AUTHORS = (DC.creator.value, _DCTERMS + "creator", *(base + "author" for base in _SCHEMA))
_DATES = (DC.date.value, _DCTERMS + "date", _DCTERMS + "modified", _DCTERMS + "issued", _DCTERMS + "created")
_ABOUT_RECORDS = (PROV.base, TG.base, X.base, "http://www.nanopub.org/nschema#")
_ABOUT_GRAPHS = (DC.base, _DCTERMS, "http://purl.org/pav/", "http://rdfs.org/ns/void#", PROV.base)
_FIRST, _REST, _NIL = (NamedNode(RDF.base + name) for name in ("first", "rest", "nil"))
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
_FURTHEST = 6  # steps from a statement to the document that it was taken from, and names within names


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


@dataclass(frozen=True, slots=True)
class Stated:
    """What a file states, and what it says of itself; `left_out` counts what is provenance, or of a record."""

    statements: tuple[Statement, ...]
    title: str | None
    author: str | None
    date: str | None
    left_out: int
    quoted: int


def holds_runs(quads: Iterable[Quad]) -> bool:
    """Return whether there are steps of runs among some quads."""
    return any(
        quad.graph_name == RETRIEVAL or quad.predicate == TG.query
        or (quad.predicate == RDF.type and quad.object in _RUNS)
        for quad in quads
    )  # fmt: skip


def stated(quads: Sequence[Quad], key: str, base: str, lines: Mapping[Triple, int]) -> Stated:
    """Return what a file states, in its order and each once.

    `key` tells its blank nodes from those of others: by it they have IRIs, the same for the same quads. `base` is what
    the file calls itself.
    """
    named = list(_without_blanks(quads, key))
    where = {quad: lines.get(given.triple) for quad, given in zip(named, quads, strict=True)}
    named, where = _members(named, where)
    file = _File(named, base)
    statements: dict[Triple, Statement] = {}
    left_out = 0
    for quad in file.quads:
        if file.is_beside(quad):
            left_out += 1
        elif quad.triple not in statements and (told := file.told(quad)) is not None:
            notes, sources = file.taken_from(quad)
            statements[quad.triple] = Statement(quad.triple, told, _is_fact(quad), where[quad], notes, sources)
    only_quoted = {triple for triple in file.quoted if triple not in statements}
    title, author, date = file.itself()
    return Stated(tuple(statements.values()), title, author, date, left_out, len(only_quoted))


@dataclass(slots=True)
class _File:
    quads: Sequence[Quad]
    base: str
    about: dict[Term, list[Quad]] = field(default_factory=lambda: defaultdict(list))
    quoted: dict[Triple, list[Term]] = field(default_factory=lambda: defaultdict(list))
    called: dict[Term, str] = field(default_factory=dict)
    names: dict[Term, str] = field(default_factory=dict)
    _in: dict[Term, Quad] = field(default_factory=dict)  # what a node is first an object of
    _beside: set[Term] = field(default_factory=set)  # statements and activities: what is no thing of the world
    _graphs: set[Term] = field(default_factory=set)
    _alike: Counter[str] = field(default_factory=Counter)
    _naming: list[Term] = field(default_factory=list)

    def __post_init__(self) -> None:
        for quad in self.quads:
            self.about[quad.subject].append(quad)
            if not isinstance(quad.object, Literal | Triple):
                self._in.setdefault(quad.object, quad)
            if quad.graph_name != FACTS:
                self._graphs.add(quad.graph_name)  # type: ignore[arg-type]
            if isinstance(quad.object, Triple):
                self._quotes(quad.subject, quad.object)
            elif quad.predicate == RDF.type and _is_of_record(quad.object) and quad.object not in _NO_RECORDS:
                self._beside.add(quad.subject)
        for node, said in self.about.items():
            parts = {quad.predicate: quad.object for quad in said}
            if RDF.subject in parts and RDF.object in parts and isinstance(parts.get(RDF.predicate), NamedNode):
                self._quotes(node, Triple(parts[RDF.subject], parts[RDF.predicate], parts[RDF.object]))  # type: ignore[arg-type]
            if called := _called(said):
                self.called[node] = called

    def _quotes(self, node: Term, triple: Triple) -> None:
        self.quoted[triple].append(node)
        self._beside.add(node)

    def is_beside(self, quad: Quad) -> bool:
        """Return whether a statement is about provenance, a statement, or a node of a record."""
        ends = (quad.subject, quad.object)
        return (
            quad.graph_name in _OURS
            or isinstance(quad.object, Triple)
            or quad.predicate.value.startswith(_ABOUT_RECORDS)
            or quad.predicate.value in _TAKEN_FROM
            or (quad.subject in self._graphs and quad.predicate.value.startswith(_ABOUT_GRAPHS))
            or (quad.predicate == RDF.type and _is_of_record(quad.object))
            or any(end in self._beside for end in ends)
            or any(isinstance(term, NamedNode) and _is_node(term) for term in (*ends, quad.predicate))
        )

    def told(self, quad: Quad) -> tuple[str, str, str] | None:
        """Return the words of a statement; None where it says no more than what something is called."""
        obj = quad.object
        words = self.name(quad.subject), self.name(quad.predicate), self.name(obj)
        if quad.predicate.value in _NAMES and words[2] == self.called.get(quad.subject):
            return None if not _is_fact(quad) else words
        return None if quad.subject == NamedNode(self.base) and not _is_fact(quad) else words

    def name(self, term: Term) -> str:
        """Return what something is called."""
        if isinstance(term, Literal):
            return " ".join(term.value.split())
        if term not in self.names:
            self.names[term] = self._named(term)
        return self.names[term]

    def _named(self, term: Term) -> str:
        if (called := self.called.get(term)) is not None:
            return called
        if not isinstance(term, NamedNode) or not _is_blank(term):
            return truncate(one_line(local_name(term.value)), _LONGEST_NAME) if isinstance(term, NamedNode) else ""
        whole = self._in.get(term)
        self._naming.append(term)
        if whole is not None and len(self._naming) <= _FURTHEST and whole.subject not in self._naming:
            name = f"{self.name(whole.predicate)} of {self.name(whole.subject)}"
        else:
            kinds = [quad.object for quad in self.about[term] if quad.predicate == RDF.type]
            name = f"a thing of the kind {self.name(kinds[0])}" if kinds else "a thing without a name"
        self._naming.pop()
        name = truncate(name, _LONGEST_NAME)
        self._alike[name] += 1
        return name if self._alike[name] == 1 else f"{name} ({self._alike[name]:,})"

    def taken_from(self, quad: Quad) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return what the file says of a statement, its graph or its subject, as words, and the IRIs of its sources."""
        notes: dict[str, None] = {}
        sources: dict[str, None] = {}
        quoting, graph = self.quoted.get(quad.triple, []), [] if quad.graph_name == FACTS else [quad.graph_name]
        for node in (*quoting, *graph, quad.subject):
            for said in self.about.get(node, ()):  # type: ignore[arg-type]
                predicate = said.predicate.value
                if predicate in _TAKEN_FROM:
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
            above = (quad.object for quad in self.about.get(node, ()) if quad.predicate == PROV.wasDerivedFrom)
            found = next(above, None)
            if found is None or isinstance(found, Literal | Triple):
                break
            node = found
        return node

    def _shown(self, term: Term) -> str:
        called = self.called.get(term)
        if called is None and isinstance(term, NamedNode) and not _is_blank(term):
            return truncate(one_line(term.value), _LONGEST_NOTE)
        return truncate(self.name(term), _LONGEST_NOTE)

    def itself(self) -> tuple[str | None, str | None, str | None]:
        """Return the title, author and date that the file has for itself."""
        wholes = [quad.subject for quad in self.quads
                  if quad.predicate == RDF.type and isinstance(quad.object, NamedNode)
                  and quad.object.value in _WHOLE_FILES]  # fmt: skip
        for node in dict.fromkeys((NamedNode(self.base), *(wholes if len(set(wholes)) == 1 else ()))):
            said = self.about.get(node)
            if said:
                author, date = (_first(said, among) for among in (_AUTHORS, _DATES))
                return self.called.get(node), self.name(author) if author else None, self.name(date) if date else None
        return None, None, None


_NO_RECORDS = frozenset((PROV.Entity, PROV.Agent))  # classes that things of the world have as well


def _is_fact(quad: Quad) -> bool:
    plain = Quad(quad.subject, quad.predicate, quad.object, FACTS)
    return is_fact(plain) and quad.predicate.value not in _LABELS


def _is_of_record(term: Term) -> bool:
    return isinstance(term, NamedNode) and term.value.startswith(_ABOUT_RECORDS)


def _is_node(term: NamedNode) -> bool:
    """Return whether an IRI is one of a record: of a run, a document or a part of one."""
    return not _is_blank(term) and of_record(term.value) is not None


def _is_blank(term: NamedNode) -> bool:
    found = of_record(term.value)
    return found is not None and found.kind == "blank"


def _called(said: Iterable[Quad]) -> str | None:
    """Return what something is called: by its label, in English or no language, or else by another name."""
    given = [(_NAMES.index(quad.predicate.value), _foreign(quad.object), quad.object.value)
             for quad in said if quad.predicate.value in _NAMES and isinstance(quad.object, Literal)]  # fmt: skip
    found = (one_line(text) for _, _, text in sorted(given, key=lambda one: (one[0] >= len(_LABELS), one[1], one[0])))
    return next((truncate(text, _LONGEST_NAME) for text in found if text), None)


def _foreign(label: Literal) -> int:
    language = (label.language or "").lower()
    return 0 if language in ("", "en") else 1 if language.startswith("en-") else 2


def _first(said: Iterable[Quad], among: Sequence[str]) -> Term | None:
    found = {quad.predicate.value: quad.object for quad in said if quad.predicate.value in among}
    return next((found[one] for one in among if one in found), None)


def _members(quads: Sequence[Quad], where: Mapping[Quad, int | None]) -> tuple[list[Quad], dict[Quad, int | None]]:
    """Put the members of each list in its place; lists that are broken, or mentioned twice, stay as they are."""
    firsts: dict[Term, Quad] = {quad.subject: quad for quad in quads if quad.predicate == _FIRST}
    rests: dict[Term, Quad] = {quad.subject: quad for quad in quads if quad.predicate == _REST}
    if not rests:
        return list(quads), dict(where)
    mentions = Counter(node for quad in quads for node in (quad.subject, quad.object) if node in rests)
    made, lines, gone = list[Quad](), dict[Quad, int | None](), set[Quad]()
    for quad in quads:
        members, chain, node = list[Term](), list[Quad](), quad.object
        while quad.predicate != _REST and node in rests and node in firsts and mentions[node] == 3:
            chain += (firsts[node], rests[node])
            members.append(firsts[node].object)
            mentions[node] = 0  # so that a circle ends
            node = rests[node].object
        if members and node == _NIL:
            gone.update(chain)
        else:
            members = [quad.object]
        for member in members:
            made.append(Quad(quad.subject, quad.predicate, member, quad.graph_name))
            lines.setdefault(made[-1], where[quad])
    return [quad for quad in made if quad not in gone], lines


def _without_blanks(quads: Iterable[Quad], key: str) -> Iterator[Quad]:
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
