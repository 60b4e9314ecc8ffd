"""Which words of a question a text has, said in words."""

from __future__ import annotations

from collections.abc import Collection

from explorer.language.words import phrases, stem, tokens
from explorer.text import truncate

_MOST = 8  # words that are listed
_LONGEST = 40


def shared(verb: str, question: str, there: Collection[str]) -> str:
    """Return "has your words fuel cell, tank" of the words of a question whose stems are there; "" without any.

    Those that it has as one phrase are kept together.
    """
    runs: list[list[str]] = []
    told: set[str] = set()
    for phrase in phrases(question):
        found = dict.fromkeys(word for word in tokens(phrase) if stem(word) in there and stem(word) not in told)
        runs.append(list(found)[: max(0, _MOST - len(told))])
        told |= {stem(word) for word in found}
    listed = ", ".join(" ".join(truncate(word, _LONGEST) for word in run) for run in runs if run)
    more = f" and {len(told) - _MOST:,} more" if len(told) > _MOST else ""
    return f"{verb} your {'word' if len(told) == 1 else 'words'} {listed}{more}" if listed else ""
