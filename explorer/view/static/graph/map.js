// The whole graph in small, in a corner of its canvas, while a part of it is out of sight: a click or a drag on it, or an
// arrow key, moves what is in view. Where there is no corner for it that nothing stands in, it is folded to a sign, which
// opens under the mouse and when it has the focus.
const MAP = { width: 168, height: 112, edge: 10, least: { width: 420, height: 240 } }; // CSS pixels
const SIGN = { wide: 26, high: 20 }; // of a map that is folded, as graph.css has it
const CORNERS = ["top right", "bottom right", "top left", "bottom left"];
const PANNED = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function mapView(view, store) {
  const boxes = el("canvas", { "aria-hidden": "true" });
  const frame = el("div", "pe-map-frame");
  const label = "Overview of the graph: the frame is what is in view, arrow keys move it";
  const root = el("div", { class: "pe-map", role: "application", tabindex: 0, "aria-label": label, hidden: true }, boxes, frame);
  const size = { wide: 0, high: 0 }; // unfolded
  const map = { root, boxes, frame, size, stale: true, scale: 1, corner: CORNERS[0], of: null, held: false, wanted: false };
  const want = (wanted) => {
    map.wanted = wanted;
    view.network.body.emitter.emit("_requestRedraw");
  };
  root.addEventListener("pointerenter", () => want(true));
  root.addEventListener("focus", () => want(true));
  root.addEventListener("pointerleave", () => want(Boolean(focusIn(root))));
  root.addEventListener("blur", () => want(false));
  root.addEventListener("pointerdown", (event) => {
    if (root.classList.contains("folded")) return want(true); // a sign leads to no place
    root.setPointerCapture(event.pointerId);
    map.held = true;
    goThere(view, store, map, event);
  });
  root.addEventListener("pointermove", (event) => map.held && goThere(view, store, map, event));
  root.addEventListener("lostpointercapture", () => (map.held = false));
  root.addEventListener("keydown", (event) => {
    const [x, y] = PANNED[event.key] ?? [];
    if (x === undefined) return;
    claim(event);
    pan(view, (x * view.size.width) / 4, (y * view.size.height) / 4);
  });
  return map;
}

// As far as there is something to see.
function goThere(view, store, { boxes, scale }, { clientX, clientY }) {
  const { left, top } = boxes.getBoundingClientRect();
  const { network, size } = view;
  const box = bounds(store);
  const [wide, high] = [size.width, size.height].map((length) => length / network.getScale() / 2);
  const x = Math.max(box.left + wide, Math.min(box.left + (clientX - left) / scale, box.reach - wide));
  const y = Math.max(box.top + high, Math.min(box.top + (clientY - top) / scale, box.bottom - high));
  letGo(view);
  move(view, { position: { x, y } });
}

// After each frame of the graph; the small boxes are painted anew only where they have changed.
function drawMap(view, store) {
  const { map, size, canvas } = view;
  const out = hidden(view, store);
  const spare = MARGIN * view.network.getScale() + 1; // around the boxes
  const away = store.nodes.size && Math.max(out.left, out.top, out.right, out.bottom) > spare;
  const shown = away && size.width >= MAP.least.width && size.height >= MAP.least.height;
  if (!shown && focusIn(map.root)) canvas.focus();
  if (map.root.hidden === shown) map.root.hidden = !shown; // to hide what is hidden makes the browser style it anew
  if (!shown) return;
  if (map.stale || map.of !== hereOf(store)) paintMap(view, store);
  const box = bounds(store);
  const [first, last] = [{ x: 0, y: 0 }, { x: size.width, y: size.height }].map((at) => view.network.DOMtoCanvas(at));
  const [left, right] = [first.x, last.x].map((x) => between(0, x - box.left, box.right - box.left) * map.scale);
  const [top, bottom] = [first.y, last.y].map((y) => between(0, y - box.top, box.bottom - box.top) * map.scale);
  const px = (length) => `${Math.round(length)}px`;
  Object.assign(map.frame.style, { left: px(left), top: px(top), width: px(right - left), height: px(bottom - top) });
  if (!map.held) placeMap(view, store);
}

function paintMap(view, store) {
  const { map } = view;
  const box = bounds(store);
  const [width, height] = [box.right - box.left, box.bottom - box.top];
  map.scale = Math.min(MAP.width / width, MAP.height / height);
  const ratio = window.devicePixelRatio || 1;
  const [wide, high] = [Math.ceil(width * map.scale), Math.ceil(height * map.scale)];
  Object.assign(map.boxes, { width: wide * ratio, height: high * ratio });
  Object.assign(map.boxes.style, { width: `${wide}px`, height: `${high}px` });
  map.size = { wide: wide + 2, high: high + 2 }; // with its border
  const ctx = map.boxes.getContext("2d");
  ctx.scale(ratio * map.scale, ratio * map.scale);
  ctx.translate(-box.left, -box.top);
  ctx.lineWidth = 1 / map.scale;
  const [bright, theme] = [brightOf(store), themeName()];
  for (const node of hereNodes(store)) {
    const paint = nodePaint(lookOf(store, node), stateOf(store, view, node, bright), theme, store.looks.themes[theme]);
    const { left, top, right, bottom } = edgesOf(node);
    ctx.fillStyle = paint.fill;
    ctx.strokeStyle = paint.line;
    ctx.fillRect(left, top, right - left, bottom - top);
    ctx.strokeRect(left, top, right - left, bottom - top);
  }
  Object.assign(map, { stale: false, of: hereOf(store) });
}

// The lines between nodes as what stands on the canvas, a box for each straight part.
const STROKE = 2; // CSS pixels to each side
const LIGHT = 0.01; // where there is no room at all a line is covered before a box

function strokes(view, store) {
  return linesOf(view, store).flatMap(({ points }) =>
    points.slice(1).map(({ x, y }, at) => {
      const [across, down] = [[x, points[at].x].sort((a, b) => a - b), [y, points[at].y].sort((a, b) => a - b)];
      return { left: across[0] - STROKE, top: down[0] - STROKE, right: across[1] + STROKE, bottom: down[1] + STROKE, weight: LIGHT };
    }),
  );
}

// In a corner where nothing is; it stays where it is as long as nothing is there. The sign of one that is folded goes along
// the sides too, to where nothing is, or least.
function placeMap(view, store) {
  const { map, size } = view;
  const stands = [...standing(view, store), ...strokes(view, store)];
  const placeIn = (corner, { wide, high }) => ({
    corner,
    wide,
    high,
    left: corner.endsWith("left") ? MAP.edge : size.width - wide - MAP.edge,
    top: corner.startsWith("top") ? MAP.edge : size.height - high - MAP.edge,
  });
  const corners = [map.corner, ...CORNERS.filter((one) => one !== map.corner)];
  const inCorners = (extent) => corners.map((corner) => placeIn(corner, extent));
  const [taken, free] = leastCovered(stands, inCorners(map.size));
  if (map.wanted && taken) {
    map.root.classList.remove("folded"); // where its sign is
    if (map.down !== undefined) map.root.style.top = `${between(0, map.down, size.height - map.size.high - MAP.edge)}px`;
    return;
  }
  map.root.classList.toggle("folded", taken > 0);
  const sides = ["top right", "top left"].flatMap((corner) =>
    Array.from({ length: Math.max(0, Math.floor((size.height - 2 * MAP.edge) / SIGN.high) - 1) }, (_, at) => {
      const top = MAP.edge + (at + 1) * SIGN.high;
      return { ...placeIn(corner, SIGN), top, down: top };
    }),
  );
  const places = [...inCorners(SIGN), ...sides];
  const stays = places.find(({ corner, down }) => corner === map.corner && down === map.down);
  const { corner, down } = taken ? leastCovered(stands, [...(stays ? [stays] : []), ...places])[1] : free;
  map.down = down;
  map.root.style.top = down === undefined ? "" : `${down}px`;
  if (corner === map.corner && map.root.dataset.corner) return;
  map.corner = map.root.dataset.corner = corner;
}

// Where there is room for the map in small.
const SOUGHT = 100; // times more than another box what is selected or was brought in is left free

// What stands on the canvas, in its pixels: boxes, names below points, heads of columns.
function standing(view, store) {
  const here = hereOf(store);
  here.obstacles ??= obstaclesOf(store, faceOf(view));
  const weightOf = (id) => (id && (id === view.sought || id === store.selected) ? SOUGHT : 1);
  return here.obstacles.map((one) => ({ ...boxOf(view, one), weight: weightOf(one.id) }));
}

function covered(stands, { left, top, wide, high }) {
  return stands.reduce((sum, one) => {
    const across = Math.min(one.right, left + wide) - Math.max(one.left, left);
    const down = Math.min(one.bottom, top + high) - Math.max(one.top, top);
    return across > 0 && down > 0 ? sum + across * down * one.weight : sum;
  }, 0);
}

// Of some places the first one where least is covered, and how much that is.
function leastCovered(stands, places) {
  return places.map((place) => [covered(stands, place), place]).reduce((best, one) => (one[0] < best[0] ? one : best));
}
