"""What earlier versions left in a collection, and what would bring it up to date."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyoxigraph import Literal, NamedNode

from explorer.ingest.extraction.extractor import RULES, RuleExtractor
from explorer.stores.documents import older_documents
from explorer.text import count
from explorer.vocab import FACTS, PROV, SOURCE, TG, X, iri

if TYPE_CHECKING:
    from explorer.stores.collection import Collection


@dataclass(frozen=True, slots=True)
class Outdated:
    """How many passages wait for `reindex`, and of how many documents the facts were made by earlier rules.

    `upgrade` waits for `runs` that are not sealed, and `texts`, documents without the hashes of their words.
    """

    passages: int = 0
    documents: int = 0
    runs: int = 0
    texts: int = 0

    def __bool__(self) -> bool:
        """Whether there is anything that could be brought up to date."""
        return bool(self.passages or self.documents or self.runs or self.texts)

    def __repr__(self) -> str:
        """Return the advice on one line."""
        return f"<Outdated {'; '.join(self.advice) or 'nothing'}>"

    @property
    def advice(self) -> list[str]:
        """What to do, and what it brings; a line each."""
        lines = []
        if self.passages:
            held = count(self.passages, "passage")
            lines.append(
                f"An earlier version stored {held} without the sentences and names in them: ws.reindex() or `explorer "
                "reindex` finds these, so that questions take less time and names lead to more passages."
            )
        if self.documents:
            read = count(self.documents, "document")
            lines.append(
                f"The facts of {read} were made by earlier rules: ws.reextract() or `explorer reextract` makes "
                "them anew, and more of them right (negation, pronouns, short names, tables)."
            )
        if self.runs or self.texts:
            waiting = (self.runs, "run"), (self.texts, "document")
            held = " and ".join(count(number, noun) for number, noun in waiting if number)
            lines.append(
                f"An earlier version recorded {held} without seals, links and hashes: ws.upgrade() or `explorer "
                "upgrade` adds what can be derived, so that `explorer verify` finds what is changed later."
            )
        return lines


def outdated(stores: Collection) -> Outdated:
    """Return what earlier versions left in a collection."""
    runs, texts = len(stores.runs.unsealed()), len(unhashed(stores))
    return Outdated(stores.sentences.missing(), len(outdated_documents(stores)), runs, texts)


def unhashed(stores: Collection) -> list[str]:
    """Return the documents that are on record without the hash of their text, versions of before too."""
    known = {quad.subject for quad in stores.graph.match(None, X.textSha256, None, FACTS)}
    every = [iri for iri, _ in stores.library.sources()]
    every += [one.iri for one in older_documents(stores.database)]
    return [one for one in every if NamedNode(one) not in known]


def outdated_documents(stores: Collection) -> list[str]:
    """Return the documents whose facts were made by other rules than today's, in the order they came."""
    made = set(_documents(stores))
    return [iri for iri, _ in stores.library.sources() if iri in made]


def _documents(stores: Collection) -> Iterator[str]:
    """Yield the documents whose facts were made by other rules than today's."""
    agent = NamedNode(iri("agent", RuleExtractor.name))
    match = stores.graph.match
    made = {quad.subject for quad in match(None, PROV.wasAssociatedWith, agent, SOURCE)}
    today = {
        quad.subject for quad in match(None, TG.componentVersion, None, SOURCE)
        if isinstance(quad.object, Literal) and quad.object.value.split(" ")[0] == RULES
    }  # fmt: skip
    for activity in made - today:
        used = match(activity, PROV.used, None, SOURCE) if isinstance(activity, NamedNode) else ()
        yield from (quad.object.value for quad in used if isinstance(quad.object, NamedNode))
