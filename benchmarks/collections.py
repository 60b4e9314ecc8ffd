"""What becomes of files of others: `python -m benchmarks.collections FOLDER [--facts] [--all]`.

Each folder in FOLDER holds files of one format and is read into a workspace of its own. Whether a file was refused
rightly is for people to judge: each reason is printed below the table, and with `--all` each note.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

import explorer
from benchmarks.table import aligned
from explorer.errors import ExplorerError

HEADS = ("Format", "files", "read", "with a note", "refused", "fault or crash", "passages", "misplaced", "seconds")
_FAULT = re.compile(r" meets a fault of |brings down|takes more than")


@dataclass(slots=True)
class Outcome:
    """What became of the files of one format."""

    files: int = 0
    refused: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    noted: int = 0
    passages: int = 0
    misplaced: int = 0
    seconds: float = 0.0

    @property
    def faults(self) -> int:
        """How many were refused for a fault that is not told of the file, or ended the call."""
        return sum(_FAULT.search(reason) is not None for reason in self.refused.values())

    def row(self, name: str) -> Sequence[str]:
        """The cells of its line of the table."""
        read = self.files - len(self.refused)
        counts = (self.files, read - self.noted, self.noted, len(self.refused) - self.faults, self.faults)
        return (name, *map(str, counts), f"{self.passages:,}", str(self.misplaced), f"{self.seconds:.0f}")


def outcome(folder: Path, extractors: Sequence[str]) -> Outcome:
    """Read a folder into a new workspace, file by file, and look at the places of all passages and facts."""
    found = Outcome()
    with explorer.open() as ws:
        for file in sorted(one for one in folder.rglob("*") if one.is_file()):
            found.files += 1
            began = perf_counter()
            try:
                told = ws.ingest(file, extractors=extractors, progress=False)
            except ExplorerError as error:
                found.refused[file.name] = str(error)
            except Exception as error:  # noqa: BLE001 - it is what is looked for
                found.refused[file.name] = f"{file.name} brings down the call ({type(error).__name__}: {error})"
            else:
                found.noted += bool(told.notes or told.refused)
                found.notes += [*told.notes, *(one.reason for one in told.refused)]
            found.seconds += perf_counter() - began
        for document in ws.documents:
            text = document.text
            placed = [one for chunk in document.chunks for one in ws.stores.sources.chunk(chunk)]
            placed += [one for fact in document.facts for one in fact.passages if one.document == document.iri]
            found.passages += len(placed)
            found.misplaced += sum(text[one.start : one.end] != one.text for one in placed)
    return found


def main() -> None:
    """Read the folders in a folder, and print a table and the reasons."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.collections", description="Read files of others.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--facts", action="store_true", help="find facts by rules too")
    parser.add_argument("--all", action="store_true", help="print notes too")
    given = parser.parse_args()
    extractors = ("rules",) if given.facts else ()
    found = {one.name: outcome(one, extractors) for one in sorted(given.folder.iterdir()) if one.is_dir()}
    print(aligned([HEADS, *(one.row(name) for name, one in found.items())]))
    for one in found.values():
        print(*(f"- {reason}" for reason in one.refused.values()), sep="\n")
        if given.all:
            print(*(f"- note: {note}" for note in one.notes), sep="\n")


if __name__ == "__main__":
    main()
