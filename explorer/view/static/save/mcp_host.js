// A page in a frame of an agent's host, by MCP Apps: it greets the host, tells how high it is, and reads what it is to show.
const HIGHEST = 1000; // pixels: what is below them is scrolled to in the frame

function greetHost(onResult) {
  const waiting = new Map();
  const post = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const ask = (method, params) =>
    new Promise((done) => {
      waiting.set(waiting.size + 1, done);
      post({ id: waiting.size, method, params });
    });
  addEventListener("message", ({ source, data }) => {
    if (source !== parent || data?.jsonrpc !== "2.0") return;
    if (!data.method) waiting.get(data.id)?.(data);
    else if (data.id !== undefined) post({ id: data.id, result: {} }); // it is asked whether it lives, or told that it ends
    else if (data.method === "ui/notifications/tool-result") onResult(data.params, ask);
  });
  const root = document.documentElement;
  const tellSize = () =>
    post({ method: "ui/notifications/size-changed", params: { height: Math.min(HIGHEST, root.scrollHeight) } });
  document.body.classList.add("pe-hosted");
  const own = { appInfo: { name: "explorer", version: "1" }, appCapabilities: {}, protocolVersion: "2026-01-26" };
  ask("ui/initialize", own).then(() => {
    post({ method: "ui/notifications/initialized", params: {} });
    new ResizeObserver(tellSize).observe(root);
  });
}

// The result of a tool links the page of its run; what that page holds stands beside it.
async function showResult({ content, structuredContent }, ask) {
  const link = content?.find(({ type }) => type === "resource_link");
  const read = link && (await ask("resources/read", { uri: `${link.uri}/data` }));
  const text = read?.result?.contents?.[0]?.text;
  if (!text) return fill(document.body, el("p", {}, "There is no run to show here: the answer is in the words of the tool."));
  const about = el("header", { class: "pe-about" }, el("h1", { dir: "auto" }, structuredContent.question));
  fill(document.body, el("article", { class: "pe-app", id: "run-1" }, about, el("div", { class: "pe-place" })));
  openReport(JSON.parse(text));
}
