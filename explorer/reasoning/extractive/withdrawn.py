"""Sentences that are no answer any more: a person took back the fact that they say about a question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.language import questions as q
from explorer.language.words import content_stems

if TYPE_CHECKING:
    from explorer.language.questions import Question
    from explorer.reasoning.protocol import ReadPassage
    from explorer.stores.corrected import Correction

_OF_VALUES = frozenset({q.TIME, q.NUMBER, q.PLACE})


def withdrawn(asked: Question, passage: ReadPassage, number: int) -> Correction | None:
    """Return the retraction by which a sentence does not answer a question; None where it may.

    All that the sentence has of the question is in the fact that was taken back; and no other time, number or place
    stands in it, where one is asked for. What was put right is read by itself.
    """
    sentence = passage.sentences[number]
    asks = content_stems(f"{asked.text} {asked.context}")
    for one in passage.corrected:
        if not (one.start < sentence.end and sentence.start < one.end):
            continue
        fact, shared = content_stems(one.fact), asks & content_stems(sentence.text)
        values = [content_stems(entity.text) for entity in sentence.entities if entity.kind in asked.entities]
        stands = asked.kind in _OF_VALUES and any(value and not value <= fact | asks for value in values)
        if shared and shared <= fact and not stands:
            return one
    return None


def is_mostly_about(asked: Question, passage: ReadPassage, number: int) -> bool:
    """Return whether a sentence has half of a question's content words or more."""
    asks = content_stems(asked.text)
    return 2 * len(asks & content_stems(passage.sentences[number].text)) >= len(asks)
