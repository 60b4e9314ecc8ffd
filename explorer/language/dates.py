"""Dates as people and programs write them, "2025-08", "August 2025", "08/2025", "3 November", "2025-08-03T10:00",
compared by what each says.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_NAMES = "january february march april may june july august september october november december".split()
MONTHS = {name[:letters]: place for place, name in enumerate(_NAMES, 1) for letters in (3, 4, len(name))}
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_DAY, _YEAR = r"\d{1,2}(?:st|nd|rd|th)?", r"(?:1[5-9]|20)\d\d"
_FORMS = [re.compile(rf"(?<![\w.,/-])(?:{form})(?=T\d\d:?\d\d|(?![\w/-]|[.,]\d))", re.IGNORECASE) for form in (
    rf"(?P<y>{_YEAR})[-/.](?P<m>\d{{1,2}})(?:[-/.](?P<d>\d{{1,2}}))?",
    rf"(?P<d>\d{{1,2}})(?P<sign>[/.-])(?P<m>\d{{1,2}})(?P=sign)(?P<y>{_YEAR})",
    rf"(?P<m>\d{{1,2}})[/.](?P<y>{_YEAR})",
    rf"(?P<d>{_DAY})\.?(?: of)?[ -](?P<name>{_MONTH})\b\.?(?:,?[ -](?P<y>{_YEAR}))?",
    rf"(?P<name>{_MONTH})\b\.? (?P<d>{_DAY})(?:,? (?P<y>{_YEAR}))?",
    rf"(?P<name>{_MONTH})\b\.?,?(?: of)?[ -](?P<y>{_YEAR})",
    rf"(?P<name>{'|'.join(name for name in _NAMES if name != 'may')}|(?<=in )may)",
    rf"(?P<y>{_YEAR})",
)]  # fmt: skip
_MONTHS, _DAYS = 12, 31


class Date(NamedTuple):
    """A date as far as it is said, and where that stands in its text."""

    year: int | None
    month: int | None
    day: int | None
    start: int = 0
    end: int = 0

    @property
    def words(self) -> str:
        """It as one says it, with "in" or "on" before: "in August 2025", "on 3 November"."""
        month = _NAMES[self.month - 1].capitalize() if self.month else ""
        said = " ".join(str(one) for one in (self.day, month, self.year) if one)
        return f"{'on' if self.day else 'in'} {said}"


def dates(text: str) -> list[Date]:
    """Return the dates of a text in order; of "3/11/2025" the third of November."""
    found: list[Date] = []
    for form in _FORMS:
        for match in form.finditer(text):
            if any(one.start < match.end() and match.start() < one.end for one in found):
                continue
            if (date := _read(match)) is not None:
                found.append(date)
    return sorted(found, key=lambda one: one.start)


def _read(match: re.Match[str]) -> Date | None:
    parts = match.groupdict()
    day = int(re.sub(r"\D", "", parts["d"])) if parts.get("d") else None
    month = int(parts["m"]) if parts.get("m") else MONTHS[parts["name"].lower()] if parts.get("name") else None
    if (month or 1) > _MONTHS or (day or 1) > _DAYS or month == 0 or day == 0:
        return None
    year = int(parts["y"]) if parts.get("y") else None
    return Date(year, month, day, match.start(), match.end())
