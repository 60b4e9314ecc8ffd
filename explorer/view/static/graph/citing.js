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
  const rows = [];
  for (const end of ends) {
    if (end.top - (rows.at(-1)?.[0].top ?? -Infinity) < 2) rows.at(-1).push(end);
    else rows.push([end]);
  }
  return { id: answer, end: endOf(store, store.nodes.get(answer)), rows };
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
  for (const x of columns.edges) for (const level of [under, under - CHANNEL / 2, under + CHANNEL / 2, ...rows.within(a.bottom, a.bottom + 3 * TURN)]) for (const at of below) yield [[at, a.bottom], [at, level], [x, level]];
  for (const x of columns.edges) for (const level of [rows.before(a.top), ...rows.within(a.top - 4 * TURN, a.top)]) yield [[a.right, y], [gutter, y], [gutter, level], [x, level]];
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

const keepsAway = (taken, apart) => (piece) =>
  !taken.some(({ axis, at, from, to }) => axis === piece.axis && Math.abs(at - piece.at) < apart - 0.5 && from < piece.to + 2 && to > piece.from - 2);

function stemFor(a, goals, floor, { index, gutters, taken }) {
  const ways = [...stemsOf(a, goals, gutters)].map((points) => [...points, [points.at(-1)[0], floor]]);
  for (const apart of [CHANNEL, CHANNEL / 2]) {
    for (const clear of CLEAR) {
      const away = keepsAway(taken, apart);
      const found = ways.find((way) => isWayFree(index, way, a.id, null, clear) && piecesOf(way).every(away));
      if (found) return found;
    }
  }
  return ways.find((way) => isWayFree(index, way, a.id, null, CLEAR[1])) ?? null;
}

// Ends on one box stand side by side, in the order in which their lines come.
function spreadEnds(buses) {
  const ends = new Map();
  for (const bus of buses) for (const [to, drop] of bus.drops) ends.set(to, [...(ends.get(to) ?? []), [bus, drop]]);
  const comesFrom = (bus) => [...bus.stems.values()].reduce((sum, { x }) => sum + x, 0) / bus.stems.size;
  for (const some of ends.values()) {
    some.sort(([one], [other]) => comesFrom(one) - comesFrom(other));
    const [{ b }] = some.map(([, drop]) => drop);
    const step = Math.min(ENDS, (b.right - b.left - 2 * CORNER) / Math.max(1, some.length - 1));
    for (const [at, [bus, drop]] of some.entries()) {
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

// Which of two lines is better above the other: the one whose ends cross the other less often.
function crossings(upper, lower) {
  const within = ({ span: [from, to] }, x) => x > from && x < to;
  const drops = upper.turns.filter((x) => within(lower, x)).length;
  return drops + [...lower.stems.values()].filter(({ x }) => within(upper, x)).length;
}

const orders = (all) => (all.length < 2 ? [all] : all.flatMap((one, at) => orders(all.filter((other) => other !== one)).map((rest) => [one, ...rest])));

// From the lowest to the highest, as many of them side by side in one channel as do not touch.
function stackUp(buses) {
  const level = buses.filter(({ span: [from, to] }) => to - from > 1);
  const cost = (order) => order.reduce((sum, lower, at) => order.slice(at + 1).reduce((all, upper) => all + crossings(upper, lower), sum), 0);
  const byStart = [...level].sort((a, b) => a.span[0] - b.span[0]);
  const best = level.length > 5 ? byStart : orders(byStart).reduce((least, order) => (cost(order) < cost(least) ? order : least), byStart);
  const touches = (a, b) => a.span[0] < b.span[1] + 2 * CHANNEL && a.span[1] > b.span[0] - 2 * CHANNEL;
  for (const [at, bus] of best.entries()) bus.channel = Math.max(-1, ...best.slice(0, at).filter((one) => touches(one, bus)).map(({ channel }) => channel)) + 1;
  return Math.max(0, ...best.map(({ channel }) => channel));
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
    bus.turns = [...bus.drops.values()].map(({ x, row, gap }) => (row ? gap : x));
    const all = [...bus.turns, ...[...bus.stems.values()].map(({ x }) => x)];
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
  const blocks = new Map();
  for (const arc of arcs) blocks.set(citedBy(store, arc), [...(blocks.get(citedBy(store, arc)) ?? []), arc]);
  const found = [];
  for (const [answer, some] of blocks) {
    const block = blockOf(store, answer);
    const led = some.filter(({ kind, to }) => kind !== "cites" || block.rows.length <= LED_ROWS || block.rows[0].some(({ id }) => id === to));
    const ways = waysToBlock(store, led, block, { ...around, taken });
    for (const [arc, { points, bus }] of ways) {
      found.push({ arc, points, group: arc.from, bus, goesOn: false, quiet: false });
      taken.push(...piecesOf(points));
    }
  }
  return found;
}
