"""Runs as spans: what a viewer of OpenInference looks for is there, and read again it is the same run."""

import json

import pytest

import explorer
from explorer.dag.retrieved import USED

ENGINES = ("graph-rag", "document-rag", "agent")
QUESTION = "Who fixed the pump?"
TEXT = "# Log\n\nAda Smith replaced the seal of the pump on 3 April. The captain, Jo Berg, thanked her.\n"


@pytest.fixture(scope="module")
def ws(tmp_path_factory):
    folder = tmp_path_factory.mktemp("log")
    (folder / "log.md").write_text(TEXT)
    with explorer.open() as opened:
        opened.ingest(folder, progress=False)
        yield opened


def attributes(span):
    return {one["key"]: next(iter(one["value"].values())) for one in span["attributes"]}


def annotations(span):
    """By name, from where OpenInference's specification has them: flat, counted from 0."""
    found = {}
    for key, value in attributes(span).items():
        if key.startswith("annotations."):
            _, number, within, name = key.split(".")
            assert within == "annotation"
            found.setdefault(int(number), {})[name] = value
    assert [*found] == [*range(len(found))]
    return {one["name"]: one for one in found.values()}


@pytest.mark.parametrize("engine", ENGINES)
def test_a_run_goes_out_as_spans_and_comes_back(ws, tmp_path, engine):
    trace = ws.run(QUESTION, engine=engine)
    ws.traces.judge(trace.iri, "supported", sentence=1, comment="so it says", by="Kim")
    written = ws.export_spans(trace.iri)
    [resource] = json.loads(written)["resourceSpans"]
    spans = resource["scopeSpans"][0]["spans"]
    ids = {span["spanId"] for span in spans}
    [root] = [span for span in spans if not span["parentSpanId"]]
    assert all(span["parentSpanId"] in ids for span in spans if span is not root)
    told = attributes(root)
    assert (told["input.value"], told["output.value"]) == (QUESTION, trace.answer)
    [on] = [found for span in spans if "verdict" in (found := annotations(span))]
    assert on["verdict"].items() >= {
        ("label", "supported"), ("annotator_kind", "HUMAN"), ("explanation", "so it says"),
    }  # fmt: skip
    judged = json.loads(on["verdict"]["metadata"])
    assert (judged["by"], judged["on"] in trace.answer) == ("Kim", True)
    assert (on["support"]["score"], on["outcome"]["label"]) == (trace.support.value, trace.outcome)
    kinds = {attributes(span)["openinference.span.kind"] for span in spans}
    assert kinds >= ({"AGENT", "TOOL"} if engine == "agent" else {"CHAIN", "RETRIEVER", "RERANKER"})
    called = [one for one in map(attributes, spans) if one["openinference.span.kind"] == "TOOL"]
    assert all("output.value" in one for one in called)
    cited = [json.loads(found) for span in spans if (found := attributes(span).get("explorer.citations"))]
    words = [place["words"] for one in cited for said in one for place in said["cites"]]
    assert any("Ada Smith replaced the seal of the pump" in one for one in words)
    (tmp_path / "spans.json").write_bytes(written)
    with explorer.open() as other:
        imported = other.import_record(tmp_path / "spans.json", progress=False)
        again = other.traces.load(imported.traces[0])
        assert (again.question, again.answer) == (QUESTION, trace.answer)
        assert USED in [one.state for one in again.retrieved]
        assert [str(found) for found in other.verify()] == []


def test_what_a_model_was_given_and_said_goes_out_as_its_messages(ws):
    with ws.record(QUESTION) as run:
        run.prompt("Use the log.", model="small", in_tokens=10)
        run.answer("Ada Smith fixed it.")
    [resource] = json.loads(ws.export_spans(run.iri))["resourceSpans"]
    [told] = [one for one in map(attributes, resource["scopeSpans"][0]["spans"]) if one.get("llm.model_name")]
    shown = [
        told[f"llm.{side}_messages.0.message.{part}"] for side in ("input", "output") for part in ("role", "content")
    ]
    assert shown == ["user", "Use the log.", "assistant", "Ada Smith fixed it."]
    assert (told["input.value"], told["output.value"]) == ("Use the log.", "Ada Smith fixed it.")
