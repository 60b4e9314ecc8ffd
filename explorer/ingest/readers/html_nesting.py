"""Pages that would take a reader of HTML down: nested without end, with marks that are never closed, or attributes.

What a page grows to is judged before it is parsed, by its tags alone: a mark for bold or a link that is not closed
stands in each block after it once more, so that 40 kB can become a gigabyte. Depth, attributes and the choices of a
list cost their square.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from explorer.errors import DocumentError

_DEEPEST = 5_000
_MOST_ATTRIBUTES = 2_000
_MOST_CHOICES = 30_000
_MOST_REPEATED = 500_000  # elements, and so many times as many as there are tags:
_MANY_TIMES = 20
_LONG = 10_000  # characters of a tag of which the attributes are counted
_TAG = re.compile(r"<(?:!--|(/?)([a-zA-Z][^\s/<>]*)([^<>]*))")
_NAME = re.compile(r"[a-z][a-z0-9-]*")
_VALUE = re.compile(r"\"[^\"]*\"|'[^']*'")
_MARKS = frozenset("a b big code em font i nobr s small strike strong tt u".split())
_FEW = 100
_KEPT = 3  # as many alike as are kept of marks that are open
_TEXTS = {tag: re.compile(f"</{tag}", re.IGNORECASE)
          for tag in ("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes")}  # fmt: skip
_ENDED = frozenset(  # without an end of their own, or by what follows
    "area base br col embed hr img input link meta param source track wbr html head body p li dd dt tr td th thead "
    "tbody tfoot colgroup option optgroup rb rt rp".split()
)


def check_nesting(html: str, name: str) -> None:
    """Raise DocumentError for a page that is nested, or grows, as none does that is meant to be read."""
    page = _Page()
    at = 0
    while at >= 0 and (found := _TAG.search(html, at)) is not None:
        at, tag = found.end(), (found[2] or "").lower()
        if not tag:
            at = html.find("-->", at)
        elif not _NAME.fullmatch(tag):
            continue
        elif found[1]:
            page.close(tag)
        else:
            if len(found[3]) > _LONG and len(_VALUE.sub("", found[3]).split()) > _MOST_ATTRIBUTES:
                raise _harmful(name, f"an element with more than {_MOST_ATTRIBUTES:,} attributes")
            page.open(tag, found[3])
            if tag in _TEXTS:
                end = _TEXTS[tag].search(html, at)
                at = end.start() if end else -1
        if page.choices > _MOST_CHOICES:
            raise _harmful(name, f"more than {_MOST_CHOICES:,} choices in its lists")
        if len(page.inside) > _DEEPEST:
            raise _harmful(name, f"elements that stand in each other more than {_DEEPEST:,} deep")
        if page.repeated > max(_MOST_REPEATED, _MANY_TIMES * page.tags):
            raise _harmful(name, "marks that are never closed, and so stand in all that follows")


def _harmful(name: str, what: str) -> DocumentError:
    return DocumentError(f"{name!r} has {what}, as no page has that is meant to be read; save its text and use that.")


@dataclass(slots=True)
class _Page:
    """What is open at a place of a page: elements, the innermost last, and marks, of which others come after them."""

    inside: list[str] = field(default_factory=list)
    often: Counter[str] = field(default_factory=Counter)
    marks: dict[tuple[str, str], int] = field(default_factory=dict)
    tags: int = 0
    choices: int = 0
    repeated: int = 0

    def open(self, tag: str, attributes: str) -> None:
        """Begin an element."""
        self.tags += 1
        self.choices += tag == "option" and self.often["select"] > 0
        if tag in _MARKS:
            self.marks[tag, attributes] = min(_KEPT, self.marks.pop((tag, attributes), 0) + 1)
        else:
            self.repeated += sum(self.marks.values()) if len(self.marks) < _FEW else _KEPT * len(self.marks)
        is_whole = attributes.endswith("/") and (self.often["svg"] or self.often["math"])
        if tag not in _ENDED and not is_whole:
            self.inside.append(tag)
            self.often[tag] += 1

    def close(self, tag: str) -> None:
        """End the innermost element of a kind, with all in it; nothing where none is open."""
        if tag in _MARKS and (last := next((one for one in reversed(self.marks) if one[0] == tag), None)) is not None:
            self.marks[last] -= 1
            if not self.marks[last]:
                del self.marks[last]
        while self.often[tag]:
            inner = self.inside.pop()
            self.often[inner] -= 1
            if inner == tag:
                return
