"""The limits of the engines in plain words, for the fields of the ask bar and for what a run says of itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from explorer.engines.limits import MODES, SELECTORS

AT_MOST = {  # a number goes first
    "entity_limit": "starting points",
    "triple_limit": "facts that begin, or end, at one thing",
    "max_subgraph_size": "facts looked at",
    "max_path_length": "steps from a starting point",
    "edge_score_limit": "facts compared",
    "edge_limit": "facts kept",
    "doc_limit": "passages kept",
    "fetch_limit": "passages looked at",
    "max_iterations": "steps, step by step",
    "max_steps": "steps of a plan",
    "max_subagents": "parts of a question",
    "tool_timeout": "seconds for one tool",
    "parallel": "steps or parts at a time",
}
OTHER = {
    "selector": "Search",
    "mode": "Search",
    "rerank": "Compare what was found",
    "mmr": "Prefer passages unlike those kept already",
    "mmr_lambda": "share of the match in that, 0 to 1",
    "groups": "tools on offer, by group",
    "state": "state of the tools at first",
}
CHOICES = {"selector": SELECTORS, "mode": MODES}
SEARCHED = {
    "vector": "by meaning",
    "keyword": "by words",
    "hybrid": "by meaning and by words",
    "reasoning": "by a walk through the graph, then compared",
    "rerank": "hop by hop, compared at each",
}
BY_ITSELF = "by itself"


def written(value: object) -> str:
    """Write the value of a limit as a person types it; None is left to the engine."""
    if value is None:
        return BY_ITSELF
    if isinstance(value, float):
        return f"{value:g}"
    return str(value) if isinstance(value, str) or not isinstance(value, Sequence) else ", ".join(map(str, value))


def at_most(given: Mapping[str, object]) -> list[str]:
    """Say how far a run was to look, a phrase for each number; those without words here go by their own names."""
    numbers = {name: value for name, value in given.items() if type(value) in (int, float) and name not in OTHER}
    return [
        f"{written(value)} {AT_MOST[name]}" if name in AT_MOST else f"{name} {written(value)}"
        for name, value in numbers.items()
    ]
