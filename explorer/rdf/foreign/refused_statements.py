"""Refusals: the parts of a file that are not read, where each stands, why, and what to do."""

from __future__ import annotations

from dataclasses import dataclass

from explorer.errors import RecordError
from explorer.rdf.foreign.quoted_triples import DEPTH

TOO_LONG = "it is longer than the 16 MB that one term may have"
TOO_DEEP = f"it is nested deeper than {DEPTH}"


@dataclass(frozen=True, slots=True)
class RefusedStatement:
    """A statement that was not read: where (from 1, in characters; None where not known), and why."""

    line: int | None
    column: int | None
    statement: str
    reason: str


def unreadable(form: str, reason: str, line: int | None = None, column: int | None = None) -> RecordError:
    """Return the error that states why a whole file can't be read."""
    where = f" at line {line}, column {column}" if line is not None else ""
    return RecordError(f"This {form} can't be read{where}: {reason}. Nothing of it was stored; correct it first.")


def reason(error: SyntaxError) -> str:
    """Return the parser's reason without the place, which has its own fields."""
    if "LoadDocumentCallback" in error.msg:
        return "its @context is somewhere on the network, and has to stand in the file itself"
    place, _, reason = error.msg.partition(": ")
    return (reason if place.startswith("Parser error") and reason else error.msg).rstrip(".")


def position(raw: bytes, offset: int) -> tuple[int, int]:
    """Return line and column, from 1 and in characters, of a byte offset."""
    start = raw.rfind(b"\n", 0, offset) + 1
    return raw.count(b"\n", 0, offset) + 1, len(raw[start:offset].decode("utf-8", "replace")) + 1


def shown(statement: bytes) -> str:
    """Return a statement as text, truncated where it is long."""
    text = statement[:1000].decode("utf-8", "replace").strip()
    return text if len(statement) <= 200 else text[:200] + "…"
