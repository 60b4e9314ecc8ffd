"""How fast a large collection is searched by vectors and by words, and how many of the nearest are found."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.table import Row, seconds
from explorer.models.embedding import WordLlamaEmbedder
from explorer.sample import corpus
from explorer.stores.sqlite import SqliteDatabase
from explorer.stores.vectors.search import Entry, Hit, VectorIndex, put_vectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

MANY = 300_000
QUERIES = 100
NEAREST = 50
WORDS = {
    "rare": ("seldom17", "seldom42"),
    "rare, and in half of all facts": ("seldom17", "half", "third"),
    "all in a tenth of all facts or more": ("half", "third", "tenth", "another"),
}
SHARES = {"half": 1 / 2, "third": 1 / 3, "tenth": 1 / 10, "another": 1 / 10}
BATCH = 8192


def searching(place: Path, many: int = MANY) -> list[Row]:
    """Fill a collection on disk with synthetic facts, and measure searching it."""
    place.mkdir(parents=True, exist_ok=True)
    database = SqliteDatabase(place / "library.sqlite").open()
    given = facts()
    embed = WordLlamaEmbedder().embed
    queries = embed(list(islice(given, QUERIES)))
    nearest = _fill(database, given, many, queries, embed)
    index = VectorIndex(database)
    begun = perf_counter()
    index.search("edge", queries[:1], NEAREST)
    built = perf_counter() - begun
    times, found = _timed(lambda query: index.search("edge", query[None], NEAREST)[0], list(queries))
    shares = [len({hit.number for hit in hits} & truth) / NEAREST for hits, truth in zip(found, nearest, strict=True)]
    rows = [
        Row(f"search among {many:,} vectors made ready, from disk", seconds([built]), "≤ 60 s"),
        Row(f"the {NEAREST} nearest of {many:,} vectors", _tenths(times), "≤ 5 ms"),
        Row(f"share of the true {NEAREST} nearest among them", f"{np.mean(shares):.3f}", "≥ 0.95"),
    ]
    for what, words in WORDS.items():
        times, _ = _timed(lambda asked: index.keywords(asked, 200), [words] * 20)
        rows.append(Row(f"keywords in {many:,} facts: {what}", _tenths(times)))
    database.close()
    return rows


def facts() -> Iterator[str]:
    """Yield facts recombined from the sample's subjects, predicates and objects, with some words of known frequency."""
    known = [json.loads(line) for line in (corpus() / "facts.jsonl").read_text("utf-8").splitlines()]
    chance = random.Random(7)  # noqa: S311 - made-up text, the same each time
    while True:
        parts = [chance.choice(known)[part] for part in ("subject", "predicate", "object", "object")]
        common = [word for word, share in SHARES.items() if chance.uniform(0, 1) < share]
        yield " ".join([*parts, *common, f"seldom{chance.randrange(1000)}"])


def _fill(
    database: SqliteDatabase, given: Iterator[str], many: int, queries: Matrix, embed: Callable[[Sequence[str]], Matrix]
) -> list[set[int]]:
    """Store facts; returns the row numbers of those nearest to each query, found by exact comparison."""
    best = np.zeros((len(queries), 0), dtype=np.float32)
    numbers = np.zeros((len(queries), 0), dtype=np.int64)
    for begin in range(0, many, BATCH):
        texts = list(islice(given, min(BATCH, many - begin)))
        vectors = embed(texts)
        entries = [Entry(f"<urn:s:{begin + n}> <urn:p> <urn:o:{begin + n}>", "", text) for n, text in enumerate(texts)]
        with database.writing() as connection:
            put_vectors(connection, "edge", f"urn:d:{begin}", entries, vectors)
        best = np.hstack([best, queries @ vectors.T])
        numbers = np.hstack([numbers, np.tile(np.arange(begin + 1, begin + len(texts) + 1), (len(queries), 1))])
        order = np.argsort(-best, axis=1, kind="stable")[:, :NEAREST]
        best, numbers = np.take_along_axis(best, order, 1), np.take_along_axis(numbers, order, 1)
    return [set(row.tolist()) for row in numbers]


def _timed(search: Callable[[Any], list[Hit]], asked: Sequence[object]) -> tuple[list[float], list[list[Hit]]]:
    times, found = [], []
    for one in asked:
        begun = perf_counter()
        found.append(search(one))
        times.append(perf_counter() - begun)
    return times, found


def _tenths(times: Sequence[float]) -> str:
    return f"{1000 * float(np.median(times)):.1f} ms ({1000 * max(times):.1f})"
