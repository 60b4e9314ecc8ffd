"""Files that are encrypted, opened with their password. It is used and not kept: no message or record has it."""

from __future__ import annotations

import io
import re
import threading

from explorer.errors import DocumentError

LOCK = threading.Lock()  # of PDFium, which one thread at a time may use
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ROUNDS = re.compile(rb'spinCount="(\d+)"')  # of making a key
_MOST_ROUNDS = 10_000_000  # as the format has it; they take some 15 s
HOW = "give its password with password= or --password, or save a copy without one"


def unlocked(data: bytes, name: str, password: str) -> bytes:
    """Return a file without its encryption, or as it is where it has none; raises DocumentError where it stays shut."""
    if data.startswith(_OLE):
        return _office(data, name, password)
    return _pdf(data, name, password) if b"%PDF-" in data[:1024] and b"/Encrypt" in data else data


def _pdf(data: bytes, name: str, password: str) -> bytes:
    import pypdfium2 as pdfium
    import pypdfium2.raw as pdfium_c

    with LOCK:
        try:
            document = pdfium.PdfDocument(data, password=password)
        except pdfium.PdfiumError as error:
            if error.err_code in {pdfium_c.FPDF_ERR_PASSWORD, pdfium_c.FPDF_ERR_SECURITY}:
                raise _shut(name) from None
            return data  # damaged: whoever reads it says so
        try:
            made = io.BytesIO()
            document.save(made, flags=pdfium_c.FPDF_REMOVE_SECURITY)
        finally:
            document.close()
    return made.getvalue()


def is_shut(data: bytes, password: str = "") -> bool:
    """Return whether a file is encrypted and does not open with a password, or without one."""
    try:
        unlocked(data, "", password)
    except DocumentError as error:  # else no password would do: whoever reads it says why
        return isinstance(error, _ShutError)
    return False


def _office(data: bytes, name: str, password: str) -> bytes:
    try:
        import msoffcrypto
        from msoffcrypto.exceptions import DecryptionError, FileFormatError, InvalidKeyError, ParseError
    except ImportError:
        raise DocumentError(
            f"{name!r} is an encrypted Office file. To open it, `pip install provenance-explorer[passwords]`."
        ) from None
    if any(int(rounds) > _MOST_ROUNDS for rounds in _ROUNDS.findall(data)):
        raise DocumentError(
            f"{name!r} is encrypted so that it would take hours to open; save a copy without a password."
        )
    made = io.BytesIO()
    try:
        file = msoffcrypto.OfficeFile(io.BytesIO(data))
        if not file.is_encrypted():
            return data
        file.load_key(password=password, verify_password=True)
        file.decrypt(made)
    except (InvalidKeyError, DecryptionError):
        raise _shut(name) from None
    except FileFormatError:
        return data  # of no kind that is read: whoever reads it says so
    except (ParseError, ValueError, KeyError, IndexError, AttributeError, OSError, EOFError, TypeError) as error:
        message = f"{name!r} is encrypted in a way that can't be opened; save a copy without a password and use that."
        raise DocumentError(message) from error
    return made.getvalue()


class _ShutError(DocumentError):
    """The password of a file is another one."""


def _shut(name: str) -> DocumentError:
    return _ShutError(f"The password that was given does not open {name!r}; check it and try again.")
