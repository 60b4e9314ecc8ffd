// What only Python can look up for a node on show: the other answers that used it, its record, what was not kept, and
// where that comes from. It is asked for once, when it is first wanted; without a kernel there is no answer, and no row.
const LOOKED_UP = new Set(["EdgeSelection", "ChunkSelection", "Passage"]);

function lookUp(store, node, message) {
  if (store.others.has(node)) return;
  store.others.set(node, null);
  store.send(message);
}

const recordKey = (node) => `record of ${node}`;

function takeLookedUp(store, message) {
  store.others.set(message.t === "record" ? recordKey(message.node) : message.node, message);
  store.tell("others");
}

const beingLookedUp = (store, what) => (store.live ? "Looking it up …" : `The ${what} needs the kernel: run the cell again.`);

function othersRow(node, store, act) {
  if (!LOOKED_UP.has(node.kind)) return null;
  lookUp(store, node.id, { t: "others?", run: store.run, node: node.id });
  const items = store.others.get(node.id)?.items;
  if (!items) return null;
  if (!items.length) return labelled("Other runs that kept it", el("span", "pe-quiet", "none"));
  const lines = items.map(({ iri, question, how, when }) => {
    const link = () => linkButton(question, () => act.past(iri), { title: "Open this past run" });
    const words = iri ? link() : el("span", "pe-quiet", question);
    return el("li", {}, words, el("div", "pe-quiet pe-fine", joinWords([how, whenOf(when)])));
  });
  return labelled("Other runs that kept it", el("ul", "pe-items pe-plain wide", lines));
}

// What was not kept: a line each with why not and where it is from; one at a time is picked apart below its line.
const MOST_UNKEPT = 200; // lines: of more one looks for words
const MORE_UNKEPT = `The first ${MOST_UNKEPT} are shown: search for more.`;

function unkeptRow(row, store, act) {
  const { selected } = store;
  lookUp(store, selected, { t: "notkept?", run: store.run, node: selected });
  const left = store.others.get(selected);
  if (!left) return beingLookedUp(store, "list");
  const lines = el("ul", "pe-unkept pe-plain");
  const said = el("p", { class: "pe-quiet pe-fine pe-unkept-said", role: "status" });
  const rest = el("p", "pe-quiet pe-fine pe-unkept-said");
  const draw = () => {
    const wanted = input.value.toLowerCase().split(/\s+/);
    const found = left.items.filter((item) => hasWords(item, wanted));
    fill(lines, found.slice(0, MOST_UNKEPT).map((item) => unkeptLine(item, left.lowest, store, act)));
    fill(said, input.value.trim() && [`${found.length} of ${left.items.length} match. `, documentsPart(store, act, input.value, draw)]);
    fill(rest, joinWords([found.length > MOST_UNKEPT && MORE_UNKEPT, left.rest], " "));
  };
  const oninput = () => {
    store.wanted = { node: selected, text: input.value }; // what is looked up meanwhile draws all of it anew
    draw();
  };
  const [label, value] = ["Search what was not kept", store.wanted?.node === selected ? store.wanted.text : null];
  const input = el("input", { type: "search", value, placeholder: label, "aria-label": label, oninput });
  draw();
  return [left.items.length > 1 && input, said, lines, rest];
}

const hasWords = ({ text, where }, wanted) => {
  const words = `${text} ${where}`.toLowerCase();
  return wanted.every((word) => words.includes(word));
};

function unkeptLine(item, lowest, store, act) {
  const open = store.picked === item.iri;
  const pick = () => {
    store.picked = open ? null : item.iri;
    store.tell("others");
  };
  const why = el("span", "pe-quiet pe-fine", item.why);
  const where = el("span", { class: "pe-quiet pe-fine", dir: "auto" }, item.where);
  const props = { class: "pe-bare", "aria-expanded": String(open), onclick: pick };
  const line = button(props, el("span", { dir: "auto" }, item.text), why, where);
  return el("li", open ? "pe-lined on" : "pe-lined", line, open && unkeptParts(item, lowest, store, act));
}

function unkeptParts(item, lowest, store, act) {
  lookUp(store, item.iri, { t: "unkept?", run: store.run, node: item.iri });
  const sources = store.others.get(item.iri)?.items;
  const score = item.score !== null && [
    meter({ value: item.score, cutoff: lowest, mark: "Lowest kept" }),
    el("b", "pe-more-words pe-nowrap", `${item.score.toFixed(2)} of 1`),
    lowest !== null && el("span", "pe-quiet pe-fine pe-more-words pe-nowrap", `lowest kept ${lowest.toFixed(2)}`),
  ];
  const idea = item.idea && itemOf({ text: item.idea, node: store.nodes.has(item.node) && item.node }, store, act);
  const corrects = item.fact && canAsk(store) && correctingAt(store, item.iri, item.fact);
  const rows = [
    labelled("Score", score),
    labelled("Nearest key idea", idea && el("ul", "pe-items pe-plain", idea)),
    sources && labelled("Where it is from", unkeptSources(sources, store, act)),
  ];
  return [el("div", "pe-rows", rows), correctForm(store, item.iri) ?? corrects];
}

function labelled(label, value, broad = "") {
  if (!value) return null;
  return [el("div", `pe-fine pe-quiet ${broad}`, label), el("div", `pe-value pe-anywhere ${broad}`, value)];
}

function unkeptSources(sources, store, act) {
  if (!sources.length) return "No recorded source.";
  return sources.map(({ text, where, hand, node }) => {
    const words = el("blockquote", "pe-quote", text || "Its words are not on record here.");
    const link = store.nodes.has(node) ? linkButton(where, () => act.select(node)) : el("span", {}, where);
    return el("div", "pe-found", words, link, el("span", "pe-quiet pe-fine", ` · ${hand}`));
  });
}
