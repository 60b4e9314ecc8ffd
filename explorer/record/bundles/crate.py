"""The description of a bundle: an RO-Crate 1.1 of the profile Process Run Crate 0.5, in which each run is an action."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from explorer import entities as e
from explorer.record.trace import Trace, all_of
from explorer.text import truncate
from explorer.version import __version__
from explorer.vocab import iri, moment
from explorer.wording.ways import engine_of

METADATA, REPORT = "ro-crate-metadata.json", "report.html"
_PROFILE = "https://w3id.org/ro/wfrun/process/0.5"
_RIGHTS = "#rights"
_CRATE = "https://w3id.org/ro/crate/1.1"
_STATUS = {"done": "Completed", "declined": "Completed", "running": "Active"}
_NAMES = {
    "record.nq": ("The record of the runs, as N-Quads of RDF 1.2", "application/n-quads"),
    "record.jsonld": ("The record of the runs, as JSON-LD", "application/ld+json"),
    REPORT: ("The runs as a page to read", "text/html"),
    "contents.json": ("Which file is which text or document", "application/json"),
    "ledger.jsonl": ("The entries of the ledger about the runs", "application/jsonl"),
    "verdicts.nq": ("What people found about the runs, as Web Annotations in N-Quads", "application/n-quads"),
    "README.txt": ("What this is, what to open, and how to check it", "text/plain"),
    "senders.jsonl": ("The entries of earlier senders' ledgers about the runs", "application/jsonl"),
    "statement.json": ("The in-toto statement over all files, in a DSSE envelope", "application/json"),
    "verify.py": ("A program that checks this bundle", "text/x-python"),
}
_TYPES = {".txt": "text/plain", ".html": "text/html", ".pdf": "application/pdf"}

Node = dict[str, object]


def crate(traces: Sequence[Trace], files: Mapping[str, int], texts: Mapping[str, Iterable[str]]) -> bytes:
    """Return the metadata of a bundle.

    `files` are sizes by name, `texts` the names of the files that each run rests on, by the IRI of its Question.
    """
    names, asked = sorted(files), "; ".join(one.question for one in traces)
    root: Node = {
        "@id": "./", "@type": "Dataset", "name": truncate(f"Recorded runs: {asked}", 120),
        "description": "Questions and answers with the record of how each answer came about, and what it rests on.",
        "datePublished": max(_ended(trace) or _in_seconds(trace.asked.started_at) for trace in traces) or "1970-01-01",
        "license": _ref(_RIGHTS),
        "conformsTo": _ref(_PROFILE), "hasPart": [_ref(name) for name in names],
        "mentions": [_ref(trace.iri) for trace in traces],
    }  # fmt: skip
    nodes: dict[str, Node] = {
        METADATA: {"@id": METADATA, "@type": "CreativeWork", "about": _ref("./"), "conformsTo": _ref(_CRATE)},
        "./": root,
        _PROFILE: {"@id": _PROFILE, "@type": "CreativeWork", "name": "Process Run Crate", "version": "0.5"},
    }
    nodes[_RIGHTS] = {
        "@id": _RIGHTS, "@type": "CreativeWork", "name": "Rights",
        "description": "All rights in the enclosed documents stay with their owners.",
    }  # fmt: skip
    nodes |= {name: _file(name, files[name]) for name in names}
    for trace in traces:
        for made in _run(trace, texts.get(trace.iri, ())):
            nodes.setdefault(str(made["@id"]), made)
    told = {"@context": f"{_CRATE}/context", "@graph": list(nodes.values())}
    return json.dumps(told, indent=1, ensure_ascii=False).encode() + b"\n"


def _ref(to: str) -> dict[str, str]:
    return {"@id": to}


def _file(name: str, size: int) -> Node:
    suffix = f".{name.rpartition('.')[2]}"
    label, kind = _NAMES.get(name, (name, _TYPES.get(suffix, "application/octet-stream")))
    return {"@id": name, "@type": "File", "name": label, "encodingFormat": kind, "contentSize": str(size)}


def _run(trace: Trace, texts: Iterable[str]) -> list[Node]:
    engine = trace.asked.engine or engine_of(trace.asked)
    named = dict.fromkeys(name for name in (engine, trace.asked.reasoner, trace.usage.model) if name)
    tools: list[Node] = [
        {
            "@id": iri("agent", name), "@type": "SoftwareApplication", "name": name,
            "softwareVersion": name.partition("/")[2] or __version__, "url": "https://w3id.org/ro/wfrun/process",
        }
        for name in named
    ]  # fmt: skip
    people: list[Node] = [
        {"@id": one.iri, "@type": "Person", "name": one.label or one.iri}
        for one in all_of(trace, e.Person)
    ]  # fmt: skip
    action: Node = {
        "@id": trace.iri, "@type": "CreateAction", "name": truncate(trace.question, 200),
        "description": truncate(trace.answer, 500) or f"No answer: {trace.reason}.",
        "instrument": [_ref(str(tool["@id"])) for tool in tools], "object": [_ref(name) for name in texts],
        "result": [_ref(name) for name in ("record.nq", "record.jsonld", REPORT)],
        "actionStatus": f"http://schema.org/{_STATUS.get(trace.reason, 'Failed')}ActionStatus",
    }  # fmt: skip
    more = {"startTime": _in_seconds(trace.asked.started_at), "endTime": _ended(trace)}
    action |= {name: value for name, value in more.items() if value}
    if people:
        action["agent"] = _ref(str(people[0]["@id"]))
    if trace.dag.done and trace.dag.done.error:
        action["error"] = trace.dag.done.error
    return [action, *tools, *people]


def _ended(trace: Trace) -> str:
    return _in_seconds(trace.dag.end.ended_at) if trace.dag.end else ""


def _in_seconds(time: str | None) -> str:
    """Return a time without its fraction and with its offset, as readers of crates want it; empty for what is none."""
    found = moment(time or "")
    return found.replace(microsecond=0).isoformat() if found else ""
