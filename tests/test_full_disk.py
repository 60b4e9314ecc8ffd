"""A disk that is really full: the process has a small one of its own, which only it sees."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.full_disk import ROOMS

ROOT = Path(__file__).parents[1]
MOUNTING = 'mount -t tmpfs -o size=$3,mode=755 tmpfs "$1" && exec "$2" -m "$4" "$1"'
OWN = ["unshare", "--map-root-user", "--mount"]
AS_ROOT = ["unshare", "--mount"]  # a database runs as a user of its own there, who is none in a space of its own


def may_mount(folder, own=OWN):
    """Whether a process may have a disk of its own here, which not every system lets it."""
    tried = ["mount", "-t", "tmpfs", "tmpfs", str(folder)]
    return shutil.which("unshare") and not subprocess.run([*own, *tried], check=False, capture_output=True).returncode


def told_on_a_small_disk(folder, module, size, own):
    """The lines that a module prints which is given the folder of a small disk of its own."""
    if not may_mount(folder, own):
        pytest.skip("no process may mount a disk of its own on this system")
    command = [*own, "sh", "-c", MOUNTING, "sh", str(folder), sys.executable, size, module]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_on_a_disk_that_is_full_nothing_is_lost_or_there_by_half_and_all_goes_on_once_there_is_room(tmp_path):
    told = told_on_a_small_disk(tmp_path, "tests.full_disk", "150m", OWN)
    assert len(told) == len(ROOMS)
    said = [one for both in told for one in both if one is not None]
    assert all("ake room on its disk" in one for one in said)
    assert any("library.sqlite can't be used (database or disk is full)" in one for one in said)
    assert any("graph can't be written" in one for one in said)
    assert told[-1][1] is None  # a question needs little room
