"""Collecting garbage less often while very many objects are made that all stay: it takes a tenth of storing facts."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_SELDOM = (50_000, 20, 20)
_lock = threading.Lock()
_usual: list[tuple[int, int, int]] = []  # one for each that is within


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Have the interpreter look for garbage seldom within it, in any number of threads; then as often as before."""
    with _lock:
        _usual.append(_usual[0] if _usual else gc.get_threshold())
        gc.set_threshold(*_SELDOM)
    try:
        yield
    finally:
        with _lock:
            before = _usual.pop()
            if not _usual:
                gc.set_threshold(*before)
