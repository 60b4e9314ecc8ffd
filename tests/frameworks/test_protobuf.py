"""Spans of OTLP in protobuf: as an exporter sent them, and as OpenTelemetry's Collector writes them to a file."""

from pathlib import Path

import pytest

import explorer
from explorer.errors import RecordError

pytestmark = pytest.mark.frameworks

SENT = (Path(__file__).parents[1] / "observing/recorded/langfuse.pb").read_bytes()
LENGTH = len(SENT).to_bytes(4, "big")
ARRANGED = {"as sent": SENT, "after its length, twice": 2 * (LENGTH + SENT)}


@pytest.mark.parametrize("kind", ARRANGED)
def test_spans_in_protobuf_become_runs(ws, tmp_path, kind):
    (tmp_path / "spans.pb").write_bytes(ARRANGED[kind])
    done = ws.import_record(tmp_path / "spans.pb", progress=False)
    [trace] = map(ws.traces.load, done.traces)
    assert (trace.question, trace.answer) == (
        "Who fixed the pump?", "Ada Smith replaced the seal of the pump on 3 April.",
    )  # fmt: skip
    assert [type(step).__name__ for step in trace.steps] == ["DocRagQuestion", "Exploration", "Synthesis"]
    assert (done.read, done.refused, [*ws.verify().faults]) == (3, (), [])


def test_protobuf_that_was_cut_off_is_refused(ws, tmp_path):
    (tmp_path / "spans.pb").write_bytes(SENT[:-9])
    with pytest.raises(RecordError, match="cut off or damaged"):
        ws.import_record(tmp_path / "spans.pb", progress=False)


def test_a_run_goes_out_in_protobuf_and_comes_back(ws, tmp_path):
    with ws.record("Who fixed the pump?") as run:
        run.looked_at(["Ada Smith replaced the seal of the pump.", "Lunch was at noon."])
        run.answer("Ada Smith replaced the seal.")
    (tmp_path / "spans.pb").write_bytes(ws.export_spans(run.iri, protobuf=True))
    with explorer.open() as other:
        [again] = other.import_record(tmp_path / "spans.pb", progress=False).traces
        told = [held.traces.load(iri) for held, iri in ((ws, run.iri), (other, again))]
        assert told[0].answer == told[1].answer
        assert [one.passage.text for one in told[0].retrieved] == [one.passage.text for one in told[1].retrieved]
