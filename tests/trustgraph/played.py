"""What a gateway of TrustGraph was asked and what it replied, recorded once and played again by a server here.

`python -m tests.trustgraph.played ws://127.0.0.1:8088 tg_token` records it anew, from a gateway that has just started.
"""

import base64
import json
import sys
import threading
from pathlib import Path
from queue import SimpleQueue

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.sync.server import serve

import explorer
from explorer import rdf
from explorer.observing.trustgraph import about
from explorer.trustgraph.knowledge import MOST

RECORDED = Path(__file__).parent / "gateway.jsonl"
TOKEN = "tg_recorded"
QUESTION = "Who discovered radium?"
HALF_LIFE = "How many centuries is the half-life of radium?"
ASKED = (
    (QUESTION, "graph-rag", {"entity_limit": 4, "edge_limit": 3}),
    (QUESTION, "document-rag", {"doc_limit": 3}),
)
CUT = "cut"
"""In the place of a message: the connection is cut there."""
_ASKS = ("graph-rag", "document-rag", "agent")


def key(service, request):
    """What is asked for, by which its replies are found again; of a question the question."""
    question = request.get("query", request.get("question"))
    return service, json.dumps(question if service in _ASKS else request, sort_keys=True)


class Played:
    """A gateway at `address` that replies as the recorded one did.

    `change` is given the messages of an answer, and returns others to send. `imported` holds what was sent to import,
    `documents` what was added to the library, `sockets` who is connected. `filled` is how many statements it has
    where all are asked for; MOST of them are too many. One that is not `keeping` has stored nothing.
    """

    def __init__(self, change=list, token=TOKEN, *, filled=0, keeping=True):
        self.change, self.token, self.filled, self.keeping = change, token, filled, keeping
        lines = map(json.loads, RECORDED.read_text("utf-8").splitlines())
        self.replies = {key(line["service"], line["request"]): line["replies"] for line in lines}
        self.asked, self.imported, self.documents, self.sockets = [], SimpleQueue(), {}, []
        self.server = serve(self.handle, "127.0.0.1", 0)
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.address = f"ws://127.0.0.1:{self.server.socket.getsockname()[1]}"

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()

    def handle(self, socket):
        self.sockets.append(socket)
        for raw in socket:
            message = json.loads(raw)
            if "/import/" in socket.request.path:
                self.imported.put(message)
            elif message.get("type") == "auth":
                known = message["token"] == self.token
                told = {"type": "auth-ok", "default_workspace": "default"}
                socket.send(json.dumps(told if known else {"type": "auth-failed", "error": "auth failure"}))
            else:
                self.reply(socket, message)

    def reply(self, socket, message):
        service = message["service"]
        self.asked.append(service)
        if message["request"].get("operation") == "add-document":
            added = message["request"]
            self.documents[added["document-metadata"]["id"]] = base64.b64decode(added["content"])
            socket.send(json.dumps({"id": message["id"], "response": {}, "complete": True}))
            return
        unknown = [{"error": {"message": f"nothing was recorded of {service}", "type": "error"}, "complete": True}]
        replies = self.replies.get(key(service, message["request"]), unknown)
        if self.filled and message["request"].get("limit") == MOST and not {*"so"} & {*message["request"]}:
            replies = [_filled(one, self.filled) for one in replies]
        if service == "triples" and not self.keeping:
            replies = [_filled(one, 0) for one in replies]
        for one in self.change(replies) if service in _ASKS else replies:
            if one == CUT:
                socket.close()
                return
            socket.send(json.dumps({**one, "id": message["id"]}))


def _filled(reply, size):
    """A reply with so many statements."""
    told = reply.get("response", {}).get("response", [])
    return {**reply, "response": {"response": [*told[:size], *(size - len(told)) * told[:1]]}}


def _recording(gateway, lines):
    """Pass everything on to a gateway, and note it."""

    def handle(socket):
        with connect(f"{gateway}/api/v1/socket") as real:
            open_ones = {}

            def back():
                try:
                    for raw in real:
                        message = json.loads(raw)
                        asked = open_ones.get(message.get("id"))
                        if asked:
                            asked["replies"].append({name: value for name, value in message.items() if name != "id"})
                        socket.send(raw)
                except ConnectionClosed:
                    return

            threading.Thread(target=back, daemon=True).start()
            for raw in socket:
                message = json.loads(raw)
                if "service" in message:
                    line = {"service": message["service"], "request": message["request"], "replies": []}
                    open_ones[message["id"]] = line
                    lines.append(line)
                real.send(raw)

    return handle


def record(gateway, token):
    """Ask, list, open, and look at sources, as the tests do; later replies to the same stand for the earlier ones."""
    lines = []
    with serve(_recording(gateway, lines), "127.0.0.1", 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.socket.getsockname()[1]
        with explorer.connect_trustgraph(f"ws://127.0.0.1:{port}", token=token) as tg:
            for question, engine, limits in ASKED:
                trace = tg.run(question, engine, **limits)
                tg.fetch_sources(trace.iri)
                for node in trace.dag.entities:  # as an older gateway tells them
                    tg._knowledge.step(node)
        with explorer.connect_trustgraph(f"ws://127.0.0.1:{port}", token=token) as tg:
            for one in tg.stored():
                tg.fetch_sources(one.iri)
        with explorer.connect_trustgraph(f"ws://127.0.0.1:{port}", token=token) as tg:
            tg._knowledge._is_small = False  # as where more is stored
            for one in tg.stored():
                for name in about(rdf.entities(tg._knowledge.run(one.iri))):
                    tg._knowledge.labels([name])
            tg.run(HALF_LIFE, "agent")
        server.shutdown()
    known = {key(line["service"], line["request"]): line for line in lines}
    RECORDED.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in known.values()), "utf-8")


if __name__ == "__main__":
    record(*sys.argv[1:])
