// What only Python can look up for a node on show: the other answers that used it, and where a fact that was not kept
// comes from. It is asked for once, when it is first wanted; without a kernel there is no answer, and no row.
const LOOKED_UP = new Set(["EdgeSelection", "ChunkSelection", "Passage"]);

function lookUp(store, node, message) {
  if (store.others.has(node)) return;
  store.others.set(node, null);
  store.send(message);
}

function takeOthers(store, message) {
  if (message.run !== store.run) return;
  store.others.set(message.node, message.items);
  store.tell("others");
}

function othersRow(node, store, act) {
  if (!LOOKED_UP.has(node.kind)) return null;
  lookUp(store, node.id, { t: "others?", run: store.run, node: node.id });
  const items = store.others.get(node.id);
  if (!items) return null;
  const lines = items.map(({ iri, question, how, when }) =>
    el(
      "li",
      {},
      iri
        ? button({ class: "pe-link", title: "Open this past run", onclick: () => act.past(iri) }, question)
        : el("span", { class: "pe-quiet" }, question),
      el("span", { class: "pe-quiet pe-line" }, [how, whenOf(when)].filter(Boolean).join(" · ")),
    ),
  );
  const shown = lines.length ? el("ul", { class: "pe-items pe-plain wide" }, lines) : el("div", {}, "none on record");
  const label = el("div", { class: "pe-fine pe-quiet" }, "Other answers that used it");
  return [label, el("div", { class: "pe-value pe-anywhere pe-others" }, shown)];
}

// The last line may say how many more there are.
function howMany(items) {
  const listed = items.filter(({ iri }) => iri).length;
  return listed < items.length ? `more than ${listed}` : String(listed);
}

// Facts that were not kept: a line each with why not; one at a time is picked apart below its line.
function unkeptRow(row, store, act) {
  const line = (item) => {
    const open = store.picked === item.iri;
    const pick = () => {
      store.picked = open ? null : item.iri;
      store.tell("others");
    };
    return el(
      "li",
      { class: open ? "on" : null },
      button(
        { class: "pe-bare", "aria-expanded": String(open), onclick: pick },
        el("span", {}, item.text),
        el("span", { class: "pe-quiet pe-fine" }, item.why),
      ),
      open && unkeptParts(item, row.lowest, store, act),
    );
  };
  return el("ul", { class: "pe-unkept pe-plain" }, row.items.map(line));
}

function unkeptParts(item, lowest, store, act) {
  lookUp(store, item.iri, { t: "unkept?", run: store.run, node: item.iri });
  const sources = store.others.get(item.iri);
  const scored = item.score !== null && item.score !== undefined;
  const mark = lowest ?? undefined;
  const score = scored && [
    meter({ value: item.score, cutoff: mark, mark: "Lowest kept" }),
    el("b", { class: "pe-more-words pe-nowrap" }, `${item.score.toFixed(2)} of 1`),
    mark !== undefined &&
      el("span", { class: "pe-quiet pe-fine pe-more-words pe-nowrap" }, `· lowest kept ${mark.toFixed(2)}`),
  ];
  const idea = item.idea && itemOf({ text: item.idea, node: store.nodes.has(item.node) && item.node }, store, act);
  return el(
    "div",
    { class: "pe-rows" },
    labelled("Match", score),
    labelled("Nearest idea", idea && el("ul", { class: "pe-items pe-plain" }, idea)),
    sources && labelled("Where it is from", unkeptSources(sources, store, act)),
  );
}

function labelled(label, value) {
  if (!value) return null;
  return [el("div", { class: "pe-fine pe-quiet" }, label), el("div", { class: "pe-value pe-anywhere" }, value)];
}

function unkeptSources(sources, store, act) {
  if (!sources.length) return "No recorded source.";
  return sources.map(({ text, where, hand, node }) =>
    el(
      "div",
      { class: "pe-found" },
      el("blockquote", { class: "pe-quote" }, text || "Its words are not on record here."),
      store.nodes.has(node)
        ? button({ class: "pe-link", onclick: () => act.select(node) }, where)
        : el("span", {}, where),
      el("span", { class: "pe-quiet pe-fine" }, ` · ${hand}`),
    ),
  );
}
