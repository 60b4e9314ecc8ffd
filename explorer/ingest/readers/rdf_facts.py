"""What a file of RDF states: its facts, what things are called in it, and the sources that it names; each statement as
a line of text in plain words, as Turtle and its kin are no text to read or to search.

What it says of provenance and of documents is no fact: what a fact is taken from stands beside it, and the rest is
left out. What is only quoted is not stated. Nodes of a record, whatever the file says of them, are left alone.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from urllib.parse import quote

from pyoxigraph import Literal, NamedNode, Quad, Triple

from explorer import rdf
from explorer.errors import DocumentError, RecordError
from explorer.ingest.readers.document_text import DocumentPart, NoFacts, ReadyFact, title_from
from explorer.ingest.readers.rdf_lookup import (
    ABOUT_RECORDS,
    DCTERMS,
    LONGEST_NAME,
    SCHEMA,
    Naming,
    Said,
    is_class_of_record,
)
from explorer.rdf.writing import Term
from explorer.stores.attached import MARK, attachment_of
from explorer.stores.default_graph import is_fact
from explorer.text import count, one_line, truncate
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
    STORE,
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
_OF_STATEMENTS = frozenset((RDF.type, RDF.reifies, RDF.subject, RDF.predicate, RDF.object, RDFS.label))
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
MIMES = {
    "nq": "application/n-quads", "trig": "application/trig", "nt": "application/n-triples", "turtle": "text/turtle",
    "rdfxml": "application/rdf+xml", "json-ld": "application/ld+json",
}  # fmt: skip
_MARKUP = re.compile(rb"\s*<(?:[?!]|[\w.:-]+[\s>])")  # and not an IRI
_CAUSE = re.compile(r"This \S+ can't be read(.*)\. Nothing of it was stored; correct it first\.", re.DOTALL)
_PIECE = 950  # code points: a passage of 1,000 holds it whole
_SHOWN = 500  # code points of a value in the words of a fact
REFUSED = 100  # that are named
_VERB = re.compile(
    r"(?:is|are|was|has|have|had|can|does|did)\b.*|\w+ed\b.*|\w+s (?:in|at|to|for|from|with|on|by|of)\b.*"
)
_SMALL = re.compile(r"[a-z]{2,}\b")
_AN = re.compile(r"[aeiou]", re.IGNORECASE)
_SUBCLASS = RDFS.base + "subClassOf"


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
            or any(
                isinstance(term, NamedNode) and (known := of_record(term.value)) and known.kind != "blank"
                for term in (*ends, quad.predicate)
            )
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
                tells = said.predicate not in _OF_STATEMENTS and not predicate.startswith((TG.base, X.base))
                tells = tells and node in quoting  # more of a quoted statement than what it quotes
                if predicate in TAKEN_FROM:
                    origin = self._origin(said.object)
                    notes.setdefault(f"source: {self._shown(origin)}")
                    sources.update({origin.value: None} if isinstance(origin, NamedNode) else {})
                elif tells or (node in graph and predicate.startswith(_ABOUT_GRAPHS)):
                    notes.setdefault(f"{self.name(said.predicate)}: {self._shown(said.object)}")
        return tuple(notes), tuple(sources)

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


def _first(said: Iterable[Quad], among: Sequence[str]) -> Term | None:
    found = {quad.predicate.value: quad.object for quad in said if quad.predicate.value in among}
    return next((found[one] for one in among if one in found), None)


def form_of(data: bytes, name: str) -> str:
    """Return the format of a file of RDF, by its first bytes and its name."""
    if data.startswith(MARK):
        return "nq"
    form = rdf.guess(name, data)
    return rdf.guess(None, data) if form not in MIMES or (form == "rdfxml" and not _MARKUP.match(data)) else form


def about_file(data: bytes, name: str, form: str) -> tuple[str, str, Naming]:
    """Return what a file of RDF is called, its media type, and how it names things, by its first bytes: what was read
    of a triple store tells that itself.
    """
    if (told := attachment_of(data)) is not None:
        return told.title, STORE, Naming(told.labels, told.languages)
    return title_from(name), MIMES[form], Naming()


def base_of(place: str, name: str) -> str:
    """Return what a file calls itself, which stands at a place."""
    key = hashlib.sha256(place.encode(errors="replace")).hexdigest()[:8]
    return f"file:///{key}/{quote(PurePath(name).name)}"


def unreadable(name: str, error: RecordError) -> DocumentError:
    """Return why a file is no RDF, as the parser says it."""
    found = _CAUSE.fullmatch(str(error))
    return DocumentError(f"{name!r} can't be read{found[1] if found else f': {error}'}; correct it and try again.")


def of_runs(name: str) -> DocumentError:
    """Return that a file has recorded runs in it."""
    return DocumentError(f"{name!r} has recorded runs in it, and is no document; use `explorer import` for it.")


def without_facts(name: str, refused: Sequence[str], beside: int) -> DocumentError:
    """Return that a file states nothing, what of it was not read, and how much is provenance, or of a record."""
    first = f" ({refused[0]})" if refused else ""
    if beside and not refused:
        told = f"states no fact but {count(beside, 'statement')} of provenance or a record"
        return DocumentError(f"{name!r} {told}; use `explorer import` for it.")
    return DocumentError(f"{name!r} states no fact{first}; check that it is the right file.")


def refusals(refused: Sequence[rdf.RefusedStatement], many: int) -> Iterator[str]:
    """Yield why statements were not read, of `many` the first."""
    for one in refused[:REFUSED]:
        places = (("line", one.line), ("column", one.column))
        where = ", ".join(f"{word} {number:,}" for word, number in places if number is not None)
        yield f"{where}: {one.reason}" if where else one.reason
    if (more := many - REFUSED) > 0:
        yield f"{count(more, 'more statement')} can't be read either"


def notes(mime: str, no_facts: NoFacts, quoted: int) -> Iterator[str]:
    """Yield what there is to say of statements that made no fact: left out as provenance, of which the report on a
    store has a line of its own, or only quoted.
    """
    if no_facts.beside and mime != STORE:
        yield f"{count(no_facts.beside, 'statement')} on where facts come from, or of a record, made no fact"
    if quoted:
        yield f"{count(quoted, 'statement')} made no fact, only being quoted and not stated"


def written(
    statements: Sequence[Statement], start: int = 0, number: int = 1, before: int = 0
) -> tuple[str, tuple[DocumentPart, ...], tuple[ReadyFact, ...]]:
    """Write statements as lines of text, in sections that a passage holds whole.

    The text begins at `start` in that of its document, its sections with `number`; `before` are the statements so far.
    """
    pieces, parts, facts = list[str](), list[DocumentPart](), list[ReadyFact]()
    at = begin = start
    first = 0

    def part(last: int) -> DocumentPart:
        return _part(statements[first:last], before + first, number + len(parts), begin, at - 1)

    for place, one in enumerate(statements):
        line = sentence(one)
        if pieces and at + len(line) - begin > _PIECE:
            parts.append(part(place))
            pieces.append("\n")
            at, begin, first = at + 1, at + 1, place
        if one.is_fact:
            words = (*one.words[:2], one.words[2][:_SHOWN])
            facts.append(ReadyFact(at, at + len(line), one.triple, words, one.line, one.sources))
        pieces += (line, "\n")
        at += len(line) + 1
    parts.append(part(len(statements)))
    return "".join(pieces), tuple(parts), tuple(facts)


def _part(statements: Sequence[Statement], before: int, number: int, start: int, end: int) -> DocumentPart:
    lines = [one.line for one in statements if one.line is not None]
    kind, first, last = "line", min(lines, default=0), max(lines, default=0)
    if len(lines) < len(statements):
        kind, first, last = "statement", before + 1, before + len(statements)
    label = f"{kind.title()} {first:,}" if first == last else f"{kind.title()}s {first:,}–{last:,}"
    return DocumentPart("section", number, label, start, end)


def sentence(one: Statement) -> str:
    """Return a statement as a sentence, with what the file says of it in brackets."""
    subject, predicate, obj = one.words
    term = one.triple.predicate
    if term == RDF.type:
        said = f"{subject} is {'an' if _AN.match(obj) else 'a'} {obj}"
    elif term.value == _SUBCLASS:
        said = f"{subject} is a kind of {obj}"
    elif term == RDFS.label:
        said = f"{subject} is also called {obj}"
    elif _VERB.fullmatch(predicate) and not (isinstance(one.triple.object, Literal) and len(obj) > _SHOWN):
        said = f"{subject} {predicate} {obj}"
    else:
        said = f"{subject}: {predicate} {obj}"
    said = said[0].upper() + said[1:] if _SMALL.match(said) else said  # or it would pass for the end of a sentence
    notes = f" ({'; '.join(one.notes)})" if one.notes else ""
    return f"{said}{notes}" if not notes and said.endswith((".", "!", "?", "…")) else f"{said}{notes}."
