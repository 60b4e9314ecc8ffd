// Walking the graph without a mouse: up and down a column, left to where a node came from, right to where it leads.
function column(store, id) {
  const { vis, w } = store.nodes.get(id);
  const isIn = ({ vis: at, w: wide }) =>
    Math.abs(at.x - vis.x) < 34 || Math.abs(at.x - wide / 2 - (vis.x - w / 2)) < 4; // or they begin at the same left
  return hereNodes(store).filter(isIn).sort((a, b) => a.vis.y - b.vis.y);
}

function beside(store, id, step) {
  const nodes = column(store, id);
  return nodes[nodes.findIndex((node) => node.id === id) + step]?.id;
}

const questionOf = (store) => hereNodes(store).find((node) => node.kind === "Question")?.id;

function leftOf(store, id) {
  const at = store.path.indexOf(id);
  return at > 0 ? store.path[at - 1] : parents(store, id)[0];
}

// On along the path that is lit, if that leads to the right: it may lead down to the next step.
function rightOf(store, id) {
  const { left } = edgesOf(store.nodes.get(id));
  const onward = [store.path[store.path.indexOf(id) + 1], ...children(store, id)];
  const right = (child) => areHere(store, child) && edgesOf(store.nodes.get(child)).left > left + 4;
  return onward.find(right) ?? inRow(store, id);
}

function inRow(store, id) {
  const { x, y } = store.nodes.get(id).vis;
  const row = hereNodes(store).filter((node) => node.vis.x > x && Math.abs(node.vis.y - y) < 4);
  return row.sort((a, b) => a.vis.x - b.vis.x)[0]?.id;
}

const WALK = {
  ArrowUp: (store, id) => beside(store, id, -1),
  ArrowDown: (store, id) => beside(store, id, 1),
  ArrowLeft: leftOf,
  ArrowRight: rightOf,
  Home: questionOf,
  End: (store) => hereNodes(store).filter((node) => looksOf(store, node.id).end).sort((a, b) => a.vis.y - b.vis.y).at(-1)?.id,
};

function keyInGraph(event, store, act) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const tools = {
    Escape: act.escape,
    Enter: () => store.selected && act.open(store.selected),
    f: act.fit,
    l: act.list,
    "/": act.find,
    "+": act.closer,
    "-": act.further,
  };
  if (WALK[key]) {
    const first = questionOf(store) ?? hereNodes(store)[0]?.id;
    const next = store.selected ? WALK[key](store, store.selected) : first;
    if (next) act.select(next);
  } else if (tools[key]) {
    tools[key]();
  } else {
    return;
  }
  event.preventDefault();
  event.stopPropagation();
}
