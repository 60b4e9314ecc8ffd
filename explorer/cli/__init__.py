"""The command line."""

from __future__ import annotations

from explorer.cli.commands import main

__all__ = ["main"]
