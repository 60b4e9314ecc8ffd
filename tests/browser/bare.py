"""The app with a kernel and a page that do for it what a notebook does, without a notebook around it: both are cheap.

`start` begins a kernel in a process of its own. Its main thread runs cells and hears the page, one after the other, as
that of Jupyter's kernel does; what the app says goes out from another thread, also while a cell runs.
"""

import ast
import asyncio
import itertools
import json
import os
import queue
import subprocess
import sys
import threading
import traceback
from dataclasses import dataclass
from pathlib import Path

import comm
from comm.base_comm import BaseComm
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application, RequestHandler, StaticFileHandler
from tornado.websocket import WebSocketHandler

ROOT = Path(__file__).parents[2]
THEMES = Path(sys.prefix) / "share" / "jupyter" / "lab" / "themes" / "@jupyterlab"
# As in JupyterLab: its colours and letters, its names for the theme and for what scrolls, and as much room beside it.
PAGE = """<!doctype html><html lang="en" HTML><meta charset="utf-8"><title>The app alone</title>
<link rel="icon" href="data:,"><link rel="stylesheet" id="theme"><style>
body { margin: 0; padding: 64px 0 0 48px; height: 100vh; box-sizing: border-box; font-family: var(--jp-ui-font-family);
       font-size: var(--jp-ui-font-size1); background: var(--jp-layout-color1); color: var(--jp-ui-font-color1); }
.jp-WindowedPanel-outer { height: 100%; overflow-y: auto; }
main { margin: 8px 16px 60vh 64px; }
</style><body BODY><div class="jp-WindowedPanel-outer"><main></main></div><script type="module">
const models = new Map(), replies = new Map(), main = document.querySelector("main");
const line = new WebSocket("LINE");
line.binaryType = "arraybuffer";
const opened = new Promise((done) => (line.onopen = done));
const send = (message, parts = []) => {
    line.send(JSON.stringify({ ...message, parts: parts.length }));
    parts.forEach((part) => line.send(part));
};
const makeModel = (id, state) => {
    const heard = {};
    return {
        tell: (name, ...what) => [...(heard[name] ?? [])].forEach((one) => one(...what)),
        get: (name) => state[name],
        set: (name, value) => (state[name] = value),
        save_changes: () => send({ id, data: { method: "update", state: { selected: state.selected } } }),
        on: (name, does) => (heard[name] ??= new Set()).add(does),
        off: (name, does) => heard[name]?.delete(does),
        send: (content, _, parts) => send({ id, data: { method: "custom", content } }, parts),
        take: (changed) => Object.assign(state, changed),
    };
};
const make = async (id, state) => {
    const model = makeModel(id, state), style = document.head.appendChild(document.createElement("style"));
    style.textContent = state._css;
    const address = URL.createObjectURL(new Blob([state._esm], { type: "text/javascript" }));
    const widget = await (await import(address)).default();
    await widget.initialize({ model });
    return { model, show: (el) => widget.render({ model, el }) };
};
const take = async ({ kind, id, data, said }, parts) => {
    if (kind === "end") replies.get(id)(said);
    if (kind === "show") {
        if (!models.has(id)) models.set(id, await make(id, data));
        await models.get(id).show(main.appendChild(document.createElement("div")));
    }
    const { model } = models.get(id) ?? {};
    if (!model || kind !== "comm_msg") return;
    if (data.method === "custom") model.tell("msg:custom", data.content, parts.map((part) => new DataView(part)));
    if (data.method !== "update") return;
    model.take(data.state);
    Object.keys(data.state).forEach((name) => model.tell(`change:${name}`));
};
let coming = [], order = Promise.resolve();
line.onmessage = ({ data }) => {
    coming.push(typeof data === "string" ? JSON.parse(data) : data);
    const [message, ...parts] = coming;
    if (parts.length < message.parts) return;
    coming = [];
    order = order.then(() => take(message, parts)).catch(console.error);
};
window.theme = (name) => new Promise((done) => {
    if (document.body.dataset.jpThemeName === name) return done();
    const [, word] = name.toLowerCase().split(" ");
    document.body.dataset.jpThemeLight = word === "light";
    document.body.dataset.jpThemeName = name;
    const href = `/themes/theme-${word}-extension/index.css`;
    Object.assign(document.querySelector("#theme"), { href, onload: done });
});
window.cell = async (code) => {  // gives what went wrong, once it has run
    await opened;
    const id = String(Math.random());
    const ended = new Promise((done) => replies.set(id, done));
    send({ id, code });
    return ended;
};
await opened;
if ("notebook" in document.body.dataset) await theme("JupyterLab Light");
send({});  // what is on show is shown here too
window.ready = true;
</script></body></html>"""


@dataclass
class Kernel:
    """A running kernel: `url` is the address of its page."""

    url: str
    process: subprocess.Popen

    def page(self, html="", body=""):
        """The page for elsewhere, with these attributes."""
        return page(self.url.partition("//")[2], html, body)

    def stop(self):
        """End it, with what it has begun."""
        self.process.stdin.close()
        self.process.wait(timeout=20)


def page(host, html="", body="data-notebook"):
    """The page of a kernel that listens there."""
    return PAGE.replace("HTML", html, 1).replace("BODY", body).replace("LINE", f"ws://{host}/line")


def start(folder):
    """A kernel that works in a folder."""
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    with (folder / "kernel.log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.browser.bare"],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
    return Kernel(process.stdout.readline().strip(), process)


class Serving:
    """The kernel: what cells have named, what they show, and the lines to the pages."""

    def __init__(self):
        self.lines, self.work, self.loop = set(), queue.Queue(), asyncio.new_event_loop()
        self.forget()

    def forget(self):
        """Name and show nothing."""
        self.names, self.shown = {"__name__": "__main__", "kernel": self}, []

    def tell(self, parts=(), to=None, **message):
        """Say something to one page or all, from whatever thread."""
        said = [json.dumps({**message, "parts": len(parts)}), *map(bytes, parts)]
        self.loop.call_soon_threadsafe(self._write, said, to)

    def _write(self, said, to):
        for line, part in itertools.product(self.lines & {to} if to else self.lines, said):
            line.write_message(part, binary=isinstance(part, bytes))

    def hear(self, line, message, parts):
        """Do what a page asks for: run a cell, tell the app, or show what is on show."""
        if "code" in message:
            self.tell(to=line, kind="end", id=message["id"], said=self.run(message["code"]))
        elif "id" in message:
            if app := comm.get_comm_manager().get_comm(message["id"]):
                app.handle_msg({"content": {"data": message["data"]}, "buffers": parts})
        else:
            for one in self.shown:
                self.show(one, line)

    def run(self, code):
        """Run a cell; gives what went wrong in it, or None."""
        try:
            tree = ast.parse(code)
            last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, "<cell>", "exec"), self.names)
            given = eval(compile(ast.Expression(last.value), "<cell>", "eval"), self.names) if last else None
            if hasattr(given, "comm"):
                given._repr_mimebundle_()  # as IPython does
                self.shown.append(given)
                self.show(given)
        except Exception:  # noqa: BLE001 - the page tells it
            return traceback.format_exc()
        return None

    def show(self, app, line=None):
        if app.comm:
            self.tell(to=line, kind="show", id=app.comm.comm_id, data=app.get_state())


def main():
    """Serve until the one that began it is gone."""
    kernel = Serving()

    class Comm(BaseComm):
        def publish_msg(self, msg_type, data=None, metadata=None, buffers=None, **_):
            kernel.tell(buffers or (), kind=msg_type, id=self.comm_id, data=data)

    class Page(RequestHandler):
        def get(self, empty):
            self.finish("<link rel='icon' href='data:,'>" if empty else page(self.request.host))

    class Line(WebSocketHandler):
        def check_origin(self, _):
            return True  # also a frame that has none

        def open(self):
            self.coming = []
            kernel.lines.add(self)

        def on_message(self, data):
            self.coming.append(json.loads(data) if isinstance(data, str) else memoryview(data))
            message, *parts = self.coming
            if len(parts) == message["parts"]:
                self.coming = []
                kernel.work.put((self, message, parts))

        def on_close(self):
            kernel.lines.discard(self)

    def serve():
        asyncio.set_event_loop(kernel.loop)
        [socket] = bind_sockets(0, "127.0.0.1")
        places = [("/(empty)?", Page), ("/line", Line), ("/themes/(.*)", StaticFileHandler, {"path": str(THEMES)})]
        HTTPServer(Application(places)).add_socket(socket)
        os.write(1, b"http://127.0.0.1:%d\n" % socket.getsockname()[1])
        os.dup2(2, 1)  # what is printed goes where errors go
        kernel.loop.run_forever()

    comm.create_comm = Comm
    threading.Thread(target=serve, daemon=True).start()
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    while True:
        kernel.hear(*kernel.work.get())


if __name__ == "__main__":
    main()
