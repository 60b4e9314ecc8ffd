"""A disk that is really full: the process has a small one of its own, which only it sees."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.full_disk import ROOMS

ROOT = Path(__file__).parents[1]
MOUNTING = 'mount -t tmpfs -o size=60m tmpfs "$1" && exec "$2" -m tests.full_disk "$1"'
OWN = ["unshare", "--map-root-user", "--mount"]


def may_mount(folder):
    """Whether a process may have a disk of its own here, which not every system lets it."""
    tried = ["mount", "-t", "tmpfs", "tmpfs", str(folder)]
    return shutil.which("unshare") and not subprocess.run([*OWN, *tried], check=False, capture_output=True).returncode


def test_on_a_disk_that_is_full_nothing_is_lost_or_there_by_half_and_all_goes_on_once_there_is_room(tmp_path):
    if not may_mount(tmp_path):
        pytest.skip("no process may mount a disk of its own on this system")
    command = [*OWN, "sh", "-c", MOUNTING, "sh", str(tmp_path), sys.executable]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(told) == len(ROOMS)
    said = [one for both in told for one in both if one is not None]
    assert all("make room on its disk" in one for one in said)
    assert any("library.sqlite can't be used (database or disk is full)" in one for one in said)
    assert any("graph can't be written" in one for one in said)
    assert told[-1][1] is None  # a question needs little room
