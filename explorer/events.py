"""What a run yields while it goes on: provenance steps, pieces of text, progress, and one end.

Plain values, no I/O. A stored run is replayed as the same Explain events (see `record`).
"""

from __future__ import annotations

import copyreg
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from types import MappingProxyType

from pyoxigraph import Quad

from explorer import display, rdf
from explorer.entities import Entity
from explorer.prices import UNKNOWN, Prices
from explorer.text import one_line

ANSWERED, UNSURE, NOT_FOUND = "answered", "unsure", "not found"
"""How the answer of a run can come out."""
LONGEST_TAKEN = 2.0  # seconds in which a reader takes in a step, on a busy machine too: a person who waits takes longer
CHANGED = "changed since it was recorded"
"""What is said of a text that does not have the hash that is on record."""


def unchanging(given: Mapping[str, object]) -> MappingProxyType[str, object]:
    """Return a mapping that can't be changed."""
    return MappingProxyType(given)


copyreg.pickle(MappingProxyType, lambda one: (unchanging, ({**one},)))  # so that events can be copied


@dataclass(frozen=True, slots=True)
class Content:
    """A text or file for the library, stored before the triples that refer to it."""

    iri: str
    title: str
    mime: str
    data: bytes


NO_ADDRESS = "the store gives it no address"


@dataclass(frozen=True, slots=True)
class Resource:
    """What an attached store has a statement about: its name, and its IRI as the store has it.

    `is_holder`: the statement is about a blank node, which has no address, and this is the nearest thing with one that
    has it; without name and IRI where nothing has.
    """

    name: str
    iri: str
    is_holder: bool = False


@dataclass(frozen=True, slots=True)
class Passage:
    """Where a fact comes from: a span of a document, in code points, with its text.

    `start` and `end` count from the start of the document's text, `page_start` from its page or section.
    `page` is 1-based and None where the document has none. `extracted_by` names the agent: rules, model, curator,
    import. `before` and `after` are the text around it in its chunk, a few hundred code points; empty where unknown.

    `until` is when its document was removed, and then it has no text, or when `newer` took its place: the IRI of a
    newer version of the document. None: neither has happened. `is_changed`: its chunk or document has not the text
    any more whose hash is on record.

    What was read of an attached store has the address of that `store`. `origins` are IRIs that the store names for it;
    `resources` are what its statements are about, those of most statements first.
    """

    document: str
    title: str
    source: str | None
    page: int | None
    section: str | None
    part: str | None
    chunk: str
    chunk_index: int | None
    start: int
    end: int
    page_start: int | None
    text: str
    subgraph: str
    extracted_by: str
    before: str = field(default="", compare=False)
    after: str = field(default="", compare=False)
    until: str | None = field(default=None, compare=False)
    newer: str | None = field(default=None, compare=False)
    is_changed: bool = field(default=False, compare=False)
    store: str = field(default="", compare=False)
    origins: tuple[str, ...] = field(default=(), compare=False)
    resources: tuple[Resource, ...] = field(default=(), compare=False)

    def __repr__(self) -> str:
        """The words and their place, in one line."""
        return f"<Passage “{one_line(self.text)}” {one_line(self.place)}>"

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """Return the words marked in the text around them, below their place."""
        return display.excerpt(self.place, self.before, self.text, self.after)

    @property
    def is_removed(self) -> bool:
        """Whether its document was removed, and its text with it."""
        return self.until is not None and self.newer is None

    @property
    def locator(self) -> str:
        """Where in its document it stands: "page 3", "section “Heading”", or nothing for a text without parts.

        Of a document that was removed, that it was, and of a text that was changed, too.
        """
        if self.is_removed:
            return f"source removed on {(self.until or '')[:10]}"
        section = f"section “{self.section}”" if self.section else ""
        part = section if self.page is None else f"page {self.page}"
        part = self.origin or part
        return f"{part}{', ' if part else ''}{CHANGED}" if self.is_changed else part

    @property
    def origin(self) -> str:
        """What an attached store says of where a statement is from: "no recorded source in https://…"; else nothing."""
        if not self.store or self.subgraph == self.chunk:
            return self.store and f"in {self.store}"
        if self.origins:
            return f"from {', '.join(self.origins)}, as {self.store} has it"
        return f"source as {self.store} has it" if "(source: " in self.text else f"no recorded source in {self.store}"

    @property
    def reference(self) -> str:
        """The document and where in it: "Tank history, page 3"."""
        return ", ".join(filter(None, (self.title, self.locator)))

    @property
    def place(self) -> str:
        """The way from passage to document in words: "Passage 2 → Page 3 → Title"."""
        chunk = "Passage" if self.chunk_index is None else f"Passage {self.chunk_index}"
        chunk = chunk if self.chunk else ""
        part = f"Page {self.page}" if self.page is not None else self.origin or self.section
        if self.is_removed:
            return f"{self.title} ({self.locator})"
        if self.newer is not None:
            part = f"{' → '.join(word for word in (chunk, part, self.title) if word)} (a newer version is there)"
        else:
            part = " → ".join(word for word in (chunk, part, self.title) if word)
        return f"{part} ({CHANGED})" if self.is_changed else part


@dataclass(frozen=True, slots=True)
class Sent:
    """How a model was asked: the temperature (None: the service's own), the form of its reply, what was rejected."""

    temperature: float | None = None
    form: str | None = None
    rejected: tuple[str, ...] = ()

    @property
    def told(self) -> list[str]:
        """The same as it stands on record."""
        temperature = [] if self.temperature is None else [f"temperature {self.temperature}"]
        return temperature + [f"form {self.form}"] * bool(self.form) + [f"without {name}" for name in self.rejected]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and model of one or more calls, as reported; None where they were not reported.

    `calls` is the number of calls to a model; None where no model was called, or where they were not counted. `cost` is
    what they cost in US dollars, where that was reported. `sent` is how the one call was made.
    """

    in_token: int | None = None
    out_token: int | None = None
    model: str | None = None
    calls: int | None = None
    cost: float | None = None
    sent: Sent | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Support:
    """How well its evidence bears an answer: 0 to 1, its level on record, and what the value is made of.

    The value is 1 / (1 + e^-s), where s is the sum of the `parts`. A level is "strong", a possible answer; "weak",
    related only, so that what comes nearest is quoted; or "none": no answer was found. `sure`: strong, of a high
    value, and one quoted sentence states outright what was asked. `answered`: how many of the parts of a question are
    answered, and how many it has, where some are and others are not. `since`: what became of it, "corrected" or
    "removed", see `standing`.
    """

    value: float
    level: str
    parts: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    sure: bool = False
    answered: tuple[int, int] | None = None
    since: str = ""

    @property
    def outcome(self) -> str | None:
        """How an answer with this support came out: answered, unsure or not found; None for a level that is unknown."""
        return ANSWERED if self.sure else {"strong": UNSURE, "weak": UNSURE, "none": NOT_FOUND}.get(self.level)

    def standing(self, since: str) -> Support:
        """Return it as it stands now: not sure where what its answer rests on was taken back or removed since."""
        return replace(self, sure=False, since=since) if since and self.outcome != NOT_FOUND else self


def outcome_by(reason: str, support: Support | None) -> str | None:
    """Return how an answer came out by the end of its run and its support; None where these do not tell."""
    return NOT_FOUND if reason == "declined" else support.outcome if support else None


@dataclass(frozen=True, slots=True)
class Explain:
    """One provenance step: its triples in order, and what readers would otherwise have to look up again.

    `passages` maps a selection's IRI to where its edge comes from; `labels` maps entity IRIs to their names. `curated`
    maps a selection's IRI to what was done last with its edge by hand, in words: added, retracted since, or merged. It
    maps a citation's to what was corrected of its words. `changed` are the contents, by IRI, whose hash is not the one
    on record any more.
    """

    iri: str
    triples: tuple[Quad, ...]
    contents: tuple[Content, ...] = ()
    passages: Mapping[str, tuple[Passage, ...]] = field(default_factory=lambda: MappingProxyType({}))
    labels: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    curated: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), compare=False)
    changed: frozenset[str] = field(default=frozenset(), compare=False)
    _read: list[tuple[Entity, ...]] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def entities(self) -> tuple[Entity, ...]:
        """The nodes that its triples describe, in order of first mention; read once."""
        if not self._read:
            self.read({})
        return self._read[0]

    def read(self, known: Mapping[str, Entity]) -> None:
        """Read what its triples describe, but for the nodes known, by IRI, which are written as they stand in them."""
        self._read[:] = [tuple(rdf.entities(self.triples, known))]


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of the answer, thought or observation that will be the record node `node`."""

    node: str
    kind: str
    delta: str


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a stage has come; `total` is 0 while it is unknown."""

    stage: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Done:
    """The one end of a run: done, declined or error; `sources` in the order of how much they contributed to the answer.

    `duration_ms` is the time from Question to End on record without `paused_ms`, in which the run waited for its
    reader. Each is None where it is not known, or the run did not wait. `missing` holds the words of the question that
    the evidence does not cover; a live run knows them, a replayed one does not. `outcome` is "answered", "unsure" or
    "not found", None where that is not known. `prices` are those known where the run is on record.
    """

    reason: str
    usage: Usage = Usage()
    sources: tuple[Passage, ...] = ()
    error: str | None = None
    duration_ms: int | None = None
    paused_ms: int | None = None
    missing: tuple[str, ...] = field(default=(), compare=False)
    support: Support | None = field(default=None, compare=False)
    outcome: str | None = field(default=None, compare=False)
    prices: Prices = field(default=UNKNOWN, compare=False)


Event = Explain | Text | Progress | Done


@dataclass(slots=True)
class Pauses:
    """The times in which whoever reads a run did not ask for its next step, as a class that is being taught does not.

    What takes no longer than `LONGEST_TAKEN` is part of the run; `tick` gives seconds that only go on.
    """

    clock: Callable[[], datetime]
    tick: Callable[[], float] = time.monotonic
    _held: list[tuple[datetime, timedelta]] = field(default_factory=list, init=False)  # when each ended, how long

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Note a pause while a step is handed over."""
        begun = self.tick()
        try:
            yield
        finally:
            if (held := self.tick() - begun) > LONGEST_TAKEN:
                self._held.append((self.clock(), timedelta(seconds=held)))

    def since(self, moment: datetime) -> timedelta:
        """Return how long the run has waited since a moment."""
        return sum((held for ended, held in self._held if ended > moment), timedelta())

    @property
    def milliseconds(self) -> int | None:
        """How long it has waited in all; None where it never did."""
        return round(sum((held for _, held in self._held), timedelta()) / timedelta(milliseconds=1)) or None
