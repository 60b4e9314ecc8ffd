"""The sample corpus as a workspace, built once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path

from explorer.errors import WorkspaceError
from explorer.models.endpoint import AS_USUAL, Bounds
from explorer.stores.lock import FORMAT
from explorer.version import ENTRIES, PROVENANCE, RULES, __version__
from explorer.workspace import Workspace
from explorer.workspace import open as open_workspace

_CORPUS = "apollo13"
_COPIES = 5
_BUILT = "built"  # the file that stands in a demo workspace once it is whole


def corpus() -> Path:
    """Return the folder of the sample corpus: inside the installed package, or beside it in a source tree."""
    package = Path(str(files("explorer")))
    for folder in (package / "sample_data", package.parent / "sample_data"):
        if (folder / _CORPUS / "documents").is_dir():
            return folder / _CORPUS
    message = "The sample documents are missing from this installation; install provenance-explorer again."
    raise WorkspaceError(message)


def demo(
    path: str | Path | None = None,
    *,
    progress: bool = True,
    model: str | None = None,
    base_url: str | None = None,
    timeout: float | None = None,
    run_timeout: float | None = None,
    context: int | None = None,
) -> Workspace:
    """Open the demo workspace, built from the sample corpus on first use, which takes some seconds.

    It is in the folder `path`, by default in the user's data folder, with a folder for each state of the corpus. While
    another process writes to it, such as a notebook, a second one is used, then a third, each with its own runs; its
    name says which copy it is. All about the model is as for `open`. Raises WorkspaceError or ModelError.
    """
    first, copies = (place(), _COPIES) if path is None else (Path(path), 1)
    bounds = Bounds(timeout, run_timeout, context)
    ws, where = _free(first, copies, model, base_url, bounds)
    if not ws.read_only and not (where / _BUILT).exists():
        from explorer.ingest.readers.files import Source

        sources = [Source(file, f"{_CORPUS}/{file.name}") for file in _documents()]
        ws.ingest(*sources, facts=corpus() / "facts.jsonl", progress=progress)
        (where / _BUILT).touch()
    return ws


def demos() -> Iterator[Workspace]:
    """Yield each demo workspace that was built, open for reading; each is closed before the next."""
    for number, where in folders():
        with _opened(where, number) as ws:
            yield ws


def folders() -> Iterator[tuple[int, Path]]:
    """Yield the number and the folder of each demo workspace that was built."""
    for number in range(1, _COPIES + 1):
        where = _copy(place(), number)
        if (where / _BUILT).exists():
            yield number, where


def is_demo(ws: Workspace) -> bool:
    """Whether a workspace was built from the sample corpus."""
    return ws.path is not None and (ws.path / _BUILT).exists()


def questions(*, answerable: bool) -> list[str]:
    """Return the questions that come with the sample corpus and can be answered from it, or those that can't."""
    lines = map(json.loads, (corpus() / "questions.jsonl").read_text("utf-8").splitlines())
    return [line["question"] for line in lines if line["answerable"] is answerable]


def is_built() -> bool:
    """Whether the demo workspace has been built."""
    return (place() / _BUILT).exists()


def _free(first: Path, copies: int, model: str | None, base_url: str | None, bounds: Bounds) -> tuple[Workspace, Path]:
    """Open the first copy that no other process writes to, else the last one read-only; return it with its folder."""
    for number in range(1, copies + 1):
        where = _copy(first, number)
        ws = _opened(where, number, model, base_url, bounds)
        if ws.holder is None or number == copies:
            break
        ws.close()
    return ws, where


def _copy(first: Path, number: int) -> Path:
    return first if number == 1 else first.with_name(f"{first.name}-{number}")


def _opened(
    where: Path, number: int, model: str | None = None, base_url: str | None = None, bounds: Bounds = AS_USUAL
) -> Workspace:
    ws = open_workspace(where, model=model, base_url=base_url, **asdict(bounds))
    ws.name = "demo workspace" if number == 1 else f"demo workspace (copy {number})"
    return ws


def _documents() -> list[Path]:
    return sorted((corpus() / "documents").iterdir())


def place() -> Path:
    """Return the folder of the demo workspace; its name changes with the corpus and the version."""
    from platformdirs import user_data_path

    documents, facts = _documents(), corpus() / "facts.jsonl"
    others = (__version__, FORMAT, PROVENANCE, ENTRIES, RULES)  # what others made has other facts, or another form
    digest = hashlib.sha256(" ".join(map(str, others)).encode())
    for file in [*documents, facts]:
        digest.update(file.name.encode())
        digest.update(file.read_bytes())
    return user_data_path("provenance-explorer", appauthor=False) / f"demo-{digest.hexdigest()[:8]}"
