"""The values of cells as a sheet shows them: dates, percentages, prices, without what is left of binary fractions."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

_DIGITS = 10  # significant, as a cell of usual width shows
_LARGEST = 1e15  # beyond it a number has not all its digits
_PLACES = re.compile(r"[0#?][0#?,]*(?:\.[0#?]+)?(?:,+)?")


def shown(value: object, number_format: str | None = None) -> str:
    """Return a value as text; dates and times as ISO 8601 writes them, with seconds where there are some."""
    match value:
        case None:
            return ""
        case bool():
            return "TRUE" if value else "FALSE"
        case int() | float():
            return _number(value, number_format or "")
        case datetime():
            whole = (value + timedelta(milliseconds=500)).replace(microsecond=0, tzinfo=None)  # no fraction is exact
            return whole.date().isoformat() + (f" {_time(whole.time())}" if whole.time() != time() else "")
        case date():
            return value.isoformat()
        case time():
            return _time(value)
        case timedelta():
            minutes, seconds = divmod(round(value.total_seconds()), 60)
            hours, minutes = divmod(minutes, 60)
            return f"{hours}:{minutes:02}:{seconds:02}" if seconds else f"{hours}:{minutes:02}"
    return str(value)


def _time(value: time) -> str:
    return value.strftime("%H:%M:%S" if value.second else "%H:%M")


def _number(value: float, number_format: str) -> str:
    section = _section(value, number_format)
    places = _PLACES.search(section)
    if places is None or "E+" in section or "E-" in section or "/" in section or not abs(value) < _LARGEST:
        return _general(value)
    before, pattern, after = section[: places.start()], places[0], section[places.end() :]
    whole, _, fraction = pattern.rstrip(",").partition(".")
    scale = Decimal(100 if "%" in section else 1) / 1000 ** (len(pattern) - len(pattern.rstrip(",")))
    try:
        exact = (Decimal(repr(value)) * scale).quantize(Decimal(1).scaleb(-len(fraction)), rounding=ROUND_HALF_UP)
    except InvalidOperation:
        return _general(value)
    text = f"{abs(exact):{',' if ',' in whole else ''}f}"
    units, _, rest = text.partition(".")
    rest = rest[: fraction.count("0")] + rest[fraction.count("0") :].rstrip("0")
    sign = "-" if exact < 0 and ";" not in number_format else ""
    number = units.zfill(whole.count("0")) + ("." + rest if rest else "")
    return " ".join(f"{sign}{before}{number}{after}".split())


def _section(value: float, number_format: str) -> str:
    """Return the part of a format that is for a number of this sign, with the words in it and without its marks."""
    sections = re.split(r";(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)", number_format[:200])
    section = sections[1] if value < 0 and len(sections) > 1 and sections[1] else sections[0]
    if section.lower() in {"general", "@", ""}:
        return ""
    section = re.sub(r"\[\$([^\]-]*)[^\]]*\]", lambda found: found[1], section)
    section = re.sub(r"\[[^\]]*\]|_.|\*.", "", section)
    return re.sub(r"\\(.)|\"([^\"]*)\"", lambda found: found[1] or found[2] or "", section)


def _general(value: float) -> str:
    if isinstance(value, int) or (value.is_integer() and abs(value) < _LARGEST):
        return str(int(value))
    text = f"{value:.{max(_DIGITS, len(str(int(abs(value)))) if abs(value) < _LARGEST else 0)}g}"
    return f"{Decimal(text):f}" if "e" in text and 1e-5 < abs(value) < _LARGEST else text
