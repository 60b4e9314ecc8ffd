"""The command that starts the servers of a shared workspace on this machine: `servers`."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Annotated

import typer

from explorer.cli.opening import print_lines
from explorer.stores.local_servers import PORT, LocalServers

app = typer.Typer()
ADDRESSES = "addresses"
"""The file in the folder of the servers that has their addresses, to be read by a shell."""


@app.command()
def servers(
    folder: Annotated[Path, typer.Argument(help="What the servers hold is there; made if missing.")],
    port: Annotated[int, typer.Option(help="The port of the endpoint, on this machine alone; 0 takes any.")] = PORT,
) -> None:
    """Run both servers of a shared workspace on this machine, until Ctrl-C."""
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        with LocalServers(folder, port) as running:
            told = {"EXPLORER_WORKSPACE": running.database, "EXPLORER_ENDPOINT": running.endpoint}
            lines = [f"export {name}='{value}'" for name, value in told.items()]
            (running.folder / ADDRESSES).write_text("".join(f"{line}\n" for line in lines), "utf-8")
            print_lines([f"Both servers run until Ctrl-C. Elsewhere on this machine: . {folder / ADDRESSES}", *lines])
            running.wait()
    except KeyboardInterrupt:
        print_lines(["Stopped."])


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt
