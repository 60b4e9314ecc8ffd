"""A model goes through documents: some chunks at a time, within a budget, and on from where it stopped before.

A reply is paid for, so it is noted in the library the moment it is there. Facts are stored chunk by chunk, in the order
of the documents whatever order the replies come in. What was cut off goes on with the chunks that are left.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import asdict, dataclass, field
from threading import Event

from explorer.events import Usage
from explorer.ingest.chunker import TextChunk
from explorer.ingest.extraction.model import NO_ITEMS, Asked, ModelExtractor
from explorer.ingest.extraction.prompts import Passage
from explorer.ingest.extraction.replies import Facts
from explorer.ingest.ingested import older
from explorer.ingest.parsed import ExtractedDocument, Extraction, ModelRun, Parsed
from explorer.ingest.pipeline import Pipeline
from explorer.ingest.progress import Progress
from explorer.language.named_entities import names_by_capitals
from explorer.reasoning.protocol import ModelCall
from explorer.stores.document_rows import put_extracted
from explorer.stores.extraction_replies import drop_replies, keep_replies, replies_of
from explorer.text import count

_ATTEMPTS = 2  # a reply that can't be used is asked for once more
_GIVE_UP = 3  # chunks in a row that the service failed at
_REASONS = 5  # that are told of items left out
_MOST = 30  # names beside a passage
_LONGEST = 60  # characters of one
_WORD = re.compile(r"\w+")
_BETWEEN = re.compile(r" (?:and|in|at|for|of|on)(?: the)? ")
_DATE = re.compile(r"\b\d{4}$")


@dataclass(slots=True)
class _Item:
    """A chunk that the model has not gone through, and what it was asked about it."""

    parsed: Parsed
    name: str
    number: int  # of the chunk in its document, from 1
    passage: Passage
    calls: list[Asked] = field(default_factory=list)
    facts: Facts | None = None  # the best of its replies, once there is one

    @property
    def chunk(self) -> TextChunk:
        return self.passage.chunk

    @property
    def iri(self) -> str:
        return self.parsed.chunk_iri(self.chunk)

    @property
    def kept(self) -> list[Asked]:
        """The calls that brought a reply."""
        return [call for call in self.calls if call.call.reply or not call.is_error]


@dataclass(slots=True)
class ByModel:
    """What a model does in one ingest; with `keep` prompts and replies are recorded, else their hashes."""

    pipeline: Pipeline
    extractor: ModelExtractor
    keep: bool
    edges: int = 0
    tokens: int = 0
    chunks: int = 0
    left: int = 0
    failed: list[tuple[str, str]] = field(default_factory=list)  # where, and a sentence
    _left_out: Counter[str] = field(default_factory=Counter)
    _through: Counter[str] = field(default_factory=Counter)  # how many chunks of each document
    _cut: int = 0
    _older: int = 0
    _failures: int = 0  # chunks in a row
    _broken: str = ""

    def go_through(self, documents: Iterable[tuple[Parsed, str]]) -> Iterator[Progress]:
        """Ask about all chunks of some documents that it has not gone through before, and store what it finds.

        Yields each chunk that is done with.
        """
        named = {parsed.iri: (parsed, name) for parsed, name in documents}
        here = [(parsed, name) for parsed, name in named.values() if self._lacks(parsed)]
        items = [item for parsed, name in here for item in self._items(parsed, name)]
        stored = 0
        with closing(self._replies(items)) as replies:
            for _ in replies:
                while stored < len(items) and self._is_over(items[stored]):
                    yield self._store(items[stored])
                    stored += 1
        for item in items[stored:]:
            if self._is_over(item):
                yield self._store(item)
            else:
                self.left += 1
        for parsed, _ in here:
            self._end(parsed)

    @property
    def notes(self) -> Iterator[str]:
        """What there is to say of it, in sentences."""
        name = self.extractor.chat.name
        if self.chunks or self.left:
            used = f"{self.tokens:,} tokens" if self.tokens else "no tokens"
            yield f"{name} found {count(self.edges, 'new fact')} in {count(self.chunks, 'passage')}, for {used}."
        if self._older:
            yield older(self._older, name)
        if self._cut:
            yield f"Of {count(self._cut, 'passage')} no whole reply of {name} came; the items that were whole are kept."
        if self._left_out:
            common = self._left_out.most_common(_REASONS)
            told = "; ".join(f"{number:,}: {reason}" for reason, number in common)
            others = len(self._left_out) - _REASONS
            more = f"; {count(others, 'other reason')}" if others > 0 else ""
            number = self._left_out.total()
            verb = "was" if number == 1 else "were"
            yield f"{count(number, 'item')} by {name} {verb} left out ({told}{more})."
        if self.left:
            why = f"{name} failed {_GIVE_UP} times in a row ({self._broken.rstrip('.')})"
            if not self._broken:
                why = f"max_tokens ({self.extractor.max_tokens or 0:,}) leaves no room for more"
            verb = "is" if self.left == 1 else "are"
            yield f"{count(self.left, 'passage')} {verb} left, since {why}; the same call goes on there."

    def _lacks(self, parsed: Parsed) -> bool:
        if not self.pipeline.knows(parsed) or not self.pipeline.lacks(parsed.iri, self.extractor.key):
            return False
        if self.pipeline.differs(parsed):
            self._older += 1
            return False
        return True

    def _items(self, parsed: Parsed, name: str) -> Iterator[_Item]:
        """Yield the chunks of a document that are left, with the replies that wait."""
        key = self.extractor.key
        there = replies_of(self.pipeline.library.database, map(parsed.chunk_iri, parsed.chunks), key)
        title, names = parsed.reading.title, Names()
        for number, chunk in enumerate(parsed.chunks, 1):
            waiting, passage = there.get(parsed.chunk_iri(chunk), ""), Passage(chunk, title, names.beside(chunk))
            if waiting is not None or self.pipeline.anew is not None:
                item = _Item(parsed, name, number, passage)
                for call in json.loads(waiting or "[]"):
                    told = ModelCall(**{**call["call"], "usage": Usage(**call["call"]["usage"])})
                    self._take(item, Asked(told, call["fault"], call["is_error"]))
                yield item

    def _replies(self, items: Sequence[_Item]) -> Generator[None, None, None]:
        """Ask about chunks until all are over, the budget is used up or the service fails; yields after each reply."""
        order = {id(item): number for number, item in enumerate(items)}
        waiting = [item for item in items if not self._is_over(item)]
        running: dict[Future[Asked], tuple[_Item, int]] = {}
        stopped = Event()
        pool = ThreadPoolExecutor(self.extractor.parallel, thread_name_prefix="extraction")
        yield
        try:
            while True:
                while waiting and len(running) < self.extractor.parallel and not self._broken:
                    item = waiting[0]
                    asked = self.extractor.prompt(item.passage, *item.calls[-1:])
                    need = self.extractor.need(item.chunk, asked)
                    most = self.extractor.max_tokens
                    if most is not None and self.tokens + need + sum(needed for _, needed in running.values()) > most:
                        break
                    running[pool.submit(self.extractor.ask, item.chunk, asked, stopped)] = waiting.pop(0), need
                if not running:
                    return
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in sorted(done, key=lambda one: order[id(running[one][0])]):
                    item, _ = running.pop(future)
                    call = future.result()
                    self.tokens += call.tokens if call.call.reply or not call.is_error else 0
                    self._take(item, call)
                    if not self._is_over(item):
                        waiting.append(item)
                        waiting.sort(key=lambda one: order[id(one)])
                    self._note(item)
                yield
        finally:
            stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)

    def _take(self, item: _Item, call: Asked) -> None:
        item.calls.append(call)
        found = self.extractor.facts(call, item.passage)
        if found.is_readable and (item.facts is None or len(found.edges) > len(item.facts.edges)):
            item.facts = found

    def _is_over(self, item: _Item) -> bool:
        """Return whether nothing more is asked about a chunk: a reply can be used whole, or enough were asked for."""
        last = item.calls[-1] if item.calls else None
        whole = last is not None and not last.fault and item.facts is not None
        return whole or len(item.calls) >= _ATTEMPTS

    def _note(self, item: _Item) -> None:
        if item.kept:
            written = json.dumps([asdict(call) for call in item.kept])
            keep_replies(self.pipeline.library.database, item.iri, self.extractor.key, written)
        if not self._is_over(item):
            return
        self._failures = self._failures + 1 if item.calls[-1].is_error else 0
        if self._failures >= _GIVE_UP:
            self._broken = item.calls[-1].fault

    def _store(self, item: _Item) -> Progress:
        """Store the facts of a chunk; where there is no reply that can be used, say so and leave it."""
        database, key = self.pipeline.library.database, self.extractor.key
        part = item.chunk.part
        pages = sum(one.kind == "page" for one in item.parsed.reading.parts)
        page = part.number if part is not None and pages else 0
        done = Progress(item.name, "facts", item.number, len(item.parsed.chunks), page, pages)
        if item.facts is None:
            fault = item.calls[-1].fault or NO_ITEMS
            where = f"{item.name}, passage {item.number}"
            self.failed.append((where, f"{where}: no reply of {self.extractor.chat.name} could be used ({fault})."))
            with database.writing() as connection:
                drop_replies(connection, [item.iri], key)
            return done
        calls = tuple(call.call for call in item.kept)
        model = next((call.usage.model for call in calls if call.usage.model), self.extractor.chat.name)
        ontology = self.extractor.ontology.iri if self.extractor.ontology else None
        run = ModelRun(key, model, ontology, item.chunk, calls, self.keep)
        found = Extraction(self.extractor.name, self.extractor.version, tuple(item.facts.edges), run)
        with database.storing:
            self.edges += self.pipeline.store_all([ExtractedDocument(item.parsed, (found,))])
            if self.pipeline.anew is None:  # else they wait until all of the document is gone through
                keep_replies(database, item.iri, key, None)
        self._through[item.parsed.iri] += 1
        self.chunks += 1
        self._cut += bool(item.calls[-1].fault)
        self._left_out += item.facts.left_out
        return done

    def _end(self, parsed: Parsed) -> None:
        database, key = self.pipeline.library.database, self.extractor.key
        chunks = [*map(parsed.chunk_iri, parsed.chunks)]
        if self.pipeline.anew is not None:
            if self._through[parsed.iri] == len(chunks):
                self.pipeline.store_all([ExtractedDocument(parsed, (), (key,))])
            return
        there = replies_of(database, chunks, key)
        if len(there) == len(chunks) and not any(there.values()):
            with database.writing() as connection:
                put_extracted(connection, [(parsed.iri, [key])])
                drop_replies(connection, chunks, key)


class Names:
    """The names that a document has had so far, by each of their words with a capital; it is read chunk by chunk."""

    def __init__(self) -> None:
        self._order: dict[str, int] = {}
        self._of: dict[str, list[str]] = defaultdict(list)

    def beside(self, chunk: TextChunk) -> tuple[str, ...]:
        """Return the names up to the end of the next chunk of which it has a word, none that is part of another."""
        for start, end in chunk.sentences:
            for one in names_by_capitals(chunk.text[start - chunk.start : end - chunk.start]):
                for name in _BETWEEN.split(one.text):
                    self._learn(name)
        words = set(_WORD.findall(chunk.text))
        there = {name for word in words for name in self._of.get(word, ())[:_MOST]}
        found = sorted(there, key=self._order.__getitem__)[:_MOST]
        return tuple(name for name in found if not any(name != one and f" {name} " in f" {one} " for one in found))

    def _learn(self, name: str) -> None:
        if " " in name and len(name) <= _LONGEST and name not in self._order and not _DATE.search(name):
            self._order[name] = len(self._order)
            for word in _WORD.findall(name):
                if word[0].isupper():
                    self._of[word].append(name)
