"""A chat model that says what a script tells it to, by the task it is asked to do; for engines that ask many things."""

from __future__ import annotations

import json
import re
import threading
from dataclasses import dataclass, field

from explorer import entities as e
from explorer import rdf
from explorer.dag import ProvenanceDag
from explorer.events import Done, Explain, Usage
from explorer.vocab import recognise

TASKS = {  # how the prompt of each task begins, under TrustGraph's names
    "You say which type of task": "task-type-classify",
    "You say by which pattern": "pattern-select",
    "You answer a question step by step": "agent-react",
    "You plan the steps": "plan-create",
    "You say how one step": "plan-step-execute",
    "You answer a question from the results": "plan-synthesise",
    "You split a question": "supervisor-decompose",
    "You put together": "supervisor-synthesise",
    "You find out what to look up": "extract-concepts",
    "You judge how much each fact": "kg-edge-scoring",
    "You say why facts": "kg-edge-reasoning",
    "You answer a question from given facts": "kg-synthesis",
    "You judge how much each passage": "passage-scoring",
    "You choose what matters": "passage-selection",
    "You answer a question from given passages": "document-prompt",
    "You check an answer": "check",
}
ID = re.compile(r'^\{"id": "([^"]+)"', re.MULTILINE)
NUMBER = re.compile(r'^\{"n": (\d+), "sentence"', re.MULTILINE)
BLOCK = re.compile(r"^(?:(\w+):\n)?BEGIN DATA\n(.*?)\n?^END DATA$", re.MULTILINE | re.DOTALL)
ASKED = re.compile(r"^Question: (.*)$", re.MULTILINE)


@dataclass
class Asked:
    """One call: the task, the question, and the rows of data by the name of their block."""

    task: str
    question: str
    data: dict
    text: str


def read(messages):
    system = next((message.text for message in messages if message.role == "system"), "")
    told = messages[-1].text
    task = next((name for start, name in TASKS.items() if system.startswith(start)), "text-completion")
    rows = {name or "": [json.loads(row) for row in block.splitlines()] for name, block in BLOCK.findall(told)}
    question = ASKED.findall(told)
    return Asked(task, question[0] if question else "", rows, told)


def each_scored(asked):
    return "\n".join(json.dumps({"id": key, "score": 7 - n % 2}) for n, key in enumerate(ID.findall(asked.text)))


USUAL = {
    "extract-concepts": lambda asked: asked.question,
    "kg-edge-scoring": each_scored,
    "kg-edge-reasoning": lambda asked: each(asked, reasoning="It fits."),
    "passage-scoring": each_scored,
    "check": lambda asked: "\n".join(json.dumps({"n": n, "verdict": "supported"}) for n in NUMBER.findall(asked.text)),
    "passage-selection": lambda _: json.dumps({"id": 1, "reasoning": "It fits."}),
}


def each(asked, **said):
    return "\n".join(json.dumps({"id": key, **said}) for key in ID.findall(asked.text))


@dataclass
class Script:
    """Gives for each task its replies in turn, the last one again and again; an exception is raised.

    A reply may be a text, something to be written as JSON, or a function of what was asked. `size`: letters at once.
    """

    replies: dict
    size: int = 7
    usage: object = lambda _: (11, 7)
    name: str = "stub-llm-1"
    asked: list = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self):
        self.left = {task: [*said] if isinstance(said, list | tuple) else [said] for task, said in self.replies.items()}

    def complete(self, messages, *, schema=None):
        asked = read(messages)
        with self.lock:
            self.asked.append(asked)
            said = self.next(asked)
        said = said(asked) if callable(said) else said
        if isinstance(said, BaseException):
            raise said
        text = said if isinstance(said, str) else json.dumps(said)
        for start in range(0, len(text), self.size):
            yield text[start : start + self.size]
        used = self.usage(asked)
        yield Usage(*used, self.name) if used else Usage(model=self.name)

    def next(self, asked):
        if asked.task not in self.left:
            assert asked.task in USUAL, f"nothing is scripted for {asked.task}: {asked.question}"
            return USUAL[asked.task]
        waiting = self.left[asked.task]
        return waiting.pop(0) if len(waiting) > 1 else waiting[0]

    def tasks(self):
        return [asked.task for asked in self.asked]


class Recorded(Script):
    """Gives the replies that were recorded with TrustGraph, each to the prompt that has the same variables."""

    def __init__(self, prompts, used=None, **options):
        super().__init__({}, **options)
        self.prompts = list(prompts)
        self.used = used or {}
        self.usage = lambda asked: self.used.get(key_of(asked), (1, 1))

    def next(self, asked):
        for number, item in enumerate(self.prompts):
            if matches(item, asked):
                return self.prompts.pop(number)["reply"]
        assert asked.task in USUAL, f"nothing was recorded for {asked.task}: {asked.question}"
        return USUAL[asked.task]


def key_of(asked):
    """What tells a prompt from the others of a session: its task, its question or goal, and the steps taken before."""
    goal = asked.data["Step"][0]["goal"] if "Step" in asked.data else asked.question
    return asked.task, goal, len(asked.data.get("Steps", ()))


def matches(item, asked):
    told = item["variables"]
    question = told.get("goal") if item["prompt"] == "plan-step-execute" else told.get("question", told.get("query"))
    return (item["prompt"], question, len(told.get("history", ()))) == key_of(asked)


def calls(tool, thought="I look it up.", uses=(), **arguments):
    """The reply that calls a tool."""
    return _steps(thought, uses) + f"Action: {tool}\nArgs: {json.dumps(arguments)}"


def answers(text, thought="The observations say it.", uses=()):
    """The reply that answers."""
    return _steps(thought, uses) + f"Final Answer: {text}"


def _steps(thought, uses):
    told = f"Uses: {', '.join(map(str, uses))}\n" if uses else ""
    return (f"Thought: {thought}\n" if thought else "") + told


def asked(ws, replies, question="Who built the relief valve?", **options):
    """All events of an agent that works step by step with a scripted model, unchecked; gives them and the model."""
    ws.check = False
    ws.chat = replies if isinstance(replies, Script) else Script({**SEARCHED, **replies})
    given = {"pattern": "react", **options}
    return list(ws.ask(question, "agent", **given)), ws.chat


def reading(asked):
    """The reply that answers from passages."""
    return "It opened at 983 psi. [1]" if "pressure" in asked.question else "Beech Aircraft built it. [1]"


SEARCHED = {"document-prompt": reading, "kg-synthesis": reading}


def explained(events):
    return [event for event in events if isinstance(event, Explain)]


def found(events, kind):
    """The nodes of one kind, in the order they were told."""
    return [entity for event in explained(events) for entity in rdf.entities(event.triples) if isinstance(entity, kind)]


def check(ws, events):
    """Check what holds for each run of an agent, however it ended: its one end, its graph at any time, its replay."""
    assert [type(event) for event in events].count(Done) == 1
    done = events[-1]
    question, decision = explained(events)[:2]
    assert isinstance(rdf.entities(question.triples)[0], e.AgentQuestion)
    assert isinstance(rdf.entities(decision.triples)[0], e.PatternDecision)
    dag = ProvenanceDag()
    for event in events:
        dag.apply(event)
        assert [root.iri for root in dag.roots] == [question.iri]
        assert dag.cycles == []
    session = recognise(question.iri).key
    ends = [entity for entity in found(events, e.Conclusion | e.Synthesis | e.Failure)
            if recognise(entity.iri).key == session]  # fmt: skip
    assert len(ends) == 1
    assert isinstance(ends[0], e.Failure) or ends[0].termination_reason
    end = dag.end
    assert (end.reason, Usage(end.in_token, end.out_token, end.model, end.calls)) == (done.reason, done.usage)
    assert (done.error is None) == (done.reason != "error")
    check_replay(ws, events, dag)


def check_replay(ws, events, dag):
    again = list(ws.traces.replay(events[0].iri))
    live, stored = explained(events), explained(again)
    assert [event.iri for event in stored] == [event.iri for event in live]
    for one, other in zip(stored, live, strict=True):
        assert set(one.triples) == set(other.triples), one.iri
        assert set(one.contents) == set(other.contents), one.iri
        assert one.passages == other.passages, one.iri
    assert again[-1] == events[-1]
    told = {key: text for key, text in dag.texts.items() if key[0] in dag.entities and text}
    assert told == ProvenanceDag().fold(again).texts
