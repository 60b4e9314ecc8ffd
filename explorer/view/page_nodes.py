"""The nodes of a run as the page draws them: what each says, and where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.dag import ProvenanceDag
from explorer.dag.outcome import outcome_at
from explorer.dag.retrieved import is_recorded
from explorer.drawing.columns import SETS
from explorer.drawing.final import Reading
from explorer.drawing.folding import Drawings
from explorer.entities import EdgeSelection, Exploration, Focus, Question
from explorer.view.pyvis_nodes import whole_words
from explorer.wording.agent import has_failed
from explorer.wording.graph_words import NodeWords, label
from explorer.wording.kept import changed_by_hand
from explorer.wording.outcomes import level
from explorer.wording.phrases import span_words
from explorer.wording.tally import kept_of
from explorer.wording.ways import engine_of

if TYPE_CHECKING:
    from explorer.dag.nodes import Arc, Node
    from explorer.drawing.columns import Spot
    from explorer.drawing.final import Opening
    from explorer.events import Passage
    from explorer.view.messages import run as messages
    from explorer.view.messages.detail import Detail


class Drawn:
    """The nodes in the drawings of a run, as these grow, and once the answer is there as they are read from it.

    `reading` has what is drawn anew then; it is empty before.
    """

    def __init__(self, dag: ProvenanceDag) -> None:
        """Begin with the drawings of an empty graph, which grow with it."""
        self._dag = dag
        self.drawings = Drawings(dag)
        self.reading = Reading()
        self.words = NodeWords(dag, self.has)

    def has(self, iri: str) -> bool:
        """Return whether a node is in the run on show, be it in a drawing that was not opened yet."""
        return bool(self.drawings.spots.get(iri)) or iri in self.reading.nodes

    def spots(self, iri: str) -> dict[str, Spot]:
        """Return where a node stands in each drawing, those drawn anew first."""
        return self.reading.spots(self.drawings, iri)

    def node(self, iri: str) -> Node:
        """Return any node that is drawn."""
        return self.reading.nodes.get(iri) or self.drawings.node(iri)

    @property
    def arcs(self) -> tuple[Arc, ...]:
        """All arcs, those drawn anew last."""
        return (*self.drawings.joined.values(), *self.reading.arcs)

    def home(self, iri: str) -> str:
        """Return the drawing that a node stands in first; "" for one that is not known."""
        return next(iter(self.spots(iri)), "")

    def moved(self, iri: str) -> messages.Moved:
        """Return where a node stands now, and its looks if these changed."""
        spots = self.spots(iri)
        moved: messages.Moved = {"level": next(iter(spots), ""), "spots": spots}
        if iri in self.reading.lines:
            moved["lines"] = self.reading.lines[iri]
        moved.update(self.came_out(self.node(iri)))  # type: ignore[typeddict-item]
        if iri in self.reading.kinds:
            moved["kind"] = self.reading.kinds[iri]
        if iri in self.reading.numbers:
            moved["numbers"] = self.reading.numbers[iri]
        if iri in self.drawings.folds or iri in self.reading.folds:
            moved["unfolds"] = self.unfolds(iri)
        return moved

    def described(self, node: Node) -> messages.Node:
        """Return a node for the page: what it says, and where it stands."""
        spots = self.spots(node.iri)
        lines = self.reading.lines.get(node.iri) or label(self._dag, node)
        described: messages.Node = {
            "id": node.iri,
            "kind": self.reading.kinds.get(node.iri) or ("Failure" if has_failed(node) else node.kind),
            "lines": lines,
            "name": self.words.name(node),
            "say": self.words.say(node),
            "vis": {"title": whole} if (whole := whole_words(node)) else {},
            "detail": self.detail(node),
            "level": next(iter(spots), ""),
            "spots": spots,
        }
        if node.iri in self.drawings.folds or node.iri in self.reading.folds:
            described["opens"] = node.iri
        if node.iri in self.reading.numbers:
            described["numbers"] = self.reading.numbers[node.iri]
        if unfolds := self.unfolds(node.iri):
            described["unfolds"] = unfolds
        if isinstance(node.entity, EdgeSelection):
            described["also"] = self.words.concepts(node.entity)
            if not node.passages:
                described["unsourced"] = True
        if isinstance(node.entity, Question) and is_recorded(self._dag):
            described["pipeline"] = engine_of(node.entity)
        if node.kind == "Passage":
            described["passage"] = _passage_words(node.passages[0])
        described.update(self.came_out(node))  # type: ignore[typeddict-item]
        if (counted := self._counted(node)) is not None:
            described["count"] = counted
        return described

    def unfolds(self, iri: str) -> tuple[Opening, ...] | None:
        """Return where a fold unfolds in place, in each set of columns; None for one that opens by itself."""
        if self.reading.levels:
            return self.reading.unfolds.get(iri)
        opening = self.drawings.opening(iri)
        return (opening,) * len(SETS) if opening else None

    def _counted(self, node: Node) -> int | str | None:
        """Return how much a node holds, for the legend; with nouns where it holds of two kinds."""
        match node.entity:
            case Exploration() as step:
                return step.count
            case Focus() as step:
                return len(kept_of(step))
        return node.count

    def came_out(self, node: Node) -> messages.CameOut:
        """Return how an answer or a sentence came out, with the lines that say so; of a fact what was done by hand."""
        if came_out := outcome_at(self._dag, node):
            return {"outcome": level(came_out), "lines": label(self._dag, node)}
        done = changed_by_hand(self._dag, node) if isinstance(node.entity, EdgeSelection) else ""
        return {"by_hand": done} if done else {}

    def detail(self, node: Node) -> Detail:
        """Return what the detail panel says of a node."""
        return {"heading": self.words.heading(node), "rows": self.words.rows(node)}


def _passage_words(passage: Passage) -> messages.PassageWords:
    """Return what the source panel shows at once: the words, and where they stand."""
    return {
        "text": passage.text,
        "title": passage.title,
        "where": passage.locator or "text",
        "note": span_words(passage),
    }
