"""A live TrustGraph, by what its gateway was recorded to reply, and whatever such a gateway may do wrong."""

import json
import os
import shutil
import socket

import pytest
from pyoxigraph import Triple

import explorer
from explorer import entities as e
from explorer.errors import QuestionError, RecordError, WorkspaceError
from explorer.events import Done, Explain, Text
from explorer.trustgraph.knowledge import MOST
from explorer.trustgraph.terms import from_wire
from explorer.vocab import RDFS, RETRIEVAL, TG
from tests.trustgraph.played import ASKED, CUT, HALF_LIFE, QUESTION, RECORDED, TOKEN, Played

ANSWER = "Marie Curie discovered radium in 1898 while studying pitchblende"
RUNS = (*ASKED, (HALF_LIFE, "agent", {}))


@pytest.fixture
def connected():
    """Connects to a gateway that does something to the messages of its answers."""
    opened = []

    def connect(change=list, **given):
        gateway = Played(change, **{key: given.pop(key) for key in ("filled", "keeping") if key in given}).__enter__()
        opened.append(gateway)
        tg = explorer.connect_trustgraph(gateway.address, token=TOKEN, **given)
        opened.append(tg)
        return gateway, tg

    yield connect
    for one in reversed(opened):
        one.__exit__(None, None, None)


def recorded(service):
    lines = map(json.loads, RECORDED.read_text("utf-8").splitlines())
    return next(line["replies"] for line in lines if line["service"] == service)


def texts(trace):
    return [trace.dag.text(node.iri) for node in trace.dag.nodes() if isinstance(node.entity, e.Answer | e.Reflection)]


@pytest.mark.parametrize(("question", "engine", "limits"), RUNS, ids=lambda one: one if isinstance(one, str) else "")
def test_a_question_is_recorded_as_it_goes_on_and_is_replayed_the_same(connected, question, engine, limits):
    _, tg = connected()
    trace = tg.run(question, engine, **limits)
    assert trace.reason == "done"
    assert [trace.question, trace.usage.model] == [question, "stub-llm-1"]
    assert all(texts(trace)), "each answer, thought and observation has its words"
    again = tg.traces.load(trace.iri)
    assert texts(again) == texts(trace)
    assert [*again.dag.entities] == [*trace.dag.entities]
    assert again.dag.labels == trace.dag.labels
    assert tg.verify(trace).is_sound
    assert [one.reason for one in tg.traces.list() if one.iri == trace.iri] == ["done"]


def test_the_graph_grows_with_each_explained_step_and_facts_have_their_names(connected):
    _, tg = connected()
    grown, labels = [], {}
    for event in tg.ask(QUESTION, entity_limit=4, edge_limit=3):
        labels |= event.labels if isinstance(event, Explain) else {}
        if isinstance(event, Explain | Done) or (isinstance(event, Text) and grown[-1] != "words"):
            grown.append("words" if isinstance(event, Text) else type(event).__name__)
    assert grown == ["Explain"] * 4 + ["words"] + ["Explain"] * 2 + ["Done"], "the last but one is the end on record"
    assert labels["http://trustgraph.ai/e/radium"] == "radium"


def test_sources_are_brought_when_they_are_asked_for_and_once(connected):
    gateway, tg = connected()
    trace = tg.run(QUESTION, entity_limit=4, edge_limit=3)
    assert not trace.dag.nodes("Passage")
    assert tg.fetch_sources(trace.iri)
    before = len(gateway.asked)
    trace = tg.traces.load(trace.iri)
    words = [passage.text for node in trace.dag.nodes("EdgeSelection") for passage in node.passages]
    assert any("Radium was used in luminous paint for watch dials" in one for one in words)
    assert not tg.fetch_sources(trace.iri)
    assert len(gateway.asked) == before
    assert tg.verify(trace).is_sound


def test_stored_runs_are_listed_and_opened_and_kept_where_they_are_to_be(connected, tmp_path):
    with explorer.open(tmp_path / "kept") as kept:
        gateway, tg = connected(into=kept)
        listed = [(one.question, one.engine, one.reason) for one in tg.traces.list()]
        assert listed == [(QUESTION, engine, "imported") for engine in ("document-rag", "graph-rag")]
        assert kept.traces.list() == []
        before = len(gateway.asked)
        trace = tg.traces.load(tg.stored()[1].iri)
        assert trace.answer.startswith(ANSWER)
        assert len(trace.dag.labels) > len(trace.dag.nodes("EdgeSelection")), "each end of a fact has its name"
        assert len(gateway.asked) - before <= 12
        tg.close()
        assert kept.traces.load(trace.iri).answer == trace.answer, "it stays when TrustGraph is gone"
        assert kept.verify().is_sound


@pytest.mark.parametrize(("filled", "most"), [(6000, 12), (MOST, None)])
def test_a_run_among_many_is_opened_as_one_among_few(connected, filled, most):
    (_, few), (gateway, many) = (connected(filled=size) for size in (0, filled))
    run = few.stored()[1].iri
    assert many.stored() == few.stored()
    before = len(gateway.asked)
    told = [tg.traces.load(run) for tg in (few, many)]
    assert most is None or len(gateway.asked) - before <= most
    assert {*map(str, told[0].quads())} == {*map(str, told[1].quads())}
    assert told[0].dag.labels == told[1].dag.labels
    assert told[0].answer == told[1].answer


def test_a_command_has_it_answer_and_keeps_the_run(connected, program, tmp_path, monkeypatch):
    gateway, _ = connected()
    monkeypatch.setenv("TRUSTGRAPH_TOKEN", TOKEN)
    explorer.open(tmp_path / "ws").close()
    code, out, err = program("ask", QUESTION, "-w", tmp_path / "ws", "--trustgraph", gateway.address, "--usage")
    assert (code, err) == (0, "")
    assert ANSWER in out
    assert "Tokens: " in out
    with explorer.open(tmp_path / "ws") as kept:
        assert [one.question for one in kept.traces.list()] == [QUESTION]


def test_what_trustgraph_can_not_do_is_refused_before_it_is_asked(connected):
    gateway, tg = connected()
    before = len(gateway.asked)
    for given in ({"model": "gpt"}, {"selector": "rerank"}, {"documents": ["a"]}):
        with pytest.raises(QuestionError, match=f"takes no '{next(iter(given))}'"):
            tg.ask(QUESTION, **given)
    with pytest.raises(QuestionError, match="The question is empty"):
        tg.ask(" ")
    with pytest.raises(RecordError, match="There is no trace"):
        tg.traces.load("urn:trustgraph:question:unknown")
    assert set(gateway.asked[before:]) <= {"triples"}


def test_who_can_not_be_reached_or_refuses_is_told_in_a_sentence(connected):
    with socket.create_server(("127.0.0.1", 0)) as free:
        nobody = f"ws://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(WorkspaceError, match=r"TrustGraph does not answer at 127\.0\.0\.1:\d+ .*check the address"):
        explorer.connect_trustgraph(nobody)
    gateway, _ = connected()
    with pytest.raises(WorkspaceError, match="refuses the token; give another"):
        explorer.connect_trustgraph(gateway.address, token="secret-of-mine")
    with pytest.raises(WorkspaceError, match="no address of a gateway"):
        explorer.connect_trustgraph("ftp://host")


def without_explaining(messages):
    return [one for one in messages if one["response"].get("message_type") != "explain"]


def older(messages):
    """As before 2.3.1: another name for the kind, no triples inline, no counts."""
    new = ("explain_triples", "in_token", "out_token", "model", "sources")
    told = []
    for one in messages:
        fields = {name: value for name, value in one["response"].items() if name not in new}
        fields["chunk_type"] = fields.pop("message_type")
        told.append({**one, "response": fields})
    return told


@pytest.mark.parametrize(("question", "engine", "limits"), RUNS, ids=lambda one: one if isinstance(one, str) else "")
def test_without_explain_events_the_answer_is_on_record_and_what_is_missing_is_said(
    connected, question, engine, limits
):
    _, tg = connected(without_explaining)
    trace = tg.run(question, engine, **limits)
    assert (trace.reason, trace.question) == ("done", question)
    assert trace.answer == {"agent": "Radium has a half-life of 1600 years, which is 16 centuries."}.get(
        engine, trace.answer
    )
    assert trace.answer.strip()
    [summary] = [one for one in tg.traces.list() if one.iri == trace.iri]
    assert "sent no explain events" in summary.note
    assert tg.traces.load(trace.iri).answer == trace.answer


def test_what_is_missing_is_said_in_the_app_and_a_cut_once(connected):
    changes = [lambda messages: [*messages[:6], CUT], without_explaining]
    _, tg = connected(lambda messages: [*changes.pop()(messages)], keeping=False, timeout=1)
    app = explorer.app(tg, pace=0)
    app.ask(QUESTION)
    app.wait(60)
    assert app.ask_bar["trouble"].startswith("The gateway sent no explain events")
    app.ask(QUESTION)
    app.wait(60)
    assert app.ask_bar["trouble"].endswith("was cut. Everything up to there is on record; ask again.")
    app.close()


def test_an_older_gateway_that_tells_of_steps_by_name_has_them_looked_up(connected):
    _, tg = connected(older)
    trace = tg.run(QUESTION, entity_limit=4, edge_limit=3)
    assert trace.answer.startswith(ANSWER)
    kinds = {node.kind for node in trace.dag.nodes()}
    assert {"Question", "Focus", "EdgeSelection", "Synthesis"} <= kinds


BREAKS = {
    "cut": (lambda messages: [*messages[:6], CUT], "was cut."),
    "cut at once": (lambda _: [CUT], "was cut."),
    "silent": (lambda messages: messages[:6], "was silent for 0.2 s."),
    "an error": (
        lambda messages: [*messages[:4], {"error": {"type": "error", "message": "no\nmodel"}, "complete": True}],
        "no\nmodel",
    ),
}


@pytest.mark.parametrize("name", BREAKS)
def test_what_breaks_off_ends_on_record_with_a_sentence_and_the_next_question_is_answered(connected, name):
    change, sentence = BREAKS[name]
    changes = [list, change]
    _, tg = connected(lambda messages: [*changes.pop()(messages)], timeout=0.2, keeping=False)
    *_, done = events = [*tg.ask(QUESTION, entity_limit=4, edge_limit=3)]
    assert done.reason == "error"
    assert sentence in done.error
    broken = tg.traces.load(next(event.iri for event in events if isinstance(event, Explain)))
    assert broken.reason == "error"
    assert sentence in broken.dag.done.error
    assert tg.verify(broken).is_sound
    assert tg.run(HALF_LIFE, "agent").reason == "done"


@pytest.mark.parametrize("after", [1, 3, 6, 12])
@pytest.mark.parametrize(("question", "engine", "limits"), ASKED, ids=lambda one: one if isinstance(one, str) else "")
def test_a_run_that_was_cut_is_read_on_from_what_is_stored(connected, question, engine, limits, after):
    _, whole = connected()
    _, tg = connected(lambda messages: [*messages[:after], CUT])
    told, cut = (each.run(question, engine, **limits) for each in (whole, tg))
    assert (cut.reason, cut.usage) == ("done", told.usage)
    assert texts(cut) == texts(told)
    assert {*cut.dag.entities} == {*told.dag.entities}
    again = tg.traces.load(cut.iri)
    assert texts(again) == texts(told)
    assert tg.verify(cut).is_sound
    [summary] = [one for one in tg.traces.list() if one.iri == cut.iri]
    assert summary.note == "The connection was cut while it went on. The rest was read from what TrustGraph has stored."


def test_a_look_up_whose_connection_was_cut_is_made_again(connected):
    gateway, tg = connected()
    for one in [*gateway.sockets]:
        one.close()
    assert len(tg.stored()) == 2


def test_a_message_that_comes_twice_counts_once(connected):
    _, once = connected()
    _, twice = connected(lambda messages: [one for message in messages for one in (message, message)])
    told = [tg.run(QUESTION, entity_limit=4, edge_limit=3) for tg in (once, twice)]
    assert told[0].answer == told[1].answer
    assert [*told[0].dag.entities] == [*told[1].dag.entities]
    assert {*map(str, told[0].quads())} == {*map(str, told[1].quads())} or len(told[0].dag.nodes()) == len(
        told[1].dag.nodes()
    )


HOSTILE = '<img src=x onerror="alert(1)">\x00\u202e ' * 3


def hostile(messages):
    def worse(one):
        fields = dict(one["response"])
        if "response" in fields and fields["message_type"] == "chunk":
            fields["response"] = HOSTILE
        triples = [{**known, "o": {"t": "l", "v": HOSTILE}} if known["o"].get("t") == "l" else known
                   for known in fields.get("explain_triples", ())]  # fmt: skip
        odd = [{"s": {"t": "i", "i": "no iri <"}, "p": {"t": "i", "i": "urn:p"}, "o": 1}, None, {"s": {}}]
        return {**one, "response": {**fields, **({"explain_triples": [*triples, *odd]} if triples else {})}}

    return ["no message", {"response": 3, "complete": False}, *map(worse, messages)]


def test_hostile_text_is_text_and_what_can_not_be_read_is_counted(connected):
    _, tg = connected(lambda messages: [one for one in hostile(messages) if isinstance(one, dict)])
    trace = tg.run(QUESTION, entity_limit=4, edge_limit=3)
    assert "onerror" in trace.answer
    assert "<img src=x" not in tg.report(trace)
    [summary] = [one for one in tg.traces.list() if one.iri == trace.iri]
    assert "could not be read, the first: Message" in summary.note


def test_a_step_of_ten_thousand_triples_is_recorded_and_opened(connected):
    def many(messages):
        focus = next(one for one in messages if ":focus:" in one["response"].get("explain_id", ""))
        node = focus["response"]["explain_id"]
        session = node.rpartition(":")[2]

        def of(number):
            edge = f"urn:trustgraph:prov:edge:{session}:{number + 10}"
            ends = ({"t": "i", "i": f"http://trustgraph.ai/e/thing-{number}{end}"} for end in "abc")
            quoted = {"t": "t", "tr": dict(zip("spo", ends, strict=True))}
            tg = "https://trustgraph.ai/ns/"
            yield {"s": {"t": "i", "i": node}, "p": {"t": "i", "i": f"{tg}selectedEdge"}, "o": {"t": "i", "i": edge}}
            yield {"s": {"t": "i", "i": edge}, "p": {"t": "i", "i": f"{tg}edge"}, "o": quoted}

        added = [triple for number in range(5000) for triple in of(number)]
        triples = [*focus["response"]["explain_triples"], *added]
        return [{**one, "response": {**one["response"], "explain_triples": triples}} if one is focus else one
                for one in messages]  # fmt: skip

    _, tg = connected(many)
    trace = tg.run(QUESTION, entity_limit=4, edge_limit=3)
    assert (trace.reason, len(trace.dag.nodes("EdgeSelection"))) == ("done", 5003)
    assert len(tg.traces.load(trace.iri).dag.nodes("EdgeSelection")) == 5003


def test_a_run_of_ours_is_pushed_whole(connected, demo_folder, tmp_path):
    demo_copy = explorer.open(shutil.copytree(demo_folder, tmp_path / "demo"))
    trace = demo_copy.run("Why did oxygen tank no. 2 fail?")
    gateway, tg = connected(into=demo_copy)
    tg.push(trace.iri)
    message = gateway.imported.get(timeout=10)
    sent = [from_wire(one) for one in message["triples"]]
    assert message["metadata"]["collection"] == "default"
    assert not any("urn:provenance-explorer" in str(quad) for quad in sent), "nothing that TrustGraph does not know"
    kept = {quad.object for quad in trace.quads() if isinstance(quad.object, Triple)}
    held = {quad.object for quad in sent if quad.graph_name != RETRIEVAL and isinstance(quad.object, Triple)}
    used = {node.entity.edge for node in trace.dag.nodes("EdgeSelection")}
    assert used <= kept
    assert used <= held, "each fact has where it comes from"
    labels = {quad.subject for quad in sent if quad.predicate == RDFS.label}
    assert {fact.subject for fact in used} <= labels
    named = {quad.object.value for quad in sent if quad.predicate == TG.document}
    assert named <= gateway.documents.keys()
    answer = next(node.entity.document for node in trace.dag.answers)
    assert gateway.documents[answer].decode() == trace.answer


@pytest.mark.trustgraph
@pytest.mark.parametrize(("question", "engine", "limits"), RUNS, ids=lambda one: one if isinstance(one, str) else "")
def test_a_real_gateway_answers_and_has_stored_it(question, engine, limits):
    address = os.environ["EXPLORER_TRUSTGRAPH"]
    with explorer.connect_trustgraph(address, token="tg_test") as tg:
        trace = tg.run(question, engine, **limits)
        assert trace.reason == "done"
        assert all(texts(trace))
        tg.fetch_sources(trace.iri)
        trace = tg.traces.load(trace.iri)
        assert trace.dag.nodes("Passage")
        assert tg.verify(trace).is_sound
    with explorer.connect_trustgraph(address, token="tg_test") as tg:
        stored = tg.traces.load(trace.iri)
        assert stored.dag.labels == trace.dag.labels
        assert stored.answer == trace.answer
