"""The reasoner without a model: it compares words and vectors, quotes, and declines when the evidence is not there.

Concepts are the runs between stop words. An edge is scored together with its source sentence. The answer is made of
source sentences, each cited. As an agent it works by rules. The same input always has the same output. It never claims
to have understood.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from explorer.events import NOT_FOUND
from explorer.language.question_parts import open_pronoun, parts, with_names
from explorer.language.questions import read
from explorer.language.sentences import sentences
from explorer.language.words import clauses, content_stems, is_content, is_name, phrases, stem, tokens
from explorer.reasoning.agent_protocol import (
    Action,
    AgentStep,
    Choice,
    GoalResult,
    Parts,
    Planned,
    PlannedStep,
    TaskType,
    ToolSpec,
    Unreadable,
    Uses,
)
from explorer.reasoning.extractive.quotation import Quotation
from explorer.reasoning.extractive.support import joined
from explorer.reasoning.protocol import AnswerPart, ModelCall, Sentence, Verdict
from explorer.text import truncate

SEARCHES = {
    "knowledge-query": "first the knowledge graph",
    "document-query": "nothing was found in the graph: the passages",
}
MOST = 50  # parts, and steps
_NAMES = 3  # of the result before, put into a step's search
_NO_SEARCH = "no search tool is offered"


@dataclass(slots=True)
class ExtractiveReasoner(Quotation):
    """Scores and quotes by embedding similarity and shared words, and works as an agent by rules.

    `rarity` returns a word's inverse document frequency. For one run: it remembers the texts that it has compared. The
    numbers in `uses` of a step's call count the results that it was given.
    """

    @property
    def name(self) -> str:
        """The reasoner and its version."""
        return "extractive/1"

    def take_calls(self) -> list[ModelCall]:
        """Return the calls to a model, of which it makes none."""
        return []

    def concepts(self, question: str) -> list[str]:
        """Return the noun phrases and names of the question, and what else it says; without any the whole question."""
        found = [phrase for part in clauses(question) for phrase in read(part).phrases]
        if not found:
            return phrases(question) or [question]
        known = {stem(word) for phrase in found for word in tokens(phrase)}
        said = {key for part in clauses(question) for key, _ in read(part).classes}
        found += [word for word in tokens(question) if stem(word) in said - known]
        return list({content_stems(one): one for one in reversed(found)}.values())[::-1]

    def classify(self, question: str, tasks: Sequence[TaskType]) -> Choice:
        """Return the first type of task."""
        return Choice(tasks[0].name if tasks else "", "without a model the first task type is taken")

    def choose_pattern(self, question: str, task: TaskType) -> Choice:
        """Return a team for several parts, a plan for steps, else step by step."""
        found = parts(question)
        pattern, rule = "react", "one question part"
        if len(found) > 1:
            pattern, rule = "supervisor", "more than one question part"
        elif len(found[0]) > 1:
            pattern, rule = "plan-then-execute", "steps that follow one another"
        if pattern in task.patterns or not task.patterns:
            return Choice(pattern, rule)
        return Choice(task.patterns[0], f"{rule}, but this task type has no {pattern}: its first pattern")

    def decompose(self, question: str, framing: str, tools: Sequence[ToolSpec], limit: int) -> Parts:
        """Return the parts of a question, all of them but for a cap; one that can't be split is its own part."""
        goals = [step for steps in parts(question) for step in steps]
        if len(goals) == 1:
            return Parts((question,), "one question part: it is not split")
        capped = f", the first {MOST} are taken" if len(goals) > MOST else ""
        return Parts(tuple(goals[:MOST]), f"{len(goals)} question parts, each asks for itself{capped}")

    def plan(self, question: str, framing: str, tools: Sequence[ToolSpec]) -> Planned:
        """Return a step for each step of a sequence, or for each part."""
        hint = next(iter(_offered(tools)), "")
        steps: list[PlannedStep] = []
        for part in parts(question):
            before: tuple[int, ...] = ()
            for goal in part:
                steps.append(PlannedStep(goal, hint, before))
                before = (len(steps) - 1,)
        rule = "one step for each question part, or step of it"
        return Planned(tuple(steps[:MOST]), rule if len(steps) > 1 else "one question part: one step")

    def next_action(
        self, question: str, framing: str, tools: Sequence[ToolSpec], history: Sequence[AgentStep]
    ) -> Iterator[Action | Uses | AnswerPart]:
        """Search the graph, then the passages; answer in the words of what was found, or of the last refusal."""
        found = {number: step for number, step in enumerate(history) if _holds(step)}
        tool = None if found else _next(tools, history)
        if found:
            yield Uses(tuple(found), "the result is told in its own words")
            yield from _quoted_results(question, found, [])
        elif tool is not None:
            yield Action(tool, {"question": question}, (), SEARCHES[tool])
        else:
            failures = [f"The search failed: {_error(step.error)}." for step in history if step.error is not None]
            refusals = [step.observation for step in history if step.declined and step.observation.strip()]
            nothing = [f"Nothing was looked up, as {_NO_SEARCH}."]
            yield Sentence((refusals or failures or nothing)[-1])
            yield Verdict("declined")

    def act(
        self, question: str, goal: str, previous: Sequence[GoalResult], tools: Sequence[ToolSpec],
        tried: Sequence[AgentStep],
    ) -> Action | Unreadable | None:  # fmt: skip
        """Return the search for a step; where a pronoun of it is open, with the first names of the result before it.

        None: all was tried.
        """
        if not _offered(tools) and not tried:
            return Unreadable(_NO_SEARCH)
        tool = _next(tools, tried)
        if tool is None or any(map(_holds, tried)):
            return None
        known = [number for number, found in enumerate(previous) if _holds(found)] if open_pronoun(goal) else []
        asked = with_names(goal, _names(previous[known[-1]]) if known else [])
        if asked == goal:
            return Action(tool, {"question": goal}, (), SEARCHES[tool])
        return Action(tool, {"question": asked}, (known[-1],), f"{SEARCHES[tool]}; with names from the step before")

    def combine(self, question: str, framing: str, found: Sequence[GoalResult], pattern: str) -> Iterator[AnswerPart]:
        """Tell each result in order, then name what was not found and what failed."""
        held = {number: item for number, item in enumerate(found) if _holds(item)}
        notes = [] if held else [Sentence("Nothing was found to answer this from.")]
        if left := [f"“{truncate(one.goal, 120)}”" for one in found if not _holds(one) and one.error is None]:
            notes.append(Sentence(f"Not found: {'; '.join(left)}.", outcome=NOT_FOUND if held else None))
        if failed := [f"“{truncate(one.goal, 120)}” ({_error(one.error)})" for one in found if one.error is not None]:
            notes.append(Sentence(f"Failed: {'; '.join(failed)}."))
        yield from _quoted_results(question, held, notes, sum(one.support is None for one in found if not _holds(one)))


def _quoted_results(
    question: str, results: Mapping[int, AgentStep | GoalResult], notes: Sequence[Sentence], unfound: int = 0
) -> Iterator[AnswerPart]:
    """Yield the sentences of results, a repeated one once; then the words that they do not cover, and the notes."""
    cites: dict[tuple[str, bool], list[int]] = {}
    for number, result in results.items():
        for piece in _pieces(result):
            cites.setdefault(piece, []).append(number)
    differ = unfound > 0 or len({one.support.outcome for one in results.values() if one.support}) > 1
    for (text, is_quoted), numbers in cites.items():
        given = results[numbers[0]].support if differ and is_quoted else None
        rests = tuple(dict.fromkeys(numbers)) if is_quoted else ()
        yield Sentence(text, rests, outcome=given.outcome if given else None)
    asked = content_stems(question)
    put = {word for one in results.values() if isinstance(one, GoalResult) for word in content_stems(one.goal) - asked}
    known = put | content_stems(" ".join(text for text, is_quoted in cites if is_quoted))
    words = dict.fromkeys(word for one in results.values() for word in one.missing if stem(word) not in known)
    yield from notes
    given = joined((one.support for one in results.values() if one.support is not None), unfound)
    yield Verdict("done" if any(is_quoted for _, is_quoted in cites) else "declined", tuple(words), given)


def _pieces(result: AgentStep | GoalResult) -> Iterator[tuple[str, bool]]:
    """Yield what a result says, and whether that is quoted: where nothing is, all of it."""
    text, at = _text(result), 0
    for start, end in [*sorted(result.quoted), (len(text), len(text))]:
        rest = text[at:start]
        said = [" ".join(rest.split())] if result.quoted else sentences(rest)
        yield from ((one, not result.quoted) for one in said if any(map(is_content, tokens(one))))
        if quote := text[start:end].strip():
            yield quote, True
        at = end


def _text(result: AgentStep | GoalResult) -> str:
    return result.observation if isinstance(result, AgentStep) else result.text


def _holds(result: AgentStep | GoalResult) -> bool:
    return result.error is None and not result.declined and bool(_text(result).strip())


def _offered(tools: Sequence[ToolSpec]) -> list[str]:
    return [name for name in SEARCHES if any(tool.name == name for tool in tools)]  # the graph first


def _next(tools: Sequence[ToolSpec], tried: Sequence[AgentStep]) -> str | None:
    return next((name for name in _offered(tools) if all(step.action != name for step in tried)), None)


def _error(text: str | None) -> str:
    return truncate(text or "", 120).rstrip(".") or "no reason was given"


def _names(found: GoalResult) -> list[str]:
    first = next((text for text, is_quoted in _pieces(found) if is_quoted), "")[:2_000]
    named = [phrase for phrase in phrases(first) if phrase[0].isupper() and all(map(is_name, phrase.split()))]
    return list(dict.fromkeys(named))[:_NAMES]
