"""A disk of servers that is really full."""

import os
import tempfile
from pathlib import Path

import pytest

from tests.servers import full_server
from tests.test_full_disk import AS_ROOT, told_on_a_small_disk


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root has a disk for a database's user"
)
def test_on_servers_whose_disk_is_full_nothing_is_lost_or_there_by_half_and_all_goes_on_once_there_is_room():
    with tempfile.TemporaryDirectory(prefix="explorer-full-") as place:  # that another user may go through
        Path(place).chmod(0o755)
        told = told_on_a_small_disk(Path(place), "tests.servers.full_server", "400m", AS_ROOT)
    assert len(told) == len(full_server.ROOMS)
    said = [one for both in told for one in both if one is not None]
    assert all("ake room on its disk" in one for one in said)
    assert any("postgres refused this" in one for one in said)
    assert any("/update can't write" in one for one in said)
    assert told[-1] == [None, None]
