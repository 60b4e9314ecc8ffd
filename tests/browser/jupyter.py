"""A real JupyterLab, Notebook 7 or Voilà on a free loopback port, with folders of its own and silent to other hosts."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
SETTINGS = {  # plugin: what a test wants of it
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "docmanager-extension/plugin": {"autosave": False},
    "extensionmanager-extension/plugin": {"enabled": False},
}
FOLDERS = ("config", "data", "runtime")
SETTABLE = {  # module: the class that its settings are of, and where it shows a notebook, in a workspace of its own
    "jupyterlab": ("LabApp", "lab/workspaces/{0}/tree"),
    "notebook": ("JupyterNotebookApp", "notebooks"),
}
LAB_ONLY = ("--LabApp.news_url=None", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate")


@dataclass
class Lab:
    """A running server: `root` is the folder of its notebooks, `log` the file that it writes to."""

    url: str
    root: Path
    log: Path
    process: subprocess.Popen
    app: str = "jupyterlab"

    def address(self, name):
        """Where the browser finds a notebook of the folder, with nothing left of an earlier visit."""
        place = SETTABLE[self.app][1].format(quote(name.partition(".")[0]))
        return f"{self.url}/{place}/{quote(name)}?reset"

    def stop(self):
        """End the server and the kernels it started, which are in its process group."""
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(timeout=10)


def start(folder, app="jupyterlab"):
    """A server of "jupyterlab" or "notebook", all files below `folder`; raises RuntimeError if it does not answer."""
    settable = SETTABLE[app][0]
    command = [
        *(sys.executable, "-m", app, "--no-browser", "--allow-root"),
        *("--ip=127.0.0.1", "--ServerApp.port_retries=0"),
        *("--ServerApp.root_dir=notebooks", "--IdentityProvider.token=", "--ServerApp.password="),
        *(LAB_ONLY if app == "jupyterlab" else ()),
        f"--{settable}.expose_app_in_browser=True",
        f"--{settable}.user_settings_dir={write_settings(folder / 'settings')}",
        f"--{settable}.workspaces_dir={folder / 'workspaces'}",
    ]
    return serve(folder, command, app)


def start_voila(folder, arguments):
    """A Voilà with these arguments, run beside the folder `notebooks`; raises RuntimeError if it does not answer."""
    return serve(folder, [sys.executable, "-m", "voila", *arguments, "--no-browser"], "voila")


def serve(folder, command, app):
    root = shutil.copytree(NOTEBOOKS, folder / "notebooks", ignore=shutil.ignore_patterns(".*"))
    port, log = free_port(), folder / "jupyter.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            [*command, f"--port={port}"],
            cwd=folder,
            env=os.environ | {f"JUPYTER_{n.upper()}_DIR": str(folder / n) for n in FOLDERS},
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    lab = Lab(f"http://127.0.0.1:{port}", root, log, process, app)
    wait_until_it_answers(lab, seconds=120)
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
        except urllib.error.HTTPError:  # Voilà has no status
            return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.1)
    lab.stop()
    raise RuntimeError(f"{lab.app} did not start:\n{lab.log.read_text()[-4000:]}")
