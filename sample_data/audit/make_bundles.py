"""Make the three bundles of the audit notebook again: runs of the demo, signed; one of them was tampered with since.

The keys are made anew each time, so the bytes differ; the public one stays beside the bundles.
"""

import base64
import hashlib
import io
import json
import tempfile
import zipfile
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import explorer
from explorer.record.bundles import writing
from explorer.record.keys import Key, new_key

HERE = Path(__file__).parent
DOCUMENTS = HERE.parent / "apollo13" / "documents"
RUNS = {
    "first.zip": "Why did oxygen tank no. 2 fail?",
    "second.zip": "What voltage were the thermostatic switches rated for?",
    "third.zip": "Who chaired the Review Board?",
}
CHANGED, BEFORE, AFTER = "second.zip", "28 V DC", "65 V DC"


def main() -> None:
    """Write the bundles and the public key."""
    with tempfile.TemporaryDirectory() as folder:
        _, other = (new_key(Path(folder) / f"{name}.pem") for name in ("analyst", "somebody"))
        (HERE / "analyst.pub").write_bytes((Path(folder) / "analyst.pem.pub").read_bytes())
        minutes, numbers = count(), count(1)
        begun = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
        ws = explorer.open(
            Path(folder) / "ws",
            ids=lambda: f"audit-{next(numbers)}",
            clock=lambda: begun + timedelta(seconds=next(minutes)),
            key=Path(folder) / "analyst.pem",
        )
        with ws:
            ws.ingest(DOCUMENTS, progress=False)
            for name, question in RUNS.items():
                trace = ws.run(question, by="An analyst")
                print(name, trace.answer)
                ws.bundle(trace, path=HERE / name)
        (HERE / CHANGED).write_bytes(tampered((HERE / CHANGED).read_bytes(), other))


def tampered(data: bytes, key: Key) -> bytes:
    """Say something else in the answer, and make all hashes fit but those that were signed."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    holding = (name for name, text in files.items() if name.startswith("texts/") and BEFORE.encode() in text)
    answer = min(holding, key=lambda name: len(files[name]))  # the passage and the page are longer
    after = files[answer].replace(BEFORE.encode(), AFTER.encode())
    old, new = (hashlib.sha256(text).hexdigest().encode() for text in (files[answer], after))
    files[answer] = after
    statement = json.loads(files.pop("statement.json"))
    made = {}
    for name, text in files.items():
        kept = name.startswith(("texts/", "documents/")) or name == "verify.py"
        made[name.replace(old.decode(), new.decode())] = text if kept else text.replace(old, new)
    told = json.loads(base64.b64decode(statement["payload"]))
    made["statement.json"] = writing._statement(made, told["predicate"], key)  # noqa: SLF001 - as a forger would
    return writing._archive(made)  # noqa: SLF001


if __name__ == "__main__":
    main()
