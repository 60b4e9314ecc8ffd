"""Numbers in the cells of tables."""

from __future__ import annotations

import re

_VALUE = re.compile(
    r"[^\w\d.+−-]{0,2}\s?(?P<sign>[-−])?(?P<digits>\d{1,3}(?:[,' \u202f]\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?)"
    r"\s?[^\W\d]{0,4}[²³%]?\W{0,2}"
)


def number(cell: str) -> float | None:
    """Return the number that a cell holds; None where it holds anything else."""
    found = _VALUE.fullmatch(cell.strip())
    if found is None:
        return None
    digits = re.sub(r"[' \u202f]|,(?=\d{3})", "", found["digits"]).replace(",", ".")
    return float(digits) * (-1 if found["sign"] else 1)
