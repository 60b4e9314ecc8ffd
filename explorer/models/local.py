"""Model servers on this machine, found by asking their usual ports what models they have.

Nothing is asked before someone wants the list, and nothing beyond loopback: no proxy, no redirect.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Mapping

SERVERS: Mapping[int, str] = {11434: "Ollama", 8080: "llama.cpp", 1234: "LM Studio", 8000: "vLLM"}
_CONNECT = 0.3  # seconds, for each read as well
_PATIENCE = 1.0  # seconds for all of them together
_MOST_BYTES = 1_000_000
_MOST_MODELS = 500
_NAMED = re.compile(r"(?P<model>.+) at localhost:(?P<port>\d{1,5})")


def found_models() -> list[str]:
    """Return the models of the servers that answer in time, by port and name, each with the address it is at."""
    replies: dict[int, list[str]] = {}

    def look(port: int) -> None:
        replies[port] = _models_at(port)

    looking = [threading.Thread(target=look, args=(port,), name=f"models at {port}", daemon=True) for port in SERVERS]
    for thread in looking:
        thread.start()
    until = time.monotonic() + _PATIENCE
    for thread in looking:
        thread.join(max(0.0, until - time.monotonic()))
    return [f"{name} at localhost:{port}" for port in SERVERS for name in replies.get(port, ())]


def address_in(name: str) -> tuple[str, str] | None:
    """Return the model and the address that such a name stands for; None for a name without an address."""
    match = _NAMED.fullmatch(name)
    if match is None or not 0 < int(match["port"]) < 65_536:
        return None
    return match["model"], f"http://127.0.0.1:{match['port']}/v1"


def _models_at(port: int) -> list[str]:
    from http.client import HTTPConnection, HTTPException

    connection = HTTPConnection("127.0.0.1", port, timeout=_CONNECT)
    try:
        connection.request("GET", "/v1/models", headers={"Accept": "application/json"})
        reply = connection.getresponse()
        told = json.loads(reply.read(_MOST_BYTES)) if reply.status == 200 else None
    except (OSError, HTTPException, ValueError, RecursionError):
        return []
    finally:
        connection.close()
    listed = told.get("data") if isinstance(told, dict) else None
    names = [one.get("id") for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    usable = {name for name in names if isinstance(name, str) and name.strip() == name != "" and name.isprintable()}
    return sorted(usable)[:_MOST_MODELS]
