"""Removing a document: what that would change, told before; and bringing one back as long as the app lives."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from explorer.text import count
from explorer.widgets.documents.listing import used

if TYPE_CHECKING:
    from explorer.record.forgetting import Forgotten
    from explorer.view.messages.documents import Impact, RemovedDocument
    from explorer.workspace import Workspace

_NAMED = 50  # facts that are named


class Removal:
    """The documents that were removed in one app and can be brought back."""

    def __init__(self, ws: Workspace) -> None:
        """Begin with none."""
        self._ws = ws
        self._removed: dict[str, tuple[Forgotten, list[str]]] = {}
        self._lock = threading.Lock()

    def impact(self, iri: str) -> Impact:
        """Return what removing a document would change; raises RecordError where it is not here."""
        found = self._ws.impact(iri)
        uses, runs, looked = used(found.runs, found.answers)
        return {
            "t": "impact",
            "iri": iri,
            "facts": len(found.facts),
            "kept": len(found.kept),
            "named": [" — ".join(fact.words) for fact in found.facts[:_NAMED]],
            "versions": len(found.versions),
            "used": runs,
            "uses": uses,
            "looked": looked,
            "texts": found.texts,
        }

    def remove(self, iri: str, *, words: bool) -> None:
        """Remove a document; with `words` also what quotes it. Raises RecordError where it is not here."""
        gone = self._ws.forget(iri, words=words)
        with self._lock:
            lost = [f"{count(gone.texts, 'text')} of answers"] if gone.texts else []
            self._removed[gone.iri] = gone, lost  # with what bringing it back does not bring back

    def removed(self) -> list[RemovedDocument]:
        """Return the documents that can be brought back, the last one first; of one that is here nothing is kept."""
        with self._lock:
            for iri in [iri for iri in self._removed if self._ws.stores.library.has(iri)]:
                del self._removed[iri]
            return [
                {"iri": iri, "title": gone.title, "when": gone.forgotten_at, "lost": lost}
                for iri, (gone, lost) in reversed(self._removed.items())
            ]

    def kept(self, iri: str) -> Forgotten | None:
        """Return a document that is to be brought back; it is kept until it is here. None for no such."""
        with self._lock:
            return self._removed.get(iri, (None, []))[0]

    def drop(self, iri: str) -> None:
        """Keep a document no longer."""
        with self._lock:
            self._removed.pop(iri, None)
