"""What is said of what a search kept: of the stage, of a fact, of a passage, and of what stands for several of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from pyoxigraph import Literal, NamedNode

from explorer import entities as e
from explorer.dag import ProvenanceDag
from explorer.dag.nodes import Node
from explorer.dag.passage_names import named_from, passage_name
from explorer.dag.sentences import citations, cut, numbers
from explorer.events import Explain, Passage
from explorer.rdf.labels import edge_labels, term_label
from explorer.text import count, opening, truncate
from explorer.vocab import local_name, session_of
from explorer.wording import panel_rows
from explorer.wording.authors import by, by_extractor, by_measure, by_rules, hand, names_reasoner, scored
from explorer.wording.kinds import kind
from explorer.wording.names import (
    IN_WIDE,
    Names,
    asked_by,
    best_first,
    is_of_passages,
    noun_of,
    number,
    was_not_enough,
    where,
)
from explorer.wording.node_words import Said, Styled, entity_of, numbered, of_stage
from explorer.wording.panel_rows import End, Item, Row, Rows, TripleRow
from explorer.wording.phrases import closest, closest_span, found_in, listed
from explorer.wording.retrieved import became_row
from explorer.wording.scores import parts_of
from explorer.wording.tally import kept_of, standing, tally

LIMIT = "below limit"  # as the record says that enough others were kept
_LONGEST_QUOTE, _LONGEST_TIP = 320, 2_000  # characters; all the words are in the source
_COUNTED = "A score counts words in common with the question, and nearness to it in meaning."


class Focus(Said):
    """The stage that keeps what fits."""

    coming: ClassVar = {
        "facts": "Of {looked}, those that answer are kept, and a few close to them. Each leads to its words.",
        "passages": "Of {looked}, those that fit the question best are kept.",
    }

    def lines(self, dag: ProvenanceDag, node: Node, *, ranked: bool = False) -> tuple[str, ...]:
        """Return how much was kept, used and read; where it was not enough, that."""
        step = entity_of(node, e.Focus)
        return (kind("Nearest").word if was_not_enough(dag, step) else numbered(node), tally(dag, step))

    def label(self, dag: ProvenanceDag, node: Node) -> Styled:
        """Return the word for it, and how much was kept; what was only read stands in a node of its own."""
        told = tally(dag, entity_of(node, e.Focus)).split(", ")
        kept = [one for one in told if not one.endswith(" read")]
        apart = kept if any("passage" in one for one in kept) else [", ".join(kept)]  # too long for one line
        return [*of_stage(numbered(node), apart[0] if apart else ""), *(("s", one) for one in apart[1:])]

    def name(self, names: Names, node: Node) -> str:
        return self.lines(names.dag, node)[0]

    def rows(self, names: Names, node: Node) -> Rows:
        step, given = entity_of(node, e.Focus), numbers(names.dag)
        kept = sorted(names.children(node, "selected"), key=best_first)
        author = by(names.dag, step.model, "scored and reasoned", by_measure())
        head, held = self.lines(names.dag, node)

        def item(one: Node) -> Item:
            return names.fact_item(one, number=given.get(one.iri), why=True)

        return [
            panel_rows.text(head, held),
            panel_rows.kept("What it keeps", kept, item, author),
            panel_rows.text("Rule", step.rule),
            *panel_rows.spent(names.dag, step),
        ]

    def came(self, dag: ProvenanceDag, node: Node) -> str:
        return f"{kind('Focus').word}: {tally(dag, entity_of(node, e.Focus))}"

    def progress(self, dag: ProvenanceDag, node: Node) -> str:
        return self.lines(dag, node)[-1]

    def lesson(self, dag: ProvenanceDag, node: Node) -> str:
        step, noun = entity_of(node, e.Focus), noun_of(dag, node)
        if not step.selected:
            return f"No {noun} was kept: nothing came near enough to the question."
        stage = dag.exploration(step)
        is_alike = stage is not None and bool(stage.of_chunks) != bool(step.selected_edges)
        looked = f" of {count(stage.count, noun)}" if stage is not None and stage.count and is_alike else ""
        beside = len(step.selected_chunks) if step.selected_edges else 0
        also = f" and {count(beside, 'passage')}" if beside else ""
        return f"{len(kept_of(step)):,}{looked}{also} kept; each one kept leads to its words."

    def why(self, dag: ProvenanceDag, node: Node) -> str:
        step = entity_of(node, e.Focus)
        found = (dag.entities.get(one) for one in step.selected)
        is_counted = any(isinstance(one, e.ChunkSelection) and one.score_parts for one in found)
        counted = _COUNTED if is_counted and is_of_passages(dag, session_of(node.iri)) else ""
        return " ".join(filter(None, (counted, panel_rows.by_rule(step.rule))))

    def figures(self, dag: ProvenanceDag, node: Node) -> str:
        step = entity_of(node, e.Focus)
        found = (dag.entities.get(one) for one in kept_of(step))
        kept = [one.score for one in found
                if isinstance(one, e.EdgeSelection | e.ChunkSelection) and one.score is not None]  # fmt: skip
        left = [(one.score, one.not_selected) for iri in step.candidates
                if isinstance(one := dag.entities.get(iri), e.Candidate) and one.score is not None]  # fmt: skip
        if not kept:
            return ""
        told = f"Best score {max(kept):.2f} of 1{f', lowest {min(kept):.2f}' if len(kept) > 1 else ''}"
        if not left:
            return f"{told}."
        best, reason = max(left, key=lambda one: one[0])
        since = f": {reason}" if best >= min(kept) and reason and reason != LIMIT else ""
        return f"{told}; best {noun_of(dag, node)} left out {best:.2f}{since}."

    def printed(self, entity: e.Entity, event: Explain) -> Iterator[str]:
        if isinstance(entity, e.Focus):
            chunks, edges = entity.selected_chunks, entity.selected_edges
            both = [count(len(edges), "fact")] * bool(edges or not chunks) + [count(len(chunks), "passage")] * bool(
                chunks
            )
            yield f"Kept: {' and '.join(both)}"


class _Chosen(Said):
    """What was kept: a fact, or a passage."""

    noun = ""

    def name(self, names: Names, node: Node) -> str:
        return f"{self.noun} {names.number(node)}"

    def heading(self, names: Names, node: Node) -> str:
        focus = names.focus(node)
        many = names.kept(node)[0]
        if focus is not None:
            many = len(focus.selected_edges if isinstance(node.entity, e.EdgeSelection) else focus.selected_chunks)
        return f"{self.noun} {names.number(node):,} of {many:,}"


class EdgeSelection(_Chosen):
    """A fact that was kept."""

    noun = "Fact"

    def lines(self, dag: ProvenanceDag, node: Node, *, ranked: bool = False) -> tuple[str, ...]:
        edge, first = entity_of(node, e.EdgeSelection).edge, _rank(dag, node, ranked=ranked)
        if edge is None:
            return (f"{first}fact", "not on record")
        subject, predicate, obj = edge_labels(edge, dag.labels)
        return (f"{first}{subject}", f"— {predicate} → {obj}")

    def label(self, dag: ProvenanceDag, node: Node) -> Styled:
        return [*zip(("b+", "n++"), self.lines(dag, node), strict=True)]

    def beside(self, dag: ProvenanceDag, node: Node) -> Styled:
        return [*zip("bn", self.lines(dag, node), strict=True)]

    def say(self, names: Names, node: Node) -> str:
        """Return which idea it fits, how well, and where it was read."""
        chosen = entity_of(node, e.EdgeSelection)
        idea = f"fits the idea “{chosen.concept}” → " if chosen.concept else ""
        read = f"read {found_in(node.passages[0])}" if node.passages else "no recorded source"
        return f"{idea}{names.rank(node)} → {read}"

    def rows(self, names: Names, node: Node) -> Rows:
        """Return what it says, why it was kept, all its sources, and how well it fits; the figures last."""
        chosen, focus = entity_of(node, e.EdgeSelection), names.focus(node)
        author = by(names.dag, focus.model if focus else None, "reasoned", by_rules("reason worded"))
        is_used = focus is None or standing(names.dag, focus, chosen.iri) != "close, not used"
        idea = next(iter(names.concepts(chosen)), None)
        return [
            _right(names, node),
            _triple(names, node, chosen),
            _by_hand(names, node),
            *panel_rows.resources(node.passages, names.dag),
            panel_rows.text("Why it was kept" if is_used else "Why it is close", chosen.reasoning, author),
            None if is_used else panel_rows.text("Why not used", _why_unused(names, node)),
            _sources(names, node),
            panel_rows.listing("Nearest key idea", [{"text": chosen.concept, "node": idea}])
            if chosen.concept
            else None,
            *_figures(names, node, chosen),
        ]


class ChunkSelection(_Chosen):
    """A passage that was kept whole."""

    noun = "Passage"
    styles = ("b+", "s")

    def lines(self, dag: ProvenanceDag, node: Node, *, ranked: bool = False) -> tuple[str, ...]:
        """Return how it begins, and where it stands."""
        first = _rank(dag, node, ranked=ranked)
        if not node.passages:
            return (f"{first}passage", "its words are not on record")
        return (f"{first}{passage_name(dag, node.passages[0])}", where(node.passages[0]))

    def label(self, dag: ProvenanceDag, node: Node) -> Styled:
        """Return how it begins, with more words of it where they are on record, and where it stands."""
        if not node.passages:
            return super().label(dag, node)
        found = node.passages[0]
        return [("b+", passage_name(dag, found, IN_WIDE)), ("s", where(found, IN_WIDE))]

    def beside(self, dag: ProvenanceDag, node: Node) -> Styled:
        """Return how it begins, and where it stands; beside facts also that it was kept whole."""
        if not node.passages:
            return self.label(dag, node)
        kept = (dag.entities.get(one) for one in dag.graph.predecessors(node.iri))
        of_facts = any(isinstance(one, e.Focus) and one.selected_edges for one in kept)
        whole = "passage · " if of_facts else ""
        found = node.passages[0]
        return [("b", passage_name(dag, found, IN_WIDE)), ("s", f"{whole}{where(found, IN_WIDE)}")]

    def say(self, names: Names, node: Node) -> str:
        """Return how well it fits, and where it was read."""
        return f"{names.rank(node)} → {found_in(node.passages[0]) if node.passages else 'no recorded source'}"

    def rows(self, names: Names, node: Node) -> Rows:
        """Return it from what is quoted of it on: where it stands, why, and how well it fits."""
        from explorer.wording.reasons import reason_of  # which measures words as the reasoner does

        chosen, focus = entity_of(node, e.ChunkSelection), names.focus(node)
        author = scored(names.dag, focus) if focus and focus.model else by_rules("reason worded")
        items = [names.place_item(source) for source in names.children(node, "source")]
        stands = (
            panel_rows.passages("Where it stands", items)
            if items
            else panel_rows.text("Where it stands", "No recorded source.")
        )
        return [
            _quotation(names, node),
            *panel_rows.resources(node.passages, names.dag),
            panel_rows.text("Why it was kept", reason_of(names.dag, chosen), None if chosen.reasoning else author),
            became_row(names.dag, node),
            stands,
            *_figures(names, node, chosen),
        ]


class Rest(Said):
    """What was kept and not used."""

    styles = ("n",)

    def lines(self, dag: ProvenanceDag, node: Node, *, ranked: bool = False) -> tuple[str, ...]:
        return (node.text,)

    def rows(self, names: Names, node: Node) -> Rows:
        held = sorted(_members(names, node), key=best_first)
        return [
            panel_rows.title(node.text),
            panel_rows.text("Why not used", _why_unused(names, node)),
            panel_rows.kept("Close to the question", held, lambda one: names.fact_item(one, why=True)),
        ]


class Folded(Said):
    """What was too much for a drawing; of the drawing alone."""

    styles = ("k", "n")

    def lines(self, dag: ProvenanceDag, node: Node, *, ranked: bool = False) -> tuple[str, ...]:
        return (kind("Folded").word, node.text)

    def name(self, names: Names, node: Node) -> str:
        return node.text

    def rows(self, names: Names, node: Node) -> Rows:
        """Return how much it is, and the first of it; each a link into it."""
        items = [names.fact_item(one) for one in _members(names, node)]
        return [panel_rows.title(node.text), panel_rows.listing(f"The first {len(items)}", items)]


def _rank(dag: ProvenanceDag, node: Node, *, ranked: bool) -> str:
    found = number(dag, node) if ranked else None
    return "" if found is None else f"{found} "


def _members(names: Names, node: Node) -> list[Node]:
    known = names.dag.graph
    return [names.dag.node(one.iri) for one in node.members if one.iri in known]


def _triple(names: Names, node: Node, chosen: e.EdgeSelection) -> TripleRow | None:
    """Return what a fact says, with the language or type of a value; one that was retracted as gone."""
    ends: list[End] = []
    for term in (chosen.edge.subject, chosen.edge.predicate, chosen.edge.object) if chosen.edge else ():
        tip = None
        if isinstance(term, Literal):
            tip = f"language: {term.language}" if term.language else f"type: {local_name(term.datatype.value)}"
        iri = term.value if isinstance(term, NamedNode) else None
        ends.append({"text": term_label(term, names.dag.labels), "tip": tip, "iri": iri})
    said: TripleRow | None = {"k": "triple", "s": ends[0], "p": ends[1], "o": ends[2]} if ends else None
    if said is not None and names.dag.curated.get(node.iri, "").startswith(e.RETRACTED):
        said["gone"] = True
    return said


def _quotation(names: Names, node: Node) -> Row | None:
    """Return a passage from what is quoted of it on, with the sentence that has most words of the question."""
    if not node.passages:
        return None
    passage = node.passages[0]
    whole = " ".join(named_from(passage, names.dag).split())
    shown, best = opening(whole, _LONGEST_QUOTE), closest(asked_by(names.dag, node), passage.text)
    if best and best not in shown:
        shown = _with_sentence(shown, whole, best, " ".join(passage.text.split()))
    return panel_rows.quotation(shown, truncate(whole, _LONGEST_TIP))


def fitting(dag: ProvenanceDag, iri: str, passage: Passage) -> list[Passage]:
    """Return of a passage that was kept by this name the sentence with most words of the question; none of another."""
    node = dag.node(iri) if iri in dag.graph else None
    if node is None or node.kind != "ChunkSelection" or passage not in node.passages:
        return []
    start, end = closest_span(asked_by(dag, node), passage.text)
    return [cut(passage, start, end)] if end else []


def _with_sentence(shown: str, whole: str, best: str, text: str) -> str:
    """Return what is shown of a passage with a sentence of it that is not in it, which stands before or after it."""
    before, _, _ = text.partition(whole)
    at = before.rfind(best)
    if at < 0:
        return f"{shown.removesuffix('…')} … {best}"
    between = before[at + len(best) :].strip()
    return f"{best} {'… ' if between else ''}{shown}"


def _figures(names: Names, node: Node, chosen: e.EdgeSelection | e.ChunkSelection) -> Rows:
    """Return the score of what was selected with its parts, its rank and who scored it; the page adds up the parts."""
    if chosen.score is None:
        return []
    parts = list(parts_of(chosen).items())
    author = scored(names.dag, names.focus(node))
    return panel_rows.folded(
        {"k": "match", "label": "Score", "value": chosen.score, "text": f"{chosen.score:.2f} of 1", "parts": parts},
        {"k": "sum", "label": "Score in parts", "text": names.rank(node), "author": author},
    )


def _sources(names: Names, node: Node) -> Row | None:
    """Return all sources of a fact; when several hands took it down, each source says whose."""
    if not node.passages:
        is_added = "added by hand" in names.dag.curated.get(node.iri, "")
        none = "No document: nobody named a passage." if is_added else "No recorded source."
        return panel_rows.text("Where it is from", none)
    sources = names.children(node, "source")
    items = [names.place_item(source) for source in sources]
    agents = {passage.extracted_by for passage in node.passages}
    if len(agents) == 1:
        return panel_rows.passages("Where it is from", items, by_extractor(agents.pop()))
    for item, source in zip(items, sources, strict=True):
        hands = {hand(passage.extracted_by) for passage in node.passages if passage in source.passages}
        item["more"] = listed(sorted(hands))
    return panel_rows.passages("Where it is from", items)


def _by_hand(names: Names, node: Node) -> Row | None:
    """Return what was done with a fact by hand: it was added, retracted or reworded, or names in it were merged."""
    words = e.as_shown(names.dag.curated.get(node.iri, "")).partition(e.INSTEAD)[0]
    row = panel_rows.text("By hand", f"{words[:1].upper()}{words[1:]}." if words else "")
    if row is not None and not words.startswith(e.TAKEN_BACK):
        row["undoes"] = True
    return row


def changed_by_hand(dag: ProvenanceDag, node: Node) -> str:
    """Return what a person did with a fact, as it is said before its words in the run; nothing where nothing was."""
    words = e.as_shown(dag.curated.get(node.iri, ""))
    told = {e.TAKEN_BACK: f"{e.BY_HAND}, then taken back", "reworded": "reworded, was", e.RETRACTED: e.RETRACTED,
            e.BY_HAND: e.BY_HAND}  # fmt: skip
    return next((said for begin, said in told.items() if words.startswith(begin)), "")


def _right(names: Names, node: Node) -> Row | None:
    """Return the fact that a person put in the place of this one."""
    row = panel_rows.text("Right is", names.dag.curated.get(node.iri, "").partition(e.INSTEAD)[2])
    if row is not None:
        row["strong"] = True
    return row


def _why_unused(names: Names, node: Node) -> str:
    """Return why what was kept is not in the answer; empty where no answer of its search cites anything."""
    own = names.dag.within(session_of(node.iri), "Synthesis")
    if not any(citations(names.dag, one.iri) for one in own):
        return ""
    model = next((one.entity.model for one in own if isinstance(one.entity, e.Synthesis)), None)
    if model:
        return f"{model} was given this and does not cite it. Why is not on record."
    if not names_reasoner(names.dag):
        return "Why is not on record."
    return "No sentence of the answer was taken from this."
