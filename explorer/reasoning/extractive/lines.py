"""Which lines of a passage are read as answers to a question though they are no sentences, and what stands above them.

A label with its value, a line alone below a heading, a row of a table, a heading with the list below it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from explorer.language import questions as q
from explorer.language.headings import LISTED, plain
from explorer.language.questions import Question
from explorer.language.sentences import Listed, cells, is_prose, is_row, labelled, listed, without_notes
from explorer.language.tables import NUMBER, are_heads, heads_below
from explorer.language.words import content_stems, stem, tokens
from explorer.reasoning.protocol import ReadPassage
from explorer.stores.sentences import StoredEntity, StoredSentence
from explorer.text import without_links

PRONOUN = re.compile(
    r"\W*(?:(?:and|but|then|so)\b,? |\w+(?: \w+){0,2}, )?"
    r"(?P<pronoun>he|she|his|her|it|its|they|their|this|these|those|such|both|there)\b", re.IGNORECASE
)  # fmt: skip
"""A sentence that begins by taking up one before it."""
_MARKS = re.compile(r"\s*#{1,6}\s+|\s*#+\s*$")
_TAG = re.compile(r"\s*</?[a-zA-Z][^<>]*>\s*")
_OF_EACH = re.compile(r"\b(?:each|every)\b", re.IGNORECASE)
_SEVERAL = re.compile(r"\b(?:what|which|who|list|name|all)\b", re.IGNORECASE)
_ENDED = re.compile(r"""[.!?:;…]["'”’)\]*_`]*\s*$""")
_BELOW_HEADS = re.compile(r"[ \t]*\n[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*:?-*:?[ \t]*(?:\n|\Z)")
_EXPLAINED = frozenset({q.CAUSE, q.MANNER})


def is_read(passage: ReadPassage, number: int) -> bool:
    """Return whether a line may answer a question: no mark, no question, no head of a table, and no heading alone."""
    text = passage.sentences[number].text
    if _TAG.fullmatch(text) or not any(map(str.isalnum, text)):
        return False
    if is_heading(passage, number):
        return "\n" in text.strip()  # it holds the list below it
    if text.rstrip().endswith("?"):
        return False
    return not is_row(text) or not (
        _BELOW_HEADS.match(passage.text, passage.sentences[number].end)
        or _heads(passage, number)[1] > number
        or _has_figures_below(passage, number)
    )


def _has_figures_below(passage: ReadPassage, number: int) -> bool:
    """Return whether a row of names or years begins a table with figures below it."""
    if number + 1 >= len(passage.sentences):
        return False
    row, below = (cells(passage.sentences[at].text) for at in (number, number + 1))
    return are_heads(row) and any(map(NUMBER.fullmatch, below)) and heads(passage, number + 1) == row


def is_spoken(text: str) -> bool:
    """Return whether a line is a sentence with a grammar of its own."""
    return not is_row(text) and labelled(text) is None and is_prose(text)


def is_heading(passage: ReadPassage, number: int) -> bool:
    """Return whether a line is a heading of those below it."""
    line = passage.sentences[number].text.lstrip().partition("\n")[0]
    if line.startswith("#"):
        return True
    new = passage.above(number + 1)
    return bool(new) and _words(line) in new and _words(line) not in passage.above(number)


def is_first(passage: ReadPassage, number: int) -> bool:
    """Return whether a line is the first below a heading, and no item of a list."""
    before = passage.above(number - 1) if number > 0 else ()
    path = passage.above(number)
    is_new = len(path) > len(before) or path[-1:] != before[-1:]
    return bool(path) and is_new and not LISTED.match(passage.sentences[number].text)


def heads(passage: ReadPassage, number: int) -> list[str]:
    """Return the heads of a row's columns: the cells of the first row of its table; none where they are others in kind.

    Between the rows of a page may stand the rest of a cell. A row that ends before them has empty cells there. A second
    row of heads has none.
    """
    return _heads(passage, number)[0]


def _heads(passage: ReadPassage, number: int) -> tuple[list[str], int]:
    """Return the heads above a row, and the number of the first line below all heads of its table, where known."""
    text = passage.sentences[number].text
    row, found, is_next, top = cells(text), list[str](), True, number
    for at in range(number - 1, -1, -1):
        line = passage.sentences[at]
        if is_row(line.text):
            above = cells(line.text)
            if is_next and "\t" in text and len(above) > len(row) > 1:
                row = cells(text, len(above))
            if len(above) == len(row):
                found, top = above, at
        elif "\t" not in text or (is_prose(line.text) and _ENDED.search(without_notes(line.text))):
            break
        else:
            is_next = False
    else:
        if is_next and passage.columns and len(passage.columns) >= len(row):
            found, top = [*passage.columns], -1
    below = 0
    if top >= 0 and (over := heads_below(one.text for one in passage.sentences[top : top + 3])):
        found, below = over, top + 2
    is_told = number >= below and len(row) > 1 and any(map(str.isalpha, "".join(found)))
    return (found if is_told else []), below


def matched(passage: ReadPassage, number: int) -> tuple[str, str]:
    """Return the words by which a line is found: its own, with a heading that it alone stands below; and those above.

    Above a row of a table are the heads of its columns too.
    """
    text, path = passage.sentences[number].text, passage.above(number)
    reads_on = (
        _ENDED.search(without_notes(text)) or is_heading(passage, number) or (is_prose(text) and text[:1].isupper())
    )
    if path and is_first(passage, number) and not reads_on:
        text = f"{path[-1]} {text}"
    columns = heads(passage, number) if is_row(text) else ()
    return without_links(text), " ".join([*passage.over(number), *columns])


def list_below(passage: ReadPassage, number: int) -> Listed | None:
    """Return the list that a line leads in; items that only the next chunk has count as left out."""
    line, leads = passage.sentences[number], is_heading(passage, number)
    found = listed(passage.text, line.start, line.end, is_heading=leads)
    if found is None or found.end < len(passage.text) or not passage.after:
        return found
    whole = listed(passage.text + passage.after, line.start, line.end, is_heading=leads)
    return found._replace(more=whole.items + whole.more - found.items) if whole else found


def wants_list(asked: Question) -> bool:
    """Return whether a question asks for several things, for steps or for reasons, which a list may give."""
    if asked.kind in _EXPLAINED:
        return True
    heads = [word.lower() for word in tokens(asked.text) if asked.head and stem(word) == stem(asked.head)]
    return _SEVERAL.search(asked.text) is not None and any(word != asked.head and word[-1] == "s" for word in heads)


def with_lists(asked: Question, passage: ReadPassage) -> ReadPassage:
    """Return a passage whose headings hold the lists below them, where a question asks for such."""
    if not passage.headings or not wants_list(asked):
        return passage
    lines = list(passage.sentences)
    for number, line in enumerate(passage.sentences):
        if is_heading(passage, number) and (found := list_below(passage, number)):
            inside = [one for one in passage.sentences[number + 1 :] if one.end <= found.end]
            entities = tuple(StoredEntity(entity.kind, one.start + entity.start - line.start,
                                         one.start + entity.end - line.start, entity.text)
                             for one in inside for entity in one.entities)  # fmt: skip
            lines[number] = StoredSentence(line.start, found.end, passage.text[line.start : found.end], entities)
    return replace(passage, sentences=lines)


def context(asked: Question, passage: ReadPassage, number: int, said: Iterable[str]) -> tuple[str, ...]:
    """Return the headings that a quoted line is unclear without: those with words of the question that are not said.

    One that is no sentence has at least the heading right above it.
    """
    path = passage.over(number)
    lacked = content_stems(f"{asked.text} {asked.context}").difference(*map(content_stems, (*said, passage.title)))
    found = [heading for heading in path if content_stems(heading) & lacked]
    if path and not found and _OF_EACH.search(asked.text):
        found = [path[-1]]
    if is_heading(passage, number):
        return (*found, _words(passage.sentences[number].text.partition("\n")[0]))
    if not is_spoken(passage.sentences[number].text) and path[-1:] != tuple(found[-1:]):
        found += path[-1:]
    return tuple(found)


def _words(heading: str) -> str:
    return plain(_MARKS.sub("", heading))
