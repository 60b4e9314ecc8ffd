"""Who has the role that a question names: "Tomasz Wilk (treasurer)" for "Which plot does the treasurer hold?"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from explorer.language import questions as q
from explorer.language.words import stem, tokens
from explorer.reasoning.extractive.lines import labels
from explorer.reasoning.extractive.matching import Line

if TYPE_CHECKING:
    from explorer.language.questions import Question
    from explorer.reasoning.protocol import ReadPassage

_NAME = r"(?P<name>[A-Z][\w’'-]+(?: (?:[A-Z]\.|[A-Z][\w’'-]+))+)"
_ROLE = re.compile(
    r"\b(?:the|our) (?P<words>(?!(?:of|in|on)\b)[a-z][\w-]*(?: (?!(?:of|in|on|at|for|the|a)\b)[a-z][\w-]*){0,2})"
)
_OFFICE = re.compile(r"\b(?:master|warden|officer|lead|head|captain|clerk|deputy|assistant|keeper|leader|rep)\b")


_WHO_IS = re.compile(
    r"\W*who(?: is| was|['’]s) (?:the |our )(?P<role>[a-z][\w-]*(?: (?!(?:of|in|on|at|for|to)\b)[a-z][\w-]*){0,2})"
    r"(?: (?:of|in|on|at|for|to)\b.*)?\W*", re.IGNORECASE,
)  # fmt: skip


class Holder(NamedTuple):
    """Who has a role: the words of the question for it, the name, and the line that says so."""

    role: str
    name: str
    line: Line


def holder(asked: Question, passages: Sequence[ReadPassage]) -> Holder | None:
    """Return who has the role that a question names, and does not ask for; None where no line says so, or several."""
    for match in _ROLE.finditer(asked.text):
        words = match["words"].split()
        for number in range(len(words), 0, -1):
            role, noun = " ".join(words[:number]), words[number - 1]
            if stem(noun) == stem(asked.head) or not (q.kind_of(noun) == q.PERSON or _OFFICE.search(noun)):
                continue
            found = list(_holders(role, passages))
            if len({name for name, _ in found}) == 1:
                return Holder(f"{match[0].split()[0]} {role}", *found[0])
    return None


def says_holder(asked: Question, passages: Sequence[ReadPassage]) -> Line | None:
    """Return the line that says who has the role that "who is the treasurer" asks for; None where none does, or several
    name others.
    """
    found = _WHO_IS.fullmatch(asked.text)
    said = list(_holders(found["role"], passages)) if found else []
    return said[0][1] if len({name for name, _ in said}) == 1 else None


def _holders(role: str, passages: Sequence[ReadPassage]) -> Iterator[tuple[str, Line]]:
    written = f"(?i:{re.escape(role)})"
    beside = re.compile(
        rf"{_NAME}(?: \((?:the |our )?{written}\)|, (?:the |our )?{written}(?=[,;.)]| and )|"
        rf" (?:is|was|became) (?:the |our ){written}\b)"
        rf"|\b(?:the |our )?{written},? {_NAME.replace('name', 'behind')}"
    )  # fmt: skip
    keys = {stem(word) for word in tokens(role)}
    for p, passage in enumerate(passages):
        for n, sentence in enumerate(passage.sentences):
            for match in beside.finditer(sentence.text):
                yield " ".join((match["name"] or match["behind"]).split()), Line(p, n)
            for one in labels(passage, n):
                is_name = re.fullmatch(_NAME, one.value) is not None
                if is_name and {stem(word) for word in tokens(one.label)} == keys:
                    yield one.value, Line(p, n)
