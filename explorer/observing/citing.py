"""What each sentence of an answer rests on: as its provider said, compared with the words, and as the words say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from explorer.engines.steps import Rest, citation
from explorer.entities import Citation
from explorer.events import Passage
from explorer.models.embedding import Embedder
from explorer.observing.retrieved import Retrieved
from explorer.reasoning.alignment import Aligned, Rested, align
from explorer.reasoning.lexical_support import FOUND, denial
from explorer.reasoning.protocol import Cited
from explorer.reasoning.replies.citations import Claim
from explorer.text import SENTENCE_END

AGREES, ELSEWHERE, NO_WORDS = "agrees", "points elsewhere", "no such words"
"""What can become of what a provider said that a sentence cites."""


class Citing:
    """Cites passages by keys: the IRIs of their selections, or of their chunks where nothing was chosen among them."""

    def __init__(
        self,
        keys: Mapping[str, str],
        passages: Mapping[str, Passage],
        told: Sequence[Retrieved],
        embedder: Embedder,
    ) -> None:
        """Take what was retrieved: keys and passages by chunk, and by its place what the run says of each."""
        self._embedder = embedder
        self._keys = dict(keys)
        self._passages = [passages[chunk] for chunk in self._keys]
        self._told = told

    def citations(self, session: str, text: str, claims: Sequence[Claim]) -> list[Citation]:
        """Return the record of each sentence that says something: what it cites, and where the words stand."""
        found: list[Citation] = []
        for one in align(text, [passage.text for passage in self._passages], self._embedder):
            own = [claim for claim in claims if _within(claim, one)]
            if one.sources or one.foreign or own:
                found.append(self._citation(session, len(found), text, one, own))
        return found

    def _citation(self, session: str, number: int, text: str, one: Aligned, claims: Sequence[Claim]) -> Citation:
        chunks = list(self._keys)
        places: dict[str, tuple[int, ...]] = {}
        for rested in sorted(one.sources, key=lambda each: each.start):
            places[chunks[rested.passage]] = (*places.get(chunks[rested.passage], ()), rested.start, rested.end)
        named = dict.fromkeys(chunk for claim in claims for chunk in self._named(claim) if chunk in self._keys)
        agreement = self._agreement(named, places, claims, text[one.start : one.end]) if claims else None
        cites = [self._keys[chunk] for chunk in dict.fromkeys((*named, *places))]
        said = text[one.start : one.end]
        denied = filter(None, (denial(said, self._around(rested)) for rested in one.sources))
        missing = tuple(sorted({*(text[start:end] for start, end in (*one.absent, *one.false)), *denied}))
        rest = Rest(cites, {self._keys[chunk]: place for chunk, place in places.items()})
        return replace(
            citation(session, number, Cited(one.start, one.end, ()), rest),
            lexical_support="none" if one.foreign else "found" if one.share >= FOUND and not missing else "near",
            not_in_source=missing,
            aligned=tuple(self._keys[chunk] for chunk in places if chunk not in named),
            said_by=claims[0].by if claims else None,
            agreement=agreement,
        )

    def _around(self, rested: Rested) -> str:
        text = self._passages[rested.passage].text
        ends = [0, *(found.end() for found in SENTENCE_END.finditer(text)), len(text)]
        first = max(end for end in ends if end <= rested.start)
        return text[first : min(end for end in ends if end >= rested.end)]

    def _named(self, claim: Claim) -> list[str]:
        """Return the chunks that a provider named: by their number, or by what the run calls them."""
        if isinstance(claim.source, int):
            told = self._told[claim.source : claim.source + 1]
            return [chunk for one in told for chunk in self._of(one)]
        names = {name for name in (claim.source, *claim.also) if name}
        return [chunk for one in self._told if names & {*one.names} for chunk in self._of(one)]

    def _of(self, told: Retrieved) -> list[str]:
        words = " ".join(told.text.split())
        return [one.chunk for one in self._passages if " ".join(one.text.split()) == words]

    def _agreement(
        self, named: Mapping[str, object], places: Mapping[str, object], claims: Sequence[Claim], sentence: str
    ) -> str:
        said = [" ".join(claim.said.split()) for claim in claims if claim.said]
        texts = [" ".join(one.text.split()) for one in self._passages if one.chunk in named]
        if said and not all(any(words in text for text in texts) for words in said):
            return ELSEWHERE if places and not named.keys() & places.keys() else NO_WORDS
        alone = [one.text for one in self._passages if one.chunk in named]
        if named.keys() & places.keys() or any(one.sources for one in align(sentence, alone, self._embedder)):
            return AGREES
        return ELSEWHERE if places else NO_WORDS


def _within(claim: Claim, one: Aligned) -> bool:
    """Return whether a claim is about a sentence: one at a point is about what stands before it."""
    if claim.start == claim.end:
        return one.start < claim.end <= one.end + 1
    return claim.start < one.end and one.start < claim.end
