import threading

from explorer.entities import GraphRagQuestion
from explorer.events import Text
from explorer.vocab import iri
from explorer.widgets.showing import Showing
from tests.strategies import step


def test_a_snapshot_from_another_thread_never_shows_half_an_event():
    showing = Showing()
    showing.begin()
    showing.take(step(GraphRagQuestion(iri=iri("question", "s"), query="Why?"), 0))
    threads, taken = [], []

    class Looked(str):
        """A piece of text; in the middle of its being folded a page is loaded and asks for a snapshot."""

        __slots__ = ()

        def __len__(self):
            threads.append(threading.Thread(target=lambda: taken.append(showing.snapshot())))
            threads[-1].start()
            threads[-1].join(0.1)
            return super().__len__()

    for piece in "abc":
        showing.take(Text(iri("synthesis", "s"), "answer", Looked(piece)))
    for thread in threads:
        thread.join()
    assert len(taken) >= 3
    assert all(len(snapshot["answer"]["text"]) == snapshot["seq"] - 2 for snapshot in taken)
