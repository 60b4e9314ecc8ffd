"""Keys that sign: Ed25519 (RFC 8032), in files that nobody else can read.

A private key is a file in PKCS#8 PEM; its public half stands beside it, in `.pub`, and goes to who checks.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.errors import WorkspaceError
from explorer.record.bundles import verify as program

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_MARK = "workspace.json"
_OTHERS = 0o077


@dataclass(frozen=True, slots=True)
class Key:
    """A private key; `public` is its other half, 32 bytes in hexadecimal."""

    public: str
    _private: Ed25519PrivateKey = field(repr=False)

    def sign(self, data: bytes) -> str:
        """Return the signature of some bytes: 64 bytes in hexadecimal."""
        return self._private.sign(data).hex()


def new_key(path: Path) -> Key:
    """Make a key in a new file with mode 0600, and its public half beside it; raises WorkspaceError."""
    from cryptography.hazmat.primitives import serialization as s
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    _check_place(path)
    private = Ed25519PrivateKey.generate()
    text = private.private_bytes(s.Encoding.PEM, s.PrivateFormat.PKCS8, s.NoEncryption())
    public = private.public_key().public_bytes(s.Encoding.PEM, s.PublicFormat.SubjectPublicKeyInfo)
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(text)
        path.with_name(f"{path.name}.pub").write_bytes(public)
    except FileExistsError as error:
        raise WorkspaceError(f"{path} is there already; a key is never overwritten: name another file.") from error
    except OSError as error:
        raise WorkspaceError(f"{path} can't be written ({error.strerror or error}); choose another place.") from error
    return _key(private)


def read_key(path: Path) -> Key:
    """Read a private key; raises WorkspaceError for one in a workspace, and one that others can read."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    _check_place(path)
    try:
        mode, data = path.stat().st_mode, path.read_bytes()
    except OSError as error:
        raise WorkspaceError(f"The key {path} can't be read ({error.strerror or error}); check the path.") from error
    if os.name == "posix" and mode & _OTHERS:
        raise WorkspaceError(f"Others can read the key {path}; run `chmod 600 {path}`, or make a new one.")
    try:
        private = load_pem_private_key(data, None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise WorkspaceError(f"{path} is no key that can be used; make one with `explorer keys new PATH`.") from error
    if not isinstance(private, Ed25519PrivateKey):
        raise WorkspaceError(f"{path} is no Ed25519 key; make one with `explorer keys new PATH`.")
    return _key(private)


def public_key(named: str | Path) -> str:
    """Return a public key, given in hexadecimal or as the file with it, as 32 bytes in hexadecimal.

    Raises WorkspaceError.
    """
    from cryptography.exceptions import UnsupportedAlgorithm

    try:
        return program.public_key(str(named).strip())
    except (OSError, UnsupportedAlgorithm, program.UnreadableError) as error:
        raise WorkspaceError(f"{named} is no public key; give its 64 digits, or the .pub file of a key.") from error


def is_signed(public: str, signature: str, data: bytes) -> bool:
    """Return whether a signature of some bytes is by a public key; both in hexadecimal."""
    try:
        return program.is_signed(public, bytes.fromhex(signature), data)
    except ValueError:
        return False


def key_of(given: str | Path | Key | None) -> Key | None:
    """Return a key, given itself or as its file, by default the one that EXPLORER_KEY names; None without one."""
    if isinstance(given, Key):
        return given
    named = os.environ.get("EXPLORER_KEY", "") if given is None else str(given)
    return read_key(Path(named).expanduser()) if named else None


def _key(private: Ed25519PrivateKey) -> Key:
    return Key(private.public_key().public_bytes_raw().hex(), private)


def _check_place(path: Path) -> None:
    """Raise WorkspaceError for a key in a workspace: it would be copied with what it is to protect."""
    for folder in path.expanduser().absolute().resolve().parents:
        if (folder / _MARK).exists():
            raise WorkspaceError(f"{path} is in the workspace {folder}; keep a key outside of what it signs.")
