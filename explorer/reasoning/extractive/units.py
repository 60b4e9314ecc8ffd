"""Numbers with their units, as heads and questions write them; comparisons; and the words that ask for them."""

from __future__ import annotations

import re

from explorer.language.words import stem

UNIT = re.compile(r"\s*[(\[](?P<unit>[^()\[\]]*)[)\]]\s*$|\s+(?P<sign>%|°\w?)$")
"""The unit at the end of the head of a column."""
_VALUE = re.compile(
    r"[^\w\d.+−-]{0,2}\s?(?P<sign>[-−])?(?P<digits>\d{1,3}(?:[,' \u202f]\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?)"
    r"\s?[^\W\d]{0,4}[²³%]?\W{0,2}"
)
_UNITS = [frozenset(one.split("|")) for one in (
    "m2|m²|sqm|sq m|square metres|square meters|square metre|square meter", "km2|km²|square kilometres",
    "ha|hectares|hectare", "m3|m³|cubic metres|cubic meters", "l|litres|litre|liters|liter", "ml|millilitres",
    "kg|kilos|kilo|kilograms|kilogram", "g|grams|gram", "t|tonnes|tonne|tons|ton", "lb|lbs", "€|eur|euros|euro",
    "£|gbp|pounds|pound|quid", "$|usd|dollars|dollar", "chf|francs", "%|percent|per cent|pct",
    "°c|c|celsius|degrees|degree|°", "°f|f|fahrenheit", "km|kilometres|kilometers", "m|metres|metre|meters|meter",
    "cm|centimetres|centimeters", "mm|millimetres|millimeters", "mi|miles|mile", "ft|feet|foot", "in|inches|inch",
    "km/h|kmh|kph", "mph", "h|hours|hour|hrs", "min|minutes|minute|mins", "s|seconds|second|sec", "days|day",
    "weeks|week", "months|month", "years|year", "v|volts|volt", "w|watts|watt", "kw|kilowatts", "kwh", "mwh", "bar",
    "psi", "pa", "kpa",
)]  # fmt: skip
_NAMED_UNIT = "|".join(sorted((re.escape(name) for unit in _UNITS for name in unit), key=len, reverse=True))
_NUMBER = r"(?:[€£$]\s?)?\d{1,3}(?:[, ]\d{3})+(?:\.\d+)?|(?:[€£$]\s?)?\d+(?:[.,]\d+)?"
_AMOUNT = rf"(?P<amount>{_NUMBER})(?P<k>k\b)?\s?(?P<unit>(?:{_NAMED_UNIT})(?![\w²³/]))?"
_MORE = (
    "more|greater|larger|bigger|higher|longer|older|heavier|taller|deeper|wider|later|stronger|faster|warmer|hotter|"
    "thicker|dearer|costlier"
)
_LESS = (
    "less|fewer|lower|smaller|shorter|younger|lighter|shallower|narrower|earlier|weaker|slower|colder|cooler|thinner|"
    "cheaper"
)
_SIGNS = {  # of a comparison with a number, each with the words before it
    "at most": rf"(?:not|no) (?:{_MORE})(?: [a-z]+)? than|at most|up to|a maximum of|maximum|until|till|≤|<=",
    "at least": rf"(?:not|no) (?:{_LESS})(?: [a-z]+)? than|at least|a minimum of|minimum|since|from|≥|>=",
    "over": rf"(?:{_MORE})(?: [a-z]+)? than|over|above|beyond|exceed(?:s|ed|ing)?|after|>",
    "under": rf"(?:{_LESS})(?: [a-z]+)? than|under|below|before|<",
}
_BEFORE = "|".join(f"(?P<{sign.replace(' ', '_')}>{words})" for sign, words in _SIGNS.items())
_COMPARED = re.compile(rf"(?<!\w)(?:{_BEFORE})\s(?:about |around |the |a )?{_AMOUNT}", re.IGNORECASE)
BETWEEN = re.compile(rf"\bbetween (?P<low>{_NUMBER})\s?(?:{_NAMED_UNIT})?\s?and {_AMOUNT}", re.IGNORECASE)
"""A number between two others."""
_OR_MORE = re.compile(
    rf"(?<![\w.,]){_AMOUNT}\s?(?:(?P<up>\+|(?:or|and) (?:{_MORE}|above|over|onwards?))|"
    rf"(?P<down>(?:or|and) (?:{_LESS}|below|under)))(?!\w)", re.IGNORECASE
)  # fmt: skip
_OF = {  # what a word asks for: nouns of heads, and units
    "price": (
        "price cost fee charge rate amount rent tariff salary wage pay expense expenditure spending",
        "eur euro euros usd gbp chf € $ £",
    ),
    "worth": ("value worth valuation", "eur euro euros usd gbp chf € $ £"),
    "temperature": ("temperature temp", "c f k °c °f"),
    "size": ("size area volume", "m2 m² sqm ha km2 km²"),
    "weight": ("weight mass", "kg g t lb lbs mg"),
    "length": ("length", "m cm mm km ft in"),
    "height": ("height", "m cm mm km ft in"),
    "depth": ("depth", "m cm mm km ft in"),
    "width": ("width", "m cm mm km ft in"),
    "distance": ("distance", "m cm mm km ft mi"),
    "duration": ("duration time length", "h min s hours minutes seconds days"),
    "speed": ("speed", "km/h m/s mph kn"),
    "voltage": ("voltage", "v kv mv"),
    "pressure": ("pressure", "bar pa kpa mpa hpa psi"),
    "age": ("age", "years"),
    "strength": ("strength abv alcohol", ""),
}
_OF |= dict.fromkeys(("cost", "fee"), _OF["price"])
QUALITIES = {
    **dict.fromkeys("cheaper dearer costlier cheapest expensive costly dearest priciest".split(), ("price",)),
    "valuable": ("worth",),
    **dict.fromkeys("hottest warmest coldest coolest hotter warmer colder cooler".split(), ("temperature",)),
    **dict.fromkeys("largest biggest smallest larger bigger smaller".split(), ("size",)),
    **dict.fromkeys("heaviest lightest heavier lighter".split(), ("weight",)),
    **dict.fromkeys("longer shorter longest shortest".split(), ("length", "duration")),
    **dict.fromkeys(("tallest", "taller"), ("height",)),
    **dict.fromkeys(("deepest", "deeper", "shallower"), ("depth",)),
    **dict.fromkeys(("wider", "narrower"), ("width",)), **dict.fromkeys(("faster", "slower"), ("speed",)),
    **dict.fromkeys(("older", "younger", "oldest", "youngest"), ("age",)),
    **dict.fromkeys(("stronger", "weaker", "strongest", "weakest"), ("strength",)),
    **dict.fromkeys(("earn", "earns", "pay", "pays", "cost", "costs", "spend", "spent"), ("price",)),
}  # fmt: skip
"""Words that compare or ask for something measured, each with the nouns of what that is."""


def comparisons(text: str) -> list[tuple[str, re.Match[str]]]:
    """Return the comparisons with a number in a text, each "over", "under", "at least" or "at most".

    The match has its `amount`, perhaps with `k` for thousand, and its `unit`.
    """
    found = [(next(sign for sign in _SIGNS if one[sign.replace(" ", "_")]), one) for one in _COMPARED.finditer(text)]
    return found + [("at least" if one["up"] else "at most", one) for one in _OR_MORE.finditer(text)]


def number(cell: str) -> float | None:
    """Return the number that a cell holds; None where it holds anything else."""
    found = _VALUE.fullmatch(cell.strip())
    if found is None:
        return None
    digits = re.sub(r"[' \u202f]|,(?=\d{3})", "", found["digits"]).replace(",", ".")
    return float(digits) * (-1 if found["sign"] else 1)


def value(amount: str) -> float:
    """Return the number that an amount of a comparison says."""
    return float(re.sub(r"[€£$\s]|,(?=\d{3}\b)", "", amount).replace(",", "."))


def measured(word: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the nouns of heads, and the units, that a noun or "cheapest" and "larger" ask for; none where unknown."""
    wanted = QUALITIES.get(word, (word,))
    pairs = [_OF[one] for one in wanted if one in _OF]
    return (frozenset(stem(noun) for nouns, _ in pairs for noun in nouns.split()),
            frozenset(unit for _, units in pairs for unit in units.split()))  # fmt: skip


def units_of(word: str) -> frozenset[str]:
    """Return the spellings of the unit that a word names; none where it names none."""
    return next((unit for unit in _UNITS if word.lower() in unit), frozenset())


def unit_of_head(head: str) -> frozenset[str]:
    """Return the unit that a head has in brackets, or as a sign at its end, in all its spellings."""
    found = UNIT.search(head)
    named = (found["unit"] or found["sign"] or "").lower() if found else ""
    return frozenset(named.split()).union(*(unit for unit in _UNITS if unit & {named, *named.split()}))
