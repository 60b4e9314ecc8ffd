"""The command line."""

from __future__ import annotations

from explorer.cli import curation, documents, maintenance, query, runs, verify  # noqa: F401 - each adds its commands
from explorer.cli.commands import main

__all__ = ["main"]
