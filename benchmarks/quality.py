"""Quality on the sample as rows: with and without the curated facts, in the documents' wording and in others."""

from __future__ import annotations

from benchmarks.sample import PARAPHRASES, QUESTIONS, ask_all, summary
from benchmarks.table import Row
from explorer.ingest.readers.files import Source
from explorer.sample import corpus
from explorer.workspace import Workspace

AIMS = {"expected passage in first five sources": "≥ 14 of 16", "unanswerable, declined": "4 of 4"}
SHOWN = (
    "expected passage in first five sources",
    "share of all expected passages there",
    "answerable, yet declined",
    "unanswerable, declined",
)


def rows(curated: Workspace, plain: Workspace) -> list[Row]:
    """Ask all questions of both workspaces; only the first group has aims."""
    found = _group("", curated, QUESTIONS, AIMS)
    found += _group(", without curated facts", plain, QUESTIONS)
    found += _group(", harder wording", curated, PARAPHRASES)
    found += _group(", harder wording, without curated facts", plain, PARAPHRASES)
    return found


def fill_without_facts(ws: Workspace) -> None:
    """Ingest the sample documents without the curated facts."""
    documents = sorted((corpus() / "documents").iterdir())
    ws.ingest(*(Source(file, file.name) for file in documents), progress=False)


def _group(case: str, ws: Workspace, questions: str, aims: dict[str, str] | None = None) -> list[Row]:
    figures = summary(list(ask_all(ws, questions)))
    return [Row(f"{name}{case}", figures[name], (aims or {}).get(name, "")) for name in SHOWN if name in figures]
