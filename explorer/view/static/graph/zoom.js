// What of the graph is in view: it is fitted by itself until someone pans or zooms, and what is selected is brought in.
const LEAST_TEXT = 11; // CSS pixels: by itself the view makes no text smaller
const SMALLEST = 0.72; // of the scale, for all that a stage kept: presented, its facts have 14 pixels
const READABLE = LEAST_TEXT / Math.min(...Object.values(STYLES).map(({ size }) => size));
const WORDLESS = 0.4; // below this scale there are boxes without labels
const LARGE = { scale: 1.2, from: 930, to: 1080 }; // CSS pixels of a canvas in windows of 1,600 and of 1,920
const CLOSEST = 2.5;
const FURTHEST = 0.1;
// `unfolded`: a fold alone has moved it; `keeps`: what was brought in, until someone pans
const FROM_THE_START = { follow: true, whole: false, gliding: false, moved: false, unfolded: false, keeps: null };
const MARGIN = 8;
const NAMED = 47; // from a point to the end of the name below it
const HAIR = 0.01; // CSS pixels: what is off by less is in its place, since sums of fractions seldom come out even

const glide = () => (still() ? false : { duration: 200, easingFunction: "easeInOutQuad" });
// A glide that another move follows before its first frame would begin again and again: it is brought to its end first.
function move(view, to) {
  rest(view);
  view.gliding = Boolean(to.animation);
  view.network.moveTo(to);
}

function rest(view) {
  if (view.gliding) view.network.view._transitionRedraw(true); // vis-network says then that the animation is over
  view.gliding = false;
}

const between = (least, value, most) => Math.max(least, Math.min(most, value));

// vis-network would zoom by as much as the canvas has grown: here it is fitted, unless someone has panned or zoomed: then
// the scale stays, and what is in the middle, as far as that leaves no room unused. Where a fold alone has moved it, all
// columns stay in sight. A selection that was in sight stays in sight. A canvas that is hidden has no size and keeps the last it had.
function resize(view, store) {
  const { network, size } = view;
  const { clientWidth: width, clientHeight: height } = network.canvas.frame.canvas; // whose middle it moves to
  network.canvas.cameraState = {}; // what vis-network zooms by
  if (!width || !height) return;
  const lit = litNode(store);
  const seen = lit && areHere(store, lit) && (view.keeps === lit || isInSight(view, store.nodes.get(lit)));
  const middle = network.DOMtoCanvas({ x: size.width / 2, y: size.height / 2 });
  view.size = { width, height };
  store.room = { width: width / view.enlarged, height: height / view.enlarged, enlarged: view.enlarged };
  if (chooseColumns(store)) store.tell("columns");
  if (!size.width) redraw(view, store); // only now is its font known
  if (!view.moved) fit(view, store);
  else {
    move(view, { position: middle, scale: view.unfolded ? scalesOf(view, store).readable * view.enlarged : network.getScale() });
    useRoom(view, store);
  }
  if (!seen || !areHere(store, lit)) return;
  if (lit === store.selected) bringIn(view, store, lit, network.getScale(), false); // among these columns
  else revealLesson(view, store, lit, false);
}

// The outline of a node, or of anything in the drawing, in pixels of the canvas.
const outlineOf = (view, node) => boxOf(view, edgesOf(node));

function boxOf({ network }, { left, top, right, bottom }) {
  const [first, last] = [network.canvasToDOM({ x: left, y: top }), network.canvasToDOM({ x: right, y: bottom })];
  return { left: first.x, top: first.y, right: last.x, bottom: last.y };
}

// The lines between nodes, from corner to corner in pixels of the canvas.
function linesOf({ network }, store) {
  return hereOf(store).routes.map(({ arc: { from, to, kind }, points, quiet }) => {
    const places = points.map(([x, y]) => network.canvasToDOM({ x, y }));
    return { from, to, kind, quiet, points: places };
  });
}

function isInSight({ network, size }, { vis: place }) {
  const { x, y } = network.canvasToDOM(place);
  return x > 0 && x < size.width && y > 0 && y < size.height;
}

// How many pixels of the drawing are out of sight at each side; below zero there is room.
function hidden({ network, size }, store) {
  const box = bounds(store);
  const { left, top, right, bottom } = boxOf({ network }, { ...box, right: box.reach });
  return { left: -left, top: -top, right: right - size.width, bottom: bottom - size.height };
}

// No side of the canvas is left empty while something is cut off at the other.
function useRoom(view, store) {
  const { left, top, right, bottom } = hidden(view, store);
  const by = (before, after) => Math.max(0, Math.min(-before, after)) - Math.max(0, Math.min(before, -after));
  const [dx, dy] = [by(left, right), by(top, bottom)];
  if (Math.hypot(dx, dy) > HAIR) shift(view, dx, dy);
}

// The wheel scrolls what is out of sight, then the notebook, as in any panel that scrolls; with Ctrl it zooms.
function wheel(view, store, event) {
  if (event.ctrlKey || event.metaKey) {
    event.preventDefault();
    zoom(view, event.deltaY < 0 ? 1.1 : 1 / 1.1);
    return;
  }
  const unit = event.deltaMode === 1 ? 30 : 1;
  const { left, top, right, bottom } = hidden(view, store);
  const step = (by, before, after) => between(-Math.max(0, before), by * unit, Math.max(0, after));
  const [dx, dy] = [step(event.deltaX, left, right), step(event.deltaY, top, bottom)];
  if (Math.hypot(dx, dy) < 1) return;
  event.preventDefault();
  pan(view, dx, dy);
}

function pan(view, dx, dy, animation = false) {
  letGo(view);
  shift(view, dx, dy, animation);
}

function shift(view, dx, dy, animation = false) {
  rest(view);
  const scale = view.network.getScale();
  const centre = view.network.getViewPosition();
  move(view, { position: { x: centre.x + dx / scale, y: centre.y + dy / scale }, animation });
}

function zoom(view, factor) {
  letGo(view);
  const scale = view.network.getScale();
  move(view, { scale: between(Math.min(scale, FURTHEST), scale * factor, CLOSEST) });
}

// What keys and menus do.
const scaling = (graphOf, store) => ({
  fit: () => fit(Object.assign(graphOf(), { ...FROM_THE_START, whole: true }), store),
  closer: () => zoom(graphOf(), 1.2),
  further: () => zoom(graphOf(), 1 / 1.2),
});

// Who has panned or zoomed keeps what they chose.
function letGo(view) {
  Object.assign(view, { follow: false, moved: true, unfolded: false, keeps: null });
}

// What unfolds in its place moves nothing above it. Once all is folded again, a view that nobody else has moved is fitted as before.
function standStill(view, store, { whole, moved, unfolded }) {
  const byHand = moved && !unfolded;
  if (byHand || store.open.length > 1) Object.assign(view, { whole, follow: false, moved: true, unfolded: !byHand });
  else view.whole = whole;
}

function bounds(store) {
  const here = hereOf(store);
  here.box ??= boxAround(store);
  return here.box;
}

// The whole width of the columns counts from the start, so that the scale does not change as they fill. A page of what
// was too much has no steps above its rows: it begins with the heads of its columns.
function boxAround(store) {
  const paged = store.nodes.get(store.open[0].level)?.kind === "Folded";
  const box = { left: -MARGIN, top: paged ? Infinity : -MARGIN, right: widthOf(store), bottom: 0, reach: 0 };
  if (paged) for (const [, y] of headsHere(store)) box.top = Math.min(box.top, y - 24);
  for (const { id, vis: at, w, h } of hereNodes(store)) {
    const isPoint = looksOf(store, id).size;
    box.left = Math.min(box.left, at.x - w / 2 - MARGIN);
    box.reach = Math.max(box.reach, at.x + (isPoint ? 44 : w / 2) + MARGIN);
    box.top = Math.min(box.top, at.y - h / 2 - MARGIN);
    box.bottom = Math.max(box.bottom, at.y + h / 2 + (isPoint ? NAMED : MARGIN));
  }
  box.right = Math.max(box.right, box.reach);
  if (box.top === Infinity) box.top = -MARGIN;
  return box;
}

// What the view has room for, as if it were not enlarged; the scale at which the whole drawing fits in, and that at which
// its columns do, unless they could not be read then, enlarged as they are; `least` is the smallest that can be read well.
function scalesOf({ size, enlarged }, store) {
  const [box, width, height] = [bounds(store), size.width / enlarged, size.height / enlarged];
  const wide = Math.min(LARGE.scale, width / (box.right - box.left));
  const least = leastScale(width);
  return { width, height, all: Math.min(wide, height / (box.bottom - box.top)), readable: Math.max(wide, least / enlarged), least };
}

function leastScale(width) {
  const share = between(0, (width - LARGE.from) / (LARGE.to - LARGE.from), 1);
  return READABLE + share * (LARGE.scale - READABLE);
}

// The whole drawing, if that was asked for or if it can be read then; else, and as long as it grows, so that nothing moves
// then, as large as its width allows, from the top left: the start of the steps. What is audited is seen from its end:
// the answer, and what it rests on.
function fit(view, store) {
  if (!view.size.width || !store.nodes.size) return;
  const [box, { width, height, all, readable, least }] = [bounds(store), scalesOf(view, store)];
  const grown = store.state !== "running" && all >= least / view.enlarged;
  const scale = view.whole || grown ? all : readable;
  const half = height / scale / 2;
  const isEnd = store.audits && isAudited(store) && box.bottom - box.top > 2 * half;
  const position = { x: box.left + width / scale / 2, y: isEnd ? box.bottom - half : box.top + half };
  move(view, { scale: scale * view.enlarged, position });
}

// As much of what was unfolded as there is room for below the node that stands for it.
function bringInUnfolded(view, store) {
  const fold = store.nodes.get(store.level);
  if (store.open.length < 2) return;
  const end = store.open.at(-1).top + fold.unfolds[store.columns][1];
  const over = view.network.canvasToDOM({ x: 0, y: end }).y - view.size.height;
  const by = Math.min(Math.max(0, over), outlineOf(view, fold).top - 2 * MARGIN);
  if (by) shift(view, 0, by);
}

// A selection out of sight is brought in by the shortest way, and so large that it can be read.
// Of a source without a place what was read in it is.
function reveal(view, store, sought, animation = glide()) {
  const id = areHere(store, sought) ? sought : readIn(store, sought);
  if (id) bringIn(view, store, id, Math.max(view.network.getScale(), READABLE), animation);
}

function readIn(store, id) {
  const read = passagesOf(store, id).filter((one) => areHere(store, one));
  return store.path.findLast((one) => read.includes(one)) ?? read[0];
}

// What is explained is seen with all that its stage kept, where nothing has to move for that; else also with all that led
// to it, from the start, if there is room; else with as much of that as there is room for, as small as can still be read.
function revealLesson(view, store, id, animation = glide()) {
  rest(view);
  const { network, size, enlarged, moved } = view;
  const kept = keptOf(store);
  const rests = kept.flatMap((one) => passagesOf(store, one));
  const shown = [id, store.teaching?.node, ...kept, ...rests].filter((one) => areHere(store, one)).map((one) => store.nodes.get(one));
  const top = Math.min(...shown.map(({ vis, h }) => vis.y - h / 2)) - MARGIN;
  const bottom = Math.max(...shown.map(({ vis, h }) => vis.y + h / 2)) + MARGIN;
  const isSeen = () => network.canvasToDOM({ x: 0, y: top }).y >= 0 && network.canvasToDOM({ x: 0, y: bottom }).y <= size.height;
  const before = { position: network.getViewPosition(), scale: network.getScale() };
  const least = SMALLEST * enlarged;
  if (!isSeen() && !moved) fit(view, store);
  if (isSeen()) return bringIn(view, store, id, Math.max(network.getScale(), least), animation);
  const scale = Math.max(least, Math.min(network.getScale(), size.height / (bottom - top)));
  const half = size.height / scale / 2;
  const [{ vis: at, h }] = shown;
  const y = Math.max(Math.min(top + half, bottom - half), at.y + h / 2 + MARGIN - half);
  move(view, before);
  move(view, { scale, position: { x: bounds(store).left + size.width / scale / 2, y }, animation });
  return Object.assign(view, { sought: id, keeps: id, follow: false });
}

function bringIn(view, store, id, scale, animation) {
  rest(view);
  const { network, size } = view;
  const { vis: place, w, h } = store.nodes.get(id);
  const at = network.canvasToDOM(place);
  const [half, tall] = [(w * scale) / 2 + 4, (h * scale) / 2 + 4];
  const [x, y] = [between(half, at.x, size.width - half), between(tall, at.y, size.height - tall)];
  view.sought = view.keeps = id; // the small map leaves it free
  network.body.emitter.emit("_requestRedraw");
  const off = Math.max(Math.abs(x - at.x), Math.abs(y - at.y));
  if (off < HAIR && scale === network.getScale()) return;
  view.follow = false;
  const centre = { x: place.x + (size.width / 2 - x) / scale, y: place.y + (size.height / 2 - y) / scale };
  move(view, { position: centre, scale, animation });
}
