"""The lines of a saved picture that lead to an answer and to its sentences, as the app draws them.

What is cited has one line, down to a channel of its own above the row, and from there an end on each sentence that it
bears. Lengths are CSS pixels.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from explorer.drawing.columns import Place

Rectangle = tuple[float, float, float, float]  # left, top, right, bottom
Cited = tuple[str, str]  # what is cited and what cites it, or what an answer derives from and the answer
_CHANNEL, _HEADROOM = 8.0, 8.0  # between two lines, and below the lowest
_CORNER, _END = 10.0, 14.0  # beside the corner of a box, and between two ends on it
_CLEAR, _ASIDE = 3.0, 10.0  # beside what a line passes; how high above the foot of a box it leaves at the side
_SIDES = (18.0, 26.0, 9.0, 34.0)  # from a box to where a line beside it goes down, the best first


@dataclass(slots=True)
class _Line:
    begin: list[tuple[float, float]]  # from its box to where it goes down
    goals: dict[str, Place]
    ends: dict[str, float] = field(default_factory=dict)
    level: float = 0.0

    @property
    def x(self) -> float:
        return self.begin[-1][0]

    @property
    def span(self) -> tuple[float, float]:
        return min(self.x, *self.ends.values()), max(self.x, *self.ends.values())

    @property
    def length(self) -> float:
        return self.span[1] - self.span[0]

    def path(self, goal: str) -> str:
        """Return the path to one of its goals; parts that it shares with others are the same in each."""
        (x, y), *more = self.begin
        way = f"M{x:.0f} {y:.0f}" + "".join(f"H{turn:.0f}" for turn, _ in more)
        across = f"H{self.ends[goal]:.0f}" if round(self.ends[goal]) != round(self.x) else ""
        return f"{way}V{self.level:.0f}{across}V{self.goals[goal].top:.0f}"


def leading(pairs: Sequence[Cited], boxes: Mapping[str, Place], stands: Sequence[Rectangle]) -> dict[Cited, str]:
    """Return the paths of all that leads to one row, past `stands`: boxes, and names below points."""
    goals: dict[str, dict[str, Place]] = defaultdict(dict)
    for parent, child in pairs:
        goals[parent][child] = boxes[child]
    row = min((boxes[child].top for _, child in pairs), default=0.0)
    lines: dict[str, _Line] = {}
    for parent in sorted(goals, key=lambda name: (-boxes[name].bottom, boxes[name].x)):
        taken = [line.x for line in lines.values()]
        lines[parent] = _Line(_begin(boxes[parent], [*goals[parent].values()], row, stands, taken), goals[parent])
    _spread([*lines.values()])
    _stack([*lines.values()], row, stands)
    return {(parent, child): lines[parent].path(child) for parent, child in pairs}


def _begin(
    box: Place, goals: list[Place], row: float, stands: Sequence[Rectangle], taken: list[float]
) -> list[tuple[float, float]]:
    """Return how a line leaves a box: straight down, best above what it leads to, else past its side."""
    ways = [*_ways(box, goals)]

    def is_free(way: list[tuple[float, float]]) -> bool:
        (begin, height), (x, y) = way[0], way[-1]
        near, far = min(begin, x), max(begin, x)
        beside = (one for one in stands if one[1] < height < one[3] and one[0] < far and one[2] > near)
        below = (one for one in stands if one[0] - _CLEAR < x < one[2] + _CLEAR and one[1] < row and one[3] > y)
        return all(abs(x - one) >= _CHANNEL for one in taken) and not any(below) and not any(beside)

    return next(filter(is_free, ways), ways[0])


def _ways(box: Place, goals: list[Place]) -> Iterator[list[tuple[float, float]]]:
    first, last = box.left + _CORNER, box.right - _CORNER
    for goal in goals:
        if goal.left + _CORNER <= last and goal.right - _CORNER >= first:
            yield [(max(first, min(last, goal.x)), box.bottom)]
    middle = sum(goal.x for goal in goals) / len(goals)
    steps = [first + _CHANNEL * step for step in range(int((last - first) // _CHANNEL) + 1)]
    for x in sorted(steps, key=lambda x: abs(x - middle)):
        yield [(x, box.bottom)]
    y = max(box.bottom - _ASIDE, box.y)
    for off in _SIDES:
        yield [(box.right, y), (box.right + off, y)]
    for off in _SIDES:
        yield [(box.left, y), (box.left - off, y)]


def _spread(lines: list[_Line]) -> None:
    """Set the ends on each box side by side, in the order in which their lines come."""
    by_goal: dict[str, list[_Line]] = defaultdict(list)
    for line in lines:
        for goal in line.goals:
            by_goal[goal].append(line)
    for goal, some in by_goal.items():
        box = some[0].goals[goal]
        step = min(_END, (box.width - 2 * _CORNER) / max(1, len(some) - 1))
        for at, line in enumerate(sorted(some, key=lambda one: one.x)):
            line.ends[goal] = box.x + (at - (len(some) - 1) / 2) * step
            if len(some) == 1 and box.left + _CORNER <= line.x <= box.right - _CORNER:
                line.ends[goal] = line.x  # straight down


def _stack(lines: list[_Line], row: float, stands: Sequence[Rectangle]) -> None:
    """Give each line that turns a channel, the shortest the lowest, so that they seldom cross; others share one."""
    level = sorted((line for line in lines if line.length > 1), key=lambda line: line.length)
    channels: dict[int, int] = {}
    for at, line in enumerate(level):
        below = [channels[id(one)] for one in level[:at] if _touch(line, one)]
        channels[id(line)] = max(below, default=-1) + 1
    most = max(channels.values(), default=0)
    ceiling = max((one[3] for one in stands if one[3] < row - 2), default=row - 100)
    step = max(2.0, min(_CHANNEL, (row - _HEADROOM - ceiling - _CLEAR) / most)) if most else 0.0
    for line in lines:
        line.level = row - _HEADROOM - step * channels.get(id(line), 0)


def _touch(one: _Line, other: _Line) -> bool:
    return one.span[0] < other.span[1] + 2 * _CHANNEL and one.span[1] > other.span[0] - 2 * _CHANNEL
