"""Servers and writers that are killed: what was shown stays, a run ends with an error that names who is away, and when
that one is back its end is written and the next question works.
"""

import json
import random
import time
from contextlib import closing

import psutil
import pytest
from pyoxigraph import NamedNode

from explorer.entities import Analysis, Plan
from explorer.errors import WorkspaceError
from explorer.events import Explain
from explorer.record.recovery import Upkeep
from explorer.vocab import RETRIEVAL
from tests.attached import door
from tests.corpus import NOTES, VALVES
from tests.forked import Forked
from tests.script import SEARCHED, Script, calls
from tests.servers.served import Team, kill, started
from tests.stores.contract.graph_servers import free_port, oxigraph

QUESTION = "Who built the relief valve?"


class Graph:
    """A SPARQL server with a folder, which can be stopped and started again at the same address."""

    def __init__(self, place):
        self.place, self.port = place, free_port()
        self.address = " ".join(f"http://127.0.0.1:{self.port}/{name}" for name in ("query", "update", "store"))
        self._running = None

    def start(self):
        self._running = oxigraph(place=self.place, port=self.port)
        self._running.__enter__()

    def kill(self):
        self._running.__exit__(None, None, None)


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    made = Graph(tmp_path_factory.mktemp("graph"))
    made.start()
    yield made
    made.kill()


@pytest.fixture(scope="module")
def database():
    with started() as server:
        yield server


@pytest.fixture
def own(database, graph):
    """A workspace on servers that the test may kill."""
    made = Team(database.get_uri(), graph.address)
    yield made
    made.close()


@pytest.fixture
def ways(database, graph):
    """How each server is killed and started again, and what names it."""
    return {
        "database": (lambda: kill(database), database.ensure_postgres_running, "postgres@"),
        "graph": (graph.kill, graph.start, str(graph.port)),
    }


def on_record(ws, iri):
    return next(iter(ws.graph.match(NamedNode(iri), None, None, RETRIEVAL)), None) is not None


def lost_in_a_run(ws, way, steps):
    """Ask, and have a server be killed after some steps; returns what was shown."""
    stop, start, named = way
    events, shown = ws.ask(QUESTION), []
    try:
        shown += [next(event.iri for event in events if isinstance(event, Explain)) for _ in range(steps)]
        stop()
        began = time.monotonic()
        with pytest.raises(WorkspaceError, match=named):
            shown += [event.iri for event in events if isinstance(event, Explain)]
        assert time.monotonic() - began < 10
    finally:
        start()
    return shown


@pytest.mark.parametrize("which", ["database", "graph"])
def test_a_run_that_loses_a_server_ends_and_is_ended_on_record_when_it_is_back(own, ways, which, tmp_path):
    (tmp_path / "notes.txt").write_text(NOTES, "utf-8")
    ws = own.open(timeout=8)
    ws.ingest(tmp_path, progress=False)
    for steps in (1, 3):
        shown = lost_in_a_run(ws, ways[which], steps)
        assert ws.run(QUESTION).reason == "done"  # without opening it again
        ws._upkeep.look()
        run = next(run for run in ws.traces.list() if run.iri == shown[0])
        assert run.reason == "error"
        assert next(iter(ways[which][2:])) in ws.traces.load(run.iri).dag.done.error
        assert all(on_record(ws, iri) for iri in shown)
    assert [len(ws.ledger), len(ws.traces.list())] == [4, 4]
    assert ws.verify().is_sound


def test_the_same_question_has_the_same_answer_ten_times_also_after_both_servers_were_killed(own, ways, tmp_path):
    for name, text in (("notes.txt", NOTES), ("valves.txt", VALVES)):
        (tmp_path / name).write_text(text, "utf-8")
    ws = own.open(timeout=8)
    ws.ingest(tmp_path, progress=False)
    answers = []
    for number in range(10):
        if number in (4, 8):
            stop, start, _ = ways["database" if number == 4 else "graph"]
            stop()
            start()
        asked = ws if number < 6 else own.open(writer=number, timeout=8)
        trace = asked.run(QUESTION)
        answers.append((trace.reason, trace.answer, tuple(map(str, trace.edges)), tuple(map(str, trace.sources()))))
    assert answers[0][0] == "done"
    assert len(answers[0][2]) > 1
    assert {*answers} == {answers[0]}


def agent(tool, arguments):
    """A model that has an agent call a tool, and after each result once more; in a team both members do."""
    step = {"tool": tool, "arguments": arguments}
    return Script({
        **SEARCHED,
        "agent-react": calls(tool, **arguments),
        "plan-create": [[{"goal": f"g{number}", "tool_hint": "", "depends_on": []} for number in range(2)]],
        "plan-step-execute": step, "plan-synthesise": "So it was [1].",
        "supervisor-decompose": [["g0", "g1"]], "supervisor-synthesise": "So it was [1].",
    })  # fmt: skip


TOOLS = {
    "knowledge-query": {"question": QUESTION},
    "document-query": {"question": QUESTION},
    "sparql-query": {"query": 'ASK { ?s ?p "of the test" }'},
    "look_up": {"words": "relief valve"},
}


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    "lost",
    [
        ("graph", "sparql-query", "react"), ("database", "knowledge-query", "react"), ("graph", "look_up", "react"),
        ("database", "document-query", "plan-then-execute"), ("graph", "sparql-query", "supervisor"),
    ],
    ids="-".join,
)  # fmt: skip
def test_an_agent_whose_tool_loses_a_server_does_not_go_on(own, ways, lost, tmp_path):
    which, tool, pattern = lost
    (tmp_path / "notes.txt").write_text(NOTES, "utf-8")
    ws = own.open(timeout=8)
    ws.ingest(tmp_path, progress=False)
    ws.chat = chat = agent(tool, TOOLS[tool])
    stop, start, named = ways[which]
    last = {"react": Analysis, "plan-then-execute": Plan, "supervisor": Analysis}[pattern]

    def look_up(words: str) -> str:
        return ws.search(words)[0].text

    events = ws.ask(QUESTION, "agent", pattern=pattern, tools=[look_up], parallel=2)
    first = next(event.iri for event in events if isinstance(event, Explain))
    next(event for event in events if isinstance(event, Explain) and any(isinstance(e, last) for e in event.entities))
    stop()
    began, before = time.monotonic(), chat.tasks().count("agent-react")
    try:
        with pytest.raises(WorkspaceError, match=named):
            list(events)
        assert time.monotonic() - began < 10
    finally:
        start()
    assert chat.tasks().count("agent-react") <= before + 1  # the other member may have begun
    assert not {"plan-synthesise", "supervisor-synthesise"} & {*chat.tasks()}
    ws.chat = None
    assert ws.run(QUESTION).reason == "done"
    ws._upkeep.look()
    run = next(run for run in ws.traces.list() if run.iri == first)
    assert run.reason == "error"
    assert named in ws.traces.load(first).dag.done.error


@pytest.mark.parametrize("pattern", ["react", "supervisor"])
def test_an_agent_whose_tool_alone_loses_the_server_for_a_moment_does_not_go_on(database, graph, pattern, tmp_path):
    (tmp_path / "notes.txt").write_text(NOTES, "utf-8")
    query, update, store = graph.address.split()
    with door(query) as between, closing(Team(database.get_uri(), f"{between.at} {update} {store}")) as team:
        ws, reply = team.open(timeout=8), between.reply
        ws.ingest(tmp_path, progress=False)
        ws.chat = chat = agent("sparql-query", TOOLS["sparql-query"])
        between.reply = lambda method, path, sparql, headers: (
            (503, {}, b"away") if "of the test" in sparql else reply(method, path, sparql, headers)
        )
        with pytest.raises(WorkspaceError, match=f"{between.at}.*503"):
            list(ws.ask(QUESTION, "agent", pattern=pattern, parallel=1, selector="reasoning"))  # no search at once
        assert chat.tasks().count("agent-react") == 1
        ws._upkeep.look()
        [run] = ws.traces.list()
        assert (run.reason, "503" in ws.traces.load(run.iri).dag.done.error) == ("error", True)


@pytest.mark.parametrize("which", ["database", "graph"])
def test_an_ingest_that_loses_a_server_leaves_nothing_by_half(own, ways, which, tmp_path, monkeypatch):
    (tmp_path / "notes.txt").write_text(NOTES, "utf-8")
    (tmp_path / "valves.md").write_text(VALVES, "utf-8")
    ws = own.open(timeout=8)
    ws.ingest(tmp_path / "notes.txt", progress=False)
    stop, start, named = ways[which]
    stages = []

    def tell(step):
        if step.stage == "storing" and not stages:
            stages.append(step)
            stop()

    try:
        with pytest.raises(WorkspaceError, match=named):
            ws.ingest(tmp_path / "valves.md", progress=tell)
    finally:
        start()
    ws._upkeep.look()
    assert ws.being_read == []
    assert own.sql("SELECT count(*) FROM documents WHERE state = 'writing'") == [[0]]
    assert len(ws.documents) == 1
    assert ws.ingest(tmp_path / "valves.md", progress=False).documents == 1
    assert "Globe Industries" in ws.run("Who made the fan motors?").answer
    assert ws.verify().is_sound


def processes(which, database, graph):
    """The processes of a server."""
    if which == "database":
        first = psutil.Process(database.get_pid())
        return [first, *first.children(recursive=True)]
    return [one for one in psutil.Process().children() if f"127.0.0.1:{graph.port}" in one.cmdline()]


@pytest.mark.parametrize("which", ["database", "graph"])
def test_a_server_that_is_paused_ends_a_run_in_time_and_is_asked_again_when_it_goes_on(
    own, database, graph, which, tmp_path
):
    (tmp_path / "notes.txt").write_text(NOTES, "utf-8")
    ws = own.open(timeout=2)
    ws.ingest(tmp_path, progress=False)
    events = ws.ask(QUESTION)
    shown = [next(event.iri for event in events if isinstance(event, Explain)) for _ in range(2)]
    paused = processes(which, database, graph)
    assert paused
    for one in paused:
        one.suspend()
    try:
        began = time.monotonic()
        with pytest.raises(WorkspaceError, match="answer"):
            shown += [event.iri for event in events if isinstance(event, Explain)]
        assert time.monotonic() - began < 10
    finally:
        for one in paused:
            one.resume()
    ws._upkeep.look()
    assert all(on_record(ws, iri) for iri in shown)
    assert ws.run(QUESTION).reason == "done"
    assert [run.reason for run in ws.traces.list()] == ["done", "error"]
    assert ws.verify().is_sound


def killed_writers(own, kills, tmp_path):
    """Kill a writer again and again while this one writes, and see that all that it showed is there."""
    chance = random.Random(kills)
    (tmp_path / "notes.txt").write_text(NOTES, "utf-8")
    ws = own.open()
    ws.ingest(tmp_path, progress=False)
    upkeep, runs = Upkeep(ws.traces.ledger, ws.traces.cut_off), 0
    for seed in range(kills):
        child = Forked("-m", "tests.servers.served", own.url, own.endpoint, own.collection, seed)
        lines = [child.stdout.readline() for _ in range(2 + chance.randrange(6))]
        assert ws.run(QUESTION).reason == "done"
        runs += 1
        time.sleep(chance.random() / 4)
        child.kill()
        lines += child.communicate().splitlines()
        told = [json.loads(line) for line in lines if line.strip().endswith("}")]
        own.sql("UPDATE writers SET until = clock_timestamp() - interval '1 s' WHERE NOT taken AND token <> :own",
                own=ws.stores.database.lease.token)  # fmt: skip
        upkeep.look()
        for step in told:
            assert "step" not in step or on_record(ws, step["step"])
            assert "document" not in step or ws.document(step["document"]).title == "Pumps"
        assert own.sql("SELECT count(*) FROM documents WHERE state = 'writing'") == [[0]]
        assert own.sql("SELECT count(*) FROM listing WHERE reason IS NULL") == [[0]]
        assert own.sql("SELECT count(*) FROM unsealed") == [[0]]
        assert own.sql("SELECT count(*) FROM begun") == [[0]]
    listed = ws.traces.list(limit=10_000)
    assert {run.reason for run in listed} <= {"done", "declined", "interrupted"}
    assert len(ws.ledger) == len(listed) >= runs
    assert ws.verify().is_sound


def test_what_a_killed_writer_showed_is_there_and_nothing_is_there_by_half(own, tmp_path):
    killed_writers(own, 5, tmp_path)


@pytest.mark.soak
def test_fifty_writers_are_killed_and_nothing_is_lost(own, tmp_path):
    killed_writers(own, 50, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("which", ["database", "graph"])
def test_a_server_is_killed_twenty_times_and_nothing_is_lost(own, ways, which, tmp_path):
    (tmp_path / "notes.txt").write_text(NOTES, "utf-8")
    chance = random.Random(20)
    with closing(own.open(timeout=8)) as ws:
        ws.ingest(tmp_path, progress=False)
        for _ in range(20):
            shown = lost_in_a_run(ws, ways[which], 1 + chance.randrange(4))
            ws._upkeep.look()
            assert all(on_record(ws, iri) for iri in shown)
            assert ws.run(QUESTION).reason == "done"
        assert len(ws.ledger) == 40
        assert ws.verify().is_sound
