// Drawings: a run within the run, what the answer does not use, or what is too much for one drawing is folded into one
// node. A run within unfolds below its row, see columns.js, as does what the answer does not use; pages open by themselves.
// The drawing of the run itself is "", that of a folded run has the id of the node that stands for it.
const isHere = (store, node) => store.open.some(({ level }) => spotIn(store, node, level));
const isUnfolded = (store, level) => store.open.some((one) => one.level === level);
const hereNodes = (store) => hereOf(store).nodes;
const hereArcs = (store) => hereOf(store).arcs;
const areHere = (store, ...ids) => ids.every((id) => store.nodes.has(id) && isHere(store, store.nodes.get(id)));

// What stands in the drawing on show is looked up once for each change of it, not for each frame that is painted: who
// changes nodes, arcs, heads or places forgets it.
function hereOf(store) {
  store.here ??= lookUpHere(store);
  return store.here;
}

function lookUpHere(store) {
  const nodes = [...store.nodes.values()].filter((node) => isHere(store, node));
  const ids = new Set(nodes.map(({ id }) => id));
  const anew = nodes.some((node) => isAnew(node, store.open[0].level));
  const arcs = store.arcs.filter(({ from, to }) => ids.has(from) && ids.has(to));
  if (anew || store.narrow) arcs.push(...shortcuts(store, nodes));
  return { nodes, arcs, anew, box: null };
}

// The heads of a drawing's columns come whenever it has got another; those of the other drawings stay.
function takeHeads(store, heads) {
  const levels = new Set(heads.map((one) => one[4]));
  store.heads = [...store.heads.filter((one) => !levels.has(one[4])), ...heads];
  store.here = null;
}

function enter(store, level) {
  if (level === store.level) return;
  const [{ level: around }] = store.open;
  store.level = level;
  standAll(store);
  store.tell("level", { inPlace: store.open[0].level === around });
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

// To the drawing in which a node stands: the one on show, if it is there, be it in other columns only.
function goTo(store, id) {
  const { spots, level = "" } = store.nodes.get(id);
  const drawings = spots && Object.keys(spots).length ? Object.keys(spots) : [level];
  if (!drawings.some((one) => isUnfolded(store, one))) enter(store, level);
}

const levelAbove = (store) => store.nodes.get(store.level)?.level ?? "";

function openRun(store, id) {
  const { opens, level = "", unfolds } = store.nodes.get(id);
  if (!unfolds) clearSelection(store);
  return enter(store, isUnfolded(store, opens) ? level : opens);
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
