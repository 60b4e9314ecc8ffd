"""How well sentences of answers are aligned with passages: copied, reworded, stitched, false in a number, foreign.

`python -m benchmarks.alignment dev` (or `test`, `others`) needs the shared questions on real text. Rewordings and half
of the foreign sentences were written by hand; the rest is drawn with a seed. Those of `others` are all by hand, by two
who had not seen the program, about sets that nothing was tuned on.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import process_time

from benchmarks.table import Row
from explorer.reasoning.alignment import Aligned, align

WRITTEN = Path(__file__).with_name("alignment.json")
HALVES = "dev", "test"
OTHERS = "others"
KINDS = "copied", "reworded", "stitched", "false number", "foreign"
AIMS = {
    "right passage": "≥ 92 %",
    "supported, yet called foreign": "≤ 5 %",
    "foreign, and called so": "≥ 85 %",
    "false numbers marked": "≥ 95 %",
}
_AROUND = 7  # passages before and after the right one that are given beside it
_EACH = 10  # sentences of a drawn kind from each set, in each half
_CUT = re.compile(r"(?<=[a-z)\"][.!?])\s+(?=[A-Z])")
_NUMBER = re.compile(r"(?<![\w.,-])\d{2,4}(?![\w%]|[.,-]\d)")


@dataclass(frozen=True)
class Case:
    """A sentence, and the ids of the passages that it is from; of a foreign one that of what it stands beside."""

    kind: str
    text: str
    of: tuple[str, ...]
    given: tuple[str, ...]
    number: str = ""


class Texts:
    """The passages of the shared sets in order, and which half each belongs to."""

    def __init__(self, place: Path) -> None:
        """Read them."""
        self.text = dict[str, str]()
        for name in ("squad2", "hotpotqa", "musique", "2wiki"):
            lines = (place / name / "corpus.jsonl").read_text("utf-8").splitlines()
            self.text |= {one["id"]: one["text"] for one in map(json.loads, lines)}
        asked = (place / "hotpotqa/questions.jsonl").read_text("utf-8").splitlines()
        self.gold = [tuple(json.loads(line)["gold"]) for line in asked]
        self._half = {one: HALVES[at % 2] for at, gold in enumerate(self.gold) for one in gold}

    def half(self, key: str) -> str:
        """Return the half of a passage: by turns of its article or question."""
        if key[0] in "pw":  # of MuSiQue, 2Wiki
            return OTHERS
        return HALVES[int(key[1]) % 2] if key.startswith("s") else self._half[key]

    def around(self, *keys: str) -> tuple[str, ...]:
        """Return the ids of the right passages and of those about them, in order."""
        found = set[str]()
        for key in keys:
            own = [one for one in self.text if one.split("-")[0] == key.split("-")[0] or key[0] == one[0] != "s"]
            at = own.index(key)
            found |= {*own[max(0, at - _AROUND) : at + _AROUND + 1]}
        return tuple(one for one in self.text if one in found)

    def sentences(self, key: str) -> list[str]:
        """Return the sentences of a passage that say something of their own."""
        return [one for one in _CUT.split(self.text[key]) if 60 < len(one) < 200 and one.endswith(".")]


def cases(texts: Texts, half: str) -> Iterator[Case]:
    """Yield the sentences of a half."""
    written = json.loads(WRITTEN.read_text("utf-8"))
    chance = random.Random(f"alignment {half}")  # noqa: S311 - a sample, the same each time
    own = [key for key in texts.text if key.startswith("s") and texts.half(key) == half]
    pairs = [gold for gold in texts.gold if texts.half(gold[0]) == half]
    drawn = [*chance.sample(own, len(own)), *(key for gold in chance.sample(pairs, len(pairs)) for key in gold)]
    able = [key for key in drawn if texts.sentences(key)]
    for key in (key for of in "sh" for key in [one for one in able if one.startswith(of)][:_EACH]):
        yield Case("copied", chance.choice(texts.sentences(key)), (key,), texts.around(key))
    for one in written["reworded"]:
        if texts.half(one["of"]) == half:
            yield Case("reworded", one["text"], (one["of"],), texts.around(one["of"]))
            yield from _false(one["text"], one["of"], texts, chance)
    near = [(key, chance.choice(texts.around(key))) for key in [one for one in able if one.startswith("s")][_EACH:]]
    joined = [pair for pair in near if pair[0] != pair[1] and texts.sentences(pair[1])][:_EACH]
    joined += [gold for gold in pairs if all(map(texts.sentences, gold))][:_EACH]
    for first, second in joined:
        start, end = chance.choice(texts.sentences(first)), chance.choice(texts.sentences(second))
        yield Case("stitched", f"{start[:-1]}, and {end}", (first, second), texts.around(first, second))
    numbered = [(key, one) for key in reversed(able) for one in texts.sentences(key) if _NUMBER.search(one)]
    for key, one in chance.sample(numbered, min(len(numbered), 2 * _EACH)):
        yield from _false(one, key, texts, chance)
    for one in written["foreign"]:
        if texts.half(one["of"]) == half:
            yield Case("foreign", one["text"], (), texts.around(one["of"]))
    for key in own[:: len(own) // _EACH or 1][:_EACH]:
        same = [one for one in own if one.split("-")[0] == key.split("-")[0] and texts.sentences(one)]
        far = [one for one in same if one not in texts.around(key)]
        yield Case("foreign", chance.choice(texts.sentences(chance.choice(far))), (), texts.around(key))


def _false(text: str, key: str, texts: Texts, chance: random.Random) -> Iterator[Case]:
    """Yield a sentence with a number that its passage has not, by turns one that another passage has."""
    if not (found := _NUMBER.search(text)):
        return
    given = texts.around(key)
    there = sorted({one for other in given for one in _NUMBER.findall(texts.text[other]) if len(one) == len(found[0])})
    others = [one for one in there if one not in texts.text[key]]
    size = len(found[0])
    new = next(one for one in iter(lambda: str(chance.randrange(10 ** (size - 1), min(10**size, 2000))), "")
               if one not in texts.text[key])  # fmt: skip
    number = chance.choice(others) if others and chance.random() < 0.5 else new
    yield Case("false number", text[: found.start()] + number + text[found.end() :], (key,), given, number)


@dataclass(frozen=True)
class Told:
    """What became of a sentence."""

    case: Case
    found: tuple[str, ...]
    is_foreign: bool
    is_marked: bool
    aligned: Aligned

    @property
    def is_right(self) -> bool:
        """Whether every passage is named that it is from, and those first."""
        return {*self.found[: len(self.case.of)]} == {*self.case.of}


def told(texts: Texts, half: str) -> Iterator[Told]:
    """Yield what becomes of each sentence of a half."""
    for case in cases(texts, half):
        passages = [texts.text[key] for key in case.given]
        found = align(case.text, passages)
        named = dict.fromkeys(case.given[one.passage] for each in found for one in each.sources)
        marked = {case.text[slice(*one)] for each in found for one in (*each.absent, *each.false)}
        best = max(found, key=lambda one: one.end - one.start)
        yield Told(case, tuple(named), best.foreign, case.number in marked, best)


def figures(sentences: Sequence[Told]) -> dict[str, str]:
    """Return the figures of some sentences."""
    by_kind = defaultdict[str, list[Told]](list)
    for one in sentences:
        by_kind[one.case.kind].append(one)
    supported = [one for kind in KINDS[:3] for one in by_kind[kind]]
    foreign, false, alone = by_kind["foreign"], by_kind["false number"], [*by_kind["copied"], *by_kind["reworded"]]
    return {
        "right passage": _share([one.is_right for one in supported]),
        **{f"right passage, {kind}": _share([one.is_right for one in by_kind[kind]]) for kind in KINDS[:4]},
        "supported, yet called foreign": _share([one.is_foreign for one in supported]),
        "reworded, yet called foreign": _share([one.is_foreign for one in by_kind["reworded"]]),
        "foreign, and called so": _share([one.is_foreign for one in foreign]),
        "false numbers marked": _share([one.is_marked for one in false]),
        "false numbers marked, or the sentence called foreign": _share(
            [one.is_marked or one.is_foreign for one in false]
        ),
        "false numbers, yet called foreign": _share([one.is_foreign for one in false]),
        "from one passage, a second named": _share([len(one.found) > 1 for one in alone]),
    }


def _share(is_so: Sequence[bool]) -> str:
    return f"{100 * sum(is_so) / len(is_so):.0f} % ({sum(is_so)} of {len(is_so)})" if is_so else "none asked"


def rows(place: Path | None = None) -> list[Row]:
    """Measure two parts, and how long ten sentences and fifty passages take; none where the sets are missing."""
    place = place or Path(os.environ.get("EXPLORER_CONFORMANCE_DATA", "")) / "data"
    if not (place / "squad2").is_dir():
        return []
    texts = Texts(place)
    shown = [Row(f"alignment of answers, {part}: {what}", figure, AIMS.get(what, ""))
             for part in ("test", OTHERS) for what, figure in figures([*told(texts, part)]).items()]  # fmt: skip
    time = f"{1000 * taken(texts):.0f} ms"
    return [*shown, Row("alignment of 10 sentences with 50 passages, processor time", time, "≤ 150 ms")]


def taken(texts: Texts) -> float:
    """Return the processor time for ten sentences and fifty passages of 1,000 characters."""
    passages = [(text * 3)[:1000] for text in texts.text.values()][:50]
    answer = " ".join(f"{passage.partition('. ')[0]}." for passage in passages[::5])
    times = []
    for _ in range(5):
        begun = process_time()
        align(answer, passages)
        times.append(process_time() - begun)
    return median(times)


def main() -> None:
    """Measure one half, and print its figures and the sentences that went wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.alignment", description=main.__doc__)
    parser.add_argument("half", choices=(*HALVES, OTHERS))
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("EXPLORER_CONFORMANCE_DATA", "")) / "data")
    parser.add_argument("--wrong", action="store_true", help="also print the sentences that went wrong")
    given = parser.parse_args()
    texts = Texts(given.data)
    found = [*told(texts, given.half)]
    for what, figure in figures(found).items():
        print(f"{what}: {figure}")
    print(f"10 sentences, 50 passages: {1000 * taken(texts):.0f} ms")
    for one in found if given.wrong else ():
        is_foreign = one.case.kind == "foreign"
        if one.is_foreign != is_foreign or not (is_foreign or one.is_right) or (one.case.number and not one.is_marked):
            print(one.case.kind, one.case.of, one.found, one.aligned.score, one.case.number, one.case.text)


if __name__ == "__main__":
    main()
