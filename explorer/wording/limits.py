"""The words of the limits of engines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

AT_MOST = {  # a number goes first
    "entity_limit": "starting points",
    "triple_limit": "facts from and to each thing",
    "max_subgraph_size": "facts looked at",
    "max_path_length": "steps away from a starting point",
    "edge_score_limit": "facts compared",
    "edge_limit": "facts kept",
    "score_batch": "facts in one request to the model",
    "doc_limit": "passages kept",
    "fetch_limit": "passages looked at",
    "max_iterations": "steps when it works step by step",
    "max_steps": "steps in a plan",
    "max_subagents": "parts of a question",
    "tool_timeout": "seconds for each tool",
    "parallel": "steps or parts at a time",
}
OTHER = {
    "selector": "Search",
    "mode": "Search",
    "rerank": "Score what was found",
    "mmr": "Prefer passages unlike those kept already",
    "mmr_lambda": "how much the match counts against that, 0 to 1",
    "groups": "kinds of tools it may use",
    "state": "state that the tools start in",
}
SEARCHED = {
    "vector": "by meaning",
    "keyword": "by words",
    "hybrid": "by meaning and by words",
    "reasoning": "graph walk",
    "rerank": "graph walk, compared at each hop",
    "passages": "graph walk, then the nearest passages",
}
BY_ITSELF = "auto"


def written(value: object) -> str:
    """Return a limit as a person types it; None is left to the engine."""
    if value is None:
        return BY_ITSELF
    if isinstance(value, float):
        return f"{value:g}"
    return ", ".join(map(str, value)) if isinstance(value, Iterable) and not isinstance(value, str) else str(value)


def at_most(given: Mapping[str, object]) -> list[str]:
    """Return a phrase for each number among the limits of a run; those without words here go by their own names."""
    numbers = {name: value for name, value in given.items() if type(value) in (int, float) and name not in OTHER}
    return [
        f"{written(value)} {AT_MOST[name]}" if name in AT_MOST else f"{name} {written(value)}"
        for name, value in numbers.items()
    ]
