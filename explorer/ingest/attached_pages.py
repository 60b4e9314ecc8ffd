"""What a SPARQL store holds, read page by page into a file, from which it becomes a document.

What came is kept with where reading stopped, so that it goes on there after a failure or a kill; it begins anew where
the store counts otherwise by then.
"""

from __future__ import annotations

import hashlib
import heapq
import json
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from itertools import groupby, islice
from pathlib import Path
from typing import IO, TYPE_CHECKING

from explorer.errors import DocumentError, WorkspaceError
from explorer.ingest.progress import Progress, Tell
from explorer.text import count

if TYPE_CHECKING:
    from explorer.ingest.attached_queries import Counts, Row, StoreQueries
    from explorer.stores.attached import Attachment

PAGE = 10_000
"""Statements that are asked for at once; some servers put no more in order."""
_TOGETHER = 100  # predicates in a query
_SORTED = 200_000  # lines that are sorted at once
_NAMED = 20  # of the statements that are no RDF
_AGAIN = 3  # times that reading begins anew, as the store changes
_TAGGED = re.compile(r'(<[^>]*> <[^>]*> )".*"@([A-Za-z0-9-]+) (?:<[^>]*> )?\.', re.DOTALL)


@dataclass(slots=True)
class _Progress:
    """How far a store was read: how many groups of its predicates are `done`, and how many statements are `before` the
    next one. That goes on `after` some statements `of_subject`; `seen` are all of it that came. What came has so many
    bytes (`size`).
    """

    counts: list[object]
    done: int = 0
    before: int = 0
    after: str = ""
    of_subject: int = 0
    seen: int = 0
    size: int = 0
    bad: int = 0
    why: list[str] = field(default_factory=list)
    blanks: int = 0
    """Statements with blank nodes that were read."""
    is_whole: bool = False


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What was read: a file of sorted N-Quads, how many statements are in it, and why others are not: no RDF.

    `read` is how many the store has. Those that are neither in the file nor no RDF were `blank`, too many to be read at
    once, texts in `other_languages` than the best one, or the same `again`.
    """

    path: Path
    statements: int
    refused: tuple[str, ...]
    read: int
    no_rdf: int
    blank: int
    other_languages: int

    @property
    def again(self) -> int:
        """How many statements were counted that are the same as others."""
        return self.read - self.statements - self.no_rdf - self.blank - self.other_languages


class Partial:
    """What came of a store so far, in a folder."""

    def __init__(self, folder: Path, attachment: Attachment) -> None:
        told = json.dumps([attachment.address, attachment.named_graph, attachment.pattern])
        key = hashlib.sha256(told.encode()).hexdigest()[:16]
        self._folder = folder
        self.lines, self._state = folder / f"{key}.nq", folder / f"{key}.json"
        self.snapshot = folder / f"{key}.snapshot"

    def begin(self, counts: Counts) -> _Progress:
        """Return how far it was read, where the store still counts as it did, else from the start."""
        self._folder.mkdir(parents=True, exist_ok=True)
        told = json.loads(json.dumps(asdict(counts)))
        try:
            known = _Progress(**json.loads(self._state.read_text()))
        except (OSError, ValueError, TypeError):
            known = _Progress([])
        size = self.lines.stat().st_size if self.lines.exists() else 0
        if known.counts != [told] or size < known.size:
            known = _Progress([told])
        with self.lines.open("ab") as file:
            file.truncate(known.size)
        return known

    def add(self, lines: Sequence[str], state: _Progress) -> None:
        """Keep some lines, and how far reading has come with them."""
        with self.lines.open("ab") as file:
            file.write("".join(f"{line}\n" for line in lines).encode())
            file.flush()
            state.size = file.tell()
        beside = self._state.with_suffix(".new")
        beside.write_text(json.dumps(asdict(state)))
        beside.replace(self._state)

    def clear(self) -> None:
        """Forget what came."""
        for one in (self._state, self.lines, self.snapshot):
            one.unlink(missing_ok=True)
        if self._folder.exists() and not any(self._folder.iterdir()):
            self._folder.rmdir()


def read_store(store: StoreQueries, partial: Partial, tell: Tell) -> Snapshot:
    """Read what a store holds into a file beside what came before.

    Raises DocumentError where it holds nothing that can be read, or more than is allowed, and where it changes each
    time; WorkspaceError where it can't be asked, or gave less than it counts.
    """
    attachment = store.attachment
    for _ in range(_AGAIN):
        size = store.size()
        if not size:
            raise _empty(store)
        if size > attachment.max_statements:
            raise DocumentError(
                f"{attachment.address} holds {count(size, 'statement')}, and at most {attachment.max_statements:,} are "
                "read; allow more by max_statements=, or take a part by pattern=."
            )
        counts = store.counts(size)
        reading = _Reading(store, counts, partial, partial.begin(counts))
        for seen in reading.pages():
            tell(Progress(attachment.title, "reading", seen, counts.plain))
        if reading.state.is_whole:
            return _written(attachment, partial, reading.state, counts)
        partial.clear()
    raise DocumentError(f"{attachment.address} changed each time it was read; try again when nobody writes to it.")


def _empty(store: StoreQueries) -> DocumentError:
    attachment = store.attachment
    if attachment.pattern:
        return DocumentError(f"{attachment.address} holds nothing that fits pattern=; try it there.")
    named = [one for one in store.named_graphs() if one != attachment.named_graph]
    where = "its default graph" if attachment.named_graph is None else f"a graph {attachment.named_graph}"
    there = f" It has the graphs {', '.join(named)}." if named else ""
    return DocumentError(f"{attachment.address} holds nothing in {where}; name one that does by named_graph=.{there}")


@dataclass(frozen=True, slots=True)
class _Reading:
    """One reading of a store, and how far it has come."""

    store: StoreQueries
    counts: Counts
    partial: Partial
    state: _Progress

    def pages(self) -> Iterator[int]:
        """Read on, page by page; yields how many statements are there. Where it is not whole at the end the store has
        changed meanwhile.
        """
        state = self.state
        for group in islice(_groups(self.counts.predicates), state.done, None):
            predicates, number = [predicate for predicate, _ in group], sum(number for _, number in group)
            yield from self._of_group(predicates, number)
            if state.seen < number and self.store.distinct(predicates) != state.seen:
                if self.store.counts(self.store.size()) != self.counts:
                    return
                raise WorkspaceError(
                    f"{self.store.attachment.address} counts {count(number, 'statement')} of <{predicates[0]}>"
                    f"{' and others' if predicates[1:] else ''} and gave {state.seen:,}. It does not put them in the "
                    "order of their texts, as SPARQL has it. Give a pattern= that takes less at a time."
                )
            state.done, state.after, state.of_subject, state.seen = state.done + 1, "", 0, 0
            state.before += number
            self.partial.add((), state)
        self._read_blanks()
        state.is_whole = True
        self.partial.add((), state)

    def _of_group(self, predicates: Sequence[str], number: int) -> Iterator[int]:
        """Read the statements of some predicates by their subjects, until all that were counted came, or no more come.

        A page begins with those of the last subject that have not come yet.
        """
        state = self.state
        while state.seen < number:
            limit = PAGE - min(state.of_subject, PAGE // 2)
            rows = self.store.page(predicates, state.after, state.of_subject, limit)
            if not rows:
                return
            last = rows[-1].subject
            of_last = sum(row.subject == last for row in rows)
            state.of_subject = of_last + (state.of_subject if last == state.after else 0)
            state.after, state.seen = last, state.seen + len(rows)
            self._keep(rows)
            yield state.before + state.seen

    def _read_blanks(self) -> None:
        """Read the statements with blank nodes, where all come at once: only then is it known which node is which."""
        others = self.counts.with_blanks
        if 0 < others <= PAGE and not self.state.blanks:
            lines = self.store.with_blanks(others + 1)
            if len(lines) == others:
                self.state.blanks = len(lines)
                self.partial.add(lines, self.state)

    def _keep(self, rows: Sequence[Row]) -> None:
        bad = [row.why for row in rows if row.line is None]
        self.state.bad += len(bad)
        self.state.why = [*self.state.why, *bad][:_NAMED]
        self.partial.add([row.line for row in rows if row.line is not None], self.state)


def _groups(predicates: Iterable[tuple[str, int]]) -> Iterator[list[tuple[str, int]]]:
    """Yield predicates in groups that have no more statements together than a page; of one that has more it alone."""
    group, many = list[tuple[str, int]](), 0
    for one in predicates:
        if group and (many + one[1] > PAGE or len(group) == _TOGETHER):
            yield group
            group, many = [], 0
        group.append(one)
        many += one[1]
    if group:
        yield group


def _written(attachment: Attachment, partial: Partial, state: _Progress, counts: Counts) -> Snapshot:
    """Write what came in order, each statement once, without texts in other languages than the best that there are."""
    written = foreign = 0
    with partial.snapshot.open("wb") as file, _sorted(partial.lines) as lines:
        file.write(attachment.header)
        for _, alike in groupby(lines, lambda line: line.split(" ", 2)[:2]):  # subject and predicate
            kept, left = _in_best_language(list(dict.fromkeys(alike)), attachment.languages)
            foreign += left
            written += len(kept)
            file.writelines(f"{line}\n".encode() for line in kept)
    left_out = counts.with_blanks - state.blanks
    refused = [f"a statement is no RDF ({one})" for one in state.why]
    if (more := state.bad - len(state.why)) > 0:
        refused.append(f"{count(more, 'more statement')} can't be read either")
    refused += [f"{count(number, 'statement')} of {name}" for name, number in counts.refused]
    no_rdf = state.bad + sum(number for _, number in counts.refused)
    return Snapshot(partial.snapshot, written, tuple(refused), counts.every, no_rdf, left_out, foreign)


@contextmanager
def _sorted(path: Path) -> Iterator[Iterator[str]]:
    """Yield the lines of a file in order, some of them at a time in memory."""
    with ExitStack() as stack, path.open(encoding="utf-8", newline="\n") as file:
        runs = list[IO[str]]()
        while some := list(islice(file, _SORTED)):
            run = stack.enter_context(tempfile.TemporaryFile("w+", encoding="utf-8", newline="\n", dir=path.parent))
            run.writelines(sorted(some))
            run.seek(0)
            runs.append(run)
        yield (line.rstrip("\n") for line in heapq.merge(*runs))


def _in_best_language(lines: list[str], languages: Sequence[str]) -> tuple[list[str], int]:
    """Return what is said of a thing by one predicate, of texts in several languages those in the best one, and how
    many were left out.
    """
    tagged = {line: found[2].lower() for line in lines if (found := _TAGGED.fullmatch(line))}
    if len({*tagged.values()}) <= 1:
        return lines, 0

    def rank(tag: str) -> tuple[int, int, str]:
        fits = (n for n, one in enumerate(languages) if tag == one.lower() or tag.startswith(f"{one.lower()}-"))
        place = next(fits, len(languages))
        return place, len(tag), tag

    best = min(tagged.values(), key=rank)
    kept = [line for line in lines if tagged.get(line, best) == best]
    return kept, len(lines) - len(kept)
