"""The command that starts the servers of a shared workspace on this machine: `servers`."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Annotated

import typer

from explorer.cli.opening import print_lines
from explorer.stores import places

app = typer.Typer()


@app.command()
def servers(
    folder: Annotated[Path, typer.Argument(help="What the servers hold is there; made if missing.")],
    port: Annotated[
        int, typer.Option(help="The port of the endpoint, on this machine alone; 0 takes any.")
    ] = places.PORT,
) -> None:
    """Run both servers of a shared workspace on this machine, until Ctrl-C."""
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        places.servers().run_here(folder, port, print_lines)
    except KeyboardInterrupt:
        print_lines(["Stopped."])


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt
