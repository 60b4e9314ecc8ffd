"""Runs of every engine and pattern, by rules and by a scripted model, one for each way that a run can end."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import explorer
from explorer.errors import ModelError
from tests.corpus import QUESTIONS, Clock, filled, filled_anew, ids
from tests.script import SEARCHED, Script, answers, calls

SUPERVISED = {
    "supervisor-decompose": [["Who built the relief valve?", "Why did the heater switches fail?"]],
    "supervisor-synthesise": "It was so [1][2].",
}
PLANNED = {
    "plan-create": [[{"goal": "Find the builder", "tool_hint": "", "depends_on": []}]],
    "plan-step-execute": lambda _: {"tool": "knowledge-query", "arguments": {"question": QUESTIONS[0]}},
    "plan-synthesise": "It was Beech Aircraft [1].",
}


def looking(asked):
    """The reply of an agent that looks once, and then answers."""
    if asked.data.get("Steps"):
        return answers("Beech Aircraft built it [1].")
    return calls("knowledge-query", question=QUESTIONS[0])


REPLIES = {**SEARCHED, **SUPERVISED, **PLANNED, "agent-react": looking}


def gone(*tasks):
    """A model that goes away when it is asked to do something."""
    return {**REPLIES, **{task: ModelError("Gone.") for task in tasks}}


def broken(place: str) -> str:
    """Find the tank that is broken."""
    raise ValueError(place)


PATTERNS = ("react", "plan-then-execute", "supervisor")
WAYS = {
    "graph-rag": ("graph-rag", {}),
    "graph-rag, reranked": ("graph-rag", {"selector": "rerank"}),
    "graph-rag, scored": ("graph-rag", {"selector": "reasoning"}),
    "document-rag": ("document-rag", {}),
    "document-rag, as found": ("document-rag", {"rerank": False}),
    "document-rag, spread": ("document-rag", {"mmr": True, "mode": "keyword"}),
    **{pattern: ("agent", {"pattern": pattern}) for pattern in PATTERNS},
    **{f"{pattern}, a tool breaks": ("agent", {"pattern": pattern, "tools": [broken]}) for pattern in PATTERNS},
}
FAILING = gone("kg-synthesis", "document-prompt", "agent-react", "plan-create", "supervisor-decompose")


@dataclass(frozen=True)
class Kind:
    """One kind of run: by which way, with which replies of a model (None: by rules), which question, stopped when."""

    way: str
    replies: dict | None = None
    question: str = QUESTIONS[0]
    stopped: int | None = None

    def begin(self, ws):
        """The events of a run of this kind."""
        ws.chat = None if self.replies is None else Script(self.replies)
        engine, options = WAYS[self.way]
        return ws.ask(self.question, engine, by="Ada", **options)

    def ask(self, ws):
        """Have a run of this kind, to its end or up to where it is stopped; gives its Question."""
        events = self.begin(ws)
        for number, _ in enumerate(events):
            if number == self.stopped:
                events.close()
                break
        return ws.traces.list(limit=1)[0].iri


_ENDINGS = {
    "answered by rules": Kind,
    "answered by a model": partial(Kind, replies=REPLIES),
    "declined": partial(Kind, question=QUESTIONS[3]),
    "stopped": partial(Kind, replies=REPLIES, stopped=5),
    "failed": partial(Kind, replies=FAILING),
}
KINDS = {f"{way}, {ending}": made(way) for way in WAYS for ending, made in _ENDINGS.items()}


def asked(ws):
    """Have a run of each kind; gives their Questions by kind."""
    return {name: kind.ask(ws) for name, kind in KINDS.items()}


def interrupted(folder: Path):
    """A workspace in which a run by each way was cut off; gives it, and their Questions by kind."""
    with filled_anew(folder / "cut") as ws:
        going, found = [], {}
        for way in WAYS:
            events = Kind(way, REPLIES).begin(ws)
            going.append([next(events) for _ in range(6)] and events)
            found[f"{way}, interrupted"] = ws.traces.list(limit=1)[0].iri
        shutil.copytree(folder / "cut", folder / "copy")
        for events in going:
            events.close()
    return explorer.open(folder / "copy", ids=ids("c"), clock=Clock()), found


def imported(ws, runs, folder: Path, *, closed=True):
    """A workspace that took in some runs of another; gives it, and their Questions by kind."""
    other = explorer.open(ids=ids("i"), clock=Clock())
    for run in runs.values():
        file = folder / f"{run.rpartition(':')[2]}.nq"
        file.write_bytes(ws.export(ws.traces.load(run), "nq", closed=closed))
        other.import_record(file)
    return other, {f"{name}, imported": run for name, run in runs.items()}


def amended():
    """A workspace in which the words of a document were removed from the runs that have them, and one came back."""
    ws = filled()
    found = {f"{way}, words removed": Kind(way, REPLIES).ask(ws) for way in WAYS}
    ws.forget("notes.txt", words=True)
    restored = Kind("graph-rag").ask(ws)
    ws.traces.restore(ws.traces.delete(restored))
    return ws, {**found, "graph-rag, deleted and restored": restored}
