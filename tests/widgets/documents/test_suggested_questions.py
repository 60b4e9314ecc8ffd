"""Questions that the app suggests, looked for in a thread of their own."""

import threading

from explorer.widgets.documents.suggested_questions import Suggesting
from tests.corpus import filled


def test_a_workspace_that_is_closed_while_questions_are_told_ends_no_thread_with_an_error(monkeypatch):
    raised, failed = [], []
    monkeypatch.setattr(threading, "excepthook", raised.append)
    ws = filled()

    def found(_document, questions):
        assert questions
        ws.close()
        assert ws.size  # as the app does, which shows how much there is

    suggesting = Suggesting(ws, found, failed.append)
    suggesting.want(None)
    assert suggesting.wait(60)
    assert ws.closed
    assert (raised, failed) == ([], [])
