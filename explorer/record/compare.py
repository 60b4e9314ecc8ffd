"""Two runs beside each other: what only one of them said, looked for, kept and cited, and what both did.

Facts are compared by their terms, passages by their chunk, ideas and sentences by their words; what neither kept is
left out. Of a fact that a run did not keep it is told how near it came: scored and below the limit, or not looked at.
Of an agent's run count the facts and passages of all its searches.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from explorer import display
from explorer import entities as e
from explorer.dag.labels import edge_labels
from explorer.events import Passage
from explorer.record.trace import Selection, Trace, chosen, cited_in_order
from explorer.stores.sources import distinct
from explorer.text import count

E = TypeVar("E", bound=e.Entity)


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence of an answer, an idea or a place, and whether the other run has it too.

    `start` says where in the answer a sentence begins, in code points.
    """

    text: str
    shared: bool
    start: int | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one run made of a fact or passage: its number among those kept (from 1), score (0 to 1) and reason.

    `number` is None where it was not kept: then `reason` says whether it was scored, and why it was left out, and
    `lowest` is the lowest score that its search kept. `model` names who wrote the reason, where a model did.
    """

    number: int | None
    score: float | None
    reason: str
    model: str | None = None
    lowest: float | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A fact, or a whole passage, that at least one of two runs kept; `label` says it as a person reads it.

    `parts` are subject, relation and object of a fact; `passages` are all its sources, of both runs.
    """

    key: str
    label: str
    a: Verdict
    b: Verdict
    parts: tuple[str, ...] = ()
    passages: tuple[Passage, ...] = ()

    @property
    def side(self) -> str:
        """Say who kept it: "A", "B" or "both"."""
        if self.a.number is not None and self.b.number is not None:
            return "both"
        return "A" if self.a.number is not None else "B"

    @property
    def noun(self) -> str:
        """Say what it is: "fact" or "passage"."""
        return "fact" if self.parts else "passage"


@dataclass(frozen=True, slots=True)
class Side:
    """One run as it is compared: its answer by sentences, its key ideas, and the documents with the places it used.

    `numbers` gives the number of each fact or passage kept, by the IRI of its selection: in the order they were kept,
    of an agent's run those first that the answer cites, in its order. What was kept by two searches has one number.
    `looked` says at how many the run looked; None where that is not known, or it searched more than once.
    """

    trace: Trace
    answer: tuple[Said, ...]
    ideas: tuple[Said, ...]
    sources: tuple[Said, ...]
    numbers: Mapping[str, int]
    searches: int
    looked: int | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs side by side; `rows` hold what only A kept, then what only B kept, then what both did, best first."""

    a: Side
    b: Side
    rows: tuple[Row, ...]

    @property
    def same_question(self) -> bool:
        """Say whether both asked the same, but for case and white space."""
        return _plain(self.a.trace.question) == _plain(self.b.trace.question)

    def of(self, side: str) -> tuple[Row, ...]:
        """Give the rows of one side: "A", "B" or "both"."""
        return tuple(row for row in self.rows if row.side == side)

    def __repr__(self) -> str:
        """Say how many facts or passages each kept alone."""
        counts = (len(self.of(side)) for side in ("A", "B", "both"))
        return "<Comparison: {} kept by A alone, {} by B alone, {} by both>".format(*counts)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        from explorer.record import compare_text as contrast

        return display.bundle(contrast.lines(self, iris=False), contrast.html(self))


def compare(a: Trace, b: Trace) -> Comparison:
    """Compare two runs, whichever engine, model or workspace they come from."""
    one, other = _Kept.of(a), _Kept.of(b)
    rows = [_row(key, one, other) for key in dict.fromkeys([*one.rows, *other.rows])]
    order = {"A": 0, "B": 1, "both": 2}
    ranked = sorted(rows, key=lambda row: (order[row.side], row.a.number or row.b.number or 0))
    return Comparison(_side(one, b), _side(other, a), tuple(ranked))


@dataclass(frozen=True, slots=True)
class _Kept:
    """What one run kept and what it looked at and left out, by the key of a fact or chunk."""

    trace: Trace
    rows: Mapping[str, Verdict]
    left: Mapping[str, Verdict]
    selections: Mapping[str, Selection]
    numbers: Mapping[str, int]
    explored: tuple[e.Exploration, ...]

    @classmethod
    def of(cls, trace: Trace) -> _Kept:
        rows: dict[str, Verdict] = {}
        selections: dict[str, Selection] = {}
        numbers: dict[str, int] = {}
        models = {iri: focus.model for focus in _all(trace, e.Focus) for iri in _chosen(focus)}
        for selection in _in_order(trace):
            key = chosen(selection)
            if key and key not in rows:
                reason = selection.reasoning if isinstance(selection, e.EdgeSelection) else None
                said = reason or "no reason recorded"
                rows[key] = Verdict(len(rows) + 1, selection.score, said, models.get(selection.iri))
                selections[key] = selection
            if key:
                numbers[selection.iri] = rows[key].number or 0
        return cls(trace, rows, _left(trace), selections, numbers, _all(trace, e.Exploration))

    @property
    def looked(self) -> int | None:
        """Say at how many facts or passages it looked; None where that is not known, or it searched more than once."""
        if len(self.explored) != 1:
            return None
        step = self.explored[0]
        return step.edge_count if step.edge_count is not None else step.chunk_count

    def verdict(self, key: str, noun: str) -> Verdict:
        """Give what was made of a fact or chunk."""
        return self.rows.get(key) or self.left.get(key) or Verdict(None, None, self._unseen(noun))

    def _unseen(self, noun: str) -> str:
        nouns = {_noun(step) for step in self.explored}
        if not nouns:
            return "not looked at"
        if noun not in nouns:
            return f"this run looked for {nouns.pop()}s only"
        if len(self.explored) > 1:
            return f"not among what its {len(self.explored)} searches compared"
        if self.looked is None:
            return "not among those looked at"
        scored, told = len({*self.rows, *self.left}), count(self.looked, noun)
        if scored < self.looked:
            return f"not among the {count(scored, noun)} compared, of {self.looked:,} looked at"
        return f"not among the {told} looked at"


def _row(key: str, one: _Kept, other: _Kept) -> Row:
    kept = one if key in one.rows else other
    selection = kept.selections[key]
    found = [passage for run in (one, other) if key in run.rows
             for passage in run.trace.passages.get(run.selections[key].iri, ())]  # fmt: skip
    parts: tuple[str, ...] = ()
    if isinstance(selection, e.EdgeSelection) and selection.edge is not None:
        parts = edge_labels(selection.edge, kept.trace.labels)
    noun = "fact" if parts else "passage"
    label = "{} — {} → {}".format(*parts) if parts else found[0].place if found else key
    return Row(key, label, one.verdict(key, noun), other.verdict(key, noun), parts, distinct(found))


def _all(trace: Trace, cls: type[E]) -> tuple[E, ...]:
    return tuple(entity for entity in trace.dag.entities.values() if isinstance(entity, cls))


def _chosen(focus: e.Focus) -> tuple[str, ...]:
    return (*focus.selected_edges, *focus.selected_chunks)


def _noun(step: e.Exploration) -> str:
    return "passage" if step.edge_count is None and step.chunk_count is not None else "fact"


def _in_order(trace: Trace) -> list[Selection]:
    """Give what was kept, in the order in which its answer numbers it."""
    kept: list[Selection] = [*trace.edges, *trace.chunks, *_straight(trace)]
    if not isinstance(trace.dag.entities.get(trace.iri), e.AgentQuestion):
        return kept
    numbers = cited_in_order(trace.citations, trace.dag.entities)
    return sorted(kept, key=lambda one: numbers.get(one.iri, len(numbers) + 1))


def _straight(trace: Trace) -> list[e.ChunkSelection]:
    """Give the passages that an answer was made of straight from what was found, when none were chosen among them."""
    used = {parent for answer in _all(trace, e.Answer) for parent in answer.derived_from}
    found = [step.ordered or step.selected_chunks for step in _all(trace, e.Exploration) if step.iri in used]
    return [e.ChunkSelection(iri=chunk, document=chunk) for chunks in found for chunk in chunks]


def _left(trace: Trace) -> dict[str, Verdict]:
    """Give what was looked at and, as far as is on record, how near it came."""
    lowest: dict[str, float] = {}
    for focus in _all(trace, e.Focus):
        kept = (trace.dag.entities.get(iri) for iri in _chosen(focus))
        scores = [one.score for one in kept if isinstance(one, Selection) and one.score is not None]
        lowest |= dict.fromkeys(focus.candidates, min(scores)) if scores else {}
    found = [chunk for step in _all(trace, e.Exploration) for chunk in step.ordered or step.selected_chunks]
    left = {chunk: Verdict(None, None, "looked at, not kept") for chunk in found}
    for one in _all(trace, e.Candidate):
        if one.edge is not None:
            left[str(one.edge)] = Verdict(None, one.score, _left_out(one), lowest=lowest.get(one.iri))
    return left


def _left_out(candidate: e.Candidate) -> str:
    rank = "" if candidate.rank is None else f"rank {candidate.rank}, "
    return f"scored, {rank}{candidate.not_selected or 'not selected'}"


def _side(kept: _Kept, other: Trace) -> Side:
    own = kept.trace
    return Side(
        own,
        _sentences(own.answer, other.answer),
        _marked(_ideas(own), _ideas(other)),
        _marked(_places(own), _places(other)),
        kept.numbers,
        len(kept.explored),
        kept.looked,
    )


def _marked(own: Sequence[str], other: Iterable[str]) -> tuple[Said, ...]:
    known = {_plain(text) for text in other}
    return tuple(Said(text, _plain(text) in known) for text in own)


def _sentences(own: str, other: str) -> tuple[Said, ...]:
    known = {_bare(text) for _, text in _cut(other)}
    return tuple(Said(text, _bare(text) in known, start) for start, text in _cut(own))


def _cut(text: str) -> list[tuple[int, str]]:
    """Cut a text into sentences, each with the place it begins at."""
    from nupunkt import sent_spans

    if not text.strip():
        return []
    spans = [(first + len(text[first:last]) - len(text[first:last].lstrip()), last) for first, last in sent_spans(text)]
    return [(first, said) for first, last in spans if (said := text[first:last].strip())]


def _ideas(trace: Trace) -> list[str]:
    grounded = (entity for entity in trace.dag.entities.values() if isinstance(entity, e.Grounding))
    return list(dict.fromkeys(idea for step in grounded for idea in step.ordered or step.concepts))


def _places(trace: Trace) -> list[str]:
    return list(dict.fromkeys(_place(passage) for passage in trace.sources()))


def _place(passage: Passage) -> str:
    where = f", page {passage.page}" if passage.page is not None else f", {passage.section}" if passage.section else ""
    return f"{passage.title}{where}"


def _bare(text: str) -> str:
    """Give the words of a sentence without the marks around it: quoted or not, it says the same."""
    return _plain(text).strip("“”\"'.")


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
