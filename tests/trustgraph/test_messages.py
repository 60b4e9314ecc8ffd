"""What is read from messages; the recorded sessions first, then small ones written anew."""

import json

import pytest
from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Triple, serialize

from explorer import rdf
from explorer.entities import Entity
from explorer.errors import RecordError
from explorer.events import Done, Explain, Passage, Text, Usage
from explorer.trustgraph.messages import events
from tests.each import each
from tests.trustgraph.wire import (
    AGENT,
    GRAPH,
    QUESTION,
    SYNTHESIS,
    TG,
    chunk,
    envelope,
    explain,
    final,
    iri,
    question,
    say,
    text,
    triple,
    typed,
)
from tests.trustgraph.written import messages

ENDED = "The stream ended before"


def steps(found):
    return [event for event in found if isinstance(event, Explain)]


def texts(found):
    return [event for event in found if isinstance(event, Text)]


def spoken(found):
    """The texts as pairs of the last part of the node and the words."""
    return [(event.node.removeprefix(AGENT), event.kind, event.delta) for event in texts(found)]


@pytest.fixture(
    params=[
        "agent-plan-stream",
        "agent-react-stream",
        "agent-supervisor-stream",
        "docrag-rerank-stream",
        "graphrag-nonstream",
        "graphrag-stream",
        "legacy263-graphrag-stream",
    ]
)
def session(request, conformance):
    """The service and the messages of a recorded session."""
    service = {"agent": "agent", "docrag": "document-rag"}.get(request.param.split("-")[0], "graph-rag")
    lines = (conformance / f"golden/wire/{request.param}.jsonl").read_text().splitlines()
    return service, [json.loads(line) for line in lines]


def words(recorded):
    """What the messages say, piece by piece, as they stand."""
    bodies = [message["response"] for message in recorded]
    pieces = [(body["message_type"], body.get("response") or body.get("content")) for body in bodies]
    return [(kind.replace("chunk", "answer"), piece) for kind, piece in pieces if kind != "explain" and piece]


def test_a_recorded_session_gives_its_steps_texts_and_one_end_without_any_store(session):
    _, recorded = session
    found = list(events(recorded))
    told = [m["response"]["explain_triples"] for m in recorded if m["response"]["message_type"] == "explain"]
    assert [len(step.triples) for step in steps(found)] == [len(triples) for triples in told]
    assert {quad.graph_name for step in steps(found) for quad in step.triples} == {NamedNode(GRAPH)}
    assert [(piece.kind, piece.delta) for piece in texts(found)] == words(recorded)
    assert all(piece.node for piece in texts(found))
    assert [type(event) for event in found].count(Done) == 1
    last = recorded[-1]["response"]
    assert found[-1].reason == "done"
    assert found[-1].error is None
    assert found[-1].usage == Usage(last["in_token"], last["out_token"], last["model"])
    assert [(s.document, s.title) for s in found[-1].sources] == [
        (source["uri"], source["title"]) for source in last.get("sources", ())
    ]


def test_nothing_in_a_recorded_session_is_unknown(session):
    found = steps(events(session[1]))
    described = rdf.entities(quad for step in found for quad in step.triples)
    assert [entity for entity in described if type(entity) is Entity] == []
    assert {step.iri for step in found} <= {entity.iri for entity in described}


def test_the_answer_belongs_to_the_last_node_that_was_explained(session):
    found = list(events(session[1]))
    assert {piece.node for piece in texts(found) if piece.kind == "answer"} == {steps(found)[-1].iri}


def test_a_recorded_session_written_again_reads_the_same(session):
    service, recorded = session
    found = list(events(recorded))
    again = list(messages(found, service))
    assert list(events(json.loads(json.dumps(again)))) == found
    assert list(events(messages(found, service, compat="trustgraph"))) == found


def test_a_streamed_session_written_again_is_the_recording_itself(session):
    service, recorded = session
    if recorded[-1]["response"].get("response"):
        pytest.skip("was not streamed")
    assert list(messages(events(recorded), service, request=recorded[0]["id"])) == recorded


def test_a_session_reads_the_same_without_its_envelopes_and_with_the_older_names(session):
    _, recorded = session
    found = list(events(recorded))
    bare = [message["response"] for message in recorded]
    assert list(events(bare)) == found
    older = {"message_type": "chunk_type", "explain_id": "provenance_id", "end_of_message": "end-of-message"}
    older |= {"end_of_dialog": "end-of-dialog", "end_of_stream": "end-of-stream", "in_token": "in-token"}
    kinds = {"explain": "provenance", "answer": "final-answer"}
    renamed = [
        {older.get(key, key): kinds.get(said, said) if key == "message_type" else said for key, said in body.items()}
        for body in bare
    ]
    assert list(events({"user": "u", "explain_collection": "c", **body} for body in renamed)) == found
    hyphened = [{key.replace("_", "-"): value for key, value in body.items()} for body in bare]
    assert list(events(hyphened)) == found


def test_a_session_reads_the_same_with_its_triples_in_any_form(session):
    _, recorded = session
    found = list(events(recorded))

    def rewritten(form):
        for message in recorded:
            body = dict(message["response"])
            if "explain_triples" in body:
                quads = next(step for step in steps(events([message]))).triples
                body["explain_triples"] = form(quads)
            yield {**message, "response": body}

    assert list(events(rewritten(list))) == found
    assert list(events(rewritten(lambda quads: [(q.subject, q.predicate, q.object) for q in quads]))) == found
    assert list(events(rewritten(lambda quads: serialize(quads, format=RdfFormat.N_QUADS).decode()))) == found


def test_chunks_belong_to_the_synthesis_of_the_question():
    found = list(events([question(), chunk("Radium "), chunk("glows."), chunk("", end_of_stream=True), final()]))
    assert texts(found) == [Text(SYNTHESIS, "answer", "Radium "), Text(SYNTHESIS, "answer", "glows.")]
    docrag = "urn:trustgraph:docrag:s1"
    found = list(events([question(docrag, "DocRagQuestion"), chunk("a"), envelope({"message_type": "end"})]))
    assert texts(found) == [Text(f"{docrag}/synthesis", "answer", "a")]


def test_chunks_of_a_session_with_older_iris_belong_to_its_own_answer_even_before_that_is_explained():
    session = [explain("urn:trustgraph:session:s1"), chunk("a"), chunk("b")]
    answer = "urn:trustgraph:prov:answer:s1"
    found = list(events([*session, explain(answer), final()]))
    assert texts(found) == [Text(answer, "answer", "a"), Text(answer, "answer", "b")]
    assert texts(events([session[0], explain(answer), *session[1:], final()])) == texts(found)


def test_chunks_of_a_stream_that_explains_nothing_are_kept_without_a_node():
    assert list(events([chunk("a"), final()])) == [Text("", "answer", "a"), Done("done")]


def test_the_answer_of_a_question_with_a_foreign_iri_is_found_by_its_type():
    mine = "https://example.org/answers/1"
    found = list(events([question("https://example.org/1"), chunk("a"), explain(mine, typed(mine, "Answer")), final()]))
    assert texts(found) == [Text(mine, "answer", "a")]


def test_a_question_below_another_does_not_take_its_answer():
    inner = question("urn:trustgraph:question:s2", parent=f"{AGENT}/i1")
    assert texts(events([question(), inner, chunk("a"), final()])) == [Text(SYNTHESIS, "answer", "a")]


def test_an_agent_of_before_messages_had_ids_is_understood_by_what_is_explained_next():
    stream = [
        explain(AGENT),
        say("thought", "I look it up."),
        explain(f"{AGENT}/i1"),
        explain("urn:trustgraph:question:s1"),
        explain(SYNTHESIS),
        say("observation", "Radium glows."),
        explain(f"{AGENT}/i1/observation"),
        say("thought", "Good."),
        say("answer", "It "),
        say("answer", "glows."),
        explain(f"{AGENT}/final"),
        say("answer", "", end_of_dialog=True),
    ]
    assert spoken(events(stream)) == [
        ("/i1/thought", "thought", "I look it up."),
        ("/i1/observation", "observation", "Radium glows."),
        ("/final", "thought", "Good."),
        ("/final", "answer", "It "),
        ("/final", "answer", "glows."),
    ]


def test_what_is_said_of_a_plan_as_a_whole_belongs_to_the_plan_and_to_its_synthesis():
    stream = [
        explain(AGENT),
        say("thought", "Created plan with 2 steps"),
        explain(f"{AGENT}/plan"),
        say("thought", "Step 0", f"{AGENT}/i2/thought"),
        say("thought", "Synthesising"),
        say("answer", "Done.", f"{AGENT}/synthesis"),
        say("answer", "", f"{AGENT}/synthesis", end_of_dialog=True),
    ]
    assert [node for node, _, _ in spoken(events(stream))] == ["/plan", "/i2/thought", "/synthesis", "/synthesis"]


def test_texts_are_never_out_of_order_nor_lost_when_nobody_says_whose_they_are():
    stream = [explain(AGENT), say("thought", "a"), say("thought", "b", f"{AGENT}:else"), say("answer", "c"), final()]
    assert spoken(events(stream)) == [
        ("", "thought", "a"),
        (":else", "thought", "b"),
        ("/final", "answer", "c"),
    ]


@each(
    ("message", "said"),
    [
        (chunk("", end_of_session=True, error={"type": "graph-rag-error", "message": "m"}), "m"),
        (envelope({"end_of_session": False, "error": {"message": "m", "type": "document-rag-error"}}), "m"),
        (envelope({"message_type": "error", "content": "m", "error": {"message": "m", "type": "agent-error"}}), "m"),
        (envelope({"message_type": "error", "content": "m", "end_of_dialog": True}), "m"),
        (envelope({"chunk-type": "error", "content": "m"}), "m"),
        (envelope({"error": {"type": "gateway-error", "message": "m"}}, complete=True), "gateway-error: m"),
        ({"id": "r1", "error": {"type": "timeout", "message": "m"}, "complete": True}, "timeout: m"),
        ({"id": "r1", "error": {"message": "m"}, "complete": True}, "m"),
        ({"id": "r1", "error": "m", "complete": True}, "m"),
        ({"id": "r1", "response": None, "error": {"message": "m", "code": 7}}, "m"),
        ({"response": "", "error": {"type": "agent-error"}}, "agent-error"),
    ],
)  # fmt: skip
def test_every_form_of_error_ends_the_run_with_its_text(message, said):
    *before, done = events([question(), chunk("half"), message])
    assert done == Done("error", error=said)
    assert texts(before) == [Text(SYNTHESIS, "answer", "half")]


@each("nothing", [None, "", {}, False])
def test_an_empty_error_is_none(nothing):
    assert list(events([final(error=nothing)])) == [Done("done")]


def test_a_run_that_failed_keeps_what_it_used_and_what_came_late():
    failed = envelope({"error": {"message": "m"}, "in_token": 3}, complete=True)
    assert list(events([failed, explain(QUESTION)])) == [Explain(QUESTION, ()), Done("error", Usage(3), (), "m")]


@pytest.mark.parametrize("stream", [[], [question()], [question(), chunk("a", end_of_stream=True)]])
def test_a_stream_that_breaks_off_says_so(stream):
    *_, done = events(stream)
    assert done.reason == "error"
    assert done.error.startswith(ENDED)


@each(
    "last",
    [
        {"message_type": "chunk", "response": "whole", "end_of_stream": True, "end_of_session": True},
        {"response": "whole", "end_of_stream": True, "end_of_session": True},
        {"id": "r", "response": {"response": "whole"}, "complete": True},
        {"id": "r", "response": "whole", "complete": True},
        {"response": "whole"},
    ],
)
def test_every_form_of_a_whole_reply_at_once_is_final(last):
    assert list(events([last])) == [Text("", "answer", "whole"), Done("done")]


def test_the_oldest_replies_name_thought_observation_and_answer_as_fields():
    found = list(events([{"thought": "t"}, {"observation": "o"}, {"answer": "a"}]))
    assert [piece.kind for piece in texts(found)] == ["thought", "observation", "answer"]
    assert found[-1] == Done("done")


def test_counts_are_as_reported_and_absent_when_not():
    *_, done = events([final(in_token=0, model="")])
    assert done.usage == Usage(0, None, "")
    *_, done = events([final(in_token="12", out_token=True, model=7)])
    assert done.usage == Usage(12)


def test_sources_are_kept_as_passages_without_words():
    *_, done = events([final(sources=[{"uri": "urn:d:1", "title": "One"}, {"uri": "urn:d:2"}, "urn:d:3"])])
    assert [(s.document, s.title, s.text, s.chunk) for s in done.sources] == [
        ("urn:d:1", "One", "", ""),
        ("urn:d:2", "urn:d:2", "", ""),
        ("urn:d:3", "urn:d:3", "", ""),
    ]
    assert all(isinstance(source, Passage) for source in done.sources)


def test_a_step_keeps_order_and_duplicates_and_triples_without_a_graph_take_that_of_the_step():
    told = [triple(QUESTION, TG + "concept", text(word)) for word in ("b", "a", "b")]
    step = next(events([explain(QUESTION, [*told, {**told[0], "g": ""}], explain_graph="urn:g")]))
    concept = NamedNode(TG + "concept")
    about = NamedNode(QUESTION)
    assert step.triples == (
        *(Quad(about, concept, Literal(word), NamedNode("urn:g")) for word in ("b", "a", "b")),
        Quad(about, concept, Literal("b")),
    )


def test_a_step_that_does_not_say_its_node_is_that_of_its_first_triple():
    assert next(events([explain("", typed(QUESTION, "Question"))])).iri == QUESTION


def test_a_step_that_is_only_referred_to_is_looked_up_with_its_parts():
    focus, edge = (f"urn:trustgraph:prov:{kind}:s1" for kind in ("focus", "edge:s1"))
    graph = NamedNode(GRAPH)
    link = Quad(NamedNode(focus), NamedNode(TG + "selectedEdge"), NamedNode(edge), graph)
    part = Quad(NamedNode(edge), NamedNode(TG + "score"), Literal("0.5"), graph)
    elsewhere = Quad(NamedNode(edge), NamedNode(TG + "score"), Literal("0.5"), NamedNode("urn:graph:source"))
    store = {focus: [link], edge: [part, elsewhere]}
    assert next(events([explain(focus)])) == Explain(focus, ())
    asked = events([explain(focus), final()], lookup=lambda node: store.get(node, []))
    assert list(asked) == [Explain(focus, (link, part)), Done("done")]


def test_each_of_several_references_is_a_step():
    message = {
        "chunk_type": "provenance",
        "content": "",
        "provenance_refs": ["urn:a", "urn:b"],
        "end_of_message": False,
    }
    assert [step.iri for step in steps(events([message]))] == ["urn:a", "urn:b"]
    told = {**message, "explain_triples": [*typed("urn:a", "Plan"), *typed("urn:b", "Plan")]}
    assert [(step.iri, len(step.triples)) for step in steps(events([told]))] == [("urn:a", 2)]


def test_a_quoted_triple_as_a_dictionary_of_strings_becomes_a_triple_term():
    edge = {"s": "http://trustgraph.ai/e/radium", "p": "http://trustgraph.ai/e/half-life", "o": "1600 years"}
    step = next(events([explain("urn:e", [triple("urn:e", TG + "edge", edge)])]))
    base = "http://trustgraph.ai/e/"
    assert step.triples[0].object == Triple(
        NamedNode(base + "radium"), NamedNode(base + "half-life"), Literal("1600 years")
    )


def test_the_end_on_record_tells_a_run_that_declined():
    end = "urn:trustgraph:prov:end:s1"
    reason = triple(end, "urn:provenance-explorer:ns:reason", text("declined"))
    assert list(events([explain(end, [reason]), final()]))[-1] == Done("declined")
    strange = triple(end, TG + "terminationReason", {"s": "urn:s", "p": "urn:p", "o": "urn:o"})
    assert list(events([explain(end, [strange]), final()]))[-1] == Done("done")


@each(
    "message",
    [
        {},
        {"type": "auth-ok", "default_workspace": "w"},
        {"id": "r", "service": "agent", "request": {"question": "q"}},
        envelope({"message_type": "heartbeat", "content": "still there"}),
        envelope({"message_type": ["odd"], "content": "still there"}),
        envelope({"message_type": "explain"}),
        envelope({"message_type": "explain", "explain_id": None, "explain_triples": None, "provenance_refs": None}),
        {"response": None},
        {"response": 7, "complete": False},
    ],
)
def test_a_message_of_an_unknown_kind_says_nothing(message):
    assert list(events([message, final()])) == [Done("done")]


@each("message", [None, "{}", 7, [("id", "r")]])
def test_what_is_no_json_object_is_refused_with_its_place(message):
    with pytest.raises(RecordError, match="Message 2"):
        list(events([question(), message]))


def test_a_malformed_triple_is_refused_with_its_place():
    bad = {"s": iri("urn:s"), "p": text("no node"), "o": iri("urn:o")}
    with pytest.raises(RecordError, match=r"Message 2, triple 3: .*no node"):
        list(events([question(), explain("urn:a", [*typed("urn:a", "Plan", "Answer"), bad])]))


@pytest.mark.parametrize("graph", ["no iri", "relative"])
def test_a_graph_or_a_node_that_is_no_iri_is_refused(graph):
    with pytest.raises(RecordError, match="Message 1"):
        list(events([explain("urn:a", typed("urn:a", "Plan"), explain_graph=graph)]))
    with pytest.raises(RecordError, match="Message 1"):
        list(events([explain(graph, typed("urn:a", "Plan"))]))


def test_whoever_gathers_what_is_refused_gets_the_rest_and_the_counts_add_up():
    good, bad = typed("urn:a", "Plan", "Answer", "Error"), [{"s": "x"}, "nonsense", None, ("urn:a", "urn:b", None)]
    given = [good[0], *bad[:2], good[1], *bad[2:], good[2]]
    refused = []
    found = list(events(["not a message", explain("urn:a", given), final()], refused=refused))
    assert found == [Explain("urn:a", tuple(found[0].triples)), Done("done")]
    assert len(found[0].triples) + len(refused) - 1 == len(given)
    places = [str(part).split(":")[0] for part in refused]
    assert places == ["Message 1", *(f"Message 2, triple {number}" for number in (2, 3, 5, 6))]


def test_broken_lists_of_triples_and_nodes_can_be_gathered_too():
    refused = []
    stream = [
        explain("urn:a", 7),
        explain("no iri", typed("urn:a", "Plan")),
        explain("urn:b", ["urn:b a b"], explain_graph="no iri"),
    ]
    found = list(events([*stream, {"explain_triples": ["_:b <urn:p> <urn:o>"]}, final()], refused=refused))
    assert [step.iri for step in steps(found)] == ["urn:a", "urn:a", "urn:b"]
    places = [str(part).split(":")[0] for part in refused]
    assert places == ["Message 1, triple 1", "Message 2", "Message 3", "Message 3, triple 1", "Message 4"]


def test_events_come_as_the_messages_do():
    taken = []

    def stream():
        for message in [question(), chunk("a"), chunk("b"), final()]:
            taken.append(message)
            yield message

    found = events(stream())
    assert isinstance(next(found), Explain)
    assert next(found).delta == "a"
    assert len(taken) == 2


def test_a_session_whose_triples_have_to_be_looked_up_reads_the_same(session):
    _, recorded = session
    found = list(events(recorded))
    store = [quad for step in steps(found) for quad in step.triples]
    bare = [
        {key: value for key, value in message["response"].items() if key != "explain_triples"} for message in recorded
    ]
    asked = list(events(bare, lookup=lambda node: [quad for quad in store if quad.subject == NamedNode(node)]))
    assert [set(step.triples) for step in steps(asked)] == [set(step.triples) for step in steps(found)]
    assert [event for event in asked if not isinstance(event, Explain)] == [
        event for event in found if not isinstance(event, Explain)
    ]


def test_broken_off_at_any_message_a_session_still_ends_once(session):
    _, recorded = session
    for length in range(len(recorded)):
        *before, done = events(recorded[:length])
        assert done.error.startswith(ENDED)
        assert not any(isinstance(event, Done) for event in before)
        assert [(piece.kind, piece.delta) for piece in texts(before)] == words(recorded[:length])
