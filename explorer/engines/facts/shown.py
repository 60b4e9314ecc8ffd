"""The passages that a model selects from and answers from: whole, with their sentences and the facts of each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import islice

from explorer.engines.setting import Setting
from explorer.language.sentences import spans
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
    left = list(dict.fromkeys(chunks))[:most]
    sources.ahead(chunks=left)
    lines = setting.stores.sentences.lines(left)
    stated = defaultdict[str, list[tuple[int, int, Edge]]](list)
    for edge in edges:
        for place in edge.passages:
            stated[place.document].append((place.start, place.end, edge))
    told, found = set[tuple[str, int]](), []
    for passage in (one for chunk in left for one in sources.chunk(chunk)):
        split = ((start, passage.text[start:end]) for start, end in spans(passage.text))
        heads, sentences = {passage.title, passage.section}, []
        for start, text in lines.get(passage.chunk) or [*split] or [(0, passage.text)]:
            first, last = passage.start + start, passage.start + start + len(text)
            if (passage.document, last) not in told and text.strip("# ") not in heads:
                facts = (edge for begin, end, edge in stated[passage.document] if first < end and begin < last)
                of = tuple(islice(dict.fromkeys(facts), MOST_FACTS))
                sentences.append(ShownSentence(start, start + len(text), text, of))
            told.add((passage.document, last))
        if sentences:
            found.append(ShownPassage(passage, sources.dated(passage.document), tuple(sentences)))
    return found


def facts_of(picks: Sequence[Picked], passages: Sequence[ShownPassage]) -> dict[Edge, str]:
    """Return the facts that were selected, or whose sentence was, each with the reason."""
    found: dict[Edge, str] = {}
    for pick in picks:
        sentence = passages[pick.passage].sentences[pick.sentence]
        for edge in (pick.edge,) if pick.edge else sentence.edges:
            found.setdefault(edge, pick.reasoning)
    return found
