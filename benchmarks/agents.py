"""How long agents take by themselves: recorded sessions with instant replies, sub-agents in parallel, splitting.

The sessions are TrustGraph's, over its knowledge; they need the folder that EXPLORER_CONFORMANCE_DATA names, as do the
MuSiQue questions that are split.
"""

from __future__ import annotations

import itertools
import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

import explorer
from benchmarks.table import Row
from explorer.engines.agent.engine import AgentEngine
from explorer.engines.agent.functions import as_tools, tool
from explorer.engines.limits import AgentLimits
from explorer.engines.setting import Setting
from explorer.events import Done, Usage
from explorer.ingest.reindex import reindex
from explorer.language.question_parts import parts
from explorer.models.chat import Message, Schema
from explorer.models.embedding import Remembered, WordLlamaEmbedder
from explorer.reasoning.agent_protocol import TaskType
from explorer.reasoning.prompted.reasoner import PromptedReasoner
from explorer.record.traces import Traces
from explorer.stores.collection import Collection
from tests.engines.test_recorded_replies import knowledge
from tests.script import Recorded, Script

ROUNDS = 30
SESSIONS = {
    "react": ("an agent's session of 4 steps, recorded replies", "≤ 10 ms"),
    "plan": ("a plan of 3 steps, recorded replies", "≤ 12 ms"),
    "supervisor": ("a team of 3, recorded replies", "≤ 15 ms"),
}
WAIT = 1.0
MEMBERS = 5
TASKS = (TaskType("general", "General queries"), TaskType("research", "Investigations"))
# MuSiQue's own questions that hold several clauses, by their beginning, and how many things each asks for
SEVERAL = {
    "What is a term for the institution allowing church courts": 1,
    "What county shares a border with the county in which Johnnycake": 1,
    "What kind of university did the author of Alexander": 1,
    "David Jones is an international in rugby union": 1,
    "In the country that Jiménez is a part": 1,
    "What part of the state, in which the character played": 1,
    "Who was president when the area where Intrepid Wind Farm": 1,
    "Where did the Nets play in the state in which Ellis Island": 1,
    "Who formed and first arrived to the colony": 1,
    "What was Mr. Smith's first name, in the film where": 1,
}


def rows() -> list[Row]:
    """Measure all of it; without the recorded sessions there are no rows."""
    named = os.environ.get("EXPLORER_CONFORMANCE_DATA")
    if not named:
        return []
    wire, musique = Path(named) / "golden" / "wire", Path(named) / "data" / "musique"
    stores = knowledge(wire)
    reindex(stores, WordLlamaEmbedder(), progress=False)
    return [*sessions(stores, wire), team(), *splitting(musique)]


@tool
def calculator(expression: str) -> float:
    """Evaluate an arithmetic expression."""
    if any(char.isalpha() for char in expression):
        raise ValueError(f"unsupported expression: {expression}")
    return float(eval(expression, {"__builtins__": {}}))  # noqa: S307 - of the recorded session alone


class Storing(Recorded):
    """Finds the recorded reply to each prompt, and stores the replies in order."""

    def complete(self, messages: Sequence[Message], *, schema: Schema | None = None) -> Iterator[str | Usage]:
        """Yield the recorded reply."""
        reply = list(super().complete(messages, schema=schema))
        self.replies = [*getattr(self, "replies", ()), "".join(piece for piece in reply if isinstance(piece, str))]
        yield from reply


@dataclass
class Played:
    """Returns stored replies in order, without delay."""

    replies: Iterator[str]
    name: str = "stub-llm-1"

    def complete(self, messages: Sequence[Message], *, schema: Schema | None = None) -> Iterator[str | Usage]:
        """Yield the next reply."""
        del messages, schema
        yield next(self.replies)
        yield Usage(1, 1, self.name)


def sessions(stores: Collection, wire: Path) -> list[Row]:
    """Run each recorded session many times, in memory and with recording."""
    numbers = itertools.count()
    found = []
    for name, (what, aim) in SESSIONS.items():
        lines = (wire / f"agent-{name}-stream.prompts.jsonl").read_text("utf-8").splitlines()
        prompts = [json.loads(line) for line in lines]
        question, storing = prompts[0]["variables"]["question"], Storing(prompts, size=10_000)
        asked(stores, storing, question, numbers)
        times = []
        for _ in range(ROUNDS):
            played = Played(iter(storing.replies))
            times.append(asked(stores, played, question, numbers))
        found.append(Row(what, f"{1000 * median(times):.1f} ms ({1000 * max(times):.1f})", aim))
    return found


def asked(stores: Collection, chat: Storing | Played, question: str, numbers: Iterator[int]) -> float:
    """Run a session once, and return the seconds it took."""
    embedder, key = Remembered(WordLlamaEmbedder()), f"bench-{next(numbers)}"
    limits = AgentLimits(parallel=1, groups=("knowledge-query", "calculator"))
    agent = AgentEngine(
        Setting(stores, embedder, key, now), lambda: PromptedReasoner(chat, embedder), lambda: f"bench-{next(numbers)}",
        limits, tools=as_tools([calculator]), tasks=TASKS,
    )  # fmt: skip
    begun = perf_counter()
    events = list(Traces(stores, now).record(agent.run(question), key))
    took = perf_counter() - begun
    if not isinstance(events[-1], Done) or events[-1].reason != "done":
        raise RuntimeError(f"the recorded session did not end well: {events[-1]}")
    return took


def now() -> datetime:
    """Return the time."""
    return datetime.now(UTC)


def team() -> Row:
    """Measure a team whose every reply takes a second against a team of one."""
    alone, together = _team_of(1), _team_of(MEMBERS)
    what = f"a team of {MEMBERS}, replies that take a second, against a team of one"
    return Row(what, f"{together / alone:.2f} × ({together:.1f} s, {alone:.1f} s)", "≤ 1.3 ×")


def _team_of(members: int) -> float:
    goals = [f"What is known about tank {number}?" for number in range(members)]
    late = {"agent-react": _later("Final Answer: Nothing."), "supervisor-synthesise": "Nothing is known."}
    with explorer.open() as ws, TemporaryDirectory() as folder:
        Path(folder, "tank.txt").write_text("The tank holds oxygen.", "utf-8")
        ws.ingest(folder, progress=False)
        ws.chat = Script({"supervisor-decompose": [goals], **late})
        begun = perf_counter()
        list(ws.ask("What is known?", engine="agent", pattern="supervisor"))
        return perf_counter() - begun


def _later(reply: str) -> Callable[[object], str]:
    def late(_: object) -> str:
        time.sleep(WAIT)
        return reply

    return late


def splitting(musique: Path) -> list[Row]:
    """Split questions with several clauses, and pairs of questions joined into one."""
    lines = (musique / "questions.jsonl").read_text("utf-8").splitlines()
    questions = [json.loads(line)["question"].strip() for line in lines]
    held = [(q, count) for start, count in SEVERAL.items() for q in questions if q.startswith(start)]
    right = sum(len(parts(question)) == count for question, count in held)
    pairs = [(one, two) for one, two in zip(questions[::2], questions[1::2], strict=True)][:10]
    goals = [[text for part in parts(_joined(one, two)) for text in part] for one, two in pairs]
    sensible = sum(text in pair for pair, found in zip(pairs, goals, strict=True) for text in found)
    return [
        Row("MuSiQue's questions of several clauses that ask one thing, left whole", f"{right} of {len(held)}"),
        Row("pairs of MuSiQue's questions joined by “, and”: sensible goals", f"{sensible} of {2 * len(pairs)}"),
    ]


def _joined(one: str, two: str) -> str:
    return f"{one.rstrip('?').rstrip()}, and {two[:1].lower()}{two[1:]}"


if __name__ == "__main__":
    for row in rows():
        print(f"{row.what}: {row.figure} {row.aim}")
