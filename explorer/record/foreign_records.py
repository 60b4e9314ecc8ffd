"""Records of others that are no runs: PROV that was imported, as entities, activities and agents with their relations.

Such a record is what hangs together by PROV's relations, found in the graph by any node of it. What actions of
schema.org state, as in RO-Crates, are such relations too: they are read so for each picture, and not stored. In
sentences such a record is a document that answers questions: relations have words of their own, the rest is said as of
any RDF.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, Triple

from explorer.display import Table
from explorer.errors import RecordError
from explorer.ingest.readers.rdf_facts import Statement, Telling, sentence
from explorer.ingest.readers.rdf_lookup import LONGEST_NAME, Naming, Said
from explorer.rdf.prov_relations import (
    DERIVATIONS,
    FORMAL,
    FURTHER,
    KINDS,
    NAMES,
    QUALIFIED,
    RELATIONS,
    Node,
    Part,
    Relation,
    as_prov,
    kind_of,
    node_of,
    term,
)
from explorer.rdf.prov_relations import LINKS as OF_ACTIONS
from explorer.stores.graph import GraphStore
from explorer.text import one_line, truncate
from explorer.vocab import FACTS, PROV, RDF, RDFS, TG, X, recognise
from explorer.wording import relations as words

MOST = 2_000  # nodes of one record
_LISTED = 100  # records
_MOST_SAID = 20_000  # statements of a record that is put into words
_CRATE = ("ro-crate-metadata.json", "ro-crate-metadata.jsonld")
_SEEDS = 50_000  # statements that are looked at to find them
_PLAIN = tuple(term(name) for name in (*RELATIONS.values(), *DERIVATIONS.values()))
_LINKS = frozenset((
    *_PLAIN, *(term(f"qualified{kind}") for kind in (*QUALIFIED, *DERIVATIONS)), *map(term, QUALIFIED.values()),
    *(term(name) for name in FURTHER.values() if name != "atTime"), term("asInBundle"),
))  # fmt: skip
_NAMING = Naming()
_NAMED_BY = [re.compile(rf"(?i)(?:{word})\Z") for word in ("name", "title|label", "key", "value")]
_IRI = re.compile(r"[a-z][a-z0-9+.-]*:\S*\Z", re.IGNORECASE)
_TAIL = re.compile(r"(?:[^/#:]*[/#:])?\d*[/#:]*\Z|[^/#:]*[/#:]*\Z")


@dataclass(frozen=True, slots=True)
class ProvNode:
    """A node of such a record: its `kind` is "Entity", "Activity" or "Agent", `told` are its values by their names."""

    iri: str
    kind: str
    label: str
    told: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ProvRelation:
    """A relation from a node to another, or to none that is named; `verb` says which, `told` what else it says."""

    source: str
    verb: str
    target: str | None
    told: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Derivation:
    """A record that is no run; it is named by `iri`, its last entity, and what of it is too much is left out."""

    iri: str
    nodes: tuple[ProvNode, ...]
    relations: tuple[ProvRelation, ...]
    is_cut: bool = False

    @property
    def label(self) -> str:
        """What its last entity is called."""
        return next((node.label for node in self.nodes if node.iri == self.iri), self.iri)

    @property
    def counts(self) -> str:
        """Its size in words, as "5 entities, 2 activities and 1 agent"."""
        kinds = Counter(node.kind for node in self.nodes)
        return ", ".join(
            f"{kinds[kind]:,} {forms[kinds[kind] != 1]}" for kind, forms in words.KINDS.items() if kinds[kind]
        )

    def lines(self) -> Iterator[str]:
        """Yield it as lines of text: each node, with its values, and below it its relations."""
        labels = {node.iri: node.label for node in self.nodes}
        for node in self.nodes:
            yield f"{node.kind} {_named(node.iri, labels)}"
            yield from (f"    {one_line(name)}: {one_line(value)}" for name, value in node.told)
            for one in (one for one in self.relations if one.source == node.iri):
                further = ", ".join(f"{one_line(name)} {one_line(value)}" for name, value in one.told)
                target = _named(one.target, labels) if one.target else "something that is not named"
                yield f"  {one.verb} {target}{f' ({further})' if further else ''}"
        if self.is_cut:
            yield f"These are its first {MOST:,} nodes; `explorer query` finds the others."

    def __repr__(self) -> str:
        return f"<Derivation of {one_line(self.label)!r}: {self.counts}>"


def quads_of(graph: GraphStore, iri: str, most: int = MOST) -> list[Quad]:
    """Return the statements of the record that a node is of, none where it is of none, as far as `most` nodes go."""
    try:
        first: Node = NamedNode(iri)
    except ValueError:
        return []
    waiting, seen, found = deque([first]), {first}, dict[Quad, None]()
    while waiting:
        node = waiting.popleft()
        about = list(graph.match(node))
        into = [quad for quad in graph.match(None, None, node) if _links(graph, quad)]
        within = list(graph.match(None, None, None, node)) if isinstance(node, NamedNode) else []
        told = (quad for quad in into if quad.predicate in _PLAIN or quad.predicate in OF_ACTIONS)
        found |= dict.fromkeys((*about, *told, *within))
        is_action = bool(kind_of(about))
        ends = [
            *(quad.object for quad in about if quad.predicate in (_LINKS | OF_ACTIONS if is_action else _LINKS)),
            *(quad.subject for quad in (*into, *within)),
        ]
        for end in (*ends, *(quad.graph_name for quad in about if not is_ours(quad.graph_name))):  # bundles
            if isinstance(end, Literal | Triple | DefaultGraph) or end in seen or len(seen) >= most:
                continue
            if not (isinstance(end, NamedNode) and recognise(end.value)):
                seen.add(end)
                waiting.append(end)
    types = {quad.object for quad in found if quad.predicate == RDF.type}
    is_prov = any(quad.predicate in _LINKS for quad in found) or not types.isdisjoint(KINDS) or kind_of(found)
    return list(found) if is_prov else []


def _links(graph: GraphStore, quad: Quad) -> bool:
    """Return whether a statement relates what it is about to what is derived from it, or the other way."""
    if quad.predicate in OF_ACTIONS and isinstance(quad.subject, NamedNode | BlankNode):
        return bool(kind_of(graph.match(quad.subject)))
    return quad.predicate in _LINKS


def derivation(graph: GraphStore, iri: str) -> Derivation:
    """Return the record, which is no run, that a node is of; raises RecordError where it is of none."""
    quads = [] if recognise(iri) else quads_of(graph, iri)
    if not quads:
        raise RecordError(f"{iri} is of no record of others; `ws.imported()` lists those there are.")
    return _of(quads)


def imported(graph: GraphStore) -> Table[Derivation]:
    """Return the records of others that are no runs, at most 100."""
    found, seen = list[Derivation](), set[str]()
    for node in _seeds(graph):
        if node.value in seen:
            continue
        if quads := quads_of(graph, node.value):
            one = _of(quads)
            seen |= {node.value, *(each.iri for each in one.nodes)}
            found.append(one)
        if len(found) == _LISTED:
            break
    heads = ("Record", "Holds", "IRI")
    nothing = "Nothing was imported that is no run."
    return Table(found, heads, lambda one: [one.label, one.counts, one.iri], nothing)


def _seeds(graph: GraphStore) -> Iterator[NamedNode]:
    """Yield nodes of such records: what PROV says in the default graph of what is none of ours."""
    patterns = [*((RDF.type, kind) for kind in KINDS), *((predicate, None) for predicate in (*_PLAIN, *OF_ACTIONS))]
    for found in graph.matches([(None, *pattern, FACTS) for pattern in patterns], _SEEDS):
        for quad in found:
            if isinstance(quad.subject, NamedNode) and not recognise(quad.subject.value):
                yield quad.subject


def _of(quads: Iterable[Quad]) -> Derivation:
    graphs: dict[Any, list[Triple]] = {}
    for quad in quads:
        if not (quad.predicate in TG or quad.predicate in X):
            graphs.setdefault(None if is_ours(quad.graph_name) else quad.graph_name, []).append(quad.triple)
    nodes, relations = dict[str, ProvNode](), list[ProvRelation]()
    for triples in graphs.values():
        derived = {made: stated for made, stated in as_prov(triples).items() if made not in triples}
        part = Part(dict.fromkeys((*triples, *derived)), own=False)
        said = part.said | {*derived.values()}
        for node, kinds in part.kinds((), played=True).items():
            told = [one for one in part.about.get(node, ()) if one not in said]
            kind = kinds[0].value.removeprefix(PROV.base)
            nodes.setdefault(_iri(node), _node(node, kind, told))
        for one in part.relations:
            first, second, *_ = FORMAL[one.kind]
            own = _derived(one)
            further = [(words.FURTHER.get(name, name), _shown(value)) for name, value in one.formal.items()
                       if name not in (first, second)]  # fmt: skip
            more = [(_name(told.predicate), _shown(told.object)) for told in one.extra if told.object != term(own)]
            if first in one.formal:
                target = one.formal.get(second)
                made = target and Triple(node_of(one.formal[first]), term(RELATIONS[one.kind]), target)
                if made and (stated := derived.get(made)) is not None:
                    more.append(_stated(stated, part))
                source, verb = _iri(one.formal[first]), words.DERIVED.get(own) or words.VERBS[one.kind]
                relations.append(ProvRelation(source, verb, _iri(target) if target else None, (*further, *more)))
    order = [kind.value.removeprefix(PROV.base) for kind in KINDS]
    ordered = sorted(nodes.values(), key=lambda node: (order.index(node.kind), node.label, node.iri))
    resting, past = {one.source for one in relations}, {one.target for one in relations}
    ends = sorted((node for node in ordered if node.iri not in past), key=lambda node: node.iri not in resting)
    last = (ends or ordered)[0]
    return Derivation(last.iri, tuple(ordered), tuple(dict.fromkeys(relations)), len(nodes) >= MOST)


def _derived(one: Relation) -> str:
    """Return the kind of a derivation, such as a revision, where a relation is one that says its kind."""
    return next((word for word in words.DERIVED for told in one.extra if told.object == term(word)), "")


def _stated(one: Triple, part: Part) -> tuple[str, str]:
    """Return what is said of a relation that an action states: by which of its properties."""
    return f"as its {kind_of(part.about[node_of(one.subject)])} states", _tail(one.predicate.value)


def is_ours(graph: Any) -> bool:  # noqa: ANN401 - any graph
    """Return whether a graph is none of a file of others: a bundle is."""
    return isinstance(graph, DefaultGraph) or graph.value.startswith("urn:graph:")


def _node(node: Node, kind: str, told: Iterable[Triple]) -> ProvNode:
    given = [one for one in told if (one.predicate, one.object) != (RDF.type, term(kind))]
    label = _NAMING.called(given)
    values = tuple(
        (_name(one.predicate), _shown(one.object)) for one in given
        if one.predicate != RDFS.label and not (one.predicate.value in _NAMING.names and _shown(one.object) == label)
    )  # fmt: skip
    return ProvNode(_iri(node), kind, label or _also_called(values) or _tail(_iri(node)), values)


def _also_called(values: Sequence[tuple[str, str]]) -> str:
    """Return what something without a name may be called: by what is a name, title, key or value of some kind."""
    found = (one_line(value) for by in _NAMED_BY for name, value in values if by.search(name) and not _IRI.match(value))
    return truncate(next(filter(None, found), ""), LONGEST_NAME)


def _iri(node: Any) -> str:  # noqa: ANN401 - any node
    return str(node) if isinstance(node, BlankNode) else node.value


def _tail(iri: str) -> str:
    [tail] = _TAIL.findall(iri)[:1]
    return tail.strip("/#:") or iri


def _name(predicate: NamedNode) -> str:
    return words.FURTHER.get(NAMES.get(predicate, ""), "") or _tail(predicate.value)


def _shown(value: Any) -> str:  # noqa: ANN401 - any term
    return value.value if isinstance(value, NamedNode | Literal) else str(value)


def _named(iri: str, labels: dict[str, str]) -> str:
    label = labels.get(iri, iri)
    return f"{one_line(label)} ({iri})" if label != iri else iri


def in_words(quads: Sequence[Quad], base: str) -> str:
    """Return the sentences of PROV, or of a crate; empty for other files, and for those that say too much.

    `base` is what the file calls itself.
    """
    if len(quads) > _MOST_SAID or not _is_record(quads):
        return ""
    said = Said("record", Naming())
    said.add(quads)
    said.look()
    telling = Telling(said, base)
    graphs = dict[str, list[Quad]]()
    for quad in (one for each in quads for one in said.members(each)):
        graphs.setdefault("" if is_ours(quad.graph_name) else str(quad.graph_name), []).append(quad)
    return "\n\n".join(dict.fromkeys(line for told in graphs.values() for line in _lines(told, telling)))


def _is_record(quads: Iterable[Quad]) -> bool:
    """Return whether there are relations of PROV, actions or a crate in a file, and nothing of ours."""
    found, types = False, list[Quad]()
    for quad in quads:
        if quad.predicate in TG or quad.predicate in X or quad.object in TG or quad.object in X:
            return False
        types += [quad] if quad.predicate == RDF.type else []
        found = found or quad.predicate in _PLAIN
        found = found or (isinstance(quad.subject, NamedNode) and quad.subject.value.endswith(_CRATE))
    return found or any(one.object in KINDS for one in types) or bool(kind_of(types))


def _lines(quads: Sequence[Quad], telling: Telling) -> Iterator[str]:
    part = Part(dict.fromkeys(quad.triple for quad in quads), own=False)
    for one in part.relations:
        yield from _related(one, telling)
    for quad in quads:
        told = None if quad.triple in part.said or quad.object in KINDS else telling.statement(quad, None)
        if told is not None and told.words[0] != told.words[2]:
            yield sentence(replace(told, notes=()))


def _related(one: Relation, telling: Telling) -> Iterator[str]:
    """Yield a relation of which both ends are named, with what it says further; who carried out something in the words
    of PROV too.
    """
    first, second, *further = FORMAL[one.kind]
    if first not in one.formal or second not in one.formal:
        return
    own = _derived(one)
    notes = [f"{words.FURTHER.get(name, name)} {telling.name(one.formal[name])}" for name in further
             if name in one.formal]  # fmt: skip
    notes += [f"{telling.name(said.predicate).removeprefix('had ')} {telling.name(said.object)}" for said in one.extra
              if said.object != term(own)]  # fmt: skip
    begin, end = node_of(one.formal[first]), node_of(one.formal[second])
    triple = Triple(begin, term(RELATIONS[one.kind]), end)
    verbs = [words.sentence(words.DERIVED.get(own) or words.VERBS[one.kind])]
    verbs += [telling.name(triple.predicate)] if one.kind == "Association" else []
    for verb in verbs:
        yield sentence(
            Statement(triple, (telling.name(begin), verb, telling.name(end)), is_fact=False, notes=tuple(notes))
        )
