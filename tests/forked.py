"""Processes of this interpreter that begin at once: each is forked from one that has loaded `tests.loaded`."""

import faulthandler
import os
import runpy
import subprocess
import sys
import tempfile
import traceback
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

CONTEXT = get_context("forkserver")
CONTEXT.set_forkserver_preload(["tests.loaded"])


class Forked:
    """What `subprocess.Popen` is for `python WORDS`, with text; `stderr` is a file, by default that of this process."""

    def __init__(self, *words, stderr=None, cwd=None, **env):
        """Begin; `-m MODULE` or `-c CODE` is what runs, with what comes after as its arguments."""
        stdin, self.stdin = os.pipe()
        self.stdout, stdout = os.pipe()
        stderr = os.dup(2 if stderr is None else stderr.fileno())
        streams = [Connection(one) for one in (stdin, stdout, stderr)]
        given = [*map(str, words)], {**os.environ, **env}, streams, cwd or Path.cwd()
        self.process = CONTEXT.Process(target=work, args=given)
        self.process.start()
        self.pid = self.process.pid
        for stream in streams:
            stream.close()
        self.stdin, self.stdout = open(self.stdin, "w"), open(self.stdout)  # noqa: PTH123, SIM115 - closed at its end

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def returncode(self):
        return self.process.exitcode

    def send_signal(self, number):
        os.kill(self.pid, number)

    def kill(self):
        self.process.kill()

    def wait(self, timeout=None):
        self.process.join(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired("a forked process", timeout)
        return self.returncode

    def communicate(self, said=""):
        """Say something, and nothing more; gives what the process says until its end."""
        self.stdin.write(said)
        self.stdin.close()
        told = self.stdout.read()
        self.close()
        return told

    def close(self):
        """Say nothing more, and wait for its end."""
        self.stdin.close()
        self.wait()
        self.stdout.close()


def ran(*words, said="", **given):
    """How a process ended, what it wrote, and what it wrote beside that."""
    with tempfile.TemporaryFile("w+") as beside:
        process = Forked(*words, stderr=beside, **given)
        told = process.communicate(said)
        beside.seek(0)
        return process.returncode, told, beside.read()


def ended(*words):
    """How a process ended that was let go on until its end, by itself or by a signal."""
    process = Forked(*words)
    process.communicate()
    return process.returncode


def work(words, env, streams, cwd):
    """In the forked process: have the interpreter run what it is told to."""
    for number, stream in enumerate(streams):
        os.dup2(stream.fileno(), number)
        stream.close()
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w", buffering=1)  # noqa: SIM115
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    faulthandler.enable()
    how, what, *given = words
    sys.argv = [what if how == "-m" else how, *given]
    try:
        if how == "-m":
            runpy.run_module(what, run_name="__main__", alter_sys=True)
        else:
            exec(compile(what, "<string>", "exec"), {"__name__": "__main__"})
    except Exception:  # noqa: BLE001 - it is told as an interpreter would
        traceback.print_exc()
        sys.exit(1)
    finally:
        sys.stdout.flush()
