"""What the list of past runs does: people write at runs, judge, delete and bring back; others ask meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.errors import RecordError, WorkspaceError
from explorer.view.messages import requests
from explorer.widgets.shown_runs import PAST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from explorer.record.run_deletion import Deletion
    from explorer.view.showing import Showing
    from explorer.widgets.lookups import LookUps
    from explorer.widgets.shown_runs import OnShow
    from explorer.widgets.view import TraceView
    from explorer.workspace import Workspace


class PastTab:
    """The list of past runs of one app, which remembers the runs that were deleted last.

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
        self._deleted: list[Deletion] = []

    def act(self, request: requests.Change) -> None:
        """Write at runs, delete some, or bring back those deleted last; each window shows the list anew."""
        traces = self._ws.traces
        try:
            match request:
                case requests.Annotate(iri, name, tags, note):
                    traces.annotate(iri, name=name, tags=tags, note=note)
                    self._on_show.entitle()
                case requests.Tag(runs, tag):
                    traces.tag(tag, *runs)
                    self._on_show.entitle()
                case requests.Judge(run, node, verdict, comment, by):
                    self._on_show.review(traces.judge(node, verdict, comment=comment, by=by).run)
                    if (reply := self._look_ups.reply(requests.WantAudit(run), self._view.showing)) is not None:
                        self._view.send(*reply)
                case requests.Delete(runs):
                    self._delete(runs)
                case requests.Undelete():
                    deletions, self._deleted = self._deleted, []
                    traces.restore(*deletions)
        finally:
            self.list_again()

    def _delete(self, runs: Iterable[str]) -> None:
        deleted: list[Deletion] = []
        refused: list[str] = []
        with self._on_show.lock:
            for run in runs:
                try:
                    deleted.append(self._ws.traces.delete(run))
                    self._on_show.put_away(run, self._fresh())
                except RecordError as error:
                    refused.append(str(error))
        self._deleted = deleted or self._deleted
        if refused:
            raise RecordError(f"{refused[0]}{f' {len(refused) - 1:,} more stay too.' if refused[1:] else ''}")

    def list_again(self) -> None:
        """Have each window list the past runs again."""
        self._counted()
        self._view.send({"t": "ran", "deleted": len(self._deleted), "title": self._on_show.runs[PAST].title})

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
