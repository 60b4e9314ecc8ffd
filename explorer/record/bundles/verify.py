"""Checks a bundle of recorded runs, with nothing but Python and the package cryptography.

python verify.py [BUNDLE] [--key PUBLIC] [--fingerprint DIGITS]
BUNDLE is the archive or where it was unpacked, by default this folder.

Compared are all files with the signed statement, the signature with the public key inside or the one given (64 digits,
or a .pub file), each text with its hash in the record, the entries of the ledger with each other, the record and what
it says of its sources, and whether the verdicts are on these runs, with all that were changed later.
The fingerprint is one hash of all of it, which the sender knows too: who changes anything changes that.
Who made a bundle could also change this program: take it from where you trust, and know the key from elsewhere.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import re
import stat
import sys
import unicodedata
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

STATEMENT, RECORD, INDEX, LEDGER = "statement.json", "record.nq", "contents.json", "ledger.jsonl"
SENDERS, VERDICTS = "senders.jsonl", "verdicts.nq"
MOST_FILES, MOST_BYTES, MOST_TIMES = 100_000, 2_000_000_000, 100
PAYLOAD = "application/vnd.in-toto+json"
X, TG, PROV = "urn:provenance-explorer:ns:", "https://trustgraph.ai/ns/", "http://www.w3.org/ns/prov#"
RDF_TYPE, DC = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type", "http://purl.org/dc/elements/1.1/"
LEADS = {f"{PROV}wasDerivedFrom", f"{TG}document", f"{TG}selectedChunk", f"{X}consulted", f"{X}cites"}
PASSES = {f"{PROV}wasGeneratedBy", f"{X}confidence", f"{X}joined"}
DOCUMENT = {RDF_TYPE, "http://www.w3.org/2000/01/rdf-schema#label", f"{PROV}wasDerivedFrom"}
DOCUMENT |= {f"{DC}{name}" for name in ("creator", "date", "language", "source", "title")}
DOCUMENT |= {f"{TG}mimeType", f"{TG}pageCount", f"{X}sha256", f"{X}textSha256"}
_LINE = re.compile(r"<([^<>]*)> <([^<>]*)> (.+?)(?: <([^<>]*)>)? \.")
_ODD = re.compile(r"[\\:\x00-\x1f]")


class UnreadableError(Exception):
    """What is no bundle, or one that could do harm."""


def files_of(path: Path) -> dict[str, bytes]:
    """Return all files of a bundle by their names; raises UnreadableError, before anything is unpacked."""
    if path.is_dir():
        found = {
            one.relative_to(path).as_posix(): one for one in sorted(path.rglob("*")) if "__pycache__" not in one.parts
        }
        if links := [name for name, one in found.items() if one.is_symlink()]:
            raise UnreadableError(f"{links[0]} is a link")
        return {name: one.read_bytes() for name, one in found.items() if one.is_file()}
    try:
        with zipfile.ZipFile(path) as archive:
            infos = [info for info in archive.infolist() if not info.is_dir()]
            _check_names(infos)
            if sum(info.file_size for info in infos) > min(MOST_BYTES, MOST_TIMES * path.stat().st_size):
                raise UnreadableError(
                    f"it would unpack to more than {MOST_TIMES} times its size, or {MOST_BYTES:,} bytes"
                )
            return {info.filename: archive.read(info) for info in infos}
    except (
        zipfile.BadZipFile,
        zipfile.LargeZipFile,
        OSError,
        EOFError,
        ValueError,
        NotImplementedError,
        RuntimeError,
    ) as error:
        raise UnreadableError(f"it is no archive that can be read ({error})") from error


def _check_names(infos: list[zipfile.ZipInfo]) -> None:
    if len(infos) > MOST_FILES:
        raise UnreadableError(f"it has more than {MOST_FILES:,} files")
    seen: dict[str, str] = {}
    for info in infos:
        name = info.filename
        if _ODD.search(info.orig_filename) or PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
            raise UnreadableError(f"the name {name!r} leads out of the bundle")
        if stat.S_ISLNK(info.external_attr >> 16):
            raise UnreadableError(f"{name} is a link")
        if info.flag_bits & 1:
            raise UnreadableError(f"{name} is encrypted")
        alike = unicodedata.normalize("NFC", name).casefold()
        if alike in seen:
            raise UnreadableError(f"two files have one name: {seen[alike]} and {name}")
        seen[alike] = name


def check(
    files: Mapping[str, bytes], key: str | None = None, fingerprint: str | None = None
) -> tuple[list[tuple[str, str]], list[str]]:
    """Return what does not hold, each with its file or node, and what there is to say of signature and seals.

    `key` is the public key, in hexadecimal, that the bundle must be signed by, `fingerprint` the one it must have.
    """
    try:
        envelope = json.loads(files[STATEMENT])
        payload = base64.b64decode(envelope["payload"], validate=True)
        subjects = {one["name"]: one["digest"]["sha256"] for one in json.loads(payload)["subject"]}
        signatures = [(one["keyid"], base64.b64decode(one["sig"], validate=True)) for one in envelope["signatures"]]
        index = json.loads(files[INDEX])
        entries = [json.loads(line) for line in files.get(LEDGER, b"").splitlines() if line.strip()]
        record = [match.groups() for line in _lines(files[RECORD]) if (match := _LINE.fullmatch(line))]
        judged = [*_lines(files.get(VERDICTS, b""))]
        faults = [*_compared(files, subjects), *_texts(files, index, record), *_chain(entries, record)]
        earlier = [json.loads(line) for line in files.get(SENDERS, b"").splitlines() if line.strip()]
        passed = [(one, json.loads(one["statement"])) for one in earlier]
        sent = [_sent(one, told, [*entries, *earlier], record) for one, told in passed]
        faults += _verdicts(judged, record)
        faults += [(told["about"], what) for (_, told), (what, _) in zip(passed, sent, strict=True) if what]
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise UnreadableError(f"it is no bundle of runs, or is damaged ({type(error).__name__}: {error})") from error
    signed, said = _signed(payload, str(envelope.get("payloadType")), signatures, key)
    keys = sorted({json.loads(entry["statement"]).get("key", "") for entry in entries})
    by = ", ".join(f"signed by {one}" if one else "not signed" for one in keys)
    sealed = (
        f"{'One entry' if len(entries) == 1 else f'{len(entries)} entries'} of the ledger enclosed, {by}."
        if entries
        else "No entry of a ledger is enclosed."
    )
    own = fingerprint_of(payload)
    if fingerprint is not None and _digits(fingerprint) != _digits(own):
        signed += [(STATEMENT, "it has another fingerprint than the one given: this is not what was sent")]
    return [*faults, *signed], [
        said, f"Its fingerprint is {own}.", sealed, *(sentence for _, sentence in sent), *_count(judged),
    ]  # fmt: skip


def fingerprint_of(payload: bytes) -> str:
    """Return the SHA-256 of a statement as eight groups of eight digits, to be read out to somebody."""
    digits = hashlib.sha256(payload).hexdigest()
    return " ".join(digits[at : at + 8] for at in range(0, 64, 8))


def _digits(fingerprint: str) -> str:
    return "".join(fingerprint.split()).lower()


def _lines(data: bytes) -> Iterator[str]:
    return (line.decode() for line in data.split(b"\n") if line)  # texts may hold what else ends a line


def _compared(files: Mapping[str, bytes], subjects: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name in sorted({*files, *subjects} - {STATEMENT}):
        if name not in files:
            yield name, "it is in the statement, and not in the bundle"
        elif name not in subjects:
            yield name, "it is in the bundle, and not in the statement"
        elif hashlib.sha256(files[name]).hexdigest() != subjects[name]:
            yield name, "it was changed: it does not have the hash in the statement"


def _signed(
    payload: bytes, kind: str, signatures: list[tuple[str, bytes]], key: str | None
) -> tuple[list[tuple[str, str]], str]:
    """Check the signatures by the encoding of DSSE; the identifier of a key is the public key itself."""
    if not signatures:
        return (
            [(STATEMENT, f"it is not signed by {key}")] if key else []
        ), "The bundle is not signed: anyone could have made it, or have changed it together with its statement."
    message = b"DSSEv1 %d %s %d %s" % (len(kind.encode()), kind.encode(), len(payload), payload)
    if kind != PAYLOAD or not all(is_signed(public, signature, message) for public, signature in signatures):
        return [
            (STATEMENT, "its signature is not right: it, or what is signed, was changed")
        ], "The signature is not right."
    inside = [public for public, _ in signatures]
    if key is None:
        return (
            [],
            f"The bundle is signed by the key inside, {', '.join(inside)}; know from elsewhere whose it is.",
        )
    if key not in inside:
        return [
            (STATEMENT, f"it is signed by another key: {', '.join(inside)}")
        ], "The bundle is signed by another key."
    return [], f"The bundle is signed by the key given, {key}."


def is_signed(public: str, signature: bytes, message: bytes) -> bool:
    """Return whether a signature is by a public key (Ed25519, hexadecimal)."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def _texts(
    files: Mapping[str, bytes], index: dict[str, dict[str, dict[str, str]]], record: list[tuple[str, ...]]
) -> Iterator[tuple[str, str]]:
    """Compare each text and file with the hashes that the record has of it."""
    terms = {f"{X}sha256": "file", f"{X}textSha256": "text"}
    for node, term, value, _ in record:
        part = index["contents"].get(node, {}).get(terms.get(term, ""))
        if (
            part is not None
            and node not in index["missing"]
            and value != f'"{hashlib.sha256(files.get(part, b"")).hexdigest()}"'
        ):
            yield node, f"its {terms[term]} in the bundle is not the one that was recorded"


def _chain(entries: list[dict[str, str]], record: list[tuple[str, ...]]) -> Iterator[tuple[str, str]]:
    """Check the enclosed entries of the ledger: their hashes, signatures and order, and the runs that they seal."""
    before: dict[str, object] = {}
    last: dict[str, dict[str, Any]] = {}
    for entry in entries:
        told = json.loads(entry["statement"])
        name = f"entry {told['number']} of the ledger"
        if hashlib.sha256(entry["statement"].encode()).hexdigest() != entry["seal"]:
            yield name, "its seal is not the hash of what it says"
        if told["number"] - 1 == before.get("number") and told["previous"] != before["seal"]:
            yield name, "it does not follow the entry before it"
        if (public := told.get("key")) and not is_signed(
            public, bytes.fromhex(entry["signature"]), entry["statement"].encode()
        ):
            yield name, "its signature is not right"
        before = {"number": told["number"], "seal": entry["seal"]}
        last[told["about"]] = told
    for run, sealed in last.items():
        if _hash(run, record) not in (None, sealed["record"]):
            yield run, "its record is not the one that was sealed"
        now = _sources(run, record)
        for document, hashes in now.items():
            if sealed.get("sources", {}).get(document) not in (None, *hashes):
                yield document, "what the record says of it and its passages is not what was sealed"


def _verdicts(lines: list[str], record: list[tuple[str, ...]]) -> Iterator[tuple[str, str]]:
    """Check that all are verdicts on runs of the record, and that none is missing which a later one has changed."""
    found = [match.groups() for line in lines if (match := _LINE.fullmatch(line))]
    if len(found) < len(lines):
        yield VERDICTS, "it has a line that can't be read"
    runs = {f"<{node}>" for node, *_ in record}
    on = {node: value for node, term, value, _ in found if term == f"{X}run"}
    for node in dict.fromkeys(node for node, _, _, graph in found
                              if graph != "urn:graph:annotation" or node.partition("#")[0] not in on):  # fmt: skip
        yield node, "it is no verdict on a run"
    for node, run in on.items():
        if run not in runs:
            yield node, "it is a verdict on a run that is not in the bundle"
    for node, term, value, _ in found:
        if term == "http://www.w3.org/ns/prov#wasRevisionOf" and value[1:-1] not in on:
            yield node, "the verdict that it changed is not in the bundle"


def _count(lines: list[str]) -> Iterator[str]:
    made = sum(f"> <{X}verdict> " in line for line in lines)
    if lines:
        yield f"{'One verdict' if made == 1 else f'{made} verdicts'} of people enclosed, as they were when it was made."


def _sent(
    entry: dict[str, str], told: dict[str, object], every: list[dict[str, str]], record: list[tuple[str, ...]]
) -> tuple[str, str]:
    """Check the entry of an earlier sender; returns what does not hold of it, if anything, and what there is to say."""
    run, public, statement = str(told["about"]), str(told.get("key", "")), entry["statement"].encode()
    by = f"Entry {told['number']} of an earlier sender, {f'signed by {public}' if public else 'not signed'}"
    if hashlib.sha256(statement).hexdigest() != entry["seal"]:
        return "the seal of an earlier sender is not the hash of what it says", f"{by}, does not hold."
    if public and not is_signed(public, bytes.fromhex(entry["signature"]), statement):
        return "the signature of an earlier sender is not right", f"{by}, does not hold."
    if (now := _hash(run, record)) is None:
        return "", f"{by}: the record can't be compared with it by this program."
    if now == told["record"]:
        return "", f"{by}: it fits the record."
    later = {str(own["kind"]) for own in (json.loads(one["statement"]) for one in every) if own["about"] == run}
    what = "" if "amended" in later else "its record is not the one that an earlier sender sealed"
    return what, f"{by}: it does not fit the record{'' if what else ', of which texts were removed since'}."


def _hash(run: str, record: list[tuple[str, ...]]) -> str | None:
    """Return the hash of a run's triples, as they are sealed; None for one whose nodes do not name their run."""
    nodes = _nodes(run, record)
    lines = [
        f"<{node}> <{term}> {value} <{graph}> .\n"
        for node, term, value, graph in record
        if node in nodes and graph == "urn:graph:retrieval" and term != f"{X}previous"
    ]
    return hashlib.sha256("".join(sorted(lines)).encode()).hexdigest() if len(nodes) > 1 else None


def _nodes(run: str, record: list[tuple[str, ...]]) -> set[str]:
    """Return the nodes of a run: those that say so, with its agents."""
    nodes = {node for node, term, value, _ in record if term == f"{X}run" and value == f"<{run}>"}
    agents = {value[1:-1] for node, term, value, _ in record if node in nodes and term == f"{PROV}wasAssociatedWith"}
    return {run, *nodes, *agents}


def _sources(run: str, record: list[tuple[str, ...]]) -> dict[str, tuple[str, str]]:
    """Return the hash of what is on record of each document that a run leads to and of its passages, as it is sealed,
    and the one without hashes of texts, which early records did not have; not of one of which some is not here.
    """
    about: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for node, term, value, graph in record:
        about[node].append((term, value, graph))
    nodes = _nodes(run, record)
    facts = {value for node in nodes for term, value, _ in about[node] if term == f"{TG}edge"}
    found: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for end in {value[1:-1] for node in nodes for term, value, _ in about[node] if term in LEADS} - nodes:
        node, way = end, set[tuple[str, ...]]()
        for _ in range(6):
            told = [one for one in about[node] if one[2] == "urn:graph:source"]
            is_taken = any(value == f"<{TG}Subgraph>" for _, value, _ in told)
            above = sorted(value for term, value, _ in told if term == f"{PROV}wasDerivedFrom")
            told += [one for one in about[node] if not above and not one[2] and one[0] in DOCUMENT]
            way |= {
                (node, *one) for one in told
                if not is_taken or not (one[0] in PASSES or (one[1].startswith("<<(") and one[1] not in facts))
            }  # fmt: skip
            if not above:
                break
            node = above[0][1:-1]
        found[node] |= way
    return {
        document: (_digest(quads), _digest(one for one in quads if one[1] not in (f"{X}sha256", f"{X}textSha256")))
        for document, quads in found.items()
        if quads
        and not any("_:" in value for _, _, value, _ in quads)
        and not any(term == f"{PROV}invalidatedAtTime" for term, _, _ in about[document])
    }


def _digest(quads: Iterable[tuple[str, ...]]) -> str:
    lines = (f"<{node}> <{term}> {value}{f' <{graph}>' if graph else ''} .\n" for node, term, value, graph in quads)
    return hashlib.sha256("".join(sorted(lines)).encode()).hexdigest()


def main() -> int:
    """Check what the command line names; returns 0 when all is well, 1 when something was found, 2 for wrong use."""
    reader = argparse.ArgumentParser(description="Check a bundle of recorded runs.")
    reader.add_argument("bundle", nargs="?", type=Path, default=Path(__file__).resolve().parent)
    reader.add_argument("--key", help="the public key that it must be signed by: 64 digits, or a .pub file")
    reader.add_argument("--fingerprint", help="the fingerprint that the sender told you, in one pair of quotes")
    given = reader.parse_args()
    try:
        faults, said = check(files_of(given.bundle), public_key(given.key) if given.key else None, given.fingerprint)
    except (UnreadableError, OSError) as error:
        print(f"{given.bundle}: {error}.")
        return 2
    for name, what in faults:
        print(f"{name}  {what}")
    what = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
    is_known = given.fingerprint or "is signed" in said[0]
    holds = "All of it holds: no fault was found." if is_known else (
        "Its parts fit each other: no fault was found. That nobody changed it on the way only a signature can show, or "
        "the fingerprint that the sender tells you."
    )  # fmt: skip
    print(*said, f"It does not hold: {what} found." if faults else holds, sep="\n")
    return 1 if faults else 0


def public_key(given: str) -> str:
    """Return a public key, given as 64 digits or as its .pub file, in hexadecimal; raises UnreadableError, OSError."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    if re.fullmatch("[0-9a-fA-F]{64}", given):
        return given.lower()
    try:
        found = load_pem_public_key(Path(given).read_bytes())
    except ValueError as error:
        raise UnreadableError(f"{given} is no public key") from error
    if not isinstance(found, Ed25519PublicKey):
        raise UnreadableError(f"{given} is no public key of Ed25519")
    return found.public_bytes_raw().hex()


if __name__ == "__main__":
    sys.exit(main())
