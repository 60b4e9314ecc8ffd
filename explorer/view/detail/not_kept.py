"""All that was looked at and not kept, and why each was left out, as it is looked up when it is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from explorer.dag.passage_names import unquoted_name
from explorer.dag.retrieved import retrieved
from explorer.entities import RETRACTED, Candidate, ChunkSelection, EdgeSelection, Exploration, Focus, as_shown
from explorer.errors import RecordError
from explorer.rdf.labels import edge_labels
from explorer.reasoning.close_facts import listed as listed_words
from explorer.record.trace import explored_facts, stores_read
from explorer.vocab import session_of
from explorer.wording.kept import LIMIT
from explorer.wording.names import asked_by
from explorer.wording.phrases import beneath, ordinal
from explorer.wording.retrieved import became

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyoxigraph import Triple

    from explorer.events import Passage
    from explorer.stores.collection import Collection
    from explorer.view.messages.detail import Correctable, NotKeptItem
    from explorer.wording.names import Names

_LONGEST = 120  # characters of a passage


class Listed(TypedDict):
    """What a search did not keep, as `messages.detail.NotKept` has it."""

    lowest: float | None
    items: list[NotKeptItem]
    rest: str


def listed(stores: Collection, names: Names, iri: str) -> Listed | None:
    """Return all that the search of a node looked at and did not keep; None for another node.

    By score, then those that were not scored, nearest first.
    """
    if not any(node.iri == iri for node in names.dag.nodes("NotKept")):
        return None
    stores, node = stores_read(names.dag, stores), names.dag.node(iri)
    focus = names.dag.entities.get(iri.removesuffix("#not-kept"))
    chosen = [names.dag.entities.get(key) for key in focus.selected] if isinstance(focus, Focus) else []
    kept = [one for one in chosen if isinstance(one, EdgeSelection | ChunkSelection)]
    lowest = min((one.score for one in kept if one.score is not None), default=None)
    scored = [one for one in node.members if isinstance(one, Candidate)]
    scored.sort(key=lambda one: (one.score is None, -(one.score or 0.0)))
    items = [_candidate(stores, names, one, lowest) for one in scored]
    stage = names.dag.exploration(focus) if isinstance(focus, Focus) else None
    if stage is not None and stage.of_chunks:
        known = {one.document for one in kept if isinstance(one, ChunkSelection)}
        told = {one.passage.chunk: one for one in retrieved(names.dag, session_of(iri))}
        left = [key for key in stage.ordered or stage.selected_chunks if key not in known]
        for key in left:
            found = (told[key].passage,) if key in told else stores.sources.chunk(key)
            words = unquoted_name(found[0], _LONGEST) if found else key
            why = became(told[key]) if key in told else "What was kept fits better. Its score is not on record."
            items.append(_unscored(key, words, found, why))
    elif stage is not None:
        facts = {one.edge for one in (*kept, *scored) if isinstance(one, EdgeSelection | Candidate)}
        ranked = list(enumerate(_explored(stores, stage), 1))
        items += _facts(
            stores, asked_by(names.dag, node), [(rank, fact) for rank, fact in ranked if fact not in facts], len(facts)
        )
    more = (node.count or 0) - len(items)
    rest = f"{more:,} more {'was' if more == 1 else 'were'} looked at; which ones is not on record." if more > 0 else ""
    return {"lowest": lowest, "items": items, "rest": rest}


def _candidate(stores: Collection, names: Names, one: Candidate, lowest: float | None) -> NotKeptItem:
    passages = stores.sources.passages(one.edge) if one.edge is not None else ()
    ideas = [node.iri for node in names.dag.within(session_of(one.iri), "Concept")
             if node.text == one.concept and names.drawn(node.iri)]  # fmt: skip
    return {
        "iri": one.iri,
        "text": names.sentence(one.edge),
        "score": one.score,
        "why": _why(one, lowest),
        "where": _where(passages),
        "idea": one.concept,
        "node": ideas[0] if ideas else None,
        "fact": None if one.edge is None else _correctable(stores, one.edge, edge_labels(one.edge, names.dag.labels)),
    }


def _correctable(stores: Collection, fact: Triple, words: tuple[str, str, str]) -> Correctable:
    by = stores.sources.curated(fact)
    return {"key": str(fact), "words": words, "by": as_shown(by), "gone": by.startswith(RETRACTED)}


def _explored(stores: Collection, stage: Exploration) -> list[Triple]:
    """Return the facts that a search looked at; none where they are not on record, or not here."""
    try:
        return explored_facts(stores.library.get(stage.explored).data) if stage.explored else []
    except RecordError:  # imported without its contents
        return []


def _facts(stores: Collection, asked: str, facts: Sequence[tuple[int, Triple]], compared: int) -> Iterator[NotKeptItem]:
    """Yield the facts that were not compared, each with its place among all, the nearest first."""
    names = stores.sources.labels([fact for _, fact in facts])
    for rank, fact in facts:
        ends = edge_labels(fact, names)
        words = "{} — {} → {}".format(*ends)
        has = listed_words(asked, words) or "none of your words"
        near = f"The {ordinal(rank)} nearest by links in the graph: only {compared:,} nearer ones were compared."
        found = _unscored(str(fact), words, stores.sources.passages(fact), f"The fact has {has}. {near}")
        yield {**found, "fact": _correctable(stores, fact, ends)}


def _unscored(key: str, words: str, passages: Sequence[Passage], why: str) -> NotKeptItem:
    return {
        "iri": key, "text": words, "score": None, "why": why, "where": _where(passages), "idea": None, "node": None,
        "fact": None,
    }  # fmt: skip


def _where(passages: Sequence[Passage]) -> str:
    """Return where something is from: the first of its sources, and how many more there are."""
    if not passages:
        return "no recorded source"
    more = f" and {len(passages) - 1:,} more" if len(passages) > 1 else ""
    return f"{passages[0].reference}{more}"


def _why(one: Candidate, lowest: float | None) -> str:
    """Return why not this one, in a line: "0.47, just below the lowest kept, 0.48"."""
    said = one.not_selected if one.not_selected and one.not_selected != LIMIT else ""
    if one.score is None:
        return said or "no match recorded"
    if said:
        return f"{one.score:.2f}, {said}"
    if lowest is None:
        return f"{one.score:.2f}, and none was kept"
    if one.score >= lowest:
        return f"{one.score:.2f}, but enough others were kept"
    return beneath(one.score, lowest)
