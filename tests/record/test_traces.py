import gc
import itertools
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Quad, Triple

from explorer import entities as e
from explorer import rdf
from explorer.cli.lines import usage_lines
from explorer.dag import ProvenanceDag
from explorer.errors import RecordError, WorkspaceError
from explorer.events import LONGEST_TAKEN, Content, Done, Explain, Pauses, Progress, Text, Usage
from explorer.record.recovery import end_interrupted, rebuild_listing
from explorer.record.trace import Trace
from explorer.record.traces import Traces
from explorer.view import stored_run
from explorer.vocab import PROV, RETRIEVAL, TG, X, iri
from tests import agents
from tests.corpus import QUESTIONS, Clock, filled, shared
from tests.each import each
from tests.opened import ON_SERVERS, empty
from tests.strategies import described


@pytest.fixture
def traces():
    return Traces(empty(), Clock())


def record_of(ws, session):
    """All triples of one run, as stored."""
    quads = ws.graph.match(graph=RETRIEVAL)
    return {quad for quad in quads if f":{session}" in quad.subject.value}


def reasons(stores, session):
    found = stores.graph.match(NamedNode(iri("end", session)), X.reason, None, RETRIEVAL)
    return [quad.object.value for quad in found]


def question(session, query="Why?"):
    entity = e.GraphRagQuestion(
        iri=iri("question", session), query=query, started_at="2026-01-15T10:30:00Z", engine="graph-rag/1"
    )
    return Explain(entity.iri, tuple(rdf.triples(entity)))


def grounding(session):
    entity = e.Grounding(iri=iri("grounding", session), derived_from=(iri("question", session),))
    return Explain(entity.iri, tuple(rdf.triples(entity)))


def whole(events):
    """Events as replay gives them: no progress, one text for each node."""
    texts = {}
    for event in events:
        if isinstance(event, Text):
            texts[event.node] = texts.get(event.node, "") + event.delta
    told = set()
    for event in events:
        if isinstance(event, Text) and event.node not in told:
            told.add(event.node)
            yield Text(event.node, event.kind, texts[event.node])
        elif isinstance(event, Explain | Done):
            yield event


def seen(event):
    """An event to be compared: a stored set of triples has no order."""
    if isinstance(event, Explain):
        return event.iri, frozenset(event.triples), event.contents, dict(event.passages), dict(event.labels)
    return event


def test_a_step_is_on_record_before_anyone_is_shown_it():
    ws = shared()
    for event in ws.ask(QUESTIONS[1]):
        if isinstance(event, Explain):
            assert set(event.triples) <= set(ws.graph.match(graph=RETRIEVAL))
            assert all(ws.data(content.iri) == content.data for content in event.contents)


@each("asked", QUESTIONS)
def test_replay_equals_the_live_run(asked):
    ws = shared()
    live = list(ws.ask(asked))
    replayed = list(ws.traces.replay(live[0].iri))
    assert replayed == [*whole(live)], "the triples of a step in their order too"
    steps = [event for event in replayed if isinstance(event, Explain)]
    assert [[*event.entities] for event in steps] == [rdf.entities(event.triples) for event in steps]
    assert not [event for event in replayed if isinstance(event, Progress)]
    assert ProvenanceDag().fold(replayed).nodes() == ProvenanceDag().fold(live).nodes()


WORDS = "why who when relief valve heater switches oxygen tank Beech 983 psi Lisbon and the ? “ ' - é".split()


@settings(max_examples=25)
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join) | st.text(min_size=1, max_size=30))
def test_any_question_ends_with_one_done_and_replays_the_same(asked):
    ws = shared()
    if not asked.strip():
        asked = "?"
    live = list(ws.ask(asked))
    assert [type(event) for event in live].count(Done) == 1
    assert isinstance(live[-1], Done)
    assert live[-1].error is None
    replayed = list(ws.traces.replay(live[0].iri))
    assert [seen(event) for event in replayed] == [seen(event) for event in whole(live)]


def test_fixed_ids_and_time_give_the_same_bytes_in_memory_and_on_disk(tmp_path):
    def records(place):
        with filled(place) as ws:
            traces = [*(ws.run(asked) for asked in QUESTIONS), ws.run(QUESTIONS[0], selector="rerank")]
            report = re.sub(r'"/[^"]*/documents/', '"documents/', ws.report(traces[0]))  # a folder of its own each time
            return [ws.export(trace, form) for trace in traces for form in ("nq", "trig")], report

    one = records(None)
    assert records(None) == one
    assert records(tmp_path / "ws")[0] == one[0]


def test_a_loaded_trace_is_all_that_was_stored():
    ws = shared()
    trace = ws.run(QUESTIONS[0])
    session = trace.iri.rsplit(":", 1)[1]
    loaded = ws.traces.load(trace.iri)
    own = {q for q in record_of(ws, session) if session in q.subject.value.split(":")[-2:]}
    agents = {q for agent in ws.node(f"urn:trustgraph:prov:run:{session}").entity.agents
              for q in ws.graph.match(NamedNode(agent))}  # fmt: skip
    assert set(loaded.quads()) == own | agents
    assert (loaded.answer, loaded.reason, loaded.edges) == (trace.answer, trace.reason, trace.edges)
    assert loaded.sources() == trace.sources()


@each("after", range(1, 12))
def test_closing_a_run_records_that_it_was_stopped(after):
    with filled() as ws:
        run = ws.ask(QUESTIONS[1])
        shown = list(itertools.islice(run, after))
        run.close()
        session = shown[0].iri.rsplit(":", 1)[1]
        ended = any(isinstance(entity, e.End) for entity in described(shown))
        assert reasons(ws.stores, session) == ["done" if ended else "stopped"]
        [summary] = ws.traces.list()
        trace = ws.traces.load(shown[0].iri)
        assert trace.reason == summary.reason == ("done" if ended else "stopped")
        assert [type(event) for event in trace.events].count(Done) == ended
        steps = [entity for entity in described(trace.events) if isinstance(entity, e.Step)]
        assert [step.sequence for step in steps] == list(range(len(steps)))
        failures = [(step.derived_from, step.error, step.termination_reason) for step in steps[-2:]
                    if isinstance(step, e.Failure)]  # fmt: skip
        last = [event.iri for event in shown if isinstance(event, Explain)][-1]
        assert failures == ([] if ended else [((last,), e.STOPPED, "cancelled")])


def test_a_run_stopped_before_its_first_step_has_no_place_to_show(traces):
    run = traces.record(iter([Progress("grounding", 0, 1), question("s1")]), "s1")
    next(run)
    run.close()
    assert reasons(traces.stores, "s1") == ["stopped"]
    assert list(traces.stores.graph.match(NamedNode(iri("failure", "s1")))) == []


def test_a_run_stopped_after_its_failure_keeps_that_one(traces):
    failure = e.Failure(iri=iri("failure", "s1"), derived_from=(iri("question", "s1"),), error="no model")
    run = traces.record(iter([question("s1"), Explain(failure.iri, tuple(rdf.triples(failure)))]), "s1")
    next(run), next(run)
    run.close()
    trace = traces.load(iri("question", "s1"))
    assert [entity.error for entity in described(trace.events) if isinstance(entity, e.Failure)] == ["no model"]
    assert (trace.reason, len(trace.events)) == ("stopped", 3)
    failed = traces.record(failing(ValueError("x"), question("s2")), "s2")
    while not isinstance(rdf.entities(next(failed).triples)[0], e.Failure):
        pass
    failed.close()
    assert reasons(traces.stores, "s2") == ["error"]


def test_a_failure_derives_from_a_step_and_not_from_the_end_of_a_run_within(traces):
    inner = e.End(iri=iri("end", "s2"), reason="done")
    within = Explain(inner.iri, tuple(rdf.triples(inner)))
    events = list(traces.record(failing(ValueError("x"), question("s1"), grounding("s1"), within), "s1"))
    assert described(events)[-2].derived_from == (iri("grounding", "s1"),)


def test_a_run_that_is_dropped_is_stopped():
    ws = shared()
    run = ws.ask(QUESTIONS[0])
    first = next(run)
    del run
    gc.collect()
    assert ws.traces.load(first.iri).reason == "stopped"


def test_ctrl_c_within_a_run_stops_it(traces):
    def events():
        yield question("s1")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(traces.record(events(), "s1"))
    assert reasons(traces.stores, "s1") == ["stopped"]


def test_a_run_of_a_closed_workspace_is_given_up_quietly():
    ws = filled()
    run = ws.ask(QUESTIONS[0])
    next(run)
    ws.close()
    run.close()


def failing(error, *before):
    yield from before
    raise error


@each("steps", [0, 1, 2])
@each(
    ("error", "said"),
    [(RecordError("The record is gone; restore it."), "The record is gone; restore it."),
     (ZeroDivisionError("division by zero"), "ZeroDivisionError: division by zero"),
     (ValueError("<script>\x00"), "ValueError: <script>\x00")],
)  # fmt: skip
def test_a_failure_is_recorded_and_ends_with_one_done(steps, error, said):
    traces, begun = Traces(empty(), Clock()), [question("s1"), grounding("s1")][:steps]
    events = list(traces.record(failing(error, *begun), "s1"))
    assert events[-1] == Done("error", error=said, duration_ms=events[-1].duration_ms)
    assert (events[-1].duration_ms is None) == (not begun)
    assert [type(event) for event in events].count(Done) == 1
    *_, failure, end = described(events)
    assert (type(failure), failure.error, failure.termination_reason) == (e.Failure, said, "error")
    assert failure.derived_from == ((begun[-1].iri,) if begun else ())
    assert (type(end), end.reason) == (e.End, "error")
    assert reasons(traces.stores, "s1") == ["error"]
    assert set(traces.stores.graph.match(NamedNode(failure.iri), PROV.wasDerivedFrom)) == {
        Quad(NamedNode(failure.iri), PROV.wasDerivedFrom, NamedNode(step.iri), RETRIEVAL) for step in begun[-1:]
    }
    if begun:
        trace = traces.load(begun[0].iri)
        assert [*map(seen, trace.events)] == [*map(seen, events)]
        assert trace.reason == traces.list()[0].reason == "error"


def test_usage_that_was_reported_is_recorded(traces):
    events = [question("s1"), Done("done", Usage(812, 0, "gpt-4o", 9))]
    *_, end, done = traces.record(iter(events), "s1")
    [entity] = rdf.entities(end.triples)
    assert (entity.in_token, entity.out_token, entity.model, entity.calls) == (812, 0, "gpt-4o", 9)
    assert done.usage == events[-1].usage
    assert list(traces.replay(iri("question", "s1")))[-1] == done


@each("engine", ["graph-rag", "document-rag"])
def test_how_long_a_run_took_is_told_live_and_replayed_alike(engine):
    ws = shared()
    live = list(ws.ask(QUESTIONS[1], engine=engine))
    asked, end = described(live)[0], described(live)[-1]
    took = datetime.fromisoformat(end.ended_at) - datetime.fromisoformat(asked.started_at)
    assert live[-1].duration_ms == round(took.total_seconds() * 1000) > 0
    assert list(ws.traces.replay(live[0].iri))[-1] == live[-1]


@pytest.mark.parametrize("begun", [None, "soon", "2999-01-01T00:00:00Z"])
def test_a_time_that_is_not_on_record_gives_no_duration(traces, begun):
    entity = e.GraphRagQuestion(iri=iri("question", "s1"), query="Why?", started_at=begun, engine="graph-rag/1")
    *_, done = traces.record(iter([Explain(entity.iri, tuple(rdf.triples(entity))), Done("done")]), "s1")
    assert done.duration_ms is None
    assert list(traces.replay(entity.iri))[-1] == done


class Watch:
    """A time that goes on when it is told to, as a clock and as seconds that only go on."""

    def __init__(self):
        self.seconds = 0.0

    def __call__(self):
        return datetime(2026, 1, 15, 10, 30, tzinfo=UTC) + timedelta(seconds=self.seconds)

    def tick(self):
        return self.seconds


@pytest.fixture
def watch():
    return Watch()


def read_slowly(watch, events, pauses):
    """Take in a run whose reader waits after some steps: seconds by the number of the step."""
    for number, event in enumerate(events):
        watch.seconds += pauses.get(number, 0.0)
        yield event


def test_what_the_reader_waits_is_on_record_and_no_part_of_the_time_a_run_took(watch):
    traces = Traces(empty(), watch)

    def run():
        yield question("s1")
        watch.seconds += 2
        yield grounding("s1")
        yield Done("done")

    told = traces.record(run(), "s1", Pauses(watch, watch.tick))
    *_, end, done = read_slowly(watch, told, {0: 30.0, 1: LONGEST_TAKEN})
    assert (done.duration_ms, done.paused_ms) == (2000 + round(1000 * LONGEST_TAKEN), 30_000)
    [entity] = rdf.entities(end.triples)
    assert entity.paused_ms == 30_000
    assert entity.ended_at == f"2026-01-15T10:30:{32 + round(LONGEST_TAKEN)}Z", "when it was, as it was"
    replayed = list(traces.replay(iri("question", "s1")))
    assert replayed[-1] == done
    assert rdf.validate(quad for event in replayed[:-1] for quad in event.triples) == []
    seen = stored_run.shown(replayed)[0].snapshot()["frames"][-1]
    assert seen["log"][0]["text"].startswith("Ended after 4.0 s, and 30 s of waiting")
    assert seen["total"] == "4.0 s"
    assert "time: 4.0 s; waited for its reader: 30 s; " in [*usage_lines(Trace(replayed))][-1]


def test_a_run_that_is_stopped_while_it_waits_has_the_waiting_on_record(watch):
    traces = Traces(empty(), watch)
    told = traces.record(iter([question("s1"), grounding("s1")]), "s1", Pauses(watch, watch.tick))
    next(told)
    watch.seconds += 30
    told.close()
    stopped = list(traces.replay(iri("question", "s1")))
    assert [one.paused_ms for one in described(stopped) if isinstance(one, e.End)] == [30_000]
    assert {one.paused_ms for one in described(shared().run(QUESTIONS[1]).events) if isinstance(one, e.End)} == {None}


@each("unknown", ["urn:trustgraph:question:none", "urn:x:y", "nonsense", "", "urn:trustgraph:prov:edge:s1:0"])
def test_a_trace_that_is_not_there_is_refused(unknown):
    with pytest.raises(RecordError, match="There is no trace"):
        shared().traces.load(unknown)


@pytest.mark.embedded("on servers opening ends no run, only the end of a lease does")
def test_what_was_running_is_interrupted_when_opened_again(traces):
    run = traces.record(iter([question("s1"), grounding("s1"), Done("done")]), "s1")
    next(run)
    next(run)
    end_interrupted(traces.stores, traces.clock)
    [summary] = traces.list()
    assert summary.reason == "interrupted"
    loaded = traces.load(summary.iri)
    assert loaded.reason == "interrupted"
    assert not [event for event in loaded.events if isinstance(event, Done)]
    *_, failure, end = described(loaded.events)
    assert (failure.sequence, end.sequence) == (2, 3)
    assert (failure.derived_from, failure.error) == ((iri("grounding", "s1"),), e.CUT_OFF)
    assert failure.termination_reason is None
    assert rdf.validate(loaded.quads()) == []
    end_interrupted(traces.stores, traces.clock)
    assert traces.load(summary.iri).quads() == loaded.quads()


def test_reading_from_another_thread_while_a_run_records():
    ws, stop = shared(), threading.Event()

    def read():
        while not stop.is_set():
            for summary in ws.traces.list(limit=3):
                trace = ws.traces.load(summary.iri)
                assert trace.reason != "done" or trace.answer
            list(ws.graph.query("SELECT ?s WHERE { ?s <https://trustgraph.ai/ns/query> ?q } LIMIT 5"))

    with ThreadPoolExecutor(2) as pool:
        readers = [pool.submit(read) for _ in range(2)]
        try:
            runs = [ws.run(asked) for asked in QUESTIONS * 2]
        finally:
            stop.set()
    assert [reader.result() for reader in readers] == [None, None]
    assert [run.reason for run in runs] == ["done", "done", "done", "declined"] * 2


def test_runs_in_several_threads_do_not_mix():
    ws = shared()
    with ThreadPoolExecutor(4) as pool:
        found = [*pool.map(ws.run, QUESTIONS)]
    assert [trace.question for trace in found] == [*QUESTIONS]
    for trace in found:
        assert [seen(ev) for ev in ws.traces.replay(trace.iri)] == [seen(ev) for ev in whole(trace.events)]


def test_every_record_says_how_it_was_made():
    trace = shared().run(QUESTIONS[0], edge_limit=2)
    asked = described(trace.events)[0]
    assert asked.engine.startswith("graph-rag/")
    assert asked.parameters["edge_limit"] == 2
    assert asked.reasoner.startswith("extractive/")
    assert asked.embedder == "wordllama-256"
    assert not [quad for quad in trace.quads() if quad.predicate == TG.llmModel]


def test_writing_after_closing_is_refused(traces):
    traces.stores.close()
    with pytest.raises(WorkspaceError, match="closed"):
        traces.list()
    with pytest.raises(WorkspaceError, match="closed"):
        list(traces.record(iter([question("s1")]), "s1"))


def test_a_literal_is_stored_as_it_is(traces):
    odd = "“tab\t newline\n nul\x00 \U0001f680 \\ \" 'x'"
    list(traces.record(iter([question("s1", odd), Done("done")]), "s1"))
    [quad] = traces.stores.graph.match(NamedNode(iri("question", "s1")), TG.query)
    assert quad.object == Literal(odd)
    assert traces.list()[0].question == (odd.replace("\0", "\ufffd") if ON_SERVERS else odd)  # PostgreSQL has no NUL
    assert traces.load(iri("question", "s1")).question == odd


def test_a_run_may_go_on_in_another_thread(tmp_path):
    with filled(tmp_path / "ws") as ws:
        run, events = ws.ask(QUESTIONS[1]), []
        while not events or not isinstance(events[-1], Done):
            with ThreadPoolExecutor(1) as another:
                events.append(another.submit(next, run).result())
        assert events[-1].reason == "done"
        assert [seen(event) for event in ws.traces.replay(events[0].iri)] == [seen(event) for event in whole(events)]


@pytest.fixture(scope="module")
def several():
    """Runs of all engines, one of them a search within an agent's run."""
    with filled() as ws:
        for asked in QUESTIONS:
            ws.run(asked)
            ws.run(asked, "document-rag")
            ws.run(asked, "document-rag", rerank=False)
        ws.run(QUESTIONS[0], "agent", pattern="react")
        yield ws


def kept_by(trace):
    """The facts and chunks that a run kept, by what its record says."""
    known = trace.dag.entities.values()
    narrowed = {above for one in known if isinstance(one, e.Focus) for above in one.derived_from}
    found = {one.edge for one in known if isinstance(one, e.EdgeSelection)}
    found |= {one.document for one in known if isinstance(one, e.ChunkSelection)}
    for one in known:
        if isinstance(one, e.Exploration) and one.iri not in narrowed:
            found.update(one.selected_chunks)
    return found


def test_a_trace_uses_what_it_kept_and_nothing_else(several):
    kept = {one.iri: kept_by(several.traces.load(one.iri)) for one in several.traces.list()}
    everything = {used for found in kept.values() for used in found}
    assert {type(used) for used in everything} == {Triple, str}
    for used in everything:
        found = [one.iri for one in several.traces.using(used)]
        assert found == [iri for iri, found in kept.items() if used in found]


def test_a_candidate_that_was_left_out_was_not_used(several):
    told = [one for summary in several.traces.list(engine="graph-rag")
            for one in described(several.traces.load(summary.iri).events)]  # fmt: skip
    candidates = [one for one in told if isinstance(one, e.Candidate)]
    assert candidates
    for one in candidates:
        key = one.iri.split(":")[-2]
        assert not [found for found in several.traces.using(one.edge) if found.iri.endswith(f":{key}")]


def imported(traces, events, *more):
    traces.stores.graph.add([*(quad for event in events for quad in event.triples), *more])
    rebuild_listing(traces.stores)


@each("session", agents.SESSIONS)
def test_facts_of_imported_runs_are_found_and_another_literal_is_another_fact(session):
    traces = Traces(empty(), Clock())
    imported(traces, agents.SESSIONS[session])
    assert traces.using(agents.EDGE) == traces.list() != []
    for other in (Literal("oxygen"), Literal("oxygen", language="fr"), Literal("oxygen", datatype=TG.edge)):
        assert traces.using(Triple(agents.EDGE.subject, agents.EDGE.predicate, other)) == []


def test_a_record_that_goes_in_a_circle_is_walked_once_and_what_nobody_used_is_in_no_trace(traces):
    assert traces.using(agents.EDGE) == traces.using("urn:chunk:none") == []
    with pytest.raises(RecordError, match="is not an IRI"):
        traces.using("no IRI")
    ring = Quad(NamedNode(iri("grounding", "q")), PROV.wasDerivedFrom, NamedNode(iri("focus", "q")), RETRIEVAL)
    imported(traces, agents.search("q"), ring)
    assert [one.iri for one in traces.using(agents.EDGE)] == [iri("question", "q")]


def test_a_fact_is_found_quickly_among_a_thousand_traces(traces):
    quads = [quad for number in range(1000) for event in agents.search(f"q{number}") for quad in event.triples]
    traces.stores.graph.add(quads)
    with traces.stores.database.writing() as connection:
        connection.executemany(
            "INSERT INTO listing (iri, engine, reasoner, question, started_at) VALUES (?, 'graph-rag', '', ?, '')",
            [(iri("question", f"q{number}"), "Why?") for number in range(1000)],
        )
    begun = time.thread_time()
    assert len(traces.using(agents.EDGE)) == 1000
    assert time.thread_time() - begun < 2


def test_contents_are_stored_before_the_triples_that_name_them(traces, monkeypatch):
    entity = e.Synthesis(iri=iri("synthesis", "s1"), document=iri("answer", "s1"))
    content = Content(iri("answer", "s1"), "Answer", "text/plain", "Größe".encode())
    graph, library, found = traces.stores.graph, traces.stores.library, []
    add = graph.add

    def adding(quads):
        given = list(quads)
        if any(quad.subject.value == entity.iri for quad in given):
            found.append(library.get(content.iri))
        add(given)

    monkeypatch.setattr(graph, "add", adding)
    run = traces.record(iter([question("s1"), Explain(entity.iri, tuple(rdf.triples(entity)), (content,))]), "s1")
    next(run)
    next(run)
    assert found == [content]
