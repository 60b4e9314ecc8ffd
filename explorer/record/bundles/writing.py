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
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from explorer import rdf
from explorer.errors import RecordError
from explorer.record.bundles.crate import METADATA, REPORT, crate
from explorer.record.bundles.verify import INDEX, LEDGER, PAYLOAD, RECORD, SENDERS, STATEMENT, VERDICTS
from explorer.record.exporting import Enclosure, enclosed
from explorer.record.keys import Key
from explorer.record.ledger import Ledger
from explorer.record.trace import Trace
from explorer.record.verdicts import quads_of
from explorer.stores import ledger as stored
from explorer.stores.ledger import Entry
from explorer.version import __version__

PREDICATE = "urn:provenance-explorer:bundle:v1"
README = """\
Questions and answers, how each came about, and their sources, from provenance-explorer.
Open report.html in a browser; it needs no network. ro-crate-metadata.json says what the other files are.
To check that nothing was changed: python verify.py (needs Python and its package cryptography). It can't prove who made this: compare the signer's key, or by --fingerprint the fingerprint, with what the sender told you apart from this.
"""  # noqa: E501 - three lines of a text
"""What stands first in a bundle: what it is, what to open, and how to check it."""
_STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
_LARGEST = 500_000_000  # bytes of a text or document
_EPOCH = (1980, 1, 1, 0, 0, 0)
_SUFFIX = re.compile(r"\.[a-z0-9]{1,8}")


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


def bundle(ledger: Ledger, traces: Sequence[Trace], report: str, *, originals: bool = True) -> bytes:
    """Return the archive with this report, signed by the key of the ledger; raises RecordError without a run."""
    if not traces:
        raise RecordError("A bundle needs a run; name one or more.")
    made, quads = Bundle(), []
    texts = dict[str, list[str]]()
    for trace in traces:
        given = enclosed(ledger.stores, trace, originals=originals, largest=_LARGEST)
        quads += [*trace.quads(), *given.quads]
        texts[trace.iri] = made.add(given)
    made.files |= {
        RECORD: rdf.dump(quads, "nq"), "record.jsonld": rdf.dump(quads, "json-ld"), INDEX: made.index(),
        REPORT: report.encode(),
        "README.txt": README.encode(), "verify.py": Path(__file__).with_name("verify.py").read_bytes(),
    }  # fmt: skip
    if entries := {one.number: one for trace in traces for one in _entries(ledger, trace.iri)}:
        made.files[LEDGER] = b"".join(_line(one) for _, one in sorted(entries.items()))
    if sent := [one.line for trace in traces for one in stored.sender_seals(ledger.stores.database, trace.iri)
                if one.entry]:  # fmt: skip
        made.files[SENDERS] = b"".join(dict.fromkeys(json.dumps(one).encode() + b"\n" for one in sent))
    if judged := quads_of(ledger.stores, [trace.iri for trace in traces]):
        made.files[VERDICTS] = rdf.dump(judged, "nq")
    sizes = {name: len(data) for name, data in made.files.items()}
    made.files[METADATA] = crate(traces, {**sizes, STATEMENT: 0}, texts)
    predicate = {"runs": [trace.iri for trace in traces], "originals": originals, "madeBy": f"explorer {__version__}"}
    made.files[STATEMENT] = _statement(made.files, predicate, ledger.key)
    return _archive(made.files)


def _entries(ledger: Ledger, run: str) -> list[Entry]:
    """Return the entries about a run, and those that say that facts of its documents were found anew since."""
    own = stored.entries(ledger.stores.database, run)
    documents = own[-1].how if own else ()
    since = (one for document in documents for one in stored.entries(ledger.stores.database, document)
             if one.kind == stored.REEXTRACTED and one.number > own[-1].number)  # fmt: skip
    return [*own, *since]


def _statement(files: Mapping[str, bytes], predicate: Mapping[str, object], key: Key | None) -> bytes:
    """Return the in-toto statement over all files in its DSSE envelope; without a key it has no signature."""
    subject = [{"name": name, "digest": {"sha256": hashlib.sha256(files[name]).hexdigest()}} for name in sorted(files)]
    told = {"_type": _STATEMENT_TYPE, "subject": subject, "predicateType": PREDICATE, "predicate": predicate}
    payload, kind = _json(told), PAYLOAD.encode()
    message = b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)
    signatures = [{"keyid": key.public, "sig": _base64(bytes.fromhex(key.sign(message)))}] if key else []
    return _json({"payloadType": PAYLOAD, "payload": _base64(payload), "signatures": signatures})


def _line(entry: Entry) -> bytes:
    """Return an entry of the ledger as a line: what it says, the hash of that, and the signature in hexadecimal."""
    told = {"statement": entry.statement.decode(), "seal": entry.seal, "signature": entry.signature}
    return json.dumps(told).encode() + b"\n"


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _json(told: object) -> bytes:
    return json.dumps(told, indent=1, sort_keys=True, ensure_ascii=False).encode() + b"\n"


def _archive(files: Mapping[str, bytes]) -> bytes:
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
        with suppress(OSError):
            part.unlink()
        raise RecordError(f"{path} can't be written ({error.strerror or error}); choose another place.") from error
