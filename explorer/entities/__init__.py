"""One frozen dataclass per node type of the record; the classes and the table of their fields."""

from __future__ import annotations

from explorer.entities import agents, extraction, influence, notes, order, queries, table, verdicts
from explorer.entities.agents import *
from explorer.entities.extraction import *
from explorer.entities.influence import *
from explorer.entities.notes import *
from explorer.entities.order import *
from explorer.entities.queries import *
from explorer.entities.queries import Failure
from explorer.entities.table import *
from explorer.entities.table import Entity
from explorer.entities.verdicts import *

_DECLARED: list[type[Entity]] = [
    cls for module in (queries, agents, extraction, influence, notes, verdicts) for cls in vars(module).values()
    if isinstance(cls, type) and cls.__module__ == module.__name__ and "types" in vars(cls)
]  # fmt: skip
CLASSES: tuple[type[Entity], ...] = (
    *(cls for cls in _DECLARED if cls is not Failure),
    Failure,  # last: any other class may have failed too
)

__all__ = ["CLASSES"]
__all__ += agents.__all__
__all__ += extraction.__all__
__all__ += influence.__all__
__all__ += notes.__all__
__all__ += order.__all__
__all__ += queries.__all__
__all__ += table.__all__
__all__ += verdicts.__all__
