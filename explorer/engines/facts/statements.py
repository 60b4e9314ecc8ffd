"""All statements of the things that a question names, whichever of them a search has come to: the likest are added.

Statements are facts of stores and files of RDF; no sentence around one says more of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from pyoxigraph import Literal, NamedNode, Triple

from explorer.engines.limits import Limits
from explorer.engines.setting import Setting
from explorer.language.words import spans
from explorer.rdf.labels import edge_labels
from explorer.reasoning.extractive.carrying import asked_in
from explorer.reasoning.extractive.statements import Said, named, naming, told
from explorer.reasoning.protocol import Edge
from explorer.stores.default_graph import facts
from explorer.stores.graph import GraphStore, Pattern
from explorer.stores.left_out import Part
from explorer.vocab import FACTS, RDF

_THINGS = 6  # of one name that are asked about
_READ = 2_000  # facts about a thing, in each direction


def with_statements(setting: Setting, limits: Limits, question: str, nearest: Iterable[Triple]) -> Sequence[Triple]:
    """Return what is worth scoring with the likest statements of the things that a question names before it."""
    stated = _stated(setting, nearest)
    stated += _by_value(setting, question, stated) if stated else ()
    about = _about(setting, _things(setting, question, stated)) if stated else ()
    said = dict(enumerate(_said(setting, list(dict.fromkeys([*stated, *about])))))
    texts, found = {n: one for n, (_, one) in said.items()}, dict[Triple, None]()
    for part in asked_in(question) if about else ():
        if (one := told(part, texts, setting.embedder)) is not None:
            found |= dict.fromkeys(said[n][0] for n in (*one.naming, *one.facts))
    own = list(islice(_held(setting, [*found]), limits.edge_limit))
    return list(dict.fromkeys([*own, *nearest]))[: max(limits.edge_score_limit, len(own))]


def key_of(fact: Triple) -> str:
    """Return a fact as its vector is known by: as N-Triples, without the full stop."""
    return f"{fact.subject} {fact.predicate} {fact.object}"


def _stated(setting: Setting, among: Iterable[Triple]) -> list[Triple]:
    """Return those of some facts that others have stated, each in its own words and no sentence of a document."""
    sources, read = setting.stores.sources, list(among)
    sources.ahead(read)
    labels = sources.labels(read)
    return [fact for fact in read if Edge(fact, *edge_labels(fact, labels), sources.passages(fact)).is_statement]


def _by_value(setting: Setting, question: str, stated: Sequence[Triple]) -> list[Triple]:
    """Return the statements whose value is words of a question, as another name of a thing is."""
    names = (name for run in spans(question) for name in (run, run.lower(), run[:1].upper() + run[1:]))
    languages = {fact.object.language for fact in stated if isinstance(fact.object, Literal)} | {None, "en"}
    values = [Literal(name, language=one) for name in dict.fromkeys(names) for one in sorted(languages, key=str)]
    read = _graph(setting).matches([(None, None, value, FACTS) for value in values], _READ)
    return _stated(setting, _held(setting, [fact for quads in read for fact in facts(quads)]))


def _said(setting: Setting, among: Sequence[Triple]) -> list[tuple[Triple, Said]]:
    labels = setting.stores.sources.labels(among)
    return [(fact, Said(*edge_labels(fact, labels), isinstance(fact.object, NamedNode))) for fact in among]


def _things(setting: Setting, question: str, stated: Sequence[Triple]) -> list[NamedNode]:
    """Return the ends of some statements that a question names, by their labels or by a value of theirs alone."""
    nodes, said = dict[str, dict[NamedNode, None]](), _said(setting, stated)
    for fact, one in said:
        for name, end in ((one.subject, fact.subject), (one.value, fact.object)):
            if isinstance(end, NamedNode):
                nodes.setdefault(name, {})[end] = None
    owners = naming({n: one for n, (_, one) in enumerate(said)})
    names = [owners[name][1] if name in owners else name for name in named(question, [*nodes, *owners])]
    return [*dict.fromkeys(node for name in names for node in islice(nodes[name], _THINGS))]


def _about(setting: Setting, things: Sequence[NamedNode]) -> list[Triple]:
    """Return the facts of things, and those of which they are the value; classes say nothing that is asked for."""
    patterns: list[Pattern] = [one for node in things for one in ((node, None, None, FACTS), (None, None, node, FACTS))]
    read = _graph(setting).matches(patterns, _READ)
    return [fact for quads in read for fact in sorted(facts(quads), key=str) if fact.predicate != RDF.type]


def _graph(setting: Setting) -> GraphStore:
    """Return the graph of the whole collection: that of a part of it would be copied first."""
    stores = setting.stores
    return stores.whole.graph if isinstance(stores, Part) else stores.graph


def _held(setting: Setting, among: Sequence[Triple]) -> Sequence[Triple]:
    """Return those of some facts that are in the part of a collection that is asked."""
    stores = setting.stores
    if not isinstance(stores, Part):
        return among
    there = {*stores.recorded(map(key_of, among)).values()}
    return [fact for fact in among if fact in there and stores.sources.passages(fact)]
