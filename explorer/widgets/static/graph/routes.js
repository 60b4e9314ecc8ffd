// Which way each arc takes: upright and level lines through the gutters between boxes, past all labels. Of the ways it
// could take the first one is taken on which nothing stands; those that would lie upon one another then move apart.
const CLEAR = [4, 2]; // between a line and what it passes: better, and at least
const TURN = 14; // from a box to where a line turns, where there is so much room
const SHADOW = 4;
const EDGE = 8; // beside all boxes
const LANE = 4; // between two lines side by side
const MOST = 40; // turns that are tried
const STRIP = 16; // of the index
const NAME_TOP = 3; // from a point to the name below it

// Boxes, the names below points, the heads of columns, and what is written beside a fact without a source.
function obstaclesOf(store, face) {
  const found = [];
  const add = (left, top, right, bottom, id = null) => found.push({ left, top, right, bottom, id });
  const widthOfText = (text) => measuring.measureText(text).width;
  for (const node of hereNodes(store)) {
    const look = store.looks.kinds[node.kind] ?? store.looks.kinds.Unknown;
    const { left, top, right, bottom } = edgesOf(node);
    const shadow = look.stacked ? SHADOW : 0;
    add(left, top, right + shadow, bottom + shadow, node.id);
    measuring.font = `12px ${face}`;
    if (look.shape !== "box") {
      const lines = labelOf(node, look, face).split("\n");
      const half = Math.max(...lines.map(widthOfText)) / 2;
      if (half) add(node.vis.x - half, bottom + NAME_TOP, node.vis.x + half, bottom + 12 * lines.length + 10);
    } else if (node.unsourced) add(right + 36, node.vis.y - 7, right + 40 + widthOfText(UNSOURCED), node.vis.y + 7);
  }
  measuring.font = `600 12px ${face}`;
  for (const [x, y, text, align] of headsHere(store)) {
    const wide = widthOfText(text);
    const left = align === "center" ? x - wide / 2 : x;
    add(left, y - 11, left + wide, y + 3);
  }
  return found;
}

const edgesOf = ({ vis: at, w, h }) => ({
  left: at.x - w / 2,
  right: at.x + w / 2,
  top: at.y - h / 2,
  bottom: at.y + h / 2,
});

// To the right of a box with a shadow a line begins, and turns, clear of that; below it rows may be close.
function endOf(store, node) {
  const edges = edgesOf(node);
  const right = edges.right + (looksOf(store, node.id).stacked ? SHADOW : 0);
  return { ...edges, right, x: node.vis.x, y: node.vis.y, id: node.id, kind: node.kind };
}

// Obstacles by the strips they lie in, upright ones for upright lines: in a gutter these are empty.
function indexOf(obstacles) {
  const index = { upright: new Map(), level: new Map() };
  const add = (strips, from, to, one) => {
    for (let strip = Math.floor(from / STRIP); strip <= to / STRIP; strip += 1) {
      if (strips.has(strip)) strips.get(strip).push(one);
      else strips.set(strip, [one]);
    }
  };
  for (const one of obstacles) {
    add(index.upright, one.left, one.right, one);
    add(index.level, one.top, one.bottom, one);
  }
  return index;
}

function isFree(index, [x1, y1], [x2, y2], clear, from, to) {
  const [left, right] = [Math.min(x1, x2) - clear, Math.max(x1, x2) + clear];
  const [top, bottom] = [Math.min(y1, y2) - clear, Math.max(y1, y2) + clear];
  const [strips, first, last] = x1 === x2 ? [index.upright, left, right] : [index.level, top, bottom];
  for (let strip = Math.floor(first / STRIP); strip <= last / STRIP; strip += 1) {
    for (const one of strips.get(strip) ?? []) {
      if (one.left >= right || one.right <= left || one.top >= bottom || one.bottom <= top) continue;
      if (!one.id || (one.id !== from && one.id !== to)) return false;
    }
  }
  return true;
}

// A way may touch the box it leaves with its first piece alone, and the one it leads to with its last.
function isWayFree(index, points, from, to, clear) {
  const last = points.length - 2;
  for (let i = 0; i <= last; i += 1) {
    const [leaves, arrives] = [i === 0 ? from : null, i === last ? to : null];
    if (!isFree(index, points[i], points[i + 1], clear, leaves, arrives)) return false;
  }
  return true;
}

// The ways an arc could take, the plainest first.
function* waysOf(a, b, columns, rows) {
  const ahead = b.left > a.right;
  const below = b.top >= a.bottom;
  const [overlapLeft, overlapRight] = [Math.max(a.left, b.left), Math.min(a.right, b.right)];
  const level = b.keep ? a.y : b.y;
  if (ahead && !b.fan && Math.abs(a.y - b.y) < 6) yield [[a.right, level], [b.left, level]];
  if (b.right < a.left && Math.abs(a.y - b.y) < 6) yield [[a.left, level], [b.right, level]];
  if (below && overlapLeft + 12 < overlapRight) {
    const x = between(overlapLeft + 6, Math.min(a.x, b.x), overlapRight - 6);
    yield [[x, a.bottom], [x, b.top]];
  }
  const [afterA, beforeB] = [columns.after(a.right), columns.before(b.left)];
  if (ahead) {
    for (const x of [b.keep ? afterA : beforeB, afterA, beforeB, ...columns.within(a.right, b.left)])
      yield [[a.right, a.y], [x, a.y], [x, b.y], [b.left, b.y]];
  }
  const heights = below
    ? [rows.before(b.top), rows.after(a.bottom), ...rows.within(a.bottom, b.top)]
    : [rows.after(a.bottom), rows.before(a.top), rows.after(b.bottom), rows.before(b.top)];
  if (below) for (const y of heights) yield [[a.x, a.bottom], [a.x, y], [b.x, y], [b.x, b.top]];
  for (const y of heights) {
    if (below) yield [[a.right, a.y], [afterA, a.y], [afterA, y], [b.x, y], [b.x, b.top]];
    yield [[a.right, a.y], [afterA, a.y], [afterA, y], [beforeB, y], [beforeB, b.y], [b.left, b.y]];
    yield [[a.x, a.bottom], [a.x, y], [beforeB, y], [beforeB, b.y], [b.left, b.y]];
  }
  if (below) {
    const [leave, arrive] = [rows.within(a.bottom, b.top), rows.before(b.top)];
    for (const y of [rows.after(a.bottom), rows.before(a.top), ...leave]) {
      for (const x of columns.edges)
        yield [[a.right, a.y], [afterA, a.y], [afterA, y], [x, y], [x, arrive], [b.x, arrive], [b.x, b.top]];
    }
  }
  for (const x of [Math.max(a.right, b.right) + TURN, columns.end]) yield [[a.right, a.y], [x, a.y], [x, b.y], [b.right, b.y]];
  for (const x of [Math.min(a.left, b.left) - TURN / 2]) yield [[a.left, a.y], [x, a.y], [x, b.y], [b.left, b.y]];
}

function remembering(reckon) {
  const known = new Map();
  return (at) => {
    if (!known.has(at)) known.set(at, reckon(at));
    return known.get(at);
  };
}

// Where a line may turn beside a column, or below a row: half way to the next one, but no further than it needs to.
function guttersOf(obstacles, near, far) {
  const sorted = (side) => [...new Set(obstacles.map((one) => Math.round(one[side])))].sort((a, b) => a - b);
  const [begins, ends] = [sorted(near), sorted(far)];
  const next = (at) => begins.find((begin) => begin > at + 6) ?? at + 2 * TURN;
  const previous = (at) => ends.findLast((end) => end < at - 6) ?? at - 2 * TURN;
  const after = remembering((at) => at + Math.min(TURN, (next(at) - at) / 2));
  const before = remembering((at) => at - Math.min(TURN, (at - previous(at)) / 2));
  const all = [...begins.map(before), ...ends.map(after)].sort((a, b) => b - a);
  const within = (from, to) => all.filter((at) => at > from && at < to).slice(0, MOST);
  const [first, last] = [begins[0] ?? 0, ends.at(-1) ?? 0];
  return { after, before, within, end: last + 3 * TURN, edges: [last + EDGE, first - EDGE] };
}

// What leaves one step stays together until it branches off; where several lead to one source or sentence they come
// together.
function togetherAtEnd(arcs) {
  const comes = new Map();
  for (const { kind, to } of arcs) if (kind === "source" || kind === "cites") comes.set(to, (comes.get(to) ?? 0) + 1);
  return ({ kind, to }) => (kind === "source" || kind === "cites") && comes.get(to) > 1;
}

const IN_A_ROW = { concept: "Concept", says: "Sentence" }; // by the kind of arc what stands side by side: one leads to the next
const isOfFan = ({ kind }) => kind === "selected" || kind === "folded";

function wayFor(index, gutters, a, b) {
  const [better, least] = CLEAR;
  const ways = [];
  for (const way of waysOf(a, b, ...gutters)) {
    if (isWayFree(index, way, a.id, b.id, better)) return way;
    ways.push(way);
  }
  return ways.find((way) => isWayFree(index, way, a.id, b.id, least)) ?? ways[0];
}

function routesOf(store, face) {
  const obstacles = obstaclesOf(store, face);
  const index = indexOf(obstacles);
  const gutters = [guttersOf(obstacles, "left", "right"), guttersOf(obstacles, "top", "bottom")];
  const rows = hereNodes(store).filter(({ kind }) => Object.values(IN_A_ROW).includes(kind)).map((node) => endOf(store, node));
  const isTogetherAtEnd = togetherAtEnd(hereArcs(store));
  const routes = [];
  for (const arc of hereArcs(store)) {
    const [from, to] = [store.nodes.get(arc.from), store.nodes.get(arc.to)];
    const b = { ...endOf(store, to), keep: !isTogetherAtEnd(arc), fan: isOfFan(arc) };
    const before = rows.filter((one) => one.kind === IN_A_ROW[arc.kind] && one.right < b.left && one.y === b.y);
    const start = before.reduce((last, one) => (one.right > last.right ? one : last), endOf(store, from));
    const points = wayFor(index, gutters, start, b);
    const group = isTogetherAtEnd(arc) ? arc.to : arc.from;
    routes.push({ arc, points, group, goesOn: start.id !== arc.from });
  }
  for (const axis of [0, 1]) moveApart(routes, index, axis);
  branchOff(routes);
  return routes;
}

// A fan is one upright line with branches; the longest of those up and down paint the line.
function branchOff(routes) {
  const fans = new Map();
  for (const route of routes) {
    if (!isOfFan(route.arc) || route.points.length !== 4) continue;
    route.branch = true;
    const key = `${route.group}\n${route.points[1][0]}`;
    fans.set(key, [...(fans.get(key) ?? []), route]);
  }
  for (const fan of fans.values()) {
    const ends = fan.map(({ points }) => points[2][1]);
    for (const end of [Math.min(...ends), Math.max(...ends)]) fan[ends.indexOf(end)].stem = true;
  }
}

// The inner pieces of ways, upright ones (axis 0) or level ones (axis 1), side by side where they would be one line.
function moveApart(routes, index, axis) {
  const lines = new Map();
  for (const { points, group } of routes) {
    for (let i = 1; i < points.length - 2; i += 1) {
      const [one, other] = [points[i], points[i + 1]];
      if (one[axis] !== other[axis]) continue;
      const key = `${group}\n${Math.round(one[axis])}`;
      const line = lines.get(key) ?? { at: one[axis], from: Infinity, to: -Infinity, pieces: [] };
      line.from = Math.min(line.from, one[1 - axis], other[1 - axis]);
      line.to = Math.max(line.to, one[1 - axis], other[1 - axis]);
      line.pieces.push([one, other]);
      lines.set(key, line);
    }
  }
  const placed = new Map(); // by where they are
  const near = (at) => [-1, 0, 1].flatMap((step) => placed.get(Math.floor(at / LANE) + step) ?? []);
  for (const line of [...lines.values()].sort((a, b) => a.from - b.from || a.to - b.to)) {
    const beside = (one) => one.from < line.to + LANE && one.to > line.from - LANE;
    const room = (at) => !near(at).some((one) => beside(one) && Math.abs(one.at - at) < LANE - 0.5);
    const steps = [0, 1, -1, 2, -2, 3, -3].map((step) => line.at + step * LANE);
    const at = steps.find((step) => room(step) && isRoomFor(index, line, step, axis)) ?? line.at;
    for (const piece of line.pieces) for (const point of piece) point[axis] = at;
    const place = Math.floor(at / LANE);
    placed.set(place, [...(placed.get(place) ?? []), { ...line, at }]);
  }
}

function isRoomFor(index, line, at, axis) {
  if (at === line.at) return true;
  return line.pieces.every((ends) => {
    const [one, other] = ends.map((point) => (axis === 0 ? [at, point[1]] : [point[0], at]));
    return isFree(index, one, other, CLEAR[1]);
  });
}
