// The same graph as a nested list, for screen readers and for those who would rather read. Branches that lie deep are
// drawn when they are opened, long ones in parts, so that a list of thousands opens at once.
const DEEP = 8;
const PART = 100;
const MARKS = /^\s*(?:(?:#{1,6}|[>*+-])\s+)+/; // what Markdown puts before a heading or an item
const READ_ON = 160; // UTF-16 units of a passage

function listView(store, act) {
  const named = { role: "region", "aria-label": "The graph as a list" };
  const root = el("div", { class: "pe-list pe-scroll", ...named, hidden: true, tabindex: -1 });
  const opened = new Map(); // how many are drawn of what stands below a node, where it is more than at first
  const draw = () => {
    if (root.hidden) return;
    const tops = topsOf(store);
    const telling = { store, act, opened, told: new Set(), steps: new Set(tops) };
    const none = () => nothing("Nothing to list yet", "Ask a question first.");
    fill(root, tops.length ? partOf(telling, "", tops, { id: null, depth: 0 }) : none());
  };
  return { root, draw };
}

// The steps of a run one below the other; in a drawing without a question what nothing in it leads to.
function topsOf(store) {
  const steps = new Set();
  for (let at = questionOf(store); at && !steps.has(at); at = stepAfter(store, at)) steps.add(at);
  if (steps.size) return [...steps];
  const free = (node) => !parents(store, node.id).some((parent) => areHere(store, parent));
  return hereNodes(store).filter(free).map((node) => node.id);
}

// On to the next stage of a search, past what a stage led to besides.
function stepAfter(store, id) {
  const below = children(store, id, "derived");
  return below.find((child) => looksOf(store, child).stage) ?? below[0];
}

const isAbove = (above, id) => (above ? above.id === id || isAbove(above.up, id) : false);

function partOf(telling, id, ids, above) {
  const drawn = telling.opened.get(id) ?? PART;
  const shown = ids.slice(0, drawn).filter((one) => telling.store.nodes.has(one));
  const left = ids.length - drawn;
  const goOn = () => {
    telling.opened.set(id, drawn + 2 * PART);
    list.replaceWith(partOf({ ...telling, told: new Set() }, id, ids, above));
  };
  const more = left > 0 && el("li", {}, linkButton(`… ${left.toLocaleString("en")} more`, goOn));
  const list = el("ul", "pe-plain", shown.map((one) => branch(telling, one, above)), more);
  return list;
}

// What is below a step is told once, at the first of those it derives from; sources stand below each fact.
function branch(telling, id, above) {
  const { store, act, told, steps, opened } = telling;
  const node = store.nodes.get(id);
  const again = told.has(id) && !looksOf(store, id).source;
  told.add(id);
  const inside = again
    ? []
    : children(store, id).filter((child) => store.nodes.has(child) && !steps.has(child) && !isAbove(above, child));
  const here = { id, up: above, depth: above.depth + 1 };
  const [first, ...rest] = node.lines.map(([, text]) => text);
  const { word = node.kind } = looksOf(store, id);
  const step = node.lines[0][0] === "k" || first === word;
  const term = step ? first : word;
  const cited = node.numbers ? ` ${node.numbers.map((number) => `[${number}]`).join("")}` : "";
  const { text, title, where } = node.passage ?? {};
  const whole = text && `“${beginning(text.replace(MARKS, ""), READ_ON)}${text.length > READ_ON ? "…" : ""}” ${title}, ${where}`;
  const words = whole ?? joinWords([node.by_hand && `${node.by_hand}:`, !step && first, ...rest], " ");
  const rating = ratingOf(store, id);
  const on = id === store.selected;
  const state = joinWords([on && "on", store.found?.has(id) && "found"], " ");
  const props = { class: `pe-bare ${state}`, "aria-current": on ? "true" : null, onclick: () => act.select(id) };
  const rated = rating && el("span", "pe-quiet", ` · ${ratedWords(rating)}`);
  const said = el("span", {}, el("b", {}, `${term}${cited}: `), words, rated);
  const line = button(props, icon(node.kind, store.looks, 16, { outcome: node.outcome }), said);
  const closed = (here.depth > DEEP || node.kind === "Folded") && !opened.has(id);
  return el("li", {}, line, inside.length > 0 && (closed ? closedBranch : partOf)(telling, id, inside, here));
}

function closedBranch(telling, id, inside, here) {
  const unfold = () => {
    telling.opened.set(id, PART);
    open.replaceWith(partOf({ ...telling, told: new Set() }, id, inside, { ...here, depth: 1 }));
  };
  const open = linkButton(`Show ${inside.length.toLocaleString("en")} below`, unfold, { "aria-expanded": "false" });
  return open;
}
