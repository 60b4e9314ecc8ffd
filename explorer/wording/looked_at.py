"""What is said of what a search looked at, and of what it read of that and did not keep."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from explorer import entities as e
from explorer.dag import ProvenanceDag
from explorer.dag.nodes import Node
from explorer.events import Explain
from explorer.models.chat import NO_LANGUAGE_MODEL
from explorer.text import count, one_line
from explorer.vocab import local_name
from explorer.wording import panel_rows
from explorer.wording.authors import Author, by, scored
from explorer.wording.kinds import kind
from explorer.wording.names import Names, counts, noun_of, question_of
from explorer.wording.node_words import Said, Styled, counted, entity_of, numbered, of_stage
from explorer.wording.panel_rows import Item, Rows
from explorer.wording.retrieved import became_each

_BY = {
    "vector": "by meaning: a passage may say the same in other words",
    "keyword": "by words: a name or a number has no other words",
    "hybrid": "by meaning and by words: each finds what the other misses",
}


class Exploration(Said):
    """The stage that looks at facts or passages."""

    coming: ClassVar = {
        "facts": "Starting from the things that match {ideas}, the facts around them are looked at.",
        "passages": "The passages close in meaning to {ideas}, or with the same words, are looked at.",
    }

    def held(self, dag: ProvenanceDag, node: Node) -> str:
        step = entity_of(node, e.Exploration)
        return count(step.count, "passage" if step.of_chunks else "fact")

    def label(self, dag: ProvenanceDag, node: Node) -> Styled:
        step = entity_of(node, e.Exploration)
        held = count(step.count, "passage" if step.of_chunks else "nearest fact")
        return of_stage(numbered(node), "" if step.count is None else held)

    def rows(self, names: Names, node: Node) -> Rows:
        step = entity_of(node, e.Exploration)
        seeds: list[Item] = [{"text": names.dag.labels.get(iri) or local_name(iri)} for iri in step.entities]
        return [
            panel_rows.text("Looked at", self.held(names.dag, node)),
            panel_rows.listing(f"From {count(len(seeds), 'thing')}", seeds),
            became_each(names, node),
            *panel_rows.spent(names.dag, step),
        ]

    def author(self, names: Names, node: Node) -> Author:
        looked = f"looked up by similarity, words and links, {NO_LANGUAGE_MODEL}"
        model = entity_of(node, e.Exploration).model
        return by(names.dag, model, kind(node.kind).verb, {"sign": "≈", "text": looked})

    def came(self, dag: ProvenanceDag, node: Node) -> str:
        step = entity_of(node, e.Exploration)
        start = f" around {count(len(step.entities), 'thing')} nearest to the key ideas" if step.entities else ""
        return f"Looked at {count(step.count, counts(dag).noun)}{start}"

    def progress(self, dag: ProvenanceDag, node: Node) -> str:
        return self.held(dag, node)

    def lesson(self, dag: ProvenanceDag, node: Node) -> str:
        step, noun = entity_of(node, e.Exploration), noun_of(dag, node)
        if noun == "passage":
            return f"{count(step.chunk_count, noun)} came near to the key ideas."
        start = (
            f", from {count(len(step.entities), 'thing')} that fit the key ideas: click “Looked at” to see which"
            if step.entities
            else ""
        )
        return f"{count(step.edge_count, noun)} {'was' if step.edge_count == 1 else 'were'} looked at{start}."

    def why(self, dag: ProvenanceDag, node: Node) -> str:
        given = _limits(dag, node)
        if entity_of(node, e.Exploration).of_chunks:
            by = _BY.get(str(given.get("mode")))
            return f"It looked {by}." if by else ""
        hops = given.get("max_path_length")
        if not isinstance(hops, int):
            return ""
        if given.get("selector") == "rerank":
            return f"Only a fact that fits leads on to others, {count(hops, 'time')} at most, so it does not stray."
        beyond = ", then the facts of what those mention" if hops > 1 else ""
        return f"It read the facts of each thing{beyond}."

    def figures(self, dag: ProvenanceDag, node: Node) -> str:
        """Return the limit where it was reached."""
        most, step = _limits(dag, node).get("max_subgraph_size"), entity_of(node, e.Exploration)
        reached = isinstance(most, int) and not step.of_chunks and (step.edge_count or 0) >= most
        return f"It stopped at {most:,}, the limit." if reached else ""

    def printed(self, entity: e.Entity, event: Explain) -> Iterator[str]:
        """Yield how many there are, and where passages stand or from what the search started."""
        if isinstance(entity, e.Exploration) and entity.of_chunks:
            yield f"Passages looked at: {entity.chunk_count}"
            yield from (f"  - {one_line(found[0].place)}" for found in event.passages.values() if found)
        elif isinstance(entity, e.Exploration):
            yield f"Facts looked at: {entity.edge_count}"
            yield from counted("Starting from", [event.labels.get(seed, seed) for seed in entity.entities])


def _limits(dag: ProvenanceDag, node: Node) -> Mapping[str, object]:
    question = question_of(dag, node)
    return (question.parameters if question else None) or {}


class NotKept(Said):
    """What was looked at and not kept."""

    def lines(self, dag: ProvenanceDag, node: Node, *, ranked: bool = False) -> tuple[str, ...]:
        focus = dag.entities.get(node.iri.partition("#")[0])
        stage = dag.exploration(focus) if isinstance(focus, e.Focus) else None
        return (kind("NotKept").word, count(node.count, "passage" if stage and stage.of_chunks else "fact"))

    def label(self, dag: ProvenanceDag, node: Node) -> Styled:
        word, many = self.lines(dag, node)
        return [("k", word), ("n", f"the other {many}")]

    def rows(self, names: Names, node: Node) -> Rows:
        """Return how much it is, and why it was left out; each of it is looked up when it is shown."""
        compared = [member for member in node.members if isinstance(member, e.Candidate)]
        scored, many = len(compared), self.lines(names.dag, node)[1]
        order = (
            "nearest by links in the graph first, whatever their words"
            if "fact" in many
            else "as the search ranked them"
        )
        order = "best score first" if any(one.score is not None for one in compared) else order
        unscored = (node.count or 0) - scored if scored else 0
        why = "What was kept fits better; how well each of these fits is not on record."
        if scored:
            rest = f" The other {unscored:,} are farther away, and were not compared." if unscored > 0 else ""
            each = "The nearest one says why it was" if scored == 1 else f"The {scored:,} nearest say why each was"
            why = f"{each} not kept.{rest}"
        return [
            panel_rows.text("How many", f"{many}, {order}"),
            panel_rows.text("Why not", why),
            {"k": "unkept"},
        ]

    def author(self, names: Names, node: Node) -> Author:
        compared = sum(isinstance(member, e.Candidate) for member in node.members)
        by_whom = scored(names.dag, names.dag.entities.get(node.iri.partition("#")[0]))
        if not 0 < compared < (node.count or 0):
            return by_whom
        return {**by_whom, "text": f"{compared:,} {by_whom['text']}; the others are ranked by nearness alone"}
