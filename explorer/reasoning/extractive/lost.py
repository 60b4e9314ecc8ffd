"""What a question asks for or names, and the sentences quoted for it, or their passages, lack."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from explorer.language import questions as q
from explorer.language import spelling
from explorer.reasoning.extractive.features import Features
from explorer.reasoning.extractive.matching import NEAR, Line, numbers

_KIN = 4  # first letters that two words of one root share


@dataclass(frozen=True, slots=True)
class Lost:
    """What a question asks for or names, and what is quoted lacks.

    `kind`: the asked-for kind of thing. `names` and `numbers`: those that the passages quoted from lack too.
    `others`: what stands there in place of something that is marked: "tank 2" for "tank 1". `apart`: the names, where
    no sentence that has the asked-for kind, nor the one before it, has them.
    `adds`: False where what is quoted has no word or number that the question has not.
    """

    kind: bool = False
    names: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()
    adds: bool = True


def lost(found: Features, lines: Sequence[Line]) -> Lost:
    """Return what the question asks for or names, and some lines with their passages lack."""
    match = found.match
    asked = match.question
    at = [i for i, line in enumerate(match.lines) if line in lines]
    of = sorted({line.passage for line in lines})
    whole = [i for p in of for i in range(match.places[p].start, match.places[p].stop)]
    there = frozenset().union(*(match.stems_of_passages[p] for p in of))
    counted = frozenset().union(*(match.numbers_there[i] for i in whole))
    near = {key for key, most in zip(match.keys, match.coverage(of), strict=True) if most >= NEAR}
    adjectives = {key for key, name in asked.classes if name == "adjective"}  # "English": of many things
    told = [i for i in at if found.named("kind")[i] > 0] if asked.entities else []
    near_told = [match.stems[i] | (match.stems[i - 1] if match.lines[i].number else frozenset()) for i in told]
    is_apart = bool(told) and all(match.names_in(stems) < 1 for stems in near_told)
    has = "cue" if asked.kind in {q.CAUSE, q.MANNER} else "kind" if asked.entities else None
    return Lost(
        kind=has is not None and not found.named(has)[at].max(),
        names=tuple(name for name, keys in match.names.items() if keys - adjectives and _is_lost(keys, there, near)),
        numbers=tuple(written for written in asked.numbers if not numbers(written) <= counted),
        others=match.others(
            " ".join(match.texts[i] for i in at) + "".join(f" {match.titles[p]}" for p in of),
            " ".join(match.texts[i] for i in whole),
        ),
        apart=tuple(match.names) if is_apart else (),
        adds=any(match.stems[i] - set(match.keys) or match.numbers_there[i] - match.numbers for i in at),
    )


def _is_lost(name: Collection[str], there: Collection[str], near: Collection[str]) -> bool:
    """Return whether a text lacks a name: all of its words, or most, or its last one in whatever form."""
    found = [key for key in name if key in there or key in near or any(_is_kin(key, other) for other in there)
             or spelling.meant(key, there)]  # fmt: skip
    return 2 * len(found) < len(name) or not found


def _is_kin(key: str, other: str) -> bool:
    """Return whether two stems are likely of one root, as French and France, Europe and European."""
    shared = min(len(key), len(other), max(_KIN, len(key) - 2))
    return len(key) >= _KIN and key[:shared] == other[:shared] and shared >= _KIN
