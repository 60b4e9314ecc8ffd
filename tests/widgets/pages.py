"""What a page sends, and what one holds that has taken messages or a snapshot: as `run_store.js` does it."""

import time

ONE = ("total", "note", "teaching", "state")


def say(app, *buffers, **message):
    """Send the app a message as its page does."""
    app._handle_custom_msg(message, list(buffers))


def until(holds, seconds=20):
    deadline = time.monotonic() + seconds
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert holds()


def page_after(messages):
    """Nodes by id, arcs, log, answer, and the latest of everything else."""
    page = {"nodes": {}, "arcs": [], "log": [], "heads": [], "answer": {"text": ""}}
    for message in messages:
        if again := message.get("again"):
            page["nodes"] = {name: drawn_anew(node, again) for name, node in page["nodes"].items()}
            page["heads"] = [head for head in page["heads"] if head[4] not in again["levels"]]
        for node in message.get("nodes", ()):
            page["nodes"][node["id"]] = node if "vis" in node else page["nodes"][node["id"]] | node
        page["arcs"] += message.get("arcs", ())
        page["log"] += message.get("log", ())
        fresh = message.get("heads") or []  # those of a drawing come whole, whenever it has got another
        old = [head for head in page["heads"] if head[4] not in {one[4] for one in fresh}]
        page["heads"] = sorted([*old, *fresh], key=lambda head: (head[4:], head[0]))
        page |= {name: message[name] for name in ONE if message.get(name) is not None}
        if answer := message.get("answer"):
            text = page["answer"]["text"] + answer["append"] if "append" in answer else answer.get("text")
            page["answer"] = page["answer"] | answer | {"text": text or page["answer"]["text"]}
    page["answer"].pop("append", None)
    return page


def drawn_anew(node, again):
    left = {level: spot for level, spot in node["spots"].items() if level not in again["levels"]}
    return {**node, "spots": left, **again["moved"].get(node["id"], {})}


def page_of(snapshot):
    """The same from a snapshot, whose messages stand in it when it is that of a stored run."""
    return page_after(snapshot.get("frames") or [snapshot])


def timeless(page):
    """What does not depend on how long things took: the same for a live run and for its replay."""
    log = [(line["kind"], line["text"]) for line in page["log"]]
    return {name: page.get(name) for name in ("nodes", "arcs", "heads", "note", "teaching", "answer")} | {"log": log}
