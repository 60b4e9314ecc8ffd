// Which way each arc takes: upright and level lines through the gutters between boxes, past all labels. Of the ways it
// could take the first one is taken on which nothing stands; those that would lie upon one another then move apart.
const CLEAR = [4, 2]; // between a line and what it passes: better, and at least
const TURN = 14; // from a box to where a line turns, where there is so much room
const SHADOW = 4;
const EDGE = 4; // beside all boxes, and within the margin around them
const LANE = 8; // between two lines side by side, half of it where there is no more room
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

// The ways an arc could take, the plainest first. What leads to a sentence comes from above: beside it stand others.
function* waysOf(a, b, columns, rows) {
  const ahead = b.left > a.right;
  const below = b.top >= a.bottom;
  const [overlapLeft, overlapRight] = [Math.max(a.left, b.left), Math.min(a.right, b.right)];
  const level = levelOf(a, b);
  if (ahead && !b.fan && level !== null) yield [[a.right, level], [b.left, level]];
  if (b.right < a.left && Math.abs(a.y - b.y) < 6) yield [[a.left, level], [b.right, level]];
  if (below && overlapLeft + 12 < overlapRight) {
    const x = between(overlapLeft + 6, Math.min(a.x, b.x), overlapRight - 6);
    yield [[x, a.bottom], [x, b.top]];
  }
  if (b.source && ahead && a.y > b.bottom) yield [[a.right, a.y], [b.left + TURN, a.y], [b.left + TURN, b.bottom]];
  const [afterA, beforeB] = [columns.after(a.right), columns.before(b.left)];
  if (ahead && !(b.told && below)) {
    for (const x of [b.keep ? afterA : beforeB, afterA, beforeB, ...columns.within(a.right, b.left)])
      yield [[a.right, a.y], [x, a.y], [x, b.y], [b.left, b.y]];
  }
  const heights = below
    ? [rows.before(b.top), rows.after(a.bottom), ...rows.within(a.bottom, b.top)]
    : [rows.after(a.bottom), rows.before(a.top), rows.after(b.bottom), rows.before(b.top)];
  const tops = b.told || b.source ? [b.x] : [b.x, b.right - TURN]; // past the head of a column
  if (below) for (const x of tops) for (const y of heights) yield [[a.x, a.bottom], [a.x, y], [x, y], [x, b.top]];
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

// The height at which a level line touches both: the middle of the lower box.
const INSIDE = 6;

function levelOf(a, b) {
  const [low, high] = a.bottom - a.top < b.bottom - b.top ? [a, b] : [b, a];
  const at = low === a || b.keep ? a.y : b.y;
  if (Math.abs(a.y - b.y) < INSIDE) return at;
  return low.y > high.top + INSIDE && low.y < high.bottom - INSIDE ? low.y : null;
}

function remembering(reckon) {
  const known = new Map();
  return (at) => {
    if (!known.has(at)) known.set(at, reckon(at));
    return known.get(at);
  };
}

// Where in a sorted list the first stands for which something holds, as it does for all after it.
function firstIn(sorted, holds) {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(sorted[middle])) high = middle;
    else low = middle + 1;
  }
  return low;
}

// Where a line may turn beside a column, or below a row: half way to the next one, but no further than it needs to.
function guttersOf(obstacles, near, far) {
  const sorted = (side) => [...new Set(obstacles.map((one) => Math.round(one[side])))].sort((a, b) => a - b);
  const [begins, ends] = [sorted(near), sorted(far)];
  const next = (at) => begins[firstIn(begins, (begin) => begin > at + 6)] ?? at + 2 * TURN;
  const previous = (at) => ends[firstIn(ends, (end) => end >= at - 6) - 1] ?? at - 2 * TURN;
  const after = remembering((at) => at + Math.min(TURN, (next(at) - at) / 2));
  const before = remembering((at) => at - Math.min(TURN, (at - previous(at)) / 2));
  const all = [...begins.map(before), ...ends.map(after)].sort((a, b) => b - a);
  const within = (from, to) => {
    const begin = firstIn(all, (at) => at < to);
    return all.slice(begin, Math.min(begin + MOST, firstIn(all, (at) => at <= from)));
  };
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

// A fact is cited for the words of its passage: that is what leads to the sentence.
function drawnArcs(store) {
  const drawn = new Map();
  for (const arc of hereArcs(store)) {
    if (isWithin(store, arc)) continue;
    const [passage] = arc.kind === "cites" ? children(store, arc.from, "source") : [];
    const from = passage && store.nodes.get(passage)?.kind === "Passage" && areHere(store, passage) ? passage : arc.from;
    drawn.set(`${from}\n${arc.to}`, { ...arc, from });
  }
  return [...drawn.values()];
}

// Some lines are shown with what they lead to alone: to where a fact was found again, beside what was found there first,
// and to sentences in further rows. Their numbers tell as much.
function isQuiet(store, { kind, from, to }) {
  if (kind === "cites") {
    const [answer] = parents(store, to, "says");
    return Boolean(answer) && endOf(store, store.nodes.get(to)).top > endOf(store, store.nodes.get(answer)).bottom;
  }
  const isFirst = (fact) => children(store, fact, "source")[0] === to;
  if (kind !== "source" || store.nodes.get(to).kind !== "Passage" || isFirst(from)) return false;
  return parents(store, to, "source").some((one) => areHere(store, one) && isFirst(one));
}

function routesOf(store, face) {
  const obstacles = (hereOf(store).obstacles ??= obstaclesOf(store, face));
  const index = indexOf(obstacles);
  const gutters = [guttersOf(obstacles, "left", "right"), guttersOf(obstacles, "top", "bottom")];
  const rows = hereNodes(store).filter(({ kind }) => Object.values(IN_A_ROW).includes(kind)).map((node) => endOf(store, node));
  const arcs = drawnArcs(store);
  const isTogetherAtEnd = togetherAtEnd(arcs);
  const routes = [];
  const add = (arc) => {
    const [from, to] = [arc.from, arc.to].map((id) => store.nodes.get(id));
    const b = { ...endOf(store, to), keep: !isTogetherAtEnd(arc), fan: isOfFan(arc), told: arc.kind === "cites", source: arc.kind === "source" };
    const before = rows.filter((one) => one.kind === IN_A_ROW[arc.kind] && one.right < b.left && one.y === b.y);
    const start = before.reduce((last, one) => (one.right > last.right ? one : last), endOf(store, from));
    const points = wayFor(index, gutters, start, b);
    const group = isTogetherAtEnd(arc) ? arc.to : arc.from;
    routes.push({ arc, points, group, goesOn: start.id !== arc.from, quiet: isQuiet(store, arc) });
  };
  const [others, told] = [arcs.filter((arc) => !citedBy(store, arc)), arcs.filter((arc) => citedBy(store, arc))];
  for (const arc of others) add(arc);
  for (const axis of [0, 1]) moveApart(routes.filter(({ quiet }) => !quiet), index, axis);
  branchOff(routes);
  const led = routesToAnswers(store, told, routes, { index, gutters });
  const ways = new Set(led.map(({ arc }) => arc));
  for (const arc of told) if (!ways.has(arc)) add(arc); // as there is no room for another way
  return [...routes, ...led];
}
