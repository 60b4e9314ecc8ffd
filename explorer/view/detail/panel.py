"""What the page shows for a node: heading, rows of typed data, and one line on how it came about."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from explorer.entities import (
    Analysis,
    ChunkSelection,
    EdgeSelection,
    Failure,
    Finding,
    Observation,
    Step,
    StepResult,
    Thought,
)
from explorer.events import CHANGED
from explorer.text import count
from explorer.view.detail import agents, not_kept, runs, selections, sources, steps
from explorer.view.words.authors import author
from explorer.view.words.names import Names
from explorer.view.words.phrases import found_in
from explorer.wording.endings import of_failure
from explorer.wording.kinds import kind
from explorer.wording.lines import called_with, has_failed, lines, numbered, words
from explorer.wording.ways import tool

if TYPE_CHECKING:
    from explorer.dag import ProvenanceDag
    from explorer.dag.nodes import Node
    from explorer.view.messages.detail import Row

_ROWS = steps.ROWS | selections.ROWS | not_kept.ROWS | agents.ROWS | runs.ROWS | sources.ROWS


class DetailPanel:
    """Words for the nodes of one graph as it stands; it may grow between calls."""

    def __init__(self, dag: ProvenanceDag, drawn: Callable[[str], bool] = lambda _: True) -> None:
        """Read this graph; `drawn` as for `Names`."""
        self.dag = dag
        self.names = Names(dag, drawn)

    def heading(self, node: Node) -> str:
        """Return the heading of the panel."""
        if isinstance(node.entity, EdgeSelection):
            return f"Fact {self.names.number(node):,} of {self._kept(node):,}"
        if isinstance(node.entity, ChunkSelection):
            return f"Passage {self.names.number(node):,} of {self._kept(node):,}"
        if isinstance(node.entity, Failure):
            return of_failure(node.entity).heading
        if node.kind == "Unknown":
            return f"{self.names.name(node)}: a kind not known here"
        if node.kind in ("Page", "Section", "Sentence"):
            return self.names.name(node)
        return lines(self.dag, node)[0] if isinstance(node.entity, Step) else kind(node.kind).word

    def _kept(self, node: Node) -> int:
        """Return how many facts were kept with a fact, or passages with a passage."""
        focus = self.names.focus(node)
        if focus is None:
            return self.names.kept(node)[0]
        return len(focus.selected_edges if isinstance(node.entity, EdgeSelection) else focus.selected_chunks)

    def rows(self, node: Node) -> list[Row]:
        """Return the rows of the panel: the record's term first; one of them names an author.

        The last one says that there is a record, which is `raw` of the node.
        """
        rows: list[Row] = [row for row in _ROWS.get(node.kind, steps.unknown)(self.names, node) if row]
        if node.kind == "Folded":  # of the drawing alone
            return rows
        rows = rows or [{"k": "text", "label": "On record", "text": "only that it happened"}]
        if not any(row.get("author") for row in rows):
            rows[0]["author"] = author(self.names, node)
        term: list[Row] = [{"k": "term", "text": kind(node.kind).term}] if kind(node.kind).term else []
        is_changed = self.dag.is_changed(node.iri) or any(passage.is_changed for passage in node.passages)
        changed: list[Row] = [{"k": "trouble", "text": f"A text of it was {CHANGED}."}] if is_changed else []
        return [*term, *changed, *rows, {"k": "raw"}]

    def say(self, node: Node) -> str:
        """Return in one line how the node came about, for the line below the graph."""
        if isinstance(node.entity, EdgeSelection):
            return self._say_fact(node, node.entity)
        if isinstance(node.entity, ChunkSelection):
            return f"{self.names.rank(node)} → {found_in(node.passages[0]) if node.passages else 'no recorded source'}"
        if node.kind == "Passage" and not self.names.facts(node):
            return f"this passage {found_in(node.passages[0])}"
        if node.kind == "Passage":
            facts = len({fact.iri for fact in self.names.facts(node)})
            return f"{count(facts, 'fact')} → these words {found_in(node.passages[0])}"
        if node.kind == "Run":
            return f"{lines(self.dag, node)[1]}: {node.text}; double-click opens it"
        if has_failed(node):
            word, why = lines(self.dag, node)[0], lines(self.dag, node)[-1]
            return why if why.startswith(word) else f"{word}: {why}"
        if isinstance(node.entity, Observation | StepResult | Finding | Thought):
            return f"{numbered(node)}: {words(self.dag, node.iri) or lines(self.dag, node)[-1]}"
        if isinstance(node.entity, Analysis):
            return f"{numbered(node)}: {tool(node.entity.action)}, asked for “{called_with(node.entity)}”"
        if node.kind in ("Page", "Section") and node.passages:
            return f"{self.names.name(node)} of {node.passages[0].title}"
        if kind(node.kind).read or node.kind == "Unknown":
            return self.names.name(node)
        return ": ".join(lines(self.dag, node))

    def _say_fact(self, node: Node, chosen: EdgeSelection) -> str:
        idea = f"fits the idea “{chosen.concept}” → " if chosen.concept else ""
        read = f"read {found_in(node.passages[0])}" if node.passages else "no recorded source"
        return f"{idea}{self.names.rank(node)} → {read}"
