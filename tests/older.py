"""A library as an earlier version made it."""

from __future__ import annotations

import sqlite3
from pathlib import Path


def older_library(file: Path) -> None:
    """Make a file in which four bytes are a number of a vector."""
    file.parent.mkdir(exist_ok=True)
    with sqlite3.connect(file) as connection:
        connection.execute(
            "CREATE TABLE vectors (number INTEGER PRIMARY KEY, kind TEXT NOT NULL, key TEXT NOT NULL, "
            "document TEXT NOT NULL, chunk TEXT NOT NULL, text TEXT NOT NULL, vector BLOB NOT NULL, "
            "UNIQUE (kind, key, document, text))"
        )
    connection.close()
