"""Replies of models, read tolerantly: objects among other text, numbers as strings, cut-off ends; and streamed answers.

What can't be read is left out; nothing is put in its place.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from itertools import chain
from typing import Any

from explorer.models.chat import CutShortError, RefusedError
from explorer.reasoning.protocol import Cited, Piece, Sentence, Verdict
from explorer.reasoning.replies import json as loose_json
from explorer.text import SENTENCE_END, one_line, sound

NO_ANSWER = "NO ANSWER"
LOWEST, HIGHEST = 1.0, 10.0  # the ends of the scale that scores are asked on
_MOST_CONCEPTS = 20
_LONGEST_CONCEPT, _MOST_WORDS = 200, 8
_LONGEST_REASON = 1_000
_PLACEHOLDER = re.compile(r"\s*(?:<[^<>]*>|\.\.\.)?\s*")  # or nothing
_MOST_SEARCHES = 5
_LIST_MARK = re.compile(r"^\s*(?:[-*•]+|\d{1,2}[.)])\s+")
_MARK = re.compile(r"[\[【](\d{1,3}(?:\s*[,–-]\s*\d{1,3})*)(?:†[^\]】\n]{0,100})?[\]】]")
_MARK_BEGUN = re.compile(r"[\[【][\d\s,–-]{0,40}(?:†[^\]】\n]{0,100})?\Z")
_FENCE = "```"
_FENCE_LINE = re.compile(r"```(?:text|plaintext|markdown|md)?[ \t]*\n", re.IGNORECASE)  # of no program
_REFUSAL = re.compile(
    r"(?:I['’]m |I am )?(?:very )?sorry,? but|"
    r"(?:sorry, )?I (?:can['’]?t|cannot|can not|won['’]t|am unable to|['’]m unable to) "
    r"(?:assist|help|answer|comply|provide|discuss|do that|fulfil)",
    re.IGNORECASE,
)
CUT_OFF = "the model was cut off at its length limit"
_OF_TEN = re.compile(r"\s*(?:/|out of|of)\s*(?:10|ten)$")
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_FINAL = "<|channel|>final<|message|>"
_THOUGHTS = {  # how thinking aloud begins, and how it ends; what ends by nothing is passed over
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<|channel|>analysis": _FINAL,
    "<|channel|>commentary": _FINAL,
    _FINAL: "",
    "<|start|>assistant": "",
}
_LONE_END = re.compile(r".*</think(?:ing)?>", re.DOTALL)  # of a thought that the prompt has begun
_TURN_END = re.compile(r"<\|(?:return|end|im_end|eot_id|endoftext)\|>")
_TURN_END_BEGUN = re.compile(r"<(?:\|[a-z_]{0,12}\|?)?\Z")


def concepts(reply: str) -> list[str]:
    """Read one concept a line, without list marks; what announces, and a sentence, is none."""
    lines = [_LIST_MARK.sub("", line).strip(" \t\"'`*") for line in unthought(reply).splitlines()]
    found = [line for line in lines if line and not line.endswith((":", ".", "!", "?")) and not line.startswith("```")]
    short = [line for line in found if len(line) <= _LONGEST_CONCEPT and len(line.split()) <= _MOST_WORDS]
    return short[:_MOST_CONCEPTS]


def scores(reply: str, known: Collection[str]) -> dict[str, float]:
    """Read {"id", "score"} objects: the score of each known id, from 0 to `HIGHEST`, in the order of the reply.

    A score may stand in a string, as "7", "7/10", "7 out of 10" or "seven"; what is no number on the scale (11,
    "high") is none. Of several scores for one id the first counts.
    """
    found: dict[str, float] = {}
    for key, item in _about(objects(unthought(reply)), known):
        number = _score(item.get("score"))
        if number is not None and 0 <= number <= HIGHEST:
            found.setdefault(key, number)
    return found


def _score(score: object) -> float | None:
    """Read a number, of a text also one in words and one that names the end of the scale."""
    if isinstance(score, str):
        bare = _OF_TEN.sub("", score.strip().lower())
        score = _NUMBERS.index(bare) if bare in _NUMBERS else bare
    if isinstance(score, int | float | str) and not isinstance(score, bool):
        with suppress(ValueError, OverflowError):
            return float(score)
    return None


def reasons(reply: str, known: Collection[str]) -> dict[str, str]:
    """Read {"id", "reasoning"} objects: the reason for each known id, in the model's words."""
    return picks(reply, known)[0]


def picks(reply: str, known: Collection[str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Read {"id", "reasoning"} objects as `reasons` does, and {"search"} objects among them: words to search for."""
    found, read = dict[str, str](), [*objects(unthought(reply))]
    for key, item in _about(read, known):
        reason = item.get("reasoning")
        if isinstance(reason, str) and not is_placeholder(reason):
            found.setdefault(key, sound(reason[:_LONGEST_REASON]))
    named = (item.get("search") for item in read)
    plain = (one_line(sound(one)) for one in named if isinstance(one, str) and not is_placeholder(one))
    search = dict.fromkeys(one for one in plain if len(one) <= _LONGEST_CONCEPT)
    return found, tuple(search)[:_MOST_SEARCHES]


def objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects in a text, wherever they stand; an object that only wraps a list gives what is in it."""
    for found in loose_json.values(text):
        lists = [one for one in found.values() if isinstance(one, list)] if isinstance(found, dict) else [found]
        wraps = "id" not in found and bool(lists)
        yield from (one for inner in lists for one in inner if isinstance(one, dict)) if wraps else (found,)


def _about(read: Iterable[dict[str, Any]], known: Collection[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    for item in read:
        named = item.get("id")
        key = str(named).strip(" []#\"'").lower()
        if isinstance(named, str | int) and key in known:
            yield key, item


def is_placeholder(text: str) -> bool:
    """Return whether a text says nothing, or repeats what stands in the example of a prompt, such as <reason>."""
    return _PLACEHOLDER.fullmatch(text) is not None


def unthought(reply: str) -> str:
    """Return a reply without what some models think aloud before it, also where the prompt began the thought."""
    text = "".join(spoken([reply]))
    return text[lone.end() :].lstrip() if (lone := _LONE_END.match(text)) else text


def answer(pieces: Iterable[str], count: int) -> Iterator[Piece | Cited | Verdict]:
    """Yield a streamed answer without its marks [1]…[count]: pieces of text, the spans they cite, then the Verdict.

    A reply that begins with `NO ANSWER` declines, as does an empty one, and a refusal that cites nothing. One that was
    cut off is an answer as far as it came.
    """
    reading, rule = _AnswerReader(count), None
    try:
        for piece in spoken(pieces):
            yield from reading.take(piece)
    except RefusedError:
        reading.refused = True
    except CutShortError:
        if not reading.text and not reading.held:
            raise
        rule = CUT_OFF
    yield from reading.end(rule)


def not_asked(why: str) -> Iterator[Sentence | Verdict]:
    """Yield the refusal in the place of an answer that no model was asked for."""
    yield Sentence(f"{why} to answer this from, so the model was not asked.")
    yield Verdict("declined")


def spoken(pieces: Iterable[str]) -> Iterator[str]:
    """Yield a streamed reply from where a model has thought enough to the end of its turn; no white space before it."""
    held, ending, rest = "", "", iter(pieces)
    for piece in rest:
        held, ending = _past_thinking(held + piece, ending)
        if held and not ending and not any(begins.startswith(held) for begins in _THOUGHTS):
            break
    yield from _turn(chain([held] if held and not ending else [], rest))


def _turn(pieces: Iterable[str]) -> Iterator[str]:
    """Yield a text to the mark that ends a turn; all pieces are read, since what the call used comes last."""
    held, over = "", False
    for piece in pieces:
        if over:
            continue
        held += piece
        end = _TURN_END.search(held)
        over, held = end is not None, held[: end.start()] if end else held
        begun = None if over else _TURN_END_BEGUN.search(held)
        if said := held[: begun.start()] if begun else held:
            yield said
        held = held[begun.start() :] if begun else ""
    if held:
        yield held


def _past_thinking(held: str, ending: str) -> tuple[str, str]:
    """Return a text without thinking aloud, and what will end that if it goes on; its end may have come in part."""
    while True:
        if ending:
            _, end, rest = held.partition(ending)
            if not end:
                return held[1 - len(ending) :], ending
            held, ending = rest, ""
        held = held.lstrip()
        begins = next((one for one in _THOUGHTS if held.startswith(one)), None)
        if begins is None:
            return held, ""
        held, ending = held[len(begins) :], _THOUGHTS[begins]


def is_refusal(text: str) -> bool:
    """Return whether a text says that the model will not answer."""
    return _REFUSAL.match(text) is not None


class _AnswerReader:
    """One streamed answer being read: what is held back until it is clear what it is, and what was passed on."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.held = ""
        self.text = ""
        self.opening = True  # until it is clear whether it declines
        self.declined = False
        self.gap = False  # white space before a mark went with it
        self.cited = 0  # where the last citation ends
        self.marks: list[int] = []
        self.refused = False  # by the service, not by its words
        self.fenced = False  # the answer stands in a fence, and ends with it
        self.over = False

    def take(self, piece: str) -> Iterator[Piece | Cited]:
        self.held += piece
        if self.opening and not self._opened():
            return
        if self.fenced:
            self._unfence()
        while match := _MARK.search(self.held):
            known = [number for number in _numbers(match[1]) if 0 <= number < self.count]
            if not known:  # brackets that stand for something else
                yield from self._pass(self.held[: match.end()])
                self.held = self.held[match.end() :]
                continue
            before, self.held = self.held[: match.start()], self.held[match.end() :]
            yield from self._pass(before.rstrip())
            self.gap = before != before.rstrip()
            self.marks += [number for number in known if number not in self.marks]
        begun = _MARK_BEGUN.search(self.held)
        keep = begun.start() if begun else len(self.held)
        if self.fenced:
            keep = len(self.held[:keep].rstrip("`"))
        keep = len(self.held[:keep].rstrip())  # a mark may follow white space, which goes with it
        yield from self._pass(self.held[:keep])
        self.held = self.held[keep:]

    def _opened(self) -> bool:
        """See whether the reply declines, once there is enough of it."""
        start = self.held.lstrip(" \n\t*#_\"'")
        if len(start) < len(NO_ANSWER) and NO_ANSWER.startswith(start.upper()):
            return False
        if not self.fenced and (_FENCE.startswith(start) or (start.startswith(_FENCE) and "\n" not in start)):
            return False
        if not self.fenced and (fence := _FENCE_LINE.match(start)):
            self.fenced, self.held = True, start[fence.end() :]
            return self._opened()
        self.opening = False
        if start.upper().startswith(NO_ANSWER):
            self.declined = True
            self.held = start[len(NO_ANSWER) :]
        return True

    def _unfence(self) -> None:
        inside, fence, _ = self.held.partition(_FENCE)
        self.held = "" if self.over else inside
        self.over |= bool(fence)

    def _pass(self, text: str) -> Iterator[Piece | Cited]:
        """Pass text on; marks before it cite what stands before."""
        if not self.text:
            text = text.lstrip(" \n\t*_:.–—-" if self.declined else " \n\t")
        if not text:
            return
        if self.gap and text[0].isalnum():
            text = f" {text}"
        self.gap = False
        if self.marks and text[0] in ".!?,;:":  # a mark may stand before the end of its sentence
            self.text += text[0]
            yield Piece(text[0])
            text = text[1:]
        yield from self._cite()
        if text:
            self.text += text
            yield Piece(text)

    def _cite(self) -> Iterator[Cited]:
        """Close the citation that waits: from the beginning of its sentence, or the end of the last citation."""
        if not self.marks:
            return
        end = len(self.text)
        near = max(0, self.cited - 9)  # closing quotes may stand between a citation's end and its sentence's
        ends = [match.end() for match in SENTENCE_END.finditer(self.text, near) if match.end() < end]
        start = max(self.cited, ends[-1] if ends else 0)
        start += len(self.text[start:]) - len(self.text[start:].lstrip(" ,;:"))
        if start < end:
            yield Cited(start, end, tuple(self.marks))
            self.cited = end
        self.marks = []

    def end(self, rule: str | None = None) -> Iterator[Piece | Cited | Verdict]:
        if self.opening and self.held.strip():
            self.opening = False
            self.declined = self.held.strip(" \n\t*#_\"'.:").upper() == NO_ANSWER
            self.held = "" if self.declined else self.held
        yield from self._pass(self.held.rstrip())
        yield from self._cite()
        if not self.text:
            ending = "found no answer in what was kept" if self.declined else "gave no answer"
            self.declined = True
            yield Piece(f"The model {ending}.")
        refused = self.refused or (not self.cited and is_refusal(self.text))
        yield Verdict("declined" if self.declined or refused else "done", rule=rule)


def _numbers(listed: str) -> Iterator[int]:
    """Yield the numbers of a list, from 0; of a span like 1-3 each."""
    for part in listed.split(","):
        first, *last = re.split("[–-]", part)
        yield from range(int(first) - 1, int(last[-1]) if last else int(first))
