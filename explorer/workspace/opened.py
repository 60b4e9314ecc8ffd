"""What is held while a workspace is open: its stores, its model, and whether it can be written."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from pyoxigraph import NamedNode

from explorer.errors import CLOSED, WorkspaceError
from explorer.events import Pauses
from explorer.models.embedding import Embedder
from explorer.models.endpoint import AS_USUAL, Bounds
from explorer.prices import prices
from explorer.record.keys import Key
from explorer.record.ledger import Ledger
from explorer.record.listing import QUESTIONS, Summaries
from explorer.record.recovery import Upkeep, settle
from explorer.record.traces import Traces
from explorer.stores.document_names import DocumentRow, HasIri
from explorer.stores.fact_sources import Sources
from explorer.stores.lock import SharedCollection, hold
from explorer.stores.places import Served
from explorer.view.shown_trace import ShownTrace
from explorer.vocab import iri

if TYPE_CHECKING:
    from explorer.engines.setting import Setting
    from explorer.models.chat import ChatModel
    from explorer.stores.collection import Collection, Size
    from explorer.stores.graph import GraphStore


def random_id() -> str:
    """Return an id of a session that no other has: nobody needs to look for it."""
    return str(uuid.uuid4())


class ShownTraces(Traces):
    """The traces of one collection, which show themselves once they are loaded."""

    def load(self, iri: str) -> ShownTrace:
        """Read a trace by the IRI of its Question; raises RecordError when there is none."""
        return ShownTrace(self.replay(iri))

    def _repr_html_(self) -> str:
        return Summaries(self.list())._repr_html_()

    def _repr_pretty_(self, printer: Any, cycle: object) -> None:  # noqa: ANN401 - IPython's
        printer.text(str(Summaries(self.list())))


class Opened:
    """An open collection: its stores and what they hold, and who may write. It can be closed, and opened again."""

    def __init__(
        self,
        holding: SharedCollection,
        *,
        name: str,
        place: Path | Served | None,
        embedder: Embedder,
        ids: Callable[[], str],
        clock: Callable[[], datetime],
        chat: ChatModel | None = None,
        base_url: str | None = None,
        bounds: Bounds = AS_USUAL,
        record_prompts: bool = True,
        check: bool = True,
        collection: str = "default",
        key: Key | None = None,
    ) -> None:
        self.name = name
        self.path = place if isinstance(place, Path) else None
        self.embedder = embedder
        self.chat = chat
        self.base_url = base_url
        self._bounds = bounds
        self.record_prompts = record_prompts
        self.check = check
        self._place = place
        self._collection = collection
        self._connected: dict[str, ChatModel] = {}
        self._holding = holding
        self._ids = ids
        self._clock = clock
        self._closed = False
        self._key = key
        self._traces = self._opened_traces()
        self._settle()

    @property
    def stores(self) -> Collection:
        """The open stores: graph, library, database, vectors, sources and link graph.

        Raises WorkspaceError when it is closed, though another one of the same folder may be open.
        """
        if self._closed:
            raise WorkspaceError(CLOSED)
        return self._holding.stores

    @property
    def traces(self) -> ShownTraces:
        """The runs on record; raises WorkspaceError when it is closed."""
        if self._closed:
            raise WorkspaceError(CLOSED)
        return self._traces

    @property
    def ledger(self) -> Ledger:
        """The ledger: an entry for each run that ended, came, changed or went, each with the seal before it."""
        self.stores.refresh()
        return self.traces.ledger

    @property
    def graph(self) -> GraphStore:
        """The RDF dataset: facts, sources, traces."""
        return self.stores.graph

    @property
    def sources(self) -> Sources:
        """The way from edges to passages."""
        return self.stores.sources

    @property
    def read_only(self) -> bool:
        """Whether nothing can be written: another process holds it for writing, or its place can't be written to."""
        return self._holding.stores.read_only

    @property
    def holder(self) -> str | None:
        """The process that holds it for writing, when that is another one."""
        return self._holding.holder

    @property
    def why_read_only(self) -> str | None:
        """What keeps it from being written, in words that go on after "read-only: "; None where nothing does."""
        if self.holder is not None:
            return f"{self.holder} is writing"
        return self._holding.fault

    @property
    def size(self) -> Size:
        """How much it holds."""
        return self.stores.size

    @property
    def is_ready(self) -> bool:
        """Whether it holds anything that could answer a question."""
        return bool(self.size.documents)

    @property
    def model_name(self) -> str | None:
        """The name of the model that answers where none is named; None without one."""
        return self.chat.name if self.chat else None

    def fetch_sources(self, run: str) -> bool:
        """Bring the sources of a run that are elsewhere; False where all that is known of them is here."""
        return False

    def close(self) -> None:
        """Release the folder or the servers; raises nothing when it is closed already."""
        if not self._closed:
            self._closed = True
            self._upkeep.end()
            self._holding.release()

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._closed

    @property
    def can_reopen(self) -> bool:
        """Whether `reopen` finds it again once it is closed: in its folder or on its servers, and not in memory."""
        return self._place is not None

    def reopen(self) -> None:
        """Open it again where it was; does nothing while it is open. Raises WorkspaceError, also for one in memory."""
        if not self._closed:
            return
        if self._place is None:
            raise WorkspaceError("This workspace was in memory, and closing it has emptied it; make another.")
        self._holding = hold(self._place, self._collection)
        self._traces = self._opened_traces()
        self._settle()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def shared(self) -> dict[str, Any]:
        """Return what another workspace is made with that holds the same stores; it has to be closed too."""
        return {
            "holding": self._holding.shared(), "name": self.name, "place": self._place, "embedder": self.embedder,
            "ids": self._ids, "clock": self._clock, "collection": self._collection, "key": self._key,
        }  # fmt: skip

    def _opened_traces(self) -> ShownTraces:
        return ShownTraces(self._holding.stores, self._clock, self._key)

    def _settle(self) -> None:
        """Begin to use the stores that are held; who writes there first mends what was cut off."""
        self._traces.prices = prices(self.path)
        self._closed = False
        if not self.read_only and self._holding.users == 1:
            settle(self.stores, self._clock, self._key)
        self._upkeep = Upkeep(self._traces.ledger, self._traces.cut_off)
        if self.stores.database.is_shared and not self.read_only:
            self._upkeep.begin(self)

    def _model(self, model: str | None) -> ChatModel | None:
        from explorer.models.choice import model_for

        known = self._connected.get(model.strip()) if isinstance(model, str) else None
        return known or model_for(model, self.chat, self.base_url, self._bounds)

    def _setting(self, session: str, stores: Collection | None = None) -> Setting:
        from explorer.engines.setting import Setting

        held = stores or self.stores.bundled()
        return Setting(
            held,
            self.embedder,
            session,
            self._clock,
            self.record_prompts,
            pauses=Pauses(self._clock),
            being_read=held.database.being_read(),
            check=self.check,
        )

    def _new_session(self) -> str:
        session = self._ids()
        questions = [NamedNode(iri(kind, session)) for kind in QUESTIONS] if self._ids is not random_id else []
        if any(self.graph.matches([(node, None, None, None) for node in questions])):
            raise WorkspaceError(f"A run {session} is on record already; `ids` must return a new id each time.")
        return session

    def _document_row(self, document: str | Path | HasIri) -> DocumentRow:
        from explorer.record.forgetting import named_document

        return named_document(self.stores, str(document) if isinstance(document, str | Path) else document.iri)

    def _check_writable(self) -> None:
        if self.holder is not None:
            raise WorkspaceError(
                f"The workspace {self.name} is held by {self.holder}; close it there, then open it here again."
            )
        if self.read_only and self.stores.database.is_shared:
            raise WorkspaceError(f"The workspace {self.name} is read-only: {self.why_read_only}")
        if self.read_only:
            raise WorkspaceError(
                f"The workspace {self.name} is read-only: {self.why_read_only}. Make room there, or copy the folder to "
                "a place that can be written, and open it again."
            )
