"""A question over a store that others fill: what has gone from it since is not answered from."""

import pytest

import explorer
from explorer.errors import WorkspaceError
from explorer.events import Done
from tests.attached import EX, LABEL, door, fill
from tests.stores.contract.graph_servers import oxigraph

OSLO = f'<{EX}oslo> <{LABEL}> "Oslo" ; <{EX}mayor> "Ada Berg" ; <{EX}river> "Aker" .\n'
FAR = "\n".join(f'<{EX}town{n}> <{LABEL}> "Town {n}" ; <{EX}mayor> "Mayor {n}" .' for n in range(60))


@pytest.fixture(scope="module")
def server():
    with oxigraph() as addresses:
        yield addresses


@pytest.fixture
def asked(server, tmp_path):
    """A workspace with a store and a document of its own, and the door that the store is asked through."""
    fill(server[2], OSLO + FAR)
    (tmp_path / "own.md").write_text("The mayor of Bergen is Kim Dahl. The river of Bergen is the Vosso.")
    with door(server[0]) as store, explorer.open() as ws:
        ws.ingest(tmp_path / "own.md", progress=False)
        ws.attach(store.at, progress=False)
        store.asked.clear()
        yield ws, store


def reasons(run):
    return {one.not_selected for one in run.dag.entities.values() if getattr(one, "not_selected", None)}


@pytest.mark.parametrize("engine", ["graph-rag", "document-rag"])
def test_what_is_kept_is_asked_for_at_the_store_in_one_request(asked, engine):
    ws, store = asked
    assert "Ada Berg" in ws.run("Who is the mayor of Oslo?", engine).answer
    assert len(store.asked) == 1
    assert "SELECT" in store.asked[0][2]


@pytest.mark.parametrize("limits", [{}, {"selector": "rerank"}])
def test_a_fact_that_has_gone_since_is_not_kept_and_the_record_says_why(asked, server, limits):
    ws, store = asked
    before = ws.run("Who is the mayor of Oslo?", **limits)
    fill(server[2], OSLO.replace("Ada Berg", "Bo Lund") + FAR)
    after = ws.run("Who is the mayor of Oslo?", **limits)
    assert "Ada Berg" in before.answer
    assert "Ada Berg" not in after.answer
    assert f"it is no longer in {store.at}" in reasons(after)
    assert not any("Ada Berg" in passage.text for passage in after.sources())
    ws.reindex(progress=False)
    assert "Bo Lund" in ws.run("Who is the mayor of Oslo?", **limits).answer
    assert "Ada Berg" in ws.traces.load(before.iri).answer


def test_passages_with_a_statement_that_has_gone_are_not_read(asked, server):
    ws, _ = asked
    fill(server[2], OSLO.replace("Ada Berg", "Bo Lund") + FAR)
    run = ws.run("Who is the mayor of Oslo?", "document-rag")
    assert "Ada Berg" not in run.answer
    assert not any("Ada Berg" in passage.text for passage in run.sources())


@pytest.mark.parametrize("engine", ["graph-rag", "document-rag", "agent"])
def test_a_store_that_is_away_ends_a_new_question_and_old_runs_open(asked, engine):
    ws, store = asked
    before = ws.run("Who is the mayor of Oslo?", engine)
    store.answer = (503, {}, b"closed for today")
    done = [event for event in ws.ask("Who is the mayor of Oslo?", engine) if isinstance(event, Done)]
    assert [one.reason for one in done] == ["error"]
    assert done[0].error.startswith(f"{store.at} could not answer (503")
    assert "Ada Berg" in ws.traces.load(before.iri).answer
    assert before.iri in {one.iri for one in ws.traces.list()}
    with pytest.raises(WorkspaceError, match=store.at):
        ws.reindex(progress=False)
