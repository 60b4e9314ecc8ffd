"""`python -m benchmarks.switching [SWITCH …]`: what becomes of answers and finding when a rule is switched off?

A switch is `module:name=kind`, as `explorer.language.synonyms:synonyms=set`: the function (or `Class.method`) returns
nothing of that kind, or with `first` its first argument. A list, table or pattern of a module is emptied. Several that
are joined with commas are switched off together. The same questions are asked with and without, in one process, and
compared one by one: won and lost by switching off, and the difference with its interval of 95 % (Wald, paired).
"""

from __future__ import annotations

import argparse
import gc
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import _lru_cache_wrapper
from importlib import import_module
from math import sqrt
from pathlib import Path
from statistics import mean

import explorer
from benchmarks.answers import ENGINES, SETS, Asked, Case, ask, cases, fill, folder, read_cases
from benchmarks.table import aligned

KINDS: Mapping[str, Callable[..., object]] = {
    "none": lambda *_, **__: None, "false": lambda *_, **__: False, "true": lambda *_, **__: True,
    "zero": lambda *_, **__: 0.0, "text": lambda *_, **__: "", "tuple": lambda *_, **__: (),
    "set": lambda *_, **__: frozenset(), "dict": lambda *_, **__: {}, "first": lambda given, *_, **__: given,
    "second": lambda _, given, *__, **___: given,
    "alone": lambda given, *_, **__: [given], "once": lambda given, *_, **__: (given,),
    "step": lambda given, *_, **__: [(given,)],
}  # fmt: skip
HEADS = ("engine", "measure", "n", "with", "won", "lost", "difference", "95 %")
NEVER = re.compile("(?!)")


@contextmanager
def off(switches: str) -> Iterator[None]:
    """Switch off rules, everywhere that a module of this package has them."""
    undone: list[tuple[object, str, object]] = []
    for switch in filter(None, switches.split(",")):
        path, _, kind = switch.partition("=")
        module, _, name = path.partition(":")
        owner: object = import_module(module)
        *classes, last = name.split(".")
        for one in classes:
            owner = getattr(owner, one)
        old = getattr(owner, last)
        new = KINDS[kind] if kind else NEVER if isinstance(old, re.Pattern) else type(old)()
        modules = (one for key, one in sys.modules.items() if key.startswith(("explorer.", "benchmarks.")))
        for place in [one for one in {owner, *modules} if getattr(one, last, None) is old]:
            undone.append((place, last, old))
            setattr(place, last, new)
    _forget()
    try:
        yield
    finally:
        for place, last, old in undone:
            setattr(place, last, old)
        _forget()


def questions_of(name: str, more: int) -> list[Case]:
    """Return the questions of a set; of SQuAD every so many of those that are not in the set too."""
    found = [one for one in cases(folder(), SETS[name][0]) if not one.off_topic]
    others = folder() / name / "all_questions.jsonl"
    if more and others.exists():
        known = {one.id for one in found}
        found += [one for one in read_cases(others) if one.id not in known][::more]
    return found


def _forget() -> None:
    """Forget what functions remember: it was read with other rules."""
    for one in gc.get_objects():
        if isinstance(one, _lru_cache_wrapper) and str(getattr(one, "__module__", "")).startswith(
            ("explorer.language", "explorer.reasoning")
        ):
            one.cache_clear()


def measures(asked: Sequence[Asked]) -> dict[str, list[float]]:
    """Return what was reached by each question: a share of 0 to 1, for each measure."""
    gold = [one.recall(5) / 100 for one in asked if one.case.gold]
    able = [one for one in asked if one.case.answers and one.case.answerable is not False]
    judged = [one for one in asked if one.case.answerable is not None and not one.case.off_topic]
    return {
        "R@5": gold,
        "gold string": [float(one.level != "none" and one.holds) for one in able],
        "right": [float((one.level == "strong") == one.case.answerable) for one in judged],
        "sure and right": [float(one.sure and one.case.answerable is not False and one.holds) for one in asked],
        "sure and wrong": [float(one.sure and not (one.case.answerable and one.holds)) for one in judged],
    }


def compared(before: Sequence[float], after: Sequence[float]) -> tuple[str, ...]:
    """Return n, the figure with the rule, won and lost without it, the difference in points, and its interval."""
    apart = [new - old for old, new in zip(before, after, strict=True)]
    difference = mean(apart)
    half = 1.96 * sqrt(max(0.0, mean(one * one for one in apart) - difference**2) / len(apart))
    return (
        str(len(apart)), f"{100 * mean(before):.1f}", str(sum(one > 0 for one in apart)),
        str(sum(one < 0 for one in apart)), f"{100 * difference:+.1f}",
        f"{100 * (difference - half):+.1f} to {100 * (difference + half):+.1f}",
    )  # fmt: skip


def main() -> None:
    """Ask with and without each rule, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.switching", description=main.__doc__)
    parser.add_argument("switches", nargs="+", help="module:name=kind, several together with commas")
    parser.add_argument("-s", "--set", action="append", help=f"of {', '.join(SETS)}; default squad2 and hotpotqa")
    parser.add_argument("-e", "--engine", action="append", help="of graph-rag, document-rag; default both")
    parser.add_argument("-w", "--workspaces", type=Path, required=True, help="a folder of workspaces, one a set")
    parser.add_argument("--ingest", action="store_true", help="ingest anew without each rule, into a temporary folder")
    parser.add_argument("--more", type=int, default=0, help="of SQuAD also every so many of the questions left out")
    given = parser.parse_args()
    for name in given.set or ("squad2", "hotpotqa"):
        engines = given.engine or ENGINES
        with explorer.open(given.workspaces / name, embedder="wordllama") as ws:
            if not ws.size.documents:
                fill(ws, folder(), name)
            questions = questions_of(name, given.more)
            before = {engine: list(ask(ws, questions, engine)) for engine in engines}
            for switch in given.switches:
                rows: list[Sequence[str]] = [HEADS]
                with off(switch), ExitStack() as held:
                    asked_of = ws
                    if given.ingest:
                        place = held.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
                        asked_of = held.enter_context(explorer.open(place, embedder="wordllama"))
                        fill(asked_of, folder(), name)
                    after = {engine: list(ask(asked_of, questions, engine)) for engine in engines}
                for engine in engines:
                    old, new = measures(before[engine]), measures(after[engine])
                    rows += [(engine, measure, *compared(old[measure], new[measure]))
                             for measure in old if old[measure]]  # fmt: skip
                print(f"{name}, without {switch}\n{aligned(rows)}", flush=True)


if __name__ == "__main__":
    main()
