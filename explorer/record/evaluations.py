"""Evaluations on record: which runs belong to which, and the rows under which they are folded in the list of traces."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from pyoxigraph import NamedNode, Quad

from explorer import entities as e
from explorer import rdf
from explorer.events import Content
from explorer.record.listing import TraceSummary
from explorer.record.node_lookup import read as node_of
from explorer.stores.collection import Collection
from explorer.vocab import ANNOTATION, X, iri

ENGINE = "evaluation"  # what stands for the engine in the row of an evaluation


def members(stores: Collection) -> dict[str, str]:
    """Return the evaluation of each run that belongs to one, by the IRIs of both."""
    quads = stores.graph.match(None, X.member, None, ANNOTATION)
    return {q.object.value: q.subject.value for q in quads
            if isinstance(q.subject, NamedNode) and isinstance(q.object, NamedNode)}  # fmt: skip


def fold(stores: Collection, of: Mapping[str, str], found: Iterable[TraceSummary]) -> Iterator[TraceSummary]:
    """Yield one row for the traces of each evaluation, by `of` that of each; it began when the last of them did."""
    folded: dict[str, list[TraceSummary]] = defaultdict(list)
    for one in found:
        folded[of[one.iri]].append(one)
    for node, runs in folded.items():
        newest = max(runs, key=lambda one: one.begun)
        models = {one.model for one in runs}
        evaluation = read(stores, node)
        yield TraceSummary(
            node, ENGINE, (evaluation.title if evaluation else None) or node, newest.started_at,
            None if any(one.reason is None for one in runs) else "done",
            models.pop() if len(models) == 1 else None, runs=len(runs),
        )  # fmt: skip


def read(stores: Collection, node: str) -> e.Evaluation | None:
    """Return an evaluation by its IRI; None where there is none."""
    return node_of(stores.graph, node, e.Evaluation, ANNOTATION)


def opened(stores: Collection, key: str, title: str, data: bytes, moment: str, *, again: bool) -> e.Evaluation:
    """Return the last evaluation of this key with its members, or a new one: where there is none, or `again`."""
    number, last = 1, None
    while (found := read(stores, iri(ENGINE, f"{key}-{number}"))) is not None:
        number, last = number + 1, found
    if last is not None and not again:
        return last
    node = iri(ENGINE, f"{key}-{number}")
    stores.library.put([Content(f"{node}:questions", title, "application/jsonl", data)])
    made = e.Evaluation(iri=node, title=title, started_at=moment, document=f"{node}:questions")
    stores.graph.add(rdf.triples(made))
    return made


def join(stores: Collection, evaluation: str, question: str) -> None:
    """Record that a run belongs to an evaluation."""
    stores.graph.add([Quad(NamedNode(evaluation), X.member, NamedNode(question), ANNOTATION)])
