// The graph: vis-network draws nodes where Python put them; nothing placed ever moves.
const SMALLEST = 0.6; // below this vis-network hides labels
const EASY = 0.85; // the graph is not made smaller than this by itself, only when asked to
const FROM_THE_START = { follow: true, smallest: EASY };
const MARGIN = 12;
const MORE = 40; // what a button takes up at the lower edge while there is more below

function graphView(store, act) {
  const canvas = el("div", {
    class: "pe-canvas",
    tabindex: 0,
    role: "application",
    "aria-label": "Graph of the run. Arrow keys move between nodes, Enter opens one, L shows the graph as a list.",
  });
  const size = { width: 0, height: 0 }; // as it was last laid out: to ask the canvas means to lay out what was drawn since
  const view = { canvas, size, nodes: new vis.DataSet(), fresh: new Map(), drawn: new Map(), ...FROM_THE_START };
  view.network = new vis.Network(canvas, { nodes: view.nodes, edges: new vis.DataSet() }, store.options);
  wire(view, store, act);
  return view;
}

// Fonts are known once the view is on the page; the canvas takes no CSS variables. To ask again makes the browser work
// out the style of everything that was drawn since.
function faceOf(view) {
  view.face ||= getComputedStyle(view.canvas).fontFamily;
  return view.face || "sans-serif";
}

function wire(view, store, act) {
  const { network, canvas } = view;
  network.on("beforeDrawing", (ctx) => {
    paintArcs(ctx, store, brightOf(store));
    paintWords(ctx, store, faceOf(view));
  });
  network.on("afterDrawing", () => view.painted?.());
  network.on("click", ({ nodes }) => (nodes.length ? act.select(nodes[0]) : clearSelection(store)));
  network.on("doubleClick", ({ nodes }) => nodes.length && areHere(store, ...nodes) && act.open(nodes[0]));
  network.on("dragStart", () => (view.follow = false));
  network.on("hoverNode", () => (canvas.style.cursor = "pointer"));
  network.on("blurNode", () => (canvas.style.cursor = ""));
  network.on("initRedraw", () => canvas.clientWidth || paintOnceShown(view));
  network.on("resize", (to) => resize(view, store, to));
  canvas.addEventListener("pointerleave", () => {
    const tip = canvas.querySelector(".vis-tooltip"); // which vis-network leaves where it was
    if (tip) tip.style.visibility = "hidden";
  });
  canvas.addEventListener("wheel", (event) => wheel(view, store, event), { passive: false });
}

// JupyterLab hides its page for a frame when its theme changes, and the frame painted then is empty. A canvas that is
// hidden for longer gets another size, and is painted when it gets it back.
function paintOnceShown({ canvas, network }) {
  requestAnimationFrame(() => canvas.clientWidth && network.body.emitter.emit("_requestRedraw"));
}

// vis-network would zoom by as much as the canvas has grown: here the scale stays, and what is in the middle, and a
// selection that was in sight. A canvas that is hidden has no size and keeps the last it had.
function resize(view, store, { width, height }) {
  const { network, size } = view;
  network.canvas.cameraState = {}; // what vis-network zooms by
  if (!width || !height) return;
  const seen = store.selected && isInSight(view, store.nodes.get(store.selected));
  const middle = network.DOMtoCanvas({ x: size.width / 2, y: size.height / 2 });
  view.size = { width, height };
  if (view.follow) fit(view, store);
  else network.moveTo({ position: middle });
  if (seen) reveal(view, store, store.selected, false);
}

function isInSight({ network, size }, { vis: place }) {
  const { x, y } = network.canvasToDOM(place);
  return x > 0 && x < size.width && y > 0 && y < size.height;
}

// The wheel scrolls what is out of sight, then the notebook, as in any panel that scrolls; with Ctrl it zooms.
function wheel(view, store, event) {
  if (event.ctrlKey || event.metaKey) {
    event.preventDefault();
    zoom(view, event.deltaY < 0 ? 1.1 : 1 / 1.1);
    return;
  }
  const step = event.deltaMode === 1 ? 30 * event.deltaY : event.deltaY;
  const left = step > 0 ? hiddenBelow(view, store) : hiddenAbove(view, store);
  if (left < 1 || !step) return;
  event.preventDefault();
  pan(view, 0, Math.sign(step) * Math.min(left, Math.abs(step)));
}

function pan(view, dx, dy, animation = false) {
  view.follow = false;
  const scale = view.network.getScale();
  const centre = view.network.getViewPosition();
  view.network.moveTo({ position: { x: centre.x + dx / scale, y: centre.y + dy / scale }, animation });
}

const glide = () => (still() ? false : { duration: 200, easingFunction: "easeInOutQuad" });
const hiddenBelow = (view, store) =>
  view.network.canvasToDOM({ x: 0, y: bounds(store).bottom }).y - view.size.height;
const hiddenAbove = (view, store) => -view.network.canvasToDOM({ x: 0, y: bounds(store).top }).y;

function zoom(view, factor) {
  view.follow = false;
  view.network.moveTo({ scale: Math.min(2.5, Math.max(SMALLEST, view.network.getScale() * factor)) });
}

function stateOf(store, view, node, bright) {
  if (node.id === store.selected) return "selected";
  if (store.found) return store.found.has(node.id) ? "fresh" : bright?.has(node.id) ? "path" : "dim";
  if (store.hidden.has(node.kind)) return "dim";
  if (view.fresh.has(node.id)) return "fresh";
  if (!bright) return "rest";
  return bright.has(node.id) ? "path" : "dim";
}

function visOf(store, node, state, face) {
  const look = store.looks.kinds[node.kind] ?? store.looks.kinds.Unknown;
  const theme = themeName();
  const colours = store.looks.themes[theme];
  const paint = nodePaint(look, state, theme, colours);
  const same = { background: paint.fill, border: paint.line };
  const shadow =
    state === "selected"
      ? { enabled: true, color: colours.lit, size: 10, x: 0, y: 0 }
      : look.stacked
        ? { enabled: true, color: mix(look[theme][2], colours.canvas, 0.5), size: 0, x: 4, y: 4 }
        : { enabled: false };
  const { title = node.passage?.text ?? node.lines.map(([, text]) => text).join(" "), ...given } = node.vis;
  const label = labelOf(node, look, face);
  return {
    ...given,
    ...(label.includes("…") ? { title } : {}), // a tooltip only where something was cut
    label,
    font: fontFor(node, look, face, look.shape !== "box" && state !== "dim" ? look[theme][1] : paint.text),
    color: { ...same, highlight: same, hover: same },
    borderWidth: paint.width,
    borderWidthSelected: paint.width,
    shapeProperties: {
      ...node.vis.shapeProperties,
      borderDashes: state === "selected" ? false : (look.dashes ?? false),
    },
    shadow,
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
    const key = `${state} ${themeName()}`;
    const drawn = view.drawn.get(id);
    if (drawn && drawn.key === key && drawn.node === node) continue;
    view.drawn.set(id, { key, node });
    changed.push(visOf(store, node, state, face));
  }
  paintLater(view, () => view.nodes.update(changed));
}

// vis-network paints at once whenever nodes change, and again in the next frame: here it paints in that frame alone.
function paintLater({ network }, change) {
  network.renderer.allowRedraw = false;
  change();
  network.renderer.allowRedraw = true;
  network.body.emitter.emit("_requestRedraw"); // however often it is asked for, a frame is painted once
}

function showNew(view, store, nodes, calm = still()) {
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
  paintLater(view, () => view.nodes.clear());
  Object.assign(view, FROM_THE_START);
}

function bounds(store) {
  const here = hereOf(store);
  here.box ??= boxAround(store);
  return here.box;
}

// The whole width of the columns counts from the start, so that the scale does not change as they fill. A page of what
// was too much has no steps above its rows: it begins with the heads of its columns.
function boxAround(store) {
  const paged = store.nodes.get(store.level)?.kind === "Folded";
  const box = { left: -MARGIN, top: paged ? Infinity : -MARGIN, right: store.looks.width, bottom: 0 };
  if (paged) for (const [, y, , , level] of store.heads) if (level === store.level) box.top = Math.min(box.top, y - 24);
  for (const { vis: at, w, h } of hereNodes(store)) {
    box.left = Math.min(box.left, at.x - w / 2 - MARGIN);
    box.right = Math.max(box.right, at.x + w / 2 + MARGIN);
    box.top = Math.min(box.top, at.y - h / 2 - MARGIN);
    box.bottom = Math.max(box.bottom, at.y + h / 2 + (at.shape === "box" ? MARGIN : 34));
  }
  if (box.top === Infinity) box.top = -MARGIN;
  return box;
}

// Everything in view if that can be read with ease, else as much as fits from the top left: the start of the steps.
function fit(view, store) {
  const { size, smallest } = view;
  const { width, height } = size;
  if (!width || !store.nodes.size) return;
  const box = bounds(store);
  const wide = width / (box.right - box.left);
  const scale = Math.min(
    1.15,
    Math.max(SMALLEST, Math.min(wide, smallest), Math.min(wide, height / (box.bottom - box.top))),
  );
  view.network.moveTo({
    scale,
    position: { x: box.left + width / scale / 2, y: box.top + height / scale / 2 },
  });
}

// A selection out of sight is brought in by the shortest way, clear of the button that stands at the lower edge.
function reveal(view, store, id, animation = glide()) {
  const { vis: place, w, h } = store.nodes.get(id);
  const { width, height } = view.size;
  const at = view.network.canvasToDOM(place);
  const scale = view.network.getScale();
  const [half, tall] = [(w * scale) / 2 + 4, (h * scale) / 2 + 4];
  const bottom = height - Math.min(MORE, Math.max(0, hiddenBelow(view, store)));
  const dx = Math.max(0, at.x + half - width) + Math.min(0, at.x - half);
  const dy = Math.max(0, at.y + tall - bottom) + Math.min(0, at.y - tall);
  if (!dx && !dy) return;
  pan(view, dx, dy, animation);
}
