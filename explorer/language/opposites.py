"""Words that mean the opposite of each other, by their stems."""

from __future__ import annotations

from functools import lru_cache

from explorer.language.words import stem

ANTONYMS = [pair.split("/") for pair in (
    "first/last begin/end start/end start/finish begin/finish open/close increase/decrease increase/reduce "
    "rise/fall gain/lose win/lose north/south east/west northern/southern eastern/western upper/lower high/low "
    "large/small big/small long/short more/less most/least maximum/minimum major/minor early/late before/after "
    "above/below accept/reject accept/refuse allow/prevent allow/forbid support/oppose include/exclude "
    "enter/leave arrive/leave create/destroy build/destroy strong/weak rich/poor old/young old/new "
    "modern/ancient public/private male/female man/woman father/mother son/daughter brother/sister king/queen "
    "husband/wife import/export hot/cold warm/cold fast/slow easy/difficult easy/hard simple/complex "
    "same/different similar/different always/never often/rarely common/rare positive/negative success/failure "
    "succeed/fail victory/defeat friend/enemy ally/enemy love/hate buy/sell give/take push/pull attack/defend "
    "war/peace life/death birth/death born/die left/right inside/outside internal/external active/passive "
    "direct/indirect domestic/foreign local/global urban/rural day/night summer/winter best/worst good/bad "
    "better/worse true/false legal/illegal wide/narrow deep/shallow thick/thin full/empty heavy/light "
    "present/absent teacher/student offense/defense majority/minority advantage/disadvantage remain/leave "
    "choose/reject approve/reject adopt/reject choose/refuse allow/prohibit permit/prohibit permit/forbid allow/ban "
    "permit/ban legal/prohibited require/forbid enable/disable rise/drop rise/decline increase/drop increase/decline "
    "grow/shrink raise/lower expand/shrink install/remove add/remove fewer/more less/more agree/refuse agree/disagree "
    "grant/deny grant/refuse fail/pass lend/borrow hire/dismiss appoint/dismiss join/leave lock/unlock"
).split()]  # fmt: skip
_PREFIXES = ("un", "in", "im", "non", "dis", "ir", "il", "de")


def opposites(key: str) -> frozenset[str]:
    """Return the stems of words that mean the opposite: listed ones, and the word with "un" or without it."""
    with_prefix = {f"{prefix}{key}" for prefix in _PREFIXES}
    without = {key.removeprefix(prefix) for prefix in _PREFIXES if len(key) > len(prefix) + 3} - {key}
    return _listed().get(key, frozenset()) | with_prefix | without


@lru_cache(maxsize=1)
def _listed() -> dict[str, frozenset[str]]:
    pairs: dict[str, set[str]] = {}
    for one, other in ANTONYMS:
        pairs.setdefault(stem(one), set()).add(stem(other))
        pairs.setdefault(stem(other), set()).add(stem(one))
    return {key: frozenset(found) for key, found in pairs.items()}
