"""How the answer of a run came out: answered, unsure or not found, as recorded and as it stands now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer import entities as e
from explorer.dag.sentences import citations, numbers
from explorer.events import ANSWERED, NOT_FOUND, UNSURE, Support

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from explorer.dag.nodes import Node
    from explorer.dag.provenance_dag import ProvenanceDag
    from explorer.events import Passage

_CHECKED = {"supported": ANSWERED, "partly": UNSURE, "not": NOT_FOUND}
_COMPARED = {"found": ANSWERED, "near": UNSURE, "not compared": UNSURE, "none": NOT_FOUND}


def outcome(dag: ProvenanceDag) -> str | None:
    """Return how the answer of a run came out, as it stands now; None where that is not on record."""
    return None if dag.final is None else outcome_at(dag, dag.final)


def outcome_at(dag: ProvenanceDag, node: Node) -> str | None:
    """Return how an answer in a run, or a sentence of one, came out: unsure where what an answered one rests on was
    taken back since.
    """
    if node.kind == "Sentence":
        return _of_sentence(dag, node.entity, dag.node(node.iri.partition("#")[0]))
    found = _recorded(dag, node)
    return UNSURE if found == ANSWERED and since(dag, node) else found


def _recorded(dag: ProvenanceDag, answer: Node) -> str | None:
    return NOT_FOUND if is_declined(dag, answer) else outcome_of(answer.entity)


def _of_sentence(dag: ProvenanceDag, sentence: e.Entity | None, answer: Node) -> str | None:
    """Return how a sentence of an answer came out: as the answer did when it was given, where no more is known."""
    whole = _recorded(dag, answer)
    if not isinstance(sentence, e.Citation) or whole == NOT_FOUND:
        return whole
    own = outcome_of_citation(sentence) or whole
    return UNSURE if own == ANSWERED and (taken_back(dag, sentence) or is_removed(dag, sentence)) else own


def told(dag: ProvenanceDag) -> Iterator[tuple[str, list[int], str | None]]:
    """Yield the answer of a run in pieces: some text, the numbers of what it cites, and how it came out where that is
    otherwise than the answer.
    """
    text, begin = dag.answer, 0
    known, whole = numbers(dag), outcome(dag)
    for answer, one in ((dag.final, one) for one in citations(dag, dag.final.iri)) if dag.final else ():
        end = max(begin, one.end or 0)
        own = _of_sentence(dag, one, answer)
        yield text[begin:end], sorted({known[iri] for iri in one.cites if iri in known}), own if own != whole else None
        begin = end
    yield text[begin:], [], None


def outcome_of_citation(one: e.Citation) -> str | None:
    """Return how a sentence came out by its record: the check by a model decides, then how its words compare with what
    it cites, then how its part of the question came out; None where nothing of it is on record.
    """
    return _CHECKED.get(one.checked or "") or _COMPARED.get(one.lexical_support or "", one.outcome)


def outcome_of(entity: e.Entity | None) -> str | None:
    """Return how an answer came out by its own node: as recorded, else by its support; None where neither is there."""
    if not isinstance(entity, e.Answer) or (isinstance(entity, e.Finding | e.StepResult) and entity.error is not None):
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
    """Return what became of an answer: "corrected" or "removed", of what it rests on, where it found any; "undone", of
    a correction that it tells of; else nothing.
    """
    spans = [] if is_declined(dag, answer) else citations(dag, answer.iri)
    if any(taken_back(dag, one) for one in spans):
        return "corrected"
    if dag.curated.get(answer.iri):
        return "undone"
    return "removed" if any(is_removed(dag, one) for one in spans) else ""


def put_down(dag: ProvenanceDag, cites: Iterable[e.Citation]) -> str:
    """Return how much of what sentences cite was put down by a person: "all", "some" or "none". What a sentence quotes
    of a document was not.
    """
    cited = [key not in one.places and e.BY_HAND in dag.curated.get(key, "").partition("“")[0]
             for one in cites for key in one.cites]  # fmt: skip
    return ("all" if all(cited) else "some") if any(cited) else "none"


def taken_back(dag: ProvenanceDag, citation: e.Citation) -> str:
    """Return in a sentence that a fact which a sentence cites, or one of the words it quotes, was taken back since;
    nothing where none was.
    """
    cited = (said for one in citation.cites if (said := dag.curated.get(one, "")).startswith(e.RETRACTED))
    facts = (f"It rests on a fact that was {e.as_shown(said)}." for said in cited)
    return next(facts, "") or dag.curated.get(citation.iri, "")


def is_removed(dag: ProvenanceDag, citation: e.Citation) -> bool:
    """Return whether all that a sentence rests on was removed with its document."""
    nodes = (dag.node(iri) for iri in citation.cites if iri in dag.graph.nodes)
    return are_removed(passage for node in nodes for passage in node.passages)


def are_removed(passages: Iterable[Passage]) -> bool:
    """Return whether there are passages, and all of them were removed with their documents."""
    found = [one.is_removed for one in passages]
    return bool(found) and all(found)
