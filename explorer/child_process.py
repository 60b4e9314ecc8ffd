"""A function is called in a process of its own: one that hangs, or crashes a library in C, takes nothing else with it.

The process runs `serve`, and ends with whoever started it. Requests come on stdin, replies go to
stdout, both pickled and both our own.
"""

from __future__ import annotations

import faulthandler
import os
import pickle
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import IO, ParamSpec, TypeVar, cast

_LONGEST = 1_000_000.0  # seconds: more is no time for faulthandler
_SHORTEST = 1e-6  # seconds: less is none for a timer
_ALARM = getattr(signal, "SIGALRM", None)  # it ends a process whatever that is doing; not on Windows
_TIMED_OUT = 1 if _ALARM is None else -_ALARM  # what a process ends with then, or with faulthandler
P = ParamSpec("P")
T = TypeVar("T")


class CrashError(Exception):
    """The process ended before it replied."""


class Apart:
    """A process that is started when it is first needed, and anew after a call brought it down."""

    def __init__(self, memory: int) -> None:
        """Start nothing yet; `memory` is how many bytes it may take, where the system can hold it to that."""
        self.memory = memory
        self._forget()

    def _forget(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        _made.add(self)

    def call(self, seconds: float, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what a function of a module returns, called in the other process; one call at a time.

        Function, arguments and result are pickled. Raises what the function raises, TimeoutError where a step takes
        more than so many seconds, MemoryError, CrashError where it brings the process down, and OSError where none can
        be started.
        """
        with self._lock:
            process, began = self._started(), monotonic()
            try:
                pickle.dump((seconds, function, args, kwargs), _open(process.stdin))
                _open(process.stdin).flush()
                done, result = pickle.load(_open(process.stdout))  # noqa: S301 - from a process of ours
            except (EOFError, BrokenPipeError, pickle.UnpicklingError):  # the last of a reply that was cut off
                _end(process)
                if process.returncode != _TIMED_OUT or monotonic() - began < seconds:
                    raise CrashError from None
                raise TimeoutError from None
            except BaseException:  # nobody waits for the reply any more
                _end(process)
                raise
        if not done:
            raise result
        return cast("T", result)

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(  # noqa: S603 - this interpreter, and a function of ours
                [sys.executable, "-P", "-c", f"from {__name__} import serve; serve({self.memory})"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                start_new_session=True,  # Ctrl-C is for whoever waits
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
            weakref.finalize(self, _end, self._process)
        return self._process


_made = weakref.WeakSet[Apart]()


def _forked() -> None:
    """In a process that was forked: the processes are those of its parent, as is whoever waits for one."""
    for each in list(_made):
        each._forget()  # noqa: SLF001 - of this module


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_forked)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        with suppress(BrokenPipeError):  # what was still to be sent
            _open(pipe).close()


def _open(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None  # noqa: S101 - both are asked for
    return pipe


@dataclass(slots=True)
class _Here:
    """What the other process knows: how many seconds a step may take; None in this one."""

    seconds: float | None = None


_here = _Here()


def step() -> None:
    """Say that work goes on: the time of a step begins anew."""
    if _here.seconds is None:
        return
    seconds = max(_SHORTEST, min(_here.seconds, _LONGEST))
    if _ALARM is None:
        faulthandler.dump_traceback_later(seconds, exit=True, file=sys.stderr)
    else:
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _done() -> None:
    """Say that nothing is being done."""
    if _ALARM is None:
        faulthandler.cancel_dump_traceback_later()
    else:
        signal.setitimer(signal.ITIMER_REAL, 0)


def serve(memory: int) -> None:
    """In the other process: answer requests until there are no more, in so many bytes of memory."""
    requests, replies = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever a library prints
    if _ALARM is not None:
        signal.signal(_ALARM, signal.SIG_DFL)  # whoever started it may let it pass
    while True:
        try:
            _here.seconds, function, args, kwargs = pickle.load(requests)  # noqa: S301 - from the process that started it
        except EOFError:
            return
        hold(memory)
        try:
            step()
            reply = pickle.dumps((True, function(*args, **kwargs)))
        except Exception as error:  # noqa: BLE001 - raised again by `call`
            reply = _raised(error)
        _done()
        replies.write(reply)
        replies.flush()


def _raised(error: Exception) -> bytes:
    """The reply for what was raised; in its words alone where it can't be sent as it is."""
    try:
        reply = pickle.dumps((False, error))
        pickle.loads(reply)  # noqa: S301 - what was just made; some can be written and not read
    except Exception:  # noqa: BLE001 - whatever its class makes of it
        return pickle.dumps((False, RuntimeError(f"{type(error).__name__}: {error}")))
    return reply


def hold(memory: int) -> None:
    """Hold this process to its memory until the next request, and let a crash leave no file of what was in it."""
    with suppress(ImportError, OSError, ValueError):  # not every system can
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_DATA, (memory, resource.getrlimit(resource.RLIMIT_DATA)[1]))
