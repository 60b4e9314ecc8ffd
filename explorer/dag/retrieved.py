"""What became of each passage that another pipeline retrieved: used, given and not used, left out, or not given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer import entities as e
from explorer.vocab import session_of

if TYPE_CHECKING:
    from explorer.dag.provenance_dag import ProvenanceDag
    from explorer.events import Passage

USED, GIVEN, LEFT, NOT_GIVEN, KEPT, UNUSED = (
    "used", "given and not used", "left out", "not given", "kept and not used", "not used",
)  # fmt: skip
"""What can become of a passage; the last two where no prompt is on record, or nothing was chosen."""
_ENGINES = frozenset(("graph-rag", "document-rag", "agent"))


@dataclass(frozen=True, slots=True)
class RetrievedPassage:
    """A passage, what became of it, its rank from 1 and score where it was retrieved, if known, and as it was kept.

    `why` is why it was kept or left out, as the pipeline said it.
    """

    passage: Passage
    state: str
    rank: int | None = None
    score: float | None = None
    kept_rank: int | None = None
    kept_score: float | None = None
    why: str = ""

    @property
    def moved(self) -> str:
        """Rank and score before and after, in words: "no. 3 found (7.1) → no. 1 kept (0.9)"."""
        before, after = _place(self.rank, "found", self.score), _place(self.kept_rank, "kept", self.kept_score)
        return " → ".join(filter(None, (before, after)))


def _place(rank: int | None, how: str, score: float | None) -> str:
    place = "" if rank is None else f"no. {rank} {how}"
    return place if score is None else f"{place} ({score:.4g})"


def is_recorded(dag: ProvenanceDag) -> bool:
    """Return whether a run is one of another pipeline that was recorded here."""
    asked = (root.entity for root in dag.roots)
    return any(isinstance(one, e.Question) and bool(one.engine) and (one.engine or "").split("/")[0] not in _ENGINES
               for one in asked)  # fmt: skip


def retrieved(dag: ProvenanceDag, session: str | None = None) -> list[RetrievedPassage]:
    """Return each passage that a recorded run retrieved, once, in the order found; of one `session`, or of all.

    Nothing for a run of our own engines.
    """
    return dag.once(("retrieved", session), lambda: _retrieved(dag, session)) if is_recorded(dag) else []


def _retrieved(dag: ProvenanceDag, session: str | None) -> list[RetrievedPassage]:
    found: dict[str, RetrievedPassage] = {}
    for one in _each(dag, session):
        before = found.get(one.passage.chunk)
        if before is None or before.state != USED:
            found[one.passage.chunk] = one
    return list(found.values())


def _each(dag: ProvenanceDag, session: str | None) -> Iterator[RetrievedPassage]:
    used = _used(dag)
    given = {chunk for one in dag.entities.values() if isinstance(one, e.Answer) for chunk in one.given}
    is_prompted = any(isinstance(one, e.Step) and one.prompt for one in dag.entities.values())
    for stage in [*dag.entities.values()]:
        if session is not None and session_of(stage.iri) != session:
            continue
        if isinstance(stage, e.Exploration):
            chunks, scores = stage.ordered or [*stage.selected_chunks], stage.scores or {}
            passages = {chunk: dag.found(chunk) for chunk in chunks}
        elif isinstance(stage, e.Observation | e.StepResult) and stage.iri in dag.graph:
            below = (dag.node(iri) for iri in dag.graph.successors(stage.iri) if "node" in dag.graph.nodes[iri])
            passages = {one.passages[0].chunk: one.passages for one in below if one.kind == "Passage"}
            scores = stage.scores or {}
            chunks = [one for one in stage.ordered or sorted(passages, key=lambda chunk: -scores.get(chunk, 0.0))
                      if one in passages]  # fmt: skip
        else:
            continue
        focus = next((one.entity for one in dag.within(session_of(stage.iri), "Focus")), None)
        kept = _kept(dag, focus) if isinstance(focus, e.Focus) else None
        for rank, chunk in enumerate(chunks, 1):
            if not passages[chunk]:
                continue
            own = (kept or {}).get(chunk)
            state = _state(chunk, used, given, is_prompted=is_prompted, kept=None if kept is None else own is not None)
            why = own[2] if own else ((focus.left or {}).get(chunk, "") if isinstance(focus, e.Focus) else "")
            is_ranked = isinstance(stage, e.Exploration) or bool(scores or stage.ordered)
            yield RetrievedPassage(
                passages[chunk][0], state, rank if is_ranked else None, _score(scores, chunk), own[0] if own else None,
                own[1] if own else None, why,
            )  # fmt: skip


def _state(chunk: str, used: set[str], given: set[str], *, is_prompted: bool, kept: bool | None) -> str:
    if chunk in used:
        return USED
    if chunk in given:
        return GIVEN
    if kept is False:
        return LEFT
    if is_prompted:
        return NOT_GIVEN
    return UNUSED if kept is None else KEPT


def _kept(dag: ProvenanceDag, focus: e.Focus) -> dict[str, tuple[int, float | None, str]]:
    """Return the rank, score and reason of what was kept, by chunk."""
    known = (dag.entities.get(key) for key in focus.selected_chunks)
    kept = sorted((one for one in known if isinstance(one, e.ChunkSelection)), key=lambda one: dag.numbers(
        focus.selected_chunks).get(one.iri, 0))  # fmt: skip
    scores = focus.scores or {}
    return {one.document or "": (rank, _score(scores, one.document or ""), one.reasoning or "")
            for rank, one in enumerate(kept, 1)}  # fmt: skip


def _score(scores: object, chunk: str) -> float | None:
    value = scores.get(chunk) if isinstance(scores, dict) else None
    return float(value) if isinstance(value, int | float) else None


def _used(dag: ProvenanceDag) -> set[str]:
    cites = {key for one in dag.citations for key in one.cites}
    chosen = (dag.entities.get(key) for key in cites)
    return cites | {one.document for one in chosen if isinstance(one, e.ChunkSelection) and one.document}
