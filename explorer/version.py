"""The version of the package, and those of what it makes of documents: they name the folder of the demo."""

from __future__ import annotations

__version__ = "0.1.0"
PROVENANCE = "1"
RULES = "10"  # goes up when the rules that find facts change: an extraction is recorded with it
ENTRIES = "5"  # of the texts that are embedded, and their vectors: another number, and those made before are others
