"""Writing a bundle: runs with their texts and documents in one archive, and a statement over all of its files.

The same runs give the same bytes. What a bundle holds is listed in its `ro-crate-metadata.json`; `contents.json` has
for each content its file, as `texts/` and `documents/` are named by hash. The statement is one of in-toto, in an
envelope of DSSE, which is signed where there is a key.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Protocol

from explorer import __version__, rdf
from explorer.errors import RecordError
from explorer.record.bundles.crate import METADATA, crate
from explorer.record.bundles.verify import INDEX, LEDGER, PAYLOAD, RECORD, STATEMENT
from explorer.record.enclosing import Enclosure, enclosed
from explorer.record.trace import Trace
from explorer.stores.collection import Collection

PREDICATE = "urn:provenance-explorer:bundle:v1"
_STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
_LARGEST = 500_000_000  # bytes of a text or document
_EPOCH = (1980, 1, 1, 0, 0, 0)
_SUFFIX = re.compile(r"\.[a-z0-9]{1,8}")


class Signer(Protocol):
    """Who signs: `public` is the public key (Ed25519, hexadecimal)."""

    @property
    def public(self) -> str:
        """The public key."""

    def sign(self, data: bytes) -> str:
        """Return the signature of some bytes, in hexadecimal."""


@dataclass(frozen=True, slots=True)
class Sealed:
    """An entry of a ledger as it goes along: what it says, the hash of that, and the signature (hexadecimal)."""

    statement: str
    seal: str
    signature: str


@dataclass(slots=True)
class Bundle:
    """The files of a bundle while it is made, and the index of its contents."""

    files: dict[str, bytes] = field(default_factory=dict)
    contents: dict[str, dict[str, str]] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)

    def add(self, given: Enclosure) -> list[str]:
        """Add what goes with a run; returns the names of its files."""
        texts = {one.iri: one for one in given.texts}
        names = []
        for content in given.contents:
            folder = "documents" if content.iri in texts else "texts"
            suffix = PurePath(texts[content.iri].source).suffix.lower() if content.iri in texts else ".txt"
            name = self._put(folder, content.data, suffix if _SUFFIX.fullmatch(suffix) else "")
            told = {"file": name, "mediaType": content.mime, "title": content.title}
            self.contents.setdefault(content.iri, {}).update({key: value for key, value in told.items() if value})
            names.append(name)
        for text in given.texts:
            name = self._put("texts", text.text.encode(errors="replace"), ".txt")
            self.contents.setdefault(text.iri, {}).update(text=name, fileName=text.source)
            names.append(name)
        self.missing |= given.missing
        return sorted(set(names))

    def _put(self, folder: str, data: bytes, suffix: str) -> str:
        name = f"{folder}/{hashlib.sha256(data).hexdigest()}{suffix}"
        self.files[name] = data
        return name

    def index(self) -> bytes:
        """Return the index of contents as JSON."""
        return _json({"contents": self.contents, "missing": self.missing})


def bundle(
    stores: Collection,
    traces: Sequence[Trace],
    report: Callable[[Trace], str],
    *,
    originals: bool = True,
    signer: Signer | None = None,
    entries: Sequence[Sealed] = (),
    head: str | None = None,
) -> bytes:
    """Return the archive. `report` makes the page of a run; `entries` are what the ledger says of the runs, and `head`
    is its end. Raises RecordError without a run.
    """
    if not traces:
        raise RecordError("A bundle needs a run; name one or more.")
    made, quads = Bundle(), []
    texts, reports = dict[str, list[str]](), dict[str, str]()
    for number, trace in enumerate(traces, 1):
        given = enclosed(stores, trace, originals=originals, largest=_LARGEST)
        quads += [*trace.quads(), *given.quads]
        texts[trace.iri] = made.add(given)
        reports[trace.iri] = "report.html" if number == 1 else f"report-{number}.html"
        made.files[reports[trace.iri]] = report(trace).encode()
    made.files |= {
        RECORD: rdf.dump(quads, "nq"), "record.jsonld": rdf.dump(quads, "json-ld"), INDEX: made.index(),
        "verify.py": Path(__file__).with_name("verify.py").read_bytes(),
    }  # fmt: skip
    if entries:
        made.files[LEDGER] = b"".join(
            json.dumps({"statement": one.statement, "seal": one.seal, "signature": one.signature}).encode() + b"\n"
            for one in entries
        )
    sizes = {name: len(data) for name, data in made.files.items()}
    made.files[METADATA] = crate(traces, {**sizes, STATEMENT: 0}, texts, reports)
    predicate = {"runs": [trace.iri for trace in traces], "originals": originals, "madeBy": f"explorer {__version__}"}
    predicate |= {"ledgerHead": head} if head else {}
    made.files[STATEMENT] = _statement(made.files, predicate, signer)
    return _archive(made.files)


def _statement(files: Mapping[str, bytes], predicate: Mapping[str, object], signer: Signer | None) -> bytes:
    """Return the in-toto statement over all files in its DSSE envelope; without a signer it has no signature."""
    subject = [{"name": name, "digest": {"sha256": hashlib.sha256(files[name]).hexdigest()}} for name in sorted(files)]
    told = {"_type": _STATEMENT_TYPE, "subject": subject, "predicateType": PREDICATE, "predicate": predicate}
    payload, kind = _json(told), PAYLOAD.encode()
    message = b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)
    signatures = (
        [{"keyid": signer.public, "sig": base64.b64encode(bytes.fromhex(signer.sign(message))).decode()}]
        if signer
        else []
    )
    return _json({"payloadType": PAYLOAD, "payload": base64.b64encode(payload).decode(), "signatures": signatures})


def _json(told: object) -> bytes:
    return json.dumps(told, indent=1, sort_keys=True, ensure_ascii=False).encode() + b"\n"


def _archive(files: Mapping[str, bytes]) -> bytes:
    """Return files as a zip archive, the same bytes each time."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files, key=lambda one: (one != METADATA, one)):
            info = zipfile.ZipInfo(name, _EPOCH)
            info.compress_type, info.create_system, info.external_attr = zipfile.ZIP_DEFLATED, 3, 0o644 << 16
            archive.writestr(info, files[name])
    return made.getvalue()


def write(path: Path, data: bytes) -> None:
    """Write an archive whole or not at all; raises RecordError."""
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_bytes(data)
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise RecordError(f"{path} can't be written ({error.strerror or error}); choose another place.") from error
