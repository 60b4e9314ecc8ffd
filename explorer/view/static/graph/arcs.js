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
  const buses = new Map();
  for (const route of routes) buses.set(route.bus, [...(buses.get(route.bus) ?? []), route]);
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = colour;
  for (const some of buses.values()) {
    const width = Math.max(least, ...some.map(({ arc }) => arc.width));
    ctx.lineWidth = width;
    ctx.beginPath();
    for (const { points } of some) trace(ctx, [...points.slice(0, -1), [points.at(-1)[0], points.at(-1)[1] - 5]]);
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

// What leads back, as from a fact to its object at the left, has its head turned round. Of arcs that branch off one line each paints its branch, as wide at its end as its score says, and one or two the line.
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
