"""The audit of the run on show, for the page: seal, checks, verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.record.report import askers
from explorer.record.verdicts import agreement
from explorer.stores.ledger import IMPORTED
from explorer.text import one_line

if TYPE_CHECKING:
    from explorer.view.messages.audit import Audited
    from explorer.workspace import Workspace


def audited(ws: Workspace, run: str, question: str) -> Audited:
    """Return the audit of a run by the IRI of its Question; `run` is what the page calls it. Raises RecordError."""
    found = ws.verify(question)
    entry = ws.ledger.entry(question)
    people = askers(ws.stores, question)
    judged = ws.traces.verdicts(question)
    signed = f"signed by {entry.key[:16]}…" if entry and entry.key else "not signed"
    here = "made when the run was imported, " if entry and entry.kind == IMPORTED else ""
    sealed = f"Entry {entry.number} of the ledger, {here}{signed}: {entry.seal[:16]}…" if entry else "Not sealed yet."
    return {
        "t": "audited",
        "run": run,
        "by": f"by {', '.join(people)}" if people else "no name was given",
        "seal": sealed,
        "anchor": entry.anchor if entry else "",
        "sealed": entry.at if entry else "",
        "sender": [str(one) for one in ws.ledger.sender_seals(question)],
        "checked": [one_line(str(one)) for one in found] or [found.nothing],
        "sound": found.is_sound,
        "rows": [
            {
                "node": one.target,
                "verdict": one.verdict,
                "comment": one.comment,
                "by": one.by or "",
                "when": one.made_at,
            }
            for one in judged
        ],
        "agreement": agreement(judged).sentences(),
    }
