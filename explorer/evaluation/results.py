"""The results of an evaluation: a table of ways and measures, two ways question by question, CSV and HTML."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from explorer import display
from explorer.errors import QuestionError
from explorer.evaluation.measures import MEASURES, Estimate, Measure, estimate
from explorer.evaluation.questions import GoldQuestion
from explorer.evaluation.ways import Way
from explorer.text import count, escape, no_formula, one_line, truncate
from explorer.wording.outcomes import word

_WHOLE_RANGE = 100.0  # of a share in percent
_LONGEST_ANSWER = 300
_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;margin:2rem;color:#222}table{border-collapse:collapse;margin:1rem 0}"
    "td,th{padding:.25rem .75rem;border-bottom:1px solid #ddd}"
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a question asked in one way: the run's IRI, how it ended, its answer, and what was measured."""

    question: GoldQuestion
    way: Way
    run: str
    reason: str
    level: str | None
    answer: str
    values: Mapping[str, float | None]
    outcome: str | None = None


@dataclass(frozen=True, slots=True)
class Figure:
    """A measure of one way over the questions to which it applies."""

    way: Way
    measure: Measure
    estimate: Estimate

    def __str__(self) -> str:
        shown, found = self.measure.shown, self.estimate
        if found.n < 2:
            return shown(found.value)
        decimals = 0 if self.measure.unit == "%" else self.measure.decimals
        return f"{shown(found.value)} ({found.low:,.{decimals}f}–{found.high:,.{decimals}f})"


@dataclass(frozen=True, slots=True)
class Difference:
    """How much a measure differs between two ways on the same questions: the mean of B − A, and on how many it does."""

    measure: Measure
    estimate: Estimate
    more: int
    less: int

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.estimate.low > 0 or self.estimate.high < 0


@dataclass(frozen=True, slots=True)
class DifferingQuestion:
    """A question that two ways answered unequally well: by which measures, what they did, and the runs."""

    question: GoldQuestion
    a: Outcome
    b: Outcome
    measures: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PairedComparison:
    """Two ways of an evaluation compared question by question; at the end of a cell a table."""

    a: Way
    b: Way
    differences: tuple[Difference, ...]
    questions: tuple[DifferingQuestion, ...]

    def __repr__(self) -> str:
        heads, rows = self._differences()
        lines = [f"A  {one_line(self.a.name)}", f"B  {one_line(self.b.name)}", "", *display.grid(heads, rows)]
        if self.questions:
            lines += ["", *display.grid(*self._questions())]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return "".join([
            display.paragraph(f"A  {self.a.name}"), display.paragraph(f"B  {self.b.name}"),
            display.table(*self._differences()), display.table(*self._questions()) if self.questions else "",
        ])  # fmt: skip

    def _differences(self) -> tuple[Sequence[str], list[Sequence[str]]]:
        rows: list[Sequence[str]] = []
        for one in self.differences:
            found, shown = one.estimate, one.measure.shown
            interval = f"{shown(found.low)} to {shown(found.high)}"
            same = found.n - one.more - one.less
            row = (
                one.measure.heading,
                f"{found.value:+,.{one.measure.decimals}f}",
                interval,
                str(one.more),
                str(one.less),
                str(same),
            )
            rows.append((*row, "clear" if one.is_clear else ""))
        return ("Measure", "B − A", "95 % interval", "B more", "A more", "equal", "Interval leaves out 0"), rows

    def _questions(self) -> tuple[Sequence[str], list[Sequence[str]]]:
        rows: list[Sequence[str]] = [
            (str(one.question.line), one.question.text, *(
                ", ".join(f"{name} {_shown(name, outcome)}" for name in one.measures) for outcome in (one.a, one.b)
            ))
            for one in self.questions
        ]  # fmt: skip
        return ("Line", "Question", "A", "B"), rows


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The questions of a file asked in one or more ways, and what came of them; at the end of a cell a table.

    `iri` is its node on record, `refused` what of the file could not be used, and why, a sentence for each.
    """

    iri: str
    name: str
    ways: tuple[Way, ...]
    questions: tuple[GoldQuestion, ...]
    outcomes: tuple[Outcome, ...]
    refused: tuple[str, ...] = ()

    def of(self, way: Way | int | str) -> tuple[Outcome, ...]:
        """Return the outcomes of one way, named by itself, its number from 0, or its name; raises QuestionError."""
        wanted = self._way(way)
        return tuple(one for one in self.outcomes if one.way == wanted)

    def values(self, way: Way | int | str, measure: str) -> list[float]:
        """Return the values of a measure for one way, in the order of the questions to which it applies."""
        if measure not in MEASURES:
            raise QuestionError(f"There is no measure {measure!r}; choose among {', '.join(MEASURES)}.")
        return [value for one in self.of(way) if (value := one.values.get(measure)) is not None]

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Each measure of each way, where there is anything to measure it by."""
        found = []
        for way in self.ways:
            for name, measure in MEASURES.items():
                top = _WHOLE_RANGE if measure.unit == "%" else None
                got = estimate(self.values(way, name), median=measure.median, top=top)
                found += [] if got is None else [Figure(way, measure, got)]
        return tuple(found)

    def compare(self, a: Way | int | str = 0, b: Way | int | str = 1) -> PairedComparison:
        """Compare two ways question by question, over the questions that both were asked; raises QuestionError."""
        way_a, way_b = self._way(a), self._way(b)
        asked_b = {one.question.line: one for one in self.of(way_b)}
        pairs = [(one, asked_b[one.question.line]) for one in self.of(way_a) if one.question.line in asked_b]
        differences = []
        for name, measure in MEASURES.items():
            values = ((one.values.get(name), other.values.get(name)) for one, other in pairs)
            both = [(x, y) for x, y in values if x is not None and y is not None]
            found = estimate([y - x for x, y in both])
            if found is not None and not (name == "failed" and not any(map(any, both))):
                more, less = sum(y > x for x, y in both), sum(y < x for x, y in both)
                differences.append(Difference(measure, found, more, less))
        return PairedComparison(way_a, way_b, tuple(differences), tuple(_differing(pairs)))

    def to_csv(self, path: str | Path | None = None) -> str:
        """Return a line for each question and way as CSV; with a path, write it there too."""
        out = io.StringIO()
        heads = "line", "question", "answerable", "engine", "model", "limits", "reason", "level", "outcome", *MEASURES
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([*heads, "answer", "run"])
        for one in self.outcomes:
            limits = "; ".join(f"{name}={value}" for name, value in one.way.limits)
            able = "" if one.question.answerable is None else str(one.question.answerable).lower()
            values = ["" if (value := one.values.get(name)) is None else f"{value:g}" for name in MEASURES]
            texts = [one.question.text, able, one.way.engine, one.way.model, limits, one.reason]
            texts += [one.level or "", one.outcome or ""]
            writer.writerow([one.question.line, *map(no_formula, texts), *values, no_formula(one.answer), one.run])
        text = out.getvalue()
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text

    def to_html(self, path: str | Path | None = None) -> str:
        """Return the tables as one page of HTML: ways, pairs of ways, and each question; with a path, write it too."""
        parts = [f"<h1>{escape(self.name)}</h1>", self._repr_html_()]
        for a, b in combinations(self.ways, 2):
            parts += ["<h2>Question by question</h2>", self.compare(a, b)._repr_html_()]
        parts += ["<h2>Answers</h2>", display.table(("Line", "Question", "Way", "End", "Answer"), self._answers())]
        head = f"<!doctype html><meta charset=utf-8><title>{escape(self.name)}</title><style>{_STYLE}</style>"
        page = f"{head}{''.join(parts)}"
        if path is not None:
            Path(path).write_text(page, encoding="utf-8")
        return page

    def __repr__(self) -> str:
        return "\n".join([self._title(), "", *display.grid(*self._table(), widest=None), *self._refusals()])

    def _repr_html_(self) -> str:
        refused = "".join(map(display.paragraph, self._refusals()))
        return f"{display.paragraph(self._title())}{display.table(*self._table())}{refused}"

    def _table(self) -> tuple[Sequence[str], list[Sequence[str]]]:
        """Return a column for each way, and a row for each measure with the number of questions it applies to."""
        figures = {(one.way, one.measure.name): one for one in self.figures}
        rows: list[Sequence[str]] = []
        for name in MEASURES:
            found = [figures.get((way, name)) for way in self.ways]
            if not any(found) or (name == "failed" and not any(one and one.estimate.value for one in found)):
                continue
            asked = max(one.estimate.n for one in found if one)
            shown = (str(one) if one else "–" for one in found)
            rows.append((MEASURES[name].heading, *shown, str(asked)))
        return ("Measure (95 % interval)", *(one_line(way.name) for way in self.ways), "Questions"), rows

    def _title(self) -> str:
        gold = sum(bool(q.gold or q.evidence or q.answers or q.answerable is not None) for q in self.questions)
        known = "" if gold == len(self.questions) else f", {gold or 'none'} with gold"
        return f"{one_line(self.name)}: {count(len(self.questions), 'question')}{known}, {count(len(self.ways), 'way')}"

    def _refusals(self) -> list[str]:
        return ["", *(f"Not used: {one_line(one)}" for one in self.refused)] if self.refused else []

    def _answers(self) -> Iterator[Sequence[str]]:
        for one in self.outcomes:
            answer = truncate(one.answer, _LONGEST_ANSWER)
            yield (
                str(one.question.line),
                one.question.text,
                one.way.name,
                word(one.outcome) or one.reason,
                answer,
            )

    def _way(self, way: Way | int | str) -> Way:
        if isinstance(way, int) and -len(self.ways) <= way < len(self.ways):
            return self.ways[way]
        found = next((one for one in self.ways if way in (one, one.name)), None)
        if found is None:
            names = "; ".join(f"{number}: {one.name}" for number, one in enumerate(self.ways))
            raise QuestionError(f"This evaluation has no way {way!r}; there are {names}.")
        return found


def _differing(pairs: Sequence[tuple[Outcome, Outcome]]) -> Iterator[DifferingQuestion]:
    """Yield the questions of which a measure of quality differs; time, tokens and words differ almost always."""
    judged = [name for name, measure in MEASURES.items() if measure.unit == "%"]
    for one, other in pairs:
        unequal = tuple(name for name in judged if one.values.get(name) != other.values.get(name))
        if unequal:
            yield DifferingQuestion(one.question, one, other, unequal)


def _shown(name: str, outcome: Outcome) -> str:
    value = outcome.values.get(name)
    return "–" if value is None else f"{value:.0f}"
