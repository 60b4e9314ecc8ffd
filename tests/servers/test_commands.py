"""The commands on a workspace on servers: the same as in a folder, by an address and an endpoint."""

import json

import pytest

from tests.corpus import NOTES

QUESTION = "Who built the relief valve?"
SECRET = "s3cret-word"


@pytest.fixture
def explorer(program, team, monkeypatch, tmp_path):
    """A function that runs a command on the workspace, and returns what it prints."""
    monkeypatch.setenv("EXPLORER_ENDPOINT", team.endpoint)
    monkeypatch.setenv("EXPLORER_WORKSPACE", team.url.replace("postgres:@", f"postgres:{SECRET}@"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.txt").write_text(NOTES, "utf-8")

    def run(*words, expected=0):
        code, out, err = program(*words, "-C", team.collection)
        assert code == expected, out + err
        assert SECRET not in out + err
        return out + err

    return run


def test_the_commands_work_on_servers(explorer, team):
    assert "Added 1 document" in explorer("ingest", "notes.txt")
    run = json.loads(explorer("ask", QUESTION, "--json"))
    assert "Beech Aircraft" in run["answer"]
    assert run["iri"].rpartition(":")[2][:8] in explorer("traces")
    assert "Beech Aircraft" in explorer("show", run["iri"])
    assert "Notes of the shift" in explorer("documents")
    assert "1 run checked, no fault found" in explorer("verify", "--all")
    assert run["iri"] in explorer("ledger")
    assert "Written: copy" in explorer("backup", "copy")
    explorer("forget", "notes.txt", "--yes")
    assert json.loads(explorer("documents", "--json")) == []
    said = explorer("documents", "--endpoint", "http://127.0.0.1:1/sparql", expected=2)
    assert "can't be reached" in said
    assert "`explorer servers FOLDER` starts those of this machine" in said
