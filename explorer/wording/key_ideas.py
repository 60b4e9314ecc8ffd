"""What is said of the key ideas of a question: of the stage that takes them, and of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from explorer import entities as e
from explorer.dag import ProvenanceDag
from explorer.dag.nodes import Node
from explorer.events import Explain
from explorer.language.words import is_content
from explorer.text import EMPTY, count, truncate
from explorer.vocab import session_of
from explorer.wording import panel_rows
from explorer.wording.authors import Author, by, by_rules, nobody
from explorer.wording.names import Names, is_of_passages, question_of
from explorer.wording.node_words import Said, Styled, counted, entity_of, numbered, of_stage
from explorer.wording.panel_rows import Item, Rows
from explorer.wording.phrases import listed

_WORD = re.compile(r"\w+")
_LISTED, _LEFT = 6, 4  # ideas, and words that are left out, named in a sentence
_LONGEST = 32  # letters that a label has room for


class Grounding(Said):
    """The stage that takes key ideas from a question."""

    coming: ClassVar = {"facts": "The key ideas are taken from the question: the words to look for in your documents."}

    def held(self, dag: ProvenanceDag, node: Node) -> str:
        return f"{len(_ideas(node)):,} from the question"

    def label(self, dag: ProvenanceDag, node: Node) -> Styled:
        return of_stage(numbered(node), f"{len(_ideas(node)):,}")

    def rows(self, names: Names, node: Node) -> Rows:
        step = entity_of(node, e.Grounding)
        ideas: list[Item] = [{"text": idea.text, "node": idea.iri if names.drawn(idea.iri) else None}
                             for idea in names.children(node, "concept")]  # fmt: skip
        return [
            panel_rows.listing("To look for", ideas, self.author(names, node)),
            panel_rows.text("How they were taken", step.rule),
            *panel_rows.spent(names.dag, step),
        ]

    def author(self, names: Names, node: Node) -> Author:
        return _taken_by(names.dag, node.entity)

    def came(self, dag: ProvenanceDag, node: Node) -> str:
        return f"Key ideas: {listed(_ideas(node))}"

    def lesson(self, dag: ProvenanceDag, node: Node) -> str:
        ideas = _ideas(node)
        if not ideas:
            return "No key idea was found in the question."
        named = [f"“{truncate(idea, 40)}”" for idea in ideas[:_LISTED]] + (["others"] if len(ideas) > _LISTED else [])
        return f"{count(len(ideas), 'key idea')} from the question: {listed(named)}."

    def why(self, dag: ProvenanceDag, node: Node) -> str:
        question, ideas = question_of(dag, node), _ideas(node)
        if not ideas:
            return "There is nothing to look for, so the run ends here."
        words = list(dict.fromkeys(_WORD.findall(question.query.lower()))) if question else []
        taken = {word for idea in ideas for word in _WORD.findall(idea.lower())}
        left = [word for word in words if word not in taken]
        if not left:
            return "Each word of the question is in them: it may stand beside the answer." if question else ""
        named = [f"“{word}”" for word in left[:_LEFT]] + (["others"] if len(left) > _LEFT else [])
        one = len(named) == 1
        out = f"{listed(named)} {'is' if one else 'are'} left out"
        if any(map(is_content, left)):
            return f"The search keeps to what the question is about: {out}."
        return f"{out}: {'it names' if one else 'they name'} nothing to look for."

    def printed(self, entity: e.Entity, event: Explain) -> Iterator[str]:
        if isinstance(entity, e.Grounding):
            yield from counted("Key ideas", entity.ordered or entity.concepts)


class Concept(Said):
    """A key idea."""

    styles = ("s",)

    def lines(self, dag: ProvenanceDag, node: Node, *, ranked: bool = False) -> tuple[str, ...]:
        return (truncate(node.text, _LONGEST) or EMPTY,)

    def name(self, names: Names, node: Node) -> str:
        return f"“{truncate(node.text, _LONGEST)}”"

    def author(self, names: Names, node: Node) -> Author:
        return _taken_by(names.dag, names.dag.entities.get(node.iri.partition("#")[0]))

    def rows(self, names: Names, node: Node) -> Rows:
        """Return it, and the facts kept for it; nobody says which idea a passage was kept for."""
        key = session_of(node.iri)
        if is_of_passages(names.dag, key):
            return [panel_rows.title(node.text)]
        kept = names.dag.within(key, "EdgeSelection")
        fits = [fact for fact in kept if entity_of(fact, e.EdgeSelection).concept == node.text]
        none = "no fact was kept for it"
        return [panel_rows.title(node.text), panel_rows.listed("Facts it fits", fits, names.fact_item, none=none)]


def _taken_by(dag: ProvenanceDag, step: e.Entity | None) -> Author:
    if not isinstance(step, e.Grounding):
        return nobody()
    return by(dag, step.model, "picked out", by_rules("taken from the question"))


def _ideas(node: Node) -> list[str]:
    step = entity_of(node, e.Grounding)
    return list(step.ordered or step.concepts)
