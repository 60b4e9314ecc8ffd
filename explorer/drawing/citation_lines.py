"""The lines of a saved picture that lead to an answer and to its sentences, as the app draws them.

What is cited has one line, down to a channel of its own above the row, and from there an end on each sentence that it
bears. Lengths are CSS pixels.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from explorer.drawing.columns import Place

Rectangle = tuple[float, float, float, float]  # left, top, right, bottom
Way = list[tuple[float, float]]  # from a box to where a line goes down
Cited = tuple[str, str]  # what is cited and what cites it, or what an answer derives from and the answer
_CHANNEL, _HEADROOM = 8.0, 8.0  # between two lines, and below the lowest
_CORNER, _END = 10.0, 14.0  # beside the corner of a box, and between two ends on it
_CLEAR, _ASIDE = 3.0, 10.0  # beside what a line passes; how high above the foot of a box it leaves at the side
_SIDES = (18.0, 26.0, 9.0, 34.0)  # from a box to where a line beside it goes down, the best first


def leading(pairs: Sequence[Cited], boxes: Mapping[str, Place], stands: Sequence[Rectangle]) -> dict[Cited, str]:
    """Return the paths of all that leads to one row, past `stands`: boxes, and names below points.

    Parts that paths of one thing share are the same in each.
    """
    goals: dict[str, list[str]] = defaultdict(list)
    for parent, child in dict.fromkeys(pairs):
        goals[parent].append(child)
    row = min((boxes[child].top for _, child in pairs), default=0.0)
    begins: dict[str, Way] = {}
    for parent in sorted(goals, key=lambda name: (-boxes[name].bottom, boxes[name].x)):
        taken = [way[-1][0] for way in begins.values()]
        begins[parent] = _begin(boxes[parent], [boxes[child] for child in goals[parent]], row, stands, taken)
    down = {parent: way[-1][0] for parent, way in begins.items()}
    ends = _ends(goals, boxes, down)
    turns = {parent: [x, *(ends[parent, child] for child in goals[parent])] for parent, x in down.items()}
    levels = _levels({parent: (min(xs), max(xs)) for parent, xs in turns.items()}, row, stands)
    return {pair: _path(begins[pair[0]], levels[pair[0]], ends[pair], boxes[pair[1]].top) for pair in pairs}


def _path(begin: Way, level: float, end: float, top: float) -> str:
    (x, y), (down, _) = begin[0], begin[-1]
    way = f"M{x:.0f} {y:.0f}" + (f"H{down:.0f}" if len(begin) > 1 else "")
    across = f"H{end:.0f}" if round(end) != round(down) else ""
    return f"{way}V{level:.0f}{across}V{top:.0f}"


def _begin(box: Place, goals: list[Place], row: float, stands: Sequence[Rectangle], taken: list[float]) -> Way:
    """Return how a line leaves a box: straight down, best above what it leads to, else past its side."""
    ways = [*_ways(box, goals)]

    def is_free(way: Way) -> bool:
        (begin, height), (x, y) = way[0], way[-1]
        near, far = min(begin, x), max(begin, x)
        beside = (one for one in stands if one[1] < height < one[3] and one[0] < far and one[2] > near)
        below = (one for one in stands if one[0] - _CLEAR < x < one[2] + _CLEAR and one[1] < row and one[3] > y)
        return all(abs(x - one) >= _CHANNEL for one in taken) and not any(below) and not any(beside)

    return next(filter(is_free, ways), ways[0])


def _ways(box: Place, goals: list[Place]) -> Iterator[Way]:
    first, last = box.left + _CORNER, box.right - _CORNER
    for goal in goals:
        if goal.left + _CORNER <= last and goal.right - _CORNER >= first:
            yield [(max(first, min(last, goal.x)), box.bottom)]
    middle = sum(goal.x for goal in goals) / len(goals)
    steps = [first + _CHANNEL * step for step in range(int((last - first) // _CHANNEL) + 1)]
    yield from ([(x, box.bottom)] for x in sorted(steps, key=lambda x: abs(x - middle)))
    y = max(box.bottom - _ASIDE, box.y)
    yield from ([(box.right, y), (box.right + off, y)] for off in _SIDES)
    yield from ([(box.left, y), (box.left - off, y)] for off in _SIDES)


def _ends(goals: Mapping[str, list[str]], boxes: Mapping[str, Place], down: Mapping[str, float]) -> dict[Cited, float]:
    """Return where lines end on each box: side by side, in the order in which they come."""
    ends: dict[Cited, float] = {}
    for goal in dict.fromkeys(child for some in goals.values() for child in some):
        box = boxes[goal]
        some = sorted((parent for parent in down if goal in goals[parent]), key=lambda parent: down[parent])
        step = min(_END, (box.width - 2 * _CORNER) / max(1, len(some) - 1))
        for at, parent in enumerate(some):
            ends[parent, goal] = box.x + (at - (len(some) - 1) / 2) * step
        if len(some) == 1 and box.left + _CORNER <= down[some[0]] <= box.right - _CORNER:
            ends[some[0], goal] = down[some[0]]  # straight down
    return ends


def _levels(spans: Mapping[str, tuple[float, float]], row: float, stands: Sequence[Rectangle]) -> dict[str, float]:
    """Give each line that turns a channel, the shortest the lowest, so that they seldom cross; others share one."""
    lengths = {name: last - first for name, (first, last) in spans.items()}
    channels: dict[str, int] = {}
    for name in sorted((name for name in spans if lengths[name] > 1), key=lambda name: lengths[name]):
        first, last = spans[name]
        below = [channel for one, channel in channels.items()
                 if first < spans[one][1] + 2 * _CHANNEL and last > spans[one][0] - 2 * _CHANNEL]  # fmt: skip
        channels[name] = max(below, default=-1) + 1
    most = max(channels.values(), default=0)
    ceiling = max((one[3] for one in stands if one[3] < row - 2), default=row - 100)
    step = max(2.0, min(_CHANNEL, (row - _HEADROOM - ceiling - _CLEAR) / most)) if most else 0.0
    return {name: row - _HEADROOM - step * channels.get(name, 0) for name in spans}
