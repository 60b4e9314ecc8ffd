"""Questions that can be answered with yes or no, or with one of two, as the statements that they ask for, parsed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from explorer.language.assertions import FUTURE, PAST, PRESENT
from explorer.language.pipeline import parse, parsed
from explorer.language.questions import readable
from explorer.language.words import tokens

if TYPE_CHECKING:
    from explorer.language.pipeline import Doc, Token

_BEING = frozenset({"is", "are", "was", "were", "am"})
_DOING = frozenset({"do", "does", "did"})
_OPENING = _BEING | _DOING | set("has have had can could may might must shall should will would need".split())
_SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "expl"})
_NO_END = frozenset({"ADP", "ADJ", "CCONJ", "AUX"})  # parts of speech with which no subject ends
_ARTICLES = frozenset({"the", "a", "an"})
_LONGEST_SUBJECT = 12  # words
_FEWEST = 3  # words of a question
_CONTRACTED = re.compile(r"n['’]t\b", re.IGNORECASE)


@lru_cache(maxsize=64)
def statement(question: str) -> Doc | None:
    """Return a question as a statement: "is allowed" behind its subject; None where it does not begin with a verb.

    The subject ends where the statement reads best. "Did" becomes "will", behind which the parser knows a verb; "isn't"
    becomes "is", since the answer to both is the same.
    """
    words = [token.text for token in parsed(_CONTRACTED.sub("", readable(question).rstrip("?!. ")))]
    if len(words) < _FEWEST or words[0].lower() not in _OPENING:
        return None
    doc = parsed(" ".join(words))
    places = range(2, min(len(words), _LONGEST_SUBJECT + 1))
    ranked = [
        ((rank, _goes_on(doc, place), place), found)
        for found, place in parse([(_turned(words, place), place) for place in places])
        if (rank := _rank(found, place - 1)) is not None
    ]
    return min(ranked, key=lambda one: one[0])[1] if ranked else None


def tense(question: str) -> str:
    """Return the tense of a question, by its first word."""
    first = next(iter(tokens(question.lower())), "")
    if first.startswith(("did", "was", "were", "had")):
        return PAST
    return FUTURE if first in {"will", "won't"} else PRESENT


def offered(asked: Doc) -> list[tuple[str, Doc]] | None:
    """Return the two that a question offers, each with the statement that it is so; None where it offers not two."""
    joints = [token for token in asked if token.lower_ == "or"]
    pairs = [(one.head, other) for one in joints for other in one.head.conjuncts if other.i > one.i]
    if len(joints) != 1 or len(pairs) != 1 or len(joints[0].head.conjuncts) > 1:
        return None
    first, second = pairs[0]
    joint, begins, ends = joints[0].i, _begin(second), second.right_edge.i if second.pos_ == "ADP" else second.i
    texts = [
        f"{asked[:joint].text.rstrip(' ,')} {asked[ends + 1 :].text}",
        f"{asked[: _begin(first)].text} {asked[begins:].text}",
    ]
    found = [doc for doc, _ in parse([(" ".join(text.split()).replace(" .", "."), None) for text in texts])]
    names = [asked[_begin(first) : joint].text.rstrip(" ,"), asked[begins : ends + 1].text]
    return list(zip(names, found, strict=True))


def _begin(word: Token) -> int:
    """Return where a word's phrase begins; a verb stands for itself."""
    return word.i if word.pos_ in {"VERB", "AUX"} else word.left_edge.i


def _turned(words: Sequence[str], place: int) -> str:
    subject = " ".join(words[1:place])
    first = words[0].lower()
    return f"{subject[0].upper()}{subject[1:]} {'will' if first in _DOING else first} {' '.join(words[place:])}."


def _goes_on(doc: Doc, place: int) -> bool:
    """Return whether a name or a noun phrase goes on at a word."""
    before, after = doc[place - 1], doc[place]
    is_name = before.text[0].isupper() and after.text[0].isupper()
    return is_name or (before.dep_ == "compound" and before.head.i >= place)


def _rank(doc: Doc, at: int) -> int | None:
    """Return how well a statement reads whose first verb stands at a place, 0 best; None where it does not."""
    first = doc[at]
    verb = first.head if first.dep_ in {"aux", "auxpass"} else first
    subject = next((one for one in verb.children if one.dep_ in _SUBJECTS), None)
    if verb.dep_ != "ROOT" or verb.pos_ not in {"VERB", "AUX"} or subject is None or not _is_whole(subject, at):
        return None
    if verb != first:
        is_base = first.tag_ != "MD" or verb.i > at + 1 or verb.tag_ == "VB"  # not "the system store will passwords"
        return 0 if is_base and all(_is_between(token) for token in doc[at + 1 : verb.i]) else None
    after = next((child for child in verb.children if child.dep_ in {"attr", "acomp"} and child.i > at), None)
    if first.lower_ not in _BEING:
        return None
    if after is None or not all(_is_between(token) for token in doc[at + 1 : after.left_edge.i]):
        return 2
    return 0 if after.dep_ == "acomp" else 1


def _is_between(token: Token) -> bool:
    """Return whether a word may stand between "is" and what is."""
    return token.dep_ in {"aux", "auxpass", "neg"} or token.pos_ in {"ADV", "PART"}


def _is_whole(subject: Token, at: int) -> bool:
    """Return whether a subject is all that stands before a place, and may end there."""
    doc, last = subject.doc, subject.doc[at - 1]
    if subject.left_edge.i != 0 or subject.right_edge != last or last.lower_ in _ARTICLES or last.pos_ in _NO_END:
        return False
    if doc[at + 1].pos_ == "NUM" and last.pos_ in {"NOUN", "PROPN"}:  # "version 3"
        return False
    return not any(child.dep_ == "appos" and "," not in doc[: child.i].text for child in subject.children)
