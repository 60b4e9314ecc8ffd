"""What is said of a question: that of a run, and one asked within another run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from explorer import entities as e
from explorer.dag import ProvenanceDag
from explorer.dag.nodes import Node
from explorer.events import Explain
from explorer.rdf.labels import edge_labels
from explorer.text import count, one_line, or_empty, truncate
from explorer.vocab import iri, local_name, recognise, session_of
from explorer.wording import panel_rows
from explorer.wording.answer import author_of
from explorer.wording.authors import Author
from explorer.wording.kinds import kind
from explorer.wording.limits import SEARCHED, at_most
from explorer.wording.names import Names
from explorer.wording.node_words import Said, Styled, entity_of, known, numbered
from explorer.wording.outcomes import searched
from explorer.wording.panel_rows import Item, Rows
from explorer.wording.phrases import listed
from explorer.wording.ways import ENGINES, search_word, tool

NOTHING = "nothing"  # left out, where other runs of the question left out something
_REASONERS = {"extractive": "rules, without a language model"}
_NOTE = "Your question is put on record first, with the time and all settings."
_VECTORS = "wordllama"  # of words, looked up in a table


class Question(Said):
    """What was asked."""

    coming: ClassVar = {"facts": _NOTE, "agent": _NOTE}

    def held(self, dag: ProvenanceDag, node: Node) -> str | None:
        return or_empty(entity_of(node, e.Question).query)

    def label(self, dag: ProvenanceDag, node: Node) -> Styled:
        style = "n+++" if isinstance(node.entity, e.AgentQuestion) else "n+"
        first, *_, last = self.lines(dag, node)
        return [("k", first), (style, last)]

    def beside(self, dag: ProvenanceDag, node: Node) -> Styled:
        return [("k", self.lines(dag, node)[0]), ("n++", self.held(dag, node) or "")]

    def rows(self, names: Names, node: Node) -> Rows:
        asked = entity_of(node, e.Question)
        acted = names.dag.entities.get(iri("run", session_of(asked.iri)))
        agents = [names.dag.entities.get(one) for one in acted.agents] if isinstance(acted, e.RunActivity) else []
        engine = (asked.engine or "").split("/")[0]
        reasoner = asked.reasoner or ""
        given = asked.parameters or {}
        embedder = "wordllama, offline" if (asked.embedder or "").startswith(_VECTORS) else asked.embedder
        mode = str(given.get("mode" if engine == "document-rag" else "selector", ""))
        return [
            panel_rows.title(asked.query),
            panel_rows.time("Asked", asked.started_at),
            panel_rows.text("Asked by", ", ".join(one.label or one.iri for one in agents if isinstance(one, e.Person))),
            panel_rows.text("Database role", acted.database_role if isinstance(acted, e.RunActivity) else None),
            panel_rows.text("Strategy", ENGINES[engine].about if engine in ENGINES else engine),
            panel_rows.text("Search", SEARCHED.get(mode, mode)),
            panel_rows.text("Reasoned by", _REASONERS.get(reasoner.partition("/")[0], reasoner)),
            panel_rows.text("Embedder", embedder),
            panel_rows.listing("Asked without", left_out_items(names, asked)),
            panel_rows.text("Searched in", searched(asked).removeprefix("in ")),
            *panel_rows.folded(panel_rows.text("Limits", listed(at_most(given)))),
        ]

    def author(self, names: Names, node: Node) -> Author:
        within = entity_of(node, e.Question).derived_from or node.kind == "Run"  # of a run that has no answer yet
        return {"sign": "✎", "text": "asked in this run" if within else "as it was asked"}

    def came(self, dag: ProvenanceDag, node: Node) -> str:
        asked = entity_of(node, e.Question)
        return f"Sub-run: {truncate(asked.query, 90)}" if asked.derived_from else "Question recorded"

    def lesson(self, dag: ProvenanceDag, node: Node) -> str:
        asked = entity_of(node, e.Question)
        if asked.derived_from:
            word = search_word(asked).lower()
            article = "An" if word.startswith(("a", "e", "i", "o")) else "A"
            return f"{article} {word} begins, folded into one node: “{truncate(asked.query, 90)}”."
        by = f"the model {asked.reasoner} works on it" if asked.reasoner else "who works on it is not"
        if (asked.reasoner or "").startswith("extractive"):
            by = "rules will answer it, without a language model"
        return f"The question is on record with its settings; {by}."

    def why(self, dag: ProvenanceDag, node: Node) -> str:
        within = entity_of(node, e.Question).derived_from
        return "" if within else "So that anyone can ask it again in the same way."

    def figures(self, dag: ProvenanceDag, node: Node) -> str:
        left = left_out(entity_of(node, e.Question))
        return "" if left == NOTHING else f"Asked without {left}."

    def printed(self, entity: e.Entity, event: Explain) -> Iterator[str]:
        if isinstance(entity, e.Question):
            yield f"Question: {one_line(entity.query)}"
            yield f"Time: {entity.started_at}"
            yield from (
                f"Without: ({', '.join(map(one_line, edge_labels(fact, {})))})" for fact in entity.without_facts
            )
            yield from (f"Without: {iri}" for iri in entity.without)
            yield from known("Varies", entity.varies)
            yield from (f"Within: {iri}" for iri in entity.within)


class Run(Question):
    """A run within the run, folded into one node."""

    def lines(self, dag: ProvenanceDag, node: Node, *, ranked: bool = False) -> tuple[str, ...]:
        return (kind("Run").word, search_word(node.entity), node.text)

    def label(self, dag: ProvenanceDag, node: Node) -> Styled:
        return [*zip("kbs", self.lines(dag, node), strict=True)]

    def name(self, names: Names, node: Node) -> str:
        return self.lines(names.dag, node)[1]

    def heading(self, names: Names, node: Node) -> str:
        return kind(node.kind).word

    def say(self, names: Names, node: Node) -> str:
        return f"{self.name(names, node)}: {node.text}; double-click opens it"

    def rows(self, names: Names, node: Node) -> Rows:
        """Return what was asked in it, what it kept or did, and its answer; each a link into it."""
        question = entity_of(node, e.Question)
        key, within = session_of(question.iri), names.dag.within
        kept = sorted([*within(key, "EdgeSelection"), *within(key, "ChunkSelection")], key=names.number)
        answers = [*within(key, "Synthesis"), *within(key, "Conclusion")]
        nothing = "" if isinstance(node.entity, e.AgentQuestion) else "nothing was chosen"
        steps: list[Item] = [
            {"text": f"{numbered(step)}: {tool(entity_of(step, e.Analysis).action)}", "node": step.iri}
            for step in within(key, "Analysis")
        ]
        return [
            panel_rows.title(self.name(names, node)),
            panel_rows.listing("Asked in it", [{"text": question.query, "node": question.iri}]),
            *(
                panel_rows.text("It answered", names.dag.text(one.iri), author_of(names.dag, one))
                for one in answers[-1:]
            ),
            panel_rows.listing("Steps", steps),
            panel_rows.listed("Kept", kept, names.fact_item, none=nothing),
        ]


def left_out(question: e.Question) -> str:
    """Return how much a what-if left out, by kind: "2 facts, 1 document"."""
    named = [found.kind if (found := recognise(iri)) else "" for iri in question.without]
    documents, names = named.count("document"), named.count("")
    tally = {
        "fact": len(question.without_facts),
        "passage": len(named) - documents - names,
        "document": documents,
        "name": names,
    }
    return ", ".join(count(number, noun) for noun, number in tally.items() if number) or NOTHING


def left_out_items(names: Names, asked: e.Question) -> list[Item]:
    """Return what a what-if left out."""
    facts: list[Item] = [{"text": names.sentence(fact)} for fact in asked.without_facts]
    others: list[Item] = [{"text": names.dag.labels.get(iri) or local_name(iri)} for iri in asked.without]
    return [*facts, *others]
