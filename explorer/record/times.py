"""Times as people type them: since when and until when runs are listed, and how old one is that is purged."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from explorer.errors import RecordError
from explorer.vocab import moment

NEVER = datetime.min.replace(tzinfo=UTC)
"""Before all others: imported traces may have no time."""
LAST = datetime.max.replace(tzinfo=UTC)
_AGE = re.compile(r"\s*(\d{1,6})\s*(h|d|w|y)\s*", re.IGNORECASE)
_HOURS = {"h": 1, "d": 24, "w": 7 * 24, "y": 365 * 24}


def age(text: str | timedelta) -> timedelta:
    """Return a length of time, given as such or as "12h", "90d", "6w" or "2y"; raises RecordError."""
    if isinstance(text, timedelta):
        return text
    found = _AGE.fullmatch(text)
    if found is None:
        raise RecordError(f"{text!r} is no length of time; give hours, days, weeks or years: 12h, 90d, 6w, 2y.")
    return timedelta(hours=int(found[1]) * _HOURS[found[2].lower()])


def earliest(since: str | None) -> datetime:
    """Return the time from which on traces are listed; raises RecordError for a text that is none."""
    return _moment(since) if since else NEVER


def latest(until: str | None) -> datetime:
    """Return the time up to which traces are listed; a date means its whole day. Raises RecordError."""
    if not until:
        return LAST
    whole_day = len(until) == len("2026-01-15")
    return _moment(until) + timedelta(days=1, microseconds=-1) if whole_day else _moment(until)


def _moment(text: str) -> datetime:
    if (found := moment(text)) is None:
        raise RecordError(f"{text!r} is not a time; give one such as 2026-01-15 or 2026-01-15T10:30:00+01:00.")
    return found
