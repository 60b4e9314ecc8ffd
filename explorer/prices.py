"""What runs cost: prices of models that somebody wrote down, and costs that came with spans. None is ever fetched.

`prices.toml` in a workspace folder, or the file that EXPLORER_PRICES names, has a table for each model:

    currency = "EUR"  # by default "USD"

    ["gpt-5-mini"]
    input = 0.25  # for a million tokens
    output = 2
"""

from __future__ import annotations

import os
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path

from explorer.entities import End, Entity, Step
from explorer.errors import WorkspaceError
from explorer.text import in_quotes

FILE = "prices.toml"
_REPORTED = "USD"  # of costs in spans
_MILLION = 1_000_000
_DATED = re.compile(r"[-@:]\d[\d-]{3,9}$")  # gpt-5-mini-2025-08-07


@dataclass(frozen=True, slots=True)
class Money:
    """Amounts by currency, and the models for whose calls no price is known, which are not in them."""

    amounts: Mapping[str, float]
    unpriced: tuple[str, ...] = ()

    @property
    def amount(self) -> float | None:
        """The one amount, of calls that all have a price; else None."""
        return next(iter(self.amounts.values())) if len(self.amounts) == 1 and not self.unpriced else None

    def __str__(self) -> str:
        """Return it in words: "0.0123 USD, without gpt-x"; empty where nothing is known."""
        told = " and ".join(f"{amount:,.4f} {currency}" for currency, amount in self.amounts.items())
        return f"{told}, without {', '.join(self.unpriced)}" if told and self.unpriced else told


@dataclass(frozen=True, slots=True)
class Prices:
    """For a million tokens read and written by each model, by its name."""

    models: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    currency: str = _REPORTED

    def of(self, model: str | None, in_token: int | None, out_token: int | None) -> float | None:
        """Return what tokens of a model cost, whose name may have a date; None where its price is not known, or no
        tokens are.
        """
        price = self.models.get(model or "") or self.models.get(_DATED.sub("", model or ""))
        if price is None or (in_token is None and out_token is None):
            return None
        return ((in_token or 0) * price[0] + (out_token or 0) * price[1]) / _MILLION

    def cost(self, entities: Iterable[Entity]) -> Money | None:
        """Return what the steps among some nodes cost; None where nothing is known of it.

        The totals of an End count where no step has any.
        """
        given = [one for one in entities if isinstance(one, Step)]
        own = [one for one in given if not isinstance(one, End) and (one.cost is not None or one.model)]
        amounts, unpriced = defaultdict[str, float](float), dict[str, None]()
        for step in own or [one for one in given if one.model]:
            if step.cost is not None:
                amounts[_REPORTED] += step.cost
            elif (cost := self.of(step.model, step.in_token, step.out_token)) is not None:
                amounts[self.currency] += cost
            else:
                unpriced[step.model or ""] = None
        return Money(dict(amounts), tuple(unpriced)) if amounts else None


UNKNOWN = Prices()
"""No price of any model."""


def prices(folder: Path | None) -> Prices:
    """Return the prices that EXPLORER_PRICES names, else those in a folder, else none; raises WorkspaceError."""
    named = os.environ.get("EXPLORER_PRICES")
    path = Path(named) if named else folder / FILE if folder else None
    if path is None or (not named and not path.exists()):
        return UNKNOWN
    try:
        told = tomllib.loads(path.read_text("utf-8"))
        models = {name: (_price(name, price, "input"), _price(name, price, "output")) for name, price in told.items()
                  if name != "currency"}  # fmt: skip
    except (OSError, ValueError) as error:
        message = f"The prices in {path} can't be read ({error}); see to that, or remove the file."
        raise WorkspaceError(message) from error
    return Prices(models, str(told.get("currency", _REPORTED)))


def _price(name: str, price: object, which: str) -> float:
    amount = price.get(which, 0) if isinstance(price, Mapping) else None
    if isinstance(amount, bool) or not isinstance(amount, int | float) or not isfinite(amount) or amount < 0:
        raise ValueError(f"{which} of {in_quotes(name)} must be an amount for a million tokens")
    return float(amount)
