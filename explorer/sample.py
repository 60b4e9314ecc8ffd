"""The sample corpus as a workspace, built once."""

from __future__ import annotations

import hashlib
from importlib.resources import files
from pathlib import Path

from explorer import __version__
from explorer.errors import WorkspaceError
from explorer.ingest.batch import Source
from explorer.ingest.pipeline import VERSION
from explorer.workspace import Workspace
from explorer.workspace import open as open_workspace

_CORPUS = "apollo13"
_COPIES = 5


def corpus() -> Path:
    """Give the folder of the sample corpus: inside the installed package, or beside it in a source tree."""
    package = Path(str(files("explorer")))
    for folder in (package / "sample_data", package.parent / "sample_data"):
        if (folder / _CORPUS / "documents").is_dir():
            return folder / _CORPUS
    message = "The sample documents are missing from this installation; install provenance-explorer again."
    raise WorkspaceError(message)


def demo(path: str | Path | None = None, *, progress: bool = True) -> Workspace:
    """Open the demo workspace, built from the sample corpus on first use (some seconds); `path`: another folder for it.

    By default it lives in the user's data folder, one for each state of the corpus. While another process writes to it,
    such as a notebook, a second one is used, then a third, each with its own runs. Raises WorkspaceError.
    """
    folder = corpus()
    documents = sorted((folder / "documents").iterdir())
    where = Path(path) if path is not None else _place(documents, folder / "facts.jsonl")
    ws, where = _free(where, _COPIES if path is None else 1)
    if not ws.read_only and not (where / "built").exists():
        sources = [Source(file, f"{_CORPUS}/{file.name}") for file in documents]
        ws.ingest(*sources, facts=folder / "facts.jsonl", progress=progress)
        (where / "built").touch()
    return ws


def _free(first: Path, copies: int) -> tuple[Workspace, Path]:
    """Open the first copy that no other process writes to, and give its folder; the last one read-only if none is."""
    for number in range(1, copies + 1):
        where = first if number == 1 else first.with_name(f"{first.name}-{number}")
        ws = open_workspace(where)
        ws.name = "demo workspace" if number == 1 else f"demo workspace {number}"
        if not ws.read_only or number == copies:
            break
        ws.close()
    return ws, where


def is_built() -> bool:
    """Say whether the demo workspace is there already."""
    folder = corpus()
    return (_place(sorted((folder / "documents").iterdir()), folder / "facts.jsonl") / "built").exists()


def _place(documents: list[Path], facts: Path) -> Path:
    from platformdirs import user_data_path

    digest = hashlib.sha256(f"{__version__} {VERSION}".encode())  # another version may find other facts
    for file in [*documents, facts]:
        digest.update(file.name.encode())
        digest.update(file.read_bytes())
    return user_data_path("provenance-explorer", appauthor=False) / f"demo-{digest.hexdigest()[:8]}"
