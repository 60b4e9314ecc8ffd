"""What a file of RDF states: its facts, what things are called in it, and the sources that it names. Values in, out.

What it says of provenance and of documents is no fact: what a fact is taken from stands beside it, and the rest is
left out. What is only quoted is not stated. Nodes of a record, whatever the file says of them, are left alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pyoxigraph import Literal, NamedNode, Quad, Triple

from explorer.ingest.readers.rdf_said import (
    ABOUT_RECORDS,
    DCTERMS,
    LONGEST_NAME,
    SCHEMA,
    Naming,
    Said,
    is_class_of_record,
)
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
    is_blank,
    local_name,
)
from explorer.vocab import recognise as of_record

TAKEN_FROM = frozenset((
    PROV.wasDerivedFrom.value, PROV.base + "hadPrimarySource", PROV.base + "wasQuotedFrom", DC.source.value,
    DCTERMS + "source",
))  # fmt: skip
_AUTHORS = (DC.creator.value, DCTERMS + "creator", *(base + "author" for base in SCHEMA))
_DATES = (DC.date.value, DCTERMS + "date", DCTERMS + "modified", DCTERMS + "issued", DCTERMS + "created")
_ABOUT_GRAPHS = (DC.base, DCTERMS, "http://purl.org/pav/", "http://rdfs.org/ns/void#", PROV.base)
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
_LONGEST_NOTE = 200  # characters
_REMEMBERED = 200_000  # names
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


def holds_runs(quads: Iterable[Quad]) -> bool:
    """Return whether there are steps of runs among some quads."""
    return any(
        quad.graph_name == RETRIEVAL or quad.predicate == TG.query
        or (quad.predicate == RDF.type and quad.object in _RUNS)
        for quad in quads
    )  # fmt: skip


@dataclass(slots=True)
class Telling:
    """What a file says, in words; `base` is what it calls itself."""

    said: Said
    base: str
    _names: dict[Term, str] = field(default_factory=dict)
    _naming: list[Term] = field(default_factory=list)

    def statement(self, quad: Quad, line: int | None) -> Statement | None:
        """Return a statement in words; None where it says no more than what something is called."""
        if (told := self._words(quad)) is None:
            return None
        notes, sources = self._taken_from(quad)
        return Statement(quad.triple, told, self._is_fact(quad), line, notes, sources)

    def is_beside(self, quad: Quad) -> bool:
        """Return whether a statement is about provenance, a statement, or a node of a record."""
        ends = (quad.subject, quad.object)
        return (
            quad.graph_name in _OURS
            or isinstance(quad.object, Triple)
            or quad.predicate.value.startswith(ABOUT_RECORDS)
            or quad.predicate.value in TAKEN_FROM
            or (quad.predicate.value.startswith(_ABOUT_GRAPHS) and self.said.is_graph(quad.subject))
            or (quad.predicate == RDF.type and is_class_of_record(quad.object))
            or any(self.said.is_beside(end) for end in ends)
            or any(isinstance(term, NamedNode) and _is_node(term) for term in (*ends, quad.predicate))
        )

    def _words(self, quad: Quad) -> tuple[str, str, str] | None:
        obj = quad.object
        words = self.name(quad.subject), self.name(quad.predicate), self.name(obj)
        if quad.predicate.value in self.said.naming.names and words[2] == self.said.called(quad.subject):
            return None if not self._is_fact(quad) else words
        return None if quad.subject == NamedNode(self.base) and not self._is_fact(quad) else words

    def _is_fact(self, quad: Quad) -> bool:
        plain = Quad(quad.subject, quad.predicate, quad.object, FACTS)
        return is_fact(plain) and quad.predicate.value not in self.said.naming.labels

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
            return truncate(one_line(local_name(term.value)), LONGEST_NAME) if isinstance(term, NamedNode) else ""
        whole = self.said.within(term)
        self._naming.append(term)
        if whole is not None and len(self._naming) <= _FURTHEST and whole.subject not in self._naming:
            name = f"{self.name(whole.predicate)} of {self.name(whole.subject)}"
        else:
            kinds = [quad.object for quad in self.said.about(term, RDF.type.value) if quad.object not in self._naming]
            name = (
                f"a thing of the kind {self.name(kinds[0])}"
                if kinds and len(self._naming) <= _FURTHEST
                else "a thing without a name"
            )
        self._naming.pop()
        return self.said.apart(term, truncate(name, LONGEST_NAME))

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


def _is_node(term: NamedNode) -> bool:
    """Return whether an IRI is one of a record: of a run, a document or a part of one."""
    return not is_blank(term.value) and of_record(term.value) is not None


def _first(said: Iterable[Quad], among: Sequence[str]) -> Term | None:
    found = {quad.predicate.value: quad.object for quad in said if quad.predicate.value in among}
    return next((found[one] for one in among if one in found), None)
