"""Traces of other tools: each form becomes a run whose passages, prompts, tools and answer are those of its spans."""

import json
from datetime import UTC, datetime

import pytest

import explorer
from explorer import entities as e
from explorer.errors import RecordError

ASKED = "Who leads Acme?"
LEADS = "Ada Lovelace leads Acme since 1843, as its first chief engineer."
SELLS = "Acme sells rockets and anvils to coyotes all over the desert."
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
def ws():
    with explorer.open() as opened:
        yield opened


@pytest.fixture
def imported(ws, tmp_path):
    def take(value, name="spans.json", form=None):
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        (tmp_path / name).write_bytes(data)
        return ws.import_record(tmp_path / name, form, progress=False)

    return take


def of(trace, kind):
    return [node.entity for node in trace.dag.nodes() if isinstance(node.entity, kind)]


def texts(ws, chunks):
    return [ws.sources.chunk_text(chunk) for chunk in chunks]


def run_of(ws, done):
    [run] = done.traces
    assert [*ws.verify().faults] == []
    return ws.traces.load(run)


FORMS = {
    "otlp": lambda: otlp(spans()), "phoenix": lambda: phoenix(spans()), "langfuse": langfuse, "mlflow": mlflow,
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_each_form_becomes_the_run_that_it_tells(ws, imported, form):
    done = imported(FORMS[form]())
    trace = run_of(ws, done)
    assert trace.question == ASKED
    print(done, done.notes, trace)
    [looked] = of(trace, e.Exploration)
    assert texts(ws, looked.ordered) == [SELLS, LEADS]
