"""Rules by which an agent works without a model: parts by grammar, the graph before the passages, quoted results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from explorer.drawing.ways import PATTERNS
from explorer.language.questions import inner
from explorer.language.sentences import sentences
from explorer.language.words import content_stems, is_content, is_name, phrases, stem, tokens
from explorer.reasoning.extractive.choosing import LIKENESS
from explorer.reasoning.extractive.scoring import Scoring
from explorer.reasoning.extractive.support import joined, not_covered
from explorer.reasoning.protocol import (
    Action,
    AgentStep,
    AnswerPart,
    Choice,
    GoalResult,
    Parts,
    Planned,
    PlannedStep,
    Sentence,
    TaskType,
    ToolSpec,
    Unreadable,
    Uses,
    Verdict,
)
from explorer.reasoning.rules.clauses import QuestionPart, parts
from explorer.reasoning.rules.comparison import is_comparison, sides
from explorer.reasoning.rules.openings import content
from explorer.reasoning.rules.pronouns import is_open, with_names
from explorer.text import truncate

SEARCHES = ("knowledge-query", "document-query")  # the graph first
MOST = 50  # parts, and steps
_QUOTED = 0.75  # of several results: share of the best sentence's fit from which one is quoted; not measured
_BEST = 3  # sentences of each result that are quoted, its first always; not measured
_READ = 200  # sentences of each result that are compared
_NAMES = 3  # of the result before, put into a step's search
_NO_SEARCH = "no search tool is offered"


@dataclass(slots=True)
class Rules(Scoring):
    """Chooses, plans, calls and answers by rules; scores decide which sentences fit. The same input, the same output.

    The numbers in `uses` of a step's call count the results that it was given.
    """

    def classify(self, question: str, tasks: Sequence[TaskType]) -> Choice:
        """Return the first type of task."""
        return Choice(tasks[0].name if tasks else "", "without a model the first task type is taken")

    def choose_pattern(self, question: str, task: TaskType) -> Choice:
        """Return a team for several parts, a plan for a comparison or for steps, else step by step."""
        pattern, rule = _pattern(question)
        if pattern in task.patterns or not task.patterns:
            return Choice(pattern, f"{rule}: {PATTERNS[pattern].word}")
        rule = f"{rule}, but this task type is not worked {PATTERNS[pattern].word}: its first pattern"
        return Choice(task.patterns[0], rule)

    def decompose(self, question: str, framing: str, tools: Sequence[ToolSpec], limit: int) -> Parts:
        """Return the parts of a question, all of them but for a cap; one that can't be split is its own part."""
        found = parts(question)
        goals = [step for part in found for step in part.steps]
        if len(goals) == 1:
            return Parts((question,), "one question part: it is not split")
        capped = f", the first {MOST} are taken" if len(goals) > MOST else ""
        rule = f"{len(goals)} question parts, each asks for itself{capped}"
        return Parts(tuple(goals[:MOST]), rule)

    def plan(self, question: str, framing: str, tools: Sequence[ToolSpec]) -> Planned:
        """Return a step for each side of a comparison, for each step of a sequence, or for each part."""
        hint = next(iter(_offered(tools)), "")
        steps: list[PlannedStep] = []
        compared = sequence = False
        for part in parts(question):
            before: tuple[int, ...] = ()
            for goal in part.steps:
                goals = sides(goal)
                compared, sequence = compared or len(goals) > 1, sequence or len(part.steps) > 1
                first = len(steps)
                steps += [PlannedStep(side, hint, before) for side in goals]
                before = tuple(range(first, len(steps)))
        kinds = [("one step for each side of the comparison", compared), ("steps that follow one another", sequence)]
        rule = "; ".join(kind for kind, is_so in kinds if is_so)
        rule = rule or ("one step for each question part" if len(steps) > 1 else "one question part: one step")
        return Planned(tuple(steps[:MOST]), rule)

    def next_action(
        self, question: str, framing: str, tools: Sequence[ToolSpec], history: Sequence[AgentStep]
    ) -> Iterator[Action | Uses | AnswerPart]:
        """Search the graph, then the passages; answer in the words of what was found, or of the last refusal."""
        if any(_holds(step) for step in history):
            yield from self._answer(question, history)
            return
        tool = next((name for name in _offered(tools) if all(step.action != name for step in history)), None)
        if tool is not None:
            yield Action(tool, {"question": content(question)}, (), _search_rule(tool, bool(history)))
            return
        refusals = [step.observation for step in history if step.declined and step.observation.strip()]
        failures = [step.error for step in history if step.error is not None]
        if refusals:
            yield Sentence(refusals[-1])
        elif failures:
            yield Sentence(f"The search failed: {_error(failures[-1])}.")
        else:
            yield Sentence(f"Nothing was looked up, as {_NO_SEARCH}.")
        yield Verdict("declined")

    def _answer(self, question: str, history: Sequence[AgentStep]) -> Iterator[Uses | AnswerPart]:
        """Answer with the results: a single one as it stands, of several what fits the question."""
        reports = {n: _report(step.observation, step) for n, step in enumerate(history) if _holds(step)}
        quotes = [(number, text) for number, one in reports.items() for text in one.quotes]
        rule = "the result is told in its own words"
        if len(reports) > 1:
            quotes = quotes[:_READ]
            scores = self.fits(question, [text for _, text in quotes]) if quotes else []
            floor = _QUOTED * max(scores, default=0.0)
            rule = "the sentences of both results that fit the question"
            first = {(number, one.quotes[0]) for number, one in reports.items() if one.quotes}
            quotes = [quote for quote, score in zip(quotes, scores, strict=True) if score >= floor or quote in first]
        answer = self._merged(quotes) if len(reports) > 1 else [(text, (number,)) for number, text in quotes]
        yield Uses(tuple(sorted({number for _, cites in answer for number in cites})), rule)
        yield from _told(answer, reports)
        remarks, missing = _notes([(one, frozenset()) for one in reports.values()], [text for text, _ in answer])
        if note := " ".join([*remarks, *not_covered(missing)]):
            yield Sentence(note)
        given = joined(step.support for n in reports if (step := history[n]).support is not None)
        yield Verdict("done" if answer else "declined", missing, given)

    def act(
        self, question: str, goal: str, previous: Sequence[GoalResult], tools: Sequence[ToolSpec],
        tried: Sequence[AgentStep],
    ) -> Action | Unreadable | None:  # fmt: skip
        """Return the search for a step; where a pronoun of it is open, with the first names of the result before it.

        None: all was tried.
        """
        del question
        searches = _offered(tools)
        if not searches and not tried:
            return Unreadable(_NO_SEARCH)
        tool = next((name for name in searches if all(step.action != name for step in tried)), None)
        if tool is None or any(_holds(step) for step in tried):
            return None
        rule = _search_rule(tool, bool(tried))
        known = [number for number, found in enumerate(previous) if _holds(found)]
        names = _names(previous[known[-1]]) if known and is_open(goal) else []
        bare = content(goal)
        asked = with_names(bare, names)
        if asked == bare:
            return Action(tool, {"question": bare}, (), rule)
        return Action(tool, {"question": asked}, (known[-1],), f"{rule}; with names from the step before")

    def combine(self, question: str, framing: str, found: Sequence[GoalResult], pattern: str) -> Iterator[AnswerPart]:
        """Quote the best sentences of each result in order, then name what was not found and what failed."""
        reports = {n: _report(item.text, item) for n, item in enumerate(found) if _holds(item)}
        quotes = [(n, text) for n, one in reports.items() for text in self._best(found[n].goal, list(one.quotes))]
        answer = self._merged(quotes)
        yield from _told(answer, reports)
        held = {number for number, _ in quotes}
        open_goals = [item.goal for number, item in enumerate(found) if number not in held and item.error is None]
        put = [(one, content_stems(found[n].goal) - content_stems(question)) for n, one in reports.items()]
        remarks, missing = _notes(put, [text for text, _ in answer])
        notes = [] if answer else ["Nothing was found to answer this from."]
        notes += [*remarks, *not_covered(missing)]
        if open_goals:
            notes.append(f"Not found: {'; '.join(f'“{truncate(goal, 120)}”' for goal in open_goals)}.")
        if failed := [(item.goal, item.error) for item in found if item.error is not None]:
            listed = "; ".join(f"“{truncate(goal, 120)}” ({_error(error)})" for goal, error in failed)
            notes.append(f"Failed: {listed}.")
        if notes:
            yield Sentence(" ".join(notes))
        unfound = sum(item.support is None for n, item in enumerate(found) if n not in held)
        given = joined((item.support for item in found if item.support is not None), unfound)
        yield Verdict("done" if answer else "declined", missing, given)

    def _best(self, goal: str, texts: list[str]) -> list[str]:
        """Return the first sentence, which answers, and the others that fit a goal best, in their own order."""
        if len(texts) <= _BEST:
            return texts
        scores = self.fits(goal, texts[:_READ])
        best = sorted(range(len(scores)), key=lambda i: (i > 0, -scores[i]))[:_BEST]
        return [texts[i] for i in sorted(best)]

    def _merged(self, quotes: list[tuple[int, str]]) -> list[tuple[str, tuple[int, ...]]]:
        """Return the quotes without repetitions; the sentence that stays cites their results too."""
        if not quotes:
            return []
        texts = [text for _, text in quotes]
        near = self.similarities(texts, texts)
        groups: dict[int, list[int]] = {}
        for i, (number, text) in enumerate(quotes):
            same = next((j for j in groups if texts[j] == text or float(near[i][j]) >= LIKENESS), i)
            cites = groups.setdefault(same, [])
            cites += [] if number in cites else [number]
        return [(texts[i], tuple(cites)) for i, cites in groups.items()]


@dataclass(frozen=True, slots=True)
class _Report:
    """What a result says: what it quotes, its own remarks, and the words that it says were not found.

    `lead`: what it says before its first quotation, as "related, but …:".
    """

    quotes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    lead: str = ""


def _report(text: str, result: AgentStep | GoalResult) -> _Report:
    """Divide a result's text: its quotations rest on a source; of one that marks none, all but the note on words."""
    spans = sorted(result.quoted)
    quotes = [quote for first, last in spans if (quote := text[first:last].strip())]
    starts, ends = [*(first for first, _ in spans), len(text)], [0, *(last for _, last in spans)]
    rest = " ".join(text[end:start] for end, start in zip(ends, starts, strict=True)) if quotes else text
    for note in not_covered(result.missing):
        rest = rest.replace(note, " ")
    if not quotes:
        return _Report(tuple(sentences(rest)), (), result.missing)
    lead = " ".join(text[: starts[0]].split())
    remark = " ".join(rest.split()).removeprefix(lead).strip()
    return _Report(tuple(quotes), (remark,) if any(map(is_content, tokens(remark))) else (), result.missing, lead)


def _told(answer: Sequence[tuple[str, tuple[int, ...]]], reports: Mapping[int, _Report]) -> Iterator[Sentence]:
    """Yield sentences of results, before the first of each what that says before its quotations."""
    led: set[int] = set()
    for text, cites in answer:
        lead = reports[cites[0]].lead if cites and cites[0] not in led else ""
        led.update(cites)
        if lead:
            yield Sentence(lead)
        yield Sentence(text, cites)


def _pattern(question: str) -> tuple[str, str]:
    found: list[QuestionPart] = parts(question)
    if len(found) > 1:
        return "supervisor", "more than one question part"
    goal = found[0].steps[0]
    if is_comparison(question) or (len(found[0].steps) == 1 and len(sides(goal)) > 1):
        return "plan-then-execute", "a comparison is asked for"
    if len(found[0].steps) > 1:
        return "plan-then-execute", "steps that follow one another"
    return "react", "one question part"


def _offered(tools: Sequence[ToolSpec]) -> list[str]:
    names = {tool.name for tool in tools}
    return [name for name in SEARCHES if name in names]


def _search_rule(tool: str, again: bool) -> str:  # noqa: FBT001 - whether something was tried before
    if tool == SEARCHES[0]:
        return "first the knowledge graph"
    return "nothing was found in the graph: the passages" if again else "only the passages can be searched"


def _holds(result: AgentStep | GoalResult) -> bool:
    text = result.observation if isinstance(result, AgentStep) else result.text
    return result.error is None and not result.declined and bool(text.strip())


def _error(text: str) -> str:
    return truncate(text, 120).rstrip(".") or "no reason was given"


def _names(found: GoalResult) -> list[str]:
    """Return the names in the first sentence of a result."""
    quotes = _report(found.text, found).quotes if found.quoted else sentences(found.text[:2_000])
    first = next(iter(quotes), "")[:2_000]
    named = [phrase for phrase in phrases(first) if phrase[0].isupper() and all(map(is_name, phrase.split()))]
    return list(dict.fromkeys(named))[:_NAMES]


def _notes(
    reports: Sequence[tuple[_Report, frozenset[str]]], texts: Sequence[str]
) -> tuple[list[str], tuple[str, ...]]:
    """Merge the remarks of results, and the words they did not find except those in the answer's texts or put in by
    rules.
    """
    remarks = dict.fromkeys(remark for report, _ in reports for remark in report.remarks)
    there = content_stems(" ".join(texts))
    missing = (word for report, put in reports for word in report.missing if stem(word) not in there | put)
    return list(remarks), tuple(dict.fromkeys(missing))
