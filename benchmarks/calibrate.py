"""`python -m benchmarks.calibrate -k FOLDER`: fit the weights by which sentences are ranked and support is judged.

The questions are all of SQuAD 2.0's shared half, those of HotpotQA, as questions about something else entirely 180 of
SQuAD's asked of HotpotQA's passages, and as questions that nothing answers 500 of SQuAD's with another number, another
name or a word's opposite in place of theirs. Passages are those that Document RAG finds. What is fitted: a choice among
all sentences of the passages found (those of the gold passage that hold a gold string are right), and a logistic
regression of whether a question is answerable, and is answered: each counts half. Features are kept in the folder: a
second fit takes a minute.
"""

from __future__ import annotations

import argparse
import json
import pickle
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median
from typing import Any

import numpy as np
from numpy.typing import NDArray

import explorer
from benchmarks.answers import auroc, fill, folder, normal
from explorer.engines.chunks import Chunks
from explorer.engines.passages.search import PassageSearch
from explorer.engines.steps import limit_concepts
from explorer.language.questions import read
from explorer.language.sentences import is_prose
from explorer.language.words import ANTONYMS, tokens
from explorer.models.embedding import Remembered
from explorer.reasoning.extractive import sentence_ranking
from explorer.reasoning.extractive.matching import match
from explorer.reasoning.extractive.reasoner import ExtractiveReasoner
from explorer.reasoning.extractive.sentence_ranking import OF_SENTENCES, OF_SUPPORT, Features, features, quoted
from explorer.reasoning.extractive.sources import PASSAGES
from explorer.reasoning.extractive.support import is_stated
from explorer.workspace import Workspace

Matrix = NDArray[np.float64]
Fitted = tuple[Matrix, Matrix, float]
Item = Mapping[str, Any]

OFF_WEIGHT = 6.0  # of a question about something else: with 10 more are "none" at equal loss, 64 for 62 %
OTHER = 180  # questions of SQuAD that are asked of HotpotQA's passages
SURE = 0.88  # of the answers with a support of so much or more, those that are right
NO_ANSWER = 0.25  # of the questions for that: SQuAD 2.0 has more, which are made to mislead
LOST = 0.18  # of the answerable questions that may not be strong; of those of the shared half 14 to 16 %
FAR = 0.95  # of the questions about something else that are to be "none"
MOST_LOST = 0.03  # of the answerable questions that may be "none" for that
TURNED = 500  # answerable questions of SQuAD that are turned into others
OPPOSITES = {one: other for pair in ANTONYMS for one, other in (pair, pair[::-1])}
FETCHED, SCORED = 30, 10


@dataclass(slots=True)
class Known:
    """A question with the features of what was found for it; `group` is left out together when it is judged."""

    question: str
    group: str
    answerable: bool
    off_topic: bool
    turned: bool
    features: Features
    holds: NDArray[np.bool_]
    right: NDArray[np.bool_]
    words: list[int] = field(default_factory=list)


def turned(item: Item, names: Sequence[str], chance: random.Random) -> Item | None:
    """Return a question with another number, another name, or a word's opposite; None where it has nothing to turn."""
    text = str(item["question"])
    asked = read(text)
    number = next((one for one in asked.numbers if one.isdigit()), None)
    name = next((one for one in asked.names if text.find(one) > 0), None)
    word = next((one for one in tokens(text) if one.lower() in OPPOSITES), None)
    if number is not None:
        text = text.replace(number, str(int(number) + chance.choice((-7, -3, 2, 5, 11))))
    elif word is not None:
        text = text.replace(word, OPPOSITES[word.lower()])
    elif name is not None:
        text = text.replace(name, chance.choice([one for one in names if one != name]))
    else:
        return None
    return {**item, "question": text, "answerable": False, "answers": [], "gold": [], "turned": True}


def known_of(ws: Workspace, items: Sequence[Item], group: Callable[[Item], str]) -> Iterator[Known]:
    """Yield what is known of each question of a workspace where some sentence was found."""
    stores = ws.stores
    for item in items:
        question = str(item["question"])
        embedder = Remembered(ws.embedder)
        reasoner = ExtractiveReasoner(embedder, stores.library.rarity, chunks=Chunks(stores, embedder))
        search = PassageSearch(stores, reasoner.embedder)
        ranked = search.ranked(question, limit_concepts(reasoner.concepts(question)), "hybrid", FETCHED)
        found = [passage for chunk in ranked for passage in stores.sources.chunk(chunk)]
        scored = reasoner.score_passages(question, found)[:SCORED]
        chunks = reasoner.chunks([one.passage.chunk for one in scored][:PASSAGES])
        sources = {one.passage.chunk: one.passage.source for one in scored}
        passages = list(chunks.values())
        matched = match(read(question), passages, reasoner.embedder, reasoner.rarity)
        if matched is None:
            continue
        made = features(matched)
        strings = [normal(text) for text in item.get("answers") or [item.get("answer") or ""]]
        texts = [passages[line.passage].sentences[line.number].text for line in matched.lines]
        holds = [any(text and f" {text} " in f" {normal(line)} " for text in strings) for line in texts]
        gold = [sources[passages[line.passage].chunk] in item.get("gold", ()) for line in matched.lines]
        prose = np.array([is_prose(text) for text in texts])
        yield Known(
            question, group(item), bool(item.get("answerable", True)), bool(item.get("off")), bool(item.get("turned")),
            made, np.array(holds), np.array(holds) & np.array(gold) & prose, [len(text.split()) for text in texts],
        )  # fmt: skip


def fit_ranking(cases: Sequence[Known], l2: float = 3.0, rounds: int = 300) -> Matrix:
    """Return weights by which right sentences are chosen among all of a question (conditional logit, Adam)."""
    cases = [case for case in cases if case.right.any()]
    rows = np.concatenate([case.features.sentences for case in cases]).astype(float)
    scale = np.maximum(rows.std(0), 1e-6)
    rows = (rows - rows.mean(0)) / scale
    right = np.concatenate([case.right for case in cases]).astype(float)
    sizes = [len(case.right) for case in cases]
    starts, owner = np.cumsum([0, *sizes])[:-1], np.repeat(np.arange(len(cases)), sizes)
    weight, first, second = (np.zeros(rows.shape[1]) for _ in range(3))
    for turn in range(1, rounds + 1):
        value = rows @ weight
        value = np.exp(value - np.maximum.reduceat(value, starts)[owner])
        among = value / np.add.reduceat(value, starts)[owner]
        chosen = value * right
        chosen = chosen / np.maximum(np.add.reduceat(chosen, starts)[owner], 1e-12)
        slope = rows.T @ (among - chosen) + l2 * weight
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
        step = 0.05 if turn < 0.7 * rounds else 0.01
        weight -= step * (first / (1 - 0.9**turn)) / (np.sqrt(second / (1 - 0.999**turn)) + 1e-8)
    return weight / scale


def fit_support(cases: Sequence[Known], rows: Matrix, told: Sequence[bool], l2: float = 20.0) -> Fitted:
    """Return means, weights and log odds at the means of a logistic regression (Newton's method).

    Its aim is half that a question is answerable, half that what is quoted holds the answer.
    """
    aim = (np.array([case.answerable for case in cases], float) + np.array(told, float)) / 2
    counts = np.array([OFF_WEIGHT if case.off_topic else 1.0 for case in cases])
    means, scale = rows.mean(0), np.maximum(rows.std(0), 1e-6)
    table = np.c_[(rows - means) / scale, np.ones(len(rows))]
    weight = np.zeros(table.shape[1])
    ridge = np.diag([*[l2] * rows.shape[1], 1e-3])
    for _ in range(12):
        value = 1 / (1 + np.exp(-table @ weight))
        slope = table.T @ (counts * (value - aim)) + ridge @ weight
        curve = (table * (counts * value * (1 - value))[:, None]).T @ table + ridge
        weight -= np.linalg.solve(curve, slope)
    return means, weight[:-1] / scale, float(weight[-1])


def chosen(case: Known, weight: Matrix) -> list[int]:
    """Return the places of the sentences that are quoted for a question."""
    return quoted(case.features.match, (case.features.sentences @ weight).astype(np.float32))


def supports(cases: Sequence[Known], weight: Matrix) -> tuple[Matrix, list[bool]]:
    """Return what the support of each question is judged by, and whether what is quoted holds its answer."""
    picks = [chosen(case, weight) for case in cases]
    rows = [case.features.of_support(places[0]) for case, places in zip(cases, picks, strict=True)]
    told = [case.answerable and bool(case.holds[places].any()) for case, places in zip(cases, picks, strict=True)]
    return np.array(rows, dtype=float), told


def values(fitted: Fitted, rows: Matrix) -> Matrix:
    """Return the support of each row."""
    means, weight, base = fitted
    value: Matrix = 1 / (1 + np.exp(-(base + (rows - means) @ weight)))
    return value


def held_out(cases: Sequence[Known]) -> dict[str, str]:
    """Return figures where each group of questions was left out in turn, of ranking and of support."""
    squad = [case for case in cases if case.group.startswith("s") and not case.off_topic and not case.turned]
    best: dict[int, list[bool]] = {k: [] for k in (1, 2, 3)}
    value: list[float] = []
    told: list[bool] = []
    words: list[int] = []
    stated: list[bool] = []
    able: list[bool] = []
    far: list[float] = []
    for group in sorted({case.group for case in squad}):
        rest = [case for case in cases if case.group.removeprefix("off-") != group]
        weight = fit_ranking(rest)
        fitted = fit_support(rest, *supports(rest, weight))
        here = [case for case in squad if case.group == group]
        rows, is_told = supports(here, weight)
        value += values(fitted, rows).tolist()
        told += is_told
        stated += [states(case, weight) for case in here]
        able += [case.answerable for case in here]
        for case in here:
            order = np.argsort(-(case.features.sentences @ weight), kind="stable")
            for k in best if case.answerable else ():
                best[k].append(bool(case.holds[order[:k]].any()))
            if case.answerable:
                words.append(sum(case.words[place] for place in chosen(case, weight)))
        other = [case for case in cases if case.off_topic and case.group == f"off-{group}"]
        far += values(fitted, supports(other, weight)[0]).tolist() if other else []
    yes = [v for v, is_able in zip(value, able, strict=True) if is_able]
    no = [v for v, is_able in zip(value, able, strict=True) if not is_able]
    cut, low = cuts(yes, far)
    sure = surest(value, told, able, stated)
    is_sure = [v >= sure and is_one for v, is_one in zip(value, stated, strict=True)]
    return {
        **{f"string in best {k}": f"{100 * mean(found):.1f}" for k, found in best.items()},
        "string quoted": f"{100 * sum(told) / sum(able):.1f}",
        "words": f"{median(words):.0f}",
        "AUROC": f"{auroc(yes, no):.3f}",
        "right": f"{100 * mean((v >= cut) == is_able for v, is_able in zip(value, able, strict=True)):.1f}",
        "sure and right": f"{100 * mean(one for one, is_one in zip(told, is_sure, strict=True) if is_one):.1f}",
        "right and sure": f"{100 * mean(is_one for one, is_one in zip(told, is_sure, strict=True) if one):.1f}",
        "sure from": f"{sure:.3f}",
        "strong from": f"{cut:.3f}",
        "none below": f"{low:.3f}",
        "answerable: none": f"{100 * mean(v < low for v in yes):.1f}",
        "off topic: none": f"{100 * mean(v < low for v in far):.1f}" if far else "–",
    }


def states(case: Known, weight: Matrix) -> bool:
    """Return whether a sentence that is quoted states what is asked."""
    lines = [case.features.match.lines[place] for place in chosen(case, weight)]
    return is_stated(read(case.question), case.features, lines)


def cuts(yes: Sequence[float], far: Sequence[float]) -> tuple[float, float]:
    """Return the support from which an answer is strong, and below which it is none.

    `yes` is that of the answerable questions, `far` that of questions about something else.
    """
    strong = float(np.quantile(yes, LOST))
    none = float(np.quantile(far, FAR)) if len(far) else 0.0
    return strong, min(none, float(np.quantile(yes, MOST_LOST)), strong)


def surest(value: Sequence[float], told: Sequence[bool], able: Sequence[bool], stated: Sequence[bool]) -> float:
    """Return the lowest support from which so many answers are right, of those that state what is asked.

    Right: what was asked can be answered, and is quoted.
    """
    sure = np.flatnonzero(np.array(stated))
    order = sure[np.argsort(-np.array(value)[sure], kind="stable")]
    others = NO_ANSWER / (1 - NO_ANSWER) * sum(able) / (len(able) - sum(able))
    counted = np.where(np.array(able), 1.0, others)[order]
    right = np.cumsum(np.array(told)[order]) / np.cumsum(counted)
    return float(value[order[np.flatnonzero(right >= SURE)[-1]]])


def gathered(place: Path, workspaces: Path) -> list[Known]:
    """Return what is known of all questions, from the folder where it is kept there."""
    kept = place / "features.pickle"
    if kept.exists():
        cases: list[Known] = pickle.loads(kept.read_bytes())  # noqa: S301 - written below
        return cases
    data, cases = folder(), []
    squad = [json.loads(line) for line in (data / "squad2/all_questions.jsonl").read_text("utf-8").splitlines()]
    hotpot = [json.loads(line) for line in (data / "hotpotqa/questions.jsonl").read_text("utf-8").splitlines()]
    able = [item for item in squad if item["answerable"]]
    other = [{**item, "off": True, "answerable": False, "answers": [], "gold": [], "near": item["near"]}
             for item in random.Random(7).sample(able, OTHER)]  # noqa: S311  # fmt: skip
    chance = random.Random(7)  # noqa: S311
    names = sorted({name for item in squad for name in read(item["question"]).names})
    other_words = [one for item in able if (one := turned(item, names, chance)) is not None]
    squad += chance.sample(other_words, TURNED)
    article = lambda item: str(item["near"]).split("-")[0]  # noqa: E731
    sets = {
        "squad2": [(squad, article)],
        "hotpotqa": [
            ([item for item in hotpot if item["answer"] not in {"yes", "no"}], lambda _: "hotpotqa"),
            (other, lambda item: f"off-{article(item)}"),
        ],
    }
    for name, asked in sets.items():
        with explorer.open(workspaces / name) as ws:
            if not ws.size.documents:
                fill(ws, data, name)
            for items, group in asked:
                cases += known_of(ws, items, group)
    place.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(pickle.dumps(cases))
    return cases


def main() -> None:
    """Fit the weights, print what they come to, and write them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calibrate", description=main.__doc__)
    parser.add_argument("-k", "--keep", type=Path, required=True, help="a folder for features and workspaces")
    parser.add_argument("-w", "--workspaces", type=Path, help="a folder of workspaces, one a set; made if missing")
    parser.add_argument("--dry", action="store_true", help="write no weights")
    given = parser.parse_args()
    cases = gathered(given.keep, given.workspaces or given.keep)
    told = held_out(cases)
    print("; ".join(f"{key} {value}" for key, value in told.items()))
    weight = fit_ranking(cases)
    rows, is_told = supports(cases, weight)
    means, of_support, base = fit_support(cases, rows, is_told)
    strong, none = float(told["strong from"]), float(told["none below"])
    value = values((means, of_support, base), rows).tolist()
    yes = [v for v, case in zip(value, cases, strict=True) if case.answerable and case.group.startswith("s")]
    no = [v for v, case in zip(value, cases, strict=True)
          if not case.answerable and not case.off_topic and not case.turned]  # fmt: skip
    other = [v for v, case in zip(value, cases, strict=True) if case.turned]
    far = [v for v, case in zip(value, cases, strict=True) if case.off_topic]
    print(f"in sample: AUROC {auroc(yes, no):.3f}, strong from {strong:.3f}, none below {none:.3f}; "
          f"off topic none {100 * np.mean(np.array(far) < none):.1f} %, "
          f"answerable none {100 * np.mean(np.array(yes) < none):.1f} %, "
          f"right {100 * np.mean(np.concatenate([np.array(yes) >= strong, np.array(no) < strong])):.1f} %; "
          f"turned questions not strong {100 * np.mean(np.array(other) < strong):.1f} %; "
          f"median support of the answerable {median(yes):.2f}")  # fmt: skip
    written = {
        "fitted on": f"{len(cases):,} questions: SQuAD 2.0 (shared half), HotpotQA, {len(far)} off topic "
        f"and {len(other)} turned; left out "
        f"article by article: {'; '.join(f'{key} {value}' for key, value in told.items())}",
        "sure": float(told["sure from"]),
        "strong": round(strong, 3),
        "none": round(none, 3),
        "base": round(base, 4),
        "ranking": {name: round(float(w), 4) for name, w in zip(OF_SENTENCES, weight, strict=True)},
        "support": {
            name: [round(float(middle), 4), round(float(w), 4)]
            for name, middle, w in zip(OF_SUPPORT, means, of_support, strict=True)
        },
    }
    if not given.dry:
        path = Path(sentence_ranking.__file__).with_name("weights.json")
        path.write_text(re.sub(r"\[\s+(\S+)\s+(\S+)\s+\]", r"[\1 \2]", json.dumps(written, indent=1)) + "\n", "utf-8")
        print(f"{path}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
