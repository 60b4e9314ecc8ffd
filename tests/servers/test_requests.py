"""How often a workspace on servers asks them, counted at the servers themselves."""

from contextlib import closing

import pytest

import explorer
from explorer.events import Explain
from explorer.ingest.readers.files import Source
from explorer.record.listing import QUESTIONS
from explorer.sample import corpus, questions
from explorer.servers.postgres.server import Address
from explorer.vocab import recognise
from tests.servers.relay import relayed_http, relayed_postgres
from tests.servers.served import Team

STATEMENTS, REQUESTS = 20, 12  # of a run, and of each that it has within
QUESTION = "Why did the tank explode?"


@pytest.fixture(scope="module")
def served(postgres, endpoint):
    """Documents of the sample on servers, with the statements and requests that come to these, and in memory."""
    files = [Source(file, file.name) for file in sorted((corpus() / "documents").iterdir())[:3]]
    base = endpoint.split()[0].removesuffix("/query")
    with (
        relayed_postgres(Address.read(postgres)) as (url, statements),
        relayed_http(base) as (at, requests),
        closing(Team(url, endpoint.replace(base, at))) as team,
        explorer.open() as memory,
    ):
        ws = team.open()
        for one in (ws, memory):
            one.ingest(*files, progress=False)
            one.run(QUESTION)
        yield ws, memory, statements, requests


@pytest.mark.parametrize("engine", ["graph-rag", "document-rag", "agent"])
@pytest.mark.parametrize("temper", ["cold", "warm"])
def test_a_question_asks_the_servers_few_times_and_writes_each_step_once(engine, temper, served):
    ws, _, statements, requests = served
    if temper == "cold":
        ws.sources.forget()
    statements.clear()
    requests.clear()
    steps = [event.iri for event in ws.ask(QUESTION, engine) if isinstance(event, Explain)]
    runs = sum(recognise(iri).kind in QUESTIONS for iri in steps)
    assert len(steps) > 3
    assert 3 < len(statements.reads) <= STATEMENTS * runs
    assert 0 < requests["/query"] <= REQUESTS * runs
    written = [one for one in statements.transactions if len(one) > 1]  # beside what holds the lease
    assert 3 < len(written) <= len(steps)
    assert requests["/update"] == len(steps)


STATED = """
@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix : <http://example.org/> .
:flow skos:prefLabel "Hydrology" ; skos:altLabel "Water sciences" ; skos:broader :earth ; skos:related :lake, :river .
:earth skos:prefLabel "Earth sciences" . :lake skos:prefLabel "Lakes" . :river skos:prefLabel "Rivers" .
"""


@pytest.mark.parametrize(
    ("question", "more"),
    [
        ("Which concepts are related to Hydrology?", 0),
        ("Which concepts are related to Water sciences?", 3),  # for which it searches again, by the thing's own name
        ("Is Hydrology related to Lakes?", 2),
    ],
)
def test_what_others_have_stated_is_looked_up_by_few_requests_too(question, more, served, tmp_path):
    ws, memory, statements, requests = served
    (tmp_path / "store.ttl").write_text(STATED, "utf-8")
    for one in (ws, memory):
        one.ingest(tmp_path / "store.ttl", progress=False)
    ws.sources.forget()
    for limit in (REQUESTS + more, REQUESTS):  # cold, then warm
        statements.clear()
        requests.clear()
        steps = [event for event in ws.ask(question) if isinstance(event, Explain)]
        assert len(steps) > 3
        assert 3 < len(statements.reads) <= STATEMENTS + 2 * more
        assert 0 < requests["/query"] <= limit
        assert requests["/update"] == len(steps)


def test_a_run_is_read_and_past_runs_are_listed_by_few_requests(served):
    ws, _, statements, requests = served
    run = ws.run(QUESTION).iri
    ws.sources.forget()
    for look in (lambda: ws.traces.load(run), ws.traces.list):
        statements.clear()
        requests.clear()
        look()
        assert 0 < len(statements.reads) <= STATEMENTS
        assert 0 < requests["/query"] <= REQUESTS
        assert not statements.transactions
        assert not requests["/update"]


@pytest.mark.parametrize("engine", ["graph-rag", "document-rag"])
def test_servers_answer_as_memory_does(engine, served):
    ws, memory, *_ = served
    for question in questions(answerable=True)[::5]:
        there, here = ws.run(question, engine), memory.run(question, engine)
        assert there.answer == here.answer
        assert [str(edge) for edge in there.edges] == [str(edge) for edge in here.edges]
