"""Replies in ReAct's form, read as they come: a thought, then an action with its arguments or a final answer.

One reader for streamed and whole replies: what comes out does not depend on how a reply was cut into pieces. Whatever
comes first is done; an answer that follows an action was given without the action's result, so it is passed over.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from explorer.models.chat import CutShortError, RefusedError
from explorer.reasoning.agent_protocol import Action, ThoughtPiece, Unreadable, Uses
from explorer.reasoning.protocol import AnswerPart, Piece, Verdict
from explorer.reasoning.replies import json as loose_json
from explorer.reasoning.replies import parsing as replies
from explorer.reasoning.replies.json import Brackets
from explorer.text import truncate

Part = ThoughtPiece | Action | Unreadable | Uses | AnswerPart
_MOST_AFTER = 2_000  # characters after an action: so long a reply may go on until its usage comes
_LONGEST_NAME = 200
_AROUND_NAME = " \t\r\"'`“”‘’*[]()<>.,:;"
_NO_ACTION = re.compile(r"(?:none|n/?a|null|nil|nothing|no action|[-–—]+)?(?: needed| required)?", re.IGNORECASE)
_NO_ARGUMENTS = ("", "none", "null", "n/a", "-")
_FENCE = re.compile(r"\s*```\s*[\w+-]*\s*")
_BEFORE_OBJECT = re.compile(r"[\s`]*(?:json5?|python|py|text|tool_code)?\s*", re.IGNORECASE)
_INK = re.compile(r"[\S\n]")
_NAME_END = re.compile(r"[{\n]")
_NUMBER = re.compile(r"\d{1,4}")
_TOOL_KEYS = ("action", "tool", "tool_name", "name")
_ARGUMENT_KEYS = ("arguments", "args", "action_input", "parameters", "input")
_ANSWER_KEYS = ("final_answer", "final answer", "answer")
ACTION, ARGUMENTS, THOUGHT = "action", "arguments", "thought"
USES, ANSWER, OBSERVATION = "uses", "answer", "observation"
_NAMES = {  # without the spaces that may stand in them
    "thought": THOUGHT,
    "action": ACTION,
    "actioninput": ARGUMENTS,
    "arguments": ARGUMENTS,
    "args": ARGUMENTS,
    "input": ARGUMENTS,
    "uses": USES,
    "finalanswer": ANSWER,
    "answer": ANSWER,
    "observation": OBSERVATION,
}
_ONLY_AFTER_ACTION = "input"
_LONGEST_USES = 200
_SPACES = re.compile("[ _]")
_GAP = r"[^\S\n]"  # white space in a line
_LEAD = rf"(?:{_GAP}|[>#+•·-]|\*(?={_GAP})|\d{{1,3}}[.)]){{0,40}}"  # marks of lists, headings and quotations
_OPEN = rf"(?P<bold>[*_`]{{1,3}}{_GAP}?)?"
_TAIL = rf"(?:{_GAP}?\d{{1,2}})?{_GAP}?[*_`]{{0,3}}{_GAP}{{0,3}}"  # as in "Thought 2:" and "**Action** :"


def read(pieces: Iterable[str], count: int) -> Iterator[Part]:
    """Read a reply: Thought pieces, then one Action, one Unreadable, or an answer that ends with its Verdict.

    `count` is the number of earlier results: the numbers from 1 to it may be cited, and named under "Uses:".
    """
    return _ReplyReader(pieces, count).parts()


def call(reply: Mapping[str, Any]) -> Action | Unreadable:
    """Read an action from an object with "tool" and "arguments", or names alike."""
    name = _named(reply)
    if not name:
        return Unreadable(f"the reply names no tool: “{truncate(str(reply), 80)}”")
    given: object = next((reply[key] for key in _ARGUMENT_KEYS if reply.get(key) is not None), {})
    if isinstance(given, str):
        with suppress(ValueError):
            given = loose_json.value(given)
    if not isinstance(given, dict):
        return Unreadable(f"the arguments of “{name}” are not a JSON object: “{truncate(str(given), 80)}”")
    return Action(name, given)


class _ReplyReader:
    def __init__(self, pieces: Iterable[str], count: int) -> None:
        self.text = Labelled(replies.spoken(pieces))
        self.count = count
        self.uses: list[int] = []
        self.thought = _Trimmed()
        self.fenced = False  # the whole reply stands in a fence

    def parts(self) -> Iterator[Part]:
        """Yield all parts of the reply; one that was cut off before its action or answer can't be read."""
        try:
            yield from self._parts()
        except RefusedError as error:
            yield from (Piece(str(error)), Verdict("declined"))
        except CutShortError as error:
            yield Unreadable(str(error))

    def _parts(self) -> Iterator[Part]:
        opening = self._opening()
        if self.text.met is None:
            yield from self._unlabelled(opening)
            return
        if self.text.met != THOUGHT and opening:
            yield ThoughtPiece(self.thought.take(opening))
        while (label := self.text.met) not in {None, OBSERVATION}:
            if label == THOUGHT:
                self.thought.pause()
                for text in self.text.section():
                    if reply := self.thought.take(text):
                        yield ThoughtPiece(reply)
            elif label == USES:  # what follows its line without a label goes on with the thought
                self._add_uses(self.text.line())
                self.text.met = None
                if self.text.next:
                    self.text.at += 1
                    self.text.met = self.text.label() or THOUGHT
            elif label == ANSWER:
                yield from self._answered(_unfenced(self.text.rest()) if self.fenced else self.text.rest())
                return
            elif label == ACTION and (found := self._action()) is not None:
                self._tail()
                yield replace(found, uses=tuple(self.uses)) if isinstance(found, Action) else found
                return
            elif label == ARGUMENTS:  # of no action
                self.text.skip()
        self._tail()
        yield Unreadable("the reply has a thought, but neither an action nor a final answer")

    def _opening(self) -> str:
        self.text.met = self.text.label()
        if self.text.met is not None:
            return ""
        reply = "".join(self.text.section()).strip()
        self.fenced = reply.startswith("```") and reply.count("```") % 2 == 1
        first, _, rest = reply.partition("\n")
        return rest.strip() if self.fenced and _FENCE.fullmatch(first) else reply

    def _unlabelled(self, reply: str) -> Iterator[Part]:
        """Read a reply without any label: one JSON object may say the same."""
        text = loose_json.unfenced(reply).strip() if reply.startswith("```") else reply
        with suppress(ValueError):
            whole = loose_json.value(text) if text.startswith("{") else None
            if isinstance(whole, dict):
                thought = whole.get("thought")
                if isinstance(thought, str) and thought.strip():
                    yield ThoughtPiece(thought.strip())
                self._add_uses(str(whole.get("uses", "")))
                answer = next((whole[key] for key in _ANSWER_KEYS if isinstance(whole.get(key), str)), None)
                if not _named(whole) and answer is not None:
                    yield from self._answered([answer])
                    return
                found = call(whole)
                yield replace(found, uses=tuple(self.uses)) if isinstance(found, Action) else found
                return
        if replies.is_refusal(reply):
            yield from (Piece(reply), Verdict("declined"))
            return
        shown = f": “{truncate(reply, 80)}”" if reply else "; it is empty"
        yield Unreadable(f"the reply has neither an action nor a final answer{shown}")

    def _add_uses(self, text: str) -> None:
        numbers = [int(number) - 1 for number in _NUMBER.findall(text)]
        self.uses = list(dict.fromkeys([*self.uses, *(number for number in numbers if 0 <= number < self.count)]))

    def _answered(self, pieces: Iterable[str]) -> Iterator[Part]:
        if self.uses:
            yield Uses(tuple(self.uses))
        yield from replies.answer(pieces, self.count)

    def _action(self) -> Action | Unreadable | None:
        """Read from a name to the end of its arguments; None: it says that there is no action."""
        text = self.text
        name, text.met = _name("".join(text.until(_NAME_END))), None
        while text.next and text.next != "{":
            text.at += 1  # past the end of a line
            text.met = text.label(after_action=True)
            if text.met == USES:
                self._add_uses(text.line())
                text.met = None
            elif text.met is not None:
                break
            else:
                deque(text.until(_INK), maxlen=0)
                name = name or ("" if text.next == "{" else _name(text.line()))
        given = text.met == ARGUMENTS or (text.met is None and text.next == "{")
        if _NO_ACTION.fullmatch(name) and (name or not given):
            if given:
                text.skip()
            return None
        if len(name) > _LONGEST_NAME:
            return Unreadable(f"the action has no name of a tool: “{truncate(name, 80)}”")
        try:
            arguments = self._arguments() if given else {}
        except ValueError as error:
            whose = f"“{name}”" if name else "the action"
            return Unreadable(f"the arguments of {whose} can't be read: {error}")
        return Action(name, arguments) if name else call(arguments)

    def _arguments(self) -> dict[str, Any]:
        """Read an object, with or without a fence; none where the reply ends or another label follows."""
        text = self.text
        while True:
            lead = "".join(text.until(_NAME_END))
            if not _BEFORE_OBJECT.fullmatch(lead):
                return _no_object(lead + "".join(text.section()))
            if text.next == "{":
                break
            if not text.next:
                return {}
            text.at += 1  # past the end of a line
            if label := text.label():
                self._add_uses(text.line() if label == USES else "")
                return {}
        given = loose_json.value(text.value())
        return given if isinstance(given, dict) else _no_object(str(given))

    def _tail(self) -> None:
        """Read on to the end of a reply that is done, for what the call used."""
        left = _MOST_AFTER
        with suppress(CutShortError):  # what is done was whole
            for text in self.text.rest():
                left -= len(text)
                if left <= 0:
                    break


class _Trimmed:
    """A text that comes in pieces, without the white space at its ends; what may be at its end is held back."""

    def __init__(self) -> None:
        self.held: list[str] | None = None  # None: nothing has come yet

    def take(self, text: str) -> str:
        """Return as much of the text so far as is certain to be inside."""
        if self.held is None:
            text = text.lstrip()
        kept = text.rstrip()
        if not kept:
            if self.held is not None:
                self.held.append(text)
            return ""
        reply = "".join([*(self.held or ()), kept])
        self.held = [text[len(kept) :]]
        return reply

    def pause(self) -> None:
        """Begin another part, on a line of its own."""
        if self.held is not None:
            self.held = ["\n"]


def _unfenced(pieces: Iterable[str]) -> Iterator[str]:
    held: list[str] = []
    for piece in pieces:
        kept = piece.rstrip("` \t\r\n")
        held.append(piece[len(kept) :] if kept else piece)
        if kept:
            yield "".join([*held[:-1], kept])
            held = held[-1:]
    yield "".join(held).rstrip().removesuffix("```")


def _named(reply: Mapping[str, Any]) -> str:
    """Return the name of the tool in an object; empty if there is none."""
    named = next((reply[key] for key in _TOOL_KEYS if isinstance(reply.get(key), str)), "")
    name = _name(named)
    return "" if _NO_ACTION.fullmatch(name) or len(name) > _LONGEST_NAME else name


def _name(text: str) -> str:
    return "" if _FENCE.fullmatch(text) else text.strip(_AROUND_NAME)


def _no_object(reply: str) -> dict[str, Any]:
    if reply.strip(" \t\r\n`\"'.").lower() in _NO_ARGUMENTS:
        return {}
    raise ValueError(f"they are not a JSON object: “{truncate(reply, 80)}”")


def _spelt(names: Iterable[str]) -> str:
    longest_first = sorted({*names}, key=len, reverse=True)
    spaced = (name.replace("actioni", "action i").replace("finala", "final a") for name in longest_first)
    return "|".join(name.replace(" ", "[ _]?") for name in spaced)


_LABEL = re.compile(rf"{_LEAD}{_OPEN}(?P<name>{_spelt(_NAMES)}){_TAIL}[:：](?(bold){_GAP}?[*_`]{{0,3}})", re.IGNORECASE)
_BEGINNINGS = _spelt(name[:length] for name in _NAMES for length in range(1, len(name)))
_HALF = rf"{_OPEN}(?:(?:{_BEGINNINGS})[ _]?)?"  # a label as far as it has come
_BEGUN = re.compile(rf"{_LEAD}(?:\d{{1,3}}|{_HALF}|(?:[*_`]{{1,3}}{_GAP}?)?(?:{_spelt(_NAMES)}){_TAIL})", re.IGNORECASE)
_NUMBERS = re.compile(r"(?:[\s\d,;.:#*_`\[\]()&-]|and|none|n/a|steps?|results?|observations?|numbers?)*", re.IGNORECASE)
LINE_END = re.compile(r"\n")


class Labelled:
    """A reply being read from label to label, looking ahead no further than it takes to know one.

    `met` is the label that the last section ended at; None: the reply ended there.
    """

    def __init__(self, pieces: Iterable[str]) -> None:
        self.pieces = iter(pieces)
        self.held = ""
        self.at = 0
        self.ended = False
        self.met: str | None = None

    @property
    def next(self) -> str:
        """The character that comes next; empty at the end."""
        return self.held[self.at] if self.at < len(self.held) or self._more() else ""

    def _more(self) -> bool:
        for piece in self.pieces:
            if piece:
                self.held, self.at = self.held[self.at :] + piece, 0
                return True
        self.ended = True
        return False

    def until(self, stop: re.Pattern[str]) -> Iterator[str]:
        """Yield the text before a character, as it comes."""
        while self.next:
            match = stop.search(self.held, self.at)
            end = match.start() if match else len(self.held)
            text, self.at = self.held[self.at : end], end
            if text:
                yield text
            if match:
                return

    def line(self) -> str:
        """Return the text before the next line end."""
        return "".join(self.until(LINE_END))

    def section(self) -> Iterator[str]:
        """Yield the text before the next label, as it comes."""
        self.met = None
        while self.next:
            yield from self.until(LINE_END)
            if self.next:
                self.at += 1
                self.met = self.label()
                if self.met:
                    return
                yield "\n"

    def skip(self) -> None:
        """Pass over the text before the next label."""
        for _ in self.section():
            pass

    def rest(self) -> Iterator[str]:
        """Yield all that is left, as it comes."""
        while self.next:
            text, self.at = self.held[self.at :], len(self.held)
            yield text

    def label(self, *, after_action: bool = False) -> str | None:
        """Pass over the label that a line begins with, and give it; None: the line begins with none."""
        while True:
            match = _LABEL.match(self.held, self.at)
            whole = match is not None and match.end() < len(self.held)
            begun = match is not None or _BEGUN.fullmatch(self.held, self.at) is not None
            if whole or not begun or not self._more():
                break
        if match is None:
            return None
        name, length = _SPACES.sub("", match["name"].lower()), match.end() - self.at
        if (name == _ONLY_AFTER_ACTION and not after_action) or (_NAMES[name] == USES and not self._numbers(length)):
            return None
        self.at += length
        return _NAMES[name]

    def _numbers(self, ahead: int) -> bool:
        """Return whether a line goes on with numbers, or words for none; anything else is no list of uses."""
        while True:
            start = self.at + ahead
            end = self.held.find("\n", start, start + _LONGEST_USES)
            if end >= 0 or len(self.held) >= start + _LONGEST_USES or not self._more():
                break
        end = end if end >= 0 else len(self.held)
        return end - start < _LONGEST_USES and _NUMBERS.fullmatch(self.held, start, end) is not None

    def value(self) -> str:
        """Return the JSON value that comes next, to its last bracket; raises ValueError when that does not come."""
        parts, brackets = [], Brackets()
        while self.next:
            end = brackets.end(self.held, self.at)
            text, self.at = self.held[self.at : end if end >= 0 else None], end if end >= 0 else len(self.held)
            parts.append(text)
            if end >= 0:
                return "".join(parts)
        raise ValueError("it breaks off")
