"""Past runs in the app: the list with its filters, and records of others, of which one is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.drawing.foreign_record import places
from explorer.models.chat import NO_MODEL
from explorer.record.run_deletion import tombstones
from explorer.text import count, or_empty, truncate
from explorer.view.limits import CHOICES
from explorer.wording import endings, phrases
from explorer.wording.limits import AT_MOST, OTHER, SEARCHED
from explorer.wording.outcomes import became, level, word
from explorer.wording.question import NOTHING
from explorer.wording.ways import ENGINES, method, tool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.record.foreign_records import Derivation, ProvNode
    from explorer.record.listing import TraceSummary
    from explorer.view.messages.past import Derived, Mark, PastRecord, PastRun, Runs
    from explorer.view.messages.requests import WantRuns
    from explorer.workspace import Workspace

_TOLD = ("method", "model")  # in a place of their own
PAGE = 500  # runs listed at a time
_MOST = 300  # of a record that is drawn
_LONGEST = 500  # letters


def listed(ws: Workspace, asked: WantRuns) -> Runs:
    """Return the runs that a search and filters find, as many as are asked for; raises RecordError for a wrong date."""
    limit = asked.limit or PAGE
    problems = None if asked.problems is None else asked.problems == "with"
    found = ws.traces.list(
        text=asked.text,
        engine=asked.engine,
        since=asked.since,
        model=asked.model,
        problems=problems,
        limit=limit + 1,
        evaluation=asked.evaluation,
        tag=asked.tag,
        by=asked.by,
        order=asked.order,
    )
    listed, left = {one.iri for one in found}, tombstones(ws.stores)
    on_record = {one.iri for one in ws.traces.among(iri for iri in asked.ticked or () if iri not in listed)}
    return {
        "t": "runs",
        "n": asked.n,
        "runs": [_row(summary) for summary in found[:limit]],
        "more": len(found) > limit,
        "total": ws.size.traces,
        "engines": [(name, engine.word) for name, engine in ENGINES.items()],
        "models": [NO_MODEL, *ws.traces.models()],
        "tags": ws.traces.tags(),
        "people": ws.traces.people(),
        "gone": {"count": len(left), "last": left[-1].invalidated_at or "" if left else ""},
        "records": [] if asked.text or asked.evaluation else records(ws),
        "ticked": [iri for iri in asked.ticked or () if iri in listed or iri in on_record],
    }


def _row(summary: TraceSummary) -> PastRun:
    mark: Mark | None = None
    if summary.outcome is not None:
        mark = {"text": word(summary.outcome, summary.since), "level": level(summary.outcome)}
    ended = endings.ending(summary.reason).word if summary.reason else "running"
    return {
        "iri": summary.iri,
        "runs": summary.runs,
        "question": or_empty(summary.question),
        "how": count(summary.runs, "run") if summary.runs else method(summary.engine, summary.pattern),
        "model": "" if summary.model in (None, NO_MODEL) else summary.model,
        "when": summary.started_at,
        "trouble": "" if mark else ended,
        "failed": count(summary.failed, "failed step") if summary.failed else "",
        "bad": summary.has_problems,
        "mark": mark,
        "name": summary.name or "",
        "tags": list(summary.tags),
        "note": summary.note or "",
        "by": summary.by or "",
        "reviewed": summary.review,
        "became": became(summary.since),
        "found": f"Found in {summary.found}" if summary.found else "",
        "snippet": summary.snippet,
        "differs": ", ".join(
            _differs(*told) for told in summary.differs if told[0] not in _TOLD and told[1] != NOTHING
        ),
    }


def _differs(name: str, value: str) -> str:
    """Return in a few words how a run was asked: "at most 6 facts kept", "search hop by hop, compared at each"."""
    match name:
        case "documents":
            return value
        case "without":
            return f"without {value}"
        case "embedder":
            return f"similarity by {value}"
        case "tools":
            return f"tools: {phrases.listed([tool(one) for one in value.split(', ')])}"
        case _ if name in AT_MOST:
            return f"at most {value} {AT_MOST[name]}"
        case _ if name in CHOICES:
            return f"search {SEARCHED.get(value, value)}"
        case _ if value in ("True", "False"):
            return f"{OTHER.get(name, name)}: {'yes' if value == 'True' else 'no'}"
    return f"{OTHER.get(name, name)}: {value}"


def records(ws: Workspace) -> list[PastRecord]:
    """Return a line for each record that was imported and is no run."""
    return [{"iri": one.iri, "label": truncate(one.label, _LONGEST), "holds": one.counts} for one in ws.imported()]


def _nearest(found: Derivation) -> Sequence[ProvNode]:
    """Return the nodes that are drawn: of too many those that the fewest relations lead to from the last entity."""
    if len(found.nodes) <= _MOST:
        return found.nodes
    import networkx as nx

    graph: nx.Graph[str] = nx.Graph((one.source, one.target) for one in found.relations if one.target)
    away = nx.single_source_shortest_path_length(graph, found.iri) if found.iri in graph else {}
    return sorted(found.nodes, key=lambda node: away.get(node.iri, len(found.nodes)))[:_MOST]


def drawn(found: Derivation) -> Derived:
    """Return the drawing of a record: each node with its place and what it says, and its relations."""
    shown = {node.iri: node for node in _nearest(found)}
    arcs = [one for one in found.relations if one.source in shown and (one.target is None or one.target in shown)]
    at = places(list(shown), [(one.source, one.target) for one in arcs if one.target])
    return {
        "t": "derivation",
        "iri": found.iri,
        "nodes": [
            {"iri": node.iri, "label": truncate(node.label, _LONGEST), "kind": node.kind, "x": at.nodes[node.iri][0],
             "y": at.nodes[node.iri][1], "told": _cut(node.told)}
            for node in shown.values()
        ],
        "arcs": [
            {"from": one.source, "to": one.target, "verb": one.verb, "told": _cut(one.told),
             "past": [*at.past.get((one.source, one.target or ""), ())]}
            for one in arcs
        ],
        "more": len(found.nodes) - len(shown),
    }  # fmt: skip


def _cut(told: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
    return [(name, truncate(value, _LONGEST)) for name, value in told]
