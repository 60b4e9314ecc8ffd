"""What recording a run of another pipeline takes of it, and how fast a file of spans is read."""

from __future__ import annotations

import json
import resource
from pathlib import Path
from statistics import median
from time import process_time

import explorer
from benchmarks.table import Row
from explorer.observing.observer import Observer
from explorer.observing.run_parts import Call

_CALLS, _TOOLS = 150, 25  # of a run: with its retriever some 200 spans
_TEXT = "Ada Smith fixed pump {n} in April, as page {n} of the log of the ship has it."
_TRACES, _SPANS = 100, 10


def rows(place: Path) -> list[Row]:
    """Observe a run of 200 spans, and import 1,000 spans of a file."""
    share = median(_observed() for _ in range(5))
    spans = _CALLS + 2 * _TOOLS
    place.mkdir()
    imported, held = _imported(place / "spans.json")
    return [
        Row("an observed run: our processor time a span", f"{1000 * share / spans:.2f} ms", "≤ 5 ms"),
        Row(f"the same of a run with {_CALLS} model calls of 300 ms", f"{100 * share / (_CALLS * 0.3):.1f} %", "≤ 2 %"),
        Row("import of 1,000 spans, processor time", f"{imported:.2f} s", "≤ 1 s"),
        Row("the most memory by then", f"{held:.0f} MB"),
    ]


def _observed() -> float:
    """Return the processor time of a run, without that of the library observed."""
    passages = [_TEXT.format(n=n) for n in range(10)]
    with explorer.open() as ws:
        observer = Observer(lambda question: ws.record(question, pipeline="bench"))
        begun = process_time()
        observer.begin("run", None, "chain", {"input": "Who fixed the pump?"})
        for n in range(_TOOLS):
            observer.begin(f"tool {n}", "run", "tool", {"n": n}, "look")
            observer.begin(f"search {n}", f"tool {n}", "retriever", "pump")
            observer.end(f"search {n}", passages)
            observer.end(f"tool {n}", f"{n} found")
        for n in range(_CALLS):
            observer.begin(n, "run", "model", "prompt")
            observer.end(n, Call(f"Use {passages[n % 10]}", f"reply {n}", "model", 10, 2))
        observer.end("run", " ".join(passages[:3]))
        return process_time() - begun


def _imported(path: Path) -> tuple[float, float]:
    path.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [*_spans()]}]}]}), "utf-8")
    with explorer.open() as ws:
        with ws.record("warm") as run:
            run.looked_at([5 * _TEXT])
            run.answer(5 * _TEXT)
        begun = process_time()
        ws.import_record(path, progress=False)
        taken = process_time() - begun
    return taken, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def _spans() -> list[dict[str, object]]:
    found = []
    for trace in range(1, _TRACES + 1):
        said = _TEXT.format(n=trace)
        documents = {f"retrieval.documents.{n}.document.content": _TEXT.format(n=trace + n) for n in range(5)}
        kinds = [("CHAIN", {"input.value": f"Who fixed pump {trace}?", "output.value": said}), ("RETRIEVER", documents)]
        kinds += [
            (
                "LLM",
                {"llm.input_messages.0.message.content": f"{trace} {n}", "llm.output_messages.0.message.content": said},
            )
            for n in range(_SPANS - 2)
        ]
        for n, (kind, told) in enumerate(kinds, 1):
            attributes = {"openinference.span.kind": kind, **told}
            found.append({
                "traceId": f"{trace:032x}", "spanId": f"{trace * 1000 + n:016x}", "name": kind,
                "parentSpanId": f"{trace * 1000 + 1:016x}" if n > 1 else "",
                "startTimeUnixNano": str(10**18 + n), "endTimeUnixNano": str(10**18 + 1000 - n),
                "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()],
            })  # fmt: skip
    return found
