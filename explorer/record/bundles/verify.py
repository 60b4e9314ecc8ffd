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
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

STATEMENT, RECORD, INDEX, LEDGER = "statement.json", "record.nq", "contents.json", "ledger.jsonl"
SENDERS, VERDICTS = "senders.jsonl", "verdicts.nq"
MOST_FILES, MOST_BYTES, MOST_TIMES = 100_000, 2_000_000_000, 100
PAYLOAD = "application/vnd.in-toto+json"
X, TG, PROV = "urn:provenance-explorer:ns:", "https://trustgraph.ai/ns/", "http://www.w3.org/ns/prov#"
RDF_TYPE, DC = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type", "http://purl.org/dc/elements/1.1/"
RUNS, SOURCES, JUDGED = "urn:graph:retrieval", "urn:graph:source", "urn:graph:annotation"
DERIVED, REMOVED, HASHES = f"{PROV}wasDerivedFrom", f"{PROV}invalidatedAtTime", (f"{X}sha256", f"{X}textSha256")
LEADS = {DERIVED, f"{TG}document", f"{TG}selectedChunk", f"{X}consulted", f"{X}cites"}
HOW = {f"{PROV}wasGeneratedBy", f"{X}confidence"}
PASSES = {*HOW, f"{X}joined"}
DOCUMENT = {RDF_TYPE, "http://www.w3.org/2000/01/rdf-schema#label", DERIVED, *HASHES}
DOCUMENT |= {f"{DC}{name}" for name in ("creator", "date", "language", "source", "title")}
DOCUMENT |= {f"{TG}mimeType", f"{TG}pageCount"}
_LINE = re.compile(r"<([^<>]*)> <([^<>]*)> (.+?)(?: <([^<>]*)>)? \.")
_ODD = re.compile(r"[\\:\x00-\x1f]")

Found = Iterator[tuple[str, str]]
"""What does not hold, each with its file or node; what is only said has "" in place of that."""
Record = Mapping[str, Sequence[tuple[str, str, str]]]
"""Of each node its triples: term, value as it is written, and graph."""


class UnreadableError(Exception):
    """What is no bundle, or one that could do harm."""


def files_of(path: Path) -> dict[str, bytes]:
    """Return all files of a bundle by their names; raises UnreadableError, before anything is unpacked."""
    if path.is_dir():
        every = {one.relative_to(path).as_posix(): one for one in sorted(path.rglob("*"))}
        found = {name: one for name, one in every.items() if "__pycache__" not in one.parts}
        if links := [name for name, one in found.items() if one.is_symlink()]:
            raise UnreadableError(f"{links[0]} is a link")
        beside = {*archives_beside(path)}
        return {name: one.read_bytes() for name, one in found.items() if one.is_file() and one not in beside}
    try:
        with zipfile.ZipFile(path) as archive:
            infos = [info for info in archive.infolist() if not info.is_dir()]
            _check_names(infos)
            if sum(info.file_size for info in infos) > min(MOST_BYTES, MOST_TIMES * path.stat().st_size):
                message = f"it would unpack to more than {MOST_TIMES} times its size, or {MOST_BYTES:,} bytes"
                raise UnreadableError(message)
            ends = 0  # of a file, where the next one begins
            for info in sorted(archive.infolist(), key=lambda one: one.header_offset):
                is_next = info.header_offset == ends
                ends = ends + 30 + len(info.filename.encode()) + info.compress_size if is_next else -1
            if ends != archive.start_dir:
                message = "something stands between its files, which others may unpack; unpack it and check the folder"
                raise UnreadableError(message)
            return {info.filename: archive.read(info) for info in infos}
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, RuntimeError) as error:
        raise UnreadableError(f"it is no archive that can be read ({error})") from error


def archives_beside(path: Path) -> list[Path]:
    """Return the archives in a folder that have the statement of the bundle unpacked there: it may be one of them."""
    statement, found = path / STATEMENT, []
    for one in sorted(path.glob("*.zip")) if statement.is_file() else ():
        try:
            with zipfile.ZipFile(one) as archive:
                told = archive.getinfo(STATEMENT)
                if told.file_size == statement.stat().st_size and archive.read(told) == statement.read_bytes():
                    found.append(one)
        except (zipfile.BadZipFile, zlib.error, OSError, EOFError, KeyError, ValueError, RuntimeError):
            continue  # it is none of this bundle, and so a file that the statement lacks
    return found


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
        found = [*_found(files, key, fingerprint)]
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise UnreadableError(f"it is no bundle of runs, or is damaged ({type(error).__name__}: {error})") from error
    return [one for one in found if one[0]], [what for name, what in found if not name]


def _found(files: Mapping[str, bytes], key: str | None, fingerprint: str | None) -> Found:
    envelope = json.loads(files[STATEMENT])
    payload = base64.b64decode(envelope["payload"], validate=True)
    yield from _signed(envelope, payload, key)
    own = fingerprint_of(payload)
    is_own = fingerprint is not None and "".join(fingerprint.split()).lower() == "".join(own.split())
    yield "", f"Its fingerprint is {own}{', the one given' if is_own else ''}."
    if fingerprint is not None and not is_own:
        yield STATEMENT, "it has another fingerprint than the one given: this is not what was sent"
    subjects = {one["name"]: one["digest"]["sha256"] for one in json.loads(payload)["subject"]}
    for name in sorted({*files, *subjects} - {STATEMENT}):
        if name not in files:
            yield name, "it is in the statement, and not in the bundle"
        elif name not in subjects:
            yield name, "it is in the bundle, and not in the statement"
        elif _sha256(files[name]) != subjects[name]:
            yield name, "it was changed: it does not have the hash in the statement"
    record = _record(files[RECORD])
    yield from _texts(files, json.loads(files[INDEX]), record)
    entries, sent = ([json.loads(line) for line in _lines(files.get(name, b""))] for name in (LEDGER, SENDERS))
    yield from _sealed(entries, record)
    yield from _sent(sent, entries, record)
    yield from _judged(files.get(VERDICTS, b""), record)


def fingerprint_of(payload: bytes) -> str:
    """Return the SHA-256 of a statement as eight groups of eight digits, to be read out to somebody."""
    return " ".join(re.findall("." * 8, _sha256(payload)))


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _lines(data: bytes) -> list[str]:
    return [line.decode() for line in data.split(b"\n") if line.strip()]  # texts may hold what else ends a line


def _record(data: bytes) -> Record:
    record = defaultdict(list)
    for match in filter(None, map(_LINE.fullmatch, _lines(data))):
        node, *told = match.groups(default="")
        record[node].append((told[0], told[1], told[2]))
    return record


def _signed(envelope: Mapping[str, Any], payload: bytes, key: str | None) -> Found:
    """Check the signatures by the encoding of DSSE; the identifier of a key is the public key itself."""
    signatures = {one["keyid"]: base64.b64decode(one["sig"], validate=True) for one in envelope["signatures"]}
    kind, inside = str(envelope.get("payloadType")).encode(), ", ".join(signatures)
    message = b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)
    if not signatures:
        yield "", "The bundle is not signed: anyone could have made it, or have changed it together with its statement."
        if key:
            yield STATEMENT, f"it is not signed by {key}"
    elif kind != PAYLOAD.encode() or not all(is_signed(*one, message) for one in signatures.items()):
        yield "", "The signature is not right."
        yield STATEMENT, "its signature is not right: it, or what is signed, was changed"
    elif key is None:
        yield "", f"The bundle is signed by the key inside, {inside}; know from elsewhere whose it is."
    elif key in signatures:
        yield "", f"The bundle is signed by the key given, {key}."
    else:
        yield "", "The bundle is signed by another key."
        yield STATEMENT, f"it is signed by another key: {inside}"


def is_signed(public: str, signature: bytes, message: bytes) -> bool:
    """Return whether a signature is by a public key (Ed25519, hexadecimal)."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def _texts(files: Mapping[str, bytes], index: Mapping[str, Any], record: Record) -> Found:
    """Compare each text and file with the hashes that the record has of it; of one removed a sentence is there."""
    for node, told in record.items():
        for term, value, _ in told:
            kind = {HASHES[0]: "file", HASHES[1]: "text"}.get(term, "")
            name = index["contents"].get(node, {}).get(kind)
            data = files.get(name, b"")
            if name and _is_removed(node, record):
                if not data.startswith(b"Removed on "):
                    yield node, f"the record says that its {kind} was removed, and another is in the bundle"
            elif name and value != f'"{_sha256(data)}"':
                yield node, f"its {kind} in the bundle is not the one that was recorded"
            elif kind and not name and node not in index["missing"] and f"{X}run" in {one[0] for one in told}:
                yield node, f"its {kind} is not in the bundle, and nothing says why"


def _is_removed(node: str, record: Record) -> bool:
    return any(term == REMOVED for term, _, _ in record.get(node, ()))


def _sealed(entries: Sequence[Mapping[str, str]], record: Record) -> Found:
    """Check the enclosed entries of the ledger: their hashes, signatures and order, and the runs that they seal."""
    number, seal = 0, ""
    runs, anew = (defaultdict[str, list[Any]](list) for _ in range(2))
    for entry in entries:
        told = json.loads(entry["statement"])
        name = f"entry {told['number']} of the ledger"
        if wrong := _wrong(entry):
            yield name, f"its {wrong}"
        if told["number"] == number + 1 and seal and told["previous"] != seal:
            yield name, "it does not follow the entry before it"
        number, seal = told["number"], entry["seal"]
        (anew if told["kind"] == "reextracted" else runs)[told["about"]].append(told)
    keys = sorted({told.get("key", "") for own in (*runs.values(), *anew.values()) for told in own})
    by = ", ".join(f"signed by {one}" if one else "not signed" for one in keys)
    many = "One entry" if len(entries) == 1 else f"{len(entries)} entries"
    fits = [
        one for run, own in runs.items() for one in (*_fits(run, own, record), *_found_so(run, own[-1], anew, record))
    ]
    by += "; the record is not what was sealed" if any(name for name, _ in fits) else ""
    yield "", f"{many} of the ledger enclosed, {by}." if entries else "No entry of a ledger is enclosed."
    every = {value[1:-1] for told in record.values() for term, value, _ in told if term == f"{X}run"}
    yield from (("", f"No entry of it is about {run}.") for run in sorted(every - {*runs}) if entries)
    yield from fits


def _fits(run: str, own: Sequence[Mapping[str, Any]], record: Record) -> Found:
    """Compare the record of a run, and of its sources, with what the entries about it say; the last one counts."""
    now, lasting = _hashes(run, record)
    kinds = {told["kind"] for told in own}
    is_own = bool(kinds & {"run", "interrupted", "older"})
    if not now and is_own:
        yield run, "none of its nodes names it, as those of a sealed run do: they can't be compared with the seal"
    elif not now:
        yield "", f"The record of {run} can't be compared with its seal by this program; `explorer verify` does."
    elif now != own[-1]["record"]:
        yield run, "its record is not the one that was sealed"
    elif is_own and any(told.get("lasting", lasting) != lasting for told in own):
        yield run, "its record is not the one that was sealed first, and not only as texts of it were removed"
    elif "amended" in kinds:
        yield "", f"Texts of {run} were removed after it was sealed; its reasons are those that it had then."
    sealed = own[-1].get("sources", {})
    sources = _sources(run, record)[0] if sealed else {}
    for document in sorted({*sources, *sealed}):
        way = sources.get(document, set())
        if not _is_removed(document, record):
            without = [one for one in way if one[1] not in HASHES]  # as early records were
            if sealed.get(document) not in (_digest(way), _digest(without)):
                yield document, "what the record says of it and its passages is not what was sealed"
        elif any(term in (*HASHES, f"{TG}sourceText") for node, term, *_ in way if node != document):
            yield document, "the record says that it was removed, and has words of it"
        else:
            yield "", f"The record says that {document} was removed: that can't be compared with the seal."


def _found_so(
    run: str, last: Mapping[str, Any], anew: Mapping[str, Sequence[Mapping[str, Any]]], record: Record
) -> Found:
    """Compare how documents of a run were read, and their facts found, with its last entry, or one that says that they
    were found anew since.
    """
    sealed = last.get("how", {})
    sources, now = _sources(run, record) if sealed else ({}, {})
    for document, sha256 in sorted(sealed.items()):
        way = now.get(document, set())
        if _digest(way) == sha256 or _is_removed(document, record):
            continue
        since = [one["sources"] for one in anew.get(document, ()) if one["number"] > last["number"]]
        by_node = {node: _digest(one for one in way if one[0] == node) for node in {one[0] for one in way}}
        named = {name for node, _, value, _ in (*way, *sources.get(document, ())) for name in (node, value[1:-1])}
        if since and by_node == {node: one for node, one in since[-1].items() if node in named}:
            yield "", f"The facts of {document} were found anew after {run} was sealed."
        else:
            yield document, "by whom and how it was read, or its facts were found, is not what was sealed"


def _wrong(entry: Mapping[str, str]) -> str:
    """Return what is wrong with an entry of a ledger by itself; nothing of one that holds."""
    statement, public = entry["statement"].encode(), json.loads(entry["statement"]).get("key")
    if _sha256(statement) != entry["seal"]:
        return "seal is not the hash of what it says"
    is_right = not public or is_signed(public, bytes.fromhex(entry["signature"]), statement)
    return "" if is_right else "signature is not right"


def _sent(sent: Sequence[Mapping[str, str]], entries: Sequence[Mapping[str, str]], record: Record) -> Found:
    """Check the entries of earlier senders, which seal the same runs."""
    amended = {
        told["about"] for one in (*entries, *sent) if (told := json.loads(one["statement"]))["kind"] == "amended"
    }
    for entry in sent:
        told = json.loads(entry["statement"])
        run, public = told["about"], told.get("key")
        by = f"Entry {told['number']} of an earlier sender, {f'signed by {public}' if public else 'not signed'}"
        now, lasting = _hashes(run, record)
        if wrong := _wrong(entry):
            yield run, f"an earlier sender's {wrong}"
            yield "", f"{by}, does not hold."
        elif not now:
            yield "", f"{by}: the record can't be compared with it by this program."
        elif now == told["record"]:
            yield "", f"{by}: it fits the record."
        elif run in amended and told.get("lasting", lasting) == lasting:
            yield "", f"{by}: it does not fit the record, of which texts were removed since."
        else:
            yield run, "its record is not the one that an earlier sender sealed"
            yield "", f"{by}: it does not fit the record."


def _nodes(run: str, record: Record) -> set[str]:
    """Return the nodes of a run: those that say so, with its agents."""
    named = {node for node, told in record.items() if any(one[:2] == (f"{X}run", f"<{run}>") for one in told)}
    agents = {value[1:-1] for node in named for term, value, _ in record[node] if term == f"{PROV}wasAssociatedWith"}
    return {run, *named, *agents}


def _hashes(run: str, record: Record) -> tuple[str, str]:
    """Return the hash of a run's triples, as they are sealed, and that of those which stay when texts of it are
    removed; nothing of a run whose nodes do not name it.
    """
    nodes = _nodes(run, record)
    told = [
        (node, *one) for node in nodes for one in record.get(node, ()) if one[2] == RUNS and one[0] != f"{X}previous"
    ]
    lasting = (one for one in told if one[1] not in (f"{TG}reasoning", REMOVED))
    return (_digest(told), _digest(lasting)) if len(nodes) > 1 else ("", "")


def _sources(run: str, record: Record) -> tuple[dict[str, set[tuple[str, ...]]], dict[str, set[tuple[str, ...]]]]:
    """Return what is on record of each document that a run leads to, and of its passages, as it is sealed; and of how
    they were read and found.
    """
    nodes = _nodes(run, record)
    own = [one for node in nodes for one in record.get(node, ())]
    facts = {value for term, value, _ in own if term == f"{TG}edge"}
    found: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    how: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for end in {value[1:-1] for term, value, _ in own if term in LEADS} - nodes:
        node, way, acts = end, set(), set()
        for _ in range(6):  # up to its document
            told = [one for one in record.get(node, ()) if one[2] == SOURCES]
            above = sorted(value for term, value, _ in told if term == DERIVED)
            is_taken = any(value == f"<{TG}Subgraph>" for _, value, _ in told)
            acts |= {(node, *one) for one in told if is_taken and one[0] in HOW}
            by = {value[1:-1] for term, value, _ in told if term == f"{PROV}wasGeneratedBy"}
            acts |= {(one, *said) for one in by for said in record.get(one, ()) if said[2] == SOURCES}
            if is_taken:  # whose other facts may be found again by other rules
                told = [one for one in told if one[0] not in PASSES and (one[1][:3] != "<<(" or one[1] in facts)]
            if not above:
                told += [one for one in record.get(node, ()) if not one[2] and one[0] in DOCUMENT]
            way |= {(node, *one) for one in told}
            if not above:
                break
            node = above[0][1:-1]
        found[node] |= way
        how[node] |= acts
    return {document: way for document, way in found.items() if way}, how


def _digest(quads: Iterable[tuple[str, ...]]) -> str:
    lines = (f"<{node}> <{term}> {value}{graph and f' <{graph}>'} .\n" for node, term, value, graph in quads)
    return _sha256("".join(sorted(lines)).encode())


def _judged(data: bytes, record: Record) -> Found:
    """Check that all are verdicts on runs of the record, and that none is missing which a later one has changed."""
    judged = _record(data)
    if sum(map(len, judged.values())) < len(_lines(data)):
        yield VERDICTS, "it has a line that can't be read"
    on = {node: value[1:-1] for node, told in judged.items() for term, value, _ in told if term == f"{X}run"}
    for node, told in judged.items():
        if node.partition("#")[0] not in on or any(graph != JUDGED for _, _, graph in told):
            yield node, "it is no verdict on a run"
        elif node in on and on[node] not in record:
            yield node, "it is a verdict on a run that is not in the bundle"
        for term, value, _ in told:
            if term == f"{PROV}wasRevisionOf" and value[1:-1] not in on:
                yield node, "the verdict that it changed is not in the bundle"
    made = sum(term == f"{X}verdict" for told in judged.values() for term, _, _ in told)
    if judged:
        many = "One verdict" if made == 1 else f"{made} verdicts"
        yield "", f"{many} of people enclosed, as they were when it was made."


def main() -> int:
    """Check what the command line names; returns 0 when all is well, 1 when something was found, 2 for wrong use."""
    reader = argparse.ArgumentParser(description="Check a bundle of recorded runs.")
    reader.add_argument("bundle", nargs="?", type=Path, default=Path(__file__).resolve().parent)
    reader.add_argument("--key", "--signed-by", help="the public key that it is signed by: 64 digits, or a .pub file")
    reader.add_argument("--fingerprint", help="the fingerprint that the sender told you, in one pair of quotes")
    given = reader.parse_args()
    try:
        faults, said = check(files_of(given.bundle), public_key(given.key) if given.key else None, given.fingerprint)
    except (UnreadableError, OSError) as error:
        print(f"{given.bundle}: {error}.")
        return 2
    for name, what in faults:
        print(f"{name}  {what}")
    for one in archives_beside(given.bundle):
        print(f"{one.name} is an archive with the same statement, and was not checked: name it to check it.")
    what = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
    is_known = given.fingerprint or "is signed" in said[0]
    swap = "" if is_known else " To rule out a swap, compare the fingerprint with the sender's."
    print(*said, f"It does not hold: {what} found." if faults else f"No fault found.{swap}", sep="\n")
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
