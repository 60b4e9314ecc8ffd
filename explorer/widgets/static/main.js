// One view of the run: what is drawn when, and what a click does. The store lives with the model, views only draw.
function makeView(store, root) {
  const act = actions(store, root);
  const parts = {
    stages: stagesView(store, act),
    answer: answerView(store, act),
    detail: detailView(store, act),
    source: sourceView(store),
    list: listView(store, act),
    legend: legendView(store),
    trail: trailView(store),
  };
  for (const part of Object.values(parts)) part.draw = keepingFocus(part.root, part.draw);
  const say = el("div", { class: "pe-say", role: "status", "aria-live": "polite" });
  const start = el("div", { class: "pe-start" });
  const more = button(
    { class: "pe-btn small pe-more", tabindex: -1, "aria-hidden": "true", onclick: () => act.page() },
    "more below ↓",
  );
  const stageArea = el("div", { class: "pe-stage-area" });
  const graphPanel = el(
    "section",
    { class: "pe-panel pe-graph", "aria-label": "How the answer came about" },
    toolbar(act, parts.trail.root),
    stageArea,
    say,
    parts.legend.root,
  );
  fill(
    root,
    parts.stages.root,
    el(
      "div",
      { class: "pe-main" },
      el("div", { class: "pe-col" }, parts.answer.root, graphPanel),
      el("div", { class: "pe-col" }, parts.detail.root, parts.source.root),
    ),
  );
  const graph = graphView(store, act);
  stageArea.append(graph.canvas, parts.list.root, start, more);
  const view = { store, root, act, parts, graph, say, start, more };
  graph.painted = () => report(view);
  Object.assign(act, { view });
  return view;
}

function toolbar(act, trail) {
  const tool = (label, text, click) => button({ class: "pe-btn small", title: label, onclick: click }, text);
  return head(
    "How the answer came about",
    trail,
    el(
      "span",
      { class: "pe-quiet pe-line pe-wide pe-ell" },
      "steps go down · what each step found goes right · thicker line = better match",
    ),
    grow(),
    button(
      { class: "pe-btn small square", title: "Closer (+)", "aria-label": "Closer", onclick: () => act.closer() },
      "+",
    ),
    button(
      {
        class: "pe-btn small square",
        title: "Further away (-)",
        "aria-label": "Further away",
        onclick: () => act.further(),
      },
      "−",
    ),
    tool("Show everything (F)", "Fit", () => act.fit()),
    tool("The same as a list (L)", "List view", () => act.list()),
  );
}

function actions(store) {
  const act = {
    select: (id) => select(store, id),
    clear: () => (store.selected || !store.level ? clearSelection(store) : leave(store)),
    source: (passage) => openSource(store, passage),
    open: (id) => {
      if (store.nodes.get(id).opens) return openRun(store, id);
      act.select(id);
      if (store.source) act.view.parts.source.root.querySelector(".pe-desk")?.focus();
    },
    fit: () => {
      act.view.graph.follow = true;
      fit(act.view.graph, store, SMALLEST);
    },
    closer: () => zoom(act.view.graph, 1.2),
    page: () =>
      pan(
        act.view.graph,
        0,
        Math.min(act.view.graph.canvas.clientHeight * 0.7, hiddenBelow(act.view.graph, store)),
        glide(),
      ),
    further: () => zoom(act.view.graph, 1 / 1.2),
    list: () => toggleList(act.view),
    ask: (question) => store.send({ t: "ask", question }),
  };
  return act;
}

function toggleList({ parts, graph, root }) {
  const list = parts.list.root;
  list.hidden = !list.hidden;
  graph.canvas.classList.toggle("pe-away", !list.hidden);
  parts.list.draw();
  root.querySelector("[title^='The same as a']").textContent = list.hidden ? "List view" : "Graph view";
  if (list.hidden) graph.canvas.focus();
  else (list.querySelector(".on") ?? list).focus();
}

function drawStart({ store, start, act }) {
  start.hidden = store.nodes.size > 0 || store.state !== "start";
  if (start.hidden) return;
  const examples = store.examples ?? [];
  const tries = examples.map((question) => button({ class: "pe-btn", onclick: () => act.ask(question) }, question));
  fill(
    start,
    examples.length
      ? [el("b", {}, "Try one of these"), el("div", { class: "pe-tries" }, tries)]
      : el("b", {}, store.note?.term ?? "Ask a question"),
    el(
      "span",
      {},
      store.note?.text ??
        "You will see each step as it happens, and can click from the answer through the facts to the very words they came from.",
    ),
  );
}

function drawSay({ store, say }) {
  const node = store.nodes.get(store.selected);
  const latest = store.log.at(-1);
  if (node) fill(say, el("b", {}, store.path.length > 1 ? "The lit path: " : "Selected: "), node.say);
  else if (latest) fill(say, el("b", {}, store.state === "running" ? "New: " : "Last: "), latest.text);
  else fill(say, "Nothing asked yet.");
}

function drawAll(view) {
  for (const part of Object.values(view.parts)) part.draw();
  drawSay(view);
  drawStart(view);
}

// Tests and benchmarks read here what has really been painted.
function report({ store, root, graph, more, parts }) {
  more.hidden = !store.nodes.size || !parts.list.root.hidden || hiddenBelow(graph, store) < 30;
  root.dataset.nodes = String(store.nodes.size);
  root.dataset.seq = String(store.seq);
  root.dataset.state = store.state;
  if (store.sent.length) root.explorer.painted.push(...store.sent.splice(0).map((sent) => [...sent, Date.now()]));
}

function heard(view, what, detail) {
  const { parts, graph, store } = view;
  if (what === "reset" || what === "level") forget(graph);
  if (what === "level") {
    showNew(graph, store, [], true);
    for (const name of ["trail", "legend", "list"]) parts[name].draw();
  }
  if (what === "grown") {
    showNew(graph, store, detail.nodes, detail.whole || still());
    if (detail.stages || detail.total) parts.stages.draw();
    if (detail.answer || detail.state) parts.answer.draw();
    if (!store.selected || detail.nodes.some(({ id }) => store.path.includes(id))) parts.detail.draw();
    parts.list.draw();
    parts.legend.draw();
    drawSay(view);
    drawStart(view);
  }
  if (what === "selected" || what === "filtered") {
    if (what === "selected" && store.selected) reveal(graph, store, store.selected);
    redraw(graph, store);
    for (const name of what === "filtered" ? ["legend"] : ["stages", "answer", "detail", "list"]) parts[name].draw();
    drawSay(view);
  }
  if (what === "source") for (const name of ["source", "detail"]) parts[name].draw();
  if (what === "reset") drawAll(view);
}

function initialize({ model, store }) {
  const onMessage = (message, buffers) => {
    if (message.t === "delta") takeDelta(store, message);
    if (message.t === "source") takeSource(store, message, buffers ?? []);
  };
  const onSnapshot = () => takeSnapshot(store, model.get("snapshot"));
  model.on("msg:custom", onMessage);
  model.on("change:snapshot", onSnapshot);
  onSnapshot();
  return () => {
    model.off("msg:custom", onMessage);
    model.off("change:snapshot", onSnapshot);
    dropSources(store);
  };
}

function render({ store, el: place }) {
  const root = el("div", { class: "pe" });
  place.append(root);
  setColours(root, store.looks);
  const view = makeView(store, root);
  const onKey = (event) => keyInGraph(event, store, view.act);
  const onEscape = (event) => {
    if (event.key === "Escape") view.act.clear();
    if (event.key.toLowerCase() === "l" && view.parts.list.root.contains(event.target)) toggleList(view);
  };
  view.graph.canvas.addEventListener("keydown", onKey);
  root.addEventListener("keydown", onEscape);
  const deaf = store.listen((what, detail) => heard(view, what, detail));
  const unwatch = watchTheme(() => {
    setColours(root, store.looks);
    redraw(view.graph, store);
  });
  root.explorer = {
    painted: [], // [seq, when sent, when painted] of each message, in ms since 1970
    nodeIds: () => [...store.nodes.keys()],
    select: view.act.select,
    selected: () => store.selected,
    store,
  };
  showNew(view.graph, store, hereNodes(store), true);
  drawAll(view);
  return () => {
    deaf();
    unwatch();
    view.graph.sized.disconnect();
    forget(view.graph);
    view.graph.network.destroy();
    root.remove();
  };
}

export default () => {
  let store;
  return {
    initialize({ model }) {
      store = makeStore(model);
      return initialize({ model, store });
    },
    render({ el: place }) {
      return render({ store, el: place });
    },
  };
};
