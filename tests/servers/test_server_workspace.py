"""Opening a workspace on servers: by which addresses, for whom, and what is said where that can't be."""

import json
import logging
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import explorer
from explorer.errors import WorkspaceError
from explorer.servers import server_workspace
from explorer.vocab import TG
from tests.corpus import NOTES, VALVES
from tests.stores.contract.graph_servers import oxigraph, rdflib_endpoint
from tests.tampering import changed, put, unlock

SECRET = "s3cret-word"
QUESTION = "Who built the relief valve?"


@pytest.fixture
def notes(tmp_path):
    (tmp_path / "valves.md").write_text(VALVES, "utf-8")
    (tmp_path / "notes.txt").write_text(NOTES, "utf-8")
    return tmp_path


def role(team, name, *grants):
    """A role that may sign in with a password, and what it may do."""
    if team.sql("SELECT 1 FROM pg_roles WHERE rolname = :name", name=name):
        team.sql(f"DROP OWNED BY {name}")
        team.sql(f"DROP ROLE {name}")
    team.sql(f"CREATE ROLE {name} LOGIN PASSWORD '{SECRET}'")
    for grant in grants:
        team.sql(f"GRANT {grant} TO {name}")
    return team.url.replace("//postgres:@", f"//{name}:{SECRET}@")


@pytest.mark.parametrize("engine", ["graph-rag", "document-rag", "agent"])
def test_the_whole_way_through_the_public_door(team, notes, engine):
    ws = team.open()
    done = ws.ingest(notes, progress=False)
    assert (done.documents, ws.size.documents) == (2, 2)
    run = ws.run(QUESTION, engine)
    assert run.reason == "done"
    assert "Beech Aircraft" in run.answer
    ws.close()
    ws = team.open()
    assert [(one.iri, one.reason) for one in ws.traces.list()] == [(run.iri, "done")]
    again = ws.traces.load(run.iri)
    assert [event.iri for event in again.steps] == [event.iri for event in run.steps]
    assert again.answer == run.answer
    found = ws.verify()
    assert found.is_sound
    assert len(ws.ledger) == 1
    with explorer.open() as other:
        other.import_record(written(notes, ws.export(run, "nq", closed=True)))
        assert other.traces.load(run.iri).answer == run.answer
    ws.traces.judge(run, "supported", sentence=1, by="Ana")
    gone = ws.forget("notes.txt")
    assert ws.size.documents == 1
    assert ws.restore(gone).title == "Notes of the shift"
    assert ws.verify().is_sound


def test_what_is_changed_by_hand_of_a_sealed_run_is_found(team, notes):
    """Its statements by the endpoint, its texts and its seal by the database: each once, and put back."""
    ws = team.open()
    ws.ingest(notes, progress=False)
    run = ws.run(QUESTION).iri
    [quad, *_] = [one for one in ws.graph.match(None, TG.query) if one.subject.value == run]
    texts, seals = "UPDATE contents SET data = {}", "UPDATE ledger SET seal = {}"

    def entries(change):
        with ws.stores.database.writing() as connection:
            unlock(connection)
            connection.execute(change)
        ws.sources.forget()

    for change, back in (
        (lambda: put(ws, [quad], [changed(quad)]), lambda: put(ws, [changed(quad)], [quad])),
        (
            lambda: entries(texts.format("data || decode('31', 'hex')")),
            lambda: entries(texts.format("substr(data, 1, length(data) - 1)")),
        ),
        (lambda: entries(seals.format("'x' || seal")), lambda: entries(seals.format("substr(seal, 2)"))),
    ):
        change()
        assert ws.verify(run).faults
        back()
        assert ws.verify(run).is_sound


def written(folder, data):
    (folder / "record.nq").write_bytes(data)
    return folder / "record.nq"


def test_it_answers_as_a_folder_does(team, notes, tmp_path):
    ws = team.open()
    with explorer.open(tmp_path / "folder") as folder:
        for one in (ws, folder):
            one.ingest(notes, progress=False)
        for question in (QUESTION, "Who is the mayor of Lisbon?"):
            ours, theirs = ws.run(question), folder.run(question)
            assert ours.answer == theirs.answer
            assert [edge.edge for edge in ours.edges] == [edge.edge for edge in theirs.edges]


def test_without_an_endpoint_it_is_refused_with_what_to_do(postgres, monkeypatch):
    monkeypatch.delenv("EXPLORER_ENDPOINT", raising=False)
    with pytest.raises(WorkspaceError, match=r"endpoint= \(--endpoint, EXPLORER_ENDPOINT\)"):
        explorer.open(postgres)


def test_the_environment_names_the_endpoint(team, monkeypatch):
    monkeypatch.setenv("EXPLORER_ENDPOINT", team.endpoint)
    assert team.open(endpoint=None).size.documents == 0


def test_an_endpoint_alone_is_refused(tmp_path, endpoint):
    with pytest.raises(WorkspaceError, match="name its database too"):
        explorer.open(tmp_path, endpoint=endpoint)


def test_without_the_extra_the_command_that_brings_it_is_said(monkeypatch, postgres, endpoint):
    monkeypatch.setattr(server_workspace, "find_spec", lambda name: None if name == "pg8000" else object())
    with pytest.raises(WorkspaceError, match=r"needs pg8000; install `pip install 'provenance-explorer\[servers\]'`"):
        explorer.open(postgres, endpoint=endpoint)


def test_a_name_too_long_for_a_schema_is_refused(team):
    with pytest.raises(WorkspaceError, match="at most 54 bytes"):
        team.open(collection="c" * 55)


def test_passwords_stand_nowhere(team, notes, capsys, caplog):
    caplog.set_level(logging.DEBUG)
    url = team.url.replace("postgres:@", f"postgres:{SECRET}@", 1)
    query, *rest = team.endpoint.split()
    there = query.replace("http://", f"http://ana:{SECRET}2@")
    ws = explorer.open(url, endpoint=" ".join([there, *rest]), collection=team.collection)
    with ws:
        ws.ingest(notes / "notes.txt", progress=False)
        run = ws.run(QUESTION)
        shown = [repr(ws), repr(ws._place), str(ws._place), repr(ws.graph), repr(ws.stores), ws.name]
        shown += [repr(ws.stores.database.server.address), json.dumps(ws._repr_mimebundle_())]
        shown += [ws.export(run, "nq", closed=True).decode(), *map(str, ws.graph.match())]
    shown += [str(row) for table in ("settings", "writers", "listing") for row in team.sql(f"SELECT * FROM {table}")]
    for asked in (url.replace("?host=", "?hast="), url.replace("@/postgres", "@/nothing"), f"{url}&port=x"):
        with pytest.raises(WorkspaceError) as error:
            explorer.open(asked, endpoint=team.endpoint)
        shown += [str(error.value), repr(error.value), repr(error.value.__cause__)]
    shown += [*capsys.readouterr(), caplog.text]
    assert not [text for text in shown if SECRET in text]


@pytest.mark.parametrize("scheme", ["mysql", "http", "postgresql+pg8000", "file"])
def test_what_is_no_database_is_refused_and_no_folder_is_made(scheme, endpoint, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(WorkspaceError, match="a folder, or a database as postgresql://") as error:
        explorer.open(f"{scheme}://ana:{SECRET}@db.example/team", endpoint=endpoint)
    assert SECRET not in str(error.value)
    assert not [*tmp_path.iterdir()]


def test_no_such_database_is_said(team):
    with pytest.raises(WorkspaceError, match=r"database \"nothing\" does not exist.*check the name"):
        explorer.open(team.url.replace("@/postgres", "@/nothing"), endpoint=team.endpoint)


def test_no_server_is_said(endpoint):
    with pytest.raises(WorkspaceError, match=r"ana@127.0.0.1:1/team can't be reached .*explorer servers"):
        explorer.open("postgresql://ana@127.0.0.1:1/team", endpoint=endpoint)


def test_who_may_only_read_opens_it_for_reading(team, notes):
    ws = team.open()
    ws.ingest(notes, progress=False)
    run = ws.run(QUESTION)
    schema = server_workspace.schema_of(team.collection)
    url = role(team, "reader", f'USAGE ON SCHEMA "{schema}"', f'SELECT ON ALL TABLES IN SCHEMA "{schema}"')
    with explorer.open(url, endpoint=team.endpoint, collection=team.collection) as reading:
        assert reading.read_only
        assert "permission denied" in reading.why_read_only
        assert [one.iri for one in reading.traces.list()] == [run.iri]
        assert reading.traces.load(run.iri).answer == run.answer
        with pytest.raises(WorkspaceError, match=r"read-only: .*permission denied"):
            reading.run(QUESTION)
        assert SECRET not in reading.why_read_only
    with pytest.raises(WorkspaceError, match="permission denied"):
        explorer.open(url, endpoint=team.endpoint, collection="another")


def test_the_graph_of_another_workspace_is_not_taken_for_its_own(team, notes):
    ws = team.open()
    ws.ingest(notes / "notes.txt", progress=False)
    ws.close()
    with oxigraph() as empty, pytest.raises(WorkspaceError, match="does not have the graph of the collection"):
        team.open(endpoint=" ".join(empty))
    team.sql("DELETE FROM settings WHERE name = 'graph'")
    with pytest.raises(WorkspaceError, match="of another workspace"):
        team.open()


def test_what_the_endpoint_understands_is_asked_once(team):
    team.open().close()
    [[kept]] = team.sql("SELECT value FROM settings WHERE name = 'dialect'")
    assert json.loads(kept) == {
        "at": team.endpoint.split()[0], "dialect": {"form": "1.2", "scoped": True, "lexical": False}
    }  # fmt: skip
    ws = team.open(writer=1)
    assert ws.graph.dialect.form == "1.2"


class Wrong(BaseHTTPRequestHandler):
    """Answers as no SPARQL server does."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        status, kind, body = self.server.reply
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body) * 2 if self.server.half else len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def log_message(self, *_):
        pass


@pytest.mark.parametrize(
    ("reply", "half", "said"),
    [
        ((500, "text/plain", b"broken"), False, r"could not answer \(500: broken\)"),
        ((200, "text/html", b"<!doctype html>"), False, "answered with a web page"),
        ((200, "application/sparql-results+json", b""), False, "can't be read"),
        ((200, "application/sparql-results+json", b'{"head": {"vars'), True, "was lost|can't be read"),
    ],
)
def test_what_is_no_endpoint_is_named(team, reply, half, said):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Wrong)
    server.reply, server.half = reply, half
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        at = f"http://127.0.0.1:{server.server_port}/sparql"
        with pytest.raises(WorkspaceError, match=f"{at}.*({said})"):
            team.open(endpoint=at)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_an_endpoint_that_takes_no_updates_is_named(team):
    with pytest.raises(WorkspaceError, match=r"takes no updates \(415\); .*after the one for queries"):
        team.open(endpoint=team.endpoint.split()[0])


def test_another_embedder_is_refused_with_what_to_do(team, notes):
    class Other:
        name = "other"
        dimensions = 4

        def embed(self, texts):
            import numpy as np

            return np.ones((len(texts), 4), np.float32)

    team.open().ingest(notes / "notes.txt", progress=False)
    other = team.open(writer=1, embedder=Other())
    for act in (lambda: other.run(QUESTION), lambda: other.ingest(notes / "valves.md", progress=False)):
        with pytest.raises(WorkspaceError, match=r"made by .*, not other\. .*`explorer reindex`"):
            act()


def test_a_writer_that_ends_without_closing_gives_its_lease_back(team):
    text = (
        "import explorer, sys; ws = explorer.open(sys.argv[1], endpoint=sys.argv[2], collection=sys.argv[3]); ws.size"
    )
    subprocess.run([sys.executable, "-c", text, team.url, team.endpoint, team.collection], check=True, timeout=120)
    assert team.sql("SELECT count(*) FROM writers WHERE until <= clock_timestamp()") == [[1]]


def test_an_endpoint_without_triple_terms_does_as_well(team, notes):
    with rdflib_endpoint() as (query, *_):
        ws = team.open(endpoint=query)
        ws.ingest(notes / "notes.txt", progress=False)
        run = ws.run(QUESTION)
        assert "Beech Aircraft" in run.answer
        assert ws.traces.load(run.iri).answer == run.answer
        assert ws.verify().is_sound
        ws.close()
