// Drawings: a run within the run is folded into one node, and opens in place of the graph, which so never shifts.
// The drawing of the run itself is "", that of a folded run has the id of the node that stands for it.
const isHere = (store, node) => (node.spots ? store.level in node.spots : store.level === "");
const hereNodes = (store) => [...store.nodes.values()].filter((node) => isHere(store, node));
const areHere = (store, ...ids) => ids.every((id) => store.nodes.has(id) && isHere(store, store.nodes.get(id)));

function stand(store, node) {
  const spot = node.spots?.[store.level];
  if (spot) [node.vis.x, node.vis.y] = spot;
}

function enter(store, level) {
  if (level === store.level) return;
  store.level = level;
  for (const node of store.nodes.values()) stand(store, node);
  store.tell("level");
}

// To the drawing in which a node stands: the one on show, if it is there.
function goTo(store, id) {
  const node = store.nodes.get(id);
  if (!isHere(store, node)) enter(store, node.level ?? "");
}

const levelAbove = (store) => store.nodes.get(store.level)?.level ?? "";

function openRun(store, id) {
  clearSelection(store);
  enter(store, store.nodes.get(id).opens);
}

function leave(store) {
  const from = store.level;
  enter(store, levelAbove(store));
  if (store.nodes.has(from)) select(store, from);
}

// Which folded run is on show, and the way back.
function trailView(store) {
  const root = el("span", { class: "pe-trail" });
  const draw = () => {
    root.hidden = store.level === "";
    if (root.hidden) return;
    const names = [];
    for (let level = store.level; level; level = store.nodes.get(level)?.level ?? "")
      names.unshift(store.nodes.get(level)?.name ?? "");
    fill(
      root,
      button(
        { class: "pe-btn small", title: "Back to the run around this one (Esc)", onclick: () => leave(store) },
        "‹ Back",
      ),
      el("span", { class: "pe-quiet pe-line pe-ell" }, `Inside: ${names.join(" › ")}`),
    );
  };
  return { root, draw };
}
