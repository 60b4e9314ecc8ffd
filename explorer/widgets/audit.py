"""The audit of the run on show, for the page: seal, checks, verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.dag.outcome import since
from explorer.entities import Question
from explorer.models.chat import NO_LANGUAGE_MODEL, NO_MODEL
from explorer.record.how_asked import title_of
from explorer.record.person import askers, role_of
from explorer.record.verdicts import agreement, verdicts
from explorer.stores.ledger import IMPORTED
from explorer.text import one_line
from explorer.view.report_content import with_earlier
from explorer.vocab import recognise
from explorer.wording.outcomes import SINCE

if TYPE_CHECKING:
    from explorer.record.trace import Trace
    from explorer.record.verification.evidence import Finding
    from explorer.stores.ledger import Entry
    from explorer.view.messages.audit import Audited
    from explorer.workspace import Workspace


UNSIGNED = (
    "Unsigned: it does not say who made it; whoever can write to the workspace could make a new seal. To have the next "
    'ones signed: run “explorer keys new KEY.pem” once, then use explorer.open(…, key="KEY.pem").'
)
"""What the seal of an entry without a signature leaves open, and how to sign."""


def audited(ws: Workspace, run: str, question: str) -> Audited:
    """Return the audit of a run by the IRI of its Question; `run` is what the page calls it. Raises RecordError."""
    found, trace = ws.verify(question), ws.traces.load(question)
    became = since(trace.dag, trace.dag.final) if trace.dag.final else ""
    stands = f"The answer: {SINCE[became][0]}" if became else ""
    entry = ws.ledger.entry(question)
    judged = ws.traces.verdicts(question)
    return {
        "t": "audited",
        "run": run,
        "made": _made(trace),
        "by": _by(ws, question),
        "seal": _seal(entry),
        "anchor": entry.anchor if entry else "",
        "sealed": entry.at if entry else "",
        "signed": "" if entry is None else f"Signed by the key {entry.key}." if entry.key else UNSIGNED,
        "sender": [str(one) for one in ws.ledger.sender_seals(question)],
        "stands": stands,
        "checked": [_told(ws, one) for one in found] or [found.nothing],
        "sound": found.is_sound,
        "rows": [
            {
                "node": one.target,
                "verdict": one.verdict,
                "comment": one.comment,
                "by": one.by or "",
                "when": one.made_at,
                "before": not one.standing,
            }
            for one in with_earlier(verdicts(ws.stores, [question], superseded=True))
        ],
        "agreement": agreement(judged).sentences(),
        "history": [{"when": one.at, "what": one.what, "by": one.by} for one in ws.traces.history(trace)],
    }


def _seal(entry: Entry | None) -> str:
    if entry is None:
        return "Not sealed yet"
    here = " when imported" if entry.kind == IMPORTED else ""
    signed = f" and signed by {entry.key[:16]}…" if entry.key else ", unsigned"
    return f"Sealed{here}{signed} (entry {entry.number})"


def _told(ws: Workspace, finding: Finding) -> str:
    named = recognise(finding.node)
    if named is None or named.kind != "document":
        return one_line(str(finding))
    return one_line(f"“{title_of(ws.graph, finding.node)}”: {finding.what}")


def _by(ws: Workspace, question: str) -> str:
    people, role = askers(ws.graph, question), role_of(ws.graph, question)
    given = f"by {', '.join(people)}" if people else "no name was given"
    return f"{given}, written as the database role {role}" if role else given


def _made(trace: Trace) -> str:
    asked = next(one for one in trace.dag.entities.values() if isinstance(one, Question) and one.iri == trace.iri)
    version = (asked.engine or "").partition("/")[2]
    program = f"provenance-explorer {version}" if version else "a program that is not on record"
    model = NO_LANGUAGE_MODEL if trace.model == NO_MODEL else trace.model
    return ", ".join(filter(None, (trace.method, program, model)))
