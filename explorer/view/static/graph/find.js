// Find in the graph: in everything a node says, as a person would read it. What is sought stands in the store, so
// that two views of one run show the same.
const READ = ["text", "more", "why"]; // what is words in a row of the detail, and not an address or a kind
const saidBy = new WeakMap();

const foldText = (text) => text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase().replaceAll(/\s+/gu, " ");

function wordsOfRow(row) {
  if (row.k === "raw") return [];
  return Object.entries(row).flatMap(([key, value]) => {
    if (typeof value === "string") return READ.includes(key) ? [value] : [];
    return value && typeof value === "object" && key !== "author" ? wordsOfRow(value) : [];
  });
}

function textOfNode(node) {
  if (!saidBy.has(node)) {
    const lines = node.lines.map(([, text]) => text);
    const own = [lines.join(" "), node.name, node.passage?.text ?? ""];
    const told = node.detail.rows.map((row) => wordsOfRow(row).join(" "));
    saidBy.set(node, { own: foldText(own.join("\n")), all: foldText([...own, ...told].join("\n")) });
  }
  return saidBy.get(node);
}

// What says it itself, or where nothing does what tells of it, in the order of reading: the drawing of the run, then those
// folded into it, each from its top left.
function matchesOf(store) {
  const sought = foldText(store.query ?? "").trim();
  if (!sought) return [];
  const drawings = [...new Set(["", ...[...store.nodes.values()].map((node) => node.level ?? "")])];
  const saying = (which) => [...store.nodes.values()].filter((node) => textOfNode(node)[which].includes(sought));
  const own = saying("own");
  const placed = (own.length ? own : saying("all")).map((node) => {
    const [x, y] = spotIn(store, node, node.level) ?? [node.vis.x ?? 0, node.vis.y ?? 0];
    return { id: node.id, drawing: drawings.indexOf(node.level ?? ""), x, y };
  });
  return placed.sort((a, b) => a.drawing - b.drawing || a.y - b.y || a.x - b.x).map(({ id }) => id);
}

// What is found, and for what is not on show the fold that it is in.
function framed(store, matches) {
  const found = new Set(matches);
  const seen = new Set();
  for (const id of matches) {
    for (let at = id; at && !areHere(store, at) && !seen.has(at); at = store.nodes.get(at)?.level) seen.add(at);
  }
  for (const id of seen) {
    const { level } = store.nodes.get(id) ?? {};
    if (level && areHere(store, level)) found.add(level);
  }
  return found;
}

const sameIds = (a, b) => a === b || (a && b && a.size === b.size && [...a].every((id) => b.has(id)));

function countWords(store, matches) {
  if (!store.query?.trim()) return "";
  if (!matches.length) return store.held ? "none in what was opened" : "none";
  const at = matches.indexOf(store.selected);
  return at < 0 ? `${matches.length} found${store.held ? " in what was opened" : ""}` : `${at + 1} of ${matches.length}`;
}

function findBox(store, act) {
  const input = el("input", {
    type: "search",
    class: "pe-find-input pe-share pe-slim",
    placeholder: "Find in graph",
    title: "Find in graph (/)",
    "aria-label": "Find in graph",
    autocomplete: "off",
    spellcheck: "false",
    oninput: () => {
      store.query = input.value;
      draw();
    },
    onkeydown: (event) => keyInFind(event, store, act, shut),
  });
  const count = el("span", { class: "pe-quiet pe-line pe-find-count pe-rigid", role: "status" });
  const turn = (sign, label, by) => signButton(sign, label, () => goToMatch(store, act, by));
  const [up, down] = [turn("↑", "Previous match (Shift+Enter)", -1), turn("↓", "Next match (Enter)", 1)];
  const turns = el("span", "pe-pair pe-inline pe-rigid", up, down);
  const everywhere = el("span", { class: "pe-found-in pe-row pe-gap-m pe-fine pe-nowrap", role: "group", "aria-label": "Found in" });
  const draw = () => {
    root.hidden &&= !store.query?.trim();
    drawFind(store, { input, count, turns });
    const all = () => [graphPart(store, act), unkeptPart(store, act), documentsPart(store, act, input.value, draw)];
    const parts = input.value.trim() ? all().filter(Boolean) : [];
    everywhere.hidden = parts.length < 2; // how many are in the graph stands beside the field
    const key = [store.run, ...parts.map((part) => part.textContent)].join("\n");
    if (everywhere.told === key) return; // one of them may hold the focus
    everywhere.told = key;
    fill(everywhere, parts.flatMap((part, at) => (at ? ["·", part] : [part])));
  };
  const shut = () => {
    store.query = input.value = "";
    root.hidden = true;
    draw();
    const { graph, parts } = act.view;
    (parts.list.root.hidden ? graph.canvas : parts.list.root).focus();
  };
  const open = () => {
    root.hidden = false;
    input.select();
  };
  const close = signButton("×", "Close", shut, { title: "Close (Esc)" });
  const props = { class: "pe-find pe-row pe-gap-m pe-lined pe-wrap", role: "search", hidden: true };
  const root = el("div", props, input, count, turns, everywhere, close);
  draw();
  return { root, draw, open };
}

const foundIn = (title, onclick, where, number) =>
  number === 0
    ? el("span", "pe-quiet", `${where}: 0`)
    : linkButton(number === null ? `${where}?` : `${where}: ${number.toLocaleString("en")}`, onclick, { title });

const graphPart = (store, act) =>
  foundIn("Go to the first of them", () => goToMatch(store, act, 1), "in the graph", matchesOf(store).length);

// What is not in the graph may be among what was looked at: the list of it is opened, and searched for the same words. It
// is counted once the run is over.
function unkeptPart(store, act) {
  const unkept = [...store.nodes.values()].filter(({ kind }) => kind === "NotKept");
  if (!unkept.length) return null;
  if (store.state !== "running") for (const { id } of unkept) lookUp(store, id, { t: "notkept?", run: store.run, node: id });
  const wanted = store.query.trim().toLowerCase().split(/\s+/);
  const numbers = unkept.map(({ id }) => store.others.get(id)?.items.filter((item) => hasWords(item, wanted)).length ?? null);
  const number = numbers.includes(null) ? null : numbers.reduce((sum, one) => sum + one, 0);
  const seek = () => {
    const { id } = unkept[Math.max(0, numbers.findIndex((one) => one > 0))];
    store.wanted = { node: id, text: store.query.trim() };
    act.select(id);
  };
  return foundIn("Search what was looked at and not kept", seek, "not kept", number);
}

// How many documents have the words, asked for when nothing was typed for a while; `then` is called when it is known.
function documentsPart(store, act, words, then) {
  const sought = words.trim();
  if (!sought || !canAsk(store)) return null;
  const known = store.mentions.get(sought);
  if (!known) {
    clearTimeout(store.mentioning);
    store.mentioning = setTimeout(() => {
      const n = ownSign();
      store.mentions.set(sought, { n, total: null, partly: false, then: new Set([then]) });
      store.send({ t: "documents?", n, text: sought, limit: 1 });
    }, 200);
    return null;
  }
  known.then?.add(then);
  if (known.total === null) return null;
  const where = known.partly ? "some of the words in documents" : "in documents";
  return foundIn("Search the documents for it", () => act.shelf(sought), where, known.total);
}

function takeMentions(store, { n, total, partly }) {
  const known = [...store.mentions.values()].find((one) => one.n === n);
  if (!known) return;
  const { then } = known;
  Object.assign(known, { total, partly, then: null });
  for (const draw of then) draw();
}

function drawFind(store, { input, count, turns }) {
  const query = store.query ?? "";
  if (input.value !== query) input.value = query;
  const matches = matchesOf(store);
  const found = matches.length ? framed(store, matches) : null;
  const words = countWords(store, matches);
  if (count.textContent !== words) count.textContent = words; // said anew only when it is new
  turns.hidden = !matches.length;
  if (sameIds(found, store.found ?? null)) return;
  store.found = found;
  store.tell("filtered");
}

// What is selected says where the search stands, so a click on a match goes on from there.
function goToMatch(store, act, step) {
  const matches = matchesOf(store);
  if (!matches.length) return;
  const at = matches.indexOf(store.selected);
  const next = at < 0 ? (step > 0 ? 0 : -1) : (at + step) % matches.length;
  act.select(matches.at(next));
  act.view.parts.list.root.querySelector(".on")?.scrollIntoView({ block: "nearest" });
}

function keyInFind(event, store, act, shut) {
  if (event.isComposing) return;
  const step = { Enter: event.shiftKey ? -1 : 1, ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) goToMatch(store, act, step);
  else if (event.key === "Escape") shut();
  else return;
  claim(event);
}
