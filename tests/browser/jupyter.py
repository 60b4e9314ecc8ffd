"""A real JupyterLab on a free loopback port, with folders of its own and nothing to say to other hosts."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

SETTINGS = {  # plugin: what a test wants of it
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "docmanager-extension/plugin": {"autosave": False},
    "extensionmanager-extension/plugin": {"enabled": False},
}
FOLDERS = ("config", "data", "runtime")


@dataclass
class Lab:
    """A running JupyterLab: `root` is the folder that it shows, `log` the file that it writes to."""

    url: str
    root: Path
    log: Path
    process: subprocess.Popen

    def stop(self):
        """End the server and the kernels it started, which are in its process group."""
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(timeout=10)


def start(folder):
    """A Lab whose every file is below `folder`; raises RuntimeError with its log if it does not answer."""
    root = folder / "root"
    root.mkdir(parents=True)
    port, log = free_port(), folder / "jupyter.log"
    command = [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
        *("--ip=127.0.0.1", f"--port={port}", "--ServerApp.port_retries=0"),
        *(f"--ServerApp.root_dir={root}", "--IdentityProvider.token=", "--ServerApp.password="),
        *("--LabApp.news_url=None", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"),
        "--LabApp.expose_app_in_browser=True",
        f"--LabApp.user_settings_dir={write_settings(folder / 'settings')}",
        f"--LabApp.workspaces_dir={folder / 'workspaces'}",
    ]
    with log.open("w") as output:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=os.environ | {f"JUPYTER_{n.upper()}_DIR": str(folder / n) for n in ("config", "data", "runtime")},
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    lab = Lab(f"http://127.0.0.1:{port}", root, log, process)
    wait_until_it_answers(lab, seconds=60)
    return lab


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def write_settings(folder):
    for plugin, values in SETTINGS.items():
        path = folder / "@jupyterlab" / f"{plugin}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values), "utf-8")
    return folder


def wait_until_it_answers(lab, seconds):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # loopback needs no proxy
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and lab.process.poll() is None:
        try:
            with opener.open(f"{lab.url}/api/status", timeout=5):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.1)
    lab.stop()
    raise RuntimeError(f"JupyterLab did not start:\n{lab.log.read_text()[-4000:]}")
