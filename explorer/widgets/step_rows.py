"""What the detail panel says about the steps of a run and the facts it kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from explorer.captions import count, term_label
from explorer.entities import (
    Candidate,
    ChunkSelection,
    EdgeSelection,
    Entity,
    Exploration,
    Failure,
    Focus,
    Grounding,
    Question,
    Synthesis,
)
from explorer.vocab import local_name
from explorer.widgets import rows
from explorer.widgets.names import is_of_passages
from explorer.widgets.words import Author, by_extractor, by_measure, by_model, by_rules, clock, hand, listed

if TYPE_CHECKING:
    from pyoxigraph import Triple

    from explorer.dag import ProvenanceDag
    from explorer.nodes import Node
    from explorer.widgets.names import Names
    from explorer.widgets.rows import Row

E = TypeVar("E", bound=Entity)
_ENGINES = {
    "graph-rag": "Graph search: facts first, then an answer from what they say",
    "document-rag": "Passage search: whole passages, and an answer from what they say",
}
_REASONERS = {"extractive": "the built-in reasoner: it measures and copies, no model"}
_LIMITS = {
    "entity_limit": "{} starting points",
    "triple_limit": "{} facts from one thing in one direction",
    "max_subgraph_size": "{} facts looked at",
    "max_path_length": "{} steps from a starting point",
    "edge_score_limit": "{} facts compared",
    "edge_limit": "{} facts kept",
    "doc_limit": "{} passages kept",
    "fetch_limit": "{} passages looked at",
}
_SEARCHED = {
    "vector": "by meaning",
    "keyword": "by words",
    "hybrid": "by meaning and by words",
    "reasoning": "by a walk through the graph, then compared",
    "rerank": "hop by hop, compared at each",
}


def question(names: Names, node: Node) -> list[Row]:
    """What was asked, when, and with which settings."""
    del names
    asked = _as(node, Question)
    engine = (asked.engine or "").split("/")[0]
    reasoner = asked.reasoner or ""
    given = asked.parameters or {}
    of_passages = engine == "document-rag"
    limits = [_LIMITS.get(key, f"{key} {{}}").format(value) for key, value in given.items()
              if value is not None and (key in _LIMITS or not (of_passages or key == "selector"))]  # fmt: skip
    mode = str(given.get("mode" if of_passages else "selector", ""))
    return [
        rows.title(asked.query),
        rows.text("Asked", clock(asked.started_at)),
        rows.text("How", _ENGINES.get(engine, engine)),
        rows.text("Searched", _SEARCHED.get(mode, mode)),
        rows.text("Reasoned by", _REASONERS.get(reasoner.partition("/")[0], reasoner)),
        rows.text("Similarity by", asked.embedder),
        rows.text("At most", listed(limits)),
    ]


def grounding(names: Names, node: Node) -> list[Row]:
    """The key ideas, each a link."""
    step = _as(node, Grounding)
    items = [{"text": names.concept(idea), "node": idea.iri} for idea in names.children(node, "concept")]
    author = by_model("picked out", step.model) if step.model else by_rules("taken from the question")
    return [rows.listing("To look for", items, author), rows.took(step), rows.tokens(step)]


def concept(names: Names, node: Node) -> list[Row]:
    """One key idea and the facts kept for it."""
    idea = names.concept(node)
    facts = [fact for fact in names.dag.nodes("EdgeSelection") if _as(fact, EdgeSelection).concept == idea]
    items = [names.fact_item(fact) for fact in facts]
    if is_of_passages(names.dag):  # nobody says which idea a passage was kept for
        return [rows.title(idea)]
    return [rows.title(idea), rows.listing("Facts it fits", items, none="none was kept for it")]


def exploration(names: Names, node: Node) -> list[Row]:
    """How many facts were looked at, and from where."""
    step = _as(node, Exploration)
    seeds = [{"text": names.dag.known.labels.get(iri) or local_name(iri)} for iri in step.entities]
    return [
        rows.text("Looked at", node.lines[-1].removesuffix(" looked at")),
        rows.listing("Starting from", seeds),
        rows.took(step),
    ]


def not_kept(names: Names, node: Node) -> list[Row]:
    """The nearest of what was left out."""
    nearest = [member for member in node.members if isinstance(member, Candidate)]
    items = [{"text": names.sentence(member.edge), "more": _match(member.score)} for member in nearest]
    return [
        rows.text("How many", node.lines[1]),
        rows.text("Why not", "Each fits the question less well than those kept."),
        rows.listing("The nearest", items),
    ]


def focus(names: Names, node: Node) -> list[Row]:
    """The facts kept, each with its score and reason."""
    step = _as(node, Focus)
    items = [names.fact_item(fact, why=True) for fact in names.children(node, "selected")]
    author = by_model("scored and reasoned", step.model) if step.model else by_measure()
    return [
        rows.text("Kept", node.lines[1]),
        rows.listing("Best match first", items, author),
        rows.took(step),
        rows.tokens(step),
    ]


def fact(names: Names, node: Node) -> list[Row]:
    """One fact: what it says, why it was kept, how well it fits, and all its sources."""
    chosen = _as(node, EdgeSelection)
    steps = [parent.entity for parent in names.parents(node)]
    model = next((step.model for step in steps if isinstance(step, Focus)), None)
    author = by_model("reasoned", model) if model else by_rules("put in words")
    return [
        _triple(chosen.edge, names) if chosen.edge else {},
        rows.text("Why it was kept", chosen.reasoning, author),
        _score(names, node, chosen),
        _idea(names, chosen),
        _sources(names, node),
    ]


def chunk(names: Names, node: Node) -> list[Row]:
    """One passage that was kept: how well it fits, and where it stands."""
    chosen = _as(node, ChunkSelection)
    score: Row = {}
    if chosen.score is not None:
        said = {"value": chosen.score, "text": f"{chosen.score:.2f} of 1", "more": names.rank(node)}
        score = {"k": "match", "label": "Match", "author": _measured(names, node), **said}
    items = [names.place_item(source) for source in names.children(node, "source")]
    where = rows.passages("Where it stands", items) if items else rows.text("Where it stands", "No recorded source.")
    return [rows.text("Chunk", chosen.document), score, where]


def synthesis(names: Names, node: Node) -> list[Row]:
    """The answer and the facts it rests on."""
    step, known = _as(node, Synthesis), names.dag.known
    cited = {iri for citation in known.citations for iri in citation.cites}
    items = [names.fact_item(one) for one in names.cited() if one.iri in cited]
    return [
        {"k": "text", "text": names.dag.answer, "author": answer_author(names.dag)},
        rows.listing("Rests on", items, none=f"no {known.noun}"),
        rows.took(step),
        rows.tokens(step),
    ]


def failure(names: Names, node: Node) -> list[Row]:
    """What went wrong, and what was kept."""
    del names
    step = _as(node, Failure)
    said = {"k": "trouble", "text": step.error or "The reason was not recorded."}
    return [said, rows.took(step), rows.text("What was kept", "Everything above it is on record.")]


def unknown(names: Names, node: Node) -> list[Row]:
    """A node of a type there are no words for."""
    del names
    return [
        rows.text("What it is", node.lines[-1]),
        rows.text("Its type", f"{node.lines[0]}: this version has no more words for it"),
    ]


def answer_author(dag: ProvenanceDag) -> Author | None:
    """Say who wrote the answer; None before there is one."""
    for node in dag.nodes("Synthesis"):
        model = _as(node, Synthesis).model
        if model:
            return by_model("written", f"{model} from {count(dag.known.kept or None, dag.known.noun)}")
        if dag.known.declined:
            return by_rules("declined")
        return {"sign": "”", "text": "copied word for word from the sources, no model"}
    return None


def _as(node: Node, cls: type[E]) -> E:
    if not isinstance(node.entity, cls):
        message = f"{node.iri} should carry a {cls.__name__}, not {type(node.entity).__name__}"
        raise TypeError(message)
    return node.entity


def _match(score: float | None) -> str | None:
    return None if score is None else f"match {score:.2f}"


def _triple(edge: Triple, names: Names) -> Row:
    ends = zip("spo", (edge.subject, edge.predicate, edge.object), strict=True)
    labels = names.dag.known.labels
    return {"k": "triple"} | {key: {"text": term_label(term, labels), "iri": str(term)} for key, term in ends}


def _measured(names: Names, node: Node) -> Author:
    """Say who scored: a model, if the step it was kept in names one."""
    models = [parent.entity.model for parent in names.parents(node) if isinstance(parent.entity, Focus)]
    return by_model("scored", models[0]) if models and models[0] else by_measure()


def _score(names: Names, node: Node, chosen: EdgeSelection) -> Row:
    if chosen.score is None:
        return {}
    said = {"value": chosen.score, "text": f"{chosen.score:.2f} of 1", "more": names.rank(node)}
    return {"k": "match", "label": "Match", "author": by_measure(), **said}


def _idea(names: Names, chosen: EdgeSelection) -> Row:
    if not chosen.concept:
        return {}
    nodes = names.concepts(chosen)
    return rows.listing("Key idea it fits", [{"text": chosen.concept, "node": nodes[0] if nodes else None}])


def _sources(names: Names, node: Node) -> Row:
    """All sources of a fact; when several hands took it down, each source says whose."""
    if not node.passages:
        return rows.text("Where it is from", "No recorded source.")
    sources = names.children(node, "source")
    items = [names.place_item(source) for source in sources]
    agents = {passage.extracted_by for passage in node.passages}
    if len(agents) == 1:
        return rows.passages("Where it is from", items, by_extractor(agents.pop()))
    for item, source in zip(items, sources, strict=True):
        hands = {hand(passage.extracted_by) for passage in node.passages if passage in source.passages}
        item["more"] = listed(sorted(hands))
    return rows.passages("Where it is from", items)
