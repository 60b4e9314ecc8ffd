"""Does the demo workspace find the expected passages, and decline what its documents do not answer?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from time import perf_counter

from explorer.evaluation.measures import recall
from explorer.evaluation.questions import Evidence, GoldQuestion, words
from explorer.sample import corpus
from explorer.workspace import Workspace

FIRST = 5
QUESTIONS = "questions.jsonl"
PARAPHRASES = "paraphrases.jsonl"


@dataclass(frozen=True, slots=True)
class Asked:
    """The result of one question; `found` is whether expected words are among the first sources."""

    id: str
    answerable: bool
    found: bool
    found_share: float
    declined: bool
    ms: float


def ask_all(ws: Workspace, questions: str = QUESTIONS) -> Iterator[Asked]:
    """Ask the questions of the sample, or those of another file beside them."""
    for line in (corpus() / questions).read_text(encoding="utf-8").splitlines():
        item = json.loads(line)
        begun = perf_counter()
        trace = ws.run(item["question"])
        ms = 1000 * (perf_counter() - begun)
        evidence = tuple(Evidence(words(one["document"]), words(one["quote"])) for one in item["evidence"])
        asked = GoldQuestion(0, item["question"], evidence=evidence)
        share = (recall(asked, trace.sources(), FIRST, ws.traces.stores.sources.chunk_text) or 0.0) / 100
        yield Asked(item["id"], item["answerable"], share > 0, share, trace.reason == "declined", ms)


def summary(asked: list[Asked]) -> dict[str, str]:
    """Return the figures of these questions; without unanswerable ones there is no figure for them."""
    able = [one for one in asked if one.answerable]
    unable = [one for one in asked if not one.answerable]
    figures = {
        "expected passage in first five sources": f"{sum(one.found for one in able)} of {len(able)}",
        "share of all expected passages there": f"{sum(one.found_share for one in able) / len(able):.2f}",
        "answerable, yet declined": f"{sum(one.declined for one in able)} of {len(able)}",
        "unanswerable, declined": f"{sum(one.declined for one in unable)} of {len(unable)}",
        "median run": f"{median(one.ms for one in asked):.0f} ms",
    }
    return figures if unable else {name: said for name, said in figures.items() if "unanswerable" not in name}
