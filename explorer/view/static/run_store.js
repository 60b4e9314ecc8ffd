// What one run has shown so far. Python sends changes; views read from here and are told what changed.
function makeStore(model) {
  const listeners = new Set();
  const store = {
    looks: model.get("looks"),
    options: model.get("options"),
    part: model.get("part"), // of the app, which alone is drawn
    heading: null, // what is written on the tabs, and beside them
    mode: "ask",
    columns: 0, // which set of columns is on show
    room: { width: 0, height: 0, enlarged: 1 }, // of the canvas, as if it were not enlarged
    bar: null, // what the ask bar shows, none without a kernel
    asking: false, // whether a question was sent that nobody has heard yet
    compare: null,
    past: makePast(),
    documents: makeDocuments(),
    mentions: new Map(), // how many documents have words that were sought
    places: new Map(), // where one was in each run, for when one comes back to it
    sources: new Map(),
    hidden: new Set(),
    quizzed: new WeakMap(), // what was ticked in each quiz, and whether it was compared
    wish: null, // the run that is to be played once it is there
    correcting: null, // the fact that is being corrected
    corrected: "", // what was, or what was undone
    unfolds: false, // whether all is told of what is selected
    canUndo: false,
    follows: false, // whether the next question is the first since
    by: "", // who corrects and judges
    pointer: "", // where it was last moved to
    later: (take) => take, // calls it once no button is held
    audits: Boolean(model.get("audit")), // whether the audit is there
    audit: null, // that of the run on show
    live: true, // whether someone hears what the page says
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    tell(what, detail) {
      for (const listener of [...listeners]) listener(what, detail);
    },
    send: (message, bytes) => store.live && model.send(message, undefined, bytes),
  };
  empty(store);
  return store;
}

function empty(store) {
  Object.assign(store, {
    run: "",
    title: null,
    frames: null,
    untold: false,
    ready: null,
    at: 0,
    examples: [],
    query: "",
    others: new Map(),
    source: null,
    mattered: [],
    reviewed: null,
    came: [], // the messages of a live run so far, as those of a stored one
    heard: 0, // the number of the last
    due: null, // what is asked before the next
    told: false, // whether something of it was explained
    explained: new Set(), // what was, of what is passed on the way from stage to stage
  });
  beginRun(store);
  dropSources(store);
}

// A run before its first step; a run that is played again begins here too, and what was fetched for it stays.
function beginRun(store) {
  Object.assign(store, {
    seq: 0,
    state: "start",
    nodes: new Map(),
    arcs: [],
    into: new Map(),
    outOf: new Map(),
    seen: new Set(),
    stage: null, // the node of the last one that has ended, not within a folded run
    total: "",
    answer: { text: "", runs: null },
    log: [],
    heads: [],
    note: null,
    teaching: null,
    waiting: false,
    piece: null, // what of a stage is explained, or was last shown
    quiz: null, // or asked
    held: false, // whether nodes of drawings that were not opened yet stay with Python
    asked: new Set(),
    found: null,
    selected: null,
    opened: false, // whether the first source was opened by itself
    byItself: false, // so that Python is not told of it
    nearest: false, // and is what came nearest, of an answer that cites nothing
    path: [],
    level: "",
    open: ALONE, // the drawing on show, with those around it
    here: null, // what stands in it, once it was looked up
  });
}

const DRAWN_BY = 500; // ms after which a picture that was just put in its place is read

// Pictures stay in the browser's memory until their addresses are given back.
function dropSources(store) {
  for (const { image } of store.sources.values()) if (image) setTimeout(() => URL.revokeObjectURL(image), DRAWN_BY);
  store.sources.clear();
}

// A gap in the numbering means something was missed: the whole state is asked for and nothing is guessed.
function takeDelta(store, delta) {
  if (delta.run !== store.run) {
    if (delta.seq !== 1) return store.send({ t: "snapshot?" });
    empty(store);
    store.run = delta.run;
    store.tell("reset");
  } else if (delta.seq <= store.heard) {
    return null;
  } else if (delta.seq !== store.heard + 1) {
    return store.send({ t: "snapshot?" });
  }
  playTo(store, Infinity); // who looked back sees what comes
  keepFrame(store, delta);
  return grown(store, delta);
}

// A message of a live run is kept, so that one can look back at what was there by then; what is asked stands with what it
// is asked before, as in a stored run.
function keepFrame(store, { waiting, quiz, ...message }) {
  const { came, due } = store;
  const isWait = waiting !== undefined;
  store.heard = message.seq;
  if (!isWait || !came.length) came.push(...inPieces(due && !isWait ? { ...message, quiz: due } : message));
  store.at = came.length - 1;
  if (waiting || !isWait) store.due = quiz ?? null;
  if (!waiting) return;
  store.told = true;
  store.explained.add(store.teaching?.node);
}

function takeSnapshot(store, snapshot) {
  const before = pairOnShow(store);
  store.mode = snapshot.mode ?? "ask";
  store.compare = snapshot.compare ?? null;
  store.past.opening = null;
  store.tell("mode");
  if (![null, before].includes(pairOnShow(store))) store.tell("compared");
  const here = snapshot.run === store.run;
  const isTold = here && store.untold && Boolean(snapshot.frames); // the drawing came before
  if (here && !isTold && (store.frames || snapshot.seq <= store.heard)) return;
  const frames = snapshot.frames?.flatMap(inPieces) ?? null;
  if (isTold) {
    const { ready } = store;
    Object.assign(store, { frames, untold: false, ready: null, at: frames.length - 1 });
    store.tell("played");
    ready?.();
    return;
  }
  const { run, selected, level, at } = store;
  store.places.set(run, { selected, level, at });
  empty(store);
  const { title = null, examples = [], mattered = [], reviewed = null, untold = false } = snapshot;
  Object.assign(store, { run: snapshot.run, title, examples, mattered, reviewed, frames, untold });
  const place = store.places.get(snapshot.run) ?? {};
  if (store.frames) store.at = place.at ?? store.frames.length - 1;
  if (!frames) keepFrame(store, snapshot);
  for (const delta of frames?.slice(0, store.at + 1) ?? [snapshot]) absorb(store, delta);
  store.tell("reset");
  store.tell("grown", everything(store));
  if (store.nodes.has(place.level)) enter(store, place.level);
  if (store.nodes.has(place.selected)) select(store, place.selected);
  if (isPlayed(store)) store.tell("played");
  openFirst(store);
}

// All that led to the drawing of a large run comes only for whoever plays it, and what was pressed is done then.
function whenReady(store, play) {
  if (!store.untold) return play();
  const asked = Boolean(store.ready);
  store.ready = play;
  if (!asked) store.send({ t: "frames?", run: store.run });
  return store.tell("played");
}

const pairOnShow = ({ mode, compare }) => (mode === "past" && compare ? `${compare.a.iri} ${compare.b.iri}` : null);

const everything = (store) => ({ nodes: hereNodes(store), answer: true, whole: true });

function grown(store, delta) {
  const arcs = absorb(store, delta);
  if (store.selected) store.path = pathThrough(store, store.selected, store.path);
  if (delta.again && store.selected) goTo(store, store.selected);
  store.tell("grown", { ...delta, nodes: (delta.nodes ?? []).map(({ id }) => store.nodes.get(id)), arcs, whole: false });
  openFirst(store);
}

// What a message says is taken in; nobody is told yet.
function absorb(store, delta) {
  store.seq = delta.seq;
  store.state = delta.state ?? store.state; // by which columns are chosen
  store.waiting = Boolean(delta.waiting);
  store.piece = delta.piece ?? null;
  store.quiz = (delta.waiting && delta.quiz) || null;
  store.held ||= Boolean(delta.held);
  if (delta.again) drawAnew(store, delta.again);
  const first = !store.nodes.size;
  const arcs = takeIn(store, delta);
  if (first || delta.again) chooseColumns(store);
  if (delta.heads) takeHeads(store, delta.heads);
  if (delta.teaching && !delta.teaching.inside) store.stage = delta.teaching.node;
  for (const name of ["total", "note", "teaching"]) {
    if (delta[name] !== undefined && delta[name] !== null) store[name] = delta[name];
  }
  if (delta.answer) {
    const { append, text } = delta.answer;
    const whole = append ? store.answer.text + append : (text ?? store.answer.text);
    store.answer = { ...store.answer, ...delta.answer, text: whole };
  }
  store.log.push(...(delta.log ?? []));
  return arcs;
}

// What a run has shown by a message of it, once those `messages` are taken in: from its beginning, or from what is on show.
function showAnew(store, messages, begins) {
  const { selected, level, source } = store;
  if (begins) beginRun(store);
  store.source = null; // what it shows may come later in the run
  for (const message of messages) absorb(store, message);
  store.tell("reset", { calm: true });
  if (store.nodes.has(level)) enter(store, level);
  store.tell("grown", everything(store));
  if (store.nodes.has(selected)) select(store, selected, source?.node, source?.said);
  else if (selected || source) clearSelection(store);
  store.opened = false; // at its end its first source opens again
  openFirst(store);
}

function takeIn(store, { nodes = [], arcs = [] }) {
  if (nodes.length || arcs.length) store.here = null;
  for (const node of nodes) {
    // of one that stays where it is only what is new has come
    store.nodes.set(node.id, node.vis ? node : { ...store.nodes.get(node.id), ...node });
  }
  const { arc: like, aside } = store.looks;
  const added = arcs.map((arc) => ({ ...like, ...aside[arc.kind], ...arc })).filter((arc) => addArc(store, arc));
  if (nodes.some(({ unfolds }) => unfolds)) standAll(store);
  else for (const { id } of nodes) stand(store, store.nodes.get(id));
  return added;
}

function addArc(store, arc) {
  const key = `${arc.from}\n${arc.to}`;
  if (store.seen.has(key)) return false;
  store.seen.add(key);
  store.arcs.push(arc);
  if (!store.outOf.has(arc.from)) store.outOf.set(arc.from, []);
  if (!store.into.has(arc.to)) store.into.set(arc.to, []);
  store.outOf.get(arc.from).push(arc);
  store.into.get(arc.to).push(arc);
  return true;
}

const ofKind = (arcs = [], kind) => arcs.filter((arc) => !kind || arc.kind === kind);
const parents = (store, id, kind) => ofKind(store.into.get(id), kind).map((arc) => arc.from);
const children = (store, id, kind) => ofKind(store.outOf.get(id), kind).map((arc) => arc.to);
const looksOf = (store, id) => store.looks.kinds[store.nodes.get(id)?.kind] ?? {};

// With the sentence that quotes it a passage opens at the quoted words. What opens by itself is nobody's choice.
function select(store, id, passage, said = isSentence(store, id) ? id : undefined, byItself = false) {
  if (!store.nodes.has(id)) return store.held && store.send({ t: "node?", run: store.run, node: id, seq: store.seq });
  goTo(store, id);
  store.path = pathThrough(store, id, store.path);
  store.selected = id;
  Object.assign(store, { byItself, nearest: false });
  const own = passagesOf(store, id); // what rests on none leaves none open, whatever was open before
  const open = passage ?? store.path.find((step) => own.includes(step)) ?? byNumber(store, own)[0];
  store.source = null;
  store.tell("selected");
  if (open) openSource(store, open, { said });
  else store.tell("source");
}

// Once a run is over its first source opens by itself: that of the first citation, or what came nearest.
function openFirst(store) {
  const isThere = ["done", "declined"].includes(store.state) && !store.waiting;
  if (!isThere || store.opened || store.at < lastFrame(store)) return;
  store.opened = true;
  if (teaches(store)) enter(store, ""); // what was explained last may lie within another drawing
  if (store.selected || store.level) return;
  const cited = (store.answer.runs ?? []).find(({ cites }) => cites.length);
  const isNear = ({ kind, level, id }) => EXPLAINED.has(kind) && !level && passagesOf(store, id).length > 0;
  const near = !cited && [...store.nodes.values()].find(isNear);
  const [cite] = cited?.cites ?? [];
  if (cited) select(store, areHere(store, cite.node) ? cite.node : cited.node, undefined, cited.node, true);
  else if (near) select(store, near.id, undefined, undefined, true);
  else store.tell("source"); // which says that there is none
  store.nearest = Boolean(near);
  if (near) store.tell("selected");
}

const isSentence = (store, id) => store.nodes.get(id)?.kind === "Sentence";

function clearSelection(store) {
  store.selected = store.source = null;
  store.path = [];
  store.tell("selected");
  store.tell("source");
}

function openSource(store, passage, { turned = null, said = null } = {}) {
  const key = joinWords([passage, turned, said], " ");
  if (store.sources.get(key)?.trouble) store.sources.delete(key);
  store.source = { node: passage, key, said };
  store.tell("source");
  if (!store.sources.has(key)) store.send({ t: "source?", run: store.run, node: passage, key, turned, said });
}

const pictureIn = (page, [bytes]) => (page && bytes ? URL.createObjectURL(new Blob([bytes], { type: "image/png" })) : null);

// What was asked of a run may come when another is on show by now.
const isLate = (store, { t, run }) => Boolean(run) && t !== "delta" && run !== store.run;

function takeSource(store, message, buffers) {
  if (store.sources.get(message.key)?.image) return;
  const image = pictureIn(message.page, buffers);
  store.sources.set(message.key, { ...message, image });
  if (store.source?.key === message.key) store.tell("fetched");
}

// From the Question down to the node and on to its first source. A node on the path that is lit already keeps that
// path: left of the mark is where one came from, right of it where it leads.
function pathThrough(store, id, lit) {
  if (lit.includes(id) && lit.every((step) => store.nodes.has(step)))
    return onward(store, lit.slice(0, -1), lit.at(-1));
  const up = [];
  for (let at = parentOf(store, id); at && !up.includes(at); at = parentOf(store, at)) up.unshift(at);
  return onward(store, up, id);
}

// Of what rests on a source, one of the drawing on show, and of these what the answer cites first.
function parentOf(store, id) {
  const above = parents(store, id);
  if (!looksOf(store, id).source) return above[0];
  const here = above.filter((parent) => areHere(store, parent));
  return byNumber(store, here)[0] ?? above[0];
}

// What the answer cites goes first, in its order.
function byNumber(store, ids) {
  const numberOf = (id) => Math.min(...[id, ...passagesOf(store, id)].flatMap((one) => store.nodes.get(one)?.numbers ?? Infinity));
  return ids.map((id) => [numberOf(id), id]).sort(([a], [b]) => (a === b ? 0 : a - b)).map(([, id]) => id);
}

function onward(store, before, id) {
  const path = [...before, id];
  for (let at = children(store, id, "source")[0]; at && !path.includes(at); at = children(store, at, "source")[0])
    path.push(at);
  return path;
}

// The passages a node rests on: its own, those of a fact, or those found on a page or in a document. In a record that
// goes in a circle nothing is gone through twice.
function passagesOf(store, id, seen = new Set()) {
  const kind = store.nodes.get(id)?.kind;
  if (kind === "Passage") return [id];
  if (kind === "EdgeSelection" || kind === "ChunkSelection") return children(store, id, "source");
  if (kind === "Sentence") return parents(store, id, "cites").flatMap((cited) => passagesOf(store, cited));
  if (!looksOf(store, id).source || seen.has(id)) return [];
  seen.add(id);
  return [...new Set(parents(store, id).flatMap((parent) => passagesOf(store, parent, seen)))];
}
