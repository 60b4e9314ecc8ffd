"""JSON as models write it: among other text, in fences, with raw line ends in strings, or in Python's spelling."""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Iterator
from typing import Any, NoReturn

from explorer.text import sound

_DEEPEST = 64  # brackets inside of brackets
_LONGEST_NUMBER = 10_000  # bits: Python does not write numbers of more than 4,300 digits
_LONGEST_PYTHON = 50_000  # characters: its syntax tree takes a multiple of that
_MISREADINGS = 50  # so that a reply of nothing but brackets takes no longer than others
_TELLING = re.compile(r"""\\.?|["'{}\[\]()]""", re.DOTALL)
_OPENING = re.compile(r"[\[{]")
_BEGUN = re.compile(r"""[\[{](?=\s*(?:["{\[]|$))""")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = "\n\\'\"abfnrtvxuUN01234567"  # what Python knows after a backslash


class Brackets:
    """Looks for the bracket that closes the first one of a text which comes in pieces, whatever stands in strings."""

    def __init__(self) -> None:
        self.depth = 0
        self.quote = ""  # the mark that ends the string which is being read
        self.escaped = False  # the piece before ended in a backslash

    def end(self, text: str, start: int) -> int:
        """Return where the value ends in this piece, else -1; raises ValueError when it is nested too deeply."""
        at = start + self.escaped
        self.escaped = False
        for match in _TELLING.finditer(text, at):
            mark = match[0]
            if mark[0] == "\\":
                self.escaped = len(mark) == 1
            elif mark == self.quote:
                self.quote = ""
            elif mark in "\"'":
                self.quote = self.quote or mark
            elif not self.quote:
                self.depth += 1 if mark in "{[(" else -1
                if self.depth > _DEEPEST:
                    raise ValueError("it is nested too deeply")
                if self.depth <= 0:
                    return match.end()
        return -1


def unfenced(text: str) -> str:
    """Return what stands in the first ``` fence, to the end if it is not closed; a text without any as it is."""
    start = text.find("```")
    line_end = text.find("\n", start)
    if start < 0 or line_end < 0:
        return text
    end = text.find("```", line_end)
    return text[line_end + 1 : end if end >= 0 else len(text)]


def values(text: str) -> Iterator[Any]:
    """Yield the objects and arrays in a text one after the other, not those inside of them."""
    at, misread = 0, 0
    while (opening := _OPENING.search(text, at)) and misread < _MISREADINGS:
        start = opening.start()
        try:
            end = Brackets().end(text, start)
            found = value(text[start:end]) if end >= 0 else None
        except ValueError:
            end = -1
        if end < 0:
            at, misread = start + 1, misread + 1
            continue
        yield found
        at = end


def is_half(text: str) -> bool:
    """Return whether a text ends inside the first object or array that begins in it."""
    opening = _BEGUN.search(text)
    try:
        return opening is not None and Brackets().end(text, opening.start()) < 0
    except ValueError:
        return False


def value(text: str) -> Any:  # noqa: ANN401 - whatever JSON can say
    """Read a JSON value, or the same in Python's spelling; raises ValueError that says what is wrong."""
    try:
        read = json.loads(text, strict=False, parse_constant=_refused)
    except (ValueError, RecursionError) as error:
        try:
            read = _python(text)
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            raise ValueError(f"it is not JSON ({error})") from error
    return _checked(read, 0)


def _python(text: str) -> object:
    if len(text) > _LONGEST_PYTHON:
        raise ValueError("it is too long")
    known = _ESCAPE.sub(lambda match: match[0] if match[1] in _ESCAPES else "\\" + match[0], text)
    read: object = ast.literal_eval(known)
    return read


def _refused(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number")


def _checked(read: object, depth: int) -> object:
    """Return a value that a record can hold: finite numbers, whole characters, names that are strings."""
    if depth > _DEEPEST:
        raise ValueError("it is nested too deeply")
    match read:
        case str():
            return sound(read)
        case None | bool():
            return read
        case int():
            if read.bit_length() > _LONGEST_NUMBER:
                raise ValueError("it holds a number that is too long")
            return read
        case float() if math.isfinite(read):
            return read
        case list() | tuple():
            return [_checked(item, depth + 1) for item in read]
        case dict() if all(isinstance(name, str) for name in read):
            return {sound(name): _checked(item, depth + 1) for name, item in read.items()}
        case _:
            raise ValueError("it holds what JSON does not know")
