"""Questions to the record that have a name, and its tables: SPARQL over all graphs, but for what `gaps` finds.

A run that was recorded before its nodes were linked to it stands in none of the tables that need these links.

Over many runs it matters how they are written: a pattern with a SELECT of its own is read whole and joined in memory,
while one beside others is looked up anew for each row; a path goes on from few nodes (DISTINCT) and ends in a FILTER,
since it would else begin at its end; rows are put in order by a text that is made once (BIND), since those on record
are fetched for each comparison; and what stands in one graph is looked up there (GRAPH), which is cheaper than in all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import astuple, dataclass
from functools import cache
from typing import TYPE_CHECKING

from explorer.display import Table
from explorer.errors import RecordError
from explorer.evaluation.gaps import unanswered, uncited, without_facts
from explorer.record.query import ROWS, SECONDS, QueryTable, Row, Value, query
from explorer.text import one_line, truncate
from explorer.vocab import RETRIEVAL, by_index

if TYPE_CHECKING:
    from explorer.stores.collection import Collection

_LONGEST = 200  # letters of a passage in a table
_PLACES = ("document", "start", "end", "run", "citation", "cites")
_TOP = "FILTER NOT EXISTS { ?run prov:wasDerivedFrom ?above . ?above a ?any }"
_RUN = f"?run a tg:Question ; tg:query ?question . {_TOP} "
_END = "?end x:run ?run ; a x:End ; x:reason ?reason ."
_OF_RUNS = f"GRAPH {RETRIEVAL}"
_CITED = "?citation a x:Citation ; x:run ?run { SELECT ?citation ?selection { ?citation x:cites ?selection } }"
_SOURCES = (
    "SELECT ?citation ?source { ?citation x:cites ?selection "
    "{ SELECT ?selection ?source { ?selection prov:wasDerivedFrom ?source } } }"
)
_FROM = f"{{ SELECT DISTINCT ?source {{ {{ {_SOURCES} }} }} }}"
_ORDER = 'BIND(CONCAT(?question, "\\t", STR(?run)) AS ?order)'


@dataclass(frozen=True, slots=True)
class NamedQuery:
    """A question to the record: its name, what it asks, and its SPARQL, or else what `gaps` finds, by `columns`.

    Where `of_document`, `$document` in it stands for the IRI of one.
    """

    name: str
    asks: str
    sparql: str = ""
    columns: tuple[str, ...] = ()
    find: Callable[[Collection], Iterable[tuple[Value, ...]]] = lambda _: ()

    @property
    def of_document(self) -> bool:
        """Whether it is about one document."""
        return "$document" in self.sparql


def _label(of: str, name: str) -> str:
    """Return what binds the name of an IRI, or the value itself of a literal, as ?name."""
    return f"OPTIONAL {{ {of} rdfs:label ?{name}_label }} BIND(COALESCE(?{name}_label, STR({of})) AS ?{name}_name)"


_EDGE = (
    "?selection tg:edge ?edge . BIND(SUBJECT(?edge) AS ?s) BIND(PREDICATE(?edge) AS ?p) BIND(OBJECT(?edge) AS ?o) "
    f"{_label('?s', 'subject')} {_label('?p', 'predicate')} {_label('?o', 'object')}"
)
_WORDS = "(SAMPLE(?subject_name) AS ?subject) (SAMPLE(?predicate_name) AS ?predicate) (SAMPLE(?object_name) AS ?object)"

QUERIES: Mapping[str, NamedQuery] = {
    one.name: one
    for one in (
        NamedQuery(
            "runs-citing",
            "runs whose answers cite a document (--document)",
            "SELECT ?question ?citations ?run { "
            "{ SELECT ?run (COUNT(DISTINCT ?citation) AS ?citations) { ?citation a x:Citation ; x:run ?run "
            f"{{ {_SOURCES} }} {{ SELECT ?source {{ {_FROM} "
            "?source prov:wasDerivedFrom* ?origin FILTER(?origin = $document) } } } GROUP BY ?run } "
            f"?run tg:query ?question {_ORDER} }} ORDER BY DESC(?citations) ?order",
        ),
        NamedQuery(
            "facts-cited-often",
            "facts that more than two answers cite",
            f"SELECT {_WORDS} ?answers {{ "
            "{ SELECT ?edge (COUNT(DISTINCT ?run) AS ?answers) { "
            f"{_OF_RUNS} {{ {_CITED} {{ SELECT ?selection ?edge {{ ?selection tg:edge ?edge }} }} }} }} "
            "GROUP BY ?edge HAVING(COUNT(DISTINCT ?run) > 2) } "
            f"{_EDGE.partition(' . ')[2]} }} GROUP BY ?edge ?answers ORDER BY DESC(?answers) ?subject",
        ),
        NamedQuery(
            "answers-on-one-document",
            "answers all of whose citations lead to a single document",
            "SELECT ?question ?document_title ?citations ?run { "
            "{ SELECT ?run (SAMPLE(?title) AS ?document_title) (COUNT(DISTINCT ?citation) AS ?citations) { "
            f"?citation a x:Citation ; x:run ?run {{ {_SOURCES} }} {{ SELECT ?source ?document ?title {{ {_FROM} "
            "?source prov:wasDerivedFrom* ?document FILTER EXISTS { ?document a tg:Document } "
            "OPTIONAL { ?document dc:title ?title } } } } GROUP BY ?run HAVING(COUNT(DISTINCT ?document) = 1) } "
            f"?run tg:query ?question {_ORDER} }} ORDER BY ?order",
        ),
        NamedQuery(
            "runs-without-answer",
            "runs that failed, were stopped, cut off or declined",
            f'SELECT ?question ?reason ?ended ?run {{ {_END} FILTER(?reason != "done") '
            "OPTIONAL { ?end prov:endedAtTime ?ended } ?run tg:query ?question } ORDER BY DESC(?ended) ?run",
        ),
        NamedQuery(
            "runs-without-end",
            "runs that go on, or whose end is not on record",
            f"SELECT ?question ?started ?run {{ {_RUN} MINUS {{ ?end a x:End ; x:run ?run }} "
            "OPTIONAL { ?run prov:startedAtTime ?started } } ORDER BY DESC(?started) ?run",
        ),
        NamedQuery(
            "models",
            "what reasoned, and in how many runs",
            f"SELECT ?reasoner ?engine (COUNT(?run) AS ?runs) {{ {_RUN} "
            "OPTIONAL { ?run x:reasoner ?reasoner } OPTIONAL { ?run x:engine ?engine } } "
            "GROUP BY ?reasoner ?engine ORDER BY DESC(?runs) ?reasoner ?engine",
        ),
        NamedQuery(
            "kept-and-not-kept",
            "how many facts or passages each run looked at, kept and cited",
            f"SELECT ?question ?looked_at ?kept ?cited ?run {{ {_OF_RUNS} {{ "
            "{ SELECT ?run (SUM(xsd:integer(?number)) AS ?looked_at) { ?stage a tg:Exploration ; x:run ?run "
            "OPTIONAL { SELECT ?stage ?number { "
            "{ ?stage tg:edgeCount ?number } UNION { ?stage tg:chunkCount ?number } } } } GROUP BY ?run } "
            "{ SELECT ?run (SUM(COALESCE(?number, 0)) AS ?kept) { ?focus a tg:Focus ; x:run ?run "
            "OPTIONAL { SELECT ?focus (COUNT(*) AS ?number) { "
            "{ ?focus tg:selectedEdge ?one } UNION { ?focus tg:selectedChunk ?one } } GROUP BY ?focus } } "
            "GROUP BY ?run } "
            "OPTIONAL { SELECT ?run (COUNT(DISTINCT ?selection) AS ?cited) { "
            f"{_CITED} }} GROUP BY ?run }} ?run tg:query ?question {_ORDER} }} }} ORDER BY ?order",
        ),
        NamedQuery(
            "documents-never-cited", "documents that no answer cites", "", ("title", "source", "document"),
            lambda stores: ((one.title, one.source, one.iri) for one in uncited(stores)),
        ),
        NamedQuery(
            "questions-not-answered", "questions that no run answered", "", ("question", "times", "level", "run"),
            lambda stores: map(astuple, unanswered(stores)),
        ),
        NamedQuery(
            "names-without-facts", "names that stand in documents and in no fact", "",
            ("name", "kind", "sentences", "chunk"), lambda stores: map(astuple, without_facts(stores)),
        ),
    )
}  # fmt: skip

TABLES: Mapping[str, str] = {
    "runs": f"SELECT ?question ?reason ?level ?engine ?reasoner ?by ?started ?ended ?run {{ {_RUN} "
    "OPTIONAL { ?run x:engine ?engine } OPTIONAL { ?run x:reasoner ?reasoner } "
    "OPTIONAL { ?run prov:startedAtTime ?started } "
    f"OPTIONAL {{ {_END} OPTIONAL {{ ?end prov:endedAtTime ?ended }} }} "
    "OPTIONAL { ?activity a prov:Activity ; x:run ?run ; prov:wasAssociatedWith ?person . "
    "?person a prov:Person ; rdfs:label ?by } "
    "OPTIONAL { ?answer x:run ?run ; x:support ?support ; a tg:Answer ; x:sequence ?at "
    "FILTER NOT EXISTS { ?later x:run ?run ; a tg:Answer ; x:sequence ?after "
    "FILTER(xsd:integer(?after) > xsd:integer(?at)) } "
    'BIND(REPLACE(STR(?support), \'^.*"level": *"([a-z]+)".*$\', "$1", "s") AS ?level) } '
    "} ORDER BY ?started ?run",
    "steps": "SELECT ?question ?sequence (MIN(?word) AS ?kind) ?started ?ms ?run ?step { "
    "{ ?step x:run ?run } UNION { ?step a tg:Question BIND(?step AS ?run) FILTER NOT EXISTS { ?step x:run ?top } } "
    "OPTIONAL { ?run tg:query ?question } "
    "?step x:sequence ?number ; a ?type . BIND(xsd:integer(?number) AS ?sequence) "
    "FILTER(?type NOT IN (prov:Entity, prov:Activity, tg:Answer, tg:Question)) "
    'BIND(REPLACE(STR(?type), "^.*[/#:]", "") AS ?word) '
    "OPTIONAL { ?step x:startedAt ?started } OPTIONAL { ?step x:durationMs ?took BIND(xsd:integer(?took) AS ?ms) } "
    "} GROUP BY ?question ?run ?step ?sequence ?started ?ms ORDER BY ?run ?sequence ?step",
    "facts": f"SELECT ?question {_WORDS} ?score ?cited (MIN(?title) AS ?document) ?run ?selection {{ "
    "?selection a tg:EdgeSelection ; x:run ?run . ?run tg:query ?question . "
    f"{_EDGE} OPTIONAL {{ ?selection tg:score ?given BIND(xsd:double(?given) AS ?score) }} "
    "BIND(EXISTS { ?citation x:cites ?selection } AS ?cited) "
    "OPTIONAL { ?selection prov:wasDerivedFrom/prov:wasDerivedFrom* ?from . ?from a tg:Document ; dc:title ?title } "
    "} GROUP BY ?question ?run ?selection ?score ?cited ORDER BY ?run DESC(?score) ?selection",
    "passages": "SELECT ?question ?score ?cited (MIN(?title) AS ?document) ?run ?selection ?chunk { "
    "?selection a tg:ChunkSelection ; x:run ?run ; tg:document ?chunk . ?run tg:query ?question . "
    "OPTIONAL { ?selection tg:score ?given BIND(xsd:double(?given) AS ?score) } "
    "BIND(EXISTS { ?citation x:cites ?selection } AS ?cited) "
    "OPTIONAL { ?selection prov:wasDerivedFrom/prov:wasDerivedFrom* ?from . ?from a tg:Document ; dc:title ?title } "
    "} GROUP BY ?question ?run ?selection ?chunk ?score ?cited ORDER BY ?run DESC(?score) ?selection",
    "citations": "SELECT ?question ?s ?p ?o ?is_named (MIN(?words) AS ?quoted) (MIN(?title) AS ?document) ?start ?end "
    "?run ?citation (?selection AS ?cites) ?text ?chunk ?from ?to { "
    "?citation a x:Citation ; x:run ?run ; x:cites ?selection . ?run tg:query ?question . "
    "OPTIONAL { ?citation x:start ?first BIND(xsd:integer(?first) AS ?start) } "
    "OPTIONAL { ?citation x:end ?last BIND(xsd:integer(?last) AS ?end) } "
    "OPTIONAL { ?answer x:citation ?citation ; tg:document ?text "
    "FILTER NOT EXISTS { ?text prov:invalidatedAtTime ?removed } } "
    "OPTIONAL { ?selection tg:edge ?edge BIND(SUBJECT(?edge) AS ?s) BIND(PREDICATE(?edge) AS ?p) "
    "BIND(OBJECT(?edge) AS ?o) BIND(isIRI(?o) AS ?is_named) } "
    "OPTIONAL { ?selection prov:wasDerivedFrom ?source OPTIONAL { ?source tg:sourceText ?words } "
    "OPTIONAL { ?source prov:wasDerivedFrom* ?place . ?place a tg:Document ; dc:title ?title } } "
    "OPTIONAL { ?selection tg:document ?chunk } "
    "OPTIONAL { ?citation x:sourceStart ?begins ; x:sourceEnd ?ends "
    "BIND(xsd:integer(?begins) AS ?from) BIND(xsd:integer(?ends) AS ?to) } "
    "} GROUP BY ?question ?run ?citation ?start ?end ?selection ?text ?chunk ?from ?to ?source ?s ?p ?o ?is_named "
    "ORDER BY ?run ?start ?citation ?selection ?document ?source",
    "documents": "SELECT ?title ?source ?pages ?date (COUNT(DISTINCT ?citation) AS ?citations) ?document { "
    "?document a tg:Document . OPTIONAL { ?document dc:title ?title } OPTIONAL { ?document dc:source ?source } "
    "OPTIONAL { ?document dc:date ?date } "
    "OPTIONAL { ?document tg:pageCount ?count BIND(xsd:integer(?count) AS ?pages) } "
    "OPTIONAL { ?selection prov:wasDerivedFrom/prov:wasDerivedFrom* ?document . ?citation x:cites ?selection } "
    "} GROUP BY ?document ?title ?source ?pages ?date ORDER BY ?title ?document",
}
"""The tables of the record by name; numbers in them are numbers, and words stand before IRIs."""


def known() -> Table[NamedQuery]:
    """Return the questions that have a name."""
    return Table(QUERIES.values(), ("Name", "Asks for"), lambda one: (one.name, one.asks), "None.")


def ask(stores: Collection, name: str, document: str | None, rows: int = ROWS, seconds: float = SECONDS) -> QueryTable:
    """Answer a question that has a name; `document` is the IRI of the one it is about.

    Raises RecordError for another name, and where the document is missing or not asked for.
    """
    found = QUERIES.get(name)
    if found is None:
        raise RecordError(f"No query is called {one_line(name)!r}; there are {', '.join(QUERIES)}.")
    if found.of_document != (document is not None):
        raise RecordError(f"The query {name} {'needs' if found.of_document else 'is not about'} a document.")
    if not found.sparql:
        every = [dict(zip(found.columns, one, strict=True)) for one in found.find(stores)]
        more = f"There are more: these are the first {rows:,}; ask for more rows." if len(every) > rows else ""
        return QueryTable.of(found.columns, every[:rows], more)
    return _table(stores, found.sparql.replace("$document", f"<{document}>"), rows, seconds)


def frame(stores: Collection, name: str) -> QueryTable:
    """Return a table of the record by its name; raises RecordError for another name."""
    if name not in TABLES:
        raise RecordError(f"No table is called {one_line(name)!r}; there are {', '.join(TABLES)}.")
    found = _table(stores, TABLES[name], 1_000_000, 300.0)
    match name:
        case "citations":
            return _with_sentences(stores, found)
        case "passages":
            return _with_passages(stores, found)
        case _:
            return found


def _table(stores: Collection, sparql: str, rows: int, seconds: float) -> QueryTable:
    found = query(stores.graph, sparql, rows, seconds)
    if isinstance(found, bool):
        raise TypeError(sparql)  # none of them is an ASK
    return found


def _with_sentences(stores: Collection, found: QueryTable) -> QueryTable:
    """Put the words into the table of citations: the sentence of the answer, the fact, and what is quoted for it."""
    read = _reader(stores)
    cited = defaultdict[Value, list[str]](list)
    for row in found:
        cited[row["citation"]].append(str(row["cites"]))
    firsts = {citation: by_index(cites)[0] for citation, cites in cited.items()}

    @cache
    def label(iri: str) -> str:
        return stores.sources.label(iri) or iri

    def fact(row: Row) -> Value:
        if row["s"] is None:
            return None
        end = label(str(row["o"])) if row["is_named"] else str(row["o"])
        return f"{label(str(row['s']))} — {label(str(row['p']))} → {end}"

    def quoted(row: Row) -> Value:
        chunk = read(row["chunk"])
        if chunk is None:
            return row["quoted"]
        if row["from"] is None or row["cites"] != firsts[row["citation"]]:  # the span is one of what is cited first
            return truncate(chunk, _LONGEST)
        return chunk[_span(row["from"], row["to"])]

    def worded(row: Row) -> Row:
        answer = read(row["text"])
        return {
            "question": row["question"],
            "sentence": answer and answer[_span(row["start"], row["end"])].strip(),
            "fact": fact(row),
            "quoted": quoted(row),
            **{name: row[name] for name in _PLACES},
        }

    rows = dict[tuple[Value, Value], Row]()
    for row in map(worded, found):  # of several places that a fact was found in, the one that the sentence is from
        key = row["citation"], row["cites"]
        if key not in rows or (_states(row) and not _states(rows[key])):
            rows[key] = row
    return QueryTable.of(("question", "sentence", "fact", "quoted", *_PLACES), rows.values(), found.more)


def _states(row: Row) -> bool:
    """Whether what is quoted is the sentence itself, but for white space."""
    return str(row["quoted"]).split() == str(row["sentence"]).split()


def _with_passages(stores: Collection, found: QueryTable) -> QueryTable:
    read = _reader(stores)
    rows = [
        {
            "question": row["question"],
            "passage": (text := read(row["chunk"])) and truncate(text, _LONGEST),
            **{name: row[name] for name in found.names[1:]},
        }
        for row in found
    ]
    return QueryTable.of(("question", "passage", *found.names[1:]), rows, found.more)


def _reader(stores: Collection) -> Callable[[Value], str | None]:
    @cache
    def read(iri: Value) -> str | None:
        try:
            return None if iri is None else stores.library.text(str(iri))
        except RecordError:
            return None

    return read


def _span(start: Value, end: Value) -> slice:
    return slice(start if isinstance(start, int) else None, end if isinstance(end, int) else None)
