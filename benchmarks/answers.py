"""`python -m benchmarks.answers [SET …]`: are questions on real text answered, from the right passages, and when not?

Questions of HotpotQA, 2WikiMultihopQA, MuSiQue and SQuAD 2.0 over their passages, with facts made by rules (MuSiQue
also with its given triples), no model, and the defaults of each engine. Recall@k of a question is the share of its gold
passages among the first k different ones that the trace's sources name. An answer holds a gold string when, in lower
case and of letters and digits alone, it stands there. Off-topic questions are those of another set.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean, median
from time import perf_counter

import explorer
from benchmarks.table import aligned
from explorer.record.trace import Trace
from explorer.servers.local_servers import LocalServers
from explorer.workspace import Workspace

ENGINES = ("graph-rag", "document-rag")
OFF_TOPIC = 80  # questions of another set, asked of this one


@dataclass(frozen=True, slots=True)
class Case:
    """A question with its gold passages and strings; `answerable` None where nobody says."""

    id: str
    question: str
    gold: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    answerable: bool | None = None
    off_topic: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of a question: the passages found, in order, the answer, its level and support."""

    case: Case
    found: tuple[str, ...]
    answer: str
    level: str
    support: float | None
    ms: float
    sure: bool = False

    def recall(self, k: int) -> float:
        """Return the share of the gold passages among the first k, in percent."""
        return 100 * len(set(self.case.gold) & set(self.found[:k])) / len(self.case.gold)

    @property
    def holds(self) -> bool:
        """Whether a gold string stands in the answer."""
        return any(f" {normal(gold)} " in f" {normal(self.answer)} " for gold in self.case.answers)


def normal(text: str) -> str:
    """Return a text in lower case, letters and digits alone."""
    return " ".join(re.findall(r"[^\W_]+", unicodedata.normalize("NFC", text).lower()))


def folder() -> Path:
    """Return the folder of the questions; raises SystemExit where the environment does not name it."""
    named = os.environ.get("EXPLORER_CONFORMANCE_DATA")
    place = Path(named) / "data" if named else None
    if place is None or not (place / "hotpotqa").is_dir():
        sys.exit("not measured: EXPLORER_CONFORMANCE_DATA names no folder with data/hotpotqa in it")
    return place


SETS: Mapping[str, tuple[str, str | None]] = {
    "hotpotqa": ("hotpotqa", None),
    "2wiki": ("2wiki", None),
    "squad2": ("squad2", None),
    "musique-rules": ("musique", None),
    "musique-given": ("musique", "openie.jsonl"),
}


def cases(data: Path, name: str) -> list[Case]:
    """Return the questions of a set, and for SQuAD some of HotpotQA's, which its passages say nothing about."""
    found = list(read_cases(data / name / "questions.jsonl"))
    if name == "squad2":
        other = list(read_cases(data / "hotpotqa" / "questions.jsonl")) + list(
            read_cases(data / "musique" / "questions.jsonl")
        )
        found += [Case(f"off-{one.id}", one.question, answerable=False, off_topic=True) for one in other[:OFF_TOPIC]]
    return found


def read_cases(path: Path) -> Iterator[Case]:
    """Yield the questions of a file."""
    for line in path.read_text("utf-8").splitlines():
        item = json.loads(line)
        strings = item.get("answers") or ([item["answer"]] if item.get("answer") else [])
        able = item.get("answerable")
        yield Case(
            item["id"], item["question"], tuple(item.get("gold", ())) if able is not False else (), tuple(strings), able
        )


def fill(ws: Workspace, data: Path, name: str) -> None:
    """Ingest the passages of a set, with the triples it is given with or by rules."""
    of, triples = SETS[name]
    given = data / of / triples if triples else None
    ws.ingest(data / of / "corpus.jsonl", triples=given, progress=True)


def ask(ws: Workspace, asked: Iterable[Case], engine: str) -> Iterator[Asked]:
    """Ask questions of one engine."""
    for case in asked:
        begun = perf_counter()
        trace = Trace(list(ws.ask(case.question, engine)))
        ms = 1000 * (perf_counter() - begun)
        support = getattr(trace, "support", None)
        level = support.level if support else ("none" if trace.reason == "declined" else "strong")
        found = tuple(dict.fromkeys(p.source for p in trace.sources() if p.source))
        yield Asked(
            case,
            found,
            trace.answer or "",
            level,
            support.value if support else None,
            ms,
            bool(support and support.sure),
        )


def auroc(good: Sequence[float], bad: Sequence[float]) -> float:
    """Return the chance that a value of `good` is above one of `bad` (ties count half)."""
    pairs = [(g > b) + 0.5 * (g == b) for g in good for b in bad]
    return mean(pairs) if pairs else float("nan")


def figures(asked: Sequence[Asked]) -> dict[str, str]:
    """Return what can be said of these questions, as text."""
    gold = [one for one in asked if one.case.gold]
    out = {f"R@{k}": f"{mean(one.recall(k) for one in gold):.1f}" for k in (2, 5, 10)}
    out["all in 5"] = f"{100 * mean(one.recall(5) == 100 for one in gold):.0f}"
    able = [one for one in asked if one.case.answers and one.case.answerable is not False
            and normal(one.case.answers[0]) not in {"yes", "no"}]  # fmt: skip
    if able:
        said = [one for one in able if one.level != "none"]
        out["gold string"] = f"{100 * mean(one.level != 'none' and one.holds for one in able):.1f}"
        out["words"] = f"{median(len(one.answer.split()) for one in said):.0f}" if said else "–"
    judged = [one for one in asked if one.case.answerable is not None and not one.case.off_topic]
    yes, no = ([one for one in judged if one.case.answerable is able] for able in (True, False))
    if no:
        out["right"] = f"{100 * mean((one.level == 'strong') == one.case.answerable for one in judged):.1f}"
        out["answerable not strong"] = f"{100 * mean(one.level != 'strong' for one in yes):.1f}"
        if all(one.support is not None for one in judged):
            out["AUROC"] = f"{auroc([one.support or 0 for one in yes], [one.support or 0 for one in no]):.3f}"
    off = [one for one in asked if one.case.off_topic]
    if off:
        out["off topic: none"] = f"{100 * mean(one.level == 'none' for one in off):.1f}"
    else:
        out["none"] = f"{100 * mean(one.level == 'none' for one in asked):.0f}"
    out["ms"] = f"{median(one.ms for one in asked):.0f}"
    return out


def main() -> None:
    """Ask the questions of sets, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.answers", description=main.__doc__)
    parser.add_argument("sets", nargs="*", default=list(SETS), help=f"of {', '.join(SETS)}; default all")
    parser.add_argument("-w", "--workspaces", type=Path, help="a folder of workspaces, one a set; made if missing")
    parser.add_argument("-o", "--out", type=Path, help="a folder for what was answered, one JSON-lines file a set")
    parser.add_argument("-e", "--engine", action="append", help="of graph-rag, document-rag; default both")
    parser.add_argument("--embedder", default="wordllama", help="of new workspaces; default wordllama")
    parser.add_argument("--servers", action="store_true", help="keep the workspaces on servers of this machine")
    given = parser.parse_args()
    data = folder()
    with ExitStack() as held:
        place = held.enter_context(tempfile.TemporaryDirectory(prefix="explorer-bench-", ignore_cleanup_errors=True))
        folders = given.workspaces or Path(place)
        running = held.enter_context(LocalServers(folders / "servers", 0)) if given.servers else None
        for name in given.sets:
            of, _ = SETS[name]
            if running is None:
                opened = explorer.open(folders / name, embedder=given.embedder)
            else:
                opened = explorer.open(
                    running.database, endpoint=running.endpoint, collection=name, embedder=given.embedder
                )
            with opened as ws:
                if not ws.size.documents:
                    fill(ws, data, name)
                rows: list[Sequence[str]] = []
                for engine in given.engine or ENGINES:
                    asked = list(ask(ws, cases(data, of), engine))
                    said = figures(asked)
                    rows = rows or [(name, *said)]
                    rows.append((engine, *said.values()))
                    if given.out:
                        given.out.mkdir(parents=True, exist_ok=True)
                        lines = (json.dumps(asdict(one), ensure_ascii=False) for one in asked)
                        (given.out / f"{name}-{engine}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
                print(aligned(rows), flush=True)


if __name__ == "__main__":
    main()
