"""Records of others, drawn: nodes apart from each other, and no arc behind one."""

from itertools import pairwise

from explorer.drawing.foreign_record import HIGH, WIDE, places
from tests.each import each

RECORDS = {
    "a chain with all that went before": [(str(one), str(other)) for one in range(6) for other in range(one)],
    "one for many": [*((f"out{n}", "act") for n in range(5)), *((f"out{n}", "in") for n in range(5)), ("act", "in")],
    "a circle, and one that rests on it": [("a", "b"), ("b", "a"), ("c", "a"), ("d", "c"), ("d", "b")],
    "one of itself": [("a", "a"), ("b", "a")],
}


@each("record", RECORDS)
def test_no_arc_goes_behind_a_node_and_each_leads_to_the_left(record):
    arcs = RECORDS[record]
    nodes = sorted({node for arc in arcs for node in arc})
    at, past = places(nodes, arcs)
    assert len({*at.values()}) == len(nodes)
    for above, below in arcs:
        way = [at[above], *past.get((above, below), ()), at[below]]
        assert [x for x, _ in way] == [*range(at[above][0], at[below][0] - 1, -WIDE)] or at[above][0] == at[below][0]
        for x, y in way[1:-1]:
            assert not [place for place in at.values() if place[0] == x and place[1] - 10 < y < place[1] + HIGH - 20]
    columns = {x: sorted(y for left, y in at.values() if left == x) for x, _ in at.values()}
    assert all(low - high >= HIGH for column in columns.values() for high, low in pairwise(column))
