"""Replies to look-ups by the page: pages, lists, other answers, files to save. They change nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.dag.sentences import cited, narrowed, quotations, within
from explorer.record.verdicts import verdicts
from explorer.view.detail import not_kept
from explorer.view.messages import requests
from explorer.view.messages.message import Message
from explorer.view.source import page as source
from explorer.view.source import page_facts
from explorer.widgets import other_answers as others
from explorer.widgets.audit import audited
from explorer.widgets.past import runs as past
from explorer.widgets.save import files as saving
from explorer.wording.graph_words import NodeWords

if TYPE_CHECKING:
    from explorer.view.messages.audit import Audited
    from explorer.view.showing import Showing
    from explorer.widgets.shown_runs import OnShow
    from explorer.workspace import Workspace

Reply = tuple[Message, list[bytes]]
Judgements = frozenset[tuple[str, str, str, str]]  # node, verdict, by whom, when


class LookUps:
    """Replies about the runs on show."""

    def __init__(self, ws: Workspace, on_show: OnShow) -> None:
        """Look things up in a workspace for the runs on show."""
        self._ws = ws
        self._on_show = on_show
        self._lock = on_show.lock
        self._audited: tuple[str, Judgements] = "", frozenset()  # the run whose audit was shown last, with what it told

    def audit_again(self, run: str, question: str) -> Audited | None:
        """Return the audit of a run anew, by what the page calls it and the IRI of its Question.

        None where another's was shown last, or none, or where there are no other verdicts since.
        """
        shown, told = self._audited
        if shown != run:
            return None
        found = verdicts(self._ws.stores, [question], superseded=True)
        by_now = frozenset((one.target, one.verdict, one.by or "", one.made_at) for one in found)
        return None if told == by_now else self._audit(run, question)

    def _audit(self, run: str, question: str) -> Audited:
        told = audited(self._ws, run, question)
        self._audited = run, frozenset((one["node"], one["verdict"], one["by"], one["when"]) for one in told["rows"])
        return told

    def reply(self, request: requests.LookUp, showing: Showing) -> Reply | None:
        """Return the reply to a request, None for a run no longer on show. Raises ExplorerError for what is refused.

        `showing` is what the view shows, of which a file is wanted.
        """
        if isinstance(request, requests.WantRuns | requests.WantDerivation | requests.WantFile):
            return self._of_none(request, showing)
        one = self._on_show.named(request.run)
        if one is None:
            return None
        match request:
            case requests.WantSource():
                return self._page(one, request)
            case requests.WantAudit(run):
                asked = next(iter(one.dag.roots), None)
                return None if asked is None else (self._audit(run, asked.iri), [])
            case requests.WantLevel(_, level, seq):
                return one.level(level, seq), []
            case requests.WantNode(_, node, seq):
                return one.holding(node, seq), []
            case requests.WantOthers(run, node):
                with self._lock:
                    found = next((each for each in one.dag.nodes() if each.iri == node), None)
                    runs = others.items(self._ws, found, one.dag) if found else None
                return None if runs is None else ({"t": "others", "run": run, "node": node, "items": runs}, [])
            case requests.WantRecord(run, node):
                rows = one.record(node)
                return None if rows is None else ({"t": "record", "run": run, "node": node, "rows": rows}, [])
            case requests.WantNotKept(run, node):
                with self._lock:
                    left = not_kept.listed(self._ws.stores, NodeWords(one.dag, one.has), node)
                return None if left is None else ({"t": "notkept", "run": run, "node": node, **left}, [])
            case requests.WantFactSources(run, node):
                with self._lock:
                    sources = others.sources(self._ws, one.dag, node)
                return {"t": "others", "run": run, "node": node, "items": sources}, []

    def _of_none(
        self, request: requests.WantRuns | requests.WantDerivation | requests.WantFile, showing: Showing
    ) -> Reply:
        match request:
            case requests.WantRuns():
                return past.listed(self._ws, request), []
            case requests.WantDerivation(iri):
                return past.drawn(self._ws.derivation(iri)), []
            case requests.WantFile(form, chosen):
                with self._lock:
                    file = saving.of_runs(self._ws, form, chosen) if chosen else saving.saved(showing, self._ws, form)
                data = [file.data] if file.data else []
                return {
                    "t": "save", "format": form, "name": file.name, "mime": file.mime, "text": file.text,
                    "said": file.said,
                }, data  # fmt: skip

    def _page(self, showing: Showing, wanted: requests.WantSource) -> Reply | None:
        with self._lock:
            dag = showing.dag
            passage = next((one for other in dag.nodes() if other.iri == wanted.node for one in other.passages), None)
            if passage is None:
                return None
            used = cited(dag)
            kept = page_facts.kept(NodeWords(dag))
            words = narrowed(dag, wanted.said, passage) if wanted.said else [passage]
            quoted = quotations(dag, passage) if words == [passage] else within(words)
            whole = passage.start, passage.end
        page, buffers = source.opened(self._ws.stores, words[0], used, wanted.turned, kept, quoted=quoted, whole=whole)
        return {"t": "source", "run": showing.run, "key": wanted.key, **page}, buffers
