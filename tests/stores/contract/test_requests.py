"""How often a workspace on servers asks them, counted at the servers themselves."""

from contextlib import closing
from datetime import UTC, datetime
from uuid import uuid4

import pytest

import explorer
from explorer.events import Explain
from explorer.ingest.readers.files import Source
from explorer.record.listing import QUESTIONS
from explorer.sample import corpus, questions
from explorer.stores.collection import joined
from explorer.stores.endpoint.server import Address as Endpoint
from explorer.stores.endpoint.store import EndpointStore
from explorer.stores.lock import SharedCollection
from explorer.stores.postgres.database import PostgresDatabase
from explorer.stores.postgres.lease import WriterLease
from explorer.stores.postgres.server import Address, Server
from explorer.vocab import recognise
from explorer.workspace import Workspace
from tests.stores.contract.graph_servers import oxigraph
from tests.stores.contract.relay import relayed_http, relayed_postgres

STATEMENTS, REQUESTS = 20, 12  # of a run, and of each that it has within
QUESTION = "Why did the tank explode?"


@pytest.fixture(scope="module")
def served(postgres):
    """Documents of the sample on servers, with the statements and requests that come to these, and in memory."""
    name = f"test_{uuid4().hex}"
    with (
        relayed_postgres(Address.read(postgres)) as (url, statements),
        oxigraph() as addresses,
        relayed_http(addresses[0].removesuffix("/query")) as (at, requests),
        explorer.open() as memory,
    ):
        server = Server(Address.read(url), name)
        graph = EndpointStore(Endpoint.of(f"{at}/query", f"{at}/update", f"{at}/store"), name).open()
        stores = joined(PostgresDatabase(server, WriterLease(server)).open(), graph)
        with Workspace(
            SharedCollection(stores, users=1), name="servers", path=None, embedder=memory.embedder,
            ids=lambda: str(uuid4()), clock=lambda: datetime.now(UTC),
        ) as ws:  # fmt: skip
            for one in (ws, memory):
                files = sorted((corpus() / "documents").iterdir())[:3]
                one.ingest(*(Source(file, file.name) for file in files), progress=False)
                one.run(QUESTION)
            yield ws, memory, statements, requests
    with closing(Server(Address.read(postgres), name).connect(None)) as connection:
        connection.run(f'DROP SCHEMA "{name}" CASCADE')


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
