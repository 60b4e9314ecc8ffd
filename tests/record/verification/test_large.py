"""Records with very many nodes are checked in a time that grows as they do."""

import time

import pytest
from pyoxigraph import Literal, NamedNode, Quad, Triple

from explorer.vocab import PROV, RETRIEVAL, SOURCE, TG, X, iri, session_of
from tests.corpus import QUESTIONS, filled


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


def seconds_to_verify(number):
    with filled() as ws:
        run = ws.run(QUESTIONS[0]).iri
        put_in(ws, run, number)
        begun = time.process_time()
        assert len(ws.verify(run).faults) > number
        return time.process_time() - begun


def test_twice_the_nodes_take_no_more_than_twice_the_time():
    assert seconds_to_verify(4_000) < 3 * seconds_to_verify(2_000)


@pytest.mark.soak
def test_100_000_nodes_are_verified_in_two_minutes():
    assert seconds_to_verify(100_000) < 120
