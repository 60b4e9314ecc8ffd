"""What is said of an answer, and of a sentence of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from explorer import entities as e
from explorer.dag import ProvenanceDag
from explorer.dag.nodes import Node
from explorer.dag.outcome import outcome_at, put_down, since, support_of
from explorer.dag.retrieved import is_recorded
from explorer.dag.sentences import citations, is_quoted, numbers, sentences
from explorer.language.words import is_content, tokens
from explorer.models.chat import NO_LANGUAGE_MODEL
from explorer.text import count, in_quotes, truncate
from explorer.vocab import session_of
from explorer.wording import panel_rows
from explorer.wording.authors import Author, by_measure, by_model, by_rules, names_reasoner, nobody
from explorer.wording.endings import DECLINED, ENDINGS
from explorer.wording.names import Names, asked_by, is_agent
from explorer.wording.node_words import Said, Styled, entity_of, numbered, of_stage
from explorer.wording.outcomes import NOTHING, SIGNS, missing, signed, stands
from explorer.wording.panel_rows import Item, Row, Rows
from explorer.wording.phrases import listed
from explorer.wording.retrieved import how_known
from explorer.wording.tally import tally
from explorer.wording.ways import search_word

_LONGEST = 300  # letters: more never fit into a label
_PARTS = {  # of a support, by the names of its features on record: what raises it, and what lowers it
    "base": ("an average answer",) * 2,
    "similarity": (
        "close to the question in words and meaning",
        "far from the question in words and meaning",
    ),
    "asked-for kind": (
        "has the kind of thing asked for",
        "the kind of thing asked for is unclear",
    ),
    "head noun": (
        "speaks of the same thing",
        "hardly speaks of the same thing",
    ),
    "names": ("has the names of the question", "lacks names of the question"),
    "numbers": ("has the numbers of the question", "lacks numbers of the question"),
    "negation": ("nothing contradicts it", "something contradicts it"),
}


class _Answer(Said):
    """An answer: of a search, or of an agent."""

    def held(self, dag: ProvenanceDag, node: Node) -> str | None:
        told = len(sentences(dag, entity_of(node, e.Answer)))
        came_out = signed(outcome_at(dag, node), since(dag, node))
        return ", ".join(filter(None, (came_out, count(told, "sentence") if told else ""))) or None

    def lines(self, dag: ProvenanceDag, node: Node, *, ranked: bool = False) -> tuple[str, ...]:
        """Return the word for it, and how it came out where that is known."""
        return (numbered(node), *filter(None, (self.held(dag, node),)))

    def label(self, dag: ProvenanceDag, node: Node) -> Styled:
        return of_stage(numbered(node), signed(outcome_at(dag, node), since(dag, node)))

    def progress(self, dag: ProvenanceDag, node: Node) -> str | None:
        if entity_of(node, e.Answer).termination_reason == "declined":
            return ENDINGS["declined"].word
        found = [one.entity for one in dag.within(session_of(node.iri), "Focus")]
        return tally(dag, found[-1]) if found and isinstance(found[-1], e.Focus) else None

    def lesson(self, dag: ProvenanceDag, node: Node) -> str:
        step = entity_of(node, e.Answer)
        if step.termination_reason == "declined":
            return "Nothing was made up: what was found does not answer the question."
        ruled = "Rules, without a language model, put the answer together"
        by = ruled if names_reasoner(dag) else "The answer was written"
        by = f"The model {step.model} wrote the answer" if step.model else by
        return f"{by} from what was kept; {_cites(dag, step)}."

    def why(self, dag: ProvenanceDag, node: Node) -> str:
        return f"{said}." if (said := stands(dag, node)) else ""


class Synthesis(_Answer):
    """The answer of a search, or of a plan or team."""

    coming: ClassVar = {
        "facts": "The answer is made from what was kept alone. Each number in it leads to the {noun} it rests on.",
        "agent": "The answer is made from these results and from nothing else.",
    }

    def rows(self, names: Names, node: Node) -> Rows:
        dag, cited = names.dag, cited_items(names, citations(names.dag, node.iri))
        stands = bool(cited) and dag.final is not None and dag.final.iri == node.iri  # above, in the answer's own place
        return [
            in_words(names, node),
            None if stands else {"k": "text", "text": dag.text(node.iri), "author": author_of(dag, node)},
            panel_rows.listing("Rests on", cited, none="nothing in your documents"),
            *supported(names, node),
            *panel_rows.spent(names.dag, entity_of(node, e.Step)),
        ]

    def came(self, dag: ProvenanceDag, node: Node) -> str:
        declined = entity_of(node, e.Answer).termination_reason == "declined"
        if dag.final is None or dag.final.iri != node.iri:  # of a search within an agent's run
            return f"The sub-run declined: {DECLINED}" if declined else "The sub-run found an answer"
        return f"Declined: {DECLINED}" if declined else "Answer recorded"


class Conclusion(_Answer):
    """The answer of an agent that works step by step."""

    def progress(self, dag: ProvenanceDag, node: Node) -> str | None:
        return ENDINGS["declined"].word if entity_of(node, e.Answer).termination_reason == "declined" else None

    def rows(self, names: Names, node: Node) -> Rows:
        step = entity_of(node, e.Conclusion)
        return [
            in_words(names, node),
            {"k": "text", "text": names.dag.text(node.iri), "author": author_of(names.dag, node)},
            panel_rows.listing("Rests on", cited_items(names, citations(names.dag, node.iri))),
            _found_by(names, node),
            *supported(names, node),
            panel_rows.ended(step),
            panel_rows.text("Rule", step.rule),
            *panel_rows.spent(names.dag, step),
        ]

    def came(self, dag: ProvenanceDag, node: Node) -> str:
        final = dag.final is not None and dag.final.iri == node.iri
        return "Answer recorded" if final else "The agent for this part has its answer"


class Sentence(Said):
    """A sentence of an answer."""

    styles = ("s++++",)

    def lines(self, dag: ProvenanceDag, node: Node, *, ranked: bool = False) -> tuple[str, ...]:
        """Return its words, behind the sign of how it came out; in quotation marks but where a person put them down."""
        sign, words = SIGNS.get(outcome_at(dag, node) or "", ""), truncate(node.text, _LONGEST)
        cites = [node.entity] if isinstance(node.entity, e.Citation) else []
        return (f"{sign} {in_quotes(words) if put_down(dag, cites) == 'none' else words}".strip(),)

    def name(self, names: Names, node: Node) -> str:
        return f"Sentence {node.iri.rpartition('-')[2]}"

    def heading(self, names: Names, node: Node) -> str:
        return self.name(names, node)

    def rows(self, names: Names, node: Node) -> Rows:
        answer = names.dag.node(node.iri.partition("#")[0])
        cites = [node.entity] if isinstance(node.entity, e.Citation) else []
        return [
            {"k": "text", "text": node.text, "author": author_of(names.dag, answer, *cites)},
            panel_rows.listing("Rests on", cited_items(names, cites), none="nothing: it cites no source"),
            *(_known(one, recorded=is_recorded(names.dag)) for one in cites),
            panel_rows.text(
                "Not in the source",
                "; ".join(said.removeprefix("not there: ") for one in cites for said in missing(one)),
            ),
            panel_rows.listing("Part of", [{"text": names.name(answer), "node": answer.iri}]),
        ]


def _known(one: e.Citation, *, recorded: bool) -> Row | None:
    """Return how it is known what a sentence of another pipeline rests on."""
    return panel_rows.text(
        "How that is known", how_known(one) or (f"{NOTHING.capitalize()}." if recorded and not one.cites else "")
    )


def _cites(dag: ProvenanceDag, step: e.Answer) -> str:
    """Return how many of the sentences of an answer cite their sources."""
    own = session_of(step.iri)
    number = sum(
        isinstance(one, e.Citation) and bool(one.cites) and session_of(one.iri) == own for one in dag.entities.values()
    )
    told = max(number, len(sentences(dag, step)))
    all_of = "both" if told == 2 else f"all {told}"
    every = "its one sentence cites its source" if told == 1 else f"{all_of} sentences cite their sources"
    some = f"{number} of {told} sentences {'cites its source' if number == 1 else 'cite their sources'}"
    return (every if number == told else some) if number else "no sentence of it cites a source"


def _found_by(names: Names, node: Node) -> Row | None:
    """Return which searches within found what an answer cites: such a search by itself is no second witness."""
    cited = [key for one in citations(names.dag, node.iri) for key in one.cites]
    found = dict.fromkeys(key for one in cited if (key := session_of(one)) not in ("", session_of(node.iri)))
    asked = [(one, one.entity) for key in found for one in names.dag.within(key, "Question")]
    words = dict.fromkeys(search_word(entity) for _, entity in asked)
    if not words:
        return None
    named = listed([*words])
    items: list[Item] = [{"text": f"{search_word(entity)}: {entity.query}", "node": one.iri}
                         for one, entity in asked if isinstance(entity, e.Question)]  # fmt: skip
    if items:
        items[-1]["why"] = f"The same sources: the {named} is no second witness."
    return panel_rows.listing("Found by sub-runs", items)


def in_words(names: Names, answer: Node) -> Row | None:
    """Return how an answer came out, as a sentence; nothing where that is not on record."""
    said = stands(names.dag, answer)
    return panel_rows.text("Outcome", said and f"{said}.", by_measure() if support_of(answer.entity) else None)


def supported(names: Names, answer: Node) -> Rows:
    """Return the support for an answer in figures, and the parts it is made of; nothing where none is on record."""
    support = support_of(answer.entity)
    if support is None:
        return []
    asked = asked_by(names.dag, answer)
    parts = [
        f"{_PARTS.get(name, (name, name))[value < 0]} {value:+.2f}"
        for name, value in _told(support.parts, asked).items()
        if round(value, 2)
    ]
    odds = sum(support.parts.values())
    total = [f"sum {odds:+.2f}: a support of {support.value:.2f} of 1"] if parts else []
    items: list[Item] = [{"text": re.sub(r"-(?=\d)", "−", text)} for text in (*parts, *total)]
    return panel_rows.folded(
        panel_rows.text("Support", f"{support.value:.2f} of 1", by_measure()),
        panel_rows.listing("What raises (+) and lowers (−) it", items),
    )


def _told(parts: Mapping[str, float], asked: str) -> dict[str, float]:
    """Return the parts of a support that say something of this question.

    What counts for names or numbers of one that has none is the same for each answer, and belongs to where they begin.
    """
    first, *others = tokens(asked) or [""]
    named = is_content(first) or any(word[0].isupper() for word in others)
    counts = {"names": named, "numbers": any(map(str.isdigit, asked))}
    nothing = [name for name in parts if not counts.get(name, True)]
    told = {name: value for name, value in parts.items() if name not in nothing}
    return {**told, "base": told.get("base", 0.0) + sum(parts[name] for name in nothing)} if nothing else told


def cited_items(names: Names, cites: list[e.Citation]) -> list[Item]:
    """Return links to what an answer cites, each once, in its order and with the numbers of its text."""
    known, given = names.dag.graph.nodes, numbers(names.dag)
    wanted = dict.fromkeys(iri for citation in cites for iri in citation.cites)
    return [names.fact_item(names.dag.node(iri), number=given.get(iri))
            for iri in wanted if iri in known and "node" in known[iri]]  # fmt: skip


def answer_author(dag: ProvenanceDag) -> Author | None:
    """Return who wrote the answer; None before there is one."""
    return None if dag.final is None else author_of(dag, dag.final)


def author_of(dag: ProvenanceDag, node: Node, sentence: e.Citation | None = None) -> Author | None:
    """Return who wrote an answer, or a sentence of it: the last of a run, or that of a search within it."""
    written = node.entity
    if not isinstance(written, e.Synthesis | e.Conclusion):
        return None
    final = dag.final is not None and dag.final.iri == node.iri
    if written.model and final and is_agent(dag):
        return by_model("written", f"{written.model} from what its tools found")
    if written.model and final:
        return by_model("written", f"{written.model} from what was kept")
    if written.model:
        return by_model("written", written.model)
    if not names_reasoner(dag):
        return nobody()
    if written.termination_reason == "declined":
        return by_rules("declined")
    if is_agent(dag) and not citations(dag, node.iri):
        return None
    told = all(one.entity is not written for one in sentences(dag, written, notes=True))
    own = "" if told and dag.text(node.iri).startswith(_first_quoted(dag, node)) else "quotations "
    cites = [sentence] if sentence else citations(dag, node.iri)
    by_hand = put_down(dag, cites)
    if by_hand == "all":
        return {"sign": "✎", "text": f"put down by a person, not quoted from the sources, {NO_LANGUAGE_MODEL}"}
    but = ", but for what a person put down" if by_hand == "some" else ""
    rewritten = [iri for one in cites if not is_quoted(dag, node.iri, one) for iri in one.cites]
    texts = [found.text for iri in rewritten if iri in dag.graph for found in dag.node(iri).passages]
    tabled = any("|" in text or "\t" in text for text in texts)
    how = "from the sources, each table cell with its column's name" if tabled else "word for word from the sources"
    return {"sign": "”", "text": f"{own}copied {how}{but}, {NO_LANGUAGE_MODEL}"}


def _first_quoted(dag: ProvenanceDag, answer: Node) -> str:
    """Return the words of an answer that its first citation stands at: before them it speaks for itself."""
    first = next(iter(citations(dag, answer.iri)), None)
    return dag.text(answer.iri)[first.start or 0 : first.end or 0] if first else ""
