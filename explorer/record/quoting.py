"""Which texts of runs quote a document: answers, thoughts, prompts and replies, and the reasons of what was chosen.

A text quotes a document where it has five words in a row as they stand there, or all of one that has fewer; letter
case and what stands between words count nothing. What a person asked is no such text, and no fact.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pyoxigraph import Literal, NamedNode, Triple

from explorer.stores.collection import Collection
from explorer.vocab import RETRIEVAL, TG

_IN_A_ROW = 5  # words: fewer stand in many texts by chance ("at the end of"), more miss a short sentence
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Quoting:
    """The contents of runs that quote a document, and the nodes whose reason does."""

    contents: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()

    def __len__(self) -> int:
        """How many texts there are."""
        return len(self.contents) + len(self.reasons)


def quoting(stores: Collection, texts: Iterable[str], facts: Iterable[Triple]) -> Quoting:
    """Return what quotes any of some texts, each the whole text of a document, or lists some facts."""
    lists = {f"{fact} ." for fact in facts}
    known: set[str] = set()
    for text in texts:
        words = _words(text)
        known.update(_rows(words, min(_IN_A_ROW, len(words))))
    sizes = {row.count(" ") + 1 for row in known}

    def quotes(text: str) -> bool:
        words = _words(text)
        return any(row in known for size in sizes for row in _rows(words, size))

    contents = [iri for iri, text in _contents(stores) if quotes(text) or not lists.isdisjoint(text.splitlines())]
    reasons = [
        quad.subject.value for quad in stores.graph.match(None, TG.reasoning, None, RETRIEVAL)
        if isinstance(quad.subject, NamedNode) and isinstance(quad.object, Literal) and quotes(quad.object.value)
    ]  # fmt: skip
    return Quoting(tuple(sorted(contents)), tuple(sorted(set(reasons))))


def _contents(stores: Collection) -> Iterator[tuple[str, str]]:
    """Yield the contents of the library that are none of a document, with their texts."""
    for one in stores.library.texts_of_runs():
        if not _is_source(stores, one.iri):
            yield one.iri, one.data.decode("utf-8", errors="replace")


def _is_source(stores: Collection, iri: str) -> bool:
    """Return whether a content is a document or a part of one: of a version that was replaced, or imported."""
    quads = stores.graph.match(NamedNode(iri), None, None)
    return any(quad.graph_name != RETRIEVAL for quad in quads)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _rows(words: list[str], size: int) -> Iterator[str]:
    return (" ".join(words[at : at + size]) for at in range(len(words) - size + 1)) if size else iter(())
