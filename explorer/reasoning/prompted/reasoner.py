"""The reasoner that asks a chat model: a prompt for each task, replies read tolerantly, one repair, else ModelError."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate, islice
from typing import TYPE_CHECKING, TypeVar

from explorer.errors import ModelError
from explorer.events import Passage, Usage
from explorer.language.words import phrases, stems
from explorer.models.chat import ChatModel, CutShortError, Message, Schema
from explorer.models.embedding import Embedder
from explorer.models.endpoint import ClosedError, TooLongError
from explorer.reasoning.agent_protocol import (
    Action,
    AgentStep,
    Choice,
    GoalResult,
    Parts,
    Planned,
    TaskType,
    ThoughtPiece,
    ToolSpec,
    Unreadable,
    Uses,
)
from explorer.reasoning.prompted import agent_prompts, checking, prompts
from explorer.reasoning.protocol import (
    AnswerPart,
    Checked,
    Cited,
    Edge,
    Kept,
    ModelCall,
    Picked,
    Picks,
    Piece,
    Reached,
    ScoredEdge,
    ScoredPassage,
    SelectedEdge,
    Sentence,
    ShownPassage,
    Verdict,
)
from explorer.reasoning.replies import lists as agent_replies
from explorer.reasoning.replies import parsing as replies
from explorer.reasoning.replies import react as react_text
from explorer.text import sound

if TYPE_CHECKING:
    from explorer.stores.fact_sources import Correction

T = TypeVar("T")

_LETTERS = 3  # of a token, at least: prompts are rather split too early than refused
_INSTRUCTIONS = 500  # tokens of a prompt around its rows
_NEAREST = 5  # passages that may stand beside facts in the prompt for an answer
_ANSWER = 800  # tokens kept free for an answer
_PICKED = 600  # tokens kept free for what is selected
_LONGEST_PROMPT = 21_500  # characters of the passages in a prompt for an answer: with what is around them 24,000
_AROUND = 11  # characters around a sentence in a prompt
_GAP = 4  # characters between passages that follow one another, at most
_FEWEST = 0.5  # of the items of a prompt, that a reply has to score: what scores fewer did not understand the task
_LONGEST_REPLY = 400_000  # characters: what goes on for longer is no reply


@dataclass(slots=True)
class PromptedReasoner:
    """Reasons by asking `chat`; `embedder` says which concept an edge is nearest to. For one run at a time.

    `context` is the number of tokens that a prompt with its reply may have, and `batch` how many edges or passages it
    may ask about: more are asked about in several prompts. The model scores from 1 to 10; a tenth of that is the score.
    What it leaves out, or scores off the scale, has no score; where that is more than half of a prompt, twice, all of
    that prompt is scored by similarity, and says so in `by`; all are where all scores are equal, as these tell nothing.
    A fact with the lowest score is not selected. Some may have no reason.
    `corrected` returns what people took back or corrected of the words of a passage: the model is told beside them.
    """

    chat: ChatModel
    embedder: Embedder
    context: int = 8_192
    batch: int | None = None
    corrected: Callable[[Passage], Sequence[Correction]] = field(default=lambda _: (), kw_only=True)
    _calls: list[ModelCall] = field(default_factory=list, init=False, repr=False)

    @property
    def name(self) -> str:
        """The model's name."""
        return self.chat.name

    def take_calls(self) -> list[ModelCall]:
        """Return the calls since this was last asked."""
        taken, self._calls = self._calls, []
        return taken

    def concepts(self, question: str) -> list[str]:
        """Return the concepts the model names; the question's phrases, and so it is told, when there is none."""
        named = replies.concepts(self._reply_if_any(prompts.extract_concepts(question)))
        if not named and not self._calls[-1].error:
            self._calls[-1] = replace(self._calls[-1], error="it names no key idea: those of the question stand in")
        return named or phrases(question) or [question]

    def score_edges(self, question: str, concepts: Sequence[str], edges: Sequence[Edge]) -> list[ScoredEdge]:
        """Return the edges that the model scored, best first; those of equal score in the order of its reply."""
        named = prompts.edge_ids(edges)
        rows = {key: self._row(edge, id=key) for key, edge in named.items()}
        texts = {key: edge.with_sentence for key, edge in named.items()}
        found = self._scores(prompts.EDGE_SCORING, question, rows, texts)
        nearest: list[str | None] = [None] * len(found)
        if concepts and found:
            near = self.embedder.embed([texts[key] for key in found]) @ self.embedder.embed(concepts).T
            nearest = [concepts[int(row.argmax())] for row in near]
        scored = [ScoredEdge(named[key], score, concept, by=by)
                  for (key, (score, by)), concept in zip(found.items(), nearest, strict=True)]  # fmt: skip
        return sorted(scored, key=lambda item: -item.score)

    def select(
        self, question: str, scored: Sequence[ScoredEdge], limit: int, reached: Reached
    ) -> list[ScoredEdge | ScoredPassage]:
        """Return the best edges that are of use, and after them the nearest passages that none of them stands for.

        The model has not judged these, so they have no score.
        """
        best = [one for one in scored if one.by or one.score > replies.LOWEST / replies.HIGHEST][:limit]
        told = {passage.chunk for item in best for passage in item.edge.passages}
        nearest = [passage for passage, reach in reached.items() if reach > 0][:_NEAREST]
        untold = (one for one in nearest if one.chunk not in told)
        return [*best, *map(ScoredPassage, untold)]

    def reason_edges(self, question: str, selected: Sequence[ScoredEdge | ScoredPassage]) -> list[SelectedEdge]:
        """Return each edge with the model's reason for it."""
        scored = [item for item in selected if isinstance(item, ScoredEdge)]
        named = prompts.edge_ids(item.edge for item in scored)
        rows = {key: self._row(edge, id=key) for key, edge in named.items()}
        asked = self._ask_in_batches(prompts.EDGE_REASONING, question, rows, replies.reasons, fewest=0)
        found = {key: reason for _, part in asked for key, reason in part.items()}
        return [SelectedEdge(item.edge, item.score, item.concept, found.get(key, ""), by=item.by)
                for key, item in zip(named, scored, strict=True)]  # fmt: skip

    def score_passages(self, question: str, passages: Sequence[Passage]) -> list[ScoredPassage]:
        """Return the passages that the model scored, best first; those of equal score in the order of its reply."""
        named = {f"p{number}": passage for number, passage in enumerate(passages, 1)}
        rows = {key: self._passage_row(passage, id=key) for key, passage in named.items()}
        texts = {key: passage.text for key, passage in named.items()}
        found = self._scores(prompts.PASSAGE_SCORING, question, rows, texts)
        read = [ScoredPassage(named[key], score, by=by) for key, (score, by) in found.items()]
        return sorted(read, key=lambda item: -(item.score or 0.0))

    def synthesise(
        self, question: str, concepts: Sequence[str], kept: Sequence[Kept]
    ) -> Iterator[Sentence | Piece | Cited | Verdict]:
        """Yield the model's answer as it comes; without any fact or passage the model is not asked.

        As many go into the prompt as fit, best first; an answer that is not whole ends in ModelError.
        """
        if not kept:
            yield from replies.not_asked("Nothing was found")
            return
        rows = [
            self._passage_row(item.passage, n=number) if isinstance(item, ScoredPassage)
            else self._row(item.edge, n=number)
            for number, item in enumerate(kept, 1)
        ]  # fmt: skip
        yield from self._answer(question, rows)

    def pick(self, question: str, shown: Sequence[ShownPassage]) -> Picks:
        """Return what the model selects, of as much as fits; where it names nothing, or fails, the rule says so."""
        rows, places = list[str](), dict[str, tuple[int, int, Edge | None]]()
        left = self._room(question) - _PICKED
        for p, s, sentence in ((p, s, one) for p, whole in enumerate(shown) for s, one in enumerate(whole.sentences)):
            number = len(places) + 1
            facts = {str(number + 1 + i): edge for i, edge in enumerate(sentence.edges)}
            row = prompts.shown_sentence(number, sentence.text, facts)
            if not s:
                row = f"{prompts.shown_title(shown[p], self.corrected(shown[p].passage))}\n{row}"
            if (left := left - _tokens(row)) < 0:
                break
            rows.append(row)
            places |= {str(number): (p, s, None)} | {key: (p, s, edge) for key, edge in facts.items()}
        if not places:
            return Picks(rule="the nearest, as no sentence fits into a prompt that selects")
        try:
            reply = self._reply(prompts.PICKING.ask(question, rows), prompts.PICKING.schema)
        except ClosedError:
            raise
        except TooLongError as error:
            half = shown[: len(shown) // 2]
            return self.pick(question, half) if half else Picks(rule=f"the nearest: {error}")
        except ModelError as error:
            return Picks(rule=f"the nearest, as the call that selects failed: {error}")
        found, named = replies.picks(reply, places)
        rule = None if found else "the nearest, as the reply of the model selects nothing"
        asked = {*stems(question)}
        search = tuple(one for one in named if {*stems(one)} - asked)
        return Picks(tuple(Picked(*places[key], why) for key, why in found.items()), rule, search)

    def fitting(self, question: str, shown: Sequence[ShownPassage]) -> list[ShownPassage]:
        """Return what fits into the prompt of an answer: the first passages, of a long one its first sentences."""
        left = min(_LONGEST_PROMPT, _LETTERS * (self._room(question) - _ANSWER))
        found = []
        for one in shown:
            left -= len(prompts.shown_passage(one, {}, self.corrected(one.passage))) + 1
            taken = [len(sentence.text) + _AROUND for sentence in one.sentences]
            fits = [total for total in accumulate(taken) if total <= left]
            if fits:
                left -= fits[-1]
                found.append(replace(one, sentences=one.sentences[: len(fits)]))
        if shown and not found:
            raise ModelError(
                f"No passage fits beside the question into a context of {self.context:,} tokens; raise context "
                "(EXPLORER_MODEL_CONTEXT)."
            )
        return found

    def read(self, question: str, facts: Sequence[Edge], shown: Sequence[ShownPassage]) -> Iterator[AnswerPart]:
        """Yield the model's answer as it comes, citing sentences; without anything to read the model is not asked."""
        if not facts and not shown:
            yield from replies.not_asked("Nothing was found")
            return
        places: list[tuple[int, tuple[int, int] | None]] = [(at, None) for at in range(len(facts))]
        rows = [self._row(edge, n=number) for number, edge in enumerate(facts, 1)]
        for at, one in _read_on([*enumerate(shown, len(facts))]):
            told = {str(n): sentence.text for n, sentence in enumerate(one.sentences, len(places) + 1)}
            rows.append(prompts.shown_passage(one, told, self.corrected(one.passage)))
            places += [(at, (sentence.start, sentence.end)) for sentence in one.sentences]
        try:
            task = prompts.READING_WITH_FACTS if facts else prompts.READING
            for part in replies.answer(self._pieces(task.ask(question, rows)), len(places)):
                yield _of_sentences(part, places) if isinstance(part, Cited) else part
        except TooLongError:  # told before the first piece
            if len(shown) < 2:
                raise
            yield from self.read(question, facts, shown[: len(shown) // 2])

    def classify(self, question: str, tasks: Sequence[TaskType]) -> Choice:
        """Return the type of task the model names; without a choice the model is not asked."""
        if len(tasks) < 2:
            return Choice(tasks[0].name if tasks else agent_replies.GENERAL, "the only task type")
        return agent_replies.task_type(self._reply(agent_prompts.classify(question, tasks)), tasks)

    def choose_pattern(self, question: str, task: TaskType) -> Choice:
        """Return the pattern the model names; without a choice the model is not asked."""
        if len(task.patterns) < 2:
            return Choice(task.patterns[0] if task.patterns else agent_replies.REACT, "the only pattern allowed")
        return agent_replies.pattern(self._reply(agent_prompts.choose_pattern(question, task)), task.patterns)

    def next_action(
        self, question: str, framing: str, tools: Sequence[ToolSpec], history: Sequence[AgentStep]
    ) -> Iterator[ThoughtPiece | Action | Unreadable | Uses | AnswerPart]:
        """Yield the model's thought as it comes, then its action, or its answer as it comes."""
        room = self._letters(agent_prompts.react(question, framing, tools, [], 0))
        asked = partial(agent_prompts.react, question, framing, tools, history)
        with closing(self._pieces_within(room, asked)) as pieces:
            for part in react_text.read(pieces, len(history)):
                if isinstance(part, Action | Unreadable):
                    pieces.close()  # so that the call is told of by the time its action is taken
                yield part

    def plan(self, question: str, framing: str, tools: Sequence[ToolSpec]) -> Planned:
        """Return the model's plan; a single step where the reply holds none."""
        asked = agent_prompts.create_plan(question, framing, tools)
        return agent_replies.plan(self._reply_if_any(asked, agent_prompts.PLAN))

    def act(
        self, question: str, goal: str, previous: Sequence[GoalResult], tools: Sequence[ToolSpec],
        tried: Sequence[AgentStep],
    ) -> Action | Unreadable | None:  # fmt: skip
        """Return the model's call for a step; there is one for each step, as in TrustGraph."""
        if tried:
            return None
        room = self._letters(agent_prompts.execute_step(question, goal, [], tools, 0))
        asked = agent_prompts.execute_step(question, goal, previous, tools, room)
        return agent_replies.step_call(self._reply(asked, agent_prompts.call_schema(tools)), tools)

    def decompose(self, question: str, framing: str, tools: Sequence[ToolSpec], limit: int) -> Parts:
        """Return the parts the model names; the whole question where it names none."""
        asked = agent_prompts.decompose(question, framing, tools, limit)
        return agent_replies.parts(self._reply_if_any(asked, agent_prompts.GOALS), question)

    def combine(self, question: str, framing: str, found: Sequence[GoalResult], pattern: str) -> Iterator[AnswerPart]:
        """Yield the model's answer from results as it comes; without any result the model is not asked."""
        if not found:
            yield from replies.not_asked("Nothing came of any step")
            return
        room = self._letters(agent_prompts.synthesis(question, framing, [], pattern, 0))
        asked = partial(agent_prompts.synthesis, question, framing, found, pattern)
        with closing(self._pieces_within(room, asked)) as pieces:
            yield from replies.answer(pieces, len(found))

    def check(self, question: str, sentences: Sequence[tuple[str, Sequence[str]]]) -> Checked:
        """Return what the model says to each sentence and the words that it cites."""
        room = _LETTERS * self._room(question)
        return checking.check(question, sentences, room, lambda asked: self._reply(asked, checking.TASK.schema))

    def complete(self, prompt: str) -> Iterator[str]:
        """Yield the model's reply to a prompt as it comes, without what it thinks aloud before."""
        with closing(self._pieces((Message("user", prompt),))) as pieces:
            yield from replies.spoken(pieces)

    def _row(self, edge: Edge, **name: str | int) -> str:
        return prompts.row(edge, [one for text in edge.passages[:1] for one in self.corrected(text)], **name)

    def _passage_row(self, passage: Passage, **name: str | int) -> str:
        return prompts.passage_row(passage, self.corrected(passage), **name)

    def _letters(self, asked: Sequence[Message]) -> int:
        """Return the characters that a prompt leaves for results, with an answer kept free."""
        return max(0, _LETTERS * (self.context - _ANSWER - _tokens(prompts.written(asked))))

    def _answer(self, question: str, rows: Sequence[str]) -> Iterator[Piece | Cited | Verdict]:
        fitting = next(iter(_batches(rows, _tokens, self._room(question) - _ANSWER)))
        try:
            yield from replies.answer(self._pieces(prompts.SYNTHESIS.ask(question, fitting)), len(fitting))
        except TooLongError:  # told before the first piece
            if len(fitting) < 2:
                raise
            yield from self._answer(question, fitting[: len(fitting) // 2])

    def _room(self, question: str) -> int:
        """Return the tokens that are left for rows and reply; the question stands below them, and above as a head."""
        return self.context - _INSTRUCTIONS - _tokens(question) - _tokens(question[: prompts.HEAD])

    @property
    def longest_question(self) -> int:
        """The characters of a question that leave room for what it is answered from."""
        return _LETTERS * self.context // 6

    def _scores(
        self, task: prompts.Task, question: str, rows: dict[str, str], texts: Mapping[str, str]
    ) -> dict[str, tuple[float, str | None]]:
        """Return the scores from 0 to 1 by the model, in the order of its replies, then those by similarity and whose.

        `texts` are what is compared with the question where a reply can't be used; what a reply that can be used leaves
        out, or scores off the scale, has no score.
        """
        found: dict[str, tuple[float, str | None]] = {}
        left: list[str] = []
        for keys, part in self._ask_in_batches(task, question, rows, replies.scores, fewest=_FEWEST):
            found |= {key: (score / replies.HIGHEST, None) for key, score in part.items()}
            left += [key for key in keys if key not in part] if len(part) < _FEWEST * len(keys) else []
        if len(found) > 1 and len({*found.values()}) == 1:
            found, left = {}, list(rows)
        if left:
            near = self.embedder.embed([texts[key] for key in left]) @ self.embedder.embed([question])[0]
            by = self.embedder.name
            found |= {key: (min(1.0, max(0.0, float(one))), by) for key, one in zip(left, near, strict=True)}
        return found

    def _ask_in_batches(
        self, task: prompts.Task, question: str, rows: dict[str, str],
        read: Callable[[str, Collection[str]], dict[str, T]], *, fewest: float,
    ) -> list[tuple[list[str], dict[str, T]]]:  # fmt: skip
        """Ask about all items in as many prompts as it takes; return the items of each, and the answers in order."""
        batches = _batches(list(rows), lambda key: _tokens(rows[key]) + task.each, self._room(question), self.batch)
        return [(keys, self._about(task, question, {key: rows[key] for key in keys}, read, fewest)) for keys in batches]

    def _about(
        self, task: prompts.Task, question: str, rows: dict[str, str],
        read: Callable[[str, Collection[str]], dict[str, T]], fewest: float,
    ) -> dict[str, T]:  # fmt: skip
        """Ask about some items, once more if nothing, or less than the share `fewest`, of the reply can be read.

        If that can't either, or the call fails, there is no answer about them. What a reply that was cut off leaves out
        is asked for by itself, and a prompt that is too long for the model is halved. Raises ModelError where there is
        nobody to ask.
        """
        asked = task.ask(question, [*rows.values()])
        try:
            reply = self._reply(asked, task.schema)
            found = read(reply, rows)
            rest = {key: row for key, row in rows.items() if key not in found}
            if found and rest and self._calls[-1].error:  # it was cut off
                return found | self._about(task, question, rest, read, fewest)
            if not found or len(found) < fewest * len(rows):
                found = read(self._reply(task.repair(asked, reply), task.schema), rows)
        except TooLongError:
            half = len(rows) // 2
            parts = [dict(islice(rows.items(), half)), dict(islice(rows.items(), half, None))] if half else []
            found = {}
            for part in parts:
                found |= self._about(task, question, part, read, fewest)
            return found
        except ClosedError:
            raise
        except ModelError:  # noted with the call
            return {}
        return found if len(found) >= fewest * len(rows) else {}

    def _reply(self, asked: Sequence[Message], schema: Schema | None = None) -> str:
        """Return a whole reply; of one that was cut off at a length limit as far as it came."""
        with suppress(CutShortError):  # what came before the cut is whole
            deque(self._pieces(asked, schema), maxlen=0)
        return self._calls[-1].reply

    def _reply_if_any(self, asked: Sequence[Message], schema: Schema | None = None) -> str:
        """Return a whole reply, and nothing where the call fails, which is then as one that can't be read."""
        try:
            return self._reply(asked, schema)
        except ClosedError:
            raise
        except ModelError:  # noted with the call
            return ""

    def _pieces_within(self, room: int, prompt: Callable[[int], Sequence[Message]]) -> Generator[str, None, None]:
        """Yield a reply to a prompt with so many characters of results, half of them where it is too long."""
        asked = prompt(room)
        try:
            yield from self._pieces(asked)
        except TooLongError:  # told before the first piece
            while room and prompt(room) == asked:
                room //= 2
            if not room:
                raise
            yield from self._pieces_within(room, prompt)

    def _pieces(self, asked: Sequence[Message], schema: Schema | None = None) -> Generator[str, None, None]:
        """Yield a reply in pieces until there is no more use for it; note the call however it ends."""
        received, length, usage, failed = list[str](), 0, Usage(), None
        try:
            for piece in self.chat.complete(asked, schema=schema):
                if isinstance(piece, Usage):
                    usage = piece
                    continue
                length += len(piece)
                if length > _LONGEST_REPLY:
                    failed = f"{self.name} does not stop talking; ask again, or take another model."
                    break
                received.append(sound(piece))
                yield received[-1]
        except ModelError as error:
            failed = str(error)
            raise
        finally:
            self._calls.append(ModelCall(prompts.written(asked), "".join(received), usage, failed))
        if failed:
            raise ModelError(failed)


def _read_on(shown: Sequence[tuple[int, ShownPassage]]) -> list[tuple[int, ShownPassage]]:
    """Put numbered passages that follow one another in a document side by side, at the place of the first one given."""
    runs: list[list[tuple[int, ShownPassage]]] = []
    for one in sorted(shown, key=lambda one: (one[1].passage.document, one[1].passage.start)):
        here, before = one[1].passage, runs[-1][-1][1].passage if runs else None
        if before is not None and before.document == here.document and here.start <= before.end + _GAP:
            runs[-1].append(one)
        else:
            runs.append([one])
    return [one for run in sorted(runs, key=lambda run: min(number for number, _ in run)) for one in run]


def _batches(items: Sequence[str], tokens: Callable[[str], int], room: int, most: int | None = None) -> list[list[str]]:
    """Cut items into runs of at most so many that fit; one that does not fit by itself stands alone."""
    batches: list[list[str]] = []
    left = 0
    for item in items:
        need = tokens(item)
        if not batches or need > left or len(batches[-1]) == most:
            batches.append([])
            left = room
        batches[-1].append(item)
        left -= need
    return batches


def _tokens(text: str) -> int:
    return len(text) // _LETTERS + 1


def _of_sentences(span: Cited, places: Sequence[tuple[int, tuple[int, int] | None]]) -> Cited:
    """Return a span that cites sentences by number as one that cites passages: of each the words from the first of the
    cited sentences to the last.
    """
    found: dict[int, tuple[int, int] | None] = {}
    for at, place in (places[n] for n in span.cites):
        before = found.get(at, place)
        found[at] = (min(before[0], place[0]), max(before[1], place[1])) if before and place else place
    first, *others = found
    further = tuple((at, *place) for at in others if (place := found[at]) is not None)
    return Cited(span.start, span.end, tuple(found), found[first], further)
