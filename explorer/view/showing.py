"""A run as the page shows it: events are folded into the graph, and each becomes one message with what is new."""

from __future__ import annotations

import threading
import time
import uuid
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Unpack, cast

from explorer.dag import ProvenanceDag
from explorer.dag.nodes import Change
from explorer.dag.retrieved import is_recorded
from explorer.dag.sentences import citations
from explorer.drawing.column_heads import heads
from explorer.drawing.final import Reading
from explorer.drawing.finishing import read
from explorer.entities import Answer, ChunkSelection, EdgeSelection
from explorer.events import Explain
from explorer.text import seconds
from explorer.view.detail.raw_triples import raw
from explorer.view.page_nodes import Drawn
from explorer.view.pyvis_nodes import vis_arc
from explorer.view.replay_frames import MOST_AT_ONCE, Recalled, in_frames, is_large, took
from explorer.view.run import answer as answers
from explorer.view.run import stages
from explorer.view.run.quiz import quiz_of
from explorer.vocab import session_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from explorer.dag.nodes import Arc, Node
    from explorer.events import Event, Passage, Text
    from explorer.view.detail.raw_triples import Line
    from explorer.view.messages import run as messages
    from explorer.view.messages.badge import Badge
    from explorer.view.messages.detail import Detail
    from explorer.view.messages.what_if import Mattered
    from explorer.view.run.ending import Ended
    from explorer.view.run.quiz import SourcesOf

_STANDING = ("note", "total")  # of a message: what holds until it changes, and is sent only then
_PLACED = ("kind", "vis", "level", "spots", "unfolds")  # of a node: what says where it stands
_RETRIEVED = ("Exploration", "Observation", "ChunkSelection", "Passage")  # which say what became of passages


class Showing:
    """What one run has put on the screen; `state` is start, running, done, declined, stopped or error.

    The run's thread folds events while the kernel's thread may ask for a snapshot: each sees the other's work whole.
    """

    def __init__(
        self,
        examples: Iterable[str] = (),
        empty: messages.Note | None = None,
        sources: SourcesOf = lambda *_: (),
    ) -> None:
        """Start with nothing shown but examples to try, or the words for a workspace that holds nothing.

        `sources` gives the passages of a fact: what a class is asked of one that was not kept is shown with its words.
        """
        self.dag = ProvenanceDag()
        self.run = uuid.uuid4().hex[:8]
        self.seq = 0
        self.state: messages.State = "start"
        self.title: messages.Title | None = None
        self.mattered: list[Mattered] = []
        self.reviewed: Badge | None = None
        self._examples = list(examples)
        self._empty = empty
        self._sources = sources
        self._drawn = Drawn(self.dag)
        self._drawings = self._drawn.drawings
        self._grown_at: int | None = None  # the last message before the drawings were drawn anew
        self._as_grown: dict[str, messages.Node] = {}  # the nodes by then
        self._late: dict[str, None] = {}
        self._recalled: Recalled | None = None
        self._taught: messages.Teaching | None = None
        self._quiz: messages.Quiz | None = None
        self._last: messages.Shown = {}
        self._answered: messages.AnswerState = {}  # as the page has it by now
        self._waiting = False
        self._took: float | None = None
        self._steps = 0.0  # seconds that the steps of a live run took by now, as they are on record
        self._nodes: dict[str, messages.Node] = {}
        self._first: dict[str, int] = {}  # the message in which a node came, or would have come
        self._log: list[messages.LogLine] = []
        self._started = time.monotonic()
        self._paused: float | None = None  # since when it waits
        self._waited = 0.0
        self._lock = threading.Lock()

    def renew(
        self, words: Mapping[str, str], now: Callable[[Passage], Passage]
    ) -> tuple[dict[str, Detail], dict[str, messages.CameOut], messages.AnswerState]:
        """Take in what was done with facts by hand, by their nodes, all that stands, and what became of passages.

        Returns what the nodes that this changes say now, those of the answer of which it changes how they came out,
        and what is new of the answer, if it is on record.
        """
        with self._lock:
            undone = {iri: "" for iri, said in self.dag.curated.items() if said and iri not in words}
            told = {**undone, **words}
            changed = {iri: said for iri, said in told.items() if self.dag.curated.get(iri, "") != said}
            self.dag.curated.update(changed)
            known = [node for node in self.dag.nodes("EdgeSelection") if node.iri in changed]
            renewed = [*known, *self.dag.renew(now)]
            frames = self._recalled.frames if self._recalled else []
            outcomes = self._came_out_anew(frames)
            renewed += [self.dag.node(iri) for iri in outcomes if iri in self.dag.graph.nodes]  # answers, no sentences
            details = {node.iri: self._drawn.detail(node) for node in renewed}
            sent = chain(self._nodes.values(), (node for frame in frames for node in frame.get("nodes", ())))
            for node in sent:
                if node["id"] in details and "detail" in node:
                    node["detail"] = details[node["id"]]
            return details, outcomes, self._answer_anew(frames)

    def _came_out_anew(self, frames: Iterable[messages.Delta]) -> dict[str, messages.CameOut]:
        """Return how answers and sentences come out now that did otherwise, and what was done with facts since; change
        them in what is kept.
        """
        found: dict[str, messages.CameOut] = {}
        for iri, before in self._nodes.items():
            is_fact = before["kind"] == "EdgeSelection"
            now = self._drawn.came_out(self._drawn.node(iri)) if is_fact or "outcome" in before else {}
            keys = ("by_hand",) if is_fact else ("outcome", "lines")
            if any(now.get(key, "") != before.get(key, "") for key in keys if now or is_fact):
                found[iri] = now or {"by_hand": ""}
        for frame in frames:
            for one in frame.get("nodes", ()):
                one.update(found.get(one["id"], {}))  # type: ignore[typeddict-item]
            moved = again["moved"] if (again := frame.get("again")) else {}
            for iri in found.keys() & moved.keys():
                moved[iri].update(found[iri])  # type: ignore[typeddict-item]
        for iri, now in found.items():
            self._nodes[iri].update(now)  # type: ignore[typeddict-item]
        return found

    def _answer_anew(self, frames: Iterable[messages.Delta]) -> messages.AnswerState:
        """Return what is new of an answer that is on record, and change it in the messages that are kept."""
        if self.dag.final is None:
            return {}
        whole = self._answer()
        now: messages.AnswerState = {
            "runs": whole["runs"], "badges": whole["badges"], "corrected": whole["corrected"]}  # fmt: skip
        for frame in frames:
            if (told := frame.get("answer")) and told.get("runs") is not None:
                told.update(now)
        return self._answer_news(now)

    def begin(self) -> messages.Delta:
        """Begin: everything is waiting, the Question comes first."""
        with self._lock:
            return self._begun()

    def apply(self, event: Event) -> messages.Delta | None:
        """Fold one event; the message says what it changed, None when there is nothing to see."""
        with self._lock:
            self._steps += took(event)
            return self._applied(event)

    def asks(self, event: Event) -> bool:
        """Return whether there is a question to ask before an event is shown; it comes with the next wait."""
        with self._lock:
            self._quiz = quiz_of(self.dag, event, self._sources)
            return self._quiz is not None

    def wait(self, *, waiting: bool) -> messages.Delta:
        """Return the message that the run waits until the user goes on, or that it goes on."""
        with self._lock:
            now = time.monotonic()
            self._waited += 0.0 if self._paused is None else now - self._paused
            self._paused = now if waiting else None
            self._quiz = self._quiz if waiting else None
            return self._message(waiting=waiting, quiz=self._quiz)

    def recall(self, events: Iterable[Event], ended: Callable[[ProvenanceDag], Ended]) -> None:
        """Show a stored run: the messages of a live one again, kept so that the page can play them.

        Of a large one only its last drawing, until `tell` is called. `ended` says how it ended, once all is known.
        """
        stored = list(events)
        with self._lock:
            self._recall(Recalled.of(stored, ended, is_told=not is_large(stored)))

    def tell(self) -> None:
        """Make the messages of a stored run that was too large to tell at once; its snapshot has them from then on."""
        with self._lock:
            if self._recalled is None or self._recalled.is_told:
                return
            whole = Showing(sources=self._sources)
            whole.run = self.run
            whole._recall(Recalled.of(self._recalled.events, self._recalled.ended, is_told=True))
            self._recalled = whole._recalled
            self._nodes |= whole._nodes
            self._as_grown = whole._as_grown

    def _recall(self, recalled: Recalled) -> None:
        self._recalled = recalled
        frames: list[messages.Delta | None] = [self._begun()]
        for some in in_frames(recalled.events):
            for event in some:
                if isinstance(event, Explain):
                    recalled.passed(event, agent=self._drawings.is_agent)
            asked = (found for event in some if recalled.is_told and (found := quiz_of(self.dag, event, self._sources)))
            quiz = next(asked, None)
            if (frame := self._applied(*some)) is not None and quiz:
                frame["quiz"] = quiz
            frames.append(frame)
        ending = recalled.ended(self.dag)
        recalled.seconds = ending.took
        frames.append(self._ended(ending.state, ending.words))
        if recalled.is_told:
            recalled.frames = [frame for frame in frames if frame]
        else:
            self._level("", self.seq)

    def end(self, state: messages.State, words: str) -> messages.Delta:
        """End, in one of the states, with a line that says how."""
        with self._lock:
            return self._ended(state, words)

    def snapshot(self, *, whole: bool = False) -> messages.Snapshot:
        """Return everything shown so far, for a page that was loaded later or missed something.

        Of a stored run that was told these are its messages. With `whole` it is all there is at the end, with what else
        is held back.
        """
        with self._lock:
            for iri in [one for one in self._first if one not in self._nodes] if whole else ():
                self._described(self._drawn.node(iri))
            shown: messages.Snapshot = {
                "run": self.run, "seq": self.seq, "state": self.state, "title": self.title, "held": self.holds_back,
            }  # fmt: skip
            shown["mattered"], shown["reviewed"] = self.mattered, self.reviewed
            if self._recalled is not None and not whole:
                shown["untold"] = not self._recalled.is_told
                if self._recalled.is_told:
                    return {**shown, "frames": self._recalled.frames}
            return {
                **shown,
                "nodes": list(self._nodes.values()),
                "arcs": self._joined(self._drawn.arcs),
                "answer": self._answer(),
                "log": list(self._log),
                "heads": self._drawn.reading.all_heads(self._drawings),
                "note": self._empty if self.state == "start" else stages.note(self.dag),
                "total": None if self.state == "start" else self._time,
                "examples": self._examples,
                "teaching": self._taught,
                "waiting": self._waiting,
                "quiz": self._quiz,
            }

    @property
    def elapsed(self) -> float | None:
        """Seconds since the run began, to its end, without those it waited; of a stored one up to the step on show.

        None where they are not recorded.
        """
        if self._recalled is not None:
            return self._recalled.seconds
        if self._took is None and self.dag.done is not None and self.dag.done.duration_ms is not None:
            return self.dag.done.duration_ms / 1000
        return time.monotonic() - self._started - self.waited if self._took is None else self._took

    @property
    def waited(self) -> float:
        """Seconds that the run has waited for someone to go on, which its own time does not include."""
        return self._waited + (0.0 if self._paused is None else time.monotonic() - self._paused)

    def has(self, iri: str) -> bool:
        """Return whether a node is in the run on show, be it in a drawing that was not opened yet."""
        return self._drawn.has(iri)

    def _begun(self) -> messages.Delta:
        self.state = "running"
        self._started = time.monotonic()
        return self._message(answer=self._answer(), note=stages.note(self.dag), total=self._time)

    def _applied(self, *events: Event) -> messages.Delta | None:
        before = self.dag.answer
        changes = [self.dag.apply(event) for event in events]
        texts = [change.text for change in changes if change.text is not None]
        if len(events) == 1 and texts:
            return self._written(texts[0], before)
        self._late |= dict.fromkeys(text.node for text in texts)
        nodes = {node.iri: node for change in changes for node in change.nodes}
        arcs = tuple(arc for change in changes for arc in change.arcs)
        return self._grown(Change(tuple(nodes.values()), arcs)) if nodes or arcs else None

    def _ended(self, state: messages.State, words: str) -> messages.Delta:
        self.state = state
        self._took = self.elapsed
        self._note(words, "Failure" if state in ("error", "stopped") else "Synthesis")
        shown: messages.Shown = {"nodes": self._caught_up(), "log": self._log[-1:], "total": self._time}
        self._draw_anew(shown)
        shown["answer"] = self._answer()  # whose sentences are drawn now
        return self._message(**shown)

    def _draw_anew(self, shown: messages.Shown) -> None:
        """Draw all anew that is read from an answer, and add to a message what that changes."""
        self._drawn.reading, before = read(self._drawings), dict(self._nodes)
        if not self._drawn.reading.levels:
            return
        self._grown_at, self._as_grown = self.seq, before
        moved: dict[str, messages.Moved] = {}
        for iri in self._drawn.reading.places:
            if iri in before:
                now = self._drawn.moved(iri)
                moved[iri] = _changes(before[iri], now)
                self._nodes[iri] = {**before[iri], **now}
            elif self._is_wanted(iri):
                shown["nodes"].append(self._described(self._drawn.node(iri)))
        undrawn = (iri for iri in before.keys() - self._drawn.reading.places.keys() if self._drawings.spots.get(iri))
        for iri in undrawn:
            self._nodes[iri] = {**before[iri], "spots": self._drawn.spots(iri)}
        new = self._nodes.keys() - before.keys()
        arcs = (arc for arc in self._drawings.joined.values() if arc.parent in new or arc.child in new)
        shown["arcs"] = self._joined((*arcs, *self._drawn.reading.arcs))
        shown["heads"] = list(self._drawn.reading.heads)
        shown["nodes"] = [self._nodes[node["id"]] for node in shown["nodes"]]
        shown["again"] = {"levels": sorted(self._drawn.reading.levels), "moved": moved}

    def _written(self, text: Text, before: str) -> messages.Delta | None:
        """Show a piece of the answer; of any other text what is new of it comes with the next step."""
        answer = self.dag.answer
        if answer == before or not answer.startswith(before):
            self._late[text.node] = None
            return None
        return self._message(answer={"append": answer[len(before) :], "live": True})

    def _caught_up(self) -> list[messages.Node]:
        """Return the nodes anew whose texts came after them."""
        late, self._late = [iri for iri in self._late if iri in self._nodes], {}
        return self._news(self.dag.node(iri) for iri in late)

    def _news(self, nodes: Iterable[Node]) -> list[messages.Node]:
        """Return those of some nodes that the page does not have, or not as they are: then what of them is new."""
        known = self._nodes.copy()
        told = ((known.get(node.iri), self._described(node)) for node in nodes)
        return [_new_of(before, now) for before, now in told if now != before]

    def _grown(self, change: Change) -> messages.Delta:
        placed, joined = self._drawings.apply(change)
        fresh = {node.iri: node for node in chain(placed, self._touched(change))}
        nodes = [*self._caught_up(), *self._news(node for node in fresh.values() if self._is_wanted(node.iri))]
        arcs = self._joined(joined)
        logged = len(self._log)
        for kind, words in stages.log_lines(self.dag, change.nodes):
            self._note(words, kind)
        taught = (
            stages.teaching(self.dag, node, inside="" not in self._drawings.spots.get(node.iri, ("",)))
            for node in reversed(change.nodes)
        )
        taught_now = next((one for one in taught if one), None)
        self._taught = taught_now or self._taught
        shown: messages.Shown = {
            "nodes": nodes, "arcs": arcs, "note": stages.note(self.dag),
            "log": self._log[logged:], "heads": heads(self._drawings, sorted(self._drawings.widened)),
            "total": self._time, "teaching": taught_now,
        }  # fmt: skip
        final = self.dag.final
        if final is not None and final.iri in fresh:
            shown["answer"] = self._answer()
        return self._message(**shown)

    def _is_wanted(self, iri: str) -> bool:
        """Return whether the page gets a node at once: of many those within folded runs wait until these are opened."""
        self._first.setdefault(iri, self.seq + 1)
        if self._recalled is not None and not self._recalled.is_told:
            return False
        return iri in self._nodes or len(self._nodes) < MOST_AT_ONCE or "" in self._drawn.spots(iri)

    def _joined(self, arcs: Iterable[Arc]) -> list[messages.Arc]:
        return [vis_arc(arc) for arc in arcs if arc.parent in self._nodes and arc.child in self._nodes]

    def level(self, name: str, seq: int) -> messages.Level:
        """Return all of one drawing as far as it had come by message `seq`, for a page that opens it."""
        with self._lock, self._as_of(seq):
            return self._level(name, seq)

    def holding(self, iri: str, seq: int) -> messages.Level:
        """Return all of the drawing that a node stands in first, as `level` does, with that node to be selected."""
        with self._lock, self._as_of(seq):
            return {**self._level(self._drawn.home(iri), seq), "select": iri}

    def record(self, iri: str) -> list[Line] | None:
        """Return predicate and object of each triple of a node; None for one that is not drawn."""
        with self._lock:
            return raw(self._drawn.node(iri)) if self.has(iri) else None

    @contextmanager
    def _as_of(self, seq: int) -> Iterator[None]:
        """See the drawings as they were at message `seq`: before they were drawn anew, or since."""
        now = self._drawn.reading, self._nodes
        if self._grown_at is not None and seq <= self._grown_at:
            self._drawn.reading, self._nodes = Reading(), self._as_grown
        try:
            yield
        finally:
            self._drawn.reading, self._nodes = now

    def _level(self, name: str, seq: int) -> messages.Level:
        """Return a drawing with those around it in which it unfolds in place."""
        levels, at = {name}, name
        while self._drawn.unfolds(at) and self._drawn.home(at) not in levels:
            levels.add(at := self._drawn.home(at))
        there = (
            iri for iri in (*self._drawings.spots, *self._drawn.reading.nodes) if levels & self._drawn.spots(iri).keys()
        )
        due = dict.fromkeys(iri for iri in there if self._first.get(iri, 0) <= seq)
        nodes = [self._nodes.get(iri) or self._described(self._drawn.node(iri)) for iri in due]
        arcs = (arc for arc in self._drawn.arcs if arc.parent in due or arc.child in due)
        return {"t": "level", "run": self.run, "level": name, "nodes": nodes, "arcs": self._joined(arcs)}

    @property
    def holds_back(self) -> bool:
        """Whether the page lacks nodes, which it gets when their drawing is opened."""
        return len(self._first) > len(self._nodes)

    def _touched(self, change: Change) -> Iterable[Node]:
        """Return nodes already shown that now have more to say: new facts for an idea, new passages on a page."""
        new = {node.iri for node in change.nodes}
        ends = [arc.child for arc in change.arcs if arc.kind == "source" and arc.child not in new]
        for node in change.nodes:
            if isinstance(node.entity, EdgeSelection):
                ends += self._drawn.words.concepts(node.entity)
            elif isinstance(node.entity, Answer):  # what was kept may not have been enough, a passage may be quoted
                cited = (one.cites[0] for one in citations(self.dag, node.iri) if one.cites)
                ends += (kept.iri for kept in self.dag.within(session_of(node.iri), "Focus"))
                quoted = [iri for iri in cited if isinstance(self.dag.entities.get(iri), ChunkSelection)]
                ends += (part for iri in quoted for part in (iri, *self.dag.graph.adj[iri]))
                if is_recorded(self.dag):  # it is known now what became of each passage
                    ends += (one.iri for kind in _RETRIEVED for one in self.dag.nodes(kind))
        return [self.dag.node(iri) for iri in dict.fromkeys(ends) if iri in self._nodes]

    def _described(self, node: Node) -> messages.Node:
        """Return a node for the page, which has it from then on."""
        described = self._nodes[node.iri] = self._drawn.described(node)
        return described

    def _answer(self) -> messages.AnswerState:
        return answers.answer(self._drawn.words, running=self.state == "running")

    def _answer_news(self, answer: messages.AnswerState) -> messages.AnswerState:
        """Return what of the answer the page does not have; a piece of its text is always new."""
        had = self._answered
        news = {name: part for name, part in answer.items() if name == "append" or name not in had or had[name] != part}  # type: ignore[literal-required]
        self._answered = {**had, **answer}
        if "append" in answer:
            self._answered["text"] = had.get("text", "") + self._answered.pop("append")
        return cast("messages.AnswerState", news)

    @property
    def _time(self) -> str:
        """The time so far, by what the steps took, or in all; "" where it is not on record.

        An agent's steps hold the time of what ran inside; while one is at work the clock counts.
        """
        is_timed = self._recalled is not None or self._took is not None or self._drawings.is_agent
        passed = self.elapsed if is_timed else self._steps
        return "" if passed is None else seconds(passed)

    def _note(self, words: str, kind: str) -> None:
        self._log.append({"kind": kind, "text": words, "at": self._time})

    def _message(self, **parts: Unpack[messages.Shown]) -> messages.Delta:
        """Return the next message, of those parts that say something new."""
        self.seq += 1
        self._waiting = parts.get("waiting", False)
        if (answer := parts.get("answer")) is not None:
            parts["answer"] = self._answer_news(answer) or None
        news = {name: part for name, part in parts.items() if part not in (None, []) and part != self._last.get(name)}
        message: messages.Delta = {"t": "delta", "run": self.run, "seq": self.seq, "state": self.state}
        message.update(news)  # type: ignore[typeddict-item]
        self._last.update({name: part for name, part in news.items() if name in _STANDING})  # type: ignore[typeddict-item]
        if self.holds_back:
            message["held"] = True
        return message


def _new_of(before: messages.Node | None, now: messages.Node) -> messages.Node:
    """Return what the page is told of a node: of one that it has, and that stays where it is, only what is new."""
    if before is None or before.keys() - now.keys() or any(before.get(name) != now.get(name) for name in _PLACED):
        return now
    return cast("messages.Node", {name: part for name, part in now.items() if name == "id" or before.get(name) != part})


def _changes(before: Mapping[str, object], now: messages.Moved) -> messages.Moved:
    """Return what of a node that moved is not as it was; where it stands is always said."""
    said = {name: part for name, part in now.items() if name in ("spots", "unfolds") or before.get(name) != part}
    return cast("messages.Moved", said)
