"""What an answer hangs on: found out in the background, and shown on the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.stores.documents import documents
from explorer.view.run.mattered import Mattering
from explorer.widgets.live import words_of

if TYPE_CHECKING:
    from explorer.record.trace import Trace
    from explorer.view.messages.what_if import Mattered
    from explorer.widgets.live import LiveRun
    from explorer.widgets.view import TraceView
    from explorer.workspace import Workspace


def find_out(ws: Workspace, view: TraceView, live: LiveRun, run: Trace, over: str) -> None:
    """Begin to find out what the answer of the run on show hangs on; raises as `Workspace.influences` does."""
    showing = view.showing
    mattering = Mattering(showing.run, run, over, documents(ws.stores.database))
    attempts = ws.influences(run, over)

    def tell(told: Mattered) -> Mattered:
        with live.lock:
            showing.mattered = [told, *(one for one in showing.mattered if one["over"] != told["over"])]
            if view.showing is showing:
                view.send(told)
        return told

    def work() -> None:
        told = None
        try:
            for found in attempts:
                told = tell(mattering.told(found))
                if live.is_stopping:
                    break
        except Exception as error:  # noqa: BLE001 - the end of a worker thread: shown in the app
            told = tell(mattering.stopped(words_of(error)[0]))
        finally:
            if told is not None and told["state"] == "going":
                tell(mattering.stopped())
            live.over()
            live.bar.end()

    live.bar.busy()
    live.start(work)
