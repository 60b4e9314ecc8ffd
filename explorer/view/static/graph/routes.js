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

const edgesOf = ({ vis: { x, y }, w, h }) => ({ left: x - w / 2, right: x + w / 2, top: y - h / 2, bottom: y + h / 2 });

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
      if (!strips.has(strip)) strips.set(strip, []);
      strips.get(strip).push(one);
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
  return points.slice(1).every((end, i) => isFree(index, points[i], end, clear, i ? null : from, i === last ? to : null));
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
  const before = Math.min(a.left, b.left) - TURN / 2;
  yield [[a.left, a.y], [before, a.y], [before, b.y], [b.left, b.y]];
}

// The height at which a level line touches both: the middle of the lower box.
const INSIDE = 6;

function levelOf(a, b) {
  const [low, high] = a.bottom - a.top < b.bottom - b.top ? [a, b] : [b, a];
  const at = low === a || b.keep ? a.y : b.y;
  if (Math.abs(a.y - b.y) < INSIDE) return at;
  return low.y > high.top + INSIDE && low.y < high.bottom - INSIDE ? low.y : null;
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
  const after = (at) => at + Math.min(TURN, (next(at) - at) / 2);
  const before = (at) => at - Math.min(TURN, (at - previous(at)) / 2);
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
  const isLast = ({ kind }) => kind === "source" || kind === "cites";
  const comes = Map.groupBy(arcs.filter(isLast), ({ to }) => to);
  return (arc) => isLast(arc) && comes.get(arc.to).length > 1;
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
  for (const arc of hereOf(store).arcs) {
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
    const kinds = { fan: isOfFan(arc), told: arc.kind === "cites", source: arc.kind === "source" };
    const b = { ...endOf(store, to), keep: !isTogetherAtEnd(arc), ...kinds };
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

// Ways that would lie upon one another move apart; what leaves one step stays together until it branches off.
// A fan is one upright line with branches; the longest of those up and down paint the line.
function branchOff(routes) {
  const branches = routes.filter(({ arc, points }) => isOfFan(arc) && points.length === 4);
  for (const route of branches) route.branch = true;
  const fans = Map.groupBy(branches, ({ group, points }) => `${group}\n${points[1][0]}`);
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
    const room = (at, apart) => !near(at).some((one) => beside(one) && Math.abs(one.at - at) < apart - 0.5);
    const among = (apart) =>
      [0, 1, -1, 2, -2, 3, -3]
        .map((step) => line.at + step * apart)
        .find((step) => room(step, apart) && isRoomFor(index, line, step, axis));
    const at = among(LANE) ?? among(LANE / 2) ?? line.at;
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

// The lines that lead to an answer and to its sentences: each thing that is cited has a line of its own down to a channel
// above the row, and from there an end of its own on each sentence that it bears. Side by side they lie so far apart that
// the eye can follow each.
const CHANNEL = LANE; // between two of them
const HEADROOM = 10; // what an arrowhead takes, above a box
const ENDS = 14; // between two ends on one box
const CORNER = 10; // from the corner of a box to an end on it
const CHANNELS = 6; // of what is cited, at most; else each sentence has one
const CITES = 10; // above the lower corner of a box, where a line leaves its side
const LED_ROWS = 3; // of sentences that are led to, at most: in further ones their numbers tell as much

// An answer with the rows of its sentences, as they stand.
function blockOf(store, answer) {
  const said = children(store, answer, "says").filter((id) => areHere(store, id));
  const ends = said.map((id) => endOf(store, store.nodes.get(id))).sort((a, b) => a.top - b.top || a.left - b.left);
  const rows = [...Map.groupBy(ends, ({ top }) => Math.round(top)).values()];
  return { end: endOf(store, store.nodes.get(answer)), rows };
}

// The answer that an arc leads to in such a way, or whose sentence it leads to; null of all others.
function citedBy(store, { kind, from, to }) {
  if (kind === "cites") return parents(store, to, "says").find((id) => areHere(store, id)) ?? null;
  if (kind !== "derived" || !looksOf(store, to).end) return null;
  const [a, b] = [endOf(store, store.nodes.get(from)), endOf(store, store.nodes.get(to))];
  return a.left > b.right && a.bottom <= b.top ? to : null;
}

// Those that come from one thing are one line, which branches off; those to the answer come together.
function busesOf(store, arcs, block) {
  const cited = arcs.filter(({ kind }) => kind === "cites");
  const [sources, goals] = ["from", "to"].map((end) => new Set(cited.map((arc) => arc[end])).size);
  const bySource = sources <= CHANNELS || sources <= goals;
  const rowOf = new Map(block.rows.flatMap((some, at) => some.map(({ id }) => [id, at])));
  const buses = new Map();
  for (const arc of arcs) {
    const key = arc.kind === "cites" && bySource ? arc.from : arc.to;
    const bus = buses.get(key) ?? { key, stems: new Map(), drops: new Map(), arcs: [] };
    buses.set(key, bus);
    if (!bus.stems.has(arc.from)) bus.stems.set(arc.from, { a: endOf(store, store.nodes.get(arc.from)) });
    if (!bus.drops.has(arc.to)) bus.drops.set(arc.to, { b: endOf(store, store.nodes.get(arc.to)), row: rowOf.get(arc.to) ?? 0 });
    bus.arcs.push(arc);
  }
  return [...buses.values()];
}

// Where a line from a box may go down to the row: from below it, best above what it leads to, else past its side.
function* stemsOf(a, goals, [columns, rows]) {
  const [first, last] = [a.left + CORNER, a.right - CORNER];
  for (const { left, right } of goals) {
    const [from, to] = [Math.max(first, left + CORNER), Math.min(last, right - CORNER)];
    if (from <= to) yield [[between(from, (left + right) / 2, to), a.bottom]];
  }
  const middle = goals.reduce((sum, { x }) => sum + x, 0) / goals.length;
  const below = [];
  for (let x = first; x <= last; x += CHANNEL) below.push(x);
  for (const x of below.sort((one, other) => Math.abs(one - middle) - Math.abs(other - middle))) yield [[x, a.bottom]];
  const y = a.bottom - Math.min(CITES, (a.bottom - a.top) / 2);
  const beside = (from, to) => columns.within(from, to).sort((one, other) => Math.abs(one - a.x) - Math.abs(other - a.x));
  const sides = [
    [a.right, [columns.after(a.right), columns.after(a.right) + CHANNEL, columns.after(a.right) - CHANNEL / 2]],
    [a.left, [columns.before(a.left), columns.before(a.left) - CHANNEL / 2]],
    [a.right, [...beside(a.right, Infinity), columns.edges[0]]],
    [a.left, [...beside(-Infinity, a.left), columns.edges[1]]],
  ];
  for (const [side, turns] of sides) for (const x of turns) if (x <= columns.edges[0] && x >= columns.edges[1]) yield [[side, y], [x, y]];
  const [under, gutter] = [rows.after(a.bottom), columns.after(a.right)];
  const [lower, upper] = [rows.within(a.bottom, a.bottom + 3 * TURN), rows.within(a.top - 4 * TURN, a.top)];
  for (const x of columns.edges) {
    for (const level of [under, under - CHANNEL / 2, under + CHANNEL / 2, ...lower])
      for (const at of below) yield [[at, a.bottom], [at, level], [x, level]];
  }
  for (const x of columns.edges) {
    for (const level of [rows.before(a.top), ...upper]) yield [[a.right, y], [gutter, y], [gutter, level], [x, level]];
  }
}

// The pieces of ways, so that others keep their distance: upright ones by their x, level ones by their y.
function piecesOf(points) {
  return points.slice(1).map(([x, y], i) => {
    const [x0, y0] = points[i];
    const axis = x === x0 ? 0 : 1;
    const [from, to] = axis ? [x0, x] : [y0, y];
    return { axis, at: axis ? y : x, from: Math.min(from, to), to: Math.max(from, to) };
  });
}

function keepsAway(piece, taken, apart) {
  const touches = ({ from, to }) => from < piece.to + 2 && to > piece.from - 2;
  return !taken.some((one) => one.axis === piece.axis && Math.abs(one.at - piece.at) < apart - 0.5 && touches(one));
}

function stemFor(a, goals, floor, { index, gutters, taken }) {
  const ways = [...stemsOf(a, goals, gutters)].map((points) => [...points, [points.at(-1)[0], floor]]);
  for (const apart of [CHANNEL, CHANNEL / 2]) {
    for (const clear of CLEAR) {
      const isAway = (way) => piecesOf(way).every((piece) => keepsAway(piece, taken, apart));
      const found = ways.find((way) => isWayFree(index, way, a.id, null, clear) && isAway(way));
      if (found) return found;
    }
  }
  return ways.find((way) => isWayFree(index, way, a.id, null, CLEAR[1])) ?? null;
}

// Ends on one box stand side by side, in the order in which their lines come.
function spreadEnds(buses) {
  const all = buses.flatMap((bus) => [...bus.drops].map(([to, drop]) => ({ to, bus, drop })));
  const comesFrom = (bus) => [...bus.stems.values()].reduce((sum, { x }) => sum + x, 0) / bus.stems.size;
  for (const some of Map.groupBy(all, ({ to }) => to).values()) {
    some.sort((one, other) => comesFrom(one.bus) - comesFrom(other.bus));
    const { b } = some[0].drop;
    const step = Math.min(ENDS, (b.right - b.left - 2 * CORNER) / Math.max(1, some.length - 1));
    for (const [at, { bus, drop }] of some.entries()) {
      drop.x = b.x + (at - (some.length - 1) / 2) * step;
      const [{ x }] = bus.stems.values();
      const isOver = bus.stems.size === 1 && !drop.row && x >= b.left + CORNER && x <= b.right - CORNER;
      if (isOver && (some.length === 1 || Math.abs(x - drop.x) < step / 2)) drop.x = x; // straight down
    }
  }
}

// To a further row lines go down between the sentences of those above, as far from others as there is room for.
function passBetween(block, buses, { taken: drawn }) {
  const [first = []] = block.rows;
  const gaps = first.map(({ left }, at) => [at ? first[at - 1].right : block.end.right, left]);
  if (first.length) gaps.push([first.at(-1).right, first.at(-1).right + CHANNEL]);
  const [top, end] = [block.end.top, block.rows.at(-1)?.[0].top];
  const taken = drawn.filter(({ axis, from, to }) => axis === 0 && from < end && to > top).map(({ at }) => ({ bus: null, x: at }));
  for (const bus of buses) {
    for (const drop of bus.drops.values()) {
      if (!drop.row) continue;
      const same = [...bus.drops.values()].find((one) => one.gap !== undefined && one.row === drop.row);
      const away = ([left, right]) => Math.abs((left + right) / 2 - drop.x);
      const places = [...gaps].sort((one, other) => away(one) - away(other)).flatMap(([left, right]) =>
        [0, 1, -1, 2, -2].map((n) => (left + right) / 2 + n * (CHANNEL / 2)).filter((x) => x >= left + 3 && x <= right - 3),
      );
      const space = (x) => Math.min(CHANNEL - 1, ...taken.filter((one) => one.bus !== bus).map((one) => Math.abs(one.x - x)));
      drop.gap = same?.gap ?? places.reduce((best, x) => (space(x) > space(best) ? x : best));
      taken.push({ bus, x: drop.gap });
    }
  }
}

// From the lowest to the highest: the shortest first, so that they seldom cross. As many as do not touch share a channel.
function stackUp(buses) {
  const lengthOf = ({ span: [from, to] }) => to - from;
  const level = buses.filter((bus) => lengthOf(bus) > 1).sort((a, b) => lengthOf(a) - lengthOf(b));
  const touches = (a, b) => a.span[0] < b.span[1] + 2 * CHANNEL && a.span[1] > b.span[0] - 2 * CHANNEL;
  for (const [at, bus] of level.entries()) {
    const below = level.slice(0, at).filter((one) => touches(one, bus)).map(({ channel }) => channel);
    bus.channel = Math.max(-1, ...below) + 1;
  }
  return Math.max(0, ...level.map(({ channel }) => channel));
}

// What stands above a row leaves so much room to the channels.
function heightsAbove(index, top, channels) {
  let ceiling = top - HEADROOM - CHANNEL * channels - CLEAR[1];
  for (let strip = Math.floor(ceiling / STRIP); strip <= top / STRIP; strip += 1) {
    for (const one of index.level.get(strip) ?? []) if (one.bottom < top - 2) ceiling = Math.max(ceiling, one.bottom);
  }
  const step = channels ? between(2, (top - HEADROOM - ceiling - CLEAR[1]) / channels, CHANNEL) : 0;
  return (channel) => top - HEADROOM - channel * step;
}

// The ways of all arcs to one answer and to its sentences; of those that find none, none.
function waysToBlock(store, arcs, block, around) {
  const buses = busesOf(store, arcs, block);
  const top = Math.min(block.end.top, ...(block.rows[0] ?? []).map((one) => one.top));
  for (const bus of [...buses]) {
    for (const [from, stem] of [...bus.stems]) {
      const goals = [...bus.drops.values()].map(({ b, row }) => (row ? block.rows[0].find(({ x }) => x === b.x) ?? b : b));
      const way = stemFor(stem.a, goals, top - HEADROOM, around);
      if (!way) bus.stems.delete(from);
      else {
        Object.assign(stem, { way, x: way.at(-1)[0] });
        around.taken.push(...piecesOf(way));
      }
    }
    if (!bus.stems.size) buses.splice(buses.indexOf(bus), 1);
  }
  spreadEnds(buses);
  passBetween(block, buses, around);
  for (const bus of buses) {
    const turns = [...bus.drops.values()].map(({ x, row, gap }) => (row ? gap : x));
    const all = [...turns, ...[...bus.stems.values()].map(({ x }) => x)];
    bus.span = [Math.min(...all), Math.max(...all)];
  }
  const heightOf = heightsAbove(around.index, top, stackUp(buses));
  const below = block.rows.map((some, row) => {
    const led = buses.filter((bus) => [...bus.drops.values()].some((drop) => drop.row === row));
    const height = heightsAbove(around.index, some[0].top, led.length - 1);
    return (bus) => height(led.indexOf(bus));
  });
  const ways = new Map();
  for (const bus of buses) {
    const y = heightOf(bus.channel ?? 0);
    for (const arc of bus.arcs) {
      const [stem, { b, x, row, gap }] = [bus.stems.get(arc.from), bus.drops.get(arc.to)];
      if (!stem) continue;
      const turns = row ? [[gap, y], [gap, below[row](bus)], [x, below[row](bus)]] : [[x, y]];
      ways.set(arc, { points: joined([...stem.way.slice(0, -1), [stem.x, y], ...turns, [x, b.top]]), bus });
    }
  }
  return ways;
}

// Without turns where a line goes straight on.
function joined(points) {
  return points.filter(([x, y], i) => {
    if (!i || i === points.length - 1) return true;
    const [[x0, y0], [x1, y1]] = [points[i - 1], points[i + 1]];
    return !((x0 === x && x === x1) || (y0 === y && y === y1));
  });
}

// What is cited within a run that is unfolded: that run leads to the sentence.
function isWithin(store, { kind, from, to }) {
  const [inner, outer] = [from, to].map((id) => store.open.findLastIndex(({ level }) => spotIn(store, store.nodes.get(id), level)));
  return kind === "cites" && store.open.slice(outer + 1, inner + 1).some(({ level }) => store.nodes.get(level)?.kind === "Run");
}

// The routes of all arcs that lead to answers and to their sentences, past those that are drawn already.
function routesToAnswers(store, arcs, routes, around) {
  const taken = routes.filter(({ quiet }) => !quiet).flatMap(({ points }) => piecesOf(points));
  const found = [];
  for (const [answer, some] of Map.groupBy(arcs, (arc) => citedBy(store, arc))) {
    const block = blockOf(store, answer);
    const isFirst = (to) => block.rows[0].some(({ id }) => id === to);
    const led = some.filter(({ kind, to }) => kind !== "cites" || block.rows.length <= LED_ROWS || isFirst(to));
    const ways = waysToBlock(store, led, block, { ...around, taken });
    for (const [arc, { points, bus }] of ways) {
      found.push({ arc, points, group: arc.from, bus, goesOn: false, quiet: false });
      taken.push(...piecesOf(points));
    }
  }
  return found;
}
