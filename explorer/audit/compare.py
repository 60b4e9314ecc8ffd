"""Two runs beside each other: what only one of them said, looked for, kept and cited, and what both did.

Facts are compared by their terms, passages by their chunk, ideas and sentences by their words; what neither kept is
left out. Of a fact that a run did not keep it is told how near it came: scored and below the limit, or not looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pyoxigraph import Triple

from explorer import entities as e
from explorer.captions import edge_labels
from explorer.events import Passage
from explorer.trace import Trace


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence of an answer, and whether the other answer says it too."""

    text: str
    shared: bool


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one run made of a fact or passage: its number among those kept (from 1), score (0 to 1) and reason.

    `number` is None where it was not kept: then `reason` says whether it was scored, and why it was left out.
    """

    number: int | None
    score: float | None
    reason: str


@dataclass(frozen=True, slots=True)
class Row:
    """A fact, or a whole passage, that at least one of two runs kept; `label` says it as a person reads it."""

    key: str
    label: str
    a: Verdict
    b: Verdict

    @property
    def side(self) -> str:
        """Say who kept it: "A", "B" or "both"."""
        if self.a.number is not None and self.b.number is not None:
            return "both"
        return "A" if self.a.number is not None else "B"


@dataclass(frozen=True, slots=True)
class Side:
    """One run as it is compared: its answer by sentences, its key ideas, and the documents with the places it used."""

    trace: Trace
    answer: tuple[Said, ...]
    ideas: tuple[Said, ...]
    sources: tuple[Said, ...]


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


def compare(a: Trace, b: Trace) -> Comparison:
    """Compare two runs, whichever engine, model or workspace they come from."""
    one, other = _Kept.of(a), _Kept.of(b)
    keys = dict.fromkeys([*one.rows, *other.rows])
    rows = [Row(key, one.labels.get(key) or other.labels[key], one.verdict(key), other.verdict(key)) for key in keys]
    order = {"A": 0, "B": 1, "both": 2}
    ranked = sorted(rows, key=lambda row: (order[row.side], row.a.number or row.b.number or 0))
    return Comparison(_side(a, b), _side(b, a), tuple(ranked))


@dataclass(frozen=True, slots=True)
class _Kept:
    """What one run kept and what it scored and left out, by the key of a fact or chunk."""

    rows: Mapping[str, Verdict]
    left: Mapping[str, Verdict]
    labels: Mapping[str, str]
    looked: int | None
    noun: str

    @classmethod
    def of(cls, trace: Trace) -> _Kept:
        rows: dict[str, Verdict] = {}
        labels: dict[str, str] = {}
        kept: list[e.EdgeSelection | e.ChunkSelection] = [*trace.edges, *trace.chunks]
        for selection in kept:
            key, label = _named(selection, trace)
            if key and key not in rows:
                reason = selection.reasoning if isinstance(selection, e.EdgeSelection) else None
                rows[key] = Verdict(len(rows) + 1, selection.score, reason or "no reason recorded")
                labels[key] = label
        candidates = [entity for entity in trace.dag.entities.values() if isinstance(entity, e.Candidate)]
        left = {str(one.edge): Verdict(None, one.score, _left_out(one)) for one in candidates if one.edge is not None}
        return cls(rows, left, labels, trace.dag.known.explored, trace.dag.known.noun)

    def verdict(self, key: str) -> Verdict:
        """Give what was made of a fact or chunk."""
        looked = f"not among the {self.looked:,} {self.noun}s looked at" if self.looked else "not looked at"
        return self.rows.get(key) or self.left.get(key) or Verdict(None, None, looked)


def _named(selection: e.EdgeSelection | e.ChunkSelection, trace: Trace) -> tuple[str, str]:
    if isinstance(selection, e.EdgeSelection):
        return (
            (str(selection.edge), _sentence(selection.edge, trace.labels)) if selection.edge is not None else ("", "")
        )
    passages = trace.passages.get(selection.iri, ())
    return selection.document or "", passages[0].place if passages else selection.document or ""


def _sentence(edge: Triple, labels: Mapping[str, str]) -> str:
    subject, predicate, obj = edge_labels(edge, labels)
    return f"{subject} — {predicate} → {obj}"


def _left_out(candidate: e.Candidate) -> str:
    rank = "" if candidate.rank is None else f"rank {candidate.rank}, "
    return f"scored, {rank}{candidate.not_selected or 'not selected'}"


def _side(own: Trace, other: Trace) -> Side:
    return Side(
        own,
        _marked(_sentences(own.answer), _sentences(other.answer)),
        _marked(_ideas(own), _ideas(other)),
        _marked(_places(own), _places(other)),
    )


def _marked(own: Sequence[str], other: Iterable[str]) -> tuple[Said, ...]:
    known = {_plain(text) for text in other}
    return tuple(Said(text, _plain(text) in known) for text in own)


def _sentences(text: str) -> list[str]:
    from nupunkt import sent_spans

    return [said for first, last in sent_spans(text) if (said := text[first:last].strip())] if text.strip() else []


def _ideas(trace: Trace) -> list[str]:
    grounded = (entity for entity in trace.dag.entities.values() if isinstance(entity, e.Grounding))
    return list(dict.fromkeys(idea for step in grounded for idea in step.ordered or step.concepts))


def _places(trace: Trace) -> list[str]:
    return list(dict.fromkeys(_place(passage) for passage in trace.sources()))


def _place(passage: Passage) -> str:
    where = f", page {passage.page}" if passage.page is not None else f", {passage.section}" if passage.section else ""
    return f"{passage.title}{where}"


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
