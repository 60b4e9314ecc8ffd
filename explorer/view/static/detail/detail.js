// What the selected node says: two lines, and the rest where that is opened or no source needs the room.
function detailView(store, act) {
  const root = el("section", { class: "pe-panel pe-stack pe-slim pe-detail", "aria-label": "Detail" });
  const draw = () => {
    const node = store.nodes.get(store.selected);
    const isOpen = Boolean(node) && (store.unfolds || !store.source);
    root.classList.toggle("open", isOpen);
    if (node && isOpen) return drawNode(root, node, store, act);
    delete root.dataset.node;
    return fill(root, node ? stripOf(node, store, act) : happens(store));
  };
  return { root, draw };
}

// Its number in the answer and its words; below them why it was kept, or what it is.
function stripOf(node, store, act) {
  const words = el("span", { class: "pe-picked-words pe-cut pe-anywhere", dir: "auto" }, wordsOfNode(node));
  const more = linkButton("more", () => act.unfold(true), { "aria-expanded": "false", title: "All that is on record of it" });
  const byHand = node.detail.rows.find(({ undoes }) => undoes);
  const why = store.nearest ? el("b", "pe-nearest", NEAREST) : byHand ? textRow(byHand, store) : whyOf(node) || node.detail.heading;
  return [
    el("div", "pe-top pe-gap-l pe-picked", (node.numbers ?? []).slice(0, FEW_NUMBERS).map(numberInAnswer), words),
    el("div", "pe-picked pe-fine pe-quiet", why, byHand ? "· " : " ", more),
  ];
}

const NEAREST = "nearest, not an answer";

// While nothing is selected: what the stage is for that goes on, or was played.
function happens(store) {
  const note = store.frames ? store.at < lastFrame(store) && store.teaching : store.state === "running" && store.note;
  if (!note || lessonOf(store)) return null; // which tells it
  return el("p", "pe-happens pe-picked", el("b", {}, note.word), ": ", note.text);
}

const FOLDED = [".pe-raw", ".pe-figures"]; // parts that open, of a node

// What is looked up comes later; who has scrolled or opened the record stays where they are.
function drawNode(root, node, store, act) {
  const before = root.dataset.node === node.id ? root.querySelector(".pe-body") : null;
  const [at, open] = [before?.scrollTop ?? 0, FOLDED.filter((part) => before?.querySelector(part)?.open)];
  root.dataset.node = node.id;
  const body = nodeBody(node, store, act);
  fill(root, nodeHead(node, body, store, act), crumbs(store, act), correctForm(store, node.id) ?? body, nodeFoot(node, store));
  for (const part of open) body.querySelector(part).open = true;
  if (at) body.scrollTop = at; // to scroll means to lay out
  keepUnfolded(body);
}

// In another size what was opened is in sight too.
function keepUnfolded(body) {
  let isFirst = true;
  const onSize = () => {
    if (!isFirst) bringWithin(body, body.querySelector("details[open]"));
    isFirst = false;
  };
  new ResizeObserver(onSize).observe(body);
}

const TURNED = { EdgeSelection: "fact", ChunkSelection: "passage", Concept: "idea" }; // with others of its kind beside it

const FEW_NUMBERS = 4; // beside the heading

const numberInAnswer = (number) => el("span", { class: "pe-kept-as pe-rigid", title: "Its number in the answer" }, String(number));

function siblings(store, { kind, id }) {
  if (!TURNED[kind]) return [];
  const all = children(store, parents(store, id)[0], kind === "Concept" ? "concept" : "selected");
  return all.filter((one) => store.nodes.get(one)?.kind === kind);
}

function nodeHead(node, body, store, act) {
  const around = siblings(store, node);
  const at = around.indexOf(node.id);
  const turn = (label, sign, id) => signButton(sign, label, () => act.select(id), { disabled: !id });
  const fold = store.source && linkButton("less", () => act.unfold(false), { "aria-expanded": "true" });
  const noun = TURNED[node.kind];
  const turns = [turn(`Previous ${noun}`, "‹", around[at - 1]), turn(`Next ${noun}`, "›", around[at + 1])];
  const cited = node.numbers ?? [];
  const more = el("span", { class: "pe-quiet pe-rigid", title: `All: ${cited.join(", ")}` }, `+${cited.length - FEW_NUMBERS}`);
  const [word, title] = node.opens && isUnfolded(store, node.opens) ? ["Fold", "Fold it again"] : ["Unfold", "Show its steps"];
  return head(
    act.weighs === node.id ? "What if" : node.detail.heading,
    cited.slice(0, FEW_NUMBERS).map(numberInAnswer),
    cited.length > FEW_NUMBERS && more,
    grow(),
    around.length > 1 && turns,
    matteredLink(node, body, store, act),
    node.opens && smallButton(word, () => act.open(node.id), { title: `${title} (double-click)` }),
    fold,
  );
}

// The record's term, with what it means where the glossary has it.
function termOf(term, store) {
  const meaning = store.looks.glossary[term];
  if (!meaning) return el("span", { class: "pe-term-name pe-quiet pe-ell", title: "What the record calls it" }, term);
  const word = button({ class: "pe-glossed pe-bare pe-term-name pe-quiet" }, term);
  return explainedBy(el("span", "pe-slim", word), word, meaning, store);
}

function crumbs(store, act) {
  const kindOf = (id) => store.nodes.get(id)?.kind;
  const within = (id, i) => i > 1 && ["Question", "PatternDecision"].includes(kindOf(id));
  const isItsPassage = (id, i) => kindOf(id) === "Passage" && kindOf(store.path[i - 1]) === "ChunkSelection"; // the same words
  const isLeftOut = (id, i) => isItsPassage(id, i) || ["Grounding", "Exploration"].includes(kindOf(id)) || within(id, i);
  const shown = store.path.filter((id, i) => id === store.selected || !isLeftOut(id, i));
  const steps = shown.map((id, i) => {
    const node = store.nodes.get(id);
    const here = id === store.selected;
    const inner = [icon(node.kind, store.looks, 15, { outcome: node.outcome }), el("span", "pe-ell", node.name)];
    const long = node.name.length > 16 ? " long" : "";
    const look = `pe-inline pe-gap-s pe-rigid${long}`;
    const step = here
      ? el("b", { class: look, "aria-current": "true" }, inner)
      : linkButton(inner, () => act.select(id), { class: look, title: node.name });
    return [i > 0 && el("span", { class: "pe-quiet", "aria-hidden": "true" }, "›"), step];
  });
  return el("nav", { class: "pe-crumbs pe-lined pe-row pe-wrap pe-rigid pe-fine", "aria-label": "Where you are" }, steps);
}

const BROAD = new Set(["list", "passages", "unkept"]); // rows that stand below their label in a narrow panel

function nodeBody(node, store, act) {
  const rows = node.detail.rows;
  const body = el("div", { class: "pe-body pe-scroll", tabindex: 0, "aria-label": node.detail.heading });
  // the record and its term stand below
  const shown = (folded) => rows.filter((row) => ROWS[row.k] && Boolean(row.folded) === folded);
  const listed = (some) => el("div", "pe-rows", some.map((row) => labelledRow(row, store, act, rows)));
  const list = listed(shown(false));
  list[act.weighs === node.id ? "prepend" : "append"](...matteredRows(node, store, act));
  list.append(...(othersRow(node, store, act) ?? []));
  const ontoggle = ({ target }) => target.open && target.scrollIntoView({ block: "nearest" });
  const folded = { class: "pe-figures pe-fine", ontoggle };
  const figures = shown(true).length > 0 && el("details", folded, el("summary", {}, "In numbers"), listed(shown(true)));
  return fill(body, list, figures, rows.some((row) => row.k === "raw") && recordOf(node, store));
}

// One name alone has room beside its label.
const BRIEF = 26; // letters
const isBrief = ({ k, items }) => k === "list" && items.length === 1 && !items[0].why && !items[0].more && items[0].text.length <= BRIEF;

function labelledRow(row, store, act, rows) {
  const inner = ROWS[row.k](row, store, act, rows);
  const broad = BROAD.has(row.k) && !isBrief(row) ? "broad" : "";
  const whole = row.label ? broad : "whole";
  return [
    row.label && el("div", `pe-fine pe-quiet ${broad}`, row.label),
    el("div", `pe-value pe-anywhere ${whole}`, inner, byline(row.author)),
  ];
}

// What leads on from here stays in sight below the rows.
function nodeFoot(node, store) {
  const whatIf = whatIfLink(node, store);
  const open = node.kind === "EdgeSelection" && canAsk(store);
  const triple = open && node.detail.rows.find((row) => row.k === "triple" && !row.gone);
  const words = () => [triple.s, triple.p, triple.o].map(({ text }) => text);
  const correct = () => turnCorrecting(store, { place: node.id, fact: node.id, words: words() });
  if (!whatIf && !triple) return null;
  const beside = whatIf && whatIfItsDocument(node, store);
  const way = triple && linkButton("Not right?", correct, { title: "Correct this fact, or retract it" });
  return el("div", "pe-foot pe-row pe-wrap pe-rigid pe-fine pe-nowrap", whatIf, beside, way);
}

const ROWS = {
  text: textRow,
  time: (row) => el("div", {}, momentOf(row.stamp)),
  quote: (row) => el("blockquote", { class: "pe-quote", title: row.whole ?? null }, row.text),
  trouble: (row) => el("div", "pe-trouble pe-alarm pe-anywhere", row.text),
  list: (row, store, act) => (row.leaves ? keptRow(row, store, act) : rowList("pe-items", row, itemOf, store, act)),
  match: (row) => [row.parts.length ? barOf(row.parts) : meter(row), el("b", "pe-more-words pe-nowrap", row.text)],
  sum: (row, store, act, rows) => sumOf(row, rows),
  triple: tripleOf,
  unkept: unkeptRow,
  passages: (row, store, act) => rowList("pe-sources", row, sourceItem, store, act),
};

const linkOut = ({ text, href }) =>
  /^https?:/.test(href ?? "") && el("a", { class: "pe-link pe-anywhere", href, target: "_blank", rel: "noopener noreferrer" }, text);

// What was done by hand can be undone where it is said.
function textRow({ text, href, strong, undoes }, store) {
  const link = linkOut({ text, href });
  if (link) return link;
  const way = undoes && canAsk(store) && linkButton("Undo", () => undoAt(store, store.selected), { title: "As it was before" });
  return strong ? el("div", "pe-strong", text) : el("span", {}, text, " ", way);
}

function rowList(name, { items }, line, store, act) {
  return el("ul", `${name} pe-plain`, items.map((item) => line(item, store, act)));
}

function itemOf(item, store, act) {
  const plain = () => linkOut(item) || el("span", {}, item.text);
  const words = item.node ? linkButton(item.text, () => act.select(item.node)) : plain();
  const more = item.more && el("span", "pe-quiet pe-line", item.more);
  return el("li", {}, words, more, item.why && el("div", "pe-why pe-fine pe-quiet", item.why));
}

function keptRow(row, store, act) {
  const list = rowList("pe-items", row, keptItem, store, act);
  return [list.querySelector(".pe-keeps") && el("div", "pe-fine pe-quiet", "Untick one to ask without it"), list];
}

function keptItem(item, store, act) {
  const line = itemOf(item, store, act);
  const box = leftBox(item.node, item.text, store);
  if (box) line.prepend(box);
  return line;
}

// A name leads to all that is said of it, as long as there is somebody to look it up; a value leads nowhere.
function tripleOf({ s, p, o, gone }, store, act) {
  const open = ({ iri, text }) => {
    const props = { title: `What is said of ${text}`, onclick: () => act.entity(iri) };
    return button({ class: "pe-term pe-anywhere", dir: "auto", ...props }, text);
  };
  const value = ({ tip, text }) => el("span", { class: "pe-value-term pe-anywhere", title: tip, dir: "auto" }, text);
  const end = (term) => (term.iri && canAsk(store) ? open : value)(term);
  return el("div", `pe-triple pe-row pe-gap-m pe-wrap ${gone ? "gone" : ""}`, end(s), el("span", {}, `— ${p.text} →`), end(o));
}

function sourceItem(item, store, act) {
  const open = store.source?.node === item.node;
  const more = item.more && el("span", "pe-quiet pe-fine", ` · ${item.more}`);
  const words = el("span", "pe-anywhere", item.text, more);
  const state = el("span", open ? "pe-quiet pe-fine" : "pe-link pe-fine", open ? "open" : "Open");
  const props = { class: "pe-bare", onclick: () => act.source(item.node), "aria-pressed": String(open) };
  return el("li", open ? "on" : null, button(props, icon("Passage", store.looks, 16), words, state));
}

// Its triples, as they are on record.
function recordOf(node, store) {
  const rows = store.others.get(recordKey(node.id))?.rows;
  const lines = rows?.map((row) => el("tr", {}, row.map((term, at) => el("td", {}, term || (at ? "" : "IRI")))));
  const table = lines && el("table", {}, el("tbody", {}, lines));
  const term = node.detail.rows.find((row) => row.k === "term")?.text;
  const log = (node.kind === "Question" || isAnswer(store, node)) && !node.level && logOf(store);
  const ontoggle = ({ target }) => {
    if (!target.open) return;
    lookUp(store, recordKey(node.id), { t: "record?", run: store.run, node: node.id });
    target.scrollIntoView({ block: "nearest" });
  };
  return el(
    "details",
    { class: "pe-raw pe-fine", ontoggle },
    el("summary", {}, "Record"),
    term && el("p", {}, "In the record: ", termOf(term, store)),
    table || el("p", {}, beingLookedUp(store, "record")),
    log,
  );
}

// What happened, in order. Of a run that is played again the record may have no time but that of its beginning.
function logOf({ log, frames, looks }) {
  const timed = !frames || log.some(({ at }, place) => place > 0 && at);
  const line = ({ kind, text, at }) =>
    el("li", "pe-lined", icon(kind, looks, 16), el("span", "pe-anywhere", text), timed && el("span", "pe-quiet", at));
  return log.length > 0 && foldOf(`Log (${log.length})`, el("ul", "pe-log pe-plain", log.map(line)));
}

// A score as a bar, and as the sum of the parts that it is made of.
function meter({ value, cutoff, mark = "Cut-off" }) {
  const share = el("i", { style: { width: `${between(0, value, 1) * 100}%` } });
  const line = () => el("u", { style: { left: `${cutoff * 100}%` }, title: `${mark} ${cutoff.toFixed(2)}` });
  return el("span", { class: "pe-meter", role: "img", "aria-label": `Score ${value} of 1` }, share, Number.isFinite(cutoff) && line());
}

// A score as the parts it is made of, side by side; what takes away lies over the end of what came before it.
const DIGITS = 4; // as the record has them
const TINTS = 6; // more than any score has parts
const STRIPES = "repeating-linear-gradient(45deg, var(--pe-ground) 0 2px, var(--pe-text2) 2px 4px)";
const tintOf = (value, number) => ({ background: value < 0 ? STRIPES : `var(--pe-parts-${1 + (number % TINTS)})` });

function barOf(parts) {
  const bar = el("span", { class: "pe-meter wide", "aria-hidden": "true" });
  let at = 0;
  for (const [number, [, value]] of parts.entries()) {
    const style = { left: `${Math.min(at, at + value) * 100}%`, width: `${Math.abs(value) * 100}%`, ...tintOf(value, number) };
    bar.append(el("i", { style }));
    at += value;
  }
  return bar;
}

function sumOf({ text }, rows) {
  const { parts, value } = rows.find((row) => row.k === "match");
  const term = ([name, part], number) => {
    const tint = el("i", { class: "pe-tint", style: tintOf(part, number), "aria-hidden": "true" });
    const sign = el("span", "pe-sign", part < 0 ? "− " : number ? "+ " : "");
    return [el("span", {}, el("span", "pe-nowrap", tint, sign, Math.abs(part).toFixed(DIGITS)), ` ${name}`), " "];
  };
  const total = el("b", "pe-nowrap", `${parts.length ? "= " : ""}${value.toFixed(DIGITS)}`);
  return [el("div", "pe-sum pe-fine", parts.map(term), total), el("span", "pe-fine", text, " ")];
}
