"""What the list of past runs does: people write at runs, judge, delete and bring back; others ask meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.errors import WorkspaceError
from explorer.view.messages import requests
from explorer.widgets.on_show import PAST
from explorer.wording.ways import engine_of, method

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.record.deletion import Deletion
    from explorer.view.messages.past import Deleted
    from explorer.view.showing import Showing
    from explorer.widgets.lookups import LookUps
    from explorer.widgets.on_show import OnShow
    from explorer.widgets.view import TraceView
    from explorer.workspace import Workspace


class PastTab:
    """The list of past runs of one app, which remembers the run that was deleted last.

    `counted` is called when there may be more or fewer runs, `fresh` gives what Ask shows in the place of a run that
    was deleted, and `failed` is told what went wrong in another thread.
    """

    def __init__(
        self,
        ws: Workspace,
        view: TraceView,
        on_show: OnShow,
        look_ups: LookUps,
        *,
        counted: Callable[[], None],
        fresh: Callable[[], Showing],
        failed: Callable[[Exception], None],
    ) -> None:
        """Begin with nothing deleted."""
        self._ws = ws
        self._view = view
        self._on_show = on_show
        self._look_ups = look_ups
        self._counted, self._fresh, self._failed = counted, fresh, failed
        self._deleted: Deletion | None = None

    def act(self, request: requests.Change) -> None:
        """Write at a run, delete one, or bring back the last that was deleted; each window shows the list anew."""
        traces = self._ws.traces
        try:
            match request:
                case requests.Annotate(iri, name, tags, note):
                    traces.annotate(iri, name=name, tags=tags, note=note)
                    self._on_show.entitle()
                case requests.Judge(run, node, verdict, comment, by):
                    self._on_show.review(traces.judge(node, verdict, comment=comment, by=by).run)
                    if (reply := self._look_ups.reply(requests.WantAudit(run), self._view.showing)) is not None:
                        self._view.send(*reply)
                case requests.Delete(iri):
                    with self._on_show.lock:
                        self._deleted = traces.delete(iri)
                        self._on_show.put_away(iri, self._fresh())
                case requests.Undelete() if self._deleted is not None:
                    deletion, self._deleted = self._deleted, None
                    traces.restore(deletion)
        finally:
            self.list_again()

    def list_again(self) -> None:
        """Have each window list the past runs again."""
        self._counted()
        deleted: Deleted | None = None
        if self._deleted:
            asked = self._deleted.asked
            text = self._deleted.name or asked.query
            deleted = {"text": text, "how": method(engine_of(asked)), "when": asked.started_at or ""}
        self._view.send({"t": "ran", "deleted": deleted, "title": self._on_show.runs[PAST].title})

    def ran_elsewhere(self) -> None:
        """Show what others have asked by now, and their verdicts on the runs on show."""
        try:
            self.list_again()
            self._on_show.end_past()
            for tab, trace in [*self._on_show.traces.items()]:
                if trace is None:
                    continue
                self._on_show.review(trace.iri)
                told = self._look_ups.audit_again(self._on_show.runs[tab].run, trace.iri)
                if told is not None:
                    self._view.send(told)
        except WorkspaceError:
            raise
        except Exception as error:  # noqa: BLE001 - the end of a worker thread: shown in the app
            self._failed(error)
