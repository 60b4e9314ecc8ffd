"""Which words of retrieved passages each sentence of any answer rests on, by words alone: no model, the same each time.

A sentence is compared with the sentences of the passages by its content words, rare ones above all. What it shares
does not say that a passage entails it.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from math import log
from typing import TYPE_CHECKING

from explorer.language.detection import ENGLISH, language_of, share_alphabet
from explorer.language.headings import MARKED
from explorer.language.sentences import units
from explorer.language.words import STOP
from explorer.models.embedding import WordLlamaEmbedder, is_common
from explorer.reasoning.lexical_support import numbered

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BARE = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"  # no blanks between words
_MARKS = r"\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0dff"  # that `\w` leaves out
_WORD = re.compile(rf"[{_BARE}]+|(?:(?![{_BARE}])[^\W_{_MARKS}]|[{_MARKS}])+(?:['’](?:s|t|re|ve|ll|d|m)\b)?")
_ENDED = re.compile(r"(?<=[。！？؟।۔])[\"”’」』)]*\s*")  # ends of sentences that nupunkt does not know
_PASSAGE_ENDED = re.compile(r"(?<=[.!?。！？؟।۔])(?<!\b[A-Z]\.)(?<!\b[DMS][rt]\.)[\"”’」』)\]]*(?:\s+|(?<=[。！？]))|\n+")
_NO_WORDS = re.compile(r"\[[\d\s,;^–-]+\]|【[^】\n]*】|\]\([^)\s]*\)|https?://\S+|<[^>\n]{1,200}>")  # citations, links
_OPENING = re.compile(r"\s*(?:(?:[-*+•‣◦–>|]|\d{1,3}[.)])\s+)*")
_QUESTION = ("?", "？", "؟", ":", "：")
_CAPITALS = frozenset({"de", "lb"})  # languages that write every noun with a capital
_FEWEST = 3  # content words without a name or number in which something is claimed
_NEAREST = 12  # sentences of passages that are looked at closely


@dataclass(frozen=True, slots=True)
class Rested:
    """Words of a passage that a sentence rests on, and which share of its content they carry, 0 to 1."""

    passage: int
    start: int
    end: int
    share: float


@dataclass(frozen=True, slots=True)
class Aligned:
    """A sentence of an answer and what it rests on; one that is not `foreign` and has no `sources` claims nothing.

    `absent`: its numbers and names that stand in no passage; `false`: its numbers that stand in none of its sources,
    which else carry it. `foreign`: nothing that was retrieved says this.
    """

    start: int
    end: int
    sources: tuple[Rested, ...] = ()
    score: float = 0.0
    absent: tuple[tuple[int, int], ...] = ()
    false: tuple[tuple[int, int], ...] = ()
    foreign: bool = False
