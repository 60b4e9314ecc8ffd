"""The score of what was kept, and the parts that it is the sum of."""

from __future__ import annotations

from collections.abc import Mapping

from explorer import entities as e

Selection = e.EdgeSelection | e.ChunkSelection
_DIGITS = 4  # of a score and its parts on record


def parts_of(selection: Selection) -> Mapping[str, float]:
    """Return what the score of a selection is the sum of, by name; nothing where the parts on record are not that."""
    written = selection.score_parts
    parts = written if isinstance(written, Mapping) else {}
    if selection.score is None or not all(isinstance(part, int | float) for part in parts.values()):
        return {}
    return parts if round(sum(parts.values()), _DIGITS) == round(selection.score, _DIGITS) else {}


def terms(parts: Mapping[str, float]) -> list[str]:
    """Return the parts of a score as the terms of a sum in words: "0.0963 similarity", "+ 0.2700 words covered"."""
    signs = ["−" if part < 0 else "+" if at else "" for at, part in enumerate(parts.values())]
    return [
        f"{sign} {abs(part):.{_DIGITS}f} {name}".strip()
        for sign, (name, part) in zip(signs, parts.items(), strict=True)
    ]


def summed(selection: Selection) -> str:
    """Return a score with the sum that it is, as far as that is on record: "0.3663 = 0.0963 similarity + …"."""
    made = " ".join(terms(parts_of(selection)))
    return f"{selection.score or 0.0:.{_DIGITS}f}{f' = {made}' if made else ''}"
