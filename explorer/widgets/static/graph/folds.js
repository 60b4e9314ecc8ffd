// Drawings: a run within the run, or what is too much for one drawing, is folded into one node and opens in place of
// the graph, which so never shifts.
// The drawing of the run itself is "", that of a folded run has the id of the node that stands for it.
const isHere = (store, node) => (node.spots ? store.level in node.spots : store.level === "");
const hereNodes = (store) => hereOf(store).nodes;
const hereArcs = (store) => hereOf(store).arcs;
const areHere = (store, ...ids) => ids.every((id) => store.nodes.has(id) && isHere(store, store.nodes.get(id)));

// What stands in the drawing on show is looked up once for each change, not for each frame that is painted.
function hereOf(store) {
  const { level, nodes, seq, here } = store;
  const unchanged = here && here.of === nodes && here.level === level && here.seq === seq && here.size === nodes.size;
  if (unchanged && here.joined === store.arcs.length) return here;
  const shown = [...nodes.values()].filter((node) => isHere(store, node));
  const arcs = store.arcs.filter((arc) => areHere(store, arc.from, arc.to));
  store.here = { of: nodes, level, seq, size: nodes.size, joined: store.arcs.length, nodes: shown, arcs, box: null };
  return store.here;
}

// The heads of a drawing's columns come whenever it has got another; those of the other drawings stay.
function takeHeads(store, heads) {
  const levels = new Set(heads.map((one) => one[4]));
  store.heads = [...store.heads.filter((one) => !levels.has(one[4])), ...heads];
}

function stand(store, node) {
  const spot = node.spots?.[store.level];
  if (spot) [node.vis.x, node.vis.y] = spot;
}

function enter(store, level) {
  if (level === store.level) return;
  store.level = level;
  for (const node of store.nodes.values()) stand(store, node);
  store.tell("level");
  if (!store.held || !level || store.asked.has(level)) return;
  store.asked.add(level);
  store.send({ t: "level?", run: store.run, level, seq: store.seq });
}

// The nodes of a drawing that came when it was opened.
function takeLevel(store, message) {
  if (message.run !== store.run) return;
  store.asked.add(message.level);
  const arcs = takeIn(store, message);
  store.tell("grown", { nodes: message.nodes, arcs, whole: true });
  if (message.select && store.nodes.has(message.select)) select(store, message.select);
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
  const root = el("span", { class: "pe-trail pe-inline pe-slim" });
  const draw = () => {
    root.hidden = store.level === "";
    if (root.hidden) return;
    const names = [];
    const seen = new Set();
    for (let level = store.level; level && !seen.has(level); level = store.nodes.get(level)?.level ?? "") {
      seen.add(level);
      names.unshift(store.nodes.get(level)?.name ?? "");
    }
    fill(
      root,
      button(
        { class: "pe-btn small", title: "Back to the drawing around this one (Esc)", onclick: () => leave(store) },
        "‹ Back",
      ),
      el("span", { class: "pe-quiet pe-line pe-ell" }, `Inside: ${names.join(" › ")}`),
    );
  };
  return { root, draw };
}
