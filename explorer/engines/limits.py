"""How far an engine looks."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from explorer.errors import QuestionError


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How far to look; names and defaults are TrustGraph's.

    `entity_limit`: seed entities in all; `triple_limit`: facts from one node in one direction;
    `max_subgraph_size`: facts looked at; `max_path_length`: hops from a seed; `edge_score_limit`: facts scored;
    `edge_limit`: facts kept. Raises QuestionError for what is no positive whole number.
    """

    entity_limit: int = 50
    triple_limit: int = 30
    max_subgraph_size: int = 150
    max_path_length: int = 2
    edge_score_limit: int = 30
    edge_limit: int = 25

    def __post_init__(self) -> None:
        """Refuse what can't be meant."""
        for name, value in asdict(self).items():
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                message = f"{name} must be a whole number of at least 1, not {value!r}."
                raise QuestionError(message)
