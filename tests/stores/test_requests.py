"""How often a question asks the graph: over a network each of these calls is a request."""

import shutil
from collections import Counter

import pytest

import explorer
from explorer.events import Explain
from explorer.stores.graph import OxigraphStore
from explorer.stores.reading_ahead import Lookups
from explorer.vocab import FACTS, RDFS

READS, WRITES = ("match", "matches", "__contains__", "stored", "query", "solutions"), ("add", "replace", "take_in")
MOST_READS = 12
QUESTION = "Why did the tank explode?"


@pytest.fixture
def requests(monkeypatch):
    """Counts the calls of a graph from outside, not those by which it answers others."""
    made, within = Counter(), []

    def counted(name):
        method = getattr(OxigraphStore, name)

        def call(self, *args, **kwargs):
            made[name] += not within
            within.append(name)
            try:
                return method(self, *args, **kwargs)
            finally:
                within.pop()

        return call

    for name in (*READS, *WRITES):
        monkeypatch.setattr(OxigraphStore, name, counted(name))
    return made


@pytest.fixture(scope="module")
def demo(tmp_path_factory, demo_folder):
    return shutil.copytree(demo_folder, tmp_path_factory.mktemp("demo") / "ws")


@pytest.fixture
def ws(demo):
    with explorer.demo(demo, progress=False) as opened:
        yield opened


@pytest.mark.parametrize("engine", ["graph-rag", "document-rag", "agent"])
def test_a_question_asks_the_graph_at_most_twelve_times_and_writes_each_step_once(engine, ws, requests):
    ws.sources.forget()  # as in a process that has asked nothing yet
    requests.clear()
    steps = [event.iri for event in ws.ask(QUESTION, engine=engine) if isinstance(event, Explain)]
    assert len(steps) > 3
    assert sum(requests[name] for name in WRITES) == len(steps)
    assert 0 < sum(requests[name] for name in READS) <= MOST_READS


def test_what_was_read_ahead_is_not_asked_again_until_it_is_forgotten(ws, requests):
    some = next(ws.graph.match(None, RDFS.label, None, FACTS))
    lookups, pattern = Lookups(ws.graph), (some.subject, RDFS.label, None, FACTS)
    lookups.ahead([pattern])
    requests.clear()
    assert some in set(lookups.match(*pattern))
    assert lookups.matches([pattern]) == [list(lookups.match(*pattern))]
    assert not requests
    lookups.forget()
    assert some in set(lookups.match(*pattern))
    assert requests["match"] == 1
