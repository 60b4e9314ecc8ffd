// Find in the graph: in everything a node says, as a person would read it. What is sought stands in the store, so
// that two views of one run show the same.
const READ = ["text", "more", "why"]; // what is words in a row of the detail, and not an address or a kind
const saidBy = new WeakMap();

const foldText = (text) =>
  text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/\s+/gu, " ");

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
    const words = [lines.join(" "), node.name, ...node.detail.rows.map((row) => wordsOfRow(row).join(" "))];
    saidBy.set(node, { own: foldText(words.slice(0, 2).join("\n")), all: foldText(words.join("\n")) });
  }
  return saidBy.get(node);
}

// First what says it itself, then what tells of it, each in the order of reading: the drawing of the run, then those
// folded into it, each from its top left.
function matchesOf(store) {
  const sought = foldText(store.query ?? "").trim();
  if (!sought) return [];
  const drawings = [...new Set(["", ...[...store.nodes.values()].map((node) => node.level ?? "")])];
  const placed = [...store.nodes.values()]
    .filter((node) => textOfNode(node).all.includes(sought))
    .map((node) => {
      const [x, y] = spotIn(store, node, node.level) ?? [node.vis.x, node.vis.y];
      const told = Number(!textOfNode(node).own.includes(sought));
      return { id: node.id, told, drawing: drawings.indexOf(node.level ?? ""), x, y };
    });
  return placed.sort((a, b) => a.told - b.told || a.drawing - b.drawing || a.y - b.y || a.x - b.x).map(({ id }) => id);
}

const sameIds = (a, b) => a === b || (a && b && a.size === b.size && [...a].every((id) => b.has(id)));

function countWords(store, matches) {
  if (!store.query?.trim()) return "";
  const where = store.held ? " in what was opened" : "";
  if (!matches.length) return `nothing found${where}`;
  const at = matches.indexOf(store.selected);
  return at < 0 ? `${matches.length} found${where}` : `${at + 1} of ${matches.length}`;
}

function findBox(store, act) {
  const input = el("input", {
    type: "search",
    class: "pe-find-input",
    placeholder: "Find in graph",
    title: "Find in graph (/)",
    "aria-label": "Find in graph",
    autocomplete: "off",
    spellcheck: "false",
    "data-lm-suppress-shortcuts": "true",
  });
  const count = el("span", { class: "pe-quiet pe-line pe-find-count pe-rigid", role: "status" });
  const turns = el(
    "span",
    { class: "pe-pair pe-inline pe-rigid" },
    signButton("↑", "Previous match (Shift+Enter)", () => goToMatch(store, act, -1)),
    signButton("↓", "Next match (Enter)", () => goToMatch(store, act, 1)),
  );
  const root = el("span", { class: "pe-find pe-inline pe-rigid pe-slim", role: "search" }, input, count, turns);
  const elsewhere = button({ class: "pe-link pe-fine", title: "Search what was looked at and not kept", onclick: () => seekUnkept(store, act) }, "Not kept?");
  root.append(elsewhere);
  const draw = () => drawFind(store, { input, count, turns, elsewhere });
  input.addEventListener("input", () => {
    store.query = input.value;
    draw();
  });
  input.addEventListener("keydown", (event) => keyInFind(event, store, act, { input, draw }));
  draw();
  return { root, draw, focus: () => (input.focus(), input.select()) };
}

// What is not in the graph may be among what was looked at: the list of it is opened, and searched for the same words.
function seekUnkept(store, act) {
  const { id } = unkeptNode(store);
  store.wanted = { node: id, text: store.query };
  act.select(id);
}

const unkeptNode = (store) => [...store.nodes.values()].find(({ kind }) => kind === "NotKept");

function drawFind(store, { input, count, turns, elsewhere }) {
  const query = store.query ?? "";
  if (input.value !== query) input.value = query;
  const matches = matchesOf(store);
  const found = matches.length ? new Set(matches) : null;
  const words = countWords(store, matches);
  if (count.textContent !== words) count.textContent = words; // said anew only when it is new
  turns.hidden = !matches.length;
  elsewhere.hidden = Boolean(matches.length) || !query.trim() || !unkeptNode(store);
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

function keyInFind(event, store, act, { input, draw }) {
  if (event.isComposing) return;
  const step = { Enter: event.shiftKey ? -1 : 1, ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) goToMatch(store, act, step);
  else if (event.key === "Escape") {
    store.query = input.value = "";
    draw();
    const { graph, parts } = act.view;
    (parts.list.root.hidden ? graph.canvas : parts.list.root).focus();
  } else return;
  event.preventDefault();
  event.stopPropagation();
}
