"""Where the workspaces of tests are: where each test says, or with EXPLORER_TEST_ON=servers all of them on servers.

Then each that a test opens in memory has a schema and graphs of its own, and so has each folder, also for a command
that is told `at` and for a process that imports this module. What is about a folder or about memory alone is marked
`embedded`, with the reason.
"""

import hashlib
import json
import os
import uuid
from contextlib import ExitStack
from pathlib import Path

import explorer
import explorer.workspace
from explorer.stores.collection import open_collection
from explorer.stores.lock import hold
from explorer.stores.places import is_served

ON_SERVERS = os.environ.get("EXPLORER_TEST_ON") == "servers"
_OPEN_WORKSPACE = explorer.workspace.open
_RUNNING = "EXPLORER_TEST_SERVERS"  # for processes that a test starts: the servers of its own


class OnServers:
    """Both servers, started once, and what is open there."""

    def __init__(self):
        """Start nothing yet: many tests open no workspace."""
        self._running = ExitStack()
        self._servers = None
        self._opened = {}  # what is open, with its team

    def open(self, path=None, *, collection="default", endpoint=None, **given):
        """The workspace on servers that stands for one in memory, or for one in a folder, each time the same."""
        if endpoint or is_served(path):
            return _OPEN_WORKSPACE(path, collection=collection, endpoint=endpoint, **given)
        team = self.team(path, collection)
        made = _OPEN_WORKSPACE(team.url, endpoint=team.endpoint, collection=team.collection, **given)
        self._opened[made.close] = team
        return made

    def empty(self):
        """The stores of a new collection."""
        team = self.team(None, "default")
        held = hold(team.place, team.collection)
        self._opened[held.release] = team
        return held.stores

    def close(self, before=()):
        """Close what is open, and drop what was new, but for what was open before."""
        new = {close: team for close, team in self._opened.items() if close not in before}
        for close in new:
            close()
            del self._opened[close]
        lasting = {team.collection for team in self._opened.values()}
        for team in {team.collection: team for team in new.values()}.values():
            if team.collection not in lasting:
                team.close()

    def keep(self, team):
        """Have what another opens there go with the test as well."""
        self._opened[lambda: None] = team

    @property
    def opened(self):
        """What is open now."""
        return {*self._opened}

    def end(self):
        """Close all, and stop the servers."""
        self.close()
        os.environ.pop(_RUNNING, None)
        self._running.close()

    def team(self, path, collection="default"):
        """Where the workspace is that stands for a folder, each time the same, or for a new one in memory."""
        from tests.servers.served import Team, started
        from tests.stores.contract.graph_servers import oxigraph

        if self._servers is None and _RUNNING in os.environ:
            self._servers = json.loads(os.environ[_RUNNING])
        elif self._servers is None:
            url = self._running.enter_context(started()).get_uri()
            self._servers = url, " ".join(self._running.enter_context(oxigraph()))
            os.environ[_RUNNING] = json.dumps(self._servers)
        given = uuid.uuid4() if path is None else f"{Path(path).resolve()} {collection}"
        return Team(*self._servers, f"test_{hashlib.sha256(str(given).encode()).hexdigest()[:16]}")


def empty():
    """The stores of a new collection, in memory or on servers."""
    return on_servers.empty() if ON_SERVERS else open_collection(None)


def at(path, collection="default"):
    """How a command is told of the workspace in a folder, or of the one on servers that stands for it."""
    if not ON_SERVERS:
        return ["-w", str(path), "-C", collection]
    team = on_servers.team(path, collection)
    on_servers.keep(team)
    return ["-w", team.url, "--endpoint", team.endpoint, "-C", team.collection]


def left_by_the_dead(ws):
    """Have all be done that is done after a kill: on servers as the writer's lease ends, for a folder by opening it."""
    if ON_SERVERS:
        database = ws.stores.database
        with database.writing() as transaction:
            transaction.execute(
                "UPDATE writers SET until = clock_timestamp() - interval '1 second' WHERE token <> ?",
                (database.lease.token,),
            )
        ws._upkeep.look()


on_servers = OnServers()
if ON_SERVERS:
    explorer.open = explorer.workspace.open = on_servers.open
