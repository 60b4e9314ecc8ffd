"""Two runs side by side: what only one of them answered, looked for, selected and cited, and what both did.

Facts are compared by their terms, passages by their chunk, a fact and a passage by the source words that they have in
common (each counts once, in the run that selected it), ideas by their words, and sentences by theirs or by those that
they quote; what neither selected is left out. A fact that a run did not select has how near it came: scored and below
the limit, not looked at, or left out by a what-if. For an agent's run the facts and passages of all its searches count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pyoxigraph import NamedNode

from explorer import display
from explorer import entities as e
from explorer.dag.outcome import put_down
from explorer.events import Passage
from explorer.language.sentences import split
from explorer.language.words import tokens
from explorer.rdf.labels import edge_labels
from explorer.record.trace import Trace, all_of
from explorer.stores.passage_order import distinct
from explorer.text import count, folded, one_line, truncate
from explorer.vocab import by_index
from explorer.wording.reasons import reason_of
from explorer.wording.scores import Selection

_Words = tuple[str, int, int, frozenset[str]]  # a chunk or document, first and last offset in it, and its words
_HEADINGS: Mapping[Literal["A", "B", "both"], str] = {"A": "Only A kept", "B": "Only B kept", "both": "Both kept"}
_LONGEST_REASON = 160
IDENTICAL = "Identical: same question, steps, sources and answer"
LEFT_OUT = "left out of this run"  # as a judgement says why a what-if did not keep something


@dataclass(frozen=True, slots=True)
class MatchedText:
    """A sentence of an answer, an idea or a place, and whether the other run has it too.

    `start` is where in the answer a sentence begins, in code points.
    """

    text: str
    shared: bool
    start: int | None = None

    def __str__(self) -> str:
        """Return the text on one line after = (both runs have it) or ≠ (only this one)."""
        return f"{'=' if self.shared else '≠'} {one_line(self.text)}"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one run made of a fact or passage: its number among those selected (from 1), score (0 to 1) and reason.

    `number` is None where it was not selected: then `reason` is whether it was scored, and why it was left out, and
    `lowest` is the lowest score that its search selected. `within` is the number of what was selected in its place with
    the same source words: the passage that a fact was taken from, or the best fact taken from a passage. `model` names
    the model that wrote the reason, if one did. `why_not` is why it was left out, as the record has it.
    """

    number: int | None
    score: float | None
    reason: str
    model: str | None = None
    lowest: float | None = None
    within: int | None = None
    why_not: str = ""

    @property
    def has(self) -> bool:
        """Whether the run selected it, or its words."""
        return self.number is not None or self.within is not None

    def __str__(self) -> str:
        """Return score and reason on one line, a long reason truncated."""
        score = "    –" if self.score is None else f"{self.score:.2f}"
        return f"{score}  {truncate(one_line(self.reason), _LONGEST_REASON)}"


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """A fact, or a whole passage, that at least one of two runs selected; `label` is how a person reads it.

    `parts` are subject, relation and object of a fact; `passages` are all its sources, of both runs.
    """

    key: str
    label: str
    a: Judgement
    b: Judgement
    parts: tuple[str, ...] = ()
    passages: tuple[Passage, ...] = ()

    @property
    def side(self) -> Literal["A", "B", "both"]:
        """Which run selected it, or its words."""
        if self.a.has and self.b.has:
            return "both"
        return "A" if self.a.has else "B"

    @property
    def kept(self) -> Literal["A", "B", "both"]:
        """Which run selected this very thing, not only its words."""
        if self.a.number is not None and self.b.number is not None:
            return "both"
        return "B" if self.a.number is None else "A"

    @property
    def noun(self) -> str:
        """What it is: "fact" or "passage"."""
        return "fact" if self.parts else "passage"


@dataclass(frozen=True, slots=True)
class ComparisonSide:
    """One run as it is compared: its answer by sentences, its key ideas, and the documents with the places it used.

    `numbers` holds the number of each fact or passage selected, by the IRI of its selection: in the order of selection,
    of an agent's run those first that the answer cites, in its order. What two searches selected has one number.
    `looked` is at how many the run looked; None where that is not on record, or it searched more than once. `noun` is
    what it looked at: "fact" or "passage".
    """

    trace: Trace
    answer: tuple[MatchedText, ...]
    ideas: tuple[MatchedText, ...]
    sources: tuple[MatchedText, ...]
    numbers: Mapping[str, int]
    looked: int | None
    noun: str

    @property
    def author(self) -> str:
        """The model that reasoned, or was to, in a run that failed before it did."""
        return one_line(self.trace.model or "not on record")


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs side by side; `rows` hold what only A selected, then what only B did, then what both did, best first."""

    a: ComparisonSide
    b: ComparisonSide
    rows: tuple[ComparisonRow, ...]

    @property
    def same_question(self) -> bool:
        """Whether both were asked the same, but for case and white space."""
        return folded(self.a.trace.question) == folded(self.b.trace.question)

    @property
    def is_identical(self) -> bool:
        """Whether both asked the same in the same way, and took the same steps to the same answer and sources."""
        a, b = ((one.trace, one.ideas, one.sources) for one in (self.a, self.b))
        told = [
            (run.method, run.model, run.answer, run.outcome, run.reason, [type(step) for step in run.steps], *rest)
            for run, *rest in (a, b)
        ]
        return self.same_question and told[0] == told[1] and all(row.a == row.b for row in self.rows)

    def of(self, side: str) -> tuple[ComparisonRow, ...]:
        """Return the rows of one side: "A", "B" or "both"."""
        return tuple(row for row in self.rows if row.side == side)

    def kept(self, run: Literal["A", "B"]) -> tuple[int, int]:
        """Return how many facts and passages only this run selected, and how many the other did too, or their words."""
        sides = [row.side for row in self.rows if (row.a if run == "A" else row.b).number is not None]
        return sides.count(run), sides.count("both")

    def counted(self, side: Literal["A", "B", "both"]) -> str:
        """Return how many of what the runs selected stand on one side: "7"; on both "18 of A match 10 of B".

        One number stands for both runs where they selected the same, none of it in another form.
        """
        rows = self.of(side)
        of_a, of_b = self.kept("A")[1], self.kept("B")[1]
        if side != "both" or of_a == of_b == len(rows):
            return f"{len(rows):,}"
        return f"{of_a:,} of A match {of_b:,} of B"

    def lines(self, *, iris: bool = True) -> Iterator[str]:
        """Yield both runs as lines of text: answers, key ideas, facts by side, sources; with their IRIs or not.

        ≠ marks what only one of them has, = what both have. All text is text, never markup.
        """
        sides = (("A", self.a), ("B", self.b))
        for name, side in sides:
            yield f"{name}  {one_line(side.trace.question)}"
            yield f"   {side.trace.iri}  {side.trace.reason}" if iris else f"   {side.author}, {side.trace.reason}"
            yield from (f"   {text}" for text in side.answer)
            yield f"   Key ideas: {', '.join(map(str, side.ideas)) or 'none recorded'}"
            yield ""
        if self.is_identical:
            yield f"{IDENTICAL}."
            return
        for group, heading in _HEADINGS.items():
            rows = self.of(group)
            yield f"{heading}: {self.counted(group)}"
            for row in rows:
                yield f"  {one_line(row.label)}"
                yield from (f"      A {row.a}", f"      B {row.b}")
        yield ""
        for name, side in sides:
            yield f"Sources of {name}: {'; '.join(map(str, side.sources)) or 'none'}"

    def __repr__(self) -> str:
        counts = map(self.counted, _HEADINGS)
        return "<Comparison: {} kept by A alone, {} by B alone, {} by both>".format(*counts)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return display.bundle(self.lines(iris=False), self._html())

    def _html(self) -> Iterator[str]:
        """Yield two tables: what each run answered, and what each made of the facts, differences first."""
        a, b = self.a, self.b
        runs = [
            ("Question", a.trace.question, b.trace.question),
            ("Reasoned by", a.author, b.author),
            ("Answer", " ".join(map(str, a.answer)), " ".join(map(str, b.answer))),
            ("Key ideas", ", ".join(map(str, a.ideas)), ", ".join(map(str, b.ideas))),
            ("Sources", "; ".join(map(str, a.sources)), "; ".join(map(str, b.sources))),
        ]
        yield display.paragraph("≠ only one of them has it, = both have it")
        yield display.table(("", "A", "B"), runs)
        rows = ((_HEADINGS[row.side], row.label, str(row.a).strip(), str(row.b).strip()) for row in self.rows)
        counts = " · ".join(f"{heading}: {self.counted(side)}" for side, heading in _HEADINGS.items())
        table = display.table(("", "Fact", "A", "B"), rows)
        yield f"<details><summary>Facts and passages. {counts}</summary>{table}</details>"


def compare(a: Trace, b: Trace) -> Comparison:
    """Compare two runs, whichever engine, model or workspace they come from."""
    one, other = _Selected.of(a, b), _Selected.of(b, a)
    rows = [_row(key, one, other) for key in dict.fromkeys([*one.rows, *other.rows])]
    order = tuple(_HEADINGS)
    ranked = sorted(rows, key=lambda row: (order.index(row.side), row.a.number or row.b.number or 0))
    return Comparison(_side(one, b), _side(other, a), tuple(ranked))


@dataclass(frozen=True, slots=True)
class _Selected:
    """What one run selected and what it looked at and left out, by the key of a fact or chunk.

    `without` are the keys and IRIs that a what-if left out of it, `gone` the words known to have gone with them.
    """

    trace: Trace
    rows: Mapping[str, Judgement]
    left_out: Mapping[str, Judgement]
    selections: Mapping[str, Selection]
    numbers: Mapping[str, int]
    explored: tuple[e.Exploration, ...]
    without: frozenset[str]
    gone: tuple[Passage, ...]

    @classmethod
    def of(cls, trace: Trace, other: Trace) -> _Selected:
        rows: dict[str, Judgement] = {}
        selections: dict[str, Selection] = {}
        numbers: dict[str, int] = {}
        models = {iri: focus.model for focus in all_of(trace, e.Focus) for iri in focus.selected}
        for selection in _in_order(trace):
            if not (key := _key(selection)):
                continue
            if key not in rows:
                none = "no reason recorded" if isinstance(selection, e.EdgeSelection) else "as found, not scored"
                reason = reason_of(trace.dag, selection) or none
                rows[key] = Judgement(len(rows) + 1, selection.score, reason, models.get(selection.iri))
                selections[key] = selection
            numbers[selection.iri] = rows[key].number or 0
        asked = trace.asked
        without = frozenset((*map(str, asked.without_facts), *asked.without))
        theirs: list[Selection] = [*other.edges, *other.chunks]
        gone = [passage for one in theirs if _key(one) in without
                for passage in other.passages.get(one.iri, ())]  # fmt: skip
        explored = all_of(trace, e.Exploration)
        return cls(trace, rows, _left_out(trace), selections, numbers, explored, without, tuple(gone))

    @property
    def looked(self) -> int | None:
        """At how many facts or passages it looked; None where that is not on record, or it searched more than once."""
        return self.explored[0].count if len(self.explored) == 1 else None

    def judgement(self, key: str, selection: Selection, noun: str, passages: Sequence[Passage]) -> Judgement:
        """Return what the run made of something that one of both selected, and of its source words."""
        if (own := self.rows.get(key)) is not None:
            return own
        if self._was_without(key, selection, passages):
            return Judgement(None, None, LEFT_OUT)
        found = self.left_out.get(key) or Judgement(None, None, self._unseen(key, noun))
        other = e.EdgeSelection if noun == "passage" else e.ChunkSelection
        holding = [
            self.rows[known].number for known, one in self.selections.items()
            if isinstance(one, other) and overlap(self.trace.passages.get(one.iri, ()), passages)
        ]  # fmt: skip
        if not holding:
            return found
        held = "a passage with these words" if noun == "fact" else count(len(holding), "fact") + " from it"
        return replace(found, within=holding[0], reason=f"kept {held}")

    def _was_without(self, key: str, selection: Selection, passages: Sequence[Passage]) -> bool:
        """Return whether a what-if left it out: by itself, by what it is about, or with most of its source words."""
        names = {key}
        if isinstance(selection, e.EdgeSelection) and selection.edge is not None:
            ends = (selection.edge.subject, selection.edge.object)
            names |= {end.value for end in ends if isinstance(end, NamedNode)}
        if names & self.without:
            return True
        return bool(self.without and passages) and all(
            {one.document, one.chunk, one.subgraph} & self.without
            or any(
                lost.document == one.document
                and 2 * (min(lost.end, one.end) - max(lost.start, one.start)) > one.end - one.start
                for lost in self.gone
            )
            for one in passages
        )

    @property
    def noun(self) -> str:
        """What its searches look at: facts, from which a walk comes to passages too, or passages alone."""
        return "passage" if all(one.of_chunks for one in self.explored) else "fact"

    def _unseen(self, key: str, noun: str) -> str:
        nouns = {"passage" if one.of_chunks else "fact" for one in self.explored}
        if not nouns:
            return "not looked at"
        if noun not in nouns:
            return "not kept, nor any fact from it" if noun == "passage" else "this run looked for passages only"
        if len(self.explored) > 1:
            return f"not among what its {len(self.explored)} searches compared"
        if self.looked is None:
            return "not among those looked at"
        scored = len({*self.rows, *self.left_out})
        if scored < self.looked:
            return f"not among the {count(scored, noun)} compared, of {self.looked:,} looked at"
        return f"not among the {count(self.looked, noun)} looked at"


def _row(key: str, one: _Selected, other: _Selected) -> ComparisonRow:
    first = one if key in one.rows else other
    selection = first.selections[key]
    found = [passage for run in (one, other) if key in run.rows
             for passage in run.trace.passages.get(run.selections[key].iri, ())]  # fmt: skip
    parts: tuple[str, ...] = ()
    if isinstance(selection, e.EdgeSelection) and selection.edge is not None:
        parts = edge_labels(selection.edge, first.trace.labels)
    noun = "fact" if parts else "passage"
    label = "{} — {} → {}".format(*parts) if parts else found[0].place if found else key
    sources = distinct(found)
    a, b = (run.judgement(key, selection, noun, sources) for run in (one, other))
    return ComparisonRow(key, label, a, b, parts, sources)


def _in_order(trace: Trace) -> list[Selection]:
    """Return what was selected, in the order in which the run's answer numbers it.

    An answer may be made of all passages found, without a selection among them.
    """
    used = {parent for answer in all_of(trace, e.Answer) for parent in answer.derived_from}
    found = [step.ordered or step.selected_chunks for step in all_of(trace, e.Exploration) if step.iri in used]
    unselected = (e.ChunkSelection(iri=chunk, document=chunk) for chunks in found for chunk in chunks)
    selected: list[Selection] = [*trace.edges, *trace.chunks, *unselected]
    if not isinstance(trace.dag.entities.get(trace.iri), e.AgentQuestion):
        places = {key: place for place, key in enumerate(by_index(one.iri for one in (*trace.edges, *trace.chunks)))}
        return sorted(selected, key=lambda one: places.get(one.iri, len(places)))
    keys = {one.iri: _key(one) for one in selected}
    spans = sorted(trace.citations, key=lambda one: one.end or 0)
    cited = list(dict.fromkeys(iri for span in spans for iri in span.cites))
    firsts = list(dict.fromkeys(keys.get(iri) or iri for iri in cited))  # a fact that two searches selected is one
    return sorted(selected, key=lambda one: firsts.index(keys[one.iri] or one.iri) if one.iri in cited else len(firsts))


def _key(selection: Selection) -> str:
    """Return what was selected, equal for all searches: a fact by its terms, a passage by its IRI; "" for neither."""
    if isinstance(selection, e.EdgeSelection):
        return "" if selection.edge is None else str(selection.edge)
    return selection.document or ""


def _left_out(trace: Trace) -> dict[str, Judgement]:
    """Return what was looked at and, as far as is on record, how near it came."""
    lowest: dict[str, float] = {}
    for focus in all_of(trace, e.Focus):
        selected = (trace.dag.entities.get(iri) for iri in focus.selected)
        scores = [one.score for one in selected if isinstance(one, Selection) and one.score is not None]
        lowest |= dict.fromkeys(focus.candidates, min(scores)) if scores else {}
    found = [chunk for step in all_of(trace, e.Exploration) for chunk in step.ordered or step.selected_chunks]
    left_out = {chunk: Judgement(None, None, "looked at, not kept") for chunk in found}
    for one in all_of(trace, e.Candidate):
        if one.edge is not None:
            scored = "" if one.score is None else "scored, "
            rank = "" if one.rank is None else f"rank {one.rank}{', ' if scored else ': '}"
            reason = f"{scored}{rank}{one.not_selected or 'not selected'}"
            left_out[str(one.edge)] = Judgement(
                None, one.score, reason, lowest=lowest.get(one.iri), why_not=one.not_selected or ""
            )
    return left_out


def _side(selected: _Selected, other: Trace) -> ComparisonSide:
    own = selected.trace
    known, quoted = {_bare(text) for _, text in _sentences(other.answer)}, _quoted(other, 0, len(other.answer))
    return ComparisonSide(
        own,
        tuple(
            MatchedText(text, _bare(text) in known or _meet(_quoted(own, start, start + len(text)), quoted), start)
            for start, text in _sentences(own.answer)
        ),
        _matched(_ideas(own), _ideas(other)),
        _matched(_places(own), _places(other)),
        selected.numbers,
        selected.looked,
        selected.noun,
    )


def overlap(one: Iterable[Passage], other: Sequence[Passage]) -> bool:
    """Return whether some of the words of passages are the same words of the same document."""
    return any(a.document == b.document and a.start < b.end and b.start < a.end for a in one for b in other)


def _quoted(trace: Trace, start: int, end: int) -> list[_Words]:
    """Return the source words that a part of an answer rests on.

    A quoted sentence stands at its place in a chunk; what was not quoted rests on the sentences of the facts it cites.
    What a person put down rests on none.
    """
    found: list[_Words] = []
    for citation in trace.citations:
        first, last = citation.start or 0, citation.end or 0
        if put_down(trace.dag, [citation]) != "none" or not start < last <= end + 1:
            continue
        if spans := citation.spans:
            said = frozenset(tokens(trace.answer[first:last]))  # a fact may stand in several chunks
            places = ((key, *place) for key, told in spans.items() for place in told)
            found += [(p.chunk, start, end, said) for key, start, end in places for p in trace.passages.get(key, ())]
        else:
            facts = [key for key in citation.cites if isinstance(trace.dag.entities.get(key), e.EdgeSelection)]
            found += [(p.document, p.start, p.end, frozenset(tokens(p.text)))
                      for key in facts for p in trace.passages.get(key, ())]  # fmt: skip
    return found


def _meet(own: Iterable[_Words], other: Iterable[_Words]) -> bool:
    """Return whether words are the same for the most part: of the shorter of two spans more than half."""
    return any(
        a == b
        and 2 * (min(last, end) - max(first, start)) > min(last - first, end - start)
        and 2 * len(said & told) > min(len(said), len(told))
        for a, first, last, said in own
        for b, start, end, told in other
    )


def _matched(own: Sequence[str], other: Iterable[str]) -> tuple[MatchedText, ...]:
    known = {folded(text) for text in other}
    return tuple(MatchedText(text, folded(text) in known) for text in own)


def _sentences(text: str) -> list[tuple[int, str]]:
    """Split a text into sentences, each with the place it begins at."""
    spans = [(first + len(text[first:last]) - len(text[first:last].lstrip()), last) for first, last in split(text)]
    return [(first, sentence) for first, last in spans if (sentence := text[first:last].strip())]


def _ideas(trace: Trace) -> list[str]:
    return list(dict.fromkeys(idea for step in all_of(trace, e.Grounding) for idea in step.ordered or step.concepts))


def _places(trace: Trace) -> list[str]:
    return list(dict.fromkeys(passage.reference for passage in trace.sources()))


def _bare(text: str) -> str:
    """Return the words of a sentence without the marks around it: quoted or not, it states the same."""
    return folded(text).strip("“”\"'.")
