"""Both servers on this machine: they end with who started them, and say why they don't start."""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
import pytest

from explorer.errors import WorkspaceError
from explorer.servers.local_servers import LocalServers
from explorer.servers.postgres.server import Address, Server

START = """
import json, sys
from explorer.servers.local_servers import LocalServers
servers = LocalServers(sys.argv[1], 0).start()
print(json.dumps(servers.endpoint), flush=True)
sys.stdin.read()
"""


def of(folder):
    """The processes that name a folder, without the one that started them."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        words = process.info["cmdline"] or []
        if any(str(folder) in word for word in words) and START not in words:
            found.append(process)
    return found


def test_they_end_with_the_process_that_started_them_also_when_it_is_killed():
    with tempfile.TemporaryDirectory(prefix="explorer-local-", ignore_cleanup_errors=True) as folder:
        starter = subprocess.Popen(
            [sys.executable, "-c", START, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert json.loads(starter.stdout.readline()).startswith("http://127.0.0.1:")
        assert of(folder)
        starter.kill()
        starter.communicate()
        until = time.monotonic() + 60
        while left := of(folder):
            assert time.monotonic() < until, left
            time.sleep(0.1)


def test_what_keeps_them_from_starting_is_said(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(WorkspaceError, match="could not be started"):
        LocalServers(tmp_path / "file", 0).start()
    with tempfile.TemporaryDirectory(prefix="explorer-local-") as folder:
        (Path(folder) / "graph").touch()
        with pytest.raises(WorkspaceError, match=r"Oxigraph did not start; .*graph\.log says why"):
            LocalServers(folder, 0).start()
        assert not of(folder)


def test_a_new_database_may_hold_much_of_what_it_reads_and_who_says_otherwise_is_heard():
    with tempfile.TemporaryDirectory(prefix="explorer-local-", ignore_cleanup_errors=True) as folder:
        of_database = "SELECT setting::bigint * 8192 AS bytes FROM pg_settings WHERE name = 'shared_buffers'"
        with LocalServers(folder, 0) as running:
            held = asked(running.database, of_database)
        assert 128 << 20 < held <= 1 << 30
        with (Path(folder) / "database" / "postgresql.conf").open("a") as settings:
            settings.write("shared_buffers = 64MB\n")
        with LocalServers(folder, 0) as running:
            assert asked(running.database, of_database) == 64 << 20


def asked(address, sql):
    """The one value of a statement."""
    server = Server(Address.read(address), "public")
    with server.lent() as session:
        [[value]] = session.rows(sql)
    server.close()
    return value
