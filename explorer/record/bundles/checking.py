"""Reading a bundle from somewhere: checked before anything of it is written."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pyoxigraph import Quad

from explorer import rdf
from explorer.errors import RecordError
from explorer.events import Content
from explorer.record.bundles import verify as program
from explorer.record.exporting import Enclosure
from explorer.record.verdicts import checked as checked_verdicts
from explorer.stores.ledger import SEALS
from explorer.stores.library import EnclosedText

_MAGIC = b"PK\x03\x04"


@dataclass(frozen=True, slots=True)
class SealedBy:
    """The last entry of the sender's ledger about each run, as the line of the bundle; the keys of who signed that.

    `earlier` has, with its run each, the entries of those that the sender had it from.
    """

    entries: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    signers: tuple[str, ...] = ()
    earlier: tuple[tuple[str, Mapping[str, str]], ...] = ()


@dataclass(frozen=True, slots=True)
class OpenedBundle:
    """A bundle: its record as N-Quads, what is enclosed, how it was sealed and signed, the verdicts on its runs, what
    does not hold (file or node, and what), what was said of signature, seals and verdicts.
    """

    record: bytes
    enclosed: Enclosure
    sealed: SealedBy
    verdicts: tuple[Quad, ...]
    faults: tuple[tuple[str, str], ...]
    said: tuple[str, ...]


def is_bundle(path: Path) -> bool:
    """Return whether a file is an archive, or a folder one that was unpacked; raises OSError."""
    if path.is_dir():
        return (path / program.RECORD).is_file() and (path / program.INDEX).is_file()
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def fingerprint(path: Path) -> str:
    """Return the fingerprint of a bundle that is written, as its `verify.py` prints it; raises OSError."""
    return program.fingerprint_of(base64.b64decode(json.loads(program.files_of(path)[program.STATEMENT])["payload"]))


def read(path: Path, signed_by: str | None = None, fingerprint: str | None = None) -> OpenedBundle:
    """Read a bundle and check it; `signed_by` is the public key (hexadecimal) that it must be signed by, `fingerprint`
    the one that it must have.

    Raises RecordError for what is no bundle, or could do harm.
    """
    try:
        files = program.files_of(path)
        faults, said = program.check(files, signed_by, fingerprint)
        index = json.loads(files[program.INDEX])
        enclosed = _enclosed(files, index["contents"], index["missing"])
        sealed = _sealed(files)
        judged = rdf.load(files.get(program.VERDICTS, b""), "nq")
    except program.UnreadableError as error:
        raise RecordError(f"The bundle {path.name} can't be read: {error}. Nothing of it was stored.") from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RecordError(f"The bundle {path.name} is damaged: its {program.INDEX} can't be read ({error}).") from error
    verdicts, others = checked_verdicts(judged.quads)
    faults += [(program.VERDICTS, f"{node} is no part of a verdict") for node in others]
    faults += [(program.VERDICTS, str(one)) for one in judged.refused]
    return OpenedBundle(files[program.RECORD], enclosed, sealed, tuple(verdicts), tuple(faults), tuple(said))


def checked(path: Path, signed_by: str | None = None) -> OpenedBundle:
    """Read a bundle that is to be stored; raises RecordError where anything in it does not hold."""
    found = read(path, signed_by)
    if found.faults:
        (name, what), more = found.faults[0], len(found.faults) - 1
        key = "" if signed_by is None else f" --signed-by {signed_by}"
        rest = f", and {more} more; `explorer verify {path}{key}` lists all" if more else ""
        raise RecordError(f"The bundle {path.name} was not imported: {name}: {what}{rest}.")
    return found


def _sealed(files: Mapping[str, bytes]) -> SealedBy:
    lines = [json.loads(line) for line in files.get(program.LEDGER, b"").splitlines() if line.strip()]
    entries = [(json.loads(line["statement"]), line) for line in lines]
    signers = tuple(str(one["keyid"]) for one in json.loads(files[program.STATEMENT])["signatures"])
    earlier = [json.loads(line) for line in files.get(program.SENDERS, b"").splitlines() if line.strip()]
    return SealedBy(
        {told["about"]: line for told, line in entries if told.get("kind") in SEALS},
        signers,
        tuple((str(json.loads(line["statement"])["about"]), line) for line in earlier),
    )


def _enclosed(files: dict[str, bytes], contents: dict[str, dict[str, str]], missing: dict[str, str]) -> Enclosure:
    made, texts = list[Content](), list[EnclosedText]()
    for key, told in contents.items():
        if "file" in told:
            made.append(Content(key, told.get("title", ""), told["mediaType"], files[told["file"]]))
        if "text" in told:
            texts.append(EnclosedText(key, told.get("fileName", ""), files[told["text"]].decode()))
    return Enclosure((), tuple(made), tuple(texts), {key: str(why) for key, why in missing.items()})
