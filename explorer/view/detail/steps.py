"""What the detail panel shows for the steps of a search: question, key ideas, what was looked at, answer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

from pyoxigraph import NamedNode

from explorer.dag.outcome import outcome_of, support_of
from explorer.dag.sentences import citations, numbers, sentences
from explorer.entities import (
    AgentQuestion,
    ChunkSelection,
    Citation,
    Conclusion,
    EdgeSelection,
    Entity,
    Exploration,
    Failure,
    Focus,
    Grounding,
    PatternDecision,
    Person,
    Question,
    RunActivity,
    Step,
    Synthesis,
)
from explorer.language.words import is_content, tokens
from explorer.models.chat import NO_LANGUAGE_MODEL
from explorer.text import count
from explorer.view.detail import rows
from explorer.view.limits import SEARCHED, at_most
from explorer.view.messages.authors import Author
from explorer.view.words.authors import (
    by,
    by_measure,
    by_model,
    by_rules,
    names_reasoner,
    nobody,
)
from explorer.view.words.names import is_of_passages
from explorer.view.words.phrases import listed
from explorer.vocab import RDF, iri, local_name, session_of
from explorer.wording.endings import of_failure
from explorer.wording.kinds import Kind, kind
from explorer.wording.lines import lines
from explorer.wording.outcomes import WORDS, means
from explorer.wording.ways import ENGINES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.dag import ProvenanceDag
    from explorer.dag.nodes import Node
    from explorer.view.detail.rows import Rows
    from explorer.view.messages.detail import Item, Row
    from explorer.view.words.names import Names

E = TypeVar("E", bound=Entity)
_SEARCH = ("Question", "Grounding", "Exploration", "Focus", "Synthesis")  # the stages of a search, in their order
_PARTS = {  # of a support, by the names of its features on record: what raises it, and what lowers it
    "base": ("an answer that is average in all of this",) * 2,
    "similarity": (
        "nearer to the question in words and meaning than most",
        "less near to it in words and meaning than most",
    ),
    "asked-for kind": (
        "has the kind of thing that is asked for",
        "the kind of thing that is asked for is less clear than in most",
    ),
    "head noun": (
        "speaks of what the question is about",
        "speaks less of what the question is about than most",
    ),
    "names": ("has the names of the question", "has fewer names of the question than most"),
    "numbers": ("has the numbers of the question", "has fewer numbers of the question than most"),
    "negation": ("nothing in it is denied or says the opposite", "something in it is denied or says the opposite"),
}
_REASONERS = {"extractive": "rules that measure and quote; no language model wrote anything"}
_VECTORS = "wordllama"  # of words, looked up in a table


def question(names: Names, node: Node) -> Rows:
    """What was asked, when, by whom, with which settings, and of a what-if without what."""
    asked = entity_of(node, Question)
    acted = names.dag.entities.get(iri("run", session_of(asked.iri)))
    agents = [names.dag.entities.get(one) for one in acted.agents] if isinstance(acted, RunActivity) else []
    engine = (asked.engine or "").split("/")[0]
    reasoner = asked.reasoner or ""
    given = asked.parameters or {}
    of_passages = engine == "document-rag"
    mode = str(given.get("mode" if of_passages else "selector", ""))
    return [
        rows.title(asked.query),
        rows.time("Asked", asked.started_at),
        rows.text("Asked by", ", ".join(one.label or one.iri for one in agents if isinstance(one, Person))),
        rows.text("Database role", acted.database_role if isinstance(acted, RunActivity) else None),
        rows.text("How", ENGINES[engine].about if engine in ENGINES else engine),
        rows.text("Searched", SEARCHED.get(mode, mode)),
        rows.text("Reasoned by", _REASONERS.get(reasoner.partition("/")[0], reasoner)),
        rows.text("Meanings compared by", _comparing(asked.embedder)),
        rows.text("At most", listed(at_most(given))),
        rows.listing("Asked without", left_out_items(names, asked)),
        rows.text("Searched in", f"{count(len(asked.within), 'document')} alone" if asked.within else ""),
    ]


def _comparing(embedder: str | None) -> str | None:
    """Return what compared meanings; nothing of it writes."""
    small = "a small table of word vectors, which writes nothing"
    return small if embedder and embedder.startswith(_VECTORS) else embedder


def left_out_items(names: Names, asked: Question) -> list[Item]:
    """Return what a what-if left out."""
    facts: list[Item] = [{"text": names.sentence(fact)} for fact in asked.without_facts]
    others: list[Item] = [{"text": names.dag.labels.get(iri) or local_name(iri)} for iri in asked.without]
    return [*facts, *others]


def concept(names: Names, node: Node) -> Rows:
    """One key idea and the facts kept for it."""
    idea = node.text
    key = session_of(node.iri)
    kept = names.dag.within(key, "EdgeSelection")
    fits = [fact for fact in kept if entity_of(fact, EdgeSelection).concept == idea]
    if is_of_passages(names.dag, key):  # nobody says which idea a passage was kept for
        return [rows.title(idea)]
    return [rows.title(idea), rows.listed("Facts it fits", fits, names.fact_item, none="no fact was kept for it")]


def stage(names: Names, node: Node) -> Rows:
    """A stage of a search: the key ideas, what was looked at, what was kept with score and reason, or the answer."""
    step, dag = entity_of(node, Step), names.dag
    own: Rows = []
    match step:
        case Grounding():
            ideas: list[Item] = [{"text": idea.text, "node": idea.iri if names.drawn(idea.iri) else None}
                     for idea in names.children(node, "concept")]  # fmt: skip
            author = by(dag, step.model, "picked out", by_rules("taken from the question"))
            refused: list[Item] = [{"text": text} for text in step.refused or ()]
            own = [
                rows.listing("To look for", ideas, author),
                rows.text("How they were taken", step.rule),
                rows.listing("Refused: a whole sentence, or not from the question", refused),
            ]
        case Exploration():
            seeds: list[Item] = [{"text": dag.labels.get(iri) or local_name(iri)} for iri in step.entities]
            looked = count(step.count, "passage" if step.of_chunks else "fact")
            return [rows.text("Looked at", looked), rows.listing("Starting from", seeds), rows.took(step)]
        case Focus():
            given = numbers(dag)
            kept = sorted(names.children(node, "selected"), key=best_first)
            author = by(dag, step.model, "scored and reasoned", by_measure())
            own = [
                rows.text(lines(dag, node)[0], lines(dag, node)[1]),
                rows.kept(
                    "What it keeps",
                    kept,
                    lambda one: names.fact_item(one, number=given.get(one.iri), why=True),
                    author,
                ),
                rows.text("Rule", step.rule),
            ]
        case Synthesis():
            cited = cited_items(names, citations(dag, node.iri))
            written = author_of(dag, node)
            stands = (
                bool(cited) and dag.final is not None and dag.final.iri == node.iri
            )  # above, in the answer's own place
            own = [
                in_words(names, node),
                None if stands else {"k": "text", "text": dag.text(node.iri), "author": written},
                rows.listing("Rests on", cited, written if stands else None, none="nothing in your documents"),
                *supported(names, node),
            ]
    return [*own, rows.took(step), *rows.calls(step)]


def best_first(node: Node) -> float:
    """Return what orders facts and passages that were kept, the best first."""
    score = node.entity.score if isinstance(node.entity, EdgeSelection | ChunkSelection) else None
    return -(score or 0.0)


def asked_by(dag: ProvenanceDag, node: Node) -> str:
    """Return the question that an answer is to, or that something was kept for."""
    told = (one.entity for one in (*dag.within(session_of(node.iri), "Question"), *dag.roots))
    return next((one.query or "" for one in told if isinstance(one, Question)), "")


def in_words(names: Names, answer: Node) -> Row | None:
    """How an answer came out, as a sentence; nothing where that is not on record."""
    found = outcome_of(answer.entity)
    meaning = f"{WORDS[found]}: {means(names.dag, answer, found)}." if found in WORDS else ""
    return rows.text("Outcome", meaning, by_measure() if support_of(answer.entity) else None)


def supported(names: Names, answer: Node) -> Rows:
    """The support for an answer in figures, and the parts it is made of; nothing where none is on record."""
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
    scale = "(0.50 where they add up to 0; more above it, less below)"
    total = [f"together {odds:+.2f}, which makes a support of {support.value:.2f} of 1 {scale}"] if parts else []
    items: list[Item] = [{"text": re.sub(r"-(?=\d)", "−", text)} for text in (*parts, *total)]
    return rows.folded(
        rows.text("Support", f"{support.value:.2f} of 1", by_measure()),
        rows.listing("What raises (+) and lowers (−) it", items),
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


def cited_items(names: Names, cites: list[Citation]) -> list[Item]:
    """Return links to what an answer cites, each once, in its order and with the numbers of its text."""
    known, given = names.dag.graph.nodes, numbers(names.dag)
    wanted = dict.fromkeys(iri for citation in cites for iri in citation.cites)
    return [names.fact_item(names.dag.node(iri), number=given.get(iri))
            for iri in wanted if iri in known and "node" in known[iri]]  # fmt: skip


def sentence(names: Names, node: Node) -> Rows:
    """A sentence of an answer: its words, and what it cites."""
    answer = names.dag.node(node.iri.partition("#")[0])
    cites = [node.entity] if isinstance(node.entity, Citation) else []
    return [
        {"k": "text", "text": node.text, "author": author_of(names.dag, answer)},
        rows.listing("Rests on", cited_items(names, cites), none="nothing: it cites no source"),
        rows.listing("Part of", [{"text": names.name(answer), "node": answer.iri}]),
    ]


def failure(names: Names, node: Node) -> Rows:
    """What went wrong and where, what is on record of the run, and what one can do."""
    step = entity_of(node, Failure)
    ended, above = of_failure(step), [*names.parents(node)]
    last: list[Item] = [{"text": names.name(one), "node": one.iri} for one in above]
    at_work = [stage for one in above if (stage := _next_stage(one)) is not None]
    return [
        rows.trouble(step.error),
        rows.text("How it ended", None if ended.about == step.error else ended.about),
        rows.text("Was at work on", at_work and f"{at_work[0].word} ({at_work[0].term})"),
        rows.listing("Last step before", last),
        rows.took(step),
        rows.tokens(step),
        rows.text("What there is", "All steps up to here are on record, with what they found: click them to read it."),
        rows.text("What to do", ended.then),
    ]


def _next_stage(node: Node) -> Kind | None:
    """Return the stage of a search that follows a step of it; None after any other."""
    if isinstance(node.entity, AgentQuestion) or node.kind not in _SEARCH[:-1]:
        return None
    return kind(_SEARCH[_SEARCH.index(node.kind) + 1])


def unknown(names: Names, node: Node) -> Rows:
    """A node of a type there are no words for: its own name, its type, and what it follows from."""
    entity = node.entity
    types = [local_name(triple.object.value) for triple in entity.other
             if triple.predicate == RDF.type and isinstance(triple.object, NamedNode)] if entity else []  # fmt: skip
    above: list[Item] = [{"text": names.name(parent), "node": parent.iri} for parent in names.parents(node)]
    return [
        rows.title((entity.label if entity else None) or local_name(node.iri)),
        rows.text("Its type", f"{listed(types) or 'not recorded'}: this version cannot say more about it"),
        rows.listing("Follows from", above),
    ]


def answer_author(dag: ProvenanceDag) -> Author | None:
    """Return who wrote the answer; None before there is one."""
    return None if dag.final is None else author_of(dag, dag.final)


def author_of(dag: ProvenanceDag, node: Node) -> Author | None:
    """Return who wrote an answer: the last of a run, or that of a search within it."""
    written = node.entity
    if not isinstance(written, Synthesis | Conclusion):
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
    told = all(one.entity is not written for one in sentences(dag, written))
    own = "" if told and dag.text(node.iri).startswith(_first_quoted(dag, node)) else "quotations "
    return {"sign": "”", "text": f"{own}copied word for word from the sources, {NO_LANGUAGE_MODEL}"}


def _first_quoted(dag: ProvenanceDag, answer: Node) -> str:
    """Return the words of an answer that its first citation stands at: before them it speaks for itself."""
    first = next(iter(citations(dag, answer.iri)), None)
    return dag.text(answer.iri)[first.start or 0 : first.end or 0] if first else ""


def is_agent(dag: ProvenanceDag) -> bool:
    """Return whether an agent was asked, and no search by itself."""
    return any(isinstance(root.entity, AgentQuestion | PatternDecision) for root in dag.roots)


def entity_of(node: Node, cls: type[E]) -> E:
    """Return the record node that a node of the graph carries; raises TypeError when it is of another class."""
    if not isinstance(node.entity, cls):
        message = f"{node.iri} should carry a {cls.__name__}, not {type(node.entity).__name__}"
        raise TypeError(message)
    return node.entity


ROWS: rows.Table = {
    "Question": question,
    "Grounding": stage,
    "Concept": concept,
    "Exploration": stage,
    "Focus": stage,
    "Synthesis": stage,
    "Sentence": sentence,
    "Failure": failure,
    "Unknown": unknown,
}
