"""The thread in which files are read, questions are looked for and facts are corrected."""

import subprocess
import sys
from functools import partial

import pytest

from explorer.widgets.documents.worker import Worker

ENDS = """
import time
from explorer.widgets.documents.worker import Worker

waiting = ["one", "two"]

def say():
    time.sleep(0.5)
    print("ended", flush=True)

worker = Worker("test", lambda: waiting.pop(0) and say if waiting else None)
worker.wake()
time.sleep(0.1)
"""


def test_the_end_of_the_program_waits_for_what_is_done_and_begins_nothing_more():
    done = subprocess.run([sys.executable, "-c", ENDS], capture_output=True, text=True, check=True, timeout=60)
    assert (done.stdout, done.stderr) == ("ended\n", "")


def test_things_are_done_in_order_also_those_that_come_late():
    done, waiting = [], [1, 2]
    worker = Worker("test", lambda: partial(done.append, waiting.pop(0)) if waiting else None)
    worker.wake()
    assert worker.wait(10)
    waiting.append(3)
    worker.wake()
    assert worker.wait(10)
    assert done == [1, 2, 3]
    worker.end()
    waiting.append(4)
    worker.wake()
    assert worker.wait(10)
    assert done == [1, 2, 3]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_what_raises_does_not_keep_the_next_from_being_done():
    done, waiting = [], [lambda: 1 / 0, lambda: done.append(2)]
    worker = Worker("test", lambda: waiting.pop(0) if waiting else None)
    worker.wake()
    assert worker.wait(10)
    worker.wake()
    assert worker.wait(10)
    assert done == [2]
