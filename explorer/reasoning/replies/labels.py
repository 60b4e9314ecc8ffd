"""The labels of a ReAct reply, Thought: and Action: and so on, found at the beginnings of its lines as it comes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from explorer.reasoning.replies.json import Brackets

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
