"""Numbers in a text by their value: "1,000" is 1000, 37.0 is 37, "twenty-five" 25, "5 hours 4 minutes" 5:04."""

from __future__ import annotations

import re

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_VALUES = {word: n for n, word in enumerate(_UNITS)} | {word: 10 * n for n, word in enumerate(_TENS, 2)}
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_WORD = "|".join((*_VALUES, *_SCALES))
_FORMS = re.compile(
    rf"\b(?P<h>[0-9]+|{_WORD})\s*(?:hours?|hrs?|h)\b,?(?:\s*and)?\s*(?P<m>[0-9]+|{_WORD})\s*(?:minutes?|mins?|m)\b"
    rf"(?:,?(?:\s*and)?\s*(?P<s>[0-9]+|{_WORD})\s*(?:seconds?|secs?|s)\b)?"
    r"|(?P<digits>[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?(?![0-9])|[0-9]+(?:[.:/][0-9]+)*)(?:\s+(?P<scale>thousand|million|billion)\b)?"
    rf"|\b(?P<words>(?:{_WORD})(?:[\s-]+(?:and\s+)?(?:{_WORD}))*)\b",
    re.IGNORECASE,
)


def numbers(text: str) -> dict[str, str]:
    """Return the numbers of a text by their value, each as it stands there; "one" is rather a pronoun, and is none."""
    return {_key(match): match[0] for match in reversed([*_FORMS.finditer(text)]) if match[0].lower() != "one"}


def by_value(text: str) -> str:
    """Return a text with its numbers written by their value."""
    return _FORMS.sub(lambda match: match[0] if match[0].lower() == "one" else _key(match), text)


def _key(match: re.Match[str]) -> str:
    if match["h"]:
        return ":".join(str(_counted(part) or int(part)) for part in match.group("h", "m", "s") if part)
    if match["words"]:
        return str(_counted(match["words"]))
    number = match["digits"].replace(",", "")
    if match["scale"] and number.replace(".", "", 1).isdecimal():
        number = f"{float(number) * _SCALES[match['scale'].lower()]:f}"
    return _value(number)


def _value(number: str) -> str:
    """Return a number of digits as one of its value is written: without zeros that say nothing."""
    if ":" in number and "." not in number and "/" not in number:
        return ":".join(str(int(part)) for part in number.split(":"))
    whole, _, rest = number.partition(".")
    if not number.replace(".", "", 1).isdecimal():  # a date, or a version
        return number
    return (whole.lstrip("0") or "0") + (f".{rest.rstrip('0')}" if rest.rstrip("0") else "")


def _counted(words: str) -> int:
    whole = part = 0
    for word in re.findall(r"[a-z]+", words.lower()):
        scale = _SCALES.get(word)
        if scale == 100:
            part = (part or 1) * 100
        elif scale:
            whole, part = whole + (part or 1) * scale, 0
        else:
            part += _VALUES.get(word, 0)
    return whole + part
