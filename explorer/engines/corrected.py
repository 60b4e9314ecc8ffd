"""Answers that quote words of which a fact was corrected by hand: each such quotation is followed by the correction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from explorer.reasoning.protocol import AnswerPart, Kept, ScoredPassage, Sentence
from explorer.stores.sources import Sources


def with_corrections(parts: Iterable[AnswerPart], kept: Sequence[Kept], sources: Sources) -> Iterator[AnswerPart]:
    """Yield an answer, and after a sentence that quotes what was corrected what is held now, each once."""
    said = set[str]()
    for part in parts:
        yield part
        for correction in _of(part, kept, sources) if isinstance(part, Sentence) else ():
            if correction not in said:
                said.add(correction)
                yield Sentence(f"({correction})")


def _of(sentence: Sentence, kept: Sequence[Kept], sources: Sources) -> Iterator[str]:
    """Yield what was corrected of the words that a sentence quotes."""
    if not sentence.cites or sentence.source is None:
        return
    item = kept[sentence.cites[0]]
    passages = [item.passage] if isinstance(item, ScoredPassage) else item.edge.passages[:1]
    start, end = sentence.source
    for passage in passages:
        for one in sources.corrections.get(passage.chunk, ()):
            if one.start < end and start < one.end:
                yield one.said
