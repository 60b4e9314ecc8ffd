"""How a run ends, and each word for it: a line for each reason that the record may name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from explorer import entities as e


@dataclass(frozen=True, slots=True)
class Ending:
    """One way to end. `state` is that of the view; `word` is empty where the run came to its end.

    `line` takes `{after}`, as " after 2.1 s", `{error}`, what went wrong, and `{reason}`, as recorded; `none` says why
    there is no answer; `heading`, `about` and `then`, what one can do, stand with the node of a failure.
    """

    state: Literal["done", "declined", "stopped", "error"]
    word: str
    line: str
    none: str = "No answer was written."
    heading: str = ""
    about: str = ""
    then: str = "Ask again: it begins anew, as a run of its own."


DECLINED = "no answer was found"
_ON_RECORD = "Everything up to there is on record."
ENDINGS = {
    "done": Ending("done", "", "Ended{after}"),
    "declined": Ending("declined", "declined", f"Ended{{after}}: {DECLINED}"),
    "error": Ending("error", "failed", "Failed{after}: {error}", "No answer: the run failed.",
                    "What went wrong", "It failed; the run could not go on.",
                    "Ask again, once what is said above is mended."),
    "stopped": Ending("stopped", "stopped", f"Stopped{{after}}. {_ON_RECORD}",
                      "No answer: the run was stopped before there was one.",
                      "Where it was stopped", e.STOPPED),
    "interrupted": Ending("stopped", "cut off", f"Cut off: the program ended before the run did. {_ON_RECORD}",
                          "No answer: the program ended before the run did.",
                          "Where it was cut off", "The program ended before the run did."),
    "running": Ending("stopped", "no end on record", "Running, or never ended: there is no end on record.",
                      "No answer yet: there is no end on record."),
}  # fmt: skip
TERMINATIONS = {  # why an agent stopped working at a question or a part of it
    "declined": f"declined: {DECLINED}",
    "final-answer": "it had its answer",
    "plan-complete": "all steps of the plan were done",
    "subagents-complete": "all parts were worked on",
    "max-iterations": "it had taken as many steps as it was allowed",
    "error": "it failed",
}


def ending(reason: str | None) -> Ending:
    """Return how a run ended that is recorded with this reason; None is one without an end on record."""
    return ENDINGS.get(reason or "running", Ending("done", "", "Ended{after}: {reason}"))


def of_failure(failure: e.Failure) -> Ending:
    """Return how a run broke off: it failed, was stopped, or was cut off with the program."""
    if failure.termination_reason == "cancelled":
        return ENDINGS["stopped"]
    return ENDINGS["interrupted" if failure.error == e.CUT_OFF else "error"]
