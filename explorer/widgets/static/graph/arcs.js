// Arcs are painted on the canvas below the nodes: vis-network joins centres, and its ports cost twice the time.
// Steps go down from middle to middle; what a step found leaves at the right and enters at the left.
function paintArcs(ctx, store, bright) {
  const colours = store.looks.themes[themeName()];
  const lit = new Set(store.path.slice(1).map((id, i) => `${store.path[i]}\n${id}`));
  const late = [];
  for (const arc of hereArcs(store)) {
    if (store.selected && lit.has(`${arc.from}\n${arc.to}`)) late.push(arc);
    else paintArc(ctx, store, arc, bright ? colours.faint : colours.edge, arc.width);
  }
  for (const arc of late) paintArc(ctx, store, arc, colours.lit, Math.max(3, arc.width));
}

function paintArc(ctx, store, arc, colour, width) {
  const [from, to] = [store.nodes.get(arc.from), store.nodes.get(arc.to)];
  if (!from || !to) return;
  const way = wayOf(from, to);
  const tip = arc.arrows ? 5 : 0;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = colour;
  ctx.lineWidth = width;
  ctx.setLineDash(arc.dashes ? [3, 3] : []);
  ctx.beginPath();
  const end = way(ctx, from, to, tip);
  ctx.stroke();
  ctx.setLineDash([]);
  if (arc.arrows && end) arrowHead(ctx, end, 3.4 + width * 0.55);
  ctx.restore();
}

function downward(ctx, from, to, tip) {
  const [top, bottom] = [from.vis.y + from.h / 2, to.vis.y - to.h / 2];
  ctx.moveTo(from.vis.x, top);
  ctx.lineTo(from.vis.x, bottom - tip);
  return { x: from.vis.x, y: bottom - 0.5, down: true };
}

function sideward(ctx, from, to, tip) {
  const [left, right] = [from.vis.x + from.w / 2, to.vis.x - to.w / 2];
  const middle = (left + right - tip) / 2;
  const start = Math.abs(to.vis.y - from.vis.y) < 6 ? to.vis.y : from.vis.y;
  ctx.moveTo(left, start);
  ctx.bezierCurveTo(middle, start, middle, to.vis.y, right - tip, to.vis.y);
  return { x: right - 0.5, y: to.vis.y };
}

// A result leads down to the next step, which stands at the left; a thought stands before its step, in the same row.
function turning(ctx, from, to, tip) {
  const [top, bottom] = [from.vis.y + from.h / 2, to.vis.y - to.h / 2];
  const middle = (top + bottom - tip) / 2;
  ctx.moveTo(from.vis.x, top);
  ctx.bezierCurveTo(from.vis.x, middle + 10, to.vis.x, middle - 10, to.vis.x, bottom - tip);
  return { x: to.vis.x, y: bottom - 0.5, down: true };
}

function backward(ctx, from, to) {
  ctx.moveTo(from.vis.x - from.w / 2, from.vis.y);
  ctx.lineTo(to.vis.x + to.w / 2, to.vis.y);
  return null;
}

// Past what stands between, along the right of the column.
function around(ctx, from, to, tip) {
  const [start, end] = [from.vis.x + from.w / 2, to.vis.x + to.w / 2];
  const out = Math.max(start, end) + 12;
  ctx.moveTo(start, from.vis.y);
  ctx.bezierCurveTo(out, from.vis.y, out, from.vis.y, out, from.vis.y + 30);
  ctx.lineTo(out, to.vis.y - 30);
  ctx.bezierCurveTo(out, to.vis.y, out, to.vis.y, end + tip, to.vis.y);
  return { x: end + 0.5, y: to.vis.y, left: true };
}

function wayOf(from, to) {
  const [left, right] = [from.vis.x - from.w / 2, from.vis.x + from.w / 2];
  const column = Math.abs(from.vis.x - to.vis.x) < 4 || (from.spots && Math.abs(left - (to.vis.x - to.w / 2)) < 4);
  const gap = to.vis.y - to.h / 2 - from.vis.y - from.h / 2;
  if (column) return from.spots && from.vis.x > 600 && (gap > 90 || gap < 0) ? around : downward;
  if (to.vis.x - to.w / 2 >= right) return sideward;
  return Math.abs(from.vis.y - to.vis.y) < 4 ? backward : turning;
}

function arrowHead(ctx, { x, y, down, left }, size) {
  ctx.beginPath();
  ctx.moveTo(x, y);
  if (down) {
    ctx.lineTo(x - size, y - size * 1.7);
    ctx.lineTo(x + size, y - size * 1.7);
  } else {
    const back = left ? x + size * 1.7 : x - size * 1.7;
    ctx.lineTo(back, y - size);
    ctx.lineTo(back, y + size);
  }
  ctx.closePath();
  ctx.fill();
}

// Column heads, and a dashed stub where a fact has no recorded source.
function paintWords(ctx, store, face) {
  const colours = store.looks.themes[themeName()];
  ctx.save();
  ctx.fillStyle = ctx.strokeStyle = colours.second;
  ctx.textBaseline = "alphabetic";
  ctx.font = `600 12px ${face}`;
  for (const [x, y, text, align, level] of store.heads) {
    if (level !== store.level) continue;
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
    ctx.fillText("no recorded source", left + 38, at.y + 4);
  }
  ctx.restore();
}
