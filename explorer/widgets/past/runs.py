"""Past runs in the app: the list with its filters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.models.chat import NO_MODEL
from explorer.record.deletion import tombstones
from explorer.text import count, or_empty
from explorer.view.limits import CHOICES
from explorer.widgets.past import derivations
from explorer.wording import endings, phrases
from explorer.wording.asked import NOTHING
from explorer.wording.limits import AT_MOST, OTHER, SEARCHED
from explorer.wording.outcomes import level, word
from explorer.wording.ways import ENGINES, method, tool

if TYPE_CHECKING:
    from explorer.entities import Deleted
    from explorer.record.listing import TraceSummary
    from explorer.view.messages.past import Gone, Mark, PastRun, Runs
    from explorer.view.messages.requests import WantRuns
    from explorer.workspace import Workspace

_TOLD = ("method", "model")  # in a place of their own
PAGE = 500  # runs listed at a time


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
    listed = {one.iri for one in found}
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
        "gone": _gone(tombstones(ws.stores)),
        "records": [] if asked.text or asked.evaluation else derivations.listed(ws),
        "ticked": [iri for iri in asked.ticked or () if iri in listed or iri in on_record],
    }


def _gone(left: list[Deleted]) -> Gone:
    return {"count": len(left), "last": left[-1].invalidated_at or "" if left else ""}


def _row(summary: TraceSummary) -> PastRun:
    mark = _mark(summary)
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
        "found": f"Found in {summary.found}" if summary.found else "",
        "snippet": summary.snippet,
        "differs": ", ".join(
            _differs(*told) for told in summary.differs if told[0] not in _TOLD and told[1] != NOTHING
        ),
    }


def _mark(summary: TraceSummary) -> Mark | None:
    if summary.outcome is None:
        return None
    return {"text": word(summary.outcome, summary.since), "level": level(summary.outcome)}


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
