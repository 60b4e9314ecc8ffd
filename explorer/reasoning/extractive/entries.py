"""What an entry of a manual answers: "E14: Low pressure. Refill it." says what E14 means, and what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from explorer.language import questions as q
from explorer.language.claims import is_instruction
from explorer.language.sentences import cells, is_row
from explorer.language.words import content_stems
from explorer.reasoning.extractive.comparing import Put
from explorer.reasoning.extractive.kinds import says_what_is
from explorer.reasoning.extractive.lines import entry
from explorer.reasoning.extractive.matching import Line

if TYPE_CHECKING:
    from explorer.language.questions import Question
    from explorer.reasoning.protocol import ReadPassage

_AMOUNT = re.compile(r"[^:–—]*(?:[:–—])\W*\d")
_MEANING = re.compile(r"\b(?:means?|meaning of|stands? for)\b", re.IGNORECASE)
_MOST = 2  # entries of one label
_RULE = "an entry that begins with what is asked about, as its label"


def put_by_entry(asked: Question, passages: Sequence[ReadPassage]) -> Put | None:
    """Return the entry of what a question asks to define, or of the code in it; else None.

    Of a code it may ask what it means or what to do, and a row of a table that begins with the code is its entry too.
    """
    noun, is_order = q.defines(asked), q.asks_what_to_do(asked)
    if noun is None and not is_order and not _MEANING.search(asked.text):
        return None
    sentences = (line.text for passage in passages for line in passage.sentences)
    if noun is not None and any(says_what_is(noun, text) for text in sentences):
        return None
    wanted = content_stems(noun or f"{asked.text} {asked.context}")
    codes = frozenset(key for key in wanted if any(map(str.isdigit, key)) and any(map(str.isalpha, key)))
    found = [lines for label, lines in _entries(passages)
             if (codes and codes <= label <= wanted) or (noun is not None and label == wanted)]  # fmt: skip
    if noun is not None:  # "Salt: 210 g" does not say what salt is
        found = [lines for lines in found if not _AMOUNT.match(_texts(lines, passages)[0])]
    rows = [[line] for label, line in _rows(passages) if codes and codes <= label <= wanted]
    if is_order and not rows:
        found = [lines for lines in found if any(map(is_instruction, _texts(lines, passages)[1:]))]
    found = rows or found
    if not 0 < len(found) <= _MOST:
        return None
    return Put("", _RULE, tuple(line for lines in found for line in lines), settles=True)


def _rows(passages: Sequence[ReadPassage]) -> Iterator[tuple[frozenset[str], Line]]:
    """Yield the rows of tables, each by the stems of its first cell."""
    for p, passage in enumerate(passages):
        for n, sentence in enumerate(passage.sentences):
            if is_row(sentence.text):
                yield content_stems(cells(sentence.text)[0]), Line(p, n)


def _entries(passages: Sequence[ReadPassage]) -> Iterator[tuple[frozenset[str], list[Line]]]:
    """Yield the entries of some passages, each by the stems of its label; those that overlaps repeat once."""
    seen = set[str]()
    for p, passage in enumerate(passages):
        of: dict[int, tuple[str, list[Line]]] = {}
        for n in range(len(passage.sentences)):
            if (found := entry(passage, n)) is not None:
                of.setdefault(found[1], (found[0], []))[1].append(Line(p, n))
        for label, lines in of.values():
            if (text := " ".join(_texts(lines, passages))) not in seen:
                seen.add(text)
                yield content_stems(label), lines


def _texts(lines: Sequence[Line], passages: Sequence[ReadPassage]) -> list[str]:
    return [passages[line.passage].sentences[line.number].text for line in lines]
