// The doors: what comes from Python, what is drawn when, and how a view begins and ends.
const DRAWN = {
  heading: ["tabs"],
  bar: ["bar", "left", "answer", "audit", "lesson", "replay", "detail", "documents"],
  mattered: ["detail", "legend", "list"],
  runs: ["past"],
  documents: ["documents", "bar"],
  corrected: ["corrected", "documents", "source", "detail"],
  correcting: ["documents", "source", "detail"],
  others: ["detail", "find"],
  curated: ["answer", "detail", "find"],
  source: ["source", "detail", "audit"],
  fetched: ["source", "detail"],
  audited: ["answer", "audit"],
  reviewed: ["answer", "audit"],
  played: ["replay", "detail", "lesson"],
  taught: ["detail"],
  unfolded: ["detail"],
  level: ["trail", "legend", "list", "detail"],
  selected: ["answer", "audit", "detail", "source", "list"],
  filtered: ["legend", "list"],
};
const FOLLOWED = new Set(["selected", "source", "reset"]); // what opens the drawer, or closes it; a page that comes late does not

function onChange(view, what, detail) {
  const { parts, graph, store } = view;
  const { follow, whole, moved, unfolded } = graph;
  const again = what === "columns" || detail?.again;
  if (what === "reset" || what === "level" || again) forget(graph);
  if (what === "reset") hideTip(graph);
  if (what === "reset" && detail?.calm) Object.assign(graph, { follow, whole, moved, unfolded });
  if (what === "mode") drawMode(view);
  if (what === "line") view.offline.hidden = store.live;
  if (what === "compared") parts.compare.root.querySelector(".pe-versus-bar")?.scrollIntoView({ block: "nearest" });
  if (what === "columns") Object.assign(graph, { follow, whole, moved, unfolded });
  if (what === "level" && detail.inPlace) standStill(graph, store, { whole, moved, unfolded });
  if (what === "level" || what === "columns") showNew(graph, store, [], true);
  if (what === "level" && detail.inPlace) bringInUnfolded(graph, store);
  if (what === "grown" && isText(store, detail)) {
    for (const name of ["answer", "audit"]) parts[name].draw();
    requestAnimationFrame(() => tellPainted(view));
  } else if (what === "grown") {
    if (teaches(store)) parts.bar.draw();
    if (detail.answer || detail.state) for (const name of ["answer", "audit"]) parts[name].draw();
    parts.lesson.draw();
    if (!store.source) parts.source.draw();
    if (!store.selected || detail.nodes.some(({ id }) => store.path.includes(id))) parts.detail.draw();
    parts.list.draw();
    parts.legend.draw();
    parts.find.draw();
    drawSay(view);
    drawStart(view);
    showNew(graph, store, detail.nodes, detail.whole || again || still()); // last: to place the view means to lay out the rest
  }
  if (what === "grown" && store.frames && store.piece && !store.waiting && areHere(store, store.piece)) reveal(graph, store, store.piece);
  if (what === "taught") parts.lesson.draw(); // first: what it explains is brought into sight below it
  if (what === "taught" || (what === "grown" && store.waiting)) showLesson(view);
  const shows = store.selected && areHere(store, store.selected);
  if (again && shows) reveal(graph, store, store.selected, false);
  if (what === "selected" || what === "filtered") {
    if (what === "selected" && shows) reveal(graph, store, store.selected);
    redraw(graph, store);
  }
  if (what === "mattered" || what === "curated") redraw(graph, store);
  for (const name of DRAWN[what] ?? []) parts[name].draw();
  if (what === "mattered") bringMattered(view);
  if (what === "runs") drawStart(view);
  if (what === "selected" || what === "filtered") parts.find.draw();
  if (["selected", "filtered", "mattered", "runs"].includes(what)) drawSay(view);
  if (FOLLOWED.has(what)) view.pane.follow();
  bringEnd(view);
  if (what === "trouble") drawTrouble(view, detail);
  if (what === "settled" || what === "reset") view.trouble.hidden = true; // something else is done since
  if (what === "reset") {
    store.follows = false;
    drawAll(view);
    if (!detail?.calm) listRuns(view, listsFirst(view));
  }
  if (what === "played") {
    redraw(graph, store);
    followStep(graph, store);
    view.act.player.wished();
  }
}

// What is done with each message from Python, by its kind; their fields are those of messages/message.py.
const RECEIVERS = {
  asked: takeAsked,
  delta: takeDelta,
  level: takeLevel,
  source: takeSource,
  runs: takeRuns,
  derivation: takeDerivation,
  ran: takeRan,
  documents: takeDocuments,
  document: takeDocument,
  gone: takeGone,
  corrected: takeCorrected,
  corrections: takeCorrections,
  entity: takeEntity,
  nobody: takeNobody,
  curated: takeCurated,
  impact: takeImpact,
  suggested: takeSuggested,
  files: takeFiles,
  got: takeGot,
  compare: takeComparison,
  others: takeLookedUp,
  notkept: takeLookedUp,
  record: takeLookedUp,
  mattered: takeMattered,
  audited: takeAudited,
  reviewed: takeReviewed,
  save: takeSaved,
  trouble: takeTrouble,
};

function initialize({ model, store }) {
  const onSnapshot = () => takeSnapshot(store, model.get("snapshot"));
  const onHeading = () => {
    store.heading = model.get("heading");
    store.tell("heading");
  };
  const onBar = () => {
    store.bar = store.live ? model.get("ask_bar") : store.bar;
    store.by ||= store.bar?.by ?? "";
    store.tell("bar");
  };
  const onSelected = () => applySelected(store, model.get("selected"));
  const { later, leave } = patience();
  store.later = later;
  const handlers = {
    "msg:custom": later((message, buffers) => isLate(store, message) || RECEIVERS[message.t]?.(store, message, buffers ?? [])),
    "change:snapshot": later(onSnapshot),
    "change:selected": later(onSelected),
    "change:ask_bar": later(onBar),
    "change:heading": later(onHeading),
  };
  const deaf = store.listen((what) => what === "selected" && sendSelected(store, model));
  for (const [name, handler] of Object.entries(handlers)) model.on(name, handler);
  const unheard = watchKernel(model, (live) => {
    store.live = live;
    store.tell("line");
    onBar();
    if (live) store.send({ t: "snapshot?" });
  });
  onHeading();
  onBar();
  onSnapshot();
  onSelected();
  return () => {
    deaf();
    unheard();
    leave();
    for (const [name, handler] of Object.entries(handlers)) model.off(name, handler);
    dropSources(store);
  };
}

// What comes while a button is held is taken when it is released: a button that is drawn anew in between hears no click.
function patience() {
  const [over, waiting] = [new AbortController(), []];
  let held = false;
  const free = () => {
    held = false;
    for (const take of waiting.splice(0)) take();
  };
  const hold = (event) => (held = Boolean(targetOf(event).closest?.(".pe :is(button, a, summary, [role='button'])")));
  const listening = { capture: true, signal: over.signal };
  addEventListener("pointerdown", hold, listening);
  for (const name of ["pointerup", "pointercancel"]) addEventListener(name, () => setTimeout(free), listening);
  addEventListener("blur", free, { signal: over.signal }); // of the window: those of its parts do not come up to it
  const later = (take) => (...what) => (held ? waiting.push(() => take(...what)) : take(...what));
  return { later, leave: () => over.abort() };
}

// What is selected is the same in the page and in Python, whoever selects it.
function applySelected(store, node) {
  if (node === store.selected) return;
  if (node) select(store, node);
  else if (store.selected && !store.byItself) clearSelection(store); // of what opened by itself Python knows nothing
}

function sendSelected(store, model) {
  if (!store.live || store.byItself || model.get("selected") === store.selected) return;
  model.set("selected", store.selected);
  model.save_changes();
}

function takeComparison(store, message) {
  store.compare = message;
  store.tell("mode");
  store.tell("compared");
}

function render({ store, el: place }) {
  const root = el("div", store.heading ? "pe pe-app" : "pe");
  place.append(root);
  setColours(root, store.looks);
  const view = makeView(store, root);
  const { graph, act } = view;
  const onKey = (event) => {
    if (event.key === "Escape") act.escape();
    const does = { l: act.list, "/": act.find }[event.key.toLowerCase()];
    if (!does || !view.parts.list.root.contains(event.target)) return;
    event.preventDefault();
    does();
  };
  view.present = presenting(view);
  const letGo = keepingUp(view);
  graph.canvas.addEventListener("keydown", (event) => keyInGraph(event, store, act));
  root.addEventListener("keydown", onKey);
  const rests = ({ clientX, clientY }) => (store.pointer = `${clientX} ${clientY}`);
  root.addEventListener("pointermove", rests, { capture: true, passive: true });
  root.addEventListener("pointerleave", rests);
  const deaf = store.listen((what, detail) => onChange(view, what, detail));
  const unwatch = watchTheme(() => {
    setColours(root, store.looks);
    graph.face = "";
    redraw(graph, store);
  });
  root.explorer = {
    store,
    graph,
    select: act.select,
    clear: act.clear,
    reveal: (id) => {
      goTo(store, id);
      reveal(graph, store, id, false);
    },
    outline: (id) => outlineOf(graph, store.nodes.get(id)),
    lines: () => linesOf(graph, store),
    bars: () => barsOf(graph, store),
    here: () => hereNodes(store),
    lit: () => [...(brightOf(store) ?? [])],
    taught: () => taughtNode(store),
    fresh: () => graph.fresh.size,
    drawn: (id) => graph.nodes.get(id),
  };
  showNew(graph, store, hereNodes(store), true);
  drawMode(view);
  drawAll(view);
  view.offline.hidden = store.live;
  return () => {
    view.present.leave();
    view.present.end();
    deaf();
    unwatch();
    view.pane.measured.disconnect();
    letGo();
    forget(graph);
    graph.network.destroy();
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
    render: ({ el: place }) => (store.part ? renderPart : render)({ store, el: place }),
  };
};
