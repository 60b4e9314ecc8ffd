"""A process apart: used again, told apart from what it brings down, and ended with whoever waits for it."""

import os
import pickle
import stat
import subprocess
import sys
import threading
import time
from multiprocessing import get_context

import pytest

from explorer import child_process
from explorer.child_process import Apart, CrashError

MEMORY = 1 << 30


def crash():
    os.kill(os.getpid(), 11)


def stop():
    os._exit(1)


def fail():
    raise ValueError("as it is")


def shout():
    sys.stdout.write("a library prints")
    sys.stdout.flush()
    os.write(1, b"in C too")
    return "said"


def steps(number, seconds):
    for _ in range(number):
        child_process.step()
        time.sleep(seconds)
    return number


def grow():
    return len(bytearray(8 << 30))


def cut_off():
    """End in the middle of a reply."""
    whole = pickle.dumps((True, "words" * 1_000))
    [pipe] = [fd for fd in range(3, 20) if is_pipe(fd)]
    os.write(pipe, whole[:2_000])
    os.kill(os.getpid(), 9)


def is_pipe(fd):
    try:
        return stat.S_ISFIFO(os.fstat(fd).st_mode)
    except OSError:
        return False


def test_what_ends_its_process_is_told_and_the_next_call_works():
    other = Apart(MEMORY)
    for function in (crash, cut_off, stop):
        with pytest.raises(CrashError):
            other.call(60.0, function)
    assert other.call(60.0, os.getpid) != os.getpid()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks on this system")
def test_a_forked_child_has_a_process_of_its_own_and_waits_for_nobody():
    other = Apart(MEMORY)
    reading = threading.Thread(target=other.call, args=(60.0, time.sleep, 2))
    reading.start()
    while not other._lock.locked():
        time.sleep(0.01)
    child = get_context("fork").Process(target=other.call, args=(60.0, os.getpid))
    child.start()
    child.join(30)
    assert child.exitcode == 0
    assert reading.is_alive()
    reading.join()


def test_the_process_is_used_again_and_what_a_function_raises_is_raised_here():
    other = Apart(MEMORY)
    first = other.call(60.0, os.getpid)
    with pytest.raises(ValueError, match="as it is"):
        other.call(60.0, fail)
    assert other.call(60.0, shout) == "said"
    assert other.call(60.0, os.getpid) == first


def test_the_time_is_that_of_a_step():
    assert Apart(MEMORY).call(1.0, steps, 4, 0.4) == 4


def test_a_step_without_end_is_ended():
    other = Apart(MEMORY)
    began = time.monotonic()
    with pytest.raises(TimeoutError):
        other.call(0.5, time.sleep, 60)
    assert time.monotonic() - began < 30
    assert other.call(60.0, os.getpid) != os.getpid()


@pytest.mark.skipif(sys.platform != "linux", reason="only there a process is held to its memory")
def test_memory_is_bounded():
    with pytest.raises(MemoryError):
        Apart(MEMORY).call(60.0, grow)


def more():
    child_process.hold(3 * MEMORY)
    return len(bytearray(2 * MEMORY))


@pytest.mark.skipif(sys.platform != "linux", reason="only there a process is held to its memory")
def test_more_memory_is_taken_for_one_call_alone():
    other = Apart(MEMORY)
    assert other.call(60.0, more) == 2 * MEMORY
    with pytest.raises(MemoryError):
        other.call(60.0, bytearray, 2 * MEMORY)


def test_whoever_stops_waiting_leaves_nothing_behind(monkeypatch):
    other = Apart(MEMORY)
    pid = other.call(60.0, os.getpid)
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), 2))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        other.call(60.0, time.sleep, 30)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert other.call(60.0, os.getpid) != pid


def test_the_process_ends_with_whoever_started_it():
    script = (
        "import os; from explorer.child_process import Apart\n"
        "kept = Apart(1 << 30); print(kept.call(60.0, os.getpid), flush=True); input()"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        pid = int(parent.stdout.readline())
        os.kill(pid, 0)
        parent.kill()
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    pytest.fail("it is still there")


class OddError(Exception):
    """It can be written, and not read again."""

    def __init__(self, code, words):
        super().__init__(words)


def fail_oddly(of):
    raise OddError(1, "odd words") if of == "reading" else type("Local", (Exception,), {})("odd words")


def test_what_is_raised_comes_in_its_words_where_it_cannot_be_sent():
    other = Apart(MEMORY)
    first = other.call(60.0, os.getpid)
    for of in ("reading", "writing"):
        with pytest.raises(RuntimeError, match=r"^(OddError|Local): odd words$"):
            other.call(60.0, fail_oddly, of)
    assert other.call(60.0, os.getpid) == first
