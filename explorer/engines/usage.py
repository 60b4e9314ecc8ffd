"""The calls to a model that a run makes, as they are recorded: tokens and model by step, prompts and replies."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from pyoxigraph import Literal, NamedNode, Quad

from explorer import rdf
from explorer.entities import Entity, Failure, Step
from explorer.errors import ModelError
from explorer.events import Content, Done, Event, Explain, Passage, Usage
from explorer.vocab import RETRIEVAL, X, iri

if TYPE_CHECKING:
    from explorer.reasoning import Reasoner

S = TypeVar("S", bound=Step)
N = TypeVar("N", int, float)


@dataclass(frozen=True, slots=True)
class CallRecord:
    """The calls of one step: the IRIs of their prompts and replies, what they used, how they were made, what failed."""

    usage: Usage
    prompts: tuple[str, ...] = ()
    replies: tuple[str, ...] = ()
    contents: tuple[Content, ...] = ()
    hashes: tuple[Quad, ...] = ()
    sent: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()

    def with_others(self, others: CallRecord) -> CallRecord:
        """Return these calls and others of the same step."""
        return CallRecord(
            summed([one.usage for one in (self, others) if one.prompts]), self.prompts + others.prompts,
            self.replies + others.replies, self.contents + others.contents, self.hashes + others.hashes,
            self.sent + others.sent, self.errors + others.errors,
        )  # fmt: skip

    def explain(
        self,
        step: Step,
        contents: Sequence[Content] = (),
        *,
        parts: Sequence[Entity] = (),
        passages: Mapping[str, tuple[Passage, ...]] | None = None,
        labels: Mapping[str, str] | None = None,
        curated: Mapping[str, str] | None = None,
    ) -> Explain:
        """Return the event of a step with its calls."""
        triples = (*rdf.triples(self.on(step), parts=parts), *self.hashes)
        return Explain(step.iri, triples, (*contents, *self.contents), passages or {}, labels or {}, curated or {})

    def on(self, step: S) -> S:
        """Return the step with its calls."""
        used = self.usage
        return replace(
            step, in_token=used.in_token, out_token=used.out_token, model=used.model, cost=used.cost,
            prompt=self.prompts, reply=self.replies,
            asked_with=tuple(sorted({*self.sent})), call_error=tuple(sorted({*self.errors})),
        )  # fmt: skip


@dataclass(slots=True)
class Calls:
    """The calls of one run, numbered from 0; with `keep` false only the hashes of prompts and replies stay."""

    reasoner: Reasoner
    session: str
    keep: bool
    _usages: list[Usage] = field(default_factory=list, init=False)
    _within: list[Usage] = field(default_factory=list, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def take(self) -> CallRecord:
        """Return the calls since the last time."""
        calls = self.reasoner.take_calls()
        usages = [replace(call.usage, calls=1) for call in calls]
        with self._lock:
            first = len(self._usages)
            self._usages += usages
        texts = [self._content("prompt", n, call.prompt) for n, call in enumerate(calls, first)]
        texts += [self._content("reply", n, call.reply) for n, call in enumerate(calls, first)]
        named = tuple(content.iri for content in texts)
        kept = tuple(texts) if self.keep else ()
        digests = ((content.iri, Literal(hashlib.sha256(content.data).hexdigest())) for content in texts)
        hashes = () if self.keep else tuple(Quad(NamedNode(node), X.sha256, it, RETRIEVAL) for node, it in digests)
        sent = tuple(how for used in usages if used.sent for how in used.sent.told)
        errors = tuple(call.error for call in calls if call.error)
        return CallRecord(summed(usages), named[: len(calls)], named[len(calls) :], kept, hashes, sent, errors)

    def beside(self, reasoner: Reasoner) -> Calls:
        """Return the calls of another reasoner in the same run: numbered on, and in the same totals."""
        other = Calls(reasoner, self.session, self.keep)
        other._usages, other._within, other._lock = self._usages, self._within, self._lock
        return other

    def add(self, usage: Usage) -> None:
        """Count what a run within this one used towards the totals, and towards no step of this run."""
        if usage != Usage():  # a run without a model leaves the totals known
            self._within.append(usage)

    def watch(self, steps: Iterator[Event]) -> Iterator[Event]:
        """Yield the events of a run; when its model fails, a Failure with the calls made since the last step."""
        last, failed = "", None
        try:
            for event in steps:
                last = event.iri if isinstance(event, Explain) else last
                yield event
        except ModelError as error:
            failed = str(error)
        if failed is not None:
            yield self.take().explain(failure(self.session, [last] if last else [], failed))
            yield Done("error", self.usage, error=failed)

    @property
    def usage(self) -> Usage:
        """What all calls taken so far used, and the runs within this one."""
        return summed([*self._usages, *self._within])

    def _content(self, kind: str, number: int, text: str) -> Content:
        return Content(iri(kind, self.session, number), f"{kind.title()} {number + 1}", "text/plain", text.encode())


def failure(session: str, above: Sequence[str], error: str) -> Failure:
    """Return the node of a session that failed, below the last of its steps."""
    parents = tuple(dict.fromkeys(above))
    return Failure(iri=iri("failure", session), derived_from=parents, error=error, termination_reason="error")


def summed(usages: Sequence[Usage]) -> Usage:
    """Add up tokens and calls; a sum of tokens is known only if each of its parts is. Several models are all named."""
    models = dict.fromkeys(used.model for used in usages if used.model is not None)
    calls = [used.calls for used in usages if used.calls is not None]
    return Usage(
        _sum([used.in_token for used in usages]),
        _sum([used.out_token for used in usages]),
        ", ".join(models) or None,
        sum(calls) if calls else None,
        _sum([used.cost for used in usages]),
    )


def _sum(counts: Sequence[N | None]) -> N | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None
