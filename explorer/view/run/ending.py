"""How a run ended: the state of the view, and the line that says it, of one that was on show and of a stored one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.text import count
from explorer.wording import endings
from explorer.wording.graph_words import lines
from explorer.wording.names import is_agent
from explorer.wording.spent import after
from explorer.wording.tally import tally

if TYPE_CHECKING:
    from explorer.dag import ProvenanceDag
    from explorer.events import Done
    from explorer.record.trace import Trace
    from explorer.view.messages.run import State


@dataclass(frozen=True, slots=True)
class Ended:
    """The state of the view, a line that says how the run ended, and the seconds it took, if recorded."""

    state: State
    words: str
    took: float | None


def recorded(trace: Trace) -> Ended:
    """Return how a stored run ended."""
    done = trace.dag.done
    took = done.duration_ms / 1000 if done and done.duration_ms is not None else None
    how = endings.ending(trace.reason)
    failure = next((lines(trace.dag, node)[-1] for node in reversed(trace.dag.nodes("Failure"))), None)
    said = (done.error if done else None) or failure or "no reason is on record"
    waited = ((done.paused_ms if done else None) or 0) / 1000
    words = how.line.format(after=after(took, waited), error=said, reason=trace.reason)
    return Ended(how.state, f"{words}{_cost(trace.dag, done)}", took)


def shown(dag: ProvenanceDag, done: Done | None, *, took: float | None, waited: float) -> Ended:
    """Return how a run ended that was shown while it went on, and the seconds it took; without a `done` it was stopped.

    `waited` are the seconds in which it waited for its reader.
    """
    ended = after(took, waited if waited >= 1 else 0)
    if done is None or done.reason == "error":
        how = "Stopped" if done is None else "Failed"
        return Ended("error" if done else "stopped", f"{how}{ended}. Everything up to here is on record.", took)
    if done.reason == "declined":
        return Ended("declined", f"Ended{ended}: {endings.DECLINED}", took)
    steps = len(dag.nodes("Analysis")) or len(dag.nodes("StepResult"))
    gained = f"{count(steps, 'step')} taken" if is_agent(dag) else tally(dag)
    return Ended("done", f"Ended{ended}: {gained}{_cost(dag, done)}", took)


def _cost(dag: ProvenanceDag, done: Done | None) -> str:
    """Return what a run cost, to stand behind how it ended; empty where that is not known."""
    money = done.prices.cost(dag.entities.values()) if done else None
    return f" · {money}" if money else ""
