"""Bytes as text: UTF-8, UTF-16 and UTF-32 by what they are, other encodings as charset-normalizer tells them.

charset-normalizer (MIT) tells scripts apart well, but not the code pages of western Europe on a few accented letters:
French in Latin-1 is cp1250 to it. What reads as Windows-1252 is therefore taken for that before it is asked.
"""

from __future__ import annotations

import codecs
import re

from explorer.errors import DocumentError
from explorer.ingest.readers.document_text import Decoded
from explorer.ingest.readers.formats import SAVE_AS

_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # before the one of UTF-16, which it begins with
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
BLANKS = "\ufeff \t\r\n\f\v"
"""What is nothing to read, alone."""

_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
CONTROLS_PER_CHARACTER = 0.01  # more than this share of control characters is no text
_FOREIGN = re.compile(r"[^\x00-\x7f]")
_WESTERN = re.compile(  # letters, marks between words, and signs where no letter of another code page would stand
    r"(?P<letter>[ß-öø-ÿœšžƒ]|(?<![a-zß-öø-ÿ])[À-ÖØ-ÞŒŠŽŸ])|[\xa0‘’“”„‚‹›«»–—…·•µ™®©¿¡\xad]|(?<=m)[²³]|(?<=\b[nN])[º°]"
    r"|(?<![a-zß-öø-ÿ])[^\x00-\x7f](?![A-Za-zß-öø-ÿ])"
)
_MOST_ACCENTED = 0.5  # of the letters of a western text
_NAMES = {  # those that are asked about: of the rarer ones charset-normalizer finds some in any short text
    "cp1250": "Windows-1250",
    "iso8859_2": "ISO 8859-2",
    "cp1251": "Windows-1251",
    "koi8_r": "KOI8-R",
    "cp1253": "Windows-1253",
    "cp1255": "Windows-1255",
    "cp1256": "Windows-1256",
    "mac_roman": "Mac Roman",
    "cp932": "Shift-JIS",
    "euc_jp": "EUC-JP",
    "gb18030": "GB 18030",
    "big5": "Big5",
    "cp949": "EUC-KR",
    "cp874": "Windows-874",
}
_WESTERN_TOO = "as-windows-1252"  # what is done with bytes that are no UTF-8
_FEW_NULS = 0.4  # of the bytes: UTF-16 of plain letters has more
_PLAIN = re.compile(rb"[\t-\r -~]")


def _as_western(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.start + 1].decode("cp1252", "replace"), error.start + 1


codecs.register_error(_WESTERN_TOO, _as_western)


def decoded(data: bytes, name: str) -> Decoded:
    """Return a file as text with line ends as newlines, and its encoding where that is not Unicode.

    Raises DocumentError, in one sentence that names the file, when it is binary or its encoding can't be told.
    """
    text, encoding = _text(data, name)
    if is_binary(text):
        raise _binary(name)
    if not text.strip(BLANKS):
        raise DocumentError(f"{name!r} has nothing but blanks in it; save some text in it and try again.")
    return Decoded(text.replace("\r\n", "\n").replace("\r", "\n"), encoding)


def is_binary(text: str) -> bool:
    """Return whether bytes that were read as this text are none: it holds too many control characters."""
    return controls(text) > CONTROLS_PER_CHARACTER * len(text)


def controls(text: str) -> int:
    """Return how many control characters a text holds that no one types."""
    return len(_CONTROLS.findall(text))


def _text(data: bytes, name: str) -> tuple[str, str | None]:
    marked = next((codec for mark, codec in _MARKS.items() if data.startswith(mark)), None)
    try:
        if marked or b"\0" not in data:
            return data.decode(marked or "utf-8"), None
    except UnicodeDecodeError:
        if marked:
            raise _untold(name) from None
    if b"\0" in data:
        if (text := _wide(data)) is None:
            raise _binary(name)
        return text, "UTF-16"
    western = data.decode("cp1252", errors="replace")
    if is_binary(western):
        raise _binary(name)
    if _FOREIGN.search(data.decode(errors="ignore")) and _is_western(mixed := data.decode(errors=_WESTERN_TOO)):
        return mixed, "UTF-8 with lines in Windows-1252"
    if _is_western(western):
        return western, "Windows-1252"
    from charset_normalizer import from_bytes

    best = from_bytes(data, cp_isolation=list(_NAMES)).best()
    if best is None:
        raise _untold(name)
    return str(best), _NAMES[best.encoding]


def _wide(data: bytes) -> str | None:
    """UTF-16 without a mark: None where the bytes are none, or not text as that."""
    from charset_normalizer import from_bytes

    nuls = data.count(0)
    is_plain = len(_PLAIN.findall(data)) > 0.9 * (len(data) - nuls) and nuls < _FEW_NULS * len(data)
    if len(data) % 2 or is_plain:
        return None
    best = from_bytes(data, cp_isolation=["utf_16_le", "utf_16_be"]).best()
    text = None if best is None else str(best)
    return text if text is not None and "\0" not in text else None


def _is_western(text: str) -> bool:
    """Whether what was read as Windows-1252 is that: accented letters in words of plain ones, signs at their ends."""
    foreign = len(_FOREIGN.findall(text))
    fitting = list(_WESTERN.finditer(text))
    letters = sum(map(str.isalpha, text))
    accented = sum(found["letter"] is not None for found in fitting)
    return "\ufffd" not in text and len(fitting) == foreign and accented <= _MOST_ACCENTED * max(letters, 1)


def _binary(name: str) -> DocumentError:
    return DocumentError(f"{name!r} is binary, not text; {SAVE_AS}.")


def _untold(name: str) -> DocumentError:
    return DocumentError(f"{name!r} is not UTF-8 text, and its encoding can't be told; save it as UTF-8 and try again.")
