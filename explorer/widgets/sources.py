"""Sources that are elsewhere: they are brought once somebody selects what rests on them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from explorer.widgets.on_show import OnShow
    from explorer.workspace import Workspace

_RESTS = ("EdgeSelection", "ChunkSelection")


class Sourcing:
    """Brings the sources of the runs on show, in a thread, each run's once; `failed` is told what went wrong."""

    def __init__(self, ws: Workspace, on_show: OnShow, failed: Callable[[Exception], None]) -> None:
        """Nothing is brought yet."""
        self._ws = ws
        self._on_show = on_show
        self._failed = failed
        self._brought: set[str] = set()

    def selected(self, change: Mapping[str, Any]) -> None:
        """Take note of a node that was selected; one that has its passages needs nothing."""
        tab = self._on_show.tab
        trace = self._on_show.traces.get(tab)
        if trace is None or change["new"] is None or trace.iri in self._brought:
            return
        dag = self._on_show.runs[tab].dag
        chosen = (node for kind in _RESTS for node in dag.nodes(kind) if node.iri == change["new"])
        if any(not node.passages for node in chosen):
            self._brought.add(trace.iri)
            threading.Thread(target=self._bring, args=(tab, trace.iri), daemon=True, name="explorer-sources").start()

    def _bring(self, tab: int, run: str) -> None:
        try:
            if self._ws.fetch_sources(run):
                self._on_show.draw_anew(tab, run)
        except Exception as error:  # noqa: BLE001 - the end of a worker thread: shown in the app
            self._brought.discard(run)  # it is asked for again when it is selected again
            self._failed(error)
