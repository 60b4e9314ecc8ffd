import pytest
from pyoxigraph import Quad

from explorer import rdf

LOSSLESS = ("nq", "trig", "json-ld")
GRAPHLESS = ("nt", "turtle", "rdfxml")


class QuadSet(frozenset):
    """A set of quads that a failed comparison shows line by line."""


@pytest.fixture(scope="session")
def roundtrip():
    """Write quads in a format, read them back, and compare: with what was written, or with all but its graphs."""

    def check(quads, form):
        loaded = rdf.load(rdf.dump(quads, form), form)
        assert loaded.refused == ()
        assert loaded.given == len(loaded.quads)
        expected = quads if form in LOSSLESS else (Quad(*quad.triple) for quad in quads)
        assert QuadSet(loaded.quads) == QuadSet(expected), form
        return loaded.quads

    return check


def pytest_assertrepr_compare(op, left, right):
    if isinstance(left, QuadSet) and isinstance(right, QuadSet) and op == "==":
        lost = [f"  lost: {quad}" for quad in sorted(right - left, key=str)]
        new = [f"  new:  {quad}" for quad in sorted(left - right, key=str)]
        return [f"{len(left & right)} quads came back as they were", *lost, *new]
    return None
