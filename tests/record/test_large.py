"""What is done with a record of very many nodes takes a time that grows as they do."""

import gc
import time

import pytest
from pyoxigraph import Literal, NamedNode, Quad, Triple

from explorer.vocab import PROV, RETRIEVAL, SOURCE, TG, X, iri, session_of
from tests.corpus import QUESTIONS, filled
from tests.each import each


def put_in(ws, run, number):
    """Put so many selections into a run, of facts from the words of its first, and a fifth as many candidates."""
    session = session_of(run)
    first, focus = NamedNode(iri("edge", session, 0)), NamedNode(iri("focus", session))
    told = list(ws.graph.match(first, None, None, RETRIEVAL))
    words = [quad.object for quad in told if quad.predicate == PROV.wasDerivedFrom]
    added = []
    for at in range(1_000, 1_000 + number):
        node, fact = NamedNode(iri("edge", session, at)), Triple(NamedNode(f"urn:e:{at}"), TG.edge, Literal("it"))
        added += [
            Quad(node, quad.predicate, fact if quad.predicate == TG.edge else quad.object, RETRIEVAL) for quad in told
        ]
        added += [Quad(focus, link, node, RETRIEVAL) for link in (TG.selectedEdge, PROV.wasDerivedFrom)]
        added += [Quad(one, TG.contains, fact, SOURCE) for one in words]
        if at % 5 == 0:
            added += [Quad(focus, X.candidate, NamedNode(iri("candidate", session, at)), RETRIEVAL)]
    ws.graph.add(added)
    ws.sources.forget()


def checked(ws, run):
    assert len(ws.verify(run).faults) > 1_000


def exported(ws, run):
    assert ws.export(run, "nq", closed=True)


def reported(ws, run):
    assert len(ws.report(run)) > 1_000_000


def deleted(ws, run):
    ws.traces.delete(run)
    assert not ws.traces.list()


def seconds(act, number):
    with filled() as ws:
        run = ws.run(QUESTIONS[0]).iri
        put_in(ws, run, number)
        gc.collect()
        gc.disable()  # one look through all that is there takes as long as what is measured
        try:
            begun = time.process_time()
            act(ws, run)
            return time.process_time() - begun
        finally:
            gc.enable()


@each("act", [checked, exported, reported, deleted])
def test_twice_the_nodes_take_no_more_than_twice_the_time(act):
    # Other work may spoil one measurement; a time that grows with the square is four times as long in each.
    assert any(seconds(act, 4_000) < 3 * seconds(act, 2_000) for _ in range(3))


@pytest.mark.soak
@pytest.mark.parametrize("act", [checked, exported, deleted])
def test_100_000_nodes_take_no_more_than_two_minutes(act):
    assert seconds(act, 100_000) < 120
