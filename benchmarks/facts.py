"""`python -m benchmarks.facts`: how many facts made by rules are right, and how many of the main facts are found.

150 sentences were drawn by chance, 50 each of the sample documents, of MuSiQue's passages, and of the Python manual
that comes with Python (`pydoc_data`). `facts.jsonl` has where they stand; what they mainly say, as words that the
subject, and the predicate with the object, must hold; and which facts were read as right or wrong, each as a short
hash. One reader did both: the main facts before seeing what was extracted of these sentences, two of them reworded
afterwards. Then the rules were mended on them, so these figures are better than those of other texts will be. A fact
that nobody has read is counted as unread, and shown with `-v`.
"""

from __future__ import annotations

import argparse
import json
import sys
import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from benchmarks.answers import folder
from benchmarks.table import aligned
from explorer.ingest.chunker import chunks
from explorer.ingest.extraction.extractor import ExtractedEdge, RuleExtractor
from explorer.ingest.readers.files import read
from explorer.ingest.readers.reading import Reading
from explorer.sample import corpus

MARKED = Path(__file__).with_name("facts.jsonl")


class Marked(NamedTuple):
    """A sentence, by source, document and offsets, with what it mainly says and what was read of it."""

    source: str
    document: str
    start: int
    end: int
    words: int
    main: tuple[tuple[str, str, str], ...]
    right: frozenset[str]
    wrong: frozenset[str]


def marked() -> list[Marked]:
    """Return the marked sentences."""
    found = []
    for line in MARKED.read_text("utf-8").splitlines():
        item = json.loads(line)
        main = tuple((subject, predicate, target) for subject, predicate, target in item.pop("main"))
        right, wrong = frozenset(item.pop("right")), frozenset(item.pop("wrong"))
        found.append(Marked(**item, main=main, right=right, wrong=wrong))
    return found


@lru_cache(maxsize=4)
def passages() -> Mapping[str, Reading]:
    """Return MuSiQue's passages by id."""
    lines = (folder() / "musique" / "corpus.jsonl").read_text("utf-8").splitlines()
    return {one["id"]: Reading(one["title"], "text/plain", one["text"]) for one in map(json.loads, lines)}


def reading(source: str, document: str) -> Reading:
    """Return a document of one of the three sources."""
    if source == "musique":
        return passages()[document]
    if source == "manual":
        from pydoc_data.topics import topics

        return Reading(document, "text/plain", topics[document])
    return read((corpus() / "documents" / document).read_bytes(), document)


def key(edge: ExtractedEdge) -> str:
    """Return the hash of a fact."""
    return f"{zlib.crc32(f'{edge.subject} | {edge.predicate} | {edge.object}'.encode()):08x}"


def is_found(main: tuple[str, str, str], edges: Iterable[ExtractedEdge]) -> bool:
    """Whether some fact says what a sentence mainly says; `a|b` stands for either."""
    subject, predicate, target = main
    said = ((edge.subject, f"{edge.predicate} {edge.object}") for edge in edges)
    return any(_holds(of, subject) and _holds(rest, predicate) and _holds(rest, target) for of, rest in said)


def _holds(text: str, words: str) -> bool:
    return any(one.strip() in text.lower() for one in words.split("|"))


def extracted(sentences: Sequence[Marked]) -> dict[Marked, list[ExtractedEdge]]:
    """Return the facts of each sentence; those of other texts than were marked are left out, with a line about it."""
    extractor = RuleExtractor()
    found: dict[tuple[str, str], list[ExtractedEdge]] = {}
    out = {}
    for one in sentences:
        text = reading(one.source, one.document)
        if len(text.text[one.start : one.end].split()) != one.words:
            sys.stderr.write(f"{one.source} {one.document}: another text than was marked\n")
            continue
        named = one.source, one.document
        if named not in found:
            found[named] = list(extractor.edges(chunks(text), text.title))
        out[one] = [edge for edge in found[named] if (edge.start, edge.end) == (one.start, one.end)]
    return out


def main() -> None:
    """Extract the facts of the marked sentences, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.facts", description=main.__doc__)
    parser.add_argument("-v", "--verbose", action="store_true", help="print what is missed, wrong or unread")
    given = parser.parse_args()
    counts: dict[str, list[int]] = defaultdict(lambda: [0] * 5)
    for one, edges in extracted(marked()).items():
        row = counts[one.source]
        missed = [words for words in one.main if not is_found(words, edges)]
        wrong = [edge for edge in edges if key(edge) in one.wrong]
        unread = [edge for edge in edges if key(edge) not in one.wrong | one.right]
        added = (len(one.main), len(missed), len(edges), len(wrong), len(unread))
        row[:] = [a + b for a, b in zip(row, added, strict=True)]
        if given.verbose:
            for words in missed:
                print("missed", one.document, one.start, *words, sep="\t")
            for judged, of in (("wrong", wrong), ("unread", unread)):
                for edge in of:
                    print(judged, one.document, one.start, edge.subject, edge.predicate, edge.object, sep="\t")
    rows: list[Sequence[str]] = [("source", "main facts found", "facts right", "unread")]
    for source, (mains, missed, found, wrong, unread) in counts.items():
        read_, right = found - unread, found - unread - wrong
        rows.append((
            source, f"{mains - missed} of {mains}, {100 * (mains - missed) / mains:.0f} %",
            f"{right} of {read_}, {100 * right / max(1, read_):.0f} %", str(unread),
        ))  # fmt: skip
    print(aligned(rows))


if __name__ == "__main__":
    main()
