"""A workspace in memory with three real documents, and an app whose messages to the page are kept."""

from pathlib import Path
from types import SimpleNamespace

import comm
import pytest
from comm.base_comm import BaseComm

import explorer

DOCUMENTS = Path(__file__).parents[2] / "sample_data" / "apollo13" / "documents"
QUESTION = "What voltage were the thermostatic switches rated for?"


@pytest.fixture(scope="session")
def ws():
    workspace = explorer.open()
    names = ("investigation-report.pdf", "tank-history.md", "mission-timeline.txt")
    workspace.ingest(*(DOCUMENTS / name for name in names), progress=False)
    yield workspace
    workspace.close()


@pytest.fixture
def sent(monkeypatch):
    """Every message that widgets send to the page, as (data, buffers)."""
    kept = []

    class Recorded(BaseComm):
        def publish_msg(self, msg_type, data=None, metadata=None, buffers=None, **keys):
            kept.append(SimpleNamespace(type=msg_type, data=data or {}, buffers=buffers or []))

    monkeypatch.setattr(comm, "create_comm", Recorded)
    return kept


@pytest.fixture
def app(ws, sent):
    app = explorer.app(ws, pace=0)
    yield app
    app.stop()
    assert app.wait(20)


@pytest.fixture
def told(sent):
    """told("delta"): the custom messages of one kind, in order."""

    def messages(kind):
        custom = [one for one in sent if one.data.get("method") == "custom"]
        return [one.data["content"] for one in custom if one.data["content"].get("t") == kind]

    return messages


@pytest.fixture
def answered(app):
    app.ask(QUESTION)
    assert app.wait(20)
    assert app.error is None
    return app


@pytest.fixture
def capture(monkeypatch):
    """capture(): what is displayed in its block, as `outputs`; one place that can be changed counts once."""
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output
    from traitlets.config import Config

    InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    yield capture_output
    InteractiveShell.clear_instance()
