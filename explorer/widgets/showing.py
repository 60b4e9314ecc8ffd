"""A run as the page shows it: events are folded into the graph, and each becomes one message with what is new."""

from __future__ import annotations

import threading
import time
import uuid
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from explorer.dag import ProvenanceDag
from explorer.entities import EdgeSelection, Exploration, Focus
from explorer.folds import agent_lines, has_failed
from explorer.heads import heads
from explorer.levels import Levels
from explorer.widgets import answers, stages
from explorer.widgets.detail import Teller
from explorer.widgets.drawing import Drawing, box, labelled
from explorer.widgets.words import place, seconds, span_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from explorer.events import Event, Passage, Text
    from explorer.nodes import Change, Node

Message = dict[str, Any]


class Showing:
    """What one run has put on the screen; `state` is start, running, done, declined, stopped or error.

    The run's thread folds events while the kernel's thread may ask for a snapshot: each sees the other's work whole.
    """

    def __init__(self, examples: Iterable[str] = (), empty: dict[str, str] | None = None) -> None:
        """Start with nothing shown but examples to try, or the words for a workspace that holds nothing."""
        self.dag = ProvenanceDag()
        self.run = uuid.uuid4().hex[:8]
        self.seq = 0
        self.state = "start"
        self._examples = list(examples)
        self._empty = empty
        self._teller = Teller(self.dag)
        self._drawing = Drawing()
        self._levels = Levels(self.dag)
        self._late: set[str] = set()
        self._stored: float | None = None
        self._nodes: dict[str, Message] = {}
        self._arcs: list[Message] = []
        self._log: list[Message] = []
        self._started = time.monotonic()
        self._lock = threading.Lock()

    def begin(self) -> Message:
        """Begin: everything is waiting, the Question comes first."""
        with self._lock:
            self.state = "running"
            self._started = time.monotonic()
            return self._message(
                stages=self._chips(), answer=self._answer(), note=stages.note(self.dag), total=self._total()
            )

    def take(self, event: Event) -> Message | None:
        """Fold one event; the message says what it changed, None when there is nothing to see."""
        with self._lock:
            before = self.dag.answer
            change = self.dag.apply(event)
            if change.text is not None:
                return self._said(change.text, before)
            return self._grown(change) if change.nodes or change.arcs else None

    def recall(self, events: Iterable[Event], state: str, words: str, took: float | None) -> None:
        """Show a stored run as it was: all at once, with a line that says how it ended and the seconds it took."""
        with self._lock:
            self._stored = -1.0 if took is None else took
            self.state = "running"
            for event in events:
                change = self.dag.apply(event)
                if change.text is not None:
                    self._late.add(change.text.node)
                elif change.nodes or change.arcs:
                    self._grown(change)
            self._caught_up()
            self.state = state
            self._note(words, "Failure" if state in ("error", "stopped") else "Synthesis")
            self.seq += 1

    def end(self, state: str, words: str) -> Message:
        """End, in one of the states, with a line that says how."""
        with self._lock:
            self.state = state
            self._note(words, "Failure" if state == "error" else "Synthesis")
            nodes = self._caught_up()
            return self._message(
                nodes=nodes or None,
                stages=self._chips(),
                answer=self._answer(),
                log=self._log[-1:],
                total=self._total(),
            )

    def snapshot(self) -> Message:
        """Give everything shown so far, for a page that was loaded later or missed something."""
        with self._lock:
            return {
                "run": self.run,
                "seq": self.seq,
                "state": self.state,
                "nodes": list(self._nodes.values()),
                "arcs": list(self._arcs),
                "stages": self._chips(),
                "answer": self._answer(),
                "log": list(self._log),
                "heads": heads(self._levels),
                "note": self._empty if self.state == "start" else stages.note(self.dag),
                "total": self._total(),
                "examples": self._examples,
            }

    @property
    def elapsed(self) -> float:
        """Seconds since the run began; of a stored one those it took."""
        return time.monotonic() - self._started if self._stored is None else self._stored

    def _said(self, text: Text, before: str) -> Message | None:
        """Show a piece of the answer; of any other text what is new of it comes with the next step."""
        said = self.dag.answer
        if said == before or not said.startswith(before):
            self._late.add(text.node)
            return None
        writing = len(said) == len(text.delta)
        return self._message(
            answer={"append": said[len(before) :], "live": True}, stages=self._chips() if writing else None
        )

    def _caught_up(self) -> list[Message]:
        """Tell again of the nodes whose texts came after them."""
        late, self._late = [iri for iri in self._late if iri in self._nodes], set()
        return [self._told(self.dag.node(iri)) for iri in late]

    def _grown(self, change: Change) -> Message:
        placed, joined = self._levels.take(change)
        fresh = {node.iri: node for node in chain(placed, self._touched(change))}
        told = [*self._caught_up(), *(self._told(node) for node in fresh.values())]
        arcs = self._drawing.arcs(joined)
        self._arcs += arcs
        known = len(self._log)
        for kind, words in stages.lines(self.dag, change.nodes):
            self._note(words, kind)
        final = self.dag.final
        answer = self._answer() if final is not None and final.iri in fresh else None
        return self._message(nodes=told, arcs=arcs, stages=self._chips(), answer=answer, note=stages.note(self.dag),
                             log=self._log[known:], heads=heads(self._levels), total=self._total())  # fmt: skip

    def _touched(self, change: Change) -> Iterable[Node]:
        """Nodes already shown that now have more to tell: new facts for an idea, new passages on a page."""
        new = {node.iri for node in change.nodes}
        ends = {arc.child for arc in change.arcs if arc.kind == "source"} - new
        for node in change.nodes:
            if isinstance(node.entity, EdgeSelection):
                ends.update(self._teller.names.concepts(node.entity))
        return [self.dag.node(iri) for iri in ends if "node" in self.dag.graph.nodes[iri]]

    def _told(self, node: Node) -> Message:
        spots = self._levels.spots[node.iri]
        level, (x, y) = next(iter(spots.items()))
        node = replace(node, x=x, y=y)
        lines = agent_lines(self.dag, node)
        width, height = box(node, lines)
        told: Message = {
            "id": node.iri,
            "kind": "Failure" if has_failed(node) else node.kind,
            "w": width,
            "h": height,
            "lines": labelled(node, lines),
            "name": self._teller.names.name(node),
            "say": self._teller.say(node),
            "vis": self._drawing.node(node, lines),
            "detail": {"heading": self._teller.heading(node), "rows": self._teller.rows(node)},
        }
        if self._levels.is_agent:
            told |= {"level": level, "spots": spots}
        if node.kind == "Run":
            told["opens"] = node.iri
        if isinstance(node.entity, EdgeSelection):
            told |= {"also": self._teller.names.concepts(node.entity), "unsourced": not node.passages}
        if node.kind == "Passage":
            told["passage"] = words_of(node.passages[0], node.iri)
        if (counted := self._counted(node)) is not None:
            told["count"] = counted
        self._nodes[node.iri] = told
        return told

    def _counted(self, node: Node) -> int | None:
        match node.entity:
            case Exploration() as step:
                return step.edge_count if step.edge_count is not None else step.chunk_count
            case Focus() as step:
                return len(step.selected_edges) + len(step.selected_chunks)
        if node.kind != "NotKept":
            return None
        told = node.lines[1].partition(" ")[0].replace(",", "")
        return int(told) if told.isdecimal() else len(node.members)

    def _answer(self) -> Message:
        return answers.answer(self._teller.names, running=self.state == "running")

    def _chips(self) -> list[Message]:
        return stages.chips(self.dag, running=self.state == "running", writing=bool(self.dag.answer))

    def _total(self) -> Message | None:
        if self.state == "start" or self.elapsed < 0:
            return None
        return {"time": seconds(self.elapsed), "text": "so far" if self.state == "running" else "in all"}

    def _note(self, words: str, kind: str) -> None:
        self._log.append({"kind": kind, "text": words, "at": seconds(self.elapsed) if self._stored is None else ""})

    def _message(self, **parts: Any) -> Message:  # noqa: ANN401 - whatever the page takes
        self.seq += 1
        given = {name: part for name, part in parts.items() if part is not None}
        sent = round(time.time() * 1000)  # noqa: TID251 - the page tells from it how long painting took
        return {"t": "delta", "run": self.run, "seq": self.seq, "state": self.state, "sent": sent, **given}


def words_of(passage: Passage, key: str) -> Message:
    """Give what the source panel shows at once: the words, and where they stand."""
    return {
        "text": passage.text,
        "title": passage.title,
        "where": place(passage) or "text",
        "key": key,
        "note": span_words(passage),
    }
