"""Parts of a question: what asks something of its own, made to stand alone. What is not clear stays one part."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from explorer.language.pipeline import parsed
from explorer.language.questions import ASKING, DOING, PERSON, read, readable
from explorer.language.sentences import sentences

if TYPE_CHECKING:
    from explorer.language.pipeline import Doc, Token

LONGEST = 20_000  # characters: what is longer holds a document, and is not split
_LONG = 2_000  # characters of a sentence that are read; a longer one is no question
_FEW = 3  # words of what only the sentence before completes, as "When?"
_BULLET = re.compile(r"(?:^|(?<=\s))(?:[-*•–]|\(?(?:\d{1,2}|[a-h])[.)])\s+")
_PRONOUNS = frozenset("he she him her his it its they them their".split())
_WHOM = frozenset("he she him her his they them their".split())
_POINTING = frozenset({"this", "that", "these", "those"})
_NEAR = 8  # parts before, which may name what a pronoun means
_NAMES = 3  # that are put in brackets
_AHEAD = 12  # words from a question word in which its verb stands
_SUBJECTS = frozenset({"nsubj", "nsubjpass", "expl"})
_ENDS = "?？؟!"
_MARKS = "?？؟"
_BESIDE = 400  # characters beside marked questions; more are a text that only these ask about


def parts(question: str) -> list[tuple[str, ...]]:
    """Return the parts of a question, each as its steps: several where one speaks of whom the one before asks for.

    One part stays as it is.
    """
    whole, before = question.strip(), list[str]()
    found: list[tuple[str, ...]] = []
    for text in _clauses(whole) if len(whole) <= LONGEST else ():
        pronoun = open_pronoun(text) if before else None
        step = with_names(text, _named(before)) if pronoun is not None else text
        is_whom = pronoun is not None and pronoun.lower_ in _WHOM and found and read(found[-1][0]).kind == PERSON
        if found and is_whom:  # "Who wrote it, and where was he born?"
            found[-1] += (step,)
        else:
            found.append((step,))
        before.append(step)
    return found if sum(map(len, found)) > 1 or _is_told(whole, before) else [(whole,)]


def _named(before: Sequence[str]) -> Sequence[str]:
    """Return what the latest part names that names anything."""
    near = (read(part) for part in before[:-_NEAR:-1] if len(part) < _LONG)
    return next(filter(None, (part.names or part.phrases for part in near)), ())


def with_names(text: str, found: Sequence[str]) -> str:
    """Return a question with names in brackets at its end, so that a search finds them; not those it has."""
    new = [name for name in dict.fromkeys(found) if name.lower() not in text.lower()][:_NAMES]
    bare = text.rstrip("?.! ")
    begun = f"{bare[:-1]}, " if bare.endswith(")") else f"{bare} ("
    return f"{begun}{', '.join(new)}){text[len(bare) :].strip() or '?'}" if new else text


def open_pronoun(text: str) -> Token | None:
    """Return the first pronoun that stands for nothing before it: no subject, if it is no object of the same verb."""
    doc = parsed(readable(text)[-_LONG:])
    subjects = [one for one in doc if one.dep_ in {"nsubj", "nsubjpass"} and one.pos_ in {"NOUN", "PROPN"}]
    for token in doc:
        verb = token.head if token.head.pos_ != "ADP" else token.head.head
        before = [one for one in subjects if one.i < token.i and (token.tag_ == "PRP$" or one.head != verb)]
        points = token.lower_ in _POINTING and token.tag_ == "DT" and token.dep_ != "det"
        if points or (token.tag_ in {"PRP", "PRP$"} and token.lower_ in _PRONOUNS and not before):
            return token
    return None


def _is_told(whole: str, asked: Sequence[str]) -> bool:
    """Return whether a text says much beside what it asks."""
    return bool(asked) and len(whole) - sum(map(len, asked)) > _BESIDE


def _clauses(text: str) -> list[str]:
    """Return what asks; what asks nothing goes with the next, or a few words with the one before."""
    items = (item for line in text.splitlines() for item in _BULLET.split(line))
    said = [readable(one) for item in items for one in sentences(item)]
    marked = [one for one in said if one[-1:] in _MARKS]
    found, context = list[str](), ""
    for line in marked if _is_told(text, marked) else said:
        asked = list(_asked(parsed(line))) if len(line) <= _LONG else []
        if not asked and found and not context and line.count(" ") < _FEW:
            found[-1] = f"{found[-1]} {line}"
        elif asked or line[-1:] in _ENDS:
            first, *others = asked or [line]
            found, context = [*found, f"{context} {first}".strip(), *others], ""
        else:
            context = f"{context} {line}".strip()
    return [*found[:-1], f"{found[-1]} {context}".strip()] if found else []


def _asked(doc: Doc) -> Iterator[str]:
    """Yield the questions of a sentence, the first with what stands before it; none where nothing is asked."""
    cuts: list[int] = []
    for at in range(len(doc)):
        if _asks(doc, at) and (not cuts or _is_apart(doc, cuts[-1], at)):
            cuts.append(at)
    for start, end in zip([0, *cuts[1:]], [*cuts[1:], len(doc)], strict=True) if cuts else ():
        words = list(doc[start:end])
        while words and (words[-1].tag_ == "CC" or not words[-1].text.strip(",;:–—?.")):
            words.pop()
        while words and words[0].tag_ == "CC":
            words.pop(0)
        text = doc[words[0].i : words[-1].i + 1].text if words else ""
        yield f"{text[:1].upper()}{text[1:]}?"


def _asks(doc: Doc, at: int) -> bool:
    """Return whether a question begins at a word: a question word with its verb, or an auxiliary and its subject."""
    if doc[at].is_title and at > 0:
        return False  # of a title: "What Is Love"
    asked = at + (doc[at].pos_ == "ADP" and at + 1 < len(doc))
    near = doc[asked + 1 : asked + _AHEAD]
    verb = next((one for one in near if one.pos_ in {"AUX", "VERB"} or one.lower_ in DOING), None)
    if doc[asked].tag_ in ASKING and doc[asked].lower_ != "that":
        subject = next((one for one in near if one.dep_ in _SUBJECTS), None)
        is_told = subject is not None and verb is not None and subject.left_edge.i == asked + 1 and subject.i < verb.i
        return verb is not None and not (is_told and doc[asked].tag_ == "WRB")
    is_helping = doc[at].pos_ == "AUX" or doc[at].lower_ in DOING
    return (
        is_helping
        and any(one.dep_ in _SUBJECTS | {"attr"} for one in near[:3])
        and (at == 0 or doc[at - 1].lower_ == "and")
    )


def _is_apart(doc: Doc, last: int, at: int) -> bool:
    """Return whether a question is joined to the one before, and goes on with no clause of that."""
    before, joint = doc[last + 1 : at], doc[at - 1]
    is_and = joint.tag_ == "CC" and joint.lower_ in {"and", "but", "&"}
    is_listed = joint.text in {",", ";"} and doc[at].lower_ not in {"which", "whose", "whom", "who"}
    starts_alike = doc[at].pos_ != "AUX" or doc[last].tag_ not in ASKING
    is_whole = any(one.pos_ in {"VERB", "AUX"} for one in doc[last:at])
    # it may go on with a clause before it: "the man who built it and who sold it"
    is_repeated = any(one.lower_ == doc[at].lower_ and one.dep_ != "det" for one in before)
    return (is_and or is_listed) and starts_alike and is_whole and not is_repeated
