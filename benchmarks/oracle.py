"""An oracle: a chat model that knows the evidence and selects perfectly.

What its last prompt lacks, no model can answer.

`python -m benchmarks.oracle` measures the sample at several lengths of context, with a service on this machine too, and
HotpotQA where that is given.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import mean
from threading import Thread

import explorer
from benchmarks.answers import fill
from explorer.engines.facts.graph_rag import GraphRag
from explorer.engines.limits import Limits
from explorer.engines.registry import checked, run
from explorer.engines.setting import Setting
from explorer.events import Usage
from explorer.models.chat import Message, OpenAIChat, Schema
from explorer.models.embedding import Remembered
from explorer.models.endpoint import NO_KEY
from explorer.reasoning.prompted.reasoner import PromptedReasoner
from explorer.sample import corpus, demo
from explorer.workspace import Workspace

CONTEXTS = (32_768, 8_192, 4_096)
_ROW = re.compile(r'^\{"id": .*$', re.MULTILINE)
_CHECKED = re.compile(r'^\{"n": (\d+), "sentence"', re.MULTILINE)


def bare(text: str) -> str:
    """Return the letters and digits of a text alone."""
    return "".join(char for char in text.lower() if char.isalnum())


@dataclass
class Oracle:
    """Selects the sentences that hold some words of the evidence, and keeps its prompts."""

    evidence: Sequence[str]
    name: str = "oracle"
    prompts: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def complete(self, messages: Sequence[Message], *, schema: Schema | None = None) -> Iterator[str | Usage]:
        """Yield the selection, or an answer, and a usage."""
        self.prompts.append("\n".join(message.text for message in messages))
        rows = map(json.loads, _ROW.findall(messages[-1].text))
        chosen = [{"id": row["id"], "reasoning": "It holds what is asked."} for row in rows if self._knows(row["text"])]
        chosen += [{"n": int(n), "verdict": "supported"} for n in _CHECKED.findall(messages[-1].text)]
        reply = "\n".join(map(json.dumps, chosen)) if schema else "It is so [1]."
        self.said.append(reply)
        yield reply
        yield Usage(len(self.prompts[-1]) // 4, len(reply) // 4, self.name)

    def _knows(self, sentence: str) -> bool:
        own = bare(sentence)
        return any(own and (own in bare(one) or bare(one) in own) for one in self.evidence)


@dataclass(frozen=True)
class Measured:
    """What one question came to.

    Whether its `first` evidence was in the last prompt, and how much of all it `held`, `of` how much; the characters of
    that prompt; calls and tokens.
    """

    first: bool
    held: int
    of: int
    characters: int
    calls: int
    tokens_in: float
    tokens_out: float


@contextmanager
def on_loopback(oracle: Oracle) -> Iterator[str]:
    """Have an oracle answer as a service on this machine; gives its address."""

    class Service(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            told = [Message(one["role"], one["content"]) for one in asked["messages"]]
            form = asked.get("response_format")
            schema = Schema(form["json_schema"]["name"], {}) if form else None
            text = "".join(one for one in oracle.complete(told, schema=schema) if isinstance(one, str))
            choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
            body = json.dumps({"model": oracle.name, "choices": [choice]}).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()


def ask(ws: Workspace, question: str, evidence: Sequence[str], context: int, *, here: bool = False) -> Measured:
    """Ask with an oracle, without recording; `here` by a service on loopback, as any local model is asked."""
    oracle, embedder = Oracle(evidence), Remembered(ws.embedder)
    setting = Setting(ws.stores, embedder, "oracle", lambda: datetime.now(UTC))
    if here:
        with on_loopback(oracle) as url:
            chat = OpenAIChat(oracle.name, url, NO_KEY, context=context)
            deque(run(checked(question, "graph-rag", {}), setting, chat, str), maxlen=0)
    else:
        deque(GraphRag(setting, PromptedReasoner(oracle, embedder, context=context), Limits()).run(question), maxlen=0)
    last = next(one for one in reversed(oracle.prompts) if not _CHECKED.search(one))  # from which it answers
    words = bare(last.rpartition("BEGIN DATA\n")[2].partition("\nEND DATA")[0])
    held = [bare(one) in words for one in evidence]
    read, said = sum(map(len, oracle.prompts)) / 4, sum(map(len, oracle.said)) / 4
    return Measured(held[0], sum(held), len(evidence), len(last), len(oracle.prompts), read, said)


def sample(ws: Workspace, context: int, *, here: bool = False) -> list[Measured]:
    """Ask the answerable questions of the sample."""
    lines = map(json.loads, (corpus() / "questions.jsonl").read_text(encoding="utf-8").splitlines())
    return [ask(ws, one["question"], [said["quote"] for said in one["evidence"]], context, here=here)
            for one in lines if one["answerable"]]  # fmt: skip


def figures(measured: Sequence[Measured]) -> dict[str, str]:
    """Return the figures of some questions."""
    whole = sum(one.held == one.of for one in measured)
    return {
        "evidence in the last prompt": f"{sum(one.held for one in measured)} of {sum(one.of for one in measured)}",
        "whole questions": f"{whole} of {len(measured)}",
        "characters of the last prompt, most": f"{max(one.characters for one in measured):,}",
        "calls": f"{mean(one.calls for one in measured):.1f}",
        "tokens in / out": f"{mean(one.tokens_in for one in measured):,.0f} / "
        f"{mean(one.tokens_out for one in measured):,.0f}",
    }


def hotpotqa(data: Path, place: Path) -> str:
    """Return how many of the answers, yes and no left out, stand in the last prompt."""
    lines = map(json.loads, (data / "hotpotqa" / "questions.jsonl").read_text(encoding="utf-8").splitlines())
    texts = {one["id"]: one["text"] for one in map(json.loads, (data / "hotpotqa" / "corpus.jsonl").open("rb"))}
    asked = [one for one in lines if bare(one["answer"]) not in {"yes", "no"}]
    with explorer.open(place) as ws:
        fill(ws, data, "hotpotqa")
        held = sum(ask(ws, one["question"], [one["answer"], *(texts[key] for key in one["gold"])], CONTEXTS[0]).first
                   for one in asked)  # fmt: skip
    return f"{held} of {len(asked)}"


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory(prefix="explorer-oracle-") as place:
        with demo(Path(place) / "demo") as ws:
            for context in CONTEXTS:
                print(f"context {context:,}:", figures(sample(ws, context)))
            print(f"on loopback, context {CONTEXTS[1]:,}:", figures(sample(ws, CONTEXTS[1], here=True)))
        if data := os.environ.get("EXPLORER_CONFORMANCE_DATA"):
            print("HotpotQA, words of the answer:", hotpotqa(Path(data) / "data", Path(place) / "hotpotqa"))


if __name__ == "__main__":
    main()
