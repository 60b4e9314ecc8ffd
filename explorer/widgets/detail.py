"""What the panel says about a node, as typed rows of plain data; the page only lays them out.

A row has a kind `k`, usually a `label` and sometimes an `author`: who said it, with a sign. Items that name a `node`
are links to it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from explorer.captions import count, edge_labels, short, term_label
from explorer.entities import Candidate, EdgeSelection, Entity, Exploration, Failure, Focus, Grounding, Question, Step, Synthesis
from explorer.vocab import local_name, recognise
from explorer.widgets.record import raw
from explorer.widgets.words import (
    Author,
    by_extractor,
    by_measure,
    by_model,
    clock,
    found_in,
    listed,
    ordinal,
    place,
    seconds,
    whereabouts,
)

if TYPE_CHECKING:
    from pyoxigraph import BlankNode, Literal, NamedNode, Triple

    from explorer.dag import Node, ProvenanceDag
    from explorer.events import Passage

Row = dict[str, Any]
E = TypeVar("E", bound=Entity)
_LIMITS = {
    "entity_limit": "{} starting points",
    "triple_limit": "{} facts from one thing in one direction",
    "max_subgraph_size": "{} facts looked at",
    "max_path_length": "{} steps from a starting point",
    "edge_score_limit": "{} facts compared",
    "edge_limit": "{} facts kept",
}
_HANDS = {"rules": "⚙ by rules", "curator": "✎ by a person", "import": "⚙ imported"}


class Teller:
    """Tells about the nodes of one graph as it stands."""

    def __init__(self, dag: ProvenanceDag) -> None:
        """Take the graph; it may grow between calls."""
        self.dag = dag

    def name(self, node: Node) -> str:
        """Give the short name of a node, for the breadcrumb."""
        match node.entity:
            case EdgeSelection():
                return f"Fact {self.number(node)}"
            case Focus() as focus:
                return f"Focus: {len(focus.selected_edges)} kept"
        if node.kind in ("Page", "Section"):
            words = place(node.passages[0])
            return words[0].upper() + words[1:]
        if node.kind == "Document":
            return node.passages[0].title
        return {"NotKept": "Not kept", "Concept": f"“{node.lines[0]}”"}.get(node.kind, node.kind)

    def number(self, node: Node) -> int:
        """Give the number of a fact, counted from 1 as its label and the citations count."""
        named = recognise(node.iri)
        return 1 + (named.index or 0) if named else 1

    def rows(self, node: Node) -> list[Row]:
        """Give the rows of a node."""
        told = self._by_kind(node)(node)
        record = raw(node)
        return [row for row in told if row] + ([{"k": "raw", "rows": record}] if record else [])

    def heading(self, node: Node) -> str:
        """Give the heading of the panel."""
        if isinstance(node.entity, EdgeSelection):
            return f"Fact {self.number(node)} of {self.dag.known.kept}"
        words = {
            "Question": "Question", "Grounding": "Grounding: the key ideas", "Exploration": "Exploration: what was looked at",
            "Focus": "Focus: what was kept, and why", "Synthesis": "Synthesis: the answer", "NotKept": "Looked at, not kept",
            "Concept": "Key idea", "Passage": "Passage", "Document": "Document", "Failure": "What went wrong",
        }  # fmt: skip
        return words.get(node.kind) or self.name(node)

    def concepts(self, selection: EdgeSelection) -> list[str]:
        """Give the nodes of the key ideas that a fact was kept for."""
        return [node.iri for node in self.dag.nodes("Concept") if self._concept(node) == selection.concept]

    def say(self, node: Node) -> str:
        """Say in one line how the node came about, for the line below the graph."""
        match node.entity:
            case EdgeSelection() as chosen:
                idea = f"fits the idea “{chosen.concept}” → " if chosen.concept else ""
                read = f" → read {found_in(node.passages[0])}" if node.passages else " → no recorded source"
                return f"{idea}{self._rank(node)}{read}"
            case None:
                return self._say_source(node)
            case _:
                return ", ".join(node.lines)

    def _say_source(self, node: Node) -> str:
        if node.kind == "Passage":
            return f"fact{self._plural(node)} → these words {found_in(node.passages[0])}"
        if node.passages:
            return f"{self.name(node)} of {node.passages[0].title}" if node.kind != "Document" else self.name(node)
        return ", ".join(node.lines)

    def _plural(self, passage: Node) -> str:
        numbers = [str(self.number(fact)) for fact in self._parents(passage)]
        return f"{'s' if len(numbers) > 1 else ''} {listed(numbers)}"

    def _by_kind(self, node: Node) -> Callable[[Node], list[Row]]:
        told: dict[str, Callable[[Node], list[Row]]] = {
            "Question": self._question, "Grounding": self._grounding, "Concept": self._idea, "Exploration": self._exploration,
            "NotKept": self._not_kept, "Focus": self._focus, "EdgeSelection": self._fact, "Passage": self._passage,
            "Page": self._part, "Section": self._part, "Document": self._document, "Synthesis": self._synthesis,
            "Failure": self._failure,
        }  # fmt: skip
        return told.get(node.kind, self._unknown)

    # ---- steps

    def _question(self, node: Node) -> list[Row]:
        asked = _as(node, Question)
        made = asked.engine.split("/")[0] if asked.engine else None
        return [
            {"k": "text", "text": asked.query, "strong": True},
            _text("Asked", clock(asked.started_at)),
            _text("How", {"graph-rag": "Graph search: facts first, then an answer from what they say"}.get(made or "", made)),
            _text("Reasoned by", asked.reasoner and _reasoner(asked)),
            _text("Similarity by", asked.embedder),
            _text("At most", listed([_LIMITS.get(key, f"{key} {{}}").format(value) for key, value in (asked.parameters or {}).items()])),
        ]

    def _grounding(self, node: Node) -> list[Row]:
        items = [{"text": self._concept(idea), "node": idea.iri} for idea in self._children(node, "concept")]
        step = _as(node, Grounding)
        author = by_model("picked out", step.model) if step.model else {"sign": "⚙", "text": "taken from the question by rules, no model"}
        return [{"k": "list", "label": "To look for", "items": items, "author": author}, _took(step), _tokens(step)]

    def _idea(self, node: Node) -> list[Row]:
        facts = [fact for fact in self.dag.nodes("EdgeSelection") if _as(fact, EdgeSelection).concept == self._concept(node)]
        return [
            {"k": "text", "text": self._concept(node), "strong": True},
            {"k": "list", "label": "Facts it fits", "items": [self._link(fact) for fact in facts]} if facts
            else _text("Facts it fits", "none was kept for it"),
        ]

    def _exploration(self, node: Node) -> list[Row]:
        step = _as(node, Exploration)
        seeds = [{"text": self.dag.known.labels.get(iri) or local_name(iri)} for iri in step.entities]
        return [
            _text("Looked at", count(step.edge_count, "fact")),
            {"k": "list", "label": "Starting from", "items": seeds} if seeds else {},
            _took(step),
        ]

    def _not_kept(self, node: Node) -> list[Row]:
        items = []
        for member in (one for one in node.members if isinstance(one, Candidate)):
            match = f"match {member.score:.2f}" if member.score is not None else None
            items.append({"text": self._sentence(member.edge), "more": match})
        rows: list[Row] = [_text("How many", node.lines[1]), _text("Why not", "Each fits the question less well than those kept.")]
        if items:
            rows.append({"k": "list", "label": "The nearest", "items": items})
        return rows

    def _focus(self, node: Node) -> list[Row]:
        step = _as(node, Focus)
        facts = self._children(node, "selected")
        author = by_model("scored and reasoned", step.model) if step.model else {"sign": "≈", "text": "measured by similarity and shared words, no model"}
        return [
            _text("Kept", node.lines[1]),
            {"k": "list", "label": "Best match first", "items": [self._link(fact, why=True) for fact in facts], "author": author} if facts else {},
            _took(step),
            _tokens(step),
        ]

    def _fact(self, node: Node) -> list[Row]:
        chosen = _as(node, EdgeSelection)
        model = next((_as(focus, Focus).model for focus in self._parents(node) if isinstance(focus.entity, Focus)), None)
        rows: list[Row] = [self._triple(chosen.edge)] if chosen.edge else []
        if chosen.reasoning:
            author = by_model("reasoned", model) if model else {"sign": "⚙", "text": "put in words by rules, no model"}
            rows.append({"k": "text", "label": "Why it was kept", "text": chosen.reasoning, "author": author})
        if chosen.score is not None:
            rows.append({"k": "match", "label": "Match", "value": chosen.score, "cutoff": self._cutoff(), "text": f"{chosen.score:.2f} of 1",
                         "more": self._rank(node), "author": by_measure()})  # fmt: skip
        rows.append(self._link_idea(chosen))
        rows.append(self._sources(node))
        return rows

    def _synthesis(self, node: Node) -> list[Row]:
        step = _as(node, Synthesis)
        cited = {iri for citation in self.dag.known.citations for iri in citation.cites}
        facts = [fact for fact in self.dag.nodes("EdgeSelection") if fact.iri in cited]
        return [
            {"k": "text", "text": self.dag.answer, "author": answer_author(self.dag)},
            {"k": "list", "label": "Rests on", "items": [self._link(fact) for fact in facts]} if facts else _text("Rests on", "no fact"),
            _took(step),
            _tokens(step),
        ]

    def _failure(self, node: Node) -> list[Row]:
        step = _as(node, Failure)
        return [{"k": "trouble", "text": step.error or "The reason was not recorded."}, _took(step), _text("What was kept", "Everything above is on record.")]

    def _unknown(self, node: Node) -> list[Row]:
        return [_text("What it is", node.lines[-1]), _text("Known as", "a kind of record this version has no words for")]

    # ---- sources

    def _passage(self, node: Node) -> list[Row]:
        first = node.passages[0]
        authors = list(dict.fromkeys(passage.extracted_by for passage in node.passages))
        rows: list[Row] = [
            {"k": "quote", "text": first.text, "author": {"sign": "”", "text": "copied word for word"}},
            _text("Stands on", self._where(first)),
            {"k": "list", "label": "Facts it holds", "items": [self._link(fact) for fact in self._parents(node)], "author": by_extractor(authors[0])},
        ]
        return rows + [{"k": "text", "label": "", "text": "", "author": by_extractor(agent)} for agent in authors[1:]]

    def _part(self, node: Node) -> list[Row]:
        return [
            _text("Document", node.passages[0].title),
            {"k": "passages", "label": "Words used", "items": [self._quote_item(passage) for passage in self._parents(node)]},
        ]

    def _document(self, node: Node) -> list[Row]:
        first = node.passages[0]
        return [
            {"k": "text", "text": first.title, "strong": True},
            _text("Came from", first.source),
            {"k": "list", "label": "Used in this answer", "items": [{"text": self.name(part), "node": part.iri} for part in self._parents(node)]},
        ]

    # ---- parts of rows

    def _concept(self, node: Node) -> str:
        number = int(node.iri.rsplit("-", 1)[1])
        grounding = self._parents(node)[0].entity
        assert isinstance(grounding, Grounding)
        return (grounding.ordered or grounding.concepts)[number - 1]

    def _link(self, fact: Node, *, why: bool = False) -> Row:
        chosen = _as(fact, EdgeSelection)
        score = f"match {chosen.score:.2f}" if chosen.score is not None else None
        item = {"text": " ".join(fact.lines), "node": fact.iri, "more": score}
        return item | {"why": chosen.reasoning} if why else item

    def _link_idea(self, chosen: EdgeSelection) -> Row:
        if not chosen.concept:
            return {}
        nodes = self.concepts(chosen)
        item = {"text": chosen.concept, "node": nodes[0] if nodes else None}
        return {"k": "list", "label": "Key idea it fits", "items": [item]}

    def _sources(self, fact: Node) -> Row:
        if not fact.passages:
            return {"k": "text", "label": "Where it is from", "text": "No recorded source."}
        nodes = self._children(fact, "source")
        items = [self._source_item(passage) for passage in nodes]
        authors = list(dict.fromkeys(passage.extracted_by for passage in fact.passages))
        if len(authors) == 1:
            return {"k": "passages", "label": "Where it is from", "items": items, "author": by_extractor(authors[0])}
        for item, node in zip(items, nodes, strict=True):
            agents = {passage.extracted_by for passage in fact.passages if passage in node.passages}
            item["more"] = listed([_HANDS.get(agent, agent) for agent in sorted(agents)])
        return {"k": "passages", "label": "Where it is from", "items": items}

    def _source_item(self, node: Node) -> Row:
        passage = node.passages[0]
        return {"text": whereabouts(passage), "node": node.iri}

    def _quote_item(self, node: Node) -> Row:
        return {"text": f"“{short(node.passages[0].text, 90)}”", "node": node.iri}

    def _triple(self, edge: Triple) -> Row:
        ends = zip("spo", (edge.subject, edge.predicate, edge.object), strict=True)
        return {"k": "triple"} | {key: {"text": term_label(term, self.dag.known.labels), "iri": _iri(term)} for key, term in ends}

    def _sentence(self, edge: Triple | None) -> str:
        if edge is None:
            return "no edge recorded"
        subject, predicate, obj = edge_labels(edge, self.dag.known.labels)
        return f"{subject} — {predicate} → {obj}"

    def _rank(self, fact: Node) -> str:
        among = f" of {count(self.dag.known.explored, 'fact')}" if self.dag.known.explored else ""
        number = self.number(fact)
        return f"{'best' if number == 1 else f'{ordinal(number)} best'}{among}"

    def _cutoff(self) -> float | None:
        for node in self.dag.nodes("Question"):
            found = (_as(node, Question).parameters or {}).get("cutoff")
            return float(found) if found is not None else None
        return None

    def _where(self, passage: Passage) -> str:
        return f"{place(passage)} of {passage.title}" if place(passage) else passage.title

    def _children(self, node: Node, kind: str) -> list[Node]:
        ends = self.dag.graph.out_edges(node.iri, data="kind")
        return [self.dag.node(child) for _, child, arc in ends if arc == kind]

    def _parents(self, node: Node) -> list[Node]:
        nodes = self.dag.graph.nodes
        return [self.dag.node(iri) for iri in self.dag.graph.predecessors(node.iri) if "node" in nodes[iri]]


def answer_author(dag: ProvenanceDag) -> Author | None:
    """Say who wrote the answer; None before there is one."""
    for node in dag.nodes("Synthesis"):
        model = _as(node, Synthesis).model
        if model:
            return by_model("written", f"{model} from {count(dag.known.kept, 'fact')}")
        if dag.known.declined:
            return {"sign": "≈", "text": "declined by rule, no model"}
        return {"sign": "”", "text": "copied word for word from the sources, no model"}
    return None


def _as(node: Node, cls: type[E]) -> E:
    if not isinstance(node.entity, cls):
        message = f"{node.iri} should carry a {cls.__name__}, not {type(node.entity).__name__}"
        raise TypeError(message)
    return node.entity


def _text(label: str, text: object) -> Row:
    return {"k": "text", "label": label, "text": str(text)} if text else {}


def _took(step: Step) -> Row:
    return _text("Time", None if step.duration_ms is None else seconds(step.duration_ms / 1000))


def _tokens(step: Step) -> Row:
    if step.in_token is None or step.out_token is None:
        return {}
    return _text("Tokens", f"{step.in_token:,} in, {step.out_token:,} out")


def _reasoner(asked: Question) -> str:
    words = {"extractive": "the built-in extractive reasoner: measures and copies, no model"}
    return words.get((asked.reasoner or "").split("/")[0], asked.reasoner or "")


def _iri(term: NamedNode | BlankNode | Literal | Triple) -> str:
    return str(term)
