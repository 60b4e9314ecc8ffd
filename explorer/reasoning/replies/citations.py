"""The citations that replies of providers carry, read into one shape: which words of an answer rest on what.

A reply is what a user has in hand: a dict as from JSON, an object of a provider's library, a message of LangChain, a
list of content blocks, or a string. `_FORMS` says where each kind of citation keeps what. What is not as it should be
is left out, and nothing raises. An offset that does not fit is read in another unit, or found by the words it is for;
a citation whose place stays unknown is left out too.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import accumulate, islice
from typing import cast

from explorer.text import sound

_MOST = 10_000  # blocks or citations that are read
_LARGEST = 2**31  # no text has so many characters, and no document so many pages
_BROKEN = -1  # an offset that is given but is no number


@dataclass(frozen=True)
class Claim:
    """Words of an answer, and what the provider says they rest on."""

    start: int
    """Where the words begin in the answer, in characters."""
    end: int
    """Where they end; equal to `start` for a marker at a point."""
    said: str = ""
    """The words of the source that the provider shows: a quotation, or the whole passage; "" where it shows none."""
    source: str | int | None = None
    """The document: its index among those given, or its id, address or title."""
    also: tuple[str, ...] = ()
    """Other names of the same document."""
    at: tuple[int, int] | None = None
    """Where the words are in the document, in characters, where that is said."""
    page: tuple[int, int] | None = None
    """The first and the last page, counted from one, where that is said."""
    by: str = ""
    """Whose form of citation it is."""


@dataclass(frozen=True)
class _Form:
    """Where a kind of citation keeps what: paths of names with dots, of which the first that holds something counts."""

    by: str
    names: tuple[str, ...]  # of the source; each that is there is a name of it
    said: tuple[str, ...] = ()
    start: tuple[str, ...] = ("start_index",)  # offsets in the answer; one without any is for all of its block
    end: tuple[str, ...] = ("end_index",)
    words: tuple[str, ...] = ()  # the words of the answer that the offsets are for
    block: tuple[str, ...] = ()  # the number of the block that the offsets count in
    at: tuple[str, str] = ("", "")
    pages: tuple[tuple[str, ...], ...] = ()
    ends_before: bool = False  # the last page is the one before what is named
    counts_bytes: bool = False  # and leaves out a start that is zero


_ANTHROPIC = _Form("Anthropic", ("document_index", "document_title", "file_id"), ("cited_text",))
_LANGCHAIN_GOOGLE = _Form(  # its cited text is that of the answer
    "LangChain",
    ("url", "title", "extras.google_ai_metadata.grounding_chunk_index"),
    words=("cited_text",),
    counts_bytes=True,
)
_FORMS = {  # by the type of a citation
    "char_location": replace(_ANTHROPIC, at=("start_char_index", "end_char_index")),
    "page_location": replace(_ANTHROPIC, pages=(("start_page_number", "end_page_number"),), ends_before=True),
    "content_block_location": _ANTHROPIC,
    "search_result_location": replace(_ANTHROPIC, names=("search_result_index", "source", "title")),
    "web_search_result_location": replace(_ANTHROPIC, names=("url", "title")),
    "url_citation": _Form(
        "OpenAI",
        ("url", "title", "url_citation.url", "url_citation.title"),
        ("url_citation.content",),
        ("start_index", "url_citation.start_index"),
        ("end_index", "url_citation.end_index"),
    ),
    "file_citation": _Form(
        "OpenAI",
        ("file_id", "filename", "file_citation.file_id"),
        ("quote", "file_citation.quote"),
        ("start_index", "index", "file_index"),
        ("end_index",),
        ("text",),
    ),
    "container_file_citation": _Form("OpenAI", ("file_id", "filename")),
    "citation": _Form(
        "LangChain",
        (
            "extras.document_index",
            "extras.search_result_index",
            "url",
            "extras.file_id",
            "title",
            "extras.source",
        ),
        ("cited_text",),
        ("start_index", "extras.file_index"),
        ("end_index",),
        at=("extras.start_char_index", "extras.end_char_index"),
        pages=(("extras.start_page_number", "extras.end_page_number"),),
        ends_before=True,
    ),
}
_COHERE = _Form(
    "Cohere",
    ("id", "document.id", "document.url", "document.title", "tool_output.url", "tool_output.title"),
    tuple(f"{holder}.{name}" for holder in ("document", "tool_output") for name in ("text", "snippet", "content")),
    ("start",),
    ("end",),
    ("text",),
    ("content_index",),
)
_GOOGLE = _Form(
    "Google",
    (
        *(f"chunk.{kind}.{name}" for kind in ("web", "retrieved_context", "maps") for name in ("uri", "title")),
        "chunk.image.source_uri",
        "chunk.image.title",
        "chunk.retrieved_context.document_name",
        "chunk.retrieved_context.rag_chunk.file_id",
        "chunk.maps.place_id",
        "index",
    ),
    ("chunk.retrieved_context.text", "chunk.retrieved_context.rag_chunk.text", "chunk.maps.text"),
    ("segment.start_index",),
    ("segment.end_index",),
    ("segment.text",),
    ("segment.part_index",),
    pages=(
        tuple(f"chunk.retrieved_context.rag_chunk.page_span.{end}_page" for end in ("first", "last")),
        ("chunk.retrieved_context.page_number",) * 2,
    ),
    counts_bytes=True,
)
_RECITED = _Form("Google", ("uri", "title"), counts_bytes=True)

_ROOMS = (  # what holds citations of the whole answer, and in it the answer: a text, or blocks
    ("choices.0.message", "content"),
    ("choices.0.message", "refusal"),
    ("message", "content"),
    ("candidates.0", "content.parts"),
    ("", "content"),
    ("", "text"),
)
_HOLDERS = ("", "additional_kwargs", "response_metadata")
_SHOWN = ("", "text", "output_text", "refusal")  # types of blocks that a user sees
_UNSEEN = ("THINKING_CONTENT", "PLAN")  # citations of what a user does not see


def answer_of(reply: object) -> tuple[str, list[Claim]]:
    """Return the text of an answer as it is shown, without thoughts and calls of tools, and its claims."""
    for opened in _opened(reply):
        for holder, content in _rooms(opened):
            blocks = _blocks(content)
            if blocks:
                whole = _Stretch("".join(block.text for block in blocks))
                return whole.text, _of_message(holder, blocks, whole) or _of_blocks(blocks, whole)
    return "", []


class _Stretch:
    """A text that offsets count in: a block of the answer, or all of it."""

    def __init__(self, text: str, start: int = 0, number: int = 0, node: object = None) -> None:
        self.text = text
        self.start = start
        self.number = number
        self.node = node

    @cached_property
    def _marks(self) -> tuple[list[int], list[int]]:
        """Where each character begins, in bytes of UTF-8 and in halves of UTF-16."""
        points = [*map(ord, self.text)]
        sizes = [1 + (point > 0x7F) + (point > 0x7FF) + (point > 0xFFFF) for point in points]
        return [*accumulate(sizes, initial=0)], [*accumulate((1 + (point > 0xFFFF) for point in points), initial=0)]

    def place(self, offset: int, unit: int) -> int | None:
        """Return the character at an offset in characters (0), bytes (1) or halves (2), if one begins or ends there."""
        if unit == 0 or self.text.isascii():
            return offset if 0 <= offset <= len(self.text) else None
        marks = self._marks[unit - 1]
        found = bisect_left(marks, offset)
        return found if found < len(marks) and marks[found] == offset else None

    def readings(self, start: int, end: int, units: Sequence[int]) -> list[tuple[int, int]]:
        """Return the spans that two offsets may be, one unit after the other."""
        places = [(self.place(start, unit), self.place(end, unit)) for unit in units]
        return [(one, other) for one, other in places if one is not None and other is not None and one <= other]

    def span(self, start: int, end: int, *, counts_bytes: bool) -> tuple[int, int] | None:
        """Return the span of two offsets; in another unit where only that one fits; to the end where they run past."""
        unit, others = (1, (0, 2)) if counts_bytes else (0, (1, 2))
        found = self.readings(start, end, [unit]) or [*dict.fromkeys(self.readings(start, end, others))]
        if found:
            return found[0] if len(found) == 1 else None
        first = self.place(start, unit)
        return (first, len(self.text)) if first is not None and first < len(self.text) and end > start else None

    def only(self, words: str) -> tuple[int, int] | None:
        found = self.text.find(words)
        return (found, found + len(words)) if found >= 0 > self.text.find(words, found + 1) else None

    def moved(self, span: tuple[int, int]) -> tuple[int, int]:
        return span[0] + self.start, span[1] + self.start


def _opened(reply: object) -> Iterator[object]:
    """Yield a reply, then what its object says of itself in plain values."""
    yield reply
    for name in ("model_dump", "to_dict", "dict"):
        try:
            plain = getattr(reply, name)()
            is_plain = isinstance(plain, Mapping)
        except Exception:  # noqa: BLE001, S112 - another's object may do anything
            continue
        if is_plain:
            yield plain


def _rooms(reply: object) -> Iterator[tuple[object, object]]:
    yield None, reply
    yield None, [block for item in _items(_at(reply, "output")) for block in _items(_at(item, "content"))]
    for holder, content in _ROOMS:
        room = _at(reply, holder)
        yield room, _at(room, content)


def _blocks(content: object) -> list[_Stretch]:
    found, start = list[_Stretch](), 0
    for number, node in enumerate([content] if _text(content) else _items(content)):
        text = _text(node) or _shown(node)
        if text:
            found.append(_Stretch(text, start, number, node))
            start += len(text)
    return found


def _shown(node: object) -> str:
    kind = _at(node, "type")
    if (kind is None or _text(kind) in _SHOWN) and _at(node, "thought") is not True:
        return _first(node, ("text", "text.value", "refusal"))
    return ""


def _of_blocks(blocks: Sequence[_Stretch], whole: _Stretch) -> list[Claim]:
    notes = (
        (block, note)
        for block in blocks
        for path in ("citations", "annotations", "text.annotations")
        for note in _items(_at(block.node, path))
    )
    found = (_claim(*_typed(note), None, (block, whole)) for block, note in islice(notes, _MOST))
    return [*dict.fromkeys(claim for claim in found if claim)]


def _of_message(holder: object, blocks: Sequence[_Stretch], whole: _Stretch) -> list[Claim]:
    numbered = {block.number: block for block in blocks}
    found = list[Claim | None]()
    for form, note, source in islice((each for path in _HOLDERS for each in _held(_at(holder, path))), _MOST):
        number = _number(_first_of(note, form.block)) if form else None
        within = (whole,) if number is None else (numbered.get(number), whole)
        found.append(_claim(form, note, source, within))
    return [*dict.fromkeys(claim for claim in found if claim)]


def _held(holder: object) -> Iterator[tuple[_Form | None, object, object]]:
    """Yield the citations that a message, or what belongs to it, holds: the form, the citation and its source."""
    for note in _items(_at(holder, "annotations")):
        yield *_typed(note), None
    documents = {_text(_at(document, "id")): document for document in _items(_at(holder, "documents"))}
    for note in _items(_at(holder, "citations")):
        form = None if _text(_at(note, "type")) in _UNSEEN else _COHERE
        for source in _items(_at(note, "sources")):
            yield form, note, source
        for name in map(_text, _items(_at(note, "document_ids"))):
            yield form, note, {"id": name, "document": documents.get(name)}
    grounding = _at(holder, "grounding_metadata")
    chunks = _items(_at(grounding, "grounding_chunks"))
    for note in _items(_at(grounding, "grounding_supports")):
        for index in map(_number, _items(_at(note, "grounding_chunk_indices"))):
            known = index is not None and index < len(chunks)
            yield _GOOGLE if known else None, note, {"chunk": chunks[index or 0], "index": index} if known else None
    for path in ("citation_metadata.citations", "citation_metadata.citation_sources"):
        for note in _items(_at(holder, path)):
            yield _RECITED, note, None


def _typed(note: object) -> tuple[_Form | None, object]:
    """Return the form that a citation's type names, and the citation, taken out of LangChain's cover for others."""
    kind = _text(_at(note, "type"))
    if kind == "non_standard_annotation":
        note = _at(note, "value")
        kind = _text(_at(note, "type"))
    if kind == "citation" and _at(note, "extras.google_ai_metadata") is not None:
        return _LANGCHAIN_GOOGLE, note
    return _FORMS.get(kind), note


def _claim(form: _Form | None, note: object, source: object, within: Sequence[_Stretch | None]) -> Claim | None:
    """Return the claim of a citation; none where it names no source, or where its place stays unknown."""
    if form is None:
        return None
    source = note if source is None else source
    span = _placed(form, note, within)
    said = _first(source, form.said)
    names = [name for path in form.names if (name := _name(_at(source, path))) is not None]
    if span is None or not (names or said):
        return None
    others = dict.fromkeys(name for name in names[1:] if isinstance(name, str) and name != names[0])
    at = _pair(source, form.at)
    return Claim(*span, said, names[0] if names else None, (*others,), at, _pages(form, source), form.by)


def _placed(form: _Form, note: object, within: Sequence[_Stretch | None]) -> tuple[int, int] | None:
    """Return the words of the answer that a citation is for: all of its block where it has no offsets and no words."""
    start, end, words = _offset(note, form.start), _offset(note, form.end), _first(note, form.words)
    if start is None and end is not None and form.counts_bytes:
        start = 0
    if words:
        return _by_words(words, start, end, [stretch for stretch in within if stretch], form)
    stretch = within[0]
    if stretch is None:
        return None
    if start is None:
        return stretch.moved((0, len(stretch.text))) if end is None else None
    span = stretch.span(start, start if end is None else end, counts_bytes=form.counts_bytes)
    return stretch.moved(span) if span else None


def _by_words(
    words: str, start: int | None, end: int | None, within: Sequence[_Stretch], form: _Form
) -> tuple[int, int] | None:
    """Return where the words are to which the offsets point in any unit, else where they are the only ones."""
    units = (1, 0, 2) if form.counts_bytes else (0, 1, 2)
    if start is not None and end is not None:
        for stretch in within:
            for one, other in stretch.readings(start, end, units):
                if stretch.text[one:other] == words:
                    return stretch.moved((one, other))
    return next((stretch.moved(span) for stretch in within if (span := stretch.only(words))), None)


def _pages(form: _Form, source: object) -> tuple[int, int] | None:
    """Return the first and the last page of a source; zero is no page."""
    for paths in form.pages:
        pages = _pair(source, paths)
        if pages and pages[0]:
            return pages[0], max(pages[0], pages[1] - form.ends_before)
    return None


def _pair(node: object, paths: Sequence[str]) -> tuple[int, int] | None:
    one, other = (_number(_at(node, path)) if path else None for path in paths)
    return (one, other) if one is not None and other is not None and one <= other else None


def _offset(note: object, paths: Sequence[str]) -> int | None:
    found = _first_of(note, paths)
    number = _number(found)
    return _BROKEN if number is None and found is not None else number


def _name(value: object) -> str | int | None:
    return _text(value) or _number(value)


def _first(node: object, paths: Sequence[str]) -> str:
    return next((text for path in paths if (text := _text(_at(node, path)))), "")


def _first_of(node: object, paths: Sequence[str]) -> object:
    return next((found for path in paths if (found := _at(node, path)) is not None), None)


def _text(value: object) -> str:
    """Return a text as one that a record can hold, "" for what is none, whatever it says it is."""
    return sound(str.__str__(cast("str", value))) if issubclass(type(value), str) else ""


def _number(value: object) -> int | None:
    return value if type(value) is int and 0 <= value < _LARGEST else None


def _items(value: object) -> list[object]:
    """Return what a list holds; nothing for what is none."""
    try:
        is_list = isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray)
        return [*islice(value, _MOST)] if is_list and isinstance(value, Sequence) else []
    except Exception:  # noqa: BLE001 - another's object may do anything
        return []


def _at(node: object, path: str) -> object:
    """Return what stands at a path of names and numbers, however deep; None where there is nothing."""
    for name in filter(None, path.split(".")):
        node = next(iter(_items(node)), None) if name == "0" else _field(node, name)
    return node


def _field(node: object, name: str) -> object:
    """Return what stands under a name in a mapping or an object, spelled as in Python or as in JSON."""
    for spelled in _spellings(name):
        try:
            found = node.get(spelled) if isinstance(node, Mapping) else getattr(node, spelled, None)
        except Exception:  # noqa: BLE001 - another's object may do anything
            found = None
        if found is not None:
            return found
    return None


@cache
def _spellings(name: str) -> tuple[str, ...]:
    first, *others = name.split("_")
    return tuple(dict.fromkeys((name, first + "".join(map(str.capitalize, others)))))
