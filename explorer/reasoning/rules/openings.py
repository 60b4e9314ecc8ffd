"""How a clause asks or orders, at the word where it may begin, and what of an order is to be searched for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from explorer.language.pipeline import Doc, Token

ASKS, BARE, YES_NO, TOLD, ORDER = "asks", "bare", "yes or no", "told", "order"
"""A question; its first words without a verb; one without such words; one told of, as "why it broke"; an order."""

ORDERS = frozenset(
    "list name describe explain give find tell say summarise summarize identify state compare show outline define "
    "discuss mention enumerate quote cite determine calculate count contrast specify".split()
)
KNOWING = frozenset({"know", "wonder", "understand", "learn"})
ASKING = frozenset({"WP", "WP$", "WDT", "WRB"})
_SUMMARIES = "summary|overview|list|description|explanation|account|outline"
_LED = r"(?:(?:and|then|finally|lastly|first|next|also|please|kindly|,)\W+)*"
_CONTENT = re.compile(
    rf"{_LED}(?:(?:can|could|would|will) you (?:please )?)?"
    rf"(?:(?:{'|'.join(sorted(ORDERS))})(?: (?:me|us|out|about))* (?!of\b|is\b|are\b|was\b|were\b)"
    rf"(?:(?:an?|the)(?: \w+)? (?:{_SUMMARIES}) of )?"
    rf"|(?:(?:do|can|could) you|I|we)(?: \w+){{0,3}}? (?:know|wonder|understand|learn) (?=wh|how)|(?<=\W))",
    re.IGNORECASE,
)
_WH = re.compile(r"(?:who|what|when|where|why|how|which)\b", re.IGNORECASE)


def content(goal: str) -> str:
    """Return what a goal asks for, without the words that order it: "tell me who …", "please list …"."""
    order = _CONTENT.match(goal)
    rest = goal[order.end() :].rstrip() if order else ""
    if not rest or (rest[-1] == "?" and not (_WH.match(rest) or " you " in goal[: len(goal) - len(rest)])):
        return goal
    return rest if _WH.match(rest) and rest[-1] in "?!" else rest.rstrip("?!. ")


def opening(doc: Doc, at: int, *, first: bool = False) -> str | None:
    """Return how a clause asks or orders that begins at a word; None: it does neither.

    Elsewhere than `first` in its sentence a capital is a title's.
    """
    if at >= len(doc) or (doc[at].is_title and not first):
        return None
    asked = at + (doc[at].pos_ == "ADP" and at + 1 < len(doc))
    if doc[asked].tag_ in ASKING and doc[asked].lower_ != "that":
        return _of_question(doc, asked, preposed=asked > at)
    if _is_inverted(doc[at]):
        polite = at + 2 < len(doc) and doc[at + 1].lower_ == "you" and doc[at + 2].lower_ in ORDERS
        return ORDER if polite else YES_NO
    return ORDER if _orders(doc[at], first=first) else None


def _of_question(doc: Doc, asked: int, *, preposed: bool) -> str | None:
    """Read on from a question word to the verb: an auxiliary asks, a subject before the verb tells."""
    takes_noun = doc[asked].lower_ in {"which", "what", "whose", "how"}
    for token in doc[asked + 1 : asked + 12]:
        if token.tag_ in {"CC", ","} or token.tag_ in ASKING:
            return BARE
        if token.pos_ == "AUX" or (token.lower_ in {"do", "does", "did"} and token.i + 1 < len(doc)):
            is_relative = preposed and token.i == asked + 1 and doc[asked].lower_ == "which"  # "on which was"
            return None if is_relative or token.i + 1 >= len(doc) or doc[token.i + 1].is_punct else ASKS
        if token.pos_ == "VERB" and token.tag_ not in {"VBN", "VBG"}:
            return TOLD if preposed or doc[asked].lower_ in {"when", "where", "why"} else ASKS
        if token.tag_ in {"PRP", "PRP$"} or token.dep_ == "nsubj" and not takes_noun:
            return TOLD
        if token.pos_ == "DET" and token.i > 0 and doc[token.i - 1].pos_ != "ADP":
            return TOLD
    return None


def _is_inverted(token: Token) -> bool:
    """Return whether an auxiliary stands before its subject."""
    if token.pos_ != "AUX" and token.lower_ not in {"do", "does", "did", "has", "have", "had"}:
        return False
    verbs = {token.i, token.head.i} if token.dep_.startswith("aux") else {token.i}
    after = token.doc[token.i + 1 : token.i + 2]
    if after and after[0].head.dep_ == "attr" and after[0].pos_ == "DET":  # as some subjects are read
        return True
    return any(
        one.dep_ in {"nsubj", "nsubjpass", "expl"} and one.head.i in verbs for one in token.doc[token.i + 1 :][:12]
    )


def _orders(token: Token, *, first: bool) -> bool:
    """Return whether a verb orders: it has something to act on, and no subject."""
    doc, after = token.doc, token.i + 1
    if token.lower_ not in ORDERS or after >= len(doc) or doc[after].is_punct or doc[after].lower_ == "of":
        return False
    above = token
    while above.dep_ == "conj":
        above = above.head
        if any(one.dep_ in {"aux", "nsubj"} and one.i < token.i for one in above.children) and not first:
            return any(one.lower_ == "you" for one in above.children)
    is_noun = doc[after].pos_ in {"AUX", "VERB"} or (not first and token.i > 0 and doc[token.i - 1].pos_ in {"DET", "ADJ"})
    return not is_noun and not (first and token.pos_ == "NOUN" and doc[after].pos_ == "NOUN")
