"""The passages that a model selects from and answers from: whole, with their sentences and the facts of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from explorer.engines.reading import Chunks
from explorer.engines.setting import Setting
from explorer.events import Passage
from explorer.models.embedding import Remembered
from explorer.reasoning.protocol import Edge, Picked, ShownPassage, ShownSentence

MOST = 20  # passages: these hold as much of an answer as the facts of a whole walk
MOST_FACTS = 8  # of a sentence
MORE = 5  # passages that a second search adds


def shown(
    setting: Setting, chunks: Iterable[str], edges: Sequence[Edge] = (), *, most: int | None = None
) -> list[ShownPassage]:
    """Return the first passages of some chunks in their order, with those of the facts that a sentence states.

    One without a sentence, such as code, is one by itself. The title, the heading above it and a sentence that stands
    in a passage before, as chunks share some, are left out.
    """
    sources = setting.stores.sources
    wanted = list(dict.fromkeys(chunks))
    gone = sources.gone(wanted)
    left = [one for one in wanted if one not in gone][:most]
    read = Chunks(setting.stores, Remembered.of(setting.embedder))(left)
    told, found = set[tuple[str, int]](), []
    for chunk, whole in read.items():
        passage = next(iter(sources.chunk(chunk)), None)
        if passage is None:  # its origin is not on record: it can't be cited
            continue
        places = [(one.start, one.end) for one in whole.sentences] or [(0, len(passage.text))]
        heads, sentences = {passage.title, passage.section}, []
        for start, end in places:
            text, at = passage.text[start:end], (passage.document, passage.start + end)
            if at not in told and text.strip("# ") not in heads:
                sentences.append(ShownSentence(start, end, text, tuple(_stated(edges, passage, start, end))))
            told.add(at)
        if sentences:
            found.append(ShownPassage(passage, whole.date, tuple(sentences)))
    return found


def _stated(edges: Sequence[Edge], passage: Passage, start: int, end: int) -> Iterator[Edge]:
    """Yield the facts that a sentence of a passage states."""
    first, last = passage.start + start, passage.start + end
    stated = (edge for edge in edges if any(
        place.document == passage.document and first < place.end and place.start < last for place in edge.passages
    ))  # fmt: skip
    yield from islice(stated, MOST_FACTS)


def facts_of(picks: Sequence[Picked], passages: Sequence[ShownPassage]) -> dict[Edge, str]:
    """Return the facts that were selected, or whose sentence was, each with the reason."""
    found: dict[Edge, str] = {}
    for pick in picks:
        sentence = passages[pick.passage].sentences[pick.sentence]
        for edge in (pick.edge,) if pick.edge else sentence.edges:
            found.setdefault(edge, pick.reasoning)
    return found
