"""Whether attached stores still hold what was read of them: they are asked for the statements of passages, before these
are answered from.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from pyoxigraph import NamedNode, Triple

from explorer.errors import WorkspaceError
from explorer.stores.database import Database, Many
from explorer.vocab import SOURCE, TG

if TYPE_CHECKING:
    from explorer.stores.attached import AttachedStore, Attachment
    from explorer.stores.graph import GraphStore


class StoreAwayError(WorkspaceError):
    """An attached store could not be asked what it holds: the question ends, since nothing else answers that."""


@dataclass(frozen=True, slots=True)
class Gone:
    """What a store does not hold any more of the facts in a passage."""

    store: str
    facts: frozenset[Triple]

    def why(self, *, itself: bool) -> str:
        """Return why a fact is not kept: it has gone itself, or what stands beside it."""
        if itself:
            return f"it is no longer in {self.store}"
        return f"its passage has a statement that is no longer in {self.store}; reindex reads it again"


class Asked(Protocol):
    """Who asks stores what they hold."""

    def lacking(self, attachment: Attachment, facts: Iterable[Triple]) -> list[Triple]:
        """Return those of some facts that a store does not hold any more; raises WorkspaceError where it is away."""


def gone(
    database: Database, graph: GraphStore, attached: Mapping[str, AttachedStore], chunks: Iterable[str], asked: Asked
) -> dict[str, Gone]:
    """Return the chunks that have facts which their stores do not hold any more: one request for each store.

    `attached` are the stores by their documents. Raises StoreAwayError where a store is away.
    """
    homes = _homes(database, attached, chunks)
    wanted = [(NamedNode(node), TG.contains, None, SOURCE) for node in homes]
    held: dict[str, dict[Triple, set[str]]] = defaultdict(lambda: defaultdict(set))
    for (chunk, document), quads in zip(homes.values(), graph.matches(wanted) if wanted else (), strict=True):
        for fact in (quad.object for quad in quads):
            if isinstance(fact, Triple):
                held[document][fact].add(chunk)
    found: dict[str, Gone] = {}
    for document, facts in held.items():
        attachment = attached[document].attachment
        lost: dict[str, set[Triple]] = defaultdict(set)
        try:
            lacking = asked.lacking(attachment, facts)
        except WorkspaceError as error:
            raise StoreAwayError(str(error)) from error
        for fact in lacking:
            for chunk in facts[fact]:
                lost[chunk].add(fact)
        found |= {chunk: Gone(attachment.address, frozenset(those)) for chunk, those in lost.items()}
    return found


def _homes(
    database: Database, attached: Mapping[str, AttachedStore], chunks: Iterable[str]
) -> dict[str, tuple[str, str]]:
    """Return the subgraphs of chunks that are of attached stores, each with its chunk and document."""
    if not attached:
        return {}
    rows = database.rows(
        "SELECT subgraph, chunks.iri AS chunk, chunks.document AS document FROM spans "
        "JOIN chunks ON chunks.number = spans.chunk WHERE chunks.iri IN (SELECT value FROM json_each(?)) "
        "AND chunks.document IN (SELECT value FROM json_each(?)) ORDER BY subgraph",
        (Many(chunks), Many(attached)),
    )
    return {row["subgraph"]: (row["chunk"], row["document"]) for row in rows}
