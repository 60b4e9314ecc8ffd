// Where nodes stand. Each has a place in each set of columns of a drawing: on show is the set that suits the canvas. Once a
// run is over a drawing is drawn anew.
// What a node stands for unfolds below it then, and what was below moves down: on show is the drawing opened last, with
// those around it.
const ALONE = Object.freeze([Object.freeze({ level: "", top: 0, from: Infinity, by: 0 })]);

// The drawings on show, the outermost first: where each begins, from what height on it makes room, and for how much.
function layOut(store) {
  const levels = [store.level];
  for (let fold = store.nodes.get(store.level); fold?.unfolds && !levels.includes(fold.level); fold = store.nodes.get(fold.level))
    levels.unshift(fold.level);
  let by = 0;
  const open = levels.map((level) => ({ level, top: 0, from: Infinity, by: 0 }));
  for (let at = levels.length - 1; at > 0; at -= 1) {
    const [from, high] = store.nodes.get(levels[at]).unfolds[store.columns];
    by += high;
    Object.assign(open[at - 1], { from, by });
  }
  for (let at = 1; at < open.length; at += 1) open[at].top = open[at - 1].top + open[at - 1].from;
  store.open = open;
}

const lowered = ({ top, from, by }, y) => top + y + (y > from ? by : 0);

const spotIn = (store, { spots }, level) => spots[level]?.[store.columns] ?? null;

// A node of another size is another node, whose label is cut anew.
function stand(store, node) {
  const at = store.open.findLast(({ level }) => spotIn(store, node, level));
  if (!at) return;
  const [x, place, w, h] = spotIn(store, node, at.level);
  const y = lowered(at, place);
  const room = store.looks.columns[store.columns].rooms[node.kind];
  const { vis } = node;
  if (vis.x === x && vis.y === y && node.w === w && node.h === h && node.room === room) return;
  store.nodes.set(node.id, { ...node, w, h, room, vis: { ...vis, x, y } });
}

function standAll(store) {
  store.here = null;
  layOut(store);
  for (const node of [...store.nodes.values()]) stand(store, node);
}

// What has no place in a drawing any more is not drawn there; whoever follows a path still comes by.
function drawAnew(store, { levels, moved }) {
  for (const [id, node] of [...store.nodes]) {
    const left = Object.fromEntries(Object.entries(node.spots).filter(([level]) => !levels.includes(level)));
    store.nodes.set(id, { ...node, spots: left, unfolds: null, ...moved[id] });
  }
  store.heads = store.heads.filter(([, , , , level]) => !levels.includes(level));
  standAll(store);
}

// The set of columns for the room that there is; returns whether it is another than before.
function chooseColumns(store) {
  const columns = Number(suitsWide(store));
  if (columns === store.columns) return false;
  store.columns = columns;
  standAll(store);
  return true;
}

const ALIKE = 0.99; // of two scales: then the wide columns are better, as they hold more words
const LARGE_ENOUGH = 1;

// Whether the wide columns suit the canvas: those in which the whole drawing is large enough, or else larger. Where it can't
// be read whole in any, and while it grows, its width alone says so.
function suitsWide(store) {
  const { width, height, enlarged } = store.room;
  const [ends, least] = [endsOf(store), leastScale(width)];
  const enough = Math.max(LARGE_ENOUGH, least);
  const across = store.looks.columns.map((columns) => columns.width + 2 * MARGIN);
  const [narrow, wide] = across.map((length, at) => Math.min(enough, width / length, ends ? height / (ends[at] + 2 * MARGIN) : 0));
  const widest = enlarged > 1 ? (width * enlarged) / READABLE : width;
  const readable = (least / enlarged) * ALIKE;
  if (across[1] <= widest && wide >= Math.max(readable, narrow * ALIKE)) return true;
  return narrow < readable && across[1] * enough <= width;
}

// Where the outermost drawing ends in each set of columns, with the names below points; null while it grows.
function endsOf(store) {
  const { level } = store.open[0];
  const nodes = [...store.nodes.values()].filter(({ spots }) => spots[level]);
  const below = (spot, { size }) => (spot ? spot[1] + spot[3] / 2 + (size ? NAMED : 0) : 0);
  const endOf = (at) => Math.max(...nodes.map((node) => below(node.spots[level][at], store.looks.kinds[node.kind] ?? {})));
  return store.state !== "running" && nodes.length ? store.looks.columns.map((_, at) => endOf(at)) : null;
}

const widthOf = (store) => store.looks.columns[store.columns].width;

const UNFOLDED = 14; // from where what was not used unfolds down to the foot of its head, as `Rest` in final_search.py has room

function headsHere(store) {
  const rests = store.open.filter(({ level }) => store.nodes.get(level)?.kind === "Rest");
  const { word } = store.looks.kinds.Rest;
  const above = rests.map((at) => [edgesOf(store.nodes.get(at.level)).left + 3, lowered(at, UNFOLDED), word, "left"]);
  const heads = store.heads.flatMap(([x, y, words, align, level, columns]) => {
    const at = columns === store.columns && store.open.find((one) => one.level === level);
    return at ? [[x, lowered(at, y), words, align]] : [];
  });
  return [...heads, ...above];
}

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

// Drawings: a run within the run, what the answer does not use, or what is too much for one drawing is folded into one
// node. A run within unfolds below its row, as does what the answer does not use; pages open by themselves.
// The drawing of the run itself is "", that of a folded run has the id of the node that stands for it.
const isHere = (store, node) => store.open.some(({ level }) => spotIn(store, node, level));
const isUnfolded = (store, level) => store.open.some((one) => one.level === level);
const hereNodes = (store) => hereOf(store).nodes;
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
  const arcs = store.arcs.filter(({ from, to }) => ids.has(from) && ids.has(to));
  return { nodes, arcs: [...arcs, ...shortcuts(store, nodes)], box: null };
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
  store.asked.add(message.level);
  const arcs = takeIn(store, message);
  store.tell("grown", { nodes: message.nodes, arcs, whole: true });
  if (message.select && store.nodes.has(message.select)) select(store, message.select);
}

// To the drawing in which a node stands: the one on show, if it is there, be it in other columns only.
function goTo(store, id) {
  const { spots, level } = store.nodes.get(id);
  const drawings = Object.keys(spots).length ? Object.keys(spots) : [level];
  if (!drawings.some((one) => isUnfolded(store, one))) enter(store, level);
}

function openRun(store, id) {
  const { opens, level, unfolds } = store.nodes.get(id);
  if (!unfolds) clearSelection(store);
  return enter(store, isUnfolded(store, opens) ? level : opens);
}

function leave(store) {
  const from = store.level;
  enter(store, store.nodes.get(store.level)?.level ?? "");
  if (store.nodes.has(from)) select(store, from);
}

// Which folded run is on show, and the way back.
function trailView(store) {
  const root = el("span", "pe-trail pe-inline pe-gap-m pe-lined pe-slim");
  const draw = () => {
    // a lesson has its own way back
    root.hidden = store.level === "" || (taughtNode(store) && store.nodes.get(store.level)?.kind === "Rest");
    if (root.hidden) return;
    const names = [];
    const seen = new Set();
    for (let level = store.level; level && !seen.has(level); level = store.nodes.get(level)?.level ?? "") {
      seen.add(level);
      names.unshift(store.nodes.get(level)?.name ?? "");
    }
    const back = smallButton("‹ Back", () => leave(store), { title: "Back to the drawing around this one (Esc)" });
    fill(root, back, el("span", "pe-quiet pe-line pe-ell", `Inside: ${names.join(" › ")}`));
  };
  return { root, draw };
}
