// Where nodes stand. While a run goes on each has one place in a drawing. Once its answer is on record a drawing is drawn
// anew, with a place in each set of columns: the widest set that the canvas has room for is on show.
function spotIn(store, { spots }, level) {
  const spot = spots?.[level];
  return spot && typeof spot[0] !== "number" ? spot[store.columns] : spot;
}

const isAnew = ({ spots }, level) => Boolean(spots?.[level]) && typeof spots[level][0] !== "number";

// A node of another size is another node, whose label is cut anew.
function stand(store, node) {
  const [x, y, w, h] = spotIn(store, node, store.level) ?? [];
  if (x === undefined) return;
  if (w === undefined) {
    Object.assign(node.vis, { x, y });
    return;
  }
  const box = node.vis.widthConstraint && { widthConstraint: { minimum: w - 16 }, heightConstraint: { minimum: h } };
  const room = store.looks.columns[store.columns].rooms[node.kind];
  store.nodes.set(node.id, { ...node, w, h, room, vis: { ...node.vis, x, y, ...box } });
}

const standAll = (store) => {
  for (const node of [...store.nodes.values()]) stand(store, node);
};

// What has no place in a drawing any more is not drawn there; whoever follows a path still comes by.
function drawAnew(store, { levels, moved }) {
  for (const [id, node] of [...store.nodes]) {
    const grown = Object.entries(node.spots ?? { "": [node.vis.x, node.vis.y] });
    const left = Object.fromEntries(grown.filter(([level]) => !levels.includes(level)));
    store.nodes.set(id, { ...node, level: node.level ?? "", spots: left, ...moved[id] });
  }
  store.heads = store.heads.filter(([, , , , level]) => !levels.includes(level));
  standAll(store);
}

function chooseColumns(store, room) {
  const columns = Math.max(0, store.looks.columns.findLastIndex(({ width }) => width <= room));
  if (columns === store.columns) return;
  store.columns = columns;
  standAll(store);
  store.tell("columns");
}

const widthOf = (store) => (hereOf(store).anew ? store.looks.columns[store.columns].width : store.looks.width);
const headsHere = (store) =>
  store.heads.filter(([, , , , level, columns]) => level === store.level && (columns ?? store.columns) === store.columns);

// Where a page has no place, its passage leads straight to the document.
function shortcuts(store, nodes) {
  const ways = new Map();
  for (const { id } of nodes) {
    const away = (store.outOf.get(id) ?? []).filter(({ kind, to }) => kind === "source" && !areHere(store, to));
    for (const arc of away) for (const to of nextHere(store, arc.to)) ways.set(`${id}\n${to}`, { ...arc, to });
  }
  return [...ways.values()];
}

function nextHere(store, id) {
  if (areHere(store, id)) return [id];
  return children(store, id, "source").flatMap((child) => nextHere(store, child));
}
