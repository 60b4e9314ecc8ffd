"""What the page asks for when it is wanted: pages, lists, other answers, files to save. Nothing is changed by it."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from explorer.errors import RecordError
from explorer.widgets.detail import other_answers as others
from explorer.widgets.past import runs as past
from explorer.widgets.save import files as saving
from explorer.widgets.source import facts as page_facts
from explorer.widgets.source import page as source
from explorer.widgets.words.names import Names

if TYPE_CHECKING:
    from explorer.dag import ProvenanceDag
    from explorer.widgets.showing import Showing
    from explorer.workspace import Workspace

Message = dict[str, Any]
Reply = tuple[Message, list[bytes]] | None


class LookUps:
    """Answers about the runs on show; `lock` is held while one of them must not grow."""

    def __init__(self, ws: Workspace, runs: Mapping[int, Showing], lock: threading.RLock) -> None:
        """Look things up in a workspace for these runs, which may be exchanged for others."""
        self._ws = ws
        self._runs = runs
        self._lock = lock

    def answer(self, said: Message, showing: Showing) -> Reply:
        """Answer what the page says; None of a run no longer on show. Raises RecordError for what is not known."""
        if "run" in said and said["run"] not in self._known():
            return None
        match said["t"]:
            case "open":
                return self._page(said["run"], said["node"], said["key"])
            case "runs?":
                return past.listed(self._ws, said), []
            case "level?":
                return self._showing(said["run"]).level(said["level"], said["seq"]), []
            case "node?":
                one = self._showing(said["run"])
                return one.level(one.home(said["node"]), said["seq"]) | {"select": said["node"]}, []
            case "others?":
                return self._others(said["run"], said["node"])
            case "unkept?":
                with self._lock:
                    items = others.sources(self._ws, self._dag(said["run"]), said["node"])
                return {"t": "others", "run": said["run"], "node": said["node"], "items": items}, []
            case "save?":
                return self._file(showing, said["format"])
        raise RecordError(f"The page said {said['t']!r}, which means nothing here; load the page again.")

    def _page(self, run: str, node: str, key: str) -> Reply:
        """Give the page of a passage; nothing for a node that is none, as one of a run that is no longer on show."""
        with self._lock:
            dag = self._dag(run)
            passage = next((one for other in dag.nodes() if other.iri == node for one in other.passages), None)
            if passage is None:
                return None
            used = [one for other in dag.nodes("Passage") for one in other.passages]
            kept = page_facts.kept(Names(dag))
        turned = None if key == node else key.removeprefix(f"{node} ")
        message, buffers = source.opened(self._ws, passage, used, turned, kept)
        return {"t": "source", "run": run, "key": key, **message}, buffers

    def _others(self, run: str, node: str) -> Reply:
        """Give the other runs that kept the same fact or passage."""
        with self._lock:
            dag = self._dag(run)
            found = next((one for one in dag.nodes() if one.iri == node), None)
            items = others.items(self._ws, found, dag) if found else None
        return None if items is None else ({"t": "others", "run": run, "node": node, "items": items}, [])

    def _file(self, showing: Showing, form: str) -> Reply:
        with self._lock:
            saved = saving.saved(showing, self._ws, form)
        return {"t": "save", "format": form, "name": saved.name, "mime": saved.mime, "text": saved.text}, []

    def _showing(self, run: str) -> Showing:
        return self._known()[run]

    def _known(self) -> dict[str, Showing]:
        return {one.run: one for one in self._runs.values()}

    def _dag(self, run: str) -> ProvenanceDag:
        return self._showing(run).dag
