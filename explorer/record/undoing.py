"""Undoing what people corrected: facts and entities are as they were, and both acts stay on record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyoxigraph import NamedNode, Triple

from explorer.entities import ADDED, RETRACTED, UNDONE, Curation
from explorer.errors import RecordError
from explorer.ingest.leaving import is_used
from explorer.rdf.labels import edge_labels
from explorer.record.curation import Change, is_by_hand, passages_of
from explorer.stores import curated
from explorer.text import one_line
from explorer.vocab import SOURCE

if TYPE_CHECKING:
    from explorer.models.embedding import Embedder
    from explorer.stores.collection import Collection


def undo(change: Change, embedder: Embedder, named: Sequence[str]) -> list[str]:
    """Take back what was corrected, by the IRIs of the acts, by default the last that stands; returns their IRIs. What
    was done in one step, as a fact was put in the place of another, is taken back in one. All is stored, or nothing.

    Raises RecordError where there is nothing to undo, where something else was done with a fact since, or where the
    source of a fact that would be back is not here any more.
    """
    stores = change.stores
    with stores.database.correcting:
        meant = [_meant(stores, one) for one in dict.fromkeys(named)] or [_last(stores)]
        acts = [*{one.iri: one for act in meant for one in curated.together(stores.graph, act)}.values()]
        whole = {act.fact for act in acts}
        of = {act.iri: [act, *curated.parts(stores.graph, act.iri)] for act in acts}
        parts = [one for ones in of.values() for one in ones]
        own = {one.iri for one in parts}
        gone = (one.fact for act in acts for one in of[act.iri]
                if act.fact is None and one.act == RETRACTED and one.fact is not None)  # fmt: skip
        moved = frozenset(node for fact in gone for node in stores.sources.records(fact))
        for fact in dict.fromkeys(one.fact for one in parts if one.fact is not None):
            done = curated.standing(stores.graph, curated.of_fact(stores.graph, fact))
            if done[-1].iri in own:
                before = [one for one in done if one.iri not in own]
                if not _back(change, fact, before, done[-1], moved) and fact in whole:
                    called = _called(stores, fact)
                    raise RecordError(
                        f"The source of {called} is not here any more; add it by hand, or name another correction."
                    )
            elif fact in whole:  # of others, what was decided since stays
                raise RecordError(f"{_called(stores, fact)} was {done[-1].words}; undo that first.")
        for act in acts:
            if act.fact is not None:
                change.did(UNDONE, act.fact, act)
            else:
                change.did_with(UNDONE, act.entity or "", act.aliases, act)
        change.write(embedder)
        return [*of]


def _last(stores: Collection) -> Curation:
    whole = [one for one in curated.standing(stores.graph, curated.everything(stores.graph)) if not one.derived_from]
    if not whole:
        raise RecordError("Nothing was corrected by hand here that could be undone.")
    return whole[-1]


def _meant(stores: Collection, named: str) -> Curation:
    act = next((one for one in curated.everything(stores.graph) if one.iri == named.strip()), None)
    if act is None:
        raise RecordError(f"There is no correction {one_line(named)}; ws.curations or `explorer curations` lists them.")
    if act.act == UNDONE:
        raise RecordError("It undid something else, and is not undone itself; do that again instead.")
    if act.derived_from:
        raise RecordError(f"It is a part of {act.derived_from[0]}; undo that.")
    if later := curated.undone_by(stores.graph, act.iri):
        raise RecordError(f"It was undone already{later.when}.")
    return act


def _back(change: Change, fact: Triple, before: list[Curation], last: Curation, moved: frozenset[str]) -> bool:
    """Have a fact be there or not, as it was before its last act; returns whether it could be.

    The nodes in `moved` gave it to an entity that was split off.
    """
    stores = change.stores
    passages, records = passages_of(stores, fact), stores.sources.records(fact)
    if last.act == RETRACTED:
        if records and not passages and not any(one.act == ADDED for one in before):
            return False
        change.come[fact] = tuple(passages)
        return True
    made = [] if any(one.act == ADDED for one in before) else [
        node for node in records if is_by_hand(node, fact, passages)
    ]  # fmt: skip
    left = [one for one in passages if one.subgraph not in made and one.subgraph not in moved]
    if (before and before[-1].act == RETRACTED) or not (before or left):
        change.gone.append(fact)
    else:
        change.come[fact] = tuple(left)
    if not is_used(stores.graph, fact):
        change.less += (quad for node in made for quad in stores.graph.match(NamedNode(node), None, None, SOURCE))
        change.no_spans += made
    return True


def _called(stores: Collection, fact: Triple) -> str:
    return f"“{one_line(' — '.join(edge_labels(fact, stores.sources.labels([fact]))))}”"
