// The graph: vis-network draws nodes where Python put them; nothing placed ever moves.
function graphView(store, act) {
  const canvas = el("div", {
    class: "pe-canvas",
    tabindex: 0,
    role: "application",
    "aria-label": "Graph of the run. Arrow keys move between nodes, Enter opens one, L shows the graph as a list.",
  });
  const size = { width: 0, height: 0 }; // as it was last laid out: to ask the canvas means to lay out what was drawn since
  const drawing = { nodes: new vis.DataSet(), fresh: new Map(), drawn: new Map(), unmeasured: new Set() };
  const ring = el("div", { class: "pe-at-work", "aria-hidden": "true", hidden: true });
  const view = { canvas, ring, size, enlarged: 1, ...drawing, ...FROM_THE_START };
  const data = { nodes: view.nodes, edges: new vis.DataSet() };
  view.network = new vis.Network(canvas, data, optionsWith(store.options, WORDLESS * STYLES.n.size));
  canvas.append(ring);
  view.map = mapView(view, store);
  wire(view, store, act);
  return view;
}

// Fonts are known once the view is on the page; the canvas takes no CSS variables. To ask again makes the browser work
// out the style of everything that was drawn since.
function faceOf(view) {
  view.face ||= getComputedStyle(view.canvas).fontFamily;
  return view.face || "sans-serif";
}

// Labels are left out where their text would be smaller than this on the screen.
function optionsWith({ nodes, ...options }, smallestText) {
  const label = { drawThreshold: smallestText + 1, maxVisible: 1000 };
  return { ...options, nodes: { ...nodes, scaling: { label } } };
}

function wire(view, store, act) {
  const { network, canvas } = view;
  network.on("beforeDrawing", (ctx) => {
    measureNew(view, ctx);
    paintGrounds(ctx, store);
    paintArcs(ctx, store, brightOf(store), faceOf(view));
    if (network.getScale() >= WORDLESS) paintWords(ctx, store, faceOf(view));
  });
  network.on("afterDrawing", (ctx) => {
    const bright = brightOf(store);
    if (network.getScale() >= WORDLESS) paintNumbers(ctx, store, (node) => stateOf(store, view, node, bright), faceOf(view));
    paintBars(ctx, store, bright);
    placeRing(view, store, act);
    drawMap(view, store);
    view.painted?.();
  });
  network.on("click", ({ nodes }) => (nodes.length ? act.select(nodes[0]) : clearSelection(store)));
  network.on("doubleClick", ({ nodes }) => nodes.length && areHere(store, ...nodes) && act.open(nodes[0]));
  network.on("animationFinished", () => (view.gliding = false));
  network.on("dragStart", () => letGo(view));
  network.on("showPopup", (id) => (view.pressed ? hideTip(view) : placeTip(view, store, id)));
  network.on("hoverNode", () => (canvas.style.cursor = "pointer"));
  network.on("blurNode", () => (canvas.style.cursor = ""));
  network.on("initRedraw", () => canvas.clientWidth || paintOnceShown(view));
  network.on("resize", () => takeSize(view, store));
  canvas.addEventListener("pointerleave", () => hideTip(view));
  const press = (pressed) => () => {
    view.pressed = pressed; // until the pointer moves again nothing is explained: what is under it moves away
    if (pressed) hideTip(view);
  };
  canvas.addEventListener("pointerdown", press(true), { capture: true });
  canvas.addEventListener("pointermove", press(false));
  canvas.addEventListener("wheel", (event) => wheel(view, store, event), { passive: false });
}

// A canvas that got another size is empty. What was drawn around it is known to change its size before anything is painted:
// else the browser tells it once it has laid out, and it is painted in that frame, once, whatever else asks for it then.
function takeSize(view, store) {
  const { renderer, body } = view.network;
  if (view.early) return resize(view, store);
  renderer.allowRedraw = false;
  resize(view, store);
  renderer.allowRedraw = true;
  body.emitter.emit("_redraw");
  renderer.allowRedraw = false;
  return queueMicrotask(() => (renderer.allowRedraw = true));
}

// vis-network leaves it where it was, also when another run is shown.
function hideTip({ canvas }) {
  const tip = canvas.querySelector(".vis-tooltip");
  if (tip) tip.style.visibility = "hidden";
}

// Below the node, or above it where there is no room: what it is about stays in sight.
function placeTip(view, store, id) {
  const tip = view.canvas.querySelector(".vis-tooltip");
  if (!tip || !areHere(store, id)) return;
  const { left, top, bottom } = outlineOf(view, store.nodes.get(id));
  const { width, height } = view.size;
  const below = bottom + 6 + tip.offsetHeight < height ? bottom + 6 : top - 6 - tip.offsetHeight;
  Object.assign(tip.style, { left: `${between(4, left, width - tip.offsetWidth - 4)}px`, top: `${Math.max(4, below)}px` });
}

// JupyterLab hides its page for a frame when its theme changes, and the frame painted then is empty. A canvas that is
// hidden for longer gets another size, and is painted when it gets it back.
function paintOnceShown({ canvas, network }) {
  requestAnimationFrame(() => canvas.clientWidth && network.body.emitter.emit("_requestRedraw"));
}

function stateOf(store, view, node, bright) {
  if (node.id === litNode(store)) return "selected";
  if (store.found) return store.found.has(node.id) ? "fresh" : bright?.has(node.id) ? "path" : "dim";
  if (store.hidden.has(node.kind)) return "off";
  if (view.fresh.has(node.id)) return "fresh";
  if (!bright) return "rest";
  return bright.has(node.id) ? "path" : "dim";
}

// An answer, its sentences and results have the colours of how they came out, where that is known.
function lookOf({ looks: { kinds, outcomes } }, { kind, outcome }) {
  const look = kinds[kind] ?? kinds.Unknown;
  return outcome ? { ...look, ...outcomes[colourOf(look, outcome)] } : look;
}

function visOf(store, node, state, face) {
  const look = lookOf(store, node);
  const theme = themeName();
  const colours = store.looks.themes[theme];
  const paint = nodePaint(look, state, theme, colours);
  const same = { background: paint.fill, border: paint.line };
  const glow = { enabled: true, color: colours.lit, size: 10, x: 0, y: 0 };
  const stack = { enabled: look.stacked, color: mix(look[theme][2], colours.canvas, 0.5), size: 0, x: 4, y: 4 };
  const { title = node.passage?.text ?? node.lines.map(([, text]) => text).join(" "), ...given } = node.vis;
  const size = !look.size && { widthConstraint: { minimum: node.w - 16 }, heightConstraint: { minimum: node.h } };
  const label = labelOf(node, look, face);
  const rating = ratingOf(store, node.id);
  const told = joinWords([label.includes("…") && title, rating && ratedWords(rating)], "\n");
  return {
    id: node.id,
    ...look.vis,
    ...size,
    ...given,
    title: (state !== "selected" && told) || undefined, // only what is cut and told nowhere else
    label,
    font: fontFor(node, look, face, look.shape !== "box" && !["dim", "off"].includes(state) ? look[theme][1] : paint.text),
    color: { ...same, highlight: same, hover: same },
    borderWidth: paint.width,
    borderWidthSelected: paint.width,
    shapeProperties: { ...look.vis.shapeProperties, borderDashes: state !== "selected" && (look.dashes ?? false) },
    shadow: state === "selected" ? glow : stack,
  };
}

// Only what looks different is handed to vis-network: a hover or a click among 1,000 nodes repaints a few.
function redraw(view, store, ids = hereNodes(store).map((node) => node.id)) {
  const bright = brightOf(store);
  const face = faceOf(view);
  const changed = [];
  for (const id of ids) {
    const node = store.nodes.get(id);
    const state = stateOf(store, view, node, bright);
    const key = `${state} ${themeName()} ${face} ${ratingOf(store, id)?.change}`;
    const drawn = view.drawn.get(id);
    if (drawn && drawn.key === key && drawn.node === node) continue;
    view.drawn.set(id, { key, node });
    view.unmeasured.add(id);
    changed.push(visOf(store, node, state, face));
  }
  view.map.stale ||= changed.length > 0;
  paintLater(view, () => view.nodes.update(changed));
}

// vis-network paints no node that it takes for out of sight, and knows where one is only from the last frame.
function measureNew({ network, unmeasured }, ctx) {
  for (const id of unmeasured) network.body.nodes[id]?.updateBoundingBox(ctx, false);
  unmeasured.clear();
}

// vis-network paints at once whenever nodes change, and again in the next frame: here it paints in that frame alone.
function paintLater({ network }, change) {
  const { renderer, body } = network;
  const { allowRedraw } = renderer;
  renderer.allowRedraw = false;
  change();
  renderer.allowRedraw = allowRedraw;
  body.emitter.emit("_requestRedraw"); // however often it is asked for, a frame is painted once
}

function showNew(view, store, nodes, calm = still()) {
  view.early = true;
  view.network.canvas.setSize();
  view.early = false;
  const ids = calm ? [] : nodes.filter((node) => !view.drawn.has(node.id) && isHere(store, node)).map(({ id }) => id);
  const timer = ids.length && setTimeout(() => settle(view, store, ids), 1000);
  for (const id of ids) view.fresh.set(id, timer);
  redraw(view, store);
  if (view.follow) fit(view, store);
}

function settle(view, store, ids) {
  for (const id of ids) view.fresh.delete(id);
  redraw(view, store, ids.filter((id) => areHere(store, id)));
}

function forget(view) {
  for (const timer of view.fresh.values()) clearTimeout(timer);
  view.fresh.clear();
  view.drawn.clear();
  view.unmeasured.clear();
  paintLater(view, () => view.nodes.clear());
  Object.assign(view, FROM_THE_START);
}

// Walking the graph without a mouse: up and down a column, left to where a node came from, right to where it leads.
function column(store, id) {
  const { vis, w } = store.nodes.get(id);
  const isIn = ({ vis: at, w: wide }) =>
    Math.abs(at.x - vis.x) < 34 || Math.abs(at.x - wide / 2 - (vis.x - w / 2)) < 4; // or they begin at the same left
  return hereNodes(store).filter(isIn).sort((a, b) => a.vis.y - b.vis.y);
}

function beside(store, id, step) {
  const nodes = column(store, id);
  return nodes[nodes.findIndex((node) => node.id === id) + step]?.id;
}

const questionOf = (store) => hereNodes(store).find((node) => node.kind === "Question")?.id;

function leftOf(store, id) {
  const at = store.path.indexOf(id);
  return at > 0 ? store.path[at - 1] : parents(store, id)[0];
}

// On along the path that is lit, if that leads to the right: it may lead down to the next step.
function rightOf(store, id) {
  const { left } = edgesOf(store.nodes.get(id));
  const onward = [store.path[store.path.indexOf(id) + 1], ...children(store, id)];
  const right = (child) => areHere(store, child) && edgesOf(store.nodes.get(child)).left > left + 4;
  return onward.find(right) ?? inRow(store, id);
}

function inRow(store, id) {
  const { x, y } = store.nodes.get(id).vis;
  const row = hereNodes(store).filter((node) => node.vis.x > x && Math.abs(node.vis.y - y) < 4);
  return row.sort((a, b) => a.vis.x - b.vis.x)[0]?.id;
}

const WALK = {
  ArrowUp: (store, id) => beside(store, id, -1),
  ArrowDown: (store, id) => beside(store, id, 1),
  ArrowLeft: leftOf,
  ArrowRight: rightOf,
  Home: questionOf,
  End: (store) => hereNodes(store).filter((node) => looksOf(store, node.id).end).sort((a, b) => a.vis.y - b.vis.y).at(-1)?.id,
};

function keyInGraph(event, store, act) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const tools = {
    Escape: act.escape,
    Enter: () => store.selected && act.open(store.selected),
    f: act.fit,
    l: act.list,
    "/": act.find,
    "+": act.closer,
    "-": act.further,
  };
  if (WALK[key]) {
    const first = questionOf(store) ?? hereNodes(store)[0]?.id;
    const next = store.selected ? WALK[key](store, store.selected) : first;
    if (next) act.select(next);
  } else if (tools[key]) {
    tools[key]();
  } else {
    return;
  }
  claim(event);
}
