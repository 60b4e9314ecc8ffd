"""Look-ups that are made together: what is read ahead for many nodes is one request, however many."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, Generic, TypeVar

from pyoxigraph import BlankNode, NamedNode, Quad

from explorer.stores.graph import GraphStore, Node, Object, Pattern, Predicate
from explorer.vocab import Graph

_MOST, _NODES = 50_000, 5_000  # patterns, and nodes, that are remembered
V = TypeVar("V")


class Known(Generic[V]):
    """Values by their keys, remembered of the last `most`; those that are read ahead are read together."""

    def __init__(self, read: Callable[[Sequence[str]], Mapping[str, V]], most: int) -> None:
        """Read what is not known by a function that returns what there is of some keys."""
        self._read = read
        self._most = most
        self._found: dict[str, V | None] = {}

    def ahead(self, keys: Iterable[str]) -> None:
        """Read those of some keys that are not known yet."""
        if wanted := [key for key in dict.fromkeys(keys) if key not in self._found]:
            self.know(self._of(wanted))

    def know(self, values: Mapping[str, V | None]) -> None:
        """Remember values that were read otherwise."""
        self._found.update(values)
        for oldest in [*islice(self._found, max(0, len(self._found) - self._most))]:
            self._found.pop(oldest, None)

    def __call__(self, key: str) -> V | None:
        """Return the value of a key; None where there is none."""
        if key not in self._found:
            self.ahead([key])
            if key not in self._found:  # another thread has read so many since
                return self._of([key])[key]
        return self._found.get(key)

    def forget(self) -> None:
        """Clear what is remembered, after the stores have changed."""
        self._found.clear()

    def _of(self, keys: Sequence[str]) -> dict[str, V | None]:
        read = self._read(keys)
        return {key: read.get(key) for key in keys}


class Lookups:
    """What a graph has by some patterns, read ahead of the questions for it; other patterns are read when asked for.

    What was read ahead is remembered, of the last so many, until `forget`.
    """

    def __init__(self, graph: GraphStore) -> None:
        self.graph = graph
        self._found: dict[Pattern, tuple[Quad, ...]] = {}

    def ahead(self, patterns: Iterable[Pattern]) -> None:
        """Read what the graph has by some patterns, those that are not known yet together."""
        wanted = [one for one in dict.fromkeys(patterns) if one not in self._found]
        if wanted:
            self._found.update(zip(wanted, map(tuple, self.graph.matches(wanted)), strict=True))
            for oldest in [*islice(self._found, max(0, len(self._found) - _MOST))]:
                self._found.pop(oldest, None)

    def knows(self, pattern: Pattern) -> bool:
        """Return whether a pattern was read ahead."""
        return pattern in self._found

    def matches(self, patterns: Sequence[Pattern]) -> list[list[Quad]]:
        """Return for each pattern the quads that fit it; those that were not read ahead are read together."""
        new = [one for one in dict.fromkeys(patterns) if one not in self._found]
        read = dict(zip(new, self.graph.matches(new), strict=True)) if new else {}
        return [list(read[one] if one in read else self._found.get(one, ())) for one in patterns]

    def match(
        self, subject: Node = None, predicate: Predicate = None, obj: Object | None = None, graph: Graph | None = None
    ) -> Iterator[Quad]:
        known = self._found.get((subject, predicate, obj, graph))
        return iter(known) if known is not None else self.graph.match(subject, predicate, obj, graph)

    def forget(self) -> None:
        """Clear what is remembered, after the graph has changed."""
        self._found.clear()


class RememberedGraph:
    """A graph while nobody changes it: what is about a node is read once, of the last so many."""

    def __init__(self, graph: GraphStore) -> None:
        self._graph = graph
        self._about = lru_cache(_NODES)(self._read)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever else the graph has
        return getattr(self._graph, name)

    def __contains__(self, quad: Quad) -> bool:
        return quad in self._graph

    def refresh(self) -> None:
        self._about.cache_clear()
        self._graph.refresh()

    def match(
        self, subject: Node = None, predicate: Predicate = None, obj: Object | None = None, graph: Graph | None = None
    ) -> Iterator[Quad]:
        """Return the quads that fit; None fits anything, in `graph` any graph."""
        if subject is None or predicate is not None or obj is not None:
            return self._graph.match(subject, predicate, obj, graph)
        return iter(self._about(subject).get(graph, ()))

    def _read(self, node: NamedNode | BlankNode) -> dict[Any, list[Quad]]:
        found: dict[Any, list[Quad]] = {None: list(self._graph.match(node))}
        for quad in found[None]:
            found.setdefault(quad.graph_name, []).append(quad)
        return found
