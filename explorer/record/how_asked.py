"""What tells the runs of one question apart in a list: how they were asked, as far as that is on record."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from pyoxigraph import Literal, NamedNode

from explorer import entities as e
from explorer import rdf
from explorer.record.listing import TraceSummary
from explorer.stores.graph import GraphStore
from explorer.stores.reading_ahead import Lookups
from explorer.text import folded, one_line
from explorer.vocab import DC, FACTS, RETRIEVAL, X
from explorer.wording.outcomes import searched
from explorer.wording.question import NOTHING, left_out
from explorer.wording.ways import method

Told = tuple[tuple[str, str], ...]
_SCOPE, _EVERYWHERE = "documents", "in all documents"
_ASKED_BY = ("pattern",)  # a parameter that the method tells


def differences(graph: Lookups, listed: Sequence[TraceSummary]) -> dict[str, Told]:
    """Return how each run was asked, by IRI, as names and values: what is not the same in all runs of its question, and
    of each run what its search was limited to.
    """
    groups: dict[str, list[TraceSummary]] = defaultdict(list)
    for one in listed:
        if not one.runs:
            groups[folded(one.question)].append(one)
    limited = ((quad.subject, quad.object) for quad in graph.match(None, X.scope, None, RETRIEVAL))
    told: dict[str, Told] = {
        node.value: ((_SCOPE, words.value),)
        for node, words in limited if isinstance(node, NamedNode) and isinstance(words, Literal)
    }  # fmt: skip
    for runs in groups.values():
        if len(runs) < 2:
            continue
        graph.ahead((NamedNode(one.iri), None, None, RETRIEVAL) for one in runs)
        known = {one.iri: _asked(graph, one) for one in runs}
        names = dict.fromkeys(name for asked in known.values() for name in asked)
        # what only one engine has follows from the method
        differing = [name for name in names if len({asked[name] for asked in known.values() if name in asked}) > 1]
        for iri, asked in known.items():
            alike = () if _SCOPE in differing else told.get(iri, ())
            lacks = asked.get("without", NOTHING) != NOTHING  # not in all documents then
            said = ((name, asked[name]) for name in differing if asked.get(name))
            told[iri] = (*(one for one in said if not (lacks and one == (_SCOPE, _EVERYWHERE))), *alike)
    return told


def _asked(graph: Lookups, run: TraceSummary) -> Mapping[str, str]:
    question = rdf.entity(graph.match(NamedNode(run.iri), None, None, RETRIEVAL), e.Question)
    asked = {"method": method(run.engine, run.pattern), "model": run.model or ""}
    if question is not None:
        given = {name: value for name, value in (question.parameters or {}).items() if name not in _ASKED_BY}
        asked |= {name: _written(value) for name, value in given.items()}
        asked |= {"embedder": question.embedder or "", "version": (question.engine or "").partition("/")[2]}
        asked["without"] = left_out(question)
        asked[_SCOPE] = searched(question) or _EVERYWHERE
    return asked


def title_of(graph: GraphStore | Lookups, document: str) -> str:
    """Return the title of a document, or its IRI."""
    titles = (quad.object for quad in graph.match(NamedNode(document), DC.title, None, FACTS))
    return next((one_line(term.value) for term in titles if isinstance(term, Literal)), document)


def _written(value: object) -> str:
    if value is None:
        return ""
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
