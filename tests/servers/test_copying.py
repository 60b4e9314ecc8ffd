"""A workspace is moved to servers and back: all of it, to the byte, or nothing that can be opened."""

import random
import shutil
import signal
import subprocess
import sys
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy.engine import make_url

import explorer
from explorer.errors import WorkspaceError
from explorer.events import Explain
from explorer.servers.copying.copy import copy_collections, opened_for_copying
from explorer.servers.copying.places import filling
from explorer.servers.postgres.server import Address as Database
from explorer.servers.postgres.server import Server as Postgres
from explorer.servers.server_workspace import Served, schema_of
from explorer.stores.sparql_client import Address, Server
from tests.copied import answers, checked, full, record, rows, small
from tests.corpus import NOTES, QUESTIONS
from tests.forked import ended
from tests.servers.served import kill, started
from tests.stores.contract.graph_servers import free_port, oxigraph, rdflib_endpoint
from tests.test_full_disk import OWN, may_mount

pytestmark = pytest.mark.embedded("says of each workspace itself where it is")
ROOT = Path(__file__).parents[2]
PUMP = "Who made the impeller?"
FOREIGN = "urn:t:foreign"


@pytest.fixture(scope="module")
def made(tmp_path_factory, endpoint):
    """A folder with a workspace of all that one may hold, in a collection “all”."""
    folder = tmp_path_factory.mktemp("made")
    query, update, _ = endpoint.split()
    there = Server(Address(query, update))
    fact = '<urn:t:hydra> <http://www.w3.org/2000/01/rdf-schema#label> "Hydra pump" ; <urn:t:feeds> <urn:t:lake>'
    there.update(f"INSERT DATA {{ GRAPH <{FOREIGN}> {{ {fact} }} }}")
    full(folder, folder / "ws", "all", (query, FOREIGN))
    yield folder / "ws"
    there.update(f"DROP GRAPH <{FOREIGN}>")
    there.close()


@pytest.fixture
def source(made, team, tmp_path):
    """A workspace of its own in a folder, with the collection of the team."""
    place = tmp_path / "source"
    shutil.copytree(made, place)
    (place / "all").rename(place / team.collection)
    return place


@pytest.fixture
def move(source, team):
    """A function that copies between the folder and the servers of a test, by default to the servers."""

    def moved(here=source, there=team.url, **more):
        given = {"endpoint": team.endpoint, "collection": team.collection, "progress": False} | more
        return explorer.copy(here, there, **given)

    return moved


def read(place, team):
    return explorer.open(place, collection=team.collection)


def same(*workspaces):
    """Whether workspaces hold the same, and checking says the same of them."""
    first, *others = workspaces
    anchor = first.ledger.head
    seen = [(record(ws), rows(ws), checked(ws, anchor)) for ws in (first, *others)]
    return seen[0][2][0] and all(one == seen[0] for one in seen[1:])


def test_a_workspace_that_goes_to_servers_and_back_is_the_same_to_the_byte(source, team, tmp_path, move):
    done = move()
    assert done.collections == move(team.url, tmp_path / "back").collections
    assert [line for line in done.lines() if "6 documents, 4 runs" in line and "the same" in line]
    with ExitStack() as opened:
        places = read(source, team), team.open(), read(tmp_path / "back", team)
        one, there, back = map(opened.enter_context, places)
        assert b"_:" in record(one)
        assert same(one, there, back)
        assert one.attached == there.attached == back.attached != []
        runs = [run.iri for run in one.traces.list()]
        exports = [[ws.export(run, "nq", closed=True) for run in runs] for ws in (one, there, back)]
        assert exports[0] == exports[1] == exports[2]
        asked = [answers(ws, QUESTIONS[1], PUMP) for ws in (one, there, back)]
        assert asked[0] == asked[1] == asked[2]
        assert all(len(ws.ledger) == len(one.ledger) and ws.verify().is_sound for ws in (there, back))
        file = source.parent / "pumps.txt"
        file.write_text("Miriam Okafor built the Osprey pump.", "utf-8")
        assert all(ws.ingest(file, progress=False).documents == 1 for ws in (there, back))


def test_the_demo_goes_to_servers_and_back_and_is_the_same_to_the_byte(team, tmp_path, move):
    with explorer.demo(progress=False) as ws:
        ws.backup(tmp_path / "demo")
    (tmp_path / "demo" / "default").rename(tmp_path / "demo" / team.collection)
    with read(tmp_path / "demo", team) as ws:
        ws.run("Why did the tank explode?")
    move(tmp_path / "demo")
    move(team.url, tmp_path / "back")
    with read(tmp_path / "demo", team) as one, read(tmp_path / "back", team) as back:
        assert same(one, back)
        assert answers(one, "Who built the service module?") == answers(back, "Who built the service module?")


def test_a_server_without_triple_terms_that_asks_for_a_token_gives_all_of_it_back(team, tmp_path, move, monkeypatch):
    source = tmp_path / "small"
    small(tmp_path, source, team.collection)
    move = partial(move, source)
    with rdflib_endpoint(key="key-of-it") as (endpoint, *_):
        with pytest.raises(WorkspaceError, match="does not let anybody without a password write"):
            move(endpoint=endpoint)
        monkeypatch.setenv("EXPLORER_ENDPOINT_TOKEN", "key-of-it")
        move(endpoint=endpoint)
        explorer.copy(
            team.url, tmp_path / "back", endpoint=endpoint, collection=team.collection, progress=False
        )  # fmt: skip
        with read(source, team) as one, team.open(endpoint=endpoint) as there, read(tmp_path / "back", team) as back:
            assert b"_:" in record(one)
            assert same(one, there, back)
            there.close()


def test_all_collections_go_along_to_a_database_of_their_own_and_back(made, team, tmp_path):
    place = tmp_path / "source"
    shutil.copytree(made, place)
    name = team.collection
    team.sql(f'CREATE DATABASE "{name}"')
    url = team.url.replace("/postgres?", f"/{name}?")
    try:
        (place / "all").rename(place / name)
        with explorer.open(place, collection=f"{name}_2") as ws:
            ws.ingest(made.parent / "documents" / "notes.txt", progress=False)
        done = explorer.copy(place, url, endpoint=team.endpoint, progress=False)
        assert [*done.collections] == sorted([name, f"{name}_2"])
        back = explorer.copy(url, tmp_path / "back", endpoint=team.endpoint, progress=False)
        assert back.collections == done.collections
        with (
            explorer.open(place, collection=f"{name}_2") as ws,
            explorer.open(tmp_path / "back", collection=f"{name}_2") as other,
        ):
            assert same(ws, other)
    finally:
        team.sql(f'DROP DATABASE "{name}" WITH (FORCE)')
        with explorer.open(team.url, endpoint=team.endpoint, collection="probe") as probe:
            for one in (name, f"{name}_2"):
                probe.graph.server.update(f"DROP SILENT GRAPH <urn:provenance-explorer:graph:{one}:graphs>")
        team.sql('DROP SCHEMA "explorer_probe" CASCADE')


def test_what_is_not_whole_can_t_be_opened_and_goes_on(source, team, tmp_path, move, program):
    port = free_port()
    place = tmp_path / "graph"
    place.mkdir()
    served = oxigraph(place=place, port=port)
    endpoint = " ".join(served.__enter__())
    there = Served.of(team.url, endpoint)
    try:
        with pytest.raises(WorkspaceError, match=rf"127.0.0.1:{port}.*can't be reached.*it goes on"):
            interrupted(source, there, team, lambda: served.__exit__(None, None, None))
    finally:
        served = oxigraph(place=place, port=port)
        served.__enter__()
    try:
        for opening in (
            lambda: team.open(endpoint=endpoint),
            lambda: there.reading(team.collection).__enter__(),
        ):
            with pytest.raises(WorkspaceError, match=rf"is a copy of {source} that is not whole yet. Go on with"):
                opening()
        with pytest.raises(WorkspaceError, match="not whole yet"):
            move(team.url, tmp_path / "back", endpoint=endpoint)
        other = tmp_path / "other"
        shutil.copytree(source, other)
        with pytest.raises(WorkspaceError, match=rf"unfinished copy of {source}, and not of {other}"):
            move(other, endpoint=endpoint)
        with read(source, team) as ws:  # what was copied is changed meanwhile
            ws.run(QUESTIONS[2])
            ws.forget("valves.md")
        move(endpoint=endpoint)
        with pytest.raises(WorkspaceError, match="was lost"):
            interrupted(there, tmp_path / "back", team, lambda: raises("was lost"))
        with pytest.raises(WorkspaceError, match="not whole yet"):
            explorer.open(tmp_path / "back")
        code, _, err = program("ledger", "-w", tmp_path / "back", "-C", team.collection)
        assert (code, "no collection" in err) == (2, True)
        with team.open(endpoint=endpoint) as ws:
            ws.run(QUESTIONS[0])
            ws.forget("notes.txt")
        move(team.url, tmp_path / "back", endpoint=endpoint)
        with team.open(endpoint=endpoint) as one, read(tmp_path / "back", team) as back:
            assert same(one, back)
            one.close()
    finally:
        served.__exit__(None, None, None)


def corpus(folder):
    """A document in a folder."""
    (folder / "notes.txt").write_text(NOTES, "utf-8")
    return folder / "notes.txt"


def test_a_run_that_was_cut_off_is_told_so_where_it_went(source, team, tmp_path, move):
    with read(source, team) as ws:
        events = ws.ask(QUESTIONS[0])
        shown = [next(event for event in events if isinstance(event, Explain)) for _ in range(3)]
        shutil.copytree(source, tmp_path / "cut")
        events.close()
    move(tmp_path / "cut")
    move(team.url, tmp_path / "back")
    for ws in (read(tmp_path / "cut", team), team.open(), read(tmp_path / "back", team)):
        with ws:
            assert {run.iri: run.reason for run in ws.traces.list()}[shown[0].iri] == "interrupted"
            assert {one.iri for one in shown} <= {event.iri for event in ws.traces.load(shown[0].iri).steps}
            assert ws.verify().is_sound


def test_a_wrong_password_is_told_and_a_database_that_is_lost_can_come_back(source, team, tmp_path, monkeypatch):
    with started() as server:
        own = make_url(server.get_uri())
        with closing(Postgres(Database.read(str(own)), "public").connect(30)) as connection:
            connection.run("CREATE ROLE ana SUPERUSER LOGIN PASSWORD 'right'")
            rules = server.pgdata / "pg_hba.conf"
            rules.write_text(f"local all ana scram-sha-256\n{rules.read_text()}")
            connection.run("SELECT pg_reload_conf()")
        url = own.set(username="ana").render_as_string(hide_password=False)
        given = {"endpoint": team.endpoint, "collection": team.collection, "progress": False}
        monkeypatch.setenv("PGPASSWORD", "wrong")
        with pytest.raises(WorkspaceError, match=r"password authentication failed.*check the password"):
            explorer.copy(source, url, **given)
        monkeypatch.setenv("PGPASSWORD", "right")
        try:
            with pytest.raises(WorkspaceError, match=r"ana@.* (can't be reached|has closed).*it goes on"):
                interrupted(source, Served.of(url, team.endpoint), team, lambda: kill(server))
        finally:
            server.ensure_postgres_running()
        explorer.copy(source, url, **given)
        with read(source, team) as one, explorer.open(
            url, endpoint=team.endpoint, collection=team.collection
        ) as there:  # fmt: skip
            assert same(one, there)


def interrupted(source, target, team, act):
    """Copy, and have something happen once some statements are there."""
    told = []

    def tell(_, what):
        if what == "copying statements" and not told:
            told.append(what)
            act()

    with opened_for_copying(source, [team.collection]) as opened:
        copy_collections(opened, source, target, tell)


def raises(message):
    raise WorkspaceError(message)


def test_where_it_is_in_use_it_is_not_copied(source, team, tmp_path, move):
    with read(source, team), pytest.raises(WorkspaceError, match=r"is in use by process \d+ .*explorer backup"):
        move()
    move()
    ws = team.open()
    with pytest.raises(WorkspaceError, match=r"is in use by process \d+ .*close it there"):
        move(team.url, tmp_path / "back")
    assert ws.run(QUESTIONS[0]).reason == "done"
    ws.close()
    with opened_for_copying(Served.of(team.url, team.endpoint), [team.collection]):
        with pytest.raises(WorkspaceError, match="longer than 1 seconds"):
            team.open(timeout=1)
        with team.place.reading(team.collection) as stores:
            assert stores.library.documents()
    with opened_for_copying(source, [team.collection]), read(source, team) as ws:
        assert ws.holder is not None


def test_where_a_copy_does_not_go(source, team, tmp_path, move, monkeypatch):
    monkeypatch.delenv("EXPLORER_ENDPOINT", raising=False)
    (tmp_path / "file").write_text("x")
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "file").touch()
    for place, said in {
        "file": "is a file", "taken": "there already", "source": "copied to itself", "source/in": "is in what is to be",
    }.items():  # fmt: skip
        with pytest.raises(WorkspaceError, match=said):
            move(source, tmp_path / place, endpoint=None)
    assert not (source / "in").exists()
    with pytest.raises(WorkspaceError, match="is no workspace"):
        move(tmp_path / "nothing", tmp_path / "new", endpoint=None)
    with pytest.raises(WorkspaceError, match="no collection other in"):
        move(collection="other")
    with pytest.raises(WorkspaceError, match="name its database too"):
        move(source, tmp_path / "new")
    with pytest.raises(WorkspaceError, match="copy it there first"):
        move(team.url)
    with pytest.raises(WorkspaceError, match="SPARQL endpoint; give its address"):
        move(endpoint=None)
    with team.open() as ws:
        ws.ingest(corpus(tmp_path), progress=False)
    with pytest.raises(WorkspaceError, match=r"is not empty, and no unfinished copy"):
        move()
    team.sql("UPDATE settings SET value = '99' WHERE name = 'format'")
    with pytest.raises(WorkspaceError, match=r"of format 99, this version reads \d+;"):
        move()


def test_two_do_not_copy_to_one_place_at_once(source, team, tmp_path, move):
    for target, given in (tmp_path / "to", {"endpoint": None}), (team.url, {}):
        place = target if isinstance(target, Path) else team.place
        with filling(place, source, [team.collection]) as goal:
            goal.fill(team.collection)
            with pytest.raises(WorkspaceError, match="Another process copies into"):
                move(source, target, **given)
        assert move(source, target, **given).collections


def test_a_text_that_no_server_stores_is_named(source, team, move):
    with read(source, team) as ws, ws.stores.database.writing() as transaction:
        transaction.execute("UPDATE listing SET answer = ? WHERE iri = (SELECT min(iri) FROM listing)", ("a\0b",))
    with pytest.raises(WorkspaceError, match=r"\(listing\) has a NUL, which no server stores"):
        move()


def test_a_backup_of_servers_is_a_folder_and_can_be_restored_to_servers(source, team, tmp_path, move, program):
    move()
    at = ("-w", team.url, "--endpoint", team.endpoint, "-C", team.collection)
    with team.open() as ws:
        assert ws.backup(tmp_path / "own") == tmp_path / "own"
        assert ws.run(QUESTIONS[0]).reason == "done"
    code, out, err = program("backup", tmp_path / "backup", *at)
    assert (code, out) == (0, f"Written: {tmp_path / 'backup'}\n"), err
    with team.open() as ws, read(tmp_path / "backup", team) as copy:
        assert same(ws, copy)
    with read(source, team) as ws, read(tmp_path / "own", team) as copy:
        assert rows(ws) == rows(copy)
    assert "is not empty" in program("restore", tmp_path / "backup", team.url, "--endpoint", team.endpoint)[2]
    schema = schema_of(team.collection)
    team.sql(f'DROP SCHEMA "{schema}" CASCADE')
    assert "of another workspace" in program("restore", tmp_path / "backup", team.url, "--endpoint", team.endpoint)[2]
    with oxigraph() as addresses:
        endpoint = " ".join(addresses)
        team.sql(f'DROP SCHEMA IF EXISTS "{schema}" CASCADE')
        code, out, err = program("restore", tmp_path / "backup", team.url, "--endpoint", endpoint)
        assert (code, f"Copied {team.collection}: 6 documents, 5 runs" in out) == (0, True), out + err
        with team.open(endpoint=endpoint) as ws, read(tmp_path / "backup", team) as copy:
            assert same(ws, copy)
            ws.close()


def test_the_command_copies_and_says_what_it_read(source, team, tmp_path, program, monkeypatch):
    monkeypatch.setenv("EXPLORER_ENDPOINT", team.endpoint)
    code, out, err = program("copy", source, team.url, "-C", team.collection)
    assert (code, err) == (0, "")
    assert out.startswith(f"Copied {team.collection}: 6 documents, 4 runs, ")
    assert program("copy", team.url, tmp_path / "back", "-C", team.collection)[:2] == (0, out)
    code, out, err = program("copy", source, tmp_path / "back")
    assert (code, "is there already" in err) == (2, True)


def killed_copy(source, target, team, step):
    """Copy in a process that is killed before a write; returns whether it came to its end before."""
    end = ended("-m", "tests.copied", source, target, team.endpoint, team.collection, step)
    assert end in (0, -signal.SIGKILL)
    return end == 0


def begun(target, team):
    """Whether a copy was begun in a place, and is not whole."""
    if isinstance(target, Path):
        return (target / "copying.json").exists()
    schema = schema_of(team.collection)
    there = team.sql("SELECT 1 FROM pg_tables WHERE schemaname = :schema AND tablename = 'settings'", schema=schema)
    return bool(there and team.sql("SELECT 1 FROM settings WHERE name = 'copying'"))


def whole(target, team):
    """Whether a place has a workspace that can be opened, with documents in it."""
    if isinstance(target, Path):
        return (target / "workspace.json").exists() and not begun(target, team)
    schema = schema_of(team.collection)
    there = team.sql("SELECT 1 FROM pg_tables WHERE schemaname = :schema AND tablename = 'documents'", schema=schema)
    return bool(there and team.sql("SELECT 1 FROM documents LIMIT 1")) and not begun(target, team)


def killed_again_and_again(source, target, team, steps):
    """Kill a copy before each of some writes, while it goes on; returns how often, until one came to its end."""
    for number, step in enumerate(steps):
        if killed_copy(source, target, team, step):
            return number
        if begun(target, team):
            with pytest.raises(WorkspaceError, match="not whole yet"):
                read(target, team) if isinstance(target, Path) else team.open()
    return len(steps)


def test_a_copy_that_is_killed_leaves_what_it_copies_alone_and_goes_on(source, team, tmp_path, move):
    with read(source, team) as ws:
        before = record(ws), rows(ws)
    assert killed_again_and_again(source, team.url, team, [3, 30]) == 2
    move()
    assert killed_again_and_again(team.url, tmp_path / "back", team, [30]) == 1
    move(team.url, tmp_path / "back")
    with read(source, team) as one, team.open() as there, read(tmp_path / "back", team) as back:
        assert (record(one), rows(one)) == before
        assert same(one, there, back)


@pytest.mark.soak
@pytest.mark.parametrize("way", ["to servers", "to a folder"])
def test_a_copy_that_is_killed_before_any_write_goes_on(source, team, tmp_path, move, way):
    chance = random.Random(way)
    if way == "to a folder":
        move()
    for step in range(200):
        here, target = (source, team.url) if way == "to servers" else (team.url, tmp_path / f"back{step}")
        if not killed_again_and_again(here, target, team, [step]):
            assert step > 40
            return
        if begun(target, team) and chance.random() < 0.3:
            killed_again_and_again(here, target, team, [chance.randrange(60)])
        if not whole(target, team):  # as it is when it was killed after its last write that counts
            move(here, target)
        with read(source, team) as one, read(target, team) if isinstance(target, Path) else team.open() as other:
            assert (record(one), rows(one)) == (record(other), rows(other))
        if way == "to servers":
            team.close()
    pytest.fail("no copy came to its end")


MOUNTING = 'mount -t tmpfs -o size="$5" tmpfs "$1" && exec "$2" -m tests.copied "$3" "$1/to" "" "$4" -1'


@pytest.mark.parametrize("size", ["600k", "1400k", "2800k"])
def test_on_a_disk_that_is_full_it_says_so(source, team, tmp_path, size):
    disk = tmp_path / "disk"
    disk.mkdir()
    if not may_mount(disk):
        pytest.skip("no process may mount a disk of its own on this system")
    command = [*OWN, "sh", "-c", MOUNTING, "sh", disk, sys.executable, source, team.collection, size]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert "WorkspaceError" in done.stderr
    assert "make room" in done.stderr.splitlines()[-1]
    assert ("it goes on" in done.stderr.splitlines()[-1]) == (size == "2800k")
