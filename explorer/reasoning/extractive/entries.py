"""What an entry of a manual answers: "E14: Low pressure. Refill it." says what E14 means, and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from explorer.language import questions as q
from explorer.language.claims import is_instruction
from explorer.language.words import is_content, stem, tokens
from explorer.reasoning.extractive.comparing import Put
from explorer.reasoning.extractive.lines import entry
from explorer.reasoning.extractive.matching import Line

if TYPE_CHECKING:
    from explorer.language.questions import Question
    from explorer.reasoning.protocol import ReadPassage

_MOST = 2  # entries of one label
_RULE = "an entry that begins with what is asked about, as its label"


def put_by_entry(asked: Question, passages: Sequence[ReadPassage]) -> Put | None:
    """Return the entry of what a question asks to define, or of the code in it where it asks what to do; else None."""
    noun, is_order = q.defines(asked), q.asks_what_to_do(asked)
    if noun is None and not is_order:
        return None
    wanted = _stems(noun or f"{asked.text} {asked.context}")
    codes = frozenset(key for key in wanted if any(map(str.isdigit, key)) and any(map(str.isalpha, key)))
    found = [lines for label, lines in _entries(passages)
             if (codes and codes <= label <= wanted) or (noun is not None and label == wanted)]  # fmt: skip
    if is_order:
        found = [lines for lines in found if any(map(is_instruction, _texts(lines, passages)[1:]))]
    if not 0 < len(found) <= _MOST:
        return None
    return Put("", _RULE, tuple(line for lines in found for line in lines), settles=True)


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
                yield _stems(label), lines


def _texts(lines: Sequence[Line], passages: Sequence[ReadPassage]) -> list[str]:
    return [passages[line.passage].sentences[line.number].text for line in lines]


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in tokens(text) if is_content(word))
