"""What a question will take, by the runs of the same engine and model before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from pyoxigraph import NamedNode

from explorer import entities as e
from explorer import rdf
from explorer.prices import Prices
from explorer.record.listing import TraceSummary
from explorer.stores.collection import Collection
from explorer.text import count
from explorer.vocab import RETRIEVAL, iri, session_of

_LAST = 20  # runs


@dataclass(frozen=True, slots=True)
class Estimate:
    """The median of what `runs` past runs used, and what that costs, None where no price is known."""

    runs: int
    in_token: int
    out_token: int
    cost: float | None
    currency: str

    def __str__(self) -> str:
        """Return it in words: "about 1,200 tokens in, 60 out, 0.0031 USD, by 12 past runs"."""
        money = "" if self.cost is None else f", {self.cost:,.4f} {self.currency}"
        by = count(self.runs, "past run")
        return f"about {self.in_token:,} tokens in, {self.out_token:,} out{money}, by {by}"


def estimate(stores: Collection, runs: Sequence[TraceSummary], prices: Prices, model: str | None) -> Estimate | None:
    """Return what the next of the runs by a model will take; None where none of them has its tokens on record."""
    ends = [(NamedNode(iri("end", session_of(one.iri))), None, None, RETRIEVAL) for one in runs]
    found = zip(runs, (rdf.entity(quads, e.End) for quads in stores.graph.matches(ends)), strict=True)
    used = [(end.in_token, end.out_token) for run, end in found
            if end and end.in_token is not None and model and model in (run.model, end.model)][:_LAST]  # fmt: skip
    if not used:
        return None
    read, written = (round(median(number or 0 for number in each)) for each in zip(*used, strict=True))
    return Estimate(len(used), read, written, prices.of(model, read, written), prices.currency)
