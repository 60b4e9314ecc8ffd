"""The ways in which the questions of an evaluation are asked: each engine with each model and each set of limits."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields

from explorer.engines.registry import LIMITS, EngineLimits, Limit, checked
from explorer.entities import Question
from explorer.errors import QuestionError
from explorer.models.chat import NO_MODEL
from explorer.record.trace import Trace
from explorer.vocab import DEFAULT_ENGINE
from explorer.wording.ways import engine_of

Limitations = Mapping[str, Limit]
_ANY = "Which question?"


@dataclass(frozen=True, slots=True)
class Way:
    """An engine, a model ("no model" for none) and limits; those not named are the engine's defaults."""

    engine: str
    model: str
    limits: tuple[tuple[str, Limit], ...] = ()

    @property
    def name(self) -> str:
        """The way in words, all that there is to it."""
        chosen = [f"{name}={value}" for name, value in self.limits]
        return ", ".join([self.engine, *([] if self.model == NO_MODEL else [self.model]), *chosen])

    def asked(self, trace: Trace) -> bool:
        """Return whether a run was asked in this way."""
        question = trace.dag.entities.get(trace.iri)
        if not isinstance(question, Question) or engine_of(question) != self.engine or trace.model != self.model:
            return False
        limits: EngineLimits = checked(_ANY, self.engine, dict(self.limits)).limits
        given = question.parameters or {}
        return all(given.get(name) == value for name, value in json.loads(json.dumps(asdict(limits))).items())


def ways_of(
    engines: str | Sequence[str] | None,
    models: str | Sequence[str] | None,
    limits: Limitations | Sequence[Limitations] | None,
    own_model: str | None,
) -> tuple[Way, ...]:
    """Return each engine with each model and each of the limits; raises QuestionError for what can't be asked.

    An engine takes those of the limits that it has, so that one call may name limits of several; a limit that none of
    the engines has is refused.
    """
    named = _listed("engines", engines, (DEFAULT_ENGINE,))
    choices = [limits] if isinstance(limits, Mapping) else list(limits or ({},))
    if any(not isinstance(one, Mapping) for one in choices):
        raise QuestionError('limits must be a mapping such as {"edge_limit": 6}, or a list of these.')
    for engine in named:
        checked(_ANY, engine, {})
    known = {engine: {field.name for field in fields(LIMITS[engine])} for engine in named}
    for name in dict.fromkeys(name for one in choices for name in one):
        if not any(name in own for own in known.values()):
            raise QuestionError(f"There is no limit {name!r} in {' or '.join(named)}; leave it out.")
    return tuple(dict.fromkeys(_made(named, _listed("models", models, (own_model or NO_MODEL,)), choices, known)))


def _made(
    engines: Sequence[str], models: Sequence[str], choices: Sequence[Limitations], known: Mapping[str, set[str]]
) -> Iterator[Way]:
    for engine in engines:
        for model in models:
            for one in choices:
                own = {name: value for name, value in one.items() if name in known[engine]}
                checked(_ANY, engine, own)
                given = (
                    (name, tuple(value) if isinstance(value, list) else value) for name, value in sorted(own.items())
                )
                yield Way(engine, model, tuple(given))


def _listed(what: str, given: str | Sequence[str] | None, default: Sequence[str]) -> list[str]:
    found = [given] if isinstance(given, str) else list(default if given is None else given)
    if not found or any(not isinstance(one, str) for one in found):
        raise QuestionError(f"{what} must be a name or a list of names.")
    return [one.strip() or NO_MODEL for one in dict.fromkeys(found)]
