"""Traces of other tools: each form becomes a run whose passages, prompts, tools and answer are those of its spans."""

import base64
import json
from datetime import UTC, datetime

import pytest

from explorer import entities as e
from explorer.errors import RecordError

ASKED = "Who leads Acme?"
LEADS = "Ada Lovelace leads Acme since 1843, as its first chief engineer."
SELLS = "Acme sells rockets and anvils to coyotes all over the desert."
FOUNDED = "Acme was founded in 1843 by the elder brother of Ada Lovelace."
ANSWER = "Ada Lovelace leads Acme since 1843."
PROMPT = f"Answer by these passages.\n{LEADS}\n{SELLS}\n{ASKED}"
TRACE = "5b8efff798038103d269b633813fc60c"
BEGUN = 1_760_000_000_000_000_000


def nano(ms):
    return str(BEGUN + ms * 1_000_000)


def iso(ms):
    return datetime.fromtimestamp((BEGUN + ms * 1_000_000) / 1e9, UTC).isoformat()


def number(at):
    return f"{at:016x}"


def spans():
    """A search with a reranker, in OpenInference: (id, parent, name, kind, begun, ended, attributes)."""
    passages = {
        "retrieval.documents.0.document.content": SELLS, "retrieval.documents.0.document.id": "a",
        "retrieval.documents.0.document.score": 0.7,
        "retrieval.documents.1.document.content": LEADS, "retrieval.documents.1.document.id": "b",
        "retrieval.documents.1.document.score": 0.6, "retrieval.documents.1.document.metadata": '{"title": "Acme"}',
    }  # fmt: skip
    ranked = {
        "reranker.query": ASKED, "reranker.output_documents.0.document.content": LEADS,
        "reranker.output_documents.0.document.score": 0.9,
    }  # fmt: skip
    called = {
        "llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": PROMPT,
        "llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": ANSWER,
        "llm.model_name": "small", "llm.token_count.prompt": 30, "llm.token_count.completion": 8,
    }  # fmt: skip
    return [
        (1, 0, "query", "CHAIN", 0, 900, {"input.value": ASKED, "output.value": ANSWER}),
        (2, 1, "retrieve", "RETRIEVER", 10, 100, {"input.value": ASKED, **passages}),
        (3, 1, "rerank", "RERANKER", 110, 200, ranked),
        (4, 1, "llm", "LLM", 210, 880, called),
    ]


def otlp_value(value):
    kind = {str: "stringValue", bool: "boolValue", int: "intValue", float: "doubleValue"}[type(value)]
    return {kind: str(value) if kind == "intValue" else value}


def otlp(rows, trace=TRACE):
    made = [
        {
            "traceId": trace, "spanId": number(one), "parentSpanId": number(parent) if parent else "", "name": name,
            "startTimeUnixNano": nano(begun), "endTimeUnixNano": nano(ended), "status": {},
            "attributes": [
                {"key": key, "value": otlp_value(value)}
                for key, value in {**({"openinference.span.kind": kind} if kind else {}), **attributes}.items()
            ],
        }
        for one, parent, name, kind, begun, ended, attributes in rows
    ]  # fmt: skip
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "acme-rag"}}]}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": {"name": "x"}, "spans": made}]}]}


def phoenix(rows):
    return [
        {
            "id": f"U3Bhbjo{one}", "name": name, "context": {"trace_id": TRACE, "span_id": number(one)},
            "span_kind": kind, "parent_id": number(parent) if parent else None, "start_time": iso(begun),
            "end_time": iso(ended), "status_code": "OK", "status_message": "", "attributes": attributes, "events": [],
        }
        for one, parent, name, kind, begun, ended, attributes in rows
    ]  # fmt: skip


def langfuse():
    document = [{"pageContent": SELLS}, {"page_content": LEADS, "metadata": {"title": "Acme"}}]
    document[0] = {"page_content": SELLS, "metadata": {"source": "a.txt"}}
    rows = (
        ("r", "RETRIEVER", "retrieve", 10, 100, {"query": ASKED}, document, {}),
        ("g", "GENERATION", "llm", 210, 880, [{"role": "user", "content": PROMPT}],
         {"role": "assistant", "content": ANSWER}, {"model": "small", "usageDetails": {"input": 30, "output": 8}}),
    )  # fmt: skip
    return {
        "id": TRACE, "name": "query", "timestamp": iso(0), "input": {"question": ASKED}, "output": ANSWER,
        "observations": [
            {
                "id": one, "traceId": TRACE, "type": kind, "name": name, "startTime": iso(begun), "endTime": iso(ended),
                "parentObservationId": None, "level": "DEFAULT", "statusMessage": None, "metadata": {},
                "input": given, "output": told, **more,
            }
            for one, kind, name, begun, ended, given, told, more in rows
        ],
    }  # fmt: skip


def mlflow():
    documents = [{"page_content": SELLS, "metadata": {"doc_uri": "a"}, "id": "a"}, {"page_content": LEADS}]
    usage = {"input_tokens": 30, "output_tokens": 8, "total_tokens": 38}
    rows = (
        (1, 0, "query", "CHAIN", 0, 900, {"question": ASKED}, ANSWER, {}),
        (2, 1, "retrieve", "RETRIEVER", 10, 100, {"query": ASKED}, documents, {}),
        (4, 1, "llm", "CHAT_MODEL", 210, 880, {"messages": [{"role": "user", "content": PROMPT}], "model": "small"},
         {"choices": [{"message": {"role": "assistant", "content": ANSWER}}]},
         {"mlflow.chat.tokenUsage": json.dumps(usage), "mlflow.llm.model": '"small"'}),
    )  # fmt: skip
    return {
        "info": {"request_id": f"tr-{TRACE}", "status": "OK"},
        "data": {
            "spans": [
                {
                    "name": name, "context": {"span_id": number(one), "trace_id": TRACE},
                    "parent_id": number(parent) if parent else None, "start_time": int(nano(begun)),
                    "end_time": int(nano(ended)), "status_code": "OK", "status_message": "", "events": [],
                    "attributes": {
                        "mlflow.spanType": json.dumps(kind), "mlflow.spanInputs": json.dumps(given),
                        "mlflow.spanOutputs": json.dumps(told), **more,
                    },
                }
                for one, parent, name, kind, begun, ended, given, told, more in rows
            ],
        },
    }  # fmt: skip


@pytest.fixture
def imported(ws, tmp_path):
    def take(value, name="spans.json", form=None):
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        (tmp_path / name).write_bytes(data)
        return ws.import_record(tmp_path / name, form, progress=False)

    return take


def of(trace, kind):
    return [node.entity for node in trace.dag.nodes() if isinstance(node.entity, kind)]


def said(ws, iri):
    return ws.stores.library.text(iri)


def texts(ws, chunks):
    return [ws.sources.chunk_text(chunk) for chunk in chunks]


def run_of(ws, done):
    [run] = done.traces
    assert [*ws.verify().faults] == []
    return ws.traces.load(run)


def row(one, parent, kind, *times, **attributes):
    """One span, its attributes by names with `__` for a dot."""
    return (
        one,
        parent,
        "step",
        kind,
        *(times or (0, 900)),
        {key.replace("__", "."): value for key, value in attributes.items()},
    )


ROOT = row(1, 0, "CHAIN", input__value=ASKED, output__value=ANSWER)


FORMS = {
    "OTLP": lambda: otlp(spans()), "Phoenix": lambda: phoenix(spans()), "Langfuse": langfuse, "MLflow": mlflow,
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_each_form_becomes_the_run_that_it_tells(ws, imported, form):
    done = imported(FORMS[form]())
    trace = run_of(ws, done)
    read = 4 if form in ("OTLP", "Phoenix") else 3
    assert (done.given, done.read, done.refused) == (read, read, ())
    assert done.notes == (f"1 run of {form}: {read} of {read} spans read.",)
    assert (trace.question, trace.answer, trace.reason) == (ASKED, ANSWER, "done")
    [looked] = of(trace, e.Exploration)
    assert texts(ws, looked.ordered) == [SELLS, LEADS]
    [answered] = of(trace, e.Synthesis)
    assert PROMPT in said(ws, answered.prompt[0])
    assert said(ws, answered.reply[0]) == ANSWER
    assert {*texts(ws, answered.given)} == {SELLS, LEADS}
    assert (trace.usage.model, trace.usage.in_token, trace.usage.out_token) == ("small", 30, 8)
    assert (looked.begun_at, looked.duration_ms) == (iso(10).replace("+00:00", "Z"), 90)
    assert trace.duration_ms == (900 if form != "Langfuse" else 880)
    if read == 4:
        [kept] = of(trace, e.Focus)
        assert texts(ws, kept.scores) == [LEADS]
        assert [*kept.scores.values()] == [0.9]
        assert (kept.begun_at, kept.duration_ms) == (iso(110).replace("+00:00", "Z"), 90)
    assert ws.ledger.entry(trace.iri).at > iso(900)  # sealed now


def test_spans_as_rows_of_a_table_are_the_same(ws, imported):
    rows = [
        {
            "context.trace_id": one["context"]["trace_id"], "context.span_id": one["context"]["span_id"],
            **{key: one[key] for key in ("name", "span_kind", "parent_id", "start_time", "end_time", "status_code")},
            **{f"attributes.{key}": value for key, value in one["attributes"].items()},
        }
        for one in phoenix(spans())
    ]  # fmt: skip
    trace = run_of(ws, imported("\n".join(map(json.dumps, rows)).encode(), "spans.jsonl"))
    assert [texts(ws, one.ordered) for one in of(trace, e.Exploration)] == [[SELLS, LEADS]]
    assert [texts(ws, one.scores) for one in of(trace, e.Focus)] == [[LEADS]]


def test_spans_of_openinference_that_mlflow_stored_are_the_same(ws, imported):
    made = phoenix(spans())
    for one in made:
        told = one["attributes"] | {"openinference.span.kind": one.pop("span_kind"), "mlflow.traceRequestId": "tr-1"}
        one["attributes"] = {key: json.dumps(value) for key, value in told.items()}
    trace = run_of(ws, imported({"spans": made}))
    assert [texts(ws, one.ordered) for one in of(trace, e.Exploration)] == [[SELLS, LEADS]]
    assert [texts(ws, one.scores) for one in of(trace, e.Focus)] == [[LEADS]]
    assert (trace.answer, trace.usage.model, trace.usage.in_token) == (ANSWER, "small", 30)


@pytest.mark.parametrize("key", ["data", "kwargs"])
def test_a_message_of_a_tool_is_its_words_and_the_documents_beside_them(ws, imported, key):
    told = {"content": f"{LEADS}\n{SELLS}", "tool_call_id": "1", "artifact": [{"page_content": LEADS}]}
    called = row(2, 1, "TOOL", 10, 100, tool__name="look", output__value=json.dumps({"type": "tool", key: told}))
    trace = run_of(ws, imported(otlp([ROOT, called])))
    [result] = of(trace, e.Observation)
    assert trace.dag.text(result.iri) == told["content"]
    assert [one.passage.text for one in trace.retrieved] == [LEADS]


CALLED = {
    "arguments": {"args": [[{"role": "user", "content": PROMPT}]], "kwargs": {"temperature": 0.1}},
    "named arguments": {"args": [ASKED], "kwargs": {"context": [SELLS, LEADS]}},
    "arguments by their names": {"asked": ASKED, "found": f"{SELLS}\n{LEADS}", "most": 3},
}


@pytest.mark.parametrize("kind", CALLED)
def test_all_that_a_function_was_called_with_is_what_its_model_was_given(ws, imported, kind):
    searched = row(2, 1, "RETRIEVER", 10, 100, **{
        f"retrieval__documents__{number}__document__content": text for number, text in enumerate((SELLS, LEADS))
    })  # fmt: skip
    called = row(3, 1, "LLM", 210, 880, input__value=json.dumps(CALLED[kind]), output__value=ANSWER)
    [answered] = of(run_of(ws, imported(otlp([ROOT, searched, called]))), e.Synthesis)
    assert {*texts(ws, answered.given)} == {SELLS, LEADS}


def test_each_first_span_of_a_trace_begins_a_run(ws, imported):
    rows = [ROOT, row(2, 0, "CHAIN", 1000, 1900, input__value="And who follows?", output__value="Grace."), *GOOD[1:]]
    done = imported(otlp([(one + 10 if one > 1 and parent == 1 else one, *rest) for one, *rest in rows
                          for parent in rest[:1]]))  # fmt: skip
    found = [ws.traces.load(run) for run in done.traces]
    assert [(one.question, one.answer) for one in found] == [(ASKED, ANSWER), ("And who follows?", "Grace.")]
    assert [len(of(one, e.Exploration)) for one in found] == [1, 0]


VALUES = (
    None, True, -1, 1e308, 10**30, "", "\0\ud800\x1b[31m", [], {}, [None], {"": ""}, "[1]", '{"a":', {"0": "x"},
    [["a", 1]], {"content": {"content": []}}, [{"document": []}], "1" * 5000, "٣",
)  # fmt: skip


def test_values_that_nobody_expects_spoil_no_run(ws, imported):
    fields = (
        "name",
        "span_kind",
        "start_time",
        "end_time",
        "status_code",
        "events",
        "status",
        "resource",
        "attributes",
    )
    for number, value in enumerate(VALUES):
        made = phoenix([(*one, dict.fromkeys(given, value)) for *one, given in GOOD])
        made += phoenix([(one + 50, 1, *rest) for one, _, *rest in GOOD])
        made[-1] |= dict.fromkeys(fields, value)
        made[-2]["parent_id"] = value
        done = imported(json.loads(json.dumps(made).replace(TRACE, f"{number:032x}")))
        assert len(done.traces) in (1, 2), value
        assert [*ws.verify(*done.traces).faults] == [], value


ASKING = (
    {"question": ASKED}, {"inputs": {"query": ASKED, "top_k": 3}}, {"args": [], "kwargs": {"question": ASKED}},
    {"messages": [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Yes?"},
                  {"role": "user", "content": [{"type": "text", "text": ASKED}]}, {"role": "tool", "content": "none"}]},
    [[{"lc": 1, "kwargs": {"type": "human", "content": ASKED}}, {"lc": 1, "kwargs": {"type": "ai", "content": "Hm."}}]],
    [ASKED],
)  # fmt: skip


def test_the_question_is_found_in_what_a_pipeline_was_given(ws, imported):
    for number, given in enumerate(ASKING):
        made = [row(1, 0, "CHAIN", input__value=json.dumps(given), output__value=json.dumps({"answer": ANSWER}))]
        [run] = imported(otlp(made, f"{number:032x}")).traces
        assert (ws.traces.load(run).question, ws.traces.load(run).answer) == (ASKED, ANSWER), given


def test_the_service_is_what_answered(ws, imported):
    assert [run.engine for run in (imported(otlp(spans())), ws.traces.list())[1]] == ["acme-rag"]


def flat(value, name=""):
    if not isinstance(value, dict | list):
        return {name: value}
    items = value.items() if isinstance(value, dict) else enumerate(value)
    return {key: one for at, inner in items for key, one in flat(inner, f"{name}.{at}".removeprefix(".")).items()}


MESSAGES = [
    {"role": "system", "parts": [{"type": "text", "content": "Be brief."}]},
    {"role": "user", "parts": [{"type": "text", "content": PROMPT}]},
]
REPLIES = [{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}], "finish_reason": "stop"}]
USED = {"gen_ai": {"request": {"model": "small"}, "usage": {"input_tokens": 30, "output_tokens": 8}}}
CALLS = {  # by what it is, the attributes of a call to a model
    "messages as JSON": {
        **flat(USED), "gen_ai.operation.name": "chat", "gen_ai.input.messages": json.dumps(MESSAGES),
        "gen_ai.output.messages": json.dumps(REPLIES),
    },
    "older, numbered": {
        **flat(USED), "gen_ai.prompt.0.role": "system", "gen_ai.prompt.0.content": "Be brief.",
        "gen_ai.prompt.1.role": "user", "gen_ai.prompt.1.content": PROMPT,
        "gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": ANSWER,
    },
    "nested": {
        "openinference": {"span": {"kind": "LLM"}},
        "llm": {
            "model_name": "small", "token_count": {"prompt": 30, "completion": 8},
            "input_messages": [
                {"message": {"role": "system", "content": "Be brief."}},
                {"message": {"role": "user", "contents": [
                    {"message_content": {"type": "text", "text": PROMPT}}]}},
            ],
            "output_messages": [{"message": {"role": "assistant", "content": ANSWER}}],
        },
    },
    "of LangChain": {
        **flat(USED), "openinference.span.kind": "LLM",
        "input.value": json.dumps({"messages": [[
            {"lc": 1, "type": "constructor", "kwargs": {"content": "Be brief.", "type": "system"}},
            {"lc": 1, "type": "constructor", "kwargs": {"content": PROMPT, "type": "human"}},
        ]]}),
        "output.value": json.dumps({"generations": [[{"text": ANSWER, "type": "ChatGeneration"}]]}),
    },
    "of Langfuse": {
        "langfuse.observation.type": "generation", "langfuse.observation.model.name": "small",
        "langfuse.observation.input": json.dumps([
            {"role": "system", "content": "Be brief."}, {"role": "user", "content": PROMPT}]),
        "langfuse.observation.output": ANSWER,
        "langfuse.observation.usage_details": json.dumps({"input": 30, "output": 8}),
    },
}  # fmt: skip


@pytest.mark.parametrize("kind", CALLS)
def test_a_call_to_a_model_is_read_by_each_convention(ws, imported, kind):
    rows = [ROOT, (2, 1, "chat", "", 10, 800, CALLS[kind])]
    [answered] = of(run_of(ws, imported(phoenix(rows))), e.Synthesis)
    prompt = said(ws, answered.prompt[0])
    assert "Be brief." in prompt
    assert PROMPT in prompt
    assert said(ws, answered.reply[0]) == ANSWER
    assert (answered.model, answered.in_token, answered.out_token) == ("small", 30, 8)


def test_events_tell_a_call_where_attributes_do_not(ws, imported):
    made = phoenix([ROOT, (2, 1, "chat", "", 10, 800, {**flat(USED), "gen_ai.operation.name": "chat"})])
    made[1]["events"] = [
        {"name": "gen_ai.system.message", "attributes": {"content": "Be brief."}},
        {"name": "gen_ai.user.message", "attributes": {"gen_ai.event.content": json.dumps({"content": PROMPT})}},
        {"name": "gen_ai.choice", "attributes": {"message": json.dumps({"role": "assistant", "content": ANSWER})}},
    ]
    [answered] = of(run_of(ws, imported(made)), e.Synthesis)
    assert said(ws, answered.prompt[0]) == f"system: Be brief.\n\nuser: {PROMPT}"
    assert said(ws, answered.reply[0]) == ANSWER


DOCUMENTS = {  # by what it is, the attributes of a search that found two passages
    "GenAI": {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.query.text": ASKED,
              "gen_ai.retrieval.documents": json.dumps([{"content": SELLS, "id": "a"}, {"content": LEADS}])},
    "LangChain": {"openinference.span.kind": "RETRIEVER", "output.value": json.dumps({"documents": [
        {"lc": 1, "kwargs": {"page_content": SELLS, "metadata": {}}}, {"page_content": LEADS}]})},
    "LlamaIndex": {"openinference.span.kind": "RETRIEVER", "output.value": json.dumps([
        {"node": {"text": SELLS, "id_": "a"}, "score": 0.5}, {"node": {"text": LEADS}, "score": 0.4}])},
    "texts": {"traceloop.span.kind": "retriever", "traceloop.entity.output": json.dumps([SELLS, LEADS])},
}  # fmt: skip


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_what_a_search_found_is_read_by_each_convention(ws, imported, kind):
    trace = run_of(ws, imported(phoenix([ROOT, (2, 1, "search", "", 10, 800, DOCUMENTS[kind])])))
    [looked] = of(trace, e.Exploration)
    assert texts(ws, looked.ordered) == [SELLS, LEADS]


def test_tools_and_agents_within_are_steps_and_runs_within(ws, imported):
    found = {"retrieval.documents.0.document.content": LEADS}
    rows = [
        row(1, 0, "AGENT", 0, 900, input__value=ASKED, output__value=ANSWER),
        row(2, 1, "TOOL", 10, 100, tool__name="look", input__value='{"q": "Acme"}', output__value=SELLS),
        row(
            3,
            1,
            "TOOL",
            110,
            200,
            tool__name="find",
            input__value='{"q": "Ada"}',
            output__value="There is one passage that fits.",
        ),
        (4, 3, "retrieve", "RETRIEVER", 120, 190, found),
        row(5, 1, "AGENT", 210, 500, input__value="Since when?", output__value="Since 1843."),
        row(6, 5, "TOOL", 220, 300, tool__name="count", input__value="{}", output__value="1843"),
        (8, 5, "retrieve", "RETRIEVER", 310, 400, {"retrieval.documents.0.document.content": FOUNDED}),
        (7, 1, "retrieve", "RETRIEVER", 510, 600, found),
        row(9, 1, "LLM", 610, 800, input__value=f"By this: {FOUNDED}", output__value=ANSWER),
    ]
    trace = run_of(ws, imported(otlp(rows)))
    tools = [(one.action, json.loads(one.arguments)) for one in of(trace, e.Analysis)]
    assert tools == [("look", {"q": "Acme"}), ("find", {"q": "Ada"}), ("count", {})]
    begun = [(one.begun_at, one.duration_ms) for one in of(trace, e.Analysis | e.Observation)]
    assert begun[2:4] == [(iso(110).replace("+00:00", "Z"), 0), (iso(110).replace("+00:00", "Z"), 90)]
    results = of(trace, e.Observation)
    assert [texts(ws, one.consulted or ()) for one in results] == [[SELLS], [LEADS], []]
    assert [said(ws, one.document) for one in results] == [SELLS, "There is one passage that fits.", "1843"]
    assert [one.query for one in of(trace, e.Question)] == [ASKED, "Since when?", "Since when?", ASKED]
    assert texts(ws, of(trace, e.Conclusion)[-1].given) == [FOUNDED]  # which an agent within has found
    assert [said(ws, one.document) for one in of(trace, e.Conclusion)] == ["Since 1843.", ANSWER]


def documents(name, *words):
    return {f"{name}.{number}.document.content": text for number, text in enumerate(words)}


KEPT = {  # by how it is told that one of two passages was kept
    "a search that holds one": [
        (2, 1, "fused", "RETRIEVER", 10, 200, documents("retrieval.documents", LEADS)),
        (3, 2, "retrieve", "RETRIEVER", 20, 100, documents("retrieval.documents", SELLS, LEADS)),
    ],
    "a reranker alone": [
        (2, 1, "rerank", "RERANKER", 10, 200, documents("reranker.input_documents", SELLS, LEADS)
         | documents("reranker.output_documents", LEADS)),
    ],
    "a reranker that changes one": [
        (2, 1, "retrieve", "RETRIEVER", 10, 100, documents("retrieval.documents", SELLS, LEADS)),
        (3, 1, "rerank", "RERANKER", 110, 200, documents("reranker.output_documents", LEADS, "Not seen before.")),
    ],
}  # fmt: skip


@pytest.mark.parametrize("kind", KEPT)
def test_what_was_kept_is_told(ws, imported, kind):
    done = imported(otlp([ROOT, *KEPT[kind]]))
    trace = run_of(ws, done)
    assert [texts(ws, one.ordered) for one in of(trace, e.Exploration)] == [[SELLS, LEADS]]
    assert [texts(ws, one.left) for one in of(trace, e.Focus)] == [[SELLS]]
    strange = "1 passage was kept and is none of those looked at; it was left out."
    assert (strange in done.notes) == ("changes" in kind)


def test_a_trace_is_read_once_and_again_where_its_run_was_deleted(ws, imported):
    [run] = imported(otlp(spans())).traces
    before = set(ws.graph.match())
    coded = base64.b64encode(bytes.fromhex(TRACE)).decode()
    for trace in (TRACE, f"0x{TRACE}", coded):
        again = imported(json.loads(json.dumps(phoenix(spans())).replace(TRACE, trace)))
        assert (again.read, again.traces) == (0, ()), trace
        assert "1 trace is on record already; it was not read again." in again.notes, trace
    assert set(ws.graph.match()) == before
    ws.traces.delete(run)
    back = run_of(ws, imported(otlp(spans())))
    assert (back.iri != run, back.answer) == (True, ANSWER)
    assert imported(otlp(spans())).traces == ()


def without(rows, *names):
    return [(*rest, {key: one for key, one in given.items() if not key.startswith(names)}) for *rest, given in rows]


def moved(rows, one, by):
    return [(*r[:4], r[4] + by, r[5] + by, r[6]) if r[0] == one else r for r in rows]


GOOD = spans()
WITHIN = (5, 4, "ChatCompletion", "LLM", 220, 870, {**GOOD[3][6], "llm.input_messages.0.message.role": "human"})
BESIDE = (5, 1, "ChatCompletion", "LLM", 220, 870, GOOD[3][6])
AGAIN = "1 span told a call to a model again that another tells; it is counted once."
SKEWED = "1 span lay outside the time of its run, as clocks differ; moved into it."
ODD = {  # by what is wrong with them: the spans, and what is said of them beside how many there are
    "children first": (GOOD[::-1], ()),
    "a parent that never came": (
        [GOOD[0], GOOD[1], GOOD[2], (4, 99, *GOOD[3][2:])],
        ("1 span named a parent that never came; read below the first of its trace.",)),
    "below itself": (
        [*GOOD[:3], (4, 5, *GOOD[3][2:]), row(5, 4, "CHAIN", 210, 880)],
        ("1 span stood below itself; read below the first of its trace.",)),
    "twice": ([*GOOD, GOOD[3]], ("1 span came twice; the first was read.",)),
    "a call within its call": ([*GOOD, WITHIN], (AGAIN,)),
    "a call beside itself": ([*GOOD, BESIDE], (AGAIN,)),
    "two clocks": (moved(GOOD, 3, 3_600_000), (SKEWED,)),
    "a clock that is behind": (moved(GOOD, 3, -3_600_000), (SKEWED,)),
}  # fmt: skip


@pytest.mark.parametrize("kind", ODD)
def test_odd_spans_lead_to_the_same_run_and_are_told(ws, imported, kind):
    rows, notes = ODD[kind]
    done = imported(otlp(rows))
    trace = run_of(ws, done)
    assert done.notes[1:] == notes
    assert (trace.question, trace.answer, trace.usage.calls) == (ASKED, ANSWER, 1)
    assert [texts(ws, one.ordered) for one in of(trace, e.Exploration)] == [[SELLS, LEADS]]
    assert [texts(ws, one.scores) for one in of(trace, e.Focus)] == [[LEADS]]


def test_content_that_was_switched_off_is_missing_and_told(ws, imported):
    rows = without(GOOD, "input.", "output.", "retrieval.", "llm.input", "llm.output", "reranker.")
    done = imported(otlp(rows))
    trace = run_of(ws, done)
    assert (trace.question, trace.answer, trace.reason) == ("query", "", "stopped")
    assert done.notes[1:] == (
        "1 call to a model had no content: it was switched off where it was traced.",
        "1 search had no passages: their content was switched off, or nothing was found.",
        "1 run had no question in it, and is called by the name of its first span.",
        "1 run had no answer in it.",
    )


def test_what_was_cut_off_is_told(imported):
    made = otlp(GOOD)
    made["resourceSpans"][0]["scopeSpans"][0]["spans"][1]["droppedAttributesCount"] = 7
    assert "7 values had been cut off where they were traced." in imported(made).notes


def test_a_run_that_failed_ends_so(ws, imported):
    made = otlp(GOOD)
    made["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["status"] = {"code": 2, "message": "out of <b>quota</b>"}
    made["resourceSpans"][0]["scopeSpans"][0]["spans"][3]["status"] = {"code": "STATUS_CODE_ERROR", "message": "429"}
    for attribute in made["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["attributes"]:
        attribute["key"] = attribute["key"].replace("output.value", "other")
    trace = run_of(ws, imported(made))
    [failed] = of(trace, e.Failure)
    assert (trace.reason, failed.error) == ("error", "out of <b>quota</b>")
    assert (failed.call_error, PROMPT in said(ws, failed.prompt[0])) == (("429",), True)


def test_secrets_are_masked_and_markup_stays_text(ws, imported):
    key, markup = "sk-abcdefghijklmnop1234", "<script>alert(1)</script> of Acme is what the page says."
    rows = [
        row(1, 0, "CHAIN", input__value=f"Is {key} mine?", output__value=f"Yes, {key}."),
        (2, 1, "r", "RETRIEVER", 1, 2, {"retrieval.documents.0.document.content": f"{markup} {key}"}),
        row(3, 1, "RERANKER", 3, 4, reranker__output_documents__0__document__content=f"{markup} {key}"),
        row(4, 1, "LLM", 5, 6, input__value=f"With {key}", output__value=key),
    ]
    trace = run_of(ws, imported(otlp(rows)))
    [looked] = of(trace, e.Exploration)
    assert texts(ws, looked.ordered) == [f"{markup} [masked]"]
    assert [len(one.selected_chunks) for one in of(trace, e.Focus)] == [1]
    everything = b"".join(data for (data,) in ws.stores.database.rows("SELECT data FROM contents"))
    assert key.encode() not in everything
    assert not any(key in str(quad) for quad in ws.graph.match())


def test_a_file_may_have_many_runs_in_any_arrangement(ws, imported):
    many = [otlp(GOOD, f"{number:032x}") for number in (1, 2, 3)]
    forms = {
        "one a line": "\n".join(map(json.dumps, many)),
        "one after the other": "\n".join(json.dumps(one, indent=2) for one in many),
        "in a list": json.dumps(many),
        "as pages": "\n".join(json.dumps({"data": [one]}) for one in many),
    }
    for number, (what, data) in enumerate(forms.items()):
        done = imported(data.encode(), f"{number}.jsonl")
        assert (done.given, done.refused) == (12, ()), what
        assert len(done.traces) == (3 if number == 0 else 0), what
    done = imported(("\n".join([json.dumps(otlp(GOOD, "f" * 32)), '{"traceId": ', "[1]"])).encode(), "a.jsonl")
    assert len(done.traces) == 1
    assert done.refused == (
        "Value 2: Expecting value, at character 13.", "Value 3: there are no spans in it.",
    )  # fmt: skip


def test_spans_may_be_deeper_than_python_can_follow(ws, imported):
    deep = [row(one, one - 1, "CHAIN", one, 5000 - one) for one in range(2, 2001)]
    done = imported(phoenix([ROOT, *deep, (2001, 2000, *GOOD[1][2:])]))
    assert done.read == 2001
    assert [texts(ws, one.ordered) for one in of(run_of(ws, done), e.Exploration)] == [[SELLS, LEADS]]


OTLP_WIRE = b"\n\x0a\x12\x00\x0c\x0a\x0cservice.name\x12\x05\x0a\x03abc"
NO_SPANS = {
    "protobuf": (OTLP_WIRE, None, "OTLP in protobuf"), "other JSON": (b'{"a": 1}', "spans", "has no spans"),
    "nothing": (b"", "spans", "has no spans"), "too deep": (b'{"spans": ' + b"[" * 100_000, "spans", "has no spans"),
    "cut off": (b'{"resourceSpans": [', "spans", "has no spans"),
}  # fmt: skip


@pytest.mark.parametrize("kind", NO_SPANS)
def test_a_file_without_spans_is_refused(ws, imported, kind):
    data, form, what = NO_SPANS[kind]
    with pytest.raises(RecordError, match=what):
        imported(data, form=form)
    assert ws.traces.list() == []


def test_other_files_with_such_names_are_read_as_what_they_are(ws, imported):
    linked = {"@context": {"observations": "urn:x:o"}, "@id": "urn:x:a", "observations": [{"@id": "urn:x:b"}]}
    done = imported(linked)
    assert (done.read, done.traces, ws.traces.list()) == (1, (), [])


def test_a_span_that_is_no_part_of_a_pipeline_is_left_out(ws, imported):
    done = imported(otlp([row(1, 0, "", http__method="GET")]))
    assert (done.read, done.traces, ws.traces.list()) == (0, (), [])
    assert "1 trace had no question, search, call to a model or tool in it, and was left out." in done.notes
