// Arcs are painted on the canvas below the nodes: vis-network joins centres, and its ports cost twice the time.
// Steps go down from middle to middle; what a step found leaves at the right and enters at the left.
function paintArcs(ctx, store, bright) {
  const colours = store.looks.themes[themeName()];
  const lit = new Set(store.path.slice(1).map((id, i) => `${store.path[i]}\n${id}`));
  const late = [];
  for (const arc of store.arcs) {
    if (store.selected && lit.has(`${arc.from}\n${arc.to}`)) late.push(arc);
    else paintArc(ctx, store, arc, bright ? colours.faint : colours.edge, arc.width);
  }
  for (const arc of late) paintArc(ctx, store, arc, colours.lit, Math.max(3, arc.width));
}

function paintArc(ctx, store, arc, colour, width) {
  const [from, to] = [store.nodes.get(arc.from), store.nodes.get(arc.to)];
  if (!from || !to) return;
  const down = Math.abs(from.vis.x - to.vis.x) < 4;
  const tip = arc.arrows ? 5 : 0;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = colour;
  ctx.lineWidth = width;
  ctx.setLineDash(arc.dashes ? [3, 3] : []);
  ctx.beginPath();
  const end = down ? downward(ctx, from, to, tip) : sideward(ctx, from, to, tip);
  ctx.stroke();
  ctx.setLineDash([]);
  if (arc.arrows) arrowHead(ctx, end, 3.4 + width * 0.55, down);
  ctx.restore();
}

function downward(ctx, from, to, tip) {
  const [top, bottom] = [from.vis.y + from.h / 2, to.vis.y - to.h / 2];
  ctx.moveTo(from.vis.x, top);
  ctx.lineTo(to.vis.x, bottom - tip);
  return { x: to.vis.x, y: bottom - 0.5 };
}

function sideward(ctx, from, to, tip) {
  const [left, right] = [from.vis.x + from.w / 2, to.vis.x - to.w / 2];
  const middle = (left + right - tip) / 2;
  const start = Math.abs(to.vis.y - from.vis.y) < 6 ? to.vis.y : from.vis.y;
  ctx.moveTo(left, start);
  ctx.bezierCurveTo(middle, start, middle, to.vis.y, right - tip, to.vis.y);
  return { x: right - 0.5, y: to.vis.y };
}

function arrowHead(ctx, { x, y }, size, down) {
  ctx.beginPath();
  ctx.moveTo(x, y);
  if (down) {
    ctx.lineTo(x - size, y - size * 1.7);
    ctx.lineTo(x + size, y - size * 1.7);
  } else {
    ctx.lineTo(x - size * 1.7, y - size);
    ctx.lineTo(x - size * 1.7, y + size);
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
  ctx.font = `600 11px ${face}`;
  for (const [x, y, text, align] of store.heads) {
    ctx.textAlign = align;
    ctx.fillText(text, x, y);
  }
  ctx.font = `11px ${face}`;
  ctx.textAlign = "left";
  for (const node of store.nodes.values()) {
    if (node.unsourced) paintStub(ctx, node);
  }
  ctx.restore();
}

function paintStub(ctx, node) {
  const left = node.vis.x + node.w / 2;
  ctx.setLineDash([3, 3]);
  ctx.beginPath();
  ctx.moveTo(left, node.vis.y);
  ctx.lineTo(left + 32, node.vis.y);
  ctx.stroke();
  ctx.fillText("no recorded source", left + 38, node.vis.y + 4);
}
