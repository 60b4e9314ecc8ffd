"""Whose amount a sentence gives: of "the rent rises to £68, since the premium went up", that of the rent alone."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from typing import TYPE_CHECKING

from explorer.language.pipeline import parse
from explorer.language.words import stem, tokens

if TYPE_CHECKING:
    from explorer.language.pipeline import Doc, Token

_VERBS = frozenset({"VERB", "AUX"})
_SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj"})
_DATED = frozenset({"DATE", "TIME", "ORDINAL"})
_TAKING_UP = frozenset(
    "it this that which they these those one both each part item piece unit work job whole sum total price cost bill "
    "amount figure value quote offer fee charge".split()
)
"""Subjects that take up what was named before them in the sentence."""


@lru_cache(maxsize=512)
def gives_amount_of(text: str, keys: frozenset[str]) -> bool:
    """Return whether a sentence that speaks of something, by its stems, may give an amount of it.

    It does not where all its amounts stand before that, or belong to verbs with another subject.
    """
    doc = _parsed(text)
    spoken = [token for token in doc if stem(token.text) in keys]
    amounts = [token for token in doc if token.like_num and token.ent_type_ not in _DATED]
    return not spoken or not amounts or any(_belongs(amount, spoken) for amount in amounts)


@lru_cache(maxsize=512)
def gives_amount_of_own(text: str) -> bool:
    """Return whether all amounts of a sentence are those of "it", which stands for what it has named before."""
    doc = _parsed(text)
    owners = [_subject(_verb(token)) for token in doc if token.like_num and token.ent_type_ not in _DATED]
    named = [token.i for token in doc
             if token.pos_ in {"NOUN", "PROPN"} and token.dep_ != "pobj" and token.ent_type_ not in _DATED]  # fmt: skip
    return bool(owners and named) and all(
        one is not None and one.lower_ in {"it", "they"} and min(named) < one.i for one in owners
    )


def says_amount_of(text: str, keys: frozenset[str], unit: re.Pattern[str]) -> bool:
    """Return whether a sentence speaks of something, by its stems, and gives an amount of it in a unit."""
    is_spoken = not keys.isdisjoint(map(stem, tokens(text)))
    return is_spoken and unit.search(text) is not None and gives_amount_of(text, keys)


def _parsed(text: str) -> Doc:
    [(doc, _)] = parse([(" ".join(text.split()), None)])
    return doc


def _belongs(amount: Token, spoken: Collection[Token]) -> bool:
    """Return whether an amount may be one of what is spoken of."""
    verb, subject = _verb(amount), _subject(_verb(amount))
    for token in spoken:
        if verb is None or _verb(token) == verb or token in amount.ancestors:
            return True
        takes_up = subject is None or subject.lemma_.lower() in _TAKING_UP or subject.pos_ == "PRON"
        if token.i < amount.i and takes_up:
            return True
    return False


def _verb(token: Token) -> Token | None:
    """Return the verb whose clause a word stands in; None where there is none."""
    return next((above for above in (token, *token.ancestors) if above.pos_ in _VERBS and above.dep_ not in
                 {"aux", "auxpass"}), None)  # fmt: skip


def _subject(verb: Token | None) -> Token | None:
    return None if verb is None else next((child for child in verb.children if child.dep_ in _SUBJECTS), None)
