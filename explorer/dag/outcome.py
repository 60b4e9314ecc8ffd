"""How the answer of a run came out: answered, unsure or not found, as recorded and as it stands now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer import entities as e
from explorer.dag.sentences import citations
from explorer.events import ANSWERED, NOT_FOUND, UNSURE, Support

if TYPE_CHECKING:
    from collections.abc import Iterable

    from explorer.dag.nodes import Node
    from explorer.dag.provenance_dag import ProvenanceDag
    from explorer.events import Passage


def outcome(dag: ProvenanceDag) -> str | None:
    """Return how the answer of a run came out, as it stands now; None where that is not on record."""
    return None if dag.final is None else outcome_at(dag, dag.final)


def outcome_at(dag: ProvenanceDag, node: Node) -> str | None:
    """Return how an answer in a run came out: unsure where what an answered one rests on was taken back since."""
    if is_declined(dag, node):
        return NOT_FOUND
    found = outcome_of(node.entity)
    return UNSURE if found == ANSWERED and since(dag, node) else found


def outcome_of(entity: e.Entity | None) -> str | None:
    """Return how an answer came out by its own node: as recorded, else by its support; None where neither is there."""
    if not isinstance(entity, e.Answer):
        return None
    support = support_of(entity)
    declined = NOT_FOUND if entity.termination_reason == "declined" else None
    return entity.outcome or declined or (support.outcome if support else None)


def is_declined(dag: ProvenanceDag, node: Node) -> bool:
    """Return whether a node is the answer of a run that found none: of an agent the end of its run says so."""
    if not isinstance(node.entity, e.Answer) or outcome_of(node.entity) == NOT_FOUND:
        return isinstance(node.entity, e.Answer)
    end = dag.end
    return end is not None and end.reason == "declined" and dag.final is not None and dag.final.iri == node.iri


def support_of(entity: e.Entity | None) -> Support | None:
    """Return how well its evidence bears an answer; None where that is not on record, and for another entity."""
    match entity.support if isinstance(entity, e.Answer) else None:
        case {"value": int() | float() as value, "level": str() as level, "parts": dict() as parts, **others}:
            match others.get("answered"):
                case [int() as answered, int() as asked]:
                    return Support(value, level, parts, others.get("sure") is True, (answered, asked))
                case _:
                    return Support(value, level, parts, others.get("sure") is True)
        case _:
            return None


def standing_support(dag: ProvenanceDag) -> Support | None:
    """Return how well its evidence bears the answer of a run, as it stands now: not sure where a fact that it cites was
    taken back since, or a source removed.
    """
    found = support_of(dag.final.entity) if dag.final else None
    if found is None or dag.final is None:
        return found
    return found.standing(since(dag, dag.final))


def since(dag: ProvenanceDag, answer: Node) -> str:
    """Return what became of what an answer rests on: "corrected", "removed" or nothing."""
    spans = citations(dag, answer.iri)
    if any(taken_back(dag, one) for one in spans):
        return "corrected"
    return "removed" if any(is_removed(dag, one) for one in spans) else ""


def taken_back(dag: ProvenanceDag, citation: e.Citation) -> str:
    """Return in a sentence that a fact which a sentence cites, or one of the words it quotes, was taken back since;
    nothing where none was.
    """
    cited = (said for one in citation.cites if (said := dag.curated.get(one, "")).startswith(e.RETRACTED))
    facts = (f"It rests on a fact that was {said}." for said in cited)
    return next(facts, "") or dag.curated.get(citation.iri, "")


def is_removed(dag: ProvenanceDag, citation: e.Citation) -> bool:
    """Return whether all that a sentence rests on was removed with its document."""
    nodes = (dag.node(iri) for iri in citation.cites if iri in dag.graph.nodes)
    return are_removed(passage for node in nodes for passage in node.passages)


def are_removed(passages: Iterable[Passage]) -> bool:
    """Return whether there are passages, and all of them were removed with their documents."""
    found = [one.is_removed for one in passages]
    return bool(found) and all(found)
