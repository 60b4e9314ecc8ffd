// Everything that stays bright while something is selected: its path, what a step found, the ideas a fact fits, what it
// rests on and what rests on it, down to the sources and on to the sentences of the answer, also of all that a step kept;
// of a fold that is open all that stands in it.
function brightOf(store) {
  const selected = litNode(store);
  const path = store.selected || !selected ? store.path : pathThrough(store, selected, []);
  if (!selected || store.nodes.get(selected)?.kind === "Question") return null;
  const bright = new Set([...wayTo(store, selected, path), ...(store.nodes.get(selected).also ?? [])]);
  for (const kind of ["selected", "folded", "concept", "candidate"]) {
    for (const id of children(store, selected, kind)) bright.add(id);
  }
  const cited = [selected, ...children(store, selected, "says")].flatMap((id) => parents(store, id, "cites"));
  const kept = children(store, selected, "selected");
  for (const id of [...children(store, selected, "says"), ...closure(store, [selected, ...kept, ...cited], children)]) bright.add(id);
  for (const id of cited) for (const one of besides(store, id)) bright.add(one);
  const resting = looksOf(store, selected).source ? closure(store, [selected], parents) : [selected, ...kept];
  for (const id of resting) {
    bright.add(id);
    for (const said of children(store, id, "cites")) bright.add(said).add(parents(store, said, "says")[0]);
  }
  const { opens } = store.nodes.get(selected);
  if (opens && isUnfolded(store, opens)) for (const one of hereNodes(store)) if (spotIn(store, one, opens)) bright.add(one.id);
  return bright;
}

// The path that is lit. What an answer rests on is told by what it cites: of an agent's steps not by those before it.
function wayTo({ nodes, looks }, selected, path) {
  const told = nodes.get(selected).kind === "Sentence" || looks.kinds[nodes.get(selected).kind]?.end;
  const isStage = ({ kind }) => kind === "Question" || kind === "Sentence" || looks.kinds[kind]?.stage || looks.kinds[kind]?.end;
  return told ? path.filter((id) => isStage(nodes.get(id))) : path;
}

// The step that a folded run belongs to, and what came of it.
function besides(store, id) {
  if (store.nodes.get(id)?.kind !== "Run") return [];
  return [...parents(store, id, "derived"), ...children(store, id, "derived")];
}

// All that arcs to sources lead to from some nodes, one way or the other, with these.
function closure(store, from, next) {
  const all = new Set(from);
  for (const id of all) for (const one of next(store, id, "source")) all.add(one);
  return all;
}

// The colours of one node in one state: rest, path (on the lit path), selected, fresh (just arrived), dim or off (of a
// kind that is switched off). Dimmed kinds keep a trace of their hue, so that they can still be told apart.
function nodePaint(look, state, theme, colours) {
  const [fillColour, text, line] = look[theme];
  const faint = (colour, share) => mix(colour, colours.canvas, share);
  if (state === "off")
    return { fill: faint(fillColour, 0.8), text: faint(colours.dim, 0.5), line: faint(line, 0.8), width: look.border };
  if (state === "dim") {
    const fill = faint(fillColour, look.solid ? 0.86 : 0.62);
    return { fill, text: colours.dim, line: faint(line, 0.62), width: look.border };
  }
  const width = { selected: 3.5, fresh: 3, path: Math.max(2, look.border), rest: look.border }[state];
  return { fill: fillColour, text, line: ["selected", "fresh"].includes(state) ? colours.lit : line, width };
}

const channels = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));

function mix(from, to, share) {
  const [a, b] = [channels(from), channels(to)];
  const mixed = a.map((value, i) => Math.round(value + (b[i] - value) * share));
  return `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

// The numbers that the answer's text has for what it cites stand in the box of that, and of the sentence that cites it,
// as they do in the text: at its right, of a sentence behind its words, so close to its edge that the next line keeps its last letter.
// `apart` is left between a word and the first of them: at other scales type is not as wide as it was measured.
const NUMBER = { high: 16, letter: 8, around: 9, between: 3, inset: 5, edge: 2, size: 12, apart: 6 };

function numbersOf({ numbers: all, w }) {
  const numbers = all ?? [];
  const wideOf = (text) => NUMBER.letter * text.length + NUMBER.around;
  const take = (count) => {
    const left = numbers.length - count;
    const texts = [...numbers.slice(0, count).map(String), ...(left ? [`+${left}`] : [])]; // how many more there are
    const shown = texts.map((text) => [text, wideOf(text)]);
    return { shown, width: shown.reduce((width, [, wide]) => width + wide + NUMBER.between, texts.length ? NUMBER.apart : 0) };
  };
  for (let count = Math.min(numbers.length, Math.ceil(w / NUMBER.high)); count > 1; count -= 1) {
    const found = take(count);
    if (found.width <= w / 2) return found;
  }
  return take(Math.min(numbers.length, 1));
}

function paintNumbers(ctx, store, state, face) {
  const theme = themeName();
  const colours = store.looks.themes[theme];
  const look = store.looks.kinds.EdgeSelection;
  ctx.save();
  ctx.font = `600 ${NUMBER.size}px ${face}`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  for (const node of hereNodes(store).filter(({ numbers }) => numbers)) {
    const { shown, width } = numbersOf(node);
    const is = state(node);
    const paint = nodePaint(look, is, theme, colours);
    const [fill, text, line] = is === "selected" ? [colours.lit, colours.canvas, colours.lit] : [paint.fill, paint.text, look[theme][2]];
    const { right, top, bottom } = edgesOf(node);
    const y = node.kind === "Sentence" ? bottom - NUMBER.edge - NUMBER.high : top + NUMBER.edge;
    let x = right - NUMBER.inset - width + NUMBER.apart;
    for (const [number, wide] of shown) {
      x += NUMBER.between;
      ctx.fillStyle = fill;
      ctx.strokeStyle = is === "dim" || is === "off" ? paint.line : line;
      ctx.lineWidth = 1;
      ctx.beginPath();
      ctx.roundRect(x, y, wide, NUMBER.high, NUMBER.high / 2);
      ctx.fill();
      ctx.stroke();
      ctx.fillStyle = text;
      ctx.fillText(number, x + wide / 2, y + NUMBER.high / 2 + 0.5);
      x += wide;
    }
  }
  ctx.restore();
}

// While a run goes on a ring stands around the last stage there is. It is no part of the canvas, which
// would be painted anew for each of its beats.
const RING = 5; // from a node to its ring

function stageAtWork(store, player) {
  const { state, waiting, frames, stage } = store;
  const isAtWork = state === "running" && !waiting && (!frames || player.timer);
  return isAtWork && stage && areHere(store, stage) ? stage : null;
}

function placeRing(view, store, act) {
  const { ring } = view;
  const id = stageAtWork(store, act.player);
  ring.hidden = !id;
  if (!id) return;
  const { left, top, right, bottom } = outlineOf(view, store.nodes.get(id));
  const [width, height] = [right - left + 2 * RING, bottom - top + 2 * RING];
  Object.assign(ring.style, { left: `${left - RING}px`, top: `${top - RING}px`, width: `${width}px`, height: `${height}px` });
  ring.dataset.node = id;
}

// Arcs are painted on the canvas below the nodes: vis-network joins centres, and its ports cost twice the time.
// Steps go down from middle to middle; what a step found leaves at the right and enters at the left.
const BEND = 6; // the radius of a corner
const TRUNK = 1.3; // the width of what many arcs share
const BRANCH = 24;
const LIT = 3;

function paintArcs(ctx, store, bright, face) {
  const colours = store.looks.themes[themeName()];
  const here = hereOf(store);
  here.routes ??= routesOf(store, face);
  const [late, calm] = [[], []];
  for (const route of here.routes) {
    const { arc } = route;
    if (bright?.has(arc.from) && bright.has(arc.to)) late.push(route);
    else if (route.quiet) continue;
    else if (route.bus) calm.push(route);
    else paintRoute(ctx, route, bright ? colours.faint : colours.edge, arc.width, TRUNK);
  }
  paintBuses(ctx, calm, bright ? colours.faint : colours.edge);
  for (const route of late) if (!route.bus) paintRoute(ctx, { ...route, stem: true }, colours.lit, Math.max(LIT, route.arc.width), LIT);
  paintBuses(ctx, late.filter(({ bus }) => bus), colours.lit, LIT);
}

// Lines that branch off one are painted by one stroke: what they share is no darker than the rest.
function paintBuses(ctx, routes, colour, least = 0) {
  const buses = Map.groupBy(routes, ({ bus }) => bus);
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = colour;
  for (const some of buses.values()) {
    const width = Math.max(least, ...some.map(({ arc }) => arc.width));
    ctx.lineWidth = width;
    ctx.beginPath();
    for (const { points } of some) trace(ctx, [...points.slice(0, -1), [points.at(-1)[0], points.at(-1)[1] - 5]]);
    ctx.setLineDash(some.every(({ arc }) => arc.dashes) ? [3, 3] : []);
    ctx.stroke();
    for (const { points } of some) arrowHead(ctx, [points.at(-1)[0], points.at(-1)[1] - 0.5], [0, 1], 3.4 + width * 0.55);
  }
  ctx.restore();
}

// A run that is unfolded has a ground of its own.
const SPREAD = 8;

function paintGrounds(ctx, store) {
  const theme = themeName();
  const { canvas } = store.looks.themes[theme];
  const [fill, , line] = store.looks.kinds.Run[theme];
  const width = widthOf(store);
  ctx.save();
  ctx.lineWidth = 1;
  store.open.forEach(({ level, top, by }, depth) => {
    const { kind, unfolds } = store.nodes.get(level) ?? {};
    if (!depth || kind !== "Run") return;
    const spread = SPREAD - 2 * (depth - 1);
    ctx.fillStyle = mix(fill, canvas, 0.65);
    ctx.strokeStyle = mix(line, canvas, 0.5);
    ctx.beginPath();
    ctx.rect(-spread, top - SPREAD, width + 2 * spread, unfolds[store.columns][1] + by - SPREAD);
    ctx.fill();
    ctx.stroke();
  });
  ctx.restore();
}

// What leads back, as from a fact to its object at the left, has its head turned round. Of arcs that branch off one line
// each paints its branch, as wide at its end as its score says, and one or two the line.
function paintRoute(ctx, { arc, points, branch, stem, goesOn }, colour, width, trunk) {
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = colour;
  ctx.setLineDash(arc.dashes ? [3, 3] : []);
  const [from, to] = points.slice(-2);
  const [dx, dy] = [Math.sign(to[0] - from[0]), Math.sign(to[1] - from[1])];
  const arrow = arc.arrows && !goesOn && !arc.back;
  const end = arrow ? [to[0] - 5 * dx, to[1] - 5 * dy] : to;
  if (branch) {
    const begin = [Math.max(from[0], to[0] - BRANCH), to[1]];
    strokeWay(ctx, stem ? [...points.slice(0, -1), begin] : [from, begin], trunk);
    strokeWay(ctx, [begin, end], width);
  } else strokeWay(ctx, [...points.slice(0, -1), end], width);
  ctx.setLineDash([]);
  const size = 3.4 + width * 0.55;
  if (arrow) arrowHead(ctx, [to[0] - 0.5 * dx, to[1] - 0.5 * dy], [dx, dy], size);
  if (arc.back) arrowHead(ctx, [to[0] - (1.7 * size + 1) * dx, to[1] - (1.7 * size + 1) * dy], [-dx, -dy], size);
  ctx.restore();
}

function strokeWay(ctx, points, width) {
  ctx.lineWidth = width;
  ctx.beginPath();
  trace(ctx, points);
  ctx.stroke();
}

function trace(ctx, points) {
  ctx.moveTo(...points[0]);
  for (let i = 1; i < points.length - 1; i += 1) {
    const [last, corner, next] = points.slice(i - 1, i + 2);
    const room = Math.min(...[last, next].map(([x, y]) => Math.abs(x - corner[0]) + Math.abs(y - corner[1])));
    ctx.arcTo(...corner, ...next, Math.min(BEND, room / 2));
  }
  ctx.lineTo(...points.at(-1));
}

function arrowHead(ctx, [x, y], [dx, dy], size) {
  const [backX, backY] = [x - 1.7 * size * dx, y - 1.7 * size * dy];
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.lineTo(backX - size * dy, backY + size * dx);
  ctx.lineTo(backX + size * dy, backY - size * dx);
  ctx.closePath();
  ctx.fill();
}

const UNSOURCED = "no recorded source";

// Column heads, and a dashed stub where a fact has no recorded source.
function paintWords(ctx, store, face) {
  const colours = store.looks.themes[themeName()];
  ctx.save();
  ctx.fillStyle = ctx.strokeStyle = colours.second;
  ctx.textBaseline = "alphabetic";
  ctx.font = `600 12px ${face}`;
  for (const [x, y, text, align] of headsHere(store)) {
    ctx.textAlign = align;
    ctx.fillText(text, x, y);
  }
  ctx.font = `12px ${face}`;
  ctx.textAlign = "left";
  ctx.setLineDash([3, 3]);
  for (const { vis: at, w } of hereNodes(store).filter((node) => node.unsourced)) {
    const left = at.x + w / 2;
    ctx.beginPath();
    ctx.moveTo(left, at.y);
    ctx.lineTo(left + 32, at.y);
    ctx.stroke();
    ctx.fillText(UNSOURCED, left + 38, at.y + 4);
  }
  ctx.restore();
}

// On the box of each fact, passage or document that was rated: a bar as long as what the answer loses without it.
const BAR = { high: 4, inset: 12, down: 3, least: 40 }; // `down`: of it that lies below the edge, clear of the words
const NO_ROOM = 3; // between a bar and a small sign, above which it stands

// Of a run that is played only at its end: before it there is no answer that could lose something.
const ratedItems = ({ mattered, frames, at }) =>
  frames && at < frames.length - 1 ? [] : mattered.flatMap(({ items }) => items.filter(({ change }) => change !== null));
const ratingOf = (store, id) => ratedItems(store).find(({ nodes }) => nodes.includes(id));

// "needed: without it 67 % of the answer's sentences are lost"
const ratedWords = (rating) => `${rating.verdict}: without it ${lost(rating)}`;

function barBox(store, { id, vis: at, w, h }) {
  const width = Math.max(BAR.least, w - 2 * BAR.inset);
  const top = looksOf(store, id).shape === "box" ? at.y + h / 2 - BAR.high + BAR.down : at.y - h / 2 - BAR.high - NO_ROOM;
  return [at.x - width / 2, top, width, BAR.high];
}

// A passage may have several boxes, each with its bar: its sentences are left out with it.
const ratedHere = (store) =>
  ratedItems(store)
    .flatMap(({ nodes, change }) => nodes.map((node) => ({ node, change })))
    .filter(({ node }) => store.nodes.has(node) && areHere(store, node));

function paintBars(ctx, store, bright) {
  const rated = ratedHere(store);
  const theme = themeName();
  const { canvas, faint, second } = store.looks.themes[theme];
  const [, , line] = store.looks.kinds.EdgeSelection[theme]; // as in Detail
  ctx.save();
  for (const { node, change } of rated) {
    const isDim = bright && !bright.has(node);
    const [x, y, width, height] = barBox(store, store.nodes.get(node));
    ctx.fillStyle = canvas;
    ctx.fillRect(x, y, width, height);
    ctx.fillStyle = isDim ? faint : line;
    ctx.fillRect(x, y, width * change, height);
    ctx.lineWidth = 1;
    ctx.strokeStyle = isDim ? faint : second;
    ctx.strokeRect(x, y, width, height);
  }
  ctx.restore();
}

// The bars in pixels of the canvas.
function barsOf(view, store) {
  return ratedHere(store).map(({ node }) => {
    const [left, top, width, height] = barBox(store, store.nodes.get(node));
    return { node, ...boxOf(view, { left, top, right: left + width, bottom: top + height }) };
  });
}

// In the legend as soon as there is a bar in the graph.
function barEntry(store) {
  if (!ratedHere(store).length) return [];
  const bar = el("span", { class: "pe-meter", "aria-hidden": "true" }, el("i", { style: { width: "60%" } }));
  return signEntry("bars", bar, "what the answer loses without it");
}
