"""How a quoted sentence is worded, and what is said before it or in its place."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from explorer.language.questions import readable
from explorer.language.sentences import cells, is_row
from explorer.language.words import STOP, is_content, is_name, stem, tokens
from explorer.reasoning.extractive.lines import PRONOUN, heads
from explorer.reasoning.extractive.matching import NEAR, is_nowhere
from explorer.reasoning.extractive.support import listing
from explorer.reasoning.protocol import Sentence
from explorer.text import truncate, without_markup

if TYPE_CHECKING:
    from explorer.reasoning.extractive.choosing import Part
    from explorer.reasoning.extractive.matching import Line
    from explorer.reasoning.extractive.sources import Source
    from explorer.reasoning.protocol import ReadPassage

_BACK = 2  # sentences before one in which the person is looked for that "he" stands for
NEAREST = 200
"""Code points of what comes nearest that are quoted."""
_QUOTED = "“{}”"
DECLINED = "I did not find an answer to this in your documents."
_NOTHING_NAMED = "The question names nothing to look for."
WITHDRAWN = "A sentence on this is not quoted, since what it says was taken back."
_CARRIED = re.compile(r" \([^()]*\)(?=\?$)")  # what a part takes over from the one before
_EMPTY = frozenset(map(stem, STOP))
_MARKS = re.compile(r"^(?:[*•#>\s]|-(?=\s))+")
_SINGLE = str.maketrans("“”\n", "‘’ ")  # inside of what is quoted
_HEADING = re.compile(r"^[ \t]*#{1,6}[ \t]+|[ \t]+#+[ \t]*$", re.MULTILINE)
_ITEM = re.compile(r"^[ \t]*[-*+•‣◦–][ \t]+(?:\[[ xX]\][ \t]+)?", re.MULTILINE)
_NUMBERED_ITEM = re.compile(r"^\d{1,2}[.)] (?=[A-Z])")


def resolved(passage: ReadPassage, number: int) -> str:
    """Return a sentence in which the person that "he" or "she" at its beginning stands for is put in brackets."""
    text = passage.sentences[number].text
    opening = PRONOUN.match(text)
    name = person(passage, number, opening["pronoun"]) if opening else None
    if opening is None or name is None:
        return text
    at = opening.end("pronoun")
    return f"{text[:at]} [{name}]{text[at:]}"


def refusal(found: Sequence[Part], rarity: Callable[[str], float]) -> str:
    """Return that no answer was found, and which words the documents, or the nearest of them, do not have."""
    gone = dict.fromkeys(said for part in found for said in part.withdrawn)
    missing = dict.fromkeys(word for part in found for word in part.missing if _tells(part, word))
    nowhere = [word for word in missing if is_nowhere(word, rarity)]
    elsewhere = [word for word in missing if word not in nowhere]
    if not any(is_content(word) for part in found for word in tokens(part.question.text)):
        return f"{DECLINED} {_NOTHING_NAMED}"
    about = f" They do not mention {listing(nowhere, 'or', _QUOTED)}." if nowhere else ""
    if not all(map(is_name, nowhere)):
        about += " They may say it in other words."
    if elsewhere and any(part.lines for part in found):
        about += f" The passages nearest to the question do not mention {listing(elsewhere, 'or', _QUOTED)}."
    return " ".join([f"{DECLINED}{about}", *([WITHDRAWN, *gone] if gone else [])])


def nearest(found: Sequence[Part], sources: Sequence[Source]) -> Sentence | None:
    """Return the sentence that comes nearest to a question without an answer, with where it stands.

    None where `nearest_line` has none. Where nothing that was kept leads to that sentence, one to which it does is
    quoted in its place.
    """
    line = nearest_line(found)
    if line is None:
        return None
    source = sources[line.passage]
    sentence = source.passage.sentences[line.number]
    if not (source.whole or source.facts_of(sentence)):
        led = (one for one in source.passage.sentences if source.facts_of(one))
        sentence = next(led, sentence)
    number = list(source.passage.sentences).index(sentence)
    text = read_row(source.passage, number) if is_row(sentence.text) else as_quoted(sentence.text)
    said = f"What comes nearest: “{truncate(text, NEAREST)}”"
    return Sentence(said, source.cites(sentence), (sentence.start, sentence.end))


def nearest_line(found: Sequence[Part]) -> Line | None:
    """Return the line that comes nearest to a question without an answer; None where that has no word of it, nor one
    that means nearly the same.
    """
    return next((part.lines[0] for part in found if part.lines and _is_near(part, part.lines[0])), None)


def _is_near(part: Part, line: Line) -> bool:
    """Return whether a line has a word of a question that tells what that is about, or one that is near it."""
    if part.found is None:
        return False
    match = part.found.match
    there = match.found[match.lines.index(line)].tolist()
    return any(most >= NEAR and _tells(part, word) for word, most in zip(match.words, there, strict=True))


def _tells(part: Part, word: str) -> bool:
    """Return whether a missing word says what a question is about: a name, a number, a noun or a verb of content."""
    if stem(word) in _EMPTY or not any(map(str.isalnum, word)):
        return False
    of = dict(part.question.classes).get(stem(word), "noun")
    return of in {"noun", "verb"} or is_name(word)


def person(passage: ReadPassage, number: int, pronoun: str) -> str | None:
    """Return the one person that the sentences before name, where a pronoun stands for a person."""
    if pronoun.lower() not in {"he", "she", "his", "her"}:
        return None
    for before in range(number - 1, max(-1, number - 1 - _BACK), -1):
        people = [entity.text for entity in passage.sentences[before].entities if entity.kind == "person"]
        last = {stem(tokens(name)[-1]) for name in people if tokens(name)}
        if len(last) == 1:
            return max(people, key=len)
        if people:
            return None
    return None


def not_found(part: Part) -> str:
    """Return that a part of a question was not found."""
    asked = bare(part.question.text).rstrip(" ?")
    first = asked.split(maxsplit=1)[0] if asked else ""
    asked = asked if first.isupper() and len(first) > 1 else f"{asked[:1].lower()}{asked[1:]}"
    return f"Your documents do not say: {asked}?"


def bare(question: str) -> str:
    """Return a part of a question in its own words, shortened."""
    return truncate(_CARRIED.sub("", question), 120)


def split_by(question: str, found: Sequence[Part]) -> list[str]:
    """Return the rule by which a question was answered in parts, or apart from a long text around it."""
    listed = "; ".join(f"“{truncate(part.question.text, 120)}”" for part in found)
    if len(found) > 1:
        return [f"{len(found)} parts, each answered by itself: {listed}"]
    is_apart = any(2 * len(part.question.text) < len(readable(question)) for part in found)
    return [f"only {listed} asks, the text around it does not"] if is_apart else []


def read_row(passage: ReadPassage, number: int) -> str:
    """Return a row of a table with the heads of its columns, where its table has them."""
    row, columns = cells(passage.sentences[number].text), heads(passage, number)
    if columns[: len(row)] == row:
        columns = []
    return "; ".join(
        f"{head}: {cell}" if head else cell for head, cell in zip_longest(columns, row, fillvalue="") if cell
    )


def below(headings: Sequence[str]) -> str:
    """Return where a line is quoted from, to be said before it: the headings above it, the outermost first."""
    return f"Under {', '.join(_QUOTED.format(one.translate(_SINGLE)) for one in headings)}:"


def as_quoted(text: str, *, whole: bool = False, is_list: bool = False) -> str:
    """Return a source sentence on one line, without list marks and markup.

    Where it is only a part of one, dots say so; `whole`: it fills its line, as an item of a list does. `is_list`: its
    items keep their numbers, or have dots for marks.
    """
    text = _HEADING.sub("", text)
    line = " ".join((_ITEM.sub("• ", text) if is_list else text).split())
    line = without_markup(line if is_list else _NUMBERED_ITEM.sub("", _MARKS.sub("", line)))
    begun = f"… {line}" if line[:1].islower() else line
    return begun if whole or line.endswith((".", "!", "?", "”", '"')) else f"{begun} …"
