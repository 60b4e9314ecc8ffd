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
function barsOf({ network }, store) {
  return ratedHere(store).map(({ node }) => {
    const [x, y, width, height] = barBox(store, store.nodes.get(node));
    const [first, last] = [network.canvasToDOM({ x, y }), network.canvasToDOM({ x: x + width, y: y + height })];
    return { node, left: first.x, top: first.y, right: last.x, bottom: last.y };
  });
}

// In the legend as soon as there is a bar in the graph.
function barEntry(store) {
  if (!ratedHere(store).length) return [];
  const bar = el("span", { class: "pe-meter", "aria-hidden": "true" }, el("i", { style: { width: "60%" } }));
  const make = () => el("span", { class: "pe-entry pe-bars pe-inline pe-nowrap pe-fine" }, bar, "what the answer loses without it");
  return [["bars", make]];
}
