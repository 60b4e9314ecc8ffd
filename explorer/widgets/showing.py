"""A run as the page shows it: events are folded into the graph, and each becomes one message with what is new."""

from __future__ import annotations

import threading
import time
import uuid
from itertools import chain
from typing import TYPE_CHECKING, Any

from explorer.captions import count
from explorer.dag import ProvenanceDag
from explorer.entities import EdgeSelection
from explorer.layout import DOCUMENT_X, FACT_X, HEADS_Y, PART_X, PASSAGE_X, WIDTHS
from explorer.widgets import stages
from explorer.widgets.detail import Teller
from explorer.widgets.drawing import Drawing, box, styled
from explorer.widgets.step_rows import answer_author
from explorer.widgets.words import place, seconds, span_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from explorer.events import Event, Passage
    from explorer.nodes import Change, Node

Message = dict[str, Any]
HEADS = (
    (FACT_X - WIDTHS["EdgeSelection"] / 2 + 3, HEADS_Y, "Facts kept, best match first", "left"),
    (FACT_X - WIDTHS["EdgeSelection"] / 2 + 3, HEADS_Y, "Passages kept, best match first", "left"),
    (PASSAGE_X - WIDTHS["Passage"] / 2 + 3, HEADS_Y, "Found in passage", "left"),
    (PART_X, HEADS_Y, "On page", "center"),
    (DOCUMENT_X, HEADS_Y, "Of document", "center"),
)


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
            change = self.dag.apply(event)
            if change.text is not None:
                writing = len(self.dag.answer) == len(change.text.delta)
                return self._message(
                    answer={"append": change.text.delta, "live": True}, stages=self._chips() if writing else None
                )
            return self._grown(change) if change.nodes or change.arcs else None

    def end(self, state: str, words: str) -> Message:
        """End, in one of the states, with a line that says how."""
        with self._lock:
            self.state = state
            self._note(words, "Failure" if state == "error" else "Synthesis")
            return self._message(stages=self._chips(), answer=self._answer(), log=self._log[-1:], total=self._total())

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
                "heads": self._heads(),
                "note": self._empty if self.state == "start" else stages.note(self.dag),
                "total": self._total(),
                "examples": self._examples,
            }

    @property
    def elapsed(self) -> float:
        """Seconds since the run began."""
        return time.monotonic() - self._started

    def _grown(self, change: Change) -> Message:
        fresh = {node.iri: node for node in chain(change.nodes, self._touched(change))}
        told = [self._told(node) for node in fresh.values()]
        arcs = self._drawing.arcs(change.arcs)
        self._arcs += arcs
        known = len(self._log)
        for kind, words in stages.lines(self.dag, change.nodes):
            self._note(words, kind)
        answer = self._answer() if any(node.kind == "Synthesis" for node in change.nodes) else None
        return self._message(nodes=told, arcs=arcs, stages=self._chips(), answer=answer, note=stages.note(self.dag),
                             log=self._log[known:], heads=self._heads(), total=self._total())  # fmt: skip

    def _touched(self, change: Change) -> Iterable[Node]:
        """Nodes already shown that now have more to tell: new facts for an idea, new passages on a page."""
        new = {node.iri for node in change.nodes}
        ends = {arc.child for arc in change.arcs if arc.kind == "source"} - new
        for node in change.nodes:
            if isinstance(node.entity, EdgeSelection):
                ends.update(self._teller.names.concepts(node.entity))
        return [self.dag.node(iri) for iri in ends if "node" in self.dag.graph.nodes[iri]]

    def _told(self, node: Node) -> Message:
        width, height = box(node)
        told: Message = {
            "id": node.iri,
            "kind": node.kind,
            "w": width,
            "h": height,
            "lines": styled(node),
            "name": self._teller.names.name(node),
            "say": self._teller.say(node),
            "vis": self._drawing.node(node),
            "detail": {"heading": self._teller.heading(node), "rows": self._teller.rows(node)},
        }
        if isinstance(node.entity, EdgeSelection):
            told |= {"also": self._teller.names.concepts(node.entity), "unsourced": not node.passages}
        if node.kind == "Passage":
            told["passage"] = words_of(node.passages[0], node.iri)
        if (counted := self._counted(node)) is not None:
            told["count"] = counted
        self._nodes[node.iri] = told
        return told

    def _counted(self, node: Node) -> int | None:
        known = self.dag.known
        left = (known.explored or 0) - known.kept
        return {"Exploration": known.explored, "Focus": known.kept, "NotKept": max(left, len(node.members))}.get(
            node.kind
        )

    def _answer(self) -> Message:
        text = self.dag.answer
        answered = bool(self.dag.nodes("Synthesis"))
        answer: Message = {
            "text": text,
            "live": bool(text) and not answered and self.state == "running",
            "author": answer_author(self.dag),
        }
        return answer | ({"runs": self._runs(), "pill": self._sourced()} if answered else {"runs": None, "pill": None})

    def _runs(self) -> list[Message]:
        """Cut the answer at its citations; a run is some text and the facts it rests on."""
        text, at = self.dag.answer, 0
        runs: list[Message] = []
        numbers = self._numbers()
        for citation in sorted(self.dag.known.citations, key=lambda one: one.end or 0):
            start, end = max(at, citation.start or 0), max(at, citation.end or 0)
            cites = [
                {"n": numbers[iri], "node": iri, "tip": self._tip(iri)} for iri in citation.cites if iri in numbers
            ]
            runs += [{"text": text[at:start], "cites": []}, {"text": text[start:end], "cites": cites}]
            at = end
        return [run for run in [*runs, {"text": text[at:], "cites": []}] if run["text"]]

    def _numbers(self) -> dict[str, int]:
        """Number what the answer may cite: as it was kept, else as it is shown."""
        names = self._teller.names
        return {
            node.iri: shown if node.kind == "Passage" else names.number(node)
            for shown, node in enumerate(names.cited(), 1)
        }

    def _tip(self, iri: str) -> str:
        return f"{self.dag.known.noun} " + " ".join(self.dag.node(iri).lines)

    def _sourced(self) -> Message | None:
        cited = [citation for citation in self.dag.known.citations if citation.cites]
        if self.dag.known.declined or not cited:
            return None
        sentences = len(self.dag.known.citations)
        return {
            "text": f"{len(cited)} of {count(sentences, 'sentence')} {'has' if sentences == 1 else 'have'} a source",
            "ok": len(cited) == sentences,
        }

    def _chips(self) -> list[Message]:
        return stages.chips(self.dag, running=self.state == "running", writing=bool(self.dag.answer))

    def _heads(self) -> list[tuple[float, float, str, str]]:
        kinds = {node["kind"] for node in self._nodes.values()}
        passages = set() if "EdgeSelection" in kinds else {"ChunkSelection"}
        shown = ({"EdgeSelection"}, passages, {"Passage"}, {"Page", "Section"}, {"Document"})
        return [head for head, needs in zip(HEADS, shown, strict=True) if kinds & needs]

    def _total(self) -> Message | None:
        if self.state == "start":
            return None
        return {"time": seconds(self.elapsed), "text": "so far" if self.state == "running" else "in all"}

    def _note(self, words: str, kind: str) -> None:
        self._log.append({"kind": kind, "text": words, "at": seconds(self.elapsed)})

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
