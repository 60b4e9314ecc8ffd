"""Whether a sentence of an answer, in whatever words, says what a person took back of a passage that it cites."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from explorer.language.words import is_content, stem, tokens

if TYPE_CHECKING:
    from explorer.stores.corrected import Correction


def restated(sentence: str, question: str, corrections: Iterable[Correction]) -> list[Correction]:
    """Return the corrections whose fact a sentence says: it names both ends, but for what the question has of them.

    How they are joined is not compared, since a model may put it in any words.
    """
    said, asked = _stems(sentence), _stems(question)
    found = []
    for one in corrections:
        ends = [_stems(end) for end in one.ends]
        named = frozenset[str]().union(*ends)
        if all(ends) and named & said and named <= said | asked:
            found.append(one)
    return found


def _stems(text: str) -> frozenset[str]:
    words = tokens(text)
    return frozenset(stem(word) for word in words if is_content(word)) or frozenset(map(stem, words))
