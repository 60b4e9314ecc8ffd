"""Sentences that are false of a passage, each beside a true one: what words tell of them, and what the check sees.

`python -m benchmarks.lies` needs no model: one that only says them stands in. Half of them are of one long passage.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import explorer
from explorer.events import Usage
from explorer.language.words import stem_set
from explorer.models.chat import Message, Schema
from explorer.sample import corpus

PAIRS = Path(__file__).with_name("lies.json")
HALVES = "one long passage", "short passages"
_PASSAGE = re.compile(r'^\{"title": .*"sentences": .*$', re.MULTILINE)
_ROW = re.compile(r'^\{"n": \d+, "sentence": .*$', re.MULTILINE)


@dataclass
class Speaker:
    """Says sentences, each citing the one that shares most words with it, and keeps the rows of the check."""

    sentences: Sequence[str]
    name: str = "speaker"
    rows: list[dict[str, object]] = field(default_factory=list)

    def complete(self, messages: Sequence[Message], *, schema: Schema | None = None) -> Iterator[str | Usage]:
        """Yield key ideas, the answer or verdicts, and a usage."""
        prompt = "\n".join(message.text for message in messages)
        if found := [json.loads(row) for row in _ROW.findall(prompt)]:
            self.rows += found
            yield "\n".join(json.dumps({"n": row["n"], "verdict": "supported"}) for row in found)
        elif "find out what to look up" in prompt:
            yield self.sentences[0]
        else:
            given = [json.loads(row)["sentences"] for row in _PASSAGE.findall(prompt)]
            told = {number: stem_set(text) for sentences in given for number, text in sentences.items()}
            for sentence in self.sentences:
                own = stem_set(sentence)
                nearest = max(told, key=lambda number: len(own & told[number]))
                yield f"{sentence.rstrip('.')} [{nearest}]. "
        yield Usage(model=self.name)


@dataclass(frozen=True)
class Told:
    """A sentence, its kind and whether it is true; its level and what is missing by words; whether the check sees it
    beside the words that it is about.
    """

    kind: str
    is_true: bool
    sentence: str
    level: str
    missing: tuple[str, ...]
    seen: bool


def told(text: str, pairs: Sequence[dict[str, str]], place: Path) -> Iterator[Told]:
    """Yield what became of each sentence of a passage, said as an answer from it."""
    file = place / "passage.txt"
    file.write_text(" ".join(text.split()), "utf-8")
    for name in ("true", "false"):
        said = [pair[name] for pair in pairs]
        with explorer.open() as ws:
            ws.ingest(file, progress=False, chunk_size=20_000)
            ws.chat = speaker = Speaker(said)
            trace = ws.run("What does it say?", "document-rag", rerank=False)
            shown = {str(row["sentence"]): str(row["cites"]) for row in speaker.rows}
            levels = {trace.answer[one.start : one.end]: one for one in trace.citations}
        for pair in pairs:
            one = levels[pair[name]]
            seen = pair["words"] in shown.get(pair[name], "")
            missing = tuple(one.not_in_source)
            yield Told(pair["kind"], name == "true", pair[name], one.lexical_support or "", missing, seen)


def measured(place: Path, half: str) -> list[Told]:
    """Measure one of the `HALVES`."""
    found = list[Told]()
    for one in json.loads(PAIRS.read_text("utf-8")):
        file = corpus() / "documents" / one["text"] if one["text"].endswith(".md") else None
        if half == HALVES[file is None]:
            found += told(file.read_text("utf-8") if file else one["text"], one["pairs"], place)
    return found


def figures(sentences: Sequence[Told]) -> dict[str, str]:
    """Return the figures of some sentences."""
    false, true = [one for one in sentences if not one.is_true], [one for one in sentences if one.is_true]
    return {
        "false ones that the check sees beside their words": f"{sum(one.seen for one in false)} of {len(false)}",
        "false ones found by words alone": f"{sum(one.level == 'found' for one in false)} of {len(false)}",
        "true ones without a source by words alone": f"{sum(one.level == 'none' for one in true)} of {len(true)}",
        "true ones with a name, number or negation missed": f"{sum(bool(one.missing) for one in true)} of {len(true)}",
    }


def main() -> None:
    """Measure and print."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="explorer-lies-") as place:
        for half in HALVES:
            sentences = measured(Path(place), half)
            print(half, figures(sentences))
            for one in sentences:
                if (one.level == "none" or one.missing) if one.is_true else (one.level == "found" or not one.seen):
                    print("  ", one)


if __name__ == "__main__":
    main()
